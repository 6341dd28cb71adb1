"""`lab new-rule` and `lab review FILE`: a house rule from sentences and conditions, and its check.

What the rule says and its conditions are questions, as `ask` reads them. The rule and a board that
shows its effect are written from them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase

from rules_asp import RulesAspError
from rules_asp.cases.expectations import answer_line, expectations, parse_expectation
from rules_asp.game.query import Argument, FunctionTerm, QueryComparison, QueryLiteral
from rules_asp.game.vocabulary import NO, YES_NO, Input, default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.program import Program, without_norm
from rules_asp.knowledge.rules import Functor
from rules_asp.lab.diff import NO_VALUE, Difference, first_difference
from rules_asp.lab.generator import load_generator
from rules_asp.lab.impact import with_sections
from rules_asp.lab.interactions import interaction_of, norms_by_topic_kind
from rules_asp.lab.precedence import ranks_of
from rules_asp.lab.rulesets import RuleSet
from rules_asp.lab.search import Search
from rules_asp.parser import parse, parse_query, write
from rules_asp.parser.errors import nearest
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import prepare
from rules_asp.runtime.limits import OutOfTime

# --- The rule from what it says and its conditions.


class RuleError(RulesAspError):
    """Something that `lab new-rule` cannot express, with the next step."""


_ID = re.compile(r"[A-Z]{1,6}[0-9]*\.[0-9]+[a-z]?-[0-9]+[a-z]?")
_SAYS = re.compile(
    r"(?P<how>forbid|allow)\s+(?P<deed>.+)"
    r"|add\s+(?P<amount>[+-]?[0-9 /]+)\s+to\s+(?P<sum>.+)"
    r"|suspend\s+(?P<norm>\S+)\s+for\s+(?P<of>.+)",
    re.DOTALL,
)
#: What a rule can say, with an example of each.
EXAMPLES = (
    "a value: height(H) = 1/2",
    "an action: forbid step(move, U, X, Y, W); or with allow",
    "a part of a sum: add 1 to drm(shot(X, Y, How, Doing))",
    "an exception: suspend B23.21-2 for height(H)",
)


@dataclass(frozen=True)
class Statement:
    """What a rule says, as questions: the head of its logic rule is made from them.

    how: `says`, `forbids`, `permits`, `adds` or `lifts`. norm: the norm that it suspends.
    """

    how: str
    question: str
    norm: str = ""


def read_id(text: str, program: Program) -> str:
    """Return the id of a new rule; RuleError for a malformed one, or one that exists."""
    name = text.strip()
    if not _ID.fullmatch(name):
        raise RuleError(f"{name} is not the id of a rule: expected a number such as XX1.1-1")
    known = program.norms.get(name)
    if known is not None:
        raise RuleError(
            f"{name} exists already ({known.path}:{known.line}): use a prefix of your own"
        )
    return name


def read_summary(text: str) -> str:
    """Return a summary; RuleError if it is not a sentence."""
    said = " ".join(text.split())
    if not said[:1].isupper() or not said.endswith("."):
        raise RuleError(
            "the summary must be a complete sentence: begin it with a capital and end it with a period"
        )
    return said


def read_overrides(text: str, program: Program) -> tuple[str, ...]:
    """Return the ids of rules, separated by commas or spaces; RuleError for an unknown one."""
    named = tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip()))) if text.strip() else ()
    for each in named:
        if each not in program.norms:
            near = nearest(each, program.norms)
            raise RuleError(
                f"there is no rule {each}" + (f"; did you mean {near}?" if near else "")
            )
    return named


def read_statement(text: str, program: Program) -> Statement:
    """Return what a rule says; BoardError or RuleError if it cannot be read."""
    said = _with_names(text.strip())
    match = _SAYS.fullmatch(said)
    if said.startswith("not "):
        raise RuleError(f"a rule states a value: write {said.removeprefix('not ')} = no")
    if match is None:
        parsed = parse_query(said)
        only = parsed.literals[0]
        if len(parsed.literals) > 1 or not isinstance(only, QueryLiteral) or only.value is None:
            listed = "; ".join(EXAMPLES)
            raise RuleError(
                f"write one statement, such as {listed}; `lab new-rule` asks for the conditions later"
            )
        return Statement("says", said)
    if match["deed"]:
        how = {"forbid": "forbids", "allow": "permits"}[match["how"]]
        found = Statement(how, f"legal({match['deed']})")
    elif match["sum"]:
        found = Statement("adds", f"{match['sum']} = {match['amount'].lstrip('+')}")
    else:
        read_overrides(match["norm"], program)
        about = match["of"]
        topics = program.vocabulary.topics
        is_topic = re.split(r"\W", about, maxsplit=1)[0] in topics
        question = f"{about} = AnyValue" if is_topic else f"legal({about})"
        found = Statement("lifts", question, match["norm"])
    parse_query(found.question)
    return found


#: A text in quotes, or a variable without a name.
_ANONYMOUS = re.compile(r'"[^"]*"|(?<!\w)_(?!\w)')


def _with_names(text: str) -> str:
    """Return a statement with a name for each `_`: its rule repeats the term, with the same values."""
    letters = iter(ascii_uppercase)
    return _ANONYMOUS.sub(
        lambda found: f"Any{next(letters)}" if found[0] == "_" else found[0], text
    )


def rule_text(
    norm: str,
    summary: str,
    statement: Statement,
    when: str,
    overrides: Iterable[str],
    program: Program,
    yields_to: Iterable[str] = (),
) -> str:
    """Return the rule with its tag; RuleError for what rules cannot read, or a loose variable.

    overrides: the norms over which it takes precedence. yields_to: those that go before it.
    """
    # The conditions come first, so that a mistake in them keeps its column.
    whole = parse_query(", ".join(filter(None, (when.strip(), statement.question))))
    *conditions, said = whole.literals
    assert isinstance(said, QueryLiteral)
    about = said.args[0] if said.name == "legal" else Argument(said.topic, "topic")
    body, unknowns = _body(conditions, program)
    asked = _asked(about, said.name == "legal")
    body = [*asked, *body]
    loose = {name for name, _ in about.variables} - _bound(conditions)
    if loose and not asked:
        raise RuleError(
            f"{', '.join(sorted(loose))} has no condition: say when the rule applies, such as"
            " btype(H) = single_story"
        )
    head = {
        "says": lambda: f'says("{norm}", {about.term}, {_value(said)})',
        "adds": lambda: f'adds("{norm}", {about.term}, {_value(said)}, house)',
        "lifts": lambda: f'lifts("{norm}", "{statement.norm}", {about.term})',
    }.get(statement.how, lambda: f'{statement.how}("{norm}", {about.term})')()
    lines = [_tag(norm, summary), _rule(head, [each.text for each in body])]
    for unknown in unknowns:
        # A condition that is not known makes the answer unknown, not another one.
        others = [each for each in body if each is not unknown and not each.reads & unknown.gives]
        told = [
            each.text for each in others if not each.text.endswith(f"is_unknown({unknown.topic})")
        ]
        silent = f'silent("{norm}", {about.term}, of({unknown.topic}))'
        lines.append(_rule(silent, [*told, f"is_unknown({unknown.topic})"]))
    lines += [f'overrides("{norm}","{each}").' for each in overrides]
    lines += [f'overrides("{each}","{norm}").' for each in yields_to]
    return "\n".join(lines) + "\n"


def about(statement: Statement) -> set[Functor]:
    """Return the kind of topic or action that a rule decides."""
    said = parse_query(statement.question).literals[0]
    assert isinstance(said, QueryLiteral)
    term = said.args[0].value if said.name == "legal" else said.topic
    return {(term.name, len(term.args))} if isinstance(term, FunctionTerm) else set()


@dataclass(frozen=True)
class _Condition:
    """A literal of a body; topic: the topic that it reads. gives: the variables that its value
    binds. reads: those that it needs."""

    text: str
    topic: str = ""
    gives: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


def _body(
    conditions: Iterable[QueryLiteral | QueryComparison], program: Program
) -> tuple[list[_Condition], list[_Condition]]:
    """Return the conditions in clingo syntax, and those on topics, which can be unknown."""
    sums = {
        head.topic[0]
        for rule in program.source.rules
        for head in rule.heads
        if head.topic and head.name in ("adds", "adds_value")
    }
    body: list[_Condition] = []
    unknowns: list[_Condition] = []
    for each in conditions:
        if isinstance(each, QueryComparison):
            names = frozenset(name for side in each.arguments for name, _ in side.variables)
            body.append(_Condition(each.clingo, reads=names))
            continue
        _check_readable(each, program)
        denied = "not " * each.negated
        if each.value is None:
            body.append(_Condition(f"{denied}{each.term}"))
            continue
        value = each.value
        is_no = value.kind == YES_NO and value.value == NO
        predicate = "total" if each.name in sums else "is"
        shown = "yes" if is_no else value.term
        text = f"{'' if bool(denied) == is_no else 'not '}{predicate}({each.term},{shown})"
        args = {name for arg in each.args for name, _ in arg.variables}
        gives = frozenset(name for name, _ in value.variables) - args
        condition = _Condition(text, each.term, gives)
        body.append(condition)
        if text.startswith("not "):
            body.append(_Condition(f"not is_unknown({each.term})"))
        unknowns.append(condition)
    return body, unknowns


def _check_readable(literal: QueryLiteral, program: Program) -> None:
    words = program.vocabulary
    name = literal.name
    if name in calculus().results or (name in words.derived and name in ("sees", "legal")):
        raise RuleError(
            f"a rule cannot have the condition {name}: it is an answer, and no rule reads answers."
            " Use properties and relations of `rules-asp words`, or write the rule by hand"
        )
    entry = words.inputs.get(name)
    if isinstance(entry, Input) and not entry.closed and literal.value is None:
        raise RuleError(
            f"a rule cannot have the condition {name}, because a board may leave {name} open:"
            f" use a property derived from {name}, as `rules-asp words {name}` lists"
        )


def _value(said: QueryLiteral) -> str:
    assert said.value is not None
    return said.value.term


def _bound(conditions: Iterable[QueryLiteral | QueryComparison]) -> set[str]:
    return {
        name
        for each in conditions
        if isinstance(each, QueryLiteral) and not each.negated
        for argument in each.arguments
        for name, _ in argument.variables
    }


def _asked(about: Argument, deed: bool) -> list[_Condition]:
    """Return the condition that a question asks about an action, or about the form of a topic."""
    if deed:
        return [_Condition(f"asked_deed({about.term})")]
    assert isinstance(about.value, FunctionTerm)
    forms = [each.value for each in about.value.args if isinstance(each.value, FunctionTerm)]
    known = default_vocabulary().forms
    return [
        # What a deed costs is asked with the question whether the deed is legal.
        _Condition(f"{'asked_deed' if known[form.name].kind == 'deed' else 'asked'}({form.term})")
        for form in forms
    ]


def _tag(norm: str, summary: str) -> str:
    lines = textwrap.wrap(
        summary, 98, initial_indent=f"%@ {norm}  ", subsequent_indent="%" + " " * 11
    )
    return "\n".join(lines)


def _rule(head: str, body: list[str]) -> str:
    if not body:
        return f"{head}."
    text = ", ".join(body)
    line = f"{head} :- {text}."
    if len(line) <= 100:
        return line
    return "\n".join(
        [
            f"{head} :-",
            *textwrap.wrap(
                f"{text}.",
                96,
                initial_indent="    ",
                subsequent_indent="    ",
                break_long_words=False,
            ),
        ]
    )


# --- The check of house rules: competing rules, missing precedence, no effect, and a board.


@dataclass(frozen=True)
class RuleCheck:
    """The check of one house rule.

    effect: the smallest board on which the rule changes an answer. clashes: rules that give another
    answer without precedence, each with a board. undecided: the time was over first.
    """

    norm: str
    effect: Difference | None
    clashes: Mapping[str, str]
    undecided: bool

    @property
    def is_settled(self) -> bool:
        """True if the rule gives an answer on the board of its effect."""
        return self.effect is not None and not any(_conflicting(self.effect))

    @property
    def has_fault(self) -> bool:
        """True if the rule has a clash, or a complete check found no effect."""
        return bool(self.clashes) or (self.effect is None and not self.undecided)


def spoken(program: Program, norm: str) -> set[Functor]:
    """Return the kinds of topics, actions and LOS that a norm decides."""
    heads = {each.name for each in calculus().answering_heads} | {"lifts"}
    return {
        head.topic
        for rule in program.source.rules
        if rule.norm == norm
        for head in rule.heads
        if head.name in heads and head.topic is not None
    }


def competing(program: Program, topics: Collection[Functor]) -> list[str]:
    """Return the norms that decide the same kinds of topics or actions."""
    heads = {each.name for each in calculus().answering_heads} - {"silent"}
    return list(
        dict.fromkeys(
            rule.norm
            for rule in program.source.rules
            for head in rule.heads
            if rule.norm and head.name in heads and head.topic in topics
        )
    )


def check_rule(program: Program, folder: Path, norm: str, search: Search) -> RuleCheck:
    """Check a house rule on small boards until the time limit of the search."""
    with_it = RuleSet(str(folder), program, ("b23",), ())
    without = replace(with_it, program=without_norm(program, norm), lacking=(norm,))
    one, other = with_sections(without, with_it)
    topics = spoken(program, norm)
    undecided, effect = False, None
    part = replace(search, clock=search.clock.part(0.6))
    try:
        asked = topics if kinds_asked(program, topics) else None
        effect = first_difference(one, other, part, asked)
    except OutOfTime:
        undecided = True
    clashes: dict[str, str] = {}
    if effect is not None:
        for pair in _conflicting(effect):
            if norm in pair:
                (against,) = {*pair} - {norm} or {norm}
                clashes[against] = effect.boards[1].plain if effect.boards else ""
    ranks = ranks_of(program)
    rivals = [
        each
        for each in competing(program, topics)
        if each != norm
        and each not in clashes
        and not ranks.path(norm, each)
        and not ranks.path(each, norm)
    ]
    if rivals and not undecided:
        lab = load_generator(program=program)
        known = {each for norms in norms_by_topic_kind(lab).values() for each in norms}
        bounds = replace(search.bounds, sections=other.sections)
        here = replace(search, lab=lab, bounds=bounds)
        try:
            meetings = interaction_of(here, [norm], [each for each in rivals if each in known])
        except QuestionError:
            return RuleCheck(norm, effect, clashes, undecided)
        undecided = not meetings.whole
        for each in meetings.found:
            if each.relation in ("clash", "contested"):
                against = each.other if each.one == norm else each.one
                clashes[against] = each.shown.witness.plain if each.shown else ""
    return RuleCheck(norm, effect, clashes, undecided)


def _conflicting(effect: Difference) -> Iterator[tuple[str, ...]]:
    """Yield the norms of each conflict that makes the second answer unknown."""
    yield from (each.about for each in effect.unknown[1] if each.is_conflict)


def kinds_asked(program: Program, topics: Collection[Functor]) -> bool:
    """Test whether all these kinds can be compared on their own."""
    words = program.vocabulary
    return all(name in words.topics or name in words.forms or name == "s" for name, _ in topics)


def case_text(program: Program, found: RuleCheck) -> str | None:
    """Return a board with an `expect` line that fails without the rule; None if there is none."""
    effect = found.effect
    if effect is None or effect.boards is None or not found.is_settled:
        return None
    shown = effect.boards[1]
    text = shown.plain.replace('board "witness"', f'board "{found.norm}"', 1)
    position = prepare(parse(text), program)
    expect = answer_line(position, parse_expectation(position, str(shown.query))).expect
    paragraph = program.norms[found.norm].paragraph
    for cites in ((paragraph,), ()):
        board = parse(text)
        line = replace(expect, cites=cites)
        written = write(replace(board, statements=(*board.statements, line)))
        if all(each.passed for each in expectations(prepare(parse(written), program))):
            return written
    return None


# --- The report as text.


def check_lines(found: RuleCheck, program: Program) -> Iterator[str]:
    """Yield what the check of a rule found."""
    if found.effect is not None:
        shown = found.effect.boards[1].query if found.effect.boards else found.effect.topic
        yield f"{found.norm} changes {shown}: {' -> '.join(found.effect.answers)}"
    elif found.undecided:
        yield f"The time was over before a board was found on which {found.norm} changes an answer."
        yield "Test the rule on a board of your own, or allow more seconds with --time."
    else:
        yield f"{found.norm} changes no answer on boards of three hexes: does it ever apply?"
    for other, board in sorted(found.clashes.items()):
        yield f"Missing precedence: {found.norm} and {other} give different answers, on this board:"
        yield from (f"    {line}" for line in board.splitlines())
        yield f"  {other}  {program.norms[other].sense}"
    if found.clashes:
        rivals = " ".join(sorted(found.clashes))
        yield f'If {found.norm} takes precedence over all of them: --overrides "{rivals}"'
        yield "If one of them takes precedence, name it with --yields-to; or add to the rule's file:"
        yield f'    overrides("{min(found.clashes)}","{found.norm}").'
    own = (rule for rule in program.source.rules if rule.norm == found.norm)
    adds = any(head.name == "adds" for rule in own for head in rule.heads)
    if adds and found.effect is not None and found.effect.answers[0] == NO_VALUE:
        yield f"{found.norm} adds to something that has no value without it: check its condition"
    if found.undecided and found.effect is not None:
        yield f"{found.norm}: the time was over before every pair of rules was searched"
        yield "Allow more seconds with --time."
