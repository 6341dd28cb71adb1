"""`ask`: free queries, with costs of forbidden actions and queries about all LOS.

Queries about all LOS use the batches of `los_matrix`, unless the board leaves its structure open.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import Defeat, Evidence, ProofStep, covers, prove, provenance_of
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, differing_assumptions, make_reason
from rules_asp.game.grid import Location
from rules_asp.game.query import (
    Argument,
    LosTerm,
    Query,
    QueryLiteral,
    UnitLocation,
    Variable,
    argument_from_symbol,
)
from rules_asp.game.values import QUOTED, Notation, spot_from_symbol
from rules_asp.game.vocabulary import NO, YES, YES_NO, Vocabulary
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError, locations
from rules_asp.positions.name_resolution import parse_los_end
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, hexes_in, scope_of_units, verdict_for
from rules_asp.queries.deeds import ForbiddenDeed, deed_sentence
from rules_asp.queries.evaluate import Named, evaluate, substitute, verdict_goals
from rules_asp.queries.los_matrix import matrix
from rules_asp.queries.query_facts import (
    asks_yes_or_no,
    has_variables,
    is_local,
    may_be_no_step,
    name_anonymous,
    named_los,
    needs_query_layer,
    query_facts,
    query_for,
    query_signatures,
    resolve_and_check,
    scope_of_argument,
    step_by_entering,
)
from rules_asp.queries.question import (
    VERDICTS,
    Answer,
    AnswerT,
    ParameterKind,
    Question,
    agrees_with_verdict,
    parameter,
)
from rules_asp.queries.whynot import (
    actual_value,
    candidate_norms,
    counter_queries,
    counter_values,
    forbidding_norms,
    unstated_inputs,
)


def asks_all_los(position: Position, query: Query) -> bool:
    """Test whether a query asks about all clear LOS of a board."""
    if len(query.literals) > 1 or len(position.cases) > 1:
        return False
    (literal,) = query.literals
    if not isinstance(literal, QueryLiteral) or literal.name != "sees" or literal.negated:
        return False
    return isinstance(literal.args[0].value, Variable) and bool(query.variables)


def clear_los(position: Position) -> tuple[tuple[clingo.Symbol], ...]:
    """Return all clear LOS of a board as solutions of the query."""
    clear = (
        LosTerm(*sight).term
        for batch in matrix(position, locations(position))
        for sight, verdict in batch.items()
        if verdict.clear
    )
    return tuple(sorted(((clingo.parse_term(text),) for text in clear), key=str))


def each_named_los(
    query: Query, sights: Iterable[tuple[clingo.Symbol, ...]], notation: Notation
) -> Query:
    """Ask whether each of these LOS is clear, with both ends named."""
    (kind,) = query.variables.values()
    return Query(
        tuple(
            QueryLiteral("sees", (argument_from_symbol(sight, kind, notation),))
            for (sight,) in sights
        )
    )


#: Maximum number of solutions that are proved for their citations.
PROVED = 20


@dataclass(frozen=True)
class Binding:
    """A solution of a query: its variables by name, with values as text."""

    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Asked(Answer):
    """The answer to a query: true, false or None for unknown; the solutions; the reasons if it is
    unknown.

    `not_allowed` are illegal actions whose cost the answer shows. `values` are those of a topic
    that the query names completely. If the query does not hold, `forbidding` are the norms that
    forbid it. If no norm decides it, `could` are those in force that could. If the query
    leaves something open, `perhaps` are unknown topics, actions and LOS that could satisfy it, with
    their reasons. `counted` are the counts of the query, each with its counted values. `extreme` is
    what was to be greatest or least, with its value.
    """

    holds: bool | None
    found: tuple[Binding, ...] = ()
    unknown: tuple[Reason, ...] = ()
    cites: Citations = NO_CITATIONS
    beaten: tuple[Defeat, ...] = ()
    forbidding: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    could: tuple[str, ...] = ()
    not_allowed: tuple[ForbiddenDeed, ...] = ()
    perhaps: tuple[tuple[Named, tuple[Reason, ...]], ...] = ()
    counted: tuple[tuple[str, tuple[str, ...]], ...] = ()
    extreme: tuple[str, str] | None = None

    @property
    def word(self) -> Verdict:
        """The verdict."""
        return verdict_for(self.holds, self.forbidding)

    @property
    def query(self) -> Query:
        """The query that was asked, on the position."""
        assert isinstance(self.question, QueryQuestion)
        return self.question.query_on(self.position)

    @property
    def text(self) -> str:
        """The query with its counts."""
        return ", ".join(filter(None, (str(self.query), *(count for count, _ in self.counted))))

    def items(self) -> tuple[layout.Item, ...]:
        """The verdict, the value, and each solution of the query."""
        told = (", ".join(f"{name} = {value}" for name, value in e.values) for e in self.found)
        ways = [each for each in told if each]
        values = [layout.Item("value", ", ".join(self.values))] if self.values and not ways else []
        values += [layout.Item(self.extreme[0], self.extreme[1])] if self.extreme else []
        verdict = layout.Item("the answer", self.word, verdict=True, short="; ".join(ways))
        return (verdict, *values, *(layout.Item(way, "yes") for way in ways))

    possible = (*VERDICTS, "no", "what a variable stands for, as V = 2 1/2")

    def agrees(self, wanted: str) -> bool | None:
        """Whether the verdict is the wanted one, or a variable has the wanted value."""
        verdict = agrees_with_verdict(self.word, wanted)
        if verdict is not None:
            return verdict
        pairs = [each.partition("=") for each in wanted.split(",")]
        names = {name for each in self.found for name, _ in each.values}
        if all(sign and name.strip() and value.strip() for name, sign, value in pairs):
            values = {name.strip(): value.strip() for name, _, value in pairs}
        elif len(names) == 1 and wanted:
            # The name of a single variable is optional.
            values = {next(iter(names)): wanted}
        else:
            return None
        return any(values.items() <= dict(each.values).items() for each in self.found)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the verdict, or a table of the solutions."""
        kinds = self.query.variables
        head: Iterable[layout.Block] = ()
        if self.holds and kinds and len(self.found) == 1:
            filled = _filled(str(self.query), dict(self.found[0].values))
            head = (layout.Line(layout.strong(filled), whole=True),)
        elif self.holds and kinds:
            rows = [tuple(value for _, value in way.values) for way in self.found]
            count = layout.Line(f"{len(rows)} answers{', perhaps more' * bool(self.perhaps)}")
            head = (count, layout.Table(rows, heads=list(kinds), indent=0))
        else:
            head = self.word_blocks()
        if self.extreme is not None:
            head = (*head, layout.Line((f"{self.extreme[0]}: ", layout.strong(self.extreme[1]))))
        counted = [(count, layout.first_few(told, _PERHAPS)) for count, told in self.counted]
        return self.reported(
            (*self.cites.norms, *self.forbidding),
            head,
            layout.Table(counted, "Counted"),
            self.could_line(),
            self.not_allowed_table(),
            self._perhaps(),
            layout.defeats(self.position, self.beaten),
            self.ending(self.cites, self.unknown),
        )

    def word_blocks(self) -> Iterator[layout.Block]:
        """Yield the verdict, with the forbidding norms or the actual value."""
        more = ""
        if self.values and self.word is Verdict.NOT_SO:
            more = f": it is {', '.join(self.values)}"
        elif self.word is Verdict.NOT_SO and not self.cites:
            more = ": nothing on this board makes it true"
        yield layout.Line(layout.verdict_span(self.word, more))
        yield layout.norms_listed(self.position, "Not allowed by", self.forbidding)

    def could_line(self) -> layout.Line | None:
        """Return the norms that could decide otherwise, if none does."""
        if not self.could or self.values or (self.cites and not self.holds):
            return None
        rest = len(self.could) - _MAX_CANDIDATES
        some = layout.norm_span(*self.could[:_MAX_CANDIDATES])
        begin = f"Rules that could make it {'false' if self.holds else 'true'}: "
        return layout.Line((begin, some, f" and {rest} more" if rest > 0 else ""))

    def not_allowed_table(self) -> layout.Table:
        """Return the forbidden actions that have a cost."""
        found = ((each.sentence, norm) for each in self.not_allowed for norm in each.norms)
        return layout.rules(self.position, "Not allowed", found)

    def _perhaps(self) -> layout.Table:
        """Return the possible further solutions, by the reasons why they are unknown."""
        by_reasons: dict[str, list[str]] = {}
        for named, reasons in self.perhaps:
            by_reasons.setdefault("; ".join(map(str, reasons)), []).append(named.label)
        rows = [(why, layout.first_few(told, _PERHAPS)) for why, told in by_reasons.items()]
        return layout.Table(rows, "Possibly")

    def record(self) -> Record:
        """Return the answer as JSON: each solution with its variables by name."""
        kinds = self.query.variables
        first = next(iter(self.query.literals), None)
        kind = first.value.kind if isinstance(first, QueryLiteral) and first.value else ""
        counted = [{"count": count, "values": list(told)} for count, told in self.counted]
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            "query": self.text,
            "holds": self.holds,
            "forbidden_by": list(self.forbidding),
            "values": [_number_or_text(text, kind) for text in self.values],
            "could": list(self.could),
            "answers": [
                {name: _number_or_text(text, kinds[name]) for name, text in way.values}
                for way in self.found
            ],
            "perhaps": [
                {"about": named.about, "why": [str(each) for each in reasons]}
                for named, reasons in self.perhaps
            ],
            "not_allowed": [
                {"deed": each.deed, "sentence": each.sentence, "norms": list(each.norms)}
                for each in self.not_allowed
            ],
            "beaten": record.defeats(self.beaten),
            **({"counted": counted} if counted else {}),
            **({"value": _number_or_text(self.extreme[1], "")} if self.extreme else {}),
            **self.ending_record(self.cites, self.unknown, self.holds is None),
        }


