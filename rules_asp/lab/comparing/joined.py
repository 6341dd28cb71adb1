"""Two sets of rules in one program: what they derive alike once, and what differs under two names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import clingo

from rules_asp.knowledge.source import Rule, Signature
from rules_asp.lab.boards.rename import OTHER, rename_rules
from rules_asp.lab.boards.world import Generator, load_generator
from rules_asp.lab.comparing.sides import RuleSet


def joint_program(one: RuleSet, other: RuleSet) -> tuple[Generator, frozenset[Signature]]:
    """Both sets of rules with the generator, and what is derived twice."""
    lab = load_generator(program=one.program)
    own = [rule for rule in lab.rules if not _is_generator(rule)]
    generator = [rule for rule in lab.rules if _is_generator(rule)]
    shared = [rule for rule in own if rule.file.startswith(("lab/", "strict"))]
    theirs = [*other.program.rules, *(rule for rule in shared if rule.heads)]
    changed = set(_changed(own, theirs))
    facts: list[str] = []
    roles = roles_of(lab, one, other)
    if roles:
        facts += [f"alike({each})." for each in roles]
        drawing = {section for by in roles.values() for section in by}
        facts += [f"compared({each})." for each in one.sections if each in drawing]
        facts += [f"compared{OTHER}({each})." for each in other.sections if each in drawing]
        drawn = _drawn(lab)
        changed |= {_COMPARED, *drawn}
        # What is drawn elsewhere is the same for both.
        for node in drawn:
            about = f"H{',X' * (node.arity - 1)}"
            facts.append(f"{node.name}{OTHER}({about}) :- {node.name}({about}), not plays(_,H).")
    if one.sections != other.sections:
        changed.add(Signature("section", 1))
        facts += [f"section{OTHER}({each})." for each in other.sections]
    if one.without != other.without:
        changed.add(Signature("without", 1))
        facts += [f'without{OTHER}("{each}").' for each in other.without]
    if one.program.shared_facts != other.program.shared_facts:
        changed.add(Signature("norm", 2))
        lines = other.program.shared_facts.splitlines()
        facts += [line.replace("norm(", f"norm{OTHER}(", 1) for line in lines]
    closed = _closure(changed, [*own, *theirs], lab)
    if any(node.name == "supposed" for node in closed):
        # What may be so or not is the same on both sides, where both leave it open.
        facts.append(f":- supposed(T,V), supposed{OTHER}(T,W), V != W, could_be{OTHER}(T,V).")
    copies = [rename_rules(rule, closed) for rule in theirs if closed.intersection(rule.heads)]
    twice = frozenset(closed)
    return Generator(one.program, (*own, *generator, *copies), tuple(facts), twice), twice


def roles_of(lab: Generator, one: RuleSet, other: RuleSet) -> dict[str, set[str]]:
    """The roles that both know, with the sections that draw them, each in its own way.

    None of a role that a section in force in both draws.
    """
    knows: dict[str, set[str]] = {}
    for rule in lab.rules:
        if rule.heads == (_ROLE,):
            head = rule.text.partition(":-")[0].replace("H", "h").strip()
            role, section, *_ = clingo.parse_term(head).arguments
            knows.setdefault(str(role), set()).add(str(section))
    mine, theirs = set(one.sections) - {"b23"}, set(other.sections) - {"b23"}
    return {
        role: by
        for role, by in knows.items()
        if by & mine and by & theirs and not by & mine & theirs
    }


_ROLE, _COMPARED = Signature("role", 4), Signature("compared", 1)


def _drawn(lab: Generator) -> frozenset[Signature]:
    """What the roles are drawn with."""
    drawing = (rule for rule in lab.rules if rule.file == "lab/roles.lp" and rule.head)
    return frozenset(node for rule in drawing if _COMPARED in rule.body for node in rule.heads)


def _is_generator(rule: Rule) -> bool:
    """Whether a rule chooses what the board is: both sets of rules speak of the same board."""
    return rule.file.startswith("lab/") and bool(rule.heads) and rule.head is None


def _changed(own: Iterable[Rule], theirs: Iterable[Rule]) -> Iterable[Signature]:
    """What the two derive by different rules."""
    mine = Counter((head, rule.text) for rule in own for head in rule.heads)
    others = Counter((head, rule.text) for rule in theirs for head in rule.heads)
    return {head for head, _ in (mine - others) + (others - mine)}


def _closure(changed: set[Signature], rules: Iterable[Rule], lab: Generator) -> set[Signature]:
    """All that rests on what is changed."""
    reading: dict[Signature, list[Rule]] = {}
    for rule in rules:
        for node in rule.body:
            reading.setdefault(node, []).append(rule)
    closed = set(changed)
    todo = list(changed)
    while todo:
        for rule in reading.get(todo.pop(), ()):
            for head in rule.heads:
                if head not in closed and (head.name, head.arity) not in lab.inputs:
                    closed.add(head)
                    todo.append(head)
    return closed
