"""How much a question asks at once that leaves several things open, and its refusal if it is too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import clingo

from rules_asp.knowledge.forms import ANY, FOUND
from rules_asp.knowledge.running import AnswerSet
from rules_asp.knowledge.source import Functor, Signature
from rules_asp.positions.indexes import QueryFacts
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.terms.arguments import ANY_BOARD_TERM
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import term_text

#: So many forms of a kind are asked at once at most, where a question leaves open more than one thing.
MAX_ANSWERS = 20_000
#: Kinds of which nobody can list the members.
_UNLISTED = frozenset(("number", "half_level", "quarter"))
_SEEKS = (("sought", 1), ("fitting", 2))


def refuse_too_many(position: Position, asked: Iterable[clingo.Symbol]) -> None:
    """QuestionError where what is sought is too much, or is of a kind that cannot be listed."""
    sought = tuple(each for each in asked if each.name == "sought")
    kinds = position.program.ranges
    _refuse_unlisted(kinds, sought)
    if not any(_may_be_wide(each.arguments[0]) for each in sought):
        return
    answer = position.ask(_wanted(position), QueryFacts(sought))[0]
    fitting = _fitting(answer)
    sizes = Counter({kind: len(members) for kind, members in fitting.items()})
    patterns = dict.fromkeys((*sought, *(each for each in answer.symbols if each.name == "sought")))
    for (pattern,) in (each.arguments for each in patterns):
        ranges = kinds.get((pattern.name, len(pattern.arguments)), ())
        _refuse_unranged(pattern, ranges, sizes)
        free = [
            (place, kind)
            for place, (part, kind) in enumerate(zip(pattern.arguments, ranges, strict=False))
            if str(part) == ANY and kind in sizes
        ]
        count = prod(sizes[kind] for _, kind in free)
        if len(free) > 1 and count > MAX_ANSWERS:
            place, kind = max(free, key=lambda each: sizes[each[1]])
            raise QuestionError(_too_wide(pattern, count, place, min(fitting[kind], key=str)))


def enumerate_topic(position: Position, pattern: clingo.Symbol) -> Iterator[clingo.Symbol]:
    """All that a topic can be, in which `any` stands for what is left open.

    QuestionError where that is too much, or is of a kind that cannot be listed.
    """
    kinds = dict(position.program.ranges)
    functor = (pattern.name, len(pattern.arguments))
    declared = vocabulary().topics[pattern.name].kinds
    # What norms find where something is so, may be anything of its kind where it is not.
    kinds[functor] = tuple(
        of if kind == FOUND else kind
        for kind, of in zip(kinds.get(functor, declared), declared, strict=True)
    )
    sought = clingo.Function("sought", [pattern])
    _refuse_unlisted(kinds, (sought,))
    fitting = _fitting(position.ask(_wanted(position), QueryFacts((sought,)))[0])
    places = [
        fitting.get(kind, ()) if str(part) == ANY else (part,)
        for part, kind in zip(pattern.arguments, kinds[functor], strict=True)
    ]
    count = prod(map(len, places))
    if count > MAX_ANSWERS:
        place = max(range(len(places)), key=lambda each: len(places[each]))
        raise QuestionError(_too_wide(pattern, count, place, min(places[place], key=str)))
    return (clingo.Function(pattern.name, list(parts)) for parts in product(*places))


def _wanted(position: Position) -> list[Signature]:
    return [node for each in _SEEKS for node in position.program.derived.get(each, ())]


def _fitting(answer: AnswerSet) -> dict[str, list[clingo.Symbol]]:
    """What fits each kind."""
    found: dict[str, list[clingo.Symbol]] = {}
    for of_kind, member in answer.get("fitting", 2):
        found.setdefault(str(of_kind), []).append(member)
    return found


def _refuse_unlisted(
    kinds: Mapping[Functor, Sequence[str]], sought: Iterable[clingo.Symbol]
) -> None:
    """QuestionError where a number is left open in what is sought."""
    for (pattern,) in (each.arguments for each in sought):
        form = (pattern.name, len(pattern.arguments))
        for part, kind in zip(pattern.arguments, kinds.get(form, ()), strict=False):
            if str(part) == ANY and kind in _UNLISTED:
                raise QuestionError(
                    f"{_said(pattern)}: its {kind} must be named, since none are listed"
                )


def _may_be_wide(pattern: clingo.Symbol) -> bool:
    """Whether more than one thing is left open in it, or a form as a whole."""
    return _left(pattern) > 1 or any(True for _ in _left_whole(pattern))


def _left_whole(pattern: clingo.Symbol) -> Iterator[str]:
    """The kinds of the forms that are left open as a whole, at any depth."""
    if pattern.type != clingo.SymbolType.Function:
        return
    # Of a kind that has words, such as ways, there are few. In a place for anything may stand any form.
    kinds = {each.kind for each in vocabulary().forms.values()} - set(vocabulary().words)
    kinds.add(ANY_BOARD_TERM)
    declared = vocabulary().topics.get(pattern.name) or vocabulary().forms.get(pattern.name)
    for part, kind in zip(pattern.arguments, declared.kinds if declared else (), strict=False):
        if str(part) == ANY and kind in kinds:
            yield kind
        yield from _left_whole(part)


def _refuse_unranged(
    pattern: clingo.Symbol, ranges: Sequence[str], listed: Collection[str]
) -> None:
    """QuestionError where a form is left open as a whole of which nothing lists all that fit."""
    for place, (part, kind) in enumerate(zip(pattern.arguments, ranges, strict=False)):
        forms = [each for each in vocabulary().forms.values() if each.kind == kind]
        if str(part) == ANY and forms and kind not in listed:
            any_ = clingo.Function(ANY)
            whole = clingo.Function(forms[0].name, [any_] * len(forms[0].kinds))
            parts = [*pattern.arguments[:place], whole, *pattern.arguments[place + 1 :]]
            raise QuestionError(
                f"{_said(pattern)} leaves a whole {kind} open: name more, as in"
                f" {_said(clingo.Function(pattern.name, parts))}"
            )


def _left(pattern: clingo.Symbol) -> int:
    """How many things are left open in it."""
    if pattern.type != clingo.SymbolType.Function:
        return 0
    return (str(pattern) == ANY) + sum(map(_left, pattern.arguments))


def _too_wide(pattern: clingo.Symbol, count: int, place: int, member: clingo.Symbol) -> str:
    parts = list(pattern.arguments)
    parts[place] = member
    narrower = _said(clingo.Function(pattern.name, parts))
    return (
        f"{_said(pattern)} leaves too much open: {count} of them, where {MAX_ANSWERS} can be asked at once;"
        f" name more, as in {narrower}"
    )


def _said(pattern: clingo.Symbol) -> str:
    """A pattern with a capital for each thing that is left open."""
    letters = iter("XYZUVWABCDEFGH")

    def text(part: clingo.Symbol) -> str:
        if str(part) == ANY:
            return next(letters)
        if part.type == clingo.SymbolType.String:
            return f'"{part.string}"'
        if part.type == clingo.SymbolType.Function and part.name in _names() and part.arguments:
            return f"{part.name}({', '.join(map(text, part.arguments))})"
        return term_text(part)

    return text(pattern)


def _names() -> frozenset[str]:
    return frozenset((*vocabulary().forms, *vocabulary().topics))