#: Maximum number of possible solutions listed for each reason.
_PERHAPS = 6
#: Maximum number of listed norms that could make the query true.
_MAX_CANDIDATES = 6


def _filled(question: str, values: Mapping[str, str]) -> str:
    """Return a query with values in place of its variables; quoted text stays."""
    pieces = question.split('"')
    pieces[::2] = (
        re.sub(r"\w+", lambda word: values.get(word[0], word[0]), each) for each in pieces[::2]
    )
    return '"'.join(pieces)


def _number_or_text(text: str, kind: str) -> str | int | float:
    """Return a value as a number if it is one: `1 1/2` is 1.5."""
    if kind in QUOTED or not re.fullmatch(r"-?(\d+|\d+/\d+|\d+ \d+/\d+)", text):
        return text
    number = sum(map(Fraction, text.lstrip("-").split())) * (-1 if text.startswith("-") else 1)
    return int(number) if number == int(number) else float(number)


@dataclass(frozen=True)
class QueryQuestion(Question[AnswerT]):
    """A question that is a query."""

    @abstractmethod
    def query_on(self, position: Position) -> Query:
        """The query, on a position."""


@dataclass(frozen=True)
class RangeQuestion(QueryQuestion[Asked]):
    """Show the range between two Locations, in hexes.

    A and B are Locations such as U4/2 or V3, or units of the board.

    Example: rules-asp range church C1 G3
    """

    kind = "range"
    a: str | Location | UnitLocation = parameter(ParameterKind.LOCATION, label="From")
    b: str | Location | UnitLocation = parameter(ParameterKind.LOCATION, label="To")

    def query_on(self, position: Position) -> Query:
        """The value of the topic for the two, as a query."""
        places = (parse_los_end(position, each) for each in (self.a, self.b))
        ends = tuple(Argument(each, "location") for each in places)
        return Query((QueryLiteral("range", ends, Argument(Variable("V"), "number")),))

    def find(self, position: Position, cite: bool) -> Asked:
        """The range."""
        return ask(position, self.query_on(position), cite)

    def scope(self, position: Position, answer: Asked) -> Scope:
        """Return the two Locations, and the line between them."""
        return scope_of_query(position, self.query_on(position), answer)


