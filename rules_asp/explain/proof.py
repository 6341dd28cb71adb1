"""ProofStep, proofs, provenance (citations and defeats) of an atom.

What is proved is the answer at hand: the ways in which an atom follows are looked up in the programs
that the answer is of, that of the question and that of the board (`rules_asp.knowledge.support`), from the
goal down. So the cost is that of the proof, and what rests on the board alone is looked up once.

What is so of a topic or a deed is often so because a norm that says otherwise is beaten: a ban was lifted,
another value replaced. So each of these is a part of the proof, with what beats it. And where a norm would
say otherwise if one thing were not so, that thing is a part of the proof; and so is what a legal deed
requires.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from itertools import chain

import clingo

from rules_asp.explain.selection import SupportSearch, least_height_supports
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.knowledge.calculus import OTHER, calculus
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.dependencies import functor_name
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.support import Support, SupportFinder
from rules_asp.positions.position import Position

_YES = clingo.Function("yes")

_By = dict[clingo.Symbol, dict[clingo.Symbol, None]]


def topic_of_atom(atom: clingo.Symbol) -> clingo.Symbol | None:
    """The topic, deed or sight of which an atom tells the result; that it is asked is none."""
    return atom.arguments[0] if atom.name in calculus().verdicts else None


def _layers(answer: AnswerSet, case: AnswerSet) -> tuple[AnswerSet, ...]:
    """An answer to a question with the static answer set that it goes on from, if it is not that."""
    return (answer,) if answer is case else (answer, case)


class ImplicitPremises:
    """What bears on the results in an answer, and in the case of the board that it is of."""

    def __init__(self, answer: AnswerSet, case: AnswerSet) -> None:
        self._own = _layers(answer, case)
        self._defeats_of: dict[str, Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]]] = {}

    def on(self, atom: clingo.Symbol) -> Iterator[clingo.Symbol]:
        """What bears on the topic, deed or sight of which an atom tells the result."""
        topic = topic_of_atom(atom)
        if topic is None:
            return
        yield from self._defeats(topic)
        if atom.name in calculus().listed("gives_value"):
            for other in self._offering(topic):
                yield from self._defeats(other)
                # Were it not known, neither would be which is the best.
                known = clingo.Function("has_value", [other])
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
            if topic is not None and self._defeats(topic):
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

    def _defeats(self, topic: clingo.Symbol) -> Sequence[clingo.Symbol]:
        """The defeats of norms that speak of a topic: a lift may be of one that says nothing there."""
        kind = functor_name(topic)
        if kind not in self._defeats_of:
            self._defeats_of[kind] = self._defeats_about(kind)
        return self._defeats_of[kind].get(topic, ())

    def _defeats_about(self, kind: str) -> dict[clingo.Symbol, tuple[clingo.Symbol, ...]]:
        """By topic of a kind the defeats of norms that speak of it."""
        found: _By = {}
        for answer in self._own:
            for at in answer.atoms_about("defeated", 3, "at") if kind == "s" else ():
                found.setdefault(at.arguments[1].arguments[0], {})[at] = None  # at one place of it
            defeats = answer.atoms_about("defeated", 3, kind)
            asserted = answer.asserted_about(kind) if defeats and kind != "s" else ()
            for atom in defeats:
                loser, topic, _ = atom.arguments
                if kind == "s" or (loser, topic) in asserted:
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


# --- The steps of a proof.


class StepOrigin(StrEnum):
    """Where an atom comes from."""

    RULE = "rule"
    #: The board states it, or what every board has.
    BOARD = "board"
    #: It was measured on the drawings, or is what is asked.
    QUESTION = "question"
    #: The board leaves it open, and in this case it is so.
    SUPPOSED = "abduced"


@dataclass(frozen=True)
class ProofStep:
    """An atom of a proof: the rule it follows by (None: a fact) and what that rests on.

    `premises` are the atoms that the rule reads, in its order, and `negative_premises` those that it
    denies; `aggregate_premises` is what an aggregate of the rule ranges over. `defeats` is no part of
    the rule: what is beaten that would have it otherwise, what keeps a norm silent that would, what a
    deed required; nor is `notes`, on which the answer does not rest: the offers that are less than
    this one, and why that is unknown which this hangs on.
    `asked`: a fact of the question. `at` is the file of kb/ and the line of the rule: `b23/b23_3.lp:17`.
    """

    atom: str
    norm: str | None
    premises: tuple[ProofStep, ...] = ()
    negative_premises: tuple[str, ...] = ()
    given: bool = False
    asked: bool = False
    aggregate_premises: tuple[ProofStep, ...] = ()
    defeats: tuple[ProofStep, ...] = ()
    at: str | None = None
    notes: tuple[ProofStep, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same atom, in whatever proof it stands."""
        return f"s{sha256(self.atom.encode()).hexdigest()[:10]}"

    @property
    def origin(self) -> StepOrigin:
        """Where it comes from."""
        if not self.given:
            return StepOrigin.RULE
        name = self.atom.partition("(")[0]
        if name == "abduced":
            return StepOrigin.SUPPOSED
        return StepOrigin.QUESTION if self.asked else StepOrigin.BOARD

    @property
    def below(self) -> tuple[ProofStep, ...]:
        """All that it rests on, and what is told beside that."""
        return (*self.premises, *self.aggregate_premises, *self.defeats)

    def walk(self) -> Iterator[ProofStep]:
        """This step and all below it."""
        yield self
        for step in self.below:
            yield from step.walk()


