"""A tableau over the rules: literals that cannot hold together on any board, of any size.

Unknowns represent ground terms. A branch is a set of literals, equations and inequalities that some
answer set must satisfy. It is closed when no answer set can. kb/CALCULUS.md has the argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, islice

from rules_asp.knowledge.terms import Fun, Term, Var, walk
from rules_asp.lab.branch import Branch
from rules_asp.lab.clauses import (
    EACH,
    INVERSE,
    UNKNOWN,
    Bindings,
    BodyLiteral,
    Clause,
    Compares,
    Computes,
    Denial,
    Denied,
    Differs,
    Holds,
    are_same,
    dereferenced,
    filled,
    filled_atom,
    is_local,
    matches,
    negated,
    nesting,
    paired_arguments,
    renamed,
    resolved,
    resolved_atom,
    unify,
    variable_names,
)
from rules_asp.lab.generalization import renamed_pattern
from rules_asp.lab.numbers import (
    Closed,
    Undefined,
    Why,
    as_order,
    calculated,
    is_text,
    solved,
)
from rules_asp.lab.theory import (
    DERIVED,
    HEXSIDE,
    IMPOSSIBLE,
    NOTHING_IMPOSSIBLE,
    Axiom,
    Key,
    Theory,
    key_of,
    topic_is_unknown,
)

# --- The theory as consulted by a search.


@dataclass(frozen=True)
class Consulted:
    """A theory with a record of what a search consulted."""

    theory: Theory
    keys: set[Key] = field(default_factory=set)

    def clauses_for(self, atom: Fun) -> Sequence[Clause] | None:
        """Return the clauses that may derive an atom, as the theory does."""
        clauses = self.theory.clauses_for(atom)
        if clauses is not None:
            self.keys.add(key_of(atom))
        return clauses

    def pattern_for(self, atom: Fun) -> Fun | None:
        """Return the pattern of an atom, as the theory does."""
        self.keys.add(key_of(atom))
        return self.theory.pattern_for(atom)

    def denials_for(self, atom: Fun) -> Sequence[Denial]:
        """Return the clauses that would derive a negated atom."""
        self.keys.add(key := key_of(atom))
        return self.theory.denials_under(key)

    def never(self, atom: Fun) -> bool:
        """Test whether nothing may derive an atom, judged by words and numbers."""
        clauses = self.clauses_for(atom)
        return clauses is not None and not any(_may_derive(each, atom) for each in clauses)


# --- The outcome.


@dataclass(frozen=True)
class Outcome:
    """The outcome of a search: closed, or an open branch, with the axioms and clauses used.

    model: the inputs and questions of the open branch, as text.
    """

    closed: bool
    axioms: frozenset[str]
    consulted: frozenset[Key]
    model: tuple[str, ...]
    steps: int


#: Further levels at which an atom is unrolled if only one clause may derive it.
_ALONE = 6
#: Terms nested more deeply than this are not denied: a recursive rule could nest them without end.
_NESTED = 12
#: Number of literals of a body by which an atom is derived.
_SHORT = 3
#: A hex, or another unknown, in the text of an atom.
_UNKNOWNS = re.compile(r"\(Column#(?:\d+),Row#\d+\)|([A-Z][\w?]*)#\d+")


class _TooLong(Exception):
    """The search exceeded its step limit."""


class Tableau:
    """A search for a branch that stays open."""

    def __init__(self, theory: Theory, depth: int, steps: int) -> None:
        self._theory = theory
        self._depth = depth
        self._most = steps
        self._steps = 0
        self._numbers = count(1)
        self._choices = count()
        self._axioms: set[str] = set()
        self._rules = Consulted(theory)
        self._open: Branch | None = None

    def refute(self, literals: Iterable[BodyLiteral]) -> Outcome:
        """Test whether no answer set satisfies all these literals, as far as this search shows."""
        branch = Branch()
        closed = False
        try:
            for each in (*literals, Denied(NOTHING_IMPOSSIBLE)):
                branch.add(each, 0, 0)
            closed = self._closes(branch) is not None
        except Closed:
            closed = True
        except _TooLong:
            pass
        model = () if closed else self._model(self._open or branch)
        return Outcome(
            closed, frozenset(self._axioms), frozenset(self._rules.keys), model, self._steps
        )

    def _model(self, branch: Branch) -> tuple[str, ...]:
        """Return the inputs and questions of a branch, with names for the unknowns."""
        stated = [
            str(resolved_atom(atom, branch.bindings))
            for functor, atoms in branch.holds.items()
            if functor in self._theory.kinds
            for atom in atoms
        ]
        names: dict[str, str] = {}
        used: dict[str, int] = {}

        def name(found: re.Match[str]) -> str:
            if found[0] not in names:
                kind = "Hex" if found[1] is None else found[1].rstrip("0123456789?")
                used[kind] = used.get(kind, 0) + 1
                names[found[0]] = f"{kind}{used[kind]}"
            return names[found[0]]

        return tuple(dict.fromkeys(_UNKNOWNS.sub(name, each) for each in sorted(stated)))

    def unknowns(self, clause: Clause) -> Clause:
        """Return a clause with fresh unknowns."""
        return renamed(clause, next(self._numbers))

    # --- The search.

    def _closes(self, branch: Branch) -> Why | None:
        """Return the choices on which it depends that no answer set satisfies the branch; None if
        one may.

        If that does not depend on a choice, its other options are ruled out too.
        """
        # The choices whose last option is followed here, with what rules out the others.
        choices: list[tuple[Why, Why]] = []
        try:
            while True:
                self._steps += 1
                if self._steps > self._most:
                    self._open = self._open or branch
                    raise _TooLong
                self._saturate(branch)
                found = self._next(branch)
                if found is not None:
                    place, options = found
                    atom, level = branch.agenda.pop(place)
                    branch.unrolled.append(atom)
                    because = branch.holds[atom.functor][atom] | branch.why(atom)
                    alternatives = [partial(self._take, atom, level, each) for each in options]
                else:
                    split = next(self._splits(branch), None)
                    if split is None:
                        self._open = branch
                        return None
                    cases, because = split
                    alternatives = [partial(self._assume, each) for each in cases]
                if not alternatives:
                    raise Closed(because)
                *others, last = alternatives
                choice = 1 << next(self._choices) if others else 0
                ruled_out = because
                for each in others:
                    closed = self._taken(branch.copy(), each, because | choice)
                    if closed is None:
                        return None
                    if not closed & choice:
                        raise Closed(closed)
                    ruled_out |= closed & ~choice
                if choice:
                    choices.append((choice, ruled_out))
                last(branch, because | choice)
        except Closed as end:
            closed = end.why
        for choice, because in reversed(choices):
            if closed & choice:
                closed = closed & ~choice | because
        return closed

    def _taken(
        self, branch: Branch, option: Callable[[Branch, Why], None], because: Why
    ) -> Why | None:
        try:
            option(branch, because)
        except Closed as end:
            return end.why
        return self._closes(branch)

    def _assume(self, literals: Iterable[BodyLiteral], branch: Branch, because: Why) -> None:
        for each in literals:
            branch.add(each, self._depth, because)

    def _take(self, atom: Fun, level: int, clause: Clause, branch: Branch, because: Why) -> None:
        clause = self.unknowns(clause)
        branch.unify(clause.head, atom, because)
        branch.changed = True
        for each in clause.body:
            branch.add(each, level + clause.cost, because)

    def _next(self, branch: Branch) -> tuple[int, list[Clause]] | None:
        """Return the next atom to unroll: of those at the lowest level, that with the fewest
        clauses."""
        best: tuple[tuple[int, int], int, list[Clause]] | None = None
        place = 0
        while place < len(branch.agenda):
            atom, level = branch.agenda[place]
            atom = resolved_atom(atom, branch.bindings)
            deep = level >= self._depth
            clauses = None if level >= self._depth + _ALONE else self._rules.clauses_for(atom)
            options = [each for each in clauses or () if _may_derive(each, atom)]
            if clauses is None or (deep and len(options) > 1):
                if options or (topic_is_unknown(atom) and atom.functor not in self._theory.open):
                    place += 1
                else:
                    del branch.agenda[place]
                continue
            if any(are_same(atom, each, branch.bindings) for each in branch.unrolled):
                del branch.agenda[place]
                continue
            rank = (len(options), level)
            if best is None or rank < best[0]:
                best = rank, place, options
                if len(options) < 2:
                    break
            place += 1
        return None if best is None else best[1:]

    # --- Propagation.

    def _saturate(self, branch: Branch) -> None:
        while branch.changed:
            branch.changed = False
            self._apply_patterns(branch)
            self._compute(branch)
            self._apply_axioms(branch)
            self._contradictions(branch)
            self._equate_bounds(branch)
            if not branch.changed:
                self._propagate(branch)

    def _compute(self, branch: Branch) -> None:
        left: dict[Computes, Why] = {}
        results: dict[tuple[str, tuple[Term, ...]], tuple[Term, Why]] = {}
        for each, because in branch.computes.items():
            because |= branch.why(each.result, *each.args)
            args = tuple(dereferenced(arg, branch.bindings) for arg in each.args)
            if any(isinstance(arg, Fun) or is_text(arg) for arg in args):
                raise Closed(because)
            if is_text(dereferenced(each.result, branch.bindings)) or isinstance(
                dereferenced(each.result, branch.bindings), Fun
            ):
                raise Closed(because)
            try:
                value = calculated(each.sign, args)
            except Undefined:
                raise Closed(because) from None
            if value is not None:
                branch.unify(each.result, value, because)
                branch.changed = True
                continue
            equal = solved(each.sign, args, dereferenced(each.result, branch.bindings))
            if equal is not None:
                branch.unify(*equal, because)
                branch.changed = True
                continue
            # Equal operations have equal results.
            same, also = results.setdefault((each.sign, args), (each.result, because))
            if not are_same(same, each.result, branch.bindings):
                branch.unify(same, each.result, because | also)
                branch.changed = True
                continue
            left[each] = branch.computes[each]
        if len(left) < len(branch.computes):
            branch.computes = left
            branch._order = None

    def _apply_patterns(self, branch: Branch) -> None:
        """Apply the pattern of each new atom. The hexes of a hexside are in order."""
        for functor, atoms in branch.holds.items():
            kinds = self._theory.kinds.get(functor, ())
            for atom, because in islice(atoms.items(), branch.typed.get(functor, 0), None):
                pattern = self._rules.pattern_for(resolved_atom(atom, branch.bindings))
                if pattern is None:
                    continue
                own = renamed_pattern(pattern, f"{UNKNOWN}{next(self._numbers)}")
                branch.unify(own, atom, because)
                for kind, term in zip(kinds, atom.args, strict=False):
                    if kind == HEXSIDE:
                        side = dereferenced(term, branch.bindings)
                        assert isinstance(side, Fun)
                        branch.bounded((side.args[0], side.args[1], -1), because | branch.why(term))
            branch.typed[functor] = len(atoms)

    def _apply_axioms(self, branch: Branch) -> None:
        for functor, atoms in branch.holds.items():
            axioms = self._theory.axioms_for(functor) if len(atoms) > 1 else ()
            if not axioms:
                continue
            known = list(atoms)
            for place, one in enumerate(known):
                for two in known[:place]:
                    for axiom in axioms:
                        if all(
                            are_same(one.args[k], two.args[k], branch.bindings) for k in axiom.keys
                        ):
                            self._equate(branch, axiom, one, two)

    def _equate(self, branch: Branch, axiom: Axiom, one: Fun, two: Fun) -> None:
        for value in axiom.values:
            if not are_same(one.args[value], two.args[value], branch.bindings):
                self._axioms.update((axiom.name,) if axiom.name else ())
                atoms = branch.holds[one.functor]
                keys = (each.args[k] for each in (one, two) for k in axiom.keys)
                because = atoms[one] | atoms[two] | branch.why(*keys)
                branch.unify(one.args[value], two.args[value], because)
                branch.changed = True

    def _contradictions(self, branch: Branch) -> None:
        bindings = branch.bindings
        for functor, patterns in branch.denied.items():
            for atom, because in branch.holds.get(functor, {}).items():
                for pattern, also in patterns.items():
                    if matches(pattern, atom, bindings, {}):
                        raise Closed(because | also | branch.why(pattern, atom))
        left: dict[Differs, Why] = {}
        for each, because in branch.differs.items():
            if all(are_same(one, two, bindings) for one, two in each.pairs):
                raise Closed(because | branch.why(*chain.from_iterable(each.pairs)))
            trial = dict(bindings)
            if all(unify(one, two, trial) for one, two in each.pairs):
                left[each] = because
        branch.differs = left

    def _equate_bounds(self, branch: Branch) -> None:
        for one, two, because in branch.order.equal():
            if not are_same(one, two, branch.bindings):
                branch.unify(one, two, because)
                branch.changed = True

    def _propagate(self, branch: Branch) -> None:
        """Propagate negated atoms: no clause for such an atom has a body that holds."""
        branch.derived = {}
        changed, branch.changes = branch.changes, set()
        for functor, patterns in list(branch.denied.items()):
            # A body that reads nothing new has been propagated before.
            new = None if negated(functor) in changed else changed
            for pattern, denied in list(patterns.items()):
                because = denied | branch.why(pattern)
                for head, literals in self._instances(branch, pattern, 1, new):
                    for missing, used in _missing(literals, branch, 1, self._rules):
                        self._use(head)
                        if not missing:
                            raise Closed(because | used)
                        self._deny(branch, missing[0], because | used)

    def _instances(
        self, branch: Branch, pattern: Fun, most: int, new: Set[tuple[str, int]] | None = None
    ) -> Iterator[tuple[Fun, tuple[BodyLiteral, ...]]]:
        """Return the heads and bodies that must not hold if the pattern is denied, and that lack few
        atoms; with `new` only those that read one of these parts."""
        if topic_is_unknown(pattern):
            pattern = resolved_atom(pattern, branch.bindings)
        known, held = self._theory.known, branch.holds
        near = [
            each
            for each in self._rules.denials_for(pattern)
            if (new is None or not new.isdisjoint(each.reads))
            and sum(need not in held and need not in known for need in each.needs) <= most
        ]
        if not near:
            return
        atom = resolved_atom(pattern, branch.bindings)
        if _has_each(atom):
            values = [v.name for v in walk((atom,)) if type(v) is Var and v.name[0] == EACH]
            if len(values) != len(set(values)):
                # Only terms that are equal in two places are denied.
                return
        for clause in near:
            env: Bindings = {}
            conditions: list[BodyLiteral] = []
            if _instance(clause.head, atom, branch.bindings, env, conditions):
                body = (*conditions, *clause.body)
                yield clause.head, tuple(filled(each, env) for each in body) if env else body

    def _use(self, head: Fun) -> None:
        """Note the axiom that a body with this head is impossible."""
        if head.name == IMPOSSIBLE:
            self._axioms.add(str(head.args[1]).strip('"'))

    def _deny(self, branch: Branch, literal: BodyLiteral, because: Why) -> None:
        """Assume that a literal does not hold."""
        opposite = self._opposite(literal)
        if opposite is None:
            return
        if isinstance(opposite, Denied):
            known = branch.denied.get(opposite.atom.functor, ())
            if any(matches(each, opposite.atom, branch.bindings, {}) for each in known):
                return
        elif isinstance(opposite, Holds):
            known = branch.holds.get(opposite.atom.functor, ())
            if any(are_same(each, opposite.atom, branch.bindings) for each in known):
                return
        elif isinstance(opposite, Differs):
            if opposite in branch.differs or not _may_be_same(opposite, branch.bindings):
                return
        elif isinstance(opposite, Compares):
            order = as_order(opposite)
            if order is not None and order in branch.orders:
                return
            if opposite.sign == "=" and are_same(opposite.left, opposite.right, branch.bindings):
                return
        branch.add(opposite, 1, because)

    def _opposite(self, literal: BodyLiteral) -> BodyLiteral | None:
        match literal:
            case Holds(atom) if nesting(atom) <= _NESTED:
                # Unbound variables are universal.
                env: Bindings = {
                    name: Var(f"{EACH}{name}{UNKNOWN}{next(self._numbers)}")
                    for name in variable_names(atom)
                    if UNKNOWN not in name
                }
                return Denied(filled_atom(atom, env))
            case Denied(atom):
                env = {
                    name: Var(f"{name[1:]}{UNKNOWN}{next(self._numbers)}")
                    for name in variable_names(atom)
                    if name[0] == EACH
                }
                found = filled_atom(atom, env)
                return None if _has_local(found) else Holds(found)
            case Compares(sign, left, right):
                if _has_local(left) or _has_local(right):
                    return None
                if sign == "=":
                    return Differs(((left, right),))
                return Compares(INVERSE[sign], left, right)
        return None

    def _splits(self, branch: Branch) -> Iterator[tuple[list[list[BodyLiteral]], Why]]:
        """Yield case splits: one of two literals of a body does not hold."""
        branch.derived = {}
        for patterns in branch.denied.values():
            for pattern, denied in patterns.items():
                for head, literals in self._instances(branch, pattern, 2):
                    for missing, used in _missing(literals, branch, 2, self._rules):
                        first, second = map(self._opposite, missing)
                        if first is None or second is None:
                            continue
                        if any(_has_local_literal(each) for each in missing):
                            continue
                        if not _known(first, branch) and not _known(second, branch):
                            self._use(head)
                            cases: list[list[BodyLiteral]] = [[first], [missing[0], second]]
                            yield cases, denied | branch.why(pattern) | used


def _has_local(term: Term) -> bool:
    if type(term) is Var:
        return is_local(term)
    return type(term) is Fun and any(map(_has_local, term.args))


def _has_local_literal(literal: BodyLiteral) -> bool:
    return any(type(each) is Var and UNKNOWN not in each.name for each in walk((literal,)))


def _known(literal: BodyLiteral, branch: Branch) -> bool:
    match literal:
        case Holds(atom):
            known = branch.holds.get(atom.functor, ())
            return any(are_same(each, atom, branch.bindings) for each in known)
        case Denied(atom):
            known = branch.denied.get(atom.functor, ())
            return any(matches(each, atom, branch.bindings, {}) for each in known)
        case Differs():
            return literal in branch.differs or not _may_be_same(literal, branch.bindings)
        case Compares(_, left, right):
            order = as_order(literal)
            return order in branch.orders if order else are_same(left, right, branch.bindings)
    return False


def _may_derive(clause: Clause, atom: Fun) -> bool:
    """Test whether a clause may derive an atom, judged by words and numbers."""
    return all(_may_be(a, b) for a, b in zip(clause.head.args, atom.args, strict=True))


def _may_be(one: Term, two: Term) -> bool:
    if isinstance(one, Var) or isinstance(two, Var):
        return True
    pairs = paired_arguments(one, two)
    return pairs is not None and all(_may_be(a, b) for a, b in pairs)


def _may_be_same(literal: Differs, bindings: Mapping[str, Term]) -> bool:
    trial = dict(bindings)
    return all(unify(one, two, trial) for one, two in literal.pairs)


def _instance(
    head: Term,
    term: Term,
    bindings: Mapping[str, Term],
    env: Bindings,
    conditions: list[BodyLiteral],
) -> bool:
    """Test whether a head has an instance equal to the term, and under which conditions."""
    if isinstance(term, Var) and term.name[0] == EACH:
        return True
    if isinstance(head, Var):
        if _has_each(term):
            # A universally denied part gets no further condition.
            return False
        if head.name in env:
            conditions.append(Compares("=", env[head.name], term))
        else:
            env[head.name] = term
        return True
    if isinstance(term, Var):
        conditions.append(Compares("=", head, term))
        return not any(type(each) is Var for each in walk((head,)))
    if isinstance(head, Fun) and isinstance(term, Fun):
        return (
            head.name == term.name
            and len(head.args) == len(term.args)
            and all(
                _instance(a, b, bindings, env, conditions)
                for a, b in zip(head.args, term.args, strict=True)
            )
        )
    return type(head) is type(term) and head == term and type(head[0]) is type(term[0])


def _has_each(term: Term) -> bool:
    if type(term) is Var:
        return term.name[0] == EACH
    return type(term) is Fun and any(map(_has_each, term.args))


# --- The literals of a body that are not known to hold.


def _missing(
    literals: Sequence[BodyLiteral], branch: Branch, most: int, rules: Consulted
) -> Iterator[tuple[tuple[BodyLiteral, ...], Why]]:
    """Return, for each way to match the body, the literals not known to hold, at most `most`, and
    the choices on which the others depend.

    With `most` 1, ways with none are included; with 2, only ways with two are returned.
    """
    for env, missing, used in _ways(tuple(literals), branch, {}, (), 0, most, rules):
        found = tuple(filled(each, env) for each in missing)
        if most == 1 or len(found) == most:
            yield found, used


def _ways(
    literals: tuple[BodyLiteral, ...],
    branch: Branch,
    env: Bindings,
    missing: tuple[BodyLiteral, ...],
    used: Why,
    most: int,
    rules: Consulted,
    deep: int = DERIVED,
) -> Iterator[tuple[Bindings, tuple[BodyLiteral, ...], Why]]:
    if not literals:
        yield env, missing, used
        return
    first, rest = literals[0], literals[1:]
    known: bool | None = None
    because: Why = 0
    if isinstance(first, Holds):
        pattern = filled_atom(first.atom, env)
        for atom, why in list(branch.holds.get(pattern.functor, {}).items()):
            more = dict(env)
            if matches(pattern, atom, branch.bindings, more):
                also = used | why | branch.why(pattern, atom)
                yield from _ways(rest, branch, more, missing, also, most, rules, deep)
                if not _has_free(pattern):
                    return
        if _has_free(pattern):
            for atom, why in _derived(pattern, branch, rules, deep):
                more = dict(env)
                if matches(pattern, atom, branch.bindings, more):
                    yield from _ways(rest, branch, more, missing, used | why, most, rules, deep)
        else:
            denied = branch.denied.get(pattern.functor, ())
            if any(matches(each, pattern, branch.bindings, {}) for each in denied):
                return
            because = branch.why(pattern)
            known = resolved_atom(pattern, branch.bindings) in rules.theory.facts or None
            for atom, why in () if known else _derived(pattern, branch, rules, deep):
                if are_same(pattern, atom, branch.bindings):
                    known = True
                    because |= why
                    break
    elif isinstance(first, Denied):
        atom = filled_atom(first.atom, env)
        if _has_unbound(atom):
            return
        because = branch.why(atom)
        for each, why in branch.denied.get(atom.functor, {}).items():
            if matches(each, atom, branch.bindings, {}):
                known = True
                because |= why | branch.why(each)
                break
        else:
            known = rules.never(resolved_atom(atom, branch.bindings)) or None
        holds = branch.holds.get(atom.functor, ())
        if any(matches(atom, each, branch.bindings, {}) for each in holds):
            return
    else:
        settled, because = _evaluated(filled(first, env), branch, env)
        if settled is None or isinstance(settled, bool):
            known = settled
            if known is False:
                return
            if known is None and not isinstance(first, Compares):
                return
        else:
            yield from _ways(rest, branch, settled, missing, used | because, most, rules, deep)
            return
    if known:
        yield from _ways(rest, branch, env, missing, used | because, most, rules, deep)
    elif len(missing) < most:
        yield from _ways(rest, branch, env, (*missing, first), used, most, rules, deep)


def _derived(
    pattern: Fun, branch: Branch, rules: Consulted, deep: int
) -> Iterator[tuple[Fun, Why]]:
    """Yield atoms of a helper predicate that hold since a rule body does: all its literals are
    known."""
    if not deep or key_of(pattern)[2] is not None:
        return
    known = branch.derived.get((pattern, deep))
    if known is None:
        known = branch.derived[pattern, deep] = list(_derive(pattern, branch, rules, deep))
    yield from known


def _derive(pattern: Fun, branch: Branch, rules: Consulted, deep: int) -> Iterator[tuple[Fun, Why]]:
    held, facts = branch.holds, rules.theory.known
    for clause in rules.denials_for(pattern):
        if len(clause.body) > _SHORT or (
            deep == 1 and any(need not in held and need not in facts for need in clause.needs)
        ):
            continue
        env: Bindings = {}
        bound = [
            (own, term)
            for own, term in zip(clause.head.args, pattern.args, strict=True)
            if not _has_free(term)
        ]
        if bound and all(matches(own, term, branch.bindings, env) for own, term in bound):
            because = branch.why(*(term for _, term in bound))
            for more, _, used in _ways(clause.body, branch, env, (), because, 0, rules, deep - 1):
                atom = filled_atom(clause.head, more)
                if not _has_unbound(atom):
                    yield atom, used


def _has_free(term: Term) -> bool:
    """Test whether a variable of a rule is still unbound in a pattern."""
    if type(term) is Var:
        return UNKNOWN not in term.name
    return type(term) is Fun and any(map(_has_free, term.args))


def _has_unbound(term: Term) -> bool:
    """Do the same, but ignore universal variables."""
    if type(term) is Var:
        return UNKNOWN not in term.name and term.name[0] != EACH
    return type(term) is Fun and any(map(_has_unbound, term.args))


def _evaluated(
    literal: BodyLiteral, branch: Branch, env: Bindings
) -> tuple[bool | Bindings | None, Why]:
    """Test whether a comparison or an operation holds; return a new `env` if it binds a variable of
    the rule, and the choices on which the answer depends."""
    bindings = branch.bindings
    if isinstance(literal, Computes):
        args = tuple(dereferenced(each, bindings) for each in literal.args)
        try:
            value = calculated(literal.sign, args)
        except Undefined:
            return False, 0
        if value is not None:
            because = branch.why(literal.result, *literal.args)
            return _equated(literal.result, value, branch, env), because
        # Equal operations have equal results.
        operation = Fun(literal.sign, args)
        for known, why in branch.computes.items():
            if are_same(Fun(known.sign, known.args), operation, bindings):
                because = why | branch.why(known.result, *known.args)
                because |= branch.why(literal.result, *literal.args)
                return _equated(literal.result, known.result, branch, env), because
        return None, 0
    if not isinstance(literal, Compares):
        return None, 0
    left, right = literal.left, literal.right
    because = branch.why(left, right)
    if literal.sign == "=":
        return _equated(left, right, branch, env), because
    if _has_free(left) or _has_free(right):
        return None, 0
    if literal.sign == "!=":
        if are_same(left, right, bindings):
            return False, 0
        pair = Differs(((left, right),))
        if not _may_be_same(pair, bindings):
            return True, because
        here = (resolved(left, bindings), resolved(right, bindings))
        for each, why in branch.differs.items():
            for one, two in each.pairs if len(each.pairs) == 1 else ():
                there = (resolved(one, bindings), resolved(two, bindings))
                if here in (there, there[::-1]):
                    return True, because | why | branch.why(one, two)
        return None, 0
    bound = as_order(literal)
    assert bound is not None
    return branch.order.holds(bound)


def _equated(left: Term, right: Term, branch: Branch, env: Bindings) -> bool | Bindings | None:
    bindings = branch.bindings
    for one, two in ((left, right), (right, left)):
        if isinstance(one, Var) and UNKNOWN not in one.name:
            if _has_free(two):
                return None
            return {**env, one.name: two}
    if _has_free(left) or _has_free(right):
        return None
    if are_same(left, right, bindings):
        return True
    return None if _may_be_same(Differs(((left, right),)), bindings) else False