def scope_of_query(position: Position, query: Query, asked: Asked) -> Scope:
    """Return the scope of a query: its names, and the places and units among the values."""
    about = Scope()
    for literal in resolve_and_check(position, query).literals:
        for argument in literal.arguments if isinstance(literal, QueryLiteral) else ():
            about |= scope_of_argument(position, argument)
    kinds = query.variables
    found = [(kinds[name], value) for way in asked.found for name, value in way.values]
    texts = " ".join(value for kind, value in found if kind not in QUOTED)
    hexes = set(hexes_in(texts, position.names))
    units = (value for kind, value in found if kind == "unit")
    return about | Scope(frozenset(hexes)) | scope_of_units(position, units)


@dataclass(frozen=True)
class Bindings:
    """The solutions of a query: the values of its variables, in order.

    The solutions in `certain` hold in all cases of the board. `forbidding_norms` are norms that
    forbid the queried result, `values` those of its topic. `perhaps` are unknown topics, actions
    and LOS that could satisfy it, with their reasons. `closed` is a narrower query whose answer
    explains why there is no candidate.
    """

    certain: tuple[tuple[clingo.Symbol, ...], ...]
    possible: frozenset[tuple[clingo.Symbol, ...]]
    unknown: tuple[Reason, ...]
    forbidding: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    perhaps: tuple[tuple[Named, tuple[Reason, ...]], ...] = ()
    closed: Query | None = None

    @property
    def is_open(self) -> bool:
        """Whether there may be other solutions."""
        return bool(self.unknown or self.perhaps) or len(self.possible) > len(self.certain)


