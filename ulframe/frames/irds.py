"""Qrels of ir_datasets, by the id of a data set: `irds:msmarco-passage/dev/small`."""

import io
from functools import cache

import polars as pl

from ulframe.frames.errors import BadData, BadUsage

SCHEME = "irds:"


def is_irds(source: object) -> bool:
    """Whether this names a data set of ir_datasets.

    >>> is_irds("irds:vaswani"), is_irds("vaswani")
    (True, False)
    """
    return str(source).startswith(SCHEME)


@cache
def qrels_of(source: str) -> bytes:
    """The qrels of a data set, as the bytes of a parquet file with `query_id, doc_id, label`.

    What is not on this machine yet, ir_datasets fetches. Raises `BadUsage` where ir_datasets is not
    installed or knows no such data set, `BadData` where it has no qrels, or qrels by subtopic.
    """
    name = source.removeprefix(SCHEME)
    try:
        import ir_datasets
    except ImportError as error:
        raise BadUsage(f"{source} needs ir_datasets: pip install ir_datasets") from error
    try:
        dataset = ir_datasets.load(name)
    except KeyError as error:
        raise BadUsage(f"{source}: ir_datasets knows no {name!r}") from error
    if not dataset.has_qrels():
        raise BadData(f"{source}: this data set has no qrels; one of its parts may have some")
    if "subtopic_id" in dataset.qrels_cls()._fields:
        raise BadData(f"{source}: qrels by subtopic; choose one of them before")
    rows = [(one.query_id, one.doc_id, one.relevance) for one in dataset.qrels_iter()]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "label"], orient="row")
    written = io.BytesIO()
    frame.write_parquet(written)
    return written.getvalue()
