"""The wording of atoms: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""

from __future__ import annotations

from collections.abc import Sequence

import clingo

from rules_asp.explain.unknown import parse_reason
from rules_asp.game.query import argument_from_symbol
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.knowledge.calculus import Predicate, calculus
from rules_asp.parser.sentence_writer import form_text

#: A number beyond any result of the dice.
NO_DICE = 90
#: The kind of a value that is a range of results of the dice.
_BAND = "band"


def is_vocabulary_atom(atom: clingo.Symbol, words: Vocabulary) -> bool:
    """Test whether kb/proofs.lp has words for an atom, or the vocabulary declares it."""
    signature = atom.name, len(atom.arguments)
    told = signature in calculus().atom_words or signature in calculus().line_atom_words
    return told or words.predicate(atom.name) is not None


def atom_text(atom: clingo.Symbol, notation: Notation) -> str:
    """Return an atom in words: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""
    arguments = atom.arguments
    signature = atom.name, len(arguments)
    if signature in calculus().atom_words:
        return _atom_words(*calculus().atom_words[signature], arguments, notation)
    if signature in calculus().line_atom_words:
        ends = " - ".join(map(notation.term_text, arguments[:2]))
        return f"the line {ends} {_line_text(atom, True, notation)}"
    entry = notation.vocabulary.predicate(atom.name)
    kinds = entry.kinds if entry and len(entry.kinds) == len(arguments) else ("",) * len(arguments)
    inner = ", ".join(map(notation.value_text, arguments, kinds))
    return f"{atom.name}({inner})" if inner else atom.name


def touch_text(fact: clingo.Symbol, so: bool, notation: Notation) -> str:
    """Return in words how a line would touch a depiction if the fact held (or did not hold)."""
    return f"the line {_line_text(fact, so, notation)}"


def _line_text(fact: clingo.Symbol, so: bool, notation: Notation) -> str:
    does, does_not = calculus().line_atom_words[fact.name, len(fact.arguments)]
    return (does if so else does_not).format("", *map(notation.term_text, fact.arguments))


def _atom_words(
    declared: Predicate, words: str, arguments: Sequence[clingo.Symbol], notation: Notation
) -> str:
    """Return an atom of the calculus in words, with its arguments."""
    valued = {"value", "addend"}.intersection(declared.kinds)
    about = arguments[declared.kinds.index("topic")] if valued else None
    entry = notation.vocabulary.topics.get(about.name) if about is not None else None
    measure = entry.value if entry else ""
    if measure == _BAND:
        words = words.replace(" = ", ": ")
    pairs = zip(arguments, declared.kinds, strict=True)
    return words.format("", *(_argument(*pair, measure, notation) for pair in pairs))


def _argument(symbol: clingo.Symbol, kind: str, measure: str, notation: Notation) -> str:
    """Return an argument of such an atom; `measure` is the kind of the values of its topic."""
    if kind == "topic" and measure == _BAND:
        roll, result = symbol.arguments
        named = notation.term_text(result).replace("_", " ")
        return f"{named} of {term_sentence(roll, notation)}"
    if kind == "value":
        return _band(symbol) if measure == _BAND else notation.value_text(symbol, measure)
    if kind == "addend":
        amount = notation.value_text(symbol, measure)
        return amount if amount.startswith("-") else f"+{amount}"
    if kind == "reason":
        return str(parse_reason(symbol, notation))
    if kind == "half_level":
        return notation.value_text(symbol, kind)
    if kind == "words":
        return notation.term_text(symbol).replace("_", " ")
    if kind == "for":
        if symbol.type == clingo.SymbolType.Function and symbol.name == "of":
            return f"of {term_sentence(symbol.arguments[0], notation)}"
        return f"for {notation.term_text(symbol).replace('_', ' ')}"
    return term_sentence(symbol, notation)


def meaning_of(atom: clingo.Symbol, words: Vocabulary) -> str:
    """Return the meaning of a word of the vocabulary; empty for other words."""
    entry = words.predicate(atom.name)
    return entry.meaning if entry else ""


def term_sentence(symbol: clingo.Symbol, notation: Notation) -> str:
    """Return a term in words, with actions, fire attacks and rolls as sentences."""
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
    """Return the required roll, such as `Final colored die 0 or less`; None leaves an end open."""
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
