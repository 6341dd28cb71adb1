"""A claim, or its negation, as rules.

The claim is a literal, a comparison, or a count. What is compared may be a variable of the condition, as
in `height(H) = V => V >= 2`, or the value of a topic: `=> tem(..) >= 2` fails where it has a lower one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from rules_asp.game.grid import Hex
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLosTerm,
    Variable,
)
from rules_asp.game.values import default_notation
from rules_asp.game.vocabulary import NO, YES, YES_NO, default_vocabulary
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.lab.claim_syntax import (
    NOTIONS,
    Claim,
    CountCondition,
    Terms,
    atom_of,
    claim_body,
    existence_literals,
    guards,
    pieces,
    read_claim,
)
from rules_asp.lab.generator import OTHER, Generator, rename_text, signature_pattern
from rules_asp.parser.errors import error_for
from rules_asp.parser.query import read_query
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.query_facts import may_be_denied

# --- What a claim reads as `no` since nothing makes it so, as the ordinary commands read it.


def default_no_rules(
    literals: Iterable[QueryLiteral | QueryComparison], pairs: Collection[Functor]
) -> Iterator[str]:
    """Rules by which what nothing makes so is read as `no`, as the ordinary commands read it.

    pairs: the topics of which it must be known whether they were asked of two Locations.
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
    """That it was asked of these two Locations, of a topic of which it must be known."""
    if (literal.name, len(args)) in pairs:
        terms = Terms(80)
        one, other = (terms.of(each) for each in args if each.kind == "location")
        yield from (*terms.where, f"asked_adjacent({one},{other})")


#: How what may stand in a place of a topic is found.
_MEMBERS = {
    "hex": "hex({})",
    "location": "location({})",
    "hexside": "hexside_between(_,_,{})",
    "unit": "unit({},_)",
    "side": "side({})",
}


@dataclass
class _Domain:
    """Names for what is left open in a topic, and what each of them may be."""

    members: list[str] = field(default_factory=list)
    #: Whether all that may stand there can be listed.
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


# --- What `always` is asked, CONDITION => CLAIM, read as the boards where the one holds and the
#     other fails.


_INVERSE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_NOT = re.compile(r"\s*(not)\b")
#: The value of a topic compared: `tem(shot(X, Y, direct, still)) >= 2`.
_COMPARED = re.compile(
    r"(?P<topic>\s*[a-z][\w-]*\s*\(.*\)\s*)(?P<sign><=|>=|!=|<|>)(?P<value>[^()]*)"
)


@dataclass(frozen=True)
class CounterexampleClaim:
    """What holds where a claim fails, and its condition, as clingo reads it, which must hold somewhere.

    doubtful: what holds where its condition is met and what it claims is not known; None where that
    cannot be.
    """

    failing: Claim
    given: tuple[str, ...]
    doubtful: Claim | None = None


def negate_claim(claim: str) -> CounterexampleClaim:
    """A claim as what holds where it fails.

    BoardError or QuestionError for what cannot be read as a claim, with the line that can.
    """
    condition, arrow, last = claim.rpartition("=>")
    given = list(pieces(condition)) if arrow else []
    first = len(condition) + len(arrow)
    said = [(first + start, piece, count) for start, piece, count in pieces(last)]
    counts = tuple(count for _, _, count in given if count is not None)
    plain = [(start, piece) for start, piece, count in given if count is None]
    if len(said) == 1 and (count := said[0][2]) is not None:
        read = _read(claim, plain)
        body = [*claim_body(read), *(each.clingo for each in counts)]
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
        # Where it fails it is so: nothing is denied, so that it may name what it likes.
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
        # It fails where it is so, of whatever it may be.
        last, turned = replace(last, value=Argument(YES, YES_NO)), True
    if not turned:
        last = _not(last)
        free = [name for name in _variables(last) if name not in _bound(condition)]
        if free:
            anything = re.sub(rf"\b({'|'.join(free)})\b", "_", said[-1][1].strip())
            line = f"{before} {anything}".strip()
            only = f"{free[0]} stands" if len(free) == 1 else f"{', '.join(free)} stand"
            raise QuestionError(
                f"{only} only in what is claimed: name {'it' if len(free) == 1 else 'them'} in a "
                f'condition, CONDITION => CLAIM, or where anything will do write _: "{line}"'
            )
    body = [*claim_body(condition), *(each.clingo for each in counts), *guards(last)]
    failing = Claim(Query((*condition.literals, last)), counts)
    return CounterexampleClaim(failing, tuple(body), doubtful)


def _not_known(said: QueryLiteral | QueryComparison, claim: str) -> QueryLiteral | None:
    """That it is not known, and why; None of what is so or not, and never unknown."""
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
    """Parts of a claim as one question, each at its place, so that a mistake is told where it is."""
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
    """A count that holds where this one does not."""
    if count.how == "at least" and count.number > 0:
        return replace(count, how="at most", number=count.number - 1)
    if count.how == "at most":
        return replace(count, how="at least", number=count.number + 1)
    if count.how == "at least":
        raise QuestionError(f"{count}is always so")
    both = [str(replace(count, how=how)) for how in ("at least", "at most")]
    raise QuestionError(_one_at_a_time(before, both))


def _not(said: QueryLiteral | QueryComparison) -> QueryLiteral | QueryComparison:
    if isinstance(said, QueryComparison):
        return replace(said, operator=_INVERSE[said.operator])
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
    """Whether it is asked for the value of a topic, of whatever it may be, which is then compared."""
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
    """This name for a variable, with a number if the claim has it already."""
    names = itertools.chain((name,), (f"{name}{n}" for n in itertools.count(2)))
    return next(each for each in names if not re.search(rf"\b{each}\b", claim))


def _one_at_a_time(before: str, parts: list[str]) -> str:
    lines = " and ".join(f'"{f"{before} {each.strip()}".strip()}"' for each in parts)
    return f"what a claim says after => is a single literal, comparison or count: ask {lines}"


# --- A claim as rules: a question of the board language that small boards are to answer with yes.


def condition_rules(lab: Generator, claim: str) -> tuple[str, tuple[Signature, ...]]:
    """Rules that leave only boards on which a claim holds, under either set of rules if there are two.

    BoardError for a bad claim.
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
    """The hexes that a claim names."""
    return read_claim(claim).places


def values(lab: Generator, query: Query) -> Iterator[str]:
    """What is read as the value of a topic: of a sum the total; what nothing makes so is `no`."""
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
    """The topics of a question that must be asked of two Locations, as whether these are ADJACENT."""
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
#: What a claim asks of the board besides what it says.
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
    """What a claim reads besides what it says: that what it names is there, where its units are."""
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
    """What a question reads."""
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
    """That what a literal is about is not known: a deed of its form, or a sight."""
    value = literal.args[0].value
    about = (value.name, len(value.args)) if isinstance(value, FunctionTerm) else None
    if literal.args[0].kind == "sight":
        about = ("s", 2)
    forms = {(each.name, len(each.kinds)) for each in default_vocabulary().forms.values()}
    for node in lab.heads:
        fits = node.topic == about if about else node.topic in forms
        if fits and (node.name, node.arity) == ("is_unknown", 1):
            yield node
