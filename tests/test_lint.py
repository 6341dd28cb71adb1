"""Every static check, on a knowledge base with the fault and on one without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules_asp.knowledge import reader
from rules_asp.knowledge.calculus import PROOFS, SIGNATURES
from rules_asp.knowledge.lint.base import kb_view
from rules_asp.knowledge.lint.run import CHECKS, LONGEST_FILE, lint, unfounded_signatures
from rules_asp.knowledge.reader import comments_of, read_comments
from tests.sampling import part
from tests.small import SETTINGS, small

WORDS = (
    SETTINGS
    + """
input(hex(hex), closed, "").
input(joined(hexside), closed, "").
input(painted(hex,colour), closed, "").
input(base(hex,half_level), closed, "").
input(named(hex,text), closed, "").
input(control(hex,side), open, "").
measured(asked_deed(deed), "").
measured(sight(sight,range), "").
topic(height(hex), half_level, "").
topic(top(hex), half_level, "").
topic(colour(hex), colour, "").
topic(controlled(hex), yes_no, "").
topic(elev(location), half_level, "").
deed(enter(unit,hex), "").
word(colour,(gray;brown)).
word(yes_no,(yes;no)).
descriptive_in(14). printed("X3",28).
"""
)
#: A knowledge base without a fault.
GOOD = """
%@ X1.1-1  The first.
says("X1.1-1", height(H), 2) :- hex(H), painted(H,gray).
%@ X1.1-2  The second.
says("X1.1-2", height(H), 3) :- base(H,0), named(H,"hall").
overrides("X1.1-2","X1.1-1").
%@ X1.2-1  The third.
takes("X1.2-1", top(H), height(H)) :- hex(H).
says("X1.2-1", elev(l(H,0)), 0)    :- hex(H).
%@ X1.2-2  The fourth.
lifts("X1.2-2", "X1.1-2", height(H)) :- is(colour(H),brown).
says("X1.2-2", colour(H), gray)      :- joined(e(H,_)).
%@ X1.3-1  The fifth.
permits("X1.3-1", enter(U,H)) :- asked_deed(enter(U,H)), is(elev(l(H,0)),_), value(top(H),_).
requires("X1.3-1", enter(U,H), controlled(H)) :- asked_deed(enter(U,H)).
%@ X1.3-2  The sixth.
says("X1.3-2", controlled(H), yes)      :- control(H,_).
could_be(controlled(H), (yes;no))       :- hex(H), not control(H,_).
"""


def faults(check: str, text: str, words: str = WORDS) -> list[str]:
    """What one check says of a small knowledge base."""
    found = next(each for each in CHECKS if each.__name__ == check)
    comments = comments_of(text, "small/small.lp")
    return [str(fault) for fault in found(kb_view(small(text, words=words), comments))]


def tags(*norms: str) -> str:
    """Tags, each with a rule."""
    return "".join(f'%@ {norm}  A norm.\nsays("{norm}",height(H),1) :- hex(H).\n' for norm in norms)


def test_the_good_one_has_no_fault() -> None:
    assert lint(small(GOOD, words=WORDS)) == []


def test_the_shipped_knowledge_base_has_no_fault() -> None:
    found = lint(reader.read_kb(), read_comments())
    assert [str(fault) for fault in found] == []


def test_faults_are_reported_by_file_and_line() -> None:
    found = lint(small(GOOD + "a :- hexx(1), b.\nb :- nothing, a.\n", words=WORDS))
    assert [(fault.file, fault.line) for fault in found] == [
        ("small/small.lp", 19),
        ("small/small.lp", 20),
    ]
    assert str(found[0]) == "small/small.lp:19: nothing derives or declares hexx/1; hex/1?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a :- hexx(H).", "hexx/1; hex/1?"),
        ("a :- not hexx(h).", "hexx/1; hex/1?"),
        ("a :- hex(H,_).", "hex/2; hex/1?"),
        ("a :- 1 #sum { 1,H : hexx(H) }.", "hexx/1; hex/1?"),
        ("a :- b : hexx(H).\nb.", "hexx/1"),
        ("1 { a : hexx(H) } 1.", "hexx/1"),
        ("a :- zzz.", "zzz/0"),
        ("a :- is(height(H)).", "is/1; is/2?"),
        ('says("X",height(1)).', "the calculus has no says/2; says/3?"),
    ],
)
def test_a_predicate_that_nothing_derives(text: str, said: str) -> None:
    (fault,) = faults("unknown_predicates", text)
    assert said in fault


@pytest.mark.parametrize("text", ["a :- b. b.", "a :- hex(H).", "a(V) :- says(_,height(_),V)."])
def test_a_predicate_that_is_derived_or_declared(text: str) -> None:
    assert faults("unknown_predicates", text) == []


def test_a_notion_declared_and_not_derived() -> None:
    words = WORDS + 'derived(tall(hex), "").'
    assert "tall/1" in faults("underived", "", words)[0]
    assert faults("underived", "tall(H) :- hex(H).", words) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tall(H) :- hex(H).\nlow(H) :- tall(H,1).", "small.lp:2: tall/2: tall/1 stands at"),
        ("low(H) :- hex(H), not hex(H,1).", "hex/2: hex/1 stands at vocabulary.lp"),
        ("is_defeated(H) :- hex(H).", "is_defeated/1: is_defeated/2 stands at calculus.lp"),
        ('measured(hex(hex,number), "").', "hex/2: hex/1 stands at vocabulary.lp"),
    ],
)
def test_one_name_in_two_senses(text: str, said: str) -> None:
    (fault,) = faults("arity_conflicts", text)
    assert said in fault
    assert fault.endswith("one name has one sense")


def test_names_of_one_sense() -> None:
    # A sight is stopped, and stopped by a norm: the calculus shortens its own names.
    text = (
        'derived(stopped(sight,norm,place), ""). tall(H) :- hex(H). low(H) :- not tall(H), hex(H).'
    )
    assert faults("arity_conflicts", text) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    part(
        [
            (SIGNATURES, "", "", []),
            (SIGNATURES, "result(legal(deed)).", "", ["does not declare legal/1"]),
            (
                SIGNATURES,
                "head(yields(norm)).",
                "head(yields(norm,deed)).",
                ["nothing reads yields/2"],
            ),
            (SIGNATURES, "", "inner(is_lifted(norm)).", ["nothing derives is_lifted/1"]),
            (
                PROOFS,
                "atom_words(legal(deed)",
                "atom_words(legal(deed,norm)",
                ["nothing derives legal/2"],
            ),
            (PROOFS, '"{1} is clear"', '"{2} is clear"', ["{2} is not an argument of sees/1"]),
            (PROOFS, "", "commonplace(hexes).", ["no rule derives the predicate hexes"]),
        ],
        2,
    ),
)
def test_the_facts_about_the_calculus_agree_with_its_rules(
    file: str, old: str, new: str, told: list[str], tmp_path: Path
) -> None:
    for name in (SIGNATURES, PROOFS):
        text = (reader.kb_folder() / name).read_text("utf-8")
        if name == file:
            text = text.replace(old, new) if old else f"{text}{new}\n"
        (tmp_path / name).write_text(text, "utf-8")
    found = [str(each) for each in unfounded_signatures(tmp_path, kb_view(reader.read_kb()))]
    assert len(found) >= len(told)
    assert all(any(part in each for each in found) for part in told)
    assert bool(found) == bool(told)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tall(H) :- hex(H).\ntall(X) :- is(elev(X),_).", "argument 1 is a Location, and a spot"),
        ("tall(H,1) :- hex(H).\ntall(H,gray) :- hex(H).", "argument 2 is a word, and a number"),
        # By what is read of another helper, and by the shape of a term.
        (
            "a(X) :- is(elev(X),_).\ntall(X) :- a(X).\ntall(H) :- hex(H).",
            "small.lp:3: tall/1: argument 1 is a spot, and a Location at small/small.lp:2",
        ),
        ("tall(l(H,0)) :- hex(H).\ntall(S) :- joined(S).", "is a hexside, and a Location"),
        ('derived(tall(hex), "").\ntall(S) :- joined(S).', "and a spot by its declaration"),
        ('mixed(tall,1,"both").\ntall(H) :- hex(H).', "argument 1 of tall is declared as mixed"),
    ],
)
def test_a_helper_in_two_senses(text: str, said: str) -> None:
    (fault,) = faults("helpers_in_two_senses", text)
    assert said in fault


@pytest.mark.parametrize(
    "text",
    [
        "tall(H) :- hex(H).\ntall(H) :- is(height(H),_).\ntall(v(H,1)) :- hex(H).",
        "tall(H,K) :- hex(H), K = 1..3.\ntall(H,gray) :- hex(H).",
        'mixed(tall,1,"both").\ntall(H) :- hex(H).\ntall(S) :- joined(S).',
    ],
)
def test_a_helper_of_one_sense(text: str) -> None:
    assert faults("helpers_in_two_senses", text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tall(H) :- hex(H).", ["no rule reads tall/1"]),
        ("tall(H) :- hex(H).\nlow(H) :- hex(H), not tall(H).", ["no rule reads low/1"]),
        ('tall(H) :- hex(H).\nsays("X",height(H),1) :- tall(H).', []),
        ('tall(H) :- hex(H).\nunread(tall,"drawn").', []),
        ('derived(tall(hex),"").\ntall(H) :- hex(H).', []),
    ],
)
def test_a_helper_that_no_rule_reads(text: str, told: list[str]) -> None:
    found = faults("unread_helpers", text)
    assert len(found) == len(told)
    assert all(map(str.__contains__, found, told))


READ = """
a(H) :- hex(H), joined(_), painted(H,gray), base(H,_), named(H,_), is(colour(H),brown), is(controlled(H),_),
    is(height(H),_), value(top(H),_), not is(elev(l(H,0)),_).
