"""`lab prove`: pairs of norms that could contradict each other, proofs that they never do, a report."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.loading import program_sources
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.reader import kb_folder
from rules_asp.knowledge.rules import SIGHT, SIGHT_PLACE, Functor, Norm
from rules_asp.knowledge.terms import Const, Fun, Term, Var, walk
from rules_asp.lab.audits import section_of
from rules_asp.lab.clauses import (
    ADDED,
    UNKNOWN,
    BodyLiteral,
    Clause,
    Compares,
    Denied,
    Holds,
    renamed,
    unify,
)
from rules_asp.lab.generator import Generator
from rules_asp.lab.goals import Suspect
from rules_asp.lab.precedence import Rank, Ranks, ranks_of
from rules_asp.lab.tableau import Outcome, Tableau
from rules_asp.lab.theory import DEFEATED, GIVING, INVALID, WINS, Encoding, Key, NamedAxiom, key_of
from rules_asp.lab.theory import FILE as AXIOMS
from rules_asp.runtime import cache
from rules_asp.runtime.job_pool import JobSettings, run_jobs
from rules_asp.runtime.limits import Deadline, OutOfTime

# --- Pairs of clauses that could contradict each other.


@dataclass(frozen=True)
class ClausePair:
    """Two clauses that could give one topic two values, or allow and forbid one action or LOS."""

    heads: tuple[str, str]
    clauses: tuple[Clause, Clause]

    @cached_property
    def excluded(self) -> bool:
        """True if the terms alone show that the two never contradict each other."""
        one, two = (renamed(each, at) for at, each in enumerate(self.clauses))
        if not unify(_about(one), _about(two), {}):
            return True
        if not {"says", "offers"}.issuperset(self.heads):
            return False
        values = one.head.args[2], two.head.args[2]
        return values[0] == values[1] and not any(type(e) is Var for e in walk(values))

    def goal(self, tableau: Tableau, ranked: bool) -> Iterator[BodyLiteral]:
        """Yield the goal: both clauses hold and contradict; `ranked`: neither norm is defeated."""
        sides = [tableau.unknowns(each) for each in self.clauses]
        yield Compares("=", *map(_about, sides))
        values: list[Term] = []
        for at, (head, side) in enumerate(zip(self.heads, sides, strict=True)):
            if head in ("takes", "offers_value"):
                values.append(Var(f"Taken{ADDED}{UNKNOWN}{at}"))
                yield Holds(Fun("value", (side.head.args[2], values[-1])))
            elif head in ("says", "offers"):
                values.append(side.head.args[2])
            yield from side.body
            if ranked and self.heads[0] not in _SIGHT_HEADS:
                yield Denied(Fun(DEFEATED, side.head.args[:2]))
        if values:
            yield Compares("!=", *values)
        if ranked and self.heads[0] in _SIGHT_HEADS:
            one, other = (side.head.args[0] for side in sides)
            yield Denied(Fun(WINS, (one, other)))
            yield Denied(Fun(WINS, (other, one)))


_SIGHT_HEADS = ("clears", "blocks")


def _about(clause: Clause) -> Term:
    return clause.head.args[calculus().topic_place[clause.head.name]]


def norm_of(clause: Clause) -> str:
    """Return the norm of a clause."""
    first = clause.head.args[0]
    return str(first.value) if isinstance(first, Const) else str(first)


@dataclass(frozen=True)
class NormPair:
    """Two norms, or one norm twice, about one kind of topic, action or LOS; `clauses` are the
    pairs."""

    kind: str
    one: str
    other: str
    clauses: tuple[ClausePair, ...]

    @property
    def suspect(self) -> Suspect:
        """The pair as a search reads it."""
        return SIGHT[0] if self.kind == "sight" else self.kind, self.one, self.other

    def may_apply(self, lab: Generator) -> bool:
        """Test whether both norms may assert something about the kind, by the rules in force."""
        topic = key_of(self.clauses[0].clauses[0].head)[2]
        return topic is None or all(lab.asserts(norm, topic) for norm in (self.one, self.other))

    def __str__(self) -> str:
        return f"{self.kind}: {self.one} against {self.other}"


#: The best offer counts, so offers do not contradict each other.
_OFFERS = frozenset(("offers", "offers_value"))


def norm_pairs(encoding: Encoding) -> list[NormPair]:
    """Return all pairs of norms that could contradict each other by the heads of their rules."""
    found: dict[tuple[str, str, str], list[ClausePair]] = {}
    for pair, topic in _clause_pairs(encoding.speaking):
        one, other = pair.clauses
        if norm_of(other) < norm_of(one):
            pair = ClausePair(pair.heads[::-1], (other, one))
        kind = "sight" if topic == SIGHT else topic[0]
        key = kind, norm_of(pair.clauses[0]), norm_of(pair.clauses[1])
        found.setdefault(key, []).append(pair)
    return [NormPair(*key, tuple(pairs)) for key, pairs in sorted(found.items())]


def meeting_pairs(encoding: Encoding, norms: Collection[str]) -> list[NormPair]:
    """Return all pairs of these norms that could assert something about one topic, except an LOS."""
    found: dict[Functor, dict[str, list[Clause]]] = {}
    for (_, kind), clauses in encoding.speaking.items():
        for clause in clauses:
            found.setdefault(kind, {}).setdefault(norm_of(clause), []).append(clause)
    pairs = []
    for kind, own in sorted(found.items()):
        for one, other in combinations(sorted(own.keys() & norms), 2):
            both = (ClausePair(("", ""), each) for each in product(own[one], own[other]))
            pairs.append(NormPair(kind[0], one, other, tuple(both)))
    return [pair for pair in pairs if pair.kind not in (SIGHT[0], SIGHT_PLACE[0])]


def between(
    pairs: Iterable[NormPair], some: Collection[str], others: Collection[str]
) -> list[NormPair]:
    """Return the pairs with one norm of each group."""
    return [
        each
        for each in pairs
        if (each.one in some and each.other in others)
        or (each.one in others and each.other in some)
    ]


def in_sections(
    norms: Mapping[str, Norm], pairs: Iterable[NormPair], sections: Collection[str]
) -> list[NormPair]:
    """Return the pairs of norms of these sections, with B23 and the general rules."""
    wanted = {*sections, *_COMMON}
    return [
        each
        for each in pairs
        if {section_of(norms[norm]) for norm in (each.one, each.other)} <= wanted
    ]


def _clause_pairs(
    speaking: Mapping[tuple[str, Functor], Sequence[Clause]],
) -> Iterator[tuple[ClausePair, Functor]]:
    topics = dict.fromkeys(topic for _, topic in speaking)
    for topic in sorted(topics):
        said = [(head, c) for head in GIVING for c in speaking.get((head, topic), ())]
        for at, (head, clause) in enumerate(said):
            for other_head, other in said[at:]:
                if not {head, other_head} <= _OFFERS:
                    yield ClausePair((head, other_head), (clause, other)), topic
        for lets, bars in (("permits", "forbids"), _SIGHT_HEADS):
            for one, two in product(
                speaking.get((lets, topic), ()), speaking.get((bars, topic), ())
            ):
                yield ClausePair((lets, bars), (one, two)), topic


# --- Results for a pair.

#: The verdicts in words, the best first.
VERDICTS = {
    "type": "excluded by the terms alone",
    "proved": "proved for all boards: the conditions exclude each other",
    "proved_valid": "proved for all boards that break no norm and that a map can show",
    "text": "settled by the text",
    "reading": "settled by an interpretation",
    "ruling": "settled by a ruling",
    "open": "open",
}


@dataclass(frozen=True)
class PairVerdict:
    """The result for a pair of norms.

    by: the ruling, or the norm whose tag ranks the two. axioms: those used in a proof. rules: the
    rules of an open pair. model: the literals that the tableau could not refute together.
    """

    kind: str
    one: str
    other: str
    verdict: str
    by: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    model: tuple[str, ...] = ()

    @property
    def closed(self) -> bool:
        """True if the two never contradict each other."""
        return self.verdict != "open"

    def __str__(self) -> str:
        return f"{self.kind}: {self.one} against {self.other}"


@dataclass(frozen=True)
class ClauseVerdict:
    """The result for a pair of clauses: closed or open, by precedence or not, on which boards."""

    closed: bool
    ranked: bool
    valid: bool
    axioms: tuple[str, ...]
    model: tuple[str, ...]
    consulted: tuple[Key, ...]


class Attempt(NamedTuple):
    """An attempt at a proof: levels of unrolling, steps, and what it assumes; see `refuted`."""

    depth: int
    steps: int
    ranked: bool
    valid: bool


#: The attempts, one after the other. Those that assume a board without violations come last: a pair
#: that they close may be closed on all boards.
ATTEMPTS = (
    Attempt(2, 60, False, False),
    Attempt(4, 200, True, False),
    Attempt(4, 200, True, True),
    Attempt(7, 600, True, True),
)


@dataclass(frozen=True)
class Prover:
    """The prover for a knowledge base.

    exact: find out whether a closed pair needs the assumptions of its attempt.
    """

    encoding: Encoding
    attempts: tuple[Attempt, ...] = ATTEMPTS
    exact: bool = True
    _digests: dict[Key, str] = field(default_factory=dict, init=False, compare=False)

    @property
    def program(self) -> Program:
        """The knowledge base."""
        return self.encoding.program

    @property
    def uses_ranks(self) -> bool:
        """True if an attempt assumes that neither norm is defeated."""
        return any(each.ranked for each in self.attempts)

    def compute_shared(self) -> None:
        """Compute what all proofs need, so that processes inherit it."""
        _ = self.encoding.theory.patterns

    def of_clauses(self, pair: ClausePair) -> ClauseVerdict:
        """Return the result for two clauses."""
        consulted: dict[Key, None] = {}
        found: Outcome | None = None

        @lru_cache
        def refuted(attempt: Attempt) -> Outcome:
            outcome = self.refuted(pair, *attempt)
            consulted.update(dict.fromkeys(sorted(outcome.consulted, key=str)))
            return outcome

        for attempt in self.attempts:
            found = refuted(attempt)
            if not found.closed:
                continue
            depth, steps, ranked, valid = attempt
            if not self.exact:
                return ClauseVerdict(True, ranked, valid, (), (), tuple(consulted))
            if valid and (plain := refuted(Attempt(depth, steps, ranked, False))).closed:
                valid, found = False, plain
            if ranked and self._may_be_defeated(pair):
                plain = refuted(Attempt(depth, steps, False, valid))
                ranked, found = (False, plain) if plain.closed else (True, found)
            else:
                ranked = False
            axioms = tuple(sorted(found.axioms))
            return ClauseVerdict(True, ranked, valid, axioms, (), tuple(consulted))
        assert found is not None
        return ClauseVerdict(False, True, False, (), found.model, tuple(consulted))

    def refuted(
        self, pair: ClausePair, depth: int, steps: int, ranked: bool, valid: bool
    ) -> Outcome:
        """Return the result of one tableau.

        ranked: assume that neither norm is defeated. valid: only boards that violate no norm.
        """
        tableau = Tableau(self.encoding.theory, depth, steps)
        more = (Denied(INVALID),) if valid else ()
        return tableau.refute((*pair.goal(tableau, ranked), *more))

    def _may_be_defeated(self, pair: ClausePair) -> bool:
        theory = self.encoding.theory
        norms = tuple(each.head.args[0] for each in pair.clauses)
        if any(theory.denials_for(Fun(WINS, each)) for each in (norms, norms[::-1])):
            return True
        return any(theory.denials_for(Fun(DEFEATED, each.head.args[:2])) for each in pair.clauses)

    def fingerprint(self, keys: Collection[Key]) -> str:
        """Return a digest of the clauses that were consulted."""
        for key in keys:
            if key not in self._digests:
                self._digests[key] = cache.digest(self.encoding.theory.text_of(key).encode())
        return cache.digest("".join(self._digests[key] for key in keys).encode())

    @cached_property
    def ranks(self) -> Ranks:
        """The precedence between norms."""
        return ranks_of(self.program)

    def always_wins(self, pair: NormPair) -> bool:
        """Test whether one of two norms always overrides the other."""
        wins = self.encoding.wins
        both = (pair.one, pair.other), (pair.other, pair.one)
        # A norm does not give way to its own prohibition.
        gives_way = pair.one != pair.other and _permits_only(pair, self.encoding.yielding)
        return gives_way or any(() in wins.get(each, ()) for each in both)

    def exempts(self, pair: NormPair) -> bool:
        """Test whether each rule of a pair that permits only exempts from other prohibitions."""
        return _permits_only(pair, self.encoding.exempting)

    def precedence(self, pair: NormPair) -> tuple[Rank, ...]:
        """Return the ranks between two norms."""
        off = self.encoding.without
        return self.ranks.path(pair.one, pair.other, off) or self.ranks.path(
            pair.other, pair.one, off
        )

    @cached_property
    def mutual(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of norms that override each other."""
        wins = self.encoding.wins
        return tuple(sorted((a, b) for a, b in wins if a <= b and (b, a) in wins))

    @property
    def rules_fingerprint(self) -> str:
        """Return a digest of all rules, with the rulings that are switched off."""
        off = map(str.encode, self.encoding.without)
        return cache.digest(b"\0".join((*program_sources(), *off)))[:12]


