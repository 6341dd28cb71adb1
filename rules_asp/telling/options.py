"""The options that commands share, and what they give to a command."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rules_asp.telling.terminal import CommandError, ProofOptions
from rules_asp.terms.lexicon import vocabulary

if TYPE_CHECKING:
    from rules_asp.bounds import Limits
    from rules_asp.positions.belonging import Answer
    from rules_asp.positions.prepared import Position

Command = TypeVar("Command", bound=Callable[..., object])


def json_option(command: Command) -> Command:
    """The option to answer as JSON."""
    return click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")(command)


def board_options(command: Command) -> Command:
    """The options of every command that asks a board."""
    without = click.option(
        "--without",
        multiple=True,
        metavar="RULING",
        help="Switch a ruling off (R-T03, ...); can be repeated.",
    )
    return without(json_option(command))


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that may take long; it is called with `limits`."""

    @wraps(command)
    def limited(*args: Any, seconds: str | None, memory: str | None, **given: Any) -> None:
        command(*args, limits=parse_limits(seconds, memory), **given)

    for name, option, metavar, sense in (
        ("memory", "--memory", "MB", "Megabytes that it may take; else 2048. off: no limit."),
        ("seconds", "--time", "SECONDS", "Seconds that it may take; else 60. off: no limit."),
    ):
        click.option(option, name, metavar=metavar, help=sense)(limited)
    return limited


def proof_options(command: Command) -> Command:
    """The options that say how much of a proof is told; the command is called with `full` and `source`."""
    source = click.option("--source", is_flag=True, help="Tell file and line of each rule.")
    return click.option("--full", is_flag=True, help="Leave nothing out of a proof.")(
        source(command)
    )


def why_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options to tell why an answer is so; the command is called with `because`, which proves it."""

    @wraps(command)
    def explained(*args: Any, wanted: bool, full: bool, source: bool, **given: Any) -> None:
        def because(
            position: Position, answer: Answer, limits: Limits | None = None
        ) -> ProofOptions | None:
            from rules_asp import api

            if not (wanted or full or source):
                return None
            return ProofOptions(api.whys(position, answer, limits), full, source)

        command(*args, because=because, **given)

    option = click.option("--why", "wanted", is_flag=True, help="Tell the reasons, as `why` does.")
    return option(proof_options(explained))


def parse_limits(seconds: str | None = None, memory: str | None = None) -> Limits:
    """The limits of a command: its options, else what RULES_ASP_TIME and RULES_ASP_MEMORY say."""
    from rules_asp.bounds import Limits

    try:
        return Limits.said(seconds, memory)
    except ValueError as error:
        raise CommandError(str(error)) from None


def positive_seconds(
    _: click.Context, option: click.Parameter, value: float | None
) -> float | None:
    """A number of seconds; Refusal for what is none."""
    if value is not None and not (isfinite(value) and value > 0):
        raise CommandError(f"{option.opts[0]} is a number of seconds above 0, and not {value:g}")
    return value


def way_options(command: Command) -> Command:
    """The options that say of a way how many turns it may take, and to which course it must keep."""
    courses = [word.replace("_", "-") for word in vocabulary().words["course"]]

    def named(_: click.Context, __: click.Parameter, course: str | None) -> str | None:
        return None if course is None else course.replace("-", "_")

    only = click.option(
        "--only",
        type=click.Choice(courses),
        callback=named,
        help="Ways that are such in every step.",
    )
    turns = click.option(
        "--turns",
        type=click.IntRange(1, 50),
        default=1,
        metavar="N",
        help="In so many turns, one such phase in each, on the board as it stands.",
    )
    return turns(only(command))


def word_choices(kind: str) -> str:
    """The words of a kind as a choice: `mph, rtph or aph`."""
    *first, last = vocabulary().words[kind]
    return f"{', '.join(first)} or {last}" if first else last


def shot_options(command: Command) -> Command:
    """The options that say how a shot is fired and what its target is doing."""
    for name, value, sense in (
        ("--assault-moving", "assault_moving", "The target is Assault Moving."),
        ("--moving", "moving", "The target is moving (FFNAM; FFMO where it applies)."),
        ("--routing", "routing", "The target is routing."),
    ):
        command = click.option(name, "doing", flag_value=value, help=sense)(command)
    return click.option(
        "--how",
        default="direct",
        show_default=True,
        help=f"{', '.join(vocabulary().words['fire'])}.",
    )(click.option("--indirect", "how", flag_value="indirect", help="Indirect Fire.")(command))