says("X", controlled(H), (yes;no)) :- control(H,_).
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", []),
        ('input(seen(hex), closed, "").', ["no rule reads seen: say why, by unread(seen"]),
        ('input(seen(hex), closed, ""). seen((1,1)).', ["no rule reads seen"]),
        ('input(seen(hex), closed, ""). a(H) :- not seen(H), hex(H).', []),
        ('input(seen(hex), closed, ""). unread(seen, "told").', []),
        ('unread(hex, "told").', ["hex is read by a rule, so its `unread` fact is wrong"]),
        ('unread(seen, "told").', ["seen is not an input, a topic, a helper or a word"]),
        ('topic(tint(hex), colour, "").', ["no rule reads tint: say why, by unread(tint"]),
        (
            'topic(tint(hex), colour, ""). says("X", tint(H), gray) :- hex(H).',
            ["no rule reads tint"],
        ),
        ('topic(tint(hex), colour, ""). a(H) :- is(tint(H),gray).', []),
        ('topic(tint(hex), colour, ""). a(H) :- hex(H), not value(tint(H),gray).', []),
        ('topic(tint(hex), colour, ""). takes("X", colour(H), tint(H)) :- hex(H).', []),
        ('topic(tint(hex), colour, ""). told_with(f(H),tint(H)) :- hex(H).', []),
        ('topic(tint(hex), colour, ""). unread(tint, "players ask it").', []),
        ('topic(tint(hex), colour, ""). silent("X", tint(H), of(tint(H))) :- a(H).', ["no rule"]),
        ('unread(colour, "told").', ["colour is read by a rule, so its `unread` fact is wrong"]),
        ("word(colour,(red;green)).", ["word(colour,green)", "word(colour,red)"]),
        ("word(colour,red). a :- b(red(1)). b(1).", ["no rule reads word(colour,red)"]),
        ('word(colour,red). violates("red",c,H) :- hex(H).', ["no rule reads word(colour,red)"]),
        ("word(colour,red). a(H) :- is(colour(H),V), V != red.", []),
        ("word(colour,red). a(C) :- word(colour,C).", []),
        ("word(colour,red). a :- word(colour,gray).", ["no rule reads word(colour,red)"]),
        ('word(colour,red). unread(word(colour,red), "no one paints so").', []),
        ('unread(word(colour,gray), "").', ["word(colour,gray) is read"]),
        (
            'unread(word(shade,gray), "").',
            ["word(shade,gray) is not an input, a topic, a helper or a word"],
        ),
    ],
)
def test_what_no_rule_reads(text: str, told: list[str]) -> None:
    found = sorted(faults("unread_declarations", READ + text))
    assert len(found) == len(told)
    assert all(said in fault for said, fault in zip(told, found, strict=True))


