"""All `lab` commands."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rules_asp.cli.common import (
    CommandError,
    CommandGroup,
    WholeNumber,
    json_option,
    parse_limits,
    positive_seconds,
    print_json,
    print_result,
    shows_everything,
)
from rules_asp.runtime.limits import Deadline

if TYPE_CHECKING:
    from rules_asp.knowledge.rules import Norm
    from rules_asp.lab.audits import DeadNorms
    from rules_asp.lab.report import SearchReport
    from rules_asp.lab.search import Search


# --- The options of the commands `rules-asp lab ...`.


_Command = TypeVar("_Command", bound=Callable[..., object])

#: A larger number than this limits nothing on a grid that can be searched.
_MOST = 10_000


def search_options(command: _Command) -> _Command:
    """The options of every search."""
    for option in reversed(
        (
            click.option(
                "--grid",
                "grids",
                multiple=True,
                metavar="CxR",
                help="Board size: 2x1 (three hexes), 3x2 (seven). Repeatable.",
            ),
            click.option(
                "--event",
                "events",
                multiple=True,
                metavar="EVENT",
                help="Search only situations of this kind, such as shot or move. Repeatable.",
            ),
            click.option(
                "--where",
                default="",
                metavar="CLAIM",
                help="Search only boards where this claim is true.",
            ),
            click.option(
                "--buildings",
                type=WholeNumber(0, _MOST),
                default=2,
                show_default=True,
                help="Maximum number of buildings.",
            ),
            click.option(
                "--statements",
                type=WholeNumber(0, _MOST),
                help="Maximum number of statements on a board.",
            ),
            click.option(
                "--without", multiple=True, metavar="RULING", help="Ignore this ruling. Repeatable."
            ),
            click.option(
                "--time",
                "seconds",
                type=float,
                callback=positive_seconds,
                help="Stop the whole search after this many seconds.",
            ),
            click.option(
                "--patience",
                default=20.0,
                callback=positive_seconds,
                show_default=True,
                help="Stop each single search after this many seconds. Hard searches of one situation "
                "share twice as much. The report lists the stopped searches as undecided.",
            ),
            click.option(
                "--resume",
                is_flag=True,
                help="Continue an interrupted search.",
            ),
            click.option(
                "--stream",
                is_flag=True,
                help="Print each result to standard error as soon as it is found.",
            ),
            click.option(
                "--jobs",
                type=WholeNumber(1, 256),
                help="Number of processes. Default: all cores.",
            ),
            click.option(
                "--cluster", metavar="ADDRESS", help="Use a Dask cluster, such as tcp://host:8786."
            ),
        )
    ):
        command = option(command)
    return json_option(command)


def board_option(command: _Command) -> _Command:
    """The options to save the boards found, as files and as pictures."""
    return click.option(
        "-o", "folder", metavar="DIR", help="Write each board to a file in this folder."
    )(
        click.option(
            "--draw", "drawn", metavar="DIR", help="Draw each board to a file in this folder."
        )(command)
    )


def comparison_options(one: str, other: str, cases: str) -> Callable[[_Command], _Command]:
    """The arguments and options of a comparison of two rule sets; cases: the help of --cases."""

    def put(command: _Command) -> _Command:
        command = click.option(
            "--cases", multiple=True, metavar="FILE", help=f"{cases} Repeatable."
        )(command)
        command = search_options(board_option(command))
        return click.argument("one", metavar=one)(click.argument("other", metavar=other)(command))

    return put


units_option = click.option(
    "--units",
    type=WholeNumber(1, 8),
    help="Maximum number of units. Default: one more than the claim needs.",
)
section_option = click.option(
    "--section", "sections", multiple=True, help="Use this section in addition to B23. Repeatable."
)


def _as_printed(_: click.Context, __: click.Parameter, value: bool) -> tuple[str, ...]:
    """Return all rulings, if they are to be off."""
    if not value:
        return ()
    from rules_asp.knowledge.catalogue import catalogue
    from rules_asp.knowledge.loading import load_program

    return catalogue(load_program().source).rulings


as_printed_option = click.option(
    "--as-printed",
    "rulings",
    is_flag=True,
    callback=_as_printed,
    help="Ignore all rulings.",
)


# --- The commands `rules-asp lab ...`: questions about the rules, over all small boards.


@click.group(cls=CommandGroup)
def lab() -> None:
    """Search the rules for conflicts, gaps and differences.

    A search of the lab covers all small boards within its limits. By default, the searched boards
    have three hexes, then seven, and at most two base levels and two buildings. The searched boards
    contain all SSRs and counters that can matter. A search cannot exclude an example on a larger
    board. The smallest board is the board where the fewest hexes contain anything. If two
    boards have equally many hexes with contents, the board with fewer statements is smaller.

    Example: rules-asp lab find "factory(H), height(H) = V, V > 1"
    """


@dataclass(frozen=True)
class SearchPrinter:
    """Receives the progress of a search: its current place, and its results."""

    where: Callable[[str], None]
    found: Callable[[object], None]


def _all_sections() -> Collection[str]:
    from rules_asp.game.vocabulary import default_vocabulary

    return default_vocabulary().words["section"]


def search_of(sections: tuple[str, ...] = (), *, told: SearchPrinter, **options: Any) -> Search:
    """Return a search with the options of a command. CommandError for an invalid option."""
    from rules_asp.game.grid import Grid
    from rules_asp.lab.claim_rules import condition_rules
    from rules_asp.lab.generator import GRIDS, SearchBounds, load_generator
    from rules_asp.lab.search import Search
    from rules_asp.positions.loading import check_rulings

    # The time limit includes the reading of the rules.
    clock = Deadline(options["seconds"])
    grids = []
    for each in options["grids"]:
        if not (size := re.fullmatch("([1-9][0-9]?)x([1-9][0-9]?)", each)):
            raise CommandError(f"--grid must be COLUMNSxROWS, such as 3x2, not {each}")
        columns, rows = map(int, size.groups())
        if columns * rows > 40:
            raise CommandError(
                f"--grid {each} is too large to search: it may have at most 40 hexes"
            )
        grids.append(Grid(columns, rows))
    for each in sections:
        if each.lower() not in (known := _all_sections()):
            raise CommandError(f"there is no section {each}; the sections are {', '.join(known)}")
    most = [("buildings", options["buildings"])]
    if options["statements"] is not None:
        most.append(("statements", options["statements"]))
    if options.get("units") is not None:
        most.append(("units", options["units"]))
    bounds = SearchBounds(
        tuple(grids) or GRIDS,
        tuple(dict.fromkeys(("b23", *(each.lower() for each in sections)))),
        check_rulings(None, dict.fromkeys((*options["without"], *options.get("rulings", ())))),
        tuple(most),
        tuple(options["events"]),
        options["where"],
    )
    found = load_generator()
    if bounds.where:  # A mistake is reported before the proofs and the search.
        condition_rules(found, bounds.where)
    kinds = dict.fromkeys(each.kind for each in found.events)
    events = {*kinds, *(each.name for each in found.events)}
    for each in bounds.events:
        if each not in events:
            raise CommandError(f"there is no situation {each}; use {', '.join(kinds)}")
    search = Search(found, bounds, clock=clock, told=told.where, patience=options["patience"])
    if options["stream"]:
        search = replace(search, found=told.found)
    search = replace(search, memory=parse_limits().memory, resume=options["resume"])
    return replace(search, cluster=options["cluster"], jobs=options["jobs"] or search.jobs)


@contextmanager
def run_progress(what: str) -> Iterator[Callable[[int, int, object], None]]:
    """Show on a terminal how many of the tasks are done."""
    if not sys.stderr.isatty():
        yield lambda done, of, last: None
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(what) as status:
        yield lambda done, of, last: status.update(f"{done} of {of} {what}: {last}")


@contextmanager
def run_search(what: str, as_json: bool = False) -> Iterator[SearchPrinter]:
    """Show the progress of a search on a terminal; results are printed on standard error."""

    def found(each: object) -> None:
        from rich.console import Console

        from rules_asp.knowledge.loading import load_program
        from rules_asp.lab import result_json, result_text

        if as_json:
            click.echo(json.dumps(result_json.finding_record(each)), err=True)
        else:
            from rules_asp.output.console import WIDTH

            wide = None if sys.stderr.isatty() else WIDTH
            out = Console(stderr=True, highlight=False, markup=False, width=wide)
            result_text.finding_text(out, each, load_program().norms)

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
    """Print the results of a search, and save its boards."""
    from rules_asp.lab import result_json, result_text

    if folder is not None:
        result_text.write_boards(report, Path(folder))
    if drawn is not None:
        from rules_asp.lab.result_text import draw

        draw(report, Path(drawn))
    print_result(
        f"lab {command}",
        as_json,
        lambda: result_json.record(report),
        lambda out: result_text.report(out, command, report),
    )
    end(report)


#: The exit code of a search that did not settle all its questions.
NOT_SETTLED = 3


def end(found: SearchReport[Any] | DeadNorms) -> None:
    """End the command with the exit code of an interrupted or incomplete search."""
    if found.interrupted:
        click.get_current_context().exit(130)
    if not found.sure:
        click.get_current_context().exit(NOT_SETTLED)


def report_search(
    command: str,
    what: str,
    found: Callable[[Search], SearchReport[Any]],
    *,
    as_json: bool,
    folder: str | None = None,
    drawn: str | None = None,
    **options: Any,
) -> None:
    """Search with the options of a command, and print the results."""
    with run_search(what, as_json) as told:
        report = found(search_of(told=told, **options))
    print_report(command, report, as_json, folder, drawn)


@lab.command("conflicts")
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@as_printed_option
@search_options
@board_option
def conflicts_(**options: Any) -> None:
    """Find rules that contradict each other, with no precedence between them.

    SECTION is a section such as b23 or pb6. The default SECTION is b23.

    Example: rules-asp lab conflicts pb6 --grid 2x1
    """
    from rules_asp.lab.refutation import unproved_conflicts

    report_search("conflicts", "conflicts", unproved_conflicts, **options)


@lab.command()
@click.argument("named", nargs=-1, metavar="[SECTION...] or NORM [NORM]")
@as_printed_option
@click.option("--without", multiple=True, metavar="RULING", help="Ignore this ruling. Repeatable.")
@click.option(
    "--time",
    "seconds",
    type=float,
    callback=positive_seconds,
    help="Stop after this many seconds.",
)
@click.option("--jobs", type=WholeNumber(1, 256), help="Number of processes. Default: all cores.")
@json_option
def prove(
    named: tuple[str, ...],
    rulings: tuple[str, ...],
    without: tuple[str, ...],
    seconds: float | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Prove that rules never contradict each other, on boards of any size.

    Without an argument, the report of `lab prove` covers all pairs of rules that could contradict
    each other: different values, or one rule allows an action that the other forbids. For each
    section, `lab prove` counts the proved and the open pairs of rules. With SECTION, `lab
    prove` compares the rules of the section with each other, with B23 and with the general rules.
    With one or two NORMs, the report covers only this rule or pair.

    A pair that is not proved is open: it may conflict on some board, or the proof is too weak.

    Example: rules-asp lab prove B23.21-2 B23.23-2
    """
    from rules_asp.knowledge.loading import load_program
    from rules_asp.lab import consistency
    from rules_asp.lab.audits import known_all
    from rules_asp.lab.generator import load_generator
    from rules_asp.lab.theory import Encoding, axioms
    from rules_asp.positions.loading import check_rulings
    from rules_asp.runtime.job_pool import JobSettings

    clock = Deadline(seconds)
    program = load_program()
    off = check_rulings(None, dict.fromkeys((*without, *rulings)))
    prover = consistency.Prover(Encoding(program, off))
    pairs = consistency.norm_pairs(prover.encoding)
    sections, norms = _sections_or_norms(named, 2)
    if norms:
        lab_ = load_generator()
        sides = [{norm.id for norm in known_all(lab_, each)} for each in norms]
        pairs = consistency.between(pairs, sides[0], sides[-1])
    elif sections:
        pairs = consistency.in_sections(program.norms, pairs, sections)
    with run_progress("pairs") as told:
        found = consistency.prove(prover, pairs, clock, JobSettings(jobs), told)
    wanted = sections or _all_sections()
    listed = [] if norms else consistency.of_sections(program.norms, found.verdicts, wanted)
    named_axioms = axioms(program)

    def show(out: Any) -> None:
        if norms:
            consistency.pair_text(out, found, program.norms, named_axioms)
        else:
            consistency.report_text(out, found, listed, named_axioms, shows_everything())

    print_result(
        "lab prove",
        as_json,
        lambda: consistency.record(found, listed, named_axioms),
        show,
    )
    if found.interrupted:
        click.get_current_context().exit(130)
    if not found.sure or (norms and any(e.verdict == "open" for e in found.verdicts)):
        click.get_current_context().exit(NOT_SETTLED)


