"""A sample of differences to be walked by hand by somebody who does not see how they were labelled.

The sheet has both verdicts and no label, in an order that tells nothing; the key, written apart, has the
labels of the same rows. Each label is given its turn, so that rare ones are walked too.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.vasl_checker.comparing import Explained, ours_in_words, theirs_in_words

HEAD = ("row", "board", "from", "to", "ours", "VASL")


def write_sheet(
    differences: Iterable[Explained], count: int, seed: int, sheet: Path, key: Path | None
) -> None:
    """Writes a sample of this size as a sheet without labels, and the labels of its rows as the key."""
    chosen = _sample(differences, count, random.Random(seed))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerow(HEAD)
        for row, (board, at, _) in enumerate(chosen, 1):
            ends = map(str, at.pair)
            rows.writerow((row, board, *ends, ours_in_words(at), theirs_in_words(at)))
    if key is not None:
        lines = (f"{row}\t{each.label}\n" for row, each in enumerate(chosen, 1))
        key.write_text("row\tlabel\n" + "".join(lines), encoding="utf-8")


def _sample(differences: Iterable[Explained], count: int, chance: random.Random) -> list[Explained]:
    """So many, the labels taking turns; a pair and its way back count as one."""
    of: dict[str, list[Explained]] = defaultdict(list)
    seen: set[tuple[str, frozenset[object]]] = set()
    for each in differences:
        sight = each.board, frozenset(each.at.pair)
        if sight not in seen:
            seen.add(sight)
            of[each.label].append(each)
    for group in of.values():
        chance.shuffle(group)
    chosen: list[Explained] = []
    while len(chosen) < count and any(of.values()):
        turn = [of[label].pop() for label in sorted(of) if of[label]]
        chosen += turn[: count - len(chosen)]
    chance.shuffle(chosen)
    return chosen
