"""Two sets of rules side by side, for people and as JSON: one table of all that differs, by topic."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_asp.lab import records
from rules_asp.lab import text as show
from rules_asp.lab.differences import Compared, Difference
from rules_asp.lab.turned_cases import Turned


def compared(out: Console, found: Compared) -> None:
    """The table, the boards that it rests on, what is the same, and what only one of them knows."""
    report = found.differences
    show.course(out, report, "differences")
    numbers = _numbered(report.found)
    if report.found:
        table = Table("topic", *found.names, "rests on", "board", box=None, pad_edge=False)
        for each in report.found:
            table.add_row(
                Text(each.topic, "bold"),
                *each.answers,
                Text(_norms(each), "cyan"),
                str(numbers[_boards(each)]) if each.boards else "none in time",
            )
        out.print(table)
        out.print()
    for boards, number in numbers.items():
        out.print(Text(f"board {number}", "bold"))
        for name, text in zip(found.names, boards, strict=False):
            if len(boards) > 1:
                out.print(Text(f"  {name}", "dim"))
            out.print(show.indented(text))
        for each in report.found:
            if each.boards and numbers[_boards(each)] == number:
                out.print(Text(f"  {each.topic}: {each.boards[0].query}", "dim"))
    if not report.found and report.complete:
        out.print(Text("both answer everything alike", "bold") + Text(" within the bounds"))
    elif report.found:
        out.print()
        out.print(Text(f"{len(report.found)} differences", "bold"))
    if found.same:
        out.print(Text("the same on every board looked at: ", "bold") + Text(", ".join(found.same)))
    for name, topics in zip(found.names, found.only, strict=True):
        if topics:
            out.print(Text(f"only {name} answers: ", "bold") + Text(", ".join(topics)))
    show.limits(out, report)


def _norms(each: Difference) -> str:
    """The paragraphs that only one of both rests on; all, where there are none such."""
    one, other = each.cites
    told = [
        ", ".join(cite for cite in cites if cite not in others) or "the same"
        for cites, others in ((one, other), (other, one))
    ]
    return " / ".join(told)


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


def record(found: Compared) -> dict[str, Any]:
    """The same as JSON: what `lab` commands tell, with `names`, `same` and `only` besides."""
    return {
        **records.record("diff", found.differences),
        "names": list(found.names),
        "same": list(found.same),
        "only": [list(each) for each in found.only],
    }


def cases(out: Console, names: tuple[str, str], rows: list[Turned]) -> None:
    """The expectations that turn, each with both answers and whose they are."""
    out.print(Text(f"{len(rows)} expectations of the cases turn", "bold"))
    for each in rows:
        out.print(Text(f"  {each.file}:{each.line}  {each.question}"))
        for name, answer, passed in zip(names, each.answers, each.passed, strict=True):
            told = answer or "as expected"
            out.print(
                Text(f"    {name}: {told}") + Text("" if passed else "  (not expected)", "dim")
            )
    out.print()
