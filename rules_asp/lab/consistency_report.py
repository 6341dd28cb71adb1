"""The report of `lab prove`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_asp.knowledge.rules import Norm
from rules_asp.lab.consistency import (
    VERDICTS,
    Consistency,
    PairVerdict,
    SectionCount,
)
from rules_asp.lab.theory import NamedAxiom

#: The columns of the table: the verdicts, each with a short title.
_COLUMNS = {
    "type": "terms",
    "proved": "proved",
    "proved_valid": "proved*",
    "text": "text",
    "reading": "reading",
    "ruling": "ruling",
    "open": "open",
}
#: Number of open pairs listed without the option for all.
_LISTED = 12


def text(
    out: Console,
    found: Consistency,
    counts: Sequence[SectionCount],
    axioms: Sequence[NamedAxiom],
    everything: bool,
) -> None:
    """Print the verdict, the table, and the open pairs."""
    whole = counts[-1]
    proved = whole.counts.get("proved", 0) + whole.counts.get("proved_valid", 0)
    left = whole.counts.get("open", 0)
    out.print(Text(f"{whole.pairs} pairs of rules: {proved} proved, {left} open", "bold"))
    if found.left:
        out.print(f"Stopped early: {found.left} pairs were not examined.", style="bold red")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("section", "pairs", *_COLUMNS.values(), "share"):
        table.add_column(title, justify="left" if title == "section" else "right")
    for count in counts:
        share = "" if count.share is None else f"{count.share:.0%}"
        row = (str(count.counts.get(verdict, 0)) for verdict in _COLUMNS)
        table.add_row(count.section, str(count.pairs), *row, share)
    out.print(table)
    out.print(
        "proved: never together, on boards of every size. proved*: on boards that break no norm\n"
        "and that a map can show.\n"
        "share: of the pairs that neither terms nor precedence settle, those that are proved.",
        style="dim",
    )
    opened = [each for each in found.verdicts if each.verdict == "open"]
    if opened:
        out.print()
        out.print(Text("Open", "bold"))
    for each in opened if everything else opened[:_LISTED]:
        out.print(f"  {each.kind}: {each.one} against {each.other}")
    if not everything and len(opened) > _LISTED:
        out.print(f"  and {len(opened) - _LISTED} more: --all lists them", style="dim")
    if opened:
        first = opened[0]
        out.print(f"Show what is open: rules-asp lab prove {first.one} {first.other}", style="dim")
    for one, other in found.mutual:
        out.print(f"Each wins over the other: {one} and {other}", style="bold red")
    _foot(out, found, axioms)
    out.print(f"Rules: {found.fingerprint}.", style="dim")


def pair_text(
    out: Console, found: Consistency, norms: Mapping[str, Norm], axioms: Sequence[NamedAxiom]
) -> None:
    """Print the results for two norms, by kind of question."""
    if not found.verdicts:
        out.print(Text("These rules never answer the same question.", "bold"))
    for each in found.verdicts:
        out.print(Text(f"{each.kind}: {VERDICTS[each.verdict]}", "bold"))
        for norm in dict.fromkeys((each.one, each.other)):
            out.print(f"  {norm}  {norms[norm].sense}")
        if each.by:
            out.print(f"  by {', '.join(each.by)}")
        for rule in each.rules:
            out.print(f"  rule: {rule}", style="dim")
        if each.verdict == "open":
            out.print("  No contradiction was found between these facts:")
            for fact in each.model:
                out.print(f"    {fact}")
    _foot(out, found, axioms)


def _foot(out: Console, found: Consistency, axioms: Sequence[NamedAxiom]) -> None:
    used = {axiom for each in found.verdicts for axiom in each.axioms}
    named = [each for each in axioms if each.axiom.name in used and each.ground != "calculus"]
    if named:
        told = "; ".join(f"{each.axiom.name} ({each.why})" for each in named)
        out.print(f"Proved given: {told}.", style="dim")
    off = f", without {', '.join(found.without)}" if found.without else ""
    out.print(f"All sections{off}.", style="dim")


def record(
    found: Consistency, counts: Sequence[SectionCount], axioms: Sequence[NamedAxiom]
) -> dict[str, Any]:
    """Return the report as JSON."""
    return {
        "fingerprint": found.fingerprint,
        "without": list(found.without),
        "sections": [
            {"section": each.section, "pairs": each.pairs, "share": each.share}
            | {verdict: each.counts.get(verdict, 0) for verdict in VERDICTS}
            for each in counts
        ],
        "pairs": [_pair_record(each) for each in found.verdicts if each.verdict != "type"],
        "mutual": [list(each) for each in found.mutual],
        "axioms": [
            {"axiom": each.axiom.name, "ground": each.ground, "why": each.why} for each in axioms
        ],
        "anew": found.anew,
        "left": found.left,
        "seconds": round(found.seconds, 3),
    }


def _pair_record(each: PairVerdict) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(each).items()}
