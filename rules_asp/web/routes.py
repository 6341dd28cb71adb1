"""The routes of the server: requests of the page in, answers out in the JSON of the commands."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from rules_asp import __version__, message
from rules_asp.api import ERRORS
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.positions.loading import example_boards
from rules_asp.runtime.limits import Limits, size_limit
from rules_asp.web import payloads, tasks
from rules_asp.web.documents import Document, DocumentError, DocumentStore
from rules_asp.web.protocol import (
    FRONT,
    VIEW_ONLY,
    BadRequest,
    DocumentGone,
    accept_upload,
    body_of,
    help_page,
    json_of,
    mapping_in,
    page_file,
    taken_in,
    text_in,
    texts_at,
    texts_in,
)
from rules_asp.web.tasks import Busy, Stopped, TabWorkers
from rules_asp.web.versions import NAME_LENGTH, Version, VersionTree

#: The fields of a request, and an answer.
_Data = Mapping[str, Any]
_Record = dict[str, Any]
#: The interval in seconds for checking whether an answer is still wanted.
_LOOK = 0.2
#: Maximum size of a request in bytes, without uploaded files.
_ASKED = 20_000_000
#: Maximum number of tabs with a position of their own whose versions are kept.
_MOST_TREES = 30


@dataclass
class ServerState:
    """The state of the server: processes, texts, limits, and the first board of a page."""

    tabs: TabWorkers
    shelf: DocumentStore
    limits: Limits
    start: Mapping[str, Any]
    program: Program = field(default_factory=load_program)
    #: The position that all pages show; None if each tab has its own.
    shared: VersionTree | None = None
    trees: OrderedDict[str, VersionTree] = field(default_factory=OrderedDict)

    @cached_property
    def rulings(self) -> tuple[str, ...]:
        """The rulings that can be switched off."""
        return catalogue(self.program.source).rulings

    @cached_property
    def book(self) -> dict[str, Any]:
        """The rulebook as the page shows it."""
        return payloads.book(self.program)

    def tree(self, tab: str) -> VersionTree:
        """Return the versions of the position that a tab shows."""
        if self.shared is not None:
            return self.shared
        found = self.trees.setdefault(tab, VersionTree())
        self.trees.move_to_end(tab)
        while len(self.trees) > _MOST_TREES:
            self.trees.popitem(last=False)
        return found


#: The reader of a field of a request.
_Field = Callable[[ServerState, _Data], object]


def application(desktop: ServerState) -> Starlette:
    """Return the application behind the token."""

    def route(name: str) -> Route:
        async def answer(request: Request) -> Response:
            if name in _ALTERING and request.scope.get(VIEW_ONLY):
                return _only_looks()
            return await _answered(request, lambda data: _answer(desktop, request, name, data))

        return Route(f"/api/{name}", answer, methods=["POST"])

    async def hand_over(request: Request) -> Response:
        if request.scope.get(VIEW_ONLY):
            return _only_looks()
        return await taken_in(desktop.shelf, desktop.limits, request)

    async def news(request: Request) -> Response:
        return _news(desktop, request)

    routes = [
        Route("/api/open", hand_over, methods=["POST"]),
        Route("/api/news", news, methods=["GET"]),
        *map(route, ("sheet", "hello", *_POSITION, *_AT_ONCE, *_TASKS)),
    ]
    routes += [Route("/", _file), Route("/help/{name}", _help), Route("/{name}", _file)]
    return Starlette(routes=routes)


def front() -> Starlette:
    """Return the application at `/`, without the token: a page without any data."""

    async def page(request: Request) -> Response:
        name = {"/": "front.html"}.get(request.url.path, request.url.path.lstrip("/"))
        return page_file(name)

    return Starlette(routes=[Route(path, page) for path in FRONT])


async def _file(request: Request) -> Response:
    return page_file(request.path_params.get("name", "index.html"))


async def _help(request: Request) -> Response:
    return help_page(request.path_params["name"])


async def _answered(
    request: Request, answer: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
) -> Response:
    """Return the answer, or the error with its status."""
    try:
        data = json.loads(await body_of(request, _ASKED) or b"{}")
        if not isinstance(data, dict):
            raise BadRequest("the request must be a JSON object")
        return json_of(await answer(data))
    except _Lacking as error:
        return json_of({"lacking": [str(error)]})
    except DocumentGone as error:
        return json_of({"error": {"message": str(error)}, "gone": True}, 410)
    except Busy as error:
        return json_of({"error": {"message": str(error)}}, 429)
    except Stopped as error:
        return json_of({"error": {"message": str(error)}, "stopped": True}, 409)
    except (BadRequest, DocumentError, ValueError, UnicodeError, RecursionError) as error:
        return json_of({"error": {"message": str(error)}}, 400)
    except ERRORS as error:
        return json_of({"error": {"message": str(error)}})
    except Exception as error:
        return json_of({"error": {"message": message(error)}}, 500)


# --- The fields of a request.


def _text_field(name: str, longest: int | str) -> _Field:
    return lambda _, data: text_in(data, name, longest)


def _flag_field(name: str, default: bool) -> _Field:
    return lambda _, data: bool(data.get(name, default))


_side, _line, _hex, _wanted = (
    _text_field("side", 40),
    _text_field("line", "question"),
    _text_field("hex", 40),
    _text_field("wanted", 200),
)
_cite, _proofs = _flag_field("cite", True), _flag_field("why", False)
_words, _blocks = _flag_field("words", False), _flag_field("blocks", False)


def _document(desktop: ServerState, data: _Data, name: str = "sheet") -> Document:
    key = text_in(data, name, 64)
    found = desktop.shelf.sheet(key) or desktop.tree(text_in(data, "tab", 64)).document(key)
    if found is None:
        raise DocumentGone("the server no longer has this board: load the page again")
    return found


def _waves(_: ServerState, data: _Data) -> int | None:
    """Return how far moves are searched; None: as far as they go."""
    found = data.get("waves")
    return found if isinstance(found, int) and 0 < found < 1000 else None


def _before(desktop: ServerState, data: _Data) -> Document:
    return _document(desktop, data, "before")


def _seconds(_: ServerState, data: _Data) -> float:
    asked = data.get("seconds", 20)
    if not isinstance(asked, int | float) or not 0 < asked <= 600:
        raise BadRequest("`seconds` must be a number above 0 and at most 600")
    return float(asked)


def _allow(desktop: ServerState, data: _Data) -> list[str] | None:
    allow = texts_in(data, "allow")
    known = [each["name"] for each in payloads.kinds(desktop.program.vocabulary)]
    if allow is not None and not set(allow) <= set(known):
        raise BadRequest(f"`allow` must be a list of these kinds of changes: {', '.join(known)}")
    return allow


def _notes(_: ServerState, data: _Data) -> list[str | None]:
    """Return the notes of the picture that a page shows, by their numbers."""
    notes = data.get("notes", [])
    if not isinstance(notes, list) or not all(
        each is None or isinstance(each, str) for each in notes
    ):
        raise BadRequest("`notes` must be a list of strings")
    return notes


def _changes(data: _Data) -> list[dict[str, str]] | None:
    changes = data.get("changes")
    if changes is None:
        return None
    if not isinstance(changes, list) or not 0 < len(changes) <= 50:
        raise BadRequest("`changes` must be a list of 1 to 50 changes")
    for each in changes:
        said = each if isinstance(each, dict) else {}
        for value in said.values():
            if not isinstance(value, str) or len(value) > size_limit("question"):
                raise BadRequest("each value of a change must be a board line")
        if set(said) not in ({"add"}, {"take"}, {"move", "to"}):
            raise BadRequest(
                "a change must have the key `add`, the key `take`, or the keys `move` and `to`"
            )
    return changes


# --- Requests answered in a process of the tab.


class _Task(NamedTuple):
    """The task of a request: its arguments in the request, its name for messages, and its lane."""

    work: Callable[..., _Record]
    fields: tuple[_Field, ...]
    what: str
    lane: str = "long"


_TASKS = {
    "ask": _Task(
        tasks.asked, (_document, _line, _cite, _proofs, _waves, _words, _blocks), "{line}"
    ),
    "chat": _Task(tasks.chat, (_document, _line), "{line}"),
    "compare": _Task(tasks.compared, (_before, _document, _line), "{line}"),
    "hang": _Task(
        tasks.sensitivity_record, (_document, _line, _seconds), "the dependencies of {line}"
    ),
    "mend": _Task(tasks.repair, (_document, _line, _wanted, _allow, _seconds), "repairs of {line}"),
    "share": _Task(tasks.minimal_case_record, (_document, _line, _seconds), "the case of {line}"),
    "picture": _Task(tasks.picture, (_document, _notes), "the picture of the map", "draw"),
    "side": _Task(tasks.side_view, (_document, _line), "a side view", "draw"),
    "tray": _Task(tasks.tray, (_side,), "the tray", "draw"),
    "hex": _Task(tasks.hex_told, (_document, _hex), "a hex", "ask"),
    "entering": _Task(tasks.entering, (_document, _hex), "the MF", "draw"),
}
#: The quick questions, answered at once unless another question is running.
_QUICK = frozenset(("los", "tem", "fire"))


async def _answer(desktop: ServerState, request: Request, name: str, data: _Data) -> _Record:
    """Return the answer to a request of this name."""
    if name == "sheet":
        return await _sheet(desktop, request, data)
    if name == "hello":
        return _hello(desktop, bool(request.scope.get(VIEW_ONLY)))
    if name in _POSITION:
        return await _POSITION[name](desktop, request, data)
    if name in _AT_ONCE:
        return await to_thread.run_sync(_AT_ONCE[name], desktop, data)
    work, fields, what, lane = _TASKS[name]
    given = [field(desktop, data) for field in fields]
    line = str(data.get("line", ""))
    if name == "ask" and not (data.get("why") or data.get("aside")):
        lane = "ask" if next(iter(line.split()), "") in _QUICK else lane
    limits = None
    if _seconds in fields:
        limits = Limits(_seconds(desktop, data) + 60, desktop.limits.memory)
    what = what.format(line=line[:80])
    return await _work(desktop, request, data, lane, work, *given, what=what, limits=limits)


async def _work(
    desktop: ServerState,
    request: Request,
    data: _Data,
    lane: str,
    work: Callable[..., _Record],
    *given: object,
    what: str,
    limits: Limits | None = None,
) -> _Record:
    """Return the result of a process of the tab; it is stopped when it is no longer wanted."""
    tab = text_in(data, "tab", 64)
    gone: list[float] = []

    def left() -> float | None:
        return time.monotonic() - gone[0] if gone else None

    def run() -> _Record:
        return desktop.tabs.run(tab, lane, work, *given, what=what, left=left, limits=limits)

    doing = asyncio.ensure_future(to_thread.run_sync(run))
    while not doing.done():
        await asyncio.wait({doing}, timeout=_LOOK)
        if not doing.done() and not gone and await request.is_disconnected():
            gone.append(time.monotonic())
    return doing.result()


async def _sheet(desktop: ServerState, request: Request, data: _Data) -> _Record:
    """Store a board's text, and return its map or its mistakes."""
    sheet = _given(desktop, data)
    key = desktop.shelf.put(sheet)
    lane = "draw" if data.get("aside") else "ask"
    over = text_in(data, "over", 64) if data.get("over") is not None else None
    given = (sheet, over, _notes(desktop, data))
    what = f"reading {sheet.name}"
    record = await _work(desktop, request, data, lane, tasks.opened, *given, what=what)
    return {"sheet": key, **record}