SPOKEN = (
    WORDS
    + """
spoken(deed).
sentence(enter, "{1} enters/enter {2}").
"""
)


def test_a_form_that_nothing_says() -> None:
    assert faults("forms_without_sentence", "", SPOKEN) == []
    (fault,) = faults("forms_without_sentence", "", SPOKEN.replace("{2}", "it"))
    assert 'nothing says enter/2 whole: sentence(enter, "...")' in fault
    assert (
        faults("forms_without_sentence", "", SPOKEN.replace("spoken(deed)", "spoken(roll)")) == []
    )
    more = SPOKEN + 'deed(paint(hex,colour), ""). sentence(paint(any,gray), "paint {1}").'
    assert faults("forms_without_sentence", "", more) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('sentence(entre, "{1} goes").', "entre is neither a form nor a topic; enter?"),
        ('sentence(enter, "{1} goes {3}").', "enter has 2 places, and no {3}"),
        ('sentence(enter, "{1} goes {2} by {foo}").', "{foo} is not a slot: a place such as {1}"),
        ('sentence(enter, "{1} goes {2} by {}").', "{} is not a slot"),
        ('sentence(colour(any,gray), "{1}").', "colour has 1 places, and not 2"),
        ('phrase(colour,grey, "grey").', "grey is not a colour"),
        (
            'form(dyed(hex,colour), roll, ""). sentence(dyed(any,red), "{1}").',
            "red is not a colour",
        ),
    ],
)
def test_a_sentence_that_is_amiss(text: str, said: str) -> None:
    (fault,) = faults("malformed_sentences", "", SPOKEN + text)
    assert said in fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('says("X", hight(H), 1) :- hex(H).', "no topic hight/1 is declared; height/1?"),
        ('says("X", height(H,0), 1) :- hex(H).', "no topic height/2"),
        ("a :- is(hight(H),_).", "hight/1"),
        ('takes("X", top(H), hight(H)) :- hex(H).', "hight/1"),
        ('lifts("X", "Y", hight(H)) :- hex(H).', "hight/1"),
        ('permits("X", enter(H)) :- hex(H).', "no deed enter/1"),
        ('permits("X", height(H)) :- hex(H).', "no deed height/1"),
        ('says("X", enter(u,H), 1) :- hex(H).', "no topic enter/2"),
        ('requires("X", enter(u,H), enter(u,H)) :- hex(H).', "no topic enter/2"),
        ("a :- is(T,1).", "must spell its topic"),
    ],
)
def test_an_undeclared_topic(text: str, said: str) -> None:
    (fault,) = faults("undeclared_topics", text)
    assert said in fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a :- painted(H,grey).", "grey is not a colour: gray, brown (in painted(H,grey))"),
        ("a :- painted(H,1).", "1 is not a colour"),
        ("a :- painted(gray,H).", "gray is not a hex"),
        ('says("X", colour(H), grey) :- hex(H).', "grey is not a colour"),
        ('offers("X", height(H), tall) :- hex(H).', "tall is not a half_level"),
        ("could_be(colour(H), (gray;red)) :- hex(H).", "red is not a colour"),
        ("a :- is(colour(H),grey).", "grey is not a colour"),
        ("a :- not is(colour(H),grey), hex(H).", "grey is not a colour"),
        ("a :- is(elev((H,0)),_).", "(H,0) is not a location"),
        ("a :- is(elev(l(e(H,G),0)),_).", "e(H,G) is not a spot"),
        ("a :- is(elev(l(v(H,north),0)),_).", "north is not a corner"),
        ("a :- joined((H,G)).", "(H,G) is not a hexside"),
        ("a :- joined(e(H,3)).", "3 is not a hex"),
        ("a :- base(H,roof).", "roof is not a half_level"),
        ("a :- base(H,l(H,0)).", "l(H,0) is not a half_level"),
        ("a :- named(H,hall).", "hall is not a text"),
    ],
)
def test_a_constant_of_the_wrong_kind(text: str, said: str) -> None:
    (fault,) = faults("wrong_kinds", text)
    assert said in fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('says("X1.1-1",height(H),1) :- hex(H).', "no summary (%@) is above it"),
        (
            '%@ X1.1-2  Two.\nsays("X1.1-1",height(H),1) :- hex(H).',
            "the summary above is that of X1.1-2",
        ),
        (
            '%@ X1.1-2  Two.\nviolates("X1.1-1",a,H) :- hex(H).',
            "the summary above is that of X1.1-2",
        ),
        (
            '%@ X1.1-2  Two.\nlifts("X1.1-1","X1.1-2",height(H)) :- hex(H).',
            "the summary above is that of X1.1-2",
        ),
        ('%@ R-1  Two.\nruling("R-2","X1.1-1","X1.1-2").', "the summary above is that of R-1"),
        ('%@ X1.1-2  Two.\noverrides("X1.2-1","X1.3-1").', "overrides of X1.2-1 and X1.3-1"),
        (
            '%@ X1.1-1  One.\n% --- apart\nsays("X1.1-1",height(H),1) :- hex(H).',
            "no summary (%@) is above it",
        ),
    ],
)
def test_a_head_under_another_tag(text: str, said: str) -> None:
    (fault,) = faults("untagged", text)
    assert said in fault


