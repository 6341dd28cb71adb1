"""Commands about what one unit or Location sees or reaches: sees, reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import (
    BoardCommand,
    Supposition,
    answer_without_changes,
    open_position,
)
from rules_asp.cli.drawings import draw_option, save_picture
from rules_asp.telling.options import (
    board_options,
    limit_options,
    way_options,
    why_options,
    word_choices,
)
from rules_asp.telling.terminal import print_answer, spinner

if TYPE_CHECKING:
    from rules_asp.bounds import Limits
    from rules_asp.cli.asking import Proving

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
