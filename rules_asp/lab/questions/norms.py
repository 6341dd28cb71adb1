"""Which norms do nothing: they never fire, they never win, or they say only what another says."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.knowledge.source import DEED_HEADS, TOPIC_HEADS, Signature
from rules_asp.knowledge.tags import Norm
from rules_asp.lab.boards.events import Event
from rules_asp.lab.boards.world import Generator, SearchBounds
from rules_asp.lab.searching.courses import SearchProgress
from rules_asp.lab.searching.goals import ALONE, COUNTS, firing, joined, layer_of, search_goal_for
from rules_asp.lab.searching.search import Search
from rules_asp.parser.errors import nearest
from rules_asp.positions.places import QuestionError

#: Heads by which a norm speaks for itself, and not by what others read.
_SPEAKING = {*TOPIC_HEADS, *DEED_HEADS, "blocks", "clears", "hinders", "lifts", "violates"}


@dataclass(frozen=True)
class DeadNorms:
    """Norms, by id, that do nothing on any board within the bounds.

    silent never fire; beyond cannot fire on any board that is searched, since none has what they speak
    of; open are those of which it is not settled, since the search was cut short or could not decide. Of
    `beaten` and `repeating` only norms are told that speak for themselves: what a norm gives to other
    rules to read may matter there.
    """

    bounds: SearchBounds
    norms: int
    silent: tuple[str, ...]
    beaten: tuple[str, ...]
    repeating: tuple[str, ...]
    complete: bool
    seconds: float
    beyond: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def whole(self) -> bool:
        """Whether it is settled of all norms."""
        return self.complete and not self.open

    @property
    def sure(self) -> bool:
        """The same: what a norm does is never unknown."""
        return self.whole


@dataclass(frozen=True)
class NormActivity:
    """A norm does something: it `fires`, it `wins` somewhere, it `says what no other says`."""

    norm: str
    does: str


_DOES = {"fires": "fires", "counts": "wins", "alone": "says what no other says"}


def dead_norms(search: Search, of: Iterable[str]) -> DeadNorms:
    """Which of these norms do nothing."""
    lab = search.lab
    asked = [norm for norm in of if _has_rules(lab, norm)]
    look = joined(firing(lab, asked), search_goal_for(lab, COUNTS), search_goal_for(lab, ALONE))
    search = replace(search, look=look)
    course = SearchProgress(search)
    met: dict[str, None] = {}
    for outcome in course.over(boards=False):
        for new in (goal for goal, _ in outcome.found if goal not in met):
            met[new] = None
            term = clingo.parse_term(new)
            doing = NormActivity(term.arguments[0].string, _DOES[term.name])
            search.told(f"{len(met)} found; {doing.norm} {doing.does}")
            search.found(doing)
    told = course.report(tuple(sorted(met)), {*met})
    told = replace(told, never=tuple(lab.never.values()))
    found: dict[str, set[str]] = {"fires": set(), "counts": set(), "alone": set()}
    late: set[str] = set()
    for goals, decided in ((told.found, True), (told.undecided, False)):
        for goal in map(clingo.parse_term, goals):
            found[goal.name].add(goal.arguments[0].string)
            late |= set() if decided else {goal.arguments[0].string}
    speaking = [norm for norm in asked if _speaks(lab, norm)]
    searched = {layer for event in _events(search) for layer in event.layers}
    # What no board has at all is seen as its rules are grounded.
    grounded = {
        goal.arguments[0].string
        for goal in map(clingo.parse_term, course.grounded)
        if goal.name == "fires"
    }
    possible = _possible(lab, asked, searched)
    if told.complete:
        possible &= grounded
    beyond = tuple(norm for norm in asked if norm not in {*possible, *found["fires"]})
    silent = [norm for norm in asked if norm not in found["fires"] and norm in possible]
    beaten = [norm for norm in speaking if norm in found["fires"] - found["counts"]]
    repeating = [norm for norm in speaking if norm in found["counts"] - found["alone"]]
    if not told.complete:
        # What is left may yet show that they do something.
        late |= {*silent, *beaten, *repeating}
        silent, beaten, repeating = [], [], []
    return DeadNorms(
        search.bounds,
        len(asked),
        tuple(silent),
        tuple(beaten),
        tuple(repeating),
        told.complete,
        told.seconds,
        beyond,
        tuple(norm for norm in asked if norm in late and norm not in beyond),
        told.settled,
        told.left,
        told.interrupted,
    )


def possible_among(search: Search, norms: Collection[str]) -> set[str]:
    """Those of these norms that some board or event of the lab's can give occasion to, as far as names
    tell.

    A norm without a rule that can fire is among them: it is no matter of the search.
    """
    searched = {layer for event in search.lab.events for layer in event.layers}
    ruled = [norm for norm in norms if _has_rules(search.lab, norm)]
    return _possible(search.lab, ruled, searched) | {*norms} - {*ruled}


def _events(search: Search) -> set[Event]:
    return {spot.event for grid in search.bounds.grids for spot in search.spots(grid)}


def _possible(lab: Generator, norms: Iterable[str], searched: Collection[str]) -> set[str]:
    """Those of these norms of which a rule can fire on a board of the generator, as far as names tell."""
    made = set(lab.chosen) | {
        node for rule in lab.rules if not rule.positive for node in rule.heads
    }
    derived = lab.heads
    rules = [rule for rule in lab.rules if rule.heads]

    asking: dict[tuple[str, int], set[Signature]] = {}
    for head in (each for r in rules if r.file.startswith("lab/") for each in r.heads):
        if head.topic:
            asking.setdefault((head.name, head.arity), set()).add(head)

    def there(node: Signature) -> bool:
        # What no rule derives and no board states comes with the search; but that something is asked
        # comes with an event of the generator, or not at all.
        kind = (node.name, node.arity)
        if node.topic and kind in asking:
            whatever = node.topic == ("_", 0)
            return node in made or (whatever and not made.isdisjoint(asking[kind]))
        return node in made or (node not in derived and kind not in lab.inputs)

    given = {"hex", "next", "part", "section"}
    grown = True
    while grown:
        grown = False
        for rule in rules:
            if all(map(made.__contains__, rule.heads)):
                continue
            if all(each.name in given or there(each) for each in rule.positive):
                made |= set(rule.heads)
                grown = True
    wanted = set(norms)
    return {
        rule.norm
        for rule in lab.program.source.rules
        if rule.norm in wanted
        and rule.literals
        and layer_of(lab, rule.body) in searched
        and all(each.name in given or there(each) for each in rule.positive)
    }


def norms_of(lab: Generator, sections: Iterable[str]) -> list[Norm]:
    """The norms of these sections, with the general rules as `general` and the rulings as `rulings`."""
    wanted = {each.lower() for each in sections}
    return [norm for norm in lab.program.norms.values() if section_of(norm) in wanted]


def known_all(lab: Generator, named: str, besides: Iterable[str] = ()) -> list[Norm]:
    """The norm of this id, or all of a paragraph; QuestionError where there is neither.

    besides: what else might be meant.
    """
    norms = {each.upper(): norm for each, norm in lab.program.norms.items()}
    if named.upper() in norms:
        return [norms[named.upper()]]
    own = [norm for name, norm in norms.items() if name.startswith(f"{named.upper()}-")]
    if not own:
        near = nearest(named, [*lab.program.norms, *besides])
        hint = f"; did you mean {near}?" if near else ""
        kinds = ", nor a kind of question that norms speak of" if besides else ""
        raise QuestionError(f"there is no norm {named}{kinds}{hint}")
    return own


#: What one's own rules are called among the sections.
OWN = "own"


def section_of(norm: Norm) -> str:
    """The section that a norm stands in: the folder of its file; `own` for one's own rules."""
    if norm.house_rule:
        return OWN
    folder, slash, _ = norm.file.partition("/")
    return folder if slash else norm.file.removesuffix(".lp")


def _has_rules(lab: Generator, norm: str) -> bool:
    """Whether a norm has a rule that can fire at all."""
    return any(rule.norm == norm and rule.literals for rule in lab.program.source.rules)


def _speaks(lab: Generator, norm: str) -> bool:
    rules = [rule for rule in lab.program.source.rules if rule.norm == norm and rule.literals]
    heads = {head.name for rule in rules for head in rule.heads}
    return heads <= _SPEAKING and "violates" not in heads
