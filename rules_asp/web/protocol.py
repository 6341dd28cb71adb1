"""Requests parsed with care; uploads."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from rules_asp import RulesAspError
from rules_asp.api import ERRORS, import_archive, import_game
from rules_asp.output import report_json
from rules_asp.output.help_pages import help_pages, html_body, link_pages
from rules_asp.parser.reader import files_used
from rules_asp.parser.writer import write
from rules_asp.positions.loading import find_board
from rules_asp.runtime.limits import Limits, size_limit, too_large_message
from rules_asp.web.documents import DocumentStore, wrapped

# --- What goes over the wire: what a page sends, read with care; JSON, and the files of the page.


#: The kinds of files of the page.
_KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


class BadRequest(RulesAspError):
    """Something was asked that the page does not ask."""


class DocumentGone(BadRequest):
    """A sheet that was not handed over, or long ago; the page hands it over again."""


def page_file(name: str) -> Response:
    """A file of the page; nothing else that lies anywhere."""
    if name not in page_files():
        return json_of({"error": {"message": "there is no such file"}}, 404)
    data = resources.files("rules_asp.web").joinpath("page", name).read_bytes()
    return Response(data, media_type=f"{_KINDS[Path(name).suffix]}; charset=utf-8")


def page_files() -> frozenset[str]:
    """The names of the files of the page."""
    folder = resources.files("rules_asp.web").joinpath("page")
    return frozenset(each.name for each in folder.iterdir() if Path(each.name).suffix in _KINDS)


#: A page of the documentation, in the looks of the explorer.
_HELP = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="../style.css">
</head>
<body class="help"><main>
<p><a href="contents">All pages</a></p>
{body}</main></body>
</html>
"""


def help_page(topic: str) -> Response:
    """A page of the documentation as HTML; `contents` lists all."""
    pages = help_pages()
    if topic != "contents" and topic not in pages:
        return json_of({"error": {"message": "there is no such page"}}, 404)
    if topic == "contents":
        title = "Documentation"
        rows = [f"- [{each.title}]({name})" for name, each in pages.items()]
        text = "\n".join([f"# {title}\n", *rows])
    else:
        title = pages[topic].title
        text = link_pages(pages[topic].read(), lambda name: name if name in pages else None)
    page = _HELP.format(title=escape(title), body=html_body(text))
    return Response(page, media_type="text/html; charset=utf-8")


def json_of(record: dict[str, Any], status: int = 200) -> Response:
    """A record as it goes out."""
    # Not with \u escapes: as the commands write it.
    data = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
    return Response(data, status, media_type="application/json")


async def body_of(request: Request, largest: int) -> bytes:
    """What was sent; Odd where it is too much."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > largest:
            raise BadRequest(f"more than {largest:,} bytes were sent")
    return bytes(found)


def text_in(data: Mapping[str, Any], name: str, longest: int | str = 200) -> str:
    """A text that was sent under a name, so long at most, or by the limit of this name; Odd for none."""
    value = data.get(name)
    if not isinstance(value, str):
        raise BadRequest(f"{name} is a text")
    if isinstance(longest, str) and len(value) > size_limit(longest):
        raise BadRequest(f"{name}: {too_large_message(longest)}")
    if isinstance(longest, int) and len(value) > longest:
        raise BadRequest(f"{name} has more than {longest} characters")
    return value


def texts_in(data: Mapping[str, Any], name: str) -> list[str] | None:
    """Texts that were sent under a name; None where nothing was, Odd for anything else."""
    found = data.get(name)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise BadRequest(f"{name} is a list of texts")
    return found


def mapping_in(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Values by name that were sent; Odd for anything else."""
    found = data.get(name, {})
    if not isinstance(found, dict) or len(found) > 40:
        raise BadRequest(f"{name} are texts by name")
    return found


# --- What is handed over: board texts, and VASL archives, which are imported in a process of
#     their own.


@dataclass(frozen=True)
class UploadedTexts:
    """A board's text under its name, and the texts that it uses by theirs."""

    name: str
    text: str
    files: Mapping[str, str]


