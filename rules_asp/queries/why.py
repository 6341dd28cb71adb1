"""`why`: the queries behind each kind of answer, and their proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain.proof import ProofStep, provenance_of
from rules_asp.game.board import Shot
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    Variable,
    argument_from_symbol,
    arguments_from_symbols,
)
from rules_asp.game.values import Notation, to_board_text
from rules_asp.parser import parse_query
from rules_asp.positions.answer import Scope, Verdict
from rules_asp.positions.position import Position
from rules_asp.queries.ask import (
    Asked,
    AskQuestion,
    answer_from_sets,
    ask_together,
    ask_with_proofs,
    scope_of_query,
    with_forbidden_deeds,
)
from rules_asp.queries.fire import Drm, Fire, fire_term
from rules_asp.queries.fire_table import FireTable
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los, LosDefeat, beaten_in, defeats
from rules_asp.queries.movement import Moves
from rules_asp.queries.paths import MoveStep
from rules_asp.queries.query_facts import resolve_and_check
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.rout import Rout
from rules_asp.queries.too_wide import limit_if_open
from rules_asp.queries.whynot import MissingCondition, missing_conditions

#: So many ways in which a question holds are proved.
MOST_WAYS = 3


@dataclass(frozen=True)
class Why(Answer):
    """An answer with its proofs.

    `beaten` are norms that would have blocked a sight that is asked about. `left_out` counts the
    ways in which the question holds that are not proved here. Of what nothing makes so,
    `missing_conditions` is what the norms lack that could.
    """

    asked: Asked
    proofs: tuple[ProofStep, ...]
    beaten: tuple[LosDefeat, ...] = ()
    left_out: int = 0
    lacking: tuple[MissingCondition, ...] = ()


@dataclass(frozen=True)
class WhyQuestion(Question[Why]):
    """Explain an answer step by step.

    QUERY is a question as in `ask`, or a line as in `batch`, such as "los C1 G3". The proof goes from
    the answer down to the lines of the board. For a no, it shows the rules against it. Interpretations
    and assumed rules are marked.

    Example: rules-asp why church "height(C3) = V"
    """

    kind = "why"
    query: str | Query = parameter(ParameterKind.SENTENCE)

    @property
    def asked(self) -> AskQuestion:
        """The question that is explained."""
        return AskQuestion(self.query)

    def query_on(self, position: Position) -> Query:
        """The query, on a position."""
        return self.asked.query_on(position)

    def resolved(self, position: Position) -> WhyQuestion:
        """The question with the query of its text."""
        return WhyQuestion(self.query_on(position))

    def limit_note(self) -> LimitNote | None:
        """It may take long where something is left open."""
        assert not isinstance(self.query, str)
        return limit_if_open(self.kind, self.query)

    def find(self, position: Position, cite: bool) -> Why:
        """The answer with its proofs."""
        return why(position, self.query_on(position))

    def scope(self, position: Position, answer: Why) -> Scope:
        """That of the question."""
        return scope_of_query(position, self.query_on(position), answer.asked)


def why(position: Position, query: Query) -> Why:
    """Answer a question, and prove the answer as far as something can be proved about it."""
    ways, proofs = ask_with_proofs(position, query, MOST_WAYS)
    found = with_forbidden_deeds(position, query, answer_from_sets(position, query, ways, proofs))
    resolved = resolve_and_check(position, query)
    # Lines are too many for these to be asked of each.
    beaten = {_sees(each): defeats(position, each.a, each.b) for each in _sights(resolved)}
    told = tuple(_beside(step, beaten) for step in proofs)
    more = provenance_of(position, told).cites
    lacking: tuple[MissingCondition, ...] = ()
    if found.word is Verdict.NOT_SO and not proofs:
        lacking = missing_conditions(position, resolved, ask_together(position, (query,)).answers)
    return Why(
        replace(found, cites=found.cites.union(more)),
        told,
        tuple(
            sorted(
                {beaten_in(step, position.notation) for each in beaten.values() for step in each},
                key=str,
            )
        ),
        max(0, len(ways.certain) - MOST_WAYS),
        lacking,
    )


def _beside(step: ProofStep, beaten: Mapping[str, Sequence[ProofStep]]) -> ProofStep:
    """A step with what is beaten that would have blocked the line which it says is clear."""
    more = beaten.get(step.atom, ())
    return replace(step, defeats=(*step.defeats, *more)) if more else step


def _sights(query: Query) -> Iterator[LosTerm]:
    """The lines of which it is asked whether they are clear."""
    for literal in query.literals:
        if isinstance(literal, QueryComparison) or literal.name != "sees":
            continue
        for argument in literal.args:
            if isinstance(argument.value, LosTerm):
                yield argument.value


def _sees(sight: LosTerm) -> str:
    return str(clingo.parse_term(f"sees({Argument(sight, 'sight').term})"))


#: So many of the steps are told that end where a way would.
_STEPS = 3


def queries_behind(answer: Answer, notation: Notation) -> tuple[Query, ...]:
    """The questions that an answer other than to a question comes down to; none of many sights."""
    return tuple(Query((each,)) for each in _literals(answer, notation))


def _literals(answer: Answer, notation: Notation) -> Iterator[QueryLiteral]:
    match answer:
        case Los():
            sight = Argument(LosTerm(answer.a, answer.b), "sight")
            yield QueryLiteral("sees", (sight,))
            if answer.clear and answer.hindrances:
                yield QueryLiteral("hindrance", (sight, Argument(Variable("V"), "number")))
        case Drm():
            yield _valued(notation, "tem", _shot(answer.shot))
        case Fire():
            shot = answer.drm.shot
            fired = clingo.parse_term(f"fire({shot.firer.term},{shot.target.term})")
            if answer.sight is not None and answer.sight.clear is not True:
                yield from _literals(answer.sight, notation)
            if answer.legal is not True:
                yield _legal(fired, notation)
            yield _valued(notation, "drm", _shot(shot))
        case FireTable():
            for attack in answer.attacks:
                deed = clingo.parse_term(fire_term(attack.shot))
                if attack.legal is not True:
                    yield _legal(deed, notation)
                if attack.legal is not False:
                    yield _valued(notation, "firepower", deed)
                    yield _valued(notation, "drm", _shot(attack.shot))
        case Can():
            yield from _deciding(answer, notation)
        case Moves():
            ways = (*answer.reach, *answer.perhaps)
            steps = dict.fromkeys(step for way in ways for step in way.path)
            closed = (step for step in answer.forbidden if step.start == answer.start)
            for step in (*steps, *closed):
                for unit in answer.units:
                    yield _step(answer.by, clingo.String(unit), step, notation)
        case Rout():
            yield _valued(notation, "must_rout", clingo.String(answer.unit))
            yield from _literals(answer.moves, notation)
        case Rolled():
            roll = clingo.parse_term(answer.term)
            for each in answer.modifiers:
                yield _valued(notation, "modifier", roll, clingo.Function(each.die))
            for result in answer.results:
                yield _valued(notation, "outcome", roll, clingo.Function(result.name))


def _deciding(answer: Can, notation: Notation) -> Iterator[QueryLiteral]:
    """That what decides is legal: each step of a way of several, or each deed of the same verdict."""
    form = answer.doing.deed.value
    steps = answer.there.path if answer.there is not None else answer.last_steps[:_STEPS]
    if not steps:
        yield from (_legal(way.deed, notation) for way in answer.ways if way.legal is answer.legal)
    elif isinstance(form, FunctionTerm):
        by, unit = (each.term for each in form.args[:2])
        for step in steps:
            yield _step(by, unit, step, notation)


def _step(by: object, unit: object, step: MoveStep, notation: Notation) -> QueryLiteral:
    """That a unit may take a step."""
    start, to = (to_board_text(each, "location") for each in (step.start, step.to))
    text = f"legal(step({by},{unit},{start},{to},{step.way}))"
    (literal,) = parse_query(text, notation=notation).literals
    assert isinstance(literal, QueryLiteral)
    return literal


def _legal(deed: clingo.Symbol, notation: Notation) -> QueryLiteral:
    return QueryLiteral("legal", (argument_from_symbol(deed, "deed", notation),))


def _shot(shot: Shot) -> clingo.Symbol:
    parts = f"{shot.firer.term},{shot.target.term},{shot.how},{shot.doing}"
    return clingo.parse_term(f"shot({parts})")


def _valued(notation: Notation, topic: str, *about: clingo.Symbol) -> QueryLiteral:
    entry = notation.vocabulary.topics[topic]
    return QueryLiteral(
        topic,
        arguments_from_symbols(about, entry.kinds, notation),
        Argument(Variable("V"), entry.value),
    )
