"""Each metric written out plainly: a ranked list of labels in, a number out. No Polars, no ulframe.

`ranked` holds the labels of what was retrieved, best first (None: not judged); `judged` all labels
of the query. To add a metric: one function, and its lines in `CASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log2

Labels = Sequence[float | None]
Oracle = Callable[[Labels, Labels], float]


def _relevant(ranked: Labels, rel: float = 1) -> list[int]:
    return [int(label is not None and label >= rel) for label in ranked]


def _r(judged: Labels, rel: float = 1) -> int:
    return sum(_relevant(judged, rel))


def _gain(label: float | None) -> float:
    return max(label or 0, 0)


def cg(ranked: Labels, judged: Labels, k: float = inf) -> float:
    return sum(_gain(label) for i, label in enumerate(ranked, 1) if i <= k)


def dcg(ranked: Labels, judged: Labels, k: float = inf) -> float:
    return sum((2 ** _gain(x) - 1) / log2(i + 1) for i, x in enumerate(ranked, 1) if i <= k)


def dcg_linear(ranked: Labels, judged: Labels, k: float = inf) -> float:
    return sum(_gain(x) / log2(i + 1) for i, x in enumerate(ranked, 1) if i <= k)


def sp(ranked: Labels, judged: Labels, k: float = inf, rel: float = 1) -> float:
    found = total = 0.0
    for i, relevant in enumerate(_relevant(ranked, rel), 1):
        found += relevant
        total += relevant * found / i if i <= k else 0
    return total


def ap(ranked: Labels, judged: Labels, k: float = inf, rel: float = 1) -> float:
    r = _r(judged, rel)
    return sp(ranked, judged, k, rel) / r if r else 0.0


def precision(ranked: Labels, judged: Labels, k: int, rel: float = 1) -> float:
    return sum(_relevant(ranked, rel)[:k]) / k


def recall(ranked: Labels, judged: Labels, k: int, rel: float = 1) -> float:
    r = _r(judged, rel)
    return sum(_relevant(ranked, rel)[:k]) / r if r else 0.0


def f(ranked: Labels, judged: Labels, k: int, beta: float = 1) -> float:
    p, r = precision(ranked, judged, k), recall(ranked, judged, k)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p and r else 0.0


def rprec(ranked: Labels, judged: Labels) -> float:
    r = _r(judged)
    return sum(_relevant(ranked)[:r]) / r if r else 0.0


def rr(ranked: Labels, judged: Labels, k: float = inf, rel: float = 1) -> float:
    for i, relevant in enumerate(_relevant(ranked, rel), 1):
        if relevant and i <= k:
            return 1 / i
    return 0.0


def success(ranked: Labels, judged: Labels, k: int) -> float:
    return float(any(_relevant(ranked)[:k]))


def rbp(ranked: Labels, judged: Labels, k: float = inf, p: float = 0.8) -> float:
    relevant = enumerate(_relevant(ranked), 1)
    return sum((1 - p) * p ** (i - 1) * x for i, x in relevant if i <= k)


def bpref(ranked: Labels, judged: Labels, rel: float = 1) -> float:
    r = _r(judged, rel)
    n = sum(1 for label in judged if label is not None and 0 <= label < rel)
    above, total = 0, 0.0
    for label in ranked:
        if label is None or label < 0:
            continue
        if label < rel:
            above += 1
        else:
            total += 1 - min(above, r) / min(r, n) if above else 1
    return total / r if r else 0.0


CASES: dict[str, Oracle] = {
    "CG": cg,
    "CG@3": lambda x, j: cg(x, j, 3),
    "DCG": dcg,
    "DCG@1": lambda x, j: dcg(x, j, 1),
    "DCG@4": lambda x, j: dcg(x, j, 4),
    "DCG@10": lambda x, j: dcg(x, j, 10),
    "DCG(base=4)@4": lambda x, j: 2 * dcg(x, j, 4),
    "DCG(gain=linear)@3": lambda x, j: dcg_linear(x, j, 3),
    "SP": sp,
    "SP@2": lambda x, j: sp(x, j, 2),
    "SP@5": lambda x, j: sp(x, j, 5),
    "SP(rel=2)@4": lambda x, j: sp(x, j, 4, rel=2),
    "AP": ap,
    "AP@3": lambda x, j: ap(x, j, 3),
    "AP(rel=2)": lambda x, j: ap(x, j, rel=2),
    "AP(norm=k)@4": lambda x, j: sp(x, j, 4) / 4,
    "P@1": lambda x, j: precision(x, j, 1),
    "P@4": lambda x, j: precision(x, j, 4),
    "P@9": lambda x, j: precision(x, j, 9),
    "R@2": lambda x, j: recall(x, j, 2),
    "R(rel=2)@3": lambda x, j: recall(x, j, 3, rel=2),
    "F@3": lambda x, j: f(x, j, 3),
    "F(beta=2)@4": lambda x, j: f(x, j, 4, beta=2),
    "Rprec": rprec,
    "RR": rr,
    "RR@2": lambda x, j: rr(x, j, 2),
    "RR(rel=2)@4": lambda x, j: rr(x, j, 4, rel=2),
    "Success@1": lambda x, j: success(x, j, 1),
    "Success@3": lambda x, j: success(x, j, 3),
    "RBP": rbp,
    "RBP(p=0.5)@3": lambda x, j: rbp(x, j, 3, p=0.5),
    "bpref": bpref,
    "bpref(rel=2)": lambda x, j: bpref(x, j, rel=2),
}
