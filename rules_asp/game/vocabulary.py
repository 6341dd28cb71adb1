"""The words of kb/vocabulary.lp and kb/queries*.lp as typed objects: inputs and questions.

clingo parses the files once. The result is cached, since every command reads it when it starts.
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

#: The kind of an argument that may be any term.
ANY_BOARD_TERM = "anything"

#: The kind of a yes-or-no topic, and its two values.
YES_NO, YES, NO = "yes_no", "yes", "no"


@dataclass(frozen=True)
class Declaration:
    """A predicate or topic: its name, the kinds of its arguments, and its meaning in words."""

    name: str
    kinds: tuple[str, ...]
    meaning: str

    @property
    def form(self) -> str:
        """Name and kinds as shown to a user: `height(hex)`."""
        return f"{self.name}({', '.join(self.kinds)})" if self.kinds else self.name


@dataclass(frozen=True)
class Input(Declaration):
    """An input that a board can state. closed: it is false if not stated; otherwise it is unknown.

    once: a board states one fact at most for each combination of this many first arguments. None:
    no limit.
    """

    closed: bool
    once: int | None = None


@dataclass(frozen=True)
class Topic(Declaration):
    """A topic that rules give values to; `value` is the kind of the value."""

    value: str


@dataclass(frozen=True)
class Derived(Declaration):
    """A predicate that kb/ derives, or that is measured on the board's depictions."""


@dataclass(frozen=True)
class Form(Declaration):
    """A compound term, such as an action or an attack; `kind` is its kind of argument."""

    kind: str


@dataclass(frozen=True)
class Sentence:
    """A sentence for a form, or for a yes-or-no topic.

    `fixed` are the words that it implies in the places of the form; "any" if it implies none there.
    It is empty if the sentence implies nothing. In the text, {1} is the first place of the form.
    """

    form: str
    fixed: tuple[str, ...]
    text: str

    def implied(self, place: int) -> str | None:
        """Return the word that the sentence implies in a place, counted from 0."""
        word = self.fixed[place] if self.fixed else "any"
        return None if word == "any" else word


@dataclass(frozen=True)
class ReasonDeclaration(Declaration):
    """A reason why something can be unknown; `need` names the missing information, or is empty.

    In both texts, {1} and {2} are the arguments.
    """

    need: str


@dataclass(frozen=True)
class Counterpart:
    """A predicate that explains why a derived predicate is false, with its further arguments.

    `forbids`: the derived predicate is then forbidden, and not only false.
    """

    name: str
    further: tuple[str, ...]
    forbids: bool


@dataclass(frozen=True)
class ChangeKind:
    """A kind of change to a board: the inputs it includes.

    `scope` is `play` for inputs that change during play, else `scenario` or `map`.
    """

    name: str
    scope: str
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class TrialInput:
    """An input that can be tried on a board to see its effect, and the values to try in each place.

    A range is a kind of arguments, an input whose facts begin with such arguments, or values.
    """

    name: str
    ranges: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """All words: inputs, topics, derived predicates, forms, reasons, and the words of each kind.

    `against` gives the counterparts of a derived predicate.
    """

    inputs: Mapping[str, Input]
    topics: Mapping[str, Topic]
    derived: Mapping[str, Derived]
    words: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, Form]
    reasons: Mapping[str, ReasonDeclaration]
    #: By kind and word: the kind of the number after the word.
    measures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    against: Mapping[str, Counterpart] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()
    #: By kind and word: the phrase for the word in a sentence.
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: By kind and synonym: the word of the vocabulary.
    synonyms: Mapping[tuple[str, str], str] = field(default_factory=dict)
    changes: Mapping[str, ChangeKind] = field(default_factory=dict)
    supposable: tuple[TrialInput, ...] = ()

    def phrase_for(self, kind: str, word: str) -> str:
        """Return the phrase for a word in a sentence, such as FFMO; else the word."""
        return self.phrases.get((kind, word), word.replace("_", " "))

    def predicate(self, name: str) -> Declaration | None:
        """Return the input or derived predicate of this name."""
        return self.inputs.get(name) or self.derived.get(name)

    def kinds(self, name: str, count: int) -> tuple[str, ...]:
        """Return the kinds of `count` arguments of a form, topic or predicate; else `anything`."""
        for entries in (self.forms, self.topics, self.derived, self.inputs):
            entry = entries.get(name)
            if entry is not None and len(entry.kinds) == count:
                return entry.kinds
        return (ANY_BOARD_TERM,) * count

    def names(self) -> tuple[str, ...]:
        """Every name that a question can use."""
        return (*self.topics, *self.derived, *self.inputs)

    def sentences_of(self, form: str) -> tuple[Sentence, ...]:
        """Return the sentences for a form or topic; the one used in output comes first."""
        return tuple(each for each in self.sentences if each.form == form)

    def entry_of(self, sentence: Sentence) -> Form | Topic:
        """Return the form or topic of a sentence."""
        return self.forms.get(sentence.form) or self.topics[sentence.form]

    def kinds_of(self, kinds: tuple[str, ...], values: Sequence[object]) -> tuple[str, ...]:
        """Return the kinds of arguments; a kind can depend on the previous argument.

        An amount of MF, for example, counts in quarters.
        """
        told = list(kinds)
        for place, pair in enumerate(zip(kinds[:-1], map(str, values), strict=False), 1):
            if kinds[place] == "number":
                told[place] = self.measures.get(pair, "number")
        return tuple(told)


