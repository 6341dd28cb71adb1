"""What a page asks, answered in a process that keeps the boards it was asked about.

Each function here is a piece of work for such a process: it is given the desk first. What cannot be
answered is a record too, with "error".
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import chain
from typing import Any, Concatenate, ParamSpec

from rules_asp.api import ERRORS, case
from rules_asp.boards.changes import Change
from rules_asp.drawing.map import hexes_near
from rules_asp.drawing.patches import SceneSnapshot
from rules_asp.game.grid import Hex
from rules_asp.knowledge.notes import Notes
from rules_asp.output import comparison
from rules_asp.output.answer_json import with_header
from rules_asp.parser.errors import BoardError, Problem
from rules_asp.positions import loading
from rules_asp.positions.position import Position
from rules_asp.queries.los import Los
from rules_asp.queries.question import Answer, Question
from rules_asp.web import documents, payloads
from rules_asp.web.documents import Document, ParsedDocuments
from rules_asp.web.versions import change_text, merged
from rules_asp.whatif.repair import find_repairs
from rules_asp.whatif.sensitivity import sensitivity

Record = dict[str, Any]
_More = ParamSpec("_More")
#: So many positions a process keeps: as a board was and is, and for undo.
_KEPT = 6


@dataclass(frozen=True)
class LineReader:
    """How a line is read as a question, and what is wrong with one.

    `expected` is the line as `expect` lines put it.
    """

    said: Callable[[str], Question[Any]]
    expected: Callable[[str], str]
    amiss: Callable[[Exception, str], Record]


@dataclass(frozen=True)
class PatchedPicture:
    """What was laid over a picture last: of which look, part by part, and the notes of all of it."""

    look: SceneSnapshot
    parts: Mapping[frozenset[Hex], Record]
    notes: Sequence[str | None]


@dataclass
class TabSession:
    """What a process keeps: boards as they were read, positions, and the one whose picture is shown."""

    reading: LineReader
    notes: Notes | None = None
    library: ParsedDocuments = field(default_factory=ParsedDocuments)
    positions: OrderedDict[str, Position] = field(default_factory=OrderedDict)
    pictured: tuple[str, SceneSnapshot] | None = None
    laid: PatchedPicture | None = None

    def position(self, sheet: Document) -> Position:
        """The position of a sheet, made of one that is much like it where there is one."""
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

    def look_ahead(self) -> bool:
        """Do some of what the next question on the last position may need; whether more is left."""
        return bool(self.positions) and next(reversed(self.positions.values())).look_ahead()

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
        """What is to be seen on a sheet of which there is a position, or whose picture is shown."""
        if self.pictured is not None and self.pictured[0] == key:
            return self.pictured[1]
        position = self.positions.get(key)
        if position is None:
            return None
        # It is what all that is drawn until the next whole picture is compared with.
        self.pictured = key, SceneSnapshot(position)
        return self.pictured[1]


def _or_amiss(
    piece: Callable[Concatenate[TabSession, Position, str, _More], Record],
) -> Callable[Concatenate[TabSession, Document, str, _More], Record]:
    """A piece of work on a position and what was typed, which tells what is wrong with that instead."""

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
    """A sheet as it was read: what is wrong with it, or what lies where on its map.

    `over` is the sheet whose picture is shown, and `notes` are that picture's: then with `patches`, what is
    to be laid over it, part by part, where that is little; else null.
    """
    try:
        shown = None if over is None else desk.look_of(over)
        position = desk.position(sheet)
    except ERRORS as error:
        return _refused(error)
    record = {"problems": [], **payloads.map_payload(position)}
    return record if over is None else {**record, "patches": _patches(desk, shown, position, notes)}


#: What is more than such a part of a map is drawn with all of it.
_LITTLE = 0.2


def _patches(
    desk: TabSession, shown: SceneSnapshot | None, position: Position, notes: Sequence[str | None]
) -> Record | None:
    from rules_asp.drawing.patches import parts_of, patch

    if shown is None:
        return None
    now, last = SceneSnapshot(position), desk.laid
    found = shown.changed(now)
    if found is None or len(found) > max(1.0, _LITTLE * len(position.bases)):
        return None
    since = None if last is None or list(last.notes) != list(notes) else last.look.changed(now)
    made: dict[frozenset[Hex], Record] = {}
    for part in parts_of(found):
        known = None if last is None or since is None else last.parts.get(part)
        if known is not None and since is not None and hexes_near(part, 2).isdisjoint(since):
            made[part] = known  # it looks as it did
            continue
        picture = patch(now.seen, part, notes=notes)
        made[part] = {"svg": picture.svg, "box": list(picture.box)}
        notes = picture.notes
    desk.laid = PatchedPicture(now, made, notes)
    return {"pictures": list(made.values()), "notes": list(notes)}


@_or_amiss
def asked(desk: TabSession, position: Position, line: str, cite: bool, proofs: bool) -> Record:
    """The answer to a line as its command gives it by --json; not `cite`: in short, and sooner."""
    question = desk.reading.said(line)
    answer = question.answer(position, cite=cite, prove=proofs)
    record = with_header(question.kind, answer.record())
    if proofs:
        record |= answer.proof_record()
    return record


def compared(desk: TabSession, before: Document, after: Document, line: str) -> Record:
    """What differs between the answers on two sheets, as the commands tell it of what is supposed."""
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
    """What an answer hangs on, as `sensitive` tells it."""
    question = desk.reading.said(line)
    found = sensitivity(position, question, seconds=seconds)
    return with_header("sensitive", replace(found, line=line).record())


@_or_amiss
def repair(
    desk: TabSession,
    position: Position,
    line: str,
    wanted: str,
    allow: Sequence[str] | None,
    seconds: float,
) -> Record:
    """The smallest changes that give a wanted answer, as `repair` tells it."""
    question = desk.reading.said(line)
    found = find_repairs(position, question, wanted, allowed=allow, seconds=seconds)
    return with_header("repair", replace(found, line=line).record())


@_or_amiss
def minimal_case_record(desk: TabSession, position: Position, line: str, seconds: float) -> Record:
    """The least of a board that gives the same answer, as `minimal_case` tells it."""
    question = desk.reading.expected(line)
    found = case(position, question, seconds)
    return with_header("case", replace(found, line=line).record())


def picture(desk: TabSession, sheet: Document, notes: Sequence[str | None] = ()) -> Record:
    """The picture of the map, where it lies, and the legend; `notes` that are shown keep their numbers."""
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
    """The picture of a line of sight from the side; null where there is none."""
    from rules_asp.drawing.patches import side_view_fragment

    answer = desk.reading.said(line).answer(position, cite=False)
    sight: Los | None = getattr(answer, "sight", None)
    return {"svg": None if sight is None else side_view_fragment(position, sight)}


@_or_amiss
def chat(desk: TabSession, position: Position, line: str) -> Record:
    """An answer in one line, to be pasted into the chat of VASL."""
    return {"chat": comparison.chat_line(desk.reading.said(line).answer(position))}


def changed(desk: TabSession, sheet: Document, changes: Sequence[Mapping[str, Any]]) -> Record:
    """The text of a sheet after changes: {"add": LINE}, {"take": LINE}, {"move": UNIT, "to": LOCATION}."""
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
    """The head after an edit that was made on `base`: by changes, or by what was `given` instead of it.

    `change` tells it in short. `clash`: the head has other lines since, where the edit has its own.
    """
    mine, lines = given, []
    if changes is not None:
        made = changed(desk, base, changes)
        if made["problems"]:
            return made
        mine, lines = replace(base, text=made["text"]), made["lines"]
    text = merged(base.text, mine.text, head.text)
    if text is None:
        message = "somebody else has changed the same lines meanwhile"
        return {"problems": [{"file": "", "line": 0, "message": message}], "clash": True}
    without = set(head.without) ^ set(base.without) ^ set(mine.without)
    name = head.name if mine.name == base.name else mine.name
    now = Document(name, text, {**head.files, **mine.files}, tuple(sorted(without)))
    try:
        desk.position(now)
    except ERRORS as error:
        # Where it stands in the merged text is no place in the text that was typed.
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
    """The counters of the tray in the colour of a side."""
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
    """What is known of a hex: building, levels, TEM, MF."""
    return payloads.hex_payload(position, name)


@_or_amiss
def entering(desk: TabSession, position: Position, name: str) -> Record:
    """What it costs to enter a hex."""
    return payloads.entering(position, name)


def _refused(error: Exception) -> Record:
    """What is wrong, and where in which text."""
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
