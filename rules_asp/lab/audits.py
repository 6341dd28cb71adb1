"""`lab conflicts`, `dead`, `gaps` and `unreachable`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain.unknown import Reason, parse_reason
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    Query,
    QueryLiteral,
    argument_from_symbol,
    arguments_from_symbols,
)
from rules_asp.game.values import default_notation
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import Functor, Norm, Signature
from rules_asp.lab.generator import BoardModel, Generator, SearchBounds
from rules_asp.lab.goals import (
    CLASH,
    CONTESTED,
    GAP,
    SILENT,
    GoalRules,
    SearchGoal,
    Suspect,
    effects,
    firing,
    joined,
    kind_of,
    layer_of,
    search_goal_for,
    suspect_facts,
    suspected,
)
from rules_asp.lab.precedence import decisive_norms
from rules_asp.lab.report import SearchProgress, SearchReport, report
from rules_asp.lab.search import Search
from rules_asp.lab.witness import GoalWitness, SiteFinding, WitnessEvidence, any_query, query_of
from rules_asp.parser import parse
from rules_asp.parser.errors import nearest
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import prepare
from rules_asp.queries.ask import ask

# --- Conflicts: two undefeated norms that answer one question differently.


@dataclass(frozen=True)
class ConflictFinding:
    """A conflict of two norms on a kind of question, with the smallest board that shows it.

    settled: the rulings that decide which norm wins.
    """

    topic: str
    one: str
    other: str
    where: str
    shown: GoalWitness | None
    settled: tuple[str, ...] = ()


def conflicts(
    search: Search,
    review: bool = False,
    suspects: Collection[Suspect] | None = None,
) -> SearchReport[ConflictFinding]:
    """Search all conflicts; `review`: permissions against prohibitions, without precedence.

    suspects: the only kinds of topics with two norms to search; the others provably never conflict.
    """
    goal = CONTESTED if review else CLASH
    if suspects is None:
        look = search_goal_for(search.lab, [goal])
    else:
        named: dict[str, set[str]] = {}
        for name, *pair in suspects:
            named.setdefault(name, set()).update(pair)
        among = [kind for kind in search.lab.kinds(*goal.reads[0]) if kind[0] in named]
        decisive = decisive_norms(search.lab, {kind: named[kind[0]] for kind in among})
        look = search_goal_for(search.lab, [suspected(goal, suspects)], False, among, decisive)
        look = replace(look, facts=suspect_facts(suspects))
    reads = ("conflict", 3), ("contested", 3)
    search = replace(search, look=replace(look, evidence=evidence, reads=reads))

    def clash(found: SiteFinding, shown: GoalWitness | None) -> ConflictFinding:
        topic, one, other = clingo.parse_term(found.goal).arguments
        settled = tuple(settling(search.lab, one.string, other.string))
        if not settled and shown is not None and search.bounds.without:
            settled = tuple(settling_there(search, shown))
        return ConflictFinding(
            str(topic), one.string, other.string, str(found.spot), shown, settled
        )

    return report(search, clash, lambda each: (each.topic, each.one, each.other))


def evidence(model: BoardModel) -> Query:
    """Return the question that shows a conflict, or a permission against a prohibition."""
    kind, one, other = model.goal.arguments
    name = "conflict" if model.goal.name == "clash" else "contested"
    for atom in model.symbols:
        about = atom.arguments[1:] if atom.name == name else []
        if about == [one, other] and kind_of(atom.arguments[0]) == kind:
            return query_of(atom)
    raise AssertionError(f"no rule of the lab describes the goal {model.goal}")


def settling(lab: Generator, one: str, other: str) -> Iterable[str]:
    """Return the rulings that give one of two norms precedence over the other."""
    for ruling, winner, loser in lab.rulings:
        if {winner, loser} == {one, other}:
            yield ruling


def settling_there(search: Search, shown: GoalWitness) -> Iterable[str]:
    """Return the rulings that prevent a conflict on a board, if none names both norms.

    The set is found by trials and is minimal: without any of its rulings, the norms conflict there.
    """
    board = parse(shown.witness.plain)
    off = search.bounds.without

    def clashes(on: tuple[str, ...]) -> bool:
        without = tuple(each for each in off if each not in on)
        try:
            here = prepare(board, search.lab.program, without)
            return ask(here, shown.witness.query, cite=False).holds is True
        except QuestionError:
            return False

    def least(some: tuple[str, ...], with_: tuple[str, ...], new: bool) -> tuple[str, ...]:
        if new and not clashes(with_):
            return ()
        if len(some) == 1:
            return some
        one, two = some[: len(some) // 2], some[len(some) // 2 :]
        second = least(two, (*with_, *one), True)
        return (*least(one, (*with_, *second), bool(second)), *second)

    return () if clashes(off) else least(off, (), False)


# --- Norms without effect: they never fire, never win, or only repeat other norms.


#: Heads by which a norm ranks others or rules out a setup; they do not answer a question.
_NOT_SPEAKING = frozenset(("overrides", "amends", "ruling", "yields", "exempts", "violates"))


@dataclass(frozen=True)
class DeadNorms:
    """Norms, by id, that have no effect on any board within the limits.

    `silent` never fire. `beyond` cannot fire on any searched board, since no such board has their
    subject. `open` are undecided. `beaten` and `repeating` only contain norms that no other rule
    reads, since a norm that others read may have an effect there.
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
    #: Those proved to apply on no board of any size.
    proved: tuple[str, ...] = ()
    too_large: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """True if all norms are decided."""
        return self.complete and not self.open

    @property
    def sure(self) -> bool:
        """The same as `whole`, since the effect of a norm is never unknown."""
        return self.whole


