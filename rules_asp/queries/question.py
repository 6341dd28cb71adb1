"""Question and Answer: questions are values with declared parameters; the parts common to all
answers.

Each kind of question is a frozen dataclass next to its answer class in a module of this package,
and `rules_asp.queries.QUESTIONS` lists them all. Commands, batch lines, the page and the API take its
parameters from its fields.
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
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.positions.scope import BoardIssues, Scope, Verdict, issues_in_scope
from rules_asp.runtime.worker import LimitsOrWorker, call_within

# --- The parameters of a question.


class ParameterKind(StrEnum):
    """The kind of a parameter, which determines its syntax."""

    #: A Location, or a unit in place of its Location.
    LOCATION = "location"
    UNIT = "unit"
    #: One or more units.
    UNITS = "units"
    #: A word of a kind of the vocabulary.
    WORD = "word"
    #: Hexes, such as `A1-C5, E4`.
    HEXES = "hexes"
    #: A side of the board.
    SIDE = "side"
    COUNT = "count"
    FLAG = "flag"
    TEXT = "text"
    #: A sentence or term: the rest of the line, unchanged.
    SENTENCE = "sentence"


@dataclass(frozen=True)
class Parameter:
    """A declared parameter of a kind of question.

    `words` is the vocabulary kind of a word. `flags` are options for some of these words: the
    option, its word, its help. `least` and `most` limit a count. On a form it has this `label`, and
    `none` is the choice of no value.
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
    label: str = ""
    none: str = ""

    @property
    def option(self) -> str:
        """The option that states it on the command line and in a line."""
        return f"--{self.name.replace('_', '-')}"

    def line_words(self, value: Any) -> list[str]:
        """Return it with this value as words of a line."""
        if self.kind is ParameterKind.SENTENCE:
            return [str(value)]
        if self.required:
            values = value if self.kind is ParameterKind.UNITS else (value,)
            return [_quoted(str(each)) for each in values]
        if flags := [flag for flag, word, _ in self.flags if word == value]:
            return flags
        if self.kind is ParameterKind.FLAG:
            return [self.option]
        text = value.replace("_", "-") if self.kind is ParameterKind.WORD else str(value)
        return [self.option, _quoted(text)]


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
    label: str = "",
    none: str = "",
) -> Any:
    """Declare a field of a question as a parameter; see `Parameter`.

    Without default it is required.
    """
    required = default is MISSING
    value = None if required else default
    said = Parameter(
        "", kind, help, required, value, words, metavar, flags, least, most, label, none
    )
    return field(default=default, metadata={_DECLARED: said})


# --- Questions.


class LimitNote(NamedTuple):
    """The message for a question stopped at a limit: the question, and a smaller one to ask
    instead."""

    what: str
    narrower: str


AnswerT = TypeVar("AnswerT", bound="Answer")


