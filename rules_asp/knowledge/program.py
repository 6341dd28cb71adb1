"""The static program of a board and the query program of a question (relevant rules = cone of
influence).

The two layers are computed: every rule that depends, directly or not, on facts of a question
(`measured` in kb/vocabulary.lp) belongs to the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import clingo

from rules_asp.game.house_rules import RuleText
from rules_asp.game.vocabulary import Vocabulary, vocabulary
from rules_asp.knowledge.calculus import ProofChoice, calculus, proof_choice
from rules_asp.knowledge.catalogue import Citations, section_of
from rules_asp.knowledge.dependencies import (
    ANY_TERM,
    Producers,
    Reachability,
    Trigger,
    TriggerKey,
    by_head,
    functor_name,
    relevant_rules,
    trigger_of,
)
from rules_asp.knowledge.instantiation import FILE as FORMS
from rules_asp.knowledge.instantiation import declarations, instantiate_calculus, split_layers
from rules_asp.knowledge.notes import Notes
from rules_asp.knowledge.rule_table import RuleTable
from rules_asp.knowledge.rules import (
    DECLARATIONS,
    Functor,
    KnowledgeBase,
    Norm,
    Rule,
    Signature,
    declared_facts,
)
from rules_asp.knowledge.solver import AnswerSet, ProgramText
from rules_asp.knowledge.support import SupportRules, support_index
from rules_asp.knowledge.terms import strings
from rules_asp.runtime import cache

#: A predicate: name and number of arguments.
_Predicate = tuple[str, int]


@dataclass(frozen=True)
class AffectedSignatures:
    """The nodes that a change affects: for a predicate, all topics or some."""

    nodes: frozenset[Signature]

    @cached_property
    def predicates(self) -> frozenset[_Predicate]:
        """The predicates with some affected atoms."""
        return frozenset((node.name, node.arity) for node in self.nodes)

    @cached_property
    def wholly(self) -> frozenset[_Predicate]:
        """The predicates with all atoms affected."""
        return frozenset((node.name, node.arity) for node in self.nodes if _is_any(node))

    @cached_property
    def topics(self) -> frozenset[tuple[str, int, str]]:
        """Predicates, each with the name of an affected topic."""
        return frozenset(
            (node.name, node.arity, node.topic[0]) for node in self.nodes if node.topic is not None
        )

    def meets(self, node: Signature) -> bool:
        """Test whether some atom of a node may be affected."""
        predicate = node.name, node.arity
        if node.topic is None or _is_any(node):
            return predicate in self.predicates
        return predicate in self.wholly or (*predicate, node.topic[0]) in self.topics

    def has(self, atom: clingo.Symbol) -> bool:
        """Test whether an atom may be affected."""
        arguments = atom.arguments
        predicate = atom.name, len(arguments)
        if predicate not in self.predicates:
            return False
        if predicate in self.wholly:
            return True
        return self.has_topic(*predicate, functor_name(arguments[calculus().key_place[atom.name]]))

    def has_topic(self, name: str, arity: int, topic: str) -> bool:
        """Test whether the atoms of a predicate whose topic begins with this word may be affected."""
        return (name, arity) in self.wholly or (name, arity, topic) in self.topics


@dataclass(frozen=True)
class IncrementalPlan:
    """The rules to solve again, the nodes that they derive, and the nodes that they read.

    `share` is their share of all rules that the board can trigger.
    """

    rules: ProgramText
    share: float
    touched: AffectedSignatures
    read: frozenset[Signature]


def affected_by(
    rules: Sequence[Rule], changed: Iterable[_Predicate]
) -> tuple[AffectedSignatures, list[Rule]]:
    """Return the nodes affected by facts of these predicates, and all rules that derive one of
    them."""
    touched = AffectedSignatures(frozenset(Signature(*predicate) for predicate in changed))
    left = list(rules)
    chosen: list[Rule] = []
    while True:
        # A rule that derives an affected node is solved again, with all its heads.
        now: list[Rule] = []
        rest: list[Rule] = []
        for rule in left:
            is_met = any(map(touched.meets, (*rule.heads, *rule.body)))
            (now if is_met else rest).append(rule)
        if not now:
            break
        chosen += now
        left = rest
        heads = {node for rule in now for node in rule.heads}
        touched = AffectedSignatures(touched.nodes | heads)
    kept = {rule.text for rule in chosen}
    return touched, [rule for rule in rules if rule.text in kept]


def _is_any(node: Signature) -> bool:
    """Test whether a node has no topic, or any topic."""
    return node.topic is None or not node.topic[0][:1].islower()


def below_patches(answer: AnswerSet, touched: AffectedSignatures) -> AnswerSet:
    """Return an answer set without earlier patches that will be affected entirely."""
    if not isinstance(answer, PatchedAnswerSet):
        return answer
    before = below_patches(answer.before, touched)
    if answer.touched.nodes <= touched.nodes:
        return before
    return answer if before is answer.before else replace(answer, before=before)


@dataclass(frozen=True, kw_only=True)
class PatchedAnswerSet(AnswerSet):
    """An answer set with a part solved again: `before` is the old one, `touched` the part.

    `symbols` are those of the new part; `every` are all.
    """

    before: AnswerSet
    touched: AffectedSignatures

    @property
    def depth(self) -> int:
        """The number of stacked changes."""
        return 1 + (self.before.depth if isinstance(self.before, PatchedAnswerSet) else 0)

    @cached_property
    def all_atoms(self) -> tuple[clingo.Symbol, ...]:
        """All atoms."""
        return (*self._kept(self.before.all_atoms), *filter(self.touched.has, self.symbols))

    def holds(self, symbol: clingo.Symbol) -> bool:
        """Whether an atom is true here."""
        return (self._now if self.touched.has(symbol) else self.before).holds(symbol)

    def atoms_about(self, name: str, arity: int, topic: str) -> Sequence[clingo.Symbol]:
        """Return its atoms whose topic begins with this word."""
        # The atoms about one topic are affected together or not at all.
        now = self.touched.has_topic(name, arity, topic)
        return (self._now if now else self.before).atoms_about(name, arity, topic)

    def _of(self, name: str, arity: int) -> list[clingo.Symbol]:
        predicate = name, arity
        if predicate in self.touched.wholly:
            return list(self._now.own_atoms(name, arity))
        before = self.before.own_atoms(name, arity)
        if predicate not in self.touched.predicates:
            return list(before)
        now = filter(self.touched.has, self._now.own_atoms(name, arity))
        return [*self._kept(before), *now]

    def written(self, name: str, arity: int, topic: str | None) -> Sequence[str] | None:
        """Return the atoms of one predicate as text, of a topic if given; None if they are not
        text."""
        is_touched = (name, arity) in self.touched.predicates
        return None if is_touched else self.before.written(name, arity, topic)

    @cached_property
    def _now(self) -> AnswerSet:
        """The answer set of the new part alone."""
        return AnswerSet(self.symbols, self.control)

    def _kept(self, atoms: Iterable[clingo.Symbol]) -> Iterator[clingo.Symbol]:
        return (each for each in atoms if not self.touched.has(each))


# --- The knowledge base ready to run: a static layer for boards, a query layer for questions.


#: The trigger key of facts of every board: the rule numbers of norms.
SHARED: TriggerKey = ("norm", ANY_TERM)
#: The declarations of kb/vocabulary.lp that list predicates.
LISTS = ("input", "setting", "measured", "measures")
#: Maximum number of cached programs of each kind; the clingo rules of each are large.
_PROGRAMS = 128
_K = TypeVar("_K")
_V = TypeVar("_V")


class Recent(dict[_K, _V]):
    """A cache of the values used last, at most `_PROGRAMS` of them."""

    def get_or_make(self, key: _K, make: Callable[[], _V]) -> _V:
        """Return the value of a key; `make` gives it if it is not in the cache."""
        value = self.pop(key, None)
        if value is None:
            value = make()
        self[key] = value
        if len(self) > _PROGRAMS:
            self.pop(next(iter(self)), None)
        return value


class RelevantRules(NamedTuple):
    """The query rules relevant to some nodes, by index, and the predicates and static nodes that
    they read."""

    fitting: Reachability[int]
    reads: frozenset[tuple[str, int]]
    needed: frozenset[Signature]


class Cone(NamedTuple):
    """Query rules, and the static nodes that they read."""

    rules: ProgramText
    needed: frozenset[Signature]


@dataclass(frozen=True)
class Program:
    """A knowledge base made ready to run."""

    source: KnowledgeBase
    rules: tuple[Rule, ...]
    static_rules: tuple[Rule, ...]
    question_rules: tuple[Rule, ...]
    #: The trigger of each rule, by its text.
    occasions: Mapping[str, Trigger]
    #: The choice among several supports in a proof.
    proof_choice: ProofChoice
    #: The texts of included house rules.
    house_rules: tuple[RuleText, ...] = ()
    #: The user's notes, shown with answers that cite the rule; None: not requested.
    notes: Notes | None = None
    _cones: Recent[tuple[tuple[Signature, ...], bool], RelevantRules] = field(
        default_factory=Recent
    )
    _statics: Recent[frozenset[TriggerKey], ProgramText] = field(default_factory=Recent)
    _renewals: Recent[tuple[frozenset[tuple[str, int]], frozenset[TriggerKey]], IncrementalPlan] = (
        field(default_factory=Recent)
    )
    _fitted: Recent[tuple[tuple[Signature, ...], frozenset[TriggerKey], bool], Cone] = field(
        default_factory=Recent
    )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without caches."""
        kept = (each.name for each in fields(self) if not each.name.startswith("_"))
        return Program, tuple(getattr(self, name) for name in kept)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the included knowledge base and of the house rules."""
        return vocabulary(self.house_rules)

    def paragraphs(self, norms: Iterable[str]) -> Citations:
        """Return the rule numbers of these norms, each once."""
        listed = tuple(norms)
        return Citations((self.norms[norm].paragraph for norm in listed), listed)

    def leaning(self, cites: Citations) -> dict[str, list[str]]:
        """Return the citations that are not printed text: assumed rules, interpretations, house
        rules, and assumed rules that are less sure."""
        norms = [self.norms[each] for each in cites.norms]
        own = {each.paragraph for each in norms if each.house_rule}
        ours = {each.paragraph for each in norms if each.reading} - own
        assumed = {each.paragraph for each in norms if each.assumed and not each.reading} - own
        unsure = {each.paragraph for each in norms if each.less_sure}
        kinds = {
            "assumed": assumed,
            "our reading": ours,
            "own rules": own,
            "less sure": unsure,
        }
        return {how: [each for each in cites if each in told] for how, told in kinds.items()}

    @cached_property
    def later(self) -> frozenset[Signature]:
        """The nodes derived only for a question."""
        return self.table.derived

    @cached_property
    def digest(self) -> str:
        """A digest of the texts of all rules."""
        texts = "\n".join(rule.text for rule in self.rules)
        return cache.digest(texts.encode("utf-8", "surrogatepass"))

    @cached_property
    def table(self) -> RuleTable:
        """The query rules as a table."""
        return RuleTable.of(
            self.question_rules, self.occasions, frozenset(self.declared("measured"))
        )

    @cached_property
    def derived(self) -> Mapping[tuple[str, int], Sequence[Signature]]:
        """The nodes that rules derive, by name and arity."""
        found: dict[tuple[str, int], dict[Signature, None]] = {}
        for rule in self.rules:
            for node in rule.heads:
                found.setdefault((node.name, node.arity), {})[node] = None
        return {name: tuple(nodes) for name, nodes in found.items()}

    @cached_property
    def norms(self) -> dict[str, Norm]:
        """The norms by id, in reading order."""
        return {norm.id: norm for norm in self.source.norms}

    @cached_property
    def ranges(self) -> Mapping[Functor, Sequence[str]]:
        """For each form, the domains of its arguments that a question may leave open."""
        kinds, _ = declarations(self.source.rules)
        repeated = (rule for rule in self.rules if rule.file == FORMS)
        asked = {
            node.topic
            for rule in repeated
            for node in rule.heads
            if node.name in ("asked", "asked_deed")
            and any(each.name == "sought" for each in rule.body)
        }
        return {form: kinds[form] for form in asked if form is not None}

    @cached_property
    def defined(self) -> str:
        """`#defined` for every predicate, so that a board may omit any of them."""
        nodes = {
            (node.name, node.arity)
            for rule in (*self.rules, *self.source.rules)
            for node in rule.heads + rule.body
        }
        for declaration in ("input", "setting", "measured"):
            nodes |= {(node.name, node.arity) for node in self.declared(declaration)}
        return "\n".join(f"#defined {name}/{arity}." for name, arity in sorted(nodes))

    @cached_property
    def shared_facts(self) -> str:
        """The facts of every board: the rule numbers of norms."""
        return "\n".join(
            f'norm("{norm.id}","{each}").' for norm in self.norms.values() for each in norm.families
        )

    @cached_property
    def written(self) -> tuple[tuple[Rule, Trigger], ...]:
        """The rules as written, each with its trigger."""
        return tuple((rule, trigger_of(rule)) for rule in self.source.rules)

    @cached_property
    def givers(self) -> Producers:
        """The norms that could give each topic a value."""
        return Producers(self.source.rules)

    @cached_property
    def twins(self) -> SupportRules:
        """The support rules of proofs, one for each rule as written."""
        return SupportRules(self.source.rules, support_index(self.source.rules))

    @cached_property
    def measuring(self) -> tuple[Signature, ...]:
        """The static nodes that line measurement reads."""
        return tuple(self.declared("measures"))

    @cached_property
    def inputs(self) -> frozenset[tuple[str, int]]:
        """The inputs of boards."""
        return frozenset((node.name, node.arity) for node in self.declared("input"))

    def declared(self, declaration: str) -> Sequence[Signature]:
        """Return the predicates that kb/ declares by such facts, one of LISTS."""
        return declared_signatures(self.source, declaration)

    def with_notes(self, notes: Notes | None) -> Program:
        """Return the program with the user's notes."""
        new: Program = object.__new__(type(self))
        vars(new).update(vars(self), notes=notes)
        return new

    @cached_property
    def _static(self) -> Reachability[Rule]:
        return self._fitting(self.static_rules)

    @cached_property
    def _rules_by_head(self) -> dict[Signature, list[int]]:
        return by_head(self.rules)

    def _fitting(self, rules: Iterable[Rule]) -> Reachability[Rule]:
        rules = tuple(rules)
        return Reachability.of(rules, [self.occasions[rule.text] for rule in rules])

    @cached_property
    def _every(self) -> Reachability[Rule]:
        return self._fitting(self.rules)

    def reachable(self, given: Iterable[TriggerKey]) -> tuple[Rule, ...]:
        """Return the rules of both layers that facts of these keys can trigger."""
        return self._every.reachable_from((*given, SHARED))

    def structure(self, given: Iterable[TriggerKey]) -> tuple[Rule, ...]:
        """Return the rules of the static layer that a board with these keys can trigger."""
        return self._static.reachable_from((*given, SHARED))

    def static(self, given: Iterable[TriggerKey]) -> ProgramText:
        """Return the static layer for such a board, with the facts of every board."""
        key = frozenset(given)
        return self._statics.get_or_make(
            key, lambda: ProgramText(self._static_text(self.structure(key)))
        )

    def renewal(
        self, changed: Iterable[tuple[str, int]], given: Iterable[TriggerKey]
    ) -> IncrementalPlan:
        """Return the part of the static layer to solve again after changes of these predicates.

        `given` are the keys of the board's facts before or after.
        """
        key = frozenset(changed), frozenset(given)

        def plan() -> IncrementalPlan:
            every = self.structure(key[1])
            touched, rules = affected_by(every, key[0])
            read = {node for rule in rules for node in rule.body if not touched.meets(node)}
            text = ProgramText(self._static_text(rules))
            return IncrementalPlan(text, len(rules) / len(every), touched, frozenset(read))

        return self._renewals.get_or_make(key, plan)

    def _static_text(self, rules: Sequence[Rule]) -> str:
        """Return rules of the static layer as text, with the facts of every board."""
        text = "".join(f"{rule.text}\n" for rule in rules)
        return "\n".join([self.defining(rules), text, self.shared(rules)])

    def cone_of(self, wanted: Iterable[Signature], given: Iterable[TriggerKey]) -> tuple[Rule, ...]:
        """Return the rules of both layers that are relevant to the wanted nodes and can fire with
        these keys."""
        places = relevant_rules(self._nodes_of, self._rules_by_head, wanted)
        cone = [self.rules[place] for place in places]
        return self._fitting(cone).reachable_from((*given, SHARED))

    def _nodes_of(self, place: int) -> Sequence[Signature]:
        return self.rules[place].heads + self.rules[place].body

    def whole_cone(self, wanted: Iterable[Signature], given: Iterable[TriggerKey]) -> str:
        """Return the same as text, with the facts of every board."""
        return self._static_text(self.cone_of(wanted, given))

    def shared(self, rules: Iterable[Rule]) -> str:
        """Return the facts of every board if these rules read them."""
        read = any(node.name == "norm" for rule in rules for node in rule.body)
        return self.shared_facts if read else ""

    def defining(self, rules: Iterable[Rule]) -> str:
        """Return `#defined` for all predicates that these rules read, so that each may be absent."""
        return _defined(node for rule in rules for node in rule.body)

    def reads(self, wanted: Sequence[Signature]) -> frozenset[tuple[str, int]]:
        """Return the predicates that the relevant query rules read."""
        return self._bearing(wanted).reads

    def needed(self, wanted: Sequence[Signature], sums: bool = True) -> frozenset[Signature]:
        """Return the static nodes that the relevant query rules read; `sums` as in `cone`."""
        return self._bearing(wanted, sums).needed

    def cone(
        self, wanted: Sequence[Signature], given: frozenset[TriggerKey], sums: bool = True
    ) -> Cone:
        """Return the query rules that are relevant to the wanted nodes and can fire with these
        keys.

        Without `sums`, rules with aggregates are left out, and rules that then could derive too
        much: the rules derive only what all rules derive. Rules that matter only to rules that
        cannot fire are left out too. Otherwise they stay, since the reasons for an unknown answer
        read their atoms.
        """

        def cone() -> Cone:
            fitting, _, needed = self._bearing(wanted, sums)
            places: Sequence[int]
            places, met = fitting.met_from(given)
            if not sums:
                places = self.table.relevant(wanted, frozenset(places))
            body = self.table.read(places)
            text = "\n".join([_defined(body), *self.table.written(places, met)])
            return Cone(ProgramText(text), needed & body)

        return self._fitted.get_or_make((tuple(wanted), given, sums), cone)

    def _bearing(self, wanted: Sequence[Signature], sums: bool = True) -> RelevantRules:
        def relevant() -> RelevantRules:
            table = self.table
            places = table.relevant(wanted) if sums else table.relevant_without_sums(wanted)
            read = self.table.read(places)
            reads = frozenset((node.name, node.arity) for node in read)
            static = read - self.table.derived_by(places)
            return RelevantRules(self.table.reachability(places), reads, static)

        return self._cones.get_or_make((tuple(wanted), sums), relevant)


