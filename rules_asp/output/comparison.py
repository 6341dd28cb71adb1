"""Two answers to one question side by side: what each says, and the norms that only one of them rests
on.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from rules_asp.explain.record import Record
from rules_asp.knowledge.rules import Norm
from rules_asp.output.console import DIM, NORM, section, table
from rules_asp.queries.question import Answer

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
    """What an answer says, by the label of each item and of each part of a sum."""
    found: dict[str, str] = {}
    for item in answer.items():
        found[item.label] = f"{item.value} at {item.place}" if item.place else item.value
        for part in (each for each in item.parts if each.label):
            before = f"{found[part.label]}, " if part.label in found else ""
            found[part.label] = f"{before}{part.value} {', '.join(part.norms)}"
    return found


def _norms(answer: Answer) -> dict[str, Norm]:
    """The norms that an answer rests on, or is forbidden by, by their ids."""
    known = answer.position.program.norms
    return {norm: known[norm] for norm in answer.report().norms if norm in known}


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
