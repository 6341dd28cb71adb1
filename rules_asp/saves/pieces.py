"""Pieces of a saved game: replay of the commands, stacks, shown names; removal of hidden data.

Hidden information never leaves this module. A hidden piece (HIP) is dropped, with its place in the
stack. A concealed piece keeps only the nation of its "?". Secret words of players are neither
compared nor stored; labels, owners and private notes are not read.

Counters are recognized by their shown names, with the patterns of `counters.tsv`. A row gives the
kind of a counter, a pattern for its whole name, a word of the board language and an example. The
first matching row applies. Numbers of counters change between versions of VASL and are not used.
States that are part of a name, as in `broken 4-6-7 1sq`, are rows of the kind `prefix`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.saves.container import CommandList, SaveError, nested, number, split

#: Kinds of counters that are units, and the type of unit if the table does not give it.
UNIT_KINDS = frozenset({"squad", "leader", "person", "gun", "vehicle", "wreck"})
#: Kinds of counters that give the level of the counters above them.
LEVEL_KINDS = frozenset({"level", "fortified", "unknown level"})
#: Kinds of counters that describe a unit below them.
STATE_KINDS = frozenset({"state", "fire state", "unsaid state", "armor leader"})
#: Kinds of counters that describe the whole game, at any place.
SCENARIO_KINDS = frozenset({"turn", "ec", "weather", "night", "unsaid scenario"})

#: The word for the nation of a VASL code, on counters or in names.
NATIONS: Mapping[str, str] = {
    "ge": "german",
    "ss": "german",
    "ru": "russian",
    "am": "american",
    "br": "british",
    "fr": "french",
    "it": "italian",
    "ja": "japanese",
    "fi": "finnish",
    "ch": "chinese",
    "al": "allied-minor",
    "ax": "axis-minor",
    "hu": "hungarian",
    "sk": "south-korean",
    "nk": "north-korean",
    "cc": "communist-chinese",
    "un": "united-nations",
    "sv": "swedish",
    "ijn": "japanese",
    "usmc": "american",
}


class CounterPattern(NamedTuple):
    """A row of the table."""

    kind: str
    pattern: re.Pattern[str]
    gives: str
    example: str


@dataclass(frozen=True)
class Recognized:
    """A recognized name: the kind of counter, the word of its row, the parts of the name."""

    kind: str
    gives: str
    parts: Mapping[str, str] = field(default_factory=dict)
    states: tuple[str, ...] = ()

    def number(self, part: str) -> int:
        """Return a number in the name."""
        return int(self.parts[part])

    def corner(self, part: str) -> int | None:
        """Return the vertex of a hexspine in the name: ca1 is vertex 0, the upper right."""
        return int(self.parts[part]) - 1 if part in self.parts else None


@cache
def patterns() -> tuple[CounterPattern, ...]:
    """Return the rows of the table in order."""
    lines = files("rules_asp.saves").joinpath("counters.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines[2:] if line)
    return tuple(
        CounterPattern(kind, re.compile(pattern), "" if gives == "-" else gives, example)
        for kind, pattern, gives, example in rows
    )


def recognize(name: str) -> Recognized | None:
    """Recognize the name of a counter; None if no row matches."""
    states: list[str] = []
    prefixes = [each for each in patterns() if each.kind == "prefix"]
    rest = name
    while True:
        # First the whole name: `Wnd Heroic` is a counter of its own.
        found = _recognized(rest, tuple(states))
        if found is not None:
            return found
        for each in prefixes:
            if match := re.match(each.pattern.pattern + " ", rest):
                rest = rest[match.end() :]
                states.append(each.gives)
                break
        else:
            return None


def _recognized(name: str, states: tuple[str, ...]) -> Recognized | None:
    for each in patterns():
        if each.kind == "prefix":
            continue
        if match := each.pattern.fullmatch(name):
            parts = {part: text for part, text in match.groupdict().items() if text}
            return Recognized(each.kind, each.gives, parts, states)
    return None


#: The names of the map window, since 6.5 and before.
_MAPS = ("Main Map", "Map0")
_LONGEST_NAME = 100
_NATION = re.compile(r"[a-z]{2}")
_STACK = "stack"


@dataclass(frozen=True)
class Counter:
    """A counter visible to everybody: its shown name, or the nation of a "?".

    nation: a code of VASL such as `ge`; empty if the counter has none.
    unit: it is marked as a unit.
    veiled: it is a concealed piece; nothing else is reported about it.
    question_mark: it is a "?" counter.
    overlay: it is a draggable overlay that changes terrain.
    facing: 1..6, as `ca1` in names.
    """

    name: str
    nation: str = ""
    unit: bool = False
    veiled: bool = False
    question_mark: bool = False
    overlay: bool = False


@dataclass(frozen=True)
class CounterStack:
    """Counters on one point of the map, from bottom to top; a place in pixels of the map."""

    x: int
    y: int
    counters: tuple[Counter, ...]


@dataclass
class _Piece:
    """A piece during the replay: its type, the states of its traits, its place."""

    type: str
    state: list[str]
    map: str = ""
    x: int = 0
    y: int = 0


@dataclass
class _Pile:
    """A stack during the replay: its pieces from bottom to top."""

    map: str
    x: int
    y: int
    pieces: list[str] = field(default_factory=list)


def visible_stacks(commands: CommandList, step: int | None = None) -> tuple[CounterStack, ...]:
    """Return the visible pieces on the map after `step` steps of the log, or after all (None).

    The replay runs twice: pieces that are hidden in the end must not affect the stacks of others.
    """
    steps = commands.steps if step is None else commands.steps[:step]
    hidden: frozenset[str] = frozenset()
    for _ in range(2):
        game = _Game(hidden)
        game.run(commands.save)
        for each in steps:
            game.run(each)
        hidden = game.hidden()
    return game.visible()


class _Game:
    """The pieces and stacks of a game, by their ids, in the order of creation."""

    def __init__(self, ghosts: frozenset[str]) -> None:
        self.ghosts = ghosts
        self.pieces: dict[str, _Piece] = {}
        self.piles: dict[str, _Pile] = {}
        self._made = 0

    def run(self, commands: Iterable[str]) -> None:
        """Execute commands; commands that do not affect a position are skipped."""
        for command in commands:
            kind = command[:2]
            if kind == "+/":
                self._add(*_padded(split(command, "/"), 4)[1:4])
            elif kind == "-/":
                self._remove(_padded(split(command, "/"), 2)[1])
            elif kind == "D/":
                self._change(*_padded(split(command, "/"), 4)[1:4])
            elif kind == "M/":
                self._move(*_padded(split(command, "/"), 6)[1:6])

    def _add(self, name: str, type_: str, state: str) -> None:
        if len(type_) + len(state) > size_limit("piece"):
            raise SaveError(too_large_message("piece"))
        if len(self.pieces) + len(self.piles) >= size_limit("pieces"):
            raise SaveError(too_large_message("pieces"))
        self._remove(name)
        if type_ == _STACK:
            self.piles[name] = _pile(state)
            return
        piece = _Piece(type_, nested(state, "\t"))
        self.pieces[name] = piece
        _locate(piece)

    def _remove(self, name: str) -> None:
        self.pieces.pop(name, None)
        self.piles.pop(name, None)

    def _change(self, name: str, new: str, old: str) -> None:
        if name in self.piles:
            self.piles[name] = _pile(new)
            return
        piece = self.pieces.get(name)
        if piece is None:
            return
        if len(new) > size_limit("piece"):
            raise SaveError(too_large_message("piece"))
        states = nested(new, "\t")
        before = nested(old, "\t") if old else []
        if len(before) == len(states) == len(piece.state):
            # Another player may have changed other traits meanwhile.
            states = [
                now if now != was else kept
                for now, was, kept in zip(states, before, piece.state, strict=True)
            ]
        piece.state = states
        _locate(piece)

    def _move(self, name: str, map_: str, x: str, y: str, under: str) -> None:
        place = (map_, number(x) or 0, number(y) or 0)
        pile = self.piles.get(name)
        if pile is not None:
            target = self._pile_at(place, under, name)
            if target is None:
                pile.map, pile.x, pile.y = place
                return
            self._insert(target, pile.pieces, under)
            del self.piles[name]
        elif name in self.pieces:
            piece = self.pieces[name]
            for each in self.piles.values():
                if name in each.pieces:
                    each.pieces.remove(name)
            piece.map, piece.x, piece.y = place
            target = self._pile_at(place, under, name)
            if target is None:
                self._made += 1
                self.piles[f"new {self._made}"] = _Pile(*place, [name])
            else:
                self._insert(target, [name], under)

    def _pile_at(self, place: tuple[str, int, int], under: str, moved: str) -> _Pile | None:
        """Return the stack that a moving piece joins; stacks hidden as a whole do not count."""
        here = [
            (name, each)
            for name, each in self.piles.items()
            if name != moved
            and not self.ghosts.issuperset(each.pieces)
            and ((each.map, each.x, each.y) == place or under == name)
        ]
        found = (each for name, each in here if under == name or under in each.pieces)
        return next(found, here[0][1] if here else None)

    def _insert(self, pile: _Pile, names: list[str], under: str) -> None:
        at = pile.pieces.index(under) + 1 if under in pile.pieces else 0
        pile.pieces[at:at] = [each for each in names if each not in pile.pieces]

    def hidden(self) -> frozenset[str]:
        """The pieces that are hidden now."""
        return frozenset(name for name, each in self.pieces.items() if _counter(each) is None)

    def visible(self) -> tuple[CounterStack, ...]:
        """Return the stacks on the map, without hidden pieces, in the order of their places."""
        stacked: dict[str, _Pile] = {}
        for pile in self.piles.values():
            for name in pile.pieces:
                stacked.setdefault(name, pile)
        found = [
            CounterStack(pile.x, pile.y, self._seen(pile.pieces))
            for pile in self.piles.values()
            if pile.map in _MAPS
        ]
        found += [
            CounterStack(piece.x, piece.y, self._seen([name]))
            for name, piece in self.pieces.items()
            if name not in stacked and piece.map in _MAPS
        ]
        # Sort by place, so that the order reveals nothing about hidden pieces.
        shown = [each for each in found if each.counters]
        return tuple(
            sorted(
                shown,
                key=lambda each: (each.x, each.y, [_order(one) for one in each.counters]),
            )
        )

    def _seen(self, names: Iterable[str]) -> tuple[Counter, ...]:
        seen = (_counter(self.pieces[name]) for name in names if name in self.pieces)
        return tuple(each for each in seen if each is not None)


def _order(counter: Counter) -> tuple[str, str, bool, bool]:
    return counter.name, counter.nation, counter.veiled, counter.question_mark


def _padded(parts: list[str], count: int) -> list[str]:
    return parts + [""] * (count - len(parts))


def _pile(state: str) -> _Pile:
    map_, x, y, *rest = _padded(split(state, ";"), 3)
    pieces = [each for each in rest if each and not each.startswith("@@")]
    if len(pieces) > size_limit("pieces"):
        raise SaveError(too_large_message("pieces"))
    return _Pile(map_, number(x) or 0, number(y) or 0, pieces)


def _locate(piece: _Piece) -> None:
    """Set the place of a piece from the state of its innermost trait."""
    map_, x, y = _padded(split(piece.state[-1], ";"), 3)[:3]
    piece.map, piece.x, piece.y = map_, number(x) or 0, number(y) or 0


# --- The visible side of a counter.


def _counter(piece: _Piece) -> Counter | None:
    """Return the visible data of a piece; None if it is hidden."""
    traits = [
        (split(each, ";"), state)
        for each, state in zip(nested(piece.type, "\t"), piece.state, strict=False)
    ]
    if any(words[0] == "hide" and state not in ("", "null") for words, state in traits):
        return None
    nation = _nation(traits)
    if any(_is_concealed(words, state) for words, state in traits):
        return Counter("?", nation, veiled=True)
    if any(words[0] == "concealment" for words, _ in traits):
        return Counter("?", nation, question_mark=True)
    marks = _marks(traits)
    return Counter(
        _shown_name(traits),
        nation,
        unit=marks.get("DBCounterType") == "unit",
        overlay=any(_is_overlay(words) for words, _ in traits),
    )


_Trait = tuple[list[str], str]


def _is_concealed(words: list[str], state: str) -> bool:
    return words[0] == "conceal" and split(state, ";")[0] not in ("", "null")


def _nation(traits: list[_Trait]) -> str:
    """Return the nation of a counter's concealment picture."""
    for kind, index in (("conceal", 3), ("concealment", 2)):
        for words, _ in traits:
            if words[0] == kind and len(words) > index and _NATION.fullmatch(words[index]):
                return words[index]
    return ""


