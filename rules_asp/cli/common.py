"""Command base class, options, printing, the board of a command."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial, wraps
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from rules_asp import DEBUG, message
from rules_asp.game import house_rules
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.runtime.worker import is_interrupt

if TYPE_CHECKING:
    from rich.console import Console

    from rules_asp.boards.changes import Change
    from rules_asp.game.board import Board
    from rules_asp.knowledge.notes import Notes
    from rules_asp.knowledge.program import Program
    from rules_asp.positions.position import Position
    from rules_asp.queries.question import Answer, Question
    from rules_asp.runtime.limits import Limits
    from rules_asp.runtime.worker import LimitsOrWorker


# --- Shared parts of all commands: errors, progress, printing of answers.


#: Commands that cite no rule.
_CITING_NOTHING = frozenset(
    (
        "program",
        "lint",
        "coverage",
        "words",
        "facts",
        "view",
        "draw",
        "import",
        "matrix",
        "test",
        "help",
    )
)
#: Commands by their former names; both names work.
_RENAMED = {"sensitive": "depends", "chains": "precedence"}
#: The headings in the help of a command, and the shared options below each. Other options come
#: first.
_HEADINGS = {
    "Explain": ("--why", "--full", "--source", "--notes"),
    "What if": ("--if", "--unless", "--with", "--without", "--as-printed", "--rules"),
    "Output": ("--json", "--all", "--chat", "-o", "--draw", "--force", "--stream"),
    "Limits": ("--time", "--memory", "--patience", "--resume", "--jobs", "--cluster"),
}
#: The context key for the house rules of a command from before --rules.
BEFORE = "rules_asp.before"
#: The context key for the notes of a command.
_NOTES = "rules_asp.notes"
#: The context key for whether all rows are printed.
_EVERYTHING = "rules_asp.everything"


class CommandError(click.ClickException):
    """Wrong input: its message goes to stderr, with exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message."""
        print_error(self.message)


class _ExplainedError(click.UsageError):
    """An error of click with its hint and the example of the command."""


#: How click begins its message about surplus arguments.
_TOO_MANY = "Got unexpected extra argument"


class WholeNumber(click.IntRange):
    """An option type: an integer between two bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; otherwise fail with both bounds."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            least = "" if self.min is None else f" from {self.min}"
            most = "" if self.max is None else f" to {self.max}"
            self.fail(f"{value} is not a whole number{least}{most}", param, ctx)


