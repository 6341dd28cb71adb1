"""Parser of queries, actions and rolls, and its error messages.

Names and kinds are checked against kb/vocabulary.lp. A misspelled name, a missing argument or a hex
in place of a Location is therefore an error, where clingo would silently find no answer.

An action or a roll is a sentence, `A moves to V3/2 by stairs`, or a term as in a question:
`step(move, "A", U4, V3, enter)`. A sentence may leave parts open, such as the manner or the start. Open
parts become variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from rules_asp.game.grid import Hex, Location
from rules_asp.game.map_layout import MapNames
from rules_asp.game.query import (
    ITS_VALUE,
    PLACED,
    Argument,
    DeedQuery,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    RollQuery,
    UnitLocation,
    UnitLosTerm,
    Variable,
    canonical_vertices,
)
from rules_asp.game.values import (
    QUOTED,
    SCALES,
    Notation,
    Term,
    default_notation,
    unquoted,
    with_article,
)
from rules_asp.game.vocabulary import YES, YES_NO, Declaration, Topic, Vocabulary
from rules_asp.parser import values
from rules_asp.parser.errors import (
    Prefix,
    ValueMistake,
    WithPlace,
    check_length,
    error_for,
    nearest,
    unknown_board_errors,
)
from rules_asp.parser.lark_grammar import (
    asks_nothing,
    explain_parse_error,
    grammar_of,
    no_form,
    no_number,
    unknown_name,
    way_to_a_hex,
)
from rules_asp.parser.sentences import TOPIC, as_query_term, form_of, read_sentence, spoken_kinds
from rules_asp.runtime.limits import size_limit, too_large_message

_T = TypeVar("_T")

# --- A question split into literals, so that each can have a message of its own.


def split_at_commas(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text between commas outside brackets and quotes, each with its position."""
    depth, start, quoted = 0, 0, False
    for place, sign in enumerate(text):
        if sign == '"':
            quoted = not quoted
        elif not quoted:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and not depth:
                yield start, text[start:place]
                start = place + 1
    yield start, text[start:]


# --- Values that fit a kind in a question.


_PLACE_KINDS: dict[str, tuple[str, Callable[[str, MapNames], Term]]] = {
    "hex": ("a hex such as U4", values.read_hex),
    "hexside": ("a hexside such as U4-V3", values.read_side),
    "spot": ("a hex or a vertex such as K13@L12-K12", values.read_spot),
    "location": ("a Location such as U4/1", values.read_location),
    "party": ('a unit such as "A", or a Location such as U4/1', values.read_location),
}
#: Kinds of words without a complete list in kb/vocabulary.lp.
_FREE_WORDS = frozenset({"side", "terrain", "event_name", YES_NO})
#: Kinds of forms that may also be free words: a part of a hex is a terrain or its ground.
_FORMS_OR_WORDS = frozenset({"part"})


def convert(shape: str, text: str, kind: str, notation: Notation) -> Argument:
    """Convert a token of this shape to a value of the kind; ValueMistake if they do not agree."""
    words = notation.vocabulary
    if kind in _PLACE_KINDS:
        if kind in PLACED and shape == "STRING":
            return Argument(UnitLocation(unquoted(text)), kind)
        wanted, reader = _PLACE_KINDS[kind]
        if shape != "PLACE" or values.shape_of(text) not in values.SHAPES[kind]:
            raise ValueMistake(f"{text} is not {with_article(kind_text(kind))}", [wanted])
        return Argument(reader(text, notation.names), kind)
    if kind == "floor" and shape != "NUMBER":
        return Argument(values.read_floor(text), kind)
    if kind == "sight":
        raise ValueMistake(f"{text} is not a line of sight", ["two Locations such as U4/1 - V3"])
    if kind in SCALES:
        if shape != "NUMBER":
            raise no_number(text, kind, notation.names)
        return Argument(values.read_number(text, kind), kind)
    if kind in QUOTED:
        if shape == "STRING":
            return Argument(unquoted(text), kind)
        raise ValueMistake(f"the {kind} {text} must be in double quotes", [f'"{text}"'])
    if is_simple(kind, words):
        if shape != "WORD":
            raise ValueMistake(f"{text} is not {with_article(kind_text(kind))}", ["a word"])
        return Argument(values.read_word(text, kind, words), kind)
    return _untyped(shape, text, kind, notation)


