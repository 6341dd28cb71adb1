"""Serialization of answer sets, for the cache of static layers.

Atoms are grouped by predicate, and by the first word of the topic if they have one, as terms in
clingo syntax. Groups are parsed on access: most questions need a tenth of a board's atoms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

import clingo

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import ANY_TERM, functor_name
from rules_asp.knowledge.solver import AnswerSet

#: An argument without parts as text, and the first word of an argument, if any.
_PLAIN = r'(?:"(?:[^"\\]|\\.)*"|[^"(),]+),'
_WORD = r"(?!#)-?(_*[a-z][\w']*)?"
#: A predicate's name and arity.
_Signature = tuple[str, int]


class StoreFormatError(Exception):
    """Bytes that are not stored answer sets."""


class _Group(NamedTuple):
    """The position of the atoms of one predicate, or of one topic."""

    word: str
    start: int
    end: int


class StoredAnswerSet(AnswerSet):
    """A stored answer set; its atoms are parsed on access."""

    def __init__(
        self,
        written: bytes,
        groups: dict[_Signature, list[_Group]],
        orders: dict[_Signature, list[int]],
        case: int,
    ) -> None:
        # The class is frozen; inherited fields are properties or have their defaults.
        self.__dict__.update(
            _written=written, _groups=groups, _orders=orders, _read={}, static_case=case
        )

    _written: bytes
    _groups: dict[_Signature, list[_Group]]
    _orders: dict[_Signature, list[int]]
    _read: dict[tuple[str, int, int], tuple[list[clingo.Symbol], frozenset[clingo.Symbol]]]

    @cached_property
    def symbols(self) -> tuple[clingo.Symbol, ...]:
        """All its atoms."""
        return tuple(atom for signature in self._groups for atom in self.atoms(*signature))

    def holds(self, symbol: clingo.Symbol) -> bool:
        """Whether an atom is true here."""
        signature, word = _place(symbol)
        return any(
            group.word == word and symbol in self._part(signature, number)[1]
            for number, group in enumerate(self._groups.get(signature, ()))
        )

    def atoms(self, name: str, arity: int) -> Sequence[clingo.Symbol]:
        """Return the atoms of one predicate in their original order."""
        signature = name, arity
        parts = [
            self._part(signature, number)[0]
            for number in range(len(self._groups.get(signature, ())))
        ]
        if signature not in self._orders:
            return [atom for part in parts for atom in part]
        each = [iter(part) for part in parts]
        return [next(each[number]) for number in self._orders[signature]]

    def own_atoms(self, name: str, arity: int) -> Sequence[clingo.Symbol]:
        """Return the same, since it has no base."""
        return self.atoms(name, arity)

    def atoms_about(self, name: str, arity: int, topic: str) -> Sequence[clingo.Symbol]:
        """Return the atoms of one predicate whose topic begins with this word."""
        signature = name, arity
        for number, group in enumerate(self._groups.get(signature, ())):
            if group.word == topic:
                return self._part(signature, number)[0]
        return []

    def written(self, name: str, arity: int, topic: str | None) -> Sequence[str]:
        """Return the atoms of one predicate as text, of a topic if given, in the order of `atoms`."""
        signature = name, arity
        groups = self._groups.get(signature, ())
        parts = [self._lines(each) for each in groups if topic is None or each.word == topic]
        if topic is not None or signature not in self._orders:
            return [line for part in parts for line in part]
        each = [iter(part) for part in parts]
        return [next(each[number]) for number in self._orders[signature]]

    def _lines(self, group: _Group) -> list[str]:
        return self._written[group.start : group.end].decode("utf-8").split("\n")

    def _part(
        self, signature: _Signature, number: int
    ) -> tuple[list[clingo.Symbol], frozenset[clingo.Symbol]]:
        """Return one parsed group, as a list and as a set."""
        key = *signature, number
        if key not in self._read:
            group = self._groups[signature][number]
            found = read_terms(self._lines(group))
            self._read[key] = found, frozenset(found)
        return self._read[key]


def read_terms(lines: Sequence[str]) -> list[clingo.Symbol]:
    """Parse one term a line, in one call, which takes half the time."""
    return list(clingo.parse_term(f"({','.join(lines)},)").arguments) if lines else []


def dump_answer_sets(answers: Sequence[AnswerSet]) -> bytes:
    """Serialize answer sets."""
    heads, texts, end = [], [], 0
    for answer in answers:
        head = []
        for signature, atoms in _by_signature(answer).items():
            groups, order = [], []
            by_word, words = _worded(signature, atoms)
            for word, own in by_word.items():
                text = "\n".join(own).encode()
                groups.append((word, end, end + len(text)))
                texts.append(text)
                end += len(text)
            if len(by_word) > 1:
                number = {word: n for n, word in enumerate(by_word)}
                order = [number[word] for word in words]
            head.append((*signature, groups, order))
        heads.append(head)
    first = json.dumps(heads, separators=(",", ":")).encode("ascii")
    return b"\n".join([first, b"".join(texts)])


def _by_signature(answer: AnswerSet) -> dict[_Signature, list[clingo.Symbol]]:
    """Group the atoms of an answer set by predicate."""
    arities: dict[str, list[int]] = {}
    if answer.control is not None:
        for name, arity, _ in answer.control.symbolic_atoms.signatures:
            arities.setdefault(name, []).append(arity)
    by_name: dict[str, list[clingo.Symbol]] = {}
    for atom in answer.symbols:
        by_name.setdefault(atom.name, []).append(atom)
    found: dict[_Signature, list[clingo.Symbol]] = {}
    for name, atoms in by_name.items():
        known = arities.get(name, [])
        for atom in atoms if len(known) != 1 else ():
            found.setdefault((name, len(atom.arguments)), []).append(atom)
        for arity in known if len(known) == 1 else ():
            found[name, arity] = atoms
    return found


@cache
def _beginning(place: int) -> re.Pattern[str]:
    """Return the pattern of an atom's text up to the word at an index."""
    return re.compile(_PLAIN * place + _WORD)


