"""The board that a command is given: a file, a bundled one, or standard input; and what is supposed of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rules_asp.telling.terminal import BEFORE, Refusal, message
from rules_asp.terms import own_rules

if TYPE_CHECKING:
    from rules_asp.knowledge.program import Program
    from rules_asp.positions.belonging import OfPosition
    from rules_asp.positions.changing import Change
    from rules_asp.positions.prepared import Position
    from rules_asp.terms.board import Board

#: What stands for standard input, and how messages call it.
DASH, STDIN = "-", "<stdin>"
#: What is supposed: whether a line is added, the option that says so, the line.
Supposed = tuple[bool, str, str]
#: The options that suppose something: whether the line is added, its option, its help.
_SUPPOSED = (
    (True, "--if", "Suppose that the board says this too; can be repeated."),
    (False, "--unless", "Suppose that the board does not say this; can be repeated."),
)
#: The option that switches a ruling on which is off otherwise: a board says so in this line.
_WITH, _PLAYED = "--with", "ruling {}"


class BoardCommand(click.Command):
    """A command that asks a board, of which something can be supposed.

    The command is called with `changes`, in the order of the options.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._supposed: dict[str, tuple[bool, str]] = {}
        for adds, flag, sense in _SUPPOSED:
            option = click.Option([flag], multiple=True, metavar="LINE", help=sense)
            self._supposed[str(option.name)] = (adds, flag)
            self.params.append(option)
        sense = "Switch a ruling on that is off otherwise (R-B31); can be repeated."
        played = click.Option([_WITH, "played"], multiple=True, metavar="RULING", help=sense)
        self._supposed["played"] = (True, _WITH)
        self.params.append(played)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; click itself forgets in which order different options came."""
        order = self.make_parser(ctx).parse_args(list(args))[2]
        rest = super().parse_args(ctx, args)
        lines = {name: iter(ctx.params.pop(name, None) or ()) for name in self._supposed}
        came = [str(each.name) for each in order if each.name in self._supposed]
        ctx.params["changes"] = tuple(
            (*self._supposed[name], line) for name in came for line in islice(lines[name], 1)
        )
        return rest


class _Given(NamedTuple):
    """The board as a command names it, and whether it is asked otherwise than it stands."""

    board: str | Board
    program: Program | None
    supposed: bool


#: Where a command keeps the board that it is of.
_GIVEN = "rules_asp.given"


def ready(
    board: str,
    without: Iterable[str] = (),
    changes: Sequence[Supposed] = (),
    program: Program | None = None,
) -> Position:
    """The board that a command names, with all that is supposed of it, ready for questions."""
    from rules_asp import api

    made_ = made(changes)
    read = _from_stdin() if board == DASH else board
    without = tuple(without)
    context = click.get_current_context()
    supposed = bool(without or made_ or BEFORE in context.meta)
    context.meta[_GIVEN] = _Given(read, program, supposed)
    if isinstance(read, str):
        return api.load(read, program, without, made_)
    return api.position(read, program, without, made_)


def made(changes: Sequence[Supposed]) -> tuple[Change, ...]:
    """What a command supposes of a board, as changes of it."""
    from rules_asp import api

    return tuple(
        api.Change(adds, _PLAYED.format(line) if flag == _WITH else line, flag)
        for adds, flag, line in changes
    )


def as_given(ask: Callable[[Position], OfPosition]) -> OfPosition | str | None:
    """The answer without all that the command supposes, of board and rules; why there is none.

    None where nothing is supposed.
    """
    from rules_asp import api

    meta = click.get_current_context().meta
    board, program, supposed = meta[_GIVEN]
    if not supposed:
        return None
    chosen = own_rules.folder()
    try:
        if BEFORE in meta:
            api.play_by(meta[BEFORE])
        return ask(
            api.load(board, program) if isinstance(board, str) else api.position(board, program)
        )
    except api.ERRORS as error:
        return message(error)
    finally:
        if BEFORE in meta:
            api.play_by(chosen)


def _from_stdin() -> Board:
    """The board on standard input."""
    from rules_asp.bounds.sizes import beyond, most
    from rules_asp.parser import load_text

    try:
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(most("board") + 1)
    except (OSError, ValueError):
        data = b""  # closed, or open for writing only
    if not data.strip():
        raise Refusal("no board comes on standard input")
    if len(data) > most("board"):
        raise Refusal(f"{STDIN}: {beyond('board')}")
    try:
        return load_text(data.decode("utf-8"), STDIN)
    except UnicodeDecodeError:
        raise Refusal(f"{STDIN} is no text in UTF-8") from None
