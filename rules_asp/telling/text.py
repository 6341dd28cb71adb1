"""Answers for people: plain lines, tables and trees, in colour where the terminal has it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rich.console import Console
from rich.text import Text

from rules_asp.answers.asking import Asked
from rules_asp.answers.claims import band_text
from rules_asp.answers.proof import Defeat
from rules_asp.answers.rolls import Rolled
from rules_asp.answers.shots import Drm, DrmPart, Fire
from rules_asp.answers.sights import Los
from rules_asp.answers.words import Verdict
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import blocked_at, blockers_in_order, pixels
from rules_asp.telling.layout import (
    DOUBT,
    NORM,
    citations_text,
    defeats_text,
    issues_text,
    related_text,
    section,
    table,
    unknown,
    verdict,
    verdict_text,
)
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.names import level_text
from rules_asp.terms.query import Query

#: So many are told, of each reason, of which it is not known whether they make a question hold.
_PERHAPS = 6
#: So many of the norms that could make something so are named.
_MAKERS = 6


def los(out: Console, position: Position, answer: Los) -> None:
    """A line of sight: the verdict, where, by which norms; what hinders, was beaten, was close."""
    norms = position.program.norms
    hexes = f"{answer.range} hex{'es' * (answer.range != 1)}"
    out.print(
        Text(f"{to_board_text(answer.a, 'location')} - {to_board_text(answer.b, 'location')}: ")
        + verdict(answer.clear, answer.hindrance)
        + (f" at {blocked_at(answer)}" if answer.blockers else "")
    )
    ends = (
        "not known" if end is None else level_text(end) for end in (answer.level_a, answer.level_b)
    )
    out.print(f"range {hexes}, levels {' and '.join(ends)}")
    section(
        out,
        "blocked at",
        [
            (each.place, Text(each.norm, NORM), norms[each.norm].sense)
            for each in blockers_in_order(answer)
        ],
    )
    section(
        out,
        "Hindrance",
        [
            (each.place, f"+{each.amount}", Text(each.norm, NORM), norms[each.norm].sense)
            for each in answer.hindrances
        ],
    )
    defeats_text(out, position, (Defeat(e.norm, e.by, e.place or "") for e in answer.beaten))
    section(
        out,
        "close",
        [
            (
                f"{pixels(each.margin)} pixels ({each.margin + 0.0:.1f} units)",
                Text(f"if {each.what}: ") + verdict(each.clear, each.hindrance),
            )
            for each in sorted(answer.close, key=lambda each: each.margin)
        ],
    )
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def tem(out: Console, position: Position, answer: Drm) -> None:
    """The TEM of a shot, and what it is made of."""
    out.print(_shot(answer) + _amount("TEM", answer.value))
    _parts(out, position, answer.parts)
    defeats_text(out, position, answer.beaten)
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    section(out, "the DRM of the shot are not known", [(str(why),) for why in answer.without])
    issues_text(out, answer)


def fire(out: Console, position: Position, answer: Fire) -> None:
    """A shot: its line of sight, every DRM with its norm, the sum."""
    out.print(_shot(answer.drm) + _amount("DRM", answer.drm.value))
    sight = answer.sight
    if sight is not None:
        out.print(
            Text("line of sight ")
            + verdict(sight.clear, sight.hindrance)
            + (f" at {blocked_at(sight)}" if sight.blockers else "")
        )
    norms = position.program.norms
    section(out, "forbidden by", [(Text(each, NORM), norms[each].sense) for each in answer.norms])
    _parts(out, position, answer.drm.parts)
    related_text(out, position, answer.besides)
    defeats_text(out, position, answer.beaten)
    reasons = (*answer.unknown, *answer.drm.unknown)
    reasons += tuple(why for each in answer.besides for why in each.unknown)
    unknown(out, tuple(dict.fromkeys(reasons)))
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _shot(answer: Drm) -> Text:
    shot = answer.shot
    how = "" if shot.how == "direct" else f"{shot.how.replace('_', ' ')} "
    doing = "" if shot.doing == "still" else f" {shot.doing.replace('_', ' ')}"
    ends = (
        f"from {to_board_text(shot.firer, 'location')} at {to_board_text(shot.target, 'location')}"
    )
    return Text(f"{how}fire {ends}{doing}: ")


def _amount(what: str, value: int | None) -> Text:
    if value is None:
        return Text(f"{what} unknown", f"bold {DOUBT}")
    return Text(f"{what} {value:+d}", "bold")


def _parts(out: Console, position: Position, parts: Iterable[DrmPart]) -> None:
    norms = position.program.norms
    rows = [
        (f"{each.amount:+d}", each.what, Text(each.norm, NORM), norms[each.norm].sense)
        for each in parts
    ]
    table(out, rows, indent=2)


def roll(out: Console, position: Position, answer: Rolled) -> None:
    """A die roll: what is added, by which norm; what each result needs and how likely it is."""
    if answer.dice is None:
        out.print(Text(f"{answer.sentence}: ") + verdict_text(answer.word))
        if answer.word is Verdict.NOT_SO:
            out.print("nothing on this board calls for this roll")
        unknown(out, answer.unknown)
        return
    throws = answer.throws
    what = "a colored and a white die" if answer.dice == "two_dice" else "one die"
    shown = (f"{'DR' if die == 'sum' else die} {number}" for die, number in answer.given)
    out.print(", ".join((f"{answer.sentence}: {what}", *shown)))
    for each in answer.modifiers:
        die = "" if each.die == "sum" else f" to the {each.die} die"
        total = "unknown" if each.value is None else f"{each.value:+d}"
        out.print(f"{total}{die}:")
        _parts(out, position, each.parts)
    section(
        out,
        "results",
        [
            (
                Text(each.name.replace("_", " "), "bold"),
                band_text(each.die, each.reading, each.low, each.high),
                _odds(each.chance, throws),
                Text(each.norm, NORM),
            )
            for each in answer.results
        ],
    )
    section(
        out,
        "together",
        [
            (_odds(chance, throws), ", ".join(names).replace("_", " ") or "nothing of this")
            for names, chance in answer.together
        ],
    )
    defeats_text(out, position, answer.beaten)
    unknown(out, answer.unknown)
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _odds(chance: Fraction | None, throws: int) -> str:
    return "?" if chance is None else f"{chance * throws}/{throws}"


def ask(
    out: Console,
    position: Position,
    query: Query,
    asked: Asked,
) -> None:
    """An answer in a word, or a table of the ways in which the question holds; what is so instead."""
    kinds = query.variables
    if asked.holds and kinds:
        table(out, [tuple(value for _, value in way.values) for way in asked.found], list(kinds))
    else:
        word(out, position, asked)
    not_allowed(out, position, asked)
    _perhaps(out, asked)
    defeats_text(out, position, asked.beaten)
    unknown(out, asked.unknown)
    citations_text(out, position, asked.cites)
    issues_text(out, asked)


def word(out: Console, position: Position, asked: Asked) -> None:
    """The word for an answer; who forbids it, what is so instead, or who could make it so."""
    out.print(verdict_text(asked.word))
    norms = position.program.norms
    section(
        out, "forbidden by", [(Text(each, NORM), norms[each].sense) for each in asked.forbidding]
    )
    if asked.values and asked.word is Verdict.NOT_SO:
        out.print(f"it is {', '.join(asked.values)}")
    elif asked.word is Verdict.NOT_SO and not asked.cites:
        out.print("nothing on this board makes it so")
        some, more = asked.could[:_MAKERS], len(asked.could) - _MAKERS
        if some:
            rest = f" and {more} more" if more > 0 else ""
            out.print(Text.assemble("these norms could: ", (", ".join(some), NORM), rest))


def _perhaps(out: Console, asked: Asked) -> None:
    """What may be found as well, by the reasons why it is not known."""
    by_reasons: dict[str, list[str]] = {}
    for about, reasons in asked.perhaps:
        by_reasons.setdefault("; ".join(map(str, reasons)), []).append(about)
    rows = []
    for why, several in by_reasons.items():
        more = len(several) - _PERHAPS
        rest = f" and {more} more" if more > 0 else ""
        rows.append((why, ", ".join(several[:_PERHAPS]) + rest))
    section(out, "perhaps", rows)


def not_allowed(out: Console, position: Position, asked: Asked) -> None:
    """What has a price, and is forbidden."""
    norms = position.program.norms
    section(
        out,
        "not allowed",
        [
            (each.sentence, Text(norm, NORM), norms[norm].sense)
            for each in asked.not_allowed
            for norm in each.norms
        ],
    )
