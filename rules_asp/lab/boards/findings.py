"""What a search finds: a goal at a spot, with the board that shows it, and what came of each spot."""

from __future__ import annotations

from dataclasses import dataclass

from rules_asp.lab.boards.spots import SearchSite
from rules_asp.lab.boards.witnesses import Witness


@dataclass(frozen=True)
class SiteFinding:
    """A goal as text, and a place where some board shows it.

    Goals go from process to process as text, since a symbol of clingo's is of one process only.
    """

    goal: str
    spot: SearchSite


@dataclass(frozen=True)
class InputRange:
    """What a search lets boards state: an input of kb/vocabulary.lp, its sense, the values it may have."""

    name: str
    sense: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class GoalWitness:
    """A goal with the smallest board that shows it, as the ordinary commands see that board.

    size: hexes with something in them, then statements. least: it was proved that there is no smaller
    one at that spot. worth: the greatest or least value there, where that was asked for. twin: the
    board as a second set of rules has it, where that is another. unseen: the ends, as text, of shots of
    the claim between which there is no LOS.
    """

    goal: str
    spot: SearchSite
    witness: Witness
    size: tuple[int, int]
    least: bool = True
    worth: int | None = None
    twin: Witness | None = None
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True)
class SiteOutcome:
    """What came of looking at one spot.

    found: each goal with its board, None where none was looked for. undecided: goals that `patience` was
    too short for. unconfirmed: goals that the search has boards for, none of which the ordinary commands
    confirm. whole: it was searched to the end. able: whether some board bears on a
    claim. empty: there is no board at all. grounded: where no boards are looked for, the goals that are
    not ruled out by what there is at all on the boards of this spot. lets: where it hangs on them whether a
    claim has a board, or one of a greater value, the numbers that boards here may state.
    """

    spot: SearchSite
    found: tuple[tuple[str, GoalWitness | None], ...] = ()
    undecided: frozenset[str] = frozenset()
    unconfirmed: frozenset[str] = frozenset()
    whole: bool = True
    able: bool = False
    empty: bool = False
    grounded: frozenset[str] = frozenset()
    lets: tuple[InputRange, ...] = ()
