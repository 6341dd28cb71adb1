"""The explorer's server: allowed requests, refused requests, and answers equal to those of commands."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import socket
import struct
import subprocess
import sys
import time
import zlib
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from rules_asp.api import load, load_program
from rules_asp.boards.changes import Change
from rules_asp.cli.app import main
from rules_asp.cli.board_commands import HERE, as_commands
from rules_asp.drawing.style import COLOUR
from rules_asp.game.board import UnitStatement
from rules_asp.game.grid import Grid, Hex, Vertex
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import BoardError
from rules_asp.parser.values import parse_location
from rules_asp.positions.loading import example_boards, load_from_texts
from rules_asp.runtime.limits import Limits, TooWide, size_limit
from rules_asp.web import documents, payloads, protocol, tasks
from rules_asp.web.protocol import accept_upload
from rules_asp.web.routes import ServerState, application, front
from rules_asp.web.server import start_server
from rules_asp.web.tasks import Busy, Stopped, TabWorkers
from tests import archives, saved_games
from tests.sampling import slow, some
from tests.saved_games import SECRETS, PixelBoard, Save, counter, squad

TOKEN, HOST = "the-token", "127.0.0.1:8023"
READING = as_commands()


@pytest.fixture(scope="module")
def desktop() -> Iterator[ServerState]:
    state = server_state()
    yield state
    state.tabs.close()


@pytest.fixture(scope="module")
def client(desktop: ServerState) -> Iterator[TestClient]:
    with client_of(desktop) as client:
        yield client


def server_state() -> ServerState:
    shelf, limits = documents.DocumentStore(), Limits(60)
    text = example_boards()["assault"].read_text("utf-8")
    start = accept_upload(shelf, "assault.board", text, {})
    return ServerState(TabWorkers(tasks.TabSession(READING), limits), shelf, limits, start)


def client_of(state: ServerState) -> TestClient:
    names = protocol.names_of("127.0.0.1", 8023)
    app = protocol.AccessGuard(application(state), front(), TOKEN, names)
    return TestClient(app, base_url=f"http://{HOST}")


def post(client: TestClient, name: str, data: object = None, **how: Any) -> Any:
    """What the server answers to a page."""
    return client.post(f"/{TOKEN}/api/{name}", json={"tab": "t", **(data or {})}, **how)  # type: ignore[dict-item]


def sheet(client: TestClient, text: str, name: str = "own.board", **more: Any) -> str:
    """A board that the page has."""
    found = post(client, "sheet", {"name": name, "text": text, "files": {}, **more}).json()
    assert found["problems"] == [], found
    key: str = found["sheet"]
    return key


def bundled(client: TestClient, name: str, **more: Any) -> str:
    return sheet(client, example_boards()[name].read_text("utf-8"), f"{name}.board", **more)


def command(*args: str) -> dict[str, Any]:
    """What a command answers by --json."""
    ran = CliRunner().invoke(main, [*args, "--json"])
    assert ran.exit_code == 0, ran.output
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


# --- who is answered


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"host": "evil.example:8023"}, "another name, as after DNS rebinding"),
        ({"host": "127.0.0.1:8024"}, "another port"),
        ({"origin": "http://evil.example"}, "a foreign page"),
        ({"origin": "null"}, "a page of no origin, as in a sandbox"),
        ({"origin": "http://127.0.0.1:9999"}, "another server of this machine"),
        ({"sec-fetch-site": "cross-site"}, "a foreign page that hides its origin"),
        ({"sec-fetch-site": "same-site"}, "another port of this machine"),
    ],
)
def test_a_foreign_page_gets_nothing(client: TestClient, how: dict[str, str], why: str) -> None:
    for answer in (post(client, "hello", headers=how), client.get(f"/{TOKEN}/", headers=how)):
        assert answer.status_code == 403, why
        assert "assault" not in answer.text
        assert "<script" not in answer.text


def test_without_the_token_there_is_nothing(client: TestClient) -> None:
    for path in ("/x/", "/x/api/hello", "/api/hello", f"/{TOKEN}x/api/hello", "//api/hello"):
        assert client.post(path, json={}).status_code == 403
    front_page = client.get("/")
    assert front_page.status_code == 200
    assert TOKEN not in front_page.text


def test_the_page_itself_is_answered(client: TestClient) -> None:
    same = {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    assert post(client, "hello", headers=same).json()["start"]["name"] == "assault.board"
    page = client.get(f"/{TOKEN}/")
    assert "<main" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"


def test_a_page_needs_no_network() -> None:
    folder = Path(tasks.__file__).parent / "page"
    for file in folder.iterdir():
        text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, file
        assert "https://" not in text, file


@pytest.mark.parametrize(
    "path",
    ["../desk.py", "%2e%2e/desk.py", "..%2fdesk.py", "/etc/passwd", "page/main.js", "..%2f.."],
)
def test_no_other_file_is_shown(client: TestClient, path: str) -> None:
    answer = client.get(f"/{TOKEN}/{path}")
    assert answer.status_code in (403, 404)
    assert "import" not in answer.text


def test_a_machine_is_asked_by_the_number_at_which_it_is_reached(client: TestClient) -> None:
    async def asked(server: str, host: str) -> int:
        """The status of what is answered to a request that came in at an address of this machine."""
        transport = httpx2.ASGITransport(app=client.app, client=("10.0.0.9", 1))  # type: ignore[arg-type]
        async with httpx2.AsyncClient(
            transport=transport, base_url=f"http://{server}:8023"
        ) as other:
            return (await other.get(f"/{TOKEN}/", headers={"host": host})).status_code

    assert asyncio.run(asked("10.0.0.5", "10.0.0.5:8023")) == 200
    assert asyncio.run(asked("10.0.0.5", "10.0.0.6:8023")) == 403
    assert asyncio.run(asked("evil.example", "evil.example:8023")) == 403


def test_all_addresses_have_their_names() -> None:
    names = protocol.names_of("::", 1, ["here", "fd00::2"])
    assert {"[::1]:1", "127.0.0.1:1", "here:1", "[fd00::2]:1"} <= names
    assert "evil.example:1" not in names


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_other_machines_are_reported_of(host: str) -> None:
    given = start_server(READING, None, host, 0, Limits(60))
    try:
        assert given.address.startswith("http://127.0.0.1:")
        assert (given.others is None) == (host == "127.0.0.1")
        assert all(each.endswith(given.address.split(":", 2)[2]) for each in given.others or ())
    finally:
        given.desktop.tabs.close()
        given.sock.close()


def test_a_browser_is_opened_or_it_is_said_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = start_server(READING, None, "127.0.0.1", 0, Limits(60))
    seen: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(seen.append(address)))
    given.server.started = True
    given._open()
    assert seen == [given.address]
    assert "open this address" in capsys.readouterr().err
    given.desktop.tabs.close()
    given.sock.close()


def test_answers_wait_for_no_acknowledgement() -> None:
    """Nagle is off: else the second half of each answer comes 40 ms after the first."""
    given = start_server(READING, None, "127.0.0.1", 0, Limits(60))
    off: list[int] = []

    async def connected() -> None:
        def taken(_: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
            sock = out.get_extra_info("socket")
            off.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            out.close()

        async with await asyncio.start_server(taken, sock=given.sock):
            reader, out = await asyncio.open_connection(*given.sock.getsockname())
            assert await reader.read() == b""
            out.close()

    asyncio.run(connected())
    given.desktop.tabs.close()
    assert off == [1]


def test_only_loopback_unless_told() -> None:
    assert "127.0.0.1:1" in protocol.names_of("127.0.0.1", 1)
    assert "evil.example:1" not in protocol.names_of("127.0.0.1", 1)
    assert protocol.names_of("192.0.2.7", 1) == {"192.0.2.7:1"}
    given = start_server(READING, None, HERE, 0, Limits(60))
    assert protocol.is_loopback(given.sock.getsockname()[0])
    assert (given.others, given.views) == (None, ())
    given.desktop.tabs.close()
    given.sock.close()


@pytest.mark.parametrize(
    "path", ["secret.board", "./secret.board", "../secret.board", "/etc/hostname"]
)
def test_a_board_opens_no_file_that_was_not_handed_over(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "here").mkdir()
    for folder in (tmp_path, tmp_path / "here"):
        (folder / "secret.board").write_text('board "x" grid 3x3\nunit TELLTALE squad at A1\n')
    monkeypatch.chdir(tmp_path / "here")
    for line in (f'use "{path}"', f'board "y" grid 3x3\noverlay "{path}" A1 on A1'):
        found = post(
            client, "sheet", {"name": "own.board", "text": f"{line}\n", "files": {}}
        ).json()
        assert found["problems"], line
        assert "TELLTALE" not in json.dumps(found)


# --- what is odd, and what is too much


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("ask", {"sheet": 3, "line": "los A1 B1"}),
        ("ask", {"sheet": "x"}),
        ("sheet", {"name": "x", "text": 7}),
        ("sheet", {"name": "x", "text": "", "files": []}),
        ("sheet", {"name": "x", "text": "", "without": ["R-NONE"]}),
        ("sheet", {"name": "x", "text": "", "without": "R-T14"}),
        ("edit", {"base": 1, "changes": [{"add": 1}]}),
        ("edit", {"base": 1, "changes": [{"add": "x", "take": "y"}]}),
        ("edit", {"base": "1", "changes": [{"add": "x"}]}),
        ("go", {"to": 1, "head": 1}),
        ("rename", {"version": 1, "name": "x"}),
        ("mend", {"sheet": "x", "line": "los A1 B1", "wanted": "clear", "allow": ["all that"]}),
        ("hang", {"sheet": "x", "line": "los A1 B1", "seconds": -1}),
        ("example", {"name": "../secret"}),
        ("case", {"name": "tests/cases/../../README.md"}),
        ("share", {"sheet": "x", "line": "los A1 B1"}),
        ("bye", {"tab": None}),
    ],
)
def test_what_is_odd_is_refused(client: TestClient, name: str, data: dict[str, Any]) -> None:
    answer = post(client, name, data)
    assert answer.status_code in (400, 410), answer.text
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"1", b"[" * 100_000])
def test_what_is_no_json_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post(f"/{TOKEN}/api/ask", content=body)
    assert answer.status_code == 400


def test_too_much_is_refused(client: TestClient) -> None:
    key = bundled(client, "church")
    long = post(client, "ask", {"sheet": key, "line": "ask " + "x" * size_limit("question")})
    assert long.status_code == 400
    huge = post(
        client, "sheet", {"name": "x", "text": "#" * (size_limit("board") + 1), "files": {}}
    )
    assert huge.status_code == 400
    assert "bytes in a board's file" in huge.json()["error"]["message"]
    text = client.post(f"/{TOKEN}/api/open?name=x.board", content=b"#" * (size_limit("board") + 1))
    assert text.status_code == 400


def test_a_question_ends_at_its_limits_and_the_next_is_answered(client: TestClient) -> None:
    tabs = TabWorkers(tasks.TabSession(READING), Limits(0.4))
    try:
        # So wide that an idle machine does not answer it in time.
        houses = [f"{c}{row}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for row in (3, 7)]
        text = 'board "wide" grid 33x10\nbuilding gray: ' + " ".join(houses) + "\n"
        own = documents.Document("a.board", text, {})
        wide = "ask height(A) = V, height(B) = W, height(C) = X, height(D) = Y"
        with pytest.raises(TooWide, match=r"stopped after 0.4 s"):
            tabs.run("t", "ask", tasks.asked, own, wide, False, False, what="this")
        tabs._limits = Limits(60)
        tabs.forget("t")
        found = tabs.run("t", "ask", tasks.asked, own, "ask rowhouse(H)", True, False)
        assert "verdict" in found
    finally:
        tabs.close()


@slow
def test_what_nobody_waits_for_is_stopped() -> None:
    tabs = TabWorkers(tasks.TabSession(READING), Limits(60))
    try:
        own = documents.Document("a.board", example_boards()["assault"].read_text("utf-8"), {})
        since = time.monotonic()
        with pytest.raises(Stopped):
            tabs.run(
                "t",
                "long",
                tasks.sensitivity_record,
                own,
                "los B4 D3/1",
                50.0,
                left=lambda: time.monotonic() - since if time.monotonic() - since > 0.5 else None,
            )
        assert time.monotonic() - since < 20
        with pytest.raises(Stopped):
            tabs.run("t", "long", tasks.asked, own, "los B4 D3/1", True, False, left=lambda: 0.0)
        answer = tabs.run("t", "long", tasks.asked, own, "los B4 D3/1", True, False)
        assert answer["clear"] is True
    finally:
        tabs.close()


def test_tabs_that_die_leave_no_processes() -> None:
    tabs = TabWorkers(tasks.TabSession(READING), Limits(60), most=3, idle=0.0)
    try:
        own = documents.Document("a.board", example_boards()["church"].read_text("utf-8"), {})
        for tab in ("a", "b", "c", "d", "e"):
            assert tabs.run(tab, "ask", tasks.asked, own, "los A1 B1", False, False)["clear"]
            assert tabs.processes <= 3
        tabs.sweep()
        assert tabs.processes == 0
        crowded = TabWorkers(tasks.TabSession(READING), Limits(60), most=0)
        with pytest.raises(Busy):
            crowded.run("a", "ask", tasks.asked, own, "los A1 B1", False, False)
    finally:
        tabs.close()


# --- answers


LINES = {
    "church": ["los C3/2 D2/2", "los C3/roof F1", "sees C3/1", "tem C3 D2/1"],
    "assault": [
        *("fire D3/1 C4 --moving", "moves A", "can G move to E3 by entering"),
        *("why tem(shot(B4, D3/1, direct, still)) = V", "ask rowhouse(E3)"),
    ],
}


@pytest.mark.parametrize("board", ["church", pytest.param("assault", marks=slow)])
def test_the_answer_is_the_commands_own(client: TestClient, board: str) -> None:
    key = bundled(client, board)
    for line in LINES[board]:
        name, _, rest = line.partition(" ")
        words = [rest] if name in ("ask", "can", "why", "roll") else rest.split()
        found = post(client, "ask", {"sheet": key, "line": line}).json()
        assert found == command(name, board, *words), line


@slow
def test_the_words_of_a_proof_are_those_of_its_text(client: TestClient) -> None:
    key = bundled(client, "church")
    for line in ("los C3/2 D2/2", "why height(C3) = V", "fire C3/2 F1", "why rowhouse(C3)"):
        told = CliRunner().invoke(main, [*as_words(line), "--full"]).stdout
        given = {"sheet": key, "line": line, "why": True}
        found = post(client, "ask", {**given, "words": True}).json()
        words = found.pop("words")
        # The record itself stays that of the command.
        assert found == post(client, "ask", given).json()
        said = "".join(re.sub(r"[│├└─]", "", told).split())
        nodes = [*found["proof"]]
        claims = {node["claim"] for node in nodes if words[node["claim"]]}
        assert claims or found["lacking"]
        for claim in claims:
            assert "".join(words[claim].split()) in said, (line, claim, words[claim])
        # Each step that text shows has its words, and none is a term of kb/.
        while nodes:
            node = nodes.pop()
            nodes += node["because"]
            assert not re.search(r"[a-z_]\(|[a-z]_[a-z]", words[node["claim"]]), words
        for each in found.get("besides", []):
            assert words[each["topic"]] != each["topic"]
        for each in found.get("lacking", []):
            assert words[each["lacks"]]


def as_words(line: str) -> list[str]:
    """A line of a batch as words of the command line, on the church, with its proof."""
    name, _, rest = line.partition(" ")
    return [name, "church", *([rest] if name == "why" else [*rest.split(), "--why"])]


@slow
def test_so_it_is_with_proofs_with_rulings_off_and_of_a_changed_board(
    client: TestClient, tmp_path: Path
) -> None:
    key = bundled(client, "church")
    proven = post(client, "ask", {"sheet": key, "line": "los C3/2 D2/2", "why": True}).json()
    assert proven == command("los", "church", "C3/2", "D2/2", "--why")
    off = bundled(client, "church", without=["R-T14"])
    found = post(client, "ask", {"sheet": off, "line": "los C3/2 D2/2"}).json()
    told = command("los", "church", "C3/2", "D2/2", "--without", "R-T14")
    del told["as_given"]
    assert found == told

    changes = [
        {"add": "smoke 2: C4"},
        {"add": "unit Z squad german at C3/1"},
        {"move": "Z", "to": "C3/2"},
    ]
    text = example_boards()["church"].read_text("utf-8")
    begun = post(client, "begin", {"name": "church.board", "text": text}).json()["position"]
    edit = {"base": begun["head"], "changes": changes}
    made = post(client, "edit", edit).json()["position"]
    assert [each[2] for each in made["versions"]][1:] == ["smoke 2: C4 and 1 more"]
    own = sheet(client, made["text"], "church.board")
    (tmp_path / "church.board").write_text(made["text"])
    for line in (["los", "Z", "D4"], ["sees", "Z"]):
        found = post(client, "ask", {"sheet": own, "line": " ".join(line)}).json()
        assert found == command(line[0], str(tmp_path / "church.board"), *line[1:])
    compared = post(client, "compare", {"sheet": own, "before": key, "line": "los C3/2 D4"}).json()
    supposed = command("los", "church", "C3/2", "D4", "--if", "smoke 2: C4")
    assert compared["as_given"]["differs"] == supposed["as_given"]["differs"] != []


@slow
def test_a_case_is_the_commands_own(client: TestClient) -> None:
    key = bundled(client, "church")
    found = post(client, "share", {"sheet": key, "line": "los C3/2 D2/2", "seconds": 30}).json()
    told = command("case", "church", "los C3/2 D2/2", "--time", "30")
    assert found == {key: value for key, value in told.items() if key != "file"}
    sheet(client, found["text"])


def test_a_text_that_was_handed_over_can_be_had_again(client: TestClient) -> None:
    opened = client.post(f"/{TOKEN}/api/open?name=a.board", content=b"woods: C3\n").json()
    assert post(client, "text", {"digest": opened["digest"]}).json() == {"text": "woods: C3\n"}
    assert post(client, "text", {"digest": "0" * 32}).status_code == 400


def test_only_what_differs_is_drawn(client: TestClient) -> None:
    key = bundled(client, "assault")
    whole = post(client, "picture", {"sheet": key}).json()
    text = example_boards()["assault"].read_text("utf-8") + "smoke 2: C5\n"
    given = {
        "name": "assault.board",
        "text": text,
        "files": {},
        "over": key,
        "notes": whole["notes"],
    }
    patches = post(client, "sheet", given).json()["patches"]
    (one,) = patches["pictures"]
    assert len(one["svg"]) < len(whole["svg"]) / 2
    assert one["box"][2] < whole["box"][2] / 2
    # What is as it was needs nothing; what is shown and not known here is drawn whole.
    same = post(client, "sheet", {**given, "text": text.replace("smoke 2: C5\n", "")}).json()
    assert same["patches"]["pictures"] == []
    assert post(client, "sheet", {**given, "over": "0" * 32}).json()["patches"] is None
    assert post(client, "sheet", {**given, "notes": [1]}).status_code == 400


def test_the_cases_of_the_rules_can_be_opened(client: TestClient) -> None:
    norms = payloads.book(load_program())["norms"]
    cases = {each["file"] for norm in norms.values() for each in norm["cases"]}
    assert cases
    for name in some(sorted(cases), 3):
        found = post(client, "case", {"name": name}).json()
        assert post(client, "sheet", found).json()["problems"] == [], name


def test_what_cannot_be_asked_is_reported(client: TestClient) -> None:
    key = bundled(client, "church")
    for line in (
        "los A1 ZZ9",
        "loss A1 B1",
        "ask height(",
        "moves NOBODY",
        "los",
        "fire A1 B1 --how x",
    ):
        found = post(client, "ask", {"sheet": key, "line": line})
        assert found.status_code == 200
        assert found.json()["error"]["message"], line
        assert "fault of rules-asp" not in found.text


def test_mistakes_are_reported_where_they_are(client: TestClient) -> None:
    text = 'board "x" grid 3x3\nwods: A1\nwoods: A1 Z9\n'
    found = post(client, "sheet", {"name": "x.board", "text": text, "files": {}}).json()
    places = [(each["line"], each["column"]) for each in found["problems"]]
    assert places[0] == (2, 1)
    assert found["problems"][0]["nearest"] == "woods"


def test_pictures(client: TestClient) -> None:
    key = bundled(client, "church")
    found = post(client, "picture", {"sheet": key}).json()
    assert found["svg"].startswith("<svg")
    assert "church" in found["svg"]
    left, top, width, height = found["box"]
    assert f'viewBox="{left} {top} {width} {height}"' in found["svg"]
    side = post(client, "side", {"sheet": key, "line": "los C3/2 F1"}).json()
    assert "side-view" in side["svg"]
    assert post(client, "side", {"sheet": key, "line": "los C3/2 C3"}).json() == {"svg": None}


def test_hexes_are_reported(client: TestClient) -> None:
    key = bundled(client, "church")
    found = post(client, "hex", {"sheet": key, "hex": "C3"}).json()
    assert found["values"]["construction"] == "stone"
    assert found["values"]["height"] == "2 1/2"
    assert found["locations"]["C3/2"]["tem"] == "3"
    assert "error" in post(client, "hex", {"sheet": key, "hex": "Q99"}).json()


# --- boards that are handed over


def test_boards_and_what_they_use_are_handed_over(client: TestClient) -> None:
    base = 'board "7" grid 9x4\nwoods: C3\n'
    taken = client.post(f"/{TOKEN}/api/open?name=..%2F..%2Fb.board", content=base.encode()).json()
    assert taken["name"] == "b.board"
    text = 'use "b.board"\nunit A squad german at C3\n'
    data = {"name": "own.board", "text": text, "files": {"b.board": taken["digest"]}}
    found = post(client, "sheet", data).json()
    assert found["problems"] == []
    assert found["board"] == "7"
    missing = {**data, "files": {"b.board": "0" * 32}}
    assert post(client, "sheet", missing).json() == {"lacking": ["b.board"]}


def test_an_archive_has_a_picture_before_it_is_imported(client: TestClient, tmp_path: Path) -> None:
    sketch = archives.Sketch(Grid(7, 4))
    sketch.codes[:80, :] = archives.WOODS
    sketch.elevation[200:, :] = 2
    data = archives.write(tmp_path / "bd7", sketch).read_bytes()
    found = client.post(f"/{TOKEN}/api/open?name=bd7&picture=1", content=data).json()
    png, (left, top, width, height) = b64decode(found["png"]), found["box"]
    # The paper ends at the center dots of its first and last columns.
    assert (left, top, width, height) == (0, 0, 8 * sketch.width, 8 * sketch.height)
    assert png.startswith(b"\x89PNG")
    across, along = struct.unpack(">II", png[16:24])
    size = int.from_bytes(png[33:37], "big")
    rows = zlib.decompress(png[41 : 41 + size])
    assert len(rows) == along * (1 + 3 * across)
    row = rows[1 : 1 + 3 * across].hex()
    shown = {f"#{row[6 * x : 6 * x + 6]}" for x in range(across)}
    assert shown == {COLOUR.terrain["woods"].fill, COLOUR.levels[0], COLOUR.levels[2]}


def test_no_upload_makes_the_server_import_a_module(tmp_path: Path) -> None:
    """While a thread imports, another one may fork; the new process would wait for that import."""
    archives.write(tmp_path / "bd71", archives.Sketch(Grid(7, 4), name="71"))
    saved_games.write(tmp_path / "a.vsav", Save([], "bd\t0\t0\t71\t"))
    code = """
