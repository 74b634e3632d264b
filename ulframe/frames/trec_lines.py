"""TREC text read line by line: what a line of qrels and of a run holds, and how any is read.

Clean lines are split at one blank (or one tab); the few odd ones - tabs among blanks, runs of
blanks, blank lines, comments, a byte order mark - are mended batch by batch, at no cost to the
rest. As in trec_eval, what follows a run's sixth field is ignored, what follows a judgement's
fourth is an error, and a line whose first character that is not blank is `#` is a comment.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData, cut
from ulframe.frames.files import File
from ulframe.frames.first_lines import FirstLines
from ulframe.frames.packings import BOM, head

# A plan that is collected inside a batch can block the streaming engine for good: batches are
# mended eagerly, with the same expressions that the plan has.
Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

BLANKS = " \t\r\v\f"  # any of which may part fields
LINE, ROW, ODD = pl.col("line"), pl.col("row"), pl.col("odd")


@dataclass(frozen=True)
class Layout:
    """What a line holds: the fields that must be there, and of these what is kept."""

    fields: tuple[str, ...]
    number: str
    unusable: pl.Expr = field(compare=False)  # whether the number is one that nothing can use
    keep: tuple[str, ...]
    surplus: tuple[str, ...]  # a further field, where a further field is an error
    says: str
    other: str  # what a line of the other kind holds, and what to do where it is given
    swapped: str

    @property
    def columns(self) -> tuple[str, ...]:
        """What the parts of a line are called; those beyond are ignored."""
        return (*self.fields, *self.surplus)


RUN_LINE = Layout(
    fields=(QUERY, "iter", DOC, "rank", SCORE, RUN),
    number=SCORE,
    unusable=pl.col(SCORE).is_nan(),
    keep=(RUN, QUERY, DOC, SCORE),
    surplus=(),
    says="a run's line is `query Q0 document rank score tag`",
    other="query 0 document label",
    swapped="Qrels in the place of a run? QRELS come first, then the runs",
)
QRELS_LINE = Layout(
    fields=(QUERY, "iter", DOC, LABEL),
    number=LABEL,
    unusable=~pl.col(LABEL).is_finite(),
    keep=(QUERY, DOC, LABEL),
    surplus=("surplus",),
    says="a qrels line is `query 0 document label`",
    other="query Q0 document rank score tag",
    swapped="A run in the place of qrels? QRELS come first, then the runs",
)


def most_common_mark(lines: FirstLines) -> str:
    """What parts the fields of most lines: a blank or a tab."""
    tabbed = sum("\t" in line.strip() and " " not in line.strip() for line in lines.lines)
    return "\t" if 2 * tabbed > len(lines.lines) else " "


def refuse_width(file: File, layout: Layout) -> None:
    """Raise `BadData` where the first lines are those of the other kind: qrels or a run."""
    line, width = file.head.first, len(file.head.words[0])
    if file.head.widths == {width} and width == len(layout.other.split()):
        said = complaint(line, file.head.numbers[0] - 1, layout, file.where)
        raise BadData(f"{said}. {layout.swapped}")


def scan_lines(source: Path | bytes, layout: Layout, *, between: str, where: str) -> pl.LazyFrame:
    r"""Read TREC text line by line: what `scan_trec` gives, from any text and any packing.

    >>> text = b"q1 0 d1 2\n# a comment\nq1\t0  d2 0.5"
    >>> scan_lines(text, QRELS_LINE, between=" ", where="-").collect().rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 0.5)]
    """
    odd = _odd(layout, between)
    if next(head(source), "").startswith(BOM):
        odd |= ROW == 0
    return _read(_lines(source), odd, layout, between, where)


def scan_tags(source: Path | bytes, *, between: str, where: str, tag: str) -> pl.LazyFrame:
    r"""Find the tags in a run's text: one column, `run`. Quick where most lines end in `tag`.

    >>> text = b"q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 9.1 bm25\nq1 Q0 d1 1 0.3 dl"
    >>> sorted(scan_tags(text, between=" ", where="-", tag="bm25").collect()["run"])
    ['bm25', 'dl']
    """
    others = _lines(source).filter(~LINE.str.ends_with(between + tag))
    odd = _odd(RUN_LINE, between) | (ROW == 0)  # which may begin with a byte order mark
    found = _read(others, odd, RUN_LINE, between, where).select(RUN)
    return pl.concat([pl.LazyFrame({RUN: [tag]}), found]).unique()


def _lines(source: Path | bytes) -> pl.LazyFrame:
    return pl.scan_lines(source, row_index_name="row", glob=False)


def _read(
    lines: pl.LazyFrame, odd: pl.Expr, layout: Layout, between: str, where: str
) -> pl.LazyFrame:
    split = lines.pipe(_split, layout, between).select("row", "line", *layout.keep, odd=odd)
    # Every batch passes through Python, so a clean one must pass untouched.
    mended = split.map_batches(
        _mender(layout, where),
        projection_pushdown=False,
        streamable=True,
        schema=split.collect_schema(),
    )
    return mended.select(layout.keep)


def _split(lines: Frame, layout: Layout, between: str) -> Frame:
    """Lay the parts of each line out as columns; parts beyond the last one are dropped."""
    names = layout.columns
    parts = LINE.str.split_exact(between, len(names) - 1).struct.rename_fields(names)
    return (
        lines.with_columns(parts.alias("parts"))
        .unnest("parts")
        .with_columns(pl.col(layout.number).cast(pl.Float64, strict=False))
    )


def _unread(layout: Layout) -> pl.Expr:
    """A field is missing, or empty, or one too many, or the number is not a number."""
    text = [name for name in layout.fields if name != layout.number]
    return pl.any_horizontal(
        pl.col(*text).is_null(),
        pl.col(*text) == "",
        pl.col(layout.number).is_null(),
        layout.unusable,
        *(pl.col(name).is_not_null() for name in layout.surplus),
    )


def _odd(layout: Layout, between: str) -> pl.Expr:
    others = BLANKS.replace(between, "")
    return _unread(layout) | LINE.str.contains(f"[{others}]") | pl.col(QUERY).str.starts_with("#")


def _mender(layout: Layout, where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def mend(batch: pl.DataFrame) -> pl.DataFrame:
        if not batch["odd"].any():
            return batch
        mended = _reread(batch.filter(ODD).select("row", "line"), layout, where)
        return pl.concat([batch.filter(~ODD), mended]).sort("row")

    return mend


def _reread(odd: pl.DataFrame, layout: Layout, where: str) -> pl.DataFrame:
    """Split odd lines at any run of blanks and tabs; drop blank lines and comments."""
    unmarked = pl.when(ROW == 0).then(LINE.str.strip_prefix(BOM)).otherwise(LINE)
    tidied = unmarked.str.replace_all(f"[{BLANKS}]+", " ").str.strip_chars(" ")
    content = (LINE != "") & ~LINE.str.starts_with("#")
    tidy = odd.with_columns(raw=LINE, line=tidied).filter(content)
    read = _split(tidy, layout, " ").with_columns(odd=_unread(layout))
    if read["odd"].any():
        first = read.filter("odd").row(0, named=True)
        raise BadData(complaint(first["raw"], first["row"], layout, where))
    return read.select("row", "line", *layout.keep, "odd")


def complaint(line: str, row: int, layout: Layout, where: str) -> str:
    """What is wrong with a line that cannot be read; `row` counts the lines before it."""
    count = len(line.split())
    expected = len(layout.fields)
    wrong = (
        f"has {count} field{'s' * (count != 1)}, not {expected}"
        if count < expected or (layout.surplus and count > expected)
        else f"has no number as its {layout.number}"
    )
    return f"{where}, line {row + 1}: {cut(line, 80)!r} {wrong}; {layout.says}"
