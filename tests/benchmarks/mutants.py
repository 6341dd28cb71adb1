"""The share of mutated rules that tests notice: `python -m tests.benchmarks.mutants --count 100`.

A mutant is a copy of the knowledge base in which one rule of the five sections is wrong: a number changed,
an `overrides` or `lifts` dropped, a comparison turned, two arguments swapped, or a literal of a body
dropped or negated. Mutants that do not load are left out, and so are those that the lint refuses and no
case notices, which are counted. For each of the others it is told whether it is noticed by

- the cases in tests/cases: an expectation that fails (of those cases in whose answers the changed rule
  says something else, and of some named like its paragraph);
- `lab prove`: a pair of the changed norms (of a helper, of the norms that read it) that is open in one of
  the two and not in the other;
- `lab impact`: a case with another answer (the likely ones first, a third of the time), or else a board
  with one;
- `lab diff`: a question that the two answer differently (the topics next downstream of the rule; grid
  2x1, then 3x2 for sights);
- `lab conflicts`: a clash, or something to review, that the rules as they are do not show on that board
  (topics downstream of the rule, grid 2x1).

Each stops at the first that it notices, and when its time is over; with the first that notices a mutant
that is done, unless `--all`. `yes` is noticed, `no` is searched to the end, `late` is out of time (or that
of one goal), `none` is nothing to compare, as for a rule that only says which setups are wrong. Each row
is told as it is done; then a table. `same` are dropped overrides without which the same norms win: such
a mutant is none. `--into FILE` keeps the rows, `--resume` takes over what is kept of the
same mutants, and with `--again` only of those that something noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from clingo import ast

from rules_asp.cases.coverage import precedence_pairs
from rules_asp.cases.expectations import expectations
from rules_asp.game.grid import Grid
from rules_asp.game.house_rules import SourceError
from rules_asp.knowledge.lint.run import lint
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program, build
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, KnowledgeBase, Rule, Signature
from rules_asp.knowledge.solver import EngineError, ground, static_answer_sets
from rules_asp.lab.audits import evidence
from rules_asp.lab.consistency import KeptVerdicts, NormPair, Prover, norm_pairs
from rules_asp.lab.diff import (
    Difference,
    changed_expectations,
    compare_rule_sets,
    first_difference,
)
from rules_asp.lab.generator import GRIDS, SearchBounds, load_generator
from rules_asp.lab.goals import CLASH, CONTESTED, GoalTemplate, SearchGoal, joined, search_goal_for
from rules_asp.lab.grounded_run import GroundedRun
from rules_asp.lab.impact import impact_of, with_sections
from rules_asp.lab.rulesets import RuleSet
from rules_asp.lab.search import Search
from rules_asp.lab.theory import Encoding
from rules_asp.parser import parse
from rules_asp.positions.loading import load
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from rules_asp.runtime.cache import memoize_on_disk
from rules_asp.runtime.job_pool import JobSettings, run_jobs
from rules_asp.runtime.limits import Deadline, Limits, OutOfTime, TooWide
from rules_asp.runtime.worker import call_isolated
from tests.benchmarks.hearing import Change, told_apart
from tests.benchmarks.proved import verdict_for

CASES = Path(__file__).parents[1] / "cases"
SECTIONS = ("b23", "pb4", "pb6", "brt7", "abtf3")
KINDS = ("number", "dropped", "comparison", "swapped", "omitted", "negated")
#: What may notice a mutant, the cheapest first.
MEANS = ("suite", "prove", "impact", "diff", "conflicts")
#: Seconds for each goal, and for each of the means; for the cases of the processor's.
PATIENCE, CONFLICTS, DIFF, SUITE, GROUNDING = 3.0, 20.0, 40.0, 120.0, 40.0
PROVE, IMPACT = 60.0, 30.0
#: The share of the time of `lab impact` for the cases, as there.
_CASES_SHARE = 0.3
#: So many cases that are named like a paragraph are asked though the rule says nothing else there.
_LIKELY = 4
#: Where answers begin: what rests on these alone differs only if they do.
_ANSWERS = frozenset({"is", "total", "legal", "illegal", "sees", "hindrance"})
_ID = re.compile(r'"([A-Z][^"\s]*-[^"\s]*)"')
_TURNED = {
    ast.ComparisonOperator.LessThan: ("GreaterThan", "LessEqual"),
    ast.ComparisonOperator.GreaterThan: ("LessThan", "GreaterEqual"),
    ast.ComparisonOperator.LessEqual: ("GreaterEqual", "LessThan"),
    ast.ComparisonOperator.GreaterEqual: ("LessEqual", "GreaterThan"),
    ast.ComparisonOperator.Equal: ("NotEqual",),
    ast.ComparisonOperator.NotEqual: ("Equal",),
}


@dataclass(frozen=True)
class Mutant:
    """A rule, and what stands in its place (nothing, if it is dropped)."""

    kind: str
    rule: Rule
    text: str

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms that it is about: that of its tag, and those named in it."""
        own = (self.rule.norm,) if self.rule.norm else ()
        return tuple(dict.fromkeys((*own, *_ID.findall(self.rule.text))))

    def source(self, source: KnowledgeBase) -> KnowledgeBase:
        """The knowledge base with it."""
        new, _ = read_rules(self.text, self.rule.file)
        changed = [replace(each, norm=self.rule.norm, line=self.rule.line) for each in new]
        rules: list[Rule] = []
        for rule in source.rules:
            rules += changed if rule == self.rule else [rule]
        return replace(source, rules=tuple(rules))


