"""Limits: work stops in time, the message names the part that was too large, and no process remains."""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import clingo
import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.queries.too_wide import free_variables
from rules_asp.runtime import worker
from rules_asp.runtime.limits import Limits, LostWork, TooWide, memory_mb
from rules_asp.runtime.worker import Cancelled, Worker, call_isolated, keep_until_exit
from tests.sampling import part, slow

_PROC = Path("/proc/self/statm").exists()
#: A question about all triples of hexes: too wide for any board of 100 hexes.
_WIDE = "height(A) = V, height(B) = W, height(C) = X, V < W, W < X"


def _children() -> set[int]:
    """Return the child processes that still exist, including zombies."""
    if not _PROC:
        return set()
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(path.parent.name))
    return found


@pytest.fixture(autouse=True)
def _nothing_left() -> Any:
    before = _children()
    yield
    if not _children() <= before:
        gc.collect()  # A worker may be in a cycle of references.
    assert _children() <= before


def _hog() -> None:
    held = []
    while True:
        held.append(bytearray(1 << 22))


def _ground(numbers: int) -> int:
    """Ground the cube of so many atoms, during which no Python code runs."""
    control = clingo.Control(message_limit=0)
    control.add("base", [], f"p(1..{numbers}). q(X,Y,Z) :- p(X), p(Y), p(Z).")
    control.ground([("base", [])])
    return len(control.symbolic_atoms)


def _fail(error: Exception) -> None:
    raise error


# --- limits


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_invalid_limits_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="limit"):
        Limits(seconds=value)
    with pytest.raises(ValueError, match="limit"):
        Limits(memory=value)  # type: ignore[arg-type]


def test_options_override_limits_of_the_environment(monkeypatch: Any) -> None:
    assert Limits.parse() == Limits() == Limits(60, 2048)
    monkeypatch.setenv("RULES_ASP_TIME", "7")
    monkeypatch.setenv("RULES_ASP_MEMORY", "off")
    assert Limits.parse() == Limits(7, None)
    assert Limits.parse("off", "100") == Limits(None, 100)
    assert Limits.parse("0.5") == Limits(0.5, None)
    for bad in ("", "0", "-1", "nan", "inf", "many"):
        with pytest.raises(ValueError, match="a number above 0 or `off`"):
            Limits.parse(bad)
    monkeypatch.setenv("RULES_ASP_TIME", "soon")
    with pytest.raises(
        ValueError, match="RULES_ASP_TIME must be a number above 0 or `off`, not 'soon'"
    ):
        Limits.parse()


# --- pieces of work


def test_work_within_its_limits_finishes() -> None:
    assert call_isolated(_ground, 10) == 10 + 1000
    held = [1, 2]
    assert call_isolated(lambda: [*held, 3]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("work", "given", "limits", "told"),
    [
        (time.sleep, (60,), Limits(0.2), "this was stopped after 0.2 s; ask less"),
        (_ground, (100_000,), Limits(0.5), "this was stopped after 0.5 s; ask less"),
        pytest.param(
            *(_hog, (), Limits(60, 300), "this was stopped after 300 MB; ask less"),
            marks=pytest.mark.skipif(not _PROC, reason="no /proc"),
        ),
        pytest.param(
            *(_ground, (100_000,), Limits(60, 200), "this was stopped after 200 MB; ask less"),
            marks=pytest.mark.skipif(not _PROC, reason="no /proc"),
        ),
    ],
)
def test_work_stops_at_a_limit(
    work: Callable[..., object], given: tuple[object, ...], limits: Limits, told: str
) -> None:
    with pytest.raises(TooWide) as raised:
        call_isolated(work, *given, limits=limits, narrower="ask less")
    assert str(raised.value) == told


def test_exceptions_of_a_worker_are_raised_here() -> None:
    for error in (
        ValueError("a", 1),
        api.QuestionError("nowhere"),
        TooWide("it", "3 s", "ask less"),
        _board_error(),
    ):
        with pytest.raises(type(error)) as raised:
            call_isolated(_fail, error)
        assert str(raised.value) == str(error)
        assert raised.value.__dict__ == error.__dict__
    with pytest.raises(TooWide, match="2048 MB"):
        call_isolated(_fail, RuntimeError("std::bad_alloc"))


class _Odd(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} {other}")


def test_a_result_that_cannot_be_sent_is_reported() -> None:
    with pytest.raises(LostWork, match="_Odd: 1 2"):
        call_isolated(_fail, _Odd(1, 2))
    with pytest.raises(LostWork, match="pickle"):
        call_isolated(lambda: lambda: 1)
    with pytest.raises(LostWork, match="this was lost, because its process has ended: try again"):
        call_isolated(os._exit, 0)


def _board_error() -> api.BoardError:
    with pytest.raises(api.BoardError) as raised:
        api.parse("woods: Q\nwuds: A1\n")
    return raised.value


# --- workers


