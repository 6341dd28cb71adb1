"""Name resolution in questions: units become their Locations, and unknown names are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.game.board import SourcePosition
from rules_asp.game.grid import Hex, Hexside, Location, Vertex
from rules_asp.game.map_layout import with_map_names
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLocation,
    UnitLosTerm,
    Variable,
)
from rules_asp.game.values import quoted, to_board_text, to_symbol, word_text
from rules_asp.parser import parse_location
from rules_asp.parser.errors import BoardError, Problem, nearest
from rules_asp.parser.writer import deed_text
from rules_asp.positions.locations import QuestionError, no_such_location, target_as, units_at
from rules_asp.positions.position import Position

#: A valid name of a unit.
_NAME = re.compile(r"[A-Za-z][\w-]*")
#: The letters of a hex in lower case, as in `w4/2` or `k13@l12-k12`.
_SMALL_HEX = re.compile(r"(?<![\w])[a-z]{1,2}(?=\d)")
#: Properties that a missing Location may have: whether it exists.
OF_ANY_LOCATION = frozenset(("location", "no_location", "at_level"))


@dataclass(frozen=True)
class _Strange(Exception):
    """A name that is not on the board: its text, the problem, and the known names."""

    named: str
    message: str
    known: tuple[str, ...] = ()
    near: str | None = None
    is_unit: bool = False

    def error_in(self, what: str, text: str) -> QuestionError:
        """Return the error for a question or action, with its text as understood."""
        named = re.escape(self.named.strip('"'))
        found = re.search(rf'(?<![\w@/-])"?{named}"?(?![\w@])', text)
        column = 0 if found is None else found.start() + 1
        near = self.near or nearest(self.named.strip('"'), self.known)
        expected = () if near else self.known
        if self.is_unit and what == "question":
            near, expected = near and quoted(near), tuple(map(quoted, expected))
        place = SourcePosition(what, 1 if column else 0, column)
        return QuestionError(str(Problem(place, text, self.message, expected, near)))


def resolve_query(position: Position, query: Query) -> Query:
    """Return a query with units replaced by their Locations.

    QuestionError, with the place, for an unknown unit, hex, Location, side or norm.
    """
    query = with_map_names(query, position.names)
    try:
        return Query(tuple(_literal(position, each) for each in query.literals))
    except _Strange as strange:
        raise strange.error_in("question", str(query)) from None


def resolve_deed(position: Position, doing: DeedQuery) -> DeedQuery:
    """Return an action with units replaced by their Locations; errors as in `resolve_query`."""
    doing = with_map_names(doing, position.names)
    try:
        for unit in doing.other_units:
            _standing(position, unit)
        for hex_ in (doing.around, doing.inside):
            if hex_ is not None:
                _on_the_map(position, hex_)
        return replace(doing, deed=_argument(position, doing.deed))
    except _Strange as strange:
        raise strange.error_in("deed", deed_text(doing, position.vocabulary)) from None


def resolve_form(position: Position, form: Argument) -> Argument:
    """Resolve a roll or another form as `resolve_deed` resolves an action."""
    form = with_map_names(form, position.names)
    try:
        return _argument(position, form)
    except _Strange as strange:
        raise strange.error_in(form.kind, str(form)) from None


def resolve_location(position: Position, place: Location | UnitLocation) -> Location:
    """Return a Location, or that of a unit; QuestionError if it is not on the board."""
    place = with_map_names(place, position.names)
    if isinstance(place, Location) and place in position.index.elevations:
        return place
    try:
        return _location(position, place)
    except _Strange as strange:
        raise strange.error_in("Location", strange.named) from None


def parse_los_end(
    position: Position, text: str | Location | UnitLocation
) -> Location | UnitLocation:
    """Parse an end of an LOS or fire attack: a Location, or a unit.

    BoardError for a text that cannot be either.
    """
    if isinstance(text, Location | UnitLocation):
        return text
    if text in units_at(position):
        return UnitLocation(text)
    # No unit of the board has this name, so a hex in lower case is accepted.
    written = _SMALL_HEX.sub(lambda found: found[0].upper(), text)
    try:
        return parse_location(written, board_prefixes(position), position.names)
    except BoardError:
        if _NAME.fullmatch(text):
            return UnitLocation(text)
        raise


def location_with_level(position: Position, text: str | Location) -> Location:
    """Return a Location such as `U4/1` on the board; the hex id may include the name of the board."""
    boards, location = board_prefixes(position), text
    if isinstance(location, str):
        location = parse_location(location, boards, position.names)
    return resolve_location(position, location)


def los_end(position: Position, text: str | Location) -> Location:
    """Return an end of an LOS: a Location, or that of a unit."""
    return resolve_location(position, parse_los_end(position, text))


def board_prefixes(position: Position) -> set[str]:
    """Return the board names that may precede a hex of this map."""
    return {position.board.name}


def location_of_unit(position: Position, unit: str) -> Location:
    """Return the Location of a unit; QuestionError if there is no such unit."""
    try:
        where = _standing(position, unit)
    except _Strange as strange:
        raise strange.error_in("Location", strange.named) from None
    if not position.index.has_location(where):
        raise QuestionError(
            f"the place of {unit} does not exist: {no_such_location(position, where)}"
        )
    return where


def location_of_stack(position: Position, units: Sequence[str]) -> Location:
    """The Location of units that stand together; QuestionError if they do not."""
    start = location_of_unit(position, units[0])
    for unit in units[1:]:
        if location_of_unit(position, unit) != start:
            raise QuestionError(
                f"{units[0]} and {unit} are in different Locations, so they are not a stack"
            )
    return start


def _literal(
    position: Position, literal: QueryLiteral | QueryComparison
) -> QueryLiteral | QueryComparison:
    if isinstance(literal, QueryComparison):
        left, right = (_argument(position, each) for each in literal.arguments)
        return replace(literal, left=left, right=right)
    _refuse_texts(position, literal)
    exists = literal.name not in OF_ANY_LOCATION
    args = tuple(_argument(position, each, exists) for each in literal.args)
    value = None if literal.value is None else _argument(position, literal.value)
    return replace(literal, args=args, value=value)


def _refuse_texts(position: Position, literal: QueryLiteral) -> None:
    """Raise _Strange for a quoted text that is not a name on the board, such as the name of a
    building."""
    if literal.name not in position.vocabulary.inputs:
        # A quoted place may be a unit or a side, and nothing else.
        there = _units(position) | _sides(position)
        for argument in literal.args:
            name = argument.value if argument.kind == "text" else None
            if isinstance(name, str) and name not in there:
                raise _Strange(str(argument), f"there is no {argument} on this board")
        return
    for place, argument in enumerate(literal.args):
        if argument.kind == "text" and isinstance(argument.value, str):
            stated = position.cases[0].get(literal.name, len(literal.args))
            known = sorted({each[place].string for each in stated})
            if argument.value not in known:
                told = tuple(f'"{each}"' for each in known)
                raise _Strange(str(argument), f"the board does not mention {argument}", told)


def _argument(
    position: Position, argument: Argument, exists: bool = True, inside: bool = False
) -> Argument:
    value, kind = argument.value, argument.kind
    if isinstance(value, FunctionTerm):
        value = _aimed(position, value)
        inner = tuple(_argument(position, each, exists, True) for each in value.args)
        return argument._replace(value=replace(value, args=inner))
    if isinstance(value, UnitLosTerm):
        return argument._replace(value=_sight(position, value))
    if isinstance(value, Location | UnitLocation) and kind == "party":
        return _party(position, value)
    if isinstance(value, Location | UnitLocation) and kind != "anything":
        return argument._replace(value=_location(position, value, exists))
    if isinstance(value, LosTerm):
        ends = (_location(position, end) for end in (value.a, value.b))
        return argument._replace(value=LosTerm(*ends))
    if isinstance(value, OpenLosTerm):
        return argument._replace(value=replace(value, end=_location(position, value.end)))
    for hex_ in _hexes(value):
        _on_the_map(position, hex_)
    if isinstance(value, str) and kind in _KNOWN and (inside or kind != "text"):
        known = _KNOWN[kind](position)
        if value not in known:
            told = str(argument)
            # The rules have too many of these names to list.
            many = kind in ("norm", "rule", "paragraph", "text")
            near = nearest(value, sorted(known))
            listed = () if many else tuple(_shown_name(each, kind) for each in sorted(known))
            message = _WRONG[kind].format(told.strip('"'))
            near = near and _shown_name(near, kind)
            raise _Strange(told, message, listed, near, is_unit=kind == "unit")
    return argument


def _aimed(position: Position, form: FunctionTerm) -> FunctionTerm:
    """Return a fire attack at a unit whose action does not matter."""
    if form.name != "shot" or not isinstance(form.args[1].value, UnitLocation):
        return form
    word = target_as(position, form.args[1].value.unit)
    last = form.args[3]
    return form if word is None else replace(form, args=(*form.args[:3], last._replace(value=word)))


def _sight(position: Position, sight: UnitLosTerm) -> LosTerm | OpenLosTerm:
    a, b = sight.a, sight.b
    if isinstance(a, Variable):
        a, b = b, a
    assert not isinstance(a, Variable)
    if isinstance(b, Variable):
        return OpenLosTerm(_location(position, a), b)
    return LosTerm(_location(position, a), _location(position, b))


def _location(position: Position, place: Location | UnitLocation, exists: bool = True) -> Location:
    if isinstance(place, UnitLocation):
        return _standing(position, place.unit, _named_so(position, place.unit))
    named = to_board_text(place, "location")
    spot = place.spot
    hex_ = spot if isinstance(spot, Hex) else spot.hex
    if hex_ not in position.index.bases:
        # A unit may have the name of a hex that is not on the board.
        if named in units_at(position):
            return _standing(position, named)
        near = nearest(named, (*_units(position), *map(str, position.index.bases)))
        raise _Strange(named, f"{named} is not on this board", _map_hexes(position), near)
    if exists and not _is_there(position, place):
        raise _Strange(named, no_such_location(position, place))
    return place


def _party(position: Position, party: Location | UnitLocation) -> Argument:
    """Return a unit that is meant itself and has a Location, or a Location."""
    name = party.unit if isinstance(party, UnitLocation) else to_board_text(party, "location")
    where = _location(position, party)
    hexes_ = () if isinstance(party, UnitLocation) else (party.spot,)
    if name in _units(position) and not any(each in position.index.bases for each in hexes_):
        return Argument(name, "unit")
    return Argument(where, "location")


def _named_so(position: Position, name: str) -> Location | None:
    """Return the ground level of the hex of this name; None if it is not a hex of the board.

    A sentence begins with a unit or with a Location.
    """
    return next((Location(hex_) for hex_ in position.index.bases if str(hex_) == name), None)


def _standing(position: Position, unit: str, else_at: Location | None = None) -> Location:
    """Return the Location of a unit; if there is no such unit, return `else_at`."""
    places = units_at(position)
    if unit in places:
        return places[unit]
    if else_at is not None and unit not in _units(position):
        return else_at
    if unit in _units(position):
        raise _Strange(unit, f"{unit} is not on this board")
    known = tuple(sorted(places)) or ("a Location such as C3; this board has no units",)
    message = f"there is no unit {unit} on this board"
    near = _in_capitals(unit)
    raise _Strange(unit, message, known, near, is_unit=near is None)


def _in_capitals(name: str) -> str | None:
    """Return the hex that a name in lower case such as `v3` means, if any."""
    return name.upper() if re.fullmatch(r"[a-z]{1,2}[0-9]{1,3}", name) else None


def _is_there(position: Position, place: Location) -> bool:
    """Test whether a Location exists in any case that the board leaves open.

    The rules themselves report a place inside a stairwell that is not a Location.
    """
    if position.index.elevation(place) is not None or str(place.floor).startswith("stairs"):
        return True
    there = clingo.Function("location", [to_symbol(place, "location")])
    return any(case.holds(there) for case in position.cases)


def _on_the_map(position: Position, hex_: Hex) -> None:
    if hex_ not in position.index.bases:
        near = nearest(str(hex_), map(str, position.index.bases))
        raise _Strange(str(hex_), f"{hex_} is not on this board", _map_hexes(position), near)


def _map_hexes(position: Position) -> tuple[str, ...]:
    """Return the hexes of the map for a message: the first and the last hex of each board."""
    by_board: dict[str, list[Hex]] = {}
    for hex_ in sorted(position.index.bases):
        by_board.setdefault(re.sub("[A-Z].*", "", str(hex_)), []).append(hex_)
    return tuple(f"a hex from {found[0]} to {found[-1]}" for found in by_board.values())


def _hexes(value: object) -> Iterator[Hex]:
    """Yield the hexes in a value."""
    if isinstance(value, Hex):
        yield value
    elif isinstance(value, Vertex):
        yield value.hex
    elif isinstance(value, Hexside):
        yield from value


def _shown_name(word: str, kind: str) -> str:
    return word if kind in ("unit", "norm", "ruling") else word_text(word, kind)


def _names(position: Position, *arguments: tuple[str, int, int]) -> Iterable[str]:
    """Return the names in these arguments of the board's facts."""
    for name, arity, place in arguments:
        for each in position.cases[0].get(name, arity):
            yield (
                each[place].string
                if each[place].type == clingo.SymbolType.String
                else str(each[place])
            )


