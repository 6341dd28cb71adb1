"""Atoms as people read them: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import clingo

from rules_asp.explain.unknown import parse_reason
from rules_asp.game.query import argument_from_symbol
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.parser.sentence_writer import form_text

#: Numbers that no dice, with whatever is added to them, come near.
NO_DICE = 90


def is_vocabulary_atom(atom: clingo.Symbol, words: Vocabulary) -> bool:
    """Whether an atom is of the calculus, or a notion that people know."""
    known = (atom.name, len(atom.arguments)) in _FORMS
    return known or words.predicate(atom.name) is not None


def atom_text(atom: clingo.Symbol, notation: Notation) -> str:
    """An atom in words: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""
    arguments = atom.arguments
    form = _FORMS.get((atom.name, len(arguments)))
    if form is not None:
        return form(notation, arguments)
    entry = notation.vocabulary.predicate(atom.name)
    kinds = entry.kinds if entry and len(entry.kinds) == len(arguments) else ("",) * len(arguments)
    inner = ", ".join(map(notation.value_text, arguments, kinds))
    return f"{atom.name}({inner})" if inner else atom.name


def touch_text(fact: clingo.Symbol, so: bool, notation: Notation) -> str:
    """What a line would do with a drawing, if it did (or did not do) what the fact says."""
    arguments = [notation.term_text(each) for each in fact.arguments]
    if fact.name == "meets":
        return f"the line {'meets' if so else 'misses'} {arguments[3]} in {arguments[2]}"
    if fact.name == "crosses":
        return f"the line {'crosses' if so else 'misses'} the {arguments[2]} of {arguments[3]}"
    if fact.name == "crosses_dot_line":
        return f"the line {'crosses' if so else 'misses'} what stands across {arguments[2]}"
    if fact.name == "along":
        return f"the line {'runs' if so else 'does not run'} along {arguments[2]}"
    if fact.name == "by_end":
        return f"the line {'meets' if so else 'misses'} the building at an end of {arguments[2]}"
    if fact.name == "leaves_by":
        return f"the line {'leaves' if so else 'does not leave'} {arguments[2]} by {arguments[3]}"
    if fact.name == "leaves_inside":
        return f"the line leaves {arguments[2]} {'inside' if so else 'outside'} the drawing"
    return f"the line {'runs' if so else 'does not run'} inside one building's drawing"


def meaning_of(atom: clingo.Symbol, words: Vocabulary) -> str:
    """What a word of the vocabulary means; empty of another."""
    entry = words.predicate(atom.name)
    return entry.meaning if entry else ""


def term_sentence(symbol: clingo.Symbol, notation: Notation) -> str:
    """A term by name, with the deeds, shots and rolls in it as people say them."""
    if symbol.type != clingo.SymbolType.Function or not symbol.arguments:
        return notation.term_text(symbol)
    words = notation.vocabulary
    form = words.forms.get(symbol.name)
    if form is not None and len(form.kinds) == len(symbol.arguments):
        argument = argument_from_symbol(symbol, form.kind, notation)
        return form_text(argument, words) or notation.term_text(symbol)
    if symbol.name in words.topics:
        inner = ", ".join(term_sentence(each, notation) for each in symbol.arguments)
        return f"{symbol.name}({inner})"
    return notation.term_text(symbol)


def band_text(die: str, reading: str, low: int | None, high: int | None) -> str:
    """What must be rolled: `Final colored die 0 or less`; None is an end that no dice reach."""
    what = "DR" if die == "sum" else f"{die} die"
    if low == high:
        band = str(low)
    elif low is None:
        band = f"{high} or less"
    elif high is None:
        band = f"{low} or more"
    else:
        band = f"{low} to {high}"
    return f"{reading.capitalize()} {what} {band}"


def _band(band: clingo.Symbol) -> str:
    die, reading, low, high = band.arguments
    ends = (each.number if abs(each.number) < NO_DICE else None for each in (low, high))
    return band_text(str(die), str(reading), *ends)


def _equal(topic: clingo.Symbol, value: clingo.Symbol, notation: Notation) -> str:
    entry = notation.vocabulary.topics.get(topic.name)
    if entry is not None and entry.value == "band":
        roll, result = topic.arguments
        named = notation.term_text(result).replace("_", " ")
        return f"{named} of {term_sentence(roll, notation)}: {_band(value)}"
    told = notation.value_text(value, entry.value if entry else "")
    return f"{term_sentence(topic, notation)} = {told}"


def _plus(topic: clingo.Symbol, amount: clingo.Symbol, notation: Notation) -> str:
    entry = notation.vocabulary.topics.get(topic.name)
    told = notation.value_text(amount, entry.value if entry else "")
    return told if told.startswith("-") else f"+{told}"


def _part(what: clingo.Symbol, notation: Notation) -> str:
    """What a part of a sum is for: the value of another topic, or what the norm calls it."""
    if what.type == clingo.SymbolType.Function and what.name == "of":
        return f"of {term_sentence(what.arguments[0], notation)}"
    return f"for {notation.term_text(what).replace('_', ' ')}"


def _line(ends: Sequence[clingo.Symbol], notation: Notation) -> str:
    return f"the line {notation.term_text(ends[0])} - {notation.term_text(ends[1])}"


