"""What readers remark on - which of two readings they took - as lines on stderr."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ulframe.frames.remarks import Remark

FEW = 3  # files of which the same is said


@contextmanager
def remarks_on_stderr() -> Iterator[None]:
    """Print each remark of the block once, and the same of a few files only."""
    said: set[str] = set()
    of_files: Counter[str] = Counter()

    def show(message: Warning | str, category: type[Warning], *where: object) -> None:
        if not issubclass(category, Remark):
            others(message, category, *where)  # type: ignore[arg-type]
        elif (text := str(message)) not in said:
            said.add(text)
            of_files[text.partition(": ")[2]] += 1
            if of_files[text.partition(": ")[2]] <= FEW:
                print(text, file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", Remark)
        others, warnings.showwarning = warnings.showwarning, show  # type: ignore[assignment]
        try:
            yield
        finally:
            for text, count in of_files.items():
                if count > FEW:
                    print(f"... and so of {count - FEW} more: {text}", file=sys.stderr)
