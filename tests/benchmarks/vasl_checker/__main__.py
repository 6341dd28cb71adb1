"""Compares all our verdicts on real boards with those of VASL's checker, and explains each difference.

Run as `python -m tests.benchmarks.vasl_checker [OPTIONS] 01 21 24`; a board takes some minutes. The
archives and VASL's tables are looked for in the folder that the variable RULES_ASP_BOARDS names, or in
`shared/boards` beside the checkout.

VASL is a peer, not an authority. A difference counts as explained only when something computed for
this very pair says so: our verdict turns into VASL's when one cause, and nothing else, is taken the
other way, and VASL's own data show that it is there. What is left is counted, and listed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.benchmarks.vasl_checker.agreed import (
    agreed_with_examples,
    agreed_with_vasl,
    write_table,
)
from tests.benchmarks.vasl_checker.blind import write_sheet
from tests.benchmarks.vasl_checker.comparing import Explained, answers, classes, control, explained
from tests.benchmarks.vasl_checker.tables import FOLDER


def main() -> int:
    """Compares the boards named."""
    options = _options()
    if options.agreed:
        rows = [*agreed_with_examples()]
        for number in options.boards:
            rows += agreed_with_vasl(answers(number))
        write_table(rows)
        return 0
    left = 0
    found: list[Explained] = []
    for number in options.boards:
        both = answers(number)
        here = list(explained(both))
        left += classes(both, here, options.show)
        if options.control:
            control(both, options.control)
        found += here
    if options.blind:
        write_sheet(found, options.blind, options.seed, options.output, options.key)
    return 1 if left else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.vasl_checker",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("boards", nargs="*", default=["01", "21", "24"], metavar="BOARD")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="N examples of each class")
    parser.add_argument(
        "--control",
        type=int,
        default=0,
        metavar="N",
        help="turn N clear and N blocked verdicts of VASL's round: these should stay unexplained",
    )
    parser.add_argument(
        "--blind",
        type=int,
        default=0,
        metavar="N",
        help="write N differences without their labels, for somebody to walk by hand",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the blind sample")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="the blind sheet")
    parser.add_argument(
        "--agreed",
        action="store_true",
        help="do not compare, but write tests/agreed_verdicts.tsv anew",
    )
    parser.add_argument("--key", type=Path, metavar="FILE", help="the labels of the sheet's rows")
    options = parser.parse_args()
    missing = [each for each in options.boards if not (FOLDER / f"bd{each}_vasl.csv.gz").is_file()]
    if missing:
        parser.error(f"no table of VASL's for board {', '.join(missing)} in {FOLDER}")
    if options.blind and options.output is None:
        parser.error("--blind needs -o FILE")
    return options


if __name__ == "__main__":
    sys.exit(main())
