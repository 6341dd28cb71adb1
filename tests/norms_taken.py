"""The answers of the cases without one norm, for the law that deciding norms are cited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

from rules_asp.cases.expectations import batch_of
from rules_asp.game.board import Expect, ExpectedCost, ExpectedDrm, ExpectedLos, Shot
from rules_asp.game.grid import Location
from rules_asp.game.query import Argument, DeedQuery, FunctionTerm, Query, Variable
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Rule
from rules_asp.knowledge.solver import AnswerSet, EngineError, solve, static_answer_sets
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.measurer import los_relevance_of
from rules_asp.positions.name_resolution import resolve_location
from rules_asp.positions.position import Position
from rules_asp.queries.ask import ask
from rules_asp.queries.fire import fire, shot, tem
from rules_asp.queries.legality import can
from rules_asp.queries.los import los
from rules_asp.queries.movement import moves
from tests.positions import program

#: The questions that `answers` puts.
KINDS = (Query, ExpectedLos, DeedQuery, ExpectedCost, Shot, ExpectedDrm)
#: That a question makes no sense on the board, as where a Location that it names is gone.
NO_QUESTION = "no question"


@dataclass(frozen=True)
class Told:
    """The answer to an expectation's question, and the paragraphs that it cites."""

    answer: object
    cites: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """A case with its answers, and the norms that had something to say, each with the answers it was
    for.
    """

    position: Position
    expects: Sequence[Expect]
    told: Sequence[Told]
    spoke: Mapping[str, frozenset[int]]


def asked(path: Path) -> Case:
    """A case, asked."""
    here = load(path, program())
    statements = here.board.statements
    expects = [e for e in statements if isinstance(e, Expect) and isinstance(e.question, KINDS)]
    rules = (rule.text for rule in program().static_rules)
    # What norms say of the structure is not kept with a position.
    board = _voices(solve(program().defined, *rules, program().shared_facts, here.facts, limit=1))
    board |= _voices(here.cases)
    told: list[Told] = []
    spoke: dict[str, set[int]] = {}
    for place, expect in enumerate(expects):
        heard: list[AnswerSet] = []
        told += answers(replace(here, hear=heard.extend), [expect], True)
        voices = board | _voices(heard)
        ruled = (norm for norm in program().norms if _decides_between(norm, voices))
        for norm in voices.union(ruled):
            if said(norm):
                spoke.setdefault(norm, set()).add(place)
    return Case(here, expects, told, {norm: frozenset(spoke[norm]) for norm in sorted(spoke)})


def _voices(heard: Iterable[AnswerSet]) -> set[str]:
    """The norms that say something in answers."""
    return {
        atom.arguments[0].string
        for answer in heard
        for name, arity in (each.signature for each in calculus().heads.values())
        if name not in ("could_be", "overrides", "amends")
        for atom in answer.own_atoms(name, arity)
    }


def _settled(here: Position, asked: Shot) -> Shot:
    """A shot, of which the ends may be units."""
    return shot(here, asked.firer, asked.target, asked.how, asked.doing)


def _move(unit: str, to: Location) -> DeedQuery:
    """A move of which no more is said than its end."""
    open_ = [Argument(Variable("_"), kind) for kind in ("location", "way")]
    by, who, where = Argument("move", "by"), Argument(unit, "unit"), Argument(to, "location")
    return DeedQuery(Argument(FunctionTerm("step", (by, who, open_[0], where, open_[1])), "deed"))


def answers(here: Position, expects: Sequence[Expect], cite: bool) -> list[Told]:
    """The answers to the questions of some expectations, with or without what they cite."""
    plain = [replace(each, cites=("any",) if cite else ()) for each in expects]
    batch = batch_of(here, plain)

    def told(question: object) -> Told:
        match question:
            case Query():
                found = ask(here, question, cite, batch)
                return Told((found.holds, frozenset(map(str, found.found))), found.cites)
            case ExpectedLos():
                a, b = (resolve_location(here, end) for end in (question.a, question.b))
                sight = los(here, a, b, close=False, cite=cite)
                return Told((sight.clear, sight.hindrance), sight.cites)
            case DeedQuery():
                verdict = can(here, question, cite)
                return Told(verdict.legal, verdict.cites)
            case Shot():
                drm = tem(here, _settled(here, question), cite)
                return Told(drm.value, drm.cites)
            case ExpectedDrm():
                fired = fire(here, _settled(here, question.shot), cite)
                return Told((fired.legal, fired.drm.value), fired.cites)
            case ExpectedCost():
                reach = moves(here, question.units, cite=cite).reach
                to = resolve_location(here, question.to)
                there = next((each for each in reach if each.to == to), None)
                if there is not None:
                    return Told(there.mf, there.rests_on.cites)
                # Where no way leads it is asked of one unit whether any does.
                never = can(here, _move(question.units[0], to), cite)
                return Told(("not reached", never.legal), never.cites)
        raise AssertionError(question)

    def asked_of(question: object) -> Told:
        try:
            return told(question)
        except QuestionError:
            return Told(NO_QUESTION)

    return [asked_of(each.question) for each in plain]


