"""Import of VASL archives.

`archive` opens one with limits, `evidence` and `trace` extract its depictions, `terrain` and
`buildings` identify them, `importer` makes the board. An archive is untrusted data.
"""
