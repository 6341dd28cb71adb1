"""A user of the explorer's page in a real browser: clicks, input, and the resulting page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rules_asp.cli.board_commands import as_commands
from rules_asp.runtime.limits import Limits
from rules_asp.web.server import RunningServer, start_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

#: Chromium says and asks nothing, and needs no more than there is.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium() -> str | None:
    """The system's Chromium; None where there is none."""
    named = os.environ.get("RULES_ASP_CHROMIUM")
    found = (shutil.which(each) for each in ("chromium", "chromium-browser", "google-chrome"))
    return named or next(filter(None, found), None)


#: What drops files onto the map: names, each with its bytes in base 64.
DROP = """(files) => {
    const data = new DataTransfer();
    for (const [name, coded] of files) {
        data.items.add(new File([Uint8Array.from(atob(coded), (each) => each.charCodeAt(0))], name));
    }
    for (const kind of ["dragenter", "dragover", "drop"]) {
        const event = new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
        document.getElementById("view").dispatchEvent(event);
    }
}"""


@contextmanager
def serving(*args: str, cwd: Path | None = None) -> Iterator[str]:
    """The address of a server that was started as a person starts it."""
    command = [sys.executable, "-m", "rules_asp", "explore", *args, "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("explore at http://127.0.0.1:"), line
            yield line.removeprefix("explore at ").strip()
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def running(shared: bool) -> Iterator[RunningServer]:
    """A server in this process, at which all pages share a position, or each has its own."""
    started = start_server(as_commands(), None, "127.0.0.1", 0, Limits(60), shared=shared)
    thread = threading.Thread(target=started.serve)
    thread.start()
    try:
        while not started.server.started:
            time.sleep(0.02)
        yield started
    finally:
        started.server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser, which leaves nothing behind."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as home, sync_playwright() as playwright:
        # Chromium keeps notes of its crashes under this folder, whatever profile it has.
        env: dict[str, str | float | bool] = {**os.environ, "XDG_CONFIG_HOME": home}
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS), env=env)
        yield browser
        browser.close()


class Person:
    """Someone at a page, who notes whatever goes wrong in it."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.page: Page = context.new_page()
        self.page.set_default_timeout(int(os.environ.get("RULES_ASP_WAIT", "60000")))
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "console",
            lambda said: self._heard(said.type, f"{said.text} {said.location.get('url', '')}"),
        )

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error":
            self.wrong.append(text)

    def arrive(self, fragment: str = "") -> Person:
        """Open the page."""
        self.page.goto(self.address + fragment)
        self.page.wait_for_selector("body[data-ready]")
        self.page.wait_for_selector("#world .overlay", state="attached")
        return self

    def open(self, text: str, name: str = "own.board", *others: tuple[str, bytes]) -> None:
        """Hand over a board text, and files that it uses, by the dialog."""
        self.page.click("#open-menu")
        files = [(name, text.encode()), *others]
        self.page.set_input_files(
            "#files",
            [{"name": n, "mimeType": "application/octet-stream", "buffer": d} for n, d in files],
        )
        self.page.wait_for_selector(f"#board-name:text('{name}')")
        self.page.wait_for_selector("body[data-board]:not([data-board=''])")

    def where(self, hex_: str) -> tuple[float, float]:
        """Where a hex is on the screen."""
        x, y = self.page.evaluate(
            """async (hex) => {
                const map = await import("./map.js"), { board } = await import("./board.js");
                const at = board.hexes.get(hex), [x, y] = map.reading.toView(at.x, at.y);
                const frame = document.getElementById("view").getBoundingClientRect();
                return [x + frame.left, y + frame.top];
            }""",
            hex_,
        )
        return x, y

    def drag(self, start: str, end: str, up: bool = True) -> None:
        """Press on a hex and draw to another."""
        self.page.mouse.move(*self.where(start))
        self.page.mouse.down()
        self.page.mouse.move(*self.where(end), steps=6)
        if up:
            self.page.mouse.up()

    def pick(self, place: str) -> None:
        """Click a hex, and its floor where it has several, or units."""
        hex_ = place.split("/")[0]
        self.page.mouse.click(*self.where(hex_))
        floor = self.page.locator(f'#floors:not([hidden]) [data-place="{place}"]')
        if self.page.locator("#floors:not([hidden])").count():
            floor.click()

    def tool(self, name: str) -> None:
        """Choose what to ask."""
        self.tab("ask")
        self.page.click(f'#tools [data-tool="{name}"]')

    def tab(self, name: str) -> None:
        """Choose a tab of the panel."""
        self.page.click(f"#tab-{name}")

    def answered(self, line: str | None = None) -> str:
        """Wait for the whole answer, and read what stands above it."""
        of = "" if line is None else f"[data-line={json.dumps(line)}]"
        self.page.wait_for_selector(f"#answer[data-state=whole]{of}")
        return self.page.inner_text("#answer .verdict")

    def record(self) -> dict[str, Any]:
        """The answer as the page has it."""
        found: dict[str, Any] = self.page.evaluate("document.getElementById('answer').record")
        return found

    def unfold(self, name: str) -> str:
        """Unfold a part of the answer, wait for what is in it, and read it."""
        fold = self.page.locator(f"details[data-fold={name}]")
        if fold.get_attribute("open") is None:
            fold.locator("summary").first.click()
        inner = fold.locator(".inner")
        self.page.wait_for_function(
            "(name) => { const inner = document.querySelector(`details[data-fold=${name}] .inner`);"
            " return inner.childElementCount && !inner.querySelector('.spinner'); }",
            arg=name,
        )
        return inner.inner_text()

    def text(self) -> str:
        """The board's text, as it stands in the editor."""
        return self.page.input_value("#board-text")