def _untyped(shape: str, text: str, kind: str, notation: Notation) -> Argument:
    """Convert a value by its shape alone if the vocabulary gives no kind.

    If the value may be a form, a single word is accepted only for a form without arguments.
    """
    words = notation.vocabulary
    forms = {n: f for n, f in words.forms.items() if kind in (f.kind, "topic")}
    entries: dict[str, Declaration] = {**(words.topics if kind == "topic" else {}), **forms}
    entry = entries.get(text.replace("-", "_"))
    if entry is not None and entry.kinds:
        raise ValueMistake(f"{text} is not {with_article(kind_text(kind))}", [entry.form])
    is_free = kind in _FORMS_OR_WORDS and shape == "WORD"
    if entries and not is_free and (shape != "WORD" or entry is None):
        raise no_form(text, kind_text(kind), None, list(entries.values()))
    if shape == "PLACE":
        place = {"hex": "hex", "side": "hexside"}.get(values.shape_of(text), "location")
        return Argument(_PLACE_KINDS[place][1](text, notation.names), kind)
    if shape == "NUMBER":
        return Argument(values.read_number(text), kind)
    if shape == "STRING":
        return Argument(unquoted(text), "text")
    return Argument(values.read_word(text, kind, words), kind)


def join_sort(kind: str) -> str | None:
    """Return the sort of a kind; kinds of one sort can be compared, and None fits every sort."""
    if kind in SCALES:
        return {2: "half_level", 4: "quarter"}.get(SCALES[kind], "number")
    return kind if kind in QUOTED or kind in {*_PLACE_KINDS} - {"party"} else None


def is_simple(kind: str, words: Vocabulary) -> bool:
    """Test whether values of the kind are single words, numbers, texts or places."""
    return any(kind in each for each in (_PLACE_KINDS, SCALES, QUOTED, _FREE_WORDS, words.words))


def kind_text(kind: str) -> str:
    """Return a kind in words."""
    told = {
        "location": "Location",
        "party": "unit or Location",
        "deed": "action",
        "sight": "line of sight",
    }
    return told.get(kind) or kind.replace("_", " ")


# --- Sentences in place of terms: the message for `tem(fire from A1 at B2) = V` names shot(A1, B2,
# ...).


#: Text before a sentence: a negation or `can`.
_BEFORE = re.compile(r"\s*(?:not\s+)?(?:can\s+)?")
#: A property with its argument, perhaps with a value: `tem(...) = V`.
_CALL = re.compile(r"\s*(?:not\s+)?(?P<name>\w+)\s*\((?P<inner>.*)\)[^()]*", re.DOTALL)
#: Maximum nesting of forms.
_DEPTH = 9
#: Two words in a row occur only in a sentence.
_SAID = re.compile(r"\s*(?:\w+|\"[^\"]*\")\s+\w")


def sentence_in_query_error(text: str, notation: Notation) -> WithPlace | None:
    """Return the mistake of a question that contains the sentence of an action or form; else None."""
    words = notation.vocabulary
    for start, part in split_at_commas(text):
        before = _BEFORE.match(part)
        said = as_query_term(part[before.end() :] if before else part, "deed", notation)
        if said is not None:
            what = f"this is an action, not a question: use `can`, or write legal({said})"
            return ValueMistake(what), *_at(text, start, part)
        for begins, inner, kind in _sentences_within(part, start, words):
            meant = form_of(inner, kind, notation) if kind in spoken_kinds(words) else None
            said = str(_with_places_open(meant)) if meant else None
            forms = [each.form for each in words.forms.values() if each.kind == kind]
            what = f"write the {kind_text(kind)} as a term, not as a sentence"
            return ValueMistake(what, [said] if said else forms[:3]), *_at(text, begins, inner)
    return None


