"""Checks of helper predicates: each argument has one sense, and some rule reads each helper.

A helper is a predicate that rules derive and that no declaration names. The sense of an argument (a
spot, a unit, a number) is inferred from the declared predicates and topics that share its variable.
If an argument is meant to have several senses, `mixed(Helper,Place,Why)` declares them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.lint.base import (
    DeclaredWords,
    Fault,
    KbView,
    SourceAtom,
    SourceStatement,
    functor,
)
from rules_asp.knowledge.lint.vocabulary import NUMERIC, argument_kinds, signature_text
from rules_asp.knowledge.rules import Functor
from rules_asp.knowledge.terms import Const, Fun, Op, Term, Var, walk

#: The possible senses of a term; None if they cannot be determined.
Senses = frozenset[str] | None

_OF_SHAPES: Mapping[Functor, str] = {
    ("", 2): "spot",
    ("v", 2): "spot",
    ("e", 2): "hexside",
    ("l", 2): "Location",
    ("s", 2): "sight",
}
#: The senses of the arguments of such a term.
_INSIDE = {("e", 2): ("hex", "hex"), ("v", 2): ("hex", "corner"), ("l", 2): ("spot", "floor")}
_OF_KINDS: Mapping[str, frozenset[str]] = {
    "hex": frozenset({"spot"}),
    "spot": frozenset({"spot"}),
    "hexside": frozenset({"hexside"}),
    "location": frozenset({"Location"}),
    "party": frozenset({"Location", "unit"}),
    "sight": frozenset({"sight"}),
    "unit": frozenset({"unit"}),
    "norm": frozenset({"text"}),
    "ruling": frozenset({"text"}),
    "floor": frozenset({"number", "word"}),
    **{kind: frozenset({"number"}) for kind in NUMERIC},
}


def helpers_in_two_senses(base: KbView) -> Iterator[Fault]:
    """Yield helpers whose argument is a hex in one rule and, for example, a unit in another.

    Helpers declared as mixed that are not mixed are also reported.
    """
    deriving = _deriving(base)
    floors = _floors(base)
    mixed = {
        (str(name), place.value): each
        for each in base.statements
        if each.declares == "mixed"
        for name, place, _ in (each.heads[0].terms,)
        if isinstance(place, Const)
    }
    found = {}
    known = _inferred(deriving, base.words, floors)
    for helper, statements in deriving.items():
        first = {
            place: (senses, "by its declaration")
            for place, kind in enumerate(base.words.predicates.get(helper, ()))
            if (senses := _of_kind(kind, base.words)) is not None
        }
        for statement, head in statements:
            env = _environment(statement, known, base.words)
            for place, term in enumerate(head.terms):
                senses = _senses_of(term, env, base.words, floors)
                if senses is None:
                    continue
                here = f"at {statement.rule.file}:{statement.rule.line}"
                before, at = first.setdefault(place, (senses, here))
                if not senses & before:
                    found[helper[0], place + 1] = statement.fault(
                        f"{signature_text(helper)}: argument {place + 1} is a {_alternatives(senses)}, and a "
                        f"{_alternatives(before)} {at}: one name has one sense"
                    )
    yield from (fault for each, fault in found.items() if each not in mixed)
    for (name, number), declared in mixed.items():
        if (name, number) not in found:
            yield declared.fault(
                f"argument {number} of {name} is declared as mixed, but it has only one sense"
            )


def unread_helpers(base: KbView) -> Iterator[Fault]:
    """Yield helpers that no rule reads and that are not declared as unread."""
    rules = (*base.statements, *base.calculus)
    excused = {str(each.heads[0].terms[0]) for each in base.statements if each.declares == "unread"}
    read = {(atom.name, len(atom.terms)) for each in rules for atom in each.reads}
    for helper, statements in _deriving(base).items():
        declared = helper in base.words.predicates
        if helper not in read and helper[0] not in excused and not declared:
            yield statements[0][0].fault(f"no rule reads {signature_text(helper)}")


def _deriving(base: KbView) -> dict[Functor, list[tuple[SourceStatement, SourceAtom]]]:
    """Return the helpers and declared derived predicates, each with the rules that derive it."""
    found: dict[Functor, list[tuple[SourceStatement, SourceAtom]]] = {}
    own = {(atom.name, len(atom.terms)) for each in base.calculus for atom in each.atoms}
    for each in base.statements:
        if each.declares:
            continue
        for head in each.heads:
            helper = head.name, len(head.terms)
            if helper in own or head.name in calculus().heads:
                continue
            if helper not in base.words.predicates or helper in base.words.derived:
                found.setdefault(helper, []).append((each, head))
    return found


def _inferred(
    deriving: Mapping[Functor, list[tuple[SourceStatement, SourceAtom]]],
    words: DeclaredWords,
    floors: Collection[str],
) -> dict[Functor, tuple[Senses, ...]]:
    """Return the senses of the arguments of each helper, as far as its rules determine them."""
    known: dict[Functor, tuple[Senses, ...]] = {}
    while True:
        found = {}
        for helper, statements in deriving.items():
            rows = []
            for statement, head in statements:
                env = _environment(statement, known, words)
                rows.append([_senses_of(term, env, words, floors) for term in head.terms])
            found[helper] = tuple(map(_any_of, zip(*rows, strict=True)))
        if found == known:
            return known
        known = found


def _any_of(column: tuple[Senses, ...]) -> Senses:
    told = [senses for senses in column if senses is not None]
    return frozenset(chain.from_iterable(told)) if len(told) == len(column) else None


def _floors(base: KbView) -> frozenset[str]:
    """Return the words that name a level of a Location instead of a number."""
    terms = (each for one in base.statements for atom in one.atoms for each in walk(atom.terms))
    return frozenset(
        each.args[1].name
        for each in terms
        if isinstance(each, Fun) and each.functor == ("l", 2) and isinstance(each.args[1], Fun)
    )


def _environment(
    statement: SourceStatement, known: Mapping[Functor, tuple[Senses, ...]], words: DeclaredWords
) -> dict[str, frozenset[str]]:
    """Return the senses of the variables of a rule, from their atoms."""
    env: dict[str, frozenset[str]] = {}
    for atom in statement.atoms:
        for term, kind in argument_kinds(atom, words):
            _note(term, _of_kind(kind, words), env)
        if atom.part == "positive":
            for term, senses in zip(
                atom.terms, known.get((atom.name, len(atom.terms)), ()), strict=False
            ):
                _note(term, senses, env)
    return env


def _note(term: Term, senses: Senses, env: dict[str, frozenset[str]]) -> None:
    """Note the senses of the variables in a term that has one of these senses."""
    if isinstance(term, Var) and term.name != "_" and senses is not None:
        env[term.name] = env.get(term.name, senses) & senses or senses
    if isinstance(term, Fun) and term.functor in _INSIDE:
        for inner, kind in zip(term.args, _INSIDE[term.functor], strict=True):
            _note(inner, _OF_KINDS[kind], env)


def _senses_of(
    term: Term,
    env: Mapping[str, frozenset[str]],
    words: DeclaredWords,
    floors: Collection[str],
) -> Senses:
    """Return the possible senses of a term."""
    if isinstance(term, Var):
        return env.get(term.name)
    if isinstance(term, Const):
        return frozenset({"number"} if isinstance(term.value, int) else {"unit", "text"})
    if isinstance(term, Op):
        return frozenset({"number"})
    if term.functor in _OF_SHAPES:
        return frozenset({_OF_SHAPES[term.functor]})
    if term.args:
        return frozenset({"word"}) if functor(term) in words.forms else None
    if term.name.startswith("#"):
        return None
    return frozenset({"word", "number"} if term.name in floors else {"word"})


def _of_kind(kind: str, words: DeclaredWords) -> Senses:
    """Return the possible senses of a term of a declared kind."""
    if kind in _OF_KINDS:
        return _OF_KINDS[kind]
    forms = {"word"} if any(kind == each for each, _ in words.forms.values()) else set()
    listed = {_sense_of_word(each) for each in words.constants.get(kind, ())}
    return frozenset(forms | listed) or None


def _sense_of_word(word: str) -> str:
    return "number" if word.lstrip("-").isdigit() else "word"


def _alternatives(senses: Collection[str]) -> str:
    return " or ".join(sorted(senses))
