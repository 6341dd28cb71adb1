"""`repair`: the smallest changes of a board that give a wanted answer: one line, or two together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from rules_asp.explain import layout, record
from rules_asp.explain.record import Record
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.positions.position import Position
from rules_asp.queries.question import Answer, Question
from rules_asp.runtime.limits import Deadline
from rules_asp.runtime.worker import LimitsOrWorker
from rules_asp.whatif.candidates import ChangeCandidate, change_candidates
from rules_asp.whatif.trials import (
    LINES,
    PAIRS,
    TrialProgress,
    Trials,
    counts_text,
    first_rows,
    neighbourhood,
    not_tried,
    relevant_to_trial,
)


@dataclass(frozen=True)
class Repair:
    """Lines that together give the wanted answer, and the answer."""

    lines: tuple[ChangeCandidate, ...]
    answer: Answer

    @property
    def short(self) -> str:
        """The verdict of the answer."""
        return self.answer.summary()


@dataclass(frozen=True)
class Repaired(Answer):
    """The smallest changes that give a wanted answer.

    No changes if `answer` is already the wanted one, or if none were found. `lines` and `pairs`
    count the tested single lines and pairs. `lines_left` and `pairs_left` count those for which
    there was no time. Pairs are tried only if no single line suffices.
    """

    answer: Answer
    short: str
    wanted: str
    allowed: tuple[str, ...]
    repairs: tuple[Repair, ...] = ()
    already: bool = False
    lines: int = 0
    pairs: int = 0
    lines_left: int = 0
    pairs_left: int = 0
    #: The question as a line of text, and the time limit in seconds.
    line: str = field(default="", compare=False)
    seconds: float | None = field(default=None, compare=False)

    @property
    def _left(self) -> dict[str, int]:
        return {LINES: self.lines_left, PAIRS: self.pairs_left}

    @property
    def _tried(self) -> dict[str, int]:
        return {LINES: self.lines, PAIRS: self.pairs}

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the report: the changes that were not tried, then each change with the wanted
        answer."""
        head = layout.Line((f"{self.line}: ", layout.strong(self.short)))
        if self.already:
            return layout.Report((), (head, layout.Line(f"The answer is {self.wanted} already")))
        if self.repairs:
            several = len(self.repairs[0].lines) > 1
            change = "change two lines" if several else "change one line"
            rows = [(" ".join(e.typed for e in each.lines), each.short) for each in self.repairs]
            found = layout.blocks(first_rows(f"For the answer {self.wanted}, {change}", rows))
        else:
            counts = counts_text({what: count for what, count in self._tried.items() if count})
            among = " and ".join(counts) or "no lines"
            kinds = f"Kinds of lines tried: {', '.join(self.allowed)}. --allow selects others."
            found = (
                layout.Line(f"No change for the answer {self.wanted} among {among}"),
                layout.Line(layout.dim(kinds)),
            )
        return self.reported(
            (), head, not_tried(self._left, self.seconds), found, layout.issues(self.beside)
        )

    def record(self) -> Record:
        """Return the smallest changes as JSON."""
        return {
            "board": self.position.board.name,
            "question": self.line,
            "answer": self.short,
            "wanted": self.wanted,
            "already": self.already,
            "allowed": list(self.allowed),
            "not_tried": self._left,
            "tried": self._tried,
            "repairs": [
                {"changes": [each.record() for each in repair.lines], "answer": repair.short}
                for repair in self.repairs
            ],
            **record.issues(self.beside),
        }


def default_kinds(words: Vocabulary) -> tuple[str, ...]:
    """Return the kinds of change that occur during play."""
    return tuple(each.name for each in words.changes.values() if each.scope == "play")


def find_repairs(
    position: Position,
    question: Question[Any],
    wanted: str,
    limits: LimitsOrWorker = None,
    allowed: Collection[str] | None = None,
    seconds: float | None = 10.0,
    told: TrialProgress | None = None,
) -> Repaired:
    """Return the smallest changes of some kinds, near the scope of an answer, that give the wanted
    one.

    `limits` apply to each evaluation. Without `allowed`, use the kinds that change during play.
    QuestionError for an answer that the question cannot have.
    """
    answer: Answer = question.answer(position, limits)
    text = answer.parse_wanted(wanted)
    kinds = default_kinds(position.vocabulary) if allowed is None else tuple(allowed)
    same = answer.agrees(text) is True
    of = {"about": answer.about, "beside": answer.beside, "on": position, "seconds": seconds}
    base = Repaired(answer, answer.summary(), text, kinds, already=same, **of)  # type: ignore[arg-type]
    if same:
        return base
    search = _Search(Trials(position, question, limits), answer, text, Deadline(seconds), told)
    place = neighbourhood(position, answer.about, relevant_to_trial(position, question, limits))
    every = [each for each in change_candidates(position, place) if each.kind in kinds]
    found: list[tuple[ChangeCandidate, ...]] = [(each,) for each in search.alone(every)]
    several = found or list(search.together())
    confirmed = [
        (lines, question.answer(there, limits))
        for lines in several
        if (there := search.trials.changed(lines))
    ]
    return Repaired(
        answer,
        base.short,
        text,
        kinds,
        tuple(Repair(lines, told_) for lines, told_ in confirmed if told_.agrees(text)),
        lines=search.lines,
        pairs=search.pairs,
        lines_left=len(every) - search.lines,
        pairs_left=0 if found else search.pairs_left,
        **of,  # type: ignore[arg-type]
    )


class _Search:
    """A search that tries single lines, then pairs, beginning with lines that affect the answer."""

    def __init__(
        self,
        trials: Trials,
        answer: Answer,
        wanted: str,
        clock: Deadline,
        told: TrialProgress | None,
    ) -> None:
        self.trials = trials
        self.base = trials.with_position(trials.position)
        self.wanted = wanted
        self.clock = clock
        self.told = told
        self.lines = self.pairs = self.pairs_left = 0
        self._stirring: list[ChangeCandidate] = []
        self._idle: list[ChangeCandidate] = []

    def alone(self, every: Sequence[ChangeCandidate]) -> Iterator[ChangeCandidate]:
        """Yield the lines that suffice alone."""
        for each in every:
            if self.clock.over:
                return
            self.lines += 1
            if self.told is not None:
                self.told(self.lines, len(every), each.line)
            found = self.trials.of([each])
            if found is None or found.answer is None:
                continue
            if found.answer.agrees(self.wanted):
                yield each
            elif self.base is not None and found.answer == self.base.answer:
                self._idle.append(each)
            else:
                self._stirring.append(each)

    def together(self) -> Iterator[tuple[ChangeCandidate, ChangeCandidate]]:
        """Yield the pairs that suffice, of lines about different things that do not suffice alone."""
        pairs = [
            *combinations(self._stirring, 2),
            *((one, other) for one in self._stirring for other in self._idle),
            *combinations(self._idle, 2),
        ]
        self.pairs_left = len(pairs)
        for pair in pairs:
            if self.clock.over:
                return
            self.pairs += 1
            self.pairs_left -= 1
            if self.told is not None:
                self.told(self.pairs, len(pairs), " + ".join(each.line for each in pair))
            found = self.trials.of(pair)
            if found is not None and found.answer is not None and found.answer.agrees(self.wanted):
                yield pair
