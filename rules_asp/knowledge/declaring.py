"""Whether what rules of one's own declare has the form that declarations have, before anything reads
them.
"""

from __future__ import annotations

from collections.abc import Iterable

import clingo

from rules_asp.knowledge.source import Rule, SourceError
from rules_asp.terms.own_rules import is_house_rule

#: The declarations, and of each the sorts of its arguments: what is called (c), a number (n), a text (t).
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
_SAID = {"c": "a word or what is of words", "n": "a number", "t": "a text"}


def check_declarations(rules: Iterable[Rule]) -> None:
    """SourceError at the first declaration of one's own that is of no known form."""
    for rule in rules:
        name = rule.heads[0].name if rule.heads else ""
        shape = _SHAPES.get(name)
        if shape is None or not is_house_rule(rule.file):
            continue
        where = f"{rule.file}:{rule.line}"
        if rule.body:
            raise SourceError(f"{where}: {name} declares, and stands without a condition")
        try:
            given = clingo.parse_term(rule.text.strip().removesuffix(".")).arguments
        except RuntimeError:
            raise SourceError(f"{where}: {name} declares words, and no variables") from None
        types = [_TYPES[each] for each in shape]
        named = all(each.name for each in given if each.type == clingo.SymbolType.Function)
        if [each.type for each in given] != types or not named:
            said = ", ".join(_SAID[each] for each in shape)
            raise SourceError(f"{where}: {name} has {said}: {rule.text.strip()}")