def _permits_only(pair: NormPair, norms: Set[str]) -> bool:
    """Test whether a pair permits something, and only by these norms."""
    permitting = {
        norm_of(clause)
        for each in pair.clauses
        for head, clause in zip(each.heads, each.clauses, strict=True)
        if head == "permits"
    }
    return bool(permitting) and permitting <= norms


def verdict_of(prover: Prover, pair: NormPair, shown: Sequence[ClauseVerdict]) -> PairVerdict:
    """Combine the results of clause pairs into the verdict for two norms."""
    axioms = tuple(sorted({axiom for each in shown for axiom in each.axioms}))
    told = PairVerdict(pair.kind, pair.one, pair.other, "type", axioms=axioms)
    both = zip(examined_clauses(pair), shown, strict=False)
    left = [(each, verdict) for each, verdict in both if not verdict.closed]
    if left and prover.exempts(pair):
        return _settled(prover, pair, told)
    if left:
        clauses, first = left[0]
        rules = tuple(each.rule for each in clauses.clauses)
        return replace(told, verdict="open", rules=rules, model=first.model)
    if any(each.ranked for each in shown):
        return _settled(prover, pair, told)
    if any(each.valid for each in shown):
        return replace(told, verdict="proved_valid")
    return replace(told, verdict="proved") if shown else told


