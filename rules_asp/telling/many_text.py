"""Answers about many places at once for people: each hex with its levels, in few lines."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from rules_asp.answers.unknowns import Reason
from rules_asp.answers.viewsheds import Viewshed
from rules_asp.positions.prepared import Position
from rules_asp.telling.layout import (
    GOOD,
    NORM,
    issues_text,
    needed,
    noted,
    section,
)
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.grid import Location, hex_of_spot
from rules_asp.terms.maps import parse_hex_name
from rules_asp.terms.names import level_text
from rules_asp.terms.query import location_sort_key


def sees(out: Console, position: Position, answer: Viewshed) -> None:
    """What is seen, by its Hindrance; what is hidden, by what hides it, the nearest first."""
    clear: dict[int, list[Location]] = {}
    hidden: dict[tuple[str, str], list[Location]] = {}
    open_: dict[tuple[Reason, ...], list[Location]] = {}
    for to, verdict in answer.sights:
        if verdict.clear:
            clear.setdefault(verdict.hindrance, []).append(to)
        elif verdict.clear is None:
            open_.setdefault(verdict.why, []).append(to)
        else:
            hidden.setdefault((verdict.place, verdict.norm), []).append(to)
    seen = sum(map(len, clear.values()))
    out.print(
        Text(f"{to_board_text(answer.eye, 'location')} at level {level_text(answer.level)} sees ")
        + Text(str(seen), f"bold {GOOD}")
        + f" of {len(answer.sights)} Locations"
    )
    for amount, places in sorted(clear.items()):
        section(out, f"Hindrance +{amount}" if amount else "clear", [(hexes(places),)])
    norms = position.program.norms

    def order(group: tuple[str, str]) -> tuple[int, str, str]:
        return _range(answer.eye, group[0]), *group

    section(
        out,
        "hidden",
        [
            (f"at {place}", Text(norm, NORM), hexes(hidden[place, norm]))
            for place, norm in sorted(hidden, key=order)
        ],
    )
    used = sorted({norm for _, norm in hidden}, key=list(norms).index)
    section(out, "by", [(Text(norm, NORM), norms[norm].sense) for norm in used])
    section(
        out,
        "not known",
        [("; ".join(map(str, why)), hexes(places)) for why, places in open_.items()],
    )
    needed(out, dict.fromkeys(each for why in open_ for each in why))
    issues_text(out, answer)
    section(out, "so in doubt is the sight to", [(at, hexes(to)) for at, to in answer.doubtful])
    noted(out, position.program.paragraphs(used))


def hexes(places: Iterable[Location]) -> str:
    """Locations in few letters, hex by hex: `C3 C4/0,1,roof D2/1`."""
    by_spot: dict[str, list[int | str]] = {}
    for place in sorted(places, key=location_sort_key):
        by_spot.setdefault(to_board_text(Location(place.spot), "location"), []).append(place.floor)
    return " ".join(
        spot if floors == [0] else f"{spot}/{','.join(map(str, floors))}"
        for spot, floors in by_spot.items()
    )


def _range(eye: Location, place: str) -> int:
    """How far a place is that hides something: a hex, or a hexside by its first hex."""
    try:
        return hex_of_spot(eye.spot).range_to(parse_hex_name(place.partition("-")[0]))
    except ValueError:
        return 0
