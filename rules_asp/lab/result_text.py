"""Findings as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_asp.game import house_rules
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.lab.audits import ConflictFinding, DeadNorms, Gap, NormActivity
from rules_asp.lab.diff import ChangedExpectations, Difference, RuleDiff
from rules_asp.lab.generator import SearchBounds
from rules_asp.lab.goals import goal_text, kind_text
from rules_asp.lab.interactions import RELATIONS, Interaction
from rules_asp.lab.report import SearchReport, progress_line
from rules_asp.lab.unsat_core import unsat_core_lines as excluded_told
from rules_asp.lab.witness import GoalWitness, Witness
from rules_asp.positions.loading import write_text

# --- Within which bounds a search holds what it told, and what it left open.


#: What is open of a claim.
_OPEN = (
    "not decided in the time given to each (--patience): whether a board does it",
    "not known: the boards that were tried do it by the search, and the ordinary commands do not confirm"
    " it of any",
)


#: What is open of a value that was to be extreme.
_OPEN_VALUE = (
    "not decided in the time given to each (--patience): whether a board there has more, or less",
    _OPEN[1],
)
#: What is open of anything else.
_OPEN_ELSE = (
    "not decided in the time given to each (--patience)",
    "not known: the search has boards for each, and the ordinary commands confirm none of them",
)


def left_open(command: str, found: SearchReport[Any]) -> tuple[str, str]:
    """What it is called that patience was too short for, and that is not confirmed."""
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
    """Within which bounds it holds, and what could not be decided or confirmed; `rules`: those in force."""
    out.print(bounds_said(found.bounds, rules), style="dim")
    if found.never:
        out.print(Text(f"no board here has {'; '.join(found.never)}", "dim"))
    if found.lets and (not found.found or any(each.worth is not None for each in found.found)):
        told = "; ".join(f"{what.name} {_values(what.values)}" for what in found.lets)
        out.print(Text(f"among boards that state of numbers only: {told}", "dim"))
    for goals, why in zip((found.undecided, found.unconfirmed), open_, strict=True):
        if goals:
            out.print(Text(f"{len(goals)} {why}:", "yellow"))
            for goal in goals[:20]:
                out.print(Text(f"  {goal_text(goal)}", "yellow"))


def rules_said(sections: Iterable[str], without: Iterable[str] = ()) -> str:
    """The sections in force, without the rulings that are switched off: `B23 PB6 without R-T03`."""
    off = ", ".join(without)
    return " ".join(each.upper() for each in sections) + (f" without {off}" if off else "")


def bounds_said(bounds: SearchBounds, rules: str | None = None, lenient: bool = False) -> str:
    """The bounds of a search in a line; `rules`: those in force, where the bounds do not say it.

    lenient: its boards may break norms.
    """
    grids = ", ".join(f"{grid} ({len(grid.hexes())} hexes)" for grid in bounds.grids)
    own = house_rules.default_house_rules_dir()
    own_said = f" and those in {own}" if own and rules is None else ""
    parts = [
        f"boards of {grids}{'' if lenient else ' that break no norm'}",
        f"rules {rules or rules_said(bounds.sections)}{own_said}",
    ]
    parts += [
        f"at most {number} {thing.removesuffix('s') if number == 1 else thing}"
        for thing, number in bounds.most
    ]
    if bounds.events:
        parts.append(f"only {', '.join(bounds.events)}")
    if bounds.where:
        parts.append(f"where {bounds.where}")
    if bounds.without and rules is None:
        parts.append(f"without {', '.join(bounds.without)}")
    return f"searched: {'; '.join(parts)}"


def _values(values: tuple[str, ...]) -> str:
    first, last = values[0], values[-1]
    whole = first.isdigit() and last.isdigit() and len(values) > 1
    if whole and int(last) - int(first) == len(values) - 1:
        return f"{first} to {last}"
    return ", ".join(values)


# --- Questions without an answer, for people: by what is missing, each below the board that
#     raises it.


#: So many reasons of a group of gaps are said.
_SAID = 4


def indented(text: str) -> Text:
    """A board below what it shows, each line as it is written down, so that it can be copied."""
    lines = text.removesuffix("\n").split("\n")
    return Text("\n".join(f"    {each}" for each in lines), no_wrap=True, overflow="ignore")


def gaps(out: Console, found: Iterable[Gap]) -> None:
    """Gaps by what is missing.

    Those of which no norm speaks stand below their boards, with what is asked; of what norms leave
    open there is the smallest board for each kind of reason.
    """
    kinds: dict[str, list[Gap]] = {}
    for each in found:
        kinds.setdefault(each.why.name if each.why else "", []).append(each)
    for number, alike in enumerate(sorted(kinds.values(), key=len, reverse=True)):
        if number:
            out.print()
        whys = list(dict.fromkeys(str(each.why) for each in alike if each.why))
        more = [f"and {len(whys) - _SAID} more alike"] if len(whys) > _SAID else []
        missing = "; ".join((*whys[:_SAID], *more)) or "no rule covers it"
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
        out.print(indented(board) if board else Text("  none in time"))
        for each in here:
            asked = f"  {each.shown.witness.query}" if each.shown else ""
            out.print(Text(f"  {kind_text(each.topic)}") + Text(asked, "dim"))


# --- What searches found, for people, as JSON, and as boards in files.


_NORM = "cyan"
#: What each command says where it found nothing, and what it counts.
_NOTHING = {
    "conflicts": ("no two norms clash", "clashes"),
    "review": ("nothing is both allowed and forbidden without precedence", "to review"),
    "gaps": ("no question without an answer", "gaps"),
    "unreachable": ("every Location can be reached", "kinds of Locations that some board cuts off"),
    "meet": ("the two never meet", "ways to meet"),
    "interactions": ("no two of them meet", "meetings"),
    "diff": ("both answer everything alike", "differences"),
    "find": ("no board", "board"),
    "always": ("it holds on every board", "board on which it fails"),
}
#: What one of them is called, where that is another word.
_ONE = {
    "clashes": "clash",
    "gaps": "gap",
    "kinds of Locations that some board cuts off": "kind of Location that some board cuts off",
    "ways to meet": "way to meet",
    "meetings": "meeting",
}
#: What is not known where some of it is open.
_UNSURE_TEXTS = {
    "unreachable": "whether every Location can be reached",
    "meet": "whether the two meet",
    "interactions": "whether any of them meet",
    "find": "whether there is such a board",
    "always": "whether it holds on every board",
}


def report(out: Console, command: str, found: SearchReport[Any]) -> None:
    """What a search found, each thing with its board, then the bounds that it holds within."""
    nothing, things = _NOTHING[command]
    norms = load_program().norms
    progress_text(out, found, things)
    items = () if command == "gaps" else found.found
    if command == "gaps":
        gaps(out, found.found)
    for number, each in enumerate(items):
        if number and command != "interactions":
            out.print()
        finding_text(out, each)
    if not found.known and found.complete:
        unsure = _UNSURE_TEXTS.get(command, f"whether there are {things}")
        out.print(Text("not known", "bold yellow") + Text(f" {unsure}: see below what is open"))
    elif not found.found and found.complete:
        if found.decided:
            out.print(Text(nothing, "bold") + Text(f" within the bounds{_as_far(found.doubt)}"))
        else:
            told = " within the bounds that meets the condition decides it; the smallest of them:"
            out.print(Text("no board", "bold") + Text(told))
        for each in found.doubt.found if found.doubt else ():
            finding_text(out, each)
        for told in excluded_told(found.excluded, norms) if found.excluded else ():
            out.print(told)
    elif found.found and command not in ("find", "always"):
        out.print()
        counted = _ONE.get(things, things) if len(found.found) == 1 else things
        out.print(Text(f"{len(found.found)} {counted}", "bold"))
    limits(out, found, left_open(command, found))


def _as_far(doubt: SearchReport[Any] | None) -> str:
    """How far it is known on each board that a claim holds."""
    if doubt is None or (doubt.whole and not doubt.found):
        return ""
    if doubt.found:
        return " on which it is known; the smallest on which it is not:"
    return " on which it is known; whether that is each of them is not settled"


def finding_text(out: Console, each: object) -> None:
    """One thing that was found, with its boards."""
    for line in _head(each, load_program().norms):
        out.print(line)
    for name, board in boards(each):
        out.print(Text(f"  {name}", "dim")) if name else None
        out.print(indented(_text(each, board)))
    if isinstance(each, Difference) and each.doubt is not None:
        out.print(Text(f"  not confirmed: {each.doubt}", "bold red"))


def progress_text(out: Console, found: SearchReport[Any], things: str) -> None:
    """First of all: that a search was cut short, and where."""
    if not found.complete:
        for line in _cut_short(found, things):
            out.print(line)
        out.print()


def _cut_short(found: SearchReport[Any], things: str) -> Iterator[Text]:
    """How far a search came that was cut short: what it settled, what it found, what is left."""
    why = "broken off" if found.interrupted else "the time was over"
    yield Text(
        f"not finished, {why}: what follows is not an answer to the whole question", "bold yellow"
    )
    many = len(found.found)
    told = f"{many} {things}, each of which stands" if many else "nothing"
    yield Text(f"  found:    {told}")
    yield from _how_far(found)


def _how_far(found: SearchReport[Any] | DeadNorms) -> Iterator[Text]:
    """What a search settled, and what it left."""
    yield Text(f"  settled:  {progress_line(found.settled, found.left) or 'nothing'}")
    yield Text(f"  left:     {progress_line(found.left, found.settled)}; --resume goes on there")


def dead(out: Console, found: DeadNorms, program: Program) -> None:
    """The norms that do nothing, by what they fail to do."""
    if not found.complete:
        why = "broken off" if found.interrupted else "the time was over"
        out.print(Text(f"not finished, {why}: no norm is told to do nothing", "bold yellow"))
        doing = found.norms - len({*found.open, *found.beyond})
        out.print(Text(f"  found:    {doing} norms that do something"))
        for line in _how_far(found):
            out.print(line)
    for title, norms in (
        ("never fire", found.silent),
        ("never win", found.beaten),
        ("say only what another says", found.repeating),
        (
            "not searched: they speak of what no board or event within these bounds has",
            () if found.bounds.events else found.beyond,
        ),
        ("not settled", found.open if found.complete else ()),
    ):
        if norms:
            out.print(Text(title, "bold"))
        for norm in norms:
            out.print(Text(f"  {norm}", _NORM) + Text(f"  {program.norms[norm].sense}"))
    if found.beyond and found.bounds.events:
        # Most of them, where few events are named.
        told = f"not searched, since these events ask nothing of them ({len(found.beyond)}): "
        out.print(Text(told, "bold") + Text(", ".join(found.beyond), _NORM))
    if found.open and not found.complete:
        # Nearly all of them, where little was searched.
        out.print(
            Text(f"not settled ({len(found.open)}): ", "bold") + Text(", ".join(found.open), _NORM)
        )
    idle = {*found.silent, *found.beaten, *found.repeating, *found.beyond, *found.open}
    doing = found.norms - len(idle)
    out.print(Text(f"{doing} of {found.norms} norms with rules of their own do something", "bold"))
    out.print(bounds_said(found.bounds, lenient=True), style="dim")


def _head(each: object, norms: Mapping[str, Any]) -> Iterator[Text]:
    """What was found, in a line or a few."""

    def told(norm: str) -> Text:
        sense = norms[norm].sense if norm in norms else ""
        return Text("  ") + Text(f"{norm}  ", _NORM) + Text(sense)

    match each:
        case ConflictFinding(topic, one, other, where, _, settled):
            yield Text(f"{kind_text(topic)}: ", "bold") + Text(f"{one} against {other}", _NORM)
            yield Text(f"  on {where}", "dim")
            yield from map(told, dict.fromkeys((one, other)))
            for ruling in settled:
                yield Text("  settled by ") + Text(f"{ruling}", _NORM)
        case Interaction(relation, topic, one, other, where, shown, because):
            name = kind_text(topic)
            yield (
                Text(f"{name}: ", "bold")
                + Text(one, _NORM)
                + Text(f" {_VERBS.get(relation, relation)} ")
                + Text(other, _NORM)
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
            yield Text(norm, _NORM) + Text(f" {does}")
        case Difference(topic, _, where, both, answers):
            yield Text(kind_text(topic), "bold")
            asked = f"{both[0].query}; " if both else ""
            yield Text(f"  {asked}on {where}", "dim")
            for answer, rests in zip(answers, each.apart, strict=True):
                yield Text(f"  {answer}  ") + Text(", ".join(rests), _NORM)
            if each.changed:
                yield Text("  changed: ") + Text(", ".join(each.changed), _NORM)
        case GoalWitness(_, spot):
            yield Text(f"on {spot}", "dim") + Text(
                "" if each.least else _NOT_LEAST[each.worth is not None]
            )
            for ends in each.unseen:
                seen = f"  there is no LOS {ends}: that shot cannot be fired; sees({ends}) in the claim"
                yield Text(f"{seen} leaves such boards out", "yellow")
            for unit, here, start in each.witness.away:
                gone = f'  {unit} is at {here}, its step begins at {start}; at("{unit}", {start}) in the'
                yield Text(f"{gone} claim leaves such boards out", "yellow")


#: What is not proved of a board; where a value was to be extreme, of that.
_NOT_LEAST = (
    "; a smaller board there may do as well",
    "; not proved to be the most extreme value there",
)
#: How a relation is said between two norms, where its name is no verb.
_VERBS = {
    "ruled": "goes before, by a ruling,",
    "add": "and",
    "clash": "against",
    "meet": "meets",
    "agree": "agrees with",
}


def boards(each: object) -> Iterator[tuple[str, Witness]]:
    """The boards of something found, named where there are two."""
    if isinstance(each, Difference):
        if each.boards is not None:
            one, other = each.boards
            yield from (("", one),) if one == other else (("the first", one), ("the second", other))
        return
    shown = each if isinstance(each, GoalWitness) else getattr(each, "shown", None)
    if shown is not None:
        yield "", shown.witness


def _text(each: object, board: Witness) -> str:
    """The board with what is expected of it; of a difference nothing is expected, it is only asked."""
    return board.plain if isinstance(each, Difference) else board.text


def write_boards(found: SearchReport[Any], folder: Path) -> None:
    """Write each board that was found to a file of a folder; FileExistsError before any is written."""
    files = {}
    for name, each, board in named(found):
        head = "".join(f"# {line}\n" for line in head_lines(each))
        files[f"{name}.board"] = head + _text(each, board)
    write_new(folder, files)


def write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts to files of a folder; FileExistsError before any is written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (folder / name).exists():
            raise FileExistsError(17, "already exists", str(folder / name))
    for name, text in files.items():
        write_text(folder / name, text)


def named(found: SearchReport[Any]) -> Iterator[tuple[str, Any, Witness]]:
    """Each board of what was found, with what it shows and a name for its file, which no other has."""
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
    """What was found, as plain lines."""
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


# --- Two sets of rules side by side, for people and as JSON: one table of all that differs, by
#     topic.


def compared(out: Console, found: RuleDiff) -> None:
    """The table, the boards that it rests on, what is the same, and what only one of them knows."""
    report = found.differences
    progress_text(out, report, "differences")
    numbers = _numbered(report.found)
    if report.found:
        table = Table("topic", *found.names, "rests on", "board", box=None, pad_edge=False)
        for each in report.found:
            table.add_row(
                Text(kind_text(each.topic), "bold"),
                *each.answers,
                Text(_norms(each, found.names), "cyan"),
                str(numbers[_boards(each)]) if each.boards else "none in time",
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
    if not report.found and report.whole:
        what = "what both are asked" if found.once else "everything"
        out.print(Text(f"both answer {what} alike", "bold") + Text(" within the bounds"))
    elif not report.found and report.complete:
        out.print(Text("not known", "bold yellow") + Text(_UNSURE_DIFF))
    elif report.found:
        out.print()
        many = len(report.found)
        out.print(Text(f"{many} difference{'s' * (many > 1)}", "bold"))
    if found.same:
        told = ", ".join(map(kind_text, found.same))
        # What is left, or was not decided, may show a difference yet.
        label = "the same on every board" if report.whole else "no difference found so far"
        out.print(Text(f"{label}: ", "bold") + Text(told))
    if found.once:
        told = ", ".join(map(kind_text, found.once))
        label = "answered otherwise only of what one of both has, as a Location"
        out.print(Text(f"{label}: ", "bold") + Text(told))
    for name, topics in zip(found.names, found.only, strict=True):
        if topics:
            # What is left may show that the other answers too.
            so_far = "" if report.complete else "on the boards looked at "
            told = ", ".join(map(kind_text, topics))
            out.print(Text(f"{so_far}only {name} speaks of: ", "bold") + Text(told))
    limits(out, report, rules=_rules(found))


_UNSURE_DIFF = " whether both answer everything alike: see below what is open"


def _rules(found: RuleDiff) -> str:
    """The rules in force on both sides: `of pb6 B23 PB6, of brt7 B23 BRT7`."""
    told = [
        f"of {name} {rules_said(*side)}"
        for name, side in zip(found.names, found.sides, strict=True)
    ]
    return ", ".join(told)


def _norms(each: Difference, names: tuple[str, str]) -> str:
    """The changed norms that the answers rest on, and those that only one of both does.

    Where there are none such, all that they rest on.
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