def _sentences_within(
    part: str, start: int, words: Vocabulary, depth: int = 0
) -> Iterator[tuple[int, str, str]]:
    """Yield sentences in place of forms, each with its position and the kind of form."""
    call = _CALL.fullmatch(part) if depth < _DEPTH else None
    name = call["name"].replace("-", "_") if call else ""
    entry = words.topics.get(name) or words.predicate(name) or words.forms.get(name)
    if call is None or entry is None:
        return
    inner = split_at_commas(call["inner"])
    for (begins, told), kind in zip(inner, entry.kinds, strict=False):
        place = start + call.start("inner") + begins
        if _SAID.match(told) and any(each.kind == kind for each in words.forms.values()):
            yield place, told, kind
        else:
            yield from _sentences_within(told, place, words, depth + 1)


def _with_places_open(form: Argument) -> Argument:
    """Return a form with variables for places instead of words and units."""
    assert isinstance(form.value, FunctionTerm)
    args = tuple(
        each._replace(value=Variable(each.value.unit))
        if each.kind == "location" and isinstance(each.value, UnitLocation)
        else each
        for each in form.value.args
    )
    return form._replace(value=FunctionTerm(form.value.name, args))


def _at(text: str, start: int, part: str) -> tuple[int, int]:
    """Return the line and column where a part begins."""
    begins = start + len(part) - len(part.lstrip())
    return text.count("\n", 0, begins) + 1, begins - text.rfind("\n", 0, begins)


# --- Questions from text: `height(U4) = V, not linked(U4/1, V3/1)`.


_Node = Token | Tree[Token] | None


@dataclass
class QueryParse:
    """A question as far as it could be read, and the mistakes with their line and column."""

    query: Query | None = None
    problems: list[WithPlace] = field(default_factory=list)
    prefixes: list[Prefix] = field(default_factory=list)


def parse_query(
    text: str,
    boards: Collection[str] | None = None,
    notation: Notation | None = None,
    open_sights: bool = False,
) -> Query:
    """Read a question; BoardError lists its mistakes.

    boards: the names that may prefix a hex id (20E7); None does not check them. notation: the names
    of words and hexes. open_sights: both ends of an LOS may be left open.
    """
    check_length("question", text)
    reading = read_query(text, notation or default_notation(), open_sights=open_sights)
    mistakes = reading.problems + unknown_board_errors(reading.prefixes, boards)
    if mistakes or reading.query is None:
        raise error_for("question", text, mistakes)
    return reading.query


def read_query(
    text: str, notation: Notation, bare: bool = False, open_sights: bool = False
) -> QueryParse:
    """Read a question; the result contains its mistakes.

    bare: a topic needs no value (`expect unknown height(U4)`); it gets ITS_VALUE.
    """
    reading = QueryParse()
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        said = as_query_term(text, TOPIC, notation)
        if said is not None:
            return read_query(said, notation, bare, open_sights)
        wrong = sentence_in_query_error(text, notation)
        if wrong is None and _is_plain_sentence(text):
            wrong = ValueMistake("this is not a question that `ask` understands", _QUESTIONS), 1, 1
        wrong = wrong or explain_parse_error(_grammar(), error, text)
        reading.problems.append(wrong)
        return reading
    literals = _Question(reading, notation, bare, open_sights).literals(tree)
    if not reading.problems:
        reading.query = Query(literals)
    return reading


#: An example of a question for texts that do not look like one.
_QUESTIONS = ("a property such as height(C3) = V; see `rules-asp help questions`",)


def _is_plain_sentence(text: str) -> bool:
    """Test whether a text is only words without a property: `who is in C3`."""
    return len(text.split()) > 1 and not set("()=<>,") & set(text)


@cache
def _grammar() -> Lark:
    return grammar_of("query", ["query"])


class _Misplaced(Exception):
    """A mistake at a token."""

    def __init__(self, mistake: ValueMistake, token: Token) -> None:
        super().__init__(mistake.message)
        self.mistake = mistake
        self.token = token


