"""An answer in a few words, as `expect` lines have them: by these it is told from others, and wanted."""

from __future__ import annotations

import re

from rules_asp.positions.answer import Verdict
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.ask import Asked
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los
from rules_asp.queries.question import Answer
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.why import Why

_UNKNOWN = str(Verdict.UNKNOWN)
_FORBIDDEN = str(Verdict.FORBIDDEN)
_VERDICTS = tuple(str(each) for each in Verdict)
_NUMBER = re.compile(r"[+-]?[0-9]+")
_HINDERED = re.compile(r"(?:clear )?hindrance \+?([0-9]+)")
#: A `no` is either of these.
_NO = frozenset((_FORBIDDEN, str(Verdict.NOT_SO)))


def summary(answer: Answer) -> str:
    """What an answer comes to; QuestionError for one that is of many things at once."""
    match answer:
        case Los():
            return _sight(answer)
        case Drm():
            return _UNKNOWN if answer.value is None else f"{answer.value}"
        case Fire():
            if answer.legal is False:
                return _FORBIDDEN
            if answer.sight is not None and answer.sight.clear is False:
                return _sight(answer.sight)
            return _UNKNOWN if answer.drm.value is None else f"DRM {answer.drm.value}"
        case Can():
            return str(answer.word)
        case Rolled():
            return _roll(answer)
        case Why():
            return summary(answer.asked)
        case Asked():
            ways = (
                ", ".join(f"{name} = {value}" for name, value in e.values) for e in answer.found
            )
            told = [each for each in ways if each]
            return "; ".join(told) if told else str(answer.word)
    raise QuestionError("expected los, tem, fire, can, roll or ask: a question of one thing")


def _sight(answer: Los) -> str:
    if answer.clear is None:
        return _UNKNOWN
    if not answer.clear:
        return "blocked"
    return f"clear hindrance {answer.hindrance}" if answer.hindrance else "clear"


def _roll(answer: Rolled) -> str:
    if answer.dice is None:
        return str(answer.word)
    results = {each.name: _chance(answer, each.name) for each in answer.results}
    open_ = {name: _UNKNOWN for name in answer.open if name not in results}
    return ", ".join(f"{name} {of}" for name, of in sorted((results | open_).items())) or _UNKNOWN


def _chance(answer: Rolled, result: str) -> str:
    """The throws that have a result, of all; with several bands the one that is told last counts."""
    chances = [each.chance for each in answer.results if each.name == result]
    if any(each is None for each in chances):
        return _UNKNOWN
    total = sum(each for each in chances if each is not None)
    return f"{total * answer.throws}/{answer.throws}"


def parse_expected(answer: Answer, wanted: str) -> str:
    """A wanted answer as it is compared; QuestionError, with what can be wanted, for what this cannot
    be.
    """
    text = " ".join(wanted.replace("_", " ").split())
    if text.lower().replace("-", " ") in _VERDICTS:
        text = text.lower().replace("-", " ")
    known: tuple[str, ...]
    match answer:
        case Los():
            known = ("clear", "blocked", "clear hindrance 1", _UNKNOWN)
            right = text in (*known, "no") or _HINDERED.fullmatch(text) is not None
        case Drm():
            known = ("a number", _UNKNOWN)
            right = text == _UNKNOWN or _NUMBER.fullmatch(text) is not None
        case Fire():
            known = ("a DRM such as -2", "clear", "blocked", _FORBIDDEN, _UNKNOWN)
            right = text in known or _NUMBER.fullmatch(text.removeprefix("DRM ")) is not None
        case Can():
            known = (*_VERDICTS, "no", "forbidden by B23.71")
            right = text in known or text.startswith("forbidden by ")
        case Rolled():
            known = ("a result and its chance, such as rubble 6/36", "rubble yes", "rubble no")
            right = len(text.split()) == 2 or text == _UNKNOWN
        case Why() | Asked():
            known = (*_VERDICTS, "no", "what a variable stands for, as V = 2 1/2")
            right = text in _VERDICTS or text == "no" or bool(_values(answer, text))
        case _:
            known, right = (), False
            summary(answer)
    if not right:
        raise QuestionError(
            f"{wanted or 'nothing'} is not an answer here; expected {', '.join(known)}"
        )
    return text


def matches_expected(answer: Answer, wanted: str) -> bool:
    """Whether an answer is the wanted one, as `parse_expected` has it."""
    found = summary(answer)
    if found == wanted:
        return True
    match answer:
        case Los():
            return _seen(found, wanted)
        case Drm():
            return _NUMBER.fullmatch(wanted) is not None and found == str(int(wanted))
        case Fire():
            number = wanted.removeprefix("DRM ")
            if _NUMBER.fullmatch(number):
                return found == f"DRM {int(number)}"
            free = wanted == "clear" and found.startswith("DRM")
            return free or (wanted == "blocked" and found == "blocked")
        case Can():
            if wanted.startswith("forbidden by "):
                norm = wanted.removeprefix("forbidden by ").upper()
                return any(each.upper().startswith(norm) for each in answer.forbidding)
            return wanted == "no" and found in _NO
        case Rolled():
            return _rolled(answer, wanted)
        case Why():
            return matches_expected(answer.asked, wanted)
        case Asked():
            if wanted in (*_VERDICTS, "no"):
                return str(answer.word) == wanted or (wanted == "no" and str(answer.word) in _NO)
            return _has(answer, wanted)
    return False


def _seen(found: str, wanted: str) -> bool:
    if wanted == "clear":
        return found.startswith("clear")
    hindered = _HINDERED.fullmatch(wanted)
    if hindered is not None:
        return found == (f"clear hindrance {int(hindered[1])}" if int(hindered[1]) else "clear")
    return wanted == "no" and found == "blocked"


def _rolled(answer: Rolled, wanted: str) -> bool:
    if answer.dice is None or " " not in wanted:
        return False
    name, of = wanted.split()
    if name.replace("-", " ") not in {e.name.replace("_", " ") for e in answer.results}:
        return of == "no"
    result = next(e.name for e in answer.results if e.name.replace("_", "-") == name)
    chance = _chance(answer, result)
    whole = f"{answer.throws}/{answer.throws}"
    return chance == {"yes": whole, "no": f"0/{answer.throws}"}.get(of, of)


def _values(answer: Answer, text: str) -> dict[str, str]:
    """What variables are wanted to stand for; of one variable its name may be left out."""
    asked = answer.asked if isinstance(answer, Why) else answer
    assert isinstance(asked, Asked)
    pairs = [each.partition("=") for each in text.split(",")]
    if all(sign and name.strip() and value.strip() for name, sign, value in pairs):
        return {name.strip(): value.strip() for name, _, value in pairs}
    names = {name for each in asked.found for name, _ in each.values}
    return {next(iter(names)): text} if len(names) == 1 and text else {}


def _has(answer: Asked, wanted: str) -> bool:
    values = _values(answer, wanted)
    if not values and answer.found:
        return any(value == wanted for each in answer.found for _, value in each.values)
    return any(values.items() <= dict(each.values).items() for each in answer.found)
