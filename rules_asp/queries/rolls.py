"""`roll`: modifiers with their norms, required results and probabilities of a die roll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import Defeat, Evidence, Provenance
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons, band_text, differing_assumptions
from rules_asp.game.query import FunctionTerm, RollQuery
from rules_asp.game.values import Notation
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser import parse_roll
from rules_asp.parser.writer import form_text
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import board_prefixes, resolve_form
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, verdict_for
from rules_asp.queries.fire import DrmPart, part_items, parts_record, shot_sentence, sum_text
from rules_asp.queries.query_facts import asked_forms, scope_of_argument
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.too_wide import limit_if_open

_WANTED = (
    *value_signatures(("dice", 1), ("modifier", 2), ("outcome", 2)),
    Signature("precludes", 3),
    Signature("added_to", 3),
)
#: The modifiers of the roll of a fire attack.
_OF_SHOTS = value_signatures(("drm", 1))


@dataclass(frozen=True)
class Modifier:
    """A modifier of a die, or of the sum; None if unknown."""

    die: str
    value: int | None
    parts: tuple[DrmPart, ...]


@dataclass(frozen=True)
class RollResult:
    """A result of a roll: it occurs if a die, original or final, is in a band.

    `chance` is None if one of its modifiers is unknown. An end of the band that no dice reach is
    None.
    """

    name: str
    die: str
    reading: str
    low: int | None
    high: int | None
    norm: str
    chance: Fraction | None


@dataclass(frozen=True)
class Rolled(Answer):
    """A roll. `together` are results that occur together, with their chance.

    `dice` is None if no norm names the dice: they are unknown, or the roll does not occur here.
    `given` are known dice; chances then refer to the remaining dice. `throws` is the number of
    their throws, and `open` are results with unknown requirements.
    """

    roll: str
    sentence: str
    dice: str | None
    modifiers: tuple[Modifier, ...]
    results: tuple[RollResult, ...]
    together: tuple[tuple[tuple[str, ...], Fraction], ...]
    unknown: tuple[Reason, ...]
    cites: Citations
    given: tuple[tuple[str, int], ...] = ()
    throws: int = 36
    open: tuple[str, ...] = ()
    beaten: tuple[Defeat, ...] = ()
    #: The roll as a clingo term.
    term: str = ""

    @property
    def word(self) -> Verdict:
        """The verdict; `no` if nothing here requires the roll."""
        return verdict_for(None if self.unknown else self.dice is not None)

    def items(self) -> tuple[layout.Item, ...]:
        """The verdict, the modifiers, and the chance of each result."""
        short = str(self.word)
        if self.dice is not None:
            names = {*self.open, *(each.name for each in self.results)}
            told = ", ".join(f"{name} {self.chance(name)}" for name in sorted(names))
            short = told or "unknown"
        dice = (layout.Item(f"modifier of {e.die}", sum_text(e.value)) for e in self.modifiers)
        results = (
            layout.Item(each.name.replace("_", " "), str(each.chance)) for each in self.results
        )
        return (layout.Item("the roll", self.word, verdict=True, short=short), *dice, *results)

    def chance(self, result: str) -> str:
        """Return the number of throws with a result, of all; "unknown" if not known."""
        chances = [each.chance for each in self.results if each.name == result]
        known = [each for each in chances if each is not None]
        if not chances or len(known) < len(chances):
            return "unknown"
        return f"{sum(known) * self.throws}/{self.throws}"

    possible = ("a result and its chance, such as rubble 6/36", "rubble yes", "rubble no")

    def agrees(self, wanted: str) -> bool | None:
        """Whether a result has the wanted chance."""
        if len(wanted.split()) != 2:
            return self.summary() == wanted if wanted == "unknown" else None
        name, of = wanted.split()
        if self.dice is None or self.summary() == wanted:
            return self.summary() == wanted
        results = {each.name.replace("_", "-"): each.name for each in self.results}
        if name not in results:
            return of == "no"
        whole = {"yes": f"{self.throws}/{self.throws}", "no": f"0/{self.throws}"}
        return self.chance(results[name]) == whole.get(of, of)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the modifiers with their norms, and the requirement and chance of each result."""
        here = self.position
        if self.dice is None:
            head: layout.Phrase = f"{self.sentence}: no rule calls for this roll here"
            if self.word is not Verdict.NOT_SO:
                head = f"{self.sentence}: ", layout.verdict_span(self.word)
            told = layout.blocks(layout.Line(head), layout.unknown(self.unknown))
            return layout.Report(self.items(), told, self.cites.norms)
        what = "two dice (colored and white)" if self.dice == "two_dice" else "one die"
        totals = (
            ("DRM " if each.die == "sum" else f"drm to the {each.die} die ")
            + layout.amount_span(each.value).text
            for each in self.modifiers
        )
        rows = [
            (
                layout.strong(each.name.replace("_", " ")),
                band_text(each.die, each.reading, each.low, each.high),
                "?" if each.chance is None else self._odds(each.chance),
                layout.norm_span(each.norm),
            )
            for each in self.results
        ]
        together = ", ".join(
            f"{' and '.join(names).replace('_', ' ') or 'no effect'} {self._odds(chance)}"
            for names, chance in self.together
        )
        return self.reported(
            self.cites.norms,
            layout.Line(
                ", ".join((f"{self.sentence}: {what}", *map(_shown_text, self.given), *totals))
            ),
            *(layout.part_table(here, part_items(each.parts)) for each in self.modifiers),
            layout.Table(rows, heads=("Result", "Needs", "Chance", "Rule")) if rows else None,
            layout.Line(f"Together: {together}") if together else None,
            layout.defeats(here, self.beaten),
            self.ending(self.cites, self.unknown),
        )

    def _odds(self, chance: Fraction) -> str:
        return f"{chance * self.throws}/{self.throws}"

    def record(self) -> Record:
        """Return the roll as JSON. A chance is a number and the fraction of throws, such as "6/36"."""
        here = self.position
        return {
            "board": here.board.name,
            "verdict": self.word,
            "roll": self.roll,
            "sentence": self.sentence,
            "dice": self.dice,
            "given": {"DR" if die == "sum" else die: number for die, number in self.given},
            "modifiers": [
                {"die": e.die, "modifier": e.value, "parts": parts_record(here, e.parts)}
                for e in self.modifiers
            ],
            "results": [
                {
                    "result": each.name,
                    "die": each.die,
                    "reading": each.reading,
                    "from": each.low,
                    "to": each.high,
                    "norm": each.norm,
                    **self._chance_record(each.chance),
                }
                for each in self.results
            ],
            "together": [
                {"results": list(names), **self._chance_record(chance)}
                for names, chance in self.together
            ],
            "beaten": record.defeats(self.beaten),
            **self.ending_record(self.cites, self.unknown, bool(self.unknown)),
        }

    def _chance_record(self, chance: Fraction | None) -> Record:
        if chance is None:
            return {"chance": None, "of": None}
        return {"chance": float(chance), "of": self._odds(chance)}


