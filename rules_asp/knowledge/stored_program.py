"""A stored program, whose rules are parsed only on access."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rules_asp.game.house_rules import RuleText
from rules_asp.knowledge.calculus import ProofChoice
from rules_asp.knowledge.dependencies import Trigger
from rules_asp.knowledge.program import LISTS, Program
from rules_asp.knowledge.rule_table import RuleTable, StoredRules, TextIndex
from rules_asp.knowledge.rules import KnowledgeBase, Norm, Rule, Signature
from rules_asp.knowledge.support import SupportIndex, SupportRules


@dataclass(frozen=True)
class KeptProgram:
    """A stored program without its rules; `written` are the source rules as text."""

    norms: tuple[Norm, ...]
    proof_choice: ProofChoice
    house_rules: tuple[RuleText, ...]
    declared: Mapping[str, tuple[Signature, ...]]
    table: RuleTable
    supports: SupportIndex
    written: str


#: The classes of its values.
KEPT_CLASSES = (
    KeptProgram,
    Norm,
    ProofChoice,
    RuleText,
    Signature,
    RuleTable,
    SupportIndex,
    TextIndex,
)


def keep(program: Program) -> KeptProgram:
    """Return a program without its rules, for storage."""
    return KeptProgram(
        program.source.norms,
        program.proof_choice,
        program.house_rules,
        {name: tuple(program.declared(name)) for name in LISTS},
        program.table,
        program.twins.index,
        StoredRules.text_of(program.source.rules),
    )


class StoredProgram(Program):
    """A program whose rules are read with `whole` on access."""

    def __init__(self, kept: KeptProgram, whole: Callable[[], Program]) -> None:
        # The class is frozen; inherited fields are properties or have their defaults.
        vars(self).update(
            _kept=kept,
            _read=whole,
            proof_choice=kept.proof_choice,
            house_rules=kept.house_rules,
            notes=None,
            table=kept.table,
            norms={norm.id: norm for norm in kept.norms},
            _cones={},
            _statics={},
            _renewals={},
            _fitted={},
        )

    _kept: KeptProgram
    _read: Callable[[], Program]

    @cached_property
    def _whole(self) -> Program:
        return self._read()

    @property
    def source(self) -> KnowledgeBase:
        """The knowledge base as written."""
        return self._whole.source

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules."""
        return self._whole.rules

    @property
    def static_rules(self) -> tuple[Rule, ...]:
        """The rules of the static program."""
        return self._whole.static_rules

    @property
    def question_rules(self) -> tuple[Rule, ...]:
        """The rules of the query program."""
        return self._whole.question_rules

    @property
    def occasions(self) -> Mapping[str, Trigger]:
        """The trigger of each rule, by its text."""
        return self._whole.occasions

    def declared(self, declaration: str) -> Sequence[Signature]:
        """The predicates that kb/ declares by such facts."""
        return self._kept.declared[declaration]

    @cached_property
    def twins(self) -> SupportRules:
        """The support rules of proofs, one for each rule as written."""
        return SupportRules(StoredRules(self._kept.written), self._kept.supports)
