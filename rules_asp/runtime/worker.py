"""A worker process that runs calls within limits and is replaced when needed; handling of Ctrl-C."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from rules_asp.runtime.limits import Limits, LostWork, TooWide, limit_memory, memory_mb

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess


# --- A process that runs one call at a time within limits, and can be stopped and replaced.


_T = TypeVar("_T")

#: The interval in seconds for checking a working process.
_TICK = 0.02
#: Seconds without a call after which the process runs `idle`.
_QUIET = 0.1


class Cancelled(Exception):
    """The result of a call is no longer wanted."""


class Worker:
    """Runs calls in a process of its own, one at a time; for long-lived services.

    A call is a picklable function with its arguments. Its result is pickled, and its exception is
    raised here. `held` is the first argument of each call, for example a position. If processes are
    forked, it need not be pickled, and what one call caches in it is available to the next.

    The process starts with the first call and is kept. It ends if a call is stopped at a limit or
    cancelled, at Ctrl-C, and by `close`. A process is replaced after `most` calls, or if it has
    more than `grown` megabytes, or `grown_by` more than at first, since clingo keeps every symbol
    it has met. `parent`: it may start processes of its own.

    `idle` is called with `held` between two calls, repeatedly until it returns false or a call
    waits.

    `begin` and `end` are the two halves of `run`, for callers with several workers: `wait_any`
    returns finished ones.
    """

    def __init__(
        self,
        *held: object,
        limits: Limits | None = None,
        most: int = 1000,
        grown: int | None = 1024,
        grown_by: int | None = None,
        parent: bool = False,
        idle: Callable[..., bool] | None = None,
    ) -> None:
        self._held = held
        self._idle = idle
        self.limits = limits or Limits()
        self._most = most
        self._grown = grown
        self._grown_by = grown_by
        self._parent = parent
        self._at_first = 0
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._done = 0

    @property
    def process(self) -> int | None:
        """The process id, if there is a process."""
        return self._process.pid if self._process else None

    def run(
        self,
        work: Callable[..., _T],
        *given: object,
        what: str = "this",
        narrower: str = "",
        limits: Limits | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> _T:
        """Return the result of a call; TooWide at a limit, LostWork if the process ended by itself.

        `what` and `narrower` are for the message: the call, and a smaller one. `wanted` is polled;
        Cancelled once it returns false.
        """
        self.begin(work, *given, what=what, limits=limits)
        return self._awaited(limits or self.limits, what, narrower, wanted)  # type: ignore[no-any-return]

    def begin(
        self,
        work: Callable[..., object],
        *given: object,
        what: str = "this",
        limits: Limits | None = None,
    ) -> None:
        """Start a call; LostWork if its process has just ended."""
        self._fresh()
        assert self._pipe is not None
        try:
            self._pipe.send((work, given, (limits or self.limits).memory))
        except OSError:
            self.close()
            raise LostWork(f"{what} was lost, because its process has ended: try again") from None
        except BaseException:
            self.close()  # a part of the call may have been sent
            raise
        self._done += 1

    def end(self, what: str = "this", narrower: str = "") -> Any:
        """Wait for the result of the started call; errors as in `run`.

        Only its memory is limited. There is no `process` after LostWork unless the call itself
        raised it.
        """
        return self._received(self.limits, what, narrower)

    def _awaited(
        self, limits: Limits, what: str, narrower: str, wanted: Callable[[], bool] | None
    ) -> Any:
        assert self._pipe is not None
        assert self._process is not None
        try:
            _wait(self._pipe, self._process, limits, what, narrower, wanted)
        except BaseException:
            self.close()
            raise
        return self._received(limits, what, narrower)

    def _received(self, limits: Limits, what: str, narrower: str) -> Any:
        assert self._pipe is not None
        try:
            right, found = self._pipe.recv()
        except (EOFError, ConnectionError):
            self.close()
            raise LostWork(f"{what} was lost, because its process has ended: try again") from None
        except BaseException:
            self.close()
            raise
        if right:
            return found
        if isinstance(found, MemoryError):
            self.close()
            raise TooWide(what, f"{limits.memory} MB", narrower) from None
        raise found

    def close(self) -> None:
        """End the process, if there is one; the next call starts a new one."""
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        self._done = 0
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.kill()
            process.join()
            # Another thread that starts a process may just have waited for this one. Then Python
            # regards it as running, and releases its resources with the object.
            with suppress(ValueError):
                process.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if self._process is not None:
            self.close()

    def _fresh(self) -> None:
        """Ensure that there is a process and that it has not grown too large."""
        living = self._process is not None and self._process.is_alive()
        if living and self._done < self._most and not self._is_large():
            return
        self.close()
        here, there = _context().Pipe()
        self._process = _begun(there, here, self._held, self._parent, self._idle, self._grown_by)
        self._pipe = here
        self._at_first = memory_mb(self._process.pid or 0) or 0

    def _is_large(self) -> bool:
        if self._grown is None and self._grown_by is None:
            return False
        size = memory_mb(self.process or 0)
        if size is None:
            return False
        most = [] if self._grown is None else [self._grown]
        if self._grown_by is not None:
            most.append(self._at_first + self._grown_by)
        return size > min(most)


#: The limits of a call: none, limits, or those of a worker that holds the subject of the call.
LimitsOrWorker = Limits | Worker | None


def call_within(
    bounds: LimitsOrWorker, what: str, narrower: str, work: Callable[..., _T], *given: object
) -> _T:
    """Run a call within limits, if there are any; TooWide at a limit.

    A value held by a worker is the first argument.
    """
    if bounds is None:
        return work(*given)
    if isinstance(bounds, Worker):
        return bounds.run(work, *given[1:], what=what, narrower=narrower)
    return call_isolated(work, *given, limits=bounds, what=what, narrower=narrower)


def call_isolated(
    work: Callable[..., _T],
    *given: object,
    limits: Limits | None = None,
    what: str = "this",
    narrower: str = "",
) -> _T:
    """Run one call in a process of its own; errors as in `Worker.run`.

    If processes are forked, the call and its arguments need not be pickled.
    """
    with Worker(work, given, limits=limits) as worker:
        return worker.run(_called, what=what, narrower=narrower)  # type: ignore[return-value]


def wait_any(
    workers: Iterable[Worker], left: Callable[[], float | None] = lambda: None
) -> list[Worker]:
    """Return the workers whose started calls are done or lost, at least one.

    `left` returns the remaining seconds, None for no limit; it may raise if there are none.
    """
    from multiprocessing.connection import wait

    # A child of the process may keep its end of the pipe open after the process has ended.
    signs: dict[Any, Worker] = {}
    for worker in workers:
        assert worker._pipe is not None
        assert worker._process is not None
        signs |= {worker._pipe: worker, worker._process.sentinel: worker}
    while True:
        if found := wait(signs, left()):
            return list(dict.fromkeys(signs[each] for each in found))


def uses_fork() -> bool:
    """Test whether processes are forked here, so that they share the memory of this one."""
    return _context().get_start_method() == "fork"


def may_spawn() -> bool:
    """Test whether this process may start others, unlike a daemon of Python."""
    from multiprocessing import current_process

    return not current_process().daemon


@cache
def _context() -> BaseContext:
    # Imported on demand: most runs of the program do not need it.
    import multiprocessing

    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("fork" if "fork" in methods else "spawn")


def _called(work: Callable[..., object], given: tuple[object, ...]) -> object:
    return work(*given)


def _begun(
    there: Connection,
    here: Connection,
    held: tuple[object, ...],
    parent: bool,
    idle: Callable[..., bool] | None,
    grown_by: int | None,
) -> BaseProcess:
    """Start a process and return it with its end of a pipe; it ends together with this one."""
    # Python does not allow daemons to have processes of their own.
    process: BaseProcess = _context().Process(  # type: ignore[attr-defined]
        target=_serve, args=(there, here, held, idle, grown_by), daemon=not parent
    )
    process.start()
    there.close()
    return process


def _wait(
    pipe: Connection,
    process: BaseProcess,
    limits: Limits,
    what: str,
    narrower: str,
    wanted: Callable[[], bool] | None,
) -> None:
    """Wait for a message; TooWide at a limit, Cancelled if the call was cancelled."""
    started = time.monotonic()
    # A process starts with the memory of its parent, or with the value it holds.
    at_first = memory_mb(process.pid or 0) or 0
    tick = _TICK if limits.seconds is None else min(_TICK, limits.seconds)
    while not pipe.poll(tick):
        if limits.seconds is not None and time.monotonic() - started > limits.seconds:
            raise TooWide(what, f"{limits.seconds:g} s", narrower)
        size = memory_mb(process.pid or 0) if limits.memory is not None else None
        if size is not None and limits.memory is not None and size - at_first > limits.memory:
            raise TooWide(what, f"{limits.memory} MB", narrower)
        if wanted is not None and not wanted():
            raise Cancelled(f"{what} was canceled")


#: The values that this process keeps.
_KEPT: list[object] = []
#: At this size in megabytes, the process frees them before it keeps another. 0: it keeps none.
_MOST_KEPT = 0


def keep_until_exit(value: object) -> None:
    """Keep a value until this process ends, if the process is replaced once it has grown.

    Ending a process takes less time than freeing millions of small objects.
    """
    if not _MOST_KEPT:
        return
    if (memory_mb(os.getpid()) or 0) > _MOST_KEPT:
        _KEPT.clear()
    _KEPT.append(value)


def _keep_within(grown_by: int | None) -> None:
    """Keep values in this process until it has grown by twice this many megabytes.

    After growing once by them it is replaced before its next call. So only a call that keeps many
    values frees any.
    """
    global _MOST_KEPT
    size = memory_mb(os.getpid())
    _MOST_KEPT = 0 if grown_by is None or size is None else size + 2 * grown_by


def _settle(other_end: Connection) -> None:
    """Prepare a new process: ignore Ctrl-C, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other_end.close()
    _leave_connections()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _leave_connections() -> None:
    """Release network connections inherited by a fork, so that the server can close them."""
    folder = next(filter(os.path.isdir, ("/proc/self/fd", "/dev/fd")), None)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir(folder) if folder else ()):
        with suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            connection = socket.socket(fileno=number)
            family = connection.family
            connection.detach()
            if family in (socket.AF_INET, socket.AF_INET6):
                # Not closed: other references to the number must find nothing else under it.
                os.dup2(nowhere, number, inheritable=False)
    os.close(nowhere)


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        # Not by an exception: clingo may be busy for hours.
        os._exit(1)


