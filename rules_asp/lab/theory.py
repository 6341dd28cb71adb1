"""The theory that a tableau searches: clauses of the rules, consequences of the calculus, axioms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, product
from typing import NamedTuple, TypeAlias

from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import calculus, calculus_texts
from rules_asp.knowledge.program import Program, declared_signatures
from rules_asp.knowledge.reader import kb_folder, read_rules
from rules_asp.knowledge.rules import (
    CALCULUS,
    SIGHT,
    SIGHT_PLACE,
    WRITTEN_ONCE,
    Functor,
    Rule,
    declared_facts,
    signature_of_term,
)
from rules_asp.knowledge.terms import (
    NODES,
    Const,
    Fun,
    Literal,
    Term,
    Var,
    is_ground,
    substitute,
    variables,
    walk,
)
from rules_asp.lab.clauses import (
    ADDED,
    AGGREGATE,
    EACH,
    UNKNOWN,
    Bindings,
    BodyLiteral,
    Clause,
    Compares,
    Computes,
    Denial,
    Denied,
    Holds,
    clause_of,
    denial_of,
    filled,
    filled_term,
    reads_of,
    renamed,
    resolved,
    unify,
)
from rules_asp.lab.generalization import PATTERN, generalizations, is_general
from rules_asp.queries.claims import NUMBERS
from rules_asp.runtime import cache

# --- Knowledge about the rules.


class Axiom(NamedTuple):
    """Atoms of a predicate with the same terms in `keys` have the same terms in `values`.

    One without a name follows from the facts of the rules.
    """

    name: str
    keys: tuple[int, ...]
    values: tuple[int, ...]


Key: TypeAlias = tuple[str, int, Functor | None]
_ONE_VALUE = "an aggregate has one value"
#: The predicate that a norm is defeated on a subject; for LOS it is left free.
DEFEATED = "is_defeated"
#: The predicate that a topic is unknown; it is unrolled only for topics that norms give a value.
UNCERTAIN = "is_unknown"
#: The predicate that a topic has a value or is unknown, and levels at which unrolling has ended.
ANSWERED = "answered"
_UNROLLED = 1000
#: The predicate that a norm takes precedence over another.
WINS = "wins"
_SIGHTS = (SIGHT, SIGHT_PLACE)
#: The heads of norms that make a topic a sum.
_ADDING = ("adds", "adds_value")
#: The heads that give a topic a value. Another norm may contradict the value.
GIVING = ("says", "takes", "offers", "offers_value")
#: The heads that give a topic a value or leave it open.
ANSWERING = (*GIVING, "silent")


@dataclass(frozen=True)
class Theory:
    """The clauses by predicate (and topic) of their heads, and the axioms.

    clauses: an atom that holds is the head of a clause whose body holds, except for the `open`
    predicates: those of boards and questions, and those at which unrolling ends. denials: if the
    body of such a clause holds, its head does. facts: atoms that hold on every board.
    """

    clauses: Mapping[Key, Sequence[Clause]]
    denials: Mapping[Key, Sequence[Denial]]
    open: frozenset[tuple[str, int]]
    axioms: Mapping[tuple[str, int], Sequence[Axiom]]
    facts: frozenset[Fun]
    #: The kinds of the arguments of board and question inputs.
    kinds: Mapping[tuple[str, int], Sequence[str]]
    #: The texts that determine the clauses; the patterns are cached for them.
    sources: tuple[bytes, ...]

    @cached_property
    def known(self) -> frozenset[tuple[str, int]]:
        """The predicates of the facts."""
        return frozenset(each.functor for each in self.facts)

    def clauses_for(self, atom: Fun) -> Sequence[Clause] | None:
        """Return the clauses that may derive an atom; None if there may be others."""
        if atom.functor in self.open or atom.name.startswith(AGGREGATE) or topic_is_unknown(atom):
            return None
        key = key_of(atom)
        if atom.name == DEFEATED and (key[1] or key[2] in _SIGHTS):
            return None
        if atom.name == UNCERTAIN and key not in self.clauses:
            return None
        return self.clauses.get(key, ())

    @cached_property
    def patterns(self) -> Mapping[Key, Fun]:
        """The patterns that all atoms of a key match, where they say more than the predicate."""
        sources = (*self.sources, *cache.source_fingerprint("lab", "knowledge"))
        return cache.memoize_on_disk("patterns", sources, self._generalized, dict, NODES)

    def _generalized(self) -> dict[Key, Fun]:
        given: dict[Key, Fun] = {
            (name, arity, None): Fun(name, tuple(map(_shape, kinds, count())))
            for (name, arity), kinds in self.kinds.items()
        }
        found = generalizations(self.clauses, self._pattern_key, given)
        return {key: each for key, each in found.items() if not is_general(each)}

    def pattern_for(self, atom: Fun) -> Fun | None:
        """Return the pattern that an atom matches if it holds; None if nothing is known."""
        key = self._pattern_key(atom)
        return None if key is None else self.patterns.get(key)

    def _pattern_key(self, atom: Fun) -> Key | None:
        if self.clauses_for(atom) is not None:
            return key_of(atom)
        return (*atom.functor, None) if atom.functor in self.kinds else None

    def text_of(self, key: Key) -> str:
        """Return the clauses and the pattern of a key as text."""
        return repr((self.clauses.get(key, ()), self.denials.get(key, ()), self.patterns.get(key)))

    def axioms_for(self, functor: tuple[str, int]) -> Sequence[Axiom]:
        """Return the axioms of a predicate. An aggregate has one value."""
        name, arity = functor
        if name.startswith(AGGREGATE):
            return (Axiom(_ONE_VALUE, tuple(range(arity - 1)), (arity - 1,)),)
        return self.axioms.get(functor, ())

    def denials_for(self, atom: Fun) -> Sequence[Denial]:
        """Return the clauses that would derive a negated atom."""
        return self.denials_under(key_of(atom))

    def denials_under(self, key: Key) -> Sequence[Denial]:
        """Return the same for the atoms of a key; none if its topic is not determined."""
        return () if _is_unknown(key[2]) else self.denials.get(key, ())


#: The prover derives an atom of a body by at most this many rules in a row.
DERIVED = 2


def _with_reads(denials: Mapping[Key, Sequence[Denial]]) -> dict[Key, Sequence[Denial]]:
    """Return each clause with the parts that it reads, directly or by `DERIVED` helper predicates."""
    below: dict[Functor, set[Functor]] = {}
    for (*_, topic), found in denials.items():
        for each in found if topic is None else ():
            below.setdefault(each.head.functor, set()).update(reads_of(each.body))
    deep = {part: {part} for part in below}
    for _ in range(DERIVED):
        deep = {
            part: own.union(*(below.get(each, ()) for each in own)) for part, own in deep.items()
        }

    def read(each: Denial) -> frozenset[Functor]:
        own = set(reads_of(each.body))
        return frozenset(own.union(*(deep.get(part, ()) for part in own)))

    return {
        key: tuple(each._replace(reads=read(each)) for each in found)
        for key, found in denials.items()
    }


#: The kind whose terms have two hexes in order.
HEXSIDE = "hexside"


def _shape(kind: str, place: int) -> Term:
    """Return the form of the terms of a kind. place: of the argument, for the names of variables."""
    number = count()

    def variable(name: str) -> Var:
        return Var(f"{name}{PATTERN}{place}{PATTERN}{next(number)}")

    def hex_() -> Term:
        return Fun("", (variable("Column"), variable("Row")))

    if kind == "hex":
        return hex_()
    if kind == "location":
        return Fun("l", (variable("Spot"), variable("Floor")))
    return Fun("e", (hex_(), hex_())) if kind == HEXSIDE else variable("Any")


def key_of(atom: Fun) -> Key:
    """Return the key under which the clauses of an atom are stored."""
    node = signature_of_term(atom)
    # For a defeated norm, the norm is more selective than the subject.
    if node.name == DEFEATED and isinstance(atom.args[0], Const):
        return str(atom.args[0].value), 0, node.topic
    if node.name == WINS and isinstance(atom.args[0], Const):
        return f"{WINS} {atom.args[0].value}", 0, None
    return node.name, node.arity, node.topic


def topic_is_unknown(atom: Fun) -> bool:
    """Test whether the topic of an atom is not determined: a variable, or any."""
    return _is_unknown(signature_of_term(atom).topic)


def _is_unknown(topic: Functor | None) -> bool:
    return topic is not None and (topic[0][:1].isupper() or UNKNOWN in topic[0])


# --- The rules of a program as a theory.


_VALUE = Var(f"Value{ADDED}")
#: The atom of a board that the lab does not search: it violates a norm, or no map shows it.
INVALID = Fun("invalid_board")
#: The atoms of statements that are false in every answer set: ground and sentence of the axiom.
IMPOSSIBLE = "impossible"
NOTHING_IMPOSSIBLE = Fun(IMPOSSIBLE, (Var(f"{EACH}Ground"), Var(f"{EACH}Why")))


@dataclass(frozen=True)
class Encoding:
    """A knowledge base as a theory. without: rulings switched off. more: further rules.

    answers: include clauses of `ANSWERED`.
    """

    program: Program
    without: tuple[str, ...] = ()
    more: tuple[Rule, ...] = ()
    answers: bool = False

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules with a head, without the calculus and the query patterns."""
        rules = (*self.program.source.rules, *self.more)
        return tuple(rule for rule in rules if rule.head and rule.file not in WRITTEN_ONCE)

    @cached_property
    def speaking(self) -> Mapping[tuple[str, Functor], tuple[Clause, ...]]:
        """The clauses of assertions of norms, by name of the head and kind of topic."""
        found: dict[tuple[str, Functor], list[Clause]] = {}
        for clause in self._clauses:
            node = key_of(clause.head)
            if clause.head.name in calculus().heads and node[2]:
                found.setdefault((clause.head.name, node[2]), []).append(clause)
        return {key: tuple(each) for key, each in found.items()}

    @cached_property
    def _clauses(self) -> tuple[Clause, ...]:
        """The rules; a rule about a variable topic is repeated for each kind of topic."""
        heads = [rule.head for rule in self.rules if rule.head]
        topics = [_topic_of(head) for head in heads]
        kinds = dict.fromkeys(each.functor for each in topics if isinstance(each, Fun))
        found = []
        for rule, head, topic in zip(self.rules, heads, topics, strict=True):
            for about in map(_general, kinds) if isinstance(topic, Var) else (topic,):
                values = {topic.name: about} if isinstance(topic, Var) and about else {}
                said, literals = substitute((head, rule.literals), values)
                found.append(clause_of(said, literals, rule.text))
        return tuple(found)

    @cached_property
    def _defeats_unnamed(self) -> bool:
        """True if a rule may defeat norms that its head does not name, or yields conditionally."""
        places = calculus().norm_places
        for rule in self.rules:
            name = rule.head.name if rule.head else ""
            named = 2 if name == "amends" else 1 + max(places.get(name, (-1,)))
            if len(rule.ids) < named or (name == "yields" and rule.literals):
                return True
        return False

    @cached_property
    def wins(self) -> Mapping[tuple[str, str], tuple[tuple[Literal, ...], ...]]:
        """Which norm wins over which, with the alternative conditions: none if it always wins."""
        ways: dict[tuple[str, str], set[frozenset[Literal]]] = {}
        norms = self.program.norms.values()
        for number, rule in enumerate(self.rules):
            name, ids = rule.head.name if rule.head else "", rule.ids
            pairs: Iterable[tuple[str, ...]] = ()
            if name == "overrides" and len(ids) == 2:
                pairs = [(ids[0], ids[1])]
            elif name == "ruling" and len(ids) == 3 and ids[0] not in self.without:
                pairs = [(ids[1], ids[2])]
            elif name == "amends" and len(ids) == 2:
                pairs = product(*([n.id for n in norms if each in n.families] for each in ids))
            apart = {each: Var(f"{each}{ADDED}{number}") for each in variables(*rule.literals)}
            for pair in pairs:
                way = frozenset(substitute(rule.literals, apart))
                ways.setdefault((pair[0], pair[1]), set()).add(way)
        return {
            pair: tuple(tuple(sorted(each, key=str)) for each in sorted(found, key=str))
            for pair, found in _closed(ways).items()
        }

    @cached_property
    def theory(self) -> Theory:
        """The clauses and axioms."""
        clauses: dict[Key, list[Clause]] = {}
        denials: dict[Key, list[Clause]] = {}
        for clause in self._clauses:
            clauses.setdefault(key_of(clause.head), []).append(clause)
            denials.setdefault(key_of(clause.head), []).append(clause)
        for clause in (*self._values(), *self._sights()):
            clauses.setdefault(key_of(clause.head), []).append(clause)
        for key, why in self._unknowns():
            clauses.setdefault(key, []).extend(why)
        for clause in self._certain_values():
            denials.setdefault(key_of(clause.head), []).append(clause)
        for clause in (*self._defeats(), *self._sums()):
            clauses.setdefault(key_of(clause.head), []).append(clause)
            denials.setdefault(key_of(clause.head), []).append(clause)
        for ruling in self.without:
            off = Clause(Fun("without", (Const(ruling),)), (), "")
            clauses.setdefault(key_of(off.head), []).append(off)
            denials.setdefault(key_of(off.head), []).append(off)
        if self.answers:
            for clause in self._answers():
                clauses.setdefault(key_of(clause.head), []).append(clause)
            for clause in self._certain_answers():
                denials.setdefault(key_of(clause.head), []).append(clause)
        for clause in (*self._invalid(), *impossible(), *self._precedences()):
            denials.setdefault(key_of(clause.head), []).append(clause)
        against = _with_reads(
            {key: tuple(filter(None, map(denial_of, found))) for key, found in denials.items()}
        )
        facts = frozenset(c.head for c in self._clauses if not c.body and is_ground(c.head))
        kinds = {
            (each.name, len(each.arguments)): tuple(map(str, each.arguments))
            for _, (each, *_) in declared_facts(self.program.source.rules, "input", "measured")
        }
        free = self._open()
        functional = {
            **{name: each for name, each in _functional(clauses).items() if name not in free},
            **dict(self._axioms()),
        }
        return Theory(clauses, against, free, functional, facts, kinds, tuple(self._sources()))

    def _sources(self) -> Iterator[bytes]:
        """Yield the texts that determine the clauses."""
        for rule in (*self.program.source.rules, *self.more):
            yield f"{rule.file} {rule.text}".encode()
        yield repr((calculus_texts(), self.without, self.answers)).encode()

    def _precedences(self) -> Iterator[Clause]:
        """Yield the clauses by which a norm about LOS takes precedence over another."""
        about_sight = {
            str(clause.head.args[0].value)
            for (_, topic), said in self.speaking.items()
            for clause in said
            if topic == SIGHT and isinstance(clause.head.args[0], Const)
        }
        for (winner, loser), ways in self.wins.items():
            if {winner, loser} <= about_sight:
                for way in ways:
                    yield clause_of(Fun(WINS, (Const(winner), Const(loser))), way, "")

    def _invalid(self) -> Iterator[Clause]:
        """Yield clauses for boards outside the lab: they violate a norm, or no map shows them."""
        texts = ("lab/valid_boards.lp", "no_violations.lp")
        for name in texts:
            text = (kb_folder() / name).read_text(encoding="utf-8")
            for rule in read_rules(text, name)[0]:
                if not rule.heads:
                    yield clause_of(INVALID, rule.literals, rule.text)

    def _sums(self) -> Iterator[Clause]:
        """Yield the clauses of the calculus that make a topic a sum: a norm adds something."""
        for (head, _), said in self.speaking.items():
            if head in _ADDING:
                for clause in said:
                    yield Clause(Fun("is_sum", clause.head.args[1:2]), clause.body, clause.rule)

    def _sights(self) -> Iterator[Clause]:
        """Yield the clauses of the calculus about blocked LOS."""
        for rule in self.program.source.rules:
            head = rule.head
            if head and rule.file == CALCULUS and head.name in ("sees", "stopped"):
                yield clause_of(head, rule.literals, rule.text, 0)

    def _open(self) -> frozenset[tuple[str, int]]:
        """The inputs of boards and questions, and the predicates of the calculus left free."""
        source = self.program.source
        found = {
            (node.name, node.arity)
            for declaration in ("input", "setting", "measured")
            for node in declared_signatures(source, declaration)
        } - {("without", 1)}
        derived = {clause.head.functor for clause in self._clauses}
        encoded = {("is", 2), ("value", 2), ("has_value", 1), ("undefeated_value", 3)}
        encoded |= {(ANSWERED, 1), (UNCERTAIN, 1), (DEFEATED, 2), ("without", 1), ("is_sum", 1)}
        encoded |= {("sees", 1), ("stopped", 1), ("stopped", 3)}
        for rule in (*source.rules, *self.more):
            heads = {(node.name, node.arity) for node in rule.heads}
            # Atoms of choices, and of rules that are written once, are free, even if other rules
            # derive such atoms, too.
            if rule.head is None:
                found |= heads
            elif rule.file in WRITTEN_ONCE:
                found |= heads - encoded
            found |= {(node.name, node.arity) for node in rule.body} - encoded - derived
        if self._defeats_unnamed:
            found.add((DEFEATED, 2))
        return frozenset(found)

    def _axioms(self) -> Iterator[tuple[tuple[str, int], tuple[Axiom, ...]]]:
        found: dict[tuple[str, int], list[Axiom]] = {}
        for each in axioms(self.program):
            found.setdefault((each.name, each.arity), []).append(each.axiom)
        yield from ((name, tuple(each)) for name, each in found.items())

    def _values(self) -> Iterator[Clause]:
        """Yield consequences of the calculus for assertions of norms: kb/CALCULUS.md derives each."""
        topics: dict[Functor, None] = {}
        for (head, topic), said in self.speaking.items():
            for clause in said:
                found = self._value(head, topic, clause)
                if found is not None:
                    topics[topic] = None
                    yield from found
        for name, arity in topics:
            about = _general((name, arity))
            has, value = Fun("value", (about, _VALUE)), Fun("is", (about, _VALUE))
            yield Clause(has, (Holds(value),), "", 0)
            if any((head, (name, arity)) in self.speaking for head in _ADDING):
                yield Clause(has, (Holds(Fun("total", (about, _VALUE))),), "", 0)
            yield Clause(Fun("has_value", (about,)), (Holds(has),), "", 0)

    def _value(self, head: str, topic: Functor, clause: Clause) -> list[Clause] | None:
        args = clause.head.args
        if head == "could_be":
            return [Clause(Fun("is", args), clause.body, clause.rule)]
        if head in ("says", "offers"):
            norm, about, value, body = args[0], args[1], args[2], clause.body
        elif head in ("takes", "offers_value"):
            norm, about, value = args[0], args[1], _VALUE
            body = (*clause.body, Holds(Fun("value", (args[2], _VALUE))))
        elif head in _ADDING:
            return []
        else:
            return None
        stands: tuple[BodyLiteral, ...] = (Denied(Fun(DEFEATED, (norm, about))),)
        known = Denied(Fun(UNCERTAIN, (about,)))
        return [
            Clause(Fun("is", (about, value)), (*body, *stands, known), clause.rule),
            Clause(Fun("undefeated_value", (norm, about, value)), (*body, *stands), clause.rule),
        ]

    def _unknowns(self) -> Iterator[tuple[Key, list[Clause]]]:
        """Yield the clauses that make a topic unknown or a conflict, for each topic with values."""
        for topic, heads in self._valued.items():
            about = _general(topic)
            found = [
                each
                for head, said in heads.items()
                for clause in said
                if (each := _unknown_by(head, clause)) is not None
            ]
            if _may_clash(heads):
                body = [
                    Holds(Fun("undefeated_value", (Var(f"Norm{n}"), about, Var(f"Value{n}"))))
                    for n in range(2)
                ]
                differ = Compares("!=", Var("Value0"), Var("Value1"))
                found.append(Clause(Fun(UNCERTAIN, (about,)), (*body, differ), ""))
            yield key_of(Fun(UNCERTAIN, (about,))), found
            unsettled = [each._replace(head=_unsettled(each.head.args[0])) for each in found]
            yield key_of(_unsettled(about)), unsettled

    def _certain_values(self) -> Iterator[Clause]:
        """Yield clauses by which a topic certainly has a value.

        An undefeated norm gives it, the topic is known, and no norms conflict on it: the norm could
        be the assumed loser.
        """
        for topic, heads in self._valued.items():
            clash = _may_clash(heads)
            for head in ("says", "takes"):
                for clause in heads.get(head, ()):
                    for found in self._value(head, topic, clause) or ():
                        if found.head.name == "is":
                            settled = Denied(_unsettled(clause.head.args[1]))
                            body = (*found.body[:-1], settled) if clash else found.body
                            yield Clause(found.head, body, found.rule)
            if heads.keys().isdisjoint(_ADDING):
                about = _general(topic)
                value = Fun("value", (about, _VALUE))
                yield Clause(value, (Holds(Fun("is", (about, _VALUE))),), "")
                yield Clause(Fun("has_value", (about,)), (Holds(value),), "")

    def _answers(self) -> Iterator[Clause]:
        """Yield the clauses of `ANSWERED`. The prover does not unroll their bodies."""
        for about in map(_general, self._valued):
            for each in (Fun("is", (about, _VALUE)), Fun(UNCERTAIN, (about,))):
                yield Clause(Fun(ANSWERED, (about,)), (Holds(each),), "", _UNROLLED)

    def _certain_answers(self) -> Iterator[Clause]:
        """Yield the clauses of `ANSWERED` that hold for certain, since a norm asserts something.

        kb/CALCULUS.md has the argument.
        """
        for heads in () if self._defeats_unnamed else self._valued.values():
            lifted = {clause.head.args[1] for clause in heads.get("lifts", ())}
            adding = {clause.head.args[0] for head in _ADDING for clause in heads.get(head, ())}
            inferior = {Const(two) for one, two in self.wins if Const(one) in adding}
            for clause in (each for head in ANSWERING for each in heads.get(head, ())):
                norm, about = clause.head.args[:2]
                if norm not in lifted | inferior:
                    yield Clause(Fun(ANSWERED, (about,)), _defined(clause), clause.rule)

    @cached_property
    def _valued(self) -> dict[Functor, dict[str, tuple[Clause, ...]]]:
        """The clauses of each topic that norms give a value, and that is no action or LOS."""
        found: dict[Functor, dict[str, tuple[Clause, ...]]] = {}
        for (head, topic), said in self.speaking.items():
            found.setdefault(topic, {})[head] = said
        values, deeds = set(calculus().value_heads), set(calculus().deed_heads)
        return {
            topic: heads
            for topic, heads in found.items()
            if topic not in _SIGHTS and heads.keys() & values and not heads.keys() & deeds
        }

    def _defeats(self) -> Iterator[Clause]:
        """Yield the clauses that defeat a norm on a topic or action it is about."""
        by_norm: dict[str, list[tuple[Functor, Clause]]] = {}
        for (head, topic), said in self.speaking.items():
            names_norm = "norm" in calculus().heads[head].kinds
            if topic == SIGHT or not names_norm or head in ("lifts", "violates"):
                continue
            for clause in said:
                if isinstance(clause.head.args[0], Const):
                    by_norm.setdefault(str(clause.head.args[0].value), []).append((topic, clause))
        place = calculus().topic_place
        for (winner, loser), ways in self.wins.items():
            for _, clause in by_norm.get(winner, ()):
                about = clause.head.args[place[clause.head.name]]
                for way in ways:
                    # The variables of the condition are others than those of the norm's rule.
                    conditions = renamed(clause_of(Fun(WINS), way, ""), 0, ADDED).body
                    yield _defeat(winner, loser, about, (*clause.body, *conditions), clause.rule)
        for (head, topic), said in self.speaking.items():
            if head != "lifts" or topic in _SIGHTS:
                continue
            for clause in said:
                by, over, where = clause.head.args
                if isinstance(by, Const) and isinstance(over, Const):
                    yield _defeat(str(by.value), str(over.value), where, clause.body, clause.rule)
        yield from self._given_way()

    def _given_way(self) -> Iterator[Clause]:
        """Yield a clause for each prohibition that defeats a yielding permission of the action."""
        for (head, topic), said in self.speaking.items():
            for clause in said if head == "permits" else ():
                # The variables of the permission are others than those of the prohibition.
                norm, deed = (permission := renamed(clause, 0, ADDED)).head.args
                if not isinstance(norm, Const) or norm.value not in self.yielding:
                    continue
                for ban in self.speaking.get(("forbids", topic), ()):
                    by, about = ban.head.args
                    env: Bindings = {}
                    if isinstance(by, Const) and by != norm and unify(deed, about, env):
                        same = {name: resolved(term, env) for name, term in env.items()}
                        body = (filled(each, same) for each in (*permission.body, *ban.body))
                        about = filled_term(about, same)
                        yield _defeat(str(by.value), str(norm.value), about, body, ban.rule)

    @cached_property
    def yielding(self) -> frozenset[str]:
        """The general permissions, which give way to each prohibition."""
        return self._marked("yields")

    @cached_property
    def exempting(self) -> frozenset[str]:
        """The permissions that leave all prohibitions but some as they are."""
        return self._marked("exempts")

    def _marked(self, mark: str) -> frozenset[str]:
        return frozenset(
            rule.ids[0]
            for rule in self.rules
            if rule.head and rule.head.name == mark and rule.ids and not rule.literals
        )


