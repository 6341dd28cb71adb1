"""Two sets of rules side by side: on which small board do they answer a question differently?

Both stand in one program. What they derive alike they share; what differs, and all that rests on it, is
derived a second time under other names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial

import clingo

from rules_asp.answers.asking import Asked, ask
from rules_asp.answers.checking import check
from rules_asp.knowledge.cites import NO_CITES, Cites
from rules_asp.knowledge.source import Functor, Node, Rule
from rules_asp.lab.boards.findings import Found, Shown
from rules_asp.lab.boards.rename import OTHER, renamed
from rules_asp.lab.boards.spots import Model
from rules_asp.lab.boards.topic_kinds import kind_of
from rules_asp.lab.boards.witnesses import Confirmed, Witness
from rules_asp.lab.boards.world import GRIDS, Bounds, Lab, load_lab
from rules_asp.lab.comparing.bringing import order_for
from rules_asp.lab.comparing.changed_norms import changed_among, single_among
from rules_asp.lab.comparing.disagreement import disagreeing
from rules_asp.lab.comparing.sides import Rules
from rules_asp.lab.searching.courses import Course, Report
from rules_asp.lab.searching.search import Search
from rules_asp.parser import parse
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position, position
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Argument, Literal, Query, Variable
from rules_asp.terms.reading import argument


@dataclass(frozen=True)
class Difference:
    """A kind of question that the two answer differently, with the smallest board and both answers.

    way: that one alone is known, that the first (`more`) or the second (`less`) alone says yes, or that
    they have another value. The boards are alike but for the sections in force. cites: what each answer
    rests on. changed: norms among these that both sets have, each with other rules. single: those that only
    one side has, or has on.
    """

    topic: str
    way: str
    where: str
    boards: tuple[Witness, Witness] | None
    answers: tuple[str, str]
    cites: tuple[Cites, Cites]
    doubt: str | None = None
    changed: tuple[str, ...] = ()
    single: tuple[str, ...] = ()

    @property
    def apart(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The norms that only the one answer rests on, and those of the other, but for changed ones.

        What only one side has comes first.
        """
        one, other = (each.norms for each in self.cites)
        return self._own(one, other), self._own(other, one)

    def _own(self, norms: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
        own = (norm for norm in norms if norm not in (*others, *self.changed))
        return tuple(sorted(own, key=lambda norm: norm not in self.single))


@dataclass(frozen=True)
class Compared:
    """Two sets of rules side by side.

    differences: with what they answer differently. same: the kinds of questions that they could answer
    differently, and never do within the bounds. only: those of which only the first, or the second, has
    any answer. names: of the two; sides: the sections in force on each, and the rulings that are off.
    """

    names: tuple[str, str]
    sides: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    differences: Report[Difference]
    same: tuple[str, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]


def diff(one: Rules, other: Rules, search: Search) -> Report[Difference]:
    """All kinds of questions that the two answer differently on some board within the bounds."""
    return compared(one, other, search).differences


def compared(
    one: Rules, other: Rules, search: Search, only: Collection[Functor] | None = None
) -> Compared:
    """Two sets of rules side by side: what differs, what is the same, what only one knows.

    `only`: in questions of these kinds.
    """
    search = _comparing(one, other, search, only)
    knows: tuple[set[str], set[str]] = (set(), set())
    course = Course(search)
    goals: set[str] = set()
    items = []
    for outcome in course.over():
        for goal, shown in outcome.found:
            term = clingo.parse_term(goal)
            if term.name == "knows":
                knows[str(term.arguments[0]) == "other"].add(str(term.arguments[1]))
            elif goal not in goals:
                goals.add(goal)
                items.append(_difference(one, other, Found(goal, outcome.spot), shown))
                search.told(f"{len(items)} differences; {items[-1].topic}")
                search.found(items[-1])
    found = course.report(tuple(sorted(items, key=lambda each: (each.topic, each.way))), goals)
    differ = {
        str(clingo.parse_term(each).arguments[0])
        for each in (*goals, *found.undecided, *found.unconfirmed)
    }
    mine, theirs = knows
    same = tuple(sorted((mine & theirs) - differ))
    alone = (tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine)))
    sides = tuple((each.sections, each.without) for each in (one, other))
    return Compared((one.name, other.name), sides, found, same, alone)


def first_difference(
    one: Rules, other: Rules, search: Search, only: Collection[Functor] | None = None
) -> Difference | None:
    """The difference that is found first; `only` in questions of these kinds."""
    for found in _comparing(one, other, search, only).soonest():
        return _difference(one, other, *found)
    return None


