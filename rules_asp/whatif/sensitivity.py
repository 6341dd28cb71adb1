"""`depends`: the lines, norms and rulings on which an answer depends, found by changing each.

`repair` finds the smallest changes of a board that give a wanted answer: one line, or two together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from rules_asp.explain import layout, record
from rules_asp.explain.record import Record
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.knowledge.catalogue import NO_CITATIONS, Catalogue, Citations, catalogue
from rules_asp.positions.position import Position
from rules_asp.positions.scope import NOTHING_OF_THE_KIND
from rules_asp.queries.question import Answer, Question
from rules_asp.runtime.limits import Deadline
from rules_asp.runtime.worker import LimitsOrWorker
from rules_asp.whatif.trials import (
    LINES,
    NORMS,
    PAIRS,
    RULINGS,
    SAID,
    UNSAID,
    ChangeCandidate,
    RelevantToTrial,
    TrialProgress,
    TrialResult,
    Trials,
    change_candidates,
    counts_text,
    first_rows,
    neighbourhood,
    not_tried,
    position_without_norm,
    relevant_to_trial,
    without_ruling,
)

#: The share of the remaining time for each kind of trial.
_SHARES = {SAID: 0.5, NORMS: 0.5, RULINGS: 0.5, UNSAID: 1.0}


@dataclass(frozen=True)
class DecisiveLine:
    """A line whose removal or addition changes the answer, and the new answer."""

    candidate: ChangeCandidate
    answer: str

    def record(self) -> Record:
        """Return the line with the other answer as JSON."""
        return {**self.candidate.record(), "answer": self.answer}


@dataclass(frozen=True)
class DecisiveNorm:
    """A norm or ruling whose removal changes the answer, and the new answer."""

    norm: str
    answer: str


@dataclass(frozen=True)
class Hanging(Answer):
    """The lines, norms and rulings on which an answer depends.

    `said` are lines of the board, `unsaid` lines that it lacks, `norms` and `rulings` those whose
    removal changes the answer. `readings` are the interpretations among the norms of the answer.
    `tried` counts the trials by kind, and `left` those for which there was no time.
    """

    answer: Answer
    short: str
    said: tuple[DecisiveLine, ...] = ()
    unsaid: tuple[DecisiveLine, ...] = ()
    norms: tuple[DecisiveNorm, ...] = ()
    rulings: tuple[DecisiveNorm, ...] = ()
    readings: tuple[str, ...] = ()
    tried: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    #: The time limit in seconds.
    seconds: float | None = field(default=None, compare=False)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the report: the trials left out, then each decisive change with the other answer."""
        norms = self.position.program.norms

        def line_rows(found: Iterable[DecisiveLine]) -> list[layout.Row]:
            return [(each.answer, each.candidate.typed) for each in found if not _is_gone(each)]

        def norm_rows(found: Iterable[DecisiveNorm]) -> list[layout.Row]:
            printed_first = sorted(found, key=lambda each: norms[each.norm].assumed)
            return [
                (each.answer, layout.norm_span(each.norm), norms[each.norm].sense)
                for each in printed_first
                if not _is_gone(each)
            ]

        gone: list[layout.Row] = [
            (each.candidate.typed,) for each in (*self.said, *self.unsaid) if _is_gone(each)
        ]
        lost = [each.norm for each in (*self.norms, *self.rulings) if _is_gone(each)]
        gone += [(("without ", layout.norm_span(*lost)),)] if lost else []
        readings = [norms[each] for each in self.readings]
        nothing = not (self.said or self.unsaid or self.norms or self.rulings)
        return self.reported(
            (),
            layout.Line((f"{self.question_line}: ", layout.strong(self.short))),
            not_tried(self.left, self.seconds),
            first_rows("Removing one of these lines changes the answer", line_rows(self.said)),
            first_rows("Adding one of these lines changes the answer", line_rows(self.unsaid)),
            first_rows("Without this rule the answer changes", norm_rows(self.norms)),
            first_rows("Without this ruling the answer changes", norm_rows(self.rulings)),
            first_rows("Without these lines the question has no object", gone),
            layout.Table(
                [
                    (
                        layout.norm_span(e.id),
                        f"{e.sense}  Or: {e.other_reading}" if e.other_reading else e.sense,
                    )
                    for e in readings
                ],
                "It depends on these interpretations",
            ),
            layout.issues(self.beside),
            layout.Line(layout.dim(f"Tried: {', '.join(counts_text(self.tried))}")),
            layout.Line("None of these changes the answer") if nothing else None,
        )

    def record(self) -> Record:
        """Return the sensitivity as JSON."""
        return {
            "board": self.position.board.name,
            "question": self.question_line,
            "answer": self.short,
            "not_tried": dict(self.left),
            "tried": dict(self.tried),
            "statements": [each.record() for each in self.said],
            "absences": [each.record() for each in self.unsaid],
            "norms": [self._ruled(each) for each in self.norms],
            "rulings": [self._ruled(each) for each in self.rulings],
            "readings": list(self.readings),
            **record.issues(self.beside),
        }

    def _ruled(self, each: DecisiveNorm) -> Record:
        return {**record.cite(self.position, each.norm), "answer": each.answer}


