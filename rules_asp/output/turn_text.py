"""Tables about many attacks as text for the terminal: `firers` and `targets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from rules_asp.game.values import quarters_text, to_board_text
from rules_asp.output.console import (
    BAD,
    DOUBT,
    GOOD,
    NORM,
    Row,
    citations_text,
    enumeration,
    issues_text,
    part_name,
    rules_text,
    section,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from rules_asp.explain.unknown import Reason
    from rules_asp.positions.position import Position
    from rules_asp.queries.fire import DrmPart
    from rules_asp.queries.fire_table import Attack, FireTable

#: So many units are named in one line of those that cannot fire.
_NAMED = 8


def firers(out: Console, position: Position, answer: FireTable) -> None:
    """The units that can fire at a target: the count, the table, and why each other unit cannot."""
    fire_table(out, position, answer)


def targets(out: Console, position: Position, answer: FireTable) -> None:
    """The targets of a unit, as `firers`."""
    fire_table(out, position, answer)


def fire_table(out: Console, position: Position, answer: FireTable) -> None:
    """A table of attacks, the ones that are allowed first."""
    able = [each for each in answer.attacks if each.legal and each.firepower != 0]
    idle = [each for each in answer.attacks if each.legal and each.firepower == 0]
    possible = [each for each in answer.attacks if each.legal is None]
    barred = [each for each in answer.attacks if each.legal is False]
    out.print(_headline(answer, len(able)))
    head = ("Target" if answer.by_firer else "Unit", "In", "Range", "FP", "Leader", "DRM", "")
    section(
        out,
        "Allowed",
        [head, *(_row(position, answer, each) for each in able)][: None if able else 0],
    )
    section(out, "Allowed, but without FP", [(_names(answer, idle),)] if idle else [])
    _doubtful(out, answer, possible)
    _barred(out, position, answer, barred)
    _reasons(out, answer, "FP unknown because", able, "fp_unknown")
    _reasons(out, answer, "DRM unknown because", able, "drm_unknown")
    parts = (part for each in able for part in each.doublings)
    rules_text(out, position, "FP changed by", (("", part.norm) for part in parts))
    citations_text(out, position, answer.cites)
    issues_text(out, answer)


def _headline(answer: FireTable, able: int) -> Text:
    count = Text(str(able), f"bold {GOOD if able else BAD}")
    where = to_board_text(answer.place, "location")
    of = answer.of if answer.of == where else f"{answer.of} in {where}"
    many = len(answer.attacks)
    doing = "" if answer.doing is None else f", target {answer.doing.replace('_', ' ')}"
    if answer.by_firer:
        return Text.assemble(f"{of} can fire at ", count, f" of {many} enemy units")
    verb = "unit" if many == 1 else "units"
    return Text.assemble(count, f" of {many} {verb} can fire at {of}{doing}")


def attack_ends(answer: FireTable, attack: Attack) -> str:
    """The other unit of an attack of a table, as the table names it."""
    return (attack.shot.on if answer.by_firer else attack.shot.by) or ""


def attack_summary(attack: Attack) -> str:
    """An attack in few words: `4 FP, DRM -1`."""
    if attack.legal is not True:
        return "unknown" if attack.legal is None else "not allowed"
    drm = "unknown" if attack.drm.value is None else f"{attack.drm.value:+d}"
    return f"{_firepower(attack)} FP, DRM {drm}"


def _firepower(attack: Attack) -> str:
    return "?" if attack.firepower is None else quarters_text(attack.firepower)


def _row(position: Position, answer: FireTable, attack: Attack) -> Row:
    shot = attack.shot
    where = to_board_text(shot.target if answer.by_firer else shot.firer, "location")
    drm = "?" if attack.drm.value is None else f"{attack.drm.value:+d}" if attack.drm.value else "0"
    lead = "?" if attack.direction is None else f"{attack.direction:+d}" if attack.direction else ""
    factors = [part_name(position, "fp_part", each.what) for each in attack.doublings]
    factors += ["TPBF"] if attack.times > 1 else []
    parts = _parts(position, attack.drm.parts)
    return (
        Text(attack_ends(answer, attack), "bold"),
        where,
        str(attack.range),
        _firepower(attack),
        lead,
        Text(drm, "bold"),
        "; ".join(filter(None, (", ".join(factors), parts))),
    )


def _parts(position: Position, parts: Iterable[DrmPart]) -> str:
    named = (
        f"{part_name(position, 'drm_part', each.what)} {each.amount:+d}"
        for each in parts
        if each.amount
    )
    return ", ".join(named)


def _names(answer: FireTable, attacks: Iterable[Attack]) -> str:
    names = [attack_ends(answer, each) for each in attacks]
    more = len(names) - _NAMED
    return enumeration(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _doubtful(out: Console, answer: FireTable, attacks: Iterable[Attack]) -> None:
    by_reason: dict[str, list[Attack]] = {}
    for each in attacks:
        by_reason.setdefault("; ".join(map(str, each.unknown)), []).append(each)
    rows = [(Text(_names(answer, some), DOUBT), why) for why, some in by_reason.items()]
    section(out, "Unknown", rows)


def _barred(out: Console, position: Position, answer: FireTable, attacks: list[Attack]) -> None:
    by_reason: dict[tuple[str, tuple[str, ...]], list[Attack]] = {}
    for each in attacks:
        where = f"LOS blocked at {each.blocked_at}" if each.clear is False else ""
        by_reason.setdefault((where, each.norms), []).append(each)
    rows = [
        (_names(answer, some), Text(", ".join(norms), NORM), where)
        for (where, norms), some in by_reason.items()
    ]
    section(out, "Not allowed", rows)
    shown = (norm for each in attacks for norm in each.norms)
    rules_text(out, position, "Not allowed by", (("", norm) for norm in shown))


def _reasons(
    out: Console, answer: FireTable, title: str, attacks: Iterable[Attack], which: str
) -> None:
    by_reason: dict[tuple[Reason, ...], list[Attack]] = {}
    for each in attacks:
        why = each.fp_unknown if which == "fp_unknown" else each.drm.unknown
        if why:
            by_reason.setdefault(why, []).append(each)
    rows = [(_names(answer, some), "; ".join(map(str, why))) for why, some in by_reason.items()]
    section(out, title, rows)
