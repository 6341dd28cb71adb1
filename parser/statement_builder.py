"""Conversion of parse trees to board statements of all kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

from lark import Token, Tree

from rules_asp.game import board as b
from rules_asp.game.grid import (
    Grid,
    Hex,
    Point,
    column_name,
    hex_of_spot,
    hexside_between,
    parse_hex,
)
from rules_asp.game.map_layout import (
    ABOVE,
    BELOW,
    LEFT,
    PLAIN_NAMES,
    RIGHT,
    MapNames,
    PlacementError,
)
from rules_asp.game.values import Term, unquoted, word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.parser import values
from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.parser.expectations import ExpectationBuilder
from rules_asp.parser.input_syntax import (
    BARRELS,
    HEX_MARKS,
    MARKS,
    SIDE_MARKS,
    STATEMENTS,
    TRAITS,
    VASL_TERMS,
    argument_order,
)
from rules_asp.parser.source_text import NOTHING, ParsedText

# --- The board of a text: its own, a used one, or several placed next to each other.


#: The largest board; its columns have names of one letter or two equal letters.
MOST_COLUMNS, MOST_ROWS = 52, 75

_FIELD = re.compile(r"([A-Z]+)([0-9]+)-([A-Z]+)([0-9]+)")


#: The properties of a board's placement, in words.
_TWICE = {
    "label": "the name of the board",
    "turned": "the rotation of the board",
    "columns": "the part of the board",
    "rows": "the part of the board",
    "half": "the part of the board",
    "beside": "the position of the board",
}


def unfit(wrong: PlacementError) -> ValueMistake:
    """Return the mistake of a board placement."""
    return ValueMistake(wrong.message, wrong.known, nearest(wrong.word, wrong.known))


class BoardBuilder(ExpectationBuilder):
    """Builds the statements about boards and their placement."""

    def make_board(
        self, name: Token, size: Token | None, first: Token | None
    ) -> tuple[b.Statement, ...]:
        """`board "church" grid 33x10`, `board "1b" grid 17x20 from Q1`."""
        if self.text.name is not None:
            self.fail(
                ValueMistake("this is the second `board` line: a text may have only one"), name
            )
        self.text.name = unquoted(name)
        if size is not None:
            self.text.grid = self.size(size, first)
            # A board of its own has its own hexes, whatever map uses it.
            self.text.on = NOTHING
            self.text.names = PLAIN_NAMES
        return ()

    def size(self, said: Token, begins: Token | None) -> Grid:
        """`33x10`, `17x20 from Q1`."""
        cols, rows = map(int, said.split("x"))
        if not (1 <= cols <= MOST_COLUMNS and 1 <= rows <= MOST_ROWS):
            limits = f"a size from 1x1 to {MOST_COLUMNS}x{MOST_ROWS}"
            self.fail(ValueMistake(f"a map cannot have {said} hexes", [limits]), said)
        start = Hex(0, 1) if begins is None else self.hex(begins)
        if begins is not None and not (
            start.col % 2 == 0
            and start.col + cols <= MOST_COLUMNS
            and 1 <= start.row <= MOST_ROWS + 1 - rows
        ):
            even = "a hex of column A, C, E, ... of a row from 1 on"
            reach = f"to {column_name(MOST_COLUMNS - 1)}{MOST_ROWS} at most"
            self.fail(
                ValueMistake(f"a map of {said} hexes cannot begin at {begins}", [even, reach]),
                begins,
            )
        return Grid(cols, rows, start)

    def make_use(self, path: Token, *said: Tree[Token]) -> tuple[b.Use]:
        """`use "bd24.board"`, `use "bd24.board" turned right of 21`."""
        return (b.Use(unquoted(path), self.lay(said) if said else None),)

    def make_overlay(self, path: Token, own: Token, here: Token) -> tuple[b.Overlay]:
        """`overlay "st2.board" A1-A2 on 21M4-M5`."""
        here_names, self.text.names = self.text.names, PLAIN_NAMES
        mine = self.hexes(own)
        self.text.names = here_names
        return (b.Overlay(unquoted(path), mine, self.hexes(here)),)

    def hexes(self, said: Token) -> tuple[Hex, ...]:
        """Return a hex, or two adjacent hexes in the order of the text."""
        if said.type == "HEX":
            return (self.hex(said),)
        self.side(said)
        return () if self.failed else self.read_place(values.read_chain, said, ())

    def make_part(
        self,
        label: Token,
        board: Token | None,
        size: Token,
        first: Token | None,
        *said: Tree[Token],
    ) -> tuple[b.Statement, ...]:
        """`part 24 grid 33x10 turned right of 21`: an empty board."""
        name = str(label) if board is None else unquoted(board)
        lay, grid = self.lay(said)._replace(label=str(label)), self.size(size, first)
        if not self.failed:
            try:
                self.text.place_board(b.Board(name, grid), lay)
            except PlacementError as wrong:
                self.fail(unfit(wrong), _token_of(wrong.word, said) or label)
        return ()

    def lay(self, said: Sequence[Tree[Token]]) -> b.BoardPlacement:
        """Return the placement of a board; each property may occur once."""
        lay = b.BoardPlacement()
        for tree in said:
            new = self.placement_fields(str(tree.data), *cast("list[Token]", tree.children))
            for field, value in new.items():
                if getattr(lay, field) not in (None, False):
                    self.fail(
                        ValueMistake(f"this line gives {_TWICE[field]} twice: leave one out"),
                        _token(tree, said),
                    )
                lay = lay._replace(**{field: value})
        return lay

    def placement_fields(self, what: str, *said: Token) -> dict[str, Any]:
        """Return one property of a placement as fields of a BoardPlacement."""
        match what:
            case "lay_turned":
                return {"turned": True}
            case "lay_hexrows":
                first, last = said[0].split("-")
                return {"columns": (self.column(first, said[0]), self.column(last, said[0]))}
            case "lay_hexes":
                found = _FIELD.fullmatch(said[0])
                assert found is not None
                columns = self.column(found[1], said[0]), self.column(found[3], said[0])
                # The half hexes above row 1 are included.
                return {"columns": columns, "rows": (max(1, int(found[2])), int(found[4]))}
            case "lay_half":
                return {"half": str(said[0])}
            case "lay_right":
                return {"beside": (RIGHT, str(said[0]))}
            case "lay_left":
                return {"beside": (LEFT, str(said[0]))}
            case "lay_below":
                return {"beside": (BELOW, str(said[0]))}
            case "lay_above":
                return {"beside": (ABOVE, str(said[0]))}
        return {"label": str(said[0])}

    def column(self, letters: str, where: Token) -> int:
        """Return the number of a column: A is 0, AA is 26."""
        if len(set(letters)) > 1:
            self.fail(ValueMistake(f"{letters} is not a hexrow", ["A to Z, AA to ZZ"]), where)
            return 0
        return parse_hex(f"{letters}1")[1].col


def _token(tree: Tree[Token], said: Sequence[Tree[Token]]) -> Token:
    """Return a token that marks a part of the statement."""
    for each in (tree, *said):
        for child in each.children:
            if isinstance(child, Token):
                return child
    return Token("WORD", "")


def _token_of(word: str, said: Sequence[Tree[Token]]) -> Token | None:
    """Return the token of this word."""
    tokens = (child for tree in said for child in tree.children if isinstance(child, Token))
    return next((each for each in tokens if word and str(each) == word), None)


# --- Scenario rules about all terrain of a kind, or all buildings, on a board or the map.


class SpecialRuleBuilder(BoardBuilder):
    """Builds the statements about all terrain of a kind."""

    def make_treat(
        self, terrain: Token, as_terrain: Token, on: Token | None
    ) -> tuple[b.TerrainSubstitution]:
        """`treat scrub as open-ground`, `treat wall as bocage on 21`, `treat paved as dirt`."""
        word = str(terrain).replace("-", "_")
        kind = next(
            (each for each in ("hexside_terrain", "surface") if self.is_a(word, each)), None
        )
        other = self.terrain(as_terrain) if kind is None else self.word(as_terrain, kind)
        return (b.TerrainSubstitution(word, other, self.board(on)),)

    def make_treat_unknown(
        self, terrain: Token, other: Token, on: Token | None
    ) -> tuple[b.TerrainSubstitution]:
        """`treat orchard as unknown terrain vineyard`: the terrain there is then unknown."""
        word = str(terrain).replace("-", "_")
        if self.is_a(word, "hexside_terrain") or self.is_a(word, "surface"):
            area = "only terrain that fills a hex can be treated as unknown terrain"
            self.fail(ValueMistake(f"{terrain} does not fill a hex: {area}"), terrain)
        return (b.TerrainSubstitution(word, self.foreign(other), self.board(on)),)

    def make_none(self, terrain: Token, on: Token | None) -> tuple[b.TerrainSubstitution]:
        """`no cliff`, `no road on 21`, `no woods`."""
        word = str(terrain).replace("-", "_")
        if word == "road" or self.is_a(word, "hexside_terrain"):
            return (b.TerrainSubstitution(word, "", self.board(on)),)
        if self.is_a(word, "terrain"):
            return (b.TerrainSubstitution(word, "open_ground", self.board(on)),)
        known = [
            "road",
            *(word_text(each, kind) for kind in _KINDS for each in self.words.words[kind]),
        ]
        self.fail(
            ValueMistake(f"{terrain} is not a terrain", (), nearest(str(terrain), known)), terrain
        )
        return (b.TerrainSubstitution(word, ""),)

    def make_ssr_named(self, name: Token, on: Token | None) -> tuple[b.TerrainSubstitution, ...]:
        """`ssr WallsToBocage on 10`: a scenario term by VASL's name."""
        said = VASL_TERMS.get(str(name))
        if said is None:
            mistake = ValueMistake(
                f"{name} is not a known scenario term of VASL",
                sorted(VASL_TERMS),
                nearest(name, VASL_TERMS),
            )
            self.fail(mistake, name)
        board = self.board(on)
        return tuple(b.TerrainSubstitution(*each, board) for each in said or ())

    def make_ssr_buildings_on(self, kind: Token, on: Token) -> tuple[b.Fact]:
        """`all buildings single-story on 21`; the rules name a board by its printed name, `on
        "21"`."""
        word = self.word(kind, "building_kind")
        if on.type == "STRING":
            return (b.Fact("ssr_buildings_on", (unquoted(on), word)),)
        label = self.board(on)
        named = (part.board for part in self.text.parts if part.label == label)
        return (b.Fact("ssr_buildings_on", (next(named, str(on)), word)),)

    def is_a(self, word: str, kind: str) -> bool:
        """Test whether a word is of a kind of the vocabulary."""
        return word in self.words.words[kind]

    def board(self, on: Token | None) -> str | None:
        """Return a board of the map by its name there."""
        if on is None:
            return None
        known = [part.label for part in self.text.parts]
        if str(on) not in known:
            several = f"the map has no board {on}; its boards are {', '.join(known)}"
            one = f"this text is about a single board: leave out `on {on}`"
            self.fail(ValueMistake(several if known else one), on)
        return str(on)


