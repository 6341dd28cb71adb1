"""The data of the page: map, palette, rulebook."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import clingo

from rules_asp.api import ask
from rules_asp.cases.coverage import are_shipped, case_files, default_cases
from rules_asp.drawing.canvas import Canvas, make_scene
from rules_asp.drawing.counters import counter_images
from rules_asp.drawing.patches import box_of
from rules_asp.drawing.style import COLOUR
from rules_asp.explain import record
from rules_asp.explain.layout import Block, Line, Phrase, Span, Table, Tree, spans
from rules_asp.game.board import Expect, Fact, UnitStatement
from rules_asp.game.grid import Hex, Location, Vertex, hex_of_spot
from rules_asp.game.values import (
    SCALES,
    corner_text,
    hex_from_symbol,
    location_from_symbol,
    number_text,
    to_board_text,
    word_text,
)
from rules_asp.game.vocabulary import Sentence, Vocabulary
from rules_asp.knowledge.catalogue import NormSources, catalogue, is_name
from rules_asp.knowledge.program import Program
from rules_asp.output import listing_json
from rules_asp.parser.input_syntax import STATEMENTS, argument_order
from rules_asp.parser.writer import statement_text
from rules_asp.positions.loading import example_boards
from rules_asp.positions.locations import hexes_named, locations, units_at, units_together
from rules_asp.positions.position import Position
from rules_asp.queries import QUESTIONS
from rules_asp.queries.question import Parameter

# --- The contents of a map for pointing: hexes, Locations, units, and their statements.


Record = dict[str, Any]


def map_payload(position: Position) -> Record:
    """The map of a position.

    hexes: name, x and y of the centre dot, base level, the Locations: name, floor, level; and at the
    edge of the map the names of the vertices. units: name, Location, side, type, line, counter as SVG.
    together: the units that act together. statements: what else the board says, one thing a line.
    """
    names, notation = position.names, position.notation
    places: dict[Hex, list[Location]] = defaultdict(list)
    for each in locations(position):
        if isinstance(each.spot, Hex):
            places[each.spot].append(each)
    hexes = []
    on_map = frozenset(names.hexes())
    for hex_ in names.hexes():
        x, y = hex_.centre
        levels = [
            [
                to_board_text(each, "location"),
                str(each.floor),
                record.level_number(position.index.elevation(each)),
            ]
            for each in sorted(places[hex_], key=lambda e: position.index.elevation(e) or 0)
        ]
        hexes.append(
            [
                str(hex_),
                x,
                y,
                record.level_number(position.index.bases.get(hex_, 0)),
                levels,
                *_edge_vertices(hex_, on_map),
            ]
        )
    where = units_at(position)
    units = []
    images = counter_images(Canvas(make_scene(position), COLOUR, on_map))
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
                    "line": statement_text(thing, notation),
                    "counter": images[thing.name],
                }
            )
    said_lines = [
        {"line": statement_text(each, notation), "input": each.name}
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
        "together": [
            {
                "at": to_board_text(each.at, "location"),
                "side": each.side,
                "moving": each.moving,
                "firing": each.firing,
                "directing": each.directing,
            }
            for each in units_together(position)
        ],
        "statements": said_lines,
        "expects": expects,
        "without": list(position.switched_off),
    }


def _edge_vertices(hex_: Hex, on_map: frozenset[Hex]) -> Iterator[list[str]]:
    """Yield the names of the six vertices of a hex at the edge of the map."""
    if not on_map.issuperset(hex_.neighbours()):
        yield [corner_text(Vertex(hex_, corner), "-") for corner in range(6)]


#: The topics shown for a hex; it is their first argument.
_TOPICS = ("btype", "construction", "height", "building_tem", "roofless", "rowhouse")


def hex_payload(position: Position, name: str) -> Record:
    """Return what the rules derive about a hex alone: terrain, building and TEM, and each Location."""
    (hex_,) = hexes_named(position, name)
    values: dict[str, str] = {}
    locations_: dict[str, dict[str, str]] = defaultdict(dict)
    for topic, value in position.cases[0].values.items():
        if not topic.arguments:
            continue
        first = topic.arguments[0]
        if topic.name in _TOPICS and len(topic.arguments) == 1 and first == _symbol(hex_):
            values[topic.name] = _valued(position, topic.name, value)
        elif topic.name == "tem_at" and first.name == "l" and first.arguments[0] == _symbol(hex_):
            place = to_board_text(location_from_symbol(first, position.names), "location")
            locations_[place]["tem"] = _valued(position, topic.name, value)
    terrain = [
        word_text(str(fact.arguments[1]), "terrain")
        for fact in position.board_facts.named("terrain")
        if hex_from_symbol(fact.arguments[0], position.names) == hex_
    ]
    names = [
        fact.arguments[1].string
        for fact in position.board_facts.named("named")
        if hex_from_symbol(fact.arguments[0], position.names) == hex_
    ]
    return {
        "hex": str(hex_),
        "named": names,
        "terrain": terrain,
        "level": record.level_number(position.index.bases.get(hex_, 0)),
        "values": values,
        "locations": dict(locations_),
    }


def entering(position: Position, name: str) -> Record:
    """Return the cost to enter a hex for a typical adjacent unit, by each manner in MF or MP."""
    (hex_,) = hexes_named(position, name)
    near = [each for each in hex_.neighbours() if each in position.index.bases]
    if not near:
        return {"from": None, "ways": []}
    # From the same level if possible, since a slope adds costs that are not those of the hex.
    start = min(near, key=lambda each: abs(position.index.bases[each] - position.index.bases[hex_]))
    unit = next(
        each for each in map("Someone{}".format, range(10**6)) if each not in units_at(position)
    )
    supposable = position.vocabulary.supposable
    (type_, *_), *_ = (each.ranges[1] for each in supposable if each.name == "unit")
    there = position.with_(f"unit {unit} {word_text(type_, 'unit_type')} at {start}")
    asked = ask(there, f'mf(step(move, "{unit}", {start}, {hex_}, W)) = V', cite=False)
    ways = [dict(each.values) for each in asked.found]
    return {"from": str(start), "unit": type_, "ways": [[each["W"], each["V"]] for each in ways]}


def _symbol(hex_: Hex) -> clingo.Symbol:
    return clingo.parse_term(hex_.term)


def _valued(position: Position, topic: str, value: clingo.Symbol) -> str:
    kind = position.vocabulary.topics[topic].value
    if value.type == clingo.SymbolType.Number:
        return number_text(value.number, SCALES.get(kind, 1))
    return word_text(position.notation.term_text(value), kind)


# --- The report of an answer: its lines and tables.


def blocks(report: Iterable[Block]) -> list[Record]:
    """Return the lines, tables and trees of a report; a phrase is a list of texts with their tones."""
    return [
        _block(each) for each in report if not isinstance(each, Table) or each.rows or each.heads
    ]


def _block(block: Block) -> Record:
    match block:
        case Table():
            rows = [[_phrase(cell) for cell in row] for row in block.rows]
            return {"title": block.title, "heads": list(block.heads), "rows": rows}
        case Tree():
            return {"line": _phrase(block.phrase), "below": blocks(block.below)}
        case Line():
            return {"line": _phrase(block.phrase), "below": []}


def _phrase(phrase: Phrase) -> list[tuple[str, str]]:
    return [
        (each.text, str(each.tone)) if isinstance(each, Span) else (each, "")
        for each in spans(phrase)
    ]


# --- The palette: vocabulary that a page can add to a board, and actions, as forms to fill in.


_PIECES = re.compile(r"\[|\]|\{[^}]*\}|[^\[\]{}]+")
#: Kinds of change with forms on the page; features of the map are edited as text.
_SCOPES = ("play", "scenario")
#: Slots of a sentence that are not arguments of its form.
_OTHER = {"0": "unit", "course": "course", "turns": "number"}


def kinds(words: Vocabulary) -> list[Record]:
    """The kinds of changes, each with its scope."""
    return [{"name": each.name, "scope": each.scope} for each in words.changes.values()]


def phrases(words: Vocabulary) -> dict[str, str]:
    """The names of the parts of a sum of DRM."""
    return {name: said for (kind, name), said in words.phrases.items() if kind == "drm_part"}


#: The counters of the box by sheet: the text on a board after the name.
TRAY = {
    "Squads": (
        *("squad 4-6-7", "squad 4-6-8", "squad 5-4-8", "squad 6-5-8", "squad 8-3-8", "squad 4-4-7"),
        *("squad 6-2-8", "squad 4-5-8", "squad 5-2-7", "squad 6-6-6", "squad 6-6-7", "squad 7-4-7"),
        *("squad 5-3-6", "squad 4-3-6", "squad 4-2-6", "squad 3-4-6", "squad 3-3-6"),
    ),
    "Half-squads and crews": (
        *("half-squad 2-4-7", "half-squad 2-4-8", "half-squad 2-3-7", "half-squad 2-3-8"),
        *("half-squad 3-2-8", "half-squad 3-3-7", "half-squad 3-4-6", "half-squad 1-2-6"),
        *("crew 2-2-8", "crew 2-2-7", "crew 1-2-7"),
    ),
    "SMC": (
        *("leader 6+1", "leader 7-0", "leader 8-0", "leader 8-1", "leader 9-1", "leader 9-2"),
        *("leader 10-2", "leader 10-3", "hero", "commissar"),
    ),
    "Vehicles": (
        *("vehicle: fully-tracked AFV CT turreted", "vehicle: fully-tracked AFV CT"),
        *("vehicle: fully-tracked AFV OT", "vehicle: armored-car AFV CT turreted"),
        *("vehicle: armored-car AFV OT", "vehicle: halftrack AFV OT", "vehicle: halftrack"),
        *("vehicle: truck", "vehicle: wagon", "motorcycle", "trailer"),
    ),
    "Guns": tuple(f"gun: kind {kind}" for kind in ("AT", "INF", "ART", "AA", "MTR", "RCL")),
    "Others": ("cavalry", "dummy: concealed", "unidentified: concealed"),
}


def tray_line(counter: str, name: str, side: str) -> str:
    """Return the statement of a tray counter with a name and a side."""
    kind, _, traits = counter.partition(":")
    return f"unit {name} {kind} {side}{f':{traits}' if traits else ''}"


def tray(position: Position, counters: Mapping[str, str]) -> list[Record]:
    """Return the counters of the tray, which are on a board under these names: sheet, text, image."""
    images = counter_images(Canvas(make_scene(position), COLOUR, frozenset()))
    # The name is removed: a counter gets its name on the map.
    nameless = {says: images[name].replace(f">{name}<", "><") for says, name in counters.items()}
    return [
        {"sheet": sheet, "says": says, "counter": nameless[says]}
        for sheet, lying in TRAY.items()
        for says in lying
    ]


def palette(known: Vocabulary) -> list[Record]:
    """Return what can be added to a board: kind of change, scope, input, form, meaning, and
    arguments.

    An argument has its kind and, if it is one of some words, these words. The words of units are
    included.
    """
    found: list[Record] = []
    for change in known.changes.values():
        if change.scope not in _SCOPES:
            continue
        for name in change.inputs:
            form = STATEMENTS.get(name)
            if form is None or form == "turn {0}":
                continue
            entry = known.inputs[name]
            found.append(
                {
                    "kind": change.name,
                    "scope": change.scope,
                    "input": name,
                    "form": form.removesuffix(" ..."),
                    "sense": entry.meaning,
                    "order": list(argument_order(form)),
                    "arguments": [_argument(kind, known) for kind in entry.kinds],
                }
            )
    found.append(
        {
            "kind": "units",
            "scope": "play",
            "input": "unit",
            "form": "",
            "sense": known.inputs["unit"].meaning,
            "types": [word_text(each, "unit_type") for each in known.words["unit_type"]],
            "states": [word_text(each, "status") for each in known.words["status"]],
            "weapons": [word_text(each, "weapon") for each in known.words["weapon"]],
        }
    )
    found.append(
        {
            "kind": "time",
            "scope": "play",
            "input": "turn",
            "form": "turn {0} {1} {2}",
            "sense": "turn, side whose turn it is, phase",
            "order": [0, 1, 2],
            "arguments": [_argument(each, known) for each in ("number", "side", "phase")],
        }
    )
    return found


def _argument(kind: str, known: Vocabulary) -> Record:
    words = known.words.get(kind)
    return {"kind": kind, "words": [word_text(each, kind) for each in words] if words else None}


def questions(known: Vocabulary) -> list[Record]:
    """Return the kinds of questions with their declared parameters, as forms to fill in.

    A word has the option that states it in the line of a question; the default is not stated.
    """
    return [
        {
            "kind": name,
            "says": kind.help().partition("\n")[0],
            "parameters": [_parameter(each, known) for each in kind.parameters()],
        }
        for name, kind in QUESTIONS.items()
    ]


def _parameter(of: Parameter, known: Vocabulary) -> Record:
    kind = of.words or ""
    words = [
        {
            "word": word.replace("_", "-"),
            "says": known.phrase_for(kind, word),
            "option": "" if word == of.default else " ".join(of.line_words(word)),
        }
        for word in known.words.get(kind, ())
    ]
    return {
        "name": of.name,
        "kind": of.kind,
        "label": of.label or of.name.capitalize(),
        "help": of.help,
        "required": of.required,
        "default": of.default,
        "none": of.none,
        "option": of.option,
        "words": words,
        "least": of.least,
        "most": of.most,
    }


def deeds(known: Vocabulary) -> list[Record]:
    """Return the actions: name, meaning, and their sentences as pieces.

    A piece is a text, or has "kind" and perhaps "words" for a value to fill in, or "maybe" with
    optional pieces.
    """
    return [
        {
            "deed": form.name,
            "sense": form.meaning,
            "sentences": [_pieces(each, known) for each in known.sentences_of(form.name)],
        }
        for form in known.forms.values()
        if form.kind == "deed"
    ]


def _pieces(sentence: Sentence, known: Vocabulary) -> list[Any]:
    tokens = iter(_PIECES.findall(sentence.text))
    return list(_grouped(sentence, tokens, known))


def _grouped(sentence: Sentence, tokens: Iterator[str], known: Vocabulary) -> Iterator[Any]:
    for token in tokens:
        if token == "]":
            return
        if token == "[":
            yield {"maybe": list(_grouped(sentence, tokens, known))}
        elif token.startswith("{"):
            yield _slot(sentence, token[1:-1], known)
        elif said := " ".join(word.partition("/")[0] for word in token.split()):
            yield said


def _slot(sentence: Sentence, name: str, known: Vocabulary) -> Record:
    if "@" in name:
        return {"kind": "vertex", "words": None}
    if "/" in name:
        return {"kind": "hexside level", "words": None}
    kinds_ = known.entry_of(sentence).kinds
    kind = _OTHER.get(name) or kinds_[int(name) - 1]
    phrases = [
        " ".join(word.partition("/")[0] for word in text.split())
        for (of, _), text in known.phrases.items()
        if of == kind
    ]
    words = phrases or [word_text(each, kind) for each in known.words.get(kind, ())]
    return {"kind": kind, "words": words or None}


# --- The rules on a page: all sections in order, norms as in `rules`, and cases.


#: The encoded sections by name, in the order in which players look for them.
SECTIONS = {
    "B23": "Buildings",
    "PB4": "Pegasus Bridge: Narrow Streets",
    "PB6": "Pegasus Bridge: Towers",
    "BRT7": "Blood Reef Tarawa: Towers",
    "ABTF3": "A Bridge Too Far: Factories",
}
#: The chapters of the general rules that the sections use.
CHAPTERS = {
    "A": "Infantry and basic game",
    "B": "Terrain",
    "C": "Ordnance",
    "D": "Vehicles",
    "E": "Night and weather",
    "GR": "What all sections share",
}
#: The sections of these chapters, by name.
GENERAL_SECTIONS = {
    **{"A1": "Personnel counters", "A2": "The mapboard", "A3": "Sequence of play"},
    **{"A4": "Movement", "A5": "Stacking", "A6": "LOS", "A7": "Fire attacks"},
    **{"A8": "Defensive Fire", "A10": "Morale and routs", "A11": "Close Combat"},
    **{"A12": "Concealment", "A20": "Capture", "A23": "Demolition Charges", "A24": "SMOKE"},
    **{"A26": "Victory Conditions", "B2": "Shellholes", "B3": "Roads", "B4": "Sunken roads"},
    **{"B5": "Elevated roads", "B6": "Bridges", "B7": "Runways", "B9": "Walls and hedges"},
    **{"B10": "Hills", "B11": "Cliffs", "B12": "Brush", "B13": "Woods", "B14": "Orchards"},
    **{"B15": "Grain", "B16": "Marsh", "B17": "Crags", "B18": "Graveyards", "B19": "Gullies"},
    **{"B21": "Water", "B24": "Rubble", "B25": "Fire", "B26": "Wire", "B28": "Mines"},
    **{"B29": "Roadblocks", "B31": "Narrow Streets"},
    **{"E1": "Night", "E3": "Weather"},
}


def _chapter(section: str) -> str | None:
    """Return the chapter of a section of general rules; None for the five sections and for rulings."""
    if section in SECTIONS:
        return None
    return next((each for each in ("GR", *CHAPTERS) if re.fullmatch(rf"{each}\d*", section)), None)


def found_norms(program: Program, words: str) -> list[str]:
    """Return the norms with these words or their synonyms, as `rules WORDS` finds them."""
    known = catalogue(program.source)
    named = known.at(words) if is_name(words) else []
    return [norm.id for norm in named or known.about(words.split())]


def book(program: Program) -> Record:
    """Return all norms as `rules` shows them, by section and rule number, in reading order."""
    source, book_ = program.source, catalogue(program.source)
    written = NormSources(source, program.house_rules)
    told = listing_json.norms(book_, written, book_.norms, program.notes)
    first = [each for each in SECTIONS if each in book_.sections]
    ordered = {section: book_.sections[section] for section in (*first, *book_.sections)}
    sections = [
        {
            "section": section,
            "title": SECTIONS.get(section) or GENERAL_SECTIONS.get(section, ""),
            "chapter": _chapter(section),
            "paragraphs": [
                {"cite": paragraph, "norms": [norm.id for norm in norms]}
                for paragraph, norms in paragraphs.items()
            ],
        }
        for section, paragraphs in ordered.items()
    ]
    return {
        "sections": sections,
        **told,
        "chapters": CHAPTERS,
        "norms": {each["id"]: each for each in told["norms"]},
        **listing_json.readings(book_, book_.readings()),
    }


def case_file(name: str) -> Path | None:
    """Return the board file of a case, by its name in `rules`; None for other names."""
    cases = () if are_shipped() else case_files()
    top = default_cases().parent.parent
    known = {
        path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name: path
        for path in (*cases, *example_boards().values())
    }
    return known.get(name)
