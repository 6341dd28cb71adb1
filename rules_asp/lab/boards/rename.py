"""Rules under other names, so that two sets of them can stand in one program."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from clingo import ast

from rules_asp.knowledge.parsing import parse_statements
from rules_asp.knowledge.source import BodyLiteral, Rule, Signature, read_rules, signature_of_term

#: Where an atom of a rule begins, as clingo writes it.
_ATOM = re.compile(r"(?:^|:- |; )(?:not )?([a-z_]\w*)")
#: Aggregates and conditions, and texts that look as if an atom began in them.
_NOT_PLAIN = re.compile(r'[{}]|: |"[^"]*(?:;|:-)[^"]*"')
#: What is appended to the names of the second set of rules.
OTHER = "_other"


def rename_rules(rule: Rule, nodes: Collection[Signature]) -> Rule:
    """A rule in which these nodes have other names."""

    def put(found: tuple[Signature, ...]) -> tuple[Signature, ...]:
        return tuple(
            node._replace(name=node.name + OTHER) if node in nodes else node for node in found
        )

    plain = _plainly(rule, nodes)
    if plain is None:
        text = rename_text(rule.text, nodes)
        (read,) = read_rules(text, rule.file)[0]
        plain = replace(rule, text=text, head=read.head, literals=read.literals)
    return replace(
        plain,
        heads=put(rule.heads),
        positive=put(rule.positive),
        negative=put(rule.negative),
        file="other/" + rule.file,
    )


def _plainly(rule: Rule, nodes: Collection[Signature]) -> Rule | None:
    """A rule with other names where each of its atoms stands by itself; None for any other.

    Nor where a name is of several nodes of which some keep it. clingo takes some ten times as long.
    """
    if rule.head is None or _NOT_PLAIN.search(rule.text):
        return None
    there = (*rule.heads, *rule.body)
    changed = {node.name for node in there if node in nodes}
    if any(node.name in changed and node not in nodes for node in there):
        return None

    def put(found: re.Match[str]) -> str:
        return found[0] + OTHER if found[1] in changed else found[0]

    text = _ATOM.sub(put, rule.text)
    head, _, body = text.removesuffix(".").partition(" :- ")
    bodies = body.split("; ") if body else []
    if len(bodies) != len(rule.literals):
        return None
    kinds = (each.kind for each in rule.literals)
    return replace(rule, text=text, head=head, literals=tuple(map(BodyLiteral, kinds, bodies)))


def rename_text(text: str, nodes: Collection[Signature]) -> str:
    """The text of rules in which these nodes have other names."""
    texts: list[str] = []

    class Renaming(ast.Transformer):
        def visit_SymbolicAtom(self, atom: ast.AST) -> ast.AST:
            node = signature_of_term(atom.symbol)
            if node not in nodes:
                return atom
            symbol = atom.symbol.update(name=node.name + OTHER)
            return atom.update(symbol=symbol)

    for node in parse_statements(text):
        if node.ast_type == ast.ASTType.Rule:
            texts.append(str(Renaming().visit(node)))
    return "\n".join(texts)
