"""Proofs of atoms, and their provenance (citations and defeats).

A proof explains the answer sets of the given answer. From the goals down, it finds the supports of
each atom in the query program and in the static program (`rules_asp.knowledge.support`). The cost
is that of the proof, and supports in the static program are found once.

A value often holds because an opposing norm is defeated: a ban was lifted, another value replaced.
The proof includes each defeat and the winning norm. It also includes exceptions that block an
opposing norm, and the conditions that a legal action requires.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from itertools import chain

import clingo

from rules_asp.explain.proof_choice import SupportSearch, least_height_supports
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
    """Return the topic, action or LOS whose result the atom states; None for an atom of the
    question."""
    return atom.arguments[0] if atom.name in calculus().verdicts else None


def _layers(answer: AnswerSet, case: AnswerSet) -> tuple[AnswerSet, ...]:
    """Return an answer set, and the static answer set below it if that is another one."""
    return (answer,) if answer is case else (answer, case)


class ImplicitPremises:
    """Premises of results that no rule body names: defeats, other offers and met conditions."""

    def __init__(self, answer: AnswerSet, case: AnswerSet) -> None:
        self._own = _layers(answer, case)
        self._defeats_of: dict[str, Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]]] = {}

    def on(self, atom: clingo.Symbol) -> Iterator[clingo.Symbol]:
        """Yield the implicit premises of the result that an atom states."""
        topic = topic_of_atom(atom)
        if topic is None:
            return
        yield from self._defeats(topic)
        if atom.name in calculus().listed("gives_value"):
            for other in self._offering(topic):
                yield from self._defeats(other)
                # If this topic were unknown, the best value would be unknown.
                known = clingo.Function("has_value", [other])
                if any(layer.holds(known) for layer in self._own):
                    yield known
        elif atom.name in ("legal", "unknown"):
            # A met condition keeps an action from being illegal.
            required = self._related("requires", 3, topic)
            met = (clingo.Function("is", [each, _YES]) for each in required)
            yield from (each for each in met if any(layer.holds(each) for layer in self._own))
        if atom.name == "unknown":
            yield from self._behind(topic)

    def instead_of(self, absent: Iterable[clingo.Symbol]) -> Iterator[clingo.Symbol]:
        """Yield the values of topics whose absent values belong to defeated norms."""
        for atom in absent:
            topic = topic_of_atom(atom) if atom.name == "is" else None
            if topic is not None and self._defeats(topic):
                about = (layer.atoms_about("is", 2, functor_name(topic)) for layer in self._own)
                yield from (each for each in chain(*about) if each.arguments[0] == topic)

    def _offering(self, topic: clingo.Symbol) -> Iterable[clingo.Symbol]:
        """Return the topics that offer a value to this one; the best offer counts."""
        found = dict.fromkeys(self._related("offers_value", 3, topic))
        for other in found.copy():
            found |= dict.fromkeys(self._related("offers_value", 3, other))
        return found

    def _behind(self, topic: clingo.Symbol) -> Iterator[clingo.Symbol]:
        """Yield the reasons of the unknown topics on which an unknown topic depends."""
        for why in self._related("unknown", 2, topic):
            if (why.type, why.name) == (clingo.SymbolType.Function, "of"):
                other = why.arguments[0]
                for behind in self._related("unknown", 2, other):
                    yield clingo.Function("unknown", [other, behind])

    def _related(self, name: str, arity: int, topic: clingo.Symbol) -> Sequence[clingo.Symbol]:
        """Return the last arguments of the atoms of a predicate about a topic, sorted."""
        atoms = (atom for layer in self._own for atom in layer.atoms_of(name, arity, topic))
        return sorted({atom.arguments[-1] for atom in atoms})

    def _defeats(self, topic: clingo.Symbol) -> Sequence[clingo.Symbol]:
        """Return the defeats of norms about a topic."""
        kind = functor_name(topic)
        if kind not in self._defeats_of:
            self._defeats_of[kind] = self._defeats_about(kind)
        return self._defeats_of[kind].get(topic, ())

    def _defeats_about(self, kind: str) -> dict[clingo.Symbol, tuple[clingo.Symbol, ...]]:
        """Return for each topic of a kind the defeats of norms about it."""
        found: _By = {}
        for answer in self._own:
            for at in answer.atoms_about("defeated", 3, "at") if kind == "s" else ():
                # at one place of the line
                found.setdefault(at.arguments[1].arguments[0], {})[at] = None
            for atom in answer.atoms_about("defeated", 3, kind):
                found.setdefault(atom.arguments[1], {})[atom] = None
        return {topic: tuple(sorted(atoms)) for topic, atoms in found.items()}


# --- The steps of a proof.


class StepOrigin(StrEnum):
    """The origin of an atom."""

    RULE = "rule"
    #: A fact of this board, or of every board.
    BOARD = "board"
    #: A measured fact, or a fact of the question.
    QUESTION = "question"
    #: A fact that the board leaves open and this case assumes.
    SUPPOSED = "abduced"


@dataclass(frozen=True)
class ProofStep:
    """A step of a proof: an atom, the rule that derives it (None: a fact), and the premises.

    `premises` are the positive body atoms in the order of the rule, `negative_premises` the negated
    ones, and `aggregate_premises` the elements of aggregates. `defeats` are not in the rule body:
    they are defeated opposing norms, exceptions that block an opposing norm, and met conditions of
    an action. `notes` do not support the answer: they are lower offers, and reasons of unknown
    topics. `asked`: a fact of the question. `at` is the file in kb/ and the line of the rule:
    `b23/b23_3.lp:17`.
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
        """An id of the atom, the same in every proof."""
        return f"s{sha256(self.atom.encode()).hexdigest()[:10]}"

    @property
    def origin(self) -> StepOrigin:
        """Where the atom comes from."""
        if not self.given:
            return StepOrigin.RULE
        name = self.atom.partition("(")[0]
        if name == "abduced":
            return StepOrigin.SUPPOSED
        return StepOrigin.QUESTION if self.asked else StepOrigin.BOARD

    @property
    def below(self) -> tuple[ProofStep, ...]:
        """All premises, defeats and notes."""
        return (*self.premises, *self.aggregate_premises, *self.defeats)

    def walk(self) -> Iterator[ProofStep]:
        """Yield this step and all steps below it."""
        yield self
        for step in self.below:
            yield from step.walk()


