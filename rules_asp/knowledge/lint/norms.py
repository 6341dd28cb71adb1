"""Checks of norms: precedence, topic cycles, marks, references and summaries in tags.

Every answer prints summaries alone with their ids. So a summary is one or two complete sentences.

Every named rule number of an included section must have a norm; a named norm or ruling must have a
tag. The general rules, A to H, are not all included, so their numbers may be named. A code of an
unknown list, such as (T42), is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.catalogue import section_of
from rules_asp.knowledge.instantiation import instantiate_calculus, topic_cycles
from rules_asp.knowledge.lint.base import Fault, KbView, SourceStatement, functor, string
from rules_asp.knowledge.program import declared_signatures
from rules_asp.knowledge.reader import MARKS
from rules_asp.knowledge.rules import SIGHT, WRITTEN_ONCE, Functor, Norm, topic_kind

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


def precedence_by_other_sections(base: KbView) -> Iterator[Fault]:
    """Yield precedence between norms about one topic that only norms of a third section give.

    That section may not be in force, and an answer never rests on such norms.
    """
    wins = _wins(base)
    # The first section is in force on every board.
    _, *added = (*base.words.printed, "")
    heads = frozenset(each.name for each in calculus().asserting)
    speaks, acts = _spoken(base, heads), _spoken(base, heads | {"lifts"})
    parts = {norm: section_of(norm) for pair in wins for norm in pair}

    def reached(one: str, section: str) -> set[str]:
        """Return the norms below a norm, over norms of its own section and of another one."""
        absent = {*added} - {parts[one], section}
        found, todo = set(), [one]
        while todo:
            for two in after.get(todo.pop(), ()):
                if two not in found:
                    found.add(two)
                    todo += [] if parts[two] in absent else [two]
        return found

    after: dict[str, list[str]] = {}
    for one, two in wins:
        after.setdefault(one, []).append(two)
    below = cache(reached)
    for (one, two), statement in _closed(wins).items():
        if speaks.get(one, set()) & acts.get(two, set()) and two not in below(one, parts[two]):
            yield statement.fault(f"{one} wins over {two} only by a norm of another section")


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
                norms = base.norms.values()
                winners, losers = (
                    [norm.id for norm in norms if family in norm.families]
                    for family in (above, under)
                )
                edges = dict.fromkeys(product(winners, losers), each) | edges
        else:
            one, two = map(atom.string, range(len(atom.terms))[-2:])
            off = atom.name == "ruling" and atom.string(0) == without
            if one and two and not off:
                edges.setdefault((one, two), each)
    return edges


def _lifts(base: KbView) -> Mapping[Functor, Edges]:
    """Return the lifts by kind of topic; a place of an LOS counts as the LOS."""
    table: dict[Functor, Edges] = {}
    for each, atom in base.deriving("lifts"):
        if len(atom.terms) == 3:
            one, two, topic = atom.string(0), atom.string(1), functor(atom.terms[2])
            if one and two and topic:
                topic = topic_kind(topic)
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
            table.setdefault(norm, set()).add(topic_kind(topic))
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


# --- The marks, and the fields `Or:` and `Open:`.


#: A possible mark: a lowercase word in parentheses, or one with its sureness.
_MARK = re.compile(r"\(([a-z]+(?: [A-Z])?)\)")
#: Words that indicate a choice.
_CHOICE = re.compile(
    r"\b(?:[Ww]e (?:read|take)|as we read|taken for granted|the text could mean)\b"
)


def marks(base: KbView) -> Iterator[Fault]:
    """Yield unknown marks, marks not directly after the id, and marks that exclude each other."""
    for norm in base.source.norms:
        for at in _MARK.finditer(norm.sense + norm.other_reading + norm.open_points):
            word = at[1]
            if word in MARKS:
                yield _at(norm, f"({word}) must follow the id of {norm.id}, not its summary")
            elif at.start() == 0:
                known = ", ".join(f"({each})" for each in MARKS)
                yield _at(norm, f"({word}) is not a mark; {norm.id} may have {known}")
        if norm.marked and norm.ruling:
            yield _at(norm, f"{norm.id} is a ruling, so it needs no mark (reading)")
        if norm.less_sure and not norm.ruling:
            yield _at(
                norm, f"{norm.id} is less sure (M), but not a ruling that can be switched off"
            )


def readings(base: KbView) -> Iterator[Fault]:
    """Yield interpretations without the other one, an `Or:` or a choice without the mark."""
    for norm in base.source.norms:
        if norm.reading and not norm.other_reading:
            yield _at(norm, f"{norm.id} is an interpretation: add the other one, `Or: ...`")
        elif norm.other_reading and not norm.reading:
            yield _at(norm, f"{norm.id} has another interpretation: mark it (reading)")
        for name, text in (("Or:", norm.other_reading), ("Open:", norm.open_points)):
            if text and not text.endswith((".", ")")):
                yield _at(norm, f"the field {name} of {norm.id} ends without a period")
        if (found := _CHOICE.search(norm.sense)) and not (norm.reading or norm.assumed):
            yield _at(norm, f'{norm.id} mentions a choice ("{found[0]}"): mark it (reading)')


def _at(norm: Norm, message: str) -> Fault:
    return Fault(norm.file, norm.line, message)


# --- Plain English.


#: Sentence patterns that readers had to read twice, in texts of any kind.
PATTERNS = {
    "tell": r"\b([Tt]ells?|[Tt]old|[Tt]elling)\b",
    "clause as subject": r"(^|[.;:,] )([Ww]hat|[Ww]ho|[Ww]hoever|Whatever|[Ww]hich|[Ww]hichever|Whether)"
    r" (?!about|if)\w+"
    r"|\b(of|for|by|from|with|to|on|all|beside) (what|who|whom|whoever|whichever)\b"
    r"|\b(is|are|lists?|shows?|marks?|names?|says?) what\b",
    "preposition in front": r"(^|[.;:] )(Of|Beside|Below|Over|From|To|Without|On|In|At|By|With)"
    r" [^,.;:]{3,60} (is|are|it|one|stands?|comes?|goes|tells?|has|was|were)\b",
    "of which": r"\b(of|by|in|to|from|on|with|over|through) (which|whom|whose)\b",
    "so does": r"\b([Ss]o|[Nn]or|[Nn]either) (is|are|does|do|has|have|can|may|must|was)\b",
    "idiom": r"\b(hangs?|stands?|lies|goes (before|first|on)|go before|gone on|comes (along|to light)"
    r"|comes? of|bears? on|brings? up|takes? up|makes? up)\b",
    "is no": r"(?<!\b[Tt]here )\b(is|are|be) (no|none)\b(?! longer| more)",
    "one, who": r"\b(one|who) (sees|goes|comes|looks|fires|moves|would|types|wants|had|passes|is|has|does"
    r"|cannot|asks|stands|enters|expects?|pays)\b|\bone's\b",
    "pronoun": r"\b(as such|all of it|of it|of this|of these|of that|besides|and so|that much|all that"
    r"|all else|all this|alike|the like)\b",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}
#: Maximum numbers of words: a sentence, a summary, and a ruling's summary, which includes its
#: reason.
LONGEST_SENTENCE, LONGEST_SUMMARY, LONGEST_RULING = 25, 30, 45
#: First words that refer to another tag, or that begin in the middle of a sentence.
_NOT_FIRST = re.compile(
    r"[a-z(]|(?:It|They|So|Nor|But|And|Even|Then|There|This|That|These|Those|Both|Others|Who|What|Which|Of"
    r"|Such|Likewise|Besides|Here|Neither|Its|Their)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[A-Z0-9\"'(+])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|vs|etc|No)\.$")
#: Stems of the verbs of summaries; a cheap check that a sentence has one.
_STEMS = """
    accept add affect allow answer appl ask assume attack attempt bar become begin block blow
    bog break bring buil burn bypass capture carr caus ceas chang charg check cit claim climb
    clos collaps combin come conceal conduct connect consist contain continu control convert
    cost count cover creat cross cut decid declar define depend destro determin differ direct
    divid doubl drag driv drop eliminat enabl end enter equal exceed exclud exempt exist expend
    extend fall fight fire follow forbid forc form gain get give go halv happen help hid hinder
    hit hold identif includ increas inherit interdict isolate join keep know lack land lead
    leav let lie limit link list look los lose mak mark matter mean measur meet move nam need
    observ obtain occup occur offer open overrid own part pass pay permit pin place prefer
    prevent print prohibit protect provid push rais reach recover reduc refer regain remain
    remov replac represent requir resolv restrict result retain return reveal revers roll rout run
    sav say scal see serv set share show slow spend spot spread start state stay stop strip suffer
    support surviv suspend take touch tow trac transport treat turn us var want win withdraw
    work