@dataclass(frozen=True)
class Question(ABC, Generic[AnswerT]):
    """A question for any position; its fields are its parameters.

    `kind` is the name of its command, JSON, batch line and form. Its docstring is the help of the
    command.
    """

    kind: ClassVar[str]
    #: Whether its answer has a proof.
    has_proof: ClassVar[bool] = True
    #: Whether its answer shows the citations of its parts; else only a proof needs them.
    shows_citations: ClassVar[bool] = True
    #: Whether its answer can be drawn on the map.
    drawable: ClassVar[bool] = False
    #: Whether its answer fits in one line of a chat.
    fits_chat: ClassVar[bool] = False
    #: Whether its answer has paths that can be listed and drawn.
    has_paths: ClassVar[bool] = False

    @classmethod
    def may_take_long(cls) -> bool:
        """Return whether it is asked within limits."""
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
        """Return the help text: a sentence, then paragraphs."""
        return getdoc(cls) or ""

    @property
    def line(self) -> str:
        """The question as a line of a batch file; parsing it gives an equal question."""
        words = [self.kind]
        for each in self.parameters():
            value = getattr(self, each.name)
            if each.required or value != each.default:
                words += each.line_words(value)
        return " ".join(words)

    def answer(
        self,
        position: Position,
        limits: LimitsOrWorker = None,
        cite: bool = True,
        prove: bool = False,
    ) -> AnswerT:
        """Return the answer on a position, with the parts common to all answers.

        `limits` apply to long questions. Without `cite` it is faster: no citations, and nothing
        expensive outside the verdict. `prove`: with a proof from the same answer sets.
        QuestionError for names that are not on the board, TooWide at a limit.
        """
        here = self.setting(position)
        asked = self.resolved(here)
        note = asked.limit_note()
        what, narrower = note or (self.kind, "")
        found = call_within(
            limits if note else None, what, narrower, _find, here, asked, cite, prove
        )
        placed = asked.placed(here, found)
        answer: AnswerT = replace(placed, question=self, beside=issues_in_scope(here, placed.about))
        return answer

    def placed(self, position: Position, found: AnswerT) -> AnswerT:
        """Return the answer of the resolved question with question, position and scope."""
        about = self.scope(position, found)
        answer: AnswerT = replace(found, question=self, on=position, about=about)
        return answer

    def setting(self, position: Position) -> Position:
        """Return the position for the question: the given one, or one in another phase."""
        return position

    def resolved(self, position: Position) -> Self:
        """Return the question with values in place of names and texts; QuestionError for unknown
        ones."""
        return self

    def limit_note(self) -> LimitNote | None:
        """The message at a limit; None for a question without limits."""
        return None

    @abstractmethod
    def find(self, position: Position, cite: bool) -> AnswerT:
        """Return the answer of the resolved question."""

    @abstractmethod
    def scope(self, position: Position, answer: AnswerT) -> Scope:
        """Return the scope of the resolved question and its answer."""


def _quoted(text: str) -> str:
    """Return a word of a line, quoted if it contains blanks or quotes."""
    if text and not set(text) & set(" \t\"'"):
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'


def _find(position: Position, question: Question[AnswerT], cite: bool, prove: bool) -> AnswerT:
    """Return the answer without its answer sets; the proof is computed while they exist."""
    found = question.find(position, (cite and question.shows_citations) or prove)
    proof = proof_of(found.evidence) if prove else None
    bare: AnswerT = replace(found, evidence=(), proved=proof)
    return bare


# --- Answers.


#: The verdicts as texts, and those that are a `no`.
VERDICTS = tuple(map(str, Verdict))
NO_VERDICTS = (Verdict.FORBIDDEN, Verdict.NOT_SO)


def agrees_with_verdict(word: Verdict, wanted: str) -> bool | None:
    """Test whether a verdict is the wanted one, or a kind of wanted `no`; None for another text."""
    if wanted == "no":
        return word in NO_VERDICTS
    return word == wanted if wanted in VERDICTS else None


def agrees_with_number(value: int | None, wanted: str) -> bool | None:
    """Test whether a sum is the wanted number; None for a text that is not a number."""
    return value == int(wanted) if re.fullmatch(r"[+-]?[0-9]+", wanted) else None


