"""The kind of a topic: what a search tells apart, where it does not tell each topic apart."""

from __future__ import annotations

import clingo

from rules_asp.terms.lexicon import vocabulary


class Kinds:
    """What goals may ask of Python while they are grounded: the kind of a topic.

    clingo asks of the same topic for each value and each norm.
    """

    def __init__(self) -> None:
        self._known: dict[clingo.Symbol, clingo.Symbol] = {}

    def kind(self, topic: clingo.Symbol) -> clingo.Symbol:
        """The kind of a ground topic, as a term."""
        if topic not in self._known:
            self._known[topic] = kind_of(topic)
        return self._known[topic]


def kind_of(topic: clingo.Symbol) -> clingo.Symbol:
    """The kind of a ground topic: its name, with those of its arguments that are words or forms.

    A form is named alone: effect(done(..),back_to(..)) is of the kind effect(done,back_to).
    """
    if topic.name == "at":
        # Of a sight, at one place.
        topic = topic.arguments[0]
    words = vocabulary()
    entry = words.topics.get(topic.name) or words.forms.get(topic.name)
    if entry is None or len(entry.kinds) != len(topic.arguments):
        return clingo.Function(topic.name)
    told = []
    for value, kind in zip(topic.arguments, entry.kinds, strict=True):
        if value.type == clingo.SymbolType.Function and value.name:
            plain = not value.arguments and kind in words.words
            told += [clingo.Function(value.name)] if plain or value.name in words.forms else []
    return clingo.Function(topic.name, told)