def _is_gone(each: DecisiveLine | DecisiveNorm) -> bool:
    """Test whether the question no longer applies after the change."""
    return each.answer == NOTHING_OF_THE_KIND


def sensitivity(
    position: Position,
    question: Question[Any],
    limits: LimitsOrWorker = None,
    seconds: float | None = 60.0,
    told: TrialProgress | None = None,
    known: dict[str, str | None] | None = None,
) -> Hanging:
    """Find the dependencies of an answer near its scope, as far as the time allows.

    `limits` apply to each evaluation, and `told` receives the progress. `known` keeps the results
    of trials: a later search for the same answer takes them from there. QuestionError for an answer
    with several results.
    """
    known = {} if known is None else known
    answer: Answer = question.answer(position, limits)
    short = answer.summary()
    clock = Deadline(seconds)
    counts = relevant_to_trial(position, question, limits)
    trials = Trials(position, question, limits)
    every = change_candidates(position, neighbourhood(position, answer, counts))
    cites = getattr(answer, "cites", NO_CITATIONS)
    assert isinstance(cites, Citations)
    cites_of = tuple(dict.fromkeys(each for each in cites.norms if each in position.program.norms))
    book = catalogue(position.program.source)
    rulings = _in_force(position, book, counts)
    groups: dict[str, Sequence[ChangeCandidate] | Sequence[str]] = {
        SAID: [each for each in every if not _is_put(each)],
        NORMS: [each for each in cites_of if each not in book.rulings],
        RULINGS: rulings,
        UNSAID: [each for each in every if _is_put(each)],
    }
    total = sum(map(len, groups.values()))
    done, last = 0, ""
    turned: dict[str, list[DecisiveLine]] = {SAID: [], UNSAID: []}
    ruled: dict[str, list[DecisiveNorm]] = {NORMS: [], RULINGS: []}
    tried: dict[str, int] = {}
    for group, members in groups.items():
        part = clock.part(_SHARES[group])
        tried[group] = 0
        for each in members:
            if part.over:
                break
            tried[group] += 1
            if told is not None:
                told(done + tried[group], total, _trial(str(getattr(each, "line", each)), last))
            said = str(getattr(each, "typed", f"without {each}"))
            if said not in known:
                trial = _tried(trials, each)
                known[said] = None if trial is None else trial.short
            found = known[said]
            if found is None or found == short:
                continue
            last = f"{said} gives {found}"
            if isinstance(each, ChangeCandidate):
                turned[group].append(DecisiveLine(each, found))
            else:
                ruled[group].append(DecisiveNorm(each, found))
        done += len(members)
    norms = position.program.norms
    return Hanging(
        answer,
        short,
        tuple(turned[SAID]),
        tuple(turned[UNSAID]),
        tuple(ruled[NORMS]),
        tuple(ruled[RULINGS]),
        tuple(each for each in cites_of if norms[each].reading),
        tried,
        {group: len(groups[group]) - count for group, count in tried.items()},
        seconds=seconds,
        question=question,
        about=answer.about,
        beside=answer.beside,
        on=position,
    )


def _trial(line: str, last: str) -> str:
    """Return the text of the progress: the line of this trial, and the last result, if any."""
    return f"{line}; found: {last}" if last else line


def _is_put(each: ChangeCandidate) -> bool:
    """Test whether a line adds something that is missing, instead of removing something."""
    return each.adds and not each.minus_line