@dataclass(frozen=True)
class QueryBatch:
    """Several queries on one position, solved together: the nodes, and the answer sets.

    `proofs` are those of the atoms behind the cited answers.
    """

    wanted: frozenset[Signature]
    answers: tuple[AnswerSet, ...]
    proofs: Mapping[str, ProofStep] = field(default_factory=dict)


def ask_together(
    position: Position, queries: Iterable[Query], cited: Collection[Query] = ()
) -> QueryBatch:
    """Ask several queries together, which saves most of the time; invalid ones are left out.

    `cited` are those whose answer will be cited.
    """
    cited = tuple(_right(position, cited))
    batch = _asked(position, _right(position, queries), cited)
    goals: dict[str, None] = {}
    for query in cited:
        try:
            ways = _ways(position, query, batch)
            goals |= dict.fromkeys(_goals(position, query, ways, PROVED, batch))
        except QuestionError:
            continue
    steps = prove(position, list(goals), batch.answers) if goals else []
    return replace(batch, proofs={step.atom: step for step in steps})


def _right(position: Position, queries: Iterable[Query]) -> Iterator[Query]:
    """Yield the valid queries, resolved on the position."""
    for query in queries:
        with suppress(QuestionError):
            yield resolve_and_check(position, query)


def _asked(position: Position, queries: Iterable[Query], cited: Iterable[Query]) -> QueryBatch:
    """Return the answers to several queries, and to the counter-queries of those that are cited."""
    wanted: dict[Signature, None] = {}
    said: list[QueryFacts] = []
    local = True
    others = (
        Query((each,)) for query in cited for each in _all_against(query, position.vocabulary)
    )
    for query in (*queries, *others):
        nodes = dict.fromkeys(query_signatures(position, query))
        try:
            said.append(query_facts(position, query, tuple(nodes)))
        except QuestionError:
            continue
        wanted |= nodes
        local &= is_local(query, position.vocabulary)
    if not needs_query_layer(position, wanted):
        return QueryBatch(frozenset(wanted), position.settled(wanted))
    question = position.completed(QueryFacts.joined(said), local)
    answers = _based(position, position.ask(tuple(wanted), question, local))
    return QueryBatch(frozenset(wanted), tuple(answers))


def _all_against(query: Query, words: Vocabulary) -> Iterator[QueryLiteral]:
    for literal in _literals(query):
        yield from counter_queries(literal, words)
        if literal.negated and literal.value is not None:
            # Each solution names the topic.
            yield from counter_values(literal)


def ask(
    position: Position, query: Query, cite: bool = True, batch: QueryBatch | None = None
) -> Asked:
    """Answer a query. A result that holds in all cases of the board is the answer.

    For a query about named LOS, only these are measured; with a variable in an LOS, those of every
    Location. QuestionError for names that are not on the board. `batch` has the answers to several
    queries, including this one.
    """
    query = resolve_and_check(position, query)
    if batch is None and cite:
        found = read_with_evidence(position, query, PROVED)
        proofs = found.steps()
        denied = denied_by_default(position, query, found.ways, proofs)
        answer = answer_from_sets(position, query, found.ways, proofs, denied)
        return replace(answer, evidence=found.evidence)
    ways = _ways(position, query, batch)
    if not cite or batch is None:
        return answer_from_sets(position, query, ways, ())
    if ways.closed is not None:
        return ask(position, query)
    goals = _goals(position, query, ways, PROVED, batch)
    if not covers(goals, batch.proofs):
        return ask(position, query)
    held = [batch.proofs[goal] for goal in goals if goal in batch.proofs]
    return answer_from_sets(
        position, query, ways, held, denied_by_default(position, query, ways, held)
    )


