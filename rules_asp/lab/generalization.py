"""Least general generalizations: for each predicate, a pattern that all of its atoms match."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from rules_asp.knowledge.terms import Fun, Term, Var, walk
from rules_asp.lab.clauses import (
    ADDED,
    Bindings,
    Clause,
    Compares,
    Holds,
    filled_atom,
    resolved_atom,
    unify,
    variable_names,
)

_Key = TypeVar("_Key", bound=Hashable)
#: Mark in the names of the variables of patterns: no variable of a clause has it.
PATTERN = ADDED * 2


class _Derivation(NamedTuple, Generic[_Key]):
    """A clause as a derivation of its head: the atoms that it reads, by key, and its equations."""

    head: Fun
    read: tuple[tuple[Fun, _Key], ...]
    equal: tuple[tuple[Term, Term], ...]


def generalizations(
    clauses: Mapping[_Key, Sequence[Clause]],
    key_of: Callable[[Fun], _Key | None],
    given: Mapping[_Key, Fun],
) -> dict[_Key, Fun]:
    """Return a pattern for each key. Every atom of a least model matches the pattern of its key.

    clauses: by the keys of their heads. key_of: the key of an atom, None if it may be any atom of
    its predicate. given: the patterns of atoms that hold without a clause. An atom whose key has no
    pattern never holds.
    """
    derivations = {
        key: [_derivation(clause, key_of) for clause in told] for key, told in clauses.items()
    }
    reads = {
        key: dict.fromkeys(used for each in told for _, used in each.read)
        for key, told in derivations.items()
    }
    readers: dict[_Key, list[_Key]] = {}
    for key, used in reads.items():
        for each in used:
            readers.setdefault(each, []).append(key)
    found = dict(given)
    queue = deque(key for key in _depth_first(reads) if key in derivations and key not in given)
    queued = set(queue)
    while queue:
        key = queue.popleft()
        queued.remove(key)
        pattern = found.get(key)
        for derivation in derivations[key]:
            if pattern is not None and is_general(pattern):
                break
            head = _derived(derivation, found)
            if head is not None:
                pattern = head if pattern is None else _generalized(pattern, head)
        if pattern is not None and (named := _canonical(pattern)) != found.get(key):
            found[key] = named
            again = [
                each for each in readers.get(key, ()) if each not in queued and each not in given
            ]
            queue += again
            queued.update(again)
    return found


def is_general(pattern: Fun) -> bool:
    """Test whether every atom of the predicate matches a pattern."""
    names = {each.name for each in pattern.args if isinstance(each, Var)}
    return len(names) == len(pattern.args)


def renamed_pattern(pattern: Fun, mark: str) -> Fun:
    """Return a pattern with other names for its variables."""
    return filled_atom(pattern, {name: Var(f"{name}{mark}") for name in variable_names(pattern)})


def _derivation(clause: Clause, key_of: Callable[[Fun], _Key | None]) -> _Derivation[_Key]:
    atoms = [each.atom for each in clause.body if isinstance(each, Holds)]
    read = tuple((atom, key) for atom in atoms if (key := key_of(atom)) is not None)
    equal = tuple(
        (each.left, each.right)
        for each in clause.body
        if isinstance(each, Compares) and each.sign == "="
    )
    return _Derivation(clause.head, read, equal)


def _depth_first(reads: Mapping[_Key, Iterable[_Key]]) -> Iterator[_Key]:
    """Yield the keys, each after those that it reads, except in cycles."""
    seen: set[_Key] = set()
    for root in reads:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(reads[root]))]
        while path:
            key, rest = path[-1]
            below = next((each for each in rest if each not in seen), None)
            if below is None:
                path.pop()
                yield key
            else:
                seen.add(below)
                path.append((below, iter(reads.get(below, ()))))


def _derived(derivation: _Derivation[_Key], found: Mapping[_Key, Fun]) -> Fun | None:
    """Return the most general head for which the body matches the patterns; None if it does not."""
    env: Bindings = {}
    for place, (atom, key) in enumerate(derivation.read):
        pattern = found.get(key)
        if pattern is None:
            return None
        if is_general(pattern):
            continue
        if not unify(atom, renamed_pattern(pattern, f"{PATTERN}{place}"), env):
            return None
    if not all(unify(one, other, env) for one, other in derivation.equal):
        return None
    return resolved_atom(derivation.head, env)


def _generalized(one: Fun, other: Fun) -> Fun:
    """Return the least general generalization of two atoms."""
    table: dict[tuple[Term, Term], Var] = {}
    args = zip(one.args, other.args, strict=True)
    return Fun(one.name, tuple(_common(a, b, table) for a, b in args))


def _common(one: Term, other: Term, table: dict[tuple[Term, Term], Var]) -> Term:
    if isinstance(one, Fun) and isinstance(other, Fun) and one.functor == other.functor:
        args = zip(one.args, other.args, strict=True)
        return Fun(one.name, tuple(_common(a, b, table) for a, b in args))
    if one == other and not isinstance(one, Var) and type(one[0]) is type(other[0]):
        return one
    return table.setdefault((one, other), Var(f"P{PATTERN}{len(table)}"))


def _canonical(pattern: Fun) -> Fun:
    """Return a pattern with its variables named in order."""
    names = dict.fromkeys(each.name for each in walk((pattern,)) if isinstance(each, Var))
    return filled_atom(
        pattern, {name: Var(f"P{PATTERN}{place}") for place, name in enumerate(names)}
    )
