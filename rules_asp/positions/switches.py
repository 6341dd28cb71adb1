"""Rulings, which are ours and can be switched off."""

from __future__ import annotations

from collections.abc import Iterable

from rules_asp.knowledge.book import catalogue
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.positions.places import QuestionError


def check_rulings(program: Program | None, without: Iterable[str]) -> tuple[str, ...]:
    """The rulings to switch off; QuestionError for one that there is not."""
    wanted = tuple(without)
    if wanted:
        from rules_asp.parser.errors import nearest

        known = catalogue((program or load_program()).source).rulings
        for each in wanted:
            if each not in known:
                near = nearest(each, known)
                hint = f"; did you mean {near}?" if near else f"; there are {', '.join(known)}"
                raise QuestionError(f"there is no ruling {each}{hint}")
    return wanted
