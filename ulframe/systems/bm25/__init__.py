"""BM25: a keyword ranker made of postings. Documents, an index, a run; tuned, then tested once."""

from ulframe.systems.bm25.benchmark import Benchmark, scan_benchmark, scan_judgements
from ulframe.systems.bm25.index import Index, build_index, postings
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.search import search, unanswered
from ulframe.systems.bm25.store import open_index, write_index
from ulframe.systems.bm25.texts import numbered, scan_documents, scan_queries
from ulframe.systems.bm25.tokens import ENGLISH, Tokens

__all__ = [
    "BM25",
    "ENGLISH",
    "Benchmark",
    "Index",
    "Tokens",
    "build_index",
    "numbered",
    "open_index",
    "postings",
    "scan_benchmark",
    "scan_documents",
    "scan_judgements",
    "scan_queries",
    "search",
    "unanswered",
    "write_index",
]
