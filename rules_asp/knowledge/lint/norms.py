"""Checks of precedence, topic cycles, and references in tags.

Every named rule number of an included section must have a norm; a named norm or ruling must have a
tag. The general rules, A to H, are not all included, so their numbers may be named. A code of an
unknown list, such as (T42), is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.instantiation import instantiate_calculus, topic_cycles
from rules_asp.knowledge.lint.base import (
    PLACE,
    Fault,
    KbView,
    SourceStatement,
    functor,
    string,
)
from rules_asp.knowledge.program import declared_signatures
from rules_asp.knowledge.rules import SIGHT, WRITTEN_ONCE, Functor

# --- Checks of norms: precedence has an effect and no cycles, and no certain answer uses unknown
# values.


#: Atoms that hold only if their topic is known.
_READING = frozenset(("is", "value", "total", "sees", "legal"))
_ASKING = frozenset(("is_unknown", "unknown"))

Edges = dict[tuple[str, str], SourceStatement]


def cyclic_topics(base: KbView) -> Iterator[Fault]:
    """Yield topics that depend on themselves."""
    given = [
        node
        for kind in ("input", "setting", "measured")
        for node in declared_signatures(base.source, kind)
    ]
    rules = instantiate_calculus(base.source, given)
    for knot in topic_cycles(rules):
        topics = {node.topic for node in knot if node.topic}
        speaking = (
            rule
            for rule in rules
            if rule.file not in WRITTEN_ONCE and any(head.topic in topics for head in rule.heads)
        )
        rule = next(speaking)
        about = sorted({topic[0] for topic in topics})
        yield Fault(
            rule.file,
            rule.line,
            f"the rules are circular: these topics depend on themselves: {', '.join(about)}",
        )


def precedence_cycles(base: KbView) -> Iterator[Fault]:
    """Yield norms that override themselves through overrides, rulings, amends, lifts or yields."""
    wins = _wins(base)
    told = set()
    for circle, statement in _circles(wins):
        told.add(circle)
        yield statement.fault(
            f"the precedence is circular: these rules override each other: {', '.join(sorted(circle))}"
        )
    heads = frozenset(each.name for each in calculus().asserting)
    speaks, acts = _spoken(base, heads), _spoken(base, heads | {"lifts"})
    all_wins = _closed(wins)
    lifts, yields = _lifts(base), _yields(base)
    for topic in sorted({*lifts, *yields}):
        edges = {**yields.get(topic, {}), **lifts.get(topic, {})}
        for (one, two), statement in all_wins.items():
            if topic in speaks.get(one, ()) and topic in acts.get(two, ()):
                edges.setdefault((one, two), statement)
        for circle, statement in _circles(edges):
            if circle not in told:
                told.add(circle)
                names = ", ".join(sorted(circle))
                yield statement.fault(
                    f"the precedence is circular: these rules override each other on {topic[0]}: {names}"
                )


def precedence_without_effect(base: KbView) -> Iterator[Fault]:
    """Yield overrides, rulings or lifts between norms that are never about one kind of topic."""
    heads = frozenset(each.name for each in calculus().asserting)
    speaks, acts = _spoken(base, heads), _spoken(base, heads | {"lifts"})
    clears = {norm for norm, topics in _spoken(base, {"clears"}).items() if SIGHT in topics}
    seen = {
        norm
        for norm, topics in _spoken(base, {"blocks", "hinders", "silent"}).items()
        if SIGHT in topics
    }
    blocks = {norm for norm, topics in _spoken(base, {"blocks"}).items() if SIGHT in topics}
    wins = _wins(base)
    below: dict[str, set[str]] = {}
    for one, two in _closed(wins):
        below.setdefault(one, set()).add(two)
    for (one, two), statement in wins.items():
        if statement.heads[0].name == "amends":
            continue
        losers = {two, *below.get(two, ())}
        common = any(speaks.get(one, set()) & acts.get(loser, set()) - {SIGHT} for loser in losers)
        # A blocked LOS stays blocked; a clearing norm no longer contests it.
        sights = (one in clears and losers & seen) or (one in blocks and losers & clears)
        if not common and not sights:
            yield statement.fault(
                f"{one} over {two} does nothing: no kind of topic is spoken of by both"
                " (a sight must be cleared, or the norm lifted)"
            )
    ousted = {licence for edges in _yields(base).values() for _, licence in edges}
    for licence, statement in _yielding(base):
        if licence not in ousted:
            yield statement.fault(
                f"{licence} yields without effect, because no other rule forbids what it permits"
            )
    on_sights = _spoken(base, {"blocks", "hinders", "silent", "clears", "lifts"})
    for topic, edges in _lifts(base).items():
        table = on_sights if topic == SIGHT else acts
        for (one, two), statement in edges.items():
            if topic not in table.get(two, ()):
                yield statement.fault(
                    f"{one} lifts {two} from {topic[0]}, of which {two} does not speak"
                )


def idle_rulings(base: KbView) -> Iterator[Fault]:
    """Yield rulings without effect: the winner also wins in other ways."""
    rulings: dict[str, dict[tuple[str, str], SourceStatement]] = {}
    for each, atom in base.deriving("ruling"):
        if all(map(atom.string, (0, 1, 2))):
            ruling, one, two = (str(atom.string(place)) for place in (0, 1, 2))
            rulings.setdefault(ruling, {})[one, two] = each
    for ruling, pairs in rulings.items():
        others = _closed(_wins(base, ruling))
        for (one, two), statement in pairs.items():
            if (one, two) in others:
                yield statement.fault(
                    f"{ruling} has no effect: without it, {one} still overrides {two}"
                )


def unfounded_precedence(base: KbView) -> Iterator[Fault]:
    """Yield norms that override a printed norm without a stated reason.

    kb/precedence.lp gives the words of the text for each. Interpretations, rulings, norms that
    depend on a ruling, assumed norms, and norms of no printed section need no reason.
    """
    ways = {str(atom.terms[0]) for _, atom in base.deriving("how_first")}
    said: dict[str, SourceStatement] = {}
    for each, atom in base.deriving("goes_first"):
        norm = atom.string(0)
        if norm is None:
            continue
        if norm in said:
            yield each.fault(f"goes_first is stated twice for {norm}: keep one of the two facts")
        if str(atom.terms[1]) not in ways:
            yield each.fault(
                f"{atom.terms[1]} is not a reason for goes_first; use {', '.join(sorted(ways))}"
            )
        said[norm] = each
    ruled = {
        head
        for each in base.statements
        for head in each.rule.heads
        if each.rule.norm and each.rule.norm.startswith("R-") and head.name != "ruling"
    }
    wanting: dict[str, SourceStatement] = {}
    for each, atom in base.deriving("overrides", "lifts"):
        if not ruled & set(each.rule.body):
            one, two = atom.string(0), atom.string(1)
            if one and two and _printed(base, one) and _printed(base, two):
                wanting.setdefault(one, each)
    for norm, each in wanting.items():
        mark = base.norms[norm]
        if norm not in said and not mark.reading:
            yield each.fault(
                f"{norm} wins over a printed norm: say by what words, by goes_first, or mark it (reading)"
            )
    for norm, each in said.items():
        if norm not in wanting:
            yield each.fault(
                f"{norm} overrides no printed rule, so its goes_first fact is not needed"
            )
        elif base.norms[norm].reading:
            yield each.fault(f"{norm} is marked (reading), and so the text does not say it")


def _printed(base: KbView, norm: str) -> bool:
    """Test whether a norm is printed and not assumed; another check reports one without a tag."""
    of_text = norm.partition(".")[0] in base.words.printed
    return of_text and norm in base.norms and not base.norms[norm].assumed


def lift_chains_too_deep(base: KbView) -> Iterator[Fault]:
    """Yield lifts of lifts of lifts on an LOS, which the calculus does not support."""
    edges = _lifts(base).get(SIGHT, {})
    for (_, lifted), statement in edges.items():
        for one, two in edges:
            if one == lifted and any(third == two for third, _ in edges):
                yield statement.fault(
                    f"{lifted} lifts {two}, which lifts: on a sight it cannot be lifted itself"
                )


def open_inputs(base: KbView) -> Iterator[Fault]:
    """Yield rules that read an open input as though it were known.

    A missing fact of an open input is unknown, so such a rule would give a falsely certain answer.
    Norms turn it into a topic: says for stated facts, could_be or silent for the others; all other
    rules read that topic. Only rules with these heads may read the input, and only could_be and
    silent may do so under `not`. A stated fact may itself be a violation, so violates may read it.
    """
    gaps = {atom.topic for _, atom in base.deriving("could_be", "silent")}
    for each in base.statements:
        head = each.heads[0] if each.heads else None
        for atom in each.reads:
            if (atom.name, len(atom.terms)) not in base.words.open_inputs:
                continue
            if head is not None and head.name in ("could_be", "silent"):
                continue
            if atom.part == "negative":
                yield each.fault(
                    f"{atom.name} is an open input: if it is not stated, it is unknown, not false"
                )
            elif head is not None and head.name == "violates":
                continue
            elif head is None or head.name != "says" or head.topic not in gaps:
                yield each.fault(
                    f"{atom.name} is an open input: make it a topic with says, and could_be or silent,"
                    " and read that"
                )


def reads_unknown_as_known(base: KbView) -> Iterator[Fault]:
    """Yield rules that read the value of a topic that can be unknown.

    If the topic is unknown, the rule does not fire. It may read the topic if its norm also handles
    the unknown case (reads open or unknown), or if the topic has could_be.
    """
    silent = {atom.topic for _, atom in base.deriving("silent")}
    branching = {atom.topic for _, atom in base.deriving("could_be")}
    doubtful = silent - branching - {None}
    joins = {join for each in base.statements for join in each.rule.topic_pairs}
    while more := {one for one, two in joins if two in doubtful} - doubtful - branching:
        doubtful |= more
    minded: dict[str | None, set[Functor | None]] = {}
    for each in base.statements:
        minded.setdefault(each.rule.norm, set()).update(
            atom.topic for atom in each.reads if atom.name in _ASKING
        )
    for each in base.statements:
        for atom in each.reads:
            topic = atom.topic
            if atom.name in _READING and topic in doubtful and topic not in minded[each.rule.norm]:
                assert topic is not None
                yield each.fault(
                    f"{topic[0]} can be unknown, and then this rule just does not fire: take or add"
                    f" its value, or say what follows from is_unknown({topic[0]}...)"
                )


def _wins(base: KbView, without: str | None = None) -> Edges:
    """Return the stated precedence without its closure; `without` names a ruling to leave out."""
    edges: Edges = {}
    for each, atom in base.deriving("overrides", "ruling", "amends"):
        if atom.name == "amends":
            above, under = atom.string(0), atom.string(1)
            if above and under:
                winners = [norm for norm in base.norms if _within(norm, above)]
                losers = [norm for norm in base.norms if _within(norm, under)]
                edges = dict.fromkeys(product(winners, losers), each) | edges
        else:
            one, two = map(atom.string, range(len(atom.terms))[-2:])
            off = atom.name == "ruling" and atom.string(0) == without
            if one and two and not off:
                edges.setdefault((one, two), each)
    return edges


def _within(norm: str, paragraph: str) -> bool:
    """Test whether a norm is of a rule number or below: B23.711-9 is in B23.71 and in B23."""
    own = norm.rsplit("-", 1)[0]
    return own.startswith(paragraph) and ("." in paragraph or own.split(".")[0] == paragraph)


def _lifts(base: KbView) -> Mapping[Functor, Edges]:
    """Return the lifts by kind of topic; a place of an LOS counts as the LOS."""
    table: dict[Functor, Edges] = {}
    for each, atom in base.deriving("lifts"):
        if len(atom.terms) == 3:
            one, two, topic = atom.string(0), atom.string(1), functor(atom.terms[2])
            if one and two and topic:
                topic = SIGHT if topic == PLACE else topic
                table.setdefault(topic, {}).setdefault((one, two), each)
    return table


def _yields(base: KbView) -> Mapping[Functor, Edges]:
    """Return prohibitions against permissions that give way, by kind of action."""
    permits, forbids = _spoken(base, {"permits"}), _spoken(base, {"forbids"})
    table: dict[Functor, Edges] = {}
    for licence, statement in _yielding(base):
        for ban, deeds in forbids.items():
            for deed in deeds & permits.get(licence, set()):
                if ban != licence:
                    table.setdefault(deed, {})[ban, licence] = statement
    return table


def _yielding(base: KbView) -> Iterator[tuple[str, SourceStatement]]:
    for each, atom in base.deriving("yields"):
        yield str(atom.string(0)), each


def _spoken(base: KbView, heads: Iterable[str]) -> dict[str, set[Functor]]:
    """Return the kinds of topics of each norm in these heads."""
    table: dict[str, set[Functor]] = {}
    for _, atom in base.deriving(*heads):
        norm, topic = atom.string(0), atom.topic
        if norm and topic:
            table.setdefault(norm, set()).add(SIGHT if topic == PLACE else topic)
    return table


def _closed(edges: Edges) -> Edges:
    """Return the transitive closure; a derived pair has the statement of its first step."""
    closed = dict(edges)
    after: dict[str, set[str]] = {}
    for one, two in edges:
        after.setdefault(one, set()).add(two)
    for (one, two), statement in edges.items():
        todo, seen = [two], {two}
        while todo:
            for more in after.get(todo.pop(), ()):
                if more not in seen:
                    seen.add(more)
                    todo.append(more)
                closed.setdefault((one, more), statement)
    return closed


def _circles(edges: Edges) -> Iterator[tuple[frozenset[str], SourceStatement]]:
    """Yield the sets of norms that reach each other, each with a statement of its cycle."""
    closed = _closed(edges)
    told: set[str] = set()
    for (one, two), statement in edges.items():
        if (two, one) in closed and one not in told:
            circle = frozenset(x for x, y in closed if y == one and (one, x) in closed)
            told |= circle
            yield circle, statement


# --- Checks that references in tags, comments and reasons exist.


#: A norm or a ruling: B23.71-5, R-T03b; a hexside such as K13-L12 is neither.
_ID = re.compile(r"(?<![\w.-])(?:R-[A-Z](?:[\w.]*\w)?|[A-Z]+\d*(?:\.\d+)?-\d+[a-z]?)(?!\w)")
#: A code in parentheses whose letter is not a chapter.
_CODE = re.compile(r"\(([I-Z]\d+)\)")
#: A rule number of B23 without its section: 23.71.
_SHORT = re.compile(r"(?<![\w.])23\.\d+")


def dangling_references(base: KbView) -> Iterator[Fault]:
    """Yield named norms, rulings, rule numbers or codes that do not exist."""
    paragraphs = {norm.paragraph for norm in base.source.norms}
    sections = "|".join(name.upper() for name in base.words.constants.get("section", ()))
    long = re.compile(rf"(?<!\w)(?:{sections})\.\d+(?![\d-])") if sections else None
    for text, file, line in _texts(base):
        for found in _ID.findall(text):
            if found not in base.norms:
                yield Fault(file, line, f"{found} is mentioned, but no rule has this id")
        for found in _CODE.findall(text):
            yield Fault(file, line, f"the code ({found}) refers to nothing: remove it")
        named = [*(long.findall(text) if long else ()), *(f"B{n}" for n in _SHORT.findall(text))]
        for found in named:
            if not any(paragraph.startswith(found) for paragraph in paragraphs):
                yield Fault(file, line, f"{found} is mentioned, but no rule has this number")


def _texts(base: KbView) -> Iterator[tuple[str, str, int]]:
    """Yield the texts for people, with their places."""
    yield from base.comments
    for each in base.statements:
        if each.heads and each.heads[0].name == "reason":
            for text in map(string, each.heads[0].terms[1:]):
                yield text or "", each.rule.file, each.rule.line
