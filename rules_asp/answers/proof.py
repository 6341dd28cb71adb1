"""Why an atom holds: a tree of norms from the atom down to facts of the board.

What is proved is the answer at hand: the ways in which an atom follows are looked up in the programs
that the answer is of, that of the question and that of the board (`rules_asp.knowledge.look_ups`), from the
goal down. So the cost is that of the proof, and what rests on the board alone is looked up once.

What is so of a topic or a deed is often so because a norm that says otherwise is beaten: a ban was lifted,
another value replaced. So each of these is a part of the proof, with what beats it. And where a norm would
say otherwise if one thing were not so, that thing is a part of the proof; and so is what a legal deed
requires.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import clingo

from rules_asp.answers.bearings import Bearing, topic_of
from rules_asp.answers.in_force import Force
from rules_asp.knowledge.cites import NO_CITES, Cites
from rules_asp.knowledge.heads import HEADS
from rules_asp.knowledge.look_ups import Reasons, Support
from rules_asp.knowledge.running import Answer
from rules_asp.positions.prepared import Position
from rules_asp.terms.names import named

_RANKED = "ranked"
_VALUES = frozenset(
    ("says", "takes", "offers", "offers_value", "adds", "adds_value", "silent", "lifts")
)
#: By which heads a norm would have it otherwise than the calculus says of a deed or a sight; of a topic it is
#: by those that give values.
_OTHERWISE = {
    "legal": frozenset(("forbids", "requires", "silent")),
    "illegal": frozenset(("lifts",)),
    "sees": frozenset(("blocks", "hinders", "silent")),
    "hindrance": frozenset(("blocks", "hinders", "silent", "lifts")),
    "hindered": frozenset(("lifts", "clears")),
    "stopped": frozenset(("lifts", "clears")),
    "unknown": frozenset(HEADS),
}


@dataclass(frozen=True)
class Step:
    """An atom of a proof: the rule it follows by (None: a fact of the board) and what that rests on."""

    atom: str
    norm: str | None
    because: tuple[Step, ...] = ()
    absent: tuple[str, ...] = ()
    given: bool = False

    def walk(self) -> Iterator[Step]:
        """This step and all below it."""
        yield self
        for step in self.because:
            yield from step.walk()


def prove(
    position: Position, goals: Sequence[str], answers: Sequence[Answer] | None = None
) -> list[Step]:
    """A proof of least height for each goal; goals that do not hold are left out.

    `answers` are those to the question that the goals come from; None: they rest on the board alone.
    """
    found = _found(position, goals, answers)
    made: dict[clingo.Symbol, Step] = {}
    return [_tree(goal, found, made) for goal in found.goals]


@dataclass(frozen=True)
class Beaten:
    """A norm that would have it otherwise, and by which it is beaten, on what: a topic, deed or sight."""

    norm: str
    by: str
    about: str


@dataclass(frozen=True)
class Grounds:
    """What an answer rests on: paragraphs, the nearest first, and the norms that are beaten on the way."""

    cites: Cites = NO_CITES
    beaten: tuple[Beaten, ...] = ()


def grounds(
    position: Position, goals: Sequence[str], answers: Sequence[Answer] | None = None
) -> Grounds:
    """What the proofs of these goals rest on.

    Where no answer has them all, as where the cases that a board leaves open differ, each has its own.
    """
    answers = position.cases if answers is None else answers
    found = _found(position, goals, answers)
    each = [found] if found.goals else _found_apart(position, goals, answers)
    chosen = (
        one.chosen[atom].rule.norm for one in each for atom in one.walk() if atom in one.chosen
    )
    cites = position.program.paragraphs(norm for norm in chosen if norm)
    return Grounds(cites, _beaten(atom for one in each for atom in one.walk()))


def grounds_of(position: Position, steps: Iterable[Step]) -> Grounds:
    """What proofs rest on."""
    steps = list(_once(steps))
    norms = dict.fromkeys(step.norm for step in steps if step.norm)
    defeats = (step.atom for step in steps if step.atom.startswith("defeated("))
    return Grounds(position.program.paragraphs(norms), _beaten(map(clingo.parse_term, defeats)))


def _beaten(atoms: Iterable[clingo.Symbol]) -> tuple[Beaten, ...]:
    found = (atom.arguments for atom in atoms if atom.name == "defeated")
    told = (Beaten(norm.string, by.string, named(about)) for norm, about, by in found)
    return tuple(dict.fromkeys(told))


@dataclass(frozen=True)
class _Found:
    """The goals that hold, all ways in which they and what they rest on follow, and the chosen ones.

    `beaten` tells for some atoms which norms are beaten that would have them otherwise.
    """

    goals: tuple[clingo.Symbol, ...] = ()
    supports: Mapping[clingo.Symbol, Sequence[Support]] = field(default_factory=dict)
    chosen: Mapping[clingo.Symbol, Support] = field(default_factory=dict)
    beaten: Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]] = field(default_factory=dict)

    def walk(self) -> Iterator[clingo.Symbol]:
        """The atoms of the proofs, the nearest to the goals first."""
        level = list(dict.fromkeys(self.goals))
        seen = set(level)
        while level:
            yield from level
            below = (each for atom in level for each in self.because(atom))
            level = [each for each in dict.fromkeys(below) if each not in seen]
            seen.update(level)

    def because(self, atom: clingo.Symbol) -> tuple[clingo.Symbol, ...]:
        """What an atom rests on, with the elements of an aggregate and with what is beaten."""
        option = self.chosen.get(atom)
        if option is None:
            return ()
        body = dict.fromkeys(option.body)
        if any(literal.elements for literal in option.rule.literals):
            # They come as further supports of the same rule.
            for other in self.supports[atom]:
                if other.rule is option.rule and other.body != option.body and not other.absent:
                    body |= dict.fromkeys(other.body)
        return (*body, *self.beaten.get(atom, ()))


def _found(position: Position, goals: Sequence[str], answers: Sequence[Answer] | None) -> _Found:
    """The proofs in the first of the answers that holds all that the goals claim.

    What no answer holds, such as a `no` of which nothing speaks, is nothing to be proved.
    """
    atoms = [clingo.parse_term(goal) for goal in goals]
    answers = position.cases if answers is None else answers
    held = [_held(position, atoms, answer) for answer in answers]
    claimed = [str(atom) for each in held for atom in each]
    for answer, each in zip(answers, held, strict=True):
        if each and covered(claimed, map(str, each)):
            return _proofs(position, answer, each)
    return _Found()


def _found_apart(
    position: Position, goals: Sequence[str], answers: Sequence[Answer]
) -> list[_Found]:
    """The proofs in each of the answers, of those goals that it holds."""
    atoms = [clingo.parse_term(goal) for goal in goals]
    return [_proofs(position, each, _held(position, atoms, each)) for each in answers]


def _held(
    position: Position, atoms: Iterable[clingo.Symbol], answer: Answer
) -> list[clingo.Symbol]:
    """Those of the atoms that an answer holds, or the case of the board that it is of."""
    case = position.cases[answer.case]
    return [each for each in atoms if case.holds(each) or answer.holds(each)]


def _proofs(position: Position, answer: Answer, goals: Sequence[clingo.Symbol]) -> _Found:
    """The proofs of goals that hold, and of what is beaten on the way."""
    case = position.cases[answer.case]
    static = position.reasons[answer.case]
    later = static if answer is case else Reasons(position.program.twins, answer)
    bearing = Bearing(answer, case)
    force = Force(position.program.norms, case)
    found = _Found(tuple(goals))
    new = list(goals)
    while new:
        ways = {**found.supports, **_supports(case, static, later, force, new, found.supports)}
        found = replace(found, supports=ways, chosen=_choose(ways))
        told = {topic_of(atom) for atom in found.beaten}
        telling: dict[clingo.Symbol, clingo.Symbol] = {}
        for atom in found.walk():
            topic = topic_of(atom)
            if topic is not None and topic not in told:
                telling.setdefault(topic, atom)
        kept = _kept_silent(position, telling, goals, later, static)
        fresh = {
            atom: tuple(dict.fromkeys((*bearing.on(atom), *kept[topic])))
            for topic, atom in telling.items()
        }
        new = [each for several in fresh.values() for each in several]
        found = replace(found, beaten={**found.beaten, **fresh})
    return found


def _kept_silent(
    position: Position,
    telling: Mapping[clingo.Symbol, clingo.Symbol],
    goals: Collection[clingo.Symbol],
    later: Reasons,
    static: Reasons,
) -> dict[clingo.Symbol, list[clingo.Symbol]]:
    """By topic, deed or sight what alone keeps norms from having it otherwise than an atom tells.

    Of what rests on the board alone this is told of the goals only.
    """
    board = [topic for topic, atom in telling.items() if static.holds(atom)]
    asked = [topic for topic in board if telling[topic] in goals]
    missed = static.missed(asked, (), static)
    missed |= later.missed(telling.keys() - board, position.program.later, static)
    kept: dict[clingo.Symbol, list[clingo.Symbol]] = {}
    for topic, atom in telling.items():
        heads = _OTHERWISE.get(atom.name, _VALUES)
        found = [each.but for each in missed.get(topic, ()) if each.said.name in heads]
        kept[topic] = sorted(found)
    return kept


def _supports(
    case: Answer,
    static: Reasons,
    later: Reasons,
    force: Force,
    goals: Iterable[clingo.Symbol],
    known: Mapping[clingo.Symbol, Sequence[Support]],
) -> dict[clingo.Symbol, Sequence[Support]]:
    """All ways in which these atoms, and what these ways rest on, hold; those that are known apart.

    Left out are ways by norms that are not in force, such as who wins over one of them.
    """
    found: dict[clingo.Symbol, Sequence[Support]] = {}
    level = [each for each in dict.fromkeys(goals) if each not in known]
    while level:
        # That a norm is in some ranking, whichever, saves a search and is no reason.
        found |= {atom: () for atom in level if atom.name == _RANKED}
        level = [each for each in level if each not in found]
        ways = static.of(atom for atom in level if case.holds(atom))
        ways |= later.of(each for each in level if each not in ways)
        found |= {atom: tuple(filter(force.has, several)) for atom, several in ways.items()}
        below = (each for atom in level for way in found[atom] for each in way.body)
        new = dict.fromkeys(below)
        level = [each for each in new if each not in found and each not in known]
    return found


def covered(goals: Iterable[str], held: Iterable[str]) -> bool:
    """Whether everything that the goals claim is held."""
    return set(map(_claim, goals)) <= set(map(_claim, held))


def _claim(goal: str) -> str:
    """What a goal claims: of the value of a topic, that it is so, whichever way it came about."""
    name, _, rest = goal.partition("(")
    return f"value({rest}" if name in ("is", "total") else goal


def norms_of(steps: Iterable[Step]) -> list[str]:
    """The ids of the norms that a proof uses, the nearest to the goal first, each once."""
    return list(dict.fromkeys(step.norm for step in _once(steps) if step.norm))


def _once(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps of proofs, the nearest to the goals first, each once."""
    level = list(steps)
    seen: set[str] = set()
    while level:
        below: list[Step] = []
        for step in level:
            if step.atom not in seen:
                seen.add(step.atom)
                yield step
                below += step.because
        level = below


