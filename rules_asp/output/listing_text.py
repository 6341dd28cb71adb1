"""Listings as text: tests, coverage, imports, rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rules_asp.cases.coverage import Coverage, are_shipped, cases_citing
from rules_asp.cases.expectations import ExpectationResult
from rules_asp.explain import layout
from rules_asp.explain.record import Record
from rules_asp.game.board import Board, Building
from rules_asp.game.map_layout import map_names
from rules_asp.knowledge.catalogue import Catalogue, NormSources, section_of
from rules_asp.knowledge.notes import Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.output.console import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    NORM,
    Row,
    section,
    show,
    shows_all,
    table,
)
from rules_asp.output.folder_jobs import FolderResult, LosTablePart, folder_totals
from rules_asp.output.help_pages import GlossaryEntry, KindEntry, known_words
from rules_asp.parser.errors import nearest
from rules_asp.saves.game_state import HIDDEN, ImportedGame
from rules_asp.vasl.known_boards import corrections_in, open_doubts

# --- Reports: violations, tests, coverage, imports, rules looked up.


def outcomes(out: Console, file: str, found: Sequence[tuple[ExpectationResult, str]]) -> None:
    """Print the `expect` lines of a board: the number passed, and each failure with the actual
    answer."""
    failed = 0
    for result, text in found:
        failed += not result.passed
        if result.passed and not shows_all(out):
            continue
        mark = ("PASS", GOOD) if result.passed else ("FAIL", BAD)
        place = f" {result.place.file}:{result.place.line}  "
        out.print(Text.assemble(mark, (place, DIM), text), soft_wrap=True)
        if not result.passed:
            out.print(f"     answered: {result.answered}", soft_wrap=True)
    if not found:
        out.print(f"{file}: no expect line", style=DOUBT, soft_wrap=True)
        return
    counts = f"{len(found) - failed} passed" + (f", {failed} failed" if failed else "")
    out.print(Text(f"{file}: {counts}", BAD if failed else GOOD), soft_wrap=True)


def coverage(out: Console, found: Coverage) -> None:
    """Print coverage by section, and the norms that no case tests."""
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
    """Print the result of an import."""
    buildings = sum(isinstance(each, Building) for each in board.statements)
    out.print(f"board {board.name}, {board.grid} hexes, {buildings} buildings: {file}")
    known = [(each,) for each in corrections_in(board)]
    section(out, "Corrected from known errors of the board image", known)
    names = map_names(board.grid)
    doubts = layout.merged(
        (each.text, names.text(each.where), each.text) for each in open_doubts(board)
    )
    section(out, "Doubts, repeated where they affect an answer (to settle: help maps)", doubts)


def game(out: Console, played: ImportedGame, file: str) -> None:
    """Print the result for the counters of an imported game."""
    report = played.report
    counts = (
        (len(report.recognized), "recognized"),
        (len(report.unrecognized), "not recognized"),
        (sum(report.ignored.values()), "ignored"),
        (sum(report.off_board.values()), "off the boards"),
    )
    told = ", ".join(f"{count} {what}" for count, what in counts)
    out.print(f"{file}: counters {told}", highlight=False)
    if played.boards:
        out.print(f"Boards: {', '.join(played.boards)}", highlight=False)
    steps, taken = played.log
    if steps:
        out.print(f"Log: {taken} of {steps} steps", highlight=False)
    section(out, "Not recognized", report.unrecognized)
    section(out, "The map", [(each,) for each in played.told])
    assumed = [*report.assumed, HIDDEN]
    section(out, "Assumed", [(each,) for each in assumed])
    section(out, "Ignored", _count_rows(report.ignored))
    section(out, "Off the boards", _count_rows(report.off_board))
    section(out, "Recognized", report.recognized)
    out.print(f"Next: rules-asp check {file}", highlight=False)


def _count_rows(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(str(count), name) for name, count in counts.items()]


def norms(out: Console, found: Iterable[Norm]) -> None:
    """Print norms by id and summary."""
    table(out, [(Text(each.id, NORM), each.sense) for each in found])


def readings(out: Console, catalogue: Catalogue, found: Sequence[Norm]) -> None:
    """Print the interpretations by section, with the alternatives; rulings can be switched off."""
    rulings = [each for each in found if each.ruling]
    marked = [each for each in found if not each.ruling]
    groups = [("rulings that --without switches off", rulings)] if rulings else []
    groups += [
        (f"marked in {name}", list(each))
        for name, each in groupby(marked, key=lambda norm: section_of(norm.paragraph))
    ]
    for title, norms in groups:
        section(out, title, [(Text(each.id, NORM), _reading(catalogue, each)) for each in norms])
    out.print(f"{len(rulings)} rulings, {len(marked)} rules marked (reading)")


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
    """Print the members of a kind; topics, forms and predicates with meanings and sentences."""
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
    """Print the sections, each with its rule numbers and the number of their norms."""
    for name, listed in catalogue.sections.items():
        total = sum(len(norms) for norms in listed.values())
        out.print(Text.assemble((name, f"bold {NORM}"), (f"  {total} rules", DIM)))
        if list(listed) != [name]:
            counts = (f"{each} ({len(norms)})" for each, norms in listed.items())
            out.print(Padding("  ".join(counts), (0, 2)))


# --- Norms in full: summary, source, precedence, references.


_BEATS = {
    "overrides": "overrides",
    "lifts": "suspends",
    "amends": "takes precedence, as its section does, over",
    "yields": "takes precedence over",
}
_BEATEN = {
    "overrides": "overridden by",
    "lifts": "suspended by",
    "amends": "gives way, as its rule number does, to",
    "yields": "gives way to",
}
#: Maximum number of names, and of cases, that are printed.
_MOST, _CASES = 12, 6


def norms_in_full(
    out: Console,
    catalogue: Catalogue,
    written: NormSources,
    found: Sequence[Norm],
    notes: Notes | None = None,
    logic: bool = False,
) -> None:
    """Print norms in full, with the notes on their rule numbers; with `logic`, also their rules."""
    for number, norm in enumerate(found):
        if number:
            out.print()
        _norm(out, catalogue, written, norm)
        if logic:
            _logic(out, written, norm)
    show(out, layout.noted(notes, dict.fromkeys(each.paragraph for each in found)))
    if found and are_shipped():
        out.print(Text("cases: only those of the included boards; a checkout has more", DIM))


def _norm(out: Console, catalogue: Catalogue, written: NormSources, norm: Norm) -> None:
    marked = {
        "assumed": norm.assumed,
        "less sure": norm.less_sure,
        "descriptive": norm.descriptive,
        "interpretation": norm.reading,
        "silent": written.is_silent(norm),
    }
    marks = [word for word, on in marked.items() if on]
    shown = f"  ({', '.join(marks)})" if marks else ""
    out.print(Text.assemble((norm.id, f"bold {NORM}"), (shown, DIM)))
    out.print(Padding(norm.sense, (0, 2)))
    if norm.other_reading:
        out.print(Padding(Text(f"or: {norm.other_reading}", DOUBT), (0, 2)))
    if norm.open_points:
        out.print(Padding(Text(f"open: {norm.open_points}", DOUBT), (0, 2)))
    _precedences(out, catalogue, norm)
    for ruling in catalogue.rulings_on(norm):
        _line(out, "ruling", Text.assemble((ruling.id, NORM), f"  {ruling.sense}"))
    names, named_by = written.references(norm)
    told = {each.loser for each in catalogue.beats(norm)}
    told |= {each.winner for each in catalogue.beaten_by(norm)}
    told |= {each.id for each in catalogue.rulings_on(norm)}
    _line(out, "names", _several([each for each in names if each not in told], _MOST))
    _line(out, "named by", _several([each for each in named_by if each not in told], _MOST))
    cases = [f"{each.file}:{each.line}" for each in cases_citing(norm)]
    _line(out, "cases", _several(cases, _CASES))
    out.print(Padding(Text(f"{norm.path}:{norm.line}", DIM), (0, 2)))


def _logic(out: Console, written: NormSources, norm: Norm) -> None:
    """Print the logic rules of a norm."""
    for each in written.source_lines(norm):
        out.print(Padding(Text(f"{each.file}:{each.line}", DIM), (0, 2)))
        for line in each.text.split("\n"):
            # Source lines are printed unchanged.
            out.print(Text(f"    {line}".rstrip()), soft_wrap=True)


def _precedences(out: Console, catalogue: Catalogue, norm: Norm) -> None:
    """Print the precedence of a norm in both directions."""
    for found, verbs, other, whole in (
        (catalogue.beats(norm), _BEATS, "loser", "-"),
        (catalogue.beaten_by(norm), _BEATEN, "winner", "."),
    ):
        for how, group in groupby(found, key=lambda each: (each.how, each.ruling)):
            verb, ruling = verbs[how[0]], f" (ruling {how[1]})" if how[1] else ""
            named = [getattr(each, other) for each in group]
            if how[0] == "amends":
                # A section takes precedence over whole rule numbers.
                named = [each.partition(whole)[0] for each in named]
            names = ", ".join(dict.fromkeys(named))
            out.print(Padding(f"{verb} {names}{ruling}", (0, 2)))
    if by := catalogue.first.get(norm.id):
        out.print(Padding(Text(f"takes precedence because {by}", DIM), (0, 2)))


def _line(out: Console, what: str, told: Text) -> None:
    if told:
        out.print(Padding(Text.assemble((f"{what} ", DIM), told), (0, 2)))


def _several(names: Sequence[str], most: int) -> Text:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return Text(", ".join(names[:most]), NORM).append(more, DIM) if names else Text()


# --- Results for all boards of a folder: a table, and JSON.


_Errors = Sequence[tuple[Path, str]]
_CHECKED = ("violations", "conflicts", "unknowns", "doubts")


def matrix_table(
    out: Console, found: Sequence[tuple[Path, Path, LosTablePart]], errors: _Errors
) -> None:
    """Print the number of LOS of each board, by verdict."""
    rows: list[Row] = [
        (rows.board, *_figures(rows.tally), str(target)) for _, target, rows in found
    ]
    if len(found) > 1:
        rows.append(("in all", *_figures(folder_totals(each.tally for *_, each in found)), ""))
    table(out, rows, ("board", "lines", "clear", "blocked", "unknown", "file"))
    _ending(out, len(found), errors)


def matrix_record(found: Sequence[tuple[Path, Path, LosTablePart]], errors: _Errors) -> Record:
    """Return the same as JSON."""
    boards = [
        {"board": rows.board, "of": str(path), "file": str(target), **rows.tally._asdict()}
        for path, target, rows in found
    ]
    total = folder_totals(rows.tally for *_, rows in found)
    return {"boards": boards, "total": total._asdict(), "errors": _records(errors)}


def check_table(out: Console, found: Sequence[tuple[Path, FolderResult]], errors: _Errors) -> None:
    """Print the counts of violations and gaps of each board; then each violated norm."""
    rows: list[Row] = [(each.board, *_figures(each.counts), str(path)) for path, each in found]
    if len(found) > 1:
        rows.append(("in all", *_figures(_sums(each.counts for _, each in found)), ""))
    table(out, rows, ("board", "violations", "conflicts", "unknown", "doubts", "file"))
    broken: list[Row] = [
        (each.board, fault["at"] or "", fault["norm"], fault["what"])
        for _, each in found
        for fault in each.record["violations"]
    ]
    section(out, "violations", broken)
    _ending(out, len(found), errors)


def check_record(found: Sequence[tuple[Path, FolderResult]], errors: _Errors) -> Record:
    """Return the same as JSON, with all details of each board."""
    boards = [{"board": each.board, "of": str(path), **each.record} for path, each in found]
    total: dict[str, Any] = dict(
        zip(_CHECKED, _sums(each.counts for _, each in found), strict=True)
    )
    return {"boards": boards, "total": total, "errors": _records(errors)}


def _sums(counts: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip((0,) * len(_CHECKED), *counts, strict=True)))


def _figures(counts: Iterable[int]) -> list[str]:
    return [f"{each:,}" for each in counts]


def _records(errors: _Errors) -> list[dict[str, str]]:
    return [{"of": str(path), "error": what} for path, what in errors]


def _ending(out: Console, boards: int, errors: _Errors) -> None:
    said = f"{boards} board{'s' * (boards != 1)}"
    if errors:
        out.print(Text(f"{said}, and {len(errors)} that could not be read", BAD))
    else:
        out.print(Text(said, GOOD))
