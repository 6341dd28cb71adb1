"""A question in the words of an `expect` line, and the line with the answer that a position gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rules_asp.answers import about
from rules_asp.answers.allowing import can
from rules_asp.answers.asking import Asked
from rules_asp.answers.checking import check
from rules_asp.answers.cut_off import why_unreached
from rules_asp.answers.movement import moves
from rules_asp.answers.prices import ask_with_forbidden_deeds
from rules_asp.answers.rolls import roll
from rules_asp.answers.shots import fire, shot, tem
from rules_asp.answers.sights import los
from rules_asp.answers.words import Verdict
from rules_asp.cases.outcomes import check_expectation
from rules_asp.parser import BoardError, parse_roll
from rules_asp.positions.belonging import Scope
from rules_asp.positions.changing import Change, apply_changes
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import board_prefixes, resolve_location
from rules_asp.positions.sound import hexes_of
from rules_asp.terms.arguments import QUOTED, quoted, word_text
from rules_asp.terms.board import (
    ConflictQuestion,
    CostQuestion,
    DrmQuestion,
    Expect,
    LosQuestion,
    RollQuestion,
    SourcePosition,
    ViolationQuestion,
)
from rules_asp.terms.grid import Hex, hex_of_spot
from rules_asp.terms.maps import parse_hex_name
from rules_asp.terms.query import DeedQuery, Query

#: What messages call the question.
_SOURCE = "question"
#: What stands at the end of an `expect` line that begins so, for one whose answer is not said.
_ENDINGS = {
    **{"los": " clear", "tem": " = unknown", "drm": " = unknown", "cost": " = unknown"},
    "can": ": yes",
}
_CHANCE = re.compile(r"yes|no|[0-9]+/[0-9]+")
_HEX = re.compile(r"\b[0-9a-z]*[A-Z]{1,2}[0-9]{1,3}\b")
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')
#: Where nothing is said of a place.
NOWHERE = SourcePosition("question", 1)


@dataclass(frozen=True)
class AnswerLine:
    """An `expect` line with the answer that a position gives, and what the answer is about."""

    expect: Expect
    about: Scope


def parse_expectation(position: Position, text: str) -> Expect:
    """The question of an `expect` line, of which the answer need not be said, as `los A1 - C3`.

    BoardError for a text that is none, or that names what is not there; QuestionError for a roll of which
    the result is not said.
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
    board = apply_changes(position.board, [Change(True, f"expect {said}", _SOURCE)])
    found = board.statements[-1]
    assert isinstance(found, Expect)
    return found


def _result_wanted(position: Position, said: str) -> None:
    """QuestionError for a roll of which no result is named; nothing for what is no roll."""
    try:
        rolling = parse_roll(said.removeprefix("roll ").strip(), board_prefixes(position))
    except BoardError:
        return
    found = roll(position, rolling, cite=False)
    names = [word_text(each.name, "result") for each in found.results]
    names += [word_text(each, "result") for each in found.open]
    there = ", ".join(dict.fromkeys(names)) or "none here"
    raise QuestionError(f"a case is of one result: {said}: RESULT; there are {there}")


def answer_line(position: Position, expect: Expect) -> AnswerLine:
    """A question with the answer that the position gives, whatever answer was said; without cites.

    QuestionError for what is not on the board, or cannot be expected.
    """
    question = expect.question
    bare = Expect(question)
    match question:
        case LosQuestion():
            return _sight(position, bare, question)
        case Query():
            return _query(position, bare, question)
        case DeedQuery():
            found = can(position, question, cite=False)
            by = found.forbidding[0] if found.forbidding else None
            place = about.scope_of_deed(position, question, found)
            return AnswerLine(replace(bare, answer=str(found.word), by=by), place)
        case CostQuestion():
            return _cost(position, bare, question)
        case RollQuestion():
            told = _tried(position, bare)
            answer = told if _CHANCE.fullmatch(told) else "unknown"
            answer = "no" if told.startswith(Verdict.NOT_SO) else answer
            place = about.scope_of_roll(position, question.rolling.roll)
            return AnswerLine(replace(bare, answer=answer), place)
        case ViolationQuestion() | ConflictQuestion():
            return _broken(position, bare)
    of = question.shot if isinstance(question, DrmQuestion) else question
    fired = shot(position, of.firer, of.target, of.how, of.doing)
    drm = fire(position, fired, cite=False).drm if isinstance(question, DrmQuestion) else None
    drm = drm or tem(position, fired, cite=False)
    value = str(Verdict.UNKNOWN) if drm.value is None else drm.value
    place = about.scope_of_line(fired.firer, fired.target) | _names(position, expect)
    return AnswerLine(replace(bare, answer=value), place)


def _tried(position: Position, expect: Expect) -> str:
    """What is answered, as `expect` lines tell it."""
    outcome = check_expectation(position, expect, NOWHERE)
    if outcome.error:
        raise QuestionError(outcome.answered.partition(": ")[2])
    return outcome.answered


def _names(position: Position, expect: Expect) -> Scope:
    """The hexes that a question names."""
    return Scope(frozenset(hexes_of(expect)) & position.bases.keys())


def _sight(position: Position, bare: Expect, question: LosQuestion) -> AnswerLine:
    one, other = (resolve_location(position, end) for end in (question.a, question.b))
    found = los(position, one, other, close=False, cite=False)
    said = {True: "clear", False: "blocked", None: "unknown"}[found.clear]
    hindrance = found.hindrance if found.clear and found.hindrance else None
    expect = replace(bare, answer=said, hindrance=hindrance)
    return AnswerLine(expect, about.scope_of_line(one, other) | _names(position, bare))


def _cost(position: Position, bare: Expect, question: CostQuestion) -> AnswerLine:
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
        raise QuestionError(f"this board {outcome.answered}: there is nothing to show")
    found = check(position)
    texts = [f"{each.what} {each.where}" for each in found.violations]
    texts += [each.topic for each in found.conflicts]
    hexes = {each for text in texts for name in _HEX.findall(text) for each in _hexes(name)}
    return AnswerLine(bare, Scope(frozenset(hexes & position.bases.keys())))


def _hexes(name: str) -> tuple[Hex, ...]:
    """The hex of a name; none for what only looks like one."""
    try:
        return (parse_hex_name(name),)
    except ValueError:
        return ()


def _query(position: Position, bare: Expect, question: Query) -> AnswerLine:
    found = ask_with_forbidden_deeds(position, question, False)
    place = about.scope_of_query(position, question, found) | _names(position, bare)
    for named in _named(position, question, found):
        return AnswerLine(named, place)
    says = {Verdict.YES: "yes", Verdict.UNKNOWN: "unknown"}.get(found.word, "no")
    return AnswerLine(replace(bare, answer=says), place)


def _named(position: Position, question: Query, found: Asked) -> Iterator[Expect]:
    """The question with what its variables stand for, where that is one thing and can be said so."""
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
