"""The main job by ranx: TREC text in, the mean of six measures out."""

import sys

from ranx import Qrels, Run, evaluate

qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
measures = ["ndcg@10", "map", "mrr", "precision@10", "recall@1000", "bpref"]
print(evaluate(qrels, run, measures))