@pytest.mark.parametrize(
    "text",
    [
        "tall(H) :- hex(H).",
        '%@ X1.1-1  One.\nlifts(N,"X1.1-1",height(H)) :- says(N,height(H),_).',
        '%@ X1.1-1  One.\noverrides("X1.2-1",("X1.1-1";"X1.1-2")).',
        '%@ R-1  One.\nruling("R-1","X1.1-1","X1.1-2").',
    ],
)
def test_a_head_that_may_stand_there(text: str) -> None:
    assert faults("untagged", text) == []


@pytest.mark.parametrize(
    "rule",
    [
        'overrides("X1.1-1","X1.9-9").',
        'overrides("X1.9-9","X1.1-1").',
        'lifts("X1.1-1","X1.9-9",height(H)) :- hex(H).',
        'ruling("X1.1-1","X1.9-9","X1.1-1").',
        'says("X1.9-9",height(H),1) :- hex(H).',
        'a :- undefeated_value("X1.9-9",_,_).',
        'a :- without("X1.9-9").',
        'amends("X1","X1.9").',
        'amends("X2","X1.1").',
    ],
)
def test_a_norm_without_tag(rule: str) -> None:
    (fault,) = faults("unknown_norms", tags("X1.1-1") + rule)
    assert "no rule has the id" in fault or "no rule has the number" in fault


def test_norms_and_paragraphs_that_exist() -> None:
    text = tags("X1.11-1", "X1.2-1") + 'overrides("X1.2-1","X1.11-1"). amends("X1","X1.1").'
    assert faults("unknown_norms", text) == []


def test_a_tag_without_a_rule() -> None:
    (fault,) = faults("idle_tags", "%@ X1.1-1  Nothing below.\n" + tags("X1.1-2"))
    assert fault == "small/small.lp:1: X1.1-1 has no rule and is not marked descriptive"
    assert faults("idle_tags", "%@ X1.1-1 (descriptive)  Why.\n" + tags("X1.1-2")) == []


def test_a_descriptive_tag_with_a_rule() -> None:
    (fault,) = faults("idle_tags", "%@ X1.1-1 (descriptive)  Why.\na :- hex(H).\n")
    assert "is marked descriptive but has a rule" in fault


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("X1.1-2", "X1.1-1"),
        ("X1.2-1", "X1.11-1"),
        ("X1.22-1", "X1.211-1"),
        ("X1.1-10", "X1.1-9"),
    ],
)
def test_tags_out_of_order(one: str, two: str) -> None:
    assert faults("out_of_order", tags(two, one)) == []
    (fault,) = faults("out_of_order", tags(one, two))
    assert f"{two} must be before {one}" in fault


def test_each_section_of_a_file_has_its_own_order() -> None:
    assert faults("out_of_order", tags("X2.1-1", "X1.1-1", "X2.1-2")) == []


def test_the_order_of_rulings() -> None:
    text = "".join(f'%@ R-{each}  Why.\nruling("R-{each}","a","b").\n' for each in ("T03", "T03b"))
    assert faults("out_of_order", text) == []


def test_how_many_norms_may_be_descriptive() -> None:
    rules = [f"X1.1-{number}" for number in range(2, 15)]
    one = "%@ X1.1-1 (descriptive)  Why.\n"
    assert faults("too_descriptive", one + tags(*rules)) == []
    (fault,) = faults("too_descriptive", one + tags(*rules[1:]))
    assert "X1: 1 of 13 norms are descriptive, more than one in 14" in fault
    assert faults("too_descriptive", one + tags(*rules[1:]), SETTINGS) == []


