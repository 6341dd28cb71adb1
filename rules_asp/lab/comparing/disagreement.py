"""What two sets of rules can answer differently: every topic, deed and sight of which both derive
answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rules_asp.knowledge.source import Functor, Signature
from rules_asp.lab.boards.rename import OTHER
from rules_asp.lab.boards.world import Generator, signature_pattern
from rules_asp.lab.searching.aims import GoalRules
from rules_asp.lab.searching.goals import kinds, layer_of
from rules_asp.terms.lexicon import vocabulary


def disagreement_goals(
    lab: Generator, changed: frozenset[Signature], only: Collection[Functor] | None = None
) -> Mapping[str, GoalRules]:
    """For every topic, deed and sight that could differ: that its answers do, in which way.

    `only` of these kinds: then each way by itself; else it is told whether one alone is known or both are.
    What differs where only one of both is asked at all is told to be elsewhere.
    """
    rules: dict[str, list[str]] = {}
    wanted: dict[str, dict[Signature, None]] = {}

    def other(name: str, arity: int, functor: Functor) -> str:
        return name + OTHER if Signature(name, arity, functor) in changed else name

    about_sums = set(kinds(lab, "total", 2))
    about_values = about_sums | set(kinds(lab, "is", 2))
    # Of what norms let or not, nothing is known where none speaks.
    about_values_alone = set(kinds(lab, "let", 1))
    about_deeds = set(kinds(lab, "illegal", 2)) | set(kinds(lab, "legal", 1))
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
        # What only one side asks for, as of a Location that is not there for the other, is not compared.
        asked = not lab.later.isdisjoint(nodes)
        asks = [each for each in asks if asked and each in changed]
        theirs = {name: other(name, arity, functor) for name, arity in says.predicates}
        lines = [
            *says.told(topic, {name: name for name in theirs}, theirs),
            *_asked_once(topic, asks),
            *(_EACH_WAY if only is not None else _WHETHER_KNOWN).format(T=topic).splitlines(),
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
    defined = "#defined one_says/2. #defined other_says/2. #defined asked_once/1."
    return {
        layer: GoalRules("\n".join([defined, *dict.fromkeys(lines)]), tuple(wanted[layer]))
        for layer, lines in rules.items()
    }


_EACH_WAY = "goal(differs(@kind({T}),Way)) :- differs({T},Way), not asked_once({T})."
#: To look for each way takes twice as long.
_WHETHER_KNOWN = """\
goal(differs(@kind({T}),known)) :- differs({T},known), not asked_once({T}).
goal(differs(@kind({T}),apart)) :- differs({T},Way), Way != known, not asked_once({T})."""
#: The names of the predicates on one side.
_Names = Mapping[str, str]


@dataclass(frozen=True)
class _Says:
    """What the two say of a kind of topics, deeds or sights by these predicates, each with its arity.

    said: what one side says, as the head and the body of rules. ways: how both then differ; each is a
    question of its own (rules_asp/lab/searching/goal_words.py has them in words).
    """

    predicates: tuple[tuple[str, int], ...]
    said: tuple[tuple[str, str], ...]
    ways: tuple[str, ...]

    def told(self, topic: str, mine: _Names, theirs: _Names) -> Iterator[str]:
        """The rules for this topic, with the names that the predicates have on either side."""
        for side, names in (("one", mine), ("other", theirs)):
            for said, body in self.said:
                yield f"{side}_says({topic},{said}) :- {body.format(T=topic, **names)}."
        parts = {f"{name}_too": theirs[name] for name in theirs}
        for way in self.ways:
            yield way.format(T=topic, **mine, **parts)


def _both_ways(way: str, body: str, back: str | None = None) -> tuple[str, str]:
    """How they differ, by what one says and the other does not, and the other way round."""
    turned = body.replace("one_", "first_").replace("other_", "one_").replace("first_", "other_")
    return f"differs({{T}},{way}) :- {body}.", f"differs({{T}},{back or way}) :- {turned}."


_KNOWN = _both_ways("known", "one_says({T},open), not other_says({T},open)")
_MORE = _both_ways(
    "more", "one_says({T},yes), not other_says({T},yes), not other_says({T},open)", "less"
)
_VALUED = _both_ways("known", "one_says({T},value), not other_says({T},value)")
_DEEDS = _Says(
    (("legal", 1), ("open", 1)),
    (("yes", "{legal}({T})"), ("open", "{open}({T})")),
    (*_KNOWN, *_MORE),
)
#: Of what is yes or no, a no that nothing says is the same answer as one that is said.
_YES_OR_NO = _Says(
    (("is", 2), ("open", 1)),
    (("yes", "{is}({T},yes)"), ("open", "{open}({T})")),
    (*_KNOWN, *_MORE),
)
_SIGHTS = _Says(
    (("sees", 1), ("open", 1), ("hindrance", 2)),
    (("yes", "{sees}({T})"), ("open", "{open}({T})"), ("of(V)", "{hindrance}({T},V)")),
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
#: The sums themselves are many, and need not be told apart: what each is made of is summed up here.
_APART = (
    "#sum {{ A,N,For,one : {addend}({T},N,For,A) ; V,base,base,one : {is}({T},V) ;"
    " -A,N,For,other : {addend_too}({T},N,For,A) ; -V,base,base,other : {is_too}({T},V) }}"
)
_SUMS = _Says(
    (("is", 2), ("summed", 1), ("open", 1), ("addend", 4)),
    (("value", "{summed}({T}), not {open}({T})"), ("value", "{is}({T},_)")),
    (
        *_VALUED,
        f"even({{T}}) :- one_says({{T}},value), other_says({{T}},value), 0 = {_APART}.",
        "differs({T},another) :- one_says({T},value), other_says({T},value), not even({T}).",
    ),
)


#: What is asked for, and between which places it is measured whether one sees.
_ASKS = (("asked", 1), ("asked_deed", 1), ("sight", 2))


def _asked_once(topic: str, asks: Iterable[Signature]) -> Iterator[str]:
    """That only one side asks for a topic, deed or sight, by these predicates."""
    for name, arity, _ in asks:
        about = f"({topic}{',_' * (arity - 1)})"
        yield f"asked_once({topic}) :- {name}{about}, not {name}{OTHER}{about}."
        yield f"asked_once({topic}) :- {name}{OTHER}{about}, not {name}{about}."


def _is_yes_or_no(functor: Functor) -> bool:
    """Whether a topic is so or not so."""
    entry = vocabulary().topics.get(functor[0])
    return entry is not None and entry.value == "yes_no"