def unique_steps(steps: Iterable[ProofStep]) -> Iterator[ProofStep]:
    """Yield the steps of proofs, each once, those nearest to the goals first."""
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
    """Return the ids of the norms of a proof, each once, those nearest to the goal first."""
    return list(dict.fromkeys(step.norm for step in unique_steps(steps) if step.norm))


def merged_steps(steps: Iterable[ProofStep]) -> list[ProofStep]:
    """Merge equal steps of several proofs, with the defeats and notes of all of them.

    A premise of a winning norm is not repeated if the step already shows it.
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


# --- Proofs of atoms, and their evidence.


#: The topic, action or LOS whose result an atom states, and the heads of opposing assertions.
_Result = tuple[clingo.Symbol, frozenset[str]]


@dataclass(frozen=True)
class Defeat:
    """A defeated norm, the norm that defeats it, and their topic, action or LOS."""

    norm: str
    by: str
    about: str


@dataclass(frozen=True)
class Provenance:
    """The citations of an answer, the nearest first, and the defeats in its proof."""

    cites: Citations = NO_CITATIONS
    beaten: tuple[Defeat, ...] = ()

    def __or__(self, other: Provenance) -> Provenance:
        beaten = dict.fromkeys((*self.beaten, *other.beaten))
        return Provenance(self.cites.union(other.cites), tuple(beaten))


@dataclass(frozen=True)
class Evidence:
    """The evidence of an answer: atoms, and the answer sets that contain them.

    Citations and proof come from one search for supports. The search holds programs of clingo and
    exists only while the answer is computed. `searches` are the searches of each answer set, shared
    with other proofs.
    """

    position: Position
    goals: tuple[str, ...]
    answers: Sequence[AnswerSet]
    #: Sort equally near steps by the order of the goals, not by their texts.
    in_order: bool = False
    searches: dict[int, SupportSearch] = field(default_factory=dict, repr=False, compare=False)

    def of(self, goals: Iterable[str]) -> Evidence:
        """Return evidence of other atoms in the same answer sets."""
        return replace(self, goals=tuple(goals))

    @cached_property
    def _whole(self) -> _Found | None:
        """The supports in the first answer set that contains all goals.

        A goal in no answer set, for example a `no` without any rule, has no proof.
        """
        claimed = [str(atom) for each in self._held for atom in each]
        for answer, each in zip(self.answers, self._held, strict=True):
            if each and covers(claimed, map(str, each)):
                return _proofs(self._search(answer), answer, each)
        return None

    @cached_property
    def _found(self) -> Sequence[_Found]:
        """The supports in that answer set, or in each if no answer set contains all goals."""
        if self._whole is not None:
            return [self._whole]
        each = zip(self.answers, self._held, strict=True)
        return [_proofs(self._search(answer), answer, held) for answer, held in each if held]

    @cached_property
    def _held(self) -> list[list[clingo.Symbol]]:
        """For each answer set, the goals that it contains."""
        # clingo may return them in another order each time.
        goals = self.goals if self.in_order else sorted(self.goals)
        atoms = [clingo.parse_term(goal) for goal in goals]
        return [_held(self.position, atoms, answer) for answer in self.answers]

    @property
    def agrees(self) -> bool:
        """Whether one answer set contains all goals."""
        return self._whole is not None

    def _search(self, answer: AnswerSet) -> SupportSearch:
        if id(answer) not in self.searches:
            self.searches[id(answer)] = SupportSearch(self.position, answer)
        return self.searches[id(answer)]

    @cached_property
    def provenance(self) -> Provenance:
        """Return the citations and the defeats of the proof."""
        chosen = (
            one.chosen[atom].rule.norm
            for one in self._found
            for atom in one.walked
            if atom in one.chosen
        )
        cites = self.position.program.paragraphs(norm for norm in chosen if norm)
        atoms = (atom for one in self._found for atom in one.walked)
        return Provenance(cites, _beaten(atoms, self.position.notation))

    def steps(self, asides: bool = False) -> list[ProofStep]:
        """Return for each goal that holds a proof of minimal height, in the order of the goals.

        `asides`: include notes, which do not support the answer.
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
    """Return proofs of the goals in the first answer set that contains all of them; none without
    one.

    `answers` None: the static answer sets of the board. See `Evidence`.
    """
    answers = position.cases if answers is None else answers
    evidence = Evidence(position, tuple(goals), answers, in_order=True)
    return evidence.steps(asides) if evidence.agrees else []


