"""Why an atom holds: a tree of norms from the atom down to facts of the board.

What is proved is the answer at hand: the ways in which an atom follows are looked up in the programs
that the answer is of, that of the question and that of the board (`rules_asp.knowledge.twins`), from the
goal down. So the cost is that of the proof, and what rests on the board alone is looked up once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import clingo

from rules_asp.knowledge.program import node_of
from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node
from rules_asp.knowledge.twins import Reasons, Support
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position


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
    position: Position,
    goals: Sequence[str],
    question: Question | None = None,
    answers: Sequence[Answer] | None = None,
) -> list[Step]:
    """A proof of least height for each goal; goals that do not hold are left out.

    `question` holds the facts that came with the question, if the goals hang on any; `answers` are those
    to it, if they are at hand. Else an answer is first sought on the part of the board that goals and
    question are about, and only if that does not hold all that is claimed, on the whole board.
    """
    found = _found(position, goals, question, answers)
    made: dict[clingo.Symbol, Step] = {}
    return [_tree(goal, found, made) for goal in found.goals]


def cited(
    position: Position,
    goals: Sequence[str],
    question: Question | None = None,
    answers: Sequence[Answer] | None = None,
) -> tuple[str, ...]:
    """The paragraphs that the proofs of these goals rest on, the nearest first."""
    found = _found(position, goals, question, answers)
    level = list(found.goals)
    norms: dict[str, None] = {}
    seen: set[clingo.Symbol] = set()
    while level:
        below: list[clingo.Symbol] = []
        for atom in level:
            if atom in seen or atom not in found.chosen:
                continue
            seen.add(atom)
            if norm := found.chosen[atom].rule.norm:
                norms.setdefault(norm)
            below += found.because(atom)
        level = below
    return position.program.paragraphs(norms)


@dataclass(frozen=True)
class _Found:
    """The goals that hold, all ways in which they and what they rest on follow, and the chosen ones."""

    goals: tuple[clingo.Symbol, ...] = ()
    supports: Mapping[clingo.Symbol, Sequence[Support]] = field(default_factory=dict)
    chosen: Mapping[clingo.Symbol, Support] = field(default_factory=dict)

    def because(self, atom: clingo.Symbol) -> tuple[clingo.Symbol, ...]:
        """What an atom rests on, with the elements of an aggregate."""
        option = self.chosen[atom]
        body = dict.fromkeys(option.body)
        if any(literal.elements for literal in option.rule.literals):
            # They come as further supports of the same rule.
            for other in self.supports[atom]:
                if other.rule is option.rule and other.body != option.body and not other.absent:
                    body |= dict.fromkeys(other.body)
        return tuple(body)


def _found(
    position: Position,
    goals: Sequence[str],
    question: Question | None,
    answers: Sequence[Answer] | None,
) -> _Found:
    atoms = [clingo.parse_term(goal) for goal in goals]
    nodes = tuple(dict.fromkeys(map(node_of, atoms)))
    for several in _answers(position, nodes, question, answers):
        for answer in several:
            case = position.cases[answer.case]
            held = [each for each in atoms if case.holds(each) or answer.holds(each)]
            if covered(goals, map(str, held)):
                ways = _supports(position, answer, held)
                return _Found(tuple(held), ways, _choose(ways))
    return _Found()


def _answers(
    position: Position,
    nodes: tuple[Node, ...],
    question: Question | None,
    answers: Sequence[Answer] | None,
) -> Iterator[Sequence[Answer]]:
    """Answers in which the goals may hold."""
    if answers is not None:
        yield answers
    elif position.program.later.isdisjoint(nodes):
        yield position.cases
    else:
        for local in (True, False):
            yield position.ask(nodes, question or Question(), local)


def _supports(
    position: Position, answer: Answer, goals: Iterable[clingo.Symbol]
) -> dict[clingo.Symbol, Sequence[Support]]:
    """All ways in which these atoms, and what these ways rest on, hold."""
    case = position.cases[answer.case]
    static = position.reasons[answer.case]
    later = static if answer is case else Reasons(position.program.twins, answer)
    found: dict[clingo.Symbol, Sequence[Support]] = {}
    level = list(dict.fromkeys(goals))
    while level:
        known = [atom for atom in level if case.holds(atom)]
        found |= static.of(known)
        found |= later.of(each for each in level if each not in found)
        below = (each for atom in level for way in found[atom] for each in way.body)
        level = [each for each in dict.fromkeys(below) if each not in found]
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
    level = list(steps)
    found: dict[str, None] = {}
    seen: set[str] = set()
    while level:
        below: list[Step] = []
        for step in level:
            if step.atom in seen:
                continue
            seen.add(step.atom)
            if step.norm:
                found.setdefault(step.norm)
            below += step.because
        level = below
    return list(found)


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


def _tree(atom: clingo.Symbol, found: _Found, made: dict[clingo.Symbol, Step]) -> Step:
    if atom not in made:
        option = found.chosen.get(atom)
        if option is None:
            made[atom] = Step(str(atom), None, given=True)
        else:
            below = tuple(_tree(each, found, made) for each in found.because(atom))
            absent = tuple(map(str, option.absent))
            made[atom] = Step(str(atom), option.rule.norm, below, absent)
    return made[atom]
