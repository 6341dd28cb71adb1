"""The questions of the cases with one argument left open, for the law that a variable finds all values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rules_asp.game.board import Expect, ExpectedDrm, ExpectedLos, Shot
from rules_asp.game.grid import Hex, Location, Vertex
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryLiteral,
    Variable,
)
from rules_asp.game.vocabulary import vocabulary
from rules_asp.positions.position import Position
from rules_asp.queries.ask import ask, bindings_of
from rules_asp.queries.query_facts import has_variables

FREE = Variable("Free")
#: What the text does not give has no end.
_SKIPPED = frozenset(("unknown",))


@dataclass(frozen=True)
class Opened:
    """A question that a case answers, and the same with one argument left open, where `was` stood."""

    named: QueryLiteral
    left: QueryLiteral
    was: Argument

    @property
    def is_whole(self) -> bool:
        """Whether a whole deed, shot or the like is left open: it may be refused as too wide."""
        return isinstance(self.was.value, FunctionTerm)

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
            return there in position.index.in_bypass
        if self.named.value is None or self.named.value.value != "no":
            return True
        steps = [QueryLiteral("legal", (each,)) for each in _steps(self.named.args)]
        if not all(ask(position, Query((each,)), cite=False).holds for each in steps):
            return False
        return bool(ask(position, Query((self.named,))).cites)

    def is_found(self, position: Position) -> bool:
        """Whether what was named is among the ways of the open question; QuestionError if refused."""
        ways = bindings_of(position, Query((self.left,))).certain
        return self.was.term in {str(way[0]) for way in ways}


def _steps(arguments: Iterable[Argument]) -> Iterator[Argument]:
    """The steps that these speak of, at any depth."""
    for each in arguments:
        if isinstance(each.value, FunctionTerm):
            if each.value.name == "step":
                yield each
            yield from _steps(each.value.args)


def literals(expect: Expect) -> Iterator[QueryLiteral]:
    """What an expectation asks that is answered with yes or a value, one literal at a time."""
    question = expect.question
    if isinstance(question, Query) and expect.answer == "yes":
        for each in question.literals:
            if not isinstance(each, QueryLiteral) or each.negated or each.name in _SKIPPED:
                continue
            if each.value is None or not has_variables(each.value):
                yield each
    elif isinstance(question, DeedQuery) and expect.answer == "yes" and question.around is None:
        yield QueryLiteral("legal", (question.deed,))
    elif isinstance(question, ExpectedLos) and expect.answer == "clear":
        if isinstance(question.a, Location) and isinstance(question.b, Location):
            yield QueryLiteral("sees", (Argument(LosTerm(question.a, question.b), "sight"),))
    elif isinstance(question, Shot | ExpectedDrm) and isinstance(expect.answer, int):
        shot = question if isinstance(question, Shot) else question.shot
        kinds = vocabulary().forms["shot"].kinds
        if not isinstance(shot, Shot):
            return
        parts = (shot.firer, shot.target, shot.how, shot.doing)
        form = FunctionTerm("shot", tuple(map(Argument, parts, kinds)))
        name = "tem" if isinstance(question, Shot) else "drm"
        yield QueryLiteral(name, (Argument(form, "shot"),), Argument(expect.answer, "number"))


def unknowns(expect: Expect) -> Iterator[QueryLiteral]:
    """What an expectation holds to be unknown: a topic, with any value, or whether a deed is allowed."""
    question = expect.question
    if expect.answer != "unknown":
        return
    if isinstance(question, Query) and len(question.literals) == 1:
        (literal,) = question.literals
        if (
            isinstance(literal, QueryLiteral)
            and not literal.negated
            and literal.name not in _SKIPPED
        ):
            yield literal
    elif isinstance(question, DeedQuery) and question.around is None:
        yield QueryLiteral("legal", (question.deed,))


def opened(literal: QueryLiteral) -> Iterator[Opened]:
    """A literal with each of its arguments left open in turn, those of its parts among them."""
    if any(map(has_variables, literal.args)) or not _is_settled(literal):
        return
    for place, argument in enumerate(literal.args):
        for left, was in _opened(argument):
            args = (*literal.args[:place], left, *literal.args[place + 1 :])
            yield Opened(literal, replace(literal, args=args), was)


def _is_settled(literal: QueryLiteral) -> bool:
    """Whether no unit stands for where it is."""
    try:
        return bool(literal.term)
    except ValueError:
        return False


def _opened(argument: Argument) -> Iterator[tuple[Argument, Argument]]:
    value = argument.value
    if isinstance(value, LosTerm):
        for end, other in ((value.a, value.b), (value.b, value.a)):
            if isinstance(end.spot, Hex) and isinstance(other.spot, Hex):
                yield Argument(OpenLosTerm(end, FREE), argument.kind), Argument(other, "location")
        return
    # A step that is left open as a whole begins where its unit is, not wherever it was asked about.
    if argument.kind != "topic" and not (
        isinstance(value, FunctionTerm) and "step(" in argument.term
    ):
        yield Argument(FREE, argument.kind), argument
    if isinstance(value, FunctionTerm):
        for place, inner in enumerate(value.args):
            for left, was in _opened(inner):
                args = (*value.args[:place], left, *value.args[place + 1 :])
                yield Argument(FunctionTerm(value.name, args), argument.kind), was
