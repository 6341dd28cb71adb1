"""A line is measured by the features near it: the result is that of the whole map, at a constant cost."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.board import Area, Board, Building, HexsideTerrain, Level
from rules_asp.game.grid import Grid, Hex, Point, Spot, Vertex, hexside_between
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.geometry.polygons import hexagon
from rules_asp.geometry.shapes import BUILDING, Shapes, shapes_of
from rules_asp.geometry.survey import PREDICATES, LineFact, LosRelevance, survey_lines
from rules_asp.geometry.tolerance import MAX_SHIFT, close_call_facts
from rules_asp.positions.loading import example_boards, load
from rules_asp.positions.position import prepare
from rules_asp.vasl.importer import import_archive
from tests.archives import generate, write
from tests.positions import program
from tests.sampling import part, slow, some, tries
from tests.shape_boards import LOWEST, SPOTS, STRAIGHT, Line, boards, concerns_of, fans, lines

examples = settings(
    max_examples=tries(4), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
shapes_of_any = st.one_of(boards().map(shapes_of), boards(outlined=False).map(shapes_of), fans())
ARCHIVES = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[2] / "shared" / "boards")
)
#: So far that the whole of a small map is looked at.
WIDE = 4000
#: The facts of which every shift is tried.
TRIED = ("within(", "follows(", "follows_from(", "keeps_road(")


# --- the corridor

points = st.one_of(
    st.sampled_from(sorted({spot.centre for spot in SPOTS})),
    st.builds(Point, st.integers(-900, 3000), st.integers(-900, 3000)),
)


@given(points, points, st.sampled_from((0, 1, MAX_SHIFT, 100, 700)))
def test_a_corridor_holds_all_hexes_within_reach_and_few_others(
    start: Point, end: Point, reach: int
) -> None:
    found = list(hexes_near_line(start, end, reach))
    assert len(found) == len(set(found))
    assert set(found) == set(hexes_near_line(end, start, reach))
    thread = shapely.LineString((start, end))
    for col in range(-6, 11):
        for row in range(-6, 11):
            hex_ = Hex(col, row)
            away = thread.distance(shapely.Polygon(hexagon(hex_)))
            if away <= reach:
                assert hex_ in found
            elif hex_ in found:
                # Beyond an end, as far as the corner of a box about the hex.
                assert away <= 2 * reach + 160
    if reach <= MAX_SHIFT:
        assert len(found) <= 3 * thread.length / 450 + 8


# --- the same as by the whole map


def told(told: tuple[LineFact, ...], line: int) -> list[LineFact]:
    return [(0, weight, fact) for number, weight, fact in told if number == line]


def alone_as_among_all(
    shapes: Shapes, concerns: LosRelevance, asked: list[Line], lowest: dict[Spot, int]
) -> int:
    """The lines asked each by itself are as among so many that the whole map is looked at.

    How many facts there were.
    """
    together = survey_lines(shapes, concerns, asked, lowest)
    assert {fact.partition("(")[0] for fact in together.facts} <= {*PREDICATES}
    # Else they would all be measured by what is near them.
    assert sum(spot_range(one) for one in together.lines) >= len(concerns.parts) + len(
        concerns.sides
    )
    for number, line in enumerate(together.lines):
        alone = survey_lines(shapes, concerns, [line], lowest)
        assert alone.entries == survey_lines(shapes, concerns, [line[::-1]], lowest).entries
        assert list(alone.entries) == told(together.entries, number)
        assert alone.requested == (together.requested[number],)
    return len(together.entries)


def spot_range(line: Line) -> int:
    one, two = (spot.hex if isinstance(spot, Vertex) else spot for spot in line)
    return one.range_to(two)


def close_as_by_the_whole_map(
    shapes: Shapes, concerns: LosRelevance, line: Line, lowest: dict[Spot, int], wide: int = WIDE
) -> int:
    """What is near a line is what is near of all that the whole map holds, both ways."""
    found = close_call_facts(shapes, concerns, line, lowest)
    assert found == close_call_facts(shapes, concerns, line[::-1], lowest)
    facts = survey_lines(shapes, concerns, [line], lowest).facts
    assert found == close_call_facts(shapes, concerns, line, lowest, known=facts)
    # Of some facts every shift is tried: not of so many of them.
    untried = replace(concerns, insides={}, dug=frozenset(), roads=frozenset())
    for each, limit in ((untried, wide), (concerns, 3 * MAX_SHIFT)):
        all_ = close_call_facts(shapes, each, line, lowest, limit)
        close = tuple(one for one in all_ if one.margin <= MAX_SHIFT)
        kept = tuple(one for one in found if each is concerns or not one.fact.startswith(TRIED))
        assert kept == close
    return len(found)


@examples
@given(shapes_of_any, st.integers(0, 999))
def test_alone_as_among_all(shapes: Shapes, seed: int) -> None:
    dice = random.Random(seed)
    asked = [(dice.choice(SPOTS), dice.choice(SPOTS)) for _ in range(100)]
    alone_as_among_all(shapes, concerns_of(shapes), [*asked, *dice.sample(STRAIGHT, 40)], LOWEST)


@examples
@given(shapes_of_any, lines)
def test_close_as_by_the_whole_map(shapes: Shapes, line: Line) -> None:
    close_as_by_the_whole_map(shapes, concerns_of(shapes), line, LOWEST)


def real_boards() -> Iterator[Any]:
    for name, path in example_boards().items():
        yield pytest.param(path, id=name)
    for seed in (1, 2):
        yield pytest.param(seed, id=f"generated {seed}")
    for number in some(("01", "12", "15", "20", "21", "23", "24"), 1):
        yield pytest.param(ARCHIVES / f"bd{number}", id=f"bd{number}", marks=pytest.mark.slow)


@pytest.mark.parametrize("source", part(list(real_boards()), 4))
def test_real_boards_as_by_the_whole_map(source: Path | int, tmp_path: Path) -> None:
    """With what the knowledge base says can matter: lines between any spots, and straight ones."""
    if isinstance(source, int):
        sketch, _ = generate(source, hilly=True)
        here = prepare(import_archive(write(tmp_path / "board", sketch)), program())
    elif source.suffix:
        here = load(source, program())
    elif source.is_file():
        here = prepare(import_archive(source), program())
    else:
        pytest.skip(f"no archive {source.name} in {ARCHIVES}: set RULES_ASP_BOARDS")
    dice = random.Random(5)
    hexes = sorted(here.index.bases)
    vertices = [Vertex(hex_, corner) for hex_ in hexes for corner in range(6)]
    lowest = {spot: dice.choice((-2, 0, 0, 2)) for spot in (*hexes, *vertices)}
    few = [*dice.sample(hexes, min(len(hexes), 25)), *dice.sample(vertices, 12)]
    asked: list[Line] = [(one, two) for one in few for two in few if one.centre < two.centre]
    # Along the rows and columns of the map, its edges too, and so along hexsides.
    edge = [hex_ for hex_ in hexes if not set(hex_.neighbours()) <= set(hexes)]
    asked += [
        (one, two)
        for one in dice.sample(edge, min(len(edge), 12))
        for two in (*hexes, *vertices)
        if one.centre != two.centre
        and (one.centre.x == two.centre.x or one.centre.y == two.centre.y)
    ]
    dice.shuffle(asked)
    asked = asked[: max(120, tries(120))]
    shapes, concerns = here.shapes, here.measurer.concerns
    assert alone_as_among_all(shapes, concerns, asked, lowest)
    assert sum(
        close_as_by_the_whole_map(shapes, concerns, line, lowest, wide=1500) for line in asked[:15]
    )


# --- no more work on a larger map

#: A board and how far one of its like lies to the right of it and below it.
_SIZE = Grid(10, 8)


LONG: tuple[Line, ...] = (
    (Hex(1, 2), Hex(8, 6)),
    (Hex(2, 5), Hex(8, 2)),
    (Hex(2, 4), Hex(8, 4)),  # along hexsides
    (Hex(3, 2), Hex(3, 6)),
    (Vertex(Hex(2, 3), 1), Hex(7, 5)),
    (Vertex(Hex(2, 3), 1), Vertex(Hex(8, 3), 4)),
    (Hex(4, 4), Hex(4, 5)),
)


class Counted(dict[Any, Any]):
    """A mapping that counts how often it is looked into; one that is gone through, all of it."""

    looked = 0

    def get(self, key: Any, default: Any = None) -> Any:
        Counted.looked += 1
        return super().get(key, default)

    def __getitem__(self, key: Any) -> Any:
        Counted.looked += 1
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        Counted.looked += 1
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Any]:
        Counted.looked += len(self)
        return super().__iter__()

    def items(self) -> Any:
        Counted.looked += len(self)
        return super().items()

    def keys(self) -> Any:
        Counted.looked += len(self)
        return super().keys()


def repeated(seed: int, across: int, down: int) -> tuple[Shapes, LosRelevance]:
    """A random board laid so many times side by side and below each other, all of it of concern."""
    dice = random.Random(seed)
    own = [hex_ for hex_ in _SIZE.hexes() if hex_.row > 0]
    kinds = {kind: dice.sample(own, 25) for kind in ("woods", "grain", "orchard")}
    built = dice.sample(own, 25)
    high = dice.sample(own, 20)
    walls = [
        hexside_between(hex_, hex_.neighbour(dice.randrange(6))) for hex_ in dice.sample(own, 20)
    ]
    shifts = [(10 * i, 8 * j) for i in range(across) for j in range(down)]

    def laid(hexes: list[Hex]) -> tuple[Hex, ...]:
        return tuple(Hex(col + i, row + j) for i, j in shifts for col, row in hexes)

    together = tuple(sorted({hexside_between(h, n) for h in laid(built) for n in h.neighbours()}))
    joined = tuple(each for each in together if {*each} <= {*laid(built)})
    sides = [
        hexside_between(*laid([*each])[2 * i : 2 * i + 2])
        for i in range(len(shifts))
        for each in walls
    ]
    grid = Grid(10 * across, 8 * down)
    shapes = shapes_of(
        Board(
            "repeated",
            grid,
            (
                *(Area(kind, laid(hexes)) for kind, hexes in kinds.items()),
                Building("gray", laid(built), joined=joined),
                Level(1, laid(high)),
                HexsideTerrain("wall", tuple(dict.fromkeys(sides))),
            ),
        )
    )
    concerns = LosRelevance(
        parts=Counted.fromkeys(shapes.pieces, 9),
        inherent=frozenset(part for part in shapes.pieces if part[1] == "orchard"),
        sides=Counted.fromkeys(shapes.segments, 9),
        exits=frozenset(laid(built)),
        insides=Counted((Hex(c + i, r + j), i + j) for i, j in shifts for c, r in built),
        dot_lines=Counted.fromkeys(together, 9),
    )
    shapes = Shapes(grid, *map(Counted, (shapes.pieces, shapes.spans, shapes.segments)))
    survey_lines(
        shapes, concerns, LONG[:1], dict.fromkeys(LONG[0], 0)
    )  # What is near a hex is found once.
    return shapes, concerns


class Work(NamedTuple):
    """How often the drawings and concerns of a map are looked into for one line, how many calls are
    made and steps taken by `rules_asp.geometry`; and what was found."""

    looked: int
    calls: int
    steps: int
    found: object


def work(shapes: Shapes, concerns: LosRelevance, line: Line) -> Work:
    lowest = dict.fromkeys(line, 0)
    calls = steps = 0

    def counts(frame: Any, event: str, _: object) -> Any:
        nonlocal calls, steps
        if Path(frame.f_code.co_filename).parent.name not in ("geometry", "game"):
            return None
        calls += event == "call"
        steps += event == "line"
        return counts

    Counted.looked = 0
    before = sys.gettrace()
    sys.settrace(counts)
    try:
        found = (
            survey_lines(shapes, concerns, [line], lowest).facts,
            close_call_facts(shapes, concerns, line, lowest),
        )
    finally:
        sys.settrace(before)
    return Work(Counted.looked, calls, steps, found)


@slow
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_a_line_costs_no_more_on_a_larger_map(seed: int) -> None:
    maps = [repeated(seed, *size) for size in ((1, 1), (2, 1), (2, 2))]
    looked = 0
    for line in LONG:
        one, two, four = (work(shapes, concerns, line) for shapes, concerns in maps)
        assert one == two == four
        # To look at all drawings and concerns of the smallest map would be more than this.
        assert one.looked < 2 * len(maps[0][0].pieces)
        looked += one.looked
    assert looked


def test_the_work_grows_with_the_line() -> None:
    shapes, concerns = repeated(1, 4, 1)
    short = work(shapes, concerns, (Hex(2, 4), Hex(8, 5)))
    long = work(shapes, concerns, (Hex(2, 4), Hex(38, 5)))
    assert short.steps < long.steps < 8 * short.steps
    assert short.looked < long.looked < 8 * short.looked


def test_what_lies_across_the_rim_of_the_corridor_counts() -> None:
    """A drawing may lie a unit or two outside its hex, and comes near by a shift of the limit."""
    one, two, beside = Hex(0, 2), Hex(0, 6), Hex(1, 4)
    rim = beside.centre.x - 300
    for left, margin in ((rim - 2, rim - 2), (rim, rim)):
        ring = tuple(
            Point(x, beside.centre.y + y) for x, y in ((left, 0), (left + 90, -9), (left + 90, 9))
        )
        shapes = Shapes(Grid(5, 8), {(beside, BUILDING): (ring,)}, {}, {})
        concerns = LosRelevance(parts={(beside, BUILDING): 9})
        (found,) = close_call_facts(shapes, concerns, (one, two), {one: 0, two: 0}, margin)
        assert (found.margin, found.present) == (margin, False)
        assert not close_call_facts(shapes, concerns, (one, two), {one: 0, two: 0}, margin - 1)
