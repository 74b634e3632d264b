"""ir_measures with ulframe as the provider: its own measures faster, and ours beside them.

Importing this module registers the provider `ulframe` and the measures below with ir_measures, so
that `ir_measures.calc_aggregate`, and what stands on it, such as PyTerrier's `pt.Experiment`, take
them. `python -m ulframe.interop.ir_measures QRELS RUN MEASURE...` is its command with them; there
an operator is written `V2(of='nDCG@10')`. After `prefer()` measures of its own that ulframe knows
are computed by ulframe as well.

Names inside an operator are read as ours, so that `V2("nDCG@10")` has the exponential gain, and
measures of ir_measures as its own, so that `V2(ir_measures.nDCG @ 10)` has the linear one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
import polars as pl
from ir_measures import measures, providers
from ir_measures.util import QrelsConverter, RunConverter

from ulframe.evaluation.evaluate import Queries, evaluate
from ulframe.frames.columns import DOC, LABEL, QUERY, SCORE
from ulframe.frames.errors import BadUsage
from ulframe.metrics.grammar import parse
from ulframe.metrics.measure import Measure

__all__ = [
    "IUB", "PROVIDER", "RLB", "SD", "V1", "V2", "Adjusted", "U", "Ulframe", "Z", "as_ours",
    "prefer",
]  # fmt: skip

AGGREGATORS = {"mean": measures.MeanAgg, "sum": measures.SumAgg}
"""How ir_measures takes together what a measure gives for queries."""

THEIRS = {
    "AP", "Bpref", "IPrec", "NumQ", "NumRel", "NumRet", "P", "R", "RR", "Rprec", "SetAP", "SetF",
    "SetP", "SetR", "Success", "infAP", "nDCG",
}  # fmt: skip
"""The measures of ir_measures that `prefer` takes over: those that it has of trec_eval."""


def as_ours(measure: measures.Measure | Measure | str) -> Measure:
    """A measure of ir_measures, a name, or a measure of ours, as one of ours.

    Raises `BadUsage` for one that ulframe has not.

    >>> as_ours(ir_measures.nDCG @ 10), as_ours("nDCG@10")
    (nDCG(gain=linear)@10, nDCG@10)
    """
    if isinstance(measure, _Measure):
        return measure.ours
    if not isinstance(measure, measures.Measure):
        return parse(str(measure))
    settings = dict(measure.params)
    at = settings.pop(measure.AT_PARAM, None)
    if measure.NAME == "nDCG" and "gains" not in settings:
        settings["dcg"] = measure["dcg"]  # its default, which is not ours
    inside = ",".join(f"{name}={measure._param_repr(value)}" for name, value in settings.items())
    return parse(f"{measure.NAME}({inside})" + ("" if at is None else f"@{at}"))


class _Measure(measures.Measure):
    """What stands in brackets, `of`, under this operator; see the module."""

    SUPPORTED_PARAMS = {"of": measures.ParamInfo(dtype=str, required=True)}  # noqa: RUF012
    AT_PARAM = ""

    def __call__(  # type: ignore[override]  # the one setting, and by its place
        self, of: measures.Measure | Measure | str
    ) -> _Measure:
        """The same operator of a measure: one of ir_measures, of ours, or the name of ours."""
        made = type(self)(of=str(as_ours(of)))
        if made.ours.metric.aggregate not in AGGREGATORS:
            raise BadUsage(f"{of}: ir_measures takes no {made.ours.metric.aggregate} over queries")
        return made

    @property
    def ours(self) -> Measure:
        """The measure as ulframe has it."""
        of = self.params["of"]
        return parse(of if self.NAME == "Ulframe" else f"{self.NAME}({of})")

    def aggregator(self) -> Any:
        return AGGREGATORS[self.ours.metric.aggregate]()


def _operator(name: str, says: str) -> _Measure:
    """A measure of ir_measures that is one of our operators, registered under its name."""
    kind = type(name, (_Measure,), {"__name__": name, "NAME": name, "SHORT_DESC": says})
    made: _Measure = kind()
    measures.register(made, name=name)
    return made


Ulframe = _operator("Ulframe", "Any measure of ulframe, by its name.")
U = _operator("U", "The measure over the best possible.")
V1 = _operator("V1", "Normalised by the best possible and by chance.")
V2 = _operator("V2", "1 is perfect, 0 what a random ranking scores, -1 nothing found.")
Adjusted = _operator("Adjusted", "Adjusted for chance: 0 in the mean over random rankings.")
Z = _operator("Z", "Standard deviations above a random ranking.")
RLB = _operator("RLB", "What a random ranking scores in the mean.")
IUB = _operator("IUB", "The best possible.")
SD = _operator("SD", "The standard deviation over random rankings.")


class _Evaluator(providers.Evaluator):
    """Measures of ir_measures on the queries that qrels and run share, ours on all of the qrels."""

    def __init__(self, asked: Iterable[measures.Measure], qrels: pl.DataFrame) -> None:
        super().__init__(asked, set(qrels[QUERY]))
        self.qrels = qrels

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        rows = _frame(RunConverter(run), SCORE, SCORE)
        mine = [measure for measure in self.measures if isinstance(measure, _Measure)]
        theirs = [measure for measure in self.measures if not isinstance(measure, _Measure)]
        yield from self._metrics(mine, rows, "qrels")
        yield from self._metrics(theirs, rows, "both")

    def _metrics(
        self, some: Sequence[measures.Measure], run: pl.DataFrame, queries: Queries
    ) -> Iterator[ir_measures.Metric]:
        if not some or (
            queries == "both" and run.join(self.qrels, on=QUERY, how="semi").is_empty()
        ):
            return
        asked = {str(measure): as_ours(measure) for measure in some}
        by_name = {str(measure): measure for measure in some}
        scores = evaluate(self.qrels, run, asked, queries=queries).drop_nulls("score")
        found = scores.select(QUERY, "measure", "score").collect()
        for query, name, score in found.iter_rows():
            yield ir_measures.Metric(query_id=query, measure=by_name[name], value=score)


class _Provider(providers.Provider):
    """ulframe as ir_measures sees it."""

    NAME = "ulframe"

    def supports(self, measure: measures.Measure) -> bool:
        measure.validate_params()
        if isinstance(measure, _Measure):
            return True
        if measure.NAME not in THEIRS:
            return False
        try:
            return bool(as_ours(measure))
        except BadUsage:
            return False

    def _evaluator(self, asked: Iterable[measures.Measure], qrels: Any) -> _Evaluator:
        return _Evaluator(list(asked), _frame(QrelsConverter(qrels), "relevance", LABEL))


PROVIDER = providers.register(_Provider())
"""ulframe as a provider: `PROVIDER.calc_aggregate(measures, qrels, run)`."""

ir_measures.DefaultPipeline.providers.append(PROVIDER)


def prefer() -> None:
    """From now on let ir_measures compute by ulframe all that it can, also measures of its own.

    Values are those of its pytrec_eval, but where two scores are equal in single precision only,
    which that does not tell apart, and that a recall times a number of documents is rounded to the
    nearest.

    >>> prefer()
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'ulframe'
    """
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline.remove(PROVIDER)
    pipeline.insert(0, PROVIDER)


def _frame(given: QrelsConverter | RunConverter, theirs: str, ours: str) -> pl.DataFrame:
    """What ir_measures was given, in our columns."""
    kind, _ = given.predict_type()
    if kind == "pd_dataframe":
        return pl.DataFrame(given.as_pd_dataframe()[[QUERY, DOC, theirs]]).rename({theirs: ours})
    rows = [(row.query_id, row.doc_id, getattr(row, theirs)) for row in given.as_namedtuple_iter()]
    numbers = pl.Float64 if ours == SCORE else pl.Int64
    schema = {QUERY: pl.String, DOC: pl.String, ours: numbers}
    return pl.DataFrame(rows, schema=schema, orient="row")


if __name__ == "__main__":
    from ir_measures.__main__ import main_cli

    main_cli()
