"""The commands `rules-asp lab ...`: questions about the rules, asked over all small boards."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp.lab.commands.options import (
    as_printed_option,
    board_option,
    search_options,
    section_option,
)
from rules_asp.telling.options import parse_limits
from rules_asp.telling.terminal import CommandError, CommandGroup, print_json

if TYPE_CHECKING:
    from rules_asp.lab.questions.norms import DeadNorms
    from rules_asp.lab.searching.courses import SearchReport
    from rules_asp.lab.searching.search import Search


@click.group(cls=CommandGroup)
def lab() -> None:
    """Ask about the rules themselves.

    A search looks at all boards within its bounds: by default three hexes, then seven, two base levels,
    two buildings, and every SSR and counter that can matter. What it does not find there may still exist
    beyond. Of two boards that with fewer hexes in which there is something is the smaller, then that
    of fewer statements. Boards are printed in the board language; -o DIR keeps them as files.
    """


@dataclass(frozen=True)
class SearchPrinter:
    """To whom a search tells its course: where it is, and what is found."""

    where: Callable[[str], None]
    found: Callable[[object], None]


def search_of(sections: tuple[str, ...] = (), *, told: SearchPrinter, **options: Any) -> Search:
    """A search with the options of a command. Refusal for an option that makes no sense."""
    from rules_asp.lab.boards.world import GRIDS, SearchBounds, load_generator
    from rules_asp.lab.searching.runs import SearchClock
    from rules_asp.lab.searching.search import Search
    from rules_asp.positions.switches import check_rulings
    from rules_asp.terms.grid import Grid
    from rules_asp.terms.lexicon import vocabulary

    # What there is time for begins with the reading of the rules.
    clock = SearchClock(options["seconds"])
    grids = []
    for each in options["grids"]:
        if not (size := re.fullmatch("([1-9][0-9]?)x([1-9][0-9]?)", each)):
            raise CommandError(f"{each} is no grid; expected columns and rows such as 3x2")
        columns, rows = map(int, size.groups())
        if columns * rows > 40:
            raise CommandError(f"{each} is too large a grid to search")
        grids.append(Grid(columns, rows))
    known = vocabulary().words["section"]
    for each in sections:
        if each.lower() not in known:
            raise CommandError(f"there is no section {each}; expected {', '.join(known)}")
    most = [("buildings", options["buildings"])]
    if options["statements"] is not None:
        most.append(("statements", options["statements"]))
    if options.get("units") is not None:
        most.append(("units", options["units"]))
    bounds = SearchBounds(
        tuple(grids) or GRIDS,
        tuple(dict.fromkeys(("b23", *(each.lower() for each in sections)))),
        check_rulings(None, options["without"]),
        tuple(most),
        tuple(options["events"]),
        options["where"],
    )
    found = load_generator()
    kinds = dict.fromkeys(each.kind for each in found.events)
    events = {*kinds, *(each.name for each in found.events)}
    for each in bounds.events:
        if each not in events:
            raise CommandError(f"there is no event {each}; expected {', '.join(kinds)}")
    search = Search(found, bounds, clock=clock, told=told.where, patience=options["patience"])
    if options["stream"]:
        search = replace(search, found=told.found)
    search = replace(search, memory=parse_limits().memory, resume=options["resume"])
    search = replace(search, cluster=options["cluster"])
    if options["jobs"] is not None:
        search = replace(search, jobs=options["jobs"])
    return search


@contextmanager
def run_search(what: str, as_json: bool = False) -> Iterator[SearchPrinter]:
    """Show on a terminal where a search is; what is found is told on standard error."""

    def found(each: object) -> None:
        from rich.console import Console

        from rules_asp.lab.telling import records
        from rules_asp.lab.telling import text as show
        from rules_asp.telling.layout import WIDTH

        if as_json:
            click.echo(json.dumps(records.finding_record(each)), err=True)
        else:
            wide = None if sys.stderr.isatty() else WIDTH
            show.finding_text(Console(stderr=True, highlight=False, markup=False, width=wide), each)

    if not sys.stderr.isatty():
        yield SearchPrinter(lambda _: None, found)
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(what) as status:
        yield SearchPrinter(lambda where: status.update(f"{what}: {where}"), found)


def print_report(
    command: str,
    report: SearchReport[Any],
    as_json: bool,
    folder: str | None = None,
    drawn: str | None = None,
) -> None:
    """Tell what a search found, and keep its boards."""
    from rules_asp.lab.telling import records
    from rules_asp.lab.telling import text as show

    if folder is not None:
        show.write_boards(report, Path(folder))
    if drawn is not None:
        from rules_asp.lab.telling.pictures import draw

        draw(report, Path(drawn))
    if as_json:
        print_json(f"lab {command}", records.record(report))
    else:
        with show.console() as out:
            show.report(out, command, report)
    end(report)


#: The exit code of a search that did not settle all that it was asked.
NOT_SETTLED = 3


def end(found: SearchReport[Any] | DeadNorms) -> None:
    """Leave the command with the exit code of a search that was broken off, or left something open."""
    if found.interrupted:
        click.get_current_context().exit(130)
    if not found.sure:
        click.get_current_context().exit(NOT_SETTLED)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@as_printed_option
@search_options
@board_option
def conflicts(**options: Any) -> None:
    """Norms that answer one question differently, and neither wins."""
    _side_by_side("conflicts", **options)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@as_printed_option
@search_options
@board_option
def review(**options: Any) -> None:
    """What one norm allows and another forbids, with no precedence between them."""
    _side_by_side("review", **options)


def _side_by_side(
    command: str,
    sections: tuple[str, ...],
    rulings: tuple[str, ...],
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    from rules_asp.lab.questions.clashes import conflicts as found

    options["without"] = tuple(dict.fromkeys((*options["without"], *rulings)))
    with run_search(command, as_json) as told:
        report = found(search_of(sections, told=told, **options), review=command == "review")
    print_report(command, report, as_json, folder, drawn)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@search_options
def dead(sections: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Norms that never fire, never win, or say only what another says."""
    from rules_asp.lab.questions.norms import dead_norms as found
    from rules_asp.lab.questions.norms import norms_of
    from rules_asp.lab.telling import records
    from rules_asp.lab.telling import text as show

    with run_search("dead norms", as_json) as told:
        search = search_of(sections, told=told, **options)
        norms = norms_of(search.lab, sections or ("b23",))
        answer = found(search, [norm.id for norm in norms])
    if as_json:
        print_json("lab dead", records.dead_record(answer))
    else:
        with show.console() as out:
            show.dead(out, answer, search.lab.program)
    end(answer)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@click.option("--stated", is_flag=True, help="Also what norms leave open, with their reasons.")
@search_options
@board_option
def gaps(
    sections: tuple[str, ...],
    stated: bool,
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    """Questions that a board can raise and no norm answers."""
    from rules_asp.lab.questions.unanswered import gaps as found

    with run_search("gaps", as_json) as told:
        report = found(search_of(sections, told=told, **options), stated)
    print_report("gaps", report, as_json, folder, drawn)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@search_options
@board_option
def unreachable(
    sections: tuple[str, ...], as_json: bool, folder: str | None, drawn: str | None, **options: Any
) -> None:
    """Kinds of Locations that some board cuts off: no legal moves lead a squad there, as it expects."""
    from rules_asp.lab.questions.unanswered import unreachable as found

    with run_search("unreachable", as_json) as told:
        report = found(search_of(sections, told=told, **options))
    print_report("unreachable", report, as_json, folder, drawn)


@lab.command()
@click.argument("one", metavar="NORM")
@click.argument("other", metavar="NORM")
@section_option
@search_options
@board_option
def meet(
    one: str,
    other: str,
    sections: tuple[str, ...],
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    """How two norms bear on each other: where they meet, and which of them wins there.

    NORM may also be a paragraph: then each of its norms is looked at with each of the other's. In force
    are their own sections, B23, and those that are named besides: a norm of a third can rank the two.
    """
    from rules_asp.lab.questions.meetings import interaction_of as found
    from rules_asp.lab.questions.norms import known_all, section_of
    from rules_asp.terms.lexicon import vocabulary

    with run_search("meetings", as_json) as told:
        search = search_of(sections, told=told, **options)
        sides = [known_all(search.lab, each) for each in (one, other)]
        known_sections = vocabulary().words["section"]
        own = [s for side in sides for norm in side if (s := section_of(norm)) in known_sections]
        in_force = tuple(dict.fromkeys((*search.bounds.sections, *own)))
        search = replace(search, bounds=replace(search.bounds, sections=in_force))
        report = found(search, *([norm.id for norm in side] for side in sides))
    print_report("meet", report, as_json, folder, drawn)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@search_options
def interactions(sections: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Which norms of these sections meet at all, and how: the whole matrix."""
    from rules_asp.lab.questions.meetings import interactions as found
    from rules_asp.lab.questions.norms import norms_of

    with run_search("interactions", as_json) as told:
        search = search_of(sections, told=told, **options)
        norms = [norm.id for norm in norms_of(search.lab, sections or ("b23",))]
        report = found(search, norms)
    print_report("interactions", report, as_json)