def _choose(
    supports: Mapping[clingo.Symbol, Sequence[Support]],
) -> dict[clingo.Symbol, Support]:
    """For each atom its support of least height, the first of these, so that no proof runs in a circle."""
    options = [(atom, way) for atom, ways in supports.items() for way in ways]
    bodies = [frozenset(way.body) for _, way in options]
    missing = list(map(len, bodies))
    read_by: dict[clingo.Symbol, list[int]] = {}
    for number, body in enumerate(bodies):
        for each in body:
            read_by.setdefault(each, []).append(number)
    chosen: dict[clingo.Symbol, Support] = {}
    ready = [number for number, count in enumerate(missing) if not count]
    reached = [each for each in read_by if not supports.get(each)]
    while ready or reached:
        for each in reached:
            for number in read_by.get(each, ()):
                missing[number] -= 1
                if not missing[number]:
                    ready.append(number)
        reached = []
        for number in sorted(ready):
            atom, way = options[number]
            if atom not in chosen:
                chosen[atom] = way
                reached.append(atom)
        ready = []
    return chosen


def _tree(
    atom: clingo.Symbol,
    found: _Found,
    made: dict[clingo.Symbol, Step],
    above: frozenset[clingo.Symbol] = frozenset(),
) -> Step:
    if atom not in made:
        option = found.chosen.get(atom)
        if option is None:
            made[atom] = Step(str(atom), None, given=True)
        else:
            here = above | {atom}
            # What beats a norm may rest on what is proved above: that is not told again.
            below = (each for each in found.because(atom) if each not in here)
            steps = tuple(_tree(each, found, made, here) for each in below)
            made[atom] = Step(str(atom), option.rule.norm, steps, tuple(map(str, option.absent)))
    return made[atom]
