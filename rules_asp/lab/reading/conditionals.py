"""What `always` is asked, CONDITION => CLAIM, read as the boards where the one holds and the other fails.

The claim is a literal, a comparison, or a count. What is compared may be a variable of the condition, as
in `height(H) = V => V >= 2`, or the value of a topic: `=> tem(..) >= 2` fails where it has a lower one.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace

from rules_asp.lab.reading.claimed import NOTIONS, Claim, CountCondition, claim_body, guards, pieces
from rules_asp.parser.errors import error_for
from rules_asp.parser.query import read_query
from rules_asp.positions.places import QuestionError
from rules_asp.terms.lexicon import NO, YES, YES_NO, vocabulary
from rules_asp.terms.query import (
    Argument,
    FunctionTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    Variable,
)

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
    reading = read_query(line, vocabulary(), open_sights=True)
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
        raise QuestionError(f"{count} is always so")
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
    return call.split("(")[0].strip().replace("-", "_") in vocabulary().topics


def _new(claim: str, name: str) -> str:
    """This name for a variable, with a number if the claim has it already."""
    names = itertools.chain((name,), (f"{name}{n}" for n in itertools.count(2)))
    return next(each for each in names if not re.search(rf"\b{each}\b", claim))


def _one_at_a_time(before: str, parts: list[str]) -> str:
    lines = " and ".join(f'"{f"{before} {each.strip()}".strip()}"' for each in parts)
    return f"what a claim says after => is a single literal, comparison or count: ask {lines}"
