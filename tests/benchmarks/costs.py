"""The cost of questions as counts of ground rules and atoms, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import clingo

from rules_asp.api import QuestionError
from rules_asp.game.board import Board
from rules_asp.parser import load
from rules_asp.positions.loading import example_boards
from rules_asp.positions.position import prepare
from tests.benchmarks.questions import generated, grounded, kinds, manned

#: The counts that are guarded, a line for each kind on each board.
COUNTS = Path(__file__).parent / "counts.tsv"
_HEAD = "board\tkind\trules\tatoms\tgroundings"
_SEED = 1
#: The kinds that are counted on the generated board; the others are counted on a bundled one.
_ON_LARGE = ("los bare", "los cited", "tem", "ask")


class Cost(NamedTuple):
    """What the second question of a kind takes on a board; the first also finds out what it rests on.

    `groundings` is how often clingo is asked: for the answer, and for each look-up of a proof.
    """

    board: str
    kind: str
    rules: int
    atoms: int
    groundings: int


def costs() -> Iterator[Cost]:
    """The costs of some kinds on a generated board, of the rest on a bundled one; always the same."""
    yield from _costs_on(generated(_SEED), large=True)
    yield from _costs_on(load(example_boards()["church"]), large=False)


def _costs_on(board: Board, large: bool) -> Iterator[Cost]:
    here = manned(board, random.Random(_SEED))
    with grounded() as controls:
        prepare(here.board, here.program)
    yield Cost(board.name, "board", *_sizes(controls))
    for kind, questions in kinds(here, random.Random(_SEED)).items():
        if (kind in _ON_LARGE) != large:
            continue
        right = 0
        # Some are refused: not every hex has what is asked about.
        for question in islice(questions, 30):
            with grounded() as controls:
                try:
                    question()
                except QuestionError:
                    continue
            right += 1
            if right == 2:
                yield Cost(board.name, kind, *_sizes(controls))
                break


def _sizes(controls: list[clingo.Control]) -> tuple[int, int, int]:
    counts = [each.statistics["problem"]["lp"] for each in controls]
    rules, atoms = (int(sum(each[name] for each in counts)) for name in ("rules", "atoms"))
    return rules, atoms, len(controls)


def write_counts() -> None:
    """Write the counts as they are now."""
    lines = ["\t".join(map(str, each)) for each in costs()]
    COUNTS.write_text("\n".join([_HEAD, *lines, ""]), "utf-8")


def read_counts() -> list[Cost]:
    """The counts as they were written."""
    _, *lines = COUNTS.read_text("utf-8").splitlines()
    each = (line.split("\t") for line in lines)
    return [Cost(board, kind, *map(int, counts)) for board, kind, *counts in each]


def grown(old: list[Cost], new: list[Cost]) -> list[str]:
    """What costs more than it did, but for a little slack, and what is not counted any more."""
    now = {(each.board, each.kind): each for each in new}
    told = []
    for each in old:
        here = now.get((each.board, each.kind))
        if here is None:
            told.append(f"{each.kind} on {each.board} is not counted any more")
            continue
        for what, was, is_ in (
            ("rules", each.rules, here.rules),
            ("atoms", each.atoms, here.atoms),
            ("groundings", each.groundings, here.groundings),
        ):
            slack = 2 if what == "groundings" else 20
            if is_ > was * 1.05 + slack:
                more = round(100 * (is_ / max(1, was) - 1))
                told.append(f"{each.kind} on {each.board}: {is_} {what}, {was} before (+{more} %)")
    return told
