"""`rout`: an independent oracle on open boards, and the laws that bind it to `can` and `ask`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game.grid import Grid, Hex
from rules_asp.queries.paths import MoveStep
from tests.positions import program
from tests.sampling import slow, some

CASES = Path(__file__).parent / "cases"


# --- An oracle that knows A10.5 for open ground: each line is clear, each hex costs 1 MF.


@dataclass(frozen=True)
class Open:
    """A broken unit and armed enemies on open ground; each enemy has a Normal Range, or is broken."""

    grid: Grid
    unit: Hex
    enemies: tuple[tuple[Hex, int], ...]

    @property
    def text(self) -> str:
        lines = [
            f'board "open" grid {self.grid.cols}x{self.grid.rows}',
            "sides german russian",
            f"unit A squad 4-4-7 russian at {self.unit}: broken",
        ]
        lines += [
            f"unit Foe{number}x squad 4-{reach}-7 german at {where}"
            for number, (where, reach) in enumerate(self.enemies)
        ]
        return "\n".join(lines)

    def allowed(self, start: Hex, to: Hex) -> bool:
        """Not nearer to an enemy, not into its hex, and not next to it."""
        return all(
            to.range_to(where) >= start.range_to(where) and to.range_to(where) > 1
            for where, _ in self.enemies
        )

    def reach(self) -> dict[Hex, int]:
        """The MF to each hex, 6 at most."""
        found, edge = {self.unit: 0}, [self.unit]
        inside = set(self.grid.hexes())
        for spent in range(1, 7):
            steps = [(one, to) for one in edge for to in one.neighbours() if to in inside]
            edge = [to for one, to in steps if to not in found and self.allowed(one, to)]
            found |= dict.fromkeys(edge, spent)
        del found[self.unit]
        return found

    def interdictors(self, to: Hex) -> set[str]:
        """The enemies within whose Normal Range a hex is."""
        return {
            f"Foe{number}x"
            for number, (where, reach) in enumerate(self.enemies)
            if where.range_to(to) <= reach
        }

    @property
    def must(self) -> bool:
        """Whether an enemy is next to the unit, or has it in its Normal Range."""
        return any(self.unit.range_to(where) <= max(1, reach) for where, reach in self.enemies)


def drawn(seed: int) -> Open:
    dice = Random(seed)
    grid = Grid(9, 7)
    unit, *others = dice.sample(grid.hexes(), 1 + dice.randint(1, 3))
    return Open(grid, unit, tuple((where, dice.randint(1, 6)) for where in others))


@pytest.mark.parametrize("seed", some(range(24), 5))
def test_rout_is_as_the_oracle_has_it(seed: int) -> None:
    board = drawn(seed)
    answer = api.rout(api.position(api.parse(board.text), program()), "A")
    assert {each.to.spot: (each.mf or 0) // 4 for each in answer.moves.reach} == board.reach()
    assert not answer.moves.perhaps
    assert answer.must is board.must
    told = {each.step.to.spot: set(each.by) for each in answer.interdictions}
    steps = {step.to.spot for each in answer.moves.reach for step in each.path}
    assert not any(each.perhaps for each in answer.interdictions)
    for hex_ in steps:
        assert isinstance(hex_, Hex)
        assert told.get(hex_, set()) == board.interdictors(hex_)
    barred = {each.to.spot for each in answer.moves.forbidden if each.start.spot == board.unit}
    inside = set(board.grid.hexes())
    assert barred == {
        each
        for each in board.unit.neighbours()
        if each in inside and not board.allowed(board.unit, each)
    }


def test_these_boards_have_something_of_each() -> None:
    boards = [drawn(seed) for seed in range(24)]
    assert any(each.must for each in boards)
    assert any(not each.must for each in boards)
    assert any(not each.reach() for each in boards) or min(len(b.reach()) for b in boards) < 12
    assert any(each.interdictors(to) for each in boards for to in each.reach())


# --- The same oracle with woods: 2 MF, and the nearest of them ends the rout (A10.51).


@dataclass(frozen=True)
class Wooded(Open):
    """A broken unit among woods and armed enemies, whose LOS woods block."""

    woods: tuple[Hex, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join([super().text, f"woods: {' '.join(map(str, self.woods))}"])

    def costs(self, steps: set[tuple[Hex, Hex]]) -> dict[Hex, int]:
        """The least MF to each hex by these steps, 6 at most."""
        found, edge = {self.unit: 0}, [self.unit]
        while edge:
            new = []
            for one, to in steps:
                spent = found.get(one, 9) + (2 if to in self.woods else 1)
                if one in edge and spent <= 6 and spent < found.get(to, 9):
                    found[to] = spent
                    new.append(to)
            edge = new
        return found

    def ends(self, steps: set[tuple[Hex, Hex]]) -> tuple[set[Hex], set[Hex]]:
        """Where its rout may end, and what 6 MF may reach by way of the nearest woods."""
        found = self.costs(steps)
        del found[self.unit]
        heeded = {
            hex_: cost
            for hex_, cost in found.items()
            if hex_ in self.woods
            and not any(hex_.range_to(foe) <= self.unit.range_to(foe) for foe, _ in self.enemies)
        }
        if not heeded:
            return set(found), set()
        reached = {each: cost for each, cost in found.items() if each in self.woods}
        least = min(heeded.values())
        nearest = [each for each, cost in heeded.items() if cost == least]
        beyond = {each for each, cost in reached.items() if cost > least}
        by_way = {each for each in beyond for one in nearest if least + one.range_to(each) + 1 <= 6}
        return set(reached) - beyond, by_way


def wooded(seed: int) -> Wooded:
    dice = Random(seed)
    grid = Grid(9, 7)
    unit, *others = dice.sample(grid.hexes(), 10)
    foes = tuple((where, 4) for where in others[:2])
    return Wooded(grid, unit, foes, tuple(others[2:]))


@pytest.mark.parametrize("seed", some(range(40), 6))
def test_a_rout_ends_in_the_nearest_woods_as_the_oracle_has_it(seed: int) -> None:
    board = wooded(seed)
    moves = api.rout(api.position(api.parse(board.text), program()), "A").moves
    every = (*moves.reach, *moves.passed, *moves.perhaps)
    steps = {(step.start.spot, step.to.spot) for each in every for step in each.path}
    # Which steps are legal hangs on LOS, which other tests are about: the oracle takes them as they are.
    ends, beyond = board.ends(steps)  # type: ignore[arg-type]
    assert {each.to.spot for each in moves.reach} == ends
    assert {each.to.spot for each in moves.perhaps} == beyond


@slow
def test_the_wooded_boards_have_something_of_each() -> None:
    found = [
        api.rout(api.position(api.parse(wooded(seed).text), program()), "A", cite=False).moves
        for seed in range(12)
    ]
    assert any(each.barred_ends for each in found)
    assert any(each.reach and not each.barred_ends for each in found)
    assert any(each.perhaps for each in found)


# --- What binds it to single questions.


BOARDS = [
    ("a10_5_rout", "A"),
    ("a10_5_rout", "S"),
    ("a10_53_who_interdicts", "R"),
    ("a10_51_nearest_refuge", None),
    ("b23_25_rout", None),
]


def _steps(paths: Iterable[tuple[MoveStep, ...]]) -> list[MoveStep]:
    return list(dict.fromkeys(step for path in paths for step in path))


@pytest.mark.parametrize(("name", "unit"), some(BOARDS, 3))
def test_each_step_is_legal_and_interdicted_as_single_answers_say(
    name: str, unit: str | None
) -> None:
    here = api.load(CASES / f"{name}.board", program())
    broken = [
        fact.arguments[0].string
        for fact in here.board_facts.named("status")
        if str(fact.arguments[1]) == "broken"
    ]
    answer = api.rout(here, unit or broken[0])
    told = {each.step: each for each in answer.interdictions}
    steps = _steps(each.path for each in (*answer.moves.reach, *answer.moves.perhaps))
    for step in Random(name).sample(steps, min(4, len(steps))):
        deed = f'step(rout, "{answer.unit}", {step.start}, {step.to}, {step.way})'
        if step.start == answer.moves.start:
            legal = api.ask(here, f"legal({deed})", cite=False).holds
            assert legal is step.legal
        yes = api.ask(here, f"interdicted({deed}, E) = yes", cite=False)
        named = {value.strip('"') for each in yes.found for _, value in each.values}
        assert named == set(told[step].by if step in told else ())


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@slow
def test_it_names_the_rule_against_each_neighbor() -> None:
    board = str(CASES / "a10_5_rout.board")
    record = json.loads(run("rout", board, "A", "--json"))
    assert record["must"] is True
    barred = {each["to"]: each["norms"] for each in record["forbidden"] if each["from"] == "C3"}
    assert set(barred) == {"C2", "D2", "D3"}
    assert all(barred.values())
    assert {each["to"] for each in record["reach"] if each["interdicted_by"]} >= {"B2", "A2"}
    text = run("rout", board, "A")
    assert text.startswith("A must rout\nA can reach")
    assert "Interdiction on entering\n  by B" in text


def test_who_is_not_broken_does_not_rout() -> None:
    assert "A need not rout\nA can go nowhere" in run("rout", "assault", "A")
    assert "there is no unit Nobody" in run("rout", "assault", "Nobody", code=2)


@slow
def test_a_way_past_an_obstacle_is_asked_of_the_rules_as_they_have_it() -> None:
    """A way such as `around` a vertex is written otherwise in an answer than in the rules."""
    changes = ["--if", "unit G squad 6-2-8 german at E4: broken", "--if", "rubble stone: C3"]
    assert "G can reach" in run("rout", "assault", "G", *changes)
