"""What stands below the paper's tables: how many queries and pairs, and how they were counted."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.analysis.power_difference import LEVEL
from ulframe.analysis.retests import RETESTS
from ulframe.report.paper.plan import CUTOFFS
from ulframe.studies.paper.values import DIFFERENCES, Experiment


def about_means(one: Experiment) -> tuple[str, ...]:
    """Below a table of means."""
    undefined = {"zero": "undefined scores as 0", "skip": "undefined scores left out"}
    drawn = one.choices.sample_queries is not None
    queries = f"{one.queries.height:,} queries" + (" drawn at random" if drawn else "")
    notes = [f"Means over {queries}, {undefined[one.choices.undefined]}."]
    if lacking := [k for k in CUTOFFS if k not in one.cutoffs]:
        notes.append(f"No scores at k = {', '.join(map(str, lacking))}.")
    return tuple(notes)


def _sizes(there: list[Experiment]) -> str:
    said = (
        f"{one.dataset}: {one.sizes[0]:,} uninformative and "
        f"{one.sizes[1]:,} ideal of {one.queries.height:,} queries"
        for one in there
    )
    signed = there[0].choices.gap == "signed"
    reading = " Uninformative: furthest below chance." if signed else ""
    return "; ".join(said) + "." + reading


def _pairs(there: list[Experiment]) -> str:
    said = (
        f"{one.dataset}: of {len(one.runs) * (len(one.runs) - 1) // 2 * len(one.cutoffs):,}"
        for one in there
    )
    how = there[0].choices
    test = (
        f"Tests: {how.test}, paired, at {how.alpha * 100:g} %, uncorrected, all cutoffs together."
    )
    return f"{test} {'; '.join(said)}."


def _beyond(there: list[Experiment], rows: pl.DataFrame) -> list[str]:
    """How many more pairs than the plain measure the others tell apart, with intervals."""
    test = there[0].choices.test
    if test not in RETESTS:
        return [f"No intervals of the differences: {test} is not tested again on resamples."]
    wanted = rows.filter(pl.col("quantity").is_in(list(DIFFERENCES)))
    wide = wanted.pivot("quantity", index=["dataset", "measure", "query_set"], values="value")
    texts: dict[str, list[str]] = {}
    for dataset, measure, name, more, low, high in wide.iter_rows():
        texts.setdefault(f"{dataset}, {measure}", []).append(
            f"{name} {more:+.0f} ({low:.0f} to {high:.0f})"
        )
    said = [f"{about}: {', '.join(found)}." for about, found in texts.items()]
    return [
        f"More pairs with the second, and its {LEVEL * 100:g} % interval over the queries.",
        *said,
    ]


AVERAGED = "Means averaged over the cutoffs."

NOTES: dict[str, Callable[[list[Experiment], pl.DataFrame], list[str]]] = {
    "kendall_tau": lambda there, rows: [AVERAGED, _sizes(there)],
    "conflicts": lambda there, rows: [_pairs(there), _sizes(there)],
    "significant_pairs": lambda there, rows: [
        *_beyond(there, rows),
        _pairs(there),
        _sizes(there),
    ],
    "pad_percent": lambda there, rows: [
        f"{AVERAGED} Taken literally where the larger mean is not positive; beside it, how many "
        "of the pairs these are.",
        _sizes(there),
    ],
    "swap_rate": lambda there, rows: [
        f"{AVERAGED} The share of pairs of methods in opposite order."
    ],
}
"""Below the other tables, by their quantity."""
