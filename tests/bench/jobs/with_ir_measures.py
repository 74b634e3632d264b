"""The main job by ir_measures' API: TREC text in, the mean of six measures out."""

import sys

import ir_measures
from ir_measures import AP, RR, Bpref, P, R, nDCG

qrels = ir_measures.read_trec_qrels(sys.argv[1])
run = ir_measures.read_trec_run(sys.argv[2])
print(ir_measures.calc_aggregate([nDCG @ 10, AP, RR, P @ 10, R @ 1000, Bpref], qrels, run))
