"""PrefLib's text of orders - `.soc`, `.soi`, `.toc`, `.toi` - as a frame of rankings."""

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.packings import split_packing
from ulframe.studies.experts.columns import CONTEST, ITEM, POSITION, RANKING

ENDINGS = (".soc", ".soi", ".toc", ".toi")

HOLDS = {
    ".soc": {".soc"},
    ".soi": {".soi", ".soc"},
    ".toc": {".toc", ".soc"},
    ".toi": {".toi", ".toc", ".soi", ".soc"},
}
"""Whose orders a file of a kind may hold: (s)trict or with (t)ies, (c)omplete or (i)ncomplete."""

GROUP = r"(?:\d+|\{\s*\d+(?:\s*,\s*\d+)*\s*\})"
ORDER = rf"^\s*\d+\s*:\s*{GROUP}(?:\s*,\s*{GROUP})*\s*$"
DECLARED = r"^\s*#\s*NUMBER ALTERNATIVES\s*:\s*(\d+)\s*$"
VOTERS = 1_000_000  # that a file may have: each becomes rows
NAME = r"^\s*#\s*ALTERNATIVE NAME\s+(\d+)\s*:\s*(.*?)\s*$"


def is_preflib(name: str) -> bool:
    """Whether a file's name ends as PrefLib's orders do, packed or not.

    >>> is_preflib("00006-00000001.toc"), is_preflib("runs.csv")
    (True, False)
    """
    return stem(name) != name


def stem(name: str) -> str:
    """The name without such an ending.

    >>> stem("skate/00006-00000001.toc.gz")
    'skate/00006-00000001'
    """
    bare, _ = split_packing(name)
    return next((bare.removesuffix(e) for e in ENDINGS if bare.lower().endswith(e)), name)


def ending_of(name: str) -> str:
    """The ending, as `ENDINGS` has it.

    >>> ending_of("skate/00006-00000001.TOC.gz")
    '.toc'
    """
    return split_packing(name)[0][-len(ENDINGS[0]) :].lower()


def read_preflib(source: Path | bytes, *, contest: str, where: str) -> pl.LazyFrame:
    r"""Read the orders of one file: `contest, ranking, item: String, position: Float64`.

    A line `2: 3,{1,2}` is two voters who rank alternative 3 first and tie the others; voters are
    numbered from 1 in the file's order. `item` is the alternative's name where the file names all
    of them apart, else its number. `position` is 1 + how many stand above. Files from before 2022,
    whose orders are lines `2,3,{1,2}`, are read too.

    Raises `BadData` with file and line for a line that is no such order, and with the file for more
    than a million voters, or more alternatives than it declares.

    >>> text = b"# ALTERNATIVE NAME 1: Ada\n# ALTERNATIVE NAME 2: Bo\n1: {2,1}\n1: 2,1\n"
    >>> read_preflib(text, contest="c", where="-").select("ranking", "item", "position").collect()
    shape: (4, 3)
    ┌─────────┬──────┬──────────┐
    │ ranking ┆ item ┆ position │
    │ ---     ┆ ---  ┆ ---      │
    │ str     ┆ str  ┆ f64      │
    ╞═════════╪══════╪══════════╡
    │ 1       ┆ Bo   ┆ 1.0      │
    │ 1       ┆ Ada  ┆ 1.0      │
    │ 2       ┆ Bo   ┆ 1.0      │
    │ 2       ┆ Ada  ┆ 2.0      │
    └─────────┴──────┴──────────┘
    """
    try:
        lines = pl.scan_lines(source, row_index_name="number", glob=False).collect()
    except pl.exceptions.PolarsError as error:
        raise BadData(f"{where}: not UTF-8 text ({error})") from error
    lines = _as_since_2022(lines)
    line = pl.col("line")
    orders = lines.filter(~line.str.contains(r"^\s*(?:#|$)"))
    bad = orders.filter(~line.str.contains(ORDER))
    if bad.height:
        number, text = bad.row(0)
        raise BadData(
            f"{where}, line {number + 1}: {text!r} is no order; one looks like `3: 5,{{1,2}},4`, "
            "for 3 voters with 5 first and 1 and 2 tied"
        )
    if not orders.height:
        raise BadData(f"{where}: no order in it, only comments")
    _refuse_numbers(orders, lines, where)
    return _placed(_voters(orders), _names(lines), contest)