class _Lacking(Exception):
    """The name of a text that a board uses and that was not sent."""


def _given(desktop: ServerState, data: _Data, usual: Document | None = None) -> Document:
    """Return the document of a request; missing parts are taken from the `usual` one."""
    if usual is not None:
        data = {"name": usual.name, "text": usual.text, "without": [*usual.without], **data}
    files = dict(usual.files) if usual is not None and "files" not in data else {}
    for name, key in mapping_in(data, "files").items():
        text = desktop.shelf.text(str(key))
        if text is None:
            raise _Lacking(name)
        files[str(name)] = text
    without = texts_in(data, "without") or []
    unknown = set(without) - set(desktop.rulings)
    if unknown:
        raise BadRequest(f"there is no ruling {', '.join(sorted(unknown))}")
    name = text_in(data, "name", 300).replace("\\", "/").lstrip("/") or "my.board"
    return Document(name, text_in(data, "text", "board"), files, tuple(sorted(set(without))))


# --- The position of a page, and its versions.


async def _begin(desktop: ServerState, _: Request, data: _Data) -> _Record:
    """Replace the position by another board."""
    tree = desktop.tree(text_in(data, "tab", 64))
    given = _given(desktop, data)
    async with tree.lock:
        tree.begin(given)
        return {"position": tree.record()}