def _settled(prover: Prover, pair: NormPair, told: PairVerdict) -> PairVerdict:
    row = prover.precedence(pair)
    choices = [each for each in row if each.choice]
    by = tuple(dict.fromkeys(each.by for each in choices or row))
    if any(each.by.startswith("R-") for each in choices):
        return replace(told, verdict="ruling", by=by)
    return replace(told, verdict="reading" if choices else "text", by=by)


def examined_clauses(pair: NormPair) -> tuple[ClausePair, ...]:
    """Return the pairs of clauses that their terms do not exclude."""
    return tuple(each for each in pair.clauses if not each.excluded)


# --- All pairs of a knowledge base, in several processes, with a cache.


@dataclass(frozen=True)
class Consistency:
    """The results for all pairs of norms; left: the number of pairs without time."""

    verdicts: tuple[PairVerdict, ...]
    mutual: tuple[tuple[str, str], ...]
    fingerprint: str
    without: tuple[str, ...]
    anew: int
    left: int
    seconds: float
    interrupted: bool = False

    @property
    def sure(self) -> bool:
        """True if all pairs were examined."""
        return not self.left


#: Interval in seconds for saving results, in case the run is stopped.
_EVERY = 20.0
#: The callback for progress: pairs done, all pairs, and the last result.
Progress = Callable[[int, int, PairVerdict], None]


