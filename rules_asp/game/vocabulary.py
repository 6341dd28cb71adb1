"""The words of kb/vocabulary.lp and kb/queries*.lp as typed objects: what is stated, what is asked.

clingo parses the files once. The result is cached, since every command reads it at its start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib import resources
from itertools import product
from typing import Any

from rules_asp.game.house_rules import (
    RuleText,
    SourceError,
    default_house_rules_dir,
    read_house_rules,
)
from rules_asp.runtime import cache

#: The kind of a place in which may stand whatever there is.
ANY_BOARD_TERM = "anything"

#: The kind of value of a topic that is a plain yes or no, and its two values.
YES_NO, YES, NO = "yes_no", "yes", "no"


@dataclass(frozen=True)
class Declaration:
    """A predicate or topic: its name, the kinds of its arguments, and its sense in words."""

    name: str
    kinds: tuple[str, ...]
    meaning: str

    @property
    def form(self) -> str:
        """Name and kinds as a user may be shown them: `height(hex)`."""
        return f"{self.name}({', '.join(self.kinds)})" if self.kinds else self.name


@dataclass(frozen=True)
class Input(Declaration):
    """What a board states. closed: not stated is false; otherwise not stated is not known.

    once: so many first arguments for which a board states it once; None: it is stated freely.
    """

    closed: bool
    once: int | None = None


@dataclass(frozen=True)
class Topic(Declaration):
    """What rules give values to; `value` is the kind of the value."""

    value: str


@dataclass(frozen=True)
class Derived(Declaration):
    """A notion that kb/ derives from one source, or that is measured on the board's drawings."""


@dataclass(frozen=True)
class Form(Declaration):
    """A thing made of parts, such as a deed or a shot; `kind` is the kind of argument that it may be."""

    kind: str


@dataclass(frozen=True)
class Sentence:
    """A sentence for a form, or for a topic that is a yes or no.

    `fixed` are the words that it implies in the places of the form, "any" where it implies none; empty
    where it implies nothing. In the text {1} stands for the first place of the form.
    """

    form: str
    fixed: tuple[str, ...]
    text: str

    def implied(self, place: int) -> str | None:
        """The word that the sentence implies in a place, from 0."""
        word = self.fixed[place] if self.fixed else "any"
        return None if word == "any" else word


@dataclass(frozen=True)
class ReasonDeclaration(Declaration):
    """Why something can be unknown; `need` is what would settle it, empty where nothing can be named.

    In both texts {1} and {2} stand for the arguments.
    """

    need: str


@dataclass(frozen=True)
class Counterpart:
    """What stands against a notion that does not hold: this other one, with its further arguments.

    `forbids`: what it stands against is then forbidden, and not only not so.
    """

    name: str
    further: tuple[str, ...]
    forbids: bool


@dataclass(frozen=True)
class ChangeKind:
    """A kind of what can be changed of a board: the inputs that are of it.

    `scope` is `play` for what comes and goes in the course of play, else `scenario` or `map`.
    """

    name: str
    scope: str
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class TrialInput:
    """An input that can be put on a board to see what comes of it, and what is tried in each place.

    A range is a kind of arguments, an input that begins with such, or values.
    """

    name: str
    ranges: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """All words: inputs, topics, derived notions, forms and reasons by name, the words of each kind.

    `against` tells of a derived notion what stands against it.
    """

    inputs: Mapping[str, Input]
    topics: Mapping[str, Topic]
    derived: Mapping[str, Derived]
    words: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, Form]
    reasons: Mapping[str, ReasonDeclaration]
    #: By kind and word: the kind of the number that follows the word.
    measures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    against: Mapping[str, Counterpart] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()
    #: By kind and word: how the word is said in a sentence.
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: By kind and another word for it: the word that is meant.
    synonyms: Mapping[tuple[str, str], str] = field(default_factory=dict)
    changes: Mapping[str, ChangeKind] = field(default_factory=dict)
    supposable: tuple[TrialInput, ...] = ()

    def predicate(self, name: str) -> Declaration | None:
        """The input or derived notion of this name."""
        return self.inputs.get(name) or self.derived.get(name)

    def kinds(self, name: str, count: int) -> tuple[str, ...]:
        """The kinds of so many arguments of a form, topic or predicate; `anything` where it is none."""
        for entries in (self.forms, self.topics, self.derived, self.inputs):
            entry = entries.get(name)
            if entry is not None and len(entry.kinds) == count:
                return entry.kinds
        return (ANY_BOARD_TERM,) * count

    def names(self) -> tuple[str, ...]:
        """Everything that a question can be about."""
        return (*self.topics, *self.derived, *self.inputs)

    def sentences_of(self, form: str) -> tuple[Sentence, ...]:
        """The sentences for a form or topic; the one that is told comes before others."""
        return tuple(each for each in self.sentences if each.form == form)

    def entry_of(self, sentence: Sentence) -> Form | Topic:
        """What a sentence is about."""
        return self.forms.get(sentence.form) or self.topics[sentence.form]

    def kinds_of(self, kinds: tuple[str, ...], values: Sequence[object]) -> tuple[str, ...]:
        """The kinds of arguments, of which one can hang on the one before: MF count in quarters."""
        told = list(kinds)
        for place, pair in enumerate(zip(kinds[:-1], map(str, values), strict=False), 1):
            if kinds[place] == "number":
                told[place] = self.measures.get(pair, "number")
        return tuple(told)


