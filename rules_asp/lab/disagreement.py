"""What two sets of rules can answer differently: every topic, deed and sight of which both derive answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

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

    about_sums = set(kinds(lab, "total", 2))
    about_values = about_sums | set(kinds(lab, "is", 2))
    about_deeds = set(kinds(lab, "illegal", 2)) | set(kinds(lab, "legal", 1))
    for functor in sorted(about_values | about_deeds | {("s", 2)}):
        predicates = (
            (("legal", 1), ("open", 1))
            if functor in about_deeds
            else (("sees", 1), ("hindrance", 2))
            if functor == ("s", 2)
            else (("is", 2), ("open", 1))
            if _is_yes_or_no(functor)
            else _OF_A_SUM
            if functor in about_sums
            else (("is", 2),)
        )
        nodes = [Node(name, arity, functor) for name, arity in predicates]
        if changed.isdisjoint(nodes) or (only is not None and functor not in only):
            continue
        topic = pattern(functor)
        # What only one side asks for, as of a Location that is not there for the other, is not compared.
        asks = [Node(name, 1, functor) for name in ("asked", "asked_deed")]
        asks = [each for each in asks if each in changed]
        sides = [{each[0]: each[0] for each in predicates}]
        sides += [{name: other(name, arity, functor) for name, arity in predicates}]
        lines = [
            *(
                _sums(topic, sides)
                if predicates == _OF_A_SUM
                else _values(topic, sides, predicates, _is_yes_or_no(functor))
            ),
            f"goal(differs(@kind({topic}))) :- one_says({topic},K,V), not other_says({topic},K,V),"
            f" not asked_once({topic}).",
            f"goal(differs(@kind({topic}))) :- other_says({topic},K,V), not one_says({topic},K,V),"
            f" not asked_once({topic}).",
            *_asked_once(topic, asks),
            f"goal(knows(one,@kind({topic}))) :- one_says({topic},_,_).",
            f"goal(knows(other,@kind({topic}))) :- other_says({topic},_,_).",
        ]
        twice = [Node(other(name, arity, functor), arity, functor) for name, arity in predicates]
        twice += [
            each._replace(name=name) for each in asks for name in (each.name, each.name + OTHER)
        ]
        layer = layer_of(lab, [*nodes, *twice])
        rules.setdefault(layer, []).extend(lines)
        wanted.setdefault(layer, {}).update(dict.fromkeys([*nodes, *twice]))
    defined = "#defined one_says/3. #defined other_says/3. #defined asked_once/1."
    return {
        layer: Part("\n".join([defined, *dict.fromkeys(lines)]), tuple(wanted[layer]))
        for layer, lines in rules.items()
    }


_SIDES = ("one", "other")
#: What the value of a sum is made of. The sums themselves are many, and need not be told apart.
_OF_A_SUM = (("is", 2), ("summed", 1), ("open", 1), ("addend", 4))


def _values(
    topic: str,
    sides: Iterable[Mapping[str, str]],
    predicates: Iterable[tuple[str, int]],
    yes_or_no: bool,
) -> Iterator[str]:
    """What each side says of a topic, deed or sight; a side is told as its names of the predicates."""
    for side, own in zip(_SIDES, sides, strict=True):
        for name, arity in predicates:
            atom = f"{own[name]}({topic}{',V' if arity == 2 else ''})"
            value = "V" if arity == 2 and name != "illegal" else name
            # Of what is yes or no, a no that nothing says is the same answer as one that is said.
            but = ", V != no" if yes_or_no and value == "V" else ""
            yield f"{side}_says({topic},{name},{value}) :- {atom}{but}."


def _asked_once(topic: str, asks: Iterable[Node]) -> Iterator[str]:
    """That only one side asks for a topic or deed, by these predicates."""
    for name in (each.name for each in asks):
        yield f"asked_once({topic}) :- {name}({topic}), not {name}{OTHER}({topic})."
        yield f"asked_once({topic}) :- {name}{OTHER}({topic}), not {name}({topic})."


def _sums(topic: str, sides: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """That both sides have a value of a topic that may be a sum, and that it is another one."""
    parts = []
    for side, sign, own in zip(_SIDES, ("", "-"), sides, strict=True):
        has = f"{side}_says({topic},value,value)"
        yield f"{has} :- {own['summed']}({topic}), not {own['open']}({topic})."
        yield f"{has} :- {own['is']}({topic},_)."
        parts += [
            f"{sign}A,N,For,{side} : {own['addend']}({topic},N,For,A)",
            f"{sign}V,base,base,{side} : {own['is']}({topic},V)",
        ]
    both = f"one_says({topic},value,value), other_says({topic},value,value)"
    yield f"even({topic}) :- {both}, 0 = #sum {{ {' ; '.join(parts)} }}."
    yield f"one_says({topic},value,another) :- {both}, not even({topic})."


def _is_yes_or_no(functor: Functor) -> bool:
    """Whether a topic is so or not so."""
    entry = vocabulary().topics.get(functor[0])
    return entry is not None and entry.value == "yes_no"