def provenance(
    position: Position, goals: Sequence[str], answers: Sequence[AnswerSet] | None = None
) -> Provenance:
    """Return the provenance of these goals; see `Evidence`."""
    answers = position.cases if answers is None else answers
    return Evidence(position, tuple(goals), answers).provenance


@dataclass(frozen=True)
class Grounds:
    """Citations and defeats of a part of an answer, with the evidence while the answer is computed."""

    provenance: Provenance = Provenance()
    evidence: tuple[Evidence, ...] = ()

    def __or__(self, other: Grounds) -> Grounds:
        evidence = (*self.evidence, *other.evidence)
        return Grounds(self.provenance | other.provenance, evidence)


@dataclass(frozen=True)
class MissingCondition:
    """A norm that could derive an atom, the condition that it lacks, and the place of its rule in
    kb/.

    `condition` names topics as questions do, and `words` by their labels. `norm` None: the board
    would have to state it.
    """

    norm: str | None
    condition: str
    words: str
    at: str | None


@dataclass(frozen=True)
class Proof:
    """A proof of an answer: the proofs of its evidence, its citations and defeats.

    `missing` are conditions of norms that could derive a result that nothing derives.
    """

    steps: tuple[ProofStep, ...] = ()
    provenance: Provenance = Provenance()
    missing: tuple[MissingCondition, ...] = ()

    @property
    def cites(self) -> Citations:
        """The citations, nearest to the answer first."""
        return self.provenance.cites


def proof_of(evidence: Iterable[Evidence], missing: Iterable[MissingCondition] = ()) -> Proof:
    """Return the proof of all evidence of an answer."""
    steps: dict[int, list[ProofStep]] = {}
    on = Provenance()
    for each in evidence:
        # An atom can hold for other reasons on another position, such as that of a later step.
        steps.setdefault(id(each.position), []).extend(each.steps(asides=True))
        on |= each.provenance
    found = chain.from_iterable(map(_outermost, steps.values()))
    return Proof(tuple(found), on, tuple(missing))


def _outermost(steps: Iterable[ProofStep]) -> Iterator[ProofStep]:
    """Yield the proofs that are not part of an earlier one."""
    told: set[str] = set()
    for step in steps:
        if step.atom not in told:
            told.update(each.atom for each in unique_steps([step]))
            told.update(each.atom for note in step.notes for each in unique_steps([note]))
            yield step


#: The predicate that leaves the legality of an action, or a topic, unknown.
UNKNOWN = (("unknown", 2),)
LEGALITY = (*UNKNOWN, ("illegal", 2), ("legal", 1))


def goals_about(
    answers: Iterable[AnswerSet],
    signatures: Collection[tuple[str, int]],
    fits: Callable[[clingo.Symbol], bool],
) -> list[str]:
    """Return the atoms of some predicates whose first argument fits, in any answer set."""
    found = (a for each in answers for name in signatures for a in each.own_atoms(*name))
    return list(dict.fromkeys(str(atom) for atom in found if fits(atom.arguments[0])))