def declares(file: str) -> bool:
    """Return whether a file of kb/ only declares inputs, questions or reasons, and has no rules."""
    return file in _ENDS or (file.startswith("queries") and file.endswith(".lp"))


def reading_order(files: Iterable[str]) -> list[str]:
    """Return the declaring files in order: inputs, questions, reasons for `unknown`."""
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
    """Return the vocabulary of the shipped and house rules; SourceError for invalid house rules."""
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
    """Return the vocabulary of the default rules."""
    return vocabulary(read_house_rules(default_house_rules_dir()))


#: The classes in a vocabulary.
_CLASSES = (Input, Topic, Derived, Form, Sentence, ReasonDeclaration, Counterpart, ChangeKind)


def _cached_declarations(text: str) -> Vocabulary:
    sources = (text.encode(), *cache.source_fingerprint("game"))
    classes = (Vocabulary, TrialInput, *_CLASSES)
    make = partial(parse_declarations, text)
    return cache.memoize_on_disk("vocabulary", sources, make, Vocabulary, classes)


#: The predicates that declare words in kb/.
_DECLARING = frozenset(
    (
        *("input", "topic", "derived", "measured", "form", "deed", "reason", "word", "measure"),
        *("once", "against", "sentence", "phrase", "synonym", "change", "supposes"),
    )
)
_SCOPES = ("play", "scenario", "map")


class _Malformed(Exception):
    """A declaration of an unexpected form."""


def parse_declarations(text: str) -> Vocabulary:
    """Read the facts input/3, topic/3, form/3, deed/2, derived/2, measured/2, word/2, reason/3,
    measure/3, once/1, against/3, sentence/2, phrase/3, synonym/3, change/3, supposes/1.

    ValueError for facts of another form. The reader of rules reports texts that are not facts.
    """
    found = _Declarations()
    for term, line in _declaring_terms(text):
        for arguments in product(*map(_alternatives, term.arguments)):
            try:
                found.add(term.name, arguments)
            except _Malformed:
                fact = text.splitlines()[line - 1].strip()
                what = "vocabulary: this declaration is malformed"
                raise ValueError(f"{what}: {fact}") from None
    return found.vocabulary()


def _declaring_terms(text: str) -> Iterator[tuple[Any, int]]:
    """Yield the term of each declaring fact, and its line."""
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
    """Return the symbols of a term: several for a pool."""
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
        """Add one fact; _Malformed for another form, ValueError for a contradiction to others."""
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
            raise ValueError(f"vocabulary: no input begins with {name}({','.join(first)}, ...)")
        self.inputs[name] = replace(self.inputs[name], once=len(first))

    def _add_trial(self, name: str, values: tuple[str, ...]) -> None:
        """Add a trial; a pool in the fact is a range and arrives as several facts in sequence."""
        if not self.supposable or self.supposable[-1][0] != name:
            self.supposable.append((name, [{} for _ in values]))
        for range_, value in zip(self.supposable[-1][1], values, strict=True):
            range_[value] = None

    def _add_counterpart(
        self, what: tuple[str, tuple[str, ...]], other: tuple[str, tuple[str, ...]], how: str
    ) -> None:
        (name, kinds), (by, further) = what, other
        if further[: len(kinds)] != kinds:
            raise ValueError(f"vocabulary: the first arguments of {by} must be those of {name}")
        self.against[name] = Counterpart(by, further[len(kinds) :], how == "forbidden")

    def vocabulary(self) -> Vocabulary:
        """Return all declarations as a vocabulary."""
        trials = (TrialInput(name, tuple(map(tuple, ranges))) for name, ranges in self.supposable)
        return Vocabulary(
            *(self.inputs, self.topics, self.derived, self.words, self.forms, self.reasons),
            *(self.measures, self.against, tuple(self.sentences), self.phrases, self.synonyms),
            *(self.changes, tuple(trials)),
        )
