"""Cached lark grammars, and explanations of parse errors for players."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import lark
from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.grammar import Rule
from lark.lexer import PatternStr, TerminalDef

from rules_asp.game.grid import Hex, Vertex
from rules_asp.game.map_layout import MapNames
from rules_asp.game.values import spot_text, with_article
from rules_asp.game.vocabulary import Declaration, Form, Vocabulary
from rules_asp.parser import values
from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.runtime import cache as disk_cache

# --- The grammars in this folder; lark's tables for them are cached between runs.


def grammar_of(name: str, starts: Sequence[str], more: str = "") -> Lark:
    """Return the LALR grammar in the file of this name, such as `board`, extended by rules of kb/."""
    text = resources.files("rules_asp.parser").joinpath(f"{name}.lark").read_text("utf-8") + more
    sources = [each.encode() for each in (text, *starts, lark.__version__)]

    def tables() -> dict[str, Any]:
        made = Lark(text, start=list(starts), parser="lalr")
        # This is the content of Lark.save, for pickle.
        data, memo = made.memo_serialize([TerminalDef, Rule])
        return {"data": data, "memo": memo}

    return Lark.load(disk_cache.memoize_on_disk("grammar", sources, tables, dict))


# --- Explanations of parse errors.


_NAMES = {
    "HEX": "a hex such as U4",
    "SIDE": "a hexside such as U4-V3",
    "SIDE_LEVEL": "a hexside and level such as U4-V3/0",
    "CHAIN": "hexes on a way such as A1-A2-A3",
    "LOCATION": "a Location such as U4 or U4/1",
    "SPINE": "a hexspine such as E8/E9",
    "POINTED": "a hex such as U4",
    "PLACE": "a hex, hexside or Location",
    "NUMBER": "a number",
    "SIZE": "a size such as 33x10",
    "LABEL": "the name of a board such as 21",
    "COLUMNS": "hexrows such as A-P",
    "FIELD": "two hexes such as A1-P10",
    "HALF": "left, right, upper or lower",
    "STRETCH": "a stretch such as 0-25",
    "STRENGTH": "a strength such as 4-6-7",
    "RATING": "a leader's morale and leadership such as 8-1",
    "FP_RANGE": "FP and range of an MG such as 3-8",
    "CALIBER": "a caliber such as 75L",
    "RING": "three or more points such as 0,0 450,0 450,516",
    "STRING": "a quoted text",
    "WORD": "a word",
    "TRAIT": "a word",
    "NAME": "a name",
    "VARIABLE": "a variable such as L",
    "OPERATOR": "=",
    "SECTION": "a section such as B23",
    "RULING": "a ruling such as R-B31",
    "PARAGRAPH": "a paragraph such as B23.25",
    "YES_NO": "yes or no",
    "SEEN": "clear, blocked or unknown",
    "ANSWER": "yes, no or unknown",
    "NOT_SO": "not so",
    "QUERY": "a question",
    "DEED": "an action such as A move to U4",
    "CORNER": "a vertex of its hex from 0 to 5",
    "VERTEX": "a vertex such as K13@L12-K12",
    "CALL": "a topic such as height(U4) = 1",
    "$END": "the end of the statement",
}
_PLACES = {"HEX", "SIDE", "LOCATION", "CHAIN", "SPINE", "POINTED", "SIDE_LEVEL", "PLACE", "VERTEX"}
_FOUND = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,:()"]+|\S')


#: A Location of a named hex with an open level.
_LEVEL_OPEN = re.compile(r"\b([A-Z]{1,2}\d+)/([A-Z]\w*)")


@cache
def literals(grammar: Lark) -> dict[str, str]:
    """Return the terminals of a grammar with one fixed text, and that text."""
    return {
        terminal.name: terminal.pattern.value
        for terminal in grammar.terminals
        if isinstance(terminal.pattern, PatternStr)
    }


@cache
def terminals_of(grammar: Lark) -> frozenset[str]:
    """Return the names of all terminals of a grammar."""
    return frozenset(terminal.name for terminal in grammar.terminals)


@cache
def first_words(grammar: Lark) -> tuple[str, ...]:
    """Return the possible first words of a text."""
    known = literals(grammar)
    accepted: set[str] = grammar.parse_interactive("").accepts()  # type: ignore[no-untyped-call]
    return tuple(sorted(known[name] for name in accepted if name in known))


def explain_parse_error(
    grammar: Lark, error: UnexpectedInput, text: str, told: Mapping[str, str] | None = None
) -> tuple[ValueMistake, int, int]:
    """Return the cause of a parse error, with its line and column in the text.

    `told` maps words to the word that messages print for them.
    """
    expected = _expected(error)
    lines = text.split("\n")
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        last = text.rstrip().split("\n")
        mistake = ValueMistake(
            "the text ends before it is complete", _terminal_words(grammar, expected, told)
        )
        return mistake, len(last), len(last[-1]) + 1
    rest = lines[error.line - 1][error.column - 1 :]
    column = error.column + len(rest) - len(rest.lstrip())
    found = _FOUND.match(rest.lstrip())
    word = found[0] if found else rest
    if word == '"':
        return ValueMistake("the closing quotation mark is missing"), error.line, column
    if rest.strip() == "?":
        return (
            ValueMistake("a question ends without a question mark: leave it out"),
            error.line,
            column,
        )
    if word.startswith("=") and lines[error.line - 1][: column - 1].endswith("="):
        return (
            ValueMistake("`==` is not an operator: write `=`, as in height(C3) = V"),
            error.line,
            column,
        )
    known = literals(grammar)
    near = nearest(word, [known[name] for name in expected if name in known])
    if near is None and _PLACES & expected and re.fullmatch(r"[a-z]{1,2}[0-9]+", word):
        near = word.upper()
    shown = word if len(word) <= 30 else word[:30] + "..."
    before = re.search(r"(?<!\w)[A-Z]\w*$", lines[error.line - 1][: column - 1])
    if before and re.match(r"/[\w+]", word) and "VARIABLE" in terminals_of(grammar):
        name = before[0]
        mistake = ValueMistake(
            f"a variable stands for a Location with its level: write {name}, not {name}{shown}",
            [f"a variable whose hex and level are given separately, as in of_hex({name}, Hex, 1)"],
        )
        return mistake, error.line, column
    open_levels = _LEVEL_OPEN.finditer(lines[error.line - 1])
    open_ = next((each for each in open_levels if each.start() < column <= each.end()), None)
    if open_ is not None and "VARIABLE" in terminals_of(grammar):
        place, level = open_.groups()
        mistake = ValueMistake(
            f"{open_[0]} has a variable as its level: write a number, or a name such as roof",
            [
                f"a variable whose hex and level are given separately, as in of_hex(X, {place}, {level})"
            ],
        )
        return mistake, error.line, open_.start() + 1
    mistake = ValueMistake(
        f"{shown} is not expected at this position", _terminal_words(grammar, expected, told), near
    )
    return mistake, error.line, column


def _expected(error: UnexpectedInput) -> set[str]:
    """Return the terminals that would have fitted."""
    if isinstance(error, UnexpectedCharacters):
        return set(error.allowed or ())
    if isinstance(error, UnexpectedToken):
        return set(error.accepts or error.expected)
    return set()


def _terminal_words(
    grammar: Lark, terminals: Iterable[str], told: Mapping[str, str] | None = None
) -> list[str]:
    """Return the terminals in words for a reader."""
    known = literals(grammar)
    words = {
        known.get(name) or _NAMES[name] for name in terminals if name in _NAMES or name in known
    }
    return sorted({(told or {}).get(word, word) for word in words})


def way_to_a_hex(hex_: Hex) -> ValueMistake:
    """Return the mistake of a hex in place of a vertex that the path leads along or around."""
    corner = spot_text(Vertex(hex_, 0))
    return ValueMistake(
        f"a path goes around a vertex or up to a vertex, but {hex_} is a hex",
        [f"a vertex such as {corner}"],
    )


def no_number(text: str, kind: str, names: MapNames) -> ValueMistake:
    """Return the mistake of a word or place instead of a number; for a vertex, name the corner."""
    if kind != "corner":
        return ValueMistake(f"{text} is not a number", ["a number"])
    wanted = [
        "the corner of the hex as a number: 0 to 5, clockwise from the one at north-north-east"
    ]
    if values.shape_of(text) != "vertex":
        return ValueMistake(f"{text} is not a corner", wanted)
    vertex = values.read_spot(text, names)
    assert isinstance(vertex, Vertex)
    return ValueMistake(
        f"a corner is a number: {text} is corner {vertex.corner}, so write {vertex.corner}", wanted
    )


def no_form(name: str, kind: str, other: Form | None, known: Sequence[Declaration]) -> ValueMistake:
    """Return the mistake of a name that is not of this kind, though perhaps of an `other` form.

    Suggestions are the `known` forms with a similar name or the same parts.
    """
    alike: list[Declaration] = []
    if other is not None:
        alike = [each for each in known if each.kinds[: len(other.kinds)] == other.kinds]
        alike = alike or [each for each in known if other.kind in each.kinds]
    called = nearest(name, [each.name for each in known])
    near = next((each for each in known if each.name == called), None)
    if near is None and len(alike) == 1:
        (near,) = alike
    told = [near] if near else alike or [each for each in known if each.kinds]
    return ValueMistake(
        f"{name} is not {with_article(kind)}",
        [each.form for each in told[:3]],
        near.name if near else None,
    )


def unknown_name(name: str, words: Vocabulary) -> ValueMistake:
    """Return the mistake of an unknown name; for a word of some kind, explain where it may be used.

    Suggestions are the most similar name, or else declarations with the word in their name or
    meaning.
    """
    word = name.replace("-", "_")
    kinds = {kind for kind, said in words.words.items() if word in said}
    forms = [f"{each.form} = {word}" for each in words.topics.values() if each.value in kinds]
    known = (words.inputs, words.topics, words.derived, words.forms)
    for each in (entry for entries in known for entry in entries.values()):
        place = next((place for place, kind in enumerate(each.kinds) if kind in kinds), None)
        if place is not None:
            args = (*each.kinds[:place], word, *each.kinds[place + 1 :])
            forms.append(f"{each.name}({', '.join(args)})")
    near = None if forms else nearest(word, words.names())
    if not forms and near is None:
        forms = [each.form for each in _speaking(word, words)]
    return ValueMistake(f"the rules do not define {name}", forms[:3], near)


def _speaking(word: str, words: Vocabulary) -> list[Declaration]:
    """Return declarations with a word in their name, then in their meaning."""
    known = (words.topics, words.inputs, words.derived)
    entries = [entry for each in known for entry in each.values()]
    like = {word, f"{word}s", word.removesuffix("s")} - {""}
    named = [each for each in entries if like & {*each.name.split("_")}]
    parts = {*word.split("_")}
    senses = {each: {*re.findall(r"[a-z]+", each.meaning.lower())} for each in entries}
    sensed = [each for each, said in senses.items() if like & said or parts <= said]
    return list(dict.fromkeys(named + sensed))


def asks_nothing(form: Form, words: Vocabulary) -> ValueMistake:
    """Return the mistake of a form without a question, with the questions about its kind."""
    if form.kind == "deed":
        askers = [f"legal({form.form})"]
    else:
        known = (*words.topics.values(), *words.derived.values())
        askers = [each.form for each in known if form.kind in each.kinds]
    kind = "action" if form.kind == "deed" else form.kind
    return ValueMistake(
        f"{form.name}(...) is {with_article(kind)}: write a question about this {kind}", askers[:3]
    )
