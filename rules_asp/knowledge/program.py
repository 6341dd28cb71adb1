"""The static program of a board and the query program of a question (relevant rules = cone of influence).

The two layers are not written down anywhere: every rule that rests, however indirectly, on something
that comes with a question (`measured` in kb/vocabulary.lp) is of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple

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
    relevant_rules,
    trigger_of,
)
from rules_asp.knowledge.incremental import IncrementalPlan, affected_by
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
from rules_asp.knowledge.solver import ProgramText
from rules_asp.knowledge.support import SupportRules, support_index
from rules_asp.knowledge.terms import strings

# --- The knowledge base made ready to run: the static layer of a board, the question layer of a
#     question.


#: What is true of every board gives this: which norm is of which paragraphs.
SHARED: TriggerKey = ("norm", ANY_TERM)
#: The declarations of kb/vocabulary.lp that list predicates.
LISTS = ("input", "setting", "measured", "measures")
#: So many kinds of changes are kept ready to be solved: the rules of each, as clingo reads them, are large.
_RENEWALS = 64


class RelevantRules(NamedTuple):
    """The question rules that bear on some nodes by their places in the table, the predicates and the
    static nodes that they read."""

    fitting: Reachability[int]
    reads: frozenset[tuple[str, int]]
    needed: frozenset[Signature]


class Cone(NamedTuple):
    """Question rules, and the static nodes that they read."""

    rules: ProgramText
    needed: frozenset[Signature]


@dataclass(frozen=True)
class Program:
    """A knowledge base made ready to run."""

    source: KnowledgeBase
    rules: tuple[Rule, ...]
    static_rules: tuple[Rule, ...]
    question_rules: tuple[Rule, ...]
    #: What each rule needs and gives, by its text.
    occasions: Mapping[str, Trigger]
    #: Which of several supports a proof takes.
    proof_choice: ProofChoice
    #: The texts of the house rules among them.
    house_rules: tuple[RuleText, ...] = ()
    #: The user's notes that are told beside what cites a rule; None: none were asked for.
    notes: Notes | None = None
    _cones: dict[tuple[Signature, ...], RelevantRules] = field(default_factory=dict)
    _statics: dict[frozenset[TriggerKey], ProgramText] = field(default_factory=dict)
    _renewals: dict[tuple[frozenset[tuple[str, int]], frozenset[TriggerKey]], IncrementalPlan] = (
        field(default_factory=dict)
    )
    _fitted: dict[tuple[tuple[Signature, ...], frozenset[TriggerKey]], Cone] = field(
        default_factory=dict
    )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled without what is only kept for speed."""
        kept = (each.name for each in fields(self) if not each.name.startswith("_"))
        return Program, tuple(getattr(self, name) for name in kept)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the shipped knowledge base and of the house rules."""
        return vocabulary(self.house_rules)

    def paragraphs(self, norms: Iterable[str]) -> Citations:
        """The paragraphs of these norms, each once."""
        listed = tuple(norms)
        return Citations((self.norms[norm].paragraph for norm in listed), listed)

    def leaning(self, cites: Citations) -> dict[str, list[str]]:
        """What the printed text does not give of what an answer rests on: assumed, our reading, or a rule
        of one's own; and which of the assumed is less sure."""
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
        """What is derived for a question only."""
        return self.table.derived

    @cached_property
    def table(self) -> RuleTable:
        """The question rules as a table."""
        return RuleTable.of(self.question_rules, self.occasions)

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
        """What the places of each form range over that is asked where a question leaves them open."""
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
        """`#defined` for every predicate there is, so that a board may leave any of them out."""
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
        """What is true of every board: which norm is of which paragraphs."""
        return "\n".join(
            f'norm("{norm.id}","{each}").'
            for norm in self.norms.values()
            for each in _families(norm)
        )

    @cached_property
    def written(self) -> tuple[tuple[Rule, Trigger], ...]:
        """The rules as they are written, with what each needs and gives."""
        return tuple((rule, trigger_of(rule)) for rule in self.source.rules)

    @cached_property
    def givers(self) -> Producers:
        """Which norms could give a topic a value."""
        return Producers(self.source.rules)

    @cached_property
    def twins(self) -> SupportRules:
        """What proofs are made of: a twin of each rule as it is written."""
        return SupportRules(self.source.rules, support_index(self.source.rules))

    @cached_property
    def measuring(self) -> tuple[Signature, ...]:
        """What is read of the answers about a board by who measures lines."""
        return tuple(self.declared("measures"))

    def declared(self, declaration: str) -> Sequence[Signature]:
        """The predicates that kb/ declares by such facts, one of LISTS."""
        return declared_signatures(self.source, declaration)

    def with_notes(self, notes: Notes | None) -> Program:
        """The same with notes of the user's."""
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

    def structure(self, given: Iterable[TriggerKey]) -> tuple[Rule, ...]:
        """The rules of the static layer that a board whose facts give this gives occasion to."""
        return self._static.reachable_from((*given, SHARED))

    def static(self, given: Iterable[TriggerKey]) -> ProgramText:
        """The static layer for such a board, with what every board shares."""
        key = frozenset(given)
        if key not in self._statics:
            self._statics[key] = ProgramText(self._told(self.structure(key)))
        return self._statics[key]

    def renewal(
        self, changed: Iterable[tuple[str, int]], given: Iterable[TriggerKey]
    ) -> IncrementalPlan:
        """What is to be solved anew of the static layer where facts of these predicates change.

        `given` is what the board's facts give before or after.
        """
        key = frozenset(changed), frozenset(given)
        if key not in self._renewals:
            if len(self._renewals) >= _RENEWALS:
                del self._renewals[next(iter(self._renewals))]
            every = self.structure(key[1])
            touched, rules = affected_by(every, key[0])
            read = {node for rule in rules for node in rule.body if not touched.meets(node)}
            text = ProgramText(self._told(rules))
            self._renewals[key] = IncrementalPlan(
                text, len(rules) / len(every), touched, frozenset(read)
            )
        return self._renewals[key]

    def _told(self, rules: Sequence[Rule]) -> str:
        """Rules of the static layer as text, with what every board shares."""
        text = "".join(f"{rule.text}\n" for rule in rules)
        return "\n".join([self.defining(rules), text, self.shared(rules)])

    def cone_of(self, wanted: Iterable[Signature], given: Iterable[TriggerKey]) -> tuple[Rule, ...]:
        """The rules of either layer that bear on the wanted nodes and can fire where this is given."""
        places = relevant_rules(self._nodes_of, self._rules_by_head, wanted)
        cone = [self.rules[place] for place in places]
        return self._fitting(cone).reachable_from((*given, SHARED))

    def _nodes_of(self, place: int) -> Sequence[Signature]:
        return self.rules[place].heads + self.rules[place].body

    def whole_cone(self, wanted: Iterable[Signature], given: Iterable[TriggerKey]) -> str:
        """The same as text, with what every board shares."""
        return self._told(self.cone_of(wanted, given))

    def shared(self, rules: Iterable[Rule]) -> str:
        """The facts that every board shares, if these rules read them."""
        read = any(node.name == "norm" for rule in rules for node in rule.body)
        return self.shared_facts if read else ""

    def defining(self, rules: Iterable[Rule]) -> str:
        """`#defined` for all that these rules read, so that nothing need be there."""
        return _defined(node for rule in rules for node in rule.body)

    def reads(self, wanted: Sequence[Signature]) -> frozenset[tuple[str, int]]:
        """The predicates that the question rules which bear on the wanted nodes read."""
        return self._bearing(wanted).reads

    def needed(self, wanted: Sequence[Signature]) -> frozenset[Signature]:
        """The static nodes that the question rules which bear on the wanted nodes read."""
        return self._bearing(wanted).needed

    def cone(self, wanted: Sequence[Signature], given: frozenset[TriggerKey]) -> Cone:
        """The question rules that bear on the wanted nodes and can fire where this is given."""
        key = (tuple(wanted), given)
        if key not in self._fitted:
            fitting, _, needed = self._bearing(wanted)
            places = fitting.reachable_from(given)
            body = self.table.read(places)
            text = "\n".join([_defined(body), *(self.table.texts[place] for place in places)])
            self._fitted[key] = Cone(ProgramText(text), needed & body)
        return self._fitted[key]

    def _bearing(self, wanted: Sequence[Signature]) -> RelevantRules:
        key = tuple(wanted)
        if key not in self._cones:
            places = self.table.relevant(wanted)
            read = self.table.read(places)
            reads = frozenset((node.name, node.arity) for node in read)
            static = read - self.table.derived_by(places)
            self._cones[key] = RelevantRules(self.table.reachability(places), reads, static)
        return self._cones[key]


