"""The start of the server: the board that it is given, its socket, its token, its address."""

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
from rules_asp.web.documents import DocumentStore
from rules_asp.web.protocol import UploadedTexts, accept_upload
from rules_asp.web.routes import ServerState, application, front
from rules_asp.web.security import AccessGuard, is_any, is_loopback, names_of
from rules_asp.web.tab_workers import TabWorkers
from rules_asp.web.tasks import LineReader, TabSession

#: Where it listens unless told otherwise: the section on buildings is B23.
_PORT = 8023


@dataclass(frozen=True)
class RunningServer:
    """A server that listens, and waits to be run.

    `others` are further addresses at which other machines may reach it; None where none can.
    """

    server: uvicorn.Server
    sock: socket.socket
    desktop: ServerState
    address: str
    others: tuple[str, ...] | None = None

    def serve(self, browser: bool = False) -> None:
        """Answer until Ctrl-C; a browser is opened as soon as it can be answered, if there is one."""
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
            print("no browser was found: open this address in one", file=sys.stderr, flush=True)


def start_server(
    reading: LineReader,
    texts: UploadedTexts | None,
    host: str,
    port: int | None,
    limits: Limits,
    notes: Notes | None = None,
) -> RunningServer:
    """A server for a page; OSError if it cannot listen there.

    `port` None: the usual one or, where that is taken, a free one.
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
    token = secrets.token_urlsafe(18)
    real = sock.getsockname()[1]
    own = [] if is_loopback(host) else _own_addresses()
    also = [] if is_loopback(host) else [socket.gethostname(), *own]
    names = names_of(host, real, also)
    app = AccessGuard(application(desktop), front(), token, names)
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

    def address(name: str) -> str:
        return f"http://{f'[{name}]' if ':' in name else name}:{real}/{token}/"

    others = None
    shown = host
    if is_any(host):
        # The page is opened here; whoever is elsewhere reaches it by one of the others.
        shown = "127.0.0.1" if ":" not in host else "::1"
        others = tuple(address(each) for each in also if not is_loopback(each))
    elif not is_loopback(host):
        others = ()
    return RunningServer(uvicorn.Server(config), sock, desktop, address(shown), others)


def _listening(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tried = [_PORT, 0] if port is None else [port]
    for each in tried:
        # Named as TCP, or asyncio leaves Nagle on, and each answer waits 40 ms for an acknowledgement.
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
    raise OSError("cannot listen there")


def _own_addresses() -> list[str]:
    """The addresses of this machine, as far as they can be found out without asking anybody."""
    found: set[str] = set()
    with suppress(OSError):
        found = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("192.0.2.1", 9))  # an address of no machine: nothing is sent
        found.add(str(sock.getsockname()[0]))
    return sorted(each for each in found if "%" not in each)
