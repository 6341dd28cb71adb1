"""Refusal of questions with too many answers, with a hint how to narrow them.

A variable for a hex, a Location, a unit and so on ranges over all of them, and two variables over
all pairs. The value of a topic does not count: `height(C3) = V` asks about one topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import clingo

from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    OpenLosTerm,
    Query,
    QueryLiteral,
    UnitLosTerm,
    Variable,
)
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import ANY_BOARD_TERM, Vocabulary
from rules_asp.knowledge.instantiation import ANY, FOUND
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.queries.question import LimitNote

#: Maximum number of terms of a kind asked at once, if a question has more than one open part.
MAX_ANSWERS = 20_000
#: Kinds whose members cannot be listed.
_UNLISTED = frozenset(("number", "half_level", "quarter"))
_SEEKS = (("sought", 1), ("fitting", 2))


def refuse_too_many(position: Position, asked: Iterable[clingo.Symbol]) -> None:
    """Raise QuestionError if the open parts have too many values, or values that cannot be listed."""
    sought = tuple(each for each in asked if each.name == "sought")
    kinds, notation = position.program.ranges, position.notation
    _refuse_unlisted(kinds, sought, notation)
    if not any(_may_be_wide(each.arguments[0], notation.vocabulary) for each in sought):
        return
    answer = position.ask(_wanted(position), QueryFacts(sought))[0]
    fitting = _fitting(answer)
    sizes = Counter({kind: len(members) for kind, members in fitting.items()})
    patterns = dict.fromkeys((*sought, *(each for each in answer.symbols if each.name == "sought")))
    for (pattern,) in (each.arguments for each in patterns):
        ranges = kinds.get((pattern.name, len(pattern.arguments)), ())
        _refuse_unranged(pattern, ranges, sizes, notation)
        free = [
            (place, kind)
            for place, (part, kind) in enumerate(zip(pattern.arguments, ranges, strict=False))
            if str(part) == ANY and kind in sizes
        ]
        count = prod(sizes[kind] for _, kind in free)
        if len(free) > 1 and count > MAX_ANSWERS:
            place, kind = max(free, key=lambda each: sizes[each[1]])
            member = min(fitting[kind], key=str)
            raise QuestionError(_too_wide(pattern, count, place, member, notation))


def enumerate_topic(position: Position, pattern: clingo.Symbol) -> Iterator[clingo.Symbol]:
    """Yield all values of a topic, in which `any` marks an open part.

    QuestionError if there are too many, or if a kind cannot be listed.
    """
    kinds, notation = dict(position.program.ranges), position.notation
    functor = (pattern.name, len(pattern.arguments))
    declared = notation.vocabulary.topics[pattern.name].kinds
    # Values that norms find for a topic may be any of their kind if the topic does not hold.
    kinds[functor] = tuple(
        of if kind == FOUND else kind
        for kind, of in zip(kinds.get(functor, declared), declared, strict=True)
    )
    sought = clingo.Function("sought", [pattern])
    _refuse_unlisted(kinds, (sought,), notation)
    fitting = _fitting(position.ask(_wanted(position), QueryFacts((sought,)))[0])
    places = [
        fitting.get(kind, ()) if str(part) == ANY else (part,)
        for part, kind in zip(pattern.arguments, kinds[functor], strict=True)
    ]
    count = prod(map(len, places))
    if count > MAX_ANSWERS:
        place = max(range(len(places)), key=lambda each: len(places[each]))
        member = min(places[place], key=str)
        raise QuestionError(_too_wide(pattern, count, place, member, notation))
    return (clingo.Function(pattern.name, list(parts)) for parts in product(*places))


def _wanted(position: Position) -> list[Signature]:
    return [node for each in _SEEKS for node in position.program.derived.get(each, ())]


def _fitting(answer: AnswerSet) -> dict[str, list[clingo.Symbol]]:
    """Return the values of each kind."""
    found: dict[str, list[clingo.Symbol]] = {}
    for of_kind, member in answer.get("fitting", 2):
        found.setdefault(str(of_kind), []).append(member)
    return found


def _refuse_unlisted(
    kinds: Mapping[Functor, Sequence[str]], sought: Iterable[clingo.Symbol], notation: Notation
) -> None:
    """Raise QuestionError if a number is open."""
    for (pattern,) in (each.arguments for each in sought):
        form = (pattern.name, len(pattern.arguments))
        for part, kind in zip(pattern.arguments, kinds.get(form, ()), strict=False):
            if str(part) == ANY and kind in _UNLISTED:
                raise QuestionError(
                    f"{_pattern_text(pattern, notation)} is too open: give a value for the {kind},"
                    " because there is no list of them"
                )


def _may_be_wide(pattern: clingo.Symbol, words: Vocabulary) -> bool:
    """Test whether a pattern has more than one open part, or an open form."""
    return _left(pattern) > 1 or any(True for _ in _left_whole(pattern, words))


def _left_whole(pattern: clingo.Symbol, words: Vocabulary) -> Iterator[str]:
    """Yield the kinds of the forms that are open as a whole, at any depth."""
    if pattern.type != clingo.SymbolType.Function:
        return
    # A kind with words, such as manners, has few values. An argument of any kind may be any form.
    kinds = {each.kind for each in words.forms.values()} - set(words.words)
    kinds.add(ANY_BOARD_TERM)
    declared = words.topics.get(pattern.name) or words.forms.get(pattern.name)
    for part, kind in zip(pattern.arguments, declared.kinds if declared else (), strict=False):
        if str(part) == ANY and kind in kinds:
            yield kind
        yield from _left_whole(part, words)


def _refuse_unranged(
    pattern: clingo.Symbol, ranges: Sequence[str], listed: Collection[str], notation: Notation
) -> None:
    """Raise QuestionError if a form is open as a whole and its values cannot be listed."""
    for place, (part, kind) in enumerate(zip(pattern.arguments, ranges, strict=False)):
        forms = [each for each in notation.vocabulary.forms.values() if each.kind == kind]
        if str(part) == ANY and forms and kind not in listed:
            any_ = clingo.Function(ANY)
            whole = clingo.Function(forms[0].name, [any_] * len(forms[0].kinds))
            parts = [*pattern.arguments[:place], whole, *pattern.arguments[place + 1 :]]
            named = clingo.Function(pattern.name, parts)
            raise QuestionError(
                f"{_pattern_text(pattern, notation)} leaves the {kind} fully open:"
                f" give at least its name, as in {_pattern_text(named, notation)}"
            )


def _left(pattern: clingo.Symbol) -> int:
    """Return the number of open parts."""
    if pattern.type != clingo.SymbolType.Function:
        return 0
    return (str(pattern) == ANY) + sum(map(_left, pattern.arguments))


def _too_wide(
    pattern: clingo.Symbol, count: int, place: int, member: clingo.Symbol, notation: Notation
) -> str:
    parts = list(pattern.arguments)
    parts[place] = member
    narrower = _pattern_text(clingo.Function(pattern.name, parts), notation)
    return (
        f"{_pattern_text(pattern, notation)} leaves too much open: {count} of them,"
        f" where {MAX_ANSWERS} can be asked at once;"
        f" name more, as in {narrower}"
    )


def _pattern_text(pattern: clingo.Symbol, notation: Notation) -> str:
    """Return a pattern with a capital letter for each open part."""
    letters = iter("XYZUVWABCDEFGH")
    named = {*notation.vocabulary.forms, *notation.vocabulary.topics}

    def text(part: clingo.Symbol) -> str:
        if str(part) == ANY:
            return next(letters)
        if part.type == clingo.SymbolType.String:
            return f'"{part.string}"'
        if part.type == clingo.SymbolType.Function and part.name in named and part.arguments:
            return f"{part.name}({', '.join(map(text, part.arguments))})"
        return notation.term_text(part)

    return text(pattern)


def free_variables(asked: Query | DeedQuery | Argument) -> tuple[str, ...]:
    """Return the variables that a question, an action or a roll leaves open, including `_`.

    The manner and the means of an action do not count: few of them fit the named places.
    """
    if isinstance(asked, Query):
        literals = (each for each in asked.literals if isinstance(each, QueryLiteral))
        found = [name for each in literals for one in each.args for name in _free_names(one)]
    elif isinstance(asked, DeedQuery):
        found = [name for name in _free_names(asked.deed) if name != "_"]
    else:
        found = _free_names(asked)
    return tuple(dict.fromkeys(found))


def narrowing_hint(names: tuple[str, ...]) -> str:
    """Return the hint for a question with these open variables."""
    is_open = "are left open: name all but one" if len(names) > 1 else "is left open: name it"
    several = ", ".join("_ (anything)" if name == "_" else name for name in names)
    return f"{several} {is_open}, such as a hex or a unit, or ask on a smaller board"


def limit_if_open(command: str, asked: Query | DeedQuery | Argument) -> LimitNote | None:
    """Return the message at a limit for a question with open parts; None if it has none."""
    names = free_variables(asked)
    told = asked.deed if isinstance(asked, DeedQuery) else asked
    return LimitNote(f"{command} {told}", narrowing_hint(names)) if names else None


def limit_if_open_way(asked: DeedQuery) -> LimitNote | None:
    """Return the same for an action, which also takes long if it may need many steps."""
    if free_variables(asked) or not _is_way(asked):
        return limit_if_open("can", asked)
    return LimitNote(f"can {asked.deed}", _NEARER)


#: The hint for a question about a destination.
_NEARER = "a step with where it starts, such as `from U4`, asks less, as does a smaller board"


def _is_way(asked: DeedQuery) -> bool:
    """Test whether the start of a step is open, so that several steps may lead there."""
    match asked.deed.value:
        case FunctionTerm("step", (_, _, start, *_)):
            return isinstance(start.value, Variable)
    return False


def _free_names(argument: Argument) -> list[str]:
    value = argument.value
    if isinstance(value, Variable):
        return [value.name]
    if isinstance(value, OpenLosTerm):
        return [value.other.name]
    if isinstance(value, UnitLosTerm):
        return [end.name for end in value.open_ends]
    if isinstance(value, FunctionTerm):
        return [name for each in value.args for name in _free_names(each)]
    return []
