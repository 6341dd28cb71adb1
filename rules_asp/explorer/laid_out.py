"""What lies where on a map, for whoever points at it: hexes, Locations, units, and what is said of each."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import clingo

from rules_asp.api import ask
from rules_asp.drawing.sheets import box_of
from rules_asp.positions.changing import line_of
from rules_asp.positions.places import hexes_named, locations, units_at
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import level_of
from rules_asp.terms.arguments import SCALES, said, said_number, said_word
from rules_asp.terms.board import Expect, Given, Thing
from rules_asp.terms.grid import Hex, Location, spot_hex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.maps import speak_of
from rules_asp.terms.names import named
from rules_asp.terms.symbols import hex_of, location_of

Record = dict[str, Any]


def layout(position: Position) -> Record:
    """The map of a position.

    hexes: name, x and y of the centre dot, base level, and the Locations: name, floor, level. units: name,
    Location, side, type, line. statements: what the board says besides its map, one thing a line.
    """
    speak_of(position.board.grid)
    places: dict[Hex, list[Location]] = defaultdict(list)
    for each in locations(position):
        if isinstance(each.spot, Hex):
            places[each.spot].append(each)
    hexes = []
    for hex_ in position.board.grid.hexes():
        x, y = hex_.centre
        levels = [
            [said(each, "location"), str(each.floor), level_of(position.elevation(each))]
            for each in sorted(places[hex_], key=lambda e: position.elevation(e) or 0)
        ]
        hexes.append([str(hex_), x, y, level_of(position.bases.get(hex_, 0)), levels])
    where = units_at(position)
    units = []
    for thing in position.board.statements:
        if isinstance(thing, Thing):
            about = {fact.name: fact.args[1:] for fact in thing.facts}
            units.append(
                {
                    "name": thing.name,
                    "at": said(where[thing.name], "location") if thing.name in where else None,
                    "hex": str(spot_hex(where[thing.name].spot)) if thing.name in where else None,
                    "type": said_word(str(about["unit"][0]), "unit_type"),
                    "side": str(about["of_side"][0]) if "of_side" in about else None,
                    "line": line_of(thing),
                }
            )
    said_lines = [
        {"line": line_of(each), "input": each.name}
        for each in position.board.statements
        if isinstance(each, Given)
    ]
    expects = sum(isinstance(each, Expect) for each in position.board.statements)
    return {
        "board": position.board.name,
        "grid": str(position.board.grid),
        "box": list(box_of(position.board.grid.hexes())),
        "hexes": hexes,
        "units": units,
        "statements": said_lines,
        "expects": expects,
        "without": list(position.switched_off),
    }


#: What is told of a hex: topics whose first argument it is.
_TOPICS = ("btype", "construction", "height", "building_tem", "roofless", "rowhouse")


def hex_told(position: Position, name: str) -> Record:
    """What the rules say of a hex by its own: its terrain, building and TEM, and of each Location."""
    (hex_,) = hexes_named(position, name)
    values: dict[str, str] = {}
    locations_: dict[str, dict[str, str]] = defaultdict(dict)
    for topic, value in position.cases[0].values.items():
        if not topic.arguments:
            continue
        first = topic.arguments[0]
        if topic.name in _TOPICS and len(topic.arguments) == 1 and first == _symbol(hex_):
            values[topic.name] = _valued(topic.name, value)
        elif topic.name == "tem_at" and first.name == "l" and first.arguments[0] == _symbol(hex_):
            locations_[said(location_of(first), "location")]["tem"] = _valued(topic.name, value)
    terrain = [
        said_word(str(fact.arguments[1]), "terrain")
        for fact in position.board_facts.named("terrain")
        if hex_of(fact.arguments[0]) == hex_
    ]
    names = [
        fact.arguments[1].string
        for fact in position.board_facts.named("named")
        if hex_of(fact.arguments[0]) == hex_
    ]
    return {
        "hex": str(hex_),
        "named": names,
        "terrain": terrain,
        "level": level_of(position.bases.get(hex_, 0)),
        "values": values,
        "locations": dict(locations_),
    }


def entering(position: Position, name: str) -> Record:
    """What it costs to enter a hex: of a unit as one supposes it near by, each way with its MF or MP."""
    (hex_,) = hexes_named(position, name)
    near = [each for each in hex_.neighbours() if each in position.bases]
    if not near:
        return {"from": None, "ways": []}
    # From the same level where there is one: what a slope adds is no cost of the hex.
    start = min(near, key=lambda each: abs(position.bases[each] - position.bases[hex_]))
    unit = next(
        each for each in map("Someone{}".format, range(10**6)) if each not in units_at(position)
    )
    (type_, *_), *_ = (each.ranges[1] for each in vocabulary().supposable if each.name == "unit")
    there = position.with_(f"unit {unit} {said_word(type_, 'unit_type')} at {start}")
    asked = ask(there, f'mf(step(move, "{unit}", {start}, {hex_}, W)) = V', cite=False)
    ways = [dict(each.values) for each in asked.found]
    return {"from": str(start), "unit": type_, "ways": [[each["W"], each["V"]] for each in ways]}


def _symbol(hex_: Hex) -> clingo.Symbol:
    return clingo.parse_term(hex_.term)


def _valued(topic: str, value: clingo.Symbol) -> str:
    kind = vocabulary().topics[topic].value
    if value.type == clingo.SymbolType.Number:
        return said_number(value.number, SCALES.get(kind, 1))
    return said_word(named(value), kind)
