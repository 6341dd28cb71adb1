"""The explorer's page in a real browser, used as a person would use it."""

from __future__ import annotations

import base64
import http.server
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from rules_asp.api import TurnQuestion, load, los
from rules_asp.cli.app import main
from rules_asp.cli.query_commands import parse_query_line
from rules_asp.game.grid import Grid, Hex
from rules_asp.positions.loading import example_boards
from rules_asp.queries import QUESTIONS
from tests import archives, saved_games
from tests.browsing import DROP, Person, browsing, chromium, running, serving
from tests.sampling import slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

#: Set where a browser was installed for these tests: then none of them is left out.
NEEDED = bool(os.environ.get("RULES_ASP_BROWSER"))

if not NEEDED:
    pytest.importorskip("playwright.sync_api", reason="playwright is in the extra dev")
pytestmark = pytest.mark.skipif(
    chromium() is None and not NEEDED, reason="there is no Chromium: apt-get install chromium"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("assault") as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def person(browser: Browser, address: str) -> Iterator[Person]:
    context = browser.new_context(viewport={"width": 1280, "height": 820}, accept_downloads=True)
    someone = Person(context, address).arrive()
    yield someone
    assert someone.wrong == []
    context.close()


@slow
def test_a_player_turn_is_shown_in_layers(person: Person) -> None:
    page = person.page
    person.tool("turn")
    person.answered("turn german")
    assert "G fires at E is legal" in person.unfold("why")
    expected = load("assault").answer(TurnQuestion("german"))
    cells = ".overlay .tint"
    reached = {
        str(each.to).split("/")[0].split("@")[0] for row in expected.units for each in row.reach
    }
    sure = page.eval_on_selector_all(f"{cells}.reach", "all => all.map((each) => each.dataset.hex)")
    assert set(sure) == reached
    assert page.locator("#answer table tr").count() == len(expected.units) + 1
    page.select_option("#form [name=layer]", "firers")
    page.wait_for_selector(f"{cells}.hindered", state="attached")
    hexes = page.eval_on_selector_all(cells, "all => all.map((each) => each.dataset.hex)")
    assert hexes == ["D3"]
    page.select_option("#form [name=layer]", "targets")
    page.wait_for_selector(f"{cells}.seen", state="attached")
    page.select_option("#form [name=side]", "russian")
    assert "russian Player Turn" in person.answered("turn russian")


def test_a_sight_is_asked_dragged_and_proven(person: Person) -> None:
    page = person.page
    # The map is drawn, and tells of a hex what it is.
    page.wait_for_selector("img.paper", state="attached")
    page.mouse.move(*person.where("C3"))
    page.wait_for_selector("#tip:has-text('stone')")
    tip = page.inner_text("#tip")
    assert all(each in tip for each in ("C3", "level 2", "TEM +3"))
    page.wait_for_selector("#tip:has-text('MF 2 to enter')")
    # Two Locations, by their floors; the line and where it is blocked.
    person.pick("B4")
    person.pick("E3")
    assert person.answered("los B4 E3").startswith("Blocked at")
    expected = los(load("assault"), "B4", "E3")
    assert page.locator(".overlay .sight.blocked").count() == 1
    assert page.locator(".overlay .blocks").count() == len({e.place for e in expected.blockers})
    assert expected.blockers[0].norm in page.inner_text("#answer")
    # The end is dragged, and the answer follows before it is let go.
    page.mouse.move(*person.where("E3"))
    page.mouse.down()
    page.mouse.move(*person.where("D4"), steps=6)
    page.wait_for_selector('#answer[data-line="los B4 D4"]')
    page.mouse.up()
    assert person.answered("los B4 D4") == "Clear"
    # Let go while an answer is still under way, the last place counts, with all that it rests on.
    page.evaluate(
        """async () => {
            const { map } = await import("./map.js"), { board } = await import("./board.js");
            for (const name of ["D5", "C5", "C4"]) map.ondrag("to", board.hexes.get(name));
            map.ondrop("to");
        }"""
    )
    assert person.answered("los B4 C4") == "Clear"
    page.mouse.click(*person.where("D4"))
    assert person.answered("los B4 D4") == "Clear"
    # The proof, and each step lights the hexes that it speaks of.
    assert "B4" in person.unfold("why")
    claim = page.locator(".proof .claim", has_text="B4").first
    claim.hover()
    assert page.locator('.overlay .lit[data-hex="B4"]').count() == 1
    assert person.unfold("side") == ""
    assert page.locator(".side img").evaluate("(image) => image.naturalWidth") > 100


@slow
def test_what_is_seen_a_shot_a_way_and_a_deed(person: Person) -> None:
    page = person.page
    person.tool("sees")
    person.pick("D3/1")
    assert re.fullmatch(r"Sees \d+ of \d+ Locations", person.answered("sees D3/1"))
    seen = {each["to"] for each in person.record()["sights"] if each["clear"]}
    assert page.locator(".tint.seen, .tint.partly, .tint.hindered").count() > 10
    assert page.locator('.tint.hidden[data-hex="E3"]').count() == ("E3" not in seen)

    person.tool("fire")
    page.click("#form button:text('New line')")
    person.pick("D3/1")
    person.pick("C4")
    person.answered("fire E C4")
    page.select_option("[name=doing]", "moving")
    assert person.answered("fire E C4 --moving") == "DRM −2"
    assert "E fires from D3/1" in page.inner_text("#answer h2")
    labels = page.locator("#answer .parts .what")
    assert set(labels.all_inner_texts()) == {"FFMO", "FFNAM", "TEM"}
    # Finding D3: never broken inside the word, each in a line of its own.
    lines = """(each) => {
        const range = document.createRange();
        range.selectNodeContents(each);
        return range.getClientRects().length;
    }"""
    assert {each.evaluate(lines) for each in labels.all()} == {1}
    # Of the units there, with what doubles it.
    page.wait_for_selector("[data-fold=fp] li")
    assert page.inner_text("[data-fold=fp] li").startswith("E 8 FP")
    # One line for the chat of VASL, as the command gives it.
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("button.chat")
    page.wait_for_selector("#notice:has-text('copied: rules-asp: fire by E from D3/1 at C4')")
    asked = ["fire", "assault", "E", "C4", "--moving", "--chat"]
    copied = page.evaluate("navigator.clipboard.readText()")
    assert f"{copied}\n" == CliRunner().invoke(main, asked).stdout

    # An overridden rule is listed once, and what unfolds by itself does not scroll the panel.
    page.click("#form button:text('New line')")
    person.pick("B4")
    person.pick("D3/1")
    person.answered('fire "A L" D3/1 --moving')
    page.wait_for_selector("[data-fold=fp] .inner li")
    rows = page.locator("#answer details:has(> summary:text('Overridden')) li").all_inner_texts()
    assert rows
    assert len(rows) == len(set(rows))
    assert page.evaluate("document.getElementById('panel').scrollTop") == 0

    person.tool("moves")
    page.select_option("[name=unit]", "A")
    person.answered("moves A")
    page.select_option("[name=phase]", "rtph")
    assert person.answered("rout A").startswith("Routs to ")
    page.select_option("[name=phase]", "mph")
    person.answered("moves A")
    assert page.locator(".tint.reach").count() > 10
    person.pick("C3/1")
    assert page.locator(".overlay .way").count() == 2
    assert "stairs" in page.inner_text('[data-place="C3/1"] ol')

    person.tool("can")
    page.select_option("[name=unit]", "G")
    person.pick("E3")
    assert person.answered("can G moves to E3") == "Yes"
    page.locator("#deeds [data-slot=way]").select_option("by entering")
    assert person.answered("can G moves to E3 by entering") == "Not allowed"
    assert "B23.71-12" in page.inner_text("#answer")

    person.tool("line")
    page.fill("[name=words]", "ask rowhouse(H)")
    page.keyboard.press("Enter")
    assert person.answered("ask rowhouse(H)") == "Yes"
    page.fill("[name=words]", "ask rowhous(H)")
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer .error:has-text('rowhouse')")


@slow
def test_the_form_of_a_question_is_its_parameters(person: Person) -> None:
    """Without a line of its own on the page, each kind has the fields that its class declares."""
    page = person.page
    person.tool("line")
    tools = {each.get_attribute("data-tool") for each in page.locator("#tools button").all()}
    for kind in sorted(set(QUESTIONS) - tools):
        page.select_option("#form [name=question]", kind)
        fields = page.locator("#form .fields:last-of-type > label").count()
        assert fields == len(QUESTIONS[kind].parameters()), kind
    page.select_option("#form [name=question]", "range")
    person.pick("C3/1")
    person.pick("E4")
    assert person.answered("range C3/1 E4") == "range(C3/1, E4) = 2"
    page.select_option("#form [name=question]", "tem")
    page.select_option("#form [name=doing]", "assault-moving")
    page.select_option("#form [name=how]", "critical")
    line = "tem C3/1 E4 --how critical --assault-moving"
    person.answered(line)
    assert parse_query_line(line).line == line
    page.select_option("#form [name=question]", "firers")
    person.pick("E4")
    page.select_option("#form [name=side]", "russian")
    page.select_option("#form [name=phase]", "dfph")
    said = person.answered("firers E4 --phase dfph --side russian")
    # An answer without its own view on the page is shown as its text output, not as JSON.
    assert said == "1 of 2 units can fire at E4"
    assert "{" not in page.inner_text("#answer")
    page.select_option("#form [name=question]", "safest")
    page.select_option("#form [name=unit]", "A")
    person.pick("C4")
    person.answered("safest A C4")
    page.select_option("#form [name=question]", "roll")
    page.fill("#form [name=event]", "Rubble Creation in C3")
    page.keyboard.press("Tab")
    page.wait_for_selector('#answer[data-line="roll Rubble Creation in C3"]')


def test_the_board_is_changed_by_hand_and_by_text(person: Person) -> None:
    page = person.page
    person.pick("B4")
    person.pick("C4")
    assert person.answered("los B4 C4") == "Clear"
    person.tab("change")
    person.pick("C4")
    page.fill(".unit-form [name=strength]", "4-5-8")
    page.click("text=Place the unit")
    page.wait_for_selector('#pane-change [data-unit="B"]')
    assert "unit B squad 4-5-8 german at C4" in person.text()
    page.select_option("[name=kind]", "smoke")
    page.fill("form[data-input=smoke] [data-kind=number]", "2")
    page.click("form[data-input=smoke] button")
    page.wait_for_selector("#pane-change code:text('smoke 2: C4')")
    # The answer to the question under Ask is shown here too.
    page.wait_for_selector("#pane-change .facts:text('los B4 C4: Clear, Hindrance +2')")
    # Rubble is of what the building is made of.
    page.select_option("[name=kind]", "rubble")
    for hex_, made in (("E3", "wooden"), ("C3", "stone")):
        person.pick(f"{hex_}/1" if hex_ == "E3" else hex_)
        page.wait_for_function(
            "(made) => document.querySelector('[data-kind=construction]').value === made", arg=made
        )
    person.tab("ask")
    page.wait_for_selector("#answer .verdict:text('Clear, Hindrance +2')")
    person.answered()
    assert "clear, Hindrance +2" in person.unfold("before")
    # A unit is moved and taken away.
    person.tab("change")
    page.select_option("[name=kind]", "units")
    page.click('#pane-change [data-unit="B"]')
    person.pick("D4")
    page.click("text=Move to D4")
    page.wait_for_selector('#pane-change button:text("unit B squad 4-5-8 german at D4")')
    page.click("#pane-change >> text=Remove")
    page.wait_for_selector('#pane-change [data-unit="B"]', state="detached")
    # Undone, and done again.
    for _ in range(4):
        page.click("#undo")
    page.wait_for_selector("#undo:disabled")
    assert person.text() == example_boards()["assault"].read_text("utf-8")
    page.click("#redo")
    page.wait_for_selector('#pane-change [data-unit="B"]')
    # In the text a mistake is marked where it is, and mended.
    person.tab("text")
    page.locator("#board-text").press("Control+End")
    page.keyboard.type("wods: B2\n")
    page.wait_for_selector("#pane-text .marks mark:text('wods')")
    assert "line 35, column 1" in page.inner_text("#pane-text .problems")
    page.click("text=did you mean woods?")
    page.wait_for_selector("#pane-text .problems li", state="detached")
    page.wait_for_function(
        "() => document.querySelector('#board-text').value.includes('woods: B2')"
    )
    person.tool("los")
    page.fill("[name=from]", "B1")
    page.press("[name=from]", "Tab")
    page.fill("[name=to]", "B3")
    page.press("[name=to]", "Tab")
    assert person.answered("los B1 B3").startswith("Blocked at B2")


#: A map that is too large to be read as a whole, with units in a corner of it.
LARGE = """board "x" grid 33x10
woods: F5
sides german russian
unit A squad 4-6-7 german at C3: wall-advantage
unit L leader 9-2 german at C3
unit T vehicle german at E4: fully-tracked AFV CT turreted, VCA D3/E3, TCA F3/F4, MA 75L, MP 14
unit U vehicle russian at G4@G5-H4: fully-tracked AFV CT, VCA G5/H4, MA 76, MP 12
"""


# Finding D11 of the players' list.
@slow
def test_a_line_is_drawn_by_drag_and_a_modifier_pans(person: Person) -> None:
    page = person.page
    here = "import('./map.js').then(({ reading }) => [reading.here.x, reading.here.y])"
    before = page.evaluate(here)
    person.drag("B4", "D4", up=False)
    page.wait_for_selector('#answer[data-line="los B4 D4"]')
    page.mouse.move(*person.where("E3"), steps=4)
    page.wait_for_selector('#answer[data-line="los B4 E3"] .verdict:has-text("Blocked")')
    page.mouse.up()
    person.answered("los B4 E3")
    assert page.evaluate(here) == before
    page.keyboard.down("Shift")
    x, y = person.where("C5")
    person.drag("C5", "C4")
    page.keyboard.up("Shift")
    page.wait_for_function(f"({here}).then(([x, y]) => y < {before[1] - 20})")
    assert person.answered("los B4 E3").startswith("Blocked")
    # Within a hex nothing is drawn, and the line stays.
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 8, y + 3, steps=3)
    page.mouse.up()
    assert person.answered("los B4 E3").startswith("Blocked")