_FORMS: dict[tuple[str, int], Callable[[Notation, Sequence[clingo.Symbol]], str]] = {
    ("says", 3): lambda n, a: _equal(a[1], a[2], n),
    ("offers", 3): lambda n, a: _equal(a[1], a[2], n),
    ("takes", 3): lambda n, a: f"{term_sentence(a[1], n)} is that of {term_sentence(a[2], n)}",
    ("offers_value", 3): lambda n, a: (
        f"{term_sentence(a[1], n)} may be that of {term_sentence(a[2], n)}"
    ),
    ("undefeated_offer", 3): lambda n, a: _equal(a[1], a[2], n),
    ("adds", 4): lambda n, a: (
        f"{term_sentence(a[1], n)} has {term_sentence(a[2], n)} for {term_sentence(a[3], n)}"
    ),
    ("adds_value", 3): lambda n, a: (
        f"{term_sentence(a[1], n)} has that of {term_sentence(a[2], n)}"
    ),
    ("undefeated_value", 3): lambda n, a: _equal(a[1], a[2], n),
    ("is", 2): lambda n, a: _equal(a[0], a[1], n),
    ("total", 2): lambda n, a: _equal(a[0], a[1], n),
    ("value", 2): lambda n, a: _equal(a[0], a[1], n),
    ("abduced", 2): lambda n, a: f"suppose {_equal(a[0], a[1], n)}",
    ("assumed_winner", 2): lambda n, a: (
        f"suppose that {term_sentence(a[0], n)} wins over {term_sentence(a[1], n)}"
    ),
    ("silent", 3): lambda n, a: f"{term_sentence(a[1], n)} is not known: {parse_reason(a[2], n)}",
    ("unknown", 2): lambda n, a: f"{term_sentence(a[0], n)} is not known: {parse_reason(a[1], n)}",
    ("conflict", 3): lambda n, a: (
        f"{term_sentence(a[1], n)} clashes with {term_sentence(a[2], n)} on {term_sentence(a[0], n)}"
    ),
    ("permits", 2): lambda n, a: f"{term_sentence(a[1], n)} is legal",
    ("forbids", 2): lambda n, a: f"{term_sentence(a[1], n)} is forbidden",
    ("requires", 3): lambda n, a: f"{term_sentence(a[1], n)} requires {term_sentence(a[2], n)}",
    ("legal", 1): lambda n, a: f"{term_sentence(a[0], n)} is legal",
    ("illegal", 2): lambda n, a: f"{term_sentence(a[0], n)} is forbidden",
    ("permitted", 2): lambda n, a: f"{term_sentence(a[0], n)} is legal",
    ("undefeated_addend", 4): lambda n, a: f"{_plus(a[0], a[3], n)} {_part(a[2], n)}",
    ("blocks", 3): lambda n, a: f"{n.term_text(a[1])} is blocked at {n.term_text(a[2])}",
    ("stopped", 3): lambda n, a: f"{n.term_text(a[0])} is blocked at {n.term_text(a[2])}",
    ("no_location", 2): lambda n, a: f"there is no Location {n.term_text(a[0])}",
    ("hinders", 4): lambda n, a: (
        f"{n.term_text(a[1])} has a Hindrance of {n.term_text(a[3])} at {n.term_text(a[2])}"
    ),
    ("hindered", 4): lambda n, a: (
        f"{n.term_text(a[0])} has a Hindrance of {n.term_text(a[3])} at {n.term_text(a[2])}"
    ),
    ("hindrance", 2): lambda n, a: f"{n.term_text(a[0])} has a Hindrance of {n.term_text(a[1])}",
    ("sees", 1): lambda n, a: f"{n.term_text(a[0])} is clear",
    ("clears", 2): lambda n, a: f"{n.term_text(a[1])} is clear",
    ("sight", 2): lambda n, a: f"{n.term_text(a[0])} is a line of sight",
    ("lifts", 3): lambda n, a: (
        f"{term_sentence(a[1], n)} does not apply to {term_sentence(a[2], n)}"
    ),
    ("defeated", 3): lambda n, a: (
        f"{n.term_text(a[0])} is beaten by {n.term_text(a[2])} on {term_sentence(a[1], n)}"
    ),
    ("violates", 3): lambda n, a: f"{n.term_text(a[2])}: {n.term_text(a[1]).replace('_', ' ')}",
    ("meets", 6): lambda n, a: f"{_line(a, n)} meets {n.term_text(a[3])} in {n.term_text(a[2])}",
    ("along", 3): lambda n, a: f"{_line(a, n)} runs along {n.term_text(a[2])}",
    ("crosses", 6): lambda n, a: (
        f"{_line(a, n)} crosses the {n.term_text(a[2])} of {n.term_text(a[3])}"
    ),
    ("crosses_dot_line", 3): lambda n, a: (
        f"{_line(a, n)} crosses what stands across {n.term_text(a[2])}"
    ),
    ("by_end", 3): lambda n, a: (
        f"{_line(a, n)} meets the building at an end of {n.term_text(a[2])}"
    ),
    ("leaves_by", 4): lambda n, a: (
        f"{_line(a, n)} leaves {n.term_text(a[2])} by {n.term_text(a[3])}"
    ),
    ("leaves_inside", 3): lambda n, a: (
        f"{_line(a, n)} leaves {n.term_text(a[2])} inside the drawing"
    ),
    ("within", 2): lambda n, a: f"{_line(a, n)} runs inside one building's drawing",
}
