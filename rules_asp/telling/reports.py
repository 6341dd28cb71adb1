"""Reports for people: what a board breaks, tests, coverage, imports, the rules looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rules_asp.answers.checking import Checked
from rules_asp.cases.covering import Coverage
from rules_asp.cases.outcomes import ExpectationResult
from rules_asp.knowledge.book import Catalogue, section_of
from rules_asp.knowledge.tags import Norm
from rules_asp.parser.errors import nearest
from rules_asp.telling.layout import BAD, DIM, DOUBT, GOOD, NORM, Row, noted, section, table
from rules_asp.telling.lexis import GlossaryEntry, KindEntry, known_words
from rules_asp.terms.board import Board, Building
from rules_asp.vasl.correcting import corrections_in, open_doubts


def check(out: Console, checked: Checked) -> None:
    """Violations, clashes, unknowns and doubts."""
    section(
        out,
        "violations",
        [(each.where, Text(each.norm, NORM), each.what) for each in checked.violations],
    )
    section(
        out,
        "clashes",
        [
            (each.topic, Text(each.one, NORM), Text("against ") + Text(each.other, NORM))
            for each in checked.conflicts
        ],
    )
    section(out, "not known", [(each.topic, str(each.why)) for each in checked.unknown])
    section(out, "doubts of the importer", list(checked.doubts))
    clashing = (cite for e in checked.conflicts for cite in (e.one_paragraph, e.other_paragraph))
    noted(out, (*(each.paragraph for each in checked.violations), *clashing))
    found = checked.violations, checked.conflicts, checked.unknown
    if not any(found):
        out.print("no norm is broken, nothing clashes", style=GOOD)


def outcomes(out: Console, file: str, found: Sequence[tuple[ExpectationResult, str]]) -> None:
    """The `expect` lines of a board: passed, or what was answered instead."""
    for result, text in found:
        mark = ("PASS", GOOD) if result.passed else ("FAIL", BAD)
        place = f" {result.place.file}:{result.place.line}  "
        out.print(Text.assemble(mark, (place, DIM), text), soft_wrap=True)
        if not result.passed:
            out.print(f"     answered: {result.answered}", soft_wrap=True)
    if not found:
        out.print(f"{file}: no expect line", style=DOUBT, soft_wrap=True)


def coverage(out: Console, found: Coverage) -> None:
    """Coverage by section, and the norms that no case holds in place."""
    heads = ["section", "norms", "encoded", "descriptive"]
    rows: list[Row] = [
        (Text(name, NORM), str(each.norms), str(each.encoded), str(each.descriptive))
        for name, each in found.sections.items()
    ]
    if any(each.exercised is not None for each in found.sections.values()):
        heads.append("exercised")
        counts = [str(each.exercised) for each in found.sections.values()]
        rows = [(*row, count) for row, count in zip(rows, counts, strict=True)]
    table(out, rows, heads)
    if found.cases:
        out.print(f"{found.cases} cases")
    if found.unexercised:
        out.print("no case holds in place: ", end="", style=DOUBT)
        out.print(", ".join(found.unexercised))


def imported(out: Console, board: Board, file: str) -> None:
    """What an import made of an archive."""
    buildings = sum(isinstance(each, Building) for each in board.statements)
    out.print(f"board {board.name}, {board.grid} hexes, {buildings} buildings: {file}")
    known = [(each,) for each in corrections_in(board)]
    section(out, "corrected, by what is known of the printed board", known)
    doubts = [(str(each.where), each.text) for each in open_doubts(board)]
    section(out, "doubts, to be settled by a correction", doubts)


def norms(out: Console, found: Iterable[Norm]) -> None:
    """Norms by id and sense."""
    table(out, [(Text(each.id, NORM), each.sense) for each in found])


def readings(out: Console, catalogue: Catalogue, found: Sequence[Norm]) -> None:
    """The readings, by section, with what else the text could mean; the rulings can be switched off."""
    rulings = [each for each in found if each.ruling]
    marked = [each for each in found if not each.ruling]
    groups = [("rulings, which --without switches off", rulings)] if rulings else []
    groups += [
        (f"marked in {name}", list(each))
        for name, each in groupby(marked, key=lambda norm: section_of(norm.paragraph))
    ]
    for title, norms in groups:
        section(out, title, [(Text(each.id, NORM), _reading(catalogue, each)) for each in norms])
    out.print(f"{len(rulings)} rulings, {len(marked)} norms marked (reading)")


def _reading(catalogue: Catalogue, norm: Norm) -> Text:
    below: dict[str, list[str]] = {}
    for each in catalogue.settles(norm):
        below.setdefault(each.winner, []).append(each.loser)
    told = Text(norm.sense)
    if below:
        pairs = (f"{winner} over {', '.join(losers)}" for winner, losers in below.items())
        told.append(f"\n{'; '.join(pairs)}", NORM)
    if read := catalogue.read_by(norm):
        told.append(f"\nread by {', '.join(read)}", NORM)
    return told.append(f"\nor: {norm.other_reading}", DOUBT)


def words(
    out: Console, word: str | None, kind: KindEntry | None, found: Sequence[GlossaryEntry]
) -> None:
    """What is of a kind; topics, forms and predicates with their senses and sentences."""
    if kind is not None:
        members = ", ".join(kind.members)
        out.print(Text(kind.name, NORM) + Text(f": {members or kind.sense}"))
    if found:
        rows: list[Row] = []
        for each in found:
            rows.append((Text(each.form, NORM), each.sense))
            rows += [("", Text(said, DIM)) for said in (*each.sentences, *each.said)]
        table(out, rows)
    elif kind is None:
        near = nearest(word or "", known_words())
        out.print("no such word" + (f"; did you mean {near}?" if near else ""))


def paragraphs(out: Console, catalogue: Catalogue) -> None:
    """The sections, each with its paragraphs and the number of their norms."""
    for name, listed in catalogue.sections.items():
        total = sum(len(norms) for norms in listed.values())
        out.print(Text.assemble((name, f"bold {NORM}"), (f"  {total} norms", DIM)))
        if list(listed) != [name]:
            counts = (f"{each} ({len(norms)})" for each, norms in listed.items())
            out.print(Padding("  ".join(counts), (0, 2)))
