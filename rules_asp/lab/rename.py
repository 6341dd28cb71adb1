"""Rules under other names, so that two sets of them can stand in one program."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from clingo import ast

from rules_asp.knowledge.parsing import statements_of
from rules_asp.knowledge.source import Node, Rule, node_of_term, read_text

#: What is appended to the names of the second set of rules.
OTHER = "_other"


def renamed(rule: Rule, nodes: Collection[Node]) -> Rule:
    """A rule in which these nodes have other names."""

    def put(found: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(
            node._replace(name=node.name + OTHER) if node in nodes else node for node in found
        )

    text = renamed_text(rule.text, nodes)
    (read,) = read_text(text, rule.file)[0]
    return replace(
        rule,
        text=text,
        head=read.head,
        literals=read.literals,
        heads=put(rule.heads),
        positive=put(rule.positive),
        negative=put(rule.negative),
        file="other/" + rule.file,
    )


def renamed_text(text: str, nodes: Collection[Node]) -> str:
    """The text of rules in which these nodes have other names."""
    texts: list[str] = []

    class Renaming(ast.Transformer):
        def visit_SymbolicAtom(self, atom: ast.AST) -> ast.AST:
            node = node_of_term(atom.symbol)
            if node not in nodes:
                return atom
            symbol = atom.symbol.update(name=node.name + OTHER)
            return atom.update(symbol=symbol)

    for node in statements_of(text):
        if node.ast_type == ast.ASTType.Rule:
            texts.append(str(Renaming().visit(node)))
    return "\n".join(texts)
