"""What is said where an input could mean two things and one of them was taken."""

import warnings


class Remark(UserWarning):
    """Which of two readings was taken; the command line prints it as a line on stderr."""


def remark(text: str) -> None:
    """Say which reading was taken, to whoever called ulframe.

    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     remark("t.tsv: ranks, best first")
    >>> [str(one.message) for one in said]
    ['t.tsv: ranks, best first']
    """
    warnings.warn(text, Remark, stacklevel=2)
