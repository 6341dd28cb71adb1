"""Requests to the explorer's server: every request gets a documented answer, never a crash."""

from __future__ import annotations

import atexit
import json
import random
from functools import cache
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from rules_asp.cli.board_commands import as_commands
from rules_asp.runtime.limits import Limits
from rules_asp.web import documents, protocol, tasks
from rules_asp.web.routes import ServerState, application, front
from rules_asp.web.tasks import TabWorkers
from tests.fuzz.bench import ODD, hold, mangled
from tests.fuzz.texts import asked, board_text, lines, texts, words

_TOKEN, _HOST = "the-token", "127.0.0.1:8023"
#: What the server may say: done, odd, another page's, no such thing, no such way, stopped, gone, busy.
_STATUSES = {200, 400, 403, 404, 405, 409, 410, 429}
_QUESTIONS = (
    *("los A1 B2/1", "tem A1 B2", "fire A1 B2 --moving", "ask height(H) = V", "sees A1"),
    *("moves A", "reach A", "can ACTION", "ask QUESTION", "roll ROLL", "why QUESTION"),
)
_WORKS = (
    *("ask",) * 6,
    *("sheet", "compare", "hang", "mend", "picture", "side", "hex", "entering"),
    *("begin", "begin", "edit", "edit", "go", "rename", "chat", "tray"),
    *("example", "case", "share", "hello", "open", "bye"),
)
_VALUES = (None, True, 7, -1, 1e308, [], {}, [[]], [None], {"a": 1}, "x" * 30_000, "\ud800", "\x00")
_HEADERS = (
    {"host": "evil.example"},
    {"origin": "null"},
    {"origin": f"http://{_HOST}.evil.example"},
    {"sec-fetch-site": "cross-site"},
    {"host": f"{_HOST}@evil.example"},
)


def requests(dice: random.Random) -> str:
    """A request as the page makes it, or one that was tampered with."""
    client, name = _client(), dice.choice(_WORKS)
    foreign = dice.random() < 0.05
    headers = dice.choice(_HEADERS) if foreign else {}
    if name == "open":
        data: Any = board_text(dice).encode("utf-8", "replace")[: dice.choice((40, 4000))]
        data = dice.choice((data, b"PK\x03\x04" + data, b"\xff\xfe" + data))
        path = f"open?name={quote(dice.choice((*ODD[:40], 'a.board', '../../b.zip'))[:60])}"
    else:
        data, path = _sent(dice, _like(dice, client, name)), name
    what = f"{path} {headers} {data!r}"
    reply = client.post(f"/{_TOKEN}/api/{path}", content=data, headers=headers)
    hold(reply.status_code in _STATUSES, f"{reply.status_code} of {what}: {reply.text[:500]}")
    hold("content-security-policy" in reply.headers, f"without the guard's headers: {what}")
    if foreign:
        hold(reply.status_code == 403, f"a foreign page is answered: {what}")
        return "403"
    told = reply.json()
    hold(isinstance(told, dict), f"no object: {what}")
    hold("fault of rules-asp" not in reply.text, f"{reply.text[:500]} of {what}")
    if reply.status_code != 200:
        hold(str(told["error"]["message"]).strip(), f"an error without a message: {what}")
    return str(reply.status_code)


def _like(dice: random.Random, client: TestClient, name: str) -> dict[str, Any]:
    """What the page would send."""
    told: dict[str, Any] = {"tab": dice.choice(("a", "b")), "seconds": dice.choice((0.2, 1))}
    if name in ("sheet", "begin") or (name == "edit" and dice.random() < 0.5):
        own = board_text(dice) if dice.random() < 0.7 else dice.choice(texts())
        files = dice.choice(({}, {}, {"y.board": "0" * 64}))
        told |= {"base": dice.randrange(6), "was": dice.choice((None, own))}
        return {**told, "name": dice.choice(("x.board", *ODD[:40])), "text": own, "files": files}
    numbers = ("base", "head", "to", "version")
    told |= {each: dice.choice((*range(6), True, "1")) for each in numbers}
    told |= {"side": dice.choice(("german", "x", None))}
    board = dice.choice(_boards(client))
    told |= {"sheet": board, "before": dice.choice(_boards(client)), "line": _line(dice)}
    told |= {"cite": dice.random() < 0.5, "why": dice.random() < 0.3, "wanted": "yes"}
    told |= {
        "hex": dice.choice(("A1", "B2", *ODD[24:36])),
        "name": dice.choice(("church", "b23_25")),
    }
    line = mangled(dice, dice.choice(lines()), words())
    one = dice.choice(
        ({"add": line}, {"take": line}, {"move": "A", "to": "B2"}, {"add": 7}, [], {})
    )
    return {**told, "changes": [one], "allow": dice.choice((None, ["building"], [[]], ["x"]))}


def _line(dice: random.Random) -> str:
    line = dice.choice(_QUESTIONS)
    for word, kind in (("QUESTION", "question"), ("ACTION", "deed"), ("ROLL", "roll")):
        line = line.replace(word, dice.choice(asked()[kind]))
    return mangled(dice, line, words()) if dice.random() < 0.5 else line


def _sent(dice: random.Random, data: dict[str, Any]) -> bytes:
    """What goes over the wire: a value of another kind, something that is lacking, or no JSON at all."""
    while dice.random() < 0.3:
        key = dice.choice(sorted(data))
        data = {**data, key: dice.choice(_VALUES)}
    if dice.random() < 0.1:
        del data[dice.choice(sorted(data))]
    sent = json.dumps(data)
    if dice.random() < 0.1:
        sent = mangled(dice, sent, ("NaN", "1e999", "[" * 5000, '"\\ud800"', "{", "null"))
    return sent.encode("utf-8", "surrogatepass")


@cache
def _client() -> TestClient:
    limits = Limits(20, 1000)
    tabs = TabWorkers(tasks.TabSession(as_commands()), limits)
    atexit.register(tabs.close)
    served = application(ServerState(tabs, documents.DocumentStore(), limits, {}))
    app = protocol.AccessGuard(served, front(), _TOKEN, protocol.names_of("127.0.0.1", 8023))
    return TestClient(app, base_url=f"http://{_HOST}")


@cache
def _boards(client: TestClient) -> tuple[str, ...]:
    """Boards that the server has, and one that it has not."""
    known = []
    for text in texts()[::60]:
        data = {"tab": "a", "name": "own.board", "text": text, "files": {}}
        reply = client.post(f"/{_TOKEN}/api/sheet", json=data).json()
        known += [reply["sheet"]] if "sheet" in reply else []
    return (*known, "0" * 32)
