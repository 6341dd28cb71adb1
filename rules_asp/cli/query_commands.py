"""The commands that put a question to a board, one for each kind of question.

A command takes its arguments and options from the declared parameters of its kind, as a batch line does.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.common import (
    BoardCommand,
    ProofOptions,
    answer_without_changes,
    board_options,
    chat_option,
    limit_options,
    open_position,
    print_answer,
    proof_options,
    spinner,
    word_choices,
)
from rules_asp.cli.draw_command import draw_option, save_picture
from rules_asp.queries.question import Parameter, ParameterKind, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rules_asp.cli.common import Supposition
    from rules_asp.positions.position import Position
    from rules_asp.queries.question import Answer
    from rules_asp.queries.why import Why
    from rules_asp.runtime.limits import Limits


@cache
def question_command(kind: type[Question[Any]]) -> click.Command:
    """The command that asks questions of this kind."""

    def answer(board: str, **given: Any) -> None:
        own = {each.name: given.pop(each.name) for each in kind.parameters()}
        answer_board(kind(**own), board=board, **given)

    command: Callable[..., Any] = board_options(answer)
    if kind.fits_chat:
        command = chat_option(command)
    if kind.drawable:
        command = draw_option(command)
    if kind.has_proof:
        command = _why_option(proof_options(command))
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
_why_option = click.option(
    "--why", "wanted", is_flag=True, help="Explain the answer, as `why` does."
)
#: The kinds of parameters that are arguments, and no options.
_ARGUMENTS = (
    ParameterKind.LOCATION,
    ParameterKind.UNIT,
    ParameterKind.UNITS,
    ParameterKind.SENTENCE,
)


def _click_parameters(of: Parameter) -> list[Callable[..., Any]]:
    """The argument or the options by which a command takes a parameter, in the order of its help."""
    name = of.name.replace("_", "-")
    if of.required and of.kind in _ARGUMENTS:
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
            more |= {"type": click.IntRange(of.least, of.most), "metavar": "N"}
        case ParameterKind.HEXES:
            more |= {"metavar": "HEXES"}
        case ParameterKind.WORD if of.words is not None and of.help.endswith("."):
            # A whole sentence does not list the words.
            more |= {"type": _WordChoice(of.words)}
        case ParameterKind.WORD if of.words is not None:
            more |= {"help": f"{of.help}: {word_choices(of.words)}."}
    if of.kind is ParameterKind.WORD and of.default is not None:
        more |= {"show_default": True}
    return [click.option(f"--{name}", of.name, default=of.default, **more), *found]


def _joined(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
    """A sentence, be it in quotes or not."""
    return " ".join(words)


class _WordChoice(click.Choice[str]):
    """The words of a kind of the vocabulary, written with hyphens."""

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
    wanted: bool = False,
    full: bool = False,
    source: bool = False,
    drawn: str | None = None,
    limits: Limits | None = None,
    **shown: Any,
) -> None:
    """Put a question to a board, and print the answer.

    `wanted`: with its proof, which is `full`, or has the `source` of each rule, as `drawn` is the file of
    a picture.
    """

    explained = wanted or full or source
    with spinner(f"{question.line()} on {board}"):
        position = open_position(board, without, changes)
        answer, proofs = _explained(question, position, limits) if explained else (None, None)
        answer = answer or question.answer(position, limits)
        save_picture(drawn, position, answer, _title(answer), question.has_paths)
        given = answer_without_changes(lambda here: question.answer(here, limits))
    why = ProofOptions(proofs, full, source) if explained else None
    print_answer(question.kind, answer, as_json, why=why, given=given, **shown)


def _explained(
    question: Question[Any], position: Position, limits: Limits | None
) -> tuple[Answer, Sequence[Why] | None]:
    """An answer with its proofs; None where it has them itself, as that to a query."""
    from rules_asp import api
    from rules_asp.queries.ask import QueryQuestion
    from rules_asp.queries.why import WhyQuestion

    if isinstance(question, QueryQuestion):
        return WhyQuestion(question.query_on(position)).answer(position, limits), None
    answer: Answer = question.answer(position, limits)
    return answer, api.whys(position, answer, limits)


def _title(answer: Answer) -> str:
    """What stands above the picture of a proof."""
    from rules_asp.queries.why import WhyQuestion

    question = answer.question
    return str(question.query_on(answer.position)) if isinstance(question, WhyQuestion) else ""