# --- making mutants


class _Sites(ast.Transformer):
    """Counts the places where a rule can be changed, and changes that of a given number."""

    def __init__(self, kind: str, chosen: int = -1, chance: random.Random | None = None) -> None:
        self.kind, self.chosen, self.chance, self.count = kind, chosen, chance, 0

    def _here(self) -> bool:
        self.count += 1
        return self.count - 1 == self.chosen

    def visit_SymbolicTerm(self, node: Any) -> Any:
        if self.kind == "number" and str(node).lstrip("-").isdigit() and self._here():
            assert self.chance is not None
            number = int(str(node))
            step = self.chance.choice((-1, 1)) if number > 0 else 1
            return node.update(symbol=_number(number + step))
        return node

    def visit_Rule(self, node: Any) -> Any:
        body = list(node.body)
        for place, literal in enumerate(body):
            if self.kind not in ("omitted", "negated") or literal.ast_type != ast.ASTType.Literal:
                continue
            if self._here():
                if self.kind == "omitted":
                    del body[place]
                else:
                    body[place] = literal.update(sign=0 if literal.sign else 1)
                return node.update(body=body)
        return node.update(**self.visit_children(node))

    def visit_Comparison(self, node: Any) -> Any:
        guards = list(node.guards)
        for place, guard in enumerate(guards):
            operator = ast.ComparisonOperator(guard.comparison)
            # A span such as N = 1..3 is no comparison.
            if self.kind == "comparison" and ".." not in str(guard.term) and self._here():
                assert self.chance is not None
                other = ast.ComparisonOperator[self.chance.choice(_TURNED[operator])]
                guards[place] = guard.update(comparison=other)
        return node.update(guards=guards).update(**self.visit_children(node))

    def visit_Function(self, node: Any) -> Any:
        args = list(node.arguments)
        for place in range(len(args) - 1):
            one, two = args[place : place + 2]
            plain = str(one) != str(two) and not any(
                str(each).startswith('"') for each in (one, two)
            )
            if self.kind == "swapped" and plain and self._here():
                args[place : place + 2] = [two, one]
                return node.update(arguments=args)
        return node.update(**self.visit_children(node))


def _number(value: int) -> Any:
    import clingo

    return clingo.Number(value)


def _changed(rule: Rule, kind: str, chosen: int, chance: random.Random) -> tuple[int, str]:
    """How many places of a kind a rule has, and the rule with the chosen one changed."""
    sites = _Sites(kind, chosen, chance)
    texts: list[str] = []

    def statement(node: ast.AST) -> None:
        if node.ast_type == ast.ASTType.Rule:
            texts.append(str(sites.visit(node)))

    ast.parse_string(rule.text, statement)
    return sites.count, "\n".join(texts)


def _section(rule: Rule) -> str:
    """The folder that a rule stands in."""
    return rule.file.partition("/")[0]


def _in_force(mutant: Mutant) -> tuple[str, ...]:
    """The sections in force where a mutant is looked at."""
    return tuple(dict.fromkeys(("b23", _section(mutant.rule))))


