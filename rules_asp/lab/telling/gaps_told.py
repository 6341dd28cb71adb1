"""Questions without an answer, for people: by what is missing, each below the board that raises it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from rules_asp.lab.questions.unanswered import Gap
from rules_asp.lab.searching.goal_words import kind_text

#: So many reasons of a group of gaps are said.
_SAID = 4


def indented(text: str) -> Text:
    """A board below what it shows, each line as it is written down, so that it can be copied."""
    lines = text.removesuffix("\n").split("\n")
    return Text("\n".join(f"    {each}" for each in lines), no_wrap=True, overflow="ignore")


def gaps(out: Console, found: Iterable[Gap]) -> None:
    """Gaps by what is missing.

    Those of which no norm speaks stand below their boards, with what is asked; of what norms leave
    open there is the smallest board for each kind of reason.
    """
    kinds: dict[str, list[Gap]] = {}
    for each in found:
        kinds.setdefault(each.why.name if each.why else "", []).append(each)
    for number, alike in enumerate(sorted(kinds.values(), key=len, reverse=True)):
        if number:
            out.print()
        whys = list(dict.fromkeys(str(each.why) for each in alike if each.why))
        more = [f"and {len(whys) - _SAID} more alike"] if len(whys) > _SAID else []
        missing = "; ".join((*whys[:_SAID], *more)) or "no norm speaks of it"
        out.print(Text(missing, "bold") + Text(f" ({len(alike)})", "dim"))
        if whys:
            _left_open(out, alike)
        else:
            _by_board(out, alike)


def _left_open(out: Console, alike: list[Gap]) -> None:
    for topic in dict.fromkeys(each.topic for each in alike):
        by = dict.fromkeys(each.norm for each in alike if each.topic == topic and each.norm)
        out.print(Text(f"  {kind_text(topic)}  ") + Text(", ".join(by), "cyan"))
    shown = [each.shown for each in alike if each.shown is not None]
    if shown:
        out.print(indented(min(shown, key=lambda each: each.size).witness.text))


def _by_board(out: Console, alike: list[Gap]) -> None:
    boards: dict[str, list[Gap]] = {}
    for each in alike:
        boards.setdefault(each.shown.witness.plain if each.shown else "", []).append(each)
    for board, here in sorted(boards.items(), key=lambda pair: (not pair[0], len(pair[0]), pair)):
        out.print(indented(board) if board else Text("  none in time"))
        for each in here:
            asked = f"  {each.shown.witness.query}" if each.shown else ""
            out.print(Text(f"  {kind_text(each.topic)}") + Text(asked, "dim"))
