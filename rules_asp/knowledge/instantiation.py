"""Instantiation of the calculus and the query patterns for each kind of topic; strata of topics.

The rules of kb/query_patterns.lp are written once, over the variables Form, Deed and Pattern. They
are repeated here for every form, topic or action that can be asked with open arguments. Each choice
of open arguments has a rule of its own, so the domain of an argument is read only if the argument
is open.

kb/calculus.lp is written once, over the variables Topic, Other, Deed and Subject. Each of its rules
is repeated for every functor in the heads of the knowledge base. A copy whose positive body can
never hold is dropped. As a result no rule depends on itself through another topic, and the grounder
decides most atoms without search.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from string import ascii_uppercase
from typing import NamedTuple, TypeVar

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import (
    CALCULUS,
    SIGHT,
    WRITTEN_ONCE,
    Functor,
    KnowledgeBase,
    Rule,
    Signature,
    declared_facts,
    make_rule,
    signature_of_term,
)
from rules_asp.knowledge.terms import (
    ANONYMOUS,
    Cmp,
    Fun,
    Lit,
    Literal,
    Term,
    Var,
    substitute,
    variables,
)

# --- Instances of kb/query_patterns.lp for each form, from its declaration.


FILE = "query_patterns.lp"
#: The term for an open argument in a question.
ANY = "any"
#: In place of a kind: the norms find the value, and it stays open until then.
FOUND = "found"

_ANY = Fun(ANY)
_ANYTHING = Var(ANONYMOUS)
#: The variables of repeated rules, with the predicate that asks for each.
_ASKED_BY = {"Form": "asked", "Deed": "asked_deed"}


class Domain(NamedTuple):
    """The domain of a kind: a variable, and the body that ranges over its values."""

    variable: str
    body: tuple[Literal, ...]

    def of(self, place: str) -> tuple[Literal, ...]:
        """Return the body for an argument; each argument has variables of its own."""
        names = {name: Var(f"{name}{place}") for name in variables(self.body)}
        return substitute(self.body, {**names, self.variable: Var(place)})


def instantiate_query_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules of kb/query_patterns.lp, with generic rules repeated for every form."""
    here = [rule for rule in rules if rule.file == FILE]
    once = [rule for rule in here if "Pattern" in variables(rule.top, rule.literals)]
    here = [rule for rule in here if rule not in once]
    others = [rule for rule in rules if rule not in once]
    read = {node.topic for rule in others for node in rule.body if node.name == "asked"}
    own = {(node.name, node.topic) for rule in here for node in rule.heads}
    kinds, forms = declarations(rules)
    fits = kind_domains(rules)
    made = [rule for rule in here if rule.head is None or rule.head.name != "fits"]
    for rule in once:
        asked = next(_ASKED_BY[name] for name in _ASKED_BY if name in variables(rule.top))
        for form in sorted(kinds):
            wanted = form in read if asked == "asked" else forms.get(form) == "deed"
            if wanted and (asked, form) not in own:
                made += _copies(rule, asked, form, kinds[form], fits, forms)
    first = min((rule.line for rule in once), default=0)
    for kind, fit in fits.items():
        listed = Fun("fitting", (Fun(kind), Var("Form")))
        body = _atom("sought", _ANYTHING), *fit.of("Form")
        made.append(make_rule(Lit("", listed), body, FILE, first))
    for inner, outer in _within(others, kinds, forms, read):
        body = (_atom("sought", outer),)
        made.append(make_rule(_atom("sought", inner), body, FILE, first))
    return made


def _atom(name: str, *args: Term) -> Lit:
    return Lit("", Fun(name, args))