import sys
from pathlib import Path
from tests.test_explorer import TOKEN, client_of, server_state
with client_of(server_state()) as client:
    client.post(f"/{TOKEN}/api/hello", json={"tab": "t"})
    before = set(sys.modules)
    for name in ("bd71&picture=1", "bd71", "a.vsav"):
        data = Path(sys.argv[1], name.removesuffix("&picture=1")).read_bytes()
        print(client.post(f"/{TOKEN}/api/open?name={name}", content=data).status_code)
    print({name for name in set(sys.modules) - before if name.startswith("rules_asp")})
"""
    given = {**os.environ, "RULES_ASP_BOARDS": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=given, capture_output=True, text=True
    )
    assert ran.stdout.split("\n") == ["200", "200", "200", "set()", ""], ran.stdout + ran.stderr


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"PK\x03\x04 no archive", b"PK"])
@pytest.mark.parametrize("of", ["", "&picture=1"])
def test_what_is_no_board_is_refused(client: TestClient, data: bytes, of: str) -> None:
    found = client.post(f"/{TOKEN}/api/open?name=x{of}", content=data)
    assert found.status_code == 400
    assert found.json()["error"]["message"]
    assert "/tmp" not in found.text


def test_a_long_board_is_used_by_a_short_one() -> None:
    name, text, files = documents.wrapped("a/bd.board", "# x\n" * 20_000, {})
    assert (name, text) == ("a/my bd.board", 'use "bd.board"\n')
    assert list(files) == ["a/bd.board"]


# --- changes of the text


@slow
@pytest.mark.parametrize("board", some(sorted(example_boards()), 2))
def test_a_change_of_the_text_is_the_change_of_the_board(board: str) -> None:
    text = example_boards()[board].read_text("utf-8")
    own = documents.Document(f"{board}.board", text, {})
    position = load(board)
    random.seed(board)
    places = random.sample(sorted(map(str, position.index.elevations)), 3)
    lines = [
        f"unit Zed squad 4-6-7 german at {places[0]}",
        f"smoke 2: {places[1]}",
        f"flame {places[2]}",
        "turn 5 german mph",
        "night",
    ]
    for line in lines:
        made = documents.apply_edits(own, [Change(True, line)])
        there = position.with_(line)
        assert facts(made.text) == sorted(map(str, there.board_facts.symbols)), line
        back = documents.apply_edits(
            documents.Document(own.name, made.text, {}), [Change(False, line)]
        )
        if line not in text and "turn" not in line:
            assert facts(back.text) == sorted(map(str, position.board_facts.symbols)), line
    for unit in [each for each in position.board.statements if isinstance(each, UnitStatement)][:2]:
        moved = documents.apply_edits(own, [documents.moved(own, unit.name, places[0])])
        assert moved.text.count("\n") == text.count("\n")
        assert f"at {places[0]}" in moved.text


def test_a_vertex_at_the_edge_of_a_map_has_the_name_by_which_it_is_read() -> None:
    texts = {
        "map.board": 'use "a.board"\nuse "b.board" right of 1\n',
        "a.board": 'board "1" grid 7x4\n',
        "b.board": 'board "2" grid 7x4\n',
    }
    position = load_from_texts("map.board", texts)
    named = {name: rest for name, *_, rest in payloads.map_payload(position)["hexes"]}
    edge = {name: rest for name, rest in named.items() if rest and isinstance(rest[0], str)}
    assert 20 < len(edge) < len(named)
    for name, vertices in edge.items():
        for corner, vertex in enumerate(vertices):
            place = parse_location(f"{name}@{vertex}", names=position.names)
            assert isinstance(place.spot, Vertex)
            assert (str(place.spot.hex), place.spot.corner) == (name, corner)


def test_a_vehicle_that_is_moved_faces_as_before() -> None:
    text = 'board "x" grid 9x9\nunit T vehicle german at C3: turreted, VCA C2/D2, TCA D2/D3\n'
    own = documents.Document("x.board", text, {})

    def corners(board: str) -> list[str]:
        return [each for each in facts(board) if each.startswith(("vca", "tca"))]

    for to in ("E5", "F5@G6-F6"):
        made = documents.apply_edits(own, [documents.moved(own, "T", to)]).text
        assert f"at {to}" in made
        assert corners(made) == corners(text)
    with pytest.raises(BoardError):
        documents.moved(own, "T", "E5/nowhere")


def facts(text: str) -> list[str]:
    """The facts of a board's text."""
    from rules_asp.api import parse, position

    return sorted(map(str, position(parse(text, "x"), load_program()).board_facts.symbols))


