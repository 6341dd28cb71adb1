"""Corrections merged into what they correct, and the whole board checked.

A used board is corrected by what comes after its `use`: statements that set or take back one mark
(`hex R8 stairwell yes`), and statements about the same thing, which then replace what the used
board said. Saying the same thing twice in one file is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rules_asp.boards.placement import (
    covered_hexes,
    has_levels,
    merge_boards,
    place_statement,
    placing_of,
    without_hexes,
)
from rules_asp.boards.statement_ops import (
    is_for_rules,
    split_building,
    split_road_at,
    substitute_terrain,
    substitute_terrain_on,
    without_mark,
)
from rules_asp.boards.validate import BoardMistake, board_mistakes, enclosing_hexsides, to_problem
from rules_asp.game import board as b
from rules_asp.game.grid import Hex, Hexside
from rules_asp.game.map_layout import map_names
from rules_asp.game.values import word_text
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary
from rules_asp.geometry.shapes import draws_in_hex
from rules_asp.parser.errors import BoardError, Problem, ValueMistake


def resolve(board: b.Board, words: Vocabulary | None = None, whole: bool = True) -> b.Board:
    """The board with all corrections merged: no Correction is left, and no Bar outside a Building.

    Where more changes will follow, what they may still mend is not looked at yet: `whole` is False.

    BoardError: a correction of what is not there, a hex outside the map, a unit or side that is not
    stated, the same thing said twice in one file, a `use` that was not followed.
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
    """A map on which each board that is laid is resolved by itself, and says all in the map's names."""
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


#: A statement as it stands now, and the index of the statement that it stems from.
_Entry = tuple[b.Statement | None, int]