def unique_steps(steps: Iterable[ProofStep]) -> Iterator[ProofStep]:
    """The steps of proofs, the nearest to the goals first, each once."""
    level = list(steps)
    seen: set[str] = set()
    while level:
        below: list[ProofStep] = []
        for step in level:
            if step.atom not in seen:
                seen.add(step.atom)
                yield step
                below += step.below
        level = below


def norms_in(steps: Iterable[ProofStep]) -> list[str]:
    """The ids of the norms that a proof uses, the nearest to the goal first, each once."""
    return list(dict.fromkeys(step.norm for step in unique_steps(steps) if step.norm))


def merged_steps(steps: Iterable[ProofStep]) -> list[ProofStep]:
    """Each step of some proofs once, with all that is told beside it in any of them.

    What beats a norm may rest on what it is told beside, and is not told there again.
    """
    found: dict[str, ProofStep] = {}
    told: set[tuple[str, tuple[str, ...]]] = set()
    todo = list(steps)[::-1]
    while todo:
        step = todo.pop()
        key = step.atom, tuple(each.atom for each in step.defeats)
        if key in told:
            continue
        told.add(key)
        if (known := found.get(step.atom)) is not None:
            beside = {each.atom: each for each in (*known.defeats, *step.defeats)}
            found[step.atom] = replace(known, defeats=tuple(beside.values()))
        else:
            found[step.atom] = step
        todo += (*step.notes[::-1], *step.below[::-1])
    return list(found.values())


# --- Proofs of atoms, and what they rest on.


#: A topic, deed or sight of which an atom tells the result, and the heads that would have it otherwise.
_Result = tuple[clingo.Symbol, frozenset[str]]


@dataclass(frozen=True)
class Defeat:
    """A norm that would have it otherwise, and by which it is beaten, on what: a topic, deed or sight."""

    norm: str
    by: str
    about: str


@dataclass(frozen=True)
class Provenance:
    """What an answer rests on: paragraphs, the nearest first, and the norms that are beaten on the way."""

    cites: Citations = NO_CITATIONS
    beaten: tuple[Defeat, ...] = ()

    def __or__(self, other: Provenance) -> Provenance:
        beaten = dict.fromkeys((*self.beaten, *other.beaten))
        return Provenance(self.cites.union(other.cites), tuple(beaten))


