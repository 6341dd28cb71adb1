"""Questions: parsing, the program for clingo, and errors."""

import contextlib
import re

import clingo
import clingo.ast
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.grid import Hex, Location, Vertex
from rules_asp.game.query import LosTerm, Query, Variable
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import YES_NO, parse_declarations, vocabulary
from rules_asp.parser import BoardError, parse_query
from rules_asp.queries.evaluate import query_body
from tests.board_texts import examples, literals
from tests.sampling import tries

WORDS = parse_declarations(
    """
    input(terrain(hex,terrain), closed, "").
    input(side_terrain(hexside,hexside_terrain), closed, "").
    input(at(unit,location), closed, "").         input(has(unit,quantity,number), open, "").
    input(night, closed, "").                     input(named(hex,text), closed, "").
    input(of_side(unit,side), open, "").          input(month(number), open, "").
    topic(height(hex), half_level, "").           topic(factory(hex), yes_no, "").
    topic(stairwell(hex), stairwell, "").         topic(mf(unit), quarter, "").
    derived(sees(sight), "").                     derived(unknown(topic,reason), "").
    derived(legal(deed), "").                     derived(obstacle(hex,part,half_level), "").
    derived(beaten(norm), "").                    derived(above(hex,floor,floor), "").
    word(quantity,(mf;mp;pp)).                    word(stairwell,(printed;none)).
    word(hexside_terrain,(wall;hedge)).           word(yes_no,(yes;no)).
    measure(quantity,(mf;mp),quarter).
    """
)
NOTATION = Notation(WORDS)


def clingo_of(text: str) -> str:
    return ", ".join(query_body(parse_query(text, notation=NOTATION)))


def told(text: str) -> str:
    with pytest.raises(BoardError) as caught:
        parse_query(text, notation=NOTATION)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("terrain(U4, woods)", "terrain((20,4),woods)"),
        ("terrain(H, T)", "terrain(H,T)"),
        ("terrain(_, open-ground)", "terrain(_,open_ground)"),
        ("terrain(_, open_ground)", "terrain(_,open_ground)"),
        ("side_terrain(U4-V3, wall)", "side_terrain(e((20,4),(21,3)),wall)"),
        ("side_terrain(V3-U4, wall)", "side_terrain(e((20,4),(21,3)),wall)"),
        ('at("A", U4/1)', 'at("A",l((20,4),1))'),
        ('at("A", U4)', 'at("A",l((20,4),0))'),
        ("at(U, U4/roof)", "at(U,l((20,4),roof))"),
        ("at(U, U4/stairs1)", "at(U,l((20,4),stairs(1)))"),
        ("at(U, K13@L12-K12)", "at(U,l(v((10,13),0),0))"),
        ("at(U, A1@4)", "at(U,l(v((0,1),4),0))"),
        ("night", "night"),
        ("not night", "not night"),
        ("height(U4) = 2 1/2", "read(height((20,4)),5)"),
        ("height(U4) = 2.5", "read(height((20,4)),5)"),
        ("height(U4) = -1/2", "read(height((20,4)),-1)"),
        ("mf(U) = 1.25", "read(mf(U),5)"),
        ("factory(E7)", "read(factory((4,7)),yes)"),
        ("factory(E7) = no", "read(factory((4,7)),no)"),
        ("stairwell(H) = printed", "read(stairwell(H),printed)"),
        ("height(U4) = V, V > 1 1/2", "read(height((20,4)),V), V > 3"),
        ("1.5 <= V, height(U4) = V", "3 <= V, read(height((20,4)),V)"),
        ("has(U, mf, M), M != 1/4", "has(U,mf,M), M != 1"),
        ("has(U, pp, M), M = 3", "has(U,pp,M), M = 3"),
        ("terrain(H, T), terrain(G, T), H != G", "terrain(H,T), terrain(G,T), H != G"),
        ("terrain(H, T), H != U4", "terrain(H,T), H != (20,4)"),
        ("sees(U4/1 - V3)", "sees(s(l((20,4),1),l((21,3),0)))"),
        ("sees(V3 - U4/1)", "sees(s(l((20,4),1),l((21,3),0)))"),
        ("sees(S)", "sees(S)"),
        ("unknown(height(U4), Why)", "unknown(height((20,4)),Why)"),
        ("unknown(U4 - V3, Why)", "unknown(s(l((20,4),0),l((21,3),0)),Why)"),
        ('legal(move("A", U4/1, on-foot))', 'legal(move("A",l((20,4),1),on_foot))'),
        ("obstacle(H, ground(2), V)", "obstacle(H,ground(2),V)"),
        ('beaten("B23.3-3")', 'beaten("B23.3-3")'),
        ("above(U4, 0, roof)", "above((20,4),0,roof)"),
        ('named(H, "a \\"quoted\\" \\\\ name")', 'named(H,"a \\"quoted\\" \\\\ name")'),
        ("of_side(U, german)", "of_side(U,german)"),
    ],
)
def test_what_clingo_gets(text: str, expected: str) -> None:
    query = parse_query(text, notation=NOTATION)
    assert ", ".join(query_body(query)) == expected
    assert parse_query(str(query), notation=NOTATION) == query