@slow
def test_a_drag_draws_a_line_whatever_was_asked_before(person: Person) -> None:
    page = person.page
    for tool in ("moves", "sees", "line"):
        person.tool(tool)
        person.drag("B4", "D4")
        person.answered("los B4 D4")
    # A board is opened to be asked about, whatever was done on the last one.
    person.tab("change")
    person.open(LARGE)
    person.drag("C5", "D6")
    person.answered("los C5 D6")
    # A counter that is moved is what is changed.
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "boards")
    page.wait_for_selector("img.paper", state="attached")
    person.drag("E4", "F6")
    page.wait_for_selector("[data-unit='T']:has-text('at F6')")
    assert page.locator("[data-turn=VCA] button").count() == 2


# Findings D1, D2, D4, D5 and D9 of the players' list.
@slow
def test_a_large_map_opens_at_its_units_and_a_counter_is_carried(person: Person) -> None:
    page = person.page
    person.open(LARGE)
    page.wait_for_selector("img.paper", state="attached")
    assert page.evaluate("import('./map.js').then(({ reading }) => reading.here.scale)") > 0.9
    # Finding D2: a vehicle in Bypass is an end of a line; so is any vertex, when one clicks near it.
    person.pick("C5")
    page.mouse.click(*person.where("G4"))
    page.click('#floors [data-unit="U"]')
    assert person.answered("los C5 G4@H4-G5")
    assert page.input_value("[name=to]") == "G4@H4-G5"
    x, y = person.where("D4")
    page.mouse.click(x + 0.94 * (person.where("E4")[0] - x) * 300 / 450, y)
    page.click("#floors .vertex")
    person.answered()
    assert "@" in person.record()["b"]
    line = page.get_attribute("#answer", "data-line")
    # Findings D1 and D4: under Change a counter is carried, a pick is a place, and the question stays.
    person.tab("change")
    said = person.text()
    person.drag("E4", "F5", up=False)
    page.keyboard.press("Escape")
    assert page.locator(".ghost:not([hidden])").count() == 0
    page.mouse.up()
    assert person.text() == said
    person.drag("E4", "F6", up=False)
    page.wait_for_selector(".ghost:not([hidden]) img.counter")
    assert page.locator('.overlay .lit[data-hex="F6"]').count() == 1
    page.mouse.up()
    page.wait_for_selector("[data-unit='T']:has-text('at F6')")
    assert page.locator(".ghost:not([hidden])").count() == 0
    assert page.locator(".overlay .lit").count() == 0
    assert "VCA E6/F5" in person.text()
    person.pick("D6")
    assert "D6" in page.inner_text("#pane-change .hint")
    person.tab("ask")
    assert page.get_attribute("#answer", "data-line") == line
    # Finding D5: a leader is shown as he is printed.
    person.tab("change")
    assert "leader 9-2 german" in page.inner_text("#pane-change")
    page.locator("#pane-change [data-unit=L]").click()
    assert page.input_value("[name=strength]") == "9-2"