def _sections_or_norms(
    named: Iterable[str], most: int | None = None
) -> tuple[list[str], list[str]]:
    """Return the sections and the norms among names. CommandError for both, or too many norms."""
    norms = [each for each in named if each.lower() not in _all_sections()]
    sections = [each.lower() for each in named if each not in norms]
    if norms and (sections or (most and len(norms) > most)):
        some = "one or two rules" if most else "rules"
        raise CommandError(f"name sections (b23 pb6), or {some} (B23.21-2 B23.23-2), but not both")
    return sections, norms


def _with_sections_of(search: Search, norms: Iterable[Norm]) -> Search:
    """Return a search in which the sections of these norms are also in force."""
    from rules_asp.lab.audits import section_of

    own = [section for each in norms if (section := section_of(each)) in _all_sections()]
    in_force = tuple(dict.fromkeys((*search.bounds.sections, *own)))
    return replace(search, bounds=replace(search.bounds, sections=in_force))


@lab.command()
@click.argument("named", nargs=-1, metavar="[SECTION...] or NORM...")
@search_options
def dead(named: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Find rules that never change an answer.

    A rule never changes an answer if it never applies, is always overridden, or repeats another
    rule. SECTION is a section such as b23 or pb6. The default SECTION is b23. With NORMs, `lab
    dead` examines only these rules. A rule number names all rules under it.

    Example: rules-asp lab dead pb6 --grid 2x1
    """
    from rules_asp.lab import result_json, result_text
    from rules_asp.lab.audits import dead_norms as found
    from rules_asp.lab.audits import known_all, norms_of
    from rules_asp.lab.refutation import never_apply

    sections, ids = _sections_or_norms(named)
    with run_search("dead norms", as_json) as told:
        search = search_of(tuple(sections), told=told, **options)
        if ids:
            norms = [norm for each in ids for norm in known_all(search.lab, each)]
            search = _with_sections_of(search, norms)
        else:
            norms = norms_of(search.lab, sections or ("b23",))
        answer = found(search, [norm.id for norm in norms])
        idle = (*answer.silent, *answer.beyond)
        if not answer.interrupted:
            proved = never_apply(search.lab.program, idle, search.bounds.without, search.clock)
            answer = replace(answer, proved=tuple(proved))
    print_result(
        "lab dead",
        as_json,
        lambda: result_json.dead_record(answer),
        lambda out: result_text.dead(out, answer, search.lab.program),
    )
    end(answer)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@click.option(
    "--stated", is_flag=True, help="Also list questions that a rule leaves open, with the reason."
)
@search_options
@board_option
def gaps(stated: bool, **options: Any) -> None:
    """Find questions that no rule answers.

    SECTION is a section such as b23 or pb6. The default SECTION is b23.

    Example: rules-asp lab gaps b23 --grid 2x1
    """
    from rules_asp.lab.refutation import unproved_gaps as found

    report_search("gaps", "gaps", lambda search: found(search, stated), **options)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@search_options
@board_option
def unreachable(**options: Any) -> None:
    """Find Locations that no legal move reaches.

    `lab unreachable` searches for boards where a squad has no legal path to some kind of Location.
    SECTION is a section such as b23 or pb6. The default SECTION is b23.

    Example: rules-asp lab unreachable brt7 --grid 2x1
    """
    from rules_asp.lab.audits import unreachable as found

    report_search("unreachable", "unreachable", found, **options)


@lab.command()
@click.argument("one", metavar="NORM")
@click.argument("other", metavar="NORM")
@section_option
@search_options
@board_option
def meet(one: str, other: str, **options: Any) -> None:
    """Show where two rules decide the same question, and which one wins.

    NORM is the id of a rule. NORM can also be a rule number, to name all rules under this number.
    `lab meet` searches with the sections of both rules, B23, and each --section. The precedence
    between the two rules can depend on a rule of a third section.

    Example: rules-asp lab meet B23.74-3 B23.23-2
    """
    from rules_asp.lab.audits import known_all
    from rules_asp.lab.interactions import interaction_of

    def found(search: Search) -> SearchReport[Any]:
        sides = [known_all(search.lab, each) for each in (one, other)]
        search = _with_sections_of(search, [norm for side in sides for norm in side])
        return interaction_of(search, *([norm.id for norm in side] for side in sides))

    report_search("meet", "meetings", found, **options)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@search_options
def interactions(sections: tuple[str, ...], **options: Any) -> None:
    """List all pairs of rules that decide the same question.

    SECTION is a section such as b23 or pb6. The default SECTION is b23.

    Example: rules-asp lab interactions pb6 --grid 2x1
    """
    from rules_asp.lab.audits import norms_of
    from rules_asp.lab.refutation import unproved_interactions

    def found(search: Search) -> SearchReport[Any]:
        norms = norms_of(search.lab, sections or ("b23",))
        return unproved_interactions(search, [norm.id for norm in norms])

    report_search("interactions", "interactions", found, sections=sections, **options)


# --- The commands `rules-asp lab find`, `always`, `diff` and `precedence`.


@lab.command()
@comparison_options("RULES", "RULES", "Also compare the `expect` lines in this board or folder.")
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="KIND",
    help="Compare only this kind of question, such as tem, sight or step. Repeatable.",
)
def diff(
    one: str,
    other: str,
    cases: tuple[str, ...],
    topics: tuple[str, ...],
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    """Compare two sets of rules.

    RULES names a section (pb6) or several sections (pb4+pb6). B23 is always included. A minus in
    RULES removes a ruling or a rule: b23-R-T03, b23-B23.3-3. RULES can also be a folder: a
    knowledge base, or rules that extend or replace the included ones.

    A folder uses the sections of the other rule set, unless RULES names sections too: pb6+FOLDER.
    If two sections define the same thing in their own ways, such as a Tower, `lab diff` compares
    the two definitions. By default, `lab diff` compares two definitions on boards of 2x1 with one
    building and, without --topic, at most seven statements.

    For each kind of question, `lab diff` shows a board with two different answers, or else with
    one answer. Larger boards are searched only for kinds without a difference on smaller boards.
    With --topic, `lab diff` shows one board for each way in which two answers differ.

    Example: rules-asp lab diff b23 b23-R-T03 --grid 2x1
    """
    from rules_asp.lab import result_json, result_text
    from rules_asp.lab.diff import compare_rule_sets, find_changed_expectations
    from rules_asp.lab.rulesets import kinds_named, parse_rule_sets

    files = [Path(each) for each in cases]
    only = [kind for each in topics for kind in kinds_named(each)] or None
    with run_search("differences", as_json) as told:
        # The time limit includes the reading of both sets of rules.
        search = search_of(told=told, **options)
        sides = parse_rule_sets(one, other)
        asked = find_changed_expectations(*sides, files, search.clock)
        if asked.interrupted:
            # The search ends here; all remaining parts are reported as left.
            search = replace(search, clock=Deadline(0.0))
        found = compare_rule_sets(*sides, search, only)
    differences = found.differences
    if asked.left:
        differences = replace(differences, complete=False)
    differences = replace(differences, interrupted=differences.interrupted or asked.interrupted)
    found = replace(found, differences=differences)
    if folder is not None:
        result_text.write_boards(found.differences, Path(folder))
    if drawn is not None:
        from rules_asp.lab.result_text import draw

        draw(found.differences, Path(drawn))
    if as_json:
        record = {
            **result_json.diff_record(found),
            "cases": [each.record for each in asked.found],
            "cases_left": list(asked.left),
        }
        print_json("lab diff", record)
    else:
        from rules_asp.output.console import console

        with console(shows_everything()) as out:
            if files:
                result_text.cases(out, found.names, asked)
            result_text.compared(out, found)
    end(found.differences)


@lab.command("precedence")
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@click.option("--dot", "as_dot", is_flag=True, help="Print a graph for Graphviz.")
@json_option
def precedence_(sections: tuple[str, ...], as_dot: bool, as_json: bool) -> None:
    """Show the precedence between rules.

    SECTION is a section such as b23, a rule such as B23.74-3, a rule number, or a kind of question
    such as tem_at. `lab precedence` marks each precedence that is based on an interpretation or a
    ruling.

    Example: rules-asp lab precedence B23.74-3
    """
    from rules_asp.lab import precedence
    from rules_asp.lab.audits import known_all, norms_of
    from rules_asp.lab.generator import load_generator
    from rules_asp.lab.interactions import norms_by_topic_kind

    loaded = load_generator()
    words = _all_sections()
    of = {
        each.id
        for each in norms_of(loaded, [s for s in sections or ("b23",) if s.lower() in words])
    }
    bearing: dict[str, set[str]] = {}
    for (name, _), bear in norms_by_topic_kind(loaded).items():
        bearing.setdefault("sight" if name == "s" else name, set()).update(bear)
    kinds = {name: bearing[name] for name in sections if name in bearing}
    named = (each for each in sections if each.lower() not in words and each not in kinds)
    of |= {norm.id for each in named for norm in known_all(loaded, each, bearing)}
    ranks = precedence.ranks_of(loaded.program)
    others = {name: bear for name, bear in bearing.items() if name not in kinds}
    answer = precedence.chains(ranks, others, of) if of else []
    answer += precedence.chains(ranks, kinds, {norm for bear in kinds.values() for norm in bear})
    if as_json:
        print_json("lab chains", {"chains": precedence.record(answer)})
    elif as_dot:
        click.echo(precedence.dot(answer))
    else:
        from rules_asp.output.console import console

        with console(shows_everything()) as out:
            precedence.chain_text(out, answer, loaded.program.norms)


why_option = click.option(
    "--why",
    "why",
    is_flag=True,
    help="If no board shows the wanted result, show the rules and limits that exclude it.",
)
further_option = click.option(
    "--next",
    "further",
    type=WholeNumber(0, 1000),
    default=0,
    metavar="N",
    help="Show N more boards that differ in more than names, colors or orientation.",
)


@lab.command()
@click.argument("claim")
@section_option
@click.option(
    "--greatest",
    metavar="V",
    help="Maximize this variable, or a difference such as `W - V`.",
)
@click.option(
    "--least",
    metavar="V",
    help="Minimize this variable, or a difference such as `W - V`.",
)
@further_option
@why_option
@units_option
@search_options
@board_option
def find(
    claim: str, greatest: str | None, least: str | None, further: int, why: bool, **options: Any
) -> None:
    """Find the smallest board where a claim is true.

    CLAIM is a question as in `ask`, such as "factory(H), height(H) = V, V > 2". An end of a line of
    sight can be a variable: "sees(X - Y)". A claim can contain a number: "at least 3 H: rubble(H,
    stone)", also with "at most" or "exactly". To count by several properties together, put the
    properties in parentheses.

    Example: rules-asp lab find "sees(X - Y), in_building(X)" --grid 2x1
    """
    from rules_asp.lab.find import explained, find
    from rules_asp.queries.claims import chosen_extreme

    extreme = chosen_extreme(greatest, least)

    def found(search: Search) -> SearchReport[Any]:
        search = replace(search, further=further)
        report = find(search, claim, extreme)
        return explained(search, claim, report) if why else report

    report_search("find", "boards", found, **options)


@lab.command()
@click.argument("claim")
@section_option
@further_option
@why_option
@units_option
@search_options
@board_option
def always(claim: str, further: int, why: bool, **options: Any) -> None:
    """Check that a claim is true on every board.

    If the claim is false, `lab always` shows the smallest counterexample. CLAIM is a property, a
    comparison or a count, as in `find`. To state a condition of a claim, write "CONDITION =>
    CLAIM". If no board meets the condition, `lab always` ends with an error.

    Example: rules-asp lab always "factory(H) => height(H) >= 2" --grid 2x1
    """
    from rules_asp.lab.find import always, explained
    from rules_asp.lab.refutation import never_fails

    def found(search: Search) -> SearchReport[Any]:
        search = replace(search, further=further)
        report = always(search, claim)
        if report.whole and not report.found and report.decided:
            report = replace(report, proved=never_fails(search, claim))
        return explained(search, claim, report, denying=True) if why else report

    report_search("always", "boards", found, **options)
