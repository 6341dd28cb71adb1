"""Findings as text, and their boards as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_asp.drawing.map import AnswerOverlay, board_svg
from rules_asp.game import house_rules
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Norm
from rules_asp.lab.audits import ConflictFinding, DeadNorms, Gap, NormActivity
from rules_asp.lab.diff import ChangedExpectations, Difference, RuleDiff
from rules_asp.lab.generator import SearchBounds
from rules_asp.lab.goals import goal_text, kind_text
from rules_asp.lab.interactions import RELATIONS, Interaction
from rules_asp.lab.report import SearchReport, progress_line
from rules_asp.lab.unsat_core import unsat_core_lines as excluded_told
from rules_asp.lab.witness import GoalWitness, Witness
from rules_asp.output.console import NORM, shows_all
from rules_asp.output.notebook import answer_lines
from rules_asp.parser import parse
from rules_asp.positions.loading import write_text
from rules_asp.positions.position import prepare

# --- The limits of a search, and what it left open.


#: Titles for undecided and unconfirmed searches of a claim.
_OPEN = (
    "Undecided within the time for each search (--patience): whether a board makes it true",
    "Unknown: the search has boards for it, but the usual commands confirm none that was tried",
)
#: The same titles for an extreme value.
_OPEN_VALUE = (
    "Undecided within the time for each search (--patience): whether a board has a more extreme value",
    _OPEN[1],
)
#: The same titles for other searches.
_OPEN_ELSE = (
    "Undecided within the time for each search (--patience)",
    "Unknown: the search has boards for each, but the usual commands confirm none of them",
)
#: Number of limits shown without --all.
_FEW = 2


def left_open(command: str, found: SearchReport[Any]) -> tuple[str, str]:
    """Return the titles for undecided and unconfirmed goals."""
    if command not in ("find", "always"):
        return _OPEN_ELSE
    valued = any(isinstance(each, GoalWitness) and each.worth is not None for each in found.found)
    return _OPEN_VALUE if valued else _OPEN


def limits(
    out: Console,
    found: SearchReport[Any],
    open_: tuple[str, str] = _OPEN_ELSE,
    rules: str | None = None,
) -> None:
    """Print the limits of a search and its open goals; `rules`: those in force."""
    out.print(Text(bounds_said(found.bounds, rules), "dim"))
    if found.never:
        out.print(Text(_listed(out, "The search has no board with", found.never), "dim"))
    if found.lets and (not found.found or any(each.worth is not None for each in found.found)):
        told = [f"{what.name} {_values(what.values)}" for what in found.lets]
        out.print(Text(_listed(out, "Boards give only these numbers", told), "dim"))
    for goals, why in zip((found.undecided, found.unconfirmed), open_, strict=True):
        if goals:
            out.print(Text(f"{why} ({len(goals)}):", "yellow"))
            for goal in goals[: None if shows_all(out) else _MOST]:
                out.print(Text(f"  {goal_text(goal)}", "yellow"))
            if len(goals) > _MOST and not shows_all(out):
                out.print(Text(f"  {len(goals) - _MOST} more: --all", "yellow"))


#: Number of undecided goals shown without --all.
_MOST = 20


def _listed(out: Console, title: str, items: Sequence[str]) -> str:
    """Return a list as one line; without --all only its beginning and the number of the others."""
    more = len(items) - _FEW
    if more <= 1 or shows_all(out):
        return f"{title}: {'; '.join(items)}."
    return f"{title}: {'; '.join(items[:_FEW])}; and {more} more. --all lists them."


def rules_said(sections: Iterable[str], without: Iterable[str] = ()) -> str:
    """Return the sections in force and the rulings switched off: `B23 PB6 without R-T03`."""
    off = ", ".join(without)
    return " ".join(each.upper() for each in sections) + (f" without {off}" if off else "")


def bounds_said(bounds: SearchBounds, rules: str | None = None, lenient: bool = False) -> str:
    """Return the limits as sentences; `rules`: those in force, if the limits do not name them.

    lenient: boards may violate rules.
    """
    grids = " and ".join(f"{grid} ({len(grid.hexes())} hexes)" for grid in bounds.grids)
    most = [
        f"at most {number} {thing.removesuffix('s') if number == 1 else thing}"
        for thing, number in bounds.most
    ]
    own = house_rules.default_house_rules_dir()
    own_said = f" and {own}" if own and rules is None else ""
    in_force = f"{rules or rules_said(bounds.sections)}{own_said}"
    lawful = f"under the rules {in_force}" if lenient else f"that violate no rule of {in_force}"
    parts = [f"Searched: boards of {grids}{' with ' * bool(most)}{' and '.join(most)} {lawful}."]
    if bounds.events:
        parts.append(f"Only these situations: {', '.join(bounds.events)}.")
    if bounds.where:
        parts.append(f"Only boards where {bounds.where}.")
    if bounds.without and rules is None:
        parts.append(f"Rulings ignored: {', '.join(bounds.without)}.")
    return " ".join(parts)


def _values(values: tuple[str, ...]) -> str:
    first, last = values[0], values[-1]
    whole = first.isdigit() and last.isdigit() and len(values) > 1
    if whole and int(last) - int(first) == len(values) - 1:
        return f"{first} to {last}"
    return ", ".join(values)


# --- Questions without an answer, grouped by what is missing, below their boards.


#: Number of reasons shown for a group of gaps.
_SAID = 4


def indented(text: str) -> Text:
    """Return a board for printing below its finding, with unchanged lines, so that it can be
    copied."""
    lines = text.removesuffix("\n").split("\n")
    return Text("\n".join(f"    {each}" for each in lines), no_wrap=True, overflow="ignore")


def gaps(out: Console, found: Iterable[Gap]) -> None:
    """Print gaps by what is missing.

    Questions without any norm are printed below their boards. For points that norms leave open,
    each kind of reason has its smallest board.
    """
    kinds: dict[str, list[Gap]] = {}
    for each in found:
        kinds.setdefault(each.why.name if each.why else "", []).append(each)
    for number, alike in enumerate(sorted(kinds.values(), key=len, reverse=True)):
        if number:
            out.print()
        whys = list(dict.fromkeys(str(each.why) for each in alike if each.why))
        more = [f"and {len(whys) - _SAID} more reasons"] if len(whys) > _SAID else []
        missing = "; ".join((*whys[:_SAID], *more)) or "no rule in force decides it"
        out.print(Text(missing, "bold") + Text(f" ({len(alike)})", "dim"))
        if whys:
            _left_open(out, alike)
        else:
            _by_board(out, alike)


def _left_open(out: Console, alike: list[Gap]) -> None:
    for topic in dict.fromkeys(each.topic for each in alike):
        by = dict.fromkeys(each.norm for each in alike if each.topic == topic and each.norm)
        out.print(Text(f"  {kind_text(topic)}  ") + Text(", ".join(by), "cyan"))
    shown = [each.shown for each in alike if each.shown is not None]
    if shown:
        out.print(indented(min(shown, key=lambda each: each.size).witness.text))


def _by_board(out: Console, alike: list[Gap]) -> None:
    boards: dict[str, list[Gap]] = {}
    for each in alike:
        boards.setdefault(each.shown.witness.plain if each.shown else "", []).append(each)
    for board, here in sorted(boards.items(), key=lambda pair: (not pair[0], len(pair[0]), pair)):
        out.print(indented(board) if board else Text("  no board found in time"))
        for each in here:
            asked = f"  {each.shown.witness.query}" if each.shown else ""
            out.print(Text(f"  {kind_text(each.topic)}") + Text(asked, "dim"))


# --- Findings as text, as JSON, and as board files.


#: The verdict of each command without findings, with its counted noun.
_NOTHING = {
    "conflicts": ("No two rules conflict", "conflicts", "conflict"),
    "review": (
        "No action is both allowed and forbidden without precedence",
        "actions to review",
        "action to review",
    ),
    "gaps": ("Every question has an answer", "gaps", "gap"),
    "unreachable": (
        "Every Location can be reached",
        "kinds of Locations that some board cuts off",
        "kind of Location that some board cuts off",
    ),
    "meet": ("The two never decide the same question", "ways to meet", "way to meet"),
    "interactions": ("No two of the rules decide the same question", "meetings", "meeting"),
    "diff": ("Both sets of rules give the same answers", "differences", "difference"),
    "find": ("Not found: no board makes the claim true", "boards", "board"),
    "always": ("True on every board", "counterexamples", "counterexample"),
}
#: The open question if some searches are undecided.
_UNSURE_TEXTS = {
    "unreachable": "whether every Location can be reached",
    "meet": "whether the two decide the same question",
    "interactions": "whether any two of the rules decide the same question",
    "find": "whether a board makes the claim true",
    "always": "whether the claim is true on every board",
}
#: The verdict of a command that searches one board; the second if it is proved smallest.
_CLAIMS = {
    "find": (
        "Found: a board where the claim is true, perhaps not the smallest",
        "Found: the smallest board where the claim is true",
    ),
    "always": (
        "False: a counterexample, perhaps not the smallest",
        "False: the smallest counterexample",
    ),
}


def report(out: Console, command: str, found: SearchReport[Any]) -> None:
    """Print the verdict of a search, each finding with its board, then the limits."""
    nothing, things, one = _NOTHING[command]
    norms = load_program().norms
    progress_text(out, found, things, one)
    if not found.known and found.complete:
        unsure = _UNSURE_TEXTS.get(command, f"whether there are {things}")
        out.print(Text("Unknown", "bold yellow") + Text(f" {unsure}. See the open searches below."))
    elif not found.found and found.complete:
        _no_board(out, nothing, found, norms)
        for told in excluded_told(found.excluded, norms) if found.excluded else ():
            out.print(told)
    elif command in _CLAIMS:
        _claimed(out, command, found)
    elif found.found:
        if found.complete:
            count = len(found.found)
            out.print(Text(f"{count} {one if count == 1 else things}", "bold"))
            out.print()
        if command == "gaps":
            gaps(out, found.found)
        for number, each in enumerate(() if command == "gaps" else found.found):
            if number and command != "interactions":
                out.print()
            finding_text(out, each, norms)
    out.print()
    limits(out, found, left_open(command, found))


def _no_board(
    out: Console, nothing: str, found: SearchReport[Any], norms: Mapping[str, Norm]
) -> None:
    """Print the verdict of a finished search without findings, as far as it is known."""
    if found.decided:
        within = " of any size (proved)" if found.proved else ", within the search limits"
        out.print(Text(f"{nothing}{within}", "bold") + Text(_as_far(found.doubt)))
    else:
        told = Text("Unknown on every board within the search limits", "bold yellow")
        out.print(told + Text(" that meets the condition. The smallest of them:"))
    for each in found.doubt.found if found.doubt else ():
        out.print()
        finding_text(out, each, norms)


def _claimed(out: Console, command: str, found: SearchReport[Any]) -> None:
    """Print the boards of a claim, each below its verdict."""
    for number, each in enumerate(found.found):
        out.print() if number else None
        # The smallest board of one site is the smallest of all only if no search is left or
        # undecided.
        verdict = _CLAIMS[command][each.least and found.whole]
        if each.worth is not None:
            proved = (
                ", the most extreme one within the search limits"
                if each.least and found.whole
                else ", perhaps not the most extreme one"
            )
            verdict = f"Found: the value {each.worth.text}{proved}"
        out.print(Text(verdict if not number else f"Board {number + 1}", "bold"))
        out.print()
        for line in _notes(each):
            out.print(line)
        out.print(indented(each.witness.text))


def _as_far(doubt: SearchReport[Any] | None) -> str:
    """Return on which boards it is known that a claim holds."""
    if doubt is None or (doubt.whole and not doubt.found):
        return "."
    if doubt.found:
        return " where it is known. The smallest board where it is unknown:"
    return " where it is known. It may be unknown on some board: that search is open."


def finding_text(out: Console, each: object, norms: Mapping[str, Norm]) -> None:
    """Print one finding with its boards."""
    for line in _head(each, norms):
        out.print(line)
    for name, board in boards(each):
        out.print(Text(f"  {name}", "dim")) if name else None
        out.print(indented(_text(each, board)))
    if isinstance(each, Difference) and each.doubt is not None:
        out.print(Text(f"  not confirmed: {each.doubt}", "bold red"))


def progress_text(out: Console, found: SearchReport[Any], things: str, one: str) -> None:
    """Print that a search was cut short, and its progress."""
    if not found.complete:
        count = len(found.found)
        so_far = f"{count or 'no'} {one if count == 1 else things} so far"
        _cut_short(out, found, so_far)
        out.print()


def _cut_short(out: Console, found: SearchReport[Any] | DeadNorms, so_far: str) -> None:
    """Print that a search is incomplete, and how many parts are done; with --all which ones."""
    why = "interrupted" if found.interrupted else f"stopped after {found.seconds:g} s"
    done, every = len(found.settled), len(found.settled) + len(found.left)
    next_step = "Continue with --resume."
    if len(found.too_large) == len(found.left) and not found.interrupted:
        why, next_step = "the memory limit was too low", "Use a smaller --grid."
    text = f" {why}. {so_far.capitalize()}; {done} of {every} searches done. {next_step}"
    out.print(Text("Incomplete:", "bold yellow") + Text(text))
    if found.too_large:
        told = progress_line(found.too_large, ())
        out.print(Text(f"  too large for the memory limit: {told}"))
    if shows_all(out):
        out.print(Text(f"  done: {progress_line(found.settled, found.left) or 'nothing'}"))
        out.print(Text(f"  left: {progress_line(found.left, found.settled)}"))


def dead(out: Console, found: DeadNorms, program: Program) -> None:
    """Print the rules that never change an answer, by what they fail to do."""
    idle = {*found.silent, *found.beaten, *found.repeating, *found.beyond, *found.open}
    doing = found.norms - len(idle)
    if found.complete:
        told = f"{doing} of {found.norms} rules with logic of their own change an answer."
        out.print(Text(told, "bold"))
    else:
        active = found.norms - len({*found.open, *found.beyond})
        _cut_short(out, found, f"{active} rules change an answer so far")
        out.print("No rule can be called dead yet.")
    for title, norms in (
        ("Never apply, on boards of any size (proved)", found.proved),
        (
            "Never apply on the searched boards",
            [each for each in found.silent if each not in found.proved],
        ),
        ("Always overridden", found.beaten),
        ("Only repeat another rule", found.repeating),
        (
            "Not searched: no board or situation within the limits is about these rules",
            ()
            if found.bounds.events
            else [each for each in found.beyond if each not in found.proved],
        ),
        ("Undecided", found.open if found.complete else ()),
    ):
        if norms:
            out.print(Text(title, "bold"))
        for norm in norms:
            out.print(Text(f"  {norm}", NORM) + Text(f"  {program.norms[norm].sense}"))
    if found.beyond and found.bounds.events:
        # If few events are named, most norms are listed here.
        told = f"Not searched, since these situations are not about them ({len(found.beyond)}): "
        out.print(Text(told, "bold") + Text(", ".join(found.beyond), NORM))
    if found.open and not found.complete:
        # If little was searched, nearly all norms are listed here.
        told = f"Undecided ({len(found.open)}): "
        out.print(Text(told, "bold") + Text(", ".join(found.open), NORM))
    out.print()
    out.print(Text(bounds_said(found.bounds, lenient=True), "dim"))


def _head(each: object, norms: Mapping[str, Norm]) -> Iterator[Text]:
    """Yield a finding in one or a few lines."""

    def told(norm: str) -> Text:
        sense = norms[norm].sense if norm in norms else ""
        return Text("  ") + Text(f"{norm}  ", NORM) + Text(sense)

    match each:
        case ConflictFinding(topic, one, other, where, _, settled):
            yield Text(f"{kind_text(topic)}: ", "bold") + Text(
                f"{one} conflicts with {other}", NORM
            )
            yield Text(f"  on {where}", "dim")
            yield from map(told, dict.fromkeys((one, other)))
            for ruling in settled:
                yield Text("  settled by ") + Text(f"{ruling}", NORM)
        case Interaction(relation, topic, one, other, where, shown, because):
            name = kind_text(topic)
            yield (
                Text(f"{name}: ", "bold")
                + Text(one, NORM)
                + Text(f" {_VERBS.get(relation, relation)} ")
                + Text(other, NORM)
            )
            for rank in because if len(because) > 1 or any(r.choice for r in because) else ():
                yield Text(f"  {rank}")
                if rank.choice and rank.by in norms:
                    yield told(rank.by)
            if shown is not None:
                yield Text(f"  {RELATIONS[relation]}; on {where}", "dim")
        case Gap(topic, norm, why, where, _):
            yield Text(kind_text(topic), "bold") + Text(f" ({why})" if why else "")
            yield Text(f"  on {where}", "dim")
            if norm is not None:
                yield told(norm)
        case NormActivity(norm, does):
            yield Text(norm, NORM) + Text(f" {does}")
        case Difference(topic, _, where, both, answers):
            yield Text(kind_text(topic), "bold")
            asked = f"{both[0].query}; " if both else ""
            yield Text(f"  {asked}on {where}", "dim")
            for answer, rests in zip(answers, each.apart, strict=True):
                yield Text(f"  {answer}  ") + Text(", ".join(rests), NORM)
            if each.changed:
                yield Text("  changed: ") + Text(", ".join(each.changed), NORM)
        case GoalWitness(_, spot):
            yield Text(f"on {spot}", "dim") + Text(
                "" if each.least else _NOT_LEAST[each.worth is not None]
            )
            yield from _notes(each)


def _notes(each: GoalWitness) -> Iterator[Text]:
    """Yield notes about probable omissions in a claim, with the words to add."""
    for ends in each.unseen:
        told = f"  There is no LOS {ends}, so nobody can fire there. To exclude such boards,"
        yield Text(f"{told} add sees({ends}) to the claim.", "yellow")
    for unit, here, start in each.witness.away:
        told = f"  {unit} is at {here}, but its step begins at {start}. To exclude such boards,"
        yield Text(f'{told} add at("{unit}", {start}) to the claim.', "yellow")


#: The property that is not proved of a board; for an extreme value, of that value.
_NOT_LEAST = (
    "; perhaps there is a smaller board",
    "; perhaps there is a more extreme value",
)
#: Verbs for relations whose name is not a verb.
_VERBS = {
    "ruled": "takes precedence by a ruling over",
    "lifts": "suspends",
    "add": "and",
    "clash": "conflicts with",
    "meet": "meets",
    "agree": "agrees with",
}


def boards(each: object) -> Iterator[tuple[str, Witness]]:
    """Yield the boards of a finding, with names if there are two."""
    if isinstance(each, Difference):
        if each.boards is not None:
            one, other = each.boards
            yield from (("", one),) if one == other else (("the first", one), ("the second", other))
        return
    shown = each if isinstance(each, GoalWitness) else getattr(each, "shown", None)
    if shown is not None:
        yield "", shown.witness


def _text(each: object, board: Witness) -> str:
    """Return a board with its expectation; for a difference, with the question only."""
    return board.plain if isinstance(each, Difference) else board.text


def write_boards(found: SearchReport[Any], folder: Path) -> None:
    """Write each board to a file in a folder; FileExistsError before any is written."""
    files = {}
    for name, each, board in named(found):
        head = "".join(f"# {line}\n" for line in head_lines(each))
        files[f"{name}.board"] = head + _text(each, board)
    write_new(folder, files)


def write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts to files in a folder; FileExistsError before any is written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (folder / name).exists():
            raise FileExistsError(17, "the file already exists", str(folder / name))
    for name, text in files.items():
        write_text(folder / name, text)


def named(found: SearchReport[Any]) -> Iterator[tuple[str, Any, Witness]]:
    """Yield each board, with its finding and a unique name for its file."""
    taken: set[str] = set()
    for each in found.found:
        for name, board in boards(each):
            title = "_".join(filter(None, (_title(each), name.replace("the ", ""))))
            title = re.sub(r"[^A-Za-z0-9.-]+", "_", title).strip("_")
            further = (f"{title}_{number}" for number in count(2))
            title = next(one for one in chain([title], further) if one.lower() not in taken)
            taken.add(title.lower())
            yield title, each, board


def head_lines(each: object) -> list[str]:
    """Return a finding as plain lines."""
    return [line.plain.strip() for line in _head(each, {})]


def _title(each: object) -> str:
    match each:
        case ConflictFinding(topic, one, other):
            return f"{topic}_{one}_{other}"
        case Interaction(relation, topic, one, other):
            return f"{relation}_{topic}_{one}_{other}"
        case Gap(topic, norm, why):
            return "_".join(filter(None, (topic, norm, why.form if why else None)))
        case Difference(topic, way):
            return f"{topic}_{way}"
    return "witness"


# --- Comparisons of two rule sets: one table of all differences, by topic.


def compared(out: Console, found: RuleDiff) -> None:
    """Print the table, its boards, the equal kinds, and the kinds that only one rule set answers."""
    report = found.differences
    progress_text(out, report, "differences", "difference")
    many = len(report.found)
    if not report.found and report.whole:
        what = "what both are asked" if found.once else "all questions"
        out.print(Text(f"Both give the same answers to {what}, within the search limits.", "bold"))
    elif not report.found and report.complete:
        out.print(Text("Unknown", "bold yellow") + Text(_UNSURE_DIFF))
    elif report.complete:
        out.print(Text(f"{many} difference{'s' * (many > 1)}", "bold"))
        out.print()
    numbers = _numbered(report.found)
    if report.found:
        table = Table("topic", *found.names, "decided by", "board", box=None, pad_edge=False)
        for each in report.found:
            table.add_row(
                Text(kind_text(each.topic), "bold"),
                *each.answers,
                Text(_norms(each, found.names), "cyan"),
                str(numbers[_boards(each)]) if each.boards else "not found in time",
            )
        out.print(table)
        out.print()
    for boards, number in numbers.items():
        out.print(Text(f"board {number}", "bold"))
        for name, text in zip(found.names, boards, strict=False):
            if len(boards) > 1:
                out.print(Text(f"  {name}", "dim"))
            out.print(indented(text))
        for each in report.found:
            if each.boards and numbers[_boards(each)] == number:
                out.print(Text(f"  {kind_text(each.topic)}: {each.boards[0].query}", "dim"))
    if found.same:
        told = ", ".join(map(kind_text, found.same))
        # A site left over or undecided may still show a difference.
        label = "The same on every board" if report.whole else "No difference found so far"
        out.print(Text(f"{label}: ", "bold") + Text(told))
    if found.once:
        told = ", ".join(map(kind_text, found.once))
        label = "Different only for things that one side has, such as a Location"
        out.print(Text(f"{label}: ", "bold") + Text(told))
    for name, topics in zip(found.names, found.only, strict=True):
        if topics:
            # A site left over may show that the other set answers too.
            so_far = "" if report.complete else " on the boards searched so far"
            told = ", ".join(map(kind_text, topics))
            out.print(Text(f"Only {name} answers{so_far}: ", "bold") + Text(told))
    out.print()
    limits(out, report, rules=rules_of(found))


_UNSURE_DIFF = " whether both give the same answers. See the open searches below."


def rules_of(found: RuleDiff) -> str:
    """Return the rules in force on both sides: `B23 PB6 (pb6) and B23 BRT7 (brt7)`."""
    told = [
        f"{rules_said(*side)} ({name})" for name, side in zip(found.names, found.sides, strict=True)
    ]
    return " and ".join(told)


def _norms(each: Difference, names: tuple[str, str]) -> str:
    """Return the changed norms of the answers, and those of only one side.

    If there are none, return all norms of the answers.
    """
    apart = [
        f"{name}: {_some(norms, _NORMS)}"
        for name, norms in zip(names, each.apart, strict=True)
        if norms
    ]
    changed = [f"{', '.join(each.changed)} (changed)"] if each.changed else []
    return (
        "; ".join((*changed, *apart)) or f"both: {_some(each.cites[0].norms, _NORMS) or 'no norm'}"
    )


#: Number of norms of an answer in the table; --json has all.
_NORMS = 5


def _some(names: tuple[str, ...], most: int) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _boards(each: Difference) -> tuple[str, ...]:
    assert each.boards is not None
    return tuple(dict.fromkeys(board.plain for board in each.boards))


def _numbered(found: tuple[Difference, ...]) -> dict[tuple[str, ...], int]:
    """Return each board once with its number; those that show most differences come first."""
    boards: dict[tuple[str, ...], int] = {}
    for each in found:
        if each.boards:
            boards[_boards(each)] = boards.get(_boards(each), 0) + 1
    ordered = sorted(boards, key=lambda each: (-boards[each], each))
    return {each: number for number, each in enumerate(ordered, 1)}


def cases(out: Console, names: tuple[str, str], asked: ChangedExpectations) -> None:
    """Print the expectations with different answers, each with both answers and their rule sets."""
    if asked.left:
        many = f"{len(asked.left)} board{'s' * (len(asked.left) > 1)}"
        out.print(Text(f"Incomplete: {many} of the cases not asked", "bold yellow"))
        out.print(Text(f"  left: {_some(asked.left, _LEFT)}"))
    changed = len(asked.found)
    told = f"{changed} `expect` line{'s' * (changed != 1)} of the cases with different answers"
    out.print(Text(told, "bold"))
    for each in asked.found:
        out.print(Text(f"  {each.file}:{each.line}  {each.question}"))
        for name, answer, passed in zip(names, each.answers, each.passed, strict=True):
            told = answer or "as expected"
            out.print(
                Text(f"    {name}: {told}") + Text("" if passed else "  (not expected)", "dim")
            )
    out.print()


#: Number of listed boards that were not examined.
_LEFT = 4


def witness_svg(shown: Witness, lines: list[str], without: tuple[str, ...] = ()) -> str:
    """Return the picture of a witness's board, with its goal and its question."""
    here = prepare(parse(shown.plain), None, without)
    title, *more = lines or [str(shown.query)]
    return board_svg(here, None, AnswerOverlay(title=title, caption=(*more, str(shown.query))))


def draw(found: SearchReport[Any], folder: Path) -> None:
    """Write a picture of each board; FileExistsError before any is written."""
    write_new(
        folder,
        {
            f"{name}.svg": witness_svg(board, head_lines(each), found.bounds.without)
            for name, each, board in named(found)
        },
    )


def show(thing: object, form: str) -> str | None:
    """Return a report with all its boards as HTML; it has no other form."""
    if not isinstance(thing, SearchReport) or form != "html":
        return None
    drawn = [
        witness_svg(board, head_lines(each), thing.bounds.without)
        for _, each, board in named(thing)
    ]
    text = answer_lines(lambda out: report(out, "find", thing))
    return f"<div>{text}{''.join(drawn)}</div>"
