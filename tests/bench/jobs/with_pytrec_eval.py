"""The main job by pytrec_eval: TREC text in, the mean of six measures out."""

import sys
from pathlib import Path

import pytrec_eval

with Path(sys.argv[1]).open() as file:
    qrels = pytrec_eval.parse_qrel(file)
with Path(sys.argv[2]).open() as file:
    run = pytrec_eval.parse_run(file)
measures = {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000", "bpref"}
scores = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
for measure in ("ndcg_cut_10", "map", "recip_rank", "P_10", "recall_1000", "bpref"):
    print(measure, sum(query[measure] for query in scores.values()) / len(scores))
