"""The server: what a page asks comes in, answers go out as the JSON that the commands give."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rules_asp import __version__
from rules_asp.api import ERRORS
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.output.console import message
from rules_asp.positions.loading import example_boards
from rules_asp.runtime.limits import Limits, size_limit
from rules_asp.web import payloads, tasks
from rules_asp.web.documents import Document, DocumentError, DocumentStore
from rules_asp.web.protocol import (
    BadRequest,
    DocumentGone,
    accept_upload,
    body_of,
    json_of,
    mapping_in,
    page_file,
    taken_in,
    text_in,
    texts_at,
    texts_in,
)
from rules_asp.web.security import FRONT
from rules_asp.web.tab_workers import Busy, Stopped, TabWorkers

#: How often it is looked whether anybody still waits for an answer, in seconds.
_LOOK = 0.2
#: Bytes in what a page asks, beside files that it hands over.
_ASKED = 20_000_000


@dataclass
class ServerState:
    """What the server works with: processes, texts, limits, and the board that the page begins with."""

    tabs: TabWorkers
    shelf: DocumentStore
    limits: Limits
    start: Mapping[str, Any]
    program: Program = field(default_factory=load_program)

    @cached_property
    def rulings(self) -> tuple[str, ...]:
        """The rulings, which can be switched off."""
        return catalogue(self.program.source).rulings

    @cached_property
    def book(self) -> dict[str, Any]:
        """The rulebook as the page shows it."""
        return payloads.book(self.program)


def application(desktop: ServerState) -> Starlette:
    """What answers under the token."""
    answers: dict[
        str, Callable[[ServerState, Request, dict[str, Any]], Awaitable[dict[str, Any]]]
    ] = {
        "hello": _hello,
        "sheet": _sheet,
        "ask": _ask,
        "compare": _compare,
        "hang": _hang,
        "mend": _mend,
        "picture": _picture,
        "side": _side,
        "change": _change,
        "hex": _hex,
        "entering": _entering,
        "example": _example,
        "text": _text,
        "rules": _rules,
        "case": _case,
        "share": _share,
        "bye": _bye,
    }

    def route(name: str) -> Route:
        async def answer(request: Request) -> Response:
            return await _answered(request, lambda data: answers[name](desktop, request, data))

        return Route(f"/api/{name}", answer, methods=["POST"])

    async def hand_over(request: Request) -> Response:
        return await taken_in(desktop.shelf, desktop.limits, request)

    routes = [Route("/api/open", hand_over, methods=["POST"]), *map(route, answers)]
    routes += [Route("/", _file), Route("/{name}", _file)]
    return Starlette(routes=routes)


def front() -> Starlette:
    """What stands at `/`, where nobody has the token: a page that knows nothing."""

    async def page(request: Request) -> Response:
        name = {"/": "front.html"}.get(request.url.path, request.url.path.lstrip("/"))
        return page_file(name)

    return Starlette(routes=[Route(path, page) for path in FRONT])


async def _file(request: Request) -> Response:
    return page_file(request.path_params.get("name", "index.html"))


async def _answered(
    request: Request, answer: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
) -> Response:
    """The answer, or what was wrong, with a status that says which."""
    try:
        data = json.loads(await body_of(request, _ASKED) or b"{}")
        if not isinstance(data, dict):
            raise BadRequest("an object was expected")
        return json_of(await answer(data))
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


def _line(data: Mapping[str, Any]) -> str:
    return text_in(data, "line", "question")


def _tab(data: Mapping[str, Any]) -> str:
    return text_in(data, "tab", 64)


def _the_sheet(desktop: ServerState, data: Mapping[str, Any], name: str = "sheet") -> Document:
    found = desktop.shelf.sheet(text_in(data, name, 64))
    if found is None:
        raise DocumentGone("the board is not known here any more")
    return found


async def _work(
    desktop: ServerState,
    request: Request,
    data: Mapping[str, Any],
    lane: str,
    work: Callable[..., dict[str, Any]],
    *given: object,
    what: str = "this",
    limits: Limits | None = None,
) -> dict[str, Any]:
    """What a process of the tab answers; stopped when nobody waits any more."""
    tab = _tab(data)
    gone: list[float] = []

    def left() -> float | None:
        return time.monotonic() - gone[0] if gone else None

    def run() -> dict[str, Any]:
        return desktop.tabs.run(tab, lane, work, *given, what=what, left=left, limits=limits)

    doing = asyncio.ensure_future(to_thread.run_sync(run))
    while not doing.done():
        await asyncio.wait({doing}, timeout=_LOOK)
        if not doing.done() and not gone and await request.is_disconnected():
            gone.append(time.monotonic())
    return doing.result()


async def _hello(desktop: ServerState, _: Request, __: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": __version__,
        "boards": list(example_boards()),
        "start": dict(desktop.start),
        "palette": payloads.palette(desktop.program.vocabulary),
        "deeds": payloads.deeds(desktop.program.vocabulary),
        "kinds": payloads.kinds(desktop.program.vocabulary),
        "seconds": desktop.limits.seconds,
    }


async def _sheet(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    """Take in a board's text, and tell what lies where, or what is wrong with it."""
    files = {}
    for name, key in mapping_in(data, "files").items():
        text = desktop.shelf.text(str(key))
        if text is None:
            return {"lacking": [name]}
        files[str(name)] = text
    without = texts_in(data, "without") or []
    unknown = set(without) - set(desktop.rulings)
    if unknown:
        raise BadRequest(f"there is no ruling {', '.join(sorted(unknown))}")
    name = text_in(data, "name", 300).replace("\\", "/").lstrip("/") or "my.board"
    sheet = Document(name, text_in(data, "text", "board"), files, tuple(sorted(set(without))))
    key = desktop.shelf.put(sheet)
    lane = "draw" if data.get("aside") else "ask"
    over = text_in(data, "over", 64) if data.get("over") is not None else None
    given = (sheet, over, _notes(data))
    record = await _work(desktop, request, data, lane, tasks.opened, *given, what=f"reading {name}")
    return {"sheet": key, **record}