def mutants(program: Program, seed: int, sections: Sequence[str]) -> Iterator[Mutant]:
    """Mutants of rules of these sections that load, without end."""
    chance = random.Random(seed)
    own = [rule for rule in program.source.rules if _section(rule) in sections]
    sites: dict[str, list[tuple[Rule, int]]] = {kind: [] for kind in KINDS}
    for rule in own:
        if rule.heads and rule.heads[0].name in ("overrides", "lifts"):
            sites["dropped"].append((rule, 0))
        for kind in KINDS:
            if kind == "dropped":
                continue
            count, _ = _changed(rule, kind, -1, chance)
            sites[kind] += [(rule, place) for place in range(count)]
    seen = {rule.text for rule in program.source.rules}
    while True:
        kind = chance.choice(KINDS)
        rule, place = chance.choice(sites[kind])
        text = "" if kind == "dropped" else _changed(rule, kind, place, chance)[1]
        mutant = Mutant(kind, rule, text)
        if (text or f"{rule.text} dropped") in seen:
            continue
        seen.add(text or f"{rule.text} dropped")
        try:
            mutant.source(program.source)
            # That it can be grounded at all, no variable is unsafe.
            ground(program.defined, text, parts=True)
        except (EngineError, SourceError, ValueError, RuntimeError):
            continue
        yield mutant


# --- what is downstream


def downstream(
    one: Program, other: Program, mutant: Mutant
) -> tuple[frozenset[Functor], frozenset[Functor]]:
    """The kinds of topics, deeds, sights next downstream of a mutated rule, and all of them."""
    start = {head for side in (one, other) for head in _heads(side, mutant)}
    if all(node.name in ("overrides", "amends") for node in start):
        # Who wins matters where both speak.
        spoken = [_spoken(one, norm) for norm in _ID.findall(mutant.rule.text)]
        near = frozenset.intersection(*spoken) if spoken else frozenset()
        start = {Signature("is", 2, each) for each in near}
    else:
        near = _kinds(_closed((*one.rules, *other.rules), start, _ANSWERS))
    return near, near | _kinds(_closed((*one.rules, *other.rules), start))


def _heads(program: Program, mutant: Mutant) -> Iterator[Signature]:
    for rule in program.rules:
        if rule.file == mutant.rule.file and rule.line == mutant.rule.line:
            yield from rule.heads


def _spoken(program: Program, norm: str) -> frozenset[Functor]:
    named = f'("{norm}",'
    return frozenset(
        head.topic
        for rule in program.source.rules
        for head in rule.heads
        if head.topic and named in rule.text.split(":-", 1)[0]
    )


def _closed(
    rules: Iterable[Rule], start: Iterable[Signature], but: frozenset[str] = frozenset()
) -> set[Signature]:
    """All that rests on these; it ends at predicates named in `but`."""
    reading: dict[Signature, list[Signature]] = {}
    for rule in rules:
        for node in rule.body:
            reading.setdefault(node, []).extend(rule.heads)
    closed = set(start)
    todo = [node for node in closed if node.name not in but]
    while todo:
        for head in reading.get(todo.pop(), ()):
            if head not in closed:
                closed.add(head)
                if head.name not in but:
                    todo.append(head)
    return closed


def _kinds(nodes: Iterable[Signature]) -> frozenset[Functor]:
    return frozenset(node.topic for node in nodes if node.name in _ANSWERS and node.topic)


def told_of(lab_program: Program) -> dict[str, list[str]]:
    """For each event the names of what can be asked when it happens."""
    lab = load_generator(program=lab_program)
    about = [
        GoalTemplate("goal(about(@kind({topic}))) :- is({topic},_).", (("is", 2),)),
        GoalTemplate("goal(about(@kind({topic}))) :- total({topic},_).", (("total", 2),)),
        GoalTemplate("goal(about(@kind({topic}))) :- illegal({topic},_).", (("illegal", 2),)),
        GoalTemplate("goal(about(@kind({topic}))) :- legal({topic}).", (("legal", 1),)),
        GoalTemplate("goal(about(@kind({topic}))) :- sees({topic}).", (("sees", 1),)),
    ]
    search = Search(lab, SearchBounds((Grid(2, 1),), SECTIONS), search_goal_for(lab, about))
    spots = {spot.event.name: spot for spot in search.spots(Grid(2, 1))}

    def told(event: str) -> str:
        run = GroundedRun(lab, search.bounds, spots[event], search.look, search.clock)
        return " ".join(sorted({goal.arguments[0].name for goal in run.goals}))

    events = list(spots)
    with run_jobs(
        lambda _, event: _bounded(told, GROUNDING, event), None, events, JobSettings(4)
    ) as names:
        return {events[number]: each.split() for number, each in names}


