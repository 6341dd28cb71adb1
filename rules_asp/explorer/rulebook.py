"""The rules as a page shows them: every section in its order, each norm with its logic and who beats whom."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rules_asp.knowledge.book import Catalogue, catalogue, section_of
from rules_asp.knowledge.loading import load_program
from rules_asp.telling import reports_json

Record = dict[str, Any]


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return catalogue(load_program().source)


def rulings() -> tuple[str, ...]:
    """The rulings, which can be switched off."""
    return _catalogue().rulings


@lru_cache(maxsize=1)
def book() -> Record:
    """All norms as `rules` tells them, by section and paragraph, in reading order."""
    book_ = _catalogue()
    told = {each["id"]: each for each in reports_json.norms(book_, book_.norms)["norms"]}
    sections = [
        {
            "section": section,
            "paragraphs": [
                {"cite": paragraph, "norms": [norm.id for norm in norms]}
                for paragraph, norms in paragraphs.items()
            ],
        }
        for section, paragraphs in book_.sections.items()
    ]
    return {
        "sections": sections,
        "norms": {
            name: {**each, "rules": book_.rules.get(name, "").strip()}
            for name, each in told.items()
        },
        **reports_json.readings(book_, book_.readings()),
    }


def norm(name: str) -> Record:
    """One norm, or all of a paragraph, as `rules NAME` tells it."""
    book_ = _catalogue()
    return {**reports_json.norms(book_, book_.at(name)), "section": section_of(name)}
