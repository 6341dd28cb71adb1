"""What searches found, for people, as JSON, and as boards in files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.lab.boards.findings import GoalWitness
from rules_asp.lab.boards.witnesses import Witness
from rules_asp.lab.comparing.differences import Difference
from rules_asp.lab.questions.clashes import ConflictFinding
from rules_asp.lab.questions.meetings import RELATIONS, Interaction
from rules_asp.lab.questions.norms import DeadNorms, NormActivity
from rules_asp.lab.questions.unanswered import Gap
from rules_asp.lab.searching.courses import SearchReport, progress_line
from rules_asp.lab.searching.exclusions import unsat_core_lines as excluded_told
from rules_asp.lab.searching.goal_words import kind_text
from rules_asp.lab.telling.bounds_told import bounds_said, left_open, limits
from rules_asp.lab.telling.gaps_told import gaps, indented
from rules_asp.positions.files import write_text
from rules_asp.telling.layout import console

__all__ = [
    "console",
    "dead",
    "finding_text",
    "head_lines",
    "indented",
    "named",
    "progress_text",
    "report",
    "write_boards",
    "write_new",
]

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
_UNSURE = {
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
        unsure = _UNSURE.get(command, f"whether there are {things}")
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
    if (doubt := _doubt(each)) is not None:
        out.print(Text(f"  not confirmed: {doubt}", "bold red"))


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
        f"not finished, {why}: what follows is no answer to the whole question", "bold yellow"
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


def _doubt(each: object) -> str | None:
    return each.doubt if isinstance(each, Difference) else None


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
            raise FileExistsError(17, "is there already", str(folder / name))
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
