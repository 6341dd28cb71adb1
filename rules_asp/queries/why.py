"""`why`: the queries behind each kind of answer, and their proofs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain import layout
from rules_asp.explain.justification import (
    JustificationNode,
    Relation,
    abridge,
    justification,
    justification_record,
)
from rules_asp.explain.proof import MissingCondition, ProofStep
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import open_points
from rules_asp.game.board import Shot
from rules_asp.game.house_rules import is_house_rule
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
from rules_asp.knowledge.catalogue import NO_CITATIONS
from rules_asp.parser import parse_query
from rules_asp.positions.answer import Scope, Verdict
from rules_asp.positions.position import Position
from rules_asp.queries.ask import (
    Asked,
    AskQuestion,
    QueryQuestion,
    answer_from_sets,
    ask_together,
    read_with_evidence,
    scope_of_query,
    with_forbidden_deeds,
)
from rules_asp.queries.fire import Drm, Fire, fire_term
from rules_asp.queries.fire_table import FireTable
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los, LosDefeat, defeats_of, defeats_record
from rules_asp.queries.movement import Moves
from rules_asp.queries.query_facts import resolve_and_check
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, parameter
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.rout import Rout
from rules_asp.queries.steps import MoveStep
from rules_asp.queries.too_wide import limit_if_open
from rules_asp.queries.whynot import missing_conditions

#: So many ways in which a question holds are proved.
MOST_WAYS = 3
#: What is left out below a point.
_CUT = " ..."
#: Of so many norms that could make something so it is told what they lack.
_MAX_MAKERS = 5


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

    @property
    def _answer(self) -> Asked:
        """The answer itself, with its question and position."""
        return replace(self.asked, question=self.question, on=self.on)

    def items(self) -> tuple[layout.Item, ...]:
        """Those of the answer itself."""
        return self.asked.items()

    possible = Asked.possible

    def agrees(self, wanted: str) -> bool | None:
        """As the answer itself."""
        return self.asked.agrees(wanted)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """The answer with its proofs as trees, norms with their senses."""
        # Their senses come with what each of them lacks.
        asked = replace(self._answer, could=() if self.lacking else self.asked.could)
        here, query = self.position, asked.query
        if query.variables or asked.holds is None:
            plain = replace(asked, cites=NO_CITATIONS, beaten=())
            proved = len(query.literals) == 1 and bool(self.proofs)
            head = plain.report(replace(view, proved=proved)).blocks
        else:
            head = layout.blocks(asked.word_blocks(), asked.not_allowed_table())
        return self.reported(
            (*asked.cites.norms, *asked.forbidding),
            head,
            self._lacking(view),
            proof_trees(here, [self], view),
            layout.citations(here, asked.cites),
            layout.issues(self.beside),
        )

    def _lacking(self, view: layout.View) -> Iterator[layout.Block]:
        """Of each norm that could make it so, what it lacks here."""
        norms = self.position.program.norms
        shown = self.lacking if view.full else self.lacking[:_MAX_MAKERS]
        yield from (layout.Line(each.condition) for each in shown if each.norm is None)
        rows = []
        for each in shown:
            if each.norm is not None:
                at = f"  {_path(each.at)}" if view.source and each.at else ""
                more = layout.dim(f"  {norms[each.norm].sense}{at}")
                rows.append((layout.norm_span(each.norm), (each.condition, more)))
        yield layout.Table(rows, "Rules that could, and their first unmet condition")
        if more_ := len(self.lacking) - len(shown):
            yield layout.Line(layout.dim(f"  and {more_} more: --full"))

    def record(self) -> Record:
        """The answer with its proofs, told as points and step by step, and what was beaten."""
        here = self.position
        return {
            **replace(self._answer, beside=self.beside).record(),
            **justification_record(self.proofs, here.program.norms, here.notation),
            "lacking": [{"norm": e.norm, "lacks": e.condition, "at": e.at} for e in self.lacking],
            "beaten": defeats_record(self.beaten),
        }


def proofs_record(position: Position, answers: Iterable[Why]) -> Record:
    """The proofs of some answers, for the record of an answer of another kind."""
    steps = [step for answer in answers for step in answer.proofs]
    return justification_record(steps, position.program.norms, position.notation)


def proof_blocks(
    position: Position, answers: Sequence[Why], view: layout.View
) -> Iterator[layout.Block]:
    """The same for people, below that answer."""
    if any(answer.proofs for answer in answers):
        yield layout.Line("Why")
        yield from proof_trees(position, answers, view)


def proof_trees(
    position: Position, answers: Sequence[Why], view: layout.View
) -> Iterator[layout.Block]:
    """The proofs of some answers as trees, in about a dozen lines."""
    norms = position.program.norms
    steps = [step for answer in answers for step in answer.proofs]
    points = justification(steps, norms, position.notation)
    cited = dict.fromkeys(one.norm for each in points for one in each.walk() if one.norm)
    if not view.full:
        points = abridge(points)
    senses: set[str] = set()
    yield from (_tree(point, view, senses) for point in points)
    if left_out := sum(answer.left_out for answer in answers):
        yield layout.Line(layout.dim(f"and {left_out} more ways like this"))
    if any(one.cut for each in points for one in each.walk()):
        yield layout.Line(layout.dim(f"{_CUT.strip()} has more: --full"))
    # Where the answer is unknown they are shown with the reasons.
    shown_before = open_points(why for answer in answers for why in answer.asked.unknown)
    listed = (norms[each] for each in cited if each in norms)
    yield layout.left_open(each for each in listed if each not in shown_before)


def _tree(point: JustificationNode, view: layout.View, senses: set[str]) -> layout.Tree:
    """A point with all below it; the sense of a norm or fact is given where it comes first."""
    said: list[str | layout.Span] = ["less: " if point.tie is Relation.OUTBID else "", point.claim]
    if point.norm and point.tie is not Relation.BEATEN:
        said += ["  ", layout.norm_span(point.norm)]
    dim = ""
    if point.sense and point.sense not in senses and point.sense != point.claim:
        senses.add(point.sense)
        dim += f"  {point.sense}"
    dim += "  see above" if point.again else ""
    dim += _CUT if point.cut else ""
    if view.source and point.at is not None:
        dim += f"  {_path(point.at)}"
    below = tuple(_tree(each, view, senses) for each in point.because)
    return layout.Tree((*said, layout.dim(dim)), below)


def _path(at: str) -> str:
    """Where a rule stands, as one finds it: below `kb/`, or where one's own rules are."""
    return at if is_house_rule(at) else f"kb/{at}"


