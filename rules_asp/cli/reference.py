"""Commands about the rules: rules, coverage, words."""

from __future__ import annotations

import click

from rules_asp.telling.terminal import Refusal, bar, board_files, json_option, print_json


@click.command()
@click.argument("words", nargs=-1, metavar="[ID | WORDS]")
@json_option
def rules(words: tuple[str, ...], as_json: bool) -> None:
    """Look norms up.

    By id (B23.71-5), by paragraph (B23.71) or section (B23), by words. Without anything: all
    sections and paragraphs.
    """
    from rules_asp.knowledge.book import catalogue, is_name
    from rules_asp.knowledge.source import read
    from rules_asp.telling import as_json as records

    book = catalogue(read())
    name = len(words) == 1 and is_name(words[0])
    found = book.at(words[0]) if name else book.about(words)
    if name and not found:
        from rules_asp.parser.errors import nearest

        near = nearest(words[0], book.names())
        raise Refusal(f"there is no norm {words[0]}" + (f"; did you mean {near}?" if near else ""))
    if as_json:
        listing = records.norms(book, found) if words else records.paragraphs(book)
        print_json("rules", listing)
        return
    from rules_asp.telling import text as show

    with show.console() as out:
        if not words:
            show.paragraphs(out, book)
        elif not found:
            out.print(f"no norm speaks of {' '.join(words)}")
        elif len(found) == 1:
            show.norm(out, book, found[0])
        else:
            show.norms(out, found)


@click.command()
@click.argument("cases", nargs=-1, metavar="[CASES...]")
@click.option("--strict", is_flag=True, help="Count what the cases hold in place; takes minutes.")
@json_option
def coverage(cases: tuple[str, ...], strict: bool, as_json: bool) -> None:
    """How much of the rules is encoded.

    With --strict, also how much is exercised: a norm is, when without it some case gets a wrong
    answer. CASES are boards with `expect` lines, or folders of them; otherwise tests/cases of the
    checkout, or the bundled boards.
    """
    from rules_asp.cases.covering import coverage as counted
    from rules_asp.positions.files import find_board

    paths = [find_board(each) for each in board_files(cases)] or None
    if strict:
        with bar("norms tried") as progress:
            found = counted(cases=paths, strict=True, progress=progress)
    else:
        found = counted(cases=paths)
    if as_json:
        from rules_asp.telling import as_json as records

        print_json("coverage", records.coverage(found))
        return
    from rules_asp.telling import text as show

    with show.console() as out:
        show.coverage(out, found)


@click.command()
@click.argument("word", required=False)
@json_option
def words(word: str | None, as_json: bool) -> None:
    """What can be asked.

    Topics with the kind of their value, and what holds or does not hold. With a WORD, those whose
    name or sense has it.
    """
    from rules_asp.terms.lexicon import vocabulary

    known = vocabulary()
    forms = [(f"{each.form}, a {each.kind}", each.sense) for each in known.forms.values()]
    topics = [(f"{each.form} = {each.value}", each.sense) for each in known.topics.values()]
    others = [(each.form, each.sense) for each in (*known.derived.values(), *known.inputs.values())]
    found = [
        (form, sense)
        for form, sense in [*topics, *forms, *others]
        if word is None or word.casefold() in f"{form} {sense}".casefold()
    ]
    if as_json:
        print_json("words", {"words": [{"form": form, "sense": sense} for form, sense in found]})
        return
    from rules_asp.telling import text as show

    with show.console() as out:
        show.words(out, found)
