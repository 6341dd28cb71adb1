"""What may stand in a place of each kind of argument, as questions have it."""

from __future__ import annotations

from collections.abc import Callable

from rules_asp.parser import values
from rules_asp.terms.arguments import QUOTED, SCALES, Term
from rules_asp.terms.lexicon import YES_NO, Vocabulary

#: Of each kind of places what one looks like, and how it is read.
PLACE_KINDS: dict[str, tuple[str, Callable[[str], Term]]] = {
    "hex": ("a hex such as U4", values.read_hex),
    "hexside": ("a hexside such as U4-V3", values.read_side),
    "spot": ("a hex or a vertex such as K13@L12-K12", values.read_spot),
    "location": ("a Location such as U4/1", values.read_location),
    "party": ('a unit such as "A", or a Location such as U4/1', values.read_location),
}

#: Kinds of words of which kb/vocabulary.lp holds no full list.
_FREE_WORDS = frozenset({"side", "terrain", "event_name", YES_NO})


def sort_of(kind: str) -> str | None:
    """Kinds that can be joined share a sort; None for a kind that may meet any other."""
    if kind in SCALES:
        return {2: "half_level", 4: "quarter"}.get(SCALES[kind], "number")
    return kind if kind in QUOTED or kind in {*PLACE_KINDS} - {"party"} else None


def is_simple(kind: str, words: Vocabulary) -> bool:
    """Whether values of the kind are single words, numbers, texts or places."""
    return any(kind in each for each in (PLACE_KINDS, SCALES, QUOTED, _FREE_WORDS, words.words))


def plain_kind(kind: str) -> str:
    """A kind in words."""
    plain = {"location": "Location", "party": "unit or Location"}
    return plain.get(kind) or kind.replace("_", " ")
