"""The options that say where bulk work is done."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

_Command = Callable[..., None]


def job_options(alone: str = "") -> Callable[[_Command], _Command]:
    """The options of a command that does many jobs; it is called with `jobs`.

    `alone`: nothing said is this process and not all cores, with this help.
    """

    def optional(command: _Command) -> _Command:
        @wraps(command)
        def shared(*args: Any, processes: int | None, cluster: str | None, **given: Any) -> None:
            from rules_asp.jobs import JobSettings

            command(*args, jobs=JobSettings(processes or (1 if alone else None), cluster), **given)

        click.option(
            "--cluster", metavar="ADDRESS", help="Let a cluster of Dask do it, as tcp://host:8786."
        )(shared)
        click.option(
            "--jobs",
            "processes",
            type=click.IntRange(1, 256),
            metavar="N",
            help=alone or "Processes; else all cores.",
        )(shared)
        return shared

    return optional
