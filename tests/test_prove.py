"""`lab prove`: proved pairs never conflict on boards that other tests make.

The tableau is held against clingo on knowledge bases made at random, and against boards of the lab and of
the cases; it is made to fail by false axioms.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import count, islice

import clingo
import pytest
from click.testing import CliRunner

from rules_asp.cli.app import main
from rules_asp.game.grid import Grid
from rules_asp.knowledge.program import build, without_norm_rules
from rules_asp.knowledge.reader import kb_folder, read_rules
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.terms import Const, Fun, Var, from_symbol
from rules_asp.lab.branch import Branch
from rules_asp.lab.clauses import BodyLiteral, Denied, Differs, Holds, renamed, unify
from rules_asp.lab.consistency import (
    ATTEMPTS,
    Attempt,
    ClausePair,
    NormPair,
    Prover,
    norm_pairs,
    prove,
    verdict_of,
)
from rules_asp.lab.generator import load_generator
from rules_asp.lab.numbers import EVERY_CHOICE, Why
from rules_asp.lab.refutation import always_answered, never_apply, never_fails
from rules_asp.lab.tableau import Outcome, Tableau
from rules_asp.lab.theory import (
    IMPOSSIBLE,
    INVALID,
    Axiom,
    Encoding,
    Key,
    NamedAxiom,
    Theory,
    axioms,
    impossible,
)
from rules_asp.runtime.job_pool import LOCAL
from rules_asp.runtime.limits import Deadline
from tests.labs import EVENTS, SECTIONS, SMALL, random_boards, said_together, search, the_lab
from tests.positions import program
from tests.sampling import part, slow, some, tries, whole
from tests.small import SETTINGS, answers, small

# --- Knowledge bases of a few rules.

WORDS = f"""{SETTINGS}
input(p(any),closed,""). input(q(any),closed,""). input(r(any,any),closed,"").
input(n(any,number),open,""). once(n(any)).
"""


def prover(text: str, words: str = WORDS) -> Prover:
    """A prover for a few rules under the real calculus."""
    return Prover(Encoding(build(small(text, words=words))))


def verdicts(text: str, words: str = WORDS) -> dict[tuple[str, str], str]:
    """What is shown of the pairs of a few rules that speak of `t` or `d`."""
    shown = prover(text, words)

    def verdict(pair: NormPair) -> str:
        if any(not each.excluded for each in pair.clauses) and shown.always_wins(pair):
            return "settled"
        examined = [each for each in pair.clauses if not each.excluded]
        return verdict_of(shown, pair, [shown.of_clauses(each) for each in examined]).verdict

    pairs = (each for each in norm_pairs(shown.encoding) if each.kind in "td")
    return {(pair.one, pair.other): verdict(pair) for pair in pairs}


TAGS = "%@ A1.1-1  One.\n%@ A1.1-2  Two.\n%@ A1.1-3  Three.\n"
ONE, TWO, THREE = '"A1.1-1"', '"A1.1-2"', '"A1.1-3"'


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X).", "open"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X), not p(X).", "proved"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(Y),a) :- q(Y).", "type"),
        ("says(%1,t(X,1),a) :- p(X). says(%2,t(Y,2),b) :- q(Y).", "type"),
        # Two variables may be equal.
        ("says(%1,t(X),a) :- r(X,Y), p(Y). says(%2,t(X),b) :- r(X,Z), not p(Z).", "open"),
        ("says(%1,t(X),a) :- r(X,Y), Y = X. says(%2,t(X),b) :- p(X), not r(X,X).", "proved"),
        ("h(X) :- r(X,Y), X != Y. says(%1,t(X),a) :- h(X). says(%2,t(X),b) :- not h(X), p(X).",
         "proved"),
        # A helper has two values, an input that is stated once has one.
        ("h(X,Y) :- r(X,Y). says(%1,t(X),a) :- h(X,1). says(%2,t(X),b) :- h(X,2).", "open"),
        ("says(%1,t(X),a) :- n(X,1). says(%2,t(X),b) :- n(X,2).", "proved"),
        ("says(%1,t(X),a) :- n(X,N), N <= 2. says(%2,t(X),b) :- n(X,N), N > 2.", "proved"),
        ("says(%1,t(X),a) :- n(X,N), N <= 3. says(%2,t(X),b) :- n(X,N), N > 2.", "open"),
        # A topic has one value.
        ("says(%3,u(X),N) :- n(X,N). says(%1,t(X),a) :- is(u(X),1). says(%2,t(X),b) :- is(u(X),2).",
         "proved"),
        ("says(%3,u(X),N) :- r(X,N). says(%1,t(X),a) :- is(u(X),1). says(%2,t(X),b) :- is(u(X),2).",
         "proved"),
        ("says(%3,u(X),N) :- r(X,N). says(%1,t(X),a) :- is(u(X),1). says(%2,t(X),b) :- r(X,2).",
         "open"),
        # An aggregate has one value, whatever that is; two differ.
        ("h(X,N) :- p(X), N = #count { Y : r(X,Y) }. says(%1,t(X),a) :- h(X,N), N < 2. "
         "says(%2,t(X),b) :- h(X,N), N > 1.", "proved"),
        ("says(%1,t(X),a) :- p(X), N = #count { Y : r(X,Y) }, N < 2. says(%2,t(X),b) :- q(X).",
         "open"),
        ("h(X,N) :- p(X), N = #min { Y : r(X,Y) }. says(%1,t(X),N) :- h(X,N). "
         "says(%2,t(X),b) :- q(X).", "open"),
        ("says(%1,t(X),a) :- p(X), 2 <= #count { Y : r(X,Y) }. "
         "says(%2,t(X),b) :- p(X), 1 <= #count { Y : r(X,Y), q(Y) }.", "open"),
        # The same text counts other things if other variables of it are bound.
        ("says(%1,t(X),a) :- p(X), M = #count { A,X : r(X,A) }, M > 1. "
         "says(%2,t(A),b) :- p(A), K = #count { A,X : r(X,A) }, K < 1.", "open"),
        # Variables of two rules are different ones, whatever their names are.
        ("says(%1,t(X),a) :- q(X), not is(u(X),b). says(%2,t(X),b) :- q(X), not p(X), r(X,X). "
         "says(%2,u(X),b) :- q(X). adds(%3,u(X),1,x) :- r(X,X). overrides(%3,%2) :- p(X).", "open"),
        ("says(%1,t(X),a) :- is(u(X),a). says(%2,t(X),b) :- p(X), not r(X,a). "
         "says(%1,w(X),a) :- p(X). takes(%3,u(X),w(X)) :- r(X,Value).", "open"),
        ("takes(%1,t(X),u(X)) :- r(X,Taken), not r(X,b). takes(%2,t(X),w(X)) :- q(X). "
         "says(%3,u(X),a) :- p(X). says(%3,w(X),b) :- p(X).", "open"),
        # A lift counts where its condition holds, and where it is not lifted itself.
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X). lifts(%1,%2,t(X)) :- p(X).", "text"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X). lifts(%1,%2,t(X)) :- r(X,X).", "open"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X). lifts(%1,%2,t(X)) :- p(X). "
         "lifts(%3,%1,t(X)) :- r(X,X).", "text"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X). lifts(%3,%2,t(X)) :- p(X). "
         "lifts(%1,%3,t(X)) :- r(X,X).", "open"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- q(X). overrides(%1,%3). overrides(%3,%2).",
         "settled"),
        # A topic has the value that a norm gives it, unless it is unknown or there is a conflict.
        ("says(%3,u(X),a) :- p(X). says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- not is(u(X),a), p(X).",
         "proved"),
        ("says(%3,u(X),a) :- p(X). silent(%3,u(X),no_norm) :- q(X). says(%1,t(X),a) :- p(X). "
         "says(%2,t(X),b) :- not is(u(X),a), p(X).", "open"),
        ("says(%3,u(X),a) :- p(X). says(%3,u(X),b) :- q(X). says(%1,t(X),a) :- p(X). "
         "says(%2,t(X),b) :- not is(u(X),a), p(X).", "open"),
        ("says(%3,u(X),a) :- p(X). lifts(%1,%3,u(X)) :- q(X). says(%1,t(X),a) :- p(X). "
         "says(%2,t(X),b) :- not is(u(X),a), p(X).", "open"),
        ("says(%3,u(X),a) :- p(X). says(%1,t(X),a) :- is_unknown(u(X)). says(%2,t(X),b) :- p(X).",
         "proved"),
        ("says(%3,u(X),N) :- r(X,N). says(%1,t(X),a) :- is_unknown(u(X)). says(%2,t(X),b) :- p(X).",
         "open"),
        # A helper holds where the body of its rule does, also for a term that the reader leaves open.
        ("h(X,Y) :- r(Y,X). says(%1,t(X),a) :- p(X), r(Y,X). says(%2,t(X),b) :- p(X), not g(X). "
         "g(X) :- h(X,Y).", "proved"),
        ("h(X,Y) :- r(Y,X), q(Y). says(%1,t(X),a) :- p(X), r(Y,X). says(%2,t(X),b) :- p(X), not g(X). "
         "g(X) :- h(X,Y).", "open"),
        ("says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- p(X). lifts(%1,%2,t(L)) :- p(L), L = 1..3.",
         "open"),
        ("says(%1,t(L),a) :- q(X), L = 1..3. says(%2,t(L),b) :- p(X), L = 1..3. "
         "lifts(%1,%2,t(L)) :- q(X), L = 1..3.", "text"),
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X). exempts(%1).", "text"),
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X). exempts(%2).", "open"),
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X).", "open"),
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X), not p(X).", "proved"),
        # A permission that yields gives way to the prohibitions of other norms.
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X). yields(%1).", "settled"),
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X). yields(%2).", "open"),
        ("permits(%1,d(X)) :- p(X). permits(%2,d(X)) :- r(X,X). forbids(%2,d(X)) :- q(X). "
         "yields(%2).", "open"),
        ("permits(%1,d(X)) :- p(X). forbids(%1,d(X)) :- q(X). forbids(%2,d(X)) :- r(X,X). "
         "permits(%2,d(X)) :- p(X). yields(%1).", "open"),
        # A norm that yields is defeated only where it permits the deed.
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X). permits(%2,d(X)) :- r(X,X). "
         "forbids(%3,d(X)) :- p(X). yields(%2).", "open"),
        ("permits(%1,d(X)) :- p(X). forbids(%2,d(X)) :- q(X). permits(%2,d(Y)) :- q(Y). "
         "forbids(%3,d(X)) :- p(X). yields(%2).", "text"),
    ],
)  # fmt: skip
def test_a_pair(rules: str, verdict: str) -> None:
    text = TAGS + rules.replace("%1", ONE).replace("%2", TWO).replace("%3", THREE)
    assert verdicts(text)["A1.1-1", "A1.1-2"] == verdict


def test_a_difference_is_no_negation() -> None:
    rules = "h(X) :- n(X,N), r(X,-N). "
    rules += (
        f"says({ONE},t(X),a) :- n(X,N), r(X,N-K), r(K,K). says({TWO},t(X),b) :- p(X), not h(X)."
    )
    assert verdicts(f"{TAGS}{rules}")["A1.1-1", "A1.1-2"] == "open"


def test_a_variable_differs_from_a_text_with_its_name() -> None:
    assert Var("X") != Const("X")


@pytest.mark.parametrize(
    "rules",
    [
        # The least general generalization of a text and a variable is a variable.
        'h("X",X) :- q(X). h(X,X) :- p(X). says(%1,t(X),a) :- h(X,b), X != "X". '
        "says(%2,t(X),b) :- p(X).",
        # A text and a variable are two values of a topic.
        'says(%3,u(X),"Y") :- p(X). says(%3,u(X),Y) :- r(X,Y). '
        "says(%1,t(X),a) :- is_unknown(u(X)). says(%2,t(X),b) :- p(X).",
    ],
)
def test_a_text_with_the_name_of_a_variable(rules: str) -> None:
    text = TAGS + rules.replace("%1", ONE).replace("%2", TWO).replace("%3", THREE)
    assert verdicts(text)["A1.1-1", "A1.1-2"] == "open"
    assert _conflicts(text)


#: Defeats whose norms or topics are variables, each with a conflict of the first two norms.
_VARIABLE = [
    "lifts(%1,%3,T) :- topic(T). topic(u(X)) :- q(X).",
    "lifts(%1,N,u(X)) :- named(N), q(X). named(%3).",
    "lifts(N,%3,u(X)) :- named(N), q(X). named(%1).",
    "lifts(N,M,T) :- named(N,M), topic(T). named(%1,%3). topic(u(X)) :- q(X).",
    "overrides(N,%3) :- named(N). named(%2). adds(%2,u(X),1,x) :- q(X).",
    "overrides(%2,N) :- named(N). named(%3). adds(%2,u(X),1,x) :- q(X).",
    "overrides(%2,%3). adds(N,u(X),1,x) :- named(N), q(X). named(%2).",
    "silent(%2,T,no_norm) :- topic(T). topic(u(X)) :- q(X).",
]


@pytest.mark.parametrize("defeat", _VARIABLE)
def test_a_defeat_with_variables(defeat: str) -> None:
    rules = (
        "says(%3,u(X),a) :- p(X). says(%1,t(X),a) :- p(X). says(%2,t(X),b) :- not is(u(X),a), p(X)."
    )
    text, without = (
        TAGS + each.replace("%1", ONE).replace("%2", TWO).replace("%3", THREE)
        for each in (f"{rules} {defeat}", rules)
    )
    assert verdicts(text)["A1.1-1", "A1.1-2"] == "open"
    assert _conflicts(text)
    assert verdicts(without)["A1.1-1", "A1.1-2"] == "proved"


def test_a_value_of_a_variable_topic() -> None:
    text = (
        f"{TAGS}says({THREE},T,a) :- topic(T). topic(u(X)) :- q(X). says({THREE},u(X),b) :- n(X,1)."
    )
    text += f"says({ONE},t(X),a) :- is(u(X),a). says({TWO},t(X),b) :- p(X)."
    assert verdicts(text)["A1.1-1", "A1.1-2"] == "open"
    assert _conflicts(text)


def test_a_norm_that_yields_under_a_condition() -> None:
    rules = f"permits({ONE},d(X)) :- p(X). forbids({TWO},d(X)) :- q(X). "
    rules += f"lifts({THREE},{TWO},d(X)) :- p(X). permits({THREE},d(X)) :- p(X)."
    assert verdicts(f"{TAGS}{rules}")["A1.1-1", "A1.1-2"] == "text"
    assert verdicts(f"{TAGS}{rules} yields({THREE}).")["A1.1-1", "A1.1-2"] == "open"
    assert verdicts(f"{TAGS}{rules} yields({THREE}) :- q(b).")["A1.1-1", "A1.1-2"] == "open"


def test_facts_that_are_a_function() -> None:
    rule = f"says({ONE},t(X),N) :- p(X), r(X,_), n(X,K), f(K,N)."
    assert verdicts(f"{TAGS}f(1,a). f(2,b). {rule}") == {("A1.1-1", "A1.1-1"): "proved"}
    assert verdicts(f"{TAGS}f(1,a). f(1,b). {rule}") == {("A1.1-1", "A1.1-1"): "open"}


def test_the_patterns_of_atoms() -> None:
    rules = """
    h(f(X,Y),X) :- r(X,Y).
    g(S,X) :- h(S,X). g(f(a,Y),a) :- r(Y,Y).
    m(f(X),X) :- p(X). m(f(f(X)),f(X)) :- m(f(X),X).
    k(X,Y) :- r(X,Y). k(X,f(Z)) :- k(X,Z).
    no(X) :- h(X,Y), X = Y. no(f(X)) :- no(X).
    """
    theory = prover(
        f"{TAGS}{rules}says({ONE},t(X),a) :- g(X,Y), m(X,Y), k(X,Y), no(X)."
    ).encoding.theory
    patterns = {key[0]: str(theory.patterns.get(key)) for key in theory.clauses}
    assert patterns["h"] == patterns["g"].replace("g(", "h(") == "h(f(P??0,P??1),P??0)"
    assert patterns["m"] == "m(f(P??0),P??0)"
    assert patterns["k"] == patterns["no"] == "None"


def test_a_recursive_rule_that_nests_terms_without_end() -> None:
    rules = "h(X) :- h(f(X)), q(a). h(X) :- p(X)."
    pair = f"says({ONE},t(X),a) :- q(X), not h(X). says({TWO},t(X),b) :- q(X), r(X,a)."
    assert verdicts(f"{TAGS}{rules}{pair}")["A1.1-1", "A1.1-2"] == "open"


def test_a_norm_against_itself() -> None:
    assert verdicts(f"{TAGS}says({ONE},t(X),Y) :- r(X,Y).") == {("A1.1-1", "A1.1-1"): "open"}
    assert verdicts(f"{TAGS}says({ONE},t(X),Y) :- n(X,Y).") == {("A1.1-1", "A1.1-1"): "proved"}
    both = f"{TAGS}yields({ONE}). permits({ONE},d(X)) :- p(X). forbids({ONE},d(X)) :- q(X)."
    assert verdicts(both) == {("A1.1-1", "A1.1-1"): "open"}


# --- Against clingo, on rules made at random.

_TERMS = ("X", "Y", "Z", "a", "1")


class _Maker:
    """Rules made at random, of a few inputs, helpers and topics."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        lines = [TAGS]
        helpers = ["h1", "h2", "h3"]
        for at, name in enumerate(helpers):
            for _ in range(self._random.randint(1, 2)):
                # A recursive rule with a compound term may have no finite grounding.
                flat = self._random.random() < 0.7
                readable = helpers[: at + (flat and self._random.random() < 0.3)]
                body = self._body(readable, ("X", "Y"), below=helpers[:at])
                lines.append(f"{name}({'X' if flat else 'f(X)'},Y) :- {body}.")
        for norm in self._random.sample((ONE, TWO, THREE), self._random.randint(1, 2)):
            value = self._random.choice(("a", "b", "Y"))
            body = self._body(helpers, ("X", "Y") if value == "Y" else ("X",))
            lines.append(f"says({norm},u(X),{value}) :- {body}.")
        for norm, value in ((ONE, "a"), (TWO, "b")):
            body = self._body(helpers, ("X",), True)
            lines.append(f"says({norm},t(X),{value}) :- {body}.")
        for _ in range(self._random.randint(0, 2)):
            winner, loser = self._random.sample((ONE, TWO, THREE), 2)
            topic = self._random.choice(("t", "u"))
            lines.append(f"lifts({winner},{loser},{topic}(X)) :- {self._body(helpers, ('X',))}.")
        return "\n".join(lines)

    def _body(
        self,
        helpers: list[str],
        bound: tuple[str, ...],
        topics: bool = False,
        below: list[str] | None = None,
    ) -> str:
        """A body; `below`: the only helpers under `not`, so that the rules stay stratified."""
        literals = [self._atom(helpers, topics) for _ in range(self._random.randint(1, 2))]
        literals += [f"q({each})" for each in bound if each not in " ".join(literals)]
        known = [each for each in "XYZ" if each in " ".join(literals)]
        for _ in range(self._random.randint(0, 2)):
            literals.append(self._denied(helpers if below is None else below, known, topics))
        if self._random.random() < 0.4:
            sign = self._random.choice(("!=", "=", "<", "<="))
            literals.append(f"{self._random.choice(known)} {sign} {self._term(known)}")
        if self._random.random() < 0.15:
            one = self._random.choice(known)
            literals.append(f"{one} = {self._random.choice(known)}+1")
        if self._random.random() < 0.15:
            one = self._random.choice(known)
            guard = self._random.choice(("1 <=", "not 1 <=", "1 =", "C ="))
            literals.append(f"{guard} #count {{ A : r({one},A) }}")
        return ", ".join(literals)

    def _atom(self, helpers: list[str], topics: bool) -> str:
        one, two = self._random.choice(_TERMS), self._random.choice(_TERMS)
        atoms = [f"p({one})", f"r({one},{two})", f"n({one},{two})", f"p({one})"]
        atoms += [f"{name}({self._part(one)},{two})" for name in helpers]
        if topics:
            atoms += [f"is(u({one}),{two})", f"undefeated_value(_,u({one}),{two})"]
        return self._random.choice(atoms)

    def _denied(self, helpers: list[str], known: list[str], topics: bool) -> str:
        one, two = self._term(known), self._random.choice((self._term(known), "_"))
        atoms = [f"p({one})", f"r({one},{two})", f"n({one},{two})"]
        atoms += [f"{name}({self._part(one)},{two})" for name in helpers]
        if topics:
            atoms += [f"is(u({one}),{two})"]
        return f"not {self._random.choice(atoms)}"

    def _part(self, term: str) -> str:
        """A term of a helper: compound ones are in the heads of some."""
        return f"f({term})" if self._random.random() < 0.3 else term

    def _term(self, known: list[str]) -> str:
        return self._random.choice((*known, "a", "1"))


