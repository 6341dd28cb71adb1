"""`lab find` and `lab always`: the smallest board where a claim holds, or where it fails.

A claim is a question of the board language (parser/QUESTIONS.md), with counts such as `at least 3
H: rubble(H, stone)`. `claim_rules` reads the claims of `always`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from rules_asp.game.query import QueryLiteral
from rules_asp.game.values import default_notation
from rules_asp.knowledge.rules import Functor, Rule, Signature
from rules_asp.knowledge.terms import Fun, walk
from rules_asp.lab.claim_rules import (
    CounterexampleClaim,
    asked_pair,
    beyond_search,
    guards,
    named_nodes,
    negate_claim,
    nodes_of,
    of_bypass,
    pairs,
    possible,
    subjects,
    values,
    weighed,
)
from rules_asp.lab.claim_scope import (
    VacuousClaim,
    between_two,
    bind_open_topics,
    facts,
    grids_with,
    numbers,
    open_topics,
    outside_bounds,
    unit_facts,
    units_of,
    vacuous,
)
from rules_asp.lab.generator import BoardModel
from rules_asp.lab.goals import GoalRules, SearchGoal, given_at, layer_of
from rules_asp.lab.report import SearchProgress, SearchReport
from rules_asp.lab.search import GRACE, Search
from rules_asp.lab.unsat_core import NOT_KNOWN, minimise_witness, unsat_core
from rules_asp.lab.witness import GoalWitness, WitnessEvidence, canonical_witness, with_ways
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.claims import Claim, Extreme, bound_counts, read_claim
from rules_asp.queries.evaluate import substitute
from rules_asp.runtime.limits import Limits, OutOfTime, TooWide
from rules_asp.runtime.worker import call_isolated

_LARGEST = 2**31 - 1


def find(search: Search, claim: str, extreme: Extreme | None = None) -> SearchReport[GoalWitness]:
    """Search the smallest board where a claim holds, or the greatest or least value of a variable.

    BoardError or QuestionError for an invalid claim, and for one that the search cannot decide.
    """
    read = read_claim(bind_open_topics(search.lab, claim))
    if extreme is not None:
        extreme.check(read.query.variables)
    return _sought(search, read, (), extreme)


def always(search: Search, claim: str) -> SearchReport[GoalWitness]:
    """Search the smallest board where a claim fails.

    BoardError or QuestionError for an invalid claim.

    QuestionError if no board within the limits meets the condition, since the claim is then empty.
    """
    read = negate_claim(bind_open_topics(search.lab, claim))
    try:
        found = _sought(search, read.failing, read.given, None)
    except VacuousClaim:
        doubt = _doubted(search, read)
        if doubt is None or not doubt.found:
            raise
        # The condition is met, but the claim is always unknown.
        return replace(doubt, found=(), doubt=doubt, decided=False)
    if found.found or not found.whole:
        return found
    return replace(found, doubt=_doubted(search, read))


def goal_of_counterexample(search: Search, claim: str) -> SearchGoal:
    """Return the search goal for counterexamples of a claim."""
    read = negate_claim(bind_open_topics(search.lab, claim))
    return _looking(search, read.failing, read.given, None).look


def _doubted(search: Search, read: CounterexampleClaim) -> SearchReport[GoalWitness] | None:
    """Search for a board on which the claim is unknown."""
    if read.doubtful is None:
        return None
    try:
        return _sought(replace(search, further=0), read.doubtful, (), None)
    except VacuousClaim:
        # No board within the limits can leave it open.
        return None


#: Time limit in seconds for explaining that there is no board.
_EXPLAINING = 60.0


def explained(
    search: Search, claim: str, found: SearchReport[GoalWitness], denying: bool = False
) -> SearchReport[GoalWitness]:
    """Add the explanation to a report without a board; `denying`: the claim failed on no board."""
    if found.found or not found.known:
        return found
    claim = bind_open_topics(search.lab, claim)
    against = negate_claim(claim) if denying else CounterexampleClaim(read_claim(claim), ())
    read, given = against.failing, against.given
    search = replace(search, bounds=found.bounds)
    search = _looking(search, read, given, None)
    try:
        seconds = search.clock.left() or _EXPLAINING
        limits = Limits(seconds + GRACE, search.memory)
        why = call_isolated(unsat_core, search, seconds, tuple(subjects(read.query)), limits=limits)
    except (OutOfTime, TooWide):
        why = None
    why = why or NOT_KNOWN
    if why.known and not (why.norms or why.bounds):
        why = replace(why, speaking=tuple(dict.fromkeys((*_norms_named(read), *why.speaking))))
    # If numbers do not matter, the possible numbers are not reported.
    return replace(found, excluded=why, lets=() if why.whatever_the_numbers else found.lets)


def _norms_named(claim: Claim) -> Iterator[str]:
    args = (each for literal in claim.literals for each in literal.arguments)
    yield from (each.value for each in args if each.kind == "norm" and isinstance(each.value, str))


def _sought(
    search: Search, claim: Claim, given: tuple[str, ...], extreme: Extreme | None
) -> SearchReport[GoalWitness]:
    if (beyond := beyond_search(claim)) is not None:
        raise QuestionError(f"not searched: {beyond}; use `ask` on a board for it")
    grids = grids_with(claim, search.bounds.grids)
    search = replace(search, bounds=replace(search.bounds, grids=grids))
    search = _looking(search, claim, given, extreme)
    if not search.spots(grids[0]):
        raise QuestionError(outside_bounds(search))
    course = SearchProgress(search)
    found: list[GoalWitness] = []
    able = False
    undecided: list[str] = []
    unconfirmed: list[str] = []
    for grid in grids:
        here = replace(search, bounds=replace(search.bounds, grids=(grid,)))
        course.search = here
        for outcome in course.over(again=True):
            able |= outcome.able
            undecided += [str(outcome.spot)] if outcome.undecided else []
            unconfirmed += [str(outcome.spot)] if outcome.unconfirmed else []
            for each in (shown for _, shown in outcome.found if shown is not None):
                best = min((_worth(one, extreme) for one in found), default=None)
                if search.further or best is None or _worth(each, extreme) < best:
                    search.found(each)
                found.append(each)
        if course.interrupted or (found and extreme is None and not search.further):
            break
        if len(_unlike(found)) > search.further and extreme is None:
            break
    course.search = replace(search, bounds=replace(search.bounds, grids=grids))
    told = _unlike(sorted(found, key=lambda each: _worth(each, extreme)))
    if course.empty and course.settled and not search.bounds.where:
        raise vacuous(search.lab, claim, bool(given), search.bounds.sections)
    least = _spared(search, told[: 1 + search.further])
    report = course.report(tuple(least), set())
    # All goals of a claim are equal, so an undecided one is identified by its place.
    if not found or extreme is not None:
        report = replace(report, undecided=tuple(undecided), unconfirmed=tuple(unconfirmed))
    else:
        report = replace(report, undecided=(), unconfirmed=())
    if not found and not able and report.known:
        raise vacuous(search.lab, claim, bool(given), search.bounds.sections)
    if not found and report.known and (name := open_topics(claim)) is not None:
        raise QuestionError(
            f"no board within the limits proves or refutes the claim."
            f" The search skipped topics about questions or actions, because {name} is a variable:"
            f" write the topic, such as entry_cost(D) or step(B, U, X, Y, W)"
        )
    if found and extreme is None:
        # Later grids cannot have a smaller board.
        last = str(found[0].spot.grid)
        left = tuple(each for each in report.left if each.startswith(f"{last},"))
        report = replace(report, left=left, complete=not left, lets=())
    return report


def _spared(search: Search, told: Iterable[GoalWitness]) -> Iterator[GoalWitness]:
    """Yield witnesses reduced to their necessary parts, as long as there is time."""
    for each in told:
        try:
            less = minimise_witness(search, each)
        except OutOfTime:
            less = each
        yield replace(less, witness=with_ways(less.witness, search.lab, search.bounds))


def _worth(shown: GoalWitness, extreme: Extreme | None) -> tuple[int, ...]:
    if extreme is None or shown.worth is None:
        return shown.size
    return (-shown.worth.number if extreme.greatest else shown.worth.number, *shown.size)


def _unlike(found: Iterable[GoalWitness]) -> list[GoalWitness]:
    """Yield witnesses that differ in more than orientation, names or colors."""
    kept: dict[object, GoalWitness] = {}
    for each in found:
        kept.setdefault(canonical_witness(each.witness), each)
    return list(kept.values())


def _looking(
    search: Search, claim: Claim, given: tuple[str, ...], extreme: Extreme | None
) -> Search:
    """Return the search for a claim, with the units it needs."""
    look = _look(search, claim, given, extreme)
    bounds = search.bounds
    if look.units:
        bounds = replace(bounds, most=tuple({**dict(bounds.most), UNITS: len(look.units)}.items()))
    return replace(search, look=look, bounds=bounds)


#: The name of the limit on units.
UNITS = "units"


def _look(
    search: Search, claim: Claim, given: tuple[str, ...], extreme: Extreme | None
) -> SearchGoal:
    lab = search.lab
    two_asked = pairs(lab, claim.whole)
    wanted = dict.fromkeys(nodes_of(lab, claim.whole))
    names = tuple(claim.query.variables)
    way = f"claim_way({','.join(names)})" if names else "claim_way"
    able = ", ".join(given) if given else possible(claim, lab.verdicts)
    guarded = [*_guarded(claim), *_asked_of_two(claim, two_asked)]
    rules = [
        *values(lab, claim.whole),
        f"{way} :- {', '.join((claim.body, *guarded))}.",
        f"goal(found) :- {way}.",
        f"goal(able) :- {able}." if able else "goal(able).",
    ]
    for name, arity in dict.fromkeys(weighed(claim.literals)):
        form = f"{name}({','.join(f'A{place}' for place in range(arity))})"
        for head, more in (("legal", ""), ("illegal", ",_"), ("unknown", ",_"), ("is", ",_")):
            node = Signature(head, 1 + bool(more), (name, arity))
            if node in lab.heads:
                rules.append(f"weighed({form}) :- {head}({form}{more}).")
                wanted[node] = None
        rules.append(f"#defined weighed/1. #defined asked/1. weighed({form}) :- asked({form}).")
        wanted[Signature("asked", 1, (name, arity))] = None
    if extreme is not None:
        sign = "#maximize" if extreme.greatest else "#minimize"
        rules.append(f"1 {{ claim_taken({','.join(names)}) : {way} }} 1 :- goal(found).")
        # Numbers come first in clingo's order.
        taken = [f"claim_taken({','.join(names)})"]
        bounded_ = ", ".join(taken + [f"{name} <= {_LARGEST}" for name in extreme.names])
        rules.append(f"{sign} {{ {'-'.join(extreme.names)}@9 : {bounded_} }}.")
    layer = layer_of(lab, wanted)
    wanted |= dict.fromkeys(named_nodes(lab, "\n".join(rules)))
    nodes = tuple(wanted)
    if layer not in ("board", "units"):
        layer = "question"
    look = SearchGoal(
        {layer: GoalRules("\n".join(rules), nodes)},
        evidence=_Asks(claim, extreme),
        reads=(("claim_way", len(names)), ("claim_taken", len(names))),
        extreme=extreme is not None,
        tells=True,
    )
    told = dict.fromkeys(numbers(claim))
    if layer != "board":
        where = [read_claim(search.bounds.where)] if search.bounds.where else []
        units = units_of(claim, *where, most=dict(search.bounds.most).get(UNITS))
        if not search.bounds.events:
            look = replace(look, units=units)
        if layer == "question" and not search.bounds.events:
            two = between_two(claim, two_asked)
            asked = facts(claim, two, units, two_asked)
            look = replace(look, events=("claim",), facts=asked, pairs=two)
            vertices = any(map(of_bypass, (claim, *where))) or _rests_on_bypass(search, look, claim)
            return replace(look, vertices=vertices)
        # The event has two units of its own sorts.
        told |= dict.fromkeys(unit_facts(claim, {*units} - {"A", "B"}))
    return replace(look, facts="\n".join(told), named=claim.places)


def _is_at_vertex(rule: Rule) -> bool:
    """Test whether the head of a rule is about a Location at a vertex."""
    terms = walk(rule.head or ())
    return any(isinstance(each, Fun) and str(each).startswith(("l(v(", "l(V,")) for each in terms)


def _rests_on_bypass(search: Search, look: SearchGoal, claim: Claim) -> bool:
    """Test whether the goal can depend on units in Bypass, by the rules in force.

    The rules read a unit's hexside, or a section has rules about the claim's topic at a vertex.
    """
    (spot, *_) = replace(search, look=look).spots(search.bounds.grids[0])
    part = look.part(spot.event)
    assert part is not None
    lab = search.lab.in_force(given_at(spot, search.lab, search.bounds, look), spot.grid)
    topics = {
        (each.name, len(each.args)) for each in claim.literals if isinstance(each, QueryLiteral)
    }
    of_sections = (e for e in lab.rules if e.file.partition("/")[0] in search.bounds.sections)
    at_vertices = {head.topic for each in of_sections if _is_at_vertex(each) for head in each.heads}
    return not topics.isdisjoint(at_vertices) or "bypasses" in lab.reads(part.wanted)


def _guarded(claim: Claim) -> list[str]:
    literals = enumerate(claim.query.literals)
    return [guard for place, each in literals for guard in guards(each, place)]


def _asked_of_two(claim: Claim, two_asked: Collection[Functor]) -> Iterator[str]:
    """Yield conditions that a negated literal about two Locations was asked."""
    for each in claim.query.literals:
        if isinstance(each, QueryLiteral) and each.negated:
            yield from asked_pair(each, each.args, two_asked)


@dataclass(frozen=True)
class _Asks:
    """The question of a claim with the values of its variables on the board."""

    claim: Claim
    extreme: Extreme | None

    def __call__(self, model: BoardModel) -> WitnessEvidence:
        names = tuple(self.claim.query.variables)
        wanted = "claim_way" if self.extreme is None else "claim_taken"
        ways = [
            atom.arguments
            for atom in model.symbols
            if atom.name == wanted and len(atom.arguments) == len(names)
        ]
        values = dict(zip(names, min(ways), strict=True)) if names else {}
        kinds, notation = self.claim.query.variables, default_notation()
        return WitnessEvidence(
            substitute(self.claim.query, values, notation),
            None,
            bound_counts(self.claim, values, notation),
            self.extreme.value(values, kinds, notation) if self.extreme else None,
        )
