"""Checks of tags: known marks, both interpretations, summaries in plain English.

Every answer prints summaries alone with their ids. So a summary is one or two complete sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rules_asp.knowledge.lint.base import Fault, KbView
from rules_asp.knowledge.reader import MARKS
from rules_asp.knowledge.rules import Norm

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


def summaries(base: KbView) -> Iterator[Fault]:
    """Yield summaries that are incomplete, too long, or use a hard sentence pattern."""
    for norm in base.source.norms:
        for each in summary_faults(norm):
            yield _at(norm, f"the summary of {norm.id} {each}")
