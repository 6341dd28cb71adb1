"""Boards of VASL archives: `archive` opens them, `trace` follows drawings, `importer` makes the board.

`types` asks kb/ what VASL's building types say, `correcting` knows better what some boards show. An
archive is data from strangers and is read with limits. It may use `terms`, `knowledge`, `parser` and
`positions`.
"""
