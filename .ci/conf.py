"""Sphinx: the site of the pages that `rules-asp help --write` writes."""

from rules_asp import __version__

project = "rules-asp"
author = "The rules-asp authors"
version = release = __version__
extensions = ["myst_parser"]
html_theme = "alabaster"
html_title = f"rules-asp {version}"
html_theme_options = {"page_width": "1200px", "body_max_width": "auto"}
html_show_copyright = False
# Boards, logic and answers have no lexer.
highlight_language = "text"
# Four hundred pages in the sidebar of each would take most of the time.
html_sidebars = {"**": ["about.html", "searchfield.html", "relations.html"]}
