"""The marks that stand in hexes: a glyph for each input of the vocabulary, and each topic, that has one.

What is not here is drawn by a function of its own (`DRAWN`), or is nothing to be seen on a map (`UNSEEN`);
a test holds the three against kb/vocabulary.lp.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Glyph:
    """A glyph in a box of 80 x 80 around its middle: path data, its colour, whether it is filled."""

    data: str
    colour: str = "#222222"
    filled: bool = True
    thick: int = 8


def _names(text: str) -> list[str]:
    return text.split()


_PILLBOX = "M-36 34V-8L0-36L36-8V34zM-22 6V20H22V6z"
_FLAME = "M0 38C-34 38-34 2-8-8C-10-22-2-34 10-40C6-22 34-10 28 16C26 32 12 38 0 38z"
_FLAG = "M-26 40V-38M-26-36L30-24L-26-6"
_HEAP = "M-40 34L-22 4L-8 16L6-20L24 8L40 34z"
_TOWER = "M-24 40V-20H-34V-40H-16V-30H-8V-40H8V-30H16V-40H34V-20H24V40zM-8 40V14H8V40z"
_STEPS = "M-36 34V16H-12V-2H12V-20H36V34z"
_LADDER = "M-18-40V40M18-40V40M-18-24H18M-18 0H18M-18 24H18"
_ROOF = "M-40 10L0-24L40 10"
_BURST = "M0-40L10-14L38-24L20-2L40 14L14 14L10 40L-4 18L-28 34L-20 8L-40-4L-16-10L-22-36L-4-18z"
_SAW = "M-40 34V-2L-14-26V-2L12-26V-2L40-26V34z"
_MINE = (
    "M-22 0a22 22 0 1 0 44 0a22 22 0 1 0-44 0M0-40V-22M0 22V40M-40 0H-22M22 0H40"
    "M-28-28L-16-16M16 16L28 28M28-28L16-16M-28 28L-16 16"
)
_CLOUD = "M-24 24a18 18 0 0 1-4-34a22 22 0 0 1 40-12a18 18 0 0 1 16 46z"
_COIL = "M-40 0c4-28 22-28 20 0s-16 28-8 0s22-28 20 0s-16 28-8 0s22-28 20 0s-16 28-8 0s22-28 20 0s-12 24-10 0"
_CROSS = "M-30-30L30 30M-30 30L30-30"

#: Inputs of which each fact puts a mark into a hex or a Location.
INPUTS: dict[str, Glyph] = {
    "ssr_factory": Glyph(_SAW, "#5b3a16"),
    "ssr_third_level": Glyph(_STEPS, "#54278f"),
    "ssr_stairwell": Glyph("M-30-30H30V30H-30zM-18-18V18H18V-18z", "#54278f"),
    "cropped": Glyph("M-40 0l20-30 20 60 20-60 20 30", "#7f2704", filled=False),
    "ssr_levels": Glyph(_STEPS, "#54278f", filled=False),
    "ssr_access_point": Glyph(_LADDER, "#54278f", filled=False, thick=9),
    "ssr_roofless": Glyph(_ROOF + "M-30 34L30-36", "#54278f", filled=False, thick=9),
    "ssr_tower": Glyph(_TOWER, "#54278f"),
    "control": Glyph(_FLAG, "#08519c", filled=False, thick=9),
    "front_line": Glyph("M-38 16L-14-18L0 8L14-18L38 16", "#8c2d04", filled=False, thick=10),
    "rubbled_level": Glyph(_HEAP, "#6d5527"),
    "level_counter": Glyph(_STEPS, "#08519c"),
    "flame": Glyph(_FLAME, "#c43c00"),
    "blaze": Glyph(
        _FLAME
        + "M-34 40C-46 26-34 12-28 8C-30 22-20 26-18 40zM34 40C46 26 34 12 28 8C30 22 20 26 18 40z",
        "#8f1d00",
    ),
    "smoke": Glyph(_CLOUD, "#6d7075"),
    "wp": Glyph(_CLOUD, "#9a9a9a", filled=False, thick=7),
    "wire": Glyph(_COIL, "#222222", filled=False, thick=7),
    "mines": Glyph(_MINE, "#8c2d04", filled=False, thick=9),
    "fortified": Glyph(_PILLBOX, "#222222"),
    "fortified_counter": Glyph(_PILLBOX, "#08519c"),
    "residual_fp": Glyph(_BURST, "#8f1d00"),
    "collapsed": Glyph(_TOWER + "M-40-40L40 40", "#8f1d00", filled=False),
}

#: Topics of the knowledge base that put a mark into each hex or Location of which they are a yes.
TOPICS: dict[str, Glyph] = {
    "factory": Glyph(_SAW, "#2f3338"),
    "access_point": Glyph(_LADDER, "#2f3338", filled=False, thick=9),
    "tower": Glyph(_TOWER, "#2f3338"),
}

#: Floors with a mark of their own, where the knowledge base has such a Location.
FLOORS: dict[str, Glyph] = {
    "roof": Glyph(_ROOF, "#2f3338", filled=False, thick=11),
    "steeple": Glyph("M-22 40V0L0-40L22 0V40zM-3-40V-52H3V-40", "#2f3338"),
}

#: Inputs that other functions draw: areas, lines, counters, symbols.
DRAWN = frozenset(
    _names(
        """map hex base terrain part depicts named joined stairwell_symbol striped dashed bar short_bar
    side_terrain wall_gap upslope road road_along roads_pass symbol ssr_unpaved unit of_side strength at status
    has gone possesses leads vca tca ma gun_kind size tows bypasses rides nationality climb rubble breach
    hidden_breach roadblock bridge ssr_commando"""
    )
)

#: Inputs that are told above the map, since they are of no place, or of what has happened.
TOLD = frozenset(
    _names(
        """section treat ssr_rooftops ssr_fortified_levels ssr_interior_walls_breached ob_breaches fpp
    board_edition turn moving_side phase month season night nvr weather lv_hindrance ec side event
    ssr_buildings ssr_buildings_on ift attempted_entry
    tca_tries crossed fired_through firing_through directing_through"""
    )
)

#: Inputs that nothing shows: they follow from where the hexes, and the boards of a map, lie.
UNSEEN = frozenset(("next", "of_board"))
