"""Moves of Infantry: the oracle on worlds with known results, and the program against the oracle."""

from __future__ import annotations

from collections import Counter

import pytest

from rules_asp.boards.resolve import resolve
from rules_asp.game.grid import Grid, Hex
from rules_asp.parser import parse
from rules_asp.positions.position import prepare
from tests.oracle_moves import (
    THEMES,
    House,
    Oracle,
    Unit,
    World,
    hexes,
    location,
    make,
    sides,
)
from tests.positions import program
from tests.sampling import some, whole

#: The worlds.
SEEDS = range(260 if whole() else 117)


def at(
    where: str, *houses: House, kind: str = "squad", states: tuple[str, ...] = (), **more: object
) -> dict[str, int]:
    """What a unit there reaches, in MF (which are whole in these worlds)."""
    unit = Unit("A", kind, "german", location(where), states)
    world = World((unit,), houses=houses, grid=Grid(7, 7), **more)  # type: ignore[arg-type]
    resolve(parse(world.text()))
    return {place: mf // 4 for place, mf in Oracle(world).reach().items() if mf % 4 == 0}


def house(
    where: str, joined: str = "", stairwell: str = "", bars: str = "", **more: object
) -> House:
    return House(hexes(where), sides(joined), hexes(stairwell), sides(bars), **more)  # type: ignore[arg-type]


def enemy(where: str, *states: str) -> Unit:
    return Unit("foe", "squad", "russian", location(where), states)


SQUARE = house("D4")
PAIR = house("D4 E4", "D4-E4")
ROW = house("D4 E4", "D4-E4", bars="D4-E4")
#: 15Q8-R8 and 24U4-V3, on hexes of ours: D3 is the lower hex, E3 the higher.
SPLIT = house("D3 E3", "D3-E3", "D3")
TWIN = house("D3 E3", "D3-E3", "D3 E3")
#: 20E7 in part: B7-B8 and C9-D9 are joined, B8-C9 is not, and A8 holds the two together.
HALL = house("B3 B4 C5 D5 C6", "B3-B4 C5-D5 B4-C5 C5-C6 C6-D5", factory=True)


# Printed and derived examples (b23_examples.yaml).


def test_single_story() -> None:
    assert at("D5", SQUARE)["D4"] == 2  # 23.4
    reach = at("D4", SQUARE, rooftops=True)
    assert all("/" not in place for place in reach)  # 23.21, 23.8
    assert reach["D5"] == 1


def test_two_story() -> None:
    reach = at("D4", PAIR)  # 23.22
    assert (reach["D4/1"], reach["E4"], reach["E4/1"]) == (1, 2, 3)
    assert "D4/2" not in reach


def test_multi_story() -> None:
    reach = at("D4", house("D4 E4", "D4-E4", "D4"))  # 23.23: stairs in D4 alone
    assert (reach["D4/1"], reach["D4/2"]) == (1, 2)
    assert (reach["E4"], reach["E4/1"], reach["E4/2"]) == (2, 3, 4)
    assert "E4" not in at("E4/1", house("D4 E4", "D4-E4", "D4"), states=("inexperienced",))


def test_third_level() -> None:
    reach = at("D4", house("D4 E4", "D4-E4", third=Hex(3, 4)))
    assert (reach["D4/3"], reach["E4/2"]) == (3, 4)  # 23.24, inherent stairwells
    one = house("D4 E4", "D4-E4", third=Hex(3, 4), one=True)
    assert at("D4", one)["D4/3"] == 3
    assert "E4/2" not in at("D4", one, kind="leader")
    # A symbol specifies the stairwell: E4 has none.
    tall = house("D4 E4", "D4-E4", "D4", third=Hex(3, 4))
    assert "E4/1" not in at("E4", tall, states=("inexperienced",))


def test_split_level() -> None:
    slope = {"high": hexes("E3")}
    # 23.72: R8 level 2 to Q8 level 1 and R8 level 1 to Q8 ground, not R8 level 1 to Q8 level 1.
    assert at("D3/2", SPLIT, **slope)["E3/1"] == 2
    reach = at("D3/1", SPLIT, **slope)
    assert (reach["E3"], reach["E3/1"]) == (2, 3)
    assert "E3/2" not in at("D3", SPLIT, kind="leader", **slope)
    # 23.721, EX of 23.722: U4 level 2 to V3 level 2 by V3 level 1, 3 MF.
    reach = at("D3/2", TWIN, **slope)
    assert (reach["E3/1"], reach["E3/2"]) == (2, 3)
    # 23.72: not from ground to ground; by the stairs, or out and in uphill: 3 MF each.
    assert at("D3", SPLIT, **slope)["E3"] == 3


def test_rooftops() -> None:
    roofs = {"rooftops": True}
    assert at("D4", PAIR, **roofs)["D4/roof"] == 2
    assert at("D4/roof", PAIR, **roofs)["E4/roof"] == 2
    # 23.8: the lower roof of a Split Level building leads to V3h2, not to the roof of V3.
    reach = at("D3/roof", TWIN, high=hexes("E3"), **roofs)
    assert (reach["E3/2"], reach["E3/roof"], reach["D3/2"]) == (2, 3, 1)
    # The roofs of 23.72 are level with each other.
    assert at("D3/roof", SPLIT, high=hexes("E3"), **roofs)["E3/roof"] == 2
    # Not to another building's.
    assert "E4/roof" not in at(
        "D4/roof",
        house("D4 D5", "D4-D5"),
        house("E4 E3", "E4-E3"),
        states=("inexperienced",),
        **roofs,
    )


def test_rowhouse() -> None:
    reach = at("D4", ROW, states=("inexperienced",))
    assert reach["E4"] == 3  # 23.71
    assert "E4/1" not in reach
    assert at("D4/1", ROW)["E4"] == 4
    assert at("D4/roof", ROW, rooftops=True)["E4/roof"] == 2
    # 23.711: a Breach makes its level as in any building, and no other.
    (bar,) = ROW.bars
    assert at("D4/1", ROW, breaches=frozenset({(bar, 1)}))["E4/1"] == 2
    assert at("D4", ROW, breaches=frozenset({(bar, 1)}))["E4"] == 3
    assert at("D4", ROW, breaches=frozenset({(bar, 0)}))["E4"] == 2
    assert "E4/1" not in at("D4/1", ROW, states=("inexperienced",))


def test_factory() -> None:
    reach = at("B3", HALL)  # EX of 23.742, but with B4-C5 joined: 1 MF a hex
    assert (reach["B4"], reach["C5"], reach["D5"]) == (1, 2, 3)
    assert "B3/1" not in reach
    apart = house("B3 B4 C5 D5", "B3-B4 C5-D5", factory=True)
    reach = at("B3", apart)  # As printed: B4-C5 is no Factory hexside.
    assert (reach["B4"], reach["C5"], reach["D5"]) == (1, 3, 4)
    # EX of 23.743: 1 MF out of the rubble into the Factory, 3 into the rubble.
    assert at("C6", HALL, rubble=hexes("C6"))["D5"] == 1
    assert at("D5", HALL, rubble=hexes("C6"))["C6"] == 3
    assert at("C5", house("C5 C6 D5", "C5-C6 C5-D5"), rubble=hexes("C6"))["C6"] == 3


def test_access_points() -> None:
    # B23.87-X1: 2 MF in a Factory without symbol, 3 with.
    named = {"rooftops": True, "access": hexes("D5")}
    assert at("D5", HALL, **named)["D5/roof"] == 2
    assert "B3/roof" not in at("B3", HALL, states=("inexperienced",), **named)
    hall = house("D4 E4", "D4-E4", "D4", factory=True)
    assert at("D4", hall, rooftops=True)["D4/roof"] == 3
    assert at("D4/roof", hall, rooftops=True)["D4"] == 3
    assert "E4" not in at("E4/roof", hall, rooftops=True)
    road = {"rooftops": True, "roads": ((Hex(1, 3), Hex(1, 2)),)}
    assert at("B3", HALL, **road)["B3/roof"] == 2


def test_marketplace() -> None:
    market = {"marketplace": hexes("E4")}
    reach = at("F4", PAIR, **market)
    assert (reach["E4"], reach["E4/1"], reach["D4"]) == (1, 2, 3)  # 23.73, 23.731
    assert at("D4", PAIR, **market)["E4"] == 1
    assert at("D4/1", PAIR, **market)["E4/1"] == 2


# The ground: general rules.


def test_terrain() -> None:
    ground = (("woods", hexes("D4")), ("brush", hexes("E4")), ("orchard", hexes("E5")))
    reach = at("D5", terrain=ground)
    assert (reach["D4"], reach["E5"], reach["D6"]) == (2, 1, 1)
    assert reach["E4"] == 3
    grain = World(
        (Unit("A", "squad", "german", location("D5")),),
        terrain=(("grain", hexes("D4")),),
        grid=Grid(7, 7),
    )
    assert Oracle(grain).reach()["D4"] == 6
    assert at("D5", rubble=hexes("D4"))["D4"] == 3


def test_hexsides_and_slopes() -> None:
    assert at("D5", SQUARE, walls=sides("D4-D5"), kind="crew")["D4"] == 3
    assert at("D5", SQUARE, high=hexes("D4"))["D4"] == 4  # double
    # Out by way of the wall: 4 uphill, and 1; round by the east, 1 + 1 + 4 are too many.
    up = {"walls": sides("D4-D5"), "high": hexes("D4"), "kind": "leader"}
    assert at("D5", SQUARE, **up)["D4"] == 5
    assert at("D5", high=hexes("D4"))["D4"] == 2
    assert at("D4", high=hexes("D4"))["D5"] == 1


def test_roads() -> None:
    road = {"roads": (tuple(Hex(3, row) for row in (1, 2, 3, 4, 5, 6, 7)),)}
    reach = at("D1", SQUARE, terrain=(("woods", hexes("D2 D3")),), **road)
    assert (reach["D2"], reach["D4"], reach["D6"]) == (1, 3, 5)  # +1 MF, also through houses
    assert "D7" not in reach
    assert "D6" not in at("C1", SQUARE, **road)


def test_bypass() -> None:
    # Round D4 (its neighbours clockwise: D3 E4 E5 D5 C5 C4), 1 MF to a vertex and 1 onwards.
    reach = at("D5", SQUARE, states=("inexperienced",))
    assert (reach["E4"], reach["D3"]) == (2, 2)
    full = (("woods", hexes("C5 E5 C4 E4")),)
    # Hexsides along woods are not free; through the house it is 2 MF and 1.
    assert at("D5", SQUARE, terrain=full)["D3"] == 3
    # Along C5 and then C4 to the vertex D4-C4-D3.
    assert (
        at("D5", SQUARE, terrain=(("woods", hexes("E4 E5")), ("brush", hexes("C5 C4"))))["D3"] == 2
    )
    # A joined hexside is not free: the house leaves one hexside east of D4, as far as E4.
    wall = {"terrain": (("woods", hexes("C5 C4")), ("brush", hexes("E5")))}
    assert at("D5", SQUARE, **wall)["D3"] == 2
    assert at("D5", PAIR, **wall)["D3"] == 3
    # Not past enemies in the house, but past those upstairs.
    assert at("D5", SQUARE, others=(enemy("D4", "broken"),), **wall)["D3"] == 4
    upstairs = house("D4 D3", "D4-D3")
    assert at("D5", upstairs, others=(enemy("D4/1"),), **wall)["E4"] == 2
    assert at("D5", upstairs, others=(enemy("D4"),), **wall)["E4"] == 3
    # In Bypass from house to house: round D4 to the vertex D3-D4-E4, along E4 to D3-E3-E4, into E3.
    long = (("woods", hexes("F4 C5 C4")), ("brush", hexes("D3 E5")))
    assert at("D5", SQUARE, house("E4"), terrain=long)["E3"] == 3
    assert at("D5", house("D4 E4", "D4-E4"), terrain=long)["E3"] == 4
    # Uphill the Bypass is doubled too; the wall that is crossed first adds its MF.
    assert at("D5", SQUARE, high=hexes("D4"), **wall)["D3"] == 3
    assert at("D5", SQUARE, walls=sides("D4-D5"), **wall)["D3"] == 3
    assert at("D5", SQUARE, walls=sides("D4-E4 D4-E5"), **wall)["D3"] == 2


def test_enemies() -> None:
    for state in ((), ("broken",), ("concealed",)):
        assert "D4" not in at("D5", SQUARE, others=(enemy("D4", *state),))
    held = {"fortified": frozenset({location("E4")}), "others": (enemy("E4"),)}
    assert "E4" not in at("D4", PAIR, **held)  # 23.922
    assert "E4/1" in at("D4", PAIR, **held)
    assert "E4" in at("D4", PAIR, fortified=frozenset({location("E4")}))


def test_allotment() -> None:
    def mf(kind: str, *states: str, leader: tuple[str, ...] | None = None) -> int:
        units = [Unit("A", kind, "german", location("D4"), states)]
        if leader is not None:
            units.append(Unit("L", "leader", "german", location("D4"), leader))
        return Oracle(World(tuple(units))).allotment() // 4

    assert [mf(kind) for kind in ("squad", "half-squad", "crew", "leader", "hero")] == [
        4,
        4,
        4,
        6,
        6,
    ]
    assert (mf("squad", "inexperienced"), mf("leader", "wounded")) == (3, 3)
    assert (mf("squad", leader=()), mf("crew", "inexperienced", leader=())) == (6, 5)
    assert mf("squad", leader=("wounded",)) == 3
    assert (mf("squad", "PP 3"), mf("squad", "PP 5"), mf("leader", "PP 2")) == (4, 2, 5)


def test_worlds_cover_the_rules() -> None:
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        world = make(seed)
        resolve(parse(world.text()))
        oracle = Oracle(world)
        seen[THEMES[seed % len(THEMES)]] += 1
        steps = set(oracle.reach())
        seen["roof"] += any(place.endswith("roof") for place in steps)
        seen["upstairs"] += any("/" in place for place in steps)
        for kind in ("rubble", "marketplace", "roads", "walls", "hedges", "breaches", "fortified"):
            seen[kind] += bool(getattr(world, kind))
        seen["access"] += bool(world.access)
        seen["led"] += len(world.movers) > 1
        for unit in world.movers:
            seen[unit.kind] += 1
        # How often something to enter lies by the way in Bypass only.
        walker = Walker(world)
        seen["bypass"] += walker.reach() != oracle.reach()
    assert min(seen.values()) >= len(SEEDS) // 50, seen


class Walker(Oracle):
    """The oracle without Bypass."""

    def bypass(self, *_: object) -> object:  # type: ignore[override]
        return iter(())


# The knowledge base against the oracle.


@pytest.mark.parametrize("seed", some(SEEDS, 2 * len(THEMES)))
def test_moves(seed: int) -> None:
    find = pytest.importorskip("rules_asp.queries.movement").moves
    world = make(seed)
    ours = Oracle(world).reach()
    answer = find(prepare(parse(world.text()), program()), [unit.name for unit in world.movers])
    theirs = {str(one.to): one.mf for one in answer.reach if isinstance(one.to.spot, Hex)}
    wrong = [
        f"{place}: oracle {ours.get(place)}, moves {theirs.get(place)}"
        for place in sorted(ours.keys() | theirs.keys())
        if ours.get(place) != theirs.get(place)
    ]
    if wrong:
        spend = f"they have {answer.pace} (oracle: {Oracle(world).allotment()})"
        lines = [world.text(), f"quarters of an MF, None: not reached; {spend}", *wrong]
        lines += [f"oracle: {ours}", f"moves: {theirs}"]
        pytest.fail("\n".join(lines), pytrace=False)
