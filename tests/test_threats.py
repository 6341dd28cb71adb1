"""`threats` and `safest` agree with `firers` and `moves`, and with an oracle that tries every path."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from rich.console import Console

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game.grid import Grid, Hex, Location, hex_of_spot
from rules_asp.output.console import show
from rules_asp.parser import write
from rules_asp.positions.locations import units_at
from rules_asp.queries.fire_table import Attack
from rules_asp.queries.paths import MoveStep
from rules_asp.queries.safest import CERTAIN, MEASURES, POSSIBLE, safest
from rules_asp.queries.step_search import StepSearch, explore
from rules_asp.queries.threats import StepThreats, along, fire_on_steps
from tests.positions import program
from tests.sampling import part, slow, some

CASES = Path(__file__).parent / "cases"


# --- A one-step path is `firers` with the unit moving there.


PATHS = [
    ("assault", "A", "C4"),
    ("assault", "A", "B3"),
    ("assault", "G", "E5"),
    ("a7_2_firepower", None, None),
    ("b9_32_wall_advantage", None, None),
    ("a7_1_who_may_fire", None, None),
    ("a6_7_murk", None, None),
]


def _moved(here: api.Position, unit: str, to: str) -> api.Position:
    """Return the board with the unit at this Location, from its text."""
    text = write(here.board)
    moved, count = re.subn(rf"^(unit {unit} [^:\n]*? at )[^\s:]+", rf"\g<1>{to}", text, flags=re.M)
    assert count == 1
    return api.position(api.parse(moved.replace("wall-advantage", "elite")), program())


@pytest.mark.parametrize(("name", "unit", "to"), some(PATHS, 4))
def test_threats_of_one_step_equal_firers_at_its_end(
    name: str, unit: str | None, to: str | None
) -> None:
    path = CASES / f"{name}.board"
    here = api.load(path if path.exists() else name, program())
    if unit is None:
        mobile = [
            each for each in sorted(units_at(here)) if api.moves(here, each, cite=False).reach
        ]
        if not mobile:
            pytest.skip("nobody can move")
        unit = mobile[0]
        to = str(api.moves(here, unit, cite=False).reach[0].to)
    assert to is not None
    answer = here.answer(api.ThreatsQuestion((unit,), to))
    (step,) = answer.steps
    (table,) = step.tables
    assert table.attacks == api.firers(_moved(answer.position, unit, to), unit, "moving").attacks


STEPS = """
board "steps" grid 7x8
sides german russian
turn 1 russian mph
road dirt: C2-C3-C4-C5
woods: C4
level 1: F5
unit A squad 4-4-7 russian at C3
unit B squad 4-4-7 russian at F4
unit X squad 4-6-7 german at C7
unit Y squad 4-6-7 german at F1
"""


@pytest.mark.parametrize(
    ("unit", "to", "there"),
    [
        ("A", "C4", ["unit A squad 4-4-7 russian at C4: spent 1, by-road"]),
        ("B", "F5", ["unit B squad 4-4-7 russian at F5", "event B crossed F4-F5 in turn 1 russian mph"]),
    ],
)  # fmt: skip
def test_a_step_tells_how_the_unit_came(unit: str, to: str, there: list[str]) -> None:
    here = api.position(api.parse(STEPS), program())
    (step,) = here.answer(api.ThreatsQuestion((unit,), to)).steps
    (table,) = step.tables
    by_hand = api.firers(here.with_(*there), unit, "moving")
    assert [each.drm.value for each in table.able] == [each.drm.value for each in by_hand.able]
    assert -2 in [each.drm.value for each in table.able]


@slow
def test_the_way_into_a_hex_is_told_apart() -> None:
    here = api.position(api.parse(STEPS), program())
    found = here.answer(api.SafestQuestion(("A",), "C4"))
    assert {path.steps[-1].step.way for path in found.paths} == {"road", "enter"}


# --- An oracle that tries every path.


@dataclass(frozen=True)
class Tried:
    """A path, and its results by each bound: units, DRM, Open Ground, MF. Smaller is better."""

    steps: tuple[MoveStep, ...]
    results: dict[str, tuple[int, ...]]

    def result(self, bounds: tuple[str, ...], order: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(
            self.results[bound][MEASURES.index(each)] for bound in bounds for each in order
        )


def drawn(seed: int, leader: bool = False) -> api.Position:
    """Return a random small board: a squad, and enemies that are able, broken, concealed or unknown."""
    dice = Random(seed)
    grid = Grid(6, 5)
    hexes = grid.hexes()
    unit, *others = dice.sample(hexes, 4)
    kinds = [dice.choice(("woods", "brush", "grain", "building brown")) for _ in range(9)]
    lines = [f"{kind}: {each}" for kind, each in zip(kinds, dice.sample(hexes, 9), strict=True)]
    enemies = ["squad 4-2-7 german", "squad 4-6-7 german", "unidentified german", "squad german"]
    lines += [
        "sides german russian",
        f"unit A squad 4-4-7 russian at {unit}: mf {dice.randint(4, 5)}",
    ]
    if leader:
        lines.append(f"unit L leader 8-1 russian at {unit}: mf 5")
    lines.append(f"road dirt: {'-'.join(map(str, _line(dice, grid)))}")
    for number, where in enumerate(others):
        state = dice.choice(("", "", ": broken", ": concealed", ": pinned"))
        lines.append(f"unit Foe{number}x {dice.choice(enemies)} at {where}{state}")
    return api.position(api.parse("\n".join(['board "small" grid 6x5', *lines])), program())


def _line(dice: Random, grid: Grid) -> list[Hex]:
    """Return some hexes, each adjacent to the previous one."""
    line = [dice.choice(grid.hexes())]
    inside = set(grid.hexes())
    for _ in range(4):
        line.append(dice.choice([e for e in line[-1].neighbours() if e in inside]))
    return list(dict.fromkeys(line)) if len(set(line)) == len(line) else line[:2]


def every_path(here: api.Position, to: Location, units: tuple[str, ...] = ("A",)) -> list[Tried]:
    """Return every path of known steps within the MF that enters no Location twice."""
    start = units_at(here)["A"]
    search = StepSearch(here, units, "move", start, 1, None, "mf", False, None)
    explore(search)
    assert search.budget.pace is not None
    known = {
        place: [e for e in steps if e.legal and e.mf is not None and not e.unknown]
        for place, steps in search.steps.items()
    }
    pace, bonuses = search.budget.pace, search.budget.bonuses

    def limit(path: tuple[MoveStep, ...]) -> int:
        kept = (more for c, more in bonuses.items() if all(c in e.keeps_bonus for e in path))
        return pace + sum(kept)

    found: list[tuple[MoveStep, ...]] = []
    todo: list[tuple[tuple[MoveStep, ...], int]] = [((), 0)]
    while todo:
        path, spent = todo.pop()
        here_ = path[-1].to if path else start
        if here_ == to:
            found.append(path)
            continue
        been = {start, *(each.to for each in path)}
        for each in known.get(here_, ()):
            further = ((*path, each), spent + (each.mf or 0))
            if each.to not in been and further[1] <= limit(further[0]):
                todo.append(further)
    fire, _ = fire_on_steps(here, units, {step for path in found for step in path}, cite=False)
    return [Tried(path, _results(along(path, fire))) for path in found]


def _results(path: tuple[StepThreats, ...]) -> dict[str, tuple[int, ...]]:
    mf = sum(each.step.mf or 0 for each in path)
    told = {}
    for bound in (CERTAIN, POSSIBLE):
        by_step = [list(_attacks(each, bound)) for each in path]
        attacks = [each for some_ in by_step for each in some_]
        drms = [each.best_drm for each in attacks]
        known = [-each for each in drms if each is not None]
        worst = max(known, default=-100)
        if bound == POSSIBLE and None in drms:
            worst = 100
        in_open = sum(any(_in_open(each, bound) for each in some_) for some_ in by_step)
        told[bound] = (len({each.by for each in attacks}), worst, in_open, mf)
    return told


def _attacks(step: StepThreats, bound: str) -> Iterator[Attack]:
    for table in step.tables:
        for each in table.attacks:
            if each.firepower != 0 and (each.legal or (each.legal is None and bound == POSSIBLE)):
                yield each


def _in_open(attack: Attack, bound: str) -> bool:
    return attack.has_part("ffmo") or (bound == POSSIBLE and attack.drm.value is None)


def unbeaten(found: list[Tried]) -> set[tuple[int, ...]]:
    results = {each.result((CERTAIN, POSSIBLE), MEASURES) for each in found}
    return {
        one
        for one in results
        if not any(two != one and all(map(int.__le__, two, one)) for two in results)
    }


@cache
def tried(seed: int) -> tuple[api.Position, Location, list[Tried]]:
    here = drawn(seed)
    reach = [each.to for each in api.moves(here, "A", cite=False).reach]
    start = hex_of_spot(units_at(here)["A"].spot)
    far = [each for each in reach if start.range_to(hex_of_spot(each.spot)) > 1] or reach
    to = Random(seed).choice(far) if far else units_at(here)["A"]
    return here, to, every_path(here, to) if reach else []


#: Each seed costs some CPU seconds.
SEEDS = part(some(range(100), 72), 1)
ORDERS = (("firers",), ("mf", "open"), ("drm", "firers", "mf", "open"))


@pytest.mark.parametrize("seed", SEEDS)
def test_safest_reports_all_unbeaten_paths(seed: int) -> None:
    here, to, found = tried(seed)
    answer = safest(here, ("A",), to, cite=False)
    assert answer.is_complete
    by_path = {each.steps: each.result((CERTAIN, POSSIBLE), MEASURES) for each in found}
    paths = [tuple(each.step for each in path.steps) for path in answer.paths]
    assert {by_path[path] for path in paths} == unbeaten(found)
    assert len(paths) == len({by_path[path] for path in paths})


@slow
@pytest.mark.parametrize("seed", part(some(range(20), 24), 1))
def test_safest_reports_all_unbeaten_paths_of_a_stack(seed: int) -> None:
    here, stack = drawn(seed, leader=True), ("A", "L")
    reach = [each.to for each in api.moves(here, stack, cite=False).reach]
    if not reach:
        pytest.skip("the stack cannot move")
    to = Random(seed).choice(reach)
    found = every_path(here, to, stack)
    by_path = {each.steps: each.result((CERTAIN, POSSIBLE), MEASURES) for each in found}
    answer = safest(here, stack, to, cite=False)
    paths = [tuple(each.step for each in path.steps) for path in answer.paths]
    assert {by_path[path] for path in paths} == unbeaten(found)


@slow
@pytest.mark.parametrize("seed", part(some(range(20), 24), 1))
def test_threats_of_a_stack_equal_firers_at_its_end(seed: int) -> None:
    here, stack = drawn(seed, leader=True), ("A", "L")
    start = units_at(here)["A"]
    beside = [
        e for e in api.moves(here, stack, cite=False).reach if len(e.path) == 1 and e.to != start
    ]
    if not beside:
        pytest.skip("the stack cannot move")
    to = beside[0].to
    answer = here.answer(api.ThreatsQuestion(stack, to))
    (step,) = answer.steps
    (table,) = step.tables
    moved = _moved(_moved(answer.position, "A", str(to)), "L", str(to))
    alone = api.firers(moved, to, "moving")
    assert table.attacks == alone.attacks
    assert table.group == alone.group
    assert step.able == tuple(each.by for each in alone.able)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_path_of_an_order_is_the_minimum(seed: int) -> None:
    order = ORDERS[seed % len(ORDERS)]
    here, to, found = tried(seed)
    answer = safest(here, ("A",), to, order, cite=False)
    by_path = {each.steps: each for each in found}
    least = {
        bound: min((e.result((bound,), answer.order) for e in found), default=None)
        for bound in (CERTAIN, POSSIBLE)
    }
    both = any(
        all(each.result((bound,), answer.order) == least[bound] for bound in least)
        for each in found
    )
    firsts = [path.first_by for path in answer.paths]
    assert ((CERTAIN, POSSIBLE) in firsts) == both
    for path in answer.paths:
        one = by_path[tuple(each.step for each in path.steps)]
        for bound in least:
            is_first = one.result((bound,), answer.order) == least[bound]
            assert (bound in path.first_by) == is_first
        if order[0] == "mf":
            there = api.moves(here, "A", cite=False).to(to)
            assert there is not None
            assert path.certain.mf == there.mf or there.mf is None


@slow
def test_the_boards_show_each_kind_of_result() -> None:
    boards = [tried(seed) for seed in range(7)]
    fronts = [unbeaten(found) for _, _, found in boards]
    assert any(len(each) > 1 for each in fronts)
    results = [each.results for _, _, found in boards for each in found]
    assert any(each[CERTAIN] != each[POSSIBLE] for each in results)
    assert any(each[CERTAIN][0] for each in results)
    assert any(each[CERTAIN][2] for each in results)


# --- The command.


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@slow
def test_threats_reports_each_step_of_a_path() -> None:
    record = json.loads(run("threats", "assault", "A", "C3/1", "--json"))
    steps = [
        (each["to"], each["spent"], each["firers"], each["best_drm"]) for each in record["steps"]
    ]
    assert steps == [("C4", 1, ["E"], -2), ("C3", 3, [], None), ("C3/1", 4, ["E"], 2)]
    assert [each["open"] for each in record["steps"]] == [True, False, False]
    assert record["verdict"] == "yes"
    text = run("threats", "assault", "A", "C3/1", "--path", "C4 C3")
    assert text.startswith("A moving to C3/1: 1 unit can fire at it on the way")
    assert (
        "FFMO -1" not in run("threats", "assault", "A", "C3/1", "--assault-moving").split("C3")[2]
    )


@slow
def test_threats_reports_a_forbidden_step_and_residual_fp(tmp_path: Path) -> None:
    board = tmp_path / "here.board"
    board.write_text(
        'board "here" grid 5x5\nwall: B3-C3\nresidual fp 4: B3\nsides german russian\n'
        "unit A squad 4-6-7 german at B2\nunit B squad 4-4-7 russian at C3\n"
    )
    text = run("threats", str(board), "A", "C3", "--path", "B3")
    assert "Residual FP on entering\n  B3  4 FP" in text
    assert "Not allowed by\n  A4.14-1" in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("threats", "assault", "A", "Z9"), "Z9"),
        (("threats", "assault", "Nobody", "C4"), "Nobody"),
        (("threats", "assault", "A", "C3/1", "--path", "F6"), "no single step leads from B4 to F6"),
        (("safest", "assault", "A", "C3", "--order", "luck"), "use firers, drm, open, mf"),
        (("turn", "assault", "martian"), "the sides are german, russian"),
    ],
)
def test_invalid_questions_are_refused(words: tuple[str, ...], told: str) -> None:
    assert told in run(*words, code=2)


@slow
def test_a_row_of_turn_equals_single_questions() -> None:
    here = api.load("assault", program())
    answer = here.answer(api.TurnQuestion("german"))
    assert [each.unit for each in answer.units] == ["A", "G", "L"]
    for row in part(answer.units, 1):
        alone = api.moves(here, row.unit, cite=False)
        reach = [(each.to, each.mf, each.at_least, each.at_most) for each in alone.reach]
        assert [(each.to, each.mf, each.at_least, each.at_most) for each in row.reach] == reach
        assert [each.to for each in row.perhaps] == [each.to for each in alone.perhaps]
        firing = api.targets(here, row.unit, "pfph", cite=False).attacks
        assert set(row.targets) == set(firing)
        assert set(row.firers) == set(api.firers(here, row.unit, None, "dfph", cite=False).attacks)


# --- A result that needs a missing rule is unknown, and the answer names the rule.


def shown(answer: api.Answer) -> str:
    out = StringIO()
    show(Console(file=out, width=100), *answer.report().blocks)
    return out.getvalue()


UNARMED = """board "here" grid 8x6
sides german russian
turn 3 german mph
unit Ger squad 4-6-7 german at B3
unit Tank vehicle german at B4: fully-tracked AFV CT BU, MA 75L
unit Rus squad 4-4-7 russian at F3
unit Truck vehicle russian at G2: truck
"""


@slow
def test_snap_shots_are_unknown_where_a_unit_crosses_a_hexside_in_front_of_enemies() -> None:
    here = api.position(api.parse(UNARMED), program())
    answer = here.answer(api.ThreatsQuestion(("Ger",), "C4"))
    assert [str(each) for each in answer.steps[0].exposure.unknown] == [
        "this needs rule A8.15, which is not encoded"
    ]
    assert "on the way, perhaps more" in shown(answer)
    safest_ = here.answer(api.SafestQuestion(("Ger",), "C4"))
    assert [each.name for each in safest_.uncounted] == ["not_given"]
    alone = here.without(
        "unit Rus squad 4-4-7 russian at F3", "unit Truck vehicle russian at G2: truck"
    )
    answer = alone.answer(api.ThreatsQuestion(("Ger",), "C4"))
    assert answer.is_whole
    assert "perhaps" not in shown(answer)
    # A step on the stairs of one hex crosses no hexside.
    inside = api.load("assault", program()).answer(api.ThreatsQuestion(("A",), "C3/1"))
    assert [bool(each.exposure.unknown) for each in inside.steps] == [True, True, False]


@slow
def test_a_vehicle_without_stated_weapons_may_or_may_not_fire() -> None:
    here = api.position(api.parse(UNARMED), program())
    row = next(e for e in here.answer(api.TurnQuestion("german")).units if e.unit == "Ger")
    assert {each.by: each.legal for each in row.firers} == {"Rus": True, "Truck": None}
    report = shown(here.answer(api.TurnQuestion("german")))
    assert "Truck perhaps" in report
    assert re.search(r"Truck +the board does not say `unit Truck \.\.\.: MA NUMBER`", report)
    # To Hit, for the Main Armament, and against a vehicle.
    assert "rule C6" in report
    assert "rule C3" in report


def test_assault_fire_leaves_the_fp_unknown() -> None:
    text = UNARMED.replace("mph", "afph")
    (attack,) = (
        each
        for each in api.firers(api.position(api.parse(text), program()), "Rus").attacks
        if each.by == "Ger"
    )
    assert attack.legal
    assert attack.firepower is None
    assert [str(each) for each in attack.fp_unknown] == [
        "this needs rule A7.36, which is not encoded"
    ]


@slow
def test_a_step_on_a_stairwell_names_the_location_of_the_best_attack(tmp_path: Path) -> None:
    board = tmp_path / "tower.board"
    board.write_text(
        """\
board "tower" grid 8x8
rules B23 PB6
sides german russian
turn 3 german mph
building brown: D4   stairwell D4
symbol round: D4
tower D4 hindrance 2
unit A half-squad 2-3-7 german at D4
unit R squad 4-4-7 russian at D1
"""
    )
    said = CliRunner().invoke(main, ["threats", str(board), "A", "D4/tower"]).output
    assert "FFNAM -1, at D4/stairs1" in said
    assert "PB6.43" in said
