"""What goes over the wire: what a page sends, read with care; JSON, and the files of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rules_asp import RulesAspError
from rules_asp.bounds.sizes import size_limit, too_large_message

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
    data = resources.files("rules_asp.explorer").joinpath("page", name).read_bytes()
    return Response(data, media_type=f"{_KINDS[Path(name).suffix]}; charset=utf-8")


def page_files() -> frozenset[str]:
    """The names of the files of the page."""
    folder = resources.files("rules_asp.explorer").joinpath("page")
    return frozenset(each.name for each in folder.iterdir() if Path(each.name).suffix in _KINDS)


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
