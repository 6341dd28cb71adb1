"""The program that generates all small boards relevant to a goal; its events, sites, renaming."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import clingo

from rules_asp.game.grid import Grid, Hex
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.dependencies import (
    Reachability,
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
from rules_asp.knowledge.rules import Functor, Rule, Signature, rule_text, signature_of_term
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.knowledge.terms import Lit, replaced
from rules_asp.lab.line_tables import around, drawn, ranges

# --- Rules under other names, so that two sets of them can stand in one program.


#: What is appended to the names of the second set of rules.
OTHER = "_other"


def rename_rules(rule: Rule, nodes: Collection[Signature]) -> Rule:
    """A rule in which these nodes have other names."""

    def put(found: tuple[Signature, ...]) -> tuple[Signature, ...]:
        return tuple(
            node._replace(name=node.name + OTHER) if node in nodes else node for node in found
        )

    def rename(each: Any) -> Any:
        if isinstance(each, Lit) and signature_of_term(each.atom) in nodes:
            return Lit(each.sign, each.atom._replace(name=each.atom.name + OTHER))
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
        file="other/" + rule.file,
    )


def rename_text(text: str, nodes: Collection[Signature]) -> str:
    """The text of rules in which these nodes have other names."""
    return "\n".join(rename_rules(rule, nodes).text for rule in read_rules(text)[0])


# --- The events of a search, and how each may lie on a grid.


@dataclass(frozen=True)
class Event:
    """What is asked of a small board: kb/lab/events.lp names the events."""

    name: str
    sense: str
    #: Which answers can turn on it: those that rest on the `board` alone, on it and its `units`, or on a
    #: `question`.
    layer: str
    #: Whether it lies between two hexes.
    between: bool
    #: The kinds of topics of which it, with the others that show them, shows all that can be so.
    shows: frozenset[str] = frozenset()
    #: The first of the events that show the same: what is looked for in one is so in each of them.
    interchangeable: str = ""
    #: Whether units are in Bypass there.
    at_vertices: bool = False

    @property
    def kind(self) -> str:
        """What it is called in options: shot of shot(direct)."""
        return self.name.partition("(")[0]

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that are looked at in it: its own, and that of which it shows all."""
        return (self.layer, self.interchangeable) if self.shows else (self.layer,)


@dataclass(frozen=True)
class EventPlace:
    """Where an event happens: the two hexes of a sight or shot, and how these lie."""

    ends: tuple[Hex, Hex] | None = None
    name: str = ""


