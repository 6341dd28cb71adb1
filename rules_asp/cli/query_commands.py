"""Commands that put a question to a board: los, fire, firers, moves, threats, can, ask and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.common import (
    BoardCommand,
    answer_without_changes,
    board_options,
    chat_option,
    limit_options,
    open_position,
    print_answer,
    shot_options,
    spinner,
    target_options,
    way_options,
    why_options,
    word_choices,
)
from rules_asp.cli.draw_command import draw_option, save_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules_asp.cli.common import ProofOptions, Supposition
    from rules_asp.queries.question import Question
    from rules_asp.runtime.limits import Limits


def answer_board(
    question: Question[Any],
    *,
    board: str,
    without: Sequence[str],
    changes: Sequence[Supposition],
    as_json: bool,
    why: ProofOptions | None = None,
    drawn: str | None = None,
    limits: Limits | None = None,
    **shown: Any,
) -> None:
    """Put the question of a command to a board, and tell the answer.

    `why`: with its proof; `drawn` is the file of a picture.
    """
    with spinner(f"{question.line} on {board}"):
        position = open_position(board, without, changes)
        asked = question
        if why is not None:
            from rules_asp.queries.why import explained

            asked = explained(position, question)
        answer = asked.answer(position, limits, prove=why is not None)
        save_picture(drawn, answer)
        given = answer_without_changes(question, limits)
    print_answer(question.kind, answer, as_json, why=why, given=given, **shown)


# --- Commands that ask a board: los, tem, fire, moves, can, roll, ask, why.


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("a")
@click.argument("b")
@why_options
@draw_option
@chat_option
@board_options
def los(a: str, b: str, **options: Any) -> None:
    """Check the line of sight between two Locations.

    A and B are Locations such as U4/2, V3, U4/roof or K13@L12-K12, or units of the board. The
    answer names the place and rule of each obstacle, the Hindrances, overridden rules and close
    calls.

    Example: rules-asp los church C1 G3
    """
    from rules_asp.queries.los import LosQuestion

    answer_board(LosQuestion(a, b), **options)


@click.command("range", cls=BoardCommand)
@click.argument("board")
@click.argument("a")
@click.argument("b")
@why_options
@board_options
def range_(a: str, b: str, **options: Any) -> None:
    """Show the range between two Locations, in hexes.

    A and B are Locations such as U4/2 or V3, or units of the board.

    Example: rules-asp range church C1 G3
    """
    from rules_asp.queries.ask import RangeQuestion

    answer_board(RangeQuestion(a, b), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@why_options
@draw_option
@chat_option
@board_options
def tem(firer: str, target: str, how: str, doing: str | None, **options: Any) -> None:
    """Show the TEM of a fire attack.

    FIRER and TARGET are Locations such as U4/2, or units of the board.

    Example: rules-asp tem assault B4 D3/1
    """
    from rules_asp.queries.fire import TemQuestion

    answer_board(TemQuestion(firer, target, how, doing), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("firer")
@click.argument("target")
@shot_options
@why_options
@draw_option
@chat_option
@board_options
def fire(firer: str, target: str, how: str, doing: str | None, **options: Any) -> None:
    """Show every DRM of a fire attack.

    The answer lists TEM, Hindrance, FFMO, FFNAM and Height Advantage, each with its rule. FIRER and
    TARGET are Locations such as U4/2, or units of the board.

    Example: rules-asp fire assault D3/1 C4 --moving
    """
    from rules_asp.queries.fire import FireQuestion

    answer_board(FireQuestion(firer, target, how, doing), **options)


_fire_phase = click.option(
    "--phase", help=f"Ask for this phase of the Player Turn: {word_choices('phase')}."
)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("target")
@target_options
@_fire_phase
@click.option("--side", help="List only units of this side.")
@why_options
@board_options
def firers(
    target: str, doing: str | None, phase: str | None, side: str | None, **options: Any
) -> None:
    """List the units that can fire at a unit or Location.

    The answer shows range, FP and DRM for each enemy unit. For each other unit, it shows the reason
    why it cannot fire. TARGET is a unit, or a Location such as U4/2.

    Example: rules-asp firers assault C4 --moving
    """
    from rules_asp.queries.fire_table import FirersQuestion

    answer_board(FirersQuestion(target, doing, phase, side), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("unit")
@_fire_phase
@why_options
@board_options
def targets(unit: str, phase: str | None, **options: Any) -> None:
    """List the enemy units that a unit can fire at.

    The answer shows range, FP and DRM for each target. For each other enemy unit, it shows the reason
    why the unit cannot fire at it.

    Example: rules-asp targets assault A
    """
    from rules_asp.queries.fire_table import TargetsQuestion

    answer_board(TargetsQuestion(unit, phase), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option(
    "--phase",
    default="mph",
    show_default=True,
    help=f"Phase: {word_choices('moving_phase')}.",
)
@way_options
@click.option("--paths", is_flag=True, help="List each path with its cost and its rules.")
@limit_options
@why_options
@draw_option
@board_options
def moves(units: tuple[str, ...], phase: str, turns: int, only: str | None, **options: Any) -> None:
    """List where a unit can move, with cost and path.

    The answer gives the lowest cost of each Location in MF (for a vehicle in MP). If a step of the
    path is unknown, the Location is listed as possible. Several UNITs move as one stack.

    Example: rules-asp moves assault A
    """
    from rules_asp.queries.movement import MovesQuestion

    answer_board(MovesQuestion(units, phase, turns, only), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("unit")
@click.option("--paths", is_flag=True, help="Show each path, with its rules.")
@limit_options
@why_options
@board_options
def rout(unit: str, **options: Any) -> None:
    """List where a broken unit can rout.

    The answer says whether the unit must rout. It lists every Location in reach, by MF, and the
    forbidden steps from where it is. It names the enemy units that can Interdict on the way.

    Example: rules-asp rout assault G
    """
    from rules_asp.queries.rout import RoutQuestion

    answer_board(RoutQuestion(unit), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("unit")
@click.argument("to")
@click.option("--path", metavar="LOCATIONS", help="Go by these Locations, such as 'C4 C3'.")
@target_options
@limit_options
@board_options
def threats(
    unit: str, to: str, path: str | None, doing: str | None, limits: Limits, **options: Any
) -> None:
    """Show who can fire at a unit on its way.

    The answer lists each step of the path with the MF, the enemy units that can fire at it, their best
    DRM, and Residual FP. Without --path, it uses the cheapest path. Snap Shots are not encoded.

    Example: rules-asp threats assault A C3/1
    """
    from rules_asp.queries.threats import ThreatsQuestion

    answer_board(ThreatsQuestion(unit, to, path, doing), limits=limits, **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("unit")
@click.argument("to")
@click.option(
    "--order",
    metavar="MEASURES",
    help="Compare by these measures, the first before the others: firers,drm,open,mf.",
)
@limit_options
@board_options
def safest(unit: str, to: str, order: str | None, limits: Limits, **options: Any) -> None:
    """Compare the paths of a unit to a Location by the fire on the way.

    The measures are the number of enemy units that can fire at it, their best DRM, the steps in the
    open, and the MF. The answer lists the paths that no other path beats. With --order, it gives the
    path that comes first, such as by firers,drm,open,mf.

    Example: rules-asp safest assault A C3/1
    """
    from rules_asp.queries.safest import SafestQuestion

    answer_board(SafestQuestion(unit, to, order), limits=limits, **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("side")
@limit_options
@board_options
def turn(side: str, limits: Limits, **options: Any) -> None:
    """Show a Player Turn at a glance.

    The answer has a row for each unit of SIDE. It shows where the unit can move, whom it can fire at
    in the PFPh, and who can fire at it in the DFPh. A board without a turn is asked as it stands.

    Example: rules-asp turn assault german
    """
    from rules_asp.queries.turn import TurnQuestion

    answer_board(TurnQuestion(side), limits=limits, **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("deed", metavar="ACTION")
@limit_options
@why_options
@board_options
def can(deed: str, **options: Any) -> None:
    """Check whether an action is legal.

    ACTION is a sentence such as "A moves to V3/2" or "A routs to H6 around H7". All actions are
    listed by `rules-asp help questions`. A move can take several steps, within the MF of the unit.
    With `from`, `by` or `around` it is one step.

    Example: rules-asp can assault "A move to C3"
    """
    from rules_asp.queries.legality import CanQuestion

    # The sentence of an `expect` line begins with the name of the command.
    answer_board(CanQuestion(deed.strip().removeprefix("can ")), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("actions", metavar="ACTIONS")
@limit_options
@board_options
def sequence(actions: str, limits: Limits, **options: Any) -> None:
    """Check several actions, one after the other.

    ACTIONS are sentences as for `can`, with `then` between them. A phase such as `afph` between two of
    them begins that phase; a move, rout or advance begins its own. Each action is asked on the position
    that the legal actions before it leave.

    Example: rules-asp sequence assault "A moves to C4 then A advances to C3"
    """
    from rules_asp.queries.sequence import SequenceQuestion

    answer_board(SequenceQuestion(actions), limits=limits, **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("event", metavar="ROLL")
@limit_options
@why_options
@board_options
def roll(event: str, **options: Any) -> None:
    """Show modifiers, results and chances of a die roll.

    ROLL is a sentence or a term such as 'bog_check("T", U4)'. All rolls are listed by `rules-asp
    words roll`. Add the dice if you know them: '... with colored 2', 'with colored 2 white 5' or
    'with DR 7'.

    Example: rules-asp roll BOARD "the Bog Check of T in C3 with DR 7"
    """
    from rules_asp.queries.rolls import RollQuestion

    answer_board(RollQuestion(event), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("query")
@limit_options
@why_options
@board_options
def ask(query: str, **options: Any) -> None:
    """Answer any question about the board.

    QUERY is a property, or several separated by commas, such as 'height(U4) = V' or 'factory(H),
    not rowhouse(H)'. Words with a capital letter are variables. `rules-asp words` lists all
    properties.

    Example: rules-asp ask church "height(H) = V"
    """
    from rules_asp.queries.ask import AskQuestion

    answer_board(AskQuestion(query), **options)


# --- Commands about what one unit or Location sees or reaches: sees, reach.


_hexes = click.option(
    "--hexes", metavar="HEXES", help="Only lines to these hexes, such as 'A1-C5, E4'."
)
_ground = click.option("--ground", is_flag=True, help="Only lines to ground level.")


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("eye", metavar="LOC|UNIT")
@_hexes
@_ground
@draw_option
@board_options
def sees(eye: str, hexes: str | None, ground: bool, **options: Any) -> None:
    """List what a Location or unit can see.

    The answer groups Locations by clear LOS, by Hindrance, and by the place and rule of one
    obstacle. Use `los` for every obstacle on a line. C4/0,1 means both levels of C4.

    Example: rules-asp sees church C3/2 --hexes A1-D4
    """
    from rules_asp.queries.los_matrix import SeesQuestion

    answer_board(SeesQuestion(eye, hexes, ground), **options)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option(
    "--phase",
    default="mph",
    show_default=True,
    help=f"Phase: {word_choices('moving_phase')}.",
)
@way_options
@limit_options
@why_options
@draw_option
@board_options
def reach(units: tuple[str, ...], phase: str, turns: int, only: str | None, **options: Any) -> None:
    """Show the cost to reach each hex, as a table.

    Each hex has the lowest cost, by level. Several UNITs move as one stack. Use `moves` for the
    paths and their rules.

    Example: rules-asp reach assault A
    """
    from rules_asp.queries.reach import ReachQuestion

    answer_board(ReachQuestion(units, phase, turns, only), **options)