@slow
def test_a_long_press_begins_a_line_and_a_finger_pans(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 900, "height": 700}, has_touch=True)
    person = Person(context, address).arrive()
    page = person.page
    touch = context.new_cdp_session(page)

    def send(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def swipe(start: str, end: str, held: int) -> None:
        send("touchStart", person.where(start))
        page.wait_for_timeout(held)
        for name in (end, end):
            send("touchMove", person.where(name))
        send("touchEnd")

    swipe("B4", "D4", 600)
    assert person.answered("los B4 D4") == "Clear"
    before = person.where("A1")
    send("touchStart", person.where("E6"))
    send("touchMove", (100, 300))
    send("touchMove", (80, 280))
    send("touchEnd")
    page.wait_for_timeout(100)
    assert person.where("A1") != before
    assert page.get_attribute("#answer", "data-line") == "los B4 D4"
    assert person.wrong == []
    context.close()


# Finding D12 of the players' list.
@slow
def test_boards_are_laid_by_buttons_and_counters_come_from_a_tray(person: Person) -> None:
    page = person.page

    def until(line: str) -> None:
        page.wait_for_function(
            """(line) => document.getElementById("board-text").value.split(/\\n/).includes(line)
                && !document.getElementById("map").classList.contains("busy")""",
            arg=line,
        )

    person.open('board "1" grid 7x4\nwoods: C3\nsides german\nunit A squad 4-6-7 german at C2\n')
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "units")
    page.click("#pane-change [data-unit=A]")
    page.click("#pane-change button:text('Copy the unit')")
    until("unit B squad 4-6-7 german")
    page.locator("#pane-change [data-unit=B]").scroll_into_view_if_needed()
    tray = page.locator("#pane-change [data-unit=B]").bounding_box()
    assert tray is not None
    page.mouse.move(tray["x"] + 20, tray["y"] + 20)
    page.mouse.down()
    page.mouse.move(*person.where("E3"), steps=6)
    assert page.locator('.overlay .lit[data-hex="E3"]').count() == 1
    page.mouse.up()
    until("unit B squad 4-6-7 german at E3")
    page.select_option("#pane-change [name=kind]", "boards")
    other = b'board "2" grid 7x4\ngrain: C3\n'
    page.set_input_files(
        "#add-board", [{"name": "b.board", "mimeType": "text/plain", "buffer": other}]
    )
    until('use "b.board" right of 1')
    until("unit B squad 4-6-7 german at 1E3")
    row = page.locator("[data-board='b.board']")
    row.locator("button:text-is('Turn')").click()
    until('use "b.board" turned right of 1')
    row.locator("button:text-is('Turned')").wait_for()
    row.locator("label:has-text('Where') select").select_option("below")
    until('use "b.board" turned below 1')
    # What does not fit is said, and the map stays as it was.
    row.locator("label:has-text('Part') select").select_option("left half")
    page.wait_for_selector("#notice:has-text('do not fit')")
    until('use "b.board" turned below 1')
    page.click("#pane-change [data-board='b.board'] button:text('Remove')")
    page.wait_for_selector("[data-board='b.board']", state="detached")
    page.click("#undo")
    page.wait_for_selector("[data-board='b.board']")


@slow
def test_two_at_one_position(browser: Browser) -> None:
    def text_has(person: Person, line: str) -> None:
        person.page.wait_for_function(
            "(line) => document.getElementById('board-text').value.includes(line)"
            " && !document.getElementById('map').classList.contains('busy')",
            arg=line,
        )

    with running(shared=True) as server:
        context = browser.new_context(viewport={"width": 1100, "height": 760})
        one = Person(context, server.address).arrive()
        two, looks = (
            Person(context, address).arrive() for address in (server.address, server.views[0])
        )
        one.page.wait_for_selector("#players:text('3 pages on this map')")
        # Each asks something of its own.
        for person, line in ((one, "los B4 D4"), (two, "los B4 E3")):
            person.tool("los")
            person.page.click("#form button:text('New line')")
            person.drag(*line.split()[1:])
            person.answered(line)
        # What one does, all see at once, and it leaves their questions as they are.
        one.tab("change")
        one.page.select_option("#pane-change [name=kind]", "units")
        one.drag("F4", "F5")
        text_has(two, "at F5")
        text_has(looks, "at F5")
        two.page.wait_for_selector("#notice:has-text('another player: unit')")
        assert two.answered("los B4 E3").startswith("Blocked")
        # Two edits at once: both are there.
        for person, line in ((one, "smoke 2: A3"), (two, "smoke 2: A4")):
            person.page.evaluate(
                "(add) => { import('./board.js').then(({ change }) => change({ add })); }", line
            )
        for person in (one, two, looks):
            text_has(person, "smoke 2: A3")
            text_has(person, "smoke 2: A4")
        # One that no longer fits is told, and offered again.
        send = "async (it) => { const b = await import('./board.js'); b.complain(await b.change(it)); }"
        two.page.evaluate("import('./board.js').then(({ board }) => { window.old = board.head; })")
        one.page.evaluate(send, {"move": "F", "to": "F4"})
        text_has(two, "at F4")
        # As if the other's change had not yet come.
        two.page.evaluate("import('./board.js').then(({ board }) => { board.head = window.old; })")
        two.page.evaluate(send, {"move": "F", "to": "E6"})
        two.page.wait_for_selector("#notice:has-text('another player has changed the same lines')")
        one.page.evaluate(send, {"add": "turn 3 german"})
        text_has(two, "turn 3 german")
        two.page.click("#notice button:text('Try again')")
        text_has(one, "at E6")
        # Lost for a while, a page is shown what happened as soon as it is there again.
        tree = server.desktop.shared
        assert tree is not None
        tree._closed = True
        one.page.evaluate(send, {"add": "smoke 2: A5"})
        two.page.wait_for_selector("#notice:has-text('connection to the other players is lost')")
        one.page.evaluate(send, {"add": "night"})
        tree._closed = False
        text_has(two, "night")
        # Who read-only has nothing to press, and asks what they like.
        assert not looks.page.locator("#undo").is_visible()
        assert not looks.page.locator("#tab-change").is_visible()
        looks.tool("los")
        looks.page.click("#form button:text('New line')")
        looks.drag("B4", "D4")
        looks.answered("los B4 D4")
        refused = looks.page.evaluate(
            "import('./board.js').then(({ change }) => change({ add: 'flame C3' }))"
        )
        assert "read-only" in refused[0]["message"]
        for person in (one, two, looks):
            assert [each for each in person.wrong if "Failed to load" not in each] == []
        context.close()


