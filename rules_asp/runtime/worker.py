"""A worker process that runs calls within limits and is replaced at need; meeting Ctrl-C."""

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


# --- A process that does pieces of work, one at a time, within limits; it is ended and replaced
#     at need.


_T = TypeVar("_T")

#: How often a process is looked at while it works, in seconds.
_TICK = 0.02
#: For so many seconds no piece of work has come before the process does what it does when idle.
_QUIET = 0.1


class Cancelled(Exception):
    """Whoever wanted a piece of work wants it no more."""


class Worker:
    """Does pieces of work in a process of its own, one at a time; for services that live long.

    A piece of work is a function that can be pickled with what it is given; its result is pickled too,
    and what it raises is raised here. `held` is what each piece is given first: a position, say; where
    processes are forked it need not be pickled, and what one piece has found out of it serves the next.

    The process is begun at the first piece, kept for the next, and ended when a piece is ended at a
    limit, when it was canceled, at Ctrl-C, and by `close`. `most` pieces are done by one
    process, and none by one that has more than `grown` megabytes, or `grown_by` more than at first: then
    a new one is begun, since clingo keeps every symbol that it has met. `parent`: it may itself have
    pieces done by processes.

    `idle` is called with what is held between two pieces of work, again as long as it returns true and no
    piece waits.

    `begin` and `end` are `run` in two halves, for who has several: `wait_any` tells which are done.
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
        """The number of the process, if there is one."""
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
        """What a piece of work brings about; TooWide where the limits end it, LostWork if it ended itself.

        `what` and `narrower` are for the message: what is done, and what could be done instead. `wanted`
        is asked again and again whether it still is; Cancelled when it is not.
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
        """Have a piece of work begun; LostWork where its process has just ended."""
        self._fresh()
        assert self._pipe is not None
        try:
            self._pipe.send((work, given, (limits or self.limits).memory))
        except OSError:
            self.close()
            raise LostWork(f"{what} was lost: its process has ended") from None
        except BaseException:
            self.close()  # a part of it may have been sent
            raise
        self._done += 1

    def end(self, what: str = "this", narrower: str = "") -> Any:
        """What the piece of work that was begun brought about, as soon as it is done; errors as of `run`.

        Only its memory is limited. There is no `process` after LostWork unless the work itself raised it.
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
            raise LostWork(f"{what} was lost: its process has ended") from None
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
        """End the process, if there is one; whoever wants something done begins another."""
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        self._done = 0
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.kill()
            process.join()
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
        """See to it that there is a process, and that it has not grown old."""
        living = self._process is not None and self._process.is_alive()
        if living and self._done < self._most and not self._is_large():
            return
        self.close()
        here, there = _context().Pipe()
        self._process = _begun(there, here, self._held, self._parent, self._idle)
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


#: What a piece of work may take: nothing said, limits, or those of a worker that holds what it is about.
LimitsOrWorker = Limits | Worker | None


def call_within(
    bounds: LimitsOrWorker, what: str, narrower: str, work: Callable[..., _T], *given: object
) -> _T:
    """What work answers within limits, if there are any; TooWide at one.

    What a worker holds is given first.
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
    """What one piece of work brings about, in a process of its own; as `Worker.run`.

    Where processes are forked, the work and what it is given need not be pickled.
    """
    with Worker(work, given, limits=limits) as worker:
        return worker.run(_called, what=what, narrower=narrower)  # type: ignore[return-value]


def wait_any(
    workers: Iterable[Worker], left: Callable[[], float | None] = lambda: None
) -> list[Worker]:
    """Those of the workers, each with a piece of work begun, whose pieces are done or lost: at least one.

    `left` tells the seconds that may be waited, None for no limit; it raises what it likes when there
    are none.
    """
    from multiprocessing.connection import wait

    # What a process started may keep its end of the pipe open when it has ended itself.
    signs: dict[Any, Worker] = {}
    for worker in workers:
        assert worker._pipe is not None
        assert worker._process is not None
        signs |= {worker._pipe: worker, worker._process.sentinel: worker}
    while True:
        if found := wait(signs, left()):
            return list(dict.fromkeys(signs[each] for each in found))


def uses_fork() -> bool:
    """Whether processes are forked here, so that they have all that this one has."""
    return _context().get_start_method() == "fork"


def may_spawn() -> bool:
    """Whether this process may start others: a daemon of Python's may not."""
    from multiprocessing import current_process

    return not current_process().daemon


@cache
def _context() -> BaseContext:
    # Imported when it is wanted: most runs of the program want it never.
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
) -> BaseProcess:
    """A process with its end of a pipe; it ends when this one does."""
    # Python lets no daemon have processes of its own.
    process: BaseProcess = _context().Process(  # type: ignore[attr-defined]
        target=_serve, args=(there, here, held, idle), daemon=not parent
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
    """Wait until something comes; TooWide at a limit, Cancelled when it was canceled."""
    started = time.monotonic()
    # A process begins with the memory of the one that it was forked from, or with what it holds.
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


def _settle(other_end: Connection) -> None:
    """What a new process does first: leave Ctrl-C to the other one, and end when that one does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other_end.close()
    _leave_connections()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _leave_connections() -> None:
    """Let go of the network connections that a fork brought along, which else the server cannot end."""
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
                # Not closed: whatever still holds the number here must find nothing else under it.
                os.dup2(nowhere, number, inheritable=False)
    os.close(nowhere)


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        # Not by an exception: clingo may be at work for hours.
        os._exit(1)


def _serve(
    pipe: Connection,
    other_end: Connection,
    held: tuple[object, ...],
    idle: Callable[..., bool] | None,
) -> None:
    _settle(other_end)
    while True:
        # What fails here fails again, and is reported, in the piece of work that needs it.
        with suppress(Exception):
            quiet = idle is not None and not pipe.poll(_QUIET)
            while quiet and idle is not None and idle(*held):
                quiet = not pipe.poll()
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


def picklable_error(error: Exception) -> Exception:
    """The error, or one that tells the same where it cannot be pickled and read again."""
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        return LostWork(f"{type(error).__name__}: {error}")
    same = type(again) is type(error) and str(again) == str(error)
    return error if same else LostWork(f"{type(error).__name__}: {error}")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether there was not enough memory: so says Python, or clingo in its own words."""
    return isinstance(error, MemoryError) or "bad_alloc" in str(error)


def _send(pipe: Connection, right: bool, found: object) -> None:
    try:
        pipe.send((right, found))
    except (BrokenPipeError, ConnectionError):
        os._exit(1)
    except Exception as error:  # it cannot be pickled
        pipe.send((False, LostWork(f"{type(error).__name__}: {error}")))


# --- Ctrl-C, as it may be met: itself, or wrapped by Python, which does so while a class is made.


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an interrupt is this error, or is behind it.

    clingo can lose one that comes in the midst of its own code: it then raises a RuntimeError without
    a word, where all errors of its own have one.
    """
    if type(error) is RuntimeError and not str(error):
        return True
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
