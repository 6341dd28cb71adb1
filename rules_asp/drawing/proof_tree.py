"""A proof as a picture: each point with its norm and summary, and below it its reasons."""

from __future__ import annotations

from collections.abc import Sequence

from rules_asp.drawing.canvas import LINE, wrapped
from rules_asp.drawing.style import COLOUR, Theme
from rules_asp.drawing.svg import Element, data, document, group, path, text, width_of
from rules_asp.explain.justification import JustificationNode

_WIDTH = 1100.0
_SIZE, _STEP, _MARGIN = 15.0, 30.0, 24.0


def tree_svg(
    title: str,
    points: Sequence[JustificationNode],
    cites: Sequence[str] = (),
    looks: Theme = COLOUR,
) -> str:
    """Draw the proof of an answer as SVG; the summary of a norm is shown at its first use."""
    drawing = _Tree(looks)
    drawing.words([title], _MARGIN, bold=True, size=20.0)
    for point in points:
        drawing.y += 8
        drawing.point(point, 0)
    if cites:
        drawing.y += 10
        drawing.words([f"rests on {', '.join(cites)}"], _MARGIN)
    paper = path(f"M0 0h{_WIDTH:.0f}v{drawing.y + _MARGIN:.0f}h-{_WIDTH:.0f}z", fill=looks.paper)
    box = (0.0, 0.0, _WIDTH, drawing.y + _MARGIN)
    return document([paper, *drawing.found], box, _WIDTH, title)


class _Tree:
    """A tree while it is drawn: its current depth, and the norms explained so far."""

    def __init__(self, looks: Theme) -> None:
        self.looks = looks
        self.y = _MARGIN
        self.found: list[Element] = []
        self.explained: set[str] = set()

    def words(
        self,
        said: Sequence[str],
        left: float,
        bold: bool = False,
        size: float = _SIZE,
        fill: str = "",
    ) -> None:
        """Draw lines of text from a left edge; long ones are broken."""
        for paragraph in said:
            for each in wrapped(paragraph, size, _WIDTH - _MARGIN - left):
                self.y += size * LINE
                at = (left, self.y - size * LINE / 2)
                self.found.append(
                    text(each, at, size, fill or self.looks.ink, anchor="start", bold=bold)
                )

    def point(self, point: JustificationNode, depth: int) -> tuple[float, float]:
        """Draw a point and its subtree; return the start of its first line."""
        left = _MARGIN + depth * _STEP
        top = self.y + _SIZE * LINE / 2
        before = len(self.found)
        norm_width = width_of(point.norm or "", _SIZE) + 12 if point.norm else 0
        room = _WIDTH - _MARGIN - left
        if point.norm and width_of(point.claim, _SIZE) + norm_width <= room:
            at = (left + width_of(point.claim, _SIZE) + 12, top)
            self.words([point.claim], left, bold=True)
            self.found.append(
                text(point.norm, at, _SIZE, self.looks.clear_line, anchor="start", bold=True)
            )
        else:
            self.words([point.claim], left, bold=bool(point.norm))
            if point.norm:
                self.words([point.norm], left + 20, bold=True, fill=self.looks.clear_line)
        if point.again:
            self.words(["(see above)"], left + 20)
        elif point.sense and point.sense not in self.explained:
            self.explained.add(point.sense)
            self.words([point.sense], left + 20)
        self.y += 4
        below = [self.point(each, depth + 1) for each in point.because]
        x = left + 8
        guides = [
            path(
                f"M{x:.0f} {top + 12:.0f}V{y:.0f}H{to - 4:.0f}",
                fill="none",
                stroke=self.looks.grid,
                stroke_width=1.5,
            )
            for to, y in below
        ]
        inner = self.found[before:]
        del self.found[before:]
        about = data(norm=point.norm or "", depth=depth)
        self.found.append(group([*guides, *inner], "point", about=about))
        return left, top
