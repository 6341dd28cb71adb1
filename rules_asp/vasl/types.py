"""What VASL's building types mean beside the drawings: kb/vasl.lp says it, asked with the rules of kb/.

Types and flags are VASL's reading of the printed board, and sometimes contradict what is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.occasions import keys
from rules_asp.knowledge.running import solve
from rules_asp.knowledge.source import Signature, kb_folder
from rules_asp.terms.grid import Hex, Hexside
from rules_asp.terms.symbols import hex_from_symbol
from rules_asp.vasl.archive import TerrainCode

#: What kb/vasl.lp reads of the rules.
_READ = (
    Signature("is", 2, ("btype", 1)),
    Signature("is", 2, ("stairwell", 1)),
    Signature("is", 2, ("has_level", 2)),
    Signature("building", 2),
    Signature("sloped", 1),
)


@dataclass(frozen=True)
class BuildingEvidence:
    """Which building hexes have a stairwell symbol, and what is doubtful about a hex, in words."""

    symbols: frozenset[Hex] = frozenset()
    doubts: Mapping[Hex, tuple[str, ...]] = field(default_factory=dict)


def stairwell_facts(
    colours: Mapping[Hex, str],
    joined: Collection[Hexside],
    bases: Mapping[Hex, int],
    types: Mapping[Hex, TerrainCode],
    flagged: Collection[Hex],
) -> BuildingEvidence:
    """What VASL's types and stairway flags say of building hexes with these colours and base levels."""
    if not colours:
        return BuildingEvidence()
    said = "".join(f"{each}\n" for each in _facts(colours, joined, bases, types, flagged))
    (answer,) = solve(load_program().whole_cone(_READ, keys(said + _reading())), _reading(), said)
    doubts: dict[Hex, tuple[str, ...]] = {}
    for where, text, question in answer.get("doubt", 3):
        hex_ = hex_from_symbol(where)
        doubt = text.string.format(types[hex_].levels or 0)
        doubt += f": {question.string}" if question.string else ""
        doubts[hex_] = (*doubts.get(hex_, ()), doubt)
    symbols = frozenset(hex_from_symbol(where) for (where,) in answer.get("stairwell_symbol", 1))
    return BuildingEvidence(symbols, doubts)


@cache
def _reading() -> str:
    return (kb_folder() / "vasl.lp").read_text("utf-8")


def _facts(
    colours: Mapping[Hex, str],
    joined: Collection[Hexside],
    bases: Mapping[Hex, int],
    types: Mapping[Hex, TerrainCode],
    flagged: Collection[Hex],
) -> Iterator[str]:
    yield "section(b23)."
    for hex_, colour in colours.items():
        yield f"hex({hex_.term}). depicts({hex_.term},{colour}). base({hex_.term},{2 * bases[hex_]})."
        yield f"typed({hex_.term},{types[hex_].role},{types[hex_].levels or 0})."
        for direction, near in enumerate(hex_.neighbours()):
            if near in colours:
                yield f"next({hex_.term},{direction},{near.term})."
    for side in joined:
        yield f"joined({side.term})."
    for hex_ in sorted(flagged):
        if hex_ in colours:
            yield f"flagged({hex_.term})."
