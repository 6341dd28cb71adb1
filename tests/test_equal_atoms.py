"""Equal atoms of two rule sets: no answer set of a ground program may contradict them."""

from __future__ import annotations

import random
import re

import clingo
import pytest

from rules_asp.lab.equal_atoms import EqualAtoms, GroundRules, pairs_of
from rules_asp.lab.generator import OTHER

#: The predicates of the random programs: their rules occur twice.
_DOUBLED = [(name, 1) for name in "pqr"]


def other(rules: str) -> str:
    """Return rules with the names of the second rule set."""
    return re.sub(r"\b([pqr])\(", rf"\1{OTHER}(", rules)


def compared(program: str) -> tuple[clingo.Control, EqualAtoms]:
    """Ground a program, and compare its atoms."""
    control = clingo.Control(["--models=0", "--warn=none"])
    rules = GroundRules()
    control.register_observer(rules)
    control.add("base", [], program)
    control.ground([("base", [])])
    atoms = control.symbolic_atoms
    named = [
        atom.literal
        for name, arity, _ in atoms.signatures
        if name != "goal"
        for atom in atoms.by_signature(name, arity)
    ]
    return control, EqualAtoms.among(rules, pairs_of(atoms, _DOUBLED), named)


def contradictions(control: clingo.Control, bodies: list[tuple[int, ...]]) -> int:
    """Count the answer sets that satisfy at least one body."""
    count = 0
    with control.solve(yield_=True) as models:
        for model in models:
            count += any(all(model.is_true(each) for each in body) for body in bodies)
    return count


def random_program(chance: random.Random) -> str:
    """Return a program whose rules occur twice. A few of the copies differ, or are missing."""
    atoms = [f"{name}({number})" for name, _ in _DOUBLED for number in range(3)]
    lines = ["{ c(0..3) }.", "{ r(0) } :- c(0).", "{ r_other(0) } :- c(0)."]

    def literal() -> str:
        return chance.choice(("", "", "not ")) + chance.choice([*atoms, "c(0)", "c(1)", "c(2)"])

    def body() -> str:
        if chance.random() < 0.25:
            weights = (f"{chance.randint(-2, 2)},{at} : {literal()}" for at in range(3))
            return f"{chance.randint(-1, 2)} <= #sum {{ {' ; '.join(weights)} }}"
        return ", ".join(literal() for _ in range(chance.randint(1, 3)))

    changes = chance.choice((0, 0, 0.1))
    for _ in range(chance.randint(4, 16)):
        head, one = chance.choice(atoms), body()
        lines.append(f"{head} :- {one}.")
        if chance.random() >= changes:
            lines.append(other(f"{head} :- {body() if chance.random() < changes else one}."))
    lines += [
        line.format(name=name, other=name + OTHER)
        for name, _ in _DOUBLED
        for line in (
            "goal({name},X) :- {name}(X), not {other}(X).",
            "goal({name},X) :- {other}(X), not {name}(X).",
        )
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(200))
def test_no_answer_set_contradicts_equal_atoms(seed: int) -> None:
    control, equal = compared(random_program(random.Random(seed)))
    goals = [atom.literal for atom in control.symbolic_atoms.by_signature("goal", 2)]
    impossible = [(goal,) for goal in goals if equal.is_impossible(goal)]
    assert contradictions(control, [*equal.constraints, *impossible]) == 0


def test_the_random_programs_have_equal_atoms() -> None:
    programs = [compared(random_program(random.Random(seed)))[1] for seed in range(200)]
    assert sum(len(each.equal) for each in programs) > 200


@pytest.mark.parametrize(
    ("rules", "equal"),
    [
        ("p(1) :- c(0). p(1) :- c(1), not c(2).", 1),
        # Recursive rules, also through another atom of the pair.
        ("p(1) :- c(0). p(1) :- q(1). q(1) :- p(1), c(1).", 2),
        ("p(1) :- c(0), 2 <= #sum { 2 : q(1) ; 1 : c(1) }. q(1) :- c(2).", 2),
        # Each of two atoms that exclude each other may hold on one side alone.
        ("p(1) :- c(0), not q(1). q(1) :- c(0), not p(1).", 0),
        ("p(1) :- c(0), not q(1). q(1) :- c(0), not p(1). r(1) :- c(1).", 1),
        # A choice is free on each side.
        ("{ p(1) } :- c(0). q(1) :- p(1).", 0),
    ],
)
def test_atoms_with_equal_rules_are_equal(rules: str, equal: int) -> None:
    control, found = compared(f"{{ c(0..2) }}. {rules} {other(rules)}")
    assert len(found.equal) == equal
    assert contradictions(control, [*found.constraints]) == 0


def test_one_different_rule_makes_all_atoms_above_it_different() -> None:
    rules = "q(1) :- p(1). q(2) :- p(2). r(1) :- q(1)."
    copy = "q_other(1) :- p_other(1). q_other(2) :- p_other(2). r_other(1) :- q_other(1)."
    own = "p(1) :- c(0). p(2) :- c(1). p_other(1) :- c(0), c(1). p_other(2) :- c(1)."
    control, found = compared(f"{{ c(0..1) }}. {own} {rules} {copy}")
    names = {atom.literal: str(atom.symbol) for atom in control.symbolic_atoms}
    assert {names[one] for one in found.equal} == {"p_other(2)", "q_other(2)"}


@pytest.mark.parametrize(("second", "impossible"), [(2, True), (3, False)])
def test_equal_addends_cancel(second: int, impossible: bool) -> None:
    control, found = compared(
        "{ c(0..1) }. p(1) :- c(0). p_other(1) :- c(0). q(1) :- c(1). q_other(1) :- c(1)."
        f"goal(sum,1) :- c(1), not 0 = #sum {{ 2,p : p(1) ; 1,q : q(1) ; -{second},o : p_other(1) ;"
        " -1,r : q_other(1) }."
    )
    (goal,) = control.symbolic_atoms.by_signature("goal", 2)
    assert found.is_impossible(goal.literal) == impossible
    assert contradictions(control, [(goal.literal,)]) == (0 if impossible else 1)


@pytest.mark.parametrize(
    ("body", "impossible"),
    [
        ("p(1), p_other(1)", False),
        ("not p(1), not p_other(1)", False),
        ("p(1), not p_other(1)", True),
        ("not p(1), p_other(1)", True),
        ("1 { p(1) ; not p_other(1) } 1", False),
        ("2 { p(1) ; not p_other(1) }", True),
        ("0 { p(1) ; not p_other(1) } 0", True),
    ],
)
def test_a_body_that_equal_atoms_contradict_is_impossible(body: str, impossible: bool) -> None:
    rules = "{ c(0) }. p(1) :- c(0). p_other(1) :- c(0)."
    control, found = compared(f"{rules} goal(body,1) :- {body}.")
    (goal,) = control.symbolic_atoms.by_signature("goal", 2)
    assert found.is_impossible(goal.literal) == impossible
    assert bool(contradictions(control, [(goal.literal,)])) != impossible