@dataclass(frozen=True)
class QueryReading:
    """The solutions of a query, its answer sets, and its evidence in them."""

    ways: Bindings
    answers: Sequence[AnswerSet]
    evidence: tuple[Evidence, ...] = ()

    def steps(self, asides: bool = False) -> list[ProofStep]:
        """Return the proofs of the evidence."""
        return [step for each in self.evidence for step in each.steps(asides)]


def read_with_evidence(position: Position, query: Query, most: int) -> QueryReading:
    """Return the solutions of a resolved query, and its evidence.

    The first `most` solutions are proved. For a literal that does not hold, or is negated, the
    evidence contains the rules against it.
    """
    if asks_all_los(position, query):
        ways = _ways(position, query)
        some = ways.certain[:most]
        if not some:
            return QueryReading(ways, ())
        named = each_named_los(query, some, position.notation)
        return replace(read_with_evidence(position, named, most), ways=ways)
    batch = _asked(position, (query,), (query,))
    ways = _ways(position, query, batch)
    if ways.closed is not None:
        of_closed = read_with_evidence(position, ways.closed, most)
        return QueryReading(ways, batch.answers, of_closed.evidence)
    goals = tuple(_goals(position, query, ways, most, batch))
    evidence = Evidence(position, goals, batch.answers, in_order=True)
    return QueryReading(ways, batch.answers, (evidence,) if evidence.agrees else ())


def answer_from_sets(
    position: Position,
    query: Query,
    ways: Bindings,
    proofs: Iterable[ProofStep],
    denied: Iterable[QueryLiteral] = (),
) -> Asked:
    """Return the answer for these solutions, with the rules that its proofs cite, and those that
    could make the `denied` literals true."""
    holds: bool | None = bool(ways.certain)
    if not ways.certain and (ways.unknown or ways.possible):
        holds = None
    kinds = query.variables
    found = tuple(
        Binding(
            tuple(
                (name, position.notation.value_text(value, kinds[name]))
                for name, value in zip(kinds, way, strict=True)
            )
        )
        for way in each_once(ways.certain, tuple(kinds.values()))
    )
    rests_on = provenance_of(position, proofs)
    told = rests_on.cites, rests_on.beaten
    literals = dict.fromkeys(denied)
    if holds is False and not (ways.forbidding or ways.values) and len(query.literals) == 1:
        literals |= dict.fromkeys(_literals(query))
    norms = (norm for each in literals for norm in candidate_norms(position, Query((each,))))
    could = tuple(dict.fromkeys(norms))
    if holds is False:
        return Asked(False, (), (), *told, ways.forbidding, ways.values, could)
    more = {"values": ways.values, "could": could, "perhaps": ways.perhaps}
    return Asked(holds, found, ways.unknown, *told, **more)  # type: ignore[arg-type]


def denied_by_default(
    position: Position,
    query: Query,
    ways: Bindings,
    proofs: Iterable[ProofStep],
    most: int = PROVED,
) -> Iterator[QueryLiteral]:
    """Yield the literals that are false only because nothing makes them true, without `not`.

    For a query that holds, these are its negated literals, and those that a topic is `no`, in each
    solution. For another query, it is the first literal that does not hold.
    """
    proved = [step.atom for step in proofs]
    if ways.unknown and not ways.certain:
        return
    for literal in _denied(position, query, ways, most):
        about = literal.term if literal.value is not None else literal.args[0].term
        if not any(about in atom for atom in proved):
            yield literal


def _denied(position: Position, query: Query, ways: Bindings, most: int) -> Iterator[QueryLiteral]:
    """Yield the literals that an answer denies, without `not`, in each solution."""
    for way in ways.certain[:most]:
        values = dict(zip(query.variables, way, strict=True))
        for each in _literals(substitute(query, values, position.notation)):
            if each.negated:
                yield replace(each, negated=False)
            elif each.value == Argument(NO, YES_NO):
                yield replace(each, value=Argument(YES, YES_NO))
    if not ways.certain and len(query.literals) > 1:
        positive = [each for each in _literals(query) if not each.negated]
        for number, each in enumerate(positive, 1):
            if not _ways(position, Query(tuple(positive[:number]))).possible:
                yield each
                return


