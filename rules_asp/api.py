"""The Python API: boards by path or name, questions as text, answers as objects.

>>> from rules_asp.api import ask, load, los
>>> church = load("church")
>>> answer = los(church, "C3/2", "D2/2")
>>> answer.clear, answer.blockers[0].norm
(False, 'B23.25-3')
>>> los(church, "C3/2", "D2/1").clear
True
>>> found = ask(church, "height(C3) = V")
>>> found.found[0].values, found.cites[0]
((('V', '2 1/2'),), 'B23.23')

`matrix` returns all lines of sight of a board, and `sees` returns those from one place:

>>> from rules_asp.api import sees
>>> [(str(to), verdict.norm) for to, verdict in sees(church, "C3/2", "D2").sights if not verdict.clear]
[('D2', 'B23.25-3'), ('D2/2', 'B23.25-3'), ('D2/roof', 'B23.25-3')]

`moves`, and questions with variables, can take a long time. With limits, a question runs in a separate
process. If the question reaches a limit, the process ends and the call raises `TooWide`. A `Worker` holds
a position in one process for many questions:

>>> from rules_asp.api import Limits, Worker
>>> found = ask(church, "height(H) = V", limits=Limits(seconds=30, memory=1000))
>>> with Worker(church) as worker:
...     again = ask(church, "height(H) = V", limits=worker)
>>> found == again
True

All objects are immutable. Objects count levels in half levels, and the JSON of `answer.record()` counts
whole levels. Bad input raises one of `ERRORS`: a `RulesAspError` or an OSError. The text of the error is
the message for the user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rules_asp import RulesAspError, attributes_on_demand, parser
from rules_asp.boards.changes import Change
from rules_asp.explain.unknown import Reason
from rules_asp.game.board import Board
from rules_asp.game.grid import Location
from rules_asp.game.house_rules import SourceError
from rules_asp.game.query import DeedQuery, Query, RollQuery, UnitLocation
from rules_asp.knowledge.catalogue import Catalogue, catalogue
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.loading import use_house_rules as play_by
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.solver import EngineError
from rules_asp.parser import BoardError
from rules_asp.positions import loading
from rules_asp.positions import position as prepared
from rules_asp.positions.loading import check_rulings, find_board, write_text
from rules_asp.positions.locations import QuestionError, locations
from rules_asp.positions.name_resolution import location_with_level as place
from rules_asp.positions.name_resolution import los_end as end
from rules_asp.positions.position import Position
from rules_asp.queries.los import Los, LosQuestion
from rules_asp.queries.question import Answer, Question
from rules_asp.runtime.limits import Limits, LostWork, TooWide
from rules_asp.runtime.worker import LimitsOrWorker, Worker, call_isolated

if TYPE_CHECKING:
    from rules_asp.cases.coverage import CoverageError
    from rules_asp.drawing.svg import PictureError
    from rules_asp.queries.ask import Asked, RangeQuestion
    from rules_asp.queries.check import Checked
    from rules_asp.queries.claims import AskQuestion
    from rules_asp.queries.fire import Drm, Fire, FireQuestion, TemQuestion
    from rules_asp.queries.fire_table import FirersQuestion, FireTable, TargetsQuestion
    from rules_asp.queries.legality import Can, CanQuestion
    from rules_asp.queries.los_matrix import SeesQuestion, Verdicts, Viewshed
    from rules_asp.queries.movement import Moves, MovesQuestion
    from rules_asp.queries.reach import ReachQuestion
    from rules_asp.queries.rolls import Rolled, RollQuestion
    from rules_asp.queries.rout import Rout, RoutQuestion
    from rules_asp.queries.safest import SafestPaths, SafestQuestion
    from rules_asp.queries.sequence import ActionSequence, SequenceQuestion
    from rules_asp.queries.threats import Threats, ThreatsQuestion
    from rules_asp.queries.turn import PlayerTurn, TurnQuestion
    from rules_asp.queries.why import Why, WhyQuestion
    from rules_asp.saves.container import SaveError
    from rules_asp.saves.game_state import ImportedGame
    from rules_asp.vasl.archive import ArchiveError
    from rules_asp.whatif.minimal_case import Case
    from rules_asp.whatif.minimal_case import minimal_case as case
    from rules_asp.whatif.sensitivity import Hanging, Repaired
    from rules_asp.whatif.trials import Ask

__all__ = [
    "ERRORS",
    "ActionSequence",
    "Answer",
    "ArchiveError",
    "AskQuestion",
    "Asked",
    "Board",
    "BoardError",
    "Can",
    "CanQuestion",
    "Case",
    "Catalogue",
    "Change",
    "Checked",
    "CoverageError",
    "Drm",
    "EngineError",
    "Fire",
    "FireQuestion",
    "FireTable",
    "FirersQuestion",
    "Hanging",
    "ImportedGame",
    "Limits",
    "Los",
    "LosQuestion",
    "LostWork",
    "Moves",
    "MovesQuestion",
    "PictureError",
    "PlayerTurn",
    "Position",
    "Program",
    "Question",
    "QuestionError",
    "RangeQuestion",
    "ReachQuestion",
    "Reason",
    "Repaired",
    "RollQuestion",
    "Rolled",
    "Rout",
    "RoutQuestion",
    "RulesAspError",
    "SafestPaths",
    "SafestQuestion",
    "SaveError",
    "SeesQuestion",
    "SequenceQuestion",
    "SourceError",
    "TargetsQuestion",
    "TemQuestion",
    "Threats",
    "ThreatsQuestion",
    "TooWide",
    "TurnQuestion",
    "Viewshed",
    "Why",
    "WhyQuestion",
    "Worker",
    "ask",
    "can",
    "case",
    "catalogue",
    "check",
    "end",
    "fire",
    "firers",
    "import_archive",
    "import_game",
    "load",
    "load_program",
    "los",
    "matrix",
    "moves",
    "parse",
    "parse_deed",
    "parse_query",
    "picture",
    "place",
    "play_by",
    "position",
    "repair",
    "roll",
    "rout",
    "save",
    "sees",
    "sensitive",
    "targets",
    "tem",
    "why",
    "write",
]

# A process imports only the modules that its question needs: importing all takes longer than a question.
__getattr__ = attributes_on_demand(
    {
        "ArchiveError": "vasl.archive",
        **dict.fromkeys(("Asked", "RangeQuestion"), "queries.ask"),
        "AskQuestion": "queries.claims",
        **dict.fromkeys(("Can", "CanQuestion"), "queries.legality"),
        "Case": "whatif.minimal_case",
        "Checked": "queries.check",
        "CoverageError": "cases.coverage",
        **dict.fromkeys(("Drm", "Fire", "FireQuestion", "TemQuestion"), "queries.fire"),
        **dict.fromkeys(("FireTable", "FirersQuestion", "TargetsQuestion"), "queries.fire_table"),
        "Hanging": "whatif.sensitivity",
        "ImportedGame": "saves.game_state",
        **dict.fromkeys(("Moves", "MovesQuestion"), "queries.movement"),
        "ReachQuestion": "queries.reach",
        "PictureError": "drawing.svg",
        "Repaired": "whatif.sensitivity",
        **dict.fromkeys(("RollQuestion", "Rolled"), "queries.rolls"),
        **dict.fromkeys(("Rout", "RoutQuestion"), "queries.rout"),
        **dict.fromkeys(("SafestPaths", "SafestQuestion"), "queries.safest"),
        "SaveError": "saves.container",
        **dict.fromkeys(("SeesQuestion", "Viewshed"), "queries.los_matrix"),
        **dict.fromkeys(("ActionSequence", "SequenceQuestion"), "queries.sequence"),
        **dict.fromkeys(("PlayerTurn", "TurnQuestion"), "queries.turn"),
        **dict.fromkeys(("Threats", "ThreatsQuestion"), "queries.threats"),
        **dict.fromkeys(("Why", "WhyQuestion"), "queries.why"),
        "case": "whatif.minimal_case:minimal_case",
    }
)

#: The errors that bad input raises: RulesAspError is the base of ArchiveError, BoardError, CoverageError,
#: EngineError, LostWork, PictureError, QuestionError, SaveError, SourceError and TooWide. Any other error
#: is a fault of the program.
ERRORS = (RulesAspError, OSError)


def load(
    board: str | Path,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Return the position of a board file, or of the included board of this name.

    `without` names rulings to switch off. `program` is a knowledge base from `load_program`, which many
    boards can share. `changes` are made before the board is solved; `Position.with_` and
    `Position.without` make changes later.
    """
    return loading.load(find_board(str(board)), program, check_rulings(program, without), changes)


