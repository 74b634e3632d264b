"""ulframe: rankings evaluated as frames, against the best possible and against chance.

The names here are what most users need, all metrics among them; analysis, report, systems and
studies are rooms of their own, imported as `ulframe.analysis` and so on.
"""

import types
import typing

from ulframe.evaluation.evaluate import Evaluation as Evaluation
from ulframe.evaluation.evaluate import evaluate as evaluate
from ulframe.evaluation.evaluate import examine as examine
from ulframe.evaluation.pools import histogram as histogram
from ulframe.evaluation.ranking import rank as rank
from ulframe.evaluation.summarise import means as means
from ulframe.evaluation.summarise import summarise as summarise
from ulframe.evaluation.tie_report import tie_report as tie_report
from ulframe.frames.errors import BadData as BadData
from ulframe.frames.errors import BadUsage as BadUsage
from ulframe.frames.sample import sample_qrels as sample_qrels
from ulframe.frames.sample import sample_runs as sample_runs
from ulframe.frames.sources import scan_qrels as scan_qrels
from ulframe.frames.sources import scan_runs as scan_runs
from ulframe.metrics.catalog import *
from ulframe.metrics.declaration import *
from ulframe.metrics.explain import explain as explain
from ulframe.metrics.grammar import parse as parse
from ulframe.metrics.inputs import *
from ulframe.metrics.measure import Measure as Measure
from ulframe.metrics.operators import *
from ulframe.metrics.own import declare as declare

__version__ = "0.1.0"

if not typing.TYPE_CHECKING:  # type checkers follow the imports, which name each export once
    __all__ = sorted(
        name
        for name, value in globals().items()
        if not (name.startswith("_") or isinstance(value, types.ModuleType))
    )
