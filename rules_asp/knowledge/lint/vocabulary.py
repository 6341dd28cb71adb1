"""Checks of words, change declarations, sentences, reasons, unread declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from rules_asp.game.values import with_article
from rules_asp.game.vocabulary import declares
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.lint.base import (
    DeclaredWords,
    Fault,
    KbView,
    SourceAtom,
    SourceStatement,
    functor,
    string,
)
from rules_asp.knowledge.rules import SIGHT, SIGHT_PLACE, Functor
from rules_asp.knowledge.terms import Const, Fun, Term, Var, walk

# --- Checks of words: everything that is read is derived or declared, and has the right kind.


#: The compound terms of vocabulary.lp, by kind, and the kinds of their own arguments.
_SHAPES = {
    "hex": {("", 2)},
    "hexside": {("e", 2)},
    "spot": {("", 2), ("v", 2)},
    "location": {("l", 2)},
    "party": {("l", 2)},
    "sight": {("s", 2)},
}
_INSIDE = {("e", 2): ("hex", "hex"), ("v", 2): ("hex", "corner"), ("l", 2): ("spot", "floor")}
NUMERIC = frozenset(("number", "half_level", "quarter", "range", "direction", "corner"))
_TEXT = "text"
#: The declarations of predicates.
_OF_PREDICATES = ("input", "measured", "setting", "derived")
#: The declarations of predicates that rules must derive.
_NEEDS_A_RULE = {"derived": "declared as derived", "measures": "read by the measuring"}
_DECLARED_ONCE = (*_OF_PREDICATES, "topic", "form", "deed", "reason")


def unknown_predicates(base: KbView) -> Iterator[Fault]:
    """Yield predicates that nothing derives or declares, and calculus heads of wrong arity."""
    of_norms = calculus().heads
    known = {*base.words.predicates, *_renamed(base)}
    known |= {each.signature for each in of_norms.values()}
    for each in (*base.statements, *base.calculus):
        known |= {(atom.name, len(atom.terms)) for atom in each.heads if atom.name not in of_norms}
    for each in (*base.statements, *base.calculus):
        for atom in each.reads:
            if (atom.name, len(atom.terms)) not in known:
                yield each.fault(_stranger("nothing derives or declares", atom, known))
        for atom in each.heads:
            if atom.name in of_norms and len(of_norms[atom.name].kinds) != len(atom.terms):
                yield each.fault(_stranger("the calculus has no", atom, known))


def old_names(base: KbView) -> Iterator[Fault]:
    """Yield predicates with an old name: `renamed` gives the present one."""
    renamed = _renamed(base)
    for each in base.statements:
        for atom in dict.fromkeys((*each.heads, *each.reads)):
            if new := renamed.get((atom.name, len(atom.terms))):
                yield each.fault(f"{atom.name}/{len(atom.terms)} is now called {new}")


def _renamed(base: KbView) -> dict[tuple[str, int], str]:
    """Return the present name of each renamed predicate, by its old name and its arity."""
    facts = (map(str, fact.terms) for _, fact in base.deriving("renamed"))
    return {(old, int(arity)): new for old, arity, new in facts}


def underived(base: KbView) -> Iterator[Fault]:
    """Yield predicates declared as derived that no rule derives."""
    heads = {each.signature for each in calculus().heads.values()} | {
        (atom.name, len(atom.terms))
        for each in (*base.statements, *base.calculus)
        for atom in each.heads
    }
    for each in base.statements:
        if each.declares in _NEEDS_A_RULE:
            entry = functor(each.heads[0].terms[0])
            if entry and entry not in heads:
                what = _NEEDS_A_RULE[each.declares]
                yield each.fault(f"nothing derives {signature_text(entry)}, which is {what}")


def undeclared_topics(base: KbView) -> Iterator[Fault]:
    """Yield topics or actions that vocabulary.lp does not declare, or that are variables."""
    words = base.words
    topic_place, other_place = calculus().topic_place, calculus().other_place
    for each in base.statements:
        for atom in each.atoms:
            for place in (topic_place.get(atom.name), other_place.get(atom.name)):
                if place is None or place >= len(atom.terms):
                    continue
                found = functor(atom.terms[place])
                if found is None:
                    yield each.fault(f"{atom.name} must spell its topic, not {atom.terms[place]}")
                    continue
                if found in (SIGHT, SIGHT_PLACE):
                    continue
                what, allowed = _allowed(atom.name, place, words)
                if found not in allowed:
                    message = f"no {what} {signature_text(found)} is declared"
                    yield each.fault(message + nearest_signature(found, allowed))


def _allowed(name: str, place: int, words: DeclaredWords) -> tuple[str, set[Functor]]:
    if name == "asked_deed" or (
        name in calculus().deed_heads and place == calculus().topic_place[name]
    ):
        return "deed", set(words.deeds)
    if name in ("asked", "sought"):
        return "topic or form", set(words.topics) | set(words.forms)
    if name in ("silent", "lifts") or name not in calculus().heads:
        return "topic or deed", set(words.topics) | set(words.deeds)
    return "topic", set(words.topics)


def wrong_kinds(base: KbView) -> Iterator[Fault]:
    """Yield constants that are not words of their kind, or not of its shape."""
    words = base.words
    for each in base.statements:
        if declares(each.rule.file):
            continue
        for atom in each.atoms:
            for term, kind in argument_kinds(atom, words):
                for message in mismatch(term, kind, words):
                    yield each.fault(f"{message} (in {_show(atom)})")


def argument_kinds(atom: SourceAtom, words: DeclaredWords) -> Iterator[tuple[Term, str]]:
    """Yield the arguments of an atom whose kind is declared."""
    declared = words.predicates.get((atom.name, len(atom.terms)))
    if declared and atom.name not in calculus().topic_place:
        yield from zip(atom.terms, declared, strict=True)
    place, topic = calculus().topic_place.get(atom.name), atom.topic
    if place is not None and topic:
        yield from _of_topic(atom.terms[place], words)
        at = calculus().value_place.get(atom.name)
        if at is not None and topic in words.values and at < len(atom.terms):
            yield atom.terms[at], words.values[topic]
    other = calculus().other_place.get(atom.name)
    if other is not None and other < len(atom.terms):
        yield from _of_topic(atom.terms[other], words)


def _of_topic(term: Term, words: DeclaredWords) -> Iterator[tuple[Term, str]]:
    if isinstance(term, Fun) and term.args:
        kinds = words.topics.get(term.functor) or words.forms.get(term.functor, ("", ()))[1]
        if kinds:
            yield from zip(term.args, kinds, strict=True)


def mismatch(term: Term, kind: str, words: DeclaredWords) -> Iterator[str]:
    """Yield the reason why a term is not of a kind; nothing for a variable."""
    if isinstance(term, Fun) and term.args:
        found = term.functor
        if words.forms.get(found, ("",))[0] == kind:
            for inner, inner_kind in zip(term.args, words.forms[found][1], strict=True):
                yield from mismatch(inner, inner_kind, words)
            return
        plain = kind in words.constants or kind in NUMERIC or kind == _TEXT
        if plain or found not in _SHAPES.get(kind, {found}):
            yield f"{term} is not {with_article(kind)}"
        else:
            for inner, inner_kind in zip(term.args, _INSIDE.get(found, ()), strict=False):
                yield from mismatch(inner, inner_kind, words)
        return
    if not isinstance(term, Fun | Const):
        return
    text, value = str(term), term.value if isinstance(term, Const) else None
    if kind in words.constants:
        if text not in words.constants[kind]:
            yield f"{text} is not {with_article(kind)}: {', '.join(words.constants[kind])}"
    elif (
        kind in _SHAPES
        or (kind in NUMERIC and not isinstance(value, int))
        or (kind == _TEXT and not isinstance(value, str))
    ):
        yield f"{text} is not {with_article(kind)}"


def arity_conflicts(base: KbView) -> Iterator[Fault]:
    """Yield names with different numbers of arguments.

    The calculus may shorten its own names (LOS is blocked, and where).
    """
    uses: dict[str, dict[int, SourceStatement]] = {}
    for each in (*base.calculus, *base.statements):
        names = [(atom.name, len(atom.terms)) for atom in each.atoms]
        if each.declares in _OF_PREDICATES:
            entry = functor(each.heads[0].terms[0])
            names += [entry] if entry else []
        for name, arity in names:
            uses.setdefault(name, {}).setdefault(arity, each)
    own = {(atom.name, len(atom.terms)) for each in base.calculus for atom in each.atoms}
    for name, found in uses.items():
        if all((name, arity) in own for arity in found):
            continue
        (one, first), *others = found.items()
        for other, statement in others:
            yield statement.fault(
                f"{signature_text((name, other))}: {signature_text((name, one))} stands at"
                f" {first.rule.file}:{first.rule.line}, and one name has one sense"
            )


def declared_twice(base: KbView) -> Iterator[Fault]:
    """Yield duplicate declarations, of which only one would count."""
    first: dict[tuple[str, Functor], SourceStatement] = {}
    for each in base.statements:
        entry = functor(each.heads[0].terms[0]) if each.declares in _DECLARED_ONCE else None
        if entry is None or each.declares is None:
            continue
        known = first.setdefault((each.declares, entry), each)
        if known is not each:
            where = f"{known.rule.file}:{known.rule.line}"
            yield each.fault(
                f"{each.declares} {signature_text(entry)} is declared already, at {where}"
            )


def _stranger(what: str, atom: SourceAtom, known: Iterable[Functor]) -> str:
    found = (atom.name, len(atom.terms))
    return f"{what} {signature_text(found)}{nearest_signature(found, known)}"


def nearest_signature(found: Functor, known: Iterable[Functor]) -> str:
    """Return the nearest known name: the same with other arguments, or a similar spelling."""
    arities: dict[str, list[int]] = {}
    for name, arity in known:
        arities.setdefault(name, []).append(arity)
    near = get_close_matches(found[0], arities, n=1)
    if not near:
        return ""
    return "; " + " or ".join(signature_text((near[0], n)) for n in sorted(arities[near[0]])) + "?"


def signature_text(found: Functor) -> str:
    """Name and arity: height/1."""
    return f"{found[0]}/{found[1]}"


def _show(atom: SourceAtom) -> str:
    return f"{atom.name}({','.join(map(str, atom.terms))})" if atom.terms else atom.name


# --- Checks of changes: each input has one kind of change, with fitting values.


#: Kinds of which all nearby values are tried, in addition to words.
_TRIED = frozenset(("hex", "hexside", "location", "side", "unit"))


def malformed_changes(base: KbView) -> Iterator[Fault]:
    """Yield changes of unknown inputs, inputs with two kinds, and values that do not fit."""
    inputs = {name: base.words.predicates[name, arity] for name, arity in base.words.inputs}
    of_kind: dict[str, str] = {}
    for each in base.statements:
        if each.declares == "change":
            kind, _, name = map(str, each.heads[0].terms)
            if name not in inputs:
                yield each.fault(f"{name} must be an input or a change of {kind}")
            elif of_kind.setdefault(name, kind) != kind:
                yield each.fault(f"{name} is a change of {of_kind[name]} and of {kind}")
    for each in base.statements:
        if each.declares == "supposes":
            for message in _amiss(each, base, inputs, of_kind):
                yield each.fault(message)


def _amiss(
    each: SourceStatement,
    base: KbView,
    inputs: Mapping[str, tuple[str, ...]],
    of_kind: Mapping[str, str],
) -> Iterator[str]:
    term = each.heads[0].terms[0]
    named = functor(term)
    name, arity = named if named else (str(term), 0)
    if name not in of_kind:
        yield f"{name} has no kind of change: add change({name}, ...)"
        return
    kinds = inputs[name]
    if arity != len(kinds):
        yield f"{name} has {len(kinds)} arguments, and {arity} ranges"
        return
    for range_, kind in zip(
        map(str, term.args if isinstance(term, Fun) else ()), kinds, strict=True
    ):
        words = base.words.constants.get(kind, ())
        number = range_.isdecimal() and not words
        first = inputs.get(range_, ("",))[0]
        if not (
            number
            or range_ in words
            or first == kind
            or (range_ == kind and _is_tried(kind, words))
        ):
            yield (
                f"{range_} is not {with_article(kind)}, not a kind that is tried as a whole, and not"
                " an input of it"
            )


def _is_tried(kind: str, words: object) -> bool:
    return kind in _TRIED or bool(words)


# --- Checks of sentences: each form has one that expresses all of the form.


_SLOT = re.compile(r"\{(\d)(?:[@/](\d))?\}")
_BRACES = re.compile(r"\{[^}]*\}")
#: Slots for aspects outside the form: the kind of a path, and its turns.
_OTHERS = ("{course}", "{turns}")
_ANY = "any"


def forms_without_sentence(base: KbView) -> Iterator[Fault]:
    """Yield forms of a spoken kind without a sentence for all their arguments."""
    kinds = {str(each.heads[0].terms[0]) for each in base.statements if each.declares == "spoken"}
    whole = {name for name, each in _sentences(base) if not _left_out(base, name, each)}
    for each in base.statements:
        if each.declares not in ("deed", "form"):
            continue
        form = functor(each.heads[0].terms[0])
        kind = "deed" if each.declares == "deed" else str(each.heads[0].terms[1])
        if form and kind in kinds and form[1] and form[0] not in whole:
            yield each.fault(
                f'nothing says {signature_text(form)} whole: sentence({form[0]}, "...")'
            )


def malformed_sentences(base: KbView) -> Iterator[Fault]:
    """Yield sentences for unknown forms or topics, with a wrong number of arguments, or with
    unknown words."""
    known = _known(base)
    for name, each in _sentences(base):
        if name not in known:
            near = nearest_signature((name, 0), ((form, 0) for form in known)).replace("/0", "")
            yield each.fault(f"{name} is neither a form nor a topic{near}")
            continue
        kinds = known[name]
        implied = _implied(each)
        if implied and len(implied) != len(kinds):
            yield each.fault(f"{name} has {len(kinds)} places, and not {len(implied)}")
        for word, kind in zip(implied, kinds, strict=False):
            if word != _ANY and word not in base.words.constants.get(kind, ()):
                yield each.fault(f"{word} is not {with_article(kind)}")
        for slot in sorted(_strange_slots(each)):
            yield each.fault(
                f"{slot} is not a slot: a place such as {{1}}, or {', '.join(_OTHERS)}"
            )
        for place in _slot_places(each):
            if place > len(kinds):
                yield each.fault(f"{name} has {len(kinds)} places, and no {{{place}}}")
    for each in base.statements:
        if each.declares == "phrase":
            kind, word = map(str, each.heads[0].terms[:2])
            if word not in base.words.constants.get(kind, ()):
                yield each.fault(f"{word} is not {with_article(kind)}")


def _sentences(base: KbView) -> Iterator[tuple[str, SourceStatement]]:
    """Yield the sentences, each with the name of its form."""
    for each in base.statements:
        if each.declares == "sentence":
            found = functor(each.heads[0].terms[0])
            yield found[0] if found else str(each.heads[0].terms[0]), each


def _known(base: KbView) -> dict[str, tuple[str, ...]]:
    """Return the forms and topics, with the kinds of their arguments."""
    words = base.words
    forms: dict[Functor, tuple[str, ...]] = {
        form: kinds for form, (_, kinds) in words.forms.items()
    }
    return {name: kinds for (name, _), kinds in (*words.topics.items(), *forms.items())}


def _implied(sentence: SourceStatement) -> tuple[str, ...]:
    """Return the arguments of the form that a sentence names; empty if it names only the form."""
    head = sentence.heads[0].terms[0]
    return tuple(map(str, head.args)) if isinstance(head, Fun) else ()


def _slot_places(sentence: SourceStatement) -> set[int]:
    """Return the arguments with a slot; 0 is a unit outside the form."""
    text = string(sentence.heads[0].terms[1]) or ""
    return {int(place) for slot in _SLOT.findall(text) for place in slot if place} - {0}


def _strange_slots(sentence: SourceStatement) -> set[str]:
    """Return slots in braces that are neither an argument nor a known aspect."""
    slots = set(_BRACES.findall(string(sentence.heads[0].terms[1]) or ""))
    return {slot for slot in slots if slot not in _OTHERS and not _SLOT.fullmatch(slot)}


def _left_out(base: KbView, name: str, sentence: SourceStatement) -> set[int]:
    """Return the arguments of a form that a sentence neither expresses nor implies."""
    kinds = _known(base).get(name, ())
    implied = {place for place, word in enumerate(_implied(sentence), 1) if word != _ANY}
    return set(range(1, len(kinds) + 1)) - _slot_places(sentence) - implied


# --- Checks of the reasons for unknown values, which kb/unknown_reasons.lp declares.


#: The heads with a reason, and its index.
_PLACES: tuple[tuple[Functor, int], ...] = ((("silent", 3), 2), (("unknown", 2), 1))
#: Reasons that the program itself gives, when it compares cases and finds missing facts.
_OF_THE_PROGRAM = {
    ("earlier_action", 0),
    ("may_be_so", 0),
    ("no_step", 0),
    ("open_cases", 1),
    ("valueless", 1),
}
_GAP = re.compile(r"\{(\w*)\}")

Given = tuple[SourceStatement, Term]


def undeclared_reasons(base: KbView) -> Iterator[Fault]:
    """Yield reasons that are undeclared, or used with other arguments than declared.

    A rule that is encoded may not be given as a missing rule.
    """
    words = base.words
    for statement, term in _given(base):
        found = functor(term)
        if found is None:
            yield statement.fault(f"{term} is not a reason")
        elif found not in words.reasons:
            yield statement.fault(
                f"no reason {signature_text(found)} is declared"
                + nearest_signature(found, words.reasons)
            )
        elif isinstance(term, Fun):
            for inner, kind in zip(term.args, words.reasons[found], strict=True):
                for message in _odd(inner, kind, base):
                    yield statement.fault(f"{message} (in the reason {term})")


def idle_reasons(base: KbView) -> Iterator[Fault]:
    """Yield declared reasons that no rule gives, or whose text names an unknown argument."""
    given = {functor(term) for _, term in _given(base)} | _OF_THE_PROGRAM
    for statement in base.statements:
        head = statement.heads[0] if statement.heads else None
        if head is None or head.name != "reason":
            continue
        found = functor(head.terms[0])
        assert found is not None
        if found not in given:
            yield statement.fault(f"no rule gives the reason {signature_text(found)}")
        for text in map(string, head.terms[1:]):
            for gap in _GAP.findall(text or ""):
                if not gap.isdigit() or not 0 < int(gap) <= found[1]:
                    yield statement.fault(f"{signature_text(found)} has nothing for {{{gap}}}")


def _odd(term: Term, kind: str, base: KbView) -> Iterator[str]:
    """Yield the mistakes in an argument of a reason."""
    words, found, text = base.words, functor(term), string(term)
    if kind == "topic":
        if found and found not in (*words.topics, *words.deeds, SIGHT):
            yield f"no topic or deed {signature_text(found)} is declared"
    elif kind == "input":
        arities = [arity for name, arity in words.inputs if found and name == found[0]]
        if found and not any(found[1] <= arity for arity in arities):
            yield f"no input {signature_text(found)} is declared"
    elif kind in ("rule", "paragraph") and found:
        yield f"{term} is not {with_article(kind)}"
    elif kind == "rule" and text:
        if text.partition(".")[0].lower() in words.constants.get("section", ()):
            yield f"the reason names {text}, which is encoded: name the open point instead"
    elif kind == "paragraph" and text:
        if all(norm.paragraph != text for norm in base.norms.values()):
            yield f"no rule has the number {text}"
    else:
        yield from mismatch(term, kind, words)


def _given(base: KbView) -> Iterator[Given]:
    """Yield every reason that a rule gives, with the rule."""
    rules = (*base.statements, *base.calculus)
    heads: dict[Functor, list[tuple[SourceStatement, SourceAtom]]] = {}
    for each in rules:
        for atom in each.heads:
            heads.setdefault((atom.name, len(atom.terms)), []).append((each, atom))
    seen = set(_PLACES)

    def follow(statement: SourceStatement, term: Term) -> Iterator[Given]:
        if not isinstance(term, Var):
            yield statement, term
            return
        for atom in statement.reads:
            for place, each in enumerate(atom.terms):
                key = ((atom.name, len(atom.terms)), place)
                if str(each) == str(term) and key not in seen:
                    seen.add(key)
                    for above, head in heads.get(key[0], ()):
                        yield from follow(above, head.terms[place])

    for carrier, place in _PLACES:
        for statement, head in heads.get(carrier, ()):
            yield from follow(statement, head.terms[place])


# --- Check that some rule reads each input and each topic.


#: Calculus atoms by which a rule reads the value of a topic.
_READING = frozenset(("is", "total", "value", "has_value", "has_undefeated_value", "abduced"))


def unread_declarations(base: KbView, topics_too: bool = True) -> Iterator[Fault]:
    """Yield inputs, topics or words that no rule reads without a declaration as unread, and false
    declarations.

    A rule reads a word by naming it, or through all words of its kind. It reads a topic by its
    value, by taking, requiring or reporting it. Without `topics_too`, a topic may exist only for
    questions.
    """
    rules = [each for each in (*base.statements, *base.calculus) if not each.declares]
    reads = {atom.name for each in rules for atom in each.reads}
    topics = _topics_read(rules)
    terms = (each for one in rules for each in walk((one.rule.top, *one.rule.literals)))
    named = {each.name for each in terms if isinstance(each, Fun) and not each.args}
    gone_through = {
        str(atom.terms[0])
        for each in rules
        for atom in each.reads
        if atom.name == "word" and isinstance(atom.terms[1], Var)
    }
    said: dict[str, tuple[SourceStatement, bool]] = {}
    for each in base.statements:
        entry = functor(each.heads[0].terms[0]) if each.declares in ("input", "topic") else None
        if entry:
            known = reads if each.declares == "input" else topics
            said[entry[0]] = each, entry[0] in known
        elif each.declares == "word":
            kind, word = map(str, each.heads[0].terms)
            said[f"word({kind},{word})"] = each, word in named or kind in gone_through
    excused = {
        str(each.heads[0].terms[0]): each for each in base.statements if each.declares == "unread"
    }
    for what, (statement, is_read) in said.items():
        asked_alone = statement.declares == "topic" and not topics_too
        if not is_read and what not in excused and not asked_alone:
            yield statement.fault(f'no rule reads {what}: say why, by unread({what}, "...")')
        if is_read and what in excused:
            yield excused[what].fault(f"{what} is read by a rule, so its `unread` fact is wrong")
    helpers = {atom.name for each in rules for atom in each.heads}
    for what, statement in excused.items():
        if what in helpers and what not in said:
            if what in reads:
                yield statement.fault(f"{what} is read by a rule, so its `unread` fact is wrong")
        elif what not in said:
            yield statement.fault(f"{what} is not an input, a topic, a helper or a word")


def _topics_read(rules: Sequence[SourceStatement]) -> set[str]:
    """Return the topics whose value some rule reads."""
    found: set[Functor | None] = {
        atom.topic for each in rules for atom in each.reads if atom.name in _READING and atom.topic
    }
    read_at = {**calculus().other_place, "told_with": calculus().key_place["told_with"]}
    for each in rules:
        for atom in each.heads:
            place = read_at.get(atom.name)
            if place is not None and place < len(atom.terms):
                found.add(functor(atom.terms[place]))
    return {name for name, _ in filter(None, found)}