@dataclass(frozen=True)
class Evidence:
    """What an answer rests on: atoms, and the answer sets that have them.

    The citations and the proof come from one look-up of supports. It holds programs of clingo, and so lives
    only while an answer is made. `searches` are the look-ups of each answer set, shared with whatever else is
    proved in it.
    """

    position: Position
    goals: tuple[str, ...]
    answers: Sequence[AnswerSet]
    #: Whether what is as near is told in the order of the goals, or else of their texts.
    in_order: bool = False
    searches: dict[int, SupportSearch] = field(default_factory=dict, repr=False, compare=False)

    def of(self, goals: Iterable[str]) -> Evidence:
        """The same for other atoms of the same answer sets."""
        return replace(self, goals=tuple(goals))

    @cached_property
    def _whole(self) -> _Found | None:
        """The supports in the first answer set that holds all that the goals claim.

        What no answer set holds, such as a `no` of which nothing speaks, is nothing to be proved.
        """
        claimed = [str(atom) for each in self._held for atom in each]
        for answer, each in zip(self.answers, self._held, strict=True):
            if each and covers(claimed, map(str, each)):
                return _proofs(self._search(answer), answer, each)
        return None

    @cached_property
    def _found(self) -> Sequence[_Found]:
        """The supports in that answer set, or else in each, as where the cases that a board leaves open
        differ.
        """
        if self._whole is not None:
            return [self._whole]
        each = zip(self.answers, self._held, strict=True)
        return [_proofs(self._search(answer), answer, held) for answer, held in each if held]

    @cached_property
    def _held(self) -> list[list[clingo.Symbol]]:
        """By answer set, those of the goals that it holds."""
        # The order in which clingo came to them may be another each time.
        goals = self.goals if self.in_order else sorted(self.goals)
        atoms = [clingo.parse_term(goal) for goal in goals]
        return [_held(self.position, atoms, answer) for answer in self.answers]

    @property
    def agrees(self) -> bool:
        """Whether one answer set holds all that the goals claim."""
        return self._whole is not None

    def _search(self, answer: AnswerSet) -> SupportSearch:
        if id(answer) not in self.searches:
            self.searches[id(answer)] = SupportSearch(self.position, answer)
        return self.searches[id(answer)]

    @cached_property
    def provenance(self) -> Provenance:
        """The citations and the defeats on the way."""
        chosen = (
            one.chosen[atom].rule.norm
            for one in self._found
            for atom in one.walk()
            if atom in one.chosen
        )
        cites = self.position.program.paragraphs(norm for norm in chosen if norm)
        atoms = (atom for one in self._found for atom in one.walk())
        return Provenance(cites, _beaten(atoms, self.position.notation))

    def steps(self, asides: bool = False) -> list[ProofStep]:
        """A proof of least height for each goal that holds, in their order.

        `asides`: with what is told besides, on which an answer does not rest.
        """
        order = {clingo.parse_term(goal): place for place, goal in enumerate(self.goals)}
        made = []
        for one in self._found:
            found = replace(one, goals=tuple(sorted(one.goals, key=order.__getitem__)))
            if asides:
                found = _with_asides(found)
            trees = _Trees(found, self.position.program.vocabulary)
            made += [trees.of(goal) for goal in found.goals]
        return made


def prove(
    position: Position,
    goals: Sequence[str],
    answers: Sequence[AnswerSet] | None = None,
    asides: bool = False,
) -> list[ProofStep]:
    """The proofs of goals in the first answer set that holds all that they claim; none without one.

    `answers` None: they rest on the board alone. See `Evidence`.
    """
    answers = position.cases if answers is None else answers
    evidence = Evidence(position, tuple(goals), answers, in_order=True)
    return evidence.steps(asides) if evidence.agrees else []


def provenance(
    position: Position, goals: Sequence[str], answers: Sequence[AnswerSet] | None = None
) -> Provenance:
    """What the proofs of these goals rest on; see `Evidence`."""
    answers = position.cases if answers is None else answers
    return Evidence(position, tuple(goals), answers).provenance


@dataclass(frozen=True)
class Grounds:
    """What a part of an answer rests on, and the evidence of that while the answer is made."""

    provenance: Provenance = Provenance()
    evidence: tuple[Evidence, ...] = ()

    def __or__(self, other: Grounds) -> Grounds:
        evidence = (*self.evidence, *other.evidence)
        return Grounds(self.provenance | other.provenance, evidence)


@dataclass(frozen=True)
class MissingCondition:
    """A norm that could make something so, what it lacks here, and where its rule stands in kb/.

    Without a norm it is for the board to say.
    """

    norm: str | None
    condition: str
    at: str | None


@dataclass(frozen=True)
class Proof:
    """Why an answer is so: the proofs of what it rests on, its citations, and the defeats on the way.

    `missing` is what norms lack that could make so what nothing makes so.
    """

    steps: tuple[ProofStep, ...] = ()
    provenance: Provenance = Provenance()
    missing: tuple[MissingCondition, ...] = ()

    @property
    def cites(self) -> Citations:
        """The paragraphs, the nearest to the answer first."""
        return self.provenance.cites


