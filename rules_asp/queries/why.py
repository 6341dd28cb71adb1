"""`why`: the queries behind each kind of answer, and their proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import clingo

from rules_asp.explain import layout
from rules_asp.explain.justification import (
    justification_record,
    proof_trees,
    rule_path,
)
from rules_asp.explain.proof import MissingCondition, Proof, ProofStep, Provenance
from rules_asp.explain.record import Record
from rules_asp.game.query import (
    Argument,
    LosTerm,
    Query,
    QueryComparison,
)
from rules_asp.knowledge.catalogue import NO_CITATIONS
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict
from rules_asp.queries.ask import (
    Asked,
    QueryQuestion,
    RangeQuestion,
    answer_from_sets,
    ask_together,
    denied_by_default,
    read_with_evidence,
    scope_of_query,
    with_forbidden_deeds,
)
from rules_asp.queries.claims import AskQuestion
from rules_asp.queries.los import LosDefeat, defeats_of, defeats_record
from rules_asp.queries.query_facts import resolve_and_check
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.too_wide import limit_if_open
from rules_asp.queries.whynot import missing_conditions

#: Maximum number of solutions that are proved.
MOST_WAYS = 3
#: Maximum number of norms whose missing conditions are listed.
_MAX_MAKERS = 5


@dataclass(frozen=True)
class Why(Answer):
    """An answer with its proofs.

    `beaten` are defeated norms that would block a queried LOS. `left_out` counts the solutions
    without a proof here. If nothing makes a query true, `missing_conditions` are those of the norms
    that could.
    """

    asked: Asked
    proofs: tuple[ProofStep, ...]
    beaten: tuple[LosDefeat, ...] = ()
    left_out: int = 0
    lacking: tuple[MissingCondition, ...] = ()

    @property
    def _answer(self) -> Asked:
        """The answer itself, with its question and position."""
        return replace(self.asked, question=self.question, on=self.on)

    def items(self) -> tuple[layout.Item, ...]:
        """The items of the answer itself."""
        return self.asked.items()

    @property
    def proof(self) -> Proof:
        """Return its proofs as one."""
        on = Provenance(self.asked.cites, self.asked.beaten)
        return Proof(self.proofs, on, self.lacking)

    def proof_record(self) -> Record:
        """Return nothing: its record has the proof."""
        return {}

    def proof_blocks(self, view: layout.View) -> Iterator[layout.Block]:
        """Yield nothing: its report has the proof."""
        return iter(())

    possible = Asked.possible

    def agrees(self, wanted: str) -> bool | None:
        """Compare with the answer itself."""
        return self.asked.agrees(wanted)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the answer with its proofs as trees, norms with their summaries."""
        # The summaries are printed with the missing conditions.
        asked = replace(self._answer, could=() if self.lacking else self.asked.could)
        here, query = self.position, asked.query
        if query.variables or asked.holds is None:
            plain = replace(asked, cites=NO_CITATIONS, beaten=())
            head = plain.report(view).blocks
        else:
            head = layout.blocks(asked.word_blocks(), asked.could_line(), asked.not_allowed_table())
        return self.reported(
            (*asked.cites.norms, *asked.forbidding),
            head,
            self._lacking(view),
            proof_trees(here, self.proofs, view, self.asked.unknown, self.left_out),
            layout.citations(here, asked.cites),
            layout.issues(self.beside),
        )

    def _lacking(self, view: layout.View) -> Iterator[layout.Block]:
        """Yield the missing conditions of each norm that could make the query true."""
        norms = self.position.program.norms
        shown = self.lacking if view.full else self.lacking[:_MAX_MAKERS]
        yield from (layout.Line(each.words) for each in shown if each.norm is None)
        rows = []
        for each in shown:
            if each.norm is not None:
                at = f"  {rule_path(each.at)}" if view.source and each.at else ""
                more = layout.dim(f"  {norms[each.norm].sense}{at}")
                rows.append((layout.norm_span(each.norm), (each.words, more)))
        could = f"Rules that could make it {'false' if self.asked.holds else 'true'}"
        yield layout.Table(rows, f"{could}, and their first unmet condition")
        if more_ := len(self.lacking) - len(shown):
            yield layout.Line(layout.dim(f"  and {more_} more: --full"))

    def record(self) -> Record:
        """Return the answer with its proofs, as justifications and as steps, and its defeats."""
        here = self.position
        return {
            **replace(self._answer, beside=self.beside).record(),
            **justification_record(self.proofs, here.program.norms, here.notation),
            "lacking": [{"norm": e.norm, "lacks": e.condition, "at": e.at} for e in self.lacking],
            "beaten": defeats_record(self.beaten),
        }


