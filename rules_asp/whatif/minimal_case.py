"""`case`: minimal boards with the same answer, by delta debugging."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from rules_asp import parser
from rules_asp.boards.resolve import enclosing_hexsides, resolve
from rules_asp.boards.statement_ops import atomic_statements, hexes_of, without_parts
from rules_asp.cases.expectations import (
    NOWHERE,
    AnswerLine,
    ExpectationResult,
    answer_line,
    check_expectation,
    parse_expectation,
)
from rules_asp.explain import layout, record
from rules_asp.explain.record import Record
from rules_asp.game.board import (
    Board,
    Building,
    Doubt,
    Expect,
    ExpectedRoll,
    Outline,
    Statement,
)
from rules_asp.game.grid import Grid, GridRegion, Hex, MapBoard
from rules_asp.game.map_layout import map_names
from rules_asp.game.query import DeedQuery, Query
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.polygons import clip_outline, may_draw_in
from rules_asp.geometry.shapes import cut_to_hexes, shapes_of
from rules_asp.knowledge.solver import EngineError
from rules_asp.parser.errors import BoardError
from rules_asp.parser.source_text import lines_of, split_statements
from rules_asp.parser.writer import statement_text
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, make_position
from rules_asp.positions.scope import issues_in_scope
from rules_asp.queries.question import Answer
from rules_asp.queries.too_wide import limit_if_open
from rules_asp.runtime.limits import Deadline, TooWide
from rules_asp.runtime.worker import LimitsOrWorker, call_within
from rules_asp.whatif.trials import TrialProgress

_T = TypeVar("_T")


def ddmin(
    things: Sequence[_T], holds: Callable[[Sequence[_T]], bool], over: Callable[[], bool]
) -> tuple[tuple[_T, ...], bool]:
    """Return a minimal subset for which `holds` is true, and whether its minimality was proved.

    `holds` must be true for all items. Halves are left out first, then quarters, down to single
    items (Zeller's delta debugging), the first items first. The search stops when `over` is true.
    """
    left, size = tuple(things), max(1, -(-len(things) // 2))
    while left:
        spared = False
        start = 0
        while start < len(left):
            if over():
                return left, False
            rest = (*left[:start], *left[start + size :])
            if holds(rest):
                left, spared = rest, True
            else:
                start += size
        if size > 1:
            size = -(-min(size, len(left)) // 2)
        elif not spared:
            break
    return left, True


# --- Reduced boards.


@dataclass(frozen=True)
class BoardPart:
    """A removable part of a board: the number of its statement, and its position in it."""

    statement: int
    part: Statement
    hexes: frozenset[Hex]


class BoardReducer:
    """A resolved board that can be reduced; it gets the `question` as its only expectation.

    Uncertain map data and names of buildings do not affect answers and are removed first.
    """

    def __init__(self, board: Board, question: Expect) -> None:
        kept = (e for e in board.statements if not isinstance(e, Expect | Doubt))
        bare = (replace(e, name=None) if isinstance(e, Building) else e for e in kept)
        self._statements = tuple(bare)
        self._grid, self._name = board.grid, board.name
        self.question = question

    @cached_property
    def portions(self) -> tuple[BoardPart, ...]:
        """All removable parts."""
        hexes = tuple(self._grid.hexes())
        return tuple(
            BoardPart(index, part, frozenset(self._where(part, hexes)))
            for index, each in enumerate(self._statements)
            for part in atomic_statements(each)
        )

    def _where(self, part: Statement, hexes: Iterable[Hex]) -> Iterable[Hex]:
        if not isinstance(part, Outline):
            return hexes_of(part)
        return (each for each in hexes if may_draw_in(part, _own(self._grid, part, each)))

    def board(self, kept: Collection[BoardPart]) -> Board:
        """Return the board with the kept parts and the question."""
        of: dict[int, set[Statement]] = {}
        for each in kept:
            of.setdefault(each.statement, set()).add(each.part)
        said: list[Statement] = []
        for index, stays in sorted(of.items()):
            statement = self._statements[index]
            gone = {part for part in atomic_statements(statement) if part not in stays}
            said += without_parts(statement, gone) if gone else (statement,)
        return Board(self._name, self._grid, (*said, self.question))


def make_reducer(board: Board, like: Position) -> Position:
    """Prepare a board under the rules of another position; BoardError if it is inconsistent.

    The cut depictions are not cached, since they are used once.
    """
    board = resolve(board, like.vocabulary)
    shapes = enclosing_hexsides(board, lambda: shapes_of(board, cut_to_hexes))
    return make_position(board, like.program, shapes, like.switched_off)


def crop_board(board: Board, hexes: Collection[Hex], words: Vocabulary) -> Board | None:
    """Return the smallest board with these hexes; None if the board cannot be cropped to them.

    All statements of the board must be about these hexes. The hexes keep their names.
    """
    if not hexes:
        return None
    field = _field(hexes)
    if not board.grid.parts:
        first = Hex(field.left, field.top)
        size = field.right - field.left + 1, field.bottom - field.top + 1
        grid = Grid(*size, first)
        return (
            replace(board, grid=grid) if all(each in board.grid for each in grid.hexes()) else None
        )
    kept = [(part, _part(part, hexes)) for part in board.grid.parts]
    left = tuple(part for _, part in kept if part is not None)
    if not left:
        return None
    labels = {part.label for part in left}
    first_, *others = left
    joined = (first_._replace(next_to=None), *others)
    if any(part.next_to is None or part.next_to[1] not in labels for part in others):
        return None
    whole = any(isinstance(each, Outline) and each.on not in labels for each in board.statements)
    if whole:
        return None
    # The positions of the boards, and the hexes, follow from the text.
    head = parser.write(Board(board.name, board.grid._replace(parts=joined)), words)
    said = parser.write(board, words).splitlines(keepends=True)[1 + len(board.grid.parts) :]
    try:
        return parser.parse(head + "".join(said), words=words)
    except parser.BoardError:
        return None


def _part(part: MapBoard, hexes: Collection[Hex]) -> MapBoard | None:
    """Return a board of a map with only the given hexes of the map."""
    here = [part.own(each) for each in hexes if each in part.field]
    if not here:
        return None
    field, own = _field(here), part.own_field
    left, right = max(field.left, own.left), min(field.right, own.right)
    top, bottom = max(field.top, own.top), min(field.bottom, own.bottom)
    return part._replace(kept_half=GridRegion(left, right, top, bottom))


def _field(hexes: Collection[Hex]) -> GridRegion:
    """Return the smallest region of columns and rows with these hexes that begins in an even
    column."""
    cols = [each.col for each in hexes]
    left, right = min(cols), max(cols)
    # In an odd column, the row of a hex is the row in which it begins.
    top = min(each.row + each.col % 2 for each in hexes)
    bottom = max(*(each.row for each in hexes), top)
    return GridRegion(left - left % 2, right, top, bottom)


def _own(grid: Grid, outline: Outline, hex_: Hex) -> Hex:
    """Return a hex of the map in the coordinates of the board of an outline."""
    part = next((each for each in grid.parts if each.label == outline.on), None)
    return hex_ if part is None else part.own(hex_)


def with_cut_outlines(board: Board, hexes: Collection[Hex]) -> Board:
    """Return the board with its outlines cut to these hexes and a small margin."""
    said: list[Statement] = []
    for each in board.statements:
        if isinstance(each, Outline):
            said += clip_outline(each, [_own(board.grid, each, hex_) for hex_ in hexes])
        else:
            said.append(each)
    return replace(board, statements=tuple(said))


# --- The minimal case.


#: The distances tried, in hexes from the scope of the answer.
_RINGS = (1, 2, 4, 8, 16)
#: A placeholder for unknown cites.
_ANY = ("-",)
#: Errors of a board from which too much was removed.
_UNFIT = (BoardError, EngineError, QuestionError, ValueError, IndexError, LookupError, TooWide)


@dataclass(frozen=True)
class Case(Answer):
    """A minimal board text that gives an answer.

    `text` ends in an `expect` line, and `expects` is the part of it before the rule numbers.
    `verdict` is the answer. `cites` are all rules that it cites, the same on the board and in the
    text. `smallest`: no line can be removed; it is false if the time ran out. `tried` counts the
    tested boards.
    """

    text: str
    expects: str
    verdict: str
    cites: tuple[str, ...]
    smallest: bool
    tried: int
    #: The question as a line of text.
    line: str = field(default="", compare=False)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the text."""
        return layout.Report((), (layout.Line(self.text, whole=True),))

    def record(self) -> Record:
        """Return the minimal case as JSON."""
        return {
            "board": self.position.board.name,
            "question": self.line,
            "text": self.text,
            "expects": self.expects,
            "verdict": self.verdict,
            "cites": list(self.cites),
            "smallest": self.smallest,
            **record.notes(self.position.program.notes, self.cites),
            **record.issues(self.beside),
        }


@dataclass(frozen=True)
class CaseVerdict:
    """The result of an `expect` line: the answer, and the rules it cites."""

    answered: str
    cites: frozenset[str]


def verdict(position: Position, expect: Expect) -> CaseVerdict | None:
    """Return the answer to an `expect` line with its cites, if it is the expected one.

    None if the answer is another one, or does not cite every expected rule.
    """
    outcome = check_expectation(position, replace(expect, cites=()), NOWHERE)
    if not outcome.passed:
        return None
    if not expect.cites:
        return CaseVerdict(outcome.answered, frozenset())
    cited = check_expectation(position, expect, NOWHERE)
    return CaseVerdict(outcome.answered, frozenset(cited.cites)) if cited.passed else None


def verdict_of(text: str, like: Position) -> CaseVerdict | None:
    """Return the same for the text of a board with one `expect` line, under the rules of a
    position.

    BoardError for an invalid text.
    """
    there = make_reducer(parser.parse(text, "case", like.vocabulary), like)
    expects = [each for each in there.board.statements if isinstance(each, Expect)]
    return verdict(there, expects[0]) if len(expects) == 1 else None


def minimal_case(
    position: Position,
    question: str | Expect,
    seconds: float | None = 60.0,
    told: TrialProgress | None = None,
    limits: LimitsOrWorker = None,
) -> Case:
    """Return the minimal part of the position's board that gives the same answer to a question.

    `question` is the text of an `expect` line, with or without its answer. After `seconds` the best
    result so far is returned. `told` receives the progress, and `limits` apply to the question on
    the whole board. BoardError and QuestionError for a question that cannot be asked there, or
    cannot be expected.
    """
    clock = Deadline(seconds)
    asked = parse_expectation(position, question) if isinstance(question, str) else question
    given, wanted = _within(limits, position, asked)
    cutting = _Cutting(position, given, wanted, clock, told)
    text, smallest = cutting.cut()
    place = given.about
    return Case(
        text,
        statement_text(replace(given.expect, cites=()), position.notation),
        wanted.answered,
        given.expect.cites,
        smallest,
        cutting.tried,
        about=place,
        beside=issues_in_scope(position, place),
        on=position,
    )


def _within(
    limits: LimitsOrWorker, position: Position, asked: Expect
) -> tuple[AnswerLine, CaseVerdict]:
    question = asked.question
    wide = question.rolling.roll if isinstance(question, ExpectedRoll) else question
    if isinstance(wide, Query | DeedQuery) or isinstance(question, ExpectedRoll):
        note = limit_if_open("case", wide)  # type: ignore[arg-type]
        return (
            call_within(limits, *note, _given, position, asked) if note else _given(position, asked)
        )
    return _given(position, asked)


def _given(position: Position, asked: Expect) -> tuple[AnswerLine, CaseVerdict]:
    """Return the `expect` line as the position answers it, with all its cites."""
    given = answer_line(position, asked)
    outcome = _examined(position, given.expect)
    expect = replace(given.expect, cites=outcome.cites)
    told = verdict(position, expect)
    assert told is not None, expect
    return replace(given, expect=expect), told


def _examined(position: Position, expect: Expect) -> ExpectationResult:
    outcome = check_expectation(position, replace(expect, cites=_ANY), NOWHERE)
    if outcome.word is None or outcome.error:
        raise QuestionError(outcome.answered.partition(": ")[2] or outcome.answered)
    return outcome


class _Cutting:
    """The reduction of a board that ends in the `expect` line and must keep the wanted answer."""

    def __init__(
        self,
        position: Position,
        given: AnswerLine,
        wanted: CaseVerdict,
        clock: Deadline,
        told: TrialProgress | None,
    ) -> None:
        self.position = position
        self.wanted = wanted
        self.clock = clock
        self.told = told
        self.tried = 0
        self._expect = given.expect
        # Use names, since a cropped map numbers its columns and rows again.
        self._names = [position.names.text(each) for each in given.about.hexes]
        self._known: dict[Board, bool] = {}

    def cut(self) -> tuple[str, bool]:
        """Return the remaining text, and whether no line can be removed."""
        board, least = self._without_portions(self._near())
        if least and (closer := self._closer(board)) != board:
            # A cut depiction may have come apart, and some of its parts may be unnecessary.
            board, least = self._without_portions(closer)
        text, alone = self._without_lines(parser.write(board, self.position.vocabulary))
        return text, least and alone

    def _near(self) -> Board:
        """Return the board near the scope of the answer if it suffices; else the whole board."""
        board = self.position.board
        trimming = BoardReducer(board, self._expect)
        for region in self._regions(board):
            inside = [each for each in trimming.portions if _is_in(each, region)]
            near = self._cropped(trimming.board(inside), region)
            if near is not None:
                return near
        every = trimming.board(trimming.portions)
        if self._holds(every):
            return every
        said = (each for each in board.statements if not isinstance(each, Expect))
        return Board(board.name, board.grid, (*said, self._expect))

    def _regions(self, board: Board) -> Iterator[frozenset[Hex]]:
        """Yield growing regions around the scope of the answer, then whole nearby buildings."""
        here = self._about(board)
        near = _ring(board, here, 1)
        yield near
        wholes = near.union(*(self.position.index.wholes.get(each, ()) for each in near))
        for reach in _RINGS:
            yield wholes | _ring(board, here, reach)

    def _cropped(self, board: Board, region: Collection[Hex]) -> Board | None:
        """Return the board on a map of these hexes, or on the whole map; None if both change the
        answer."""
        cut = with_cut_outlines(board, region)
        smaller = crop_board(cut, region, self.position.vocabulary)
        for each in (smaller, cut):
            if each is not None and self._holds(each):
                return each
        return None

    def _without_portions(self, board: Board) -> tuple[Board, bool]:
        """Return the board without unnecessary parts, and whether all parts were tried."""
        expect = board.statements[-1]
        assert isinstance(expect, Expect)
        trimming = BoardReducer(board, expect)
        here = self._about(board)

        def far(portion: BoardPart) -> int:
            ranges = (one.range_to(each) for one in portion.hexes for each in here)
            return -min(ranges, default=0)

        things = sorted(trimming.portions, key=far)
        if not self._holds(trimming.board(things)):
            return board, True

        def holds(kept: Sequence[BoardPart]) -> bool:
            if self.told is not None:
                self.told(len(things) - len(kept), len(things), f"{self.tried} tried")
            return self._holds(trimming.board(kept))

        left, least = ddmin(things, holds, lambda: self.clock.over)
        return trimming.board(left), least

    def _closer(self, board: Board) -> Board:
        """Return the board with outlines cut near the line, on the smallest possible map."""
        here = self._about(board)
        for reach in (0, 1):
            cut = with_cut_outlines(board, _ring(board, here, reach))
            if self._holds(cut):
                board = cut
                break
        said = {hex_ for each in board.statements for hex_ in hexes_of(each)}
        smaller = crop_board(
            board, _ring(board, frozenset(said) | here, 1), self.position.vocabulary
        )
        return smaller if smaller is not None and self._holds(smaller) else board

    def _without_lines(self, text: str) -> tuple[str, bool]:
        """Return the text without unnecessary lines, and whether all lines were tried."""
        lines = _statements(text)

        def holds(kept: Sequence[str]) -> bool:
            self.tried += 1
            try:
                return verdict_of(_joined(kept), self.position) == self.wanted
            except _UNFIT:
                return False

        free = lines[:-1]
        for line in reversed(free):
            if self.clock.over:
                return _joined(lines), False
            rest = [each for each in lines if each is not line]
            if holds(rest):
                lines = rest
        return _joined(lines), True

    def _about(self, board: Board) -> frozenset[Hex]:
        """Return the scope of the answer in the coordinates of this board."""
        names = map_names(board.grid)
        found = (names.find(each)[0] for each in self._names)
        return frozenset(each for each in found if each in board.grid)

    def _holds(self, board: Board) -> bool:
        """Test whether a board gives the wanted answer."""
        known = self._known.get(board)
        if known is None:
            self.tried += 1
            expect = board.statements[-1]
            assert isinstance(expect, Expect)
            try:
                there = make_reducer(board, self.position)
                known = bool(there.cases) and verdict(there, expect) == self.wanted
            except _UNFIT:
                known = False
            self._known[board] = known
        return known


def _ring(board: Board, hexes: Collection[Hex], reach: int) -> frozenset[Hex]:
    """Return the hexes of a board within this distance of some hexes."""
    found = frozenset(hexes)
    edge = found
    for _ in range(reach):
        edge = frozenset(each for one in edge for each in one.neighbours()) - found
        found |= edge
    return frozenset(each for each in found if each in board.grid)


def _is_in(portion: BoardPart, region: Collection[Hex]) -> bool:
    """Test whether a part is about these hexes alone, or draws something there."""
    if isinstance(portion.part, Outline):
        return not portion.hexes.isdisjoint(region)
    return portion.hexes <= frozenset(region)


def _statements(text: str) -> list[str]:
    """Return the statements of a text; continued lines stay together."""
    lines = lines_of(text)
    starts = [each.line - 1 for each in split_statements(lines)]
    return ["\n".join(lines[a:b]).rstrip() for a, b in pairwise((*starts, len(lines)))]


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{each}\n" for each in lines)
