"""Makes the sample: python data/make_sample.py writes data/sample/qrels.parquet and runs.parquet.

An invented search engine with 200 queries and 8 systems. Each query is of a kind: what share of
its documents has which label, and how well the text of a document shows its label (`signal`: 0 is
no better than chance, below 0 the wrong documents look right). Each system sees that signal through
noise of its own. The seed is fixed, so the same files come out every time.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

SEED = 1
DEPTH = 30  # documents a system returns for a query
DOCS = 3_000  # the collection, d0001 to d3000
UNJUDGED = 4  # candidates of each query that nobody judged


@dataclass(frozen=True)
class Kind:
    """A kind of query: how many there are, the shares of labels 0 to 4, and the signal."""

    queries: int
    shares: tuple[float, float, float, float, float]
    signal: float


KINDS = {
    "ordinary": Kind(80, (0.55, 0.20, 0.13, 0.08, 0.04), 0.7),
    "ideal": Kind(25, (0.86, 0.06, 0.03, 0.02, 0.03), 3.0),  # few good documents, all found
    "easy": Kind(30, (0.02, 0.06, 0.17, 0.35, 0.40), 1.0),  # nearly everything is good
    "hard": Kind(30, (0.95, 0.05, 0.00, 0.00, 0.00), 0.2),  # little to find, and well hidden
    "uninformative": Kind(20, (0.35, 0.25, 0.20, 0.15, 0.05), 0.0),  # like a random ranking
    "distractive": Kind(10, (0.50, 0.15, 0.15, 0.10, 0.10), -0.9),  # worse than a random ranking
    "empty": Kind(5, (1.00, 0.00, 0.00, 0.00, 0.00), 1.0),  # nothing relevant
}


@dataclass(frozen=True)
class System:
    """A system: how much noise of its own it adds to the signal, and what its scores look like.

    `lean` gives it less noise on queries whose documents are mostly good (above 0) or mostly bad
    (below 0): two systems can so be alike in mean nDCG and differ once chance is accounted for.
    """

    noise: float
    lean: float
    centre: float
    spread: float
    decimals: int


SYSTEMS = {
    "bm25": System(1.70, 0.0, 11.0, 2.5, 1),
    "bm25-rm3": System(1.55, 0.0, 9.0, 2.0, 1),
    "dense": System(1.35, 1.5, 0.62, 0.05, 3),
    "splade": System(1.15, -0.8, 17.0, 3.0, 1),
    "colbert": System(0.95, 0.0, 21.0, 2.0, 1),
    "hybrid": System(0.90, 0.0, 0.03, 0.005, 4),
    "lambdamart": System(0.70, 0.5, 1.0, 1.4, 2),
    "cross-encoder": System(0.40, 0.0, 0.0, 3.0, 1),
}
MISSING = {"splade": {"q058", "q141"}}  # queries that a system returned nothing for


def doc_ids(numbers: NDArray[np.int64]) -> list[str]:
    """The names of documents: d0001 and so on."""
    return [f"d{number:04d}" for number in numbers]


def retrieve(
    rng: np.random.Generator, system: System, labels: NDArray[np.int64], looks: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions of the documents that the system returns, best first, and their scores."""
    noise = system.noise * np.exp(-system.lean * ((labels > 0).mean() - 0.5))
    belief = looks + noise * rng.normal(0, 1, len(looks))
    scores = np.round(system.centre + system.spread * belief, system.decimals)
    best = np.argsort(-scores, kind="stable")[:DEPTH]
    return best, scores[best]


def judge(
    rng: np.random.Generator, kind: Kind
) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64]]:
    """A query's candidates: their names, labels and looks; the last `UNJUDGED` have no label."""
    judged = int(np.clip(rng.lognormal(3.9, 0.45), 20, 150))
    shares = rng.dirichlet(np.array(kind.shares) * 40 + 1e-9)
    labels = np.append(rng.choice(5, judged, p=shares), np.zeros(UNJUDGED, np.int64))
    if kind.shares[0] < 1 and not labels.any():
        labels[0] = 1  # only the empty kind has nothing relevant
    numbers = rng.choice(np.arange(1, DOCS + 1), len(labels), replace=False)
    return doc_ids(numbers), labels, kind.signal * labels + rng.normal(0, 1, len(labels))


def make_sample() -> tuple[pl.DataFrame, pl.DataFrame]:
    """The qrels (query_id, doc_id, label) and the runs (run, query_id, doc_id, score)."""
    rng = np.random.default_rng(SEED)
    kinds = [kind for kind in KINDS.values() for _ in range(kind.queries)]
    qrels, runs = [], []
    for number, which in enumerate(rng.permutation(len(kinds)), start=1):
        query = f"q{number:03d}"
        docs, labels, looks = judge(rng, kinds[which])
        judgements = pl.DataFrame({"query_id": query, "doc_id": docs, "label": labels})
        qrels.append(judgements.head(-UNJUDGED))
        for name, system in SYSTEMS.items():
            best, scores = retrieve(rng, system, labels, looks)
            if query not in MISSING.get(name, ()):
                found = [docs[position] for position in best]
                runs.append(
                    pl.DataFrame({"run": name, "query_id": query, "doc_id": found, "score": scores})
                )
    return (
        pl.concat(qrels).cast({"label": pl.Int32}).sort("query_id", "doc_id"),
        pl.concat(runs).sort("run", "query_id", maintain_order=True),
    )


if __name__ == "__main__":
    folder = Path(__file__).parent / "sample"
    folder.mkdir(exist_ok=True)
    for name, frame in zip(("qrels", "runs"), make_sample(), strict=True):
        frame.write_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=19)