def _units(position: Position) -> frozenset[str]:
    return frozenset(_names(position, ("unit", 2, 0)))


def _sides(position: Position) -> frozenset[str]:
    """Return the sides and nationalities in the board's facts."""
    places = (
        (each.name, len(each.kinds), place)
        for each in position.vocabulary.inputs.values()
        for place, kind in enumerate(each.kinds)
        if kind == "side"
    )
    return frozenset(_names(position, *places))


_TEXT = re.compile(r'"([^"]*)"')
_CHECK = re.compile(r'violates\("[^"]*",\s*(\w+)')
_PARTS = (("part", 2, 1), ("obstacle", 3, 1), ("haze", 3, 1))


def _drawn(position: Position) -> frozenset[str]:
    """Return the depictions possible in a hex: terrain of the rules or not, and buildings."""
    words = position.vocabulary.words
    return frozenset((*words["terrain"], *words["side_feature"], *_names(position, *_PARTS)))


def _norms(position: Position) -> frozenset[str]:
    return frozenset(norm.id for norm in position.program.norms.values())


def _quoted(position: Position) -> frozenset[str]:
    """Return the quoted texts of the rules: norms, paragraphs, unencoded rules, lost words."""
    texts = (rule.text for rule in position.program.rules)
    found = {each for text in texts for each in _TEXT.findall(text)}
    paragraphs = {norm.paragraph for norm in position.program.norms.values()}
    return frozenset((*found, *paragraphs, *_norms(position)))


def _checks(position: Position) -> frozenset[str]:
    """Return the names of the faults that the rules can find."""
    texts = (rule.text for rule in position.program.rules)
    return frozenset(each for text in texts for each in _CHECK.findall(text))


#: The known names of each kind on a position, and the message for other names.
_KNOWN: dict[str, Callable[[Position], frozenset[str]]] = {
    "unit": _units,
    "side": _sides,
    "part": _drawn,
    "norm": _norms,
    "check": _checks,
    **dict.fromkeys(("rule", "paragraph"), _quoted),
    "text": lambda position: _quoted(position) | _units(position),
}
_WRONG = {
    "unit": "there is no unit {} on this board",
    "side": "{} is not a side of this board",
    "part": "{} is not a terrain that can be in a hex",
    "norm": "there is no rule {}",
    "check": "{} is not a rule that a board can violate",
    **dict.fromkeys(("rule", "paragraph", "text"), "the rules do not name {}"),
}