#: What is answered at once, as long as nothing else is asked.
_QUICK = frozenset(("los", "tem", "fire"))


async def _ask(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    line, sheet = _line(data), _the_sheet(desktop, data)
    cite, proofs = bool(data.get("cite", True)), bool(data.get("why", False))
    command = next(iter(line.split()), "")
    quick = command in _QUICK and not proofs and not data.get("aside", False)
    lane = "ask" if quick else "long"
    return await _work(
        desktop, request, data, lane, tasks.asked, sheet, line, cite, proofs, what=line[:80]
    )


async def _compare(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    before, after = _the_sheet(desktop, data, "before"), _the_sheet(desktop, data)
    line = _line(data)
    return await _work(
        desktop, request, data, "long", tasks.compared, before, after, line, what=line[:80]
    )


def _seconds(desktop: ServerState, data: Mapping[str, Any]) -> float:
    asked = data.get("seconds", 20)
    if not isinstance(asked, int | float) or not 0 < asked <= 600:
        raise BadRequest("seconds are a number up to 600")
    return float(asked)


async def _hang(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    seconds, line = _seconds(desktop, data), _line(data)
    sheet = _the_sheet(desktop, data)
    limits = Limits(seconds + 60, desktop.limits.memory)
    what = f"what {line[:80]} hangs on"
    return await _work(
        desktop,
        request,
        data,
        "long",
        tasks.sensitivity_record,
        sheet,
        line,
        seconds,
        what=what,
        limits=limits,
    )


async def _mend(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    seconds, line, wanted = _seconds(desktop, data), _line(data), text_in(data, "wanted", 200)
    allow = texts_in(data, "allow")
    known = [each["name"] for each in payloads.kinds(desktop.program.vocabulary)]
    if allow is not None and not set(allow) <= set(known):
        raise BadRequest(f"kinds of changes are {', '.join(known)}")
    sheet = _the_sheet(desktop, data)
    limits = Limits(seconds + 60, desktop.limits.memory)
    what = f"repairs of {line[:80]}"
    given = (sheet, line, wanted, allow, seconds)
    return await _work(
        desktop,
        request,
        data,
        "long",
        tasks.repair,
        *given,
        what=what,
        limits=limits,
    )


async def _picture(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    given = (_the_sheet(desktop, data), _notes(data))
    return await _work(
        desktop, request, data, "draw", tasks.picture, *given, what="the picture of the map"
    )


def _notes(data: Mapping[str, Any]) -> list[str | None]:
    """The notes of the picture that a page shows, in the order of their numbers."""
    notes = data.get("notes", [])
    if not isinstance(notes, list) or not all(
        each is None or isinstance(each, str) for each in notes
    ):
        raise BadRequest("notes are texts")
    return notes


async def _side(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    sheet, line = _the_sheet(desktop, data), _line(data)
    return await _work(
        desktop, request, data, "draw", tasks.side_view, sheet, line, what="a side view"
    )


async def _change(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    changes = data.get("changes")
    if not isinstance(changes, list) or not 0 < len(changes) <= 50:
        raise BadRequest("changes are a list")
    for each in changes:
        said = each if isinstance(each, dict) else {}
        for value in said.values():
            if not isinstance(value, str) or len(value) > size_limit("question"):
                raise BadRequest("a change is a line")
        if set(said) not in ({"add"}, {"take"}, {"move", "to"}):
            raise BadRequest("a change is to add, take or move something")
    sheet = _the_sheet(desktop, data)
    return await _work(
        desktop, request, data, "ask", tasks.changed, sheet, changes, what="the change"
    )


async def _hex(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    sheet = _the_sheet(desktop, data)
    return await _work(
        desktop, request, data, "ask", tasks.hex_told, sheet, text_in(data, "hex", 40), what="a hex"
    )


async def _entering(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    sheet, name = _the_sheet(desktop, data), text_in(data, "hex", 40)
    return await _work(desktop, request, data, "draw", tasks.entering, sheet, name, what="the MF")


async def _example(desktop: ServerState, _: Request, data: dict[str, Any]) -> dict[str, Any]:
    """A bundled board."""
    found = example_boards().get(text_in(data, "name", 80))
    if found is None:
        raise BadRequest(f"there is no such board; there are {', '.join(example_boards())}")
    text = await to_thread.run_sync(lambda: found.read_text("utf-8"))
    return accept_upload(desktop.shelf, found.name, text, {})


async def _text(desktop: ServerState, _: Request, data: dict[str, Any]) -> dict[str, Any]:
    """A text that was handed over, by its digest."""
    found = desktop.shelf.text(text_in(data, "digest", 64))
    if found is None:
        raise BadRequest("this text is not known here any more")
    return {"text": found}


async def _rules(desktop: ServerState, _: Request, __: dict[str, Any]) -> dict[str, Any]:
    return await to_thread.run_sync(lambda: desktop.book)


async def _case(desktop: ServerState, _: Request, data: dict[str, Any]) -> dict[str, Any]:
    """The board of a case that a norm names."""
    name = text_in(data, "name")

    def read() -> dict[str, Any]:
        path = payloads.case_file(name)
        if path is None:
            raise BadRequest(f"there is no case {name[:80]}")
        texts = texts_at(path)
        return accept_upload(desktop.shelf, texts.name, texts.text, texts.files)

    return await to_thread.run_sync(read)


async def _share(desktop: ServerState, request: Request, data: dict[str, Any]) -> dict[str, Any]:
    """The least of a board that gives the same answer."""
    sheet, line, seconds = _the_sheet(desktop, data), _line(data), _seconds(desktop, data)
    limits = Limits(seconds + 60, desktop.limits.memory)
    given = (sheet, line, seconds)
    what = f"the case of {line[:80]}"
    return await _work(
        desktop, request, data, "long", tasks.minimal_case_record, *given, what=what, limits=limits
    )


async def _bye(desktop: ServerState, _: Request, data: dict[str, Any]) -> dict[str, Any]:
    await to_thread.run_sync(desktop.tabs.forget, _tab(data))
    return {}
