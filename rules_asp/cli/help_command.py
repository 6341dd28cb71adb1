"""The command `help`: it shows the documentation in the terminal, and writes the site's pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.common import CommandError, SectionedCommand

if TYPE_CHECKING:
    from rules_asp.output.help_pages import HelpPage


@click.command("help", cls=SectionedCommand)
@click.argument("topic", required=False)
@click.option(
    "--write",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save all pages here.",
)
@click.pass_context
def help_(ctx: click.Context, topic: str | None, write: Path | None) -> None:
    """Show a page of the documentation.

    TOPIC is a page, or a command to show its help. Without TOPIC, the command lists all pages. The
    option --write saves all pages as Markdown files. They include a page for each rule number and
    the cases of each section.

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
        raise CommandError(f"There is no page {topic}. {hint}")


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
    from rich.markdown import Markdown

    from rules_asp.output.console import console

    page = Markdown(text, code_theme="ansi_dark", hyperlinks=False)
    with console() as out:
        if not out.is_terminal:
            out.print(page)
            return
        with out.capture() as shown:
            out.print(page)
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
    from rules_asp.output import report_json

    program = load_program()
    book = catalogue(program.source)
    written = NormSources(program.source, program.house_rules)
    known = {norm.id for norm in book.norms}
    for paragraphs in book.sections.values():
        for number, norms in paragraphs.items():
            ordered = sorted(norms, key=lambda norm: _natural(norm.id))
            records = report_json.norms(book, written, ordered)["norms"]
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
