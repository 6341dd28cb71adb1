"""The protocol of the page: validated requests, allowed callers, and uploads."""

from __future__ import annotations

import hmac
import json
import re
import tempfile
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib import resources
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from rules_asp import RulesAspError
from rules_asp.api import ERRORS, import_archive, import_game
from rules_asp.drawing.patches import archive_picture
from rules_asp.output import listing_json
from rules_asp.output.help_pages import help_pages, html_body, link_pages
from rules_asp.parser.reader import files_used
from rules_asp.parser.writer import write
from rules_asp.positions.loading import find_board
from rules_asp.runtime.limits import Limits, size_limit, too_large_message
from rules_asp.runtime.worker import call_isolated

# Not on demand: a process that is forked while another thread imports waits for that import.
from rules_asp.saves.importer import boards_folder
from rules_asp.web.documents import DocumentStore, wrapped

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
        raise BadRequest(f"`{name}` must be a string")
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
        raise BadRequest(f"`{name}` must be a list of strings")
    return found


def mapping_in(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a field with values by name; BadRequest for other values."""
    found = data.get(name, {})
    if not isinstance(found, dict) or len(found) > 40:
        raise BadRequest(f"`{name}` must be an object with strings as values")
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
    imported.

    With `picture`, return only the quick picture of an archive, which is not imported.
    """
    try:
        name = request.query_params.get("name", "")[:200].replace("\\", "/").rpartition("/")[2]
        data = await body_of(request, size_limit("archive"))
        if "picture" in request.query_params:
            return json_of(await to_thread.run_sync(_pictured, data, limits))
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
    return {**taken, "report": listing_json.game(played, board)}


def _imported(data: bytes, limits: Limits) -> str:
    with _archive(data) as path:
        return write(import_archive(path, limits))


def _pictured(data: bytes, limits: Limits) -> dict[str, Any]:
    """Return the quick picture of a board archive."""
    with _archive(data) as path:
        found = call_isolated(archive_picture, path, limits=limits, what="the picture")
    return {"png": b64encode(found.png).decode("ascii"), "box": list(found.box)}


@contextmanager
def _archive(data: bytes) -> Iterator[Path]:
    """Write an uploaded archive to a temporary file; its path is not in the messages."""
    with tempfile.TemporaryDirectory(prefix="rules-asp-") as folder:
        path = Path(folder) / "archive"
        path.write_bytes(data)
        try:
            yield path
        except RulesAspError as error:
            raise BadRequest(str(error).replace(str(path), "the archive")) from None


_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: A browser accepts this header without a warning only on a connection that is secure or local.
_OPENER = (b"cross-origin-opener-policy", b"same-origin")
#: The key in the scope of a request that came by the view-only address.
VIEW_ONLY = "rules_asp.view_only"
#: The paths shown to anyone.
FRONT = ("/", "/front.js", "/style.css", "/icon.svg")
#: Headers that prevent caching, framing and referrers.
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def is_loopback(host: str) -> bool:
    """Test whether an address is the loopback address of this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_any(host: str) -> bool:
    """Test whether an address stands for all addresses of this machine."""
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False


def names_of(host: str, port: int, also: Collection[str] = ()) -> frozenset[str]:
    """Return the names by which a browser may call the server; `also` are further names of the
    machine."""
    hosts = {_bracketed(host), *map(_bracketed, also)}
    if is_loopback(host) or is_any(host):
        hosts |= {"127.0.0.1", "localhost", "[::1]"}
    return frozenset(f"{each.lower()}:{port}" for each in hosts)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


class AccessGuard:
    """Passes requests that use a name of this server, come from its own page, and have its token in
    the path.

    Paths reach the app without the token. `front` is shown at `/`, to anyone, and contains no data.
    A request with the token `view` is marked as VIEW_ONLY.
    """

    def __init__(
        self,
        app: ASGIApp,
        front: ASGIApp,
        token: str,
        names: Collection[str],
        view: str | None = None,
    ) -> None:
        self._app, self._front = app, front
        self._tokens = {token.encode("ascii"): False}
        if view is not None:
            self._tokens[view.encode("ascii")] = True
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # other protocols are not served
        headers = dict(scope["headers"])
        why = self._amiss(scope, headers)
        if why is not None:
            await _refuse(send, why)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [
                    pair for pair in message.get("headers", ()) if pair[0] not in dict(_HEADERS)
                ]
                opener = [_OPENER] if is_loopback(_named(headers)) else []
                message = {**message, "headers": [*kept, *_HEADERS, *opener]}
            await send(message)

        first, _, rest = scope["path"].lstrip("/").partition("/")
        given = first.encode("utf-8", "replace")
        # Compare all tokens, so that the time reveals nothing.
        known = [view for token, view in self._tokens.items() if hmac.compare_digest(given, token)]
        if scope["path"] in FRONT:
            await self._front(scope, receive, guarded)
        elif known:
            path = f"/{rest}"
            inner = {**scope, "path": path, "raw_path": path.encode("utf-8", "replace")}
            await self._app({**inner, VIEW_ONLY: known[0]}, receive, guarded)
        else:
            await _refuse(
                send, "the address is wrong: use the one that `rules-asp explore` has printed"
            )

    def _amiss(self, scope: Scope, headers: dict[bytes, bytes]) -> str | None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if host not in self._names and host != _reached_at(scope):
            return "the server does not have this host name"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() != f"http://{host}":
            return "the request comes from another page, which is not allowed"
        site = headers.get(b"sec-fetch-site", b"none")
        arrives = scope["path"] == "/" and headers.get(b"sec-fetch-mode") == b"navigate"
        if site not in (b"none", b"same-origin") and not arrives:
            return "the request comes from another page, which is not allowed"
        return None


def _named(headers: dict[bytes, bytes]) -> str:
    """Return the host name of a request, without the port."""
    return headers.get(b"host", b"").decode("latin-1").lower().rpartition(":")[0]


def _reached_at(scope: Scope) -> str | None:
    """Return the address of this machine that was requested; a numeric address prevents DNS
    rebinding."""
    host, port = scope.get("server") or ("", None)
    try:
        ip_address(host)
    except ValueError:
        return None
    return f"{_bracketed(host)}:{port}"


async def _refuse(send: Send, why: str) -> None:
    body = why.encode() + b"\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