_BOARDS = """
dom(a;b;1;2).
{ p(X) : dom(X) }. { q(X) : dom(X) }. { r(X,Y) : dom(X), dom(Y) }.
{ n(X,N) : N = 0..3 } 1 :- dom(X).
"""


def _conflicts(text: str, one: str = ONE, other: str = TWO) -> bool:
    """Whether some board over four things shows a conflict of the two norms."""
    program = build(small(text, words=WORDS))
    control = clingo.Control(["--warn=none"])
    rules = "\n".join(rule.text for rule in program.rules)
    wanted = f"shown :- conflict(t(_),{one},{other}). :- not shown."
    control.add(
        "base", [], f"{program.defined}\n{rules}\n{program.shared_facts}\n{_BOARDS}\n{wanted}"
    )
    control.ground([("base", [])])
    return bool(control.solve().satisfiable)


class _Seeder(_Maker):
    """Rules made at random that conflict only in a way that a prover may overlook."""

    #: What the conflict needs.
    KINDS = ("equal variables", "two values", "itself", "aggregate", "chain of lifts")

    def seeded(self, kind: str) -> tuple[str, str]:
        """Rules of such a conflict, and rules that take it away."""
        helper = f"h(X,Y) :- r(X,Y), {self._body([], ('X', 'Y'))}."
        first, second = (self._body(["h"], ("X",), True) for _ in range(2))
        loser, more, without = TWO, "", f"overrides({ONE},{TWO})."
        one, two = self._random.sample(("a", "1", "2"), 2)
        match kind:
            case "equal variables":
                more = "g(X) :- r(X,A), X != A."
                first, second = f"r(X,A), {first}", f"not g(X), {second}"
                without = "g(X) :- r(X,X)."
            case "two values":
                first, second = f"h(X,{one}), {first}", f"h(X,{two}), {second}"
                without = f":- h(X,{one}), h(X,{two})."
            case "itself":
                loser = ONE
                without = f":- says({ONE},t(X),a), says({ONE},t(X),b)."
            case "aggregate":
                sign, most = self._random.choice(("<", "<=", "=")), self._random.randint(1, 2)
                first = f"M = #count {{ A : r(X,A) }}, M > {most - 1}, {first}"
                second = f"K = #count {{ A : r(X,A), q(A) }}, K {sign} {most}, {second}"
            case "chain of lifts":
                more = f"lifts({THREE},{ONE},t(X)) :- q(X)."
                first = f"q(X), {first}"
                without, lifts = "", f"lifts({TWO},{THREE},t(X)) :- {self._body(['h'], ('X',))}."
                text = self._said(helper, more, first, second, loser)
                return f"{text}\n{lifts}", text
        text = self._said(helper, more, first, second, loser)
        return text, f"{text}\n{without}"

    def _said(self, helper: str, more: str, first: str, second: str, loser: str) -> str:
        said = f"says({ONE},t(X),a) :- {first}.\nsays({loser},t(X),b) :- {second}."
        return f"{TAGS}{helper}\n{more}\n{said}"


