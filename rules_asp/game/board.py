"""A board as its description states it: statements, in the order of the text.

Nothing here decides a rule. A statement describes the printed map, an SSR, or a unit or marker.
`positions.stating` converts statements to facts, and `lines.shapes` converts them to shapes for
measuring.
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
    UnitStack,
    Variable,
)
from rules_asp.game.values import Term

#: Printed marks written like a terrain (`lumberyard: Q6`), and the value that each one states.
PRINTED_MARKS = {"lumberyard": "striped", "marketplace": "dashed"}


class SourcePosition(NamedTuple):
    """The position of a statement in the text: file, line and column, counted from 1."""

    file: str
    line: int
    column: int = 1


class BoardPlacement(NamedTuple):
    """The placement of a board on a map: `as 21b turned only hexrows A-P right of 21`.

    hexes: the columns and rows that are kept; half: left, right, upper or lower. beside: right,
    left, below or above, and the board it is next to.
    """

    label: str | None = None
    turned: bool = False
    columns: tuple[int, int] | None = None
    rows: tuple[int, int] | None = None
    half: str | None = None
    beside: tuple[str, str] | None = None


@dataclass(frozen=True)
class Use:
    """`use "FILE"`: includes all statements of the named board before those of this one.

    With a placement (`lay`), that board is placed on a map of several boards.
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
    """`road paved: A1-A2-A3`: a road or path from hex to hex."""

    surface: str
    hexes: tuple[Hex, ...]


#: Kinds that can have an outline, in addition to terrain.
OUTLINED = ("building", "ground", "bridge", "road")

#: A closed ring of lattice points; the last point joins the first.
Ring = tuple[Point, ...]


@dataclass(frozen=True)
class Outline:
    """`outline woods: x,y x,y ... hole x,y ...`: a printed depiction, in lattice units.

    kind: a terrain or one of `OUTLINED`. `ground` has a level and covers everything at this level
    or higher.
    on: the board of the map whose own lattice the points use; None for the lattice of the map.
    """

    kind: str
    outer: Ring
    holes: tuple[Ring, ...] = ()
    level: int | None = None
    on: str | None = None


@dataclass(frozen=True)
class Erasure:
    """`undrawn grain: G3`: removes the outlines of a kind, given so far, from these hexes.

    kind: a terrain, `building`, `ground` (of all levels), or `all` (everything except the ground).
    """

    kind: str
    hexes: tuple[Hex, ...]


@dataclass(frozen=True)
class Correction:
    """`hex R8 stairwell yes`, `hexside O8-P8 joined no`: corrects an earlier statement.

    `to` is yes or no; for the mark `level` it is the level, for `building` it may be a color.
    """

    where: Hex | Hexside
    mark: str
    to: str | int


@dataclass(frozen=True)
class TerrainSubstitution:
    """`treat grain as open-ground on 24`: terrain, hexside terrain or a road counts as another.

    as_terrain: empty if the terrain does not exist (`no cliff`). on: only on this board of the map.
    """

    terrain: str
    as_terrain: str
    on: str | None = None


@dataclass(frozen=True)
class Doubt:
    """`doubt R8 "..."`: the importer could not decide something from the evidence."""

    where: Hex | Hexside
    text: str


@dataclass(frozen=True)
class Fact:
    """Any other statement, as the single fact of kb/vocabulary.lp that it makes."""

    name: str
    args: tuple[Term, ...] = ()


@dataclass(frozen=True)
class UncertainFact:
    """`perhaps flame U4/1`: an uncertain fact; answers that depend on it are unknown."""

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
    """`tem of fire from C3 at U4/1`: an attack, with its ends, its kind and the target's state.

    `how` and `doing` are words of kb/queries_fire.lp: direct, indirect, ...; still, moving, ...
    `by` and `on` are the firing and the target unit, if the line names units and no Locations.
    `stack` has the firing units if the line names several.
    """

    firer: Location
    target: Location
    how: str = "direct"
    doing: str = "still"
    by: str | None = None
    on: str | None = None
    stack: tuple[str, ...] = ()


@dataclass(frozen=True)
class UnitShot:
    """`tem of fire from A at U4/1`: an attack with a unit as one end.

    `doing` is None if the line does not say it; it then follows from the state of the target unit.
    """

    firer: Location | UnitLocation | UnitStack
    target: Location | UnitLocation
    how: str = "direct"
    doing: str | None = None


@dataclass(frozen=True)
class ExpectedDrm:
    """`drm of fire from C3 at U4/1`: the total DRM of an attack."""

    shot: Shot | UnitShot


@dataclass(frozen=True)
class ExpectedCost:
    """`cost A to U4/1`: the least cost for units that move together, in quarters of an MF.

    `bound` is `=`, or, if only a bound is known, `>=` (at least) or `<=` (at most).
    """

    units: tuple[str, ...]
    to: Location | UnitLocation
    bound: str = "="


@dataclass(frozen=True)
class ExpectedRoll:
    """`roll the Bog Check of T in U4: cellar`: whether a roll has a result, or its probability."""

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
    """The statements of one board of a map, in its own hex names; `label` names the board.

    Until the map is resolved, it replaces the `use` statement that gave the board's position.
    """

    label: str
    board: Board


@dataclass(frozen=True)
class Overlay:
    """`overlay "st2.board" A1-A2 on M4-M5`: a board text that replaces a part of the map.

    own: a hex, or two neighbors, of the overlay. here: the hex or two neighbors of the map that
    they cover. `board` is the loaded board text.
    """

    path: str
    own: tuple[Hex, ...]
    here: tuple[Hex, ...]
    board: Board | None = None


@dataclass(frozen=True)
class Expect:
    """`expect los U4/2 - V3/2 blocked cites B23.721`: a question and its expected answer.

    The answer is clear or blocked (Sight), a number (Shot: its TEM, AllDrm, Cost: quarters), yes or
    no (Query, Doing; Violation and Clash: always yes), a chance such as 6/36 or yes or no (Chance),
    or, for all but Violation and Clash, unknown. For a Doing and a Cost it can be `forbidden`, `by`
    a norm or paragraph, or `not so`; `no` covers both.
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
    """A described board: its name, its extent, its statements, and their source positions.

    A text without a `board` line has no name, and the grid 0x0 until the boards it uses are loaded.
    `lines` holds the lines of every file read, for messages. Boards with the same statements are
    equal, whatever their source positions.
    """

    name: str
    grid: Grid
    statements: tuple[Statement, ...] = ()
    places: tuple[SourcePosition, ...] = field(default=(), compare=False)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def place(self, index: int) -> SourcePosition:
        """Return the position of the statement with this index, if any (programs give none)."""
        return (
            self.places[index]
            if index < len(self.places)
            else SourcePosition(self.name or "board", 0)
        )


#: The classes in a board, `Board` itself first.
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
    *(UnitLosTerm, UnitLocation, UnitStack),
)
