"""The building rules of Advanced Squad Leader, to be asked.

`rules_asp.api` is what programs use; it takes a third of a second to import, this package does not.
"""

import os.path as _path
from importlib import import_module as _import

__version__ = "0.1.0"

# In a clone `kb` and `parser` lie beside this package, in an installed one they lie in it. Python
# run in a clone finds the clone's package first, whatever is installed.
if not _path.isdir(_path.join(__path__[0], "kb")):
    __path__.append(_path.dirname(__path__[0]))


class RulesAspError(Exception):
    """What every error of this package is that bad input raises: its text is the message for the user."""


#: Who shows objects in a notebook, the first who can. By name: every room may import this package, and
#: what draws is imported only when something is shown.
_PAINTERS = "rules_asp.output.notebook", "rules_asp.lab.notebook"


def _show(thing: object, form: str) -> str | None:
    """What a notebook shows of an object."""
    shown = (_import(name).show(thing, form) for name in _PAINTERS)
    return next((each for each in shown if each is not None), None)


_import("rules_asp.game.display").set_display_hook(_show)
