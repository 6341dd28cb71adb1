"""Resolution: corrections are merged into the statements they correct, and the board is checked.

Statements after a `use` correct the used board. Some set or remove one mark (`hex R8 stairwell
yes`), others replace statements about the same thing. Two statements about the same thing in one
file are a mistake. On the whole board, hexes must be on the map, and units and sides be stated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from rules_asp.boards.placement import (
    covered_hexes,
    has_levels,
    map_places,
    merge_boards,
    placing_of,
    without_hexes,
)
from rules_asp.boards.statement_ops import (
    hexes_of,
    is_for_rules,
    keep_parts,
    split_building,
    substitute_terrain,
    substitute_terrain_on,
    unique_keys,
)
from rules_asp.game import board as b
from rules_asp.game.grid import Grid, Hex, Hexside
from rules_asp.game.map_layout import map_names
from rules_asp.game.query import Argument, DeedQuery, UnitLocation
from rules_asp.game.values import word_text
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary
from rules_asp.geometry.polygons import DegenerateRing
from rules_asp.geometry.shapes import draws_in_hex
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


def resolve(board: b.Board, words: Vocabulary | None = None, whole: bool = True) -> b.Board:
    """Return the board with all corrections merged: no Correction is left, and no Bar outside a
    Building.

    `whole` is False if further changes follow; checks that they may still satisfy are skipped.

    BoardError: a correction of something missing, a hex outside the map, a unit or side that is not
    stated, two statements about one thing in a file, a `use` that was not followed.
    """
    known = words or default_vocabulary()
    return enclosing_hexsides(board, lambda: _resolved(_laid_out(board, known), known, whole))


def _resolved(board: b.Board, words: Vocabulary, whole: bool) -> b.Board:
    merging = _Merging(board, words)
    for index, statement in enumerate(board.statements):
        merging.add(index, statement)
    kept = [(said, index) for said, index in merging.entries if said is not None]
    found = board_mistakes(board, kept, words) if whole else ()
    problems = [to_problem(board, *wrong) for wrong in (*merging.mistakes, *found)]
    if problems:
        raise BoardError(sorted(dict.fromkeys(problems), key=lambda problem: problem.place))
    return replace(
        board,
        statements=tuple(said for said, _ in kept),
        places=tuple(board.place(index) for _, index in kept),
    )


def _laid_out(board: b.Board, words: Vocabulary) -> b.Board:
    """Return a map whose placed boards are each resolved, with all statements in the map's names."""
    laid = {each.label: each.board for each in board.statements if isinstance(each, b.PlacedBoard)}
    if not laid:
        return board
    boards: dict[str, b.Board] = {}
    problems: list[Problem] = []
    for label, each in laid.items():
        try:
            boards[label] = resolve(replace(each, lines=board.lines), words)
        except BoardError as error:
            problems += error.problems
    treats = [
        each for each in board.statements if isinstance(each, b.TerrainSubstitution) and each.on
    ]
    said, mistakes = merge_boards(board.grid, boards, treats, words)
    first = next(n for n, each in enumerate(board.statements) if isinstance(each, b.PlacedBoard))
    problems += (to_problem(board, first, mistake, "") for mistake in mistakes)
    if problems:
        raise BoardError(sorted(dict.fromkeys(problems), key=lambda problem: problem.place))
    own = [
        (each, board.place(index))
        for index, each in enumerate(board.statements)
        if not isinstance(each, b.PlacedBoard)
        and not (isinstance(each, b.TerrainSubstitution) and each.on)
    ]
    return replace(
        board,
        statements=tuple(each for each, _ in (*said, *own)),
        places=tuple(place for _, place in (*said, *own)),
    )


#: A merged statement, and the index of its original.
_Entry = tuple[b.Statement | None, int]


