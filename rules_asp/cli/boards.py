"""Commands about boards: check, test, facts, view, import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.boards_given import BoardCommand, Supposition, open_position, parse_changes
from rules_asp.telling.bulk_options import job_options
from rules_asp.telling.options import board_options, json_option, limit_options
from rules_asp.telling.terminal import (
    CommandError,
    board_files,
    message,
    print_error,
    print_json,
    spinner,
)

if TYPE_CHECKING:
    from rules_asp.bounds import Limits
    from rules_asp.cases.outcomes import ExpectationResult
    from rules_asp.jobs import JobSettings
    from rules_asp.positions.prepared import Position


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
    """What a board breaks, and what is open on it.

    Norms that the described position breaks (exit code 1), clashes of norms, what is not known,
    what the importer of the board doubts. Where BOARD is a folder, the same of each board and VASL
    archive in it, as a table; --jobs and --cluster share them out, --time and --memory are for the
    import of each archive.
    """
    if Path(board).is_dir():
        from rules_asp.cli.folders import check_all
        from rules_asp.telling.folders import FolderSettings

        ctx.exit(
            check_all(
                Path(board), FolderSettings(without, parse_changes(changes), limits), jobs, as_json
            )
        )
    from rules_asp import api

    with spinner(f"checking {board}"):
        position = open_position(board, without, changes)
        checked = api.check(position)
    if as_json:
        from rules_asp.telling import reports_json as records

        print_json("check", {"board": position.board.name, **records.check(checked)})
    else:
        from rules_asp.telling import reports as show
        from rules_asp.telling.layout import console

        with console() as out:
            show.check(out, checked)
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
    """Ask the `expect` lines of boards.

    A folder stands for all boards in it. Exit code 1 when an answer is not the expected one, 2 when a
    line asks of what is not on its board.
    """
    from rules_asp import api

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
            from rules_asp.telling import reports as show
            from rules_asp.telling.layout import console

            with console() as out:
                show.outcomes(out, file, found)
    failed = sum(not outcome.passed for outcome, _ in outcomes)
    if as_json:
        from rules_asp.telling import reports_json as records

        print_json("test", records.test(outcomes, errors))
    else:
        click.echo(f"{len(outcomes) - failed} passed, {failed} failed")
    mistaken = errors or any(outcome.error for outcome, _ in outcomes)
    ctx.exit(2 if mistaken else 1 if failed else 0)


def _outcomes(position: Position) -> list[tuple[ExpectationResult, str]]:
    from rules_asp.cases.outcomes import expectations
    from rules_asp.parser.lexemes import without_comment

    lines = position.board.lines
    return [
        (outcome, without_comment(lines[outcome.place.file][outcome.place.line - 1]).strip())
        for outcome in expectations(position)
    ]


@click.command(cls=BoardCommand)
@click.argument("board")
@click.option("--derived", is_flag=True, help="Also what the rules derive from them.")
@board_options
def facts(
    board: str,
    derived: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """What a board states, as facts for clingo."""

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


@click.command("import")
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, metavar="FILE", help="The board file; - for stdout.")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@json_option
@limit_options
def import_(archive: Path, output: str, force: bool, as_json: bool, limits: Limits) -> None:
    """Make a board of a VASL board archive.

    What the archive does not settle is marked as a doubt, to be settled by a board that uses this
    one.
    """
    from rules_asp import api
    from rules_asp.parser import write

    path = Path(output)
    if output != "-" and path.exists() and not force:
        raise CommandError(f"{output} is there already; --force overwrites it")
    with spinner(f"importing {archive}"):
        board = api.import_archive(archive, limits)
        if output != "-":
            api.write(board, path, force)
    if output == "-":
        click.echo(write(board), nl=False)
    elif as_json:
        from rules_asp.telling import reports_json as records

        print_json("import", records.imported(board, output))
    else:
        from rules_asp.telling import reports as show
        from rules_asp.telling.layout import console

        with console() as out:
            show.imported(out, board, output)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("hexes", nargs=-1, metavar="[HEX...]")
@click.option(
    "--los", "ends", nargs=2, metavar="A B", help="Also the line of sight between two Locations."
)
def view(
    board: str,
    hexes: tuple[str, ...],
    ends: tuple[str, str] | None,
    changes: tuple[Supposition, ...],
) -> None:
    """A board as text, or what is around some hexes.

    What a letter stands for is told below, and what is in each hex; a wide map comes in parts. `draw`
    makes a picture.
    """
    from rules_asp import api
    from rules_asp.telling.board_text import view as drawn
    from rules_asp.terms.grid import hex_of_spot

    position = open_position(board, changes=changes)
    wanted = [hex_of_spot(api.place(position, each).spot) for each in hexes]
    answer = api.los(position, *ends) if ends else None
    click.echo(drawn(position, wanted, answer), nl=False)
    if answer is not None:
        from rules_asp.telling import text as show
        from rules_asp.telling.layout import console

        with console() as out:
            show.los(out, position, answer)
