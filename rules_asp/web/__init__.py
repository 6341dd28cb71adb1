"""The page server: one page in the browser, to click on the map and ask.

`documents` holds the open boards, `versions` their earlier versions, `tasks` answers questions
about them in a process of its own, `protocol` admits only the page, and `routes` is the server.
`page/` is the code for the browser.
"""
