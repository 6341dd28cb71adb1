"""What can be asked of a position: each kind of question in a module of its own.

`questions` is what a question brings with it, `asking` answers any; `sights`, `all_sights`,
`whole_sights` and `viewsheds` are for LOS, then `shots`, `deeds`, `movement`, `rolls`, `checking`.
`proof` finds why, `explaining`, `accounts` and `abridging` tell it, `whys` says of which questions,
`shortfalls` tells why not, `unknowns` what is missing. `trying` puts one question again and again, for
`hanging` and `repairing`; `shortly` says an answer in a few words. Nothing is decided here: kb/ decides.
It may use `positions` and what is below.
"""
