"""Supports of atoms in an answer set, and blocked assertions of norms: the material of proofs.

Nothing is solved again, and nothing is recorded while an answer is computed. The answer set already
contains all atoms. A support rule (`support_rules`) is used for each rule whose head matches a
needed atom, and a blocked rule for each rule that a single exception blocks.

The atoms are facts of a separate program. No rule of the knowledge base is grounded a second time,
which would be unsound, and all atoms of a predicate are present before a support rule reads it. So
the cost depends on the wanted atoms and on the number of support rules added so far, since each
look-up takes time for each statement of the program. It does not depend on the size of the answer
set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import clingo
from clingo import ast

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import functor_name
from rules_asp.knowledge.rule_table import TextIndex
from rules_asp.knowledge.rules import Functor, Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, EngineError, add_facts
from rules_asp.knowledge.support_rules import (
    VALUE,
    BlockedHelper,
    BlockedPlace,
    BlockedRule,
    BlockedViaHelper,
    SubtermPath,
    Subterms,
    SupportRule,
    blocked_places,
    part_name,
    subterm_at,
    subterms_of,
)
from rules_asp.knowledge.terms import is_positive

#: The number of atoms looked up ahead, as a multiple of those asked for.
_AHEAD = 16
#: Maximum number of results in one predicate.
_FEW = 4000


@dataclass(frozen=True)
class Support:
    """A support of an atom: the rule, and its premises.

    `number` is the index of the rule in the knowledge base. With a `part` it is not a support of
    its own: its body is one element of an aggregate in the instance of the rule with the body
    `instance`.
    """

    number: int
    rule: Rule
    body: tuple[clingo.Symbol, ...]
    absent: tuple[clingo.Symbol, ...]
    part: int = 0
    instance: tuple[clingo.Symbol, ...] = ()


@dataclass(frozen=True)
class BlockedAssertion:
    """An assertion of a norm that one exception blocks."""

    assertion: clingo.Symbol
    exception: clingo.Symbol


#: Atoms that a support rule reads: name and arity of the predicate, and the first word of their
#: topics.
_Read = tuple[str, int, str]
#: The name and arity of a head, and its leading string, the id of a norm.
_Head = tuple[str, int, str]


def _head_keys(atom: clingo.Symbol) -> tuple[_Head, ...]:
    """Return the keys of the heads that an atom can have: of any norm, and of its own norm."""
    arguments = atom.arguments
    any_ = atom.name, len(arguments), ""
    if arguments and arguments[0].type == clingo.SymbolType.String:
        return any_, (*any_[:2], arguments[0].string)
    return (any_,)


class SupportRules:
    """The support rules of a knowledge base, each created on access."""

    def __init__(self, rules: Sequence[Rule], index: SupportIndex) -> None:
        self._rules = rules
        self.index = index
        self._made: dict[int, SupportRule] = {}
        self._blocked: dict[int, BlockedRule] = {}
        self._fixed: dict[_Head, Sequence[SubtermPath]] = {}
        #: The rules that may give atoms of a shape.
        self._fitting: dict[Hashable, Sequence[SupportRule]] = {}

    def all(self) -> Iterator[SupportRule]:
        """Yield all rules that can support an atom."""
        return (
            self._support(number) for several in self.index.heads.values() for number in several
        )

    def fitting(self, atom: clingo.Symbol) -> Sequence[SupportRule]:
        """Return the support rules whose head may be this atom."""
        keys = _head_keys(atom)
        fixed = (subterm_at(atom, path) for key in keys for path in self._fixed_in_heads(key))
        # The same rules fit atoms in which the same is fixed.
        shape = keys, *fixed
        if shape not in self._fitting:
            subterms = subterms_of(atom)
            rules = (self._support(n) for key in keys for n in self.index.heads.get(key))
            self._fitting[shape] = [rule for rule in rules if rule.fits(subterms)]
        return self._fitting[shape]

    def _fixed_in_heads(self, key: _Head) -> Sequence[SubtermPath]:
        """Return the places of the subterms that some rule with such a head fixes."""
        if key not in self._fixed:
            rules = map(self._support, self.index.heads.get(key))
            self._fixed[key] = sorted({path for rule in rules for path in rule.fixed_paths})
        return self._fixed[key]

    def misses(self, topic: Functor) -> Iterator[BlockedRule]:
        """Yield the rules of norms about a kind of topic that one exception may block."""
        for each in _places(self.index.misses.get(topic)):
            yield self._at(each, BlockedViaHelper if each.via_helper else BlockedRule)

    def near(self, helper: tuple[str, int]) -> Iterator[BlockedRule]:
        """Yield the rules of a helper that one exception may block."""
        for each in _places(self.index.near.get(helper)):
            yield self._at(each, BlockedHelper)

    def _support(self, number: int) -> SupportRule:
        if number not in self._made:
            self._made[number] = SupportRule(number, self._rules[number])
        return self._made[number]

    def _at(self, where: BlockedPlace, kind: type[BlockedRule]) -> BlockedRule:
        if where.number not in self._blocked:
            made = kind(where.number, self._rules[where.rule], where.place)
            self._blocked[where.number] = made
        return self._blocked[where.number]


@dataclass(frozen=True)
class SupportIndex:
    """An index of the support rules of a knowledge base.

    `heads` has the numbers of rules by name and arity of the head and its leading string, the id of
    a norm. `misses` and `near` have the fields of `BlockedPlace`, by kinds of topics and by
    helpers.
    """

    heads: TextIndex
    misses: TextIndex
    near: TextIndex


def support_index(rules: Sequence[Rule]) -> SupportIndex:
    """Return the index of all rules, numbered in reading order."""
    heads: dict[_Head, list[int]] = {}
    for number, rule in enumerate(rules):
        if rule.head is not None:
            key = *rule.head.functor, rule.ids[0] if rule.ids else ""
            heads.setdefault(key, []).append(number)
    blocked = (
        TextIndex.of({kind: chain.from_iterable(places) for kind, places in each.items()})
        for each in blocked_places(rules)
    )
    return SupportIndex(TextIndex.of(heads), *blocked)


def _places(numbers: Sequence[int]) -> Iterator[BlockedPlace]:
    size = len(BlockedPlace._fields)
    return (BlockedPlace(*numbers[at : at + size]) for at in range(0, len(numbers), size))


class SupportFinder:
    """Finds the supports of atoms in one answer set, on demand, with a cache."""

    def __init__(self, twins: SupportRules, answer: AnswerSet) -> None:
        self._twins = twins
        #: Number of atoms of each kind asked for, before and since the last `look_ahead`.
        self._asked_of: Counter[_Read] = Counter()
        self._asked_now: Counter[_Read] = Counter()
        self._ahead: list[clingo.Symbol] = []
        #: Whether atoms are looked up ahead in idle time, and not by the questions.
        self._idle = False
        self._others_of: dict[_Read, Iterator[clingo.Symbol]] = {}
        self._found: dict[clingo.Symbol, list[Support]] = {}
        self._missed: dict[clingo.Symbol, list[BlockedAssertion]] = {}
        self._nearly: dict[tuple[str, int], list[clingo.Symbol]] = {}
        self._beaten_of: dict[Functor, Sequence[clingo.Symbol]] = {}
        self._search = _Search(twins, answer)
        #: The number of cache misses.
        self.lookups = 0

    def supports_of(self, atoms: Iterable[clingo.Symbol]) -> dict[clingo.Symbol, list[Support]]:
        """Return the supports of each atom; none for a fact, or an atom that does not hold."""
        atoms = tuple(atoms)
        new = [atom for atom in atoms if atom not in self._found]
        if new:
            self._asked_now.update(map(_kind_of, new))
            self._look_up(new)
        return {atom: self._found[atom] for atom in atoms}

    def look_ahead(self, most: int | None = None) -> bool:
        """Look up at most this many further atoms of requested kinds; return whether any are left.

        A look-up of many atoms takes little longer than one of a few, and soon the whole kind is
        known, with the assertions about its topics that an exception blocks. A kind counts once two
        questions have asked for it: a single question looks up only its own atoms. Once it was
        called with `most`, as in idle time, a call without looks up nothing.
        """
        self._idle |= most is not None
        for kind, count in self._asked_now.items():
            if self._asked_of[kind]:
                others = self._others_of.get(kind)
                if others is None:
                    others = self._others_of[kind] = iter(self._search.atoms(kind))
                unknown = (atom for atom in others if atom not in self._found)
                self._ahead += islice(unknown, _AHEAD * self._asked_of[kind])
            self._asked_of[kind] += count
        self._asked_now.clear()
        now = self._ahead[: most or (0 if self._idle else None)]
        del self._ahead[: len(now)]
        self._look_up(atom for atom in now if atom not in self._found)
        verdicts = calculus().verdicts
        self.blocked_assertions((a.arguments[0] for a in now if a.name in verdicts), (), self)
        return bool(self._ahead)

    def _look_up(self, atoms: Iterable[clingo.Symbol]) -> None:
        used: dict[int, SupportRule] = {}
        needed = []
        for atom in atoms:
            self._found[atom] = []
            if giving := self._rules_for(atom):
                needed.append(atom)
                used.update((each.number, each) for each in giving)
        if not used:
            return
        self.lookups += 1
        twins = [used[number] for number in sorted(used)]
        for atom, way in self._search.ways(needed, twins):
            self._found[atom].append(way)

    def _rules_for(self, atom: clingo.Symbol) -> Sequence[SupportRule]:
        """Return the support rules that may give this atom."""
        word = _kind_of(atom)[2]
        return [rule for rule in self._twins.fitting(atom) if self._search.may_give(rule, word)]

    def holds(self, atom: clingo.Symbol) -> bool:
        """Test whether an atom holds in the answer set."""
        return self._search.holds(atom)

    def blocked_assertions(
        self, topics: Iterable[clingo.Symbol], later: Collection[Signature], board: SupportFinder
    ) -> dict[clingo.Symbol, list[BlockedAssertion]]:
        """Return the assertions about each of these topics, actions or LOS that a single exception
        blocks.

        Helpers that are not derived `later` are looked up in the `board`.
        """
        topics = tuple(topics)
        new = [topic for topic in topics if topic not in self._missed]
        used: dict[int, BlockedRule] = {}
        by_kind: dict[Functor, list[Subterms]] = {}
        for topic in new:
            self._missed[topic] = []
            kind = topic.name, len(topic.arguments)
            by_kind.setdefault(kind, []).append(subterms_of(topic))
        for kind, several in by_kind.items():
            for each in self._twins.misses(kind):
                if (
                    self._search.may_hold(each)
                    and any(map(each.fits, several))
                    and (
                        not isinstance(each, BlockedViaHelper) or self._is_near(each, later, board)
                    )
                ):
                    used[each.number] = each
        if used:
            self.lookups += 1
            for said, way in self._search.ways(new, [used[number] for number in sorted(used)]):
                topic = said.arguments[calculus().topic_place[said.name]]
                if topic in self._missed and not self._search.holds(said):
                    self._missed[topic].append(BlockedAssertion(said, way.body[0]))
        return {topic: self._missed[topic] for topic in topics}

    def _is_near(
        self, miss: BlockedViaHelper, later: Collection[Signature], board: SupportFinder
    ) -> bool:
        """Test whether the body of a blocked rule is nearly satisfied somewhere."""
        if miss.atom.functor == VALUE:
            # Defeats on the board may be premises of rules for a question.
            near = [each._beaten(miss.about) for each in (self, board) if miss.about is not None]
            for several in near:
                self._search.tell(several)
            return any(near)
        return (self if Signature(*miss.atom.functor) in later else board)._near(
            miss.atom.functor, self
        )

    def _beaten(self, kind: Functor) -> Sequence[clingo.Symbol]:
        """Return the defeated values of topics of a kind."""
        if kind not in self._beaten_of:
            word = kind[0]
            defeats: dict[tuple[clingo.Symbol, clingo.Symbol], list[clingo.Symbol]] = {}
            for atom in self._search.about("defeated", 3, word):
                defeats.setdefault((atom.arguments[0], atom.arguments[1]), []).append(atom)
            found = []
            for said in self._search.about("says", 3, word) if defeats else ():
                norm, topic, value = said.arguments
                if _functor(topic) == kind and (norm, topic) in defeats:
                    so = clingo.Function("is", [topic, value])
                    found += [clingo.Function("near", [so, each]) for each in defeats[norm, topic]]
            self._beaten_of[kind] = found
        return self._beaten_of[kind]

    def _near(self, helper: tuple[str, int], told: SupportFinder) -> bool:
        """Test whether one exception blocks a helper somewhere; `told` then receives where, and for
        which exception."""
        if helper not in self._nearly:
            rules = self._twins.near(helper)
            twins = [each for each in rules if self._search.may_hold(each)]
            self.lookups += bool(twins)
            ways = self._search.ways((), twins) if twins else ()
            self._nearly[helper] = [
                clingo.Function("near", [atom, way.body[0]])
                for atom, way in ways
                if not self._search.holds(atom)
            ]
        told._search.tell(self._nearly[helper])
        return bool(self._nearly[helper])


class _Search:
    """A program with the atoms of an answer set that are read, and the support rules that read
    them."""

    def __init__(self, twins: SupportRules, answer: AnswerSet) -> None:
        self._answer = answer
        self._messages = messages = list[str]()
        #: Atoms to add to the program before the next look-up.
        self._told: list[clingo.Symbol] = []
        # A predicate without atoms is not an error here. A logger that refers to this object would
        # keep the whole program until the next search for cycles.
        self._control = clingo.Control(
            ["--warn=no-atom-undefined"], logger=lambda _, text: messages.append(text)
        )
        self._given: set[_Read] = set()
        self._parts: dict[int, Rule] = {}
        self._there: dict[Signature, bool] = {}
        #: Whether a rule has atoms for its body, by its number and the kind of topic.
        self._may: dict[tuple[int, str], bool] = {}
        self._near: set[clingo.Symbol] = set()
        self._lookups = 0
        # clingo scans all results of a predicate to find the last ones, so several predicates hold
        # them.
        self._shelf = 0
        self._found = 0

    def ways(
        self, needed: Sequence[clingo.Symbol], twins: Sequence[SupportRule]
    ) -> list[tuple[clingo.Symbol, Support]]:
        """Return the supports of the needed atoms by these support rules, in clingo's order."""
        if self._found > _FEW:
            self._shelf, self._found, self._parts = self._shelf + 1, 0, {}
        self._lookups += 1
        number = clingo.Number(self._lookups)
        misses = frozenset(each.number for each in twins if isinstance(each, BlockedRule))
        try:
            self._tell_read(needed, twins)
            self._add([each for each in twins if each.number not in self._parts])
            # All at once: clingo needs time for each statement at the beginning and end of a call.
            self._told += (clingo.Function("need", [number, atom]) for atom in needed)
            add_facts(self._control, self._told)
            self._told = []
            self._control.ground(
                [(part_name(each.number, self._shelf), [number]) for each in twins]
            )
        except RuntimeError as error:
            raise EngineError("; ".join(self._messages[:3]) or str(error)) from None
        if self._messages:
            raise EngineError("; ".join(self._messages[:3]))
        every = self._control.symbolic_atoms.by_signature(f"why{self._shelf}", 6)
        found = [each.symbol.arguments for each in islice(every, self._found, None)]
        self._found += len(found)
        wanted = frozenset(needed)
        return [
            (head, self._support(rule.number, element.number, body, absent))
            for _, rule, element, head, body, absent in found
            # A head with an interval also has other values.
            if head in wanted or rule.number in misses
        ]

    def _support(
        self, number: int, part: int, body: clingo.Symbol, absent: clingo.Symbol
    ) -> Support:
        rule = self._parts[number]
        atoms, others = tuple(body.arguments), tuple(absent.arguments)
        if part:
            return Support(number, rule, atoms, (), part, instance=others)
        return Support(number, rule, atoms, others)

    def holds(self, atom: clingo.Symbol) -> bool:
        """Test whether an atom holds in the answer set."""
        return self._answer.holds(atom)

    def about(self, name: str, arity: int, word: str) -> Sequence[clingo.Symbol]:
        """Return the atoms of a predicate whose topics begin with a word."""
        return self._answer.atoms_about(name, arity, word)

    def may_give(self, twin: SupportRule, kind: str) -> bool:
        """Test whether each predicate that a rule reads for a kind of topic has atoms, of the same
        topic or of its kind."""
        key = twin.number, kind
        if key not in self._may:
            self._may[key] = self._may_give(twin, kind)
        return self._may[key]

    def _may_give(self, twin: SupportRule, kind: str) -> bool:
        head = twin.rule.heads[0]
        plain = {each.functor for each in twin.rule.atoms}
        return all(
            self.atoms((*node[:2], kind)) if kind and _is_same(node, head) else self._some(node)
            for node in twin.rule.positive
            if (node.name, node.arity) in plain
        )

    def tell(self, near: Iterable[clingo.Symbol]) -> None:
        """Add atoms that are nearly derived."""
        new = [each for each in near if each not in self._near]
        self._near.update(new)
        self._told += new

    def may_hold(self, blocked: BlockedRule) -> bool:
        """Test whether each positive predicate in the body, except the blocked one, has atoms."""
        key = blocked.number, ""
        if key not in self._may:
            # An aggregate may range over nothing.
            plain = {
                each.atom.name
                for n, each in enumerate(blocked.rule.literals)
                if n != blocked.denied and is_positive(each)
            }
            there = (self._some(node) for node in blocked.rule.positive if node.name in plain)
            self._may[key] = all(there)
        return self._may[key]

    def _some(self, node: Signature) -> bool:
        if node not in self._there:
            word, place = _word_of(node), calculus().topic_place.get(node.name, 0)
            self._there[node] = any(
                not word or _functor(atom.arguments[place]) == node.topic
                for atom in self.atoms((node.name, node.arity, word))
            )
        return self._there[node]

    def atoms(self, read: _Read) -> Sequence[clingo.Symbol]:
        """Return the atoms of the answer set that a support rule reads."""
        name, arity, word = read
        return self._answer.atoms_about(*read) if word else self._answer.own_atoms(name, arity)

    def _tell_read(self, needed: Sequence[clingo.Symbol], twins: Sequence[SupportRule]) -> None:
        """Add all atoms that the support rules read; for topics, those of the read kind."""
        words: dict[str, set[str]] = {}
        for atom in needed:
            if (place := calculus().key_place.get(atom.name)) is not None:
                words.setdefault(atom.name, set()).add(functor_name(atom.arguments[place]))
        read: set[_Read] = set()
        for twin in twins:
            head = twin.rule.heads[0]
            for node in twin.reads:
                is_same = _is_same(node, head) and not isinstance(twin, BlockedRule)
                heads = words.get(head.name) if is_same else None
                read |= {(node.name, node.arity, each) for each in heads or (_word_of(node),)}
        new = read - self._given
        self._given |= read
        wanted = (each for each in sorted(new) if not each[2] or (*each[:2], "") not in self._given)
        self._told += chain.from_iterable(map(self.atoms, wanted))

    def _add(self, new: Sequence[SupportRule]) -> None:
        """Add support rules; all atoms that they read are present."""
        with ast.ProgramBuilder(self._control) as builder:
            for twin in new:
                self._parts[twin.number] = twin.rule
                for statement in twin.program_part(self._shelf):
                    builder.add(statement)


def _kind_of(atom: clingo.Symbol) -> _Read:
    """Return the reads that cover all atoms of a kind."""
    name, arguments = atom.name, atom.arguments
    place = calculus().key_place.get(name)
    word = "" if place is None else functor_name(arguments[place])
    return name, len(arguments), word


def _word_of(node: Signature) -> str:
    """Return the first word of the topics that a predicate is read for; empty for any."""
    told = node.topic is not None and node.topic[0][:1].islower()
    return node.topic[0] if node.topic is not None and told else ""


def _is_same(node: Signature, head: Signature) -> bool:
    """Test whether a rule reads the same topic that its head is about, as the calculus does."""
    return node.topic is not None and node.topic == head.topic and not _word_of(node)


def _functor(symbol: clingo.Symbol) -> Functor | None:
    is_form = symbol.type == clingo.SymbolType.Function
    return (symbol.name, len(symbol.arguments)) if is_form else None
