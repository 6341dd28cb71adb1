"""Deeds as players say them: `A move to V3/2 by stairs`, and back into text.

A sentence leaves things open: which way the unit goes, from where. What is not said is a variable. A
deed may also be given in full, as a question names it: `step(move, "A", U4, V3, enter)`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from rules_asp.parser import values
from rules_asp.parser.errors import Mistake, Placed, Prefix, refusal, strange_boards
from rules_asp.parser.grammars import grammar_of
from rules_asp.parser.mistakes import misfit
from rules_asp.parser.query import read_query
from rules_asp.terms.arguments import Term, said, said_spot, said_word
from rules_asp.terms.grid import Hex, Hexside, Vertex
from rules_asp.terms.lexicon import Vocabulary, vocabulary
from rules_asp.terms.points import deed_in_one_name
from rules_asp.terms.query import Argument, Compound, Doing, Literal, Variable

_Part = Token | Tree[Token] | None

_FREE = Variable("_")

#: Ways that are said otherwise than they are named, and back.
_WAYS = {"entering": "enter", "driving": "drive", "overrunning": "drive_ovr"}
_SPOKEN = {way: spoken for spoken, way in _WAYS.items()}


def parse_deed(text: str, boards: Collection[str] | None = None) -> Doing:
    """Read a deed; BoardError says what is wrong with it.

    boards: the names that a hex id may carry (20E7); None leaves them unchecked.
    """
    doing, mistakes, prefixes = read_deed(text, vocabulary())
    mistakes += strange_boards(prefixes, boards)
    if mistakes or doing is None:
        raise refusal("deed", text, mistakes)
    return doing


def parse_roll(text: str, boards: Collection[str] | None = None) -> Argument:
    """Read a roll such as `bog_check("T", U4)`; BoardError says what is wrong with it."""
    roll, mistakes, prefixes = _read_within("dice(", text, ") = Dice", vocabulary())
    mistakes += strange_boards(prefixes, boards)
    if not mistakes and (roll is None or roll.variables):
        mistakes = [(Mistake("this is no roll, with all its parts", known_rolls()), 1, 1)]
    if mistakes or roll is None:
        raise refusal("roll", text, mistakes)
    return roll


def known_rolls() -> list[str]:
    """The rolls that the rules speak of."""
    return [each.form for each in vocabulary().forms.values() if each.kind == "roll"]


def read_deed(text: str, words: Vocabulary) -> tuple[Doing | None, list[Placed], list[Prefix]]:
    """A deed as far as it could be read, its mistakes, and the boards that its hexes name."""
    if "(" in text:
        deed, mistakes, prefixes = _read_within("legal(", text, ")", words)
        if deed is None and not mistakes:
            mistakes.append((Mistake("this is no deed"), 1, 1))
        return None if deed is None else Doing(deed), mistakes, prefixes
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        return None, [misfit(_grammar(), error, text)], []
    reader = _Reader(words)
    doing = reader.read(tree)
    return (None if reader.mistakes else doing), reader.mistakes, reader.prefixes


def _read_within(
    before: str, text: str, after: str, words: Vocabulary
) -> tuple[Argument | None, list[Placed], list[Prefix]]:
    """A form given in full, as the first argument of the literal of a question around it.

    Places are those of the text alone.
    """
    reading = read_query(f"{before}{text}{after}", words)
    last = text.count("\n") + 1

    def within(line: int, column: int) -> tuple[int, int]:
        return min(line, last), max(1, column - len(before))

    mistakes = [(mistake, *within(*at)) for mistake, *at in reading.mistakes]
    prefixes = [(prefix, *within(*at)) for prefix, *at in reading.prefixes]
    literal = reading.query.literals[0] if reading.query else None
    if isinstance(literal, Literal) and isinstance(literal.args[0].value, Compound):
        return literal.args[0], mistakes, prefixes
    return None, mistakes, prefixes


@cache
def _grammar() -> Lark:
    return grammar_of("deed", "deed")


class _Reader:
    """Makes the deed of one sentence."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.mistakes: list[Placed] = []
        self.prefixes: list[Prefix] = []

    def read(self, tree: Tree[Token]) -> Doing:
        """The deed of a sentence: its form bears the name of the grammar's alias."""
        name = str(tree.data)
        parts = cast("list[_Part]", tree.children)
        around: Hex | None = None
        if name == "step":
            unit, by, to, start, way = [*parts, None][:5]
            if isinstance(way, Tree) and way.data == "around":
                token = cast(Token, way.children[0])
                if token.type == "HEX":
                    around = cast("Hex | None", self.value(token, "hex"))
                    way = None
            parts = [by, unit, start, to, way]
        elif name == "scale":
            unit, updown, vertex = parts
            spot = self.value(cast(Token, vertex), "spot")
            where = spot if isinstance(spot, Vertex) else Vertex(Hex(0, 1), 0)
            kinds = self.words.forms[name].kinds
            args = (
                self.argument(unit, "unit"),
                Argument(where.hex, "hex"),
                Argument(where.corner, "corner"),
                self.argument(updown, kinds[3]),
            )
            return Doing(Argument(Compound(name, args), "deed"))
        elif name == "breach_attempt":
            unit, breached = parts
            assert isinstance(breached, Token)
            side, _, level = breached.partition("/")
            parts = [unit, breached.update(value=side), breached.update(value=level)]
        kinds = self.words.forms[name].kinds
        compound = Compound(name, tuple(map(self.argument, parts, kinds)))
        return deed_in_one_name(Doing(Argument(compound, "deed"), around))

    def argument(self, part: _Part, kind: str) -> Argument:
        """A part of the sentence as an argument; what is not said is free."""
        if part is None:
            return Argument(_FREE, kind)
        if isinstance(part, Tree):
            token = cast(Token, part.children[0])
            if part.data == "around":
                spot = Argument(self.value(token, "spot"), "spot")
                return Argument(Compound("around", (spot,)), kind)
            part = token.update(value=_WAYS.get(token, str(token)))
        return Argument(self.value(part, kind), kind)

    def value(self, token: Token, kind: str) -> Term:
        """What a token says, for its kind; where it is mistaken, that is noted."""
        at = (token.line or 1, token.column or 1)
        if kind == "unit":
            return str(token)
        text, prefixes = values.without_board(token) if kind in _WITH_BOARD else (str(token), [])
        self.prefixes += [(prefix, *at) for prefix in prefixes]
        try:
            reader = _READERS.get(kind)
            return reader(text) if reader else values.read_word(text, kind, self.words)
        except Mistake as mistake:
            self.mistakes.append((mistake, *at))
            return Hex(0, 1)


