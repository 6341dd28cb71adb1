"""The command `rules-asp` with all its commands, in the order in which help lists them."""

from __future__ import annotations

import gc
import sys

import click

from rules_asp import __version__
from rules_asp.cli import (
    asking,
    batches,
    boards,
    drawings,
    exploring,
    many,
    matrices,
    reference,
    sharing,
    turning,
)
from rules_asp.lab.commands import of_claims as of_claims  # they join the group
from rules_asp.lab.commands.of_rules import lab
from rules_asp.telling.terminal import CommandGroup


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="rules-asp")
def main() -> None:
    """Ask the building rules of Advanced Squad Leader.

    BOARD is a board file, the name of a bundled board such as church, or - for standard input.
    Every answer names the paragraphs that it rests on.
    """
    # Thousands of rules and facts are made, hardly any in circles: to look for these takes a tenth.
    gc.set_threshold(50_000, 20, 50)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


for command in (
    asking.los,
    asking.tem,
    asking.fire,
    asking.moves,
    asking.can,
    asking.roll,
    asking.ask,
    asking.why,
    turning.sensitive,
    turning.repair,
    sharing.case,
    many.sees,
    many.reach,
    matrices.matrix,
    batches.batch,
    boards.check,
    boards.test,
    boards.facts,
    boards.import_,
    reference.rules,
    reference.program,
    reference.lint,
    reference.coverage,
    boards.view,
    drawings.draw,
    exploring.explore,
    reference.words,
    lab,
):
    main.add_command(command)
