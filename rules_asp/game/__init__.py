"""Values of the game: grid, board, query, vocabulary.

Plain frozen objects with their names in the board language, in kb/ and in clingo. This package
imports only `runtime`.
"""
