"""Question and Answer: a question is a value with declared parameters; what every answer has.

Each kind of question is a frozen dataclass beside its answer class in a module of this package, and
`question_kinds.QUESTIONS` lists them all. Command, batch line, page and API take its parameters from its
fields.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import StrEnum
from inspect import getdoc
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from rules_asp.explain import layout, record
from rules_asp.explain.justification import justification_record, proof_trees
from rules_asp.explain.proof import Evidence, Proof, proof_of
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason
from rules_asp.game.display import NotebookDisplay
from rules_asp.knowledge.catalogue import Citations
from rules_asp.positions.answer import BoardIssues, Scope, Verdict, issues_in_scope
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.runtime.worker import LimitsOrWorker, call_within

# --- The parameters of a question.


class ParameterKind(StrEnum):
    """What a parameter takes, and so how it is written."""

    #: A Location, or a unit that stands for the Location where it is.
    LOCATION = "location"
    UNIT = "unit"
    #: One or more units.
    UNITS = "units"
    #: A word of a kind of the vocabulary.
    WORD = "word"
    #: Hexes, such as `A1-C5, E4`.
    HEXES = "hexes"
    COUNT = "count"
    FLAG = "flag"
    TEXT = "text"
    #: A sentence or term: the rest of the line as it stands.
    SENTENCE = "sentence"


@dataclass(frozen=True)
class Parameter:
    """A declared parameter of a kind of question.

    `words` is the kind of the vocabulary that a word is of. `flags` are options for some of these words:
    the option, its word, its help. `least` and `most` bound a count.
    """

    name: str
    kind: ParameterKind
    help: str = ""
    required: bool = True
    default: Any = None
    words: str | None = None
    metavar: str | None = None
    flags: tuple[tuple[str, str, str], ...] = ()
    least: int | None = None
    most: int | None = None


_DECLARED = "parameter"


def parameter(
    kind: ParameterKind,
    help: str = "",
    *,
    default: Any = MISSING,
    words: str | None = None,
    metavar: str | None = None,
    flags: tuple[tuple[str, str, str], ...] = (),
    least: int | None = None,
    most: int | None = None,
) -> Any:
    """A field of a question that is a parameter of it; see `Parameter`. Without default it is required."""
    required = default is MISSING
    value = None if required else default
    said = Parameter("", kind, help, required, value, words, metavar, flags, least, most)
    return field(default=default, metadata={_DECLARED: said})


# --- Questions.


class LimitNote(NamedTuple):
    """What the message of a question that is ended at a limit says: what it was, what to ask instead."""

    what: str
    narrower: str


AnswerT = TypeVar("AnswerT", bound="Answer")


@dataclass(frozen=True)
class Question(ABC, Generic[AnswerT]):
    """A question that can be put to any position; its fields are its parameters.

    `kind` is the name of its command, JSON, batch line and form. Its docstring is the help of the
    command.
    """

    kind: ClassVar[str]
    #: Whether its answer has a proof.
    has_proof: ClassVar[bool] = True
    #: Whether its answer can be drawn on the map.
    drawable: ClassVar[bool] = False
    #: Whether its answer fits in one line of a chat.
    fits_chat: ClassVar[bool] = False
    #: Whether its answer has paths that can be listed and drawn.
    has_paths: ClassVar[bool] = False

    @classmethod
    def may_take_long(cls) -> bool:
        """Whether it is asked within limits."""
        return cls.limit_note is not Question.limit_note

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The declared parameters, in order."""
        return tuple(
            replace(each.metadata[_DECLARED], name=each.name)
            for each in fields(cls)
            if _DECLARED in each.metadata
        )

    @classmethod
    def help(cls) -> str:
        """What it asks, for people: a sentence, then paragraphs."""
        return getdoc(cls) or ""

    @property
    def line(self) -> str:
        """The question as a line of a batch, which reads as this question."""
        words = [self.kind]
        for each in self.parameters():
            value = getattr(self, each.name)
            if each.required or value != each.default:
                words += _words(each, value)
        return " ".join(words)

    def answer(
        self,
        position: Position,
        limits: LimitsOrWorker = None,
        cite: bool = True,
        prove: bool = False,
    ) -> AnswerT:
        """The answer on a position, with all that every answer has.

        `limits` are for what may take long. Without `cite` it is quicker: no citations, and nothing
        else that is costly and not part of the verdict. `prove`: with its proof, from the answer sets
        that it is read from. QuestionError for what is not on the board, TooWide at a limit.
        """
        here = self.setting(position)
        asked = self.resolved(here)
        note = asked.limit_note()
        what, narrower = note or (self.kind, "")
        found = call_within(
            limits if note else None, what, narrower, _find, here, asked, cite, prove
        )
        about = asked.scope(here, found)
        beside = issues_in_scope(here, about)
        answer: AnswerT = replace(found, question=self, on=here, about=about, beside=beside)
        return answer

    def setting(self, position: Position) -> Position:
        """The position that it is put to: this one, or as in another phase."""
        return position

    def resolved(self, position: Position) -> Self:
        """The question with values in place of names and texts; QuestionError for what is not there."""
        return self

    def limit_note(self) -> LimitNote | None:
        """The words of the message at a limit; None for a question that needs no limit."""
        return None

    @abstractmethod
    def find(self, position: Position, cite: bool) -> AnswerT:
        """The answer of the resolved question itself."""

    @abstractmethod
    def scope(self, position: Position, answer: AnswerT) -> Scope:
        """What the resolved question and its answer are about."""


