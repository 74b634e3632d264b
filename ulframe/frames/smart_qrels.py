"""The qrels of SMART's test collections: `query document 0 0`, all relevant."""

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.fields import scan_fields
from ulframe.frames.files import File
from ulframe.frames.first_lines import BLANKS
from ulframe.frames.remarks import remark


def scan_smart_qrels(file: File) -> pl.LazyFrame:
    r"""Read `query_id, doc_id: String, label: Int32`, 1 throughout; numbers without leading zeros.

    Remarks that the second field is taken as the document. Collecting raises `BadData` where the
    last two fields are not 0.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     scan_smart_qrels(File(b"01 28 0 0.0\n01 35 0 0.0\n", "-")).collect().rows()
    [('1', '28', 1), ('1', '35', 1)]
    """
    padded = any(word[0] == "0" != word for words in file.head.words for word in words[:2])
    zeros = ", 01 as 1" if padded else ""
    remark(
        f"{file.where}: taken as SMART's qrels, `query document 0 0`: the second field is the "
        f"document, all are relevant{zeros}"
    )
    fields = scan_fields(file, BLANKS, 4).map_batches(
        lambda batch: _ending_in_0(batch, file.where), streamable=True, projection_pushdown=False
    )
    number = pl.col("1", "2").str.replace(r"^0+(\d)", "${1}")
    rows = fields.select(number).unique(maintain_order=True)
    return rows.select(query_id="1", doc_id="2", label=pl.lit(1, pl.Int32))


def _ending_in_0(batch: pl.DataFrame, where: str) -> pl.DataFrame:
    not_0 = pl.col("3", "4").cast(pl.Float64, strict=False).ne_missing(0)
    other = batch.filter(pl.any_horizontal(not_0))
    if other.height:
        query, document, *rest = other.row(0)
        raise BadData(
            f"{where}: as SMART's qrels, `query document 0 0`, but query {query!r}, document "
            f"{document!r} has {' '.join(rest)}. Say what the fields are: `--columns 1=query_id "
            "2=doc_id 4=label`"
        )
    return batch
