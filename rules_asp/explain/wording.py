"""Atoms as people read them: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import clingo

from rules_asp.explain.unknown import parse_reason
from rules_asp.game.query import argument_from_symbol
from rules_asp.game.values import term_text, value_text
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser.sentence_writer import form_text

#: Numbers that no dice, with whatever is added to them, come near.
NO_DICE = 90


def is_vocabulary_atom(atom: clingo.Symbol) -> bool:
    """Whether an atom is of the calculus, or a notion that people know."""
    known = (atom.name, len(atom.arguments)) in _FORMS
    return known or vocabulary().predicate(atom.name) is not None


def atom_text(atom: clingo.Symbol) -> str:
    """An atom in words: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""
    arguments = atom.arguments
    form = _FORMS.get((atom.name, len(arguments)))
    if form is not None:
        return form(arguments)
    entry = vocabulary().predicate(atom.name)
    kinds = entry.kinds if entry and len(entry.kinds) == len(arguments) else ("",) * len(arguments)
    inner = ", ".join(map(value_text, arguments, kinds))
    return f"{atom.name}({inner})" if inner else atom.name


def touch_text(fact: clingo.Symbol, so: bool) -> str:
    """What a line would do with a drawing, if it did (or did not do) what the fact says."""
    arguments = [term_text(each) for each in fact.arguments]
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


def meaning_of(atom: clingo.Symbol) -> str:
    """What a word of the vocabulary means; empty of another."""
    entry = vocabulary().predicate(atom.name)
    return entry.meaning if entry else ""


def term_sentence(symbol: clingo.Symbol) -> str:
    """A term by name, with the deeds, shots and rolls in it as people say them."""
    if symbol.type != clingo.SymbolType.Function or not symbol.arguments:
        return term_text(symbol)
    words = vocabulary()
    form = words.forms.get(symbol.name)
    if form is not None and len(form.kinds) == len(symbol.arguments):
        return form_text(argument_from_symbol(symbol, form.kind)) or term_text(symbol)
    if symbol.name in words.topics:
        return f"{symbol.name}({', '.join(map(term_sentence, symbol.arguments))})"
    return term_text(symbol)


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


def _equal(topic: clingo.Symbol, value: clingo.Symbol) -> str:
    entry = vocabulary().topics.get(topic.name)
    if entry is not None and entry.value == "band":
        roll, result = topic.arguments
        return f"{term_text(result).replace('_', ' ')} of {term_sentence(roll)}: {_band(value)}"
    return f"{term_sentence(topic)} = {value_text(value, entry.value if entry else '')}"


def _plus(topic: clingo.Symbol, amount: clingo.Symbol) -> str:
    entry = vocabulary().topics.get(topic.name)
    told = value_text(amount, entry.value if entry else "")
    return told if told.startswith("-") else f"+{told}"


def _part(what: clingo.Symbol) -> str:
    """What a part of a sum is for: the value of another topic, or what the norm calls it."""
    if what.type == clingo.SymbolType.Function and what.name == "of":
        return f"of {term_sentence(what.arguments[0])}"
    return f"for {term_text(what).replace('_', ' ')}"


def _line(ends: Sequence[clingo.Symbol]) -> str:
    return f"the line {term_text(ends[0])} - {term_text(ends[1])}"


