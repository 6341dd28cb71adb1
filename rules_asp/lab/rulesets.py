"""Rule sets, alone and joined in one program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from rules_asp.game.vocabulary import Form, default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.dependencies import ANY_TERM, TriggerKey, by_body
from rules_asp.knowledge.loading import load_program, with_house_rules
from rules_asp.knowledge.program import Program, rules_of_norm, without_norm
from rules_asp.knowledge.rules import (
    CALCULUS,
    SIGHT,
    Functor,
    Rule,
    Signature,
    signature_of_term,
    topic_kind,
)
from rules_asp.knowledge.terms import Const, Lit, Literal, strings, walk
from rules_asp.lab.audits import section_of
from rules_asp.lab.generator import (
    OTHER,
    VIOLATIONS,
    Generator,
    assertions,
    asserts,
    load_generator,
    rename_rules,
    signature_pattern,
)
from rules_asp.lab.theory import Encoding
from rules_asp.parser.errors import nearest
from rules_asp.positions.locations import QuestionError

# --- Rule sets by name, and kinds of questions.


@dataclass(frozen=True)
class RuleSet:
    """A rule set: a knowledge base, its sections in force, its rulings switched off.

    lacking: norms of the knowledge base whose rules are removed.
    """

    name: str
    program: Program
    sections: tuple[str, ...]
    without: tuple[str, ...]
    lacking: tuple[str, ...] = ()

    def has(self, norm: str) -> bool:
        """Test whether a norm is in force."""
        known = self.program.norms.get(norm)
        if known is None or norm in (*self.without, *self.lacking):
            return False
        return self._in_force(section_of(known))

    @cached_property
    def reads(self) -> frozenset[str]:
        """The nodes that its rules read, without those of sections not in force."""
        rules = self.program.source.rules
        ours = filter(self.applies, rules)
        return frozenset(node.name for each in ours for node in each.body)

    @cached_property
    def wins(self) -> Mapping[tuple[str, str], tuple[tuple[Literal, ...], ...]]:
        """Which norm wins over which, with the alternative conditions; see `Encoding`."""
        return Encoding(self.program, self.without).wins

    @cached_property
    def asked(self) -> tuple[TriggerKey, ...]:
        """The keys of all facts that a question can state."""
        program = self.program
        derived = {node.name for rule in program.rules for node in rule.heads}
        boards = {node.name for node in program.declared("input")}
        read = {node.name for rule in program.rules for node in rule.body}
        stated = {node.name for kind in ("measured", "setting") for node in program.declared(kind)}
        return tuple((name, ANY_TERM) for name in sorted((read - derived - boards) | stated))

    def applies(self, rule: Rule) -> bool:
        """Test whether the section of a rule is in force."""
        return self._in_force(rule.file.partition("/")[0])

    def _in_force(self, section: str) -> bool:
        return section not in self.program.vocabulary.words["section"] or section in self.sections


_NAMED = re.compile(r"(?P<sections>[a-z0-9]+(?:\+[a-z0-9]+)*)(?P<without>-.+)?", re.I)
#: The id of a ruling, R-T03, or of a norm, B23.3-3.
_ID = re.compile(r"-(?P<id>R-[^-]+|[^-]+-[^-]+)", re.I)


def parse_rule_set(text: str) -> RuleSet:
    """Parse a rule set:

    `pb6`, `pb4+pb6`, `b23-R-T03` (without a ruling), `b23-B23.3-3` (without a norm), a folder,
    `pb6+FOLDER`.

    A folder is a knowledge base, or rules added to the included ones; its norms replace included
    norms of the same id. B23 is always in force. QuestionError for an unknown section, ruling or
    norm.
    """
    if Path(text).is_dir():
        return RuleSet(text, _in_folder(Path(text)), ("b23",), ())
    for plus in re.finditer(r"\+", text):
        folder = Path(text[plus.end() :])
        if folder.is_dir():
            return replace(_of_sections(text[: plus.start()], _in_folder(folder)), name=text)
    return _of_sections(text, load_program())


def _of_sections(text: str, program: Program) -> RuleSet:
    """Return the named rules: sections, optionally without some rulings or norms."""
    match = _NAMED.fullmatch(text)
    known = program.vocabulary.words["section"]
    sections = match["sections"].lower().split("+") if match else []
    strange = [each for each in sections if each not in known]
    if match is None or strange:
        raise QuestionError(
            f"{strange[0] if strange else text} is not a set of rules: write a section ({', '.join(known)}), "
            "a folder of rules, or both, such as pb6+FOLDER"
        )
    lacked = _lacked(program, match["without"] or "")
    rulings = catalogue(program.source).rulings
    off = tuple(each for each in lacked if each in rulings)
    lacking = tuple(each for each in lacked if each not in rulings)
    for each in lacking:
        if not rules_of_norm(program.source, each):
            raise QuestionError(f"{each} cannot be removed, because it has no logic rule")
        program = without_norm(program, each)
    return RuleSet(text, program, tuple(dict.fromkeys(("b23", *sections))), off, lacking)


def _lacked(program: Program, text: str) -> tuple[str, ...]:
    """Return the rulings and norms in `-R-T03-B23.3-3`. QuestionError for an unknown one."""
    known = {norm.upper(): norm for norm in (*catalogue(program.source).rulings, *program.norms)}
    found, end = [], 0
    while end < len(text):
        match = _ID.match(text, end)
        named = match["id"] if match else text[end + 1 :]
        if match is None or named.upper() not in known:
            what = "ruling" if named.upper().startswith("R-") else "norm"
            near = nearest(named.upper(), known)
            raise QuestionError(
                f"there is no {what} {named}" + (f"; did you mean {known[near]}?" if near else "")
            )
        found.append(known[named.upper()])
        end = match.end()
    return tuple(dict.fromkeys(found))


def parse_rule_sets(one: str, other: str) -> tuple[RuleSet, RuleSet]:
    """Parse two rule sets as `parse_rule_set` does; a folder alone gets the sections of the other."""
    sides = parse_rule_set(one), parse_rule_set(other)
    folders = [Path(each).is_dir() for each in (one, other)]
    if folders == [True, False]:
        return replace(sides[0], sections=sides[1].sections), sides[1]
    if folders == [False, True]:
        return sides[0], replace(sides[1], sections=sides[0].sections)
    return sides


def changed_rules(one: RuleSet, other: RuleSet) -> tuple[list[Rule], list[Rule]]:
    """Return the rules of only the first, and of only the second, wherever they are written.

    Rules of a ruling that is switched off do not count. If the sections in force differ, nor do
    rules of other sections.
    """
    every = one.sections == other.sections
    mine, theirs = (
        {
            (rule.norm, rule.text): rule
            for rule in side.program.source.rules
            if rule.norm not in side.without and (every or side.applies(rule))
        }
        for side in (one, other)
    )
    return (
        [rule for key, rule in mine.items() if key not in theirs],
        [rule for key, rule in theirs.items() if key not in mine],
    )


#: The predicates of precedence, which is without effect unless both norms assert something.
RANKING = frozenset({"ruling", "overrides", "amends", "yields", "lifts"})
#: The predicates of precedence without a topic, those of the calculus included.
UNTOPICAL = RANKING - {"lifts"} | {"wins", "ranked"}


def can_apply(side: RuleSet, rules: Iterable[Rule], given: Iterable[TriggerKey]) -> bool:
    """Test whether one of these rules can matter on a board with facts of these keys.

    A question may state anything that no rule derives and no board states.
    """
    able = side.program.reachable((*given, *side.asked))
    fires = {rule.text for rule in able}
    speaks = {
        rule.norm
        for rule in able
        if any(head.name in calculus().tagged_heads for head in rule.heads)
    }
    for rule in rules:
        ranked = [each for each in strings(rule.top) if each in side.program.norms]
        if rule.heads and rule.heads[0].name in RANKING and len(ranked) > 1:
            winner, *losers = ranked
            if winner in speaks and not speaks.isdisjoint(losers):
                return True
        elif rule.text in fires:
            return True
    return False


def _in_folder(folder: Path) -> Program:
    # A complete knowledge base has its own vocabulary; other folders are added to the included one.
    whole = (folder / "vocabulary.lp").exists()
    return load_program(folder) if whole else with_house_rules(folder)


def kinds_named(name: str) -> list[Functor]:
    """Return the kinds of questions of this name: a topic, an action, or `sight`.

    QuestionError for another name.
    """
    words = default_vocabulary()
    known = {"sight": [SIGHT]}
    for kind, entry in (*words.topics.items(), *words.forms.items()):
        if not isinstance(entry, Form) or entry.kind == "deed":
            known.setdefault(kind, []).append((kind, len(entry.kinds)))
    if name not in known:
        near = nearest(name, known)
        raise QuestionError(
            f"there is no kind of question {name}" + (f"; did you mean {near}?" if near else "")
        )
    return known[name]


# --- Two rule sets in one program: equal rules once, different rules under two names.


def joint_program(one: RuleSet, other: RuleSet) -> tuple[Generator, frozenset[Signature]]:
    """Return both rule sets with the generator, and the nodes derived twice."""
    lab = load_generator(program=one.program)
    own = [rule for rule in lab.rules if not _is_generator(rule)]
    generator = [rule for rule in lab.rules if _is_generator(rule)]
    theirs = [
        rule
        for rule in load_generator(program=other.program).rules
        if not _is_generator(rule) and (rule.heads or not rule.file.startswith("lab/"))
    ]
    changed = set(_changed(own, theirs))
    facts: list[str] = []
    roles = roles_of(lab, one, other)
    if roles:
        facts += [f"alike({each})." for each in roles]
        drawing = {section for by in roles.values() for section in by}
        facts += [f"compared({each})." for each in one.sections if each in drawing]
        facts += [f"compared{OTHER}({each})." for each in other.sections if each in drawing]
        drawn = _drawn(lab)
        changed |= {_COMPARED, *drawn}
        # Terrain drawn elsewhere is the same for both.
        for node in drawn:
            about = f"H{',X' * (node.arity - 1)}"
            facts.append(f"{node.name}{OTHER}({about}) :- {node.name}({about}), not plays(_,H).")
    if one.sections != other.sections:
        changed.add(Signature("section", 1))
        facts += [f"section{OTHER}({each})." for each in other.sections]
    if one.without != other.without:
        changed.add(WITHOUT)
        facts += [f'without{OTHER}("{each}").' for each in other.without]
    if one.program.shared_facts != other.program.shared_facts:
        changed.add(Signature("norm", 2))
        lines = other.program.shared_facts.splitlines()
        facts += [line.replace("norm(", f"norm{OTHER}(", 1) for line in lines]
    closed = _closure(changed, [*own, *theirs], lab, one, other)
    if any(node.name == "abduced" for node in closed):
        # A fact that both sides leave open has the same value on both.
        opened = {head for rule in theirs for head in rule.heads if head.name == "could_be"}
        for node in sorted(opened, key=str):
            name = node.name + OTHER if node in closed else node.name
            topic = signature_pattern(node.topic) if node.topic else "T"
            facts.append(f":- abduced(T,V), abduced{OTHER}(T,W), V != W, {name}(T,V), T = {topic}.")
    # Equal rules of violations have equal results on both sides.
    same = {rule.text for rule in own if closed.isdisjoint(rule.body)}
    copies = [
        rename_rules(rule, closed)
        for rule in theirs
        if closed.intersection(rule.heads or rule.body)
        and not (rule.text in same and VIOLATIONS.intersection(rule.heads))
    ]
    twice = frozenset(closed)
    return Generator(one.program, (*own, *generator, *copies), tuple(facts), twice), twice


#: The predicate that a ruling is switched off, and those by which the calculus reads precedence.
WITHOUT = Signature("without", 1)
_YIELDS = Signature("yields", 1)
RANKS = frozenset((Signature("wins", 2), _YIELDS))
_ALL_RANKS = RANKS | {Signature("ranked", 1)}


def kinds_ranked_anew(
    one: RuleSet, other: RuleSet, changed: Collection[Signature] = ()
) -> Callable[[Functor], bool]:
    """Return the test whether a change of precedence acts on a kind of topic: both norms speak of it.

    changed: nodes that differ, and may be conditions of precedence.
    """
    heads = calculus().tagged_heads & calculus().topic_place.keys()
    said = assertions((*one.program.source.rules, *other.program.source.rules), heads)

    def reads_changed(ways: Iterable[Iterable[Literal]]) -> bool:
        return any(
            isinstance(each, Lit) and signature_of_term(each.atom) in changed
            for way in ways
            for each in walk(tuple(way))
        )

    mine, theirs = one.wins, other.wins
    groups: set[tuple[str, ...]] = {
        pair
        for pair in mine.keys() | theirs.keys()
        if mine.get(pair) != theirs.get(pair) or reads_changed(mine[pair])
    }
    yielding = (
        rule for side in changed_rules(one, other) for rule in side if _YIELDS in rule.heads
    )
    groups |= {(rule.ids[0],) for rule in yielding}

    return cache(lambda kind: any(all(asserts(said, e, kind) for e in group) for group in groups))


def ranked_heads(rule: Rule, anew: Callable[[Functor], bool]) -> Iterator[Signature]:
    """Yield the heads on which changed precedence acts by a rule that reads it."""
    for node in rule.heads:
        kind = topic_kind(node.topic)
        if rule.file != CALCULUS or kind is None or anew(kind):
            yield node


def roles_of(lab: Generator, one: RuleSet, other: RuleSet) -> dict[str, set[str]]:
    """Return the roles that both know, with the sections that draw them, each in its own way.

    Roles drawn by a section in force on both sides are left out.
    """
    knows: dict[str, set[str]] = {}
    for rule in lab.rules:
        if rule.heads == (_ROLE,) and rule.head:
            role, section, *_ = rule.head.args
            knows.setdefault(str(role), set()).add(str(section))
    mine, theirs = set(one.sections) - {"b23"}, set(other.sections) - {"b23"}
    return {
        role: by
        for role, by in knows.items()
        if by & mine and by & theirs and not by & mine & theirs
    }


_ROLE, _COMPARED = Signature("role", 4), Signature("compared", 1)


def _drawn(lab: Generator) -> frozenset[Signature]:
    """Return the inputs that draw roles."""
    drawing = (rule for rule in lab.rules if rule.file == "lab/roles.lp" and rule.head)
    return frozenset(node for rule in drawing if _COMPARED in rule.body for node in rule.heads)


def _is_generator(rule: Rule) -> bool:
    """Test whether a rule chooses the board, which both rule sets share."""
    return rule.file.startswith("lab/") and bool(rule.heads) and rule.head is None


def _changed(own: Iterable[Rule], theirs: Iterable[Rule]) -> Iterable[Signature]:
    """Return the nodes that the two derive by different rules."""
    mine = Counter((head, rule.text) for rule in own for head in rule.heads)
    others = Counter((head, rule.text) for rule in theirs for head in rule.heads)
    return {head for head, _ in (mine - others) + (others - mine)}


def _closure(
    changed: set[Signature], rules: Sequence[Rule], lab: Generator, one: RuleSet, other: RuleSet
) -> set[Signature]:
    """Return all nodes that depend on changed ones."""
    off = {*one.without} ^ {*other.without}
    reading = by_body(rules)

    def closed_by(anew: Callable[[Functor], bool]) -> set[Signature]:
        closed = set(changed)
        todo = list(changed)
        while todo:
            node = todo.pop()
            for rule in reading.get(node, ()):
                if node == WITHOUT and not reads_ruling(rule, off):
                    continue
                for head in ranked_heads(rule, anew) if node in _ALL_RANKS else rule.heads:
                    if head not in closed and (head.name, head.arity) not in lab.inputs:
                        closed.add(head)
                        todo.append(head)
        return closed

    return closed_by(kinds_ranked_anew(one, other, closed_by(lambda _: True)))


def reads_ruling(rule: Rule, rulings: Collection[str]) -> bool:
    """Test whether a rule may read that one of these rulings is switched off."""
    named = [
        each.atom.args[0]
        for each in walk(rule.literals)
        if isinstance(each, Lit) and each.atom.functor == ("without", 1)
    ]
    return any(not isinstance(each, Const) or each.value in rulings for each in named)
