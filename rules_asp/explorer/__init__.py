"""One page on one's own machine, to point at the map and ask: its server, and what the browser gets.

It may use all but `lab` and `cli`, which hands it how a line is read as a question. From the ground up:
`sheets` is the board that a page has, `edits` changes its text, `desk` answers about it in a process of its
own, `tabs` has such processes, `guard` lets nobody else in, `service` is the server. `page/` is for the
browser.
"""
