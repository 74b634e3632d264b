"""Draw the report guide's pictures, from the bundled sample, into `data/pictures`.

Run as `python data/make_pictures.py`; it needs the package with its extra `pictures`.
"""

from pathlib import Path

from altair.typing import ChartType

import ulframe as ul
from ulframe.analysis import real_and_expected
from ulframe.report import charts
from ulframe.report.pictures import save_chart

FOLDER = Path(__file__).parent / "pictures"


def make_pictures() -> dict[str, ChartType]:
    """The charts by the names of their files."""
    measures = ["nDCG@10", "V2(DCG@10)"]
    scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), measures).collect()
    queries = real_and_expected(scores.filter(measure="nDCG@10"))
    summary = ul.summarise(scores).collect()
    return {
        "query_types.svg": charts.query_map(queries, "nDCG@10"),
        "ranks.svg": charts.rank_bumps(summary, *measures),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, chart in make_pictures().items():
        save_chart(chart, FOLDER / name)