class _Merging:
    """The merged statements so far, in the order of the text."""

    def __init__(self, board: b.Board, words: Vocabulary) -> None:
        self.board = board
        self.words = words
        self.name = map_names(board.grid).text
        self.entries: list[_Entry] = []
        self.mistakes: list[BoardMistake] = []
        self.holders: dict[tuple[object, ...], int] = {}

    def add(self, index: int, statement: b.Statement) -> None:
        """Merge the next statement."""
        try:
            match statement:
                case b.Use():
                    raise ValueMistake("a text with a `use` line must be loaded from its file")
                case b.Correction(Hex() as where):
                    self.correct_hex(index, where, statement)
                case b.Correction(Hexside() as where):
                    self.correct_side(index, where, statement)
                case b.Bar():
                    self.bar(statement)
                case b.Overlay():
                    self.overlay(index, statement)
                case b.TerrainSubstitution(on=str()):
                    self.treat_on(statement)
                case b.TerrainSubstitution() if not is_for_rules(statement, self.words):
                    self.treat(statement)
                case _:
                    for key in unique_keys(statement, self.words):
                        self.claim(index, key)
                    if isinstance(statement, b.UnitStatement):
                        self.check_traits(statement)
                    self.append(index, statement)
        except ValueMistake as mistake:
            self.mistakes.append((index, mistake, ""))

    def check_traits(self, unit: b.UnitStatement) -> None:
        """Raise ValueMistake for a trait with two values that can be stated only once."""
        known: dict[tuple[object, ...], b.Fact] = {}
        for trait in unit.facts:
            for key in unique_keys(trait, self.words):
                if known.setdefault(key, trait) != trait:
                    raise ValueMistake(
                        f"{self.plain(key[::-1])} is stated with two values: remove one of them"
                    )

    def append(self, index: int, statement: b.Statement) -> None:
        """Append an entry, which owns the subject of its statement."""
        self.holders |= dict.fromkeys(unique_keys(statement, self.words), len(self.entries))
        self.entries.append((statement, index))

    def put(self, entry: int, *statements: b.Statement) -> None:
        """Replace an entry by statements; further ones are appended."""
        source = self.entries[entry][1]
        first, *more = statements or (None,)
        self.entries[entry] = first, source
        self.entries += ((each, source) for each in more)

    def change(self, change: Callable[[b.Statement], Iterable[b.Statement]]) -> bool:
        """Replace each statement by the result of `change`; return whether any changed."""
        found = False
        for entry, (held, _) in enumerate(self.entries.copy()):
            if held is not None and (now := tuple(change(held))) != (held,):
                self.put(entry, *now)
                found = True
        return found

    def claim(self, index: int, key: tuple[object, ...]) -> None:
        """Claim a subject for a new statement: an older one of a used board loses it."""
        if key not in self.holders:
            return
        old, new = self.board.place(self.entries[self.holders[key]][1]), self.board.place(index)
        if old.file == new.file:
            del self.holders[key]
            raise ValueMistake(
                f"line {old.line} already sets {self.plain(key)}: remove one of the two lines"
            )
        self.release(key)

    def release(self, key: tuple[object, ...]) -> None:
        """Remove a subject from its statement."""
        entry = self.holders.pop(key)
        held, _ = self.entries[entry]
        rest = (
            ()
            if held is None
            else keep_parts(held, lambda e: key not in unique_keys(e, self.words))
        )
        self.put(entry, *rest)

    def overlay(self, index: int, overlay: b.Overlay) -> None:
        """`overlay "st2.board" A1 on M4`."""
        if overlay.board is None:
            raise ValueMistake(
                "a board with an overlay must be loaded from a file, because it uses another file"
            )
        board = resolve(replace(overlay.board, lines=self.board.lines), self.words)
        at, ground = placing_of(overlay), has_levels(board)
        gone, on_map = (
            frozenset(map(at.hex, covered_hexes(board))),
            frozenset(self.board.grid.hexes()),
        )
        if not gone:
            raise ValueMistake("the overlay is empty: it must cover at least one hex")
        off = [hex_ for hex_ in covered_hexes(board) if at.hex(hex_) not in on_map]
        if off:
            raise ValueMistake(f"the hex {min(off)} of the overlay would lie outside the map")
        self.change(lambda held: without_hexes(held, gone, ground))
        held_by = ((held, n) for n, (held, _) in enumerate(self.entries) if held is not None)
        self.holders = {key: n for held, n in held_by for key in unique_keys(held, self.words)}
        self.append(index, b.Erasure("all", tuple(sorted(gone))))
        if ground:
            self.append(index, b.Erasure("ground", tuple(sorted(gone))))
        for each in board.statements:
            for placed in map_places(each, at, self.words):
                self.append(index, placed)

    def treat(self, said: b.TerrainSubstitution) -> None:
        """`treat wall as bocage`, `no cliff`: for all statements so far."""
        self.change(lambda held: substitute_terrain(held, (said,)))

    def treat_on(self, said: b.TerrainSubstitution) -> None:
        """`treat woods as brush on 24`, for a map whose boards are already placed."""
        field = next((part.field for part in self.board.grid.parts if part.label == said.on), None)
        if field is None:
            raise ValueMistake(f"the map has no board {said.on}")
        self.change(lambda held: substitute_terrain_on(held, said, field))

    # --- Corrections of a hex.

    def correct_hex(self, index: int, where: Hex, said: b.Correction) -> None:
        """`hex R8 ...`."""
        if said.mark in ("level", "ground") and isinstance(said.to, int):
            if ("level", where) in self.holders:
                self.release(("level", where))
            if said.mark == "ground":
                self.append(index, b.Erasure("ground", (where,)))
            self.append(index, b.Level(said.to, (where,)))
        elif said.mark == "building":
            self.recolour(index, where, str(said.to))
        elif said.mark == "stairwell":
            self.stairwell(where, said.to == "yes")
        elif said.mark == "doubt":
            self.settle(where, said.to == "yes")
        else:
            self.mark(index, where, said.mark, said.to == "yes")

    def building_at(self, *hexes: Hex) -> tuple[int, b.Building]:
        """Return the entry of the building in one of the hexes; Mistake if there is none."""
        for hex_ in hexes:
            entry = self.holders.get(("building", hex_))
            if entry is not None:
                held = self.entries[entry][0]
                if isinstance(held, b.Building):
                    return entry, held
        raise ValueMistake(f"there is no building in {' or '.join(map(self.name, hexes))}")

    def recolour(self, index: int, where: Hex, colour: str) -> None:
        """`hex R8 building gray`, or `no` to remove the building there."""
        entry, held = self.building_at(where)
        left, taken = split_building(held, (where,))
        self.put(entry, *[left] if left else [])
        del self.holders["building", where]
        if colour != "no":
            self.append(index, replace(taken, colour=colour))

    def stairwell(self, where: Hex, printed: bool) -> None:
        """`hex R8 stairwell yes`."""
        entry, held = self.building_at(where)
        others = tuple(each for each in held.stairwells if each != where)
        if not printed and others == held.stairwells:
            raise ValueMistake(f"there is no stairwell in {self.name(where)}")
        self.put(entry, replace(held, stairwells=(*others, where) if printed else others))

    def mark(self, index: int, where: Hex, mark: str, on: bool) -> None:
        """`hex R8 woods no`, `hex R8 marketplace yes`: terrain, or another printed mark."""
        name = self.name(where)
        if mark in self.words.words.get("symbol", ()):
            symbol = b.Fact("symbol", (where, mark))
            if on:
                self.append(index, symbol)
            else:
                self.strike(lambda part: part == symbol, f"{mark} in {name}")
        elif on:
            self.append(index, b.Area(mark, (where,)))
        else:
            printed = b.Area(mark, (where,))
            drawn = self.is_drawn(mark, where)
            what = f"{word_text(mark, 'terrain')} in {name}"
            self.strike(lambda part: part == printed, what, drawn)
            if drawn:
                self.append(index, b.Erasure(mark, (where,)))

    def is_drawn(self, kind: str, where: Hex) -> bool:
        """Test whether an outline draws this kind in the hex."""
        outlines = [
            held
            for held, _ in self.entries
            if isinstance(held, b.Outline) and held.kind == kind and held.level is None
        ]
        return draws_in_hex(outlines, where, self.board.grid)

    def settle(self, where: Hex | Hexside, on: bool) -> None:
        """`hex R8 doubt no`: settle the uncertain map data."""
        if on:
            raise ValueMistake('a new doubt needs a text: write doubt HEX "..."')
        self.strike(
            lambda part: isinstance(part, b.Doubt) and part.where == where,
            f"doubt about {self.name(where)}",
        )

    def strike(
        self, is_gone: Callable[[b.Statement], bool], what: str, struck: bool = False
    ) -> None:
        """Remove parts from all statements; Mistake if there are none, and none were removed
        before."""
        if not (self.change(lambda held: keep_parts(held, lambda e: not is_gone(e))) or struck):
            raise ValueMistake(f"there is no {what}")

    def plain(self, key: tuple[object, ...]) -> str:
        """Return the subject of a key in words."""
        return " ".join(self.name(part).replace("_", " ") for part in reversed(key))

    # --- Corrections of a hexside.

    def correct_side(self, index: int, where: Hexside, said: b.Correction) -> None:
        """`hexside O8-P8 ...`."""
        on = said.to == "yes"
        if said.mark == "joined" and on:
            entry, held = self.building_at(*where)
            others = tuple(each for each in held.joined if each != where)
            self.put(entry, replace(held, joined=(*others, where)))
        elif said.mark == "bar" and on:
            self.bar(b.Bar(where))
        elif said.mark == "doubt":
            self.settle(where, on)
        elif said.mark == "road":
            self.close(index, where)
        elif on:
            self.append(index, b.HexsideTerrain(said.mark, (where,)))
        else:
            marks = replace(said, to="yes"), b.HexsideTerrain(said.mark, (where,))
            self.strike(
                lambda part: part in marks or (said.mark == "bar" and _is_bar(part, where)),
                f"{said.mark} at {self.name(where)}",
            )

    def bar(self, bar: b.Bar) -> None:
        """Add a bar to a building; it replaces one on the same hexside."""
        self.change(lambda held: keep_parts(held, lambda part: not _is_bar(part, bar.side)))
        entry, held = self.building_at(*bar.side)
        self.put(entry, replace(held, bars=(*held.bars, bar)))

    def close(self, index: int, where: Hexside) -> None:
        """`hexside A1-A2 road no`: end the roads across it before it."""
        pieces: list[b.Statement] = []

        def split(held: b.Statement) -> tuple[b.Statement, ...]:
            left = keep_parts(
                held, lambda part: not (isinstance(part, b.Road) and part.hexes == tuple(where))
            )
            if left == (held,):
                return left
            pieces.extend(left)
            return ()

        if not self.change(split):
            raise ValueMistake(f"there is no road across {self.name(where)}")
        for piece in pieces:
            self.append(index, piece)


def _is_bar(part: b.Statement, where: Hexside) -> bool:
    return isinstance(part, b.Bar) and part.side == where
