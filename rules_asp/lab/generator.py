"""The generator of all small boards relevant to a goal: its events, sites, lines and renaming."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from itertools import chain
from operator import or_
from pathlib import Path
from types import MappingProxyType
from typing import Any

import clingo

from rules_asp.game.grid import Grid, Hex
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.dependencies import (
    Reachability,
    Trigger,
    TriggerKey,
    by_head,
    keys,
    relevant_rules,
    trigger_of,
)
from rules_asp.knowledge.instantiation import split_layers
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import SHARED, Program, declared_signatures
from rules_asp.knowledge.reader import kb_folder, read_rules
from rules_asp.knowledge.rules import (
    CALCULUS,
    Functor,
    Rule,
    Signature,
    rule_text,
    signature_of_term,
    topic_kind,
)
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.knowledge.terms import Lit, replaced
from rules_asp.lab.drawn_lines import drawn, ranges
from rules_asp.lab.symmetry import cube_of, images


def around(grid: Grid) -> Iterator[str]:
    """Yield the hexes of a grid and their neighbors as facts."""
    hexes = dict.fromkeys(grid.hexes())
    for hex_ in hexes:
        yield f"hex({hex_.term})."
        for direction, near in enumerate(hex_.neighbours()):
            if near in hexes:
                yield f"next({hex_.term},{direction},{near.term})."


# --- Renaming of rules, so that one program can hold two rule sets.


#: Suffix of the names of the second rule set.
OTHER = "_other"


#: The nodes of violations, of the first and of the second rule set.
VIOLATIONS = frozenset(Signature(name, 3) for name in ("violates", "violates" + OTHER))


#: Suffix of the heads that the generator filters; see kb/lab/symmetry.lp.
_ANYWHERE = "_anywhere"


def rename_rules(rule: Rule, nodes: Collection[Signature]) -> Rule:
    """Return a rule for the second rule set, with these nodes renamed."""
    return replace(_renamed(rule, nodes, OTHER), file="other/" + rule.file)


def _renamed(rule: Rule, nodes: Collection[Signature], suffix: str) -> Rule:
    def put(found: tuple[Signature, ...]) -> tuple[Signature, ...]:
        return tuple(
            node._replace(name=node.name + suffix) if node in nodes else node for node in found
        )

    def rename(each: Any) -> Any:
        if isinstance(each, Lit) and signature_of_term(each.atom) in nodes:
            return Lit(each.sign, each.atom._replace(name=each.atom.name + suffix))
        return each

    top, *literals = replaced((rule.top, *rule.literals), rename)
    return replace(
        rule,
        text=rule_text(top, literals),
        top=top,
        literals=tuple(literals),
        heads=put(rule.heads),
        positive=put(rule.positive),
        negative=put(rule.negative),
    )


def rename_text(text: str, nodes: Collection[Signature]) -> str:
    """Return the text of rules with these nodes renamed."""
    return "\n".join(rename_rules(rule, nodes).text for rule in read_rules(text)[0])


# --- The events of a search, and their places on a grid.


@dataclass(frozen=True)
class Event:
    """A question to a small board; kb/lab/events.lp names the events."""

    name: str
    sense: str
    #: The layer of answers that it can affect: those of the `board` alone, of board and `units`, or
    #: of a `question`.
    layer: str
    #: True if it is between two hexes.
    between: bool
    #: Kinds of topics for which this event, with the others that show them, covers all cases.
    shows: frozenset[str] = frozenset()
    #: The first of the events with equal results: a goal holds in one if it holds in each.
    interchangeable: str = ""
    #: True if its units are in Bypass.
    at_vertices: bool = False
    #: True if the first unit is in the start hex.
    from_start: bool = False
    #: Kinds of topics that only serve other answers here, each with the event to search.
    borrowed: frozenset[tuple[str, str]] = frozenset()

    @property
    def kind(self) -> str:
        """The name in options: shot for shot(direct)."""
        return self.name.partition("(")[0]

    @property
    def layers(self) -> tuple[str, ...]:
        """The searched layers: its own, and those it covers completely."""
        return (self.layer, self.interchangeable) if self.shows else (self.layer,)


@dataclass(frozen=True)
class EventPlace:
    """The place of an event: the two hexes of an LOS or fire attack, and their relative position."""

    ends: tuple[Hex, Hex] | None = None
    name: str = ""


def places(
    grid: Grid, event: Event, pairs: bool = False, named: Collection[Hex] = ()
) -> tuple[EventPlace, ...]:
    """Return the places of an event on a grid: for an LOS, one pair of hexes per relative position.

    pairs: use pairs also for the event of a claim. named: named hexes; all pairs with one of them
    are used, and one pair of the others.
    """
    if not (event.between or (pairs and event.name == "claim")):
        return (EventPlace(),)
    centre = middle(grid)
    hexes = sorted(grid.hexes(), key=lambda hex_: (hex_.range_to(centre), hex_))
    found: dict[str, tuple[Hex, Hex]] = {}
    for one in hexes:
        for other in hexes:
            ends = (one, other)
            if any(each in named for each in ends):
                found.setdefault(f"{_lie(one, other)}, {one} and {other}", ends)
            elif one <= other:
                found.setdefault(_lie(one, other), ends)
    return tuple(EventPlace(ends, name) for name, ends in sorted(found.items()))


def _lie(one: Hex, other: Hex) -> str:
    """Return the relative position of two hexes."""
    distance = one.range_to(other)
    if distance < 2:
        return ("same hex", "neighbours")[distance]
    pairs = zip(cube_of(one), cube_of(other), strict=True)
    least, middle, _ = sorted(abs(mine - theirs) for mine, theirs in pairs)
    if least == 0:
        return f"in a row, range {distance}"
    way = "along a hexside" if least == middle else f"aslant {middle}:{least}"
    return f"{way}, range {distance}"


def middle(grid: Grid) -> Hex:
    """Return the hex with the most neighbors."""
    hexes = set(grid.hexes())
    return max(sorted(hexes), key=lambda hex_: len(hexes.intersection(hex_.neighbours())))


# --- All small boards as one program: the rules relevant to a question, and a choice of their
# inputs.


#: The grids of a search, smallest first: three hexes, and seven hexes around one.
GRIDS = (Grid(2, 1), Grid(3, 2))
_FLOWER = GRIDS[-1]
#: The measured facts of the lines of a grid (kb/lab/lines.lp).
LINES = (
    *("thru/5", "edge/7", "cross/5", "cross_short/5", "dots/3", "strip/5", "exit/4"),
    *("drawn/2", "needs/2"),
)

_NUMBER = re.compile(r"\b\d+\b")
#: The predicates of the facts about the place of an event, and also about the event; see kb/lab/.
PLACES = frozenset(("ends", "start", "image"))
_OF_A_SITE = PLACES | {"now"}


@lru_cache(maxsize=8)
def _line_keys(grid: Grid, vertices: bool) -> frozenset[TriggerKey]:
    """Return the keys of the facts of lines. Facts that differ only in numbers have the same keys."""
    return keys("\n".join({_NUMBER.sub("0", fact) for fact in drawn(grid, vertices).splitlines()}))


@lru_cache(maxsize=8)  # The same facts are asked about several times in a row.
def _fact_keys(facts: str) -> frozenset[TriggerKey]:
    """Return the keys of facts, one in a line."""
    return frozenset(chain.from_iterable(map(keys, facts.splitlines())))


#: The norms whose assertions on a kind of topic decide a goal; on other kinds, all norms do.
DecisiveNorms = Mapping[Functor, frozenset[str]]
ALL_NORMS: DecisiveNorms = MappingProxyType({})


@dataclass(frozen=True)
class SearchBounds:
    """The limits of a search; every answer includes them.

    grids: tried in this order, for the smallest board. without: rulings that are switched off.
    most: the maximum number of each thing, by its name in kb/lab/. events: names of events; empty:
    all. where: only boards on which this claim holds.
    """

    grids: tuple[Grid, ...] = GRIDS
    sections: tuple[str, ...] = ("b23",)
    without: tuple[str, ...] = ()
    most: tuple[tuple[str, int], ...] = (("buildings", 2),)
    events: tuple[str, ...] = ()
    where: str = ""

    def include(self, event: Event) -> bool:
        """Test whether an event may be searched."""
        return not self.events or event.name in self.events or event.kind in self.events

    def facts(self) -> Iterator[str]:
        """Yield the limits as facts."""
        yield from (f"section({each})." for each in self.sections)
        yield from (f'without("{each}").' for each in self.without)
        yield from (f"most({thing},{number})." for thing, number in self.most)


@dataclass(frozen=True)
class Generator:
    """A knowledge base with its generator of small boards."""

    program: Program
    rules: tuple[Rule, ...]
    #: Further facts for a second rule set.
    facts: tuple[str, ...] = ()
    #: The nodes that occur twice, for both rule sets.
    unit_pairs: frozenset[Signature] = frozenset()
    #: The keys of the facts that put the rules in force.
    stated: frozenset[TriggerKey] = frozenset()
    _living: dict[frozenset[TriggerKey], Generator] = field(default_factory=dict, init=False)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events that can be searched, by name."""
        nodes = (
            Signature("event", 3),
            Signature("between", 1),
            Signature("shows", 2),
            Signature("at_vertices", 1),
            Signature("from_the_start", 1),
            Signature("borrowed", 3),
        )
        answer = self._answer(nodes)
        between = {what for (what,) in answer.get("between", 1)}
        at_vertices = {what for (what,) in answer.get("at_vertices", 1)}
        from_start = {what for (what,) in answer.get("from_the_start", 1)}
        shown: dict[str, set[str]] = {}
        for event, kind in answer.get("shows", 2):
            shown.setdefault(str(event), set()).add(str(kind))
        borrowed = answer.get("borrowed", 3)
        return tuple(
            Event(
                str(name),
                sense.string,
                str(layer),
                name in between,
                frozenset(shown.get(str(name), ())),
                min(
                    (each for each, kinds in shown.items() if kinds == shown.get(str(name))),
                    default="",
                ),
                name in at_vertices,
                name in from_start,
                frozenset(
                    (str(kind), str(other)) for event, kind, other in borrowed if event == name
                ),
            )
            for name, layer, sense in sorted(answer.get("event", 3))
        )

    def _answer(self, nodes: Iterable[Signature]) -> AnswerSet:
        """Return the answer set of the generator alone."""
        (answer,) = solve("\n".join(self.rules[place].text for place in self.cone(nodes)))
        return answer

    @cached_property
    def never(self) -> Mapping[str, str]:
        """The inputs that no board here has, or not in all ways, each in words."""
        answer = self._answer([Signature("never", 2), Signature("partly", 2)])
        found = sorted((*answer.get("never", 2), *answer.get("partly", 2)))
        return {str(name): words.string for name, words in found}

    @cached_property
    def between_two(self) -> str:
        """A text about the limits of lines to vertices."""
        ((words,),) = self._answer([Signature("between_two", 1)]).get("between_two", 1)
        return words.string

    @cached_property
    def later(self) -> frozenset[Signature]:
        """The nodes that depend on a question: in rules, measurements, queries and goals."""
        asked = declared_signatures(self.program.source, "measured")
        _, question = split_layers(self.rules, asked)
        return frozenset(asked) | {node for rule in question for node in rule.heads}

    @property
    def inputs(self) -> frozenset[tuple[str, int]]:
        """The inputs of boards."""
        return self.program.inputs

    @cached_property
    def chosen(self) -> frozenset[Signature]:
        """The inputs that the generator chooses."""
        return frozenset(
            node
            for rule in self.rules
            for node in rule.heads
            if rule.file.startswith("lab/")
            and rule.head is None
            and node.name in self.program.vocabulary.inputs
        )

    @cached_property
    def heads(self) -> frozenset[Signature]:
        """All heads of rules."""
        return frozenset(node for rule in self.rules for node in rule.heads)

    def kinds(self, name: str, arity: int) -> Sequence[Functor]:
        """Return the kinds of topics for which some rule derives a predicate."""
        return self._kinds.get((name, arity), ())

    @cached_property
    def _kinds(self) -> Mapping[tuple[str, int], Sequence[Functor]]:
        found: dict[tuple[str, int], list[Functor]] = {}
        for name, arity, topic in self.heads:
            if topic:
                found.setdefault((name, arity), []).append(topic)
        return {predicate: sorted(topics) for predicate, topics in found.items()}

    @cached_property
    def verdicts(self) -> frozenset[str]:
        """The predicates that the calculus derives: conflicts, defeats, unknowns."""
        of_it = (rule for rule in self.rules if rule.file == CALCULUS)
        return frozenset(node.name for rule in of_it for node in rule.heads)

    @cached_property
    def rulings(self) -> tuple[tuple[str, str, str], ...]:
        """The rulings, each with the norm that wins and the norm that loses."""
        precedences = catalogue(self.program.source).precedences
        return tuple((each.ruling, each.winner, each.loser) for each in precedences if each.ruling)

    @cached_property
    def constraints(self) -> tuple[int, ...]:
        """The indexes of constraints on boards."""
        return tuple(place for place, rule in enumerate(self.rules) if not rule.heads)

    @cached_property
    def _by_head(self) -> dict[Signature, list[int]]:
        return by_head(self.rules)

    def cone(self, wanted: Iterable[Signature], decisive: DecisiveNorms = ALL_NORMS) -> list[int]:
        """Return the indexes of the rules relevant to these nodes, with the generator, except
        violations.

        decisive: the only norms whose assertions on a kind of topic are included. If a rule reads
        an answer to such a topic, all norms are decisive.
        """
        wanted = tuple(wanted)
        broken = VIOLATIONS.intersection(self._by_head)
        # Rules read only answers to topics of other kinds than the wanted ones.
        about = {node.topic for node in wanted}
        decisive = {kind: norms for kind, norms in decisive.items() if kind in about}
        while True:
            left_out = {
                place
                for kind, norms in decisive.items()
                for place, asserting in self._assertions_on.get(kind, ())
                if norms.isdisjoint(asserting)
            }
            among = {*range(len(self.rules))} - left_out if left_out else None
            kept = relevant_rules(self._nodes_of, self._by_head, wanted, broken, among)
            if not left_out:
                return kept
            read = self._answers_among(wanted, decisive).union(
                *(self._answers_read(place) for place in kept)
            )
            # A variable is a topic of any kind.
            if not all(name[:1].islower() for name, _ in read):
                read.update(decisive)
            if read.isdisjoint(decisive):
                return kept
            decisive = {kind: norms for kind, norms in decisive.items() if kind not in read}

    @cached_property
    def _assertions_on(self) -> Mapping[Functor, Sequence[tuple[int, tuple[str, ...]]]]:
        """The rules with assertions of named norms, by kind of topic. Each rule has its norms.

        A rule of a lift has two norms: the lifting norm and the lifted norm.
        """
        found: dict[Functor, list[tuple[int, tuple[str, ...]]]] = {}
        for place, rule in enumerate(self.rules):
            name = rule.head.name.removesuffix(OTHER) if rule.head else ""
            head = calculus().heads.get(name)
            count = len(head.places("norm")) if head else 0
            for node in rule.heads if len(rule.ids) >= count > 0 else ():
                if node.topic:
                    found.setdefault(node.topic, []).append((place, rule.ids[:count]))
        return found

    def rules_about(self, kind: str) -> Mapping[str, frozenset[str]]:
        """Return, by norm, the rules that assert something about topics of a kind."""
        found: dict[str, set[str]] = {}
        for functor, asserting in self._assertions_on.items():
            # A variable is a topic of any kind.
            if functor[0] == kind or not functor[0][:1].islower():
                for place, (norm, *_) in asserting:
                    found.setdefault(norm, set()).add(self.rules[place].text)
        return {norm: frozenset(rules) for norm, rules in found.items()}

    def _answers_read(self, place: int) -> set[Functor]:
        """Return the kinds of topics to which a rule reads an answer.

        A rule of the calculus may also read the assertions of norms on its own topic.
        """
        rule = self.rules[place]
        own = {node.topic for node in rule.heads} if rule.file == CALCULUS else set()
        return self._answers_among(rule.body, own)

    def _answers_among(
        self, nodes: Iterable[Signature], own: Container[Functor | None]
    ) -> set[Functor]:
        """Return the kinds of topics of nodes, except nodes with a norm on one of the `own` kinds."""
        norms = calculus().norm_places
        return {
            node.topic
            for node in nodes
            if node.topic
            and node.name in self._answering
            and not (node.topic in own and node.name in norms)
        }

    @cached_property
    def _answering(self) -> frozenset[str]:
        return self.verdicts.union(calculus().heads)

    def _nodes_of(self, place: int) -> Sequence[Signature]:
        return self.rules[place].heads + self.rules[place].body

    def reads(self, nodes: Collection[Signature]) -> frozenset[str]:
        """Return the inputs on which these nodes depend."""
        mask = self._mask_below(nodes)
        return frozenset(name for (name, _), bit in self._bits.items() if bit & mask)

    def _mask_below(self, nodes: Collection[Signature]) -> int:
        """Return the mask of the inputs that `reads` names."""
        below = (self._inputs_below.get(node, 0) for node in nodes)
        return reduce(or_, below, self._mask_of(nodes))

    def _mask_of(self, nodes: Iterable[Signature]) -> int:
        """Return the mask of the inputs among these nodes."""
        return reduce(or_, (self._bits.get((node.name, node.arity), 0) for node in nodes), 0)

    @cached_property
    def _bits(self) -> Mapping[tuple[str, int], int]:
        """A bit for each input."""
        return {each: 1 << place for place, each in enumerate(sorted(self.inputs))}

    @cached_property
    def _inputs_below(self) -> Mapping[Signature, int]:
        """The inputs that the cone of each derived node reads, as a mask."""
        below: dict[Signature, int] = {}
        readers: dict[Signature, set[Signature]] = {}
        for rule in self.rules:
            heads = [node for node in rule.heads if node not in VIOLATIONS]
            own = self._mask_of(rule.body)
            for head in heads:
                below[head] = below.get(head, 0) | own
            for node in (*heads, *rule.body):
                readers.setdefault(node, set()).update(heads)
        todo = dict.fromkeys(below)
        while todo:
            node, _ = todo.popitem()
            for head in readers.get(node, ()):
                if below[node] & ~below[head]:
                    below[head] |= below[node]
                    todo[head] = None
        return below

    @cached_property
    def _breaches(self) -> Sequence[int]:
        """The indexes of rules of violations, of both rule sets."""
        return [place for node in VIOLATIONS for place in self._by_head.get(node, ())]

    @cached_property
    def _inputs_of_limits(self) -> Mapping[int, int]:
        """The mask of the inputs below each constraint and each rule of a violation."""
        limits = (*self.constraints, *self._breaches)
        return {place: self._mask_below(self.rules[place].body) for place in limits}

    def compute_shared(self) -> None:
        """Compute what the search of any site uses, so that processes inherit it."""
        _ = self._fitting, self._defined, self.inputs, self.chosen

    @cached_property
    def _fitting(self) -> Reachability[Rule]:
        return Reachability.of(self.rules, [*map(self._trigger, self.rules)])

    def _trigger(self, rule: Rule) -> Trigger:
        return self.program.occasions.get(rule.text) or trigger_of(rule, OTHER)

    def selected(
        self,
        wanted: Sequence[Signature],
        strict: Iterable[str] = (),
        lenient: bool = False,
        decisive: DecisiveNorms = ALL_NORMS,
    ) -> list[Rule]:
        """Return the rules for a search: the cone, and constraints on boards.

        A constraint on inputs that nothing else here reads would only widen the search and is left
        out. `strict` names norms to keep nevertheless. `lenient`: boards may violate norms.
        """
        kept = set(self.cone(wanted, decisive))
        if not VIOLATIONS.isdisjoint(wanted):
            for place in self._breaches:
                kept |= {place, *self.cone(self.rules[place].body)}
        inputs = self._mask_of(node for at in kept for node in self._nodes_of(at))
        strict = frozenset(strict)
        bodies: set[Signature] = set()
        for place in (*self.constraints, *(() if lenient else self._breaches)):
            rule = self.rules[place]
            if lenient and VIOLATIONS.intersection(rule.body):
                continue
            if rule.norm in strict or not self._inputs_of_limits[place] & ~inputs:
                kept.add(place)
                bodies.update(rule.body)
        return [self.rules[place] for place in sorted(kept.union(self.cone(bodies)))]

    def in_force(self, given: str, grid: Grid, vertices: bool = False) -> Generator:
        """Return the generator with only the rules that a search on a grid with these facts triggers."""
        # Other rules, such as those of sections not in force, would add inputs to vary.
        # The lines of a small grid have the same predicates.
        small = grid if len(grid.hexes()) <= len(_FLOWER.hexes()) else _FLOWER
        # The facts of a second rule set are the same at every site, and thousands.
        own = "\n".join(self.facts)
        site = _fact_keys(given.removeprefix(own))
        stated = _line_keys(small, vertices).union((SHARED,), keys(own), site)
        if stated not in self._living:
            rules = self._fitting.reachable_from(stated)
            self._living[stated] = replace(self, rules=rules, stated=stated)
        return self._living[stated]

    @cached_property
    def reached(self) -> frozenset[TriggerKey]:
        """The keys of the facts that put the rules in force, and of the atoms that they can derive."""
        return self.stated.union(*(self._trigger(rule).gives for rule in self.rules))

    def asserts(self, norm: str, kind: Functor) -> bool:
        """Test whether a norm may assert something about topics of a kind by these rules."""
        return asserts(self._assertions, norm, topic_kind(kind))

    @cached_property
    def _assertions(self) -> frozenset[Assertion]:
        # A ruling asserts something about the kinds of the norms that it ranks, so about any kind.
        # A supposition, `could_be`, is of no norm.
        of_norms = calculus().heads.keys() & calculus().norm_places.keys()
        return assertions(self.rules, of_norms & calculus().topic_place.keys() | {"ruling"})

    def searched(
        self,
        given: str,
        grid: Grid,
        wanted: Sequence[Signature],
        strict: Iterable[str] = (),
        lenient: bool = False,
        vertices: bool = False,
        decisive: DecisiveNorms = ALL_NORMS,
    ) -> tuple[str, list[Rule]]:
        """Return the facts of a search, with measured lines if a rule reads them, and the rules.

        Facts about the event and its place are left out if no rule reads them. The lines of a large
        grid take minutes to measure. vertices: include lines to and from vertices. decisive: see
        `cone`.
        """
        given += "\nvertices." if vertices else ""
        rules = self.in_force(given, grid, vertices).selected(wanted, strict, lenient, decisive)
        read = predicates_read(rules, wanted)
        # So the programs of sites are equal if they differ only in what no rule reads.
        if unread := _OF_A_SITE - read:
            facts = given.splitlines()
            given = "\n".join(fact for fact in facts if fact.partition("(")[0] not in unread)
        if any(f"{node.name}/{node.arity}" in LINES for rule in rules for node in rule.body):
            given = f"{given}\n{drawn(grid, vertices)}"
        return given, rules

    def given(
        self,
        bounds: SearchBounds,
        grid: Grid,
        event: Event,
        place: EventPlace,
        anywhere: bool = False,
        symmetric: bool = False,
    ) -> str:
        """Return the facts of a search without lines: limits, hexes, event and place.

        `anywhere`: an action may begin in every hex, since hexes are named. `symmetric`: of boards
        and topics that are images of each other, one suffices.
        """
        facts = [*self.facts, *bounds.facts(), *around(grid), *ranges(grid), f"now({event.name})."]
        start = middle(grid)
        facts += [f"start({each.term})." for each in (grid.hexes() if anywhere else (start,))]
        if place.ends is not None:
            facts.append(f"ends({place.ends[0].term},{place.ends[1].term}).")
        elif symmetric:
            kept = start if event.from_start else None
            facts += [f"image({each.term})." for each in images(grid, kept, event.at_vertices)]
        return "\n".join(facts)

    def program_text(self, facts: str, rules: Sequence[Rule]) -> str:
        """Return the program of a search with these facts, without its goal."""
        summed = {node.topic for rule in rules for node in rule.heads if node.name == "total"}
        within = [
            f":- is_sum({topic}), not is_unknown({topic}), not total({topic},_)."
            for topic in map(signature_pattern, sorted(filter(None, summed)))
        ]
        if any(node.name == "hindrance" for rule in rules for node in rule.heads):
            within.append(":- hindered(S,_,_,_), not hindrance(S,_).")
        shared = self.program.shared(rules)
        return "\n".join([self._defined, shared, *(rule.text for rule in rules), *within, facts])

    @cached_property
    def _defined(self) -> str:
        names = {(n.name, n.arity) for rule in self.rules for n in (*rule.heads, *rule.body)}
        lines = [f"#defined {name}/{arity}." for name, arity in sorted(names)]
        comes = "now/1 vertices/0 image/1 ends/2 start/1 most/2 range/3 compared/1 alike/1"
        comes += " wanted_sight/3 wanted_shot/5 wanted_pair/3 wanted_deed/4 steps_from_anywhere/1"
        comes += " every/1 spoken_of/1 typed/2"
        lines += [f"#defined {each}." for each in (*LINES, *comes.split())]
        return "\n".join([*lines, self.program.defined])


