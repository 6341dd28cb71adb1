"""The command `rules-asp`: a thin layer over `rules_asp.api`.

Exit codes: 0 answered, also when the answer is no; 1 an expectation failed or a norm is broken;
2 bad usage or input. What all commands share stands in `cli_base`. What is heavy is imported inside
the commands, so that `--help` comes at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp import __version__
from rules_asp.cli_base import (
    Commands,
    Refusal,
    bar,
    board_options,
    complain,
    json_option,
    message,
    print_json,
    shot_options,
    tell,
    working,
)
from rules_asp.lab.cli import lab
from rules_asp.vocabulary import vocabulary

if TYPE_CHECKING:
    from rules_asp.api import Position
    from rules_asp.expectations import Outcome


def _either(kind: str) -> str:
    """The words of a kind: `mph, rtph or aph`."""
    *first, last = vocabulary().words[kind]
    return f"{', '.join(first)} or {last}" if first else last


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="rules-asp")
def main() -> None:
    """Ask the building rules of Advanced Squad Leader.

    BOARD is a board file, or the name of a bundled board such as church.
    Every answer names the paragraphs that it rests on.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


@main.command()
@click.argument("board")
@click.argument("a")
@click.argument("b")
@board_options
def los(board: str, a: str, b: str, as_json: bool, without: tuple[str, ...]) -> None:
    """Line of sight from one Location to another.

    A and B are Locations such as U4/2, V3, U4/roof or K13@L12-K12. The answer: clear or blocked,
    where and by which norm; Hindrances; what would have blocked and was beaten; close calls.
    """
    from rules_asp import api

    with working(f"{a} - {b} on {board}"):
        position = api.load(board, without=without)
        answer = api.los(position, a, b)
    tell("los", position, answer, as_json)


@main.command()
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@board_options
def tem(**asked: Any) -> None:
    """TEM of fire at a Location.

    FIRER and TARGET are Locations such as U4/2, or units of the board.
    """
    _shoot("tem", **asked)


@main.command()
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@board_options
def fire(**asked: Any) -> None:
    """All DRM of a shot.

    TEM, Hindrance, FFMO, FFNAM, Height Advantage, each with its norm. FIRER and TARGET are Locations
    such as U4/2, or units of the board.
    """
    _shoot("fire", **asked)


def _shoot(
    command: str,
    board: str,
    firer: str,
    target: str,
    how: str,
    doing: str | None,
    as_json: bool,
    without: tuple[str, ...],
) -> None:
    """Tell what a command about a shot has to say of it."""
    from rules_asp import api

    ask_of = {"tem": api.tem, "fire": api.fire}[command]
    with working(f"{firer} at {target} on {board}"):
        position = api.load(board, without=without)
        answer = ask_of(position, firer, target, how, doing)
    tell(command, position, answer, as_json)


@main.command()
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option("--phase", default="mph", show_default=True, help=f"{_either('moving_phase')}.")
@click.option("--all", "everything", is_flag=True, help="Also each forbidden step.")
@board_options
def moves(
    board: str,
    units: tuple[str, ...],
    phase: str,
    everything: bool,
    as_json: bool,
    without: tuple[str, ...],
) -> None:
    """Where a unit can go.

    Every Location that it reaches, the least MF, and the way there. Several units move as one stack.
    """
    from rules_asp import api

    with working(f"moves of {' '.join(units)} on {board}"):
        position = api.load(board, without=without)
        answer = api.moves(position, units, phase)
    tell("moves", position, answer, as_json, everything=everything)


@main.command()
@click.argument("board")
@click.argument("deed")
@board_options
def can(board: str, deed: str, as_json: bool, without: tuple[str, ...]) -> None:
    """Whether a deed is legal.

    DEED is a sentence such as "A move to V3/2", "A rout to H6 around H7", "fire from U4 at V3/1";
    parser/README.md has them all. A move is one step here; `moves` finds the way of several.
    """
    from rules_asp import api

    with working(f"{deed} on {board}"):
        position = api.load(board, without=without)
        answer = api.can(position, deed)
    tell("can", position, answer, as_json)


@main.command()
@click.argument("board")
@click.argument("event", metavar="ROLL")
@board_options
def roll(board: str, event: str, as_json: bool, without: tuple[str, ...]) -> None:
    """What a die roll brings about.

    Every modifier with its norm, what each result needs, and its chance. ROLL is such as
    'bog_check("T", U4)'; `rules-asp words roll` lists them.
    """
    from rules_asp import api

    with working(f"{event} on {board}"):
        position = api.load(board, without=without)
        answer = api.roll(position, event)
    tell("roll", position, answer, as_json)