def _defined(read: Iterable[Signature]) -> str:
    """Return `#defined` for these predicates."""
    names = {(node.name, node.arity) for node in read}
    return "\n".join(f"#defined {name}/{arity}." for name, arity in sorted(names))


def build(source: KnowledgeBase, house_rules: tuple[RuleText, ...] = ()) -> Program:
    """Prepare a knowledge base to run."""
    given = declared_signatures(source, "input") + declared_signatures(source, "setting")
    measured = declared_signatures(source, "measured")
    rules = tuple(_without_idle_words(instantiate_calculus(source, given + measured)))
    static, question = split_layers(rules, measured)
    occasions = {rule.text: trigger_of(rule) for rule in rules}
    choice = proof_choice(_ranked_norms(source.norms))
    return Program(source, rules, tuple(static), tuple(question), occasions, choice, house_rules)


def _ranked_norms(norms: Sequence[Norm]) -> Iterator[str]:
    """Yield the norms as facts for kb/proof_choice.lp."""
    sections = _places(dict.fromkeys(section_of(norm.paragraph) for norm in norms))
    paragraphs = _places(sorted({norm.paragraph for norm in norms}))
    for tag, norm in enumerate(norms):
        section, paragraph = sections[section_of(norm.paragraph)], paragraphs[norm.paragraph]
        yield f'norm("{norm.id}",{section},{paragraph},{tag})'
        if norm.assumed:
            yield f'assumed("{norm.id}")'


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _without_idle_words(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Yield the rules without vocabulary declarations that no rule reads."""
    read = {(node.name, node.arity) for rule in rules for node in rule.body}
    for rule in rules:
        head = rule.heads[0] if rule.heads and not rule.body else None
        if head is None or head.name not in DECLARATIONS or (head.name, head.arity) in read:
            yield rule


def declared_signatures(source: KnowledgeBase, declaration: str) -> list[Signature]:
    """Return the predicates that kb/vocabulary.lp declares by facts such as
    input(Name(Kind,...),...)."""
    found = (arguments[0] for _, arguments in declared_facts(source.rules, declaration))
    return [Signature(entry.name, len(entry.arguments)) for entry in found]


def value_signatures(*topics: Functor) -> tuple[Signature, ...]:
    """Return the nodes that show the values of topics, the parts of sums, and unknown values."""
    told = (
        ("is", 2),
        ("total", 2),
        ("unknown", 2),
        ("undefeated_value", 3),
        ("undefeated_addend", 4),
    )
    return tuple(Signature(name, arity, topic) for topic in topics for name, arity in told)


def signature_of(symbol: clingo.Symbol) -> Signature:
    """Return the node of a ground atom."""
    arguments = symbol.arguments
    place = calculus().key_place.get(symbol.name)
    topic = None
    if place is not None and place < len(arguments):
        about = arguments[place]
        if about.type == clingo.SymbolType.Function:
            topic = (about.name, len(about.arguments))
    return Signature(symbol.name, len(arguments), topic)


# --- Programs without one norm, to find what depends on it.


def rules_of_norm(source: KnowledgeBase, norm: str) -> list[Rule]:
    """Return the rules that make up a norm: those under its tag whose head names it.

    Helpers that its rules define for others are not included, unless the norm only defines a
    helper.
    """
    own = [rule for rule in source.rules if rule.norm == norm]
    return [rule for rule in own if norm in strings(rule.top)] or own


def without_norm_rules(source: KnowledgeBase, norm: str) -> KnowledgeBase:
    """Return the knowledge base without the rules of a norm."""
    gone = {id(rule) for rule in rules_of_norm(source, norm)}
    return replace(source, rules=tuple(rule for rule in source.rules if id(rule) not in gone))


def without_norm(program: Program, norm: str) -> Program:
    """Return the prepared program without the rules of a norm.

    The program need not be prepared again: the general rules of the calculus stay.
    """
    gone = {(rule.file, rule.line) for rule in rules_of_norm(program.source, norm)}
    source = without_norm_rules(program.source, norm)
    # One line can rank several norms; it was read as one fact for each.
    stays = {rule.text for rule in source.rules if (rule.file, rule.line) in gone}

    def left(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(
            rule for rule in rules if (rule.file, rule.line) not in gone or rule.text in stays
        )

    return Program(
        source,
        left(program.rules),
        left(program.static_rules),
        left(program.question_rules),
        program.occasions,
        program.proof_choice,
        program.house_rules,
        program.notes,
    )
