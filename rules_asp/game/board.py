"""A board as its description states it: statements, in the order of the text.

Nothing here decides a rule. A statement says what is printed on the map, what an SSR adds, what
stands where; `positions.stating` turns them into facts, `lines.shapes` into drawings that can be
measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rules_asp.game.display import NotebookDisplay
from rules_asp.game.grid import Grid, GridRegion, Hex, Hexside, Location, MapBoard, Point, Vertex
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    RollQuery,
    UnitLocation,
    UnitLosTerm,
    Variable,
)
from rules_asp.game.values import Term

#: Printed marks that are said like a terrain, `lumberyard: Q6`, and the input that each makes.
PRINTED_MARKS = {"lumberyard": "striped", "marketplace": "dashed"}


class SourcePosition(NamedTuple):
    """Where a statement stands in the text: file, line and column from 1."""

    file: str
    line: int
    column: int = 1


class BoardPlacement(NamedTuple):
    """How a board lies on a map: `as 21b turned only hexrows A-P right of 21`.

    hexes: the columns and rows that are left; half: left, right, upper or lower. beside: right, left, below
    or above, and the board beside which it lies.
    """

    label: str | None = None
    turned: bool = False
    columns: tuple[int, int] | None = None
    rows: tuple[int, int] | None = None
    half: str | None = None
    beside: tuple[str, str] | None = None


@dataclass(frozen=True)
class Use:
    """`use "FILE"`: everything that the named board states, before what this one states.

    With a `lay` the board lies there on a map of boards.
    """

    path: str
    lay: BoardPlacement | None = None


@dataclass(frozen=True)
class Area:
    """`woods: A1 B2`: hexes of a terrain, or with a printed mark (lumberyard, marketplace, ...)."""

    kind: str
    hexes: tuple[Hex, ...]


@dataclass(frozen=True)
class Level:
    """`level 1: V3 W3`: the base level of hexes, in levels."""

    level: int
    hexes: tuple[Hex, ...]


@dataclass(frozen=True)
class Bar:
    """A thick black bar over a hexside; `covers` is its extent in sixtieths of the hexside.

    Sixtieths count from the vertex that `Hexside.ends` names first; None covers the whole hexside.
    """

    side: Hexside
    covers: tuple[int, int] | None = None


@dataclass(frozen=True)
class Building:
    """`building "church" gray: U4 V3  joined U4-V3  stairwell U4  bar ...`: its symbols."""

    colour: str
    hexes: tuple[Hex, ...]
    name: str | None = None
    joined: tuple[Hexside, ...] = ()
    stairwells: tuple[Hex, ...] = ()
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class HexsideTerrain:
    """`wall: A1-A2 B3-B4`: hexside terrain."""

    kind: str
    sides: tuple[Hexside, ...]


@dataclass(frozen=True)
class Road:
    """`road paved: A1-A2-A3`: a road, path or the like from hex to hex."""

    surface: str
    hexes: tuple[Hex, ...]


#: What can have an outline besides terrain.
OUTLINED = ("building", "ground", "bridge", "road")

#: A closed ring of lattice points; the last point joins the first.
Ring = tuple[Point, ...]


@dataclass(frozen=True)
class Outline:
    """`outline woods: x,y x,y ... hole x,y ...`: a drawing as it is printed, in lattice units.

    kind is a terrain or one of `OUTLINED`, `ground` with a level: all that lies at this level or higher.
    on: the board of the map on whose own lattice the points lie; None: on that of the map.
    """

    kind: str
    outer: Ring
    holes: tuple[Ring, ...] = ()
    level: int | None = None
    on: str | None = None


@dataclass(frozen=True)
class Erasure:
    """`undrawn grain: G3`: what outlines said so far draw of a kind in these hexes is taken back.

    kind: a terrain, `building`, `ground` (of all levels), or `all` but the ground.
    """

    kind: str
    hexes: tuple[Hex, ...]


@dataclass(frozen=True)
class Correction:
    """`hex R8 stairwell yes`, `hexside O8-P8 joined no`: a change of what was said before.

    `to` is yes or no; for the mark `level` it is the level, for `building` it may be a colour.
    """

    where: Hex | Hexside
    mark: str
    to: str | int


@dataclass(frozen=True)
class TerrainSubstitution:
    """`treat grain as open-ground on 24`: terrain, hexside terrain or a road surface counts as another.

    as_terrain: empty where there is none of it (`no cliff`). on: of this board of the map alone.
    """

    terrain: str
    as_terrain: str
    on: str | None = None


@dataclass(frozen=True)
class Doubt:
    """`doubt R8 "..."`: the importer could not settle something from the evidence."""

    where: Hex | Hexside
    text: str


@dataclass(frozen=True)
class Fact:
    """Any other statement, as the one fact of kb/vocabulary.lp that it makes."""

    name: str
    args: tuple[Term, ...] = ()


@dataclass(frozen=True)
class UncertainFact:
    """`perhaps flame U4/1`: this may be so, or not; an answer that hangs on it is unknown."""

    given: Fact


@dataclass(frozen=True)
class UnitStatement:
    """`unit A squad 4-6-7 german at U4/2: broken, PP 4`: a unit, vehicle or Gun with its traits."""

    name: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class ExpectedLos:
    """`los U4/2 - V3/2`: the line of sight between two Locations."""

    a: Location | UnitLocation
    b: Location | UnitLocation


@dataclass(frozen=True)
class Shot:
    """`tem of fire from C3 at U4/1`: an attack: from where, at which Location, how, at what target.

    `how` and `doing` are words of kb/queries_fire.lp: direct, indirect, ...; still, moving, ...
    `by` and `on` are the units that fire and are fired at, where these are named and no Locations.
    """

    firer: Location
    target: Location
    how: str = "direct"
    doing: str = "still"
    by: str | None = None
    on: str | None = None


@dataclass(frozen=True)
class UnitShot:
    """`tem of fire from A at U4/1`: a shot of which an end is where a unit is.

    What a unit is doing that is fired at is known from its state, if it is not said: None.
    """

    firer: Location | UnitLocation
    target: Location | UnitLocation
    how: str = "direct"
    doing: str | None = None


@dataclass(frozen=True)
class ExpectedDrm:
    """`drm of fire from C3 at U4/1`: all DRM of an attack together."""

    shot: Shot | UnitShot


@dataclass(frozen=True)
class ExpectedCost:
    """`cost A to U4/1`: the least that it costs units that go together to get there, in quarters of an MF.

    `bound` is `=`, or what is known where that is not: at least (`>=`) or at most (`<=`) so much.
    """

    units: tuple[str, ...]
    to: Location | UnitLocation
    bound: str = "="


@dataclass(frozen=True)
class ExpectedRoll:
    """`roll the Bog Check of T in U4: cellar`: whether a roll has a result, or how likely."""

    rolling: RollQuery
    result: str


@dataclass(frozen=True)
class ExpectedViolation:
    """`violates B23.421`: the described setup breaks the paragraph."""

    paragraph: str


@dataclass(frozen=True)
class ExpectedConflict:
    """`conflict B23.3 PB4.12`: on this board the two paragraphs clash."""

    one: str
    other: str


@dataclass(frozen=True)
class PlacedBoard:
    """What a board of a map says, in its own names: the board with this label.

    It stands where a `use` stood that says the position of the board, until the map is resolved.
    """

    label: str
    board: Board


@dataclass(frozen=True)
class Overlay:
    """`overlay "st2.board" A1-A2 on M4-M5`: a board text laid on the map, in place of what is there.

    own: its hex, or two neighbours; here: the hex or the two neighbours of the map on which they come
    to lie. `board` is what it says, once it is loaded.
    """

    path: str
    own: tuple[Hex, ...]
    here: tuple[Hex, ...]
    board: Board | None = None


@dataclass(frozen=True)
class Expect:
    """`expect los U4/2 - V3/2 blocked cites B23.721`: a question and the answer it must get.

    The answer is clear or blocked (Sight), a number (Shot: its TEM, AllDrm, Cost: quarters), yes or no
    (Query, Doing; Violation and Clash: always yes), a chance such as 6/36 or yes or no (Chance), or, for
    all but Violation and Clash, unknown. Of a Doing and a Cost it can be `forbidden`, `by` a norm or
    paragraph, or `not so`; `no` is either.
    """

    question: (
        ExpectedLos
        | Shot
        | UnitShot
        | ExpectedDrm
        | ExpectedCost
        | ExpectedRoll
        | DeedQuery
        | ExpectedViolation
        | ExpectedConflict
        | Query
    )
    answer: str | int = "yes"
    cites: tuple[str, ...] = ()
    hindrance: int | None = None
    at: Hex | Hexside | None = None
    by: str | None = None


Statement = (
    Use
    | Area
    | Level
    | Building
    | HexsideTerrain
    | Road
    | Outline
    | Correction
    | TerrainSubstitution
    | Doubt
    | Fact
    | UncertainFact
    | UnitStatement
    | Expect
    | Bar
    | PlacedBoard
    | Erasure
    | Overlay
)


@dataclass(frozen=True)
class Board(NotebookDisplay):
    """A described board: its name, its extent, its statements, and where each of them stands.

    A text without a `board` line has no name and the grid 0x0 until what it uses is loaded. `lines`
    holds the lines of every file read, for messages. Boards that state the same are equal wherever
    it stands.
    """

    name: str
    grid: Grid
    statements: tuple[Statement, ...] = ()
    places: tuple[SourcePosition, ...] = field(default=(), compare=False)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def place(self, index: int) -> SourcePosition:
        """Where the statement with this index stands; a board made by a program has no places."""
        return (
            self.places[index]
            if index < len(self.places)
            else SourcePosition(self.name or "board", 0)
        )


#: The classes of which a board is made, the board's own first.
BOARD_CLASSES: tuple[type, ...] = (
    *(Board, SourcePosition, Grid, MapBoard, GridRegion, Hex, Hexside, Vertex, Location, Point),
    *(
        Erasure,
        Use,
        Area,
        Level,
        Bar,
        Building,
        HexsideTerrain,
        Road,
        Outline,
        Correction,
        TerrainSubstitution,
        Doubt,
    ),
    *(
        Fact,
        UncertainFact,
        UnitStatement,
        Expect,
        ExpectedLos,
        Shot,
        UnitShot,
        ExpectedDrm,
        ExpectedCost,
        ExpectedViolation,
        ExpectedConflict,
    ),
    *(
        Query,
        QueryLiteral,
        QueryComparison,
        DeedQuery,
        Argument,
        Variable,
        FunctionTerm,
        LosTerm,
        OpenLosTerm,
    ),
    *(RollQuery, ExpectedRoll),
    *(UnitLosTerm, UnitLocation),
)
