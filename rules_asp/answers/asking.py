"""Asking about anything the vocabulary holds: a conjunction of literals, answered with cites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import clingo

from rules_asp.answers.deeds import Disallowed
from rules_asp.answers.holding import held
from rules_asp.answers.patterns import asks_yes_or_no, may_be_no_step, plain_step
from rules_asp.answers.proof import Beaten, covered, grounds_of, prove
from rules_asp.answers.questions import (
    all_named,
    clingo_text,
    is_later,
    is_local,
    nodes_of,
    put,
    question_of,
    said_of,
    sights_named,
)
from rules_asp.answers.standing_against import (
    against,
    could,
    forbidding,
    not_stated,
    value_of,
)
from rules_asp.answers.steps import Step
from rules_asp.answers.unknowns import Reason, left_open
from rules_asp.answers.whole_sights import clear_sights, is_whole, named_each
from rules_asp.answers.words import Word, word_of
from rules_asp.knowledge.cites import NO_CITES, Cites
from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node
from rules_asp.positions.belonging import OfPosition
from rules_asp.positions.indexes import Question
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import NO
from rules_asp.terms.names import valued
from rules_asp.terms.query import (
    Literal,
    Query,
)
from rules_asp.terms.symbols import spot_of

#: So many ways are proved, for what they cite.
_PROVED = 20


@dataclass(frozen=True)
class Found:
    """One way in which a question holds: its variables by name, as people write them."""

    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Asked(OfPosition):
    """What a question gave: true, false or None for unknown; the ways; why it is unknown.

    `not_allowed` are deeds whose price it tells, and which are illegal. `values` are those of the topic,
    where the question is of one that it names in full. Of what does not hold `forbidding` are the norms
    that forbid it, `could` those in force that could make it so. `perhaps` are topics, deeds and sights that
    may make it hold, of a question that leaves something open: it is not known of them, each with why.
    """

    holds: bool | None
    found: tuple[Found, ...] = ()
    unknown: tuple[Reason, ...] = ()
    cites: Cites = NO_CITES
    beaten: tuple[Beaten, ...] = ()
    forbidding: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    could: tuple[str, ...] = ()
    not_allowed: tuple[Disallowed, ...] = ()
    perhaps: tuple[tuple[str, tuple[Reason, ...]], ...] = ()

    @property
    def word(self) -> Word:
        """What the answer comes to."""
        return word_of(self.holds, self.forbidding)


@dataclass(frozen=True)
class Ways:
    """The ways in which a question holds: the values of its variables, in order.

    Those of `certain` hold in all cases that the board leaves open. `forbidding` are norms that forbid what
    is asked about, `values` those that its topic has. `perhaps` are topics, deeds and sights of which it is
    not known whether they make it hold as well, each with why. `closed` is a narrower question whose answer
    says why nothing comes into question.
    """

    certain: tuple[tuple[clingo.Symbol, ...], ...]
    possible: frozenset[tuple[clingo.Symbol, ...]]
    unknown: tuple[Reason, ...]
    forbidding: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    perhaps: tuple[tuple[str, tuple[Reason, ...]], ...] = ()
    closed: Query | None = None


@dataclass(frozen=True)
class Batch:
    """Several questions put to a position at once: what they want, and the answers to all.

    `proofs` are those of the atoms that the answers which were to be cited rest on.
    """

    wanted: frozenset[Node]
    answers: tuple[Answer, ...]
    proofs: Mapping[str, Step] = field(default_factory=dict)


def together(position: Position, queries: Iterable[Query], cited: Collection[Query] = ()) -> Batch:
    """Put several questions at once, which saves much of the time; those that are amiss are left out.

    `cited` are those of which the answer will have to be cited.
    """
    cited = tuple(_right(position, cited))
    batch = _asked(position, _right(position, queries), cited)
    goals: dict[str, None] = {}
    for query in cited:
        try:
            ways = _ways(position, query, batch)
            goals |= dict.fromkeys(_goals(position, query, ways, _PROVED, batch))
        except QuestionError:
            continue
    steps = prove(position, list(goals), batch.answers) if goals else []
    return replace(batch, proofs={step.atom: step for step in steps})


def _right(position: Position, queries: Iterable[Query]) -> Iterator[Query]:
    """Those of the questions that can be put to the board, as they are put."""
    for query in queries:
        with suppress(QuestionError):
            yield put(position, query)


def _asked(position: Position, queries: Iterable[Query], cited: Iterable[Query]) -> Batch:
    """The answers to several questions, and to what will be asked against those that are cited."""
    wanted: dict[Node, None] = {}
    said: list[Question] = []
    local = True
    others = (Query((each,)) for query in cited for each in _all_against(query))
    for query in (*queries, *others):
        nodes = dict.fromkeys(nodes_of(position, query))
        try:
            said.append(said_of(position, query, tuple(nodes)))
        except QuestionError:
            continue
        wanted |= nodes
        local &= is_local(query)
    if not is_later(position, wanted):
        return Batch(frozenset(wanted), position.settled(wanted))
    question = position.completed(Question.joined(said), local)
    answers = _based(position, position.ask(tuple(wanted), question, local))
    return Batch(frozenset(wanted), tuple(answers))


def _all_against(query: Query) -> Iterator[Literal]:
    for literal in query.literals:
        if isinstance(literal, Literal):
            yield from against(literal)


def ask(position: Position, query: Query, cite: bool = True, batch: Batch | None = None) -> Asked:
    """Answer a question. What holds in all cases that the board leaves open is the answer.

    A question about LOS whose Locations are all named is measured for these alone; with a variable
    in it, for every Location of the map. QuestionError for what is not on the board.
    `batch` are answers to several questions, of which this is one.
    """
    query = put(position, query)
    if batch is None and cite:
        ways, proofs = _proved(position, query, _PROVED)
        return answered(position, query, ways, proofs)
    ways = _ways(position, query, batch)
    if not cite or batch is None:
        return answered(position, query, ways, ())
    if ways.closed is not None:
        return ask(position, query)
    goals = _goals(position, query, ways, _PROVED, batch)
    if not covered(goals, batch.proofs):
        return ask(position, query)
    held = [batch.proofs[goal] for goal in goals if goal in batch.proofs]
    return answered(position, query, ways, held)


def proved(position: Position, query: Query, most: int) -> tuple[Ways, Sequence[Step]]:
    """The ways in which a question holds, and proofs of what the answer rests on.

    Of the ways the first `most` are proved; for a literal that does not hold, or is denied, what
    stands against it. QuestionError for what is not on the board.
    """
    return _proved(position, put(position, query), most, asides=True)


def _proved(
    position: Position, query: Query, most: int, asides: bool = False
) -> tuple[Ways, Sequence[Step]]:
    if is_whole(position, query):
        ways = _ways(position, query)
        some = ways.certain[:most]
        return ways, _proved(position, named_each(query, some), most, asides)[1] if some else ()
    batch = _asked(position, (query,), (query,))
    ways = _ways(position, query, batch)
    if ways.closed is not None:
        return ways, _proved(position, ways.closed, most, asides)[1]
    goals = _goals(position, query, ways, most, batch)
    return ways, prove(position, goals, batch.answers, asides)


def answered(position: Position, query: Query, ways: Ways, proofs: Iterable[Step]) -> Asked:
    """The answer that these ways amount to, with the paragraphs that its proofs use."""
    holds: bool | None = bool(ways.certain)
    if not ways.certain and (ways.unknown or ways.possible):
        holds = None
    kinds = query.variables
    found = tuple(
        Found(
            tuple(
                (name, valued(value, kinds[name])) for name, value in zip(kinds, way, strict=True)
            )
        )
        for way in _each_once(ways.certain, tuple(kinds.values()))
    )
    rests_on = grounds_of(position, proofs)
    told = rests_on.cites, rests_on.beaten
    if holds is not False:
        return Asked(holds, found, ways.unknown, *told, values=ways.values, perhaps=ways.perhaps)
    makers = () if ways.forbidding or ways.values else could(position, query)
    return Asked(False, (), (), *told, ways.forbidding, ways.values, makers)


def _each_once(
    ways: Iterable[tuple[clingo.Symbol, ...]], kinds: Sequence[str]
) -> Iterable[tuple[clingo.Symbol, ...]]:
    """The ways without those that say the same of a point by the name that another hex has for it."""

    def meant(symbol: clingo.Symbol, kind: str) -> object:
        return spot_of(symbol).centre if kind == "spot" and symbol.name == "v" else symbol

    found: dict[tuple[object, ...], tuple[clingo.Symbol, ...]] = {}
    for way in ways:
        found.setdefault(tuple(map(meant, way, kinds)), way)
    return found.values()


def _goals(position: Position, query: Query, ways: Ways, most: int, batch: Batch) -> list[str]:
    """The atoms to be proved for an answer."""
    named = all_named(query)
    told = ways if named == query else _ways(position, named, batch)
    goals = goals_of(named, told.certain[:most])
    for each in _told_against(query, ways):
        other = all_named(Query((each,)))
        against_it = _ways(position, other, batch).certain
        # Of many ways of the same norm, or for the same reason, which comes last, one is enough; of a line
        # that several norms block at one place, each norm is told.
        last = slice(None) if each.name == "stopped" else slice(-1, None)
        goals += goals_of(other, {way[last]: way for way in reversed(against_it)}.values())
    return list(dict.fromkeys(goals))


def _told_against(query: Query, ways: Ways) -> Iterator[Literal]:
    """What to tell against each literal that does not hold, or is denied."""
    for literal in query.literals:
        if isinstance(literal, Literal) and literal.negated == bool(ways.certain):
            yield from against(literal)


def ways_of(position: Position, query: Query, batch: Batch | None = None) -> Ways:
    """The ways in which a question holds, with what is unknown about it.

    QuestionError for what is not on the board.
    """
    return _ways(position, put(position, query), batch)


def _ways(position: Position, query: Query, batch: Batch | None = None) -> Ways:
    ways = _ways_as_asked(position, query, batch)
    closed = None if ways.possible or ways.unknown or ways.forbidding else _closed(query)
    if closed is None:
        return ways
    about = _ways_as_asked(position, closed)
    return replace(ways, unknown=about.unknown, forbidding=about.forbidding, closed=closed)


def _closed(query: Query) -> Query | None:
    """The question whether a step is legal as one by entering, where no way comes into question."""
    literal, *others = query.literals
    if others or not isinstance(literal, Literal) or literal.negated or literal.name != "legal":
        return None
    step = plain_step(literal.args[0].value)
    if step is None:
        return None
    return Query((replace(literal, args=(literal.args[0]._replace(value=step),)),))


def _ways_as_asked(position: Position, query: Query, batch: Batch | None = None) -> Ways:
    if batch is None and is_whole(position, query):
        clear = clear_sights(position)
        return Ways(clear, frozenset(clear), ())
    wanted = tuple(dict.fromkeys(nodes_of(position, query)))
    kinds = query.variables
    results: list[set[tuple[clingo.Symbol, ...]]] = []
    unknown = dict.fromkeys(not_stated(position, query))
    forbidden: dict[str, None] = {}
    values: dict[str, None] = {}
    perhaps: dict[str, dict[Reason, None]] = {}
    answers = list(_answers(position, query, wanted, batch))
    for answer in answers:
        forbidden |= dict.fromkeys(forbidding(query, answer))
        values |= dict.fromkeys(value_of(query, answer))
        found = held(position, query, answer, wanted)
        results.append(set(found.ways))
        unknown.update(dict.fromkeys(found.unknown))
        for about, reasons in found.perhaps.items():
            perhaps.setdefault(about, {}).update(dict.fromkeys(reasons))
    certain = sorted(results[0].intersection(*results[1:]), key=str)
    if any(each != results[0] for each in results) and not unknown:
        unknown.update(dict.fromkeys(left_open(position, answers, results)))
    possible = frozenset().union(*results)
    if not possible and not unknown and asks_yes_or_no(query):
        certain = [(clingo.Function(NO),) if kinds else ()]
        possible = frozenset(certain)
    if not possible and not unknown and may_be_no_step(query):
        unknown[Reason("no_step")] = None
    if not possible:
        unknown.update((why, None) for reasons in perhaps.values() for why in reasons)
    told = tuple((about, tuple(reasons)) for about, reasons in sorted(perhaps.items()))
    return Ways(tuple(certain), possible, tuple(unknown), tuple(forbidden), tuple(values), told)


def _answers(
    position: Position, query: Query, wanted: tuple[Node, ...], batch: Batch | None
) -> Iterable[Answer]:
    if not is_later(position, wanted):
        return position.settled(wanted)
    if batch is not None and batch.wanted.issuperset(wanted):
        sights_named(position, query, wanted)
        return batch.answers
    question = question_of(position, query, wanted)
    assert question is not None
    return _based(position, position.ask(wanted, question, is_local(query)))


def _based(position: Position, answers: Iterable[Answer]) -> list[Answer]:
    return [replace(answer, base=position.cases[answer.case]) for answer in answers]


def goals_of(query: Query, found: Iterable[tuple[clingo.Symbol, ...]]) -> list[str]:
    """The atoms that make a question hold in these ways, to be proved."""
    goals = []
    for each in found:
        values = dict(zip(query.variables, each, strict=True))
        for literal in query.literals:
            if isinstance(literal, Literal) and not literal.negated:
                atom = clingo_text(literal, values)
                goals.append(atom)
                if literal.value is not None:
                    goals += [atom.replace("value(", name, 1) for name in ("is(", "total(")]
    return goals
