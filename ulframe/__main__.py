"""The command line as a process of its own: the script `ulframe`, and `python -m ulframe`.

What is here suits no process that goes on: it ends at once, which saves a fifth of a short
evaluation's time, and when it is told to end it leaves nothing half written.
"""

import gc
import os
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import NoReturn

SELDOM = 100_000  # imports make many objects, and no garbage
TERMINATED = 128 + signal.SIGTERM


def command() -> NoReturn:
    """Run the command line, then end at once: all is written, and the system frees the memory."""
    gc.set_threshold(SELDOM)
    _stand_in_for_closed_streams()
    _end_when_told()
    from ulframe.cli.main import main

    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _stand_in_for_closed_streams() -> None:
    """What is printed to a stream that the caller closed (`>&-`) goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


def _end_when_told() -> None:
    """At SIGTERM, remove what is unfinished, and end.

    A thread waits for it: while Polars works, which may take minutes, no handler would be run.
    """
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> NoReturn:
    signal.sigwait([signal.SIGTERM])
    from ulframe.frames.atomic import remove_unfinished

    remove_unfinished()
    os._exit(TERMINATED)


if __name__ == "__main__":
    command()