def _shown_text(given: tuple[str, int]) -> str:
    """Return the known value of a die as text."""
    die, number = given
    return f"{'DR' if die == 'sum' else die} {number}"


@dataclass(frozen=True)
class RollQuestion(Question[Rolled]):
    """Show modifiers, results and chances of a die roll.

    ROLL is a sentence or a term such as 'bog_check("T", U4)'. `rules-asp words roll` lists
    all rolls. Add the dice if you know them: '... with colored 2', 'with colored 2 white 5' or
    'with DR 7'.

    Example: rules-asp roll church "an attempt to kindle C3 with a MOL"
    """

    kind = "roll"
    event: str | RollQuery = parameter(ParameterKind.SENTENCE, metavar="ROLL")

    def resolved(self, position: Position) -> RollQuestion:
        """Return the question with the parsed roll."""
        if not isinstance(self.event, str):
            return self
        return RollQuestion(parse_roll(self.event, board_prefixes(position), position.notation))

    @property
    def rolling(self) -> RollQuery:
        """The roll of a resolved question."""
        assert not isinstance(self.event, str)
        return self.event

    def limit_note(self) -> LimitNote | None:
        """It may take long where something is left open."""
        return limit_if_open("roll", self.rolling.roll)

    def find(self, position: Position, cite: bool) -> Rolled:
        """Return the roll."""
        return roll(position, self.rolling, cite)

    def scope(self, position: Position, answer: Rolled) -> Scope:
        """Return the things that the roll names."""
        return scope_of_argument(position, resolve_form(position, self.rolling.roll))