def _serve(
    pipe: Connection,
    other_end: Connection,
    held: tuple[object, ...],
    idle: Callable[..., bool] | None,
    grown_by: int | None,
) -> None:
    _settle(other_end)
    _keep_within(grown_by)
    while True:
        if idle is not None:
            _use_idle_time(pipe, held, idle)
        try:
            work, given, memory = pipe.recv()
            limit_memory(memory)
            found = work(*held, *given)
        except EOFError:
            return
        except Exception as error:
            _send(pipe, False, MemoryError() if is_out_of_memory(error) else picklable_error(error))
        else:
            _send(pipe, True, found)


def _use_idle_time(pipe: Connection, held: tuple[object, ...], idle: Callable[..., bool]) -> None:
    """Call `idle` after a quiet moment, until it has nothing left to do or a call arrives."""
    # A failure here occurs again, and is reported, in the call that needs the result.
    with suppress(Exception):
        if not pipe.poll(_QUIET):
            while idle(*held) and not pipe.poll():
                pass


def picklable_error(error: Exception) -> Exception:
    """Return the error, or an equivalent one if it cannot be pickled."""
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        return LostWork(f"{type(error).__name__}: {error}")
    same = type(again) is type(error) and str(again) == str(error)
    return error if same else LostWork(f"{type(error).__name__}: {error}")


def is_out_of_memory(error: BaseException) -> bool:
    """Test whether an error means out of memory, by Python or in clingo's own words."""
    return isinstance(error, MemoryError) or "bad_alloc" in str(error)


def _send(pipe: Connection, right: bool, found: object) -> None:
    try:
        pipe.send((right, found))
    except (BrokenPipeError, ConnectionError):
        os._exit(1)
    except Exception as error:  # it cannot be pickled
        pipe.send((False, LostWork(f"{type(error).__name__}: {error}")))


# --- Ctrl-C: as itself, or wrapped by Python, which happens while a class is created.


def is_interrupt(error: BaseException | None) -> bool:
    """Test whether an error is, or was caused by, an interrupt.

    clingo can lose an interrupt in its own code: it then raises a RuntimeError without text, unlike
    all its other errors.
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or (type(error) is RuntimeError and not str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False
