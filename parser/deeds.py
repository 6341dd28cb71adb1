"""Parser of actions and rolls: a sentence, `A moves to V3/2 by stairs`, or a term.

A sentence may leave parts open, such as the manner or the start. Open parts become variables. A
term is written as in a question: `step(move, "A", U4, V3, enter)`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    QueryLiteral,
    RollQuery,
    Variable,
)
from rules_asp.game.values import Notation, default_notation
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.parser.errors import (
    Prefix,
    ValueMistake,
    WithPlace,
    check_length,
    error_for,
    unknown_board_errors,
)
from rules_asp.parser.query import read_query
from rules_asp.parser.sentences import read_sentence


def parse_deed(
    text: str, boards: Collection[str] | None = None, notation: Notation | None = None
) -> DeedQuery:
    """Read an action; BoardError describes the mistakes.

    boards: the names that may prefix a hex id (20E7); None does not check them.
    """
    check_length("action", text)
    doing, mistakes, prefixes = read_deed(text, notation or default_notation())
    mistakes += unknown_board_errors(prefixes, boards)
    if mistakes or doing is None:
        raise error_for("action", text, mistakes)
    return doing


def parse_roll(
    text: str, boards: Collection[str] | None = None, notation: Notation | None = None
) -> RollQuery:
    """Read a roll such as `the Bog Check of T in U4 with colored 2`; BoardError describes the
    mistakes."""
    check_length("roll", text)
    rolling, mistakes, prefixes = read_roll(text, notation or default_notation())
    mistakes += unknown_board_errors(prefixes, boards)
    if mistakes or rolling is None:
        raise error_for("roll", text, mistakes)
    return rolling


def read_roll(
    text: str, notation: Notation
) -> tuple[RollQuery | None, list[WithPlace], list[Prefix]]:
    """Return a roll as far as it can be read, its mistakes, and the boards named in hex ids."""
    form, given, shown = text, _GIVEN.search(text), []
    if given is not None:
        form = text[: given.start()]
        dice = _DIE.findall(given[0])
        shown = [("sum" if die.lower() == "dr" else die, int(number)) for die, number in dice]
    if _in_full(form):
        roll, mistakes, prefixes = _read_within("dice(", form, ") = Dice", notation)
    else:
        doing, mistakes, prefixes = read_sentence(form, "roll", notation)
        # A roll has no conditions beside its form.
        roll = None if doing is None or doing != DeedQuery(doing.deed) else doing.deed
    if not mistakes and (roll is None or _has_open(roll)):
        mistakes = [(_unsaid(roll, notation.vocabulary), 1, 1)]
    made = None if roll is None or mistakes else RollQuery(roll, tuple(shown))
    return made, mistakes, prefixes


#: Known dice at the end of a roll: `with colored 2 white 5`, `with DR 7`.
_DIE = re.compile(r"\b(colored|white|DR|dr)\s+([0-9]{1,2})\b")
_GIVEN = re.compile(rf"(?<!\s)\s+with(?:[\s,]+{_DIE.pattern})+\s*$")


def _has_open(roll: Argument) -> bool:
    """Test whether a roll leaves a part open, named or unnamed."""
    value = roll.value
    return isinstance(value, Variable) or (
        isinstance(value, FunctionTerm) and any(map(_has_open, value.args))
    )


def _unsaid(roll: Argument | None, words: Vocabulary) -> ValueMistake:
    """Return the mistake of an incomplete roll: the first missing part, and how to write it."""
    parts = roll.value.args if roll is not None and isinstance(roll.value, FunctionTerm) else ()
    for part in parts:
        if isinstance(part.value, Variable):
            kind = part.kind.replace("_", "-")
            ways = (
                words.phrases.get((part.kind, one), one) for one in words.words.get(part.kind, ())
            )
            return ValueMistake(f"the {kind} of this roll is missing", [*ways] or [f"a {kind}"])
    return ValueMistake("this is not a complete die roll", known_rolls(words))


def known_rolls(words: Vocabulary) -> list[str]:
    """Return the rolls of the rules."""
    return [each.form for each in words.forms.values() if each.kind == "roll"]


def read_deed(
    text: str, notation: Notation
) -> tuple[DeedQuery | None, list[WithPlace], list[Prefix]]:
    """Return an action as far as it can be read, its mistakes, and the boards named in hex ids."""
    if not _in_full(text):
        return read_sentence(text, "deed", notation)
    deed, mistakes, prefixes = _read_within("legal(", text, ")", notation)
    if deed is None and not mistakes:
        mistakes.append((ValueMistake("this is not an action"), 1, 1))
    return None if deed is None else DeedQuery(deed), mistakes, prefixes


#: Brackets outside quoted texts.
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[()]', re.DOTALL)


def _in_full(text: str) -> bool:
    """Test whether a text is a term with brackets, not a sentence."""
    return any(found[0] == "(" for found in _BRACKET.finditer(text))


def _loose(text: str) -> int | None:
    """Return the position of an unmatched closing bracket: the text after it would be ignored."""
    depth = 0
    for found in _BRACKET.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0:
            return found.start()
    return None


def _read_within(
    before: str, text: str, after: str, notation: Notation
) -> tuple[Argument | None, list[WithPlace], list[Prefix]]:
    """Read a term as the first argument of a question literal around it.

    Positions refer to the text alone.
    """
    if (loose := _loose(text)) is not None:
        line = text.count("\n", 0, loose) + 1
        column = loose - text.rfind("\n", 0, loose)
        return (
            None,
            [(ValueMistake("this closing parenthesis has no opening parenthesis"), line, column)],
            [],
        )
    reading = read_query(f"{before}{text}{after}", notation)
    lines = text.split("\n")

    def within(line: int, column: int) -> tuple[int, int]:
        own = column - (len(before) if line == 1 else 0)
        return min(line, len(lines)), min(max(1, own), len(lines[min(line, len(lines)) - 1]) + 1)

    mistakes = [(mistake, *within(*at)) for mistake, *at in reading.problems]
    prefixes = [(prefix, *within(*at)) for prefix, *at in reading.prefixes]
    literal = reading.query.literals[0] if reading.query else None
    if isinstance(literal, QueryLiteral) and isinstance(literal.args[0].value, FunctionTerm):
        return literal.args[0], mistakes, prefixes
    return None, mistakes, prefixes
