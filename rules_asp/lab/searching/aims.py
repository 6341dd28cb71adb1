"""What a search looks for, and what is given to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rules_asp.knowledge.source import Signature
from rules_asp.lab.boards.events import Event
from rules_asp.lab.boards.findings import GoalWitness
from rules_asp.lab.boards.spots import BoardModel, SearchSite
from rules_asp.lab.boards.witnesses import Confirmation, WitnessEvidence
from rules_asp.lab.boards.world import Generator, SearchBounds
from rules_asp.lab.searching.condition import places_named
from rules_asp.terms.grid import Hex
from rules_asp.terms.query import Query


@dataclass(frozen=True)
class GoalRules:
    """Rules that derive goal(Key), and the nodes that these read."""

    rules: str
    wanted: tuple[Signature, ...]


#: What shows a model's goal on its board.
Evidence = Callable[[BoardModel], Query | WitnessEvidence]


@dataclass(frozen=True)
class SearchGoal:
    """What is looked for: a part for each layer of events; a layer without one is not searched.

    lenient: boards that break a norm count too. evidence: the question that shows a model's goal on
    its board. events: the only ones to be looked at; a claim's own is looked at only if it is among them.
    facts: what is given besides. confirms: what is asked to confirm a witness, where it is more than its
    question. plain: the names of goals for which no board is wanted. pairs: whether the search of a
    claim names two hexes. named: hexes that a claim names. extreme: whether the greatest or least value of
    something is sought. tells: whether it is told which numbers boards may state. reads: the
    predicates of a model that `evidence` reads; None: all. kind: what a goal is one way of showing, so
    that further ways are not looked for as long as the first. units: those that the boards for a claim
    may have. vertices: whether these may be in Bypass.
    """

    parts: Mapping[str, GoalRules]
    lenient: bool = False
    evidence: Evidence | None = None
    events: tuple[str, ...] | None = None
    facts: str = ""
    confirms: Callable[[GoalWitness], Confirmation] | None = None
    plain: tuple[str, ...] = ()
    pairs: bool = False
    extreme: bool = False
    tells: bool = False
    named: frozenset[Hex] = frozenset()
    reads: tuple[tuple[str, int], ...] | None = None
    kind: Callable[[str], str] | None = None
    units: tuple[str, ...] = ()
    vertices: bool = False

    def part(self, event: Event) -> GoalRules | None:
        """What is looked for in an event; None: nothing."""
        found = [self.parts[layer] for layer in event.layers if layer in self.parts]
        if not found:
            return None
        wanted = dict.fromkeys(node for each in found for node in each.wanted)
        return GoalRules("\n".join(each.rules for each in found), tuple(wanted))


def named_by(look: SearchGoal, bounds: SearchBounds) -> frozenset[Hex]:
    """The hexes that are named: a board with one of them is not as good as its mirror image."""
    return look.named | places_named(bounds.where) if bounds.where else look.named


def at_vertices(spot: SearchSite, look: SearchGoal) -> bool:
    """Whether units may be in Bypass at a spot, and lines to them are measured."""
    return look.vertices or spot.event.at_vertices


def given_at(spot: SearchSite, lab: Generator, bounds: SearchBounds, look: SearchGoal) -> str:
    """What is given of a search at a spot, but for the lines."""
    anywhere = bool(named_by(look, bounds))
    return f"{lab.given(bounds, spot.grid, spot.event, spot.place, anywhere)}\n{look.facts}"