def declares(file: str) -> bool:
    """Whether a file of kb/ says what is stated, asked, or why an answer is unknown, and no rule."""
    return file in _ENDS or (file.startswith("queries") and file.endswith(".lp"))


def reading_order(files: Iterable[str]) -> list[str]:
    """Those of the files that declare words: what is stated, what is asked, why it can be unknown."""
    return sorted(filter(declares, files), key=lambda file: (_ENDS.get(file, 0), file))


_ENDS = {
    "vocabulary.lp": -2,
    "word_lists.lp": -1,
    "unknown_reasons.lp": 1,
    "changes.lp": 2,
    "old_names.lp": 3,
}


@lru_cache(maxsize=8)
def vocabulary(house_rules: tuple[RuleText, ...] = ()) -> Vocabulary:
    """The vocabulary of the knowledge base and of house rules; SourceError for odd ones of these."""
    folder = resources.files("rules_asp.kb")
    names = reading_order(each.name for each in folder.iterdir())
    text = "".join(folder.joinpath(name).read_text("utf-8") for name in names)
    words = _cached_declarations(text)
    for own in house_rules:
        text = f"{text}\n{own.text}"
        try:
            words = _cached_declarations(text)
        except ValueError as error:
            raise SourceError(f"{own.name}: {error}") from None
    return words


def default_vocabulary() -> Vocabulary:
    """The vocabulary of the rules that one plays by where nothing else is said."""
    return vocabulary(read_house_rules(default_house_rules_dir()))


#: What a vocabulary is made of.
_CLASSES = (Input, Topic, Derived, Form, Sentence, ReasonDeclaration, Counterpart, ChangeKind)


def _cached_declarations(text: str) -> Vocabulary:
    sources = (text.encode(), *cache.source_fingerprint("game"))
    classes = (Vocabulary, TrialInput, *_CLASSES)
    make = partial(parse_declarations, text)
    return cache.memoize_on_disk("vocabulary", sources, make, Vocabulary, classes)


#: The predicates by which kb/ declares its words.
_DECLARING = frozenset(
    (
        *("input", "topic", "derived", "measured", "form", "deed", "reason", "word", "measure"),
        *("once", "against", "sentence", "phrase", "synonym", "change", "supposes"),
    )
)
_SCOPES = ("play", "scenario", "map")


class _Malformed(Exception):
    """A declaration of another form than expected."""


def parse_declarations(text: str) -> Vocabulary:
    """Read the facts input/3, topic/3, form/3, deed/2, derived/2, measured/2, word/2, reason/3,
    measure/3, once/1, against/3, sentence/2, phrase/3, synonym/3, change/3, supposes/1.

    ValueError for facts of another form. The reader of rules reports what is no fact.
    """
    found = _Declarations()
    for term, line in _declaring_terms(text):
        for arguments in product(*map(_alternatives, term.arguments)):
            try:
                found.add(term.name, arguments)
            except _Malformed:
                fact = text.splitlines()[line - 1].strip()
                what = "vocabulary: no fact of the form expected"
                raise ValueError(f"{what}: {fact}") from None
    return found.vocabulary()


def _declaring_terms(text: str) -> Iterator[tuple[Any, int]]:
    """The term of each fact that declares something, and its line."""
    from clingo import ast  # The vocabulary is cached: most commands start without clingo.

    statements: list[Any] = []
    with suppress(RuntimeError):
        ast.parse_string(text, statements.append, logger=lambda *_: None)
    for each in statements:
        if each.ast_type == ast.ASTType.Rule and each.head.ast_type == ast.ASTType.Literal:
            term = getattr(each.head.atom, "symbol", None)
            if getattr(term, "name", None) in _DECLARING and not each.body:
                yield term, each.location.begin.line


def _alternatives(term: Any) -> Sequence[Any]:
    """The symbols that a term stands for: of a pool several."""
    import clingo
    from clingo.ast import ASTType

    if term.ast_type == ASTType.SymbolicTerm:
        return [term.symbol]
    if term.ast_type == ASTType.Pool:
        return [symbol for each in term.arguments for symbol in _alternatives(each)]
    if term.ast_type == ASTType.Function:
        choices = product(*map(_alternatives, term.arguments))
        return [clingo.Function(term.name, each) for each in choices]
    return [clingo.Infimum]


def _word(symbol: Any) -> str:
    plain = symbol.type.name == "Function" and symbol.name and not symbol.arguments
    if not plain and symbol.type.name != "Number":
        raise _Malformed
    return str(symbol)


