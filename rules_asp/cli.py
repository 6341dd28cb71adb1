"""The command `rules-asp`: a thin layer over `rules_asp.api`.

Exit codes: 0 answered, also when the answer is no; 1 an expectation failed or a norm is broken;
2 bad usage or input. What is heavy is imported inside the commands, so that `--help` comes at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rules_asp import __version__

if TYPE_CHECKING:
    from rules_asp.api import Position
    from rules_asp.expectations import Outcome

_Command = TypeVar("_Command", bound=Callable[..., object])
#: Set to see where an unforeseen error comes from.
_DEBUG = "RULES_ASP_DEBUG"


class _Refusal(click.ClickException):
    """Bad input: its message on stderr, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        _complain(self.message)


class _Commands(click.Group):
    """The commands, with one clear message for whatever can go wrong in any of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are written down here, not by the alphabet."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            # Whoever read our output has seen enough; nothing may be flushed at the end either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(141)
        except KeyboardInterrupt:
            ctx.exit(130)
        except Exception as error:
            if os.environ.get(_DEBUG):
                raise
            raise _Refusal(_message(error)) from None


def _message(error: Exception) -> str:
    """What to tell the user about an error."""
    from rules_asp.api import ERRORS

    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    if isinstance(error, ERRORS):
        return str(error)
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    kind = type(error).__name__
    return f"{kind}: {error}\nThis is a fault of rules-asp; {_DEBUG}=1 shows where it comes from."


def _complain(message: str) -> None:
    """Tell something on stderr, with control characters made visible."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in message)
    click.echo(f"rules-asp: {shown}", err=True)


def _json_option(command: _Command) -> _Command:
    return click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")(command)


def _board_options(command: _Command) -> _Command:
    without = click.option(
        "--without",
        multiple=True,
        metavar="RULING",
        help="Switch a ruling off (R-T03, ...); can be repeated.",
    )
    return without(_json_option(command))