@main.command()
@click.argument("board")
@click.argument("query")
@board_options
def ask(board: str, query: str, as_json: bool, without: tuple[str, ...]) -> None:
    """Ask anything that the rules speak of.

    'height(U4) = V', 'sees(U4/1 - V3)', 'factory(H), not rowhouse(H)': words with a capital are
    variables. `rules-asp words` lists what there is to be asked.
    """
    from rules_asp import api
    from rules_asp.ask import values_of

    with working(f"{query} on {board}"):
        position = api.load(board, without=without)
        parsed = api.parse_query(query, {position.board.name})
        asked = api.ask(position, parsed)
        instead = None if asked.holds is not False else values_of(position, parsed)
    if as_json:
        from rules_asp import as_json as records

        print_json("ask", records.ask(position, parsed, asked))
        return
    from rules_asp import show

    with show.console() as out:
        show.ask(out, position, parsed, asked, instead)


@main.command()
@click.argument("board")
@click.argument("query")
@board_options
def why(board: str, query: str, as_json: bool, without: tuple[str, ...]) -> None:
    """An answer with its reasons.

    The norms that it rests on, down to what is printed on the map; for a no, what stands against.
    """
    from rules_asp import api
    from rules_asp.words import account

    with working(f"why {query} on {board}"):
        position = api.load(board, without=without)
        parsed = api.parse_query(query, {position.board.name})
        answer = api.why(position, parsed)
        points = account(answer.proofs, position.program.norms)
    if as_json:
        from rules_asp import as_json as records

        record = records.ask(position, parsed, answer.asked)
        proof = [records.point(each) for each in points]
        beaten = [{"norm": e.norm, "by": e.by, "at": e.place} for e in answer.beaten]
        print_json("why", {**record, "proof": proof, "beaten": beaten})
        return
    from rules_asp import show

    with show.console() as out:
        show.why(out, position, parsed, answer, points)


@main.command()
@click.argument("board")
@board_options
@click.pass_context
def check(ctx: click.Context, board: str, as_json: bool, without: tuple[str, ...]) -> None:
    """What a board breaks, and what is open on it.

    Norms that the described position breaks (exit code 1), clashes of norms, what is not known,
    what the importer of the board doubts.
    """
    from rules_asp import api

    with working(f"checking {board}"):
        position = api.load(board, without=without)
        checked = api.check(position)
    if as_json:
        from rules_asp import as_json as records

        print_json("check", {"board": position.board.name, **records.check(checked)})
    else:
        from rules_asp import show

        with show.console() as out:
            show.check(out, checked)
    ctx.exit(1 if checked.violations else 0)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@board_options
@click.pass_context
def test(
    ctx: click.Context, files: tuple[str, ...], as_json: bool, without: tuple[str, ...]
) -> None:
    """Ask the `expect` lines of boards.

    A folder stands for all boards in it. Exit code 1 when an answer is not the expected one.
    """
    from rules_asp import api

    program = api.load_program()
    outcomes: list[tuple[Outcome, str]] = []
    errors: list[str] = []
    for file in _boards(files):
        try:
            with working(f"testing {file}"):
                found = _outcomes(api.load(file, program, without))
        except api.ERRORS as error:
            errors.append(message(error))
            complain(errors[-1])
            continue
        outcomes += found
        if not as_json:
            from rules_asp import show

            with show.console() as out:
                show.outcomes(out, file, found)
    failed = sum(not outcome.passed for outcome, _ in outcomes)
    if as_json:
        from rules_asp import as_json as records

        print_json("test", records.test(outcomes, errors))
    else:
        click.echo(f"{len(outcomes) - failed} passed, {failed} failed")
    ctx.exit(2 if errors else 1 if failed else 0)


def _boards(files: Iterable[str]) -> Iterator[str]:
    for file in files:
        if Path(file).is_dir():
            boards = sorted(map(str, Path(file).rglob("*.board")))
            if not boards:
                raise Refusal(f"{file}: no boards in this folder")
            yield from boards
        else:
            yield file


def _outcomes(position: Position) -> list[tuple[Outcome, str]]:
    from rules_asp.expectations import expectations

    lines = position.board.lines
    return [
        (outcome, lines[outcome.place.file][outcome.place.line - 1].split("#")[0].strip())
        for outcome in expectations(position)
    ]