@dataclass(frozen=True, kw_only=True)
class Answer(NotebookDisplay):
    """An answer about a position, with its common parts.

    `question` is the question asked. `on` is the position; it is not compared or pickled. `about`
    is the scope in which `beside` was found. `evidence` exists while the answer is computed, and
    `proved` is its proof if requested.
    """

    question: Question[Any] | None = field(default=None, compare=False, repr=False)
    on: Position | None = field(default=None, compare=False, repr=False)
    about: Scope = field(default=Scope(), compare=False, repr=False)
    beside: BoardIssues = field(default=BoardIssues())

    evidence: tuple[Evidence, ...] = field(default=(), compare=False, repr=False)
    proved: Proof | None = field(default=None, compare=False, repr=False)

    @property
    def proof(self) -> Proof:
        """Return the proof: the citations, the defeats, and the proof of each piece of evidence.

        If the answer was asked with `prove`, its proof comes from the same answer sets, also from
        another process. Otherwise the question is asked again on the same position, since an answer
        does not store answer sets.
        """
        if self.proved is not None:
            return self.proved
        if self.question is None or self.on is None:
            raise ValueError("this answer has no proof, because it lacks its question and position")
        proof: Proof = self.question.answer(self.on, prove=True).proof
        return proof

    def proof_record(self) -> Record:
        """Return the proof as JSON, next to the record of the answer."""
        program, notation = self.position.program, self.position.notation
        return justification_record(self.proof.steps, program.norms, notation)

    def proof_blocks(self, view: layout.View) -> Iterator[layout.Block]:
        """Yield the proof for people, below the answer."""
        if self.proof.steps:
            yield layout.Line("Why")
            yield from proof_trees(self.position, self.proof.steps, view, self.unknown_reasons())

    def unknown_reasons(self) -> tuple[Reason, ...]:
        """The reasons why the answer is unknown."""
        found = getattr(self, "unknown", ())
        return tuple(each for each in found if isinstance(each, Reason))

    def __getstate__(self) -> dict[str, Any]:
        return {n: value for n, value in self.__dict__.items() if n not in ("on", "evidence")}

    @property
    def position(self) -> Position:
        """The position of the answer; TypeError if it is not stored."""
        if self.on is None:
            raise TypeError("this answer has no position, because it was pickled or built by hand")
        return self.on

    @property
    def question_line(self) -> str:
        """The question as a line of a batch file; empty if it is not stored."""
        return "" if self.question is None else self.question.line

    @property
    def subject(self) -> str:
        """The subject of the answer in a chat line; empty if it has no chat line."""
        return ""

    def items(self) -> tuple[layout.Item, ...]:
        """The facts of the answer by label; answers to one question share labels."""
        return ()

    def summary(self) -> str:
        """The verdict in the words of `expect` lines; QuestionError for an answer with several
        results."""
        found = [each.short or each.value for each in self.items() if each.verdict]
        if not found:
            kinds = "los, tem, fire, can, roll or ask"
            raise QuestionError(f"this question has no single answer: use {kinds}")
        return found[0]

    #: The possible answers in the words of `expect` lines.
    possible: ClassVar[tuple[str, ...]] = ()

    def agrees(self, wanted: str) -> bool | None:
        """Test whether the answer is the wanted one; None for a text that is not an answer of this
        kind."""
        return None

    def parse_wanted(self, text: str) -> str:
        """Return a wanted answer in the form for `agrees`; QuestionError, with the possible
        answers, for another text."""
        wanted = " ".join(text.replace("_", " ").split())
        if wanted.lower().replace("-", " ") in VERDICTS:
            wanted = wanted.lower().replace("-", " ")
        if self.agrees(wanted) is None:
            self.summary()
            *others, last = self.possible
            raise QuestionError(
                f"{text or 'an empty text'} is not an answer to this question;"
                f" use {', '.join(others)} or {last}"
            )
        return wanted

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the answer as a report for people."""
        raise NotImplementedError

    def record(self) -> Record:
        """Return the answer as JSON, in the documented shape."""
        raise NotImplementedError

    def reported(
        self, norms: Iterable[str], *found: layout.Block | Iterable[layout.Block] | None
    ) -> layout.Report:
        """Return a report of these norms and blocks."""
        return layout.Report(self.items(), layout.blocks(*found), tuple(norms))

    # The end of a report and of a record.

    def ending(self, cites: Citations, reasons: Iterable[Reason] = ()) -> Iterator[layout.Block]:
        """Yield the reasons of an unknown answer, the sources, and the board issues."""
        yield from layout.unknown(reasons)
        yield from layout.citations(self.position, cites)
        yield from layout.issues(self.beside)

    def ending_record(
        self, cites: Citations, reasons: Sequence[Reason] = (), so: bool = False
    ) -> Record:
        """Return the same as JSON; `so`: the answer is unknown."""
        return {
            **record.citations(self.position, cites),
            **record.unknown(reasons, so),
            **record.issues(self.beside),
        }
