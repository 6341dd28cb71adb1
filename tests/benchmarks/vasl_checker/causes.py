"""Why two answers differ: the causes, in the order in which they are tried, each with its paragraph.

A cause lays the difference at VASL's door only by what VASL's own data show for this very pair; what a
pixel decides, and what another reading of the text would decide, is laid at nobody's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from rules_asp.vasl.archive import PIXEL
from tests.benchmarks.vasl_checker import buildings, terrain
from tests.benchmarks.vasl_checker.fitting import fits_either, fits_nearby
from tests.benchmarks.vasl_checker.tables import same
from tests.benchmarks.vasl_checker.trial import Difference, Trial

#: Whose a difference is.
VASL, GRAZING, READING, OURS = "VASL", "grazing", "reading", "ours"


class Cause(NamedTuple):
    """Why two answers differ: whose it is, the paragraph, in words, and the test for one difference."""

    whose: str
    paragraph: str
    words: str
    holds: Callable[[Trial, Difference], bool]

    @property
    def label(self) -> str:
        """In one line."""
        return f"{self.whose}: {self.words}" + (f" ({self.paragraph})" if self.paragraph else "")


def _other_way_round(_: Trial, at: Difference) -> bool:
    return same(at.ours, at.back)


#: What there is where a ruling can matter: a norm that stops the line, a fact of it, or VASL's paragraph.
RULINGS = {
    "R-B23.25": ("B23.25-5",),
    "R-A6.4": ("A6.4-1", "(A6.4)"),
    "R-B10.23": ("A6.4-2", "(A6.4)", "(B10.23)"),
    "R-B11.2": ("B11.2-1", ",cliff,"),
    "R-B13.31": ("keeps_road(",),
}


def _by_the_other_reading(ruling: str, trial: Trial, at: Difference) -> bool:
    here = " ".join((*at.asked.norms, at.theirs.reason, at.facts))
    if not any(each in here for each in RULINGS[ruling]):
        return False
    under = trial.without(ruling)
    return fits_either(trial.ask(at.pair, trial.measured(at.pair, under), under), at)


def _near(limit: int, trial: Trial, at: Difference) -> bool:
    return fits_nearby(trial, at, limit)


def _read(ruling: str) -> Cause:
    paragraph = ruling.removeprefix("R-")
    return Cause(
        READING, paragraph, f"{ruling} read the other way", partial(_by_the_other_reading, ruling)
    )


_excused = buildings.excused_by

CAUSES = (
    Cause(GRAZING, "", "within a pixel of the other verdict", partial(_near, PIXEL)),
    Cause(VASL, "A6.5", "answers like us the other way round", _other_way_round),
    *map(_read, RULINGS),
    Cause(
        VASL,
        "B.6",
        "asks the pixels at the dot and on the line, of terrain that fills its hex",
        terrain.unseen_inherent,
    ),
    Cause(
        READING,
        "A6.2",
        "VASL measures terrain from the ground under its drawing",
        terrain.ground_under_drawing,
    ),
    Cause(VASL, "B6.2", "has no Hindrance on the bridge under the line", terrain.no_bridge),
    Cause(VASL, "B6.2", "has no Location under the bridge, but its deck", terrain.on_the_deck),
    Cause(VASL, "B9.1", "sees walls and hedges as thick as drawn", terrain.painted_wall),
    Cause(
        GRAZING, "B9.1", "a pixel beside a wall or hedge as drawn", terrain.beside_a_painted_wall
    ),
    Cause(
        VASL,
        "B23.25",
        "does not ask how the line comes in at the far end",
        _excused(buildings.far_end),
    ),
    Cause(
        VASL,
        "B23.25",
        "asks how the line goes out between different levels only",
        _excused(buildings.one_level),
    ),
    Cause(
        VASL,
        "B23.25",
        "is content with a gap in the drawing before the hexside",
        _excused(buildings.gap),
    ),
    Cause(
        VASL,
        "B23.25",
        "one of these at each end",
        _excused(buildings.far_end, buildings.one_level, buildings.gap),
    ),
    Cause(
        VASL,
        "B23.25",
        "one of these at one end, and R-B23.25 read the other way at the other",
        buildings.at_the_other_end(_excused(buildings.far_end, buildings.gap)),
    ),
    Cause(
        VASL,
        "B23.25",
        "links levels of neighbouring hexes that no drawing joins, or a bar parts",
        buildings.not_linked,
    ),
    Cause(
        VASL,
        "A6.4",
        "leaves out blind hexes behind buildings beside a hexspine",
        buildings.beside_hexspine,
    ),
    Cause(
        VASL,
        "A6.3",
        "asks for the levels where the line enters the depression, not at its end",
        terrain.entered_before,
    ),
    Cause(
        READING,
        "A6.3",
        "VASL ends a depression where the ground beyond is no higher than its bottom",
        terrain.opens_out,
    ),
    Cause(
        READING,
        "A6.2",
        "VASL measures from the bottom what is drawn in a depression",
        terrain.on_the_bottom,
    ),
    Cause(VASL, "A6.3", "asks for them between neighbours too", terrain.next_to_it),
    Cause(VASL, "A6.8", "joins depressions of neighbours that no drawing joins", terrain.unjoined),
    Cause(VASL, "B19.51", "sees no depression over a crest line", terrain.over_a_crest),
    Cause(READING, "A6.3", "VASL ends a line along a depression at a vertex", terrain.at_a_vertex),
    Cause(
        VASL,
        "B23.21-.23",
        "has another building type than hexes and symbols make",
        buildings.building_types,
    ),
    Cause(GRAZING, "", "within two pixels of the other verdict", partial(_near, 2 * PIXEL)),
    Cause(GRAZING, "B23.1", "stray pixels of a building in a hex", buildings.specks),
    Cause(
        READING,
        "A6.2",
        "VASL measures terrain from the ground under its drawing, and two pixels",
        terrain.ground_and_pixel,
    ),
    Cause(VASL, "B10.23", "sees a cliff where a few pixels of one lie", terrain.painted_cliff),
    Cause(
        VASL, "B9.1", "sees a wall drawn along less than half of its hexside", terrain.partly_walled
    ),
    Cause(
        GRAZING,
        "B10.2",
        "along a hexside with ground on both sides of it",
        terrain.along_a_crest,
    ),
)
UNEXPLAINED = "UNEXPLAINED"


def explain(trial: Trial, at: Difference) -> str:
    """The first cause that holds."""
    if not at.at_once_as_alone:
        return f"{OURS}: we say otherwise of it alone than among all sights"
    return next((cause.label for cause in CAUSES if cause.holds(trial, at)), UNEXPLAINED)
