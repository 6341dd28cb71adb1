"""The goals of a search, as rules and as text.

A template contains {topic}, a term such as height(A0); `search_goal_for` fills it in for every kind
of topic in the knowledge base. In a goal, @kind(Topic) is the kind of a ground topic: see
`kind_of`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

import clingo

from rules_asp.explain.unknown import parse_reason
from rules_asp.game.grid import Hex
from rules_asp.game.query import Query
from rules_asp.game.values import default_notation, is_hex
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import Predicate, calculus
from rules_asp.knowledge.dependencies import Reachability, Trigger, trigger_of
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, Signature, topic_kind
from rules_asp.lab.claim_rules import places_named
from rules_asp.lab.generator import (
    ALL_NORMS,
    PLACES,
    BoardModel,
    DecisiveNorms,
    Event,
    Generator,
    SearchBounds,
    SearchSite,
    places,
    signature_pattern,
)
from rules_asp.lab.symmetry import images
from rules_asp.lab.witness import Confirmation, GoalWitness, WitnessEvidence

# --- The goals of a search, and their facts.


#: The trigger of rules that any facts trigger.
_ALWAYS = Trigger(frozenset(), frozenset())


class NormGoal(NamedTuple):
    """The key of a goal about norms, all of which must have a rule in force; with `kind`, a rule about
    topics of this kind."""

    key: str
    norms: tuple[str, ...]
    kind: Functor | None = None


@dataclass(frozen=True)
class GoalRules:
    """Rules that derive goal(Key), and the nodes that the rules read.

    - triggers: what they need, in one of several ways.
    - goals: the only goals that they can derive; None: any; empty: none, other members read them.
    - members: the goals of a union, each with its rules.
    """

    rules: str
    wanted: tuple[Signature, ...]
    triggers: tuple[Trigger, ...] = (_ALWAYS,)
    goals: frozenset[NormGoal] | None = None
    members: tuple[GoalRules, ...] = ()


def goal_rules(rule: str, wanted: Iterable[Signature]) -> GoalRules:
    """Return a rule of a goal with its trigger."""
    return GoalRules(rule, tuple(wanted), (_trigger(rule),))


@cache
def _trigger(rule: str) -> Trigger:
    # The functions that goals call do not occur in rule files.
    (found,) = (each for each in read_rules(rule.replace("@", ""))[0] if each.heads)
    return trigger_of(found)


def merged(parts: Iterable[GoalRules]) -> GoalRules:
    """Return the union of the rules of several goals."""
    members = tuple(dict.fromkeys(each for part in parts for each in part.members or (part,)))
    rules = dict.fromkeys(part.rules for part in members)
    wanted = dict.fromkeys(node for part in members for node in part.wanted)
    return GoalRules("\n".join(rules), tuple(wanted), members=members)


#: A function that returns the evidence of a model's goal on its board.
Evidence = Callable[[BoardModel], Query | WitnessEvidence]


def no_goals(_goal: str, _larger: bool) -> Iterable[str]:
    """Return no goals: a board with a goal settles no other goal."""
    return ()


@dataclass(frozen=True)
class SearchGoal:
    """The goal of a search, with rules for each layer of events; other layers are not searched.

    - lenient: boards may violate norms.
    - evidence: the question that shows a model's goal on its board.
    - events: the only events to search; that of a claim is searched only if it is listed.
    - facts: further facts.
    - confirms: the question to confirm a witness, if it asks more than the witness's question.
    - plain: the names of goals without a board.
    - pairs: the search of a claim names two hexes.
    - named: hexes that a claim names.
    - extreme: the greatest or least value of something is wanted.
    - tells: report which numbers boards may state.
    - reads: the predicates of a model that `evidence` reads, besides the inputs of the board.
    - kind: the family of a goal; further members are searched for less time than the first.
    - settles: the goals that are not searched after a board with a goal, or only not on larger ones.
    - units: the units of boards for a claim.
    - vertices: these units may be in Bypass.
    - needs: rules of goal(needed), which every board with a goal meets. A site is searched for each
      first, with few rules.
    - decisive: see `Generator.cone`.
    - symmetric: each goal is about one topic, and images of a board and its topic have the same
      goals.
    - once: an event is not searched for goals on topics that only serve other answers there, if
      another event is, with the same rules in force.
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
    reads: tuple[tuple[str, int], ...] = ()
    kind: Callable[[str], str] | None = None
    settles: Callable[[str, bool], Iterable[str]] = no_goals
    units: tuple[str, ...] = ()
    vertices: bool = False
    needs: tuple[GoalRules, ...] = ()
    decisive: DecisiveNorms = field(default_factory=dict)
    symmetric: bool = False
    once: bool = False

    def remaining(
        self, lab: Generator, bounds: SearchBounds, spot: SearchSite, known: Collection[str]
    ) -> SearchGoal | None:
        """Return the goal without rules that only derive `known` goals, or that cannot fire at a site.

        None if no rule is left.
        """
        part = self.part(spot.event)
        assert part is not None
        in_force = self._in_force(lab, bounds, spot)
        norms = {rule.norm for rule in in_force.rules}
        elsewhere = self._elsewhere(lab, bounds, spot, in_force) if self.once else {}
        members = [
            each
            for each in part.members or (part,)
            if not each.goals
            or any(
                goal.key not in known
                and _is_possible(goal, in_force, norms)
                and not _is_shown(goal, elsewhere)
                for goal in each.goals
            )
        ]
        ways = [(each, trigger) for each in members for trigger in each.triggers]
        fitting = Reachability.of((each for each, _ in ways), [trigger for _, trigger in ways])
        kept = fitting.reachable_from(in_force.reached)
        if all(each.goals == frozenset() for each in kept):
            return None
        return replace(self, parts={spot.event.layer: merged(kept)})

    def _in_force(self, lab: Generator, bounds: SearchBounds, spot: SearchSite) -> Generator:
        """Return the generator with the rules in force at a site."""
        return lab.in_force(given_at(spot, lab, bounds, self), spot.grid, at_vertices(spot, self))

    def _elsewhere(
        self, lab: Generator, bounds: SearchBounds, spot: SearchSite, here: Generator
    ) -> Mapping[str, frozenset[str]]:
        """Return the kinds of topics that only serve other answers at a site, each with norms.

        A norm of a kind has a rule about it in force here, but not at the event that is searched
        for the topics.
        """
        events = {event.name: event for event in lab.events if bounds.include(event)}
        found = {}
        for kind, name in spot.event.borrowed:
            if (event := events.get(name)) is not None:
                site = SearchSite(spot.grid, event, places(spot.grid, event)[0])
                there = self._in_force(lab, bounds, site).rules_about(kind)
                own = here.rules_about(kind).items()
                further = (norm for norm, rules in own if rules - there.get(norm, frozenset()))
                found[kind] = frozenset(further)
        return found

    def is_plain(self, goal: str) -> bool:
        """Test whether a goal has no board."""
        return clingo.parse_term(goal).name in self.plain

    def settled(self, goals: Iterable[str], larger: bool = False) -> set[str]:
        """Return the goals that boards with these goals settle, or settle for larger boards."""
        return {each for goal in goals for each in self.settles(goal, larger)}

    def part(self, event: Event) -> GoalRules | None:
        """Return the rules of the goal for an event; None if it has none."""
        found = [self.parts[layer] for layer in event.layers if layer in self.parts]
        if not found:
            return None
        return found[0] if len(found) == 1 else merged(found)

    def necessary(self, event: Event) -> Iterator[SearchGoal]:
        """Yield the goals that every board with a goal meets, each as a goal of its own."""
        for each in self.needs:
            yield replace(self, parts={event.layer: each}, needs=())