def test_a_worker_reuses_its_process() -> None:
    # The process of the tests may be large itself.
    with Worker(grown=None) as worker:
        assert worker.process is None
        first = worker.run(os.getpid)
        assert first == worker.run(os.getpid) == worker.process != os.getpid()
        with pytest.raises(TooWide):
            worker.run(time.sleep, 60, limits=Limits(0.2))
        second = worker.run(os.getpid)
        assert second != first
        with pytest.raises(LostWork):
            worker.run(os._exit, 3)
        third = worker.run(os.getpid)
        assert third not in (first, second)
        # Killed from without, while nothing is asked of it.
        os.kill(third, signal.SIGKILL)
        while worker._process is not None and worker._process.is_alive():
            time.sleep(0.02)
        assert worker.run(os.getpid) != third
        with pytest.raises((AttributeError, pickle.PicklingError)):
            worker.run(lambda: 1)
        assert worker.run(abs, -1) == 1
    assert worker.process is None


def _count_down(held: list[int]) -> bool:
    held[0] -= 1
    return held[0] > 0


def _value_of(held: list[int]) -> int:
    return held[0]


@slow
def test_a_worker_uses_its_idle_time() -> None:
    """Between two pieces of work, the process calls `idle` until it returns false, and not again."""
    with Worker([3], idle=_count_down) as worker:
        at_once = worker.run(_value_of)
        again = worker.run(_value_of)
        time.sleep(1.5)
        assert (at_once, again, worker.run(_value_of)) == (3, 3, 0)


def _fails(held: list[int]) -> bool:
    held[0] += 1
    raise ValueError("idle")


@slow
def test_a_failure_in_idle_time_does_not_affect_later_work() -> None:
    with Worker([0], idle=_fails) as worker:
        time.sleep(0.5)
        worker.run(_value_of)
        time.sleep(1.0)
        assert worker.run(_value_of) >= 1


def test_a_worker_keeps_its_common_argument() -> None:
    with Worker([3, 1, 2]) as worker:
        assert worker.run(sorted) == [1, 2, 3]
        worker.run(list.append, 0)
        assert worker.run(sorted) == [0, 1, 2, 3]


def test_an_old_or_large_worker_is_replaced() -> None:
    with Worker(most=2) as worker:
        assert len({worker.run(os.getpid) for _ in range(5)}) == 3
    if _PROC:
        with Worker([], grown=(memory_mb(os.getpid()) or 0) + 100) as worker:
            first = worker.run(_and_here)
            assert worker.run(_and_here) == first
            worker.run(_grow)
            assert worker.run(_and_here) != first


def test_what_is_kept_is_freed_only_when_a_worker_has_grown() -> None:
    with Worker() as worker:
        assert not worker.run(_kept, 1)
    if _PROC:
        with Worker(grown=None, grown_by=200) as worker:
            assert worker.run(_kept, 1)
            # The worker is replaced before the next call.
            assert worker.run(_kept, 300)
            # Freed at the next one within a call, so that one call cannot fill the memory.
            assert not worker.run(_kept, 500)


def _kept(megabytes: int) -> bool:
    """Keep a value, then a large one. Test whether the first still exists."""
    value = _Value()
    there = weakref.ref(value)
    keep_until_exit(value)
    del value
    keep_until_exit(bytearray(os.urandom(1) * (megabytes << 20)))
    keep_until_exit(_Value())
    return there() is not None


class _Value:
    pass


def _and_here(_: object) -> int:
    return os.getpid()


def _grow(held: list[bytearray]) -> None:
    held.append(bytearray(os.urandom(1) * (300 << 20)))


def test_a_process_may_be_reaped_by_another_thread() -> None:
    """Another thread that starts a process waits for those that have ended, as of Python."""
    with Worker() as worker:
        worker.run(os.getpid)
        process = worker._process
        assert process is not None
        process.kill()
        os.waitpid(process.pid or 0, 0)
    assert worker.process is None


@slow
def test_threads_start_and_end_processes_at_the_same_time() -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda at: call_isolated(abs, -at), range(1200)))
    assert found == list(range(1200))


def test_cancelled_work_stops() -> None:
    asked = iter([True, True, False])
    with Worker() as worker, pytest.raises(Cancelled, match="canceled"):
        worker.run(time.sleep, 60, wanted=lambda: next(asked))