# Finding D13 of the players' list.
@slow
def test_versions_are_a_tree_whose_answers_stand_side_by_side(person: Person) -> None:
    page = person.page
    person.pick("B4")
    person.pick("C4")
    assert person.answered("los B4 C4") == "Clear"

    def put(line: str, verdict: str) -> None:
        page.evaluate("(add) => import('./board.js').then(({ change }) => change({ add }))", line)
        person.tab("ask")
        page.wait_for_selector(f"#answer[data-state=whole] .verdict:text-is('{verdict}')")
        person.tab("versions")

    put("smoke 2: C4", "Clear, Hindrance +2")
    field = page.locator("[data-version][aria-current=true] input")
    field.fill("with SMOKE")
    field.press("Enter")
    page.wait_for_selector("[data-version] button:text-is('with SMOKE')")
    page.click("#undo")
    page.wait_for_selector("[data-version][aria-current=true] button:has-text('opened assault')")
    put("smoke 3: C4", "Clear, Hindrance +3")
    # Both branches are there, beside each other, and so are their answers.
    rows = page.locator("[data-version]")
    assert rows.count() == 3
    deep = rows.evaluate_all("(rows) => rows.map((each) => parseFloat(each.style.paddingLeft))")
    assert deep[1] == deep[2] > deep[0]
    answers = page.locator("[data-answer] td:nth-child(2)")
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-answer]')]"
        ".every((each) => !each.textContent.includes('…'))"
    )
    assert answers.all_inner_texts() == ["Clear, Hindrance +2", "Clear, Hindrance +3"]
    page.click("[data-answer] button:text('Differences')")
    page.wait_for_selector("#pane-versions td:text-is('clear, Hindrance +2')")
    page.click("[data-version] button:text-is('with SMOKE')")
    page.wait_for_function(
        "() => document.getElementById('board-text').value.includes('smoke 2: C4')"
    )
    page.click("#undo")
    page.wait_for_selector("#undo:disabled")
    page.click("#redo")
    page.wait_for_function(
        "() => document.getElementById('board-text').value.includes('smoke 2: C4')"
    )


# Finding D13 of the players' list.
@slow
def test_counters_of_the_tray_are_dragged_onto_the_map(person: Person) -> None:
    page = person.page

    def text_has(line: str) -> None:
        page.wait_for_function(
            "(line) => document.getElementById('board-text').value.split(/\\n/).includes(line)"
            " && !document.getElementById('map').classList.contains('busy')",
            arg=line,
        )

    def drop(piece: str, hex_: str) -> None:
        box = page.locator(f"[data-piece='{piece}']").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(*person.where(hex_), steps=5)
        page.mouse.up()

    person.open('board "x" grid 9x9\nbuilding gray: G3   stairwell G3\nsides german russian\n')
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "units")
    page.wait_for_selector(".piece img.counter")
    drop("squad 4-6-7", "C3")
    text_has("unit A squad 4-6-7 german at C3")
    # On a hex with several levels, one is chosen; the next name is free.
    page.fill("[name=tray-side]", "russian")
    page.keyboard.press("Tab")
    page.select_option("[name=sheet]", "SMC")
    drop("leader 9-1", "G3")
    page.click('#floors [data-place="G3/1"]')
    text_has("unit B leader 9-1 russian at G3/1")
    # A weapon and a state come to the unit that is there; of several, one is chosen.
    page.select_option("[name=sheet]", "Support weapons")
    drop("LMG", "C3")
    text_has("unit A squad 4-6-7 german at C3: possesses LMG")
    person.drag("G3", "C3")
    text_has("unit B leader 9-1 russian at C3")
    page.select_option("[name=sheet]", "States")
    drop("broken", "C3")
    page.click('#floors [data-unit="A"]')
    text_has("unit A squad 4-6-7 german at C3: possesses LMG, broken")
    # A vehicle is carried into Bypass, and its hull and turret are turned.
    page.select_option("[name=sheet]", "Vehicles")
    drop("vehicle: fully-tracked AFV CT turreted", "E5")
    text_has("unit C vehicle russian at E5: fully-tracked AFV CT turreted")
    x, y = person.where("E5")
    right = person.where("F5")[0] - x
    person.page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 0.94 * right * 300 / 450, y, steps=5)
    page.mouse.up()
    page.wait_for_selector("#pane-change [data-unit=C]:has-text('at E5@')")
    page.click("[data-turn=VCA] button:text('↷')")
    page.wait_for_selector("#pane-change [data-unit=C]:has-text('VCA E4/F4')")
    page.click("[data-turn=TCA] button:text('↷')")
    page.wait_for_selector("#pane-change [data-unit=C]:has-text('TCA F4/F5')")
    # Other counters come by drag too; what lies in a whole hex asks for no level.
    for kind, hex_, line in (("smoke", "D6", "smoke 2: D6"), ("rubble", "G3", "rubble stone: G3")):
        page.select_option("#pane-change [name=kind]", kind)
        if kind == "smoke":
            page.fill("form[data-input=smoke] [data-kind=number]", "2")
        box = page.locator(f"form[data-input={kind}] button").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(*person.where(hex_), steps=5)
        page.mouse.up()
        text_has(line)


#: A stack, a tank, an obstacle to pass in Bypass.
STACK = """board "x" grid 9x9
building gray: C3
building gray: G5
sides german russian
turn 1 german mph
unit A squad 4-6-7 german at C2
unit B squad 4-6-7 german at C2
unit L leader 9-1 german at C2
unit T vehicle german at F4: fully-tracked AFV CT turreted, VCA F3/G4, MP 14
"""


@slow
def test_the_reach_of_a_stack_is_asked_by_its_location_and_comes_in_parts(person: Person) -> None:
    page = person.page
    person.open(STACK)
    person.pick("C2")
    page.evaluate(
        """() => {
            const box = document.getElementById("answer");
            window.states = [];
            const seen = new MutationObserver(() => window.states.push(box.dataset.state));
            seen.observe(box, { attributes: true });
        }"""
    )
    # The Location was clicked: its units move together. The nearest Locations come first.
    person.tool("moves")
    assert person.answered("moves A B L").startswith("Reaches ")
    assert "part" in page.evaluate("window.states")
    assert page.locator("[name=with]:checked").count() == 2
    page.uncheck("[name=with][value=L]")
    person.answered("moves A B")
    # Another Location of units that is not reached; there a vehicle moves alone.
    page.select_option("[name=unit]", "")
    person.pick("C2")
    person.answered("moves A B L")
    # A path in Bypass runs along the hexsides: no line of it comes near the center of C3.
    page.locator("#answer [data-place='C4'] summary").first.click()
    near = page.evaluate(
        """async () => {
            const { board } = await import("./board.js"), hex = board.hexes.get("C3");
            const path = document.querySelector(".overlay .way:not(.under)"), all = path.getTotalLength();
            return Math.min(...Array.from({ length: 200 }, (_, n) => {
                const { x, y } = path.getPointAtLength(all * n / 199);
                return Math.hypot(x - hex.x, y - hex.y);
            }));
        }"""
    )
    assert near > 250
    # A link to it asks the same, with the same units chosen.
    page.evaluate("import('./files.js').then(({ restore }) => restore('moves A B'))")
    person.answered("moves A B")
    assert page.input_value("[name=unit]") == "A"
    assert page.locator("[name=with]:checked").evaluate_all("(all) => all.map((e) => e.value)") == [
        "B"
    ]
    # While another reach is under way, no number of the last one stays.
    assert page.locator(".tint-text").count() > 0
    texts = page.evaluate(
        """async () => {
            const { put } = await import("./ask.js");
            put("moves T");
            return document.querySelectorAll(".tint-text").length;
        }"""
    )
    assert texts == 0
    person.answered("moves T")


@slow
def test_a_vehicle_dropped_at_a_hexside_is_put_into_bypass(person: Person) -> None:
    page = person.page
    person.open(STACK)
    page.wait_for_selector("img.paper", state="attached")
    person.tab("change")
    (x, y), (right, low) = person.where("G5"), person.where("F4")
    layout = "JSON.stringify(document.getElementById('map').getBoundingClientRect())"
    before = page.evaluate(layout)
    page.mouse.move(right, low)
    page.mouse.down()
    # Near the middle of a hexside, and not near a vertex.
    page.mouse.move(x + 0.47 * (right - x), y + 0.47 * (low - y), steps=6)
    assert page.locator(".overlay .lit.bypass").count() == 1
    page.mouse.up()
    page.wait_for_selector("#notice:has-text('in Bypass at G5@')")
    page.wait_for_selector("[data-unit=T]:has-text('at G5@')")
    # A message does not move the map.
    assert page.evaluate(layout) == before
    # At the edge of the map a vertex is named by hexes beyond it.
    (x, y), (_, low) = person.where("E9"), person.where("E8")
    page.mouse.move(*person.where("G5"))
    page.mouse.down()
    page.mouse.move(x, y + 0.47 * (y - low), steps=6)
    page.mouse.up()
    page.wait_for_selector("#notice:has-text('in Bypass at E9@')")
    page.wait_for_selector("[data-unit=T]:has-text('at E9@')")
    assert page.locator("[data-turn=VCA] button").count() == 2
    # What cannot be done is told, and nothing else.
    page.route("**/api/edit", lambda route: route.abort())
    said = person.text()
    page.mouse.move(x, y + 0.3 * (y - low))
    page.mouse.down()
    page.mouse.move(x, low + 0.47 * (y - low), steps=6)
    page.mouse.up()
    page.wait_for_selector("#notice:has-text('no answer from the server')")
    assert "in Bypass" not in page.inner_text("#notice")
    assert person.text() == said
    assert all("ERR_FAILED" in each for each in person.wrong)
    person.wrong.clear()
    page.unroute("**/api/edit")


