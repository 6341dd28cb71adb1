"""All answers as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from rules_asp.explain.justification import JustificationNode, Relation, abridge, justification
from rules_asp.explain.proof import Defeat
from rules_asp.explain.unknown import Reason, open_points
from rules_asp.explain.wording import band_text
from rules_asp.game.grid import Location, Spot, hex_of_spot, term_sort_key
from rules_asp.game.house_rules import is_house_rule
from rules_asp.game.map_layout import names_of
from rules_asp.game.query import Query, location_sort_key
from rules_asp.game.values import level_text, quarters_text, to_board_text
from rules_asp.knowledge.catalogue import NO_CITATIONS
from rules_asp.knowledge.rules import Norm
from rules_asp.output.answer_json import blocked_at, blockers_in_order, pixels
from rules_asp.output.console import (
    DIM,
    DOUBT,
    GOOD,
    NORM,
    Row,
    citations_text,
    defeats_text,
    issues_text,
    needed,
    noted,
    open_text,
    related_text,
    section,
    table,
    unknown,
    verdict,
    verdict_text,
)
from rules_asp.positions.answer import NOTHING_OF_THE_KIND, Verdict
from rules_asp.positions.position import Position
from rules_asp.queries.ask import Asked
from rules_asp.queries.fire import Drm, DrmPart, Fire
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los
from rules_asp.queries.los_matrix import Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.paths import MoveStep, ReachedLocation
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.why import Why
from rules_asp.whatif.candidates import ChangeCandidate
from rules_asp.whatif.repair import Repaired
from rules_asp.whatif.sensitivity import (
    NORMS,
    RULINGS,
    SAID,
    UNSAID,
    DecisiveNorm,
    Hanging,
)

# --- Answers for people: plain lines, tables and trees, in colour where the terminal has it.


#: So many are told, of each reason, of which it is not known whether they make a question hold.
_PERHAPS = 6
#: So many of the norms that could make something so are named.
_MAX_CANDIDATES = 6


def los(out: Console, position: Position, answer: Los) -> None:
    """A line of sight: the verdict, where, by which norms; what hinders, was beaten, was close."""
    norms = position.program.norms
    hexes = f"{answer.range} hex{'es' * (answer.range != 1)}"
    out.print(
        Text(f"{to_board_text(answer.a, 'location')} - {to_board_text(answer.b, 'location')}: ")
        + verdict(answer.clear, answer.hindrance)
        + (f" at {blocked_at(answer)}" if answer.blockers else "")
    )
    ends = (
        "not known" if end is None else level_text(end) for end in (answer.level_a, answer.level_b)
    )
    out.print(f"range {hexes}, levels {' and '.join(ends)}")
    section(
        out,
        "blocked at",
        [
            (each.place, Text(each.norm, NORM), norms[each.norm].sense)
            for each in blockers_in_order(answer)
        ],
    )
    section(
        out,
        "Hindrance",
        [
            (each.place, f"+{each.amount}", Text(each.norm, NORM), norms[each.norm].sense)
            for each in answer.hindrances
        ],
    )
    defeats_text(out, position, (Defeat(e.norm, e.by, e.place or "") for e in answer.beaten))
    section(
        out,
        "close",
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


def tem(out: Console, position: Position, answer: Drm) -> None:
    """The TEM of a shot, and what it is made of."""
    out.print(_shot(answer) + _amount("TEM", answer.value))
    _parts(out, position, answer.parts)
    defeats_text(out, position, answer.beaten)
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    section(out, "the DRM of the shot are not known", [(str(why),) for why in answer.without])
    issues_text(out, answer)


def fire(out: Console, position: Position, answer: Fire) -> None:
    """A shot: its line of sight, every DRM with its norm, the sum."""
    out.print(_shot(answer.drm) + _amount("DRM", answer.drm.value))
    sight = answer.sight
    if sight is not None:
        out.print(
            Text("line of sight ")
            + verdict(sight.clear, sight.hindrance)
            + (f" at {blocked_at(sight)}" if sight.blockers else "")
        )
    norms = position.program.norms
    section(out, "forbidden by", [(Text(each, NORM), norms[each].sense) for each in answer.norms])
    _parts(out, position, answer.drm.parts)
    related_text(out, position, answer.besides)
    defeats_text(out, position, answer.beaten)
    reasons = (*answer.unknown, *answer.drm.unknown)
    reasons += tuple(why for each in answer.besides for why in each.unknown)
    unknown(out, tuple(dict.fromkeys(reasons)))
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _shot(answer: Drm) -> Text:
    shot = answer.shot
    how = "" if shot.how == "direct" else f"{shot.how.replace('_', ' ')} "
    doing = "" if shot.doing == "still" else f" {shot.doing.replace('_', ' ')}"
    ends = (
        f"from {to_board_text(shot.firer, 'location')} at {to_board_text(shot.target, 'location')}"
    )
    return Text(f"{how}fire {ends}{doing}: ")


def _amount(what: str, value: int | None) -> Text:
    if value is None:
        return Text(f"{what} unknown", f"bold {DOUBT}")
    return Text(f"{what} {value:+d}", "bold")


def _parts(out: Console, position: Position, parts: Iterable[DrmPart]) -> None:
    norms = position.program.norms
    rows = [
        (f"{each.amount:+d}", each.what, Text(each.norm, NORM), norms[each.norm].sense)
        for each in parts
    ]
    table(out, rows, indent=2)


def roll(out: Console, position: Position, answer: Rolled) -> None:
    """A die roll: what is added, by which norm; what each result needs and how likely it is."""
    if answer.dice is None:
        out.print(Text(f"{answer.sentence}: ") + verdict_text(answer.word))
        if answer.word is Verdict.NOT_SO:
            out.print("nothing on this board calls for this roll")
        unknown(out, answer.unknown)
        return
    throws = answer.throws
    what = "a colored and a white die" if answer.dice == "two_dice" else "one die"
    shown = (f"{'DR' if die == 'sum' else die} {number}" for die, number in answer.given)
    out.print(", ".join((f"{answer.sentence}: {what}", *shown)))
    for each in answer.modifiers:
        die = "" if each.die == "sum" else f" to the {each.die} die"
        total = "unknown" if each.value is None else f"{each.value:+d}"
        out.print(f"{total}{die}:")
        _parts(out, position, each.parts)
    section(
        out,
        "results",
        [
            (
                Text(each.name.replace("_", " "), "bold"),
                band_text(each.die, each.reading, each.low, each.high),
                _odds(each.chance, throws),
                Text(each.norm, NORM),
            )
            for each in answer.results
        ],
    )
    section(
        out,
        "together",
        [
            (_odds(chance, throws), ", ".join(names).replace("_", " ") or "nothing of this")
            for names, chance in answer.together
        ],
    )
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
) -> None:
    """An answer in a word, or a table of the ways in which the question holds; what is so instead."""
    kinds = query.variables
    if asked.holds and kinds:
        table(out, [tuple(value for _, value in way.values) for way in asked.found], list(kinds))
    else:
        word(out, position, asked)
    not_allowed(out, position, asked)
    _perhaps(out, asked)
    defeats_text(out, position, asked.beaten)
    unknown(out, asked.unknown)
    citations_text(out, position, asked.cites)
    issues_text(out, asked)


def word(out: Console, position: Position, asked: Asked) -> None:
    """The word for an answer; who forbids it, what is so instead, or who could make it so."""
    out.print(verdict_text(asked.word))
    norms = position.program.norms
    section(
        out, "forbidden by", [(Text(each, NORM), norms[each].sense) for each in asked.forbidding]
    )
    if asked.values and asked.word is Verdict.NOT_SO:
        out.print(f"it is {', '.join(asked.values)}")
    elif asked.word is Verdict.NOT_SO and not asked.cites:
        out.print("nothing on this board makes it so")
        some, more = asked.could[:_MAX_CANDIDATES], len(asked.could) - _MAX_CANDIDATES
        if some:
            rest = f" and {more} more" if more > 0 else ""
            out.print(Text.assemble("these norms could: ", (", ".join(some), NORM), rest))


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
    section(out, "perhaps", rows)


def not_allowed(out: Console, position: Position, asked: Asked) -> None:
    """What has a price, and is forbidden."""
    norms = position.program.norms
    section(
        out,
        "not allowed",
        [
            (each.sentence, Text(norm, NORM), norms[norm].sense)
            for each in asked.not_allowed
            for norm in each.norms
        ],
    )


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
    how = f" {way} {where.rstrip(')')}" if way == "around" else _STEP_TEXTS.get(way, "")
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


# --- What an answer hangs on, and what would change it, for people: lines as one types them.


#: What is tried, as people are told how much.
_CHANGE_TEXTS = {
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
        told = (each for each in turned if each.answer != NOTHING_OF_THE_KIND)
        _section(out, title, [(each.answer, typed(each.candidate)) for each in told])
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
    return f"{count:,} {_CHANGE_TEXTS[what][count != 1]}"


def _told(position: Position, ruled: Iterable[DecisiveNorm]) -> list[DecisiveNorm]:
    """Those under which there is an answer, printed norms before assumed ones."""
    norms = position.program.norms
    there = (each for each in ruled if each.answer != NOTHING_OF_THE_KIND)
    return sorted(there, key=lambda each: norms[each.norm].assumed)


# --- Why an answer is what it is, for people: an answer with its proofs as trees, in about a
#     dozen lines.


#: What is left out below a point.
_CUT = " ..."
#: Of so many norms that could make something so it is told what they lack.
_MAX_MAKERS = 5


@dataclass(frozen=True)
class ProofDetail:
    """How much of a proof is told: `full` all of it, `source` where each rule stands."""

    full: bool = False
    source: bool = False


def why(
    out: Console, position: Position, query: Query, answer: Why, opened: ProofDetail = ProofDetail()
) -> None:
    """An answer with its proofs as trees, norms with their senses."""
    if query.variables or answer.asked.holds is None:
        # Their senses come with what each of them lacks.
        asked = replace(answer.asked, cites=NO_CITATIONS, beaten=())
        ask(out, position, query, replace(asked, could=()) if answer.lacking else asked)
    else:
        asked = replace(answer.asked, could=()) if answer.lacking else answer.asked
        word(out, position, asked)
        not_allowed(out, position, answer.asked)
    _lacking(out, position, answer, opened)
    trees(out, position, [answer], opened)
    citations_text(out, position, answer.asked.cites)
    issues_text(out, answer)


def _lacking(out: Console, position: Position, answer: Why, opened: ProofDetail) -> None:
    """Of each norm that could make it so, what it lacks here."""
    norms = position.program.norms
    shown = answer.lacking if opened.full else answer.lacking[:_MAX_MAKERS]
    for each in shown:
        if each.norm is None:
            out.print(each.condition)
    section(
        out,
        "these norms could, but",
        [
            (
                Text(each.norm, NORM),
                Text(each.condition)
                + Text(f"  {norms[each.norm].sense}", DIM)
                + Text(f"  {_path(each.at)}" if opened.source and each.at else "", DIM),
            )
            for each in shown
            if each.norm is not None
        ],
    )
    if more := len(answer.lacking) - len(shown):
        out.print(f"  and {more} more: --full", style=DIM)


def _path(at: str) -> str:
    """Where a rule stands, as one finds it: below `kb/`, or where one's own rules are."""
    return at if is_house_rule(at) else f"kb/{at}"


