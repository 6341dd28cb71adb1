"""Pictures as files: SVG directly, PNG with the extra `png`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from rules_asp import RulesAspError
from rules_asp.positions.loading import write_bytes, write_text


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
