"""Chat line: an answer in one line, to be pasted into the chat of VASL.

It holds the verdict, the rule, the Hindrance and the DRM. What is unknown says why, and what the board
leaves in doubt is named, so that the line says no more than the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules_asp.explain import layout
from rules_asp.positions.position import Position
from rules_asp.queries.question import Answer

#: How long the line may get, and how many rules it names.
LONGEST, _MOST_RULES = 240, 4
_HEAD = "rules-asp: "
#: Labels in short: what the line begins with says what is forbidden.
_SHORT = {"line of sight": "LOS", "the shot": ""}


def chat_line(answer: Answer) -> str:
    """An answer of los, tem or fire in one line: the verdict first, then its other items."""
    if not answer.subject:
        raise TypeError(f"no line of chat tells of a {type(answer).__name__}")
    items = sorted(answer.items(), key=lambda each: not each.verdict)
    said = "; ".join(_item(answer.position, each, answer.subject) for each in items)
    places = dict.fromkeys(where for where, _ in answer.beside.doubts)
    faults = dict.fromkeys(each.norm for each in answer.beside.faults)
    rest = f"; the map is in doubt at {_some(places)}" if places else ""
    rest += f"; the board breaks {_some(faults)}" if faults else ""
    said = f"{answer.subject}: {said}"
    return _HEAD + _cut(said, LONGEST - len(_HEAD) - len(rest)) + rest


def _item(position: Position, item: layout.Item, subject: str) -> str:
    """An item with its parts, or else with its rules; of what is unknown the first reason."""
    label = _SHORT.get(item.label, item.label)
    said = item.value if subject.startswith(label) else f"{label} {item.value}"
    said += f" at {item.place}" if item.place else ""
    if item.why:
        return f"{said}: {item.why}"
    if item.parts:
        parts = (
            f"{each.value} {each.label or each.place} ({_rules(position, each)})"
            for each in item.parts
        )
        return f"{said}{' = ' if item.parts[0].label else ': '}{', '.join(parts)}"
    rules = _rules(position, item)
    return f"{said} ({rules})" if rules else said


def _rules(position: Position, item: layout.Item) -> str:
    paragraphs = (position.program.norms[each].paragraph for each in item.norms)
    return _some(dict.fromkeys(paragraphs) if item.norms else item.cites)


def _some(words: Iterable[str]) -> str:
    """The first few of some words."""
    return layout.first_few(list(words), _MOST_RULES)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(0, length - 3)] + "..."
