"""What rests on a board alone after a change of it: only that is solved anew on which the change bears."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import clingo

from rules_asp.knowledge.occasions import keys_of
from rules_asp.knowledge.orders import clashing_pairs
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.renewal import AffectedSignatures, PatchedAnswerSet, below_patches
from rules_asp.knowledge.running import AnswerSet, solve
from rules_asp.knowledge.source import Signature
from rules_asp.positions.indexes import FactIndex

#: The most parts that lie one upon the other before all is solved anew: each look-up goes through them.
_DEEPEST = 12
#: Of the rules the part that may be solved anew; where it is more, it is no slower to solve all.
_PART = 1 / 2
#: A predicate, and the kind of topic that it is about, if any; and such a kind of one case.
_Kind = tuple[str, int, str | None]
_Place = tuple[int, _Kind]
#: With a section come and go what is said of norms at large, on which every rule may rest.
_AT_LARGE = frozenset(("section",))


def update(
    program: Program,
    cases: Collection[AnswerSet],
    true: Callable[[Iterable[Signature]], Iterator[clingo.Symbol]],
    before: FactIndex,
    now: FactIndex,
) -> PatchedAnswerSet | None:
    """The answer after a change of the board's facts; None: all is to be solved anew.

    `cases` are the answers before, `true` tells the atoms of some nodes in the first of them. It is as
    when all is solved anew: what is not touched rests on nothing that is, so it stays as it was, and is
    given as facts to the rules that derive what is. That holds of a board of one answer; where it has
    several, or comes to have them as norms clash, all is solved anew.
    """
    if len(cases) != 1:
        return None
    (case,) = cases
    old, new = frozenset(before.symbols), frozenset(now.symbols)
    changed = {(fact.name, len(fact.arguments)) for fact in old ^ new}
    if any(name in _AT_LARGE for name, _ in changed):
        return None
    part = program.renewal(changed, before.keys | keys_of(new - old))
    base = below_patches(case, part.touched)
    depth = base.depth if isinstance(base, PatchedAnswerSet) else 0
    if depth >= _DEEPEST or part.share > _PART:
        return None
    names = {name for name, _ in part.touched.predicates}
    given = (fact for fact in now.symbols if fact.name in names and part.touched.has(fact))
    solved = solve(part.rules, facts=(*given, *true(part.read)))
    if len(solved) != 1 or clashing_pairs(solved[0]):
        return None
    return PatchedAnswerSet(solved[0].symbols, solved[0].control, before=base, touched=part.touched)


#: What is told by static atoms and kept with a position, and of which predicates.
_TOLD = {
    "wholes": {"building"},
    "elevations": {"at_level"},
    "concerns": {
        *("concern", "concern_dot_line", "concern_side"),
        *("inherent", "asks_exit", "asks_side", "asks_inside"),
        *("channel", "channel_side", "asks_follows", "asks_road", "asks_ends"),
    },
}


def carry_over(kept: Mapping[str, object], touched: AffectedSignatures) -> dict[str, object]:
    """Of what is kept with a position that which the change does not bear on."""
    names = {name for name, _ in touched.predicates}
    return {what: kept[what] for what in _TOLD if what in kept and not _TOLD[what] & names}


def unaffected_indexes(
    indexes: Mapping[_Place, FactIndex], touched: AffectedSignatures
) -> dict[_Place, FactIndex]:
    """The indexes of atoms that are not touched."""

    def stays(kind: _Kind) -> bool:
        if kind[:2] not in touched.predicates:
            return True
        return kind[2] is not None and kind[:2] not in touched.wholly and kind not in touched.topics

    return {key: index for key, index in indexes.items() if stays(key[1])}
