"""Boards of VASL archives: `archive` opens them, `trace` follows drawings, `importer` makes the board.

An archive is data from strangers and is read with limits. It may use `terms` alone.
"""
