"""The proofs of answers as text: trees of rules with their summaries, in about a dozen lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from rules_asp.explain.justification import JustificationNode, Relation, abridge, justification
from rules_asp.explain.unknown import open_points
from rules_asp.game.house_rules import is_house_rule
from rules_asp.game.query import Query
from rules_asp.knowledge.catalogue import NO_CITATIONS
from rules_asp.knowledge.rules import Norm
from rules_asp.output.answer_text import ask, not_allowed, word
from rules_asp.output.console import (
    DIM,
    NORM,
    citations_text,
    issues_text,
    open_text,
    section,
)
from rules_asp.positions.position import Position
from rules_asp.queries.why import Why

#: What is left out below a point.
_CUT = " ..."
#: Of so many norms that could make something so it is told what they lack.
_MAX_MAKERS = 5


@dataclass(frozen=True)
class ProofDetail:
    """How much of a proof is told: `full` all of it, `source` where each rule stands."""

    full: bool = False
    source: bool = False


def why(
    out: Console, position: Position, query: Query, answer: Why, opened: ProofDetail = ProofDetail()
) -> None:
    """An answer with its proofs as trees, norms with their senses."""
    if query.variables or answer.asked.holds is None:
        # Their senses come with what each of them lacks.
        asked = replace(answer.asked, cites=NO_CITATIONS, beaten=())
        asked = replace(asked, could=()) if answer.lacking else asked
        ask(out, position, query, asked, proved=len(query.literals) == 1 and bool(answer.proofs))
    else:
        asked = replace(answer.asked, could=()) if answer.lacking else answer.asked
        word(out, position, asked)
        not_allowed(out, position, answer.asked)
    _lacking(out, position, answer, opened)
    trees(out, position, [answer], opened)
    citations_text(out, position, answer.asked.cites)
    issues_text(out, answer)


def _lacking(out: Console, position: Position, answer: Why, opened: ProofDetail) -> None:
    """Of each norm that could make it so, what it lacks here."""
    norms = position.program.norms
    shown = answer.lacking if opened.full else answer.lacking[:_MAX_MAKERS]
    for each in shown:
        if each.norm is None:
            out.print(each.condition)
    section(
        out,
        "Rules that could, and their first unmet condition",
        [
            (
                Text(each.norm, NORM),
                Text(each.condition)
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
    return at if is_house_rule(at) else f"kb/{at}"


def reasons(out: Console, position: Position, answers: Sequence[Why], opened: ProofDetail) -> None:
    """The proofs of what an answer of another kind comes down to, below that answer."""
    if any(answer.proofs for answer in answers):
        out.print("Why")
        trees(out, position, answers, opened)


def trees(out: Console, position: Position, answers: Iterable[Why], opened: ProofDetail) -> None:
    """The proofs of some answers."""
    answers = list(answers)
    shown = _Shown(position.program.norms, opened)
    steps = [step for answer in answers for step in answer.proofs]
    norms = position.program.norms
    points = justification(steps, norms, position.notation)
    cited = dict.fromkeys(one.norm for each in points for one in each.walk() if one.norm)
    if not opened.full:
        points = abridge(points)
    for point in points:
        out.print(shown.tree(point))
    if left_out := sum(answer.left_out for answer in answers):
        out.print(f"and {left_out} more ways like this", style=DIM)
    cut = any(one.cut for each in points for one in each.walk())
    if cut:
        out.print(f"{_CUT.strip()} has more: --full", style=DIM)
    # Where the answer is unknown they are shown with the reasons.
    shown_before = open_points(why for answer in answers for why in answer.asked.unknown)
    listed = (norms[each] for each in cited if each in norms)
    open_text(out, [each for each in listed if each not in shown_before])


@dataclass(frozen=True)
class _Shown:
    """What has been shown: the sense of a norm or fact is given where it comes first."""

    norms: Mapping[str, Norm]
    opened: ProofDetail
    senses: set[str] = field(default_factory=set)

    def tree(self, point: JustificationNode) -> Tree:
        """A point with all below it."""
        tree = Tree(self.line(point), guide_style=DIM)
        for each in point.because:
            tree.add(self.tree(each))
        return tree

    def line(self, point: JustificationNode) -> Text:
        """A point on a line."""
        said = Text("less: " if point.tie is Relation.OUTBID else "") + Text(point.claim)
        if point.norm and point.tie is not Relation.BEATEN:
            said += Text("  ") + Text(point.norm, NORM)
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
