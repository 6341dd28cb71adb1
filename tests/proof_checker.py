"""A checker of proofs that uses no code of rules_asp.

    python tests/proof_checker.py PROOF.json KB FACTS ANSWER

PROOF is what `rules-asp why --json` prints, KB the folder of the rules, FACTS what the board and the
question state and ANSWER what holds in the answer set, both one atom a line (`rules-asp program BOARD
QUERY` gives a program that plain clingo computes it with).  Of rules_asp nothing is used; clingo reads
the rules as written.

Every step must name a rule of which it is an instance: each positive literal one of the steps below, in
order, each negative one absent from the answer, comparisons and aggregates worked out anew.  A step without
a rule must be a fact.  No step may rest on itself.
"""

import json
import operator
import re
import sys
from collections import defaultdict
from hashlib import sha256
from itertools import product
from pathlib import Path

from clingo import Function, Number, SymbolType, ast, parse_term

COMPARE = dict(enumerate(map(vars(operator).get, ("gt", "lt", "le", "ge", "ne", "eq"))))
KEYS = {"id", "atom", "origin", "norm", "rule", "because", "counted", "absent", "beside", "aside"}
LINKS = ("because", "counted", "beside", "aside")
QUESTIONS = ("asked", "asked_deed", "sought")
T = ast.ASTType


class Flaw(Exception):
    """What is wrong with a proof, and in which step."""


def evaluate(term, env):
    """All values of a term: several of an interval, none where a variable is free or nothing comes out."""
    kind = term.ast_type
    if kind == T.SymbolicTerm:
        return [term.symbol]
    if kind == T.Variable:
        return [env[term.name]] if term.name in env else []
    if kind == T.Function:
        return [
            Function(term.name, each)
            for each in product(*(evaluate(a, env) for a in term.arguments))
        ]
    if kind == T.Interval:
        ends = product(evaluate(term.left, env), evaluate(term.right, env))
        return [Number(n) for low, high in ends for n in range(low.number, high.number + 1)]
    parts = [term.argument] if kind == T.UnaryOperation else [term.left, term.right]
    found = product(*(evaluate(each, env) for each in parts))
    return [
        Number(value)
        for each in found
        if all(one.type == SymbolType.Number for one in each)
        for value in calculate(kind, term.operator_type, *(one.number for one in each))
    ]


def calculate(kind, how, one, other=0):
    if kind == T.UnaryOperation:
        return {0: [-one], 2: [abs(one)]}[how]
    if how in (6, 7) and other == 0:
        return []
    whole = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1) if other else 0
    made = {3: one + other, 4: one - other, 5: one * other, 6: whole, 7: one - whole * other}
    return [made[how]]


def match(term, symbol, env):
    """The ways in which a term is this symbol, as what its variables then stand for."""
    kind = term.ast_type
    if kind == T.Variable and term.name not in env:
        yield env if term.name == "_" else {**env, term.name: symbol}
    elif kind == T.Function and (term.arguments or term.name == ""):
        same = symbol.type == SymbolType.Function and symbol.name == term.name
        if same and len(symbol.arguments) == len(term.arguments):
            ways = [env]
            for inner, one in zip(term.arguments, symbol.arguments, strict=True):
                ways = [more for way in ways for more in match(inner, one, way)]
            yield from ways
    elif not bound(term, env):  # arithmetic, before its variables are known
        yield {**env, (str(term), symbol): term}
    elif symbol in evaluate(term, env):
        yield env


def bound(term, env):
    return all(name in env for name in variables(term))


def variables(node):
    if node.ast_type == T.Variable:
        yield node.name
    for key in node.child_keys:
        value = getattr(node, key)
        for child in [value] if isinstance(value, ast.AST) else value or ():
            yield from variables(child)


