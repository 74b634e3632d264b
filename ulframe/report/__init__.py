"""What people look at: tables, charts, one page to share, the layout of the paper's tables.

A report from Python is made as `ulframe report` makes it: find what it tells, write it to a file,
or take its tables and charts one by one. Tables (`ulframe.report.table.Table`) and charts (Altair's
own) show themselves in a notebook; a table's `markdown()`, `latex()` and `frame` go on from there.

>>> import ulframe as ul
>>> from ulframe.report.contents import tables_of
>>> from ulframe.report.findings import find
>>> from ulframe.report.write import write_report
>>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "V2(DCG@10)"])
>>> findings = find(scores, baseline="bm25")
>>> leaderboard, *others = tables_of(findings)
>>> leaderboard
**Means over the queries**
<BLANKLINE>
| run           |     nDCG@10 |  V2(DCG@10) |
|:--------------|------------:|------------:|
| cross-encoder | **0.5833**↑ | **0.3371**↑ |
...
>>> leaderboard.frame.columns
['run', 'nDCG@10', 'V2(DCG@10)']
>>> [table.title for table in others]
['Means of nDCG@10 by query set', ..., 'Queries behind the means']

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     for name in ("report.html", "tables.md", "tables.tex", "summary.csv"):
...         write_report(findings, pathlib.Path(folder) / name)
"""