def prove(
    prover: Prover,
    pairs: Sequence[NormPair],
    clock: Deadline,
    jobs: JobSettings,
    told: Progress = lambda done, of, last: None,
) -> Consistency:
    """Prove pairs of norms; cached results for the same rules are reused."""
    kept = KeptVerdicts(prover)
    verdicts: dict[NormPair, PairVerdict] = {}
    waiting: list[tuple[NormPair, tuple[ClausePair, ...]]] = []
    for pair in pairs:
        examined = examined_clauses(pair)
        if examined and prover.uses_ranks and prover.always_wins(pair):
            blank = PairVerdict(pair.kind, pair.one, pair.other, "text")
            verdicts[pair] = _settled(prover, pair, blank)
        elif None not in (known := [kept.get(each) for each in examined]):
            verdicts[pair] = verdict_of(prover, pair, [each for each in known if each])
        else:
            waiting.append((pair, examined))
    interrupted = False
    stored = time.monotonic()
    tasks = (examined for _, examined in waiting)
    if waiting:
        prover.compute_shared()
    try:
        with run_jobs(_worked, (prover, kept), tasks, jobs, False, clock.left) as results:
            for number, shown in results:
                pair, examined = waiting[number]
                for each, verdict in zip(examined, shown, strict=False):
                    kept.put(each, verdict)
                verdicts[pair] = verdict_of(prover, pair, shown)
                told(len(verdicts), len(pairs), verdicts[pair])
                if time.monotonic() > stored + _EVERY:
                    kept.store()
                    stored = time.monotonic()
    except OutOfTime:
        pass
    except KeyboardInterrupt:
        interrupted = True
    kept.store()
    return Consistency(
        tuple(verdicts[pair] for pair in pairs if pair in verdicts),
        prover.mutual,
        prover.rules_fingerprint,
        prover.encoding.without,
        len(waiting),
        len(pairs) - len(verdicts),
        time.monotonic() - clock.started,
        interrupted,
    )


