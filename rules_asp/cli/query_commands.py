"""los, tem, fire, moves, can, roll, ask, why, sees, reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.common import (
    BoardCommand,
    Supposition,
    answer_without_changes,
    board_options,
    limit_options,
    open_position,
    print_answer,
    print_json,
    proof_options,
    shot_options,
    spinner,
    way_options,
    why_options,
    word_choices,
)
from rules_asp.cli.draw_command import draw_option, save_picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from rules_asp.cli.common import ProofOptions
    from rules_asp.runtime.limits import Limits


# --- Commands that ask a board: los, tem, fire, moves, can, roll, ask, why.


if TYPE_CHECKING:
    from collections.abc import Callable

    from rules_asp.cli.common import ProofOptions
    from rules_asp.runtime.limits import Limits

    #: What proves an answer, where its reasons are wanted.
    Proving = Callable[..., ProofOptions | None]


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("a")
@click.argument("b")
@why_options
@draw_option
@board_options
def los(
    board: str,
    a: str,
    b: str,
    because: Proving,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Line of sight from one Location to another.

    A and B are Locations such as U4/2, V3, U4/roof or K13@L12-K12. The answer: clear or blocked,
    where and by which norm; Hindrances; what would have blocked and was beaten; close calls.
    """
    from rules_asp import api

    with spinner(f"{a} - {b} on {board}"):
        position = open_position(board, without, changes)
        answer = api.los(position, a, b)
        proofs = because(position, answer)
        save_picture(drawn, position, answer)
        given = answer_without_changes(lambda other: api.los(other, a, b))
    print_answer("los", position, answer, as_json, why=proofs, given=given)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@why_options
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
@why_options
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
    because: Proving,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Tell what a command about a shot has to say of it."""
    from rules_asp import api

    ask_of = {"tem": api.tem, "fire": api.fire}[command]
    with spinner(f"{firer} at {target} on {board}"):
        position = open_position(board, without, changes)
        answer = ask_of(position, firer, target, how, doing)
        proofs = because(position, answer)
        save_picture(drawn, position, answer)
        given = answer_without_changes(lambda other: ask_of(other, firer, target, how, doing))
    print_answer(command, position, answer, as_json, why=proofs, given=given)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option("--phase", default="mph", show_default=True, help=f"{word_choices('moving_phase')}.")
@way_options
@click.option("--all", "everything", is_flag=True, help="Also each forbidden step, and vertices.")
@limit_options
@why_options
@draw_option
@board_options
def moves(
    board: str,
    units: tuple[str, ...],
    phase: str,
    turns: int,
    only: str | None,
    everything: bool,
    because: Proving,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Where a unit can go.

    Every Location that it reaches, the least MF (a vehicle: MP), and the way there; `perhaps`: those to
    which a way leads of which some step is not known. Several units move as one stack.
    """
    from rules_asp import api

    with spinner(f"moves of {' '.join(units)} on {board}"):
        position = open_position(board, without, changes)
        answer = api.moves(position, units, phase, limits, turns, only)
        proofs = because(position, answer, limits)
        save_picture(drawn, position, answer)
        given = answer_without_changes(
            lambda other: api.moves(other, units, phase, limits, turns, only)
        )
    print_answer(
        "moves",
        position,
        answer,
        as_json,
        room="ways",
        why=proofs,
        given=given,
        everything=everything,
    )


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("deed")
@limit_options
@why_options
@board_options
def can(
    board: str,
    deed: str,
    because: Proving,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Whether a deed is legal.

    DEED is a sentence such as "A move to V3/2", "A rout to H6 around H7", "fire from U4 at V3/1";
    parser/README.md has them all. A move is a step, or a way of several within the MF that are left; with
    `from`, `by` or `around` it is one step.
    """
    from rules_asp import api

    with spinner(f"{deed} on {board}"):
        position = open_position(board, without, changes)
        answer = api.can(position, deed, limits=limits)
        proofs = because(position, answer, limits)
        given = answer_without_changes(lambda other: api.can(other, deed, limits=limits))
    print_answer("can", position, answer, as_json, room="ways", why=proofs, given=given)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("event", metavar="ROLL")
@limit_options
@why_options
@board_options
def roll(
    board: str,
    event: str,
    because: Proving,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """What a die roll brings about.

    Every modifier with its norm, what each result needs, and its chance. ROLL is such as
    'bog_check("T", U4)'; `rules-asp words roll` lists them. What dice show can be said: '... with
    colored 2', 'with colored 2 white 5', 'with DR 7'.
    """
    from rules_asp import api

    with spinner(f"{event} on {board}"):
        position = open_position(board, without, changes)
        answer = api.roll(position, event, limits=limits)
        proofs = because(position, answer, limits)
        given = answer_without_changes(lambda other: api.roll(other, event, limits=limits))
    print_answer("roll", position, answer, as_json, why=proofs, given=given)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("query")
@limit_options
@click.option("--why", "wanted", is_flag=True, help="Tell the reasons, as `why` does.")
@proof_options
@board_options
def ask(
    board: str,
    query: str,
    wanted: bool,
    full: bool,
    source: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Ask anything that the rules speak of.

    'height(U4) = V', 'sees(U4/1 - V3)', 'factory(H), not rowhouse(H)': words with a capital are
    variables. `rules-asp words` lists what there is to be asked.
    """
    from rules_asp import api
    from rules_asp.positions.name_resolution import board_prefixes

    if wanted or full or source:
        _why("ask", board, query, full, source, None, as_json, without, changes, limits)
        return
    with spinner(f"{query} on {board}"):
        position = open_position(board, without, changes)
        parsed = api.parse_query(query, board_prefixes(position), position)
        asked = api.ask(position, parsed, limits=limits)
        given = answer_without_changes(lambda other: api.ask(other, query, limits=limits))
    from rules_asp.output import comparison

    if as_json:
        from rules_asp.output import answer_json

        beside = comparison.record(given, asked)
        print_json("ask", {**answer_json.ask(position, parsed, asked), **beside})
        return
    from rules_asp.output import answer_text
    from rules_asp.output.console import console

    with console() as out:
        answer_text.ask(out, position, parsed, asked)
        comparison.show(out, given, asked)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("query")
@limit_options
@proof_options
@draw_option
@board_options
def why(
    board: str,
    query: str,
    full: bool,
    source: bool,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """An answer with its reasons.

    The norms that it rests on, down to what is printed on the map, in about a dozen lines; for a no, what
    stands against. What is our reading, or assumed, is marked.
    """
    _why("why", board, query, full, source, drawn, as_json, without, changes, limits)


def _why(
    command: str,
    board: str,
    query: str,
    full: bool,
    source: bool,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Tell an answer with its reasons."""
    from rules_asp import api
    from rules_asp.positions.name_resolution import board_prefixes

    with spinner(f"why {query} on {board}"):
        position = open_position(board, without, changes)
        parsed = api.parse_query(query, board_prefixes(position), position)
        answer = api.why(position, parsed, limits=limits)
        save_picture(drawn, position, answer, str(parsed))
        given = answer_without_changes(lambda other: api.ask(other, query, limits=limits))
    from rules_asp.output import comparison

    if as_json:
        from rules_asp.output import answer_json

        beside = comparison.record(given, answer)
        print_json(command, {**answer_json.why(position, parsed, answer), **beside})
        return
    from rules_asp.output import answer_text
    from rules_asp.output.console import console

    with console() as out:
        answer_text.why(out, position, parsed, answer, answer_text.ProofDetail(full, source))
        comparison.show(out, given, answer)


# --- Commands about what one unit or Location sees or reaches: sees, reach.


_hexes = click.option("--hexes", metavar="HEXES", help="Only to these: 'A1-C5, E4'.")
_ground = click.option("--ground", is_flag=True, help="Only to ground level.")


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("eye", metavar="LOC|UNIT")
@_hexes
@_ground
@draw_option
@board_options
def sees(
    board: str,
    eye: str,
    hexes: str | None,
    ground: bool,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """What is seen from a Location, or by a unit.

    What is seen clearly, what with which Hindrance, and what hides the rest: one place and norm for
    each, if there are several; `los` has them all. C4/0,1 are both levels of C4.
    """
    from rules_asp import api

    with spinner(f"what {eye} sees on {board}"):
        position = open_position(board, without, changes)
        answer = api.sees(position, eye, hexes, ground)
        save_picture(drawn, position, answer)
        given = answer_without_changes(lambda other: api.sees(other, eye, hexes, ground))
    print_answer("sees", position, answer, as_json, room="many", given=given)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option("--phase", default="mph", show_default=True, help=f"{word_choices('moving_phase')}.")
@way_options
@limit_options
@why_options
@draw_option
@board_options
def reach(
    board: str,
    units: tuple[str, ...],
    phase: str,
    turns: int,
    only: str | None,
    because: Proving,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Where a unit can get, as a table.

    Each hex that it reaches with the least MF, by level. Several units move as one stack; `moves`
    tells the way, and by which norms.
    """
    from rules_asp import api

    with spinner(f"reach of {' '.join(units)} on {board}"):
        position = open_position(board, without, changes)
        answer = api.moves(position, units, phase, limits, turns, only)
        proofs = because(position, answer, limits)
        save_picture(drawn, position, answer, ways=False)
        given = answer_without_changes(
            lambda other: api.moves(other, units, phase, limits, turns, only)
        )
    print_answer("reach", position, answer, as_json, room="ways", why=proofs, given=given)
