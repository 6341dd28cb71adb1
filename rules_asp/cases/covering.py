"""What of the knowledge base is encoded, and what of it the test cases really hold in place.

A norm is exercised when the knowledge base without what it says gets an expected answer of some case
wrong. A norm that merely fires is not tested: others may give the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules_asp.cases.exercise import CaseSuite, CoverageError
from rules_asp.jobs import LOCAL, JobSettings, run_jobs
from rules_asp.knowledge.book import section_of
from rules_asp.knowledge.program import build
from rules_asp.knowledge.source import KnowledgeBase, read_kb
from rules_asp.knowledge.tags import Norm
from rules_asp.positions.files import example_boards

__all__ = [
    "Coverage",
    "CoverageError",
    "SectionCoverage",
    "case_files",
    "coverage",
    "default_cases",
]

#: Called before each norm that is tried: how many were, how many there are, the norm's id.
CoverageProgress = Callable[[int, int, str], None]
#: Called when a norm was tried: its id, and whether a case holds it in place.
NormTrials = Callable[[str, bool], None]


@dataclass(frozen=True)
class SectionCoverage:
    """The norms of a section: tags in the knowledge base, and those of them with rules.

    `exercised` counts those that a case holds in place, `unexercised` names the rest of the encoded;
    None and empty where this was not tried.
    """

    norms: int
    encoded: int
    descriptive: int
    exercised: int | None = None
    unexercised: tuple[str, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """Coverage by section ("B23", "A6", "R" of rulings, ...), in reading order; how many cases were
    asked.
    """

    sections: Mapping[str, SectionCoverage]
    cases: int = 0

    @property
    def unexercised(self) -> tuple[str, ...]:
        """The ids of all norms with rules that no case holds in place."""
        return tuple(norm for each in self.sections.values() for norm in each.unexercised)


def coverage(
    source: KnowledgeBase | None = None,
    cases: Path | Sequence[Path] | None = None,
    *,
    strict: bool = False,
    only: Collection[str] | None = None,
    progress: CoverageProgress | None = None,
    jobs: JobSettings = LOCAL,
    known: Mapping[str, bool] | None = None,
    tried: NormTrials | None = None,
) -> Coverage:
    """Count norms by section; with `strict`, take each out in turn and ask the cases again.

    `source` is the knowledge base, the shipped one by default; `cases` are board files with `expect`
    lines, or a folder of them (default_cases()). Only the strict count reads them: CoverageError when
    there are none or one fails with the knowledge base as it is, BoardError for a bad file. `only`
    tries no norms but these; the others are then among neither the exercised nor the unexercised. Each
    norm is a job of `jobs`; those that are `known` are not tried again.
    """
    source = source or read_kb()
    if not strict:
        return Coverage(_counted(source, None, ()))
    files = case_files(cases)
    if not files:
        raise CoverageError("there is no case to ask: no board file with expectations")
    asked = CaseSuite(files, source, build(source))
    held = dict(known or {})
    norms = [norm for norm in _encoded(source) if only is None or norm.id in only]
    left = [norm for norm in norms if norm.id not in held]

    def begun() -> Iterator[Norm]:
        for number, norm in enumerate(left, len(norms) - len(left)):
            if progress:
                progress(number, len(norms), norm.id)
            yield norm

    with run_jobs(_is_held, asked, begun(), jobs, in_order=False) as results:
        for number, holds in results:
            held[left[number].id] = holds
            if tried:
                tried(left[number].id, holds)
    exercised = {norm for norm, holds in held.items() if holds}
    return Coverage(_counted(source, exercised, {norm.id for norm in norms}), len(files))


def _is_held(asked: CaseSuite, norm: Norm) -> bool:
    return asked.exercising(norm) is not None


def default_cases() -> Path:
    """The folder of a checkout's test cases; the bundled examples where there is no checkout."""
    folder = Path(__file__).resolve().parents[2] / "tests" / "cases"
    if folder.is_dir():
        return folder
    return next((path.parent for path in example_boards().values()), folder)


def case_files(cases: Path | Sequence[Path] | None = None) -> tuple[Path, ...]:
    """The board files of a folder (default_cases()), by name; a sequence of files as it is."""
    if cases is not None and not isinstance(cases, Path):
        return tuple(cases)
    return tuple(sorted((cases or default_cases()).glob("*.board")))


def _encoded(source: KnowledgeBase) -> Iterator[Norm]:
    """The norms with rules, in reading order."""
    having = {rule.norm for rule in source.rules}
    return (norm for norm in source.norms if norm.id in having)


def _counted(
    source: KnowledgeBase, held: set[str] | None, tried: Collection[str]
) -> dict[str, SectionCoverage]:
    encoded = {norm.id for norm in _encoded(source)}
    sections: dict[str, list[Norm]] = {}
    for norm in source.norms:
        # All rulings of ours, R-T01 and the like, count together.
        section = section_of(norm.paragraph).partition("-")[0]
        sections.setdefault(section, []).append(norm)
    counted = {}
    for section, norms in sections.items():
        having = [norm.id for norm in norms if norm.id in encoded]
        counted[section] = SectionCoverage(
            len(norms),
            len(having),
            sum(norm.descriptive for norm in norms),
            None if held is None else sum(norm in held for norm in having),
            tuple(norm for norm in having if norm in tried and norm not in (held or ())),
        )
    return counted
