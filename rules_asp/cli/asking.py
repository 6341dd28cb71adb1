"""Commands that ask a board: los, tem, fire, moves, can, roll, ask, why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.boards_given import BoardCommand, Supposed, ready
from rules_asp.cli.drawings import draw_option, keep
from rules_asp.positions.settling import spoken_names
from rules_asp.telling.terminal import (
    board_options,
    either,
    limit_options,
    print_json,
    shot_options,
    tell,
    way_options,
    working,
)

if TYPE_CHECKING:
    from rules_asp.bounds import Limits


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("a")
@click.argument("b")
@draw_option
@board_options
def los(
    board: str,
    a: str,
    b: str,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
) -> None:
    """Line of sight from one Location to another.

    A and B are Locations such as U4/2, V3, U4/roof or K13@L12-K12. The answer: clear or blocked,
    where and by which norm; Hindrances; what would have blocked and was beaten; close calls.
    """
    from rules_asp import api

    with working(f"{a} - {b} on {board}"):
        position = ready(board, without, changes)
        answer = api.los(position, a, b)
        keep(drawn, position, answer)
    tell("los", position, answer, as_json)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@draw_option
@board_options
def tem(**asked: Any) -> None:
    """TEM of fire at a Location.

    FIRER and TARGET are Locations such as U4/2, or units of the board.
    """
    _shoot("tem", **asked)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@draw_option
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
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
) -> None:
    """Tell what a command about a shot has to say of it."""
    from rules_asp import api

    ask_of = {"tem": api.tem, "fire": api.fire}[command]
    with working(f"{firer} at {target} on {board}"):
        position = ready(board, without, changes)
        answer = ask_of(position, firer, target, how, doing)
        keep(drawn, position, answer)
    tell(command, position, answer, as_json)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option("--phase", default="mph", show_default=True, help=f"{either('moving_phase')}.")
@way_options
@click.option("--all", "everything", is_flag=True, help="Also each forbidden step, and vertices.")
@limit_options
@draw_option
@board_options
def moves(
    board: str,
    units: tuple[str, ...],
    phase: str,
    turns: int,
    only: str | None,
    everything: bool,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """Where a unit can go.

    Every Location that it reaches, the least MF (a vehicle: MP), and the way there; `perhaps`: those to
    which a way leads of which some step is not known. Several units move as one stack.
    """
    from rules_asp import api

    with working(f"moves of {' '.join(units)} on {board}"):
        position = ready(board, without, changes)
        answer = api.moves(position, units, phase, limits, turns, only)
        keep(drawn, position, answer)
    tell("moves", position, answer, as_json, room="ways", everything=everything)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("deed")
@limit_options
@board_options
def can(
    board: str,
    deed: str,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """Whether a deed is legal.

    DEED is a sentence such as "A move to V3/2", "A rout to H6 around H7", "fire from U4 at V3/1";
    parser/README.md has them all. A move is a step, or a way of several within the MF that are left; with
    `from`, `by` or `around` it is one step.
    """
    from rules_asp import api

    with working(f"{deed} on {board}"):
        position = ready(board, without, changes)
        answer = api.can(position, deed, limits=limits)
    tell("can", position, answer, as_json, room="ways")


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("event", metavar="ROLL")
@limit_options
@board_options
def roll(
    board: str,
    event: str,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """What a die roll brings about.

    Every modifier with its norm, what each result needs, and its chance. ROLL is such as
    'bog_check("T", U4)'; `rules-asp words roll` lists them. What dice show can be said: '... with colored 2',
    'with colored 2 white 5', 'with DR 7'.
    """
    from rules_asp import api

    with working(f"{event} on {board}"):
        position = ready(board, without, changes)
        answer = api.roll(position, event, limits=limits)
    tell("roll", position, answer, as_json)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("query")
@limit_options
@board_options
def ask(
    board: str,
    query: str,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """Ask anything that the rules speak of.

    'height(U4) = V', 'sees(U4/1 - V3)', 'factory(H), not rowhouse(H)': words with a capital are
    variables. `rules-asp words` lists what there is to be asked.
    """
    from rules_asp import api

    with working(f"{query} on {board}"):
        position = ready(board, without, changes)
        parsed = api.parse_query(query, spoken_names(position))
        asked = api.ask(position, parsed, limits=limits)
    if as_json:
        from rules_asp.telling import as_json as records

        print_json("ask", records.ask(position, parsed, asked))
        return
    from rules_asp.telling import text as show
    from rules_asp.telling.layout import console

    with console() as out:
        show.ask(out, position, parsed, asked)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("query")
@limit_options
@draw_option
@board_options
def why(
    board: str,
    query: str,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """An answer with its reasons.

    The norms that it rests on, down to what is printed on the map; for a no, what stands against.
    """
    from rules_asp import api
    from rules_asp.answers.accounts import account

    with working(f"why {query} on {board}"):
        position = ready(board, without, changes)
        parsed = api.parse_query(query, spoken_names(position))
        answer = api.why(position, parsed, limits=limits)
        points = account(answer.proofs, position.program.norms)
        keep(drawn, position, answer, str(parsed))
    if as_json:
        from rules_asp.telling import as_json as records

        print_json("why", records.why(position, parsed, answer, points))
        return
    from rules_asp.telling import text as show
    from rules_asp.telling.layout import console

    with console() as out:
        show.why(out, position, parsed, answer, points)
