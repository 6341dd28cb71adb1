"""Why not: counter-queries, and the first condition that fails of each candidate norm.

Which notion stands against which, and whether it forbids, kb/answers.lp says (`counter_queries`).

A condition is looked for in the answer at hand, in the order of the rule: what comes before it holds, for
some of what its variables may stand for. Where it is a helper of kb/ the rules of that are looked into, as
far as what the vocabulary knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import clingo

from rules_asp.explain.selection import SectionsInForce
from rules_asp.explain.unknown import Reason, make_reason
from rules_asp.explain.wording import atom_text, is_vocabulary_atom, term_sentence
from rules_asp.game.grid import Location
from rules_asp.game.query import Argument, FunctionTerm, Query, QueryLiteral, Variable
from rules_asp.game.query import QueryLiteral as Asserted
from rules_asp.game.vocabulary import YES, YES_NO, Vocabulary
from rules_asp.knowledge.dependencies import Producers
from rules_asp.knowledge.instantiation import split_arguments
from rules_asp.knowledge.rules import TOPIC_PLACE, BodyLiteral, Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.parser.input_syntax import MAP_LINE, MARKS, fact_line
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import has_variables, matches

# --- What stands against a question that does not hold: who forbids it, what is so, what is not
#     stated.


def counter_queries(literal: QueryLiteral, words: Vocabulary) -> Iterator[QueryLiteral]:
    """Questions whose answers say why a literal does not hold.

    Of one with variables: who forbids it, in each way that comes into question.
    """
    why = Argument(Variable("Why"), "reason")
    if any(map(has_variables, literal.args)):
        other = words.against.get(literal.name)
        if literal.value is None and other is not None and other.forbids:
            norm = Argument(Variable("Norm"), other.further[0])
            yield replace(literal, name=other.name, args=(*literal.args, norm), negated=False)
            yield QueryLiteral("unknown", (*literal.args, why))
    elif literal.value is not None:
        yield replace(literal, value=Argument(Variable("Value"), literal.value.kind), negated=False)
        topic = Argument(FunctionTerm(literal.name, literal.args), "topic")
        yield QueryLiteral("unknown", (topic, why))
    elif literal.name in words.against:
        other = words.against[literal.name]
        free = (Argument(Variable(kind.capitalize()), kind) for kind in other.further)
        yield QueryLiteral(other.name, (*literal.args, *free))
        if not any(isinstance(each.value, Location) for each in literal.args):
            yield QueryLiteral("unknown", (*literal.args, why))


def forbidding_norms(position: Position, query: Query, answer: AnswerSet) -> Iterator[str]:
    """The norms that forbid what a question asks to be allowed."""
    for literal in _literals(query):
        other = position.vocabulary.against.get(literal.name)
        if other is None or not other.forbids:
            continue
        for *about, norm in answer.get(other.name, len(literal.args) + len(other.further)):
            if all(map(_is, about, literal.args)):
                yield norm.string


def _is(symbol: clingo.Symbol, argument: Argument) -> bool:
    """Whether a thing is what an argument names, or fits what it leaves open."""
    if has_variables(argument):
        return matches(symbol, argument.value)
    return symbol == clingo.parse_term(argument.term)


def actual_value(position: Position, query: Query, answer: AnswerSet) -> Iterator[str]:
    """The value that the topic of a question has, where it is one topic that is named in full."""
    for literal in _literals(query) if len(query.literals) == 1 else ():
        if literal.value is not None and not any(map(has_variables, literal.args)):
            value = answer.values.get(clingo.parse_term(literal.term))
            if value is not None:
                yield position.notation.value_text(value, literal.value.kind)


def unstated_inputs(position: Position, query: Query) -> Iterator[Reason]:
    """What a question asks to be stated that a board need not state, and this one does not."""
    for literal in _literals(query):
        declared = position.vocabulary.inputs.get(literal.name)
        if literal.value is not None or declared is None or declared.closed:
            continue
        known = [each for each in literal.args[: declared.once] if not has_variables(each)]
        terms = [clingo.parse_term(each.term) for each in known]
        facts = position.board_facts.named(literal.name)
        if not any(fact.arguments[: len(terms)] == terms for fact in facts):
            told = list(map(position.notation.term_text, terms))
            line = fact_line(literal.name, told, position.vocabulary)
            yield make_reason(position.vocabulary, "not_stated", line)


def candidate_norms(position: Position, query: Query) -> tuple[str, ...]:
    """The norms in force that could make so what a question asks, were the board another."""
    return tuple(dict.fromkeys(rule.norm or "" for rule in candidate_rules(position, query)))


def candidate_rules(position: Position, query: Query) -> Iterator[Rule]:
    """The rules of norms in force that could make so what a question asks, were the board another."""
    givers = position.program.givers
    force = SectionsInForce(position.program, position.cases[0])
    for rule in _makers(givers, query):
        if rule.norm is not None and force.holds(rule.norm):
            yield rule


def _makers(givers: Producers, query: Query) -> Iterator[Rule]:
    for literal in _literals(query) if len(query.literals) == 1 else ():
        if literal.value is None:
            yield from givers.rules_of(Signature(literal.name, len(literal.args)))
            continue
        topic = clingo.parse_term(_plain(literal.topic))
        value = None if has_variables(literal.value) else clingo.parse_term(literal.value.term)
        yield from (giver.rule for giver in givers.producers_of(topic, value))


def _plain(value: FunctionTerm) -> str:
    """A topic as a term; a place that is left open is the word `any`."""

    def text(argument: Argument) -> str:
        if isinstance(argument.value, FunctionTerm):
            return _plain(argument.value)
        return argument.term if not has_variables(argument) else "any"

    inner = ",".join(map(text, value.args))
    return f"{value.name}({inner})" if value.args else value.name


def _literals(query: Query) -> Iterator[QueryLiteral]:
    """What a question asserts."""
    return (each for each in query.literals if isinstance(each, QueryLiteral) and not each.negated)


# --- Why not: of each norm that could make something so the first of its conditions that fails
#     here.


_VARIABLE = re.compile(r'(?<![\w"])[A-Z]\w*')
_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")
_CALCULATED = re.compile(r"[-+*/\\|][A-Z0-9(]|\.\.")
#: What says that something is asked: where no such thing is, the question is no such question.
_ASKED = frozenset(("asked", "asked_deed", "sought"))
#: So deep helpers are looked into.
_DEPTH = 4


@dataclass(frozen=True)
class MissingCondition:
    """A norm that could make something so, what it lacks here, and where its rule stands in kb/.

    Without a norm it is for the board to say.
    """

    norm: str | None
    condition: str
    at: str | None


def missing_conditions(
    position: Position, query: Query, answers: Sequence[AnswerSet]
) -> tuple[MissingCondition, ...]:
    """What each norm lacks that could make so what a question asks; of the first case of the board."""
    found: dict[str, tuple[float, MissingCondition]] = {}
    asked = query.literals[0]
    if len(query.literals) > 1 or not isinstance(asked, Asserted) or asked.negated:
        return ()
    search = _Search(position, answers[0])
    if asked.name in position.vocabulary.inputs and asked.value is None:
        parts = ["_" if has_variables(each) else each.term for each in asked.args]
        return (MissingCondition(None, search.unstated(asked.name, parts), None),)
    for rule in candidate_rules(position, query):
        failure = search.failure(rule, _needed(rule, asked))
        if failure is None or rule.norm is None:
            continue
        told = MissingCondition(rule.norm, failure.told, f"{rule.file}:{rule.line}")
        # Of several rules of a norm the one that lacks least.
        if rule.norm not in found or failure.share > found[rule.norm][0]:
            found[rule.norm] = failure.share, told
    return tuple(each for _, each in found.values())


def _needed(rule: Rule, asked: Asserted) -> list[str]:
    """What is asked of the head of a rule, as equations; what is left open is nothing of that."""
    parts = split_arguments(rule.head or "")
    wanted = list(zip(parts, asked.args, strict=True)) if asked.value is None else []
    if asked.value is not None:
        place = TOPIC_PLACE[rule.heads[0].name]
        inner = split_arguments(parts[place])
        wanted += zip(inner, asked.args, strict=True)
        if rule.heads[0].name in ("says", "offers"):
            wanted.append((parts[place + 1], asked.value))
    return [f"{part} = {each.term}" for part, each in wanted if not has_variables(each)]


@dataclass(frozen=True)
class _Failure:
    """What fails, and which share of the conditions holds before it."""

    told: str
    share: float


class _Search:
    """Looks into an answer for what rules lack."""

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        self.position = position
        self.notation = position.notation
        self.words = position.vocabulary
        self.answers = [answer, position.cases[answer.static_case]]

    def failure(self, rule: Rule, needed: Sequence[str], depth: int = 0) -> _Failure | None:
        """The first condition of a rule that fails; None where none does, or the head is of other
        things.
        """
        # What a head calculates is looked at where it is known of what.
        later = [BodyLiteral("other", each) for each in needed if _CALCULATED.search(each)]
        needed = [each for each in needed if not _CALCULATED.search(each)]
        literals = list(_in_order((*rule.literals, *later), _variables(*needed)))
        texts = [each.text for each in literals]
        first = _variables(*needed)
        binding = [first, *map(_binds, literals)]
        known = [sorted(set().union(*binding[: number + 1])) for number in range(len(texts) + 1)]
        asked = [
            _reached(number, names, (*needed, *texts[:number]))
            for number, names in enumerate(known)
        ]
        read = {(node.name, node.arity) for node in rule.body}
        defined = "".join(f"#defined {name}/{arity}." for name, arity in sorted(read))
        facts = dict.fromkeys(a for each in self.answers for n in read for a in each.atoms(*n))
        (found,) = solve(defined, *asked, facts=facts, parts=True)
        reached = sorted(found.get("reached", 2), key=lambda each: (-each[0].number, str(each[1])))
        if not reached or reached[0][0].number == len(texts):
            return None
        number = reached[0][0].number
        bound = dict(zip(known[number], reached[0][1].arguments, strict=True))
        share = (number + 1) / (len(texts) + 1)
        return self.told(literals[number], bound, share, depth)

    def told(
        self, literal: BodyLiteral, bound: dict[str, clingo.Symbol], share: float, depth: int
    ) -> _Failure | None:
        """In words that a condition fails."""
        text = _VARIABLE.sub(lambda found: str(bound.get(found[0], "_")), literal.text)
        if literal.kind == "absent":
            atom = text.removeprefix("not ")
            return _Failure(f"but {self.so(atom)}", share)
        if literal.kind != "atom":
            return _Failure(f"{self.worded(text)} does not hold", share)
        name, parts = text.partition("(")[0], split_arguments(text)
        if name in _ASKED:
            return None
        if name in ("is", "value", "total"):
            return _Failure(self.otherwise(*parts), share)
        if name in self.words.inputs:
            return _Failure(self.unstated(name, parts), share)
        if not self.is_told(name, len(parts)) and depth < _DEPTH:
            rules = self.position.program.givers.every(Signature(name, len(parts)))
            below = [self.below(rule, parts, depth + 1) for rule in rules]
            best = max((each for each in below if each), key=lambda each: each.share, default=None)
            if best is not None:
                return _Failure(best.told, share)
        entry = self.words.predicate(name)
        sense = f" ({entry.meaning})" if entry else ""
        return _Failure(f"{self.worded(text)} is not so{sense}", share)

    def below(self, rule: Rule, parts: Sequence[str], depth: int) -> _Failure | None:
        """What the rule of a helper lacks."""
        own = split_arguments(rule.head or "")
        pairs = zip(own, parts, strict=True)
        needed = [f"{one} = {part}" for one, part in pairs if not _ANONYMOUS.search(part)]
        return self.failure(rule, needed, depth)

    def otherwise(self, topic: str, value: str) -> str:
        """What a topic is that should have had a value."""
        kind = self.words.topics.get(topic.partition("(")[0])
        wanted = (
            value
            if value == "_"
            else self.notation.value_text(clingo.parse_term(value), kind.value if kind else "")
        )
        if _ANONYMOUS.search(topic):
            return f"{self.worded(topic)} is nowhere {wanted}"
        symbol = clingo.parse_term(topic)
        said = term_sentence(symbol, self.notation)
        for answer in self.answers:
            if symbol in answer.values:
                found = self.notation.value_text(answer.values[symbol], kind.value if kind else "")
                return f"{said} is {found}, not {wanted}"
        if wanted == "_":
            return f"{said} has no value"
        if kind is not None and kind.value == YES_NO:
            return f"{said} is {'not so' if value == YES else 'so'}"
        return f"nothing makes {said} {wanted}"

    def so(self, text: str) -> str:
        """In words that something is so which a rule denies."""
        if _ANONYMOUS.search(text):
            return self.worded(text)
        return atom_text(clingo.parse_term(text), self.notation)

    def is_told(self, name: str, arity: int) -> bool:
        """Whether people know an atom of this name, which is no result of the calculus."""
        atom = clingo.Function(name, [clingo.Number(0)] * arity)
        return is_vocabulary_atom(atom, self.words) and name not in TOPIC_PLACE

    def unstated(self, name: str, parts: Sequence[str]) -> str:
        """That the board does not say an input: the line that would, or what that means."""
        ground = takewhile(_is_one, parts)
        known = [self.notation.term_text(clingo.parse_term(part)) for part in ground]
        if name not in MAP_LINE and name not in MARKS:
            return f"the board does not say: {fact_line(name, known, self.words)}"
        # What lies on the map is told in the words of who looks at it.
        where = f" ({', '.join(known)})" if known else ""
        return f"not on this board{where}: {self.words.inputs[name].meaning}"

    def worded(self, text: str) -> str:
        """A condition with places by name, and `any` for what is not known of it."""
        try:
            return term_sentence(clingo.parse_term(_ANONYMOUS.sub("any", text)), self.notation)
        except RuntimeError:
            return text


def _in_order(literals: Iterable[BodyLiteral], known: set[str]) -> Iterator[BodyLiteral]:
    """The literals in their order, but what is compared or denied not before its variables are known."""
    left, bound = list(literals), set(known)
    while left:
        ready = (each for each in left if _is_ready(each, bound))
        first = next(ready, left[0])
        left.remove(first)
        bound |= _binds(first)
        yield first


def _binds(literal: BodyLiteral) -> set[str]:
    """The variables that a condition says something for: not those of what an aggregate ranges over."""
    if literal.kind == "absent" or (literal.kind != "atom" and ":" in literal.text):
        left, found, _ = literal.text.partition(" = #")
        return _variables(left) if found else set()
    return _variables(literal.text)


def _is_ready(literal: BodyLiteral, bound: set[str]) -> bool:
    if literal.kind == "atom":
        return True
    if literal.kind == "absent":
        return _variables(literal.text) <= bound
    if ":" in literal.text:
        left, found, _ = literal.text.partition(" = #")
        outer = set() if found else _variables(literal.text.partition(":")[0])
        return outer <= bound
    left, _, right = literal.text.partition(" = ")
    free = [side for side in (left, right) if not _variables(side) <= bound]
    return len(free) < (2 if right else 1) or not _variables(literal.text)


def _reached(number: int, names: Sequence[str], body: Sequence[str]) -> str:
    """A rule for how far a body holds, and for what."""
    for_ = f"({','.join(names)}{',' if len(names) == 1 else ''})"
    return f"reached({number},{for_}) :- {'; '.join(body) or '#true'}."


def _variables(*texts: str) -> set[str]:
    return {found for text in texts for found in _VARIABLE.findall(text)}


def _is_one(part: str) -> bool:
    """Whether a part of a condition is one thing: not any, nor either of several."""
    return not (_ANONYMOUS.search(part) or ";" in part or ".." in part)
