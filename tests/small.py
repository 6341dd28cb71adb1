"""Knowledge bases of a few rules under the real calculus, for tests."""

from __future__ import annotations

from functools import cache

from rules_asp.knowledge import reader
from rules_asp.knowledge.dependencies import keys
from rules_asp.knowledge.program import build
from rules_asp.knowledge.rules import KnowledgeBase, Norm, Rule
from rules_asp.knowledge.solver import solve

Atoms = frozenset[str]

#: What kb/vocabulary.lp declares for every knowledge base and the engine adds; the calculus' reasons.
SETTINGS = """
setting(without(ruling),""). setting(norm(norm,paragraph),""). measured(asked(anything),"").
reason(of(topic),"",""). reason(clash(norm,norm),"",""). reason(no_norm,"","").
reason(contradiction(norm),"","").
"""


@cache
def _calculus() -> tuple[list[Rule], list[Norm]]:
    file = reader.kb_folder() / "calculus.lp"
    return reader.read_rules(file.read_text("utf-8"), file.name)


def small(text: str, file: str = "small/small.lp", words: str = SETTINGS) -> KnowledgeBase:
    """The shipped calculus, `text` as a file of its own and `words` as the vocabulary."""
    parts = [_calculus(), reader.read_rules(words, "vocabulary.lp"), reader.read_rules(text, file)]
    rules = tuple(rule for part in parts for rule in part[0])
    return KnowledgeBase(rules, tuple(norm for part in parts for norm in part[1]))


def answers(text: str, facts: str = "") -> list[Atoms]:
    """Every answer set, its atoms as text; `facts` join it as those of a board do."""
    program = build(small(text))
    rules = "\n".join(rule.text for rule in program.question_rules)
    found = solve(program.defined, program.static(keys(facts)), rules, facts)
    return [frozenset(str(symbol) for symbol in answer.symbols) for answer in found]


def answer(text: str, facts: str = "") -> Atoms:
    """The atoms of the only answer set."""
    (only,) = answers(text, facts)
    return only


def values(atoms: Atoms, topic: str = "t") -> set[str]:
    """What the topic is, with its unknowns (as `?why`): empty if nothing is said of it."""
    known = {a.removeprefix(f"is({topic},")[:-1] for a in atoms if a.startswith(f"is({topic},")}
    unknown = {
        f"?{a.removeprefix(f'unknown({topic},')[:-1]}"
        for a in atoms
        if a.startswith(f"unknown({topic},")
    }
    return known | unknown


def about(atoms: Atoms, name: str) -> set[str]:
    """The atoms of one predicate."""
    return {atom for atom in atoms if atom.split("(")[0] == name}
