"""Why an answer is what it is, for people: an answer with its proofs as trees, in about a dozen lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from rules_asp.answers.abridging import abridged
from rules_asp.answers.accounts import Point, Tie, account
from rules_asp.answers.explaining import Why
from rules_asp.knowledge.cites import NO_CITES
from rules_asp.knowledge.tags import Norm
from rules_asp.positions.prepared import Position
from rules_asp.telling import text
from rules_asp.telling.layout import DIM, DOUBT, NORM, beside, rests_on, section
from rules_asp.terms.own_rules import is_own
from rules_asp.terms.query import Query

#: What is left out below a point.
_CUT = " ..."
#: Of so many norms that could make something so it is told what they lack.
_MAKERS = 5


@dataclass(frozen=True)
class Opened:
    """How much of a proof is told: `full` all of it, `source` where each rule stands."""

    full: bool = False
    source: bool = False


def why(
    out: Console, position: Position, query: Query, answer: Why, opened: Opened = Opened()
) -> None:
    """An answer with its proofs as trees, norms with their senses."""
    if query.variables or answer.asked.holds is None:
        # Their senses come with what each of them lacks.
        asked = replace(answer.asked, cites=NO_CITES, beaten=())
        text.ask(out, position, query, replace(asked, could=()) if answer.lacking else asked)
    else:
        asked = replace(answer.asked, could=()) if answer.lacking else answer.asked
        text.word(out, position, asked)
        text.not_allowed(out, position, answer.asked)
    _lacking(out, position, answer, opened)
    trees(out, position, [answer], opened)
    rests_on(out, position, answer.asked.cites)
    beside(out, answer)


def _lacking(out: Console, position: Position, answer: Why, opened: Opened) -> None:
    """Of each norm that could make it so, what it lacks here."""
    norms = position.program.norms
    shown = answer.lacking if opened.full else answer.lacking[:_MAKERS]
    for each in shown:
        if each.norm is None:
            out.print(each.lacks)
    section(
        out,
        "these norms could, but",
        [
            (
                Text(each.norm, NORM),
                Text(each.lacks)
                + Text(f"  {norms[each.norm].sense}", DIM)
                + Text(f"  {_path(each.at)}" if opened.source and each.at else "", DIM),
            )
            for each in shown
            if each.norm is not None
        ],
    )
    if more := len(answer.lacking) - len(shown):
        out.print(f"  and {more} more: --full", style=DIM)


def _path(at: str) -> str:
    """Where a rule stands, as one finds it: below `kb/`, or where one's own rules are."""
    return at if is_own(at) else f"kb/{at}"


def reasons(out: Console, position: Position, answers: Sequence[Why], opened: Opened) -> None:
    """The proofs of what an answer of another kind comes down to, below that answer."""
    if any(answer.proofs for answer in answers):
        out.print("why:")
        trees(out, position, answers, opened)


def trees(out: Console, position: Position, answers: Iterable[Why], opened: Opened) -> None:
    """The proofs of some answers."""
    answers = list(answers)
    shown = _Shown(position.program.norms, opened)
    steps = [step for answer in answers for step in answer.proofs]
    points = account(steps, position.program.norms)
    if not opened.full:
        points = abridged(points)
    for each in points:
        out.print(shown.tree(each))
    if left_out := sum(answer.left_out for answer in answers):
        out.print(f"and {left_out} more ways like this", style=DIM)
    cut = any(one.cut for each in points for one in each.walk())
    if cut:
        out.print(f"{_CUT.strip()} has more: --full", style=DIM)


@dataclass(frozen=True)
class _Shown:
    """What has been shown: the sense of a norm or fact is given where it comes first."""

    norms: Mapping[str, Norm]
    opened: Opened
    senses: set[str] = field(default_factory=set)

    def tree(self, point: Point) -> Tree:
        """A point with all below it."""
        tree = Tree(self.line(point), guide_style=DIM)
        for each in point.because:
            tree.add(self.tree(each))
        return tree

    def line(self, point: Point) -> Text:
        """A point on a line."""
        said = Text("less: " if point.tie is Tie.OUTBID else "") + Text(point.claim)
        if point.norm and point.tie is not Tie.BEATEN:
            said += Text("  ") + Text(point.norm, NORM)
        norm = self.norms.get(point.norm or "")
        if norm is not None and (norm.assumed or norm.reading):
            said += Text(" (assumed)" if norm.assumed else " (our reading)", DOUBT)
        if point.sense and point.sense not in self.senses and point.sense != point.claim:
            self.senses.add(point.sense)
            said += Text(f"  {point.sense}", DIM)
        if point.again:
            said += Text("  see above", DIM)
        if point.cut:
            said += Text(_CUT, DIM)
        if self.opened.source and point.at is not None:
            said += Text(f"  {_path(point.at)}", DIM)
        return said
