"""Boards that are not proved to be the smallest: what can be spared of them is left out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from rules_asp.cases.shrinking import ddmin
from rules_asp.lab.boards.findings import GoalWitness
from rules_asp.lab.boards.witnesses import Witness, confirm
from rules_asp.lab.searching.search import Search
from rules_asp.parser import BoardError, parse_query
from rules_asp.positions.trimming import BoardPart, BoardReducer
from rules_asp.terms.board import Expect, Fact

#: Seconds that may go into it.
_SECONDS = 10.0


def minimise_witness(search: Search, shown: GoalWitness) -> GoalWitness:
    """The same without what the ordinary commands confirm it without, if it is not proved the smallest.

    Of a board that is to be one of some kind (`--where`) only if they can be asked that, too.
    """
    if shown.least:
        return shown
    wanted = [shown.witness.query]
    if search.bounds.where:
        try:
            wanted.append(parse_query(search.bounds.where))
        except BoardError:
            return shown
    trimming = BoardReducer(shown.witness.board, Expect(shown.witness.query))
    given = [each for each in trimming.portions if _is_given(each)]
    until = time.monotonic() + min(_SECONDS, search.clock.left() or _SECONDS)

    def board(kept: Sequence[BoardPart]) -> Witness:
        said = trimming.board((*given, *kept))
        return replace(shown.witness, board=replace(said, statements=said.statements[:-1]))

    def holds(kept: Sequence[BoardPart]) -> bool:
        less = board(kept)
        told = (confirm(replace(less, query=query), search.lab, search.bounds) for query in wanted)
        return all(each.doubt is None and not each.broken for each in told)

    can_go = [each for each in trimming.portions if not _is_given(each)]
    if not holds(can_go):
        return shown
    left, _ = ddmin(can_go, holds, lambda: time.monotonic() > until)
    return shown if len(left) == len(can_go) else replace(shown, witness=board(left))


def _is_given(portion: BoardPart) -> bool:
    """Whether it is no part of the board, but of the rules in force."""
    return isinstance(portion.part, Fact) and portion.part.name == "section"