def _seeded_conflicts(kind: str) -> Iterator[str]:
    for seed in count():
        text, without = _Seeder(seed).seeded(kind)
        loser = ONE if kind == "itself" else TWO
        if _conflicts(text, ONE, loser) and not _conflicts(without, ONE, loser):
            yield text


@pytest.mark.parametrize("kind", part(_Seeder.KINDS, 2))
def test_no_seeded_conflict_is_proved_away(kind: str) -> None:
    pair = ("A1.1-1", "A1.1-1" if kind == "itself" else "A1.1-2")
    for text in islice(_seeded_conflicts(kind), tries(24)):
        assert verdicts(text)[pair] == "open", text


def _texts(most: int) -> Iterator[str]:
    for seed in range(most):
        yield _Maker(seed).text()


def test_no_board_shows_what_is_proved() -> None:
    proved = clashing = 0
    for text in _texts(tries(60)):
        verdict = verdicts(text).get(("A1.1-1", "A1.1-2"))
        conflict = _conflicts(text)
        clashing += conflict
        if verdict in ("proved", "text", "type", "settled"):
            proved += 1
            assert not conflict, text
    # Else nothing was tried.
    assert proved
    assert clashing


# --- Against boards of the lab: what is said there together is never proved away.


@cache
def shipped() -> Prover:
    """A prover for the shipped rules."""
    return Prover(Encoding(program()))


