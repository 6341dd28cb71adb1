"""The rules as a page shows them: all sections in their order, norms as `rules` tells them, and cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rules_asp.cases.citing import are_shipped
from rules_asp.cases.covering import case_files, default_cases
from rules_asp.knowledge.book import Catalogue, catalogue
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.norms_written import NormSources
from rules_asp.positions.files import example_boards
from rules_asp.telling import reports_json
from rules_asp.terms.own_rules import cached_per_rules

Record = dict[str, Any]


@cached_per_rules
def _catalogue() -> Catalogue:
    return catalogue(load_program().source)


def rulings() -> tuple[str, ...]:
    """The rulings, which can be switched off."""
    return _catalogue().rulings


@cached_per_rules
def book() -> Record:
    """All norms as `rules` tells them, by section and paragraph, in reading order."""
    book_ = _catalogue()
    told = reports_json.norms(book_, NormSources(load_program().source), book_.norms)
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
        **told,
        "norms": {each["id"]: each for each in told["norms"]},
        **reports_json.readings(book_, book_.readings()),
    }


def case_file(name: str) -> Path | None:
    """The board of a case, by the name by which `rules` tells it; None for what is no case."""
    cases = () if are_shipped() else case_files()
    top = default_cases().parent.parent
    known = {
        path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name: path
        for path in (*cases, *example_boards().values())
    }
    return known.get(name)
