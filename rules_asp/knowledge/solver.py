"""The interface to clingo: grounding, answer sets, and the priorities of conflicting norms.

The rules find a conflict and the consequences of an order; this module enumerates the orders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from threading import Lock
from types import MappingProxyType, SimpleNamespace
from typing import Protocol, TypeVar

import clingo
from clingo import ast

from rules_asp import RulesAspError
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import TriggerKey, functor_name, keys_of
from rules_asp.knowledge.reader import parse_statements

# --- Conflicting norms: each order is tried, and a result holds if it holds in all orders.


#: Two norms; the first is assumed to win.
ConflictingPair = tuple[clingo.Symbol, clingo.Symbol]
PriorityOrder = tuple[ConflictingPair, ...]
#: Maximum number of ordered pairs. With more conflicts, the results that depend on them stay open.
MAX_ORDERS = 5


class PerPriorityResult(Protocol):
    """The part of an answer set that is read here."""

    def get(self, name: str, arity: int, /) -> Iterable[tuple[clingo.Symbol, ...]]:
        """Return the argument tuples of one predicate."""


_Answer = TypeVar("_Answer", bound=PerPriorityResult)


def clashing_pairs(answer: PerPriorityResult) -> frozenset[ConflictingPair]:
    """Return the pairs of conflicting norms in an answer set, the smaller first, without pairs of
    equal norms."""
    return frozenset((one, two) for _, one, two in answer.get("conflict", 3) if one != two)


def priority_facts(order: PriorityOrder) -> tuple[clingo.Symbol, ...]:
    """Return the assumed order of conflicting norms as facts."""
    return tuple(fact for pair in order for fact in _winner_facts(*pair))


def _winner_facts(first: clingo.Symbol, last: clingo.Symbol) -> Iterator[clingo.Symbol]:
    yield clingo.Function("assumed_winner", [first, last])
    clash = clingo.Function("clash", sorted((first, last)))
    yield clingo.Function("abduced", [clash, first])


def solve_each_priority(under: Callable[[PriorityOrder], Sequence[_Answer]]) -> list[_Answer]:
    """Return the answer sets under each order of conflicting norms; `under` solves one order.

    Norms that conflict only under some orders of others are ordered within these.
    """
    found: list[_Answer] = []
    todo: list[PriorityOrder] = [()]
    while todo:
        order = todo.pop(0)
        answers = under(order)
        known = {frozenset(pair) for pair in order}
        clashes = {pair for each in answers for pair in clashing_pairs(each)}
        new = sorted(pair for pair in clashes if frozenset(pair) not in known)
        norms = {norm for pair in (*order, *new) for norm in pair}
        wins = {pair for each in answers for pair in each.get("wins", 2) if norms.issuperset(pair)}
        choices = list(_orders(new[: MAX_ORDERS - len(order)], order, wins))
        if choices:
            todo += choices
        else:
            found += answers
    return found


def _orders(
    pairs: Sequence[ConflictingPair],
    before: PriorityOrder,
    wins: Collection[tuple[clingo.Symbol, ...]],
) -> Iterator[PriorityOrder]:
    """Yield all acyclic orders of these pairs that extend the given ones.

    `wins` are pairs whose first norm wins over the second on every topic.
    """
    if not pairs:
        return
    for chosen in product(*((pair, pair[::-1]) for pair in pairs)):
        order = (*before, *chosen)
        if not _goes_round((*order, *wins)):
            yield order


def _goes_round(order: Iterable[tuple[clingo.Symbol, ...]]) -> bool:
    """Test whether the pairs have a cycle."""
    left = set(order)
    while left:
        last = {two for _, two in left}
        kept = {pair for pair in left if pair[0] in last}
        if kept == left:
            return True
        left = kept
    return False


# --- Programs in clingo: grounding, answer sets, and their atoms.


class EngineError(RulesAspError):
    """clingo rejected a program or reported something about it; the text has its messages."""


@dataclass(frozen=True)
class AnswerSet:
    """One answer set with all its atoms.

    `control` is its program, if there is one: clingo finds the atoms of a predicate much faster
    than Python in all symbols. `base` is an answer set that this one extends. `static_case` is the
    number of the static answer set of the board for which the question was asked.
    """

    symbols: Sequence[clingo.Symbol]
    control: clingo.Control | None = None
    base: AnswerSet | None = None
    static_case: int = 0

    @cached_property
    def all_atoms(self) -> Sequence[clingo.Symbol]:
        """All atoms of its program."""
        return self.symbols

    @cached_property
    def _true(self) -> frozenset[clingo.Symbol]:
        return frozenset(self.symbols)

    def holds(self, symbol: clingo.Symbol) -> bool:
        """Whether an atom is true here."""
        if self.base is not None and self.base.holds(symbol):
            return True
        if self.control is not None:
            atom = self.control.symbolic_atoms[symbol]
            return atom is not None and (atom.is_fact or symbol in self._true)
        return symbol in self._true

    def atoms(self, name: str, arity: int) -> Sequence[clingo.Symbol]:
        """The atoms of one predicate."""
        own = self.own_atoms(name, arity)
        if self.base is None:
            return own
        return list(dict.fromkeys([*self.base.atoms(name, arity), *own]))

    def own_atoms(self, name: str, arity: int) -> Sequence[clingo.Symbol]:
        """Return the atoms of one predicate in its own program, without `base`."""
        found = self._found.get((name, arity))
        if found is None:
            found = self._found[name, arity] = self._of(name, arity)
        return found

    @cached_property
    def _found(self) -> dict[tuple[str, int], list[clingo.Symbol]]:
        """A cache of atoms by predicate: clingo is asked for each atom separately."""
        return {}

    def own_atoms_by_first(
        self, name: str, arity: int
    ) -> Mapping[clingo.Symbol, Sequence[clingo.Symbol]]:
        """Return these atoms by their first argument."""
        found = self._by_first.get((name, arity))
        if found is None:
            found = self._by_first[name, arity] = {}
            for atom in self.own_atoms(name, arity):
                found.setdefault(atom.arguments[0], []).append(atom)
        return found

    @cached_property
    def _by_first(self) -> dict[tuple[str, int], dict[clingo.Symbol, list[clingo.Symbol]]]:
        """A cache of atoms by predicate and first argument."""
        return {}

    def _of(self, name: str, arity: int) -> list[clingo.Symbol]:
        if self.control is not None:
            atoms = self.control.symbolic_atoms
            found = atoms.by_signature(name, arity)
            if len(atoms) == len(self.symbols):
                return [each.symbol for each in found]
            # Nearly all are facts, so the set of all true atoms is seldom needed.
            return [each.symbol for each in found if each.is_fact or each.symbol in self._true]
        named = (symbol for symbol in self.symbols if symbol.name == name)
        return [symbol for symbol in named if len(symbol.arguments) == arity]

    def atoms_about(self, name: str, arity: int, topic: str) -> Sequence[clingo.Symbol]:
        """Return the atoms of a predicate whose topic begins with this word."""
        sorted_ = self._sorted.get((name, arity))
        if sorted_ is None:
            sorted_ = self._sorted[name, arity] = {}
            place = calculus().key_place[name]
            for atom in self.own_atoms(name, arity):
                sorted_.setdefault(functor_name(atom.arguments[place]), []).append(atom)
        return sorted_.get(topic, [])

    @cached_property
    def _sorted(self) -> dict[tuple[str, int], dict[str, list[clingo.Symbol]]]:
        """A cache of atoms by predicate and first word of the topic."""
        return {}

    def atoms_of(self, name: str, arity: int, topic: clingo.Symbol) -> Sequence[clingo.Symbol]:
        """Return the atoms of a predicate about this topic, in order."""
        kind = name, arity, topic.name
        if kind not in self._by_topic:
            found = self._by_topic[kind] = {}
            place = calculus().key_place[name]
            for atom in sorted(self.atoms_about(*kind)):
                found.setdefault(atom.arguments[place], []).append(atom)
        return self._by_topic[kind].get(topic, ())

    @cached_property
    def _by_topic(self) -> dict[tuple[str, int, str], dict[clingo.Symbol, list[clingo.Symbol]]]:
        """A cache of atoms by predicate, first word of the topic, and topic."""
        return {}

    def written(self, name: str, arity: int, topic: str | None) -> Sequence[str] | None:
        """Return the atoms of one predicate as text, of a topic if given; None if they are not
        text."""
        return None

    @cached_property
    def values(self) -> Mapping[clingo.Symbol, clingo.Symbol]:
        """The value of every topic that has one; for a sum, the total."""
        found: dict[clingo.Symbol, clingo.Symbol] = {}
        for name in ("is", "total"):
            for topic, value in self.get(name, 2):
                found[topic] = value
        return found

    def values_of(self, word: str) -> Mapping[clingo.Symbol, clingo.Symbol]:
        """The value of every topic that begins with this word and has one."""
        return self._values_by_word.get(word, {})

    @cached_property
    def _values_by_word(self) -> dict[str, dict[clingo.Symbol, clingo.Symbol]]:
        """A cache of values by the first word of the topic."""
        found: dict[str, dict[clingo.Symbol, clingo.Symbol]] = {}
        for topic, value in self.values.items():
            found.setdefault(topic.name, {})[topic] = value
        return found

    def get(self, name: str, arity: int) -> list[tuple[clingo.Symbol, ...]]:
        """The argument tuples of one predicate."""
        found = self._arguments.get((name, arity))
        if found is None:
            found = [tuple(symbol.arguments) for symbol in self.atoms(name, arity)]
            self._arguments[name, arity] = found
        return found

    @cached_property
    def _arguments(self) -> dict[tuple[str, int], list[tuple[clingo.Symbol, ...]]]:
        """A cache of argument tuples by predicate."""
        return {}


_READING = Lock()


@dataclass(frozen=True)
class ProgramText:
    """Program text for repeated use: clingo parses it at most twice.

    Parsing for reuse costs twice as much as running a text once, the usual case.
    """

    text: str

    def give(self, control: clingo.Control) -> None:
        """Add the rules to a program before grounding. RuntimeError for a syntax error."""
        if "_given" in vars(self):
            # clingo's reference counts of parsed statements are not thread-safe.
            with _READING, ast.ProgramBuilder(control) as builder:
                for statement in self.statements:
                    builder.add(statement)
        else:
            # The frozen fields are the content; the number of uses is not part of it.
            vars(self)["_given"] = True
            control.add("base", [], self.text)

    @cached_property
    def statements(self) -> Sequence[ast.AST]:
        """The parsed statements. RuntimeError, after a message to stderr, for a syntax error."""
        return parse_statements(self.text)


def solve(
    *texts: str | ProgramText,
    facts: Iterable[clingo.Symbol] = (),
    open_: Iterable[clingo.Symbol] = (),
    limit: int = 0,
    parts: bool = False,
) -> list[AnswerSet]:
    """Return all answer sets (at most `limit`, 0 is all) of a program; EngineError on any message
    of clingo.

    `parts`: the text has parts of rules, without the literals that keep names out of arithmetic.
    """
    arguments = [f"--models={limit}"]
    control = ground(*texts, facts=facts, open_=open_, arguments=arguments, parts=parts)
    with control.solve(yield_=True) as handle:
        return [AnswerSet(model.symbols(atoms=True), control) for model in handle]


def solve_flipped(
    text: str | ProgramText,
    facts: Iterable[clingo.Symbol],
    optional: Mapping[clingo.Symbol, bool],
) -> dict[clingo.Symbol, list[AnswerSet]]:
    """Return, for each of these facts, the answer sets with it alone flipped; grounded once for
    all.

    `optional` pairs each fact with whether it holds while another one is flipped.
    """
    control = ground(text, facts=facts, free=optional, arguments=["--models=0"])
    found = {}
    for flipped in optional:
        assumed = [(fact, holds != (fact == flipped)) for fact, holds in optional.items()]
        with control.solve(yield_=True, assumptions=assumed) as handle:
            found[flipped] = [AnswerSet(m.symbols(atoms=True), control) for m in handle]
    return found


def static_answer_sets(
    static: Callable[[frozenset[TriggerKey]], ProgramText],
    facts: Iterable[clingo.Symbol],
    given: frozenset[TriggerKey],
    open_: Sequence[clingo.Symbol] = (),
) -> tuple[AnswerSet, ...]:
    """Return the static answer sets of a board, each with its number: all cases of its open facts.

    `given` are the trigger keys of the facts, `static` the rules of the layer for them. Each order
    of conflicting norms is a case of its own.
    """
    told = tuple(facts)

    def under(order: PriorityOrder) -> list[AnswerSet]:
        first = priority_facts(order)
        return solve(static(given | keys_of(first)), facts=(*told, *first), open_=open_)

    solved = solve_each_priority(under)
    return tuple(replace(answer, static_case=case) for case, answer in enumerate(solved))


def ground(
    *texts: str | ProgramText,
    facts: Iterable[clingo.Symbol] = (),
    open_: Iterable[clingo.Symbol] = (),
    arguments: Sequence[str] = (),
    parts: bool = False,
    free: Iterable[clingo.Symbol] = (),
    tables: Mapping[str, Sequence[clingo.Symbol]] = MappingProxyType({}),
) -> clingo.Control:
    """Ground a program; EngineError on any message of clingo. Each fact of `open_` may hold or not.

    `tables` are further facts: by predicate the arguments of each, as tuples of at least two. They
    take half the time of `facts`.

    Facts in `free` can be assumed or not when the program is solved; no rule can read this.

    clingo only informs about an undefined operation (1/0, arithmetic on a name) and then drops the
    rule instance. The answer would lack a rule instance, so every message is an error, except this
    one in `parts`.
    """
    messages: list[str] = []

    def log(code: clingo.MessageCode, text: str) -> None:
        if not (parts and code == clingo.MessageCode.OperationUndefined):
            messages.append(text)

    control = clingo.Control(list(arguments), logger=log, message_limit=100)
    try:
        for text in texts:
            if isinstance(text, str):
                control.add("base", [], text)
            else:
                text.give(control)
        add_facts(control, facts)
        control.add("base", [], _choices(open_, free))
        control.add("base", [], "\n".join(map(_from_table, tables, tables.values())))
        told = {name: partial(tuple, rows) for name, rows in tables.items()}
        control.ground([("base", [])], context=SimpleNamespace(**told))
    except RuntimeError as error:
        raise EngineError("; ".join(messages[:3]) or str(error)) from None
    if messages:
        raise EngineError("; ".join(messages[:3]))
    return control


def add_facts(control: clingo.Control, facts: Iterable[clingo.Symbol]) -> None:
    """Add facts before grounding, as symbols, which takes half the time of text."""
    with control.backend() as backend:
        for fact in facts:
            backend.add_rule([backend.add_atom(fact)])


def _from_table(name: str, rows: Sequence[clingo.Symbol]) -> str:
    """Return a rule that makes a fact from each row of a table."""
    arguments = ",".join(f"X{place}" for place in range(len(rows[0].arguments)))
    return f"{name}({arguments}) :- ({arguments}) = @{name}."


def _choices(open_: Iterable[clingo.Symbol], free: Iterable[clingo.Symbol]) -> str:
    """Return rules that let each fact hold or not; `abduced` says which of the facts of `open_` hold.

    These rules are text. If a backend adds a choice before grounding, clingo 5.8 loses instances of
    rules that read a sum over what the choice decides.
    """
    told = (
        f"{{{fact}}}. abduced({fact},yes) :- {fact}. abduced({fact},no) :- not {fact}."
        for fact in open_
    )
    return "\n".join([*told, *(f"{{{fact}}}." for fact in free)])
