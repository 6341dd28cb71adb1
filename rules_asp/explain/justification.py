"""Proofs as trees for people; the abridged form.

An account is whole: it has every norm of the proof. `rules_asp.explain.justification` makes it short.

Of two points the nearer to the answer is told before the other; what a value is the value of counts as
near, what merely exists as far. What is denied, or told above, stands in the whole account alone.
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
from rules_asp.explain.unknown import Reason, open_points
from rules_asp.explain.wording import atom_text, is_vocabulary_atom, meaning_of
from rules_asp.game.house_rules import is_house_rule
from rules_asp.game.values import Notation
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.position import Position


class Relation(StrEnum):
    """How a point hangs on the one above it."""

    BECAUSE = "because"
    #: What the value above is the value of, or is summed up from.
    VALUE = "value"
    #: Of what is not so.
    ABSENT = "absent"
    #: A norm that would have it otherwise, and is beaten.
    BEATEN = "beaten"
    #: An offer that is less than the best.
    OUTBID = "dominated_offer"


@dataclass(frozen=True)
class JustificationNode:
    """A point of an account: what is so, by which norm (None: the board states it), and why.

    `again`: the account has given the reasons of this point already. `cut`: some are left out. `id` is
    that of the step that it tells, `at` where its rule stands.
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

    def walk(self) -> Iterator[JustificationNode]:
        """This point and all below it."""
        yield self
        for each in self.because:
            yield from each.walk()


def justification(
    steps: Iterable[ProofStep], norms: Mapping[str, Norm], notation: Notation
) -> tuple[JustificationNode, ...]:
    """Proofs as an account: the steps of norms that speak of what the vocabulary knows.

    Left out are the workings of the calculus, the helpers of kb/ and what every board states; what
    they rest on takes their place. A helper is told by the sense of its norm, once, where else the
    paragraph of the norm would not stand in the account.
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
    """The account in which the reasons of a point are given where it comes first, and nowhere else.

    What a point says itself, or one above or beside it tells with its reasons, is left out below it.
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
    """Tells steps as points; `hidden` are norms that would give helpers alone."""

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
        """An atom in words."""
        return atom_text(atom, self.notation)

    def meaning(self, atom: clingo.Symbol) -> str:
        """What its word means."""
        return meaning_of(atom, self.notation.vocabulary)

    def goals(self, steps: Iterable[ProofStep]) -> list[JustificationNode]:
        """The points of what was to be proved; of what several steps prove, one with all reasons."""
        found: dict[_Key, JustificationNode] = {}
        for point in (point for step in steps for point in self.goal(step)):
            same = found.get(_key(point), point)
            because = dict.fromkeys((*same.because, *point.because))
            found[_key(point)] = replace(same, because=tuple(because))
        return list(found.values())

    def goal(self, step: ProofStep) -> list[JustificationNode]:
        """The points of one thing that was to be proved."""
        atom = clingo.parse_term(step.atom)
        # That a topic has a value is told where it is said which way it came about.
        if atom.name == "value":
            return []
        claim = self.text(atom)
        below = self.step(step, None)
        same = next((each for each in below if each.claim == claim), None)
        if same is not None:
            rest = (each for each in below if each is not same)
            return [replace(same, because=(*same.because, *rest))]
        # What several norms lead to, or none, still is what was asked.
        return [JustificationNode(claim, None, "", tuple(below), id=step.id)]

    def step(self, step: ProofStep, above: str | None) -> list[JustificationNode]:
        """The points of a step below one of the norm `above`."""
        key = step.atom, above
        if key not in self.made:
            if step.atom in self.going:
                return []
            self.going.add(step.atom)
            self.made[key] = self.points(step, above)
            self.going.discard(step.atom)
        return self.made[key]

    def points(self, step: ProofStep, above: str | None) -> list[JustificationNode]:
        """The points of a step, made anew."""
        atom = clingo.parse_term(step.atom)
        # That it is a sum, and what of, is told by its parts: but for what is added and beaten.
        if atom.name == "is_sum":
            return [each for each in self.reasons(step, above) if self.tells_hidden(each)]
        if step.given:
            if atom.name in self.commonplace | self.bookkeeping:
                return []
            return [JustificationNode(self.text(atom), None, self.meaning(atom), id=step.id)]
        if atom.name in self.commonplace:
            return self.reasons(step, above) if self.hidden else []
        if atom.name == "defeated":
            return [self.beaten(step, atom)]
        place = calculus().said_by.get((atom.name, len(atom.arguments)))
        if place is not None and atom.arguments[place].string == above:
            return self.reasons(step, above)
        if place is not None:
            return [self.said_by(step, self.text(atom), atom.arguments[place].string)]
        if step.norm is None or step.norm == above:
            return self.reasons(step, above if step.norm is None else step.norm)
        if not is_vocabulary_atom(atom, self.notation.vocabulary):
            if step.norm in self.hidden and step.norm not in self.hidden_told:
                self.hidden_told.add(step.norm)
                return [self.said_by(step, self.norms[step.norm].sense, step.norm, "")]
            return self.reasons(step, step.norm)
        return [self.said_by(step, self.text(atom), step.norm)]

    def tells_hidden(self, point: JustificationNode) -> bool:
        """Whether a point has a norm that would else be nowhere."""
        return any(each.norm in self.hidden for each in point.walk())

    def said_by(
        self, step: ProofStep, claim: str, norm: str, sense: str | None = None
    ) -> JustificationNode:
        """A point of a norm, with what it rests on."""
        if sense is None:
            sense = self.norms[norm].sense if norm in self.norms else ""
        because = tuple(self.reasons(step, norm))
        return JustificationNode(claim, norm, sense, because, id=step.id, at=_rule_of(step, norm))

    def beaten(self, step: ProofStep, atom: clingo.Symbol) -> JustificationNode:
        """A norm that is beaten, by which, and how that one comes to win; `norm` is what makes it win."""
        loser, about, winner = atom.arguments
        how, ruling = _winning(step)
        where = f" at {self.notation.term_text(about.arguments[1])}" if about.name == "at" else ""
        claim = f"{loser.string} is beaten{where} by {winner.string}, {how}{ruling or ''}"
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
        """What a step of this norm rests on."""
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
                )
                for each in absent
                if each.name not in self.bookkeeping
            ]
        return list(dict.fromkeys(points))


