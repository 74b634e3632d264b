"""Comparing rankings of people, which are partial, tied and incomplete.

After "Mitigation Procedures to Rank Experts through Information Retrieval Measures" (arXiv
1603.04953): a ranking of experts ties people, leaves some out, and gives an order rather than
ranks. Three procedures make measures of information retrieval usable on it.

- Ordered pairs: a ranking is the set of the pairs of people that it orders. Measures over pairs
  (`PAIR_MEASURES`, named `pairs.*`) see only these; a pair that is tied, incomparable, or not
  wholly ranked is open.
- Homogenisation, on by default: two rankings are restricted to the people whom both rank.
- Maximal similarity (`complete=True`): what each ranking leaves open is closed so that the two
  agree as much as possible. For ties among shared people that is exact: each is broken by the
  other's order, and what both tie alike. With people whom one leaves out, and for orders with
  incomparable people, it is a bound, since pairs are closed one by one: a > b and b > x > a can
  agree on one more pair only, b > x or x > a, and the bound says two.

Measures over two lists (`LIST_MEASURES`): Spearman's `rho` and `footrule`, Kendall's distance with
a penalty for what one ties (`kendall(p=0.5)`), and rank-biased overlap (`rbo(p=0.9)`). Kendall's
tau a, b and c are measures over pairs.

Measures over people are those of `ulframe.metrics`, with relevance taken from the reference: by
default linear, n for its first of n people and 1 for its last (so all whom it ranks are relevant);
`top(k)` for its k best; or any expression. A tie counts as the expectation over its orders. `P@k`
has the reference reduced to its own top k: the overlap of both, over k.

What the measures of two rankings A and B are after each procedure: **S**ymmetric, A by B is B by A;
**B**ounded, in 0 to 1; sensitive to **O**rder, another order of the same people can change it.

| measure                                           | as given | homogenised | completed | both |
|---------------------------------------------------|----------|-------------|-----------|------|
| pairs.P, pairs.R, pairs.fallout, pairs.F(beta=2)  | -BO      | -BO         | SBO       | SBO  |
| pairs.F, mean(pairs.F(beta=2))                    | SBO      | SBO         | SBO       | SBO  |
| pairs.CG                                          | S-O      | S-O         | S-O       | S-O  |
| pairs.nCG                                         | -BO      | -BO         | SBO       | SBO  |
| mean(pairs.P), mean(pairs.nCG)                    | SBO      | SBO         | SBO       | SBO  |
| pairs.agreement, pairs.disagreement               | SBO      | SBO         | SBO       | SBO  |
| pairs.uncertain                                   | SBO      | SBO         | SB-       | SB-  |
| tau_a, tau_b, tau_c                               | S-O      | S-O         | S-O       | S-O  |
| rho, footrule, kendall                            | S-O      | S-O         | S-O       | S-O  |
| rbo                                               | SBO      | SBO         | SBO       | SBO  |
| P@3                                               | SBO      | SBO         | SBO       | SBO  |
| AP, Rprec                                         | -BO      | SB-         | -BO       | SB-  |
| CG                                                | ---      | S--         | ---       | S--  |
| CG@3, DCG, DCG@3, DCG(gain=linear)                | --O      | --O         | --O       | --O  |
| nDCG, nDCG@3, nDCG(gain=linear), nCG@3            | -BO      | -BO         | -BO       | -BO  |

So over people whom both rank, AP and R-precision say nothing: all are relevant, unless relevance is
`top(k)`. After both procedures P, R and F over pairs are one number, (tau + 1) / 2 with Kendall's
tau of the completed rankings.

>>> judges = {"ann": ["x", "y", "z"], "ben": ["z", ["x", "y"]], "cid": ["x", "y"]}
>>> compare(judges, to_reference(judges, "ann"), ["pairs.P", "pairs.uncertain"]).collect().rows()
[('contest', 'ben', 'ann', 3, 'none', 'pairs.P', 0.0),
 ('contest', 'ben', 'ann', 3, 'none', 'pairs.uncertain', 0.3333333333333333),
 ('contest', 'cid', 'ann', 2, 'none', 'pairs.P', 1.0),
 ('contest', 'cid', 'ann', 2, 'none', 'pairs.uncertain', 0.0)]
"""

from ulframe.studies.experts.aggregation import METHODS, aggregate, to_runs
from ulframe.studies.experts.charts import curves, cutoffs, heat_map
from ulframe.studies.experts.compare import MEASURES, compare
from ulframe.studies.experts.comparisons import (
    every_pair,
    to_others,
    to_reference,
    with_order,
    with_others,
)
from ulframe.studies.experts.list_measures import LIST_MEASURES, ListMeasure
from ulframe.studies.experts.pair_measures import PAIR_MEASURES, PairMeasure, both_ways
from ulframe.studies.experts.people import LINEAR, Overlap, top
from ulframe.studies.experts.rankings import scan_rankings

__all__ = [
    "LINEAR",
    "LIST_MEASURES",
    "MEASURES",
    "METHODS",
    "PAIR_MEASURES",
    "ListMeasure",
    "Overlap",
    "PairMeasure",
    "aggregate",
    "both_ways",
    "compare",
    "curves",
    "cutoffs",
    "every_pair",
    "heat_map",
    "scan_rankings",
    "to_others",
    "to_reference",
    "to_runs",
    "top",
    "with_order",
    "with_others",
]
