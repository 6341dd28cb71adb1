"""What every command of `rules-asp` shares: refusals, signs of life, how it tells its answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rules_asp.bounds.interrupts import is_interrupt
from rules_asp.terms import own_rules

if TYPE_CHECKING:
    from rules_asp.answers.explaining import Why
    from rules_asp.positions.belonging import Answer
    from rules_asp.positions.prepared import Position

#: Set to see where an unforeseen error comes from.
DEBUG = "RULES_ASP_DEBUG"
#: Commands that cite no rule.
_CITING_NOTHING = frozenset(
    ("program", "lint", "coverage", "words", "facts", "view", "draw", "import", "matrix", "test")
)
#: Where a command keeps the rules of one's own that it was called with, before --rules.
BEFORE = "rules_asp.before"


class CommandError(click.ClickException):
    """Bad input: its message on stderr, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Tell what was wrong."""
        print_error(self.message)


class CommandGroup(click.Group):
    """The commands, with one clear message for whatever can go wrong in any of them."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command; each can be given rules of one's own, and each that cites some notes on them."""
        folder = partial(click.Option, metavar="DIR", expose_value=False)
        if not isinstance(cmd, click.Group):
            sense = "Add the rules in this folder to the shipped ones."
            cmd.params.append(folder(["--rules"], is_eager=True, callback=_play_by, help=sense))
            if cmd.name not in _CITING_NOTHING:
                sense = "Tell the notes in this folder beside the rules that are cited."
                cmd.params.append(folder(["--notes"], callback=_note, help=sense))
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are written down here, not by the alphabet."""
        return list(self.commands)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program; a stream that whoever started it has closed is one that leads nowhere."""
        _open_streams()
        return super().main(*args, **kwargs)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments."""
        try:
            return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:
            raise SystemExit(130) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what stands before the command; an option of commands that stands there is told its
        place.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            if any(name in each.opts for one in self.commands.values() for each in one.params):
                told = f"{name} stands after the command: {ctx.command_path} COMMAND ... {name}"
                raise click.UsageError(told, ctx) from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever goes wrong ends in a message and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            # Whoever read our output has seen enough; nothing may be flushed at the end either.
            _drop_output()
            ctx.exit(141)
        except KeyboardInterrupt:
            ctx.exit(130)
        except Exception as error:
            if is_interrupt(error):
                ctx.exit(130)
            if os.environ.get(DEBUG):
                raise
            if isinstance(error, OSError):
                _drop_unwritable()
            raise CommandError(message(error)) from None


def _open_streams() -> None:
    """Let each standard stream that is closed lead nowhere, so that no file is opened in its place."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _drop_output() -> None:
    """Let the output that is still held lead nowhere, since it can go nowhere else."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _drop_unwritable() -> None:
    """Drop the output if it is that which cannot be written, as on a full disk."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _play_by(ctx: click.Context, _: click.Parameter, folder: str | None) -> None:
    """Play by the rules of a folder too, until the command has ended; Refusal for what is wrong in it."""
    if folder is None:
        return
    from rules_asp import api
    from rules_asp.knowledge.source import SourceError

    before = own_rules.house_rules_dir()
    ctx.call_on_close(partial(api.play_by, before))
    ctx.meta[BEFORE] = before
    try:
        with spinner(f"reading {folder}"):
            api.play_by(folder)
    except (SourceError, OSError) as error:
        raise CommandError(message(error)) from None


def _note(ctx: click.Context, _: click.Parameter, folder: str | None) -> None:
    """Tell notes beside what is cited, those of a folder or of the one that the config file names."""
    from rules_asp.telling import notes

    try:
        named = Path(folder) if folder is not None else notes.configured()
        read = None if named is None else notes.read_notes(named)
    except (notes.NotesError, OSError) as error:
        raise CommandError(message(error)) from None
    before = notes.use_notes_dir(read)
    ctx.call_on_close(partial(notes.use_notes_dir, before))


def message(error: Exception) -> str:
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
    return f"{kind}: {error}\nThis is a fault of rules-asp; {DEBUG}=1 shows where it comes from."


def print_error(message: str) -> None:
    """Tell something on stderr, with control characters made visible."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in message)
    with suppress(OSError):  # nobody reads it then; the exit code tells
        click.echo(f"rules-asp: {shown}", err=True)


@contextmanager
def spinner(what: str) -> Iterator[None]:
    """Show on a terminal that something goes on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(what):
        yield


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, str], None] | None]:
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


def print_json(command: str, record: dict[str, Any]) -> None:
    """Print a record as JSON, headed by the schema and its command."""
    import json

    from rules_asp.telling.as_json import with_header

    click.echo(json.dumps(with_header(command, record), indent=2, ensure_ascii=False))


class ProofOptions(NamedTuple):
    """The proofs of an answer, and how much of them is told."""

    proofs: Sequence[Why]
    full: bool
    source: bool


def print_answer(
    command: str,
    position: Position,
    answer: Answer,
    as_json: bool,
    room: str = "",
    why: ProofOptions | None = None,
    given: Answer | str | None = None,
    **shown: object,
) -> None:
    """Tell an answer: each command has a function of its name for JSON, and one for people.

    `room` is where they stand: `many`, about many places, or `ways`, where units go. `why` are its proofs,
    where they are wanted. `given` is the answer without what is supposed, or why there is none, where
    something is. `shown` is what people may want to see besides; JSON has everything.
    """
    if as_json:
        from rules_asp.telling import as_json as one_json
        from rules_asp.telling import comparing, many_json, ways_json, why_json

        records = {"": one_json, "many": many_json, "ways": ways_json}[room]
        proofs = why_json.reasons(position, why.proofs) if why else {}
        beside = comparing.record(given, answer)
        print_json(command, {**getattr(records, command)(position, answer), **proofs, **beside})
        return
    from rules_asp.telling import comparing, many_text, text, ways_text, why_text
    from rules_asp.telling.layout import console

    show = {"": text, "many": many_text, "ways": ways_text}[room]
    with console() as out:
        getattr(show, command)(out, position, answer, **shown)
        if why:
            why_text.reasons(out, position, why.proofs, why_text.ProofDetail(why.full, why.source))
        comparing.show(out, given, answer)


def board_files(files: Iterable[str]) -> Iterator[str]:
    """The boards that these names stand for: a folder stands for all boards in it."""
    for file in files:
        if Path(file).is_dir():
            boards = sorted(map(str, Path(file).rglob("*.board")))
            if not boards:
                raise CommandError(f"{file}: no boards in this folder")
            yield from boards
        else:
            yield file
