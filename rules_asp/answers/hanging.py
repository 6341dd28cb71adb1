"""What an answer hangs on: each thing that can be otherwise is made otherwise, and the question put again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rules_asp.answers.shortly import in_short
from rules_asp.answers.trying import (
    Bearing,
    Clock,
    Put,
    Told,
    Trials,
    Tried,
    bearing,
    near,
    played_without,
    without_ruling,
)
from rules_asp.answers.words import NO_SUCH_THING
from rules_asp.knowledge.book import Catalogue, catalogue
from rules_asp.knowledge.cites import NO_CITES, Cites
from rules_asp.positions.belonging import OfPosition
from rules_asp.positions.candidates import Candidate, candidates_near
from rules_asp.positions.prepared import Position

#: What is tried, by what it is, in this order; and the share of the time left that each may take.
SAID, NORMS, RULINGS, UNSAID = "statements", "norms", "rulings", "absences"
_SHARES = {SAID: 0.5, NORMS: 0.5, RULINGS: 0.5, UNSAID: 1.0}


@dataclass(frozen=True)
class Turning:
    """A line without which, or with which, the answer is another one: that."""

    candidate: Candidate
    answer: str


@dataclass(frozen=True)
class Ruled:
    """A norm or ruling without which the answer is another one: that."""

    norm: str
    answer: str


@dataclass(frozen=True)
class Hanging(OfPosition):
    """What an answer hangs on.

    `said` are lines of the board, `unsaid` such as it does not have, `norms` and `rulings` those without
    which it is answered otherwise; `readings` are the choices that the text does not make among what it
    rests on.
    `tried` counts what was tried, by what it is, and `left` what was not, for want of time.
    """

    answer: OfPosition
    short: str
    said: tuple[Turning, ...] = ()
    unsaid: tuple[Turning, ...] = ()
    norms: tuple[Ruled, ...] = ()
    rulings: tuple[Ruled, ...] = ()
    readings: tuple[str, ...] = ()
    tried: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)


def hung_on(
    position: Position,
    answer: OfPosition,
    put: Put,
    seconds: float | None = 60.0,
    told: Told | None = None,
) -> Hanging:
    """What an answer hangs on that is near what it is about, as far as it can be tried in the time.

    `put` puts the question to a position, `told` is told what is tried. QuestionError for an answer
    that is of many things at once.
    """
    short = in_short(answer)
    clock = Clock(seconds)
    counts = bearing(position, put)
    trials = Trials(position, put)
    every = candidates_near(position, near(position, answer.about, counts))
    cites = getattr(answer, "cites", NO_CITES)
    assert isinstance(cites, Cites)
    cites_of = tuple(dict.fromkeys(each for each in cites.norms if each in position.program.norms))
    book = catalogue(position.program.source)
    rulings = _in_force(position, book, counts)
    groups: dict[str, Sequence[Candidate] | Sequence[str]] = {
        SAID: [each for each in every if not _is_put(each)],
        NORMS: [each for each in cites_of if each not in book.rulings],
        RULINGS: rulings,
        UNSAID: [each for each in every if _is_put(each)],
    }
    total = sum(map(len, groups.values()))
    done = 0
    turned: dict[str, list[Turning]] = {SAID: [], UNSAID: []}
    ruled: dict[str, list[Ruled]] = {NORMS: [], RULINGS: []}
    tried: dict[str, int] = {}
    for group, members in groups.items():
        part = clock.part(_SHARES[group])
        tried[group] = 0
        for each in members:
            if part.over:
                break
            tried[group] += 1
            if told is not None:
                told(done + tried[group], total, str(getattr(each, "line", each)))
            found = _tried(trials, each)
            if found is None or found.short == short:
                continue
            if isinstance(each, Candidate):
                turned[group].append(Turning(each, found.short))
            else:
                ruled[group].append(Ruled(each, found.short))
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
        about=answer.about,
        beside=answer.beside,
        on=position,
    )


def _is_put(each: Candidate) -> bool:
    """Whether a line brings what is not there, and not what takes something away."""
    return each.adds and not each.less


def _tried(trials: Trials, each: Candidate | str) -> Tried | None:
    if isinstance(each, Candidate):
        return trials.of([each])
    position = trials.position
    if position.program.norms[each].ruling:
        return trials.on(without_ruling(position, each))
    lesser = played_without(position, each)
    try:
        return Tried(None, NO_SUCH_THING) if lesser is None else trials.on(lesser)
    except (LookupError, ValueError):
        # Without the norm there is not even what is asked about.
        return Tried(None, NO_SUCH_THING)


def _in_force(position: Position, book: Catalogue, counts: Bearing) -> list[str]:
    """The rulings that can bear on the answer: those between two norms that do, and those that one reads."""
    norms = counts.norms
    found = []
    for each in book.rulings:
        ruling = position.program.norms[each]
        pairs = ({it.winner, it.loser} <= norms for it in book.settles(ruling))
        read = not norms.isdisjoint(book.read_by(ruling))
        if each not in position.switched_off and (any(pairs) or read):
            found.append(each)
    return found