def _functional(
    clauses: Mapping[Key, Sequence[Clause]],
) -> dict[tuple[str, int], tuple[Axiom, ...]]:
    """Return that the last term of ground facts follows from the others, where it does."""
    found: dict[tuple[str, int], tuple[Axiom, ...]] = {}
    for (name, arity, topic), said in clauses.items():
        heads = [clause.head.args for clause in said]
        if topic or arity < 2 or any(each.body or not is_ground(each.head) for each in said):
            continue
        if len({args[:-1] for args in heads}) == len(set(heads)):
            found[name, arity] = (Axiom("", tuple(range(arity - 1)), (arity - 1,)),)
    return found


def _general(topic: Functor) -> Fun:
    return Fun(topic[0], tuple(Var(f"Part{ADDED}{n}") for n in range(topic[1])))


def _topic_of(head: Fun) -> Term | None:
    """Return the topic, action or LOS of a head; None if it has none."""
    place = calculus().topic_place.get(head.name, -1)
    return head.args[place] if 0 <= place < len(head.args) else None


def _unsettled(about: Term) -> Fun:
    """Return the atom that a topic is unknown, or that two undefeated norms differ on it."""
    name, arity = about.functor if isinstance(about, Fun) else ("", 0)
    return Fun(f"unsettled {name}/{arity}", (about,))