"""
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|may|must|can|cannot|does|do|will"
    rf"|(?:{'|'.join(_STEMS.split())})(?:e?s|es|ies|e|y)?)\b"
)


def sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    found: list[str] = []
    for each in _SENTENCE.split(" ".join(text.split())):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] += f" {each}"
        elif each:
            found.append(each)
    return found


def hard_patterns(sentence: str) -> list[str]:
    """The names of the hard sentence patterns that occur in a sentence."""
    return [name for name, pattern in _PATTERNS.items() if pattern.search(sentence)]


def summary_faults(norm: Norm) -> Iterator[str]:
    """Yield the reasons why the summary of a norm is hard to read alone."""
    parts = sentences(norm.sense)
    words = norm.sense.split()
    if not words:
        yield "has no text"
        return
    if _NOT_FIRST.match(norm.sense):
        yield f'begins with "{words[0]}": begin with the subject'
    if not norm.sense.endswith((".", '."', ".)")):
        yield "ends without a period"
    for each in parts:
        if not _VERB.search(each):
            yield f'has a sentence without a verb: "{each}"'
        if (length := len(each.split())) > LONGEST_SENTENCE:
            yield f"has a sentence of {length} words; at most {LONGEST_SENTENCE}"
        for name in hard_patterns(each):
            yield f'uses a hard pattern ({name}): "{each}"'
    if len(words) > (longest := LONGEST_RULING if norm.ruling else LONGEST_SUMMARY):
        yield f"has {len(words)} words; at most {longest}"