def reasons(out: Console, position: Position, answers: Sequence[Why], opened: ProofDetail) -> None:
    """The proofs of what an answer of another kind comes down to, below that answer."""
    if any(answer.proofs for answer in answers):
        out.print("why:")
        trees(out, position, answers, opened)


def trees(out: Console, position: Position, answers: Iterable[Why], opened: ProofDetail) -> None:
    """The proofs of some answers."""
    answers = list(answers)
    shown = _Shown(position.program.norms, opened)
    steps = [step for answer in answers for step in answer.proofs]
    norms = position.program.norms
    points = justification(steps, norms, position.notation)
    cited = dict.fromkeys(one.norm for each in points for one in each.walk() if one.norm)
    if not opened.full:
        points = abridge(points)
    for point in points:
        out.print(shown.tree(point))
    if left_out := sum(answer.left_out for answer in answers):
        out.print(f"and {left_out} more ways like this", style=DIM)
    cut = any(one.cut for each in points for one in each.walk())
    if cut:
        out.print(f"{_CUT.strip()} has more: --full", style=DIM)
    # Where the answer is unknown they are shown with the reasons.
    shown_before = open_points(why for answer in answers for why in answer.asked.unknown)
    listed = (norms[each] for each in cited if each in norms)
    open_text(out, [each for each in listed if each not in shown_before])