def _text(symbol: Any) -> str:
    if symbol.type.name != "String":
        raise _Malformed
    return str(symbol.string)


def _signature(symbol: Any) -> tuple[str, tuple[str, ...]]:
    if symbol.type.name != "Function" or not symbol.name:
        raise _Malformed
    return symbol.name, tuple(map(_word, symbol.arguments))


class _Declarations:
    """The declarations read so far."""

    def __init__(self) -> None:
        self.inputs: dict[str, Input] = {}
        self.topics: dict[str, Topic] = {}
        self.derived: dict[str, Derived] = {}
        self.words: dict[str, tuple[str, ...]] = {}
        self.forms: dict[str, Form] = {}
        self.reasons: dict[str, ReasonDeclaration] = {}
        self.measures: dict[tuple[str, str], str] = {}
        self.against: dict[str, Counterpart] = {}
        self.sentences: list[Sentence] = []
        self.phrases: dict[tuple[str, str], str] = {}
        self.synonyms: dict[tuple[str, str], str] = {}
        self.changes: dict[str, ChangeKind] = {}
        self.supposable: list[tuple[str, list[dict[str, None]]]] = []

    def add(self, predicate: str, arguments: Sequence[Any]) -> None:
        """Add one fact; _Malformed for one of another form, ValueError for one that fits no other."""
        match predicate, arguments:
            case "input", [what, kind, meaning] if str(kind) in ("closed", "open"):
                name, kinds = _signature(what)
                self.inputs[name] = Input(name, kinds, _text(meaning), str(kind) == "closed")
            case "topic", [what, value, meaning]:
                name, kinds = _signature(what)
                self.topics[name] = Topic(name, kinds, _text(meaning), _word(value))
            case "derived" | "measured", [what, meaning]:
                name, kinds = _signature(what)
                self.derived[name] = Derived(name, kinds, _text(meaning))
            case "form", [what, kind, meaning]:
                name, kinds = _signature(what)
                self.forms[name] = Form(name, kinds, _text(meaning), _word(kind))
            case "deed", [what, meaning]:
                name, kinds = _signature(what)
                self.forms[name] = Form(name, kinds, _text(meaning), "deed")
            case "reason", [what, meaning, need]:
                name, kinds = _signature(what)
                self.reasons[name] = ReasonDeclaration(name, kinds, _text(meaning), _text(need))
            case "word", [kind, word]:
                self.words[_word(kind)] = (*self.words.get(_word(kind), ()), _word(word))
            case "measure", [kind, word, unit]:
                self.measures[_word(kind), _word(word)] = _word(unit)
            case "phrase", [kind, word, text]:
                self.phrases[_word(kind), _word(word)] = _text(text)
            case "synonym", [kind, word, meant]:
                self.synonyms[_word(kind), _word(word)] = _word(meant)
            case "sentence", [form, text]:
                self.sentences.append(Sentence(*_signature(form), _text(text)))
            case "change", [kind, scope, name] if str(scope) in _SCOPES:
                before = self.changes.get(_word(kind), ChangeKind(_word(kind), _word(scope), ()))
                self.changes[before.name] = replace(before, inputs=(*before.inputs, _word(name)))
            case "once", [what]:
                self._add_once(*_signature(what))
            case "supposes", [what]:
                self._add_trial(*_signature(what))
            case "against", [what, other, how] if str(how) in ("forbidden", "not_so"):
                self._add_counterpart(_signature(what), _signature(other), str(how))
            case _:
                raise _Malformed

    def _add_once(self, name: str, first: tuple[str, ...]) -> None:
        if name not in self.inputs or self.inputs[name].kinds[: len(first)] != first:
            raise ValueError(f"vocabulary: no input begins so: {name}({','.join(first)})")
        self.inputs[name] = replace(self.inputs[name], once=len(first))

    def _add_trial(self, name: str, values: tuple[str, ...]) -> None:
        """A pool in the fact is a range, and comes as several facts one after another."""
        if not self.supposable or self.supposable[-1][0] != name:
            self.supposable.append((name, [{} for _ in values]))
        for range_, value in zip(self.supposable[-1][1], values, strict=True):
            range_[value] = None

    def _add_counterpart(
        self, what: tuple[str, tuple[str, ...]], other: tuple[str, tuple[str, ...]], how: str
    ) -> None:
        (name, kinds), (by, further) = what, other
        if further[: len(kinds)] != kinds:
            raise ValueError(f"vocabulary: {by} is of other things than {name}")
        self.against[name] = Counterpart(by, further[len(kinds) :], how == "forbidden")

    def vocabulary(self) -> Vocabulary:
        """All of them as a vocabulary."""
        trials = (TrialInput(name, tuple(map(tuple, ranges))) for name, ranges in self.supposable)
        return Vocabulary(
            *(self.inputs, self.topics, self.derived, self.words, self.forms, self.reasons),
            *(self.measures, self.against, tuple(self.sentences), self.phrases, self.synonyms),
            *(self.changes, tuple(trials)),
        )
