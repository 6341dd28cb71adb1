"""One page on one's own machine: point at the map and ask. A server that answers as the commands do.

From the ground up: `sheets` is the board that a page has, `edits` changes its text, `desk` answers about
it in a process of its own, `tabs` has such processes, `guard` lets nobody else in, `service` is the server.
"""
