"""SVG elements, escaping, PNG export."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Protocol

import svg

from rules_asp import RulesAspError
from rules_asp.game.grid import Point
from rules_asp.positions.loading import write_bytes, write_text

Element = svg.Element
#: The fonts of a picture; widths are computed with the first one.
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
#: Widths of letters in thousandths of the font size, in the bold face, with some margin.
_WIDTHS = (
    dict.fromkeys("abcdeghknopquvxyz0123456789*#?$_", 735)
    | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ+<>=~^&", 855)
    | dict.fromkeys("iIlj.,:;'|![]()- /", 420)
    | dict.fromkeys('frst"', 600)
    | dict.fromkeys("mwM%@", 1060)
    | {"W": 1120}
)
_WIDE = 1150
#: The width of the plain face relative to the bold one.
_PLAIN = 0.92


def width_of(text: str, size: float, bold: bool = True) -> float:
    """Return the maximum width of a text of this size, in the units of the size."""
    return (
        sum(_WIDTHS.get(letter, _WIDE) for letter in text) * size / 1000 * (1 if bold else _PLAIN)
    )


def xml_text(text: str) -> str:
    """Return a user's text as valid XML: control characters and lone surrogates become a mark."""
    return "".join(
        letter if letter == "\n" or (letter >= " " and _is_xml(ord(letter))) else "�"
        for letter in text
    )


def _is_xml(code: int) -> bool:
    return not (0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF))


def escape_text(text: object) -> str:
    """Escape a text for markup and attributes."""
    return escape(xml_text(str(text)), quote=True)


def data(**values: object) -> dict[str, str]:
    """Return data attributes: `hex="U4"` is data-hex, `a_b` data-a-b."""
    return {name.replace("_", "-"): escape_text(value) for name, value in values.items()}


def group(
    elements: Iterable[Element],
    name: str,
    *,
    key: str | None = None,
    about: Mapping[str, str] | None = None,
    title: str | None = None,
) -> svg.G:
    """Return a group of a class, perhaps with an id, data attributes, and a hover title."""
    inner = list(elements)
    if title:
        inner.insert(0, svg.Title(text=escape_text(title)))
    return svg.G(
        elements=inner,
        class_=[name],
        id=None if key is None else escape_text(key),
        data=dict(about) if about else None,
    )


def text(
    said: str,
    at: tuple[float, float],
    size: float,
    fill: str,
    *,
    halo: str | None = None,
    anchor: str = "middle",
    bold: bool = False,
    name: str | None = None,
) -> svg.Text:
    """Return a line of text with its middle at a point; `halo` is a color behind the letters."""
    x, y = at
    return svg.Text(
        text=escape_text(said),
        x=_round(x),
        y=_round(y + size * 0.36),
        font_size=_round(size),
        fill=fill,
        font_weight="bold" if bold else None,
        text_anchor="start" if anchor == "start" else "end" if anchor == "end" else None,
        stroke=halo,
        stroke_width=_round(size * 0.2) if halo else None,
        paint_order="stroke" if halo else None,
        stroke_linejoin="round" if halo else None,
        class_=[name] if name else None,
    )


def _round(value: float) -> float | int:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded


def ring_path(points: Iterable[Point | tuple[float, float]], closed: bool = True) -> str:
    """Return points as short path data: the first absolute, the others relative."""
    parts: list[str] = []
    before: tuple[int, int] | None = None
    for x, y in ((round(each[0]), round(each[1])) for each in points):
        if before is None:
            parts.append(f"M{x} {y}")
        elif y == before[1]:
            parts.append(f"h{x - before[0]}")
        elif x == before[0]:
            parts.append(f"v{y - before[1]}")
        else:
            down = y - before[1]
            parts.append(f"l{x - before[0]}{'' if down < 0 else ' '}{down}")
        before = x, y
    return "".join(parts) + ("z" if closed else "")


class RawPath(svg.Path):
    """A path whose data is given as text, a third of the length that svg.py would write."""

    def __init__(self, data_text: str, about: Mapping[str, str] | None = None, **look: object):
        super().__init__(data=dict(about) if about else None, **look)  # type: ignore[arg-type]
        self.d = data_text  # type: ignore[assignment]


def path(
    data_text: str, about: Mapping[str, str] | None = None, name: str | None = None, **look: object
) -> RawPath:
    """Return a path; `look` are attributes of svg.py such as fill, stroke, stroke_width."""
    if name:
        look["class_"] = [name]
    return RawPath(data_text, about, **look)


def circle(radius: int) -> str:
    """Return the data of a circle around the origin."""
    arc = f"a{radius} {radius} 0 1 0"
    return f"M{-radius} 0{arc} {2 * radius} 0{arc} {-2 * radius} 0z"


def line(
    one: Point | tuple[float, float], two: Point | tuple[float, float], **look: object
) -> RawPath:
    """Return a straight line."""
    return path(ring_path((one, two), closed=False), None, None, fill="none", **look)


def placed(drawn: svg.G, x: float, y: float, scale: float = 1.0) -> svg.G:
    """Return a group drawn around the origin, moved to a point and perhaps scaled."""
    how: list[svg.Transform] = [svg.Translate(_round(x), _round(y))]
    if scale != 1.0:
        how.append(svg.Scale(round(scale, 3)))
    drawn.transform = how
    return drawn


def document(
    elements: Iterable[Element],
    box: tuple[float, float, float, float],
    pixels: float,
    title: str,
) -> str:
    """Return a whole picture: view box (left, top, width, height), width in pixels, title."""
    left, top, width, height = (round(each) for each in box)
    whole = svg.SVG(
        xmlns="http://www.w3.org/2000/svg",
        viewBox=svg.ViewBoxSpec(left, top, width, height),
        width=round(pixels),
        height=round(pixels * height / width),
        elements=[svg.Title(text=escape_text(title)), *elements],
        extra={"role": "img", "font-family": FONT, "text-anchor": "middle"},
    )
    return f"{whole}\n"


class PictureError(RulesAspError):
    """A picture cannot be drawn as requested, or cannot be written."""


#: Dots of a PNG per SVG pixel: a PNG cannot be enlarged later.
_ZOOM = 2.0
#: The suffixes of picture files.
ENDINGS = (".svg", ".png")


def check_name(path: Path) -> None:
    """Raise PictureError for a file that is not a picture file by its suffix."""
    if path.suffix.lower() not in ENDINGS:
        raise PictureError(f"{path}: the name of a picture must end in .svg or .png")
    if path.suffix.lower() == ".png":
        _renderer()


def save(svg: str, path: Path, force: bool = False) -> None:
    """Write a picture; PictureError for another suffix, FileExistsError unless `force`."""
    check_name(path)
    if path.suffix.lower() == ".svg":
        write_text(path, svg, force)
    else:
        write_bytes(path, png(svg), force)


def png(svg: str) -> bytes:
    """Convert a picture to PNG; PictureError without the extra `png`."""
    return bytes(_renderer().svg_to_bytes(svg_string=svg, zoom=_ZOOM))


def _renderer() -> _Renderer:
    try:
        import resvg_py
    except ImportError:
        raise PictureError(
            'PNG pictures need another package: pip install "rules-asp[png]"'
        ) from None
    found: _Renderer = resvg_py
    return found


class _Renderer(Protocol):
    """The part of resvg_py that is used here."""

    def svg_to_bytes(self, *, svg_string: str, zoom: float) -> list[int] | bytes:
        """Return the picture as PNG."""