def places(
    grid: Grid, event: Event, pairs: bool = False, named: Collection[Hex] = ()
) -> tuple[EventPlace, ...]:
    """How an event may lie on a grid: for a sight, one pair of hexes for each way in which two can lie.

    pairs: so it is for the event of a claim. named: hexes that are named, so that all pairs with one of
    them are looked at, and one pair of the others.
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
    """How two hexes lie to each other."""
    distance = one.range_to(other)
    if distance < 2:
        return ("same hex", "neighbours")[distance]
    straight = one.col == other.col or (
        abs(one.centre.y - other.centre.y) == 258 * abs(one.col - other.col)
    )
    if straight:
        return f"in a row, range {distance}"
    spine = one.centre.y == other.centre.y or (
        3 * 258 * abs(one.col - other.col) == abs(one.centre.y - other.centre.y)
    )
    return f"{'along a hexside' if spine else 'aslant'}, range {distance}"


def middle(grid: Grid) -> Hex:
    """The hex with the most neighbours."""
    hexes = set(grid.hexes())
    return max(sorted(hexes), key=lambda hex_: len(hexes.intersection(hex_.neighbours())))


# --- All small boards as one program: the rules that bear on a question, and a choice for all
#     they read.


#: The grids of a search, smallest first: three hexes, and the flower of seven.
GRIDS = (Grid(2, 1), Grid(3, 2))
_FLOWER = GRIDS[-1]
#: What is measured of the lines of a grid (kb/lab/lines.lp).
LINES = (
    *("thru/5", "edge/7", "cross/5", "cross_short/5", "dots/3", "strip/5", "exit/4"),
    *("drawn/2", "needs/2"),
)


#: Sums that no search looks at, such as 24 MF in quarters and more: what could be added up is not seen
#: to exclude each other before the search, and all the sums that could be made of it are far too many.
_BEYOND = ((-9999, -49), (97, 9999))


@dataclass(frozen=True)
class SearchBounds:
    """What boards a search looks at; it stands in every answer.

    grids: tried in this order, for the smallest board. without: rulings that are switched off.
    most: at most so many of a thing, as kb/lab/ names it. events: only these, by name; none: all.
    where: only boards on which this claim holds.
    """

    grids: tuple[Grid, ...] = GRIDS
    sections: tuple[str, ...] = ("b23",)
    without: tuple[str, ...] = ()
    most: tuple[tuple[str, int], ...] = (("buildings", 2),)
    events: tuple[str, ...] = ()
    where: str = ""

    def facts(self) -> Iterator[str]:
        """Them as facts."""
        yield from (f"section({each})." for each in self.sections)
        yield from (f'without("{each}").' for each in self.without)
        yield from (f"most({thing},{number})." for thing, number in self.most)


@dataclass(frozen=True)
class Generator:
    """A knowledge base with its generator of small boards."""

    program: Program
    rules: tuple[Rule, ...]
    #: What is given besides, for a second set of rules.
    facts: tuple[str, ...] = ()
    #: What is derived twice, for both.
    unit_pairs: frozenset[Signature] = frozenset()
    _inputs_read: dict[tuple[Signature, ...], frozenset[str]] = field(
        default_factory=dict, init=False
    )
    _living: dict[frozenset[TriggerKey], Generator] = field(default_factory=dict, init=False)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events that can be searched, in the order of their names."""
        nodes = (
            Signature("event", 3),
            Signature("between", 1),
            Signature("shows", 2),
            Signature("at_vertices", 1),
        )
        answer = self._answer(nodes)
        between = {what for (what,) in answer.get("between", 1)}
        at_vertices = {what for (what,) in answer.get("at_vertices", 1)}
        shown: dict[str, set[str]] = {}
        for event, kind in answer.get("shows", 2):
            shown.setdefault(str(event), set()).add(str(kind))
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
            )
            for name, layer, sense in sorted(answer.get("event", 3))
        )

    def _answer(self, nodes: Iterable[Signature]) -> AnswerSet:
        """What the generator says by itself."""
        (answer,) = solve("\n".join(self.rules[place].text for place in self.cone(nodes)))
        return answer

    @cached_property
    def never(self) -> Mapping[str, str]:
        """What no board here has: inputs that none states, or not in all ways, each in words."""
        answer = self._answer([Signature("never", 2), Signature("partly", 2)])
        found = sorted((*answer.get("never", 2), *answer.get("partly", 2)))
        return {str(name): words.string for name, words in found}

    @cached_property
    def between_two(self) -> str:
        """What is not looked at where lines to vertices are."""
        ((words,),) = self._answer([Signature("between_two", 1)]).get("between_two", 1)
        return words.string

    @cached_property
    def later(self) -> frozenset[Signature]:
        """What turns on a question: in the rules, what is measured or asked, and in what is looked for."""
        asked = declared_signatures(self.program.source, "measured")
        _, question = split_layers(self.rules, asked)
        return frozenset(asked) | {node for rule in question for node in rule.heads}

    @cached_property
    def inputs(self) -> frozenset[tuple[str, int]]:
        """What a board may state."""
        return frozenset(
            (node.name, node.arity) for node in declared_signatures(self.program.source, "input")
        )

    @cached_property
    def chosen(self) -> frozenset[Signature]:
        """The inputs that the generator varies."""
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
        """All that some rule derives."""
        return frozenset(node for rule in self.rules for node in rule.heads)

    @cached_property
    def verdicts(self) -> frozenset[str]:
        """What the calculus comes to: that two norms clash, that one is beaten, that it is unknown."""
        of_it = (rule for rule in self.rules if rule.file == "calculus.lp")
        return frozenset(node.name for rule in of_it for node in rule.heads)

    @cached_property
    def rulings(self) -> tuple[tuple[str, str, str], ...]:
        """Which ruling lets which norm win over which."""
        precedences = catalogue(self.program.source).precedences
        return tuple((each.ruling, each.winner, each.loser) for each in precedences if each.ruling)

    @cached_property
    def constraints(self) -> tuple[int, ...]:
        """The places of what rules boards out."""
        return tuple(place for place, rule in enumerate(self.rules) if not rule.heads)

    @cached_property
    def _by_head(self) -> dict[Signature, list[int]]:
        return by_head(self.rules)

    def cone(self, wanted: Iterable[Signature]) -> list[int]:
        """The places of the rules that bear on these nodes, generator and all, but for violates/3."""
        broken = {node for node in self._by_head if node.name == "violates"}
        return relevant_rules(self._nodes_of, self._by_head, wanted, broken)

    def _nodes_of(self, place: int) -> Sequence[Signature]:
        return self.rules[place].heads + self.rules[place].body

    def reads(self, nodes: tuple[Signature, ...]) -> frozenset[str]:
        """The inputs that these nodes rest on."""
        if nodes not in self._inputs_read:
            found = {node.name for node in nodes if (node.name, node.arity) in self.inputs}
            for place in self.cone(nodes):
                body = self.rules[place].body
                found |= {n.name for n in body if (n.name, n.arity) in self.inputs}
            self._inputs_read[nodes] = frozenset(found)
        return self._inputs_read[nodes]

    @cached_property
    def _fitting(self) -> Reachability[Rule]:
        known = self.program.occasions
        return Reachability.of(self.rules, [known.get(r.text) or trigger_of(r) for r in self.rules])

    def applicable(self, *facts: str) -> Generator:
        """The same with those rules alone that the facts of a search can give occasion to.

        The others, as those of a section that is not in force, would make the generator vary what they
        read.
        """
        given = frozenset((SHARED, *chain.from_iterable(map(keys, facts))))
        if given not in self._living:
            self._living[given] = replace(self, rules=self._fitting.reachable_from(given))
        return self._living[given]

    def selected(
        self, wanted: Sequence[Signature], strict: Iterable[str] = (), lenient: bool = False
    ) -> list[Rule]:
        """The rules for a search: the cone, and what rules out boards that differ in nothing else.

        A constraint that rests on inputs which nothing here reads would only widen the search; `strict`
        names the norms that are to be kept all the same. `lenient`: boards may break norms.
        """
        kept = set(self.cone(wanted))
        breaches = self._by_head.get(Signature("violates", 3), [])
        if Signature("violates", 3) in wanted:
            for place in breaches:
                kept |= {place, *self.cone(self.rules[place].body)}
        inputs = {
            node.name
            for place in kept
            for node in (*self.rules[place].heads, *self.rules[place].body)
            if (node.name, node.arity) in self.inputs
        }
        strict = frozenset(strict)
        for place in (*self.constraints, *(() if lenient else breaches)):
            rule = self.rules[place]
            if lenient and rule.file == "no_violations.lp":
                continue
            if rule.norm in strict or self.reads(rule.body) <= inputs:
                kept |= {place, *self.cone(rule.body)}
        return [self.rules[place] for place in sorted(kept)]

    def in_force(self, given: str, grid: Grid, vertices: bool = False) -> Generator:
        """The rules alone for which a search has occasion, of which this is given on a grid."""
        # The lines of a small grid are of the same predicates.
        lines = drawn(grid if len(grid.hexes()) <= len(_FLOWER.hexes()) else _FLOWER, vertices)
        return self.applicable(given, lines)

    def searched(
        self,
        given: str,
        grid: Grid,
        wanted: Sequence[Signature],
        strict: Iterable[str] = (),
        lenient: bool = False,
        vertices: bool = False,
    ) -> tuple[str, list[Rule]]:
        """What is given of a search, with the lines of its grid where a rule reads of them, and the rules.

        The lines of a large grid take minutes to measure. vertices: those to and from vertices too.
        """
        given += "\nvertices." if vertices else ""
        rules = self.in_force(given, grid, vertices).selected(wanted, strict, lenient)
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
    ) -> str:
        """What is given of a search but for the lines: its bounds, the hexes, the event and where it lies.

        `anywhere`: what a unit does may begin in every hex, since hexes are named.
        """
        facts = [*self.facts, *bounds.facts(), *around(grid), *ranges(grid), f"now({event.name})."]
        facts += [f"beyond({first}..{last})." for first, last in _BEYOND]
        starts = grid.hexes() if anywhere else (middle(grid),)
        facts += [f"start({each.term})." for each in starts]
        if place.ends is not None:
            facts.append(f"ends({place.ends[0].term},{place.ends[1].term}).")
        return "\n".join(facts)

    def program_text(self, facts: str, rules: Sequence[Rule]) -> str:
        """The program of a search where this is given, but for what is looked for."""
        summed = {node.topic for rule in rules for node in rule.heads if node.name == "total"}
        within = [
            f":- is_sum({topic}), not is_unknown({topic}), not total({topic},_)."
            for topic in map(signature_pattern, sorted(filter(None, summed)))
        ]
        return "\n".join([self._defined, *(rule.text for rule in rules), *within, facts])

    @cached_property
    def _defined(self) -> str:
        names = {(n.name, n.arity) for rule in self.rules for n in (*rule.heads, *rule.body)}
        lines = [f"#defined {name}/{arity}." for name, arity in sorted(names)]
        comes = "now/1 vertices/0 ends/2 start/1 most/2 range/3 wanted_sight/3 wanted_shot/5 wanted_pair/3"
        comes += (
            " wanted_deed/4 steps_from_anywhere/1 every/1 spoken_of/1 typed/2 compared/1 alike/1"
        )
        lines += [f"#defined {each}." for each in (*LINES, *comes.split())]
        return "\n".join([*lines, self.program.defined, self.program.shared_facts])