#: The kinds of arguments whose hexes may carry their board's name.
_WITH_BOARD = frozenset({"hex", "hexside", "spot", "location"})
_READERS: dict[str, Callable[[str], Term]] = {
    "hex": values.read_hex,
    "hexside": values.read_side,
    "spot": values.read_spot,
    "location": values.read_location,
    "number": values.read_number,
}


def deed_text(doing: Doing) -> str:
    """A deed as a sentence, where there is one for it, else in full."""
    compound = doing.deed.value
    assert isinstance(compound, Compound)
    values_ = [argument.value for argument in compound.args]
    match compound.name, values_:
        case "step", [str(by), str(unit), start, to, way] if not isinstance(to, Variable):
            text = f"{unit} {by} to {_place(to)}"
            if not isinstance(start, Variable):
                text += f" from {_place(start)}"
            if doing.around is not None:
                return f"{text} around {doing.around}"
            if isinstance(way, Variable):
                return text
            if isinstance(way, str):
                return f"{text} by {_SPOKEN.get(str(way), str(way))}"
            if isinstance(way, Compound) and way.name == "around":
                spot = way.args[0].value
                if isinstance(spot, Vertex):
                    return f"{text} around {said_spot(spot)}"
        case "scale", [str(unit), Hex() as hex_, int(corner), str(updown)]:
            return f"{unit} scale {updown} at {said_spot(Vertex(hex_, corner))}"
        case "fire", [start, to] if not isinstance(start, Variable | Compound):
            if not isinstance(to, Variable):
                return f"fire from {_place(start)} at {_place(to)}"
        case "fire_group", [str(one), str(other)]:
            return f"{one} form a fire group with {other}"
        case "close_combat", [str(one), str(other)]:
            return f"{one} fight {other}"
        case "gain_concealment", [str(unit)]:
            return f"{unit} gain concealment"
        case "breach_attempt", [str(unit), Hexside() as side, int(level)] if 0 <= level < 10:
            return f"{unit} breach {side}/{level}"
        case "place_dc", [str(unit), to] if not isinstance(to, Variable):
            return f"{unit} place a DC at {_place(to)}"
        case "place_across", [Hexside() as side, Vertex() as vertex]:
            return f"place a roadblock across {side} toward {said_spot(vertex)}"
        case "clear_roadblock", [str(unit), Hexside() as side]:
            return f"{unit} clear the roadblock across {side}"
        case "blow_up_roadblock", [str(unit), Hexside() as side]:
            return f"{unit} blow up the roadblock across {side}"
        case "place", [str(what), Hex() as hex_]:
            return f"place {said_word(what, 'fortification')} in {hex_}"
    return str(doing.deed)


def _place(value: object) -> str:
    return said(cast(Term, value), "location")