def _as_since_2022(lines: pl.DataFrame) -> pl.DataFrame:
    """The lines as PrefLib writes them today, each under its number.

    Before, a file began with the number of alternatives, a line for each, `1,Ada`, and one of three
    counts; then came the orders, `2,3,{1,2}`.
    """
    text = pl.col("line").str.strip_chars("\ufeff \t\r")
    told = lines.with_columns(text).filter(pl.col("line") != "").with_row_index("at")
    first = told["line"].first()
    if first is None or not str(first).isdigit():
        return lines
    at, parts, n = pl.col("at"), pl.col("line").str.splitn(",", 2).struct, int(str(first))
    left, right = parts.field("field_0"), parts.field("field_1")
    named = pl.format("# ALTERNATIVE NAME {}: {}", left, right)
    return told.select(
        "number",
        line=pl.when(at == 0)
        .then(pl.format("# NUMBER ALTERNATIVES: {}", "line"))
        .when(at <= n)
        .then(pl.coalesce(named, "line"))
        .when(at == n + 1)
        .then(pl.format("# counts: {}", "line"))
        .otherwise(pl.coalesce(pl.format("{}: {}", left, right), "line")),
    )


def _refuse_numbers(orders: pl.DataFrame, lines: pl.DataFrame, where: str) -> None:
    """Raise `BadData` for more voters than can be, or more alternatives than the file declares."""
    text = pl.col("line")
    found = orders.select(
        voters=text.str.extract(r"^\s*(\d+)").cast(pl.Float64).sum(),
        ranked=text.str.replace(r"^[^:]*:", "").str.extract_all(r"\d+").explode().n_unique(),
    )
    voters, ranked = found.row(0)
    if voters > VOTERS:
        raise BadData(f"{where}: {voters:.0f} voters, of whom a file may have {VOTERS}")
    declared = lines.select(text.str.extract(DECLARED).cast(pl.Float64).min()).item()
    if declared is not None and ranked > declared:
        raise BadData(
            f"{where}: it ranks {ranked} alternatives, but declares {declared:.0f} "
            "(# NUMBER ALTERNATIVES)"
        )


def _names(lines: pl.DataFrame) -> pl.DataFrame:
    """`alternative, name`, or no row where two alternatives share a name."""
    found = lines.select(
        alternative=pl.col("line").str.extract(NAME, 1), name=pl.col("line").str.extract(NAME, 2)
    ).drop_nulls()
    return found.clear() if found["name"].is_duplicated().any() else found


def _voters(orders: pl.DataFrame) -> pl.DataFrame:
    """`ranking, groups`, a row per voter; numbers as wide as the last one, so that they sort."""
    line = pl.col("line")
    voters = (
        orders.select(
            times=pl.int_ranges(line.str.extract(r"^\s*(\d+)").cast(pl.Int64)),
            groups=line.str.replace(r"^[^:]*:", "").str.extract_all(GROUP),
        )
        .explode("times")
        .drop_nulls("times")
    )
    number = pl.int_range(1, pl.len() + 1).cast(pl.String)
    return voters.select(number.str.zfill(len(str(voters.height))).alias(RANKING), "groups")


def _placed(voters: pl.DataFrame, names: pl.DataFrame, contest: str) -> pl.LazyFrame:
    groups = voters.explode("groups").with_columns(
        alternative=pl.col("groups").str.extract_all(r"\d+")
    )
    size = pl.col("alternative").list.len().cast(pl.Float64)
    return (
        groups.with_columns((size.cum_sum().over(RANKING) - size + 1).alias(POSITION))
        .explode("alternative")
        .join(names, on="alternative", how="left", maintain_order="left")
        .select(
            pl.lit(contest).alias(CONTEST),
            RANKING,
            pl.coalesce("name", "alternative").alias(ITEM),
            POSITION,
        )
        .lazy()
    )
