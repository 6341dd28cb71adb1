"""Justifications: proofs as trees for people, whole or abridged.

A whole justification has every norm of the proof. `abridge` keeps the nodes nearest to the answer:
the premises that give a value count as near, mere existence as far. Absent atoms and repeated nodes
appear only in the whole justification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import heappop, heappush
from itertools import count

import clingo

from rules_asp.explain import layout
from rules_asp.explain.proof import ProofStep, merged_steps, norms_in
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, atom_text, is_vocabulary_atom, meaning_of, open_points
from rules_asp.game.house_rules import is_house_rule
from rules_asp.game.values import Notation
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.position import Position


class Relation(StrEnum):
    """How a node relates to its parent."""

    BECAUSE = "because"
    #: The parent takes its value from this node, or sums it.
    VALUE = "value"
    #: The atom does not hold.
    ABSENT = "absent"
    #: A norm that asserts the opposite and is defeated.
    BEATEN = "beaten"
    #: An offered value that is lower than the best.
    OUTBID = "dominated_offer"


@dataclass(frozen=True)
class JustificationNode:
    """A node of a justification: an atom, its norm (None: a board fact), and its premises.

    `claim` names topics as questions do, and `words` (if they differ) names them by their labels.
    `again`: the premises are printed at an earlier node. `cut`: some premises are left out. `id` is
    the id of the proof step, and `at` the place of its rule.
    """

    claim: str
    norm: str | None
    sense: str
    because: tuple[JustificationNode, ...] = ()
    again: bool = False
    tie: Relation = Relation.BECAUSE
    id: str = ""
    at: str | None = None
    cut: bool = False
    words: str = ""

    @property
    def sentence(self) -> str:
        """The atom in the words of players."""
        return self.words or self.claim

    def walk(self) -> Iterator[JustificationNode]:
        """Yield this node and all its descendants."""
        yield self
        for each in self.because:
            yield from each.walk()


def justification(
    steps: Iterable[ProofStep], norms: Mapping[str, Norm], notation: Notation
) -> tuple[JustificationNode, ...]:
    """Return proofs as a justification of the steps whose atoms the vocabulary can word.

    It leaves out the calculus, the helpers of kb/ and the facts of every board, and shows their
    premises instead. A helper appears once by the summary of its norm if that norm would otherwise
    be missing.
    """
    steps = list(steps)
    points = _once_each(_Teller(norms, notation, frozenset()).goals(steps))
    told = (each.norm for top in points for each in top.walk())
    shown = {norms[norm].paragraph for norm in told if norm is not None and norm in norms}
    hidden: dict[str, str] = {}
    for norm in norms_in(steps):
        if norm in norms and norms[norm].paragraph not in shown:
            hidden.setdefault(norms[norm].paragraph, norm)
    if not hidden:
        return points
    return _once_each(_Teller(norms, notation, frozenset(hidden.values())).goals(steps))


_Key = tuple[str, str | None]


def _key(point: JustificationNode) -> _Key:
    return point.claim, point.norm


def _once_each(points: Iterable[JustificationNode]) -> tuple[JustificationNode, ...]:
    """Return the justification with the premises of each node only where it first occurs.

    A node is dropped below itself, and below an ancestor or a sibling that already shows its
    premises.
    """
    told: set[_Key] = set()

    def kept(point: JustificationNode, above: frozenset[_Key]) -> JustificationNode:
        if not point.because:
            return point
        if _key(point) in told:
            return replace(point, because=(), again=True)
        told.add(_key(point))
        here = above | {_key(point)}
        inner: list[JustificationNode] = []
        beside: set[_Key] = set()
        for each in point.because:
            if _key(each) in here or _key(each) in beside:
                continue
            new = kept(each, here)
            beside |= {_key(one) for one in new.walk() if not one.again}
            inner.append(new)
        found = [
            each
            for place, each in enumerate(inner)
            if not any(
                _key(each) == _key(one) and not one.again
                for other in (*inner[:place], *inner[place + 1 :])
                for one in other.walk()
            )
        ]
        return replace(point, because=tuple(found))

    made = [kept(each, frozenset()) for each in dict.fromkeys(points)]
    return tuple(each for each in made if not each.again)


class _Teller:
    """Converts steps to nodes; `hidden` are norms that only helpers use."""

    def __init__(
        self, norms: Mapping[str, Norm], notation: Notation, hidden: frozenset[str]
    ) -> None:
        self.norms = norms
        self.notation = notation
        self.hidden = hidden
        self.hidden_told: set[str] = set()
        self.commonplace = calculus().listed("commonplace")
        self.bookkeeping = calculus().listed("bookkeeping")
        self.made: dict[tuple[str, str | None], list[JustificationNode]] = {}
        self.going: set[str] = set()

    def text(self, atom: clingo.Symbol) -> str:
        return atom_text(atom, self.notation)

    def words(self, atom: clingo.Symbol) -> str:
        """Return the atom in the words of players."""
        return atom_text(atom, self.notation, in_words=True)

    def not_words(self, atom: clingo.Symbol) -> str:
        """Return in the words of players that an atom does not hold; empty for a helper of kb/."""
        if not self.has_words(atom):
            return ""
        return f"not the case: {self.words(atom).removesuffix(': yes')}"

    def meaning(self, atom: clingo.Symbol) -> str:
        """Return the meaning of the atom's word."""
        return meaning_of(atom, self.notation.vocabulary)

    def has_words(self, atom: clingo.Symbol) -> bool:
        """Test whether players know the atom; helpers of kb/ have no words."""
        return is_vocabulary_atom(atom, self.notation.vocabulary)

    def goals(self, steps: Iterable[ProofStep]) -> list[JustificationNode]:
        """Return the nodes of the goals; several steps that prove one goal share a node."""
        found: dict[_Key, JustificationNode] = {}
        for point in (point for step in steps for point in self.goal(step)):
            same = found.get(_key(point), point)
            because = dict.fromkeys((*same.because, *point.because))
            found[_key(point)] = replace(same, because=tuple(because))
        return list(found.values())

    def goal(self, step: ProofStep) -> list[JustificationNode]:
        atom = clingo.parse_term(step.atom)
        # The node of how the value came about replaces the node of the value.
        if atom.name == "value":
            return []
        claim = self.text(atom)
        below = self.step(step, None)
        same = next((each for each in below if each.claim == claim), None)
        if same is not None:
            rest = (each for each in below if each is not same)
            return [replace(same, because=(*same.because, *rest))]
        # If several norms lead to the goal, or none, the node still shows the goal.
        words = self.words(atom)
        return [JustificationNode(claim, None, "", tuple(below), id=step.id, words=words)]

    def step(self, step: ProofStep, above: str | None) -> list[JustificationNode]:
        """Return the nodes of a step whose parent has the norm `above`."""
        key = step.atom, above
        if key not in self.made:
            if step.atom in self.going:
                return []
            self.going.add(step.atom)
            self.made[key] = self.points(step, above)
            self.going.discard(step.atom)
        return self.made[key]

    def points(self, step: ProofStep, above: str | None) -> list[JustificationNode]:
        """Compute the nodes of a step without the cache."""
        atom = clingo.parse_term(step.atom)
        # The terms of a sum already show that it is a sum, except for added and defeated parts.
        if atom.name == "is_sum":
            return [each for each in self.reasons(step, above) if self.has_hidden_norm(each)]
        if step.given:
            if atom.name in self.commonplace | self.bookkeeping:
                return []
            claim, words = self.text(atom), self.words(atom)
            return [JustificationNode(claim, None, self.meaning(atom), id=step.id, words=words)]
        if atom.name in self.commonplace:
            return self.reasons(step, above) if self.hidden else []
        if atom.name == "defeated":
            return [self.beaten(step, atom)]
        place = calculus().shown_with_norm.get((atom.name, len(atom.arguments)))
        if place is not None and atom.arguments[place].string == above:
            return self.reasons(step, above)
        if place is not None:
            return [self.assertion_node(step, atom, atom.arguments[place].string)]
        if step.norm is None or step.norm == above:
            return self.reasons(step, above if step.norm is None else step.norm)
        if not self.has_words(atom):
            if step.norm in self.hidden and step.norm not in self.hidden_told:
                self.hidden_told.add(step.norm)
                return [self.assertion_node(step, None, step.norm)]
            return self.reasons(step, step.norm)
        return [self.assertion_node(step, atom, step.norm)]

    def has_hidden_norm(self, point: JustificationNode) -> bool:
        """Test whether a node has a norm that would otherwise be missing."""
        return any(each.norm in self.hidden for each in point.walk())

    def assertion_node(
        self, step: ProofStep, atom: clingo.Symbol | None, norm: str
    ) -> JustificationNode:
        """Return the node of a norm with its premises; without an atom, its summary is the claim."""
        sense = self.norms[norm].sense if norm in self.norms else ""
        claim, words, sense = (
            (sense, "", "") if atom is None else (self.text(atom), self.words(atom), sense)
        )
        because = tuple(self.reasons(step, norm))
        at = _rule_of(step, norm)
        return JustificationNode(claim, norm, sense, because, id=step.id, at=at, words=words)

    def beaten(self, step: ProofStep, atom: clingo.Symbol) -> JustificationNode:
        """Return the node of a defeated norm and its winner; `norm` is the precedence that decides."""
        loser, about, winner = atom.arguments
        how, ruling = _winning(step)
        where = f" at {self.notation.term_text(about.arguments[1])}" if about.name == "at" else ""
        claim = f"{loser.string} is overridden{where} by {winner.string}, {how}{ruling or ''}"
        by = ruling or winner.string
        below = self.reasons(step, None)
        told = {each.norm for top in below for each in top.walk()} | {by}
        below[:0] = [
            JustificationNode(self.norms[norm].sense, norm, "", id=step.id)
            for norm in dict.fromkeys((loser.string, winner.string))
            if norm in self.norms and norm not in told
        ]
        sense = self.norms[by].sense if by in self.norms else ""
        return JustificationNode(
            claim, by, sense, tuple(below), tie=Relation.BEATEN, id=step.id, at=step.at
        )

    def reasons(self, step: ProofStep, norm: str | None) -> list[JustificationNode]:
        """Return the premises of a step of this norm as nodes."""
        points = [
            replace(point, tie=Relation.VALUE)
            if point.tie is Relation.BECAUSE and _carries(step, each)
            else point
            for each in step.below
            for point in self.step(each, norm)
        ]
        for each in step.notes:
            tie = Relation.OUTBID if each.atom.startswith("undefeated_offer(") else Relation.BECAUSE
            points += [replace(point, tie=tie) for point in self.step(each, None)]
        if step.norm is not None:
            absent = (clingo.parse_term(each) for each in step.negative_premises)
            points += [
                JustificationNode(
                    f"not {self.text(each)}",
                    None,
                    self.meaning(each),
                    tie=Relation.ABSENT,
                    words=self.not_words(each),
                )
                for each in absent
                if each.name not in self.bookkeeping
            ]
        return list(dict.fromkeys(points))


