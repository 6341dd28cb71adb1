"""Legality of actions of units.

An action may leave parts open (`any way of moving there`). The rules then list the possible
actions, and each gets its verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain import layout
from rules_asp.explain.proof import (
    LEGALITY,
    UNKNOWN,
    Evidence,
    Grounds,
    Provenance,
    goals_of,
    value_goals,
)
from rules_asp.explain.unknown import (
    Reason,
    UnknownReasons,
    differing_assumptions,
    reasons_in_any,
)
from rules_asp.game.grid import Hex, Spot, Vertex, hex_of_spot
from rules_asp.game.map_layout import PLAIN_NAMES
from rules_asp.game.query import Argument, DeedQuery, FunctionTerm, Variable, argument_from_symbol
from rules_asp.game.values import Notation, location_from_symbol
from rules_asp.game.vocabulary import YES, Vocabulary
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser.writer import form_text
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.name_resolution import location_of_unit
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Verdict, verdict_for
from rules_asp.queries.query_facts import (
    RelatedTopic,
    asked_forms,
    defeats_in_los,
    is_anywhere,
    matches,
    read_related_topics,
    related_goals,
    related_topics,
    step_by_entering,
)
from rules_asp.queries.too_wide import refuse_too_many

#: The predicates of the calculus about an action.


@dataclass(frozen=True)
class DeedVerdict:
    """The verdict on an action: legal, illegal, or None for unknown.

    `norms` allow or forbid it. `cost` is in quarters of an MF, or of an MP if `paid_in` is `mp`;
    None if no norm gives one. `part` is the known part of an unknown cost. `sentence` is the action
    in words.
    """

    deed: clingo.Symbol
    legal: bool | None
    norms: tuple[str, ...] = ()
    unknown: tuple[Reason, ...] = ()
    cost: int | None = None
    priced: tuple[str, ...] = ()
    paid_in: str = "mf"
    part: int | None = None
    sentence: str = ""

    @property
    def word(self) -> Verdict:
        """The verdict; norms forbid an illegal action."""
        return verdict_for(self.legal, self.norms)

    @property
    def price(self) -> str:
        """The cost, to follow the sentence; empty without cost."""
        return layout.price_text(self.cost, self.paid_in)

    @property
    def all_norms(self) -> tuple[str, ...]:
        """The norms that decide it, and those of its cost."""
        return tuple(dict.fromkeys((*self.norms, *self.priced)))


def deed_sentence(deed: clingo.Symbol, notation: Notation) -> str:
    """Return an action as a sentence."""
    argument = argument_from_symbol(deed, "deed", notation)
    return form_text(argument, notation.vocabulary) or notation.term_text(deed)


@dataclass(frozen=True)
class ForbiddenDeed:
    """An illegal action, as a term and as a sentence, and the norms that forbid it."""

    deed: str
    sentence: str
    norms: tuple[str, ...]


@dataclass(frozen=True)
class DeedJudgement:
    """Whether an action is legal in some manner: the verdict on each manner.

    `rests_on` and `related` belong to the deciding manners: the legal ones, or else those that
    could be.
    """

    legal: bool | None
    ways: tuple[DeedVerdict, ...]
    unknown: tuple[Reason, ...]
    rests_on: Grounds
    related: tuple[RelatedTopic, ...] = ()


def judge_deed(
    position: Position, doing: DeedQuery, cite: bool = True, closing: bool = True
) -> DeedJudgement:
    """Return the verdict on a resolved action.

    If an action is partly open, one legal manner suffices. It is illegal if every manner is
    illegal, or if none is possible.

    `closing`: for a step between Locations without any connection, judge a step by entering
    instead, for the norms that prohibit it.
    """
    deed = _from_where_it_is(position, doing.deed)
    asked = tuple(asked_forms(deed, position.vocabulary))
    refuse_too_many(position, asked)
    # The topics whether each unit can use its hands for the action.
    hands = [clingo.Function("hands_free", [clingo.String(each)]) for each in doing.other_units]
    asked += tuple(clingo.Function("asked", [each]) for each in hands)
    question = position.completed(QueryFacts(asked), not is_anywhere(deed))
    form = deed.value
    assert isinstance(form, FunctionTerm)
    functor = (form.name, len(form.args))
    asking = (
        *deed_query(functor, position.vocabulary),
        *related_topics(position.program, of_deeds=True),
        *(value_signatures((hands[0].name, 1)) if hands else ()),
    )
    if cite:
        asking += defeats_in_los(position, asking)
    answers = position.ask(asking, question, not is_anywhere(deed))
    ways = [
        replace(verdict, sentence=deed_sentence(verdict.deed, position.notation))
        for verdict in verdicts(position, answers, functor)
        if matches(verdict.deed, form)
        and _touches(verdict.deed, doing.around)
        and _ends_in(verdict.deed, doing.inside)
    ]
    doubted = [why for hand in hands for why in _doubts_of(position, answers, hand)]
    if doubted:
        # The form does not contain the unit, so an otherwise legal action stays unknown.
        ways = [
            replace(way, legal=None, unknown=(*way.unknown, *doubted)) if way.legal else way
            for way in ways
        ]
    legal: bool | None = False
    if any(way.legal for way in ways):
        legal = True
    elif any(way.legal is None for way in ways):
        legal = None
    plain = step_by_entering(deed.value) if closing and not ways and doing.around is None else None
    if plain is not None:
        return judge_deed(position, replace(doing, deed=deed._replace(value=plain)), cite)
    telling = [way for way in ways if way.legal is legal]
    unknown = tuple(dict.fromkeys(why for way in telling for why in way.unknown))
    goals = [goal for way in telling for goal in verdict_goals(way, answers, position.vocabulary)]
    told_of = [way.deed for way in telling if legal is not False]
    if legal is not False:
        goals += value_goals(hands, answers)
    goals += related_goals(answers, told_of)
    evidence = Evidence(position, tuple(goals), answers)
    found = evidence.provenance if cite else Provenance()
    besides = read_related_topics(position, answers, told_of)
    on = Grounds(found, (evidence,))
    return DeedJudgement(legal, tuple(ways), unknown, on, besides)


def _doubts_of(
    position: Position, answers: Sequence[AnswerSet], topic: clingo.Symbol
) -> tuple[Reason, ...]:
    """Return why a topic is not known to be yes."""
    if all(str(each.values.get(topic)) == YES for each in answers):
        return ()
    return reasons_in_any(position, answers, topic)


def _from_where_it_is(position: Position, deed: Argument) -> Argument:
    """Return an action that begins at its unit's Location, if it names no other start."""
    value = deed.value
    assert isinstance(value, FunctionTerm)
    if value.name != "step":
        return deed
    by, unit, start, to, way = value.args
    if not isinstance(start.value, Variable) or not isinstance(unit.value, str):
        return deed
    start = Argument(location_of_unit(position, unit.value), start.kind)
    return Argument(FunctionTerm(value.name, (by, unit, start, to, way)), deed.kind)


