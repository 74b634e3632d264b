"""The tables and figures of "Joint Upper & Lower Bound Normalization for IR Evaluation".

For any data sets: Tables 2 to 21 and Figures 1 to 3, the published values beside ours.
"""

from ulframe.report.paper.book import Book, Missing, make_book
from ulframe.report.paper.write import write_book

__all__ = ["Book", "Missing", "make_book", "write_book"]
