"""More metrics written out plainly, of graded relevance and of the ideal ranking; see `oracle`."""

from __future__ import annotations

from math import inf, log2

from tests.oracle import Labels, Oracle, _gain, _r, _relevant, sp


def err(ranked: Labels, judged: Labels, k: float = inf, highest: int = 4) -> float:
    reading, total = 1.0, 0.0
    for i, label in enumerate(ranked, 1):
        stop = (2 ** _gain(label) - 1) / 2**highest
        total += reading * stop / i if i <= k else 0
        reading *= 1 - stop
    return total


def gap(ranked: Labels, judged: Labels, k: float = inf, weights: Labels = (1, 1, 1, 1)) -> float:
    levels = list(enumerate(weights, 1))
    best = sum((w or 0) * _r(judged, j) for j, w in levels)
    return sum((w or 0) * sp(ranked, judged, k, j) for j, w in levels) / best if best else 0.0


def graded_rbp(ranked: Labels, judged: Labels, p: float = 0.9) -> float:
    highest = max(1, *(_gain(label) for label in judged), 1)
    return sum((1 - p) * p ** (i - 1) * _gain(x) / highest for i, x in enumerate(ranked, 1))


def _dcg(labels: Labels) -> float:
    return sum(_gain(x) / log2(i + 1) for i, x in enumerate(labels, 1))


def _best(judged: Labels) -> list[float]:
    return sorted((x for x in judged if x is not None and x > 0), reverse=True)


def ndcg_rel(ranked: Labels, judged: Labels) -> float:
    best = _best(judged)
    at = [i for i, x in enumerate(ranked, 1) if x is not None and x > 0]
    at += [len(ranked)] * (len(best) - len(at))
    return sum(_dcg(ranked[:i]) / _dcg(best[:i]) for i in at) / len(best) if best else 0.0


def rndcg(ranked: Labels, judged: Labels) -> float:
    best = _best(judged)
    if not best:
        return 0.0
    ends = [i for i in range(1, len(best) + 1) if i == len(best) or best[i] != best[i - 1]]
    if len(ranked) > len(best) + 1:
        ends.append(len(ranked))
    return sum(_dcg(ranked[:i]) / _dcg(best[:i]) for i in ends) / len(ends)


def g(ranked: Labels, judged: Labels) -> float:
    best = _best(judged)
    gained = total = cost = 0.0
    for i, label in enumerate(ranked):
        gained += _gain(label)
        cost += max(best[i], 1) if i < len(best) else 1
        total += _gain(label) / log2(2 + cost - gained) if _gain(label) else 0
    return total / sum(best) if best else 0.0


def q(ranked: Labels, judged: Labels, k: float = inf, beta: float = 1) -> float:
    best = _best(judged)
    gained = ideal = hits = total = 0.0
    for i, label in enumerate(ranked, 1):
        gained += _gain(label)
        ideal += best[i - 1] if i <= len(best) else 0
        if _gain(label) and i <= k:
            hits += 1
            total += (hits + beta * gained) / (i + beta * ideal)
    return total / len(best) if best else 0.0


def bin_g(ranked: Labels, judged: Labels, rel: float = 1) -> float:
    others, total = 0, 0.0
    for relevant in _relevant(ranked, rel):
        total += relevant / log2(2 + others)
        others += 1 - relevant
    return total / _r(judged, rel) if _r(judged, rel) else 0.0


def overlap(ranked: Labels, judged: Labels, p: float = 0.95, normalize: bool = True) -> float:
    """Of the run with the ideal ranking that has documents of one label as the run has them."""
    best = _best(judged)
    kept = [(x, i) for i, x in enumerate(ranked) if x is not None and x > 0]
    ideal = [i for _, i in sorted(kept, key=lambda pair: (-pair[0], pair[1]))]
    if len(kept) < len(best):
        raise NotImplementedError("what the run misses has no place of its own here")
    depths = range(1, max(len(ranked), len(best)) + 1)

    def rbo(one: list[int], other: list[int]) -> float:
        return sum(p ** (d - 1) * len({*one[:d]} & {*other[:d]}) / d for d in depths)

    whole = list(range(len(ranked)))
    most = rbo(ideal, ideal) if normalize else sum(p ** (d - 1) for d in depths)
    return rbo(whole, ideal) / most if best else 0.0


CASES: dict[str, Oracle] = {
    "ERR": err,
    "ERR@3": lambda x, j: err(x, j, 3),
    "ERR(max=2)@4": lambda x, j: err(x, j, 4, highest=2),
    "GAP": gap,
    "GAP(gain=exp)@3": lambda x, j: gap(x, j, 3, (1, 2, 4, 8)),
    "rbp": graded_rbp,
    "rbp(p=0.5)": lambda x, j: graded_rbp(x, j, 0.5),
    "ndcg_rel": ndcg_rel,
    "Rndcg": rndcg,
    "G": g,
    "QMeasure": q,
    "QMeasure@2": lambda x, j: q(x, j, 2),
    "QMeasure(beta=10)": lambda x, j: q(x, j, beta=10),
    "binG": bin_g,
    "binG(rel=2)": lambda x, j: bin_g(x, j, 2),
    "DCG(gains={1:3,2:1})@3": lambda x, j: sum(
        {1: 3, 2: 1}.get(int(_gain(label)), 0) / log2(i + 1) for i, label in enumerate(x[:3], 1)
    ),
    "DCG(gain=linear,discount=own)@3": lambda x, j: sum(
        _gain(label) / max(1, log2(i)) for i, label in enumerate(x[:3], 1)
    ),
    "CG(gains={0:2})@3": lambda x, j: sum(2 if label == 0 else _gain(label) for label in x[:3]),
    "G(gains={1:2,2:5})": lambda x, j: g(_swap(x), _swap(j)),
    "Compat": overlap,
    "Compat(p=0.5,normalize=False)": lambda x, j: overlap(x, j, 0.5, normalize=False),
}


def _swap(labels: Labels) -> list[float | None]:
    return [{1: 2, 2: 5}.get(int(x), x) if x is not None else x for x in labels]
