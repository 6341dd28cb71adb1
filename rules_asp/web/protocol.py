"""The protocol of the page: validated requests, and uploads."""

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

# --- Requests and responses: validated fields, JSON, and the files of the page.


#: The types of the files of the page.
_KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


class BadRequest(RulesAspError):
    """A request that the page does not send."""


class DocumentGone(BadRequest):
    """A document that was not sent, or long ago; the page sends it again."""


def page_file(name: str) -> Response:
    """Return a file of the page, and no other file."""
    if name not in page_files():
        return json_of({"error": {"message": "the file does not exist"}}, 404)
    data = resources.files("rules_asp.web").joinpath("page", name).read_bytes()
    return Response(data, media_type=f"{_KINDS[Path(name).suffix]}; charset=utf-8")


def page_files() -> frozenset[str]:
    """Return the names of the files of the page."""
    folder = resources.files("rules_asp.web").joinpath("page")
    return frozenset(each.name for each in folder.iterdir() if Path(each.name).suffix in _KINDS)


#: A page of the documentation in the style of the explorer.
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
    """Return a page of the documentation as HTML; `contents` lists all."""
    pages = help_pages()
    if topic != "contents" and topic not in pages:
        return json_of({"error": {"message": "the page does not exist"}}, 404)
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
    """Return a record as a response."""
    # Without \u escapes, as in the output of commands.
    data = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
    return Response(data, status, media_type="application/json")


async def body_of(request: Request, largest: int) -> bytes:
    """Return the body of a request; BadRequest if it is too large."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > largest:
            raise BadRequest(f"the request has more than {largest:,} bytes")
    return bytes(found)


def text_in(data: Mapping[str, Any], name: str, longest: int | str = 200) -> str:
    """Return a text field, with this maximum length or the limit of this name; BadRequest if
    missing."""
    value = data.get(name)
    if not isinstance(value, str):
        raise BadRequest(f"`{name}` must be a text")
    if isinstance(longest, str) and len(value) > size_limit(longest):
        raise BadRequest(f"`{name}` is too large: {too_large_message(longest)}")
    if isinstance(longest, int) and len(value) > longest:
        raise BadRequest(f"`{name}` may have at most {longest} characters")
    return value


def texts_in(data: Mapping[str, Any], name: str) -> list[str] | None:
    """Return a field with texts; None if it is missing, BadRequest for other values."""
    found = data.get(name)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise BadRequest(f"`{name}` must be a list of texts")
    return found


def mapping_in(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a field with values by name; BadRequest for other values."""
    found = data.get(name, {})
    if not isinstance(found, dict) or len(found) > 40:
        raise BadRequest(f"`{name}` must be an object with texts as values")
    return found


# --- Uploads: board texts, and VASL archives, which are imported in a process of their own.


@dataclass(frozen=True)
class UploadedTexts:
    """A board's text with its name, and the texts that it uses with theirs."""

    name: str
    text: str
    files: Mapping[str, str]


def texts_of(board: str) -> UploadedTexts:
    """Return a board file, or a bundled board, with the files that it uses; BoardError if it cannot
    be read.

    Boards with mistakes are accepted: the page marks the mistakes.
    """
    return texts_at(find_board(board))


def texts_at(path: Path) -> UploadedTexts:
    """Return the same for a path."""
    texts = files_used(path)
    text = texts.pop(path.name)
    return UploadedTexts(path.name, text, texts)


def accept_upload(
    shelf: DocumentStore, name: str, text: str, files: Mapping[str, str]
) -> dict[str, Any]:
    """Return a board for a new page: its text, and the names of the texts it uses, by digest."""
    name, text, used = wrapped(name, text, files)
    return {
        "name": name,
        "text": text,
        "files": {each: shelf.put_text(used[each]) for each in used},
    }


async def taken_in(shelf: DocumentStore, limits: Limits, request: Request) -> Response:
    """Return the result of an upload: a board's text, or an archive or game of VASL, which is
    imported."""
    try:
        name = request.query_params.get("name", "")[:200].replace("\\", "/").rpartition("/")[2]
        data = await body_of(request, size_limit("archive"))
        # An archive is a ZIP file; other files are texts.
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
    """Split a game from the board archives after it; `sent` has the name and length of each."""
    given: dict[str, bytes] = {}
    for each in reversed(sent):
        found = re.fullmatch(r"(bd\w{1,40}):(\d{1,9})", each, re.ASCII)
        if found is None or int(found[2]) >= len(data):
            raise BadRequest(f"{each[:60]} is not a board archive of VASL")
        start = len(data) - int(found[2])
        data, given[found[1]] = data[:start], data[start:]
    return data, given


def _game(
    shelf: DocumentStore, name: str, data: bytes, given: Mapping[str, bytes], limits: Limits
) -> dict[str, Any]:
    """Return a game of VASL for a new page, with the report of its counters.

    The given archives take precedence over those in the folder of archives.
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
    # A comment names the uploaded file instead of the temporary one.
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