_KINDS = ("terrain", "hexside_terrain")


# --- Corrections of the printed map: a mark set or removed, a level, a building.


class CorrectionBuilder(SpecialRuleBuilder):
    """Builds the corrections of a used board."""

    def make_hex_level(self, where: Token, level: Token) -> tuple[b.Correction]:
        """`hex R8 level 1`."""
        return (b.Correction(self.hex(where), "level", self.level(level)),)

    def make_ground(self, level: Token, *hexes: Token) -> tuple[b.Correction, ...]:
        """`ground 1: G3 H3`: these hexes are entirely at this level, whatever was drawn."""
        number = self.level(level)
        return tuple(b.Correction(self.hex(where), "ground", number) for where in hexes)

    def make_undrawn(self, kind: Token, *hexes: Token) -> tuple[b.Erasure]:
        """`undrawn grain: G3`."""
        known = ("building", "ground", "all")
        word = str(kind).replace("-", "_")
        return (
            b.Erasure(word if word in known else self.drawn(kind), tuple(map(self.hex, hexes))),
        )

    def drawn(self, kind: Token) -> str:
        """Return a kind of depiction in this text: a terrain, known to the rules or not."""
        word = str(kind).replace("-", "_")
        stated = {each.kind for each in self.text.statements if isinstance(each, b.Outline)}
        return word if word in stated else self.terrain(kind)

    def make_hex_building(self, where: Token, to: Token) -> tuple[b.Correction]:
        """`hex R8 building gray`, `hex R8 building no`."""
        colour = "no" if to == "no" else self.word(to, "colour")
        return (b.Correction(self.hex(where), "building", colour),)

    def make_hex_mark(self, where: Token, mark: Token, to: Token) -> tuple[b.Correction]:
        """`hex R8 stairwell yes`."""
        also = (*HEX_MARKS, *self.words.words["symbol"])
        return (b.Correction(self.hex(where), self.terrain(mark, also), str(to)),)

    def make_hex_unknown(self, where: Token, mark: Token, to: Token) -> tuple[b.Correction]:
        """`hex R8 unknown terrain scrub no`."""
        return (b.Correction(self.hex(where), self.foreign(mark), str(to)),)

    def make_hexside_mark(self, where: Token, mark: Token, to: Token) -> tuple[b.Correction]:
        """`hexside O8-P8 joined no`."""
        known = (*SIDE_MARKS, *self.words.words["hexside_terrain"])
        word = str(mark).replace("-", "_")
        if word not in known:
            near = nearest(mark, known)
            self.fail(
                ValueMistake(f"{mark} is not a known property of a hexside", sorted(known), near),
                mark,
            )
        if word == "road" and to == "yes":
            self.fail(
                ValueMistake("the surface of the road is missing: write road SURFACE: HEX-HEX"),
                mark,
            )
        return (b.Correction(self.side(where), word, str(to)),)

    def make_hexside_unknown(self, where: Token, mark: Token, to: Token) -> tuple[b.Correction]:
        """`hexside A1-A2 unknown terrain railway-embankment no`."""
        word = self.foreign(mark, "hexside_terrain")
        return (b.Correction(self.side(where), word, str(to)),)


