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

from rules_asp.bounds import Limits
from rules_asp.explorer import rulebook
from rules_asp.explorer.desk import Desk, Reading
from rules_asp.explorer.guard import Guard, is_loopback, names_of
from rules_asp.explorer.handing import Texts, handed
from rules_asp.explorer.service import Desktop, application, front
from rules_asp.explorer.sheets import Shelf
from rules_asp.explorer.tabs import Tabs
from rules_asp.knowledge.loading import load_program

#: Where it listens unless told otherwise: the section on buildings is B23.
_PORT = 8023


@dataclass(frozen=True)
class Started:
    """A server that listens, and waits to be run."""

    server: uvicorn.Server
    sock: socket.socket
    desktop: Desktop
    address: str

    def serve(self, browser: bool = False) -> None:
        """Answer until Ctrl-C; a browser is opened as soon as it can be answered."""
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
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(self.address)


def started(
    reading: Reading, texts: Texts | None, host: str, port: int | None, limits: Limits
) -> Started:
    """A server for a page; OSError where nothing can listen there.

    `port` None: the usual one or, where that is taken, a free one.
    """
    sock = _listening(host, port)
    load_program()  # once, before processes are forked
    rulebook.rulings()
    shelf = Shelf()
    start: Mapping[str, Any] = {}
    if texts is not None:
        start = handed(shelf, texts.name, texts.text, texts.files)
    desktop = Desktop(Tabs(Desk(reading), limits), shelf, limits, start)
    token = secrets.token_urlsafe(18)
    real = sock.getsockname()[1]
    also = [] if is_loopback(host) else [socket.gethostname(), *_own_addresses()]
    names = names_of(host, real, also)
    app = Guard(application(desktop), front(), token, names)
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
    shown = f"[{host}]" if ":" in host else host
    if host in ("0.0.0.0", "::"):
        shown = socket.gethostname()
    return Started(uvicorn.Server(config), sock, desktop, f"http://{shown}:{real}/{token}/")


def _listening(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tried = [_PORT, 0] if port is None else [port]
    for each in tried:
        sock = socket.socket(family, socket.SOCK_STREAM)
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
    raise OSError("nothing can listen there")


def _own_addresses() -> list[str]:
    with suppress(OSError):
        return sorted({str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)})
    return []
