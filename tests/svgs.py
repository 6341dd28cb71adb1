"""A reader of SVG pictures: their texts, and the positions of their shapes, without the drawing code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from defusedxml import ElementTree

from rules_asp.drawing.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"
_MOVE = re.compile(r"(translate|scale)\(([^)]*)\)")


class Box(NamedTuple):
    """A text on the page: its words, and the rectangle that it takes."""

    words: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def read(svg: str):  # type: ignore[no-untyped-def]
    """The root of a picture; an error for what is no XML."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    return root


def facts(svg: str) -> set[str]:
    """The inputs and topics that a picture draws."""
    return {each.get("data-fact") for each in read(svg).iter() if each.get("data-fact")}


def words(svg: str) -> list[str]:
    """All texts of a picture, titles apart."""
    return [each.text or "" for each in read(svg).iter(f"{SVG}text")]


def of_class(svg: str, name: str):  # type: ignore[no-untyped-def]
    """The elements of a class."""
    return [each for each in read(svg).iter() if name in (each.get("class") or "").split()]


def texts(svg: str) -> list[Box]:
    """All texts with what they take at most."""
    return list(_texts(read(svg), 0.0, 0.0, 1.0, "middle"))


def _texts(element, dx, dy, scale, anchor) -> Iterator[Box]:  # type: ignore[no-untyped-def]
    for kind, numbers in _MOVE.findall(element.get("transform") or ""):
        values = [float(each) for each in numbers.replace(",", " ").split()]
        if kind == "translate":
            dx, dy = dx + scale * values[0], dy + scale * (values[1] if len(values) > 1 else 0)
        else:
            scale *= values[0]
    anchor = element.get("text-anchor") or anchor
    if element.tag == f"{SVG}text":
        size = float(element.get("font-size"))
        wide = width_of(element.text or "", size, element.get("font-weight") == "bold")
        x, y = float(element.get("x")), float(element.get("y"))
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        # Letters stand on the line, and reach a little below it.
        top, bottom = y - 0.74 * size, y + 0.2 * size
        yield Box(
            element.text or "",
            dx + scale * left,
            dy + scale * top,
            dx + scale * (left + wide),
            dy + scale * bottom,
        )
    for each in element:
        yield from _texts(each, dx, dy, scale, anchor)


def points(data: str) -> list[list[tuple[float, float]]]:
    """The absolute points of a path of M, m, L, l, H, h, V, v, Z; one list for each of its parts."""
    parts: list[list[tuple[float, float]]] = []
    x = y = 0.0
    for letter, rest in re.findall(r"([MLHVlhvzZQ])([^MLHVlhvzZQ]*)", data):
        numbers = [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", rest)]
        if letter == "M":
            parts.append([])
        if letter in "ML":
            x, y = numbers
        elif letter == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif letter == "h":
            x += numbers[0]
        elif letter == "v":
            y += numbers[0]
        elif letter == "H":
            (x,) = numbers
        elif letter == "V":
            (y,) = numbers
        elif letter == "Q":
            x, y = numbers[2:]
        if letter not in "zZ":
            parts[-1].append((x, y))
    return parts