@slow
def test_a_rout_and_a_view_are_compared_with_those_before(person: Person) -> None:
    page = person.page
    person.open(
        """board "r" grid 7x7
sides german russian
turn 1 german rtph
building gray: B4
unit A squad 4-6-7 german at C4: broken DM
unit B squad 4-6-7 german at C4
unit R squad 4-4-7 russian at G4
"""
    )
    # Each unit routs by itself; whether it must is told.
    person.tool("moves")
    page.select_option("[name=unit]", "A")
    # A broken unit routs, unless one chooses another phase.
    before = person.answered("rout A")
    page.select_option("[name=unit]", "B")
    person.answered("moves B")
    page.select_option("[name=phase]", "aph")
    person.answered("moves B --phase aph")
    page.select_option("[name=unit]", "A")
    person.answered("moves A --phase aph")
    page.select_option("[name=phase]", "rtph")
    person.answered("rout A")
    assert not page.locator("[name=with]").is_visible()
    assert "A must rout" in page.inner_text("#answer")
    assert before.startswith("Routs to 1 Location")
    assert not before.startswith("Routs to 1 Locations")
    page.evaluate("import('./board.js').then(({ change }) => change({ add: 'woods: C5' }))")
    page.wait_for_selector("[data-version='2'], #undo:enabled")
    page.wait_for_function(
        "(old) => document.getElementById('answer').dataset.state === 'whole'"
        " && document.querySelector('#answer .verdict').innerText !== old",
        arg=before,
    )
    told = person.unfold("before")
    assert "C5" in told
    assert "B13.4-1" in told
    # What is seen, and then by night without a known NVR: that nothing is known is in the verdict.
    person.tool("sees")
    person.pick("B2")
    assert re.fullmatch(r"Sees \d+ of \d+ Locations", person.answered("sees B2"))
    page.evaluate("import('./board.js').then(({ change }) => change({ add: 'weather mud' }))")
    page.wait_for_function(
        "() => document.getElementById('board-text').value.includes('weather mud')"
    )
    page.wait_for_selector("#map:not(.busy)")
    person.answered("sees B2")
    assert "The answer was the same before the last change." in person.unfold("before")
    page.evaluate("import('./board.js').then(({ change }) => change({ add: 'night' }))")
    page.wait_for_selector("#answer[data-state=whole] .verdict:has-text('unknown')")
    assert re.fullmatch(r"Sees \d+ of \d+ Locations, \d+ unknown", person.answered("sees B2"))
    assert "unknown" in person.unfold("before")


@slow
def test_the_position_and_the_question_survive_a_reload(person: Person) -> None:
    page = person.page
    person.open(STACK)
    page.evaluate("import('./board.js').then(({ change }) => change({ add: 'smoke 2: D4' }))")
    page.wait_for_function(
        "() => document.getElementById('board-text').value.includes('smoke 2: D4')"
    )
    person.pick("C2")
    person.pick("E5")
    line = "los C2 E5"
    verdict = person.answered(line)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert person.answered(line) == verdict
    assert page.inner_text("#board-name") == "own.board"
    assert "smoke 2: D4" in person.text()
    # So do the versions, and a text with a mistake.
    page.click("#undo")
    page.wait_for_function(
        "() => !document.getElementById('board-text').value.includes('smoke 2: D4')"
    )
    page.click("#redo")
    page.wait_for_function(
        "() => document.getElementById('board-text').value.includes('smoke 2: D4')"
    )
    person.tab("text")
    page.fill("#board-text", f"{STACK}wods: D4\n")
    page.wait_for_selector("body[data-board=wrong]")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.wait_for_selector("body[data-board=wrong]")
    assert "wods: D4" in person.text()
    # The map is that of the last version, and can be asked about.
    person.drag("C5", "E6")
    person.answered("los C5 E6")
    # A server that has forgotten the versions is handed the text.
    page.click("#undo")
    page.wait_for_selector("body:not([data-board=wrong])")
    page.route("**/api/resume", lambda route: route.fulfill(status=410, json={"gone": True}))
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert "smoke 2: D4" in person.text()
    assert page.is_disabled("#undo")
    assert all("410" in each for each in person.wrong)
    person.wrong.clear()


# Findings D6 and D8 of the players' list.
@slow
def test_no_code_in_what_is_proven(person: Person) -> None:
    person.pick("B4")
    person.pick("E3")
    person.answered("los B4 E3")
    told = person.unfold("why")
    code = r"[a-z_]+\([^)]*\)|\bnot (not|it)\b|[a-z]_[a-z]|\bwhether\b"
    assert not re.search(code, told), told
    # In the words of the text answer.
    assert "an obstacle to LOS, up to this level (D3, building, " in told
    person.page.click("#form button:text('New line')")
    person.pick("E2")
    person.pick("E4")
    person.answered("los E2 E4")
    assert "not the case: levels or stairwells connect" in person.unfold("why")
    person.open('board "x" grid 7x8\nwoods: C3 C4\nunit A squad 4-6-7 german at C2\n')
    person.pick("C1")
    person.pick("C6")
    assert person.answered("los C1 C6") == "Blocked at C3 and C4"
    told = person.unfold("why")
    assert not re.search(code, told), told
    person.tool("moves")
    person.page.select_option("[name=unit]", "A")
    person.answered("moves A")
    assert not re.search(code, person.page.inner_text("#answer"))
    person.tool("can")
    options = person.page.locator("[name=deed] option").all_inner_texts()
    assert options[0].startswith("moves")
    assert not any("UNIT" in each or "[" in each for each in options)


@slow
def test_what_an_answer_hangs_on_and_what_would_change_it(person: Person) -> None:
    page = person.page
    page.evaluate("document.body.dataset.seconds = 15")
    person.open('board "x" grid 3x4\nwoods: B2\n')
    person.pick("B1")
    person.pick("B3")
    assert person.answered("los B1 B3") == "Blocked at B2"
    assert "woods: B2" in person.unfold("hangs")
    page.click("details[data-fold=mend] summary")
    page.select_option("[name=allow]", "map")
    page.fill("[name=wanted]", "clear")
    # What is typed stays where the same answer is drawn again.
    page.evaluate("document.querySelector('details[data-fold=mend]').dataset.earlier = '1'")
    page.evaluate("import('./board.js').then(({ change }) => change({ add: 'grain: C4' }))")
    page.wait_for_selector("details[data-fold=mend][data-earlier]", state="detached")
    page.wait_for_selector("#answer[data-state=whole] details[data-fold=mend] button:visible")
    assert page.input_value("[name=wanted]") == "clear"
    page.press("[name=wanted]", "Enter")
    page.click("details[data-fold=mend] .rows button:text('Apply') >> nth=0")
    page.wait_for_selector("#answer .verdict:text('Clear')")
    assert "woods: B2" not in person.text()


