"""Commands about boards: check, test, facts, view, import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp import message
from rules_asp.cli.common import (
    BoardCommand,
    CommandError,
    Supposition,
    board_files,
    board_options,
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
    """What a board breaks, and what is open on it.

    Norms that the described position breaks (exit code 1), clashes of norms, what is not known,
    what the importer of the board doubts. Where BOARD is a folder, the same of each board and VASL
    archive in it, as a table; --jobs and --cluster share them out, --time and --memory are for the
    import of each archive.
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
    from rules_asp.output import report_json, report_text

    with spinner(f"checking {board}"):
        position = open_position(board, without, changes)
        checked = api.check(position)
    print_result(
        "check",
        as_json,
        lambda: {
            "board": position.board.name,
            **report_json.check(checked, position.program.notes),
        },
        lambda out: report_text.check(out, checked, position.program.notes),
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
    """Ask the `expect` lines of boards.

    A folder stands for all boards in it. Exit code 1 when an answer is not the expected one, 2 when a
    line asks of what is not on its board.
    """
    from rules_asp import api
    from rules_asp.output import report_json, report_text

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
                report_text.outcomes(out, file, found)
    failed = sum(not outcome.passed for outcome, _ in outcomes)
    if as_json:
        print_json("test", report_json.test(outcomes, errors))
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
    from rules_asp.output import report_json, report_text
    from rules_asp.parser import write

    path = Path(output)
    if output != "-" and path.exists() and not force:
        raise CommandError(f"{output} already exists; --force overwrites it")
    with spinner(f"importing {archive}"):
        board = api.import_archive(archive, limits)
        if output != "-":
            api.write(board, path, force)
    if output == "-":
        click.echo(write(board), nl=False)
        return
    print_result(
        "import",
        as_json,
        lambda: report_json.imported(board, output),
        lambda out: report_text.imported(out, board, output),
    )


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
    from rules_asp.game.grid import hex_of_spot
    from rules_asp.output.board_text import view as drawn

    position = open_position(board, changes=changes)
    wanted = [hex_of_spot(api.place(position, each).spot) for each in hexes]
    answer = api.los(position, *ends) if ends else None
    click.echo(drawn(position, wanted, answer), nl=False)
    if answer is not None:
        from rules_asp.output import answer_text
        from rules_asp.output.console import console

        with console(shows_everything()) as out:
            answer_text.los(out, position, answer)
