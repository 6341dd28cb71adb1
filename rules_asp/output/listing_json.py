"""Listings as JSON, in the shapes that `json_schema` lists: tests, coverage, imports, rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules_asp.cases.coverage import Coverage, cases_citing
from rules_asp.cases.expectations import ExpectationResult
from rules_asp.explain import record
from rules_asp.explain.record import Record
from rules_asp.game.board import Board, Building
from rules_asp.game.map_layout import map_names
from rules_asp.knowledge.catalogue import Catalogue, NormSources
from rules_asp.knowledge.notes import Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.output.help_pages import GlossaryEntry, KindEntry
from rules_asp.positions.scope import NOTHING_OF_THE_KIND
from rules_asp.saves.game_state import HIDDEN, ImportedGame
from rules_asp.vasl.known_boards import corrections_in, open_doubts


def test(outcomes: Sequence[tuple[ExpectationResult, str]], errors: Sequence[str]) -> Record:
    """Return the results of `expect` lines with their texts; `errors` are about files that are not
    boards."""
    return {
        "passed": sum(each.passed for each, _ in outcomes),
        "failed": sum(not each.passed for each, _ in outcomes),
        "outcomes": [
            {
                "file": each.place.file,
                "line": each.place.line,
                "expect": text,
                "passed": each.passed,
                "verdict": each.word or NOTHING_OF_THE_KIND,
                "answered": each.answered,
                "cites": list(each.cites),
            }
            for each, text in outcomes
        ],
        "errors": list(errors),
    }


def coverage(found: Coverage) -> Record:
    """Return coverage by section; `exercised` is null, and `unexercised` empty, if it was not
    tried."""
    return {
        "sections": {
            section: {
                "norms": each.norms,
                "encoded": each.encoded,
                "descriptive": each.descriptive,
                "exercised": each.exercised,
            }
            for section, each in found.sections.items()
        },
        "cases": found.cases,
        "unexercised": list(found.unexercised),
    }


def imported(board: Board, file: str) -> Record:
    """Return the result of an import."""
    return {
        "board": board.name,
        "file": file,
        "grid": str(board.grid),
        "buildings": sum(isinstance(each, Building) for each in board.statements),
        "doubts": [
            {"at": map_names(board.grid).text(each.where), "what": each.text}
            for each in open_doubts(board)
        ],
        "corrected": corrections_in(board),
    }


def game(played: ImportedGame, file: str) -> Record:
    """Return the result for the counters of an imported game."""
    report = played.report
    steps, taken = played.log
    return {
        "file": file,
        "boards": list(played.boards),
        "vasl": played.version,
        "extensions": list(played.extensions),
        "values": dict(played.values),
        "log": {"steps": steps, "taken": taken},
        "recognized": _placed(report.recognized),
        "unrecognized": _placed(report.unrecognized),
        "ignored": dict(report.ignored),
        "beside": dict(report.off_board),
        "map": list(played.told),
        "assumed": [*report.assumed, HIDDEN],
    }


def _placed(found: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"at": place, "counter": name, "as": what} for place, name, what in found]


def norms(
    catalogue: Catalogue,
    written: NormSources,
    found: Sequence[Norm],
    notes: Notes | None = None,
) -> Record:
    """Return norms with their precedence, source lines and references."""
    return {
        "norms": [
            {
                "id": norm.id,
                "cite": norm.paragraph,
                "sense": norm.sense,
                "file": norm.path,
                "line": norm.line,
                "assumed": norm.assumed,
                "less_sure": norm.less_sure,
                "descriptive": norm.descriptive,
                "reading": norm.reading,
                "or": norm.other_reading or None,
                "open": norm.open_points or None,
                "goes_first": catalogue.first.get(norm.id),
                "beats": [
                    {"norm": each.loser, "how": each.how, "ruling": each.ruling}
                    for each in catalogue.beats(norm)
                ],
                "beaten_by": [
                    {"norm": each.winner, "how": each.how, "ruling": each.ruling}
                    for each in catalogue.beaten_by(norm)
                ],
                "rulings": [each.id for each in catalogue.rulings_on(norm)],
                "silent": written.is_silent(norm),
                "encoding": [each._asdict() for each in written.source_lines(norm)],
                "names": list(written.references(norm).names),
                "named_by": list(written.references(norm).named_by),
                "cases": [each._asdict() for each in cases_citing(norm)],
            }
            for norm in found
        ],
        **record.notes(notes, (each.paragraph for each in found)),
    }


def readings(catalogue: Catalogue, found: Iterable[Norm]) -> Record:
    """Return the interpretations: rulings that can be switched off, and marked norms."""
    return {
        "readings": [
            {
                "id": norm.id,
                "cite": norm.paragraph,
                "sense": norm.sense,
                "or": norm.other_reading,
                "open": norm.open_points or None,
                "ruling": norm.ruling,
                "less_sure": norm.less_sure,
                "settles": [
                    {"norm": each.winner, "over": each.loser} for each in catalogue.settles(norm)
                ],
                "read_by": catalogue.read_by(norm),
                "file": norm.path,
                "line": norm.line,
            }
            for norm in found
        ]
    }


def paragraphs(catalogue: Catalogue) -> Record:
    """Return the rule numbers with the number of their norms."""
    return {
        "paragraphs": [
            {"cite": paragraph, "norms": len(norms)}
            for paragraph, norms in catalogue.paragraphs.items()
        ]
    }


def words(kind: KindEntry | None, found: Iterable[GlossaryEntry]) -> Record:
    """Return the glossary, or the members of a kind."""
    return {
        "kind": None if kind is None else kind.name,
        "members": [] if kind is None else list(kind.members),
        "words": [
            {
                "form": each.form,
                "sense": each.sense,
                "sentences": list(each.sentences),
                "said": list(each.said),
            }
            for each in found
        ],
    }