@cache
def pairs() -> dict[tuple[str, str, str], NormPair]:
    """The pairs of the shipped rules that the terms do not exclude."""
    return {(e.kind, e.one, e.other): e for e in norm_pairs(shipped().encoding)}


def _excluded(shown: Prover, pair: NormPair, ranked: bool = False) -> bool:
    """Whether it is proved that two norms never speak together, or `ranked`: never both undefeated."""
    examined = [each for each in pair.clauses if not each.excluded]
    return all(
        any(shown.refuted(each, a.depth, a.steps, ranked, False).closed for a in ATTEMPTS)
        for each in examined
    )


class _Anew(Tableau):
    """A tableau that propagates all bodies each time, also those that read nothing new."""

    def _instances(
        self, branch: Branch, pattern: Fun, most: int, new: Set[tuple[str, int]] | None = None
    ) -> Iterator[tuple[Fun, tuple[BodyLiteral, ...]]]:
        return super()._instances(branch, pattern, most)


def test_what_reads_nothing_new_need_not_be_propagated_again() -> None:
    every = [c for pair in pairs().values() for c in pair.clauses if not c.excluded]
    closed = 0
    for each in random.Random(5).sample(every, tries(60)):
        once, anew = (
            of.refute((*each.goal(of, True), Denied(INVALID)))
            for of in (way(shipped().encoding.theory, 3, 100) for way in (Tableau, _Anew))
        )
        assert (once.closed, once.steps) == (anew.closed, anew.steps), each
        closed += once.closed
    assert closed


