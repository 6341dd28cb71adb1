"""Laws of the general rules, on boards with all kinds of terrain and with walls between enemies."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from rules_asp import api
from rules_asp.game.grid import Hex, Location
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.parser import parse
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError, units_at
from rules_asp.positions.position import Position, prepare
from tests.positions import program
from tests.sampling import part, slow, some
from tests.test_cases import CASES

COLUMNS, ROWS = "ABCDEFGHI", range(1, 9)
HEXES = [f"{column}{row}" for column, row in product(COLUMNS, ROWS)]
AREAS = ("woods", "brush", "grain", "orchard", "marsh", "crag", "graveyard")
SIDES = ("wall", "hedge", "bocage")
#: The distance of two hexes in lattice units: terrain beyond it is away from a line.
AWAY = 1100
SEEDS = part(some(range(36), 36, of="general laws"), 1)


def sides(chance: random.Random, count: int) -> str:
    """Return random hexsides away from the edge of the map."""
    columns = [chance.choice(COLUMNS[1:-1]) for _ in range(count)]
    rows = [chance.choice(ROWS[1:-2]) for _ in range(count)]
    return " ".join(f"{c}{r}-{c}{r + 1}" for c, r in dict.fromkeys(zip(columns, rows, strict=True)))


@cache
def lines(seed: int) -> tuple[str, ...]:
    """Return a random board with hills, a gully, terrain in hexes and on hexsides, a building, and SMOKE."""
    chance = random.Random(seed)
    free = chance.sample(HEXES, len(HEXES))
    found = [f'board "law {seed}" grid {len(COLUMNS)}x{len(ROWS)}', "month 7"]
    found.append(f"level 1: {' '.join(free[:8])}")
    found.append(f"level 2: {' '.join(free[8:10])}")
    found += [f"{kind}: {' '.join(chance.sample(free, 3))}" for kind in chance.sample(AREAS, 3)]
    found += [f"{kind}: {sides(chance, 3)}" for kind in SIDES[: 2 + seed % 2]]
    hills = set(free[:10])
    valleys = [
        (one, two)
        for one, two in ((f"{c}{r}", f"{c}{r + 1}") for c, r in product(COLUMNS, ROWS[:-1]))
        if not {one, two} & hills
    ]
    if seed % 3:
        found.append(f"building {chance.choice(('gray', 'brown'))}: {free[10]}")
    else:
        gully = " ".join(chance.choice(valleys))
        found += [f"gully: {gully}", f"level -1: {gully}"]
    if seed % 2:
        found.append(f"smoke {chance.choice((1, 2, 3))}: {free[11]} {free[12]}")
    if seed % 4 == 0:
        found.append("lv hindrance 1 from range 4")
    return tuple(found)


@cache
def board(seed: int, *more: str) -> Position:
    return prepare(parse("\n".join((*lines(seed), *more))), program())


def pairs(seed: int, count: int) -> Iterator[tuple[Location, Location]]:
    """Yield random pairs of ground Locations of a board."""
    chance = random.Random(-seed)
    ends = sorted((each for each in board(seed).index.elevations if each.floor == 0), key=str)
    for _ in range(count):
        one, two = chance.sample(ends, 2)
        yield one, two


@pytest.mark.parametrize("seed", SEEDS)
def test_terrain_away_from_a_line_changes_neither_its_verdict_nor_its_cites(seed: int) -> None:
    here, chance = board(seed), random.Random(seed)
    for one, two in pairs(seed, 4):
        near = set(hexes_near_line(one.spot.centre, two.spot.centre, AWAY))
        said = {word for line in lines(seed) for word in line.split()}
        away = [
            each for each in here.board.grid.hexes() if each not in near and str(each) not in said
        ]
        if not away:
            continue
        where = chance.choice(away)
        thing = chance.choice(("woods: {}", "level 3: {}", "smoke 2: {}", "building gray: {}"))
        there = board(seed, thing.format(where))
        plain, other = api.los(here, one, two), api.los(there, one, two)
        assert (other.clear, other.hindrance) == (plain.clear, plain.hindrance), (one, two, where)
        assert set(other.cites) == set(plain.cites), (one, two, where)


def disagreements(
    here: Position, one: str | Location, two: str | Location, doing: str | None = None
) -> list[str]:
    """Return on what `los`, `tem` and `fire` disagree about one pair of Locations or units."""
    fire = api.fire(here, one, two, doing=doing, cite=False)
    tem = api.tem(here, one, two, doing=doing, cite=False)
    drm = fire.drm.value
    found = {"TEM": (fire.tem.value, fire.tem.unknown) != (tem.value, tem.unknown)}
    if fire.sight is None:
        return [what for what, wrong in found.items() if wrong]
    sight = api.los(here, one, two, cite=False)
    seen = sight.clear is True and fire.shot.firer not in sight.unseen_from
    reasons = {*fire.unknown, *fire.drm.unknown}
    found |= {
        "the LOS": (fire.sight.clear, fire.sight.hindrance, fire.sight.unknown)
        != (sight.clear, sight.hindrance, sight.unknown),
        "the DRM without a LOS": not seen and drm is not None,
        "the TEM without a LOS": not seen and not (tem.unknown or tem.without),
        "the shot along a blocked LOS": sight.clear is False and fire.legal is not False,
        "the shot along an unknown LOS": sight.clear is None and fire.legal is True,
        "why the LOS is unknown": not reasons.issuperset(sight.unknown),
        "a LOS that only the shot does not know": sight.clear is not None
        and any("LOS " in str(each) and "crest" not in each.name for each in reasons)
        and seen,
        "a TEM that only the DRM know": drm is not None and tem.value is None,
        "the sum of the DRM": drm is not None
        and sum(part.amount for part in fire.drm.parts) != drm,
        "the Hindrance": drm is not None
        and sum(part.amount for part in fire.drm.parts if part.what == "hindrance")
        != sight.hindrance,
    }
    return [what for what, wrong in found.items() if wrong]


def refusal(
    ask: Callable[..., object], here: Position, one: str | Location, two: str | Location
) -> str | None:
    """Return the message of a question that the position refuses; None if it answers."""
    try:
        ask(here, one, two, cite=False)
    except QuestionError as error:
        return str(error)
    return None


@slow
@pytest.mark.parametrize("seed", SEEDS)
def test_los_tem_and_fire_agree_on_one_pair(seed: int) -> None:
    here = board(seed)
    for one, two in pairs(seed, 6):
        assert disagreements(here, one, two) == [], (one, two)


@pytest.mark.parametrize("path", some(CASES, 36, 240, of="agreeing"), ids=lambda path: path.stem)
def test_los_tem_and_fire_agree_on_the_pairs_of_a_case(path: Path) -> None:
    here, chance = load(path, program()), random.Random(path.stem)
    ends: list[str | Location] = sorted(here.index.elevations, key=str)
    units: list[str | Location] = sorted(units_at(here))
    for _ in range(3):
        one, two = (chance.choice(units if units and chance.random() < 0.5 else ends) for _ in "12")
        if one != two:
            doing = chance.choice((None, "moving"))
            if (refused := refusal(api.fire, here, one, two)) is not None:
                # A unit of the case is where the board has no Location: no line can be measured.
                assert refusal(api.los, here, one, two) == refused, (one, two)
                continue
            assert disagreements(here, one, two, doing) == [], (one, two, doing)


#: What may be so on a random board, and bears on its lines, on the TEM, on the DRM, or on nothing.
PERHAPS = ("wall: {side}", "smoke 2: {hex}", "woods: {hex}", "blaze {hex}", "rubble stone: {hex}")


@slow
@pytest.mark.parametrize("seed", SEEDS)
def test_los_tem_and_fire_leave_open_what_may_be_so_and_bears_on_them(seed: int) -> None:
    chance = random.Random(seed)
    for one, two in pairs(seed, 3):
        near = hexes_near_line(one.spot.centre, two.spot.centre, AWAY)
        free = [each for each in near if str(each) in HEXES]
        hex_ = chance.choice(free)
        beside = chance.choice([each for each in hex_.neighbours() if str(each) in HEXES])
        line = chance.choice(PERHAPS).format(hex=hex_, side=f"{hex_}-{beside}")
        try:
            without, with_, open_ = board(seed), board(seed, line), board(seed, f"perhaps {line}")
        except api.BoardError:
            continue

        def told(here: Position, one: Location = one, two: Location = two) -> list[object]:
            sight = api.los(here, one, two, cite=False)
            tem, fire = (ask(here, one, two, cite=False) for ask in (api.tem, api.fire))
            seen = None if sight.clear is None else (sight.clear, sight.clear and sight.hindrance)
            return [seen, tem.value, fire.drm.value if fire.legal is not False else "illegal"]

        for asked, no, yes, either in zip(
            ("los", "tem", "fire"), told(without), told(with_), told(open_), strict=True
        ):
            expected = no if no == yes else None
            assert either == expected, (asked, one, two, line)


@pytest.mark.parametrize("seed", SEEDS)
def test_at_each_range_at_most_one_hex_is_a_hindrance(seed: int) -> None:
    here = board(seed)
    for one, two in pairs(seed, 8):
        sight = api.los(here, one, two)
        named = {str(each): each for each in here.board.grid.hexes()}
        places = {each.place.partition("/")[0] for each in sight.hindrances}
        between = [named[each] for each in places if each not in (str(one.spot), str(two.spot))]
        ranges = [each.range_to(one.spot) for each in between if isinstance(one.spot, Hex)]
        assert len(set(ranges)) == len(ranges), (one, two, sight.hindrances)
        assert len(ranges) < max(sight.range, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_matrix_agrees_with_los_on_each_pair(seed: int) -> None:
    here = board(seed)
    chance = random.Random(seed)
    ends = chance.sample(sorted(here.index.elevations, key=str), 9)
    for batch in api.matrix(here, ends):
        for sight, verdict in batch.items():
            alone = api.los(here, *sight, cite=False)
            assert alone.clear == verdict.clear, (sight, verdict, alone)
            if alone.clear:
                assert alone.hindrance == verdict.hindrance, (sight, verdict, alone)


# --- walls between enemies

GROUND = ("", "brush: {}", "woods: {}", "rubble stone: {}", "building brown: {}")
STATES = ("", "wall-advantage", "broken", "concealed", "pinned", "berserk")
WALLS = [*product(("wall", "hedge", "bocage"), GROUND, GROUND, STATES, STATES)]


def across(kind: str, grounds: Sequence[str], states: Sequence[str], *more: str) -> Position:
    """Return a board of two enemies in C3 and C4, with terrain in their hexes and on their hexside."""
    text = ['board "across" grid 5x6', "sides german russian", *more]
    text += [each.format(where) for each, where in zip(grounds, ("C3", "C4"), strict=True) if each]
    if kind:
        text.append(f"{kind}: C3-C4")
    places = (("A", "german", "C3"), ("B", "russian", "C4"))
    for (name, side, where), state in zip(places, states, strict=True):
        traits = f": {state}" if state else ""
        text.append(f"unit {name} squad 4-6-7 {side} at {where}{traits}")
    return prepare(parse("\n".join(text)), program())


@cache
def bare_position(one: str, two: str) -> Position:
    """Return the board without a wall and without states; a few of these serve all walls."""
    return across("", (one, two), ("", ""))


@cache
def bare_tem(one: str, two: str, a: str, b: str, doing: str) -> int | None:
    """Return the TEM on the board without a wall."""
    return api.tem(bare_position(one, two), a, b, doing=doing, cite=False).value


@slow
@pytest.mark.parametrize(
    ("kind", "one", "two", "first", "second"), part(some(WALLS, 120, 240, of="walls"), 2)
)
def test_at_most_one_of_two_enemies_has_the_tem_of_their_wall(
    kind: str, one: str, two: str, first: str, second: str
) -> None:
    if (first, second) == ("wall-advantage", "wall-advantage"):
        pytest.skip("that is a setup that breaks a rule")
    if (first, second) == ("broken", "broken"):
        pytest.skip("neither can hold Wall Advantage, so each has the TEM against the other")
    here = across(kind, (one, two), (first, second))
    for doing in ("still", "moving"):
        has = [
            with_wall is not None and without is not None and with_wall > without
            for a, b in (("C3", "C4"), ("C4", "C3"))
            for with_wall, without in [
                (
                    api.tem(here, a, b, doing=doing, cite=False).value,
                    bare_tem(one, two, a, b, doing),
                )
            ]
        ]
        assert has != [True, True], doing


# --- what a board leaves open

OPEN = (
    (
        "wall: C3-C4\nsides german russian\nunit A squad 4-6-7 german at C3{}\n"
        "unit B squad 4-4-7 russian at C4",
        (": wall-advantage", ": moving", "\nturn 2 german mph"),
    ),
    ("hedge: C3-C4\nunit A squad 4-6-7 german at C3{}", (": wall-advantage", ": moving")),
    ("wall: C3-C4\nroad dirt: C2-C3-C4-C5{}", ("\ngap yes: C3-C4", "\ngap no: C3-C4")),
    ("grain: C3\norchard: B3{}", ("\nmonth 3", "\nmonth 4", "\nmonth 7", "\nmonth 12")),
    (
        "level 1: C4\nsides german russian\nunit A squad 4-6-7 german at C4{}",
        ("\nturn 2 german mph\nevent A crossed C3-C4 in turn 2 german mph", ": moving"),
    ),
)
SHOTS = [*product(("C2", "B3", "C3", "C5"), ("C4", "C3"), ("still", "moving"))]


@slow
@pytest.mark.parametrize(("text", "stated"), part(OPEN, 1))
def test_a_further_statement_contradicts_no_certain_answer(
    text: str, stated: Sequence[str]
) -> None:
    def answers(more: str) -> list[int | None]:
        here = prepare(parse(f'board "open" grid 5x6\n{text.format(more)}'), program())
        return [
            api.tem(here, one, two, doing=doing, cite=False).value
            for one, two, doing in SHOTS
            if one != two
        ]

    plain = answers("")
    for more in stated:
        for shot, before, after in zip(SHOTS, plain, answers(more), strict=False):
            assert before is None or after is None or before == after, (shot, more, before, after)
