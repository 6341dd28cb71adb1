"""The knowledge base from its files, ready to run: the shipped one with one's own rules, kept between runs.

What is shipped is checked by the tests; one's own rules are checked on the way in.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import clingo

from rules_asp.game import house_rules
from rules_asp.game.house_rules import RuleText, SourceError
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.calculus import ProofChoice, calculus_texts
from rules_asp.knowledge.dependencies import Trigger
from rules_asp.knowledge.program import Program, build
from rules_asp.knowledge.reader import (
    check_declarations,
    comments_of,
    kb_files,
    kb_folder,
    kb_texts,
    read_rules,
    with_files,
)
from rules_asp.knowledge.rules import KnowledgeBase, Norm, Rule, Signature
from rules_asp.knowledge.stored_program import KEPT_CLASSES, KeptProgram, StoredProgram, keep
from rules_asp.knowledge.terms import NODES
from rules_asp.runtime import cache as disk


class _Now(NamedTuple):
    """When each file of a knowledge base was last written, and its size; the folder of house rules."""

    house_rules: Path | None
    files: tuple[tuple[int, int], ...]


#: So many faults of one's own rules are told at once.
_TOLD = 20


def use_house_rules(folder: str | Path | None) -> None:
    """Add a folder of rules of one's own to the shipped ones, for this process; None takes it away again.

    Boards must be loaded anew. SourceError tells what is wrong with the rules, which are then not added.
    """
    with_house_rules(None if folder is None else Path(folder))
    house_rules.set_default_house_rules_dir(folder)


def load_program(folder: Path | None = None) -> Program:
    """The shipped knowledge base (or the one in `folder`), ready to run; the same while its files are.

    To the shipped one come the rules that one plays by (rules_asp.game.house_rules), a norm of which
    takes the place of a shipped one of the same id: SourceError tells what is wrong with them.
    """
    own = house_rules.default_house_rules_dir() if folder is None else None
    return _loaded(folder, _files_now(folder, own))


def with_house_rules(folder: Path | None) -> Program:
    """The shipped rules with those of a folder; SourceError tells what is amiss in it."""
    return _loaded(None, _files_now(None, folder))


def program_sources(folder: Path | None = None) -> tuple[bytes, ...]:
    """All that the program is made from by which one plays: two of the same sources are alike."""
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


#: What a program is made of.
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
    """The shipped rules with one's own, whose norms take the place of shipped ones of the same id."""
    ids = {norm.id for text in texts for norm in read_rules(*reversed(text))[1]}
    shipped = with_house_rules(None).source
    rules = (each for each in shipped.rules if not _said_by(each, ids))
    norms = (each for each in shipped.norms if each.id not in ids)
    source = with_files(KnowledgeBase(tuple(rules), tuple(norms)), texts)
    _refuse(source, texts)
    return build(source, texts)


def _said_by(rule: Rule, norms: Collection[str]) -> bool:
    """Whether a rule is what one of these norms says; what only helps it stays, others may read it."""
    return rule.norm in norms and bool(rule.ids) and rule.ids[0] in norms


def _refuse(source: KnowledgeBase, texts: tuple[RuleText, ...]) -> None:
    """SourceError with the faults of one's own rules, if there are any."""
    from rules_asp.knowledge.lint.run import lint_house_rules

    check_declarations(source.rules)
    vocabulary(texts)  # what is declared in another form than is read is told first
    comments = (each for text in texts for each in comments_of(text.text, text.name))
    faults = lint_house_rules(source, comments)
    if faults:
        more = len(faults) - _TOLD
        told = [str(fault) for fault in faults[:_TOLD]] + [f"and {more} more"] * (more > 0)
        raise SourceError("\n".join(told))
