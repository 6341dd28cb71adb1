"""rules, program, lint, coverage, words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rules_asp.cli.bulk_commands import resume_file, target
from rules_asp.cli.common import (
    BoardCommand,
    Command,
    CommandError,
    Supposition,
    board_files,
    job_options,
    json_option,
    open_position,
    print_json,
    print_result,
    progress_bar,
    spinner,
    with_notes,
)

if TYPE_CHECKING:
    from rules_asp.cases.coverage import NormTrials
    from rules_asp.runtime.job_pool import JobSettings


# --- What a strict coverage has tried, norm by norm, in a file that it can go on with.


def coverage_progress(
    open_: ExitStack, path: Path | None, cases: Sequence[Path] | None, again: bool
) -> tuple[dict[str, bool], NormTrials | None]:
    """What the file of this path knows already, where `again`, and what keeps there what is tried.

    Each line is a norm, and whether a case holds it in place. CommandError for a file of other cases
    or rules.
    """
    if path is None:
        return {}, None
    file, count = resume_file(open_, path, _header(cases), again)
    known: dict[str, bool] = {}
    if count:
        with path.open("rb") as written:
            for line in written.readlines()[1:]:
                row = json.loads(line)
                known[row["norm"]] = row["exercised"]

    def tried(norm: str, holds: bool) -> None:
        row = json.dumps({"norm": norm, "exercised": holds}, ensure_ascii=False)
        file.write(f"{row}\n".encode())
        file.flush()

    return known, tried


def _header(cases: Sequence[Path] | None) -> str:
    from rules_asp import __version__
    from rules_asp.cases.coverage import case_files
    from rules_asp.knowledge.loading import load_program
    from rules_asp.output.answer_json import with_header
    from rules_asp.runtime import cache

    digest = hashlib.sha256(__version__.encode())
    for rule in load_program().source.rules:
        digest.update(f"{rule.norm} {rule.text}\n".encode())
    for case in case_files(cases):
        digest.update(case.name.encode() + b"\0" + case.read_bytes())
    for code in cache.source_fingerprint(
        "game", "geometry", "boards", "positions", "knowledge", "explain", "queries", "cases"
    ):
        digest.update(code)
    return f"{json.dumps(with_header('coverage', {'key': digest.hexdigest()[:32]}))}\n"


# --- Commands about the rules: rules, program, lint, coverage, words.


#: What can be listed alone, and what it is.
_ONLY = {
    "assumed": "Only what is assumed, since the text is silent or is not here.",
    "rulings": "Only rulings, which --without switches off, each with the other reading.",
    "readings": "Only choices that the text does not make, each with the other reading.",
    "silent": "Only what leaves something unknown.",
    "descriptive": "Only that from which nothing follows.",
}


def _only(command: Command) -> Command:
    for name, sense in reversed(_ONLY.items()):
        command = click.option(f"--{name}", "only", flag_value=name, help=sense)(command)
    return command


@click.command()
@click.argument("words", nargs=-1, metavar="[ID | WORDS]")
@_only
@json_option
def rules(words: tuple[str, ...], only: str | None, as_json: bool) -> None:
    """Look norms up.

    By id (B23.71-5) or paragraph (B23.71): each norm with its sense, how it is written down and where,
    what it beats and what beats it, what it names and what names it, rulings on it, and the cases that cite
    it. By section (B23) or words in any order, "LOS through a wall": a list. Without anything: all sections
    and paragraphs.
    """
    from rules_asp.knowledge.catalogue import NormSources, catalogue, is_name, parse_search
    from rules_asp.knowledge.loading import load_program
    from rules_asp.output import report_json

    program = with_notes(load_program())
    book, written = catalogue(program.source), NormSources(program.source, program.house_rules)
    name = len(words) == 1 and is_name(words[0])
    found = book.at(words[0]) if name else book.about(words)
    if name and not found:
        from rules_asp.parser.errors import nearest

        near = nearest(words[0], book.names())
        raise CommandError(
            f"there is no rule {words[0]}" + (f"; did you mean {near}?" if near else "")
        )
    if only in ("readings", "rulings"):
        chosen = book.readings(words[0] if name else None)
        chosen = [each for each in chosen if (name or each in found)]
        chosen = [each for each in chosen if only == "readings" or each.ruling]
    elif only is not None:
        found = [each for each in found if written.is_silent(each) or only != "silent"]
        found = [each for each in found if only == "silent" or getattr(each, only)]
    if as_json:
        if only in ("readings", "rulings"):
            print_json("rules", report_json.readings(book, chosen))
        else:
            all_told = words or only
            listing = (
                report_json.norms(book, written, found, program.notes)
                if all_told
                else report_json.paragraphs(book)
            )
            print_json("rules", listing)
        return
    from rules_asp.output import report_text
    from rules_asp.output.console import console

    with console(everything=True) as out:
        if only in ("readings", "rulings"):
            report_text.readings(out, book, chosen)
        elif only is not None:
            report_text.norms(out, found)
            out.print(f"{len(found)} norms")
        elif not words:
            report_text.paragraphs(out, book)
        elif not found:
            alone = parse_search(words)
            counts = ", ".join(f"{len(book.about([e.word]))} of {e.word}" for e in alone)
            hint = f"; {counts}" if len(alone) > 1 else ""
            out.print(f"no norm speaks of {' and '.join(e.word for e in alone)}{hint}")
        else:
            # Of a paragraph its own norms in full; those of what is below it, or of a section, are listed.
            of_it = [each for each in found if name and words[0] in (each.id, each.paragraph)]
            full = of_it or (found if len(found) == 1 else [])
            report_text.norms_in_full(out, book, written, full, program.notes)
            others = [each for each in found if each not in full]
            if full and others:
                out.print()
            report_text.norms(out, others)


@click.command(cls=BoardCommand)
@click.argument("board", required=False)
@click.argument("query", required=False)
@click.option("-o", "--output", metavar="FILE", help="Write it to a file.")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@click.option("--without", multiple=True, metavar="RULING", help="Switch a ruling off.")
def program(
    board: str | None,
    query: str | None,
    output: str | None,
    force: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """What clingo reads, as one program.

    The whole knowledge base; of a BOARD what follows from it alone; with a QUERY, such as
    'height(U4) = V', all that bears on it. Plain clingo runs it with the same answers.
    """
    from rules_asp import api
    from rules_asp.positions.loading import write_text

    if changes and not board:
        raise CommandError(f"{changes[0][1]} needs a BOARD")
    with spinner("writing the program"):
        position = open_position(board, without, changes) if board else None
        text = api.program_text(position, query)
        if output:
            write_text(Path(output), text, force)
    if not output:
        click.echo(text, nl=False)


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@json_option
@click.pass_context
def lint(ctx: click.Context, folder: Path | None, as_json: bool) -> None:
    """Faults of a knowledge base that clingo would pass over.

    Misspelt words, norms without a tag, precedence without effect, topics that rest on themselves,
    and more. FOLDER is one like kb/; otherwise the shipped one. Exit code 1 when there is a fault.
    """
    from rules_asp.knowledge.lint.run import lint_folder

    with spinner("reading the rules"):
        faults = lint_folder(folder)
    if as_json:
        listed = [{"file": e.file, "line": e.line, "message": e.message} for e in faults]
        print_json("lint", {"faults": listed})
    else:
        for fault in faults:
            click.echo(fault)
        click.echo(f"{len(faults)} fault{'s' * (len(faults) != 1)}")
    ctx.exit(1 if faults else 0)


@click.command()
@click.argument("cases", nargs=-1, metavar="[CASES...]")
@click.option("--strict", is_flag=True, help="Count what the cases hold in place; takes minutes.")
@click.option("-o", "--output", metavar="FILE", help="Keep each norm that is tried in a file.")
@click.option("--resume", is_flag=True, help="Go on with what was broken off.")
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@job_options()
@json_option
def coverage(
    cases: tuple[str, ...],
    strict: bool,
    output: str | None,
    resume: bool,
    force: bool,
    as_json: bool,
    jobs: JobSettings,
) -> None:
    """How much of the rules is encoded.

    With --strict, also how much is exercised: a norm is, when without it some case gets a wrong
    answer. CASES are boards with `expect` lines, or folders of them; otherwise tests/cases of the
    checkout, or the bundled boards.
    """
    from rules_asp.cases.coverage import coverage as counted
    from rules_asp.output import report_json, report_text
    from rules_asp.positions.loading import find_board

    paths = [find_board(each) for each in board_files(cases)] or None
    path = target(output, resume, force)
    if path and not strict:
        raise CommandError("-o and --resume are only for --strict")
    if strict:
        with ExitStack() as open_:
            known, tried = coverage_progress(open_, path, paths, resume and not force)
            progress = open_.enter_context(progress_bar("norms tried"))
            found = counted(
                cases=paths, strict=True, progress=progress, jobs=jobs, known=known, tried=tried
            )
    else:
        found = counted(cases=paths)
    print_result(
        "coverage",
        as_json,
        lambda: report_json.coverage(found),
        lambda out: report_text.coverage(out, found),
    )


@click.command()
@click.argument("word", required=False)
@json_option
def words(word: str | None, as_json: bool) -> None:
    """What can be asked.

    Topics with the kind of their value, what holds or does not hold, and deeds and other forms with
    their sentences. With a WORD, those whose name, sense or sentence has it; where it is a kind, such
    as aim, deed or location, what is of that kind.
    """
    from rules_asp.output import report_json, report_text
    from rules_asp.output.glossary import glossary, kind_entry

    kind, found = kind_entry(word), glossary(word)
    print_result(
        "words",
        as_json,
        lambda: report_json.words(kind, found),
        lambda out: report_text.words(out, word, kind, found),
    )
