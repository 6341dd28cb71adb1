"""What an answer rests on: paragraphs as they are cited, and the very norms of them."""

from __future__ import annotations

from collections.abc import Iterable


class Citations(tuple[str, ...]):
    """Paragraphs, each once, in order; `norms` are those of their norms that are meant."""

    norms: tuple[str, ...]

    def __new__(cls, paragraphs: Iterable[str] = (), norms: Iterable[str] = ()) -> Citations:
        """Of paragraphs that may come several times."""
        made = super().__new__(cls, dict.fromkeys(paragraphs))
        made.norms = tuple(norms)
        return made

    def union(self, others: Citations) -> Citations:
        """These, and then others."""
        return Citations((*self, *others), dict.fromkeys((*self.norms, *others.norms)))

    def __getnewargs__(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(self), self.norms


#: Of an answer that rests on no norm, or whose norms nobody wants.
NO_CITATIONS = Citations()
