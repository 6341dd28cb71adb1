"""The facts and patterns of a query, the nodes that it reads, and related topics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, count
from typing import cast

import clingo

from rules_asp.explain import layout
from rules_asp.explain.proof import value_goals
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, agreed_value, label
from rules_asp.game.grid import Hex, Location, Spot, Vertex, hex_of_spot, term_sort_key
from rules_asp.game.map_layout import PLAIN_NAMES
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    Variable,
)
from rules_asp.game.values import location_from_symbol, to_symbol
from rules_asp.game.vocabulary import NO, YES_NO, Vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.program import Program, value_signatures
from rules_asp.knowledge.rules import SIGHT, SIGHT_PLACE, Functor, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts, cell, eye_at
from rules_asp.positions.locations import QuestionError, of_no_level
from rules_asp.positions.name_resolution import OF_ANY_LOCATION, resolve_query
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, scope_of_term
from rules_asp.queries.too_wide import enumerate_topic, refuse_too_many

#: The manner of a step that norms name if no manner is possible.
_PLAIN = FunctionTerm("enter", ())
#: Predicates of actions that a query may ask in any manner.
_OF_DEEDS = frozenset(("legal", "illegal"))


def asked_facts(query: Query, words: Vocabulary) -> Iterator[clingo.Symbol]:
    """Yield the facts of a query about topics, fire attacks, actions and units."""
    for literal in query.literals:
        if isinstance(literal, QueryComparison):
            continue
        if literal.value is not None:
            yield _asked(Argument(FunctionTerm(literal.name, literal.args), "topic"))
        for argument in literal.args:
            yield from asked_forms(argument, words)
            if literal.name == "illegal":
                yield from _by_any_way(argument, words)
            if literal.name in _OF_DEEDS and isinstance(argument.value, Variable):
                yield from _any_deed(argument.kind, words)


def _any_deed(kind: str, words: Vocabulary) -> Iterator[clingo.Symbol]:
    """Yield patterns for any action, if a whole action is open."""
    for form in words.forms.values():
        if form.kind == kind == "deed":
            free = FunctionTerm(
                form.name, tuple(Argument(Variable("_"), each) for each in form.kinds)
            )
            yield _asked(Argument(free, kind))


def _by_any_way(argument: Argument, words: Vocabulary) -> Iterator[clingo.Symbol]:
    """Yield a step with open manner in each manner, since impossible manners are also forbidden."""
    if step_by_entering(argument.value) is None:
        return
    *ends, way = cast(FunctionTerm, argument.value).args
    for word in words.words[way.kind]:
        named = Argument(FunctionTerm("step", (*ends, Argument(word, way.kind))), argument.kind)
        yield from asked_forms(named, words)


def asked_forms(argument: Argument, words: Vocabulary) -> Iterator[clingo.Symbol]:
    """Yield the facts that ask about a form and the forms in it."""
    value = argument.value
    # The arguments of a reason occur with its topic.
    if not isinstance(value, FunctionTerm) or argument.kind == "reason":
        return
    form = words.forms.get(value.name)
    if form is not None or value.name in words.topics:
        yield _asked(argument)
    if form is not None and form.kind == "deed" and not has_variables(argument):
        yield clingo.Function("asked_deed", [pattern_of(argument)])
    for inner in value.args:
        yield from asked_forms(inner, words)


def _asked(argument: Argument) -> clingo.Symbol:
    """Return the fact that asks about an argument, or about all that match it; `any` replaces a
    variable."""
    return clingo.Function("sought" if has_variables(argument) else "asked", [pattern_of(argument)])


def pattern_of(argument: Argument) -> clingo.Symbol:
    """Return an argument as a term with `any` for open parts."""
    value = argument.value
    if isinstance(value, Variable):
        return clingo.Function("any")
    if isinstance(value, OpenLosTerm):
        return clingo.Function("s", [to_symbol(value.end, "location"), clingo.Function("any")])
    if isinstance(value, FunctionTerm):
        return clingo.Function(value.name, list(map(pattern_of, value.args)))
    return clingo.parse_term(argument.term)


def has_variables(argument: Argument) -> bool:
    """Test whether an argument has an open part."""
    value = argument.value
    if isinstance(value, FunctionTerm):
        return any(map(has_variables, value.args))
    return isinstance(value, Variable | OpenLosTerm)


def matches(symbol: clingo.Symbol, pattern: object) -> bool:
    """Test whether a symbol matches a value of a query, whose variables match anything."""
    if isinstance(pattern, Variable):
        return True
    if isinstance(pattern, FunctionTerm) and symbol.type == clingo.SymbolType.Function:
        return (symbol.name, len(symbol.arguments)) == (pattern.name, len(pattern.args)) and all(
            _fits(one, each) for one, each in zip(symbol.arguments, pattern.args, strict=True)
        )
    return False


def _fits(symbol: clingo.Symbol, argument: Argument) -> bool:
    if isinstance(argument.value, Variable | FunctionTerm):
        return matches(symbol, argument.value)
    return symbol == clingo.parse_term(argument.term)


def may_be_denied(literal: QueryLiteral) -> bool:
    """Test whether a literal can hold by default: `topic = no`."""
    value = literal.value
    return value is not None and value.kind == YES_NO and value.value == NO


def asks_yes_or_no(query: Query) -> bool:
    """Test whether a query asks for yes or no about one completely named topic."""
    literal = query.literals[0]
    if len(query.literals) > 1 or not isinstance(literal, QueryLiteral) or literal.negated:
        return False
    value = literal.value
    asks = value is not None and value.kind == YES_NO and isinstance(value.value, Variable)
    return asks and not _leaves_open(literal)


def may_be_unsaid(position: Position, literal: QueryLiteral) -> bool:
    """Test whether the topic of a literal may lack norms, so that it is unknown."""
    node = Signature("open_world", 1, (literal.name, len(literal.args)))
    return literal.value is not None and node in position.program.later


def step_by_entering(value: object) -> FunctionTerm | None:
    """Return a step with named ends and open manner as one by entering; None for other values."""
    match value:
        case FunctionTerm("step", (by, unit, start, to, way)) if isinstance(way.value, Variable):
            if not any(map(has_variables, (by, unit, start, to))):
                return FunctionTerm("step", (by, unit, start, to, Argument(_PLAIN, way.kind)))
    return None


def may_be_no_step(query: Query) -> bool:
    """Test whether a query asks what forbids a step between open places, where some pairs are not
    steps."""
    return any(
        isinstance(each, QueryLiteral)
        and each.name == "illegal"
        and isinstance(step := each.args[0].value, FunctionTerm)
        and step.name == "step"
        and any(map(has_variables, step.args[2:]))
        and step_by_entering(step) is None
        for each in query.literals
    )


def _leaves_open(literal: QueryLiteral) -> bool:
    return any(map(has_variables, literal.args))


def denied_of(position: Position, query: Query) -> Iterator[clingo.Symbol]:
    """Yield facts that ask about each candidate if a query leaves a negated topic open."""
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and may_be_denied(literal) and _leaves_open(literal):
            topic = pattern_of(Argument(literal.topic, "topic"))
            for each in enumerate_topic(position, topic):
                yield clingo.Function("asked", [each])


# --- The nodes and facts of a query.


#: Facts about the LOS that a query names.
_SIGHTED = frozenset((("line", 3), ("eye_at", 1), ("cell", 1), ("asked_adjacent", 2)))

#: Defeats about named LOS.
_BEATEN = (Signature("defeated", 3, SIGHT), Signature("defeated", 3, SIGHT_PLACE))

#: Kinds of places, and of actions and other terms that contain places.
_PLACES = frozenset(("hex", "hexside", "spot", "location", "party"))
_FORMS = frozenset(("shot", "attack", "roll", "event", "deed", "topic"))


def relevant_rules_for(
    position: Position, query: Query
) -> tuple[tuple[Signature, ...], QueryFacts]:
    """Return the nodes that a query reads, and its facts.

    QuestionError for a hex or a Location that is not on the board.
    """
    query = resolve_and_check(position, query)
    wanted = tuple(dict.fromkeys(query_signatures(position, query)))
    return wanted, query_for(position, query, wanted) or QueryFacts()


def resolve_and_check(position: Position, query: Query) -> Query:
    """Return a query with units replaced by their Locations where the rules need places.

    QuestionError, with the place, for a name that is not on the board, and for a query with too
    many answers.
    """
    settled = resolve_query(position, query)
    refuse_too_many(position, asked_facts(settled, position.vocabulary))
    return settled


def name_anonymous(query: Query) -> Query:
    """Return the query with a name for each `_`, so that its value can be shown.

    In a negated literal, `_` stays: it has no value there.
    """
    numbers = count(1)

    def named(argument: Argument) -> Argument:
        value = argument.value
        if isinstance(value, Variable) and value.name == "_":
            return argument._replace(value=Variable(f"Anything{next(numbers)}"))
        if isinstance(value, FunctionTerm):
            inner = tuple(map(named, value.args))
            return argument._replace(value=replace(value, args=inner))
        return argument

    def of(literal: QueryLiteral | QueryComparison) -> QueryLiteral | QueryComparison:
        if isinstance(literal, QueryComparison) or literal.negated:
            return literal
        value = literal.value and named(literal.value)
        return replace(literal, args=tuple(map(named, literal.args)), value=value)

    return Query(tuple(map(of, query.literals)))


def query_signatures(position: Position, query: Query) -> Iterator[Signature]:
    """Yield the nodes that a query reads."""
    found = dict.fromkeys(_nodes_of(position, query))
    yield from found
    if not query.variables:  # otherwise there are too many lines
        yield from defeats_in_los(position, tuple(found))


def defeats_in_los(position: Position, wanted: tuple[Signature, ...]) -> tuple[Signature, ...]:
    """Return the defeats about LOS on which the wanted nodes depend, for citations."""
    return _BEATEN if ("sees", 1) in position.program.reads(wanted) else ()


def _nodes_of(position: Position, query: Query) -> Iterator[Signature]:
    for literal in query.literals:
        if isinstance(literal, QueryComparison):
            continue
        if literal.value is not None:
            functor = (literal.name, len(literal.args))
            for name, arity in (("is", 2), ("total", 2), ("unknown", 2)):
                yield Signature(name, arity, functor)
            if may_be_denied(literal):
                yield Signature("false_by_default", 1, functor)
            if may_be_unsaid(position, literal):
                yield Signature("undetermined", 1, functor)
        else:
            yield from _matching(position, literal)
            if any(isinstance(argument.value, LosTerm) for argument in literal.args):
                yield from _BEATEN
            # An action without a permitting norm is never legal, and the cone of legal would be
            # empty.
            for argument in literal.args:
                if literal.name == "legal" and isinstance(argument.value, FunctionTerm):
                    yield Signature("unknown", 2, (argument.value.name, len(argument.value.args)))


def _matching(position: Position, literal: QueryLiteral) -> Iterator[Signature]:
    """Yield the nodes of a predicate: one for each kind of topic it can be about."""
    arity = len(literal.args)
    topic = _topic(literal)
    for node in position.program.derived.get((literal.name, arity), ()):
        if topic is None or node.topic is None or node.topic == topic:
            yield node
    yield Signature(literal.name, arity, topic)


def _topic(literal: QueryLiteral) -> Functor | None:
    """Return the kind of topic of a literal, if it names one."""
    place = calculus().topic_place.get(literal.name)
    about = literal.args[place].value if place is not None and place < len(literal.args) else None
    if isinstance(about, FunctionTerm):
        return about.name, len(about.args)
    return SIGHT if isinstance(about, LosTerm | OpenLosTerm) else None


def needs_query_layer(position: Position, wanted: Iterable[Signature]) -> bool:
    """Test whether a wanted node is derived only for a question."""
    return not position.program.later.isdisjoint(wanted)


def query_for(position: Position, query: Query, wanted: tuple[Signature, ...]) -> QueryFacts | None:
    """Return the facts for the query layer, or None if the static layer suffices."""
    if not needs_query_layer(position, wanted):
        return None
    return position.completed(
        query_facts(position, query, wanted), is_local(query, position.vocabulary)
    )


def query_facts(position: Position, query: Query, wanted: tuple[Signature, ...]) -> QueryFacts:
    """Return the facts of a query, and the LOS that it names.

    QuestionError for a Location that is not on the board.
    """
    if not needs_query_layer(position, wanted):
        return QueryFacts()
    sights = named_los(position, query, wanted)
    about = (*asked_facts(query, position.vocabulary), *_denied(position, query))
    return QueryFacts.joined((QueryFacts(about), _of_sights(position, sights)))


def _denied(position: Position, query: Query) -> Iterator[clingo.Symbol]:
    """Yield facts that ask about the candidates of an open negated topic.

    If it depends on LOS, only vertices with possible viewers are included.
    """
    for literal in query.literals:
        every = denied_of(position, Query((literal,)))
        if isinstance(literal, QueryComparison) or not _is_sighted(position, literal):
            yield from every
            continue
        kinds = [each.kind for each in literal.args]
        ends = {to_symbol(each, "location") for each in _ends(position, literal)}
        for asked in every:
            (topic,) = asked.arguments
            told = zip(topic.arguments, kinds, strict=True)
            places = [each for each, kind in told if kind == "location" and each not in ends]
            if not any(
                isinstance(location_from_symbol(each, PLAIN_NAMES).spot, Vertex) for each in places
            ):
                yield asked


def named_los(position: Position, query: Query, wanted: tuple[Signature, ...]) -> Query:
    """Return the part of a query that names LOS; empty if none are wanted.

    QuestionError for a Location that is not on the board or has no known level.
    """
    if not _SIGHTED & position.program.reads(wanted):
        return Query(())
    literals = query.literals
    if len(literals) > 1:
        literals = tuple(each for each in literals if _is_sighted(position, each))
    words = position.vocabulary
    told = chain.from_iterable(_topics_of(each, words) for each in literals)
    named_here = Query(tuple(each for each in told if _of_sight(each, words)))
    for place in _places(named_here):
        if position.index.elevation(place) is None:
            raise QuestionError(of_no_level(position, place))
    return named_here


def _is_sighted(position: Position, literal: QueryLiteral | QueryComparison) -> bool:
    """Test whether one of several literals depends on LOS."""
    wanted = tuple(query_signatures(position, Query((literal,))))
    return not _SIGHTED.isdisjoint(position.program.reads(wanted))


def is_local(query: Query, words: Vocabulary) -> bool:
    """Test whether a part of the board suffices: the query is only about actions, fire attacks and
    units.

    It does not suffice if a place is open.
    """
    literals = [each for each in query.literals if not isinstance(each, QueryComparison)]
    return all(_is_asked(each, words) for each in literals) and not any(
        map(is_anywhere, (argument for each in literals for argument in each.args))
    )


def is_anywhere(argument: Argument) -> bool:
    """Test whether a place of a form is open; the place of a step is near its unit."""
    value = argument.value
    if not isinstance(value, FunctionTerm):
        return isinstance(value, Variable) and argument.kind in _FORMS
    if value.name == "step":
        return False
    return any(
        is_anywhere(inner) or (isinstance(inner.value, Variable) and inner.kind in _PLACES)
        for inner in value.args
    )


def _topics_of(
    literal: QueryLiteral | QueryComparison, words: Vocabulary
) -> Iterator[QueryLiteral | QueryComparison]:
    """Yield the literals; a literal about a property of a topic, such as unknown, yields the topic."""
    of = () if isinstance(literal, QueryComparison) else literal.args
    values = [each.value for each in of if isinstance(each.value, FunctionTerm)]
    topics = [each for each in values if each.name in words.topics]
    yield from (QueryLiteral(each.name, each.args) for each in topics)
    if isinstance(literal, QueryComparison):
        yield literal
    elif not topics:
        # The places in a reason do not count either.
        yield replace(literal, args=tuple(each for each in of if each.kind != "reason"))


def _of_sight(literal: QueryLiteral | QueryComparison, words: Vocabulary) -> bool:
    """Test whether a literal may be about LOS between existing places."""
    there = isinstance(literal, QueryComparison) or literal.name not in OF_ANY_LOCATION
    return there and not _is_asked(literal, words)


def _is_asked(literal: QueryLiteral | QueryComparison, words: Vocabulary) -> bool:
    """Test whether a literal is about a fire attack, an action, a unit: things that only a question
    raises."""
    if isinstance(literal, QueryComparison):
        return False
    return any(
        argument.kind == "unit" or any(True for _ in asked_forms(argument, words))
        for argument in literal.args
    )


def _of_sights(position: Position, query: Query) -> QueryFacts:
    """Return the facts of the LOS and neighbors that a query is about; empty for an empty query.

    Each literal has its own facts; the names in one do not restrict another.
    """
    ends: dict[Location, None] = {}
    spots: dict[Spot, None] = {}
    lines: dict[tuple[Spot, Spot], None] = {}
    neighbours: dict[clingo.Symbol, None] = {}
    for literal in query.literals:
        own = _ends(position, literal)
        ends |= dict.fromkeys(own)
        spots |= dict.fromkeys(end.spot for end in own)
        there = dict.fromkeys(_lines(literal, own))
        lines |= there
        # ADJACENT depends on the LOS between the two.
        for one, two in _neighbours(own):
            if one.spot == two.spot or not there.keys().isdisjoint(
                ((one.spot, two.spot), (two.spot, one.spot))
            ):
                pair = [to_symbol(each, "location") for each in (one, two)]
                neighbours[clingo.Function("asked_adjacent", pair)] = None
    if not ends:
        return QueryFacts()
    in_order = sorted(ends, key=str)
    cells = map(cell, sorted(spots, key=term_sort_key))
    said = (*map(eye_at, in_order), *cells, *neighbours)
    return QueryFacts(said, position.measurer.measured(list(lines), in_order))


def _ends(position: Position, literal: QueryLiteral | QueryComparison) -> list[Location]:
    """Return the Locations that a literal may be about, in order."""
    places = list(_places(Query((literal,))))
    if not _has_variable(literal):
        return places
    ends = {*position.index.elevations, *position.index.in_bypass, *places}
    if places and not _about_sights(literal):
        here = {hex_of_spot(place.spot) for place in places}
        here.update(*(hex_.neighbours() for hex_ in tuple(here)))
        ends = {end for end in ends if hex_of_spot(end.spot) in here}
    return sorted(ends, key=str)


def _lines(
    literal: QueryLiteral | QueryComparison, ends: Iterable[Location]
) -> Iterator[tuple[Spot, Spot]]:
    """Return the lines between these Locations that a literal may be about."""
    spots = sorted({end.spot for end in ends}, key=term_sort_key)
    about = {place.spot for place in _places(Query((literal,)))}
    pairs = combinations(spots, 2) if _about_sights(literal) else _near(spots)
    return (line for line in pairs if not about or not about.isdisjoint(line))


def _about_sights(literal: QueryLiteral | QueryComparison) -> bool:
    """Test whether a literal may be about LOS of any range, not only between adjacent hexes."""
    kinds = {each.kind for each in literal.arguments}
    return not kinds <= {"hex", "hexside", "location", "floor", "yes_no"}


def _near(spots: Iterable[Spot]) -> Iterator[tuple[Spot, Spot]]:
    """Yield the pairs of spots in one hex or in adjacent hexes, each in order."""
    by_hex: dict[Hex, list[Spot]] = {}
    for spot in spots:
        by_hex.setdefault(hex_of_spot(spot), []).append(spot)
    for hex_, here in by_hex.items():
        around = [each for other in hex_.neighbours() for each in by_hex.get(other, ())]
        pairs = {(one, two) for one in here for two in (*here, *around) if one != two}
        yield from (pair for pair in pairs if term_sort_key(pair[0]) < term_sort_key(pair[1]))


def _neighbours(ends: Iterable[Location]) -> Iterator[tuple[Location, Location]]:
    by_hex: dict[Hex, list[Location]] = {}
    for end in ends:
        by_hex.setdefault(hex_of_spot(end.spot), []).append(end)
    for middle, here in by_hex.items():
        around = [each for hex_ in middle.neighbours() for each in by_hex.get(hex_, ())]
        for one in here:
            for two in [*here, *around]:
                if one != two:
                    yield one, two


def _places(query: Query) -> Iterator[Location]:
    def within(argument: Argument) -> Iterator[Location]:
        value = argument.value
        if isinstance(value, Location):
            yield value
        elif isinstance(value, LosTerm):
            yield from (value.a, value.b)
        elif isinstance(value, OpenLosTerm):
            yield value.end
        elif isinstance(value, FunctionTerm):
            for inner in value.args:
                yield from within(inner)

    seen: dict[Location, None] = {}
    for literal in query.literals:
        for argument in literal.arguments:
            seen.update(dict.fromkeys(within(argument)))
    return iter(seen)


def _has_variable(literal: QueryLiteral | QueryComparison) -> bool:
    """Test whether a literal leaves a place open; a literal that names its LOS does not."""
    if isinstance(literal, QueryComparison):
        return False
    if any(isinstance(argument.value, LosTerm) for argument in literal.args):
        return False
    return any(
        isinstance(argument.value, Variable) or argument.variables for argument in literal.args
    )


def symbol_text(literal: QueryLiteral, values: dict[str, clingo.Symbol]) -> str:
    """Return the atom of a literal with values for its variables."""

    def text(argument: Argument) -> str:
        value = argument.value
        if isinstance(value, Variable):
            return str(values.get(value.name, value.name))
        if isinstance(value, OpenLosTerm):
            one, two = sorted((clingo.parse_term(value.end.term), values[value.other.name]))
            return f"s({one},{two})"
        if isinstance(value, FunctionTerm):
            inner = ",".join(map(text, value.args))
            return f"{value.name}({inner})" if value.args else value.name
        return argument.term

    inner = ",".join(map(text, literal.args))
    term = f"{literal.name}({inner})" if literal.args else literal.name
    return term if literal.value is None else f"value({term},{text(literal.value)})"


# --- Related topics that kb/ shows with an answer, such as the FP of a fire attack.


_TOLD_WITH = "told_with"


@dataclass(frozen=True)
class RelatedTopic:
    """A related topic, as questions name it.

    value: in words; None if unknown, with the reasons. norm: its norm; empty for none. label: the
    topic in words.
    """

    topic: str
    value: str | None
    norm: str = ""
    unknown: tuple[Reason, ...] = ()
    label: str = field(default="", compare=False)


def related_table(position: Position, found: Iterable[RelatedTopic]) -> layout.Table:
    """Return the related topics as a table, each with its norm."""
    norms = position.program.norms
    rows = [
        (
            f"{each.label}: {each.value or 'unknown'}",
            layout.norm_span(each.norm),
            norms[each.norm].sense if each.norm else "",
        )
        for each in found
    ]
    return layout.Table(rows, "Also")


def related_record(found: Iterable[RelatedTopic]) -> list[Record]:
    """Return the related topics as JSON, each with its value (null: unknown) and its norm."""
    return [{"topic": each.topic, "value": each.value, "norm": each.norm or None} for each in found]


def related_topics(program: Program, of_deeds: bool) -> tuple[Signature, ...]:
    """Return the nodes of related topics: those of actions, or others."""
    kinds = {
        head.topic
        for rule in program.source.rules
        for head in rule.heads
        if head.name == _TOLD_WITH
    }
    known = program.vocabulary.topics
    topics = sorted(kind for kind in kinds if kind and ("deed" in known[kind[0]].kinds) is of_deeds)
    return (*(Signature(_TOLD_WITH, 2, topic) for topic in topics), *value_signatures(*topics))


def read_related_topics(
    position: Position, answers: Sequence[AnswerSet], forms: Collection[clingo.Symbol]
) -> tuple[RelatedTopic, ...]:
    """Return the related topics of some fire attacks or actions, over all cases of the board."""
    return tuple(
        _related_topic(position, answers, topic, forms) for topic in _topics(answers, forms)
    )


def related_goals(answers: Sequence[AnswerSet], forms: Collection[clingo.Symbol]) -> list[str]:
    """Return the atoms that give these topics their values, or leave them unknown."""
    return value_goals(_topics(answers, forms), answers)


def _topics(answers: Iterable[AnswerSet], forms: Collection[clingo.Symbol]) -> list[clingo.Symbol]:
    found = (pair for each in answers for pair in sorted(each.get(_TOLD_WITH, 2)))
    return list(dict.fromkeys(topic for form, topic in found if form in forms))


def _related_topic(
    position: Position,
    answers: Sequence[AnswerSet],
    topic: clingo.Symbol,
    forms: Collection[clingo.Symbol],
) -> RelatedTopic:
    value, why = agreed_value(position, answers, topic)
    named, told = position.notation.term_text(topic), str(label(topic, position.notation, forms))
    if value is None:
        return RelatedTopic(named, None, unknown=why, label=told)
    norms = sorted(
        norm.string for norm, of, _ in answers[0].get("undefeated_value", 3) if of == topic
    )
    given = position.notation.term_text(value)
    return RelatedTopic(named, given, norms[0] if norms else "", why, told)


def scope_of_argument(position: Position, argument: Argument) -> Scope:
    """Return the scope of an argument; a pair of Locations includes the line between them."""
    return scope_of_term(position, pattern_of(argument))
