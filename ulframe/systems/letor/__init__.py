"""Eight learning-to-rank methods behind one function shape, and the folds they learn from."""

from ulframe.systems.letor.experiment import Split, judgements, load, ranking
from ulframe.systems.letor.fitting import Fit, Scorer
from ulframe.systems.letor.folds import Fold, Survey, find_folds, sample_queries, survey
from ulframe.systems.letor.methods import METHODS, method, settings
from ulframe.systems.letor.objective import objective
from ulframe.systems.letor.queries import Queries, as_queries, normalised

__all__ = [
    "METHODS",
    "Fit",
    "Fold",
    "Queries",
    "Scorer",
    "Split",
    "Survey",
    "as_queries",
    "find_folds",
    "judgements",
    "load",
    "method",
    "normalised",
    "objective",
    "ranking",
    "sample_queries",
    "settings",
    "survey",
]