class Answer:
    """The atoms of an answer set, found by name and by any argument."""

    def __init__(self, atoms):
        self.atoms = set(atoms)
        self.by = {(): defaultdict(list)}
        for atom in self.atoms:
            self.by[()][atom.name, len(atom.arguments)].append(atom)

    def among(self, functor, place, value):
        """The atoms of a functor that have this value in a place."""
        if (functor, place) not in self.by:
            self.by[functor, place] = defaultdict(list)
            for atom in self.by[()].get(functor, ()):
                self.by[functor, place][atom.arguments[place]].append(atom)
        return self.by[functor, place].get(value, ())

    def like(self, term, env):
        """The ways in which an atom of a rule holds."""
        functor = (
            (term.name, len(term.arguments)) if term.ast_type == T.Function else (str(term), 0)
        )
        found = self.by[()].get(functor, ())
        for place, each in enumerate(term.arguments if functor[1] else ()):
            if bound(each, env) and len(values := evaluate(each, env)) == 1:
                found = min(found, self.among(functor, place, values[0]), key=len)
        for atom in found:
            yield from ((atom, way) for way in match(term, atom, env))

    def solve(self, literals, env, premises=None):
        """The ways in which a body holds; its plain atoms are these premises, if there are any."""
        for number, literal in enumerate(literals):
            rest = literals[:number] + literals[number + 1 :]
            if is_atom(literal):
                term = literal.atom.symbol
                if premises is None:
                    found = [way for _, way in self.like(term, env)]
                else:
                    found = match(term, premises[0], env)
                for way in found:
                    yield from self.solve(rest, way, premises and premises[1:])
                return
        env = self.settled(env)
        if env is None:
            return
        for number, literal in enumerate(literals):
            ways = self.holds(literal, env)
            if ways is not None:
                rest = literals[:number] + literals[number + 1 :]
                for way in ways:
                    yield from self.solve(rest, way, premises)
                return
        if not literals and not any(isinstance(name, tuple) for name in env):
            yield env

    def settled(self, env):
        """The variables, where all that was left to be calculated, and now can be, comes out right."""
        for (_, symbol), term in [each for each in env.items() if isinstance(each[0], tuple)]:
            if bound(term, env):
                if symbol not in evaluate(term, env):
                    return None
                env = {name: value for name, value in env.items() if value is not term}
        return env

    def holds(self, literal, env):
        """The ways in which what is no plain atom holds; None while its variables are not known."""
        if literal.ast_type == T.ConditionalLiteral:
            ways = self.solve(list(literal.condition), env)
            return [env] if all(self.holds(literal.literal, way) for way in ways) else []
        atom = literal.atom
        if atom.ast_type == T.SymbolicAtom:
            if literal.sign == ast.Sign.NoSign:
                return [way for _, way in self.like(atom.symbol, env)]
            if any(name != "_" and name not in env for name in variables(atom.symbol)):
                return None
            return [] if any(True for _ in self.like(atom.symbol, env)) else [env]
        if atom.ast_type == T.Comparison:
            return compare(atom.term, [(each.comparison, each.term) for each in atom.guards], env)
        value = self.aggregate(atom, env)
        left, right = atom.left_guard, atom.right_guard
        first = None if left is None else compare(left.term, [(left.comparison, value)], env)
        if right is None or not first:
            return (
                first if left is not None else compare(value, [(right.comparison, right.term)], env)
            )
        return [
            way for one in first for way in compare(value, [(right.comparison, right.term)], one)
        ]

    def aggregate(self, atom, env):
        tuples = set()
        for element in atom.elements:
            for way in self.solve(list(element.condition), env):
                terms = getattr(element, "terms", None)
                if terms is None:  # { atom : condition }
                    tuples |= {(each,) for each, _ in self.like(element.literal.atom.symbol, way)}
                else:
                    tuples |= set(product(*(evaluate(each, way) for each in terms)))
        how = getattr(atom, "function", 0)
        firsts = [each[0] for each in tuples if each]
        if how == 0:
            return as_term(Number(len(tuples)))
        if how == 1:
            return as_term(Number(sum(each.number for each in firsts)))
        return as_term({3: min, 4: max}[how](firsts))

    def counted(self, body, env):
        """What the aggregates of a body range over: the atoms of each condition that holds."""
        found = set()
        for literal in body:
            for element in getattr(getattr(literal, "atom", None), "elements", ()):
                alone = [] if hasattr(element, "terms") else [element.literal]
                condition = [*alone, *element.condition]
                atoms = [each for each in condition if is_atom(each)]
                for way in self.solve(condition, env) if atoms else ():
                    for each in atoms:
                        symbol = each.atom.symbol
                        found |= set(
                            evaluate(symbol, way) or [atom for atom, _ in self.like(symbol, way)]
                        )
        return found


