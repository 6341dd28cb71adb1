"""The command `rules-asp` with all its commands, in the order of the help."""

from __future__ import annotations

import sys
from functools import partial

import click

from rules_asp import __version__
from rules_asp.cli import (
    board_commands,
    bulk_commands,
    draw_command,
    lab_edit_commands,
    rule_commands,
    whatif_commands,
)
from rules_asp.cli.common import CommandGroup
from rules_asp.queries import MODULES


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="rules-asp")
def main() -> None:
    """Answer rules questions about buildings in Advanced Squad Leader.

    BOARD is a board file, the name of an included board such as church, or - for standard input.
    Every answer names the rules that it is based on.

    List the pages of the documentation: rules-asp help

    Example: rules-asp los church C1 G3
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _question_command(kind: str) -> click.Command:
    """Return the command for a kind of question; it loads the modules of that kind."""
    from rules_asp.cli.query_commands import question_command
    from rules_asp.queries import QUESTIONS

    return question_command(QUESTIONS[kind])


for kind in MODULES:
    if kind != whatif_commands.why.name:
        main.add_lazy(kind, partial(_question_command, kind))
for command in (
    whatif_commands.why,
    whatif_commands.depends,
    whatif_commands.repair,
    whatif_commands.case,
    bulk_commands.matrix,
    bulk_commands.batch,
    board_commands.check,
    board_commands.test,
    board_commands.facts,
    board_commands.import_,
    rule_commands.rules,
    rule_commands.program,
    rule_commands.lint,
    rule_commands.coverage,
    board_commands.view,
    draw_command.draw,
    board_commands.explore,
    rule_commands.words,
    lab_edit_commands.lab,
    rule_commands.help_,
):
    main.add_command(command)
