"""A grounded program of small boards: which goals some board shows, and the smallest such board."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import clingo

from rules_asp.game.values import default_notation
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.rules import Rule
from rules_asp.knowledge.solver import EngineError
from rules_asp.lab.claim_rules import condition_rules
from rules_asp.lab.equal_atoms import EqualAtoms, GroundRules, pairs_of
from rules_asp.lab.generator import (
    OTHER,
    BoardModel,
    Generator,
    SearchBounds,
    SearchSite,
    minimise_text,
    predicates_read,
)
from rules_asp.lab.goals import Kinds, SearchGoal, at_vertices, given_at, redundant_hexes
from rules_asp.queries.claims import NUMBERS
from rules_asp.runtime.limits import Deadline, OutOfTime
from rules_asp.runtime.worker import keep_until_exit

#: Only boards with a new goal are wanted. `some` asks for a board with any of the goals that are
#: `left`; found goals are then removed, and the call is repeated.
GOALS = """
#defined goal/1. #defined known/1.
new(K) :- goal(K), not known(K).
#external left(K) : new(K).
some :- new(K), left(K).
#show new/1.
"""


#: The atom that a board shows any of the remaining goals.
_SOME = clingo.Function("some")


#: While all goals are asked together: seconds for each board, or for the proof that no other exists.
#: After that each goal is asked alone, since one alone may stay undecided.
_TOGETHER = 6.0
#: The time for all further members of families, as a share of `patience`.
_BRIEF = 0.1
#: The same for each goal by itself, round by round: if there are at most `_FEW` goals, and if more.
_FEW, _FEW_ROUNDS, _MANY_ROUNDS = 20, (_BRIEF, 1.0), (0.025, 0.25, 1.0)
#: The settings of clasp for most goals and boards, and for those that are hard.
_USUAL, _FOR_HARD = "frumpy", "jumpy"
#: The number of conflicts of a solve call before it counts as hard.
_EASY = 1000


class _Hard(Exception):
    """A solve call has more conflicts than an easy one."""


def _assumed(goal: clingo.Symbol | None) -> list[tuple[clingo.Symbol, bool]]:
    """Return the assumptions for a board that shows a goal."""
    if goal is None:
        return []
    return [(goal if goal == _SOME else clingo.Function("new", [goal]), True)]


def _goals_among(symbols: Iterable[clingo.Symbol]) -> set[str]:
    """Return the goals that a model shows."""
    return {str(each.arguments[0]) for each in symbols if each.name == "new"}


def _twice(name: str, arity: int) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return the signatures of an input for the first and the second rule set."""
    return (name, arity), (name + OTHER, arity)


#: Among boards of one size, prefer conventional colors, names and sides.
_PLAIN = """
#defined cast/2. #defined depicts/2. #defined unit/2. #defined of_side/2.
#minimize { 1@0,H : depicts(H,disputed) ; 1@0,U,V : unit(U,_), cast(V,_), V < U, not unit(V,_) ;
    1@0,U,side : of_side(U,russian) }.
"""


@dataclass(frozen=True)
class SiteProgram:
    """The program of a site, with its goal but without the size of boards; and its rules.

    redundant: see `redundant_hexes`.
    """

    text: str
    rules: Sequence[Rule]
    redundant: frozenset[clingo.Symbol]


def site_program(
    lab: Generator,
    bounds: SearchBounds,
    spot: SearchSite,
    look: SearchGoal,
    strict: Iterable[str] = (),
) -> SiteProgram:
    """Return the program of a site."""
    part = look.part(spot.event)
    assert part is not None
    condition, needed = condition_rules(lab, bounds.where) if bounds.where else ("", ())
    facts, rules = lab.searched(
        given_at(spot, lab, bounds, look),
        spot.grid,
        (*part.wanted, *needed),
        strict,
        look.lenient,
        at_vertices(spot, look),
        look.decisive,
    )
    text = "\n".join([lab.program_text(facts, rules), part.rules, condition, GOALS])
    read = predicates_read(rules, part.wanted)
    return SiteProgram(text, rules, redundant_hexes(spot, look, bounds, read))