def _marks(traits: list[_Trait]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for words, state in traits:
        if words[0] == "mark" and len(words) > 1:
            found.update(zip(split(words[1], ","), split(state, ","), strict=False))
    return found


def _is_overlay(words: list[str]) -> bool:
    """Return whether the trait is that of a draggable overlay."""
    return words[0] == "immob"


def _shown_name(traits: list[_Trait]) -> str:
    """Return the name on the visible side: each shown layer adds to it or replaces it."""
    basic, *outer = reversed(traits)
    name = basic[0][4] if basic[0][0] == "piece" and len(basic[0]) > 4 else ""
    for words, state in outer:
        level = _level(words, state)
        if level is None:
            continue
        if level.startswith("+"):
            name = name + level[1:]
        elif level.endswith("+") and not level.endswith("\\+"):
            name = level[:-1] + name
        elif level:
            name = level
    name = name.replace("\\+", "+")
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:_LONGEST_NAME]


def _level(words: list[str], state: str) -> str | None:
    """Return the name of the shown level of a layer; None for another trait or no level."""
    if words[0] == "emb2" and len(words) > 17:
        names = split(words[17], ",")
    elif words[0] == "emb":
        names = [_padded(split(each, ","), 2)[1] for each in words[9:]]
    else:
        return None
    shown = number(state.split(";")[0])
    if shown is None or not 0 < shown <= len(names):
        return None
    return names[shown - 1]