def _carries(step: ProofStep, below: ProofStep) -> bool:
    """Whether a step has its value from the one below it."""
    names = (each.atom.partition("(")[0] for each in (step, below))
    return tuple(names) in calculus().carrying


def _rule_of(step: ProofStep, norm: str) -> str | None:
    """Where the rule stands by which a norm says something: of what the calculus makes of it, below."""
    todo = [step]
    for each in todo:
        if each.norm == norm and each.at is not None:
            return each.at
        todo += (below for below in each.premises if below.norm in (None, norm))
    return step.at


def _winning(step: ProofStep) -> tuple[str, str | None]:
    """By what a norm beats another, in words, and the ruling that says so, where one does."""
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
    return "which goes before it", None


# --- Proofs as JSON: told as people read them, and whole, so that anyone can check them.


def justification_record(
    goals: Sequence[ProofStep], norms: Mapping[str, Norm], notation: Notation
) -> Record:
    """The proofs of these goals, as points and step by step."""
    points = justification(goals, norms, notation)
    return {"proof": [_point_record(each) for each in points], **proof_record(goals)}


def proof_record(goals: Sequence[ProofStep]) -> Record:
    """The proofs of these goals, step by step."""
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


#: So many lines of so many letters an account may fill.
SHORT_LENGTH, _WIDTH = 13, 92
#: So many more for each further thing that is proved, if these are few.
_MORE, _FEW = 3, 4
#: How far a point is from the one above it.
_FAR = {Relation.VALUE: 0.5, Relation.BECAUSE: 1.0, Relation.BEATEN: 1.25, Relation.OUTBID: 1.5}
#: That something exists, or that the board states it, is farther than what a norm says of it.
_FARTHER = 1.0


def abridge(points: Iterable[JustificationNode]) -> tuple[JustificationNode, ...]:
    """The account with what is nearest; a point of which something is left out is `cut`."""
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
    """How far a point is from the one above it."""
    told = point.norm is not None and (" = " in point.claim or point.tie is not Relation.BECAUSE)
    # A helper of kb/, which only the sense of its norm tells.
    helper = point.norm is not None and not point.sense and above.tie is not Relation.BEATEN
    return _FAR[point.tie] + (0.0 if told else _FARTHER) + (_FARTHER if helper else 0.0)


def _height(point: JustificationNode, depth: int) -> int:
    """How many lines a point fills."""
    letters = len(f"{point.claim}  {point.norm or ''}  {point.sense}")
    return 1 + letters // (_WIDTH - 4 * depth)


# --- Proofs as trees for people.


#: What is left out below a point.
_CUT = " ..."


def proof_trees(
    position: Position,
    steps: Iterable[ProofStep],
    view: layout.View,
    unknown: Iterable[Reason] = (),
    left_out: int = 0,
) -> Iterator[layout.Block]:
    """Proofs as trees, in about a dozen lines.

    `unknown` are reasons that are shown before, `left_out` counts the ways that are not proved.
    """
    norms = position.program.norms
    points = justification(steps, norms, position.notation)
    cited = dict.fromkeys(one.norm for each in points for one in each.walk() if one.norm)
    if not view.full:
        points = abridge(points)
    senses: set[str] = set()
    yield from (_tree(point, view, senses) for point in points)
    if left_out:
        yield layout.Line(layout.dim(f"and {left_out} more ways like this"))
    if any(one.cut for each in points for one in each.walk()):
        yield layout.Line(layout.dim(f"{_CUT.strip()} has more: --full"))
    # Where the answer is unknown they are shown with the reasons.
    shown_before = open_points(unknown)
    listed = (norms[each] for each in cited if each in norms)
    yield layout.left_open(each for each in listed if each not in shown_before)


def _tree(point: JustificationNode, view: layout.View, senses: set[str]) -> layout.Tree:
    """A point with all below it; the sense of a norm or fact is given where it comes first."""
    said: list[str | layout.Span] = ["less: " if point.tie is Relation.OUTBID else "", point.claim]
    if point.norm and point.tie is not Relation.BEATEN:
        said += ["  ", layout.norm_span(point.norm)]
    dim = ""
    if point.sense and point.sense not in senses and point.sense != point.claim:
        senses.add(point.sense)
        dim += f"  {point.sense}"
    dim += "  see above" if point.again else ""
    dim += _CUT if point.cut else ""
    if view.source and point.at is not None:
        dim += f"  {rule_path(point.at)}"
    below = tuple(_tree(each, view, senses) for each in point.because)
    return layout.Tree((*said, layout.dim(dim)), below)


def rule_path(at: str) -> str:
    """Where a rule stands, as one finds it: below `kb/`, or where one's own rules are."""
    return at if is_house_rule(at) else f"kb/{at}"
