"""How many slips in the rules are noticed, and by what: `python tests/benchmarks/mutants.py --count 100`.

A mutant is a copy of the knowledge base in which one rule of the five sections is wrong: a number changed,
an `overrides` or `lifts` dropped, a comparison turned, or two arguments swapped. Mutants that do not load are
left out, and so are those that the lint refuses, which are counted. For each of the others it is told
whether it is noticed by

- `lab conflicts`: a clash, or something to review, that the rules as they are do not show on that board
  (topics downstream of the rule, grid 2x1);
- `lab diff`: a question that the two answer differently (the topics next downstream of the rule; grid
  2x1, then 3x2 for sights);
- the cases in tests/cases: an expectation that fails (those that name or cite the paragraph first).

All three stop at the first that they notice, and when their time is over. `yes` is noticed, `no` is
searched to the end, `late` is out of time (or that of one goal), `none` is nothing to compare, as for a
rule that only says which setups are wrong. One row a mutant is printed as it is done; then a table.
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from clingo import ast

from rules_asp.answers.asking import ask
from rules_asp.bounds import Limits, TooWide, bounded, may_start
from rules_asp.cache import remember
from rules_asp.cases.exercise import cited
from rules_asp.cases.outcomes import expectations
from rules_asp.cli.files_out import begun, target
from rules_asp.jobs import Jobs, done
from rules_asp.knowledge.linting.checks import lint
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program, build
from rules_asp.knowledge.running import EngineError, cases_of, ground
from rules_asp.knowledge.source import Functor, Node, Rule, Source, SourceError, read_text
from rules_asp.lab.clashes import evidence
from rules_asp.lab.differences import Rules, first_difference
from rules_asp.lab.goals import CLASH, CONTESTED, Template, joined, looks
from rules_asp.lab.runs import Clock, Look, OutOfTime, Run
from rules_asp.lab.search import Search
from rules_asp.lab.world import Bounds, load_lab
from rules_asp.parser import parse
from rules_asp.positions.keeping import load
from rules_asp.positions.prepared import Position, position
from rules_asp.terms.board import Expect
from rules_asp.terms.grid import Grid

CASES = Path(__file__).parents[1] / "cases"
SECTIONS = ("b23", "pb4", "pb6", "brt7", "abtf3")
KINDS = ("number", "dropped", "comparison", "swapped")
#: Seconds for each goal, and for each of the three.
PATIENCE, CONFLICTS, DIFF, SUITE, GROUNDING = 3.0, 20.0, 30.0, 40.0, 40.0
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

    def source(self, source: Source) -> Source:
        """The knowledge base with it."""
        new, _ = read_text(self.text, self.rule.file)
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
        for kind in ("number", "comparison", "swapped"):
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
            source = mutant.source(program.source)
            # That it can be grounded at all, no variable is unsafe.
            made = build(source)
            ground(made.defined, *(each.text for each in made.rules))
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
        start = {Node("is", 2, each) for each in near}
    else:
        near = _kinds(_closed((*one.rules, *other.rules), start, _ANSWERS))
    return near, near | _kinds(_closed((*one.rules, *other.rules), start))


def _heads(program: Program, mutant: Mutant) -> Iterator[Node]:
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
    rules: Iterable[Rule], start: Iterable[Node], but: frozenset[str] = frozenset()
) -> set[Node]:
    """All that rests on these; it ends at predicates named in `but`."""
    reading: dict[Node, list[Node]] = {}
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


def _kinds(nodes: Iterable[Node]) -> frozenset[Functor]:
    return frozenset(node.topic for node in nodes if node.name in _ANSWERS and node.topic)


def told_of(lab_program: Program) -> dict[str, list[str]]:
    """For each event the names of what can be asked when it happens."""
    lab = load_lab(program=lab_program)
    about = [
        Template("goal(about(@kind({topic}))) :- is({topic},_).", (("is", 2),)),
        Template("goal(about(@kind({topic}))) :- total({topic},_).", (("total", 2),)),
        Template("goal(about(@kind({topic}))) :- illegal({topic},_).", (("illegal", 2),)),
        Template("goal(about(@kind({topic}))) :- legal({topic}).", (("legal", 1),)),
        Template("goal(about(@kind({topic}))) :- sees({topic}).", (("sees", 1),)),
    ]
    search = Search(lab, Bounds((Grid(2, 1),), SECTIONS), looks(lab, about))
    spots = {spot.event.name: spot for spot in search.spots(Grid(2, 1))}

    def told(event: str) -> str:
        run = Run(lab, search.bounds, spots[event], search.look, search.clock)
        return " ".join(sorted({goal.arguments[0].name for goal in run.goals}))

    events = list(spots)
    with done(lambda _, event: _bounded(told, GROUNDING, event), None, events, Jobs(4)) as names:
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
    lab = load_lab(program=other)
    clock = Clock(CONFLICTS * _STATE["longer"])
    late = False
    for only in (near, all_ - near):
        look = joined(looks(lab, [CLASH], only=only), looks(lab, [CONTESTED], only=only))
        look = replace(look, evidence=evidence, events=_events(only))
        told: list[str] = []
        bounds = Bounds((Grid(2, 1),), _in_force(mutant))
        search = Search(lab, bounds, look, clock, 1, PATIENCE, told.append)
        for found, shown in search.soonest():
            if shown is None:
                late = True
                continue
            before = position(parse(shown.witness.text), _STATE["program"])
            if not ask(before, shown.witness.query, cite=False).holds:
                doubt = f" DOUBT {shown.doubt}" if shown.doubt else ""
                return f"yes: {found.goal} ({found.spot}){doubt}"
    return "late" if late else "no"


def by_diff(mutant: Mutant, other: Program, near: frozenset[Functor]) -> str:
    """A question that the two answer differently."""
    if not near:
        return "none"
    rules = [
        Rules(name, each, _in_force(mutant), ())
        for name, each in (("old", _STATE["program"]), ("new", other))
    ]
    clock = Clock(DIFF * _STATE["longer"])
    lab = load_lab(program=other)
    events = _events(near)
    rounds = [(Grid(2, 1), events)]
    if ("s", 2) in near:
        rounds.append((Grid(3, 2), ("sight",)))
    for grid, names in rounds:
        look = Look({}, events=names)
        search = Search(lab, Bounds((grid,)), look, clock, 1, PATIENCE)
        found = first_difference(rules[0], rules[1], search, near)
        if found is not None:
            doubt = f" DOUBT {found.doubt}" if found.doubt else ""
            board = "" if found.boards else " (no board in time)"
            return f"yes: {found.topic} {' / '.join(found.answers)} ({found.where}){board}{doubt}"
    return "no"


def by_suite(mutant: Mutant, other: Program) -> str:
    """The first case with an expectation that fails."""
    end = time.monotonic() + SUITE * _STATE["longer"]
    norms = _STATE["program"].norms
    paragraphs = {norms[each].paragraph for each in mutant.norms if each in norms}
    paragraphs |= {_file_paragraph(mutant.rule.file)}
    names = tuple(each.lower().replace(".", "_") for each in paragraphs)
    paths = sorted(CASES.glob("*.board"))
    likely = [path for path in paths if path.stem.startswith(names) or paragraphs & _cited(path)]
    section = _section(mutant.rule)
    own = [path for path in paths if path.stem.startswith(section) and path not in likely]
    words = set(re.findall(r"[a-z_]{4,}", mutant.rule.text))

    def order(path: Path) -> tuple[bool, int]:
        text = path.read_text("utf-8")
        return not path.stem.startswith(names), -sum(word in text for word in words)

    for path in [*sorted(likely, key=order), *sorted(own, key=order)]:
        if time.monotonic() > end:
            return "late"
        if _fails(path, other):
            return f"yes: {path.stem}"
    return "no"


def _file_paragraph(file: str) -> str:
    chapter, number, *_ = Path(file).stem.upper().split("_")
    return f"{chapter}.{number}"


@cache
def _case(path: Path) -> Position:
    return load(path, _STATE["program"])


@cache
def _cited(path: Path) -> frozenset[str]:
    board = parse(path.read_text("utf-8"))
    expects = (each for each in board.statements if isinstance(each, Expect))
    return frozenset(paragraph for each in expects for paragraph in cited(each))


def _fails(path: Path, other: Program) -> bool:
    case = _case(path)
    try:
        cases = cases_of(other.static(case.board_facts.keys), case.board_facts.symbols)
        changed = replace(case, program=other, cases=cases, _indexes={})
        return not cases or any(not each.passed for each in expectations(changed))
    except (EngineError, ValueError):
        return True


# --- running


_STATE: dict[str, Any] = {}


def _bounded(work: Callable[..., str], seconds: float, *given: object) -> str:
    """What a piece of work tells, in a process of its own, which is ended if it is much too late.

    Most workers of a cluster may start none: there each goal has its time, and no more is held.
    """
    try:
        if not may_start():
            return work(*given)
        return bounded(work, *given, limits=Limits(seconds + 5, None))
    except (OutOfTime, TimeoutError, TooWide):
        return "late"
    except Exception as error:  # Any crash is a finding.
        return f"crash: {type(error).__name__}: {str(error)[:300]}"


def examined(numbered: tuple[int, Mutant]) -> dict[str, object]:
    """A mutant with all that is told of it."""
    number, mutant = numbered
    one = _STATE["program"]
    source = mutant.source(one.source)
    other = build(source)
    near, all_ = downstream(one, other, mutant)
    row: dict[str, object] = {
        "number": number,
        "kind": mutant.kind,
        "file": mutant.rule.file,
        "norm": mutant.rule.norm,
        "rule": mutant.rule.text,
        "mutant": mutant.text,
        "near": sorted(name for name, _ in near),
    }
    row["lint"] = next(
        (each.message for each in lint(source) if each.message not in _STATE["faults"]), None
    )
    if row["lint"]:
        return row
    works: Sequence[tuple[str, Callable[[], str]]] = (
        ("diff", lambda: _bounded(by_diff, DIFF * _STATE["longer"], mutant, other, near)),
        ("suite", lambda: by_suite(mutant, other)),
        (
            "conflicts",
            lambda: _bounded(by_conflicts, CONFLICTS * _STATE["longer"], mutant, other, near, all_),
        ),
    )
    for name, work in works:
        started = time.monotonic()
        row[name] = work()
        row[f"{name}_seconds"] = round(time.monotonic() - started, 1)
    return row


def _examined(state: dict[str, Any], numbered: tuple[int, Mutant]) -> dict[str, Any]:
    # A worker of a cluster has it from here; a process of this machine has it already.
    _STATE.update(state)
    return examined(numbered)


def _header(options: argparse.Namespace) -> str:
    """What the rows of a file are of: which mutants of which rules, tried for how long."""
    program: Program = _STATE["program"]
    digest = sha256("\n".join(rule.text for rule in program.rules).encode())
    of = (options.seed, sorted(options.sections), options.longer, digest.hexdigest()[:16])
    return f"{json.dumps({'mutants': of})}\n"


def main() -> None:
    """Make mutants, try them, print a row for each and a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument(
        "--sections", nargs="*", default=SECTIONS, help="of these, as folders of kb/"
    )
    parser.add_argument("--only", type=int, nargs="*", help="only those with these numbers")
    parser.add_argument("--longer", type=float, default=1, help="so many times the time for each")
    parser.add_argument("--json", action="store_true", help="each row as a line of JSON")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cluster", metavar="ADDRESS", help="let a cluster of Dask do it")
    parser.add_argument("-o", "--output", type=Path, help="keep each row in a file, as JSON")
    parser.add_argument("--resume", action="store_true", help="go on with that file")
    options = parser.parse_args()
    started = time.monotonic()
    program = load_program()
    _STATE["program"] = program
    sources = [rule.text.encode() for rule in load_lab(program=program).rules]
    _STATE["events"] = remember("mutants", sources, lambda: told_of(program), dict)
    lab = load_lab(program=program)
    for event in lab.events:
        if event.layer != "question":
            # What rests on the board or on units alone has no need of a question.
            kinds = {node.topic[0] for node in lab.heads if node.topic}
            _STATE["events"][event.name] = sorted(kinds)
    print(f"set up in {time.monotonic() - started:.0f} s", file=sys.stderr)
    _STATE["faults"] = {fault.message for fault in lint(program.source)}
    made = mutants(program, options.seed, options.sections)
    _STATE["longer"] = options.longer
    with ExitStack() as open_:
        path = target(str(options.output or "") or None, options.resume, not options.resume)
        known = _known(open_, path, options)
        chosen = (
            each
            for each in islice(enumerate(made, 1), options.count)
            if each[0] not in known and (not options.only or each[0] in options.only)
        )
        jobs = Jobs(options.jobs, options.cluster)
        with done(_examined, dict(_STATE), chosen, jobs, in_order=False) as results:
            for _, row in results:
                known[row["number"]] = row
                if options.file:
                    options.file.write(f"{json.dumps(row)}\n".encode())
                    options.file.flush()
                if options.json:
                    print(json.dumps(row), flush=True)
                elif not row["lint"]:
                    means = ("diff", "suite", "conflicts")
                    told = "  ".join(f"{each}: {row[each]}" for each in means)
                    head = f"{row['number']} {row['kind']} {row['norm']}"
                    print(f"{head}\n  {row['rule']}\n  {row['mutant']}\n  {told}", flush=True)
    rows = [row for row in known.values() if not row["lint"]]
    table(rows, len(known) - len(rows))


