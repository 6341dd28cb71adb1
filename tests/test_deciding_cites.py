"""What decides is cited: taken away, a norm changes only answers that name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.norms_taken import asked, uncited_changes
from tests.sampling import some
from tests.test_cases import CASES


@pytest.mark.parametrize("path", some(CASES, 4), ids=lambda path: path.stem)
def test_without_a_norm_only_answers_change_that_cite_it(path: Path) -> None:
    case = asked(path)
    changes = [line for norm in some(case.bearing, 4) for line in uncited_changes(case, norm)]
    assert changes == []