def test_comments_and_all_else_of_a_text_stay() -> None:
    text = (
        '# mine\nboard "x" grid 5x5  # so large\nunit A squad german at A1  # here\nrules B23 PB4\n'
    )
    own = documents.Document("x.board", text, {})
    made = documents.apply_edits(own, [Change(True, "unit A squad german at B2: broken")]).text
    assert made == text.replace(
        "unit A squad german at A1  # here", "unit A squad german at B2: broken"
    )
    assert documents.apply_edits(own, [Change(False, "rules PB4")]).text == text.replace(
        "B23 PB4", "B23"
    )
    with pytest.raises(BoardError, match="is not on the board"):
        documents.apply_edits(own, [Change(False, "wire A1")])
    with pytest.raises(BoardError):
        documents.apply_edits(own, [Change(True, "unit B squad at Z99")])
    using = documents.Document("y.board", 'use "x.board"\n', {"x.board": text})
    with pytest.raises(BoardError, match=r"line 3 of the used file x.board"):
        documents.apply_edits(using, [Change(False, "unit A squad")])


# --- what is offered, and the rules


def test_what_is_offered_can_be_said() -> None:
    """A form that is filled in is a line that the parser reads, or refuses for what it is filled in
    with.
    """
    from rules_asp.parser.reader import read

    usual = {
        **{"hex": "C3", "location": "C3", "hexside": "C3-D2", "spot": "C2", "number": "1"},
        **{
            "unit": "A",
            "side": "german",
            "corner": "C2",
            "text": '"x"',
            "quarter": "1",
            "event_name": "A",
        },
    }
    for each in payloads.palette(vocabulary()):
        if not each["form"]:
            continue
        line = each["form"]
        for at, argument in enumerate(each["arguments"]):
            filled = (argument["words"] or [usual.get(argument["kind"], "1")])[0]
            line = line.replace(f"{{{at}}}", filled)
        said = read(f'board "x" grid 9x9\n{line}\n', "x", vocabulary())
        assert not said.problems, (line, [str(one) for one in said.problems])
        assert (
            any(getattr(e, "name", "") == each["input"] for e in said.statements) or "turn" in line
        )


