"""Names as they may be printed: whatever they hold, no terminal and no table is steered by them."""

import re

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters, line ends and marks that turn the direction of writing."""

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet takes for a formula."""


def visible(text: str) -> str:
    r"""The text, its control characters written as Python writes them.

    >>> print(visible("a\x1b[31mb\nc"))
    a\x1b[31mb\nc
    """
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