def position(
    board: Board,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Return the position of a board that a program made, or that `parse` read."""
    return prepared.prepare(board, program, check_rulings(program, without), changes)


def parse(text: str, file: str = "<text>") -> Board:
    """Parse a text in the board language; messages call the text `file`."""
    return parser.parse(text, file)


def parse_query(
    text: str, boards: Collection[str] | None = None, position: Position | None = None
) -> Query:
    """Parse a question such as `height(U4) = V`.

    With a position, the question names hexes as the map of the position does. Hex ids may contain the
    names of these boards; None allows any name.
    """
    return parser.parse_query(text, boards, None if position is None else position.notation)


def parse_deed(
    text: str, boards: Collection[str] | None = None, position: Position | None = None
) -> DeedQuery:
    """Parse an action such as `A move to V3/2`; `boards` and `position` are as in `parse_query`."""
    return parser.parse_deed(text, boards, None if position is None else position.notation)


def los(position: Position, a: str | Location, b: str | Location, cite: bool = True) -> Los:
    """Check the line of sight between two Locations such as `U4/1`, or units.

    Without `cite`, the answer is faster and has no citations.
    """
    return position.answer(LosQuestion(a, b), cite=cite)


def tem(
    position: Position,
    firer: str | Location | UnitLocation,
    target: str | Location | UnitLocation,
    how: str = "direct",
    doing: str | None = None,
    cite: bool = True,
) -> Drm:
    """Return the TEM of a fire attack between Locations or units.

    `how` is a kind of fire. `doing` is the action of the target; None takes the action from the board.
    """
    from rules_asp.queries.fire import TemQuestion

    return position.answer(TemQuestion(firer, target, how, doing), cite=cite)


def fire(
    position: Position,
    firer: str | Location | UnitLocation,
    target: str | Location | UnitLocation,
    how: str = "direct",
    doing: str | None = None,
    cite: bool = True,
) -> Fire:
    """Return the line of sight and all DRM of a fire attack, each DRM with its rule."""
    from rules_asp.queries.fire import FireQuestion

    return position.answer(FireQuestion(firer, target, how, doing), cite=cite)


def firers(
    position: Position,
    target: str | Location | UnitLocation,
    doing: str | None = None,
    phase: str | None = None,
    side: str | None = None,
    cite: bool = True,
) -> FireTable:
    """Return every enemy unit with its LOS, range, FP and DRM against a unit or Location.

    `doing` is as in `fire`. `phase` replaces the phase of the board. `side` selects units of one side.
    """
    from rules_asp.queries.fire_table import FirersQuestion

    return position.answer(FirersQuestion(target, doing, phase, side), cite=cite)


def targets(
    position: Position, unit: str, phase: str | None = None, cite: bool = True
) -> FireTable:
    """Return every enemy unit with the LOS, range, FP and DRM of an attack by this unit."""
    from rules_asp.queries.fire_table import TargetsQuestion

    return position.answer(TargetsQuestion(unit, phase), cite=cite)


def moves(
    position: Position,
    units: str | Sequence[str],
    phase: str = "mph",
    limits: LimitsOrWorker = None,
    turns: int = 1,
    only: str | None = None,
    cite: bool = True,
) -> Moves:
    """Return the Locations that units can reach as one stack, with their cost.

    `phase` is mph, rtph or aph. `turns` is the number of turns, and `only` a kind of path.
    """
    from rules_asp.queries.movement import MovesQuestion

    stack = (units,) if isinstance(units, str) else tuple(units)
    return position.answer(MovesQuestion(stack, phase, turns, only), limits, cite)


def rout(position: Position, unit: str, limits: LimitsOrWorker = None, cite: bool = True) -> Rout:
    """Return whether a unit must rout, where it can rout, and which units can Interdict it."""
    from rules_asp.queries.rout import RoutQuestion

    return position.answer(RoutQuestion(unit), limits, cite)


def can(
    position: Position, deed: str | DeedQuery, limits: LimitsOrWorker = None, cite: bool = True
) -> Can:
    """Check whether an action is legal; `rules-asp help questions` describes actions."""
    from rules_asp.queries.legality import CanQuestion

    return position.answer(CanQuestion(deed), limits, cite)


def roll(
    position: Position, roll: str | RollQuery, limits: LimitsOrWorker = None, cite: bool = True
) -> Rolled:
    """Return the modifiers, results and chances of a roll: `bog_check("T", U4) with colored 2`."""
    from rules_asp.queries.rolls import RollQuestion

    return position.answer(RollQuestion(roll), limits, cite)


def ask(
    position: Position, query: str | Query, limits: LimitsOrWorker = None, cite: bool = True
) -> Asked:
    """Answer a question such as `height(U4) = V`; see `rules-asp help questions`."""
    from rules_asp.queries.claims import AskQuestion

    return position.answer(AskQuestion(query), limits, cite)


def why(position: Position, query: str | Query, limits: LimitsOrWorker = None) -> Why:
    """Answer a question, with proofs.

    `rules_asp.explain.justification.justification` returns the proofs in words.
    """
    from rules_asp.queries.why import WhyQuestion

    return position.answer(WhyQuestion(query), limits)


def sensitive(
    position: Position, question: Question[Any] | Ask, seconds: float | None = 60.0
) -> Hanging:
    """Return the board lines, rules and rulings that an answer depends on.

    `question` is a question such as `LosQuestion("C3", "D2")`, or a function that asks a position.
    """
    from rules_asp.whatif.sensitivity import sensitivity

    return sensitivity(position, _question(question), seconds=seconds)


def repair(
    position: Position,
    question: Question[Any] | Ask,
    wanted: str,
    allow: Collection[str] | None = None,
    seconds: float | None = 10.0,
) -> Repaired:
    """Return the smallest changes of the board that give the wanted answer.

    `allow` names kinds of changes; `rules-asp words change` lists the kinds.
    """
    from rules_asp.whatif.sensitivity import find_repairs

    return find_repairs(position, _question(question), wanted, allowed=allow, seconds=seconds)


def _question(question: Question[Any] | Ask) -> Question[Any]:
    from rules_asp.whatif.trials import CalledQuestion

    return question if isinstance(question, Question) else CalledQuestion(question)


def check(position: Position) -> Checked:
    """Return the rule violations of a position, conflicts of rules, and unknown topics."""
    from rules_asp.queries.check import check as checked

    return replace(checked(position), on=position)


def matrix(
    position: Position,
    ends: Iterable[str | Location] | None = None,
    whence: Iterable[str | Location] | None = None,
) -> Iterator[Verdicts]:
    """Yield the lines of sight between these Locations or units, each once, in batches.

    Without `ends`, yield all lines of the map. With `whence`, yield only the lines from these places to
    the others. The order of lines and of their ends is fixed: by the column and row of the hexes, then by
    level. QuestionError for a Location that does not exist, and EngineError for a board that leaves its
    structure open.
    """
    from rules_asp.queries import los_matrix

    to = locations(position) if ends is None else [end(position, each) for each in ends]
    since = None if whence is None else [end(position, each) for each in whence]
    return los_matrix.matrix(position, to, since)


def sees(
    position: Position, eye: str | Location, hexes: str | None = None, ground: bool = False
) -> Viewshed:
    """Return the Locations that a Location or unit can see, and the obstacles to the others.

    `hexes`, such as `A1-C5, E4`, limits the answer to some hexes, and `ground` to ground levels.
    """
    from rules_asp.queries.los_matrix import SeesQuestion

    return position.answer(SeesQuestion(eye, hexes, ground))


def picture(
    thing: Position | Board,
    answer: Answer | None = None,
    hexes: str | None = None,
    level: str | int | None = None,
    ink: bool = False,
    ways: bool = True,
) -> str:
    """Draw a board, or an answer about it (los, sees, moves, tem, fire, why), as SVG text.

    `hexes`, such as `A1-C5, E4`, crops the picture. `level`, such as 1 or "roof", shows one level. `ink`
    draws in black and white. Without `ways`, a picture of moves shows only the MF. The picture of a Board
    shows no features that the rules derive.
    """
    from rules_asp.drawing import pictures

    return pictures.draw_svg(thing, answer, hexes, level, ink, ways)


def save(svg: str, path: str | Path, force: bool = False) -> None:
    """Write a picture to FILE.svg, or FILE.png with the extra `png`; FileExistsError unless `force`."""
    from rules_asp.drawing.svg import save as save_picture

    save_picture(svg, Path(path), force)


def program_text(
    position: Position | None = None,
    query: str | Query | None = None,
    program: Program | None = None,
) -> str:
    """Return a logic program with comments, from which clingo alone derives the same answers.

    Without a position, the program is the whole knowledge base. With a position, it is the program of the
    board. With a query, it contains all rules that affect the query.
    """
    from rules_asp.queries.claims import AskQuestion
    from rules_asp.queries.program_text import listing_text

    asked = None if position is None or query is None else AskQuestion(query).query_on(position)
    return listing_text(position, asked, program or load_program())


def import_archive(path: str | Path, limits: LimitsOrWorker = None) -> Board:
    """Import a VASL board archive, with a Doubt for everything that the archive does not settle."""
    from rules_asp.vasl.importer import import_archive as imported

    if isinstance(limits, Worker):
        limits = limits.limits
    what = f"import of {path}"
    if limits is None:
        return imported(Path(path))
    return call_isolated(imported, Path(path), limits=limits, what=what)


def import_game(
    path: str | Path,
    boards: str | Path | None = None,
    step: int | None = None,
    sides: Mapping[str, str] | None = None,
    there: Mapping[str, str] | None = None,
    limits: LimitsOrWorker = None,
) -> ImportedGame:
    """Import a saved game or log of VASL (`.vsav`, `.vlog`), with a report of all its counters.

    `boards` is a folder of board archives. A log is replayed to its end, or for `step` steps. `sides`
    gives the side of each nation, and `there` gives the texts of existing board files.
    """
    from rules_asp.saves.importer import import_save

    if isinstance(limits, Worker):
        limits = limits.limits
    folder = None if boards is None else Path(boards)
    given = (Path(path), folder, step, sides, there)
    if limits is None:
        return import_save(*given)
    return call_isolated(import_save, *given, limits=limits, what=f"import of {path}")


def write(board: Board, path: str | Path, force: bool = False) -> None:
    """Write a board to a file; FileExistsError if the file exists, unless `force`."""
    write_text(Path(path), parser.write(board), force)