def test_deeds_are_sentences() -> None:
    found = {each["deed"]: each["sentences"] for each in payloads.deeds(vocabulary())}
    step = found["step"][0]
    assert [each if isinstance(each, str) else each.get("kind", "maybe") for each in step] == [
        *("unit", "by", "to", "location", "maybe", "maybe")
    ]


def test_the_rules_are_whole() -> None:
    book = payloads.book(load_program())
    listed = [
        norm
        for section in book["sections"]
        for paragraph in section["paragraphs"]
        for norm in paragraph["norms"]
    ]
    assert sorted(listed) == sorted(each.id for each in load_program().source.norms)
    assert listed.index("B23.25-1") < listed.index("B23.71-1")
    assert book["norms"]["B23.71-5"]["sense"]


def test_the_documentation_is_shown_in_the_looks_of_the_page(client: TestClient) -> None:
    contents = client.get(f"/{TOKEN}/help/contents")
    assert contents.status_code == 200
    for topic in ("boards", "limits", "json"):
        assert f'href="{topic}"' in contents.text
        page = client.get(f"/{TOKEN}/help/{topic}")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert "<h1>" in page.text
    assert 'href="files"' in client.get(f"/{TOKEN}/help/own-boards").text
    assert client.get(f"/{TOKEN}/help/nothing").status_code == 404
    assert client.get("/wrong/help/boards").status_code != 200


