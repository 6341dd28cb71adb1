"""What is missing where an answer is unknown, in words that say what to add."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules_asp.positions.prepared import Position
from rules_asp.terms.names import named

#: A rule that is in none of the texts, as kb/ names it: b24_11, e3.
_PARAGRAPH = re.compile(r"([a-h][0-9]+)(?:_([0-9]+))?")
_CALL = re.compile(r"(\w+)\((.*)\)")


def in_words(reason: str) -> str:
    """Why an answer is unknown, as people say it."""
    name, arguments = _parts(reason)
    if name == "clash":
        one, other = arguments
        return f"{one} clashes with {other}" if one != other else f"{one} clashes with itself"
    if name == "terrain":
        return f"{_plain(arguments[0])} in {arguments[1]} is no terrain that the rules know"
    if name == "of":
        return f"it hangs on {', '.join(arguments)}, which is not known"
    if name == "breaks_off":
        return "the text of {} breaks off after: {}".format(*arguments)
    if paragraph := _PARAGRAPH.fullmatch(name):
        return f"{_printed(paragraph)} decides it, and is not given"
    return reason.replace("_", " ")


def needs(position: Position, reasons: Iterable[str]) -> tuple[str, ...]:
    """What would settle an answer that is unknown for these reasons."""
    found: dict[str, None] = {}
    for reason in reasons:
        name, arguments = _parts(reason)
        if name == "clash":
            found["a ruling on " + " against ".join(dict.fromkeys(arguments))] = None
        elif name == "terrain":
            found[f"an agreement on how it counts: treat {_plain(arguments[0])} as TERRAIN"] = None
        elif name == "of":
            found[", ".join(arguments)] = None
        elif name == "breaks_off":
            found[f"the rest of {arguments[0]}"] = None
        elif paragraph := _PARAGRAPH.fullmatch(name):
            found[f"rule {_printed(paragraph)}"] = None
        else:
            found.update(dict.fromkeys(_open(position) or [reason.replace("_", " ")]))
    return tuple(found)


def _printed(paragraph: re.Match[str]) -> str:
    """A paragraph as it is printed: b24_11 is B24.11."""
    return paragraph[1].upper() + (f".{paragraph[2]}" if paragraph[2] else "")


def _parts(reason: str) -> tuple[str, list[str]]:
    call = _CALL.fullmatch(reason)
    return (call[1], call[2].split(", ")) if call else (reason, [])


def _plain(word: str) -> str:
    return word.replace("_", "-")


def _open(position: Position) -> list[str]:
    """What the board leaves open and its cases suppose."""
    supposed: dict[str, dict[str, None]] = {}
    for case in position.cases:
        for topic, value in case.get("supposed", 2):
            supposed.setdefault(named(topic), {})[named(value)] = None
    return [f"{topic}: {' or '.join(values)}" for topic, values in supposed.items()]