def test_a_section_that_is_not_whole_yet_counts_as_whole() -> None:
    lines = [f"%@ X3.1-{number} (descriptive)  Why.\n" for number in range(1, 4)]
    assert faults("too_descriptive", "".join(lines[:2])) == []
    (fault,) = faults("too_descriptive", "".join(lines))
    assert "X3: 3 of 28 norms are descriptive" in fault


def test_how_long_a_file_may_be() -> None:
    def text(lines: int) -> str:
        return "\n" * (lines - 1) + "a :- hex(H)."

    assert faults("too_long", text(LONGEST_FILE)) == []
    assert "longer than 200 lines" in faults("too_long", text(LONGEST_FILE + 1))[0]


@pytest.mark.parametrize(
    "text",
    [
        'takes("A",height(H),top(H)) :- hex(H). takes("B",top(H),height(H)) :- hex(H).',
        'says("A",height(H),1) :- not is(top(H),1), hex(H).'
        'says("B",top(H),1) :- tall(H). tall(H) :- is(height(H),1).',
    ],
)
def test_topics_that_rest_on_themselves(text: str) -> None:
    (fault,) = faults("cyclic_topics", text)
    assert fault.startswith("small/small.lp:1: the rules are circular")
    assert "height" in fault
    assert "top" in fault


def test_topics_in_a_row_are_no_knot() -> None:
    assert faults("cyclic_topics", 'takes("A",top(H),height(H)) :- hex(H).') == []


BAN = (
    'permits("X1.1-1",fire(X,Y)) :- asked_deed(fire(X,Y)). '
    'forbids("X1.2-1",fire(X,Y)) :- asked_deed(fire(X,Y)). '
)


@pytest.mark.parametrize(
    "text",
    [
        'overrides("X1.1-1","X1.1-1").',
        'overrides("X1.1-1","X1.1-2"). overrides("X1.1-2","X1.1-1").',
        'overrides("X1.1-1","X1.1-2"). overrides("X1.1-2","X1.2-1").ruling("R","X1.2-1","X1.1-1").',
        'amends("X1.2","X1.1"). overrides("X1.1-1","X1.2-1").',
        'amends("X1","X1.1").',
        'lifts("X1.1-1","X1.1-1",height(H)) :- hex(H).',
        'lifts("X1.1-1","X1.1-2",height(H)) :- hex(H).'
        'lifts("X1.1-2","X1.1-1",height(H)) :- hex(H).',
        'lifts("X1.1-1","X1.1-2",height(H)) :- hex(H). overrides("X1.1-2","X1.1-1").',
        # A licence that yields to a ban must not beat it.
        BAN + 'yields("X1.1-1"). overrides("X1.1-1","X1.2-1").',
        BAN + 'yields("X1.1-1"). lifts("X1.1-1","X1.2-1",fire(X,Y)) :- asked_deed(fire(X,Y)).',
    ],
)
def test_norms_that_beat_themselves(text: str) -> None:
    text = tags("X1.1-1", "X1.1-2", "X1.2-1") + text
    assert faults("precedence_cycles", text)


def test_by_turns_on_different_topics_is_no_circle() -> None:
    text = (
        'says("A",height(H),1) :- hex(H). says("B",height(H),2) :- hex(H). overrides("A","B").'
        'lifts("B","A",top(H)) :- hex(H).'
    )
    assert faults("precedence_cycles", text) == []


SPEAK = 'says("A",height(H),1) :- hex(H). says("B",top(H),1) :- hex(H). '
SEE = 'blocks("W",s(X,Y),X) :- hex(X), hex(Y). clears("C",s(X,Y)) :- hex(X), hex(Y). '


@pytest.mark.parametrize(
    "text",
    [
        SPEAK + 'overrides("A","B").',
        SPEAK + 'ruling("R","A","B").',
        SPEAK + 'lifts("L","A",top(H)) :- hex(H).',
        SEE + 'blocks("V",s(X,Y),X) :- hex(X), hex(Y). overrides("V","W").',
        SEE + 'lifts("L","A",s(X,Y)) :- hex(X), hex(Y).',
        # What is no licence, what nothing forbids, and what only its own norm forbids.
        BAN + 'yields("X1.2-1").',
        'permits("P",fire(X,Y)) :- asked_deed(fire(X,Y)). yields("P").',
        BAN + 'permits("X1.2-1",fight(X,Y)) :- asked_deed(fight(X,Y)). yields("X1.2-1").',
    ],
)
def test_precedence_without_effect(text: str) -> None:
    assert len(faults("precedence_without_effect", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        SPEAK + 'says("D",top(H),2) :- hex(H). overrides("D","B").',
        SPEAK
        + 'lifts("L","B",top(H)) :- hex(H). says("D",top(H),2) :- hex(H). overrides("D","L").',
        SPEAK + 'says("D",height(H),2) :- hex(H). overrides("D","B"). overrides("B","A").'
        'says("B",height(H),1) :- hex(H).',
        SEE + 'overrides("C","W").',
        # What is blocked is then no longer contested.
        SEE + 'overrides("W","C").',
        SEE + 'lifts("L","W",at(s(X,Y),X)) :- hex(X), hex(Y).',
        SEE + 'lifts("L","C",s(X,Y)) :- hex(X), hex(Y).',
        BAN + 'yields("X1.1-1").',
    ],
)
def test_precedence_with_effect(text: str) -> None:
    assert faults("precedence_without_effect", text) == []


