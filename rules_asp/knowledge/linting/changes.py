"""Static checks of what can be changed of a board: inputs, each of one kind, with what fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rules_asp.knowledge.linting.atoms import Fault, KbView, SourceStatement, functor

#: Kinds of which all that is near is tried, besides words.
_TRIED = frozenset(("hex", "hexside", "location", "side", "unit"))


def malformed_changes(base: KbView) -> Iterator[Fault]:
    """A change of what is no input, or of two kinds; something put there that does not fit its places."""
    inputs = {name: base.words.predicates[name, arity] for name, arity in base.words.inputs}
    of_kind: dict[str, str] = {}
    for each in base.statements:
        if each.declares == "change":
            kind, _, name = map(str, each.heads[0].terms)
            if name not in inputs:
                yield each.fault(f"{name} is no input, and no change of {kind}")
            elif of_kind.setdefault(name, kind) != kind:
                yield each.fault(f"{name} is a change of {of_kind[name]} and of {kind}")
    for each in base.statements:
        if each.declares == "supposes":
            for message in _amiss(each, base, inputs, of_kind):
                yield each.fault(message)


def _amiss(
    each: SourceStatement,
    base: KbView,
    inputs: Mapping[str, tuple[str, ...]],
    of_kind: Mapping[str, str],
) -> Iterator[str]:
    term = each.heads[0].terms[0]
    named = functor(term)
    name, arity = named if named else (str(term), 0)
    if name not in of_kind:
        yield f"{name} is of no kind of change, and is put nowhere"
        return
    kinds = inputs[name]
    if arity != len(kinds):
        yield f"{name} has {len(kinds)} arguments, and {arity} ranges"
        return
    for range_, kind in zip(map(str, term.arguments if arity else ()), kinds, strict=True):
        words = base.words.constants.get(kind, ())
        number = range_.isdecimal() and not words
        first = inputs.get(range_, ("",))[0]
        if not (
            number
            or range_ in words
            or first == kind
            or (range_ == kind and _is_tried(kind, words))
        ):
            yield f"{range_} is no {kind}, no kind of which all is tried, and no input of a {kind}"


def _is_tried(kind: str, words: object) -> bool:
    return kind in _TRIED or bool(words)