@dataclass(frozen=True)
class WhyQuestion(QueryQuestion[Why]):
    """Explain an answer step by step.

    QUERY is a question as in `ask`, or a line as in `batch`, such as "los C1 G3". The proof goes
    from the answer down to the lines of the board. If the answer is no, the proof shows the rules
    that forbid or prevent a yes. The proof marks interpretations and assumed rules.

    Example: rules-asp why church "height(C3) = V"
    """

    kind = "why"
    query: str | Query = parameter(ParameterKind.SENTENCE)

    @property
    def asked(self) -> AskQuestion:
        """The question to explain."""
        return AskQuestion(self.query)

    def query_on(self, position: Position) -> Query:
        """The query, on a position."""
        return self.asked.query_on(position)

    def resolved(self, position: Position) -> WhyQuestion:
        """Return the question with the parsed query."""
        return WhyQuestion(self.query_on(position))

    def limit_note(self) -> LimitNote | None:
        """It may take long where something is left open."""
        assert not isinstance(self.query, str)
        return limit_if_open(self.kind, self.query)

    def find(self, position: Position, cite: bool) -> Why:
        """Return the answer with its proofs."""
        return why(position, self.query_on(position))

    def scope(self, position: Position, answer: Why) -> Scope:
        """Return the scope of the question."""
        return scope_of_query(position, self.query_on(position), answer.asked)


def explained(position: Position, question: Question[Any]) -> Question[Any]:
    """Return the question for `--why`: `why` for a query, the same with a proof for other kinds."""
    if isinstance(question, AskQuestion) and not question.resolved(position).is_plain:
        return question
    if isinstance(question, AskQuestion | RangeQuestion):
        return WhyQuestion(question.query_on(position))
    return question


def why(position: Position, query: Query) -> Why:
    """Answer a query and prove the answer, as far as a proof exists."""
    resolved = resolve_and_check(position, query)
    reading = read_with_evidence(position, resolved, MOST_WAYS)
    proofs = tuple(reading.steps(asides=True))
    denied = tuple(denied_by_default(position, resolved, reading.ways, proofs, MOST_WAYS))
    answer = answer_from_sets(position, resolved, reading.ways, proofs, denied)
    found = with_forbidden_deeds(position, query, answer)
    asked = [Query((each,)) for each in dict.fromkeys(denied)]
    if found.word is Verdict.NOT_SO and not proofs:
        asked.append(resolved)
    answers = reading.answers or (ask_together(position, (query,)).answers if asked else ())
    every = (each for one in asked for each in missing_conditions(position, one, answers))
    missing = tuple(dict.fromkeys(every))
    # There are too many lines for defeats of each.
    beaten = defeats_of(reading.answers, position.notation, {*map(_sight, _sights(resolved))})
    left_out = max(0, len(reading.ways.certain) - MOST_WAYS)
    return Why(found, proofs, beaten, left_out, missing)


def _sights(query: Query) -> Iterator[LosTerm]:
    """Yield the lines whose LOS the query asks about."""
    for literal in query.literals:
        if isinstance(literal, QueryComparison) or literal.name != "sees":
            continue
        for argument in literal.args:
            if isinstance(argument.value, LosTerm):
                yield argument.value


def _sight(sight: LosTerm) -> clingo.Symbol:
    return clingo.parse_term(Argument(sight, "sight").term)
