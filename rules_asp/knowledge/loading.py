"""Loading of the knowledge base from its files, with house rules, cached between runs.

The rules of a cached program are parsed only on access.

Tests check the included rules; house rules are checked when they are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import clingo

from rules_asp.game import house_rules
from rules_asp.game.house_rules import RuleText, SourceError
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.calculus import ProofChoice, calculus_texts
from rules_asp.knowledge.dependencies import Trigger
from rules_asp.knowledge.program import LISTS, Program, Recent, build
from rules_asp.knowledge.reader import (
    check_declarations,
    comments_of,
    kb_files,
    kb_folder,
    kb_texts,
    read_rules,
    with_files,
)
from rules_asp.knowledge.rule_table import RuleTable, StoredRules, TextIndex
from rules_asp.knowledge.rules import KnowledgeBase, Norm, Rule, Signature
from rules_asp.knowledge.support import SupportIndex, SupportRules
from rules_asp.knowledge.terms import NODES
from rules_asp.runtime import cache as disk


class _Now(NamedTuple):
    """The state of a knowledge base: modification time and size of each file, and the house rules
    folder."""

    house_rules: Path | None
    files: tuple[tuple[int, int], ...]


#: Maximum number of reported faults of house rules.
_TOLD = 20


def use_house_rules(folder: str | Path | None) -> None:
    """Add a folder of house rules to the included rules, for this process; None removes it.

    Boards must be loaded again. SourceError for faulty rules, which are not added.
    """
    with_house_rules(None if folder is None else Path(folder))
    house_rules.set_default_house_rules_dir(folder)


def load_program(folder: Path | None = None) -> Program:
    """Return the included knowledge base (or that in `folder`), ready to run; cached while files
    stay the same.

    House rules (rules_asp.game.house_rules) are added to the included one; their norms replace
    included norms of the same id. SourceError for faulty house rules.
    """
    own = house_rules.default_house_rules_dir() if folder is None else None
    return _loaded(folder, _files_now(folder, own))


def with_house_rules(folder: Path | None) -> Program:
    """Return the included rules with those of a folder; SourceError for faulty rules."""
    return _loaded(None, _files_now(None, folder))


def program_sources(folder: Path | None = None) -> tuple[bytes, ...]:
    """Return the sources of the current program; programs with equal sources are equal."""
    own = house_rules.default_house_rules_dir() if folder is None else None
    return _sources(folder, _files_now(folder, own))


def _files_now(folder: Path | None, own: Path | None) -> _Now:
    paths = (*kb_files(folder or kb_folder()), *house_rules.rule_files(own))
    about = (path.stat() for path in paths)
    return _Now(own, tuple((each.st_mtime_ns, each.st_size) for each in about))


@lru_cache(maxsize=2)
def _sources(folder: Path | None, now: _Now) -> tuple[bytes, ...]:
    texts = (*kb_texts(folder), *house_rules.read_house_rules(now.house_rules))
    parts = (part.encode() for text in (*texts, calculus_texts()) for part in text)
    return (*parts, clingo.__version__.encode(), *disk.source_fingerprint("knowledge", "game"))


#: The classes of a stored program.
_CLASSES = (Program, ProofChoice, KnowledgeBase, Rule, Signature, Norm, Trigger, RuleText, *NODES)


@lru_cache(maxsize=3)
def _loaded(folder: Path | None, now: _Now) -> Program:
    @cache
    def whole() -> Program:
        if now.house_rules is None:
            return build(with_files(KnowledgeBase((), ()), kb_texts(folder)))
        return _with_own_rules(house_rules.read_house_rules(now.house_rules))

    if disk.cache_dir() is None:
        return whole()
    sources = _sources(folder, now)
    read = partial(disk.memoize_on_disk, "rules", sources, whole, Program, _CLASSES)
    kept = disk.memoize_on_disk("program", sources, lambda: keep(read()), KeptProgram, KEPT_CLASSES)
    return StoredProgram(kept, cache(read))


def _with_own_rules(texts: tuple[RuleText, ...]) -> Program:
    """Return the included rules with house rules, whose norms replace included norms of the same
    id."""
    ids = {norm.id for text in texts for norm in read_rules(*reversed(text))[1]}
    shipped = with_house_rules(None).source
    rules = (each for each in shipped.rules if not _is_assertion_of(each, ids))
    norms = (each for each in shipped.norms if each.id not in ids)
    source = with_files(KnowledgeBase(tuple(rules), tuple(norms)), texts)
    _refuse(source, texts)
    return build(source, texts)


def _is_assertion_of(rule: Rule, norms: Collection[str]) -> bool:
    """Test whether a rule is an assertion of one of these norms; helper rules stay, since others
    may read them."""
    return rule.norm in norms and bool(rule.ids) and rule.ids[0] in norms


def _refuse(source: KnowledgeBase, texts: tuple[RuleText, ...]) -> None:
    """Raise SourceError with the faults of house rules, if there are any."""
    from rules_asp.knowledge.lint.run import lint_house_rules

    check_declarations(source.rules)
    vocabulary(texts)  # A malformed declaration is reported first.
    comments = (each for text in texts for each in comments_of(text.text, text.name))
    faults = lint_house_rules(source, comments)
    if faults:
        more = len(faults) - _TOLD
        told = [str(fault) for fault in faults[:_TOLD]] + [f"and {more} more"] * (more > 0)
        raise SourceError("\n".join(told))


@dataclass(frozen=True)
class KeptProgram:
    """A stored program without its rules; `written` are the source rules as text."""

    norms: tuple[Norm, ...]
    proof_choice: ProofChoice
    house_rules: tuple[RuleText, ...]
    declared: Mapping[str, tuple[Signature, ...]]
    digest: str
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
        program.digest,
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
            digest=kept.digest,
            table=kept.table,
            norms={norm.id: norm for norm in kept.norms},
            _cones=Recent(),
            _statics=Recent(),
            _renewals=Recent(),
            _fitted=Recent(),
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
