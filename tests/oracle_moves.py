"""An independent search for the moves of Infantry in one MPh, on a small world.

Shares nothing with the knowledge base but the rule text and the names of hexes. Costs are quarters of
an MF. Where the text leaves room, these are the readings taken here:

- Uphill doubles the cost of the terrain entered (of a building hex, too, and of the Bypass of one),
  not the +1 of a wall. Steps inside a building on a slope stay level and are not doubled.
- Split Level: Locations of joined hexes connect at equal elevation, whatever the number of symbols; a
  rooftop counts as the floor above the highest. A roof leads to a floor only in buildings with a symbol
  (those of 23.72 and 23.721). The high hex of 23.72 has no stairs of its own.
- 23.24 for one hex: the others keep their levels. A symbol anywhere is "specifies a stairwell".
- A road counts only from hex to hex, not from a vertex; its rate holds into any terrain, doubled
  uphill. The whole move is by road if each step crosses a road hexside.
- Bypass: only a building hex has something to go round and room for it. A hexside is free if it is not
  joined, no woods fill the hex beyond, and there is a hex beyond; walls and hedges
  are in the way of those who cross them only. The hexside crossed first need not be free. No Bypass
  where an enemy is on the ground.
- From a vertex, a hex is entered as from outside: 2 MF for a building, across a bar or a Factory
  hexside too. Bypass of it goes on from there in both directions.
- Rubble keeps the type of its building: heights, Factory, symbols. No upper level leads into it. 1 MF
  from Factory rubble into the Factory across any hexside (EX of 23.743: though the drawing is left).
  Rooftop to rooftop of a Factory is 2 MF.
- No enemy's Location is entered, not even a concealed one's: who tries is sent back (A12.15, 23.71).
- An Inexperienced MMC with a leader has 3 + 2 MF. There is no minimum move.

Left out, as the text does not say: a Factory, Marketplace, Rowhouse bar or third level on a slope,
rubble beside a bar, one hex raised by SSR under rooftops, a printed symbol only in the high hex, a
Marketplace under rooftops beside higher roofs, terrain in a building hex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count, pairwise
from random import Random

from rules_asp.game.grid import (
    Grid,
    Hex,
    Hexside,
    Location,
    Point,
    Vertex,
    hexside_between,
    parse_hex,
)

GRID = Grid(4, 4)
MF = 4
ROOF = "roof"
#: MF to enter a hex of this terrain, in quarters (general rules).
TERRAIN = {"woods": 8, "brush": 8, "grain": 6, "orchard": 4}
#: Obstacles that fill their hex up to its hexsides, as rubble does.
FILLING = ("woods",)
PRINTED = {
    "squad": "4-6-7",
    "half-squad": "2-3-7",
    "crew": "2-2-7",
    "leader": "",
    "hero": "1-4-9",
}
MMC = ("squad", "half-squad", "crew")


def hexes(text: str) -> frozenset[Hex]:
    """The hexes named in a text."""
    return frozenset(parse_hex(word)[1] for word in text.split())


def sides(text: str) -> frozenset[Hexside]:
    """The hexsides named in a text."""
    return frozenset(
        hexside_between(*(parse_hex(one)[1] for one in word.split("-"))) for word in text.split()
    )


def location(text: str) -> Location:
    """`B2`, `B2/1`, `B2/roof`."""
    name, _, floor = text.partition("/")
    return Location(parse_hex(name)[1], int(floor) if floor.isdigit() else floor if floor else 0)


@dataclass(frozen=True)
class House:
    """A building. `third` is the hex which the SSR of a third level names, for all or that `one`."""

    hexes: frozenset[Hex]
    joined: frozenset[Hexside] = frozenset()
    stairwells: frozenset[Hex] = frozenset()
    bars: frozenset[Hexside] = frozenset()
    colour: str = "gray"
    factory: bool = False
    third: Hex | None = None
    one: bool = False

    def __post_init__(self) -> None:
        assert self.stairwells <= self.hexes
        assert self.bars <= self.joined


@dataclass(frozen=True)
class Unit:
    """A unit, in the words of the board language; `states` are such as "broken" or "PP 4"."""

    name: str
    kind: str
    side: str
    at: Location
    states: tuple[str, ...] = ()

    def pp(self) -> int:
        """The PP that it carries."""
        return sum(int(state[3:]) for state in self.states if state.startswith("PP "))

    def __str__(self) -> str:
        printed = " ".join(filter(None, (self.kind, PRINTED[self.kind], self.side)))
        states = ": " + ", ".join(self.states) if self.states else ""
        return f"unit {self.name} {printed} at {self.at}{states}"


@dataclass(frozen=True)
class World:
    """A small board with its movers (they go together) and the other units."""

    movers: tuple[Unit, ...]
    others: tuple[Unit, ...] = ()
    houses: tuple[House, ...] = ()
    high: frozenset[Hex] = frozenset()
    terrain: tuple[tuple[str, frozenset[Hex]], ...] = ()
    rubble: frozenset[Hex] = frozenset()
    marketplace: frozenset[Hex] = frozenset()
    roads: tuple[tuple[Hex, ...], ...] = ()
    walls: frozenset[Hexside] = frozenset()
    hedges: frozenset[Hexside] = frozenset()
    breaches: frozenset[tuple[Hexside, int]] = frozenset()
    fortified: frozenset[Location] = frozenset()
    access: frozenset[Hex] = frozenset()
    rooftops: bool = False
    grid: Grid = GRID
    name: str = "world"

    def text(self) -> str:
        """The world in the board language."""
        lines = [
            f'board "{self.name}" grid {self.grid}',
            "turn 1 german mph",
        ]
        wooden = {hex_ for house in self.houses if house.colour == "brown" for hex_ in house.hexes}
        for kind, where in (
            ("level 1", self.high),
            *self.terrain,
            ("marketplace", self.marketplace),
            ("rubble stone", self.rubble - wooden),
            ("rubble wooden", self.rubble & wooden),
            ("wall", self.walls),
            ("hedge", self.hedges),
            ("road paved", ["-".join(map(str, road)) for road in self.roads]),
            ("fortified hidden", self.fortified),
        ):
            if where:
                lines.append(f"{kind}: {words(where)}")
        for house in self.houses:
            line = f"building {house.colour}: {words(house.hexes)}"
            for word, what in (
                ("joined", house.joined),
                ("stairwell", house.stairwells),
                ("bar", house.bars),
            ):
                line += f"   {word} {words(what)}" if what else ""
            lines.append(line)
            if house.factory:
                lines.append(f"factory {min(house.hexes)}")
            if house.third:
                lines.append(f"third level {house.third} {'hex' if house.one else 'building'}")
        if self.breaches:
            lines.append("breach " + words({f"{one}/{level}" for one, level in self.breaches}))
        if self.rooftops:
            lines.append("rooftops")
        if self.access:
            lines.append(f"access point {words(self.access)}")
        return "\n".join([*lines, *map(str, self.movers), *map(str, self.others)]) + "\n"


def words(things: object) -> str:
    """Hexes, hexsides or whatever, in one order."""
    return " ".join(sorted(map(str, things)))  # type: ignore[call-overload]


class Oracle:
    """The least MF to each Location of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.house = {hex_: house for house in world.houses for hex_ in house.hexes}
        self.terrain = {hex_: kind for kind, where in world.terrain for hex_ in where}
        self.road = {hexside_between(*pair) for road in world.roads for pair in pairwise(road)}
        #: Infantry may not enter an enemy's Location in its MPh (A4.14), so that a Fortified one which
        #: an enemy squad holds (23.922) is barred anyway, breached (23.9221) or not.
        us = world.movers[0].side
        self.enemies = {unit.at for unit in world.others if unit.side != us}

    # What stands in a hex.

    def base(self, hex_: Hex) -> int:
        """The base level."""
        return int(hex_ in self.world.high)

    def built(self, hex_: Hex) -> bool:
        """Rubble is no building hex any more (24, 23.743)."""
        return hex_ in self.house and hex_ not in self.world.rubble

    def open_ground_floor(self, hex_: Hex) -> bool:
        """The Marketplace has no building at ground level (23.73)."""
        return hex_ in self.world.marketplace

    def printed_top(self, hex_: Hex) -> int:
        """The highest level that a building of this type has here, were it no Factory."""
        house = self.house[hex_]
        if self.open_ground_floor(hex_):
            return 1  # 23.731
        if house.third and (hex_ == house.third or not house.one):
            return 3  # 23.24
        if house.stairwells:
            low = {each for each in house.hexes if self.base(each) == 0}
            split = 0 < len(low) < len(house.hexes)
            if split and len(house.stairwells) == 1 and house.stairwells <= low:
                return 2 - self.base(hex_)  # 23.72: the high part has one level less.
            return 2  # 23.23, 23.721
        return 1 if len(house.hexes) > 1 else 0  # 23.22, 23.21

    def top(self, hex_: Hex) -> int:
        """The highest level with a floor."""
        return 0 if self.house[hex_].factory else self.printed_top(hex_)  # 23.74

    def roof(self, hex_: Hex) -> bool:
        """23.8: not on Single Story Houses; 23.86: not over rubble."""
        return self.world.rooftops and self.built(hex_) and self.printed_top(hex_) > 0

    def places(self, hex_: Hex) -> list[Location]:
        """All Locations of a hex."""
        if not self.built(hex_):
            return [Location(hex_, 0)]
        floors = [Location(hex_, level) for level in range(self.top(hex_) + 1)]
        return floors + [Location(hex_, ROOF)] * self.roof(hex_)

    def elevation(self, place: Location) -> int:
        """Floors counted over the lowest ground; a rooftop is one more floor (23.8)."""
        hex_ = place.spot
        assert isinstance(hex_, Hex)
        floor = self.printed_top(hex_) + 1 if place.floor == ROOF else int(place.floor)
        return self.base(hex_) + floor

    def joined(self, one: Hex, two: Hex) -> bool:
        """Whether the drawing of standing building hexes crosses their hexside (23.1)."""
        return self.drawn(one, two) and self.built(one) and self.built(two)

    def drawn(self, one: Hex, two: Hex) -> bool:
        return one in self.house and hexside_between(one, two) in self.house[one].joined

    # Steps inside a building.

    def stairs(self, hex_: Hex) -> Iterator[tuple[Location, Location, int]]:
        """Ways from a level to another of one hex, with their cost."""
        if not self.built(hex_):
            return
        house, top, roof = self.house[hex_], self.top(hex_), Location(hex_, ROOF)
        if house.factory:
            # 23.87: symbols, road hexsides, or what the SSR names; 1 MF a level.
            by_road = any(hex_ in crossed for crossed in self.road)
            if self.roof(hex_) and (
                hex_ in house.stairwells or by_road or hex_ in self.world.access
            ):
                yield Location(hex_, 0), roof, (3 if house.stairwells else 2) * MF
            return
        # Printed (23.23), inherent (23.22, 23.24), the Marketplace's outside stairs (23.731).
        if hex_ in house.stairwells or not house.stairwells or self.open_ground_floor(hex_):
            for level in range(top):
                yield Location(hex_, level), Location(hex_, level + 1), MF  # 23.4
        if self.roof(hex_):
            yield Location(hex_, top), roof, MF  # 23.8

    def across(self, one: Location, two: Location) -> int | None:
        """The cost from one Location to another across a joined hexside; None for no way."""
        here, there = one.spot, two.spot
        assert isinstance(here, Hex)
        assert isinstance(there, Hex)
        house, crossed = self.house[here], hexside_between(here, there)
        if self.elevation(one) != self.elevation(two):
            return None  # 23.72, 23.721, 23.8; a level building's floors are of one elevation.
        if one.floor == ROOF or two.floor == ROOF:
            # 23.8: to a roof, or in a Split Level building (23.72) to a floor; 23.71 has no bars here.
            return 2 * MF if one.floor == two.floor or house.stairwells else None
        if crossed in house.bars and (crossed, one.floor) not in self.world.breaches:
            return 3 * MF if one.floor == 0 else None  # 23.71; 23.711 for a Breach.
        if house.factory:
            return MF  # 23.742
        if two.floor == 0 and self.open_ground_floor(there):
            return MF  # 23.73
        return 2 * MF  # 23.4

    # Steps on the ground.

    def entry(self, one: Hex, two: Hex, from_centre: bool) -> int:
        """The cost of the ground level of `two` from outside it, `one` being across the hexside."""
        crossed = hexside_between(one, two)
        if from_centre and crossed in self.road:
            cost = MF  # Also into a building hex (23.4, A4.132).
        elif two in self.world.rubble:
            cost = 3 * MF
        elif self.built(two) and not self.open_ground_floor(two):
            ruin = one in self.world.rubble and one in self.house[two].hexes
            factory = self.house[two].factory and ruin and from_centre
            cost = MF if factory else 2 * MF  # 23.743, 23.4
        else:
            cost = TERRAIN.get(self.terrain.get(two, ""), MF)
        return self.climbed(one, two, cost)

    def climbed(self, one: Hex, two: Hex, cost: int) -> int:
        """The cost with what the hexside itself adds: uphill double, +1 over a wall or hedge."""
        doubled = cost * 2 if self.base(two) > self.base(one) else cost
        return doubled + MF * (hexside_between(one, two) in self.world.walls | self.world.hedges)

    def free(self, hex_: Hex, number: int) -> bool:
        """Whether hexside `number` of a building hex lets units pass along it."""
        beyond = hex_.neighbour(number)
        if beyond not in self.world.grid or self.drawn(hex_, beyond):
            return False
        return self.terrain.get(beyond) not in FILLING

    def bypass(self, hex_: Hex, corner: int, turn: int) -> Iterator[Vertex]:
        """The vertices that one MF in Bypass leads to, from a corner, clockwise (1) or not (-1)."""
        if not self.built(hex_) or self.open_ground_floor(hex_):
            return
        if Location(hex_, 0) in self.enemies:
            return
        for _ in range(2):
            # Corner c lies between hexsides c and c + 1.
            if not self.free(hex_, (corner + (turn == 1)) % 6):
                return
            corner = (corner + turn) % 6
            yield Vertex(hex_, corner)

    def steps(self, place: Location) -> Iterator[tuple[Location, int, bool]]:
        """Each step out of a place, its cost, and whether it is by road."""
        spot = place.spot
        if isinstance(spot, Vertex):
            here, corner = spot
            for number in (corner, (corner + 1) % 6):
                yield from self.over(here, number, spot.centre)
            return
        for low, high, cost in self.stairs(spot):
            if place in (low, high):
                yield (high if place == low else low), cost, False
        for number, beyond in enumerate(spot.neighbours()):
            if beyond not in self.world.grid:
                continue
            if self.joined(spot, beyond):
                for there in self.places(beyond):
                    inside = self.across(place, there)
                    if inside is not None:
                        yield there, inside, False
            if place.floor == 0:
                yield from self.over(spot, number, None)

    def over(
        self, here: Hex, number: int, start: Point | None
    ) -> Iterator[tuple[Location, int, bool]]:
        """From the ground over hexside `number`, into the hex or into Bypass of it.

        `start` is the vertex where a unit in Bypass stands; None is the centre of `here`.
        """
        there = here.neighbour(number)
        if there not in self.world.grid:
            return
        if start is not None or not self.joined(here, there):
            road = start is None and hexside_between(here, there) in self.road
            yield Location(there, 0), self.entry(here, there, start is None), road
        entered = (number + 3) % 6
        if start is None:
            # Round one end of the hexside that is crossed, or the other.
            ways = [(entered, 1), ((entered - 1) % 6, -1)]
        else:
            ways = [(c, turn) for c in range(6) if there.corner(c) == start for turn in (1, -1)]
        for corner, turn in ways:
            for vertex in self.bypass(there, corner, turn):
                yield Location(vertex, 0), self.climbed(here, there, MF), False

    # The search.

    def allotment(self) -> int:
        """MF to spend, in quarters: the least of those who go together."""
        led = any(unit.kind == "leader" for unit in self.world.movers)
        each = []
        for unit in self.world.movers:
            others = [other for other in self.world.movers if other is not unit]
            lent = len(others) == 1 and others[0].kind not in MMC and not others[0].pp()
            if unit.kind in MMC:
                mf = (3 if "inexperienced" in unit.states else 4) + 2 * led
                each.append(mf - max(0, unit.pp() - 3 - lent))
            else:
                mf = 3 if "wounded" in unit.states else 6
                each.append(mf - max(0, unit.pp() - 1 - lent))
        return MF * min(each)

    def reach(self) -> dict[str, int]:
        """The least MF (quarters) to each Location other than the unit's own, by its name."""
        start, mf = self.world.movers[0].at, self.allotment()
        least: dict[tuple[Location, bool], int] = {}
        number = count()
        queue = [(0, next(number), start, True)]
        while queue:
            spent, _, place, road = heappop(queue)
            if (place, road) in least:
                continue
            least[place, road] = spent
            for to, cost, by_road in self.steps(place):
                # The road bonus is for a move wholly by road.
                if to not in self.enemies and spent + cost <= mf + MF * (road and by_road):
                    heappush(queue, (spent + cost, next(number), to, road and by_road))
        found: dict[str, int] = {}
        for (place, _), spent in least.items():
            if place != start and isinstance(place.spot, Hex):
                found[str(place)] = min(spent, found.get(str(place), spent))
        return found