def as_term(symbol):
    return ast.SymbolicTerm(ast.Location(*[ast.Position("", 1, 1)] * 2), symbol)


def compare(left, guards, env):
    """The ways in which a comparison holds: an equation may say what a variable is."""
    for how, right in guards:
        for one, other in ((left, right), (right, left)):
            if how == 5 and not bound(one, env) and bound(other, env):
                return [way for value in evaluate(other, env) for way in match(one, value, env)]
        if not (bound(left, env) and bound(right, env)):
            return None
        pairs = product(evaluate(left, env), evaluate(right, env))
        if not any(COMPARE[how](*pair) for pair in pairs):
            return []
        left = right
    return [env]


def is_atom(literal):
    plain = literal.ast_type == T.Literal and literal.sign == ast.Sign.NoSign
    return plain and literal.atom.ast_type == T.SymbolicAtom


def rules_of(folder):
    """The rules as written, by file and line, each with the norm that it stands under."""
    found = defaultdict(list)
    for path in sorted(Path(folder).rglob("*.lp")):
        name = path.relative_to(folder).as_posix()
        norm = None

        def statement(node, name=name):
            nonlocal norm
            if node.ast_type == T.Comment:
                tag = re.match(r"%@\s+(\S+)", node.value)
                norm = tag[1] if tag else None if node.value.startswith("% ---") else norm
            elif node.ast_type == T.Rule:
                place = f"{name}:{node.location.begin.line}"
                found[place] += [(each, norm) for each in node.unpool()]

        ast.parse_files([str(path)], statement)
    return found


