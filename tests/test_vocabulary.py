"""The vocabulary: our own reader of kb/vocabulary.lp against clingo's parser."""

from importlib import resources
from itertools import product

import clingo
import pytest

from rules_asp.game.vocabulary import (
    Derived,
    Form,
    Input,
    ReasonDeclaration,
    Sentence,
    Topic,
    parse_declarations,
    reading_order,
    vocabulary,
)

KB = resources.files("rules_asp.kb")
FILES = [KB.joinpath(name) for name in reading_order(each.name for each in KB.iterdir())]


def of_clingo() -> dict[str, list[list[clingo.Symbol]]]:
    """The arguments of the facts of the file, by predicate, as clingo reads them."""
    control = clingo.Control()
    control.add("base", [], "".join(file.read_text("utf-8") for file in FILES))
    control.ground([("base", [])])
    found: dict[str, list[list[clingo.Symbol]]] = {}
    for atom in control.symbolic_atoms:
        found.setdefault(atom.symbol.name, []).append(atom.symbol.arguments)
    return found


def signature(term: clingo.Symbol) -> tuple[str, tuple[str, ...]]:
    return term.name, tuple(map(str, term.arguments))


def test_our_reading_is_that_of_clingo() -> None:
    facts = of_clingo()
    words = vocabulary()
    inputs = {}
    for term, closed, sense in facts["input"]:
        once = [len(each.arguments) for (each,) in facts["once"] if each.name == term.name]
        inputs[term.name] = Input(*signature(term), sense.string, closed.name == "closed", *once)
    topics = {t.name: Topic(*signature(t), s.string, str(v)) for t, v, s in facts["topic"]}
    derived = {
        t.name: Derived(*signature(t), s.string)
        for t, s in (*facts["derived"], *facts.get("measured", ()))
    }
    forms = {t.name: Form(*signature(t), s.string, str(k)) for t, k, s in facts["form"]}
    forms |= {t.name: Form(*signature(t), s.string, "deed") for t, s in facts["deed"]}
    assert words.forms == forms
    assert words.reasons == {
        t.name: ReasonDeclaration(*signature(t), s.string, n.string) for t, s, n in facts["reason"]
    }
    assert words.inputs == inputs
    assert words.topics == topics
    assert words.derived == derived
    assert {kind: set(each) for kind, each in words.words.items()} == {
        kind: {str(word) for k, word in facts["word"] if k.name == kind}
        for kind in {k.name for k, _ in facts["word"]}
    }
    assert list(words.sentences) == [
        Sentence(t.name, tuple(map(str, t.arguments)), s.string) for t, s in facts["sentence"]
    ]
    assert words.phrases == {(str(k), str(w)): said.string for k, w, said in facts["phrase"]}
    assert words.synonyms == {(str(k), str(w)): str(of) for k, w, of in facts["synonym"]}
    assert {(e.name, e.scope, name) for e in words.changes.values() for name in e.inputs} == {
        tuple(map(str, change)) for change in facts["change"]
    }
    assert {(e.name, *way) for e in words.supposable for way in product(*e.ranges)} == {
        (term.name, *map(str, term.arguments)) for (term,) in facts["supposes"]
    }
    assert words.measures == {(str(k), str(w)): str(unit) for k, w, unit in facts["measure"]}


def test_every_name_is_said_once() -> None:
    text = "".join(file.read_text("utf-8") for file in FILES)
    words = vocabulary()
    assert len(words.names()) == len(set(words.names()))
    counted = sum(text.count(f"\n{kind}(") for kind in ("input", "topic", "derived", "measured"))
    assert len(words.names()) == counted


def test_words_are_words() -> None:
    for words in vocabulary().words.values():
        assert len(words) == len(set(words))
        assert all(word.isidentifier() and word.islower() and word != "not" for word in words)


@pytest.mark.parametrize(
    "fact",
    [
        "input(at(unit), closed).",
        'input(at(unit), maybe, "x").',
        'topic(height(hex), "x").',
        "derived(location(location)).",
        'reason(no_norm, "x").',
        "word(colour, gray, brown).",
        "measure(quantity, mf).",
        'once(at(unit), "x").',
        "sentence(at, x).",
        'phrase(by, "moves").',
        "synonym(colour, stone).",
        "change(flame, often, flame).",
        "supposes(flame(l(hex))).",
    ],
)
def test_a_fact_of_another_form_is_refused(fact: str) -> None:
    with pytest.raises(ValueError, match="this declaration is malformed"):
        parse_declarations(fact)


def test_comments_and_layout_are_no_matter() -> None:
    text = """
    % input(no(hex), closed, "commented out").
    %* word(no,(way)). *%
    input(
       yes( hex , number ), open, "with a % sign"
    ).   word(kind,one).  word(kind,(two;
       three)).
    other(fact).
    """
    words = parse_declarations(text)
    assert words.inputs == {"yes": Input("yes", ("hex", "number"), "with a % sign", False)}
    assert words.words == {"kind": ("one", "two", "three")}


def test_mf_and_mp_count_in_quarters() -> None:
    kinds = ("unit", "quantity", "number")
    kinds_of = vocabulary().kinds_of
    assert kinds_of(kinds, ("A", "mf", 4)) == ("unit", "quantity", "quarter")
    assert kinds_of(kinds, ("A", "mp", 4)) == ("unit", "quantity", "quarter")
    assert kinds_of(kinds, ("A", "pp", 4)) == kinds
    assert kinds_of(("unit", "status", "number"), ("A", "mf", 4)) == ("unit", "status", "number")
    assert kinds_of(("quantity", "unit", "number"), ("mf", "A", 4)) == (
        "quantity",
        "unit",
        "number",
    )
    assert kinds_of(("number",), (4,)) == ("number",)
    assert kinds_of((), ()) == ()


@pytest.mark.parametrize("said", ["at(unit)", "on", "at(location)", "(on(unit);at(hex))"])
def test_once_is_said_of_the_first_arguments_of_an_input(said: str) -> None:
    stated = 'input(at(unit,hex), closed, "where").'
    assert parse_declarations(stated).inputs["at"].once is None
    if said == "at(unit)":
        assert parse_declarations(f"{stated} once({said}).").inputs["at"].once == 1
        assert parse_declarations(f"{stated} once((at;at(unit,hex))).").inputs["at"].once == 2
    else:
        with pytest.raises(ValueError, match="no input begins with"):
            parse_declarations(f"{stated} once({said}).")


def test_the_form_of_an_entry_shows_its_kinds() -> None:
    assert vocabulary().inputs["at"].form == "at(unit, location)"
    assert vocabulary().inputs["night"].form == "night"