def _known(
    open_: ExitStack, path: Path | None, options: argparse.Namespace
) -> dict[int, dict[str, Any]]:
    """The rows, by number, that a file has already; it is left open for more."""
    options.file = None
    if path is None:
        return {}
    options.file, count = begun(open_, path, _header(options), options.resume)
    rows = map(json.loads, path.read_text("utf-8").splitlines()[1:]) if count else ()
    return {row["number"]: row for row in rows}


def table(rows: Sequence[dict[str, Any]], refused: int) -> None:
    """How many of each kind each of the three noticed."""
    out = sys.stderr
    means = ("conflicts", "diff", "suite")
    print(
        f"{'kind':12}{'mutants':>8}" + "".join(f"{each:>10}" for each in means) + "      none",
        file=out,
    )
    for kind in (*KINDS, "all"):
        own = [row for row in rows if kind in (row["kind"], "all")]
        noticed = Counter(each for row in own for each in means if row[each].startswith("yes"))
        none = sum(not any(row[each].startswith("yes") for each in means) for row in own)
        figures = "".join(f"{noticed[each]:>10}" for each in means)
        print(f"{kind:12}{len(own):>8}{figures}{none:>10}", file=out)
    print(f"refused by the lint besides: {refused}", file=out)
    for each in means:
        seconds = sorted(row[f"{each}_seconds"] for row in rows) or [0]
        print(f"{each}: median {seconds[len(seconds) // 2]} s, most {seconds[-1]} s", file=out)


if __name__ == "__main__":
    # By its name, by which a cluster's workers find what is to be done; they have the checkout too.
    from tests.benchmarks import mutants as here

    here.main()
