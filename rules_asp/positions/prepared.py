"""A board made ready for questions: resolved, its static layer solved, its drawings cut for measuring."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any

import clingo

from rules_asp import cache
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.look_ups import SupportFinder
from rules_asp.knowledge.occasions import TriggerKey, key, keys_of
from rules_asp.knowledge.orders import PriorityOrder, priority_facts, solve_each_priority
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.running import AnswerSet, ProgramText, solve, static_answer_sets
from rules_asp.knowledge.source import Signature
from rules_asp.lines.cuts import HexDrawings, cut_to_hexes
from rules_asp.lines.geometry import LosRelevance, survey_lines
from rules_asp.lines.shapes import Shapes, drawing_statements, shapes_of
from rules_asp.lines.surveys import LineFacts
from rules_asp.positions.changing import Change, apply_changes
from rules_asp.positions.concerning import los_relevance_of
from rules_asp.positions.indexes import FactIndex, Mentions, QueryFacts, cell, eye_at
from rules_asp.positions.levels import possible_levels, uncertain_levels
from rules_asp.positions.renewing import carry_over, unaffected_indexes, update
from rules_asp.positions.resolving import resolve
from rules_asp.positions.sound import enclosing_hexsides
from rules_asp.positions.stating import board_facts, uncertain_facts
from rules_asp.terms.board import BOARD_CLASSES, Board, Outline
from rules_asp.terms.grid import (
    Grid,
    Hex,
    Location,
    Point,
    Spot,
    Vertex,
    hex_of_spot,
    hexside_between,
    term_sort_key,
)
from rules_asp.terms.maps import set_map_names
from rules_asp.terms.showing import NotebookDisplay
from rules_asp.terms.symbols import hex_from_symbol, location_from_symbol, to_symbol

#: What the knowledge base says must be measured for a question.
_NEEDS = (Signature("needs_sight", 2), Signature("needs_rim", 1))
#: A quoted text in the rules of kb/: a norm's id, as a rule.
_QUOTED = re.compile(r'"([^"]*)"')
#: What is static of who wins over whom.
_RANKS = frozenset(("wins", "ranked"))
#: A predicate, and the kind of topic that it is about, if any.
_Kind = tuple[str, int, str | None]
_Lines = Iterable[tuple[Spot, Spot]]
_Ends = Iterable[Location]


@dataclass(frozen=True)
class Position(NotebookDisplay):
    """A board under a knowledge base.

    `board_facts` are the board's own facts. `cases` are the answer sets of the static layer: one, or
    one for each supposition left open. `hear` is told all answers of the question layer;
    `switched_off` are rulings.

    A position can be pickled, without `hear`; its static layer is solved anew where it arrives.
    """

    board: Board
    program: Program
    shapes: Shapes
    board_facts: FactIndex
    cases: tuple[AnswerSet, ...]
    hear: Callable[[Sequence[AnswerSet]], object] | None = None
    switched_off: tuple[str, ...] = ()
    _indexes: dict[tuple[int, _Kind], FactIndex] = field(default_factory=dict)
    _mentions: Mentions = field(default_factory=Mentions)

    @cached_property
    def found_out(self) -> dict[Hashable, Any]:
        """What one question has found out about the position and the next need not ask again."""
        return {}

    @property
    def facts(self) -> str:
        """The board's own facts as text for clingo, one a line."""
        return self.board_facts.text

    @property
    def left_open(self) -> tuple[clingo.Symbol, ...]:
        """The facts of which the board says that they may be so, or not."""
        return uncertain_facts(self.board)

    @property
    def keys(self) -> frozenset[TriggerKey]:
        """What the board's facts give rules to fire on, those too that may be so."""
        return self.board_facts.keys | keys_of(self.left_open)

    @cached_property
    def reasons(self) -> Sequence[SupportFinder]:
        """For each case, why what is so of the board alone is so: the same for all questions."""
        return [SupportFinder(self.program.twins, case) for case in self.cases]

    def with_(self, *lines: str) -> Position:
        """A position whose board says these lines too; this one stays as it is.

        Each text is one or more lines of the board language, as in a file that `use`s the board: what
        it says of a thing replaces what was said of it. BoardError for a text that does not fit.
        """
        return self.changed(Change(True, text, "with_") for text in lines)

    def without(self, *lines: str) -> Position:
        """A position whose board does not say these lines; this one stays as it is.

        A line must stand on the board, in whatever words, and may be a part of one: `woods: B3` of
        `woods: B2 B3`. BoardError, with the nearest, for one that does not.
        """
        return self.changed(Change(False, text, "without") for text in lines)

    def changed(self, changes: Iterable[Change]) -> Position:
        """A position of this board after some changes, one after the other; this one stays as it is."""
        return self.restated(apply_changes(self.board, changes))

    def restated(self, board: Board) -> Position:
        """A position of another resolved board, made of this one as far as the two agree."""
        shapes = (
            self.shapes
            if drawing_statements(board) == drawing_statements(self.board)
            else _shapes(board)
        )
        return make_position(board, self.program, shapes, self.switched_off, self)

    def __reduce__(self) -> tuple[object, ...]:
        return make_position, (self.board, self.program, self.shapes, self.switched_off)

    def layer(
        self,
        case: int,
        wanted: Sequence[Signature],
        question: QueryFacts,
        hexes: Iterable[Hex] | None = None,
    ) -> tuple[ProgramText, list[clingo.Symbol]]:
        """The question rules that bear on the wanted nodes, and the static facts that these read.

        Rules that neither the board nor the question gives any occasion to are left out; of the facts
        that mention a hex, those are given that mention one of `hexes`; None: all.

        From now on it is this position's map that is spoken of.
        """
        set_map_names(self.board.grid)
        given = question.keys.union(
            *(each.keys for each in self._facts_of(case, self.program.needed(wanted)))
        )
        rules, needed = self.program.cone(wanted, given)
        plain = self._facts_of(case, (node for node in needed if node.name not in _RANKS))
        facts = [each.near(hexes) for each in plain]
        # Who wins over whom matters only between norms that can be heard here.
        heard = _named_in(rules.text) | question.texts.union(*(each.texts for each in facts))
        ranks = self._facts_of(case, (node for node in needed if node.name in _RANKS))
        told = (*facts, *(each.among(heard) for each in ranks))
        return rules, list(chain.from_iterable(each.symbols for each in told))

    def _facts_of(self, case: int, nodes: Iterable[Signature]) -> list[FactIndex]:
        """The static atoms of these nodes, indexed."""
        kinds: set[_Kind] = set()
        for node in nodes:
            told = node.topic is not None and node.topic[0][:1].islower()
            kinds.add((node.name, node.arity, node.topic[0] if node.topic and told else None))
        # All of a predicate holds those of one topic.
        kinds = {kind for kind in kinds if kind[2] is None or (*kind[:2], None) not in kinds}
        return [self._index(case, kind) for kind in sorted(kinds, key=str)]

    def true(self, case: int, nodes: Iterable[Signature]) -> Iterator[clingo.Symbol]:
        """The static atoms of these nodes."""
        return chain.from_iterable(each.symbols for each in self._facts_of(case, nodes))

    def _index(self, case: int, kind: _Kind) -> FactIndex:
        """The static atoms of one kind as facts; those about a topic are told by its name."""
        indexed = case, kind
        if indexed not in self._indexes:
            name, arity, topic = kind
            answer = self.cases[case]
            if topic is None:
                facts = FactIndex(answer.atoms(name, arity), self._mentions)
            else:
                about = answer.atoms_about(name, arity, topic)
                facts = FactIndex(about, self._mentions, key(name, topic))
            self._indexes[indexed] = facts
        return self._indexes[indexed]

    @cached_property
    def wholes(self) -> Mapping[Hex, frozenset[Hex]]:
        """For each hex of a building, all hexes of that building, over all cases."""
        members: dict[clingo.Symbol, set[Hex]] = {}
        for case in self.cases:
            for where, building in case.get("building", 2):
                members.setdefault(building, set()).add(hex_from_symbol(where))
        return {each: frozenset(all_) for all_ in members.values() for each in all_}

    def around(self, question: QueryFacts) -> frozenset[Hex]:
        """The hexes that can matter to a question: those it names, their neighbours, and the whole
        buildings of all these.

        A norm about a hex looks at that hex, at what is next to it and at its building; a test holds
        answers from this part of the board against answers from all of it.
        """
        named_hexes = question.hexes | self.manned if question.asks else question.hexes
        near = named_hexes.union(*(each.neighbours() for each in named_hexes))
        return near.union(*(self.wholes.get(each, ()) for each in near))

    @cached_property
    def manned(self) -> frozenset[Hex]:
        """The hexes with units, which a question about a unit may turn on."""
        return self._mentions.among(self.board_facts.named("at"))[0]

    @cached_property
    def in_bypass(self) -> frozenset[Location]:
        """The vertices that units are at, which no map lists."""
        stands = (location_from_symbol(at.arguments[1]) for at in self.board_facts.named("at"))
        return frozenset(each for each in stands if isinstance(each.spot, Vertex))

    @cached_property
    def concerns(self) -> LosRelevance:
        """What the knowledge base says can matter to lines, over all cases."""
        return los_relevance_of(self.cases)

    @cached_property
    def elevations(self) -> Mapping[Location, int]:
        """The level of every Location of the map, in half levels (in the first case, if they differ)."""
        return possible_levels(self.cases)

    @cached_property
    def _unsure(self) -> Mapping[Location, int]:
        return uncertain_levels(self.cases)

    def levels_told(self, ends: Iterable[Location]) -> tuple[int | None, ...]:
        """The level of each Location, in half levels; None where it is not one in all cases."""
        return tuple(None if end in self._unsure else self.elevation(end) for end in ends)

    @cached_property
    def bases(self) -> Mapping[Hex, int]:
        """The base level of every hex, in half levels."""
        stated = (fact.arguments for fact in self.board_facts.named("base"))
        return {hex_from_symbol(where): level.number for where, level in stated}

    def elevation(self, location: Location) -> int | None:
        """The level of a Location, in half levels; None when there is no such Location."""
        if isinstance(location.spot, Vertex):
            return self.bases.get(hex_of_spot(location.spot)) if location.floor == 0 else None
        if location.above is not None:
            base = self.bases.get(location.spot)
            return None if base is None else base + 2 * location.above
        return self.elevations.get(location)

    def has_location(self, location: Location) -> bool:
        """Whether there is such a Location, be its level known or not."""
        known = (
            location_from_symbol(each[0]) for case in self.cases for each in case.get("location", 1)
        )
        return self.elevation(location) is not None or location in known

    def surveyed(self, lines: _Lines, ends: _Ends, of: LosRelevance | None = None) -> LineFacts:
        """What lies on these lines, as far as it can matter between these ends; `of`: and is of these."""
        lowest: dict[Spot, int] = {}
        for end in ends:
            level = self._unsure.get(end, self.elevation(end))
            if level is not None:
                lowest[end.spot] = min(level, lowest.get(end.spot, level))
        return survey_lines(self.shapes, of or self.concerns, lines, lowest)

    def measured(self, lines: _Lines, ends: _Ends) -> tuple[str, ...]:
        """The facts of these lines, each as text for clingo."""
        return self.surveyed(lines, ends).facts

    def completed(self, question: QueryFacts, local: bool = False) -> QueryFacts:
        """A question with the facts that it needs: what the knowledge base wants measured for it."""
        sights: set[tuple[Location, Location]] = set()
        rims: set[Hex] = set()
        for answer in self.ask(_NEEDS, question, local):
            for pair in answer.get("needs_sight", 2):
                one, two = map(location_from_symbol, pair)
                if None not in (self.elevation(one), self.elevation(two)):
                    sights.add((one, two))
            rims |= {hex_from_symbol(where) for (where,) in answer.get("needs_rim", 1)}
        ends = sorted({end for pair in sights for end in pair}, key=str)
        lines = {(one.spot, two.spot) for one, two in sights if one.spot != two.spot}
        in_order = sorted(lines, key=lambda ends: tuple(map(term_sort_key, ends)))
        measured = self.measured(in_order, ends) if lines else ()
        cells = {
            one.spot for one, two in sights if one.spot == two.spot and isinstance(one.spot, Hex)
        }
        return question.also(
            [*map(eye_at, ends), *map(cell, sorted(cells))],
            [*measured, *(fact for hex_ in sorted(rims) for fact in self.rim(hex_))],
        )

    @cached_property
    def drawn(self) -> Mapping[Hex, tuple[str, ...]]:
        """The kinds of drawings in each hex."""
        kinds: dict[Hex, list[str]] = {}
        for hex_, kind in self.shapes.pieces:
            kinds.setdefault(hex_, []).append(kind)
        return {hex_: tuple(each) for hex_, each in kinds.items()}

    def rim(self, hex_: Hex) -> Iterator[str]:
        """Which hexsides and vertices of a hex the drawings in it reach, as facts for clingo."""
        for kind in self.drawn.get(hex_, ()):
            filled = (hex_, kind) in self.concerns.inherent
            for direction in range(6):
                spans = self.shapes.spans.get((hex_, direction, kind), ())
                if spans or filled:
                    across = hexside_between(hex_, hex_.neighbour(direction))
                    yield f"covers({hex_.term},{kind},{across.term})."
                after = self.shapes.spans.get((hex_, (direction + 1) % 6, kind), ())
                ends = {point for stretch in (*spans, *after) for point in stretch}
                if filled or hex_.corner(direction) in ends:
                    yield f"touches({hex_.term},{kind},{direction})."

    def settled(self, wanted: Iterable[Signature]) -> tuple[AnswerSet, ...]:
        """The answers to what rests on the board alone."""
        return self.cases

    def ask(
        self, wanted: Sequence[Signature], question: QueryFacts, local: bool = False
    ) -> list[AnswerSet]:
        """The answer sets of the question layer for facts of a question, over all cases.

        `local` hands over only the static facts of that part of the board which the question is about.
        """
        hexes = self.around(question) if local else None
        answers = []
        for case in range(len(self.cases)):

            def under(order: PriorityOrder, case: int = case) -> list[AnswerSet]:
                asked = question.also(priority_facts(order)) if order else question
                rules, told = self.layer(case, wanted, asked, hexes)
                return solve(rules, facts=(*told, *asked.symbols))

            found = solve_each_priority(under)
            answers += [replace(answer, static_case=case) for answer in found] if case else found
        if self.hear is not None:
            self.hear(answers)
        return answers


