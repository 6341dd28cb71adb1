"""Answers for people: plain lines, tables and trees, in colour where the terminal has it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from rules_asp.answers.accounts import Point
from rules_asp.answers.asking import Asked
from rules_asp.answers.checking import Checked
from rules_asp.answers.explaining import Why
from rules_asp.answers.movement import Can, Moves, Step
from rules_asp.answers.rolls import Result, Rolled
from rules_asp.answers.shots import Drm, Fire, Part
from rules_asp.answers.sights import Los
from rules_asp.answers.unknowns import Reason, needs
from rules_asp.cases.covering import Coverage
from rules_asp.cases.outcomes import Outcome
from rules_asp.knowledge.book import Catalogue
from rules_asp.knowledge.source import Norm
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import blocked_at, in_order, pixels
from rules_asp.terms.arguments import said
from rules_asp.terms.board import Board, Building, Doubt
from rules_asp.terms.names import level, quarters
from rules_asp.terms.query import Query

#: What does not go to a terminal is this wide, so that it reads the same everywhere.
_WIDTH = 100
_NORM, _GOOD, _BAD, _DOUBT, _DIM = "cyan", "green", "red", "yellow", "dim"
_BEATS = {"overrides": "overrides", "lifts": "lifts", "amends": "goes before, as its section does,"}
_BEATEN = {
    "overrides": "overridden by",
    "lifts": "lifted by",
    "amends": "gives way, as its paragraph does, to",
}

Row = Sequence[str | Text]


@contextmanager
def console() -> Iterator[Console]:
    """Where answers go; away from a terminal, lines end with their last letter."""
    out = Console(highlight=False, markup=False, emoji=False)
    if out.is_terminal:
        yield out
        return
    text = io.StringIO()
    yield Console(file=text, highlight=False, markup=False, emoji=False, width=_WIDTH)
    for line in text.getvalue().splitlines():
        print(line.rstrip())


def los(out: Console, position: Position, answer: Los) -> None:
    """A line of sight: the verdict, where, by which norms; what hinders, was beaten, was close."""
    norms = position.program.norms
    hexes = f"{answer.range} hex{'es' * (answer.range != 1)}"
    out.print(
        Text(f"{said(answer.a, 'location')} - {said(answer.b, 'location')}: ")
        + _verdict(answer.clear, answer.hindrance)
        + (f" at {blocked_at(answer)}" if answer.blockers else "")
    )
    ends = ("not known" if end is None else level(end) for end in (answer.level_a, answer.level_b))
    out.print(f"range {hexes}, levels {' and '.join(ends)}")
    _section(
        out,
        "blocked at",
        [(each.place, Text(each.norm, _NORM), norms[each.norm].sense) for each in in_order(answer)],
    )
    _section(
        out,
        "Hindrance",
        [
            (each.place, f"+{each.amount}", Text(each.norm, _NORM), norms[each.norm].sense)
            for each in answer.hindrances
        ],
    )
    _section(
        out,
        "beaten",
        [
            (
                each.place or "",
                Text(each.norm, _NORM),
                Text("by ") + Text(each.by, _NORM),
                norms[each.by].sense if each.by in norms else "",
            )
            for each in answer.beaten
        ],
    )
    _section(
        out,
        "close",
        [
            (
                f"{pixels(each.margin)} pixels ({each.margin + 0.0:.1f} units)",
                Text(f"if {each.what}: ") + _verdict(each.clear, each.hindrance),
            )
            for each in sorted(answer.close, key=lambda each: each.margin)
        ],
    )
    _unknown(out, position, answer.unknown)
    _cites(out, answer.cites)


def tem(out: Console, position: Position, answer: Drm) -> None:
    """The TEM of a shot, and what it is made of."""
    out.print(_shot(answer) + _amount("TEM", answer.value))
    _parts(out, position, answer.parts)
    _unknown(out, position, answer.unknown)
    _cites(out, answer.cites)


def fire(out: Console, position: Position, answer: Fire) -> None:
    """A shot: its line of sight, every DRM with its norm, the sum."""
    out.print(_shot(answer.drm) + _amount("DRM", answer.drm.value))
    sight = answer.sight
    if sight is not None:
        out.print(
            Text("line of sight ")
            + _verdict(sight.clear, sight.hindrance)
            + (f" at {blocked_at(sight)}" if sight.blockers else "")
        )
    norms = position.program.norms
    _section(out, "not allowed", [(Text(each, _NORM), norms[each].sense) for each in answer.norms])
    _parts(out, position, answer.drm.parts)
    _unknown(out, position, tuple(dict.fromkeys((*answer.unknown, *answer.drm.unknown))))
    cites = (*answer.drm.cites, *(sight.cites if sight else ()))
    _cites(out, tuple(dict.fromkeys(cites)))


def _shot(answer: Drm) -> Text:
    shot = answer.shot
    how = "" if shot.how == "direct" else f"{shot.how.replace('_', ' ')} "
    doing = "" if shot.doing == "still" else f" {shot.doing.replace('_', ' ')}"
    ends = f"from {said(shot.firer, 'location')} at {said(shot.target, 'location')}"
    return Text(f"{how}fire {ends}{doing}: ")


def _amount(what: str, value: int | None) -> Text:
    if value is None:
        return Text(f"{what} unknown", f"bold {_DOUBT}")
    return Text(f"{what} {value:+d}", "bold")


def _parts(out: Console, position: Position, parts: Iterable[Part]) -> None:
    norms = position.program.norms
    rows = [
        (f"{each.amount:+d}", each.what, Text(each.norm, _NORM), norms[each.norm].sense)
        for each in parts
    ]
    _table(out, rows, indent=2)


def moves(out: Console, position: Position, answer: Moves, everything: bool = False) -> None:
    """Where units can go: each Location with the MF, the way and the paragraphs."""
    names = " and ".join(answer.units)
    spend = "" if answer.pace is None else f", {quarters(answer.pace)} MF"
    bonus = f" (+{quarters(answer.bonus)} all by road)" if answer.bonus else ""
    out.print(f"{names} from {said(answer.start, 'location')}{spend}{bonus}:")
    rows: list[Row] = [
        (
            said(each.to, "location"),
            "?" if each.mf is None else quarters(each.mf),
            " ".join(_step(step) for step in each.path),
            Text(", ".join(position.program.paragraphs(each.norms)), _NORM),
        )
        for each in answer.reach
    ]
    if rows:
        _table(out, rows, ["to", "MF", "way", "by"], indent=2)
    else:
        out.print("  not known" if answer.reasons else "  nowhere")
    shown = answer.forbidden if everything else _out_of(answer, answer.forbidden)
    norms = position.program.norms
    _section(
        out,
        "forbidden" if everything else f"forbidden out of {said(answer.start, 'location')}",
        [
            (said(each.start, "location"), _step(each), Text(norm, _NORM), norms[norm].sense)
            for each in shown
            for norm in each.norms
        ],
    )
    _section(
        out,
        "not known",
        [
            (said(each.start, "location"), _step(each), "; ".join(map(str, each.unknown)))
            for each in answer.unknown
        ],
    )
    _unknown(out, position, answer.reasons)


def _out_of(answer: Moves, steps: Iterable[Step]) -> tuple[Step, ...]:
    return tuple(each for each in steps if each.start == answer.start)


def _step(step: Step) -> str:
    """Where a step leads, with the way where the place does not tell it: a vertex means Bypass."""
    way = step.way.partition("(")[0]
    how = (
        "" if way in ("enter", "stairs", "bypass") else f" {step.way.replace('(', ' ').rstrip(')')}"
    )
    return f"{said(step.to, 'location')}{how}"


def can(out: Console, position: Position, answer: Can) -> None:
    """Whether a deed is legal, with the norms of every way in which it comes into question."""
    out.print(_yes_no(answer.legal))
    norms = position.program.norms
    if answer.there is not None:
        cost = "" if answer.there.mf is None else f", {quarters(answer.there.mf)} MF"
        out.print(f"in several steps: {' '.join(map(_step, answer.there.path))}{cost}")
    elif not answer.ways:
        out.print("nothing of this kind comes into question here")
    for each in answer.ways:
        cost = "" if each.cost is None else f", {quarters(each.cost)} {each.paid_in.upper()}"
        out.print(Text(f"{each.name}: ") + _yes_no(each.legal) + cost)
        listed = dict.fromkeys((*each.norms, *each.priced))
        _table(out, [(Text(n, _NORM), norms[n].sense) for n in listed], indent=2)
        _section(out, "  not known", [(str(why),) for why in each.unknown])
    _unknown(out, position, answer.unknown)
    _cites(out, answer.cites)


def roll(out: Console, position: Position, answer: Rolled) -> None:
    """A die roll: what is added, by which norm; what each result needs and how likely it is."""
    throws = 36 if answer.dice == "two_dice" else 6
    what = "a colored and a white die" if answer.dice == "two_dice" else "one die"
    out.print(f"{answer.roll}: {what}")
    for each in answer.modifiers:
        die = "" if each.die == "sum" else f" to the {each.die} die"
        total = "unknown" if each.value is None else f"{each.value:+d}"
        out.print(f"{total}{die}:")
        _parts(out, position, each.parts)
    _section(
        out,
        "results",
        [
            (
                Text(each.name.replace("_", " "), "bold"),
                _needs_of(each),
                _odds(each.chance, throws),
                Text(each.norm, _NORM),
            )
            for each in answer.results
        ],
    )
    _section(
        out,
        "together",
        [
            (_odds(chance, throws), ", ".join(names).replace("_", " ") or "nothing of this")
            for names, chance in answer.together
        ],
    )
    _unknown(out, position, answer.unknown)
    _cites(out, answer.cites)


def _needs_of(result: Result) -> str:
    """What must be rolled: `Final colored die 0 or less`."""
    die = "DR" if result.die == "sum" else f"{result.die} die"
    if result.low == result.high:
        band = str(result.low)
    elif result.low is None:
        band = f"{result.high} or less"
    elif result.high is None:
        band = f"{result.low} or more"
    else:
        band = f"{result.low} to {result.high}"
    return f"{result.reading.capitalize()} {die} {band}"


def _odds(chance: Fraction | None, throws: int) -> str:
    return "?" if chance is None else f"{chance * throws}/{throws}"


def ask(
    out: Console,
    position: Position,
    query: Query,
    asked: Asked,
    instead: Sequence[str] | None = None,
) -> None:
    """An answer: yes, no or unknown, or a table of the ways in which the question holds.

    `instead` are the values of a topic that has not the one that was asked for.
    """
    kinds = query.variables
    if asked.holds and kinds:
        _table(out, [tuple(value for _, value in way.values) for way in asked.found], list(kinds))
    else:
        out.print(_yes_no(asked.holds))
    if instead is not None:
        out.print(f"it is {', '.join(instead)}" if instead else "nothing gives it a value")
    _unknown(out, position, asked.unknown)
    _cites(out, asked.cites)


def why(
    out: Console, position: Position, query: Query, answer: Why, points: Iterable[Point]
) -> None:
    """An answer with its proofs as trees, norms with their senses."""
    if query.variables or answer.asked.holds is None:
        ask(out, position, query, replace(answer.asked, cites=()))
    else:
        out.print(_yes_no(answer.asked.holds))
    explained: set[str] = set()
    for each in points:
        tree = Tree(_point(each, explained), guide_style=_DIM)
        _grow(tree, each, explained)
        out.print(tree)
    if answer.left_out:
        out.print(f"and {answer.left_out} more ways like this", style=_DIM)
    for beaten in answer.beaten:
        where = f" at {beaten.place}" if beaten.place else ""
        out.print(
            Text(f"beaten{where}: ")
            + Text(beaten.norm, _NORM)
            + " by "
            + Text(beaten.by, _NORM)
            + Text(f"  {position.program.norms[beaten.by].sense}", _DIM)
        )
    _cites(out, answer.asked.cites)


def _grow(tree: Tree, point: Point, explained: set[str]) -> None:
    for each in point.because:
        _grow(tree.add(_point(each, explained)), each, explained)


def _point(point: Point, explained: set[str]) -> Text:
    """A point on a line; the sense of a norm or fact is given where it comes first."""
    text = Text(point.claim)
    if point.norm:
        text += Text("  ") + Text(point.norm, _NORM)
    if point.sense and point.sense not in explained:
        explained.add(point.sense)
        text += Text(f"  {point.sense}", _DIM)
    return text + Text("  see above", _DIM) if point.again else text


def check(out: Console, checked: Checked) -> None:
    """Violations, clashes, unknowns and doubts."""
    _section(
        out,
        "violations",
        [(each.where, Text(each.norm, _NORM), each.what) for each in checked.violations],
    )
    _section(
        out,
        "clashes",
        [
            (each.topic, Text(each.one, _NORM), Text("against ") + Text(each.other, _NORM))
            for each in checked.conflicts
        ],
    )
    _section(out, "not known", [(each.topic, str(each.why)) for each in checked.unknown])
    _section(out, "doubts of the importer", list(checked.doubts))
    found = checked.violations, checked.conflicts, checked.unknown
    if not any(found):
        out.print("no norm is broken, nothing clashes", style=_GOOD)


def outcomes(out: Console, file: str, found: Sequence[tuple[Outcome, str]]) -> None:
    """The `expect` lines of a board: passed, or what was answered instead."""
    for result, text in found:
        mark = ("PASS", _GOOD) if result.passed else ("FAIL", _BAD)
        place = f" {result.place.file}:{result.place.line}  "
        out.print(Text.assemble(mark, (place, _DIM), text), soft_wrap=True)
        if not result.passed:
            out.print(f"     answered: {result.answered}", soft_wrap=True)
    if not found:
        out.print(f"{file}: no expect line", style=_DOUBT, soft_wrap=True)


def coverage(out: Console, found: Coverage) -> None:
    """Coverage by section, and the norms that no case holds in place."""
    heads = ["section", "norms", "encoded", "descriptive"]
    rows: list[Row] = [
        (Text(name, _NORM), str(each.norms), str(each.encoded), str(each.descriptive))
        for name, each in found.sections.items()
    ]
    if any(each.exercised is not None for each in found.sections.values()):
        heads.append("exercised")
        counts = [str(each.exercised) for each in found.sections.values()]
        rows = [(*row, count) for row, count in zip(rows, counts, strict=True)]
    _table(out, rows, heads)
    if found.cases:
        out.print(f"{found.cases} cases")
    if found.unexercised:
        out.print("no case holds in place: ", end="", style=_DOUBT)
        out.print(", ".join(found.unexercised))


def imported(out: Console, board: Board, file: str) -> None:
    """What an import made of an archive."""
    buildings = sum(isinstance(each, Building) for each in board.statements)
    doubts = [each for each in board.statements if isinstance(each, Doubt)]
    out.print(f"board {board.name}, {board.grid} hexes, {buildings} buildings: {file}")
    _section(out, "doubts, to be settled by a correction", [(str(d.where), d.text) for d in doubts])


def norm(out: Console, catalogue: Catalogue, norm: Norm) -> None:
    """A norm in full."""
    marked = {"assumed": norm.assumed, "descriptive": norm.descriptive}
    marks = [word for word, on in marked.items() if on]
    shown = f"  ({', '.join(marks)})" if marks else ""
    out.print(Text.assemble((norm.id, f"bold {_NORM}"), (shown, _DIM)))
    out.print(Padding(norm.sense, (0, 2)))
    out.print(Padding(Text(f"kb/{norm.file}:{norm.line}", _DIM), (0, 2)))
    for found, verbs, other in (
        (catalogue.beats(norm), _BEATS, "loser"),
        (catalogue.beaten_by(norm), _BEATEN, "winner"),
    ):
        for how, group in groupby(found, key=lambda each: (each.how, each.ruling)):
            verb, ruling = verbs[how[0]], f" (ruling {how[1]})" if how[1] else ""
            names = ", ".join(dict.fromkeys(getattr(each, other) for each in group))
            out.print(Padding(f"{verb} {names}{ruling}", (0, 2)))


def norms(out: Console, found: Iterable[Norm]) -> None:
    """Norms by id and sense."""
    _table(out, [(Text(each.id, _NORM), each.sense) for each in found])


def words(out: Console, found: Sequence[tuple[str, str]]) -> None:
    """Topics and predicates with their senses."""
    if found:
        _table(out, [(Text(form, _NORM), sense) for form, sense in found])
    else:
        out.print("no such word")


def paragraphs(out: Console, catalogue: Catalogue) -> None:
    """The sections, each with its paragraphs and the number of their norms."""
    for section, listed in catalogue.sections.items():
        total = sum(len(norms) for norms in listed.values())
        out.print(Text.assemble((section, f"bold {_NORM}"), (f"  {total} norms", _DIM)))
        if list(listed) != [section]:
            counts = (f"{name} ({len(norms)})" for name, norms in listed.items())
            out.print(Padding("  ".join(counts), (0, 2)))


def _verdict(clear: bool | None, hindrance: int) -> Text:
    if clear is None:
        return Text("unknown", f"bold {_DOUBT}")
    if not clear:
        return Text("blocked", f"bold {_BAD}")
    return Text("clear" + (f", Hindrance +{hindrance}" if hindrance else ""), f"bold {_GOOD}")


def _yes_no(holds: bool | None) -> Text:
    words = {True: ("yes", _GOOD), False: ("no", _BAD), None: ("unknown", _DOUBT)}
    return Text(*words[holds])


def _unknown(out: Console, position: Position, reasons: Sequence[Reason]) -> None:
    _section(out, "not known", [(str(each),) for each in reasons])
    _section(out, "what is needed", [(each,) for each in needs(position, reasons)])


def _cites(out: Console, cites: Sequence[str]) -> None:
    if cites:
        out.print(Text.assemble(("rests on ", _DIM), (", ".join(cites), _NORM)))


def _section(out: Console, title: str, rows: Sequence[Row]) -> None:
    if rows:
        out.print(f"{title}:")
        _table(out, rows, indent=2)


def _table(out: Console, rows: Sequence[Row], heads: Sequence[str] = (), indent: int = 0) -> None:
    if not rows and not heads:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=bool(heads), pad_edge=False)
    width = len(rows[0]) if rows else len(heads)
    for number in range(width):
        head = heads[number] if number < len(heads) else ""
        table.add_column(Text(head, "bold"), no_wrap=number < width - 1, overflow="fold")
    for row in rows:
        table.add_row(*row)
    shown: RenderableType = Padding(table, (0, 0, 0, indent)) if indent else table
    out.print(shown)
