"""Reading the knowledge base: its rules, the norm each of them stands under, and what it reads.

A rule of a section stands under the last tag above it (rules_asp/knowledge/tags.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import clingo
from clingo import ast

from rules_asp.knowledge import scanning
from rules_asp.knowledge.parsing import parse_statements
from rules_asp.knowledge.tags import Norm, finished_norm, parse_tag, tag_continuation
from rules_asp.terms import own_rules
from rules_asp.terms.lexicon import reading_order
from rules_asp.terms.own_rules import RuleText
from rules_asp.terms.own_rules import SourceError as SourceError

#: For each predicate of the calculus, the place of its topic, deed or sight.
TOPIC_PLACE = {
    "says": 1,
    "takes": 1,
    "offers": 1,
    "offers_value": 1,
    "could_be": 0,
    "adds": 1,
    "adds_value": 1,
    "silent": 1,
    "permits": 1,
    "forbids": 1,
    "requires": 1,
    "blocks": 1,
    "hinders": 1,
    "lifts": 2,
    "clears": 1,
    "halted": 1,
    "decided": 0,
    "utters": 1,
    "defeated": 1,
    "lost": 1,
    "bid": 1,
    "outbid": 0,
    "stands": 1,
    "settled": 0,
    "supposable": 0,
    "conflict": 0,
    "put_last": 1,
    "unknown": 0,
    "open": 0,
    "is": 0,
    "supposed": 0,
    "summed": 0,
    "addend": 0,
    "total": 0,
    "value": 0,
    "valued": 0,
    "denied": 0,
    "let": 0,
    "unsaid": 0,
    "illegal": 0,
    "barred": 0,
    "allowed": 0,
    "legal": 0,
    "contested": 0,
    "asked": 0,
    "asked_deed": 0,
    "sought": 0,
    "stopped": 0,
    "sees": 0,
    "sight": 0,
    "hindered": 0,
    "hindrance": 0,
    "due": 0,
}
#: By which argument a predicate is told apart from others of its name: words of one kind are read
#: without those of another.
KIND_PLACE = {**TOPIC_PLACE, "word": 0, "told_with": 1}
#: Heads whose topic a norm decides, and those whose second topic is read.
TOPIC_HEADS = (
    *("says", "takes", "offers", "offers_value"),
    *("could_be", "adds", "adds_value", "silent"),
)
DEED_HEADS = ("permits", "forbids", "requires")
#: Those whose first argument is the norm that says it.
OTHER_PLACE = {"takes": 2, "offers_value": 2, "adds_value": 2, "requires": 2}

#: The files of which rules are repeated for each topic, deed or form, and that know no word of the game.
WRITTEN_ONCE = ("calculus.lp", "forms.lp")
#: Who goes first: by what the text says; the rulings, on what one sentence means and between two norms.
PRECEDENCE = ("precedence.lp", "rulings_sense.lp", "rulings.lp")
#: The facts by which kb/ declares its words; kb/vocabulary.lp and kb/answers.lp say what each means.
DECLARATIONS = frozenset(
    (
        *("input", "setting", "measured", "derived", "topic", "form", "deed", "reason", "word"),
        *("once", "measure", "sentence", "phrase", "spoken", "synonym"),
        *("unread", "printed", "descriptive_in", "against", "change", "supposes"),
        *("how_first", "goes_first"),
    )
)

Functor = tuple[str, int]


class Signature(NamedTuple):
    """A predicate, and for those of the calculus the kind of topic it is about (None: any).

    Of `word` it is the kind of words.
    """

    name: str
    arity: int
    topic: Functor | None = None

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}" + (f" of {self.topic[0]}" if self.topic else "")


class BodyLiteral(NamedTuple):
    """A body literal: `atom` (a plain positive one), `absent` (negated) or `other` (comparison...)."""

    kind: str
    text: str
    #: For an aggregate, what its elements range over: each a comma list of literals.
    elements: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A rule of the knowledge base, with the nodes that it derives and reads."""

    text: str
    heads: tuple[Signature, ...]
    positive: tuple[Signature, ...]
    negative: tuple[Signature, ...]
    file: str
    line: int
    norm: str | None = None
    #: (topic, other topic) pairs that a takes, offers_value, adds_value or requires in the head joins.
    topic_pairs: tuple[tuple[Functor, Functor], ...] = ()
    #: The head's atom, unless it is a choice or a condition, and the body's literals, as text.
    head: str | None = None
    literals: tuple[BodyLiteral, ...] = ()

    @property
    def body(self) -> tuple[Signature, ...]:
        """All nodes that the rule reads."""
        return self.positive + self.negative


