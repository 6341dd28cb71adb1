"""Where units go, for people: ways and what they cost, single steps, whether a deed is legal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from rules_asp.answers.allowing import Can
from rules_asp.answers.movement import Moves
from rules_asp.answers.routes import MoveStep, ReachedLocation
from rules_asp.answers.unknowns import Reason
from rules_asp.answers.words import Verdict
from rules_asp.positions.prepared import Position
from rules_asp.telling.layout import (
    DOUBT,
    NORM,
    Row,
    citations_text,
    defeats_text,
    issues_text,
    needed,
    related_text,
    section,
    table,
    unknown,
    verdict_text,
)
from rules_asp.telling.many_text import hexes
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.grid import Location, Spot, term_sort_key
from rules_asp.terms.names import quarters_text
from rules_asp.terms.query import location_sort_key

#: Ways of single steps that the place which they lead to does not tell.
_TOLD = {"road": " by road", "drive_ovr": " by overrunning"}
#: All of them, for a step that stands alone.
_SPOKEN = {
    **_TOLD,
    "enter": " by entering",
    "stairs": " by stairs",
    "drive": " by driving",
    "bypass": " in Bypass",
    "vbm": " in VBM",
}


def moves(out: Console, position: Position, answer: Moves, everything: bool = False) -> None:
    """Where units can go: each Location with the MF, the way and the paragraphs; what is not known."""
    _headed(out, answer)
    turns = ["turn"] if answer.turns > 1 else []
    heads = ["to", *turns, answer.paid_in.upper(), "way", "by"]
    shown = (*answer.reach, *answer.passed) if everything else answer.reach
    rows: list[Row] = [
        (
            to_board_text(each.to, "location"),
            *([str(each.turn)] if turns else []),
            amount(each),
            _way(each),
            Text(", ".join(each.rests_on.cites), NORM),
        )
        for each in shown
    ]
    if rows:
        table(out, rows, heads, indent=2)
    else:
        out.print("  not known" if answer.reasons or answer.perhaps else "  nowhere")
    section(
        out,
        "perhaps",
        [(to_board_text(each.to, "location"), amount(each), _way(each)) for each in answer.perhaps],
    )
    _doubts(out, position, answer)
    _forbidden(out, position, answer, everything)
    issues_text(out, answer)


def _headed(out: Console, answer: Moves) -> None:
    names = " and ".join(answer.units)
    price = answer.paid_in.upper()
    spend = "" if answer.pace is None else f", {quarters_text(answer.pace)} {price}"
    bonuses = "".join(
        f" (+{quarters_text(more)} all {course.replace('_', ' ')})"
        for course, more in answer.bonuses.items()
    )
    turns = f", {answer.turns} turns on the board as it stands" if answer.turns > 1 else ""
    out.print(f"{names} from {to_board_text(answer.start, 'location')}{spend}{bonuses}{turns}:")


def amount(each: ReachedLocation) -> str:
    """What it takes to reach a Location, as far as that is known."""
    if each.mf is not None:
        return quarters_text(each.mf)
    if each.at_most is not None:
        least = "" if each.at_least is None else f"{quarters_text(each.at_least)} to "
        return f"{least or 'at most '}{quarters_text(each.at_most)}"
    return "?" if each.at_least is None else f"at least {quarters_text(each.at_least)}"


def _way(each: ReachedLocation) -> str:
    return " ".join(map(_step, each.path))


def _doubts(out: Console, position: Position, answer: Moves) -> None:
    """Why costs, or whether there is a way, are not known: the Locations by the reason."""
    places: dict[tuple[Reason, ...], list[Location]] = {}
    for each in (*answer.reach, *answer.perhaps):
        why = tuple(why for why in each.unknown if why not in answer.besides)
        if why:
            places.setdefault(why, []).append(each.to)
    told = {each.to for each in answer.perhaps}
    for step in answer.unknown:
        if step.to not in told:
            places.setdefault(step.unknown, []).append(step.to)
    section(
        out,
        "not known",
        [
            *((str(why),) for why in answer.besides if answer.reach or answer.perhaps),
            *((f"how far: {why}",) for why in answer.reasons),
            *(
                (f"{hexes(dict.fromkeys(to))}: {'; '.join(map(str, why))}",)
                for why, to in places.items()
            ),
        ],
    )
    needed(out, dict.fromkeys((*answer.reasons, *(one for why in places for one in why))))


def _forbidden(out: Console, position: Position, answer: Moves, everything: bool) -> None:
    shown = [each for each in answer.forbidden if everything or each.start == answer.start]
    norms = position.program.norms
    section(
        out,
        "forbidden"
        if everything
        else f"forbidden out of {to_board_text(answer.start, 'location')}",
        [
            (
                to_board_text(each.start, "location"),
                _alone(each),
                Text(norm, NORM),
                norms[norm].sense,
            )
            for each in shown
            for norm in each.norms
        ],
    )


def _step(step: MoveStep) -> str:
    """Where a step leads, with the way where the place does not tell it: a vertex means Bypass."""
    way, _, where = step.way.partition("(")
    how = f" {way} {where.rstrip(')')}" if way == "around" else _TOLD.get(way, "")
    return f"{to_board_text(step.to, 'location')}{how}"


def _alone(step: MoveStep) -> str:
    """A step by itself, with its way."""
    way = step.way.partition("(")[0]
    return f"{to_board_text(step.to, 'location')}{_SPOKEN[way]}" if way in _SPOKEN else _step(step)


def reach(out: Console, position: Position, answer: Moves) -> None:
    """Where units can go: a row for each hex or vertex, a column for each level, the MF in it."""
    _headed(out, answer)
    by_spot: dict[Spot, dict[int | str, str]] = {}
    for each in (*answer.reach, *answer.perhaps):
        turn = f"turn {each.turn}: " if answer.turns > 1 else ""
        perhaps = "perhaps, " if each in answer.perhaps else ""
        by_spot.setdefault(each.to.spot, {})[each.to.floor] = turn + perhaps + amount(each)
    floors = sorted(
        {floor for row in by_spot.values() for floor in row},
        key=lambda floor: location_sort_key(Location(answer.start.spot, floor)),
    )
    rows: list[Row] = [
        (to_board_text(spot, "spot"), *(by_spot[spot].get(floor, "") for floor in floors), "")
        for spot in sorted(by_spot, key=term_sort_key)
    ]
    if rows:
        table(out, rows, ["hex", *map(str, floors), ""], indent=2)
    else:
        out.print("  not known" if answer.reasons else "  nowhere", style=DOUBT)
    _doubts(out, position, answer)
    citations_text(out, position, position.program.paragraphs(answer.norms))
    issues_text(out, answer)


def can(out: Console, position: Position, answer: Can) -> None:
    """Whether a deed is legal, with the norms of every way in which it comes into question."""
    out.print(verdict_text(answer.word))
    norms = position.program.norms
    if answer.there is not None:
        cost = amount(answer.there)
        cost = "" if cost == "?" else f", {cost} {answer.paid_in.upper()}"
        turn = f", in turn {answer.there.turn}" if answer.there.turn > 1 else ""
        steps = "one step" if len(answer.there.path) == 1 else "several steps"
        perhaps = "perhaps " if answer.legal is None else ""
        out.print(f"{perhaps}in {steps}: {_way(answer.there)}{cost}{turn}")
        unknown(out, answer.there.unknown if answer.legal else ())
    elif answer.word is Verdict.NOT_SO:
        out.print(
            "no way of several steps leads there"
            if answer.cites
            else "nothing of this kind comes into question here"
        )
    section(out, "forbidden by", [(Text(n, NORM), norms[n].sense) for n in answer.last])
    for each in answer.ways:
        cost = "" if each.cost is None else f", {quarters_text(each.cost)} {each.paid_in.upper()}"
        out.print(Text(f"{each.sentence}: ") + verdict_text(each.word) + cost)
        listed = dict.fromkeys((*each.norms, *each.priced))
        table(out, [(Text(n, NORM), norms[n].sense) for n in listed], indent=2)
        section(out, "  not known", [(str(why),) for why in each.unknown])
    shown = {norm for each in answer.ways for norm in (*each.norms, *each.priced)}
    related_text(out, position, answer.besides)
    defeats_text(out, position, answer.beaten, shown)
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    issues_text(out, answer)
