"""`lab impact`: what a change of the rules affects.

The dependency graph of the rules gives the norms, the topics and the boards that can be affected.
The `expect` lines of boards and the comparison of `lab diff` show which answers really change.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rich.console import Console
from rich.text import Text

from rules_asp.cases.coverage import alike
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import by_body
from rules_asp.knowledge.rules import SIGHT, WRITTEN_ONCE, Norm, Rule, Signature
from rules_asp.knowledge.terms import strings
from rules_asp.lab.diff import ChangedExpectation, ChangedExpectations, Difference
from rules_asp.lab.goals import kind_text
from rules_asp.lab.precedence import Rank, ranks_of
from rules_asp.lab.report import SearchReport
from rules_asp.lab.result_text import indented, progress_text
from rules_asp.lab.rulesets import UNTOPICAL, RuleSet, changed_rules
from rules_asp.output.console import NORM, shows_all
from rules_asp.parser.source_text import lines_of, split_statements

_T = TypeVar("_T")

# --- What the dependency graph gives.


@dataclass(frozen=True)
class NormChange:
    """A norm that differs between two rule sets.

    how: `removed` or `added` (only one side has rules of it in force), `changed` (both have rules,
    and they differ), `summary` (only its summary or its marks differ).
    """

    norm: str
    how: str
    sense: str


class NamedLines(NamedTuple):
    """The lines of a board file that ask about affected topics."""

    file: Path
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Impact:
    """The consequences of a change by dependency, without a search.

    - changes: the norms that differ. helpers: changed rules without a norm, each with its place.
    - ranks: the precedence that is new or gone.
    - norms, topics: the norms that read the change, and the kinds of questions that depend on it,
      each with its distance in rules.
    """

    names: tuple[str, str]
    changes: tuple[NormChange, ...]
    helpers: tuple[str, ...]
    ranks: tuple[tuple[str, Rank], ...]
    norms: Mapping[str, int]
    topics: Mapping[str, int]
    #: The rule numbers of the norms that the changed rules name.
    paragraphs: frozenset[str] = frozenset()

    @property
    def is_text_only(self) -> bool:
        """True if no logic rule differs, so that no consequence changes."""
        return not self.helpers and not self.norms and not self.topics

    def asking(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the `expect` lines of a board that ask about affected topics, each with its
        distance."""
        for piece in split_statements(lines_of(text)):
            if piece.text.lstrip().startswith("expect"):
                named = (self.words.get(word) for word in _WORD.findall(piece.text))
                known = [each for each in named if each is not None]
                if known:
                    yield piece.line, min(known)

    @cached_property
    def words(self) -> Mapping[str, int]:
        """The words of `expect` lines that ask about affected topics."""
        found = dict(self.topics)
        for name, distance in self.topics.items():
            for word in _ASKING.get(name, ("can", "cost") if name in self._deeds else ()):
                found[word] = min(distance, found.get(word, distance))
        return found

    @cached_property
    def _deeds(self) -> Collection[str]:
        return {n for n, form in default_vocabulary().forms.items() if form.kind == "deed"}

    def likely_first(self, files: Iterable[Path]) -> list[Path]:
        """Return board files, those that probably show the change first."""
        named_ = [re.compile(rf"\b{re.escape(each)}\b") for each in self.paragraphs]

        def order(path: Path) -> tuple[bool, int, float, Path]:
            text = path.read_text("utf-8")
            named = any(each.search(text) for each in named_)
            near = max((alike(path.stem, each) for each in self.paragraphs), default=0)
            distance = min((distance for _, distance in self.asking(text)), default=inf)
            return not named, -near, distance, path

        return sorted(files, key=order)

    def examples(self, files: Iterable[Path]) -> tuple[NamedLines, ...]:
        """Return the board files with lines that ask about affected topics."""
        found = ((path, self.asking(path.read_text("utf-8"))) for path in files)
        listed = (NamedLines(path, tuple(line for line, _ in lines)) for path, lines in found)
        return tuple(each for each in listed if each.lines)


