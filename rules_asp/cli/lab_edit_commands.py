"""The `lab` commands for a change of the rules: `impact`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rules_asp.cli.common import print_json, shows_everything
from rules_asp.cli.lab_commands import board_option, end, run_search, search_of, search_options
from rules_asp.cli.lab_commands import lab as lab
from rules_asp.runtime.limits import Deadline

#: Seconds of `lab impact` without --time, and the share of its time for cases before the search.
_SECONDS, _CASES = 60.0, 0.3


@lab.command()
@click.argument("one", metavar="OLD")
@click.argument("other", metavar="NEW")
@search_options
@board_option
@click.option(
    "--cases",
    multiple=True,
    metavar="FILE",
    help="Examine this board or folder instead of the included cases. Repeatable.",
)
def impact(
    one: str,
    other: str,
    cases: tuple[str, ...],
    as_json: bool,
    folder: str | None,
    drawn: str | None,
    **options: Any,
) -> None:
    """Show what a change of the rules affects.

    OLD and NEW name sets of rules, as in `lab diff`: a section, a section without a rule such as
    b23-B23.3-3, or a folder. The report lists the changed rules, what depends on them, the `expect`
    lines with another answer, and the smallest boards with another answer, best first. Sections
    that the change is about are added.

    The search ends after --time seconds, by default 60.

    Example: rules-asp lab impact b23 b23-B23.3-3 --time 30
    """
    from rules_asp.cases.coverage import case_files, default_cases
    from rules_asp.lab import impact as report
    from rules_asp.lab import result_json, result_text
    from rules_asp.lab.diff import (
        ChangedExpectation,
        ChangedExpectations,
        compare_rule_sets,
        find_changed_expectations,
    )
    from rules_asp.lab.rulesets import parse_rule_sets
    from rules_asp.output.console import console
    from rules_asp.runtime.job_pool import JobSettings

    everything = shows_everything()
    options["seconds"] = options["seconds"] or _SECONDS
    shown = 0

    def turned(each: ChangedExpectation) -> None:
        nonlocal shown
        shown += 1
        if not as_json and (everything or shown <= report.CASES):
            click.echo(report.case_text(each))

    with run_search("impact", as_json) as told:
        search = search_of(told=told, **options)
        sides = report.with_sections(*parse_rule_sets(one, other))
        found = report.impact_of(*sides)
        printed = default_cases().parent / "printed"
        examples = found.examples(sorted(printed.glob("*.board")))
        if not as_json:
            with console(everything) as out:
                report.dependency_text(out, found, examples)
        if found.is_text_only:
            if as_json:
                print_json("lab impact", {"names": [one, other], **report.record(found, examples)})
            return
        named = [file for each in cases for file in _boards(Path(each))] or case_files()
        files = found.likely_first(named)
        asked = ChangedExpectations((), tuple(map(str, files)))
        jobs = JobSettings(search.jobs, search.cluster, search.memory)

        def ask(share: float) -> ChangedExpectations:
            clock = Deadline((search.clock.rest() or 0.0) * share)
            more = find_changed_expectations(
                *sides, map(Path, asked.left), clock, jobs, told=turned
            )
            return replace(more, found=(*asked.found, *more.found))

        if not as_json:
            click.echo("Cases with another answer")
        asked = ask(_CASES)
        if not as_json:
            with console(everything) as out:
                report.cases_text(out, asked, len(files))
        if asked.interrupted:
            search = replace(search, clock=Deadline(0.0))
        compared = compare_rule_sets(*sides, search)
        best = report.best_first(found.topics, compared.differences.found)
        differences = replace(compared.differences, found=tuple(best))
        if not as_json:
            with console(everything) as out:
                report.differences_text(out, differences)
        if asked.left and not asked.interrupted and not differences.interrupted:
            before = len(asked.left)
            asked = ask(1.0)
            if not as_json and len(asked.left) < before:
                with console(everything) as out:
                    report.cases_text(out, asked, len(files))
    if folder is not None:
        result_text.write_boards(differences, Path(folder))
    if drawn is not None:
        from rules_asp.lab.notebook import draw

        draw(differences, Path(drawn))
    if as_json:
        compared = replace(compared, differences=differences)
        record = {
            **result_json.diff_record(compared),
            **report.record(found, examples),
            "cases": [each.record for each in asked.found],
            "cases_left": list(asked.left),
        }
        print_json("lab impact", record)
    else:
        with console(everything) as out:
            result_text.limits(out, differences, rules=result_text.rules_of(compared))
    stopped = differences.interrupted or asked.interrupted
    end(replace(differences, interrupted=stopped, complete=differences.complete and not asked.left))


def _boards(path: Path) -> list[Path]:
    return sorted(path.glob("*.board")) if path.is_dir() else [path]
