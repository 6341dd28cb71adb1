"""Settings: no deadlines, since a shared machine may be slow at any time; `--whole` leaves nothing out."""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.sampling import WHOLE

settings.register_profile("calm", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "calm")


# Some thousand positions are made and kept here: at Python's own pace, a seventh of all time went into
# looking through them for garbage.
gc.set_threshold(50_000, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole", action="store_true", help="All of what is sampled otherwise; takes hours."
    )


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background of a script is started without Ctrl-C, and so would be what it starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # No notes that whoever runs the tests has named for himself.
    os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "nowhere")
    # In the environment, where the other processes of a run and the tests' own parameters find it.
    if config.getoption("--whole"):
        os.environ[WHOLE] = "1"