def minimise_text(lab: Generator, rules: Iterable[Rule]) -> str:
    """What makes a board small: fewest hexes with something in them, then fewest statements."""
    lines = ["#defined used/1.", "#minimize { 1@2,H : used(H) }.", "#minimize { 0@1 : #true }."]
    lines.append("#defined stated/1.")
    lines.append(":- most(statements,N), #count { S : stated(S) } > N.")
    chosen = {node for rule in rules for node in rule.heads} & lab.chosen
    for node in sorted(chosen):
        names = [f"X{number}" for number in range(node.arity)]
        atom = f"{node.name}({','.join(names)})" if names else node.name
        # Level 0 goes without saying.
        said = f"{atom}, X1 > 0" if node.name == "base" else atom
        lines.append(f"#minimize {{ 1@1,{atom} : {said} }}.")
        lines.append(f"stated({atom}) :- {said}.")
        for name, kind in zip(names, lab.program.vocabulary.inputs[node.name].kinds, strict=True):
            lines += [f"used({hex_}) :- {said}{where}." for hex_, where in _hexes(name, kind)]
    return "\n".join(lines)


def _hexes(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """How the hexes of an argument are found."""
    if kind == "hex":
        yield name, ""
    elif kind == "hexside":
        yield "H", f", {name} = e(H,_)"
        yield "H", f", {name} = e(_,H)"
    elif kind == "location":
        yield "H", f", {name} = l(H,_), hex(H)"
        yield "H", f", {name} = l(v(H,_),_)"


def load_generator(folder: Path | None = None, program: Program | None = None) -> Generator:
    """The knowledge base of a folder (the shipped one) with the shipped generator."""
    program = program or load_program(folder)
    rules = list(program.rules)
    for path in (kb_folder() / "no_violations.lp", *sorted((kb_folder() / "lab").glob("*.lp"))):
        name = path.relative_to(kb_folder()).as_posix()
        rules += read_rules(path.read_text(encoding="utf-8"), name)[0]
    return Generator(program, tuple(rules))


def signature_pattern(functor: Functor) -> str:
    """A topic of a kind, with variables for its arguments."""
    name, arity = functor
    return f"{name}({','.join(f'A{number}' for number in range(arity))})" if arity else name


# --- Where a search looks, and what it finds there as clingo has it.


@dataclass(frozen=True)
class SearchSite:
    """Where something is looked for: an event, on a grid, at a place of it."""

    grid: Grid
    event: Event
    place: EventPlace

    def __str__(self) -> str:
        return ", ".join(filter(None, (str(self.grid), self.event.name, self.place.name)))


@dataclass(frozen=True)
class BoardModel:
    """The smallest board that shows a goal: the atoms of its answer set that are read, and its size.

    size: hexes with something in them, then statements. least: that there is no smaller one is proved.
    """

    goal: clingo.Symbol
    symbols: tuple[clingo.Symbol, ...]
    spot: SearchSite
    size: tuple[int, int]
    least: bool = True


# --- The kind of a topic: what a search tells apart, where it does not tell each topic apart.


class Kinds:
    """What goals may ask of Python while they are grounded: the kind of a topic.

    clingo asks of the same topic for each value and each norm.
    """

    def __init__(self) -> None:
        self._known: dict[clingo.Symbol, clingo.Symbol] = {}

    def kind(self, topic: clingo.Symbol) -> clingo.Symbol:
        """The kind of a ground topic, as a term."""
        if topic not in self._known:
            self._known[topic] = kind_of(topic)
        return self._known[topic]


def kind_of(topic: clingo.Symbol) -> clingo.Symbol:
    """The kind of a ground topic: its name, with those of its arguments that are words or forms.

    A form is named alone: effect(done(..),back_to(..)) is of the kind effect(done,back_to).
    """
    if topic.name == "at":
        # Of a sight, at one place.
        topic = topic.arguments[0]
    words = default_vocabulary()
    entry = words.topics.get(topic.name) or words.forms.get(topic.name)
    if entry is None or len(entry.kinds) != len(topic.arguments):
        return clingo.Function(topic.name)
    told = []
    for value, kind in zip(topic.arguments, entry.kinds, strict=True):
        if value.type == clingo.SymbolType.Function and value.name:
            plain = not value.arguments and kind in words.words
            told += [clingo.Function(value.name)] if plain or value.name in words.forms else []
    return clingo.Function(topic.name, told)
