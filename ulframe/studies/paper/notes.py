"""What stands below the paper's tables: how many queries and pairs, and how they were counted."""

from __future__ import annotations

from collections.abc import Callable

from ulframe.report.paper.plan import CUTOFFS
from ulframe.studies.paper.values import Experiment


def about_means(one: Experiment) -> tuple[str, ...]:
    """Below a table of means."""
    notes = [f"Means over {one.queries.height:,} queries, undefined scores as 0."]
    if lacking := [k for k in CUTOFFS if k not in one.cutoffs]:
        notes.append(f"No scores at k = {', '.join(map(str, lacking))}.")
    return tuple(notes)


def _sizes(there: list[Experiment]) -> str:
    said = (
        f"{one.dataset}: {one.sizes[0]:,} uninformative and "
        f"{one.sizes[1]:,} ideal of {one.queries.height:,} queries"
        for one in there
    )
    return "; ".join(said) + "."


def _pairs(there: list[Experiment]) -> str:
    said = (
        f"{one.dataset}: of {len(one.runs) * (len(one.runs) - 1) // 2 * len(one.cutoffs):,}"
        for one in there
    )
    return f"Paired t-tests at 5 %, uncorrected, all cutoffs together. {'; '.join(said)}."


AVERAGED = "Means averaged over the cutoffs."

NOTES: dict[str, Callable[[list[Experiment]], list[str]]] = {
    "kendall_tau": lambda there: [AVERAGED, _sizes(there)],
    "conflicts": lambda there: [_pairs(there), _sizes(there)],
    "significant_pairs": lambda there: [_pairs(there), _sizes(there)],
    "pad_percent": lambda there: [
        f"{AVERAGED} Taken literally where the larger mean is negative.",
        _sizes(there),
    ],
    "swap_rate": lambda there: [f"{AVERAGED} The share of pairs of methods in opposite order."],
}
"""Below the other tables, by their quantity."""