def _worked(
    held: tuple[Prover, KeptVerdicts], examined: tuple[ClausePair, ...]
) -> list[ClauseVerdict]:
    prover, kept = held
    shown: list[ClauseVerdict] = []
    for each in examined:
        shown.append(kept.get(each) or prover.of_clauses(each))
        # One pair of clauses that stays open decides.
        if not (prover.exact or shown[-1].closed):
            break
    return shown


@dataclass
class KeptVerdicts:
    """A cache of results for pairs of clauses, valid while the consulted clauses stay the same."""

    prover: Prover
    _rows: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        path = self._path
        data = None if path is None else cache.load_entry(path)
        with suppress(cache.FormatError):
            found = {} if data is None else cache.loads(data, ())
            self._rows = found if isinstance(found, dict) else {}

    @cached_property
    def _path(self) -> Path | None:
        encoding = self.prover.encoding
        facts = (
            rule.text
            for rule in encoding.rules
            if not rule.literals and rule.heads[0].name not in calculus().heads
        )
        axioms = (kb_folder() / AXIOMS).read_text("utf-8")
        attempts = str(self.prover.attempts)
        free = str(sorted(encoding.theory.open))
        common = "\n".join((*sorted(facts), axioms, *encoding.without, attempts, free))
        sources = (common.encode(), *cache.source_fingerprint("lab", "knowledge"))
        return cache.entry_path("proved", sources)

    def _key(self, pair: ClausePair) -> str:
        return cache.digest(repr(pair).encode())

    def get(self, pair: ClausePair) -> ClauseVerdict | None:
        """Return the cached result for two clauses if it is still valid."""
        row = self._rows.get(self._key(pair))
        if row is None:
            return None
        with suppress(TypeError, ValueError):
            closed, ranked, valid, used, model, keys, digest = row
            looked_up = tuple((name, arity, of and tuple(of)) for name, arity, of in keys)
            if self.prover.fingerprint(looked_up) == digest:
                return ClauseVerdict(closed, ranked, valid, used, model, looked_up)
        return None

    def put(self, pair: ClausePair, shown: ClauseVerdict) -> None:
        """Store the result for two clauses."""
        digest = self.prover.fingerprint(shown.consulted)
        told = shown.closed, shown.ranked, shown.valid, shown.axioms, shown.model
        self._rows[self._key(pair)] = (*told, shown.consulted, digest)

    def store(self) -> None:
        """Write the results to the cache."""
        if self._path is not None:
            cache.store_entry(self._path, cache.dumps(self._rows))


# --- The report: number of pairs of each section by verdict.


@dataclass(frozen=True)
class SectionCount:
    """The number of pairs by verdict, for the norms of a section with B23 and the general rules.

    `general` is for pairs of two general rules, `across` for pairs of two sections besides B23.
    """

    section: str
    counts: Mapping[str, int]

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return sum(self.counts.values())

    @property
    def share(self) -> float | None:
        """The proved share of pairs that are neither ranked nor excluded by their terms."""
        proved = self.counts.get("proved", 0) + self.counts.get("proved_valid", 0)
        whole = proved + self.counts.get("open", 0)
        return proved / whole if whole else None


def of_sections(
    norms: Mapping[str, Norm], verdicts: Iterable[PairVerdict], sections: Iterable[str]
) -> list[SectionCount]:
    """Return the counts of each section, of the other pairs, and of all, which is their sum."""
    counts: dict[str, Counter[str]] = {each: Counter() for each in ("general", *sections)}
    for each in verdicts:
        section = section_of_pair(norms, each.one, each.other)
        counts.setdefault(section, Counter())[each.verdict] += 1
    counts["all"] = sum(counts.values(), Counter())
    return [SectionCount(section, found) for section, found in counts.items()]


def section_of_pair(norms: Mapping[str, Norm], one: str, other: str) -> str:
    """Return the section of a pair with B23 and the general rules, or the row of another pair."""
    found = {section_of(norms[each]) for each in (one, other)}
    own = found - _COMMON
    if len(own) > 1:
        return "across"
    return next(iter(own), "b23" if "b23" in found else "general")


_COMMON = frozenset(("b23", "general", "rulings"))


# --- The report, as text and as JSON.

