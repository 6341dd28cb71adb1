"""What a line sets right of the printed map: a mark set or taken back, a level, a building."""

from __future__ import annotations

from lark import Token

from rules_asp.parser.agreements import SpecialRuleBuilder
from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.parser.forms import HEX_MARKS, SIDE_MARKS
from rules_asp.terms import board as b


class CorrectionBuilder(SpecialRuleBuilder):
    """Makes the corrections of a board that is used."""

    def make_hex_level(self, where: Token, level: Token) -> tuple[b.Correction]:
        """`hex R8 level 1`."""
        return (b.Correction(self.hex(where), "level", self.level(level)),)

    def make_ground(self, level: Token, *hexes: Token) -> tuple[b.Correction, ...]:
        """`ground 1: G3 H3`: level ground all over these hexes, whatever was drawn."""
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
        """A kind of drawing of this text: a terrain, known to the rules or not."""
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
            self.fail(ValueMistake(f"{mark} is nothing of a hexside", sorted(known), near), mark)
        if word == "road" and to == "yes":
            self.fail(ValueMistake("say which road: road SURFACE: HEX-HEX"), mark)
        return (b.Correction(self.side(where), word, str(to)),)

    def make_hexside_unknown(self, where: Token, mark: Token, to: Token) -> tuple[b.Correction]:
        """`hexside A1-A2 unknown terrain railway-embankment no`."""
        word = self.foreign(mark, "hexside_terrain")
        return (b.Correction(self.side(where), word, str(to)),)
