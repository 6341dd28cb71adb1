"""Objects that show themselves in a notebook, by way of whoever knows how to show them."""

from __future__ import annotations

from collections.abc import Callable

#: Makes an object a picture ("svg") or a text with a picture ("html"); None where it has none.
DisplayHook = Callable[[object, str], str | None]

_painters: list[DisplayHook] = []


def set_display_hook(painter: DisplayHook) -> None:
    """Have objects shown by this painter from now on."""
    _painters[:] = [painter]


class NotebookDisplay:
    """What a notebook shows as a picture."""

    def _repr_svg_(self) -> str | None:
        return _painters[0](self, "svg") if _painters else None

    def _repr_html_(self) -> str | None:
        return _painters[0](self, "html") if _painters else None
