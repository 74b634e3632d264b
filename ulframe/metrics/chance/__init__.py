"""Expectations under a uniformly random ranking that do not follow from a term, and variances.

Each function takes a measure and the frame of pools, and gives one number a row (Float64).
A pool is the set of documents that a random ranking shuffles; a row of that frame has

- `pool`: its number;
- `n`: how many documents the pool holds, and `m`: how many ranks of it count, min(depth, n);
- `labels`, `counts`, `judged`: its histogram, best label first, three lists of one length: how
  many documents of the pool, and of the qrels, have the label;
- the totals of the measure, by which values are normalised (`r[1]`), and the same of the pool
  (`pool_r[1]`);
- `retrieved`, where the measure reads it.
"""
