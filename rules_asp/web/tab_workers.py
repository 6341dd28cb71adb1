"""Processes for the tabs of a page: each tab has one for quick questions and one for long ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rules_asp import RulesAspError
from rules_asp.runtime.limits import Limits
from rules_asp.runtime.worker import Cancelled, Worker
from rules_asp.web.tasks import TabSession

#: Maximum number of processes, and the seconds after which an idle one is ended.
_MOST, _IDLE = 9, 600.0
#: Seconds that a call may continue after its result is no longer wanted.
_GRACE = 1.5
#: A process that has grown by this many megabytes is replaced.
_GROWN = 1400
#: Maximum number of questions of a tab waiting for the same process.
_WAITING = 12


class Busy(RulesAspError):
    """There are more questions than processes."""


class Stopped(RulesAspError):
    """The answer is no longer wanted."""


@dataclass
class _Bench:
    """A process of a tab, which runs one call at a time."""

    worker: Worker
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0
    used: float = field(default_factory=time.monotonic)


class TabWorkers:
    """The processes of all tabs; safe for threads."""

    def __init__(
        self, desk: TabSession, limits: Limits, most: int = _MOST, idle: float = _IDLE
    ) -> None:
        self._desk = desk
        self._limits = limits
        self._most = most
        self._idle = idle
        self._benches: dict[tuple[str, str], _Bench] = {}
        self._lock = threading.Lock()

    def run(
        self,
        tab: str,
        lane: str,
        work: Callable[..., dict[str, Any]],
        *given: object,
        what: str = "this",
        left: Callable[[], float | None] = lambda: None,
        limits: Limits | None = None,
    ) -> dict[str, Any]:
        """Run a call of a tab; `lane` is the process that runs it.

        `left` returns for how many seconds the result has not been wanted. The call is then not
        started, or stopped after a delay, since the process loses its caches with it. TooWide at a
        limit, LostWork, Stopped, Busy.
        """

        def wanted() -> bool:
            return (left() or 0.0) < _GRACE

        bench = self._bench(tab, lane)
        try:
            with bench.lock:
                if left() is not None:
                    raise Stopped(f"{what} was stopped")
                return bench.worker.run(work, *given, what=what, wanted=wanted, limits=limits)
        except Cancelled:
            raise Stopped(f"{what} was stopped") from None
        finally:
            with self._lock:
                bench.waiting -= 1
                bench.used = time.monotonic()

    def _bench(self, tab: str, lane: str) -> _Bench:
        with self._lock:
            self._sweep()
            bench = self._benches.get((tab, lane))
            if bench is None:
                self._make_room()
                bench = _Bench(
                    Worker(
                        self._desk,
                        limits=self._limits,
                        grown=None,
                        grown_by=_GROWN,
                        idle=TabSession.use_idle_time if lane == "ask" else None,
                    )
                )
                self._benches[tab, lane] = bench
            if bench.waiting >= _WAITING:
                raise Busy("this page has too many open questions: wait for the answers")
            bench.waiting += 1
            return bench

    def _make_room(self) -> None:
        """End the process that has been idle longest, if the maximum is reached."""
        if len(self._benches) < self._most:
            return
        idle = [key for key, each in self._benches.items() if not each.waiting]
        if not idle:
            raise Busy("other pages use all processes: wait, or close one of them")
        self._end(min(idle, key=lambda key: self._benches[key].used))

    def _sweep(self) -> None:
        now = time.monotonic()
        for key in [
            key
            for key, each in self._benches.items()
            if not each.waiting and now - each.used > self._idle
        ]:
            self._end(key)

    def _end(self, key: tuple[str, str]) -> None:
        self._benches.pop(key).worker.close()

    def sweep(self) -> None:
        """End the processes that have been idle for long."""
        with self._lock:
            self._sweep()

    def forget(self, tab: str) -> None:
        """End the idle processes of a tab that is closed."""
        with self._lock:
            for key in [key for key in self._benches if key[0] == tab]:
                if not self._benches[key].waiting:
                    self._end(key)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for key in list(self._benches):
                self._end(key)

    @property
    def processes(self) -> int:
        """The number of processes."""
        with self._lock:
            return len(self._benches)
