"""Claims of the lab: read as the ordinary commands read them, and never answered with a no that is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from rules_asp.answers.asking import ask
from rules_asp.answers.patterns import is_free
from rules_asp.answers.questions import bearing_on
from rules_asp.knowledge.running import solve
from rules_asp.knowledge.source import Node
from rules_asp.lab.claimed import body_of
from rules_asp.lab.condition import named_nodes, nodes_of, values
from rules_asp.lab.search import Search
from rules_asp.lab.world import Bounds, Lab, load_lab
from rules_asp.positions.keeping import load
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import settled_query
from rules_asp.terms.board import Expect
from rules_asp.terms.grid import Grid
from rules_asp.terms.lexicon import NO, YES_NO
from rules_asp.terms.query import Argument, Literal, Query
from tests.positions import program
from tests.sampling import some

SMALL = Grid(2, 1)
CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))


@pytest.fixture(scope="module")
def lab() -> Lab:
    return load_lab(program=program())


def search(lab: Lab, *events: str) -> Search:
    return Search(lab, Bounds((SMALL,), events=events), jobs=1)


# --- read as `ask` reads it


def _literals(here: Position) -> Iterator[Literal]:
    """What a case asks in a single ground literal, and the same denied and as no."""
    for each in here.board.statements:
        query = each.question if isinstance(each, Expect) else None
        if not isinstance(query, Query) or len(query.literals) != 1:
            continue
        (said,) = query.literals
        if isinstance(said, Literal) and not any(map(is_free, said.arguments)):
            yield said
            yield replace(said, negated=not said.negated)
            if said.value is not None and said.value.kind == YES_NO:
                yield replace(said, value=Argument(NO, YES_NO), negated=False)


def _read(lab: Lab, here: Position, literal: Literal) -> bool | None:
    """Whether it is so as the lab reads it, of all that the rules derive on this board."""
    query = settled_query(here, Query((literal,)))
    nodes = [*nodes_of(lab, query), Node("asked", 1, (literal.name, len(literal.args)))]
    _, question = bearing_on(here, query)
    answers = here.ask(tuple(nodes), question)
    if len(answers) != 1 or len(here.cases) != 1:
        return None
    rules = [*values(lab, query), f"so :- {', '.join(body_of(query))}."]
    wanted = [*nodes, *named_nodes(lab, "\n".join(rules))]
    kinds = {(node.name, node.arity) for node in wanted}
    rules += [f"#defined {name}/{arity}." for name, arity in sorted(kinds)]
    atoms = [
        symbol
        for each in (here.cases[0], answers[0])
        for symbol in each.symbols
        if (symbol.name, len(symbol.arguments)) in kinds
    ]
    (found,) = solve("\n".join(rules), facts=dict.fromkeys((*atoms, *question.symbols)))
    return bool(found.get("so", 0))


@pytest.mark.parametrize("path", some(CASES, 6), ids=lambda each: each.stem)
def test_a_literal_is_read_as_it_is_asked(lab: Lab, path: Path) -> None:
    here = load(path, program())
    for literal in some(list(_literals(here)), 4):
        with suppress(QuestionError):
            asked = ask(here, Query((literal,)), cite=False).holds
            read = _read(lab, here, literal)
            if read is not None:
                assert read == (asked is True), literal