#: The columns of the table: the verdicts, each with a short title.
_COLUMNS = {
    "type": "terms",
    "proved": "proved",
    "proved_valid": "proved*",
    "text": "text",
    "reading": "reading",
    "ruling": "ruling",
    "open": "open",
}
#: Number of open pairs listed without the option for all.
_LISTED = 12


def report_text(
    out: Console,
    found: Consistency,
    counts: Sequence[SectionCount],
    axioms: Sequence[NamedAxiom],
    everything: bool,
) -> None:
    """Print the verdict, the table, and the open pairs."""
    whole = counts[-1]
    proved = whole.counts.get("proved", 0) + whole.counts.get("proved_valid", 0)
    told = f"{proved} proved, {whole.counts.get('open', 0)} open"
    out.print(Text(f"{whole.pairs} pairs of rules: {told}", "bold"))
    if found.left:
        out.print(f"Stopped early: {found.left} pairs were not examined.", style="bold red")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("section", "pairs", *_COLUMNS.values(), "share"):
        table.add_column(title, justify="left" if title == "section" else "right")
    for count in counts:
        share = "" if count.share is None else f"{count.share:.0%}"
        row = (str(count.counts.get(verdict, 0)) for verdict in _COLUMNS)
        table.add_row(count.section, str(count.pairs), *row, share)
    out.print(table)
    out.print(
        "proved: never together, on boards of every size. proved*: on boards that break no norm\n"
        "and that a map can show.\n"
        "share: of the pairs that neither terms nor precedence settle, those that are proved.",
        style="dim",
    )
    opened = [each for each in found.verdicts if each.verdict == "open"]
    if opened:
        out.print(Text("\nOpen", "bold"))
    for each in opened if everything else opened[:_LISTED]:
        out.print(f"  {each}")
    if not everything and len(opened) > _LISTED:
        out.print(f"  and {len(opened) - _LISTED} more: --all lists them", style="dim")
    if opened:
        first = opened[0]
        out.print(f"Show what is open: rules-asp lab prove {first.one} {first.other}", style="dim")
    for one, other in found.mutual:
        out.print(f"Each wins over the other: {one} and {other}", style="bold red")
    _foot(out, found, axioms)
    out.print(f"Rules: {found.fingerprint}.", style="dim")


def pair_text(
    out: Console, found: Consistency, norms: Mapping[str, Norm], axioms: Sequence[NamedAxiom]
) -> None:
    """Print the results for two norms, by kind of question."""
    if not found.verdicts:
        out.print(Text("By their form, these rules never contradict each other.", "bold"))
    for each in found.verdicts:
        out.print(Text(f"{each.kind}: {VERDICTS[each.verdict]}", "bold"))
        for norm in dict.fromkeys((each.one, each.other)):
            out.print(f"  {norm}  {norms[norm].sense}")
        if each.by:
            out.print(f"  by {', '.join(each.by)}")
        for rule in each.rules:
            out.print(f"  rule: {rule}", style="dim")
        if each.verdict == "open":
            out.print("  Not proved. They may contradict each other where all this is true:")
            for fact in each.model:
                out.print(f"    {fact}")
    _foot(out, found, axioms)


def _foot(out: Console, found: Consistency, axioms: Sequence[NamedAxiom]) -> None:
    used = {axiom for each in found.verdicts for axiom in each.axioms}
    named = [each for each in axioms if each.axiom.name in used and each.ground != "calculus"]
    if named:
        told = "; ".join(f"{each.axiom.name} ({each.why})" for each in named)
        out.print(f"Proved given: {told}.", style="dim")
    off = f", without {', '.join(found.without)}" if found.without else ""
    out.print(f"All sections{off}.", style="dim")


def record(
    found: Consistency, counts: Sequence[SectionCount], axioms: Sequence[NamedAxiom]
) -> dict[str, Any]:
    """Return the report as JSON."""
    return {
        "fingerprint": found.fingerprint,
        "without": list(found.without),
        "sections": [
            {"section": each.section, "pairs": each.pairs, "share": each.share}
            | {verdict: each.counts.get(verdict, 0) for verdict in VERDICTS}
            for each in counts
        ],
        "pairs": [_pair_record(each) for each in found.verdicts if each.verdict != "type"],
        "mutual": [list(each) for each in found.mutual],
        "axioms": [
            {"axiom": each.axiom.name, "ground": each.ground, "why": each.why} for each in axioms
        ],
        "anew": found.anew,
        "left": found.left,
        "seconds": round(found.seconds, 3),
    }


def _pair_record(each: PairVerdict) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(each).items()}
