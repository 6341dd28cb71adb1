"""Verdicts of many sights, read off a program that was grounded for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, pairwise
from typing import NamedTuple

import clingo

from rules_asp.answers.unknowns import Reason, UnknownReasons
from rules_asp.knowledge.running import EngineError, ProgramText, ground
from rules_asp.terms.names import term_text

#: Question rules, and the static atoms that they read.
VerdictProgram = tuple[ProgramText, list[clingo.Symbol]]


class LosVerdict(NamedTuple):
    """A sight's verdict: clear (None: unknown), the Hindrance, and the norm and place that block it.

    Where several norms block, or at several places, it is one of them, always the same. `why` it is
    unknown.
    """

    clear: bool | None
    hindrance: int = 0
    norm: str = ""
    place: str = ""
    why: tuple[Reason, ...] = ()


#: A sight of which nothing is found.
CLEAR = LosVerdict(True)
#: What is shown of a program.
_SHOWN = """
#defined stopped/3. #defined hindrance/2.
#show stopped/3. #show hindrance/2.
"""


class LosReader:
    """Reads verdicts off a grounded program; keeps what terms stand for, which recur.

    What is shown is read as one text: a call into clingo for every argument of every term would cost
    several times what grounding does.
    """

    def __init__(self, doubts: UnknownReasons) -> None:
        self._doubts = doubts
        self._told: dict[str, LosVerdict] = {}

    def read(
        self, layer: VerdictProgram, question: Iterable[clingo.Symbol], sights: Mapping[str, int]
    ) -> dict[int, LosVerdict]:
        """The verdicts of those of the sights that are not clear and unhindered."""
        rules, facts = layer
        # Two answers, if there were any, would show that something must be searched for.
        given = chain(facts, question)
        control = ground(rules, _SHOWN, facts=given, arguments=["--models=2"])
        with control.solve(yield_=True) as handle:
            answers = [model.symbols(shown=True) for model in handle]
        if len(answers) != 1:
            raise EngineError("the sights hang on something that must be searched for")
        # "all(stopped(s(l((0,1),0),l((6,5),0)),"B23.2-6",(2,3)),hindrance(s(..."
        shown = str(clingo.Function("all", answers[0]))[:-1].split("(s(")
        blocked: dict[str, LosVerdict] = {}
        found: dict[int, LosVerdict] = {}
        told = self._told
        # What a piece is of stands at the end of the piece before.
        for before, text in pairwise(shown):
            if before.endswith("hindrance"):
                ends, _, amount = text[: text.rindex(")")].rpartition("),")
                if ends in sights:
                    found[sights[ends]] = LosVerdict(True, int(amount))
                continue
            ends, _, rest = text.partition('),"')
            verdict = told.get(rest) or self._read_off(rest)
            other = blocked.setdefault(ends, verdict)
            if verdict is not other and verdict[2:4] < other[2:4]:
                blocked[ends] = verdict
        for atom in control.symbolic_atoms.by_signature("unknown", 2):
            of, why = atom.symbol.arguments
            number = sights.get(",".join(map(str, of.arguments)))
            if number is not None:
                reasons = {*found.get(number, CLEAR).why, *self._doubts.behind(why)}
                found[number] = LosVerdict(None, why=tuple(sorted(reasons, key=str)))
        for ends, verdict in blocked.items():
            if ends in sights:
                found[sights[ends]] = verdict
        return found

    def _read_off(self, text: str) -> LosVerdict:
        """The verdict by the norm and the place of `B23.2-6",(2,3)),stopped`."""
        norm, _, place = text.partition('",')
        where = term_text(clingo.parse_term(place.rpartition(")")[0]))
        found = self._told[text] = LosVerdict(False, 0, norm, where)
        return found
