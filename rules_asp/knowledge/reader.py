"""The reader of .lp text: statements, tags, comments, declarations of house rules.

While clingo parses, it opens included files and runs scripts, and deep nesting ends the process. So
comments and strings are first separated as clingo separates them.

A comment line that starts with four or more blanks continues the tag above it. Marks follow the id:
`(assumed)`, a general rule that no printed section gives; `(descriptive)`, a norm without effect;
`(reading)`, an interpretation. A tag has up to three fields. The first is the summary. `Or: ...`
gives the other interpretation, which each `(reading)` and each ruling has. `Open: ...` lists what
the text leaves open.

A rule of a section belongs to the last tag above it.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import clingo
from clingo import ast

from rules_asp.game.house_rules import (
    RuleText,
    SourceError,
    default_house_rules_dir,
    is_house_rule,
    read_house_rules,
    reject_non_rules,
)
from rules_asp.game.vocabulary import reading_order
from rules_asp.knowledge.rules import (
    PRECEDENCE,
    WRITTEN_ONCE,
    KnowledgeBase,
    Norm,
    Rule,
    make_rule,
)
from rules_asp.knowledge.terms import literal_from_ast

# --- The only calls of clingo's parser.


def parse_statements(text: str, log: Callable[[Any, str], None] | None = None) -> list[ast.AST]:
    """Parse a text with clingo; `log`, or stderr, receives the messages before a RuntimeError."""
    found: list[ast.AST] = []
    with _undisturbed():
        ast.parse_string(text, found.append, logger=log)
    return found


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay an interrupt: clingo reports one inside its callback as a syntax error."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- Tags: the comment `%@ B23.3-3 sense in our own words` above the rules of a norm.


#: The marks after the id of a tag. An assumed norm is sure (H) unless marked as less sure (M).
MARKS = ("assumed", "assumed M", "descriptive", "reading")

_TAG = re.compile(rf"%@\s+(?P<id>\S+)(?P<marks>(?:\s+\((?:{'|'.join(MARKS)})\))*)\s*(?P<sense>.*)")
_MORE = re.compile(r"%\s{4,}(?P<sense>.*)")
#: The fields after the summary: the other interpretation, and the open points.
_FIELDS = ("Or", "Open")
_FIELD = re.compile(rf"(?<!\S)({'|'.join(_FIELDS)}):(?!\S)")


def parse_tag(comment: str, file: str, line: int) -> Norm | None:
    """Return the norm of a tag comment, or of its first line; None for other comments."""
    found = _TAG.fullmatch(comment.strip())
    if not found:
        return None
    assumed, less_sure, descriptive, reading = (f"({word})" in found["marks"] for word in MARKS)
    sense = found["sense"].strip()
    return Norm(
        found["id"],
        sense,
        file,
        line,
        assumed=assumed or less_sure,
        descriptive=descriptive,
        marked=reading,
        less_sure=less_sure,
    )


def tag_continuation(comment: str) -> str | None:
    """Return the continuation of a tag in a comment; None for another form."""
    found = _MORE.fullmatch(comment.rstrip())
    return found["sense"].strip() if found else None


def finished_norm(norm: Norm) -> Norm:
    """Return the norm of a complete tag with its fields; a repeated field continues the first."""
    sense, *rest = _FIELD.split(norm.sense)
    fields = dict.fromkeys(_FIELDS, "")
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        fields[name] = f"{fields[name]} {text.strip()}".strip()
    return replace(
        norm, sense=sense.strip(), other_reading=fields["Or"], open_points=fields["Open"]
    )


# --- The knowledge base: its rules, the norm of each, and the nodes that it reads.


def kb_folder() -> Path:
    """Return the folder of the included knowledge base."""
    return Path(str(files("rules_asp.kb")))


def kb_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a knowledge base in reading order: common files, general rules, sections.

    `lab/`, `no_violations.lp` and `vasl.lp` are left out: they are added on request.
    """
    words = reading_order(path.name for path in folder.glob("*.lp"))
    top = [folder / name for name in (*WRITTEN_ONCE, *words, *PRECEDENCE)]
    rest = sorted(
        path
        for path in folder.glob("*/*.lp")
        if path.parent.name != "lab" and not path.is_symlink()
    )
    general = [path for path in rest if path.parent.name == "general"]
    sections = [path for path in rest if path.parent.name != "general"]
    kept = tuple(path for path in top if path.exists() and not path.is_symlink())
    return kept + tuple(general + sections)


def kb_texts(folder: Path | None = None) -> tuple[RuleText, ...]:
    """Return the texts of a knowledge base (default: the included one)."""
    top = folder or kb_folder()
    return tuple(
        RuleText(path.relative_to(top).as_posix(), path.read_text("utf-8"))
        for path in kb_files(top)
    )


def _texts_in_force(folder: Path | None) -> tuple[RuleText, ...]:
    """Return the same; the included one with the current house rules."""
    own = read_house_rules(default_house_rules_dir()) if folder is None else ()
    return (*kb_texts(folder), *own)


def read_kb(folder: Path | None = None) -> KnowledgeBase:
    """Read a knowledge base; the included one with house rules.

    SourceError names the file and the line.
    """
    return with_files(KnowledgeBase((), ()), _texts_in_force(folder))


