"""All verdicts on a board beside VASL's, and what the differences come from."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.knowledge.loading import load_program
from rules_asp.positions.position import prepare
from rules_asp.queries.los_matrix import LosVerdict, matrix
from rules_asp.vasl.archive import read_archive
from rules_asp.vasl.importer import board_of
from tests.benchmarks.vasl_checker.causes import CAUSES, UNEXPLAINED, explain
from tests.benchmarks.vasl_checker.tables import FOLDER, Pair, Theirs, same, table_of
from tests.benchmarks.vasl_checker.trial import Difference, Trial

#: The ways in which two answers differ.
KINDS = ("ours blocked", "VASL blocked", "Hindrance", "unknown")


@dataclass(frozen=True)
class Answers:
    """Both answers to all sights between the Locations that both have."""

    number: str
    trial: Trial
    theirs: dict[Pair, Theirs]
    found: dict[Pair, LosVerdict]

    def ours(self, pair: Pair) -> LosVerdict:
        """Our verdict, whichever end is named first."""
        return self.found.get(pair) or self.found.get((pair[1], pair[0])) or LosVerdict(True)

    def differing(self) -> list[Pair]:
        """The pairs on which the two differ, one after the other with its way back."""
        pairs = (pair for pair, answer in self.theirs.items() if not same(self.ours(pair), answer))
        return sorted(pairs, key=lambda each: (sorted(map(str, each)), str(each[0])))

    def difference(self, pair: Pair, theirs: Theirs | None = None) -> Difference:
        """A pair, with what is needed to explain it."""
        facts = self.trial.measured(pair)
        answer = theirs or self.theirs[pair]
        back = theirs or self.theirs.get((pair[1], pair[0]), answer)
        return Difference(pair, answer, back, self.ours(pair), self.trial.ask(pair, facts), facts)


class Explained(NamedTuple):
    """A difference and its label."""

    board: str
    at: Difference
    label: str


def answers(number: str) -> Answers:
    """Both answers on a board; prints in how much they agree."""
    archive = read_archive(FOLDER / f"bd{number}")
    board = board_of(archive)
    program = load_program()
    trial = Trial(archive, board, program, prepare(board, program))
    theirs = table_of(FOLDER / f"bd{number}_vasl.csv.gz")
    ends = sorted(trial.position.index.elevations, key=str)
    began = time.perf_counter()
    found: dict[Pair, LosVerdict] = {}
    for batch in matrix(trial.position, ends):
        found.update(
            (pair, verdict) for pair, verdict in batch.items() if verdict != LosVerdict(True)
        )
    took = time.perf_counter() - began
    print(f"\nBoard {number}: {len(ends)} Locations, all sights in {took:.1f} s")
    _locations(ends, theirs)
    have = frozenset(ends)
    shared = {
        pair: answer for pair, answer in theirs.items() if pair[0] in have and pair[1] in have
    }
    both = Answers(number, trial, shared, found)
    ground = [p for p in shared if p[0].floor == 0 and p[1].floor == 0]
    _agreement("ground level", ground, both)
    _agreement("all Locations", list(shared), both)
    wrong_ranges = sum(
        hex_of_spot(a.spot).range_to(hex_of_spot(b.spot)) != answer.range
        for (a, b), answer in shared.items()
    )
    print(f"  ranges that differ: {wrong_ranges}")
    return both


def _locations(ends: list[Location], theirs: dict[Pair, Theirs]) -> None:
    known = {end for pair in theirs for end in pair}
    only_ours = ", ".join(sorted(str(end) for end in set(ends) - known))
    only_theirs = ", ".join(sorted(str(end) for end in known - set(ends)))
    print(f"  Locations only ours: {only_ours or 'none'}; only VASL's: {only_theirs or 'none'}")


def _agreement(words: str, pairs: list[Pair], both: Answers) -> None:
    counts = Counter((both.ours(pair).clear, both.theirs[pair].blocked) for pair in pairs)
    clear = sum(count for (_, blocked), count in counts.items() if not blocked)
    blocked = len(pairs) - clear
    seen = [pair for pair in pairs if both.ours(pair).clear and not both.theirs[pair].blocked]
    hindrance = sum(both.ours(pair).hindrance == both.theirs[pair].hindrance for pair in seen)
    print(
        f"  {words}: {len(pairs)} pairs; of VASL's {clear} clear ones we agree on"
        f" {_share(counts[True, False], clear)}, of {blocked} blocked ones on"
        f" {_share(counts[False, True], blocked)}; Hindrance alike in"
        f" {_share(hindrance, len(seen))} of {len(seen)}; unknown to us:"
        f" {counts[None, True] + counts[None, False]}"
    )


def _share(count: int, of: int) -> str:
    return f"{count / of:.3%}" if of else "-"


def explained(both: Answers) -> Iterator[Explained]:
    """Each difference with its label."""
    pairs = both.differing()
    for number, pair in enumerate(pairs):
        if sys.stderr.isatty():
            print(f"\r  {number} of {len(pairs)}", end="", file=sys.stderr)
        at = both.difference(pair)
        yield Explained(both.number, at, explain(both.trial, at))


def classes(both: Answers, differences: Iterable[Explained], show: int) -> int:
    """Prints the classes of differences, with some examples; the number of those left unexplained."""
    own_ways = sum(
        answer.blocked != back.blocked
        or (not answer.blocked and answer.hindrance != back.hindrance)
        for (a, b), answer in both.theirs.items()
        if str(a) < str(b) and (back := both.theirs.get((b, a)))
    )
    print(f"  pairs on which VASL differs from itself by direction: {own_ways}")
    groups: dict[str, dict[str, list[Difference]]] = defaultdict(lambda: defaultdict(list))
    for each in differences:
        groups[each.label][kind(each.at)].append(each.at)
    total = sum(len(pairs) for group in groups.values() for pairs in group.values())
    print(f"  {total} differences (pairs count in each direction):")
    print("    " + "".join(f"{words:>13}" for words in KINDS))
    order = [cause.label for cause in CAUSES]
    for label in sorted(groups, key=lambda each: order.index(each) if each in order else 99):
        counts = "".join(f"{len(groups[label][words]):13}" for words in KINDS)
        print(f"    {counts}  {label}")
        for words in KINDS:
            for at in groups[label][words][:show]:
                a, b = at.pair
                print(f"{'':58}{a} to {b}: ours {ours_in_words(at)}; VASL {theirs_in_words(at)}")
    return sum(
        len(pairs)
        for label, group in groups.items()
        if label not in order
        for pairs in group.values()
    )


def control(both: Answers, count: int) -> None:
    """Turns VASL's verdict round where it is ours, and prints how often that would be explained too."""
    chance = random.Random(2)
    for blocked in (False, True):
        alike = [
            p for p, t in both.theirs.items() if t.blocked == blocked and same(both.ours(p), t)
        ]
        labels: Counter[str] = Counter()
        for pair in chance.sample(alike, min(count, len(alike))):
            turned = both.theirs[pair]._replace(blocked=not blocked)
            labels[explain(both.trial, both.difference(pair, turned))] += 1
        unexplained = labels.pop(UNEXPLAINED, 0)
        words = "blocked" if blocked else "clear"
        print(f"  control: {count} {words} pairs turned round: {unexplained} stay unexplained")
        for label, number in labels.most_common():
            print(f"{'':58}{number} {label}")


def kind(at: Difference) -> str:
    """In which of the ways the two differ."""
    if at.ours.clear is None:
        return "unknown"
    if at.ours.clear and at.theirs.blocked:
        return "VASL blocked"
    return "Hindrance" if at.ours.clear else "ours blocked"


def ours_in_words(at: Difference) -> str:
    """Our verdict: what blocks and where, or the Hindrance."""
    if at.ours.clear is None:
        return "unknown"
    return f"+{at.ours.hindrance}" if at.ours.clear else f"{at.ours.norm} at {at.ours.place}"


def theirs_in_words(at: Difference) -> str:
    """VASL's verdict: its reason, or the Hindrance."""
    return at.theirs.reason if at.theirs.blocked else f"+{at.theirs.hindrance}"
