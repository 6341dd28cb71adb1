"""From the tree of a statement to the statement: words checked, places and numbers typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import cast

from lark import Token, Tree

from rules_asp.parser import values
from rules_asp.parser.corrections import CorrectionBuilder
from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.parser.forms import (
    BARRELS,
    MARKS,
    STATEMENTS,
    TRAITS,
    argument_order,
)
from rules_asp.parser.text import ParsedText
from rules_asp.terms import board as b
from rules_asp.terms.arguments import Term, unquoted
from rules_asp.terms.grid import Hex, Point, hex_of_spot, hexside_between
from rules_asp.terms.lexicon import Vocabulary

#: Beyond any board and its rim: lattice units.
MAX_COORDINATE = 40_000

#: Statements about hexsides, each of which may be so or not.
_OF_HEXSIDES = ("sides", "road", "bar_statement")

_Node = Token | Tree[Token] | None


class StatementBuilder(CorrectionBuilder):
    """Makes the statements of one piece of a text; what is wrong is noted in the text.

    A rule of the grammar that is no fact's name has a method for it: `make_` and the rule.
    """

    def __init__(
        self, text: ParsedText, words: Vocabulary, line: int, first_words: Sequence[str]
    ) -> None:
        super().__init__(text, words, line)
        self.first_words = first_words

    def statements(self, tree: Tree[Token]) -> tuple[b.Statement, ...]:
        """The statements that the tree stands for; none when something in it is wrong."""
        name = str(tree.data)
        make = getattr(self, "make_" + name, None)
        made: Iterable[b.Statement]
        if make is None:
            made = self.facts(name, STATEMENTS[name], tree.children)
        else:
            made = make(*tree.children)
        return () if self.failed else tuple(made)

    # --- facts said by the forms of forms.py

    def facts(
        self,
        name: str,
        form: str,
        tokens: Sequence[_Node],
        unit: str | None = None,
        at: Hex | None = None,
    ) -> list[b.Fact]:
        """The facts of a statement or trait; of a form that repeats, one for each last word."""
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
        """An argument of an input; a vertex is told as seen from the hex `at`."""
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
        """A vertex as seen from a hex."""
        if at is None:
            self.fail(ValueMistake("this needs to know where the unit is: at HEX"), token)
            return 0
        return self.read(lambda said: values.read_corner(said, at), token, 0)

    # --- what is printed

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
        return tuple(b.Road(kind, self.read(_chain, chain, nothing)) for chain in chains)

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
                mistake = ValueMistake(f"{token} is not of the hexes that this building names")
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
        """A bar, over a whole hexside or a part of it."""
        side, stretch = cast("list[Token]", tree.children)
        if stretch is None:
            return b.Bar(self.side(side))
        start, end = map(int, stretch.split("-"))
        if not 0 <= start < end <= 60:
            self.fail(
                ValueMistake(f"{stretch} is no part of a hexside", ["from 0-1 to 0-60"]), stretch
            )
        return b.Bar(self.side(side), (start, end))

    def make_outline(
        self, kind: Token, level: Token | None, on: Token | None, *rings: Token
    ) -> tuple[b.Outline]:
        """`outline woods: x,y x,y x,y hole x,y x,y x,y`, `outline ground 1 on 24: ...`."""
        if (kind == "ground") != (level is not None):
            self.fail(ValueMistake("an outline of ground, and no other, has a level"), kind)
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
        """An outline of its rings, the outer one first; `on` is the board on whose lattice it lies."""
        nothing: b.Ring = ()
        outer, *holes = (self.read(_ring, ring, nothing) for ring in said)
        known = [part.label for part in self.text.parts]
        if on is not None and on not in known:
            self.fail(ValueMistake(f"there is no board {on}", known, nearest(on, known)), on)
        board = None if on is None else str(on)
        return (b.Outline(kind, outer, tuple(holes), level, board),)

    def make_doubt(self, where: Token, text: Token) -> tuple[b.Doubt]:
        """`doubt R8 "..."`."""
        place = self.hex(where) if where.type == "HEX" else self.side(where)
        return (b.Doubt(place, unquoted(text)),)

    def make_perhaps(self, said: Tree[Token]) -> tuple[b.UncertainFact, ...]:
        """`perhaps flame U4/1`, `perhaps wall: A1-A2`."""
        name = str(said.data)
        made: Iterable[b.Statement]
        if name in _OF_HEXSIDES:
            made = self.of_hexsides(said)
        elif name == "side":
            self.fail(ValueMistake("who plays cannot be left open"), next(_tokens(said)))
            made = ()
        else:
            make = getattr(self, "make_" + name, None)
            form = STATEMENTS.get(name) or MARKS.get(name, "")
            made = make(*said.children) if make else self.facts(name, form, said.children)
        return tuple(b.UncertainFact(each) for each in made if isinstance(each, b.Fact))

    def of_hexsides(self, said: Tree[Token]) -> Iterator[b.Fact]:
        """What a statement about hexsides says of each; what is open of a bar is not its extent."""
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
                    covers = ValueMistake("a bar that may be there covers the whole hexside")
                    self.fail(covers, next(_tokens(said)))

    # --- time and units

    def make_time(self, *said: Token) -> list[b.Fact]:
        """`turn 3 german mph`: the Game Turn, whose Player Turn, the phase; any of the three."""
        words = [token for token in said if token.type == "WORD"]
        if len(words) == 2 and self.is_phase(words[0]):
            self.fail(ValueMistake("the side is named before the phase"), words[0])
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
        """Whether a word is a phase."""
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
            facts.append(b.Fact("has", (unit, "leadership", self.leadership(strength, unit_type))))
        for trait in cast("list[Tree[Token]]", traits.children if traits else []):
            kind = str(trait.data)
            facts += self.facts(kind, TRAITS[kind], trait.children, unit, where)
        return (b.UnitStatement(unit, tuple(facts)),)

    def leadership(self, rating: Token, unit_type: Token) -> int:
        """The leadership modifier in what is printed on a leader: -1 of `8-1`; no rule reads the morale."""
        if self.word(unit_type, "unit_type") != "leader":
            self.fail(
                ValueMistake(f"{rating} is printed on a leader, and not on a {unit_type}"), rating
            )
        return int(rating.lstrip("0123456789"))

    def make_roadblock(self, side: Token, toward: Token) -> tuple[b.Fact]:
        """`roadblock K13-L12 toward K12`: the vertex, as a corner of the hexside's first hex."""
        where = self.side(side)

        def corner(said: str) -> int:
            if said.isdigit():
                return values.read_corner(said, where.a)
            third = values.read_hex_by(said, where.a)
            for each in range(6):
                around = {where.a.neighbour(each), where.a.neighbour(each + 1)}
                if around == {where.b, third}:
                    return each
            raise ValueMistake(f"{said} does not touch an end of {where}")

        return (b.Fact("roadblock", (where, self.read(corner, toward, 0))),)