_WORD = re.compile(r"[a-z][a-z0-9_]*")
#: The words of `expect` lines that ask about an LOS.
_ASKING = {SIGHT[0]: ("los", "sees", "hindrance", "blocked")}


def best_first(topics: Mapping[str, int], found: Iterable[Difference]) -> list[Difference]:
    """Return differences, the most telling first.

    Those of topics near the change come first; then those with two known answers, and those on
    small boards.
    """

    def order(each: Difference) -> tuple[float, bool, int, str]:
        name = each.topic.partition("(")[0]
        size = sum(len(board.plain) for board in each.boards or ())
        distance = topics.get(SIGHT[0] if name == "hindrance" else name, inf)
        return distance, each.way == "known", size or 10_000, each.topic

    return sorted(found, key=order)


def impact_of(one: RuleSet, other: RuleSet) -> Impact:
    """Return what the dependency graph says about the change from one rule set to another."""
    mine, theirs = changed_rules(one, other)
    changed = [*mine, *theirs]
    norms, topics = _reached(one, other, changed)
    changes = tuple(_changes(one, other, mine, theirs))
    for each in changes:
        norms.pop(each.norm, None)
    helpers = tuple(
        f"{rule.heads[0].name} ({rule.file}:{rule.line})"
        for rule in changed
        if rule.norm is None and rule.heads
    )
    before, after = map(_ranks, (one, other))
    ranks = [("gone", rank) for rank in sorted(before - after)]
    ranks += [("new", rank) for rank in sorted(after - before)]
    named = {norm for rule in changed for norm in (rule.norm, *strings(rule.top, rule.literals))}
    known = {**one.program.norms, **other.program.norms}
    numbers = frozenset(known[each].paragraph for each in named if each in known)
    names = (one.name, other.name)
    return Impact(names, changes, helpers, tuple(ranks), norms, topics, numbers)


def _ranks(side: RuleSet) -> set[Rank]:
    """Return the stated precedence in force; that over general permissions follows from norms."""
    found = ranks_of(side.program).ranks
    return {each for each in found if each.how != "yields" and each.by not in side.without}


def with_sections(one: RuleSet, other: RuleSet) -> tuple[RuleSet, RuleSet]:
    """Return both with the sections in force that a change of the rules is about.

    If the two have different sections in force, these are the change, and nothing is added.
    """
    if one.sections != other.sections:
        return one, other
    known = one.program.vocabulary.words["section"]
    needed: dict[str, None] = dict.fromkeys(one.sections)
    for side, rules in zip((one, other), changed_rules(one, other), strict=True):
        norms = one.program.norms
        folders: dict[Signature, set[str]] = {}
        for rule in side.program.source.rules:
            for node in rule.heads:
                folders.setdefault(node, set()).add(_folder(rule.file))
        for rule in rules:
            named = {*strings(rule.top, rule.literals), rule.norm or ""}
            files = [rule.file, *(norms[each].file for each in sorted(named) if each in norms)]
            # A helper of one section only puts this section in force.
            sources = (folders.get(node, set()) for node in rule.body)
            used = [*map(_folder, files), *(min(each) for each in sources if len(each) == 1)]
            needed |= dict.fromkeys(each for each in used if each in known)
    sections = tuple(needed)
    return replace(one, sections=sections), replace(other, sections=sections)


def _folder(file: str) -> str:
    return file.partition("/")[0]


def _changes(
    one: RuleSet, other: RuleSet, mine: list[Rule], theirs: list[Rule]
) -> Iterator[NormChange]:
    gone, new = ({rule.norm for rule in rules} for rules in (mine, theirs))
    ruled = [
        {
            rule.norm
            for rule in side.program.source.rules
            if rule.norm not in {*side.without, *side.lacking}
            and (one.sections == other.sections or side.applies(rule))
        }
        for side in (one, other)
    ]
    known: Mapping[str, Norm] = {**one.program.norms, **other.program.norms}
    for name, norm in known.items():
        before, after = (side.program.norms.get(name) for side in (one, other))
        if name in gone | new:
            how = "changed"
            if name not in ruled[0]:
                how = "added"
            elif name not in ruled[1]:
                how = "removed"
            yield NormChange(name, how, norm.sense)
        elif before is None or after is None or _tag(before) != _tag(after):
            yield NormChange(name, "summary", norm.sense)


