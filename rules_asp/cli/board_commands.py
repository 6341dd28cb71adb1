"""Commands about boards: check, test, facts, view, import, explore."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp import message
from rules_asp.cli.common import (
    BoardCommand,
    CommandError,
    SectionedCommand,
    Supposition,
    WholeNumber,
    board_files,
    board_options,
    command_notes,
    job_options,
    json_option,
    limit_options,
    open_position,
    parse_changes,
    print_error,
    print_json,
    print_result,
    shows_everything,
    spinner,
)

if TYPE_CHECKING:
    from rules_asp.runtime.limits import Limits
    from rules_asp.web.tasks import LineReader

#: A nation or a side, as written on boards.
IS_WORD = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")

if TYPE_CHECKING:
    from rules_asp.cases.expectations import ExpectationResult
    from rules_asp.positions.position import Position
    from rules_asp.runtime.job_pool import JobSettings
    from rules_asp.runtime.limits import Limits


@click.command(cls=BoardCommand)
@click.argument("board")
@job_options()
@limit_options
@board_options
@click.pass_context
def check(
    ctx: click.Context,
    board: str,
    jobs: JobSettings,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Find rule violations and gaps on a board.

    The report of `check` lists violated rules (exit code 1), conflicts of rules, unknown facts and
    uncertain map data. If BOARD is a folder, the report is a table of all its boards and VASL
    archives. For a folder, --time and --memory limit the import of each archive.

    Example: rules-asp check church
    """
    if Path(board).is_dir():
        from rules_asp.cli.bulk_commands import check_all
        from rules_asp.output.folder_jobs import FolderSettings

        ctx.exit(
            check_all(
                Path(board), FolderSettings(without, parse_changes(changes), limits), jobs, as_json
            )
        )
    from rules_asp import api
    from rules_asp.output.console import show

    with spinner(f"checking {board}"):
        position = open_position(board, without, changes)
        checked = api.check(position)
    print_result(
        "check",
        as_json,
        checked.record,
        lambda out: show(out, *checked.report().blocks),
    )
    ctx.exit(1 if checked.violations else 0)


