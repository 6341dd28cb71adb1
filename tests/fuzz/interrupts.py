"""Interrupts: a long command that is interrupted at any time ends soon, without a traceback, with exit
code 130.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.bench import hold

#: Commands that take longer than a moment; some of them write a file, some have processes of their own.
_FORMS = (
    *("matrix BOARD -o NEW", "matrix BOARD --jobs 1", "sees BOARD A1 --json", "view BOARD"),
    *(
        "check BOARD --json",
        "test BOARD",
        "draw BOARD -o OUT.svg --force",
        "import ARCHIVE -o OUT --force",
    ),
    *("depends church LINE", "repair church LINE unknown", "los church C3/2 D2/2 --why --full"),
    *("ask church OPEN", "moves assault A", "reach assault A", "ask church OPEN --time 20"),
    *("lab gaps --grid 2x2 --jobs 2", "lab conflicts b23 --jobs 1", "lab find CLAIM"),
    *("lab meet B23.711-9 B23.71-5", "lab dead pb6", "lab unreachable --grid 2x1", "coverage"),
)
#: A shell tells 130 of what an interrupt ended, be it before Python could hear of it.
_ENDS = {0, 1, 130, -signal.SIGINT}
_BEGUN = "from rules_asp.__main__ import run; print('begun', flush=True); run()"
_EXPECTED = {"t.board", "out.svg", "new", "cache"}
#: A command that has not ended so many seconds after the interrupt hangs.
_PATIENCE = 60.0


def interrupts(dice: random.Random) -> str:
    """A command that is broken off at some time, once or twice."""
    with tempfile.TemporaryDirectory() as folder:
        board = Path(folder, "t.board")
        board.write_text(f'board "t" grid {dice.choice(("12x10", "33x10"))}\nwoods: C3\n')
        out = Path(folder, "out.svg")
        out.write_text("before")
        cold = Path(folder, "cache")
        archive = _archive(dice)
        forms = [form for form in _FORMS if archive or "ARCHIVE" not in form]
        said = {
            "BOARD": str(board),
            "OUT": str(out),
            "OUT.svg": str(out),
            "NEW": str(out.with_name("new")),
            "ARCHIVE": archive or "",
            "LINE": dice.choice(("los C3/2 D2/2", "tem C3 D2", "ask height(C3) = V")),
            "CLAIM": dice.choice(("factory(H), height(H) = V, V > 2", "rubble(H, stone)")),
            "OPEN": "height(X) = V, height(Y) = V, height(Z) = V",
        }
        words = [said.get(word, word) for word in dice.choice(forms).split()]
        begun = subprocess.Popen(
            [sys.executable, "-c", _BEGUN, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # What was kept by the last try is not there: a cold start is broken off as well.
            env=os.environ | ({"RULES_ASP_CACHE": str(cold)} if dice.random() < 0.3 else {}),
        )
        # Python itself, while it starts, tells of an interrupt in its own way.
        assert begun.stdout is not None
        begun.stdout.readline()
        time.sleep(3 * dice.random() ** 2)
        for _ in range(dice.choice((1, 1, 1, 2))):
            begun.send_signal(signal.SIGINT)
            time.sleep(0.05 * dice.random())
        try:
            _, err = begun.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            begun.kill()
            begun.communicate()
            hold(False, f"{words} goes on after an interrupt")
        told = f"{words}: {begun.returncode}, {err[-800:]!r}"
        hold(begun.returncode in _ENDS, told)
        hold("Traceback" not in err and "fault of rules-asp" not in err, told)
        left = {path.name for path in Path(folder).iterdir()} - _EXPECTED
        hold(not left, f"{told} left {left}")
        hold(out.exists() and out.stat().st_size > 0, f"{told} took away what was there")
    return f"exit {begun.returncode}"


def _archive(dice: random.Random) -> str | None:
    boards = os.environ.get("RULES_ASP_BOARDS")
    found = sorted(Path(boards).glob("bd??")) if boards else []
    return str(dice.choice(found)) if found else None
