"""A board made ready for questions: resolved, its static layer solved, its drawings cut for measuring."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import clingo

from rules_asp import cache
from rules_asp.knowledge.occasions import keys
from rules_asp.knowledge.program import Program, load_program
from rules_asp.knowledge.running import Answer, solve
from rules_asp.knowledge.source import KIND_PLACE, Node
from rules_asp.knowledge.twins import Reasons
from rules_asp.lines.geometry import ALWAYS, Concerns, Survey, survey
from rules_asp.lines.shapes import Shapes, drawings, shapes_of
from rules_asp.positions.changing import Change, changed
from rules_asp.positions.indexes import HEX_TERM, QUOTED, LocalFacts
from rules_asp.positions.resolving import resolve
from rules_asp.positions.stating import facts
from rules_asp.terms.board import Board, Outline
from rules_asp.terms.grid import Hex, Hexside, Location, Spot, Vertex, side, spot_hex, term_order
from rules_asp.terms.symbols import hex_of, hexside_of, location_of

#: What the knowledge base says must be measured for a question.
_NEEDS = (Node("needs_sight", 2), Node("needs_rim", 1))
_BASE = re.compile(r"base\(\((-?\d+),(-?\d+)\),(-?\d+)\)")
#: What is static of who wins over whom.
_RANKS = frozenset(("wins", "ranked"))
#: A predicate, and the kind of topic that it is about, where this is its first argument.
_Kind = tuple[str, int, str | None]


@dataclass(frozen=True)
class Position:
    """A board under a knowledge base.

    `cases` are the answer sets of the static layer: one, or one for each supposition that the board
    leaves open. `hear` is told all answers of the question layer. `switched_off` are rulings.

    A position can be pickled, without `hear`; its static layer is solved anew where it arrives.
    """

    board: Board
    program: Program
    shapes: Shapes
    facts: str
    cases: tuple[Answer, ...]
    hear: Callable[[Sequence[Answer]], object] | None = None
    switched_off: tuple[str, ...] = ()
    _indexes: dict[tuple[int, _Kind], LocalFacts] = field(default_factory=dict)

    @cached_property
    def reasons(self) -> Sequence[Reasons]:
        """For each case, why what is so of the board alone is so: the same for all questions."""
        return [Reasons(self.program.twins, case) for case in self.cases]

    def with_(self, *lines: str) -> Position:
        """A position whose board says these lines too; this one stays as it is.

        Each text is one or more lines of the board language, as in a file that `use`s the board: what
        it says of a thing replaces what was said of it. BoardError for a text that does not fit.
        """
        return self.changed(Change(True, text, "with_") for text in lines)

    def without(self, *lines: str) -> Position:
        """A position whose board does not say these lines; this one stays as it is.

        A line must stand on the board, whatever the words and the order of the words, and may be a part
        of one: `woods: B3` of `woods: B2 B3`. BoardError, with the nearest, for one that does not.
        """
        return self.changed(Change(False, text, "without") for text in lines)

    def changed(self, changes: Iterable[Change]) -> Position:
        """A position of this board after some changes, one after the other; this one stays as it is."""
        board = changed(self.board, changes)
        # Drawings are costly to cut; most changes are of counters.
        same = drawings(board) == drawings(self.board)
        shapes = self.shapes if same else _shapes(board)
        return replace(_made(board, self.program, shapes, self.switched_off), hear=self.hear)

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.board, self.program, self.shapes, self.switched_off)

    def layer(
        self, case: int, wanted: Sequence[Node], question: str, hexes: Iterable[str] | None = None
    ) -> tuple[str, str]:
        """The question rules that bear on the wanted nodes, and the static facts that these read.

        Rules that neither the board nor the question gives any occasion to are left out; of the facts
        that mention a hex, those are given that mention one of `hexes`; None: all.
        """
        given = keys(question).union(
            *(each.keys for each in self._facts_of(case, self.program.needed(wanted)))
        )
        text, needed = self.program.cone(wanted, given)
        facts = self.static_facts(case, (node for node in needed if node.name not in _RANKS), hexes)
        # Who wins over whom matters only between norms that can be heard here.
        heard = frozenset(QUOTED.findall(f"{text}{facts}{question}"))
        ranks = self._facts_of(case, (node for node in needed if node.name in _RANKS))
        return text, facts + "".join(each.among(heard) for each in ranks)

    def static_facts(self, case: int, needed: Iterable[Node], hexes: Iterable[str] | None) -> str:
        """The static atoms of these nodes, as facts for the question layer.

        Of those that mention a hex, only such as mention one of `hexes`; None: all.
        """
        found = self._facts_of(case, needed)
        return "".join(each.text if hexes is None else each.of(hexes) for each in found)

    def _facts_of(self, case: int, nodes: Iterable[Node]) -> list[LocalFacts]:
        """The static atoms of these nodes, indexed."""
        kinds: set[_Kind] = set()
        for node in nodes:
            first = node.topic if KIND_PLACE.get(node.name) == 0 else None
            kinds.add((node.name, node.arity, first[0] if first else None))
        # All of a predicate holds those of one topic.
        kinds = {kind for kind in kinds if kind[2] is None or (*kind[:2], None) not in kinds}
        return [self._index(case, kind) for kind in sorted(kinds, key=str)]

    def _index(self, case: int, kind: _Kind) -> LocalFacts:
        """The static atoms of one kind as facts; those about a topic are told by its name."""
        key = (case, kind)
        if key not in self._indexes:
            name, arity, topic = kind
            if topic is None:
                atoms = map(str, self.cases[case].atoms(name, arity))
                self._indexes[key] = LocalFacts(f"{text}." for text in atoms)
            else:
                self._sort(case, name, arity)
                self._indexes.setdefault(key, LocalFacts(()))
        return self._indexes[key]

    def _sort(self, case: int, name: str, arity: int) -> None:
        """Index all static atoms of a predicate of topics by the names of their topics."""
        by_topic: dict[str, list[str]] = {}
        for text in map(str, self.cases[case].atoms(name, arity)):
            # The name is read off the text, for speed.
            topic = text[len(name) + 1 :].split("(", 1)[0].split(",", 1)[0]
            by_topic.setdefault(topic, []).append(f"{text}.")
        for topic, found in by_topic.items():
            self._indexes[case, (name, arity, topic)] = LocalFacts(found)

    @cached_property
    def board_facts(self) -> LocalFacts:
        """The board's own facts."""
        return LocalFacts(self.facts.splitlines())

    @cached_property
    def wholes(self) -> Mapping[str, frozenset[str]]:
        """For each hex term of a building, all hex terms of that building, over all cases."""
        members: dict[str, set[str]] = {}
        for case in self.cases:
            for where, building in case.get("building", 2):
                members.setdefault(str(building), set()).add(str(where))
        return {each: frozenset(all_) for all_ in members.values() for each in all_}

    def around(self, question: str) -> frozenset[str]:
        """The hex terms that can matter to a question: those it names, their neighbours, and the
        whole buildings of all these.

        A norm about a hex looks at that hex, at what is next to it and at its building; a test holds
        answers from this part of the board against answers from all of it.
        """
        named_hexes = set(HEX_TERM.findall(question))
        if "asked(" in question or "sought(" in question:
            named_hexes |= self.manned
        near = named_hexes | {
            hex_.term for each in named_hexes for hex_ in _hex_of_term(each).neighbours()
        }
        return frozenset(near.union(*(self.wholes.get(each, ()) for each in near)))

    @cached_property
    def manned(self) -> frozenset[str]:
        """The hex terms of the hexes with units, which a question about a unit may turn on."""
        stood = (line for line in self.facts.splitlines() if line.startswith("at("))
        return frozenset(each for line in stood for each in HEX_TERM.findall(line))

    @cached_property
    def concerns(self) -> Concerns:
        """What the knowledge base says can matter to lines, over all cases."""
        parts: dict[tuple[Hex, str], int] = {}
        sides: dict[tuple[str, Hexside], int] = {}
        dot_lines: dict[Hexside, int] = {}
        inherent: set[tuple[Hex, str]] = set()
        exits: set[Hex] = set()
        exit_sides: set[Hexside] = set()
        insides: dict[Hex, int] = {}
        buildings: dict[str, int] = {}
        for case in self.cases:
            for where, kind, below in case.get("concern", 3):
                part = (hex_of(where), str(kind))
                parts[part] = max(_bound(below), parts.get(part, _bound(below)))
            for where, below in case.get("concern_dot_line", 2):
                straddled = hexside_of(where)
                dot_lines[straddled] = max(_bound(below), dot_lines.get(straddled, _bound(below)))
            for where, kind, below in case.get("concern_side", 3):
                one = (str(kind), hexside_of(where))
                sides[one] = max(_bound(below), sides.get(one, _bound(below)))
            inherent |= {(hex_of(where), str(kind)) for where, kind in case.get("inherent", 2)}
            exits |= {hex_of(where) for (where,) in case.get("asks_exit", 1)}
            exit_sides |= {hexside_of(where) for (where,) in case.get("asks_side", 1)}
            for where, building in case.get("asks_inside", 2):
                insides[hex_of(where)] = buildings.setdefault(str(building), len(buildings))
        return Concerns(
            parts,
            frozenset(inherent),
            sides,
            frozenset(exits),
            insides,
            frozenset(exit_sides),
            dot_lines,
        )

    @cached_property
    def elevations(self) -> Mapping[Location, int]:
        """The level of every Location of the map, in half levels (in the first case, if they differ)."""
        return {
            location_of(where): level.number for where, level in self.cases[0].get("at_level", 2)
        }

    @cached_property
    def bases(self) -> Mapping[Hex, int]:
        """The base level of every hex, in half levels."""
        return {
            Hex(int(col), int(row)): int(level) for col, row, level in _BASE.findall(self.facts)
        }

    def elevation(self, location: Location) -> int | None:
        """The level of a Location, in half levels; None when there is no such Location."""
        if isinstance(location.spot, Vertex):
            return self.bases.get(spot_hex(location.spot)) if location.floor == 0 else None
        return self.elevations.get(location)

    def has_location(self, location: Location) -> bool:
        """Whether there is such a Location, be its level known or not."""
        known = (location_of(where) for (where,) in self.cases[0].get("location", 1))
        return self.elevation(location) is not None or location in known

    def surveyed(self, lines: Iterable[tuple[Spot, Spot]], ends: Iterable[Location]) -> Survey:
        """What lies on these lines, as far as it can matter to sights between these ends."""
        lowest: dict[Spot, int] = {}
        for end in ends:
            level = self.elevation(end)
            if level is not None:
                lowest[end.spot] = min(level, lowest.get(end.spot, level))
        return survey(self.shapes, self.concerns, lines, lowest)

    def measured(self, lines: Iterable[tuple[Spot, Spot]], ends: Iterable[Location]) -> str:
        """The facts of these lines, as text."""
        return self.surveyed(lines, ends).text

    def completed(self, question: str, local: bool = False) -> str:
        """A question with the facts that it needs: what the knowledge base wants measured for it."""
        sights: set[tuple[Location, Location]] = set()
        rims: set[Hex] = set()
        for answer in self.ask(_NEEDS, question, local):
            for pair in answer.get("needs_sight", 2):
                one, two = map(location_of, pair)
                if None not in (self.elevation(one), self.elevation(two)):
                    sights.add((one, two))
            rims |= {hex_of(where) for (where,) in answer.get("needs_rim", 1)}
        ends = sorted({end for pair in sights for end in pair}, key=str)
        lines = {(one.spot, two.spot) for one, two in sights if one.spot != two.spot}
        facts = [question]
        if lines:
            facts.append(
                self.measured(sorted(lines, key=lambda ends: tuple(map(term_order, ends))), ends)
            )
        facts += [f"eye_at({end.term})." for end in ends]
        cells = {
            one.spot for one, two in sights if one.spot == two.spot and isinstance(one.spot, Hex)
        }
        facts += [f"cell({hex_.term})." for hex_ in sorted(cells)]
        facts += [fact for hex_ in sorted(rims) for fact in self.rim(hex_)]
        return "\n".join(facts) + "\n"

    @cached_property
    def drawn(self) -> Mapping[Hex, tuple[str, ...]]:
        """The kinds of drawings in each hex."""
        kinds: dict[Hex, list[str]] = {}
        for hex_, kind in self.shapes.pieces:
            kinds.setdefault(hex_, []).append(kind)
        return {hex_: tuple(each) for hex_, each in kinds.items()}

    def rim(self, hex_: Hex) -> Iterator[str]:
        """Which hexsides and vertices of a hex the drawings in it reach, as facts."""
        for kind in self.drawn.get(hex_, ()):
            filled = (hex_, kind) in self.concerns.inherent
            for direction in range(6):
                spans = self.shapes.spans.get((hex_, direction, kind), ())
                if spans or filled:
                    across = side(hex_, hex_.neighbour(direction))
                    yield f"covers({hex_.term},{kind},{across.term})."
                after = self.shapes.spans.get((hex_, (direction + 1) % 6, kind), ())
                ends = {point for stretch in (*spans, *after) for point in stretch}
                if filled or hex_.corner(direction) in ends:
                    yield f"touches({hex_.term},{kind},{direction})."

    def ask(self, wanted: Sequence[Node], question: str, local: bool = False) -> list[Answer]:
        """The answer sets of the question layer for facts of a question, over all cases.

        `local` hands over only the static facts of that part of the board which the question is about.
        """
        hexes = self.around(question) if local else None
        answers = []
        for case in range(len(self.cases)):
            found = solve(*self.layer(case, wanted, question, hexes), question)
            answers += [replace(answer, case=case) for answer in found] if case else found
        if self.hear is not None:
            self.hear(answers)
        return answers


