"""Times BM25 against bm25s; `python tests/bench/bm25.py` prints ratios.

200,000 generated documents (terms by Zipf's law, 60 tokens in the mean) are indexed, and 1,000
queries of 2 to 5 words searched, 1,000 documents deep, by each system in a process of its own, with
the same parameters. Rounds go through both in turn; ratios are medians over the rounds, peaks are
resident memory as the kernel counts it, of the whole process from its start. Times begin with the
texts in memory and end with the results; neither includes imports or reading the input.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

DOCUMENTS, MEAN, VOCABULARY, QUERIES = 200_000, 60, 100_000, 1_000
K, B, DEPTH = 1.75, 0.75, 1_000
LIMITS = {"index": 3, "search": 3, "peak": 1}


def make(folder: Path) -> None:
    """Write documents.parquet and queries.parquet; a query's words stand together in a document."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    odds = 1 / np.arange(1, VOCABULARY + 1)
    lengths = rng.poisson(MEAN, DOCUMENTS)
    terms = np.searchsorted(np.cumsum(odds / odds.sum()), rng.random(lengths.sum()))
    words = np.array([f"w{number:x}" for number in range(VOCABULARY + 1)], dtype=object)[terms]
    documents = np.split(words, np.cumsum(lengths)[:-1])
    asked = [
        rng.choice(documents[number], rng.integers(2, 6))
        for number in rng.integers(0, DOCUMENTS, QUERIES)
    ]
    for name, key, texts in (("documents", "doc_id", documents), ("queries", "query_id", asked)):
        rows = {key: [f"{key[0]}{i}" for i in range(len(texts))], "text": map(" ".join, texts)}
        pl.DataFrame({key: rows[key], "text": list(rows["text"])}).write_parquet(
            folder / f"{name}.parquet"
        )


def with_ulframe(folder: Path) -> tuple[float, float]:
    """Seconds to index and to search."""
    import polars as pl

    from ulframe.systems import bm25

    documents = pl.read_parquet(folder / "documents.parquet")
    queries = pl.read_parquet(folder / "queries.parquet")
    start = time.perf_counter()
    index = bm25.build_index(documents)
    indexed = time.perf_counter()
    run = bm25.search(index, queries, bm25.BM25(k=K, b=B), depth=DEPTH).collect()
    searched = time.perf_counter()
    assert run["query_id"].n_unique() == QUERIES
    return indexed - start, searched - indexed


def with_bm25s(folder: Path) -> tuple[float, float]:
    """Seconds to index (splitting texts included) and to search, with its defaults otherwise."""
    import bm25s
    import polars as pl

    documents = pl.read_parquet(folder / "documents.parquet")["text"].to_list()
    queries = pl.read_parquet(folder / "queries.parquet")["text"].to_list()
    start = time.perf_counter()
    tokens = bm25s.tokenize(documents, stopwords=None, show_progress=False)
    retriever = bm25s.BM25(method="atire", k1=K, b=B)
    retriever.index(tokens, show_progress=False)
    indexed = time.perf_counter()
    asked = bm25s.tokenize(queries, stopwords=None, show_progress=False)
    found, _ = retriever.retrieve(asked, k=DEPTH, show_progress=False)
    searched = time.perf_counter()
    assert len(found) == QUERIES
    return indexed - start, searched - indexed


SYSTEMS = {"ulframe": with_ulframe, "bm25s": with_bm25s}


def measure(system: str, folder: Path) -> dict[str, float]:
    """Run one system in a process of its own: seconds, and peak MiB."""
    command = [sys.executable, __file__, "--system", system, "--data", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def report_one(system: str, folder: Path) -> None:
    """What the process of one system prints."""
    index, search = SYSTEMS[system](folder)
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = kib / (1024 * 1024 if sys.platform == "darwin" else 1024)
    print(json.dumps({"index": index, "search": search, "peak": peak}))


def report(folder: Path, rounds: int) -> None:
    """Measure in turn and print figures and ratios."""
    found: dict[str, list[dict[str, float]]] = {system: [] for system in SYSTEMS}
    for number in range(rounds):
        for system, done in found.items():
            print(f"round {number + 1} of {rounds}: {system}", file=sys.stderr)
            done.append(measure(system, folder))
    print(f"{'system':10}{'index s':>10}{'search s':>10}{'peak MiB':>10}")
    for system, done in found.items():
        print(f"{system:10}", *(f"{median(one[what] for one in done):9.2f}" for what in LIMITS))
    print()
    for what, limit in LIMITS.items():
        pairs = zip(found["ulframe"], found["bm25s"], strict=True)
        ratio = median(ours[what] / theirs[what] for ours, theirs in pairs)
        verdict = "holds" if ratio <= limit else "MISSED"
        print(f"{ratio:6.2f}x of bm25s: {what:8} at most {limit}x  {verdict}")


def main() -> None:
    """Make the collection, measure both systems, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds (default 3)")
    parser.add_argument("--system", choices=SYSTEMS, help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.system:
        report_one(options.system, options.data)
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        report(Path(folder), options.rounds)


if __name__ == "__main__":
    main()
