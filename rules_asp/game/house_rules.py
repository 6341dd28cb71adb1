"""The folder of one's own rules that are added to the shipped ones, read as data and never as a program.

Which folder it is, is a matter of the process and of those that it starts: `use_house_rules_dir`, or
the variable RULES_ASP_RULES. A folder holds `.lp` files and folders of them; what links out of it, or
is no text of a bearable size, is refused before anything is made of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from rules_asp import RulesAspError
from rules_asp.runtime.limits import size_limit, too_large_message

_T = TypeVar("_T")

#: Names the folder.
VARIABLE = "RULES_ASP_RULES"


class SourceError(RulesAspError):
    """The knowledge base itself is at fault: file, line and what is wrong."""


#: How often a folder was chosen: it may be another of the same name, or of the same files no more.
_chosen = 0


class RuleText(NamedTuple):
    """A file of rules, by the name that messages call it by, and what stands in it.

    The name of a file of one's own is a path that begins with a dot or is absolute; no other does.
    """

    name: str
    text: str


def house_rules_dir() -> Path | None:
    """The folder of one's own rules; None where one plays by the shipped ones alone."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else None


def use_house_rules_dir(rules: Path | str | None) -> None:
    """Add a folder of rules to the shipped ones from here on, or take it away again (None).

    What was loaded before keeps the rules that it was loaded with, though words may be missing.
    """
    global _chosen
    _chosen += 1
    if rules is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = str(rules)


def rule_texts() -> tuple[RuleText, ...]:
    """What stands in the files of the folder; SourceError for one that cannot be read."""
    return tuple(RuleText(rule_file(path), _text(path)) for path in rule_files())


def rule_file(path: Path) -> str:
    """What messages call a file of one's own."""
    return path.as_posix() if path.is_absolute() else f"./{path.as_posix()}"


def is_house_rule(name: str) -> bool:
    """Whether a file of rules, by its name, is one's own."""
    return name.startswith("./") or Path(name).is_absolute()


def rule_files() -> tuple[Path, ...]:
    """The files of the folder by name, none without a folder; SourceError for a folder that is none."""
    top = house_rules_dir()
    if top is None:
        return ()
    if not top.is_dir():
        raise SourceError(f"{top}: no folder of rules")
    found: list[Path] = []
    size = 0
    for where, folders, names in os.walk(top):
        folders.sort()
        for name in (*folders, *names):
            path = Path(where, name)
            if path.is_symlink():
                raise SourceError(f"{path}: a link; rules stand in the folder itself")
        found += [Path(where, name) for name in sorted(names) if name.endswith(".lp")]
        if len(found) > size_limit("rule-files"):
            raise SourceError(f"{top}: {too_large_message('rule-files')}")
    for path in found:
        size += path.stat().st_size if path.is_file() else size_limit("rules") + 1
        if size > size_limit("rules"):
            raise SourceError(f"{path}: with this file, {too_large_message('rules')}")
    if not found:
        raise SourceError(f"{top}: no rules in this folder: no file ends in .lp")
    return tuple(found)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(size_limit("rules") + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SourceError(f"{path}:{line}: no text in UTF-8") from None


class cached_per_rules(Generic[_T]):
    """What is made once, as with functools.cache, and anew for other rules that one plays by."""

    def __init__(self, made: Callable[[], _T]) -> None:
        self._made = made
        self._kept: dict[object, _T] = {}
        update_wrapper(self, made)

    def __call__(self) -> _T:
        """What was made, or is now."""
        rules = os.environ.get(VARIABLE), _chosen
        if rules not in self._kept:
            self._kept = {rules: self._made()}
        return self._kept[rules]

    def cache_clear(self) -> None:
        """Forget what was made."""
        self._kept.clear()
