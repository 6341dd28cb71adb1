"""The effect of a change on an answer: a condition that each board with a difference meets.

A change begins at the heads of the changed rules. It acts through a cut: each path from a changed
rule to a compared answer contains a node of the cut. Before the cut, only the calculus reads the
nodes, because a norm may assert something without any effect on an answer. kb/CALCULUS.md has the
argument.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import by_body
from rules_asp.knowledge.rules import CALCULUS, SIGHT, SIGHT_PLACE, Rule, Signature
from rules_asp.knowledge.terms import Const
from rules_asp.lab.generator import OTHER, Generator, signature_pattern
from rules_asp.lab.goals import GoalRules, merged
from rules_asp.lab.rulesets import (
    RANKS,
    UNTOPICAL,
    WITHOUT,
    RuleSet,
    changed_rules,
    kinds_ranked_anew,
    ranked_heads,
    reads_ruling,
)


def acting_goal(
    lab: Generator,
    twice: frozenset[Signature],
    one: RuleSet,
    other: RuleSet,
    parts: Mapping[str, GoalRules],
) -> tuple[GoalRules, ...]:
    """Return goal(needed) twice: a changed rule has an effect; it has one on an answer of `parts`.

    None of both if sections in force differ, or if a changed rule derives nothing.
    """
    changed = [rule for side in changed_rules(one, other) for rule in side]
    if one.sections != other.sections or not all(rule.heads for rule in changed):
        return ()
    start = {
        node: norms
        for node, norms in sorted(starting_nodes(lab, one, other).items())
        if node in twice
    }
    # The rules of the other side have other names in `lab`.
    paths = _Paths((*lab.rules, *other.program.rules), frozenset(start), twice)
    compared = {node for part in parts.values() for node in part.wanted}
    cut = sorted(paths.cut(compared))
    begins = [line for node, norms in start.items() for line in _differing(node, norms)]
    acts = [line for node in cut for line in _acting(node, paths)]
    own = {node.topic for node in compared & twice} - {
        node.topic for node in compared & paths.foreign
    }
    for kind in sorted(filter(None, own)):
        topic = signature_pattern(kind)
        acts.append(f"idle({topic}) :- differs({topic},_), not begins({topic}).")
    return _goal(start, [_BEGINS, *begins]), _goal([*start, *cut], [_BEGINS, _ACTS, *begins, *acts])


def _goal(nodes: Iterable[Signature], lines: Iterable[str]) -> GoalRules:
    """Return rules that read these nodes of both sides."""
    wanted = [*dict.fromkeys(nodes)]
    wanted += [node._replace(name=node.name + OTHER) for node in wanted]
    # Only one side may derive an atom, such as that of a new helper rule.
    names = sorted({f"#defined {node.name}/{node.arity}." for node in wanted})
    return GoalRules("\n".join((_NEEDED, *names, *lines)), tuple(wanted))


_NEEDED = "goal(needed) :- not idle."
_BEGINS = "#defined begins/1. #defined begins/0. begins :- begins(_). idle :- not begins."
_ACTS = "#defined acts/0. idle :- not acts. #defined differs/2. idle(T) :- differs(T,_), idle."


def with_effect(
    needs: GoalRules, parts: Mapping[str, GoalRules], alone: bool
) -> Mapping[str, GoalRules]:
    """Return the goals with the rules of `needs`, without which no board has a difference.

    alone: only on boards with an effect; a search that knows so is several times faster.
    """
    rules = needs.rules.replace(_NEEDED, ":- idle." if alone else "")
    effect = GoalRules(rules, needs.wanted, goals=frozenset())
    return {layer: merged((part, effect)) for layer, part in parts.items()}


# --- Where a change begins.

#: The norms whose atoms may differ; None: any.
_Norms = Collection[str | None]


def starting_nodes(lab: Generator, one: RuleSet, other: RuleSet) -> dict[Signature, _Norms]:
    """Return the nodes at which a change begins, each with the norms."""
    found: dict[Signature, set[str | None]] = {}
    for rule in (rule for side in changed_rules(one, other) for rule in side):
        for node in rule.heads:
            found.setdefault(node, set()).add(_norm_of_head(rule))
    off, anew = {*one.without} ^ {*other.without}, kinds_ranked_anew(one, other)
    for rule in lab.rules:
        heads: Iterable[Signature] = ()
        if WITHOUT in rule.body and reads_ruling(rule, off):
            heads = rule.heads
        elif not RANKS.isdisjoint(rule.body):
            # A norm that is ranked on one side alone acts through what it opposes.
            heads = ranked_heads(rule, anew)
        found |= {node: {None} for node in heads}
    # Precedence has no effect by itself.
    return {node: norms for node, norms in found.items() if node.name not in UNTOPICAL}


def _norm_of_head(rule: Rule) -> str | None:
    """Return the norm in the head of a rule; None if it has none, or a variable."""
    args = rule.head.args if rule.head and rule.head.name in calculus().tagged_heads else ()
    return str(args[0].value) if args and isinstance(args[0], Const) else None


def _differing(node: Signature, norms: _Norms) -> Iterator[str]:
    """Yield rules that derive `begins` if only one rule set has an atom of the norms.

    The head names the topic if it is known.
    """
    about = _topic_of(node)
    begins = f"begins({about})" if about else "begins"
    for norm in [None] if None in norms else sorted(filter(None, norms)):
        yield from _both_ways(begins, node, norm)


def _acting(node: Signature, paths: _Paths) -> Iterator[str]:
    """Yield rules that derive `acts` where atoms of a node differ.

    If no path leads from another topic to the node, the change must begin on the same topic.
    """
    about = _topic_of(node)
    begins = f", begins({about})" if about and node not in paths.foreign else ""
    yield from _both_ways("acts", node, None, begins)


def _both_ways(head: str, node: Signature, norm: str | None, more: str = "") -> Iterator[str]:
    """Yield rules that derive the head where only one side has an atom of the node."""
    mine, theirs = _atom(node, "", norm), _atom(node, OTHER, norm)
    yield f"{head} :- {mine}, not {theirs}{more}."
    yield f"{head} :- {theirs}, not {mine}{more}."


def _topic_of(node: Signature) -> str | None:
    """Return the topic of a node with variables, if all its atoms are about topics of one kind.

    An LOS has two: its own and its places.
    """
    topic = node.topic
    if topic is None or topic in (SIGHT, SIGHT_PLACE) or node.name not in calculus().key_place:
        return None
    return signature_pattern(topic) if topic[0][:1].islower() else None


def _atom(node: Signature, suffix: str = "", norm: str | None = None) -> str:
    """Return an atom of a node with variables, about a topic of its kind, and of a norm if given."""
    args = [f"X{place}" for place in range(node.arity)]
    if norm is not None:
        args[0] = f'"{norm}"'
    place = calculus().key_place.get(node.name)
    if node.topic is not None and node.topic[0][:1].islower() and place is not None:
        args[place] = signature_pattern(node.topic)
    return f"{node.name}{suffix}({','.join(args)})" if args else node.name + suffix


# --- The paths from a change to the answers.


@dataclass(frozen=True)
class _Paths:
    """Paths along rules from the nodes of `start`. Each inner node is one of `twice`."""

    rules: tuple[Rule, ...]
    start: frozenset[Signature]
    twice: frozenset[Signature]

    @cached_property
    def _reading(self) -> Mapping[Signature, list[Rule]]:
        return by_body(self.rules)

    def cut(self, compared: Collection[Signature]) -> set[Signature]:
        """Return the first node of each path that is compared, or that a rule outside the calculus
        reads."""
        found: set[Signature] = set()
        seen = set(self.start)
        todo = list(seen)
        while todo:
            node = todo.pop()
            readers = self._reading.get(node, [])
            # No path leads on through a choice or a constraint, because it has no head.
            if node in compared or any(e.file != CALCULUS or e.head is None for e in readers):
                found.add(node)
                continue
            new = {head for rule in readers for head in rule.heads} & self.twice - seen
            seen |= new
            todo += new
        return found

    @cached_property
    def foreign(self) -> frozenset[Signature]:
        """The nodes at the end of a path from another topic, or from no topic."""
        own, found = set(self.start), set()
        todo = [(node, _topic_of(node) is None) for node in own]
        found |= {node for node, is_foreign in todo if is_foreign}
        while todo:
            node, is_foreign = todo.pop()
            for rule in self._reading.get(node, []):
                same = not is_foreign and rule.file == CALCULUS and rule.head is not None
                for head in self.twice.intersection(rule.heads):
                    stays = same and head.topic == node.topic
                    known = own if stays else found
                    if head not in known:
                        known.add(head)
                        todo.append((head, not stays))
        return frozenset(found)
