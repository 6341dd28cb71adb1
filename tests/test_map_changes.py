"""A picture of a map with patches for changes is the same as a new picture."""

from __future__ import annotations

import re
from random import Random

import pytest

from rules_asp.api import position
from rules_asp.drawing.patches import MapFragment, SceneSnapshot, map_fragment, parts_of, patch
from rules_asp.game.board import Board
from rules_asp.parser import parse
from rules_asp.positions.position import Position
from tests.browsing import browsing, chromium
from tests.sampling import slow, whole

pytest.importorskip("playwright")
pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium")

_BOARD = """
board "street" grid 9x7
rules B23
sides german russian
building "Town Hall" gray: C3 D3 D4   joined C3-D3 D3-D4   stairwell C3
building brown: E3 E4 F4   joined E3-E4 E4-F4   bar E3-E4 E4-F4
building brown: H5
woods: A4 A5 B5
grain: G1 G2 H1
level 1: H2 H3 I3
wall: B3-B4
road paved: A2-B1-C2-D1
unit A squad 4-6-7 german at B4
unit E squad 4-4-7 russian at D3/1
"""
#: What is said and taken back: of units, of hexes, of hexsides, of the map.
_SAID = (
    *("unit A squad 4-6-7 german at H5", "unit L leader german at B4: leadership -1"),
    *("unit E squad 4-4-7 russian at D3/1: broken", "unit X squad at E4", "smoke 2: D5"),
    *("rubble stone: D3", "rubble wood: H5", "breach: E3-D3", "fortified revealed: C3/1"),
    *("wire: F2", "flame C3", "blaze H5", "roadblock: B1-C2 -> C1", "mines 6 AP: A4", "night"),
    *("grain: F2 F3", "hex E4 woods yes", "hexside B3-B4 wall no", "hex D3 stairwell yes"),
    *("rooftops", "level 1: G3", "hex F4 building gray", "building brown: G6", "wall: F6-F7"),
    *(
        "unit C squad german at C3",
        "unit D squad german at C3/1: broken, pinned",
        "control C3/1 german",
    ),
)


def _changed(before: Position, line: str) -> Position | None:
    try:
        return before.with_(line)
    except Exception:
        return None


_DIFFERING = """async (pairs) => {
    const drawn = async (svg) => {
        const image = new Image();
        image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const on = canvas.getContext("2d");
        on.drawImage(image, 0, 0);
        return on.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const found = [];
    for (const [one, other] of pairs) {
        const [a, b] = [await drawn(one), await drawn(other)];
        let count = a.length === b.length ? 0 : a.length;
        for (let at = 0; at < a.length; at++) count += Math.abs(a[at] - b[at]) > 60;
        found.push(count);
    }
    return found;
}"""


def _over(picture: str, made: MapFragment) -> str:
    """A picture with another laid over it, where that lies; ids of the one are none of the other."""
    own = f"shown{picture.count('<clipPath')}"
    left, top, wide, high = made.box
    inner = re.sub(
        r"^<svg([^>]*?) width=\"\d+\" height=\"\d+\"",
        rf'<svg\1 x="{left}" y="{top}" width="{wide}" height="{high}"',
        _attributes_in_order(made.svg.replace('"shown"', f'"{own}"').replace("#shown", f"#{own}")),
    )
    assert f'x="{left}"' in inner
    return picture.rstrip().removesuffix("</svg>") + inner + "</svg>"


def _attributes_in_order(text: str) -> str:
    """The first tag with its width and height together and last."""
    tag = text[: text.index(">")]
    sizes = re.findall(r" (?:width|height)=\"[^\"]*\"", tag)
    rest = tag
    for each in sizes:
        rest = rest.replace(each, "", 1)
    return rest + "".join(sorted(sizes, reverse=True)) + text[len(tag) :]


@slow
def test_a_map_that_is_changed_in_parts_looks_as_drawn_anew() -> None:
    chance = Random(20)
    now = first = position(parse(_BOARD))
    base = map_fragment(first)
    looked = SceneSnapshot(first)
    pairs: list[tuple[str, str]] = []
    said: list[str] = []
    lines = chance.sample(_SAID, len(_SAID) if whole() else 6)
    for line in lines:
        further = _changed(now, line)
        if further is None:
            continue
        now = further
        found = looked.changed(SceneSnapshot(now))
        if found is None:
            continue
        picture, notes = base.svg, base.notes
        for part in parts_of(found):
            made = patch(SceneSnapshot(now).seen, part, notes=notes)
            picture, notes = _over(picture, made), made.notes
        pairs.append((picture, map_fragment(now, notes=base.notes).svg))
        said.append(line)
    assert len(pairs) > len(lines) // 2
    with browsing() as browser:
        differing = browser.new_page().evaluate(_DIFFERING, pairs)
    # Where the parts end, two like colours are mixed: nobody sees that.
    assert {line: count for line, count in zip(said, differing, strict=True) if count > 30} == {}


def test_what_nobody_sees_needs_no_picture() -> None:
    first = position(parse(_BOARD))
    assert SceneSnapshot(first).changed(SceneSnapshot(first)) == frozenset()
    assert (
        SceneSnapshot(first).changed(SceneSnapshot(first.with_("turn 3 german mph"))) == frozenset()
    )
    moved = SceneSnapshot(first).changed(
        SceneSnapshot(first.with_("unit A squad 4-6-7 german at H5"))
    )
    assert {str(each) for each in moved or ()} == {"B4", "H5"}
    other = Board("other", parse('board "other" grid 3x3').grid)
    assert SceneSnapshot(first).changed(SceneSnapshot(position(other))) is None