def _carries(step: ProofStep, below: ProofStep) -> bool:
    """Test whether a step takes its value from the premise."""
    names = (each.atom.partition("(")[0] for each in (step, below))
    return tuple(names) in calculus().carrying


def _rule_of(step: ProofStep, norm: str) -> str | None:
    """Return the place of the rule by which a norm asserts something, below the steps of the
    calculus."""
    todo = [step]
    for each in todo:
        if each.norm == norm and each.at is not None:
            return each.at
        todo += (below for below in each.premises if below.norm in (None, norm))
    return step.at


def _winning(step: ProofStep) -> tuple[str, str | None]:
    """Return in words why a norm wins, and the ruling that decides it, if any."""
    wins_by = calculus().wins_by
    steps: Sequence[ProofStep] = [step]
    while steps:
        for each in steps:
            name = each.atom.partition("(")[0]
            if name == "ruling":
                return "by our ruling ", clingo.parse_term(each.atom).arguments[0].string
            if name in wins_by:
                return wins_by[name], None
        steps = [below for each in steps for below in each.premises]
    return "which takes precedence", None


# --- Proofs as JSON: as people read them, and complete, so that a program can check them.


def justification_record(
    goals: Sequence[ProofStep], norms: Mapping[str, Norm], notation: Notation
) -> Record:
    """Return the proofs of these goals as a justification and as steps."""
    points = justification(goals, norms, notation)
    return {"proof": [_point_record(each) for each in points], **proof_record(goals)}