def roll(position: Position, rolling: RollQuery, cite: bool = True) -> Rolled:
    """Return a roll such as `bog_check("T", U4)`, with its known dice.

    QuestionError for names that are not on the board, or if no throw fits the known dice.
    """
    asked, given = resolve_form(position, rolling.roll), rolling.given
    question = position.completed(QueryFacts(tuple(asked_forms(asked, position.vocabulary))))
    form = asked.value
    shot = isinstance(form, FunctionTerm) and any(part.kind == "shot" for part in form.args)
    term = clingo.parse_term(asked.term)
    which = clingo.Function("dice", [term])
    found = position.ask((*_WANTED, *(_OF_SHOTS if shot else ())), question)
    # Answers in which the roll exists come first.
    answers = sorted(found, key=lambda each: which not in each.values)
    answer = answers[0]
    values = [each.values for each in answers]
    added_topics = [_topic(answer, term, die) for die in position.vocabulary.words["die"]]
    unknown = tuple(
        dict.fromkeys(
            why
            for each in answers
            for why in UnknownReasons(position, each).matching(
                lambda topic: topic in added_topics or _is_about(topic, term)
            )
        )
    )
    sentence = form_text(asked, position.vocabulary) or str(asked)
    thrown = [each.get(which) for each in values]
    dice = thrown[0]
    if len({*thrown} - {None}) > 1:
        dice, unknown = None, (*unknown, *differing_assumptions(position, answers, thrown))
    if dice is None:
        return Rolled(
            position.notation.term_text(term),
            sentence,
            None,
            (),
            (),
            (),
            unknown,
            NO_CITATIONS,
            tuple(given),
            term=asked.term,
        )
    modifiers = tuple(
        Modifier(
            die,
            _certain([found.get(topic) for found in values], _is_unknown(answer, topic)),
            tuple(_parts(answer, topic, position.notation)),
        )
        for die, topic in zip(position.vocabulary.words["die"], added_topics, strict=True)
    )
    added = {each.die: each.value for each in modifiers}
    throws = _shown(str(dice), given)
    open_ = dict.fromkeys(
        str(topic.arguments[1])
        for each in answers
        for topic, _ in each.get("unknown", 2)
        if topic.name == "outcome" and _is_about(topic, term)
    )
    # A result in only one case of the board is unknown.
    cases = [_chances(each, term, added, throws, frozenset(open_)) for each in answers]
    if apart := _apart(cases):
        open_ |= dict.fromkeys(apart)
        unknown = tuple(dict.fromkeys((*unknown, *differing_assumptions(position, answers, cases))))
    barred = _barred(answer, term, frozenset(open_))
    results = tuple(
        replace(each, chance=None) if each.name in open_ else each
        for each in _results(answer, term, added, throws, barred)
    )
    # Other hexes and units have such values too; only those of the roll count.
    own = [
        (topic, value)
        for topic, value in values[0].items()
        if topic in added_topics or _names(topic, term)
    ]
    goals = [f"is({topic},{value})" for topic, value in own]
    goals += [f"total({topic},{value})" for topic, value in own]
    goals += [f"unknown({topic},{why})" for topic, why in answer.get("unknown", 2)]
    # A prohibition of a result does not mention a value.
    goals += [
        str(atom)
        for atom in answer.own_atoms("defeated", 3)
        if atom.arguments[1].name == "outcome"
        and _is_about(atom.arguments[1], term)
        and atom.arguments[1] not in values[0]
    ]
    evidence = Evidence(position, tuple(goals), answers)
    why = evidence.provenance if cite else Provenance()
    return Rolled(
        position.notation.term_text(term),
        sentence,
        str(dice),
        tuple(each for each in modifiers if each.parts or each.value is None),
        results,
        () if open_ else _together(results, added, throws, barred),
        unknown,
        why.cites,
        tuple(given),
        len(throws),
        tuple(open_),
        why.beaten,
        asked.term,
        evidence=(evidence,),
    )


