"""Questions that a board can raise and no norm answers; Locations that no step leads to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import clingo

from rules_asp.lab.goals import GAP, SILENT, looks
from rules_asp.lab.search import Clock, Found, Look, Model, OutOfTime, Part, Search, kind_of
from rules_asp.lab.witness import Witness, argument, query_of
from rules_asp.lab.world import Bounds, Lab
from rules_asp.query import Argument, Literal, Query, Variable
from rules_asp.source import Node
from rules_asp.vocabulary import vocabulary


@dataclass(frozen=True)
class Gap:
    """A kind of question without answer, and the smallest board that raises it.

    norm, why: the norm that leaves it open, and for what reason; None where no norm speaks at all.
    """

    topic: str
    norm: str | None
    why: str | None
    where: str
    witness: Witness | None
    doubt: str | None = None


@dataclass(frozen=True)
class Gaps:
    """The gaps within these bounds; not complete: the time was over, or the search broken off."""

    bounds: Bounds
    gaps: tuple[Gap, ...]
    complete: bool
    seconds: float


def gaps(
    lab: Lab,
    bounds: Bounds,
    *,
    stated: bool = False,
    clock: Clock | None = None,
    jobs: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Gaps:
    """What should have an answer and has none; `stated`: what norms leave open, with their reasons."""
    look = replace(looks(lab, [SILENT] if stated else GAP), evidence=_gap)
    return _found(lab, bounds, look, clock, jobs, told)


def unreachable(
    lab: Lab,
    bounds: Bounds,
    *,
    clock: Clock | None = None,
    jobs: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Gaps:
    """The kinds of Locations that no way of legal steps leads a squad to, as far as that is known."""
    rules = (
        "goal(unreachable(L,K)) :- unreached(l(H,L)), is(btype(H),K).\n"
        "goal(unreachable(L,none)) :- unreached(l(H,L)), not is(btype(H),_)."
    )
    wanted = (Node("unreached", 1), Node("is", 2, ("btype", 1)))
    look = Look({"question": Part(rules, wanted)}, evidence=_unreached, events=("reach",))
    return _found(lab, bounds, look, clock, jobs, told)


def _found(
    lab: Lab,
    bounds: Bounds,
    look: Look,
    clock: Clock | None,
    jobs: int | None,
    told: Callable[[str], None],
) -> Gaps:
    started = time.monotonic()
    search = Search.made(lab, bounds, look, clock, jobs, told)
    found: list[Found] = []
    shown: list[Gap] = []
    complete = True
    try:
        found.extend(search.goals())
        for each in search.boards(found):
            goal = clingo.parse_term(each.goal)
            topic, *rest = goal.arguments
            about = f"{topic} of {rest[0]}" if goal.name == "unreachable" else str(topic)
            silent = goal.name == "silent"
            norm = rest[0].string if silent else None
            why = str(rest[1]) if silent else None
            shown.append(Gap(about, norm, why, str(each.spot), each.witness, each.doubt))
    except (OutOfTime, KeyboardInterrupt):
        complete = False
    shown.sort(key=lambda each: (each.topic, each.norm or "", each.why or ""))
    return Gaps(bounds, tuple(shown), complete, time.monotonic() - started)


def _gap(model: Model) -> Query:
    """That the topic has no value, or that nothing is known of it."""
    about = model.goal.arguments[0]
    silent = model.goal.name == "silent"
    true = set(model.symbols)
    for atom in sorted(model.symbols):
        if atom.name == "unknown" and kind_of(atom.arguments[0]) == about:
            topic, why = atom.arguments
            if silent and why == model.goal.arguments[2]:
                said = clingo.Function("silent", [model.goal.arguments[1], topic, why])
                if said in true:
                    return query_of(atom)
            elif not silent and str(why) == "no_norm":
                return query_of(atom)
        if not silent and atom.name == "due" and kind_of(atom.arguments[0]) == about:
            topic = atom.arguments[0]
            if not {clingo.Function(each, [topic]) for each in ("valued", "open")} & true:
                entry = vocabulary().topics[topic.name]
                args = tuple(map(argument, topic.arguments, entry.kinds))
                none = Argument(Variable("_"), entry.value)
                return Query((Literal(topic.name, args, none, negated=True),))
    raise AssertionError(f"{model.goal} is shown by nothing")


def _unreached(model: Model) -> Query:
    floor = model.goal.arguments[0]
    for atom in sorted(model.symbols):
        if atom.name == "unreached" and atom.arguments[0].arguments[1] == floor:
            return query_of(clingo.Function("location", [atom.arguments[0]]))
    raise AssertionError(f"{model.goal} is shown by nothing")
