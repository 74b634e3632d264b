"""The bundled sample: 200 queries, 8 systems, labels 0 to 4; made by `data/make_sample.py`."""

from pathlib import Path

import polars as pl

from ulframe.frames.sources import scan_qrels, scan_runs


def sample_qrels() -> pl.LazyFrame:
    """The sample's judgements: `query_id, doc_id, label`.

    >>> sample_qrels().select(pl.col("query_id").n_unique()).collect().item()
    200
    """
    return scan_qrels(_folder() / "qrels.parquet")


def sample_runs() -> pl.LazyFrame:
    """The sample's runs: `run, query_id, doc_id, score`.

    >>> sample_runs().select(pl.col("run").n_unique()).collect().item()
    8
    """
    return scan_runs(_folder() / "runs.parquet")


def _folder() -> Path:
    """In the installed package, or, in a checkout, where its script writes it."""
    package = Path(__file__).parents[1]
    installed = package / "sample"
    return installed if installed.is_dir() else package.parent / "data" / "sample"
