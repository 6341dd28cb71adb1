"""The house: what every room has, and what no room may have. `lint-imports` tells of the rest."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.glob("rules_asp/**/*.py"), *ROOT.glob("parser/*.py")])
ROOMS = sorted({path.parent for path in MODULES})
LONGEST = 400


def _functions(room: Path) -> Iterator[str]:
    for path in room.glob("*.py"):
        body = ast.parse(path.read_text("utf-8")).body
        yield from (each.name for each in body if isinstance(each, ast.FunctionDef))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("room", ROOMS, ids=_name)
def test_a_room_says_what_it_is_for(room: Path) -> None:
    about = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert about
    if room.name != "rules_asp":
        assert "may use" in about.replace("\n", " ")


@pytest.mark.parametrize("room", ROOMS, ids=_name)
def test_no_module_has_the_name_of_a_function_beside_it(room: Path) -> None:
    modules = {path.stem for path in room.glob("*.py")} | {each.name for each in room.iterdir()}
    assert not modules & set(_functions(room))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_can_be_read_at_a_sitting(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST
