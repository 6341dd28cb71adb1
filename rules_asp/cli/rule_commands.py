"""The commands `rules`, `program`, `lint`, `coverage`, `words` and `help`."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    from rules_asp.output.help_pages import HelpPage
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
    from rules_asp.output.json_schema import with_header
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
    "assumed": "List only general rules that are assumed, not printed in the encoded sections.",
    "rulings": "List only rulings that --without can switch off, each with the alternative.",
    "readings": "List only interpretations, each with the alternative.",
    "silent": "List only rules that leave something unknown.",
    "descriptive": "List only rules that have no effect on answers.",
}


def _only(command: Command) -> Command:
    for name, sense in reversed(_ONLY.items()):
        command = click.option(f"--{name}", "only", flag_value=name, help=sense)(command)
    return command


@click.command(cls=SectionedCommand)
@click.argument("words", nargs=-1, metavar="[ID | WORDS]")
@_only
@click.option("--logic", is_flag=True, help="Also show the logic rules of each rule.")
@json_option
def rules(words: tuple[str, ...], only: str | None, logic: bool, as_json: bool) -> None:
    """Look up rules.

    Give the ID of a rule (B23.71-5), a rule number (B23.71), a section (B23), or WORDS in any
    order, such as "LOS through a wall". For an id or a rule number, `rules` shows the summary, the
    precedence, the rulings and the test boards of each rule, and with --logic also its logic.
    Without arguments, `rules` lists all sections.

    Example: rules-asp rules B23.71
    """
    from rules_asp.knowledge.catalogue import NormSources, catalogue, is_name, parse_search
    from rules_asp.knowledge.loading import load_program
    from rules_asp.output import listing_json

    program = with_notes(load_program())
    book, written = catalogue(program.source), NormSources(program.source, program.house_rules)
    may_be_name = len(words) == 1 and is_name(words[0])
    found = book.at(words[0]) if may_be_name else []
    name = bool(found)
    # An abbreviation such as TEM looks like the name of a section.
    if not name and not (may_be_name and any(map(str.isdigit, words[0]))):
        found = book.about(words)
    if may_be_name and not found:
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
            print_json("rules", listing_json.readings(book, chosen))
        else:
            all_told = words or only
            listing = (
                listing_json.norms(book, written, found, program.notes)
                if all_told
                else listing_json.paragraphs(book)
            )
            print_json("rules", listing)
        return
    from rules_asp.output import listing_text
    from rules_asp.output.console import console

    with console(everything=True) as out:
        if only in ("readings", "rulings"):
            listing_text.readings(out, book, chosen)
        elif only is not None:
            listing_text.norms(out, found)
            out.print(f"{len(found)} norms")
        elif not words:
            listing_text.paragraphs(out, book)
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
            listing_text.norms_in_full(out, book, written, full, program.notes, logic)
            others = [each for each in found if each not in full]
            if full and others:
                out.print()
            listing_text.norms(out, others)


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

    Without BOARD, `program` prints the whole knowledge base. With a QUERY such as 'height(U4) = V',
    the program contains only the rules that affect the answer. clingo derives the same answers from
    this program without rules-asp.

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

    `lint` finds misspelled words, rules without a summary, precedence without effect, circular
    definitions, and more. FOLDER is a complete set of rules with the layout of kb/. Without
    FOLDER, `lint` checks the included rules. To check a folder of house rules, name the folder
    with --rules. The exit code is 1 if the rules contain a mistake.

    Example: rules-asp lint
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
@click.option("--strict", is_flag=True, help="Also count the tested rules (in a few minutes).")
@click.option("-o", "--output", metavar="FILE", help="Write the result for each rule to this file.")
@click.option("--resume", is_flag=True, help="Continue an interrupted run from its output file.")
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

    With --strict, `coverage` leaves out each rule in turn and runs the CASES again. A rule counts
    as tested if, without this rule, an answer on a test board is wrong. CASES are boards with
    `expect` lines, or folders of them. The default CASES are tests/cases in a checkout, else the
    included boards.

    Example: rules-asp coverage
    """
    from rules_asp.cases.coverage import coverage as counted
    from rules_asp.output import listing_json, listing_text
    from rules_asp.positions.loading import find_board

    paths = [find_board(each) for each in board_files(cases)] or None
    path = target(output, resume, force)
    if path and not strict:
        raise CommandError("-o and --resume can be used only with --strict")
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
        lambda: listing_json.coverage(found),
        lambda out: listing_text.coverage(out, found),
    )