def _comparing(
    one: Rules, other: Rules, search: Search, only: Collection[Functor] | None = None
) -> Search:
    """The search for what differs."""
    bounds = replace(search.bounds, sections=one.sections, without=one.without)
    lab, changed = together(one, other)
    if roles_of(lab, one, other) and (bounds.grids, bounds.most) == (GRIDS, Bounds().most):
        # A role is of one hex, and all that is asked of it is asked twice.
        bounds = replace(
            bounds, grids=GRIDS[:1], most=_OF_A_ROLE if only is None else _OF_A_ROLE[:1]
        )
    look = replace(
        search.look,
        parts=disagreeing(lab, changed, only),
        evidence=_evidence,
        confirms=partial(_confirmed, one, other),
        plain=("knows",),
        reads=(("differs", 2),),
        kind=_kind,
        events=order_for(lab, one, other, only),
    )
    return replace(search, lab=lab, bounds=bounds, look=look)


def _difference(one: Rules, other: Rules, found: Found, shown: Shown | None) -> Difference:
    if shown is not None:
        return difference(one, other, shown)
    topic, way = map(str, clingo.parse_term(found.goal).arguments)
    return Difference(topic, way, str(found.spot), None, ("", ""), (NO_CITES, NO_CITES))


def _kind(goal: str) -> str:
    """What is asked: the answers differ in several ways, for which it is one kind of question."""
    term = clingo.parse_term(goal)
    return str(term.arguments[0]) if term.name == "differs" else goal


def together(one: Rules, other: Rules) -> tuple[Lab, frozenset[Node]]:
    """Both sets of rules with the generator, and what is derived twice."""
    lab = load_lab(program=one.program)
    own = [rule for rule in lab.rules if not _is_generator(rule)]
    generator = [rule for rule in lab.rules if _is_generator(rule)]
    shared = [rule for rule in own if rule.file.startswith(("lab/", "strict"))]
    theirs = [*other.program.rules, *(rule for rule in shared if rule.heads)]
    changed = set(_changed(own, theirs))
    facts: list[str] = []
    roles = roles_of(lab, one, other)
    if roles:
        facts += [f"alike({each})." for each in roles]
        drawing = {section for by in roles.values() for section in by}
        facts += [f"compared({each})." for each in one.sections if each in drawing]
        facts += [f"compared{OTHER}({each})." for each in other.sections if each in drawing]
        drawn = _drawn(lab)
        changed |= {_COMPARED, *drawn}
        # What is drawn elsewhere is the same for both.
        for node in drawn:
            about = f"H{',X' * (node.arity - 1)}"
            facts.append(f"{node.name}{OTHER}({about}) :- {node.name}({about}), not plays(_,H).")
    if one.sections != other.sections:
        changed.add(Node("section", 1))
        facts += [f"section{OTHER}({each})." for each in other.sections]
    if one.without != other.without:
        changed.add(Node("without", 1))
        facts += [f'without{OTHER}("{each}").' for each in other.without]
    if one.program.shared_facts != other.program.shared_facts:
        changed.add(Node("norm", 2))
        lines = other.program.shared_facts.splitlines()
        facts += [line.replace("norm(", f"norm{OTHER}(", 1) for line in lines]
    closed = _closure(changed, [*own, *theirs], lab)
    if any(node.name == "supposed" for node in closed):
        # What may be so or not is the same on both sides, where both leave it open.
        facts.append(f":- supposed(T,V), supposed{OTHER}(T,W), V != W, could_be{OTHER}(T,V).")
    copies = [renamed(rule, closed) for rule in theirs if closed.intersection(rule.heads)]
    twice = frozenset(closed)
    return Lab(one.program, (*own, *generator, *copies), tuple(facts), twice), twice


def roles_of(lab: Lab, one: Rules, other: Rules) -> dict[str, set[str]]:
    """The roles that both know, with the sections that draw them, each in its own way.

    None of a role that a section in force in both draws.
    """
    knows: dict[str, set[str]] = {}
    for rule in lab.rules:
        if rule.heads == (_ROLE,):
            head = rule.text.partition(":-")[0].replace("H", "h").strip()
            role, section, *_ = clingo.parse_term(head).arguments
            knows.setdefault(str(role), set()).add(str(section))
    mine, theirs = set(one.sections) - {"b23"}, set(other.sections) - {"b23"}
    return {
        role: by
        for role, by in knows.items()
        if by & mine and by & theirs and not by & mine & theirs
    }


_ROLE, _COMPARED = Node("role", 4), Node("compared", 1)
#: The bounds of what is compared by role, where nothing else is said.
_OF_A_ROLE = (("buildings", 1), ("statements", 7))


def _drawn(lab: Lab) -> frozenset[Node]:
    """What the roles are drawn with."""
    drawing = (rule for rule in lab.rules if rule.file == "lab/roles.lp" and rule.head)
    return frozenset(node for rule in drawing if _COMPARED in rule.body for node in rule.heads)


def _is_generator(rule: Rule) -> bool:
    """Whether a rule chooses what the board is: both sets of rules speak of the same board."""
    return rule.file.startswith("lab/") and bool(rule.heads) and rule.head is None


