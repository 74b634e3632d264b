"""What the endings of files' names say."""

from ulframe.frames.packings import split_packing

ENDINGS = {
    "parquet": (".parquet",),
    "arrow": (".arrow", ".ipc", ".feather"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "tsv": (".tsv",),
    "csv": (".csv",),
}
"""Those that tell a format, by its name."""

# Endings that say that a file is text, but not of which format.
TEXT_ENDINGS = (".txt", ".trec", ".run", ".res", ".results", ".top", ".qrels", ".qrel", ".letor")
# Endings of what is not written here, lest TREC text be written under them.
OTHER_ENDINGS = (".json", ".xlsx", ".xls", ".html", ".pdf", ".sqlite", ".db")

KNOWN = frozenset(TEXT_ENDINGS).union(*ENDINGS.values())


def split_ending(name: str) -> tuple[str, str]:
    """Part a file's name from what only says how it is stored.

    >>> split_ending("bm25.v2.run.gz"), split_ending("a.CSV"), split_ending("input.Sel50")
    (('bm25.v2', '.run'), ('a', '.csv'), ('input.Sel50', ''))
    """
    name, _ = split_packing(name)
    stem, dot, ending = name.rpartition(".")
    ending = dot + ending.lower()
    return (stem, ending) if stem and ending in KNOWN else (name, "")