def goals_of(
    answers: Iterable[AnswerSet],
    signatures: Collection[tuple[str, int]],
    topics: Collection[clingo.Symbol],
) -> list[str]:
    """Return the atoms of some predicates about these topics, in any answer set."""
    found = (
        atom
        for each in answers
        for name in signatures
        for topic in topics
        for atom in each.own_atoms_by_first(*name).get(topic, ())
    )
    return list(dict.fromkeys(map(str, found)))


def value_goals(topics: Collection[clingo.Symbol], answers: Sequence[AnswerSet]) -> list[str]:
    """Return the goals that give topics their values, or leave them unknown, in any answer set.

    The goal of a sum is its total, that of another topic its value. Only goals that hold are
    proved.
    """
    told = ((topic, each.values.get(topic)) for each in answers for topic in topics)
    known = (f"({topic},{value})" for topic, value in told if value is not None)
    goals = dict.fromkeys(f"{name}{claim}" for claim in known for name in ("is", "total"))
    return [*goals, *goals_of(answers, UNKNOWN, topics)]


def provenance_of(position: Position, steps: Iterable[ProofStep]) -> Provenance:
    """Return the provenance of proofs."""
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
    """The goals that hold, all supports below them, and the chosen supports.

    `beaten` maps atoms to the defeats of opposing norms, and `aside` to their notes.
    """

    search: SupportSearch
    answer: AnswerSet
    goals: tuple[clingo.Symbol, ...] = ()
    supports: Mapping[clingo.Symbol, Sequence[Support]] = field(default_factory=dict)
    chosen: Mapping[clingo.Symbol, Support] = field(default_factory=dict)
    beaten: Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]] = field(default_factory=dict)
    aside: Mapping[clingo.Symbol, tuple[clingo.Symbol, ...]] = field(default_factory=dict)

    def extended(self, goals: Iterable[clingo.Symbol]) -> _Found:
        """Return the same with further goals, and choose again among all supports."""
        supports = self.search.extend(self.supports, goals)
        return replace(self, supports=supports, chosen=least_height_supports(supports))

    @cached_property
    def walked(self) -> Sequence[clingo.Symbol]:
        """The atoms of the proofs, those nearest to the goals first."""
        return _closed(self.goals, self.because)

    def all_atoms(self) -> Sequence[clingo.Symbol]:
        """Return the atoms of the proofs and their notes."""
        return _closed(self.walked, lambda atom: (*self.because(atom), *self.aside.get(atom, ())))

    def because(self, atom: clingo.Symbol) -> tuple[clingo.Symbol, ...]:
        """Return the premises of an atom, the elements of its aggregates, and its defeats."""
        option = self.chosen.get(atom)
        if option is None:
            return ()
        return (*option.body, *self.counted(atom), *self.beaten.get(atom, ()))

    def counted(self, atom: clingo.Symbol) -> tuple[clingo.Symbol, ...]:
        """Return the elements of the aggregates in the chosen rule of an atom."""
        option = self.chosen[atom]
        # They are further supports by the same rule instance.
        same = (each for each in self.supports[atom] if each.part and each.rule is option.rule)
        more = (each for each in same if each.instance == option.body)
        return tuple(dict.fromkeys(atom for each in more for atom in each.body))


def _closed(
    first: Iterable[clingo.Symbol],
    below: Callable[[clingo.Symbol], Iterable[clingo.Symbol]],
) -> Sequence[clingo.Symbol]:
    """Return some atoms and all atoms below them, each once, the nearest first."""
    seen = set(first)
    found = list(dict.fromkeys(first))
    for atom in found:
        for each in below(atom):
            if each not in seen:
                seen.add(each)
                found.append(each)
    return found


def _held(
    position: Position, atoms: Iterable[clingo.Symbol], answer: AnswerSet
) -> list[clingo.Symbol]:
    """Return the atoms that an answer set or its static answer set contains."""
    case = position.cases[answer.static_case]
    return [each for each in atoms if case.holds(each) or answer.holds(each)]


