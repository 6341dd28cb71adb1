"""What can stand where a kind of thing is wanted in a question."""

from __future__ import annotations

from collections.abc import Callable

from rules_asp.parser import values
from rules_asp.parser.errors import ValueMistake
from rules_asp.parser.mistakes import no_form, no_number
from rules_asp.terms.arguments import QUOTED, SCALES, Term, unquoted
from rules_asp.terms.lexicon import YES_NO, Declaration, Vocabulary
from rules_asp.terms.query import PLACED, Argument, UnitLocation

_PLACE_KINDS: dict[str, tuple[str, Callable[[str], Term]]] = {
    "hex": ("a hex such as U4", values.read_hex),
    "hexside": ("a hexside such as U4-V3", values.read_side),
    "spot": ("a hex or a vertex such as K13@L12-K12", values.read_spot),
    "location": ("a Location such as U4/1", values.read_location),
    "party": ('a unit such as "A", or a Location such as U4/1', values.read_location),
}
#: Kinds of words of which kb/vocabulary.lp holds no full list.
_FREE_WORDS = frozenset({"side", "terrain", "event_name", YES_NO})
#: Kinds of forms that are free words as well: what is drawn in a hex is a terrain or its ground.
_FORMS_OR_WORDS = frozenset({"part"})


def convert(shape: str, text: str, kind: str, words: Vocabulary) -> Argument:
    """A value of the kind, by the shape of its token; Mistake where they do not agree."""
    if kind in _PLACE_KINDS:
        if kind in PLACED and shape == "STRING":
            return Argument(UnitLocation(unquoted(text)), kind)
        wanted, reader = _PLACE_KINDS[kind]
        if shape != "PLACE" or values.shape_of(text) not in values.SHAPES[kind]:
            raise ValueMistake(f"{text} is no {kind_text(kind)}", [wanted])
        return Argument(reader(text), kind)
    if kind == "floor" and shape != "NUMBER":
        return Argument(values.read_floor(text), kind)
    if kind == "sight":
        raise ValueMistake(f"{text} is no sight", ["two Locations such as U4/1 - V3"])
    if kind in SCALES:
        if shape != "NUMBER":
            raise no_number(text, kind)
        return Argument(values.read_number(text, kind), kind)
    if kind in QUOTED:
        if shape == "STRING":
            return Argument(unquoted(text), kind)
        raise ValueMistake(f"a {kind} is quoted here", [f'"{text}"'])
    if is_simple(kind, words):
        if shape != "WORD":
            raise ValueMistake(f"{text} is no {kind_text(kind)}", ["a word"])
        return Argument(values.read_word(text, kind, words), kind)
    return _untyped(shape, text, kind, words)


def _untyped(shape: str, text: str, kind: str, words: Vocabulary) -> Argument:
    """A value where the vocabulary does not say what may stand: read by its look alone.

    Where it is a form that may, a single word does only where a form has no arguments.
    """
    forms = {n: f for n, f in words.forms.items() if kind in (f.kind, "topic")}
    entries: dict[str, Declaration] = {**(words.topics if kind == "topic" else {}), **forms}
    entry = entries.get(text.replace("-", "_"))
    if entry is not None and entry.kinds:
        raise ValueMistake(f"{text} is no {kind_text(kind)}", [entry.form])
    is_free = kind in _FORMS_OR_WORDS and shape == "WORD"
    if entries and not is_free and (shape != "WORD" or entry is None):
        raise no_form(text, kind_text(kind), None, list(entries.values()))
    if shape == "PLACE":
        place = {"hex": "hex", "side": "hexside"}.get(values.shape_of(text), "location")
        return Argument(_PLACE_KINDS[place][1](text), kind)
    if shape == "NUMBER":
        return Argument(values.read_number(text), kind)
    if shape == "STRING":
        return Argument(unquoted(text), "text")
    return Argument(values.read_word(text, kind, words), kind)


def join_sort(kind: str) -> str | None:
    """Kinds that can be joined share a sort; None for a kind that may meet any other."""
    if kind in SCALES:
        return {2: "half_level", 4: "quarter"}.get(SCALES[kind], "number")
    return kind if kind in QUOTED or kind in {*_PLACE_KINDS} - {"party"} else None


def is_simple(kind: str, words: Vocabulary) -> bool:
    """Whether values of the kind are single words, numbers, texts or places."""
    return any(kind in each for each in (_PLACE_KINDS, SCALES, QUOTED, _FREE_WORDS, words.words))


def kind_text(kind: str) -> str:
    """A kind in words."""
    told = {"location": "Location", "party": "unit or Location"}
    return told.get(kind) or kind.replace("_", " ")