@pytest.mark.parametrize(
    ("more", "idle"),
    [
        ("", False),
        ('ruling("R-2","B","C").', False),
        ('ruling("R-2","A","C").', True),
        ('overrides("A","C").', True),
        ('ruling("R-2","A","B"). overrides("B","C").', True),
        ('ruling("R-1","A","B"). overrides("B","C").', False),
    ],
)
def test_a_ruling_that_changes_nothing(more: str, idle: bool) -> None:
    found = faults("idle_rulings", 'ruling("R-1","A","C").' + more)
    assert (
        any("R-1 has no effect: without it, A still overrides C" in fault for fault in found)
        is idle
    )


@pytest.mark.parametrize(
    ("more", "other"),
    [
        ("", True),
        ('overrides("X1.1","X1.4").', False),
        ('overrides("X1.1","X1.5"). overrides("X1.5","X1.4").', False),
        # The section of the winner is in force where it wins.
        ('overrides("Y1.2","Y1.3"). overrides("Y1.3","X1.4").', True),
    ],
)
def test_precedence_by_a_section_that_may_not_be_in_force(more: str, other: bool) -> None:
    text = 'printed("X1",2). printed("Y1",3). overrides("X1.1","Y1.1"). overrides("Y1.1","X1.4").'
    text += 'says("X1.1",top(H),1) :- hex(H). says("X1.4",top(H),2) :- hex(H).'
    text += 'says("Y1.2",top(H),3) :- hex(H).'
    found = faults("precedence_by_other_sections", text + more)
    assert bool(found) is other
    assert all("X1.1 wins over X1.4 only by a norm of another section" in each for each in found)


WON = 'overrides("X3.1-2","X3.1-1"). how_first(only, "the text says only").'


@pytest.mark.parametrize(
    ("mark", "more", "said"),
    [
        ("", "", "X3.1-2 wins over a printed norm"),
        ("", 'goes_first("X3.1-2",only).', None),
        (
            "",
            'goes_first("X3.1-2",elsewhere).',
            "elsewhere is not a reason for goes_first; use only",
        ),
        (
            "",
            'goes_first("X3.1-2",only). how_first(as, "a"). goes_first("X3.1-2",as).',
            "goes_first is stated twice",
        ),
        ("(reading)", "", None),
        ("(reading)", 'goes_first("X3.1-2",only).', "is marked (reading)"),
        ("(assumed)", "", None),
        ("(assumed)", 'goes_first("X3.1-2",only).', "overrides no printed rule"),
        (
            "",
            'goes_first("X3.1-1",only). goes_first("X3.1-2",only).',
            "X3.1-1 overrides no printed",
        ),
    ],
)
def test_a_norm_that_wins_says_by_what_words(mark: str, more: str, said: str | None) -> None:
    tags = f"%@ X3.1-1  The first.\nb(1).\n%@ X3.1-2 {mark}  The second.\n"
    found = faults("unfounded_precedence", f"{tags}{WON} {more}\n")
    assert [fault for fault in found if said is None or said not in fault] == []
    assert bool(found) is (said is not None)


def test_what_hangs_on_a_ruling_needs_no_words_of_the_text() -> None:
    tags = "%@ R-1 (assumed)  So.  Or: not.\nheld :- hex(H).\n%@ X3.1-1  One.\nb(1).\n%@ X3.1-2  Two.\n"
    lift = 'lifts("X3.1-2","X3.1-1",height(H)) :- hex(H)'
    assert faults("unfounded_precedence", f"{tags}{lift}, held.\n") == []
    assert len(faults("unfounded_precedence", f"{tags}{lift}.\n")) == 1


def test_lifts_of_lifts_of_lifts_on_sights() -> None:
    def lift(one: str, two: str) -> str:
        return f'lifts("{one}","{two}",s(X,Y)) :- hex(X), hex(Y). '

    assert faults("lift_chains_too_deep", lift("A", "B") + lift("B", "C")) == []
    text = lift("A", "B") + lift("B", "C") + lift("C", "D")
    assert len(faults("lift_chains_too_deep", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "mine(H) :- control(H,_).",
        "free(H) :- hex(H), not control(H,_).",
        'says("X",controlled(H),yes) :- control(H,_).',
        'says("X",controlled(H),no) :- hex(H), not control(H,_).'
        "could_be(controlled(H),yes) :- hex(H).",
        "n(N) :- N = #sum { 1,H : control(H,_) }.",
    ],
)
def test_an_open_input_read_as_if_known(text: str) -> None:
    (fault,) = faults("open_inputs", text)
    assert "control is an open input" in fault


@pytest.mark.parametrize(
    "gap",
    [
        "could_be(controlled(H),(yes;no)) :- hex(H), not control(H,_).",
        'silent("X",controlled(H),not_stated) :- hex(H), not control(H,_).',
    ],
)
def test_an_open_input_made_a_topic(gap: str) -> None:
    text = 'says("X",controlled(H),yes) :- control(H,_). tall(H) :- hex(H). ' + gap
    assert faults("open_inputs", text) == []


GAP = '%@ X1.1-1  Cut off.\nsilent("X1.1-1",height(H),cut_off) :- hex(H).\n%@ X1.1-2  Reads.\n'


