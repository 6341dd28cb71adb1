"""`rules-asp`, also as `python -m rules_asp`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


#: Seconds.
_SOON = 0.01


def run() -> None:
    """The command; broken off while its parts are still being read, it ends as quietly as later."""
    sys.unraisablehook = _unraisable
    # Classes, rules and facts are made in thousands, hardly any in circles: to look for these takes a tenth.
    gc.set_threshold(50_000, 20, 50)
    try:
        from rules_asp.cli.app import main

        main(prog_name="rules-asp")
    except (KeyboardInterrupt, RuntimeError) as error:
        # A second Ctrl-C would come into the midst of this.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if not isinstance(error, KeyboardInterrupt):
            from rules_asp.runtime.worker import is_interrupt

            if not is_interrupt(error):
                raise
        sys.exit(130)


def _unraisable(told: UnraisableHookArgs) -> None:
    """What a destructor raised: Python tells it and goes on, and clingo has many destructors."""
    if isinstance(told.exc_value, KeyboardInterrupt):
        # The interrupt would be lost, and the command go on: once more, when this is behind us.
        again = Timer(_SOON, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()
    elif not (isinstance(told.exc_value, AttributeError) and _destroys(told.object)):
        sys.__unraisablehook__(told)


def _destroys(thing: object) -> bool:
    """Whether this is a destructor: an interrupt while an object is made leaves it half of one."""
    return str(getattr(thing, "__qualname__", "")).endswith(".__del__")


if __name__ == "__main__":
    run()