@dataclass(frozen=True)
class KnowledgeBase:
    """The knowledge base as written: rules and norms in reading order."""

    rules: tuple[Rule, ...]
    norms: tuple[Norm, ...]


def kb_folder() -> Path:
    """The folder of the knowledge base that is shipped."""
    return Path(str(files("rules_asp.kb")))


def kb_files(folder: Path) -> tuple[Path, ...]:
    """The files of a knowledge base in reading order: the common ones, the general rules, the sections.

    `lab/`, `strict.lp` and `vasl.lp` are left out: they are joined where they are asked for.
    """
    words = reading_order(path.name for path in folder.glob("*.lp"))
    top = [folder / name for name in (*WRITTEN_ONCE, *words, *PRECEDENCE)]
    rest = sorted(
        path
        for path in folder.glob("*/*.lp")
        if path.parent.name != "lab" and not path.is_symlink()
    )
    general = [path for path in rest if path.parent.name == "general"]
    sections = [path for path in rest if path.parent.name != "general"]
    kept = tuple(path for path in top if path.exists() and not path.is_symlink())
    return kept + tuple(general + sections)


def kb_texts(folder: Path | None = None, *, alone: bool = False) -> tuple[RuleText, ...]:
    """What stands in the files of a knowledge base; to the shipped one (None) come one's own rules.

    alone: not so.
    """
    top = folder or kb_folder()
    shipped = [
        RuleText(path.relative_to(top).as_posix(), path.read_text("utf-8"))
        for path in kb_files(top)
    ]
    return (*shipped, *(own_rules.rule_texts() if folder is None and not alone else ()))


def read_kb(folder: Path | None = None) -> KnowledgeBase:
    """Read a knowledge base, as `kb_texts` has it; SourceError names file and line of what is wrong."""
    return with_files(KnowledgeBase((), ()), kb_texts(folder))


def with_files(source: KnowledgeBase, texts: Iterable[RuleText]) -> KnowledgeBase:
    """A knowledge base with more files."""
    rules, norms = list(source.rules), list(source.norms)
    for name, text in texts:
        new_rules, new_norms = read_rules(text, name)
        rules += new_rules
        norms += new_norms
    seen: dict[str, Norm] = {}
    for norm in norms:
        if norm.id in seen:
            first = seen[norm.id]
            raise SourceError(
                f"{norm.file}:{norm.line}: {norm.id} has a tag already, at {first.file}:{first.line}"
            )
        seen[norm.id] = norm
    return KnowledgeBase(tuple(rules), tuple(norms))


def reject_non_rules(text: str, name: str) -> None:
    """SourceError for what clingo would carry out while it reads, and for what it could not bear."""
    try:
        scanning.check_only_rules(text)
    except scanning.NotOnlyRules as error:
        raise SourceError(f"{name}:{error.line}: {error.message}") from None


def read_rules(text: str, name: str = "<text>") -> tuple[list[Rule], list[Norm]]:
    """Read one file's rules and norms; `name` is what messages call it."""
    reject_non_rules(text, name)
    rules: list[Rule] = []
    norms: list[Norm] = []
    current: Norm | None = None
    last_tag_line = 0
    messages: list[str] = []

    try:
        read = parse_statements(text, lambda _code, message: messages.append(message))
    except RuntimeError:
        told = "".join(messages).replace("<string>", name).strip()
        raise SourceError(told or f"{name}: no rules") from None
    for node in read:
        line = node.location.begin.line
        if node.ast_type == ast.ASTType.Comment:
            if found := parse_tag(node.value, name, line):
                current = found
                norms.append(current)
                last_tag_line = line
            elif current and line == last_tag_line + 1 and (said := tag_continuation(node.value)):
                current = replace(current, sense=f"{current.sense} {said}")
                norms[-1] = current
                last_tag_line = line
            elif node.value.startswith("% ---"):
                current = None
        elif node.ast_type == ast.ASTType.Rule:
            # A pool such as p(a;b) stands for several rules.
            rules.extend(
                _rule(each, name, current.id if current else None) for each in node.unpool()
            )
        elif node.ast_type not in (ast.ASTType.Program, ast.ASTType.Defined):
            raise SourceError(f"{name}:{line}: only rules may stand in the knowledge base: {node}")
    return rules, [finished_norm(norm) for norm in norms]


