"""What never happens on any board: norms that never apply, and claims that never fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules_asp.knowledge.program import Program
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Rule
from rules_asp.knowledge.terms import Fun
from rules_asp.lab.clauses import Holds, clause_of
from rules_asp.lab.find import goal_of_counterexample
from rules_asp.lab.search import Search
from rules_asp.lab.tableau import Tableau
from rules_asp.lab.theory import Encoding

#: Levels of unrolling and steps.
_DEPTH, _STEPS = 5, 600


def never_apply(
    program: Program, norms: Iterable[str], without: tuple[str, ...] = ()
) -> Iterator[str]:
    """Those of these norms of which no rule applies on any board, of whatever size."""
    encoding = Encoding(program, without)
    for norm in norms:
        rules = [each for each in program.source.rules if each.norm == norm and each.literals]
        if rules and all(_never_holds(encoding, each) for each in rules):
            yield norm


def _never_holds(encoding: Encoding, rule: Rule) -> bool:
    tableau = Tableau(encoding.theory, _DEPTH, _STEPS)
    clause = tableau.unknowns(clause_of(rule.head or Fun("rule"), rule.literals, rule.text))
    return tableau.refute(clause.body).closed


def never_fails(search: Search, claim: str) -> bool:
    """Whether it is proved that no board of any size shows that a claim fails."""
    look = goal_of_counterexample(search, claim)
    texts = dict.fromkeys(part.rules for part in look.parts.values())
    rules = [rule for text in texts for rule in read_rules(text, "claim.lp")[0] if rule.heads]
    encoding = Encoding(search.lab.program, search.bounds.without, tuple(rules))
    found = Holds(Fun("goal", (Fun("found"),)))
    return Tableau(encoding.theory, _DEPTH, _STEPS).refute([found]).closed
