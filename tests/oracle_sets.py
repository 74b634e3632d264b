"""More metrics written out plainly: sets, judgements, interpolation; see `oracle`."""

from __future__ import annotations

from math import floor, inf, log

from tests.oracle import Labels, Oracle, _r, _relevant, ap, bpref, cg, precision, sp

E = 0.00001


def _judged(labels: Labels) -> list[bool]:
    return [label is not None and label >= 0 for label in labels]


def judged(ranked: Labels, all_judged: Labels, k: float = inf) -> float:
    depth = min(k, len(ranked))
    return sum(_judged(ranked)[: int(depth)]) / depth if ranked else 0.0


def unjudged(ranked: Labels, all_judged: Labels, k: int) -> float:
    return _judged(ranked)[:k].count(False) / k


def rbp_residual(ranked: Labels, all_judged: Labels, p: float = 0.9) -> float:
    weights = [p**i for i, known in enumerate(_judged(ranked)) if not known]
    return p ** len(ranked) + (1 - p) * sum(weights) if weights else 0.0


def inf_ap(ranked: Labels, all_judged: Labels, rel: float = 1) -> float:
    relevant = nonrelevant = unknown = 0
    total = 0.0
    for i, label in enumerate(ranked, 1):
        if label is not None and label >= rel:
            pooled = relevant + nonrelevant + unknown
            share = (relevant + E) / (relevant + nonrelevant + 2 * E)
            total += 1 if i == 1 else 1 / i + (i - 1) / i * pooled / (i - 1) * share
            relevant += 1
        elif label is not None and label >= 0:
            nonrelevant += 1
        elif label is not None:
            unknown += 1
    return total / _r(all_judged, rel) if _r(all_judged, rel) else 0.0


def accuracy(ranked: Labels, all_judged: Labels, k: float = inf) -> float:
    top = [x for i, x in enumerate(_relevant(ranked), 1) if i <= k]
    pairs = [(i, j) for i, x in enumerate(top) if x for j, y in enumerate(top) if not y]
    return sum(i < j for i, j in pairs) / len(pairs) if pairs else float(any(top))


def rprec_mult(ranked: Labels, all_judged: Labels, mult: float) -> float:
    cut = floor(mult * _r(all_judged) + 0.9)
    return precision(ranked, all_judged, cut) if cut else 0.0


def iprec(ranked: Labels, all_judged: Labels, recall: float, rel: float = 1) -> float:
    wanted = floor(recall * _r(all_judged, rel) + 0.5)
    hits, best = 0, 0.0
    for i, relevant in enumerate(_relevant(ranked, rel), 1):
        hits += relevant
        best = max(best, hits / i) if hits >= max(wanted, 1) else best
    return best


def yaap(ranked: Labels, all_judged: Labels) -> float:
    total = sp(ranked, all_judged)
    return log((1 + total) / (1 + _r(all_judged) - total))


def utility(ranked: Labels, all_judged: Labels, w: tuple[float, ...], docs: int = 0) -> float:
    hits, r, n = sum(_relevant(ranked)), _r(all_judged), len(ranked)
    return w[0] * hits + w[1] * (n - hits) + w[2] * (r - hits) + w[3] * (docs + hits - n - r)


def _hits(ranked: Labels) -> int:
    return sum(_relevant(ranked))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


CASES: dict[str, Oracle] = {
    "Judged@3": lambda x, j: judged(x, j, 3),
    "Judged": judged,
    "unj@3": lambda x, j: unjudged(x, j, 3),
    "rbp_resid": rbp_residual,
    "rbp_resid(p=0.5)": lambda x, j: rbp_residual(x, j, 0.5),
    "infAP": inf_ap,
    "infAP(rel=2)": lambda x, j: inf_ap(x, j, 2),
    "gm_bpref": bpref,
    "gm_map": ap,
    "yaap": yaap,
    "Accuracy": accuracy,
    "Accuracy@3": lambda x, j: accuracy(x, j, 3),
    "Rprec(mult=0.4)": lambda x, j: rprec_mult(x, j, 0.4),
    "Rprec(mult=2)": lambda x, j: rprec_mult(x, j, 2),
    "IPrec@0": lambda x, j: iprec(x, j, 0),
    "IPrec@0.4": lambda x, j: iprec(x, j, 0.4),
    "IPrec(rel=2)@1": lambda x, j: iprec(x, j, 1, rel=2),
    "AvgIPrec": lambda x, j: sum(iprec(x, j, i / 10) for i in range(11)) / 11,
    "AvgIPrec(recalls=[0.25,0.5])": lambda x, j: (iprec(x, j, 0.25) + iprec(x, j, 0.5)) / 2,
    "SetP": lambda x, j: _share(_hits(x), len(x)),
    "SetR": lambda x, j: _share(_hits(x), _r(j)),
    "SetF": lambda x, j: _share(2 * _hits(x), _r(j) + len(x)),
    "SetF(beta=3)": lambda x, j: _share(4 * _hits(x), 3 * _r(j) + len(x)),
    "SetAP": lambda x, j: _share(_hits(x) ** 2, _r(j) * len(x)),
    "Utility": lambda x, j: utility(x, j, (1, -1, 0, 0)),
    "Utility(weights=[2,-1,-0.5,0.25],docs=9)": lambda x, j: utility(x, j, (2, -1, -0.5, 0.25), 9),
    "NumQ": lambda x, j: 1,
    "NumRel": lambda x, j: _r(j),
    "NumRet": lambda x, j: len(x),
    "NumRelRet": lambda x, j: _hits(x),
    "NumNonrelRet": lambda x, j: sum(_judged(x)) - _hits(x),
    "AP(judged_only=True)@3": lambda x, j: ap(_known(x), j, 3),
    "CG(judged_only=True)@2": lambda x, j: cg(_known(x), j, 2),
    "NumRet(judged_only=True)": lambda x, j: len(_known(x)),
    "SetP(judged_only=True)": lambda x, j: _share(_hits(x), len(_known(x))),
}


def _known(labels: Labels) -> list[float | None]:
    return [label for label in labels if label is not None and label >= 0]
