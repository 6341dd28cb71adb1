"""Deeds and rolls as people say them: a sentence, `A moves to V3/2 by stairs`, or the form in full.

A sentence leaves things open: which way the unit goes, from where. What is not said is a variable. In full,
a deed stands as a question names it: `step(move, "A", U4, V3, enter)`.
"""

from __future__ import annotations

from collections.abc import Collection

from rules_asp.parser.errors import Mistake, Placed, Prefix, refusal, strange_boards
from rules_asp.parser.query import read_query
from rules_asp.parser.sentences import read_sentence
from rules_asp.terms.lexicon import Vocabulary, vocabulary
from rules_asp.terms.query import Argument, Compound, Doing, Literal, Variable


def parse_deed(text: str, boards: Collection[str] | None = None) -> Doing:
    """Read a deed; BoardError says what is wrong with it.

    boards: the names that a hex id may carry (20E7); None leaves them unchecked.
    """
    doing, mistakes, prefixes = read_deed(text, vocabulary())
    mistakes += strange_boards(prefixes, boards)
    if mistakes or doing is None:
        raise refusal("deed", text, mistakes)
    return doing


def parse_roll(text: str, boards: Collection[str] | None = None) -> Argument:
    """Read a roll such as `bog_check("T", U4)`; BoardError says what is wrong with it."""
    if "(" in text:
        roll, mistakes, prefixes = _read_within("dice(", text, ") = Dice", vocabulary())
    else:
        doing, mistakes, prefixes = read_sentence(text, "roll", vocabulary())
        roll = None if doing is None else doing.deed
    mistakes += strange_boards(prefixes, boards)
    if not mistakes and (roll is None or _has_open(roll)):
        mistakes = [(Mistake("this is no roll, with all its parts", known_rolls()), 1, 1)]
    if mistakes or roll is None:
        raise refusal("roll", text, mistakes)
    return roll


def _has_open(roll: Argument) -> bool:
    """Whether a roll leaves a part open, under a name or not."""
    value = roll.value
    return isinstance(value, Variable) or (
        isinstance(value, Compound) and any(map(_has_open, value.args))
    )


def known_rolls() -> list[str]:
    """The rolls that the rules speak of."""
    return [each.form for each in vocabulary().forms.values() if each.kind == "roll"]


def read_deed(text: str, words: Vocabulary) -> tuple[Doing | None, list[Placed], list[Prefix]]:
    """A deed as far as it could be read, its mistakes, and the boards that its hexes name."""
    if "(" not in text:
        return read_sentence(text, "deed", words)
    deed, mistakes, prefixes = _read_within("legal(", text, ")", words)
    if deed is None and not mistakes:
        mistakes.append((Mistake("this is no deed"), 1, 1))
    return None if deed is None else Doing(deed), mistakes, prefixes


def _read_within(
    before: str, text: str, after: str, words: Vocabulary
) -> tuple[Argument | None, list[Placed], list[Prefix]]:
    """A form given in full, as the first argument of the literal of a question around it.

    Places are those of the text alone.
    """
    reading = read_query(f"{before}{text}{after}", words)
    last = text.count("\n") + 1

    def within(line: int, column: int) -> tuple[int, int]:
        return min(line, last), max(1, column - len(before))

    mistakes = [(mistake, *within(*at)) for mistake, *at in reading.mistakes]
    prefixes = [(prefix, *within(*at)) for prefix, *at in reading.prefixes]
    literal = reading.query.literals[0] if reading.query else None
    if isinstance(literal, Literal) and isinstance(literal.args[0].value, Compound):
        return literal.args[0], mistakes, prefixes
    return None, mistakes, prefixes