class _WithoutBackjumping(Tableau):
    """A tableau that follows each option: whatever closes one depends on every choice."""

    def _taken(
        self, branch: Branch, option: Callable[[Branch, Why], None], because: Why
    ) -> Why | None:
        return None if super()._taken(branch, option, because) is None else EVERY_CHOICE


def _closes(way: type[Tableau], of: Prover, pair: ClausePair) -> bool | None:
    """Whether a search closes a pair of clauses; None if it is too long."""
    found = (search := way(of.encoding.theory, 4, 400)).refute(pair.goal(search, True))
    return None if found.steps > 400 else found.closed


def test_backjumping_closes_no_open_branch() -> None:
    every = [c for pair in pairs().values() for c in pair.clauses if not c.excluded]
    chosen = [(shipped(), each) for each in random.Random(7).sample(every, tries(600))]
    for of in map(prover, _texts(tries(60))):
        found = (c for pair in norm_pairs(of.encoding) for c in pair.clauses)
        chosen += [(of, each) for each in found if not each.excluded]
    shown = set()
    for of, pair in chosen:
        with_it, without = (_closes(way, of, pair) for way in (Tableau, _WithoutBackjumping))
        assert with_it == without or None in (with_it, without), pair
        shown.add(without)
    # Else nothing was tried.
    assert {True, False} <= shown


def _without_precedence(pair: NormPair) -> Prover:
    """The shipped rules without all by which another norm defeats one of a pair."""
    whole = shipped().encoding
    left = Encoding(whole.program)
    theory = whole.theory

    def kept(key: Key) -> bool:
        return key[1] != 0 or key[0] not in (pair.one, pair.other)

    clauses = {key: found for key, found in theory.clauses.items() if kept(key)}
    denials = {key: found for key, found in theory.denials.items() if kept(key)}
    vars(left)["theory"] = replace(theory, clauses=clauses, denials=denials)
    vars(left)["wins"] = {}
    vars(left)["yielding"] = frozenset()
    return Prover(left)