def _literals(query: Query) -> Iterator[QueryLiteral]:
    return (each for each in query.literals if isinstance(each, QueryLiteral))


def each_once(
    ways: Iterable[tuple[clingo.Symbol, ...]], kinds: Sequence[str]
) -> Iterable[tuple[clingo.Symbol, ...]]:
    """Drop solutions that repeat another under a second name of a hex."""

    def meant(symbol: clingo.Symbol, kind: str) -> object:
        is_vertex = kind == "spot" and symbol.name == "v"
        return spot_from_symbol(symbol).centre if is_vertex else symbol

    found: dict[tuple[object, ...], tuple[clingo.Symbol, ...]] = {}
    for way in ways:
        found.setdefault(tuple(map(meant, way, kinds)), way)
    return found.values()


def _goals(
    position: Position, query: Query, ways: Bindings, most: int, batch: QueryBatch
) -> list[str]:
    """Return the atoms to prove for an answer."""
    named = name_anonymous(query)
    told = ways if named == query else _ways(position, named, batch)
    goals = verdict_goals(named, told.certain[:most])
    if not ways.certain:
        denied = (each for each in _literals(query) if each.negated and not _is_open(each))
        goals += verdict_goals(Query(tuple(replace(each, negated=False) for each in denied)), [()])
    for each in _counter_literals(position, query, ways, most):
        other = name_anonymous(Query((each,)))
        against_it = _ways(position, other, batch).certain
        # Of several results by the same norm, or for the same reason (the last argument), one
        # suffices. If several norms block a line at one place, each is shown.
        last = slice(None) if each.name == "stopped" else slice(-1, None)
        goals += verdict_goals(other, {way[last]: way for way in reversed(against_it)}.values())
    return list(dict.fromkeys(goals))


def _is_open(literal: QueryLiteral) -> bool:
    return any(map(has_variables, literal.arguments))


def _counter_literals(
    position: Position, query: Query, ways: Bindings, most: int
) -> Iterator[QueryLiteral]:
    """Yield the counter-queries of each literal that does not hold, or is negated."""
    against = [each for each in _literals(query) if each.negated == bool(ways.certain)]
    if ways.certain and query.variables:
        against += [each for each in _denied(position, query, ways, most) if each.value is not None]
    for literal in dict.fromkeys(against):
        yield from counter_queries(literal, position.vocabulary)


def bindings_of(position: Position, query: Query, batch: QueryBatch | None = None) -> Bindings:
    """Return the solutions of a query, and what is unknown about it.

    QuestionError for names that are not on the board.
    """
    return _ways(position, resolve_and_check(position, query), batch)


def _ways(position: Position, query: Query, batch: QueryBatch | None = None) -> Bindings:
    ways = _ways_as_asked(position, query, batch)
    closed = None if ways.possible or ways.unknown or ways.forbidding else _closed(query)
    if closed is None:
        return ways
    about = _ways_as_asked(position, closed)
    return replace(ways, unknown=about.unknown, forbidding=about.forbidding, closed=closed)


def _closed(query: Query) -> Query | None:
    """Return the query whether a step is legal by entering, for steps without any possible manner."""
    literal, *others = query.literals
    if (
        others
        or not isinstance(literal, QueryLiteral)
        or literal.negated
        or literal.name != "legal"
    ):
        return None
    step = step_by_entering(literal.args[0].value)
    if step is None:
        return None
    return Query((replace(literal, args=(literal.args[0]._replace(value=step),)),))