def _proofs(search: SupportSearch, answer: AnswerSet, goals: Sequence[clingo.Symbol]) -> _Found:
    """Return the proofs of goals that hold, including their defeats."""
    implicit = ImplicitPremises(answer, search.case)
    found = _Found(search, answer, tuple(goals))
    denied: dict[clingo.Symbol, None] = {}
    new = list(goals)
    while new:
        found = found.extended(new)
        told = {_result(atom) for atom in found.beaten}
        telling: dict[_Result, clingo.Symbol] = {}
        for atom in found.walked:
            result = _result(atom)
            if result is not None and result not in told:
                telling.setdefault(result, atom)
        kept = _kept_silent(telling, search)
        fresh = {
            atom: tuple(dict.fromkeys((*implicit.on(atom), *kept[result])))
            for result, atom in telling.items()
        }
        for atom in found.walked:
            if atom in found.chosen and atom not in denied:
                denied[atom] = None
                if instead := tuple(implicit.instead_of(found.chosen[atom].absent)):
                    fresh[atom] = (*fresh.get(atom, found.beaten.get(atom, ())), *instead)
        new = [each for several in fresh.values() for each in several]
        found = replace(found, beaten={**found.beaten, **fresh})
    return found


def _with_asides(found: _Found) -> _Found:
    """Return the proofs with lower offers, and with the reasons of unknown topics."""
    layers = _layers(found.answer, found.search.case)
    bids = _grouped(atom for each in layers for atom in each.own_atoms("undefeated_offer", 3))
    unknown = _grouped(atom for each in layers for atom in each.own_atoms("unknown", 2))
    aside: dict[clingo.Symbol, tuple[clingo.Symbol, ...]] = {}
    while new := [atom for atom in found.all_atoms() if atom not in aside]:
        aside |= {atom: tuple(_aside(atom, bids, unknown)) for atom in new}
        goals = [each for atom in new for each in aside[atom]]
        found = replace(found.extended(goals), aside=aside)
    return found


def _grouped(
    atoms: Iterable[clingo.Symbol],
) -> dict[clingo.Symbol, dict[clingo.Symbol, None]]:
    found: dict[clingo.Symbol, dict[clingo.Symbol, None]] = {}
    for atom in atoms:
        found.setdefault(atom.arguments[calculus().topic_place[atom.name]], {})[atom] = None
    return found


def _aside(
    atom: clingo.Symbol,
    bids: Mapping[clingo.Symbol, Iterable[clingo.Symbol]],
    unknown: Mapping[clingo.Symbol, Iterable[clingo.Symbol]],
) -> Iterator[clingo.Symbol]:
    """Return the notes of an atom: they do not support it."""
    match atom.name, atom.arguments:
        case "undefeated_value", [_, topic, value]:
            yield from (bid for bid in bids.get(topic, ()) if bid.arguments[2] < value)
        case "unknown", [_, why] if (why.name, len(why.arguments)) == ("of", 1):
            yield from unknown.get(why.arguments[0], ())


def _result(atom: clingo.Symbol) -> _Result | None:
    """Return the result that an atom states, and the heads of opposing assertions."""
    topic = topic_of_atom(atom)
    opposing = calculus().opposing
    return None if topic is None else (topic, opposing.get(atom.name, opposing[OTHER]))


def _kept_silent(
    telling: Mapping[_Result, clingo.Symbol], search: SupportSearch
) -> dict[_Result, list[clingo.Symbol]]:
    """Return for each result the exceptions that alone block an opposing norm."""
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
    """Test whether an assertion would override the ban that an atom states."""
    if atom.name != "illegal":
        return False
    return static.holds(clingo.Function("wins", [said.arguments[0], atom.arguments[1]]))


def covers(goals: Iterable[str], held: Iterable[str]) -> bool:
    """Test whether all goals hold."""
    return set(map(_claim, goals)) <= set(map(_claim, held))


def _claim(goal: str) -> str:
    """Return what a goal claims; the predicates of a value count as equal."""
    name, _, rest = goal.partition("(")
    return f"value({rest}" if name in ("is", "total") else goal


class _Trees:
    """The steps of proofs; each atom has one step."""

    def __init__(self, found: _Found, words: Vocabulary) -> None:
        self._found = found
        self._derived = words.derived
        self._made: dict[clingo.Symbol, ProofStep] = {}
        self._bare: dict[clingo.Symbol, ProofStep] = {}

    def of(self, atom: clingo.Symbol, above: frozenset[clingo.Symbol] = frozenset()) -> ProofStep:
        """Return the step of an atom; its notes and defeats leave out atoms in `above`."""
        if atom not in self._made:
            here = above | {atom}

            # A premise of a winning norm may be proved above; it is not repeated.
            def of(each: clingo.Symbol) -> ProofStep:
                return self.bare(each) if each in here else self.of(each, here)

            told = [each for each in self._found.beaten.get(atom, ()) if each not in here]
            aside = [each for each in self._found.aside.get(atom, ()) if each not in here]
            self._made[atom] = self._step(atom, of, told, aside)
        return self._made[atom]

    def bare(self, atom: clingo.Symbol) -> ProofStep:
        """Return the step of an atom without notes and defeats; it has no cycles."""
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