def _events(look_kinds: Iterable[Functor]) -> tuple[str, ...]:
    """The events that matter to these kinds; last those that are too large to tell."""
    names = {name for name, _ in look_kinds}
    events = _STATE["events"].items()
    sure = [event for event, told in events if names.intersection(told)]
    return (*sure, *(event for event, told in events if told == ["late"]))


# --- who notices it


def by_conflicts(
    mutant: Mutant, other: Program, near: frozenset[Functor], all_: frozenset[Functor]
) -> str:
    """A clash, or something to review, on a board where the rules as they are do not show it."""
    lab = load_generator(program=other)
    clock = Deadline(CONFLICTS * _STATE["longer"])
    late = False
    for only in (near, all_ - near):
        look = joined(
            search_goal_for(lab, [CLASH], only=only), search_goal_for(lab, [CONTESTED], only=only)
        )
        look = replace(look, evidence=evidence, events=_events(only))
        told: list[str] = []
        bounds = SearchBounds((Grid(2, 1),), _in_force(mutant))
        search = Search(lab, bounds, look, clock, 1, PATIENCE, told.append)
        for found, shown in search.soonest():
            if shown is None:
                late = True
                continue
            before = prepare(parse(shown.witness.text), _STATE["program"])
            if not ask(before, shown.witness.query, cite=False).holds:
                return f"yes: {found.goal} ({found.spot})"
    return "late" if late else "no"


def by_diff(mutant: Mutant, other: Program, near: frozenset[Functor]) -> str:
    """A question that the two answer differently."""
    if not near:
        return "none"
    rules = [
        RuleSet(name, each, _in_force(mutant), ())
        for name, each in (("old", _STATE["program"]), ("new", other))
    ]
    clock = Deadline(DIFF * _STATE["longer"])
    lab = load_generator(program=other)
    events = _events(near)
    rounds = [(Grid(2, 1), events)]
    if ("s", 2) in near:
        rounds.append((Grid(3, 2), ("sight",)))
    for grid, names in rounds:
        look = SearchGoal({}, events=names)
        search = Search(lab, SearchBounds((grid,)), look, clock, 1, PATIENCE)
        found = first_difference(rules[0], rules[1], search, near)
        if found is not None:
            doubt = f" DOUBT {found.doubt}" if found.doubt else ""
            board = "" if found.boards else " (no board in time)"
            return f"yes: {found.topic} {' / '.join(found.answers)} ({found.where}){board}{doubt}"
    return "no"


def by_prove(mutant: Mutant, other: Program) -> str:
    """A pair of the changed norms that is open in one of the two, and not in the other."""
    named = frozenset(mutant.norms) or _readers(mutant)
    ranks = {node.name for node in mutant.rule.heads} <= {"overrides"}
    clock = Deadline(PROVE * _STATE["longer"])
    sides = (_proofs_before(), _proofs(other))
    keys = sorted(
        key
        for key in {key for _, _, pairs in sides for key in pairs}
        if (named.issuperset(key[1:]) if ranks else named.intersection(key[1:]))
    )
    if not keys:
        return "none"
    for key in keys:
        if clock.over:
            return "late"
        told = [
            verdict_for(prover, pairs[key], kept) if key in pairs else "no pair"
            for prover, kept, pairs in sides
        ]
        if told[0] != told[1] and "open" in told:
            return f"yes: {' '.join(key)}: {told[0]} / {told[1]}"
    return "no"


_Proofs = tuple[Prover, KeptVerdicts, Mapping[tuple[str, str, str], NormPair]]


@cache
def _proofs_before() -> _Proofs:
    return _proofs(_STATE["program"])