def _defined(read: Iterable[Signature]) -> str:
    """`#defined` for these predicates."""
    names = {(node.name, node.arity) for node in read}
    return "\n".join(f"#defined {name}/{arity}." for name, arity in sorted(names))


def _families(norm: Norm) -> list[str]:
    """The paragraph of a norm and all that hold it: B23.711 is in B23.71, B23.7 and B23."""
    paragraph = norm.paragraph
    section, dot, digits = paragraph.partition(".")
    return [section, *(section + dot + digits[:n] for n in range(1, len(digits) + 1))]


def build(source: KnowledgeBase, house_rules: tuple[RuleText, ...] = ()) -> Program:
    """Make a knowledge base that was read ready to run."""
    given = declared_signatures(source, "input") + declared_signatures(source, "setting")
    measured = declared_signatures(source, "measured")
    rules = tuple(_without_idle_words(instantiate_calculus(source, given + measured)))
    static, question = split_layers(rules, measured)
    occasions = {rule.text: trigger_of(rule) for rule in rules}
    choice = proof_choice(_ranked_norms(source.norms))
    return Program(source, rules, tuple(static), tuple(question), occasions, choice, house_rules)


def _ranked_norms(norms: Sequence[Norm]) -> Iterator[str]:
    """The norms as facts for kb/proof_choice.lp."""
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
    """The rules without those declarations of the vocabulary that no rule reads."""
    read = {(node.name, node.arity) for rule in rules for node in rule.body}
    for rule in rules:
        head = rule.heads[0] if rule.heads and not rule.body else None
        if head is None or head.name not in DECLARATIONS or (head.name, head.arity) in read:
            yield rule