def declarations(
    rules: Iterable[Rule],
) -> tuple[dict[Functor, tuple[str, ...]], dict[Functor, str]]:
    """Return the kinds of the arguments of each topic, action and form, and the kind of each form."""
    kinds: dict[Functor, tuple[str, ...]] = {}
    forms: dict[Functor, str] = {}
    narrower: dict[Functor, tuple[str, ...]] = {}
    for name, (term, *more) in declared_facts(rules, "topic", "deed", "form", "narrower"):
        form = (term.name, len(term.arguments))
        (narrower if name == "narrower" else kinds)[form] = tuple(map(str, term.arguments))
        if name in ("deed", "form"):
            forms[form] = "deed" if name == "deed" else str(more[0])
    return kinds | narrower, forms


def kind_domains(rules: Iterable[Rule]) -> dict[str, Domain]:
    """Return the domain of each kind, including kinds of words."""
    words = {str(kind) for _, (kind, *_) in declared_facts(rules, "word")}
    found: dict[str, Domain] = {}
    for rule in rules:
        head = rule.head if rule.file == FILE else None
        if head is None or head.name != "fits" or head.args[1] != _ANY:
            continue
        of, _, member = head.args
        assert isinstance(of, Var | Fun)
        assert isinstance(member, Var)
        for kind in sorted(words) if isinstance(of, Var) else [of.name]:
            body = substitute(rule.literals, {of.name: Fun(kind)})
            found.setdefault(kind, Domain(member.name, body))
    return found


def _copies(
    rule: Rule,
    asked: str,
    form: Functor,
    kinds: Sequence[str],
    fits: dict[str, Domain],
    forms: Mapping[Functor, str],
) -> Iterator[Rule]:
    """Yield a rule for each choice of open arguments."""
    name, arity = form
    places = [f"Form{number}" for number in range(arity)]
    sorts = set(forms.values())
    # An argument that is a form may have open arguments of its own.
    partly = any(kind == FOUND or kind in sorts for kind in kinds)
    choices = (
        _choices(place, kind, fits, forms) for place, kind in zip(places, kinds, strict=True)
    )
    for chosen in product(*choices):
        if not partly and all(each.pattern == each.member for each in chosen):
            continue
        pattern, member = (
            Fun(name, parts)
            for parts in (tuple(c.pattern for c in chosen), tuple(c.member for c in chosen))
        )
        body = [_atom("sought", pattern), *(part for each in chosen for part in each.body)]
        yield make_rule(_atom(asked, member), body, FILE, rule.line)


class _Place(NamedTuple):
    """A way to ask about an argument: its term in the query, its term in the question, and the
    body."""

    pattern: Term
    member: Term
    body: tuple[Literal, ...] = ()


def _choices(
    place: str, kind: str, fits: Mapping[str, Domain], forms: Mapping[Functor, str]
) -> Iterator[_Place]:
    var = Var(place)
    named = _Place(var, var, (Cmp("", var, (("!=", _ANY),)),))
    if kind in fits:
        # A named value need not be in the domain of an open argument; it is asked about anyway.
        yield named
        yield _Place(_ANY, var, fits[kind].of(place))
    elif kind == FOUND:
        yield _Place(var, var)
    elif kind in set(forms.values()):
        for (name, arity), of in sorted(forms.items()):
            if of == kind and arity:
                member = Fun(name, tuple(Var(place + letter) for letter in ascii_uppercase[:arity]))
                body = (_atom("asked_deed" if kind == "deed" else "asked", member),)
                yield _Place(Fun(name, (_ANYTHING,) * arity), member, body)
                yield _Place(_ANY, member, body)
    else:
        yield named


