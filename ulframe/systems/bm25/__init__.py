"""BM25: a keyword ranker made of postings. Documents, an index, a run; tuned, then tested once."""

from ulframe.systems.bm25.benchmark import Benchmark, scan_benchmark
from ulframe.systems.bm25.features import FEATURES, features, write_letor
from ulframe.systems.bm25.heatmap import heatmap
from ulframe.systems.bm25.index import Index, build_index, postings
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.search import search, unanswered
from ulframe.systems.bm25.sets import query_set
from ulframe.systems.bm25.store import open_index, write_index
from ulframe.systems.bm25.texts import numbered, scan_documents, scan_queries
from ulframe.systems.bm25.tokens import ENGLISH, Tokens
from ulframe.systems.bm25.tuning import Tuned, grid, training_curve, tune

__all__ = [
    "BM25",
    "ENGLISH",
    "FEATURES",
    "Benchmark",
    "Index",
    "Tokens",
    "Tuned",
    "build_index",
    "features",
    "grid",
    "heatmap",
    "numbered",
    "open_index",
    "postings",
    "query_set",
    "scan_benchmark",
    "scan_documents",
    "scan_queries",
    "search",
    "training_curve",
    "tune",
    "unanswered",
    "write_index",
    "write_letor",
]