def deed_query(functor: Functor, words: Vocabulary) -> tuple[Signature, ...]:
    """Return the nodes of the verdicts on a kind of action."""
    return (
        Signature("legal", 1, functor),
        Signature("illegal", 2, functor),
        Signature("permitted", 2, functor),
        Signature("unknown", 2, functor),
        *value_signatures(*((price, 1) for price in (*words.words["price"], *words.words["cost"]))),
    )


def verdicts(
    position: Position,
    answers: Sequence[AnswerSet],
    functor: Functor,
    doubts: Sequence[UnknownReasons] = (),
) -> Iterator[DeedVerdict]:
    """Return the verdicts on all possible actions of a kind, over all cases.

    `doubts` are the reasons in each answer set, passed in if the caller has them.
    """
    doubts = doubts or [UnknownReasons(position, answer) for answer in answers]
    found: dict[clingo.Symbol, dict[int, DeedVerdict]] = {}
    for number, answer in enumerate(answers):
        for verdict in _of_one(position, answer, functor, doubts[number]):
            found.setdefault(verdict.deed, {})[number] = verdict
    for deed in found if len(answers) == 1 else sorted(found, key=str):
        several = found[deed]
        first, *_ = several.values()
        told = [
            (each.legal, each.cost) if (each := several.get(number)) else None
            for number in range(len(answers))
        ]
        if len(set(told)) == 1:
            yield first
        else:
            norms = tuple(dict.fromkeys(norm for each in several.values() for norm in each.norms))
            unknown = dict.fromkeys(
                (*first.unknown, *differing_assumptions(position, answers, told))
            )
            agreed = len(several) == len(answers) and len({w.legal for w in several.values()}) == 1
            legal = first.legal if agreed else None
            yield DeedVerdict(deed, legal, norms, tuple(unknown), paid_in=first.paid_in)


