"""The package: one version, and a wheel that contains the knowledge base and the grammars."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import rules_asp

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_one_version() -> None:
    assert PROJECT["project"]["version"] == rules_asp.__version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Built by setuptools itself, so that the test needs no network; pip would fetch it anew."""
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("kb", "parser", "rules_asp", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    build = "from setuptools.build_meta import build_wheel; print(build_wheel('..'))"
    result = subprocess.run(
        [sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=True
    )
    return zipfile.ZipFile(folder / result.stdout.split()[-1])


def test_the_wheel_holds_everything(wheel: zipfile.ZipFile) -> None:
    held = set(wheel.namelist())
    wanted = {f"rules_asp/kb/{path.relative_to(ROOT / 'kb')}" for path in ROOT.glob("kb/**/*.lp")}
    for pattern in ("parser/*.lark", "parser/*.py", "rules_asp/examples/*", "rules_asp/**/*.py"):
        wanted |= {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)}
    wanted |= {str(path.relative_to(ROOT)) for path in ROOT.glob("rules_asp/**/*.tsv")}
    wanted |= {str(path.relative_to(ROOT)) for path in ROOT.glob("rules_asp/web/page/*.*")}
    for pattern in ("rules_asp/docs/**/*.md", "kb/*.md", "parser/*.md"):
        wanted |= {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)}
    inside = ("kb/", "parser/")
    wanted = {f"rules_asp/{each}" if each.startswith(inside) else each for each in wanted}
    wanted.add("rules_asp/py.typed")
    assert wanted <= held
    assert not [each for each in held if each.startswith(("tests", "kb", "parser"))]


#: Computes what the searches and proofs of the lab share.
_LAB = """
from rules_asp.lab.drawn_lines import drawn
from rules_asp.lab.generator import SearchBounds, load_generator
from rules_asp.lab.theory import Encoding
lab = load_generator()
for grid in SearchBounds().grids:
    print(len(drawn(grid)), len(drawn(grid, vertices=True)))
print(len(Encoding(lab.program).theory.patterns))
"""


def test_the_wheel_includes_results_that_it_computes_from_its_files(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    wheel.extractall(tmp_path)
    cached = tmp_path / "cache"

    def first_start(*arguments: str) -> tuple[str, set[str]]:
        """The answer of a first command, and the kinds of results that it had to make."""
        environment = {**os.environ, "RULES_ASP_CACHE": str(cached), "PYTHONPATH": str(tmp_path)}
        result = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.stderr == ""
        kinds = {each.name.partition("-")[0] for each in cached.iterdir()}
        shutil.rmtree(cached)
        return result.stdout, kinds

    command = ("-m", "rules_asp", "los", "church", "C3/2", "D2/2")
    answer, made = first_start(*command)
    assert answer.startswith("LOS from C3/2 to D2/2")
    assert made == {"board", "follows"}
    of_lab, made = first_start("-c", _LAB)
    assert made == set()
    with open(tmp_path / "rules_asp" / "kb" / "rulings.lp", "a", encoding="utf-8") as rules:
        rules.write("% A comment.\n")
    same, made = first_start(*command)
    assert same == answer
    assert made >= {"rules", "program"}
    assert first_start("-c", _LAB)[0] == of_lab


def test_a_clone_finds_its_own_folders() -> None:
    """Python run in a clone, without any install of the package, as `python -m rules_asp` does."""
    code = "import sys, rules_asp.kb, rules_asp.parser as p; print(p.__file__)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert Path(result.stdout.strip()) == ROOT / "parser" / "__init__.py"


def test_the_package_itself_is_light() -> None:
    heavy = {"clingo", "numpy", "shapely", "lark", "rich", "starlette", "uvicorn"}
    code = "import sys, rules_asp.cli.app; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not heavy & set(result.stdout.split())
