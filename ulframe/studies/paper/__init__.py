"""The tables and figures of the paper that V1 and V2 are from.

Shubhra Kanti Karmaker Santu and Dongji Feng, Joint Upper & Lower Bound Normalization for IR
Evaluation, 2022 (arXiv 2209.05007).

For any data sets: Tables 2 to 21 and Figures 1 to 3, the published values beside ours.
`ulframe.report.paper.write_book` writes them to a folder.
"""

from ulframe.studies.paper.make import make_book
from ulframe.studies.paper.published import compared, published

__all__ = ["compared", "make_book", "published"]
