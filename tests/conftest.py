"""Settings: no deadlines, since a shared machine may be slow at any time; the suites `--ci` and
`--whole`.
"""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.sampling import SUITE, suite

settings.register_profile("calm", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "calm")


# Some thousand positions are made and kept here: at Python's own pace, a seventh of all time went into
# looking through them for garbage.
gc.set_threshold(50_000, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ci", action="store_true", help="Some twenty minutes, with larger samples.")
    parser.addoption(
        "--whole", action="store_true", help="All of what is sampled else; takes hours."
    )


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background of a script is started without Ctrl-C, and so would be what it starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # No notes that whoever runs the tests has named for himself.
    os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "nowhere")
    # In the environment, where the other processes of a run and the tests' own parameters find it.
    for name in ("ci", "whole"):
        if config.getoption(f"--{name}"):
            os.environ[SUITE] = name
    config.addinivalue_line("markers", "slow: only with --ci or --whole")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow in the quick suite, unless it is named by its id."""
    if suite() != "quick" or any("::" in each for each in config.args):
        return
    slow = [each for each in items if each.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [each for each in items if not each.get_closest_marker("slow")]