@click.command(cls=BoardCommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@board_options
@click.pass_context
def test(
    ctx: click.Context,
    files: tuple[str, ...],
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Run the `expect` lines of board files.

    FILE is a board or a folder of boards. The exit code is 1 if an answer differs from its `expect`
    line. The exit code is 2 if a line names something that does not exist on its board.

    Example: rules-asp test church assault
    """
    from rules_asp import api
    from rules_asp.output import listing_json, listing_text

    program = api.load_program()
    outcomes: list[tuple[ExpectationResult, str]] = []
    errors: list[str] = []
    for file in board_files(files):
        try:
            with spinner(f"testing {file}"):
                found = _outcomes(open_position(file, without, changes, program))
        except api.ERRORS as error:
            errors.append(message(error))
            print_error(errors[-1])
            continue
        outcomes += found
        if not as_json:
            from rules_asp.output.console import console

            with console(shows_everything()) as out:
                listing_text.outcomes(out, file, found)
    failed = sum(not outcome.passed for outcome, _ in outcomes)
    if as_json:
        print_json("test", listing_json.test(outcomes, errors))
    else:
        click.echo(f"{len(outcomes) - failed} passed, {failed} failed")
    mistaken = errors or any(outcome.error for outcome, _ in outcomes)
    ctx.exit(2 if mistaken else 1 if failed else 0)


def _outcomes(position: Position) -> list[tuple[ExpectationResult, str]]:
    from rules_asp.cases.expectations import expectations
    from rules_asp.parser.source_text import without_comment

    lines = position.board.lines
    return [
        (outcome, without_comment(lines[outcome.place.file][outcome.place.line - 1]).strip())
        for outcome in expectations(position)
    ]


@click.command(cls=BoardCommand)
@click.argument("board")
@click.option("--derived", is_flag=True, help="Also print the facts that the rules derive.")
@board_options
def facts(
    board: str,
    derived: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Print a board as clingo facts.

    Example: rules-asp facts church --derived
    """

    with spinner(f"facts of {board}"):
        position = open_position(board, without, changes)
        stated = position.board_facts.symbols
        given = [f"{fact}." for fact in stated]
        cases = [
            sorted(f"{fact}." for fact in set(case.all_atoms).difference(stated))
            for case in position.cases
        ]
    if as_json:
        record: dict[str, Any] = {"board": position.board.name, "given": given}
        print_json("facts", {**record, "derived": cases} if derived else record)
        return
    for fact in given:
        click.echo(fact)
    for number, case in enumerate(cases if derived else (), start=1):
        click.echo(f"% derived, case {number} of {len(cases)}" if len(cases) > 1 else "% derived")
        for fact in case:
            click.echo(fact)


@click.command("import", cls=SectionedCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Write the board to this file. - means standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--boards", metavar="DIR", help="Find the board archives of a game in this folder.")
@click.option(
    "--step",
    type=WholeNumber(0, 1_000_000),
    metavar="N",
    help="Read the game after N steps of its log.",
)
@click.option(
    "--side",
    "sides",
    multiple=True,
    metavar="NATION=SIDE",
    help="Assign a nation to a side, such as italian=german. Repeatable.",
)
@click.option("--map", "on", metavar="BOARD", help="Place a Save Text on this board file.")
@json_option
@limit_options
def import_(
    file: Path,
    output: str,
    force: bool,
    boards: str | None,
    step: int | None,
    sides: tuple[str, ...],
    on: str | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """Convert a VASL board archive or game into a board file.

    FILE is a board archive, a saved game (.vsav), a log (.vlog) or a Save Text (.txt). A game needs
    the archives of its boards. `import` looks for the archives of a game in the folder of --boards,
    of RULES_ASP_BOARDS, or of the config file (boards = "DIR"). For each archive, `import` writes a
    board file next to the game, unless the file exists. `import` does not read hidden pieces.

    Example: rules-asp import bd23 -o bd23.board
    """
    from rules_asp.saves.importer import is_game_file

    path = Path(output)
    if output != "-" and path.exists() and not force:
        raise CommandError(f"{output} already exists; --force overwrites it")
    if is_game_file(file):
        _import_game(file, output, force, boards, step, sides, on, as_json, limits)
        return
    for value, flag in ((boards, "--boards"), (step, "--step"), (sides, "--side"), (on, "--map")):
        if value not in (None, ()):
            raise CommandError(
                f"{flag} is only for games of VASL (.vsav, .vlog, .txt), and {file} is not one"
            )
    from rules_asp import api
    from rules_asp.output import listing_json, listing_text
    from rules_asp.parser import write

    with spinner(f"importing {file}"):
        board = api.import_archive(file, limits)
        if output != "-":
            api.write(board, path, force)
    if output == "-":
        click.echo(write(board), nl=False)
        return
    print_result(
        "import",
        as_json,
        lambda: listing_json.imported(board, output),
        lambda out: listing_text.imported(out, board, output),
    )


def _import_game(
    file: Path,
    output: str,
    force: bool,
    boards: str | None,
    step: int | None,
    sides: tuple[str, ...],
    on: str | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """Convert a saved game, a log or a Save Text to a board."""
    from rules_asp import api
    from rules_asp.output import listing_json, listing_text
    from rules_asp.positions.loading import find_board, write_text
    from rules_asp.saves.importer import (
        TEXT_SUFFIX,
        boards_folder,
        import_save_text,
        self_contained,
    )

    path = Path(output)
    beside = Path(".") if output == "-" else path.parent
    of = _sides(sides)
    with spinner(f"importing {file}"):
        if file.suffix.lower() == TEXT_SUFFIX:
            if on is None:
                raise CommandError(
                    "a Save Text does not name its boards: give their board file with --map BOARD"
                )
            used = os.path.relpath(find_board(on), beside)
            game = import_save_text(file, find_board(on), used, of)
        elif on is not None:
            raise CommandError(
                "--map is only for a Save Text (.txt): a saved game names its own boards"
            )
        else:
            there = _there(beside) if output != "-" else {}
            game = api.import_game(file, boards_folder(boards), step, of, there, limits)
        if output == "-":
            click.echo(self_contained(game), nl=False)
            return
        write_text(path, game.text, force)
        for name, text in game.boards.items():
            if name not in there and (beside / name).exists():
                continue
            if text != there.get(name):
                write_text(beside / name, text, force=True)
    print_result(
        "import",
        as_json,
        lambda: listing_json.game(game, output),
        lambda out: listing_text.game(out, game, output),
    )


def _there(folder: Path) -> dict[str, str]:
    """Return the texts of the board files `bd*.board` in a folder."""
    from rules_asp.runtime.limits import size_limit

    found = {}
    for path in sorted(folder.glob("bd*.board")):
        if path.is_file() and path.stat().st_size <= size_limit("board"):
            found[path.name] = path.read_text("utf-8", "replace")
    return found


def _sides(given: tuple[str, ...]) -> dict[str, str]:
    """Return the side of each nation from the `--side` options."""
    found = {}
    for each in given:
        nation, equals, side = (part.strip() for part in each.partition("="))
        if not equals or not IS_WORD.fullmatch(nation) or not IS_WORD.fullmatch(side):
            raise CommandError(f"--side must be NATION=SIDE, such as italian=german, not {each}")
        found[nation] = side
    return found


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("hexes", nargs=-1, metavar="[HEX...]")
@click.option(
    "--los",
    "ends",
    nargs=2,
    metavar="A B",
    help="Also show the line of sight between two Locations.",
)
def view(
    board: str,
    hexes: tuple[str, ...],
    ends: tuple[str, str] | None,
    changes: tuple[Supposition, ...],
) -> None:
    """Show a board as text, or the area around some hexes.

    Below the map, a legend explains the letters and lists the contents of each hex. A wide map is
    printed in parts. Use `draw` for a picture.

    Example: rules-asp view church C3
    """
    from rules_asp import api
    from rules_asp.game.grid import hex_of_spot
    from rules_asp.output.board_text import view as drawn

    position = open_position(board, changes=changes)
    wanted = [hex_of_spot(api.place(position, each).spot) for each in hexes]
    answer = api.los(position, *ends) if ends else None
    click.echo(drawn(position, wanted, answer), nl=False)
    if answer is not None:
        from rules_asp.output.console import console, show

        with console(shows_everything()) as out:
            show(out, *answer.report().blocks)


#: The address of the local machine.
HERE = "127.0.0.1"


@click.command(cls=SectionedCommand)
@click.argument("board", required=False)
@click.option(
    "--port", type=WholeNumber(0, 65535), help="Use this port. Default: 8023, or a free port."
)
@click.option(
    "--host",
    metavar="ADDRESS",
    help="Play with others: listen at this address, and show everybody the same map. 0.0.0.0 "
    "means every address of this machine. Without --host, only this machine can open "
    "the page, and each tab shows its own map.",
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
    available on this machine, under a secret address, until you press Ctrl-C. The page needs no
    network. With --host, `explore` prints one address for all players and one for spectators.
    `explore` opens only the files that you name. For a saved game of VASL, `explore` also opens the
    archives in your board folder.

    Example: rules-asp explore church
    """
    from rules_asp.web import protocol, server

    if host is not None and not host.strip():
        raise CommandError("--host must be an address such as 127.0.0.1")
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
                f"the page cannot be served at {host or HERE}: {error.strerror or error}"
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
