"""The calculus: the predicates of kb/calculus.lp, their use in proofs, and the choice of proofs.

kb/ declares them as facts (`calculus_signatures.lp`, `proofs.lp`) and as a program
(`proof_choice.lp`). House rules do not change them, so they are read once in a process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple

import clingo

#: The files of kb/ that are not part of a board's program.
SIGNATURES, PROOFS, CHOICE = FILES = ("calculus_signatures.lp", "proofs.lp", "proof_choice.lp")
#: The kinds of arguments that identify the subject of an atom.
_ABOUT = ("topic", "deed", "sight", "subject", "scope")
#: The name in kb/proofs.lp for all predicates without an entry of their own.
OTHER = "other"


class Predicate(NamedTuple):
    """A predicate with the kinds of its arguments, as kb/ declares it."""

    name: str
    kinds: tuple[str, ...]

    @property
    def signature(self) -> tuple[str, int]:
        """The name and the number of arguments."""
        return self.name, len(self.kinds)

    def place(self, *kinds: str) -> int | None:
        """Return the index of the first argument of one of these kinds; None if there is none."""
        return next((place for place, kind in enumerate(self.kinds) if kind in kinds), None)

    def places(self, kind: str) -> tuple[int, ...]:
        """Return the indexes of all arguments of a kind."""
        return tuple(place for place, each in enumerate(self.kinds) if each == kind)


@dataclass(frozen=True)
class Calculus:
    """The predicates of the calculus by their roles, and the facts about proofs.

    `facts` are the argument tuples of each fact by its name, in the order of the files.
    """

    facts: Mapping[str, tuple[tuple[clingo.Symbol, ...], ...]]

    def declared(self, *roles: str) -> tuple[Predicate, ...]:
        """Return the predicates that facts of these names declare."""
        return tuple(predicate(each) for role in roles for each, *_ in self.facts.get(role, ()))

    def listed(self, name: str) -> frozenset[str]:
        """Return the words that facts of this name list."""
        if name not in self._lists:
            self._lists[name] = frozenset(word.name for word, *_ in self.facts[name])
        return self._lists[name]

    @cached_property
    def _lists(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        """All predicates of the calculus."""
        return self.declared("head", "inner", "helper", "result")

    @cached_property
    def heads(self) -> Mapping[str, Predicate]:
        """The heads that norms may use."""
        return {each.name: each for each in self.declared("head")}

    @cached_property
    def tagged_heads(self) -> frozenset[str]:
        """The heads that occur under the tag of the norm in their first argument."""
        named = (name for name, each in self.heads.items() if each.kinds[0] == "norm")
        return frozenset(named) - {"overrides"}

    @cached_property
    def results(self) -> frozenset[str]:
        """The predicates that are read from an answer, although no rule may read them."""
        return frozenset(each.name for each in self.declared("result"))

    @cached_property
    def topic_place(self) -> Mapping[str, int]:
        """For each predicate of the calculus, the index of its topic, action or LOS."""
        found = self.declared("head", "inner", "result")
        return {each.name: at for each in found if (at := each.place(*_ABOUT)) is not None}

    @cached_property
    def key_place(self) -> Mapping[str, int]:
        """For each predicate with an index of its atoms, the argument by which they are indexed."""
        more = {each.name: each.kinds.index("key") for each in self.declared("sorted")}
        return {**self.topic_place, **more}

    @cached_property
    def other_place(self) -> Mapping[str, int]:
        """For each head that reads the value of a second topic, the index of that topic."""
        found = self.heads.items()
        return {name: at for name, each in found if (at := each.place("other")) is not None}

    @cached_property
    def value_place(self) -> Mapping[str, int]:
        """For each predicate with a value of its topic, the index of the value."""
        return {
            each.name: each.kinds.index("value")
            for each in self.predicates
            if "value" in each.kinds
        }

    @cached_property
    def topic_heads(self) -> tuple[str, ...]:
        """The heads by which a norm decides a topic."""
        return self._heads_on("topic", "subject")

    @cached_property
    def deed_heads(self) -> tuple[str, ...]:
        """The heads by which a norm decides an action."""
        return self._heads_on("deed")

    @cached_property
    def asserting(self) -> tuple[Predicate, ...]:
        """The heads by which a norm asserts something about a topic or an action."""
        names = (*self.topic_heads, *self.deed_heads)
        return tuple(self.heads[name] for name in names if "norm" in self.heads[name].kinds)

    @cached_property
    def answering_heads(self) -> tuple[Predicate, ...]:
        """The heads by which a norm affects a topic, action or LOS, except lifts."""
        found = (each for each in self.heads.values() if each.place(*_ABOUT[:-1]) is not None)
        return tuple(each for each in found if "norm" in each.kinds)

    @cached_property
    def value_heads(self) -> tuple[str, ...]:
        """The heads by which a norm gives a topic a value."""
        return tuple(
            name for name, each in self.heads.items() if each.kinds[:2] == ("norm", "topic")
        )

    def _heads_on(self, *kinds: str) -> tuple[str, ...]:
        found = self.heads.items()
        return tuple(name for name, each in found if each.place(*kinds) is not None)

    @cached_property
    def norm_places(self) -> Mapping[str, tuple[int, ...]]:
        """For each predicate of the calculus, the indexes of norms."""
        found = {each.name: each.places("norm") for each in self.predicates}
        return {name: places for name, places in found.items() if places}

    @cached_property
    def verdicts(self) -> frozenset[str]:
        """The predicates that give the result of the topic, action or LOS in their first argument."""
        found = {name for name, place in self.topic_place.items() if not place}
        return frozenset(found - self.listed("no_verdict"))

    @cached_property
    def shown_with_norm(self) -> Mapping[tuple[str, int], int]:
        """The predicates shown together with the assertion of their norm, with the index of that
        norm."""
        names = self.listed("by_norm")
        return {
            each.signature: each.kinds.index("norm")
            for each in self.predicates
            if each.name in names and "norm" in each.kinds
        }

    @cached_property
    def effects(self) -> tuple[Predicate, ...]:
        """The assertions of norms that remain after all defeats; each contains a norm."""
        names = {name for name, _ in self.shown_with_norm} - {"undefeated_offer"}
        return tuple(
            each for each in self.predicates if each.name in names and "norm" in each.kinds
        )

    @cached_property
    def opposing(self) -> Mapping[str, frozenset[str]]:
        """For each predicate, the heads of opposing assertions; `other` is for predicates not
        listed."""
        found: dict[str, set[str]] = {}
        for head, result in self.facts["opposes"]:
            found.setdefault(result.name, set()).add(head.name)
        return {name: frozenset(heads) for name, heads in found.items()}

    @cached_property
    def known_by(self) -> Mapping[str, tuple[Predicate, ...]]:
        """For each kind of subject, the predicates by which it is known."""
        results = {each.name: each for each in self.declared("result")}
        found: dict[str, list[Predicate]] = {}
        for result, kind in self.facts["known_by"]:
            found.setdefault(kind.name, []).append(results[result.name])
        return {kind: tuple(each) for kind, each in found.items()}

    @cached_property
    def carrying(self) -> frozenset[tuple[str, ...]]:
        """Pairs of predicates; the first takes its value from the second."""
        return frozenset(tuple(each.name for each in pair) for pair in self.facts["carries"])

    @cached_property
    def wins_by(self) -> Mapping[str, str]:
        """For each predicate, the way in which a norm defeats another if the predicate is a
        premise."""
        return {name.name: words.string for name, words in self.facts["wins_by"]}

    @cached_property
    def atom_words(self) -> Mapping[tuple[str, int], tuple[Predicate, str]]:
        """The words for an atom, by name and arity, with the kinds of its arguments."""
        told = ((predicate(each), words.string) for each, words in self.facts["atom_words"])
        return {each.signature: (each, words) for each, words in told}

    @cached_property
    def line_words(self) -> tuple[tuple[Predicate, str], ...]:
        """All words for facts of a line, each with its predicate."""
        facts = self.facts["line_atom_words"]
        return tuple((predicate(each), told.string) for each, *words in facts for told in words)

    @cached_property
    def named_in_proofs(self) -> frozenset[str]:
        """The predicates that kb/proofs.lp names without arguments."""
        places = {"opposes": 2, "carries": 2, "known_by": 1, "wins_by": 1}
        lists = ("no_verdict", "gives_value", "no_premise", "commonplace", "bookkeeping", "by_norm")
        places |= dict.fromkeys(lists, 1)
        found = (args[:count] for name, count in places.items() for args in self.facts[name])
        return frozenset(each.name for named in found for each in named) - {OTHER}

    @cached_property
    def line_atom_words(self) -> Mapping[tuple[str, int], tuple[str, str]]:
        """The words for a line fact about depictions, and for its negation."""
        told = self.facts["line_atom_words"]
        return {predicate(each).signature: (yes.string, no.string) for each, yes, no in told}


@dataclass(frozen=True)
class ProofChoice:
    """The choice among supports in a proof: the criteria in order, and the ranks of norms."""

    criteria: tuple[str, ...]
    #: The least rank is preferred; "" is the rank of a rule without norm.
    norm_ranks: Mapping[str, int]
    #: For each predicate, the index of the norm in a premise, unless it is the first argument.
    norm_places: Mapping[str, int]


def proof_choice(norms: Iterable[str]) -> ProofChoice:
    """Return the choice criteria of kb/proof_choice.lp for the norms in these facts."""
    found: dict[str, list[list[clingo.Symbol]]] = {}
    facts = "".join(f"{fact}." for fact in norms)
    for atom in _facts(calculus_texts()[-1], facts):
        found.setdefault(atom.name, []).append(atom.arguments)
    ranked = sorted(found["rank"], key=lambda each: each[1])
    return ProofChoice(
        tuple(name.name for _, name in sorted(found["criterion"])),
        {norm.string: rank for rank, (norm, _) in enumerate(ranked)},
        {name.name: place.number for name, place in found["names_norm"]},
    )


def predicate(declared: clingo.Symbol) -> Predicate:
    """Return the predicate declared by a term such as says(norm,topic,value)."""
    return Predicate(declared.name, tuple(str(each) for each in declared.arguments))


def calculus_texts() -> tuple[str, ...]:
    """Return the texts of the files of kb/ that this module reads."""
    folder = files("rules_asp.kb")
    return tuple(folder.joinpath(name).read_text("utf-8") for name in FILES)


@cache
def calculus() -> Calculus:
    """Return the calculus of the included knowledge base."""
    signatures, proofs, _ = calculus_texts()
    return parse_calculus(signatures, proofs)


def parse_calculus(signatures: str, proofs: str) -> Calculus:
    """Parse the calculus from the texts of its two files of facts."""
    found: dict[str, list[tuple[clingo.Symbol, ...]]] = {}
    for atom in _facts(signatures, proofs):
        found.setdefault(atom.name, []).append(tuple(atom.arguments))
    return Calculus({name: tuple(each) for name, each in found.items()})


def _facts(*texts: str) -> list[clingo.Symbol]:
    control = clingo.Control()
    for text in texts:
        control.add("base", [], text)
    control.ground([("base", [])])
    return [each.symbol for each in control.symbolic_atoms]