def proof_record(goals: Sequence[ProofStep]) -> Record:
    """Return the proofs of these goals as steps."""
    return {
        "goals": list(dict.fromkeys(each.id for each in goals)),
        "steps": [_step_record(each) for each in merged_steps(goals)],
    }


def _point_record(point: JustificationNode) -> Record:
    return {
        "claim": point.claim,
        "norm": point.norm,
        "sense": point.sense,
        "because": [_point_record(each) for each in point.because],
        "again": point.again,
        "tie": point.tie,
        "id": point.id,
        "at": point.at,
    }


def _step_record(step: ProofStep) -> Record:
    return {
        "id": step.id,
        "atom": step.atom,
        "origin": step.origin,
        "norm": step.norm,
        "rule": step.at,
        "because": _ids(step.premises),
        "counted": list(dict.fromkeys(_ids(step.aggregate_premises))),
        "absent": list(step.negative_premises),
        "beside": _ids(step.defeats),
        "aside": _ids(step.notes),
    }


def _ids(steps: Iterable[ProofStep]) -> list[str]:
    return [each.id for each in steps]


# --- The short form.


#: Maximum number of lines of a short justification, and letters per line.
SHORT_LENGTH, _WIDTH = 13, 92
#: Further lines for each further goal, for at most `_FEW` goals.
_MORE, _FEW = 3, 4
#: Distance of a node from its parent.
_FAR = {Relation.VALUE: 0.5, Relation.BECAUSE: 1.0, Relation.BEATEN: 1.25, Relation.OUTBID: 1.5}
#: Added distance of existence and board facts, compared with assertions of norms.
_FARTHER = 1.0