def _words(of: Parameter, value: Any) -> list[str]:
    """A parameter with a value as words of a line."""
    if of.kind is ParameterKind.SENTENCE:
        return [str(value)]
    if of.required:
        values = value if of.kind is ParameterKind.UNITS else (value,)
        return [_quoted(str(each)) for each in values]
    flags = [flag for flag, word, _ in of.flags if word == value]
    if flags:
        return flags
    option = f"--{of.name.replace('_', '-')}"
    if of.kind is ParameterKind.FLAG:
        return [option]
    text = value.replace("_", "-") if of.kind is ParameterKind.WORD else str(value)
    return [option, _quoted(text)]


def _quoted(text: str) -> str:
    """A word of a line, in quotes where it has blanks or quotes in it."""
    if text and not set(text) & set(" \t\"'"):
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'


def _find(position: Position, question: Question[AnswerT], cite: bool, prove: bool) -> AnswerT:
    """The answer without its answer sets; the proof is made while they are there."""
    found = question.find(position, cite or prove)
    proof = proof_of(found.evidence) if prove else None
    bare: AnswerT = replace(found, evidence=(), proved=proof)
    return bare


# --- Answers.


#: The verdicts as texts, and those that are a `no`.
VERDICTS = tuple(map(str, Verdict))
NO_VERDICTS = (Verdict.FORBIDDEN, Verdict.NOT_SO)


def agrees_with_verdict(word: Verdict, wanted: str) -> bool | None:
    """Whether a verdict is the wanted one, or a wanted `no`; None for another text."""
    if wanted == "no":
        return word in NO_VERDICTS
    return word == wanted if wanted in VERDICTS else None


def agrees_with_number(value: int | None, wanted: str) -> bool | None:
    """Whether a sum is the wanted number; None for what is no number."""
    return value == int(wanted) if re.fullmatch(r"[+-]?[0-9]+", wanted) else None


