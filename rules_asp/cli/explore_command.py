"""The command `explore`: a page served on the local machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rules_asp.cli.common import (
    CommandError,
    SectionedCommand,
    WholeNumber,
    command_notes,
    limit_options,
    spinner,
)

if TYPE_CHECKING:
    from rules_asp.runtime.limits import Limits
    from rules_asp.web.tasks import LineReader

#: The address of the local machine.
HERE = "127.0.0.1"


@click.command(cls=SectionedCommand)
@click.argument("board", required=False)
@click.option(
    "--port", type=WholeNumber(0, 65535), help="Use this port. Default: 8023, or a free one."
)
@click.option(
    "--host",
    metavar="ADDRESS",
    help="Play with others: listen at this address, and show everybody the same map. 0.0.0.0 is every "
    "address of this machine. Default: only this machine, and each tab has a map of its own.",
)
@click.option(
    "--no-browser", "quiet", is_flag=True, help="Print the address and do not open a browser."
)
@limit_options
def explore(
    board: str | None, port: int | None, host: str | None, quiet: bool, limits: Limits
) -> None:
    """Open a map in the browser and ask by clicking.

    Without BOARD, the page shows an included board. You can check lines of sight, fire, moves and
    actions, change the board, compare answers, unfold proofs and read the rules. The page is only
    available on this machine, under a secret address, until you press Ctrl-C. It needs no network.
    With --host, the command prints one address for all players and one for those who only look.
    It opens only the files that you give it. For a saved game of VASL it also opens the archives in
    your board folder.

    Example: rules-asp explore church
    """
    from rules_asp.web import protocol, server

    if host is not None and not host.strip():
        raise CommandError("--host needs an address such as 127.0.0.1")
    with spinner("reading the rules"):
        texts = protocol.texts_of(board) if board is not None else None
        try:
            started = server.start_server(
                as_commands(),
                texts,
                host or HERE,
                port,
                limits,
                command_notes(),
                shared=host is not None,
            )
        except OSError as error:
            raise CommandError(
                f"cannot listen at {host or HERE}: {error.strerror or error}"
            ) from None
    click.echo(f"explore at {started.address}")
    for each in started.others or ():
        click.echo(f"from other machines: {each}", err=True)
    for each in started.views:
        click.echo(f"to look only: {each}", err=True)
    if started.others is not None:
        click.echo(
            "whoever has such an address can use the page until Ctrl-C; the connection is not "
            "encrypted",
            err=True,
        )
    click.echo("Ctrl-C ends it", err=True)
    started.serve(browser=not quiet)


def as_commands() -> LineReader:
    """Return the reader of a page's lines: it parses them like commands, with the same errors."""
    from rules_asp.cli.query_commands import error_of, parse_query_line
    from rules_asp.cli.whatif_commands import as_expected
    from rules_asp.web.tasks import LineReader

    return LineReader(
        parse_query_line, as_expected, lambda error, line: {"error": error_of(error, line)}
    )