def _of_one(
    position: Position, answer: AnswerSet, functor: Functor, doubts: UnknownReasons
) -> Iterator[DeedVerdict]:
    """Return the verdicts in one answer set, in the order of the actions as text."""
    name, arity = functor
    allowed = _by_deed(answer.get("permitted", 2))
    illegal = _by_deed(answer.get("illegal", 2))
    legal = {deed for (deed,) in answer.get("legal", 1)}
    unknown = {topic for topic, _ in answer.get("unknown", 2)}
    names, cost_parts = (position.vocabulary.words[kind] for kind in ("price", "cost"))
    costs, priced, paid_in = _costs(answer, position.vocabulary)
    parts = {
        topic.arguments[0]: value.number
        for part in cost_parts
        for topic, value in answer.values_of(part).items()
        if value.type == clingo.SymbolType.Number
    }
    some = {*allowed, *illegal, *legal, *unknown}
    deeds = (each for each in some if each.name == name and len(each.arguments) == arity)
    for one in sorted(deeds, key=str):
        if one in illegal:
            yield DeedVerdict(one, False, tuple(illegal[one]))
            continue
        prices = [clingo.Function(name, [one]) for name in names]
        reasons = [why for each in (one, *prices) if each in unknown for why in doubts.of(each)]
        yield DeedVerdict(
            one,
            True if one in legal else None,
            tuple(allowed.get(one, ())),
            tuple(dict.fromkeys(reasons)),
            costs.get(one),
            tuple(priced.get(one, ())),
            paid_in.get(one, names[0]),
            parts.get(one),
        )


def _by_deed(pairs: Iterable[tuple[clingo.Symbol, ...]]) -> dict[clingo.Symbol, list[str]]:
    found: dict[clingo.Symbol, list[str]] = {}
    for deed, norm in sorted(pairs, key=lambda pair: pair[1].string):
        found.setdefault(deed, []).append(norm.string)
    return found


def _costs(
    answer: AnswerSet, words: Vocabulary
) -> tuple[
    dict[clingo.Symbol, int], dict[clingo.Symbol, dict[str, None]], dict[clingo.Symbol, str]
]:
    """Return the cost of each action, the norms of the cost, and its unit."""
    names = words.words["price"]
    costs: dict[clingo.Symbol, int] = {}
    priced: dict[clingo.Symbol, dict[str, None]] = {}
    paid_in: dict[clingo.Symbol, str] = {}
    for name in names:
        for topic, value in answer.values_of(name).items():
            (deed,) = topic.arguments
            paid_in[deed] = name
            if value.type == clingo.SymbolType.Number:
                costs[deed] = value.number
    for norm, topic, _ in answer.get("undefeated_value", 3):
        if topic.name in (*names, *words.words["cost"]):
            priced.setdefault(topic.arguments[0], {})[norm.string] = None
    for topic, norm, _, _ in answer.get("undefeated_addend", 4):
        if topic.name in names:
            priced.setdefault(topic.arguments[0], {})[norm.string] = None
    return costs, priced, paid_in


def _touches(deed: clingo.Symbol, hex_: Hex | None) -> bool:
    """Test whether a step goes around a vertex that touches the hex."""
    if hex_ is None:
        return True
    way = deed.arguments[-1]
    if not way.arguments:
        return False
    spot: Spot = location_from_symbol(
        clingo.Function("l", [way.arguments[0], clingo.Number(0)]), PLAIN_NAMES
    ).spot
    assert isinstance(spot, Vertex)
    one = spot.hex
    return hex_ in (one, one.neighbour(spot.corner), one.neighbour(spot.corner + 1))


def _ends_in(deed: clingo.Symbol, hex_: Hex | None) -> bool:
    """Test whether a step ends in the hex, at one of its vertices."""
    if hex_ is None:
        return True
    return hex_of_spot(location_from_symbol(deed.arguments[-2], PLAIN_NAMES).spot) == hex_


def verdict_goals(way: DeedVerdict, answers: Sequence[AnswerSet], words: Vocabulary) -> list[str]:
    """Return the atoms that give the verdict; for an unknown one, those of every case."""
    prices = words.words["price"]
    if way.legal:
        goals = [f"legal({way.deed})"]
        if way.cost is not None:
            # The goal of a sum is its total, that of another topic its value.
            cost = f"({way.paid_in}({way.deed}),{way.cost})"
            goals += [f"is{cost}", f"total{cost}"]
            return goals
        topics = [clingo.Function(price, [way.deed]) for price in prices]
        return [*goals, *goals_of(answers, UNKNOWN, topics)]
    if way.legal is False:
        return [f'illegal({way.deed},"{norm}")' for norm in way.norms]
    topics = [way.deed, *(clingo.Function(price, [way.deed]) for price in prices)]
    return goals_of(answers, LEGALITY, topics)