@click.command(cls=SectionedCommand)
@click.argument("word", required=False)
@json_option
def words(word: str | None, as_json: bool) -> None:
    """List what you can ask about.

    `words` lists all properties with the type of their value, and all actions, rolls and other
    terms with their sentences. Give a WORD to list only the entries that contain it. If WORD is a
    type, such as aim, deed or location, the list shows its words.

    Example: rules-asp words height
    """
    from rules_asp.output import listing_json, listing_text
    from rules_asp.output.help_pages import glossary, kind_entry

    kind, found = kind_entry(word), glossary(word)
    print_result(
        "words",
        as_json,
        lambda: listing_json.words(kind, found),
        lambda out: listing_text.words(out, word, kind, found),
    )


@click.command("help", cls=SectionedCommand)
@click.argument("topic", required=False)
@click.option(
    "--write",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save all pages in this folder.",
)
@click.pass_context
def help_(ctx: click.Context, topic: str | None, write: Path | None) -> None:
    """Show a page of the documentation.

    TOPIC is a page, or a command to show its help. Without TOPIC, `help` lists all pages. The
    option --write saves all pages as Markdown files. The pages that --write saves include a page
    for each rule number and the cases of each section.

    Example: rules-asp help boards
    """
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    pages = _pages(group)
    if write is not None:
        click.echo(f"{write}: {write_pages(write, pages)} pages")
    elif topic is None:
        click.echo(_contents(pages))
    elif topic in pages:
        _show(ctx, pages[topic].read())
    elif (command := group.get_command(ctx, topic)) is not None:
        click.echo(command.get_help(click.Context(command, ctx.parent, topic)))
    else:
        from rules_asp.parser.errors import nearest

        near = nearest(topic, [*pages, *group.commands])
        hint = f"Did you mean {near}?" if near else "List all pages: rules-asp help"
        raise CommandError(f"There is no help page {topic}. {hint}")


def _pages(group: click.Group) -> Mapping[str, HelpPage]:
    """Return all pages by topic, with the reference of the commands of this group."""
    from rules_asp.output.help_pages import HelpPage, help_pages

    def read() -> str:
        return "\n".join(["# Commands and options\n", *_command_parts("rules-asp", group)])

    commands = HelpPage("commands", "reference", "Commands and options", read)
    return {**help_pages(), commands.topic: commands}


def _contents(pages: Mapping[str, HelpPage]) -> str:
    """Return the list of all pages by kind, as text."""
    from rules_asp.output.help_pages import KINDS

    width = max(map(len, pages))
    parts = ["Show a page of the documentation: rules-asp help TOPIC"]
    for kind, title in KINDS.items():
        found = sorted(each for each, page in pages.items() if page.kind == kind)
        parts.append("\n".join([title, *(f"  {e:{width}}  {pages[e].title}" for e in found)]))
    return "\n\n".join(parts)


def _show(ctx: click.Context, text: str) -> None:
    """Print Markdown; in a terminal a long page goes through a pager."""
    from rules_asp.output.console import console
    from rules_asp.output.markdown import MarkdownPage

    with console() as out:
        page = MarkdownPage(text, marks_code=out.no_color or out.color_system is None)
        if not out.is_terminal:
            out.print(page, crop=False)
            return
        with out.capture() as shown:
            out.print(page, crop=False)
        long = shown.get().count("\n") > out.height
        (click.echo_via_pager if long else click.echo)(shown.get(), color=ctx.color)


# --- The reference of commands, from click.


