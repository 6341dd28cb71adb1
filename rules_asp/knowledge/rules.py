"""Norms and rules of the knowledge base, and the signatures of their atoms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple, TypeVar

import clingo

from rules_asp.game.house_rules import is_house_rule
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.terms import (
    Const,
    Fun,
    Literal,
    Term,
    Var,
    atoms_of,
    is_positive,
    to_symbol,
)


@dataclass(frozen=True)
class Norm:
    """A tag: the id of a norm, its summary in our words, its file and line.

    `marked` is true for a tag with the mark `(reading)`. `other_reading` is the other
    interpretation; only interpretations have one. `open_points` lists what the text leaves open; it
    is not encoded in a rule. `less_sure` is true for an assumption of medium sureness (M): a ruling
    that can be switched off.
    """

    id: str
    sense: str
    file: str
    line: int
    assumed: bool = False
    descriptive: bool = False
    marked: bool = False
    other_reading: str = ""
    open_points: str = ""
    less_sure: bool = False

    @property
    def fields(self) -> str:
        """All its text: the summary, the other interpretation and the open points."""
        return " ".join(filter(None, (self.sense, self.other_reading, self.open_points)))

    @property
    def ruling(self) -> bool:
        """True for a ruling, an interpretation that can be switched off."""
        return self.id.startswith("R-")

    @property
    def reading(self) -> bool:
        """True for an interpretation: a tag marked as such, or a ruling."""
        return self.marked or self.ruling

    @property
    def house_rule(self) -> bool:
        """True for a house rule."""
        return is_house_rule(self.file)

    @property
    def path(self) -> str:
        """The path of the file below `kb/`, or in the folder of house rules."""
        return self.file if self.house_rule else f"kb/{self.file}"

    @property
    def paragraph(self) -> str:
        """The printed rule number, such as B23.71 for the norm B23.71-5; a ruling has its own id."""
        return self.id if self.ruling else self.id.rsplit("-", 1)[0]

    @property
    def families(self) -> tuple[str, ...]:
        """The rule numbers that include it: B23, B23.7, B23.71 and B23.711 for B23.711-9."""
        section, dot, digits = self.paragraph.partition(".")
        return section, *(section + dot + digits[:n] for n in range(1, len(digits) + 1))


#: The file of the calculus, which decides which norm wins.
CALCULUS = "calculus.lp"
#: The files whose rules are repeated for each topic, action or form; they contain no words of the
#: game.
WRITTEN_ONCE = (CALCULUS, "query_patterns.lp")
#: The files of precedence: by the text; rulings on the meaning of a sentence; rulings between two
#: norms.
PRECEDENCE = ("precedence.lp", "rulings_meaning.lp", "rulings.lp")
#: The declarations of kb/; kb/vocabulary.lp and kb/queries.lp explain each.
DECLARATIONS = frozenset(
    (
        *(
            "input",
            "setting",
            "measured",
            "measures",
            "derived",
            "topic",
            "form",
            "deed",
            "reason",
            "word",
        ),
        *("once", "measure", "sentence", "phrase", "spoken", "synonym"),
        *("unread", "printed", "descriptive_in", "against", "change", "supposes", "renamed"),
        *("how_first", "goes_first", "mixed"),
    )
)

Functor = tuple[str, int]
#: The functor of a line of sight, s(From,To).
SIGHT: Functor = ("s", 2)
#: The functor of an LOS at one place, at(LOS,Spot).
SIGHT_PLACE: Functor = ("at", 2)
_Kind = TypeVar("_Kind", Functor, Functor | None)


def topic_kind(functor: _Kind) -> _Kind:
    """Return the kind of a topic: that of an LOS at one place is that of the LOS."""
    return SIGHT if functor == SIGHT_PLACE else functor


class Signature(NamedTuple):
    """A predicate, and for those of the calculus the kind of topic it is about (None: any).

    For `word`, it is the kind of words.
    """

    name: str
    arity: int
    topic: Functor | None = None

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}" + (f" of {self.topic[0]}" if self.topic else "")


@dataclass(frozen=True)
class Rule:
    """A rule of the knowledge base as a tree and as text, with the nodes that it derives and reads."""

    text: str
    top: Literal
    literals: tuple[Literal, ...]
    heads: tuple[Signature, ...]
    positive: tuple[Signature, ...]
    negative: tuple[Signature, ...]
    file: str
    line: int
    norm: str | None = None
    #: Pairs (topic, other topic) that a takes, offers_value, adds_value or requires in the head
    #: connects.
    topic_pairs: tuple[tuple[Functor, Functor], ...] = ()

    @property
    def head(self) -> Fun | None:
        """The atom of the head; None for a choice or a constraint."""
        return self.top.atom if is_positive(self.top) else None

    @property
    def atoms(self) -> tuple[Fun, ...]:
        """The atoms that must hold for it to fire, without elements of aggregates."""
        return tuple(each.atom for each in self.literals if is_positive(each))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The leading strings of the head's arguments: the norm, and the norm it overrides."""
        args = self.head.args if self.head else ()
        found = (each.value if isinstance(each, Const) else None for each in args)
        return tuple(str(each) for each in takewhile(lambda each: isinstance(each, str), found))

    @property
    def body(self) -> tuple[Signature, ...]:
        """All nodes that the rule reads."""
        return self.positive + self.negative


