"""Objects with a notebook display, produced by a hook that draws them."""

from __future__ import annotations

from collections.abc import Callable

#: Returns an object as a picture ("svg") or as text with a picture ("html"); None if it has none.
DisplayHook = Callable[[object, str], str | None]

_painters: list[DisplayHook] = []


def set_display_hook(painter: DisplayHook) -> None:
    """Set the hook that displays objects from now on."""
    _painters[:] = [painter]


class NotebookDisplay:
    """An object that a notebook shows as a picture."""

    def _repr_svg_(self) -> str | None:
        return _painters[0](self, "svg") if _painters else None

    def _repr_html_(self) -> str | None:
        return _painters[0](self, "html") if _painters else None
