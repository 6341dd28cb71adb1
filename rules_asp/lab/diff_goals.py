"""Goals of a comparison: the possible differences between two rule sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import CALCULUS, Functor, Rule, Signature
from rules_asp.knowledge.terms import Const, Fun, Lit, strings, walk
from rules_asp.lab.claim_scope import spoken_of
from rules_asp.lab.generator import OTHER, Event, Generator, signature_pattern
from rules_asp.lab.goals import GoalRules, kinds, layer_of
from rules_asp.lab.rulesets import (
    RANKING,
    RANKS,
    WITHOUT,
    RuleSet,
    changed_rules,
    kinds_ranked_anew,
    ranked_heads,
    reads_ruling,
)

# --- Possible differences: every topic, action and LOS that both rule sets answer.


def disagreement_goals(
    lab: Generator,
    changed: frozenset[Signature],
    only: Collection[Functor] | None = None,
    knows: bool = True,
) -> Mapping[str, GoalRules]:
    """Return goals for the differences of every topic, action and LOS, by way of difference.

    `only`: these kinds, with each way as a goal of its own. Otherwise the goals distinguish only
    whether one or both answers are known. `knows`: there are also goals for what only one side asks
    and for what each answers.
    """
    rules: dict[str, list[str]] = {}
    wanted: dict[str, dict[Signature, None]] = {}

    def other(name: str, arity: int, functor: Functor) -> str:
        return name + OTHER if Signature(name, arity, functor) in changed else name

    def either(name: str, arity: int) -> set[Functor]:
        """The kinds of topics for which a rule of one of the two rule sets derives a predicate."""
        return {*kinds(lab, name, arity), *kinds(lab, name + OTHER, arity)}

    about_sums = either("total", 2)
    about_values = about_sums | either("is", 2)
    # Permissions have no default, so silence is not an answer.
    about_values_alone = either("open_world", 1)
    about_deeds = either("illegal", 2) | either("legal", 1)
    for functor in sorted(about_values | about_deeds | {("s", 2)}):
        if only is not None and functor not in only:
            continue
        says = (
            _DEEDS
            if functor in about_deeds
            else _SIGHTS
            if functor == ("s", 2)
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
        asks = [Signature(name, arity, functor) for name, arity in _ASKS]
        # Questions of only one side, such as about a Location that the other lacks, are not
        # compared.
        asked = not lab.later.isdisjoint(nodes)
        asks = [each for each in asks if asked and each in changed]
        theirs = {name: other(name, arity, functor) for name, arity in says.predicates}
        lines = [
            *says.told(topic, {name: name for name in theirs}, theirs),
            *_asked_once(topic, asks),
            *(_EACH_WAY if only is not None else _WHETHER_KNOWN).format(T=topic).splitlines(),
        ]
        if knows:
            lines += [
                f"goal(knows(one,@kind({topic}))) :- one_says({topic},_).",
                f"goal(knows(other,@kind({topic}))) :- other_says({topic},_).",
                f"goal(elsewhere(@kind({topic}))) :- differs({topic},_), asked_once({topic}).",
            ]
        twice = [Signature(theirs[name], arity, functor) for name, arity in says.predicates]
        twice += [
            each._replace(name=name) for each in asks for name in (each.name, each.name + OTHER)
        ]
        layer = layer_of(lab, [*nodes, *twice])
        rules.setdefault(layer, []).extend(lines)
        wanted.setdefault(layer, {}).update(dict.fromkeys([*nodes, *twice]))
    defined = "#defined one_says/2. #defined other_says/2. #defined asked_once/1. #defined idle/0."
    return {
        layer: GoalRules("\n".join([defined, *dict.fromkeys(lines)]), tuple(wanted[layer]))
        for layer, lines in rules.items()
    }


_EACH_WAY = "goal(differs(@kind({T}),Way)) :- differs({T},Way), not asked_once({T}), not idle."
#: A search for each way by itself takes twice as long.
_WHETHER_KNOWN = """\
goal(differs(@kind({T}),known)) :- differs({T},known), not asked_once({T}), not idle.
goal(differs(@kind({T}),apart)) :- differs({T},Way), Way != known, not asked_once({T}), not idle."""
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


def _asked_once(topic: str, asks: Iterable[Signature]) -> Iterator[str]:
    """Yield rules that only one side asks about a topic, action or LOS."""
    for name, arity, _ in asks:
        about = f"({topic}{',_' * (arity - 1)})"
        yield f"asked_once({topic}) :- {name}{about}, not {name}{OTHER}{about}."
        yield f"asked_once({topic}) :- {name}{OTHER}{about}, not {name}{about}."


def _is_yes_or_no(functor: Functor) -> bool:
    """Test whether a topic has the values yes and no."""
    entry = default_vocabulary().topics.get(functor[0])
    return entry is not None and entry.value == "yes_no"


# --- What every board has on which two rule sets differ: the change has an effect on it.


def acting_goal(
    lab: Generator,
    twice: frozenset[Signature],
    one: RuleSet,
    other: RuleSet,
    parts: Mapping[str, GoalRules],
) -> tuple[GoalRules, ...]:
    """Return goal(needed) twice: a changed rule has an effect; it has one on an answer of `parts`.

    The second is about a cut: atoms of which each path from a changed rule to a compared answer has
    one. None of both if sections in force differ, or if a changed rule derives nothing.
    """
    changed = [rule for side in changed_rules(one, other) for rule in side]
    if one.sections != other.sections or not all(rule.heads for rule in changed):
        return ()
    compared = {node for part in parts.values() for node in part.wanted}
    start = {
        node: {_norm_of_head(rule) for rule in changed if node in rule.heads}
        for rule in changed
        for node in rule.heads
        if node.name not in _RANKING
    }
    off, anew = {*one.without} ^ {*other.without}, kinds_ranked_anew(one, other)
    for rule in lab.rules:
        heads: Iterable[Signature] = ()
        if WITHOUT in rule.body and reads_ruling(rule, off):
            heads = rule.heads
        elif not RANKS.isdisjoint(rule.body):
            heads = ranked_heads(rule, anew)
        # A norm that is ranked on one side alone acts through what it opposes.
        start |= {node: {None} for node in heads if node.name not in _RANKING}
    # The rules of the other side have other names in `lab`.
    cut = _cut((*lab.rules, *other.program.rules), start, compared)
    first = {node: norms for node, norms in sorted(start.items()) if node in twice}
    last = {node: {None} for node in sorted(cut) if node in twice}
    begins, acts = ([*_differing(*each)] for each in (("begins", first), ("acts", last)))
    return _of_both(first, [_BEGINS, *begins]), _of_both([*first, *last], [_ACTS, *begins, *acts])


def _of_both(nodes: Iterable[Signature], lines: Iterable[str]) -> GoalRules:
    """Return rules that read these nodes of both sides."""
    wanted = [*dict.fromkeys(nodes)]
    wanted += [node._replace(name=node.name + OTHER) for node in wanted]
    # Only one side may derive an atom, such as that of a new helper rule.
    names = sorted({f"#defined {node.name}/{node.arity}." for node in wanted})
    return GoalRules("\n".join((_NEEDED, *names, *lines)), tuple(wanted))


def _differing(name: str, nodes: Mapping[Signature, Collection[str | None]]) -> Iterator[str]:
    """Yield rules that derive `name` if an atom of these nodes differs; None: of any norm."""
    for node, norms in nodes.items():
        for norm in [None] if None in norms else sorted(filter(None, norms)):
            mine, theirs = _atom(node, "", norm), _atom(node, OTHER, norm)
            yield f"{name} :- {mine}, not {theirs}."
            yield f"{name} :- {theirs}, not {mine}."


def _norm_of_head(rule: Rule) -> str | None:
    """Return the norm in the head of a rule; None if it has none, or a variable."""
    args = rule.head.args if rule.head and rule.head.name in calculus().tagged_heads else ()
    return str(args[0].value) if args and isinstance(args[0], Const) else None


def _cut(
    rules: Iterable[Rule], start: Iterable[Signature], compared: Collection[Signature]
) -> set[Signature]:
    """Return the nodes on the paths from `start` that are compared, or that a rule reads which is
    none of the calculus.

    Between them and `start` are nodes of the calculus alone: a norm may assert something without
    any effect on an answer.
    """
    reading: dict[Signature, list[Rule]] = {}
    for rule in rules:
        for node in rule.body:
            reading.setdefault(node, []).append(rule)
    found: set[Signature] = set()
    seen = set(start)
    todo = list(seen)
    while todo:
        node = todo.pop()
        readers = reading.get(node, [])
        # A choice or a constraint has no head through which it acts.
        if node in compared or any(e.file != CALCULUS or e.head is None for e in readers):
            found.add(node)
            continue
        new = {head for rule in readers for head in rule.heads} - seen
        seen |= new
        todo += new
    return found


_NEEDED = "goal(needed) :- not idle."
#: Without an effect of a changed rule, the change is idle; and without one on an answer.
_BEGINS = "#defined begins/0. idle :- not begins."
_ACTS = f"{_BEGINS} #defined acts/0. idle :- not acts."


def with_effect(
    needs: GoalRules, parts: Mapping[str, GoalRules], alone: bool
) -> Mapping[str, GoalRules]:
    """Return the goals with the rules of `needs`, without which no board has a difference.

    alone: only on boards with an effect; a search that knows so is several times faster.
    """
    rules = needs.rules.replace(_NEEDED, ":- idle." if alone else "")
    return {
        layer: GoalRules(f"{part.rules}\n{rules}", (*part.wanted, *needs.wanted))
        for layer, part in parts.items()
    }


#: Precedence, which has no effect unless both norms apply.
_RANKING = RANKING - {"lifts"} | {"wins", "ranked"}


def _atom(node: Signature, suffix: str = "", norm: str | None = None) -> str:
    """Return an atom of a node with variables, about a topic of its kind, and of a norm if given."""
    args = [f"X{place}" for place in range(node.arity)]
    if norm is not None:
        args[0] = f'"{norm}"'
    place = calculus().key_place.get(node.name)
    if node.topic is not None and node.topic[0][:1].islower() and place is not None:
        args[place] = signature_pattern(node.topic)
    return f"{node.name}{suffix}({','.join(args)})" if args else node.name + suffix


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
    spoken |= {head.topic for rule in rules for head in rule.heads if head.topic is not None}
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
    """Return the kinds of questions that depend on the changed rules, the nearest first."""
    rules = [rule for side in changed_rules(one, other) for rule in side]
    heads = {head.topic for rule in rules for head in rule.heads if head.topic is not None}
    return list(events_by_distance(lab.program.rules, sorted(heads)))


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
