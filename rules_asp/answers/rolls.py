"""Dice: what each result of a roll needs, with every modifier and its norm, and how likely it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import clingo

from rules_asp.answers.patterns import asked_forms
from rules_asp.answers.proof import Beaten, Grounds, grounds
from rules_asp.answers.shots import Part, in_words
from rules_asp.answers.unknowns import Doubts, Reason
from rules_asp.answers.words import Word, word_of
from rules_asp.knowledge.cites import NO_CITES, Cites
from rules_asp.knowledge.program import valued
from rules_asp.knowledge.running import Answer
from rules_asp.parser.spoken import sentence_of
from rules_asp.positions.belonging import OfPosition
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import settled_form
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import named
from rules_asp.terms.query import Argument

_WANTED = valued(("dice", 1), ("modifier", 2), ("outcome", 2))


@dataclass(frozen=True)
class Modifier:
    """What is added to a die, or to the sum; None when it is not known."""

    die: str
    value: int | None
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Result:
    """A result of a roll: it comes about when a die, read as original or final, lies in a band.

    `chance` is None when a modifier that it rests on is not known. Ends of the band that no dice reach
    are None.
    """

    name: str
    die: str
    reading: str
    low: int | None
    high: int | None
    norm: str
    chance: Fraction | None


@dataclass(frozen=True)
class Rolled(OfPosition):
    """All about a roll. `together` are the results that come about at once, with their chance.

    `dice` is None where no norm says which are rolled: it is unknown, or there is no such roll here.
    """

    roll: str
    sentence: str
    dice: str | None
    modifiers: tuple[Modifier, ...]
    results: tuple[Result, ...]
    together: tuple[tuple[tuple[str, ...], Fraction], ...]
    unknown: tuple[Reason, ...]
    cites: Cites
    beaten: tuple[Beaten, ...] = ()

    @property
    def word(self) -> Word:
        """What the answer comes to: not so where nothing here calls for the roll."""
        return word_of(None if self.unknown else self.dice is not None)


def roll(position: Position, asked: Argument, cite: bool = True) -> Rolled:
    """All about a roll such as `bog_check("T", U4)`. QuestionError for what is not on the board."""
    asked = settled_form(position, asked)
    question = position.completed(Question(tuple(asked_forms(asked))))
    answers = position.ask(_WANTED, question)
    term = clingo.parse_term(asked.term)
    answer = answers[0]
    values = [each.values for each in answers]
    dice = values[0].get(clingo.Function("dice", [term]))
    unknown = tuple(
        dict.fromkeys(
            why
            for each in answers
            for why in Doubts(position, each).matching(lambda topic: _is_about(topic, term))
        )
    )
    sentence = sentence_of(asked) or str(asked)
    if dice is None:
        return Rolled(named(term), sentence, None, (), (), (), unknown, NO_CITES)
    modifiers = tuple(
        Modifier(
            die,
            _certain([found.get(topic) for found in values], _is_unknown(answer, topic)),
            tuple(_parts(answer, topic)),
        )
        for die in vocabulary().words["die"]
        for topic in [clingo.Function("modifier", [term, clingo.Function(die)])]
    )
    added = {each.die: each.value for each in modifiers}
    throws = list(_throws(str(dice)))
    results = tuple(_results(answer, term, added, throws))
    open_result = any(
        topic.name == "outcome" and _is_about(topic, term)
        for each in answers
        for topic, _ in each.get("unknown", 2)
    )
    goals = [f"is({topic},{value})" for topic, value in values[0].items()]
    goals += [f"total({topic},{value})" for topic, value in values[0].items()]
    goals += [f"unknown({topic},{why})" for topic, why in answer.get("unknown", 2)]
    found = grounds(position, goals, answers) if cite else Grounds()
    return Rolled(
        named(term),
        sentence,
        str(dice),
        tuple(each for each in modifiers if each.parts or each.value is None),
        results,
        () if open_result else _together(results, added, throws),
        unknown,
        found.cites,
        found.beaten,
    )


def _is_about(topic: clingo.Symbol, roll: clingo.Symbol) -> bool:
    """Whether a topic is one of this roll."""
    return bool(topic.arguments) and topic.arguments[0] == roll


def _is_unknown(answer: Answer, topic: clingo.Symbol) -> bool:
    """Whether something is not known about a topic."""
    return any(each == topic for each, _ in answer.get("unknown", 2))


def _certain(found: Sequence[clingo.Symbol | None], unknown: bool) -> int | None:
    """What is added in every case: nothing where no norm adds anything, None where it is not known."""
    values = {0 if each is None else each.number for each in found}
    return None if unknown or len(values) > 1 else values.pop()


def _parts(answer: Answer, topic: clingo.Symbol) -> Iterator[Part]:
    for other, norm, what, amount in sorted(answer.get("addend", 4)):
        if other == topic:
            yield Part(amount.number, norm.string, in_words(what))


Throw = Mapping[str, int]


def _throws(dice: str) -> Iterator[Throw]:
    """Every throw: a die is its number, the sum that of both dice."""
    if dice == "two_dice":
        for colored, white in product(range(1, 7), repeat=2):
            yield {"colored": colored, "white": white, "sum": colored + white}
    else:
        for number in range(1, 7):
            yield {"sum": number}


def _results(
    answer: Answer, term: clingo.Symbol, added: Mapping[str, int | None], throws: Sequence[Throw]
) -> Iterator[Result]:
    norms = {topic: norm.string for norm, topic, _ in answer.get("stands", 3)}
    for topic, band in sorted(answer.values.items(), key=str):
        if topic.name != "outcome" or topic.arguments[0] != term:
            continue
        die, reading, low, high = band.arguments
        reached = {throw[str(die)] + (added[str(die)] or 0) for throw in throws}
        plain = Result(
            str(topic.arguments[1]),
            str(die),
            str(reading),
            low.number if low.number > min(reached) - 20 else None,
            high.number if high.number < max(reached) + 20 else None,
            norms.get(topic, ""),
            None,
        )
        hits = [_comes_about(plain, throw, added) for throw in throws]
        chance = None if None in hits else Fraction(sum(map(bool, hits)), len(throws))
        yield replace(plain, chance=chance)


def _comes_about(result: Result, throw: Throw, added: Mapping[str, int | None]) -> bool | None:
    """Whether a throw has this result; None when that hangs on what is not known."""
    number = throw[result.die]
    if result.reading == "final":
        more = added[result.die]
        if more is None:
            return None
        number += more
    low, high = result.low, result.high
    return (low is None or low <= number) and (high is None or number <= high)


def _together(
    results: Sequence[Result], added: Mapping[str, int | None], throws: Sequence[Throw]
) -> tuple[tuple[tuple[str, ...], Fraction], ...]:
    """Which results come about at once, the likeliest first; none where one is not known."""
    counted: Counter[tuple[str, ...]] = Counter()
    for throw in throws:
        hits = [_comes_about(result, throw, added) for result in results]
        if None in hits:
            return ()
        counted[tuple(r.name for r, hit in zip(results, hits, strict=True) if hit)] += 1
    return tuple((names, Fraction(n, len(throws))) for names, n in counted.most_common())
