"""House rules: a folder of rules that are added to the shipped ones, read as data and never as a program.

A knowledge base is loaded with a folder or without; the variable RULES_ASP_RULES names the one that is
meant where nothing else is said. A folder holds `.lp` files and folders of them; what links out of it, or
is no text of a bearable size, is refused before anything is made of it.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rules_asp import RulesAspError
from rules_asp.runtime.limits import size_limit, too_large_message

#: Names the folder.
VARIABLE = "RULES_ASP_RULES"


class SourceError(RulesAspError):
    """The knowledge base itself is at fault: file, line and what is wrong."""


class RuleText(NamedTuple):
    """A file of rules, by the name that messages call it by, and what stands in it.

    The name of a file of one's own is a path that begins with a dot or is absolute; no other does.
    """

    name: str
    text: str


def default_house_rules_dir() -> Path | None:
    """The folder of rules that the user plays by where nothing else is said; None for the shipped rules."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else None


def set_default_house_rules_dir(folder: Path | str | None) -> None:
    """Play by this folder where nothing else is said, in this process and in those that it starts."""
    if folder is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = str(folder)


def read_house_rules(folder: Path | None) -> tuple[RuleText, ...]:
    """What stands in the files of a folder, if any; SourceError for one that cannot be read."""
    about = ((path, path.stat()) for path in rule_files(folder))
    return _read(tuple((path, each.st_mtime_ns, each.st_size) for path, each in about))


@lru_cache(maxsize=4)
def _read(files: tuple[tuple[Path, int, int], ...]) -> tuple[RuleText, ...]:
    return tuple(RuleText(rule_file(path), _text(path)) for path, _, _ in files)


def rule_file(path: Path) -> str:
    """What messages call a file of one's own."""
    return path.as_posix() if path.is_absolute() else f"./{path.as_posix()}"


def is_house_rule(name: str) -> bool:
    """Whether a file of rules, by its name, is one's own."""
    return name.startswith("./") or Path(name).is_absolute()


def rule_files(top: Path | None) -> tuple[Path, ...]:
    """The files of a folder by name, none without a folder; SourceError for a folder that is none."""
    if top is None:
        return ()
    if not top.is_dir():
        raise SourceError(f"{top}: folder not found")
    found: list[Path] = []
    size = 0
    for where, folders, names in os.walk(top):
        folders.sort()
        for name in (*folders, *names):
            path = Path(where, name)
            if path.is_symlink():
                raise SourceError(f"{path}: this is a link; rules must be in the folder itself")
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
        raise SourceError(f"{path}:{line}: not UTF-8 text") from None
