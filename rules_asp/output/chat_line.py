"""Chat line: an answer in one line, to be pasted into the chat of VASL.

It holds the verdict, the rule, the Hindrance and the DRM. What is unknown says why, and what the board
leaves in doubt is named, so that the line says no more than the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules_asp.explain.unknown import Reason
from rules_asp.game.values import to_board_text
from rules_asp.output.answer_json import blocked_at, blockers_in_order
from rules_asp.positions.position import Position
from rules_asp.queries.fire import Drm, DrmPart, Fire
from rules_asp.queries.los import Los
from rules_asp.queries.question import Answer

#: How long the line may get, and how many rules it names.
LONGEST, _MOST_RULES = 240, 4
_HEAD = "rules-asp: "


def chat_line(position: Position, answer: Answer) -> str:
    """An answer of los, tem or fire in one line."""
    match answer:
        case Los():
            said = f"LOS {_ends(answer)}: {_los(position, answer)}"
        case Fire():
            said = f"fire {_shot(answer.drm)}: {_fire(position, answer)}"
        case Drm():
            said = f"fire {_shot(answer)}: TEM {_sum(position, answer)}"
        case _:
            raise TypeError(f"no line of chat tells of a {type(answer).__name__}")
    places = dict.fromkeys(where for where, _ in answer.beside.doubts)
    faults = dict.fromkeys(each.norm for each in answer.beside.faults)
    rest = f"; the map is in doubt at {_some(places)}" if places else ""
    rest += f"; the board breaks {_some(faults)}" if faults else ""
    return _HEAD + _cut(said, LONGEST - len(_HEAD) - len(rest)) + rest


def _ends(answer: Los) -> str:
    return f"{to_board_text(answer.a, 'location')} - {to_board_text(answer.b, 'location')}"


def _shot(answer: Drm) -> str:
    shot = answer.shot
    words = "" if shot.how == "direct" else f"({shot.how.replace('_', ' ')}) "
    doing = "" if shot.doing == "still" else f", target {shot.doing.replace('_', ' ')}"
    firer, target = (to_board_text(each, "location") for each in (shot.firer, shot.target))
    return f"{words}{firer} at {target}{doing}"


def _los(position: Position, answer: Los) -> str:
    if answer.clear is None:
        return f"unknown{_why(answer.unknown)}"
    if not answer.clear:
        rules = (position.program.norms[each.norm].paragraph for each in blockers_in_order(answer))
        return f"blocked at {blocked_at(answer)} ({_some(dict.fromkeys(rules))})"
    if not answer.hindrances:
        return f"clear ({_some(answer.cites)})"
    parts = (
        f"+{each.amount} {each.place} ({position.program.norms[each.norm].paragraph})"
        for each in answer.hindrances
    )
    return f"clear, Hindrance +{answer.hindrance}: {', '.join(parts)}"


def _fire(position: Position, answer: Fire) -> str:
    sight = "" if answer.sight is None else f"; LOS {_los(position, answer.sight)}"
    if answer.legal is False:
        rules = (position.program.norms[each].paragraph for each in answer.norms)
        return f"not allowed ({_some(dict.fromkeys(rules))}){sight}"
    return f"DRM {_sum(position, answer.drm)}{sight}"


def _sum(position: Position, answer: Drm) -> str:
    """A sum with its parts, each with its rule."""
    if answer.value is None:
        return f"unknown{_why(answer.unknown)}"
    parts = ", ".join(_part(position, each) for each in answer.parts)
    rules = f" ({_some(answer.cites)})" if answer.cites else ""
    return f"{answer.value:+d}{f' = {parts}' if parts else rules}"


def _part(position: Position, part: DrmPart) -> str:
    return f"{part.amount:+d} {part.what} ({position.program.norms[part.norm].paragraph})"


def _why(reasons: Iterable[Reason]) -> str:
    first = next(iter(reasons), None)
    return "" if first is None else f": {first}"


def _some(words: Iterable[str]) -> str:
    """The first few of some words."""
    found = list(words)
    more = f" and {len(found) - _MOST_RULES} more" if len(found) > _MOST_RULES else ""
    return ", ".join(found[:_MOST_RULES]) + more


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(0, length - 3)] + "..."
