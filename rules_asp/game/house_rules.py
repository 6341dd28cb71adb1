"""House rules: a folder of rules added to the shipped ones, read as data and never as a program.

A knowledge base is loaded with or without such a folder. The variable RULES_ASP_RULES names the
default folder. A folder holds `.lp` files and folders with such files. Links that lead out of it,
files that are not text and files that are too large are refused before they are parsed.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rules_asp import RulesAspError
from rules_asp.runtime.limits import size_limit, too_large_message

#: The environment variable that names the folder.
VARIABLE = "RULES_ASP_RULES"


class SourceError(RulesAspError):
    """An error in the knowledge base itself: file, line and reason."""


class RuleText(NamedTuple):
    """A file of rules: its name in messages, and its text.

    The name of a house rule file is a path that is absolute or begins with a dot; no shipped file
    has such a name.
    """

    name: str
    text: str


def default_house_rules_dir() -> Path | None:
    """Return the default folder of house rules; None for the shipped rules only."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else None


def set_default_house_rules_dir(folder: Path | str | None) -> None:
    """Set the default folder of house rules, for this process and the processes it starts."""
    if folder is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = str(folder)


def read_house_rules(folder: Path | None) -> tuple[RuleText, ...]:
    """Read the files of a folder, if given; SourceError for a file that cannot be read."""
    about = ((path, path.stat()) for path in rule_files(folder))
    return _read(tuple((path, each.st_mtime_ns, each.st_size) for path, each in about))


@lru_cache(maxsize=4)
def _read(files: tuple[tuple[Path, int, int], ...]) -> tuple[RuleText, ...]:
    texts = tuple(RuleText(rule_file(path), _text(path)) for path, _, _ in files)
    for each in texts:
        reject_non_rules(each.text, each.name)
    return texts


def rule_file(path: Path) -> str:
    """Return the name of a house rule file in messages."""
    return path.as_posix() if path.is_absolute() else f"./{path.as_posix()}"


def is_house_rule(name: str) -> bool:
    """Return whether a file of rules is a house rule file, judged by its name."""
    return name.startswith("./") or Path(name).is_absolute()


def rule_files(top: Path | None) -> tuple[Path, ...]:
    """List the files of a folder by name, none without a folder; SourceError for a file."""
    if top is None:
        return ()
    if not top.is_dir():
        raise SourceError(f"the folder {top} does not exist")
    found: list[Path] = []
    size = 0
    for where, folders, names in os.walk(top):
        folders.sort()
        for name in (*folders, *names):
            path = Path(where, name)
            if path.is_symlink():
                raise SourceError(
                    f"{path} is a symbolic link: copy the rules into the folder itself"
                )
        found += [Path(where, name) for name in sorted(names) if name.endswith(".lp")]
        if len(found) > size_limit("rule-files"):
            raise SourceError(f"{top}: {too_large_message('rule-files')}")
    for path in found:
        size += path.stat().st_size if path.is_file() else size_limit("rules") + 1
        if size > size_limit("rules"):
            raise SourceError(f"{path}: the rule files are too large: {too_large_message('rules')}")
    if not found:
        raise SourceError(f"the folder {top} has no rules: no file name ends in .lp")
    return tuple(found)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(size_limit("rules") + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SourceError(f"{path}:{line}: the file is not UTF-8 text") from None


# --- The check that a text is rules and nothing else, before clingo parses it.


#: The words with a # that are part of rules; all others are directives for a clingo run.
_IN_RULES = frozenset(
    (
        "#defined",
        "#count",
        "#sum",
        "#sum+",
        "#min",
        "#max",
        "#true",
        "#false",
        "#inf",
        "#sup",
        "#program",
    )
)
_PIECE = re.compile(
    r"""
      (?P<block>%\*)                        # a comment that may hold others
    | (?P<comment>%[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\[\\"n])*+")
    | (?P<quote>")
    | (?P<directive>\#\s*[a-z_]*(?:\+(?=\s*\{))?)
    | (?P<call>@)
    | (?P<theory>&)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<dots>\.\.)
    | (?P<end>\.)
    | (?P<plain>(?:(?![%"\#@&()\[\]{}.])[\t\n\r\ -~])+)
    | (?P<strange>.)                      # clingo ends the process when it is to tell of it
    """,
    re.VERBOSE | re.DOTALL,
)
_REFUSED = {
    "call": "calls an external function",
    "theory": "begins a theory atom",
    "strange": "may only be in strings and comments",
}
_ONLY = "a rule file may contain only rules"
_IN_BLOCK = re.compile(r"%\*|\*%")


class NotOnlyRules(Exception):
    """A text that contains more than rules: the line, and the text found there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def check_only_rules(text: str) -> None:
    """Raise NotOnlyRules at the first text that is not a rule, or is too long or too deep.

    The check refuses includes, scripts, external functions and everything else that clingo would
    execute.
    """
    end, length, depth = 0, 0, 0
    deepest, longest = size_limit("brackets"), size_limit("rule")
    if "\0" in text:
        raise _at(
            text, text.index("\0"), "the file has a NUL character, which rules cannot contain"
        )
    while found := _PIECE.match(text, end):
        start, end = found.span()
        kind = found.lastgroup
        length += end - start if kind not in ("block", "comment") else 0
        if kind == "block":
            end = _after_block(text, start)
        elif kind == "quote":
            raise _at(text, start, "a string has no closing quotation mark")
        elif kind == "directive":
            word = re.sub(r"\s", "", found[0])
            if word not in _IN_RULES:
                raise _at(text, start, f"{word} is not allowed in rules; {_ONLY}")
        elif kind in _REFUSED:
            raise _at(text, start, f"{found[0]!a} {_REFUSED[kind]}; {_ONLY}")
        elif kind == "open":
            depth += 1
            if depth > deepest:
                raise _at(text, start, too_large_message("brackets"))
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "end":
            length, depth = 0, 0
        if length > longest:
            raise _at(text, start, too_large_message("rule"))


def _after_block(text: str, start: int) -> int:
    """Return the end of a comment between %* and *%, including nested ones."""
    depth, end = 0, start
    while found := _IN_BLOCK.search(text, end):
        end = found.end()
        depth += 1 if found[0] == "%*" else -1
        if depth == 0:
            return end
    raise _at(text, start, "the comment that begins with %* has no end: add *%")


def _at(text: str, place: int, message: str) -> NotOnlyRules:
    return NotOnlyRules(text.count("\n", 0, place) + 1, message)


def reject_non_rules(text: str, name: str) -> None:
    """Raise SourceError for text that clingo would execute on reading, or that could exhaust it."""
    try:
        check_only_rules(text)
    except NotOnlyRules as error:
        raise SourceError(f"{name}:{error.line}: {error.message}") from None