class Checker:
    def __init__(self, rules, facts, answer):
        self.rules, self.facts, self.answer = rules, set(facts), Answer(answer)
        self.norms = {norm for each in rules.values() for _, norm in each}

    def check(self, proof):
        """Flaw for what is wrong with a proof."""
        steps = {step["id"]: step for step in proof["steps"]}
        if len(steps) != len(proof["steps"]) or not set(proof["goals"]) <= set(steps):
            raise Flaw("steps or goals are missing, or told twice")
        for step in steps.values():
            if set(step) != KEYS or step["id"] != identity(step["atom"]):
                raise Flaw(f"{step['id']} is no step, or not the step of {step['atom']}")
            if missing := {each for key in LINKS for each in step[key]} - set(steps):
                raise Flaw(f"{step['atom']} rests on {missing}, which are told nowhere")
            self.step(step, steps)
        told, todo = set(), list(proof["goals"])
        while todo:
            each = todo.pop()
            if each not in told:
                told.add(each)
                todo += [below for key in LINKS for below in steps[each][key]]
        if told != set(steps):
            raise Flaw("steps stand beside the proof")
        grounded(steps)

    def step(self, step, steps):
        atom = parse_term(step["atom"])
        if atom not in self.answer.atoms:
            raise Flaw(f"{atom} does not hold")
        if step["origin"] != "rule":
            self.fact(step, atom)
            return
        because = [parse_term(steps[each]["atom"]) for each in step["because"]]
        counted = {parse_term(steps[each]["atom"]) for each in step["counted"]}
        absent = set(map(parse_term, step["absent"]))
        for rule, norm in self.rules.get(step["rule"], ()):
            if norm == step["norm"] and self.instance(rule, atom, because, counted, absent):
                return
        raise Flaw(f"{atom} is no instance of {step['rule']} from {list(map(str, because))}")

    def fact(self, step, atom):
        """A fact of the board or the question; what is supposed, of what could be."""
        kinds = {"board": atom.name != "abduced", "question": atom.name != "abduced"}
        kinds["abduced"] = atom.name == "abduced"
        stated = atom in self.facts or step["origin"] == "abduced"
        if atom.name in QUESTIONS and not stated:  # one of those that are sought
            stated = any(
                each.name == "sought" and fits_in(each.arguments[0], atom.arguments[0])
                for each in self.facts
            )
        if atom.name == "norm":  # of which paragraph a norm is
            norm, paragraph = (each.string for each in atom.arguments)
            stated = norm in self.norms and norm.startswith(paragraph)
        if atom.name == "ranked":  # that somebody is before or behind it, whoever
            ranks = self.answer.by[()].get(("wins", 2), ())
            stated = any(atom.arguments[0] in each.arguments for each in ranks)
        if atom.name == "asked_adjacent":  # what is asked about has no premises, even by a rule
            stated = True
        bare = not any(step[key] for key in ("norm", "rule", "absent", *LINKS))
        if not (stated and bare and kinds.get(step["origin"])):
            raise Flaw(f"{atom} is no fact")

    def instance(self, rule, atom, because, counted, absent):
        body = list(rule.body)
        if re.search(r"\bPattern\b", str(rule)):
            return self.sought(atom, because)
        if rule.head.ast_type != T.Literal or sum(map(is_atom, body)) != len(because):
            return False
        for env in self.answer.solve(body, {}, because):
            heads = evaluate(rule.head.atom.symbol, env)
            denied = {
                value
                for each in body
                if each.ast_type == T.Literal
                and each.sign != ast.Sign.NoSign
                and "_" not in variables(each)
                for value in evaluate(each.atom.symbol, env)
            }
            if atom in heads and denied == absent and self.answer.counted(body, env) == counted:
                return True
        return False

    def sought(self, atom, because):
        """What is asked where something is sought: the rule that is written once for all forms.

        Of the rest of its body, what fits each place, it is checked that it is told.
        """
        patterns = [each for each in because if each.name == "sought"]
        return atom.name in QUESTIONS and any(
            fits(pattern.arguments[0], atom.arguments[0]) for pattern in patterns
        )


def fits(pattern, form):
    if str(pattern) == "any" or pattern == form:
        return True
    same = pattern.type == form.type == SymbolType.Function and pattern.name == form.name
    return (
        same
        and len(pattern.arguments) == len(form.arguments) > 0
        and all(map(fits, pattern.arguments, form.arguments))
    )


def fits_in(pattern, form):
    """Whether a form is the one that is sought, or stands in it where something is left open."""
    inside = pattern.arguments if pattern.type == SymbolType.Function else ()
    return fits(pattern, form) or any(fits_in(each, form) for each in inside)


def identity(atom):
    return f"s{sha256(atom.encode()).hexdigest()[:10]}"


def grounded(steps):
    """Flaw where a step rests on itself."""
    safe, left = set(), dict(steps)
    while left:
        new = {i for i, each in left.items() if {*each["because"], *each["counted"]} <= safe}
        if not new:
            raise Flaw("steps rest on each other in a circle")
        safe |= new
        left = {i: each for i, each in left.items() if i not in new}


def main(proof, folder, facts, answer):
    atoms = (
        [parse_term(line) for line in Path(f).read_text().split("\n") if line]
        for f in (facts, answer)
    )
    Checker(rules_of(folder), *atoms).check(json.loads(Path(proof).read_text()))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Flaw as flaw:
        sys.exit(f"flaw: {flaw}")
