"""Corrections merged into what they correct, and the whole board checked.

A used board is corrected by what comes after its `use`: statements that set or take back one mark
(`hex R8 stairwell yes`), and statements about the same thing, which then replace what the used
board said. Saying the same thing twice in one file is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace

from rules_asp.parser.errors import BoardError, Mistake, Problem, nearest
from rules_asp.positions.portions import cut_at, split, without_mark
from rules_asp.terms import board as b
from rules_asp.terms.arguments import said_word
from rules_asp.terms.grid import Grid, Hex, Hexside, Location, Vertex, spot_hex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Argument, Doing, Whereabouts

#: So many things can be left open: each doubles the cases that a question is asked of.
MOST_OPEN = 6


def resolve(board: b.Board, whole: bool = True) -> b.Board:
    """The board with all corrections merged: no Correction is left, and no Bar outside a Building.

    Where more changes will follow, what they may still mend is not looked at yet: `whole` is False.

    BoardError: a correction of what is not there, a hex outside the map, a unit or side that is not
    stated, the same thing said twice in one file, a `use` that was not followed.
    """
    merging = _Merging(board)
    for index, statement in enumerate(board.statements):
        merging.add(index, statement)
    kept = [(said, index) for said, index in merging.entries if said is not None]
    found = _mistakes(board, kept) if whole else ()
    problems = [problem(board, *wrong) for wrong in (*merging.mistakes, *found)]
    if problems:
        raise BoardError(sorted(dict.fromkeys(problems), key=lambda problem: problem.place))
    return replace(
        board,
        statements=tuple(said for said, _ in kept),
        places=tuple(board.place(index) for _, index in kept),
    )


#: What is wrong: the index of the statement, the mistake, and the word that it is about.
_Wrong = tuple[int, Mistake, str]
#: A statement as it stands now, and the index of the statement that it stems from.
_Entry = tuple[b.Statement | None, int]


class _Merging:
    """The statements so far, in the order of the text, each corrected by those after it."""

    def __init__(self, board: b.Board) -> None:
        self.board = board
        self.entries: list[_Entry] = []
        self.mistakes: list[_Wrong] = []
        self.holders: dict[tuple[object, ...], int] = {}

    def add(self, index: int, statement: b.Statement) -> None:
        """Take in the next statement."""
        try:
            match statement:
                case b.Use():
                    raise Mistake("a text that uses a board is loaded from its file")
                case b.Correction(Hex() as where):
                    self.correct_hex(index, where, statement)
                case b.Correction(Hexside() as where):
                    self.correct_side(index, where, statement)
                case b.Bar():
                    self.bar(statement)
                case _:
                    for key in _keys(statement):
                        self.claim(index, key)
                    self.append(index, statement)
        except Mistake as mistake:
            self.mistakes.append((index, mistake, ""))

    def append(self, index: int, statement: b.Statement) -> None:
        """A new entry, which holds what the statement is about."""
        self.holders |= dict.fromkeys(_keys(statement), len(self.entries))
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
            raise Mistake(f"line {old.line} says this already of {_plain(key)}")
        match held:
            case b.Level(level, hexes):
                left = tuple(each for each in hexes if each != key[1])
                self.put(entry, b.Level(level, left) if left else None)
            case b.Building():
                self.put(entry, split(held, _hex(key[1]))[0])
            case _:
                self.put(entry, None)

    # --- corrections of a hex

    def correct_hex(self, index: int, where: Hex, said: b.Correction) -> None:
        """`hex R8 ...`."""
        if said.mark == "level" and isinstance(said.to, int):
            key = ("level", where)
            if key in self.holders:
                entry = self.holders.pop(key)
                held = self.entries[entry][0]
                if isinstance(held, b.Level):
                    left = tuple(each for each in held.hexes if each != where)
                    self.put(entry, b.Level(held.level, left) if left else None)
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
        raise Mistake(f"there is no building in {' or '.join(map(str, hexes))}")

    def recolour(self, index: int, where: Hex, colour: str) -> None:
        """`hex R8 building gray`, or `no` for no building there."""
        entry, held = self.building_at(where)
        left, taken = split(held, where)
        self.put(entry, left)
        del self.holders["building", where]
        if colour != "no":
            self.append(index, replace(taken, colour=colour))

    def stairwell(self, where: Hex, printed: bool) -> None:
        """`hex R8 stairwell yes`."""
        entry, held = self.building_at(where)
        others = tuple(each for each in held.stairwells if each != where)
        if not printed and others == held.stairwells:
            raise Mistake(f"there is no stairwell in {where}")
        self.put(entry, replace(held, stairwells=(*others, where) if printed else others))

    def mark(self, index: int, where: Hex, mark: str, on: bool) -> None:
        """`hex R8 woods no`, `hex R8 marketplace yes`: terrain, or another printed mark."""
        if mark in vocabulary().words.get("symbol", ()):
            symbol = b.Given("symbol", (where, mark))
            if on:
                self.append(index, symbol)
            else:
                self.strike(lambda each: None if each == symbol else each, f"{mark} in {where}")
        elif on:
            self.append(index, b.Area(mark, (where,)))
        else:

            def without(each: b.Statement) -> b.Statement | None:
                if not isinstance(each, b.Area) or each.kind != mark or where not in each.hexes:
                    return each
                left = tuple(hex_ for hex_ in each.hexes if hex_ != where)
                return b.Area(mark, left) if left else None

            self.strike(without, f"{said_word(mark, 'terrain')} in {where}")

    def settle(self, where: Hex | Hexside, on: bool) -> None:
        """`hex R8 doubt no`: the players know."""
        if on:
            raise Mistake('say what is in doubt: doubt HEX "..."')
        self.strike(
            lambda each: None if isinstance(each, b.Doubt) and each.where == where else each,
            f"doubt about {where}",
        )

    def strike(self, change: Callable[[b.Statement], b.Statement | None], what: str) -> None:
        """Change all statements; Mistake when none is changed."""
        struck = False
        for entry, (held, _) in enumerate(self.entries):
            if held is not None and (now := change(held)) is not held:
                self.put(entry, now)
                struck = True
        if not struck:
            raise Mistake(f"there is no {what}")

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
            self.append(index, b.Sides(said.mark, (where,)))
        else:
            self.strike(
                lambda each: without_mark(each, said.mark, where), f"{said.mark} at {where}"
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
            ways = list(cut_at(each.hexes, where))
            if len(ways) == 1:
                return each
            pieces.extend(b.Road(each.surface, way) for way in ways if len(way) > 1)
            return None

        self.strike(cut, f"road across {where}")
        for piece in pieces:
            self.append(index, piece)


def _keys(statement: b.Statement) -> Iterator[tuple[object, ...]]:
    """What a statement is about, if that can be said only once."""
    match statement:
        case b.Level(_, hexes):
            yield from (("level", hex_) for hex_ in hexes)
        case b.Building(_, hexes):
            yield from (("building", hex_) for hex_ in hexes)
        case b.Thing(name):
            yield "unit", name
        case b.Treat(terrain):
            yield "treat", terrain
        case b.Perhaps(given):
            yield from _keys(given)
        case b.Given(name, args):
            once = vocabulary().inputs[name].once
            if once is not None:
                yield name, *args[:once]


def _plain(key: tuple[object, ...]) -> str:
    """What a key is about, in words."""
    return " ".join(str(part).replace("_", " ") for part in reversed(key))


def _hex(key: object) -> Hex:
    assert isinstance(key, Hex)
    return key


# --- the whole board


def _mistakes(board: b.Board, entries: Sequence[tuple[b.Statement, int]]) -> Iterator[_Wrong]:
    """Hexes outside the map, and units and sides that nobody stated."""
    if board.grid == Grid(0, 0):
        missing = 'no line says how large the map is: board "NAME" grid 33x10'
        yield len(board.statements), Mistake(missing), ""
        return
    open_ = [index for said, index in entries if isinstance(said, b.Perhaps)]
    if len(open_) > MOST_OPEN:
        yield open_[MOST_OPEN], Mistake(f"more than {MOST_OPEN} things are left open"), "perhaps"
    hexes = frozenset(board.grid.hexes())
    units = {said.name for said, _ in entries if isinstance(said, b.Thing)}
    called = {str(hex_) for hex_ in hexes}
    sides = _declared_sides(said for said, _ in entries)
    for statement, index in entries:
        if isinstance(statement, b.Thing) and statement.name in called:
            name = statement.name
            yield index, Mistake(f"{name} is a hex of this map, and no name for a unit"), name
        for hex_ in _hexes(statement):
            # What is expected may name a unit that is called as a hex elsewhere is.
            named = isinstance(statement, b.Expect) and str(hex_) in units
            if hex_ not in hexes and not named:
                message = f"{hex_} is not on this map of {board.grid} hexes"
                yield index, Mistake(message), str(hex_)
        if isinstance(statement, b.Given) and statement.name == "upslope":
            upper, where = statement.args
            if isinstance(where, Hexside) and upper not in where:
                yield index, Mistake(f"{where} is no hexside of {upper}"), str(where)
        for kind, name in names(statement):
            if kind == "unit" and name not in units:
                yield index, Mistake(f"there is no unit {name}", (), nearest(name, units)), name
            if kind == "side" and sides and name not in sides:
                known = sorted(said_word(each, "side") for each in sides)
                mistake = Mistake(f"{name} is none of the sides", known, nearest(name, known))
                yield index, mistake, said_word(name, "side")


def _declared_sides(statements: Iterable[b.Statement]) -> set[str]:
    """The sides that a `sides` line names."""
    given = (each for each in statements if isinstance(each, b.Given) and each.name == "side")
    return {str(each.args[0]) for each in given}


def _hexes(value: object) -> Iterator[Hex]:
    """All hexes that a statement names."""
    if isinstance(value, Hex):
        yield value
    elif isinstance(value, Vertex | Location):
        yield spot_hex(value.spot if isinstance(value, Location) else value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _hexes(part)
    elif is_dataclass(value) and not isinstance(value, b.Outline):
        for each in fields(value):
            yield from _hexes(getattr(value, each.name))


def names(statement: b.Statement) -> Iterator[tuple[str, str]]:
    """The units and sides that a statement names, as (kind, name)."""
    match statement:
        case b.Perhaps(given):
            yield from names(given)
        case b.Thing(_, given):
            for each in given:
                yield from names(each)
        case b.Given(name, args) if name not in ("nationality", "side"):
            kinds = vocabulary().inputs[name].kinds
            yield from ((k, str(arg)) for k, arg in zip(kinds, args, strict=True))
        case b.Expect(question):
            yield from _asked(question)


def _asked(value: object) -> Iterator[tuple[str, str]]:
    """The units that a question names."""
    match value:
        case b.Cost(units):
            yield from (("unit", unit) for unit in units)
        case Whereabouts(unit):
            yield "unit", unit
        case Doing():
            yield from (("unit", unit) for unit in value.besides)
        case Argument(str(name), "unit"):
            yield "unit", name
    if isinstance(value, tuple):
        for part in value:
            yield from _asked(part)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _asked(getattr(value, each.name))


def problem(board: b.Board, index: int, mistake: Mistake, word: str) -> Problem:
    """A mistake at its statement, or at a word that stands in the statement's lines."""
    place = board.place(index)
    if index >= len(board.statements):
        place = b.Place(board.name or "board", 0)
    lines = board.lines.get(place.file, ())
    if word and place.line:
        pattern = rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z0-9])"
        for number, line in enumerate(lines[place.line - 1 : place.line + 39], place.line):
            if found := re.search(pattern, line):
                place = b.Place(place.file, number, found.start() + 1)
                break
    text = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    return Problem(place, text, mistake.message, mistake.expected, mistake.nearest)