@dataclass(frozen=True)
class NormActivity:
    """An effect of a norm: it `fires`, it `wins` somewhere, it `says what no other says`."""

    norm: str
    does: str


_DOES = {"fires": "fires", "counts": "wins", "alone": "says what no other says"}


def dead_norms(search: Search, of: Iterable[str]) -> DeadNorms:
    """Return which of these norms have no effect."""
    lab = search.lab
    asked = [norm for norm in of if _has_rules(lab, norm)]
    # Only a norm that no other reads is reported as beaten or repeating.
    speaking = [norm for norm in asked if _speaks(lab, norm)]
    look = joined(
        firing(lab, asked),
        effects(lab, speaking),
    )
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
    spots = (spot for grid in search.bounds.grids for spot in search.spots(grid))
    searched = {layer for spot in spots for layer in spot.event.layers}
    # Grounding already shows what no board has.
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
        # The undecided rest may still show an effect.
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
        too_large=told.too_large,
    )


def possible_among(search: Search, norms: Collection[str]) -> set[str]:
    """Return the norms that some board or event of the lab can trigger, judged by predicate names.

    A norm without rules is included, since the search need not decide it.
    """
    searched = {layer for event in search.lab.events for layer in event.layers}
    ruled = [norm for norm in norms if _has_rules(search.lab, norm)]
    return _possible(search.lab, ruled, searched) | {*norms} - {*ruled}


def _possible(lab: Generator, norms: Iterable[str], searched: Collection[str]) -> set[str]:
    """Return the norms with a rule that can fire on a generated board, judged by predicate names."""
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
        # A node that nothing derives or states comes with the search. The facts that a question is
        # asked come only with an event.
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
    """Return the norms of these sections; `general` are the general rules, `rulings` the rulings."""
    wanted = {each.lower() for each in sections}
    return [norm for norm in lab.program.norms.values() if section_of(norm) in wanted]


def known_all(lab: Generator, named: str, besides: Iterable[str] = ()) -> list[Norm]:
    """Return the norm of this id, or all norms of a rule number; QuestionError if neither exists.

    besides: further names for the suggestion.
    """
    norms = {each.upper(): norm for each, norm in lab.program.norms.items()}
    if named.upper() in norms:
        return [norms[named.upper()]]
    own = [norm for name, norm in norms.items() if name.startswith(f"{named.upper()}-")]
    if not own:
        near = nearest(named, [*lab.program.norms, *besides])
        hint = f"; did you mean {near}?" if near else ""
        kinds = ", and no kind of question with this name" if besides else ""
        raise QuestionError(f"there is no rule {named}{kinds}{hint}")
    return own


#: The section name of house rules.
OWN = "own"


def section_of(norm: Norm) -> str:
    """Return the section of a norm: the folder of its file; `own` for house rules."""
    if norm.house_rule:
        return OWN
    folder, slash, _ = norm.file.partition("/")
    return folder if slash else norm.file.removesuffix(".lp")


def _has_rules(lab: Generator, norm: str) -> bool:
    """Test whether a norm has a rule that can fire."""
    return any(rule.norm == norm and rule.literals for rule in lab.program.source.rules)


def _speaks(lab: Generator, norm: str) -> bool:
    rules = [rule for rule in lab.program.source.rules if rule.norm == norm and rule.literals]
    heads = {head.name for rule in rules for head in rule.heads}
    return heads <= calculus().heads.keys() - _NOT_SPEAKING


# --- Questions without an answer; Locations that no legal move reaches.


@dataclass(frozen=True)
class Gap:
    """A kind of question without an answer, and the smallest board that raises it.

    norm, why: the norm that leaves it open, and its reason; None if no norm is about it.
    """

    topic: str
    norm: str | None
    why: Reason | None
    where: str
    shown: GoalWitness | None


