"""What is missing where an answer is unknown, in words that say what to add."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules_asp.names import named
from rules_asp.position import Position

_CALL = re.compile(r"(\w+)\((.*)\)")


def needs(position: Position, reasons: Iterable[str]) -> tuple[str, ...]:
    """What would settle an answer that is unknown for these reasons."""
    found: dict[str, None] = {}
    for reason in reasons:
        call = _CALL.fullmatch(reason)
        name, arguments = (call[1], call[2]) if call else (reason, "")
        if name == "clash":
            one, _, other = arguments.partition(", ")
            found[f"a ruling on {one}" + f" against {other}" * (one != other)] = None
        elif name == "terrain":
            terrain = arguments.split(", ")[0].replace("_", "-")
            found[f"a terrain to treat it as: treat {terrain} as ..."] = None
        elif name == "of":
            found[arguments] = None
        else:
            found.update(dict.fromkeys(_open(position) or [reason.replace("_", " ")]))
    return tuple(found)


def _open(position: Position) -> list[str]:
    """What the board leaves open and its cases suppose."""
    supposed: dict[str, dict[str, None]] = {}
    for case in position.cases:
        for topic, value in case.get("supposed", 2):
            supposed.setdefault(named(topic), {})[named(value)] = None
    return [f"{topic}: {' or '.join(values)}" for topic, values in supposed.items()]