class _Question:
    """The reader of one question: literals first, since they give the kinds of variables."""

    def __init__(
        self, reading: QueryParse, notation: Notation, bare: bool, open_sights: bool = False
    ) -> None:
        self.open_sights = open_sights
        self.reading = reading
        self.notation = notation
        self.words = notation.vocabulary
        self.bare = bare
        self.kinds: dict[str, str] = {}
        self.bound: set[str] = set()
        self.loose: dict[str, Token] = {}

    def literals(self, tree: Tree[Token]) -> tuple[QueryLiteral | QueryComparison, ...]:
        """Return all literals and comparisons in the order of the text."""
        children = cast("list[Tree[Token]]", tree.children)
        if len(children) > size_limit("literals"):
            self.note(
                ValueMistake(too_large_message("literals")),
                _first(children[size_limit("literals")].children[1]),
            )
            return ()
        read: dict[int, QueryLiteral | QueryComparison] = {}
        for index in sorted(range(len(children)), key=lambda i: self.is_comparison(children[i])):
            try:
                read[index] = self.literal(*children[index].children)
            except _Misplaced as error:
                self.note(error.mistake, error.token)
        for name, token in self.loose.items():
            if name not in self.bound and not self.reading.problems:
                wrong = (
                    f"the variable {name} never gets a value: use it in a property without `not`"
                )
                self.note(ValueMistake(wrong, ["`_` in its place, if it may be anything"]), token)
        return tuple(read[index] for index in sorted(read))

    def note(self, mistake: ValueMistake, token: Token) -> None:
        """Store a mistake with its place."""
        self.reading.problems.append((mistake, token.line or 1, token.column or 1))

    def is_comparison(self, tree: Tree[Token]) -> bool:
        """Test whether a literal only compares two values."""
        _, left, operator, _ = tree.children
        return (
            operator is not None
            and isinstance(left, Tree)
            and left.data == "value"
            and str(left.children[0]) not in self.words.topics
        )

    def literal(
        self, denial: _Node, left: _Node, operator: _Node, right: _Node
    ) -> QueryLiteral | QueryComparison:
        """Read `not` or nothing, an operand, and optionally an operator with a second operand."""
        assert isinstance(left, Tree)
        name = cast(Token, left.children[0])
        if (
            left.data == "value"
            and (operator is not None or name.type != "WORD")
            and str(name) not in self.words.topics
        ):
            return self.comparison(denial, name, operator, right)
        entry = self.entry(name)
        negated = denial is not None
        args = self.arguments(entry, name, left.children[1:], negated)
        value = self.value(entry, name, operator, right, negated)
        return canonical_vertices(QueryLiteral(entry.name, args, value, negated))

    def arguments(
        self, entry: Declaration, name: Token, args: Sequence[_Node], loose: bool
    ) -> tuple[Argument, ...]:
        """Return the arguments of a predicate or topic, each read for its kind."""
        if len(args) != len(entry.kinds):
            wanted = len(entry.kinds)
            raise _Misplaced(
                ValueMistake(
                    f"{name} takes {wanted} argument{'s' * (wanted != 1)}: write {entry.form}"
                ),
                name,
            )
        words = tuple(str(_first(arg)).lower() for arg in args)
        kinds = self.words.kinds_of(entry.kinds, words)
        return tuple(self.argument(*pair, loose) for pair in zip(args, kinds, strict=True))

    def entry(self, name: Token) -> Declaration:
        """Return the declaration of this name."""
        word = str(name).replace("-", "_")
        entry = self.words.topics.get(word) or self.words.predicate(word)
        if entry is None and (form := self.words.forms.get(word)) is not None:
            raise _Misplaced(asks_nothing(form, self.words), name)
        if entry is None:
            raise _Misplaced(unknown_name(name, self.words), name)
        return entry

    def value(
        self, entry: Declaration, name: Token, operator: _Node, right: _Node, negated: bool
    ) -> Argument | None:
        """Return the required value of the topic; None for a predicate."""
        if not isinstance(entry, Topic):
            if operator is not None:
                said = f"{name}(...) or not {name}(...)"
                wrong = f"{name} is true or false, so it cannot have a value"
                raise _Misplaced(ValueMistake(wrong, [said]), name)
            return None
        if operator is None and self.bare:
            return Argument(ITS_VALUE, entry.value)
        if operator is None:
            if entry.value != YES_NO:
                raise _Misplaced(
                    ValueMistake(f"the value of {name} is missing: write {entry.form} = V"), name
                )
            return Argument(YES, YES_NO)
        if operator != "=":
            hint = f"{entry.form} = V, V {operator} ..."
            raise _Misplaced(
                ValueMistake(f"a property can only be followed by `=`: write {hint}"), name
            )
        return self.argument(right, entry.value, negated)

    def comparison(
        self, denial: _Node, left: Token, operator: _Node, right: _Node
    ) -> QueryComparison:
        """Read `V > 2`: the value has the kind of the variable on the other side."""
        if operator is None:
            raise _Misplaced(
                ValueMistake(
                    f"{left} is only part of a question: write a property such as height(C3) = V"
                ),
                left,
            )
        if denial is not None:
            raise _Misplaced(
                ValueMistake(
                    "`not` cannot precede a comparison: use the opposite operator, such as <= for >"
                ),
                left,
            )
        kinds = [self.kinds[side] for side in (left, _first(right)) if side in self.kinds]
        kind = kinds[0] if kinds else "anything"
        one, other = (self.argument(side, kind, loose=True) for side in (left, right))
        return QueryComparison(one, str(operator), other)

    # --- arguments

    def argument(self, node: _Node, kind: str, loose: bool = False) -> Argument:
        """Return an argument of this kind; `loose`: a variable is not bound by it."""
        if isinstance(node, Tree) and node.data == "call":
            return self.compound(node, kind, loose)
        if isinstance(node, Tree) and node.data == "sight":
            if is_simple(kind, self.words):
                said = " and ".join(map(str, node.children))
                hint = [f"a variable: S, with borders(S, H) for each of {said}"]
                wrong = ValueMistake(
                    f"a line of sight is not {with_article(kind_text(kind))}",
                    hint if kind == "hexside" else [],
                )
                raise _Misplaced(wrong, _first(node))
            one, other = cast("list[Token]", node.children)
            return Argument(self.sight(one, other, loose), kind)
        token = _first(node)
        if token.type == "VARIABLE":
            return Argument(self.variable(token, kind, loose), kind)
        if kind == "reason":
            self.arguments(self.reason(token), token, (), loose)
        return self.token(token, kind)

    def sight(self, one: Token, other: Token, loose: bool) -> LosTerm | OpenLosTerm | UnitLosTerm:
        """Return an LOS between two Locations or units; one end may be open."""
        free = [end for end in (one, other) if end.type == "VARIABLE"]
        if len(free) == 2 and not self.open_sights:
            mistake = ValueMistake(
                "both ends of this line of sight are variables: name one end, or write S for the whole line"
            )
            raise _Misplaced(mistake, one)
        if free and free[0] == "_":
            raise _Misplaced(
                ValueMistake("`_` cannot be an end of a line of sight: write a variable such as X"),
                free[0],
            )
        a, b = (self.argument(end, "location", loose).value for end in (one, other))
        if isinstance(a, Location) and isinstance(b, Location):
            return LosTerm(a, b)
        if isinstance(a, Location) and isinstance(b, Variable):
            return OpenLosTerm(a, b)
        if isinstance(a, Variable) and isinstance(b, Location):
            return OpenLosTerm(b, a)
        return UnitLosTerm(*cast("list[Location | UnitLocation | Variable]", [a, b]))

    def token(self, token: Token, kind: str) -> Argument:
        """Read a token that is not a variable as an argument of this kind."""
        text, prefixes = str(token), list[str]()
        if token.type == "PLACE":
            text, prefixes = values.without_board(token, self.notation.names)
        self.reading.prefixes += [(each, token.line or 1, token.column or 1) for each in prefixes]
        try:
            return convert(token.type, text, kind, self.notation)
        except ValueMistake as mistake:
            raise _Misplaced(mistake, token) from None

    def compound(self, node: Tree[Token], kind: str, loose: bool) -> Argument:
        """Read a topic, action or other form, and check its parts; other terms are read by shape."""
        name = _first(node)
        if sum(1 for _ in node.iter_subtrees()) > size_limit("nested"):
            raise _Misplaced(ValueMistake(too_large_message("nested")), name)
        form = self.words.forms.get(str(name).replace("-", "_"))
        if kind == "topic" and str(name) in self.words.topics:
            entry = self.words.topics[str(name)]
            args = self.arguments(entry, name, node.children[1:], loose)
        elif kind == "reason":
            args = self.arguments(self.reason(name), name, node.children[1:], loose)
        elif form is not None and kind in (form.kind, "anything", "topic"):
            args = self.arguments(form, name, node.children[1:], loose)
            for arg, child in zip(args, node.children[1:], strict=True):
                if form.kind == "way" and isinstance(arg.value, Hex):
                    raise _Misplaced(way_to_a_hex(arg.value), _first(child))
        elif kind in {each.kind for each in self.words.forms.values()}:
            of_kind = [each for each in self.words.forms.values() if each.kind == kind]
            raise _Misplaced(no_form(str(name), kind_text(kind), form, of_kind), name)
        elif is_simple(kind, self.words):
            topic = self.words.topics.get(str(name).replace("-", "_"))
            hint = [f"V, where the question says {topic.form} = V besides"] if topic else []
            raise _Misplaced(
                ValueMistake(f"{name}(...) is not {with_article(kind_text(kind))}", hint), name
            )
        elif kind == "sight":
            mistake = ValueMistake(
                f"{name}(...) is not a line of sight", ["two Locations such as U4/1 - V3"]
            )
            raise _Misplaced(mistake, name)
        elif kind == "topic" or (kind == "anything" and str(name) not in self.words.topics):
            known = [*self.words.topics, *self.words.forms]
            near = nearest(str(name).replace("-", "_"), known)
            raise _Misplaced(ValueMistake(f"the rules do not define {name}", nearest=near), name)
        else:
            args = tuple(self.argument(arg, "anything", loose) for arg in node.children[1:])
        return Argument(FunctionTerm(str(name).replace("-", "_"), args), kind)

    def reason(self, name: Token) -> Declaration:
        """Return the declaration of the reason with this name."""
        word = str(name).replace("-", "_")
        entry = self.words.reasons.get(word)
        if entry is None:
            near = nearest(word, self.words.reasons)
            raise _Misplaced(
                ValueMistake(f"{name} is not a reason why something is unknown", nearest=near), name
            )
        return entry

    def variable(self, token: Token, kind: str, loose: bool) -> Variable:
        """Return a variable; a variable of two kinds is a mistake, since it could never hold."""
        name = str(token)
        if name == "_":
            return Variable(name)
        first = self.kinds.setdefault(name, kind)
        if join_sort(first) and join_sort(kind) and join_sort(first) != join_sort(kind):
            mistake = ValueMistake(
                f"the variable {name} is used as {with_article(kind_text(first))}"
                f" and as {with_article(kind_text(kind))}"
            )
            raise _Misplaced(mistake, token)
        if loose:
            self.loose.setdefault(name, token)
        else:
            self.bound.add(name)
        return Variable(name)


