"""How norms bear on each other: whether two ever speak of one thing, and which of them then wins."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.lab.goals import Template, layer_of, looks, pattern
from rules_asp.lab.search import Clock, Found, Look, Model, OutOfTime, Part, Search, kind_of
from rules_asp.lab.witness import Witness, query_of
from rules_asp.lab.world import Bounds, Lab
from rules_asp.query import Query
from rules_asp.source import Functor, Node

#: Heads by which a norm bears on a topic, deed or sight, with their arity.
_BEARING = (
    *(
        ("says", 3),
        ("takes", 3),
        ("offers", 3),
        ("offers_value", 3),
        ("adds", 4),
        ("adds_value", 3),
    ),
    *(("silent", 3), ("permits", 2), ("forbids", 2), ("requires", 3)),
    *(("blocks", 3), ("clears", 2), ("hinders", 4)),
)
#: How a pair of norms can meet, with the predicates that show it: the first norm with the second.
RELATIONS = {
    "overrides": "the first wins over the second, which says something there",
    "lifts": "the first lifts the second",
    "clash": "they give different answers, and neither wins",
    "contested": "the first allows what the second forbids, and neither wins",
    "agree": "they give the same answer",
    "add": "both are parts of one sum",
    "meet": "both bear on one question",
}
_PAIRS = (
    Template(
        "goal(overrides(@kind({topic}),N,M)) :- pair(N,M), defeated(M,{topic},N), not lifts(N,M,{topic}).",
        (("defeated", 3), ("lifts", 3)),
    ),
    Template(
        "goal(lifts(@kind({topic}),N,M)) :- pair(N,M), defeated(M,{topic},N), lifts(N,M,{topic}).",
        (("defeated", 3), ("lifts", 3)),
    ),
    Template(
        "goal(clash(@kind({topic}),N,M)) :- pair(N,M), conflict({topic},N,M), N < M.",
        (("conflict", 3),),
    ),
    Template(
        "goal(contested(@kind({topic}),N,M)) :- pair(N,M), contested({topic},N,M).",
        (("contested", 3),),
    ),
    Template(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), stands(N,{topic},V), stands(M,{topic},V), N < M.",
        (("stands", 3),),
    ),
    Template(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), illegal({topic},N), illegal({topic},M), N < M.",
        (("illegal", 2),),
    ),
    Template(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), allowed({topic},N), allowed({topic},M), N < M.",
        (("allowed", 2),),
    ),
    Template(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), stopped({topic},N,_), stopped({topic},M,_), N < M.",
        (("stopped", 3),),
    ),
    Template(
        "goal(add(@kind({topic}),N,M)) :- pair(N,M), addend({topic},N,_,_), addend({topic},M,_,_), N < M.",
        (("addend", 4),),
    ),
    Template(
        "goal(add(@kind({topic}),N,M)) :- pair(N,M), hindered({topic},N,_,_), hindered({topic},M,_,_), N < M.",
        (("hindered", 4),),
    ),
)
#: The norm that a head names first.
_FIRST = re.compile(r'\w+\("([^"]+)"')
_TOPICAL = {"lifts", *(name for name, _ in _BEARING)}


@dataclass(frozen=True)
class Meeting:
    """A way in which two norms meet, on what kind of question, with the smallest board that shows it."""

    relation: str
    topic: str
    one: str
    other: str
    where: str
    witness: Witness | None = None
    doubt: str | None = None


@dataclass(frozen=True)
class Meetings:
    """The meetings within these bounds; not complete: the time was over, or the search broken off."""

    bounds: Bounds
    norms: tuple[str, ...]
    found: tuple[Meeting, ...]
    complete: bool
    seconds: float

    @property
    def independent(self) -> int:
        """How many pairs of norms never meet."""
        count = len(self.norms)
        met = {frozenset((each.one, each.other)) for each in self.found}
        return count * (count - 1) // 2 - sum(len(pair) == 2 for pair in met)


def meet(
    lab: Lab,
    bounds: Bounds,
    one: str,
    other: str,
    *,
    clock: Clock | None = None,
    jobs: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Meetings:
    """All ways in which two norms meet, each with its smallest board."""
    pairs = [(one, other), (other, one)]
    return _meetings(lab, bounds, (one, other), pairs, True, clock, jobs, told)


def interactions(
    lab: Lab,
    bounds: Bounds,
    norms: Iterable[str],
    *,
    clock: Clock | None = None,
    jobs: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Meetings:
    """All ways in which any two of these norms meet; boards are not looked for."""
    norms = tuple(norms)
    return _meetings(lab, bounds, norms, None, False, clock, jobs, told)


def _meetings(
    lab: Lab,
    bounds: Bounds,
    norms: tuple[str, ...],
    pairs: Iterable[tuple[str, str]] | None,
    shown: bool,
    clock: Clock | None,
    jobs: int | None,
    told: Callable[[str], None],
) -> Meetings:
    started = time.monotonic()
    look = _look(lab, norms, pairs)
    search = Search.made(lab, bounds, look, clock, jobs, told)
    found: list[Found] = []
    meetings: list[Meeting] = []
    complete = True
    try:
        found.extend(search.goals())
        if shown:
            for each in search.boards(found):
                told_by = _meeting(each.goal, str(each.spot))
                meetings.append(replace(told_by, witness=each.witness, doubt=each.doubt))
    except (OutOfTime, KeyboardInterrupt):
        complete = False
    if not shown:
        meetings = [_meeting(each.goal, str(each.spot)) for each in found]
    order = list(RELATIONS)
    meetings.sort(key=lambda each: (order.index(each.relation), each.topic, each.one, each.other))
    return Meetings(bounds, norms, tuple(meetings), complete, time.monotonic() - started)


def _meeting(goal: str, where: str) -> Meeting:
    symbol = clingo.parse_term(goal)
    topic, one, other = symbol.arguments
    return Meeting(symbol.name, str(topic), one.string, other.string, where)


def _look(lab: Lab, norms: Iterable[str], pairs: Iterable[tuple[str, str]] | None) -> Look:
    """The meetings of these pairs, or of all pairs of these norms."""
    norms = tuple(norms)
    common = shared(lab, norms)
    look = looks(lab, _PAIRS, only=common)
    if pairs is None:
        facts = [f'of_interest("{norm}").' for norm in norms]
        facts.append("pair(N,M) :- of_interest(N), of_interest(M), N != M.")
    else:
        facts = [f'pair("{one}","{other}").' for one, other in pairs]
    facts.append("#defined lifts/3.")
    meeting: dict[str, list[str]] = {}
    bearing: dict[str, dict[Node, None]] = {}
    for functor in sorted(common):
        nodes = [Node(name, arity, functor) for name, arity in _BEARING]
        nodes = [node for node in nodes if node in lab.heads]
        layer = layer_of(lab, nodes)
        bearing.setdefault(layer, {}).update(dict.fromkeys(nodes))
        about = pattern(functor)
        bearing[layer] |= dict.fromkeys(Node(name, arity, functor) for name, arity in _ANSWERS)
        meeting.setdefault(layer, []).extend(map(_bears, nodes))
        meeting[layer].append(
            f"goal(meet(@kind({about}),N,M)) :- pair(N,M), bears(N,{about}), bears(M,{about}), N < M."
        )
    empty = Part("", ())
    parts = {}
    for layer in sorted({*look.parts, *meeting}):
        part = look.parts.get(layer, empty)
        parts[layer] = Part(
            "\n".join([*facts, part.rules, *meeting.get(layer, ())]),
            tuple(dict.fromkeys([*part.wanted, *bearing.get(layer, ())])),
        )
    return Look(parts, evidence=_evidence)


def shared(lab: Lab, norms: Iterable[str]) -> set[Functor]:
    """The kinds of topics on which at least two of these norms bear, by their heads."""
    bearing: dict[Functor, set[str]] = {}
    norms = set(norms)
    for rule in lab.program.source.rules:
        named = _FIRST.match(rule.head or "")
        if named is None or named[1] not in norms:
            continue
        for node in rule.heads:
            if node.topic and node.name in _TOPICAL:
                # A lift of what blocks at one place only is about the sight.
                about = ("s", 2) if node.topic == ("at", 2) else node.topic
                bearing.setdefault(about, set()).add(named[1])
    return {functor for functor, found in bearing.items() if len(found) > 1}


def _bears(node: Node) -> str:
    """How a norm is seen to bear on a topic."""
    assert node.topic is not None
    rest = ",_" * (node.arity - 2)
    return f"bears(N,{pattern(node.topic)}) :- {node.name}(N,{pattern(node.topic)}{rest})."


def _evidence(model: Model) -> Query:
    """What the answer is where the two meet."""
    topic, one, other = model.goal.arguments
    about = topic
    bearing: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for atom in model.symbols:
        if atom.name == "bears" and kind_of(atom.arguments[1]) == about:
            bearing.setdefault(atom.arguments[1], set()).add(atom.arguments[0])
        if atom.name == model.goal.name == "contested" and [*atom.arguments[1:]] == [one, other]:
            return query_of(atom)
        if atom.name == "conflict" and model.goal.name == "clash":
            if [*atom.arguments[1:]] == [one, other] and kind_of(atom.arguments[0]) == about:
                return query_of(atom)
        if atom.name == "defeated" and model.goal.name in ("overrides", "lifts"):
            loser, where, winner = atom.arguments
            if (loser, winner) == (other, one) and kind_of(where) == about:
                return query_of(atom)
    for where, norms in sorted(bearing.items()):
        if {one, other} <= norms and (query := answer_on(where, model.symbols)) is not None:
            return query
    raise AssertionError(f"{model.goal} is shown by nothing")


#: The atoms that answer a question, best first.
_ANSWERS = (
    *(("total", 2), ("is", 2), ("unknown", 2), ("illegal", 2), ("legal", 1)),
    *(("hindrance", 2), ("stopped", 3), ("sees", 1)),
)


def answer_on(topic: clingo.Symbol, symbols: Iterable[clingo.Symbol]) -> Query | None:
    """The answer that a model gives on a topic, deed or sight, as a question."""
    by_name = {atom.name: atom for atom in symbols if atom.arguments and atom.arguments[0] == topic}
    for name, _ in _ANSWERS:
        if name in by_name:
            return query_of(by_name[name])
    return None