@click.group(
    cls=_Commands,
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
@_board_options
def los(board: str, a: str, b: str, as_json: bool, without: tuple[str, ...]) -> None:
    """Line of sight from one Location to another.

    A and B are Locations such as U4/2, V3, U4/roof or K13@L12-K12. The answer: clear or blocked,
    where and by which norm; Hindrances; what would have blocked and was beaten; close calls.
    """
    from rules_asp import api

    with _working(f"{a} - {b} on {board}"):
        position = api.load(board, without=without)
        answer = api.los(position, a, b)
    if as_json:
        from rules_asp import as_json as records

        _print_json("los", records.los(position, answer))
        return
    from rules_asp import show

    with show.console() as out:
        show.los(out, position, answer)


@main.command()
@click.argument("board")
@click.argument("query")
@_board_options
def ask(board: str, query: str, as_json: bool, without: tuple[str, ...]) -> None:
    """Ask anything that the rules speak of.

    'height(U4) = V', 'sees(U4/1 - V3)', 'factory(H), not rowhouse(H)': words with a capital are
    variables. `rules-asp words` lists what there is to be asked.
    """
    from rules_asp import api
    from rules_asp.ask import values_of

    with _working(f"{query} on {board}"):
        position = api.load(board, without=without)
        parsed = api.parse_query(query, {position.board.name})
        asked = api.ask(position, parsed)
        instead = None if asked.holds is not False else values_of(position, parsed)
    if as_json:
        from rules_asp import as_json as records

        _print_json("ask", records.ask(position, parsed, asked))
        return
    from rules_asp import show

    with show.console() as out:
        show.ask(out, position, parsed, asked, instead)


@main.command()
@click.argument("board")
@click.argument("query")
@_board_options
def why(board: str, query: str, as_json: bool, without: tuple[str, ...]) -> None:
    """An answer with its reasons.

    The norms that it rests on, down to what is printed on the map; for a no, what stands against.
    """
    from rules_asp import api
    from rules_asp.words import account

    with _working(f"why {query} on {board}"):
        position = api.load(board, without=without)
        parsed = api.parse_query(query, {position.board.name})
        answer = api.why(position, parsed)
        points = account(answer.proofs, position.program.norms)
    if as_json:
        from rules_asp import as_json as records

        record = records.ask(position, parsed, answer.asked)
        proof = [records.point(each) for each in points]
        beaten = [{"norm": e.norm, "by": e.by, "at": e.place} for e in answer.beaten]
        _print_json("why", {**record, "proof": proof, "beaten": beaten})
        return
    from rules_asp import show

    with show.console() as out:
        show.why(out, position, parsed, answer, points)


@main.command()
@click.argument("board")
@_board_options
@click.pass_context
def check(ctx: click.Context, board: str, as_json: bool, without: tuple[str, ...]) -> None:
    """What a board breaks, and what is open on it.

    Norms that the described position breaks (exit code 1), clashes of norms, what is not known,
    what the importer of the board doubts.
    """
    from rules_asp import api

    with _working(f"checking {board}"):
        position = api.load(board, without=without)
        checked = api.check(position)
    if as_json:
        from rules_asp import as_json as records

        _print_json("check", {"board": position.board.name, **records.check(checked)})
    else:
        from rules_asp import show

        with show.console() as out:
            show.check(out, checked)
    ctx.exit(1 if checked.violations else 0)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_board_options
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
            with _working(f"testing {file}"):
                found = _outcomes(api.load(file, program, without))
        except api.ERRORS as error:
            errors.append(_message(error))
            _complain(errors[-1])
            continue
        outcomes += found
        if not as_json:
            from rules_asp import show

            with show.console() as out:
                show.outcomes(out, file, found)
    failed = sum(not outcome.passed for outcome, _ in outcomes)
    if as_json:
        from rules_asp import as_json as records

        _print_json("test", records.test(outcomes, errors))
    else:
        click.echo(f"{len(outcomes) - failed} passed, {failed} failed")
    ctx.exit(2 if errors else 1 if failed else 0)


def _boards(files: Iterable[str]) -> Iterator[str]:
    for file in files:
        if Path(file).is_dir():
            boards = sorted(map(str, Path(file).rglob("*.board")))
            if not boards:
                raise _Refusal(f"{file}: no boards in this folder")
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
@_board_options
def facts(board: str, derived: bool, as_json: bool, without: tuple[str, ...]) -> None:
    """What a board states, as facts for clingo."""
    from rules_asp import api

    with _working(f"facts of {board}"):
        position = api.load(board, without=without)
        given = position.facts.splitlines()
        stated = set(given)
        cases = [
            sorted({f"{symbol}." for symbol in case.symbols} - stated) for case in position.cases
        ]
    if as_json:
        record: dict[str, Any] = {"board": position.board.name, "given": given}
        _print_json("facts", {**record, "derived": cases} if derived else record)
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
@_json_option
def import_(archive: Path, output: str, force: bool, as_json: bool) -> None:
    """Make a board of a VASL board archive.

    What the archive does not settle is marked as a doubt, to be settled by a board that uses this
    one.
    """
    from rules_asp import api
    from rules_asp.parser import write

    path = Path(output)
    if output != "-" and path.exists() and not force:
        raise _Refusal(f"{output} is there already; --force overwrites it")
    with _working(f"importing {archive}"):
        board = api.import_archive(archive)
        if output != "-":
            api.write(board, path, force)
    if output == "-":
        click.echo(write(board), nl=False)
    elif as_json:
        from rules_asp import as_json as records

        _print_json("import", records.imported(board, output))
    else:
        from rules_asp import show

        with show.console() as out:
            show.imported(out, board, output)


@main.command()
@click.argument("words", nargs=-1, metavar="[ID | WORDS]")
@_json_option
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
        raise _Refusal(f"there is no norm {words[0]}" + (f"; did you mean {near}?" if near else ""))
    if as_json:
        listing = records.norms(book, found) if words else records.paragraphs(book)
        _print_json("rules", listing)
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
@_json_option
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
        with _bar("norms tried") as progress:
            found = counted(cases=paths, strict=True, progress=progress)
    else:
        found = counted(cases=paths)
    if as_json:
        from rules_asp import as_json as records

        _print_json("coverage", records.coverage(found))
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
@_json_option
def words(word: str | None, as_json: bool) -> None:
    """What can be asked.

    Topics with the kind of their value, and what holds or does not hold. With a WORD, those whose
    name or sense has it.
    """
    from rules_asp.vocabulary import vocabulary

    known = vocabulary()
    topics = [(f"{each.form} = {each.value}", each.sense) for each in known.topics.values()]
    others = [(each.form, each.sense) for each in (*known.derived.values(), *known.inputs.values())]
    found = [
        (form, sense)
        for form, sense in [*topics, *others]
        if word is None or word.casefold() in f"{form} {sense}".casefold()
    ]
    if as_json:
        _print_json("words", {"words": [{"form": form, "sense": sense} for form, sense in found]})
        return
    from rules_asp import show

    with show.console() as out:
        show.words(out, found)


@contextmanager
def _working(what: str) -> Iterator[None]:
    """Show on a terminal that something goes on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(what):
        yield


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int, str], None] | None]:
    """A progress bar on a terminal: it is told how many of how many are done, and which is next."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=f"{what}: {name}"
        )


def _print_json(command: str, record: dict[str, Any]) -> None:
    import json

    from rules_asp.as_json import headed

    click.echo(json.dumps(headed(command, record), indent=2, ensure_ascii=False))