def _within(
    rules: Sequence[Rule],
    kinds: Mapping[Functor, Sequence[str]],
    forms: Mapping[Functor, str],
    read: Collection[Functor | None],
) -> Iterator[tuple[Fun, Fun]]:
    """Yield queries for an open argument that is a form: every form that norms use there.

    A norm that does not name the form uses the usual ones of its kind.
    """
    usual: dict[str, set[Functor]] = {}
    for _, (of_kind, one) in declared_facts(rules, "usual"):
        usual.setdefault(str(of_kind), set()).add((one.name, len(one.arguments)))
    spoken: dict[tuple[Functor, int], set[Functor]] = {}
    for topic in (each for rule in rules for each in _topics_of(rule)):
        for number, inner in enumerate(topic.args):
            functors = {inner.functor} if isinstance(inner, Fun) else set()
            if topic.functor in kinds and isinstance(inner, Var) and inner != _ANYTHING:
                kind = kinds[topic.functor][number]
                whole = {each for each, of in forms.items() if of == kind}
                functors = usual.get(topic.name) or usual.get(kind) or whole
            spoken.setdefault((topic.functor, number), set()).update(functors)
    for form in forms:
        for number, kind in enumerate(kinds[form]):
            if kind in usual:
                spoken.setdefault((form, number), set()).update(usual[kind])
    for ((name, arity), number), named in sorted(spoken.items()):
        place = tuple(_ANY if each == number else _ANYTHING for each in range(arity))
        for inside in sorted(named & set(forms)):
            is_sought = inside in read or forms[inside] == "deed" or usual.keys() & kinds[inside]
            if inside[1] and is_sought:
                yield Fun(inside[0], (_ANY,) * inside[1]), Fun(name, place)


def _topics_of(rule: Rule) -> Iterator[Fun]:
    """Yield the topics to which a rule gives a value."""
    at = calculus().topic_place.get(rule.head.name) if rule.head else None
    if rule.head is not None and at is not None and at < len(rule.head.args):
        topic = rule.head.args[at]
        if isinstance(topic, Fun):
            yield topic


# --- Instances of the calculus for each kind of topic, and cycles between topics.


#: Subject ranges over topics and actions.
_PLACEHOLDERS = ("Topic", "Deed", "Subject", "Other")


def instantiate_calculus(
    source: KnowledgeBase, given: Iterable[Signature] = ()
) -> tuple[Rule, ...]:
    """Return all rules with the calculus repeated for each topic, and query patterns for each form.

    `given` are predicates that come as facts.
    """
    once = [rule for rule in source.rules if rule.file == CALCULUS]
    others = [rule for rule in source.rules if rule.file not in WRITTEN_ONCE]
    heads = calculus()
    deeds = sorted({*_functors_under(others, heads.deed_heads), *_declared_deeds(others)})
    topics = [each for each in _functors_under(others, heads.topic_heads) if each not in deeds]
    ranges = {"Topic": topics, "Deed": deeds, "Subject": sorted({*topics, *deeds})}
    joins = sorted({join for rule in others for join in rule.topic_pairs})
    rules = [*others, *instantiate_query_rules(source.rules)]
    for rule in once:
        used = variables(rule.top, rule.literals).intersection(_PLACEHOLDERS)
        choices: list[Mapping[str, Functor]] = [{}]
        for main in used - {"Other"}:
            choices = [{main: one} for one in ranges[main]]
            if "Other" in used:
                choices = [{main: one, "Other": two} for one, two in joins if one in ranges[main]]
        rules += [_repeat(rule, choice) for choice in choices]
    return _with_aggregates(_possible(rules, set(given)))


def _functors_under(rules: Iterable[Rule], heads: tuple[str, ...]) -> list[Functor]:
    # LOS has rules of its own in the calculus: the general ones would give too many instances.
    functors = {
        node.topic
        for rule in rules
        for node in rule.heads
        if node.name in heads and node.topic not in (None, SIGHT)
    }
    return sorted(functors)


def _declared_deeds(rules: Iterable[Rule]) -> Iterator[Functor]:
    """Yield the actions of the vocabulary: one without norms is unknown, not without an answer."""
    for _, (deed, *_) in declared_facts(rules, "deed"):
        yield deed.name, len(deed.arguments)


def _repeat(rule: Rule, choice: Mapping[str, Functor]) -> Rule:
    values = {
        name: Fun(functor, tuple(Var(f"{name}{n}") for n in range(arity)))
        for name, (functor, arity) in choice.items()
    }
    top, *literals = substitute((rule.top, *rule.literals), values)
    return make_rule(top, literals, rule.file, rule.line, rule.norm)


