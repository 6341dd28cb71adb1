"""Rules for a claim, and for its negation.

A claim is a literal, a comparison, or a count. A comparison may use a variable of the condition, as
in `height(H) = V => V >= 2`, or the value of a topic: `=> tem(..) >= 2` fails if the topic has a
lower one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from rules_asp.game.grid import Hex, Location, Vertex
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLosTerm,
    Variable,
)
from rules_asp.game.values import default_notation
from rules_asp.game.vocabulary import NO, YES, YES_NO, default_vocabulary
from rules_asp.knowledge.rules import SIGHT, Functor, Signature
from rules_asp.lab.clauses import INVERSE
from rules_asp.lab.generator import OTHER, Generator, rename_text, signature_pattern
from rules_asp.parser.errors import error_for
from rules_asp.parser.query import read_query
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.claims import Claim, CountCondition, named_places, pieces, read_claim
from rules_asp.queries.evaluate import (
    NOTIONS,
    Terms,
    about_of,
    atom_of,
    existence_literals,
    query_body,
)
from rules_asp.queries.query_facts import may_be_denied

# --- Default `no`: topics that nothing makes true, as in the ordinary commands.


def default_no_rules(
    literals: Iterable[QueryLiteral | QueryComparison], pairs: Collection[Functor]
) -> Iterator[str]:
    """Return rules for the default `no` of topics that nothing makes true, as in the ordinary
    commands.

    pairs: the topics of two Locations that only count if they were asked about.
    """
    for literal in literals:
        if isinstance(literal, QueryComparison) or not may_be_denied(literal):
            continue
        terms, domain = Terms(), _Domain()
        args = tuple(map(domain.of, literal.args))
        if not domain.listed:
            continue
        topic = atom_of(replace(literal, args=args, value=None), terms)
        body = [
            *terms.where,
            *existence_literals(literal),
            *domain.members,
            *asked_pair(literal, args, pairs),
        ]
        unsaid = (
            f"is({topic},_)",
            f"total({topic},_)",
            f"is_unknown({topic})",
            f"open_world({topic})",
        )
        body += [f"not {each}" for each in unsaid]
        yield f"read({topic},no) :- {', '.join(body)}."


def asked_pair(
    literal: QueryLiteral, args: tuple[Argument, ...], pairs: Collection[Functor]
) -> Iterator[str]:
    """Return the literal that two Locations were asked about, for a topic that requires it."""
    if (literal.name, len(args)) in pairs:
        terms = Terms(80)
        one, other = (terms.of(each) for each in args if each.kind == "location")
        yield from (*terms.where, f"asked_adjacent({one},{other})")


#: How to find the values for a part of a topic.
_MEMBERS = {
    "hex": "hex({})",
    "location": "location({})",
    "hexside": "hexside_between(_,_,{})",
    "unit": "unit({},_)",
    "side": "side({})",
}


@dataclass
class _Domain:
    """Names for the open parts of a topic, and the values of each."""

    members: list[str] = field(default_factory=list)
    #: True if all values can be listed.
    listed: bool = True

    def of(self, given: Argument) -> Argument:
        value = given.value
        if isinstance(value, Variable):
            name = f"Open{len(self.members)}"
            kinds = default_vocabulary().words
            member = _MEMBERS.get(given.kind)
            if member is None and given.kind in kinds:
                member = f"word({given.kind},{{}})"
            self.listed &= member is not None
            self.members.append((member or "{}").format(name))
            return given._replace(value=Variable(name))
        if isinstance(value, OpenLosTerm | UnitLosTerm):
            self.listed = False
        if isinstance(value, FunctionTerm) and value.args:
            inner = FunctionTerm(value.name, tuple(map(self.of, value.args)))
            if inner != value and value.name in default_vocabulary().forms:
                self.members.append(f"weighed({Terms(70).of(given._replace(value=inner))})")
            return given._replace(value=inner)
        return given


# --- Conditions for the parts of a claim.


def subjects(query: Query) -> Iterator[str]:
    """Yield the topics, actions and LOS of a question in clingo syntax."""
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and not literal.negated:
            terms = Terms(0)
            if (about := about_of(literal, terms)) is not None and not terms.where:
                yield about


def guards(literal: QueryLiteral | QueryComparison, place: int = 0) -> Iterator[str]:
    """Yield the conditions for a negated literal: the LOS is measured, the form was asked about.

    place: the index of the literal in its claim, so that each has its own variables for units.
    """
    if isinstance(literal, QueryComparison) or not literal.negated:
        return
    for each in literal.args:
        terms = Terms(90 + 10 * place)
        text = terms.of(each)
        value = each.value
        if each.kind == "sight" or isinstance(value, LosTerm | OpenLosTerm | UnitLosTerm):
            yield from (*terms.where, f"sight({text},_)")
        elif isinstance(value, FunctionTerm) and value.name in default_vocabulary().forms:
            yield from (*terms.where, f"weighed({text})")


def possible(claim: Claim, verdicts: Collection[str] = ()) -> str:
    """Return rules by which each literal of a claim may hold, or not, for any value.

    Actions and LOS are asked about only if the claim names them. Predicates that the calculus
    derives by itself, such as a conflict (`verdicts`), may hold for anything.
    """
    found: list[str] = []
    loose: list[QueryLiteral] = []
    for place, each in enumerate(claim.query.literals):
        if isinstance(each, QueryLiteral) and each.name in (*NOTIONS, "illegal"):
            asked = replace(each, args=each.args[:1], negated=True)
            found += [*existence_literals(each), *guards(asked, place)]
        elif isinstance(each, QueryLiteral) and each.name not in verdicts:
            loose.append(_loosened(each))
    plain = Query(tuple(each for each in loose if not each.negated))
    found += [
        *query_body(plain, exists=True),
        *(guard for each in loose for guard in guards(each, 99)),
    ]
    return ", ".join(found)


def _loosened(literal: QueryLiteral) -> QueryLiteral:
    value = literal.value and Argument(Variable("_"), literal.value.kind)
    return replace(literal, args=tuple(map(_loose, literal.args)), value=value)


def _loose(given: Argument) -> Argument:
    value = given.value
    if isinstance(value, FunctionTerm):
        return given._replace(value=FunctionTerm(value.name, tuple(map(_loose, value.args))))
    return given._replace(value=Variable("_"))


def weighed(literals: Iterable[QueryLiteral | QueryComparison]) -> Iterator[tuple[str, int]]:
    """Yield the kinds of forms that only count if they were asked about."""
    for literal in literals:
        if isinstance(literal, QueryLiteral) and (
            literal.negated or may_be_denied(literal) or literal.name in (*NOTIONS, "illegal")
        ):
            for each in literal.args:
                if (
                    isinstance(each.value, FunctionTerm)
                    and each.value.name in default_vocabulary().forms
                ):
                    yield each.value.name, len(each.value.args)


# --- The values of a claim on a board.


def beyond_search(claim: Claim) -> str | None:
    """Return a Location of an LOS, fire attack or action in the claim that no search covers; None
    if all are covered."""
    for literal in claim.literals:
        for each in literal.arguments:
            if each.kind in ("location", "spot"):
                continue
            places = [place for place in named_places(each) if isinstance(place, Location)]
            vertices = [place for place in places if isinstance(place.spot, Vertex)]
            if len(vertices) > 1 and each.kind in ("sight", "shot"):
                told = " and ".join(map(str, vertices))
                return f"{told}: the lab does not search lines between two vertices"
            for place in places:
                if place.above is not None:
                    return f"{place}: the lab does not search levels without a Location"
    return None


def of_bypass(claim: Claim) -> bool:
    """Test whether a claim is about units in Bypass: it says so, or names a vertex."""
    literals = [each for each in claim.literals if isinstance(each, QueryLiteral)]
    named = (
        each
        for literal in literals
        for argument in literal.arguments
        for each in named_places(argument)
    )
    spots = (each.spot if isinstance(each, Location) else each for each in named)
    return any(each.name == "bypasses" for each in literals) or any(
        isinstance(each, Vertex) for each in spots
    )


# --- `always CONDITION => CLAIM`: boards where the condition holds and the claim fails.


_NOT = re.compile(r"\s*(not)\b")
#: A comparison with the value of a topic: `tem(shot(X, Y, direct, still)) >= 2`.
_COMPARED = re.compile(
    r"(?P<topic>\s*[a-z][\w-]*\s*\(.*\)\s*)(?P<sign><=|>=|!=|<|>)(?P<value>[^()]*)"
)


@dataclass(frozen=True)
class CounterexampleClaim:
    """The negation of a claim, and its condition, which must hold on some board, as clingo text.

    doubtful: the case that the condition holds and the claim is unknown; None if that is
    impossible.
    """

    failing: Claim
    given: tuple[str, ...]
    doubtful: Claim | None = None


def negate_claim(claim: str) -> CounterexampleClaim:
    """Return a claim as the query of its counterexamples.

    BoardError or QuestionError for a text that is not a claim, with a corrected line.
    """
    condition, arrow, last = claim.rpartition("=>")
    given = list(pieces(condition)) if arrow else []
    first = len(condition) + len(arrow)
    said = [(first + start, piece, count) for start, piece, count in pieces(last)]
    counts = tuple(count for _, _, count in given if count is not None)
    plain = [(start, piece) for start, piece, count in given if count is None]
    if len(said) == 1 and (count := said[0][2]) is not None:
        read = _read(claim, plain)
        body = [*query_body(read, exists=True), *(each.clingo for each in counts)]
        return CounterexampleClaim(
            Claim(read, (*counts, _other(condition + arrow, count))), tuple(body)
        )
    if any(count is not None for *_, count in said):
        raise QuestionError(_one_at_a_time(condition + arrow, [piece for _, piece, _ in said]))
    return _of_literals(claim, condition + arrow, plain, counts, [(s, p) for s, p, _ in said])


def _of_literals(
    claim: str,
    before: str,
    plain: list[tuple[int, str]],
    counts: tuple[CountCondition, ...],
    said: list[tuple[int, str]],
) -> CounterexampleClaim:
    start, text = said[0]
    turned = len(said) == 1 and (found := _NOT.match(text)) is not None
    if turned and found is not None:
        # The counterexample does not deny the literal, so it may name anything.
        said = [(start, " " * found.end() + text[found.end() :])]
    if len(said) == 1 and (compared := _COMPARED.fullmatch(text)) and _is_topic(compared["topic"]):
        name = _new(claim, "V")
        value = f"{compared['topic']}={name}"
        said = [
            (start, value),
            (start + len(value) + 1, f"{name}{compared['sign']}{compared['value']}"),
        ]
    read = _read(claim, [*plain, *said])
    condition = Query(read.literals[: len(plain)])
    conclusion = read.literals[len(plain) :]
    last = conclusion[-1]
    unknown = _not_known(conclusion[0], claim)
    doubtful = Claim(Query((*condition.literals, unknown)), counts) if unknown else None
    if len(conclusion) == 2 and _is_value(conclusion[0], last, condition):
        condition = Query(read.literals[:-1])
    elif len(conclusion) > 1:
        raise QuestionError(_one_at_a_time(before, [piece for _, piece in said]))
    if not turned and isinstance(last, QueryLiteral) and _is_no(last):
        # A denied literal fails if it holds with any value.
        last, turned = replace(last, value=Argument(YES, YES_NO)), True
    if not turned:
        last = _not(last)
        free = [name for name in _variables(last) if name not in _bound(condition)]
        if free:
            anything = re.sub(rf"\b({'|'.join(free)})\b", "_", said[-1][1].strip())
            line = f"{before} {anything}".strip()
            only = f"{free[0]} occurs" if len(free) == 1 else f"{', '.join(free)} occur"
            raise QuestionError(
                f"{only} only after =>: use {'it' if len(free) == 1 else 'them'} also in the "
                f'condition before =>, or write _ for any value: "{line}"'
            )
    body = [*query_body(condition, exists=True), *(each.clingo for each in counts), *guards(last)]
    failing = Claim(Query((*condition.literals, last)), counts)
    return CounterexampleClaim(failing, tuple(body), doubtful)


def _not_known(said: QueryLiteral | QueryComparison, claim: str) -> QueryLiteral | None:
    """Return the literal that a topic is unknown, with its reason; None if it cannot be unknown."""
    if isinstance(said, QueryComparison):
        return None
    if said.value is not None:
        about = Argument(FunctionTerm(said.name, said.args), "topic")
    elif said.name in NOTIONS:
        about = said.args[0]
    else:
        return None
    why = Argument(Variable(_new(claim, "R")), "reason")
    return QueryLiteral("unknown", (about, why))


def _read(claim: str, said: list[tuple[int, str]]) -> Query:
    """Read parts of a claim as one question; each keeps its position for messages."""
    if not said:
        return Query(())
    line = ""
    for start, piece in said:
        line = f"{line:<{max(start - 1, 0)}}" + ("," if line else " " * (start > 0)) + piece
    reading = read_query(line, default_notation(), open_sights=True)
    if reading.problems or reading.query is None:
        raise error_for("question", claim, reading.problems)
    return reading.query


def _other(before: str, count: CountCondition) -> CountCondition:
    """Return the count that holds exactly if this one does not."""
    if count.how == "at least" and count.number > 0:
        return replace(count, how="at most", number=count.number - 1)
    if count.how == "at most":
        return replace(count, how="at least", number=count.number + 1)
    if count.how == "at least":
        raise QuestionError(f"{count} is true on every board: use a number greater than 0")
    both = [str(replace(count, how=how)) for how in ("at least", "at most")]
    raise QuestionError(_one_at_a_time(before, both))


def _not(said: QueryLiteral | QueryComparison) -> QueryLiteral | QueryComparison:
    if isinstance(said, QueryComparison):
        return replace(said, operator=INVERSE[said.operator])
    return replace(said, negated=not said.negated)


def _bound(query: Query) -> set[str]:
    return {
        name
        for each in query.literals
        if isinstance(each, QueryLiteral) and not each.negated
        for name in _variables(each)
    }


def _variables(said: QueryLiteral | QueryComparison) -> list[str]:
    found = [name for each in said.arguments for name, _ in each.variables]
    return [each for each in dict.fromkeys(found) if each != "_"]


def _is_value(
    topic: QueryLiteral | QueryComparison, compared: QueryLiteral | QueryComparison, given: Query
) -> bool:
    """Test whether a literal compares the value of a topic that may have any value."""
    if (
        not isinstance(topic, QueryLiteral)
        or topic.negated
        or not isinstance(compared, QueryComparison)
    ):
        return False
    value = topic.value and topic.value.value
    if not isinstance(value, Variable) or value.name not in _variables(compared):
        return False
    inner = [name for each in topic.args for name, _ in each.variables]
    return value.name not in {*_bound(given), *inner}


def _is_no(said: QueryLiteral) -> bool:
    value = said.value
    return value is not None and (value.kind, value.value) == (YES_NO, NO) and not said.negated


def _is_topic(call: str) -> bool:
    return call.split("(")[0].strip().replace("-", "_") in default_vocabulary().topics


def _new(claim: str, name: str) -> str:
    """Return a new variable name for the claim: letters alone, since V2 is a hex."""
    names = (name * times for times in itertools.count(1))
    return next(each for each in names if not re.search(rf"\b{each}\b", claim))


def _one_at_a_time(before: str, parts: list[str]) -> str:
    lines = " and ".join(f'"{f"{before} {each.strip()}".strip()}"' for each in parts)
    return f"a claim has a single property, comparison or count after =>: ask {lines}"


# --- A claim as rules: a question that small boards must answer with yes.


def condition_rules(lab: Generator, claim: str) -> tuple[str, tuple[Signature, ...]]:
    """Return rules that leave only boards on which a claim holds, under either rule set if there
    are two.

    BoardError for an invalid claim.
    """
    read = read_claim(claim)
    query = read.whole
    nodes = [*nodes_of(lab, query), *named_nodes(lab, read.body)]
    text = "\n".join([*values(lab, query), f"required :- {read.body}.", ":- not required."])
    if lab.unit_pairs.intersection(nodes):
        own = {Signature("required", 0), *lab.unit_pairs}
        own |= {
            Signature("exists", 1),
            *(Signature("read", 2, functor) for functor in _topics(query)),
        }
        text += "\n" + rename_text(text, own)
        nodes += [n._replace(name=n.name + OTHER) for n in nodes if n in lab.unit_pairs]
    return text, tuple(nodes)


@cache
def places_named(claim: str) -> frozenset[Hex]:
    """Return the hexes that a claim names."""
    return read_claim(claim).places


def values(lab: Generator, query: Query) -> Iterator[str]:
    """Yield the default rules for the topics of a query: the total of a sum, and `no` for others."""
    yield "#defined is/2. #defined total/2. #defined is_unknown/1."
    yield "#defined undetermined/1. #defined open_world/1."
    yield "#defined location/1. #defined at_level/2. exists(X) :- location(X). exists(X) :- at_level(X,_)."
    for functor in dict.fromkeys(_topics(query)):
        about = signature_pattern(functor)
        if Signature("total", 2, functor) in lab.heads:
            yield f"read({about},V) :- total({about},V)."
            yield f"read({about},V) :- is({about},V), not total({about},_)."
        else:
            yield f"read({about},V) :- is({about},V)."
    yield from default_no_rules(query.literals, pairs(lab, query))


def pairs(lab: Generator, query: Query) -> frozenset[Functor]:
    """Return the topics of a question that must be asked about two Locations, such as ADJACENT."""
    found = set()
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and literal.value is not None:
            functor = literal.name, len(literal.args)
            if [each.kind for each in literal.args].count("location") == 2:
                cone = lab.cone([Signature("is", 2, functor)])
                if any(_ASKED in lab.rules[place].body for place in cone):
                    found.add(functor)
    return frozenset(found)


_ASKED = Signature("asked_adjacent", 2)
#: Conditions on the board that a claim implies.
_BESIDES = (
    "exists",
    "unit",
    "at",
    "asked_adjacent",
    "sight",
    "hex",
    "hexside_between",
    "side",
    "word",
)


def named_nodes(lab: Generator, rules: str) -> list[Signature]:
    """Return the nodes that a claim implies: its names exist, and its units have Locations."""
    said = "\n".join(each for each in rules.split("\n") if not each.startswith("#defined"))
    names = {each for each in _BESIDES if re.search(rf"\b{each}\(", said)}
    if "exists" in names:
        names |= {"location", "at_level"}
    known = lab.heads | {node for rule in lab.rules for node in rule.body}
    return sorted((node for node in known if node.name in names), key=str)


def _topics(query: Query) -> Iterator[Functor]:
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and literal.value is not None:
            yield literal.name, len(literal.args)


def nodes_of(lab: Generator, query: Query) -> list[Signature]:
    """Return the nodes that a question reads."""
    nodes = [
        Signature(name, 2, functor)
        for functor in _topics(query)
        for name in ("is", "total", "is_unknown", "undetermined", "open_world")
    ]
    known = lab.heads | {node for rule in lab.rules for node in rule.body}
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and literal.value is None:
            place = (literal.name, len(literal.args))
            nodes += [node for node in known if (node.name, node.arity) == place]
            if literal.negated and literal.name in NOTIONS:
                nodes += _unknown(lab, literal)
    return sorted(set(nodes), key=str)


def _unknown(lab: Generator, literal: QueryLiteral) -> Iterator[Signature]:
    """Yield the nodes that make a literal unknown: an action of its form, or an LOS."""
    value = literal.args[0].value
    about = (value.name, len(value.args)) if isinstance(value, FunctionTerm) else None
    if literal.args[0].kind == "sight":
        about = SIGHT
    forms = {(each.name, len(each.kinds)) for each in default_vocabulary().forms.values()}
    for node in lab.heads:
        fits = node.topic == about if about else node.topic in forms
        if fits and (node.name, node.arity) == ("is_unknown", 1):
            yield node
