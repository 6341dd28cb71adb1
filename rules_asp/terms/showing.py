"""Objects that show themselves in a notebook, by way of whoever knows how to show them."""

from __future__ import annotations

from collections.abc import Callable

#: Makes an object a picture ("svg") or a text with a picture ("html"); None where it has none.
Painter = Callable[[object, str], str | None]

_painters: list[Painter] = []


def shown_by(painter: Painter) -> None:
    """Have objects shown by this painter from now on."""
    _painters[:] = [painter]


class Showing:
    """What a notebook shows as a picture."""

    def _repr_svg_(self) -> str | None:
        return _painters[0](self, "svg") if _painters else None

    def _repr_html_(self) -> str | None:
        return _painters[0](self, "html") if _painters else None