def abridge(points: Iterable[JustificationNode]) -> tuple[JustificationNode, ...]:
    """Return the nodes nearest to the answer; `cut` marks a node whose premises are incomplete."""
    points = tuple(points)
    lines = SHORT_LENGTH + _MORE * min(len(points) - 1, _FEW)
    kept: set[int] = {id(each) for each in points}
    room = lines - sum(_height(each, 0) for each in points)
    number = count()
    near: list[tuple[float, int, int, JustificationNode]] = []

    def reach(point: JustificationNode, far: float, depth: int) -> None:
        for each in point.because:
            if each.tie is not Relation.ABSENT and not each.again:
                entry = far + _far(each, point), next(number), depth, each
                heappush(near, entry)

    for each in points:
        reach(each, 0.0, 1)
    while near:
        far, _, depth, point = heappop(near)
        height = _height(point, depth)
        if height <= room:
            room -= height
            kept.add(id(point))
            reach(point, far, depth + 1)

    def cut(point: JustificationNode) -> JustificationNode:
        inner = tuple(cut(each) for each in point.because if id(each) in kept)
        left = (each for each in point.because if id(each) not in kept and not each.again)
        missing = any(each.tie is not Relation.ABSENT for each in left)
        return replace(point, because=inner, cut=missing)

    return tuple(map(cut, points))


def _far(point: JustificationNode, above: JustificationNode) -> float:
    """Return the distance of a node from its parent."""
    told = point.norm is not None and (" = " in point.claim or point.tie is not Relation.BECAUSE)
    # A helper of kb/, worded only by the summary of its norm.
    helper = point.norm is not None and not point.sense and above.tie is not Relation.BEATEN
    return _FAR[point.tie] + (0.0 if told else _FARTHER) + (_FARTHER if helper else 0.0)


def _height(point: JustificationNode, depth: int) -> int:
    """Return the number of lines of a node."""
    letters = len(f"{point.sentence}  {point.norm or ''}  {point.sense}")
    return 1 + letters // (_WIDTH - 4 * depth)


# --- Proofs as trees for people.


#: Maximum number of goals that a short proof shows.
_MOST_GOALS = 8
#: Printed in place of omitted premises.
_CUT = " ..."


def proof_trees(
    position: Position,
    steps: Iterable[ProofStep],
    view: layout.View,
    unknown: Iterable[Reason] = (),
    left_out: int = 0,
) -> Iterator[layout.Block]:
    """Return proofs as trees of about a dozen lines.

    `unknown` are reasons printed earlier. `left_out` is the number of paths without a proof.
    """
    norms = position.program.norms
    points = justification(steps, norms, position.notation)
    cited = dict.fromkeys(one.norm for each in points for one in each.walk() if one.norm)
    shown = points if view.full else abridge(points[:_MOST_GOALS])
    senses: set[str] = set()
    yield from (_tree(point, view, senses) for point in shown)
    if rest := len(points) - len(shown):
        yield layout.Line(layout.dim(f"and {rest} more conclusions; --full shows them"))
    if left_out:
        yield layout.Line(layout.dim(f"and {left_out} more proofs like this one"))
    if any(one.cut for each in shown for one in each.walk()):
        yield layout.Line(layout.dim(f"{_CUT.strip()} marks omitted steps; --full shows them"))
    # If the answer is unknown, the reasons show the open points.
    shown_before = open_points(unknown)
    listed = (norms[each] for each in cited if each in norms)
    yield layout.left_open(each for each in listed if each not in shown_before)


def _tree(point: JustificationNode, view: layout.View, senses: set[str]) -> layout.Tree:
    """Return a node with its descendants; each summary appears only once."""
    said: list[str | layout.Span] = [
        "lower: " if point.tie is Relation.OUTBID else "",
        point.sentence,
    ]
    if point.norm and point.tie is not Relation.BEATEN:
        said += ["  ", layout.norm_span(point.norm)]
    dim = ""
    if point.norm and point.sense and point.sense not in senses:
        senses.add(point.sense)
        dim += f"  {point.sense}"
    dim += "  (shown above)" if point.again else ""
    dim += _CUT if point.cut else ""
    if view.source and point.at is not None:
        dim += f"  {rule_path(point.at)}"
    shown = (each for each in point.because if each.words or each.tie is not Relation.ABSENT)
    below = tuple(_tree(each, view, senses) for each in shown)
    return layout.Tree((*said, layout.dim(dim)), below)


def rule_path(at: str) -> str:
    """Return the path of a rule below `kb/` or in the folder of house rules."""
    return at if is_house_rule(at) else f"kb/{at}"
