"""What no board of the lab has, as far as something rests on it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules_asp.knowledge.source import Signature
from rules_asp.lab.boards.world import Generator
from rules_asp.lab.searching.aims import SearchGoal
from rules_asp.terms.lexicon import vocabulary

#: To places where only a unit in Bypass is, a line is looked along in some events alone.
_BESIDES = "bypasses"


def absent_inputs(lab: Generator, nodes: Iterable[Signature]) -> tuple[str, ...]:
    """What these rest on and no board of the lab has (kb/lab/never.lp), each in words."""
    nodes = tuple(nodes)
    read = lab.reads(nodes)
    texts = [lab.rules[place].text for place in lab.cone(nodes)]
    return tuple(
        said
        for name, said in lab.never.items()
        if name in read or (name not in vocabulary().inputs and _named(name, texts))
    )


def needs_absent_inputs(lab: Generator, look: SearchGoal) -> tuple[str, ...]:
    """What boards for all that is looked for would have to have besides; all, where nothing is."""
    if not look.parts:
        return tuple(lab.never.values())
    found = absent_inputs(
        lab, dict.fromkeys(n for part in look.parts.values() for n in part.wanted)
    )
    if look.vertices:
        others = (said for said in found if said != lab.never[_BESIDES])
        return (lab.between_two, *others)
    lines = {"question", "sight"}.isdisjoint(look.parts) or lab.never[_BESIDES] in found
    return found if lines else (lab.never[_BESIDES], *found)


def _named(word: str, texts: Iterable[str]) -> bool:
    return any(re.search(rf"\b{word}\b", text) for text in texts)