# --- games of VASL that are handed over


@slow
def test_a_saved_game_comes_with_its_boards_and_a_report(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sketch = archives.Sketch(Grid(9, 4), name="71")
    archives.write(tmp_path / "bd71", sketch)
    monkeypatch.setenv("RULES_ASP_BOARDS", str(tmp_path))
    board = PixelBoard(400, 400, 450, 258)
    pieces = [squad(), counter("Strange Thing"), squad("9-9-9 Xsq", hidden=True)]
    save = Save([saved_games.at(board.centre(Hex(4, 2)), pieces)], "bd\t0\t0\t71\t")
    data = saved_games.write(tmp_path / "a.vsav", save).read_bytes()
    taken = client.post(f"/{TOKEN}/api/open?name=my+game.vsav", content=data)
    assert taken.status_code == 200
    found = taken.json()
    assert found["name"] == "my game.board"
    assert found["report"]["unrecognized"][0]["counter"] == "Strange Thing"
    assert not any(word in taken.text for word in ("9-9-9", *SECRETS, str(tmp_path)))
    sheet = post(client, "sheet", {each: found[each] for each in ("name", "text", "files")}).json()
    assert (sheet["problems"], sheet["board"]) == ([], "71")
    refused = client.post(f"/{TOKEN}/api/open?name=a.vsav", content=b"PK\x03\x04 no game")
    assert refused.status_code == 400
    assert "/tmp" not in refused.text


@slow
def test_idle_time_prepares_answers_and_changes_none() -> None:
    """A process that used its idle time to the end gives the same record, and has read supports."""
    sheet = documents.Document("a.board", example_boards()["church"].read_text("utf-8"), {})
    prepared, cold = tasks.TabSession(READING), tasks.TabSession(READING)
    assert not prepared.use_idle_time()
    prepared.position(sheet)
    steps = 0
    while prepared.use_idle_time():
        steps += 1
        assert steps < 1000
    assert steps > 0
    assert prepared.position(sheet).reasons[0].lookups > 0
    for line in ("los C1 G3", "tem C3 D2/1", "los D2/1 C3/2"):
        assert tasks.asked(prepared, sheet, line, True, True) == tasks.asked(
            cold, sheet, line, True, True
        )
