"""Folders of notes from other people, damaged or in other formats."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from rules_asp.knowledge.notes import Note, NotesError, read_notes
from rules_asp.runtime.limits import size_limit
from tests.fuzz.bench import hold, mangled

#: Files of notes, as they are to be.
WHOLE = {
    "annotations.json": [{"ruleid": "B23.71", "content": "A <b>wall</b> &amp; a bar."}],
    "errata/one.json": [{"ruleid": "b23.25", "content": "x<p>y", "source": "j"}],
    "errata/sources.json": {"j": "The Journal"},
    "q+a/b.json": {
        "Chapter B": [
            {
                "caption": "B23.71 & B9.2",
                "ruleids": ["B23.71", "B9.2"],
                "content": [{"question": "Is it?", "image": "a.png", "answers": [["Yes.", "s"]]}],
            }
        ]
    },
    "q+a/sources.json": {"s": "Somebody"},
}
_IN_JSON = (
    *("{", "}", "[", "]", '"', ",", ":", "null", "true", "-1e999", "NaN", "\\u0000", "\\ud800"),
    *("\x1b[31m", "\u202e", "<p>", "<script>", "<" * 500, "&#x1b;", "&#27;[2J", "[" * 3000),
    *("9" * 5000, '"ruleid"', '"content"', "é", "\\", "\x00", "\ufeff", "A1-1"),
)


def notes(dice: random.Random) -> str:
    """A folder of notes: refused with the file, or read, and then plain text of a bearable length."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        for name in dice.sample(sorted(WHOLE), dice.randrange(1, len(WHOLE) + 1)):
            text = json.dumps(_turned(dice, WHOLE[name]) if dice.random() < 0.5 else WHOLE[name])
            if dice.random() < 0.6:
                text = mangled(dice, text, _IN_JSON)
            path = top / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8", errors="surrogatepass", newline="")
        try:
            found = read_notes(top)
        except NotesError as error:
            hold(str(top) in str(error), f"no file is told: {error}")
            hold("\n" not in str(error), f"more than one message: {error}")
            return "refused"
        for each in (note for of_rule in found.by_rule.values() for note in of_rule):
            for text in _texts(each):
                hold(all(c.isprintable() or c == "\n" for c in text), f"not plain: {text!r}")
                hold(len(text) <= size_limit("note") + 4, f"too long: {len(text)}")
    return "read"


def _texts(note: Note) -> list[str]:
    said = [each for answer in note.answers for each in answer]
    return [note.text, note.caption, note.source, *said]


def _turned(dice: random.Random, value: object) -> object:
    """A value in which parts are of another kind."""
    if dice.random() < 0.08:
        return dice.choice((None, 7, "", [], {}, [[]], {"a": 1}, "x" * 9000, "\x1b[0m", True))
    if isinstance(value, dict):
        return {key: _turned(dice, each) for key, each in value.items() if dice.random() < 0.95}
    if isinstance(value, list):
        return [_turned(dice, each) for each in value * dice.choice((1, 1, 2))]
    return value
