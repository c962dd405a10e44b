"""The program ``carat``: the command line, in this process."""

from __future__ import annotations

import signal
import sys

from . import _carat


def main() -> int:
    """Carries out the command that the arguments of this process name, and gives its exit code."""
    # carat takes Ctrl-C itself: a run stops between two pages.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _carat.program(sys.argv[1:])
