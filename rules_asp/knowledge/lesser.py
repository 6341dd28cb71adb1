"""A knowledge base that lacks the word of one norm, to see what hangs on it."""

from __future__ import annotations

from dataclasses import replace

from rules_asp.knowledge.program import Program
from rules_asp.knowledge.source import KnowledgeBase, Rule


def rules_of_norm(source: KnowledgeBase, norm: str) -> list[Rule]:
    """The rules that are a norm's own word: those under its tag whose head names it.

    Notions that its rules define for others as well are not; of a norm that only defines one, they are.
    """
    own = [rule for rule in source.rules if rule.norm == norm]
    return [rule for rule in own if f'"{norm}"' in rule.text.split(":-", 1)[0]] or own


def without_norm_rules(source: KnowledgeBase, norm: str) -> KnowledgeBase:
    """The knowledge base without what a norm says."""
    gone = {id(rule) for rule in rules_of_norm(source, norm)}
    return replace(source, rules=tuple(rule for rule in source.rules if id(rule) not in gone))


def without_norm(program: Program, norm: str) -> Program:
    """The knowledge base made ready, without what a norm says; it is the same otherwise.

    It need not be made ready anew: what the calculus says of topics at large stays, though nobody speaks.
    """
    gone = {(rule.file, rule.line) for rule in rules_of_norm(program.source, norm)}

    def left(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(rule for rule in rules if (rule.file, rule.line) not in gone)

    return Program(
        without_norm_rules(program.source, norm),
        left(program.rules),
        left(program.static_rules),
        left(program.question_rules),
        program.occasions,
    )
