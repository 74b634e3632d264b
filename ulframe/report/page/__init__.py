"""One HTML file to share: leaderboard, query-type map, tables, pairs, how the numbers were made."""

from ulframe.report.page.build import TITLE, page

__all__ = ["TITLE", "page"]
