"""Random clicks and edits at the explorer's page: `python -m tests.fuzz.explorer --seconds 1200 --seed 1`.

Whatever is clicked and typed, neither page nor server may have an error, and every answer has to be the
one that the command gives by --json on the same text. Exit code 1 where that is not so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from base64 import b64encode
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner
from playwright.sync_api import Error
from playwright.sync_api import TimeoutError as BrowserTimeout

from rules_asp.cli.app import main as command
from rules_asp.positions.loading import example_boards
from tests.browsing import DROP, Person, browsing, serving

#: Lines that are typed into the text: good ones, bad ones, odd ones.
_TYPED = (
    *(
        "woods: {hex}",
        "wods: {hex}",
        "grain: {hex}",
        "level 1: {hex}",
        "wall: {hex}-{other}",
        "night",
    ),
    *("unit {name} squad german at {place}", "unit {name} leader", "smoke 2: {place}", "rooftops"),
    *(
        'building "<b>&" gray: {hex}',
        "fortified revealed: {place}",
        "rules PB4",
        "# nothing",
        "\\",
        '"',
    ),
    *(
        "expect los {place} - {hex} clear",
        "blaze {place}",
        "rubble stone: {hex}",
        "<script>alert(1)</script>",
    ),
)
_WORDS = (
    *("ask height(H) = V", "ask rowhouse(H)", "ask building_tem({hex}) = V", "los {place} {hex}"),
    *(
        "tem {place} {hex}",
        "why elev({place}) = V",
        "sees {place}",
        "ask nonsense(",
        "los",
        "loss {hex}",
    ),
    *("fire {place} {hex} --moving", "ask sees({place} - {hex})", "can fire from {place} at {hex}"),
)


#: What is done, and how often beside the others.
_KINDS = {
    **{
        "pick": 7,
        "tool": 3,
        "drag": 3,
        "type": 2,
        "words": 2,
        "put": 3,
        "unit": 3,
        "undo": 2,
        "tray": 3,
        "version": 2,
        "redo": 1,
    },
    **dict.fromkeys(
        ("pan", "zoom", "ruling", "rules", "board", "deed", "key", "swap", "legend"), 1
    ),
    **{
        "fold": 2,
        "search": 1,
        "norm": 1,
        "link": 1,
        "files": 1,
        "drop": 1,
        "tab": 1,
        "case": 1,
        "save": 1,
    },
}


@dataclass
class Walk:
    """A person who does anything, and what came of it."""

    person: Person
    random: random.Random
    folder: Path
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    milliseconds: list[int] = field(default_factory=list)
    compared: dict[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def page(self) -> Any:
        """The page."""
        return self.person.page

    def place(self) -> tuple[str, str]:
        """Some Location of the map, and its hex."""
        found: list[list[str]] = self.page.evaluate(
            "import('./board.js').then(({ board }) =>"
            " [...board.places.values()].map((each) => [each.place, each.hex]))"
        )
        place, hex_ = self.random.choice(found or [["A1", "A1"]])
        return place, hex_

    def point(self) -> tuple[float, float]:
        """Where some hex is on the screen, all seen at one moment; the middle of a page without a map."""
        x, y = self.page.evaluate(
            """async (chance) => {
                const map = await import("./map.js"), { board } = await import("./board.js");
                const frame = document.getElementById("view").getBoundingClientRect();
                const hexes = [...board.hexes.values()], at = hexes[Math.floor(chance * hexes.length)];
                const [x, y] = at ? map.reading.toView(at.x, at.y) : [frame.width / 2, frame.height / 2];
                return [x + frame.left, y + frame.top];
            }""",
            self.random.random(),
        )
        return x, y

    def filled(self, text: str) -> str:
        """A line with something in its places."""
        place, hex_ = self.place()
        _, other = self.place()
        name = self.random.choice("ABCDZ")
        return text.format(place=place, hex=hex_, other=other, name=name)

    def step(self) -> None:
        """Do something, see whether all is well."""
        self.with_map()
        kinds = [kind for kind, times in _KINDS.items() for _ in range(times)]
        kind = self.random.choice(kinds)
        getattr(self, f"do_{kind}")()
        self.done[kind] += 1
        self.page.wait_for_timeout(self.random.choice((20, 60, 200, 500)))
        if self.page.locator("dialog[open]").count():
            self.page.keyboard.press("Escape")
        self.check()

    def check(self) -> None:
        """The page has no error; its answer, if it has one that is whole, is the command's."""
        if self.person.wrong:
            self.wrong += self.person.wrong
            self.person.wrong.clear()
        found = self.calm()
        if found is None:
            self.wrong.append("the page waits for ever")
            return
        if "fault of rules-asp" in found["error"] or "Failed to fetch" in found["error"]:
            self.wrong.append(f"{found['line']}: {found['error']}")
        record = found["record"]
        if record and found["state"] == "whole" and not found["wrong"]:
            self.milliseconds.append(found["ms"])
            key = (found["key"], found["line"])
            if key not in self.compared:
                self.compared[key] = self.same(found)

    def calm(self) -> dict[str, Any] | None:
        """What the page has when it waits for nothing, all seen at one moment; None if that never comes."""
        for _ in range(600):
            found: dict[str, Any] | None = self.page.evaluate(
                """async () => {
                    const { board } = await import("./board.js"), box = document.getElementById("answer");
                    const busy = ["short", "asking", "waiting"].includes(box.dataset.state);
                    if (busy || !document.body.dataset.board) return null;
                    if (document.querySelector("#map.busy")) return null;
                    return { text: board.text, files: { ...board.files },
                        without: board.without, key: board.key,
                        wrong: board.problems.length, name: board.name, state: box.dataset.state,
                        line: box.dataset.line, record: box.record ?? null, ms: Number(box.dataset.ms ?? 0),
                        error: box.dataset.state === "error" ? box.innerText : "" };
                }"""
            )
            if found is not None:
                return found
            self.page.wait_for_timeout(100)
        return None

    def same(self, found: dict[str, Any]) -> bool:
        """Whether the command gives the same."""
        file = self.folder / found["name"]
        for name, digest in found["files"].items():
            given = self.page.evaluate(
                "(digest) => import('./net.js').then(({ call }) => call('text', { digest }))",
                digest,
            )
            self.put_down(self.folder / name, given["text"])
        self.put_down(file, found["text"])
        name, _, rest = found["line"].partition(" ")
        sentence = name in ("ask", "can", "why", "roll")
        words = (
            [rest]
            if sentence
            else [one or two for one, two in re.findall(r'"([^"]*)"|(\S+)', rest)]
        )
        off = [word for each in found["without"] for word in ("--without", each)]
        ran = CliRunner().invoke(command, [name, str(file), *words, "--json", *off])
        told = json.loads(ran.stdout) if ran.exit_code == 0 else {"exit": ran.output}
        told.pop("as_given", None)
        if told == found["record"]:
            return True
        differ = [
            each
            for each in {*told, *found["record"]}
            if told.get(each) != found["record"].get(each)
        ]
        self.wrong.append(
            f"{found['line']}: not the command's: {differ} {ran.output[:300]}\n{found['text']}"
        )
        return False

    def put_down(self, file: Path, text: str) -> None:
        """Write a file, in a folder of its own where its name has one."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")

    def waits(self, what: str, seconds: int = 60) -> None:
        """Wait until something that the page has is so."""
        for _ in range(seconds * 10):
            if self.page.evaluate(what):
                return
            self.page.wait_for_timeout(100)
        self.wrong.append(f"this never came: {what}")

    # --- what can be done

    def do_pick(self) -> None:
        self.page.mouse.click(*self.point())
        floors = self.page.locator("#floors:not([hidden]) button")
        if floors.count():
            floors.nth(self.random.randrange(floors.count())).click()

    def do_tool(self) -> None:
        tools = self.page.locator("#tools button")
        self.person.tab("ask")
        tools.nth(self.random.randrange(tools.count())).click()

    def do_drag(self) -> None:
        ends = self.page.locator("[data-end] .dot")
        if not ends.count():
            return self.do_pick()
        box = ends.nth(self.random.randrange(ends.count())).bounding_box()
        if box is None:
            return None
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        for _ in range(3):
            self.page.mouse.move(*self.point(), steps=4)
        self.page.mouse.up()
        return None

    def do_pan(self) -> None:
        x, y = self.random.randrange(100, 700), self.random.randrange(150, 700)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(
            x + self.random.randrange(-80, 80), y + self.random.randrange(-80, 80), steps=3
        )
        self.page.mouse.up()
        self.page.click("#zoom-all")

    def do_zoom(self) -> None:
        self.page.mouse.move(400, 400)
        self.page.mouse.wheel(0, self.random.choice((-400, -100, 100, 400)))
        self.page.click("#zoom-all")

    def do_type(self) -> None:
        self.person.tab("text")
        area = self.page.locator("#board-text")
        text = area.input_value()
        if self.random.random() < 0.4 or len(text) > 6000:
            lines = text.split("\n")
            lines.pop(self.random.randrange(len(lines)))
            area.fill("\n".join(lines))
        else:
            area.fill(text.rstrip("\n") + "\n" + self.filled(self.random.choice(_TYPED)) + "\n")
        self.page.wait_for_timeout(450)
        if (
            self.page.evaluate("document.body.dataset.board") == "wrong"
            and self.random.random() < 0.8
        ):
            self.do_undo()

    def do_words(self) -> None:
        self.person.tool("line")
        self.page.fill("[name=words]", self.filled(self.random.choice(_WORDS)))
        self.page.keyboard.press("Enter")

    def do_put(self) -> None:
        self.person.tab("change")
        kinds = self.page.locator("#pane-change [name=kind] option").all_inner_texts()
        if not kinds:
            return
        self.page.select_option("#pane-change [name=kind]", self.random.choice(kinds))
        forms = self.page.locator("#pane-change form[data-input]")
        take = self.page.locator("#pane-change section button:text('Take away')")
        if take.count() and self.random.random() < 0.4:
            take.nth(self.random.randrange(take.count())).click()
        elif forms.count():
            form = forms.nth(self.random.randrange(forms.count()))
            for field_ in form.locator("input").all():
                if not field_.input_value() or self.random.random() < 0.2:
                    field_.fill(self.fitting(field_.get_attribute("data-kind") or ""))
            form.locator("button").click()

    def fitting(self, kind: str) -> str:
        """Something of a kind that a form asks for, now and then something else."""
        place, hex_ = self.place()
        if self.random.random() < 0.1:
            return self.random.choice(("", "-1", "Z99", "<b>", "A"))
        if kind in ("hexside", "corner"):
            near: list[str] = self.page.evaluate(
                """async (name) => {
                    const { board } = await import("./board.js"), hex = board.hexes.get(name);
                    return !hex ? [] : [...board.hexes.values()].filter((each) => each !== hex
                        && Math.hypot(each.x - hex.x, each.y - hex.y) < 600).map((each) => each.name);
                }""",
                hex_,
            )
            other = self.random.choice(near or ["A1"])
            return f"{hex_}-{other}" if kind == "hexside" else other
        if kind == "unit":
            return self.random.choice("ABEFGL")
        known = {"location": place, "hex": hex_, "spot": hex_, "side": "german"}
        return known.get(kind) or self.random.choice(("1", "2", "3"))

    def do_unit(self) -> None:
        self.person.tab("change")
        if not self.page.locator("#pane-change [name=kind]").count():
            return
        self.page.select_option("#pane-change [name=kind]", "units")
        self.do_pick()
        buttons = self.page.locator("#pane-change .unit-form button, #pane-change ul [data-unit]")
        if buttons.count():
            buttons.nth(self.random.randrange(buttons.count())).click()

    def do_tray(self) -> None:
        """A counter, a weapon or a state is dragged from the tray to somewhere."""
        self.person.tab("change")
        self.page.select_option("#pane-change [name=kind]", "units")
        if not self.page.locator("[name=sheet]").count():
            return
        sheets = self.page.locator("[name=sheet] option").all_inner_texts()
        self.page.select_option("[name=sheet]", self.random.choice(sheets))
        pieces = self.page.locator(".piece")
        if not pieces.count():
            return
        piece = pieces.nth(self.random.randrange(pieces.count()))
        try:
            piece.scroll_into_view_if_needed()
        except Error:
            return  # the tray has just been filled again
        box = piece.bounding_box()
        if box is None:
            return
        self.page.mouse.move(box["x"] + 8, box["y"] + 8)
        self.page.mouse.down()
        self.page.mouse.move(*self.point(), steps=4)
        self.page.mouse.up()
        floors = self.page.locator("#floors:not([hidden]) button")
        if floors.count():
            floors.nth(self.random.randrange(floors.count())).click()

    def do_version(self) -> None:
        """Another version is shown, or one gets a name."""
        self.person.tab("versions")
        rows = self.page.locator("[data-version]")
        if not rows.count():
            return
        row = rows.nth(self.random.randrange(rows.count()))
        if self.random.random() < 0.5:
            row.locator("button").click()
        else:
            row.locator("input").fill(self.random.choice(("one", "two", "", "<b>")))
            self.page.keyboard.press("Enter")

    def do_undo(self) -> None:
        if self.page.locator("#undo:enabled").count():
            self.page.click("#undo")

    def do_redo(self) -> None:
        if self.page.locator("#redo:enabled").count():
            self.page.click("#redo")

    def do_ruling(self) -> None:
        switches = self.page.locator("#answer [data-ruling]:visible")
        if switches.count():
            switches.first.click()

    def do_fold(self) -> None:
        self.person.tab("ask")
        folds = self.page.locator("#answer details[data-fold]:not([data-fold=hangs]) > summary")
        if folds.count():
            folds.nth(self.random.randrange(folds.count())).click()

    def do_search(self) -> None:
        """What an answer hangs on, what would change it, the case of it: to the end, or stopped."""
        self.person.tab("ask")
        fold = self.page.locator(
            "#answer details[data-fold=hangs], #answer details[data-fold=mend]"
        )
        if not fold.count():
            return
        one = fold.nth(self.random.randrange(fold.count()))
        one.locator("summary").first.click()
        if one.locator("[name=wanted]").count() and one.locator("[name=wanted]").is_visible():
            one.locator("[name=wanted]").fill(self.random.choice(("clear", "blocked", "2", "x")))
            one.locator("button:text('Search')").click()
        for _ in range(self.random.choice((0, 4, 40))):
            if not one.locator(".spinner").count():
                break
            self.page.wait_for_timeout(500)
        if (stop := one.locator("button:text('Stop')")).count():
            # The search may have come to its end meanwhile.
            with suppress(Error):
                stop.first.click(timeout=2000)

    def do_norm(self) -> None:
        self.person.tab("ask")
        norms = self.page.locator("#answer a.norm:visible, #answer a.cite:visible")
        if norms.count():
            norms.nth(self.random.randrange(norms.count())).click()
            self.page.wait_for_selector("#rules .sections")
            self.page.wait_for_timeout(300)
            self.page.click("#to-rules")

    def do_case(self) -> None:
        """A norm of the rules, and one of its cases on the map."""
        self.page.click("#to-rules")
        self.page.wait_for_selector("#rules .sections")
        norm = self.page.evaluate(
            """(chance) => {
                const cards = [...document.querySelectorAll(".norm-card")].filter((each) =>
                    [...each.querySelectorAll("summary")].some((one) => /^Cases/.test(one.textContent)));
                const card = cards[Math.floor(chance * cards.length)];
                location.hash = `rules/${card.dataset.norm}`;
                return card.dataset.norm;
            }""",
            self.random.random(),
        )
        card = f'.norm-card.here[data-norm="{norm}"]'
        self.page.wait_for_selector(card)
        # Who was here before has left them unfolded.
        for fold in self.page.locator(
            f"{card} details:not([open]):has(> summary:has-text('Cases'))"
        ).all():
            fold.locator("summary").first.click()
        cases = self.page.locator(f"{card} .case-button")
        cases.nth(self.random.randrange(cases.count())).click()
        self.waits(
            "!document.getElementById('explorer').hidden && document.body.dataset.board !== ''"
        )

    def do_legend(self) -> None:
        self.person.tab("legend")

    def do_link(self) -> None:
        """A link to what is open, which is pasted again."""
        self.page.click("#link")
        link = self.page.input_value("dialog textarea")
        self.page.click("dialog button:text-is('Close')")
        self.page.click("#open-menu")
        self.page.fill("dialog input[aria-label=Link]", self.random.choice((link, link, link[:60])))
        self.page.click("dialog form button")
        self.page.wait_for_timeout(200)
        if self.page.locator("dialog[open]").count():
            say = self.random.choice(("No", "Open", "Open"))
            self.page.click(f"dialog button:text-is('{say}')")

    def given(self) -> list[tuple[str, bytes]]:
        """Files that somebody may hand over: boards, boards that use others, an archive, anything."""
        example = self.random.choice(list(example_boards().values()))
        on_it = f'use "{example.name}"\nunit Q squad german\n'.encode()
        archives = os.environ.get("RULES_ASP_BOARDS")
        ways = [
            [(example.name, example.read_bytes())],
            [("mine.board", on_it), (example.name, example.read_bytes())],
            [("mine.board", on_it)],
            [("picture.png", b"\x89PNG\xff\x00")],
            [("some.zip", b"PK\x03\x04 and no more")],
            [("empty.board", b"")],
        ]
        if archives:
            numbers = self.random.sample(("01", "12", "24"), self.random.choice((1, 1, 2)))
            paths = [Path(archives, f"bd{each}") for each in numbers]
            ways += [[(each.name, each.read_bytes()) for each in paths]]
        return self.random.choice(ways)

    def do_files(self) -> None:
        self.page.click("#open-menu")
        kind = "application/octet-stream"
        self.page.set_input_files(
            "#files", [{"name": n, "mimeType": kind, "buffer": data} for n, data in self.given()]
        )
        self.taken()

    def do_drop(self) -> None:
        coded = [(name, b64encode(data).decode()) for name, data in self.given()]
        self.page.evaluate(DROP, coded)
        self.taken()

    def taken(self) -> None:
        """Wait until what was handed over has been taken in, or refused; what is refused is no fault."""
        self.waits("!/^(reading|placing) /.test(document.getElementById('notice').textContent)")
        refused = "the server responded with a status of 400"
        self.person.wrong[:] = [each for each in self.person.wrong if refused not in each]
        self.waits("!document.querySelector('#map.busy')")

    def with_map(self) -> None:
        """A file that cannot be read leaves a page without a map: go on with another one."""
        if self.page.evaluate("import('./board.js').then(({ board }) => !board.layout)"):
            self.page.click("#open-menu")
            self.page.click("dialog .chips button:text-is('assault')")
            self.waits("import('./board.js').then(({ board }) => !!board.layout)")

    def do_save(self) -> None:
        self.page.click("#save")
        if self.page.locator("dialog[open]").count():
            self.page.locator("dialog .chips button").last.click()

    def do_tab(self) -> None:
        """Another tab on the same, which asks, and goes away amid it or after."""
        other = Person(self.page.context, self.person.address).arrive()
        other.pick("B4")
        other.pick("C5")
        if self.random.random() < 0.5:
            other.answered()
        self.wrong += other.wrong
        other.page.close()

    def do_rules(self) -> None:
        self.page.click("#to-rules")
        self.page.wait_for_selector("#rules .sections")
        self.page.fill(
            "#search", self.random.choice(("rowhouse", "B23.4", "stairs level", "", "<b>"))
        )
        self.page.click("#to-rules")

    def do_board(self) -> None:
        if self.random.random() < 0.3:
            self.page.click("#open-menu")
            self.page.click(
                f"dialog .chips button:text-is('{self.random.choice(list(example_boards()))}')"
            )
            self.page.wait_for_selector("body[data-board]:not([data-board=''])")

    def do_deed(self) -> None:
        self.person.tool("can")
        units = self.page.locator("#form [name=unit] option").evaluate_all(
            "(all) => all.map((e) => e.value)"
        )
        self.page.select_option("#form [name=unit]", self.random.choice(units))
        for select in self.page.locator("#deeds .sentence select").all():
            values = select.locator("option").evaluate_all("(all) => all.map((e) => e.value)")
            select.select_option(self.random.choice(values))
        self.do_pick()

    def do_key(self) -> None:
        self.page.focus("#view")
        for _ in range(4):
            self.page.keyboard.press(
                self.random.choice(("ArrowUp", "ArrowDown", "ArrowLeft", "Enter", "+", "0"))
            )

    def do_swap(self) -> None:
        buttons = self.page.locator("#form button:visible")
        if buttons.count():
            buttons.nth(self.random.randrange(buttons.count())).click()


def main(arguments: list[str]) -> int:
    """Walk, and tell what came of it."""
    about = argparse.ArgumentParser("python -m tests.fuzz.explorer", description=__doc__)
    about.add_argument("--seed", default=1, type=int)
    about.add_argument("--seconds", default=1200.0, type=float)
    said = about.parse_args(arguments)
    os.environ.setdefault("RULES_ASP_TIME", "30")
    chosen = random.Random(said.seed)
    with serving("assault") as address, browsing() as browser, TemporaryDirectory() as folder:
        # The command may take all the time that it needs on a machine that has other work to do.
        os.environ["RULES_ASP_TIME"] = "3600"
        context = browser.new_context(viewport={"width": 1280, "height": 820})
        walk = Walk(Person(context, address).arrive(), chosen, Path(folder))
        started = time.monotonic()
        step = 0
        while time.monotonic() - started < said.seconds and len(walk.wrong) < 5:
            step += 1
            before = len(walk.wrong)
            try:
                walk.step()
            except Exception as error:
                if isinstance(error, BrowserTimeout) and ".nth(" in str(error):
                    # A list was drawn anew, shorter, between the choice and the click.
                    walk.done["gone"] += 1
                    continue
                walk.wrong.append(f"{type(error).__name__}: {str(error)[:600]}")
            for each in walk.wrong[before:]:
                print(f"step {step}, seed {said.seed}: {each}", flush=True)
                walk.page.screenshot(path=f"/tmp/explorer-{said.seed}-{step}.png")
        ms = sorted(walk.milliseconds) or [0]
        print(
            f"{step} steps in {time.monotonic() - started:.0f} s, {len(walk.compared)} answers compared with"
            f" the command's, {len(walk.wrong)} faults; click to whole answer: median {ms[len(ms) // 2]} ms,"
            f" most {ms[-1]} ms; {dict(walk.done)}"
        )
    return 1 if walk.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
