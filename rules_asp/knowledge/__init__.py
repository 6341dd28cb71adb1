"""kb/ as read, checked and made to run.

`parsing` lets clingo read, `source` reads its files, `book` looks norms up, `linting` checks them,
`lesser` leaves a norm out; `expansion` repeats the calculus and `forms` what a question seeks,
`occasions` leaves out what cannot fire, `program` makes both layers, `running` puts them to clingo,
`renewal` finds what a change bears on, `twins` by which rules an atom of an answer holds. It may
use `terms`; it knows no board.
"""