def _may_clash(heads: Mapping[str, Sequence[Clause]]) -> bool:
    """Test whether norms may give a topic two values, judged by the values of their heads."""
    if not heads.keys() & GIVING <= {"says"}:
        return True
    values = {clause.head.args[2] for clause in heads.get("says", ())}
    return len(values) > 1 or any(type(each) is Var for each in walk(values))


def _unknown_by(head: str, clause: Clause) -> Clause | None:
    """Return the clause by which a topic is unknown for a rule with this head."""
    norm, about = clause.head.args[:2]
    stands = Denied(Fun(DEFEATED, (norm, about)))
    if head == "silent":
        return Clause(Fun(UNCERTAIN, (about,)), (*clause.body, stands), clause.rule)
    if head in ("takes", "offers_value", "adds_value"):
        valueless = Denied(Fun("has_value", (clause.head.args[2],)))
        return Clause(Fun(UNCERTAIN, (about,)), (*clause.body, stands, valueless), clause.rule)
    return None


def _defined(clause: Clause) -> tuple[BodyLiteral, ...]:
    """Return the body of a rule without a calculation of its value, if that is always a number."""
    topics = default_vocabulary().topics
    numbers = {
        each.atom.args[1]
        for each in clause.body
        if isinstance(each, Holds)
        and each.atom.name == "is"
        and isinstance(each.atom.args[0], Fun)
        and each.atom.args[0].name in topics
        and topics[each.atom.args[0].name].value in NUMBERS
    }
    value = clause.head.args[2]
    return tuple(
        each
        for each in clause.body
        if not isinstance(each, Computes)
        or each.result != value
        or each.sign not in ("+", "-", "*")
        or not numbers.issuperset(each.args)
    )