class SectionedCommand(click.Command):
    """A command whose help lists the shared options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its own options first, then the shared ones."""
        of = {option: heading for heading, options in _HEADINGS.items() for option in options}
        rows: dict[str, list[tuple[str, str]]] = {each: [] for each in ("Options", *_HEADINGS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                rows[of.get(parameter.opts[0], "Options")].append(record)
        for heading, found in rows.items():
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found)


class _Commands(dict[str, click.Command]):
    """Commands by name; a command given as a function is built at its first use."""

    def __init__(self) -> None:
        self.makers: dict[str, Callable[[], click.Command]] = {}
        super().__init__()

    def __getitem__(self, name: str) -> click.Command:
        command = super().__getitem__(name)
        if name in self.makers:
            command = self.makers.pop(name)()
            self[name] = command
        return command

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401

    def values(self) -> Any:
        return [self[name] for name in self]

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


class CommandGroup(click.Group):
    """The command group, with one clear message for every error in a command."""

    command_class = SectionedCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands = _Commands()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name or former name."""
        return super().get_command(ctx, _RENAMED.get(cmd_name, cmd_name))

    def add_lazy(self, name: str, make: Callable[[], click.Command]) -> None:
        """Add a command that is built at its first use."""

        def made() -> click.Command:
            command = make()
            self.add_command(command, name)
            return command

        assert isinstance(self.commands, _Commands)
        self.commands[name] = click.Command(name)
        self.commands.makers[name] = made

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command with the option for house rules, and for notes if it cites rules."""
        folder = partial(click.Option, metavar="DIR", expose_value=False)
        if not isinstance(cmd, click.Group):
            sense = "Add your own rules from this folder."
            cmd.params.append(folder(["--rules"], is_eager=True, callback=_play_by, help=sense))
            if cmd.name not in _CITING_NOTHING:
                sense = "Show notes from this folder next to the rules they are about."
                cmd.params.append(folder(["--notes"], callback=_note, help=sense))
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of registration, not sorted."""
        return list(self.commands)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program; closed standard streams are redirected to nowhere."""
        _open_streams()
        return super().main(*args, **kwargs)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments."""
        try:
            return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:
            raise SystemExit(130) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments before the command.

        An option of a command there raises an error with its correct place.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            if any(name in each.opts for one in self.commands.values() for each in one.params):
                told = f"{name} must follow the command: {ctx.command_path} COMMAND ... {name}"
                raise click.UsageError(told, ctx) from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; every error ends in a message and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except click.MissingParameter as error:
            raise _with_example(error, error.format_message()) from None
        except click.UsageError as error:
            # A group within a group comes here twice.
            if isinstance(error, _ExplainedError) or not error.message.startswith(_TOO_MANY):
                raise
            hint = f"{error.message}: put an argument of several words in quotes"
            raise _with_example(error, hint) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            # The reader of our output has closed it; nothing may be flushed at the end either.
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


def _with_example(error: click.UsageError, message: str) -> click.UsageError:
    """Return the error with a message and the example of the command's help, which shows all
    required arguments."""
    help_text = error.ctx.command.help or "" if error.ctx else ""
    example = re.search(r"^\s*(Example: .*)", help_text, re.MULTILINE)
    shown = f"\n{example[1]}" if example else ""
    return _ExplainedError(f"{message}{shown}", error.ctx)


def _open_streams() -> None:
    """Redirect each closed standard stream to nowhere, so that no file is opened in its place."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _drop_output() -> None:
    """Discard the buffered output, since it cannot be written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _drop_unwritable() -> None:
    """Discard the output if it cannot be written, as on a full disk."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _play_by(ctx: click.Context, _: click.Parameter, folder: str | None) -> None:
    """Use the rules of a folder until the command has ended; CommandError if they are invalid."""
    if folder is None:
        return
    from rules_asp import api
    from rules_asp.game.house_rules import SourceError

    before = house_rules.default_house_rules_dir()
    ctx.call_on_close(partial(api.play_by, before))
    ctx.meta[BEFORE] = before
    try:
        with spinner(f"reading {folder}"):
            api.play_by(folder)
    except (SourceError, OSError) as error:
        raise CommandError(message(error)) from None


def _note(ctx: click.Context, _: click.Parameter, folder: str | None) -> None:
    """Use notes in the output: those of a folder, or of the folder in the config file."""
    from rules_asp.knowledge import notes

    try:
        named = Path(folder) if folder is not None else notes.configured()
        ctx.meta[_NOTES] = None if named is None else notes.read_notes(named)
    except (notes.NotesError, OSError) as error:
        raise CommandError(message(error)) from None


def command_notes() -> Notes | None:
    """Return the notes of the command."""
    notes: Notes | None = click.get_current_context().meta.get(_NOTES)
    return notes


def with_notes(program: Program) -> Program:
    """Return a knowledge base with the notes of the command."""
    notes = command_notes()
    return program if notes is None else program.with_notes(notes)


def print_error(message: str) -> None:
    """Print a message on stderr, with control characters made visible."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in message)
    with suppress(OSError):  # stderr has no reader then; the exit code reports the error
        click.echo(f"rules-asp: {shown}", err=True)


@contextmanager
def spinner(what: str) -> Iterator[None]:
    """Show a sign of activity on a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(what):
        yield


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, str], None] | None]:
    """Show a progress bar on a terminal; its callback gets done and total counts, and a name."""
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
    """Print a record as JSON, with the schema and its command first."""
    import json

    from rules_asp.output.json_schema import with_header

    click.echo(json.dumps(with_header(command, record), indent=2, ensure_ascii=False))


def print_result(
    command: str,
    as_json: bool,
    record: Callable[[], dict[str, Any]],
    show: Callable[[Console], None],
) -> None:
    """Print a result: as a record, or as text for people."""
    if as_json:
        print_json(command, record())
    else:
        from rules_asp.output.console import console

        with console(shows_everything()) as out:
            show(out)


class ProofOptions(NamedTuple):
    """How much of a proof is printed."""

    full: bool
    source: bool


def print_answer(
    command: str,
    answer: Answer,
    as_json: bool,
    why: ProofOptions | None = None,
    given: Answer | str | None = None,
    chat: bool = False,
    paths: bool = False,
) -> None:
    """Print an answer as text or JSON.

    `why`: with its proof.
    given: the answer without the assumptions, or the reason why there is none; only with
    assumptions.
    paths: with each path; JSON always has all.
    chat: in one line for the chat of VASL.
    """
    if chat:
        if as_json:
            raise CommandError("--chat and --json cannot be used together: choose one")
        from rules_asp.output.comparison import chat_line

        click.echo(chat_line(answer))
        return
    if as_json:
        record = answer.record()
        if why is not None:
            record |= answer.proof_record()
        if given is not None:
            from rules_asp.output import comparison

            record |= comparison.record(given, answer)
        print_json(command, record)
        return
    from rules_asp.explain.layout import View
    from rules_asp.output.console import console, show

    everything, full, source = shows_everything(), bool(why and why.full), bool(why and why.source)
    view = View(paths=paths, everything=everything, full=full, source=source)
    with console(everything) as out:
        show(out, *answer.report(view).blocks)
        if why is not None:
            show(out, *answer.proof_blocks(view))
        if given is not None:
            from rules_asp.output import comparison

            comparison.show(out, given, answer)


