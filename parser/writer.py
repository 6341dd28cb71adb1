"""Conversion to text: a Board, so that `parse(write(board))` returns an equal one, and the sentence
of an action, a fire attack or a roll.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, singledispatch
from itertools import groupby

from rules_asp.game import board as b
from rules_asp.game.board import BoardPlacement
from rules_asp.game.grid import (
    Grid,
    Hex,
    Hexside,
    Location,
    MapBoard,
    Vertex,
    column_name,
    hex_of_spot,
)
from rules_asp.game.map_layout import LEFT, RIGHT, map_names, with_map_names
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    Query,
    QueryLiteral,
    RollQuery,
    UnitLocation,
    UnitStack,
    Variable,
    bypassed_hex,
)
from rules_asp.game.values import (
    Notation,
    Term,
    corner_text,
    number_text,
    quoted,
    spot_text,
    to_board_text,
    word_text,
)
from rules_asp.game.vocabulary import Sentence, Vocabulary, default_vocabulary
from rules_asp.parser.input_syntax import BARRELS, HEX_MARKS, MARKS, SIDE_MARKS, STATEMENTS, TRAITS

#: Articles are optional; a message prints the one of the template.
ARTICLES = ("a", "an", "the")

_PART = re.compile(
    r"\s*(?:\[(?P<group>[^\[\]]*)\]|\{(?P<one>\d)(?:(?P<sign>[@/])(?P<other>\d))?\}"
    r"|\{(?P<about>course|turns)\}"
    r"|(?P<word>[A-Za-z][A-Za-z-]*(?:/[A-Za-z][A-Za-z-]*)*))"
)


@dataclass(frozen=True)
class TemplateWord:
    """A word with its spellings; the first is printed."""

    spellings: tuple[str, ...]

    @property
    def is_article(self) -> bool:
        """True if the word is optional."""
        return self.spellings[0] in ARTICLES


@dataclass(frozen=True)
class TemplateSlot:
    """A slot for parts of the form, counted from 0; -1 is a value that the form does not contain.

    `sign` joins two parts in one text: @ for a hex and its corner (a vertex), / for a hexside and a
    level. A value outside the form is a unit, or an aspect (`about`) of a path: its kind, or its
    turns.
    """

    place: int
    sign: str = ""
    other: int = -1
    about: str = "unit"

    @property
    def places(self) -> tuple[int, ...]:
        """The parts in this slot."""
        return (self.place, self.other) if self.sign else (self.place,)


@dataclass(frozen=True)
class TemplateGroup:
    """An optional group."""

    parts: tuple[Part, ...]


Part = TemplateWord | TemplateSlot | TemplateGroup


@cache
def parse_template(text: str) -> tuple[Part, ...]:
    """Return the parts of a template; ValueError for a malformed one."""
    parts: list[Part] = []
    end = 0
    while end < len(text.rstrip()):
        found = _PART.match(text, end)
        if found is None:
            raise ValueError(f"this is not a sentence template: {text[end:]}")
        end = found.end()
        if found["group"] is not None:
            parts.append(TemplateGroup(parse_template(found["group"])))
        elif found["one"]:
            other = int(found["other"]) - 1 if found["other"] else -1
            parts.append(TemplateSlot(int(found["one"]) - 1, found["sign"] or "", other))
        elif found["about"]:
            parts.append(TemplateSlot(-1, about=found["about"]))
        else:
            parts.append(TemplateWord(tuple(found["word"].split("/"))))
    return tuple(parts)


def slots(parts: tuple[Part, ...]) -> Iterator[TemplateSlot]:
    """Yield the slots in order, also those in groups."""
    for part in parts:
        if isinstance(part, TemplateSlot):
            yield part
        elif isinstance(part, TemplateGroup):
            yield from slots(part.parts)


def template_words(parts: tuple[Part, ...]) -> Iterator[TemplateWord]:
    """Yield the words in order, also those in groups."""
    for part in parts:
        if isinstance(part, TemplateWord):
            yield part
        elif isinstance(part, TemplateGroup):
            yield from template_words(part.parts)


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_PLACE = re.compile(r"(?:[A-Z]*[0-9]+[a-z]?|[a-z]+)?[A-Z]+[0-9]{1,3}")


class _Unsaid(Exception):
    """A sentence does not express all of a form, or expresses more."""


def deed_text(doing: DeedQuery, words: Vocabulary) -> str:
    """Return an action as a sentence, or as a term if it has no sentence."""
    return _deed_sentence(doing, words) or str(doing.deed)


def roll_text(rolling: RollQuery, words: Vocabulary) -> str:
    """Return a roll as a sentence with its known dice, or as a term if it has no sentence."""
    return f"{form_text(rolling.roll, words) or rolling.roll}{rolling.shown}"


def form_text(argument: Argument, words: Vocabulary) -> str | None:
    """Return a form as a sentence; None if it has none."""
    return _deed_sentence(DeedQuery(argument), words)


def _deed_sentence(doing: DeedQuery, words: Vocabulary) -> str | None:
    compound = doing.deed.value
    if not isinstance(compound, FunctionTerm):
        return None
    for sentence in words.sentences_of(compound.name):
        try:
            return _Teller(words, doing, sentence, compound).text
        except _Unsaid:
            continue
    return None


class _Teller:
    """Writes a form by one template; _Unsaid if that does not fit."""

    def __init__(
        self, words: Vocabulary, doing: DeedQuery, sentence: Sentence, compound: FunctionTerm
    ) -> None:
        self.words = words
        self.doing = doing
        self.args = compound.args
        if bypassed_hex(compound.args) is not None:
            raise _Unsaid
        self.besides = list(doing.other_units)
        self.about = {
            "course": doing.only,
            "turns": None if doing.turn_count == 1 else doing.turn_count,
        }
        # Parts of a step in one text: its end as a hex, and the vertex of the bypassed corner.
        self.whole = compound is doing.deed.value
        implied = {
            place
            for place, arg in enumerate(compound.args)
            if (word := sentence.implied(place)) is not None and self.is_word(arg, word)
        }
        self.left = {
            place
            for place, arg in enumerate(compound.args)
            if not _is_open(arg) and place not in implied
        }
        told = self.parts(parse_template(sentence.text), True)
        if self.left or self.besides or any(map(self.is_left, self.about)):
            raise _Unsaid
        if self.whole and doing.around is not None:
            told.append(f"around {doing.around}")
        self.text = " ".join(told)

    def is_word(self, arg: Argument, word: str) -> bool:
        """Test whether an argument is the word that the sentence implies."""
        if arg.value != word:
            raise _Unsaid
        return True

    def parts(self, parts: Iterable[Part], first: bool = False) -> list[str]:
        """Return the text of the parts; a group only if it has something to express."""
        told = []
        for part in parts:
            if isinstance(part, TemplateWord):
                told.append(part.spellings[0])
            elif isinstance(part, TemplateSlot):
                told.append(self.slot(part, first))
            elif isinstance(part, TemplateGroup) and self.is_wanted(part):
                told += self.parts(part.parts)
            first = False
        return told

    def is_wanted(self, group: TemplateGroup) -> bool:
        """Test whether a group has something to express."""
        slots = (each for each in group.parts if isinstance(each, TemplateSlot))
        return any(each.place in self.left or self.is_left(each.about) for each in slots)

    def is_left(self, about: str) -> bool:
        """Test whether an aspect of a path is not yet written."""
        return self.about.get(about) is not None

    def slot(self, slot: TemplateSlot, first: bool) -> str:
        """Return the text of a slot."""
        if slot.about != "unit":
            return self.of_way(slot.about)
        if slot.place < 0:
            if not self.besides:
                raise _Unsaid
            return self.unit(self.besides.pop(0))
        self.left -= set(slot.places)
        arg = self.args[slot.place]
        if slot.sign == "@":
            hex_, corner = arg.value, self.args[slot.other].value
            if isinstance(hex_, Hex) and isinstance(corner, int) and 0 <= corner < 6:
                return spot_text(Vertex(hex_, corner))
        elif slot.sign == "/":
            side, level = arg.value, self.args[slot.other].value
            if isinstance(side, Hexside) and isinstance(level, Variable) and level.name == "_":
                return str(side)
            if isinstance(side, Hexside) and isinstance(level, int) and 0 <= level < 10:
                return f"{side}/{level}"
        else:
            return self.argument(arg, slot, first)
        raise _Unsaid

    def of_way(self, about: str) -> str:
        """Return the kind of a path, or its turns."""
        value = self.about.pop(about)
        if value is None:
            raise _Unsaid
        return str(value) if about == "turns" else self.word(str(value), about)

    def word(self, word: str, kind: str) -> str:
        """Return the phrase for a word, if there is one, else the word."""
        phrase = self.words.phrases.get((kind, word))
        if phrase is None:
            return word_text(word, kind)
        words = (each for each in parse_template(phrase) if isinstance(each, TemplateWord))
        return " ".join(each.spellings[0] for each in words)

    def argument(self, arg: Argument, slot: TemplateSlot, first: bool) -> str:
        """Return the text of an argument in a sentence."""
        value, kind = arg.value, arg.kind
        if isinstance(value, FunctionTerm):
            inner = _deed_sentence(DeedQuery(arg), self.words)
            if inner is None:
                raise _Unsaid
            return inner
        if isinstance(value, UnitLocation):
            name = self.unit(value.unit)
            return quoted(name) if _PLACE.fullmatch(name) and not first else name
        if _is_open(arg) and self.whole and self.doing.inside is not None and kind == "location":
            return str(self.doing.inside)
        if not isinstance(value, Term) or (isinstance(value, Location) and first):
            raise _Unsaid
        if kind == "unit":
            name = self.unit(str(value))
            return quoted(name) if _PLACE.fullmatch(name) and not first else name
        if kind == "corner" and slot.place:
            return str(value)
        if isinstance(value, str):
            return self.word(value, kind)
        if isinstance(value, int) and value < 0:
            raise _Unsaid
        return to_board_text(value, kind)

    def unit(self, name: str) -> str:
        """Return the name of a unit, quoted if it could be read as something else."""
        plain = _NAME.fullmatch(name) and name not in _spellings(self.words)
        return name if plain else quoted(name)


def _is_open(arg: Argument) -> bool:
    """Test whether a part is open without a name."""
    return isinstance(arg.value, Variable) and arg.value.name == "_"


@lru_cache(maxsize=8)
def _spellings(words: Vocabulary) -> frozenset[str]:
    """Return every word of every sentence, including optional articles."""
    texts = [*(each.text for each in words.sentences), *words.phrases.values()]
    found = {
        each
        for text in texts
        for word in template_words(parse_template(text))
        for each in word.spellings
    }
    found -= set(ARTICLES)
    return frozenset((*found, *map(str.capitalize, found), "The", *ARTICLES))


#: Leaves four columns for boards indented below an answer.
_WIDTH = 96
#: Text that is not broken: quoted texts, and numbers with quarters such as 1 1/4.
_UNBROKEN = re.compile(r'(?:"(?:[^"\\]|\\.)*"|(?<!\S)-?\d+ (?=\d/\d)|\S)+')


def write(board: b.Board, words: Vocabulary | None = None) -> str:
    """Return the board as text, one statement a line, in the order of its statements."""
    notation = Notation(words or default_vocabulary(), map_names(board.grid))
    head = []
    if board.name or board.grid != Grid(0, 0):
        plain = board.grid != Grid(0, 0) and not board.grid.parts
        size = f" grid {board.grid}" if plain else ""
        head.append(f"board {quoted(board.name)}{size}")
    head += map(_part, board.grid.parts)
    return "".join(f"{line}\n" for line in head) + write_statements(board.statements, notation)


def write_statements(statements: Iterable[b.Statement], notation: Notation) -> str:
    """Return statements as text, one a line."""
    named = with_map_names(tuple(statements), notation.names)
    return "".join(f"{line}\n" for line in _lines(named, notation.vocabulary))


def statement_text(statement: b.Statement, notation: Notation) -> str:
    """Return a statement as one line of any length."""
    return " ".join(write_statements((statement,), notation).replace("\\\n", " ").split())


def _part(part: MapBoard) -> str:
    """Return the line that places a board of a map."""
    board = "" if part.board == part.label else f" of {quoted(part.board)}"
    lay = BoardPlacement(None, part.turned, beside=part.next_to)
    if part.kept_half is not None:
        left, right, top, bottom = part.kept_half.spans
        lay = lay._replace(columns=(left, right), rows=(top, bottom))
    return f"part {part.label}{board} grid {Grid(part.cols, part.rows, part.first)}{_lay(lay)}"


def _lay(lay: BoardPlacement) -> str:
    """Return the placement of a board as text."""
    words = [] if lay.label is None else ["as", lay.label]
    if lay.turned:
        words.append("turned")
    if lay.half is not None:
        words += ["only", lay.half, "half"]
    elif lay.columns is not None:
        first, last = map(column_name, lay.columns)
        if lay.rows is None:
            words += ["only", "hexrows", f"{first}-{last}"]
        else:
            words += ["only", "hexes", f"{first}{lay.rows[0]}-{last}{lay.rows[1]}"]
    if lay.beside is not None:
        way, other = lay.beside
        words += [way, "of", other] if way in (RIGHT, LEFT) else [way, other]
    return "".join(f" {word}" for word in words)


def _lines(statements: Sequence[b.Statement], words: Vocabulary) -> Iterator[str]:
    """Yield the lines; adjacent facts share a line if possible."""
    for shared, group in groupby(statements, _shared_line):
        if shared is b.Fact:
            yield from map(_wrapped, _givens([g for g in group if isinstance(g, b.Fact)], words))
            continue
        if isinstance(shared, str):
            places = " ".join(
                to_board_text(g.where, "hex") for g in group if isinstance(g, b.Doubt)
            )
            yield _wrapped(f"doubt {places} {quoted(shared)}")
            continue
        for statement in group:
            text = _statement_line(statement, words)
            yield text if isinstance(statement, b.Outline) else _wrapped(text)


def _shared_line(statement: b.Statement) -> type[b.Fact] | str | None:
    """Return what adjacent statements must have in common to share a line; None if they cannot."""
    if isinstance(statement, b.Doubt):
        return statement.text
    return b.Fact if isinstance(statement, b.Fact) else None


def given_line(given: b.Fact, notation: Notation) -> str:
    """Return the line of a fact in the board language."""
    return _given_line(with_map_names(given, notation.names), notation.vocabulary)


def _given_line(given: b.Fact, words: Vocabulary) -> str:
    (line,) = _grouped((given,), {**STATEMENTS, **MARKS}, None, words)
    return line


def _wrapped(text: str) -> str:
    """Break a long line into several that end in a backslash."""
    if len(text) <= _WIDTH:
        return text
    lines, line = [], ""
    for found in _UNBROKEN.finditer(text):
        gap = "  " if text[: found.start()].endswith("  ") else " "
        if line and len(line) + len(gap) + len(found[0]) > _WIDTH - 2:
            lines.append(line + " \\")
            line = "    " + found[0]
        else:
            line = line + gap + found[0] if line else found[0]
    return "\n".join([*lines, line])


# --- statements


@singledispatch
def _statement_line(statement: object, words: Vocabulary) -> str:
    raise TypeError(f"this is not a board statement: {statement!r}")


@_statement_line.register
def _(use: b.Use, words: Vocabulary) -> str:
    return f"use {quoted(use.path)}{'' if use.lay is None else _lay(use.lay)}"


@_statement_line.register
def _(area: b.Area, words: Vocabulary) -> str:
    known = area.kind in b.PRINTED_MARKS or _known_terrain(area.kind, words)
    unknown = "" if known else "unknown terrain "
    return f"{unknown}{word_text(area.kind, 'terrain')}: {_list(area.hexes)}"


@_statement_line.register
def _(level: b.Level, words: Vocabulary) -> str:
    return f"level {level.level}: {_list(level.hexes)}"


@_statement_line.register
def _(building: b.Building, words: Vocabulary) -> str:
    name = "" if building.name is None else f"{quoted(building.name)} "
    parts = [f"building {name}{building.colour}: {_list(building.hexes)}"]
    if building.joined:
        parts.append(f"joined {_list(building.joined)}")
    if building.stairwells:
        parts.append(f"stairwell {_list(building.stairwells)}")
    if building.bars:
        parts.append("bar " + " ".join(map(_bar, building.bars)))
    return "   ".join(parts)


@_statement_line.register
def _(bar: b.Bar, words: Vocabulary) -> str:
    return f"bar {_bar(bar)}"


@_statement_line.register
def _(sides: b.HexsideTerrain, words: Vocabulary) -> str:
    unknown = "" if _known_side(sides.kind, words) else "unknown hexside terrain "
    return f"{unknown}{word_text(sides.kind, 'hexside_terrain')}: {_list(sides.sides)}"


@_statement_line.register
def _(road: b.Road, words: Vocabulary) -> str:
    return f"road {word_text(road.surface, 'surface')}: {'-'.join(map(str, road.hexes))}"


@_statement_line.register
def _(outline: b.Outline, words: Vocabulary) -> str:
    known = outline.kind in b.OUTLINED or _known_terrain(outline.kind, words)
    kind = ("" if known else "unknown terrain ") + word_text(outline.kind, "terrain")
    level = "" if outline.level is None else f" {outline.level}"
    level += "" if outline.on is None else f" on {outline.on}"
    rings = [" ".join(f"{x},{y}" for x, y in ring) for ring in (outline.outer, *outline.holes)]
    return f"outline {kind}{level}: {' hole '.join(rings)}"


@_statement_line.register
def _(correction: b.Correction, words: Vocabulary) -> str:
    kind = "hex" if isinstance(correction.where, Hex) else "hexside"
    if correction.mark == "ground":
        return f"ground {correction.to}: {correction.where}"
    mark = word_text(correction.mark, "terrain")
    marks = ("level", "building", *HEX_MARKS, *words.words["symbol"])
    if kind == "hex" and correction.mark not in marks:
        mark = mark if _known_terrain(correction.mark, words) else f"unknown terrain {mark}"
    if kind == "hexside" and not _known_side(correction.mark, words):
        mark = f"unknown terrain {mark}"
    return f"{kind} {to_board_text(correction.where, kind)} {mark} {correction.to}"


@_statement_line.register
def _(cleared: b.Erasure, words: Vocabulary) -> str:
    return f"undrawn {word_text(cleared.kind, 'terrain')}: {_list(cleared.hexes)}"


@_statement_line.register
def _(overlay: b.Overlay, words: Vocabulary) -> str:
    own = "-".join(str(Hex(*each)) for each in overlay.own)
    return f"overlay {quoted(overlay.path)} {own} on {'-'.join(map(str, overlay.here))}"


@_statement_line.register
def _(treat: b.TerrainSubstitution, words: Vocabulary) -> str:
    on = "" if treat.on is None else f" on {treat.on}"
    if not treat.as_terrain:
        return f"no {word_text(treat.terrain, '')}{on}"
    known = any(
        treat.as_terrain in words.words[kind] for kind in ("terrain", "hexside_terrain", "surface")
    )
    other = word_text(treat.as_terrain, "")
    return (
        f"treat {word_text(treat.terrain, '')} as {'' if known else 'unknown terrain '}{other}{on}"
    )


@_statement_line.register
def _(perhaps: b.UncertainFact, words: Vocabulary) -> str:
    return f"perhaps {_given_line(perhaps.given, words)}"


@_statement_line.register
def _(thing: b.UnitStatement, words: Vocabulary) -> str:
    known = {fact.name: fact.args[1:] for fact in thing.facts}
    line = f"unit {thing.name} {word_text(str(known['unit'][0]), 'unit_type')}"
    where = None
    traits = [fact for fact in thing.facts if fact.name in TRAITS]
    if "strength" in known:
        line += " " + "-".join(map(str, known["strength"]))
    elif rating := printed_rating(thing):
        line += f" {rating}"
        del traits[:2]
    if "of_side" in known:
        line += f" {to_board_text(known['of_side'][0], 'side')}"
    if "at" in known:
        location = known["at"][0]
        line += f" at {to_board_text(location, 'location')}"
        where = hex_of_spot(location.spot) if isinstance(location, Location) else None
    said_traits = ", ".join(_grouped(traits, TRAITS, where, words))
    return f"{line}: {said_traits}" if said_traits else line


def printed_rating(unit: b.UnitStatement) -> str | None:
    """Return the printed values of a leader:

    `9-2` for morale 9 and leadership -2; None without both.
    """
    traits = [fact.args[1:] for fact in unit.facts if fact.name in TRAITS][:2]
    types = [fact.args[1] for fact in unit.facts if fact.name == "unit"]
    if types != ["leader"] or [each[0] for each in traits] != ["morale", "leadership"]:
        return None
    (_, morale), (_, leadership) = traits
    assert isinstance(morale, int)
    assert isinstance(leadership, int)
    if not (0 <= morale <= 99 and -9 <= leadership <= 9):
        return None
    return f"{morale}{leadership:+d}" if leadership > 0 else f"{morale}-{-leadership}"


@_statement_line.register
def _(expect: b.Expect, words: Vocabulary) -> str:
    text = "expect " + _question(expect, words)
    return f"{text}   cites {', '.join(expect.cites)}" if expect.cites else text


def _question(expect: b.Expect, words: Vocabulary) -> str:
    match expect.question:
        case b.ExpectedLos(one, other):
            line = f"los {_end(one)} - {_end(other)} {expect.answer}"
            if expect.hindrance is not None:
                line += f" hindrance {expect.hindrance}"
            return line if expect.at is None else f"{line} at {expect.at}"
        case b.Shot() | b.UnitShot():
            return f"tem of {_shot(expect.question)} = {_amount(expect.answer, 1)}"
        case b.ExpectedDrm(shot):
            return f"drm of {_shot(shot)} = {_amount(expect.answer, 1)}"
        case b.ExpectedCost(units, to, bound):
            answer = _amount(expect.answer, 4) + _by(expect)
            return f"cost {' '.join(units)} to {_end(to)} {bound} {answer}"
        case b.ExpectedRoll(rolling, result):
            return (
                f"roll {roll_text(rolling, words)}: {word_text(result, 'result')} {expect.answer}"
            )
        case DeedQuery():
            return f"can {deed_text(expect.question, words)}: {expect.answer}{_by(expect)}"
        case b.ExpectedViolation(paragraph):
            return f"violates {paragraph}"
        case b.ExpectedConflict(one, other):
            return f"conflict {one} {other}"
        case Query(literals):
            text = str(expect.question)
            if expect.answer == "unknown":
                return "unknown " + text.removesuffix(" = _")
            alone = literals[0] if len(literals) == 1 else None
            if expect.answer == "yes" and isinstance(alone, QueryLiteral) and alone.args:
                valued = alone.value is not None and str(alone).endswith(f" = {alone.value}")
                return text if valued and not alone.negated else f"holds {text}"
            return f"{'holds' if expect.answer == 'yes' else 'not'} {text}"


def _by(expect: b.Expect) -> str:
    return "" if expect.by is None else f" by {expect.by}"


def _end(place: Location | UnitLocation | UnitStack) -> str:
    if isinstance(place, UnitStack):
        return str(place)
    return place.unit if isinstance(place, UnitLocation) else to_board_text(place, "location")


def _shot(shot: b.Shot | b.UnitShot) -> str:
    how = "" if shot.how == "direct" else f"{word_text(shot.how, 'fire')} "
    unsaid = None if isinstance(shot, b.UnitShot) else "still"
    told = shot.doing if shot.doing != unsaid else None
    doing = "" if told is None else f" {word_text(told, 'target')}"
    places = f"from {_end(shot.firer)} at {_end(shot.target)}"
    return f"{how}fire {places}{doing}"


def _amount(answer: str | int, scale: int) -> str:
    return answer if isinstance(answer, str) else number_text(answer, scale)


def _list(places: Iterable[Hex | Hexside]) -> str:
    return " ".join(map(str, places))


def _bar(bar: b.Bar) -> str:
    covers = "" if bar.covers is None else f" covers {bar.covers[0]}-{bar.covers[1]}"
    return f"{bar.side}{covers}"


def _known_terrain(kind: str, words: Vocabulary) -> bool:
    """Test whether a terrain needs no keyword `unknown terrain`."""
    known = words.words.get("terrain")
    return known is None or kind in known


def _known_side(kind: str, words: Vocabulary) -> bool:
    """Test whether a hexside terrain needs no keyword `unknown hexside terrain`."""
    known = words.words.get("hexside_terrain")
    return known is None or kind in known or kind in SIDE_MARKS


# --- Facts by their forms.


def _givens(facts: Sequence[b.Fact], words: Vocabulary) -> Iterator[str]:
    """Yield lines for adjacent facts; turn, side and phase share one."""
    order = {"turn": 0, "moving_side": 1, "phase": 2}
    rest: list[b.Fact] = []
    clock: list[b.Fact] = []
    for fact in [*facts, None]:
        place = order.get(fact.name, -1) if fact else -1
        if clock and place <= order[clock[-1].name]:
            yield "turn " + " ".join(to_board_text(each.args[0], each.name) for each in clock)
            clock = []
        if fact is None or place >= 0:
            yield from _grouped(rest, STATEMENTS, None, words)
            rest = []
        if fact is not None:
            (clock if place >= 0 else rest).append(fact)


def _grouped(
    facts: Sequence[b.Fact], forms: dict[str, str], at: Hex | None, words: Vocabulary
) -> Iterator[str]:
    """Group facts by their forms; neighbors that differ only in the repeated part share a line."""
    line = ""
    items: list[str] = []
    for fact in facts:
        form = forms.get(fact.name)
        if form is None:
            raise ValueError(f"no board statement can state the fact {fact.name}")
        once = form.removesuffix(" ...")
        head, item = _filled(fact, once, at, words), ""
        if once != form:
            # The repeated part is the last word, or all words after a colon.
            repeated = len(once.rpartition(": ")[2].split()) if ": " in once else 1
            parts = head.split(" ")
            head, item = " ".join(parts[:-repeated]), " ".join(parts[-repeated:])
        if items and item and head == line:
            items.append(item)
            continue
        if line or items:
            yield " ".join(filter(None, (line, *items)))
        line, items = head, [item] if item else []
    if line or items:
        yield " ".join(filter(None, (line, *items)))


def _filled(fact: b.Fact, form: str, at: Hex | None, words: Vocabulary) -> str:
    """Return a form filled with the arguments of a fact."""
    kinds = words.kinds_of(words.inputs[fact.name].kinds, fact.args)
    first = fact.args[0] if fact.args else None
    side = first if isinstance(first, Hexside) else None

    def argument(value: Term, kind: str) -> str:
        if kind == "barrel":
            return BARRELS[str(value)]
        if kind == "corner" and isinstance(value, int):
            return _pointed(side, value) if side else _corner(at, value)
        return to_board_text(value, kind)

    return form.format(*map(argument, fact.args, kinds))


def _corner(at: Hex | None, corner: int) -> str:
    return str(corner) if at is None else corner_text(Vertex(at, corner))


def _pointed(side: Hexside, corner: int) -> str:
    """Return the third hex at an end of a hexside, or the number of the vertex if it has no name."""
    around = side.a.neighbour(corner), side.a.neighbour(corner + 1)
    third = around[0] if around[1] == side.b else around[1]
    return str(third) if third.has_name else str(corner)
