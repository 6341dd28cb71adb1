"""Unsatisfiable cores of claims without a board, and minimization of witnesses."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.game.board import Expect, Fact
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import Norm, Rule, make_rule
from rules_asp.knowledge.solver import EngineError
from rules_asp.knowledge.terms import Const, Fun, Lit, walk
from rules_asp.lab.claim_rules import condition_rules
from rules_asp.lab.generator import BoardModel, SearchSite
from rules_asp.lab.goals import Kinds, at_vertices, given_at
from rules_asp.lab.grounded_run import GOALS
from rules_asp.lab.search import Search, shown_by
from rules_asp.lab.witness import GoalWitness, Witness, confirm
from rules_asp.parser import BoardError, parse_query
from rules_asp.whatif.minimal_case import BoardPart, BoardReducer, ddmin

# --- Cores: norms and limits that together exclude a claim, none of them redundant.


#: The limits that are also tried, by their predicate.
_BOUNDS = {
    "buildings": "so many buildings at most",
    "units": "so many units at most",
    "statements": "so many statements at most",
}
_STRICT = "boards that break no norm"
_NUMBERS = "the numbers that boards may state"
#: Numbers next to those of boards, without that limit.
_GREATER = f"""
lets(I,M+1..M+2) :- usual(I,_), M = #max {{ N : usual(I,N) }}, not on("{_NUMBERS}").
"""


_SAID = frozenset((*_BOUNDS.values(), _STRICT, _NUMBERS))


@dataclass(frozen=True)
class UnsatCore:
    """A core at a site: without any one of its members, the claim would have a board.

    norms: their ids. bounds: in words. tried: the members proved necessary; the others may be
    redundant. seconds: the duration. known: whether a core was found. speaking: if no norm or limit
    excludes the claim, the norms about its topics on some board there.
    """

    spot: str
    norms: tuple[str, ...]
    bounds: tuple[str, ...]
    tried: tuple[str, ...]
    seconds: float
    known: bool = True
    speaking: tuple[str, ...] = ()

    @property
    def whatever_the_numbers(self) -> bool:
        """True if other numbers would not give a board either."""
        return self.known and self.whole and _NUMBERS not in self.bounds

    @property
    def whole(self) -> bool:
        """True if all members are necessary."""
        return len(self.tried) == len(self.norms) + len(self.bounds)


#: The result if no core was found.
NOT_KNOWN = UnsatCore("", (), (), (), 0.0, False)


def unsat_core(search: Search, seconds: float, about: Sequence[str] = ()) -> UnsatCore | None:
    """Return the core of a goal on its smallest grid; None if nothing tried excludes it.

    The time limit is `seconds`; untested members are reported. Of several sites, the first with a
    core is used; at the others the goal is impossible anyway. about: the topics, actions and LOS of
    the claim, in clingo syntax.
    """
    started = time.monotonic()
    found = None
    for spot in search.spots(search.bounds.grids[0]):
        left = seconds - (time.monotonic() - started)
        if left <= 0:
            break
        here = _excluding_at(search, spot, left, about)
        if here is None or here.norms or here.bounds:
            return here
        found = found or here
    return found


def _excluding_at(
    search: Search, spot: SearchSite, seconds: float, about: Sequence[str]
) -> UnsatCore | None:
    """Return the core at one site; see `unsat_core`."""
    started = time.monotonic()
    strict: set[str] = set()
    while True:
        left = seconds - (time.monotonic() - started)
        found = _without_breaking(search, spot, strict, left, about)
        if not isinstance(found, set):
            return found and replace(found, seconds=round(time.monotonic() - started, 1))
        # Boards that violate these norms do not count, so the norms belong to the core.
        strict |= found


def _without_breaking(
    search: Search, spot: SearchSite, strict: Collection[str], seconds: float, about: Sequence[str]
) -> UnsatCore | set[str] | None:
    """Return the core on boards that violate none of these norms, and further norms that a board
    violates."""
    started = time.monotonic()
    control, names = _grounded(search, spot, strict, about)
    goal = clingo.Function("goal", [clingo.Function("found")])
    on = {name: clingo.Function("on", [clingo.String(name)]) for name in names}
    atoms = control.symbolic_atoms.by_signature("on", 1)
    literal = {atom.symbol.arguments[0].string: atom.literal for atom in atoms}
    shown: list[tuple[clingo.Symbol, ...]] = []

    def core(some: Sequence[str], left: float) -> list[str] | None:
        """Return a sufficient subset; None if all together do not suffice.

        TimeoutError if too late.
        """
        assumed = [(goal, True), *((on[name], True) for name in some)]
        with control.solve(assumptions=assumed, async_=True, yield_=True) as handle:
            handle.resume()
            if not handle.wait(max(left, 0.0)):
                handle.cancel()
                raise TimeoutError
            model = handle.model()
            if model is not None:
                shown[:] = [tuple(model.symbols(atoms=True))]
                return None
            literals = set(handle.core())
        return [name for name in some if literal[name] in literals]

    def left() -> float:
        return seconds - (time.monotonic() - started)

    try:
        found = core(names, left())
    except TimeoutError:
        return None
    if found is None:
        board = shown_by(search, BoardModel(goal.arguments[0], shown[0], spot, (0, 0), False))
        broken = confirm(board.witness, search.lab, search.bounds).broken
        return {*broken} - {*strict} or None
    tried: list[str] = []
    for name in list(found):
        if name not in found or left() <= 0:
            continue
        rest = [each for each in found if each != name]
        try:
            smaller = core(rest, left())
        except TimeoutError:
            break
        if smaller is None:
            tried.append(name)
        else:
            found = smaller
    return UnsatCore(
        str(spot),
        tuple(each for each in found if each not in _SAID),
        tuple(each for each in found if each in _SAID),
        tuple(each for each in tried if each in found),
        round(time.monotonic() - started, 1),
        speaking=() if found else tuple(sorted(_speaking(control))),
    )


def _speaking(control: clingo.Control) -> Iterator[str]:
    for atom in control.symbolic_atoms.by_signature("speaks_of_it", 1):
        yield atom.symbol.arguments[0].string


def _grounded(
    search: Search, spot: SearchSite, strict: Iterable[str], about: Iterable[str]
) -> tuple[clingo.Control, tuple[str, ...]]:
    """Return the grounded program of a site with a switch for each norm and limit, and their names."""
    lab, bounds = search.lab, search.bounds
    part = search.look.part(spot.event)
    assert part is not None
    given = given_at(spot, lab, bounds, search.look)
    condition, needed = condition_rules(lab, bounds.where) if bounds.where else ("", ())
    wanted, vertices = (*part.wanted, *needed), at_vertices(spot, search.look)
    facts, rules = lab.searched(given, spot.grid, wanted, strict, vertices=vertices)
    names: dict[str, None] = {}
    switched = [_switched(rule, names) for rule in rules]
    # Prefer norms to limits that would also have to be removed.
    bounds_first = sorted(names, key=lambda name: name not in _SAID)
    numbers = any(node.name == "usual" for rule in rules for node in rule.body)
    if numbers:
        bounds_first.insert(0, _NUMBERS)
    messages: list[str] = []
    control = clingo.Control(
        ["--configuration=crafty"], logger=lambda _code, text: messages.append(text)
    )
    try:
        control.add("base", [], lab.program_text(facts, switched))
        control.add("base", [], f"{part.rules}\n{condition}\n{GOALS}")
        control.add("base", [], _GREATER if numbers else "")
        control.add("base", [], "".join(_spoken_of(each) for each in about))
        control.add("base", [], "".join(f'{{ on("{name}") }}.' for name in bounds_first))
        control.ground([("base", [])], context=Kinds())
    except RuntimeError as error:
        raise EngineError("; ".join(messages[:3]) or str(error)) from None
    return control, tuple(bounds_first)


def _spoken_of(about: str) -> str:
    """Return rules that find the norms about some topics."""
    heads = ((each.name, ",_" * (len(each.kinds) - 2)) for each in calculus().asserting)
    return "".join(f"speaks_of_it(N) :- {name}(N,{about}{rest})." for name, rest in heads)


def _switched(rule: Rule, names: dict[str, None]) -> Rule:
    """Return a rule that holds only if its norm or limit is switched on; names collects these."""
    name = _name(rule)
    if name is None:
        return rule
    names[name] = None
    is_on = Lit("", Fun("on", (Const(name),)))
    return make_rule(rule.top, (*rule.literals, is_on), rule.file, rule.line, rule.norm)


def _name(rule: Rule) -> str | None:
    """Return the norm or limit of a rule; None for other rules, which stay."""
    if rule.norm:
        return rule.norm
    if rule.file == "no_violations.lp":
        return _STRICT
    if not rule.heads and any(node.name == "most" for node in rule.body):
        words = {each.name for each in walk(rule.literals) if isinstance(each, Fun)}
        return next((said for thing, said in _BOUNDS.items() if thing in words), None)
    return None


_NOTHING = "Nothing makes it true on any board within the limits, even without any single rule."
#: Number of listed norms about the topic; --json has all.
_SPEAKING = 8


def unsat_core_lines(found: UnsatCore, norms: Mapping[str, Norm]) -> list[str]:
    """Return a core as lines of text."""
    if not found.known:
        return ["The search for the rules that rule it out did not finish in time."]
    head = f"It is ruled out on {found.spot} by" + (
        " all of these together:" if found.whole else " some of these:"
    )
    lines = [
        head,
        *(f"  {each}  {norms[each].sense if each in norms else ''}" for each in found.norms),
    ]
    lines += [f"  the limit: {each}" for each in found.bounds]
    if not found.norms and not found.bounds:
        lines = [_NOTHING]
        if found.speaking:
            more = len(found.speaking) - _SPEAKING
            lines.append("Rules about it:")
            lines += [f"  {each}  {norms[each].sense}" for each in found.speaking[:_SPEAKING]]
            lines += [f"  and {more} more"] * (more > 0)
    untried = [each for each in (*found.norms, *found.bounds) if each not in found.tried]
    if untried:
        lines.append(f"  Not tried in time, perhaps not needed: {', '.join(untried)}")
    return lines


# --- Minimization of boards that are not proved to be smallest.


#: Time limit in seconds.
_SECONDS = 10.0


def minimise_witness(search: Search, shown: GoalWitness) -> GoalWitness:
    """Return a smaller witness that the ordinary commands confirm, unless it is proved smallest.

    A board for `--where` is reduced only if the ordinary commands can check the condition.
    """
    if shown.least:
        return shown
    wanted = [shown.witness.query]
    if search.bounds.where:
        try:
            wanted.append(parse_query(search.bounds.where))
        except BoardError:
            return shown
    trimming = BoardReducer(shown.witness.board, Expect(shown.witness.query))
    given = [each for each in trimming.portions if _is_given(each)]
    until = time.monotonic() + min(_SECONDS, search.clock.left() or _SECONDS)

    def board(kept: Sequence[BoardPart]) -> Witness:
        said = trimming.board((*given, *kept))
        return replace(shown.witness, board=replace(said, statements=said.statements[:-1]))

    def holds(kept: Sequence[BoardPart]) -> bool:
        less = board(kept)
        told = (confirm(replace(less, query=query), search.lab, search.bounds) for query in wanted)
        return all(each.doubt is None and not each.broken for each in told)

    can_go = [each for each in trimming.portions if not _is_given(each)]
    if not holds(can_go):
        return shown
    left, _ = ddmin(can_go, holds, lambda: time.monotonic() > until)
    return shown if len(left) == len(can_go) else replace(shown, witness=board(left))


def _is_given(portion: BoardPart) -> bool:
    """Test whether a part belongs to the rules in force, not to the board."""
    return isinstance(portion.part, Fact) and portion.part.name == "section"
