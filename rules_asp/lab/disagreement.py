"""What two sets of rules can answer differently: every topic, deed and sight of which both derive answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rules_asp.knowledge.source import Functor, Node
from rules_asp.lab.goals import kinds, layer_of
from rules_asp.lab.rename import OTHER
from rules_asp.lab.runs import Part
from rules_asp.lab.world import Lab, pattern
from rules_asp.terms.lexicon import vocabulary


def disagreeing(
    lab: Lab, changed: frozenset[Node], only: Collection[Functor] | None = None
) -> Mapping[str, Part]:
    """For every topic, deed and sight (`only` of these kinds) that could differ: that its answers do."""
    rules: dict[str, list[str]] = {}
    wanted: dict[str, dict[Node, None]] = {}

    def other(name: str, arity: int, functor: Functor) -> str:
        return name + OTHER if Node(name, arity, functor) in changed else name

    about_values = {functor for name in ("is", "total") for functor in kinds(lab, name, 2)}
    about_deeds = set(kinds(lab, "illegal", 2)) | set(kinds(lab, "legal", 1))
    for functor in sorted(about_values | about_deeds | {("s", 2)}):
        predicates = (
            (("legal", 1), ("illegal", 2))
            if functor in about_deeds
            else (("sees", 1), ("hindrance", 2))
            if functor == ("s", 2)
            else (("is", 2), ("open", 1))
            if _is_yes_or_no(functor)
            else (("is", 2), ("total", 2))
        )
        nodes = [Node(name, arity, functor) for name, arity in predicates]
        if changed.isdisjoint(nodes) or (only is not None and functor not in only):
            continue
        topic = pattern(functor)
        lines = []
        for side, name_of in (("one", lambda n, a, f: n), ("other", other)):
            for name, arity in predicates:
                atom = f"{name_of(name, arity, functor)}({topic}{',V' if arity == 2 else ''})"
                value = "V" if arity == 2 and name != "illegal" else name
                # Of what is yes or no, a no that nothing says is the same answer as one that is said.
                but = ", V != no" if _is_yes_or_no(functor) and value == "V" else ""
                lines.append(f"{side}_says({topic},{name},{value}) :- {atom}{but}.")
        lines += [
            f"goal(differs(@kind({topic}))) :- one_says({topic},K,V), not other_says({topic},K,V).",
            f"goal(differs(@kind({topic}))) :- other_says({topic},K,V), not one_says({topic},K,V).",
            f"goal(knows(one,@kind({topic}))) :- one_says({topic},_,_).",
            f"goal(knows(other,@kind({topic}))) :- other_says({topic},_,_).",
        ]
        twice = [Node(other(name, arity, functor), arity, functor) for name, arity in predicates]
        layer = layer_of(lab, [*nodes, *twice])
        rules.setdefault(layer, []).extend(lines)
        wanted.setdefault(layer, {}).update(dict.fromkeys([*nodes, *twice]))
    defined = "#defined one_says/3. #defined other_says/3."
    return {
        layer: Part("\n".join([defined, *dict.fromkeys(lines)]), tuple(wanted[layer]))
        for layer, lines in rules.items()
    }


def _is_yes_or_no(functor: Functor) -> bool:
    """Whether a topic is so or not so."""
    entry = vocabulary().topics.get(functor[0])
    return entry is not None and entry.value == "yes_no"