async def _resume(desktop: ServerState, _: Request, data: _Data) -> _Record:
    """Give a page that was loaded again the versions that it had under its former name."""
    found = desktop.trees.pop(text_in(data, "of", 64), None)
    if found is None or found.head is None:
        raise DocumentGone("the server no longer has the versions of this page")
    desktop.trees[text_in(data, "tab", 64)] = found
    return {"position": found.record()}


async def _edit(desktop: ServerState, request: Request, data: _Data) -> _Record:
    """Apply an edit to the head of the position, or return why it does not fit.

    The edit was made on the version `base`: by changes, or as a new text. `was` is the text that
    was edited, if it is not the text of the version.
    """
    changes = _changes(data)
    tree = desktop.tree(text_in(data, "tab", 64))
    base = _version(tree, data, "base").document
    mine = base if changes is not None else _given(desktop, data, base)
    if data.get("was") is not None:
        base = replace(base, text=text_in(data, "was", "board"))
    # One after the other: each edit applies to the result of the one before.
    async with tree.lock:
        head = tree.head
        if head is None:
            raise DocumentGone("the page has no board yet: open one first")
        given = (base, head.document, changes, mine)
        made = await _work(desktop, request, data, "ask", tasks.edited, *given, what="the change")
        if made["problems"]:
            return made
        files = {**head.document.files, **mine.files}
        now = Document(made["name"], made["text"], files, tuple(made["without"]))
        if now != head.document:
            desktop.shelf.put(now)
            tree.add(
                now, made["change"], bool(data.get("going")) and base.text == head.document.text
            )
        return {"problems": [], "lines": made["lines"], "position": tree.record()}