def _is_possible(goal: NormGoal, lab: Generator, norms: Collection[str | None]) -> bool:
    """Test whether all norms of a goal are among those of the rules in force."""
    if goal.kind is None:
        return all(norm in norms for norm in goal.norms)
    return all(lab.asserts(norm, goal.kind) for norm in goal.norms)


def _is_shown(goal: NormGoal, elsewhere: Mapping[str, frozenset[str]]) -> bool:
    """Test whether another event shows a goal: it has the same rules in force.

    A relation of two norms depends on their rules, another goal on all rules about the kind.
    """
    further = elsewhere.get(goal.kind[0]) if goal.kind else None
    if further is None:
        return False
    return further.isdisjoint(goal.norms) if len(goal.norms) > 1 else not further


def named_by(look: SearchGoal, bounds: SearchBounds) -> frozenset[Hex]:
    """Return the named hexes: a mirror image of a board with a named hex is another board."""
    return look.named | places_named(bounds.where) if bounds.where else look.named


def at_vertices(spot: SearchSite, look: SearchGoal) -> bool:
    """Test whether units may be in Bypass at a site, so that lines to vertices are measured."""
    return look.vertices or spot.event.at_vertices


def given_at(spot: SearchSite, lab: Generator, bounds: SearchBounds, look: SearchGoal) -> str:
    """Return the facts of a search at a site, without lines."""
    anywhere = bool(named_by(look, bounds))
    symmetric = _is_symmetric(look, bounds)
    given = lab.given(bounds, spot.grid, spot.event, spot.place, anywhere, symmetric)
    return f"{given}\n{look.facts}"


