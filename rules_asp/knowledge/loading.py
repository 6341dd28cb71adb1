"""The knowledge base from its files, ready to run: the shipped one with one's own rules, kept between runs.

What is shipped is checked by the tests; one's own rules are checked on the way in.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import clingo

from rules_asp.game import house_rules
from rules_asp.game.house_rules import SourceError
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.dependencies import Trigger
from rules_asp.knowledge.lint.run import lint_house_rules
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
from rules_asp.knowledge.terms import NODES
from rules_asp.runtime import cache


class _Now(NamedTuple):
    """When each file of a knowledge base was last written, and its size; the folder of one's own rules."""

    added: Path | None
    files: tuple[tuple[int, int], ...]


#: So many faults of one's own rules are told at once.
_TOLD = 20


def use_house_rules(folder: str | Path | None) -> None:
    """Add a folder of rules of one's own to the shipped ones, for this process; None takes it away again.

    Boards must be loaded anew. SourceError tells what is wrong with the rules, which are then not added.
    """
    before = house_rules.house_rules_dir()
    house_rules.use_house_rules_dir(folder)
    try:
        load_program()
    except BaseException:
        house_rules.use_house_rules_dir(before)
        raise


def load_program(folder: Path | None = None) -> Program:
    """The shipped knowledge base (or the one in `folder`), ready to run; the same while its files are.

    To the shipped one come the rules that one plays by (rules_asp.game.house_rules), a norm of which
    takes the place of a shipped one of the same id: SourceError tells what is wrong with them.
    """
    return _loaded(folder, _files_now(folder, house_rules.house_rules_dir()))


def program_sources(folder: Path | None = None) -> tuple[bytes, ...]:
    """All that such a program is made from: two of the same sources are alike."""
    return _sources(folder, _files_now(folder, house_rules.house_rules_dir()))


def _files_now(folder: Path | None, added: Path | None) -> _Now:
    own = house_rules.rule_files() if folder is None and added else ()
    about = (path.stat() for path in (*kb_files(folder or kb_folder()), *own))
    files = tuple((each.st_mtime_ns, each.st_size) for each in about)
    return _Now(added if folder is None else None, files)


@lru_cache(maxsize=2)
def _sources(folder: Path | None, now: _Now) -> tuple[bytes, ...]:
    texts = [part.encode() for text in kb_texts(folder, alone=not now.added) for part in text]
    return (*texts, clingo.__version__.encode(), *cache.source_fingerprint("knowledge", "game"))


#: What a program is made of.
_CLASSES = (Program, KnowledgeBase, Rule, Signature, Norm, Trigger, *NODES)


@lru_cache(maxsize=3)
def _loaded(folder: Path | None, now: _Now) -> Program:
    def made() -> Program:
        if now.added is None:
            return build(with_files(KnowledgeBase((), ()), kb_texts(folder, alone=True)))
        return _with_own_rules()

    return cache.memoize_on_disk("program", _sources(folder, now), made, Program, _CLASSES)


def with_house_rules(folder: Path) -> Program:
    """The shipped rules with those of a folder, as if one played by it.

    SourceError tells what is amiss in the folder. It is not what one plays by from here on.
    """
    before = house_rules.house_rules_dir()
    house_rules.use_house_rules_dir(folder)
    try:
        return _with_own_rules()
    finally:
        house_rules.use_house_rules_dir(before)


def _with_own_rules() -> Program:
    """The shipped rules with one's own, whose norms take the place of shipped ones of the same id."""
    texts = house_rules.rule_texts()
    ids = {norm.id for text in texts for norm in read_rules(*reversed(text))[1]}
    shipped = _loaded(None, _files_now(None, None)).source
    rules = (each for each in shipped.rules if not _said_by(each, ids))
    norms = (each for each in shipped.norms if each.id not in ids)
    source = with_files(KnowledgeBase(tuple(rules), tuple(norms)), texts)
    _refuse(source)
    return build(source)


def _said_by(rule: Rule, norms: Collection[str]) -> bool:
    """Whether a rule is what one of these norms says; what only helps it stays, others may read it."""
    return rule.norm in norms and bool(rule.ids) and rule.ids[0] in norms


def _refuse(source: KnowledgeBase) -> None:
    """SourceError with the faults of one's own rules, if there are any."""
    check_declarations(source.rules)
    vocabulary()  # what is declared in another form than is read is told first
    comments = (
        each for text in house_rules.rule_texts() for each in comments_of(text.text, text.name)
    )
    faults = lint_house_rules(source, comments)
    if faults:
        more = len(faults) - _TOLD
        told = [str(fault) for fault in faults[:_TOLD]] + [f"and {more} more"] * (more > 0)
        raise SourceError("\n".join(told))
