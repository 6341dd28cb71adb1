"""Boards as tests: `expectations` checks `expect` lines, `coverage` counts which norms they exercise."""
