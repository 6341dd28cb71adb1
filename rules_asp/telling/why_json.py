"""Proofs as JSON: told as people read them, and whole, so that anyone can check them against the rules.

    proof   the whole account: points, each with claim norm sense because, again where its reasons are
            told before; tie, how it hangs on the point above: "because", "value" (what the value above
            is the value of), "absent", "beaten", "outbid"; id of the step that it tells; at, the file
            of kb/ and line of the rule
    goals   ids of the steps that the answer is
    steps   each step once: id, the same for the same atom in whatever proof; atom, as clingo has it;
            origin, "rule", "board", "question" (asked, or measured for it) or "supposed"; norm and
            rule, the place in kb/ such as `b23/b23_3.lp:17`, null where there is none; because, ids
            of the atoms that the rule reads, in its order; counted, of those that its aggregates
            range over; absent, the atoms that it denies; beside, ids of what is told besides: what is
            beaten that would have it otherwise, what a deed required, what keeps a norm silent;
            aside, ids of what it does not rest on: the offers that are less than it, and why that
            is unknown which it hangs on
    lacking of what nothing makes so: norm lacks at, each norm that could, the first of its conditions
            that fails here, and its rule

tests/proof_checker.py checks goals and steps with nothing of this program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rules_asp.answers.accounts import JustificationNode, justification
from rules_asp.answers.explaining import Why
from rules_asp.answers.steps import ProofStep, merged_steps
from rules_asp.positions.prepared import Position
from rules_asp.telling import as_json
from rules_asp.terms.query import Query

Record = dict[str, Any]


def why(position: Position, query: Query, answer: Why) -> Record:
    """The answer to a question with its proofs, told as points and step by step, and what was beaten."""
    beaten = [{"norm": e.norm, "by": e.by, "at": e.place} for e in answer.beaten]
    return {
        **as_json.ask(position, query, replace(answer.asked, beside=answer.beside)),
        **reasons(position, [answer]),
        "lacking": [{"norm": e.norm, "lacks": e.condition, "at": e.at} for e in answer.lacking],
        "beaten": beaten,
    }


def reasons(position: Position, answers: Iterable[Why]) -> Record:
    """The proofs of some answers."""
    steps = [step for answer in answers for step in answer.proofs]
    points = justification(steps, position.program.norms)
    return {"proof": [_point(each) for each in points], **proof(steps)}


def proof(goals: Sequence[ProofStep]) -> Record:
    """The proofs of these goals, step by step."""
    return {
        "goals": list(dict.fromkeys(each.id for each in goals)),
        "steps": [_step(each) for each in merged_steps(goals)],
    }


def _point(told: JustificationNode) -> Record:
    return {
        "claim": told.claim,
        "norm": told.norm,
        "sense": told.sense,
        "because": [_point(each) for each in told.because],
        "again": told.again,
        "tie": told.tie,
        "id": told.id,
        "at": told.at,
    }


def _step(step: ProofStep) -> Record:
    return {
        "id": step.id,
        "atom": step.atom,
        "origin": step.origin,
        "norm": step.norm,
        "rule": step.at,
        "because": _ids(step.premises),
        "counted": list(dict.fromkeys(_ids(step.aggregate_premises))),
        "absent": list(step.negative_premises),
        "beside": _ids(step.defeats),
        "aside": _ids(step.notes),
    }


def _ids(steps: Iterable[ProofStep]) -> list[str]:
    return [each.id for each in steps]