#: So many norms of an answer stand in the table; with --json all.
_NORMS = 5


def _some(names: tuple[str, ...], most: int) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _boards(each: Difference) -> tuple[str, ...]:
    assert each.boards is not None
    return tuple(dict.fromkeys(board.plain for board in each.boards))


def _numbered(found: tuple[Difference, ...]) -> dict[tuple[str, ...], int]:
    """Each board once, with its number; those that show most come first."""
    boards: dict[tuple[str, ...], int] = {}
    for each in found:
        if each.boards:
            boards[_boards(each)] = boards.get(_boards(each), 0) + 1
    ordered = sorted(boards, key=lambda each: (-boards[each], each))
    return {each: number for number, each in enumerate(ordered, 1)}


def cases(out: Console, names: tuple[str, str], asked: ChangedExpectations) -> None:
    """The expectations that turn, each with both answers and whose they are."""
    if asked.left:
        many = f"{len(asked.left)} board{'s' * (len(asked.left) > 1)}"
        out.print(Text(f"cases: not finished, {many} not asked", "bold yellow"))
        out.print(Text(f"  left:     {_some(asked.left, _LEFT)}"))
    out.print(Text(f"{len(asked.found)} expectations of the cases turn", "bold"))
    for each in asked.found:
        out.print(Text(f"  {each.file}:{each.line}  {each.question}"))
        for name, answer, passed in zip(names, each.answers, each.passed, strict=True):
            told = answer or "as expected"
            out.print(
                Text(f"    {name}: {told}") + Text("" if passed else "  (not expected)", "dim")
            )
    out.print()


#: So many boards that were not asked are named.
_LEFT = 4