def _defeat(winner: str, loser: str, about: Term, body: Iterable[BodyLiteral], rule: str) -> Clause:
    stands = Denied(Fun(DEFEATED, (Const(winner), about)))
    return Clause(
        Fun(DEFEATED, (Const(loser), about)),
        (*body, stands),
        rule,
    )


def _closed(
    ways: Mapping[tuple[str, str], set[frozenset[Literal]]],
) -> dict[tuple[str, str], set[frozenset[Literal]]]:
    """Return the transitive closure; of several conditions, the weakest is kept."""
    found = {pair: _weakest(each) for pair, each in ways.items()}
    below: dict[str, set[str]] = {}
    for winner, loser in found:
        below.setdefault(winner, set()).add(loser)
    todo = list(found)
    while todo:
        winner, middle = todo.pop()
        for loser in tuple(below.get(middle, ())):
            through = {one | two for one in found[winner, middle] for two in found[middle, loser]}
            known = found.get((winner, loser), set())
            if through <= known or frozenset() in known:
                continue
            both = _weakest(known | through)
            if both != known:
                found[winner, loser] = both
                below.setdefault(winner, set()).add(loser)
                todo.append((winner, loser))
                todo += [(first, winner) for first, near in below.items() if winner in near]
    return found


def _weakest(ways: Iterable[frozenset[Literal]]) -> set[frozenset[Literal]]:
    kept: list[frozenset[Literal]] = []
    for each in sorted(set(ways), key=len):
        if not any(other <= each for other in kept):
            kept.append(each)
    return set(kept)


