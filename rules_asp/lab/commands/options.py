"""The options of the commands `rules-asp lab ...`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from rules_asp.telling.options import json_option, positive_seconds

_Command = TypeVar("_Command", bound=Callable[..., object])

#: What is more than this bounds nothing on a grid that can be searched.
_MOST = 10_000


def search_options(command: _Command) -> _Command:
    """The options of every search."""
    for option in reversed(
        (
            click.option(
                "--grid",
                "grids",
                multiple=True,
                metavar="CxR",
                help="Boards of this extent: 2x1 has three hexes, 3x2 seven; repeat for several.",
            ),
            click.option(
                "--event",
                "events",
                multiple=True,
                metavar="EVENT",
                help="Only this kind of event (board, shot, move, ...); repeat for several.",
            ),
            click.option(
                "--where", default="", metavar="CLAIM", help="Only boards where this holds."
            ),
            click.option(
                "--buildings",
                type=click.IntRange(0, _MOST),
                default=2,
                show_default=True,
                help="At most so many.",
            ),
            click.option(
                "--statements",
                type=click.IntRange(0, _MOST),
                help="Only boards of at most so many statements.",
            ),
            click.option("--without", multiple=True, metavar="RULING", help="Switch a ruling off."),
            click.option(
                "--time",
                "seconds",
                type=float,
                callback=positive_seconds,
                help="Seconds for the whole search.",
            ),
            click.option(
                "--patience",
                default=20.0,
                callback=positive_seconds,
                show_default=True,
                help="Seconds for each thing at each place; what they do not decide is told.",
            ),
            click.option(
                "--resume",
                is_flag=True,
                help="Take over what was settled when the same search was cut short.",
            ),
            click.option(
                "--stream",
                is_flag=True,
                help="Tell each result on standard error as it is found; the report follows.",
            ),
            click.option(
                "--jobs",
                type=click.IntRange(1, 256),
                help="Processes; as many as there are cores.",
            ),
            click.option("--cluster", metavar="ADDRESS", help="Let a cluster of Dask search."),
        )
    ):
        command = option(command)
    return json_option(command)


def board_option(command: _Command) -> _Command:
    """The options to keep the boards that are found, as files and as pictures."""
    return click.option(
        "-o", "folder", metavar="DIR", help="Keep each board as a file of this folder."
    )(
        click.option("--draw", "drawn", metavar="DIR", help="Draw each board in this folder.")(
            command
        )
    )


units_option = click.option(
    "--units",
    type=click.IntRange(1, 8),
    help="At most so many; else as many as the claim names, leaves open and counts, and one more.",
)
section_option = click.option(
    "--section", "sections", multiple=True, help="A section in force besides B23."
)


def _as_printed(_: click.Context, __: click.Parameter, value: bool) -> tuple[str, ...]:
    """All rulings, if they are to be off."""
    if not value:
        return ()
    from rules_asp.knowledge.book import catalogue
    from rules_asp.knowledge.loading import load_program

    return catalogue(load_program().source).rulings


as_printed_option = click.option(
    "--as-printed",
    "rulings",
    is_flag=True,
    callback=_as_printed,
    help="With all rulings off: the text itself.",
)
