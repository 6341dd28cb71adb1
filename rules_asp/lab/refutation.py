"""Refutations for boards of any size: a norm that applies, a claim that fails, an open question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules_asp.knowledge.program import Program
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, Rule
from rules_asp.knowledge.terms import Const, Fun
from rules_asp.lab.audits import Gap, gaps
from rules_asp.lab.clauses import Holds, clause_of
from rules_asp.lab.find import goal_of_counterexample
from rules_asp.lab.generator import Generator
from rules_asp.lab.goals import GAP, kinds
from rules_asp.lab.report import SearchReport
from rules_asp.lab.search import Search
from rules_asp.lab.tableau import Tableau
from rules_asp.lab.theory import Encoding

#: Levels of unrolling and steps.
_DEPTH, _STEPS = 5, 600


def never_apply(
    program: Program, norms: Iterable[str], without: tuple[str, ...] = ()
) -> Iterator[str]:
    """Return the norms without a rule that applies on any board, of any size."""
    encoding = Encoding(program, without)
    for norm in norms:
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
    return gaps(search, answered=always_answered(search.lab, bounds.without))


def always_answered(lab: Generator, without: tuple[str, ...] = ()) -> frozenset[Functor]:
    """Return the kinds of topics that have an answer on every board that calls for one."""
    numbered = dict(enumerate(kinds(lab, *GAP[0].reads[0])))
    text = "\n".join(_gap(number, kind) for number, kind in numbered.items())
    gap_rules = (rule for rule in read_rules(text)[0] if rule.heads)
    # Rules of the lab derive `due`, and the program does not include them.
    due = (rule for rule in lab.rules if any(head.name == "due" for head in rule.heads))
    encoding = Encoding(lab.program, without, (*due, *gap_rules))
    return frozenset(
        kind
        for number, kind in numbered.items()
        if _never_holds(encoding, Fun("goal", (Fun("gap", (Const(number),)),)))
    )


def _gap(number: int, functor: Functor) -> str:
    """Return the rule of a gap of one kind, with a head of its own."""
    _, body = GAP[0].about(functor).rules.split(" :- ")
    return f"goal(gap({number})) :- {body}"


def _never_fires(encoding: Encoding, rule: Rule) -> bool:
    tableau = Tableau(encoding.theory, _DEPTH, _STEPS)
    clause = tableau.unknowns(clause_of(rule.head or Fun("rule"), rule.literals, rule.text))
    return tableau.refute(clause.body).closed


def _never_holds(encoding: Encoding, atom: Fun) -> bool:
    return Tableau(encoding.theory, _DEPTH, _STEPS).refute([Holds(atom)]).closed