def _proofs(program: Program) -> _Proofs:
    """What proves pairs of norms, what is kept of that, and the pairs."""
    prover = Prover(Encoding(program))
    pairs = {(each.kind, each.one, each.other): each for each in norm_pairs(prover.encoding)}
    return prover, KeptVerdicts(prover), pairs


def _readers(mutant: Mutant) -> frozenset[str]:
    """The norms whose rules read what a helper derives."""
    heads = {*mutant.rule.heads}
    rules = _STATE["program"].source.rules
    return frozenset(rule.norm for rule in rules if rule.norm and heads.intersection(rule.body))


class _EnoughError(Exception):
    """The first board is found."""


def by_impact(mutant: Mutant, other: Program) -> str:
    """A case with another answer, or else a board with one, as `lab impact` looks for them."""
    sides = with_sections(
        *(
            RuleSet(name, each, ("b23",), ())
            for name, each in (("old", _STATE["program"]), ("new", other))
        )
    )
    clock = Deadline(IMPACT * _STATE["longer"] * _CASES_SHARE)
    impact = impact_of(*sides)
    if impact.is_text_only:
        return "none"
    for path in impact.likely_first(_paths()):
        for each in changed_expectations(*sides, [path]):
            return f"yes: {path.stem}:{each.line}"
        if clock.over:
            break
    boards: list[Difference] = []

    def taken(found: object) -> None:
        assert isinstance(found, Difference)
        boards.append(found)
        if found.boards and not found.doubt:
            raise _EnoughError

    lab = load_generator(program=other)
    bounds = SearchBounds(GRIDS, sides[0].sections)
    with suppress(_EnoughError):
        # Its caller ends it in time: with a limit of its own it would need processes of its own.
        compared = compare_rule_sets(*sides, Search(lab, bounds, jobs=1, found=taken))
        if not boards:
            return "no" if compared.differences.whole else "late"
    last = boards[-1]
    return f"yes: board {last.topic} {' / '.join(last.answers)} ({last.where})"


def by_suite(mutant: Mutant, other: Program, number: int) -> str:
    """The first case with an expectation that fails."""
    spent = 0.0
    norms = _STATE["program"].norms
    paragraphs = {norms[each].paragraph for each in mutant.norms if each in norms}
    paragraphs |= {_file_paragraph(mutant.rule.file)}
    names = tuple(each.lower().replace(".", "_") for each in paragraphs)
    words = set(re.findall(r"[a-z_]{4,}", mutant.rule.text))

    def order(path: Path) -> tuple[int, int]:
        text = path.read_text("utf-8")
        alike = max(_alike(path.stem, name) for name in names)
        return -alike, -sum(word in text for word in words)

    for place, path in enumerate(sorted(_paths(), key=order)):
        likely = place < _LIKELY and path.stem.startswith(names)
        if not likely and number not in _hears(path):
            continue
        if spent > SUITE * _STATE["longer"]:
            return "late"
        started = time.process_time()
        if _fails(path, other):
            return f"yes: {path.stem}"
        spent += time.process_time() - started
    return "no"