@cache
def _boards(event: str) -> tuple[list[clingo.Symbol], ...]:
    grid = Grid(3, 2) if whole() else SMALL
    return tuple(random_boards(the_lab(), event, grid, tries(5), SECTIONS))


@slow
@pytest.mark.parametrize("event", some(EVENTS, 9))
def test_what_is_said_together_is_not_proved_away(event: str) -> None:
    met = dict.fromkeys(each for atoms in _boards(event) for each in said_together(atoms))
    assert met
    for key in some(tuple(met), 60, 2000, event):
        assert not _excluded(shipped(), pairs()[key]), key
    # Where nothing ranks the two, they conflict.
    for key in some(tuple(met), 12, 100, event):
        assert not _excluded(_without_precedence(pairs()[key]), pairs()[key], True), key


@slow
@pytest.mark.parametrize("event", some(EVENTS, 9))
def test_an_atom_that_holds_is_the_head_of_a_clause(event: str) -> None:
    encoding = shipped().encoding
    read = {node for rule in encoding.program.source.rules for node in (*rule.heads, *rule.body)}
    known = {(node.name, node.arity) for node in read}
    for atom in {atom for atoms in _boards(event) for atom in atoms}:
        term = from_symbol(atom)
        assert isinstance(term, Fun)
        clauses = encoding.theory.clauses_for(term) if term.functor in known else None
        heads = (renamed(clause, 1).head for clause in clauses or ())
        assert clauses is None or any(unify(head, term, {}) for head in heads), atom
        pattern = encoding.theory.pattern_for(term)
        assert pattern is None or unify(pattern, term, {}), atom


def _broken(axiom: NamedAxiom, atoms: Sequence[clingo.Symbol]) -> bool:
    """Whether atoms of an answer set contradict an axiom."""
    values: dict[tuple[clingo.Symbol, ...], set[tuple[clingo.Symbol, ...]]] = {}
    for atom in atoms:
        if (atom.name, len(atom.arguments)) == (axiom.name, axiom.arity):
            key = tuple(atom.arguments[at] for at in axiom.axiom.keys)
            values.setdefault(key, set()).add(
                tuple(atom.arguments[at] for at in axiom.axiom.values)
            )
    return any(len(each) > 1 for each in values.values())


@slow
@pytest.mark.parametrize("event", some(EVENTS, 9))
def test_axioms_hold_on_boards(event: str) -> None:
    for atoms in _boards(event):
        kinds: dict[tuple[str, int], list[clingo.Symbol]] = {}
        for atom in atoms:
            kinds.setdefault((atom.name, len(atom.arguments)), []).append(atom)
        for axiom in axioms(program()):
            of_kind = kinds.get((axiom.name, axiom.arity), ())
            assert not _broken(axiom, of_kind), axiom


def _shows_impossible(rule: str, atoms: Sequence[clingo.Symbol]) -> bool:
    """Whether the body of a statement that is called impossible holds in an answer set."""
    control = clingo.Control(["--warn=none"])
    text = "".join(f"{atom}.\n" for atom in atoms)
    control.add("base", [], f"{text}{rule}\n:- not {IMPOSSIBLE}(_,_). #defined {IMPOSSIBLE}/2.")
    control.ground([("base", [])])
    return bool(control.solve().satisfiable)


@slow
@pytest.mark.parametrize("event", some(EVENTS, 9))
def test_what_is_impossible_is_on_no_board(event: str) -> None:
    clauses = impossible()
    read = {
        each.atom.name
        for clause in clauses
        for each in clause.body
        if isinstance(each, Holds | Denied)
    }
    for atoms in _boards(event):
        near = [atom for atom in atoms if atom.name in read]
        assert not any(_shows_impossible(clause.rule, near) for clause in clauses)


def _counterexample(axiom: NamedAxiom) -> tuple[BodyLiteral, ...]:
    """The literals that hold together only if an axiom is false."""
    terms = {(at, n): Var(f"Term{at}#{n}") for at in range(axiom.arity) for n in (1, 2)}
    terms |= {(at, 2): terms[at, 1] for at in axiom.axiom.keys}
    args = [tuple(terms[at, n] for at in range(axiom.arity)) for n in (1, 2)]
    differ = Differs(tuple((terms[at, 1], terms[at, 2]) for at in axiom.axiom.values))
    return (*(Holds(Fun(axiom.name, each)) for each in args), differ)


def _without(removed: Sequence[NamedAxiom]) -> Theory:
    theory = shipped().encoding.theory
    names = {each.axiom for each in removed}
    kept = {key: [a for a in told if a not in names] for key, told in theory.axioms.items()}
    return replace(theory, axioms=kept)


def test_each_axiom_has_an_argument() -> None:
    text = (kb_folder() / "CALCULUS.md").read_text("utf-8")
    table = text.partition("\n## Axioms\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)\b[^`]*`", row)}
    read = [e for clause in impossible() for e in clause.body if isinstance(e, Holds | Denied)]
    named = {each.name for each in axioms(program()) if each.ground != "vocabulary"}
    assert (named - {IMPOSSIBLE}) | {each.atom.name for each in read} <= listed


def test_axioms_that_are_called_proved_have_a_proof() -> None:
    proved = [each for each in axioms(program()) if each.ground == "proved"]
    assert proved
    for axiom in proved:
        assert Tableau(_without(proved), 3, 100).refute(_counterexample(axiom)).closed, axiom


def test_an_axiom_of_the_map_has_no_proof() -> None:
    of_map = [each for each in axioms(program()) if each.ground == "map" and each.axiom.values]
    assert of_map
    for axiom in of_map:
        assert not Tableau(_without(of_map), 3, 100).refute(_counterexample(axiom)).closed, axiom


