"""Themes, colors, textures and glyphs as tables.

Colors of neighbors differ in lightness, and every terrain has a pattern of its own. So the map is
also readable in black, and without color vision; a test computes this.

Inputs that are not here have a drawing function of their own (`DRAWN`) or are invisible on a map
(`UNSEEN`); a test compares all three with kb/vocabulary.lp.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# --- Colors and patterns as tables, one for the screen and one in black and white.


@dataclass(frozen=True)
class Texture:
    """A repeating pattern: its tile's edge in lattice units, and its path data.

    `filled`: the path is filled; otherwise it is a line of this width in lattice units.
    """

    tile: int
    data: str
    filled: bool = True
    thick: int = 8


@dataclass(frozen=True)
class AreaStyle:
    """The look of an area: its color, and the colors of its rim and its texture."""

    fill: str
    rim: str = "none"
    texture: str = ""
    ink: str = "#000000"


@dataclass(frozen=True)
class LineStyle:
    """The look of a line: its casing, the line itself, and a dashed line on top."""

    fill: str
    thick: int
    casing: str = ""
    casing_thick: int = 0
    dash: str = ""
    dash_ink: str = ""
    dash_thick: int = 0


@dataclass(frozen=True)
class Theme:
    """All looks of a map.

    `levels` are the colors of the ground by level. Terrain that is not in a table uses
    `unknown_terrain`.
    """

    name: str
    levels: dict[int, str]
    contour: str
    terrain: dict[str, AreaStyle]
    unknown_terrain: AreaStyle
    buildings: dict[str, AreaStyle]
    striped: AreaStyle
    roads: dict[str, LineStyle]
    sides: dict[str, LineStyle]
    units: tuple[tuple[str, str], ...]
    no_side: tuple[str, str]
    paper: str = "#ffffff"
    ink: str = "#111111"
    grid: str = "#5f6257"
    halo: str = "#ffffff"
    seen: str = "#f7d038"
    hidden: str = "#4a4a4a"
    hindered: str = "#e08a00"
    clear_line: str = "#0057b7"
    blocked_line: str = "#c2185b"
    alarm: str = "#c2185b"
    reach: tuple[str, ...] = field(default=())
    #: Sides whose counters have a color of their own, as players know it: fill and rim.
    nations: dict[str, tuple[str, str]] = field(default_factory=dict)


_QUERY = "M50 56q0-26 26-26t26 24t-26 34v16M76 128v10"
TEXTURES = {
    "trees": Texture(
        150,
        "M38 12a26 26 0 1 0 1 0zM112 86a26 26 0 1 0 1 0z",
    ),
    "rows": Texture(
        172,
        "M43 22a21 21 0 1 0 1 0zM129 22a21 21 0 1 0 1 0zM43 108a21 21 0 1 0 1 0z"
        "M129 108a21 21 0 1 0 1 0z",
    ),
    "rings": Texture(
        172,
        "M43 22a21 21 0 1 0 1 0zM129 108a21 21 0 1 0 1 0z",
        filled=False,
    ),
    "tufts": Texture(110, "M15 40l10-26l6 26l14-20M70 95l10-26l6 26l14-20", filled=False, thick=7),
    "ears": Texture(80, "M20 8v24M60 48v24", filled=False, thick=9),
    "reeds": Texture(140, "M10 50h60M40 50v-32M80 118h56M108 118v-32", filled=False, thick=7),
    "stones": Texture(150, "M20 52l18-30l26 10l6 24zM88 124l14-26l30 4l4 24z"),
    "graves": Texture(150, "M36 20v44M20 36h32M110 92v44M94 108h32", filled=False, thick=11),
    "rubble": Texture(96, "M8 40l22-22l16 18l-14 14zM54 84l10-24l24 4l-6 24z"),
    "furrows": Texture(60, "M0 30h60", filled=False, thick=8),
    "holes": Texture(
        200, "M50 30a34 22 0 1 0 1 0zM148 128a34 22 0 1 0 1 0z", filled=False, thick=9
    ),
    "steps": Texture(70, "M0 18l35 22l35-22", filled=False, thick=7),
    "waves": Texture(120, "M0 30q30-26 60 0t60 0M0 90q30-26 60 0t60 0", filled=False, thick=8),
    "ripples": Texture(160, "M10 40q20-20 40 0t40 0", filled=False, thick=7),
    "dots": Texture(90, "M20 20a7 7 0 1 0 1 0zM66 62a7 7 0 1 0 1 0z"),
    "stripes": Texture(64, "M0 32h64", filled=False, thick=26),
    "hatch": Texture(80, "M0 80L80 0", filled=False, thick=9),
    "cross": Texture(80, "M0 80L80 0M0 0L80 80", filled=False, thick=7),
    "query": Texture(170, _QUERY, filled=False, thick=11),
    "query_bars": Texture(170, f"{_QUERY}M0 152h170", filled=False, thick=11),
    "query_hatch": Texture(170, f"{_QUERY}M136 170l34-34", filled=False, thick=11),
    "query_rings": Texture(170, f"{_QUERY}M140 128a18 18 0 1 0 1 0z", filled=False, thick=11),
}
#: Several unknown terrains differ by the marks next to the question mark.
STRANGE = ("query", "query_bars", "query_hatch", "query_rings")

COLOUR = Theme(
    name="colour",
    levels={
        -3: "#8d9a86",
        -2: "#a7b39a",
        -1: "#bfcaae",
        0: "#e3e8cf",
        1: "#d9c594",
        2: "#c4a56b",
        3: "#ab8648",
        4: "#93703a",
        5: "#7c5d31",
        6: "#674c28",
    },
    contour="#8a6a33",
    terrain={
        "woods": AreaStyle("#4f8f4a", "#2e6130", "trees", "#2e6130"),
        "orchard": AreaStyle("#c9dba4", "#7f9a52", "rows", "#4f8f4a"),
        "orchard_out_of_season": AreaStyle("#dcdcb8", "#7f9a52", "rings", "#5d6b3a"),
        "brush": AreaStyle("#b3c07a", "#7d8a45", "tufts", "#4b5a1c"),
        "grain": AreaStyle("#f2d76b", "#b79a2a", "ears", "#9a7d12"),
        "marsh": AreaStyle("#b8d6cf", "#5d8f8c", "reeds", "#2c6b6e"),
        "crag": AreaStyle("#d3cdc2", "#8b8376", "stones", "#6b6459"),
        "graveyard": AreaStyle("#d5dcc3", "#77806a", "graves", "#4d5546"),
        "stone_rubble": AreaStyle("#c4c6c9", "#6d7075", "rubble", "#6d7075"),
        "wooden_rubble": AreaStyle("#c08f55", "#7d5527", "rubble", "#7d5527"),
        "open_ground": AreaStyle("#e3e8cf", "#9aa287"),
        "plowed_field": AreaStyle("#d8c5a0", "#a08a5e", "furrows", "#8a6d3d"),
        "shellholes": AreaStyle("#d3d2b4", "#8b8a68", "holes", "#6b6a4a"),
        "gully": AreaStyle("#a9b193", "#5f6b4a", "steps", "#5f6b4a"),
        "dry_stream": AreaStyle("#dbd2b0", "#8a7a4e", "steps", "#8a7a4e"),
        "shallow_stream": AreaStyle("#a8cfe0", "#4a86a3", "ripples", "#2e6f8f"),
        "deep_stream": AreaStyle("#6fa8cc", "#2c6690", "waves", "#1d4f75"),
        "water": AreaStyle("#5b9bd0", "#1f5a8c", "waves", "#1f5a8c"),
        "shallow_water": AreaStyle("#9cc7e6", "#4a86b0", "ripples", "#3a7099"),
        "river": AreaStyle("#5b9bd0", "#1f5a8c", "waves", "#1f5a8c"),
        "shallow_river": AreaStyle("#9cc7e6", "#4a86b0", "ripples", "#3a7099"),
        "canal": AreaStyle("#5b9bd0", "#12395c", "hatch", "#3f7fb5"),
        "ford": AreaStyle("#c2dceb", "#4a86b0", "hatch", "#2e6f8f"),
        "pond": AreaStyle("#86b9dd", "#1f5a8c", "waves", "#3a7099"),
        "soft_sand": AreaStyle("#efe2b8", "#c2ae72", "dots", "#a48d4a"),
    },
    unknown_terrain=AreaStyle("#e6d3e6", "#8a4f8a", "query", "#8a4f8a"),
    buildings={
        "gray": AreaStyle("#9ba1a8", "#2f3338"),
        "brown": AreaStyle("#a3642c", "#4a2608"),
        "disputed": AreaStyle("#c0a48d", "#4a3b30", "hatch", "#6d5a4b"),
    },
    striped=AreaStyle("#e9cfae", "#4a2608", "stripes", "#a3642c"),
    roads={
        "paved": LineStyle("#c9c6c0", 84, "#8a8781", 100),
        "runway": LineStyle("#b3b1ad", 220, "#8a8781", 240, "60 60", "#ffffff", 12),
        "dirt": LineStyle("#e2c58f", 76, "#9c7a3c", 92),
        "path": LineStyle("#8a5a22", 18, "#f3e6c8", 34, "", "", 0),
        "sunken": LineStyle("#dcbf8a", 76, "#6d5527", 116, "10 26", "#6d5527", 100),
        "elevated": LineStyle("#efdcae", 76, "#6d5527", 116, "26 10", "#ffffff", 8),
    },
    sides={
        "wall": LineStyle("#777b80", 34, "#2f3338", 46, "30 14", "#d4d7da", 18),
        "hedge": LineStyle("#2e6130", 40, "", 0, "22 20", "#8fbf6a", 22),
        "bocage": LineStyle("#24421f", 62, "#0f2410", 72, "26 24", "#6f9a45", 34),
        "cliff": LineStyle("#5b3a16", 26, "#f4ead8", 44, "12 22", "#5b3a16", 74),
    },
    units=(
        ("#c6dbef", "#08519c"),
        ("#fdd0a2", "#8c2d04"),
        ("#d9d9d9", "#252525"),
        ("#dadaeb", "#54278f"),
    ),
    no_side=("#ffffff", "#444444"),
    reach=("#08519c", "#3182bd", "#6baed6", "#9ecae1", "#c6dbef", "#e6f0f8"),
    # These colors also differ in lightness, and each counter has the letters of its side.
    nations={
        "german": ("#bcd3ea", "#12406f"),
        "russian": ("#d9ab6f", "#4a2a08"),
        "american": ("#c9d29a", "#344012"),
        "british": ("#efd9a7", "#5f4508"),
        "french": ("#9fc0e8", "#0d2f66"),
        "italian": ("#c4ccc9", "#2b3d3a"),
        "japanese": ("#f3e7a1", "#6a3a10"),
        "finnish": ("#e4e8ee", "#3c4654"),
        "chinese": ("#b7c7d9", "#5a1f1f"),
        "partisan": ("#cdb79a", "#3d2c14"),
    },
)

INK = Theme(
    name="ink",
    levels={
        -3: "#a8a8a8",
        -2: "#bcbcbc",
        -1: "#d0d0d0",
        0: "#ffffff",
        1: "#ececec",
        2: "#dadada",
        3: "#c8c8c8",
        4: "#b6b6b6",
        5: "#a4a4a4",
        6: "#929292",
    },
    contour="#555555",
    terrain={
        # The level is visible through the area, except for rubble.
        kind: AreaStyle(
            "none" if look.texture not in ("", "rubble") else "#ffffff",
            "#333333",
            look.texture,
            "#3a3a3a",
        )
        for kind, look in COLOUR.terrain.items()
    },
    unknown_terrain=AreaStyle("none", "#333333", "query", "#333333"),
    buildings={
        "gray": AreaStyle("#8f8f8f", "#000000"),
        "brown": AreaStyle("#ffffff", "#000000", "hatch", "#000000"),
        "disputed": AreaStyle("#ffffff", "#000000", "cross", "#000000"),
    },
    striped=AreaStyle("#ffffff", "#000000", "stripes", "#666666"),
    roads={
        "paved": LineStyle("#ffffff", 84, "#000000", 96),
        "runway": LineStyle("#ffffff", 220, "#000000", 232, "60 60", "#000000", 8),
        "dirt": LineStyle("#ffffff", 76, "#000000", 88, "10 30", "#777777", 30),
        "path": LineStyle("#000000", 14, "#ffffff", 34),
        "sunken": LineStyle("#ffffff", 76, "#000000", 108, "10 26", "#000000", 96),
        "elevated": LineStyle("#ffffff", 76, "#000000", 108, "26 10", "#000000", 8),
    },
    sides={
        "wall": LineStyle("#ffffff", 34, "#000000", 46, "30 14", "#888888", 18),
        "hedge": LineStyle("#000000", 40, "", 0, "22 20", "#ffffff", 22),
        "bocage": LineStyle("#000000", 66, "", 0, "26 24", "#aaaaaa", 34),
        "cliff": LineStyle("#000000", 22, "#ffffff", 44, "12 22", "#000000", 74),
    },
    units=(
        ("#ffffff", "#000000"),
        ("#c4c4c4", "#000000"),
        ("#ffffff", "#000000"),
        ("#e4e4e4", "#000000"),
    ),
    no_side=("#ffffff", "#000000"),
    ink="#000000",
    grid="#777777",
    seen="#ffffff",
    hidden="#000000",
    hindered="#777777",
    clear_line="#000000",
    blocked_line="#000000",
    alarm="#000000",
    reach=("#5a5a5a", "#7d7d7d", "#9c9c9c", "#b8b8b8", "#d3d3d3", "#ebebeb"),
)


def level_colour(looks: Theme, level: int) -> str:
    """Return the color of the ground on a level; above the table, the last color."""
    return looks.levels[max(min(looks.levels), min(max(looks.levels), level))]


# --- The marks in hexes: a glyph for each input and topic that has one.


@dataclass(frozen=True)
class Glyph:
    """A glyph in a box of 80 x 80 around its middle: path data, its color, whether it is filled."""

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

#: Inputs with a mark in a hex or Location for each fact.
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

#: Topics with a mark in each hex or Location where they are yes.
TOPICS: dict[str, Glyph] = {
    "factory": Glyph(_SAW, "#2f3338"),
    "access_point": Glyph(_LADDER, "#2f3338", filled=False, thick=9),
    "tower": Glyph(_TOWER, "#2f3338"),
}

#: Floors with a mark of their own, if the knowledge base has such a Location.
FLOORS: dict[str, Glyph] = {
    "roof": Glyph(_ROOF, "#2f3338", filled=False, thick=11),
    "steeple": Glyph("M-22 40V0L0-40L22 0V40zM-3-40V-52H3V-40", "#2f3338"),
}

#: Inputs that other functions draw: areas, lines, counters, symbols.
DRAWN = frozenset(
    _names(
        """map hex base terrain part depicts named joined stairwell_symbol striped dashed bar short_bar
    side_terrain wall_gap below_crest upslope road road_along roads_pass symbol ssr_unpaved unit of_side
    strength at status has gone possesses weapon_strength leads vca tca ma gun_kind size tows bypasses rides
    nationality climb
    rubble breach hidden_breach roadblock bridge ssr_commando"""
    )
)

#: Inputs listed above the map, since they have no place or concern past events.
TOLD = frozenset(
    _names(
        """section plays_by treat ssr_rooftops ssr_fortified_levels ssr_interior_walls_breached ob_breaches
    fpp board_edition turn moving_side phase month season night nvr weather lv_hindrance ec side event
    ssr_buildings ssr_buildings_on ift attempted_entry
    tca_tries crossed fired_through firing_through directing_through"""
    )
)

#: Invisible inputs: they follow from the positions of hexes and boards.
UNSEEN = frozenset(("next", "of_board"))
