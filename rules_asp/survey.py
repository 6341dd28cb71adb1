"""What lies on many lines, so that the weightiest of what each line meets can be had apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules_asp.geometry import Concerns, measure
from rules_asp.grid import Spot
from rules_asp.shapes import Shapes


@dataclass(frozen=True)
class Survey:
    """The facts of many lines, as `rules_asp.geometry` gives them."""

    text: str
    concerns: Concerns

    def weightiest(self, count: int) -> str:
        """All facts, but of what each line meets only the `count` that concern the highest lines."""
        weights = {
            f"{hex_.col},{hex_.row}),{kind}": below
            for (hex_, kind), below in self.concerns.parts.items()
        }
        sides = {
            f"{kind},{where.term}": below for (kind, where), below in self.concerns.sides.items()
        }
        kept: list[str] = []
        weighed: list[tuple[int, str, str]] = []
        for fact in self.text.split("\n"):
            if fact.startswith("meets"):
                one, two, rest = fact.split("),(", 2)
                weighed.append((weights[rest.rsplit(",", 2)[0]], one[6:] + two, fact))
            elif fact.startswith("crosses"):
                one, rest = fact.split("),(", 1)
                two, what = rest.split("),", 1)
                weighed.append((sides[what.rsplit(",", 2)[0]], one[8:] + two, fact))
            else:
                kept.append(fact)
        weighed.sort(key=lambda each: -each[0])
        taken: dict[str, int] = {}
        for _, line, fact in weighed:
            number = taken.get(line, 0)
            if number < count:
                taken[line] = number + 1
                kept.append(fact)
        return "\n".join(kept)


def survey(
    shapes: Shapes,
    concerns: Concerns,
    lines: Iterable[tuple[Spot, Spot]],
    lowest: Mapping[Spot, int],
) -> Survey:
    """Measure lines; arguments and errors are those of `rules_asp.geometry.measure`."""
    return Survey(measure(shapes, concerns, lines, lowest), concerns)
