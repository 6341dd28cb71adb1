"""The results of searches as JSON: `rules-asp lab ... --json`, in documented shapes.

As in rules_asp/output/json_schema.py, every object has "schema" and "command", and keys are only
ever added. All but `chains`, `prove` and `dead` have

    bounds complete known whole settled left undecided unconfirmed seconds found excluded lets never doubt
    decided

complete: nothing was left at the time limit. known: something was found, or everything within the limits
was searched. whole: complete, and nothing is undecided or unconfirmed. settled, left: the finished and the
unfinished places. undecided: the time for each search did not suffice. unconfirmed: the ordinary commands
do not confirm the boards. seconds: the duration. The other keys occur only with a value: excluded, what
excludes a claim (spot norms bounds tried seconds known speaking); lets, the numbers that boards may state
(name sense values); never, inputs that no lab board has; doubt, for an `always` that never fails, the search
for a board on which the claim is unknown, in this same shape; decided, false if no board that meets the
condition of an `always` decides the claim; too_large, unfinished places that need more memory than the
limit.

    bounds      grids sections without most events where; most has the greatest number of each kind
    conflicts   found: topic norms where settled board question; settled: the rulings that decide it
    review, as conflicts
    gaps        found: topic norm why where board question; norm and why with --stated, else null
    unreachable, as gaps
    meet        found: relation topic norms where because board question; of because: winner loser how
                by choice
    interactions, as meet
    find        found: where board question counts counted value without_los away; counts: the
                numbers for the counts of the claim; counted: for each, the counted values on the board;
                value: the greatest or least; without_los: ends of fire attacks without LOS; away: units
                with a step that begins elsewhere: unit at from
    always, as find; proved, true if it fails on no board of any size
    diff        found: topic way where answers cites norms changed boards question doubt; answers, cites,
                norms and boards have one entry for each side; boards has one if it is shared. Also: names
                same once only sides cases cases_left; of a side: name sections without; of a case:
                file line question answers passed
    impact      as diff, with found best first. Also: changes helpers precedence norms topics
                consequences examples; of a change: norm how sense; of precedence: how_changed winner
                loser how by choice; of an example: file lines; norms and topics map each name to its
                distance in rules. If consequences is false, only names and these keys occur
    chains      chains: topic rows circle ranks; of ranks as of because
    prove       fingerprint without sections pairs mutual axioms anew left seconds; of a section: section
                pairs share and the number of pairs by verdict; of each pair that its terms do not
                exclude: kind one other verdict by axioms rules model; anew: pairs examined in this run
    dead        bounds complete whole seconds norms never_fire proved never_win repeat beyond open settled
                left too_large; proved: those that apply on no board of any size;
                with --stream: norm does

board is the board's text, null if no board was searched. question is a question for `ask` on this board.
With `--stream`, each finding is a line on standard error, in the shape of the entries in found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from rules_asp.lab.audits import ConflictFinding, DeadNorms, Gap, NormActivity
from rules_asp.lab.diff import Difference, RuleDiff
from rules_asp.lab.generator import SearchBounds
from rules_asp.lab.interactions import Interaction
from rules_asp.lab.report import SearchReport
from rules_asp.lab.witness import GoalWitness


def diff_record(found: RuleDiff) -> dict[str, Any]:
    """Return a comparison as JSON: the keys of all `lab` commands, with `names`, `same`, `once`,
    `only`, `sides`."""
    return {
        **record(found.differences),
        "names": list(found.names),
        "same": list(found.same),
        "once": list(found.once),
        "only": [list(each) for each in found.only],
        "sides": [
            {"name": name, "sections": list(sections), "without": list(without)}
            for name, (sections, without) in zip(found.names, found.sides, strict=True)
        ],
    }


Record = dict[str, Any]


def record(found: SearchReport[Any]) -> Record:
    """Return the report of a search as JSON."""
    return {
        "bounds": _bounds_record(found.bounds),
        "complete": found.complete,
        "known": found.known,
        "whole": found.whole,
        "settled": list(found.settled),
        "left": list(found.left),
        "undecided": list(found.undecided),
        "unconfirmed": list(found.unconfirmed),
        "seconds": found.seconds,
        **({"excluded": asdict(found.excluded)} if found.excluded else {}),
        **({"lets": [asdict(each) for each in found.lets]} if found.lets else {}),
        **({"never": list(found.never)} if found.never else {}),
        **({"doubt": record(found.doubt)} if found.doubt else {}),
        **({} if found.decided else {"decided": False}),
        **({"proved": True} if found.proved else {}),
        **({"too_large": list(found.too_large)} if found.too_large else {}),
        "found": [finding_record(each) for each in found.found],
    }


def finding_record(each: object) -> Record:
    """Return one finding as JSON."""
    return _RECORDS[type(each)](each)


def dead_record(found: DeadNorms) -> Record:
    """Return the norms without effect as JSON."""
    return {
        "bounds": _bounds_record(found.bounds),
        "complete": found.complete,
        "whole": found.whole,
        "seconds": found.seconds,
        "norms": found.norms,
        "never_fire": list(found.silent),
        "proved": list(found.proved),
        "never_win": list(found.beaten),
        "repeat": list(found.repeating),
        "beyond": list(found.beyond),
        "open": list(found.open),
        "settled": list(found.settled),
        "left": list(found.left),
        **({"too_large": list(found.too_large)} if found.too_large else {}),
    }


def _bounds_record(bounds: SearchBounds) -> Record:
    return {
        "grids": [str(grid) for grid in bounds.grids],
        "sections": list(bounds.sections),
        "without": list(bounds.without),
        "most": dict(bounds.most),
        "events": list(bounds.events),
        "where": bounds.where,
    }


def _shown(shown: GoalWitness | None) -> Record:
    if shown is None:
        return {"board": None}
    found: Record = {"board": shown.witness.text, "question": str(shown.witness.query)}
    if shown.witness.counts:
        found["counts"] = [str(each) for each in shown.witness.counts]
        found["counted"] = [list(each.ways) for each in shown.witness.counts]
    if shown.worth is not None:
        found["value"] = shown.worth.number
    return found


def _clash(each: ConflictFinding) -> Record:
    return {
        "topic": each.topic,
        "norms": [each.one, each.other],
        "where": each.where,
        "settled": list(each.settled),
        **_shown(each.shown),
    }


def _meeting(each: Interaction) -> Record:
    return {
        "relation": each.relation,
        "topic": each.topic,
        "norms": [each.one, each.other],
        "where": each.where,
        "because": [rank.record for rank in each.because],
        **_shown(each.shown),
    }


def _gap(each: Gap) -> Record:
    return {
        "topic": each.topic,
        "norm": each.norm,
        "why": str(each.why) if each.why else None,
        "where": each.where,
        **_shown(each.shown),
    }


def _difference(each: Difference) -> Record:
    return {
        "topic": each.topic,
        "way": each.way,
        "where": each.where,
        "answers": list(each.answers),
        "cites": [list(cites) for cites in each.cites],
        "norms": [list(cites.norms) for cites in each.cites],
        "changed": list(each.changed),
        "boards": [board.plain for board in each.boards or ()],
        "question": str(each.boards[0].query) if each.boards else None,
        **({"doubt": each.doubt} if each.doubt else {}),
    }


def _found(each: GoalWitness) -> Record:
    unseen = {"without_los": list(each.unseen)} if each.unseen else {}
    gone = [dict(zip(_AWAY, map(str, told), strict=True)) for told in each.witness.away]
    away = {"away": gone} if gone else {}
    return {"where": str(each.spot), **_shown(each), **unseen, **away}


#: A unit whose step begins elsewhere: its name, its Location, the start of the step.
_AWAY = ("unit", "at", "from")


_RECORDS: Mapping[type, Callable[[Any], Record]] = {
    ConflictFinding: _clash,
    Interaction: _meeting,
    Gap: _gap,
    Difference: _difference,
    NormActivity: lambda each: {"norm": each.norm, "does": each.does},
    GoalWitness: _found,
}