@slow
def test_what_a_search_finds_within_a_second_is_shown_while_it_goes_on(person: Person) -> None:
    page = person.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route) if route.request.post_data_json["seconds"] > 1 else route.continue_()

    page.route("**/api/hang", hold)
    page.route("**/api/mend", hold)
    person.pick("B4")
    person.pick("G4")
    assert person.answered("los B4 G4").startswith("Blocked")
    page.click("details[data-fold=hangs] summary")
    page.wait_for_selector("details[data-fold=hangs] .facts:has-text('current answer')")
    page.wait_for_selector("details[data-fold=hangs] .spinner")
    page.click("details[data-fold=hangs] button:text-is('Stop')")
    page.wait_for_selector("details[data-fold=hangs] .hint:text-is('stopped')")
    assert page.locator("details[data-fold=hangs] .facts").count() == 1
    page.click("details[data-fold=mend] summary")
    page.fill("[name=wanted]", "clear")
    page.press("[name=wanted]", "Enter")
    # Never "none" before all has been tried.
    page.wait_for_selector("details[data-fold=mend] .inner :is(li, p:has-text('so far'))")
    page.wait_for_selector("details[data-fold=mend] .spinner")
    assert "No change" not in page.inner_text("details[data-fold=mend]")
    # A fold that is open while the citations arrive is drawn and asked again.
    assert {each.request.url.rpartition("/")[2] for each in held} == {"hang", "mend"}
    page.unroute_all(behavior="ignoreErrors")


# Finding D13 of the players' list.
@slow
def test_a_shot_with_a_leader_and_a_shot_without_a_line(person: Person) -> None:
    page = person.page
    units = "unit A squad 4-6-7 german at C2\nunit B squad 4-6-7 german at C2\nunit L leader 9-2 german at C2"
    person.open(
        f'board "x" grid 7x8\nwoods: C4\nsides german russian\n{units}\nunit E squad 4-4-7 russian at E3\n'
    )
    person.tool("fire")
    person.pick("C2")
    person.pick("E3")
    # The whole stack fires, and its only leader directs; the answer names them.
    assert person.answered('fire "A B L" E3') == "DRM −2"
    assert "A, B, L fire from C2 at E3, directed by L" in page.inner_text("#answer h2")
    leaders = page.locator("[name=directing] option").all_inner_texts()
    assert leaders == ["L 9-2", "nobody"]
    page.wait_for_selector("[data-fold=fp] li.group")
    told = page.inner_text("[data-fold=fp]")
    assert "A 4 FP, IFT column 4, DRM +0" in told
    assert "Fire Group A, B" in told
    assert "DRM with leaders −2" in told
    # Without a leader, and then one unit alone.
    page.select_option("[name=directing]", label="nobody")
    assert person.answered('fire "A B" E3') == "DRM +0"
    assert "modifier of the best leader" in page.inner_text("#answer")
    page.uncheck("[name=firing][value=B]")
    assert person.answered("fire A E3") == "DRM +0"
    assert "A fires from C2 at E3" in page.inner_text("#answer h2")
    assert "B 4 FP" not in page.inner_text("[data-fold=fp]")
    # Who was chosen stays chosen where another target is named.
    page.select_option("[name=directing]", "L")
    assert person.answered('fire "A L" E3') == "DRM −2"
    # The unit whose counter is pressed fires.
    page.wait_for_selector("img.paper", state="attached")
    left, top = page.evaluate(
        """async () => {
            const map = await import("./map.js"), { board } = await import("./board.js");
            const hex = board.hexes.get("C2");
                const frame = document.getElementById("view").getBoundingClientRect();
            for (let y = -250; y < 250; y += 10) for (let x = -250; x < 250; x += 10) {
                if (map.unitOn(hex, [hex.x + x, hex.y + y])?.name !== "B") continue;
                const [left, top] = map.reading.toView(hex.x + x + 20, hex.y + y + 20);
                return [left + frame.left, top + frame.top];
            }
        }"""
    )
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(*person.where("E3"), steps=6)
    page.mouse.up()
    assert person.answered('fire "B L" E3') == "DRM −2"
    # From the same firer at another: the line begins where it is pressed, at the end of the last.
    person.drag("C2", "C6")
    assert "No fire: LOS blocked at C4" in person.answered()
    assert page.get_attribute("#answer", "data-line").endswith(" C6")
    assert page.locator('.overlay .blocks[data-hex="C4"]').count() == 1
    told = page.inner_text("#answer")
    assert "B13" in told or "A6.2" in told
    assert "DRM unknown" not in told


@slow
def test_a_line_begins_where_its_firer_stands_and_its_level_stays(person: Person) -> None:
    person.pick("D3/1")
    person.pick("C4")
    person.answered("los D3/1 C4")
    person.drag("D3", "E4")
    person.answered("los D3/1 E4")
    # The other end is drawn elsewhere.
    person.drag("E4", "C4")
    person.answered("los D3/1 C4")


@slow
def test_a_file_without_a_map_says_what_to_do(person: Person) -> None:
    page = person.page
    page.click("#open-menu")
    empty = {"name": "empty.board", "mimeType": "text/plain", "buffer": b""}
    page.set_input_files("#files", [empty])
    page.wait_for_selector("body[data-board=wrong]")
    for tool in ("line", "can", "fire"):
        person.tool(tool)
        assert "There is no map" in page.inner_text("#form")
    person.wrong.clear()
    page.click("#open-menu")
    page.click("dialog .chips button:text-is('assault')")
    person.answered()


@slow
def test_what_is_done_in_quick_turn_is_all_done(person: Person) -> None:
    page = person.page
    person.open('board "x" grid 7x8\nunit T vehicle german at C3: fully-tracked AFV CT turreted\n')
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "units")
    page.click("#pane-change [data-unit=T]")
    # Turned before the page knows of the first turn, and moved in between.
    page.evaluate(
        """async () => {
            const turn = (arc) => document.querySelectorAll(`[data-turn=${arc}] button`)[1];
            const { change } = await import("./board.js"), hull = turn("VCA"), turret = turn("TCA");
            change({ move: "T", to: "C4" });
            hull.click(); hull.click(); turret.click();
        }"""
    )
    page.wait_for_function(
        "() => document.getElementById('board-text').value.includes('at C4')"
        " && /VCA .*TCA/.test(document.getElementById('board-text').value)"
    )
    assert re.search(r"unit T vehicle german at C4: .*VCA \S+, TCA \S+", person.text())
    # Two counters of the tray get two names.
    person.pick("D5")
    page.select_option("[name=sheet]", "Squads")
    page.evaluate(
        """() => {
            const pieces = document.querySelectorAll(".piece");
            pieces[0].click(); pieces[1].click();
        }"""
    )
    page.wait_for_function(
        "() => document.getElementById('board-text').value.match(/ squad /g)?.length === 2"
    )


@slow
def test_boards_that_are_changed_in_quick_turn_are_all_changed(person: Person) -> None:
    page = person.page
    person.open('use "a.board"\n', "own.board", ("a.board", b'board "1" grid 7x4\n'))
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "boards")
    given = {"name": "b.board", "mimeType": "text/plain", "buffer": b'board "2" grid 7x4\n'}
    page.set_input_files("#add-board", [given])
    page.wait_for_selector("[data-board='b.board']")
    page.evaluate(
        """() => {
            const row = document.querySelector("[data-board='b.board']");
            row.querySelector("button").click();
            const where = [...row.querySelectorAll("select")].find((each) =>
                [...each.options].some((one) => one.value === "below"));
            where.value = "below";
            where.dispatchEvent(new Event("change"));
        }"""
    )
    line = 'use "b.board" turned below 1'
    page.wait_for_function(
        "(line) => document.getElementById('board-text').value.includes(line)", arg=line
    )
    # A board that is added meanwhile leaves them too, and one that is taken off moves no other.
    given = {**given, "name": "c.board", "buffer": b'board "3" grid 7x4\n'}
    page.evaluate(
        """() => {
            const button = (board, at) => document.querySelectorAll(`[data-board='${board}'] button`)[at];
            button("b.board", 0).click();
        }"""
    )
    page.set_input_files("#add-board", [given])
    page.wait_for_selector("[data-board='c.board']")
    assert person.text() == 'use "a.board"\nuse "b.board" below 1\nuse "c.board" right of 2\n'


@slow
def test_the_floors_close_by_escape_and_by_another_tab(person: Person) -> None:
    page = person.page
    page.mouse.click(*person.where("D3"))
    page.wait_for_selector("#floors:not([hidden])")
    page.focus("#form input")
    page.keyboard.press("Escape")
    page.wait_for_selector("#floors", state="hidden")
    page.mouse.click(*person.where("D3"))
    page.wait_for_selector("#floors:not([hidden])")
    person.tab("change")
    page.wait_for_selector("#floors", state="hidden")


