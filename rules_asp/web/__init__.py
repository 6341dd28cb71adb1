"""The page server: one page on one's own machine, to point at the map and ask.

`documents` holds the open boards, `versions` what each was before a change, `tasks` answers about them in
a process of its own (`tab_workers`), `security` admits only the page, `routes` is the server. `page/` is
for the browser.
"""
