"""What an answer hangs on, and what would change it, for people: lines as one types them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from rules_asp.answers.hanging import (
    NORMS,
    RULINGS,
    SAID,
    UNSAID,
    DecisiveLine,
    DecisiveNorm,
    Hanging,
)
from rules_asp.answers.repairing import Repaired
from rules_asp.answers.words import NOTHING_OF_THE_KIND
from rules_asp.positions.candidates import ChangeCandidate
from rules_asp.positions.prepared import Position
from rules_asp.telling.layout import DIM, DOUBT, NORM, Row, issues_text, section

#: What is tried, as people are told how much.
_TOLD = {
    SAID: ("line of the board", "lines of the board"),
    NORMS: ("norm", "norms"),
    RULINGS: ("ruling", "rulings"),
    UNSAID: ("line that it does not have", "lines that it does not have"),
    "lines": ("line", "lines"),
    "pairs": ("pair of lines", "pairs of lines"),
}
#: So many rows of a section are told to people.
_MOST = 30


def sensitive(
    out: Console, position: Position, question: str, seconds: float | None, found: Hanging
) -> None:
    """What an answer hangs on: first what was not tried, then what turns it, with the other answer."""
    out.print(Text.assemble(f"{question}: ", (found.short, "bold")))
    _left(out, found.left, seconds)
    norms = position.program.norms
    for title, turned in (
        ("without what the board says", found.said),
        ("with what it does not say", found.unsaid),
    ):
        _section(out, title, [(e.answer, typed(e.candidate)) for e in _answered(turned)])
    for title, ruled in (("without a norm", found.norms), ("without a ruling", found.rulings)):
        rows = ((e.answer, Text(e.norm, NORM), norms[e.norm].sense) for e in _told(position, ruled))
        _section(out, title, list(rows))
    gone: list[Row] = [
        (typed(e.candidate),)
        for e in (*found.said, *found.unsaid)
        if e.answer == NOTHING_OF_THE_KIND
    ]
    lost = [e.norm for e in (*found.norms, *found.rulings) if e.answer == NOTHING_OF_THE_KIND]
    gone += [(Text("without ") + Text(", ".join(lost), NORM),)] if lost else []
    _section(out, "what is asked about is then not there", gone)
    chosen = [norms[each] for each in found.readings]
    rows_ = [
        (Text(e.id, NORM), f"{e.sense}  Or: {e.other_reading}" if e.other_reading else e.sense)
        for e in chosen
    ]
    section(out, "it rests on choices that the text does not make", rows_)
    issues_text(out, found)
    counts = ", ".join(_count(found.tried[group], group) for group in found.tried)
    out.print(Text(f"tried {counts}", DIM))
    if not (found.said or found.unsaid or found.norms or found.rulings):
        out.print("nothing of this gives another answer")


def repair(
    out: Console, position: Position, question: str, seconds: float | None, found: Repaired
) -> None:
    """What gives the wanted answer: first what was not tried, then each change."""
    out.print(Text.assemble(f"{question}: ", (found.short, "bold"), f", wanted {found.wanted}"))
    if found.already:
        out.print("it is so as it stands")
        return
    _left(out, {"lines": found.lines_left, "pairs": found.pairs_left}, seconds)
    tried = {"lines": found.lines, "pairs": found.pairs}
    counts = " and ".join(_count(count, what) for what, count in tried.items() if count)
    if found.repairs:
        several = len(found.repairs[0].lines) > 1
        title = "two lines together give it" if several else "one line gives it"
        rows: list[Row] = [(" ".join(map(typed, each.lines)), each.short) for each in found.repairs]
        _section(out, title, rows)
    else:
        out.print(f"none among {counts or 'no lines'}")
        out.print(Text(f"of these kinds: {', '.join(found.allowed)}; --allow names others", DIM))
    issues_text(out, found)


def typed(candidate: ChangeCandidate) -> str:
    """A change as one types it on the command line."""
    mark = "'" if '"' in candidate.line else '"'
    return f"{candidate.option} {mark}{candidate.line}{mark}"


def _section(out: Console, title: str, rows: Sequence[Row]) -> None:
    section(out, title, rows[:_MOST])
    if len(rows) > _MOST:
        out.print(Text(f"  and {len(rows) - _MOST} more; --json has all", DIM))


def _left(out: Console, left: Mapping[str, int], seconds: float | None) -> None:
    """What was not tried."""
    counts = [_count(count, what) for what, count in left.items() if count]
    if counts:
        within = "" if seconds is None else f" within {seconds:g} s"
        out.print(Text(f"not tried{within}: {', '.join(counts)}; --time gives more", DOUBT))


def _count(count: int, what: str) -> str:
    return f"{count:,} {_TOLD[what][count != 1]}"


def _answered(turned: Iterable[DecisiveLine]) -> list[DecisiveLine]:
    return [each for each in turned if each.answer != NOTHING_OF_THE_KIND]


def _told(position: Position, ruled: Iterable[DecisiveNorm]) -> list[DecisiveNorm]:
    """Those under which there is an answer, printed norms before assumed ones."""
    norms = position.program.norms
    there = (each for each in ruled if each.answer != NOTHING_OF_THE_KIND)
    return sorted(there, key=lambda each: norms[each.norm].assumed)