def _alike(one: str, other: str) -> int:
    """With how many letters two names begin alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@cache
def _hears(path: Path) -> frozenset[int]:
    """The mutants of which a case can notice something."""
    changes = {n: Change(each.rule, each.text) for n, each in _STATE["made"].items()}
    sources = [path.read_bytes(), *(r.text.encode() for r in _STATE["program"].rules)]
    sources += [f"{n} {each.rule.text} {each.text}".encode() for n, each in changes.items()]
    told = memoize_on_disk(
        "hearing", sources, lambda: told_apart(path, _STATE["program"], changes), list
    )
    return frozenset(told)


def _paths() -> list[Path]:
    return sorted(CASES.glob("*.board"))


def _file_paragraph(file: str) -> str:
    chapter, number, *_ = Path(file).stem.upper().split("_")
    return f"{chapter}.{number}"


@cache
def _case(path: Path) -> Position:
    return load(path, _STATE["program"])


def _fails(path: Path, other: Program) -> bool:
    case = _case(path)
    try:
        cases = static_answer_sets(other.static, case.board_facts.symbols, case.board_facts.keys)
        changed = replace(case, program=other, cases=cases, _indexes={})
        return not cases or any(not each.passed for each in expectations(changed))
    except Exception:  # Who runs the suite sees a crash, too.
        return True


# --- running


_STATE: dict[str, Any] = {}


def _bounded(work: Callable[..., str], seconds: float, *given: object) -> str:
    """What a piece of work tells, in a process of its own, which is ended if it is much too late."""
    try:
        return call_isolated(work, *given, limits=Limits(seconds + 5, None))
    except (OutOfTime, TimeoutError, TooWide):
        return "late"
    except Exception as error:  # Any crash is a finding.
        return f"crash: {type(error).__name__}: {str(error)[:300]}"


def examined(numbered: tuple[int, Mutant], means: Sequence[str]) -> dict[str, Any]:
    """A mutant with all that is told of it by these means."""
    number, mutant = numbered
    one = _STATE["program"]
    source = mutant.source(one.source)
    row: dict[str, Any] = {
        "number": number,
        "kind": mutant.kind,
        "file": mutant.rule.file,
        "norm": mutant.rule.norm,
        "rule": mutant.rule.text,
        "mutant": mutant.text,
        "lint": None,
    }
    try:
        other = build(source)
    except (EngineError, SourceError, ValueError) as error:
        return {**row, "lint": f"does not load: {error}"}
    works: Mapping[str, Callable[[], str]] = {
        "suite": lambda: by_suite(mutant, other, number),
        "prove": lambda: _bounded(by_prove, PROVE * _STATE["longer"], mutant, other),
        "impact": lambda: _bounded(by_impact, IMPACT * _STATE["longer"], mutant, other),
        "diff": lambda: _bounded(
            by_diff, DIFF * _STATE["longer"], mutant, other, downstream(one, other, mutant)[0]
        ),
        "conflicts": lambda: _bounded(
            by_conflicts,
            CONFLICTS * _STATE["longer"],
            mutant,
            other,
            *downstream(one, other, mutant),
        ),
    }
    for name in means:
        started = time.monotonic()
        row[name] = works[name]()
        row[f"{name}_seconds"] = round(time.monotonic() - started, 1)
        if noticed(row) and not _STATE["all"]:
            break
    if mutant.kind == "dropped" and not noticed(row):
        # As where the section of the norm goes first anyway.
        row["same"] = mutant.rule.heads[0].name == "overrides" and precedence_pairs(
            one
        ) == precedence_pairs(other)
    if "suite" in means and not noticed(row):
        # It takes as long as many cases.
        faults = (each.message for each in lint(source))
        row["lint"] = next((each for each in faults if each not in _STATE["faults"]), None)
    return row


def noticed(row: Mapping[str, Any]) -> bool:
    """Whether any of the means noticed a mutant."""
    return any(str(row.get(each, "")).startswith("yes") for each in MEANS)


def _settled(row: Mapping[str, Any]) -> bool:
    """Whether nothing more is to be known of a mutant."""
    return noticed(row) or bool(row.get("same"))


def _examined(
    held: tuple[Sequence[str], dict[str, Any]], numbered: tuple[int, Mutant]
) -> dict[str, Any]:
    means, state = held
    # A worker of a cluster has it from here; a process of this machine has it already.
    _STATE.update(state)
    return examined(numbered, means)


def main() -> None:
    """Make mutants, try them, tell a row for each and a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument(
        "--sections", nargs="*", default=SECTIONS, help="of these, as folders of kb/"
    )
    parser.add_argument("--only", type=int, nargs="*", help="only those with these numbers")
    parser.add_argument("--longer", type=float, default=1, help="so many times the time for each")
    parser.add_argument("--all", action="store_true", help="all means for each mutant")
    parser.add_argument("--by", nargs="*", default=MEANS, choices=MEANS, help="by these alone")
    parser.add_argument("--into", type=Path, help="keep each row as a line of JSON in this file")
    parser.add_argument("--resume", action="store_true", help="take over what is kept there")
    parser.add_argument("--again", action="store_true", help="... of what was noticed alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cluster", metavar="ADDRESS", help="let a cluster of Dask do it")
    options = parser.parse_args()
    program = load_program()
    made = dict(
        islice(enumerate(mutants(program, options.seed, options.sections), 1), options.count)
    )
    if options.only:
        made = {number: made[number] for number in options.only}
    rows = _kept(options.into, made, options.again) if options.resume else {}
    _STATE.update(program=program, made=made, longer=options.longer, all=options.all)
    _STATE["faults"] = {fault.message for fault in lint(program.source)}
    passes: tuple[tuple[str, ...], ...] = (MEANS[:1], MEANS[1:2], MEANS[2:3], MEANS[3:])
    for means in passes:
        means = tuple(each for each in means if each in options.by)
        todo = {
            number: each
            for number, each in made.items()
            if (row := rows.get(number)) is None
            or not ((_settled(row) and not options.all) or row["lint"] or row.keys() >= {*means})
        }
        if not todo or not means:
            continue
        _prepare(means)
        jobs, held = JobSettings(options.jobs, options.cluster), (means, dict(_STATE))
        with run_jobs(_examined, held, todo.items(), jobs, in_order=False) as results:
            for _, row in results:
                rows[row["number"]] = {**rows.get(row["number"], {}), **row}
                _tell(rows[row["number"]], means, options.into)
    table([row for row in rows.values() if not row["lint"]])
    print(f"refused by the lint besides: {sum(bool(r['lint']) for r in rows.values())}")