def board_files(files: Iterable[str]) -> Iterator[str]:
    """Yield the boards with these names; a folder contributes all its boards."""
    for file in files:
        if Path(file).is_dir():
            boards = sorted(map(str, Path(file).rglob("*.board")))
            if not boards:
                raise CommandError(f"the folder {file} has no board files (*.board)")
            yield from boards
        else:
            yield file


# --- The options that commands share, and the values that they pass to a command.


Command = TypeVar("Command", bound=Callable[..., object])


def json_option(command: Command) -> Command:
    """The output options: JSON, or text with all rows of its tables."""
    everything = click.option(
        "--all",
        is_flag=True,
        expose_value=False,
        callback=_show_everything,
        help="Show all rows of long tables, and details that are otherwise left out.",
    )
    return everything(
        click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")(command)
    )


def _show_everything(ctx: click.Context, _: click.Parameter, everything: bool) -> None:
    ctx.meta[_EVERYTHING] = everything


def shows_everything() -> bool:
    """Return whether the command prints all rows."""
    return bool(click.get_current_context().meta.get(_EVERYTHING))


def board_options(command: Command) -> Command:
    """The options of every command with a board."""
    without = click.option(
        "--without",
        multiple=True,
        metavar="RULING",
        help="Ignore this ruling, such as R-T03. Repeatable.",
    )
    return without(json_option(command))


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that may take long; it gets `limits`."""

    @wraps(command)
    def limited(*args: Any, seconds: str | None, memory: str | None, **given: Any) -> None:
        command(*args, limits=parse_limits(seconds, memory), **given)

    for name, option, metavar, sense in (
        (
            "memory",
            "--memory",
            "MB",
            "Stop if the command needs more than this many MB. Default: 2048 MB. `off` means no limit.",
        ),
        (
            "seconds",
            "--time",
            "SECONDS",
            "Stop after this many seconds. Default: 60 seconds. `off` means no limit.",
        ),
    ):
        click.option(option, name, metavar=metavar, help=sense)(limited)
    return limited


def proof_options(command: Command) -> Command:
    """The options for the extent of a proof; the command gets `full` and `source`."""
    source = click.option("--source", is_flag=True, help="Show the file and line of each rule.")
    return click.option("--full", is_flag=True, help="Show the whole proof.")(source(command))


def why_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options for the proof of an answer; the command gets `why`, or None."""

    @wraps(command)
    def explained(*args: Any, wanted: bool, full: bool, source: bool, **given: Any) -> None:
        why = ProofOptions(full, source) if wanted or full or source else None
        command(*args, why=why, **given)

    option = click.option(
        "--why", "wanted", is_flag=True, help="Explain the answer, as `why` does."
    )
    return option(proof_options(explained))


def chat_option(command: Command) -> Command:
    """The option to print the answer in one line, for the chat of VASL."""
    sense = "Print one line to paste into the chat of VASL."
    return click.option("--chat", is_flag=True, help=sense)(command)


def parse_limits(seconds: str | None = None, memory: str | None = None) -> Limits:
    """Return the limits from a command's options, else RULES_ASP_TIME and RULES_ASP_MEMORY."""
    from rules_asp.runtime.limits import Limits

    try:
        return Limits.parse(seconds, memory)
    except ValueError as error:
        raise CommandError(str(error)) from None


def positive_seconds(
    _: click.Context, option: click.Parameter, value: float | None
) -> float | None:
    """Return a number of seconds; CommandError for any other text."""
    if value is not None and not (isfinite(value) and value > 0):
        raise CommandError(f"{option.opts[0]} must be a number of seconds above 0, not {value:g}")
    return value


def word_choices(kind: str) -> str:
    """Return the words of a kind as a choice: `mph, rtph or aph`."""
    *first, last = default_vocabulary().words[kind]
    return f"{', '.join(first)} or {last}" if first else last


# --- The options for the processes or cluster of bulk work.


_Command = Callable[..., None]


def job_options(alone: str = "") -> Callable[[_Command], _Command]:
    """The options of a command with many jobs; it gets `jobs`.

    `alone`: the help text if the default is this process only, instead of all cores.
    """

    def optional(command: _Command) -> _Command:
        @wraps(command)
        def shared(*args: Any, processes: int | None, cluster: str | None, **given: Any) -> None:
            from rules_asp.runtime.job_pool import JobSettings

            command(*args, jobs=JobSettings(processes or (1 if alone else None), cluster), **given)

        click.option(
            "--cluster", metavar="ADDRESS", help="Use a Dask cluster, such as tcp://host:8786."
        )(shared)
        click.option(
            "--jobs",
            "processes",
            type=WholeNumber(1, 256),
            metavar="N",
            help=alone or "Number of processes. Default: all cores.",
        )(shared)
        return shared

    return optional


