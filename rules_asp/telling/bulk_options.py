"""The options that say where bulk work is done."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click


def job_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that does many jobs; it is called with `jobs`."""

    @wraps(command)
    def shared(*args: Any, processes: int | None, cluster: str | None, **given: Any) -> None:
        from rules_asp.jobs import Jobs

        command(*args, jobs=Jobs(processes, cluster), **given)

    click.option(
        "--cluster", metavar="ADDRESS", help="Let a cluster of Dask do it, as tcp://host:8786."
    )(shared)
    click.option(
        "--jobs",
        "processes",
        type=click.IntRange(1, 256),
        metavar="N",
        help="Processes; else all cores.",
    )(shared)
    return shared
