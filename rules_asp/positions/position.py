"""Position: a resolved board with its static answer sets and measured lines; its update after a change."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any, Protocol, TypeVar

import clingo

from rules_asp.boards.changes import Change, apply_changes
from rules_asp.boards.facts import board_facts, uncertain_facts
from rules_asp.boards.resolve import enclosing_hexsides, resolve
from rules_asp.game.board import BOARD_CLASSES, Board, Outline
from rules_asp.game.display import NotebookDisplay
from rules_asp.game.grid import (
    Grid,
    Hex,
    Location,
    Point,
    term_sort_key,
)
from rules_asp.game.map_layout import MapNames, map_names
from rules_asp.game.values import (
    Notation,
    hex_from_symbol,
    location_from_symbol,
    to_symbol,
)
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.shapes import (
    HexDrawings,
    Shapes,
    cut_to_hexes,
    drawing_statements,
    shapes_of,
)
from rules_asp.knowledge.dependencies import TriggerKey, key, keys_of
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import AffectedSignatures, PatchedAnswerSet, Program, below_patches
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import (
    AnswerSet,
    PriorityOrder,
    ProgramText,
    clashing_pairs,
    priority_facts,
    solve,
    solve_each_priority,
    solve_flipped,
    static_answer_sets,
)
from rules_asp.knowledge.support import SupportFinder
from rules_asp.positions.fact_index import (
    FactIndex,
    Mentions,
    QueryFacts,
    StoredFacts,
    cell,
    eye_at,
)
from rules_asp.positions.measurer import Measurer
from rules_asp.positions.position_index import PositionIndex
from rules_asp.runtime import cache
from rules_asp.runtime.worker import LimitsOrWorker

# --- Questions to a position.

#: The number of atoms that one step of looking ahead looks up: a few hundredths of a second.
_LOOK_AHEAD = 300


_Answer = TypeVar("_Answer", covariant=True)


class PutToPosition(Protocol[_Answer]):
    """The interface of a question to a position."""

    def answer(
        self, position: Position, limits: LimitsOrWorker, cite: bool, prove: bool, /
    ) -> _Answer:
        """Return the answer on a position."""


# --- Incremental update of the static layer after a change: only the affected part is solved.


#: Maximum number of stacked increments before a full solve: each look-up reads all of them.
_DEEPEST = 12
#: The largest share of rules for an incremental solve; above it, a full solve is as fast.
_PART = 1 / 2
#: A predicate, with the kind of topic or None for all kinds.
_Kind = tuple[str, int, str | None]
_Place = tuple[int, _Kind]
#: A section adds or removes ranks of norms, and every rule may use these.
_AT_LARGE = frozenset(("section",))


def update(
    program: Program,
    cases: Collection[AnswerSet],
    true: Callable[[Iterable[Signature]], Iterator[clingo.Symbol]],
    before: FactIndex,
    now: FactIndex,
) -> PatchedAnswerSet | None:
    """Return the answer set after a change of the board's facts; None: a full solve is needed.

    `cases` are the old answer sets, and `true` yields the atoms of some nodes in the first one. The
    result equals that of a full solve: an unaffected atom depends only on unaffected atoms. It
    stays, and the affected rules read it as a fact. This holds for a board with one answer set. A
    board that has several, or gets several through a conflict of norms, needs a full solve.
    """
    if len(cases) != 1:
        return None
    (case,) = cases
    old, new = frozenset(before.symbols), frozenset(now.symbols)
    changed = {(fact.name, len(fact.arguments)) for fact in old ^ new}
    if any(name in _AT_LARGE for name, _ in changed):
        return None
    part = program.renewal(changed, before.keys | keys_of(new - old))
    base = below_patches(case, part.touched)
    depth = base.depth if isinstance(base, PatchedAnswerSet) else 0
    if depth >= _DEEPEST or part.share > _PART:
        return None
    names = {name for name, _ in part.touched.predicates}
    given = (fact for fact in now.symbols if fact.name in names and part.touched.has(fact))
    solved = solve(part.rules, facts=(*given, *true(part.read)))
    if len(solved) != 1 or clashing_pairs(solved[0]):
        return None
    return PatchedAnswerSet(solved[0].symbols, solved[0].control, before=base, touched=part.touched)


def carry_over(
    kept: Mapping[str, object], touched: AffectedSignatures, program: Program
) -> dict[str, object]:
    """Return the cached values of a position that the change does not affect."""
    names = {name for name, _ in touched.predicates}
    read_by = {
        "wholes": {"building"},
        "elevations": {"at_level"},
        "concerns": {each.name for each in program.measuring},
    }
    return {what: kept[what] for what in read_by if what in kept and not read_by[what] & names}


def unaffected_indexes(
    indexes: Mapping[_Place, FactIndex], touched: AffectedSignatures
) -> dict[_Place, FactIndex]:
    """Return the indexes of unaffected atoms."""

    def stays(kind: _Kind) -> bool:
        if kind[:2] not in touched.predicates:
            return True
        return kind[2] is not None and kind[:2] not in touched.wholly and kind not in touched.topics

    return {key: index for key, index in indexes.items() if stays(key[1])}


# --- Positions: resolved boards with a solved static layer and depictions ready for measurement.


#: The predicates by which the knowledge base requests measurements for a question.
_NEEDS = (Signature("measure_los", 2), Signature("measure_rim", 1))
#: A quoted text in a rule of kb/, usually the id of a norm.
_QUOTED = re.compile(r'"([^"]*)"')
#: The static predicates of precedence.
_RANKS = frozenset(("wins", "ranked"))


@dataclass(frozen=True)
class Position(NotebookDisplay):
    """A board under a knowledge base.

    `board_facts` are the facts of the board itself. `cases` are the answer sets of the static
    layer: one, or one for each combination of open facts. `hear` receives all answer sets of the
    query layer. `switched_off` are rulings.

    A position can be pickled, without `hear`; the receiver solves its static layer again.
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
    def names(self) -> MapNames:
        """The names of the hexes of its map."""
        return map_names(self.board.grid)

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of its rules."""
        return self.program.vocabulary

    @cached_property
    def index(self) -> PositionIndex:
        """Its Locations, their levels and buildings."""
        return PositionIndex(self.cases, self.board_facts, self.names, self._mentions)

    @cached_property
    def measurer(self) -> Measurer:
        """The measurer of its lines and depictions."""
        return Measurer(self.shapes, self.index)

    @cached_property
    def notation(self) -> Notation:
        """The notation for reading and writing terms."""
        return Notation(self.vocabulary, self.names)

    @cached_property
    def found_out(self) -> dict[Hashable, Any]:
        """A cache of results that several questions share."""
        return {}

    @property
    def facts(self) -> str:
        """The facts of the board itself as text for clingo, one a line."""
        return self.board_facts.text

    @property
    def left_open(self) -> tuple[clingo.Symbol, ...]:
        """The uncertain facts of the board."""
        return uncertain_facts(self.board, self.vocabulary)

    @property
    def keys(self) -> frozenset[TriggerKey]:
        """The trigger keys of the board's facts, including the uncertain ones."""
        return self.board_facts.keys | keys_of(self.left_open)

    @cached_property
    def reasons(self) -> Sequence[SupportFinder]:
        """For each case, the finder of supports in the static layer, shared by all questions."""
        return [SupportFinder(self.program.twins, case) for case in self.cases]

    def look_ahead(self) -> bool:
        """Look up some supports that the next question may need; whether any are left to look up.

        It is for idle time between two questions: what is left the next question with citations looks up.
        """
        finders = self.__dict__.get("reasons", ())
        return any(finder.look_ahead(_LOOK_AHEAD) for finder in finders)

    def with_(self, *lines: str) -> Position:
        """Return a position whose board also has these lines; this position does not change.

        Each text is one or more lines of the board language. As in a file that `use`s the board, a
        new line about a thing replaces the old one. BoardError for a text that does not fit.
        """
        return self.changed(Change(True, text, "with_") for text in lines)

    def without(self, *lines: str) -> Position:
        """Return a position whose board does not have these lines; this position does not change.

        A line must be on the board, in any wording. It may be a part of one: `woods: B3` of `woods:
        B2 B3`. BoardError, with the nearest line, for a line that is not on the board.
        """
        return self.changed(Change(False, text, "without") for text in lines)

    def changed(self, changes: Iterable[Change]) -> Position:
        """Return a position with these changes applied in order; this position does not change."""
        return self.restated(apply_changes(self.board, changes, self.program.vocabulary))

    def restated(self, board: Board) -> Position:
        """Return a position of another resolved board that reuses the common parts of this one."""
        shapes = (
            self.shapes
            if drawing_statements(board) == drawing_statements(self.board)
            else _shapes(board)
        )
        return make_position(board, self.program, shapes, self.switched_off, self)

    def __reduce__(self) -> tuple[object, ...]:
        return make_position, (self.board, self.program, self.shapes, self.switched_off)

    def answer(
        self,
        question: PutToPosition[_Answer],
        limits: LimitsOrWorker = None,
        cite: bool = True,
        prove: bool = False,
    ) -> _Answer:
        """Answer a question; see `rules_asp.queries.question.Question.answer`."""
        return question.answer(self, limits, cite, prove)

    def layer(
        self,
        case: int,
        wanted: Sequence[Signature],
        question: QueryFacts,
        hexes: Iterable[Hex] | None = None,
        sums: bool = True,
    ) -> tuple[ProgramText, list[clingo.Symbol]]:
        """Return the query rules relevant to the wanted nodes, and the static facts that they read.

        Rules without a trigger key on the board or in the question are left out. A fact that
        mentions hexes is kept only if it mentions one of `hexes`; None keeps all. `sums` as in
        `Program.cone`.
        """
        given = question.keys.union(
            *(each.keys for each in self._facts_of(case, self.program.needed(wanted, sums)))
        )
        rules, needed = self.program.cone(wanted, given, sums)
        plain = self._facts_of(case, (node for node in needed if node.name not in _RANKS))
        facts = [each.near(hexes) for each in plain]
        # Precedence matters only between norms that these rules and facts mention.
        heard = _named_in(rules.text) | question.texts.union(*(each.texts for each in facts))
        ranks = self._facts_of(case, (node for node in needed if node.name in _RANKS))
        told = (*facts, *(each.among(heard) for each in ranks))
        return rules, list(chain.from_iterable(each.symbols for each in told))

    def _facts_of(self, case: int, nodes: Iterable[Signature]) -> list[FactIndex]:
        """Return indexes of the static atoms of these nodes."""
        kinds: set[_Kind] = set()
        for node in nodes:
            told = node.topic is not None and node.topic[0][:1].islower()
            kinds.add((node.name, node.arity, node.topic[0] if node.topic and told else None))
        # All atoms of a predicate include those of one kind of topic.
        kinds = {kind for kind in kinds if kind[2] is None or (*kind[:2], None) not in kinds}
        return [self._index(case, kind) for kind in sorted(kinds, key=str)]

    def true(self, case: int, nodes: Iterable[Signature]) -> Iterator[clingo.Symbol]:
        """Yield the static atoms of these nodes."""
        return chain.from_iterable(each.symbols for each in self._facts_of(case, nodes))

    def _index(self, case: int, kind: _Kind) -> FactIndex:
        """Return an index of the static atoms of one kind, by the name of their topic if they have
        one."""
        indexed = case, kind
        if indexed not in self._indexes:
            name, arity, topic = kind
            given = None if topic is None else key(name, topic)
            written = self.cases[case].written(name, arity, topic)
            if written is None:
                answer = self.cases[case]
                atoms = (
                    answer.atoms(name, arity)
                    if topic is None
                    else answer.atoms_about(name, arity, topic)
                )
                facts = FactIndex(atoms, self._mentions, given)
            else:
                facts = StoredFacts(written, given)
            self._indexes[indexed] = facts
        return self._indexes[indexed]

    def completed(self, question: QueryFacts, local: bool = False) -> QueryFacts:
        """Return a question with the measured facts that the knowledge base requests for it."""
        sights: set[tuple[Location, Location]] = set()
        rims: set[Hex] = set()
        for answer in self.ask(_NEEDS, question, local):
            for pair in answer.get("measure_los", 2):
                one, two = (location_from_symbol(each, self.names) for each in pair)
                if None not in (self.index.elevation(one), self.index.elevation(two)):
                    sights.add((one, two))
            rims |= {
                hex_from_symbol(where, self.names) for (where,) in answer.get("measure_rim", 1)
            }
        ends = sorted({end for pair in sights for end in pair}, key=str)
        lines = {(one.spot, two.spot) for one, two in sights if one.spot != two.spot}
        in_order = sorted(lines, key=lambda ends: tuple(map(term_sort_key, ends)))
        measured = self.measurer.measured(in_order, ends) if lines else ()
        cells = {
            one.spot for one, two in sights if one.spot == two.spot and isinstance(one.spot, Hex)
        }
        return question.also(
            [*map(eye_at, ends), *map(cell, sorted(cells))],
            [*measured, *(fact for hex_ in sorted(rims) for fact in self.measurer.rim(hex_))],
        )

    def settled(self, wanted: Iterable[Signature]) -> tuple[AnswerSet, ...]:
        """Return the static atoms of these nodes as answer sets."""
        return self.cases

    def ask(
        self, wanted: Sequence[Signature], question: QueryFacts, local: bool = False
    ) -> list[AnswerSet]:
        """Return the answer sets of the query layer for the facts of a question, over all cases.

        `local` passes only the static facts of the relevant part of the board.
        """
        hexes = self.index.around(question) if local else None
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

    def ask_flipped(
        self,
        wanted: Sequence[Signature],
        question: QueryFacts,
        optional: Mapping[clingo.Symbol, bool],
        local: bool = False,
    ) -> dict[clingo.Symbol, list[AnswerSet]]:
        """Return, for each optional fact, the answer sets with that fact flipped, over all cases.

        `optional` pairs each fact with whether it holds otherwise. If norms conflict, each is asked
        alone.
        """
        whole = question.also(list(optional))
        hexes = self.index.around(whole) if local else None
        found: dict[clingo.Symbol, list[AnswerSet]] = {fact: [] for fact in optional}
        for case in range(len(self.cases)):
            rules, told = self.layer(case, wanted, whole, hexes)
            one = solve_flipped(rules, (*told, *question.symbols), optional)
            for fact, answers in one.items():
                found[fact] += [replace(each, static_case=case) for each in answers]
        for fact, answers in found.items():
            if any(map(clashing_pairs, answers)):
                kept = [each for each, holds in optional.items() if holds != (each == fact)]
                found[fact] = self.ask(wanted, question.also(kept), local)
            elif self.hear is not None:
                self.hear(answers)
        return found


