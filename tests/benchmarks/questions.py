"""Questions of every kind on a board, for `python -m tests.benchmarks` and the counts that CI guards.

They are chosen by a seed and are different ones. Of each is told the CPU time that it took, and what clingo
was given for it: rules and atoms once grounded, of the control that proofs look up the board in what all
of them have put there. Generated boards have as many buildings as those of the game. The unit, in which
figures of two machines can be compared, is the time of a loop of 10^6 additions in Python.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from statistics import median

import clingo

from rules_asp.api import QuestionError, ask, can, fire, load_program, moves, roll, tem, why
from rules_asp.game.board import Board
from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.values import hex_from_symbol
from rules_asp.parser import parse
from rules_asp.positions.name_resolution import location_of_unit
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.los import los

#: The hexes of a board of the game.
_COLUMNS, _ROWS = 33, 10
_TOPICS = ("height", "top", "btype", "construction")
#: A way to ask one question.
_Question = Callable[[], object]


def unit() -> float:
    """The CPU time, in seconds, of a loop of 10^6 additions: the median of five."""
    return median(_timed(_additions) for _ in range(5))


def _additions() -> None:
    total = 0
    for number in range(1_000_000):
        total += number


def _timed(what: Callable[[], object]) -> float:
    start = time.process_time()
    what()
    return time.process_time() - start


def measured(
    board: Board, seed: int, count: int
) -> Iterator[tuple[str, Sequence[tuple[float, int, int]]]]:
    """For each kind of question the CPU time, the ground rules and the atoms of each that was asked."""
    here = manned(board, random.Random(seed))
    for kind, questions in kinds(here, random.Random(seed)).items():
        figures = []
        # Some are refused: not every hex has what is asked about.
        for question in islice(questions, 3 * count + 3):
            if len(figures) > count:
                break
            with grounded() as controls:
                try:
                    seconds = _timed(question)
                except QuestionError:
                    continue
            counts = [each.statistics["problem"]["lp"] for each in controls]
            rules, atoms = (int(sum(each[what] for each in counts)) for what in ("rules", "atoms"))
            figures.append((seconds, rules, atoms))
        # The first has to find out what the kind of question rests on.
        if figures[1:]:
            yield kind, figures[1:]


@contextmanager
def grounded() -> Iterator[list[clingo.Control]]:
    """The controls that are grounded meanwhile."""
    controls: list[clingo.Control] = []
    ground = clingo.Control.ground

    def noted(self: clingo.Control, *args: object, **more: object) -> None:
        ground(self, *args, **more)  # type: ignore[arg-type]
        controls.append(self)

    clingo.Control.ground = noted  # type: ignore[method-assign, assignment]
    try:
        yield controls
    finally:
        clingo.Control.ground = ground  # type: ignore[method-assign]


def manned(board: Board, chance: random.Random) -> Position:
    """The board with a few units of two sides; Squad and Tank are of those whose turn it is."""
    program = load_program()
    empty = prepare(board, program)
    ground = sorted(str(each) for each in empty.index.elevations if each.floor == 0)
    first, second, *others = chance.sample(ground, 5)
    lines = [
        "sides german russian",
        "turn 3 german mph",
        f"unit Squad squad 4-6-7 german at {first}",
        f"unit Tank vehicle german at {second}: fully-tracked AFV CT, MP 14",
        *(f"unit Foe{number} squad 4-4-7 russian at {at}" for number, at in enumerate(others)),
    ]
    size = f"grid {board.grid.cols}x{board.grid.rows}"
    units = parse("\n".join([f'board "units" {size}', *lines]))
    both = replace(board, statements=(*board.statements, *units.statements))
    return prepare(both, program)


def kinds(here: Position, chance: random.Random) -> dict[str, Iterator[_Question]]:
    """Endless questions of each kind, different ones as long as there are any."""
    ends = sorted(here.index.elevations, key=str)
    built = sorted({hex_from_symbol(where) for where, _ in here.cases[0].get("building", 2)})

    def pairs(limit: int) -> Iterator[tuple[Location, Location]]:
        while True:
            one, other = chance.sample(ends, 2)
            if hex_of_spot(one.spot).range_to(hex_of_spot(other.spot)) <= limit:
                yield one, other

    def steps() -> Iterator[str]:
        start = location_of_unit(here, "Squad")
        hexes = [hex_of_spot(start.spot), *hex_of_spot(start.spot).neighbours()]
        near = [end for end in ends if hex_of_spot(end.spot) in hexes and end != start]
        while True:
            yield f"Squad move to {chance.choice(near)}"

    def topics() -> Iterator[str]:
        while True:
            yield f"{chance.choice(_TOPICS)}({chance.choice(built)}) = V"

    def whys() -> Iterator[str]:
        for topic, (a, b) in zip(topics(), pairs(12), strict=False):
            yield topic
            yield f"sees({a} - {b})"

    return {
        "los bare": (
            lambda a=a, b=b: los(here, a, b, close=False, cite=False) for a, b in pairs(40)
        ),
        "los cited": (lambda a=a, b=b: los(here, a, b) for a, b in pairs(40)),
        "tem": (lambda a=a, b=b: tem(here, a, b) for a, b in pairs(12)),
        "fire": (lambda a=a, b=b: fire(here, a, b) for a, b in pairs(12)),
        "can": (lambda deed=deed: can(here, deed) for deed in steps()),
        "roll": (
            lambda hex_=hex_: roll(here, f'bog_check("Tank", {hex_})')
            for hex_ in iter(lambda: chance.choice(built), None)
        ),
        "ask": (lambda topic=topic: ask(here, topic) for topic in topics()),
        "why": (lambda topic=topic: why(here, topic) for topic in whys()),
        "moves": (lambda unit=unit: moves(here, unit) for unit in ("Squad", "Tank", "Squad")),
    }


#: By how many hexes buildings are larger than one, as often as on boards of the game.
_LARGER = (0, 0, 0, 1, 1, 2, 4)


def generated(seed: int, buildings: int = 45, larger: Sequence[int] = _LARGER) -> Board:
    """A board as large as those of the game, and with so many buildings as built up as they are.

    No two buildings lie side by side, so that more than a quarter of the hexes is built only if they
    are `larger`.
    """
    chance = random.Random(seed)
    lines = [f'board "seed{seed}" grid {_COLUMNS}x{_ROWS}', "rules B23"]
    free = set(parse(lines[0]).grid.hexes())
    for number in range(buildings):
        first = chance.choice(sorted(free))
        members = [first]
        for _ in range(chance.choice(larger)):
            open_ = [
                each for one in members for each in one.neighbours() if each in free - {*members}
            ]
            if open_:
                members.append(chance.choice(open_))
        free -= {*members, *(each for one in members for each in one.neighbours())}
        lines.append(_building(members, chance.choice(("brown", "gray")), number % 3 == 0))
        if len(free) < 40:
            break
    rest = sorted(free)
    lines.append(f"woods: {' '.join(map(str, chance.sample(rest, 12)))}")
    lines.append(f"level 1: {' '.join(map(str, chance.sample(rest, 12)))}")
    return parse("\n".join(lines))


def _building(members: Sequence[Hex], colour: str, stairs: bool) -> str:
    joined = [
        f"{one}-{other}"
        for one in members
        for other in members
        if one < other and other in one.neighbours()
    ]
    line = f"building {colour}: {' '.join(map(str, members))}"
    line += f"   joined {' '.join(joined)}" if joined else ""
    return line + (f"   stairwell {members[0]}" if stairs else "")
