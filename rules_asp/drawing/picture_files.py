"""Pictures as files: SVG as it is, PNG by the extra `png`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from rules_asp import RulesAspError
from rules_asp.positions.loading import write_bytes, write_text


class PictureError(RulesAspError):
    """A picture cannot be drawn as it is asked for, or not be written."""


#: How many dots of a PNG make one of the SVG's pixels: it cannot be enlarged later.
_ZOOM = 2.0
#: The endings of the files that a picture can be written to.
ENDINGS = (".svg", ".png")


def check_name(path: Path) -> None:
    """PictureError for a file that no picture can be written to."""
    if path.suffix.lower() not in ENDINGS:
        raise PictureError(f"{path}: a picture is a file .svg or .png")
    if path.suffix.lower() == ".png":
        _renderer()


def save(svg: str, path: Path, force: bool = False) -> None:
    """Write a picture; PictureError for a file of another ending, FileExistsError unless `force`."""
    check_name(path)
    if path.suffix.lower() == ".svg":
        write_text(path, svg, force)
    else:
        write_bytes(path, png(svg), force)


def png(svg: str) -> bytes:
    """A picture as PNG; PictureError without the extra `png`."""
    return bytes(_renderer().svg_to_bytes(svg_string=svg, zoom=_ZOOM))


def _renderer() -> _Renderer:
    try:
        import resvg_py
    except ImportError:
        raise PictureError('PNG needs the extra png: pip install "rules-asp[png]"') from None
    found: _Renderer = resvg_py
    return found


class _Renderer(Protocol):
    """What is used of resvg_py."""

    def svg_to_bytes(self, *, svg_string: str, zoom: float) -> list[int] | bytes:
        """The picture as PNG."""
