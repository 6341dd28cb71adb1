"""Refutations for boards of any size, of norms that apply, claims that fail, questions without an
answer, and contradictions and meetings of two norms; searches without the refuted pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, Rule
from rules_asp.knowledge.terms import Const, Fun, Lit, Var, substitute, variables
from rules_asp.lab.audits import ConflictFinding, Gap, conflicts, gaps
from rules_asp.lab.clauses import Holds, clause_of
from rules_asp.lab.consistency import (
    Attempt,
    ClausePair,
    KeptVerdicts,
    NormPair,
    Prover,
    between,
    examined_clauses,
    in_sections,
    meeting_pairs,
    norm_pairs,
    prove,
)
from rules_asp.lab.find import goal_of_counterexample
from rules_asp.lab.generator import Generator, signature_pattern
from rules_asp.lab.goals import GAP, Suspect, in_force_at_events
from rules_asp.lab.interactions import Interaction, interactions
from rules_asp.lab.report import SearchReport
from rules_asp.lab.search import Search
from rules_asp.lab.tableau import Tableau
from rules_asp.lab.theory import ANSWERED, ANSWERING, UNCERTAIN, Encoding
from rules_asp.runtime.job_pool import JobSettings
from rules_asp.runtime.limits import Deadline

#: Levels of unrolling and steps.
_DEPTH, _STEPS = 5, 600
#: Levels of unrolling for a question without an answer. With more, there are too many cases.
_GAP_DEPTHS = (3, 5)
#: An attempt that closes most pairs in a small part of the time, and one without precedence.
_QUICK_ATTEMPTS = (Attempt(3, 100, True, True),)
_MEETING_ATTEMPTS = (Attempt(3, 60, False, True),)
#: The most pairs of norms of a kind to prove.
_FEW = 6
#: The share of a time limit that proofs may use; the search needs the rest.
_PROOFS = 0.5
_NO_LIMIT = Deadline()


def never_apply(
    program: Program,
    norms: Iterable[str],
    without: tuple[str, ...] = (),
    clock: Deadline = _NO_LIMIT,
) -> Iterator[str]:
    """Yield the norms without a rule that applies on any board, of any size, until the time is over."""
    encoding = Encoding(program, without)
    for norm in norms:
        if clock.over:
            return
        rules = [each for each in program.source.rules if each.norm == norm and each.literals]
        if rules and all(_never_fires(encoding, each) for each in rules):
            yield norm


def never_fails(search: Search, claim: str) -> bool:
    """Test whether a proof shows that a claim fails on no board of any size."""
    look = goal_of_counterexample(search, claim)
    texts = dict.fromkeys(part.rules for part in look.parts.values())
    rules = [rule for text in texts for rule in read_rules(text, "claim.lp")[0] if rule.heads]
    encoding = Encoding(search.lab.program, search.bounds.without, tuple(rules))
    return _never_holds(encoding, Fun("goal", (Fun("found"),)))


def unproved_gaps(search: Search, stated: bool = False) -> SearchReport[Gap]:
    """Search for questions without an answer, but of no kind that provably always has one.

    stated: see `gaps`.
    """
    bounds = search.bounds
    # The proofs take longer than a search of a small grid, or of few events.
    if stated or bounds.events or len(bounds.grids) == 1:
        return gaps(search, stated)
    search.told("proofs")
    clock = search.clock.part(_PROOFS)
    return gaps(search, answered=always_answered(search.lab, bounds.without, clock))


def always_answered(
    lab: Generator, without: tuple[str, ...] = (), clock: Deadline = _NO_LIMIT
) -> frozenset[Functor]:
    """Return the kinds of topics that have an answer on every board that calls for one.

    If a norm reads the answer to another topic, a kind is also tried in two cases: the other topic
    has an answer, or it has none. Kinds that are left when the time is over count as not proved.
    """
    ways: dict[Functor, list[tuple[str, ...]]] = {}
    for kind in lab.kinds(*GAP[0].reads[0]):
        _, body = GAP[0].about(kind).rules.split(" :- ")
        gap = f"{body.removesuffix('.')}, not {ANSWERED}({signature_pattern(kind)})"
        read = [f"{ANSWERED}({each})" for each in _topics_read(lab.program, kind)]
        ways[kind] = [(gap,), *((f"{gap}, {each}", f"{gap}, not {each}") for each in read)]
    bodies = dict.fromkeys(body for found in ways.values() for way in found for body in way)
    numbers = {body: number for number, body in enumerate(bodies)}
    text = "\n".join(f"goal({number}) :- {body}." for body, number in numbers.items())
    goals = (rule for rule in read_rules(text)[0] if rule.heads)
    # Rules of the lab derive `due`, and the program does not include them.
    due = (rule for rule in lab.rules if any(head.name == "due" for head in rule.heads))
    encoding = Encoding(lab.program, without, (*due, *goals), answers=True)

    def closed(body: str) -> bool:
        goal = Fun("goal", (Const(numbers[body]),))
        return any(not clock.over and _never_holds(encoding, goal, depth) for depth in _GAP_DEPTHS)

    return frozenset(
        kind for kind, found in ways.items() if any(all(map(closed, way)) for way in found)
    )


def _topics_read(program: Program, kind: Functor) -> list[str]:
    """Return the topics whose answers decide what norms assert about any topic of a kind."""
    found: dict[str, None] = {}
    for rule in program.source.rules:
        head = rule.head
        if head is None or head.name not in ANSWERING:
            continue
        about = head.args[calculus().topic_place[head.name]]
        if not isinstance(about, Fun) or about.functor != kind:
            continue
        names = {each.name: Var(f"A{n}") for n, each in enumerate(about.args) if type(each) is Var}
        if len(names) < len(about.args):
            continue
        for each in rule.literals:
            if isinstance(each, Lit) and each.atom.name in ("is", UNCERTAIN):
                other = each.atom.args[0]
                if isinstance(other, Fun) and variables(other) <= names.keys():
                    found[str(substitute(other, names))] = None
    return sorted(found)


def _never_fires(encoding: Encoding, rule: Rule) -> bool:
    tableau = Tableau(encoding.theory, _DEPTH, _STEPS)
    clause = tableau.unknowns(clause_of(rule.head or Fun("rule"), rule.literals, rule.text))
    return tableau.refute(clause.body).closed


def _never_holds(encoding: Encoding, atom: Fun, depth: int = _DEPTH) -> bool:
    return Tableau(encoding.theory, depth, _STEPS).refute([Holds(atom)]).closed


# --- Searches of the pairs that no proof excludes.


def unproved_pairs(
    prover: Prover, among: Iterable[NormPair], clock: Deadline, jobs: JobSettings
) -> list[NormPair]:
    """Return the pairs among these that may contradict each other on a board, as far as proofs show.

    Results of `prove` are used; pairs without a result get a quick attempt alone.
    """
    kept = KeptVerdicts(prover)

    def proved(each: ClausePair) -> bool:
        shown = kept.get(each)
        return shown is not None and shown.closed

    pairs = [pair for pair in among if not all(map(proved, examined_clauses(pair)))]
    closed = _closed(replace(prover, attempts=_QUICK_ATTEMPTS), pairs, clock, jobs)
    return [pair for pair in pairs if (pair.kind, pair.one, pair.other) not in closed]


def _closed(
    prover: Prover, pairs: Sequence[NormPair], clock: Deadline, jobs: JobSettings
) -> set[Suspect]:
    """Return the kinds and norms of the pairs that the attempts of a prover close."""
    found = prove(replace(prover, exact=False), pairs, clock, jobs)
    if found.interrupted:
        raise KeyboardInterrupt
    return {(each.kind, each.one, each.other) for each in found.verdicts if each.closed}


def unproved_conflicts(search: Search, review: bool = False) -> SearchReport[ConflictFinding]:
    """Search the conflicts that no proof excludes; see `conflicts`."""
    prover = _prover(search)
    every = norm_pairs(prover.encoding)
    pairs = in_sections(prover.program.norms, every, search.bounds.sections)
    return conflicts(search, review, _suspects(search, prover, pairs))


def unproved_interactions(search: Search, norms: Collection[str]) -> SearchReport[Interaction]:
    """Search the interactions of norms, without the pairs that a proof excludes."""
    prover = _prover(search)
    pairs = between(norm_pairs(prover.encoding), norms, norms)
    suspects = _suspects(search, prover, pairs)
    return interactions(search, norms, suspects, disjoint_pairs(search, prover, norms))


def disjoint_pairs(search: Search, prover: Prover, norms: Collection[str]) -> frozenset[Suspect]:
    """Return pairs of these norms that provably never assert something about one topic of a kind.

    If many norms assert something about a kind, a search is faster than proofs; then only terms
    exclude pairs.
    """
    every = _in_force(search, meeting_pairs(prover.encoding, norms))
    count = Counter(pair.kind for pair in every)
    tried = [pair for pair in every if count[pair.kind] <= _FEW or not examined_clauses(pair)]
    meeting = replace(prover, attempts=_MEETING_ATTEMPTS)
    return frozenset(_closed(meeting, tried, *_time_and_jobs(search)))


def _prover(search: Search) -> Prover:
    return Prover(Encoding(search.lab.program, search.bounds.without))


def _suspects(search: Search, prover: Prover, pairs: Iterable[NormPair]) -> list[Suspect]:
    search.told("proofs")
    left = unproved_pairs(prover, _in_force(search, pairs), *_time_and_jobs(search))
    return [pair.suspect for pair in left]


def _in_force(search: Search, pairs: Iterable[NormPair]) -> list[NormPair]:
    """Return the pairs that may apply in the events of a search."""
    if not search.bounds.events:
        return [*pairs]
    anywhere = tuple(in_force_at_events(search.lab, search.bounds))
    return [pair for pair in pairs if any(map(pair.may_apply, anywhere))]


def _time_and_jobs(search: Search) -> tuple[Deadline, JobSettings]:
    return search.clock.part(_PROOFS), search.job_settings