class _Merging:
    """The statements so far, in the order of the text, each corrected by those after it."""

    def __init__(self, board: b.Board, words: Vocabulary) -> None:
        self.board = board
        self.words = words
        self.name = map_names(board.grid).text
        self.entries: list[_Entry] = []
        self.mistakes: list[BoardMistake] = []
        self.holders: dict[tuple[object, ...], int] = {}

    def add(self, index: int, statement: b.Statement) -> None:
        """Take in the next statement."""
        try:
            match statement:
                case b.Use():
                    raise ValueMistake("a text that uses a board is loaded from its file")
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
                    self.append(index, statement)
        except ValueMistake as mistake:
            self.mistakes.append((index, mistake, ""))

    def append(self, index: int, statement: b.Statement) -> None:
        """A new entry, which holds what the statement is about."""
        self.holders |= dict.fromkeys(unique_keys(statement, self.words), len(self.entries))
        self.entries.append((statement, index))

    def put(self, entry: int, statement: b.Statement | None) -> None:
        """An entry as it is from now on."""
        self.entries[entry] = (statement, self.entries[entry][1])

    def claim(self, index: int, key: tuple[object, ...]) -> None:
        """Free a thing for a new statement about it: an older one of a used board gives it up."""
        if key not in self.holders:
            return
        entry = self.holders.pop(key)
        held, source = self.entries[entry]
        old, new = self.board.place(source), self.board.place(index)
        if old.file == new.file:
            raise ValueMistake(f"line {old.line} says this already of {self.plain(key)}")
        match held:
            case b.Level(level, hexes):
                left = tuple(each for each in hexes if each != key[1])
                self.put(entry, b.Level(level, left) if left else None)
            case b.Building():
                self.put(entry, split_building(held, _hex(key[1]))[0])
            case _:
                self.put(entry, None)

    def overlay(self, index: int, overlay: b.Overlay) -> None:
        """`overlay "st2.board" A1 on M4`."""
        if overlay.board is None:
            raise ValueMistake("a text with an overlay is loaded from its file")
        board = resolve(replace(overlay.board, lines=self.board.lines), self.words)
        at, ground = placing_of(overlay), has_levels(board)
        gone, on_map = (
            frozenset(map(at.hex, covered_hexes(board))),
            frozenset(self.board.grid.hexes()),
        )
        if not gone:
            raise ValueMistake("this overlay says nothing of any hex")
        off = [hex_ for hex_ in covered_hexes(board) if at.hex(hex_) not in on_map]
        if off:
            raise ValueMistake(f"hex {min(off)} of the overlay would lie off the map")
        for entry, (held, source) in enumerate(self.entries.copy()):
            rest = [] if held is None else list(without_hexes(held, gone, ground))
            self.put(entry, rest[0] if rest else None)
            self.entries += ((more, source) for more in rest[1:])
        held_by = ((held, n) for n, (held, _) in enumerate(self.entries) if held is not None)
        self.holders = {key: n for held, n in held_by for key in unique_keys(held, self.words)}
        self.append(index, b.Erasure("all", tuple(sorted(gone))))
        if ground:
            self.append(index, b.Erasure("ground", tuple(sorted(gone))))
        for each in board.statements:
            self.append(index, place_statement(each, at, self.words))

    def treat(self, said: b.TerrainSubstitution) -> None:
        """`treat wall as bocage`, `no cliff`: of what has been said so far."""
        for entry, (held, _) in enumerate(self.entries):
            if held is not None:
                self.put(entry, substitute_terrain(held, (said,)))

    def treat_on(self, said: b.TerrainSubstitution) -> None:
        """`treat woods as brush on 24`, of a map whose boards are laid already."""
        field = next((part.field for part in self.board.grid.parts if part.label == said.on), None)
        if field is None:
            raise ValueMistake(f"there is no board {said.on}")
        for entry, (held, source) in enumerate(self.entries.copy()):
            now = [] if held is None else list(substitute_terrain_on(held, said, field))
            self.put(entry, now[0] if now else None)
            self.entries += ((more, source) for more in now[1:])

    # --- corrections of a hex

    def correct_hex(self, index: int, where: Hex, said: b.Correction) -> None:
        """`hex R8 ...`."""
        if said.mark in ("level", "ground") and isinstance(said.to, int):
            key = ("level", where)
            if key in self.holders:
                entry = self.holders.pop(key)
                held = self.entries[entry][0]
                if isinstance(held, b.Level):
                    left = tuple(each for each in held.hexes if each != where)
                    self.put(entry, b.Level(held.level, left) if left else None)
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
        """The entry of the building in one of the hexes; Mistake when there is none."""
        for hex_ in hexes:
            entry = self.holders.get(("building", hex_))
            if entry is not None:
                held = self.entries[entry][0]
                if isinstance(held, b.Building):
                    return entry, held
        raise ValueMistake(f"there is no building in {' or '.join(map(self.name, hexes))}")

    def recolour(self, index: int, where: Hex, colour: str) -> None:
        """`hex R8 building gray`, or `no` for no building there."""
        entry, held = self.building_at(where)
        left, taken = split_building(held, where)
        self.put(entry, left)
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
                self.strike(lambda each: None if each == symbol else each, f"{mark} in {name}")
        elif on:
            self.append(index, b.Area(mark, (where,)))
        else:

            def without(each: b.Statement) -> b.Statement | None:
                if not isinstance(each, b.Area) or each.kind != mark or where not in each.hexes:
                    return each
                left = tuple(hex_ for hex_ in each.hexes if hex_ != where)
                return b.Area(mark, left) if left else None

            drawn = self.is_drawn(mark, where)
            self.strike(without, f"{word_text(mark, 'terrain')} in {name}", drawn)
            if drawn:
                self.append(index, b.Erasure(mark, (where,)))

    def is_drawn(self, kind: str, where: Hex) -> bool:
        """Whether an outline draws this in the hex."""
        outlines = [
            held
            for held, _ in self.entries
            if isinstance(held, b.Outline) and held.kind == kind and held.level is None
        ]
        return draws_in_hex(outlines, where, self.board.grid)

    def settle(self, where: Hex | Hexside, on: bool) -> None:
        """`hex R8 doubt no`: the players know."""
        if on:
            raise ValueMistake('say what is in doubt: doubt HEX "..."')
        self.strike(
            lambda each: None if isinstance(each, b.Doubt) and each.where == where else each,
            f"doubt about {self.name(where)}",
        )

    def strike(
        self,
        change: Callable[[b.Statement], b.Statement | None],
        what: str,
        struck: bool = False,
    ) -> None:
        """Change all statements; Mistake when none is changed, and nothing was before."""
        for entry, (held, _) in enumerate(self.entries):
            if held is not None and (now := change(held)) is not held:
                self.put(entry, now)
                struck = True
        if not struck:
            raise ValueMistake(f"there is no {what}")

    def plain(self, key: tuple[object, ...]) -> str:
        """What a key is about, in words."""
        return " ".join(self.name(part).replace("_", " ") for part in reversed(key))

    # --- corrections of a hexside

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
            self.strike(
                lambda each: without_mark(each, said.mark, where),
                f"{said.mark} at {self.name(where)}",
            )

    def bar(self, bar: b.Bar) -> None:
        """A bar for a building; it replaces one on the same hexside."""
        for entry, (held, _) in enumerate(self.entries):
            if isinstance(held, b.Building) and any(each.side == bar.side for each in held.bars):
                self.put(entry, without_mark(held, "bar", bar.side))
        entry, held = self.building_at(*bar.side)
        self.put(entry, replace(held, bars=(*held.bars, bar)))

    def close(self, index: int, where: Hexside) -> None:
        """`hexside A1-A2 road no`: the roads across it end before it."""
        pieces: list[b.Road] = []

        def cut(each: b.Statement) -> b.Statement | None:
            if not isinstance(each, b.Road):
                return each
            ways = list(split_road_at(each.hexes, where))
            if len(ways) == 1:
                return each
            pieces.extend(b.Road(each.surface, way) for way in ways if len(way) > 1)
            return None

        self.strike(cut, f"road across {self.name(where)}")
        for piece in pieces:
            self.append(index, piece)


def unique_keys(statement: b.Statement, words: Vocabulary) -> Iterator[tuple[object, ...]]:
    """What a statement is about, if that can be said only once."""
    match statement:
        case b.Level(_, hexes):
            yield from (("level", hex_) for hex_ in hexes)
        case b.Building(_, hexes):
            yield from (("building", hex_) for hex_ in hexes)
        case b.UnitStatement(name):
            yield "unit", name
        case b.TerrainSubstitution(terrain):
            yield "treat", terrain
        case b.UncertainFact(given):
            yield from unique_keys(given, words)
        case b.Fact(name, args):
            once = words.inputs[name].once
            if once is not None:
                yield name, *args[:once]


def _hex(key: object) -> Hex:
    assert isinstance(key, Hex)
    return key