def predicates_read(rules: Iterable[Rule], wanted: Iterable[Signature]) -> set[str]:
    """Return the names of the predicates that these rules read, and of the wanted nodes."""
    return {node.name for node in chain(wanted, *(rule.body for rule in rules))}


def minimise_text(lab: Generator, rules: Iterable[Rule]) -> str:
    """Return the minimization: fewest nonempty hexes, then fewest statements."""
    lines = ["#defined used/1.", "#minimize { 1@2,H : used(H) }.", "#minimize { 0@1 : #true }."]
    lines.append("#defined stated/1.")
    lines.append(":- most(statements,N), #count { S : stated(S) } > N.")
    chosen = {node for rule in rules for node in rule.heads} & lab.chosen
    for node in sorted(chosen):
        names = [f"X{number}" for number in range(node.arity)]
        atom = f"{node.name}({','.join(names)})" if names else node.name
        # Level 0 needs no statement.
        said = f"{atom}, X1 > 0" if node.name == "base" else atom
        lines.append(f"#minimize {{ 1@1,{atom} : {said} }}.")
        lines.append(f"stated({atom}) :- {said}.")
        for name, kind in zip(names, lab.program.vocabulary.inputs[node.name].kinds, strict=True):
            lines += [f"used({hex_}) :- {said}{where}." for hex_, where in _hexes(name, kind)]
    return "\n".join(lines)


