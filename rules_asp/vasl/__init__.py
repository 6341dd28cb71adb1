"""Import of VASL archives.

`archive` opens one with limits, `evidence` and `trace` follow its drawings, `terrain` and `buildings` name
them, `importer` makes the board. An archive is untrusted data.
"""
