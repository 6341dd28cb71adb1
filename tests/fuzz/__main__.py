"""The bench from the command line; exit code 1 when something broke."""

from __future__ import annotations

import argparse
import signal
import sys

from tests.fuzz.answers import asking, proofs, sights
from tests.fuzz.bench import Try, bench
from tests.fuzz.claims import claims
from tests.fuzz.commands import commands
from tests.fuzz.files import archives, folders, kept, saves
from tests.fuzz.interrupts import interrupts
from tests.fuzz.notes import notes
from tests.fuzz.requests import requests
from tests.fuzz.texts import boards, questions

KINDS: dict[str, Try] = {
    "boards": boards,
    "questions": questions,
    "claims": claims,
    "asking": asking,
    "sights": sights,
    "proofs": proofs,
    "archives": archives,
    "saves": saves,
    "folders": folders,
    "notes": notes,
    "kept": kept,
    "requests": requests,
    "commands": commands,
    "interrupts": interrupts,
}


def run(arguments: list[str]) -> int:
    """Try what the arguments say."""
    about = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    about.add_argument("--seed", default=1, type=int)
    about.add_argument("--seconds", default=60.0, type=float, help="in all")
    about.add_argument("--only", default=",".join(KINDS), help="some of the kinds, with commas")
    about.add_argument("--case", type=int, help="this try of each kind alone")
    said = about.parse_args(arguments)
    if odd := set(said.only.split(",")) - set(KINDS):
        about.error(f"no kind is named {', '.join(sorted(odd))}: there are {', '.join(KINDS)}")
    kinds = {name: KINDS[name] for name in said.only.split(",")}
    only_one = said.case is not None
    report = bench(kinds, said.seed, said.seconds, said.case or 0, 1 if only_one else None)
    print(report)
    return 1 if report.broken else 0


if __name__ == "__main__":
    # A shell begins what runs in the background with interrupts ignored, and what that begins inherits it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run(sys.argv[1:]))
