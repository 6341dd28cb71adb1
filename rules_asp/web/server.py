"""The start of the server: its first board, socket, token and address."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import uvicorn

from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.notes import Notes
from rules_asp.runtime.limits import Limits
from rules_asp.web.documents import Document, DocumentStore, wrapped
from rules_asp.web.protocol import (
    AccessGuard,
    UploadedTexts,
    accept_upload,
    is_any,
    is_loopback,
    names_of,
    texts_of,
)
from rules_asp.web.routes import ServerState, application, front
from rules_asp.web.tasks import LineReader, TabSession, TabWorkers
from rules_asp.web.versions import VersionTree

#: The default port: the section on buildings is B23.
_PORT = 8023
#: The default first board.
_FIRST = "assault"


@dataclass(frozen=True)
class RunningServer:
    """A server that listens and can be run.

    `others` are further addresses for other machines; None if it is local. `views` are the
    view-only addresses, which exist if all pages share one position.
    """

    server: uvicorn.Server
    sock: socket.socket
    desktop: ServerState
    address: str
    others: tuple[str, ...] | None = None
    views: tuple[str, ...] = ()

    def serve(self, browser: bool = False) -> None:
        """Serve until Ctrl-C; open a browser as soon as the server answers, if there is one."""
        if browser:
            threading.Thread(target=self._open, daemon=True).start()
        try:
            self.server.run(sockets=[self.sock])
        except KeyboardInterrupt:
            pass
        finally:
            self.desktop.tabs.close()
            self.sock.close()

    def _open(self) -> None:
        while not self.server.started:
            time.sleep(0.05)
        opened = False
        with suppress(webbrowser.Error, OSError):
            opened = webbrowser.open(self.address)
        if not opened:
            print(
                "no browser was found: open this address in a browser", file=sys.stderr, flush=True
            )


def start_server(
    reading: LineReader,
    texts: UploadedTexts | None,
    host: str,
    port: int | None,
    limits: Limits,
    notes: Notes | None = None,
    shared: bool = False,
) -> RunningServer:
    """Create a server for a page; OSError if it cannot listen.

    `port` None: the default one, or a free one if it is taken. `shared`: all pages show one
    position.
    """
    sock = _listening(host, port)
    program = load_program().with_notes(notes)  # once, before processes are forked
    shelf = DocumentStore()
    start: Mapping[str, Any] = {}
    if texts is not None:
        start = accept_upload(shelf, texts.name, texts.text, texts.files)
    desktop = ServerState(
        TabWorkers(TabSession(reading, notes), limits), shelf, limits, start, program
    )
    if shared:
        desktop.shared = VersionTree()
        desktop.shared.begin(_first_document(texts))
    token, view = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
    real = sock.getsockname()[1]
    own = [] if is_loopback(host) else _own_addresses()
    also = [] if is_loopback(host) else [socket.gethostname(), *own]
    names = names_of(host, real, also)
    app = AccessGuard(application(desktop), front(), token, names, view if shared else None)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        ws="none",
        limit_concurrency=200,
    )

    def address(name: str, token: str = token) -> str:
        return f"http://{f'[{name}]' if ':' in name else name}:{real}/{token}/"

    others = None
    shown = host
    if is_any(host):
        # The page is opened on this machine; other machines use the other addresses.
        shown = "127.0.0.1" if ":" not in host else "::1"
        also = [each for each in also if not is_loopback(each)]
        others = tuple(map(address, also))
    elif not is_loopback(host):
        others, also = (), []
    views = tuple(address(each, view) for each in also or [shown]) if shared else ()
    server = _Server(config, desktop)
    return RunningServer(server, sock, desktop, address(shown), others, views)


class _Server(uvicorn.Server):
    """A server that ends event streams before it waits for its connections."""

    def __init__(self, config: uvicorn.Config, desktop: ServerState) -> None:
        super().__init__(config)
        self._desktop = desktop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._desktop.shared is not None:
            self._desktop.shared.close()
        await super().shutdown(sockets)


def _first_document(texts: UploadedTexts | None) -> Document:
    """Return the first board of all pages: the given one, or an included one."""
    given = texts if texts is not None else texts_of(_FIRST)
    return Document(*wrapped(given.name, given.text, given.files))


def _listening(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tried = [_PORT, 0] if port is None else [port]
    for each in tried:
        # Declared as TCP: otherwise asyncio leaves Nagle's algorithm on, and each answer waits 40
        # ms.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix" and sys.platform != "cygwin":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((host, each))
            sock.listen(128)
            return sock
        except OSError:
            sock.close()
            if each == tried[-1]:
                raise
    raise OSError("the address cannot be used")


def _own_addresses() -> list[str]:
    """Return the addresses of this machine, as far as they are known without network traffic."""
    found: set[str] = set()
    with suppress(OSError):
        found = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent
        found.add(str(sock.getsockname()[0]))
    return sorted(each for each in found if "%" not in each)
