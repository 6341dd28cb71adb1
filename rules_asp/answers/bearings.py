"""What an atom rests on besides the rule that it follows by: what was beaten, met, or is unknown below
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain

import clingo

from rules_asp.knowledge.occasions import functor_name
from rules_asp.knowledge.running import AnswerSet
from rules_asp.knowledge.source import TOPIC_PLACE

#: That something is asked, or has a value at all: what is beaten bears on its result, which is told
#: besides.
_TELLING_NOTHING = frozenset(("asked", "asked_deed", "sought", "value", "valued"))
#: The atoms that tell of a value, for which others were offered.
_TOLD = frozenset(("is", "total", "stands", "value", "bid"))
_YES = clingo.Function("yes")

_By = dict[clingo.Symbol, dict[clingo.Symbol, None]]


def topic_of_atom(atom: clingo.Symbol) -> clingo.Symbol | None:
    """The topic, deed or sight of which an atom tells the result; that it is asked is none."""
    is_told = TOPIC_PLACE.get(atom.name) == 0 and atom.name not in _TELLING_NOTHING
    return atom.arguments[0] if is_told else None


class ImplicitPremises:
    """What bears on the results in an answer, and in the case of the board that it is of."""

    def __init__(self, answer: AnswerSet, case: AnswerSet) -> None:
        self._own = (answer,) if answer is case else (answer, case)

    def on(self, atom: clingo.Symbol) -> Iterator[clingo.Symbol]:
        """What bears on the topic, deed or sight of which an atom tells the result."""
        topic = topic_of_atom(atom)
        if topic is None:
            return
        yield from self._defeats.get(topic, ())
        if atom.name in _TOLD:
            for other in self._offering(topic):
                yield from self._defeats.get(other, ())
                # Were it not known, neither would be which is the best.
                known = clingo.Function("valued", [other])
                if any(layer.holds(known) for layer in self._own):
                    yield known
        elif atom.name in ("legal", "unknown"):
            # What is required and met keeps a deed from being illegal, be it legal or not known.
            met = (clingo.Function("is", [each, _YES]) for each in self._conditions.get(topic, ()))
            yield from (each for each in met if any(layer.holds(each) for layer in self._own))
        if atom.name == "unknown":
            yield from self._behind(topic)

    def instead_of(self, absent: Iterable[clingo.Symbol]) -> Iterator[clingo.Symbol]:
        """The values that topics have instead of those that are absent, where norms about them are
        beaten.
        """
        for atom in absent:
            topic = topic_of_atom(atom) if atom.name == "is" else None
            if topic is not None and topic in self._defeats:
                about = (layer.atoms_about("is", 2, functor_name(topic)) for layer in self._own)
                yield from (each for each in chain(*about) if each.arguments[0] == topic)

    def _offering(self, topic: clingo.Symbol) -> Iterable[clingo.Symbol]:
        """The topics of which it may be the value: the best of them counts, and so each bears on it."""
        found = dict.fromkeys(self._offers.get(topic, ()))
        for other in found.copy():
            found |= dict.fromkeys(self._offers.get(other, ()))
        return found

    def _behind(self, topic: clingo.Symbol) -> Iterator[clingo.Symbol]:
        """Why that is unknown on which an unknown topic hangs."""
        for why in self._reasons.get(topic, ()):
            if (why.type, why.name) == (clingo.SymbolType.Function, "of"):
                other = why.arguments[0]
                for behind in self._reasons.get(other, ()):
                    yield clingo.Function("unknown", [other, behind])

    def _by(self, name: str, arity: int, key: int, kept: int) -> _By:
        """By one argument of a predicate another of them, in order."""
        found: dict[clingo.Symbol, set[clingo.Symbol]] = {}
        for answer in self._own:
            for atom in answer.own_atoms(name, arity):
                found.setdefault(atom.arguments[key], set()).add(atom.arguments[kept])
        return {one: dict.fromkeys(sorted(others)) for one, others in found.items()}

    @cached_property
    def _defeats(self) -> dict[clingo.Symbol, tuple[clingo.Symbol, ...]]:
        """By topic the defeats of norms that speak of it: a lift may be of one that says nothing there."""
        found: _By = {}
        for answer in self._own:
            for atom in answer.own_atoms("defeated", 3):
                loser, topic, _ = atom.arguments
                if topic.name == "at":  # of a sight, at one place
                    topic = topic.arguments[0]
                elif topic.name != "s" and (loser, topic) not in answer.asserted:
                    continue
                found.setdefault(topic, {})[atom] = None
        return {topic: tuple(sorted(atoms)) for topic, atoms in found.items()}

    @cached_property
    def _offers(self) -> _By:
        """By topic those whose value may be its own."""
        return self._by("offers_value", 3, 1, 2)

    @cached_property
    def _conditions(self) -> _By:
        """By deed what norms require of it."""
        return self._by("requires", 3, 1, 2)

    @cached_property
    def _reasons(self) -> _By:
        """By topic why it is unknown."""
        return self._by("unknown", 2, 0, 1)
