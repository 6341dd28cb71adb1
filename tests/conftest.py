"""Lets the tests run in a clone, where `kb` and `parser` lie beside the package they belong to.

An editable install knows where they are; after the install of a wheel, the clone's `rules_asp`
hides the installed package, and does not hold them.
"""

from importlib.util import find_spec
from pathlib import Path

import rules_asp

if find_spec("rules_asp.kb") is None:
    rules_asp.__path__.append(str(Path(__file__).resolve().parent.parent))
