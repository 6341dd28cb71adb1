"""A board made ready for questions.

`files` finds it, `resolving` carries out its corrections, `changing` what is supposed of it, by `portions`
of statements, `candidates` what could be; `stating` makes facts of it, `prepared` solves what rests on the
board alone, `renewing` the part of it that a change bears on, and has its drawings measured; `indexes`,
`levels` and `places` look things up in it. It may use `lines`, `parser`, `knowledge` and `terms`.
"""
