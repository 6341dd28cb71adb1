"""Import of saved games, logs and "Save Text" of VASL.

`container` opens a file with limits, `commands` decodes its content, and `pieces` replays it.
`counters` recognizes counters by their shown names, `layout` and `geometry` place boards and
counters, `game_state` and `importer` make the board. Files are untrusted data; hidden information
never leaves `pieces`.
"""
