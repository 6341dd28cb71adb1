"""Import of saved games, logs and "Save Text" of VASL.

`container` opens a file with limits and decodes its content. `pieces` replays it and recognizes
counters by their shown names. `layout` places boards and counters, `game_state` and `importer` make
the board. Files are untrusted data; hidden information
never leaves `pieces`.
"""
