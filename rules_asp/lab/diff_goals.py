"""Goals of a comparison: the possible differences between two rule sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

import clingo

from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.dependencies import Trigger
from rules_asp.knowledge.rules import SIGHT, Functor, Rule, Signature, topic_kind
from rules_asp.knowledge.terms import Fun, Lit, strings, walk
from rules_asp.lab.change_effect import starting_nodes
from rules_asp.lab.claim_scope import spoken_of
from rules_asp.lab.generator import OTHER, Event, Generator, signature_pattern
from rules_asp.lab.goals import GoalRules, NormGoal, layer_of, merged, with_goal_of_kind
from rules_asp.lab.rulesets import (
    RuleSet,
    changed_rules,
)

# --- Possible differences: every topic, action and LOS that both rule sets answer.


def disagreement_goals(
    lab: Generator,
    changed: frozenset[Signature],
    only: Collection[Functor] | None = None,
    knows: bool = True,
    in_detail: bool = False,
) -> Mapping[str, GoalRules]:
    """Return goals for the differences of every topic, action and LOS, by way of difference.

    `only`: of these kinds. in_detail: a goal for each kind by `kind_of`, and for each way. Otherwise
    a goal for each name of a topic or form, and for whether one or both answers are known. `knows`:
    there are also goals for what only one side asks and for what each answers.
    """
    found: dict[str, list[GoalRules]] = {}

    def other(name: str, arity: int, functor: Functor) -> str:
        return name + OTHER if Signature(name, arity, functor) in changed else name

    def either(name: str, arity: int) -> set[Functor]:
        """The kinds of topics for which a rule of one of the two rule sets derives a predicate."""
        return {*lab.kinds(name, arity), *lab.kinds(name + OTHER, arity)}

    about_sums = either("total", 2)
    about_values = about_sums | either("is", 2)
    # Permissions have no default, so silence is not an answer.
    about_values_alone = either("open_world", 1)
    about_deeds = either("illegal", 2) | either("legal", 1)
    for functor in sorted(about_values | about_deeds | {SIGHT}):
        if only is not None and functor not in only:
            continue
        says = (
            _DEEDS
            if functor in about_deeds
            else _SIGHTS
            if functor == SIGHT
            else _YES_OR_NO
            if _is_yes_or_no(functor) and functor not in about_values_alone
            else _SUMS
            if functor in about_sums
            else _VALUES
        )
        nodes = [Signature(name, arity, functor) for name, arity in says.predicates]
        if changed.isdisjoint(nodes):
            continue
        topic = signature_pattern(functor)
        # Questions of only one side, such as about a Location that the other lacks, are not
        # compared.
        asked = not lab.later.isdisjoint(nodes)
        asks = {about: changed.intersection(each) for about, each in _asks(functor) if asked}
        theirs = {name: other(name, arity, functor) for name, arity in says.predicates}
        kind = "Kind" if in_detail else topic_kind(functor)[0]
        goals = [*(_EACH_WAY if in_detail else _WHETHER_KNOWN)]
        if knows:
            goals += _ANSWERED
        if knows and any(asks.values()):
            goals += _ELSEWHERE
        lines = [
            *says.told(topic, {name: name for name in theirs}, theirs),
            *_asked_once(topic, asks),
            *(
                f"goal({goal.format(K=kind)}) :- {body.format(T=topic)}, Kind = @kind({topic})."
                for goal, body in goals
            ),
        ]
        twice = [Signature(theirs[name], arity, functor) for name, arity in says.predicates]
        reads = (*nodes, *twice)
        layer = layer_of(lab, reads)
        for each in sorted(set().union(*asks.values())):
            reads += (each, each._replace(name=each.name + OTHER))
        keys = frozenset(NormGoal(goal.format(K=kind), (), functor) for goal, _ in goals)
        rules = GoalRules(
            "\n".join(dict.fromkeys(lines)),
            reads,
            _answered(functor, theirs),
            None if in_detail else keys,
        )
        found.setdefault(layer, []).append(with_goal_of_kind(rules, functor))
    return {layer: merged((_DEFINED, *rules)) for layer, rules in found.items()}


#: A difference counts if both sides ask about the topic, and the change has an effect on it.
_DEFINED = GoalRules(
    "#defined one_says/2. #defined other_says/2. #defined asked_once/1. #defined idle/1.\n"
    "difference(T,Way) :- differs(T,Way), not asked_once(T), not idle(T).",
    (),
    goals=frozenset(),
)


#: Goals about a topic of a kind, each with its body.
_EACH_WAY = (("differs({K},Way)", "difference({T},Way)"),)
#: A search for each way by itself takes twice as long.
_WHETHER_KNOWN = (
    ("differs({K},known)", "difference({T},known)"),
    ("differs({K},apart)", "difference({T},Way), Way != known"),
)
_ANSWERED = (("knows(one,{K})", "one_says({T},_)"), ("knows(other,{K})", "other_says({T},_)"))
_ELSEWHERE = (("elsewhere({K})", "differs({T},_), asked_once({T})"),)


def _answered(functor: Functor, names: _Names) -> tuple[Trigger, ...]:
    """Return the triggers of goals about a kind: either side answers a question."""
    needed = {(name, functor[0]) for name in (*names, *names.values())}
    return tuple(Trigger(frozenset((each,)), frozenset()) for each in sorted(needed))


def goals_settled(goal: str, larger: bool) -> Iterator[str]:
    """Yield the goals that a difference settles, without itself.

    Two different answers to a kind of question settle all goals about the kind. If only one answer
    is known, that settles all goals about differences on `larger` boards.
    """
    term = clingo.parse_term(goal)
    if term.name != "differs":
        return
    kind, way = term.arguments
    if way.name != "known" or larger:
        further = (*_WHETHER_KNOWN, *_ELSEWHERE, *(() if way.name == "known" else _ANSWERED))
        yield from {each.format(K=kind) for each, _ in further} - {goal}


#: The predicate names of one side.
_Names = Mapping[str, str]


@dataclass(frozen=True)
class _Says:
    """The comparison rules for a kind of topics, actions or LOS, by predicates with their arity.

    said: the answers of one side, as heads and bodies of rules. ways: the ways to differ, each with
    a goal of its own (rules_asp/lab/goals.py words them).
    """

    predicates: tuple[tuple[str, int], ...]
    said: tuple[tuple[str, str], ...]
    ways: tuple[str, ...]

    def told(self, topic: str, mine: _Names, theirs: _Names) -> Iterator[str]:
        """Yield the rules for a topic, with the predicate names of either side."""
        for side, names in (("one", mine), ("other", theirs)):
            for said, body in self.said:
                yield f"{side}_says({topic},{said}) :- {body.format(T=topic, **names)}."
        parts = {f"{name}_too": theirs[name] for name in theirs}
        for way in self.ways:
            yield way.format(T=topic, **mine, **parts)


def _both_ways(way: str, body: str, back: str | None = None) -> tuple[str, str]:
    """Return the difference in both directions: one side says something and the other does not."""
    turned = body.replace("one_", "first_").replace("other_", "one_").replace("first_", "other_")
    return f"differs({{T}},{way}) :- {body}.", f"differs({{T}},{back or way}) :- {turned}."


_KNOWN = _both_ways("known", "one_says({T},open), not other_says({T},open)")
_MORE = _both_ways(
    "more", "one_says({T},yes), not other_says({T},yes), not other_says({T},open)", "less"
)
_VALUED = _both_ways("known", "one_says({T},value), not other_says({T},value)")
_DEEDS = _Says(
    (("legal", 1), ("is_unknown", 1)),
    (("yes", "{legal}({T})"), ("open", "{is_unknown}({T})")),
    (*_KNOWN, *_MORE),
)
#: For yes-no topics, a default no equals a stated no.
_YES_OR_NO = _Says(
    (("is", 2), ("is_unknown", 1)),
    (("yes", "{is}({T},yes)"), ("open", "{is_unknown}({T})")),
    (*_KNOWN, *_MORE),
)
_SIGHTS = _Says(
    (("sees", 1), ("is_unknown", 1), ("hindrance", 2)),
    (("yes", "{sees}({T})"), ("open", "{is_unknown}({T})"), ("of(V)", "{hindrance}({T},V)")),
    (
        *_KNOWN,
        *_MORE,
        *_both_ways(
            "another",
            "one_says({T},yes), other_says({T},yes), one_says({T},of(V)), not other_says({T},of(V))",
        ),
    ),
)
_VALUES = _Says(
    (("is", 2),),
    (("value", "{is}({T},_)"), ("of(V)", "{is}({T},V)")),
    (
        *_VALUED,
        *_both_ways(
            "another", "other_says({T},value), one_says({T},of(V)), not other_says({T},of(V))"
        ),
    ),
)
#: Sums have many values; comparing their terms suffices.
_APART = (
    "#sum {{ A,N,For,one : {undefeated_addend}({T},N,For,A) ; V,base,base,one : {is}({T},V) ;"
    " -A,N,For,other : {undefeated_addend_too}({T},N,For,A) ; -V,base,base,other : {is_too}({T},V) }}"
)
_SUMS = _Says(
    (("is", 2), ("is_sum", 1), ("is_unknown", 1), ("undefeated_addend", 4)),
    (("value", "{is_sum}({T}), not {is_unknown}({T})"), ("value", "{is}({T},_)")),
    (
        *_VALUED,
        f"even({{T}}) :- one_says({{T}},value), other_says({{T}},value), 0 = {_APART}.",
        "differs({T},another) :- one_says({T},value), other_says({T},value), not even({T}).",
    ),
)


#: The predicates that ask a question, and the pairs of places whose LOS is measured.
_ASKS = (("asked", 1), ("asked_deed", 1), ("sight", 2))


def _asks(functor: Functor) -> Iterator[tuple[str, list[Signature]]]:
    """Yield the predicates that ask about a topic, action or LOS, and about each of its arguments.

    Such an argument is a form, as in dice(push_dr(..)).
    """
    yield signature_pattern(functor), [Signature(*each, functor) for each in _ASKS]
    words = default_vocabulary()
    for place, kind in enumerate(words.kinds(*functor)):
        forms = [(name, len(form.kinds)) for name, form in words.forms.items() if form.kind == kind]
        if forms:
            yield f"A{place}", [Signature(*each, form) for each in _ASKS for form in forms]


def _asked_once(topic: str, asks: Mapping[str, Iterable[Signature]]) -> Iterator[str]:
    """Yield rules that only one side asks about a topic, action or LOS, or about its arguments."""
    for about, nodes in asks.items():
        for node in sorted(nodes):
            assert node.topic is not None
            # The form is given: `asked` of other forms may be the same for both sides.
            is_form = f"{about} = {signature_pattern(node.topic).replace('A', 'B')}"
            atom = f"({about}{',_' * (node.arity - 1)})"
            for one, other in ((node.name, node.name + OTHER), (node.name + OTHER, node.name)):
                once = f"{is_form}, {one}{atom}, not {other}{atom}"
                yield f"asked_once({topic}) :- differs({topic},_), {once}."


def _is_yes_or_no(functor: Functor) -> bool:
    """Test whether a topic has the values yes and no."""
    entry = default_vocabulary().topics.get(functor[0])
    return entry is not None and entry.value == "yes_no"


# --- The order of events: those that raise a kind of question are searched first.


def order_for(
    lab: Generator, one: RuleSet, other: RuleSet, only: Collection[Functor] | None
) -> tuple[str, ...] | None:
    """Return the events in search order: those that raise the wanted or changed kinds first."""
    if only is not None:
        return in_order(lab, dict.fromkeys(only, 0))
    if one.sections != other.sections:
        return None
    rules = [rule for side in changed_rules(one, other) for rule in side]
    named = {
        norm for rule in rules for norm in (rule.norm, *strings(rule.top, rule.literals)) if norm
    }
    spoken = {topic for norm in named for topic in spoken_of(lab, norm)}
    spoken |= _starting_kinds(lab, one, other)
    first = dict.fromkeys(_forms(lab, rules), -1)
    return in_order(lab, {**events_by_distance(lab.program.rules, sorted(spoken)), **first})


#: The number of helper rules between a rule and the forms that it is about.
_DEPTH = 3


def _forms(lab: Generator, rules: Iterable[Rule]) -> set[Functor]:
    """Return the forms that rules name; for a rule that names none, those of its helper rules."""
    found: set[Functor] = set()
    for rule in rules:
        near = [rule]
        for _ in range(_DEPTH):
            named = {
                each.functor
                for one in near
                for each in walk((one.top, *one.literals))
                if isinstance(each, Fun) and each.name in default_vocabulary().forms
            }
            found |= named
            below = {node for one in near for node in one.positive if node.topic is None}
            near = (
                [] if named else [one for one in lab.program.rules if below.intersection(one.heads)]
            )
    return found


def nearest_kinds(lab: Generator, one: RuleSet, other: RuleSet) -> list[Functor]:
    """Return the kinds of questions that depend on the change, the nearest first."""
    return list(events_by_distance(lab.program.rules, sorted(_starting_kinds(lab, one, other))))


def _starting_kinds(lab: Generator, one: RuleSet, other: RuleSet) -> set[Functor]:
    return {node.topic for node in starting_nodes(lab, one, other) if node.topic is not None}


def events_that_settle(
    lab: Generator, layers: Mapping[Functor, Collection[str]]
) -> tuple[str, ...]:
    """Return the events that suffice for some kinds of questions in these layers.

    They ask the questions, or the questions need no event. None (all events) if no event asks some
    kind.
    """
    settled: set[str] = set()
    for kind, of in layers.items():
        asking = _first(lab, {kind: 0})
        if "question" in of and not asking:
            return ()
        at_once = {
            e.kind for e in lab.events for layer in e.layers if layer in {*of} - {"question"}
        }
        settled |= at_once.union(asking if "question" in of else ())
    return tuple(sorted(settled - {"claim"}))


def in_order(lab: Generator, kinds: Mapping[Functor, int]) -> tuple[str, ...]:
    """Return all events; those that ask about these kinds, or about forms of these kinds, come
    first.

    Kinds with lower numbers come first.
    """
    first = _first(lab, kinds)
    every = (each for each in lab.events if each.name != "claim")

    names = {name for name, _ in kinds}

    def order(event: Event) -> tuple[float, bool, bool, bool]:
        # An event that shows all of a kind is searched quickly, and one at vertices slowly.
        own = event.kind in names
        return first.get(event.kind, inf), event.at_vertices, not event.shows, not own

    return tuple(each.name for each in sorted(every, key=order))


def _first(lab: Generator, kinds: Mapping[Functor, int]) -> dict[str, int]:
    """Return the events that ask about these kinds, each with its lowest number."""
    words = default_vocabulary()
    wanted: dict[str, int] = {}
    for (name, count), number in sorted(kinds.items(), key=lambda each: each[1]):
        about = set(words.kinds(name, count))
        forms = (form for form, said in words.forms.items() if said.kind in about)
        for each in (name, *forms):
            wanted.setdefault(each, number)
    first: dict[str, int] = {}
    for rule in (each for each in lab.rules if each.file.startswith("lab/")):
        found = [wanted[each] for each in _asked(rule) if each in wanted]
        if found:
            for event in _events(lab, rule):
                first[event] = min(*found, first.get(event, found[0]))
    return first


def events_by_distance(rules: Iterable[Rule], changed: Iterable[Functor]) -> dict[Functor, int]:
    """Return the number of rule steps from the changed kinds to each topic, action and LOS."""
    reading: dict[Functor, set[Functor]] = {}
    for rule in rules:
        for node in rule.body:
            if node.topic is not None:
                of = reading.setdefault(node.topic, set())
                of |= {head.topic for head in rule.heads if head.topic is not None}
    found = dict.fromkeys(changed, 0)
    todo = list(found)
    for each in todo:
        for one in sorted(reading.get(each, ())):
            if one not in found:
                found[one] = found[each] + 1
                todo.append(one)
    return found


def _asked(rule: Rule) -> Iterator[str]:
    """Yield the names that a rule of the generator asks about or chooses."""
    yield from (node.topic[0] for node in rule.heads if node.topic is not None)
    for name, args in _atoms(rule):
        if name == "chosen_sight":
            yield "s"
        elif name == "chosen_shot":
            yield "shot"
        elif name == "chosen_deed" and isinstance(args[0], Fun):
            yield args[0].name


def _atoms(rule: Rule) -> Iterator[Fun]:
    return (each.atom for each in walk((rule.top, *rule.literals)) if isinstance(each, Lit))


def _events(lab: Generator, rule: Rule) -> Iterator[str]:
    """Yield the events in which a rule holds: the one it names, or all of a sort, as by(B)."""
    for event in (args[0] for name, args in _atoms(rule) if name == "now"):
        if isinstance(event, Fun):
            yield event.name
            continue
        sorts = {node.name for node in rule.body if node.arity == 1} - {"now"}
        for each in lab.rules:
            is_fact = each.file.startswith("lab/") and not each.literals
            if is_fact and each.head and len(each.head.args) == 1 and each.head.name in sorts:
                yield str(each.head.args[0])