@dataclass(frozen=True)
class KnowledgeBase:
    """The knowledge base as written: rules and norms in reading order."""

    rules: tuple[Rule, ...]
    norms: tuple[Norm, ...]


def make_rule(
    top: Literal, literals: Sequence[Literal], file: str, line: int, norm: str | None = None
) -> Rule:
    """Build a rule from these literals."""
    heads: list[Signature] = []
    joins: list[tuple[Functor, Functor]] = []
    other_place = calculus().other_place
    read: dict[bool, list[Signature]] = {False: [], True: []}
    for atom, negated, in_condition in atoms_of(top):
        if in_condition:
            read[negated].append(signature_of_term(atom))
            continue
        heads.append(signature_of_term(atom))
        if atom.name in other_place:
            one, two = functor(atom.args[1]), functor(atom.args[other_place[atom.name]])
            if one and two:
                joins.append((one, two))
    for literal in literals:
        for atom, negated, _ in atoms_of(literal):
            read[negated].append(signature_of_term(atom))
    return Rule(
        rule_text(top, literals),
        top,
        tuple(literals),
        tuple(dict.fromkeys(heads)),
        tuple(dict.fromkeys(read[False])),
        tuple(dict.fromkeys(read[True])),
        file,
        line,
        norm,
        tuple(joins),
    )


def rule_text(top: Literal, literals: Sequence[Literal]) -> str:
    """Return a rule as clingo prints it."""
    return f"{top} :- {'; '.join(map(str, literals))}." if literals else f"{top}."


def signature_of_term(atom: Fun) -> Signature:
    """Return the node of an atom in a rule."""
    place = calculus().key_place.get(atom.name)
    topic = functor(atom.args[place]) if place is not None and place < len(atom.args) else None
    return Signature(atom.name, len(atom.args), topic)


def functor(term: Term) -> Functor | None:
    """Return name and arity of a topic; ('Topic', 0) and the like for the calculus' own variables."""
    if isinstance(term, Fun):
        return term.functor
    if isinstance(term, Var | Const):
        return str(term), 0
    return None


def declared_facts(
    rules: Iterable[Rule], *declarations: str
) -> Iterator[tuple[str, Sequence[clingo.Symbol]]]:
    """Return the declarations of kb/ with this name: the name of each, and its arguments."""
    for rule in rules:
        name = rule.heads[0].name if rule.heads and not rule.body else ""
        if name in declarations:
            assert rule.head is not None
            yield name, to_symbol(rule.head).arguments


def by_paragraph(norms: Iterable[Norm]) -> dict[str, list[Norm]]:
    """Group norms by rule number, in reading order."""
    groups: dict[str, list[Norm]] = {}
    for norm in norms:
        groups.setdefault(norm.paragraph, []).append(norm)
    return groups
