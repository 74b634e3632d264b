"""pytrec_eval's class, computed by ulframe: the same names, arguments, and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import log

import polars as pl

from ulframe.evaluation.evaluate import examine
from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadUsage
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.metrics.grammar import parse
from ulframe.metrics.measure import Measure
from ulframe.metrics.trec_names import FAMILIES, NICKNAMES, expand

__all__ = ["RelevanceEvaluator", "supported_measures"]

supported_measures = {*FAMILIES}
"""The names that measures may have, as pytrec_eval's: its own but `runid` and `relstring`."""

NO_NUMBERS = {"runid", "relstring"}
LEAST = 1e-5  # what a geometric mean takes at least


class RelevanceEvaluator:
    """In the place of `pytrec_eval.RelevanceEvaluator`.

    In: `query_relevance`, `{query: {doc: label}}`; `measures`, trec_eval's names and lists
    (`ndcg_cut_10`, `P.5,10`, `official`); `relevance_level`, the least label that is relevant;
    `judged_docs_only_flag`, whether documents that are not judged are left out of rankings.

    As there, scores are taken in single precision, and `gm_map` and `gm_bpref` of a query are
    logarithms. Other than there, interpolated precision rounds a recall times the number of
    relevant documents to the nearest number of documents, as trec_eval 10 does, and is 0, not NaN,
    where no document is left. Raises `BadUsage`
    for a measure that there is not, and what `evaluate` raises.

    >>> evaluator = RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"map", "P.1,2"})
    >>> evaluator.evaluate({"q": {"b": 2.0, "a": 1.0}})
    {'q': {'map': 0.5, 'P_1': 0.0, 'P_2': 0.5}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        judged = {query: labels for query, labels in query_relevance.items() if labels}
        self.qrels = scan_qrels(judged).collect()
        self.judged_only = judged_docs_only_flag
        names = {name for given in measures for name in _names(given)}
        order = {family: place for place, family in enumerate(FAMILIES)}
        ordered = sorted(names, key=lambda name: (order[_family(name)], _number(name)))
        self.measures = {name: _at_level(parse(name), relevance_level) for name in ordered}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Every measure of every query that has both judgements and a ranking.

        In: `{query: {doc: score}}`. Out: `{query: {measure: value}}`.
        """
        run = scan_runs(scores).collect() if scores else pl.DataFrame()
        if run.is_empty():
            return {}
        qrels = self.qrels.join(run, on=QUERY, how="semi")
        if qrels.is_empty():
            return {}
        known = run.join(qrels, on=QUERY, how="semi", maintain_order="left")
        if self.judged_only:
            judged = qrels.filter(pl.col(LABEL) >= 0)
            known = known.join(judged, on=[QUERY, DOC], how="semi", maintain_order="left")
        single = known.with_columns(pl.col(SCORE).cast(pl.Float32).cast(pl.Float64))
        # named, as it may have no document left, and zeros are what it then scores
        found = examine(qrels, single, self.measures, names=run.select(RUN).unique().lazy()).scores
        values: dict[str, dict[str, float]] = {}
        for query, name, score in found.select(QUERY, "measure", "score").collect().iter_rows():
            value = score or 0.0
            values.setdefault(query, {})[name] = (
                log(max(value, LEAST)) if name.startswith("gm_") else value
            )
        return values


def _names(given: str) -> Iterable[str]:
    """The names that trec_eval prints for one that is asked for."""
    if given in NICKNAMES:
        return [name for one in NICKNAMES[given] if one not in NO_NUMBERS for name in expand(one)]
    if given in NO_NUMBERS:
        raise BadUsage(f"{given} is no number; RelevanceEvaluator of ulframe does not give it")
    family = _family(given)
    return expand(re.sub(f"^{re.escape(family)}_", f"{family}.", given))


def _family(name: str) -> str:
    """The measure that a name is of: `P` of `P_5`."""
    found = [one for one in FAMILIES if name == one or name.startswith((f"{one}_", f"{one}."))]
    if not found:
        raise BadUsage(f"unsupported measure {name}")
    return max(found, key=len)


def _number(name: str) -> float:
    """The number behind a name, by which those of one measure stand."""
    try:
        return float(name.removeprefix(_family(name))[1:] or 0)
    except ValueError:
        return 0.0


def _at_level(measure: Measure, level: int) -> Measure:
    return measure(rel=level) if "rel" in measure.parameters else measure
