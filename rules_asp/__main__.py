"""`rules-asp`, also as `python -m rules_asp`."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType


#: Seconds.
_SOON = 0.01
_INTERRUPTED = 130


def run() -> None:
    """Run the command; an interrupt during the imports ends it without a traceback."""
    sys.unraisablehook = _unraisable
    interrupted = ending = False

    # Python runs no handler between the `except` below and the assignment that follows it. A call to
    # `signal.signal` there comes too late: a second interrupt ended it with a traceback.
    def _interrupt(number: int, frame: FrameType | None) -> None:
        if not ending:
            signal.default_int_handler(number, frame)

    # Python calls the handlers in reverse order of registration, so this one is the last.
    @atexit.register
    def _exit_interrupted() -> None:
        # After an interrupt in a string that `exec` ran, as for a dataclass, Python would end by the signal.
        if interrupted:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(_INTERRUPTED)

    # The program makes thousands of objects, hardly any in cycles; the search for cycles took a tenth.
    gc.set_threshold(50_000, 20, 50)
    # numpy would start a thread for each core for linear algebra, which nothing here uses.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A shell starts a command in the background with interrupts ignored, and they stay ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        from rules_asp.cli.app import main

        main(prog_name="rules-asp")
    except BaseException as error:
        ending = True
        # Python restores its own handlers before it ends, and then a second Ctrl-C would end it by a signal.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        interrupted = _is_interrupt(error)
        if interrupted:
            sys.exit(_INTERRUPTED)
        raise


def _is_interrupt(error: BaseException) -> bool:
    """Test whether an interrupt ended the command; clingo raises a RuntimeError instead."""
    if isinstance(error, RuntimeError):
        from rules_asp.runtime.worker import is_interrupt

        return is_interrupt(error)
    if isinstance(error, SystemExit):
        return error.code == _INTERRUPTED
    return isinstance(error, KeyboardInterrupt)


def _unraisable(told: UnraisableHookArgs) -> None:
    """Handle an exception of a destructor, which Python would only print; clingo has many."""
    if isinstance(told.exc_value, KeyboardInterrupt):
        # The interrupt would be lost, and the command would continue: send it again a little later.
        again = Timer(_SOON, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()
    elif not (isinstance(told.exc_value, AttributeError) and _destroys(told.object)):
        sys.__unraisablehook__(told)


def _destroys(thing: object) -> bool:
    """Test whether this is a destructor; an interrupt can leave an object half initialized."""
    return str(getattr(thing, "__qualname__", "")).endswith(".__del__")


if __name__ == "__main__":
    run()
