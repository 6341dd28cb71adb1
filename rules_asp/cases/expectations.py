"""Checks of `expect` lines, and `expect` lines written from answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from rules_asp.boards.changes import Change, apply_changes
from rules_asp.boards.statement_ops import hexes_of
from rules_asp.explain.unknown import Reason
from rules_asp.game.board import (
    Expect,
    ExpectedConflict,
    ExpectedCost,
    ExpectedDrm,
    ExpectedLos,
    ExpectedRoll,
    ExpectedViolation,
    Shot,
    SourcePosition,
    UnitShot,
)
from rules_asp.game.grid import hex_of_spot
from rules_asp.game.map_layout import with_map_names
from rules_asp.game.query import ITS_VALUE, DeedQuery, Query
from rules_asp.game.values import QUOTED, quarters_text, quoted, word_text
from rules_asp.parser import BoardError, parse_roll
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import board_prefixes, resolve_location
from rules_asp.positions.position import Position
from rules_asp.positions.scope import (
    NOTHING_OF_THE_KIND,
    Scope,
    Verdict,
    hexes_in,
    scope_of_line,
    verdict_for,
)
from rules_asp.queries.ask import (
    Asked,
    Binding,
    QueryBatch,
    ask,
    ask_together,
    scope_of_query,
)
from rules_asp.queries.check import check
from rules_asp.queries.fire import Drm, fire, shot, tem
from rules_asp.queries.legality import CanQuestion, can
from rules_asp.queries.los import Los, los
from rules_asp.queries.movement import moves, why_unreached
from rules_asp.queries.paths import ReachedLocation
from rules_asp.queries.question import NO_VERDICTS
from rules_asp.queries.rolls import RollQuestion, roll, roll_result


@dataclass(frozen=True)
class ExpectationResult:
    """The result of one `expect` line: passed, or the actual answer."""

    expect: Expect
    place: SourcePosition
    passed: bool
    answered: str
    #: The verdict; None if the question is an error.
    word: Verdict | None
    #: The norms that the answer cites.
    cites: tuple[str, ...] = ()
    #: True if the line names something that does not exist, and so is not answered.
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
    """Return the answers to all questions of some `expect` lines, asked together."""
    asked = [(each.question, bool(each.cites)) for each in expects]
    queries = [(question, cite) for question, cite in asked if isinstance(question, Query)]
    return ask_together(
        position, [query for query, _ in queries], [query for query, cite in queries if cite]
    )


def check_expectation(
    position: Position, expect: Expect, place: SourcePosition, batch: QueryBatch | None = None
) -> ExpectationResult:
    """Check one `expect` line; `batch` has the answers to several of them."""
    expect = with_map_names(expect, position.names)
    try:
        found = _found(position, expect, batch)
    except QuestionError as error:
        return ExpectationResult(
            expect, place, False, f"{NOTHING_OF_THE_KIND}: {error}", None, error=True
        )
    passed = _agrees(position, expect, found)
    # Where the line names a place, all of them are shown.
    shown = found.shown + (found.details if expect.at is not None or not passed else "")
    missing = [each for each in expect.cites if each not in found.cites]
    if missing:
        shown += f", citing {', '.join(found.cites) or 'nothing'}"
    cites = tuple(found.cites)
    return ExpectationResult(expect, place, passed and not missing, shown, found.word, cites)


@dataclass(frozen=True)
class _Found:
    """The answer to the question of an `expect` line.

    `answers` are those that a line may expect; the first one is written. `norms` forbid an action.
    `shown` is the answer for people, with `details` if it is not the expected one. `places` block an
    LOS. `about` gives the scope.
    """

    answers: Sequence[str | int]
    shown: str
    word: Verdict
    cites: Sequence[str] = ()
    norms: Sequence[str] = ()
    details: str = ""
    hindrance: int = 0
    places: Sequence[str] = ()
    solutions: Sequence[Binding] = ()
    about: Callable[[], Scope] = Scope


def _agrees(position: Position, expect: Expect, found: _Found) -> bool:
    """Test whether the answer is the expected one."""
    by, at = expect.by, expect.at
    return (
        expect.answer in found.answers
        and expect.hindrance in (None, found.hindrance)
        and (at is None or str(at) in found.places)
        and (by is None or by in found.norms or by in position.program.paragraphs(found.norms))
    )


def _found(position: Position, expect: Expect, batch: QueryBatch | None = None) -> _Found:
    """Return the answer to the question of a line; QuestionError for names that are not on the board."""
    cite = bool(expect.cites)
    match expect.question:
        case ExpectedLos(one, other):
            a, b = (resolve_location(position, end) for end in (one, other))
            return _found_los(los(position, a, b, close=False, cite=cite), expect)
        case Query() as question:
            return _found_query(position, question, ask(position, question, cite, batch))
        case ExpectedViolation() | ExpectedConflict() as question:
            return _found_fault(position, question)
        case DeedQuery() as question:
            can_ = can(position, question, cite=cite)
            shown = _verdict_text(can_.word, can_.forbidding, can_.unknown)
            about = partial(CanQuestion(question).scope, position, can_)
            return _Found(
                _words(can_.word), shown, can_.word, can_.cites, can_.forbidding, about=about
            )
        case ExpectedRoll() as question:
            return _found_roll(position, question, cite)
        case ExpectedCost() as question:
            return _found_cost(position, question, cite)
        case ExpectedDrm(asked):
            of = shot(position, asked.firer, asked.target, asked.how, asked.doing)
            return _found_sum(fire(position, of, cite=cite).drm)
        case asked:
            of = shot(position, asked.firer, asked.target, asked.how, asked.doing)
            return _found_sum(tem(position, of, cite=cite))


def _words(word: Verdict) -> tuple[str, ...]:
    """Return the answers for a verdict; `no` stands for each kind of no."""
    return (word, "no") if word in NO_VERDICTS else (word,)


def _because(reasons: Iterable[Reason]) -> str:
    """Return the reasons for the word unknown."""
    told = "; ".join(map(str, reasons))
    return f": {told}" if told else ""


def _verdict_text(word: Verdict, norms: Iterable[str], reasons: Iterable[Reason] = ()) -> str:
    """Return the verdict, with the norms that forbid, or the reasons if unknown."""
    if word is Verdict.FORBIDDEN:
        return f"{word} by {', '.join(norms)}"
    return word + (_because(reasons) if word is Verdict.UNKNOWN else "")


def _found_los(answer: Los, expect: Expect) -> _Found:
    said = {True: "clear", False: "blocked", None: "unknown"}[answer.clear]
    shown = said + _because(answer.unknown)
    if expect.hindrance is not None:
        shown += f" hindrance {answer.hindrance}"
    places = sorted({blocker.place for blocker in answer.blockers})
    return _Found(
        (said,),
        shown,
        answer.word,
        answer.cites,
        details=f" at {', '.join(places)}" if places else "",
        hindrance=answer.hindrance,
        places=places,
        about=partial(scope_of_line, answer.a, answer.b),
    )


def _found_query(position: Position, question: Query, answer: Asked) -> _Found:
    word, details = answer.word, ""
    values = [dict(way.values).get(str(ITS_VALUE)) for way in answer.found]
    if any(values):
        shown = f"it is {', '.join(dict.fromkeys(filter(None, values)))}"
    elif answer.found and question.variables:
        ways = (
            ", ".join(f"{name} = {value}" for name, value in way.values) for way in answer.found
        )
        shown = f"{word}: {'; '.join(ways)}"
    else:
        shown = _verdict_text(word, answer.forbidding, answer.unknown)
        if answer.values and word is not Verdict.UNKNOWN:
            details = f" (it is {', '.join(answer.values)})"
        elif word is Verdict.NOT_SO:
            details = " (nothing makes it true)"
    about = partial(scope_of_query, position, question, answer)
    return _Found(
        _words(word)[::-1],
        shown,
        word,
        answer.cites,
        details=details,
        solutions=answer.found,
        about=about,
    )


def _found_sum(answer: Drm) -> _Found:
    said: str | int = answer.word if answer.value is None else answer.value
    about = partial(scope_of_line, answer.shot.firer, answer.shot.target)
    shown = f"{said}{_because(answer.unknown)}"
    return _Found((said,), shown, answer.word, answer.cites, about=about)


def _found_cost(position: Position, question: ExpectedCost, cite: bool) -> _Found:
    found = moves(position, question.units, cite=cite)
    to = resolve_location(position, question.to)
    reached = found.to(to)
    hexes = [found.start, to, *(step.to for step in (reached.path if reached is not None else ()))]
    scope = Scope(frozenset(hex_of_spot(each.spot) for each in hexes), frozenset(question.units))
    exact = question.bound == "="
    if reached is None:
        short = why_unreached(position, found, to)
        word = verdict_for(None if short.unknown else False, short.norms)
        shown = _verdict_text(word, short.norms, short.unknown)
        answers = _words(word) if exact else ()
        return _Found(answers, shown, word, norms=short.norms, about=lambda: scope)
    mf = reached.mf
    values = {"=": "unknown" if mf is None else mf, ">=": reached.at_least, "<=": reached.at_most}
    value = values[question.bound] if exact or mf is None else None
    word = verdict_for(None if mf is None else True)
    return _Found(
        () if value is None else (value,),
        _costing(reached),
        word,
        reached.rests_on.cites,
        about=lambda: scope,
    )


def _costing(reached: ReachedLocation) -> str:
    """Return the cost of a path as an `expect` line writes it."""
    if reached.mf is not None:
        return quarters_text(reached.mf)
    bounds = ((">=", reached.at_least), ("<=", reached.at_most))
    told = [f"{sign} {quarters_text(bound)}" for sign, bound in bounds if bound is not None]
    return " and ".join([Verdict.UNKNOWN, *told]) + _because(reached.unknown)


def _found_roll(position: Position, question: ExpectedRoll, cite: bool) -> _Found:
    roll_result(position, question.rolling, question.result)
    answer = roll(position, question.rolling, cite)
    about = partial(RollQuestion(question.rolling).scope, position, answer)
    found = next((each for each in answer.results if each.name == question.result), None)
    chance = found.chance if found else None
    # A result without any norm on this board does not occur.
    known = chance is not None or (found is None and question.result not in answer.open)
    if answer.dice is None or not known:
        word = Verdict.NOT_SO if answer.word is Verdict.NOT_SO else Verdict.UNKNOWN
        shown = _verdict_text(word, (), answer.unknown)
        return _Found(_words(word)[::-1], shown, word, answer.cites, about=about)
    part = (chance or Fraction(0)) * answer.throws
    of_all = f"{part}/{answer.throws}"
    said = {0: "no", answer.throws: "yes"}.get(int(part), of_all)
    return _Found((said, of_all), said, verdict_for(part > 0), answer.cites, about=about)


def _found_fault(position: Position, question: ExpectedViolation | ExpectedConflict) -> _Found:
    found = check(position)
    if isinstance(question, ExpectedViolation):
        paragraphs = [each.paragraph for each in found.violations]
        passed = question.paragraph in paragraphs
        nothing, shown = "violates nothing", f"violates {', '.join(dict.fromkeys(paragraphs))}"
    else:
        paragraphs = [str(each) for each in found.conflicts]
        wanted = {question.one, question.other}
        passed = any(wanted == {e.one_paragraph, e.other_paragraph} for e in found.conflicts)
        nothing, shown = "no clash", "; ".join(paragraphs)
    texts = [f"{each.what} {each.where}" for each in found.violations]
    texts += [each.topic for each in found.conflicts]
    answers = ("yes",) if passed else ()
    return _Found(
        answers,
        shown if paragraphs else nothing,
        verdict_for(passed),
        about=lambda: Scope(
            frozenset(hexes_in(" ".join(texts), position.names)) & position.index.bases.keys()
        ),
    )


# --- Questions of `expect` lines, and lines written with their answers.


#: The name of the question in messages.
_SOURCE = "question"
#: The default answer of each kind of line, for a line without an answer.
_ENDINGS = {
    **{"los": " clear", "tem": " = unknown", "drm": " = unknown", "cost": " = unknown"},
    "can": ": yes",
}
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')
#: The place of a line that is not in a file.
NOWHERE = SourcePosition("question", 1)


@dataclass(frozen=True)
class AnswerLine:
    """An `expect` line with the answer of a position, and its scope."""

    expect: Expect
    about: Scope


def parse_expectation(position: Position, text: str) -> Expect:
    """Parse a question of an `expect` line; its answer may be missing, as in `los A1 - C3`.

    BoardError for an invalid text, or unknown names; QuestionError for a roll without a result.
    """
    said = text.strip().removeprefix("expect ").strip()
    word = next(iter(said.split()), "")
    tries = [said, said + _ENDINGS[word]] if word in _ENDINGS else [said, f"holds {said}"]
    if word == "roll":
        tries = [said, f"{said} yes"]
    for each in tries[:-1]:
        try:
            return _expected(position, each)
        except BoardError:
            continue
    try:
        return _expected(position, tries[-1])
    except BoardError:
        if word == "roll":
            _result_wanted(position, said)
        raise


def _expected(position: Position, said: str) -> Expect:
    board = apply_changes(
        position.board, [Change(True, f"expect {said}", _SOURCE)], position.vocabulary
    )
    found = board.statements[-1]
    assert isinstance(found, Expect)
    return found


def _result_wanted(position: Position, said: str) -> None:
    """Raise QuestionError for a roll without a result; other texts pass."""
    try:
        text = said.removeprefix("roll ").strip()
        rolling = parse_roll(text, board_prefixes(position), position.notation)
    except BoardError:
        return
    found = roll(position, rolling, cite=False)
    names = [word_text(each.name, "result") for each in found.results]
    names += [word_text(each, "result") for each in found.open]
    there = ", ".join(dict.fromkeys(names)) or "none here"
    raise QuestionError(
        f"the result of the roll is missing: write {said}: RESULT, where RESULT is one of {there}"
    )


def answer_line(position: Position, expect: Expect) -> AnswerLine:
    """Return a question with the answer of the position, whatever answer it had, without cites.

    QuestionError for names that are not on the board, or a question that cannot be expected.
    """
    question = with_map_names(expect.question, position.names)
    if isinstance(question, ExpectedCost):
        question = replace(question, bound="=")
    found = _found(position, Expect(question))
    if not found.answers:
        raise QuestionError(f"the board does not show this: it {found.shown}")
    answer, about = found.answers[0], found.about()
    line = Expect(
        question,
        answer if isinstance(answer, int) else str(answer),
        hindrance=(found.hindrance or None) if answer == "clear" else None,
        by=found.norms[0] if found.word is Verdict.FORBIDDEN and found.norms else None,
    )
    if isinstance(question, Query):
        line = next(_named(position, question, found.solutions), line)
    if isinstance(question, ExpectedLos | Query | Shot | UnitShot | ExpectedDrm):
        about |= Scope(frozenset(hexes_of(expect)) & position.index.bases.keys())
    return AnswerLine(line, about)


def _named(position: Position, question: Query, solutions: Sequence[Binding]) -> Iterator[Expect]:
    """Yield the question with the values of its variables, if its one solution can be written."""
    if len(solutions) != 1 or not question.variables:
        return
    text = str(question)
    texts = [match.span() for match in _TEXTS.finditer(text)]
    for name, value in solutions[0].values:
        said = quoted(value) if question.variables[name] in QUOTED else value
        pieces, since = [], 0
        for match in re.finditer(rf"\b{re.escape(name)}\b", text):
            if not any(start <= match.start() < end for start, end in texts):
                pieces += [text[since : match.start()], said]
                since = match.end()
        text = "".join((*pieces, text[since:]))
        texts = [match.span() for match in _TEXTS.finditer(text)]
    for line in (text, f"holds {text}"):
        try:
            expect = _expected(position, line)
        except BoardError:
            continue
        if (
            isinstance(expect.question, Query)
            and check_expectation(position, expect, NOWHERE).passed
        ):
            yield expect
            return