def load(
    path: Path,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Read a board file and make it ready; BoardError for bad text."""
    from rules_asp.parser import load as load_board

    return position(load_board(path), program, without, changes)


def position(
    board: Board,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Make a board ready for questions, after these changes. `without` names rulings to switch off."""
    board = changed(board, changes) if changes else resolve(board)
    return _made(board, program or load_program(), _shapes(board), tuple(without))


def _made(
    board: Board, program: Program, shapes: Shapes, switched_off: tuple[str, ...]
) -> Position:
    """A resolved board, with its drawings cut, made ready."""
    text = facts(board, shapes.pieces.keys())
    text += "".join(f'without("{ruling}").\n' for ruling in switched_off)
    solved = solve(program.static_text(text), text, shown=True)
    cases = tuple(replace(answer, case=case) for case, answer in enumerate(solved))
    return Position(board, program, shapes, text, cases, switched_off=switched_off)


def _hex_of_term(term: str) -> Hex:
    col, row = term[1:-1].split(",")
    return Hex(int(col), int(row))


def _shapes(board: Board) -> Shapes:
    """The board's drawings; outlines are costly to cut, so these are kept between runs."""
    drawn = drawings(board)
    if not any(isinstance(each, Outline) for each in drawn):
        return shapes_of(board)
    source = pickle.dumps((board.grid, drawn), protocol=5)
    code = cache.code("lines", "terms")
    return cache.remember("shapes", [source, *code], lambda: shapes_of(board))


def _bound(below: clingo.Symbol) -> int:
    """The elevation below which an end of a line must lie, in half levels; #sup is above them all."""
    return ALWAYS if below.type == clingo.SymbolType.Supremum else below.number