def _possible(rules: list[Rule], given: set[Signature]) -> tuple[Rule, ...]:
    """Drop rules with a positive body atom that can never hold."""
    needs = [
        [signature_of_term(atom) for atom in rule.atoms] if rule.file in WRITTEN_ONCE else []
        for rule in rules
    ]
    while True:
        derived = given | {node for rule in rules for node in rule.heads}
        plain = {(node.name, node.arity) for node in derived}
        wild = {(node.name, node.arity) for node in derived if node.topic is None or _is_wild(node)}

        def holds(
            node: Signature,
            derived: set[Signature] = derived,
            plain: set[tuple[str, int]] = plain,
            wild: set[tuple[str, int]] = wild,
        ) -> bool:
            key = (node.name, node.arity)
            if node.topic is None or _is_wild(node):
                return key in plain
            return node in derived or key in wild

        pairs = zip(rules, needs, strict=True)
        kept = [(rule, nodes) for rule, nodes in pairs if all(map(holds, nodes))]
        if len(kept) == len(rules):
            return tuple(rules)
        rules, needs = [rule for rule, _ in kept], [nodes for _, nodes in kept]


def _with_aggregates(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Drop copies of the calculus whose heads no rule reads."""
    results = calculus().results
    while True:
        read = {node for rule in rules for node in rule.body}
        wild = {(node.name, node.arity) for node in read if node.topic is None or _is_wild(node)}
        kept = tuple(
            rule
            for rule in rules
            if rule.file not in WRITTEN_ONCE
            or any(
                head.name in results or head in read or (head.name, head.arity) in wild
                for head in rule.heads
            )
        )
        if len(kept) == len(rules):
            return kept
        rules = kept


def _is_wild(node: Signature) -> bool:
    """Test whether the topic of a node is a variable, so that the rule applies to every topic."""
    return node.topic is not None and node.topic[0][:1].isupper()


_MUTUAL = frozenset(("defeated", "is_defeated"))


def topic_cycles(rules: Iterable[Rule]) -> list[tuple[Signature, ...]]:
    """Return the sets of nodes that depend on themselves through a topic.

    Defeats may be mutual inside one topic, and plain predicates may be recursive. But assertions of
    norms about a topic must not depend on themselves.
    """
    graph: dict[Signature, set[Signature]] = {}
    for rule in rules:
        for head in rule.heads:
            graph.setdefault(head, set()).update(rule.body)
    found = []
    for component in strong_components(graph):
        about = [node for node in component if node.name in calculus().topic_place.keys() - _MUTUAL]
        loops = len(component) > 1 or any(node in graph.get(node, ()) for node in component)
        if about and loops:
            found.append(tuple(sorted(component, key=str)))
    return sorted(found, key=str)


_Node = TypeVar("_Node", bound=Hashable)


def strong_components(graph: Mapping[_Node, Iterable[_Node]]) -> list[list[_Node]]:
    """Return the strongly connected components (Tarjan's algorithm, without recursion)."""
    index: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    on_stack: set[_Node] = set()
    stack: list[_Node] = []
    result: list[list[_Node]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(graph.get(successor, ()))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    result.append(component)
    return result


def split_layers(
    rules: Iterable[Rule], asked: Iterable[Signature]
) -> tuple[list[Rule], list[Rule]]:
    """Split rules into those of the board alone, and those that depend on a question.

    `asked` are the predicates that come with a question: its facts, and measured facts.
    """
    rules = list(rules)
    later = set(asked)
    # Facts of a question may be about a topic or action of any kind.
    plain = {(node.name, node.arity) for node in later}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            if any(node in later or (node.name, node.arity) in plain for node in rule.body):
                new = set(rule.heads) - later
                if new:
                    later |= new
                    changed = True
    static = [rule for rule in rules if not any(head in later for head in rule.heads)]
    question = [rule for rule in rules if any(head in later for head in rule.heads)]
    return static, question