def _first(node: _Node) -> Token:
    """Return the first token of an operand."""
    while isinstance(node, Tree):
        node = cast(_Node, node.children[0])
    assert node is not None
    return node


def parse_deed(
    text: str, boards: Collection[str] | None = None, notation: Notation | None = None
) -> DeedQuery:
    """Read an action; BoardError describes the mistakes.

    boards: the names that may prefix a hex id (20E7); None does not check them.
    """
    return _parsed("action", read_deed, text, boards, notation)


def parse_roll(
    text: str, boards: Collection[str] | None = None, notation: Notation | None = None
) -> RollQuery:
    """Read a roll such as `the Bog Check of T in U4 with colored 2`; BoardError describes the
    mistakes."""
    return _parsed("roll", read_roll, text, boards, notation)


def _parsed(
    kind: str,
    read: Callable[[str, Notation], tuple[_T | None, list[WithPlace], list[Prefix]]],
    text: str,
    boards: Collection[str] | None,
    notation: Notation | None,
) -> _T:
    check_length(kind, text)
    found, mistakes, prefixes = read(text, notation or default_notation())
    mistakes += unknown_board_errors(prefixes, boards)
    if mistakes or found is None:
        raise error_for(kind, text, mistakes)
    return found


def read_roll(
    text: str, notation: Notation
) -> tuple[RollQuery | None, list[WithPlace], list[Prefix]]:
    """Return a roll as far as it can be read, its mistakes, and the boards named in hex ids."""
    form, given, shown = text, _GIVEN.search(text), []
    if given is not None:
        form = text[: given.start()]
        dice = _DIE.findall(given[0])
        shown = [("sum" if die.lower() == "dr" else die, int(number)) for die, number in dice]
    if _in_full(form):
        roll, mistakes, prefixes = _read_within("dice(", form, ") = Dice", notation)
    else:
        doing, mistakes, prefixes = read_sentence(form, "roll", notation)
        # A roll has no conditions beside its form.
        roll = None if doing is None or doing != DeedQuery(doing.deed) else doing.deed
    if not mistakes and (roll is None or _has_open(roll)):
        mistakes = [(_unsaid(roll, notation.vocabulary), 1, 1)]
    made = None if roll is None or mistakes else RollQuery(roll, tuple(shown))
    return made, mistakes, prefixes