def roll_result(position: Position, rolling: RollQuery, result: str) -> None:
    """Raise QuestionError for a result that a roll of this form never has."""
    form = rolling.roll.value
    if not isinstance(form, FunctionTerm):
        return
    pairs = position.cases[0].get("comes_of", 2)
    known = [str(word) for name, word in pairs if name.string == form.name]
    if result not in known:
        told = ", ".join(word.replace("_", "-") for word in known)
        raise QuestionError(f"{result.replace('_', '-')} is not a result of this roll; use {told}")


def _topic(answer: AnswerSet, term: clingo.Symbol, die: str) -> clingo.Symbol:
    """Return the topic of a die's modifier, or of the term in its place."""
    for roll_, of, topic in answer.get("added_to", 3):
        if (roll_, str(of)) == (term, die):
            return topic
    return clingo.Function("modifier", [term, clingo.Function(die)])


def _is_about(topic: clingo.Symbol, roll: clingo.Symbol) -> bool:
    """Test whether a topic is of this roll."""
    return bool(topic.arguments) and topic.arguments[0] == roll


def _names(topic: clingo.Symbol, roll: clingo.Symbol) -> bool:
    """Test whether a topic is of this roll, or of its results."""
    if topic.type != clingo.SymbolType.Function:
        return False
    return topic == roll or any(_names(part, roll) for part in topic.arguments)


def _is_unknown(answer: AnswerSet, topic: clingo.Symbol) -> bool:
    """Test whether a topic is unknown."""
    return any(each == topic for each, _ in answer.get("unknown", 2))


def _certain(found: Sequence[clingo.Symbol | None], unknown: bool) -> int | None:
    """Return the modifier in every case: 0 if no norm gives one, None if unknown."""
    values = {0 if each is None else each.number for each in found}
    return None if unknown or len(values) > 1 else values.pop()


def _parts(answer: AnswerSet, topic: clingo.Symbol, notation: Notation) -> Iterator[DrmPart]:
    for other, norm, what, amount in sorted(answer.get("undefeated_addend", 4)):
        if other == topic:
            yield DrmPart(amount.number, norm.string, shot_sentence(what, notation))


Throw = Mapping[str, int]


def _shown(dice: str, given: Sequence[tuple[str, int]]) -> list[Throw]:
    """Return the throws that fit the known dice."""
    throws = list(_throws(dice))
    for die, number in given:
        if die not in throws[0]:
            raise QuestionError(f"this roll uses a single die, so it has no {die} die")
        throws = [throw for throw in throws if throw[die] == number]
    if not throws:
        raise QuestionError(f"the dice cannot show {', '.join(map(_shown_text, given))}")
    return throws


@dataclass(frozen=True)
class _Barred:
    """The results that prevent other results, and those for which this is unknown."""

    pairs: frozenset[tuple[str, str]]
    open: frozenset[str]


def _barred(answer: AnswerSet, term: clingo.Symbol, open_: frozenset[str]) -> _Barred:
    pairs = (each for each in answer.get("precludes", 3) if each[0] == term)
    return _Barred(frozenset((str(one), str(other)) for _, one, other in pairs), open_)


def _chances(
    answer: AnswerSet,
    term: clingo.Symbol,
    added: Mapping[str, int | None],
    throws: Sequence[Throw],
    open_: frozenset[str],
) -> dict[str, Fraction | None]:
    """Return the chance of each result in one case of the board."""
    found = _results(answer, term, added, throws, _barred(answer, term, open_))
    return {each.name: each.chance for each in found}


