"""Answers about many places at once for people: each hex with its levels, in few lines."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from rules_asp.answers.movement import Moves
from rules_asp.answers.unknowns import Reason
from rules_asp.answers.viewsheds import Viewshed
from rules_asp.positions.prepared import Position
from rules_asp.telling.layout import (
    DOUBT,
    GOOD,
    NORM,
    Row,
    beside,
    needed,
    rests_on,
    section,
    table,
    unknown,
)
from rules_asp.terms.arguments import said
from rules_asp.terms.grid import Location, Spot, spot_hex, term_order
from rules_asp.terms.maps import hex_named
from rules_asp.terms.names import level, quarters
from rules_asp.terms.query import location_order


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
        Text(f"{said(answer.eye, 'location')} at level {level(answer.level)} sees ")
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
    beside(out, answer)
    section(out, "so in doubt is the sight to", [(at, hexes(to)) for at, to in answer.doubtful])


def hexes(places: Iterable[Location]) -> str:
    """Locations in few letters, hex by hex: `C3 C4/0,1,roof D2/1`."""
    by_spot: dict[str, list[int | str]] = {}
    for place in sorted(places, key=location_order):
        by_spot.setdefault(said(Location(place.spot), "location"), []).append(place.floor)
    return " ".join(
        spot if floors == [0] else f"{spot}/{','.join(map(str, floors))}"
        for spot, floors in by_spot.items()
    )


def _range(eye: Location, place: str) -> int:
    """How far a place is that hides something: a hex, or a hexside by its first hex."""
    try:
        return spot_hex(eye.spot).range_to(hex_named(place.partition("-")[0]))
    except ValueError:
        return 0


def reach(out: Console, position: Position, answer: Moves) -> None:
    """Where units can go: a row for each hex or vertex, a column for each level, the MF in it."""
    names = " and ".join(answer.units)
    spend = "" if answer.pace is None else f", {quarters(answer.pace)} MF"
    out.print(f"{names} from {said(answer.start, 'location')}{spend}:")
    by_spot: dict[Spot, dict[int | str, str]] = {}
    for each in answer.reach:
        amount = "?" if each.mf is None else quarters(each.mf)
        by_spot.setdefault(each.to.spot, {})[each.to.floor] = amount
    floors = sorted(
        {floor for row in by_spot.values() for floor in row},
        key=lambda floor: location_order(Location(answer.start.spot, floor)),
    )
    rows: list[Row] = [
        (said(spot, "spot"), *(by_spot[spot].get(floor, "") for floor in floors), "")
        for spot in sorted(by_spot, key=term_order)
    ]
    if rows:
        table(out, rows, ["hex", *map(str, floors), ""], indent=2)
    else:
        out.print("  not known" if answer.reasons else "  nowhere", style=DOUBT)
    unknown(out, answer.reasons)
    rests_on(out, position, position.program.paragraphs(answer.norms))
    beside(out, answer)
