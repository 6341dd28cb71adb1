"""Reasons why an answer is unknown, and what would settle it, in the words of
kb/unknown_reasons.lp; atoms in words: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, takewhile

import clingo

from rules_asp.boards.facts import fact_symbol
from rules_asp.game.board import Fact, UncertainFact
from rules_asp.game.query import argument_from_symbol
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import YES_NO, Form, ReasonDeclaration, Vocabulary
from rules_asp.knowledge.calculus import Predicate, calculus
from rules_asp.knowledge.dependencies import Producer
from rules_asp.knowledge.rules import Norm
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.terms import is_ground, to_symbol
from rules_asp.parser.input_syntax import TRAITS, fact_line
from rules_asp.parser.writer import form_text, given_line
from rules_asp.positions.position import Position

#: The atoms by which rules read the value of a topic.
_VALUED = frozenset(("is", "total", "value", "has_value"))
#: The reason for a topic that depends on another unknown topic.
_HANGS = ("of", 1)


@dataclass(frozen=True)
class Reason:
    """A reason why something is unknown, declared in kb/unknown_reasons.lp.

    `about` are its arguments as text. `str()` gives the summary. `norms` are those whose text
    leaves the point open.
    """

    name: str
    about: tuple[str, ...] = ()
    declared: ReasonDeclaration | None = field(default=None, compare=False, repr=False)
    norms: tuple[Norm, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return self._filled(self.declared.meaning) if self.declared else self.form.replace("_", " ")

    @property
    def is_conflict(self) -> bool:
        """Whether norms conflict, or one gives two values; `about` are these norms."""
        return self.name in ("clash", "contradiction")

    @property
    def need(self) -> str:
        """What would settle it; empty if nothing can be named."""
        return self._filled(self.declared.need) if self.declared else ""

    @property
    def form(self) -> str:
        """The name and arguments, such as `not_given(B24.11)`."""
        return f"{self.name}({', '.join(self.about)})" if self.about else self.name

    def _filled(self, text: str) -> str:
        return text.format(self.name, *self.about)


def make_reason(words: Vocabulary, name: str, *about: str) -> Reason:
    """Return a reason with its words in kb/."""
    found = words.reasons.get(name)
    return Reason(name, about, found if found and len(found.kinds) == len(about) else None)


def parse_reason(why: clingo.Symbol, notation: Notation) -> Reason:
    """Return the reason in an atom of silent or unknown."""
    words = notation.vocabulary
    if why.type != clingo.SymbolType.Function:
        return make_reason(words, notation.term_text(why))
    declared = words.reasons.get(why.name)
    kinds = declared.kinds if declared else ()
    if len(kinds) != len(why.arguments):
        kinds = ("",) * len(why.arguments)
    about = (_argument_text(*pair, notation) for pair in zip(why.arguments, kinds, strict=True))
    return make_reason(words, why.name, *about)


def _argument_text(symbol: clingo.Symbol, kind: str, notation: Notation) -> str:
    if kind == "input":
        known = list(map(notation.term_text, symbol.arguments))
        return fact_line(symbol.name, known, notation.vocabulary)
    if kind == "topic":
        return str(label(symbol, notation))
    return notation.board_text(symbol)


def _line(given: Fact, notation: Notation) -> str:
    """Return the board line of a fact; for a trait of a unit, the line of the unit."""
    if given.name in TRAITS:
        arguments = fact_symbol(given, notation.vocabulary).arguments
        known = list(map(notation.term_text, arguments))
        return fact_line(given.name, known, notation.vocabulary)
    return given_line(given, notation)


class UnknownReasons:
    """The root reasons why topics are unknown in an answer to a question about a position.

    If a topic depends on another unknown topic, the search continues there, down to a missing board
    fact or a rule that is not encoded.
    """

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        self._position = position
        self._notation = position.notation
        self._layers = (answer, position.cases[answer.static_case])

    def reason(self, name: str, *about: str) -> Reason:
        """Return the reason with this name, in the words of the position's rules."""
        return make_reason(self._notation.vocabulary, name, *about)

    def of(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Return the reasons why a topic, an action or an LOS is unknown; empty if nothing is
        unknown."""
        return self._root_reasons(topic, self._unknown.get(topic, ()), {topic})

    def behind(self, why: clingo.Symbol) -> tuple[Reason, ...]:
        """Return the root reasons behind a reason."""
        return self._root_reasons(None, (why,), set())

    def missing(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Return the root reasons why a topic has no value."""
        return self._below(topic, set())

    def matching(self, fits: Callable[[clingo.Symbol], bool]) -> tuple[Reason, ...]:
        """Return the reasons of all unknown topics of the answer that fit."""
        found: dict[Reason, None] = {}
        for topic, why in sorted(self._layers[0].get("unknown", 2)):
            if fits(topic):
                found |= dict.fromkeys(self._root_reasons(topic, (why,), {topic}))
        return tuple(found)

    def assumed(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Return why a topic has several possible values, or that two norms conflict."""
        if (topic.name, len(topic.arguments)) == ("clash", 2):
            return (parse_reason(topic, self._notation),)
        told = self._root_reasons(topic, self._silent.get(topic, ()), {topic})
        said = self._lines.get(topic) or str(label(topic, self._notation))
        return told or (self.reason("open_cases", said),)

    @cached_property
    def _lines(self) -> Mapping[clingo.Symbol, str]:
        """The uncertain facts of the board, with their text on the board."""
        return {
            fact_symbol(each.given, self._notation.vocabulary): _line(each.given, self._notation)
            for each in self._position.board.statements
            if isinstance(each, UncertainFact)
        }

    @cached_property
    def _unknown(self) -> Mapping[clingo.Symbol, Sequence[clingo.Symbol]]:
        return _by_topic(pair for each in self._layers for pair in each.get("unknown", 2))

    @cached_property
    def _silent(self) -> Mapping[clingo.Symbol, Mapping[clingo.Symbol, Sequence[Norm]]]:
        """For each topic, the reasons why norms leave it open, each with its norms."""
        found: dict[clingo.Symbol, dict[clingo.Symbol, list[Norm]]] = {}
        silent = (each.get("silent", 3) for each in self._layers)
        order = sorted(chain.from_iterable(silent), key=lambda parts: parts[::-1])
        for norm, topic, why in order:
            listed = found.setdefault(topic, {}).setdefault(why, [])
            if norm.string not in (each.id for each in listed):
                listed.append(self._position.program.norms[norm.string])
        return found

    def _root_reasons(
        self,
        topic: clingo.Symbol | None,
        reasons: Iterable[clingo.Symbol],
        above: set[clingo.Symbol],
    ) -> tuple[Reason, ...]:
        """Return the root reasons below the given ones; `above` are the topics already visited."""
        silent = self._silent.get(topic, {}) if topic is not None else {}
        found: dict[Reason, None] = {}
        for why in reasons:
            if why.type != clingo.SymbolType.Function or (why.name, len(why.arguments)) != _HANGS:
                norms = tuple(silent.get(why, ()))
                found[replace(parse_reason(why, self._notation), norms=norms)] = None
                continue
            behind = why.arguments[0]
            if len(above) > 1:
                found |= dict.fromkeys(self._below(behind, above))
                continue
            # Many actions wait for the same topic.
            if behind not in self._behind:
                self._behind[behind] = self._below(behind, set())
            found |= dict.fromkeys(self._behind[behind])
        return tuple(found)

    @cached_property
    def _behind(self) -> dict[clingo.Symbol, tuple[Reason, ...]]:
        """A cache of root reasons by topic."""
        return {}

    def _below(self, topic: clingo.Symbol, above: set[clingo.Symbol]) -> tuple[Reason, ...]:
        """Return the root reasons of a topic on which another depends."""
        if topic in above:
            return ()
        above.add(topic)
        for each in (topic, _turned(topic)):
            if below := self._unknown.get(each):
                return self._root_reasons(each, below, above)
        found: dict[Reason, None] = {}
        for giver in self._position.program.givers.producers_of(topic):
            found |= dict.fromkeys(self._wanting(giver, above))
        return tuple(found) or (self.reason("valueless", str(label(topic, self._notation))),)

    def _wanting(self, giver: Producer, above: set[clingo.Symbol]) -> tuple[Reason, ...]:
        """Return the conditions that a norm lacks; empty if it also lacks something that is not
        unknown."""
        found: dict[Reason, None] = {}
        for atom in giver.reads:
            name, parts = atom
            known = [to_symbol(each) for each in takewhile(is_ground, parts)]
            if name in self._notation.vocabulary.inputs and 0 < len(known) < len(parts):
                if not any(self._stated(name, known, len(parts))):
                    parts_known = list(map(self._notation.term_text, known))
                    line = fact_line(name, parts_known, self._notation.vocabulary)
                    found[self.reason("not_stated", line)] = None
            elif name in _VALUED and known:
                if not any(known[0] in each.values for each in self._layers):
                    found |= dict.fromkeys(self._below(known[0], above))
            elif len(known) == len(parts):
                symbol = to_symbol(atom)
                if not any(each.holds(symbol) for each in self._layers):
                    return ()
        return tuple(found)

    def _stated(
        self, name: str, known: Sequence[clingo.Symbol], arity: int
    ) -> Iterator[clingo.Symbol]:
        """Yield the board facts with these first arguments."""
        for each in self._position.board_facts.named(name):
            if len(each.arguments) == arity and each.arguments[: len(known)] == list(known):
                yield each


def _turned(topic: clingo.Symbol) -> clingo.Symbol:
    """Return the same LOS from its other end; other topics do not change."""
    if (topic.name, len(topic.arguments)) != ("s", 2):
        return topic
    return clingo.Function("s", topic.arguments[::-1])


def _by_topic(
    pairs: Iterable[tuple[clingo.Symbol, ...]],
) -> dict[clingo.Symbol, list[clingo.Symbol]]:
    """Return reasons by topic, in a deterministic order."""
    found: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for topic, why in pairs:
        found.setdefault(topic, set()).add(why)
    return {topic: sorted(reasons) for topic, reasons in found.items()}


def differing_assumptions(
    position: Position, answers: Sequence[AnswerSet], told: Sequence[object]
) -> tuple[Reason, ...]:
    """Return the open points of the board that explain why these answers differ.

    Prefer points that make a difference alone; return all if no single point does.
    """
    supposed = [_supposed(position, answer) for answer in answers]
    topics = sorted({topic for each in supposed for topic in each})
    turning = {
        topic
        for one, two in combinations(range(len(answers)), 2)
        if told[one] != told[two]
        for topic in topics
        if {each for each in topics if supposed[one].get(each) != supposed[two].get(each)}
        == {topic}
    }
    doubts = UnknownReasons(position, answers[0])
    found = (
        why for topic in topics if topic in turning or not turning for why in doubts.assumed(topic)
    )
    return tuple(dict.fromkeys(found))


def reasons_in_any(
    position: Position, answers: Iterable[AnswerSet], topic: clingo.Symbol
) -> tuple[Reason, ...]:
    """Return why a topic is unknown in any of these answers."""
    return _reasons_in_any([UnknownReasons(position, each) for each in answers], topic)


def _reasons_in_any(doubts: Iterable[UnknownReasons], topic: clingo.Symbol) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(why for each in doubts for why in each.of(topic)))


def agreed_value(
    position: Position,
    answers: Sequence[AnswerSet],
    topic: clingo.Symbol,
    doubts: Sequence[UnknownReasons] | None = None,
) -> tuple[clingo.Symbol | None, tuple[Reason, ...]]:
    """Return the common value of a topic in all answers, or why it is unknown or differs.

    `doubts` are the reasons of the answers, passed in if the caller has them for many topics.
    """
    values = [each.values.get(topic) for each in answers]
    if doubts is None:
        doubts = [UnknownReasons(position, each) for each in answers]
    unknown = _reasons_in_any(doubts, topic)
    if len(set(values)) == 1:
        return values[0], unknown
    differing = differing_assumptions(position, answers, values)
    return None, tuple(dict.fromkeys((*unknown, *differing)))


def _supposed(position: Position, answer: AnswerSet) -> dict[clingo.Symbol, clingo.Symbol]:
    layers = (answer, position.cases[answer.static_case])
    return {topic: value for each in layers for topic, value in each.get("abduced", 2)}


def open_points(reasons: Iterable[Reason]) -> tuple[Norm, ...]:
    """Return the norms behind these reasons whose tags list open points."""
    norms = (norm for each in reasons for norm in each.norms if norm.open_points)
    return tuple(dict.fromkeys(norms))


def what_would_settle(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return what would settle an answer that is unknown for these reasons."""
    return tuple(dict.fromkeys(each.need for each in reasons if each.need))


#: A number beyond any result of the dice.
NO_DICE = 90
#: The kinds of words that name the parts of sums.
_PARTS = ("drm_part", "fp_part")
#: The kind of a value that is a range of results of the dice.
_BAND = "band"
#: A count of one hex or hexside, written as a plural.
_ONE = re.compile(r"\b1 (hexside|hex)(?:e?s)\b")


def is_vocabulary_atom(atom: clingo.Symbol, words: Vocabulary) -> bool:
    """Test whether kb/proofs.lp has words for an atom, or the vocabulary declares it."""
    signature = atom.name, len(atom.arguments)
    told = signature in calculus().atom_words or signature in calculus().line_atom_words
    return told or words.predicate(atom.name) is not None


def atom_text(atom: clingo.Symbol, notation: Notation, in_words: bool = False) -> str:
    """Return an atom as text: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`.

    `in_words`: name topics by their labels, as in `building type of the hex (C3) = two-story`.
    """
    arguments = atom.arguments
    signature = atom.name, len(arguments)
    if signature in calculus().atom_words:
        return _atom_words(*calculus().atom_words[signature], arguments, notation, in_words)
    if signature in calculus().line_atom_words:
        ends = " - ".join(map(notation.term_text, arguments[:2]))
        return f"the line {ends} {_line_text(atom, True, notation)}"
    if in_words:
        return str(label(atom, notation))
    entry = notation.vocabulary.predicate(atom.name)
    kinds = entry.kinds if entry and len(entry.kinds) == len(arguments) else ("",) * len(arguments)
    inner = ", ".join(map(notation.value_text, arguments, kinds))
    return f"{atom.name}({inner})" if inner else atom.name


def touch_text(fact: clingo.Symbol, so: bool, notation: Notation) -> str:
    """Return in words how a line would touch a depiction if the fact held (or did not hold)."""
    return f"the line {_line_text(fact, so, notation)}"


def _line_text(fact: clingo.Symbol, so: bool, notation: Notation) -> str:
    does, does_not = calculus().line_atom_words[fact.name, len(fact.arguments)]
    said = (term_sentence(each, notation) for each in fact.arguments)
    return _ONE.sub(r"1 \1", (does if so else does_not).format("", *said))


def _atom_words(
    declared: Predicate,
    words: str,
    arguments: Sequence[clingo.Symbol],
    notation: Notation,
    in_words: bool,
) -> str:
    """Return an atom of the calculus in words, with its arguments."""
    valued = {"value", "addend"}.intersection(declared.kinds)
    about = arguments[declared.kinds.index("topic")] if valued else None
    entry = notation.vocabulary.topics.get(about.name) if about is not None else None
    measure = entry.value if entry else ""
    if measure == _BAND or (in_words and measure == YES_NO):
        words = words.replace(" = ", ": ")
    pairs = zip(arguments, declared.kinds, strict=True)
    return words.format("", *(_argument(*pair, measure, notation, in_words) for pair in pairs))


def _argument(
    symbol: clingo.Symbol, kind: str, measure: str, notation: Notation, in_words: bool
) -> str:
    """Return an argument of such an atom; `measure` is the kind of the values of its topic."""

    def term(each: clingo.Symbol) -> str:
        return str(label(each, notation)) if in_words else term_sentence(each, notation)

    if kind == "topic" and measure == _BAND:
        roll, result = symbol.arguments
        named = notation.term_text(result).replace("_", " ")
        return f"{named} of {term(roll)}"
    if kind == "value":
        return _band(symbol) if measure == _BAND else _value(symbol, measure, notation, in_words)
    if kind == "addend":
        amount = notation.value_text(symbol, measure)
        return amount if amount.startswith("-") else f"+{amount}"
    if kind == "reason":
        return str(parse_reason(symbol, notation))
    if kind == "half_level":
        return notation.value_text(symbol, kind)
    if in_words and kind == "sight":
        return f"LOS {notation.term_text(symbol)}"
    if kind == "words":
        return notation.term_text(symbol).replace("_", " ")
    if kind == "for":
        if symbol.type == clingo.SymbolType.Function and symbol.name == "of":
            return f"{'for' if in_words else 'of'} {term(symbol.arguments[0])}"
        if in_words and symbol.arguments:
            inner = ", ".join(str(label(each, notation)) for each in symbol.arguments)
            return f"for {symbol.name.replace('_', ' ')}, {inner}"
        return f"for {_named(symbol, notation) if in_words else notation.term_text(symbol).replace('_', ' ')}"
    return term(symbol)


def _value(symbol: clingo.Symbol, measure: str, notation: Notation, in_words: bool) -> str:
    """Return the value of a topic."""
    if not in_words or symbol.type == clingo.SymbolType.Number:
        return notation.value_text(symbol, measure)
    if symbol.arguments and notation.term_text(symbol).startswith(symbol.name + "("):
        return str(label(symbol, notation))
    return notation.board_text(symbol)


def meaning_of(atom: clingo.Symbol, words: Vocabulary) -> str:
    """Return the meaning of a word of the vocabulary; empty for other words."""
    entry = words.predicate(atom.name)
    return entry.meaning if entry else ""


def term_sentence(symbol: clingo.Symbol, notation: Notation) -> str:
    """Return a term in words, with actions, fire attacks and rolls as sentences."""
    if symbol.type != clingo.SymbolType.Function or not symbol.arguments:
        return notation.term_text(symbol)
    words = notation.vocabulary
    form = words.forms.get(symbol.name)
    if form is not None and len(form.kinds) == len(symbol.arguments):
        argument = argument_from_symbol(symbol, form.kind, notation)
        return form_text(argument, words) or notation.term_text(symbol)
    if symbol.name in words.topics:
        inner = ", ".join(term_sentence(each, notation) for each in symbol.arguments)
        return f"{symbol.name}({inner})"
    return notation.term_text(symbol)


@dataclass(frozen=True)
class Label:
    """The name of a topic, action or LOS in words: the things that it is about, and its meaning."""

    about: str
    meaning: str = ""

    def __str__(self) -> str:
        return (
            f"{self.meaning} ({self.about})"
            if self.meaning and self.about
            else self.meaning or self.about
        )


def label(
    symbol: clingo.Symbol, notation: Notation, omitted: Collection[clingo.Symbol] = ()
) -> Label:
    """Return the label of a topic, action, LOS or board fact: `TEM of the Location (C3/0)`.

    Arguments in `omitted` are not named.
    """
    if symbol.type != clingo.SymbolType.Function or not symbol.arguments:
        return Label(_named(symbol, notation))
    if symbol.match("s", 2):
        return Label(notation.term_text(symbol), "LOS")
    words = notation.vocabulary
    entry = (
        words.topics.get(symbol.name)
        or words.forms.get(symbol.name)
        or words.predicate(symbol.name)
    )
    if entry is None or len(entry.kinds) != len(symbol.arguments):
        return Label(notation.term_text(symbol).replace("_", " "))
    if isinstance(entry, Form):
        argument = argument_from_symbol(symbol, entry.kind, notation)
        if sentence := form_text(argument, words):
            return Label(sentence)
    things = (each for each in symbol.arguments if each not in omitted)
    about = ", ".join(str(label(each, notation)) for each in things)
    # The meaning explains the arguments after a colon.
    return Label(about, entry.meaning.partition(":")[0].removeprefix("whether "))


def _named(symbol: clingo.Symbol, notation: Notation) -> str:
    """Return a word by its phrase in kb/ as a part of a sum, such as FFMO, else by itself."""
    word, phrases = notation.term_text(symbol), notation.vocabulary.phrases
    found = (phrases.get((kind, word)) for kind in _PARTS)
    return next(filter(None, found), word.replace("_", " "))


def band_text(die: str, reading: str, low: int | None, high: int | None) -> str:
    """Return the required roll, such as `Final colored die 0 or less`; None leaves an end open."""
    what = "DR" if die == "sum" else f"{die} die"
    if low == high:
        band = str(low)
    elif low is None:
        band = f"{high} or less"
    elif high is None:
        band = f"{low} or more"
    else:
        band = f"{low} to {high}"
    return f"{reading.capitalize()} {what} {band}"


def _band(band: clingo.Symbol) -> str:
    die, reading, low, high = band.arguments
    ends = (each.number if abs(each.number) < NO_DICE else None for each in (low, high))
    return band_text(str(die), str(reading), *ends)
