"""The `lab` commands for a change of the rules: `impact`, `new-rule` and `review`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rules_asp import RulesAspError
from rules_asp.cli.common import (
    CommandError,
    parse_limits,
    positive_seconds,
    print_json,
    shows_everything,
)
from rules_asp.cli.lab_commands import (
    NOT_SETTLED,
    as_printed_option,
    board_option,
    comparison_options,
    end,
    report_search,
    run_search,
    search_of,
    search_options,
)
from rules_asp.cli.lab_commands import lab as lab
from rules_asp.runtime.limits import Deadline

if TYPE_CHECKING:
    from rules_asp.knowledge.program import Program
    from rules_asp.lab.new_rule import RuleCheck

_T = TypeVar("_T")
#: Seconds of `lab impact` without --time, and the share of its time for cases before the search.
_SECONDS, _CASES = 60.0, 0.3


@lab.command()
@comparison_options("OLD", "NEW", "Examine this board or folder instead of the included cases.")
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
    b23-B23.3-3, or a folder. `lab impact` lists the changed rules, and the rules and kinds of
    questions that depend on the changed rules. `lab impact` also lists the `expect` lines whose
    answer changes, and the smallest boards where an answer changes. The search of `lab impact`
    includes each section that the changed rules belong to or use.

    `lab impact` stops its search after --time seconds, by default 60.

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
        from rules_asp.lab.result_text import draw

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


# --- The commands `rules-asp lab new-rule` and `review`.


def _show(text: str) -> None:
    click.echo(text, nl=False, err=True)


def _asked(given: str | None, label: str, read: Callable[[str], _T], default: str | None) -> _T:
    """Read an option, or ask for it; on a terminal a mistake is shown and asked for again."""
    if given is not None:
        return read(given)
    while True:
        said = click.prompt(label, default=default, show_default=False, err=True)
        try:
            return read(said)
        except RulesAspError as error:
            if not sys.stdin.isatty():
                raise
            click.echo(error, err=True)


@lab.command("new-rule")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--id", "norm", metavar="ID", help="The section and number of the new rule, such as XX1.1-1."
)
@click.option("--summary", help="The text of the new rule: one complete sentence.")
@click.option(
    "--says", metavar="STATEMENT", help="The statement of the new rule, such as `height(H) = 1/2`."
)
@click.option(
    "--when",
    metavar="CONDITIONS",
    help="The condition under which the new rule applies, as a question for `ask`.",
)
@click.option("--overrides", metavar="RULES", help="The rules that the new rule overrides.")
@click.option(
    "--yields-to", metavar="RULES", default="", help="The rules that override the new rule."
)
@click.option(
    "--time",
    "seconds",
    type=float,
    default=_SECONDS,
    show_default=True,
    callback=positive_seconds,
    help="Stop the check of the new rule after this many seconds.",
)
def new_rule(
    folder: Path,
    norm: str | None,
    summary: str | None,
    says: str | None,
    when: str | None,
    overrides: str | None,
    yields_to: str,
    seconds: float,
) -> None:
    """Write a house rule without knowing logic rules.

    `lab new-rule` asks for each part of the rule that no option states. The new rule is written to
    FOLDER, with a board that shows its effect. Write the condition as a question for `ask`, such as
    "btype(H) = single_story".

    The STATEMENT of a rule is a value, `forbid ACTION`, `allow ACTION`, `add NUMBER to PROPERTY`,
    or `suspend RULE for PROPERTY`.

    After writing the rule, `lab new-rule` reports misspelled words, rules that lead to another answer
    without precedence, and a rule without effect. If `lab new-rule` reports a fault of the rule,
    the exit code is 1.

    Example: rules-asp lab new-rule house --id XX1.1-1 --says "height(H) = 1/2"
    """
    from rules_asp.knowledge.loading import load_program, with_house_rules
    from rules_asp.lab import new_rule as rules
    from rules_asp.positions.loading import write_text

    program = with_house_rules(folder) if any(folder.glob("*.lp")) else load_program()
    name = _asked(norm, "Number, such as XX1.1-1", lambda said: rules.read_id(said, program), None)
    sense = _asked(summary, "The rule as a sentence", rules.read_summary, None)
    if says is None:
        _show("A rule says one of these:\n" + "".join(f"  {each}\n" for each in rules.EXAMPLES))
    statement = _asked(says, "It says", lambda said: rules.read_statement(said, program), None)

    def conditions(said: str) -> str:
        rules.rule_text(name, sense, statement, said, (), program)
        return said

    given = _asked(when, "When, such as btype(H) = single_story", conditions, "")
    if overrides is None:
        rivals = [e for e in rules.competing(program, rules.about(statement)) if e != name]
        _show("These rules decide the same:\n" if rivals else "No other rule decides this.\n")
        _show("".join(f"  {each}  {program.norms[each].sense}\n" for each in rivals))
    losers = _asked(
        overrides, "Rules that it replaces", lambda said: rules.read_overrides(said, program), ""
    )
    winners = rules.read_overrides(yields_to, program)
    if both := sorted({*winners} & {*losers}):
        raise CommandError(f"{both[0]} cannot be in --overrides and in --yields-to")
    text = rules.rule_text(name, sense, statement, given, losers, program, winners)
    file = name.lower().replace(".", "_").replace("-", "_")
    path, board = folder / f"{file}.lp", folder / f"{file}.board"
    for each in (path, board):
        if each.exists():
            raise CommandError(f"{each} already exists")
    with tempfile.TemporaryDirectory() as name_of:
        # A rule with a fault is not written.
        trial = Path(name_of)
        for each in folder.glob("*.lp"):
            (trial / each.name).write_bytes(each.read_bytes())
        (trial / path.name).write_text(text, "utf-8")
        checked = with_house_rules(trial)
        checked.rules  # noqa: B018  The rules are read before the folder is gone.
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    click.echo(text)
    click.echo(f"written: {path}")
    found = _checked(checked, folder, name, seconds)
    case = rules.case_text(checked, found)
    if case is not None:
        write_text(board, case)
        click.echo(f"written: {board}")
        click.echo(f"Test it: rules-asp test {board} --rules {folder}")
    _exit_by([found])


def _exit_by(checks: Sequence[RuleCheck]) -> None:
    """Exit with 1 if a rule has a fault, with 3 if the time was over before its check."""
    if any(each.has_fault for each in checks):
        click.get_current_context().exit(1)
    if any(each.undecided for each in checks):
        click.get_current_context().exit(NOT_SETTLED)


def _checked(program: Program, folder: Path, norm: str, seconds: float) -> RuleCheck:
    """Check a rule on the smallest boards, and print what was found."""
    from rules_asp.game.grid import Grid
    from rules_asp.lab.generator import SearchBounds, load_generator
    from rules_asp.lab.new_rule import check_lines, check_rule
    from rules_asp.lab.search import Search

    # The time limit includes the reading of the rules.
    clock = Deadline(seconds)
    with run_search("the rule") as told:
        search = Search(
            load_generator(),
            SearchBounds((Grid(2, 1),)),
            clock=clock,
            told=told.where,
            memory=parse_limits().memory,
        )
        found = check_rule(program, folder, norm, search)
    for line in check_lines(found, program):
        click.echo(line)
    return found


@lab.command()
@click.argument("sections", nargs=-1, metavar="[SECTION...] or FILE")
@as_printed_option
@search_options
@board_option
def review(sections: tuple[str, ...], **options: Any) -> None:
    """Find actions that one rule allows and another forbids.

    `lab review` lists only pairs of rules without precedence. SECTION is a section such as b23 or
    pb6. The default SECTION is b23.

    FILE is a file or a folder of house rules. With FILE, `lab review` checks each house rule for
    misspelled words, missing precedence, and rules without effect.

    Example: rules-asp lab review b23 --grid 2x1
    """
    from rules_asp.lab.refutation import unproved_conflicts

    if len(sections) == 1 and Path(sections[0]).exists():
        _review_rules(Path(sections[0]), options["seconds"] or _SECONDS, options["as_json"])
        return
    search = partial(unproved_conflicts, review=True)
    report_search("review", "review", search, sections=sections, **options)


def _review_rules(path: Path, seconds: float, as_json: bool) -> None:
    from rules_asp.game.house_rules import rule_file
    from rules_asp.knowledge.loading import with_house_rules

    if as_json:
        raise CommandError("--json is not for a file of rules")
    folder = path if path.is_dir() else path.parent
    program = with_house_rules(folder)
    norms = [
        norm.id
        for norm in program.source.norms
        if norm.house_rule and (path.is_dir() or norm.file == rule_file(path))
    ]
    if not norms:
        raise CommandError(f"{path}: no rule with a tag")
    clock = Deadline(seconds)
    checks = []
    for number, norm in enumerate(norms):
        share = max(1.0, (clock.rest() or 0.0) / (len(norms) - number))
        checks.append(_checked(program, folder, norm, share))
    good = sum(not each.has_fault and not each.undecided for each in checks)
    click.echo(f"{good} of {len(checks)} house rules without a fault, on boards of 2x1 (3 hexes).")
    _exit_by(checks)
