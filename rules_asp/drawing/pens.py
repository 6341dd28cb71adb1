"""What every layer of a picture draws with: what is seen, how it looks, and what the legend must
explain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import svg

from rules_asp.drawing.elements import Element, data, group, path, placed
from rules_asp.drawing.looks import TEXTURES, AreaStyle, LineStyle, Theme
from rules_asp.drawing.seen import Scene
from rules_asp.terms.grid import Hex, Location, Spot, hex_of_spot


@dataclass(frozen=True)
class LegendEntry:
    """An entry of the legend: a swatch of 120 x 80 around its middle, and words."""

    swatch: tuple[Element, ...]
    words: str


@dataclass
class Canvas:
    """A picture in the making. `level` is the one floor that is shown, None for all of them.

    `legend` and `textures` gather what has been used; `notes` are texts too long for their place, which
    stand below the map with a number: those of a picture that this one goes on from keep theirs, and
    `noted` are those that are still used. `around` are the hexes among which names find their place, where
    these are more than are drawn.
    """

    seen: Scene
    looks: Theme
    hexes: frozenset[Hex]
    level: int | str | None = None
    legend: dict[str, LegendEntry] = field(default_factory=dict)
    textures: dict[str, svg.Pattern] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)
    around: frozenset[Hex] | None = None

    def explain(self, key: str, words: str, swatch: Iterable[Element]) -> None:
        """Have the legend explain something, once."""
        if key not in self.legend:
            self.legend[key] = LegendEntry(tuple(swatch), words)

    def note(self, text: str) -> str:
        """The number under which a text stands below the map."""
        if text not in self.notes:
            self.notes.append(text)
        self.noted.add(text)
        return f"*{self.notes.index(text) + 1}"

    def is_shown(self, where: Location | Spot) -> bool:
        """Whether a place is in the part of the map, and on the level, that is drawn."""
        if isinstance(where, Location):
            on_level = self.level is None or where.floor == self.level
            return on_level and hex_of_spot(where.spot) in self.hexes
        return hex_of_spot(where) in self.hexes

    def texture(self, look: AreaStyle) -> str:
        """The paint of a look's texture."""
        name = f"{self.looks.name}-{look.texture}-{look.ink.lstrip('#')}"
        if name not in self.textures:
            one = TEXTURES[look.texture]
            self.textures[name] = svg.Pattern(
                id=name,
                width=one.tile,
                height=one.tile,
                patternUnits="userSpaceOnUse",
                elements=[
                    path(
                        one.data,
                        fill=look.ink if one.filled else "none",
                        stroke=None if one.filled else look.ink,
                        stroke_width=None if one.filled else one.thick,
                    )
                ],
            )
        return f"url(#{name})"

    def area(self, shape: str, look: AreaStyle, rim: int = 8) -> list[Element]:
        """An area in a look."""
        first = path(
            shape,
            fill=look.fill,
            fill_rule="evenodd",
            stroke=look.rim,
            stroke_width=rim,
            stroke_linejoin="round",
        )
        if not look.texture:
            return [first]
        return [first, path(shape, fill=self.texture(look), fill_rule="evenodd")]

    def swatch(self, look: AreaStyle) -> list[Element]:
        """A small area in a look, for the legend."""
        # Textures begin at the corner; at half their size more of them is to be seen.
        whole = group(self.area("M0 0h240v160h-240z", look, 16), "glyph")
        return [placed(whole, -60, -40, 0.5)]


def stroked(shape: str, look: LineStyle, cap: str = "butt") -> list[Element]:
    """A line in a look: its casing, itself, its dashes."""
    layers = [
        (look.casing, look.casing_thick, ""),
        (look.fill, look.thick, ""),
        (look.dash_ink, look.dash_thick, look.dash),
    ]
    return [
        path(
            shape,
            fill="none",
            stroke=ink,
            stroke_width=thick,
            stroke_linecap=cap,
            stroke_linejoin="round",
            extra={"stroke-dasharray": dash} if dash else None,
        )
        for ink, thick, dash in layers
        if ink and thick
    ]


def stroke_swatch(look: LineStyle) -> list[Element]:
    """A short line in a look, for the legend; a broad one is drawn smaller."""
    thick = max(look.thick, look.casing_thick, look.dash_thick)
    scale = min(1.0, 76 / thick)
    shape = f"M{-60 / scale:.0f} 0H{60 / scale:.0f}"
    return [placed(group(stroked(shape, look), "glyph"), 0, 0, scale)]


def fact_group(name: str, elements: Iterable[Element], /, **about: object) -> svg.G:
    """What a fact draws: `data-fact` names it, as the vocabulary does."""
    return group(elements, "fact", about=data(fact=name, **about))