def prepare(
    board: Board,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Make a board ready for questions, after these changes. `without` names rulings to switch off."""
    board = apply_changes(board, changes) if changes else resolve(board)
    return make_position(board, program or load_program(), _shapes(board), tuple(without))


def make_position(
    board: Board,
    program: Program,
    shapes: Shapes,
    switched_off: tuple[str, ...],
    old: Position | None = None,
) -> Position:
    """A resolved board with its drawings, made ready; from an old one, with what has not changed."""
    set_map_names(board.grid)
    stated = board_facts(board, shapes.pieces.keys())
    given = FactIndex([*stated, *map(_switched_off, switched_off)])
    open_ = uncertain_facts(board)
    if old is not None and not open_:
        case = update(program, old.cases, partial(old.true, 0), old.board_facts, given)
        if case is not None:
            indexes = unaffected_indexes(old._indexes, case.touched)
            new = replace(
                old, board=board, shapes=shapes, board_facts=given, cases=(case,), _indexes=indexes
            )
            vars(new).update(carry_over(vars(old), case.touched))
            return new
    cases = static_answer_sets(program.static, given.symbols, given.keys | keys_of(open_), open_)
    hear = old.hear if old is not None else None
    return Position(board, program, shapes, given, cases, hear, switched_off)


def _switched_off(ruling: str) -> clingo.Symbol:
    return clingo.Function("without", [to_symbol(ruling, "ruling")])


@lru_cache(maxsize=64)
def _named_in(rules: str) -> frozenset[str]:
    """The texts that stand in rules of kb/."""
    return frozenset(_QUOTED.findall(rules))


def _shapes(board: Board) -> Shapes:
    """The board's drawings; outlines are costly to cut, so what was cut is kept between runs."""
    return enclosing_hexsides(board, lambda: shapes_of(board, _cut))


def _cut(outlines: tuple[Outline, ...], grid: Grid) -> HexDrawings:
    """What outlines draw, by hex; the same of a board alone and on any map."""
    source = cache.dumps((grid, tuple(replace(each, on=None) for each in outlines)), BOARD_CLASSES)
    code = cache.source_fingerprint("lines", "terms")
    classes = (Grid, Hex, Point)
    return cache.memoize_on_disk(
        "cut", [source, *code], lambda: dict(cut_to_hexes(outlines, grid)), dict, classes
    )