def _is_symmetric(look: SearchGoal, bounds: SearchBounds) -> bool:
    """Test whether of boards that are images of each other, with their topics, one suffices."""
    return look.symmetric and not (named_by(look, bounds) or bounds.where)


def redundant_hexes(
    spot: SearchSite, look: SearchGoal, bounds: SearchBounds, read: Collection[str]
) -> frozenset[clingo.Symbol]:
    """Return the hexes of a grid, without the first of each orbit of its symmetries.

    A goal on a topic about such hexes alone is also found on a topic with another hex. read: the
    predicates that the rules read. If they break the symmetry, no hex is redundant.
    """
    if not _is_symmetric(look, bounds) or at_vertices(spot, look) or not PLACES.isdisjoint(read):
        return frozenset()
    return frozenset(clingo.parse_term(each.term) for each in images(spot.grid, None, False))


def in_force_at_events(lab: Generator, bounds: SearchBounds) -> Iterator[Generator]:
    """Yield the generator with the rules in force for each event within these bounds."""
    for event in filter(bounds.include, lab.events):
        for grid in bounds.grids:
            given = lab.given(bounds, grid, event, places(grid, event)[0])
            yield lab.in_force(given, grid, event.at_vertices)


# --- The kind of a topic, which a search distinguishes instead of the topic.


