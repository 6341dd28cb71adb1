"""All answers as text for the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text

from rules_asp.explain.proof import Defeat
from rules_asp.explain.wording import band_text
from rules_asp.game.grid import Location, Spot, Vertex, hex_of_spot, term_sort_key
from rules_asp.game.map_layout import names_of
from rules_asp.game.query import Query, location_sort_key
from rules_asp.game.values import level_text, quarters_text, to_board_text
from rules_asp.output.answer_json import blockers_in_order, pixels
from rules_asp.output.console import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    NORM,
    Row,
    citations_text,
    defeats_text,
    enumeration,
    issues_text,
    needed,
    noted,
    part_name,
    related_text,
    rules_text,
    section,
    shows_all,
    table,
    unknown,
    verdict,
    verdict_text,
)
from rules_asp.output.turn_text import firers as firers
from rules_asp.output.turn_text import targets as targets
from rules_asp.positions.answer import NOTHING_OF_THE_KIND, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from rich.console import Console

    from rules_asp.explain.unknown import Reason
    from rules_asp.game.board import Shot
    from rules_asp.positions.position import Position
    from rules_asp.queries.ask import Asked
    from rules_asp.queries.deeds import DeedVerdict
    from rules_asp.queries.fire import Drm, DrmPart, Fire
    from rules_asp.queries.legality import Can
    from rules_asp.queries.los import Los
    from rules_asp.queries.los_matrix import Viewshed
    from rules_asp.queries.movement import Moves
    from rules_asp.queries.paths import MoveStep, ReachedLocation
    from rules_asp.queries.rolls import Rolled
    from rules_asp.queries.rout import Rout
    from rules_asp.whatif.candidates import ChangeCandidate
    from rules_asp.whatif.repair import Repaired
    from rules_asp.whatif.sensitivity import DecisiveNorm, Hanging

# --- Answers for people: plain lines, tables and trees, in colour where the terminal has it.


#: So many are told, of each reason, of which it is not known whether they make a question hold.
_PERHAPS = 6
#: So many of the norms that could make something so are named.
_MAX_CANDIDATES = 6


def los(out: Console, position: Position, answer: Los) -> None:
    """A line of sight: the verdict, where, by which norms; what hinders, was beaten, was close."""
    ends = (to_board_text(end, "location") for end in (answer.a, answer.b))
    out.print(Text(f"LOS from {' to '.join(ends)}: ") + _los(answer))
    levels = (
        "an unknown level" if end is None else f"level {level_text(end)}"
        for end in (answer.level_a, answer.level_b)
    )
    hexes = f"{answer.range} hex{'es' * (answer.range != 1)}"
    out.print(f"Range {hexes}, from {' to '.join(levels)}")
    for end in answer.unseen_from:
        other = answer.b if end == answer.a else answer.a
        one, two = (to_board_text(each, "location") for each in (end, other))
        out.print(
            f"From {one}, {two} is not seen: with SMOKE or night at {one}, the Hindrance is 6 or more"
        )
    if answer.lv and answer.clear:
        out.print(f"LV Hindrance +{answer.lv} counts besides")
    blockers = ((each.place, each.norm) for each in blockers_in_order(answer))
    rules_text(out, position, "Blocked by", blockers)
    hindrances = ((f"{each.place} +{each.amount}", each.norm) for each in answer.hindrances)
    rules_text(out, position, "Hindrance", hindrances)
    defeats_text(out, position, (Defeat(e.norm, e.by, e.place or "(") for e in answer.beaten))
    section(
        out,
        "Close calls",
        [
            (
                f"{pixels(each.margin)} pixels ({each.margin + 0.0:.1f} units)",
                Text(f"if {each.what}: ") + verdict(each.clear, each.hindrance),
            )
            for each in sorted(answer.close, key=lambda each: each.margin)
        ],
    )
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _los(answer: Los) -> Text:
    """The verdict, with each place that blocks the line."""
    found = verdict(answer.clear, answer.hindrance)
    if answer.clear and not answer.hindrance:
        return found + ", no Hindrance"
    places = list(dict.fromkeys(each.place for each in blockers_in_order(answer)))
    return found + (f" at {enumeration(places)}" if places else "")


def tem(out: Console, position: Position, answer: Drm) -> None:
    """The TEM of a shot, and what it is made of."""
    shot = answer.shot
    kind = _kind_of_shot(shot)
    out.print(
        Text(f"TEM for {_place(shot.target)} against {kind} from {_place(shot.firer)}: ")
        + _amount(answer.value)
    )
    _parts(out, position, answer.parts)
    defeats_text(out, position, answer.beaten)
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    section(out, "The DRM of the shot are unknown because", [(str(w),) for w in answer.without])
    issues_text(out, answer)


def fire(out: Console, position: Position, answer: Fire) -> None:
    """A shot: its line of sight, every DRM with its norm, the sum."""
    kind = _kind_of_shot(answer.drm.shot)
    ends = f"from {_place(answer.drm.shot.firer)} at {_place(answer.drm.shot.target)}"
    sight = answer.sight
    los_text = Text()
    if sight is not None:
        los_text = Text("LOS ") + (verdict(sight.clear, 0) if sight.clear else _los(sight))
    if sight is not None and sight.clear is False:
        out.print(Text.assemble("No ", (kind, "bold"), f" {ends}: ") + los_text)
        blockers = ((each.place, each.norm) for each in blockers_in_order(sight))
        rules_text(out, position, "Blocked by", blockers)
    elif answer.legal is False:
        out.print(Text(f"{kind.capitalize()} {ends}: ") + Text("not allowed", f"bold {BAD}"))
    else:
        _total(out, f"{kind.capitalize()} {ends}: ", answer.drm, los_text)
    rules_text(out, position, "Not allowed by", (("", norm) for norm in answer.norms))
    if answer.legal is False and not (sight is not None and sight.clear is False):
        _total(out, "If it were allowed: ", answer.drm, los_text)
    _parts(out, position, answer.drm.parts)
    related_text(out, position, answer.besides)
    defeats_text(out, position, answer.beaten, {*answer.norms, *answer.cites.norms})
    reasons = (*answer.unknown, *answer.drm.unknown)
    reasons += tuple(why for each in answer.besides for why in each.unknown)
    unknown(out, tuple(dict.fromkeys(reasons)))
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _total(out: Console, begin: str, drm: Drm, los_text: Text) -> None:
    doing = "" if drm.shot.doing == "still" else f", target {_plain(drm.shot.doing)}"
    total = Text(f"{begin}DRM ") + _amount(drm.value) + doing
    out.print(total + ", " + los_text if los_text else total)


def _kind_of_shot(shot: Shot) -> str:
    return "fire" if shot.how == "direct" else f"{_plain(shot.how)} fire"


def _place(location: Location) -> str:
    return to_board_text(location, "location")


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _amount(value: int | None) -> Text:
    if value is None:
        return Text("unknown", f"bold {DOUBT}")
    return Text(f"{value:+d}" if value else "0", "bold")


def _parts(out: Console, position: Position, parts: Iterable[DrmPart]) -> None:
    norms = position.program.norms
    rows = [
        (
            f"{each.amount:+d}",
            part_name(position, "drm_part", each.what),
            Text(each.norm, NORM),
            norms[each.norm].sense,
        )
        for each in parts
    ]
    table(out, rows, indent=2)


def roll(out: Console, position: Position, answer: Rolled) -> None:
    """A die roll: what is added, by which norm; what each result needs and how likely it is."""
    if answer.dice is None:
        if answer.word is Verdict.NOT_SO:
            out.print(f"{answer.sentence}: no rule calls for this roll here")
        else:
            out.print(Text(f"{answer.sentence}: ") + verdict_text(answer.word))
        unknown(out, answer.unknown)
        return
    throws = answer.throws
    what = "two dice (colored and white)" if answer.dice == "two_dice" else "one die"
    shown = (f"{'DR' if die == 'sum' else die} {number}" for die, number in answer.given)
    totals = (
        ("DRM " if each.die == "sum" else f"drm to the {each.die} die ") + str(_amount(each.value))
        for each in answer.modifiers
    )
    out.print(", ".join((f"{answer.sentence}: {what}", *shown, *totals)))
    for each in answer.modifiers:
        _parts(out, position, each.parts)
    rows: list[Row] = [
        (
            Text(_plain(each.name), "bold"),
            band_text(each.die, each.reading, each.low, each.high),
            _odds(each.chance, throws),
            Text(each.norm, NORM),
        )
        for each in answer.results
    ]
    if rows:
        table(out, rows, ("Result", "Needs", "Chance", "Rule"), indent=2)
    if answer.together:
        chances = (
            f"{_plain(' and '.join(names)) or 'no effect'} {_odds(chance, throws)}"
            for names, chance in answer.together
        )
        out.print(f"Together: {', '.join(chances)}")
    defeats_text(out, position, answer.beaten)
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _odds(chance: Fraction | None, throws: int) -> str:
    return "?" if chance is None else f"{chance * throws}/{throws}"


def ask(
    out: Console,
    position: Position,
    query: Query,
    asked: Asked,
    proved: bool = False,
) -> None:
    """An answer in a word, or a table of the ways in which the question holds; what is so instead.

    If it is `proved`, the root of the proof shows what alone holds.
    """
    kinds = query.variables
    if asked.holds and kinds and len(asked.found) == 1:
        if not proved:
            filled = _filled(str(query), dict(asked.found[0].values))
            out.print(Text(filled, "bold"), soft_wrap=True)
    elif asked.holds and kinds:
        table(out, [tuple(value for _, value in way.values) for way in asked.found], list(kinds))
    else:
        word(out, position, asked)
    not_allowed(out, position, asked)
    _perhaps(out, asked)
    defeats_text(out, position, asked.beaten)
    unknown(out, asked.unknown)
    citations_text(out, position, asked.cites)
    issues_text(out, asked)


def _filled(question: str, values: Mapping[str, str]) -> str:
    """A question with values in place of its variables; quoted text stays."""
    parts = question.split('"')
    parts[::2] = (re.sub(r"\w+", lambda word: values.get(word[0], word[0]), p) for p in parts[::2])
    return '"'.join(parts)


def word(out: Console, position: Position, asked: Asked) -> None:
    """The word for an answer; who forbids it, what is so instead, or who could make it so."""
    said = verdict_text(asked.word)
    makes_it_so = asked.values or asked.word is not Verdict.NOT_SO or asked.cites
    if asked.values and asked.word is Verdict.NOT_SO:
        said += f": it is {', '.join(asked.values)}"
    elif not makes_it_so:
        said += ": nothing on this board makes it so"
    out.print(said)
    rules_text(out, position, "Not allowed by", (("", norm) for norm in asked.forbidding))
    some, more = asked.could[:_MAX_CANDIDATES], len(asked.could) - _MAX_CANDIDATES
    if some and not makes_it_so:
        rest = f" and {more} more" if more > 0 else ""
        out.print(Text.assemble("Rules that could: ", (", ".join(some), NORM), rest))


def _perhaps(out: Console, asked: Asked) -> None:
    """What may be found as well, by the reasons why it is not known."""
    by_reasons: dict[str, list[str]] = {}
    for about, reasons in asked.perhaps:
        by_reasons.setdefault("; ".join(map(str, reasons)), []).append(about)
    rows = []
    for why, several in by_reasons.items():
        more = len(several) - _PERHAPS
        rest = f" and {more} more" if more > 0 else ""
        rows.append((why, ", ".join(several[:_PERHAPS]) + rest))
    section(out, "Possibly", rows)


def not_allowed(out: Console, position: Position, asked: Asked) -> None:
    """What has a price, and is forbidden."""
    found = ((each.sentence, norm) for each in asked.not_allowed for norm in each.norms)
    rules_text(out, position, "Not allowed", found)


# --- Answers about many places at once for people: each hex with its levels, in few lines.


def sees(out: Console, position: Position, answer: Viewshed) -> None:
    """What is seen, by its Hindrance; what is hidden, by what hides it, the nearest first."""
    clear: dict[int, list[Location]] = {}
    hidden: dict[tuple[str, str], list[Location]] = {}
    open_: dict[tuple[Reason, ...], list[Location]] = {}
    for to, each in answer.sights:
        if each.clear:
            clear.setdefault(each.hindrance, []).append(to)
        elif each.clear is None:
            open_.setdefault(each.why, []).append(to)
        else:
            hidden.setdefault((each.place, each.norm), []).append(to)
    seen = sum(map(len, clear.values()))
    out.print(
        Text(f"{to_board_text(answer.eye, 'location')} at level {level_text(answer.level)} sees ")
        + Text(str(seen), f"bold {GOOD}")
        + f" of {len(answer.sights)} Locations"
    )
    for amount, places in sorted(clear.items()):
        section(out, f"Hindrance +{amount}" if amount else "Clear", [(hexes(places),)])
    norms = position.program.norms

    def order(group: tuple[str, str]) -> tuple[int, str, str]:
        return _range(answer.eye, group[0]), *group

    section(
        out,
        "Hidden",
        [
            (f"at {place}", Text(norm, NORM), hexes(hidden[place, norm]))
            for place, norm in sorted(hidden, key=order)
        ],
    )
    used = sorted({norm for _, norm in hidden}, key=list(norms).index)
    rules_text(out, position, "Hidden by", (("", norm) for norm in used))
    section(
        out,
        "Unknown",
        [("; ".join(map(str, why)), hexes(places)) for why, places in open_.items()],
    )
    needed(out, dict.fromkeys(each for why in open_ for each in why))
    issues_text(out, answer)
    section(
        out,
        "The import is in doubt about the LOS to",
        [(at, hexes(to)) for at, to in answer.doubtful],
    )
    noted(out, position.program.notes, position.program.paragraphs(used))


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
        here = hex_of_spot(eye.spot)
        return here.range_to(names_of(here).find(place.partition("-")[0])[0])
    except ValueError:
        return 0


# --- Where units go, for people: ways and what they cost, single steps, whether a deed is legal.


#: So many places are shown that are unknown for one reason.
_MOST_PLACES = 12
#: Ways of single steps that the place which they lead to does not tell.
_STEP_TEXTS = {"road": " by road", "drive_ovr": " by overrunning"}
#: All of them, for a step that stands alone.
_SPOKEN = {
    **_STEP_TEXTS,
    "enter": " by entering",
    "stairs": " by stairs",
    "drive": " by driving",
    "bypass": " in Bypass",
    "vbm": " in VBM",
}


def moves(out: Console, position: Position, answer: Moves, paths: bool = False) -> None:
    """Where units can go: the Locations by cost; with `paths` each with its path and its sources.

    A console that shows all has also each forbidden step and each vertex that units pass.
    """
    _headed(out, position, answer)
    everything = shows_all(out)
    paths = paths or everything
    shown = (*answer.reach, *answer.passed) if everything else answer.reach
    if paths and shown:
        turns = ["turn"] if answer.turns > 1 else []
        rows: list[Row] = [
            (
                _place(each.to),
                *([str(each.turn)] if turns else []),
                amount(each),
                _way(each),
                Text(", ".join(each.rests_on.cites), NORM),
            )
            for each in shown
        ]
        table(out, rows, ["to", *turns, answer.paid_in.upper(), "path", "rules"], indent=2)
    elif shown:
        table(out, _by_cost(answer, shown), indent=2)
    if paths:
        rows = [(_place(each.to), amount(each), _way(each)) for each in answer.perhaps]
        section(out, "Possibly", rows)
    else:
        section(out, "Possibly", _by_cost(answer, answer.perhaps))
    if not paths and any(map(_bypasses, (*shown, *answer.perhaps))):
        out.print("* through Bypass")
    _doubts(out, position, answer)
    _forbidden(out, position, answer)
    if not paths:
        norms = (norm for each in shown for norm in each.rests_on.cites.norms)
        citations_text(out, position, position.program.paragraphs(dict.fromkeys(norms)))
        if shown:
            out.print(Text("--paths shows each path, --all also every forbidden step", DIM))
    issues_text(out, answer)


def rout(out: Console, position: Position, answer: Rout, paths: bool = False) -> None:
    """A rout: the obligation, the destinations as `moves` shows them, and the Interdiction."""
    style = {True: GOOD, False: BAD, None: DOUBT}[answer.must]
    must = {True: "must rout", False: "need not rout", None: "perhaps must rout"}[answer.must]
    out.print(Text.assemble(f"{answer.unit} ", (must, f"bold {style}")))
    unknown(out, answer.unknown)
    moves(out, position, answer.moves, paths)
    groups: dict[str, dict[Location, None]] = {}
    doubts: dict[Reason, None] = {}
    for each in answer.interdictions:
        by = [*each.by, *(f"perhaps {unit}" for unit in each.perhaps)]
        groups.setdefault(f"by {', '.join(by)}", {})[each.step.to] = None
        doubts |= dict.fromkeys(each.unknown)
    section(out, "Interdiction on entering", [(by, hexes(to)) for by, to in groups.items()])
    section(out, "Whether a unit can Interdict is unknown because", [(str(w),) for w in doubts])
    if answer.interdictions:
        citations_text(out, position, answer.cites)


def _by_cost(answer: Moves, shown: Iterable[ReachedLocation]) -> list[Row]:
    """The Locations that cost the same, in one row; a path through Bypass has a mark."""
    groups: dict[str, list[ReachedLocation]] = {}
    for each in shown:
        turn = f"turn {each.turn}: " if answer.turns > 1 else ""
        cost = amount(each)
        price = "" if cost == "?" else f" {answer.paid_in.upper()}"
        groups.setdefault(f"{turn}{cost}{price}", []).append(each)
    return [
        (
            cost,
            "  ".join(
                _place(each.to) + "*" * _bypasses(each)
                for each in sorted(several, key=lambda each: location_sort_key(each.to))
            ),
        )
        for cost, several in groups.items()
    ]


def _bypasses(each: ReachedLocation) -> bool:
    return any(isinstance(step.to.spot, Vertex) for step in each.path[:-1])


def _headed(out: Console, position: Position, answer: Moves) -> None:
    price, phrases = answer.paid_in.upper(), position.vocabulary.phrases
    bonuses = "".join(
        f"; {quarters_text((answer.pace or 0) + more)} {price} {phrases['course', course]}"
        for course, more in answer.bonuses.items()
        if answer.pace is not None
    )
    spend = "" if answer.pace is None else f" ({quarters_text(answer.pace)} {price}{bonuses})"
    turns = f" in {answer.turns} turns on the board as it is" if answer.turns > 1 else ""
    names, start = enumeration(answer.units), _place(answer.start)
    if answer.reach:
        count = f"{len(answer.reach)} Location{'s' * (len(answer.reach) != 1)}"
        out.print(f"{names} can reach {count} from {start}{turns}{spend}")
    elif answer.reasons or answer.perhaps:
        out.print(f"Where {names} can go from {start}{turns} is unknown{spend}", style=DOUBT)
    else:
        out.print(f"{names} can go nowhere from {start}{turns}{spend}")


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

    def some(places: Iterable[Location]) -> str:
        every = list(dict.fromkeys(places))
        most = len(every) if shows_all(out) else _MOST_PLACES
        more = f" and {len(every) - most} more" if len(every) > most else ""
        return f"{hexes(every[:most])}{more}"

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
        "Unknown because",
        [
            *((str(why),) for why in answer.besides if answer.reach or answer.perhaps),
            *((f"how far: {why}",) for why in answer.reasons),
            *((f"{some(to)}: {'; '.join(map(str, why))}",) for why, to in places.items()),
        ],
    )
    needed(out, dict.fromkeys((*answer.reasons, *(one for why in places for one in why))))


def _forbidden(out: Console, position: Position, answer: Moves) -> None:
    if shows_all(out):
        found = (
            (f"{_place(each.start)} to {_alone(each)}", norm)
            for each in answer.forbidden
            for norm in each.norms
        )
        rules_text(out, position, "Forbidden steps", found)
        return
    here = (each for each in answer.forbidden if each.start == answer.start)
    found = ((_in_short(each), norm) for each in here for norm in each.norms)
    rules_text(out, position, f"Forbidden from {_place(answer.start)}", found)


def _step(step: MoveStep) -> str:
    """Where a step leads, with the way where the place does not tell it: a vertex means Bypass."""
    way, _, where = step.way.partition("(")
    how = f" {way} {where.rstrip(')')}" if way == "around" else _STEP_TEXTS.get(way, "")
    return f"{to_board_text(step.to, 'location')}{how}"


def _alone(step: MoveStep) -> str:
    """A step by itself, with its way."""
    way = step.way.partition("(")[0]
    return f"{to_board_text(step.to, 'location')}{_SPOKEN[way]}" if way in _SPOKEN else _step(step)


def _in_short(step: MoveStep) -> str:
    """A step by itself without the vertex at which it ends or that it goes around."""
    way = step.way.partition("(")[0]
    if way != "around" and not isinstance(step.to.spot, Vertex):
        return _alone(step)
    place = _place(Location(hex_of_spot(step.to.spot), step.to.floor))
    return f"{place}{_SPOKEN.get(way, f' {_plain(way)}')}"


def reach(out: Console, position: Position, answer: Moves) -> None:
    """Where units can go: a row for each hex or vertex, a column for each level, the MF in it."""
    _headed(out, position, answer)
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
    _doubts(out, position, answer)
    citations_text(out, position, position.program.paragraphs(answer.norms))
    issues_text(out, answer)


def can(out: Console, position: Position, answer: Can) -> None:
    """Whether a deed is legal, with the norms of every way in which it comes into question."""
    out.print(verdict_text(answer.word) + _how(answer))
    if answer.there is not None:
        unknown(out, answer.there.unknown if answer.legal else ())
    rules_text(out, position, "Not allowed by", (("", norm) for norm in answer.last))
    if len(answer.ways) > 1:
        rows: list[Row] = [
            (each.sentence, verdict_text(each.word) + cost(each)) for each in answer.ways
        ]
        table(out, rows, indent=2)
    forbidding = [each for each in answer.ways if each.legal is False]
    rules_text(out, position, "Not allowed by", _rules(forbidding))
    others = [each for each in answer.ways if each.legal is not False]
    rules_text(out, position, "Because", _rules(others))
    doubts = dict.fromkeys(why for each in answer.ways for why in each.unknown)
    unknown(out, (*answer.unknown, *doubts))
    shown = {norm for each in answer.ways for norm in (*each.norms, *each.priced)}
    related_text(out, position, answer.besides)
    defeats_text(out, position, answer.beaten, shown)
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _how(answer: Can) -> str:
    """The rest of the first line: the action with its cost, or why there is none."""
    if answer.there is not None:
        steps = len(answer.there.path)
        turn = f", in turn {answer.there.turn}" if answer.there.turn > 1 else ""
        possibly = "" if answer.legal else ", possibly"
        paid = amount(answer.there)
        price = "" if paid == "?" else f" for {paid} {answer.paid_in.upper()}"
        return f"{possibly} in {steps} step{'s' * (steps != 1)}{price}: {_way(answer.there)}{turn}"
    same = [each for each in answer.ways if each.legal is answer.legal]
    if same:
        least = min(same, key=lambda each: (each.cost is None, each.cost or 0))
        return f": {least.sentence}{cost(least)}"
    if answer.word is Verdict.NOT_SO:
        return ": no path leads there" if answer.cites else ": no rule allows this here"
    return ""


def cost(each: DeedVerdict) -> str:
    """What a deed costs, to follow its sentence; nothing if it has no cost."""
    return "" if each.cost is None else f", {quarters_text(each.cost)} {each.paid_in.upper()}"


def _rules(ways: Sequence[DeedVerdict]) -> Iterator[tuple[str, str]]:
    """The rules on these ways."""
    for each in ways:
        for norm in dict.fromkeys((*each.norms, *each.priced)):
            yield "", norm


# --- What an answer hangs on, and what would change it, for people: lines as one types them.


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
        ("Removing one of these lines changes the answer", found.said),
        ("Adding one of these lines changes the answer", found.unsaid),
    ):
        told = (each for each in turned if each.answer != NOTHING_OF_THE_KIND)
        _section(out, title, [(each.answer, typed(each.candidate)) for each in told])
    for title, ruled in (
        ("Without this rule the answer changes", found.norms),
        ("Without this ruling the answer changes", found.rulings),
    ):
        rows = ((e.answer, Text(e.norm, NORM), norms[e.norm].sense) for e in _told(position, ruled))
        _section(out, title, list(rows))
    gone: list[Row] = [
        (typed(e.candidate),)
        for e in (*found.said, *found.unsaid)
        if e.answer == NOTHING_OF_THE_KIND
    ]
    lost = [e.norm for e in (*found.norms, *found.rulings) if e.answer == NOTHING_OF_THE_KIND]
    gone += [(Text("without ") + Text(", ".join(lost), NORM),)] if lost else []
    _section(out, "Without these lines the question has no object", gone)
    chosen = [norms[each] for each in found.readings]
    rows_ = [
        (Text(e.id, NORM), f"{e.sense}  Or: {e.other_reading}" if e.other_reading else e.sense)
        for e in chosen
    ]
    section(out, "It depends on these interpretations", rows_)
    issues_text(out, found)
    counts = ", ".join(_count(found.tried[group], group) for group in found.tried)
    out.print(Text(f"Tried: {counts}", DIM))
    if not (found.said or found.unsaid or found.norms or found.rulings):
        out.print("None of these changes the answer")


def repair(
    out: Console, position: Position, question: str, seconds: float | None, found: Repaired
) -> None:
    """What gives the wanted answer: first what was not tried, then each change."""
    out.print(Text.assemble(f"{question}: ", (found.short, "bold")))
    if found.already:
        out.print(f"The answer is {found.wanted} already")
        return
    _left(out, {"lines": found.lines_left, "pairs": found.pairs_left}, seconds)
    tried = {"lines": found.lines, "pairs": found.pairs}
    counts = " and ".join(_count(count, what) for what, count in tried.items() if count)
    if found.repairs:
        several = len(found.repairs[0].lines) > 1
        change = "change two lines" if several else "change one line"
        title = f"For the answer {found.wanted}, {change}"
        rows: list[Row] = [(" ".join(map(typed, each.lines)), each.short) for each in found.repairs]
        _section(out, title, rows)
    else:
        out.print(f"No change for the answer {found.wanted} among {counts or 'no lines'}")
        kinds = ", ".join(found.allowed)
        out.print(Text(f"Kinds of lines tried: {kinds}. --allow selects others.", DIM))
    issues_text(out, found)


def typed(candidate: ChangeCandidate) -> str:
    """A change as one types it on the command line."""
    mark = "'" if '"' in candidate.line else '"'
    return f"{candidate.option} {mark}{candidate.line}{mark}"


def _section(out: Console, title: str, rows: Sequence[Row]) -> None:
    section(out, title, rows[:_MOST])
    if len(rows) > _MOST:
        out.print(Text(f"  {len(rows) - _MOST} more: --json lists all", DIM))


def _left(out: Console, left: Mapping[str, int], seconds: float | None) -> None:
    """What was not tried."""
    counts = [_count(count, what) for what, count in left.items() if count]
    if counts:
        within = "" if seconds is None else f" within {seconds:g} s"
        out.print(Text(f"Not tried{within}: {', '.join(counts)}. Raise --time.", DOUBT))


def _count(count: int, what: str) -> str:
    """So many of what is tried."""
    from rules_asp.whatif.sensitivity import NORMS, RULINGS, SAID, UNSAID

    texts = {
        SAID: ("line removed", "lines removed"),
        NORMS: ("rule", "rules"),
        RULINGS: ("ruling", "rulings"),
        UNSAID: ("line added", "lines added"),
        "lines": ("line", "lines"),
        "pairs": ("pair of lines", "pairs of lines"),
    }
    return f"{count:,} {texts[what][count != 1]}"


def _told(position: Position, ruled: Iterable[DecisiveNorm]) -> list[DecisiveNorm]:
    """Those under which there is an answer, printed norms before assumed ones."""
    norms = position.program.norms
    there = (each for each in ruled if each.answer != NOTHING_OF_THE_KIND)
    return sorted(there, key=lambda each: norms[each.norm].assumed)
