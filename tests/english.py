"""Plain English, counted: `python -m tests.english` measures each text of the project against its limit.

A hit of a pattern is a reason to look, so the patterns judge a text, not a sentence. The limits are in
tests/english.tsv: the share of hard sentences, the number of long sentences, of summaries with a fault, and
of runs of six words shared with the printed rules. A limit may only fall; `--lower` lowers each to what is
measured. The printed rules are not part of the project. They are read where they lie beside the checkout
(../shared/seeds, or `--seeds FOLDER`), and nothing of them is stored.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from functools import cache
from itertools import chain
from math import ceil
from pathlib import Path

import click

from rules_asp.cli.app import main as command_group
from rules_asp.knowledge.lint.norms import hard_patterns, sentences, summary_faults
from rules_asp.knowledge.reader import read_kb
from rules_asp.knowledge.rules import Norm

ROOT = Path(__file__).parent.parent
LIMITS = Path(__file__).with_suffix(".tsv")
SEEDS = ROOT.parent / "shared" / "seeds"
#: Words of a sentence in documents, help and messages; words of a run that is the printed text's.
LONGEST, RUN = 30, 6


@dataclass(frozen=True)
class Measured:
    """Counts for one text: percent of hard sentences, long sentences, faulty summaries, shared runs."""

    hard: int
    long: int
    faulty: int
    shared: int | None


@dataclass(frozen=True)
class Hit:
    """A place to look at: the text it is in, and what was found."""

    source: str
    what: str
    text: str


# --- The texts.


def _prose(markdown: str) -> str:
    """The sentences of a page: no code blocks, no tables, no headings; each list item by itself."""
    text = re.sub(r"^```.*?^```\s*$", "", markdown, flags=re.M | re.S)
    text = re.sub(r"^\s*(\|.*|#.*|<.*>)$", "", text, flags=re.M)
    text = re.sub(r"^\s*(?:[-*]|\d+\.) ", "\n\n", text, flags=re.M)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    return _capitalized(text).replace("`", "").replace("**", "")


def _capitalized(text: str) -> str:
    """A text with a capital letter in each name in code type that begins a sentence."""
    return re.sub(r"([.:?!]\s+)`([a-z-])", lambda found: f"{found[1]}X`{found[2]}", text)


def _paragraphs(text: str) -> Iterator[str]:
    for each in re.split(r"\n\s*\n", text):
        yield from sentences(each)


def _help(command: click.Command) -> Iterator[str]:
    """The help texts of a command, of its options, and of the commands below it."""
    yield from _paragraphs(_capitalized((command.help or "").replace("\b", "")))
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from _paragraphs(parameter.help or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            yield from _help(found) if found else ()


#: Calls whose texts are messages, though no `raise` stands before them.
_MESSAGES = frozenset(("Problem", "ValueMistake", "Fault", "QuestionError", "CommandError"))


def _messages(path: Path) -> Iterator[str]:
    """The messages of a module: the texts of what it raises; `...` in place of a value."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        called = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(called, ast.Call):
            continue
        name = called.func.id if isinstance(called.func, ast.Name) else ""
        if isinstance(node, ast.Raise) or name in _MESSAGES:
            for argument in called.args:
                if (text := _text(argument)) and " " in text:
                    yield from sentences(text)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each) or "..." for each in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return ""


@cache
def _norms() -> tuple[Norm, ...]:
    return tuple(norm for norm in read_kb().norms if not norm.house_rule)


def _group(norm: Norm) -> str:
    folder, _, name = norm.file.rpartition("/")
    return f"kb/{folder or name}"


def pages() -> tuple[Path, ...]:
    """The Markdown pages of the project."""
    found = chain(ROOT.glob("*.md"), *(ROOT.glob(f"{each}/**/*.md") for each in _PACKAGES))
    return tuple(sorted(found))


@cache
def texts() -> dict[str, tuple[str, ...]]:
    """The sentences of each text of the project, by its name."""
    found: dict[str, tuple[str, ...]] = {}
    for path in pages():
        found[path.relative_to(ROOT).as_posix()] = tuple(
            _paragraphs(_prose(path.read_text("utf-8")))
        )
    found["help"] = tuple(_help(command_group))
    modules = sorted(chain.from_iterable(ROOT.glob(f"{each}/**/*.py") for each in _PACKAGES))
    found["messages"] = tuple(dict.fromkeys(chain.from_iterable(map(_messages, modules))))
    for norm in _norms():
        parts = (norm.sense, norm.other_reading, norm.open_points)
        group = _group(norm)
        found[group] = (*found.get(group, ()), *chain.from_iterable(map(sentences, parts)))
    return found


_PACKAGES = ("kb", "parser", "rules_asp")

# --- What is measured.


