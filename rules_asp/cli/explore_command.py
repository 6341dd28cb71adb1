"""The command `explore`: one page on one's own machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rules_asp.cli.common import CommandError, command_notes, limit_options, spinner

if TYPE_CHECKING:
    from rules_asp.runtime.limits import Limits
    from rules_asp.web.tasks import LineReader


@click.command()
@click.argument("board", required=False)
@click.option("--port", type=click.IntRange(0, 65535), help="Port; else 8023, or a free one.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at; any but this shows the page to others who have its address.",
)
@click.option("--no-browser", "quiet", is_flag=True, help="Open no browser; print the address.")
@limit_options
def explore(board: str | None, port: int | None, host: str, quiet: bool, limits: Limits) -> None:
    """Point at the map and ask.

    Opens a page on BOARD, else on a bundled one: click a Location and another for the line of sight,
    ask for what is seen, shots, ways and deeds, change the board and see what comes of it, unfold each
    answer into its norms, and read the rules. The page is for you alone: it stands on this machine,
    under an address that nobody else knows, until Ctrl-C. It needs no network and opens no file but
    those that you hand to it; for a saved game of VASL, also the board archives in your folder.
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