@dataclass(frozen=True)
class WhyQuestion(QueryQuestion[Why]):
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
    resolved = resolve_and_check(position, query)
    reading = read_with_evidence(position, resolved, MOST_WAYS)
    proofs = tuple(reading.steps(asides=True))
    answer = answer_from_sets(position, resolved, reading.ways, proofs)
    found = with_forbidden_deeds(position, query, answer)
    missing: tuple[MissingCondition, ...] = ()
    if found.word is Verdict.NOT_SO and not proofs:
        answers = reading.answers or ask_together(position, (query,)).answers
        missing = missing_conditions(position, resolved, answers)
    # Lines are too many for these to be told of each.
    beaten = defeats_of(reading.answers, position.notation, {*map(_sight, _sights(resolved))})
    left_out = max(0, len(reading.ways.certain) - MOST_WAYS)
    return Why(found, proofs, beaten, left_out, missing)


def _sights(query: Query) -> Iterator[LosTerm]:
    """The lines of which it is asked whether they are clear."""
    for literal in query.literals:
        if isinstance(literal, QueryComparison) or literal.name != "sees":
            continue
        for argument in literal.args:
            if isinstance(argument.value, LosTerm):
                yield argument.value


def _sight(sight: LosTerm) -> clingo.Symbol:
    return clingo.parse_term(Argument(sight, "sight").term)


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
