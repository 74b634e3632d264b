"""How the tables of "Joint Upper & Lower Bound Normalization for IR Evaluation" are laid out.

Their numbers, families and shapes, and the folder of files that they fill; `ulframe.studies.paper`
works out what stands in them.
"""

from ulframe.report.paper.book import Book, Missing
from ulframe.report.paper.write import write_book

__all__ = ["Book", "Missing", "write_book"]