def proof_of(evidence: Iterable[Evidence], missing: Iterable[MissingCondition] = ()) -> Proof:
    """The proof of all evidence of an answer."""
    steps: list[ProofStep] = []
    on = Provenance()
    for each in evidence:
        steps += each.steps(asides=True)
        on |= each.provenance
    return Proof(tuple(_outermost(steps)), on, tuple(missing))


def _outermost(steps: Iterable[ProofStep]) -> Iterator[ProofStep]:
    """The proofs without those that stand in one before them: what a proof rests on is told there."""
    told: set[str] = set()
    for step in steps:
        if step.atom not in told:
            told.update(each.atom for each in unique_steps([step]))
            told.update(each.atom for note in step.notes for each in unique_steps([note]))
            yield step


#: What tells whether a deed is legal, or leaves a topic unknown.
UNKNOWN = (("unknown", 2),)
LEGALITY = (*UNKNOWN, ("illegal", 2), ("legal", 1))


def goals_about(
    answers: Iterable[AnswerSet],
    signatures: Collection[tuple[str, int]],
    fits: Callable[[clingo.Symbol], bool],
) -> list[str]:
    """The goals of some predicates whose first argument fits, in any answer set."""
    found = (a for each in answers for name in signatures for a in each.own_atoms(*name))
    return list(dict.fromkeys(str(atom) for atom in found if fits(atom.arguments[0])))


def goals_of(
    answers: Iterable[AnswerSet],
    signatures: Collection[tuple[str, int]],
    topics: Collection[clingo.Symbol],
) -> list[str]:
    """The goals of some predicates about these topics, in any answer set."""
    found = (
        atom
        for each in answers
        for name in signatures
        for topic in topics
        for atom in each.own_atoms_by_first(*name).get(topic, ())
    )
    return list(dict.fromkeys(map(str, found)))


def value_goals(topics: Collection[clingo.Symbol], answers: Sequence[AnswerSet]) -> list[str]:
    """The goals that give topics their values, or leave them unknown, in any answer set.

    Of a sum the total holds, of what is no sum the value; what does not hold is no goal in the end.
    """
    told = ((topic, each.values.get(topic)) for each in answers for topic in topics)
    known = (f"({topic},{value})" for topic, value in told if value is not None)
    goals = dict.fromkeys(f"{name}{claim}" for claim in known for name in ("is", "total"))
    return [*goals, *goals_of(answers, UNKNOWN, topics)]


def provenance_of(position: Position, steps: Iterable[ProofStep]) -> Provenance:
    """What proofs rest on."""
    steps = list(unique_steps(steps))
    norms = dict.fromkeys(step.norm for step in steps if step.norm)
    defeats = (step.atom for step in steps if step.atom.startswith("defeated("))
    beaten = _beaten(map(clingo.parse_term, defeats), position.notation)
    return Provenance(position.program.paragraphs(norms), beaten)


def _beaten(atoms: Iterable[clingo.Symbol], notation: Notation) -> tuple[Defeat, ...]:
    found = (atom.arguments for atom in atoms if atom.name == "defeated")
    told = (Defeat(norm.string, by.string, notation.term_text(about)) for norm, about, by in found)
    return tuple(dict.fromkeys(told))


