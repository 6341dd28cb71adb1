"""Conversion of a Board to text: `parse(write(board))` returns an equal board."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import groupby

from rules_asp.game import board as b
from rules_asp.game.board import BoardPlacement
from rules_asp.game.grid import (
    Grid,
    Hex,
    Hexside,
    Location,
    MapBoard,
    Vertex,
    column_name,
    hex_of_spot,
)
from rules_asp.game.map_layout import LEFT, RIGHT, map_names, with_map_names
from rules_asp.game.query import DeedQuery, Query, QueryLiteral, UnitLocation, UnitStack
from rules_asp.game.values import (
    Notation,
    Term,
    corner_text,
    number_text,
    quoted,
    to_board_text,
    word_text,
)
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary
from rules_asp.parser.input_syntax import BARRELS, HEX_MARKS, MARKS, SIDE_MARKS, STATEMENTS, TRAITS
from rules_asp.parser.sentence_writer import deed_text, roll_text

#: Leaves four columns for boards indented below an answer.
_WIDTH = 96
#: Text that is not broken: quoted texts, and numbers with quarters such as 1 1/4.
_UNBROKEN = re.compile(r'(?:"(?:[^"\\]|\\.)*"|(?<!\S)-?\d+ (?=\d/\d)|\S)+')


def write(board: b.Board, words: Vocabulary | None = None) -> str:
    """Return the board as text, one statement a line, in the order of its statements."""
    notation = Notation(words or default_vocabulary(), map_names(board.grid))
    head = []
    if board.name or board.grid != Grid(0, 0):
        plain = board.grid != Grid(0, 0) and not board.grid.parts
        size = f" grid {board.grid}" if plain else ""
        head.append(f"board {quoted(board.name)}{size}")
    head += map(_part, board.grid.parts)
    return "".join(f"{line}\n" for line in head) + write_statements(board.statements, notation)


def write_statements(statements: Iterable[b.Statement], notation: Notation) -> str:
    """Return statements as text, one a line."""
    named = with_map_names(tuple(statements), notation.names)
    return "".join(f"{line}\n" for line in _lines(named, notation.vocabulary))


def statement_text(statement: b.Statement, notation: Notation) -> str:
    """Return a statement as one line of any length."""
    return " ".join(write_statements((statement,), notation).replace("\\\n", " ").split())


def _part(part: MapBoard) -> str:
    """Return the line that places a board of a map."""
    board = "" if part.board == part.label else f" of {quoted(part.board)}"
    lay = BoardPlacement(None, part.turned, beside=part.next_to)
    if part.kept_half is not None:
        left, right, top, bottom = part.kept_half.spans
        lay = lay._replace(columns=(left, right), rows=(top, bottom))
    return f"part {part.label}{board} grid {Grid(part.cols, part.rows, part.first)}{_lay(lay)}"


def _lay(lay: BoardPlacement) -> str:
    """Return the placement of a board as text."""
    words = [] if lay.label is None else ["as", lay.label]
    if lay.turned:
        words.append("turned")
    if lay.half is not None:
        words += ["only", lay.half, "half"]
    elif lay.columns is not None:
        first, last = map(column_name, lay.columns)
        if lay.rows is None:
            words += ["only", "hexrows", f"{first}-{last}"]
        else:
            words += ["only", "hexes", f"{first}{lay.rows[0]}-{last}{lay.rows[1]}"]
    if lay.beside is not None:
        way, other = lay.beside
        words += [way, "of", other] if way in (RIGHT, LEFT) else [way, other]
    return "".join(f" {word}" for word in words)


def _lines(statements: Sequence[b.Statement], words: Vocabulary) -> Iterator[str]:
    """Yield the lines; adjacent facts share a line if possible."""
    for shared, group in groupby(statements, _shared_line):
        if shared is b.Fact:
            yield from map(_wrapped, _givens([g for g in group if isinstance(g, b.Fact)], words))
            continue
        if isinstance(shared, str):
            places = " ".join(
                to_board_text(g.where, "hex") for g in group if isinstance(g, b.Doubt)
            )
            yield _wrapped(f"doubt {places} {quoted(shared)}")
            continue
        for statement in group:
            text = _statement_line(statement, words)
            yield text if isinstance(statement, b.Outline) else _wrapped(text)


def _shared_line(statement: b.Statement) -> type[b.Fact] | str | None:
    """Return what adjacent statements must have in common to share a line; None if they cannot."""
    if isinstance(statement, b.Doubt):
        return statement.text
    return b.Fact if isinstance(statement, b.Fact) else None


def given_line(given: b.Fact, notation: Notation) -> str:
    """Return the line of a fact in the board language."""
    return _given_line(with_map_names(given, notation.names), notation.vocabulary)


def _given_line(given: b.Fact, words: Vocabulary) -> str:
    (line,) = _grouped((given,), {**STATEMENTS, **MARKS}, None, words)
    return line


def _wrapped(text: str) -> str:
    """Break a long line into several that end in a backslash."""
    if len(text) <= _WIDTH:
        return text
    lines, line = [], ""
    for found in _UNBROKEN.finditer(text):
        gap = "  " if text[: found.start()].endswith("  ") else " "
        if line and len(line) + len(gap) + len(found[0]) > _WIDTH - 2:
            lines.append(line + " \\")
            line = "    " + found[0]
        else:
            line = line + gap + found[0] if line else found[0]
    return "\n".join([*lines, line])


# --- statements


@singledispatch
def _statement_line(statement: object, words: Vocabulary) -> str:
    raise TypeError(f"this is not a board statement: {statement!r}")


@_statement_line.register
def _(use: b.Use, words: Vocabulary) -> str:
    return f"use {quoted(use.path)}{'' if use.lay is None else _lay(use.lay)}"


@_statement_line.register
def _(area: b.Area, words: Vocabulary) -> str:
    known = area.kind in b.PRINTED_MARKS or _known_terrain(area.kind, words)
    unknown = "" if known else "unknown terrain "
    return f"{unknown}{word_text(area.kind, 'terrain')}: {_list(area.hexes)}"


@_statement_line.register
def _(level: b.Level, words: Vocabulary) -> str:
    return f"level {level.level}: {_list(level.hexes)}"


@_statement_line.register
def _(building: b.Building, words: Vocabulary) -> str:
    name = "" if building.name is None else f"{quoted(building.name)} "
    parts = [f"building {name}{building.colour}: {_list(building.hexes)}"]
    if building.joined:
        parts.append(f"joined {_list(building.joined)}")
    if building.stairwells:
        parts.append(f"stairwell {_list(building.stairwells)}")
    if building.bars:
        parts.append("bar " + " ".join(map(_bar, building.bars)))
    return "   ".join(parts)


@_statement_line.register
def _(bar: b.Bar, words: Vocabulary) -> str:
    return f"bar {_bar(bar)}"


@_statement_line.register
def _(sides: b.HexsideTerrain, words: Vocabulary) -> str:
    unknown = "" if _known_side(sides.kind, words) else "unknown hexside terrain "
    return f"{unknown}{word_text(sides.kind, 'hexside_terrain')}: {_list(sides.sides)}"


@_statement_line.register
def _(road: b.Road, words: Vocabulary) -> str:
    return f"road {word_text(road.surface, 'surface')}: {'-'.join(map(str, road.hexes))}"


@_statement_line.register
def _(outline: b.Outline, words: Vocabulary) -> str:
    known = outline.kind in b.OUTLINED or _known_terrain(outline.kind, words)
    kind = ("" if known else "unknown terrain ") + word_text(outline.kind, "terrain")
    level = "" if outline.level is None else f" {outline.level}"
    level += "" if outline.on is None else f" on {outline.on}"
    rings = [" ".join(f"{x},{y}" for x, y in ring) for ring in (outline.outer, *outline.holes)]
    return f"outline {kind}{level}: {' hole '.join(rings)}"


@_statement_line.register
def _(correction: b.Correction, words: Vocabulary) -> str:
    kind = "hex" if isinstance(correction.where, Hex) else "hexside"
    if correction.mark == "ground":
        return f"ground {correction.to}: {correction.where}"
    mark = word_text(correction.mark, "terrain")
    marks = ("level", "building", *HEX_MARKS, *words.words["symbol"])
    if kind == "hex" and correction.mark not in marks:
        mark = mark if _known_terrain(correction.mark, words) else f"unknown terrain {mark}"
    if kind == "hexside" and not _known_side(correction.mark, words):
        mark = f"unknown terrain {mark}"
    return f"{kind} {to_board_text(correction.where, kind)} {mark} {correction.to}"


@_statement_line.register
def _(cleared: b.Erasure, words: Vocabulary) -> str:
    return f"undrawn {word_text(cleared.kind, 'terrain')}: {_list(cleared.hexes)}"


@_statement_line.register
def _(overlay: b.Overlay, words: Vocabulary) -> str:
    own = "-".join(str(Hex(*each)) for each in overlay.own)
    return f"overlay {quoted(overlay.path)} {own} on {'-'.join(map(str, overlay.here))}"


@_statement_line.register
def _(treat: b.TerrainSubstitution, words: Vocabulary) -> str:
    on = "" if treat.on is None else f" on {treat.on}"
    if not treat.as_terrain:
        return f"no {word_text(treat.terrain, '')}{on}"
    known = any(
        treat.as_terrain in words.words[kind] for kind in ("terrain", "hexside_terrain", "surface")
    )
    other = word_text(treat.as_terrain, "")
    return (
        f"treat {word_text(treat.terrain, '')} as {'' if known else 'unknown terrain '}{other}{on}"
    )


@_statement_line.register
def _(perhaps: b.UncertainFact, words: Vocabulary) -> str:
    return f"perhaps {_given_line(perhaps.given, words)}"


@_statement_line.register
def _(thing: b.UnitStatement, words: Vocabulary) -> str:
    known = {fact.name: fact.args[1:] for fact in thing.facts}
    line = f"unit {thing.name} {word_text(str(known['unit'][0]), 'unit_type')}"
    where = None
    traits = [fact for fact in thing.facts if fact.name in TRAITS]
    if "strength" in known:
        line += " " + "-".join(map(str, known["strength"]))
    elif rating := printed_rating(thing):
        line += f" {rating}"
        del traits[:2]
    if "of_side" in known:
        line += f" {to_board_text(known['of_side'][0], 'side')}"
    if "at" in known:
        location = known["at"][0]
        line += f" at {to_board_text(location, 'location')}"
        where = hex_of_spot(location.spot) if isinstance(location, Location) else None
    said_traits = ", ".join(_grouped(traits, TRAITS, where, words))
    return f"{line}: {said_traits}" if said_traits else line


def printed_rating(unit: b.UnitStatement) -> str | None:
    """Return the printed values of a leader:

    `9-2` for morale 9 and leadership -2; None without both.
    """
    traits = [fact.args[1:] for fact in unit.facts if fact.name in TRAITS][:2]
    types = [fact.args[1] for fact in unit.facts if fact.name == "unit"]
    if types != ["leader"] or [each[0] for each in traits] != ["morale", "leadership"]:
        return None
    (_, morale), (_, leadership) = traits
    assert isinstance(morale, int)
    assert isinstance(leadership, int)
    if not (0 <= morale <= 99 and -9 <= leadership <= 9):
        return None
    return f"{morale}{leadership:+d}" if leadership > 0 else f"{morale}-{-leadership}"


@_statement_line.register
def _(expect: b.Expect, words: Vocabulary) -> str:
    text = "expect " + _question(expect, words)
    return f"{text}   cites {', '.join(expect.cites)}" if expect.cites else text


def _question(expect: b.Expect, words: Vocabulary) -> str:
    match expect.question:
        case b.ExpectedLos(one, other):
            line = f"los {_end(one)} - {_end(other)} {expect.answer}"
            if expect.hindrance is not None:
                line += f" hindrance {expect.hindrance}"
            return line if expect.at is None else f"{line} at {expect.at}"
        case b.Shot() | b.UnitShot():
            return f"tem of {_shot(expect.question)} = {_amount(expect.answer, 1)}"
        case b.ExpectedDrm(shot):
            return f"drm of {_shot(shot)} = {_amount(expect.answer, 1)}"
        case b.ExpectedCost(units, to, bound):
            answer = _amount(expect.answer, 4) + _by(expect)
            return f"cost {' '.join(units)} to {_end(to)} {bound} {answer}"
        case b.ExpectedRoll(rolling, result):
            return (
                f"roll {roll_text(rolling, words)}: {word_text(result, 'result')} {expect.answer}"
            )
        case DeedQuery():
            return f"can {deed_text(expect.question, words)}: {expect.answer}{_by(expect)}"
        case b.ExpectedViolation(paragraph):
            return f"violates {paragraph}"
        case b.ExpectedConflict(one, other):
            return f"conflict {one} {other}"
        case Query(literals):
            text = str(expect.question)
            if expect.answer == "unknown":
                return "unknown " + text.removesuffix(" = _")
            alone = literals[0] if len(literals) == 1 else None
            if expect.answer == "yes" and isinstance(alone, QueryLiteral) and alone.args:
                valued = alone.value is not None and str(alone).endswith(f" = {alone.value}")
                return text if valued and not alone.negated else f"holds {text}"
            return f"{'holds' if expect.answer == 'yes' else 'not'} {text}"


def _by(expect: b.Expect) -> str:
    return "" if expect.by is None else f" by {expect.by}"


def _end(place: Location | UnitLocation | UnitStack) -> str:
    if isinstance(place, UnitStack):
        return str(place)
    return place.unit if isinstance(place, UnitLocation) else to_board_text(place, "location")


def _shot(shot: b.Shot | b.UnitShot) -> str:
    how = "" if shot.how == "direct" else f"{word_text(shot.how, 'fire')} "
    unsaid = None if isinstance(shot, b.UnitShot) else "still"
    told = shot.doing if shot.doing != unsaid else None
    doing = "" if told is None else f" {word_text(told, 'target')}"
    places = f"from {_end(shot.firer)} at {_end(shot.target)}"
    return f"{how}fire {places}{doing}"


def _amount(answer: str | int, scale: int) -> str:
    return answer if isinstance(answer, str) else number_text(answer, scale)


def _list(places: Iterable[Hex | Hexside]) -> str:
    return " ".join(map(str, places))


def _bar(bar: b.Bar) -> str:
    covers = "" if bar.covers is None else f" covers {bar.covers[0]}-{bar.covers[1]}"
    return f"{bar.side}{covers}"


def _known_terrain(kind: str, words: Vocabulary) -> bool:
    """Test whether a terrain needs no keyword `unknown terrain`."""
    known = words.words.get("terrain")
    return known is None or kind in known


def _known_side(kind: str, words: Vocabulary) -> bool:
    """Test whether a hexside terrain needs no keyword `unknown hexside terrain`."""
    known = words.words.get("hexside_terrain")
    return known is None or kind in known or kind in SIDE_MARKS


# --- Facts by their forms.


def _givens(facts: Sequence[b.Fact], words: Vocabulary) -> Iterator[str]:
    """Yield lines for adjacent facts; turn, side and phase share one."""
    order = {"turn": 0, "moving_side": 1, "phase": 2}
    rest: list[b.Fact] = []
    clock: list[b.Fact] = []
    for fact in [*facts, None]:
        place = order.get(fact.name, -1) if fact else -1
        if clock and place <= order[clock[-1].name]:
            yield "turn " + " ".join(to_board_text(each.args[0], each.name) for each in clock)
            clock = []
        if fact is None or place >= 0:
            yield from _grouped(rest, STATEMENTS, None, words)
            rest = []
        if fact is not None:
            (clock if place >= 0 else rest).append(fact)


def _grouped(
    facts: Sequence[b.Fact], forms: dict[str, str], at: Hex | None, words: Vocabulary
) -> Iterator[str]:
    """Group facts by their forms; neighbors that differ only in the repeated part share a line."""
    line = ""
    items: list[str] = []
    for fact in facts:
        form = forms.get(fact.name)
        if form is None:
            raise ValueError(f"no board statement can state the fact {fact.name}")
        once = form.removesuffix(" ...")
        head, item = _filled(fact, once, at, words), ""
        if once != form:
            # The repeated part is the last word, or all words after a colon.
            repeated = len(once.rpartition(": ")[2].split()) if ": " in once else 1
            parts = head.split(" ")
            head, item = " ".join(parts[:-repeated]), " ".join(parts[-repeated:])
        if items and item and head == line:
            items.append(item)
            continue
        if line or items:
            yield " ".join(filter(None, (line, *items)))
        line, items = head, [item] if item else []
    if line or items:
        yield " ".join(filter(None, (line, *items)))


def _filled(fact: b.Fact, form: str, at: Hex | None, words: Vocabulary) -> str:
    """Return a form filled with the arguments of a fact."""
    kinds = words.kinds_of(words.inputs[fact.name].kinds, fact.args)
    first = fact.args[0] if fact.args else None
    side = first if isinstance(first, Hexside) else None

    def argument(value: Term, kind: str) -> str:
        if kind == "barrel":
            return BARRELS[str(value)]
        if kind == "corner" and isinstance(value, int):
            return _pointed(side, value) if side else _corner(at, value)
        return to_board_text(value, kind)

    return form.format(*map(argument, fact.args, kinds))


def _corner(at: Hex | None, corner: int) -> str:
    return str(corner) if at is None else corner_text(Vertex(at, corner))


def _pointed(side: Hexside, corner: int) -> str:
    """Return the third hex at an end of a hexside, or the number of the vertex if it has no name."""
    around = side.a.neighbour(corner), side.a.neighbour(corner + 1)
    third = around[0] if around[1] == side.b else around[1]
    return str(third) if third.has_name else str(corner)
