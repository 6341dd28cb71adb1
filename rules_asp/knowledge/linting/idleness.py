"""Static check that nothing is idle: what a board may say, and what norms give a value, is read by a
rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clingo import ast

from rules_asp.knowledge.linting.atoms import Fault, KbView, SourceStatement, functor
from rules_asp.knowledge.source import OTHER_PLACE, Functor

_TEXTS = re.compile(r'"[^"]*"')
_CONSTANT = re.compile(r"\b[a-z]\w*\b(?!\()")
#: Atoms of the calculus by which a rule reads what a topic comes to.
_READING = frozenset(("is", "total", "value", "valued", "settled", "supposed"))


def unread_declarations(base: KbView, topics_too: bool = True) -> Iterator[Fault]:
    """An input, a topic or a word that no rule reads and that is not said to be unread; or is, and is read.

    A rule reads a word by naming it, or by going through all words of its kind; a topic by asking for its
    value, by taking it over, by requiring it, or by wanting it told with something else. Without
    `topics_too` a topic may be there only to be asked.
    """
    rules = [each for each in (*base.statements, *base.calculus) if not each.declares]
    reads = {atom.name for each in rules for atom in each.reads}
    topics = _topics_read(rules)
    named = {word for each in rules for word in _CONSTANT.findall(_TEXTS.sub("", each.rule.text))}
    gone_through = {
        str(atom.terms[0])
        for each in rules
        for atom in each.reads
        if atom.name == "word" and atom.terms[1].ast_type == ast.ASTType.Variable
    }
    said: dict[str, tuple[SourceStatement, bool]] = {}
    for each in base.statements:
        entry = functor(each.heads[0].terms[0]) if each.declares in ("input", "topic") else None
        if entry:
            known = reads if each.declares == "input" else topics
            said[entry[0]] = each, entry[0] in known
        elif each.declares == "word":
            kind, word = map(str, each.heads[0].terms)
            said[f"word({kind},{word})"] = each, word in named or kind in gone_through
    excused = {
        str(each.heads[0].terms[0]): each for each in base.statements if each.declares == "unread"
    }
    for what, (statement, is_read) in said.items():
        asked_alone = statement.declares == "topic" and not topics_too
        if not is_read and what not in excused and not asked_alone:
            yield statement.fault(f'no rule reads {what}: say why, by unread({what}, "...")')
        if is_read and what in excused:
            yield excused[what].fault(f"{what} is read, and so not unread")
    for what, statement in excused.items():
        if what not in said:
            yield statement.fault(f"{what} is no input, no topic and no word")


def _topics_read(rules: Sequence[SourceStatement]) -> set[str]:
    """The topics of which some rule reads the value."""
    found: set[Functor | None] = {
        atom.topic for each in rules for atom in each.reads if atom.name in _READING and atom.topic
    }
    for each in rules:
        for atom in each.heads:
            place = 1 if atom.name == "told_with" else OTHER_PLACE.get(atom.name)
            if place is not None and place < len(atom.terms):
                found.add(functor(atom.terms[place]))
    return {name for name, _ in filter(None, found)}
