"""Why an atom holds: a tree of norms from the atom down to facts of the board.

Nothing is recorded while an answer is computed. When a proof is asked for, the answer set becomes the
facts of a second program in which every rule has a twin that fires only for atoms that are needed:

    why(17, head, (b1,b2), (c1,)) :- need(head), b1, b2, not c1.      need(b1) :- why(17,_,(b1,b2),_).

so its cost is that of the proof, not of the board.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import clingo

from rules_asp.knowledge.occasions import is_met, keys_of
from rules_asp.knowledge.program import WORKINGS, Program, node_of
from rules_asp.knowledge.running import ground, solve
from rules_asp.knowledge.source import Rule
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position

_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")


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


@dataclass(frozen=True)
class _Support:
    rule: Rule
    body: tuple[str, ...]
    absent: tuple[str, ...]


def prove(position: Position, goals: Sequence[str], question: Question | None = None) -> list[Step]:
    """A proof of least height for each goal; goals that do not hold are left out.

    `question` holds the facts that came with the question, if the goals hang on any. A proof is first
    sought on the part of the board that goals and question are about, and is held against what the
    whole board gives; only if it does not stand there, it is sought on the whole board.
    """
    question = question or Question()
    sought = [clingo.parse_term(goal) for goal in goals]
    nodes = set(map(node_of, sought))
    facts = position.board_facts
    for hexes in (position.around(question.also(sought)), None):
        board = facts.near(hexes)
        text = position.program.whole_cone(nodes, board.keys | question.keys)
        for answer in solve(text, board.text, question.text):
            atoms = {str(atom): atom for atom in answer.symbols}
            held = [goal for goal in goals if goal in atoms]
            supports = _supports(position.program, atoms, held)
            chosen = _choose(supports)
            steps = [_tree(goal, supports, chosen) for goal in held]
            if hexes is None or (covered(goals, held) and _stands(position, steps, atoms)):
                return steps
    return []


def covered(goals: Iterable[str], held: Iterable[str]) -> bool:
    """Whether everything that the goals claim is held."""
    return set(map(_claim, goals)) <= set(map(_claim, held))


def _claim(goal: str) -> str:
    """What a goal claims: of the value of a topic, that it is so, whichever way it came about."""
    name, _, rest = goal.partition("(")
    return f"value({rest}" if name in ("is", "total") else goal


def _stands(position: Position, steps: Iterable[Step], atoms: dict[str, clingo.Symbol]) -> bool:
    """Whether all that a proof says of the board's structure is so on the whole board."""
    structure = {node for rule in position.program.static_rules for node in rule.heads}
    structure = {node for node in structure if node.name not in WORKINGS}
    used = {step.atom for goal in steps for step in goal.walk() if not step.given}
    return all(
        any(case.holds(atoms[atom]) for case in position.cases)
        for atom in used
        if atom in atoms and node_of(atoms[atom]) in structure
    )


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


def cited(
    position: Position, goals: Sequence[str], question: Question | None = None
) -> tuple[str, ...]:
    """The paragraphs that the proofs of these goals rest on, the nearest first."""
    return position.program.paragraphs(norms_of(prove(position, goals, question)))


def _supports(
    program: Program, facts: dict[str, clingo.Symbol], goals: Sequence[str]
) -> dict[str, list[_Support]]:
    there = keys_of(facts.values())
    names = {name for name, _ in there}
    rules = [
        rule
        for rule, each in program.written
        if rule.head is not None
        and all(node.name in names for node in rule.positive)
        and all(is_met(key, there, names) for key in each.needs | each.gives)
    ]
    twins = [_twin(number, rule) for number, rule in enumerate(rules)]
    control = ground(
        program.defining(rules),
        "#defined why/4. #defined need/1.",
        "".join(f"{fact}.\n" for fact in facts),
        "".join(twins),
        "".join(f"need({goal})." for goal in goals),
    )
    supports: dict[str, list[_Support]] = {}
    for each in control.symbolic_atoms.by_signature("why", 4):
        number, head, body, absent = each.symbol.arguments
        supports.setdefault(str(head), []).append(
            _Support(
                rules[number.number],
                tuple(map(str, body.arguments)),
                tuple(map(str, absent.arguments)),
            )
        )
    return supports


def _twin(number: int, rule: Rule) -> str:
    count = 0

    def named(text: str) -> str:
        nonlocal count

        def fresh(_: re.Match[str]) -> str:
            nonlocal count
            count += 1
            return f"Any{count}"

        return _ANONYMOUS.sub(fresh, text)

    head = rule.head or ""
    atoms: list[str] = []
    absent: list[str] = []
    body: list[str] = []
    more: list[str] = []
    for literal in rule.literals:
        if literal.kind == "atom":
            text = named(literal.text)
            atoms.append(text)
            body.append(text)
            continue
        body.append(literal.text)
        if literal.kind == "absent" and not _ANONYMOUS.search(literal.text):
            absent.append(literal.text.removeprefix("not "))
        more += [named(each) for each in literal.elements]
    what = f"why({number},{head},{_tuple(atoms)},{_tuple(absent)})"
    twin = f"{what} :- {'; '.join([f'need({head})', *body])}.\n"
    twin += "".join(f"need({atom}) :- {what}.\n" for atom in atoms)
    for element in more:
        positive = [part for part in element.split(", ") if not part.startswith("not ")]
        element_atoms = [part for part in _split(element) if re.match(r"[a-z]\w*\(", part)]
        if positive and element_atoms:
            twin += f"need({element_atoms[0]}) :- {what}, {element}.\n"
            twin += f"why({number},{head},({element_atoms[0]},),()) :- {what}, {element}.\n"
    return twin


def _tuple(texts: Sequence[str]) -> str:
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"


def _split(text: str) -> list[str]:
    """Split a list of literals at its outer commas."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


def _choose(supports: dict[str, list[_Support]]) -> dict[str, _Support]:
    """For each atom its support of least height, so that no proof runs in a circle."""
    chosen: dict[str, _Support] = {}
    height: dict[str, int] = {}
    while True:
        new: dict[str, tuple[int, _Support]] = {}
        for atom, options in supports.items():
            if atom in chosen:
                continue
            ready = [
                (1 + max((height.get(each, 0) for each in option.body), default=0), place, option)
                for place, option in enumerate(options)
                if all(each in height or each not in supports for each in option.body)
            ]
            if ready:
                least = min(ready, key=lambda each: each[:2])
                new[atom] = (least[0], least[2])
        if not new:
            return chosen
        for atom, (tall, option) in new.items():
            chosen[atom] = option
            height[atom] = tall


def _tree(goal: str, supports: dict[str, list[_Support]], chosen: dict[str, _Support]) -> Step:
    made: dict[str, Step] = {}

    def make(atom: str) -> Step:
        if atom not in made:
            option = chosen.get(atom)
            if option is None:
                made[atom] = Step(atom, None, given=True)
            else:
                # An aggregate's elements come as further supports of the same rule.
                parts = [
                    each
                    for other in supports[atom]
                    if other.rule is option.rule
                    and other.body != option.body
                    and not other.absent
                    and option.rule.literals
                    and _has_elements(option.rule)
                    for each in other.body
                ]
                body = tuple(dict.fromkeys((*option.body, *parts)))
                made[atom] = Step(
                    atom, option.rule.norm, tuple(make(each) for each in body), option.absent
                )
        return made[atom]

    return make(goal)


def _has_elements(rule: Rule) -> bool:
    return any(literal.elements for literal in rule.literals)
