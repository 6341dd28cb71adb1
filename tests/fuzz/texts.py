"""Board texts and questions: rejected with a place, or parsed; a written text parses back unchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from rules_asp import api, parser
from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Board, Expect
from rules_asp.game.query import DeedQuery, Query, RollQuery
from rules_asp.game.values import to_board_text
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser.writer import deed_text, roll_text
from tests.fuzz.bench import hold, mangled, refusing

CASES = Path(__file__).parents[1] / "cases"
MAP = 'board "m" grid 6x6\n'


@cache
def texts() -> tuple[str, ...]:
    """The boards of the cases."""
    return tuple(path.read_text("utf-8") for path in sorted(CASES.rglob("*.board")))


@cache
def lines() -> tuple[str, ...]:
    """Every line of them, each once."""
    found = (line.strip() for text in texts() for line in text.split("\n"))
    return tuple(sorted({line for line in found if line and not line.startswith(("#", "use"))}))


@cache
def words() -> tuple[str, ...]:
    """Every word of them."""
    return tuple(sorted({word for line in lines() for word in re.findall(r"[^\s,:()=]+", line)}))


def board_text(dice: random.Random) -> str:
    """A text like one of a board, or of parts of several."""
    if dice.random() < 0.3:
        return mangled(dice, dice.choice(texts())[: dice.choice((200, 1000, 5000))], words())
    some = dice.sample(lines(), dice.choice((1, 2, 5)))
    return MAP + "\n".join(mangled(dice, each, words()) for each in some)


def places_told(error: Exception, text: str) -> None:
    """Every problem has a place that is in the text."""
    if not isinstance(error, api.BoardError):
        return
    told = [len(line) for line in text.removeprefix("\ufeff").split("\n")]
    for problem in error.problems:
        _, line, column = problem.place
        hold(0 <= line <= len(told) + 1, f"line {line} of {text!r}")
        if 0 < line <= len(told):
            hold(1 <= column <= told[line - 1] + 2, f"{line}:{column} of {text!r}")


def boards(dice: random.Random) -> str:
    """A board text."""
    text = board_text(dice)
    with refusing(text) as refused:
        board = parser.parse(text)
    if refused:
        places_told(refused[0], text)
        return "refused"
    reads_back(board, text)
    with refusing(text) as refused:
        resolved = resolve(board)
        reads_back(resolved, text)
        if dice.random() < 0.02 and len(board.grid.hexes()) < 200:
            api.position(board)
            return "a position"
    return "unsound" if refused else "read"


def reads_back(board: Board, text: str) -> None:
    """What the writer writes reads back the same."""
    written = parser.write(board)
    try:
        again = parser.parse(written)
    except api.BoardError as error:
        hold(False, f"what is written is refused: {written!r}, of {text!r}: {error}")
    same = (again.name, again.grid, again.statements) == (board.name, board.grid, board.statements)
    hold(same, f"what is written reads otherwise: {written!r}, of {text!r}")


@cache
def asked() -> dict[str, tuple[str, ...]]:
    """Questions, deeds, rolls and Locations of the cases, and of the words that there are."""
    found: dict[str, set[str]] = {"question": set(), "deed": set(), "roll": set(), "place": set()}
    for text in texts():
        try:
            board = parser.parse(text)
        except api.BoardError:
            continue
        for each in board.statements:
            about = each.question if isinstance(each, Expect) else None
            if isinstance(about, Query):
                found["question"].add(str(about))
            elif isinstance(about, DeedQuery):
                found["deed"] |= {deed_text(about, vocabulary()), str(about.deed)}
            elif isinstance(rolling := getattr(about, "rolling", None), RollQuery):
                found["roll"] |= {roll_text(rolling, vocabulary()), str(rolling)}
    entries = (*vocabulary().topics.values(), *vocabulary().inputs.values())
    found["question"] |= {each.form for each in entries}
    found["place"] = {"A1", "A1/1", "B1@A1-B0", "A1/roof", "C3@0/2", "21U4/1"}
    return {kind: tuple(sorted(some)) or ("x",) for kind, some in found.items()}


def questions(dice: random.Random) -> str:
    """A question, deed, roll or Location by itself."""
    kind = dice.choice(("question", "question", "deed", "roll", "place"))
    text = dice.choice(asked()[kind])
    if kind == "question" and dice.random() < 0.3:
        text += ", " + dice.choice(asked()[kind])
    text = mangled(dice, text, words())
    with refusing(text) as refused:
        read = _READ[kind](text)
    if refused:
        places_told(refused[0], text)
        return "refused"
    written = _WRITTEN[kind](read)
    try:
        again = _READ[kind](written)
    except api.BoardError as error:
        hold(False, f"what is told is refused: {written!r}, of {text!r}: {error}")
    hold(again == read, f"reads back otherwise: {text!r}: {written!r}")
    return "read"


_READ: dict[str, Callable[[str], Any]] = {
    "question": api.parse_query,
    "deed": api.parse_deed,
    "roll": parser.parse_roll,
    "place": parser.parse_location,
}
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "question": str,
    "deed": lambda deed: deed_text(deed, vocabulary()),
    "roll": lambda roll: roll_text(roll, vocabulary()),
    "place": lambda place: to_board_text(place, "location"),
}