@cache
def said(norm: str) -> tuple[Rule, ...]:
    """The rules by which a norm speaks."""
    named = f'"{norm}"'
    rules = program().source.rules
    return tuple(
        rule
        for rule in rules
        if rule.norm == norm and rule.head and named in rule.text.split(":-", 1)[0]
    )


def _decides_between(norm: str, voices: set[str]) -> bool:
    """Whether a ruling, or a precedence, is between norms that had their say."""
    ranks = (rule for rule in said(norm) if rule.heads[0].name in ("ruling", "overrides"))
    return any(sum(f'"{each}"' in rule.text for each in voices) > 1 for rule in ranks)


def without(norms: Iterable[str]) -> Program:
    """The knowledge base without what norms say; what they define for others stays."""
    gone = {(rule.file, rule.line) for norm in norms for rule in said(norm)}

    def kept(rules: Iterable[Rule]) -> tuple[Rule, ...]:
        return tuple(rule for rule in rules if (rule.file, rule.line) not in gone)

    full = program()
    parts = map(kept, (full.rules, full.static_rules, full.question_rules))
    return Program(full.source, *parts, full.occasions, full.proof_choice)


def takings(case: Case) -> list[tuple[str, ...]]:
    """The norms to be taken away: each alone that some answer cites, some of the others together."""
    cited = {paragraph for each in case.told for paragraph in each.cites}
    named = program().norms
    alone = [(norm,) for norm in case.spoke if named[norm].paragraph in cited]
    others = (norm for norm in case.spoke if named[norm].paragraph not in cited)
    together = list(iter(lambda: tuple(islice(others, _TOGETHER)), ()))
    return [*alone, *together]


#: So many norms that no answer of a case cites are taken away at once: what one of them hides of another
#: is not seen, and a change is looked at norm by norm.
_TOGETHER = 8


def uncited_changes(case: Case, norms: Sequence[str]) -> Iterator[str]:
    """The answers that are others without one of some norms, which they do not cite.

    Left out is what has no proof that could hold it: where the question makes no sense any more, where
    nothing at all was so, where a list is longer without it, sights for which something else was measured,
    and Locations that are no such places any more.
    """
    changed = _changed(case, norms)
    if changed == []:
        return
    if len(norms) > 1:
        # What else comes of taking them all, each by itself may hide.
        yield from (line for norm in norms for line in uncited_changes(case, [norm]))
        return
    for expect, was, now in changed or ():
        if now != NO_QUESTION:
            yield f"{norms[0]}: {expect.question}: {was}, without it {now}"


def _changed(case: Case, norms: Sequence[str]) -> list[tuple[Expect, object, object]] | None:
    """What is answered otherwise without these norms, of what cites none of them.

    None where that cannot be asked.
    """
    paragraphs = {program().norms[norm].paragraph for norm in norms}
    # Where they said nothing their rules have not fired, and without them all is as it was.
    places = sorted(frozenset().union(*(case.spoke[norm] for norm in norms)))
    pairs = [(case.expects[place], case.told[place]) for place in places]
    left = [pair for pair in pairs if pair[1].cites and not paragraphs & {*pair[1].cites}]
    if not left:
        return []
    lesser = without(norms)
    given = case.position.board_facts
    try:
        cases = static_answer_sets(
            lesser.static, given.symbols, case.position.keys, case.position.left_open
        )
    except EngineError:
        return None
    if not cases or los_relevance_of(cases) != case.position.measurer.concerns:
        return None
    here = replace(case.position, program=lesser, cases=cases, _indexes={})
    told = answers(here, [expect for expect, _ in left], False)
    return [
        (expect, was.answer, now.answer)
        for (expect, was), now in zip(left, told, strict=True)
        if now.answer != was.answer
        and not _is_longer(was.answer, now.answer)
        and not _loses_a_level(case.position, here, expect.question)
    ]


def _is_longer(before: object, after: object) -> bool:
    """Whether all that was found is found still: what more is found denies nothing of it."""
    match before, after:
        case (True, frozenset() as was), (True, frozenset() as now):
            return was < now
    return False


def _loses_a_level(before: Position, after: Position, question: object) -> bool:
    """Whether a Location that a question names has no level any more, so that no line runs to it."""
    if isinstance(question, Location):
        return (
            before.index.elevation(question) is not None and after.index.elevation(question) is None
        )
    if isinstance(question, tuple):
        return any(_loses_a_level(before, after, each) for each in question)
    if not is_dataclass(question):
        return False
    parts = (getattr(question, each.name) for each in fields(question))
    return any(_loses_a_level(before, after, each) for each in parts)
