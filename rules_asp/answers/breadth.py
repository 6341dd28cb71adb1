"""What a question leaves open, by which it may grow too wide to be answered in time.

A variable in the place of a hex, a Location, a unit or the like stands for all of them, and two of them
for all pairs. The value of a topic is no such: `height(C3) = V` asks one thing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rules_asp.bounds import LimitsOrWorker, call_within
from rules_asp.terms.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    OpenLosTerm,
    Query,
    QueryLiteral,
    UnitLosTerm,
    Variable,
)

_T = TypeVar("_T")


def free_variables(asked: Query | DeedQuery | Argument) -> tuple[str, ...]:
    """The variables that a question, a deed or a roll leaves open; `_` is one too.

    Not in a deed, where it is the way, or by what: few of these fit the places that the deed names.
    """
    if isinstance(asked, Query):
        literals = (each for each in asked.literals if isinstance(each, QueryLiteral))
        found = [name for each in literals for one in each.args for name in _names(one)]
    elif isinstance(asked, DeedQuery):
        found = [name for name in _names(asked.deed) if name != "_"]
    else:
        found = _names(asked)
    return tuple(dict.fromkeys(found))


def narrowing_hint(names: tuple[str, ...]) -> str:
    """What to ask instead of a question that leaves these open."""
    is_open = "are left open: name all but one" if len(names) > 1 else "is left open: name it"
    several = ", ".join("_ (anything)" if name == "_" else name for name in names)
    return f"{several} {is_open}, such as a hex or a unit, or ask on a smaller board"


def call_limited_if_open(
    limits: LimitsOrWorker,
    command: str,
    asked: Query | DeedQuery | Argument,
    work: Callable[..., _T],
    *given: object,
) -> _T:
    """What work answers, within limits if what is asked leaves something open; the position is given first.

    TooWide at a limit.
    """
    names = free_variables(asked)
    bounds = limits if names else None
    told = asked.deed if isinstance(asked, DeedQuery) else asked
    return call_within(bounds, f"{command} {told}", narrowing_hint(names), work, *given)


def call_limited_if_open_way(
    bounds: LimitsOrWorker, asked: DeedQuery, work: Callable[..., _T], *given: object
) -> _T:
    """What work answers of a deed, as `call_limited_if_open`; within limits too if it may be a way of
    many steps.
    """
    if free_variables(asked) or not _is_way(asked):
        return call_limited_if_open(bounds, "can", asked, work, *given)
    return call_within(bounds, f"can {asked.deed}", _NEARER, work, *given)


#: What to ask instead of where a way leads.
_NEARER = "a step with where it starts, such as `from U4`, asks less, as does a smaller board"


def _is_way(asked: DeedQuery) -> bool:
    """Whether of a step its start is left to be found: then several may lead there."""
    match asked.deed.value:
        case FunctionTerm("step", (_, _, start, *_)):
            return isinstance(start.value, Variable)
    return False


def _names(argument: Argument) -> list[str]:
    value = argument.value
    if isinstance(value, Variable):
        return [value.name]
    if isinstance(value, OpenLosTerm):
        return [value.other.name]
    if isinstance(value, UnitLosTerm):
        return [end.name for end in value.open_ends]
    if isinstance(value, FunctionTerm):
        return [name for each in value.args for name in _names(each)]
    return []