def _version(tree: VersionTree, data: _Data, name: str) -> Version:
    number = data.get(name)
    found = tree.version(number) if isinstance(number, int) else None
    if found is None:
        raise DocumentGone(
            "the server no longer has this version of the board: load the page again"
        )
    return found


async def _go(desktop: ServerState, _: Request, data: _Data) -> _Record:
    """Show another version of the position."""
    tree = desktop.tree(text_in(data, "tab", 64))
    async with tree.lock:
        if tree.head is None or data.get("head") != tree.head.number:
            raise BadRequest(
                "another player has changed the board in the meantime: look at it and try again"
            )
        tree.go(_version(tree, data, "to"))
        return {"position": tree.record()}


async def _rename(desktop: ServerState, _: Request, data: _Data) -> _Record:
    """Name a version."""
    tree = desktop.tree(text_in(data, "tab", 64))
    tree.rename(_version(tree, data, "version"), text_in(data, "name", NAME_LENGTH))
    return {"position": tree.record()}


_POSITION: Mapping[str, Callable[[ServerState, Request, _Data], Awaitable[_Record]]] = {
    "begin": _begin,
    "resume": _resume,
    "edit": _edit,
    "go": _go,
    "rename": _rename,
}
#: Requests that the view-only address does not accept.
_ALTERING = frozenset((*_POSITION, "example", "case"))


def _only_looks() -> Response:
    return json_of(
        {"error": {"message": "this address is read-only: it cannot change the board"}}, 403
    )


def _news(desktop: ServerState, request: Request) -> Response:
    """Stream the position as server-sent events, from the serial number that the page has."""
    tree = desktop.shared
    if tree is None:
        return json_of({"error": {"message": "this board is not shared"}}, 404)
    known = request.query_params.get("since", "0")
    if not known.isdecimal() or len(known) > 12:
        return json_of({"error": {"message": "`since` must be a number"}}, 400)
    if tree.full:
        return json_of(
            {"error": {"message": "too many pages show this board: close one of them"}}, 429
        )

    async def events() -> AsyncIterator[bytes]:
        async for record in tree.news(int(known)):
            name, data = ("beat", "") if record is None else ("position", json.dumps(record))
            yield f"event: {name}\ndata: {data}\n\n".encode()

    return StreamingResponse(events(), media_type="text/event-stream")


# --- Requests that need no process.


def _hello(desktop: ServerState, view_only: bool) -> _Record:
    return {
        "version": __version__,
        "boards": list(example_boards()),
        "start": dict(desktop.start),
        "position": desktop.shared and desktop.shared.record(),
        "view_only": view_only,
        "palette": payloads.palette(desktop.program.vocabulary),
        "deeds": payloads.deeds(desktop.program.vocabulary),
        "questions": payloads.questions(desktop.program.vocabulary),
        "kinds": payloads.kinds(desktop.program.vocabulary),
        "phrases": payloads.phrases(desktop.program.vocabulary),
        "seconds": desktop.limits.seconds,
    }


def _example(desktop: ServerState, data: _Data) -> _Record:
    """A bundled board."""
    found = example_boards().get(text_in(data, "name", 80))
    if found is None:
        raise BadRequest(
            f"there is no included board with this name; use {', '.join(example_boards())}"
        )
    return accept_upload(desktop.shelf, found.name, found.read_text("utf-8"), {})


def _text(desktop: ServerState, data: _Data) -> _Record:
    """Return an uploaded text by its digest."""
    found = desktop.shelf.text(text_in(data, "digest", 64))
    if found is None:
        raise BadRequest("the server no longer has this file: load it again")
    return {"text": found}


def _rules(desktop: ServerState, _: _Data) -> _Record:
    return desktop.book


def _find(desktop: ServerState, data: _Data) -> _Record:
    """Return the norms that contain the typed words."""
    return {"norms": payloads.found_norms(desktop.program, text_in(data, "words"))}


def _case(desktop: ServerState, data: _Data) -> _Record:
    """Return the board of a case that a norm names."""
    name = text_in(data, "name")
    path = payloads.case_file(name)
    if path is None:
        raise BadRequest(f"there is no case {name[:80]}")
    texts = texts_at(path)
    return accept_upload(desktop.shelf, texts.name, texts.text, texts.files)


def _bye(desktop: ServerState, data: _Data) -> _Record:
    desktop.tabs.forget(text_in(data, "tab", 64))
    return {}


_AT_ONCE = {
    "example": _example,
    "text": _text,
    "rules": _rules,
    "find": _find,
    "case": _case,
    "bye": _bye,
}
