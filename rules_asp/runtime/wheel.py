"""The build of the wheel. It includes results that the first commands on a machine would compute.

Only setuptools imports this module; pyproject.toml names the class.
"""

from __future__ import annotations

import os
import subprocess
import sys

from setuptools.command.build_py import build_py

#: Stores in the cache: the rules and the grammars of boards and questions as read, what all proofs
#: read, and the lines of the boards that every search of the lab tries.
_STORES = """
import os, rules_asp
from rules_asp.runtime.cache import INCLUDED
os.environ["RULES_ASP_CACHE"] = os.path.join(rules_asp.__path__[0], INCLUDED)
from rules_asp.knowledge.loading import load_program
from rules_asp.lab.drawn_lines import drawn
from rules_asp.lab.generator import GRIDS
from rules_asp.lab.theory import Encoding
from rules_asp.parser import parse, parse_query
parse('board "any" grid 1x1')
parse_query('height(A1) = V')
Encoding(load_program()).theory.patterns
for grid in GRIDS:
    drawn(grid, vertices=True)
"""


class BuildWithResults(build_py):
    """Copy the modules, then compute with the copy. An editable install has no copy."""

    def run(self) -> None:
        """Build; the results are valid for the same sources and the same version of clingo."""
        super().run()
        if not self.editable_mode:
            # Python finds the copy, since it looks for modules in the folder in which it starts.
            folder, settings = os.path.abspath(self.build_lib), {"PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, "-c", _STORES]
            subprocess.run(command, cwd=folder, env={**os.environ, **settings}, check=True)