# --- Conversion of statements: words are checked, places and numbers are typed.


#: Maximum coordinate in lattice units, beyond any board and its rim.
MAX_COORDINATE = 40_000

#: Statements about hexsides, of which each can be uncertain.
_OF_HEXSIDES = ("sides", "road", "bar_statement")

_Node = Token | Tree[Token] | None


class StatementBuilder(CorrectionBuilder):
    """Builds the statements of one piece of text, and notes mistakes in the text.

    A grammar rule that is not the name of a fact has a method: `make_` and the name of the rule.
    """

    def __init__(
        self, text: ParsedText, words: Vocabulary, line: int, first_words: Sequence[str]
    ) -> None:
        super().__init__(text, words, line)
        self.first_words = first_words

    def statements(self, tree: Tree[Token]) -> tuple[b.Statement, ...]:
        """Return the statements of a tree; none if it has a mistake."""
        name = str(tree.data)
        make = getattr(self, "make_" + name, None)
        made: Iterable[b.Statement]
        if make is None:
            made = self.facts(name, STATEMENTS[name], tree.children)
        else:
            made = make(*tree.children)
        return () if self.failed else tuple(made)

    # --- Facts by the forms of input_syntax.py.

    def facts(
        self,
        name: str,
        form: str,
        tokens: Sequence[_Node],
        unit: str | None = None,
        at: Hex | None = None,
    ) -> list[b.Fact]:
        """Return the facts of a statement or trait; a repeating form gives one fact for each last
        word."""
        order = [place for place in argument_order(form) if unit is None or place]
        parts = _parts(cast("Sequence[Token]", tokens))
        last = 2 if name in ("breach", "hidden_breach", "ift") else 1
        if not order:
            return [b.Fact(name)]
        heads, repeated = parts[: len(order) - last], parts[len(order) - last :]
        made = []
        for start in range(0, len(repeated), last):
            row = dict(zip(order, [*heads, *repeated[start : start + last]], strict=True))
            said = tuple(row[place] for place in sorted(row))
            kinds = self.words.inputs[name].kinds
            kinds = self.words.kinds_of(kinds, ("", *map(str.lower, said)) if unit else said)
            if unit is not None:
                kinds = kinds[1:]
            args = [self.argument(*pair, at) for pair in zip(said, kinds, strict=True)]
            made.append(b.Fact(name, tuple(args if unit is None else [unit, *args])))
        return made

    def argument(self, token: Token, kind: str, at: Hex | None) -> Term:
        """Return an argument of an input; a vertex is relative to the hex `at`."""
        if kind == "hex":
            return self.hex(token)
        if kind == "hexside":
            return self.side(token)
        if kind == "location":
            return self.location(token)
        if kind in ("number", "half_level", "quarter"):
            return self.number(token, kind)
        if kind == "floor" and token.lstrip("+-")[:1].isdigit():
            return self.floor(token)
        if kind == "unit":
            return str(token)
        if kind == "text":
            return unquoted(token)
        if kind == "corner":
            return self.corner(token, at)
        if kind == "barrel":
            return next(word for word, mark in BARRELS.items() if mark == str(token))
        return self.word(token, kind)

    def corner(self, token: Token, at: Hex | None) -> int:
        """Return a vertex as a corner of a hex."""
        if at is None:
            self.fail(
                ValueMistake("the place of the unit is missing: write `at HEX` after its side"),
                token,
            )
            return 0
        return self.read_place(lambda said, names: values.read_corner(said, at, names), token, 0)

    # --- Printed features.

    def make_level(self, level: Token, *hexes: Token) -> tuple[b.Level]:
        """`level 1: V3 W3`."""
        return (b.Level(self.level(level), tuple(map(self.hex, hexes))),)

    def make_area(self, kind: Token, *hexes: Token) -> tuple[b.Area]:
        """`woods: A1 B2`."""
        known = self.terrain(kind, tuple(b.PRINTED_MARKS), self.first_words)
        return (b.Area(known, tuple(map(self.hex, hexes))),)

    def make_unknown_area(self, kind: Token, *hexes: Token) -> tuple[b.Area]:
        """`unknown terrain scrub: A1`."""
        return (b.Area(self.foreign(kind), tuple(map(self.hex, hexes))),)

    def make_sides(self, kind: Token, *sides: Token) -> tuple[b.HexsideTerrain]:
        """`wall: A1-A2`."""
        return (b.HexsideTerrain(self.word(kind, "hexside_terrain"), tuple(map(self.side, sides))),)

    def make_unknown_sides(self, kind: Token, *sides: Token) -> tuple[b.HexsideTerrain]:
        """`unknown hexside terrain railway-embankment: A1-A2`."""
        return (
            b.HexsideTerrain(self.foreign(kind, "hexside_terrain"), tuple(map(self.side, sides))),
        )

    def make_road(self, surface: Token, *chains: Token) -> tuple[b.Road, ...]:
        """`road paved: A1-A2-A3`: one road for each chain of hexes."""
        kind = self.word(surface, "surface")
        nothing: tuple[Hex, ...] = ()
        return tuple(b.Road(kind, self.read_place(_chain, chain, nothing)) for chain in chains)

    def make_building(
        self, name: Token | None, colour: Token, *rest: Token | Tree[Token]
    ) -> tuple[b.Building]:
        """`building "church" gray: U4 V3  joined U4-V3  stairwell U4  bar K7-L6`."""
        hexes = tuple(self.hex(part) for part in rest if isinstance(part, Token))
        said: dict[str, list[Token | Tree[Token]]] = {"joined": [], "stairwells": [], "bars": []}
        for part in rest:
            if isinstance(part, Tree):
                said[str(part.data)] += part.children
        joined = [(self.side(token), token) for token in cast("list[Token]", said["joined"])]
        squares = [(self.hex(token), token) for token in cast("list[Token]", said["stairwells"])]
        bars = [
            (self.bar(tree), cast(Token, tree.children[0]))
            for tree in cast("list[Tree[Token]]", said["bars"])
        ]
        where = (*joined, *squares, *((bar.side, token) for bar, token in bars))
        for place, token in where if not self.failed else ():
            touched = {place} if isinstance(place, Hex) else set(place)
            if not touched & set(hexes):
                mistake = ValueMistake(
                    f"{token} is not in this building: name one of its hexes or hexsides"
                )
                self.fail(mistake, token)
        return (
            b.Building(
                self.word(colour, "colour"),
                hexes,
                None if name is None else unquoted(name),
                tuple(side for side, _ in joined),
                tuple(hex_ for hex_, _ in squares),
                tuple(bar for bar, _ in bars),
            ),
        )

    def make_bar_statement(self, *bars: Tree[Token]) -> tuple[b.Bar, ...]:
        """`bar P7-P8 covers 0-25`."""
        return tuple(map(self.bar, bars))

    def bar(self, tree: Tree[Token]) -> b.Bar:
        """Return a bar over a whole hexside or a part of it."""
        side, stretch = cast("list[Token]", tree.children)
        if stretch is None:
            return b.Bar(self.side(side))
        start, end = map(int, stretch.split("-"))
        if not 0 <= start < end <= 60:
            self.fail(
                ValueMistake(
                    f"{stretch} is not a part of a hexside",
                    ["two numbers from 0 to 60, the smaller first"],
                ),
                stretch,
            )
        return b.Bar(self.side(side), (start, end))

    def make_outline(
        self, kind: Token, level: Token | None, on: Token | None, *rings: Token
    ) -> tuple[b.Outline]:
        """`outline woods: x,y x,y x,y hole x,y x,y x,y`, `outline ground 1 on 24: ...`."""
        if (kind == "ground") != (level is not None):
            self.fail(
                ValueMistake(
                    "an outline of ground needs a level, and other outlines cannot have one"
                ),
                kind,
            )
        number = None if level is None else self.level(level)
        return self.outline(self.terrain(kind, b.OUTLINED), number, on, rings)

    def make_unknown_outline(
        self, kind: Token, on: Token | None, *rings: Token
    ) -> tuple[b.Outline]:
        """`outline unknown terrain scrub: ...`."""
        return self.outline(self.foreign(kind), None, on, rings)

    def outline(
        self, kind: str, level: int | None, on: Token | None, said: Sequence[Token]
    ) -> tuple[b.Outline]:
        """Return an outline of rings, the outer one first, on the lattice of the board `on`."""
        nothing: b.Ring = ()
        outer, *holes = (self.read(_ring, ring, nothing) for ring in said)
        known = [part.label for part in self.text.parts]
        if on is not None and on not in known:
            self.fail(ValueMistake(f"the map has no board {on}", known, nearest(on, known)), on)
        board = None if on is None else str(on)
        return (b.Outline(kind, outer, tuple(holes), level, board),)

    def make_doubt(self, *tokens: Token) -> tuple[b.Doubt, ...]:
        """`doubt R8 "..."`, `doubt R8 S8 "..."`: a Doubt for each place."""
        *places, text = tokens
        return tuple(
            b.Doubt(self.hex(place) if place.type == "HEX" else self.side(place), unquoted(text))
            for place in places
        )

    def make_perhaps(self, said: Tree[Token]) -> tuple[b.UncertainFact, ...]:
        """`perhaps flame U4/1`, `perhaps wall: A1-A2`."""
        name = str(said.data)
        made: Iterable[b.Statement]
        if name in _OF_HEXSIDES:
            made = self.of_hexsides(said)
        elif name == "side":
            self.fail(
                ValueMistake("the side of a player cannot be uncertain: leave out `perhaps`"),
                next(_tokens(said)),
            )
            made = ()
        else:
            make = getattr(self, "make_" + name, None)
            form = STATEMENTS.get(name) or MARKS.get(name, "")
            made = make(*said.children) if make else self.facts(name, form, said.children)
        return tuple(b.UncertainFact(each) for each in made if isinstance(each, b.Fact))

    def of_hexsides(self, said: Tree[Token]) -> Iterator[b.Fact]:
        """Yield the facts of a statement about hexsides; of a bar, its extent is not uncertain."""
        for each in getattr(self, f"make_{said.data}")(*said.children):
            match each:
                case b.HexsideTerrain(kind, sides):
                    yield from (b.Fact("side_terrain", (where, kind)) for where in sides)
                case b.Road(surface, hexes):
                    ways = (hexside_between(*pair) for pair in pairwise(hexes))
                    yield from (b.Fact("road", (where, surface)) for where in ways)
                case b.Bar(where, None):
                    yield b.Fact("bar", (where,))
                case b.Bar():
                    covers = ValueMistake(
                        "`perhaps` is only for a bar along the whole hexside: leave out `covers` or `perhaps`"
                    )
                    self.fail(covers, next(_tokens(said)))

    # --- time and units

    def make_time(self, *said: Token) -> list[b.Fact]:
        """`turn 3 german mph`: the Game Turn, whose Player Turn, the phase; any of the three."""
        words = [token for token in said if token.type == "WORD"]
        if len(words) == 2 and self.is_phase(words[0]):
            self.fail(
                ValueMistake("the side must precede the phase, as in `turn 3 german mph`"), words[0]
            )
            return []
        made: list[b.Fact] = []
        for token in said:
            if token.type == "NUMBER":
                made.append(b.Fact("turn", (self.number(token),)))
            elif token is words[-1] and (len(words) == 2 or self.is_phase(token)):
                made.append(b.Fact("phase", (self.word(token, "phase"),)))
            else:
                made.append(b.Fact("moving_side", (self.word(token, "side"),)))
        return made

    def is_phase(self, token: Token) -> bool:
        """Test whether a word is a phase."""
        return str(token) in self.words.words["phase"]

    def make_unit(
        self,
        name: Token,
        unit_type: Token,
        strength: Token | None,
        side: Token | None,
        at: Token | None,
        traits: Tree[Token] | None,
    ) -> tuple[b.UnitStatement]:
        """`unit A squad 4-6-7 german at U4/2: broken, PP 4`, `unit L leader 8-1 german at U4`."""
        unit = str(name)
        facts = [b.Fact("unit", (unit, self.word(unit_type, "unit_type")))]
        where = None
        if strength is not None and strength.type == "STRENGTH":
            facts.append(b.Fact("strength", (unit, *map(int, strength.split("-")))))
        if side is not None:
            facts.append(b.Fact("of_side", (unit, self.word(side, "side"))))
        if at is not None:
            location = self.location(at)
            where = hex_of_spot(location.spot)
            facts.append(b.Fact("at", (unit, location)))
        if strength is not None and strength.type == "RATING":
            facts += self.rating(unit, strength, unit_type)
        for trait in cast("list[Tree[Token]]", traits.children if traits else []):
            kind = str(trait.data)
            facts += self.facts(kind, TRAITS[kind], trait.children, unit, where)
        return (b.UnitStatement(unit, tuple(facts)),)

    def rating(self, unit: str, rating: Token, unit_type: Token) -> list[b.Fact]:
        """Return the facts of the values printed on a leader: `8-1` is morale 8 and leadership -1."""
        if self.word(unit_type, "unit_type") != "leader":
            self.fail(
                ValueMistake(
                    f"only a leader has a value such as {rating}, and this unit is a {unit_type}"
                ),
                rating,
            )
        modifier = rating.lstrip("0123456789")
        printed = {"morale": rating.removesuffix(modifier), "leadership": modifier}
        return [b.Fact("has", (unit, what, int(number))) for what, number in printed.items()]

    def make_roadblock(self, side: Token, toward: Token) -> tuple[b.Fact]:
        """`roadblock K13-L12 toward K12`: the vertex, as a corner of the hexside's first hex."""
        where = self.side(side)

        def corner(said: str, names: MapNames) -> int:
            if said.isdigit():
                return values.read_corner(said, where.a, names)
            third = values.read_hex_by(said, where.a, names)
            for each in range(6):
                around = {where.a.neighbour(each), where.a.neighbour(each + 1)}
                if around == {where.b, third}:
                    return each
            raise ValueMistake(f"the hex {said} does not touch an end of the hexside {where}")

        return (b.Fact("roadblock", (where, self.read_place(corner, toward, 0))),)


