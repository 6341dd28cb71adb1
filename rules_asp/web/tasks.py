"""The questions of a page, answered in a process that caches the boards it was asked about.

Each function is a call for such a process; its first argument is the session. An error is also a
record, with the key "error".
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import chain
from typing import Any, Concatenate, ParamSpec

from rules_asp import RulesAspError
from rules_asp.api import ERRORS, case
from rules_asp.boards.changes import Change
from rules_asp.drawing.map import hexes_near
from rules_asp.drawing.patches import SceneSnapshot
from rules_asp.explain.justification import Relation, justification
from rules_asp.explain.layout import VIEW
from rules_asp.game.grid import Hex, Location
from rules_asp.knowledge.notes import Notes
from rules_asp.output import comparison
from rules_asp.output.json_schema import with_header
from rules_asp.parser.errors import BoardError, Problem
from rules_asp.positions import loading
from rules_asp.positions.position import Position
from rules_asp.queries.ask import Asked
from rules_asp.queries.fire import Fire
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los, LosQuestion
from rules_asp.queries.movement import MovesQuestion, moves
from rules_asp.queries.question import Answer, Question
from rules_asp.queries.why import Why
from rules_asp.runtime.limits import Limits
from rules_asp.runtime.worker import Cancelled, Worker
from rules_asp.web import documents, payloads
from rules_asp.web.documents import Document, ParsedDocuments
from rules_asp.web.versions import change_text, merged
from rules_asp.whatif.sensitivity import find_repairs, sensitivity

Record = dict[str, Any]
_More = ParamSpec("_More")
#: Number of positions that a process caches: the board before and after a change, and for undo.
_KEPT = 6
#: Number of searches whose trials are kept.
_KEPT_TRIALS = 3
#: The number of lines that a process asks about in its idle time before the first question.
_LINES_AHEAD = 3


@dataclass(frozen=True)
class LineReader:
    """Reads a line as a question, or reports its mistake.

    `expected` is the line in the form of `expect` lines.
    """

    said: Callable[[str], Question[Any]]
    expected: Callable[[str], str]
    amiss: Callable[[Exception, str], Record]


@dataclass(frozen=True)
class PatchedPicture:
    """The last patch of a picture: its look, its parts, and the notes of all parts."""

    look: SceneSnapshot
    parts: Mapping[frozenset[Hex], Record]
    notes: Sequence[str | None]


@dataclass
class TabSession:
    """The cache of a process: boards as read, positions, and the board whose picture is shown."""

    reading: LineReader
    notes: Notes | None = None
    library: ParsedDocuments = field(default_factory=ParsedDocuments)
    positions: OrderedDict[str, Position] = field(default_factory=OrderedDict)
    pictured: tuple[str, SceneSnapshot] | None = None
    laid: PatchedPicture | None = None
    trials: OrderedDict[tuple[int, str, str], tuple[Position, dict[Any, Any]]] = field(
        default_factory=OrderedDict
    )
    lines_ahead: int = _LINES_AHEAD

    def position(self, sheet: Document) -> Position:
        """Return the position of a document, derived from a similar one if possible."""
        found = self.positions.get(sheet.key)
        if found is None:
            found = self._made(sheet)
            if found.program.notes is not self.notes:
                found = replace(found, program=found.program.with_notes(self.notes))
            self.positions[sheet.key] = found
            while len(self.positions) > _KEPT:
                self.positions.popitem(last=False)
        self.positions.move_to_end(sheet.key)
        return found

    def use_idle_time(self) -> bool:
        """Prepare for the next question on the last position; return whether more is left to do.

        The first questions of a process read the rules that proofs use. Some lines across the map do
        so before a player asks.
        """
        if not self.positions:
            return False
        position = next(reversed(self.positions.values()))
        if self.lines_ahead:
            hexes = sorted(position.index.bases)
            self.lines_ahead -= 1
            one, other = hexes[self.lines_ahead * len(hexes) // _LINES_AHEAD], hexes[-1]
            if one != other:
                LosQuestion(Location(one), Location(other)).answer(position)
            return True
        return position.look_ahead()

    def trials_of(self, position: Position, line: str, wanted: str = "") -> dict[Any, Any]:
        """Return the results of trials that an earlier search has kept, so that it goes on."""
        of = id(position), line, wanted
        # The position stays, so that its id stays its own.
        self.trials.setdefault(of, (position, {}))
        self.trials.move_to_end(of)
        while len(self.trials) > _KEPT_TRIALS:
            self.trials.popitem(last=False)
        return self.trials[of][1]

    def _made(self, sheet: Document) -> Position:
        near = [
            each for each in reversed(self.positions.values()) if each.switched_off == sheet.without
        ]
        if not near:
            return loading.load_from_texts(sheet.name, sheet.texts, sheet.without)
        board = self.library.resolved(sheet)
        for each in near:
            if (each.board.name, each.board.grid) == (board.name, board.grid):
                return each.restated(board)
        return loading.load_from_texts(sheet.name, sheet.texts, sheet.without)

    def look_of(self, key: str) -> SceneSnapshot | None:
        """Return the look of a document that has a position, or whose picture is shown."""
        if self.pictured is not None and self.pictured[0] == key:
            return self.pictured[1]
        position = self.positions.get(key)
        if position is None:
            return None
        # Later drawings are compared with it until the next full picture.
        self.pictured = key, SceneSnapshot(position)
        return self.pictured[1]


def _or_amiss(
    piece: Callable[Concatenate[TabSession, Position, str, _More], Record],
) -> Callable[Concatenate[TabSession, Document, str, _More], Record]:
    """Run a call on a position and a typed text; return its mistake instead, if it has one."""

    @wraps(piece)
    def told(
        desk: TabSession, sheet: Document, typed: str, /, *more: _More.args, **named: _More.kwargs
    ) -> Record:
        try:
            return piece(desk, desk.position(sheet), typed, *more, **named)
        except Exception as error:
            return desk.reading.amiss(error, typed)

    return told


def opened(
    desk: TabSession, sheet: Document, over: str | None = None, notes: Sequence[str | None] = ()
) -> Record:
    """Return a document as read: its mistakes, or the map.

    `over` is the document whose picture is shown, and `notes` are those of the picture. Then
    `patches` has the changed parts of the picture if they are few, else null.
    """
    try:
        shown = None if over is None else desk.look_of(over)
        position = desk.position(sheet)
    except ERRORS as error:
        return _refused(error)
    record = {"problems": [], **payloads.map_payload(position)}
    return record if over is None else {**record, "patches": _patches(desk, shown, position, notes)}


#: A larger part of a map is drawn with the whole map.
_LITTLE = 0.2


def _patches(
    desk: TabSession, shown: SceneSnapshot | None, position: Position, notes: Sequence[str | None]
) -> Record | None:
    from rules_asp.drawing.patches import parts_of, patch

    if shown is None:
        return None
    now, last = SceneSnapshot(position), desk.laid
    found = shown.changed(now)
    if found is None or len(found) > max(1.0, _LITTLE * len(position.index.bases)):
        return None
    since = None if last is None or list(last.notes) != list(notes) else last.look.changed(now)
    made: dict[frozenset[Hex], Record] = {}
    for part in parts_of(found):
        known = None if last is None or since is None else last.parts.get(part)
        if known is not None and since is not None and hexes_near(part, 2).isdisjoint(since):
            made[part] = known  # it looks as before
            continue
        picture = patch(now.seen, part, notes=notes)
        made[part] = {"svg": picture.svg, "box": list(picture.box)}
        notes = picture.notes
    desk.laid = PatchedPicture(now, made, notes)
    return {"pictures": list(made.values()), "notes": list(notes)}


@_or_amiss
def asked(
    desk: TabSession,
    position: Position,
    line: str,
    cite: bool,
    proofs: bool,
    waves: int | None = None,
    words: bool = False,
    blocks: bool = False,
) -> Record:
    """Return the answer to a line as the command prints it by --json; without `cite` in short form,
    and faster. With `waves`, moves are searched only so far; the next call continues from there.

    With `words`, the record also has the terms in it in the words of players. With `blocks`, it has
    the lines and tables of the text output.
    """
    question = desk.reading.said(line)
    answer: Answer
    if isinstance(question, MovesQuestion) and waves is not None:
        of = question.resolved(position)
        found = moves(position, of.units, of.phase, of.turns, of.only, cite=False, waves=waves)
        answer = question.placed(position, found)
    else:
        answer = question.answer(position, cite=cite, prove=proofs)
    record = with_header(question.kind, answer.record())
    if proofs:
        record |= answer.proof_record()
    if blocks:
        record["blocks"] = payloads.blocks(answer.report(VIEW).blocks)
    return {**record, "words": _words(answer, proofs)} if words else record


def _words(answer: Answer, proofs: bool) -> dict[str, str]:
    """Return the terms in a record in the words of players; empty for a step that text omits."""
    found: dict[str, str] = {}
    steps = answer.proof.steps if proofs else ()
    match answer:
        case Fire() | Can():
            found |= {each.topic: each.label for each in answer.besides}
        case Why():
            found |= {each.condition: each.words for each in answer.lacking}
            found |= {named.about: named.label for named, _ in answer.asked.perhaps}
            steps = answer.proofs
        case Asked():
            found |= {named.about: named.label for named, _ in answer.perhaps}
    on = answer.position
    for top in justification(steps, on.program.norms, on.notation) if steps else ():
        for each in top.walk():
            found[each.claim] = each.words if each.tie is Relation.ABSENT else each.sentence
    return found


def compared(desk: TabSession, before: Document, after: Document, line: str) -> Record:
    """Return the differences between the answers on two documents, as in what-if reports."""
    try:
        question = desk.reading.said(line)
        supposed = question.answer(desk.position(after))
        given: Answer | str
        try:
            given = question.answer(desk.position(before))
        except ERRORS as error:
            given = str(error)
        return comparison.record(given, supposed)
    except Exception as error:
        return desk.reading.amiss(error, line)


@_or_amiss
def sensitivity_record(desk: TabSession, position: Position, line: str, seconds: float) -> Record:
    """Return what an answer depends on, as `depends` reports it."""
    question = desk.reading.said(line)
    known = desk.trials_of(position, line)
    found = sensitivity(position, question, seconds=seconds, known=known)
    return with_header("sensitive", found.record())


@_or_amiss
def repair(
    desk: TabSession,
    position: Position,
    line: str,
    wanted: str,
    allow: Sequence[str] | None,
    seconds: float,
) -> Record:
    """Return the smallest changes that give a wanted answer, as `repair` reports them."""
    question = desk.reading.said(line)
    known = desk.trials_of(position, line, wanted)
    found = find_repairs(position, question, wanted, None, allow, seconds, known=known)
    return with_header("repair", found.record())


@_or_amiss
def minimal_case_record(desk: TabSession, position: Position, line: str, seconds: float) -> Record:
    """Return the minimal case of an answer, as `case` reports it."""
    question = desk.reading.expected(line)
    found = case(position, question, seconds)
    return with_header("case", replace(found, line=line).record())


def picture(desk: TabSession, sheet: Document, notes: Sequence[str | None] = ()) -> Record:
    """Return the picture of the map, its extent, and the legend; shown `notes` keep their numbers."""
    from rules_asp.drawing.patches import map_fragment

    try:
        made = map_fragment(desk.position(sheet), notes=notes)
    except ERRORS as error:
        return _refused(error)
    return {
        "svg": made.svg,
        "box": list(made.box),
        "legend": made.legend,
        "notes": list(made.notes),
    }


@_or_amiss
def side_view(desk: TabSession, position: Position, line: str) -> Record:
    """Return the side view of a line of sight; null if there is none."""
    from rules_asp.drawing.patches import side_view_fragment

    answer = desk.reading.said(line).answer(position, cite=False)
    sight: Los | None = getattr(answer, "sight", None)
    return {"svg": None if sight is None else side_view_fragment(position, sight)}


@_or_amiss
def chat(desk: TabSession, position: Position, line: str) -> Record:
    """Return an answer in one line for the chat of VASL."""
    return {"chat": comparison.chat_line(desk.reading.said(line).answer(position))}


def changed(desk: TabSession, sheet: Document, changes: Sequence[Mapping[str, Any]]) -> Record:
    """Return the text of a document after changes: {"add":

    LINE}, {"take": LINE}, {"move": UNIT, "to": LOCATION}.
    """
    text = sheet.text
    lines: list[str] = []
    try:
        for each in changes:
            now = Document(sheet.name, text, sheet.files, sheet.without)
            if "move" in each:
                change = documents.moved(now, str(each["move"]), str(each["to"]), desk.library)
            else:
                adds = "add" in each
                change = Change(adds, str(each["add"] if adds else each["take"]), "this change")
            made = documents.apply_edits(now, [change], desk.library)
            text = made.text
            lines += made.lines
    except ERRORS as error:
        return _refused(error)
    return {"problems": [], "text": text, "lines": lines}


def edited(
    desk: TabSession,
    base: Document,
    head: Document,
    changes: Sequence[Mapping[str, Any]] | None,
    given: Document,
) -> Record:
    """Return the head after an edit made on `base`: by changes, or by the `given` text.

    `change` describes it in short. `clash`: the head has other lines since, at the place of the
    edit.
    """
    mine, lines = given, []
    if changes is not None:
        made = changed(desk, base, changes)
        if made["problems"]:
            return made
        mine, lines = replace(base, text=made["text"]), made["lines"]
    text = merged(base.text, mine.text, head.text)
    if text is None:
        message = "another player has changed the same lines in the meantime"
        return {"problems": [{"file": "", "line": 0, "message": message}], "clash": True}
    without = set(head.without) ^ set(base.without) ^ set(mine.without)
    name = head.name if mine.name == base.name else mine.name
    now = Document(name, text, {**head.files, **mine.files}, tuple(sorted(without)))
    try:
        desk.position(now)
    except ERRORS as error:
        # The place in the merged text is not a place in the typed text.
        return {**_refused(error), "clash": base is not head and base.text != head.text}
    switched = [
        f"{ruling} {'off' if ruling in now.without else 'on'}"
        for ruling in sorted(set(head.without) ^ without)
    ]
    change = ", ".join([*filter(None, [change_text(head.text, text)]), *switched]) or "no change"
    return {
        "problems": [],
        "change": change,
        "lines": lines,
        "name": name,
        "text": text,
        "without": now.without,
    }


def tray(desk: TabSession, side: str) -> Record:
    """Return the counters of the tray in the color of a side."""
    counters = {says: f"N{at}" for at, says in enumerate(chain(*payloads.TRAY.values()))}
    lines = [payloads.tray_line(says, name, side) for says, name in counters.items()]
    text = "\n".join(['board "tray" grid 1x1', *lines, ""])
    try:
        position = loading.load_from_texts("tray.board", {"tray.board": text})
    except ERRORS as error:
        return desk.reading.amiss(error, side)
    return {"counters": payloads.tray(position, counters)}


@_or_amiss
def hex_told(desk: TabSession, position: Position, name: str) -> Record:
    """Return the properties of a hex: building, levels, TEM, MF."""
    return payloads.hex_payload(position, name)


@_or_amiss
def entering(desk: TabSession, position: Position, name: str) -> Record:
    """Return the cost to enter a hex."""
    return payloads.entering(position, name)


def _refused(error: Exception) -> Record:
    """Return the mistake, and its place in the text."""
    if isinstance(error, BoardError):
        return {"problems": [_problem(each) for each in error.problems]}
    return {
        "problems": [
            {"file": "", "line": 0, "column": 0, "message": str(error), "text": str(error)}
        ]
    }


def _problem(each: Problem) -> Record:
    return {
        "file": each.place.file,
        "line": each.place.line,
        "column": each.place.column,
        "message": each.message,
        "expected": list(each.expected[:12]),
        "nearest": each.nearest,
        "text": str(each),
    }


#: Maximum number of processes, and the seconds after which an idle one is ended.
_MOST, _IDLE = 9, 600.0
#: Seconds that a call may continue after its result is no longer wanted.
_GRACE = 1.5
#: A process that has grown by this many megabytes is replaced.
_GROWN = 1400
#: Maximum number of questions of a tab waiting for the same process.
_WAITING = 12


class Busy(RulesAspError):
    """There are more questions than processes."""


class Stopped(RulesAspError):
    """The answer is no longer wanted."""


@dataclass
class _Bench:
    """A process of a tab, which runs one call at a time."""

    worker: Worker
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0
    used: float = field(default_factory=time.monotonic)


class TabWorkers:
    """The processes of all tabs; safe for threads."""

    def __init__(
        self, desk: TabSession, limits: Limits, most: int = _MOST, idle: float = _IDLE
    ) -> None:
        self._desk = desk
        self._limits = limits
        self._most = most
        self._idle = idle
        self._benches: dict[tuple[str, str], _Bench] = {}
        self._lock = threading.Lock()

    def run(
        self,
        tab: str,
        lane: str,
        work: Callable[..., dict[str, Any]],
        *given: object,
        what: str = "this",
        left: Callable[[], float | None] = lambda: None,
        limits: Limits | None = None,
    ) -> dict[str, Any]:
        """Run a call of a tab; `lane` is the process that runs it.

        `left` returns for how many seconds the result has not been wanted. The call is then not
        started, or stopped after a delay, since the process loses its caches with it. TooWide at a
        limit, LostWork, Stopped, Busy.
        """

        def wanted() -> bool:
            return (left() or 0.0) < _GRACE

        bench = self._bench(tab, lane)
        try:
            with bench.lock:
                if left() is not None:
                    raise Stopped(f"{what} was stopped")
                return bench.worker.run(work, *given, what=what, wanted=wanted, limits=limits)
        except Cancelled:
            raise Stopped(f"{what} was stopped") from None
        finally:
            with self._lock:
                bench.waiting -= 1
                bench.used = time.monotonic()

    def _bench(self, tab: str, lane: str) -> _Bench:
        with self._lock:
            self._sweep()
            bench = self._benches.get((tab, lane))
            if bench is None:
                self._make_room()
                bench = _Bench(
                    Worker(
                        self._desk,
                        limits=self._limits,
                        grown=None,
                        grown_by=_GROWN,
                        idle=TabSession.use_idle_time if lane == "ask" else None,
                    )
                )
                self._benches[tab, lane] = bench
            if bench.waiting >= _WAITING:
                raise Busy("this page has too many open questions: wait for the answers")
            bench.waiting += 1
            return bench

    def _make_room(self) -> None:
        """End the process that has been idle longest, if the maximum is reached."""
        if len(self._benches) < self._most:
            return
        idle = [key for key, each in self._benches.items() if not each.waiting]
        if not idle:
            raise Busy("other pages use all processes: wait, or close one of them")
        self._end(min(idle, key=lambda key: self._benches[key].used))

    def _sweep(self) -> None:
        now = time.monotonic()
        for key in [
            key
            for key, each in self._benches.items()
            if not each.waiting and now - each.used > self._idle
        ]:
            self._end(key)

    def _end(self, key: tuple[str, str]) -> None:
        self._benches.pop(key).worker.close()

    def sweep(self) -> None:
        """End the processes that have been idle for long."""
        with self._lock:
            self._sweep()

    def forget(self, tab: str) -> None:
        """End the idle processes of a tab that is closed."""
        with self._lock:
            for key in [key for key in self._benches if key[0] == tab]:
                if not self._benches[key].waiting:
                    self._end(key)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for key in list(self._benches):
                self._end(key)

    @property
    def processes(self) -> int:
        """The number of processes."""
        with self._lock:
            return len(self._benches)
