"""Validation of a whole board: its hexes are on the map, its units and sides are stated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import TypeVar

from rules_asp.boards.statement_ops import hexes_of
from rules_asp.game import board as b
from rules_asp.game.grid import Grid, Hexside
from rules_asp.game.map_layout import map_names
from rules_asp.game.query import Argument, DeedQuery, UnitLocation
from rules_asp.game.values import word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.polygons import DegenerateRing
from rules_asp.parser.errors import BoardError, Problem, ValueMistake, nearest
from rules_asp.parser.input_syntax import VASL_TERMS
from rules_asp.runtime.limits import size_limit, too_large_message

_T = TypeVar("_T")
#: A mistake: the index of the statement, the mistake, and the word it is about.
BoardMistake = tuple[int, ValueMistake, str]


def board_mistakes(
    board: b.Board, entries: Sequence[tuple[b.Statement, int]], words: Vocabulary
) -> Iterator[BoardMistake]:
    """Yield hexes outside the map, and units and sides that are not stated."""
    if board.grid == Grid(0, 0):
        missing = 'the board has no size: begin with a line such as board "NAME" grid 33x10'
        yield len(board.statements), ValueMistake(missing), ""
        return
    open_ = [index for said, index in entries if isinstance(said, b.UncertainFact)]
    # Each doubles the number of cases of a question.
    if len(open_) > size_limit("open"):
        yield open_[size_limit("open")], ValueMistake(too_large_message("open")), "perhaps"
    hexes, names = frozenset(board.grid.hexes()), map_names(board.grid)
    units = {said.name for said, _ in entries if isinstance(said, b.UnitStatement)}
    called = {names.text(hex_) for hex_ in hexes}
    sides = _declared_sides(said for said, _ in entries)
    yield from _treated(board, words)
    for statement, index in entries:
        if isinstance(statement, b.UnitStatement) and statement.name in called:
            name = statement.name
            yield (
                index,
                ValueMistake(f"{name} is a hex of this map, so it cannot be the name of a unit"),
                name,
            )
        for hex_ in hexes_of(statement):
            # An expectation may name a unit whose name is a hex elsewhere.
            named = isinstance(statement, b.Expect) and names.text(hex_) in units
            if hex_ not in hexes and not named:
                name = names.text(hex_)
                message = f"the hex {name} is outside the map, which has {board.grid} hexes"
                yield index, ValueMistake(message), name
        if isinstance(statement, b.Fact) and statement.name == "upslope":
            upper, where = statement.args
            if isinstance(where, Hexside) and upper not in where:
                side = names.text(where)
                wrong = f"{side} is not a hexside of the hex {names.text(upper)}"
                yield index, ValueMistake(wrong), side
        for kind, name in names_in(statement, words):
            # A sentence may begin with a Location, as with a unit in place of its Location.
            is_hex = kind == "where" and name in called
            if kind in ("unit", "where") and name not in units and not is_hex:
                yield (
                    index,
                    ValueMistake(f"there is no unit {name}", (), nearest(name, units)),
                    name,
                )
            if kind == "side" and sides and name not in sides:
                known = sorted(word_text(each, "side") for each in sides)
                mistake = ValueMistake(f"the board has no side {name}", known, nearest(name, known))
                yield index, mistake, word_text(name, "side")


def _treated(board: b.Board, words: Vocabulary) -> Iterator[BoardMistake]:
    """Yield substituted terrain that is neither a word of the rules nor on the map."""
    of_kind = words.words
    known = {"road", *of_kind["terrain"], *of_kind["hexside_terrain"], *of_kind["surface"]}
    known |= {each for pairs in VASL_TERMS.values() for each, _ in pairs}
    here: set[str] | None = None
    for index, said in enumerate(board.statements):
        if not isinstance(said, b.TerrainSubstitution) or said.terrain in known:
            continue
        if here is None:
            here = set(_kinds(board.statements))
        if said.terrain not in here:
            word = word_text(said.terrain, "terrain")
            near = nearest(word, [word_text(each, "terrain") for each in (*known, *here)])
            message = f"{word} is not a terrain of the rules or of this map"
            yield index, ValueMistake(message, (), near), word


def _kinds(statements: Iterable[b.Statement]) -> Iterator[str]:
    """Yield the kinds of printed features of a map and its boards."""
    for said in statements:
        if isinstance(said, b.PlacedBoard | b.Overlay):
            yield from _kinds(said.board.statements if said.board else ())
        elif isinstance(said, b.Area | b.HexsideTerrain | b.Outline):
            yield said.kind
        elif isinstance(said, b.Correction):
            yield said.mark


def enclosing_hexsides(board: b.Board, make: Callable[[], _T]) -> _T:
    """Return the result of a function on a board's depictions; BoardError for a ring without an
    area."""
    try:
        return make()
    except DegenerateRing as nothing:
        raise _without_area(board, nothing) from None


def _without_area(board: b.Board, nothing: DegenerateRing) -> BoardError:
    """Return the error for a board with a ring that encloses no area."""
    where = (
        board.place(index)
        for index, each in enumerate(board.statements)
        if isinstance(each, b.Outline) and nothing.ring in (each.outer, *each.holes)
    )
    place = next(where, b.SourcePosition(board.name or "board", 0))
    lines = board.lines.get(place.file, ())
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    return BoardError([Problem(place, line, str(nothing))])


def _declared_sides(statements: Iterable[b.Statement]) -> set[str]:
    """Return the sides in a `sides` line."""
    given = (each for each in statements if isinstance(each, b.Fact) and each.name == "side")
    return {str(each.args[0]) for each in given}


def names_in(statement: b.Statement, words: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield the units and sides in a statement, as (kind, name)."""
    match statement:
        case b.UncertainFact(given):
            yield from names_in(given, words)
        case b.UnitStatement(_, given):
            for each in given:
                yield from names_in(each, words)
        case b.Fact(name, args) if name not in ("nationality", "side"):
            kinds = words.inputs[name].kinds
            yield from ((k, str(arg)) for k, arg in zip(kinds, args, strict=True))
        case b.Expect(question):
            yield from _asked(question)


def _asked(value: object) -> Iterator[tuple[str, str]]:
    """Yield the units in a question, including those in place of Locations, and quoted texts."""
    match value:
        case b.ExpectedCost(units):
            yield from (("unit", unit) for unit in units)
        case UnitLocation(unit):
            yield "where", unit
        case DeedQuery():
            yield from (("unit", unit) for unit in value.other_units)
        case Argument(str(name), "unit" | "text" as kind):
            yield kind, name
    if isinstance(value, tuple):
        for part in value:
            yield from _asked(part)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _asked(getattr(value, each.name))


def to_problem(board: b.Board, index: int, mistake: ValueMistake, word: str) -> Problem:
    """Return a mistake at its statement, or at a word in the statement's lines."""
    place = board.place(index)
    if index >= len(board.statements):
        place = b.SourcePosition(board.name or "board", 0)
    lines = board.lines.get(place.file, ())
    if word and place.line:
        pattern = rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z0-9])"
        for number, line in enumerate(lines[place.line - 1 : place.line + 39], place.line):
            if found := re.search(pattern, line):
                place = b.SourcePosition(place.file, number, found.start() + 1)
                break
    text = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    return Problem(place, text, mistake.message, mistake.expected, mistake.nearest)
