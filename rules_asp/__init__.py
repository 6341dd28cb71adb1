"""The building rules of Advanced Squad Leader, to be asked.

`rules_asp.api` is what programs use; it takes a third of a second to import, this package does not.
"""

import os.path as _path

__version__ = "0.1.0"

# In a clone `kb` and `parser` lie beside this package, in an installed one they lie in it. Python
# run in a clone finds the clone's package first, whatever is installed.
if not _path.isdir(_path.join(__path__[0], "kb")):
    __path__.append(_path.dirname(__path__[0]))
