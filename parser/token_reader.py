"""Conversion of single tokens for their kind, with notes about mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from lark import Token

from rules_asp.game.board import SourcePosition
from rules_asp.game.grid import Hex, Hexside, Location
from rules_asp.game.map_layout import MapNames
from rules_asp.game.query import UnitLocation
from rules_asp.game.values import Notation, word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.parser import values
from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.parser.input_syntax import SIDE_MARKS
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
