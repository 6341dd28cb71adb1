"""The program survives external faults: it loses no complete file, and its exit code shows the fault."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rules_asp import api
from rules_asp.knowledge.solver import EngineError
from rules_asp.runtime import cache
from rules_asp.runtime.limits import Limits, LostWork, memory_mb
from rules_asp.runtime.worker import Worker, is_interrupt
from tests import archives
from tests.sampling import part, slow, whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and closed streams")
ROOT = Path(__file__).parent.parent
#: A question about all triples of hexes, which is too wide.
WIDE = "height(A) = V, height(B) = W, height(C) = X, V < W, W < X"
LOS = ("los", "church", "C3/2", "D2/2")


def run(
    *arguments: str, code: str = "", before: Callable[[], None] | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the program as a process, after some code."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}\n"
    start += "from rules_asp.cli.app import main\nmain(prog_name='rules-asp')"
    return subprocess.run(
        [sys.executable, "-c", start, *arguments],
        env={**os.environ, **env},
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=120,
    )


# --- streams


@slow
@pytest.mark.parametrize("closed", part([(2,), (1,), (0, 1, 2)], 1))
def test_output_to_a_closed_stream_reaches_no_file(closed: tuple[int, ...], tmp_path: Path) -> None:
    target = tmp_path / "church.svg"
    arguments = ["draw", "church", "-o", str(target)]
    result = run(*arguments, before=lambda: [os.close(each) for each in closed] and None)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    # Nothing that is told has gone into a file that was opened in its place.
    whole = tmp_path / "whole.svg"
    assert run("draw", "church", "-o", str(whole)).returncode == 0
    assert target.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"church.svg", "whole.svg"}


def test_an_error_has_its_exit_code_without_standard_error() -> None:
    assert run("los", "church", "C3", "Z99", before=lambda: os.close(2)).returncode == 2


def test_a_board_from_closed_standard_input_is_an_error() -> None:
    result = run("los", "-", "A1", "B1", before=lambda: os.close(0))
    assert (result.returncode, result.stderr) == (
        2,
        "rules-asp: standard input is empty: it must be a board\n",
    )


@slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("stream", [1, 2])
def test_a_full_disk_behind_a_stream_is_an_error(stream: int) -> None:
    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), stream)

    result = run(*(LOS if stream == 1 else ("los", "church", "C3", "Z99")), before=full)
    assert result.returncode == 2
    told = "rules-asp: No space left on device\n" if stream == 1 else ""
    assert (result.stdout, result.stderr) == ("", told)


# --- disk


@slow
def test_a_full_disk_disables_only_the_cache(tmp_path: Path) -> None:
    def small() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    kept = tmp_path / "kept"
    board = tmp_path / "t.board"
    board.write_text('board "t" grid 4x4\nbuilding gray: B2\n')
    arguments = ("los", str(board), "A1", "C3")
    first = run(*arguments, before=small, RULES_ASP_CACHE=str(kept))
    assert (first.returncode, first.stderr) == (0, "")
    assert all(path.stat().st_size < 2000 for path in kept.iterdir())
    archive = archives.write(tmp_path / "archive", archives.generate(1)[0])
    target = tmp_path / "x.board"
    for wanted in (("import", str(archive)), ("draw", "church")):
        target = tmp_path / ("x.board" if wanted[0] == "import" else "x.svg")
        result = run(*wanted, "-o", str(target), before=small)
        assert (result.returncode, "fault of" in result.stderr) == (2, False), result.stderr
        assert not target.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "t.board", "archive"}


@pytest.mark.parametrize("home", part(["/dev/null", "/nowhere", ""], 1))
def test_a_home_without_write_access_disables_only_the_cache(home: str) -> None:
    with_home = {"HOME": home, "XDG_CACHE_HOME": "", "RULES_ASP_CACHE": ""}
    if home:
        code = "import rules_asp.knowledge.loading"  # the shipped rules are read without a cache
        result = run("words", "side", code=code, **with_home)
        assert (result.returncode, result.stderr) == (0, "")
    else:
        assert run("--version", **with_home).returncode == 0


_KILLED = """
import os, signal
replace = os.replace
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""


@slow
def test_a_process_killed_while_it_writes_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "x.svg"
    target.write_text("old")
    arguments = ("draw", "church", "--force", "-o", str(target))
    assert run(*arguments, code=_KILLED).returncode == -signal.SIGKILL
    assert target.read_text() == "old"
    assert run(*arguments).returncode == 0
    assert target.read_text().startswith("<svg")


def test_a_process_killed_while_it_caches_leaves_a_valid_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULES_ASP_CACHE", str(tmp_path / "kept"))
    child = multiprocessing.get_context("fork").Process(target=_keep_and_die)
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert cache.memoize_on_disk("thing", [b"source"], lambda: {"a": 2}, dict) == {"a": 2}
    assert cache.memoize_on_disk("thing", [b"source"], lambda: {"a": 3}, dict) == {"a": 2}


def _keep_and_die() -> None:
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment,return-value]
    cache.memoize_on_disk("thing", [b"source"], lambda: {"a": 1}, dict)


