"""The commands `rules`, `program`, `lint`, `coverage` and `words`."""

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
    SectionedCommand,
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


# --- The results of a strict coverage per norm, in a file for resuming.


def coverage_progress(
    open_: ExitStack, path: Path | None, cases: Sequence[Path] | None, again: bool
) -> tuple[dict[str, bool], NormTrials | None]:
    """Return the known results in this file, if `again`, and the writer for new ones.

    Each line has a norm, and whether a case confirms it. CommandError for a file of other cases or
    rules.
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


#: The filters of the list, with their texts.
_ONLY = {
    "assumed": "Only general rules that are assumed, not printed in the encoded sections.",
    "rulings": "Only rulings that --without can switch off, each with the alternative.",
    "readings": "Only interpretations, each with the alternative.",
    "silent": "Only rules that leave something unknown.",
    "descriptive": "Only rules that have no effect on answers.",
}


def _only(command: Command) -> Command:
    for name, sense in reversed(_ONLY.items()):
        command = click.option(f"--{name}", "only", flag_value=name, help=sense)(command)
    return command


@click.command(cls=SectionedCommand)
@click.argument("words", nargs=-1, metavar="[ID | WORDS]")
@_only
@json_option
def rules(words: tuple[str, ...], only: str | None, as_json: bool) -> None:
    """Look up rules.

    Give the ID of a rule (B23.71-5), a rule number (B23.71), a section (B23), or WORDS in any
    order, such as "LOS through a wall". An id or a rule number shows the summary, the logic, the
    precedence, the rulings and the test boards of each rule. Without arguments, the command lists
    all sections.

    Example: rules-asp rules B23.71
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
            from rules_asp.parser.errors import nearest

            near = nearest(words[0], [each.id for each in book.norms]) if len(words) == 1 else None
            hint = f"; did you mean {near}?" if near else hint
            out.print(f"no rule mentions {' and '.join(e.word for e in alone)}{hint}")
        else:
            # For a paragraph, its own norms are printed in full; those of its parts, or of a
            # section, are listed.
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
@click.option("-o", "--output", metavar="FILE", help="Write the program to this file.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--without", multiple=True, metavar="RULING", help="Ignore this ruling. Repeatable.")
def program(
    board: str | None,
    query: str | None,
    output: str | None,
    force: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Print the clingo program behind an answer.

    Without BOARD, the program is the whole knowledge base. With a QUERY such as 'height(U4) = V',
    it has only the rules that affect the answer. Plain clingo gives the same answers.

    Example: rules-asp program church "height(C3) = V" -o church.lp
    """
    from rules_asp import api
    from rules_asp.positions.loading import write_text

    if changes and not board:
        raise CommandError(f"{changes[0][1]} changes a board, so the command needs a BOARD")
    with spinner("writing the program"):
        position = open_position(board, without, changes) if board else None
        text = api.program_text(position, query)
        if output:
            write_text(Path(output), text, force)
    if not output:
        click.echo(text, nl=False)


@click.command(cls=SectionedCommand)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@json_option
@click.pass_context
def lint(ctx: click.Context, folder: Path | None, as_json: bool) -> None:
    """Check a folder of rules for mistakes.

    The command finds misspelt words, rules without a summary, precedence without effect, circular
    definitions, and more. FOLDER has the layout of kb/. Without it, the command checks the included
    rules. The exit code is 1 if there is a mistake.

    Example: rules-asp lint my-rules
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


@click.command(cls=SectionedCommand)
@click.argument("cases", nargs=-1, metavar="[CASES...]")
@click.option("--strict", is_flag=True, help="Also count the tested rules. Takes minutes.")
@click.option("-o", "--output", metavar="FILE", help="Write the result for each rule to this file.")
@click.option("--resume", is_flag=True, help="Continue an interrupted file.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
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
    """Show how much of the rules is encoded and tested.

    With --strict, the command leaves out one rule at a time. A rule counts as tested if some test
    board then gives a wrong answer. CASES are boards with `expect` lines, or folders of them. The
    default is tests/cases in a checkout, else the included boards.

    Example: rules-asp coverage
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


@click.command(cls=SectionedCommand)
@click.argument("word", required=False)
@json_option
def words(word: str | None, as_json: bool) -> None:
    """List what you can ask about.

    The list has all properties with the type of their value, and all actions, rolls and other terms
    with their sentences. Give a WORD to list only the entries that contain it. If WORD is a type,
    such as aim, deed or location, the list shows its words.

    Example: rules-asp words height
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