def _apart(cases: Sequence[Mapping[str, Fraction | None]]) -> list[str]:
    """Return the results whose chance differs between cases; a missing result has no chance."""
    names = sorted({name for each in cases for name in each})
    return [name for name in names if len({each.get(name, Fraction(0)) for each in cases}) > 1]


def _throws(dice: str) -> Iterator[Throw]:
    """Yield every throw: the number of each die, and the sum of both."""
    if dice == "two_dice":
        for colored, white in product(range(1, 7), repeat=2):
            yield {"colored": colored, "white": white, "sum": colored + white}
    else:
        for number in range(1, 7):
            yield {"sum": number}


def _results(
    answer: AnswerSet,
    term: clingo.Symbol,
    added: Mapping[str, int | None],
    throws: Sequence[Throw],
    barred: _Barred,
) -> Iterator[RollResult]:
    plain = list(_plain(answer, term, added))
    for each, hits in zip(plain, _hits(plain, added, throws, barred), strict=True):
        chance = None if None in hits else Fraction(sum(map(bool, hits)), len(throws))
        yield replace(each, chance=chance)


def _plain(
    answer: AnswerSet, term: clingo.Symbol, added: Mapping[str, int | None]
) -> Iterator[RollResult]:
    """Return the results, each with its band."""
    norms = {topic: norm.string for norm, topic, _ in answer.get("undefeated_value", 3)}
    for topic, band in sorted(answer.values.items(), key=str):
        if topic.name != "outcome" or topic.arguments[0] != term:
            continue
        die, reading, low, high = band.arguments
        more = added[str(die)] or 0
        yield RollResult(
            str(topic.arguments[1]),
            str(die),
            str(reading),
            low.number if low.number > more - _FAR else None,
            high.number if high.number < more + _FAR else None,
            norms.get(topic, ""),
            None,
        )


#: A number beyond any sum of dice and modifiers.
_FAR = 31


def _hits(
    results: Sequence[RollResult],
    added: Mapping[str, int | None],
    throws: Sequence[Throw],
    barred: _Barred,
) -> list[list[bool | None]]:
    """Return for each result whether each throw has it; None if unknown."""
    alone = {each.name: [_comes_about(each, throw, added) for throw in throws] for each in results}
    found = []
    for each in results:
        hits = alone[each.name]
        for one, other in barred.pairs:
            if other != each.name:
                continue
            if one in alone:
                hits = [_unless(hit, first) for hit, first in zip(hits, alone[one], strict=True)]
            elif one in barred.open:
                hits = [_unless(hit, None) for hit in hits]
        found.append(hits)
    return found


def _unless(hit: bool | None, barred: bool | None) -> bool | None:
    """Return whether a result occurs that another may prevent."""
    if hit is False or barred is True:
        return False
    return None if barred is None else hit


def _comes_about(result: RollResult, throw: Throw, added: Mapping[str, int | None]) -> bool | None:
    """Return whether a throw has this result; None if it depends on unknown modifiers."""
    number = throw[result.die]
    if result.reading == "final":
        more = added[result.die]
        if more is None:
            return None
        number += more
    low, high = result.low, result.high
    return (low is None or low <= number) and (high is None or number <= high)


def _together(
    results: Sequence[RollResult],
    added: Mapping[str, int | None],
    throws: Sequence[Throw],
    barred: _Barred,
) -> tuple[tuple[tuple[str, ...], Fraction], ...]:
    """Return the results that occur together, the most probable first; empty if one is unknown."""
    counted: Counter[tuple[str, ...]] = Counter()
    for hits in zip(*_hits(results, added, throws, barred), strict=True):
        if None in hits:
            return ()
        counted[tuple(r.name for r, hit in zip(results, hits, strict=True) if hit)] += 1
    return tuple((names, Fraction(n, len(throws))) for names, n in counted.most_common())