@main.command()
@click.argument("board")
@click.option("--derived", is_flag=True, help="Also what the rules derive from them.")
@board_options
def facts(board: str, derived: bool, as_json: bool, without: tuple[str, ...]) -> None:
    """What a board states, as facts for clingo."""
    from rules_asp import api

    with working(f"facts of {board}"):
        position = api.load(board, without=without)
        given = position.facts.splitlines()
        stated = set(given)
        cases = [
            sorted({f"{symbol}." for symbol in case.symbols} - stated) for case in position.cases
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


@main.command("import")
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, metavar="FILE", help="The board file; - for stdout.")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@json_option
def import_(archive: Path, output: str, force: bool, as_json: bool) -> None:
    """Make a board of a VASL board archive.

    What the archive does not settle is marked as a doubt, to be settled by a board that uses this
    one.
    """
    from rules_asp import api
    from rules_asp.parser import write

    path = Path(output)
    if output != "-" and path.exists() and not force:
        raise Refusal(f"{output} is there already; --force overwrites it")
    with working(f"importing {archive}"):
        board = api.import_archive(archive)
        if output != "-":
            api.write(board, path, force)
    if output == "-":
        click.echo(write(board), nl=False)
    elif as_json:
        from rules_asp import as_json as records

        print_json("import", records.imported(board, output))
    else:
        from rules_asp import show

        with show.console() as out:
            show.imported(out, board, output)


@main.command()
@click.argument("words", nargs=-1, metavar="[ID | WORDS]")
@json_option
def rules(words: tuple[str, ...], as_json: bool) -> None:
    """Look norms up.

    By id (B23.71-5), by paragraph (B23.71) or section (B23), by words. Without anything: all
    sections and paragraphs.
    """
    from rules_asp import as_json as records
    from rules_asp.catalogue import catalogue, is_name
    from rules_asp.source import read

    book = catalogue(read())
    name = len(words) == 1 and is_name(words[0])
    found = book.at(words[0]) if name else book.about(words)
    if name and not found:
        from rules_asp.parser.errors import nearest

        near = nearest(words[0], book.names())
        raise Refusal(f"there is no norm {words[0]}" + (f"; did you mean {near}?" if near else ""))
    if as_json:
        listing = records.norms(book, found) if words else records.paragraphs(book)
        print_json("rules", listing)
        return
    from rules_asp import show

    with show.console() as out:
        if not words:
            show.paragraphs(out, book)
        elif not found:
            out.print(f"no norm speaks of {' '.join(words)}")
        elif len(found) == 1:
            show.norm(out, book, found[0])
        else:
            show.norms(out, found)


@main.command()
@click.argument("cases", nargs=-1, metavar="[CASES...]")
@click.option("--strict", is_flag=True, help="Count what the cases hold in place; takes minutes.")
@json_option
def coverage(cases: tuple[str, ...], strict: bool, as_json: bool) -> None:
    """How much of the rules is encoded.

    With --strict, also how much is exercised: a norm is, when without it some case gets a wrong
    answer. CASES are boards with `expect` lines, or folders of them; otherwise tests/cases of the
    checkout, or the bundled boards.
    """
    from rules_asp.coverage import coverage as counted
    from rules_asp.files import find_board

    paths = [find_board(each) for each in _boards(cases)] or None
    if strict:
        with bar("norms tried") as progress:
            found = counted(cases=paths, strict=True, progress=progress)
    else:
        found = counted(cases=paths)
    if as_json:
        from rules_asp import as_json as records

        print_json("coverage", records.coverage(found))
        return
    from rules_asp import show

    with show.console() as out:
        show.coverage(out, found)


@main.command()
@click.argument("board")
@click.argument("hexes", nargs=-1, metavar="[HEX...]")
def view(board: str, hexes: tuple[str, ...]) -> None:
    """Draw a board, or what is around some hexes."""
    from rules_asp import api
    from rules_asp.grid import spot_hex
    from rules_asp.view import view as drawn

    position = api.load(board)
    wanted = [api.place(position, each) for each in hexes]
    click.echo(drawn(position.board, [spot_hex(each.spot) for each in wanted]), nl=False)


@main.command()
@click.argument("word", required=False)
@json_option
def words(word: str | None, as_json: bool) -> None:
    """What can be asked.

    Topics with the kind of their value, and what holds or does not hold. With a WORD, those whose
    name or sense has it.
    """
    from rules_asp.vocabulary import vocabulary

    known = vocabulary()
    forms = [(f"{each.form}, a {each.kind}", each.sense) for each in known.forms.values()]
    topics = [(f"{each.form} = {each.value}", each.sense) for each in known.topics.values()]
    others = [(each.form, each.sense) for each in (*known.derived.values(), *known.inputs.values())]
    found = [
        (form, sense)
        for form, sense in [*topics, *forms, *others]
        if word is None or word.casefold() in f"{form} {sense}".casefold()
    ]
    if as_json:
        print_json("words", {"words": [{"form": form, "sense": sense} for form, sense in found]})
        return
    from rules_asp import show

    with show.console() as out:
        show.words(out, found)


main.add_command(lab)
