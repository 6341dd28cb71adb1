"""The commands that ask a question on a board, one for each kind of question.

A command takes its arguments and options from the declared parameters of its kind, like a batch
line.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.common import (
    BoardCommand,
    WholeNumber,
    answer_without_changes,
    board_options,
    chat_option,
    limit_options,
    open_position,
    print_answer,
    spinner,
    why_options,
    word_choices,
)
from rules_asp.cli.draw_command import draw_option, save_picture
from rules_asp.queries.question import Parameter, ParameterKind, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rules_asp.cli.common import ProofOptions, Supposition
    from rules_asp.runtime.limits import Limits


@cache
def question_command(kind: type[Question[Any]]) -> click.Command:
    """Return the command for this kind of question."""

    def answer(board: str, **given: Any) -> None:
        own = {each.name: given.pop(each.name) for each in kind.parameters()}
        answer_board(kind(**own), board=board, **given)

    command: Callable[..., Any] = board_options(answer)
    if kind.fits_chat:
        command = chat_option(command)
    if kind.drawable:
        command = draw_option(command)
    if kind.has_proof:
        command = why_options(command)
    if kind.may_take_long():
        command = limit_options(command)
    if kind.has_paths:
        command = click.option("--paths", is_flag=True, help=_PATHS)(command)
    for each in reversed(kind.parameters()):
        for parameter in reversed(_click_parameters(each)):
            command = parameter(command)
    command = click.argument("board")(command)
    return click.command(kind.kind, cls=BoardCommand, help=kind.help())(command)


_PATHS = "List each path with its cost and its rules."


def _click_parameters(of: Parameter) -> list[Callable[..., Any]]:
    """Return the argument or options for a parameter, in the order of the command's help."""
    name = of.name.replace("_", "-")
    if of.required:
        if of.kind is ParameterKind.UNITS:
            return [click.argument(of.name, nargs=-1, required=True, metavar="UNIT...")]
        if of.kind is ParameterKind.SENTENCE:
            metavar = of.metavar or of.name.upper()
            words = click.argument(
                of.name, nargs=-1, required=True, metavar=metavar, callback=_joined
            )
            return [words]
        return [click.argument(of.name, metavar=of.metavar)]
    found = [
        click.option(flag, of.name, flag_value=word, help=sense) for flag, word, sense in of.flags
    ]
    if of.flags and not of.help:
        return found
    more: dict[str, Any] = {"help": of.help, "metavar": of.metavar}
    match of.kind:
        case ParameterKind.FLAG:
            more |= {"is_flag": True}
        case ParameterKind.COUNT:
            more |= {"type": WholeNumber(of.least, of.most), "metavar": "N"}
        case ParameterKind.HEXES:
            more |= {"metavar": "HEXES"}
        case ParameterKind.WORD if of.words is not None and of.help.endswith("."):
            # A complete sentence does not list the words.
            more |= {"type": _WordChoice(of.words)}
        case ParameterKind.WORD if of.words is not None:
            more |= {"help": f"{of.help}: {word_choices(of.words)}."}
    if of.kind is ParameterKind.WORD and of.default is not None:
        more |= {"show_default": True}
    return [click.option(f"--{name}", of.name, default=of.default, **more), *found]


def _joined(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
    """Return a sentence, with or without quotes."""
    return " ".join(words)


class _WordChoice(click.Choice[str]):
    """An option type: the words of a kind of the vocabulary, written with hyphens."""

    def __init__(self, kind: str) -> None:
        from rules_asp.game.vocabulary import default_vocabulary

        super().__init__([word.replace("_", "-") for word in default_vocabulary().words[kind]])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(super().convert(value, param, ctx)).replace("-", "_")


def answer_board(
    question: Question[Any],
    *,
    board: str,
    without: Sequence[str],
    changes: Sequence[Supposition],
    as_json: bool,
    why: ProofOptions | None = None,
    drawn: str | None = None,
    limits: Limits | None = None,
    **shown: Any,
) -> None:
    """Ask the question of a command on a board, and print the answer.

    `why`: with its proof; `drawn` is the picture file.
    """
    with spinner(f"{question.line} on {board}"):
        position = open_position(board, without, changes)
        asked = question
        if why is not None:
            from rules_asp.queries.why import explained

            asked = explained(position, question)
        answer = asked.answer(position, limits, prove=why is not None)
        save_picture(drawn, answer)
        given = answer_without_changes(question, limits)
    print_answer(question.kind, answer, as_json, why=why, given=given, **shown)
