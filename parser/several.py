"""Units that are named together where a sentence is about one: how it is asked of them all."""

from __future__ import annotations

import re
from collections.abc import Callable

from rules_asp.parser.errors import ValueMistake, WithPlace
from rules_asp.terms.grid import Location
from rules_asp.terms.query import Argument, FunctionTerm

_UNIT = r'(?:"[^"\n]*"|[A-Za-z][\w-]*)'
_FIRST = re.compile(rf"\s*(?:(?:the|The)\s+)?({_UNIT})")
#: Without a word or a sign between them only such are taken for names as begin with a capital.
_NEXT = re.compile(
    rf"\s*(?:[,&+]|\band\b|\bwith\b)\s*(?:and\s+)?({_UNIT})|\s+(\"[^\"\n]*\"|[A-Z][\w-]*)"
)
#: So many are looked at: a larger stack is none.
_MOST = 12


def several_units_error(text: str, read: Callable[[str], Argument | None]) -> WithPlace | None:
    """The mistake of a sentence that would be one if it named only the first of its units; else None.

    `read` says what a sentence without a mistake makes.
    """
    first = _FIRST.match(text)
    if first is None:
        return None
    names, end = [first[1]], first.end()
    beginning = end
    while len(names) < _MOST and (found := _NEXT.match(text, end)) is not None:
        names.append(found[1] or found[2])
        end = found.end()
        rest = text[end:]
        said = read(first[0] + rest)
        if said is not None:
            line = text.count("\n", 0, beginning) + 1
            column = beginning - text.rfind("\n", 0, beginning)
            return _told(names, rest.strip(), said), line, column
    return None


def _told(names: list[str], rest: str, said: Argument) -> ValueMistake:
    """How it is asked of them all: as one stack, if they go somewhere, and else of each."""
    form = said.value
    assert isinstance(form, FunctionTerm)
    one = "this is asked of one unit alone"
    if form.name != "step":
        return ValueMistake(one, [f"`{name} {rest}` for each of them" for name in names[:1]])
    by, to = form.args[0].value, form.args[3].value
    stack = " ".join(names)
    ways = [f"for a stack the command `moves BOARD {stack}`"]
    if by != "move":
        ways = [f"{ways[0]} with its --phase"]
    elif isinstance(to, Location):
        ways.append(f"in a board `expect cost {stack} to {to} = 2`")
    return ValueMistake(one, ways)
