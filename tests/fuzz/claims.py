"""Claims of the lab: rejected, or parsed; a printed claim parses back unchanged, and clingo accepts it."""

from __future__ import annotations

import random

from clingo import ast

from rules_asp.lab.claim_rules import negate_claim
from rules_asp.queries.claims import read_claim
from tests.fuzz.bench import hold, mangled, refusing
from tests.fuzz.texts import asked, words

_COUNTS = ("at least 3 H: ", "at most 1 X: ", "exactly 0 A, B: (", "at least 1000 H:", "exactly")
_SIGHTS = ("sees(X - Y)", "not sees(A1 - X)", "sees(A1/1 - B0)", 'sees("A" - Y)', "V > 2", "H = _")


def claims(dice: random.Random) -> str:
    """A claim of parts that are questions, counts, open sights and conditions."""
    parts = []
    for _ in range(dice.choice((1, 1, 2, 4))):
        part = dice.choice(asked()["question"]) if dice.random() < 0.7 else dice.choice(_SIGHTS)
        parts.append(dice.choice(_COUNTS) + part if dice.random() < 0.4 else part)
    text = ", ".join(parts)
    if dice.random() < 0.7:
        text = mangled(dice, text, (*words(), "H", "V", "_", "not", "at least 2 H:", "=>"))
    with refusing(text) as refused:
        read = read_claim(text)
    if refused:
        return "refused"
    with refusing(str(read)) as refused:
        again = read_claim(str(read))
    hold(not refused, f"what is told is refused: {str(read)!r}, of {text!r}: {refused}")
    hold(again == read, f"reads back otherwise: {text!r}: {str(read)!r}")
    _clingo_reads(f"so :- {read.body}.", text)
    if dice.random() < 0.5:
        failing = f"{text} => {dice.choice(asked()['question'])}"
        with refusing(failing):
            turned = negate_claim(failing)
            for body in (turned.failing.body, turned.doubtful.body if turned.doubtful else "so"):
                _clingo_reads("so :- " + "; ".join((*turned.given, body)) + ".", failing)
    return "read"


def _clingo_reads(rule: str, text: str) -> None:
    told: list[str] = []
    try:
        ast.parse_string(rule, lambda _: None, logger=lambda _, message: told.append(message))
    except RuntimeError:
        hold(False, f"clingo cannot read {rule!r}, of {text!r}: {told}")