def _rule(node: ast.AST, file: str, norm: str | None) -> Rule:
    heads: list[Signature] = []
    joins: list[tuple[Functor, Functor]] = []
    positive: list[Signature] = []
    negative: list[Signature] = []
    for symbol, negated, in_condition in _atoms(node.head):
        if in_condition:
            (negative if negated else positive).append(signature_of_term(symbol))
            continue
        heads.append(signature_of_term(symbol))
        if symbol.name in OTHER_PLACE:
            one, two = _functor(symbol.arguments[1]), _functor(symbol.arguments[2])
            if one and two:
                joins.append((one, two))
    for literal in node.body:
        for symbol, negated, _ in _atoms(literal):
            (negative if negated else positive).append(signature_of_term(symbol))
    return Rule(
        str(node),
        tuple(dict.fromkeys(heads)),
        tuple(dict.fromkeys(positive)),
        tuple(dict.fromkeys(negative)),
        file,
        node.location.begin.line,
        norm,
        tuple(joins),
        str(node.head) if node.head.ast_type == ast.ASTType.Literal else None,
        tuple(_literal(each) for each in node.body),
    )


def _literal(node: Any) -> BodyLiteral:
    text = str(node)
    if node.ast_type == ast.ASTType.Literal:
        if node.atom.ast_type == ast.ASTType.SymbolicAtom:
            return BodyLiteral("atom" if node.sign == ast.Sign.NoSign else "absent", text)
        if node.atom.ast_type in (ast.ASTType.Aggregate, ast.ASTType.BodyAggregate):
            # In `5 { p(X) : q(X) }` the literal before the colon is one of the condition.
            plain = node.atom.ast_type == ast.ASTType.Aggregate
            elements = (
                ", ".join(map(str, ([each.literal] if plain else []) + list(each.condition)))
                for each in node.atom.elements
            )
            return BodyLiteral("other", text, tuple(elements))
    return BodyLiteral("other", text)


def _atoms(
    node: Any, negated: bool = False, condition: bool = False
) -> Iterator[tuple[Any, bool, bool]]:
    """The atoms below a head or body literal: (function term, negated, inside a condition)."""
    kind = node.ast_type  # clingo looks it up anew each time
    if kind == ast.ASTType.SymbolicAtom:
        symbol = node.symbol
        if symbol.ast_type != ast.ASTType.Function:
            raise SourceError(f"an atom must be plain: {node}")
        yield symbol, negated, condition
    elif kind == ast.ASTType.Literal:
        yield from _atoms(node.atom, negated or node.sign != ast.Sign.NoSign, condition)
    elif kind in (ast.ASTType.ConditionalLiteral, ast.ASTType.BodyAggregateElement):
        if kind == ast.ASTType.ConditionalLiteral:
            yield from _atoms(node.literal, negated, condition)
        for each in node.condition:
            yield from _atoms(each, negated, True)
    elif kind in (ast.ASTType.Aggregate, ast.ASTType.BodyAggregate):
        for element in node.elements:
            yield from _atoms(element, negated, condition)


def signature_of_term(symbol: Any) -> Signature:
    """The node that an atom of a rule is of."""
    name, arity = symbol.name, len(symbol.arguments)
    place = KIND_PLACE.get(name)
    topic = None
    if place is not None and place < arity:
        topic = _functor(symbol.arguments[place])
    return Signature(name, arity, topic)


def _functor(term: Any) -> Functor | None:
    """The name and arity of a topic; ('Topic', 0) and the like for the calculus' own variables."""
    kind = term.ast_type
    if kind == ast.ASTType.Function:
        return term.name, len(term.arguments)
    if kind == ast.ASTType.SymbolicTerm:
        return str(term.symbol), 0
    if kind == ast.ASTType.Variable:
        return term.name, 0
    return None


def declared_facts(
    rules: Iterable[Rule], *declarations: str
) -> Iterator[tuple[str, Sequence[clingo.Symbol]]]:
    """The facts of kb/ that are such declarations: the name of each, and its arguments."""
    for rule in rules:
        name = rule.heads[0].name if rule.heads and not rule.body else ""
        if name in declarations:
            yield name, clingo.parse_term(rule.text.rstrip(".")).arguments


def by_paragraph(norms: Iterable[Norm]) -> dict[str, list[Norm]]:
    """Norms grouped by their paragraph, in reading order."""
    groups: dict[str, list[Norm]] = {}
    for norm in norms:
        groups.setdefault(norm.paragraph, []).append(norm)
    return groups
