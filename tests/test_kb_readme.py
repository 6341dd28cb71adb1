"""The worked example of kb/README.md, and the names in its tables."""

from __future__ import annotations

import re
from functools import cache

from rules_asp.knowledge import reader
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import keys
from rules_asp.knowledge.lint.run import lint
from rules_asp.knowledge.program import build
from rules_asp.knowledge.rules import KnowledgeBase
from rules_asp.knowledge.solver import solve
from tests.sampling import slow

README = (reader.kb_folder() / "README.md").read_text("utf-8")


def block(language: str) -> str:
    """The only fenced block of a language."""
    (only,) = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return str(only)


@cache
def shipped() -> KnowledgeBase:
    return reader.read_kb()


def with_norm(text: str) -> KnowledgeBase:
    rules, norms = reader.read_rules(text, "xx1/house.lp")
    return KnowledgeBase(shipped().rules + tuple(rules), shipped().norms + tuple(norms))


def atoms(text: str) -> set[str]:
    """The only answer set of the shipped knowledge base with `text`, on the example's board."""
    program = build(with_norm(text))
    (answer,) = solve(program.static(keys(block("facts"))), block("facts"))
    return {str(symbol) for symbol in answer.symbols}


@slow
def test_the_added_norm_gives_what_is_said() -> None:
    stated = set(block("result").split())
    assert stated <= atoms(block("lp"))
    assert not stated <= atoms("")


def test_without_precedence_it_clashes_as_is_said() -> None:
    without = "\n".join(line for line in block("lp").split("\n") if "overrides" not in line)
    found = atoms(without)
    assert set(block("clash").split()) <= found
    assert not any(atom.startswith("is(height((1,1))") for atom in found)


@slow
def test_the_added_norm_adds_no_fault() -> None:
    assert {
        fault for fault in lint(with_norm(block("lp"))) if fault.file == "xx1/house.lp"
    } == set()


@slow
def test_the_rule_on_an_action_adds_no_fault() -> None:
    faults = lint(with_norm(block("deed_rule")))
    assert [fault for fault in faults if fault.file == "xx1/house.lp"] == []


def test_the_table_names_every_head_with_its_arguments() -> None:
    named = {
        (name, inner.count(",") + 1) for name, inner in re.findall(r"`(\w+)\(([^`]*)\)`", README)
    }
    assert {each.signature for each in calculus().heads.values()} <= named


def test_the_first_example_is_in_the_knowledge_base() -> None:
    example = re.search(r"```\n(%@.*?)```", README, re.DOTALL)
    assert example is not None
    rules, norms = reader.read_rules(example[1])
    assert {norm.sense for norm in norms} <= {norm.sense for norm in shipped().norms}
    assert {rule.text for rule in rules} <= {rule.text for rule in shipped().rules}


def test_every_file_and_folder_is_named() -> None:
    for path in reader.kb_folder().iterdir():
        if path.suffix in (".lp", ".md", ".txt") and path.name != "README.md":
            assert f"`{path.name}`" in README
        elif path.is_dir() and path.name != "__pycache__":
            assert f"`{path.name}/`" in README


def test_every_declaration_is_of_a_kind_that_is_explained() -> None:
    for kind in ("input", "measured", "setting"):
        assert re.search(rf"`{kind}\b", README) or f"*{kind}*" in README