#: Known dice at the end of a roll: `with colored 2 white 5`, `with DR 7`.
_DIE = re.compile(r"\b(colored|white|DR|dr)\s+([0-9]{1,2})\b")
_GIVEN = re.compile(rf"(?<!\s)\s+with(?:[\s,]+{_DIE.pattern})+\s*$")


def _has_open(roll: Argument) -> bool:
    """Test whether a roll leaves a part open, named or unnamed."""
    value = roll.value
    return isinstance(value, Variable) or (
        isinstance(value, FunctionTerm) and any(map(_has_open, value.args))
    )


def _unsaid(roll: Argument | None, words: Vocabulary) -> ValueMistake:
    """Return the mistake of an incomplete roll: the first missing part, and how to write it."""
    parts = roll.value.args if roll is not None and isinstance(roll.value, FunctionTerm) else ()
    for part in parts:
        if isinstance(part.value, Variable):
            kind = part.kind.replace("_", "-")
            ways = (
                words.phrases.get((part.kind, one), one) for one in words.words.get(part.kind, ())
            )
            return ValueMistake(f"the {kind} of this roll is missing", [*ways] or [f"a {kind}"])
    return ValueMistake("this die roll is incomplete", known_rolls(words))


def known_rolls(words: Vocabulary) -> list[str]:
    """Return the rolls of the rules."""
    return [each.form for each in words.forms.values() if each.kind == "roll"]


