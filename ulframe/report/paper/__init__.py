"""How the tables of the paper are laid out.

The paper: Karmaker Santu and Feng 2022, Joint Upper & Lower Bound Normalization for IR Evaluation.

Their numbers, families and shapes, and the folder of files that they fill; `ulframe.studies.paper`
works out what stands in them.
"""

from ulframe.report.paper.book import Book, Missing
from ulframe.report.paper.write import write_book

__all__ = ["Book", "Missing", "write_book"]