def test_a_false_impossibility_is_seen() -> None:
    rule = f'{IMPOSSIBLE}(seeded,"it is false") :- next(H,_,G), H != G.'
    near = [atom for atom in _boards("board")[0] if atom.name == "next"]
    assert _shows_impossible(rule, near)


@pytest.mark.parametrize(
    ("name", "arity", "keys", "values"),
    [("part", 2, (0,), (1,)), ("says", 3, (0,), (2,)), ("next", 3, (0,), (2,))],
)
def test_a_false_axiom_is_seen(
    name: str, arity: int, keys: tuple[int, ...], values: tuple[int, ...]
) -> None:
    false = NamedAxiom(name, arity, Axiom(name, keys, values), "seeded", "it is false")
    assert any(_broken(false, atoms) for atoms in _boards("board"))


def test_a_false_axiom_proves_what_a_board_shows() -> None:
    text = f"{TAGS}says({ONE},t(X),a) :- r(X,1). says({TWO},t(X),b) :- r(X,2)."
    assert verdicts(text)["A1.1-1", "A1.1-2"] == "open"
    false = verdicts(text, f"{WORDS}once(r(any)).")
    assert false["A1.1-1", "A1.1-2"] == "proved"
    assert _conflicts(text)


class _OnlyValid(Prover):
    """A prover that closes a pair only on boards that violate no norm, and notes its attempts."""

    def refuted(
        self, pair: ClausePair, depth: int, steps: int, ranked: bool, valid: bool
    ) -> Outcome:
        _tried.append(Attempt(depth, steps, ranked, valid))
        return Outcome(valid, frozenset(), frozenset(), (), 1)


_tried: list[Attempt] = []


def test_no_attempt_is_made_twice() -> None:
    text = f"{TAGS}says({ONE},t(X),a) :- p(X). says({TWO},t(X),b) :- q(X)."
    shown = _OnlyValid(prover(text).encoding)
    (clauses,) = (c for each in norm_pairs(shown.encoding) for c in each.clauses if not c.excluded)
    found = shown.of_clauses(clauses)
    assert (found.closed, found.ranked, found.valid) == (True, False, True)
    assert _tried == list(ATTEMPTS[:3])


# --- Open pairs that the text decides, each with its paragraph.


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    part(
        [
            # B23.741: only Factory hexes do not block. Night and Hindrances do (B23.741-2, E1.17).
            ("sight", "B23.741-1", "E1.17-1"),
            ("sight", "A6.7-2", "B23.741-1"),
            # R-T18b: walls, woods and higher ground block inside a Factory.
            ("sight", "B23.741-1", "B9.521-1"),
            # R-B9.3: no wall, hedge or bocage exists inside a building depiction.
            ("cover", "B23.741-3", "B9.3-2"),
            # ABTF3.1: where ABTF 3 and B23.74 differ, ABTF 3 goes first, where it is in force.
            ("sight", "ABTF3.31-2", "B23.741-1"),
            # BRT7.21, PB6.21: a Tower is never Fortified.
            ("fortify", "B23.912-1", "BRT7.21-5"),
            ("fortify", "B23.912-1", "PB6.21-5"),
            # BRT7.2, PB6.2: a Tower has one Location above the ground.
            ("has_level", "B23.72-4", "BRT7.2-3"),
            ("has_level", "B23.71-2", "PB6.2-3"),
            # PB6.42: each level of the stairwell of a Tower costs 1 MF.
            ("entry_cost", "B23.4-6", "PB6.42-3"),
            # BRT7.1, PB6.1: the hexes that they name are Towers, which are buildings of one hex.
            ("tower_of", "BRT7.1-4", "BRT7.1-5"),
            ("tower_of", "PB6.1-4", "PB6.1-5"),
            # ABTF3.332: no more Breaches than were bought, or listed.
            ("set_up_breach", "ABTF3.332-2", "ABTF3.332-2"),
            # B24.1: the levels that become rubble are upper levels.
            ("tem_at", "B23.421-8", "B23.73-4"),
            # PB4.11 and PB4.124 are about clearance: bridges and roadblocks stop a vehicle all the same.
            ("step", "B6.4-2", "PB4.11-5"),
            ("step", "B29.4-1", "PB4.124-1"),
            # Towers of PB 6 and BRT 7 are on different maps; a Factory has no floor above the ground.
            ("tower_level", "BRT7.2-4", "PB6.2-1"),
        ],
        6,
    ),
)
def test_what_the_text_decides_is_not_open(kind: str, one: str, other: str) -> None:
    pair = pairs()[kind, one, other]
    examined = [each for each in pair.clauses if not each.excluded]
    assert shipped().always_wins(pair) or all(
        shipped().refuted(each, *ATTEMPTS[2]).closed for each in examined
    )


def test_an_ssr_against_a_paragraph_is_a_board() -> None:
    # tests/cases/b23_71_no_upper_levels.board: the search leaves it out, a proof may not.
    pair = pairs()["has_level", "B23.71-2", "GR.2-6"]
    assert not all(shipped().of_clauses(each).closed for each in pair.clauses if not each.excluded)


# --- What never happens.


def test_what_never_fails_is_proved() -> None:
    lab = search(the_lab())
    assert never_fails(lab, "factory(H) => building_hex(H)")
    assert not never_fails(lab, "factory(H) => height(H) >= 3")


def test_a_norm_that_never_applies() -> None:
    rules = f"%@ A1.1-1  One.\nsays({ONE},t(X),a) :- p(X), not p(X).\n"
    rules += f"%@ A1.1-2  Two.\nsays({TWO},t(X),b) :- p(X), not q(X).\n"
    source = build(small(rules, words=WORDS))
    assert list(never_apply(source, ["A1.1-1", "A1.1-2"])) == ["A1.1-1"]
    assert not list(never_apply(source, ["A1.1-1"], clock=Deadline(0)))