@dataclass(frozen=True)
class _Found:
    """The goals that hold, all ways in which they and what they rest on follow, and the chosen ones.

    `beaten` tells for some atoms which norms are beaten that would have them otherwise, `aside` what is
    told besides and is not what they rest on.
    """

    search: SupportSearch
    answer: AnswerSet
    goals: tuple[clingo.Symbol, ...] = ()
    supports: Mapping[clingo.Symbol, Sequence[Support]] = field(default_factory=dict)
    chosen: Mapping[clingo.Symbol, Support] = field(default_factory=dict)
    beaten: Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]] = field(default_factory=dict)
    aside: Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]] = field(default_factory=dict)

    def extended(self, goals: Iterable[clingo.Symbol]) -> _Found:
        """The same with the supports of more goals, and the choice among all of them."""
        supports = self.search.extend(self.supports, goals)
        return replace(self, supports=supports, chosen=least_height_supports(supports))

    def walk(self) -> Iterator[clingo.Symbol]:
        """The atoms of the proofs, the nearest to the goals first."""
        level = list(dict.fromkeys(self.goals))
        seen = set(level)
        while level:
            yield from level
            below = (each for atom in level for each in self.because(atom))
            level = [each for each in dict.fromkeys(below) if each not in seen]
            seen.update(level)

    def told(self) -> list[clingo.Symbol]:
        """The atoms of the proofs, with those that are told aside."""
        found = dict.fromkeys(self.walk())
        todo = list(found)
        for atom in todo:
            for each in (*self.because(atom), *self.aside.get(atom, ())):
                if each not in found:
                    found[each] = None
                    todo.append(each)
        return todo

    def because(self, atom: clingo.Symbol) -> tuple[clingo.Symbol, ...]:
        """What an atom rests on, with the elements of an aggregate and with what is beaten."""
        option = self.chosen.get(atom)
        if option is None:
            return ()
        body = (*option.body, *self.counted(atom), *self.beaten.get(atom, ()))
        return tuple(dict.fromkeys(body))

    def counted(self, atom: clingo.Symbol) -> tuple[clingo.Symbol, ...]:
        """What the aggregates of the rule range over by which an atom follows."""
        option = self.chosen[atom]
        # They come as further supports of the same rule.
        more = (each for each in self.supports[atom] if each.part and each.rule is option.rule)
        return tuple(dict.fromkeys(atom for each in more for atom in each.body))


def _held(
    position: Position, atoms: Iterable[clingo.Symbol], answer: AnswerSet
) -> list[clingo.Symbol]:
    """Those of the atoms that an answer holds, or the case of the board that it is of."""
    case = position.cases[answer.static_case]
    return [each for each in atoms if case.holds(each) or answer.holds(each)]


def _proofs(search: SupportSearch, answer: AnswerSet, goals: Sequence[clingo.Symbol]) -> _Found:
    """The proofs of goals that hold, and of what is beaten on the way."""
    implicit = ImplicitPremises(answer, search.case)
    found = _Found(search, answer, tuple(goals))
    denied: dict[clingo.Symbol, None] = {}
    new = list(goals)
    while new:
        found = found.extended(new)
        told = {_result(atom) for atom in found.beaten}
        telling: dict[_Result, clingo.Symbol] = {}
        for atom in found.walk():
            result = _result(atom)
            if result is not None and result not in told:
                telling.setdefault(result, atom)
        kept = _kept_silent(telling, search)
        fresh = {
            atom: tuple(dict.fromkeys((*implicit.on(atom), *kept[result])))
            for result, atom in telling.items()
        }
        for atom in found.walk():
            if atom in found.chosen and atom not in denied:
                denied[atom] = None
                if instead := tuple(implicit.instead_of(found.chosen[atom].absent)):
                    fresh[atom] = (*fresh.get(atom, found.beaten.get(atom, ())), *instead)
        new = [each for several in fresh.values() for each in several]
        found = replace(found, beaten={**found.beaten, **fresh})
    return found


def _with_asides(found: _Found) -> _Found:
    """The proofs with lesser offers, and why that is unknown which something hangs on."""
    layers = _layers(found.answer, found.search.case)
    bids = _grouped(atom for each in layers for atom in each.own_atoms("undefeated_offer", 3))
    unknown = _grouped(atom for each in layers for atom in each.own_atoms("unknown", 2))
    aside: dict[clingo.Symbol, tuple[clingo.Symbol, ...]] = {}
    while new := [atom for atom in found.told() if atom not in aside]:
        aside |= {atom: tuple(_aside(atom, bids, unknown)) for atom in new}
        goals = [each for atom in new for each in aside[atom]]
        found = replace(found.extended(goals), aside=aside)
    return found


def _grouped(
    atoms: Iterable[clingo.Symbol],
) -> dict[clingo.Symbol, dict[clingo.Symbol, None]]:
    """Atoms by their topic."""
    found: dict[clingo.Symbol, dict[clingo.Symbol, None]] = {}
    for atom in atoms:
        found.setdefault(atom.arguments[calculus().topic_place[atom.name]], {})[atom] = None
    return found