def _changed(own: Iterable[Rule], theirs: Iterable[Rule]) -> Iterable[Node]:
    """What the two derive by different rules."""
    mine = Counter((head, rule.text) for rule in own for head in rule.heads)
    others = Counter((head, rule.text) for rule in theirs for head in rule.heads)
    return {head for head, _ in (mine - others) + (others - mine)}


def _closure(changed: set[Node], rules: Iterable[Rule], lab: Lab) -> set[Node]:
    """All that rests on what is changed."""
    reading: dict[Node, list[Rule]] = {}
    for rule in rules:
        for node in rule.body:
            reading.setdefault(node, []).append(rule)
    closed = set(changed)
    todo = list(changed)
    while todo:
        for rule in reading.get(todo.pop(), ()):
            for head in rule.heads:
                if head not in closed and (head.name, head.arity) not in lab.inputs:
                    closed.add(head)
                    todo.append(head)
    return closed


# --- both answers


def _evidence(model: Model) -> Query:
    """What is asked of both: the value of the topic, whether the deed is legal, the sight clear."""
    about, way = model.goal.arguments
    ways = ("more", "less", "another") if way.name == "apart" else (way.name,)
    topic, so = min(
        (atom.arguments[0], atom.arguments[1].name)
        for atom in model.symbols
        if atom.name == "differs"
        and kind_of(atom.arguments[0]) == about
        and atom.arguments[1].name in ways
    )
    if topic.name == "s":
        sight = argument(topic, "sight")
        if so == "another":
            hindrance = Argument(Variable("Value"), "number")
            return Query((Literal("hindrance", (sight, hindrance)),))
        return Query((Literal("sees", (sight,)),))
    entry = vocabulary().topics.get(topic.name)
    if entry is None:
        return Query((Literal("legal", (argument(topic, "deed"),)),))
    args = tuple(map(argument, topic.arguments, entry.kinds))
    return Query((Literal(topic.name, args, Argument(Variable("Value"), entry.value)),))


def difference(one: Rules, other: Rules, shown: Shown, cite: bool = True) -> Difference:
    """Both answers to what was found, by the ordinary commands; `cite`: with what they rest on."""
    boards = (shown.witness, shown.twin or shown.witness)
    asked = [_asked(side, board, cite) for side, board in zip((one, other), boards, strict=True)]
    answers = [
        each if isinstance(each, str) else _answer(shown.witness.query, each) for each in asked
    ]
    cites = [NO_CITES if isinstance(each, str) else each.cites for each in asked]
    doubt = "asked of these boards, both answer the same" if answers[0] == answers[1] else None
    topic, way = map(str, clingo.parse_term(shown.goal).arguments)
    if _is_of_hindrance(shown.witness.query):
        topic = "hindrance"
    if way == "apart":
        way = "more" if answers[0] == "yes" else "less" if answers[1] == "yes" else "another"
    single = tuple(single_among(one.has, other.has, cites)) if cite else ()
    changed = changed_among(one.program, other.program, cites) if cite else ()
    return Difference(
        topic,
        way,
        str(shown.spot),
        (boards[0], boards[1]),
        (answers[0], answers[1]),
        (cites[0], cites[1]),
        doubt,
        tuple(each for each in changed if each not in single),
        single,
    )


def _confirmed(one: Rules, other: Rules, shown: Shown) -> Confirmed:
    """Whether both answer differently by the ordinary commands, and what is broken on the board of either."""
    doubt = difference(one, other, shown, cite=False).doubt
    boards = (shown.witness, shown.twin or shown.witness)
    checked = (
        check(_position(side, board.plain))
        for side, board in zip((one, other), boards, strict=True)
    )
    broken = (each.norm for found in checked for each in found.violations)
    return Confirmed(tuple(dict.fromkeys(broken)), doubt)


def _asked(side: Rules, shown: Witness, cite: bool) -> Asked | str:
    """What one side answers; why there is no question, as of a Location that only the other has."""
    try:
        return ask(_position(side, shown.plain), shown.query, cite)
    except QuestionError:
        return "there is no such thing"


#: The positions that were asked last: many things differ on one small board.
_LAST: dict[tuple[int, tuple[str, ...], str], Position] = {}


def _position(side: Rules, text: str) -> Position:
    key = (id(side.program), side.without, text)
    if key not in _LAST:
        if len(_LAST) > 60:
            _LAST.clear()
        _LAST[key] = position(parse(text), side.program, side.without)
    return _LAST[key]


def _is_of_hindrance(query: Query) -> bool:
    return any(isinstance(each, Literal) and each.name == "hindrance" for each in query.literals)


def _answer(query: Query, asked: Asked) -> str:
    """An answer in short: the value, yes or no, or that it is unknown."""
    if asked.found and asked.found[0].values:
        return " or ".join(dict(each.values)["Value"] for each in asked.found)
    if asked.holds is None:
        return f"unknown ({'; '.join(map(str, asked.unknown))})"
    if any(True for _ in query.variables):
        return "none" if _is_of_hindrance(query) else "no value"
    return "yes" if asked.holds else "no"