def prepare(
    board: Board,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Prepare a board for questions, after these changes. `without` names rulings to switch off."""
    program = program or load_program()
    words = program.vocabulary
    board = apply_changes(board, changes, words) if changes else resolve(board, words)
    return make_position(board, program, _shapes(board), tuple(without))


def make_position(
    board: Board,
    program: Program,
    shapes: Shapes,
    switched_off: tuple[str, ...],
    old: Position | None = None,
) -> Position:
    """Prepare a resolved board with its depictions, reusing the unchanged parts of an old position."""
    stated = board_facts(board, shapes.pieces.keys(), program.vocabulary)
    off = (clingo.Function("without", [to_symbol(each, "ruling")]) for each in switched_off)
    given = FactIndex([*stated, *off])
    open_ = uncertain_facts(board, program.vocabulary)
    if old is not None and not open_:
        case = update(program, old.cases, partial(old.true, 0), old.board_facts, given)
        if case is not None:
            indexes = unaffected_indexes(old._indexes, case.touched)
            new = replace(
                old, board=board, shapes=shapes, board_facts=given, cases=(case,), _indexes=indexes
            )
            for part in ("index", "measurer"):
                if part in vars(old):
                    kept = carry_over(vars(vars(old)[part]), case.touched, program)
                    vars(getattr(new, part)).update(kept)
            return new
    cases = static_answer_sets(program.static, given.symbols, given.keys | keys_of(open_), open_)
    hear = old.hear if old is not None else None
    return Position(board, program, shapes, given, cases, hear, switched_off)


@lru_cache(maxsize=64)
def _named_in(rules: str) -> frozenset[str]:
    """Return the texts in rules of kb/."""
    return frozenset(_QUOTED.findall(rules))


def _shapes(board: Board) -> Shapes:
    """Return the board's depictions; cut outlines are expensive and therefore cached."""
    return enclosing_hexsides(board, lambda: shapes_of(board, _cut))


def _cut(outlines: tuple[Outline, ...], grid: Grid) -> HexDrawings:
    """Cut outlines by hex; the result is the same for a board alone and on any map."""
    source = cache.dumps((grid, tuple(replace(each, on=None) for each in outlines)), BOARD_CLASSES)
    code = cache.source_fingerprint("geometry", "game")
    classes = (Grid, Hex, Point)
    return cache.memoize_on_disk(
        "cut", [source, *code], lambda: dict(cut_to_hexes(outlines, grid)), dict, classes
    )
