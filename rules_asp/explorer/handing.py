"""What is handed over: board texts, and VASL archives, which are imported in a process of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from rules_asp import RulesAspError
from rules_asp.api import ERRORS, import_archive
from rules_asp.bounds import Limits
from rules_asp.bounds.sizes import size_limit, too_large_message
from rules_asp.explorer.sheets import DocumentStore, wrapped
from rules_asp.explorer.wire import BadRequest, body_of, json_of
from rules_asp.parser.reader import files_used
from rules_asp.parser.writer import write
from rules_asp.positions.files import find_board


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
    """A file that was handed over: a board's text, or a VASL archive, which is imported."""
    try:
        name = request.query_params.get("name", "")[:200].replace("\\", "/").rpartition("/")[2]
        data = await body_of(request, size_limit("archive"))
        # An archive is a zip file; what is none is a text.
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


def _imported(data: bytes, limits: Limits) -> str:
    with tempfile.TemporaryDirectory(prefix="rules-asp-") as folder:
        path = Path(folder) / "archive"
        path.write_bytes(data)
        try:
            return write(import_archive(path, limits))
        except RulesAspError as error:
            raise BadRequest(str(error).replace(str(path), "the archive")) from None