_FORMS: dict[tuple[str, int], Callable[[Sequence[clingo.Symbol]], str]] = {
    ("says", 3): lambda a: _equal(a[1], a[2]),
    ("offers", 3): lambda a: _equal(a[1], a[2]),
    ("takes", 3): lambda a: f"{term_sentence(a[1])} is that of {term_sentence(a[2])}",
    ("offers_value", 3): lambda a: f"{term_sentence(a[1])} may be that of {term_sentence(a[2])}",
    ("bid", 3): lambda a: _equal(a[1], a[2]),
    ("adds", 4): lambda a: (
        f"{term_sentence(a[1])} has {term_sentence(a[2])} for {term_sentence(a[3])}"
    ),
    ("adds_value", 3): lambda a: f"{term_sentence(a[1])} has that of {term_sentence(a[2])}",
    ("stands", 3): lambda a: _equal(a[1], a[2]),
    ("is", 2): lambda a: _equal(a[0], a[1]),
    ("total", 2): lambda a: _equal(a[0], a[1]),
    ("value", 2): lambda a: _equal(a[0], a[1]),
    ("supposed", 2): lambda a: f"suppose {_equal(a[0], a[1])}",
    ("supposed_first", 2): lambda a: (
        f"suppose that {term_sentence(a[0])} wins over {term_sentence(a[1])}"
    ),
    ("silent", 3): lambda a: f"{term_sentence(a[1])} is not known: {parse_reason(a[2])}",
    ("unknown", 2): lambda a: f"{term_sentence(a[0])} is not known: {parse_reason(a[1])}",
    ("conflict", 3): lambda a: (
        f"{term_sentence(a[1])} clashes with {term_sentence(a[2])} on {term_sentence(a[0])}"
    ),
    ("permits", 2): lambda a: f"{term_sentence(a[1])} is legal",
    ("forbids", 2): lambda a: f"{term_sentence(a[1])} is forbidden",
    ("requires", 3): lambda a: f"{term_sentence(a[1])} requires {term_sentence(a[2])}",
    ("legal", 1): lambda a: f"{term_sentence(a[0])} is legal",
    ("illegal", 2): lambda a: f"{term_sentence(a[0])} is forbidden",
    ("allowed", 2): lambda a: f"{term_sentence(a[0])} is legal",
    ("addend", 4): lambda a: f"{_plus(a[0], a[3])} {_part(a[2])}",
    ("blocks", 3): lambda a: f"{term_text(a[1])} is blocked at {term_text(a[2])}",
    ("stopped", 3): lambda a: f"{term_text(a[0])} is blocked at {term_text(a[2])}",
    ("no_location", 2): lambda a: f"there is no Location {term_text(a[0])}",
    ("hinders", 4): lambda a: (
        f"{term_text(a[1])} has a Hindrance of {term_text(a[3])} at {term_text(a[2])}"
    ),
    ("hindered", 4): lambda a: (
        f"{term_text(a[0])} has a Hindrance of {term_text(a[3])} at {term_text(a[2])}"
    ),
    ("hindrance", 2): lambda a: f"{term_text(a[0])} has a Hindrance of {term_text(a[1])}",
    ("sees", 1): lambda a: f"{term_text(a[0])} is clear",
    ("clears", 2): lambda a: f"{term_text(a[1])} is clear",
    ("sight", 2): lambda a: f"{term_text(a[0])} is a line of sight",
    ("lifts", 3): lambda a: f"{term_sentence(a[1])} does not apply to {term_sentence(a[2])}",
    ("defeated", 3): lambda a: (
        f"{term_text(a[0])} is beaten by {term_text(a[2])} on {term_sentence(a[1])}"
    ),
    ("violates", 3): lambda a: f"{term_text(a[2])}: {term_text(a[1]).replace('_', ' ')}",
    ("meets", 6): lambda a: f"{_line(a)} meets {term_text(a[3])} in {term_text(a[2])}",
    ("along", 3): lambda a: f"{_line(a)} runs along {term_text(a[2])}",
    ("crosses", 6): lambda a: f"{_line(a)} crosses the {term_text(a[2])} of {term_text(a[3])}",
    ("crosses_dot_line", 3): lambda a: f"{_line(a)} crosses what stands across {term_text(a[2])}",
    ("by_end", 3): lambda a: f"{_line(a)} meets the building at an end of {term_text(a[2])}",
    ("leaves_by", 4): lambda a: f"{_line(a)} leaves {term_text(a[2])} by {term_text(a[3])}",
    ("leaves_inside", 3): lambda a: f"{_line(a)} leaves {term_text(a[2])} inside the drawing",
    ("within", 2): lambda a: f"{_line(a)} runs inside one building's drawing",
}
