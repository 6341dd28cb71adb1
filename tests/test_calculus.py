"""Every statement about the meaning of the calculus, on knowledge bases of a few norms."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_asp.game import house_rules
from rules_asp.knowledge.instantiation import instantiate_calculus, topic_cycles
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import build
from tests.sampling import tries
from tests.small import about, answer, answers, small, values

A3 = 'says("A",t,3). '
B4 = 'says("B",t,4). '
C5 = 'says("C",t,5). '

# --- one norm, and none


def test_a_single_norm_gives_its_value() -> None:
    assert values(answer(A3)) == {"3"}


def test_of_what_no_norm_speaks_there_is_neither_value_nor_unknown() -> None:
    assert values(answer(A3), "u") == set()


def test_topics_of_one_kind_are_kept_apart_by_their_arguments() -> None:
    atoms = answer('says("A",h(1),3). says("A",h(2),4). says("B",h(2),5). overrides("B","A").')
    assert values(atoms, "h(1)") == {"3"}
    assert values(atoms, "h(2)") == {"5"}


# --- replacing


def test_the_replacing_norm_gives_the_value() -> None:
    atoms = answer(A3 + B4 + 'overrides("B","A").')
    assert values(atoms) == {"4"}
    assert about(atoms, "defeated") == {'defeated("A",t,"B")'}


def test_replacing_is_transitive() -> None:
    """A Critical Hit's -4 over a fortified +4 over stone's +3 does not bring the +3 back."""
    atoms = answer(
        'says("stone",tem(k),3). says("fortified",tem(k),4). says("critical",tem(k),-4).'
        'overrides("fortified","stone"). overrides("critical","fortified").'
    )
    assert values(atoms, "tem(k)") == {"-4"}


def test_it_replaces_through_a_norm_that_is_silent_here() -> None:
    assert values(answer(A3 + C5 + 'overrides("C","B"). overrides("B","A").')) == {"5"}


def test_a_norm_that_does_not_speak_of_the_topic_replaces_nothing_there() -> None:
    assert values(answer(A3 + 'says("B",u,4). overrides("B","A").')) == {"3"}


def test_a_blanket_clause_is_a_rule() -> None:
    atoms = answer(
        'overrides("B",M) :- paragraph(M,p). paragraph("A",p). paragraph("C",q).' + A3 + B4 + C5
    )
    assert about(atoms, "is_defeated") == {'is_defeated("A",t)'}
    assert values(atoms) == {'?clash("B","C")'}


# --- lifting


def test_a_lifted_norm_gives_nothing_and_the_lifting_one_neither() -> None:
    assert values(answer(A3 + 'lifts("L","A",t).')) == set()


def test_lifting_brings_back_what_the_lifted_norm_had_beaten() -> None:
    assert values(answer(A3 + B4 + 'overrides("B","A"). lifts("L","B",t).')) == {"3"}


def test_lifting_holds_for_one_topic_only() -> None:
    atoms = answer('says("A",h(1..2),3). lifts("L","A",h(1)).')
    assert values(atoms, "h(1)") == set()
    assert values(atoms, "h(2)") == {"3"}


def test_a_lifted_lift_lifts_nothing() -> None:
    assert values(answer(A3 + 'lifts("L","A",t). lifts("K","L",t).')) == {"3"}


def test_a_replaced_lift_lifts_nothing() -> None:
    assert values(answer(A3 + 'lifts("L","A",t). says("N",t,3). overrides("N","L").')) == {"3"}


def test_a_lift_is_not_replaced_by_a_norm_that_does_not_speak_here() -> None:
    assert values(answer(A3 + 'lifts("L","A",t). says("N",u,3). overrides("N","L").')) == set()


@pytest.mark.parametrize(
    ("upper", "lower", "left"),
    [
        # A over B over C; what is left of their values 3, 4, 5
        ("overrides", "overrides", {"3"}),
        ("overrides", "lifts", {"3", "5"}),
        ("lifts", "overrides", {"5"}),
        ("lifts", "lifts", {"5"}),
    ],
)
def test_chains_of_three(upper: str, lower: str, left: set[str]) -> None:
    says = {"A": 3, "B": 4, "C": 5}
    text = ""
    for kind, one, two in ((upper, "A", "B"), (lower, "B", "C")):
        if kind == "lifts":
            del says[one]
            text += f'lifts("{one}","{two}",t). '
        else:
            text += f'overrides("{one}","{two}"). '
    text += " ".join(f'says("{norm}",t,{value}).' for norm, value in says.items())
    atoms = answer(text)
    stands = {atom.split(",")[-1][:-1] for atom in about(atoms, "undefeated_value")}
    assert stands == left
    assert values(atoms) == (left if len(left) == 1 else {'?clash("A","C")'})


ON_A_TOPIC = (
    'says("N",t,3). ',
    'takes("N",t,u). ',
    'offers("N",t,3). ',
    'adds("N",t,3,x). ',
    'adds_value("N",t,u). ',
    'silent("N",t,cut_off). ',
)
ON_A_DEED = (
    'permits("N",t). ',
    'forbids("N",t). ',
    'requires("N",t,u). ',
    'silent("N",t,cut_off). permits("P",t). ',
)


@pytest.mark.parametrize(
    ("one", "other"),
    [(head, 'says("M",t,9). ') for head in ON_A_TOPIC]
    + [(head, 'forbids("M",t). ') for head in ON_A_DEED],
)
def test_whatever_a_norm_says_of_a_topic_or_deed_it_can_replace_and_be_replaced(
    one: str, other: str
) -> None:
    lost = about(answer(one + other + 'overrides("N","M").'), "is_defeated")
    assert lost == {'is_defeated("M",t)'}
    lost = about(answer(one + other + 'overrides("M","N").'), "is_defeated")
    assert lost == {'is_defeated("N",t)'}


NORMS = ("A", "B", "C", "D", "E")
PAIRS = [(one, two) for i, one in enumerate(NORMS) for two in NORMS[i + 1 :]]


@settings(max_examples=tries(180), deadline=None)
@given(
    st.tuples(*(st.sampled_from(("", "overrides", "ruling", "lifts")) for _ in PAIRS)),
    st.sets(st.sampled_from(NORMS)),
    st.sets(st.sampled_from(NORMS)),
)
def test_any_net_of_precedence_without_cycle(
    kinds: tuple[str, ...], speaking: set[str], taking: set[str]
) -> None:
    """Against a plain evaluation from the top: a norm is lost that a norm not lost beats.

    Any two norms that are not lost conflict, since each gives a value of its own.
    """
    links = {pair: kind for pair, kind in zip(PAIRS, kinds, strict=True) if kind}
    wins = {pair for pair, kind in links.items() if kind != "lifts"}
    for _ in NORMS:
        wins |= {(a, d) for (a, b), (c, d) in product(wins, wins) if b == c}
    lifts = {pair for pair, kind in links.items() if kind == "lifts"}
    lost: set[str] = set()
    for norm in NORMS:
        active = norm in speaking or any(one == norm for one, _ in lifts)
        if any((by, norm) in lifts and by not in lost for by in NORMS) or (
            active and any((by, norm) in wins and by in speaking and by not in lost for by in NORMS)
        ):
            lost.add(norm)
    text = "".join(
        f'takes("{norm}",t,{norm.lower()}). says("Z",{norm.lower()},{ord(norm)}). '
        if norm in taking
        else f'says("{norm}",t,{ord(norm)}). '
        for norm in sorted(speaking)
    )
    for (one, two), kind in links.items():
        text += {
            "overrides": f'overrides("{one}","{two}"). ',
            "ruling": f'ruling("R","{one}","{two}"). ',
            "lifts": f'lifts("{one}","{two}",t). ',
        }[kind]
    atoms = answer(text + 'says("Z",u,1).')
    stands = {atom.split('"')[1] for atom in about(atoms, "undefeated_value")} - {"Z"}
    assert stands == speaking - lost
    both = {f'conflict(t,"{one}","{two}")' for one, two in PAIRS if {one, two} <= stands}
    assert about(atoms, "conflict") == both


# --- clash


def test_two_undefeated_values_are_a_clash_and_no_value() -> None:
    atoms = answer(A3 + B4)
    assert about(atoms, "conflict") == {'conflict(t,"A","B")'}
    assert values(atoms) == {'?clash("A","B")'}


def test_the_same_value_twice_is_no_clash() -> None:
    atoms = answer(A3 + 'says("B",t,3).')
    assert about(atoms, "conflict") == set()
    assert values(atoms) == {"3"}


def test_a_norm_can_clash_with_itself() -> None:
    assert values(answer(A3 + 'says("A",t,4).')) == {'?contradiction("A")'}


def test_a_beaten_value_clashes_with_nothing() -> None:
    assert values(answer(A3 + B4 + C5 + 'overrides("C",("A";"B")).')) == {"5"}


# --- sums


def test_equal_parts_for_different_things_count_each() -> None:
    atoms = answer('adds("A",t,1,h(1)). adds("A",t,1,h(2)).')
    assert about(atoms, "total") == {"total(t,2)"}


def test_equal_parts_for_one_thing_by_different_norms_count_each() -> None:
    assert "total(t,2)" in answer('adds("A",t,1,x). adds("B",t,1,x).')


def test_a_part_said_twice_counts_once() -> None:
    assert "total(t,1)" in answer('adds("A",t,1,x). adds("A",t,1,x) :- yes. yes.')


def test_a_base_and_its_parts() -> None:
    atoms = answer(A3 + 'adds("B",t,1,x). adds("C",t,-2,y).')
    assert values(atoms) == {"3"}
    assert about(atoms, "total") == {"total(t,2)"}


def test_a_base_equal_to_a_part_counts_besides_it() -> None:
    assert "total(t,6)" in answer(A3 + 'adds("A",t,3,x).')


def test_a_value_without_parts_is_no_sum() -> None:
    assert about(answer(A3), "total") == set()


def test_a_part_may_be_the_value_of_another_topic() -> None:
    atoms = answer('says("A",cot,2). adds("N",t,1,x). adds_value("N",t,cot).')
    assert about(atoms, "total") == {"total(t,3)"}


def test_a_part_may_be_the_total_of_another_topic() -> None:
    assert "total(t,3)" in answer('adds("A",u,1,x). adds("A",u,2,y). adds_value("N",t,u).')


def test_equal_parts_from_different_topics_count_each() -> None:
    text = 'says("A",cot(1..2),2). adds_value("N",t,cot(1)). adds_value("N",t,cot(2)).'
    assert "total(t,4)" in answer(text)


def test_a_replaced_part_does_not_count() -> None:
    text = A3 + 'adds("B",t,1,x). adds("C",t,2,x). overrides("C","B").'
    assert "total(t,5)" in answer(text)


def test_a_lifted_part_does_not_count_and_the_sum_remains_one() -> None:
    assert "total(t,3)" in answer(A3 + 'adds("B",t,1,x). lifts("L","B",t).')
    assert "total(t,0)" in answer('adds("B",t,1,x). lifts("L","B",t).')


def test_a_replaced_base_leaves_the_parts() -> None:
    assert "total(t,5)" in answer(A3 + B4 + 'adds("C",t,1,x). overrides("B","A").')


def test_a_part_that_is_not_known_leaves_the_sum_unknown() -> None:
    atoms = answer('adds("N",t,1,x). adds_value("N",t,cot). silent("S",cot,soft_sand).')
    assert about(atoms, "total") == set()
    assert values(atoms) == {"?of(cot)"}


def test_a_lifted_part_need_not_be_known() -> None:
    text = A3 + 'adds_value("N",t,cot). silent("S",cot,soft_sand). lifts("L","N",t).'
    assert "total(t,3)" in answer(text)


def test_a_base_in_conflict_leaves_the_sum_unknown() -> None:
    atoms = answer(A3 + B4 + 'adds("N",t,1,x).')
    assert about(atoms, "total") == set()
    assert values(atoms) == {'?clash("A","B")'}


# --- taking the value of another topic


def test_the_value_is_that_of_the_other_topic() -> None:
    assert values(answer(A3 + 'takes("N",u,t).'), "u") == {"3"}


def test_a_sum_is_taken_as_its_total() -> None:
    assert values(answer('adds("A",t,1,(x;y)). takes("N",u,t).'), "u") == {"2"}


def test_a_chain_of_takings() -> None:
    assert values(answer(A3 + 'takes("N",u,t). takes("N",v,u). takes("N",w,v).'), "w") == {"3"}


def test_not_known_travels_with_its_reason() -> None:
    atoms = answer('silent("S",t,cut_off). takes("N",u,t). takes("N",v,u).')
    assert values(atoms) == {"?cut_off"}
    assert values(atoms, "u") == {"?of(t)"}
    assert values(atoms, "v") == {"?of(u)"}


def test_what_is_taken_from_a_topic_that_no_norm_speaks_of_is_not_known() -> None:
    assert values(answer('takes("N",u,t).'), "u") == {"?of(t)"}


@pytest.mark.parametrize("head", ["takes", "offers_value", "adds_value"])
@pytest.mark.parametrize("gap", ["", 'silent("S",u,cut_off). '])
def test_a_norm_that_reads_an_unknown_or_valueless_topic_leaves_its_own_unknown(
    head: str, gap: str
) -> None:
    assert values(answer(gap + f'{head}("N",t,u).')) == {"?of(u)"}


def test_a_body_that_reads_an_unknown_topic_needs_a_silence_of_its_norm() -> None:
    text = 'silent("S",u,cut_off). says("A",t,4) :- is(u,1). '
    assert values(answer(text)) == set()
    assert values(answer(text + 'silent("A",t,of(u)) :- is_unknown(u).')) == {"?of(u)"}


def test_a_beaten_taking_takes_nothing() -> None:
    text = 'silent("S",t,cut_off). takes("N",u,t). says("M",u,1). overrides("M","N").'
    assert values(answer(text), "u") == {"1"}


def test_one_exception_beats_the_taking_instead_of_every_source() -> None:
    text = 'says("A",tem_at(1..2),3). takes("N",tem(X),tem_at(X)) :- says(_,tem_at(X),_).'
    atoms = answer(text + 'says("M",tem(1),1). overrides("M","N").')
    assert values(atoms, "tem(1)") == {"1"}
    assert values(atoms, "tem(2)") == {"3"}


def test_a_taken_value_clashes_like_any_other() -> None:
    assert values(answer(A3 + 'takes("N",u,t). says("M",u,4).'), "u") == {'?clash("M","N")'}


# --- offers


def test_of_several_offers_the_best_counts() -> None:
    assert values(answer('offers("A",t,1). offers("B",t,3). offers("C",t,2).')) == {"3"}


def test_a_condition_of_a_replacing_norm_limits_what_it_replaces() -> None:
    text = 'says("A",h(1..2),3). says("B",h(X),4) :- rubble(X). rubble(1). overrides("B","A").'
    assert values(answer(text), "h(1)") == {"4"}
    assert values(answer(text), "h(2)") == {"3"}


def test_equal_offers_are_no_clash() -> None:
    assert values(answer('offers("A",t,3). offers("B",t,3).')) == {"3"}


def test_a_beaten_offer_does_not_count() -> None:
    assert values(answer('offers("A",t,1). offers("B",t,3). lifts("L","B",t).')) == {"1"}


def test_an_offer_against_a_value_clashes() -> None:
    assert values(answer('offers("A",t,3). says("B",t,1).')) == {'?clash("A","B")'}
    assert values(answer('offers("A",t,3). says("B",t,1). overrides("B","A").')) == {"1"}


# --- deeds

ASKED = "asked_deed(go). "
MAY = 'permits("P",go). '
NOT = 'forbids("F",go). '


def test_what_is_permitted_is_legal() -> None:
    assert "legal(go)" in answer(MAY)


def test_what_is_forbidden_is_illegal() -> None:
    atoms = answer(NOT + ASKED)
    assert 'illegal(go,"F")' in atoms
    assert not about(atoms, "legal") | about(atoms, "unknown") | about(atoms, "contested")


def test_permission_against_prohibition_is_illegal_and_contested() -> None:
    atoms = answer(MAY + NOT)
    assert about(atoms, "illegal") == {'illegal(go,"F")'}
    assert about(atoms, "contested") == {'contested(go,"P","F")'}
    assert about(atoms, "legal") == set()


def test_with_precedence_nothing_is_contested() -> None:
    for more, legal in (('overrides("P","F").', True), ('overrides("F","P").', False)):
        atoms = answer(MAY + NOT + more)
        assert ("legal(go)" in atoms) is legal
        assert (about(atoms, "illegal") == set()) is legal
        assert about(atoms, "contested") == set()


def test_a_licence_that_yields_goes_behind_what_forbids() -> None:
    atoms = answer(MAY + NOT + 'yields("P").')
    assert about(atoms, "illegal") == {'illegal(go,"F")'}
    assert about(atoms, "contested") == set()
    assert about(atoms, "defeated") == {'defeated("P",go,"F")'}


def test_a_licence_that_yields_holds_where_nothing_forbids() -> None:
    atoms = answer('permits("P",go(1..2)). forbids("F",go(1)). yields("P").')
    assert about(atoms, "legal") == {"legal(go(2))"}
    assert "legal(go)" in answer(MAY + NOT + 'yields("P"). lifts("L","F",go).')


def test_a_licence_that_does_not_yield_is_contested_beside_one_that_does() -> None:
    atoms = answer(MAY + NOT + 'permits("Q",go). yields("P").')
    assert about(atoms, "contested") == {'contested(go,"Q","F")'}


def test_who_is_silent_is_no_one_to_yield_to() -> None:
    atoms = answer(MAY + 'silent("F",go,cut_off). forbids("F",stay). yields("P").')
    assert about(atoms, "defeated") == set()
    assert about(atoms, "unknown") == {"unknown(go,cut_off)"}


def test_a_lifted_prohibition_forbids_nothing() -> None:
    assert "legal(go)" in answer(MAY + NOT + 'lifts("L","F",go).')


def test_a_lifted_lift_of_a_prohibition() -> None:
    assert 'illegal(go,"F")' in answer(MAY + NOT + 'lifts("L","F",go). lifts("K","L",go).')


def test_a_replaced_lift_of_a_prohibition() -> None:
    text = MAY + NOT + 'lifts("L","F",go). permits("N",go). overrides("N","L").'
    assert 'illegal(go,"F")' in answer(text)


def test_a_prohibition_that_is_not_lifted_for_this_deed_stands() -> None:
    atoms = answer('permits("P",go(1..2)). forbids("F",go(1..2)). lifts("L","F",go(1)).')
    assert about(atoms, "legal") == {"legal(go(1))"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('says("C",free,yes).', "legal(go)"),
        ('says("C",free,no).', 'illegal(go,"Q")'),
        ("", 'illegal(go,"Q")'),
        ('silent("C",free,cut_off).', "unknown(go,of(free))"),
        ('says("C",free,yes). says("D",free,no).', "unknown(go,of(free))"),
        ('takes("C",free,other). silent("D",other,cut_off).', "unknown(go,of(free))"),
    ],
)
def test_a_requirement_is_met_or_not_or_open(condition: str, expected: str) -> None:
    atoms = answer(MAY + 'requires("Q",go,free). ' + condition)
    verdicts = about(atoms, "legal") | about(atoms, "illegal")
    verdicts |= {atom for atom in about(atoms, "unknown") if atom.startswith("unknown(go")}
    assert verdicts == {expected}
    assert about(atoms, "contested") == set()


def test_a_requirement_alone_permits_nothing() -> None:
    atoms = answer('requires("Q",go,free). says("C",free,yes). ' + ASKED)
    assert values(atoms, "go") == {"?no_norm"}


def test_a_lifted_requirement_need_not_be_met() -> None:
    assert "legal(go)" in answer(MAY + 'requires("Q",go,free). lifts("L","Q",go).')


def test_what_is_forbidden_is_so_whatever_is_open_besides() -> None:
    atoms = answer(MAY + NOT + 'requires("Q",go,free). silent("C",free,cut_off).')
    assert about(atoms, "illegal") == {'illegal(go,"F")'}
    assert values(atoms, "go") == set()


def test_an_asked_deed_of_which_no_norm_is_left_is_unknown() -> None:
    atoms = answer(ASKED + 'permits("P",go). lifts("L","P",go).')
    assert values(atoms, "go") == {"?no_norm"}
    assert not about(atoms, "legal") | about(atoms, "illegal")


def test_an_asked_deed_that_no_norm_speaks_of_is_unknown() -> None:
    text = 'deed(fly(unit),"the unit flies"). deed(rest,"nothing"). says("A",t,1).'
    atoms = answer(text + "asked_deed(fly(u)). asked_deed(rest).")
    assert values(atoms, "fly(u)") == {"?no_norm"}
    assert values(atoms, "rest") == {"?no_norm"}


def test_a_deed_that_the_text_leaves_out_is_unknown_unless_forbidden() -> None:
    assert values(answer(MAY + 'silent("S",go,cut_off).'), "go") == {"?cut_off"}
    atoms = answer(MAY + NOT + 'silent("S",go,cut_off).')
    assert values(atoms, "go") == set()
    assert about(atoms, "illegal") == {'illegal(go,"F")'}
    assert "legal(go)" in answer(MAY + 'silent("S",go,cut_off). overrides("P","S").')


# --- the text is silent


def test_silence_gives_the_reason_and_no_value() -> None:
    assert values(answer('silent("S",t,cut_off).')) == {"?cut_off"}


def test_silence_stands_beside_a_value_as_not_known() -> None:
    assert values(answer(A3 + 'silent("S",t,cut_off).')) == {"?cut_off"}


def test_silence_can_beat_and_be_beaten() -> None:
    text = A3 + 'silent("S",t,cut_off). '
    assert values(answer(text + 'overrides("A","S").')) == {"3"}
    assert values(answer(text + 'overrides("S","A").')) == {"?cut_off"}
    assert values(answer(text + 'lifts("L","S",t).')) == {"3"}


# --- suppositions


def test_one_answer_set_for_each_supposition() -> None:
    found = answers("could_be(t,(own;enemy)).")
    assert sorted(map(sorted, map(values, found))) == [["enemy"], ["own"]]
    assert all(len(about(atoms, "abduced")) == 1 for atoms in found)


def test_nothing_is_supposed_of_what_is_settled() -> None:
    atoms = answer('could_be(t,(own;enemy)). says("A",t,own).')
    assert values(atoms) == {"own"}
    assert about(atoms, "abduced") == set()


def test_nothing_is_supposed_against_a_clash() -> None:
    assert values(answer("could_be(t,1..2). " + A3 + B4)) == {'?clash("A","B")'}


def test_a_supposition_stands_for_a_beaten_value() -> None:
    found = answers("could_be(t,1..2). " + A3 + 'lifts("L","A",t).')
    assert sorted(map(sorted, map(values, found))) == [["1"], ["2"]]


@pytest.mark.parametrize("gap", ['silent("S",t,cut_off).', 'takes("N",t,u).'])
def test_what_can_be_supposed_is_not_unknown_as_well(gap: str) -> None:
    found = answers("could_be(t,1..2). " + gap)
    assert sorted(map(sorted, map(values, found))) == [["1"], ["2"]]


@pytest.mark.parametrize(
    ("gap", "why"), [('silent("S",t,cut_off).', "?cut_off"), ('takes("N",t,u).', "?of(u)")]
)
def test_a_value_that_may_not_be_the_only_one_is_not_certain(gap: str, why: str) -> None:
    assert values(answer("could_be(t,1..2). " + A3 + gap)) == {why}


def test_suppositions_of_two_topics_are_independent() -> None:
    assert len(answers("could_be(t(1..2),(yes;no)).")) == 4


def test_what_rests_on_a_supposition_differs_what_does_not_is_certain() -> None:
    text = MAY + 'could_be(free,(yes;no)). requires("Q",go,free). says("A",t,3).'
    found = answers(text)
    assert len(found) == 2
    assert ["legal(go)" in atoms for atoms in found].count(True) == 1
    assert ['illegal(go,"Q")' in atoms for atoms in found].count(True) == 1
    assert all(values(atoms) == {"3"} for atoms in found)


def test_a_supposition_is_taken_and_added() -> None:
    found = answers('could_be(t,1..2). takes("N",u,t). adds_value("N",v,t). adds("N",v,5,x).')
    got = {(*values(atoms, "u"), *about(atoms, "total")) for atoms in found}
    assert got == {("1", "total(v,6)"), ("2", "total(v,7)")}


# --- rulings, and precedence by paragraph


def test_a_ruling_lets_its_norm_win() -> None:
    text = A3 + B4 + 'ruling("R-T1","B","A").'
    assert values(answer(text)) == {"4"}
    assert values(answer(text, 'without("R-T1").')) == {'?clash("A","B")'}
    assert values(answer(text, 'without("R-T2").')) == {"4"}


def test_a_ruling_joins_the_transitive_chain() -> None:
    text = A3 + C5 + 'ruling("R-T1","C","B"). overrides("B","A").'
    assert values(answer(text)) == {"5"}
    assert values(answer(text, 'without("R-T1").')) == {'?clash("A","C")'}


def tagged(norm: str, value: int) -> str:
    return f'%@ {norm}  A norm.\nsays("{norm}",t,{value}).\n'


@pytest.mark.parametrize(
    ("family", "norm", "amended"),
    [
        ("B23.74", "B23.74-1", True),
        ("B23.74", "B23.741-3", True),
        ("B23.74", "B23.75-1", False),
        ("B23.741", "B23.74-1", False),
        ("B23.7", "B23.741-3", True),
        ("B23", "B23.741-3", True),
        ("B2", "B23.741-3", False),
        ("D2.3", "D2.3-1", True),
    ],
)
def test_a_section_amends_a_paragraph_and_all_below_it(
    family: str, norm: str, amended: bool
) -> None:
    text = tagged(norm, 3) + tagged("ABTF3.3-1", 4) + f'amends("ABTF3","{family}").'
    assert (values(answer(text)) == {"4"}) is amended


def test_a_section_amends_only_where_both_speak() -> None:
    text = tagged("B23.74-1", 3) + '%@ ABTF3.3-1  A norm.\nsays("ABTF3.3-1",u,4).\n'
    assert values(answer(text + 'amends("ABTF3","B23.74").')) == {"3"}


def test_a_paragraph_amends_too() -> None:
    text = tagged("B23.2-1", 3) + tagged("B23.74-1", 4) + tagged("B23.3-1", 3)
    atoms = answer(text + 'amends("B23.74","B23.2").')
    assert about(atoms, "is_defeated") == {'is_defeated("B23.2-1",t)'}


# --- sights

S = "s(a,b)"
SIGHT = f"sight({S},3). "
WALL = f'blocks("W",{S},h1). '
TREE = f'blocks("T",{S},h2). '


def stopped(text: str) -> set[str]:
    return about(answer(SIGHT + text), "stopped") - {f"stopped({S})"}


def test_a_sight_that_nothing_blocks_is_clear() -> None:
    atoms = answer(SIGHT + 'blocks("W",s(c,d),h1). sight(s(c,d),1).')
    assert about(atoms, "sees") == {f"sees({S})"}


def test_a_sight_that_is_not_asked_is_not_seen() -> None:
    assert about(answer('blocks("W",s(a,b),h1).'), "sees") == set()


def test_every_blocking_norm_and_place_is_reported() -> None:
    assert stopped(WALL + TREE) == {f'stopped({S},"W",h1)', f'stopped({S},"T",h2)'}


def test_a_norm_lifted_for_the_whole_sight_blocks_nowhere() -> None:
    text = WALL + f'blocks("W",{S},h3). lifts("L","W",{S}).'
    assert stopped(text) == set()
    assert f"sees({S})" in answer(SIGHT + text)
    assert f'defeated("W",{S},"L")' in answer(SIGHT + text)


def test_a_norm_lifted_at_a_place_blocks_elsewhere() -> None:
    text = WALL + f'blocks("W",{S},h3). lifts("L","W",at({S},h1)).'
    assert stopped(text) == {f'stopped({S},"W",h3)'}
    assert f'defeated("W",at({S},h1),"L")' in answer(SIGHT + text)


def test_a_lift_does_not_reach_other_norms_or_other_sights() -> None:
    assert stopped(WALL + TREE + f'lifts("L","W",{S}).') == {f'stopped({S},"T",h2)'}
    assert stopped(WALL + 'lifts("L","W",s(a,c)).') == {f'stopped({S},"W",h1)'}


@pytest.mark.parametrize("topic", [S, f"at({S},h1)"])
def test_a_halted_lift_lifts_nothing(topic: str) -> None:
    text = WALL + f'lifts("L","W",{topic}). lifts("K","L",{S}).'
    assert stopped(text) == {f'stopped({S},"W",h1)'}
    # By whom the lift is beaten is told: without that the line would be clear.
    assert about(answer(SIGHT + text), "defeated") == {f'defeated("L",{S},"K")'}


@pytest.mark.parametrize("topic", [S, f"at({S},h1)"])
def test_a_lift_of_the_second_lift_of_a_sight_is_ignored(topic: str) -> None:
    text = WALL + f'lifts("L","W",{topic}). lifts("K","L",{S}). lifts("J","K",{S}).'
    assert stopped(text) == {f'stopped({S},"W",h1)'}


def test_a_clearing_norm_lifts_those_it_wins_over() -> None:
    text = WALL + f'clears("C",{S}). overrides("C","W").'
    assert stopped(text) == set()
    assert about(answer(SIGHT + text), "contested") == set()
    assert about(answer(SIGHT + text), "defeated") == {f'defeated("W",{S},"C")'}
    assert stopped(TREE + text) == {f'stopped({S},"T",h2)'}


def test_clear_and_blocked_without_precedence_is_blocked_and_contested() -> None:
    atoms = answer(SIGHT + WALL + f'clears("C",{S}).')
    assert about(atoms, "contested") == {f'contested({S},"C","W")'}
    assert about(atoms, "sees") == set()


def test_a_clearing_norm_that_the_blocking_one_wins_over_contests_nothing() -> None:
    atoms = answer(SIGHT + WALL + f'clears("C",{S}). overrides("W","C").')
    assert about(atoms, "contested") == set()
    assert stopped(WALL + f'clears("C",{S}). overrides("W","C").') == {f'stopped({S},"W",h1)'}


def test_a_lifted_clearing_clears_and_contests_nothing() -> None:
    text = WALL + f'clears("C",{S}). overrides("C","W"). lifts("L","C",{S}).'
    assert stopped(text) == {f'stopped({S},"W",h1)'}
    assert about(answer(SIGHT + text), "contested") == set()


def test_a_ruling_gives_a_clearing_norm_its_precedence() -> None:
    text = SIGHT + WALL + f'clears("C",{S}). ruling("R-T1","C","W").'
    assert f"sees({S})" in answer(text)
    assert f"sees({S})" not in answer(text, 'without("R-T1").')


def test_hindrances_add_up_by_place() -> None:
    atoms = answer(SIGHT + f'hinders("B",{S},h1,1). hinders("B",{S},h2,1). hinders("F",{S},h3,2).')
    assert about(atoms, "hindrance") == {f"hindrance({S},4)"}
    assert f"sees({S})" in atoms


def test_two_norms_hinder_once_at_one_place() -> None:
    atoms = answer(SIGHT + f'hinders("B",{S},h1,1). hinders("G",{S},h1,1).')
    assert about(atoms, "hindrance") == {f"hindrance({S},1)"}
    assert len(about(atoms, "hindered")) == 2


@pytest.mark.parametrize(("topic", "sum_"), [(S, set()), (f"at({S},h1)", {f"hindrance({S},1)"})])
def test_a_hindrance_is_lifted_whole_or_at_a_place(topic: str, sum_: set[str]) -> None:
    text = f'hinders("B",{S},(h1;h2),1). lifts("L","B",{topic}).'
    assert about(answer(SIGHT + text), "hindrance") == sum_


def test_a_sight_that_nothing_hinders_has_no_sum() -> None:
    assert about(answer(SIGHT + WALL), "hindrance") == set()


def test_what_is_not_known_of_a_sight_matters_only_if_nothing_blocks_it() -> None:
    gap = f'silent("G",{S},scrub). '
    atoms = answer(SIGHT + gap)
    assert values(atoms, S) == {"?scrub"}
    assert about(atoms, "sees") == set()
    atoms = answer(SIGHT + gap + WALL)
    assert values(atoms, S) == set()
    assert about(atoms, "sees") == set()
    assert values(answer(SIGHT + gap + WALL + f'lifts("L","W",{S}).'), S) == {"?scrub"}


def test_a_lifted_silence_about_a_sight_leaves_it_clear() -> None:
    assert f"sees({S})" in answer(SIGHT + f'silent("G",{S},scrub). lifts("L","G",{S}).')


# --- expansion


def test_the_shipped_topics_form_no_knot() -> None:
    assert topic_cycles(load_program().rules) == []


@pytest.mark.parametrize(
    "text",
    [
        'takes("A",t,u). takes("B",u,t).',
        'says("A",t,1) :- is(u,1). says("B",u,1) :- not is(t,1).',
        'says("A",t,1) :- is(t,2).',
        'silent("A",t,x) :- is_unknown(u). silent("B",u,x) :- is_unknown(t).',
        'hinders("A",s(X,Y),h,1) :- stopped(s(X,Y)). '
        'blocks("B",s(X,Y),h) :- hindrance(s(X,Y),K), K > 5.',
        'permits("A",go) :- is(t,1). says("B",t,1) :- legal(go).',
    ],
)
def test_a_topic_that_rests_on_itself_is_a_knot(text: str) -> None:
    assert topic_cycles(instantiate_calculus(small(text)))


def test_being_beaten_by_turns_is_no_knot() -> None:
    assert topic_cycles(instantiate_calculus(small(A3 + B4 + 'overrides("A","B").'))) == []


def test_the_question_layer_is_what_rests_on_a_question() -> None:
    text = (
        'measured(asked(x),"asked"). says("A",t,1). says("B",u,1) :- is(t,1), asked(_).'
        'takes("C",v,u).'
    )
    program = build(small(text))
    static = {
        node.topic for rule in program.static_rules for node in rule.heads if node.name == "is"
    }
    later = {
        node.topic for rule in program.question_rules for node in rule.heads if node.name == "is"
    }
    assert static == {("t", 0)}
    assert later == {("u", 0), ("v", 0)}


def test_only_rules_may_stand_in_the_knowledge_base() -> None:
    with pytest.raises(house_rules.SourceError, match="only rules"):
        small("#show p/1.")
