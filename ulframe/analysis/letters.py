"""Groups of runs that do not differ: a letter for each, as tables of means print them."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import polars as pl

from ulframe.frames.intake import FramesLike, as_lazy

LETTERS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure", "run"], pl.String),
    "mean": pl.Float64,
    "letters": pl.String,
}


def letters(pairs: FramesLike) -> pl.LazyFrame:
    """The groups of runs among which no pair differs significantly, each with a letter.

    In: a frame of pairs, of all pairs of runs. Out, best first: `set, measure, run: String, mean:
    Float64, letters: String`. Two runs share a letter exactly if they do not differ significantly,
    or could not be tested; `a` is a group of the best run. `letters` is null where there are more
    groups than letters. As in a compact letter display (Piepho 2004, doi:10.1198/1061860043515).

    >>> import ulframe as ul
    >>> from ulframe.analysis import compare
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), "nDCG@10")
    >>> letters(compare(scores)).collect().height
    8
    """

    def found(frame: pl.DataFrame) -> pl.DataFrame:
        families = frame.group_by("set", "measure", maintain_order=True)
        return pl.concat([pl.DataFrame(schema=LETTERS), *(_lettered(part) for _, part in families)])

    return as_lazy(pairs, "p_value").map_batches(found, schema=LETTERS)


def _lettered(pairs: pl.DataFrame) -> pl.DataFrame:
    """The letters of one family."""
    ends = [pairs.select("set", "measure", run=f"run_{x}", mean=f"mean_{x}") for x in "ab"]
    runs = (
        pl.concat(ends).unique("run").sort("mean", "run", descending=[True, False], nulls_last=True)
    )
    place = {run: at for at, run in enumerate(runs["run"])}
    differ = [
        (place[a], place[b])
        for a, b in pairs.filter("significant").select("run_a", "run_b").iter_rows()
    ]
    groups = _groups(runs.height, sorted(differ))
    words = [
        "".join(letter for letter, group in zip(ascii_letters, groups, strict=False) if at in group)
        for at in range(runs.height)
    ]
    return runs.with_columns(letters=pl.Series([word or None for word in words], dtype=pl.String))


def _groups(n: int, differ: Sequence[tuple[int, int]]) -> list[set[int]]:
    """The largest sets of 0..n-1 that hold no pair of `differ`; none if there are too many.

    Each pair parts every group that holds both into two, each without one of them; a part that is
    inside another group goes.
    """
    groups = [{*range(n)}]
    for a, b in differ:
        whole = [group for group in groups if not {a, b} <= group]
        for group in groups:
            parts = [group - {one} for one in (a, b)] if {a, b} <= group else []
            whole += [part for part in parts if not any(part <= other for other in whole)]
        groups = whole
        if len(groups) > len(ascii_letters):
            return []
    return sorted(groups, key=sorted)
