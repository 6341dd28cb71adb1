"""Report of an imported game, as text and as JSON: what became of each of its counters.

Each counter is recognized, ignored, not recognized or beside the boards. Nothing is dropped in silence;
but hidden pieces are no part of a report, not even by their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rules_asp.output.console import section

if TYPE_CHECKING:
    from rich.console import Console

    from rules_asp.saves.importer import ImportedGame

#: Said once of every saved game.
HIDDEN = 'hidden pieces are not looked at; a concealed piece is a "?" of its side'


def show(out: Console, game: ImportedGame, file: str) -> None:
    """The report as text."""
    report = game.report
    counts = (
        (len(report.recognized), "recognized"),
        (len(report.unrecognized), "not recognized"),
        (sum(report.ignored.values()), "ignored"),
        (sum(report.off_board.values()), "beside the boards"),
    )
    told = ", ".join(f"{count} {what}" for count, what in counts)
    out.print(f"counters: {told}: {file}", highlight=False)
    if game.boards:
        out.print(f"boards: {', '.join(game.boards)}", highlight=False)
    steps, taken = game.log
    if steps:
        out.print(f"log: {taken} of {steps} steps", highlight=False)
    section(out, "not recognized, or not to be said", report.unrecognized)
    section(out, "of the map", [(each,) for each in game.told])
    assumed = [*report.assumed, HIDDEN]
    section(out, "taken to be so", [(each,) for each in assumed])
    section(out, "ignored", _counted(report.ignored))
    section(out, "beside the boards", _counted(report.off_board))
    section(out, "recognized", report.recognized)


def record(game: ImportedGame, file: str) -> dict[str, Any]:
    """The report as JSON."""
    report = game.report
    steps, taken = game.log
    return {
        "file": file,
        "boards": list(game.boards),
        "vasl": game.version,
        "extensions": list(game.extensions),
        "values": dict(game.values),
        "log": {"steps": steps, "taken": taken},
        "recognized": _placed(report.recognized),
        "unrecognized": _placed(report.unrecognized),
        "ignored": dict(report.ignored),
        "beside": dict(report.off_board),
        "map": list(game.told),
        "assumed": [*report.assumed, HIDDEN],
    }


def _counted(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(str(count), name) for name, count in counts.items()]


def _placed(found: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"at": place, "counter": name, "as": what} for place, name, what in found]
