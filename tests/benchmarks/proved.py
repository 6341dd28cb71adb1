"""The results of `lab prove` on random boards: `python -m tests.benchmarks.proved --grid 4x3 --boards 20`.

Boards are made in parts, one for each event and seed. `--into FILE` keeps the parts; a run with the same
file makes only those that are missing. No board may show two norms together whose pair is proved. For
each proved pair it is told on how many boards each of the two spoke; where one never did, the pair was
not exercised. `--cases`: on the boards of the cases in tests/cases instead, each with what its questions
make so; there each answer set counts as a board.

`--seeded 100` takes away overrides, lifts and rulings in turn, each of two norms that a board
shows together. No pair that it settled, directly or in a chain, may then be proved. `--results FILE`
keeps the verdicts; a run with the same file checks only the missing precedences.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import clingo

from rules_asp.game.grid import Grid
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.lab.consistency import KeptVerdicts, NormPair, Prover, norm_pairs, verdict_of
from rules_asp.lab.theory import Encoding
from rules_asp.positions.loading import load
from rules_asp.runtime.job_pool import JobSettings, run_jobs
from tests.benchmarks.hearing import answers_of
from tests.labs import EVENTS, SECTIONS, random_boards, said_together, the_lab
from tests.positions import program

CASES = Path(__file__).parents[1] / "cases"
_HEADS = frozenset(("overrides", "lifts", "ruling"))
_SAYING = frozenset(("says", "offers", "takes", "offers_value", "permits", "forbids"))
_Key = tuple[str, str, str]
#: Boards that break a norm have atoms of this predicate.
_VIOLATES = Signature("violates", 3)


@dataclass
class Seen:
    """On how many boards a norm spoke of a kind of topic, and two norms spoke together."""

    boards: int = 0
    spoke: Counter[tuple[str, str]] = field(default_factory=Counter)
    together: Counter[_Key] = field(default_factory=Counter)
    #: The same on boards that break no norm.
    valid: Counter[_Key] = field(default_factory=Counter)

    def board(self, atoms: Sequence[clingo.Symbol], valid: bool | None = None) -> None:
        """Count one more board; `valid`: it breaks no norm, as its atoms tell if not given."""
        self.boards += 1
        self.spoke.update(
            {
                (atom.arguments[1].name, atom.arguments[0].string)
                for atom in atoms
                if atom.name in _SAYING
            }
        )
        met = set(said_together(atoms))
        self.together.update(met)
        if _is_valid(atoms) if valid is None else valid:
            self.valid.update(met)

    def add(self, row: dict[str, Any]) -> None:
        """Count what a part tells."""
        self.boards += row["boards"]
        for name in ("spoke", "together", "valid"):
            getattr(self, name).update({tuple(each): n for each, n in row[name]})

    def row(self) -> dict[str, Any]:
        """What it tells, as JSON."""
        counted = {
            name: list(getattr(self, name).items()) for name in ("spoke", "together", "valid")
        }
        return {"boards": self.boards, **counted}


def _is_valid(atoms: Sequence[clingo.Symbol]) -> bool:
    return not any(atom.name == "violates" for atom in atoms)


_Part = tuple[str, int, int]


def _case(_: None, part: _Part) -> dict[str, Any]:
    path = CASES / part[0]
    answers = list(answers_of(load(path, program()), path))
    # The answer sets of questions do not repeat what the board violates.
    valid = all(map(_is_valid, answers))
    seen = Seen()
    for atoms in answers:
        seen.board(atoms, valid)
    return {"part": list(part), "grid": str(None), **seen.row()}


def _part(grid: Grid, part: _Part) -> dict[str, Any]:
    event, seed, count = part
    seen = Seen()
    for atoms in random_boards(the_lab(), event, grid, count, SECTIONS, seed, (_VIOLATES,)):
        seen.board(atoms)
    return {"part": list(part), "grid": str(grid), **seen.row()}


def boards(grid: Grid | None, parts: Iterable[_Part], into: Path | None, jobs: int) -> Seen:
    """What random boards show, or cases if no grid is given, in parts.

    Those that `into` keeps are not made again.
    """
    lines = into.read_text("utf-8").splitlines() if into and into.exists() else []
    rows = [row for row in map(json.loads, lines) if row["grid"] == str(grid)]
    done = {tuple(row["part"]) for row in rows}
    left = [part for part in parts if part not in done]
    seen = Seen()
    for row in rows:
        seen.add(row)
    work: Callable[[Any, _Part], dict[str, Any]] = _part if grid else _case
    with run_jobs(work, grid, left, JobSettings(jobs)) as found:
        for _, row in found:
            seen.add(json.loads(json.dumps(row)))
            if into:
                with into.open("a", encoding="utf-8") as out:
                    out.write(f"{json.dumps(row)}\n")
    return seen


# --- What is proved, on these boards.


def _without(whole: Encoding, rule: Rule) -> Encoding:
    """The rules without one."""
    left = Encoding(whole.program)
    vars(left)["rules"] = tuple(each for each in whole.rules if each is not rule)
    return left


def verdict_for(prover: Prover, pair: NormPair, kept: KeptVerdicts | None = None) -> str:
    """The verdict for two norms; `settled` if one always goes first."""
    examined = [each for each in pair.clauses if not each.excluded]
    if examined and prover.always_wins(pair):
        return "settled"
    known = [(kept.get(each) if kept else None) or prover.of_clauses(each) for each in examined]
    return verdict_of(prover, pair, known).verdict


def exercised(seen: Seen) -> Iterator[str]:
    """Tell what contradicts a proof, and how often the proved pairs were exercised."""
    prover = Prover(Encoding(program()))
    kept = KeptVerdicts(prover)
    counts: Counter[str] = Counter()
    for pair in norm_pairs(prover.encoding):
        key = pair.kind, pair.one, pair.other
        # A proof that is not kept is made only for pairs that could contradict it.
        examined = [each for each in pair.clauses if not each.excluded]
        if not seen.together[key] and any(kept.get(each) is None for each in examined):
            counts["not kept"] += 1
            continue
        verdict = verdict_for(prover, pair, kept)
        if verdict in ("type", "proved", "proved_valid"):
            one, other = (seen.spoke[pair.kind, norm] for norm in key[1:])
            counts[f"{verdict}: {'exercised' if one and other else 'not exercised'}"] += 1
            if (seen.valid if verdict == "proved_valid" else seen.together)[key]:
                counts["CONTRADICTED"] += 1
                yield f"CONTRADICTED: {pair}: {verdict}"
            if verdict != "type":
                yield f"{pair}: {one} and {other} of {seen.boards} boards"
    yield f"{seen.boards} boards: {dict(sorted(counts.items()))}"


# --- What is proved without a precedence.


def _ranking(rules: Sequence[Rule]) -> dict[frozenset[str], list[Rule]]:
    found: dict[frozenset[str], list[Rule]] = {}
    for rule in rules:
        if rule.head and rule.head.name in _HEADS and len(rule.ids) > 1:
            found.setdefault(frozenset(rule.ids[-2:]), []).append(rule)
    return found


def _sort(rule: Rule, lifted: frozenset[str]) -> str:
    """The kind of a precedence: its head, and whether it is a link of a chain of lifts."""
    head = rule.head.name if rule.head else ""
    return "chain of lifts" if head == "lifts" and lifted & set(rule.ids[-2:-1]) else head


def seeded(seen: Seen, count: int, seed: int, results: Path | None) -> Iterator[str]:
    """Remove one precedence at a time, and yield the verdict of each pair that it settled."""
    whole = Encoding(program())
    ranking = _ranking(whole.rules)
    lifted = frozenset(
        each.ids[-1]
        for rules in ranking.values()
        for each in rules
        if each.head and each.head.name == "lifts"
    )
    pairs = {(e.kind, e.one, e.other): e for e in norm_pairs(whole)}
    met = [key for key in sorted(seen.together) if key in pairs]
    sites = [(rule, key) for key in met for rule in ranking.get(frozenset(key[1:]), ())]
    random.Random(seed).shuffle(sites)
    lines = results.read_text("utf-8").splitlines() if results and results.exists() else []
    known = {row["rule"]: row for row in map(json.loads, lines)}
    counts: Counter[str] = Counter()
    for rule, key in sites[:count]:
        row = known.get(rule.text)
        if row is None:
            left = _without(whole, rule)
            changed = {key} | {
                each
                for each in met
                for pair in (each[1:], each[:0:-1])
                if whole.wins.get(pair) != left.wins.get(pair)
            }
            prover = Prover(left)
            shown = [[*each, verdict_for(prover, pairs[each])] for each in sorted(changed)]
            row = {"rule": rule.text, "sort": _sort(rule, lifted), "pairs": shown}
            if results:
                with results.open("a", encoding="utf-8") as out:
                    out.write(f"{json.dumps(row)}\n")
        counts[row["sort"]] += 1
        for *found, verdict in row["pairs"]:
            valid = seen.valid[tuple(found)] > 0
            false = verdict in ("type", "proved") or (verdict == "proved_valid" and valid)
            counts["PROVED AWAY" if false else verdict] += 1
            if false:
                yield f"PROVED AWAY: {' '.join(found)} without {rule.text}"
    yield f"{min(count, len(sites))} of {len(sites)} precedences taken away: {dict(counts)}"


def main() -> None:
    """Make boards, and hold the proofs against them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", default="4x3")
    parser.add_argument("--boards", type=int, default=20, help="boards of each part")
    parser.add_argument("--parts", type=int, default=1, help="parts of each event")
    parser.add_argument("--into", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeded", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--cases", action="store_true", help="the boards of the cases")
    given = parser.parse_args()
    columns, _, rows = given.grid.partition("x")
    grid, parts = None, [(path.name, 0, 0) for path in sorted(CASES.glob("*.board"))]
    if not given.cases:
        grid = Grid(int(columns), int(rows))
        seeds = range(1, given.parts + 1)
        parts = [(event, seed, given.boards) for seed in seeds for event in EVENTS]
    seen = boards(grid, parts, given.into, given.jobs)
    told = (
        seeded(seen, given.seeded, given.seed, given.results) if given.seeded else exercised(seen)
    )
    for line in told:
        print(line, flush=True)


if __name__ == "__main__":
    main()