def _worded(
    signature: _Signature, atoms: Sequence[clingo.Symbol]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return atoms of one predicate as text by the word of their topic, and the word of each."""
    name, arity = signature
    place = calculus().key_place.get(name, arity)
    if not arity:
        return {ANY_TERM: [name]}, []
    # Inspecting each atom takes most of the time, so clingo prints all at once and the text is
    # split.
    first = f"{name}("
    every = str(clingo.Tuple_(list(atoms)))
    rests = every[1 + len(first) : -1].removesuffix(",").split(f",{first}")
    if len(rests) != len(atoms):  # a text, or a part of an atom, contains the beginning of an atom
        rests = [str(atom)[len(first) :] for atom in atoms]
    if place >= arity:
        return {ANY_TERM: [first + rest for rest in rests]}, []
    begins = _beginning(place)
    by_word: dict[str, list[str]] = {}
    words = []
    for rest, atom in zip(rests, atoms, strict=True):
        found = begins.match(rest)
        word = (found[1] or ANY_TERM) if found else functor_name(atom.arguments[place])
        words.append(word)
        by_word.setdefault(word, []).append(first + rest)
    return by_word, words


def load_answer_sets(data: bytes) -> tuple[StoredAnswerSet, ...]:
    """Parse serialized answer sets; StoreFormatError for other bytes."""
    first, _, body = data.partition(b"\n")
    try:
        found = []
        for case, head in enumerate(json.loads(first)):
            groups = {(name, arity): [_Group(*g) for g in each] for name, arity, each, _ in head}
            orders = {(name, arity): order for name, arity, _, order in head if order}
            found.append(StoredAnswerSet(body, groups, orders, case))
        return tuple(found)
    except (ValueError, TypeError) as error:
        raise StoreFormatError(str(error)) from None


def _place(atom: clingo.Symbol) -> tuple[_Signature, str]:
    """Return the predicate of an atom, and the first word of its topic if it is grouped by it."""
    name, arguments = atom.name, atom.arguments
    place = calculus().key_place.get(name, len(arguments))
    told = place < len(arguments)
    return (name, len(arguments)), functor_name(arguments[place]) if told else ANY_TERM
