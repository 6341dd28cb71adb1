"""Work shared out among processes, with its results in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

Work = Callable[[int, int], Iterator[tuple[int, str]]]


class LostWorker(Exception):
    """A process has ended before its work was done."""


def jobs_here(wanted: int | None) -> int:
    """So many processes, or one for each core; 1 where processes cannot be forked."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return 1
    if wanted is not None:
        return wanted
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def shared(work: Work, jobs: int) -> Iterator[Iterator[tuple[int, str]]]:
    """The results of `work(n, jobs)` for each n of the jobs, in turn: it makes each jobs-th, from the n-th.

    They are a number and a text each. A process waits until what it made is taken, so that memory
    stays flat; all have ended when this is left. LostWorker when one has ended before its time.
    """
    if jobs == 1:
        yield work(0, 1)
        return
    # What is forked has the position as it is; it need not be sent.
    context = multiprocessing.get_context("fork")
    pipes: list[Connection] = []
    workers = []
    try:
        for number in range(jobs):
            pipe, far_end = context.Pipe(duplex=False)
            worker = context.Process(
                target=_run, args=(work, number, jobs, far_end, [*pipes, pipe]), daemon=True
            )
            worker.start()
            far_end.close()
            pipes.append(pipe)
            workers.append(worker)
        yield _in_turn(pipes)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()
        for pipe in pipes:
            pipe.close()


def _run(work: Work, number: int, jobs: int, out: Connection, others: list[Connection]) -> None:
    # Ctrl-C is for the process that shows something; this one ends with it, without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for pipe in others:
        pipe.close()
    try:
        for result in work(number, jobs):
            out.send(result)
        out.send(None)
    except BrokenPipeError:
        return
    except Exception as error:  # it is raised where the results are taken
        out.send(error)


def _in_turn(pipes: list[Connection]) -> Iterator[tuple[int, str]]:
    number = 0
    while True:
        try:
            result = pipes[number].recv()
        except EOFError:
            raise LostWorker("a process has ended before its time") from None
        if isinstance(result, Exception):
            raise result
        if result is None:
            return
        yield result
        number = (number + 1) % len(pipes)