def declared_signatures(source: KnowledgeBase, declaration: str) -> list[Signature]:
    """The predicates that kb/vocabulary.lp declares by facts such as input(Name(Kind,...),...)."""
    found = (arguments[0] for _, arguments in declared_facts(source.rules, declaration))
    return [Signature(entry.name, len(entry.arguments)) for entry in found]


def value_signatures(*topics: Functor) -> tuple[Signature, ...]:
    """What is asked of topics to tell their values, what these are made of, and what is not known."""
    told = (
        ("is", 2),
        ("total", 2),
        ("unknown", 2),
        ("undefeated_value", 3),
        ("undefeated_addend", 4),
    )
    return tuple(Signature(name, arity, topic) for topic in topics for name, arity in told)


def signature_of(symbol: clingo.Symbol) -> Signature:
    """The node of a ground atom."""
    arguments = symbol.arguments
    place = calculus().key_place.get(symbol.name)
    topic = None
    if place is not None and place < len(arguments):
        about = arguments[place]
        if about.type == clingo.SymbolType.Function:
            topic = (about.name, len(about.arguments))
    return Signature(symbol.name, len(arguments), topic)


# --- A knowledge base that lacks the word of one norm, to see what hangs on it.


def rules_of_norm(source: KnowledgeBase, norm: str) -> list[Rule]:
    """The rules that are a norm's own word: those under its tag whose head names it.

    Notions that its rules define for others as well are not; of a norm that only defines one, they are.
    """
    own = [rule for rule in source.rules if rule.norm == norm]
    return [rule for rule in own if norm in strings(rule.top)] or own


def without_norm_rules(source: KnowledgeBase, norm: str) -> KnowledgeBase:
    """The knowledge base without what a norm says."""
    gone = {id(rule) for rule in rules_of_norm(source, norm)}
    return replace(source, rules=tuple(rule for rule in source.rules if id(rule) not in gone))


def without_norm(program: Program, norm: str) -> Program:
    """The knowledge base made ready, without what a norm says; it is the same otherwise.

    It need not be made ready anew: what the calculus says of topics at large stays, though nobody speaks.
    """
    gone = {(rule.file, rule.line) for rule in rules_of_norm(program.source, norm)}

    def left(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(rule for rule in rules if (rule.file, rule.line) not in gone)

    return Program(
        without_norm_rules(program.source, norm),
        left(program.rules),
        left(program.static_rules),
        left(program.question_rules),
        program.occasions,
        program.proof_choice,
        program.house_rules,
        program.notes,
    )