class GroundedRun:
    """A grounded program, and its goals."""

    def __init__(
        self,
        lab: Generator,
        bounds: SearchBounds,
        spot: SearchSite,
        look: SearchGoal,
        clock: Deadline,
        strict: Collection[str] = frozenset(),
        known: Collection[str] = frozenset(),
        sized: bool = True,
        program: SiteProgram | None = None,
        simplified: bool = False,
    ) -> None:
        """Ground the program of a site.

        strict: norms that boards do not violate. sized: count and limit the size of boards.
        program: that of `site_program`, if it is known. simplified: see `simplify`.
        """
        self.spot = spot
        self.strict = frozenset(strict)
        self._lab = lab
        self._bounds = bounds
        self._clock = clock
        self._look = look
        self._known = known
        #: The settings of solve calls.
        self._solving: dict[str, int | str] = {}
        self._left: frozenset[clingo.Symbol] = frozenset()
        self._excluded: list[BoardModel] = []
        program = program or site_program(lab, bounds, spot, look, strict)
        rules = program.rules
        chosen = {node for rule in rules for node in rule.heads} & lab.chosen
        self._chosen = sorted(chosen)
        self._redundant = program.redundant
        self._texts = (
            program.text,
            "".join(f"known({each})." for each in known),
            minimise_text(lab, rules) if sized else "",
            _PLAIN if look.tells else "",
        )
        # A program without sizes has few rules: a comparison would take longer than it saves.
        doubled = lab.unit_pairs if sized else ()
        self._doubled = frozenset((node.name, node.arity) for node in doubled)
        self.simplified = simplified
        self._impossible: frozenset[clingo.Symbol] = frozenset()
        self._ground()

    def _ground(self) -> None:
        """Ground the program."""
        messages: list[str] = []
        # `bb` proves a minimum early; `usc` finds a first board early and improves it.
        strategy = "bb" if self._look.extreme else "usc"
        self._control = clingo.Control(
            [
                f"--configuration={_FOR_HARD if self.simplified else _USUAL}",
                "--sat-prepro=0",
                f"--opt-strategy={strategy}",
                "--models=0",
            ],
            logger=lambda _code, text: messages.append(text),
            message_limit=100,
        )
        observed = GroundRules()
        if self.simplified and self._doubled:
            self._control.register_observer(observed)
        try:
            for text in self._texts:
                self._control.add("base", [], text)
            self._control.ground([("base", [])], context=Kinds(self._redundant))
        except RuntimeError as error:
            raise EngineError("; ".join(messages[:3]) or str(error)) from None
        if messages:
            raise EngineError("; ".join(messages[:3]))
        # Freeing the control takes a tenth of the time of a search.
        keep_until_exit(self._control)
        if observed.bodies and self.goals:
            self._add_equalities(observed)

    def _add_equalities(self, rules: GroundRules) -> None:
        """Add constraints that equal atoms of both rule sets are equal."""
        atoms = self._control.symbolic_atoms
        # The rules of goals are compared like those of aggregates.
        heads = {(node.name, node.arity) for node in self._lab.heads}
        named = {
            atom.literal
            for name, arity, _ in atoms.signatures
            if (name, arity) in heads
            for atom in atoms.by_signature(name, arity)
        }
        equal = EqualAtoms.among(rules, pairs_of(atoms, self._doubled), named)
        self._impossible = frozenset(
            atom.symbol.arguments[0]
            for atom in atoms.by_signature("new", 1)
            if equal.is_impossible(atom.literal)
        )
        with self._control.backend() as backend:
            for body in equal.constraints:
                backend.add_rule([], body)

    def simplify(self) -> None:
        """Ground the program again, once, in a form that decides hard goals earlier.

        Equal atoms of both rule sets get constraints, and clasp gets other settings. It may not
        change its settings between calls.
        """
        if self.simplified:
            return
        self.simplified = True
        vars(self).pop("_read", None)
        self._ground()
        for model in self._excluded:
            self._add_exclusion(model)
        self._assign_left(self._left)
        self._apply_settings()

    def ground_again(self, norms: Collection[str] = ()) -> GroundedRun:
        """Ground the site again, without boards that violate any of the norms."""
        return GroundedRun(
            self._lab,
            self._bounds,
            self.spot,
            self._look,
            self._clock,
            self.strict.union(norms),
            self._known,
            simplified=self.simplified,
        )

    @cached_property
    def _read(self) -> Sequence[tuple[clingo.Symbol, int]]:
        """The atoms of a model that are read, out of thousands, each with its literal."""
        stated = {signature for each in self._lab.inputs for signature in _twice(*each)}
        return [
            (atom.symbol, atom.literal)
            for name, arity in sorted({*stated, *self._look.reads, ("new", 1)})
            for atom in self._control.symbolic_atoms.by_signature(name, arity)
        ]

    @property
    def goals(self) -> list[clingo.Symbol]:
        """Return the goals that neither grounding nor equal atoms rule out."""
        atoms = self._control.symbolic_atoms.by_signature("new", 1)
        return sorted({atom.symbol.arguments[0] for atom in atoms} - self._impossible)

    def lets(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Yield the numbers that boards may state: each input, its meaning, and its sorted values.

        Each quantity of a unit, such as PP, is listed by its own name.
        """
        for node in self._chosen:
            entry = default_vocabulary().inputs[node.name]
            for place, kind in enumerate(entry.kinds):
                if kind not in NUMBERS:
                    continue
                values: dict[str, set[clingo.Symbol]] = {}
                for atom in self._control.symbolic_atoms.by_signature(node.name, node.arity):
                    told = atom.symbol.arguments
                    each = zip(told, entry.kinds, strict=True)
                    what = next((str(arg) for arg, kind in each if kind == "quantity"), node.name)
                    values.setdefault(what, set()).add(told[place])
                for what, numbers in sorted(values.items()):
                    yield (
                        what,
                        entry.meaning,
                        tuple(
                            default_notation().value_text(each, kind) for each in sorted(numbers)
                        ),
                    )

    @contextmanager
    def threads(self, count: int) -> Iterator[None]:
        """Solve with several threads that share learned nogoods. Two are often twice as fast.

        This is only for goals. Afterwards, another run must find the boards: the order of those of
        this run is no longer determined.
        """
        self._set_threads(count)
        try:
            yield
        finally:
            self._set_threads(1)

    def _set_threads(self, count: int) -> None:
        self._solving["parallel_mode"] = count
        self._apply_settings()

    @property
    def has_boards(self) -> bool:
        """Test whether any board exists; without possible goals the question is not asked."""
        return not self.goals or self._shows(None, None) is not None

    def possible(
        self,
        patience: float | None = None,
        among: Iterable[clingo.Symbol] | None = None,
        tried: Collection[str] = (),
    ) -> tuple[set[str], set[str]]:
        """Return the goals (`among` these) that some board shows, and the undecided ones.

        All goals are asked together first. The remaining ones share twice `patience` seconds, in
        rounds with ever more time for each, so that a hard goal does not use the time of easier
        ones. Goals of a family with a member that is found here, or in `tried`, share a tenth of it.
        """
        wanted = {str(goal): goal for goal in (self.goals if among is None else among)}
        found: set[str] = set()
        kind = self._look.kind or str
        seen = {*map(kind, tried)}

        def seconds(share: float) -> float | None:
            return None if patience is None else patience * share

        brief = seconds(_BRIEF)
        together = min(patience or _TOGETHER, _TOGETHER)
        if brief is not None and seen.issuperset(map(kind, wanted)):
            together = min(together, brief)
        try:
            for there in self._brave(tuple(wanted.values()), together):
                found |= there
        except TimeoutError:
            seen.update(map(kind, found))
            settled = self._look.settled(found)
            left = sorted(wanted.keys() & set(map(str, self.goals)) - found - settled)
            further = [name for name in left if kind(name) in seen]
            left = [name for name in left if name not in further]
            clock = Deadline(seconds(2))
            many = len(left) > _FEW
            if many:
                self.simplify()
            for share in _MANY_ROUNDS if many else _FEW_ROUNDS:
                there, still = self._one_by_one(left, wanted, seconds(share), clock)
                found |= there
                left = [name for name in still if name not in found]
                if left:
                    self.simplify()
            settled = self._look.settled(found)
            further = [name for name in further if name not in settled]
            last, open_ = self._one_by_one(further, wanted, brief, Deadline(brief))
            found |= last
            return found & wanted.keys(), {*left, *open_} - found
        return found & wanted.keys(), set()

    def _one_by_one(
        self,
        names: Iterable[str],
        goals: Mapping[str, clingo.Symbol],
        each: float | None,
        clock: Deadline,
    ) -> tuple[set[str], list[str]]:
        """Return the goals that boards show among these, and the undecided ones.

        each: seconds for a goal. clock: the deadline for all of them.
        """
        found: set[str] = set()
        undecided: list[str] = []
        for name in names:
            if name in found or name in self._look.settled(found):
                continue
            if clock.over:
                undecided.append(name)
                continue
            left = [seconds for seconds in (each, clock.rest()) if seconds is not None]
            try:
                found |= self._shows(goals[name], min(left, default=None)) or set()
            except TimeoutError:
                undecided.append(name)
        return found, undecided

    def by_boards(
        self, goals: Iterable[clingo.Symbol], patience: float | None
    ) -> Iterator[set[str]]:
        """Yield boards until all possible goals among these are shown, each with all its goals.

        Each board is a solve call of its own: others may follow before the next board. TimeoutError
        if `patience` seconds pass without a board or a proof that there is none.
        """
        left = {str(goal): goal for goal in goals}
        while left:
            self._assign_left(left.values())
            there = self._shows(_SOME, patience)
            if there is None:
                return
            for name in there & left.keys():
                del left[name]
            yield there

    def _brave(self, goals: Collection[clingo.Symbol], patience: float) -> Iterator[set[str]]:
        """Yield the goals shown so far, board after board, until all possible ones are shown.

        One solve call enumerates the brave consequences: each board shows a goal that no board
        before it shows. TimeoutError as above.
        """
        left = {*map(str, goals)}
        if not left:
            return
        self._assign_left(goals)
        self._prepare()
        self._configure("ignore", enumeration="brave")
        for _, symbols in self._models(_assumed(_SOME), patience=patience):
            shown = _goals_among(symbols)
            yield shown
            left -= shown | self._look.settled(shown)
            if not left:
                return

    def _prepare(self) -> None:
        """Let the first solve call prepare the program, so that no goal's time includes this.

        It can take seconds. These assumptions have no model.
        """
        for _ in self._models([*_assumed(_SOME), (_SOME, False)]):
            pass

    def _shows(self, goal: clingo.Symbol | None, patience: float | None) -> set[str] | None:
        """Return all goals of one board with this goal; None if there is none."""
        self._configure("ignore", models=1)
        for _, symbols in self._models(_assumed(goal), patience=patience):
            return _goals_among(symbols)
        return None

    def shows(self, goal: clingo.Symbol, patience: float | None) -> bool:
        """Test whether some board shows a goal; TimeoutError after `patience` seconds."""
        return self._shows(goal, patience) is not None

    def least(self, goal: clingo.Symbol | None, patience: float | None = None) -> BoardModel | None:
        """Return the smallest board that shows a goal (None: the smallest of all boards), or None.

        After `patience` seconds, return the smallest found so far, not marked as smallest;
        TimeoutError if there is none yet.
        """
        self._configure("opt")
        assumed = _assumed(goal)
        best = None
        try:
            for cost, symbols in self._models(assumed, atoms=True, patience=patience):
                best = BoardModel(goal or clingo.Function("any"), tuple(symbols), self.spot, cost)
        except TimeoutError:
            if best is None:
                raise
            return replace(best, least=False)
        return best

    def least_of(
        self, goals: Collection[clingo.Symbol], patience: float | None = None
    ) -> BoardModel | None:
        """Return the smallest board that shows any of these goals; see `least`."""
        self._assign_left(goals)
        return self.least(_SOME, patience)

    def _assign_left(self, goals: Iterable[clingo.Symbol]) -> None:
        """Assign the externals so that `_SOME` holds on the boards that show one of these goals."""
        self._left = frozenset(goals)
        for goal in self.goals:
            self._control.assign_external(clingo.Function("left", [goal]), goal in self._left)

    def exclude(self, model: BoardModel) -> None:
        """Exclude this board: these values of all inputs that the search chooses."""
        self._excluded.append(model)
        self._add_exclusion(model)

    def _add_exclusion(self, model: BoardModel) -> None:
        atoms = self._control.symbolic_atoms
        true = set(model.symbols)
        literals = [
            atom.literal if atom.symbol in true else -atom.literal
            for node in self._chosen
            for atom in atoms.by_signature(node.name, node.arity)
            if not atom.is_fact
        ]
        with self._control.backend() as backend:
            backend.add_rule([], list(dict.fromkeys(literals)))

    def _configure(self, opt_mode: str, models: int = 0, enumeration: str = "auto") -> None:
        self._solving |= {"opt_mode": opt_mode, "models": models, "enum_mode": enumeration}
        self._apply_settings()

    def _apply_settings(self) -> None:
        for name, value in self._solving.items():
            setattr(self._control.configuration.solve, name, value)

    def _models(
        self,
        assumed: Sequence[tuple[clingo.Symbol, bool]],
        atoms: bool = False,
        patience: float | None = None,
    ) -> Iterator[tuple[tuple[int, int], list[clingo.Symbol]]]:
        """Yield the models of one solve call with their cost. A hard program is simplified first.

        Then a model can occur twice. OutOfTime at the end of the search time, TimeoutError after
        `patience` seconds.
        """
        if self._doubled and not self.simplified:
            try:
                yield from self._solve(assumed, atoms, patience, _EASY)
                return
            except (_Hard, TimeoutError):
                self.simplify()
        yield from self._solve(assumed, atoms, patience)

    def _solve(
        self,
        assumed: Sequence[tuple[clingo.Symbol, bool]],
        atoms: bool,
        patience: float | None,
        conflicts: int | None = None,
    ) -> Iterator[tuple[tuple[int, int], list[clingo.Symbol]]]:
        """Yield the models as above. _Hard after this number of conflicts."""
        read = self._read if atoms else ()
        limit = "umax" if conflicts is None else str(conflicts)
        self._control.configuration.solve.solve_limit = limit  # type: ignore[union-attr]
        with self._control.solve(assumptions=assumed, yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                left = self._clock.left()
                most = min((each for each in (left, patience) if each is not None), default=None)
                if not handle.wait(most):
                    handle.cancel()
                    if most == left:
                        raise OutOfTime
                    raise TimeoutError
                model = handle.model()
                if model is None:
                    if conflicts is not None and not handle.get().exhausted:
                        raise _Hard
                    return
                if atoms:
                    shown = [each for each, literal in read if model.is_true(literal)]
                else:
                    shown = list(model.symbols(shown=True))
                # If nothing varies, clingo reports no cost.
                cost = dict(zip(model.priority, model.cost, strict=True))
                yield (cost.get(2, 0), cost.get(1, 0)), shown
