"""What is kept on the disk: read as it was written, or made anew; nothing in it runs."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_asp import cache
from rules_asp.cache import Unreadable, pack, unpack
from rules_asp.cli.app import main
from rules_asp.knowledge.occasions import keys
from rules_asp.knowledge.program import build, load_program
from rules_asp.knowledge.source import Norm, Rule, kb_folder, read
from rules_asp.parser import load
from rules_asp.positions.files import examples
from rules_asp.terms.board import PARTS, Given
from rules_asp.terms.grid import Hex, Hexside, Location, Vertex
from tests.sampling import some


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
        st.builds(Given, st.text(), st.lists(inner).map(tuple)),
    ),
    max_leaves=20,
)


def _same(one: object, other: object) -> bool:
    """Equal, and of the same classes all the way down; a Hex is no pair, True is not 1."""
    return one == other and sorted(repr(one)) == sorted(repr(other))


@given(_VALUES)
@settings(max_examples=200)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    assert _same(unpack(pack(value, PARTS), PARTS), value)


def test_a_board_comes_back_with_its_places_and_lines() -> None:
    for path in examples().values():
        board = load(path)
        again = unpack(pack(board, PARTS), PARTS)
        assert _same(again, board)
        assert again.places == board.places
        assert again.lines == board.lines


def test_only_classes_that_are_expected_are_kept_and_made() -> None:
    with pytest.raises(TypeError, match="Hex"):
        pack((Hex(1, 1),))
    with pytest.raises(TypeError, match="object"):
        pack(object(), PARTS)
    data = pack(Hex(1, 1), PARTS)
    with pytest.raises(Unreadable):
        unpack(data)
    with pytest.raises(Unreadable):
        unpack(data, (Rule, Norm))


@pytest.mark.parametrize(
    "rows",
    [
        *(7, {}, [], [[]], [["t", 0]], [["t", 1], 1], [1, ["d", 0]], [1, [["t"], 0]]),
        *([1, ["Hex", 0]], [1, ["Hex", 0, 0, 0]], [1, ["Given", 0]], [1, ["Board", 0]]),
        *([1, ["os.system", 0]], [1, ["t", "0"]], [1, ["t", 0.5]], [["l"], ["s", 0]]),
    ],
)
def test_rows_that_make_nothing_are_refused(rows: object) -> None:
    with pytest.raises(Unreadable):
        unpack(json.dumps(rows).encode(), PARTS)


# --- files


def test_what_was_made_is_kept_under_its_sources(kept: Path) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(made)

    assert cache.remember("n", [b"a"], make, int) == 1
    assert cache.remember("n", [b"a"], make, int) == 1
    assert cache.remember("n", [b"b"], make, int) == 2
    assert cache.remember("m", [b"a"], make, int) == 3
    assert len(list(kept.iterdir())) == 3


def _made_anew(kept: Path, damage: Callable[[bytes], bytes]) -> bool:
    """Whether a file that is damaged so is made anew, as it was."""
    value = {"seven": (7, Hex(7, 7))}
    assert cache.remember("n", [b"a"], lambda: value, dict, (Hex,)) == value
    (file,) = kept.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    calls: list[int] = []
    found = cache.remember("n", [b"a"], lambda: calls.append(1) or value, dict, (Hex,))
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
        cache.sealed("m-of-another-name", pack(7)),
    ],
)
def test_a_foreign_file_is_made_anew(kept: Path, damage: bytes) -> None:
    assert _made_anew(kept, lambda _: damage)


def test_a_cut_or_longer_file_is_made_anew(kept: Path) -> None:
    assert _made_anew(kept, lambda data: data[:-1])
    assert _made_anew(kept, lambda data: data + b"\0")


def test_a_sealed_file_of_another_format_or_class_is_made_anew(kept: Path) -> None:
    name = Path(str(cache.file("n", [b"a"]))).name
    older = cache.sealed(name, pack(7)).replace(b"cache 2", b"cache 1")
    assert _made_anew(kept, lambda _: older)
    assert _made_anew(kept, lambda _: cache.sealed(name, pack(Hex(1, 1), PARTS)))
    assert _made_anew(kept, lambda _: cache.sealed(name, pack(7)))
    assert _made_anew(kept, lambda _: cache.sealed(name, b"\xff"))


class _Bomb:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.marker),)


def test_a_pickle_in_the_cache_does_not_run(kept: Path, tmp_path: Path) -> None:
    marker = tmp_path / "boom"
    bomb = pickle.dumps(_Bomb(marker))
    name = Path(str(cache.file("n", [b"a"]))).name
    assert _made_anew(kept, lambda _: bomb)
    assert _made_anew(kept, lambda _: cache.sealed(name, bomb))
    assert not marker.exists()
    pickle.loads(bomb)
    assert marker.exists()


def test_nothing_is_kept_where_others_may_write_or_it_is_off(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.mkdir()
    kept.chmod(0o777)
    assert cache.folder() is None
    assert cache.remember("n", [b"a"], lambda: 7, int) == 7
    assert list(kept.iterdir()) == []
    monkeypatch.setenv("RULES_ASP_CACHE", "off")
    assert cache.folder() is None
    monkeypatch.setenv("RULES_ASP_CACHE", str(kept / "file" / "below"))
    (kept / "file").write_text("", "utf-8")
    assert cache.folder() is None


def test_a_full_folder_loses_what_is_oldest(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rules_asp.cache.shelf.MOST_KEPT", 3000)
    for number in range(20):
        noise = random.Random(number).randbytes(600).hex()
        cache.remember("n", [bytes([number])], lambda noise=noise: noise, str)
        for each in kept.iterdir():
            os.utime(each, (each.stat().st_mtime - 9,) * 2)
    assert 0 < sum(each.stat().st_size for each in kept.iterdir()) <= 3000
    newest = Path(str(cache.file("n", [bytes([19])])))
    assert newest.exists()


def test_the_kept_knowledge_base_is_the_one_that_is_read(kept: Path) -> None:
    # Each under another name of its folder, so that it is not the one which is in memory.
    folders = kb_folder() / "lab" / "..", kb_folder() / "b23" / ".."
    first, second = map(load_program, folders)
    given = keys("hex((1,1)).")
    third = build(read(kb_folder()))
    assert first.static_text(given) == second.static_text(given) == third.static_text(given)
    assert [path.name.split("-")[0] for path in kept.iterdir()] == ["program"]
    assert second.source == first.source


_ASKED = (
    ("los", "church", "C3/2", "D2/2"),
    ("ask", "rowhouse", "height(H) = V"),
    ("can", "assault", "G move to E3 by entering"),
)


def _told(*command: str) -> str:
    found = CliRunner().invoke(main, [*command, "--json"])
    assert found.exit_code == 0, found.output
    return found.output


def test_answers_are_the_same_whatever_becomes_of_the_cache(
    kept: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from rules_asp.parser import deeds, query, reader

    def asked() -> list[str]:
        # As if each command were a process of its own.
        for each in (reader.grammar, deeds._grammar, query._grammar):
            each.cache_clear()
        return [_told(*command) for command in _ASKED]

    monkeypatch.setenv("RULES_ASP_CACHE", "off")
    right = asked()
    monkeypatch.setenv("RULES_ASP_CACHE", str(kept))
    assert asked() == right
    whole = {each: each.read_bytes() for each in kept.iterdir()}
    assert {each.name.split("-")[0] for each in whole} >= {"grammar"}
    for damage in some([*range(8)], 2):
        chance = random.Random(damage)
        for path, data in whole.items():
            path.write_bytes(_flipped(data, chance.randrange(len(data)), 1 << damage))
        assert asked() == right
        assert {*kept.iterdir()} == {*whole}
        for path in whole:
            assert cache.get(path) is not None
    shutil.rmtree(kept)
    assert asked() == right