def gaps(
    search: Search, stated: bool = False, answered: Collection[Functor] = ()
) -> SearchReport[Gap]:
    """Search for questions without an answer.

    stated: those that norms leave open, with their reasons. answered: kinds of topics that need no
    search, since they always have an answer.
    """
    templates = [SILENT] if stated else GAP
    only = {kind for each in templates for kind in search.lab.kinds(*each.reads[0])} - {*answered}
    look = search_goal_for(search.lab, templates, only=only)
    look = replace(look, evidence=_gap, reads=_READ_OF_GAPS, facts=away(search), once=True)
    return _gaps(replace(search, look=look))


def away(search: Search) -> str:
    """Return facts for the norms of sections that are not in force."""
    sections = {*search.lab.program.vocabulary.words["section"]} - {*search.bounds.sections}
    return "".join(f'away("{norm.id}").' for norm in norms_of(search.lab, sections))


def unreachable(search: Search, boards: bool = True) -> SearchReport[Gap]:
    """Search for kinds of Locations that a squad should reach but that no legal path leads to.

    kb/lab/reachability.lp lists the expected Locations. Unknown cases are not reported.
    """
    rules = (
        "goal(unreachable(L,K)) :- missed(l(H,L)), is(btype(H),K).\n"
        "goal(unreachable(L,none)) :- missed(l(H,L)), not is(btype(H),_)."
    )
    wanted = (Signature("missed", 1), Signature("is", 2, ("btype", 1)))
    look = SearchGoal(
        {"question": GoalRules(rules, wanted)},
        evidence=_unreached,
        events=("reach",),
        reads=(("missed", 1),),
    )
    return _gaps(replace(search, look=look), boards)


def _gaps(search: Search, boards: bool = True) -> SearchReport[Gap]:
    def gap(found: SiteFinding, shown: GoalWitness | None) -> Gap:
        goal = clingo.parse_term(found.goal)
        topic, *rest = goal.arguments
        if goal.name == "unreachable":
            return Gap(f"{topic} of {rest[0]}", None, None, str(found.spot), shown)
        norm, why = (
            (rest[0].string, parse_reason(rest[1], default_notation())) if rest else (None, None)
        )
        return Gap(str(topic), norm, why, str(found.spot), shown)

    return report(search, gap, lambda each: (each.topic, each.norm or "", str(each.why)), boards)


#: The predicates that `_gap` reads.
_READ_OF_GAPS = (
    *(("is", 2), ("is_sum", 1), ("is_unknown", 1)),
    *(("unknown", 2), ("due", 1), ("silent", 3)),
)


def _gap(model: BoardModel) -> Query:
    """Return the question that a topic has no value, or that it is unknown."""
    about = model.goal.arguments[0]
    silent = model.goal.name == "silent"
    true = set(model.symbols)
    answered = {each.arguments[0] for each in true if each.name in ("is", "is_sum", "is_unknown")}
    for atom in sorted(model.symbols):
        if atom.name == "unknown" and kind_of(atom.arguments[0]) == about:
            topic, why = atom.arguments
            if silent and why == model.goal.arguments[2]:
                said = clingo.Function("silent", [model.goal.arguments[1], topic, why])
                if said in true:
                    (unknown,) = query_of(atom).literals
                    assert isinstance(unknown, QueryLiteral)
                    # A reason may contain words of the rules that a question cannot name.
                    return Query((replace(unknown, args=(unknown.args[0], any_query("reason"))),))
            elif not silent and str(why) == "no_norm":
                return query_of(atom)
        if not silent and atom.name == "due" and kind_of(atom.arguments[0]) == about:
            topic = atom.arguments[0]
            if topic not in answered:
                entry = default_vocabulary().topics[topic.name]
                args = arguments_from_symbols(topic.arguments, entry.kinds, default_notation())
                return Query(
                    (QueryLiteral(topic.name, args, any_query(entry.value), negated=True),)
                )
    raise AssertionError(f"no rule of the lab describes the goal {model.goal}")


def _unreached(model: BoardModel) -> WitnessEvidence:
    """Return the evidence that the Location exists, and that no legal path leads the squad there."""
    floor = model.goal.arguments[0]
    for atom in sorted(model.symbols):
        if atom.name == "missed" and atom.arguments[0].arguments[1] == floor:
            place = argument_from_symbol(atom.arguments[0], "location", default_notation())
            step = FunctionTerm(
                "step",
                (
                    Argument("move", "by"),
                    Argument("A", "unit"),
                    any_query("location"),
                    place,
                    any_query("way"),
                ),
            )
            there = query_of(clingo.Function("location", [atom.arguments[0]]))
            return WitnessEvidence(there, refused=(DeedQuery(Argument(step, "deed")),))
    raise AssertionError(f"no rule of the lab describes the goal {model.goal}")
