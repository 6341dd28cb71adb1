"""Checks of `expect` lines, and `expect` lines written from answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

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
from rules_asp.game.grid import Hex, hex_of_spot
from rules_asp.game.map_layout import MapNames, with_map_names
from rules_asp.game.query import ITS_VALUE, DeedQuery, Query
from rules_asp.game.values import QUOTED, quarters_text, quoted, word_text
from rules_asp.parser import BoardError, parse_roll
from rules_asp.positions.answer import NOTHING_OF_THE_KIND, Scope, Verdict, verdict_for
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import board_prefixes, resolve_form, resolve_location
from rules_asp.positions.position import Position
from rules_asp.queries.ask import (
    Asked,
    QueryBatch,
    ask,
    ask_together,
    ask_with_forbidden_deeds,
    scope_of_query,
)
from rules_asp.queries.check import check
from rules_asp.queries.fire import fire, shot, tem
from rules_asp.queries.legality import CanQuestion, can
from rules_asp.queries.los import los
from rules_asp.queries.movement import moves, why_unreached
from rules_asp.queries.rolls import roll, roll_result
from rules_asp.queries.scope import scope_of_argument, scope_of_line
from rules_asp.queries.steps import ReachedLocation


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
        passed, shown, word, cites = _judge(position, expect, batch)
    except QuestionError as error:
        return ExpectationResult(
            expect, place, False, f"{NOTHING_OF_THE_KIND}: {error}", None, error=True
        )
    missing = [each for each in expect.cites if each not in cites]
    if missing:
        shown += f", citing {', '.join(cites) or 'nothing'}"
    return ExpectationResult(expect, place, passed and not missing, shown, word, tuple(cites))


#: Whether the answer is the expected one, the actual answer, its verdict, and its cites.
_Judged = tuple[bool, str, Verdict, Sequence[str]]


def _judge(position: Position, expect: Expect, batch: QueryBatch | None) -> _Judged:
    match expect.question:
        case ExpectedLos() as question:
            return _check_los(position, expect, question)
        case Query() as question:
            return _check_query(position, expect, question, batch)
        case ExpectedViolation() as question:
            return _check_violation(position, question)
        case ExpectedConflict() as question:
            return _check_conflict(position, question)
        case DeedQuery() as question:
            return _check_deed(position, expect, question)
        case ExpectedRoll() as question:
            return _check_roll(position, expect, question)
        case ExpectedCost() as question:
            return _check_cost(position, expect, question)
        case question:
            return _check_shot(position, expect, question)


#: The words of an `expect` line for an LOS.
_LINES = {True: "clear", False: "blocked", None: "unknown"}


def _check_los(position: Position, expect: Expect, question: ExpectedLos) -> _Judged:
    a, b = (resolve_location(position, end) for end in (question.a, question.b))
    answer = los(position, a, b, close=False, cite=bool(expect.cites))
    said = _LINES[answer.clear]
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
    return passed, shown, answer.word, answer.cites


def _because(reasons: Iterable[Reason]) -> str:
    """Return the reasons for the word unknown."""
    told = "; ".join(map(str, reasons))
    return f": {told}" if told else ""


def _check_query(
    position: Position, expect: Expect, question: Query, batch: QueryBatch | None
) -> _Judged:
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
        shown = _verdict_text(answer.word, answer.forbidding, answer.unknown)
        if not passed:
            shown += _actual_value_text(answer)
    return passed, shown, answer.word, answer.cites


def _actual_value_text(answer: Asked) -> str:
    """Return the actual value of the topic, if it is not the expected one."""
    if answer.values and answer.word is not Verdict.UNKNOWN:
        return f" (it is {', '.join(answer.values)})"
    return "" if answer.word is not Verdict.NOT_SO else " (nothing makes it so)"


def _meets(expect: Expect, word: Verdict) -> bool:
    """Test whether the verdict is the expected one; `no` matches several."""
    if expect.answer == "no":
        return word in (Verdict.FORBIDDEN, Verdict.NOT_SO)
    return word == expect.answer


def _verdict_text(word: Verdict, norms: Iterable[str], reasons: Iterable[Reason] = ()) -> str:
    """Return the verdict, with the norms that forbid, or the reasons if unknown."""
    if word is Verdict.FORBIDDEN:
        return f"{word} by {', '.join(norms)}"
    return word + (_because(reasons) if word is Verdict.UNKNOWN else "")


def _check_shot(
    position: Position, expect: Expect, question: Shot | UnitShot | ExpectedDrm
) -> _Judged:
    cite = bool(expect.cites)
    asked = question.shot if isinstance(question, ExpectedDrm) else question
    of = shot(position, asked.firer, asked.target, asked.how, asked.doing)
    if isinstance(question, ExpectedDrm):
        answer = fire(position, of, cite=cite).drm
    else:
        answer = tem(position, of, cite=cite)
    said: str | int = answer.word if answer.value is None else answer.value
    shown = f"{said}{_because(answer.unknown)}"
    return said == expect.answer, shown, answer.word, answer.cites


def _check_cost(position: Position, expect: Expect, question: ExpectedCost) -> _Judged:
    found = moves(position, question.units, cite=bool(expect.cites))
    to = resolve_location(position, question.to)
    reached = found.to(to)
    if reached is None:
        short = why_unreached(position, found, to)
        reasons, norms = short.unknown, short.norms
        word = verdict_for(None if reasons else False, norms)
        passed = question.bound == "=" and _meets(expect, word)
        passed &= _is_by(position, expect.by, norms)
        return passed, _verdict_text(word, norms, reasons), word, ()
    bounds = {"=": reached.mf, ">=": reached.at_least, "<=": reached.at_most}
    if reached.mf is not None:
        passed = question.bound == "=" and reached.mf == expect.answer
    elif question.bound == "=":
        passed = expect.answer == "unknown"
    else:
        passed = bounds[question.bound] == expect.answer
    word = verdict_for(None if reached.mf is None else True)
    return passed, _costing(reached), word, reached.rests_on.cites


def _costing(reached: ReachedLocation) -> str:
    """Return the cost of a path as an `expect` line writes it."""
    if reached.mf is not None:
        return quarters_text(reached.mf)
    bounds = ((">=", reached.at_least), ("<=", reached.at_most))
    told = [f"{sign} {quarters_text(bound)}" for sign, bound in bounds if bound is not None]
    return " and ".join([Verdict.UNKNOWN, *told]) + _because(reached.unknown)


def _check_roll(position: Position, expect: Expect, question: ExpectedRoll) -> _Judged:
    roll_result(position, question.rolling, question.result)
    answer = roll(position, question.rolling, bool(expect.cites))
    found = next((each for each in answer.results if each.name == question.result), None)
    chance = found.chance if found else None
    # A result without any norm on this board does not occur.
    known = chance is not None or (found is None and question.result not in answer.open)
    if answer.dice is None or not known:
        word = Verdict.NOT_SO if answer.word is Verdict.NOT_SO else Verdict.UNKNOWN
        shown = _verdict_text(word, (), answer.unknown)
        return _meets(expect, word), shown, word, answer.cites
    part = (chance or Fraction(0)) * answer.throws
    said = {0: "no", answer.throws: "yes"}.get(int(part), f"{part}/{answer.throws}")
    word = verdict_for(part > 0)
    met = expect.answer in (said, f"{part}/{answer.throws}")
    return met, said, word, answer.cites


def _check_deed(position: Position, expect: Expect, question: DeedQuery) -> _Judged:
    answer = can(position, question, cite=bool(expect.cites))
    shown = _verdict_text(answer.word, answer.forbidding, answer.unknown)
    passed = _meets(expect, answer.word) and _is_by(position, expect.by, answer.forbidding)
    return passed, shown, answer.word, answer.cites


def _is_by(position: Position, by: str | None, norms: Collection[str]) -> bool:
    """Test whether a norm or rule number is among those that forbid, if one is expected."""
    return by is None or by in norms or by in position.program.paragraphs(norms)


def _check_violation(position: Position, question: ExpectedViolation) -> _Judged:
    found = [each.paragraph for each in check(position).violations]
    shown = f"violates {', '.join(dict.fromkeys(found))}" if found else "violates nothing"
    passed = question.paragraph in found
    return passed, shown, verdict_for(passed), ()


def _check_conflict(position: Position, question: ExpectedConflict) -> _Judged:
    found = check(position).conflicts
    wanted = {question.one, question.other}
    passed = any(wanted == {each.one_paragraph, each.other_paragraph} for each in found)
    shown = "; ".join(str(each) for each in found) if found else "no clash"
    return passed, shown, verdict_for(passed), ()


# --- Questions of `expect` lines, and lines written with their answers.


#: The name of the question in messages.
_SOURCE = "question"
#: The default answer of each kind of line, for a line without an answer.
_ENDINGS = {
    **{"los": " clear", "tem": " = unknown", "drm": " = unknown", "cost": " = unknown"},
    "can": ": yes",
}
_CHANCE = re.compile(r"yes|no|[0-9]+/[0-9]+")
_HEX = re.compile(r"\b[0-9a-z]*[A-Z]{1,2}[0-9]{1,3}\b")
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
    bare = Expect(question)
    match question:
        case ExpectedLos():
            return _los_line(position, bare, question)
        case Query():
            return _query_line(position, bare, question)
        case DeedQuery():
            found = can(position, question, cite=False)
            by = found.forbidding[0] if found.forbidding else None
            place = CanQuestion(question).scope(position, found)
            return AnswerLine(replace(bare, answer=str(found.word), by=by), place)
        case ExpectedCost():
            return _cost_line(position, bare, question)
        case ExpectedRoll():
            told = _tried(position, bare)
            answer = told if _CHANCE.fullmatch(told) else "unknown"
            answer = "no" if told.startswith(Verdict.NOT_SO) else answer
            place = scope_of_argument(position, resolve_form(position, question.rolling.roll))
            return AnswerLine(replace(bare, answer=answer), place)
        case ExpectedViolation() | ExpectedConflict():
            return _broken(position, bare)
    of = question.shot if isinstance(question, ExpectedDrm) else question
    fired = shot(position, of.firer, of.target, of.how, of.doing)
    drm = fire(position, fired, cite=False).drm if isinstance(question, ExpectedDrm) else None
    drm = drm or tem(position, fired, cite=False)
    value = str(Verdict.UNKNOWN) if drm.value is None else drm.value
    place = scope_of_line(fired.firer, fired.target) | _names(position, expect)
    return AnswerLine(replace(bare, answer=value), place)


def _tried(position: Position, expect: Expect) -> str:
    """Return the actual answer in the form of `expect` lines."""
    outcome = check_expectation(position, expect, NOWHERE)
    if outcome.error:
        raise QuestionError(outcome.answered.partition(": ")[2])
    return outcome.answered


def _names(position: Position, expect: Expect) -> Scope:
    """Return the hexes that a question names."""
    return Scope(frozenset(hexes_of(expect)) & position.bases.keys())


def _los_line(position: Position, bare: Expect, question: ExpectedLos) -> AnswerLine:
    one, other = (resolve_location(position, end) for end in (question.a, question.b))
    found = los(position, one, other, close=False, cite=False)
    said = _LINES[found.clear]
    hindrance = found.hindrance if found.clear and found.hindrance else None
    expect = replace(bare, answer=said, hindrance=hindrance)
    return AnswerLine(expect, scope_of_line(one, other) | _names(position, bare))


def _cost_line(position: Position, bare: Expect, question: ExpectedCost) -> AnswerLine:
    found = moves(position, question.units, cite=False)
    to = resolve_location(position, question.to)
    hexes = {hex_of_spot(found.start.spot), hex_of_spot(to.spot)}
    place = Scope(frozenset(hexes), frozenset(question.units))
    reached = found.to(to)
    question = replace(question, bound="=")
    if reached is None:
        short = why_unreached(position, found, to)
        if short.unknown:
            return AnswerLine(Expect(question, str(Verdict.UNKNOWN)), place)
        word = Verdict.FORBIDDEN if short.norms else Verdict.NOT_SO
        by = short.norms[0] if short.norms else None
        return AnswerLine(Expect(question, str(word), by=by), place)
    place |= Scope(frozenset(hex_of_spot(step.to.spot) for step in reached.path))
    mf = str(Verdict.UNKNOWN) if reached.mf is None else reached.mf
    return AnswerLine(Expect(question, mf), place)


def _broken(position: Position, bare: Expect) -> AnswerLine:
    outcome = check_expectation(position, bare, NOWHERE)
    if not outcome.passed:
        raise QuestionError(f"the board does not show this: it {outcome.answered}")
    found = check(position)
    texts = [f"{each.what} {each.where}" for each in found.violations]
    texts += [each.topic for each in found.conflicts]
    hexes = {
        each
        for text in texts
        for name in _HEX.findall(text)
        for each in _hexes(name, position.names)
    }
    return AnswerLine(bare, Scope(frozenset(hexes & position.bases.keys())))


def _hexes(name: str, names: MapNames) -> tuple[Hex, ...]:
    """Return the hex of a name; empty for a text that only looks like one."""
    try:
        return (names.find(name)[0],)
    except ValueError:
        return ()


def _query_line(position: Position, bare: Expect, question: Query) -> AnswerLine:
    found = ask_with_forbidden_deeds(position, question, False)
    place = scope_of_query(position, question, found) | _names(position, bare)
    for named in _named(position, question, found):
        return AnswerLine(named, place)
    says = {Verdict.YES: "yes", Verdict.UNKNOWN: "unknown"}.get(found.word, "no")
    return AnswerLine(replace(bare, answer=says), place)


def _named(position: Position, question: Query, found: Asked) -> Iterator[Expect]:
    """Yield the question with the values of its variables, if there is one solution that can be
    written."""
    if len(found.found) != 1 or not question.variables:
        return
    text = str(question)
    texts = [match.span() for match in _TEXTS.finditer(text)]
    for name, value in found.found[0].values:
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
