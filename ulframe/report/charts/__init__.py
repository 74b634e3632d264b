"""Charts that people look at: each function takes a frame and gives an Altair chart to go on with.

All have a title and axes with units or ranges, use colours that colour-blind readers tell apart,
and aggregate in Polars, so that they stay below Altair's limit of rows.
"""

from ulframe.report.charts.needs import needs_curves
from ulframe.report.charts.pairs import asl_curves, significance_map
from ulframe.report.charts.queries import expected_histogram, query_map
from ulframe.report.charts.scores import cutoff_curves, difference_plot, rank_bumps, score_bars

__all__ = [
    "asl_curves",
    "cutoff_curves",
    "difference_plot",
    "expected_histogram",
    "needs_curves",
    "query_map",
    "rank_bumps",
    "score_bars",
    "significance_map",
]
