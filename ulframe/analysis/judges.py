"""How far two judges agree on labels: kappas and alphas, of the documents that both judged."""

from __future__ import annotations

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike
from ulframe.frames.repeats import refuse_repeats
from ulframe.frames.sources import scan_qrels

A, B, COUNT = pl.col("label_a"), pl.col("label_b"), pl.col("count")

APART = {
    "nominal": (A != B).cast(pl.Float64),
    "linear": (A - B).abs(),
    "quadratic": (A - B) ** 2,
    "ordinal": (pl.col("below_b") - pl.col("below_a")) ** 2,
}
"""How far two labels are apart; `below` is how many labels stand below one, half of its own among
them."""

KAPPAS = {"kappa": "nominal", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
ALPHAS = {"alpha_nominal": "nominal", "alpha_ordinal": "ordinal", "alpha_interval": "quadratic"}


def confusion(qrels_a: FramesLike, qrels_b: FramesLike) -> pl.DataFrame:
    """How often the one gave which label where the other gave which: `label_a, label_b, count`.

    In: qrels of two judges. Of documents that both judged, in the order of labels. Raises `BadData`
    for a document judged twice by one, and where there is none that both judged.

    >>> confusion({"q": {"x": 1, "y": 0, "z": 0}}, {"q": {"x": 1, "y": 1}}).rows()
    [(0.0, 1.0, 1), (1.0, 1.0, 1)]
    """
    a, b = (_labels(qrels, name) for qrels, name in ((qrels_a, "label_a"), (qrels_b, "label_b")))
    both = a.join(b, on=[QUERY, DOC])
    if both.is_empty():
        raise BadData(
            f"no document is judged in both: {a.height} in the one, {b.height} in the other; are "
            "their ids written alike?"
        )
    pairs = both.group_by("label_a", "label_b").agg(count=pl.len().cast(pl.Int64))
    return pairs.sort("label_a", "label_b")


def label_agreement(pairs: pl.DataFrame) -> pl.DataFrame:
    """Agreement of two judges beyond chance: one row.

    In: what `confusion` gives. Out: `documents: Int64`; `agreement`, the share of equal labels;
    Cohen's `kappa`, also with linear and quadratic weights, by which labels that are near count as
    near (Cohen 1960, 1968); Krippendorff's alpha, nominal, ordinal and interval (Krippendorff
    2011). 1 is full agreement, 0 that of chance: of each judge's own share of labels for kappa, of
    both together for alpha. Null where all labels are the same, and nothing can be said.

    >>> pairs = confusion({"q": {"x": 1, "y": 0}}, {"q": {"x": 1, "y": 1}})
    >>> label_agreement(pairs).select("documents", "agreement", "kappa").rows()
    [(2, 0.5, 0.0)]
    """
    total = int(pairs["count"].sum())
    of_a, of_b = (_shares(pairs, name) for name in ("label_a", "label_b"))
    independent = of_a.join(of_b, how="cross").with_columns(
        count=pl.col("count_a") * pl.col("count_b") / total
    )
    kappas = {
        name: _beyond(pairs, independent, APART[apart], 1.0) for name, apart in KAPPAS.items()
    }
    turned = pairs.select(label_a="label_b", label_b="label_a", count="count")
    values = pl.concat([pairs, turned])
    of_all = _with_below(_shares(values, "label_a"))
    pooled = of_all.join(
        of_all.rename({name: name.replace("_a", "_b") for name in of_all.columns}), how="cross"
    ).with_columns(count=pl.col("count_a") * pl.col("count_b") / (2 * total))
    observed = values.join(
        pooled.select("label_a", "label_b", "below_a", "below_b"), on=["label_a", "label_b"]
    )
    # of 2n values each is paired with the 2n - 1 others
    correction = (2 * total - 1) / (2 * total)
    alphas = {
        name: _beyond(observed, pooled, APART[apart], correction) for name, apart in ALPHAS.items()
    }
    agreement = pairs.select(COUNT.filter(A == B).sum() / total).item()
    return pl.DataFrame(
        {"documents": [total], "agreement": [agreement], **kappas, **alphas},
        schema={
            "documents": pl.Int64,
            **dict.fromkeys(["agreement", *KAPPAS, *ALPHAS], pl.Float64),
        },
    )


def _beyond(
    observed: pl.DataFrame, by_chance: pl.DataFrame, apart: pl.Expr, correction: float
) -> list[float | None]:
    """1 less what was observed to be apart over what chance puts apart."""
    found, expected = (
        frame.select((apart * COUNT).sum()).item() for frame in (observed, by_chance)
    )
    return [1 - correction * found / expected if expected else None]


def _shares(pairs: pl.DataFrame, name: str) -> pl.DataFrame:
    """How often a judge gave each label: `label_x, count_x`."""
    count = COUNT.sum().alias(name.replace("label", "count"))
    return pairs.group_by(name).agg(count).sort(name)


def _with_below(labels: pl.DataFrame) -> pl.DataFrame:
    count = pl.col("count_a")
    return labels.with_columns(below_a=count.cum_sum() - count / 2)


def _labels(qrels: FramesLike, name: str) -> pl.DataFrame:
    judged = scan_qrels(qrels)
    refuse_repeats(judged)
    return judged.select(QUERY, DOC, pl.col(LABEL).cast(pl.Float64).alias(name)).collect()
