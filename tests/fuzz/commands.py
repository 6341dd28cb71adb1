"""Commands: with any input, they end with a known exit code and without a crash."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from click.testing import CliRunner

from rules_asp.cli.app import main
from tests.fuzz.bench import ODD, hold, mangled
from tests.fuzz.texts import asked, board_text, lines, words

EXITS = {0, 1, 2, 130, 141}
_FORMS = (
    *("los BOARD A1 C3", "los BOARD A1/1 B2/roof --json", "tem BOARD A1 B2 --how critical"),
    *("fire BOARD A1 B2 --moving", "moves BOARD A", "can BOARD ACTION --json", "roll BOARD ROLL"),
    *("ask BOARD QUESTION --json", "why BOARD QUESTION", "ask BOARD QUESTION --time 1 --memory 99"),
    *("sees BOARD A1", "reach BOARD A --json", "check BOARD --json", "test BOARD", "facts BOARD"),
    *("view BOARD", "view BOARD A1 B2 --json", "draw BOARD -o x.svg", "rules WORD", "words WORD"),
    *("ask BOARD QUESTION --if LINE", "los BOARD A1 B2 --unless LINE --without WORD"),
    *(
        "batch BOARD LINES",
        "lab find QUESTION --grid 1x1 --time 1 --jobs 1",
        "program BOARD QUESTION",
    ),
    *(
        "test BOARD --rules FOLDER",
        "matrix BOARD --hexes A1-B2 --jobs 1",
        "import BOARD -o y.board",
    ),
)


def commands(dice: random.Random) -> str:
    """A command with arguments of all kinds, in a folder of its own."""
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder:
        board = Path(folder, "t.board")
        board.write_text(board_text(dice), "utf-8", errors="replace", newline="")
        questions = "\n".join(_said(dice, "QUESTION", board) for _ in range(3))
        Path(folder, "lines").write_text(f"ask {questions}\nlos A1 B2\n", "utf-8", errors="replace")
        words_ = [_said(dice, word, board) for word in dice.choice(_FORMS).split()]
        if dice.random() < 0.2:
            words_.insert(dice.randrange(len(words_)), dice.choice(ODD))
        words_ = [word.replace("\0", "") for word in words_]
        result = runner.invoke(main, words_, env={"COLUMNS": dice.choice(("0", "20", "100", "x"))})
        told = f"{words_}, board {board.read_bytes()!r}: {result.output[-500:]}"
        hold(result.exception is None or isinstance(result.exception, SystemExit), told)
        hold(result.exit_code in EXITS, f"exit {result.exit_code} of {told}")
        hold("fault of rules-asp" not in result.output, told)
        hold("Traceback" not in result.output, told)
        if result.exit_code == 0 and "--json" in words_ and result.stdout.startswith("{"):
            json.loads(result.stdout)
        left = {path.name for path in Path(folder).iterdir()} - {"t.board", "lines"}
        hold(not left or result.exit_code == 0, f"left {left} of {told}")
    return f"exit {result.exit_code}"


def _said(dice: random.Random, word: str, board: Path) -> str:
    if word == "BOARD":
        return str(board) if dice.random() < 0.5 else dice.choice(("church", "assault"))
    if word == "LINES":
        return str(board.with_name("lines"))
    if word == "FOLDER":
        return str(board.parent)
    if word in ("x.svg", "y.board"):
        return str(board.with_name(word))
    kind = {"QUESTION": "question", "ACTION": "deed", "ROLL": "roll"}.get(word)
    said = dice.choice(asked()[kind]) if kind else word
    said = dice.choice(lines()) if word == "LINE" else said
    return mangled(dice, said, words()) if kind or dice.random() < 0.15 else said
