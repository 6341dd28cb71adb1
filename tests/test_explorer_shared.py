"""A position that several pages share: versions, events between pages, and read-only pages."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules_asp.web import versions
from rules_asp.web.documents import Document
from rules_asp.web.versions import VersionTree, change_text, merged
from tests.browsing import running
from tests.sampling import slow

BOARD = 'board "x" grid 5x5\nwoods: B2\nsides german russian\nunit A squad german at A1\n'


# --- two changes of one text


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ("a\nb\nc\nX\n", "a\nb\nc\nY\n", "a\nb\nc\nY\nX\n"),
        ("a\nX\nc\n", "a\nb\nc\nY\n", "a\nX\nc\nY\n"),
        ("a\nX\nc\n", "a\nb\nY\n", "a\nX\nY\n"),
        ("a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"),
        ("a\nX\nc\nZ\n", "a\nX\nc\n", "a\nX\nc\nZ\n"),
        ("a\nX\nc\n", "a\nY\nc\n", None),
        ("a\nX\nc\n", "a\nc\n", None),
        ("a\nb\nX\nc\n", "a\nc\n", "a\nX\nc\n"),
        ("a\nb\nX\nc\n", "a\n", None),
        ("", "a\nb\nc\nX\n", "X\n"),
    ],
)
def test_two_changes_of_a_text(mine: str, theirs: str, both: str | None) -> None:
    assert merged("a\nb\nc\n", mine, theirs) == both


LINES = st.lists(st.sampled_from("abcde"), max_size=8).map("\n".join)


@given(LINES, LINES, LINES)
def test_one_change_alone_is_that_change_and_both_fail_together(
    base: str, mine: str, theirs: str
) -> None:
    assert merged(base, mine, base) == mine
    assert merged(base, base, theirs) == theirs
    assert merged(base, mine, mine) == mine
    assert (merged(base, mine, theirs) is None) == (merged(base, theirs, mine) is None)


def test_a_change_in_short() -> None:
    assert change_text(BOARD, f"{BOARD}smoke 2: C3\n") == "smoke 2: C3"
    assert change_text(BOARD, BOARD.replace("woods: B2\n", "")) == "without: woods: B2"
    two = BOARD.replace("woods", "grain").replace("at A1", "at A2")
    assert change_text(BOARD, two) == "grain: B2 and 1 more"


# --- the tree


def board(text: str) -> Document:
    return Document("x.board", text, {})


def test_versions_are_a_tree() -> None:
    tree = VersionTree()
    first = tree.begin(board("1"))
    second, third = tree.add(board("2"), "two"), tree.add(board("3"), "three")
    tree.go(second)
    assert tree.record()["redo"] == third.number
    branch = tree.add(board("4"), "four")
    assert branch.parent == second.number
    tree.rename(third, " what \n if ")
    # After an undo the way back is that by which one came, though the other branch is newer.
    tree.go(third)
    tree.go(first)
    assert tree.record()["redo"] == second.number
    tree.go(second)
    assert tree.record()["redo"] == third.number
    rows = {each[0]: each[1:4] for each in tree.record()["versions"]}
    assert rows[third.number] == [second.number, "three", "what if"]
    assert tree.document(branch.sheet) == branch.document


def test_what_is_typed_in_one_go_is_one_version() -> None:
    tree = VersionTree()
    first = tree.begin(board("1"))
    tree.add(board("1a"), "typed", instead=True)
    tree.add(board("1ab"), "typed", instead=True)
    assert [each[1] for each in tree.record()["versions"]] == [None, first.number]
    # A version from which another was made, or that has a name, stays.
    assert tree.head is not None
    tree.rename(tree.head, "kept")
    tree.add(board("1abc"), "typed", instead=True)
    assert len(tree.record()["versions"]) == 3


def test_old_versions_give_way_but_not_those_with_a_name() -> None:
    tree = VersionTree()
    tree.rename(tree.begin(board("0")), "start")
    for number in range(1, 3 * versions._MOST_VERSIONS):
        tree.add(board(str(number)), "more")
    rows = tree.record()["versions"]
    assert len(rows) == versions._MOST_VERSIONS
    assert rows[0][3] == "start"
    known = {each[0] for each in rows}
    assert all(each[1] in known for each in rows[1:])


def test_a_page_that_is_slow_hears_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    async def heard() -> list[Any]:
        tree = VersionTree()
        tree.begin(board("1"))
        news = tree.news(0)
        found = [await anext(news)]
        for number in range(2, 6):
            tree.add(board(str(number)), "more")
        found.append(await anext(news))
        monkeypatch.setattr(versions, "HEARTBEAT", 0.01)
        found.append(await anext(news))
        tree.close()
        found += [each async for each in news]
        assert not tree.full
        return [each and each["text"] for each in found]

    assert asyncio.run(heard()) == ["1", "5", None]


# --- at a server


class Page:
    """A page of a shared position, as far as it speaks with the server."""

    def __init__(self, address: str, tab: str = "a") -> None:
        where = urlsplit(address)
        self.host, self.path, self.tab = where.netloc, where.path, tab

    def post(self, name: str, /, **data: Any) -> dict[str, Any]:
        """What is answered; with the status, if that is not 200."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        body = json.dumps({"tab": self.tab, **data})
        connection.request("POST", f"{self.path}api/{name}", body)
        reply = connection.getresponse()
        found: dict[str, Any] = json.loads(reply.read() or b"{}")
        connection.close()
        return found if reply.status == 200 else {"status": reply.status, **found}

    def edit(self, base: int, *changes: dict[str, str], **more: Any) -> dict[str, Any]:
        """Send an edit that was made on a version."""
        return self.post("edit", base=base, **({"changes": changes} if changes else {}), **more)

    @contextmanager
    def hearing(self, since: int) -> Iterator[Iterator[dict[str, Any]]]:
        """The positions that the server tells of."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("GET", f"{self.path}api/news?since={since}")
        reply = connection.getresponse()
        assert reply.status == 200, reply.status
        assert reply.getheader("content-type", "").startswith("text/event-stream")
        yield (json.loads(line[6:]) for line in reply if line.startswith(b"data: {"))
        reply.close()
        connection.close()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, str]]:
    with running(shared=True) as started:
        yield started.address, started.views[0]


def position(page: Page) -> dict[str, Any]:
    """The position as it stands, begun anew."""
    found: dict[str, Any] = page.post("begin", name="x.board", text=BOARD)["position"]
    return found


def test_what_one_does_the_other_hears(server: tuple[str, str]) -> None:
    one, two = Page(server[0], "a"), Page(server[1], "b")
    start = position(one)
    assert two.post("hello")["position"]["text"] == BOARD
    with two.hearing(start["serial"]) as news:
        made = one.edit(start["head"], {"add": "smoke 2: C3"})["position"]
        heard = next(each for each in news if each["head"] == made["head"])
        assert heard["text"] == made["text"] == f"{BOARD}smoke 2: C3\n"
    # The connection is lost, and what happened meanwhile is heard as soon as it is there again.
    later = one.edit(made["head"], {"move": "A", "to": "B1"})["position"]
    with two.hearing(heard["serial"]) as news:
        assert "at B1" in next(each for each in news if each["head"] == later["head"])["text"]


def test_of_two_edits_at_once_neither_is_lost(server: tuple[str, str]) -> None:
    pages = [Page(server[0], "a"), Page(server[0], "b")]
    start = position(pages[0])
    edits = [{"add": "smoke 2: C3"}, {"move": "A", "to": "B1"}]
    given: list[Any] = [None, None]

    def send(number: int) -> None:
        given[number] = pages[number].edit(start["head"], edits[number])

    threads = [threading.Thread(target=send, args=(number,)) for number in (0, 1)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [each["problems"] for each in given] == [[], []]
    text = pages[0].post("hello")["position"]["text"]
    assert "smoke 2: C3" in text
    assert "at B1" in text


def test_an_edit_that_no_longer_fits_comes_back(server: tuple[str, str]) -> None:
    one, two = Page(server[0], "a"), Page(server[0], "b")
    start = position(one)
    now = one.edit(start["head"], {"move": "A", "to": "B1"})["position"]
    refused = two.edit(start["head"], {"move": "A", "to": "C1"})
    assert refused["clash"]
    assert "in the meantime" in refused["problems"][0]["message"]
    assert two.post("hello")["position"]["text"] == now["text"]
    # Made on the newest version, it fits; the other's is a version before it.
    again = two.edit(now["head"], {"move": "A", "to": "C1"})["position"]
    assert "at C1" in again["text"]
    assert any(each[2].endswith("at B1") for each in again["versions"])
    # So it is with a thing that is there no more, and one of which there would be two.
    one.edit(again["head"], {"take": "woods: B2"})
    assert two.edit(again["head"], text=again["text"].replace("woods: B2", "woods: B3"))["clash"]
    head = one.post("hello")["position"]["head"]
    one.edit(head, {"add": "unit B squad german at D1"})
    assert two.edit(head, {"add": "unit B squad russian at D2"})["problems"]
    # The same edit twice, as when its answer was lost on the way, is one.
    text = one.post("hello")["position"]["text"]
    assert one.edit(head, {"add": "unit B squad german at D1"})["position"]["text"] == text


def test_a_text_that_is_typed_on_is_put_on_what_was_sent(server: tuple[str, str]) -> None:
    one, two = Page(server[0], "a"), Page(server[0], "b")
    start = position(one)
    two.edit(start["head"], {"move": "A", "to": "B1"})
    typed = f"{BOARD}woods: C2\n"
    first = one.edit(start["head"], text=typed)["position"]
    assert "woods: C2" in first["text"]
    assert "at B1" in first["text"]
    further = one.edit(start["head"], was=typed, text=typed.replace("C2\n", "C2 C3\n"))["position"]
    assert first["text"].replace("C2\n", "C2 C3\n") == further["text"]
    # A text with mistakes is no version.
    wrong = one.edit(further["head"], text=further["text"] + "wods: C3\n")
    assert wrong["problems"][0]["nearest"] == "woods"
    assert one.post("hello")["position"]["head"] == further["head"]


def test_a_step_back_is_for_all_and_only_from_what_is_shown(server: tuple[str, str]) -> None:
    one, two = Page(server[0], "a"), Page(server[0], "b")
    start = position(one)
    now = one.edit(start["head"], {"add": "smoke 2: C3"})["position"]
    assert two.post("go", head=start["head"], to=start["head"])["status"] == 400
    back = two.post("go", head=now["head"], to=start["head"])["position"]
    assert back["text"] == BOARD
    assert back["redo"] == now["head"]
    named = one.post("rename", version=now["head"], name="with SMOKE")["position"]
    assert [each[3] for each in named["versions"] if each[0] == now["head"]] == ["with SMOKE"]
    told = one.post(
        "compare", before=named["versions"][-1][4], sheet=start_sheet(named), line="los C1 C5"
    )
    assert told["as_given"]["differs"]


def start_sheet(record: dict[str, Any]) -> str:
    """The sheet of the version that is shown."""
    (sheet,) = (each[4] for each in record["versions"] if each[0] == record["head"])
    return str(sheet)


def test_who_only_looks_changes_nothing(server: tuple[str, str]) -> None:
    play, look = Page(server[0]), Page(server[1], "b")
    start = position(play)
    assert look.post("hello")["view_only"] is True
    assert play.post("hello")["view_only"] is False
    asked = {"sheet": start_sheet(start), "line": "los A1 A3"}
    assert look.post("ask", **asked)["clear"] is True
    tried = {
        "begin": {"name": "y", "text": ""},
        "edit": {"base": start["head"], "changes": [{"add": "night"}]},
        "go": {"head": start["head"], "to": start["head"]},
        "rename": {"version": start["head"], "name": "x"},
        "open?name=x.board": {},
        "example": {"name": "church"},
        "case": {"name": "x"},
    }
    for name, data in tried.items():
        refused = look.post(name, **data)
        assert refused["status"] == 403, name
        assert "read-only" in refused["error"]["message"]
    assert play.post("hello")["position"]["serial"] == start["serial"]
    # Neither address tells the other.
    tokens = [urlsplit(each).path.strip("/") for each in server]
    assert tokens[0] != tokens[1]
    assert tokens[0] not in json.dumps(look.post("hello"))


def test_a_stream_is_for_whom_the_page_is_for(server: tuple[str, str]) -> None:
    where = urlsplit(server[0])

    def status(path: str, **headers: str) -> int:
        connection = http.client.HTTPConnection(where.netloc, timeout=20)
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status

    news = f"{where.path}api/news?since=0"
    assert status("/x/api/news") == 403
    assert status(news, origin="http://evil.example") == 403
    assert status(news, host="evil.example") == 403
    assert status(news, **{"sec-fetch-site": "cross-site"}) == 403
    assert status(f"{where.path}api/news?since=x") == 400


def test_so_many_pages_and_no_more_may_watch(server: tuple[str, str]) -> None:
    where = urlsplit(server[0])
    open_: list[http.client.HTTPConnection] = []
    statuses = []
    for _ in range(versions._MOST_PAGES + 2):
        connection = http.client.HTTPConnection(where.netloc, timeout=20)
        connection.request("GET", f"{where.path}api/news?since=0")
        reply = connection.getresponse()
        if reply.status == 200:
            reply.readline()
        statuses.append(reply.status)
        open_.append(connection)
    assert statuses == [200] * versions._MOST_PAGES + [429] * 2
    for connection in open_:
        assert connection.sock is None or not connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()


def test_each_tab_has_its_own_position_unless_told() -> None:
    with running(shared=False) as started:
        one, two = Page(started.address, "a"), Page(started.address, "b")
        start = position(one)
        assert one.post("hello")["position"] is None
        assert two.edit(start["head"], {"add": "night"})["status"] == 410
        assert one.post("edit", base=start["head"], changes=[{"add": "night"}])["problems"] == []
        connection = http.client.HTTPConnection(one.host, timeout=20)
        connection.request("GET", f"{one.path}api/news")
        assert connection.getresponse().status == 404


@slow
def test_the_command_prints_both_addresses_and_a_warning() -> None:
    command = [sys.executable, "-m", "rules_asp", "explore", "--host", "0.0.0.0"]
    command += ["--no-browser", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        told = [process.stderr.readline()]
        while not told[-1].startswith("Ctrl-C"):
            told.append(process.stderr.readline())
        process.terminate()
        process.wait(20)
    assert first.startswith("explore at http://127.0.0.1:")
    text = "".join(told)
    looks = set(re.findall(r"^to look only: (http\S+)", text, re.MULTILINE))
    plays = set(re.findall(r"^from other machines: (http\S+)", text, re.MULTILINE))
    assert looks
    assert not looks & plays
    assert "not encrypted" in text