@dataclass(frozen=True)
class _Shown:
    """What has been shown: the sense of a norm or fact is given where it comes first."""

    norms: Mapping[str, Norm]
    opened: ProofDetail
    senses: set[str] = field(default_factory=set)

    def tree(self, point: JustificationNode) -> Tree:
        """A point with all below it."""
        tree = Tree(self.line(point), guide_style=DIM)
        for each in point.because:
            tree.add(self.tree(each))
        return tree

    def line(self, point: JustificationNode) -> Text:
        """A point on a line."""
        said = Text("less: " if point.tie is Relation.OUTBID else "") + Text(point.claim)
        if point.norm and point.tie is not Relation.BEATEN:
            said += Text("  ") + Text(point.norm, NORM)
        norm = self.norms.get(point.norm or "")
        if norm is not None and (norm.assumed or norm.reading):
            said += Text(" (assumed)" if norm.assumed else " (our reading)", DOUBT)
        if point.sense and point.sense not in self.senses and point.sense != point.claim:
            self.senses.add(point.sense)
            said += Text(f"  {point.sense}", DIM)
        if point.again:
            said += Text("  see above", DIM)
        if point.cut:
            said += Text(_CUT, DIM)
        if self.opened.source and point.at is not None:
            said += Text(f"  {_path(point.at)}", DIM)
        return said