def texts_of(board: str) -> UploadedTexts:
    """A board file, or a bundled board, with the files that it uses; BoardError where it cannot be read.

    A board with mistakes can be read: the page marks them.
    """
    return texts_at(find_board(board))


def texts_at(path: Path) -> UploadedTexts:
    """The same of a file."""
    texts = files_used(path)
    text = texts.pop(path.name)
    return UploadedTexts(path.name, text, texts)


def accept_upload(
    shelf: DocumentStore, name: str, text: str, files: Mapping[str, str]
) -> dict[str, Any]:
    """A board as a page begins with it: its text, and the names of those that it uses, by digest."""
    name, text, used = wrapped(name, text, files)
    return {
        "name": name,
        "text": text,
        "files": {each: shelf.put_text(used[each]) for each in used},
    }


async def taken_in(shelf: DocumentStore, limits: Limits, request: Request) -> Response:
    """A file that was handed over: a board's text, or an archive or game of VASL, which is imported."""
    try:
        name = request.query_params.get("name", "")[:200].replace("\\", "/").rpartition("/")[2]
        data = await body_of(request, size_limit("archive"))
        # An archive is a zip file; what is none is a text.
        if data[:2] == b"PK" and name.lower().endswith((".vsav", ".vlog")):
            game, given = _with_archives(data, request.query_params.getlist("archive"))
            return json_of(await to_thread.run_sync(_game, shelf, name, game, given, limits))
        if data[:2] == b"PK":
            text = await to_thread.run_sync(_imported, data, limits)
            name = f"{name.removesuffix('.zip') or 'board'}.board"
        else:
            if len(data) > size_limit("board"):
                raise BadRequest(too_large_message("board"))
            text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        return json_of({"name": name or "my.board", "digest": shelf.put_text(text), "text": text})
    except UnicodeDecodeError:
        return json_of(
            {"error": {"message": f"{name} is neither a board text nor a VASL archive"}}, 400
        )
    except ERRORS as error:
        return json_of({"error": {"message": str(error)}}, 400)


def _with_archives(data: bytes, sent: Sequence[str]) -> tuple[bytes, dict[str, bytes]]:
    """A game, and the board archives that were sent behind it: `sent` says the name and bytes of each."""
    given: dict[str, bytes] = {}
    for each in reversed(sent):
        found = re.fullmatch(r"(bd\w{1,40}):(\d{1,9})", each, re.ASCII)
        if found is None or int(found[2]) >= len(data):
            raise BadRequest(f"{each[:60]} is no board archive of VASL")
        start = len(data) - int(found[2])
        data, given[found[1]] = data[:start], data[start:]
    return data, given


def _game(
    shelf: DocumentStore, name: str, data: bytes, given: Mapping[str, bytes], limits: Limits
) -> dict[str, Any]:
    """A game of VASL as a page begins with it, and the report of its counters.

    The archives that are given count before those in the folder of archives.
    """
    from rules_asp.saves.importer import boards_folder

    with tempfile.TemporaryDirectory(prefix="rules-asp-") as folder:
        path = Path(folder) / "game.vsav"
        path.write_bytes(data)
        boards = Path(folder) / "boards"
        boards.mkdir()
        for archive, held in given.items():
            (boards / archive).write_bytes(held)
        usual = boards_folder()
        if given and usual is not None:
            (boards / "usual").symlink_to(usual.resolve(), target_is_directory=True)
        try:
            played = import_game(path, boards if given else usual, limits=limits)
        except RulesAspError as error:
            raise BadRequest(str(error).replace(str(path), "the game")) from None
    board = f"{name.rpartition('.')[0] or 'game'}.board"
    # A comment names the file: the one that was handed over, and not ours.
    text = played.text.replace("# From game.vsav,", "# From a saved game,", 1)
    taken = accept_upload(shelf, board, text, played.boards)
    return {**taken, "report": report_json.game(played, board)}


def _imported(data: bytes, limits: Limits) -> str:
    with tempfile.TemporaryDirectory(prefix="rules-asp-") as folder:
        path = Path(folder) / "archive"
        path.write_bytes(data)
        try:
            return write(import_archive(path, limits))
        except RulesAspError as error:
            raise BadRequest(str(error).replace(str(path), "the archive")) from None
