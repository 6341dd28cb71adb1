"""The input of the static checks: every atom of every rule of a knowledge base with its terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.reader import Comment
from rules_asp.knowledge.rules import (
    DECLARATIONS,
    WRITTEN_ONCE,
    Functor,
    KnowledgeBase,
    Norm,
    Rule,
    declared_facts,
)
from rules_asp.knowledge.terms import Const, Fun, Term, atoms_of


@dataclass(frozen=True, order=True)
class Fault:
    """A mistake in the knowledge base, with its place."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True)
class SourceAtom:
    """An atom of a rule. `part` is head, positive or negative (below a `not`)."""

    name: str
    terms: tuple[Term, ...]
    part: str

    @cached_property
    def topic(self) -> Functor | None:
        """The name and arity of the topic, action or LOS of a calculus atom."""
        place = calculus().topic_place.get(self.name)
        if place is None or place >= len(self.terms):
            return None
        return functor(self.terms[place])

    def string(self, place: int) -> str | None:
        """Return an argument if it is a string, such as the id of a norm."""
        return string(self.terms[place]) if place < len(self.terms) else None


@dataclass(frozen=True)
class SourceStatement:
    """A rule and its atoms."""

    rule: Rule
    atoms: tuple[SourceAtom, ...]

    @cached_property
    def heads(self) -> tuple[SourceAtom, ...]:
        """The atoms in the head."""
        return tuple(atom for atom in self.atoms if atom.part == "head")

    @cached_property
    def reads(self) -> tuple[SourceAtom, ...]:
        """The atoms in the body."""
        return tuple(atom for atom in self.atoms if atom.part != "head")

    @property
    def declares(self) -> str | None:
        """The kind of declaration, such as input or word; None for a rule, or a fact of the game."""
        name = self.heads[0].name if self.heads else ""
        return name if name in DECLARATIONS and not self.rule.body else None

    def fault(self, message: str) -> Fault:
        """Return a fault at this rule."""
        return Fault(self.rule.file, self.rule.line, message)


@dataclass(frozen=True)
class DeclaredWords:
    """The declarations of vocabulary.lp: kinds of arguments, by name and arity."""

    inputs: set[Functor] = field(default_factory=set)
    open_inputs: set[Functor] = field(default_factory=set)
    predicates: dict[Functor, tuple[str, ...]] = field(default_factory=dict)
    derived: set[Functor] = field(default_factory=set)
    topics: dict[Functor, tuple[str, ...]] = field(default_factory=dict)
    values: dict[Functor, str] = field(default_factory=dict)
    deeds: dict[Functor, tuple[str, ...]] = field(default_factory=dict)
    forms: dict[Functor, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    reasons: dict[Functor, tuple[str, ...]] = field(default_factory=dict)
    constants: dict[str, list[str]] = field(default_factory=dict)
    #: The number of norms in each printed section.
    printed: dict[str, int] = field(default_factory=dict)
    #: One of this many norms of a section may be descriptive; None: all may be.
    descriptive_in: int | None = None


@dataclass(frozen=True)
class KbView:
    """A knowledge base to check; the calculus is separate, since it contains no words of the game."""

    source: KnowledgeBase
    statements: tuple[SourceStatement, ...]
    calculus: tuple[SourceStatement, ...]
    words: DeclaredWords
    norms: Mapping[str, Norm]
    comments: tuple[Comment, ...] = ()

    def deriving(self, *names: str) -> Iterator[tuple[SourceStatement, SourceAtom]]:
        """Yield the statements that derive atoms of these predicates, each with such an atom, in
        order."""
        found = (each for name in dict.fromkeys(names) for each in self._deriving.get(name, ()))
        for _, statement, atom in sorted(found, key=itemgetter(0)):
            yield statement, atom

    @cached_property
    def _deriving(self) -> dict[str, list[tuple[int, SourceStatement, SourceAtom]]]:
        heads = ((each, atom) for each in self.statements for atom in each.heads)
        found: dict[str, list[tuple[int, SourceStatement, SourceAtom]]] = {}
        for number, (each, atom) in enumerate(heads):
            found.setdefault(atom.name, []).append((number, each, atom))
        return found


def kb_view(source: KnowledgeBase, comments: Iterable[Comment] = ()) -> KbView:
    """Analyze every rule of a knowledge base; `comments` are those of its files."""
    statements = [SourceStatement(rule, tuple(_atoms(rule))) for rule in source.rules]
    return KbView(
        source,
        tuple(each for each in statements if each.rule.file not in WRITTEN_ONCE),
        tuple(each for each in statements if each.rule.file in WRITTEN_ONCE),
        _words(source),
        {norm.id: norm for norm in source.norms},
        tuple(comments),
    )


def functor(term: Term) -> Functor | None:
    """Return name and arity of a compound term or a word; None for a variable, a number, a string."""
    return term.functor if isinstance(term, Fun) else None


def string(term: Term) -> str | None:
    """Return the text of a string."""
    return term.value if isinstance(term, Const) and isinstance(term.value, str) else None


def _atoms(rule: Rule) -> Iterator[SourceAtom]:
    for number, literal in enumerate((rule.top, *rule.literals)):
        for atom, negated, in_condition in atoms_of(literal):
            # The part after the colon of a head's element is read, not derived.
            is_head = not (number or in_condition)
            part = "negative" if negated else "head" if is_head else "positive"
            yield SourceAtom(atom.name, atom.args, part)


def _words(source: KnowledgeBase) -> DeclaredWords:
    words = DeclaredWords()
    limits: list[int] = []
    for kind, declaration in declared_facts(
        source.rules, *_OF_ENTRIES, "printed", "descriptive_in"
    ):
        if kind == "printed":
            words.printed[declaration[0].string] = declaration[1].number
            continue
        if kind == "descriptive_in":
            limits.append(declaration[0].number)
            continue
        entry = declaration[0]
        name, kinds = (entry.name, len(entry.arguments)), tuple(map(str, entry.arguments))
        if kind == "word":
            words.constants.setdefault(str(entry), []).append(str(declaration[1]))
        elif kind == "topic":
            words.topics[name] = kinds
            words.values[name] = str(declaration[1])
        elif kind == "deed":
            words.deeds[name] = kinds
            words.forms[name] = ("deed", kinds)
        elif kind == "reason":
            words.reasons[name] = kinds
        elif kind == "form":
            words.forms[name] = (str(declaration[1]), kinds)
        else:
            words.predicates[name] = kinds
            if kind == "derived":
                words.derived.add(name)
            if kind == "input":
                words.inputs.add(name)
                if str(declaration[1]) == "open":
                    words.open_inputs.add(name)
    return replace(words, descriptive_in=limits[-1] if limits else None)


_OF_ENTRIES = (
    *("input", "measured", "setting", "derived", "topic", "form", "deed", "reason", "word"),
)