def _ways_as_asked(position: Position, query: Query, batch: QueryBatch | None = None) -> Bindings:
    if batch is None and asks_all_los(position, query):
        clear = clear_los(position)
        return Bindings(clear, frozenset(clear), ())
    wanted = tuple(dict.fromkeys(query_signatures(position, query)))
    kinds = query.variables
    results: list[set[tuple[clingo.Symbol, ...]]] = []
    unknown = dict.fromkeys(unstated_inputs(position, query))
    forbidden: dict[str, None] = {}
    values: dict[str, None] = {}
    perhaps: dict[Named, dict[Reason, None]] = {}
    answers = list(_answers(position, query, wanted, batch))
    for answer in answers:
        forbidden |= dict.fromkeys(forbidding_norms(position, query, answer))
        values |= dict.fromkeys(actual_value(position, query, answer))
        found = evaluate(position, query, answer, wanted)
        results.append(set(found.bindings))
        unknown.update(dict.fromkeys(found.unknown))
        for about, reasons in found.possible_bindings.items():
            perhaps.setdefault(about, {}).update(dict.fromkeys(reasons))
    certain = sorted(results[0].intersection(*results[1:]), key=str)
    if any(each != results[0] for each in results) and not unknown:
        unknown.update(dict.fromkeys(differing_assumptions(position, answers, results)))
    possible = frozenset().union(*results)
    if not possible and not unknown and asks_yes_or_no(query):
        certain = [(clingo.Function(NO),) if kinds else ()]
        possible = frozenset(certain)
    if not possible and not unknown and may_be_no_step(query):
        unknown[make_reason(position.vocabulary, "no_step")] = None
    if not possible:
        unknown.update((why, None) for reasons in perhaps.values() for why in reasons)
    told = tuple((about, tuple(reasons)) for about, reasons in sorted(perhaps.items()))
    return Bindings(tuple(certain), possible, tuple(unknown), tuple(forbidden), tuple(values), told)


def _answers(
    position: Position, query: Query, wanted: tuple[Signature, ...], batch: QueryBatch | None
) -> Iterable[AnswerSet]:
    if not needs_query_layer(position, wanted):
        return position.settled(wanted)
    if batch is not None and batch.wanted.issuperset(wanted):
        named_los(position, query, wanted)
        return batch.answers
    question = query_for(position, query, wanted)
    assert question is not None
    return _based(position, position.ask(wanted, question, is_local(query, position.vocabulary)))


def _based(position: Position, answers: Iterable[AnswerSet]) -> list[AnswerSet]:
    return [replace(answer, base=position.cases[answer.static_case]) for answer in answers]


# --- Costs of illegal actions.


#: Maximum number of solutions for which forbidden actions are listed.
_TOLD = 20


def ask_with_forbidden_deeds(position: Position, query: Query, cite: bool = True) -> Asked:
    """Return the answer to a query; with `cite`, mark forbidden actions whose cost it shows."""
    answer = ask(position, query, cite)
    return with_forbidden_deeds(position, query, answer) if cite else answer


def with_forbidden_deeds(position: Position, query: Query, answer: Asked) -> Asked:
    """Return the answer with the forbidden actions whose cost it shows."""
    prices = position.vocabulary.words["price"]
    if not any(isinstance(each, QueryLiteral) and each.name in prices for each in query.literals):
        return answer
    told = name_anonymous(resolve_and_check(position, query))
    atoms = verdict_goals(told, bindings_of(position, told).certain[:_TOLD])
    return replace(answer, not_allowed=forbidden_deeds(position, atoms))


def forbidden_deeds(position: Position, atoms: Iterable[str]) -> tuple[ForbiddenDeed, ...]:
    """Return the actions that are illegal in every case, among those whose cost these atoms give."""
    told = (clingo.parse_term(atom) for atom in atoms)
    priced = dict.fromkeys(deed for atom in told for deed in _priced(atom, position.vocabulary))
    if not priced:
        return ()
    about = [clingo.Function(name, [deed]) for deed in priced for name in ("asked", "asked_deed")]
    wanted = dict.fromkeys(
        Signature("illegal", 2, (deed.name, len(deed.arguments))) for deed in priced
    )
    question = position.completed(QueryFacts(tuple(about)))
    answers = [answer.get("illegal", 2) for answer in position.ask(tuple(wanted), question)]
    found = []
    for deed in priced:
        by = [{norm.string for each, norm in illegal if each == deed} for illegal in answers]
        if all(by):
            norms = tuple(sorted(set().union(*by)))
            notation = position.notation
            name, sentence = notation.term_text(deed), deed_sentence(deed, notation)
            found.append(ForbiddenDeed(name, sentence, norms))
    return tuple(found)


def _priced(atom: clingo.Symbol, words: Vocabulary) -> Iterable[clingo.Symbol]:
    """Return the action whose cost an atom gives."""
    topic = atom.arguments[0] if atom.name == "value" else None
    if topic is not None and topic.name in words.words["price"]:
        yield topic.arguments[0]
