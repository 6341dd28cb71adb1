"""Two answers to one question side by side: what each says, and the norms that only one of them rests
on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.console import Console
from rich.text import Text

from rules_asp.game.values import to_board_text
from rules_asp.knowledge.rules import Norm
from rules_asp.output.answer_json import Record, blocked_at
from rules_asp.output.answer_text import amount, cost
from rules_asp.output.console import DIM, NORM, section, table, verdict
from rules_asp.output.turn_text import attack_ends, attack_summary
from rules_asp.queries.ask import Asked
from rules_asp.queries.deeds import DeedVerdict
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.fire_table import FireTable
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los
from rules_asp.queries.los_matrix import Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.paths import ReachedLocation
from rules_asp.queries.question import Answer
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.rout import Rout
from rules_asp.queries.why import Why

#: So many lines of a table that differ are told to people.
_MOST = 24


@dataclass(frozen=True)
class ComparedValue:
    """What an answer says of one thing, as given and as supposed; None: nothing of it."""

    of: str
    given: str | None
    supposed: str | None


@dataclass(frozen=True)
class Comparison:
    """What differs between an answer as given and the same as supposed.

    `refused` is why there is no answer as given. `new` are the norms that only the answer as supposed rests
    on, `gone` those that only the other rested on.
    """

    lines: tuple[ComparedValue, ...]
    new: tuple[Norm, ...] = ()
    gone: tuple[Norm, ...] = ()
    refused: str | None = None


def compare(given: Answer | str, supposed: Answer) -> Comparison:
    """The answer as given, or why there is none, beside the answer as supposed."""
    there = answer_facts(supposed)
    if isinstance(given, str):
        return Comparison(
            tuple(ComparedValue(of, None, what) for of, what in there.items()), refused=given
        )
    here = answer_facts(given)
    lines = (
        ComparedValue(of, here.get(of), there.get(of)) for of in dict.fromkeys((*here, *there))
    )
    before, after = _norms(given), _norms(supposed)
    return Comparison(
        tuple(line for line in lines if line.given != line.supposed),
        tuple(after[each] for each in after if each not in before),
        tuple(before[each] for each in before if each not in after),
    )


def answer_facts(answer: Answer) -> dict[str, str]:
    """What an answer says, each thing by what it is of; one answer to one question says it by one name."""
    match answer:
        case Los():
            where = blocked_at(answer)
            seen = verdict(answer.clear, answer.hindrance).plain
            return {"line of sight": f"{seen} at {where}" if where else seen}
        case Drm():
            return {"TEM": _sum(answer.value), **_parts(answer)}
        case Fire():
            sight = {} if answer.sight is None else answer_facts(answer.sight)
            forbidden = {"the shot": "forbidden"} if answer.legal is False else {}
            return {**forbidden, **sight, "DRM": _sum(answer.drm.value), **_parts(answer.drm)}
        case FireTable():
            return {attack_ends(answer, each): attack_summary(each) for each in answer.attacks}
        case Can():
            there = {} if answer.there is None else {answer.paid_in.upper(): amount(answer.there)}
            ways = {each.sentence: _verdict(each) for each in answer.ways}
            return {"the deed": answer.word.value, **there, **ways}
        case Moves():
            certain, perhaps = (*answer.reach, *answer.passed), answer.perhaps
            return {
                **{_to(answer, each): amount(each) for each in certain},
                **{_to(answer, each): f"perhaps {amount(each)}" for each in perhaps},
            }
        case Rout():
            words = {True: "yes", False: "no", None: "unknown"}
            return {"must rout": words[answer.must], **answer_facts(answer.moves)}
        case Rolled():
            results = {each.name.replace("_", " "): str(each.chance) for each in answer.results}
            dice = {f"modifier of {each.die}": _sum(each.value) for each in answer.modifiers}
            return {"the roll": answer.word.value, **dice, **results}
        case Viewshed():
            return {
                to_board_text(to, "location"): verdict(each.clear, each.hindrance).plain
                for to, each in answer.sights
            }
        case Why():
            return answer_facts(answer.asked)
        case Asked():
            ways = {
                ", ".join(f"{name} = {value}" for name, value in each.values): "yes"
                for each in answer.found
                if each.values
            }
            values = {"value": ", ".join(answer.values)} if answer.values and not ways else {}
            return {"the answer": answer.word.value, **values, **ways}
    return {}


def _verdict(each: DeedVerdict) -> str:
    return f"{each.word.value}{cost(each)}"


def _to(answer: Moves, each: ReachedLocation) -> str:
    turn = f" in turn {each.turn}" if answer.turns > 1 else ""
    return f"{to_board_text(each.to, 'location')}{turn}"


def _sum(value: int | None) -> str:
    return "unknown" if value is None else f"{value:+d}"


def _parts(answer: Drm) -> dict[str, str]:
    """The parts of a sum; those that are of one thing are told together."""
    found: dict[str, str] = {}
    for each in answer.parts:
        before = f"{found[each.what]}, " if each.what in found else ""
        found[each.what] = f"{before}{each.amount:+d} {each.norm}"
    return found


def _norms(answer: Answer) -> dict[str, Norm]:
    """The norms that an answer rests on, or is forbidden by, by their ids."""
    assert answer.on is not None
    known = answer.on.program.norms
    match answer:
        case Why():
            ids = [*answer.asked.cites.norms, *answer.asked.forbidding]
        case Rout():
            return _norms(replace(answer.moves, on=answer.on))
        case Moves():
            ids = [norm for each in answer.reach for norm in each.rests_on.cites.norms]
        case Viewshed():
            ids = [each.norm for _, each in answer.sights if each.norm]
        case Asked() | Can():
            ids = [*answer.cites.norms, *answer.forbidding]
        case Los() | Drm() | Fire() | FireTable() | Rolled():
            ids = list(answer.cites.norms)
        case _:
            ids = []
    return {norm: known[norm] for norm in dict.fromkeys(ids) if norm in known}


def show(out: Console, given: Answer | str | None, supposed: Answer) -> None:
    """What differs, for people; nothing where nothing is supposed (None)."""
    if given is None:
        return
    comparison = compare(given, supposed)
    out.print()
    if comparison.refused is not None:
        out.print(f"Without the change there is no answer: {comparison.refused}", style=DIM)
        return
    if not comparison.lines and not comparison.new and not comparison.gone:
        out.print("Without the change the answer is the same", style=DIM)
        return
    if comparison.lines:
        rows = [(each.of, each.given or "-", each.supposed or "-") for each in comparison.lines]
        table(out, rows[:_MOST], ["", "without the change", "with it"])
        if len(rows) > _MOST:
            out.print(f"{len(rows) - _MOST} more: --json lists all", style=DIM)
    else:
        out.print("Without the change the answer is the same, by other rules", style=DIM)
    for what, norms in (
        ("Only with the change", comparison.new),
        ("Only without it", comparison.gone),
    ):
        section(out, what, [(Text(norm.id, NORM), norm.sense) for norm in norms])


def record(given: Answer | str | None, supposed: Answer) -> Record:
    """What differs, as a part of a record; nothing where nothing is supposed (None)."""
    if given is None:
        return {}
    comparison = compare(given, supposed)
    differs = [
        {"of": each.of, "given": each.given, "supposed": each.supposed} for each in comparison.lines
    ]
    return {
        "as_given": {
            "refused": comparison.refused,
            "differs": differs,
            "new": [norm.id for norm in comparison.new],
            "gone": [norm.id for norm in comparison.gone],
        }
    }