def _words(text: str) -> list[str]:
    return re.findall(r"[\w+/½.-]*\w", text.casefold())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}


@cache
def printed_runs(folder: Path) -> frozenset[tuple[str, ...]] | None:
    """All runs of six words of the printed rules in this folder; None where it does not exist."""
    files = sorted(folder.glob("*.txt"))
    if not files:
        return None
    return frozenset(chain.from_iterable(_runs(each.read_text("utf-8")) for each in files))


def hits(seeds: Path = SEEDS) -> list[Hit]:
    """Every hard or long sentence, faulty summary, and sentence that shares a run with the seeds."""
    printed = printed_runs(seeds) or frozenset()
    found: list[Hit] = []
    for name, listed in texts().items():
        for each in listed:
            found += [Hit(name, f"hard ({which})", each) for which in hard_patterns(each)]
            if len(each.split()) > LONGEST:
                found.append(Hit(name, "long", each))
            if shared := _runs(each) & printed:
                found.append(Hit(name, f"shared ({' '.join(min(shared))})", each))
    for norm in _norms():
        found += [Hit(_group(norm), f"faulty: {norm.id}", fault) for fault in summary_faults(norm)]
    return found


def measured(seeds: Path = SEEDS) -> dict[str, Measured]:
    """The counts of each text."""
    counted = printed_runs(seeds) is not None
    by_source: dict[str, list[Hit]] = {name: [] for name in texts()}
    for hit in hits(seeds):
        by_source[hit.source].append(hit)
    found = {}
    for name, listed in by_source.items():
        hard = {each.text for each in listed if each.what.startswith("hard")}
        found[name] = Measured(
            ceil(100 * len(hard) / max(1, len(texts()[name]))),
            sum(each.what == "long" for each in listed),
            len({each.what for each in listed if each.what.startswith("faulty")}),
            sum(each.what.startswith("shared") for each in listed) if counted else None,
        )
    return found


# --- The limits.


#: What a text may have for which no limit is stored.
GOAL = Measured(10, 0, 0, 0)
_COLUMNS = ("hard", "long", "faulty", "shared")


def limits() -> dict[str, Measured]:
    """The stored limits."""
    rows = (line.split("\t") for line in LIMITS.read_text("utf-8").splitlines()[1:])
    return {name: Measured(*map(int, counts)) for name, *counts in rows}


def too_much(found: dict[str, Measured]) -> Iterator[str]:
    """Each count that is above its limit."""
    stored = limits()
    for name, counts in found.items():
        allowed = astuple(stored.get(name, GOAL))
        for column, count, limit in zip(_COLUMNS, astuple(counts), allowed, strict=True):
            if count is not None and count > limit:
                yield f"{name}: {column} {count}, at most {limit}"


def lower(found: dict[str, Measured]) -> None:
    """Store as limits what is measured, where that is less, but never less than the goal."""
    stored, rows = limits(), ["\t".join(("source", *_COLUMNS))]
    for name, counts in found.items():
        allowed = astuple(stored[name]) if name in stored else astuple(GOAL)
        least = (
            limit if count is None else max(goal, min(count, limit))
            for count, limit, goal in zip(astuple(counts), allowed, astuple(GOAL), strict=True)
        )
        rows.append("\t".join((name, *map(str, least))))
    LIMITS.write_text("\n".join(rows) + "\n", "utf-8")


def run(arguments: Iterable[str] | None = None) -> int:
    """Measure, print, and return 1 if a count is above its limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.english", description=__doc__)
    parser.add_argument("source", nargs="?", help="list the hits in this text")
    parser.add_argument("--seeds", type=Path, default=SEEDS, help="the folder of the printed rules")
    parser.add_argument("--lower", action="store_true", help="lower the limits to what is measured")
    given = parser.parse_args(None if arguments is None else list(arguments))
    if given.source:
        for hit in hits(given.seeds):
            if hit.source.startswith(given.source):
                print(f"{hit.source}  {hit.what}  {hit.text}")
        return 0
    found = measured(given.seeds)
    if printed_runs(given.seeds) is None:
        print(f"skipped: runs shared with the printed rules; {given.seeds} does not exist")
    if given.lower:
        lower(found)
    stored = limits()
    print(f"{'':32}{''.join(f'{each:>14}' for each in _COLUMNS)}")
    for name, counts in found.items():
        pairs = zip(astuple(counts), astuple(stored.get(name, GOAL)), strict=True)
        cells = (f"{'-' if count is None else count} of {limit}" for count, limit in pairs)
        print(
            f"{name:32}{''.join(f'{each:>14}' for each in cells)}  ({len(texts()[name])} sentences)"
        )
    faults = list(too_much(found))
    for each in faults:
        print(each)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(run())
