"""What a page offers to be put on a board, and to be done: the vocabulary as forms to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rules_asp.parser.forms import STATEMENTS, argument_order
from rules_asp.terms.arguments import word_text
from rules_asp.terms.lexicon import Sentence, vocabulary

Record = dict[str, Any]

_PIECES = re.compile(r"\[|\]|\{[^}]*\}|[^\[\]{}]+")
#: Kinds of change that a page has forms for; what is printed on the map is said in the text.
_SCOPES = ("play", "scenario")
#: What stands in a sentence that is no place of its form.
_OTHER = {"0": "unit", "course": "course", "turns": "number"}


def kinds() -> list[Record]:
    """The kinds of changes, each with its scope."""
    return [{"name": each.name, "scope": each.scope} for each in vocabulary().changes.values()]


def palette() -> list[Record]:
    """What can be put on a board: kind of change, scope, input, form, sense, and the arguments of the form.

    An argument has its kind and, where it is one of some words, these. Besides, the words of units.
    """
    known = vocabulary()
    found: list[Record] = []
    for change in known.changes.values():
        if change.scope not in _SCOPES:
            continue
        for name in change.inputs:
            form = STATEMENTS.get(name)
            if form is None or form == "turn {0}":
                continue
            entry = known.inputs[name]
            found.append(
                {
                    "kind": change.name,
                    "scope": change.scope,
                    "input": name,
                    "form": form.removesuffix(" ..."),
                    "sense": entry.meaning,
                    "order": list(argument_order(form)),
                    "arguments": [_argument(kind) for kind in entry.kinds],
                }
            )
    found.append(
        {
            "kind": "units",
            "scope": "play",
            "input": "unit",
            "form": "",
            "sense": known.inputs["unit"].meaning,
            "types": [word_text(each, "unit_type") for each in known.words["unit_type"]],
            "states": [word_text(each, "status") for each in known.words["status"]],
        }
    )
    found.append(
        {
            "kind": "time",
            "scope": "play",
            "input": "turn",
            "form": "turn {0} {1} {2}",
            "sense": "turn, side whose turn it is, phase",
            "order": [0, 1, 2],
            "arguments": [_argument(each) for each in ("number", "side", "phase")],
        }
    )
    return found


def _argument(kind: str) -> Record:
    words = vocabulary().words.get(kind)
    return {"kind": kind, "words": [word_text(each, kind) for each in words] if words else None}


def deeds() -> list[Record]:
    """The deeds that there are: name, sense, and their sentences as pieces.

    A piece is a text, or has "kind" and perhaps "words" for what is to be filled in, or "maybe" with pieces
    that may be left out.
    """
    known = vocabulary()
    return [
        {
            "deed": form.name,
            "sense": form.meaning,
            "sentences": [_pieces(each) for each in known.sentences_of(form.name)],
        }
        for form in known.forms.values()
        if form.kind == "deed"
    ]


def _pieces(sentence: Sentence) -> list[Any]:
    tokens = iter(_PIECES.findall(sentence.text))
    return list(_grouped(sentence, tokens))


def _grouped(sentence: Sentence, tokens: Iterator[str]) -> Iterator[Any]:
    for token in tokens:
        if token == "]":
            return
        if token == "[":
            yield {"maybe": list(_grouped(sentence, tokens))}
        elif token.startswith("{"):
            yield _slot(sentence, token[1:-1])
        elif said := " ".join(word.partition("/")[0] for word in token.split()):
            yield said


def _slot(sentence: Sentence, name: str) -> Record:
    known = vocabulary()
    if "@" in name:
        return {"kind": "vertex", "words": None}
    if "/" in name:
        return {"kind": "hexside level", "words": None}
    kinds_ = known.entry_of(sentence).kinds
    kind = _OTHER.get(name) or kinds_[int(name) - 1]
    phrases = [
        " ".join(word.partition("/")[0] for word in text.split())
        for (of, _), text in known.phrases.items()
        if of == kind
    ]
    words = phrases or [word_text(each, kind) for each in known.words.get(kind, ())]
    return {"kind": kind, "words": words or None}