# --- Axioms.


@dataclass(frozen=True)
class NamedAxiom:
    """An axiom with its basis and a sentence."""

    name: str
    arity: int
    axiom: Axiom
    ground: str
    why: str


#: The file of the axioms.
FILE = "lab/axioms.lp"


def impossible() -> list[Clause]:
    """Return the axioms that no answer set makes a body true: each head has its ground and
    sentence."""
    text = (kb_folder() / FILE).read_text(encoding="utf-8")
    return [
        clause_of(rule.head, rule.literals, rule.text)
        for rule in read_rules(text, FILE)[0]
        if rule.head and rule.head.name == IMPOSSIBLE
    ]


def _texts(atom: Fun) -> tuple[str, ...]:
    return tuple(str(each).strip('"') for each in atom.args)


def axioms(program: Program) -> list[NamedAxiom]:
    """Return the axioms of kb/, and those of inputs that a board may state only once."""
    text = (kb_folder() / FILE).read_text(encoding="utf-8")
    found = []
    for _, (pattern, ground, why) in declared_facts(read_rules(text, FILE)[0], "axiom"):
        kinds = [str(each) for each in pattern.arguments]
        keys, values = (
            tuple(at for at, kind in enumerate(kinds) if kind == wanted)
            for wanted in ("key", "value")
        )
        found.append(_named(pattern.name, len(kinds), keys, values, str(ground), why.string))
    # A statement that no board contains names no arguments that others determine.
    found += [
        NamedAxiom(IMPOSSIBLE, 2, Axiom(sentence, (0, 1), ()), ground, "no board shows it")
        for ground, sentence in dict.fromkeys(_texts(clause.head) for clause in impossible())
    ]
    inputs = {node.name: node.arity for node in declared_signatures(program.source, "input")}
    for _, (once,) in declared_facts(program.source.rules, "once"):
        keys = tuple(range(len(once.arguments)))
        values = tuple(range(len(keys), inputs[once.name]))
        found.append(
            _named(once.name, inputs[once.name], keys, values, "vocabulary", "it is stated once")
        )
    return found


def _named(
    name: str, arity: int, keys: tuple[int, ...], values: tuple[int, ...], ground: str, why: str
) -> NamedAxiom:
    marks = ("value" if at in values else "key" for at in range(arity))
    told = f"{name}({','.join(marks)})" if arity else name
    return NamedAxiom(name, arity, Axiom(told, keys, values), ground, why)
