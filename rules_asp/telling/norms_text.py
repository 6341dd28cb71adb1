"""Norms looked up, each in full: its sense, how it is written down, what it beats, names and is named
by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rules_asp.cases.citing import CaseLine, are_shipped, cases_citing
from rules_asp.knowledge.book import Catalogue
from rules_asp.knowledge.norms_written import NormSources
from rules_asp.knowledge.tags import Norm
from rules_asp.telling.layout import DIM, DOUBT, NORM, noted

_BEATS = {
    "overrides": "overrides",
    "lifts": "lifts",
    "amends": "goes before, as its section does,",
    "yields": "goes before what yields:",
}
_BEATEN = {
    "overrides": "overridden by",
    "lifts": "lifted by",
    "amends": "gives way, as its paragraph does, to",
    "yields": "yields to",
}
#: So many names, and so many cases, are told to people.
_MOST, _CASES = 12, 6


def norms_in_full(
    out: Console, catalogue: Catalogue, written: NormSources, found: Sequence[Norm]
) -> None:
    """Norms in full, and what is noted on their paragraphs."""
    for number, norm in enumerate(found):
        if number:
            out.print()
        _norm(out, catalogue, written, norm)
    noted(out, dict.fromkeys(each.paragraph for each in found))
    if found and are_shipped():
        out.print(Text("cases: of the bundled boards alone; the others come with a checkout", DIM))


def _norm(out: Console, catalogue: Catalogue, written: NormSources, norm: Norm) -> None:
    marked = {
        "assumed": norm.assumed,
        "descriptive": norm.descriptive,
        "reading": norm.reading,
        "silent": written.is_silent(norm),
    }
    marks = [word for word, on in marked.items() if on]
    shown = f"  ({', '.join(marks)})" if marks else ""
    out.print(Text.assemble((norm.id, f"bold {NORM}"), (shown, DIM)))
    out.print(Padding(norm.sense, (0, 2)))
    if norm.other_reading:
        out.print(Padding(Text(f"or: {norm.other_reading}", DOUBT), (0, 2)))
    for each in written.source_lines(norm):
        out.print(Padding(Text(f"{each.file}:{each.line}", DIM), (0, 2)))
        for line in each.text.split("\n"):
            # As it stands: a line of the file is a line here.
            out.print(Text(f"    {line}".rstrip()), soft_wrap=True)
    if not written.source_lines(norm):
        out.print(Padding(Text(f"{norm.path}:{norm.line}", DIM), (0, 2)))
    _precedences(out, catalogue, norm)
    for ruling in catalogue.rulings_on(norm):
        _line(out, "ruling", Text.assemble((ruling.id, NORM), f"  {ruling.sense}"))
    names, named_by = written.references(norm)
    told = {each.loser for each in catalogue.beats(norm)}
    told |= {each.winner for each in catalogue.beaten_by(norm)}
    told |= {each.id for each in catalogue.rulings_on(norm)}
    _line(out, "names", _several([each for each in names if each not in told], _MOST))
    _line(out, "named by", _several([each for each in named_by if each not in told], _MOST))
    _line(out, "cases", _several(_cases(cases_citing(norm)), _CASES))


def _precedences(out: Console, catalogue: Catalogue, norm: Norm) -> None:
    """What it goes before, and what goes before it."""
    for found, verbs, other, whole in (
        (catalogue.beats(norm), _BEATS, "loser", "-"),
        (catalogue.beaten_by(norm), _BEATEN, "winner", "."),
    ):
        for how, group in groupby(found, key=lambda each: (each.how, each.ruling)):
            verb, ruling = verbs[how[0]], f" (ruling {how[1]})" if how[1] else ""
            named = [getattr(each, other) for each in group]
            if how[0] == "amends":
                # A whole section goes before whole paragraphs.
                named = [each.partition(whole)[0] for each in named]
            names = ", ".join(dict.fromkeys(named))
            out.print(Padding(f"{verb} {names}{ruling}", (0, 2)))
    if by := catalogue.first.get(norm.id):
        out.print(Padding(Text(f"goes first because {by}", DIM), (0, 2)))


def _line(out: Console, what: str, told: Text) -> None:
    if told:
        out.print(Padding(Text.assemble((f"{what} ", DIM), told), (0, 2)))


def _several(names: Sequence[str], most: int) -> Text:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return Text(", ".join(names[:most]), NORM).append(more, DIM) if names else Text()


def _cases(found: Iterable[CaseLine]) -> list[str]:
    return [f"{each.file}:{each.line}" for each in found]
