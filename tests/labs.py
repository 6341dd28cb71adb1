"""Searches of the lab for tests: the smallest boards, one process, and copies of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import clingo

from rules_asp.game.grid import Grid
from rules_asp.knowledge.reader import kb_folder
from rules_asp.knowledge.rules import Signature
from rules_asp.lab.generator import Generator, SearchBounds, load_generator
from rules_asp.lab.goals import CLASH, at_vertices, given_at, search_goal_for
from rules_asp.lab.search import Search
from tests.positions import program

SMALL = Grid(2, 1)
#: Events that together ask about most kinds of topics.
EVENTS = ("board", "units", "sight", "shot(direct)", "move", "advance", "gun", "concealment")
SECTIONS = ("b23", "pb4", "pb6", "brt7", "abtf3")


@cache
def the_lab() -> Generator:
    """Return the lab of the included rules, loaded once."""
    return load_generator(program=program())


def search(
    lab: Generator, *events: str, grids: tuple[Grid, ...] = (SMALL,), **bounds: object
) -> Search:
    """Return a search within these bounds, without a goal."""
    within = SearchBounds(grids, events=events, **bounds)  # type: ignore[arg-type]
    return Search(lab, within, jobs=1)


def copied(tmp_path: Path) -> Path:
    """Return a copy of the included rules, which tests can change."""
    folder = tmp_path / "kb"
    for path in kb_folder().rglob("*.lp"):
        new = folder / path.relative_to(kb_folder())
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(path.read_bytes())
    return folder


def random_boards(
    lab: Generator,
    event: str,
    grid: Grid,
    count: int,
    sections: tuple[str, ...],
    seed: int = 1,
    also: tuple[Signature, ...] = (),
    rules: str = "",
) -> Iterator[list[clingo.Symbol]]:
    """Boards at random with the question of an event, each as the atoms of an answer set.

    All that norms say of what the event shows is among them, and the predicates in `also`. Boards
    may break norms. rules: further rules, such as constraints.
    """
    look = search_goal_for(lab, [CLASH], lenient=True)
    within = SearchBounds((grid,), sections, events=(event,))
    spots = Search(lab, within, look, jobs=1).spots(grid)
    for spot in spots:
        part = look.part(spot.event)
        assert part is not None
        facts, searched = lab.searched(
            given_at(spot, lab, within, look),
            grid,
            (*part.wanted, *also),
            (),
            True,
            at_vertices(spot, look),
        )
        control = clingo.Control(
            ["--models=1", "--rand-freq=0.05", "--sign-def=rnd", f"--seed={seed}", "--warn=none"]
        )
        control.add("base", [], f"{lab.program_text(facts, searched)}{rules}")
        control.ground([("base", [])])
        for number in range(count):
            for solver in control.configuration.solver:  # type: ignore[union-attr]
                solver.seed = seed + number
            with control.solve(yield_=True) as handle:
                for model in handle:
                    yield list(model.symbols(atoms=True))


def said_together(atoms: Sequence[clingo.Symbol]) -> Iterator[tuple[str, str, str]]:
    """The pairs of norms that say different things of one topic, or allow and forbid one deed."""
    values: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for atom in atoms:
        if atom.name == "value":
            values.setdefault(atom.arguments[0], set()).add(atom.arguments[1])
    said: dict[clingo.Symbol, set[tuple[str, clingo.Symbol, bool]]] = {}
    for atom in atoms:
        if atom.name in ("says", "offers", "takes", "offers_value"):
            norm, topic, told = atom.arguments
            own = {told} if atom.name in ("says", "offers") else values.get(told, set())
            offer = atom.name.startswith("offers")
            said.setdefault(topic, set()).update((norm.string, value, offer) for value in own)
    for topic, found in said.items():
        for one, other in product(found, found):
            if one[0] <= other[0] and one[1] != other[1] and not (one[2] and other[2]):
                yield topic.name, one[0], other[0]
    bans = [atom.arguments for atom in atoms if atom.name == "forbids"]
    for atom in atoms:
        if atom.name == "permits":
            norm, deed = atom.arguments
            for ban, barred in bans:
                if barred == deed:
                    yield (deed.name, *sorted((norm.string, ban.string)))
