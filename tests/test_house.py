"""The layout of packages and modules; `lint-imports` checks the imports."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import rules_asp
from rules_asp.knowledge.calculus import calculus

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.glob("rules_asp/**/*.py"), *ROOT.glob("parser/*.py")])
PACKAGES = sorted({path.parent for path in MODULES})
LONGEST, SHORTEST = 800, 80
#: Modules that are shorter, each with its reason.
SHORT = {
    "rules_asp/game/display.py": "every package may import it, and it imports none",
    "rules_asp/output/markdown.py": "imported only by `help`, with a parser of Markdown",
    "rules_asp/output/notebook.py": "imported only by a notebook",
    "rules_asp/queries/reach.py": "each kind of question has a module of its own",
    "rules_asp/vasl/known_boards.py": "imported without what reads archives",
    "rules_asp/cli/app.py": "the list of all commands",
    "rules_asp/runtime/wheel.py": "only setuptools imports it",
}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _classes() -> Iterator[tuple[str, Path]]:
    for path in MODULES:
        body = ast.parse(path.read_text("utf-8")).body
        yield from ((each.name, path) for each in body if isinstance(each, ast.ClassDef))


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_package_says_what_it_is_for(package: Path) -> None:
    assert ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))


def test_no_public_class_name_stands_in_two_modules() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in _classes():
        if not name.startswith("_"):
            found[name].append(_name(path))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_is_neither_too_long_nor_too_short(path: Path) -> None:
    length = len(path.read_text("utf-8").splitlines())
    assert length <= LONGEST
    short = length < SHORTEST and path.name != "__init__.py"
    assert short == (_name(path) in SHORT)


def _glossary() -> dict[str, str]:
    """The names in code of the glossary in the package's docstring."""
    text = (rules_asp.__doc__ or "").partition("Glossary")[2]
    return dict(re.findall(r"^(\S[\w /]*?)  +.*?\[`([^`]+)`\]", text, re.M))


def test_every_term_of_the_glossary_stands_in_the_code() -> None:
    terms = _glossary()
    assert len(terms) >= 25
    for term, name in terms.items():
        if name in calculus().heads:
            continue
        module, _, member = name.rpartition(".")
        thing: object = import_module(f"rules_asp.{module}")
        assert hasattr(thing, member), term


def test_what_the_architecture_names_exists() -> None:
    text = (ROOT / "rules_asp/docs/explanation/architecture.md").read_text("utf-8")
    packages = {path.name for path in PACKAGES}
    named = set(re.findall(r"`((?:\w+/)+\w+(?:\.(?:lp|lark|md))?)(?:\.py)?(?:\.(\w+))?`", text))
    assert len(named) >= 15
    for path, member in named:
        places = [ROOT / "rules_asp" / f"{path}.py", ROOT / f"{path}.py", ROOT / path]
        found = next((each for each in places if each.exists()), None)
        assert found, path
        if member:
            assert re.search(rf"\b(?:def|class) {member}\b", found.read_text("utf-8")), (
                path,
                member,
            )
    layers = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text.partition("## Packages")[2], re.M)
    assert {each for row in layers for each in re.findall(r"`(\w+)`", row)} == packages - {
        *("rules_asp", "lint")
    } | {"api"}
