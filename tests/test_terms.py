"""Syntax trees of rules print as clingo prints them, and searches find their parts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clingo import ast

from rules_asp.game.house_rules import SourceError
from rules_asp.knowledge import reader
from rules_asp.knowledge.rules import rule_text
from rules_asp.knowledge.terms import (
    Const,
    Fun,
    Op,
    Var,
    from_symbol,
    literal_from_ast,
    strings,
    substitute,
    to_symbol,
    variables,
)
from rules_asp.lab.generator import OTHER, rename_rules
from tests.labs import the_lab
from tests.positions import program
from tests.sampling import slow

#: What house rules may have besides, each part of the language once.
ODD = r"""
a(-1,-X,|X|,~X,1..3,(1,),(1,2),(),"x\"y\\z\n",#inf,#sup,f(),-(1+2),X**2,X\2,X?Y,X&Y,X^Y) :- b(X,Y).
a :- not not b, not X < 3, 1 < X < 5, #true, not #false, not c(X).
1 { a(X) : b(X), not c(X); d } 2 :- 3 = #sum+ { X,1 : a(X); 2 }, not #count { X : a(X) } > 3.
a :- 2 { a(X) }, p(X) : q(X), not r; s.
a ; b : c, d :- e.
#count { 1,X : p(X) : q(X); 2 : r } <= 3.
{}.  X = 3 :- p(X).  not a :- b.  :- c.  x :- { }.  x :- #min { } = 3.  x :- #max { 1 : } = 3.
a(X,(1;2;y)) :- b(1,(1;2)), not { a } 1, X = -2..(4-2).
"""


def statements(text: str) -> Iterator[ast.AST]:
    for node in reader.parse_statements(text):
        if node.ast_type == ast.ASTType.Rule:
            yield from node.unpool()


def test_rules_of_all_files_print_as_clingo_prints_them() -> None:
    folder = reader.kb_folder()
    for path in folder.rglob("*.lp"):
        text = path.read_text("utf-8")
        rules, _ = reader.read_rules(text, path.name)
        assert [rule.text for rule in rules] == list(map(str, statements(text))), path
        lines = [node.location.begin.line for node in statements(text)]
        assert [(rule.file, rule.line) for rule in rules] == [(path.name, line) for line in lines]


def test_every_part_of_the_language_prints_as_clingo_prints_it() -> None:
    for node in statements(ODD):
        top, *literals = map(literal_from_ast, (node.head, *node.body))
        assert rule_text(top, literals) == str(node)


@slow
def test_rules_that_are_made_print_as_clingo_prints_them() -> None:
    lab = the_lab()
    named = frozenset(node for rule in lab.rules for node in rule.heads)
    for rule in (*program().rules, *(rename_rules(each, named) for each in lab.rules)):
        (read,) = statements(rule.text)
        assert rule.text == str(read)
        assert rule.text == rule_text(rule.top, rule.literals)
    assert any(OTHER in rename_rules(each, named).text for each in lab.rules)


def test_an_atom_must_be_plain() -> None:
    with pytest.raises(SourceError, match="classical negation is not supported: -a"):
        reader.read_rules("-a.")


def test_a_tree_is_walked() -> None:
    (rule,), _ = reader.read_rules(
        'p(X,"a") :- q(f(X),_,-3), 2 = #sum { W,V : r(V,"b"), W = V + 1 }.'
    )
    assert variables(rule.top, rule.literals) == {"V", "W", "X"}
    assert list(strings(rule.top, rule.literals)) == ["a", "b"]
    (changed,) = substitute((rule.literals[0],), {"X": Fun("g", (Const(1), Var("Y")))})
    assert str(changed) == "q(f(g(1,Y)),_,-3)"
    calculated = Op("+", (Const(1), Const(2)))
    assert from_symbol(to_symbol(Fun("f", (calculated, Const("x"))))) == Fun(
        "f", (Const(3), Const("x"))
    )
