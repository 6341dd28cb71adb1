"""Knowledge bases of a few rules under the real calculus, for tests."""

from __future__ import annotations

from functools import cache

from rules_asp import engine, source
from rules_asp.source import Norm, Rule, Source

Atoms = frozenset[str]

#: What kb/vocabulary.lp declares for every knowledge base, and the engine adds.
SETTINGS = 'setting(without(ruling),""). setting(norm(norm,paragraph),"").\n'


@cache
def _shipped(name: str) -> tuple[list[Rule], list[Norm]]:
    return source.read_text((source.kb_folder() / name).read_text("utf-8"), name)


def small(text: str, file: str = "small/small.lp", *, also: tuple[str, ...] = ()) -> Source:
    """The shipped calculus, shipped files named in `also`, and `text` as a file of its own."""
    parts = [_shipped(name) for name in ("calculus.lp", *also)]
    parts.append(source.read_text(text, file))
    rules = tuple(rule for part in parts for rule in part[0])
    return Source(rules, tuple(norm for part in parts for norm in part[1]))


def answers(text: str, facts: str = "") -> list[Atoms]:
    """Every answer set, its atoms as text; `facts` join it as those of a board do."""
    program = engine.build(small(SETTINGS + text))
    rules = "\n".join(rule.text for rule in program.question_rules)
    found = engine.solve(program.static_text, rules, facts)
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
