"""Two sets of rules side by side, for people and as JSON: one table of all that differs, by topic."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_asp.lab.comparing.differences import Difference, RuleDiff
from rules_asp.lab.comparing.turned_cases import ChangedExpectations
from rules_asp.lab.searching.goal_words import kind_text
from rules_asp.lab.telling import records
from rules_asp.lab.telling import text as show
from rules_asp.lab.telling.bounds_told import limits, rules_said
from rules_asp.lab.telling.gaps_told import indented


def compared(out: Console, found: RuleDiff) -> None:
    """The table, the boards that it rests on, what is the same, and what only one of them knows."""
    report = found.differences
    show.progress_text(out, report, "differences")
    numbers = _numbered(report.found)
    if report.found:
        table = Table("topic", *found.names, "rests on", "board", box=None, pad_edge=False)
        for each in report.found:
            table.add_row(
                Text(kind_text(each.topic), "bold"),
                *each.answers,
                Text(_norms(each, found.names), "cyan"),
                str(numbers[_boards(each)]) if each.boards else "none in time",
            )
        out.print(table)
        out.print()
    for boards, number in numbers.items():
        out.print(Text(f"board {number}", "bold"))
        for name, text in zip(found.names, boards, strict=False):
            if len(boards) > 1:
                out.print(Text(f"  {name}", "dim"))
            out.print(indented(text))
        for each in report.found:
            if each.boards and numbers[_boards(each)] == number:
                out.print(Text(f"  {kind_text(each.topic)}: {each.boards[0].query}", "dim"))
    if not report.found and report.whole:
        what = "what both are asked" if found.once else "everything"
        out.print(Text(f"both answer {what} alike", "bold") + Text(" within the bounds"))
    elif not report.found and report.complete:
        out.print(Text("not known", "bold yellow") + Text(_UNSURE))
    elif report.found:
        out.print()
        many = len(report.found)
        out.print(Text(f"{many} difference{'s' * (many > 1)}", "bold"))
    if found.same:
        told = ", ".join(map(kind_text, found.same))
        # What is left, or was not decided, may show a difference yet.
        label = "the same on every board" if report.whole else "no difference found so far"
        out.print(Text(f"{label}: ", "bold") + Text(told))
    if found.once:
        told = ", ".join(map(kind_text, found.once))
        label = "answered otherwise only of what one of both has, as a Location"
        out.print(Text(f"{label}: ", "bold") + Text(told))
    for name, topics in zip(found.names, found.only, strict=True):
        if topics:
            # What is left may show that the other answers too.
            so_far = "" if report.complete else "on the boards looked at "
            told = ", ".join(map(kind_text, topics))
            out.print(Text(f"{so_far}only {name} speaks of: ", "bold") + Text(told))
    limits(out, report, rules=_rules(found))


_UNSURE = " whether both answer everything alike: see below what is open"


def _rules(found: RuleDiff) -> str:
    """The rules in force on both sides: `of pb6 B23 PB6, of brt7 B23 BRT7`."""
    told = [
        f"of {name} {rules_said(*side)}"
        for name, side in zip(found.names, found.sides, strict=True)
    ]
    return ", ".join(told)


def _norms(each: Difference, names: tuple[str, str]) -> str:
    """The changed norms that the answers rest on, and those that only one of both does.

    Where there are none such, all that they rest on.
    """
    apart = [
        f"{name}: {_some(norms, _NORMS)}"
        for name, norms in zip(names, each.apart, strict=True)
        if norms
    ]
    changed = [f"{', '.join(each.changed)} (changed)"] if each.changed else []
    return (
        "; ".join((*changed, *apart)) or f"both: {_some(each.cites[0].norms, _NORMS) or 'no norm'}"
    )


#: So many norms of an answer stand in the table; with --json all.
_NORMS = 5


def _some(names: tuple[str, ...], most: int) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _boards(each: Difference) -> tuple[str, ...]:
    assert each.boards is not None
    return tuple(dict.fromkeys(board.plain for board in each.boards))


def _numbered(found: tuple[Difference, ...]) -> dict[tuple[str, ...], int]:
    """Each board once, with its number; those that show most come first."""
    boards: dict[tuple[str, ...], int] = {}
    for each in found:
        if each.boards:
            boards[_boards(each)] = boards.get(_boards(each), 0) + 1
    ordered = sorted(boards, key=lambda each: (-boards[each], each))
    return {each: number for number, each in enumerate(ordered, 1)}


def record(found: RuleDiff) -> dict[str, Any]:
    """The same as JSON: what `lab` commands tell, with `names`, `same`, `once`, `only`, `sides` besides."""
    return {
        **records.record(found.differences),
        "names": list(found.names),
        "same": list(found.same),
        "once": list(found.once),
        "only": [list(each) for each in found.only],
        "sides": [
            {"name": name, "sections": list(sections), "without": list(without)}
            for name, (sections, without) in zip(found.names, found.sides, strict=True)
        ],
    }


def cases(out: Console, names: tuple[str, str], asked: ChangedExpectations) -> None:
    """The expectations that turn, each with both answers and whose they are."""
    if asked.left:
        many = f"{len(asked.left)} board{'s' * (len(asked.left) > 1)}"
        out.print(Text(f"cases: not finished, {many} not asked", "bold yellow"))
        out.print(Text(f"  left:     {_some(asked.left, _LEFT)}"))
    out.print(Text(f"{len(asked.found)} expectations of the cases turn", "bold"))
    for each in asked.found:
        out.print(Text(f"  {each.file}:{each.line}  {each.question}"))
        for name, answer, passed in zip(names, each.answers, each.passed, strict=True):
            told = answer or "as expected"
            out.print(
                Text(f"    {name}: {told}") + Text("" if passed else "  (not expected)", "dim")
            )
    out.print()


#: So many boards that were not asked are named.
_LEFT = 4