def test_many_processes_share_one_empty_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULES_ASP_CACHE", str(tmp_path / "kept"))
    context = multiprocessing.get_context("fork")
    found = context.SimpleQueue()
    begun = context.Barrier(20)

    def keep() -> None:
        begun.wait(60)
        for name in range(10):
            made = cache.memoize_on_disk("thing", [bytes([name])], lambda: {"a": "x" * 9999}, dict)
            assert made == {"a": "x" * 9999}
        found.put(True)

    children = [context.Process(target=keep) for _ in range(20)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 20
    # What is half written has another name, and there is none of it.
    assert len(list((tmp_path / "kept").iterdir())) == 10


# --- signals


def test_an_interrupted_command_reports_its_findings(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text(f"los C3 D2\nask {WIDE}\nlos C3 F1\n")
    board = 'board "t" grid 33x10\n'
    (tmp_path / "t.board").write_text(board)
    begun = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "rules_asp",
            "batch",
            str(tmp_path / "t.board"),
            str(tmp_path / "lines"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert begun.stdout is not None
    first = begun.stdout.readline()
    assert json.loads(first)["line"] == 1
    begun.send_signal(signal.SIGINT)
    out, err = begun.communicate(timeout=60)
    assert (out, err, begun.returncode) == ("", "", 130)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("Half(); Struck(); time.sleep(20)", id="destructor"),
        # Python remembers such an interrupt, handled or not, and ends by the signal.
        pytest.param("exec('raise KeyboardInterrupt')", id="exec"),
        # A second interrupt arrives just before the first is the last that counts.
        pytest.param("signal.signal = late; raise KeyboardInterrupt", id="second"),
    ],
)
def test_an_interrupt_is_the_exit_code(body: str, tmp_path: Path) -> None:
    # `python -c` ends in another way than `python -m` and the installed command.
    (tmp_path / "interrupted.py").write_text(_INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "-m", "interrupted", body],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 130)


_INTERRUPTED = """
import signal
import sys
import time
import click
from rules_asp.cli import app
from rules_asp.__main__ import run
from rules_asp.cli.common import CommandGroup
class Half:
    def __del__(self):
        self.never_set
class Struck:
    def __del__(self):
        raise KeyboardInterrupt
set_handler = signal.signal
def late(number, handler):
    signal.raise_signal(number)
    return set_handler(number, handler)
@click.group(cls=CommandGroup, invoke_without_command=True)
def main():
    exec(compile(body, "body", "exec"))
    print("went on")
app.main = main
body = sys.argv.pop()
run()
"""


@slow
def test_an_interrupted_search_of_the_lab_reports_its_findings() -> None:
    begun = subprocess.Popen(
        [sys.executable, "-c", _SEARCHING, "lab", "gaps", "--grid", "3x2", "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert begun.stdout is not None
    assert begun.stdout.readline() == "searching\n"
    begun.send_signal(signal.SIGINT)
    out, err = begun.communicate(timeout=100)
    assert ("interrupted" in out, err, begun.returncode) == (True, "", 130)


_SEARCHING = """
from rules_asp.lab import search
outcomes = search.Search.outcomes
def told(*given, **named):
    print("searching", flush=True)
    yield from outcomes(*given, **named)
search.Search.outcomes = told
from rules_asp.cli.app import main
main(prog_name="rules-asp")
"""


@slow
def test_an_interrupted_matrix_can_be_resumed(tmp_path: Path) -> None:
    target = tmp_path / "sights.csv"
    board = tmp_path / "t.board"
    # Many pieces, so that the first to be written is far from the last.
    board.write_text('board "t" grid 33x14\nwoods: C3\n')
    arguments = [sys.executable, "-m", "rules_asp", "matrix", str(board), "--jobs", "1", "-o"]
    begun = subprocess.Popen([*arguments, str(target)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while begun.poll() is None and not (target.exists() and target.stat().st_size > 5000):
        time.sleep(0.01)
    begun.send_signal(signal.SIGINT)
    _, err = begun.communicate(timeout=60)
    assert (err, begun.returncode) == ("", 130)
    subprocess.run([*arguments, str(target), "--resume"], cwd=ROOT, check=True)
    whole = tmp_path / "whole.csv"
    subprocess.run([*arguments, str(whole)], cwd=ROOT, check=True)
    assert target.read_bytes() == whole.read_bytes()


def test_a_killed_worker_is_reported_and_replaced() -> None:
    church = api.load("church")
    with Worker(church) as worker:
        assert api.ask(church, "height(C3) = V", limits=worker).holds
        with pytest.raises(LostWork, match="its process has ended"):
            worker.run(_killed)
        assert worker.run(_nothing) is None


def _nothing(_: object) -> None:
    pass


def _killed(_: object) -> None:
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)


# --- many questions


@slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_many_questions_on_one_board_need_bounded_memory() -> None:
    with Worker(api.load("church"), limits=Limits(None), most=10**6, grown=None) as worker:
        first, second, third = (worker.run(_asked, number) for number in range(3))
    assert second - first < 15
    assert third - second < 10


def _asked(here: api.Position, number: int) -> int:
    """Ask many questions, and return the memory after them; three calls of a whole run ask 10,000."""
    dice = random.Random(number)
    places = sorted(here.index.elevations, key=str)
    for _ in range(1_700 if whole() else 25):
        api.los(here, *dice.sample(places, 2))
        api.ask(here, f"height({dice.choice(sorted(here.index.bases))}) = V")
    gc.collect()
    return memory_mb(os.getpid()) or 0


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (KeyboardInterrupt(), True),
        (RuntimeError(), True),
        (RuntimeError("syntax error"), False),
        (ValueError(), False),
    ],
)
def test_an_interrupt_that_clingo_loses_is_recognised(error: BaseException, lost: bool) -> None:
    assert is_interrupt(error) is lost
    wrapped = RuntimeError("while a class is made")
    wrapped.__cause__ = error
    assert is_interrupt(wrapped) is lost
    # Raised `from None`, an error still has its context.
    replaced = EngineError("")
    replaced.__context__, replaced.__suppress_context__ = error, True
    assert is_interrupt(replaced) is lost