def _tokens(tree: Tree[Token]) -> Iterator[Token]:
    return (each for each in tree.scan_values(lambda token: isinstance(token, Token)))


def _parts(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, those that hold two arguments cut in two: O8-P8/0, 75L."""
    parts: list[Token] = []
    for token in tokens:
        cut = None
        if token.type == "SIDE_LEVEL":
            cut = token.rpartition("/")
        elif token.type == "CALIBER":
            digits = len(token.rstrip("L*"))
            cut = (token[:digits], "", token[digits:])
        parts += (
            [token] if cut is None else [token.update(value=cut[0]), token.update(value=cut[2])]
        )
    return parts


def _chain(said: str) -> tuple[Hex, ...]:
    """A1-A2-A3, each hex beside the last."""
    hexes = values.read_chain(said)
    for pair in pairwise(hexes):
        values.side_of(*pair)
    return hexes


def _ring(said: str) -> b.Ring:
    """The points of `x,y x,y x,y`."""
    try:
        numbers = list(map(int, said.replace(",", " ").split()))
    except ValueError:
        raise ValueMistake("a coordinate here is too large a number") from None
    if max(numbers) > MAX_COORDINATE or min(numbers) < -MAX_COORDINATE:
        raise ValueMistake(f"a coordinate here is beyond {MAX_COORDINATE}")
    return tuple(map(Point, numbers[::2], numbers[1::2]))
