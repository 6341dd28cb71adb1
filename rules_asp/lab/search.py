"""Runs of the lab: what any small board can show, and the smallest board that shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import clingo

from rules_asp.engine import EngineError
from rules_asp.grid import Grid
from rules_asp.lab.world import Bounds, Event, Lab, Place, places
from rules_asp.source import Node, Rule


@dataclass(frozen=True)
class Look:
    """What is looked for: rules that derive goal(Key), and the nodes that these read.

    `events` are those on which a goal can turn.
    """

    rules: str
    wanted: tuple[Node, ...]
    events: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Model:
    """A board that a search found: its facts, and where it was looked for."""

    goal: clingo.Symbol
    symbols: tuple[clingo.Symbol, ...]
    grid: Grid
    event: Event
    place: Place


class OutOfTime(Exception):
    """The time for a search is over."""


@dataclass
class Clock:
    """The time that a search may take; None: as long as it needs."""

    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    def left(self) -> float | None:
        """Seconds that are left; OutOfTime when there are none."""
        if self.seconds is None:
            return None
        left = self.seconds - (time.monotonic() - self.started)
        if left <= 0:
            raise OutOfTime
        return left


class Run:
    """One grounded world: an event at a place of a grid, and what is looked for."""

    def __init__(
        self,
        lab: Lab,
        bounds: Bounds,
        grid: Grid,
        event: Event,
        place: Place,
        look: Look,
        rules: Sequence[Rule],
        clock: Clock,
    ) -> None:
        self.grid, self.event, self.place = grid, event, place
        self._clock = clock
        self._inputs = lab.inputs
        messages: list[str] = []
        self._control = clingo.Control(
            ["--opt-strategy=usc", "--models=0"],
            logger=lambda _code, text: messages.append(text),
            message_limit=100,
        )
        text = lab.world(bounds, grid, event, place, rules)
        try:
            self._control.add("base", [], text)
            self._control.add("base", [], f"{look.rules}\n#defined goal/1.\n#show goal/1.")
            self._control.add("base", [], _least(lab, rules))
            self._control.ground([("base", [])])
        except RuntimeError as error:
            raise EngineError("; ".join(messages[:3]) or str(error)) from None
        if messages:
            raise EngineError("; ".join(messages[:3]))

    @property
    def goals(self) -> list[clingo.Symbol]:
        """What could be found here at all."""
        atoms = self._control.symbolic_atoms.by_signature("goal", 1)
        return [atom.symbol.arguments[0] for atom in atoms]

    def possible(self, known: Iterable[clingo.Symbol] = ()) -> set[clingo.Symbol]:
        """The goals that some board shows; `known` ones are not looked for again."""
        known = set(known)
        if known.issuperset(self.goals):
            return set()
        self._configure("brave", "ignore")
        found: set[clingo.Symbol] | None = None
        for symbols in self._models(()):
            found = {symbol.arguments[0] for symbol in symbols if symbol.name == "goal"}
        if found is None:
            raise EngineError(f"no board at all on {self.grid} for {self.event.name}")
        return found - known

    def least(self, goal: clingo.Symbol) -> Model | None:
        """The smallest board that shows a goal, or None."""
        self._configure("auto", "opt")
        atom = clingo.Function("goal", [goal])
        best = None
        for symbols in self._models(((atom, True),), atoms=True):
            best = symbols
        if best is None:
            return None
        return Model(goal, tuple(best), self.grid, self.event, self.place)

    def _configure(self, enum_mode: str, opt_mode: str) -> None:
        solve = self._control.configuration.solve
        solve.enum_mode = enum_mode  # type: ignore[union-attr]
        solve.opt_mode = opt_mode  # type: ignore[union-attr]

    def _models(
        self, assumed: Sequence[tuple[clingo.Symbol, bool]], atoms: bool = False
    ) -> Iterator[list[clingo.Symbol]]:
        """The models of one call, until the time is over."""
        with self._control.solve(assumptions=assumed, yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                if not handle.wait(self._clock.left()):
                    handle.cancel()
                    raise OutOfTime
                model = handle.model()
                if model is None:
                    return
                yield list(model.symbols(atoms=True) if atoms else model.symbols(shown=True))


def _least(lab: Lab, rules: Sequence[Rule]) -> str:
    """What makes a board small: fewest hexes with something in them, then fewest statements."""
    from rules_asp.vocabulary import vocabulary

    lines = []
    heads = {node for rule in rules for node in rule.heads}
    for node in sorted(heads, key=str):
        if (node.name, node.arity) not in lab.inputs or (node.name, node.arity) not in lab.chosen:
            continue
        names = [f"X{number}" for number in range(node.arity)]
        atom = f"{node.name}({','.join(names)})" if names else node.name
        plain = ", X1 > 0" if node.name == "base" else ""
        lines.append(f"#minimize {{ 1@1,{atom} : {atom}{plain} }}.")
        kinds = vocabulary().inputs[node.name].kinds
        for name, kind in zip(names, kinds, strict=True):
            for used in _hexes(name, kind):
                lines.append(f"used({used[0]}) :- {atom}{plain}{used[1]}.")
    lines.append("#defined used/1.")
    lines.append("#minimize { 1@2,H : used(H) }.")
    return "\n".join(lines)


def _hexes(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """How the hexes of an argument are found."""
    if kind == "hex":
        yield name, ""
    elif kind == "hexside":
        yield "H", f", {name} = e(H,_)"
        yield "H", f", {name} = e(_,H)"
    elif kind == "location":
        yield "H", f", {name} = l(H,_), hex(H)"
        yield "H", f", {name} = l(v(H,_),_)"


def runs(
    lab: Lab,
    bounds: Bounds,
    look: Look,
    clock: Clock,
    strict: Iterable[str] = (),
    told: Callable[[str], None] = lambda _: None,
) -> Iterator[Run]:
    """The runs of a search, small grids first."""
    rules = lab.selected(look.wanted, strict)
    for grid in bounds.grids:
        for event in lab.events:
            if look.events is not None and event.name.partition("(")[0] not in look.events:
                continue
            for place in places(grid, event):
                told(f"{grid} {event.name} {place.name}".strip())
                yield Run(lab, bounds, grid, event, place, look, rules, clock)
