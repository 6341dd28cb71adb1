"""Access control: requests need the printed address with its token, and must come from the page."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