def _prepare(means: Sequence[str]) -> None:
    """What the means need to know beforehand: which events show what."""
    started = time.monotonic()
    program = _STATE["program"]
    if "prove" in means:
        _proofs_before()
    if "diff" in means or "conflicts" in means:
        lab = load_generator(program=program)
        sources = [rule.text.encode() for rule in lab.rules]
        _STATE["events"] = memoize_on_disk("mutants", sources, lambda: told_of(program), dict)
        for event in lab.events:
            if event.layer != "question":
                # What rests on the board or on units alone has no need of a question.
                kinds = {node.topic[0] for node in lab.heads if node.topic}
                _STATE["events"][event.name] = sorted(kinds)
    print(f"{', '.join(means)}: set up in {time.monotonic() - started:.0f} s", file=sys.stderr)


def _kept(path: Path | None, made: Mapping[int, Mutant], again: bool) -> dict[int, dict[str, Any]]:
    """The rows that are kept of these mutants, those told last; `again`: of those noticed alone."""
    rows = {}
    for line in path.read_text("utf-8").splitlines() if path and path.exists() else ():
        row = json.loads(line)
        mutant = made.get(row["number"])
        if mutant and (row["rule"], row["mutant"]) == (mutant.rule.text, mutant.text):
            rows[row["number"]] = row
    return {n: row for n, row in rows.items() if row["lint"] or noticed(row) or not again}


def _tell(row: Mapping[str, Any], means: Sequence[str], into: Path | None) -> None:
    if into:
        with into.open("a", encoding="utf-8") as out:
            print(json.dumps(row), file=out)
    if not row["lint"]:
        told = "  ".join(f"{each}: {row[each]}" for each in means if each in row)
        head = f"{row['number']} {row['kind']} {row['norm']}"
        print(f"{head}\n  {row['rule']}\n  {row['mutant']}\n  {told}", flush=True)


def table(rows: Sequence[Mapping[str, Any]]) -> None:
    """How many of each kind each of the means noticed, and how many each alone of those tried."""
    print(
        f"{'kind':12}{'mutants':>8}"
        + "".join(f"{each:>10}" for each in MEANS)
        + "      same      none"
    )
    for kind in (*KINDS, "all"):
        own = [row for row in rows if kind in (row["kind"], "all")]
        count = Counter(
            each for row in own for each in MEANS if str(row.get(each)).startswith("yes")
        )
        figures = "".join(f"{count[each]:>10}" for each in MEANS)
        same = sum(bool(row.get("same")) for row in own)
        none = sum(not noticed(row) for row in own) - same
        print(f"{kind:12}{len(own):>8}{figures}{same:>10}{none:>10}")
    by = [tuple(each for each in MEANS if str(row.get(each)).startswith("yes")) for row in rows]
    print("alone: " + ", ".join(f"{each} {by.count((each,))}" for each in MEANS))
    for each in MEANS:
        seconds = sorted(row[f"{each}_seconds"] for row in rows if each in row) or [0]
        print(f"{each}: median {seconds[len(seconds) // 2]} s, most {seconds[-1]} s")


if __name__ == "__main__":
    # By its name, by which a cluster's workers find what is to be done; they have the checkout too.
    from tests.benchmarks import mutants as here

    here.main()