class Kinds:
    """The functions that goals call during grounding: the kind of a topic.

    clingo asks for the same topic once per value and norm. redundant: see `redundant_hexes`.
    """

    def __init__(self, redundant: Collection[clingo.Symbol] = ()) -> None:
        self._redundant = redundant
        self._known: dict[clingo.Symbol, list[clingo.Symbol]] = {}

    def kind(self, topic: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the kind of a ground topic as a term; none if another topic has the same goals."""
        if topic not in self._known:
            hexes = {*_hexes_of(topic)} if self._redundant else set()
            skipped = hexes and hexes.issubset(self._redundant)
            self._known[topic] = [] if skipped else [kind_of(topic)]
        return self._known[topic]


def _hexes_of(term: clingo.Symbol) -> Iterator[clingo.Symbol]:
    """Yield the hexes of a ground term."""
    if is_hex(term):
        yield term
    elif term.type == clingo.SymbolType.Function:
        for each in term.arguments:
            yield from _hexes_of(each)


def name_of(topic: clingo.Symbol) -> clingo.Symbol:
    """Return the name of a ground topic as a term; that of an LOS at one place is that of the LOS."""
    return clingo.Function(topic_kind((topic.name, len(topic.arguments)))[0])


def kind_of(topic: clingo.Symbol) -> clingo.Symbol:
    """Return the kind of a ground topic: its name, and those arguments that are words or forms.

    A form keeps only its name: effect(done(..),back_to(..)) has the kind effect(done,back_to).
    """
    if topic.name == "at":
        # An LOS at one place.
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


# --- Goal templates: rules that derive goal(Key) for each kind of topic or action.


#: The functor of a kind of topic, and two norms that may contradict each other on it.
Suspect = tuple[str, str, str]


class GoalTemplate(NamedTuple):
    """A rule template with {topic}, or the {name} of its kind, and the predicates that it reads.

    It is filled in for the kinds for which the first of its predicates is derived.
    """

    rule: str
    reads: tuple[tuple[str, int], ...]
    suspects: tuple[Suspect, ...] | None = None

    def about(self, functor: Functor) -> GoalRules:
        """Return the rule for a kind of topic."""
        nodes = tuple(Signature(name, arity, functor) for name, arity in self.reads)
        topic = signature_pattern(functor)
        found = goal_rules(self.rule.format(topic=topic, name=functor[0]), nodes)
        if self.suspects is None:
            return found
        # The words of a kind are not known here, so no found goal has such a key.
        goals = (
            NormGoal(str(each), each[1:], functor)
            for each in self.suspects
            if each[0] == functor[0]
        )
        return replace(found, goals=frozenset(goals))


#: Two undefeated values of one topic.
CLASH = GoalTemplate(
    "goal(clash(@kind({topic}),N,M)) :- conflict({topic},N,M).", (("conflict", 3),)
)
#: A permission and a prohibition without precedence.
CONTESTED = GoalTemplate(
    "goal(contested(@kind({topic}),N,M)) :- contested({topic},N,M).", (("contested", 3),)
)


def suspected(goal: GoalTemplate, suspects: Iterable[Suspect]) -> GoalTemplate:
    """Return a goal about two norms only for these pairs, by `suspect_facts`."""
    rule = goal.rule.replace(":-", ":- suspect({name},N,M),")
    return goal._replace(rule=rule, suspects=tuple(suspects))


def suspect_facts(suspects: Iterable[Suspect]) -> str:
    """Return facts suspect(Kind,Norm,Norm), both ways round."""
    return "#defined suspect/3." + "".join(
        f'suspect({kind},"{one}","{other}").suspect({kind},"{other}","{one}").'
        for kind, one, other in suspects
    )


#: A norm leaves a topic open and is not defeated there; a norm defeats another.
_SILENT = GoalTemplate(
    "silent(N,{topic},_), not is_defeated(N,{topic})", (("silent", 3), ("is_defeated", 2))
)
_DEFEATS = GoalTemplate("defeated(M,{topic},N)", (("defeated", 3),))


def effects(lab: Generator, norms: Iterable[str]) -> SearchGoal:
    """Return two goals for each of these norms.

    goal(counts(Norm)): its assertion counts after all defeats. goal(alone(Norm)): no other norm
    asserts the same.
    """
    norms = frozenset(norms)
    found = []
    for name, templates in (("counts", _counting_norms()), ("alone", _lone_norms())):
        for template in templates:
            for functor in lab.kinds(*template.reads[0]):
                about = (norm for norm in norms if lab.asserts(norm, functor))
                goals = frozenset(NormGoal(f'{name}("{norm}")', (norm,), functor) for norm in about)
                # A rule without goals would be kept at every site, since others might read it.
                if goals:
                    found.append(replace(template.about(functor), goals=goals))
    facts = "".join(f'audited("{norm}").' for norm in sorted(norms))
    look = goal_of(lab, found, lenient=False)
    return replace(look, facts=f"#defined audited/1. {facts}", once=True)


def norms_by_kind(lab: Generator, heads: Collection[str]) -> dict[Functor | None, set[str]]:
    """Return the norms with such heads by kind of topic; None: of any."""
    found: dict[Functor | None, set[str]] = defaultdict(set)
    for rule in lab.program.source.rules:
        for node in rule.heads if rule.ids else ():
            if node.name in heads:
                found[topic_kind(node.topic)].add(rule.ids[0])
    return found


def _counting_norms() -> Iterator[GoalTemplate]:
    effects = (GoalTemplate(_effect(each, "N"), (each.signature,)) for each in calculus().effects)
    for each in (*effects, _SILENT, _DEFEATS):
        yield each._replace(rule=f"goal(counts(N)) :- audited(N), {each.rule}.")
    yield GoalTemplate(
        f"goal(counts(R)) :- audited(R), {_DEFEATS.rule}, ruling(R,N,M).", _DEFEATS.reads
    )


def _lone_norms() -> Iterator[GoalTemplate]:
    for each in calculus().effects:
        body = _effect(each, "N")
        # Every part of a sum counts by itself.
        if "number" not in each.kinds:
            body = _once(body, "M", _effect(each, "M"))
        yield GoalTemplate(f"goal(alone(N)) :- audited(N), {body}.", (each.signature,))
    silent = _once(_SILENT.rule, "M", _SILENT.rule.replace("(N,", "(M,"))
    yield GoalTemplate(f"goal(alone(N)) :- audited(N), {silent}.", _SILENT.reads)
    defeats = _once(_DEFEATS.rule, "K", _DEFEATS.rule.replace(",N)", ",K)"))
    yield GoalTemplate(f"goal(alone(N)) :- audited(N), {defeats}.", _DEFEATS.reads)
    yield GoalTemplate(f"goal(alone(R)) :- audited(R), {defeats}, ruling(R,N,M).", _DEFEATS.reads)


def _effect(of: Predicate, norm: str) -> str:
    """Return the atom about {topic} that the calculus derives from an assertion of a norm."""
    about = of.place("topic", "deed", "sight")
    named = {"norm": norm, "value": "V"}
    parts = ("{topic}" if at == about else named.get(kind, "_") for at, kind in enumerate(of.kinds))
    return f"{of.name}({','.join(parts)})"


def _once(body: str, norm: str, others: str) -> str:
    """Return a body that holds for exactly one norm."""
    return f"{body}, #count {{{{ {norm} : {others} }}}} = 1"


#: A topic that should have a value and has none; a topic without any norm.
GAP = (
    GoalTemplate(
        "goal(gap(@kind({topic}))) :-"
        " due({topic}), not is({topic},_), not is_sum({topic}), not is_unknown({topic}).",
        (("due", 1), ("is", 2), ("is_sum", 1), ("is_unknown", 1)),
    ),
    # A site where no action is asked about is not searched for this goal.
    GoalTemplate(
        "goal(gap(@kind({topic}))) :- asked_deed({topic}), unknown({topic},no_norm).",
        (("asked_deed", 1), ("unknown", 2)),
    ),
)
#: A point that a norm of a section in force leaves open.
SILENT = GoalTemplate(
    "#defined away/1. goal(silent(@kind({topic}),N,Why)) :-"
    " silent(N,{topic},Why), not away(N), not is_defeated(N,{topic}), unknown({topic},Why).",
    (("silent", 3), ("is_defeated", 2), ("unknown", 2)),
)


def search_goal_for(
    lab: Generator,
    templates: Iterable[GoalTemplate],
    lenient: bool = False,
    only: Collection[Functor] | None = None,
    decisive: DecisiveNorms = ALL_NORMS,
) -> SearchGoal:
    """Return the goal on every layer; `only` about topics of these kinds. decisive: see `goal_of`."""
    found = [
        with_goal_of_kind(template.about(functor), functor)
        for template in templates
        for functor in lab.kinds(*template.reads[0])
        if only is None or functor in only
    ]
    return goal_of(lab, found, lenient, decisive)


def with_goal_of_kind(rules: GoalRules, functor: Functor) -> GoalRules:
    """Return rules that derive goals about a kind of topic, with a goal about all norms by default."""
    if rules.goals is not None:
        return rules
    return replace(rules, goals=frozenset((NormGoal(functor[0], (), functor),)))


def firing(lab: Generator, norms: Iterable[str]) -> SearchGoal:
    """Return a goal for norms with a rule whose body can hold; boards may violate norms."""
    norms = set(norms)
    found = []
    for rule in lab.program.source.rules:
        # A general statement, such as a precedence, fires on no board.
        if rule.norm not in norms or not rule.literals:
            continue
        body = ", ".join(map(str, rule.literals))
        goal = NormGoal(f'fires("{rule.norm}")', (rule.norm,))
        text = f"goal({goal.key}) :- {body}."
        found.append(replace(goal_rules(text, rule.body), goals=frozenset((goal,))))
    return goal_of(lab, found, lenient=True)


def goal_of(
    lab: Generator, rules: Iterable[GoalRules], lenient: bool, decisive: DecisiveNorms = ALL_NORMS
) -> SearchGoal:
    """Return the search goal with these rules; `decisive` as in `Generator.cone`."""
    parts = _by_layer((layer_of(lab, each.wanted), each) for each in rules)
    return SearchGoal(parts, lenient, decisive=decisive, symmetric=True)


def joined(*all_: SearchGoal) -> SearchGoal:
    """Return the union of several goals."""
    parts = _by_layer(each for look in all_ for each in look.parts.items())
    facts = "\n".join(filter(None, (look.facts for look in all_)))
    return SearchGoal(
        parts,
        any(look.lenient for look in all_),
        facts=facts,
        symmetric=all(look.symmetric for look in all_),
        once=any(look.once for look in all_),
    )


_Part = tuple[str, GoalRules]


def _by_layer(parts: Iterable[_Part]) -> dict[str, GoalRules]:
    found: dict[str, list[GoalRules]] = defaultdict(list)
    for layer, part in parts:
        found[layer].append(part)
    return {layer: merged(some) for layer, some in found.items()}


def layer_of(lab: Generator, nodes: Iterable[Signature]) -> str:
    """Return the layer of events of some nodes; the first one if events cover all cases."""
    nodes = tuple(nodes)
    topics = {node.topic[0] if node.topic else "" for node in nodes}
    for event in lab.events:
        if topics and topics <= event.shows:
            return event.interchangeable
    if not lab.later.isdisjoint(nodes):
        return "question"
    return "units" if "unit" in lab.reads(nodes) else "board"


# --- Goals in words: `step (move, bypass)` instead of the term.


_GOAL = re.compile(r"[a-z]\w*\(.*\)", re.DOTALL)
#: The word between two norms, by the name of the goal; otherwise its name is a verb.
_AGAINST = {"clash": "against", "contested": "against", "add": "and", "meet": "and"}
#: The property of a norm that was searched.
_WHETHER = {
    "fires": "whether it ever fires",
    "counts": "whether it ever wins",
    "alone": "whether it says what no other says",
}
#: The ways in which two answers differ.
_WAYS = {
    "known": "only one rule set gives an answer",
    "more": "only the first rule set says yes",
    "less": "only the second rule set says yes",
    "another": "the rule sets give different values",
    "apart": "the rule sets give different answers",
}


def kind_text(kind: str) -> str:
    """Return a kind of topic, action or LOS in words."""
    if kind == "s":
        return "sight"
    name, bracket, rest = kind.partition("(")
    return f"{name} ({rest[:-1].replace(',', ', ')})" if bracket else name


def goal_text(goal: str) -> str:
    """Return a goal in words; other texts, such as a site, do not change."""
    if not _GOAL.fullmatch(goal):
        return goal
    term = clingo.parse_term(goal)
    first, *rest = term.arguments
    if term.name in _WHETHER:
        return f"{first.string}: {_WHETHER[term.name]}"
    if term.name == "unreachable":
        return f"{first} of {rest[0]}"
    kind = kind_text(str(first))
    norms = [each.string for each in rest if each.type == clingo.SymbolType.String]
    if term.name == "differs":
        return f"{kind}: {_WAYS[str(rest[0])]}"
    if term.name == "silent":
        return f"{kind}: left open by {norms[0]} ({parse_reason(rest[1], default_notation())})"
    if len(norms) == 2:
        return f"{kind}: {f' {_AGAINST.get(term.name, term.name)} '.join(norms)}"
    return kind