def _tokens(tree: Tree[Token]) -> Iterator[Token]:
    return (each for each in tree.scan_values(lambda token: isinstance(token, Token)))


def _parts(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens, with O8-P8/0 and 75L split into two arguments."""
    parts: list[Token] = []
    for token in tokens:
        cut = None
        if token.type == "SIDE_LEVEL":
            cut = token.rpartition("/")
        elif token.type == "FP_RANGE":
            cut = token.partition("-")
        elif token.type == "CALIBER":
            digits = len(token.rstrip("L*"))
            cut = (token[:digits], "", token[digits:])
        parts += (
            [token] if cut is None else [token.update(value=cut[0]), token.update(value=cut[2])]
        )
    return parts


def _chain(said: str, names: MapNames) -> tuple[Hex, ...]:
    """Return the hexes of A1-A2-A3, each adjacent to the last."""
    hexes = values.read_chain(said, names)
    for pair in pairwise(hexes):
        values.side_of(*pair)
    return hexes


def _ring(said: str) -> b.Ring:
    """Return the points of `x,y x,y x,y`."""
    try:
        numbers = list(map(int, said.replace(",", " ").split()))
    except ValueError:  # int() refuses thousands of digits
        numbers = [MAX_COORDINATE + 1]
    if max(numbers) > MAX_COORDINATE or min(numbers) < -MAX_COORDINATE:
        raise ValueMistake(f"a coordinate of this outline is above the limit of {MAX_COORDINATE}")
    return tuple(map(Point, numbers[::2], numbers[1::2]))