@pytest.mark.parametrize(
    "text",
    [
        'says("X1.1-2",top(H),1) :- is(height(H),1).',
        "low(H) :- hex(H), not is(height(H),1).",
        'takes("X1.1-2",top(H),height(H)) :- hex(H). high(H) :- is(top(H),2).',
    ],
)
def test_a_rule_certain_of_what_can_be_unknown(text: str) -> None:
    (fault,) = faults("reads_unknown_as_known", GAP + text)
    assert "can be unknown" in fault


@pytest.mark.parametrize(
    "text",
    [
        'takes("X1.1-2",top(H),height(H)) :- hex(H).',
        'says("X1.1-2",top(H),1) :- is(height(H),1).'
        'silent("X1.1-2",top(H),of(height(H))) :- is_unknown(height(H)).',
        "low(H) :- is(height(H),1). could_be(height(H),1..2) :- hex(H).",
        "low(H) :- is(colour(H),gray).",
    ],
)
def test_a_rule_that_minds_the_unknown(text: str) -> None:
    assert faults("reads_unknown_as_known", GAP + text) == []


#: Reasons that norms may give.
REASONS = (
    WORDS
    + """
reason(cut_off, "the text is cut off", "").
reason(not_stated(input), "{1} is not stated", "{1}").
reason(not_given(rule), "{1} decides", "rule {1}").
reason(lost(paragraph), "the text of {1} is lost", "").
reason(painted_over(hex,colour), "{1} is {2}", "").
word(section,x1).
"""
)
ALL_GIVEN = """
%@ X1.1-1  The first.
silent("X1.1-1", height(H), cut_off)              :- painted(H,gray).
silent("X1.1-1", height(H), not_stated(base(H)))  :- hex(H), not base(H,_).
silent("X1.1-1", height(H), not_given("B9.3"))    :- painted(H,gray).
silent("X1.1-1", height(H), lost("X1.1"))         :- painted(H,gray).
silent("X1.1-1", height(H), Why)                  :- why_not(H,Why).
why_not(H,painted_over(H,gray)) :- painted(H,gray).
"""


def test_reasons_that_are_declared_and_given() -> None:
    assert faults("undeclared_reasons", ALL_GIVEN, REASONS) == []
    assert faults("idle_reasons", ALL_GIVEN, REASONS) == []


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("cut_of", "no reason cut_of/0 is declared; cut_off/0?"),
        ("cut_off(H)", "no reason cut_off/1 is declared; cut_off/0?"),
        ("1", "1 is not a reason"),
        ('"cut off"', '"cut off" is not a reason'),
        ("of(hight(H))", "no topic or deed hight/1 is declared"),
        ("not_stated(height(H))", "no input height/1 is declared"),
        ("not_stated(base(H,1,2))", "no input base/3 is declared"),
        (
            'not_given("X1.1")',
            "the reason names X1.1, which is encoded: name the open point instead",
        ),
        ('not_given("X1")', "the reason names X1, which is encoded"),
        ("not_given(b9_3)", "b9_3 is not a rule"),
        ('lost("X1.2")', "no rule has the number X1.2"),
        ("painted_over(H,grey)", "grey is not a colour"),
        ("painted_over(gray,gray)", "gray is not a hex"),
    ],
)
@pytest.mark.parametrize("through", [False, True])
def test_a_reason_that_is_not_declared(why: str, said: str, through: bool) -> None:
    text = f'%@ X1.1-1  The first.\nsilent("X1.1-1", height(H), {why}) :- hex(H).'
    if through:
        text = (
            '%@ X1.1-1  The first.\nsilent("X1.1-1", height(H), Why) :- one(H,Why).\n'
            f"one(H,Why) :- two(Why,H).  two({why},H) :- hex(H)."
        )
    (fault,) = faults("undeclared_reasons", text, REASONS)
    assert said in fault
    assert fault.startswith(f"small/small.lp:{3 if through else 2}: ")


def test_a_reason_that_no_rule_gives() -> None:
    text = ALL_GIVEN.replace("painted_over(H,gray)", "cut_off")
    (fault,) = faults("idle_reasons", text, REASONS)
    assert fault.endswith("no rule gives the reason painted_over/2")


@pytest.mark.parametrize(
    ("sense", "said"),
    [("{1} and {2}", "{2}"), ("{0}", "{0}"), ("{hex}", "{hex}"), ("{}", "{}"), ("{1}", None)],
)
@pytest.mark.parametrize("place", ["sense", "need"])
def test_what_the_text_of_a_reason_is_about(sense: str, said: str | None, place: str) -> None:
    texts = f'"{sense}", ""' if place == "sense" else f'"", "{sense}"'
    words = REASONS + f"reason(wet(hex), {texts})."
    text = ALL_GIVEN + 'silent("X1.1-1", height(H), wet(H)) :- hex(H).'
    found = faults("idle_reasons", text, words)
    assert [fault.split(": ")[-1] for fault in found] == (
        [f"wet/1 has nothing for {said}"] if said else []
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%@ X1.1-3  As X1.1-9 says.", "X1.1-9 is mentioned, but no rule has this id"),
        ("% As X1.1-9 says, or not.", "X1.1-9 is mentioned"),
        ("a. % X1.1-9", "X1.1-9 is mentioned"),
        ("%@ X1.1-3  A sense\n%           that goes on to X1.1-9.", "X1.1-9 is mentioned"),
        ("%* X1.1-9 *%", "X1.1-9 is mentioned"),
        ("% It goes first by R-T77.", "R-T77 is mentioned"),
        ("% It is not said (C-48).", "C-48 is mentioned"),
        ("% It is not said (T42), nor clear.", "the code (T42) refers to nothing: remove it"),
        ("% As in X1.3.", "X1.3 is mentioned, but no rule has this number"),
        ("% As in X1.11.", "X1.11 is mentioned, but no rule has this number"),
        ("% As in 23.7.", "B23.7 is mentioned, but no rule has this number"),
        ('reason(wet, "as X1.3 has it", "").', "X1.3 is mentioned"),
        ('reason(wet, "", "a ruling like R-T77").', "R-T77 is mentioned"),
    ],
)
def test_a_reference_to_nothing(text: str, said: str) -> None:
    here = tags("X1.1-1", "X1.1-3") if text[:2] != "%@" else tags("X1.1-1")
    (fault,) = faults("dangling_references", here + text, REASONS)
    assert said in fault


