"""VASL saved games are imported unchanged, in each obfuscation, and hidden pieces stay hidden."""

from __future__ import annotations

import json
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game.board import Doubt, UnitStatement
from rules_asp.game.grid import Grid, Hex
from rules_asp.output import listing_json
from rules_asp.parser.reader import load_from_texts
from rules_asp.saves.container import SaveError, deobfuscate, read_commands, read_save_file, split
from rules_asp.saves.game_state import ImportedGame
from rules_asp.saves.importer import import_save, self_contained
from rules_asp.saves.pieces import CounterStack, patterns, recognize, visible_stacks
from tests import archives
from tests.sampling import some
from tests.saved_games import (
    MODULE,
    OBFUSCATIONS,
    SECRETS,
    Piece,
    PixelBoard,
    Save,
    at,
    counter,
    join,
    move,
    nest,
    obfuscate,
    squad,
    write,
)

#: Two boards of nine columns and four rows, in pixels.
WIDE, HIGH = 450, 258


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boards")
    for name in ("71", "72"):
        sketch = archives.Sketch(Grid(9, 4), name=name)
        sketch.paint(archives.disc(Hex(2, 2).centre, 200), archives.WOODS)
        archives.write(folder / f"bd{name}", sketch)
    return folder


ONE = PixelBoard(400, 400, WIDE, HIGH)
UNDER = "bd\t0\t0\t71\tVER\t6.1\t"


def game(path: Path, save: Save, boards: Path | None, **more: object) -> ImportedGame:
    return import_save(write(path / "a.vsav", save), boards, **more)  # type: ignore[arg-type]


def lines(found: ImportedGame) -> list[str]:
    """The lines of the board, but for comments."""
    return [each for each in found.text.splitlines() if not each.startswith("#")]


# --- tokens and obfuscations


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_tokens_come_back_as_they_were_nested(seed: int) -> None:
    rolled = random.Random(seed)
    tokens = ["".join(rolled.choices("ab'\\;\t", k=rolled.randrange(6))) for _ in range(4)]
    assert split(join(tokens, ";"), ";") == tokens
    assert split(split(join([join(tokens, ";"), "x"], ";"), ";")[0], ";") == tokens


@pytest.mark.parametrize("way", OBFUSCATIONS)
def test_each_obfuscation_gives_the_same_text(way: str) -> None:
    text = Save([(400, 400, [squad()])]).commands() + "é"
    for key in (0, 1, 0x5A, 255):
        assert deobfuscate(obfuscate(text, way, key)) == text


# --- a position comes back