def _tried(trials: Trials, each: ChangeCandidate | str) -> TrialResult | None:
    if isinstance(each, ChangeCandidate):
        return trials.of([each])
    position = trials.position
    if position.program.norms[each].ruling:
        return trials.with_position(without_ruling(position, each))
    lesser = position_without_norm(position, each)
    try:
        return (
            TrialResult(None, NOTHING_OF_THE_KIND)
            if lesser is None
            else trials.with_position(lesser)
        )
    except (LookupError, ValueError):
        # Without the norm, the question no longer applies.
        return TrialResult(None, NOTHING_OF_THE_KIND)


def _in_force(position: Position, book: Catalogue, counts: RelevantToTrial) -> list[str]:
    """Return the rulings that can affect the answer: those between two relevant norms, and those
    that a relevant norm reads."""
    norms = counts.norms
    found = []
    for each in book.rulings:
        ruling = position.program.norms[each]
        pairs = ({it.winner, it.loser} <= norms for it in book.settles(ruling))
        read = not norms.isdisjoint(book.read_by(ruling))
        if each not in position.switched_off and (any(pairs) or read):
            found.append(each)
    return found


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
    #: The time limit in seconds.
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
        head = layout.Line((f"{self.question_line}: ", layout.strong(self.short)))
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
            "question": self.question_line,
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
    known: dict[tuple[str, ...], RepairTrial | None] | None = None,
) -> Repaired:
    """Return the smallest changes of some kinds, near the scope of an answer, that give the wanted
    one.

    `limits` apply to each evaluation. Without `allowed`, use the kinds that change during play.
    `known` keeps the results of trials: a later search for the same answer takes them from there.
    QuestionError for an answer that the question cannot have.
    """
    answer: Answer = question.answer(position, limits)
    text = answer.parse_wanted(wanted)
    kinds = default_kinds(position.vocabulary) if allowed is None else tuple(allowed)
    same = answer.agrees(text) is True
    of = {"question": question, "about": answer.about, "beside": answer.beside, "on": position}
    of["seconds"] = seconds
    base = Repaired(answer, answer.summary(), text, kinds, already=same, **of)  # type: ignore[arg-type]
    if same:
        return base
    trials, clock = Trials(position, question, limits), Deadline(seconds)
    search = _Search(trials, text, clock, told, {} if known is None else known)
    place = neighbourhood(position, answer, relevant_to_trial(position, question, limits))
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


class RepairTrial(NamedTuple):
    """The result of a trial: the verdict, whether it is the wanted one, and whether the answer is
    the same as before."""

    short: str
    wanted: bool
    same: bool


class _Search:
    """A search that tries single lines, then pairs, beginning with lines that affect the answer."""

    def __init__(
        self,
        trials: Trials,
        wanted: str,
        clock: Deadline,
        told: TrialProgress | None,
        known: dict[tuple[str, ...], RepairTrial | None],
    ) -> None:
        self.trials = trials
        self.base = trials.with_position(trials.position)
        self.wanted = wanted
        self.clock = clock
        self.told = told
        self.known = known
        self.lines = self.pairs = self.pairs_left = 0
        self._stirring: list[ChangeCandidate] = []
        self._idle: list[ChangeCandidate] = []

    def trial(self, lines: Sequence[ChangeCandidate]) -> RepairTrial | None:
        """Return the result of some lines together; None if there is no answer."""
        typed = tuple(each.typed for each in lines)
        if typed not in self.known:
            found = self.trials.of(lines)
            self.known[typed] = (
                None
                if found is None or found.answer is None
                else RepairTrial(
                    found.short,
                    found.answer.agrees(self.wanted) is True,
                    self.base is not None and found.answer == self.base.answer,
                )
            )
        return self.known[typed]

    def alone(self, every: Sequence[ChangeCandidate]) -> Iterator[ChangeCandidate]:
        """Yield the lines that suffice alone."""
        last = ""
        for each in every:
            if self.clock.over:
                return
            self.lines += 1
            if self.told is not None:
                self.told(self.lines, len(every), _trial(each.line, last))
            found = self.trial([each])
            if found is None:
                continue
            if found.wanted:
                last = f"{each.typed} gives {found.short}"
                yield each
            elif found.same:
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
            found = self.trial(pair)
            if found is not None and found.wanted:
                yield pair
