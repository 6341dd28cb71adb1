"""A board's `expect` lines, held against the answers: a board with expectations is a test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from rules_asp.answers.allowing import can
from rules_asp.answers.asking import Asked, QueryBatch, ask, ask_together
from rules_asp.answers.checking import check
from rules_asp.answers.cut_off import why_unreached
from rules_asp.answers.movement import moves
from rules_asp.answers.rolls import roll, roll_result
from rules_asp.answers.routes import ReachedLocation
from rules_asp.answers.shots import fire, shot, tem
from rules_asp.answers.sights import los
from rules_asp.answers.unknowns import Reason
from rules_asp.answers.words import NOTHING_OF_THE_KIND, Verdict, verdict_for
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import resolve_location
from rules_asp.terms.board import (
    ConflictQuestion,
    CostQuestion,
    DrmQuestion,
    Expect,
    LosQuestion,
    RollQuestion,
    Shot,
    SourcePosition,
    UnitShot,
    ViolationQuestion,
)
from rules_asp.terms.names import quarters_text
from rules_asp.terms.query import ITS_VALUE, DeedQuery, Query


@dataclass(frozen=True)
class ExpectationResult:
    """What became of one `expect` line: passed, or what was answered instead."""

    expect: Expect
    place: SourcePosition
    passed: bool
    answered: str
    #: What the answer comes to; None where the question is a mistake.
    word: Verdict | None
    #: The norms of paragraphs that the answer rests on.
    cites: tuple[str, ...] = ()
    #: Whether the line asks of what is not there, and so is not answered at all.
    error: bool = False


def expectations(position: Position) -> Iterator[ExpectationResult]:
    """Ask every `expect` line of the board, in order."""
    board = position.board
    said = [(board.place(i), each) for i, each in enumerate(board.statements)]
    asked = [(place, each) for place, each in said if isinstance(each, Expect)]
    batch = batch_of(position, [expect for _, expect in asked])
    for place, expect in asked:
        yield check_expectation(position, expect, place, batch)


def batch_of(position: Position, expects: Iterable[Expect]) -> QueryBatch:
    """The answers to all questions of some `expect` lines, asked at once."""
    asked = [(each.question, bool(each.cites)) for each in expects]
    queries = [(question, cite) for question, cite in asked if isinstance(question, Query)]
    return ask_together(
        position, [query for query, _ in queries], [query for query, cite in queries if cite]
    )


def check_expectation(
    position: Position, expect: Expect, place: SourcePosition, batch: QueryBatch | None = None
) -> ExpectationResult:
    """Ask one `expect` line; `batch` are answers to several of them."""
    question = expect.question
    try:
        if isinstance(question, LosQuestion):
            return _sight(position, expect, place, question)
        if isinstance(question, Query):
            return _query(position, expect, place, question, batch)
        if isinstance(question, ViolationQuestion):
            return _violation(position, expect, place, question)
        if isinstance(question, ConflictQuestion):
            return _clash(position, expect, place, question)
        if isinstance(question, DeedQuery):
            return _doing(position, expect, place, question)
        if isinstance(question, RollQuestion):
            return _chance(position, expect, place, question)
        if isinstance(question, CostQuestion):
            return _cost(position, expect, place, question)
        return _shot(position, expect, place, question)
    except QuestionError as error:
        return ExpectationResult(
            expect, place, False, f"{NOTHING_OF_THE_KIND}: {error}", None, error=True
        )


def _sight(
    position: Position, expect: Expect, place: SourcePosition, question: LosQuestion
) -> ExpectationResult:
    a, b = (resolve_location(position, end) for end in (question.a, question.b))
    answer = los(position, a, b, close=False, cite=bool(expect.cites))
    said = {True: "clear", False: "blocked", None: "unknown"}[answer.clear]
    shown = said + _because(answer.unknown)
    passed = said == expect.answer
    if expect.hindrance is not None:
        shown += f" hindrance {answer.hindrance}"
        passed &= answer.hindrance == expect.hindrance
    places = sorted({blocker.place for blocker in answer.blockers})
    if places and not (passed and expect.at is None):
        shown += f" at {', '.join(places)}"
    if expect.at is not None:
        passed &= str(expect.at) in places
    return _cited(expect, place, passed, shown, answer.word, answer.cites)


def _because(reasons: Iterable[Reason]) -> str:
    """Why something is unknown, after the word for it."""
    told = "; ".join(map(str, reasons))
    return f": {told}" if told else ""


def _query(
    position: Position,
    expect: Expect,
    place: SourcePosition,
    question: Query,
    batch: QueryBatch | None,
) -> ExpectationResult:
    answer = ask(position, question, bool(expect.cites), batch)
    passed = _meets(expect, answer.word)
    values = [dict(way.values).get(str(ITS_VALUE)) for way in answer.found]
    if any(values):
        shown = f"it is {', '.join(dict.fromkeys(filter(None, values)))}"
    elif answer.found and question.variables:
        ways = (
            ", ".join(f"{name} = {value}" for name, value in way.values) for way in answer.found
        )
        shown = f"{answer.word}: {'; '.join(ways)}"
    else:
        shown = _told(answer.word, answer.forbidding, answer.unknown)
        if not passed:
            shown += _so(answer)
    return _cited(expect, place, passed, shown, answer.word, answer.cites)


def _so(answer: Asked) -> str:
    """What is so of the topic of a question, where that is not what was expected."""
    if answer.values and answer.word is not Verdict.UNKNOWN:
        return f" (it is {', '.join(answer.values)})"
    return "" if answer.word is not Verdict.NOT_SO else " (nothing makes it so)"


def _meets(expect: Expect, word: Verdict) -> bool:
    """Whether the word is the expected one; `no` is more than one word."""
    if expect.answer == "no":
        return word in (Verdict.FORBIDDEN, Verdict.NOT_SO)
    return word == expect.answer


def _told(word: Verdict, norms: Iterable[str], reasons: Iterable[Reason] = ()) -> str:
    """The word for an answer, with the norms that forbid, or why it is not known."""
    if word is Verdict.FORBIDDEN:
        return f"{word} by {', '.join(norms)}"
    return word + (_because(reasons) if word is Verdict.UNKNOWN else "")


def _shot(
    position: Position,
    expect: Expect,
    place: SourcePosition,
    question: Shot | UnitShot | DrmQuestion,
) -> ExpectationResult:
    cite = bool(expect.cites)
    asked = question.shot if isinstance(question, DrmQuestion) else question
    of = shot(position, asked.firer, asked.target, asked.how, asked.doing)
    if isinstance(question, DrmQuestion):
        answer = fire(position, of, cite=cite).drm
    else:
        answer = tem(position, of, cite=cite)
    said: str | int = answer.word if answer.value is None else answer.value
    shown = f"{said}{_because(answer.unknown)}"
    return _cited(expect, place, said == expect.answer, shown, answer.word, answer.cites)


def _cost(
    position: Position, expect: Expect, place: SourcePosition, question: CostQuestion
) -> ExpectationResult:
    found = moves(position, question.units, cite=bool(expect.cites))
    to = resolve_location(position, question.to)
    reached = found.to(to)
    if reached is None:
        short = why_unreached(position, found, to)
        reasons, norms = short.unknown, short.norms
        word = verdict_for(None if reasons else False, norms)
        passed = question.bound == "=" and _meets(expect, word)
        passed &= _is_by(position, expect.by, norms)
        return _cited(expect, place, passed, _told(word, norms, reasons), word, ())
    bounds = {"=": reached.mf, ">=": reached.at_least, "<=": reached.at_most}
    if reached.mf is not None:
        passed = question.bound == "=" and reached.mf == expect.answer
    elif question.bound == "=":
        passed = expect.answer == "unknown"
    else:
        passed = bounds[question.bound] == expect.answer
    word = verdict_for(None if reached.mf is None else True)
    return _cited(expect, place, passed, _costing(reached), word, reached.rests_on.cites)


def _costing(reached: ReachedLocation) -> str:
    """What a way costs, as an `expect` line says it."""
    if reached.mf is not None:
        return quarters_text(reached.mf)
    bounds = ((">=", reached.at_least), ("<=", reached.at_most))
    told = [f"{sign} {quarters_text(bound)}" for sign, bound in bounds if bound is not None]
    return " and ".join([Verdict.UNKNOWN, *told]) + _because(reached.unknown)


def _chance(
    position: Position, expect: Expect, place: SourcePosition, question: RollQuestion
) -> ExpectationResult:
    roll_result(position, question.rolling, question.result)
    answer = roll(position, question.rolling, bool(expect.cites))
    found = next((each for each in answer.results if each.name == question.result), None)
    chance = found.chance if found else None
    # A result that no norm speaks of on this board does not come about.
    known = chance is not None or (found is None and question.result not in answer.open)
    if answer.dice is None or not known:
        word = Verdict.NOT_SO if answer.word is Verdict.NOT_SO else Verdict.UNKNOWN
        shown = _told(word, (), answer.unknown)
        return _cited(expect, place, _meets(expect, word), shown, word, answer.cites)
    part = (chance or Fraction(0)) * answer.throws
    said = {0: "no", answer.throws: "yes"}.get(int(part), f"{part}/{answer.throws}")
    word = verdict_for(part > 0)
    met = expect.answer in (said, f"{part}/{answer.throws}")
    return _cited(expect, place, met, said, word, answer.cites)


def _doing(
    position: Position, expect: Expect, place: SourcePosition, question: DeedQuery
) -> ExpectationResult:
    answer = can(position, question, cite=bool(expect.cites))
    shown = _told(answer.word, answer.forbidding, answer.unknown)
    passed = _meets(expect, answer.word) and _is_by(position, expect.by, answer.forbidding)
    return _cited(expect, place, passed, shown, answer.word, answer.cites)


def _is_by(position: Position, by: str | None, norms: Collection[str]) -> bool:
    """Whether a norm or paragraph is among those that forbid, if one is expected."""
    return by is None or by in norms or by in position.program.paragraphs(norms)


def _violation(
    position: Position, expect: Expect, place: SourcePosition, question: ViolationQuestion
) -> ExpectationResult:
    found = [each.paragraph for each in check(position).violations]
    shown = f"violates {', '.join(dict.fromkeys(found))}" if found else "violates nothing"
    passed = question.paragraph in found
    return ExpectationResult(expect, place, passed, shown, verdict_for(passed))


def _clash(
    position: Position, expect: Expect, place: SourcePosition, question: ConflictQuestion
) -> ExpectationResult:
    found = check(position).conflicts
    wanted = {question.one, question.other}
    passed = any(wanted == {each.one_paragraph, each.other_paragraph} for each in found)
    shown = "; ".join(str(each) for each in found) if found else "no clash"
    return ExpectationResult(expect, place, passed, shown, verdict_for(passed))


def _cited(
    expect: Expect,
    place: SourcePosition,
    passed: bool,
    shown: str,
    word: Verdict,
    cites: Iterable[str],
) -> ExpectationResult:
    cites = tuple(cites)
    missing = [each for each in expect.cites if each not in cites]
    if missing:
        shown += f", citing {', '.join(cites) or 'nothing'}"
    return ExpectationResult(expect, place, passed and not missing, shown, word, cites)
