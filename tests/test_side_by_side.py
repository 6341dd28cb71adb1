"""Several boards and knowledge bases in one process: each uses its own names and words."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rules_asp import api
from rules_asp.api import parse, position
from rules_asp.knowledge.loading import load_program, with_house_rules
from rules_asp.parser import BoardError, write
from tests.positions import program
from tests.sampling import slow


def of_two_boards(left: str, right: str) -> api.Position:
    """A map of two boards of these names, with a wood and a squad on each."""
    text = f'board "m"\npart {left} grid 5x4\npart {right} grid 5x4 right of {left}\n'
    text += f"woods: {left}C2 {right}C2\nunit A squad at {left}B2\nunit B squad at {right}D2\n"
    return position(parse(text), program())


def said_of(here: api.Position, left: str, right: str) -> list[str]:
    """What a map says in many ways, its boards called 1 and 2 throughout."""
    sight = api.los(here, f"{left}A2", f"{right}C2")
    with pytest.raises(api.QuestionError) as wrong:
        api.los(here, f"{left}B2", f"{left}B2/3")
    said = [
        f"{sight.a} {sight.b} {sight.blockers[0].place}",
        *(str(each) for each in api.locations(here)),
        str(api.parse_query(f"terrain({right}C2, woods)", None, here)),
        *(value for way in api.ask(here, "at(U, L)").found for _, value in way.values),
        *(str(each.to) for each in api.moves(here, "A").reach),
        str(api.can(here, f"A moves to {left}C2").ways[0].sentence),
        write(here.board),
        str(wrong.value),
    ]
    assert f">{left}A2<" in api.picture(here, sight)
    return [each.replace(left, "<1>").replace(right, "<2>") for each in said]


@slow
def test_each_map_is_reported_by_its_own_names() -> None:
    boards = [("kap", "ost"), ("wex", "zen")]
    maps = [(of_two_boards(*each), *each) for each in boards]
    first = [said_of(*each) for each in maps]
    assert first[0] == first[1]
    assert "<1>A2 <2>C2 <1>C2" in first[0][0]
    # One after the other, and several at once.
    assert [said_of(*each) for each in maps * 2] == first * 2
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: said_of(*each), maps * 3)) == first * 3


#: A house rule on how high a hut is, in half levels, and a word of its own for it.
HOUSE = """
topic({word}(hex), yes_no, "the hex has a {word}").
%@ XX1.1-1  A wooden Single Story House is so high.
says("XX1.1-1", height(H), {high}) :- is(btype(H),single_story), is(construction(H),wooden).
overrides("XX1.1-1","B23.21-2").
%@ XX1.2-1  It is a {word}.
says("XX1.2-1", {word}(H), yes) :- is(btype(H),single_story), is(construction(H),wooden).
"""


@slow
def test_knowledge_bases_with_other_house_rules_live_side_by_side(tmp_path: Path) -> None:
    programs = {"": load_program()}
    for word, high in (("shed", 1), ("barn", 3)):
        (tmp_path / word).mkdir()
        (tmp_path / word / "one.lp").write_text(HOUSE.format(word=word, high=high))
        programs[word] = with_house_rules(tmp_path / word)
    board = parse('board "hut" grid 3x3\nbuilding brown: A1\n')
    heres = {word: position(board, each) for word, each in programs.items()}
    heights = {"": "1", "shed": "1/2", "barn": "1 1/2"}

    def check(word: str) -> None:
        here = heres[word]
        assert here.vocabulary.topics.keys() - programs[""].vocabulary.topics.keys() == {word} - {
            ""
        }
        found = api.why(here, "height(A1) = V").asked
        assert found.found[0].values == (("V", heights[word]),)
        assert ("XX1.1" in found.cites) is bool(word)
        for other in ("shed", "barn"):
            if other == word:
                assert api.ask(here, f"{other}(H)").found[0].values == (("H", "A1"),)
            else:
                with pytest.raises(BoardError, match=f"the rules do not define {other}"):
                    api.ask(here, f"{other}(H)")

    for word in [*heres] * 2:
        check(word)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(check, [*heres] * 2))
    assert load_program() is programs[""]
