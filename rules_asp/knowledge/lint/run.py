"""All checks in order; line limits of files."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import clingo
from clingo import ast

from rules_asp.game.house_rules import (
    RuleText,
    SourceError,
    is_house_rule,
    reject_non_rules,
)
from rules_asp.knowledge.calculus import PROOFS, SIGNATURES, calculus, parse_calculus
from rules_asp.knowledge.lint import helpers as lint_helpers
from rules_asp.knowledge.lint import norms as lint_norms
from rules_asp.knowledge.lint import vocabulary as lint_changes
from rules_asp.knowledge.lint import vocabulary as lint_idleness
from rules_asp.knowledge.lint import vocabulary as lint_reasons
from rules_asp.knowledge.lint import vocabulary as lint_sentences
from rules_asp.knowledge.lint import vocabulary as lint_words
from rules_asp.knowledge.lint.base import Fault, KbView, kb_view
from rules_asp.knowledge.lint.vocabulary import signature_text
from rules_asp.knowledge.reader import (
    Comment,
    kb_files,
    kb_folder,
    parse_statements,
    read_comments,
    read_kb,
    with_files,
)
from rules_asp.knowledge.rules import CALCULUS, KnowledgeBase, Norm

# --- Limits of line length and rule length.


#: Characters in a line.
LONGEST_LINE = 100
#: Lines of the body of a rule.
LONGEST_BODY = 4


def line_limits(folder: Path) -> Iterator[Fault]:
    """Yield lines and rules that are too long, in all files including those of the lab.

    SourceError for a file that does not contain rules.
    """
    for path in sorted(folder.rglob("*.lp")):
        name = path.relative_to(folder).as_posix()
        text = path.read_text("utf-8")
        reject_non_rules(text, name)
        for number, line in enumerate(text.split("\n"), start=1):
            if len(line) > LONGEST_LINE:
                yield Fault(
                    name, number, f"the line is longer than {LONGEST_LINE} characters: wrap it"
                )
        for place, count in _bodies(text):
            if count > LONGEST_BODY:
                yield Fault(
                    name,
                    place,
                    f"the body of this rule is longer than {LONGEST_BODY} lines: define a helper predicate",
                )


def _bodies(text: str) -> list[tuple[int, int]]:
    """Return the first line of each rule, and the number of lines of its body."""
    found: list[tuple[int, int]] = []
    for node in parse_statements(text):
        if node.ast_type == ast.ASTType.Rule and node.body:
            first = min(literal.location.begin.line for literal in node.body)
            found.append((node.location.begin.line, node.location.end.line - first + 1))
    return found


# --- All static checks.


#: Maximum number of lines of a file.
LONGEST_FILE = 200

_NUMBER = re.compile(r"(\d+)(.*)")


def lint(source: KnowledgeBase, comments: Iterable[Comment] = ()) -> list[Fault]:
    """Return all faults of a knowledge base, by file and line; `comments` are those of its files."""
    everything = kb_view(source, comments)
    return sorted({fault for check in CHECKS for fault in check(everything)})


def lint_folder(folder: Path | None = None) -> list[Fault]:
    """Return all faults in the rules and the layout of a folder (None: the included one).

    SourceError if it cannot be read; OSError if it does not exist.
    """
    folder = folder or kb_folder()
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "the folder does not exist", str(folder))
    if not kb_files(folder):
        raise SourceError(
            f"the folder {folder} has no rule files arranged as in kb/;"
            f" for house rules use `lint --rules {folder}`"
        )
    source = read_kb(folder)
    faults = {*lint(source, read_comments(folder)), *line_limits(folder)}
    if (folder / SIGNATURES).exists():
        faults |= set(unfounded_signatures(folder, kb_view(source)))
    joined = [
        RuleText(path.relative_to(folder).as_posix(), path.read_text("utf-8"))
        for path in sorted(set(folder.rglob("*.lp")) - set(kb_files(folder)))
    ]
    with_lab = kb_view(with_files(source, joined))
    return sorted(faults.union(lint_helpers.helpers_in_two_senses(with_lab)))


#: Calculus predicates that the program derives from declarations, or that only kb/lab/ derives.
_MADE_ELSEWHERE = {("fitting", 2), ("due", 1)}


def unfounded_signatures(folder: Path, base: KbView) -> Iterator[Fault]:
    """Yield calculus predicates without a declaring fact, and facts about undeclared predicates."""
    signatures, proofs = ((folder / name).read_text("utf-8") for name in (SIGNATURES, PROOFS))
    found = parse_calculus(signatures, proofs)
    declared = {each.signature for each in found.predicates}
    derived, read = set(base.words.predicates), set()
    for each in (*base.statements, *base.calculus):
        derived |= {(atom.name, len(atom.terms)) for atom in each.heads}
        read |= {(atom.name, len(atom.terms)) for atom in each.reads}
    for each in base.calculus:
        for atom in each.heads if not each.declares and each.rule.file == CALCULUS else ():
            if (atom.name, len(atom.terms)) not in declared:
                text = signature_text((atom.name, len(atom.terms)))
                yield each.fault(f"{SIGNATURES} does not declare {text}")
    heads = {each.signature for each in found.heads.values()}
    for one in found.predicates:
        if one.signature in heads and one.signature not in read | derived:
            yield _in_facts(SIGNATURES, signatures, one.name, "nothing reads", one.signature)
        if one.signature not in heads | derived | _MADE_ELSEWHERE:
            yield _in_facts(SIGNATURES, signatures, one.name, "nothing derives", one.signature)
    known = derived | heads
    for told, words in (*found.atom_words.values(), *found.line_words):
        if told.signature not in known:
            yield _in_facts(PROOFS, proofs, told.name, "nothing derives", told.signature)
        for slot in re.findall(r"\{(\d+)\}", words):
            if not 0 < int(slot) <= len(told.kinds):
                message = f"{{{slot}}} is not an argument of"
                yield _in_facts(PROOFS, proofs, told.name, message, told.signature)
    for name in sorted(found.named_in_proofs - {name for name, _ in known | read}):
        yield Fault(PROOFS, _line_of(proofs, name), f"no rule derives the predicate {name}")


def _in_facts(file: str, text: str, name: str, message: str, what: tuple[str, int]) -> Fault:
    return Fault(file, _line_of(text, f"{name}("), f"{message} {signature_text(what)}")


def _line_of(text: str, part: str) -> int:
    """Return the first line that contains a text and is not a comment."""
    lines = enumerate(text.split("\n"), start=1)
    return next((n for n, line in lines if part in line and not line.startswith("%")), 1)


def lint_house_rules(source: KnowledgeBase, comments: Iterable[Comment]) -> list[Fault]:
    """Return the faults of house rules added to the included ones; `comments` are those of the
    house rules.

    House rules may have any length of files and lines, any share of descriptive norms, and topics
    that are only asked about.
    """
    everything = kb_view(source, comments)
    left_out = (too_long, too_descriptive, lint_idleness.unread_declarations)
    checks = [check for check in CHECKS if check not in left_out]
    found = {fault for check in checks for fault in check(everything)}
    found |= set(lint_idleness.unread_declarations(everything, topics_too=False))
    return sorted(fault for fault in found if is_house_rule(fault.file))


def untagged(base: KbView) -> Iterator[Fault]:
    """Yield heads whose norm is not that of the tag above.

    A rule without a tag may only define a helper. The norm may be a variable. overrides may be
    under the tag of either norm, or of another norm of the same rule number.
    """
    checked = calculus().tagged_heads
    for each in base.statements:
        tag = each.rule.norm
        for atom in each.heads:
            norm = atom.string(0)
            if atom.name in checked and norm and norm != tag:
                above = (
                    f"the summary above is that of {tag}" if tag else "no summary (%@) is above it"
                )
                yield each.fault(f"{atom.name} of {norm}, but {above}")
            if atom.name == "overrides" and tag:
                sides = {side for side in map(atom.string, (0, 1)) if side}
                if sides and tag.rsplit("-", 1)[0] not in {
                    side.rsplit("-", 1)[0] for side in sides
                }:
                    yield each.fault(f"overrides of {' and '.join(sorted(sides))} under {tag}")


#: The line of a rule, and the names of its variables, in a message of clingo.
_UNSAFE = re.compile(r"^<block>:(\d+):.*error: unsafe variables")
_UNSAFE_NAME = re.compile(r"note: '([^']+)' is unsafe")


def unsafe_variables(base: KbView) -> Iterator[Fault]:
    """Yield rules with a variable that no positive condition binds: clingo cannot ground them."""
    told: list[str] = []
    control = clingo.Control(["--warn=none"], logger=lambda _, text: told.append(text))
    lines = [" ".join(each.rule.text.split("\n")) for each in base.statements]
    # clingo checks a part of a program that it does not ground.
    control.add("never", [], "\n".join(lines))
    with suppress(RuntimeError):
        control.ground([("base", [])])
    for text in told:
        if place := _UNSAFE.match(text):
            names = [re.sub(r"#Anon\d+", "_", name) for name in _UNSAFE_NAME.findall(text)]
            yield base.statements[int(place[1]) - 1].fault(
                f"no condition binds {' and '.join(names)}: add a condition with that variable,"
                " without `not`"
            )


def unknown_norms(base: KbView) -> Iterator[Fault]:
    """Yield named norms or rule numbers without a tag."""
    paragraphs = {norm.paragraph for norm in base.source.norms}
    places = {**calculus().norm_places, "goes_first": (0,), "without": (0,)}
    for each in base.statements:
        for atom in each.atoms:
            for place in places.get(atom.name, ()):
                norm = atom.string(place)
                if norm is not None and norm not in base.norms:
                    yield each.fault(f"no rule has the id {norm} (in {atom.name})")
            if atom.name == "amends":
                for place in (0, 1):
                    paragraph = atom.string(place)
                    if paragraph and not any(one.startswith(paragraph) for one in paragraphs):
                        yield each.fault(f"no rule has the number {paragraph}")


def idle_tags(base: KbView) -> Iterator[Fault]:
    """Yield tags without a rule, and descriptive tags with one."""
    with_rules = {each.rule.norm for each in base.statements}
    for norm in base.source.norms:
        if norm.descriptive and norm.id in with_rules:
            yield _at(norm, f"{norm.id} is marked descriptive but has a rule")
        elif not norm.descriptive and norm.id not in with_rules:
            yield _at(norm, f"{norm.id} has no rule and is not marked descriptive")


def out_of_order(base: KbView) -> Iterator[Fault]:
    """Yield tags of a section that do not follow the order of rule numbers within a file."""
    groups: dict[tuple[str, str], list[Norm]] = {}
    for norm in base.source.norms:
        groups.setdefault((norm.file, norm.paragraph.split(".")[0]), []).append(norm)
    for norms in groups.values():
        for one, two in pairwise(norms):
            if _order(two) < _order(one):
                yield _at(two, f"{two.id} must be before {one.id}")


def _order(norm: Norm) -> tuple[str, str, int, str]:
    """Return the sort key: B23.21 < B23.211 < B23.22, digits compared as decimals."""
    paragraph, _, last = norm.id.rpartition("-")
    section, _, digits = paragraph.partition(".")
    number = _NUMBER.fullmatch(last.lstrip("T"))
    return section, digits, int(number[1]) if number else 0, number[2] if number else last


def too_descriptive(base: KbView) -> Iterator[Fault]:
    """Yield sections with too many norms that derive nothing; an incomplete section counts as
    complete."""
    limit, printed = base.words.descriptive_in, base.words.printed
    if limit is None:
        return
    sections: dict[str, list[Norm]] = {}
    for norm in base.source.norms:
        sections.setdefault(norm.paragraph.split(".")[0], []).append(norm)
    for section, norms in sections.items():
        count = sum(norm.descriptive for norm in norms)
        whole = max(len(norms), printed.get(section, 0))
        if count * limit > whole:
            yield _at(
                norms[0],
                f"{section}: {count} of {whole} norms are descriptive, more than one in {limit}",
            )


def too_long(base: KbView) -> Iterator[Fault]:
    """Yield files with a statement or tag after the last permitted line."""
    last: dict[str, int] = {}
    places = [(rule.file, rule.line) for rule in base.source.rules]
    for file, line in places + [(norm.file, norm.line) for norm in base.source.norms]:
        last[file] = max(line, last.get(file, 0))
    for file, line in last.items():
        if line > LONGEST_FILE:
            yield Fault(file, line, f"the file is longer than {LONGEST_FILE} lines: split it")


def _at(norm: Norm, message: str) -> Fault:
    return Fault(norm.file, norm.line, message)


CHECKS: tuple[Callable[[KbView], Iterator[Fault]], ...] = (
    lint_words.old_names,
    lint_words.unknown_predicates,
    lint_words.underived,
    lint_words.undeclared_topics,
    lint_words.wrong_kinds,
    lint_words.arity_conflicts,
    lint_words.declared_twice,
    lint_idleness.unread_declarations,
    lint_helpers.helpers_in_two_senses,
    lint_helpers.unread_helpers,
    lint_sentences.forms_without_sentence,
    lint_sentences.malformed_sentences,
    untagged,
    unsafe_variables,
    unknown_norms,
    idle_tags,
    out_of_order,
    too_descriptive,
    too_long,
    lint_norms.cyclic_topics,
    lint_norms.precedence_cycles,
    lint_norms.precedence_without_effect,
    lint_norms.idle_rulings,
    lint_norms.precedence_by_other_sections,
    lint_norms.unfounded_precedence,
    lint_norms.lift_chains_too_deep,
    lint_norms.open_inputs,
    lint_norms.reads_unknown_as_known,
    lint_reasons.undeclared_reasons,
    lint_reasons.idle_reasons,
    lint_norms.dangling_references,
    lint_norms.marks,
    lint_norms.readings,
    lint_changes.malformed_changes,
)
