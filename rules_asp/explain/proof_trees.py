"""Proofs as trees for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules_asp.explain import layout
from rules_asp.explain.justification import JustificationNode, Relation, abridge, justification
from rules_asp.explain.proof import ProofStep
from rules_asp.explain.unknown import Reason, open_points
from rules_asp.game.house_rules import is_house_rule
from rules_asp.positions.position import Position

#: What is left out below a point.
_CUT = " ..."


def proof_trees(
    position: Position,
    steps: Iterable[ProofStep],
    view: layout.View,
    unknown: Iterable[Reason] = (),
    left_out: int = 0,
) -> Iterator[layout.Block]:
    """Proofs as trees, in about a dozen lines.

    `unknown` are reasons that are shown before, `left_out` counts the ways that are not proved.
    """
    norms = position.program.norms
    points = justification(steps, norms, position.notation)
    cited = dict.fromkeys(one.norm for each in points for one in each.walk() if one.norm)
    if not view.full:
        points = abridge(points)
    senses: set[str] = set()
    yield from (_tree(point, view, senses) for point in points)
    if left_out:
        yield layout.Line(layout.dim(f"and {left_out} more ways like this"))
    if any(one.cut for each in points for one in each.walk()):
        yield layout.Line(layout.dim(f"{_CUT.strip()} has more: --full"))
    # Where the answer is unknown they are shown with the reasons.
    shown_before = open_points(unknown)
    listed = (norms[each] for each in cited if each in norms)
    yield layout.left_open(each for each in listed if each not in shown_before)


def _tree(point: JustificationNode, view: layout.View, senses: set[str]) -> layout.Tree:
    """A point with all below it; the sense of a norm or fact is given where it comes first."""
    said: list[str | layout.Span] = ["less: " if point.tie is Relation.OUTBID else "", point.claim]
    if point.norm and point.tie is not Relation.BEATEN:
        said += ["  ", layout.norm_span(point.norm)]
    dim = ""
    if point.sense and point.sense not in senses and point.sense != point.claim:
        senses.add(point.sense)
        dim += f"  {point.sense}"
    dim += "  see above" if point.again else ""
    dim += _CUT if point.cut else ""
    if view.source and point.at is not None:
        dim += f"  {rule_path(point.at)}"
    below = tuple(_tree(each, view, senses) for each in point.because)
    return layout.Tree((*said, layout.dim(dim)), below)


def rule_path(at: str) -> str:
    """Where a rule stands, as one finds it: below `kb/`, or where one's own rules are."""
    return at if is_house_rule(at) else f"kb/{at}"