def test_a_kind_of_question_that_always_has_an_answer() -> None:
    # A TEM depends on the cover, and the cover always has a value or is unknown.
    found = always_answered(the_lab())
    assert {("drm", 1), ("tem", 1)} <= found
    assert {("mf", 1), ("building_for", 2)}.isdisjoint(found)
    assert not always_answered(the_lab(), clock=Deadline(0))


@slow
@pytest.mark.parametrize("norm", some(["GR.11-1", "GR.11-4", "C3.7-1"], 1))
def test_a_kind_without_a_norm_that_it_needs_may_have_no_answer(norm: str) -> None:
    changed = build(without_norm_rules(program().source, norm))
    found = always_answered(load_generator(program=changed))
    assert ("tem", 1) not in found
    assert ("allotment", 1) in found


#: Rules on the topic t(X) of each p(X); whether it provably has a value or is unknown; and whether
#: some board leaves it without.
ANSWERS = [
    ("says(%1,t(X),1) :- p(X).", True, False),
    ("says(%1,t(X),1) :- p(X), q(X).", False, True),
    ("says(%1,t(X),1) :- p(X), q(X). silent(%2,t(X),no_norm) :- p(X), not q(X).", True, False),
    ("offers(%1,t(X),1) :- p(X). takes(%2,t(X),u(X)) :- p(X), q(X).", True, False),
    # A norm that is defeated by another leaves the topic to the other.
    ("says(%1,t(X),1) :- p(X). says(%2,t(X),2) :- p(X), q(X). overrides(%2,%1).", True, False),
    # A norm that only adds leaves the topic without a value.
    ("says(%1,t(X),1) :- p(X). adds(%2,t(X),2,q) :- p(X), q(X). overrides(%2,%1).", False, True),
    (
        "says(%1,t(X),1) :- p(X). says(%2,t(X),2) :- p(X), q(X). adds(%3,t(X),2,q) :- p(X), q(X). "
        "overrides(%2,%1). overrides(%3,%2).",
        False,
        True,
    ),
    # A lift leaves nothing in its place, of one topic or of any.
    ("says(%1,t(X),1) :- p(X). lifts(%2,%1,t(X)) :- q(X).", False, True),
    ("says(%1,t(X),1) :- p(X). topic(t(X)) :- q(X). lifts(%2,%1,T) :- topic(T).", False, True),
    ("says(%1,t(X),1) :- p(X). lifts(%2,N,t(X)) :- q(X), asked_of(N). asked_of(%1).", False, True),
    (
        "says(%1,t(X),1) :- p(X). says(%2,t(X),2) :- p(X). lifts(%3,%1,t(X)) :- q(X). "
        "overrides(%1,%2).",
        True,
        False,
    ),
    # Two norms that override each other.
    (
        "says(%1,t(X),1) :- p(X). says(%2,t(X),2) :- p(X). overrides(%1,%2). overrides(%2,%1).",
        True,
        False,
    ),
]


@pytest.mark.parametrize(("rules", "proved", "gap"), ANSWERS)
def test_a_topic_certainly_has_a_value_or_is_unknown(rules: str, proved: bool, gap: bool) -> None:
    text = TAGS + rules.replace("%1", ONE).replace("%2", TWO).replace("%3", THREE)
    (goal,) = read_rules("goal(1) :- p(X), not answered(t(X)).")[0]
    encoding = Encoding(build(small(text, words=WORDS)), more=(goal,), answers=True)
    closed = Tableau(encoding.theory, 5, 600).refute([Holds(Fun("goal", (Const(1),)))]).closed
    assert closed == proved
    without = {
        facts
        for facts in ("p(1).", "p(1). q(1).")
        for found in answers(text, facts)
        if not any(each.startswith(("is(t(1),", "is_unknown(t(1)")) for each in found)
    }
    assert bool(without) == gap


@slow
@pytest.mark.parametrize("event", some(["shot(critical)", "pace", "stacking", "duty"], 1))
def test_no_random_board_lacks_an_answer_that_provably_exists(event: str) -> None:
    found = always_answered(the_lab())
    nodes = [
        Signature(name, arity, kind)
        for kind in found
        for name, arity in (("due", 1), ("is", 2), ("is_sum", 1), ("is_unknown", 1))
    ]
    due = 0
    for atoms in random_boards(the_lab(), event, SMALL, tries(60), SECTIONS, also=tuple(nodes)):
        answered = {
            each.arguments[0] for each in atoms if each.name in ("is", "is_sum", "is_unknown")
        }
        topics = [each.arguments[0] for each in atoms if each.name == "due"]
        wanted = {each for each in topics if (each.name, len(each.arguments)) in found}
        assert wanted <= answered
        due += len(wanted)
    assert due


# --- The command.


@slow
def test_the_command_shows_a_pair() -> None:
    shown = CliRunner().invoke(main, ["lab", "prove", "B23.21-2", "B23.23-2"])
    assert "height: proved for all boards" in shown.output
    assert shown.exit_code == 0


@slow
def test_of_rules_that_never_contradict_by_form_nothing_else_is_told() -> None:
    # Both are offers: the greatest counts, so both answer one question and never contradict.
    shown = CliRunner().invoke(main, ["lab", "prove", "B23.921-1", "B23.31-1"])
    assert "By their form, these rules never contradict each other." in shown.output


@slow
def test_what_did_not_change_is_not_done_again() -> None:
    chosen = [each for each in pairs().values() if each.kind == "construction"]
    first, second = (prove(shipped(), chosen, Deadline(), LOCAL) for _ in range(2))
    assert first.verdicts == second.verdicts
    assert not second.anew
