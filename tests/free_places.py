"""Questions about each topic with one open argument, in words of a board: the program refuses none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product

from rules_asp.game.grid import Hex, Location, Vertex, hexside_between
from rules_asp.game.query import PLACED, Argument, FunctionTerm, Query, QueryLiteral, Variable
from rules_asp.game.vocabulary import vocabulary
from rules_asp.positions.position import Position

#: Kinds of things that a board may have none of, or that only a norm finds.
_NAMED = {"number": 1, "half_level": 2, "quarter": 4, "floor": 0, "level": 0, "corner": 0}

#: Of these a form must name one (kb/README.md): there is no list of all that fit.
_UNLISTED = frozenset(("number", "half_level", "quarter", "text"))


class Places:
    """One thing of each kind on a board."""

    def __init__(self, position: Position) -> None:
        self._position = position

    @cached_property
    def _hex(self) -> Hex:
        """A hex of a building with a neighbour in it, if there is one."""
        wholes = self._position.index.wholes
        inside = (one for one, all_ in wholes.items() if all_ & set(one.neighbours()))
        return min(inside, default=min(self._position.index.bases))

    @cached_property
    def _next(self) -> Hex:
        around = [each for each in self._hex.neighbours() if each in self._position.index.bases]
        whole = self._position.index.wholes.get(self._hex, frozenset())
        return next((each for each in around if each in whole), around[0])

    def of(self, kind: str) -> Argument | None:
        """A thing of this kind; None where the board has none."""
        return next(self.all_of(kind), None)

    def all_of(self, kind: str) -> Iterator[Argument]:
        """A thing of this kind, or one of each form of it; none where the board has none."""
        value: object = None
        units = sorted(str(each) for (each, _) in self._position.cases[0].get("unit", 2))
        forms = [each for each in vocabulary().forms.values() if each.kind == kind]
        words = vocabulary().words.get(kind)
        if kind == "unit":
            value = units[0].strip('"') if units else None
        elif kind == "hex":
            value = self._hex
        elif kind == "hexside":
            value = hexside_between(self._hex, self._next)
        elif kind in PLACED:
            value = Location(self._hex, 0)
        elif kind == "spot":
            value = Vertex(self._hex, 0)
        elif kind in _NAMED:
            value = _NAMED[kind]
        elif words:
            value = words[0]
        if value is not None:
            yield Argument(value, kind)  # type: ignore[arg-type]
            return
        for form in forms:
            parts = [self.of(each) for each in form.kinds]
            if None not in parts:
                yield Argument(FunctionTerm(form.name, tuple(each for each in parts if each)), kind)

    def questions(self) -> Iterator[Query]:
        """Each topic with one of its places, or of the places of a form in it, left open."""
        free = Variable("Free")
        for topic in vocabulary().topics.values():
            value = Argument(Variable("Value"), topic.value)
            for named in product(*(list(self.all_of(kind)) for kind in topic.kinds)):
                for place, argument in enumerate(named):
                    for left in _opened(argument, free):
                        one = (*named[:place], left, *named[place + 1 :])
                        yield Query((QueryLiteral(topic.name, one, value),))


def _opened(argument: Argument, free: Variable) -> Iterator[Argument]:
    value = argument.value
    if not isinstance(value, FunctionTerm):
        yield Argument(free, argument.kind)
        return
    for place, inner in enumerate(value.args):
        if inner.kind in _UNLISTED:
            continue
        for left in _opened(inner, free):
            args = (*value.args[:place], left, *value.args[place + 1 :])
            yield Argument(FunctionTerm(value.name, args), argument.kind)