LAYOUTS = {
    "as printed": (UNDER, [PixelBoard(400, 400, WIDE, HIGH)]),
    "turned": ("bd\t0\t0\tr71\tVER\t6.1\t", [PixelBoard(400, 400, WIDE, HIGH, turned=True)]),
    "cropped": (
        "bd\t0\t0\t71\t112\t64\t225\t193\tVER\t6.1\t",
        [PixelBoard(400, 400, 225, 193, crop_x=112, crop_y=64)],
    ),
    "cropped and turned": (
        "bd\t0\t0\tr71\t112\t64\t225\t193\t",
        [PixelBoard(400, 400, 225, 193, True, crop_x=112, crop_y=64)],
    ),
    "side by side": (
        UNDER + "bd\t1\t0\tr72\tVER\t6.1\t",
        [ONE, PixelBoard(400 + WIDE, 400, WIDE, HIGH, turned=True)],
    ),
    "below": (
        "bd\t0\t1\t72\tVER\t6.1\tbd\t0\t0\tr71\tVER\t6.1\t",
        [
            PixelBoard(400, 400, WIDE, HIGH, turned=True),
            PixelBoard(400, 400 + HIGH, WIDE, HIGH),
        ],
    ),
}
#: Whole hexes that are left of every board, and away from its rims.
INNER = [Hex(col, row) for col in (3, 4, 5) for row in (2, 3)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("way", OBFUSCATIONS)
def test_a_position_reads_back(layout: str, way: str, boards: Path, tmp_path: Path) -> None:
    text, placed = LAYOUTS[layout]
    stacks, wanted = [], []
    for number, board in enumerate(placed):
        prefix = "" if len(placed) == 1 else ("71", "72")[number]
        for hex_ in INNER:
            stacks.append(at(board.centre(hex_), [squad()]))
            wanted.append(f"squad 4-6-7 german at {prefix}{hex_}")
        side = board.middle(Hex(4, 2), Hex(4, 3))
        stacks.append(at(side, [squad("4-4-7 2sq", "ru")]))
    path = write(tmp_path / "a.vsav", Save(stacks, text), way)
    found = import_save(path, boards)
    units = [each for each in lines(found) if each.startswith("unit ")]
    assert sorted(each.split(" ", 2)[2] for each in units if "bypasses" not in each) == sorted(
        wanted
    )
    sides = [each for each in units if "bypasses" in each]
    assert len(sides) == len(placed)
    for each in sides:
        assert {each.split()[-1][-2:], each.split()[-1].split("-")[0][-2:]} == {"E2", "E3"}
    again = load_from_texts("game.board", {**found.boards, "game.board": found.text})
    assert sum(isinstance(each, UnitStatement) for each in again.statements) == len(units)
    assert not found.report.unrecognized
    self_contained(found)


@pytest.mark.parametrize("row", patterns(), ids=lambda row: row.example)
def test_each_row_of_the_table_fits_its_example(row: object) -> None:
    kind, _, gives, example = row  # type: ignore[misc]
    found = recognize(example)
    assert found is not None
    if kind == "prefix":
        assert gives in found.states
    else:
        assert (found.kind, found.gives) == (kind, gives)


def test_every_counter_of_the_table_comes_in_and_none_is_lost(boards: Path, tmp_path: Path) -> None:
    for row in patterns():
        piece = counter(row.example, nation="ge")
        found = game(tmp_path, Save([at(ONE.centre(Hex(4, 2)), [squad(), piece])], UNDER), boards)
        report = found.report
        told = len(report.recognized) + len(report.unrecognized)
        told += sum(report.ignored.values()) + sum(report.off_board.values())
        assert told == 2, row.example
        load_from_texts("game.board", {**found.boards, "game.board": found.text})


# --- what stacks mean


def stack(boards: Path, tmp_path: Path, *pieces: Piece) -> list[str]:
    return lines(game(tmp_path, Save([at(ONE.centre(Hex(4, 2)), pieces)], UNDER), boards))


def test_a_level_counter_gives_the_level_of_those_above_it(boards: Path, tmp_path: Path) -> None:
    level = Piece("Building", ((("+ Cellar", "+ Ground Level", "+ Level 1"), 3),))
    roof = counter("Building Roof Level")
    found = stack(boards, tmp_path, squad(), level, squad("4-4-7 2sq"), roof, squad("2-4-7 1hs"))
    assert "unit german-sq1 squad 4-6-7 german at E2" in found
    assert "unit german-sq2 squad 4-4-7 german at E2/1" in found
    assert "unit german-hs1 half-squad 2-4-7 german at E2/roof" in found
    assert "level counter 1: E2" in found
    assert "rooftops" in found


def test_states_and_weapons_are_of_the_next_unit_below(boards: Path, tmp_path: Path) -> None:
    found = stack(
        *(boards, tmp_path, squad(), counter("DM"), counter("LMG"), squad("2-4-7 1hs")),
        *(counter("Pin"), counter("dm HMG"), Piece("9-1", nation="ge", unit=True)),
    )
    assert "unit german-sq1 squad 4-6-7 german at E2: desperate, possesses LMG" in found
    assert "unit german-hs1 half-squad 2-4-7 german at E2: pinned, possesses other-weapon" in found
    assert "unit german-ldr1 leader german at E2: leadership -1" in found


def test_the_shown_layer_is_the_name_and_not_the_one_beneath(boards: Path, tmp_path: Path) -> None:
    piece = replace(squad(), layers=((("4-6-8 Esq", "4-4-7 2sq"), 2), (("broken +",), 1)))
    assert "unit german-sq1 squad 4-4-7 german at E2: broken" in stack(boards, tmp_path, piece)
    piece = Piece("Smoke", (((r"White \+2 Smoke",), 1),))
    assert "smoke 2: E2" in stack(boards, tmp_path, piece)


def test_facing_is_reported_by_the_vertices_of_the_map(boards: Path, tmp_path: Path) -> None:
    tank = Piece("PzKw IVH vca3 tca1 BU", nation="ge", unit=True)
    for text, board in (
        (UNDER, ONE),
        ("bd\t0\t0\tr71\t", PixelBoard(400, 400, WIDE, HIGH, True)),
    ):
        save = Save([at(board.centre(Hex(4, 2)), [tank])], text)
        found = game(tmp_path, save, boards)
        # ca3 points to the lower right, between the hexes to the south-east and south.
        side = [each for each in lines(found) if each.startswith("unit ")]
        south_east, south = ("F2", "E3") if board is ONE else ("D1", "E1")
        north, north_east = ("E1", "F1") if board is ONE else ("E3", "D2")
        assert f"VCA {south_east}/{south}" in side[0]
        assert f"TCA {north}/{north_east}" in side[0]


def test_counters_that_cannot_be_said_make_unknown_terrain(boards: Path, tmp_path: Path) -> None:
    found = stack(boards, tmp_path, counter("1S Foxhole"), counter("Strange Thing"))
    assert "unknown terrain foxhole-counter: E2" in found
    assert "unknown terrain unknown-counter: E2" in found
    found = stack(boards, tmp_path, counter("Lv 2 OG", overlay=True))
    assert "unknown terrain unknown-counter: E2" in found
    assert any(each.startswith("doubt E2") for each in found)
    found = stack(boards, tmp_path, Piece("Strange Unit", nation="ru", unit=True))
    assert "unit russian-unidentified1 unidentified russian at E2" in found or any(
        "unidentified russian at E2" in each for each in found
    )


def test_a_missing_archive_is_named_and_its_board_is_unknown(boards: Path, tmp_path: Path) -> None:
    save = Save([], UNDER + "bd\t1\t0\t05\t")
    with pytest.raises(SaveError, match=r"do not align|do not form one map"):
        game(tmp_path, replace(save, boards="bd\t0\t0\t05\tbd\t0\t1\t71\tbd\t1\t1\t05\t"), boards)
    found = game(tmp_path, Save([], "bd\t0\t0\t05\t"), boards)
    assert any("bd05" in each for each in found.told)
    assert "unknown terrain missing-board-05: A1" in found.boards["bd05.board"]
    unknown = api.position(
        load_from_texts("game.board", {**found.boards, "game.board": found.text})
    )
    for to in ("B3", "C5", "F2"):
        assert api.los(unknown, "B2", to).clear is None
    with pytest.raises(SaveError, match="bdRB is missing"):
        game(tmp_path, Save([], "bd\t0\t0\tRB\t"), boards)


def test_terms_and_overlays_of_the_boards(boards: Path, tmp_path: Path) -> None:
    text = "bd\t0\t0\t71\tVER\t6.1\tOVR\tx20\td2\td3\tSSR\tLightWoods\tStrangeTerm\t"
    found = game(tmp_path, Save([], text), boards)
    assert "ssr LightWoods" in lines(found)
    assert any(each.startswith("unknown terrain overlay: D2") for each in lines(found))
    again = load_from_texts("game.board", {**found.boards, "game.board": found.text})
    doubts = {each.where for each in again.statements if isinstance(each, Doubt)}
    assert doubts >= set(Grid(9, 4).hexes())
    # One statement says it of the whole board.
    assert sum("StrangeTerm" in each for each in lines(found)) == 1


def test_turn_and_phase(boards: Path, tmp_path: Path) -> None:
    stacks = [
        at(ONE.centre(Hex(4, 2)), [squad(), squad("4-4-7 1sq", "ru")]),
        (10, 10, [counter("Allied Turn 5 - DFPh")]),
    ]
    found = game(tmp_path, Save(stacks, UNDER), boards)
    assert "turn 5 russian dfph" in lines(found)
    assert "sides german russian" in lines(found)
    found = game(tmp_path, Save(stacks[:1], UNDER), boards)
    assert "turn 3 german" in lines(found)
    default = Save(stacks[:1], UNDER, info="INFO\tAxis\tAxis\t1\t ? \t ? \t ? \t ? \t")
    found = game(tmp_path, default, boards)
    assert not any(each.startswith("turn ") for each in lines(found))
    assert any("turn 1" in each for each in found.report.assumed)


def test_three_nations_need_their_sides(boards: Path, tmp_path: Path) -> None:
    pieces = [squad(), squad("4-4-7 1sq", "ru"), squad("3-4-7 1sq", "it")]
    save = Save([at(ONE.centre(Hex(4, 2)), pieces)], UNDER)
    found = game(tmp_path, save, boards)
    assert "unit german-sq1 squad 4-6-7 at E2: nationality german" in lines(found)
    assert any("--side" in each for each in found.told)
    sides = {"german": "axis", "italian": "axis", "russian": "allied"}
    found = game(tmp_path, save, boards, sides=sides)
    assert "unit italian-sq1 squad 3-4-7 axis at E2: nationality italian" in lines(found)
    assert "sides allied axis" in lines(found)


# --- logs


def test_a_log_is_replayed_to_its_end_or_to_a_step(boards: Path, tmp_path: Path) -> None:
    here, there = ONE.centre(Hex(4, 2)), ONE.centre(Hex(5, 2))
    save = Save([at(here, [squad(), squad("4-4-7 2sq")]), at(there, [squad("2-4-7 1hs")])], UNDER)
    first, second = save.ids(0)
    x, y = int(there[0]), int(there[1])
    old = squad().text((save.map, x, y))[1]
    broken = replace(squad(), layers=((("4-6-8 Esq", "4-6-7 1sq"), 2), (("broken +",), 1)))
    new = broken.text((save.map, x, y))[1]
    save.steps = [
        move(save, first, x, y, save.ids(1)[0]),
        "CHAT - " + SECRETS[0],
        join(("D", first, new, old), "/"),
        move(save, second, x, y),
        f"-/{second}",
    ]

    def units(step: int | None) -> list[str]:
        found = import_save(write(tmp_path / "a.vlog", save), boards, step)
        return [each for each in lines(found) if each.startswith("unit ")]

    assert "unit german-sq1 squad 4-6-7 german at E2" in units(0)
    assert "unit german-sq2 squad 4-6-7 german at F2" in units(1)
    assert "unit german-sq2 squad 4-6-7 german at F2: broken" in units(3)
    assert units(4)[0] == "unit german-sq1 squad 4-4-7 german at F2"
    assert len(units(None)) == 2
    with pytest.raises(SaveError, match="the log has no step 6: it has only 5 steps"):
        units(6)


# --- hidden information stays hidden


def outputs(path: Path, boards: Path) -> str:
    """All that comes of a file, at each step of its log."""
    told = []
    for step in (None, 0, 1, 2):
        try:
            found = import_save(path, boards, step)
        except SaveError as error:
            told.append(str(error))
            continue
        told += [found.text, json.dumps(listing_json.game(found, "x")), repr(found)]
    return "\n".join(told)


VISIBLE = (
    squad(),
    squad("4-4-7 2sq", "ru"),
    counter("DM"),
    counter("LMG"),
    counter("Building Level 1"),
    counter("1S Foxhole"),
    counter("Strange Thing"),
)
SECRET = (
    squad("9-9-9 Xsq", "ru"),
    counter("Secret Counter", nation="ru"),
    counter("Stone Rubble", nation="ru"),
    counter("Building Level 2", nation="ge"),
    Piece("T-34 vca1 tca2 BU", nation="ru", unit=True, info="secret info", number="999"),
)


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_hidden_pieces_change_nothing(seed: int, boards: Path, tmp_path: Path) -> None:
    rolled = random.Random(seed)
    stacks = []
    for hex_ in rolled.sample(INNER, 4):
        pieces = rolled.choices(VISIBLE, k=rolled.randrange(4))
        for _ in range(rolled.randrange(3)):
            secret = replace(rolled.choice(SECRET), hidden=True)
            pieces.insert(rolled.randrange(len(pieces) + 1), secret)
        stacks.append(at(ONE.centre(hex_), pieces))
    save = Save(stacks, UNDER)
    named = replace(save, stacks=stacks)
    # What moves does so in both files; the hidden ones move in the one alone.
    target = ONE.centre(INNER[0])
    for index, (_, _, pieces) in enumerate(stacks):
        for name, piece in zip(named.ids(index), pieces, strict=True):
            if rolled.random() < 0.3:
                step = move(save, name, int(target[0]), int(target[1]))
                named.steps.append(step if not piece.hidden else f"CHAT\x20{name}")
    shown = outputs(write(tmp_path / "a.vsav", named), boards)
    gone = {
        name
        for index, (_, _, pieces) in enumerate(stacks)
        for name, piece in zip(named.ids(index), pieces, strict=True)
        if piece.hidden
    }
    bare = _Without(named.stacks, UNDER, named.steps, gone=frozenset(gone))
    assert outputs(write(tmp_path / "a.vsav", bare), boards) == shown
    for word in ("Secret", "9-9-9", "T-34", "secret info", *SECRETS):
        assert word not in shown


class _Without(Save):
    """A save that lacks some pieces, whose others keep their ids."""

    def __init__(
        self,
        stacks: list[tuple[int, int, list[Piece]]],
        boards: str,
        steps: list[str],
        gone: frozenset[str],
    ) -> None:
        super().__init__(stacks, boards, steps)
        self.gone = gone

    def commands(self) -> str:
        whole = split(super().commands(), "\x1b")
        adds = []
        for each in split(whole[2], "\x1b"):
            words = split(each, "/")
            if words[0] == "+" and words[1] in self.gone:
                continue
            if words[0] == "+" and words[2] == "stack":
                kept = [one for one in words[3].split(";") if one not in self.gone]
                each = join((*words[:3], ";".join(kept)), "/")
            adds.append(each)
        whole[2] = join(adds, "\x1b")
        return join(whole, "\x1b")


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_what_lies_under_a_question_mark_changes_nothing(
    seed: int, boards: Path, tmp_path: Path
) -> None:
    rolled = random.Random(seed)

    def made(choose: Callable[[], Piece]) -> str:
        order = random.Random(seed)
        stacks = []
        for hex_ in order.sample(INNER, 4):
            pieces = order.choices(VISIBLE, k=order.randrange(4))
            for _ in range(order.randrange(3)):
                piece = replace(choose(), nation="ru", concealed=True)
                pieces.insert(order.randrange(len(pieces) + 1), piece)
            pieces.append(counter("?", nation="ru", mark=True))
            stacks.append(at(ONE.centre(hex_), pieces))
        return outputs(write(tmp_path / "a.vsav", Save(stacks, UNDER)), boards)

    one, other = made(lambda: rolled.choice(SECRET)), made(lambda: rolled.choice(SECRET))
    assert one == other
    assert "unidentified russian" in one
    for word in ("Secret", "9-9-9", "T-34", "secret info", *SECRETS):
        assert word not in one


def test_a_piece_that_is_hidden_later_leaves_no_trace(boards: Path, tmp_path: Path) -> None:
    here, there = ONE.centre(Hex(4, 2)), ONE.centre(Hex(5, 2))
    secret = squad("9-9-9 Xsq", "ru")
    save = Save([at(here, [secret, squad()]), at(there, [counter("DM"), squad()])], UNDER)
    place = (save.map, int(here[0]), int(here[1]))
    hide = replace(secret, hidden=True).text(place)[1]
    save.steps = [
        join(("D", save.ids(0)[0], hide, secret.text(place)[1]), "/"),
        move(save, save.ids(0)[0], int(there[0]), int(there[1])),
        move(save, save.ids(0)[1], int(there[0]), int(there[1])),
    ]
    found = import_save(write(tmp_path / "a.vlog", save), boards)
    bare = Save([at(here, [squad()]), at(there, [counter("DM"), squad()])], UNDER)
    bare.steps = [
        *("CHAT", "CHAT"),
        move(bare, bare.ids(0)[0], int(there[0]), int(there[1])),
    ]
    wanted = import_save(write(tmp_path / "a.vlog", bare), boards)
    assert (found.text, found.report, found.told) == (wanted.text, wanted.report, wanted.told)


def test_a_hidden_stack_takes_nothing_from_a_shown_one(boards: Path, tmp_path: Path) -> None:
    here, there = ONE.centre(Hex(4, 2)), ONE.centre(Hex(5, 2))
    secret = replace(squad("9-9-9 Xsq", "ru"), hidden=True)
    shown = [at(there, [squad()]), at(here, [squad("4-4-7 2sq"), counter("DM")])]
    whole = Save([at(there, [secret]), *shown], UNDER)
    bare = Save([at(there, []), *shown], UNDER)
    for save in (whole, bare):
        save.steps = [
            move(save, save.ids(2)[number], int(there[0]), int(there[1])) for number in (0, 1)
        ]
    found, wanted = (
        import_save(write(tmp_path / "a.vlog", save), boards) for save in (whole, bare)
    )
    assert found == wanted


# --- strangers' files


def _hostile() -> Iterator[tuple[str, bytes, str]]:
    good = Save([(500, 500, [squad()])]).commands()
    yield "no text", b"\xff\xfe\xfd", "not UTF-8 text"
    yield "no save", b"hello", "does not begin with a saved position"
    yield "no end", b"begin_save", "the saved position has no end"
    yield "odd digits", b"!VCSK5", "hexadecimal"
    yield "no digits", b"!VCSKzz00", "hexadecimal"
    yield "no zlib", obfuscate(good, "VCSZ")[:-8], "zlib"
    yield "no xz", obfuscate(good, "XZ")[:-8], "XZ"
    yield "more after xz", obfuscate(good, "XZ") + b"more", "XZ"
    yield "empty bytes", b"VOBS", "ends too early"
    deep = "x"
    for _ in range(15):
        deep = join(("", deep), "\x1b")
    yield (
        "deep",
        ("begin_save\x1b" + nest(["x"] * 300, "\x1b")[:1000]).encode(),
        "position|nested",
    )
    yield (
        "double blind",
        join(("begin_save", "ENABLE_DOUBLE_BLIND:true", "end_save"), "\x1b").encode(),
        ("double-blind"),
    )
    yield (
        "two boards",
        join(("begin_save", "bd\t0\t0\t71", "bd\t0\t0\t72", "end_save"), "\x1b").encode(),
        ("differ"),
    )
    yield "path", join(("begin_save", "bd\t0\t0\t../../x", "end_save"), "\x1b").encode(), "damaged"


@pytest.mark.parametrize(
    ("data", "wanted"), [each[1:] for each in _hostile()], ids=[each[0] for each in _hostile()]
)
def test_what_is_no_save_is_refused(data: bytes, wanted: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.vsav", Save(), data=data)
    with pytest.raises(SaveError, match=wanted):
        import_save(path)


def test_other_modules_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="of the module 'VSQL'"):
        import_save(write(tmp_path / "a.vsav", Save(), module=MODULE.format("1", "VSQL")))
    with pytest.raises(SaveError, match="moduledata is not well-formed XML"):
        import_save(write(tmp_path / "a.vsav", Save(), module="<data"))
    with pytest.raises(SaveError, match="DTD"):
        import_save(write(tmp_path / "a.vsav", Save(), module="<!DOCTYPE x><data/>"))
    (tmp_path / "b.vsav").write_bytes(b"nothing")
    with pytest.raises(SaveError, match="not a complete zip file"):
        import_save(tmp_path / "b.vsav")
    with zipfile.ZipFile(tmp_path / "c.vsav", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(SaveError, match="is missing"):
        import_save(tmp_path / "c.vsav")


@pytest.mark.parametrize(
    ("limit", "save"),
    [
        ("save=100", Save([(500, 500, [squad()])])),
        ("pieces=2", Save([(500, 500, [squad(), squad(), squad()])])),
        ("traits=3", Save([(500, 500, [squad()])])),
        ("piece=50", Save([(500, 500, [squad()])])),
        ("commands=5", Save([(500, 500, [squad()])])),
        ("map-boards=1", Save([], "bd\t0\t0\t01\tbd\t1\t0\t02\t")),
    ],
)
def test_each_limit_is_kept(
    limit: str, save: Save, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.vsav", save)
    import_save(path)
    monkeypatch.setenv("RULES_ASP_SIZES", limit)
    with pytest.raises(SaveError, match="RULES_ASP_SIZES"):
        import_save(path)


@pytest.mark.parametrize("seed", some(range(200), 25))
def test_damaged_saves_are_read_or_refused(seed: int, boards: Path, tmp_path: Path) -> None:
    rolled = random.Random(seed)
    pieces = [squad(), counter("LMG"), counter("?", nation="ru", mark=True)]
    text = list(Save([at(ONE.centre(Hex(4, 2)), pieces)], UNDER).commands())
    for _ in range(rolled.randrange(1, 8)):
        at_ = rolled.randrange(len(text))
        text[at_ : at_ + rolled.randrange(3)] = rolled.choices(
            "\x1b\t\\/;+MD-,'1a", k=rolled.randrange(3)
        )
    path = write(tmp_path / "a.vsav", Save(), data="".join(text).encode())
    told = outputs(path, boards)
    assert not any(word in told for word in ("\x1b", *SECRETS))
    try:
        found = import_save(path, boards)
    except SaveError:
        return
    load_from_texts("game.board", {**found.boards, "game.board": found.text})


# --- the command, and Save Text


def run(*args: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(each) for each in args])
    return done.exit_code, done.output


def test_import_writes_the_game_and_its_boards(boards: Path, tmp_path: Path) -> None:
    save = Save([at(ONE.centre(Hex(4, 2)), [squad(), counter("Strange Thing")])], UNDER)
    path = write(tmp_path / "a.vsav", save)
    out = tmp_path / "game.board"
    code, told = run("import", path, "-o", out, "--boards", boards)
    assert code == 0
    assert "E2  Strange Thing  not recognized: unknown terrain" in told
    assert api.load(out).board.name == "71"
    assert run("import", path, "-o", out, "--boards", boards)[0] == 2
    # A board file that is there already, corrected perhaps, is used and stays.
    (tmp_path / "bd71.board").write_text('board "71" grid 9x4\nwoods: A1\n', "utf-8")
    code, told = run("import", path, "-o", out, "--force", "--boards", boards)
    assert code == 0
    assert "the existing file bd71.board is used" in told
    assert (tmp_path / "bd71.board").read_text("utf-8").endswith("woods: A1\n")
    code, told = run("import", path, "-o", "-", "--boards", boards)
    assert code == 0
    assert "unit german-sq1" in told
    code, told = run("import", path, "-o", out, "--force", "--boards", boards, "--json")
    assert json.loads(told)["unrecognized"][0]["at"] == "E2"


def test_the_folder_of_boards_is_remembered(
    boards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.vsav", Save([], UNDER))
    monkeypatch.delenv("RULES_ASP_BOARDS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    code, told = run("import", path, "-o", tmp_path / "a.board")
    assert code == 2 if "71" not in told else "bd71" in told
    config = tmp_path / "rules-asp" / "config.toml"
    config.parent.mkdir()
    config.write_text(f"boards = {json.dumps(str(boards))}\n", "utf-8")
    assert run("import", path, "-o", tmp_path / "b.board")[0] == 0
    monkeypatch.setenv("RULES_ASP_BOARDS", str(tmp_path / "none"))
    code, told = run("import", path, "-o", tmp_path / "c.board")
    assert code == 2
    assert "the folder of board archives" in told


def test_save_text_is_read_on_the_map_of_a_board(tmp_path: Path) -> None:
    (tmp_path / "map.board").write_text('board "71" grid 9x4\nwoods: A1\n', "utf-8")
    text = tmp_path / "a.txt"
    text.write_text(
        "E2: CX, 4-6-7 1sq, Building Level 1, LMG, broken 4-6-7 1sq (my label)\n"
        "E3: ?, 9-9-9 Xsq(?), 8-8-8 sq(HIP)\nE2/E3: Wire\noffboard: Axis Turn 3 - PFPh\n",
        "utf-8",
    )
    out = tmp_path / "game.board"
    code, told = run("import", text, "-o", out, "--map", tmp_path / "map.board")
    assert code == 0
    found = out.read_text("utf-8").splitlines()
    assert 'use "map.board"' in found
    assert "unit some-sq1 squad 4-6-7 at E2: broken, possesses LMG" in found
    assert "unit some-sq2 squad 4-6-7 at E2/1: CX" in found
    assert "turn 3 pfph" in found
    assert not any(word in "\n".join((told, *found)) for word in ("9-9-9", "8-8-8", "HIP", "label"))
    api.load(out)
    text.write_text("E2 LMG\n", "utf-8")
    code, told = run("import", text, "-o", out, "--force", "--map", tmp_path / "map.board")
    assert code == 2
    assert "line 1 must be PLACE: NAME, NAME" in told
    text.write_text("E2: LMG\nZ9: LMG\n", "utf-8")
    code, told = run("import", text, "-o", out, "--force", "--map", tmp_path / "map.board")
    assert code == 2
    assert "line 2" in told


# --- files at hand, which are no part of the project

SAVES = Path(
    os.environ.get("RULES_ASP_SAVES", Path(__file__).resolve().parents[2] / "shared" / "saves")
)
FOUND = sorted((*SAVES.glob("*/*.vsav"), *SAVES.glob("*/*.vlog")))


@pytest.mark.skipif(not FOUND, reason=f"no saved games in {SAVES}")
@pytest.mark.parametrize("path", some(FOUND, 5), ids=lambda path: path.name)
def test_saved_games_at_hand_come_in(path: Path) -> None:
    found = import_save(path)
    report = found.report
    counters = sum(len(each.counters) for each in _seen(path))
    told = len(report.recognized) + len(report.unrecognized)
    assert told + sum(report.ignored.values()) + sum(report.off_board.values()) == counters
    load_from_texts("game.board", {**found.boards, "game.board": found.text})


def _seen(path: Path) -> tuple[CounterStack, ...]:
    return visible_stacks(read_commands(read_save_file(path).commands))


#: What stands on the made-up position, as the board says it.
MADE = (
    "turn 3 german pfph",
    "rubble wooden: 01F3",
    "wire 01I8",
    "fortified revealed: 01J2/1",
    "smoke 2: 01G8",
    "unknown terrain foxhole-counter: 01H8",
    "unknown terrain roadblock-counter: 01E9",
    "unknown terrain unknown-counter: 01K5",
    "unit german-sq3 squad 4-6-7 german at 01M5: possesses LMG",
    "unit german-sq4 squad 4-6-7 german at 01M5/1: CX",
    "unit german-ldr1 leader german at 01X4/roof: leadership -1",
    "unit german-sq5 squad 4-6-7 german at 01N4: broken desperate",
    "unit german-hs1 half-squad 2-4-7 german at 01N4: pinned",
    "unit russian-con1 unidentified russian at 01F5: concealed",
    "unit german-sq6 squad 4-6-7 german at 01Q5: berserk TI",
    "unit russian-sq3 squad 4-4-7 russian at 02X5: wall-advantage",
    "unit russian-sq1 squad 4-4-7 russian at 02GG5",
    "unit german-sq7 squad 4-6-7 german: bypasses 01M6-01M7",
    "unit german-veh1 vehicle german at 01D6: VCA 01E7/01D7, turreted, TCA 01E7/01D7, BU",
)


@pytest.mark.skipif(not FOUND, reason=f"no saved games in {SAVES}")
def test_the_made_up_position_at_hand_is_as_expected() -> None:
    texts = set()
    for path in sorted(SAVES.glob("made/position_*.vsav")):
        found = lines(import_save(path))
        assert set(MADE) <= set(found)
        assert not any(word in "".join(found) for word in ("at 01I7", "9-1", "password"))
        texts.add("\n".join(found))
    assert len(texts) == 1
