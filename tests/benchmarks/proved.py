"""The results of `lab prove` on random boards: `python -m tests.benchmarks.proved --grid 4x3 --boards 20`.

Boards are made in parts, one for each event and seed. `--into FILE` keeps the parts; a run with the same
file makes only those that are missing. No board may show two norms together whose pair is proved. For
each proved pair it is told on how many boards each of the two spoke; where one never did, the pair was
not exercised. `--cases`: on the boards of the cases in tests/cases instead, each with what its questions
make so; there each answer set counts as a board. `--archives FOLDER`: on the boards of VASL in a folder, of
33x10 hexes as a rule, each with all sections, units, counters and terrain at random, and random questions.

`--seeded 100` takes away overrides, lifts and rulings in turn, each of two norms that a board
shows together. No pair that it settled, directly or in a chain, may then be proved. `--results FILE`
keeps the verdicts; a run with the same file checks only the missing precedences.
"""

from __future__ import annotations

import argparse
import json
import random
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import clingo

from rules_asp.boards.changes import Change, apply_changes
from rules_asp.cli.query_commands import parse_query_line
from rules_asp.game.grid import Grid, hex_of_spot
from rules_asp.game.values import location_from_symbol
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.lab.consistency import KeptVerdicts, NormPair, Prover, norm_pairs, verdict_of
from rules_asp.lab.theory import Encoding
from rules_asp.parser import BoardError
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import prepare
from rules_asp.runtime.job_pool import JobSettings, run_jobs
from rules_asp.vasl.importer import import_archive
from tests.benchmarks.hearing import answers_of, structure_of
from tests.edits import LINES, filled
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


def _map(folder: Path, part: _Part) -> dict[str, Any]:
    name, seed, count = part
    chance = random.Random(f"{name} {seed}")
    board, words = import_archive(folder / name), program().vocabulary
    hexes = board.grid.hexes()
    units = [f"unit {unit} at {chance.choice(hexes)}" for unit in _UNITS]
    random_lines = (
        filled(chance, board, chance.choice(LINES)) for _ in range(chance.randrange(_LINES))
    )
    for line in (*_SETUP, *units, *random_lines):
        with suppress(BoardError):
            board = apply_changes(board, [Change(True, line, "a line")], words)
    here = prepare(board, program())
    heard: list[AnswerSet] = []
    asked = replace(here, hear=heard.extend)
    seen = Seen()
    static = structure_of(here)
    valid = all(_is_valid(answer.symbols) for answer in static)
    for answer in static:
        seen.board(answer.symbols, valid)
    at = {fact.arguments[0].string: fact.arguments[1] for fact in here.board_facts.named("at")}
    for _ in range(count):
        unit = chance.choice(list(at))
        start = location_from_symbol(at[unit], here.names)
        far = chance.choice([each for each in hexes if each.range_to(hex_of_spot(start.spot)) < 9])
        kinds = (f"fire {unit} {far}", f"moves {unit}", f"los {start} {far}", f"tem {start} {far}")
        with suppress(QuestionError, BoardError):
            parse_query_line(chance.choice(kinds)).answer(asked, cite=False)
        for answer in heard:
            seen.board(answer.symbols, valid)
        heard.clear()
    return {"part": list(part), "grid": str(folder), **seen.row()}


#: The first lines and the units of each board of an archive, and the limit of its random lines.
_SETUP = ("rules B23 PB4 PB6 BRT7 ABTF3", "sides german russian", "turn 1 german mph")
_UNITS = (
    *("A squad 4-6-7 german", "B leader 9-1 german", "C vehicle german", "D gun german"),
    *("R squad 4-4-7 russian", "S vehicle russian", "T hs 2-2-8 russian", "W leader 7-0 russian"),
)
_LINES = 40


def boards(on: Grid | Path | None, parts: Iterable[_Part], into: Path | None, jobs: int) -> Seen:
    """What random boards of a grid or of a folder of archives show, else the cases, in parts.

    Those that `into` keeps are not made again.
    """
    lines = into.read_text("utf-8").splitlines() if into and into.exists() else []
    rows = [row for row in map(json.loads, lines) if row["grid"] == str(on)]
    done = {tuple(row["part"]) for row in rows}
    left = [part for part in parts if part not in done]
    seen = Seen()
    for row in rows:
        seen.add(row)
    work: Callable[[Any, _Part], dict[str, Any]] = _case
    if on is not None:
        work = _part if isinstance(on, Grid) else _map
    with run_jobs(work, on, left, JobSettings(jobs)) as found:
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
    parser.add_argument("--archives", type=Path, help="the boards of VASL in this folder")
    given = parser.parse_args()
    columns, _, rows = given.grid.partition("x")
    on: Grid | Path | None = None
    parts = [(path.name, 0, 0) for path in sorted(CASES.glob("*.board"))]
    seeds = range(1, given.parts + 1)
    if given.archives:
        on = given.archives
        names = sorted(path.name for path in on.iterdir() if zipfile.is_zipfile(path))
        parts = [(name, seed, given.boards) for seed in seeds for name in names]
    elif not given.cases:
        on = Grid(int(columns), int(rows))
        parts = [(event, seed, given.boards) for seed in seeds for event in EVENTS]
    seen = boards(on, parts, given.into, given.jobs)
    told = (
        seeded(seen, given.seeded, given.seed, given.results) if given.seeded else exercised(seen)
    )
    for line in told:
        print(line, flush=True)


if __name__ == "__main__":
    main()