def _tag(norm: Norm) -> tuple[object, ...]:
    """Return the fields and the marks of a tag."""
    return norm.fields, norm.assumed, norm.descriptive, norm.marked, norm.less_sure


# --- The closure of the dependency graph, with the number of rules on the way.


def _reached(
    one: RuleSet, other: RuleSet, changed: Iterable[Rule]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the norms that read changed nodes, and the topics that depend on them."""
    rules = {rule.text: rule for side in (one, other) for rule in side.program.rules}
    reading = by_body(rules.values())
    speaking: dict[str, list[Rule]] = {}
    for rule in rules.values():
        if rule.norm:
            speaking.setdefault(rule.norm, []).append(rule)
    start: dict[Signature, None] = {}
    for rule in changed:
        if any(head.name in UNTOPICAL for head in rule.heads):
            ranked = (each for norm in strings(rule.top) for each in speaking.get(norm, ()))
            start |= dict.fromkeys(head for each in ranked for head in each.heads)
        else:
            start |= dict.fromkeys(rule.heads)
    found = {node: 0 for node in start if node.name not in UNTOPICAL}
    norms: dict[str, int] = {}
    todo = deque(found)
    while todo:
        node = todo.popleft()
        for rule in reading.get(node, ()):
            # Steps of the calculus cost nothing.
            free = rule.file in WRITTEN_ONCE
            step = found[node] + (not free)
            if rule.norm:
                norms[rule.norm] = min(step, norms.get(rule.norm, step))
            for head in rule.heads:
                if head.name not in UNTOPICAL and step < found.get(head, step + 1):
                    found[head] = step
                    (todo.appendleft if free else todo.append)(head)
    topics: dict[str, int] = {}
    kinds = {*one.program.vocabulary.topics, *other.program.vocabulary.topics}
    kinds |= {*one.program.vocabulary.forms, SIGHT[0]}
    for node, distance in found.items():
        if node.topic is not None and node.topic[0] in kinds and node.name in calculus().results:
            topics[node.topic[0]] = min(distance, topics.get(node.topic[0], distance))
    return _nearest(norms), _nearest(topics)


def _nearest(found: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(found.items(), key=lambda each: (each[1], each[0])))


def record(found: Impact, examples: Iterable[NamedLines]) -> dict[str, Any]:
    """Return the consequences by dependency as JSON."""
    return {
        "changes": [vars(each) for each in found.changes],
        "helpers": list(found.helpers),
        "precedence": [{"how_changed": how, **rank.record} for how, rank in found.ranks],
        "norms": dict(found.norms),
        "topics": dict(found.topics),
        "consequences": not found.is_text_only,
        "examples": [{"file": str(each.file), "lines": list(each.lines)} for each in examples],
    }


# --- The report as text, part by part, so that the first results appear at once.


#: The words for each way in which a norm differs.
_HOW = {
    "removed": "only in {0}",
    "added": "only in {1}",
    "changed": "changed",
    "summary": "only its text changed",
}
#: Number of items listed without --all: norms and questions, boards with cases, full boards, lines.
_NAMES, _FILES, _BOARDS, _LINES = 8, 3, 2, 8
#: Number of cases shown without --all.
CASES = 6


def dependency_text(out: Console, found: Impact, examples: Sequence[NamedLines]) -> None:
    """Print the changed norms, and what can be affected by dependency."""
    if not found.changes and found.is_text_only:
        out.print(Text("The two sets of rules are the same.", "bold"))
        return
    out.print(Text(f"Changes from {found.names[0]} to {found.names[1]}", "bold"))
    for each in _first(out, found.changes, _LINES):
        how = _HOW[each.how].format(*found.names)
        out.print(Text(f"  {each.norm}", NORM) + Text(f"  ({how})  {each.sense}"))
    for helper in _first(out, found.helpers, _LINES):
        out.print(Text(f"  helper {helper}"))
    for how, rank in _first(out, found.ranks, _NAMES):
        out.print(Text(f"  precedence {how}: {rank}"))
    if found.is_text_only:
        out.print(Text("No consequence changes: no logic rule differs.", "bold"))
        return
    out.print(Text("Can be affected", "bold"))
    topics = [kind_text(each) for each in found.topics]
    out.print(Text(f"  {_count(topics, 'kind')} of questions: {_some(out, topics)}"))
    out.print(Text(f"  {_count(found.norms, 'rule')} that read these: {_some(out, found.norms)}"))
    if examples:
        told = [f"{each.file.stem} ({_count(each.lines, 'line')})" for each in examples]
        out.print(Text(f"  printed examples: {_some(out, told)}"))


def case_text(each: ChangedExpectation) -> str:
    """Return an `expect` line with both answers."""
    answers = [answer or "as expected" for answer in each.answers]
    return f"  {Path(each.file).name}:{each.line}  {each.question}: {' -> '.join(answers)}"


def cases_text(out: Console, asked: ChangedExpectations, files: int) -> None:
    """Print how many cases turn."""
    shown = len(asked.found) if shows_all(out) else min(len(asked.found), CASES)
    if len(asked.found) > shown:
        out.print(Text(f"  and {len(asked.found) - shown} more: --all"))
    boards = len({each.file for each in asked.found})
    told = f"{_count(asked.found, 'line')} on {boards} of {files - len(asked.left)} boards"
    left = f"; {len(asked.left)} boards not examined yet" if asked.left else ""
    out.print(Text(f"  {told}{left}", "bold"))


def differences_text(out: Console, found: SearchReport[Difference]) -> None:
    """Print the smallest board for each kind of difference, best first."""
    out.print(Text("Smallest boards with another answer", "bold"))
    if not found.found:
        none = "none within the limits" if found.whole else "none found so far"
        out.print(f"  {none}")
    groups: dict[tuple[str, ...], list[Difference]] = {}
    for each in found.found:
        key = tuple(dict.fromkeys(board.plain for board in each.boards or ()))
        groups.setdefault(key, []).append(each)
    shown = [boards for boards in groups if boards]
    shown = shown if shows_all(out) else shown[:_BOARDS]
    for boards in shown:
        for board in boards:
            out.print(indented(board))
        for each in _first(out, groups[boards], _BOARDS):
            assert each.boards is not None
            out.print(Text(f"  {each.boards[0].query}: {' -> '.join(each.answers)}"))
    rest = [each for boards, here in groups.items() if boards not in shown for each in here]
    for each in _first(out, rest, _LINES):
        answers = " -> ".join(each.answers) if each.boards else "board not found in time"
        out.print(Text(f"  {kind_text(each.topic)}: {answers}"))
    progress_text(out, found, "differences", "difference")


def _first(out: Console, items: Sequence[_T], most: int) -> Iterator[_T]:
    """Yield the first items, then print how many there are in addition; with --all all items."""
    yield from items if shows_all(out) else items[:most]
    if len(items) > most and not shows_all(out):
        out.print(f"  and {len(items) - most} more: --all")


def _some(out: Console, names: Iterable[str]) -> str:
    listed = list(names)
    if shows_all(out) or len(listed) <= _NAMES:
        return ", ".join(listed) or "none"
    return f"{', '.join(listed[:_NAMES])} and {len(listed) - _NAMES} more"


def _count(items: Collection[object], name: str) -> str:
    return f"{len(items)} {name}{'s' * (len(items) != 1)}"
