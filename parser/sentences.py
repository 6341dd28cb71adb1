"""Parser of declared sentences, also of sentences with several units.

kb/ declares the sentences beside each form. The grammar is built from them and deed.lark. Parts
that a sentence does not mention stay open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from rules_asp.game.grid import Hex, Hexside, Location, Vertex
from rules_asp.game.map_layout import MapNames
from rules_asp.game.query import (
    PLACED,
    Argument,
    DeedQuery,
    FunctionTerm,
    UnitLocation,
    Variable,
    bypassed_hex,
    canonical_deed,
    vertex_in_hex,
)
from rules_asp.game.values import SCALES, Notation, Term, unquoted, with_article
from rules_asp.game.vocabulary import Sentence, Topic, Vocabulary
from rules_asp.parser import values
from rules_asp.parser.errors import Prefix, ValueMistake, WithPlace
from rules_asp.parser.lark_grammar import explain_parse_error, grammar_of
from rules_asp.parser.writer import (
    Part,
    TemplateGroup,
    TemplateSlot,
    TemplateWord,
    parse_template,
    slots,
    template_words,
)

# --- Several units in a sentence for one unit: the message explains how to ask.


_UNIT = r'(?:"[^"\n]*"|[A-Za-z][\w-]*)'
_FIRST = re.compile(rf"\s*(?:(?:the|The)\s+)?({_UNIT})")
#: Without a word or sign between them, only capitalized words count as names.
_NEXT = re.compile(
    rf"\s*(?:[,&+]|\band\b|\bwith\b)\s*(?:and\s+)?({_UNIT})|\s+(\"[^\"\n]*\"|[A-Z][\w-]*)"
)
#: Maximum number of units; a stack is never larger.
_MOST = 12


def several_units_error(text: str, read: Callable[[str], Argument | None]) -> WithPlace | None:
    """Return the mistake of a sentence that is valid with only the first of its units; else None.

    `read` returns the form of a sentence without mistakes.
    """
    first = _FIRST.match(text)
    if first is None:
        return None
    names, end = [first[1]], first.end()
    beginning = end
    while len(names) < _MOST and (found := _NEXT.match(text, end)) is not None:
        names.append(found[1] or found[2])
        end = found.end()
        rest = text[end:]
        said = read(first[0] + rest)
        if said is not None:
            line = text.count("\n", 0, beginning) + 1
            column = beginning - text.rfind("\n", 0, beginning)
            return _several_mistake(names, rest.strip(), said), line, column
    return None


def _several_mistake(names: list[str], rest: str, said: Argument) -> ValueMistake:
    """Return how to ask about all units: as a stack if they move, else one by one."""
    form = said.value
    assert isinstance(form, FunctionTerm)
    one = "this question takes only one unit"
    if form.name != "step":
        return ValueMistake(one, [f"`{name} {rest}` for each of them" for name in names[:1]])
    by, to = form.args[0].value, form.args[3].value
    stack = " ".join(names)
    ways = [f"for a stack the command `moves BOARD {stack}`"]
    if by != "move":
        ways = [f"{ways[0]} with its --phase"]
    elif isinstance(to, Location):
        ways.append(f"in a board `expect cost {stack} to {to} = 2`")
    return ValueMistake(one, ways)


# --- Sentences: `A moves to V3/2 by stairs` is the action step(move, "A", _, V3/2, stairs).


#: The kind of a topic's sentence.
TOPIC = "topic"
_FREE = Variable("_")
_Node = Token | Tree[Token] | None


def spoken_kinds(words: Vocabulary) -> tuple[str, ...]:
    """Return the kinds with sentences or phrases, those of topics last."""
    found = [kind_of(words, each) for each in words.sentences]
    found += [kind for kind, _ in words.phrases]
    return tuple(sorted(dict.fromkeys(found), key=lambda kind: (kind == TOPIC, kind)))


def kind_of(words: Vocabulary, sentence: Sentence) -> str:
    """Return the kind of a sentence."""
    entry = words.entry_of(sentence)
    return TOPIC if isinstance(entry, Topic) else entry.kind


#: An article that could be read as the name of a unit.
_ARTICLE = re.compile(r"\s*(a|an)\s+[a-z]")

#: Verbs that players use for an action, with the verb of its sentence.
_VERBS = {
    "shoots": "fires at",
    "shoot": "fire at",
    "walks": "moves to",
    "runs": "moves to",
    "goes": "moves to",
}
_OTHER_VERB = re.compile(rf"\b({'|'.join(_VERBS)})\b")
#: Verbs of LOS: they are not actions, and another command answers them.
_SIGHT_VERB = re.compile(r"\b(sees?|looks?|spots?)\b")
#: If more words than this fit, the parser is before the verb of an action.
_MANY_VERBS = 12
#: Number of fitting words that the message lists, besides the page with all.
_SOME = 5
#: Minimum similarity of verbs: `searches` is not `breaches`.
_ALIKE = 0.78
#: A sentence that begins with its verb, as an order.
_ORDER = re.compile(r"\s*[a-z]+\s+(?:to\s+)?[A-Z\"]")


def read_sentence(
    text: str, kind: str, notation: Notation
) -> tuple[DeedQuery | None, list[WithPlace], list[Prefix]]:
    """Return the form of a sentence as far as it can be read, its mistakes, and the named boards."""
    words = notation.vocabulary
    grammar = _grammar(words)
    try:
        tree = grammar.parse(text, start=kind)
    except UnexpectedInput as error:
        other = _of_another_kind(text, kind, notation)
        wrong = (
            explain_parse_error(grammar, error, text, _terminal_names(words))
            if other is None
            else (other, 1, 1)
        )
        wrong = several_units_error(text, lambda one: _of_one_unit(one, kind, notation)) or wrong
        if other is None and kind == "deed" and (begins := _ARTICLE.match(text)) is not None:
            mistake, *at = wrong
            named = f'{mistake.message}; {begins[1]} is read as an article: write "{begins[1]}" for the unit'
            wrong = ValueMistake(named, mistake.expected, mistake.nearest), at[0], at[1]
        if other is None and kind == "deed":
            mistake, *at = wrong
            wrong = _action_mistake(text, mistake), at[0], at[1]
        return None, [wrong], []
    reader = _Reader(notation)
    said = reader.form(tree, kind)
    doing = canonical_deed(
        DeedQuery(
            said,
            reader.around,
            reader.inside,
            tuple(dict.fromkeys(reader.besides)),
            reader.turns,
            reader.only,
        )
    )
    return (None if reader.mistakes else doing), reader.mistakes, reader.prefixes


def _action_mistake(text: str, mistake: ValueMistake) -> ValueMistake:
    """Return the mistake of a sentence that is not an action; if the verb is wrong, with the next
    step."""
    verb = _OTHER_VERB.search(text)
    if verb is None and len(mistake.expected) <= _MANY_VERBS:
        return mistake
    some = (*mistake.expected[:_SOME], "another action of `rules-asp help questions`")
    if verb is not None:
        return ValueMistake(mistake.message, some, _VERBS[verb[0]])
    if (sight := _SIGHT_VERB.search(text)) is not None:
        message = f"{sight[0]} is not an action"
        return ValueMistake(message, ["the command `rules-asp los BOARD A B` for a line of sight"])
    if _ORDER.match(text):
        return ValueMistake(mistake.message, ['the unit first, as in "A moves to C3"'])
    near = mistake.nearest
    word = mistake.message.partition(" ")[0]
    alike = near is not None and bool(get_close_matches(word, [near], cutoff=_ALIKE))
    return ValueMistake(mistake.message, some, near if alike else None)


def _of_another_kind(text: str, kind: str, notation: Notation) -> ValueMistake | None:
    """Return the mistake of a text that is a sentence of another kind."""
    for other in spoken_kinds(notation.vocabulary):
        said = None if other == kind else as_query_term(text, other, notation)
        if said is not None:
            asked, meant = (
                with_article("action" if each == "deed" else each) for each in (kind, other)
            )
            return ValueMistake(
                f"this sentence is {meant}, not {asked}: in a question, write {said}"
            )
    return None


def as_query_term(text: str, kind: str, notation: Notation) -> str | None:
    """Return a sentence of this kind as a term for a question; None for another text."""
    said = form_of(text, kind, notation)
    return None if said is None else str(said)


def _of_one_unit(text: str, kind: str, notation: Notation) -> Argument | None:
    """Return the form of a sentence that begins with a unit; None for any other."""
    said = form_of(text, kind, notation)
    value = said.value if said else None
    units = isinstance(value, FunctionTerm) and any(
        each.kind in ("unit", "party") for each in value.args
    )
    return said if units else None


def form_of(text: str, kind: str, notation: Notation) -> Argument | None:
    """Return the form of a sentence of this kind; None for another text."""
    if kind not in spoken_kinds(notation.vocabulary):
        return None
    try:
        tree = _grammar(notation.vocabulary).parse(text, start=kind)
    except UnexpectedInput:
        return None
    reader = _Reader(notation)
    said = reader.form(tree, kind)
    return said if not reader.mistakes and isinstance(said.value, FunctionTerm) else None


@lru_cache(maxsize=8)
def _terminal_names(words: Vocabulary) -> dict[str, str]:
    """Return for each spelling the one that messages name: itself if it is the first spelling of a
    word."""
    texts = (*(each.text for each in words.sentences), *words.phrases.values())
    spelt = [word.spellings for text in texts for word in template_words(parse_template(text))]
    found = {first: first for first, *_ in spelt}
    for first, *others in spelt:
        for each in (first.capitalize(), *others, *map(str.capitalize, others)):
            found.setdefault(each, first)
    return found


@lru_cache(maxsize=8)
def _grammar(words: Vocabulary) -> Lark:
    return grammar_of("deed", spoken_kinds(words), "\n".join(_rules(words)))


def _rules(words: Vocabulary) -> Iterator[str]:
    """Yield the grammar rules of the sentences, one for each kind."""
    for kind in spoken_kinds(words):
        said = [
            f"{_body(words, each)} -> s_{number}"
            for number, each in enumerate(words.sentences)
            if kind_of(words, each) == kind
        ]
        said += [
            f"{_words(text)} -> p_{word}"
            for (of, word), text in words.phrases.items()
            if of == kind
        ]
        yield f"{kind}: " + "\n    | ".join(said)


def _words(text: str) -> str:
    """Return the words of a template without its slots."""
    parts = parse_template(text)
    return " ".join(_word(part) for part in parts if isinstance(part, TemplateWord))


def _body(words: Vocabulary, sentence: Sentence) -> str:
    kinds = words.entry_of(sentence).kinds
    spoken = spoken_kinds(words)

    def of(parts: Iterable[Part], first: bool) -> str:
        found = []
        for part in parts:
            if isinstance(part, TemplateGroup):
                found.append(f"[{of(part.parts, False)}]")
            elif isinstance(part, TemplateSlot):
                found.append(_rule_of(part, kinds, spoken, first))
            else:
                found.append(_word(part, first))
            first = first and isinstance(part, TemplateWord) and part.is_article
        return " ".join(found)

    return of(parse_template(sentence.text), True)


def _word(word: TemplateWord, first: bool = False) -> str:
    """Return a word as a grammar rule; the first word of a sentence may be capitalized."""
    if word.is_article:
        return "_article?"
    spellings = [*word.spellings, *(each.capitalize() for each in word.spellings if first)]
    return "(" + "|".join(f'"{each}"' for each in dict.fromkeys(spellings)) + ")"


def _rule_of(
    slot: TemplateSlot, kinds: tuple[str, ...], spoken: tuple[str, ...], first: bool
) -> str:
    """Return the grammar rule of a slot."""
    if slot.sign:
        return {"@": "vertex", "/": "side_level"}[slot.sign]
    kind = slot.about if slot.place < 0 else kinds[slot.place]
    if kind in PLACED and first:
        # A sentence begins with a unit, so a hex is first read as the name of a unit.
        return "(unit | levelled)"
    if kind == "party":
        return "location"
    if kind in spoken or kind in _READ:
        return kind
    return "number" if kind in SCALES else "word"


#: Kinds whose rule in deed.lark has the same name.
_READ = ("unit", "location", "hex", "hexside", "spot", "corner", "turns")


class _Reader:
    """Builds the form of one sentence."""

    def __init__(self, notation: Notation) -> None:
        self.words = notation.vocabulary
        self.names = notation.names
        self.mistakes: list[WithPlace] = []
        self.prefixes: list[Prefix] = []
        self.around: Hex | None = None
        self.inside: Hex | None = None
        self.besides: list[str] = []
        self.turns = 1
        self.only: str | None = None

    def form(self, tree: Tree[Token], kind: str) -> Argument:
        """Return the form of a parse tree, or a word of its kind."""
        name = str(tree.data)
        if name.startswith("p_"):
            return Argument(name.removeprefix("p_"), kind)
        sentence = self.words.sentences[int(name.removeprefix("s_"))]
        kinds = self.words.entry_of(sentence).kinds
        args = [
            Argument(sentence.implied(place) or _FREE, each) for place, each in enumerate(kinds)
        ]
        children = cast("list[Tree[Token] | None]", tree.children)
        for slot, child in zip(slots(parse_template(sentence.text)), children, strict=True):
            if child is not None:
                self.slot(args, slot, child, kinds)
        return self.completed(Argument(FunctionTerm(sentence.form, tuple(args)), kind))

    def slot(
        self, args: list[Argument], slot: TemplateSlot, child: Tree[Token], kinds: tuple[str, ...]
    ) -> None:
        """Put the text of a slot into its parts of the form."""
        token = _token(child)
        if slot.about == "course":
            self.only = str(child.data).removeprefix("p_")
        elif slot.about == "turns":
            self.turns = int(token)
        elif slot.place < 0:
            self.besides.append(_name(token))
        elif slot.sign == "@":
            spot = self.value(token, "spot")
            if isinstance(spot, Vertex):
                args[slot.place] = Argument(spot.hex, kinds[slot.place])
                args[slot.other] = Argument(spot.corner, kinds[slot.other])
        elif slot.sign == "/":
            side, _, level = token.partition("/")
            args[slot.place] = self.argument(token.update(value=side), kinds[slot.place])
            if level:
                args[slot.other] = self.argument(token.update(value=level), kinds[slot.other])
        elif str(child.data).startswith(("s_", "p_")):
            args[slot.place] = self.form(child, kinds[slot.place])
        else:
            args[slot.place] = self.argument(token, kinds[slot.place])

    def completed(self, said: Argument) -> Argument:
        """Return a form with loosely expressed parts made precise.

        A step may name a bypassed vertex by a hex, or lead into Bypass at any vertex of a hex. A
        vertex of a hexside may be named by the hex that it touches.
        """
        compound = cast(FunctionTerm, said.value)
        args = list(compound.args)
        sides = [each.value for each in args if isinstance(each.value, Hexside)]
        for place, arg in enumerate(args):
            if arg.kind == "spot" and isinstance(arg.value, Hex):
                if sides:
                    args[place] = arg._replace(value=self.end_of(sides[0], arg.value))
                elif said.kind == "way":
                    self.around = arg.value
                    return Argument(_FREE, said.kind)
        if (hex_ := bypassed_hex(args)) is not None:
            (spot,) = (each.value for each in cast(FunctionTerm, args[-1].value).args)
            if isinstance(spot, Vertex):
                args[-2] = args[-2]._replace(value=Location(spot))
            else:
                self.inside = hex_
                args[-2] = args[-2]._replace(value=_FREE)
        return said._replace(value=FunctionTerm(compound.name, tuple(args)))

    def end_of(self, side: Hexside, hex_: Hex) -> Term:
        """Return the end of a hexside that touches a hex."""
        for one, other in (side, (side.b, side.a)):
            for corner in range(6):
                around = (one.neighbour(corner), one.neighbour(corner + 1))
                if hex_ in around and other in around and hex_ != other:
                    found = Vertex(one, corner)
                    return vertex_in_hex(side.a, found) or found
        self.mistakes.append(
            (ValueMistake(f"neither end of the hexside {side} touches the hex {hex_}"), 1, 1)
        )
        return hex_

    def argument(self, token: Token, kind: str) -> Argument:
        """Return the value of a token for its kind."""
        if kind in PLACED and token.type in ("NAME", "STRING"):
            return Argument(UnitLocation(_name(token)), kind)
        return Argument(self.value(token, kind), kind)

    def value(self, token: Token, kind: str) -> Term:
        """Return the value of a token for its kind; note a mistake."""
        at = (token.line or 1, token.column or 1)
        if kind == "unit":
            return _name(token)
        text, prefixes = str(token), list[str]()
        if kind in _WITH_BOARD:
            text, prefixes = values.without_board(token, self.names)
        self.prefixes += [(prefix, *at) for prefix in prefixes]
        try:
            if kind == "corner" and not text.isdigit():
                return cast(Vertex, values.read_spot(text, self.names)).corner
            if kind in SCALES:
                return values.read_number(text, kind)
            reader = _READERS.get(kind)
            if reader is not None:
                return reader(text, self.names)
            return values.read_word(text, kind, self.words)
        except ValueMistake as mistake:
            self.mistakes.append((mistake, *at))
            return Hex(0, 1)


#: The kinds of arguments whose hexes may have a board prefix.
_WITH_BOARD = frozenset({"hex", "hexside", "spot", "corner", *PLACED})
_READERS: dict[str, Callable[[str, MapNames], Term]] = {
    "hex": values.read_hex,
    "hexside": values.read_side,
    "spot": values.read_spot,
    "location": values.read_location,
    "party": values.read_location,
}


def _token(tree: Tree[Token]) -> Token:
    """Return the first token of a tree; a phrase has none and gives an empty one."""
    for child in tree.children:
        return _token(child) if isinstance(child, Tree) else child
    return Token("", "")


def _name(token: Token) -> str:
    """Return the name of a unit, quoted or not."""
    return unquoted(token) if token.type == "STRING" else str(token)
