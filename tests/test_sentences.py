"""Sentences and mistakes: each form is written and parsed back unchanged, and misspelled words are named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rules_asp import api, parser
from rules_asp.cli.app import main
from rules_asp.game.board import Expect
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    Query,
    UnitLocation,
    bypassed_hex,
    canonical_deed,
)
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import Form, vocabulary
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.parser import BoardError, parse, parse_deed, parse_query
from rules_asp.parser.errors import nearest
from rules_asp.parser.input_syntax import LINES, example_line
from rules_asp.parser.sentences import read_sentence, spoken_kinds
from rules_asp.parser.writer import (
    Part,
    TemplateWord,
    deed_text,
    form_text,
    parse_template,
    slots,
)
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import resolve_deed
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.query_facts import resolve_and_check
from tests.board_texts import hexes, locations, sides, vertices
from tests.positions import program
from tests.sampling import part, slow, some, tries
from tests.test_cases import CASES

WORDS = vocabulary()
SPOKEN = [each for each in WORDS.forms.values() if each.kind in spoken_kinds(WORDS)]
NAMES = ("A", "T-34", "Sgt_Steiner", "squad", "b2", "place", "a", "The", "T1", 'the "Tiger"')


def _value(kind: str, form: str) -> st.SearchStrategy[Argument]:
    if kind in ("deed", "shot", "roll", "event", "way"):
        of_kind = [each for each in SPOKEN if each.kind == kind and "deed" not in each.kinds]
        words = st.sampled_from(WORDS.words[kind]) if kind in WORDS.words else st.nothing()
        inner = st.sampled_from(of_kind).flatmap(forms).map(lambda doing: doing.deed.value)
        return (words | inner).map(lambda value: Argument(value, kind))
    known = {
        "hex": hexes,
        "hexside": sides,
        "spot": vertices,
        "location": locations,
        "unit": st.sampled_from(NAMES),
        "party": locations | st.sampled_from(NAMES).map(UnitLocation),
        "corner": st.integers(0, 5),
        "number": st.integers(0, 9),
        "half_level": st.integers(-2, 9),
        "side": st.sampled_from(("german", "russian")),
    }
    values = known[kind] if kind in known else st.sampled_from(WORDS.words[kind])
    return values.map(lambda value: Argument(value, kind))


@st.composite
def forms(draw: st.DrawFn, form: Form) -> DeedQuery:
    """A form of the vocabulary, with all its places named."""
    args = tuple(draw(_value(kind, form.name)) for kind in form.kinds)
    return canonical_deed(DeedQuery(Argument(FunctionTerm(form.name, args), form.kind)))


@pytest.mark.parametrize("form", SPOKEN, ids=lambda form: form.name)
def test_each_form_is_reported_and_read_back_as_it_was(form: Form) -> None:
    @settings(max_examples=tries(8), deadline=None)
    @given(forms(form))
    def law(doing: DeedQuery) -> None:
        assert isinstance(doing.deed.value, FunctionTerm)
        # In Bypass a step ends at a vertex.
        assume(all(bypassed_hex(each.args) is None for each in _compounds(doing.deed)))
        text = form_text(doing.deed, WORDS)
        assert text is not None, doing
        said, mistakes, _ = read_sentence(text, form.kind, Notation(WORDS))
        assert not mistakes, (text, mistakes)
        assert said == doing, text

    law()


def _compounds(argument: Argument) -> Iterator[FunctionTerm]:
    if isinstance(argument.value, FunctionTerm):
        yield argument.value
        for inner in argument.value.args:
            yield from _compounds(inner)


def test_each_sentence_is_read_as_the_form_by_which_it_stands() -> None:
    example = {
        **dict.fromkeys(("unit", "party", "location", "hex"), "C3"),
        "hexside": "C3-D3",
        "spot": "C3@C2-D2",
        "side": "german",
        "corner": "2",
        "number": "1",
        "half_level": "1 1/2",
        "deed": "A fights B",
        "roll": "the Bog Check of T in C3",
        "shot": "fire from C3 at C3",
    }
    for sentence in WORDS.sentences:
        entry = WORDS.entry_of(sentence)
        kind = entry.kind if isinstance(entry, Form) else "topic"
        spellings = re.sub(r"(\S+?)/[^\s{}\]]*(?<!\d\})", r"\1", sentence.text)
        plain = re.sub(r"\[(?![^]]*\{)[^]]*\]", "", spellings).replace("[", "").replace("]", "")
        text = plain.replace("{0}", "A").replace("{course}", "inside").replace("{turns}", "2")
        for slot in slots(parse_template(sentence.text)):
            if slot.place < 0:
                continue
            of = entry.kinds[slot.place]
            words = WORDS.words.get(of, ("",))
            said = example.get(of) or WORDS.phrases.get((of, words[0])) or words[0]
            said = said.split("/")[0] if of in ("by", "way", "cause") else said
            marked = {"@": "C3@C2-D2", "/": "C3-D3/1", "": said.replace("_", "-")}[slot.sign]
            text = re.sub(rf"\{{{slot.place + 1}[^}}]*\}}", marked, text, count=1)
        bare = re.sub(r"\b(?:a|an|the) ", "", text)
        begins = next(part for part in parse_template(sentence.text) if not _is_article(part))
        capital = isinstance(begins, TemplateWord) and [bare[0].upper() + bare[1:]]
        for each in (text, bare, *(capital or ())):
            doing, mistakes, _ = read_sentence(each, kind, Notation(WORDS))
            assert doing is not None, (sentence, each, [str(m[0]) for m in mistakes])
            assert isinstance(doing.deed.value, FunctionTerm)
            assert doing.deed.value.name == sentence.form


def _is_article(part: Part) -> bool:
    return isinstance(part, TemplateWord) and part.is_article


def test_what_the_cases_ask_is_reported_and_read_back() -> None:
    asked = {}
    for path in CASES:
        for each in parser.load(path).statements:
            if isinstance(each, Expect) and isinstance(each.question, DeedQuery):
                assert parse_deed(deed_text(each.question, WORDS)) == each.question
            for argument in _arguments(each) if isinstance(each, Expect) else ():
                for form in _spoken_in(argument):
                    asked[str(form)] = form
    assert len(asked) > len(CASES)
    for form in asked.values():
        text = form_text(form, WORDS)
        if text is None:
            # A name for what is left open has no place in a sentence.
            assert form.variables, form
            continue
        assert isinstance(form.value, FunctionTerm)
        doing, mistakes, _ = read_sentence(text, WORDS.forms[form.value.name].kind, Notation(WORDS))
        assert doing is not None, (text, mistakes)
        assert doing.deed.value == form.value, text


def _arguments(expect: Expect) -> Iterator[Argument]:
    if isinstance(expect.question, Query):
        for literal in expect.question.literals:
            yield from literal.arguments


def _spoken_in(argument: Argument) -> Iterator[Argument]:
    names = {each.name for each in SPOKEN}
    for each in _compounds(argument):
        if each.name in names:
            yield Argument(each, WORDS.forms[each.name].kind)


# --- mistakes

_TOKEN = re.compile(r'"[^"]*"|[A-Z]{1,2}[0-9]{1,3}\b|(?<![@/\w"])[a-z][a-z_-]*[a-z]\b')
_LEFT = ("not", "yes", "no")


def _misspelt(text: str) -> Iterator[tuple[str, str]]:
    """A text with each of its words, hexes and quoted names misspelt in turn, and what it then says."""
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word in _LEFT or (text[found.end() :].startswith(("/", "@")) and word.islower()):
            continue
        wrong = (
            f'{word[:-1]}qz"'
            if word.startswith('"')
            else "ZZ99"
            if word[0].isupper()
            else f"{word}qz"
        )
        yield text[: found.start()] + wrong + text[found.end() :], wrong.strip('"')


@pytest.mark.parametrize("path", some(CASES, 12), ids=lambda path: path.stem)
def test_a_misspelt_word_unit_or_hex_is_named(path: Path) -> None:
    case = load(path, program())
    wrong: list[tuple[str, str, bool]] = []
    for each in case.board.statements:
        question = each.question if isinstance(each, Expect) else None
        if isinstance(question, Query):
            # What a fault of the board is about may be anything.
            about = str(question).rpartition(",")[0] if "violates(" in str(question) else None
            wrong += [
                (*one, False)
                for one in _misspelt(str(question))
                if about is None or not one[0].startswith(about)
            ]
        elif isinstance(question, DeedQuery):
            wrong += [(*one, True) for one in _misspelt(deed_text(question, WORDS))]
    for text, word, is_deed in some(wrong, 40):
        with pytest.raises((BoardError, QuestionError)) as told:
            _ask(case, text, is_deed)
        assert word in str(told.value), text


def _ask(case: Position, text: str, is_deed: bool) -> None:
    if is_deed:
        resolve_deed(case, parse_deed(text, {case.board.name}))
    else:
        resolve_and_check(case, parse_query(text, {case.board.name}))
    raise AssertionError(f"taken: {text}")


BOARD = """board "streets" grid 6x6
sides german russian
building "hall" gray: C3 D3   joined C3-D3   stairwell C3
building brown: D5
unknown terrain jungle-hut: A1
unit A squad 4-6-7 german at C3
unit T vehicle german at C5: truck, MP 30
turn 1 german mph
"""


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streets") / "streets.board"
    path.write_text(BOARD, "utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "named"),
    part(
        [
            (("ask", 'at("Aq", L)'), "there is no unit Aq on this board"),
            (("ask", "height(ZZ9) = V"), "ZZ9 is not on this board"),
            (("ask", "linked(C3/7, D3)"), "the hex has C3, C3/1, C3/2"),
            (("ask", "of_side(U, germn)"), "did you mean german?"),
            (("ask", 'named(H, "hal")'), 'the board does not mention "hal"'),
            (("ask", "part(H, wods)"), "did you mean woods?"),
            (("ask", "has_level(C3, rof)"), "did you mean roof?"),
            (("ask", 'defeated("B23.25-33", T, N)'), "there is no rule B23.25-33"),
            (("ask", 'unknown(T, not_given("B24.199"))'), "the rules do not name B24.199"),
            (
                ("ask", "violates(N, fortifed, W)"),
                "fortifed is not a rule that a board can violate",
            ),
            (("ask", 'tem(shot("Q", C3, direct, still)) = V'), "there is no unit Q"),
            (("ask", 'sees("Q" - X)'), "there is no unit Q"),
            (("why", "height(ZZ9) = V"), "ZZ9 is not on this board"),
            (("program", "height(ZZ9) = V"), "ZZ9 is not on this board"),
            (("can", "Q moves to C4"), "there is no unit Q"),
            (("can", "A moves to c4"), "did you mean C4?"),
            (("can", "A moves to C3/7"), "there is no Location C3/7"),
            (("can", "A movs to C4"), "did you mean moves?"),
            (("can", "Q fortifies C3"), "there is no unit Q"),
            (("can", "fire from Q at C3"), "there is no unit Q"),
            (("can", "A remains concealed"), 'in a question, write keeps_concealment("A")'),
            (("roll", "Bog Check of Q in C3"), "there is no unit Q"),
            (("roll", "Bog Chek of T in C3"), "did you mean Check?"),
            (("los", "Q", "C3"), "there is no unit Q"),
            (("los", "Ax", "D3"), "there is no unit Ax"),
            (("tem", "A", "D3/5"), "there is no Location D3/5"),
            (("fire", "A", "Q"), "there is no unit Q"),
            (("moves", "Q"), "there is no unit Q"),
            (("sees", "Q"), "there is no unit Q"),
            (("los", "A", "T", "--if", "woods: ZZ9"), "ZZ9"),
            (("los", "A", "T", "--if", "wods: B1"), "did you mean woods?"),
        ],
        8,
    ),
)
def test_each_command_tells_a_mistake_with_the_word(
    board: Path, words: tuple[str, ...], named: str
) -> None:
    command, *rest = words
    told = CliRunner().invoke(main, [command, str(board), *rest])
    assert told.exit_code == 2, told.output
    assert named in told.output
    if command == "program" or "--if" in words:
        return
    line = " ".join((command, *rest))
    batch = CliRunner().invoke(main, ["batch", str(board)], input=f"{line}\n")
    error = json.loads(batch.output.splitlines()[0])["error"]["message"]
    assert named in error


def test_an_expectation_of_what_is_not_there_is_a_mistake(board: Path) -> None:
    for line, named, code in (
        ("expect cost A to Q = 1", "there is no unit Q", 2),
        ("expect los A - Q clear", "there is no unit Q", 2),
        ('expect not at("Q", L)', "there is no unit Q", 2),
        ("expect not linked(C3/7, D3)", "there is no Location C3/7", 2),
        ('expect not of_side("A", germn)', "did you mean german?", 2),
        ("expect can A moves to C4: no", "answered: yes", 1),
    ):
        path = board.with_name("expects.board")
        path.write_text(f"{BOARD}{line}\n", "utf-8")
        told = CliRunner().invoke(main, ["test", str(path)])
        assert named in told.output, line
        assert told.exit_code == code, line


def test_what_is_drawn_and_unknown_can_be_asked(board: Path) -> None:
    here = api.load(board)
    assert api.ask(here, "part(H, jungle-hut)").found[0].values == (("H", "A1"),)


@slow
def test_a_deed_is_reported_as_a_sentence_and_kept_as_a_term(board: Path) -> None:
    told = CliRunner().invoke(main, ["can", str(board), "A moves to C4"])
    assert told.output.startswith("Yes: A moves to C4 from C3 by entering, 1 MF")
    kept = CliRunner().invoke(main, ["can", str(board), "A moves to C4", "--json"])
    (way,) = json.loads(kept.output)["ways"]
    assert way["deed"] == 'step(move, "A", C3/0, C4/0, enter)'
    assert way["sentence"] == "A moves to C4 from C3 by entering"
    tank = "--if", "unit S vehicle german at C5: fully-tracked AFV CT BU, MP 14"
    told = CliRunner().invoke(main, ["roll", str(board), "the Bog Check of S in D5", *tank])
    assert told.output.startswith("the Bog Check of S in D5: two dice (colored and white)")
    again = CliRunner().invoke(main, ["roll", str(board), 'bog_check("S", D5)', *tank])
    assert again.output == told.output


def test_other_words_and_colons_are_taken() -> None:
    plain = parse('board "x" grid 5x5\nbuilding gray: C3\nfactory C3\nwoods: A1\nlevel 1: B1\n')
    other = parse('board "x" grid 5x5\nbuilding stone C3\nfactory: C3\nwoods A1\nlevel 1 B1\n')
    assert plain == other
    wooden = parse('board "x" grid 5x5\nbuilding wooden: C3\n')
    assert wooden == parse('board "x" grid 5x5\nbuilding brown: C3\n')


def test_a_line_said_otherwise_is_shown_as_it_is_said() -> None:
    with pytest.raises(BoardError, match="example: road paved: A1-A2-A3"):
        parse('board "x" grid 5x5\nroad: A1-A2\n')
    for start, line in LINES.items():
        assert example_line(line.partition(" ")[0]) is not None
        assert example_line(start) == line
        # A board that is laid beside another is read from a file.
        if start != "use":
            parse(line if start == "board" else f'board "x" grid 33x20\n{line}\n')


def test_a_name_of_a_hex_of_the_map_is_no_name_for_a_unit() -> None:
    for name, fits in (("F6", False), ("G6", True), ("F8", True), ("T1", True), ("AA1", True)):
        text = f'board "x" grid 6x6\nunit {name} squad 4-6-7 german at C3\n'
        if fits:
            here = prepare(parse(text), program())
            assert str(api.los(here, name, "C4").a) == "C3"
            assert api.can(here, f"{name} moves to C4").ways
        else:
            with pytest.raises(BoardError, match=f"{name} is a hex of this map"):
                prepare(parse(text), program())


def test_words_of_a_kind_and_sentences() -> None:
    def words(word: str) -> dict[str, object]:
        told = CliRunner().invoke(main, ["words", word, "--json"])
        return dict(json.loads(told.output))

    assert words("aim")["members"] == ["direct", "indirect", "aerial", "mortar-fire"]
    assert words("mine-type")["kind"] == "mine_type"
    for kind in WORDS.words:
        assert words(kind)["members"], kind
    (fights,) = words("Close Combat, where")["words"]
    assert fights["sentences"][0] == "UNIT fights/fight UNIT"
    assert {each["form"].partition("(")[0] for each in words("deed")["words"]} == {
        each.name for each in WORDS.forms.values() if each.kind == "deed"
    }
    told = CliRunner().invoke(main, ["words", "heigt"])
    assert told.output == "no such word; did you mean height?\n"


def test_norms_are_found_by_words_in_one_text_or_several() -> None:
    book = catalogue(program().source)
    one = [norm.id for norm in book.about(["rowhouse stairwell"])]
    assert one == [norm.id for norm in book.about(["rowhouse", "stairwell"])]
    # Its sense has the one word, its rule the other.
    assert "B23.71-4" in one
    none = CliRunner().invoke(main, ["rules", "rowhouse", "banana"])
    assert none.output.startswith("no rule mentions rowhouse and banana; ")


def test_the_nearest_word_may_have_other_capitals() -> None:
    assert nearest("c4", ["B1", "C4"]) == "C4"
    assert nearest("q", ["B1", "C4"]) is None