def _hexes(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """Yield terms for the hexes of an argument."""
    if kind == "hex":
        yield name, ""
    elif kind == "hexside":
        yield "H", f", {name} = e(H,_)"
        yield "H", f", {name} = e(_,H)"
    elif kind == "location":
        yield "H", f", {name} = l(H,_), hex(H)"
        yield "H", f", {name} = l(v(H,_),_)"


def load_generator(folder: Path | None = None, program: Program | None = None) -> Generator:
    """Return the knowledge base of a folder, or else the included one, with the included generator."""
    program = program or load_program(folder)
    own: list[Rule] = []
    for path in (kb_folder() / "no_violations.lp", *sorted((kb_folder() / "lab").glob("*.lp"))):
        name = path.relative_to(kb_folder()).as_posix()
        own += read_rules(path.read_text(encoding="utf-8"), name)[0]
    filters = (node for rule in own for node in rule.body if node.name.endswith(_ANYWHERE))
    filtered = {node._replace(name=node.name.removesuffix(_ANYWHERE)) for node in filters}
    rules = (
        rule if filtered.isdisjoint(rule.heads) else _renamed(rule, filtered, _ANYWHERE)
        for rule in program.rules
    )
    return Generator(program, (*rules, *own))


#: A norm and a kind of topics about which it may assert something; None: any.
Assertion = tuple[str | None, Functor | None]


def assertions(rules: Iterable[Rule], heads: Collection[str]) -> frozenset[Assertion]:
    """Return the assertions that rules with such heads may make.

    A head whose norm is a variable may be of any norm, and a variable topic of any kind.
    """
    return frozenset(
        (rule.ids[0] if rule.ids else None, kind if kind and kind[0][:1].islower() else None)
        for rule in rules
        for kind in (topic_kind(node.topic) for node in rule.heads if node.name in heads)
    )


def asserts(known: frozenset[Assertion], norm: str, kind: Functor | None) -> bool:
    """Test whether a norm may assert something about topics of a kind."""
    return not known.isdisjoint(((norm, kind), (norm, None), (None, kind), (None, None)))


def signature_pattern(functor: Functor) -> str:
    """Return a topic of a kind, with variables for its arguments."""
    name, arity = functor
    return f"{name}({','.join(f'A{number}' for number in range(arity))})" if arity else name


# --- The sites of a search, and its results as clingo atoms.


@dataclass(frozen=True)
class SearchSite:
    """A search site: an event, on a grid, at a place."""

    grid: Grid
    event: Event
    place: EventPlace

    def __str__(self) -> str:
        return ", ".join(filter(None, (str(self.grid), self.event.name, self.place.name)))


@dataclass(frozen=True)
class BoardModel:
    """The smallest board that shows a goal: the atoms that are read, and its size.

    size: number of nonempty hexes, number of statements. least: no smaller one exists, by proof.
    """

    goal: clingo.Symbol
    symbols: tuple[clingo.Symbol, ...]
    spot: SearchSite
    size: tuple[int, int]
    least: bool = True
