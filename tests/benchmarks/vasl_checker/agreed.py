"""Verdicts on which we, VASL's checker and the printed examples agree: `tests/agreed_verdicts.tsv`.

A row is a board of the game, two Locations (`C3/2` is level 2 of C3), the verdict, the Hindrance if it is
clear, the paragraphs that it rests on, and who agrees: VASL's checker in both directions, or a printed
example. For each norm that blocks, each that keeps another from blocking and each Hindrance there are a few
rows; none of them hangs on two pixels.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rules_asp.game.board import Expect, ExpectedLos
from rules_asp.game.grid import Hex, Location
from rules_asp.knowledge.loading import load_program
from rules_asp.parser import parse
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.los import Los, los
from rules_asp.vasl.importer import import_archive
from tests.benchmarks.vasl_checker.comparing import Answers
from tests.benchmarks.vasl_checker.tables import FOLDER, Pair, same

TABLE = Path(__file__).resolve().parents[2] / "agreed_verdicts.tsv"
PRINTED = TABLE.parent / "printed"
#: So many rows for each norm and board; so many pairs are looked at for one, at most.
_EACH, _TRIES = 4, 16


class Row(NamedTuple):
    """A verdict that is agreed on."""

    board: str
    a: str
    b: str
    verdict: str
    hindrance: str
    paragraphs: str
    agreed_with: str


HEAD = Row("board", "from", "to", "verdict", "hindrance", "paragraphs", "agreed_with")


def read_table(path: Path = TABLE) -> list[Row]:
    """The rows of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(*each) for each in csv.reader(file, delimiter="\t")][1:]


def write_table(rows: Iterable[Row], path: Path = TABLE) -> None:
    """Writes the table, in order; of two rows of one sight the first counts."""
    of: dict[tuple[str, frozenset[str]], Row] = {}
    for row in rows:
        of.setdefault((row.board, frozenset((row.a, row.b))), row)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerows((HEAD, *sorted(of.values())))


def paragraphs(answer: Los) -> str:
    """The paragraphs of the norms that block, hinder, or keep another from blocking."""
    blocking = [each.norm for each in answer.blockers]
    clear = [each.norm for each in answer.hindrances] + [each.by for each in answer.beaten]
    norms = blocking if blocking else clear
    return ", ".join(sorted({norm.rpartition("-")[0] or norm for norm in norms}))


def verdict(answer: Los) -> tuple[str, str]:
    """The verdict and the Hindrance, as they stand in a row."""
    return ("clear", str(answer.hindrance)) if answer.clear else ("blocked", "")


def agreed_with_vasl(both: Answers) -> Iterator[Row]:
    """Rows of a board on which VASL agrees in both directions."""
    here = both.trial.position
    kinds: dict[tuple[object, ...], list[Pair]] = defaultdict(list)
    for pair, theirs in both.theirs.items():
        back = both.theirs.get((pair[1], pair[0]))
        ours = both.ours(pair)
        if back is None or str(pair[0]) > str(pair[1]):
            continue
        if same(ours, theirs) and same(ours, back):
            upstairs = pair[0].floor == 0 == pair[1].floor
            kinds[ours.clear, ours.hindrance, ours.norm, upstairs].append(pair)
    chance = random.Random(both.number)
    taken: dict[tuple[object, ...], int] = defaultdict(int)
    for kind in sorted(kinds, key=str):
        for a, b in chance.sample(kinds[kind], min(_TRIES, len(kinds[kind]))):
            answer = los(here, a, b, cite=False)
            told = (*verdict(answer), paragraphs(answer))
            if not answer.close and taken[told] < _EACH:
                taken[told] += 1
                yield Row(both.number, str(a), str(b), *told, "VASL")


def agreed_with_examples() -> Iterator[Row]:
    """Rows of the printed examples that hold on the board as it is, without what an example adds to it."""
    boards: dict[str, Position] = {}
    for path in sorted(PRINTED.glob("*.board")):
        number = path.stem.split("_")[1]
        for each in parse(path.read_text("utf-8"), path.name).statements:
            if not isinstance(each, Expect) or not isinstance(each.question, ExpectedLos):
                continue
            ends = each.question.a, each.question.b
            if not all(isinstance(e, Location) and isinstance(e.spot, Hex) for e in ends):
                continue
            if number not in boards:
                archive = import_archive(FOLDER / f"bd{number}")
                boards[number] = prepare(archive, load_program())
            here = boards[number]
            if not all(map(here.index.has_location, ends)):
                continue
            answer = los(here, *ends, close=False, cite=False)
            told = verdict(answer)
            if told[0] == each.answer and each.hindrance in (None, answer.hindrance):
                yield Row(number, *map(str, ends), *told, paragraphs(answer), f"{path.stem}.board")
