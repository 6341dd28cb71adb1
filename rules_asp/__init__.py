"""The building rules of Advanced Squad Leader, to be asked.

`rules_asp.api` is what programs use; it takes a third of a second to import, this package does not.
"""

import os.path as _path

from rules_asp.terms.showing import shown_by as _shown_by

__version__ = "0.1.0"

# In a clone `kb` and `parser` lie beside this package, in an installed one they lie in it. Python
# run in a clone finds the clone's package first, whatever is installed.
if not _path.isdir(_path.join(__path__[0], "kb")):
    __path__.append(_path.dirname(__path__[0]))


def _show(thing: object, form: str) -> str | None:
    """What a notebook shows of an object; only then is what draws it imported."""
    from rules_asp.telling import notebook

    shown = notebook.show(thing, form)
    if shown is None and form == "html":
        from rules_asp.lab import pictures

        shown = pictures.show(thing, form)
    return shown


_shown_by(_show)
