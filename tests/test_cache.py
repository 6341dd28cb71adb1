"""The cache on disk: entries are read as they were written, or made again; nothing in the cache is run."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from clingo import Function, Number, String, Symbol
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp import api
from rules_asp.api import BoardError, Change, Position, los
from rules_asp.cli.app import main
from rules_asp.game import board as board_module
from rules_asp.game import query as query_module
from rules_asp.game.board import BOARD_CLASSES, Board, Building, Fact, Overlay, PlacedBoard
from rules_asp.game.grid import Grid, Hex, Hexside, Location, Vertex
from rules_asp.game.values import hex_from_symbol
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import functor_name, keys
from rules_asp.knowledge.loading import StoredProgram, load_program
from rules_asp.knowledge.program import LISTS, build
from rules_asp.knowledge.reader import kb_folder, read_kb
from rules_asp.knowledge.rules import Norm, Rule
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.stored_answer_sets import (
    StoredAnswerSet,
    dump_answer_sets,
    load_answer_sets,
)
from rules_asp.parser import load, write
from rules_asp.positions.loading import example_boards
from rules_asp.positions.position import prepare
from rules_asp.runtime import cache
from rules_asp.runtime.cache import FormatError, dumps, loads
from tests.positions import boards, program
from tests.sampling import slow, some, tries


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RULES_ASP_CACHE", str(folder))
    return folder


# --- values

_HEXES = st.builds(Hex, st.integers(0, 9), st.integers(0, 9))
_PLACES = st.one_of(
    _HEXES,
    st.builds(Hexside, _HEXES, _HEXES),
    st.builds(Vertex, _HEXES, st.integers(0, 5)),
    st.builds(Location, _HEXES, st.sampled_from([0, 1, "roof"])),
)
_LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), _PLACES)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.frozensets(_LEAVES),
        st.dictionaries(_LEAVES, inner),
        st.builds(Fact, st.text(), st.lists(inner).map(tuple)),
    ),
    max_leaves=20,
)


def _same(one: object, other: object) -> bool:
    """Equal, and of the same classes all the way down; a Hex is no pair, True is not 1."""
    return one == other and sorted(repr(one)) == sorted(repr(other))


@given(_VALUES)
@settings(max_examples=tries(600))
def test_a_value_comes_back_as_it_was(value: object) -> None:
    assert _same(loads(dumps(value, BOARD_CLASSES), BOARD_CLASSES), value)


def test_a_board_comes_back_with_its_places_and_lines() -> None:
    for path in example_boards().values():
        board = load(path)
        again = loads(dumps(board, BOARD_CLASSES), BOARD_CLASSES)
        assert _same(again, board)
        assert again.places == board.places
        assert again.lines == board.lines


def test_every_class_of_a_resolved_board_can_be_kept() -> None:
    found = {
        each
        for module in (board_module, query_module)
        for each in vars(module).values()
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == module.__name__
    }
    # Resolving a board replaces these by what they place.
    assert found - {PlacedBoard, Overlay} <= {*BOARD_CLASSES}


def test_only_classes_that_are_expected_are_kept_and_made() -> None:
    with pytest.raises(TypeError, match="Hex"):
        dumps((Hex(1, 1),))
    with pytest.raises(TypeError, match="object"):
        dumps(object(), BOARD_CLASSES)
    data = dumps(Hex(1, 1), BOARD_CLASSES)
    with pytest.raises(FormatError):
        loads(data)
    with pytest.raises(FormatError):
        loads(data, (Rule, Norm))


@pytest.mark.parametrize(
    "rows",
    [
        *(7, {}, [], [[]], [["t", 0]], [["t", 1], 1], [1, ["d", 0]], [1, [["t"], 0]]),
        *([1, ["Hex", 0]], [1, ["Hex", 0, 0, 0]], [1, ["Given", 0]], [1, ["Board", 0]]),
        *([1, ["os.system", 0]], [1, ["t", "0"]], [1, ["t", 0.5]], [["l"], ["s", 0]]),
    ],
)
def test_rows_that_make_nothing_are_refused(rows: object) -> None:
    with pytest.raises(FormatError):
        loads(json.dumps(rows).encode(), BOARD_CLASSES)


# --- files


def test_what_was_made_is_kept_under_its_sources(kept: Path) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(made)

    assert cache.memoize_on_disk("n", [b"a"], make, int) == 1
    assert cache.memoize_on_disk("n", [b"a"], make, int) == 1
    assert cache.memoize_on_disk("n", [b"b"], make, int) == 2
    assert cache.memoize_on_disk("m", [b"a"], make, int) == 3
    assert len(list(kept.iterdir())) == 3


def _made_anew(kept: Path, damage: Callable[[bytes], bytes]) -> bool:
    """Whether a file that is damaged so is made anew, as it was."""
    value = {"seven": (7, Hex(7, 7))}
    assert cache.memoize_on_disk("n", [b"a"], lambda: value, dict, (Hex,)) == value
    (file,) = kept.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    calls: list[int] = []
    found = cache.memoize_on_disk("n", [b"a"], lambda: calls.append(1) or value, dict, (Hex,))
    assert found == value
    assert file.read_bytes() == whole
    assert list(kept.iterdir()) == [file]
    return bool(calls)


def test_a_flipped_bit_anywhere_is_noticed(kept: Path) -> None:
    assert not _made_anew(kept, bytes)
    (file,) = kept.iterdir()
    for place in range(len(file.read_bytes())):
        bit = 1 << place % 8
        assert _made_anew(kept, lambda data, place=place, bit=bit: _flipped(data, place, bit)), (
            place
        )


def _flipped(data: bytes, place: int, bit: int) -> bytes:
    return data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{}", b"rules-asp cache 2\n", pickle.dumps(1), b"\0" * 4096),
        cache.add_checksum("m-of-another-name", dumps(7)),
    ],
)
def test_a_foreign_file_is_made_anew(kept: Path, damage: bytes) -> None:
    assert _made_anew(kept, lambda _: damage)


def test_a_cut_or_longer_file_is_made_anew(kept: Path) -> None:
    assert _made_anew(kept, lambda data: data[:-1])
    assert _made_anew(kept, lambda data: data + b"\0")


def test_a_sealed_file_of_another_format_or_class_is_made_anew(kept: Path) -> None:
    name = Path(str(cache.entry_path("n", [b"a"]))).name
    older = cache.add_checksum(name, dumps(7)).replace(b"cache 2", b"cache 1")
    assert _made_anew(kept, lambda _: older)
    assert _made_anew(kept, lambda _: cache.add_checksum(name, dumps(Hex(1, 1), BOARD_CLASSES)))
    assert _made_anew(kept, lambda _: cache.add_checksum(name, dumps(7)))
    assert _made_anew(kept, lambda _: cache.add_checksum(name, b"\xff"))


class _Bomb:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.marker),)


def test_a_pickle_in_the_cache_does_not_run(kept: Path, tmp_path: Path) -> None:
    marker = tmp_path / "boom"
    bomb = pickle.dumps(_Bomb(marker))
    name = Path(str(cache.entry_path("n", [b"a"]))).name
    assert _made_anew(kept, lambda _: bomb)
    assert _made_anew(kept, lambda _: cache.add_checksum(name, bomb))
    assert not marker.exists()
    pickle.loads(bomb)
    assert marker.exists()


def test_nothing_is_kept_where_others_may_write_or_it_is_off(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.mkdir()
    kept.chmod(0o777)
    assert cache.cache_dir() is None
    assert cache.memoize_on_disk("n", [b"a"], lambda: 7, int) == 7
    assert list(kept.iterdir()) == []
    monkeypatch.setenv("RULES_ASP_CACHE", "off")
    assert cache.cache_dir() is None
    monkeypatch.setenv("RULES_ASP_CACHE", str(kept / "file" / "below"))
    (kept / "file").write_text("", "utf-8")
    assert cache.cache_dir() is None


def test_a_full_folder_loses_what_is_oldest(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rules_asp.runtime.cache.MAX_CACHE_BYTES", 3000)
    for number in range(20):
        noise = random.Random(number).randbytes(600).hex()
        cache.memoize_on_disk("n", [bytes([number])], lambda noise=noise: noise, str)
        for each in kept.iterdir():
            os.utime(each, (each.stat().st_mtime - 9,) * 2)
    assert 0 < sum(each.stat().st_size for each in kept.iterdir()) <= 3000
    newest = Path(str(cache.entry_path("n", [bytes([19])])))
    assert newest.exists()


@slow
def test_the_kept_knowledge_base_is_the_one_that_is_read(kept: Path) -> None:
    # Each under another name of its folder, so that it is not the one which is in memory.
    folders = kb_folder() / "lab" / "..", kb_folder() / "b23" / ".."
    first, second = map(load_program, folders)
    given = keys("hex((1,1)).")
    third = build(read_kb(kb_folder()))
    assert first.static(given) == second.static(given) == third.static(given)
    assert sorted(path.name.split("-")[0] for path in kept.iterdir()) == ["program", "rules"]
    assert second.source == first.source
    # What is read without the rules is what follows from them.
    assert isinstance(second, StoredProgram)
    assert (second.table, second.twins.index) == (third.table, third.twins.index)
    assert (second.norms, second.later) == (third.norms, third.later)
    assert [each.rule for each in second.twins.all()] == [each.rule for each in third.twins.all()]
    assert {name: [*second.declared(name)] for name in LISTS} == {
        name: [*third.declared(name)] for name in LISTS
    }


_ASKED = (
    ("los", "church", "C3/2", "D2/2"),
    ("ask", "church", "height(C3) = V"),
)


def _told(*command: str) -> str:
    found = CliRunner().invoke(main, [*command, "--json"])
    assert found.exit_code == 0, found.output
    return found.output


@slow
def test_answers_are_the_same_whatever_becomes_of_the_cache(
    kept: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from rules_asp.parser import query, reader, sentences

    def asked() -> list[str]:
        # As if each command were a process of its own.
        for each in (reader.grammar, sentences._grammar, query._grammar):
            each.cache_clear()
        return [_told(*command) for command in _ASKED]

    monkeypatch.setenv("RULES_ASP_CACHE", "off")
    right = asked()
    monkeypatch.setenv("RULES_ASP_CACHE", str(kept))
    assert asked() == right
    whole = {each: each.read_bytes() for each in kept.iterdir()}
    assert {each.name.split("-")[0] for each in whole} == {"board", "follows", "grammar"}
    for damage in some([*range(8)], 1):
        chance = random.Random(damage)
        for path, data in whole.items():
            path.write_bytes(_flipped(data, chance.randrange(len(data)), 1 << damage))
        assert asked() == right
        assert {*kept.iterdir()} == {*whole}
        for path in whole:
            assert cache.load_entry(path) is not None
    shutil.rmtree(kept)
    assert asked() == right


# --- boards


def _as_made(here: Position, made: Position) -> None:
    """That a position which was kept is the one that was made, to all that can be asked of it."""
    assert (here.board, here.shapes) == (made.board, made.shapes)
    assert here.switched_off == made.switched_off
    assert (here.board.places, here.board.lines) == (made.board.places, made.board.lines)
    assert here.board_facts.symbols == made.board_facts.symbols
    assert len(here.cases) == len(made.cases)
    for one, other in zip(here.cases, made.cases, strict=True):
        assert isinstance(one, StoredAnswerSet)
        assert not isinstance(other, StoredAnswerSet)
        assert set(one.symbols) == set(other.symbols)
        assert len(one.symbols) == len(other.symbols)
        for name, arity in {(atom.name, len(atom.arguments)) for atom in other.symbols}:
            atoms = other.atoms(name, arity)
            # In the same order too, so that what is found first is the same.
            assert one.atoms(name, arity) == atoms
            assert all(map(one.holds, atoms))
            place = calculus().key_place.get(name, arity)
            if place < arity:
                for word in {functor_name(atom.arguments[place]) for atom in atoms}:
                    about = [atom for atom in atoms if functor_name(atom.arguments[place]) == word]
                    assert (
                        one.atoms_about(name, arity, word)
                        == other.atoms_about(name, arity, word)
                        == about
                    )
        assert not one.holds(Function("is", [Function("height", [Function("nowhere")])]))
        assert not one.holds(Function("nothing"))
        assert one.atoms("nothing", 1) == one.atoms_about("is", 2, "nothing") == []


@slow
def test_what_is_kept_of_a_board_is_what_was_made(kept: Path) -> None:
    for name in some(sorted(example_boards()), 2):
        made = prepare(load(example_boards()[name]), program())
        for _ in ("first", "again"):
            _as_made(api.load(name), made)
    made = prepare(load(example_boards()["church"]), program(), ["R-T03"])
    for _ in ("first", "again"):
        _as_made(api.load("church", without=["R-T03"]), made)
    assert made.switched_off == ("R-T03",)


@given(boards())
@settings(max_examples=tries(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_kept_of_any_board_is_what_was_made(kept: Path, board: Board) -> None:
    made = prepare(board, program())
    _as_made(replace(made, cases=load_answer_sets(dump_answer_sets(made.cases))), made)


def test_names_of_any_kind_are_kept(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.board"
    name = "a\u2028b'),(\\\"\n.\u0085 :- x. %* #include"
    board = Board(name, Grid(2, 2), (Building("gray", (Hex(0, 1),), name),))
    path.write_text(write(board), "utf-8")
    made = prepare(load(path), program())
    for _ in ("first", "again"):
        again = api.load(path)
        _as_made(again, made)
    assert again.board.name == name
    assert String(name) in {fact.arguments[0] for fact in again.board_facts.named("map")}


_TERMS = st.recursive(
    st.one_of(
        st.integers(-2, 2).map(Number),
        st.sampled_from(["x", ",is(", '",is("a', "\\", "\n"]).map(String),
        st.builds(
            Function, st.sampled_from(["is", "height", "no", "_x'"]), st.just([]), st.booleans()
        ),
    ),
    lambda inner: st.builds(
        Function,
        st.sampled_from(["is", "height", "says", ""]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


@settings(max_examples=tries(60), deadline=None)
@given(
    st.lists(
        st.builds(
            Function,
            st.sampled_from(["is", "says", "hex"]),
            st.lists(_TERMS, min_size=1, max_size=3),
        ),
        unique=True,
    )
)
def test_atoms_are_kept_by_their_topics_whatever_stands_in_them(atoms: list[Symbol]) -> None:
    """What is written at once is taken apart where an atom begins, and nowhere else."""
    answer = AnswerSet(tuple(atoms))
    (kept,) = load_answer_sets(dump_answer_sets([answer]))
    assert set(kept.symbols) == set(atoms)
    for atom in atoms:
        assert kept.holds(atom)
        name, arity = atom.name, len(atom.arguments)
        assert kept.atoms(name, arity) == answer.atoms(name, arity)
        if calculus().key_place.get(name, arity) < arity:
            word = functor_name(atom.arguments[calculus().key_place[name]])
            assert kept.atoms_about(name, arity, word) == answer.atoms_about(name, arity, word)


def _kinds(kept: Path) -> list[str]:
    return sorted(each.name.split("-")[0] for each in kept.iterdir() if "grammar" not in each.name)


def test_a_board_that_has_changed_is_made_anew(kept: Path, tmp_path: Path) -> None:
    path, used = tmp_path / "one.board", tmp_path / "base.board"
    used.write_text('board "x" grid 3x3\nwoods: A1\n', "utf-8")
    path.write_text('use "base.board"\nwoods: B1\n', "utf-8")

    def woods() -> set[str]:
        where = (fact.arguments[0] for fact in api.load(path).board_facts.named("terrain"))
        return {str(hex_from_symbol(each)) for each in where}

    assert woods() == woods() == {"A1", "B1"}
    # A file that is used, of the same length and time.
    about = used.stat()
    used.write_text('board "x" grid 3x3\nwoods: A2\n', "utf-8")
    os.utime(used, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert woods() == woods() == {"A2", "B1"}
    path.write_text('use "base.board"\nwoods: B2\n', "utf-8")
    assert woods() == {"A2", "B2"}
    used.unlink()
    with pytest.raises(BoardError, match="no file"):
        api.load(path)
    used.write_text("woods: Q1\n", "utf-8")
    with pytest.raises(BoardError):
        api.load(path)


def test_what_is_supposed_and_switched_off_is_kept_apart(kept: Path) -> None:
    plain = api.load("church")
    lower = api.load("church", changes=[Change(False, "level 1: D2")])
    api.load("church", without=["R-T03"])
    assert _kinds(kept).count("board") == 3
    assert api.load("church").board == plain.board != lower.board
    assert los(api.load("church"), "C3/2", "D2/2") == los(plain, "C3/2", "D2/2")
    again = api.load("church", changes=[Change(False, "level 1: D2")])
    assert los(again, "C3/2", "D2/2") == los(lower, "C3/2", "D2/2") != los(plain, "C3/2", "D2/2")


@slow
def test_a_program_of_ones_own_is_not_asked_from_the_cache(kept: Path) -> None:
    source = read_kb(kb_folder())
    rules = tuple(rule for rule in source.rules if rule.norm != "B23.25-5")
    lesser = build(replace(source, rules=rules))
    full = api.load("church")
    assert api.load("church", lesser).program is lesser
    assert not any(isinstance(each, StoredAnswerSet) for each in api.load("church", lesser).cases)
    assert len(los(api.load("church", lesser), "C3/2", "D2/2").blockers) < len(
        los(full, "C3/2", "D2/2").blockers
    )


def test_a_clash_on_a_kept_board_stays_one(kept: Path, tmp_path: Path) -> None:
    """Each order of two norms that clash is a static answer set of its own, also from the cache."""
    path = tmp_path / "clash.board"
    path.write_text(
        'board "clash" grid 3x3\nbuilding gray: B2 B3   joined B2-B3   bar B2-B3\n'
        "upper levels 0: B2\n"
    )
    for _ in range(2):
        found = api.ask(api.load(str(path)), "has_level(B2, 1) = V", cite=False)
        assert (str(found.word), found.holds) == ("unknown", None)
