"""The command `explore`: one page on one's own machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rules_asp.cli.common import (
    CommandError,
    SectionedCommand,
    command_notes,
    limit_options,
    spinner,
)

if TYPE_CHECKING:
    from rules_asp.runtime.limits import Limits
    from rules_asp.web.tasks import LineReader


@click.command(cls=SectionedCommand)
@click.argument("board", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Use this port. Default: 8023, or a free one."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Listen at this address. Any other address than the default opens the page to other machines.",
)
@click.option(
    "--no-browser", "quiet", is_flag=True, help="Print the address and do not open a browser."
)
@limit_options
def explore(board: str | None, port: int | None, host: str, quiet: bool, limits: Limits) -> None:
    """Open a map in the browser and ask by clicking.

    Without BOARD, the page shows an included board. You can check lines of sight, fire, moves and
    actions, change the board, compare answers, unfold proofs and read the rules. The page is only
    available on this machine, under a secret address, until you press Ctrl-C. It needs no network.
    It opens only the files that you give it. For a saved game of VASL it also opens the archives in
    your board folder.

    Example: rules-asp explore church
    """
    from rules_asp.web import protocol, server

    if not host.strip():
        raise CommandError("--host needs an address such as 127.0.0.1")
    with spinner("reading the rules"):
        texts = protocol.texts_of(board) if board is not None else None
        try:
            started = server.start_server(as_commands(), texts, host, port, limits, command_notes())
        except OSError as error:
            raise CommandError(f"cannot listen at {host}: {error.strerror or error}") from None
    click.echo(f"explore at {started.address}")
    if started.others is not None:
        for each in started.others:
            click.echo(f"from other machines: {each}", err=True)
        click.echo(
            "whoever has such an address can use the page, unencrypted, until Ctrl-C", err=True
        )
    click.echo("Ctrl-C ends it", err=True)
    started.serve(browser=not quiet)


def as_commands() -> LineReader:
    """How a page's lines are read: as the commands read them, and tell what is wrong with one."""
    from rules_asp.cli.query_line import error_of, parse_query_line
    from rules_asp.cli.whatif_commands import as_expected
    from rules_asp.web.tasks import LineReader

    return LineReader(
        parse_query_line, as_expected, lambda error, line: {"error": error_of(error, line)}
    )
