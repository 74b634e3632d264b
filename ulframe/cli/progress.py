"""A sign of life on stderr while work is long and the terminal is one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE, REFRESH = 1.0, 0.2  # seconds before anything is shown, and between looks


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None]]:
    """Show what is going on, and for how long, once it has taken a second; then clear it.

    The work may tell the share that is done by calling what this gives.
    """
    shares = [0.0]

    def advance(share: float) -> None:
        shares[0] = share

    if not sys.stderr.isatty():
        yield advance
        return
    done = threading.Event()
    shown = threading.Thread(target=_show, args=(what, done, shares), daemon=True)
    shown.start()
    try:
        yield advance
    finally:
        done.set()
        shown.join()


def _show(what: str, done: threading.Event, shares: list[float]) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        while not done.wait(REFRESH):
            progress.update(task, total=1.0 if shares[0] else None, completed=shares[0])