@pytest.mark.parametrize("text", ['violates("B1", x, U4/0)', 'violates("B1", x, U4)', "U4/0 = _"])
def test_a_hex_and_its_ground_are_reported_apart_where_both_may_stand(text: str) -> None:
    assert str(parse_query(text)) == text


def test_variables_come_in_order_with_their_kinds() -> None:
    query = parse_query("at(U, L), height(H) = V, not at(U, _), V > 1", notation=NOTATION)
    assert query.variables == {"U": "unit", "L": "location", "H": "hex", "V": "half_level"}


def test_a_board_prefix_is_checked_where_the_board_is_known() -> None:
    assert parse_query("factory(20E7)", ("20",), NOTATION) == parse_query(
        "factory(E7)", None, NOTATION
    )
    assert parse_query("factory(20E7)", None, NOTATION) == parse_query(
        "factory(E7)", None, NOTATION
    )
    with pytest.raises(BoardError, match="question:1:9: 21 is not the name of a board of this map"):
        parse_query("factory(21E7)", ("20",), NOTATION)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("heigth(U4) = 1", "question:1:1: the rules do not define heigth"),
        ("heigth(U4) = 1", "did you mean height?"),
        ("at(U)", "at takes 2 arguments: write at(unit, location)"),
        ("factory(U4, U5)", "factory takes 1 argument: write factory(hex)"),
        ("night(U4)", "night takes 0 arguments: write night"),
        ("height(U4)", "the value of height is missing: write height(hex) = V"),
        ("height(U4) > 2", "a property can only be followed by `=`"),
        ("height(U4/1) = 2", "question:1:8: U4/1 is not a hex"),
        ("height(U4-V3) = 2", "U4-V3 is not a hex"),
        ("side_terrain(U4, wall)", "U4 is not a hexside"),
        ("side_terrain(U4-U6, wall)", "U4 and U6 are not adjacent, so they share no hexside"),
        ("side_terrain(U4-U5, wal)", "did you mean wall?"),
        ("at(A1, U4)", "the unit A1 must be in double quotes"),
        ("at(tank, U4)", 'expected "tank"'),
        ("at(U, U4/rof)", "did you mean roof?"),
        ("height(U4) = 1.3", "a multiple of 1/2"),
        ("height(U4) = tall", "tall is not a number"),
        ("month(13.5)", "a whole number"),
        ("month(2147483648)", "too large"),
        ("at(U, U4) = yes", "it cannot have a value"),
        ("not V > 2, height(U4) = V", "`not` cannot precede a comparison"),
        ("height(U4) = V, W > 2", "the variable W never gets a value"),
        ("not height(U4) = V", "the variable V never gets a value"),
        ("height(U4) = V, month(V)", "V is used as a half level and as a number"),
        ("at(U, L), factory(L)", "L is used as a Location and as a hex"),
        ("V", "V is only part of a question: write a property such as height(C3) = V"),
        ("3", "3 is only part of a question: write a property such as height(C3) = V"),
        ("woods", "the rules do not define woods"),
        ("height(U4) = factory(U4)", "factory(...) is not a half level"),
        ("terrain(f(U4), woods)", "f(...) is not a hex"),
        ("unknown(height(U4/1), W)", "U4/1 is not a hex"),
        ("terrain(U4 - V3, woods)", "a line of sight is not a hex"),
        ("", "the text ends before it is complete"),
        ("factory(U4),", "the text ends before it is complete"),
        ('named(U4, "open', "the closing quotation mark is missing"),
        ("terrain(U4, not)", "'not' is not a terrain"),
        ("legal(" + "f(" * 40 + "1" + ")" * 40 + ")", "nested terms in an argument"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert message in told(text)


def test_a_word_of_a_name_or_of_its_sense_leads_to_it() -> None:
    """Whoever asks for the cost of a step is told how it is asked for, though no name looks like it."""
    words = vocabulary()
    told = str(refused("cost(U4) = V"))
    assert "expected entry_cost(deed), mf(deed)" in told
    for topic in words.topics.values():
        for part in topic.name.split("_"):
            if part not in words.names() and not any(
                part in known for known in words.words.values()
            ):
                assert re.search("expected|did you mean", str(refused(f"{part}(U4)"))), part


def refused(text: str) -> BoardError:
    """What is said of a question that nobody can ask."""
    with pytest.raises(BoardError) as caught:
        parse_query(text, (), Notation(vocabulary()))
    return caught.value


def test_no_word_or_place_stands_where_a_form_is_wanted() -> None:
    """It could never be one: the answer would be a no to something that was not asked."""
    words = vocabulary()
    made = {each.kind for each in words.forms.values()} | {"topic"}
    tried = 0
    for entry in (*words.topics.values(), *words.forms.values()):
        for place, kind in enumerate(entry.kinds):
            if kind not in made or kind in words.words:
                continue
            for wrong in ("E4", "E4/1", "E4-E5", '"A"', "3", "woods", "height", "step"):
                args = ["_"] * len(entry.kinds)
                args[place] = wrong
                text = f"{entry.name}({', '.join(args)})"
                asks = text if entry.name in words.topics else f"unknown({text}, W)"
                value = " = _" if getattr(entry, "value", YES_NO) != YES_NO else ""
                with pytest.raises(BoardError, match=f"{re.escape(wrong)} is not a"):
                    parse_query(asks + value)
                tried += 1
    assert tried > 100


def test_the_sentence_of_a_topic_is_a_question_and_that_of_a_deed_is_sent_to_can() -> None:
    assert parse_query("A remains concealed") == parse_query('keeps_concealment("A")')
    with pytest.raises(BoardError, match=r'`can`.*legal\(step\(move, "A", _, V3/2, _\)\)'):
        parse_query("A moves to V3/2")
    # So it is within a longer question, denied, or with the word of the command.
    for asked in ("can A moves to V3/2", "not A moves to V3/2"):
        with pytest.raises(BoardError, match="question:1:17: this is an action"):
            parse_query(f"height(U4) = 2, {asked}")
    with pytest.raises(BoardError, match=r"legal\(fortify\(V3/1\)\)"):
        parse_query("can fortify V3/1, tem(S) = 2")


def test_a_form_alone_asks_nothing_and_what_asks_of_it_is_reported() -> None:
    words = vocabulary()
    for name, form in words.forms.items():
        if name not in words.names():
            asked = f"{name}({', '.join('A' * len(form.kinds))})" if form.kinds else name
            with pytest.raises(
                BoardError,
                match=f"{name}.*: write a question about this",
            ):
                parse_query(asked)
    with pytest.raises(BoardError, match=r"expected legal\(step\(by, unit, "):
        parse_query("step(move, A, A1, B1, W)")
    with pytest.raises(BoardError, match=r"tem\(shot\)"):
        parse_query("shot(A1, B1, direct, still)")


def test_all_bad_literals_are_reported_at_once() -> None:
    assert told("heigth(U4) = 1,\n factory(U4/1), at(U)").count("question:") == 3


@pytest.mark.parametrize(
    "text",
    [
        '#include "/etc/passwd".',
        "#script(python) #end.",
        "factory(U4). #show x.",
        "@f(U4)",
        "factory(@f(1))",
        "a :- b",
        "{factory(U4)}",
        "factory(U4); night",
        "factory(1..3)",
        "factory(U4) | night",
        "night. night",
        "height(U4) = 1+1",
        "factory(U4) % x",
        "&sum(1)",
        "-night",
        'named(U4, "\n").',
        "terrain(U4, #inf)",
        "#count{X:night} = 1",
        'X = "a"\n.night',
        "night, not not night",
        "'x'(U4)",
        "factory((20,4))",
        "f" * 5000 + "(",
        "_",
        "night(_)",
    ],
)
def test_program_text_is_refused(text: str) -> None:
    told(text)


@settings(max_examples=tries(450), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(literals(), min_size=1, max_size=3).map(lambda some: Query(tuple(some))))
def test_a_question_is_one_body_for_clingo(query: Query) -> None:
    rules: list[clingo.ast.AST] = []
    clingo.ast.parse_string(f"answer :- {', '.join(query_body(query))}.", rules.append)
    assert len(rules) == 2
    unknown = ("not is_unknown(", "not undetermined(")
    body = [each for each in rules[1].body if not str(each).startswith(unknown)]
    assert len(body) == len(query.literals)


@settings(max_examples=tries(600), deadline=None)
@given(st.text(alphabet='abcU4L(),._"\\#@=-/ \n%:', max_size=40))
def test_no_text_makes_another_error(text: str) -> None:
    with contextlib.suppress(BoardError):
        body = clingo_of(text)
        clingo.ast.parse_string(f"answer :- {body}.", lambda _: None)


FLOORS = (0, 1, 3, "roof", "steeple", "tower", "stairs1", "stairs2")
spots = st.one_of(
    st.builds(Hex, st.integers(0, 40), st.integers(0, 20)),
    st.builds(Vertex, st.builds(Hex, st.integers(0, 40), st.integers(0, 20)), st.integers(0, 5)),
)


@given(*[st.builds(Location, spots, st.sampled_from(FLOORS))] * 2)
def test_a_sight_names_its_ends_in_clingos_order(one: Location, other: Location) -> None:
    sight = clingo.parse_term(LosTerm(one, other).term)
    assert sight.arguments == sorted(sight.arguments)
    assert LosTerm(one, other).term == LosTerm(other, one).term


def test_the_examples_of_the_readme() -> None:
    for text in examples("question"):
        for line in text.splitlines():
            query = parse_query(line)
            assert parse_query(str(query)) == query


def test_anything_stays_unnamed() -> None:
    query = parse_query("at(_, U4)", notation=NOTATION)
    assert query.variables == {}
    assert query.literals[0].arguments[0].value == Variable("_")


def test_a_vertex_in_the_place_of_a_corner_is_reported_its_number() -> None:
    with pytest.raises(BoardError, match="C3@D2-D3 is corner 1, so write 1") as caught:
        parse_query('roll_due(turn("T", tca, C3@D2-D3))')
    assert "0 to 5" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("stone(A1)", "construction(hex) = stone"),
        ("not cliff(A1-B1)", "side_terrain(hexside, cliff)"),
        ("squad(U)", "unit(unit, squad)"),
        ("fully-tracked(U)", "status(unit, fully_tracked)"),
        ("elev(A1) = elev(B1)", "V, where the question says elev(location) = V besides"),
    ],
)
def test_of_a_word_that_is_no_question_it_is_reported_where_it_stands(
    text: str, expected: str
) -> None:
    with pytest.raises(BoardError) as caught:
        parse_query(text)
    (problem,) = caught.value.problems
    assert expected in problem.expected
    assert problem.nearest is None


def test_every_word_of_the_game_is_reported_a_place_or_another_word() -> None:
    known = vocabulary()
    for kind, said in known.words.items():
        for word in said:
            if not re.fullmatch(r"[a-z]\w*", word) or word in known.names():
                continue
            with pytest.raises(BoardError) as caught:
                parse_query(f"{word}(A1)")
            assert all(each.expected or each.nearest for each in caught.value.problems), (
                kind,
                word,
            )