def with_files(source: KnowledgeBase, texts: Iterable[RuleText]) -> KnowledgeBase:
    """Return a knowledge base with more files."""
    rules, norms = list(source.rules), list(source.norms)
    for name, text in texts:
        new_rules, new_norms = _rules_of_file(text, name)
        rules += new_rules
        norms += new_norms
    seen: dict[str, Norm] = {}
    for norm in norms:
        if norm.id in seen:
            first = seen[norm.id]
            raise SourceError(
                f"{norm.file}:{norm.line}: {norm.id} has two summaries; the first is at"
                f" {first.file}:{first.line}"
            )
        seen[norm.id] = norm
    return KnowledgeBase(tuple(rules), tuple(norms))


@lru_cache(maxsize=400)
def _rules_of_file(text: str, name: str) -> tuple[tuple[Rule, ...], tuple[Norm, ...]]:
    """Return the same as `read_rules`; two knowledge bases share the files that are equal."""
    rules, norms = read_rules(text, name)
    return tuple(rules), tuple(norms)


def read_rules(text: str, name: str = "<text>") -> tuple[list[Rule], list[Norm]]:
    """Read the rules and norms of one file; `name` is its name in messages."""
    reject_non_rules(text, name)
    rules: list[Rule] = []
    norms: list[Norm] = []
    current: Norm | None = None
    last_tag_line = 0
    messages: list[str] = []

    try:
        read = parse_statements(text, lambda _code, message: messages.append(message))
    except RuntimeError:
        told = "".join(messages).replace("<string>", name).strip()
        raise SourceError(told or f"{name}: the file cannot be read as rules") from None
    for node in read:
        line = node.location.begin.line
        if node.ast_type == ast.ASTType.Comment:
            if found := parse_tag(node.value, name, line):
                current = found
                norms.append(current)
                last_tag_line = line
            elif current and line == last_tag_line + 1 and (said := tag_continuation(node.value)):
                current = replace(current, sense=f"{current.sense} {said}")
                norms[-1] = current
                last_tag_line = line
            elif node.value.startswith("% ---"):
                current = None
        elif node.ast_type == ast.ASTType.Rule:
            # A pool such as p(a;b) is read as several rules.
            rules.extend(
                _rule(each, name, current.id if current else None) for each in node.unpool()
            )
        elif node.ast_type not in (ast.ASTType.Program, ast.ASTType.Defined):
            raise SourceError(
                f"{name}:{line}: this is not a rule, and a rule file may contain only rules: {node}"
            )
    return rules, [finished_norm(norm) for norm in norms]


def _rule(node: ast.AST, file: str, norm: str | None) -> Rule:
    head, *body = map(literal_from_ast, (node.head, *node.body))
    return make_rule(head, body, file, node.location.begin.line, norm)


# --- The comments of a knowledge base, including tags, with their places.


class Comment(NamedTuple):
    """A comment of the knowledge base, a tag or another, with its place."""

    text: str
    file: str
    line: int


def read_comments(folder: Path | None = None) -> tuple[Comment, ...]:
    """Return all comments of a knowledge base."""
    return tuple(
        comment for name, text in _texts_in_force(folder) for comment in comments_of(text, name)
    )


def comments_of(text: str, name: str = "<text>") -> list[Comment]:
    """Return the comments of one file; `name` is its name in messages."""
    return [
        Comment(node.value, name, node.location.begin.line)
        for node in parse_statements(text)
        if node.ast_type == ast.ASTType.Comment
    ]


# --- Checks of the form of declarations in house rules before they are used.


#: The declarations with the sorts of their arguments: a symbol (c), a number (n), a text (t).
_SHAPES = {
    "input": "cct",
    "measured": "ct",
    "setting": "ct",
    "derived": "ct",
    "topic": "cct",
    "form": "cct",
    "deed": "ct",
    "reason": "ctt",
    "word": "cc",
    "printed": "tn",
    "descriptive_in": "n",
}
_TYPES = {
    "c": clingo.SymbolType.Function,
    "n": clingo.SymbolType.Number,
    "t": clingo.SymbolType.String,
}
_SAID = {"c": "a word or term", "n": "a number", "t": "a text"}


def check_declarations(rules: Iterable[Rule]) -> None:
    """Raise SourceError at the first malformed declaration in house rules."""
    for rule in rules:
        name = rule.heads[0].name if rule.heads else ""
        shape = _SHAPES.get(name)
        if shape is None or not is_house_rule(rule.file):
            continue
        where = f"{rule.file}:{rule.line}"
        if rule.body:
            raise SourceError(f"{where}: {name} is a declaration, which cannot have a condition")
        try:
            given = clingo.parse_term(rule.text.strip().removesuffix(".")).arguments
        except RuntimeError:
            raise SourceError(
                f"{where}: {name} is a declaration, which cannot have variables"
            ) from None
        types = [_TYPES[each] for each in shape]
        named = all(each.name for each in given if each.type == clingo.SymbolType.Function)
        if [each.type for each in given] != types or not named:
            said = ", ".join(_SAID[each] for each in shape)
            raise SourceError(
                f"{where}: the arguments of {name} must be {said}: {rule.text.strip()}"
            )
