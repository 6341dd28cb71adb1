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
from rules_asp.terms.arguments import SCALES, number_text, to_board_text, word_text
from rules_asp.terms.board import Expect, Fact, UnitStatement
from rules_asp.terms.grid import Hex, Location, hex_of_spot
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.maps import set_map_names
from rules_asp.terms.names import term_text
from rules_asp.terms.symbols import hex_from_symbol, location_from_symbol

Record = dict[str, Any]


def map_payload(position: Position) -> Record:
    """The map of a position.

    hexes: name, x and y of the centre dot, base level, and the Locations: name, floor, level. units: name,
    Location, side, type, line. statements: what the board says besides its map, one thing a line.
    """
    set_map_names(position.board.grid)
    places: dict[Hex, list[Location]] = defaultdict(list)
    for each in locations(position):
        if isinstance(each.spot, Hex):
            places[each.spot].append(each)
    hexes = []
    for hex_ in position.board.grid.hexes():
        x, y = hex_.centre
        levels = [
            [to_board_text(each, "location"), str(each.floor), level_of(position.elevation(each))]
            for each in sorted(places[hex_], key=lambda e: position.elevation(e) or 0)
        ]
        hexes.append([str(hex_), x, y, level_of(position.bases.get(hex_, 0)), levels])
    where = units_at(position)
    units = []
    for thing in position.board.statements:
        if isinstance(thing, UnitStatement):
            about = {fact.name: fact.args[1:] for fact in thing.facts}
            units.append(
                {
                    "name": thing.name,
                    "at": to_board_text(where[thing.name], "location")
                    if thing.name in where
                    else None,
                    "hex": str(hex_of_spot(where[thing.name].spot))
                    if thing.name in where
                    else None,
                    "type": word_text(str(about["unit"][0]), "unit_type"),
                    "side": str(about["of_side"][0]) if "of_side" in about else None,
                    "line": line_of(thing),
                }
            )
    said_lines = [
        {"line": line_of(each), "input": each.name}
        for each in position.board.statements
        if isinstance(each, Fact)
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


def hex_payload(position: Position, name: str) -> Record:
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
            locations_[to_board_text(location_from_symbol(first), "location")]["tem"] = _valued(
                topic.name, value
            )
    terrain = [
        word_text(str(fact.arguments[1]), "terrain")
        for fact in position.board_facts.named("terrain")
        if hex_from_symbol(fact.arguments[0]) == hex_
    ]
    names = [
        fact.arguments[1].string
        for fact in position.board_facts.named("named")
        if hex_from_symbol(fact.arguments[0]) == hex_
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
    there = position.with_(f"unit {unit} {word_text(type_, 'unit_type')} at {start}")
    asked = ask(there, f'mf(step(move, "{unit}", {start}, {hex_}, W)) = V', cite=False)
    ways = [dict(each.values) for each in asked.found]
    return {"from": str(start), "unit": type_, "ways": [[each["W"], each["V"]] for each in ways]}


def _symbol(hex_: Hex) -> clingo.Symbol:
    return clingo.parse_term(hex_.term)


def _valued(topic: str, value: clingo.Symbol) -> str:
    kind = vocabulary().topics[topic].value
    if value.type == clingo.SymbolType.Number:
        return number_text(value.number, SCALES.get(kind, 1))
    return word_text(term_text(value), kind)