# Finding D7 of the players' list.
@slow
def test_files_and_links(person: Person) -> None:
    page = person.page
    big = 'board "7" grid 9x4\nwoods: C3\n'
    own = 'use "big.board"\nunit A squad german at C2\n'
    person.open(own, "own.board", ("big.board", big.encode()))
    page.mouse.click(*person.where("C2"))
    page.click('#floors [data-unit="A"]')
    person.pick("C4")
    assert person.answered("los C2 C4") == "Blocked at C3"
    # What it uses is saved with it, since without that it cannot be opened.
    page.click("#save")
    saved: dict[str, str] = {}
    for name in ("own.board", "big.board"):
        with page.expect_download() as download:
            page.click(f"dialog button:text-is('{name}')")
        saved[download.value.suggested_filename] = download.value.path().read_text("utf-8")
    assert saved == {"own.board": own, "big.board": big}
    page.keyboard.press("Escape")
    # The link holds all of it but the token; it asks before it opens.
    page.click("#link")
    link = page.input_value(".share")
    page.click("dialog button:text('Close')")
    token = person.address.rstrip("/").rsplit("/", 1)[1]
    assert token not in link
    # It is of no session: no port stands in it.
    assert link.startswith("#case=")
    other = Person(page.context, person.address)
    other.page.goto(person.address.split(token)[0] + link)
    other.page.wait_for_selector("dialog[open]:has-text('Open this case?')")
    assert "own.board" in other.page.inner_text("dialog")
    other.page.click("dialog button:text('Open')")
    assert other.answered("los C2 C4") == "Blocked at C3"
    assert other.text() == own
    assert other.wrong == []
    other.page.goto(person.address + "#case=" + link.split("#case=")[1])
    other.page.wait_for_selector("dialog[open]")
    other.page.click("dialog button:text('No')")
    assert other.text() == own
    other.page.close()


@slow
def test_a_link_without_its_board_leaves_the_board_as_it_is(browser: Browser, address: str) -> None:
    context = browser.new_context()
    own, far = 'use "far.board"\nunit A squad german at C2\n', 'board "far" grid 9x4\nwoods: C3\n'
    with running(shared=False) as server:
        sender = Person(context, server.address).arrive()
        sender.open(own, "own.board", ("far.board", far.encode()))
        sender.page.click("#link")
        link = sender.page.input_value(".share")
        assert sender.wrong == []
        sender.page.close()
    needed = "#notice:has-text('own.board needs far.board')"
    # At the start of a page, and in one that shows a board.
    person = Person(context, address)
    for _ in range(2):
        person.page.goto(address + link)
        person.page.click("dialog button:text('Open')")
        person.page.wait_for_selector(needed)
        person.page.wait_for_selector("#board-name:text('assault.board')")
        person.page.wait_for_selector("body[data-ready]")
    assert person.text() == example_boards()["assault"].read_text("utf-8")
    # With that file the link opens.
    person.open(far, "far.board")
    person.page.goto(address + link)
    person.page.click("dialog button:text('Open')")
    person.page.wait_for_selector("#board-name:text('own.board')")
    assert person.text() == own
    assert person.wrong == []
    context.close()


def dropped(person: Person, *files: tuple[str, bytes]) -> None:
    """Drop files onto the map."""
    coded = [(name, base64.b64encode(data).decode()) for name, data in files]
    person.page.evaluate(DROP, coded)


def board_is(person: Person, name: str, hexes: int) -> None:
    """Wait until a board is open that has so many hexes."""
    for _ in range(300):
        found = person.page.evaluate(
            "import('./board.js').then(({ board }) => [board.name, board.hexes.size])"
        )
        if found == [name, hexes]:
            return
        person.page.wait_for_timeout(100)
    raise AssertionError(found)


@slow
def test_boards_and_archives_are_dropped(person: Person, tmp_path: Path) -> None:
    sketch, _ = archives.generate(7)
    dropped(person, ("bd7", archives.write(tmp_path / "bd7", sketch).read_bytes()))
    board_is(person, "bd7.board", len(sketch.grid.hexes()))
    person.page.wait_for_selector("img.paper", state="attached")
    # A map without its boards says which are lacking; they may be dropped after it.
    one, two = b'board "1" grid 7x4\nwoods: C3\n', b'board "2" grid 7x4\ngrain: C3\n'
    dropped(person, ("map.board", b'use "a.board"\nuse "b.board" right of 1\n'))
    person.page.wait_for_selector("#pane-text:has-text('Add b.board')")
    assert person.page.locator("img.paper").count() == 0
    dropped(person, ("a.board", one), ("b.board", two))
    board_is(person, "map.board", 7 * 4 + 6 * 5)
    # Boards of which none uses another are laid side by side.
    dropped(person, ("a.board", one), ("b.board", two))
    board_is(person, "my map.board", 7 * 4 + 6 * 5)
    assert person.text() == 'use "a.board"\nuse "b.board" right of 1\n'


# Finding D12 of the players' list.
@slow
def test_the_picture_of_an_archive_is_shown_while_it_is_read(
    person: Person, tmp_path: Path
) -> None:
    page = person.page
    sketch, _ = archives.generate(7)
    data = archives.write(tmp_path / "bd7", sketch).read_bytes()
    waiting: list[Route] = []
    page.route(
        "**/api/open?name=bd7*",
        lambda route: (
            route.continue_() if "picture" in route.request.url else waiting.append(route)
        ),
    )

    def pictures(count: int, told: str) -> None:
        page.wait_for_function(
            f"() => document.querySelectorAll('img.paper').length === {count}"
            f" && document.getElementById('notice').textContent === '{told}'"
        )

    def released() -> None:
        # The import answers only now.
        waiting.pop().continue_()

    # A first archive is shown instead of the map that is open, of which the picture comes later.
    drawing: list[Route] = []
    page.route("**/api/picture", lambda route: drawing.append(route))
    person.open('board "1" grid 7x4\nwoods: C3\n')
    dropped(person, ("bd7", data))
    pictures(1, "reading bd7…")
    page.unroute("**/api/picture")
    drawing.pop().continue_()
    pictures(2, "reading bd7…")
    assert page.locator("#world.instead").count() == 1
    assert person.page.inner_text("#board-name") != "bd7.board"
    released()
    board_is(person, "bd7.board", len(sketch.grid.hexes()))
    pictures(1, "")
    assert page.locator("#world.instead").count() == 0
    # A second one is shown beside it; the map that is there stays visible.
    person.open(f'board "1" grid 7x{sketch.grid.rows}\nwoods: C3\n')
    pictures(1, "")
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "boards")
    given = {"name": "bd7", "mimeType": "application/octet-stream", "buffer": data}
    page.set_input_files("#add-board", [given])
    pictures(2, "reading bd7…")
    assert page.locator("#world.instead").count() == 0
    one, other = (each.bounding_box() for each in page.locator("img.paper").all())
    assert one is not None
    assert other is not None
    # Half of the hexes of its last column is beyond the edge of its paper.
    assert one["x"] + 0.8 * one["width"] < other["x"] < one["x"] + one["width"]
    released()
    page.wait_for_selector("[data-board='bd7.board']")
    pictures(1, "")
    # No hex can begin with the name of this archive.
    assert person.text() == 'use "own.board"\nuse "bd7.board" as 2 right of 1\n'
    # What cannot be read leaves the map as it was.
    page.set_input_files("#add-board", [{**given, "buffer": data[:3000]}])
    page.wait_for_function(
        "() => document.getElementById('notice').textContent.includes('reading')"
    )
    while not waiting:
        page.wait_for_timeout(20)
    released()
    page.wait_for_selector("#notice:has-text('not a complete zip file')")
    assert page.locator("img.paper").count() == 1
    assert all("400" in each for each in person.wrong)
    person.wrong.clear()