@dataclass(frozen=True, kw_only=True)
class Answer(NotebookDisplay):
    """An answer about a position, and what is to be told beside it.

    `question` is what was asked. `on` is the position: no part of what it says, and not pickled with
    it. `about` is where `beside` was looked for. `evidence` is there while the answer is made, `proved`
    is its proof if it was asked for.
    """

    question: Question[Any] | None = field(default=None, compare=False, repr=False)
    on: Position | None = field(default=None, compare=False, repr=False)
    about: Scope = field(default=Scope(), compare=False, repr=False)
    beside: BoardIssues = field(default=BoardIssues())

    evidence: tuple[Evidence, ...] = field(default=(), compare=False, repr=False)
    proved: Proof | None = field(default=None, compare=False, repr=False)

    @property
    def proof(self) -> Proof:
        """Why it is so: the citations, the defeats, and the proof of each thing that it rests on.

        Of an answer that was asked with `prove` it comes from the same answer sets, also where another
        process made it. Of any other the question is asked anew on the same position: an answer holds no
        answer sets.
        """
        if self.proved is not None:
            return self.proved
        if self.question is None or self.on is None:
            raise ValueError("an answer without its question and position has no proof")
        proof: Proof = self.question.answer(self.on, prove=True).proof
        return proof

    def proof_record(self) -> Record:
        """The proof as JSON, beside the record of the answer."""
        program, notation = self.position.program, self.position.notation
        return justification_record(self.proof.steps, program.norms, notation)

    def proof_blocks(self, view: layout.View) -> Iterator[layout.Block]:
        """The proof for people, below the answer."""
        if self.proof.steps:
            yield layout.Line("Why")
            yield from proof_trees(self.position, self.proof.steps, view, self.unknown_reasons())

    def unknown_reasons(self) -> tuple[Reason, ...]:
        """Why the answer is unknown."""
        found = getattr(self, "unknown", ())
        return tuple(each for each in found if isinstance(each, Reason))

    def __getstate__(self) -> dict[str, Any]:
        return {n: value for n, value in self.__dict__.items() if n not in ("on", "evidence")}

    @property
    def position(self) -> Position:
        """The position that the answer is of; TypeError if it does not know it."""
        if self.on is None:
            raise TypeError("an answer that was pickled or built alone has no position")
        return self.on

    @property
    def subject(self) -> str:
        """What a chat line says that the answer is about; empty for an answer that has no chat line."""
        return ""

    def items(self) -> tuple[layout.Item, ...]:
        """The facts of the answer by label; two answers to one question use the same labels."""
        return ()

    def summary(self) -> str:
        """The verdict as `expect` lines have it; QuestionError for an answer about many things."""
        found = [each.short or each.value for each in self.items() if each.verdict]
        if not found:
            kinds = "los, tem, fire, can, roll or ask"
            raise QuestionError(f"expected {kinds}: a question of one thing")
        return found[0]

    #: What the answer can be, in the words of `expect` lines.
    possible: ClassVar[tuple[str, ...]] = ()

    def agrees(self, wanted: str) -> bool | None:
        """Whether the answer is the wanted one; None for what no answer of this kind can be."""
        return None

    def parse_wanted(self, text: str) -> str:
        """A wanted answer as `agrees` takes it; QuestionError, with what can be wanted, for another."""
        wanted = " ".join(text.replace("_", " ").split())
        if wanted.lower().replace("-", " ") in VERDICTS:
            wanted = wanted.lower().replace("-", " ")
        if self.agrees(wanted) is None:
            self.summary()
            raise QuestionError(
                f"{text or 'nothing'} is not an answer here; expected {', '.join(self.possible)}"
            )
        return wanted

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """What the answer says, for people."""
        raise NotImplementedError

    def record(self) -> Record:
        """The answer as JSON, in the documented shape."""
        raise NotImplementedError

    def reported(
        self, norms: Iterable[str], *found: layout.Block | Iterable[layout.Block] | None
    ) -> layout.Report:
        """A report of these norms and blocks."""
        return layout.Report(self.items(), layout.blocks(*found), tuple(norms))

    # What a report and a record end with.

    def ending(self, cites: Citations, reasons: Iterable[Reason] = ()) -> Iterator[layout.Block]:
        """Why the answer is unknown, its sources, what is amiss on the board."""
        yield from layout.unknown(reasons)
        yield from layout.citations(self.position, cites)
        yield from layout.issues(self.beside)

    def ending_record(
        self, cites: Citations, reasons: Sequence[Reason] = (), so: bool = False
    ) -> Record:
        """The same as JSON; `so`: the answer is unknown."""
        return {
            **record.citations(self.position, cites),
            **record.unknown(reasons, so),
            **record.issues(self.beside),
        }
