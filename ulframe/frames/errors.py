"""The two kinds of error that a user can cause, and nothing else.

Both are `ValueError`s whose message says what is wrong, where (file, line, first rows) and what to
do. The command line turns `BadData` into exit code 1 and `BadUsage` into exit code 2.
"""


class BadData(ValueError):
    """The input breaks a rule of the frames: a line, a row or a file is not what it must be."""


class BadUsage(ValueError):
    """The call itself is wrong: an unknown measure, a cutoff below 1, an option's value."""


def in_short(said: object, most: int = 160) -> str:
    r"""The first line of what another library or a file says, cut off where it is long.

    >>> in_short("first line\nsecond"), in_short("abc", most=2)
    ('first line', 'ab...')
    """
    return cut(str(said).strip().partition("\n")[0], most)


def cut(line: str, most: int) -> str:
    """A line as it stands, cut off where it is long."""
    return line if len(line) <= most else f"{line[:most]}..."
