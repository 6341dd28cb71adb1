"""Looking up norms, words of the game, and the user's notes next to citations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rules_asp import api
from rules_asp.cases.coverage import cases_citing, cases_naming
from rules_asp.cli.app import main
from rules_asp.knowledge.catalogue import NormSources, catalogue, synonyms
from rules_asp.knowledge.notes import Notes, NotesError, read_notes
from rules_asp.knowledge.reader import kb_folder, read_kb
from rules_asp.knowledge.rules import Norm
from rules_asp.runtime import limits
from tests.fuzz.notes import WHOLE
from tests.sampling import some

#: The rules, read once.
BOOK = cache(read_kb)
ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def record(*arguments: str) -> dict[str, object]:
    found = json.loads(run(*arguments, "--json").stdout)
    assert isinstance(found, dict)
    return found


# --- norms in full


def test_every_rule_of_a_norm_is_reported_where_it_stands() -> None:
    """Of each rule that is of a norm, its line is told; and what is told stands in the file just so."""
    source = BOOK()
    written = NormSources(source)
    rules: dict[str, set[tuple[str, int]]] = {}
    for rule in source.rules:
        if rule.norm is not None:
            rules.setdefault(rule.norm, set()).add((f"kb/{rule.file}", rule.line))
    for norm in source.norms:
        told = written.source_lines(norm)
        lines = {(e.file, e.line + n) for e in told for n in range(len(e.text.split("\n")))}
        assert rules.get(norm.id, set()) <= lines, norm.id
        for each in told:
            path = kb_folder() / each.file.removeprefix("kb/")
            there = path.read_text("utf-8").split("\n")[each.line - 1 :]
            assert there[: len(each.text.split("\n"))] == each.text.split("\n")
            assert "%@" not in each.text


def test_a_norm_in_full() -> None:
    text = run("rules", "B23.71-6").stdout
    assert "kb/b23/b23_71_rowhouse.lp:" in text
    rule = '    lifts("B23.71-6", "B23.71-5", s(l(A,roof),l(B,M))) :-\n'
    assert rule not in text
    logic = run("rules", "B23.71-6", "--logic").stdout
    assert logic.index("cases tests/") < logic.index(rule)
    assert "  suspends B23.71-5\n" in text
    assert "R-T23" in text
    assert re.search(r"^  cases tests/cases/\w+\.board:[0-9]+", text, re.MULTILINE)
    assert "overrides B23.741-1 (ruling R-T24)" in run("rules", "B23.71-5").stdout


def test_names_and_named_by_mirror_each_other() -> None:
    source = BOOK()
    written = NormSources(source)
    known = {norm.id: norm for norm in source.norms}
    for norm in some(source.norms, 40):
        for name in written.references(norm).names:
            if name in known:
                assert norm.id in written.references(known[name]).named_by


def test_the_cases_told_name_the_norm_or_its_paragraph() -> None:
    assert len(cases_naming()) > 100
    for norm in some(BOOK().norms, 30):
        for case in cases_citing(norm)[:3]:
            lines = (ROOT / case.file).read_text("utf-8").splitlines()[case.line - 1 :][:4]
            assert norm.paragraph in " ".join(lines)


@pytest.mark.parametrize(
    "kind", some(["assumed", "silent", "descriptive", "rulings", "readings"], 2)
)
def test_norms_of_a_kind(kind: str) -> None:
    source = BOOK()
    said = {rule.norm for rule in source.rules for head in rule.heads if head.name == "silent"}
    is_so: Callable[[Norm], bool] = {
        "assumed": lambda norm: norm.assumed,
        "silent": lambda norm: norm.id in said,
        "descriptive": lambda norm: norm.descriptive,
        "rulings": lambda norm: norm.ruling,
        "readings": lambda norm: norm.reading,
    }[kind]
    rows = record("rules", f"--{kind}")
    found = rows["readings" if kind in ("rulings", "readings") else "norms"]
    assert isinstance(found, list)
    assert {each["id"] for each in found} == {norm.id for norm in source.norms if is_so(norm)}
    assert found


# --- words of the game


def test_words_in_any_order_and_what_players_call_things() -> None:
    book = catalogue(BOOK())
    for question, norm in (
        ("LOS through a wall", "B23.71-5"),
        ("through a wall LOS", "B23.71-5"),
        ("line of sight, the black bar", "B23.71-5"),
        ("party wall", "B23.71-5"),
        ("obstacle storey", "B23.22-2"),
        ("storey obstacle", "B23.22-2"),
        ("row house: demolition charge", "B23.711-1"),
    ):
        assert norm in {each.id for each in book.about([question])}, question
        assert book.about([question]) == book.about(question.split())
    assert book.about(["wall LOS"]) == book.about(["LOS wall"])
    assert "no rule mentions zeppelin" in run("rules", "the", "zeppelin").stdout


def test_a_synonym_finds_what_the_word_itself_finds() -> None:
    """Whoever says it otherwise finds no less."""
    book = catalogue(BOOK())
    for word, others in some(sorted(synonyms().groups.items()), 12):
        for other in others:
            told = {
                norm.id
                for norm in book.norms
                if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", norm.sense.casefold())
            }
            assert told <= {norm.id for norm in book.about([other])}, (word, other)


# --- notes


def folder_of(top: Path, files: dict[str, object] | None = None) -> Path:
    for name, said in (files or WHOLE).items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said if isinstance(said, str) else json.dumps(said), "utf-8")
    return top


def test_notes_stand_beside_every_answer_that_cites_the_rule(tmp_path: Path) -> None:
    folder = str(folder_of(tmp_path))
    plain = run("los", "church", "C3/2", "D2/2").stdout
    noted = run("los", "church", "C3/2", "D2/2", "--notes", folder).stdout
    assert noted.startswith(plain)
    assert noted[
        len(plain) :
    ] == "Notes\n  B23.25  erratum  x\n                   y (The Journal)\n".replace("b23", "B23")
    told = record("los", "church", "C3/2", "D2/2", "--notes", folder)
    assert told["notes"] == [
        {
            "cite": "B23.25",
            "kind": "erratum",
            "caption": None,
            "text": "x\ny",
            "answers": [],
            "source": "The Journal",
        }
    ]
    assert "notes" not in record("los", "church", "C3/2", "D2/2")
    assert (
        run("can", "assault", "G move to E3 by entering", "--notes", folder).stdout.count(
            "Yes. (Somebody)"
        )
        == 1
    )
    assert "B23.71  note  A wall & a bar." in " ".join(
        run("rules", "B23.71-5", "--notes", folder).stdout.split("\n")
    ).replace("   ", "  ")


def test_a_config_file_names_a_folder_of_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    home = tmp_path / "rules-asp"
    folder_of(home / "mine")
    config = home / "config.toml"
    config.write_text('notes = "mine"\n', "utf-8")
    assert "The Journal" in run("los", "church", "C3/2", "D2/2").stdout
    for text, said in (
        ("notes = 7", "name of a folder"),
        ("notes = [", "not valid TOML"),
        ('notes = "x"', "does not exist"),
    ):
        config.write_text(text, "utf-8")
        assert said in run("los", "church", "C3/2", "D2/2", code=2).output


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (
            "annotations.json",
            '[{"ruleid": "B1.1",\n "content" "x"}]',
            "annotations.json:2:12: the file is not valid JSON: Expecting",
        ),
        ("annotations.json", "[" * 100_000, "nested too deeply"),
        ("annotations.json", "{}", "the file: must be a list"),
        ("annotations.json", '[{"ruleid": "B1.1"}]', 'entry 1: "content" must be a string'),
        (
            "annotations.json",
            '[{"ruleid": 7, "content": ""}]',
            "entry 1: expected a rule number",
        ),
        ("annotations.json", "[NaN]", "NaN is not a number"),
        ("errata/a.json", "[1]", "entry 1: expected a JSON object"),
        (
            "q+a/a.json",
            '{"Chapter A": [{"ruleids": ["A1.1"], "content": [{"answers": ["Yes."]}]}]}',
            "an answer must be a list such as",
        ),
        ("q+a/sources.json", "[]", "expected a JSON object"),
        ("readme.txt", "x", "no notes"),
    ],
)
def test_malformed_notes_are_reported_in_one_message(
    tmp_path: Path, file: str, text: str, said: str
) -> None:
    result = run(
        "los", "church", "C3", "D2", "--notes", str(folder_of(tmp_path, {file: text})), code=2
    )
    assert said in result.output.replace("\n", " ")
    assert result.stdout == ""


def test_notes_have_limits_and_do_not_lead_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = [{"ruleid": "B1.1", "content": "\x1b[31m" + "<i>x</i>" * 9000 + "\u202e"}]
    (note,) = read_notes(folder_of(tmp_path / "a", {"annotations.json": long})).on(["B1.1"])
    assert note.text.endswith(" ...")
    assert "\x1b" not in note.text
    monkeypatch.setenv(limits.VARIABLE, "notes=100")
    with pytest.raises(NotesError, match="more than 100 bytes"):
        read_notes(tmp_path / "a")
    monkeypatch.setenv(limits.VARIABLE, "note-files=1")
    two = {"errata/a.json": "[]", "errata/b.json": "[]"}
    with pytest.raises(NotesError, match="more than 1 files"):
        read_notes(folder_of(tmp_path / "b", two))
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "annotations.json").symlink_to(tmp_path / "a" / "annotations.json")
    with pytest.raises(NotesError, match="a symbolic link"):
        read_notes(tmp_path / "c")
    assert issubclass(NotesError, api.RulesAspError)
    assert Notes().on(["B1.1"]) == []