def _aside(
    atom: clingo.Symbol,
    bids: Mapping[clingo.Symbol, Iterable[clingo.Symbol]],
    unknown: Mapping[clingo.Symbol, Iterable[clingo.Symbol]],
) -> Iterator[clingo.Symbol]:
    """What is told besides an atom, and is not what it rests on."""
    match atom.name, atom.arguments:
        case "undefeated_value", [_, topic, value]:
            yield from (bid for bid in bids.get(topic, ()) if bid.arguments[2] < value)
        case "unknown", [_, why] if (why.name, len(why.arguments)) == ("of", 1):
            yield from unknown.get(why.arguments[0], ())


def _result(atom: clingo.Symbol) -> _Result | None:
    """What an atom tells the result of, and the heads by which a norm would have it otherwise."""
    topic = topic_of_atom(atom)
    opposing = calculus().opposing
    return None if topic is None else (topic, opposing.get(atom.name, opposing[OTHER]))


def _kept_silent(
    telling: Mapping[_Result, clingo.Symbol], search: SupportSearch
) -> dict[_Result, list[clingo.Symbol]]:
    """By result what alone keeps norms from having it otherwise than an atom tells."""
    static = search.static
    on_board: dict[clingo.Symbol, None] = {}
    others: dict[clingo.Symbol, None] = {}
    for (topic, _), atom in telling.items():
        (on_board if static.holds(atom) else others)[topic] = None
    missed = static.blocked_assertions(on_board, (), static)
    missed |= search.later.blocked_assertions(others, search.later_signatures, static)
    kept: dict[_Result, list[clingo.Symbol]] = {}
    for (topic, heads), atom in telling.items():
        found = (
            each.exception
            for each in missed.get(topic, ())
            if each.assertion.name in heads or _would_beat(each.assertion, atom, static)
        )
        kept[topic, heads] = sorted(found)
    return kept


def _would_beat(said: clingo.Symbol, atom: clingo.Symbol, static: SupportFinder) -> bool:
    """Whether what a norm would say beats the ban that an atom tells of."""
    if atom.name != "illegal":
        return False
    return static.holds(clingo.Function("wins", [said.arguments[0], atom.arguments[1]]))


def covers(goals: Iterable[str], held: Iterable[str]) -> bool:
    """Whether everything that the goals claim is held."""
    return set(map(_claim, goals)) <= set(map(_claim, held))


def _claim(goal: str) -> str:
    """What a goal claims: of the value of a topic, that it is so, whichever way it came about."""
    name, _, rest = goal.partition("(")
    return f"value({rest}" if name in ("is", "total") else goal


class _Trees:
    """The steps of proofs, each made once."""

    def __init__(self, found: _Found, words: Vocabulary) -> None:
        self._found = found
        self._derived = words.derived
        self._made: dict[clingo.Symbol, ProofStep] = {}
        self._bare: dict[clingo.Symbol, ProofStep] = {}

    def of(self, atom: clingo.Symbol, above: frozenset[clingo.Symbol] = frozenset()) -> ProofStep:
        """An atom with all that it rests on, and what is told beside it and is not `above`."""
        if atom not in self._made:
            here = above | {atom}

            # What beats a norm may rest on what is proved above: that is not told again.
            def of(each: clingo.Symbol) -> ProofStep:
                return self.bare(each) if each in here else self.of(each, here)

            told = [each for each in self._found.beaten.get(atom, ()) if each not in here]
            aside = [each for each in self._found.aside.get(atom, ()) if each not in here]
            self._made[atom] = self._step(atom, of, told, aside)
        return self._made[atom]

    def bare(self, atom: clingo.Symbol) -> ProofStep:
        """An atom with all that it rests on, which never comes in a circle."""
        if atom not in self._bare:
            self._bare[atom] = self._step(atom, self.bare)
        return self._bare[atom]

    def _step(
        self,
        atom: clingo.Symbol,
        of: Callable[[clingo.Symbol], ProofStep],
        beside: Iterable[clingo.Symbol] = (),
        aside: Iterable[clingo.Symbol] = (),
    ) -> ProofStep:
        option = self._found.chosen.get(atom)
        if option is None:
            return ProofStep(str(atom), None, given=True, asked=atom.name in self._derived)
        rule = option.rule
        return ProofStep(
            str(atom),
            rule.norm,
            tuple(map(of, option.body)),
            tuple(map(str, option.absent)),
            aggregate_premises=tuple(map(of, self._found.counted(atom))),
            defeats=tuple(map(of, beside)),
            at=f"{rule.file}:{rule.line}",
            notes=tuple(map(of, aside)),
        )