def test_the_place_of_a_reference_to_nothing() -> None:
    (fault,) = faults("dangling_references", tags("X1.1-1") + "\n\n% R-T77", REASONS)
    assert fault.startswith("small/small.lp:5: ")


@pytest.mark.parametrize(
    "text",
    [
        "% X1.1-1 as R-T03b has it, and R-T03.",
        "% X1.1-X1.22, in X1 and X1.2: X1.22.",
        "% A4.31, B24.11-.121 and B25 are for the general rules (E3), (A6).",
        "% The hexside K13-L12 of board 01, seen by a 4-6-7 in L13; TCA-Change; -1.",
        "% 1.5 levels, 23 hexes.",
        'named_so("X1.9-9").',
    ],
)
def test_references_that_are_none_or_point_to_something(text: str) -> None:
    here = tags("X1.1-1", "X1.22-1") + "%@ R-T03  Why.\n%@ R-T03b  Why.\n"
    assert faults("dangling_references", here + text, REASONS) == []


@pytest.mark.parametrize(
    ("tag", "check", "said"),
    [
        ("(reading)  A sense.", "readings", "add the other one"),
        ("(reading)  A sense.  Or: another", "readings", "without a period"),
        ("  A sense.  Or: another.", "readings", "mark it (reading)"),
        ("(assumed)  A sense.\n%           Or: another.", "readings", "mark it (reading)"),
        ("  A sense.  Open: a gap", "readings", "Open: of X1.1-3 ends without a period"),
        ("  A sense.  Open: a (reading).", "marks", "must follow the id"),
        ("  A sense, as we read it.", "readings", "mentions a choice"),
        ("(readng)  A sense.  Or: another.", "marks", "(readng) is not a mark"),
        ("(guess)  A sense.", "marks", "(guess) is not a mark"),
        ("(assumed L)  A sense.", "marks", "(assumed L) is not a mark"),
        ("(assumed M)  A sense.", "marks", "not a ruling that can be switched off"),
        ("  A sense (assumed).", "marks", "must follow the id"),
        ("(reading)  A sense.  Or: another (reading).", "marks", "must follow the id"),
    ],
)
def test_the_form_of_a_tag(tag: str, check: str, said: str) -> None:
    (fault,) = faults(check, f"%@ X1.1-3 {tag}\n" + 'says("X1.1-3",height(H),1) :- hex(H).')
    assert said in fault


@pytest.mark.parametrize("tag", ["R-T3 (reading)  Why.  Or: why not.", "R-T3  Why."])
def test_the_form_of_a_ruling(tag: str) -> None:
    text = f"%@ {tag}\n" + 'ruling("R-T3","X1.1-1","X1.1-2").'
    assert len(faults("marks", text) + faults("readings", text)) == 1


@pytest.mark.parametrize(
    "tag",
    [
        "X1.1-3 (reading)  A sense.\n%           Or: another\n%           in two lines.",
        "X1.1-3 (descriptive) (reading)  A sense.  Or: another.",
        "X1.1-3  Either this Or that (or both).",
        "X1.1-3 (assumed)  A sense, as we read it.",
        "R-T3 (assumed)  Why.  Or: why not.",
        "R-T3 (assumed M)  Why.  Or: why not.",
    ],
)
def test_tags_of_good_form(tag: str) -> None:
    assert faults("marks", f"%@ {tag}") == faults("readings", f"%@ {tag}") == []


# --- changes


CHANGED = WORDS + "change(ground,map,(base;painted)). change(people,play,control)."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("change(ground,map,colour).", "colour must be an input or a change of ground"),
        ("change(people,play,base).", "base is a change of ground and of people"),
        ("supposes(joined(hexside)).", "joined has no kind of change: add change(joined, ...)"),
        ("supposes(painted(hex)).", "painted has 2 arguments, and 1 ranges"),
        ("supposes(painted(hex,red)).", "red is not a colour, not a kind that is tried as a whole"),
        ("supposes(painted(joined,gray)).", "joined is not a hex"),
        ("supposes(base(hex,half_level)).", "half_level is not a half_level"),
        ("supposes(painted(side,gray)).", "side is not a hex"),
    ],
)
def test_a_change_that_is_amiss(text: str, said: str) -> None:
    (told,) = faults("malformed_changes", GOOD, CHANGED + text)
    assert said in told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "supposes(painted(hex,(gray;brown))).",
        "supposes(painted(base,colour)).",
        "supposes(base(hex,2)). supposes(control(painted,side)).",
    ],
)
def test_changes_that_are_right(text: str) -> None:
    assert faults("malformed_changes", GOOD, CHANGED + text) == []