def _command_parts(path: str, group: click.Group) -> Iterator[str]:
    """Yield the sections of the reference: usage, help and options of each command."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield f"## {path} {name}\n\n{inspect.cleandoc(command.help or '')}\n"
            yield from _command_parts(f"{path} {name}", command)
            continue
        ctx = click.Context(command, info_name=name)
        usage = " ".join([path, name, *command.collect_usage_pieces(ctx)])
        yield f"## {path} {name}\n\n```text\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n"
        records = [each.get_help_record(ctx) for each in command.params]
        rows = [[f"`{each[0]}`", each[1]] for each in records if each and each[1]]
        yield "\n".join(["| option | effect |", "|---|---|", *map(_row, rows)]) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(each.split()).replace("|", "\\|") for each in cells) + " |"


# --- All pages as files for a Sphinx site.


def write_pages(folder: Path, pages: Mapping[str, HelpPage]) -> int:
    """Write all pages, one per rule number, and contents with links; return the number of pages."""
    from rules_asp.knowledge.catalogue import section_of
    from rules_asp.output.help_pages import KINDS, link_pages

    folder.mkdir(parents=True, exist_ok=True)
    for page in pages.values():
        linked = link_pages(page.read(), lambda topic: f"{topic}.md" if topic in pages else None)
        # A site has no lexer for boards, logic rules and answers.
        plain = re.sub(r"^```(?!(?:python|sh|shell|console)$)\w+$", "```text", linked, flags=re.M)
        (folder / f"{page.topic}.md").write_text(plain, "utf-8")
    numbers, cases = dict(_rule_pages()), dict(_case_pages())
    for below, texts in (("rules", numbers), ("cases", cases)):
        (folder / below).mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / below / f"{name}.md").write_text(text, "utf-8")
    parts = ["# rules-asp\n\nRules questions about buildings in Advanced Squad Leader.\n"]
    for kind, title in KINDS.items():
        parts.append(_toctree(title, [each.topic for each in pages.values() if each.kind == kind]))
    parts.append(_toctree("Rules", ["rules/index", "cases/index"]))
    rules = ["# Rules by number\n"]
    for section, found in groupby(numbers, key=section_of):
        rules.append(_toctree(section, list(found)))
    (folder / "rules" / "index.md").write_text("\n".join(rules), "utf-8")
    listed = "\n".join(["# Cases by section\n", _toctree("Cases", list(cases))])
    (folder / "cases" / "index.md").write_text(listed, "utf-8")
    (folder / "index.md").write_text("\n".join(parts), "utf-8")
    return len(pages) + len(numbers) + len(cases) + 3


def _toctree(title: str, files: list[str]) -> str:
    lines = "\n".join(files)
    return f"```{{toctree}}\n:caption: '{title}'\n:maxdepth: 1\n\n{lines}\n```\n"


def _rule_pages() -> Iterator[tuple[str, str]]:
    """Yield each rule number with its page: summaries, logic, precedence, choices and cases."""
    from rules_asp.knowledge.catalogue import NormSources, catalogue
    from rules_asp.knowledge.loading import load_program
    from rules_asp.output import listing_json

    program = load_program()
    book = catalogue(program.source)
    written = NormSources(program.source, program.house_rules)
    known = {norm.id for norm in book.norms}
    for paragraphs in book.sections.values():
        for number, norms in paragraphs.items():
            ordered = sorted(norms, key=lambda norm: _natural(norm.id))
            records = listing_json.norms(book, written, ordered)["norms"]
            # A case cites rule numbers, so all rules of a number have the same cases.
            stems = (Path(case["file"]).stem for each in records for case in each["cases"])
            cases = dict.fromkeys(f"[{stem}](#case-{stem})" for stem in stems)
            parts = [f"# {number}\n", *(_rule_text(each, known) for each in records)]
            yield number, "\n".join([*parts, *_listed("Cases", list(cases))])


def _case_pages() -> Iterator[tuple[str, str]]:
    """Yield the boards that test the rules, unchanged: a page per section, and the examples."""
    from rules_asp.cases.coverage import case_files
    from rules_asp.positions.loading import example_boards

    examples = set(example_boards().values())
    groups: dict[str, list[Path]] = {}
    for path in sorted({*case_files(), *examples}):
        name = "examples" if path in examples else path.stem.partition("_")[0]
        groups.setdefault(name, []).append(path)
    for name, paths in groups.items():
        parts = [f"# Cases: {name}\n"]
        for path in paths:
            text = path.read_text("utf-8")
            parts.append(f"(case-{path.stem})=\n## {path.stem}\n\n```text\n{text}```\n")
        yield name, "\n".join(parts)


def _natural(norm: str) -> list[tuple[int, str]]:
    """Return a sort key for an id by its numbers: B23.71-5 before B23.71-15."""
    return [(int(each), "") if each.isdigit() else (0, each) for each in re.split(r"(\d+)", norm)]


def _rule_text(norm: Mapping[str, Any], known: set[str]) -> str:
    """Return the section of one rule."""
    lines = [f"(rule-{norm['id']})=", f"## {norm['id']}\n", f"{norm['sense']}\n"]
    marks = [mark for mark in ("assumed", "descriptive", "silent") if norm[mark]]
    marks += ["our interpretation"] if norm["reading"] else []
    if marks:
        lines.append(f"*{', '.join(marks).capitalize()}.*\n")
    if norm["or"]:
        lines.append(f"Alternative: {norm['or']}\n")
    for each in norm["encoding"]:
        lines.append(f"`{each['file']}:{each['line']}`\n\n```text\n{each['text']}\n```\n")
    for key, title in (("beats", "Takes precedence over"), ("beaten_by", "Gives way to")):
        others = dict.fromkeys(each["norm"] for each in norm[key])
        lines += _listed(title, [_link(each, known) for each in others])
    lines += _listed("Rulings", [_link(each, known) for each in norm["rulings"]])
    lines += _listed("Named by", [_link(each, known) for each in norm["named_by"]])
    return "\n".join(lines)


def _listed(title: str, items: list[str]) -> list[str]:
    return [f"{title}: {', '.join(items)}\n"] if items else []


def _link(norm: str, known: set[str]) -> str:
    return f"[{norm}](#rule-{norm})" if norm in known else norm