def read_deed(
    text: str, notation: Notation
) -> tuple[DeedQuery | None, list[WithPlace], list[Prefix]]:
    """Return an action as far as it can be read, its mistakes, and the boards named in hex ids."""
    if not _in_full(text):
        return read_sentence(text, "deed", notation)
    deed, mistakes, prefixes = _read_within("legal(", text, ")", notation)
    if deed is None and not mistakes:
        mistakes.append((ValueMistake("this is not an action"), 1, 1))
    return None if deed is None else DeedQuery(deed), mistakes, prefixes


#: Brackets outside quoted texts.
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[()]', re.DOTALL)


def _in_full(text: str) -> bool:
    """Test whether a text is a term with brackets, not a sentence."""
    return any(found[0] == "(" for found in _BRACKET.finditer(text))


def _loose(text: str) -> int | None:
    """Return the position of an unmatched closing bracket: the text after it would be ignored."""
    depth = 0
    for found in _BRACKET.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0:
            return found.start()
    return None


def _read_within(
    before: str, text: str, after: str, notation: Notation
) -> tuple[Argument | None, list[WithPlace], list[Prefix]]:
    """Read a term as the first argument of a question literal around it.

    Positions refer to the text alone.
    """
    if (loose := _loose(text)) is not None:
        line = text.count("\n", 0, loose) + 1
        column = loose - text.rfind("\n", 0, loose)
        return (
            None,
            [(ValueMistake("this closing parenthesis has no opening parenthesis"), line, column)],
            [],
        )
    reading = read_query(f"{before}{text}{after}", notation)
    lines = text.split("\n")

    def within(line: int, column: int) -> tuple[int, int]:
        own = column - (len(before) if line == 1 else 0)
        return min(line, len(lines)), min(max(1, own), len(lines[min(line, len(lines)) - 1]) + 1)

    mistakes = [(mistake, *within(*at)) for mistake, *at in reading.problems]
    prefixes = [(prefix, *within(*at)) for prefix, *at in reading.prefixes]
    literal = reading.query.literals[0] if reading.query else None
    if isinstance(literal, QueryLiteral) and isinstance(literal.args[0].value, FunctionTerm):
        return literal.args[0], mistakes, prefixes
    return None, mistakes, prefixes
