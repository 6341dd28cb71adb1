"""The board syntax of the inputs of kb/vocabulary.lp: words, and the order of arguments.

`{0}` is the input's first argument. Three dots at the end mean that the last word may be repeated;
each repetition is a fact. The grammar decides which texts are valid. A form gives the order of the
arguments to the reader, and the whole line to the writer; a test compares the two. Traits of a unit
leave out `{0}`, the unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules_asp.game.board import PRINTED_MARKS
from rules_asp.game.values import word_text
from rules_asp.game.vocabulary import Vocabulary

STATEMENTS = {
    "section": "rules {0} ...",
    "symbol": "symbol {1}: {0} ...",
    "road_along": "narrow street {0} ...",
    "roads_pass": "roads pass {0} ...",
    "cropped": "cut off {1}: {0} ...",
    "upslope": "slope {0}: {1} ...",
    "below_crest": "below crest: {0} ...",
    # SSRs and purchases
    "ssr_factory": "factory {0} ...",
    "ssr_rooftops": "rooftops",
    "ssr_buildings": "all buildings {0}",
    "ssr_buildings_on": "all buildings {1} on {0}",
    "ssr_third_level": "third level {0} {1}",
    "ssr_stairwell": "third level stairwell {0} ...",
    "ssr_levels": "upper levels {1}: {0} ...",
    "ssr_access_point": "access point {0} ...",
    "ssr_roofless": "roofless {0} ...",
    "ssr_tower": "tower {0} {1} {2}",
    "ssr_commando": "commando {0} ...",
    "ssr_unpaved": "unpaved {0} ...",
    "ssr_fortified_levels": "purchase {0} {1} fortified",
    "ssr_interior_walls_breached": "purchase {0} {1} breaches",
    "ob_breaches": "ob {0} {1} breaches",
    "fpp": "fpp {0} {1}",
    "board_edition": "edition {0}",
    "plays_by": "ruling {0} ...",
    # time, weather, sides; turn, side and phase may share a line
    "turn": "turn {0}",
    "moving_side": "turn {0}",
    "phase": "turn {0}",
    "month": "month {0}",
    "season": "season {0}",
    "night": "night",
    "nvr": "nvr {0}",
    "weather": "weather {0} ...",
    "lv_hindrance": "lv hindrance {0} from range {1}",
    "ec": "ec {0}",
    "side": "sides {0} ...",
    "control": "control {1}: {0} ...",
    "front_line": "front line {0} ...",
    # counters
    "rubble": "rubble {1}: {0} ...",
    "rubbled_level": "rubbled level {1}: {0} ...",
    "breach": "breach {0}/{1} ...",
    "hidden_breach": "hidden breach {0}/{1} ...",
    "level_counter": "level counter {1}: {0} ...",
    "flame": "flame {0} ...",
    "blaze": "blaze {0} ...",
    "smoke": "smoke {1}: {0} ...",
    "wp": "wp {0} ...",
    "wall_gap": "gap {1}: {0} ...",
    "wire": "wire {0} ...",
    "mines": "mines {1} {2} {3}: {0} ...",
    "roadblock": "roadblock {0} toward {1}",
    "fortified": "fortified {1}: {0} ...",
    "fortified_counter": "fortified counter {0} ...",
    "residual_fp": "residual fp {1}: {0} ...",
    "ift": "ift {0}: {1} {2} ...",
    "collapsed": "collapsed {0} ...",
    "bridge": "bridge {1}: {0} ...",
    # what has happened
    "event": "event {0} {1}",
    "attempted_entry": "event {0} attempted entry of {1} in turn {2}",
    "tca_tries": "event {0} made {1} tca change dr",
    "crossed": "event {0} crossed {1} in turn {2} {3} {4}",
    "fired_through": "event {0} fired through {1} in turn {2}",
    "firing_through": "event {0} fires through {1}",
    "directing_through": "event {0} directs fire through {1}",
}

#: Marks that can be uncertain (`perhaps`) although they are part of a building or a terrain.
MARKS = {
    "stairwell_symbol": "stairwell {0} ...",
    "striped": "lumberyard: {0} ...",
    "dashed": "marketplace: {0} ...",
    "side_terrain": "{1}: {0} ...",
    "bar": "bar {0} ...",
    "road": "road {1}: {0} ...",
}

TRAITS = {
    "status": "{1} ...",
    "has": "{1} {2}",
    "gone": "spent {1}",
    "possesses": "possesses {1} ...",
    "weapon_strength": "{1} {2}-{3}",
    "leads": "leads {1} ...",
    "tows": "tows {1} ...",
    "rides": "rides {1} ...",
    "bypasses": "bypasses {1}",
    "vca": "VCA {1}",
    "tca": "TCA {1}",
    "ma": "MA {1}{2}",
    "gun_kind": "kind {1}",
    "size": "size {1}",
    "nationality": "nationality {1}",
    "climb": "climb {1} level {2}",
}

#: The syntax of statements by first words, for messages about statements in another form.
LINES = {
    "board": 'board "20" grid 33x10',
    "use": 'use "bd24.board" turned right of 21',
    "level": "level 1: V3 W3",
    "level counter": "level counter 1: U4",
    "road": "road paved: A1-A2-A3",
    "building": 'building "church" gray: U4 V3   joined U4-V3   stairwell U4',
    "bar": "bar O8-P8 covers 0-25",
    "outline": "outline woods: 0,-150 200,0 0,150",
    "symbol": "symbol round: F5",
    "narrow": "narrow street O5-P4",
    "roads": "roads pass B1",
    "hex": "hex R8 stairwell yes",
    "hexside": "hexside O8-P8 joined no",
    "treat": "treat jungle-hut as woods",
    "doubt": 'doubt R8 "the drawing is cut off"',
    "unknown": "unknown terrain jungle-hut: C3",
    "rules": "rules B23 PB4",
    "factory": "factory E7",
    "third": "third level E7 building",
    "third level stairwell": "third level stairwell E7",
    "upper": "upper levels 2: K7",
    "access": "access point E7",
    "roofless": "roofless F6",
    "tower": "tower D4 obstacle 1",
    "commando": "commando A",
    "unpaved": "unpaved K7-L6",
    "purchase": "purchase german 3 fortified",
    "ob": "ob russian 1 breaches",
    "fpp": "fpp russian 20",
    "edition": "edition 2",
    "turn": "turn 3 german mph",
    "month": "month 7",
    "season": "season winter",
    "nvr": "nvr 3",
    "weather": "weather mud rain",
    "lv": "lv hindrance 1 from range 7",
    "ec": "ec wet",
    "sides": "sides german russian",
    "control": "control german: U4 V3",
    "front": "front line U4 U5",
    "unit": "unit A squad 4-6-7 german at U4/1: broken, PP 4",
    "rubble": "rubble stone: C6",
    "rubbled": "rubbled level 2: E7",
    "breach": "breach O8-P8/0",
    "hidden": "hidden breach K7-L6/1",
    "flame": "flame U4/1",
    "blaze": "blaze U4/2",
    "smoke": "smoke 2: V3 V3/1",
    "wp": "wp V3",
    "gap": "gap no: C3-C4",
    "below": "below crest: C3-C4",
    "wire": "wire R7",
    "mines": "mines ap 6 hidden: R7",
    "roadblock": "roadblock K7-L6 toward K6",
    "fortified": "fortified hidden: U4/1",
    "fortified counter": "fortified counter U4/1",
    "residual": "residual fp 4: U4",
    "collapsed": "collapsed D4",
    "bridge": "bridge stone: F6",
    "event": "event A crossed K7-L6 in turn 3 german mph",
    "expect": "expect los U4/2 - V3/1 clear",
    "expect los": "expect los U4/2 - V3/1 clear hindrance 1",
    "expect tem": "expect tem of fire from C3 at U4/1 = 3",
    "expect drm": "expect drm of fire from C3 at U5 moving = -2",
    "expect cost": "expect cost A to U4 = 2",
    "expect can": "expect can A move to U4: yes",
    # Inputs with another name here.
    "snow": "weather ground-snow",
    "fog": "weather mist",
    "mist": "weather mist",
    "rain": "weather rain",
    "mud": "weather mud",
    "observer": "expect los C1/+3 - G3 clear",
    "leader": "unit L leader 8-1 german at U4",
    "unit leader": "unit L leader 8-1 german at U4",
}

#: Marks that `hex H ... yes` accepts besides terrain and symbols, and `hexside S ... yes` besides
#: walls.
HEX_MARKS = ("stairwell", "doubt", *PRINTED_MARKS)
SIDE_MARKS = ("joined", "bar", "road", "doubt")

#: The printed sign of a Gun's barrel length after its caliber.
BARRELS = {"short": "*", "normal": "", "long": "L", "extra_long": "LL"}

#: VASL's names for scenario terms of its boards, and our statements for them. Some turn printed
#: features into terrain that has no rules here.
VASL_TERMS: dict[str, tuple[tuple[str, str], ...]] = {
    "Bamboo": (("brush", "bamboo"),),
    "BocageToOpenGround": (("bocage", ""),),
    "BrushToOpenGround": (("brush", "open_ground"),),
    "BrushToWoods": (("brush", "woods"),),
    "CragsToOrchards": (("crag", "orchard"),),
    "CragsToPalm": (("crag", "palm_trees"),),
    "CragsToShellholes": (("crag", "shellholes"),),
    "DenseJungle": (("woods", "dense_jungle"),),
    "GrainToBrush": (("grain", "brush"),),
    "GrainToMarsh": (("grain", "marsh"),),
    "GrainToOpenGround": (("grain", "open_ground"),),
    "GrainToPaddy": (("grain", "rice_paddy"),),
    "GrainToVineyard": (("grain", "vineyard"),),
    "GrainToWoods": (("grain", "woods"),),
    "HammadaToOG": (("hammada", "open_ground"),),
    "HedgeToCactus": (("hedge", "cactus_hedge"),),
    "HedgesToBocage": (("hedge", "bocage"),),
    "HedgesToOG": (("hedge", ""),),
    "HedgesToWalls": (("hedge", "wall"),),
    "LightWoods": (("woods", "light_woods"),),
    "MarshToBrush": (("marsh", "brush"),),
    "MarshToGrain": (("marsh", "grain"),),
    "MarshToOpenGround": (("marsh", "open_ground"),),
    "MarshToPaddy": (("marsh", "rice_paddy"),),
    "MarshToVineyard": (("marsh", "vineyard"),),
    "MarshToWoods": (("marsh", "woods"),),
    "NoCliffs": (("cliff", ""),),
    "NoHedges": (("hedge", ""),),
    "NoRoads": (("road", ""),),
    "NoWalls": (("wall", ""),),
    "OrchardsToBrush": (("orchard", "brush"),),
    "OrchardsToCrag": (("orchard", "crag"),),
    "OrchardsToCrags": (("orchard", "crag"),),
    "OrchardsToOpenGround": (("orchard", "open_ground"),),
    "OrchardsToPalmTrees": (("orchard", "palm_trees"),),
    "OrchardsToShellholes": (("orchard", "shellholes"),),
    "PalmTrees": (("orchard", "palm_trees"),),
    "RoadsToPaths": (("paved", "path"), ("dirt", "path")),
    "ScrubToOG": (("scrub", "open_ground"),),
    "ShellholesToOrchards": (("shellholes", "orchard"),),
    "ShellholesToPalmTrees": (("shellholes", "palm_trees"),),
    "WallToCactus": (("wall", "cactus_hedge"),),
    "WallsOnly": (("hedge", "wall"),),
    "WallsToBocage": (("wall", "bocage"),),
    "WallsToHedges": (("wall", "hedge"),),
    "WallsToOG": (("wall", ""),),
    "WoodsToBrush": (("woods", "brush"),),
    "WoodsToOpenGround": (("woods", "open_ground"),),
}


def argument_order(form: str) -> tuple[int, ...]:
    """Return the order of the arguments in the form."""
    return tuple(int(part[0]) for part in form.split("{")[1:])


#: Parts of the line of a unit that are not traits.
UNIT_LINE = {
    "of_side": "unit {0} ... {1}",
    "strength": "unit {0} ... {1}-{2}-{3}",
    "at": "unit {0} ... at {1}",
}
#: The lines for features of the map; measured facts map to the line of their depiction.
MAP_LINE = {
    "map": "board {0}",
    "hex": "board ... grid ... from {0}",
    "next": "board ... grid ... from {0}",
    "of_board": "part {1} grid ... from {0}",
    "base": "level {1}: {0}",
    "terrain": "{1}: {0}",
    "part": "outline {1} ...: {0}",
    "depicts": "building {1}: {0}",
    "named": "building {1} ...: {0}",
    "joined": "building ... joined {0}",
    "short_bar": "bar {0} covers ...",
    "treat": "treat {0} as {1}",
    "unit": "unit {0} {1}",
}
#: Placeholders for arguments whose kind is not a clear name.
_STANDING_FOR = {"barrel": "", "corner": "HEX/HEX"}


def fact_line(name: str, known: Sequence[str], words: Vocabulary) -> str:
    """Return the line for an input with its first arguments known: `control SIDE: C3`.

    Other arguments are shown by their kinds, in capitals.
    """
    kinds = words.inputs[name].kinds
    told = [word_text(each, kind) for each, kind in zip(known, kinds, strict=False)]
    told += [
        _STANDING_FOR.get(kind, kind.replace("_", "-").upper()) for kind in kinds[len(known) :]
    ]
    if name in TRAITS:
        form = f"unit {{0}} ...: {TRAITS[name]}"
    else:
        form = next(
            forms[name] for forms in (UNIT_LINE, STATEMENTS, MARKS, MAP_LINE) if name in forms
        )
    return form.removesuffix(" ...").format(*told)


def example_line(text: str) -> str | None:
    """Return an example of the statement that a text seems to attempt, by its first words."""
    words = text.replace(":", " ").split()
    if words[:1] == ["unit"] and words[2:3] == ["leader"]:
        words = ["unit", "leader"]
    found = (LINES.get(" ".join(words[:count])) for count in (3, 2, 1))
    return next(filter(None, found), None)