# Worlds at random, each from its seed.

THEMES = (
    "single", "two-story", "symbol", "slope", "split", "twin", "rowhouse",
    "tall rowhouse", "factory", "old factory", "market", "third", "one third",
)  # fmt: skip
#: Themes whose building stands on one level (see the docstring).
FLAT = ("rowhouse", "tall rowhouse", "factory", "old factory", "market", "third", "one third")


class Maker:
    """Makes one world: a building of the seed's theme, more buildings, and what else there may be."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.seed = seed
        self.rooftops = self.chance(0.5)
        self.high: set[Hex] = set()
        self.houses: list[House] = []
        self.rubble: set[Hex] = set()
        self.market: set[Hex] = set()
        self.breaches: set[tuple[Hexside, int]] = set()

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def some(self, things: object, most: int) -> list:  # type: ignore[type-arg]
        ordered = sorted(things)  # type: ignore[call-overload]
        return self.rng.sample(ordered, min(len(ordered), self.rng.randint(0, most)))

    def free_hexes(self) -> list[Hex]:
        taken = {hex_ for house in self.houses for hex_ in house.hexes}
        return [hex_ for hex_ in GRID.hexes() if hex_ not in taken]

    def grow(self, size: int) -> tuple[list[Hex], set[Hexside]]:
        """Hexes in one piece, with the hexsides that join them; perhaps not all that could."""
        free, joined = self.free_hexes(), set()
        grown = [self.rng.choice(free)]
        while len(grown) < size:
            rim = [
                (one, two)
                for one in grown
                for two in one.neighbours()
                if two in free and two not in grown
            ]
            if not rim:
                break
            one, two = self.rng.choice(rim)
            grown.append(two)
            joined.add(hexside_between(one, two))
        for one in grown:
            for two in one.neighbours():
                if two in grown and self.chance(0.3):
                    joined.add(hexside_between(one, two))
        return grown, joined

    def build(self, theme: str) -> None:
        """One building of this theme, and the ground under it."""
        rng = self.rng
        hexes_, joined = self.grow(1 if theme == "single" else rng.randint(2, 5))
        if len(hexes_) == 1 and theme != "symbol":
            theme = "single"
        if theme in FLAT:
            self.high -= set(hexes_)
            self.high |= set(hexes_) if self.chance(0.3) else set()
        elif theme in ("slope", "split", "twin"):
            up = rng.sample(hexes_, rng.randint(1, len(hexes_) - 1))
            self.high = (self.high - set(hexes_)) | set(up)
        elif theme == "symbol":
            self.high -= set(hexes_)
        up = [hex_ for hex_ in hexes_ if hex_ in self.high]
        down = [hex_ for hex_ in hexes_ if hex_ not in self.high]
        stairwells: set[Hex] = set()
        if theme in ("symbol", "tall rowhouse") or (
            theme in ("factory", "third", "one third") and self.chance(0.5)
        ):
            stairwells = set(rng.sample(hexes_, rng.randint(1, min(2, len(hexes_)))))
        elif theme == "split":
            stairwells = {rng.choice(down)}
        elif theme == "twin":
            stairwells = {rng.choice(down), rng.choice(up)}
        bars = set()
        if "rowhouse" in theme:
            bars = set(rng.sample(sorted(joined), rng.randint(1, len(joined))))
            for bar in sorted(bars):
                if self.chance(0.3):
                    self.breaches.add((bar, rng.randint(0, 2 if stairwells else 1)))
        elif theme != "market" and self.chance(0.6 if theme == "old factory" else 0.25):
            self.rubble.add(rng.choice(hexes_))
        if theme == "market":
            self.market.add(rng.choice(hexes_))
            stairs = set(hexes_) - self.market
            if not self.rooftops and self.chance(0.5):
                stairwells = {rng.choice(sorted(stairs))}
        one = theme == "one third"
        if one:
            self.rooftops = False
        self.houses.append(
            House(
                frozenset(hexes_),
                frozenset(joined),
                frozenset(stairwells),
                frozenset(bars),
                rng.choice(("gray", "brown")),
                "factory" in theme,
                rng.choice(hexes_) if "third" in theme else None,
                one,
            )
        )

    def road(self, walled: set[Hexside]) -> tuple[Hex, ...]:
        """A road of a few hexes; not through walls, rubble or from room to room."""
        joined = {one for house in self.houses for one in house.joined}
        way = [self.rng.choice([h for h in GRID.hexes() if h not in self.rubble])]
        for _ in range(self.rng.randint(3, 6)):
            on = [
                two
                for two in way[-1].neighbours()
                if two in GRID
                and two not in (*way, *self.rubble, *self.market)
                and hexside_between(way[-1], two) not in joined | walled
            ]
            if not on:
                break
            way.append(self.rng.choice(on))
        return tuple(way)

    def world(self) -> World:
        rng, theme = self.rng, THEMES[self.seed % len(THEMES)]
        if self.chance(0.5):
            self.high = set(self.some(GRID.hexes(), 6))
        self.build(theme)
        ground = set(self.high)
        for _ in range(rng.randint(0, 2)):
            self.build(rng.choice(("single", "two-story")))
            # More buildings leave the ground as it is.
            assert self.high == ground
        terrain: dict[str, set[Hex]] = {}
        for hex_ in self.free_hexes():
            if self.chance(0.5):
                terrain.setdefault(rng.choice(sorted(TERRAIN)), set()).add(hex_)
        joined = {one for house in self.houses for one in house.joined}
        open_sides = [
            hexside_between(one, two)
            for one in GRID.hexes()
            for two in one.neighbours()
            if two in GRID and one < two and hexside_between(one, two) not in joined
        ]
        barriers = self.some(open_sides, 6) if self.chance(0.6) else []
        walls, hedges = set(barriers[::2]), set(barriers[1::2])
        roads = [self.road(walls | hedges) for _ in range(rng.randint(0, 2))]
        world = World(
            (),
            houses=tuple(self.houses),
            high=frozenset(self.high),
            terrain=tuple((kind, frozenset(where)) for kind, where in sorted(terrain.items())),
            rubble=frozenset(self.rubble),
            marketplace=frozenset(self.market),
            roads=tuple(road for road in roads if len(road) > 1),
            walls=frozenset(walls),
            hedges=frozenset(hedges),
            breaches=frozenset(self.breaches),
            access=self.named_access(roads),
            rooftops=self.rooftops,
            name=f"seed {self.seed} {theme}",
        )
        return self.manned(world)

    def named_access(self, roads: list[tuple[Hex, ...]]) -> frozenset[Hex]:
        """An Access Point by SSR, for a Factory that has no other (23.87)."""
        on_road = {hex_ for road in roads if len(road) > 1 for hex_ in road}
        for house in self.houses:
            standing = house.hexes - self.rubble
            if house.factory and self.rooftops and not standing & (house.stairwells | on_road):
                return frozenset({self.rng.choice(sorted(standing))})
        return frozenset()

    def manned(self, world: World) -> World:
        """The world with its units, and Fortified Locations for some of them."""
        rng = self.rng
        oracle = Oracle(replace(world, movers=(Unit("A", "hero", "german", NOWHERE),)))
        inside = [
            place for hex_ in GRID.hexes() if oracle.built(hex_) for place in oracle.places(hex_)
        ]
        outside = [Location(hex_, 0) for hex_ in GRID.hexes() if not oracle.built(hex_)]
        everywhere = inside + outside
        start = rng.choice(inside if inside and self.chance(0.7) else everywhere)
        # Where seldom used rules begin: in Factory rubble, in a Marketplace building, on a road.
        first = world.houses[0]
        ruins = [Location(hex_, 0) for hex_ in sorted(first.hexes & world.rubble)]
        if first.factory and ruins and self.chance(0.6):
            start = rng.choice(ruins)
        elif world.marketplace and self.chance(0.6):
            start = rng.choice([place for place in inside if place.spot in first.hexes])
        elif world.roads and self.chance(0.25):
            start = Location(world.roads[0][0], 0)
        kind = rng.choice(("squad", "squad", "squad", "half-squad", "crew", "leader", "hero"))
        movers = [Unit("A", kind, "german", start, self.states(kind))]
        if kind in MMC and self.chance(0.4):
            movers.append(Unit("L", "leader", "german", start, self.states("leader")))
        others, fortified = [], set()
        taken = {start}
        for number in range(rng.randint(0, 4)):
            place = rng.choice(inside if inside and self.chance(0.6) else everywhere)
            if place in taken:
                continue
            taken.add(place)
            other = "german" if self.chance(0.25) else "russian"
            state = rng.choice((None, None, None, "broken", "concealed", "pinned"))
            states = (state,) if state else ()
            others.append(Unit(f"Other{number}", "squad", other, place, states))
        for place in inside:
            # Improved from the ground up, no rooftop (23.912, 23.81); the Marketplace has no ground
            # level to begin with.
            ground = place.floor == 0 and place.spot not in self.market
            above = place.floor == 1 and Location(place.spot, 0) in fortified
            if self.chance(0.15 if ground else 0.5 if above else 0):
                fortified.add(place)
        return replace(
            world, movers=tuple(movers), others=tuple(others), fortified=frozenset(fortified)
        )

    def states(self, kind: str) -> tuple[str, ...]:
        states = []
        if self.chance(0.2):
            states.append("inexperienced" if kind in MMC else "wounded")
        if self.chance(0.25):
            states.append(f"PP {self.rng.randint(1, 5 if kind in MMC else 2)}")
        return tuple(states)


NOWHERE = Location(Hex(-1, -1), 0)


def make(seed: int) -> World:
    """The world of this seed."""
    return Maker(seed).world()
