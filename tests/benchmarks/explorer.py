"""The speed of the explorer's page, as a Markdown table: `python -m tests.benchmarks.explorer [BOARD ...]`.

Open: from the address to a map that can be clicked, and until it is drawn. Click: from the second click to
the line's verdict, and to all that it rests on. Drag: from the move of an end to the verdict, of lines over
the whole map. Edit: from a unit, SMOKE or wire that is put down until the map shows it. Frame: the time
between two frames while the map is dragged. In milliseconds, as a person sees them: medians, and in
brackets the most. CPU: what server and browser together take for one click, drag, edit, in
milliseconds, both with all their processes. Without boards: 12, 20 and a map of four, from
RULES_ASP_BOARDS.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rules_asp import api
from tests.browsing import Person, browsing, serving

_FOUR = (
    'use "bd21.board"\nuse "bd24.board" right of 21\nuse "bd12.board" below 21\n'
    'use "bd20.board" below 24\n'
)
#: So many clicks, so many hexes over which an end is dragged, and what is put down.
_CLICKS, _DRAGS = 12, 40
#: So many milliseconds a person looks at an answer before the next click.
_PAUSE = 1000
_EDITS = (
    "unit Otto squad german at {}",
    "smoke 2: {}",
    "wire: {}",
    "unit Otto squad german at {}",
) * 2


def processes(of: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield of
    for path in Path(f"/proc/{of}/task").glob("*/children"):
        for child in path.read_text().split():
            yield from processes(int(child))


def spent() -> tuple[int, int]:
    """CPU so far in milliseconds: of the server, of the browser."""
    found = [0, 0]
    for each in list(processes(os.getpid()))[1:]:
        with suppress(OSError, ValueError):
            name = Path(f"/proc/{each}/cmdline").read_text()
            times = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            kind = 0 if "rules_asp" in name else 1 if "chrom" in name else None
            if kind is not None:
                found[kind] += int(times[11]) + int(times[12])
    return found[0] * _TICK, found[1] * _TICK


_TICK = 1000 // os.sysconf("SC_CLK_TCK")


def boards(folder: Path) -> list[Path]:
    """Boards 12 and 20, and four boards as a map, imported into a folder."""
    archives = Path(os.environ["RULES_ASP_BOARDS"])
    for number in ("12", "20", "21", "24"):
        api.write(api.import_archive(archives / f"bd{number}"), folder / f"bd{number}.board")
    (folder / "four.board").write_text(_FOUR)
    return [folder / name for name in ("bd12.board", "bd20.board", "four.board")]


def measured(person: Person, board: Path) -> tuple[list[list[float]], list[str]]:
    """What is measured of a board: opening, drawing, clicks in short and whole, drags, edits, frames.

    And the CPU of a click, a drag, an edit: of the server, of the browser.
    """
    page = person.page
    cpu: list[str] = []

    def took_since(before: tuple[int, int], times: int) -> None:
        server, browser = ((now - then) / times for now, then in zip(spent(), before, strict=True))
        cpu.append(f"{server:.0f} + {browser:.0f}")

    page.goto(person.address)
    page.wait_for_selector("#world .overlay", state="attached")
    opened = page.evaluate("performance.now()")
    page.wait_for_selector("img.paper", state="attached")
    drawn = page.evaluate("performance.now()")
    page.wait_for_timeout(2500)  # what is fetched at leisure
    found: list[list[float]] = [[opened], [drawn]]
    places: list[str] = page.evaluate(
        "import('./board.js').then(({ board }) => [...board.hexes.values()]"
        ".filter((each) => each.floors.length === 1).map((each) => each.name))"
    )
    chosen = random.Random(1)
    short: list[float] = []
    whole: list[float] = []
    before = spent()
    for _ in range(_CLICKS):
        page.wait_for_timeout(_PAUSE)
        page.click("#form button:text('New line')")
        one, two = chosen.sample(places, 2)
        person.pick(one)
        took = page.evaluate(
            """async ([line, x, y]) => {
                const box = document.getElementById("answer"), view = document.getElementById("view");
                const start = performance.now(), found = {};
                const told = new Promise((done) => new MutationObserver(() => {
                    if (box.dataset.line !== line) return;
                    found[box.dataset.state] ??= performance.now() - start;
                    if (found.whole) done();
                }).observe(box, { attributes: true, childList: true, subtree: true }));
                const at = { clientX: x, clientY: y, pointerId: 7, bubbles: true, button: 0 };
                view.setPointerCapture = () => {};
                view.dispatchEvent(new PointerEvent("pointerdown", at));
                view.dispatchEvent(new PointerEvent("pointerup", at));
                await told;
                return [found.short ?? found.whole, found.whole];
            }""",
            [f"los {one} {two}", *person.where(two)],
        )
        short.append(took[0])
        whole.append(took[1])
    took_since(before, _CLICKS)
    before = spent()
    drags = page.evaluate(
        """async ([names, least]) => {
            const { map } = await import("./map.js"), { board } = await import("./board.js");
            const { asked } = await import("./ask.js"), box = document.getElementById("answer");
            const found = [];
            for (const name of names) {
                const hex = board.hexes.get(name), from = asked.from.place;
                if (name === from || hex.floors.length !== 1) continue;
                const line = `los ${from} ${hex.floors[0].place}`, start = performance.now();
                const told = new Promise((done) => {
                    const seen = new MutationObserver(() => {
                        if (box.dataset.line === line) { seen.disconnect(); done(); }
                    });
                    seen.observe(box, { attributes: true, childList: true, subtree: true });
                });
                map.ondrag("to", hex);
                await told;
                found.push(performance.now() - start);
            }
            return found;
        }""",
        [chosen.sample(places, min(_DRAGS, len(places))), 0],
    )
    took_since(before, len(drags))
    page.click("#form button:text('New line')")
    # What each kind of change reads of the rules at first is read before.
    edits = [edited(page, each.format(chosen.choice(places))) for each in _EDITS][
        len(_EDITS) // 2 :
    ]
    before = spent()
    edits += [edited(page, each.format(chosen.choice(places))) for each in _EDITS]
    took_since(before, len(_EDITS))
    frames = page.evaluate(
        """async () => {
            const view = document.getElementById("view"), gaps = [];
            const { zoom } = await import("./map.js");
            zoom(3);
            await new Promise((later) => setTimeout(later, 1200));
            const at = (x, y, kind) => view.dispatchEvent(new PointerEvent(kind,
                { clientX: x, clientY: y, pointerId: 7, bubbles: true, button: 0 }));
            at(400, 400, "pointerdown");
            let last = performance.now();
            for (let n = 1; n < 60; n++) {
                at(400 + 3 * n, 400 + 2 * n, "pointermove");
                await new Promise((next) => requestAnimationFrame(next));
                gaps.push(performance.now() - last);
                last = performance.now();
            }
            at(580, 520, "pointerup");
            return gaps;
        }"""
    )
    return [*found, short, whole, drags, edits, frames], cpu


def edited(page: Any, line: str) -> float:
    """How long it takes until the map shows what a line says."""
    found: float = page.evaluate(
        """async (line) => {
            const { change, events } = await import("./board.js"), start = performance.now();
            const shown = new Promise((done) => {
                for (const name of ["drawn", "patched"]) events.addEventListener(name, done, { once:
                true });
            });
            const problems = await change({ add: line });
            if (problems.length) throw new Error(problems[0].message);
            await shown;
            await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
            return performance.now() - start;
        }""",
        line,
    )
    return found


def told(values: Sequence[float]) -> str:
    """A median and the most."""
    return f"{median(values):.0f} ({max(values):.0f})" if len(values) > 1 else f"{values[0]:.0f}"


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the table line by line."""
    seen = "open | drawn | click: verdict | click: whole | drag | edit | frame"
    print(f"| board | {seen} | CPU of a click | of a drag | of an edit |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as folder, browsing() as browser:
        for board in [Path(each) for each in arguments] or boards(Path(folder)):
            with serving(str(board)) as address:
                context = browser.new_context(viewport={"width": 1280, "height": 820})
                person = Person(context, address).arrive()
                rows, cpu = measured(person, board)
                print(f"| {board.stem} | {' | '.join([*map(told, rows), *cpu])} |", flush=True)
                context.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