@slow
def test_a_saved_game_is_dropped(person: Person, tmp_path: Path) -> None:
    place = saved_games.PixelBoard(400, 400, 450, 258).centre(Hex(4, 2))
    pieces = [saved_games.squad(), saved_games.counter("Strange Thing")]
    save = saved_games.Save([saved_games.at(place, pieces)], "bd\t0\t0\t99\t")
    dropped(person, ("game.vsav", saved_games.write(tmp_path / "game.vsav", save).read_bytes()))
    person.page.wait_for_selector("dialog[open] li:has-text('Strange Thing: not recognized')")
    # Without a folder of archives the board is there, and unknown.
    assert "no archive bd99" in person.page.inner_text("dialog")
    assert "open the game and its board archives together" in person.page.inner_text("dialog")
    person.page.click("dialog button:text('Close')")
    board_is(person, "game.board", len(Grid(33, 10).hexes()))
    assert "unit german-sq1 squad 4-6-7 german at E2" in person.text()


@slow
def test_a_saved_game_is_opened_with_its_board_archives(person: Person, tmp_path: Path) -> None:
    sketch, _ = archives.generate(7)
    grid = sketch.grid
    place = saved_games.PixelBoard(400, 400, 450, 258).centre(Hex(4, 2))
    save = saved_games.Save([saved_games.at(place, [saved_games.squad()])], "bd\t0\t0\t7\t")
    game = saved_games.write(tmp_path / "game.vsav", save).read_bytes()
    archive = archives.write(tmp_path / "bd7", sketch).read_bytes()
    dropped(person, ("bd7", archive), ("game.vsav", game))
    person.page.wait_for_selector("dialog[open]:has-text('A game of VASL')")
    assert "no archive" not in person.page.inner_text("dialog")
    person.page.click("dialog button:text('Close')")
    board_is(person, "game.board", len(grid.hexes()))


@slow
def test_only_what_a_change_bears_on_is_drawn_anew(person: Person) -> None:
    page = person.page
    page.wait_for_selector("img.paper", state="attached")
    page.evaluate("document.querySelector('img.paper').dataset.same = 'yes'")
    person.tab("change")
    page.select_option("#pane-change [name=kind]", "units")
    person.pick("A7")
    page.click("#pane-change .unit-form button:text('Place the unit')")
    page.wait_for_selector(".patches img", state="attached")
    assert page.evaluate("document.querySelector('img.paper').dataset.same") == "yes"
    wide = page.locator(".patches img").bounding_box()
    whole = page.locator("img.paper").bounding_box()
    assert wide is not None
    assert whole is not None
    assert wide["width"] < whole["width"] / 2
    person.tab("legend")
    page.click("#undo")
    page.wait_for_selector(".patches:not(:has(img))", state="attached")


@slow
def test_a_newcomer_is_shown_an_answer(browser: Browser) -> None:
    with serving() as address:
        context = browser.new_context(viewport={"width": 1280, "height": 820})
        person = Person(context, address).arrive()
        assert person.answered().startswith("DRM")
        assert person.page.locator(".sight").count() > 0
        assert person.wrong == []
        context.close()


@slow
def test_the_rules(person: Person) -> None:
    page = person.page
    page.click("#to-rules")
    page.wait_for_selector("details.section[data-section=B23]")
    # The five sections by name, then the general rules by chapter; a summary first, its logic folded.
    parts = page.locator(".sections > details.section > summary h2").all_inner_texts()
    assert parts[0] == "B23 Buildings"
    assert [each.split(" ")[0] for each in parts[:5]] == ["B23", "PB4", "PB6", "BRT7", "ABTF3"]
    assert [each.split(":")[0] for each in parts[5:8]] == ["Chapter A", "Chapter B", "Chapter C"]
    # Searched by what players say.
    page.fill("#search", "upstairs")
    page.wait_for_selector("#found:has-text('rule')")
    assert page.locator(".norm-card:visible").count() > 3
    page.fill("#search", "rowhouse bar")
    page.wait_for_function(
        "() => document.querySelectorAll('.norm-card:not([hidden])').length < 60"
    )
    page.wait_for_selector("#found:has-text('rules')")
    assert page.locator("details.logic[open]").count() == 0
    assert page.locator(".norm-card:visible").count() > 3
    page.goto(person.address + "#rules/B23.71-5")
    page.wait_for_selector('[data-norm="B23.71-5"].here')
    card = page.locator('[data-norm="B23.71-5"]')
    assert "B23.71-5" in card.locator(".logic").inner_text()
    # Its cases are drawn, and open on the map with what they ask.
    card.locator("summary:has-text('Cases')").click()
    page.wait_for_selector('[data-norm="B23.71-5"] .case-button img')
    card.locator(".case-button").first.click()
    page.wait_for_selector("#explorer:not([hidden])")
    page.wait_for_selector("#answer[data-line]")
    assert page.inner_text("#board-name") != "assault.board"
    page.goto(person.address + "#rules/B23.71")
    page.wait_for_selector('[data-cite="B23.71"].here')
    # A ruling is switched off, and the answer follows.
    page.goto(person.address + "#rules/R-T14")
    page.wait_for_selector('[data-norm="R-T14"].here')
    page.click('[data-norm="R-T14"] [data-ruling]')
    page.wait_for_selector("#notice:has-text('R-T14 is off')")
    page.click("#to-rules")
    page.wait_for_selector("#explorer:not([hidden])")
    page.click("#undo")
    page.wait_for_selector("#undo:disabled")


@slow
def test_the_rules_are_not_blank_while_they_load(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    held: list[Route] = []
    page.route("**/api/rules", lambda route: held.append(route))
    page.goto(f"{address}#rules")
    page.wait_for_selector("#rules:has-text('The rules are loading.')")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_selector("details.section[data-section=B23]")
    assert not page.locator("#rules .waiting").count()
    context.close()


@slow
def test_a_case_is_copied(person: Person) -> None:
    page = person.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.pick("B4")
    person.pick("E3")
    assert person.answered("los B4 E3").startswith("Blocked at")
    assert "expect los B4 - E3 blocked" in person.unfold("case")
    page.click("details[data-fold=case] button:text-is('Copy')")
    page.wait_for_selector("#notice:has-text('copied')")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "expect los B4 - E3 blocked" in text
    page.click("details[data-fold=case] button:text-is('Open it')")
    page.wait_for_selector("#board-name:text('case.board')")
    assert person.answered("los B4 E3").startswith("Blocked at")
    assert person.text() == text


def test_by_the_keyboard_alone_in_the_dark_on_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 380, "height": 780}, color_scheme="dark")
    person = Person(context, address).arrive()
    page = person.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    page.focus("#view")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    first = page.inner_text("#spoken").split(",")[0]
    page.keyboard.press("Enter")
    if page.locator("#floors:not([hidden])").count():
        page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    second = page.inner_text("#spoken").split(",")[0]
    page.keyboard.press("Enter")
    if page.locator("#floors:not([hidden])").count():
        page.keyboard.press("Enter")
    person.answered()
    assert {first, second} == {person.record()["a"], person.record()["b"]}
    assert page.locator("#answer[aria-live]").count() == 1
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", ground)[:3])) < 80
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button,input,select,textarea')].filter((each) =>"
        " !(each.textContent.trim() || each.getAttribute('aria-label') || each.labels?.length)).length"
    )
    assert unnamed == 0
    assert person.wrong == []
    context.close()


def test_a_page_of_a_foreign_origin_gets_nothing(browser: Browser, address: str) -> None:
    class Foreign(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>foreign</title><body></body>")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        # Even with the token it can neither read, nor ask, nor frame, nor load a module.
        found = page.evaluate(
            """async (address) => {
                const tried = {};
                for (const mode of ["cors", "no-cors"]) for (const method of ["GET", "POST"]) {
                    const path = method === "GET" ? "" : "api/hello";
                    tried[mode + method] = await fetch(address + path, { mode, method }).then(
                        (reply) => reply.text(), () => "");
                }
                tried.module = await import(address + "board.js").then(() => "loaded", () => "");
                const frame = document.body.appendChild(document.createElement("iframe"));
                const done = new Promise((loaded) => { frame.onload = loaded; });
                frame.src = address;
                await done;
                const inside = () => frame.contentDocument?.body?.innerHTML ?? "";
                try { tried.frame = inside(); } catch { tried.frame = ""; }
                return tried;
            }""",
            address,
        )
        assert set(found.values()) == {""}, found
        context.close()
    finally:
        server.shutdown()
        server.server_close()
