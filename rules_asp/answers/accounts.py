"""Atoms and proofs as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.answers.proof import Step, norms_of
from rules_asp.answers.unknowns import reason
from rules_asp.knowledge.tags import Norm
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import named, valued

#: Facts of every board that explain nothing.
_COMMONPLACE = frozenset(
    {
        "hex",
        "next",
        "norm",
        "section",
        "eye_at",
        "cell",
        "line",
        "asked_adjacent",
        "asked_deed",
        "ranked",
        "wins",
    }
)
#: What the calculus itself looks up, told by the norms that it weighs.
_BOOKKEEPING = frozenset(
    {"lost", "open", "stopped", "halted", "settled", "decided", "supposable", "outbid", "barred"}
)


@dataclass(frozen=True)
class Point:
    """A point of an account: what is so, by which norm (None: the board states it), and why.

    `again`: the account has given the reasons of this point already.
    """

    claim: str
    norm: str | None
    sense: str
    because: tuple[Point, ...] = ()
    again: bool = False

    def walk(self) -> Iterator[Point]:
        """This point and all below it."""
        yield self
        for each in self.because:
            yield from each.walk()


def account(steps: Iterable[Step], norms: Mapping[str, Norm]) -> tuple[Point, ...]:
    """Proofs as an account: the steps of norms that speak of what the vocabulary knows.

    Left out are the workings of the calculus, the helpers of kb/ and what every board states; what
    they rest on takes their place. A helper is told by the sense of its norm, once, where else the
    paragraph of the norm would not stand in the account.
    """
    steps = list(steps)
    points = _told(_Teller(norms, frozenset()), steps)
    told = (each.norm for top in points for each in top.walk())
    shown = {norms[norm].paragraph for norm in told if norm is not None and norm in norms}
    missing = {norm: norms[norm].paragraph for norm in norms_of(steps) if norm in norms}
    hidden: dict[str, str] = {}
    for norm, paragraph in missing.items():
        if paragraph not in shown:
            hidden.setdefault(paragraph, norm)
    return _told(_Teller(norms, frozenset(hidden.values())), steps) if hidden else points


def _told(teller: _Teller, steps: Iterable[Step]) -> tuple[Point, ...]:
    points = [point for step in steps for point in teller.goal(step)]
    return tuple(_once(point for point in points if not point.again))


class _Teller:
    """Remembers what it has told, so that it gives the reasons of a point once.

    `hidden` are norms that would give helpers alone.
    """

    def __init__(self, norms: Mapping[str, Norm], hidden: frozenset[str]) -> None:
        self.norms = norms
        self.hidden = hidden
        self.told: set[tuple[str, str | None]] = set()

    def goal(self, step: Step) -> list[Point]:
        """The points of what was to be proved."""
        atom = clingo.parse_term(step.atom)
        # That a topic has a value is told where it is said which way it came about.
        if atom.name == "value":
            return []
        claim = claim_of(atom)
        below = self.step(step, None)
        if len(below) == 1 and below[0].claim == claim:
            return below
        # What several norms lead to, or none, still is what was asked.
        return [Point(claim, None, "", tuple(below))]

    def step(self, step: Step, above: str | None) -> list[Point]:
        """The points of a step below one of the norm `above`."""
        atom = clingo.parse_term(step.atom)
        if step.given:
            return [] if atom.name in _COMMONPLACE else [Point(claim_of(atom), None, _sense(atom))]
        if step.norm in self.hidden and not _is_known(atom):
            point = Point(self.norms[step.norm].sense, step.norm, "")
            if (point.claim, point.norm) not in self.told:
                self.told.add((point.claim, point.norm))
                return [replace(point, because=tuple(self.reasons(step, step.norm)))]
        if step.norm is None or step.norm == above or not _is_known(atom):
            return self.reasons(step, above if step.norm is None else step.norm)
        norm = self.norms.get(step.norm)
        point = Point(claim_of(atom), step.norm, norm.sense if norm else "")
        if (point.claim, point.norm) in self.told:
            return [replace(point, again=True)]
        self.told.add((point.claim, point.norm))
        return [replace(point, because=tuple(self.reasons(step, step.norm)))]

    def reasons(self, step: Step, norm: str | None) -> list[Point]:
        """What a step of this norm rests on."""
        points = [point for each in step.because for point in self.step(each, norm)]
        if step.norm is not None:
            absent = (clingo.parse_term(each) for each in step.absent)
            points += [
                Point(f"not {claim_of(each)}", None, _sense(each))
                for each in absent
                if each.name not in _BOOKKEEPING
            ]
        return _once(points)


def _once(points: Iterable[Point]) -> list[Point]:
    """The points without repetition; what is told in one of them is not referred to beside it."""
    all_ = list(dict.fromkeys(points))
    inner = {(each.claim, each.norm) for point in all_ for each in point.walk() if not each.again}
    return [each for each in all_ if not each.again or (each.claim, each.norm) not in inner]


def _is_known(atom: clingo.Symbol) -> bool:
    """Whether an atom is of the calculus, or a notion that people know."""
    known = (atom.name, len(atom.arguments)) in _FORMS
    return known or vocabulary().predicate(atom.name) is not None


def claim_of(atom: clingo.Symbol) -> str:
    """An atom in words: `height(C3) = 2 1/2`, `C3/2 - D2/2 is blocked at C3`."""
    arguments = atom.arguments
    form = _FORMS.get((atom.name, len(arguments)))
    if form is not None:
        return form(arguments)
    entry = vocabulary().predicate(atom.name)
    kinds = entry.kinds if entry and len(entry.kinds) == len(arguments) else ("",) * len(arguments)
    inner = ", ".join(map(valued, arguments, kinds))
    return f"{atom.name}({inner})" if inner else atom.name


def touch(fact: clingo.Symbol, so: bool) -> str:
    """What a line would do with a drawing, if it did (or did not do) what the fact says."""
    arguments = [named(each) for each in fact.arguments]
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


def _sense(atom: clingo.Symbol) -> str:
    entry = vocabulary().predicate(atom.name)
    return entry.sense if entry else ""


def _equal(topic: clingo.Symbol, value: clingo.Symbol) -> str:
    entry = vocabulary().topics.get(topic.name)
    return f"{named(topic)} = {valued(value, entry.value if entry else '')}"


def _line(ends: Sequence[clingo.Symbol]) -> str:
    return f"the line {named(ends[0])} - {named(ends[1])}"


_FORMS: dict[tuple[str, int], Callable[[Sequence[clingo.Symbol]], str]] = {
    ("says", 3): lambda a: _equal(a[1], a[2]),
    ("offers", 3): lambda a: _equal(a[1], a[2]),
    ("takes", 3): lambda a: f"{named(a[1])} is that of {named(a[2])}",
    ("offers_value", 3): lambda a: f"{named(a[1])} may be that of {named(a[2])}",
    ("bid", 3): lambda a: _equal(a[1], a[2]),
    ("adds", 4): lambda a: f"{named(a[1])} has {named(a[2])} for {named(a[3])}",
    ("adds_value", 3): lambda a: f"{named(a[1])} has that of {named(a[2])}",
    ("stands", 3): lambda a: _equal(a[1], a[2]),
    ("is", 2): lambda a: _equal(a[0], a[1]),
    ("total", 2): lambda a: _equal(a[0], a[1]),
    ("value", 2): lambda a: _equal(a[0], a[1]),
    ("supposed", 2): lambda a: f"suppose {_equal(a[0], a[1])}",
    ("silent", 3): lambda a: f"{named(a[1])} is not known: {reason(a[2])}",
    ("unknown", 2): lambda a: f"{named(a[0])} is not known: {reason(a[1])}",
    ("conflict", 3): lambda a: f"{named(a[1])} clashes with {named(a[2])} on {named(a[0])}",
    ("permits", 2): lambda a: f"{named(a[1])} is allowed",
    ("forbids", 2): lambda a: f"{named(a[1])} is forbidden",
    ("requires", 3): lambda a: f"{named(a[1])} requires {named(a[2])}",
    ("legal", 1): lambda a: f"{named(a[0])} is legal",
    ("illegal", 2): lambda a: f"{named(a[0])} is illegal by {named(a[1])}",
    ("blocks", 3): lambda a: f"{named(a[1])} is blocked at {named(a[2])}",
    ("stopped", 3): lambda a: f"{named(a[0])} is blocked at {named(a[2])}",
    ("hinders", 4): lambda a: f"{named(a[1])} has a Hindrance of {named(a[3])} at {named(a[2])}",
    ("hindered", 4): lambda a: f"{named(a[0])} has a Hindrance of {named(a[3])} at {named(a[2])}",
    ("hindrance", 2): lambda a: f"{named(a[0])} has a Hindrance of {named(a[1])}",
    ("sees", 1): lambda a: f"{named(a[0])} is clear",
    ("clears", 2): lambda a: f"{named(a[1])} is clear",
    ("sight", 2): lambda a: f"{named(a[0])} is a line of sight",
    ("lifts", 3): lambda a: f"{named(a[1])} does not apply to {named(a[2])}",
    ("defeated", 3): lambda a: f"{named(a[0])} is beaten by {named(a[2])} on {named(a[1])}",
    ("violates", 3): lambda a: f"{named(a[2])}: {named(a[1]).replace('_', ' ')}",
    ("meets", 6): lambda a: f"{_line(a)} meets {named(a[3])} in {named(a[2])}",
    ("along", 3): lambda a: f"{_line(a)} runs along {named(a[2])}",
    ("crosses", 6): lambda a: f"{_line(a)} crosses the {named(a[2])} of {named(a[3])}",
    ("crosses_dot_line", 3): lambda a: f"{_line(a)} crosses what stands across {named(a[2])}",
    ("by_end", 3): lambda a: f"{_line(a)} meets the building at an end of {named(a[2])}",
    ("leaves_by", 4): lambda a: f"{_line(a)} leaves {named(a[2])} by {named(a[3])}",
    ("leaves_inside", 3): lambda a: f"{_line(a)} leaves {named(a[2])} inside the drawing",
    ("within", 2): lambda a: f"{_line(a)} runs inside one building's drawing",
}
