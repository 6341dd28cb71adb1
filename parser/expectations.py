"""Conversion of tokens by their kind, and of the parse tree of an `expect` line to an expectation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from lark import Token, Tree

from rules_asp.game import board as b
from rules_asp.game.board import SourcePosition
from rules_asp.game.grid import Hex, Hexside, Location
from rules_asp.game.map_layout import MapNames
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    Query,
    RollQuery,
    UnitLocation,
    UnitStack,
    Variable,
)
from rules_asp.game.values import Notation, word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.parser import values
from rules_asp.parser.errors import Prefix, ValueMistake, WithPlace, nearest
from rules_asp.parser.input_syntax import SIDE_MARKS
from rules_asp.parser.query import read_deed, read_query, read_roll
from rules_asp.parser.source_text import ParsedText

_T = TypeVar("_T")

_NOWHERE = Hex(0, 1)
#: The terminals that contain hexes, perhaps with a board prefix.
_PLACES = {"HEX", "SIDE", "SIDE_LEVEL", "CHAIN", "LOCATION", "SPINE", "POINTED"}


class TokenReader:
    """Reads the tokens of one statement; the statement begins in a line of a text."""

    def __init__(self, text: ParsedText, words: Vocabulary, line: int) -> None:
        self.text = text
        self.words = words
        self.before = line - 1
        self.failed = False

    @property
    def notation(self) -> Notation:
        """The notation of words and hexes in the text, as far as it was read."""
        return Notation(self.words, self.text.names)

    def place(self, token: Token) -> SourcePosition:
        """Return the place of a token in the file."""
        return SourcePosition(self.text.file, self.before + (token.line or 1), token.column or 1)

    def fail(self, mistake: ValueMistake, token: Token) -> None:
        """Note a mistake of a token; the statement is then dropped."""
        self.failed = True
        self.text.note(self.place(token), mistake)

    def read(self, reader: Callable[[str], _T], token: Token, otherwise: _T) -> _T:
        """Return the value of a token; after a mistake, return `otherwise` so that reading
        continues."""
        said, prefixes = (
            values.without_board(token, self.text.names)
            if token.type in _PLACES
            else (str(token), [])
        )
        self.text.prefixes += [(prefix, self.place(token)) for prefix in prefixes]
        try:
            return reader(said)
        except ValueMistake as mistake:
            self.fail(mistake, token)
            return otherwise

    def read_place(self, reader: Callable[[str, MapNames], _T], token: Token, otherwise: _T) -> _T:
        """Do the same for a token that contains hexes."""
        return self.read(lambda said: reader(said, self.text.names), token, otherwise)

    def hex(self, token: Token) -> Hex:
        """A hex."""
        return self.read_place(values.read_hex, token, _NOWHERE)

    def side(self, token: Token) -> Hexside:
        """A hexside."""
        return self.read_place(values.read_side, token, Hexside(_NOWHERE, _NOWHERE))

    def location(self, token: Token) -> Location:
        """A Location."""
        return self.read_place(values.read_location, token, Location(_NOWHERE))

    def end(self, token: Token) -> Location | UnitLocation:
        """Return a Location, or the unit that stands for its Location."""
        return UnitLocation(str(token)) if token.type == "NAME" else self.location(token)

    def number(self, token: Token, kind: str = "number") -> int:
        """Return a number in the units of its kind."""
        return self.read(lambda said: values.read_number(said, kind), token, 0)

    def level(self, token: Token) -> int:
        """Return a ground level."""
        return self.read(values.read_level, token, 0)

    def floor(self, token: Token) -> int:
        """Return the number of a level in a hex."""
        return self.read(values.read_upper_level, token, 0)

    def word(self, token: Token, kind: str) -> str:
        """Return a word of a kind."""
        return self.read(lambda said: values.read_word(said, kind, self.words), token, "")

    def terrain(self, token: Token, also: Sequence[str] = (), beside: Sequence[str] = ()) -> str:
        """Return a terrain of the rules, or one of `also`; a message also suggests words of
        `beside`."""
        word = str(token).replace("-", "_")
        known = self.words.words.get("terrain", ())
        if word in also or word in known or (not known and word != "not"):
            return word
        near = [word_text(each, "terrain") for each in (*known, *also, *beside)]
        hint = f"; to use it anyway, write: unknown terrain {token}"
        message = f"the rules do not define the terrain {token}{hint}"
        self.fail(ValueMistake(message, nearest=nearest(str(token), near)), token)
        return word

    def foreign(self, token: Token, kind: str = "terrain") -> str:
        """Return a terrain, or hexside terrain, that the rules do not know."""
        word = str(token).replace("-", "_")
        marks = SIDE_MARKS if kind == "hexside_terrain" else ()
        if word == "not" or word in marks or word in self.words.words.get(kind, ()):
            self.fail(
                ValueMistake(f"the rules define the terrain {token}: leave out `unknown terrain`"),
                token,
            )
        return word


class ExpectationBuilder(TokenReader):
    """Builds the expectation of one statement, with one method for each question of the grammar."""

    def make_expect(
        self, question: Tree[Token], cites: Tree[Token] | None = None
    ) -> tuple[b.Expect]:
        """`expect los U4/2 - V3/2 blocked cites B23.721`."""
        expect: b.Expect = getattr(self, "expect_" + str(question.data))(*question.children)
        return (replace(expect, cites=tuple(map(str, cites.children)) if cites else ()),)

    def expect_los(
        self, one: Token, other: Token, seen: Token, hindrance: Token | None, at: Token | None
    ) -> b.Expect:
        """`los U4 - V3 clear hindrance 2`."""
        return b.Expect(
            b.ExpectedLos(self.end(one), self.end(other)),
            str(seen),
            hindrance=None if hindrance is None else self.number(hindrance),
            at=None if at is None else self.spot(at),
        )

    def expect_holds(self, query: Token) -> b.Expect:
        """`holds stairwell(U4)`."""
        return b.Expect(self.query(query))

    def expect_fails(self, query: Token) -> b.Expect:
        """`not stairwell(U4)`."""
        return b.Expect(self.query(query), "no")

    def expect_unknown(self, query: Token) -> b.Expect:
        """`unknown height(U4)`."""
        return b.Expect(self.query(query, bare=True), "unknown")

    def expect_amounts(self, query: Token) -> b.Expect:
        """`height(U4) = 2 1/2`."""
        return b.Expect(self.query(query))

    def expect_violates(self, paragraph: Token) -> b.Expect:
        """`violates B23.421`."""
        return b.Expect(b.ExpectedViolation(str(paragraph)))

    def expect_conflict(self, one: Token, other: Token) -> b.Expect:
        """`conflict B23.3 PB4.12`."""
        return b.Expect(b.ExpectedConflict(str(one), str(other)))

    def expect_tem(self, *said: Token | None) -> b.Expect:
        """`tem of indirect fire from C3 at U4/1 = 3`."""
        shot, answer = self.shot(*said)
        return b.Expect(shot, self.amount(answer, "number"))

    def expect_drm(self, *said: Token | None) -> b.Expect:
        """`drm of fire from C3 at U4/1 moving = 1`."""
        shot, answer = self.shot(*said)
        return b.Expect(b.ExpectedDrm(shot), self.amount(answer, "number"))

    def shot(self, *said: Token | None) -> tuple[b.Shot | b.UnitShot, Token]:
        """Return a fire attack, and the token of the expected value."""
        how, *firers, target, doing, answer = said
        assert target is not None
        assert answer is not None
        named = [each for each in firers if each is not None]
        other = self.end(target)
        one = self.end(named[0]) if len(named) == 1 else UnitStack(tuple(map(str, named)))
        by = "direct" if how is None else self.word(how, "fire")
        does = None if doing is None else self.word(doing, "target")
        if isinstance(one, Location) and isinstance(other, Location):
            return b.Shot(one, other, by, does or "still"), answer
        return b.UnitShot(one, other, by, does), answer

    def spot(self, token: Token) -> Hex | Hexside:
        """Return a place that blocks LOS: a hex or a hexside."""
        return self.side(token) if token.type == "SIDE" else self.hex(token)

    def expect_cost(self, *said: Token | None) -> b.Expect:
        """`cost A to U4/1 = 1`, `cost A L to U4/1 = forbidden by B23.4-2`."""
        told = [each for each in said if each is not None]
        by = str(told.pop()) if told[-1].type == "PARAGRAPH" else None
        *units, to, answer = told
        going = b.ExpectedCost(tuple(map(str, units)), self.end(to))
        return b.Expect(going, self.amount(answer, "quarter"), by=by)

    def expect_bound(self, *said: Token) -> b.Expect:
        """`cost A to U4/1 >= 2`: the bounds of an unknown cost."""
        *units, to, bound, answer = said
        going = b.ExpectedCost(tuple(map(str, units)), self.end(to), str(bound))
        return b.Expect(going, self.amount(answer, "quarter"))

    def expect_can(self, deed: Token, answer: Token, by: Token | None = None) -> b.Expect:
        """`can A move to V3/2: no`, `can A move to V3/2: forbidden by B23.71-12`."""
        doing, mistakes, prefixes = read_deed(str(deed), self.notation)
        self.noted(deed, mistakes, prefixes)
        nothing = DeedQuery(Argument(Variable("_"), "deed"))
        return b.Expect(doing or nothing, str(answer), by=None if by is None else str(by))

    def expect_roll(self, roll: Token, result: Token, answer: Token) -> b.Expect:
        """`roll the Bog Check of T in U4 with colored 6: cellar yes`, or a chance such as 6/36."""
        rolling, mistakes, prefixes = read_roll(str(roll), self.notation)
        self.noted(roll, mistakes, prefixes)
        nothing = RollQuery(Argument(Variable("_"), "roll"))
        return b.Expect(
            b.ExpectedRoll(rolling or nothing, self.word(result, "result")), str(answer)
        )

    def amount(self, token: Token, kind: str) -> str | int:
        """Return a number, or the word for one."""
        return self.number(token, kind) if token.type == "NUMBER" else str(token)

    def query(self, token: Token, bare: bool = False) -> Query:
        """Return the question in a token; note its mistakes at their place in the file."""
        reading = read_query(str(token), self.notation, bare)
        self.noted(token, reading.problems, reading.prefixes)
        return reading.query or Query(())

    def noted(
        self, token: Token, mistakes: Iterable[WithPlace], prefixes: Iterable[Prefix]
    ) -> None:
        """Note the mistakes inside a token, and the boards that it names, at their place in the
        file."""
        first, start = token.line or 1, token.column or 1

        def place(line: int, column: int) -> b.SourcePosition:
            shift = start - 1 if line == 1 else 0
            return b.SourcePosition(self.text.file, self.before + first + line - 1, column + shift)

        self.text.prefixes += [(prefix, place(*at)) for prefix, *at in prefixes]
        for mistake, *at in mistakes:
            self.failed = True
            self.text.note(place(*at), mistake)
