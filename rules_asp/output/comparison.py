"""Comparison of two answers to one question, and chat lines of one answer, both by items.

A chat line has the verdict, the rule, the Hindrance and the DRM. It gives the reason of an unknown
answer, and uncertain map data, so that it does not claim more than the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from rules_asp.explain import layout
from rules_asp.explain.record import Record
from rules_asp.knowledge.rules import Norm
from rules_asp.output.console import DIM, NORM, section, table
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.queries.question import Answer

#: Maximum number of differing lines in a table.
_MOST = 24


@dataclass(frozen=True)
class ComparedValue:
    """A value in both answers; None: missing in this one."""

    of: str
    given: str | None
    supposed: str | None


@dataclass(frozen=True)
class Comparison:
    """The differences between an answer on the board and with the change.

    `refused` is the reason if there is no answer on the board. `new` are norms used only with the
    change, `gone` those used only before. `same_verdict` is the verdict if both answers have it.
    """

    lines: tuple[ComparedValue, ...]
    new: tuple[Norm, ...] = ()
    gone: tuple[Norm, ...] = ()
    refused: str | None = None
    same_verdict: str | None = None


def compare(given: Answer | str, supposed: Answer) -> Comparison:
    """Compare the answer on the board, or its error, with the answer after the change."""
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
        same_verdict=next(iter(_verdicts(given) & _verdicts(supposed)), None),
    )


def _verdicts(answer: Answer) -> set[str]:
    """Return the verdict of an answer, if it has one; for a query, its solutions."""
    return {item.short or item.value for item in answer.items() if item.verdict}


def answer_facts(answer: Answer) -> dict[str, str]:
    """Return the facts of an answer, by the label of each item and of each part of a sum."""
    found: dict[str, str] = {}
    for item in answer.items():
        found[item.label] = f"{item.value} at {item.place}" if item.place else item.value
        for part in (each for each in item.parts if each.label):
            before = f"{found[part.label]}, " if part.label in found else ""
            found[part.label] = f"{before}{part.value} {', '.join(part.norms)}"
    return found


def _norms(answer: Answer) -> dict[str, Norm]:
    """Return the norms that an answer uses, or that forbid it, by id."""
    known = answer.position.program.norms
    return {norm: known[norm] for norm in answer.report().norms if norm in known}


def show(out: Console, given: Answer | str, supposed: Answer) -> None:
    """Print the differences."""
    comparison = compare(given, supposed)
    out.print()
    if comparison.refused is not None:
        out.print(f"Without the change there is no answer: {comparison.refused}", style=DIM)
        return
    if not comparison.lines and not comparison.new and not comparison.gone:
        out.print("Without the change the answer is the same", style=DIM)
        return
    if comparison.lines:
        if comparison.same_verdict is not None:
            out.print(f"The verdict is the same: {comparison.same_verdict}", style=DIM)
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


def record(given: Answer | str, supposed: Answer) -> Record:
    """Return the differences as a part of a record."""
    comparison = compare(given, supposed)
    differs = [
        {"of": each.of, "given": each.given, "supposed": each.supposed} for each in comparison.lines
    ]
    return {
        "as_given": {
            "refused": comparison.refused,
            "same_verdict": comparison.same_verdict,
            "differs": differs,
            "new": [norm.id for norm in comparison.new],
            "gone": [norm.id for norm in comparison.gone],
        }
    }


# --- Chat lines for VASL.


#: Maximum length of the line, and of its list of rules.
LONGEST, _MOST_RULES = 240, 4
_HEAD = "rules-asp: "
#: Short labels: the beginning of the line already names the subject.
_SHORT = {"line of sight": "LOS", "the shot": ""}


def chat_line(answer: Answer) -> str:
    """Return an answer of los, tem or fire in one line: the verdict first, then other items.

    QuestionError for an answer of another kind.
    """
    if not answer.subject:
        raise QuestionError("this command has no chat line: --chat works with los, tem and fire")
    items = sorted(answer.items(), key=lambda each: not each.verdict)
    said = "; ".join(_item(answer.position, each, answer.subject) for each in items)
    places = dict.fromkeys(where for where, _ in answer.beside.doubts)
    faults = dict.fromkeys(each.norm for each in answer.beside.faults)
    rest = f"; the map is in doubt at {_some(places)}" if places else ""
    rest += f"; the board breaks {_some(faults)}" if faults else ""
    said = f"{answer.subject}: {said}"
    return _HEAD + _cut(said, LONGEST - len(_HEAD) - len(rest)) + rest


def _item(position: Position, item: layout.Item, subject: str) -> str:
    """Return an item with its parts, or else its rules; if unknown, with the first reason."""
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
