"""All kinds of questions, by the name of each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rules_asp.queries.ask import AskQuestion, RangeQuestion
from rules_asp.queries.fire import FireQuestion, TemQuestion
from rules_asp.queries.fire_table import FirersQuestion, TargetsQuestion
from rules_asp.queries.legality import CanQuestion
from rules_asp.queries.los import LosQuestion
from rules_asp.queries.los_matrix import SeesQuestion
from rules_asp.queries.movement import MovesQuestion, ReachQuestion
from rules_asp.queries.question import Question
from rules_asp.queries.rolls import RollQuestion
from rules_asp.queries.rout import RoutQuestion
from rules_asp.queries.why import WhyQuestion

_KINDS: tuple[type[Question[Any]], ...] = (
    *(LosQuestion, RangeQuestion, SeesQuestion),
    *(TemQuestion, FireQuestion, FirersQuestion, TargetsQuestion),
    *(MovesQuestion, ReachQuestion, RoutQuestion),
    *(CanQuestion, RollQuestion, AskQuestion, WhyQuestion),
)
#: The kinds of questions by name, in the order in which help lists them.
QUESTIONS: Mapping[str, type[Question[Any]]] = MappingProxyType(
    {each.kind: each for each in _KINDS}
)
