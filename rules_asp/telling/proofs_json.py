"""Proofs as JSON, whole: each step once, so that it can be checked against the rules by anyone.

    goals   ids of the steps that the answer is
    steps   id, the same for the same atom in whatever proof; atom, as clingo has it; origin, one of
            "rule", "board", "question" (asked, or measured for it), "supposed"; norm and rule, the
            place in kb/ as `b23/b23_3.lp:17`, both null where there is none; because, the ids of the
            atoms that the rule reads, in its order; counted, those that its aggregates range over;
            absent, the atoms that it denies; beside, ids of what is told besides: what is beaten
            that would have it otherwise, what a deed required, what keeps a norm silent
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rules_asp.answers.steps import Step, whole


def proof(goals: Sequence[Step]) -> dict[str, Any]:
    """The proofs of these goals."""
    return {
        "goals": list(dict.fromkeys(each.id for each in goals)),
        "steps": [_step(each) for each in whole(goals)],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "atom": step.atom,
        "origin": step.origin,
        "norm": step.norm,
        "rule": step.at,
        "because": _ids(step.because),
        "counted": list(dict.fromkeys(_ids(step.counted))),
        "absent": list(step.absent),
        "beside": _ids(step.beside),
    }


def _ids(steps: Iterable[Step]) -> list[str]:
    return [each.id for each in steps]
