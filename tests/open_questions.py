"""The questions of the cases with one argument left open, for the law that a variable finds what is so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rules_asp.answers.asking import ask, ways_of
from rules_asp.answers.patterns import is_free
from rules_asp.positions.prepared import Position
from rules_asp.terms.board import AllDrm, Expect, Shot, Sight
from rules_asp.terms.grid import Hex, Location, Vertex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import (
    Argument,
    Compound,
    Doing,
    Literal,
    OpenSight,
    Query,
    Sightline,
    Variable,
)

FREE = Variable("Free")
#: What the text does not give has no end.
_SKIPPED = frozenset(("unknown",))


@dataclass(frozen=True)
class Opened:
    """A question that a case answers, and the same with one argument left open, where `was` stood."""

    named: Literal
    left: Literal
    was: Argument

    @property
    def is_whole(self) -> bool:
        """Whether a whole deed, shot or the like is left open: it may be refused as too wide."""
        return isinstance(self.was.value, Compound)

    def __str__(self) -> str:
        return f"{self.left}  of  {self.named}"

    def is_listed(self, position: Position) -> bool:
        """Whether what stood there is of what can be listed, and what is said of it is no mere denial.

        A point in the air is not, and of what asks of places alone no vertex that nobody is at; nor is
        that it is not so of what is no step, or where no norm says it.
        """
        there = self.was.value
        if isinstance(there, Location) and there.above is not None:
            return False
        if (
            isinstance(there, Location)
            and isinstance(there.spot, Vertex)
            and self.was in self.named.args
        ):
            return there in position.in_bypass
        if self.named.value is None or self.named.value.value != "no":
            return True
        steps = [Literal("legal", (each,)) for each in _steps(self.named.args)]
        if not all(ask(position, Query((each,)), cite=False).holds for each in steps):
            return False
        return bool(ask(position, Query((self.named,))).cites)

    def is_found(self, position: Position) -> bool:
        """Whether what was named is among the ways of the open question; QuestionError if refused."""
        ways = ways_of(position, Query((self.left,))).certain
        return self.was.term in {str(way[0]) for way in ways}


def _steps(arguments: Iterable[Argument]) -> Iterator[Argument]:
    """The steps that these speak of, at any depth."""
    for each in arguments:
        if isinstance(each.value, Compound):
            if each.value.name == "step":
                yield each
            yield from _steps(each.value.args)


def literals(expect: Expect) -> Iterator[Literal]:
    """What an expectation asks that is answered with yes or a value, one literal at a time."""
    question = expect.question
    if isinstance(question, Query) and expect.answer == "yes":
        for each in question.literals:
            if not isinstance(each, Literal) or each.negated or each.name in _SKIPPED:
                continue
            if each.value is None or not is_free(each.value):
                yield each
    elif isinstance(question, Doing) and expect.answer == "yes" and question.around is None:
        yield Literal("legal", (question.deed,))
    elif isinstance(question, Sight) and expect.answer == "clear":
        if isinstance(question.a, Location) and isinstance(question.b, Location):
            yield Literal("sees", (Argument(Sightline(question.a, question.b), "sight"),))
    elif isinstance(question, Shot | AllDrm) and isinstance(expect.answer, int):
        shot = question if isinstance(question, Shot) else question.shot
        kinds = vocabulary().forms["shot"].kinds
        if not isinstance(shot, Shot):
            return
        parts = (shot.firer, shot.target, shot.how, shot.doing)
        form = Compound("shot", tuple(map(Argument, parts, kinds)))
        name = "tem" if isinstance(question, Shot) else "drm"
        yield Literal(name, (Argument(form, "shot"),), Argument(expect.answer, "number"))


def unknowns(expect: Expect) -> Iterator[Literal]:
    """What an expectation holds to be unknown: a topic, with any value, or whether a deed is allowed."""
    question = expect.question
    if expect.answer != "unknown":
        return
    if isinstance(question, Query) and len(question.literals) == 1:
        (literal,) = question.literals
        if isinstance(literal, Literal) and not literal.negated and literal.name not in _SKIPPED:
            yield literal
    elif isinstance(question, Doing) and question.around is None:
        yield Literal("legal", (question.deed,))


def opened(literal: Literal) -> Iterator[Opened]:
    """A literal with each of its arguments left open in turn, those of its parts among them."""
    if any(map(is_free, literal.args)) or not _is_settled(literal):
        return
    for place, argument in enumerate(literal.args):
        for left, was in _opened(argument):
            args = (*literal.args[:place], left, *literal.args[place + 1 :])
            yield Opened(literal, replace(literal, args=args), was)


def _is_settled(literal: Literal) -> bool:
    """Whether no unit stands for where it is."""
    try:
        return bool(literal.term)
    except ValueError:
        return False


def _opened(argument: Argument) -> Iterator[tuple[Argument, Argument]]:
    value = argument.value
    if isinstance(value, Sightline):
        for end, other in ((value.a, value.b), (value.b, value.a)):
            if isinstance(end.spot, Hex) and isinstance(other.spot, Hex):
                yield Argument(OpenSight(end, FREE), argument.kind), Argument(other, "location")
        return
    # A step that is left open as a whole begins where its unit is, not wherever it was asked about.
    if argument.kind != "topic" and not (isinstance(value, Compound) and "step(" in argument.term):
        yield Argument(FREE, argument.kind), argument
    if isinstance(value, Compound):
        for place, inner in enumerate(value.args):
            for left, was in _opened(inner):
                args = (*value.args[:place], left, *value.args[place + 1 :])
                yield Argument(Compound(value.name, args), argument.kind), was
