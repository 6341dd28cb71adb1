"""The commands `rules-asp lab find`, `always`, `diff` and `chains`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rules_asp.lab.commands.of_rules import end, lab, print_report, run_search, search_of
from rules_asp.lab.commands.options import (
    board_option,
    search_options,
    section_option,
    units_option,
)
from rules_asp.telling.options import json_option
from rules_asp.telling.terminal import CommandError, print_json


@lab.command()
@click.argument("one", metavar="RULES")
@click.argument("other", metavar="RULES")
@search_options
@board_option
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="KIND",
    help="Only questions of this kind, such as tem, sight or step; repeat for several.",
)
@click.option(
    "--cases",
    multiple=True,
    metavar="FILE",
    help="A board with `expect` lines, or a folder of such, to be asked of both; repeat for several.",
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
    """What two sets of rules answer differently.

    RULES is a section (`pb6`; B23 is always in force), several (`pb4+pb6`), one without a ruling
    or a norm (`b23-R-T03`, `b23-B23.3-3`), or a folder: a knowledge base of yours, or a few rules
    beside the shipped ones, whose norms stand in the place of shipped ones of the same id. A folder
    has the sections of the other side in force; `pb6+FOLDER` names its own. What two sections draw
    each in its own way, as a Tower, is set side by side: if no bounds are named, on 2x1 with one
    building and, without --topic, at most seven statements. Of each kind of question there is a
    board where both know the answer, and one where only one does; with --topic, also for each way in
    which they differ: the first alone says yes, the second alone, or they have another value. --cases
    also asks boards with `expect` lines of both.
    """
    from rules_asp.lab.comparing.differences import compare_rule_sets
    from rules_asp.lab.comparing.sides import kinds_named, parse_rule_sets
    from rules_asp.lab.comparing.turned_cases import find_changed_expectations
    from rules_asp.lab.searching.runs import SearchClock
    from rules_asp.lab.telling import side_by_side
    from rules_asp.lab.telling import text as show

    files = [Path(each) for each in cases]
    only = [kind for each in topics for kind in kinds_named(each)] or None
    with run_search("differences", as_json) as told:
        # What there is time for begins with the reading of both.
        search = search_of(told=told, **options)
        sides = parse_rule_sets(one, other)
        asked = find_changed_expectations(*sides, files, search.clock)
        if asked.interrupted:
            # Nothing is searched any more, and all of it is told to be left.
            search = replace(search, clock=SearchClock(0.0))
        found = compare_rule_sets(*sides, search, only)
    differences = found.differences
    if asked.left:
        differences = replace(differences, complete=False)
    differences = replace(differences, interrupted=differences.interrupted or asked.interrupted)
    found = replace(found, differences=differences)
    if folder is not None:
        show.write_boards(found.differences, Path(folder))
    if drawn is not None:
        from rules_asp.lab.telling.pictures import draw

        draw(found.differences, Path(drawn))
    if as_json:
        record = {
            **side_by_side.record(found),
            "cases": [each.record for each in asked.found],
            "cases_left": list(asked.left),
        }
        print_json("lab diff", record)
    else:
        with show.console() as out:
            if files:
                side_by_side.cases(out, found.names, asked)
            side_by_side.compared(out, found)
    end(found.differences)


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...]")
@click.option("--dot", "as_dot", is_flag=True, help="As a graph for Graphviz.")
@json_option
def chains(sections: tuple[str, ...], as_dot: bool, as_json: bool) -> None:
    """Who goes before whom by the rules themselves, and what order that makes.

    Each order that hangs on a reading or a ruling is marked. SECTION may also be a norm, such as
    B23.74-3, or a paragraph: then only the chains that it stands in; or a kind of question, such as tem_at.
    """
    from rules_asp.lab.boards.world import load_generator
    from rules_asp.lab.questions import orders as found
    from rules_asp.lab.questions.meetings import norms_by_topic_kind
    from rules_asp.lab.questions.norms import known_all, norms_of
    from rules_asp.lab.questions.precedence import ranks_of
    from rules_asp.terms.lexicon import vocabulary

    loaded = load_generator()
    words = vocabulary().words["section"]
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
    ranks = ranks_of(loaded.program)
    others = {name: bear for name, bear in bearing.items() if name not in kinds}
    answer = found.chains(ranks, others, of) if of else []
    answer += found.chains(ranks, kinds, {norm for bear in kinds.values() for norm in bear})
    if as_json:
        print_json("lab chains", {"chains": found.record(answer)})
    elif as_dot:
        click.echo(found.dot(answer))
    else:
        from rules_asp.telling.layout import console

        with console() as out:
            found.chain_text(out, answer, loaded.program.norms)


why_option = click.option(
    "--why",
    "why",
    is_flag=True,
    help="Where there is none: norms and bounds that exclude it, of which none can go.",
)
further_option = click.option(
    "--next",
    "further",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="N further boards, none a turn, mirror image, renaming or recolouring of another.",
)


@lab.command()
@click.argument("claim")
@section_option
@click.option(
    "--greatest",
    metavar="V",
    help="The board with the greatest value of this variable, or of `W - V`.",
)
@click.option(
    "--least", metavar="V", help="The board with the least value of this variable, or of `W - V`."
)
@further_option
@why_option
@units_option
@search_options
@board_option
def find(
    claim: str,
    greatest: str | None,
    least: str | None,
    further: int,
    why: bool,
    sections: tuple[str, ...],
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    """The smallest board on which a claim holds.

    CLAIM is a question as `ask` takes it: "factory(H), height(H) = V, V > 2". Both ends of a sight may be
    open, "sees(X - Y)", and things may be counted: "at least 3 H: rubble(H, stone)", "at most" or
    "exactly", several literals in brackets.
    """
    from rules_asp.lab.questions.claims import Extreme, explained
    from rules_asp.lab.questions.claims import find as found

    if greatest and least:
        raise CommandError("--greatest and --least exclude each other")
    wanted = greatest or least
    extreme = Extreme(wanted, bool(greatest)) if wanted else None
    with run_search("boards", as_json) as told:
        within = replace(search_of(sections, told=told, **options), further=further)
        report = found(within, claim, extreme)
        if why:
            report = explained(within, claim, report)
    print_report("find", report, as_json, folder, drawn)


@lab.command()
@click.argument("claim")
@section_option
@further_option
@why_option
@units_option
@search_options
@board_option
def always(
    claim: str,
    further: int,
    why: bool,
    sections: tuple[str, ...],
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    """Whether a claim holds on every board: the smallest one on which it fails.

    CLAIM is CONDITION => what is claimed, or that alone: a literal, "factory(H) => height(H) = 2 1/2", a
    comparison, "height(H) = V => V >= 2" or "factory(H) => height(H) >= 2", or a count as `find` takes it.
    Where no board meets the condition nothing is said of the claim, and that is an error.
    """
    from rules_asp.lab.questions.claims import always as found
    from rules_asp.lab.questions.claims import explained

    with run_search("boards", as_json) as told:
        within = replace(search_of(sections, told=told, **options), further=further)
        report = found(within, claim)
        if why:
            report = explained(within, claim, report, denying=True)
    print_report("always", report, as_json, folder, drawn)
