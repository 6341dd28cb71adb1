"""Within which bounds a search holds what it told, and what it left open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from rules_asp.lab.boards.findings import GoalWitness
from rules_asp.lab.boards.world import SearchBounds
from rules_asp.lab.searching.courses import SearchReport
from rules_asp.lab.searching.goal_words import goal_text
from rules_asp.terms import own_rules

#: What is open of a claim.
_OPEN = (
    "not decided in the time given to each (--patience): whether a board does it",
    "not known: the boards that were tried do it by the search, and the ordinary commands do not confirm"
    " it of any",
)


#: What is open of a value that was to be extreme.
_OPEN_VALUE = (
    "not decided in the time given to each (--patience): whether a board there has more, or less",
    _OPEN[1],
)
#: What is open of anything else.
_OPEN_ELSE = (
    "not decided in the time given to each (--patience)",
    "not known: the search has boards for each, and the ordinary commands confirm none of them",
)


def left_open(command: str, found: SearchReport[Any]) -> tuple[str, str]:
    """What it is called that patience was too short for, and that is not confirmed."""
    if command not in ("find", "always"):
        return _OPEN_ELSE
    valued = any(isinstance(each, GoalWitness) and each.worth is not None for each in found.found)
    return _OPEN_VALUE if valued else _OPEN


def limits(
    out: Console,
    found: SearchReport[Any],
    open_: tuple[str, str] = _OPEN_ELSE,
    rules: str | None = None,
) -> None:
    """Within which bounds it holds, and what could not be decided or confirmed; `rules`: those in force."""
    out.print(bounds_said(found.bounds, rules), style="dim")
    if found.never:
        out.print(Text(f"no board here has {'; '.join(found.never)}", "dim"))
    if found.lets and (not found.found or any(each.worth is not None for each in found.found)):
        told = "; ".join(f"{what.name} {_values(what.values)}" for what in found.lets)
        out.print(Text(f"among boards that state of numbers only: {told}", "dim"))
    for goals, why in zip((found.undecided, found.unconfirmed), open_, strict=True):
        if goals:
            out.print(Text(f"{len(goals)} {why}:", "yellow"))
            for goal in goals[:20]:
                out.print(Text(f"  {goal_text(goal)}", "yellow"))


def rules_said(sections: Iterable[str], without: Iterable[str] = ()) -> str:
    """The sections in force, without the rulings that are switched off: `B23 PB6 without R-T03`."""
    off = ", ".join(without)
    return " ".join(each.upper() for each in sections) + (f" without {off}" if off else "")


def bounds_said(bounds: SearchBounds, rules: str | None = None, lenient: bool = False) -> str:
    """The bounds of a search in a line; `rules`: those in force, where the bounds do not say it.

    lenient: its boards may break norms.
    """
    grids = ", ".join(f"{grid} ({len(grid.hexes())} hexes)" for grid in bounds.grids)
    own = own_rules.house_rules_dir()
    own_said = f" and those in {own}" if own and rules is None else ""
    parts = [
        f"boards of {grids}{'' if lenient else ' that break no norm'}",
        f"rules {rules or rules_said(bounds.sections)}{own_said}",
    ]
    parts += [
        f"at most {number} {thing.removesuffix('s') if number == 1 else thing}"
        for thing, number in bounds.most
    ]
    if bounds.events:
        parts.append(f"only {', '.join(bounds.events)}")
    if bounds.where:
        parts.append(f"where {bounds.where}")
    if bounds.without and rules is None:
        parts.append(f"without {', '.join(bounds.without)}")
    return f"searched: {'; '.join(parts)}"


def _values(values: tuple[str, ...]) -> str:
    first, last = values[0], values[-1]
    whole = first.isdigit() and last.isdigit() and len(values) > 1
    if whole and int(last) - int(first) == len(values) - 1:
        return f"{first} to {last}"
    return ", ".join(values)