# --- The board of a command: a file, an included board, or standard input; and its assumptions.


#: The argument for standard input, and its name in messages.
DASH, STDIN = "-", "<stdin>"
#: An assumption: whether it adds a line, its option, the line.
Supposition = tuple[bool, str, str]
#: The options for assumptions: whether they add the line, the option, its help.
_SUPPOSED = (
    (True, "--if", "Add this line to the board. Repeatable."),
    (False, "--unless", "Remove this line from the board. Repeatable."),
)
#: The option that switches on a ruling that is off by default, by this line of a board.
_WITH, _PLAYED = "--with", "ruling {}"


class BoardCommand(SectionedCommand):
    """A command with a board and assumptions about it.

    The command gets `changes`, in the order of the options.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._supposed: dict[str, tuple[bool, str]] = {}
        for adds, flag, sense in _SUPPOSED:
            option = click.Option([flag], multiple=True, metavar="LINE", help=sense)
            self._supposed[str(option.name)] = (adds, flag)
            self.params.append(option)
        sense = "Switch on a ruling that is off by default, such as R-B31. Repeatable."
        played = click.Option([_WITH, "played"], multiple=True, metavar="RULING", help=sense)
        self._supposed["played"] = (True, _WITH)
        self.params.append(played)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; click itself loses the order of different options."""
        order = self.make_parser(ctx).parse_args(list(args))[2]
        chosen: dict[str, click.Parameter] = {}
        for each in order:
            if chosen.setdefault(str(each.name), each) is not each:
                one, other = chosen[str(each.name)].opts[0], each.opts[0]
                raise click.UsageError(
                    f"{one} and {other} cannot be used together: choose one", ctx
                )
        rest = super().parse_args(ctx, args)
        lines = {name: iter(ctx.params.pop(name, None) or ()) for name in self._supposed}
        came = [str(each.name) for each in order if each.name in self._supposed]
        ctx.params["changes"] = tuple(
            (*self._supposed[name], line) for name in came for line in islice(lines[name], 1)
        )
        return rest


class _Given(NamedTuple):
    """The board of a command, as named, and whether the command changes the answer's conditions."""

    board: str | Board
    program: Program | None
    supposed: bool


#: The context key for the board of a command.
_GIVEN = "rules_asp.given"


def open_position(
    board: str,
    without: Iterable[str] = (),
    changes: Sequence[Supposition] = (),
    program: Program | None = None,
) -> Position:
    """Return the position of a command's board with all assumptions, ready for questions."""
    from rules_asp import api

    made_ = parse_changes(changes)
    read = _from_stdin() if board == DASH else board
    without = tuple(without)
    context = click.get_current_context()
    supposed = bool(without or made_ or BEFORE in context.meta)
    context.meta[_GIVEN] = _Given(read, program, supposed)
    if isinstance(read, str):
        position = api.load(read, program, without, made_)
    else:
        position = api.position(read, program, without, made_)
    noted = with_notes(position.program)
    return position if noted is position.program else replace(position, program=noted)


def parse_changes(changes: Sequence[Supposition]) -> tuple[Change, ...]:
    """Convert the assumptions of a command to changes of a board."""
    from rules_asp import api

    return tuple(
        api.Change(adds, _PLAYED.format(line) if flag == _WITH else line, flag)
        for adds, flag, line in changes
    )


def answer_without_changes(
    question: Question[Any], limits: LimitsOrWorker = None
) -> Answer | str | None:
    """Return the answer without the assumptions about board and rules, or why there is none.

    None without assumptions.
    """
    from rules_asp import api

    meta = click.get_current_context().meta
    board, program, supposed = meta[_GIVEN]
    if not supposed:
        return None
    chosen = house_rules.default_house_rules_dir()
    try:
        if BEFORE in meta:
            api.play_by(meta[BEFORE])
        here = api.load(board, program) if isinstance(board, str) else api.position(board, program)
        found: Answer = question.answer(here, limits)
        return found
    except api.ERRORS as error:
        return message(error)
    finally:
        if BEFORE in meta:
            api.play_by(chosen)


def _from_stdin() -> Board:
    """Return the board on standard input."""
    from rules_asp.parser import load_text
    from rules_asp.runtime.limits import size_limit, too_large_message

    try:
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(size_limit("board") + 1)
    except (OSError, ValueError):
        data = b""  # closed, or open for writing only
    if not data.strip():
        raise CommandError("standard input is empty: it must be a board")
    if len(data) > size_limit("board"):
        raise CommandError(f"{STDIN}: {too_large_message('board')}")
    try:
        return load_text(data.decode("utf-8"), STDIN)
    except UnicodeDecodeError:
        raise CommandError(f"{STDIN} is not UTF-8 text") from None
