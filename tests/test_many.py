"""Many places and questions at once: visible Locations, all lines of sight, batches; each as if asked
alone.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import clingo
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game.board import Board
from rules_asp.game.grid import Grid, Hex, Location, Vertex
from rules_asp.game.query import location_sort_key
from rules_asp.knowledge.rules import SIGHT, Signature
from rules_asp.knowledge.solver import solve
from rules_asp.parser import parse
from rules_asp.positions.fact_index import QueryFacts, cell, eye_at
from rules_asp.positions.locations import QuestionError, locations, select_locations
from rules_asp.positions.position import Position, prepare
from rules_asp.queries import ask
from rules_asp.queries.los import los
from rules_asp.queries.los_matrix import LosSweep, LosVerdict
from tests.positions import boards, program
from tests.sampling import part, slow, tries

unhurried = settings(max_examples=tries(1), deadline=None, suppress_health_check=list(HealthCheck))
Record = dict[str, Any]


def run(*arguments: object, code: int = 0, text: str | None = None) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=text)
    assert result.exit_code == code, result.output
    return result


def all_of(sweep: LosSweep) -> dict[tuple[Location, Location], LosVerdict]:
    found: dict[tuple[Location, Location], LosVerdict] = {}
    for each in sweep.parts():
        more = sweep.verdicts(each)
        assert list(more) == sweep.sights(each)
        assert not found.keys() & more.keys()
        found.update(more)
    assert len(found) == sweep.size
    return found


# --- what is seen


@unhurried
@given(boards(), st.data())
def test_a_viewshed_is_a_row_of_the_matrix_and_each_sight_that_of_los(
    board: Board, data: st.DataObject
) -> None:
    here = prepare(board, program())
    ends = locations(here)
    whole = all_of(LosSweep(here, ends))
    assert set(whole) == set(combinations(sorted(ends, key=location_sort_key), 2))
    eye = data.draw(st.sampled_from(ends))
    seen = api.sees(here, eye)
    assert dict(seen.sights) == {
        b if a == eye else a: verdict for (a, b), verdict in whole.items() if eye in (a, b)
    }
    assert (seen.eye, seen.level) == (eye, here.index.elevation(eye))
    for to, verdict in data.draw(st.lists(st.sampled_from(seen.sights), min_size=3, max_size=3)):
        answer = los(here, eye, to, close=False, cite=False)
        assert answer.clear == verdict.clear
        if verdict.clear is None:
            assert set(verdict.why) == set(answer.unknown)
        elif verdict.clear:
            assert verdict.hindrance == answer.hindrance
        else:
            assert (verdict.norm, verdict.place) in answer.blockers


@unhurried
@given(boards(), st.data())
def test_in_parts_or_from_some_ends_the_sights_are_the_same(
    board: Board, data: st.DataObject
) -> None:
    here = prepare(board, program())
    ends = locations(here)
    whole = all_of(LosSweep(here, ends))
    assert list(all_of(LosSweep(here, ends, most=50)).items()) == list(whole.items())
    some = data.draw(st.lists(st.sampled_from(ends), min_size=1, max_size=4))
    few = all_of(LosSweep(here, ends, some, most=20))
    wanted = {pair: each for pair, each in whole.items() if not set(pair).isdisjoint(some)}
    assert few == wanted


@pytest.mark.parametrize(
    "case",
    part(["a6_3_depressions", "a24_2_smoke", "b10_2_ground", "b11_2_cliffs", "b13_31_roads"], 1),
)
def test_terrain_that_random_boards_lack_is_seen_alike_at_once_and_alone(case: str) -> None:
    here = api.load(Path(__file__).parent / "cases" / f"{case}.board")
    whole = all_of(LosSweep(here, locations(here)))
    of: dict[object, list[tuple[Location, Location]]] = {}
    for sight, verdict in whole.items():
        of.setdefault((verdict.clear, verdict.norm, verdict.why), []).append(sight)
    for alike in of.values():
        for a, b in random.Random(1).sample(alike, min(len(alike), tries(30))):
            answer, verdict = los(here, a, b, close=False, cite=False), whole[a, b]
            assert answer.clear == verdict.clear, (a, b)
            assert not answer.clear or answer.hindrance == verdict.hindrance, (a, b)


@pytest.mark.parametrize("case", part(["a24_2_smoke", "a6_3_depressions", "b13_31_roads"], 1))
def test_few_depictions_and_no_sums_stop_only_what_all_stop(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = api.load(Path(__file__).parent / "cases" / f"{case}.board")
    ends = locations(here)
    lines = list(combinations({end.spot: None for end in ends}, 2))
    asked = QueryFacts(
        (*map(eye_at, ends), *map(cell, dict.fromkeys(end.spot for end in ends))),
        here.measurer.measured(lines, ends),
    )
    sight = (Signature("stopped", 3, SIGHT),)

    def stopped(sums: bool) -> set[clingo.Symbol]:
        rules, told = here.layer(0, sight, asked, sums=sums)
        assert sums or "#sum" not in rules.text
        (answer,) = solve(rules, facts=(*told, *asked.symbols))
        return {*answer.atoms("stopped", 3)}

    some = stopped(False)
    assert some
    assert some <= stopped(True)
    in_passes = all_of(LosSweep(here, ends))
    monkeypatch.setattr("rules_asp.queries.los_matrix.WEIGHTIEST", ())
    at_once = all_of(LosSweep(here, ends))
    assert {ends: each[:2] for ends, each in in_passes.items()} == {
        ends: each[:2] for ends, each in at_once.items()
    }


@slow
def test_what_is_seen_from_a_vertex_and_by_a_unit() -> None:
    here = api.load("assault")
    vertex = Location(Vertex(Hex(2, 4), 3), 0)
    for to, verdict in api.sees(here, vertex, "A3-E5").sights:
        assert los(here, vertex, to, close=False, cite=False).clear == verdict.clear, to
    assert api.sees(here, "G") == api.sees(here, "E4")
    assert {to.floor for to, _ in api.sees(here, "G", ground=True).sights} == {0}


def test_hexes_are_chosen_by_corners_and_one_by_one() -> None:
    here = prepare(Board("x", Grid(5, 4)), program())
    named = [str(each) for each in select_locations(here, "B2-A1, D3 E4")]
    assert named == ["A1", "A2", "B1", "B2", "D3", "E4"]
    for wrong in ("A1-", "a1", "Z9", "", "7A1"):
        with pytest.raises(QuestionError):
            select_locations(here, wrong)


def test_sees_tells_each_place_once() -> None:
    record = json.loads(run("sees", "church", "C3/2", "--json").stdout)
    assert (record["command"], record["from"], record["level"]) == ("sees", "C3/2", 2)
    named = [each["to"] for each in record["sights"]]
    assert len(set(named)) == len(named) == len(locations(api.load("church"))) - 1
    assert set(record["sights"][0]) == {
        *("to", "level", "range", "clear", "hindrance", "norm", "cite", "at")
    }
    text = run("sees", "church", "C3/2").stdout
    clear = sum(each["clear"] for each in record["sights"])
    assert f"C3/2 at level 2 sees {clear} of {len(named)} Locations" in text
    assert "  at C3  B23.25-3  C3 D2/0,2,roof\n" in text
    for norm in {each["norm"] for each in record["sights"]} - {None}:
        assert re.search(rf"^  {re.escape(norm)} +[A-Z]", text, re.MULTILINE)


def test_what_is_not_known_is_reported_with_what_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "hut.board"
    path.write_text('board "hut" grid 5x4\nunknown terrain jungle-hut: C2\n', "utf-8")
    text = run("sees", path, "A2").stdout
    assert "no encoded rule gives the effect of jungle-hut in C2" in text
    assert "treat jungle-hut as TERRAIN" in text
    record = json.loads(run("sees", path, "A2", "--json").stdout)
    unknown = [each for each in record["sights"] if each["clear"] is None]
    assert unknown
    assert all(each["hindrance"] is None and each["unknown"]["why"] for each in unknown)
    rows = run("matrix", path, "--from", "A2").stdout.splitlines()[2:]
    assert sum(",unknown,," in row for row in rows) == len(unknown)


# --- where units can go


@slow
def test_reach_is_moves_told_by_hex() -> None:
    here = api.load("assault")
    reached = {str(each.to): each.mf for each in api.moves(here, ["A", "L"], cite=False).reach}
    record = json.loads(run("reach", "assault", "A", "L", "--json").stdout)
    assert {each["to"]: each["mf"] * 4 for each in record["reach"]} == reached
    head, columns, *rows = run("reach", "assault", "A", "L", "--all").stdout.splitlines()
    assert (head, columns.split()) == (
        f"A and L can reach {len(reached)} Locations from B4 (6 MF; 7 MF all by road)",
        ["hex", "0", "1", "2"],
    )
    assert any(row.startswith("General rules (assumed): ") for row in rows)
    # Below the hexes stands what is not known of some steps.
    rows = [row for row in rows if re.match(r"  [A-Z]+[0-9]+ ", row)]
    hexes = [row.split()[0] for row in rows]
    assert hexes == list(dict.fromkeys(hexes))
    assert set(hexes) == {place.partition("/")[0] for place in reached}
    assert sum(len(row.split()) - 1 for row in rows) == len(reached)


# --- all sights in a file


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rules_asp.queries.los_matrix.BATCH", 90)


@slow
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", part(["all.csv", "all.jsonl"], 1))
def test_the_rows_are_the_same_for_any_number_of_processes(name: str, tmp_path: Path) -> None:
    one, three = tmp_path / name, tmp_path / f"three-{name}"
    run("matrix", "church", "-o", one, "--jobs", 1)
    run("matrix", "church", "-o", three, "--jobs", 3)
    assert one.read_bytes() == three.read_bytes()
    here = api.load("church")
    whole = all_of(LosSweep(here, locations(here)))
    head = 1 if name.endswith("jsonl") else 2
    rows = one.read_text("utf-8").splitlines()[head:]
    assert len(rows) == len(whole)
    for row, ((a, b), verdict) in zip(rows, whole.items(), strict=True):
        if head == 1:
            record = json.loads(row)
            assert (record["a"], record["b"]) == (str(a), str(b))
            assert (record["clear"], record["hindrance"]) == verdict[:2]
        else:
            said = {True: "yes", False: "no"}[bool(verdict.clear)]
            wanted = f"{a},{b},{said},{verdict.hindrance},{verdict.norm},{verdict.place},"
            assert row == wanted


@slow
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", ["all.csv", "all.jsonl"])
def test_what_is_resumed_is_as_if_it_had_never_been_broken_off(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    options = ("matrix", "church", "-o", path, "--from", "C3/2", "--from", "D2")
    run(*options, "--jobs", 1)
    whole = path.read_bytes()
    head = whole.index(b"\n") + 1
    cuts = [0, head // 2, head, head + 1, *range(head + 5, len(whole), len(whole) // 3), len(whole)]
    for cut in cuts:
        path.write_bytes(whole[:cut])
        run(*options, "--resume", "--jobs", 1 + cut % 2)
        assert path.read_bytes() == whole, cut
    path.unlink()
    run(*options, "--resume")
    assert path.read_bytes() == whole


def test_a_file_of_something_else_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    run("matrix", "church", "-o", path, "--from", "C3")
    whole = path.read_bytes()
    for other in (
        ("church", "--from", "C4"),
        ("church", "--from", "C3", "--ground"),
        ("church", "--from", "C3", "--without", "R-T03"),
        ("church", "--from", "C3", "--json"),
        ("stairwell", "--from", "C3"),
    ):
        board, *options = other
        result = run("matrix", board, "-o", path, "--resume", *options, code=2)
        assert "is of another board" in result.output
        assert path.read_bytes() == whole
    assert "already exists" in run("matrix", "church", "-o", path, code=2).output
    assert "name it with -o" in run("matrix", "church", "--resume", code=2).output
    assert path.read_bytes() == whole
    run("matrix", "church", "-o", path, "--from", "C3", "--ground", "--force")
    assert path.read_bytes() != whole


def test_a_board_changed_in_its_drawings_alone_is_another(tmp_path: Path) -> None:
    board, out = tmp_path / "x.board", tmp_path / "x.csv"
    text = 'board "x" grid 5x4\nwoods: C2\noutline woods: 900,200 1100,200 1100,600 900,600\n'
    board.write_text(text, "utf-8")
    run("matrix", board, "-o", out)
    board.write_text(text.replace("1100", "1096"), "utf-8")
    assert "another board" in run("matrix", board, "-o", out, "--resume", code=2).output


def test_a_block_of_a_large_map_is_asked_of_what_can_matter_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(5)
    # A building that reaches far out of the block, on a board many times as large as what matters.
    rows = [(f"F{row}", f"G{row}") for row in range(3, 14)]
    joined = [f"{f}-{g}" for f, g in rows]
    joined += [f"{one[0]}-{two[0]}" for one, two in pairwise(rows)]
    built = [each for row in rows for each in row]
    bare = [f"{a}{b}" for a in "ABCDEFGHIJKLMNOPQRSTUVWX" for b in range(1, 24)]
    bare = [each for each in bare if each not in built]
    text = (
        'board "large" grid 24x24\nrooftops\n'
        f"building gray: {' '.join(built)}   joined {' '.join(joined)}   bar {joined[4]}\n"
        f"woods: {' '.join(rng.sample(bare, 60))}\nlevel 1: {' '.join(rng.sample(bare, 60))}\n"
    )
    here = prepare(parse(text), program())
    ends = select_locations(here, "E4-H8")
    sweep = LosSweep(here, ends)
    monkeypatch.setattr("rules_asp.queries.los_matrix._SMALL", 1000)
    every = LosSweep(here, ends)
    found, wanted = ([each.verdicts(part) for part in each.parts()] for each in (sweep, every))
    assert found == wanted
    assert {verdict.clear for part in found for verdict in part.values()} == {True, False}
    # Less is given of the board, or nothing would be gained by it.
    assert len(sweep._cases[0].full[1]) < 0.6 * len(every._cases[0].full[1])


@pytest.mark.parametrize("among", [1, 2, 3, 5])
def test_parts_are_as_many_for_each_process_and_alike(among: int) -> None:
    here = api.load("church")
    sweep = LosSweep(here, select_locations(here, None), None, 40, among)
    sizes = [len(sweep.part(number)) for number in range(sweep.count)]
    lined = [each for each in sizes if each]
    assert max(lined) <= 40
    assert len(lined) % among == 0
    assert max(lined) - min(lined) <= len(lined)
    assert sum(len(sweep.sights(part)) for part in sweep.parts()) == sweep.size


@slow
def test_an_interrupted_matrix_goes_on_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    command = [sys.executable, "-m", "rules_asp", "matrix", "church", "-o", str(path)]
    whole = run("matrix", "church", "--json").stdout.encode()
    first = subprocess.run(
        [*command, "--jobs", "2"], env={**os.environ, "PYTHONHASHSEED": "1"}, check=True
    )
    assert first.returncode == 0
    assert path.read_bytes() == whole
    path.write_bytes(whole[: len(whole) // 2])
    subprocess.run([*command, "--resume"], env={**os.environ, "PYTHONHASHSEED": "2"}, check=True)
    assert path.read_bytes() == whole


def test_ends_that_are_not_there_are_refused(tmp_path: Path) -> None:
    assert "Z9 is not on this board" in run("matrix", "church", "--from", "Z9", code=2).output
    assert "the hex has" in run("sees", "church", "C3/9", code=2).output
    assert "is not a hex" in run("sees", "church", "C3", "--hexes", "A1-Q", code=2).output


# --- batches


SINGLE: list[tuple[str, list[str]]] = [
    ("los C3/1 E4", ["los", "C3/1", "E4"]),
    ("los B4 - E4", ["los", "B4", "E4"]),
    ("range A D3/1", ["range", "A", "D3/1"]),
    ("tem B4 D3/1", ["tem", "B4", "D3/1"]),
    ("tem B4 D3/1 --indirect", ["tem", "B4", "D3/1", "--indirect"]),
    ("fire D3/1 C4 --moving", ["fire", "D3/1", "C4", "--moving"]),
    ("fire G C4 --how direct --assault-moving", ["fire", "G", "C4", "--assault-moving"]),
    ("firers C4 --moving --side russian", ["firers", "C4", "--moving", "--side", "russian"]),
    ("targets E", ["targets", "E"]),
    ("moves A L --phase aph", ["moves", "A", "L", "--phase", "aph"]),
    ("rout A", ["rout", "A"]),
    ("can G move to E3 by entering", ["can", "G move to E3 by entering"]),
    ("can 'G move to E5'", ["can", "G move to E5"]),
    ("roll rubble_creation(C3)", ["roll", "rubble_creation(C3)"]),
    ("ask height(H) = V, V > 1", ["ask", "height(H) = V, V > 1"]),
    ("why height(D3) = V", ["why", "height(D3) = V"]),
    ("sees G --ground", ["sees", "G", "--ground"]),
    ("reach G", ["reach", "G"]),
]


@slow
def test_a_batch_answers_as_the_commands_do() -> None:
    text = "# a comment\n\n" + "".join(f"{line}\n" for line, _ in SINGLE)
    found = [json.loads(each) for each in run("batch", "assault", text=text).stdout.splitlines()]
    assert len(found) == len(SINGLE)
    for number, (record, (line, arguments)) in enumerate(zip(found, SINGLE, strict=True), start=3):
        assert (record.pop("line"), record.pop("text")) == (number, line)
        command, *rest = arguments
        assert record == json.loads(run(command, "assault", *rest, "--json").stdout), line


WRONG = [
    ("los C3/1 Dx", "there is no unit Dx on this board", None),
    ("  los C3/1", "Missing argument", None),
    ("ask heigth(C3) = V", "did you mean height", 5),
    ("ask 'heigth(C3) = V'", "did you mean height", 6),
    ("can G mov to E5", "mov is not expected", 7),
    ("losing C3 C4", "did you mean los", 1),
    ("los Z9 C3", "Z9 is not on this board", None),
    ("los C3 C3", "both ends of the line are C3", None),
    ("moves Nobody", "there is no unit Nobody on this board", None),
    ("tem B4 D3/1 --how sideways", "sideways", None),
    ("los C3 C4 --without R-T03", "--without cannot be used in a line of a batch", None),
    ("los C3 C4 --help", "No such option", None),
    ("roll", "ROLL is missing after roll", None),
    ('los "C3 C4', "not a hex", 5),
    ("ask " + "(" * 5000, "", None),
]


def test_a_line_that_is_amiss_is_reported_and_the_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "questions"
    file.write_text("".join(f"{line}\nlos C3 C4\n" for line, _, _ in WRONG), "utf-8")
    result = run("batch", "assault", file, code=2)
    assert result.stderr == ""
    found = [json.loads(each) for each in result.stdout.splitlines()]
    assert len(found) == 2 * len(WRONG)
    for (line, message, column), wrong, right in zip(WRONG, found[::2], found[1::2], strict=True):
        assert wrong["text"] == line
        assert message in wrong["error"]["message"], line
        assert "fault of rules-asp" not in wrong["error"]["message"]
        if message:
            assert wrong["error"]["column"] == column, line
        assert "error" not in right
        assert right["clear"] is not None


def test_each_answer_comes_before_the_next_question() -> None:
    command = [sys.executable, "-m", "rules_asp", "batch", "assault"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for line in (b"los C3 C4\n", b"nothing\n", b"los C4 C3\n"):
            process.stdin.write(line)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["text"] == line.decode().strip()
        process.stdin.close()
        assert process.wait() == 2


def test_a_batch_in_a_file_goes_on_where_it_was(tmp_path: Path) -> None:
    asked, path = tmp_path / "asked", tmp_path / "told.jsonl"
    asked.write_text("los D3/1 C4\n# no question\n\nadjacent C4\nnonsense\ntem B4 D3/1\n", "utf-8")
    plain = run("batch", "assault", asked, code=2).stdout
    run("batch", "assault", asked, "-o", path, code=2)
    whole = path.read_bytes()
    head = whole.index(b"\n") + 1
    assert json.loads(whole[:head])["questions"] == 4
    assert whole[head:].decode() == plain
    for cut in (0, head - 5, head, head + 10, len(whole) - 5, len(whole)):
        path.write_bytes(whole[:cut])
        run("batch", "assault", asked, "-o", path, "--resume", "--jobs", 1 + cut % 2, code=2)
        assert path.read_bytes() == whole, cut
    assert "already exists" in run("batch", "assault", asked, "-o", path, code=2).output
    asked.write_text("los D3/1 C4\n", "utf-8")
    assert (
        "other questions" in run("batch", "assault", asked, "-o", path, "--resume", code=2).output
    )
    assert path.read_bytes() == whole


def test_a_batch_of_nothing_is_answered_with_nothing(tmp_path: Path) -> None:
    assert run("batch", "assault", text="").stdout == ""
    assert "No such file" in run("batch", "assault", tmp_path / "none", code=2).output


def test_every_shape_is_documented() -> None:
    from rules_asp.output import json_schema

    for command in ("sees", "reach", "matrix", "batch"):
        assert f"\n    {command} " in (json_schema.__doc__ or "")


def test_the_python_matrix_has_units_as_ends() -> None:
    here: Position = api.load("assault")
    (found,) = api.matrix(here, ["C3", "C4"], ["G"])
    assert [(str(a), str(b)) for a, b in found] == [("C3", "E4"), ("C4", "E4")]
    with pytest.raises(QuestionError, match="the hex has"):
        api.matrix(here, ["C3/9"])


# --- questions with free sights


@unhurried
@given(boards(), st.data())
def test_a_sight_with_an_open_end_is_each_sight_from_there(
    board: Board, data: st.DataObject
) -> None:
    here = prepare(board, program())
    seen = api.sees(here, data.draw(st.sampled_from(locations(here))))
    eye = seen.eye
    asked = ask.ask(here, api.parse_query(f"sees({eye} - X)"), cite=False)
    found = {values["X"] for values in (dict(way.values) for way in asked.found)}
    assert len(found) == len(asked.found)
    assert found == {named(to) for to, verdict in seen.sights if verdict.clear}
    turned = ask.ask(here, api.parse_query(f"sees(X - {eye})"), cite=False)
    assert turned == asked
    hidden = ask.ask(here, api.parse_query(f"stopped({eye} - X, N, P)"), cite=False)
    told = {values["X"] for values in (dict(way.values) for way in hidden.found)}
    assert told == {named(to) for to, verdict in seen.sights if verdict.clear is False}


def named(place: Location) -> str:
    return f"{place.spot}/{place.floor}"


def test_what_one_sees_and_another_does_not() -> None:
    church = api.load("church")
    asked = api.ask(church, "sees(C3/2 - X), not sees(C3 - X)")
    seen = {to for to, verdict in api.sees(church, "C3/2").sights if verdict.clear}
    also = {to for to, verdict in api.sees(church, "C3").sights if verdict.clear}
    assert {dict(way.values)["X"] for way in asked.found} == {named(to) for to in seen - also}
    assert seen - also
    assert asked.cites
    for proof in api.why(church, "sees(C3/2 - X)").proofs:
        assert proof.atom.startswith("sees(s(")
        assert "l((2,3),2)" in proof.atom


@unhurried
@given(boards())
def test_all_clear_sights_are_those_that_are_found_by_grounding_all(board: Board) -> None:
    here = prepare(board, program())
    query = api.parse_query("sees(S)")
    batch = ask.ask_together(here, [query], [query])
    assert ask.bindings_of(here, query) == ask.bindings_of(here, query, batch)
    assert api.ask(here, query) == ask.ask(here, query, batch=batch)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sees(X - Y)", "both ends of this line of sight are variables: name one end"),
        ("sees(C3 - _)", "`_` cannot be an end of a line of sight"),
        ("not sees(C3 - X)", "use it in a property without `not`"),
        ("sees(C3 - X), factory(X)", "X is used as a Location and as a hex"),
    ],
)
def test_a_sight_left_open_in_another_way_is_refused(query: str, message: str) -> None:
    with pytest.raises(api.BoardError, match=message):
        api.parse_query(query)
