"""Measures that are had by commands of their own, by their names without case, _ and -."""

from types import MappingProxyType

OF_SUBTOPICS = (
    "alphadcg", "alphandcg", "erria", "nerria", "nrbp", "nnrbp", "strecall", "pia", "mapia", "apia",
)  # fmt: skip
OF_USERS = ("inst", "insq", "bpm", "sdcg", "nerr8", "nerr9", "nerr10", "nerr11")

ELSEWHERE = MappingProxyType(
    dict.fromkeys(OF_SUBTOPICS, "is of qrels by subtopic: ulframe diversity")
    | dict.fromkeys(OF_USERS, "is of users who act: ulframe users")
)
"""What to say where one is asked for among the others."""


def said_of(name: str) -> str | None:
    """Where a measure is had, if not here.

    >>> said_of("alpha-nDCG"), said_of("AP")
    ('is of qrels by subtopic: ulframe diversity', None)
    """
    return ELSEWHERE.get(name.lower().replace("_", "").replace("-", ""))