@slow
@pytest.mark.skipif(not _PROC, reason="no /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_its_parent(how: int, tmp_path: Path) -> None:
    code = """
import os, signal, sys
sys.path[:0] = [%r]
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.test_bounds import _ground
from rules_asp.runtime.worker import Worker
worker = Worker()
print(worker.run(os.getpid), flush=True)
worker.run(_ground, 100_000)
"""
    root = str(Path(__file__).parent.parent)
    process = subprocess.Popen(
        [sys.executable, "-c", code % root],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        text=True,
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    time.sleep(0.3)
    process.send_signal(how)
    process.wait(20)
    process.stdout.close()
    end = time.monotonic() + 20
    while _is_running(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _is_running(child)


def _is_running(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


# --- questions


def test_only_variables_over_many_things_count_as_free() -> None:
    open_ = {
        "height(C3) = V": (),
        "height(H) = V": ("H",),
        "height(C3) = V, V > 1": (),
        "sees(C3/2 - X)": ("X",),
        "sees(S)": ("S",),
        "building(H, _)": ("H", "_"),
        "unknown(height(H), W)": ("H", "W"),
        "not factory(H), hex(H), factory(G), V < 2, height(D2) = V": ("H", "G"),
    }
    for text, names in open_.items():
        assert free_variables(api.parse_query(text)) == names, text
    assert free_variables(api.parse_deed("A move to V3/2")) == ()


def test_limits_do_not_change_answers() -> None:
    here = api.load("assault")
    asked: list[Callable[[Any], object]] = [
        lambda limits: api.ask(here, "height(H) = V", limits),
        lambda limits: api.why(here, "building(H, E4)", limits),
        lambda limits: api.moves(here, "G", limits=limits),
        lambda limits: api.can(here, "G move to E3 by entering", limits),
        lambda limits: api.ask(here, "height(E4) = V", limits),
    ]
    with Worker(here) as worker:
        for ask in part(asked, 2):
            assert ask(None) == ask(Limits()) == ask(worker)


def test_symbols_of_another_process_are_read_again() -> None:
    text = 'new_here(l((3,-4),stairs(1)),"a\\n\\"b",#inf,#sup,-f(x),(1,))'
    assert call_isolated(_symbol, text) == clingo.parse_term(text)
    assert pickle.loads(pickle.dumps(clingo.parse_term(text))) == clingo.parse_term(text)


def _symbol(text: str) -> clingo.Symbol:
    return clingo.parse_term(text)


def test_a_narrow_question_needs_no_process(monkeypatch: Any) -> None:
    here = api.load("church")
    monkeypatch.setattr(worker, "call_isolated", None)
    with pytest.raises(TypeError):
        api.ask(here, "height(H) = V", Limits())
    assert api.ask(here, "height(C3) = V", Limits()).holds is not False
    assert api.can(here, "fire from C3 at D2", Limits())


def _told(*command: str, code: int = 2) -> str:
    found = CliRunner().invoke(main, list(command))
    assert found.exit_code == code, found.output
    return found.output


def test_a_question_that_is_too_wide_stops_with_a_proposal(
    monkeypatch: Any, tmp_path: Path
) -> None:
    path = tmp_path / "wide.board"
    path.write_text(
        # Three heights, each so often that nobody finds all threes of them in a moment.
        'board "wide" grid 33x10\n'
        + "".join(
            f"building gray: {c}3\nbuilding brown: {c}5 {c}6 joined {c}5-{c}6\n"
            f"building gray: {c}8 stairwell {c}8\n"
            for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        )
    )
    told = _told("ask", str(path), _WIDE, "--time", "0.01")
    assert told == (
        f"rules-asp: ask {_WIDE} was stopped after 0.01 s; A, B, C are left open: name all but one, such "
        "as a hex or a unit, or ask on a smaller board\n"
    )
    told = _told("moves", "assault", "G", "--time", "0.01")
    assert "moves of G was stopped after 0.01 s; `can` of one step asks less" in told
    # Of a move to a place nothing is left open, but by which way.
    told = _told("can", "assault", "G moves to E4", "--time", "0.01")
    assert "was stopped after 0.01 s; a step with where it starts" in told
    assert "a limit must be a number above 0" in _told("moves", "assault", "G", "--time", "nan")
    monkeypatch.setenv("RULES_ASP_TIME", "0.01")
    assert "stopped after 0.01 s" in _told("reach", "assault", "G")
    assert "Yes" in _told("ask", "church", "height(C3) = 2 1/2", code=0)
    assert "C3" in _told("ask", "church", "height(H) = V", "--time", "off", code=0)


def test_a_batch_continues_after_a_line_that_is_too_wide() -> None:
    lines = "ask height(E4) = V\nmoves G\nask height(D3) = V\n"
    found = CliRunner().invoke(main, ["batch", "assault", "--time", "0.01"], input=lines)
    assert found.exit_code == 2
    one, two, three = map(json.loads, found.output.splitlines())
    assert "stopped after 0.01 s" in two["error"]["message"]
    assert "error" not in one
    assert "error" not in three


# --- growth


@slow
@pytest.mark.skipif(not _PROC, reason="no /proc")
def test_repeated_questions_need_no_further_memory() -> None:
    with Worker(api.load("church"), most=10**6, grown=None) as worker:
        before = worker.run(_asked, 2)
        first = worker.run(_asked, 6)
        second = worker.run(_asked, 6)
    assert first - before < 8
    assert second - first < 3


def _asked(here: api.Position, times: int) -> int:
    """Repeat the same questions, and return the memory after them."""
    for _ in range(times):
        api.los(here, "C3/2", "D2/2")
        api.ask(here, "height(C3) = V")
    gc.collect()
    return memory_mb(os.getpid()) or 0
