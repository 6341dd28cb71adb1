"""Settings of the tests: the suites `--ci` and `--whole`, and no deadlines, because machines may be slow."""

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from rules_asp.runtime.limits import memory_mb
from tests.sampling import SUITE, suite, tries

# The tests keep some thousand positions. With the default thresholds, garbage collection took a seventh of
# all time.
gc.set_threshold(50_000, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--ci", action="store_true", help="Larger samples, and slow tests; takes minutes."
    )
    parser.addoption(
        "--whole", action="store_true", help="All of what other suites sample; takes hours."
    )


def pytest_configure(config: pytest.Config) -> None:
    # A script starts background processes without Ctrl-C, which their own processes would inherit.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The tests read no notes that the user of this machine has configured.
    os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "nowhere")
    # The other processes of a run, and the parameters of tests, read it from the environment.
    for name in ("ci", "whole"):
        if config.getoption(f"--{name}"):
            os.environ[SUITE] = name
    examples = tries(300)
    settings.register_profile("calm", deadline=None, max_examples=examples)
    settings.register_profile(
        "ci", deadline=None, derandomize=True, database=None, max_examples=examples
    )
    settings.load_profile("ci" if os.environ.get("CI") else "calm")
    config.addinivalue_line("markers", "slow: only with --ci or --whole")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect slow tests in the quick suite, unless the user names a test by its id."""
    if suite() != "quick" or any("::" in each for each in config.args):
        return
    slow = [each for each in items if each.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [each for each in items if not each.get_closest_marker("slow")]


#: The growth of a process after which its memory is released, and its size after the last time, in MB.
_GROWTH = 300
_size = 0


@pytest.fixture(autouse=True, scope="module")
def release_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """Clear the caches of a module after its last test, and return free memory to the system.

    glibc keeps the memory of ended groundings. After a thousand tests it is some gigabytes in each process.
    A collection takes half a second, so it waits until the process has grown.
    """
    global _size
    yield
    for each in vars(request.module).values():
        local = getattr(each, "__module__", "") == request.module.__name__
        if local and hasattr(each, "cache_clear"):
            each.cache_clear()
    now = memory_mb(os.getpid())
    if now is not None and now < _size + _GROWTH:
        return
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL("libc.so.6").malloc_trim(0)
    _size = memory_mb(os.getpid()) or 0
