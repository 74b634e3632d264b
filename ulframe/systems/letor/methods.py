"""The eight methods by the paper's short names. Each is a module of its own, imported when used."""

from __future__ import annotations

import inspect
from functools import wraps
from importlib import import_module
from typing import Literal, Unpack

from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure
from ulframe.systems.letor.fitting import Fit, Options, Scorer
from ulframe.systems.letor.queries import Queries

Method = Literal["RNet", "RBoost", "ARank", "RF", "LMART", "CA", "LNet", "L2LR"]
METHODS: dict[Method, str] = {
    "RNet": "rank_net",
    "RBoost": "rank_boost",
    "ARank": "ada_rank",
    "RF": "random_forest",
    "LMART": "lambda_mart",
    "CA": "coordinate_ascent",
    "LNet": "list_net",
    "L2LR": "logistic",
}


SEEDED: frozenset[Method] = frozenset({"RNet", "RF", "CA", "LNet"})
"""The methods that draw something: of the others the seed changes nothing."""


def method(name: Method) -> Fit:
    """The `fit` of a method.

    Raises `BadUsage` if there is no such method, or if what it needs is not installed.

    >>> method("RNet").__module__
    'ulframe.systems.letor.rank_net'
    """
    if name not in METHODS:
        raise BadUsage(f"no method {name!r}; there are {', '.join(METHODS)}")
    try:
        from threadpoolctl import threadpool_limits

        fit: Fit = import_module(f"ulframe.systems.letor.{METHODS[name]}").fit
    except ModuleNotFoundError as error:
        raise BadUsage(
            f"{name} needs {error.name}, which is not installed: pip install 'ulframe[letor]'"
        ) from error

    @wraps(fit)
    def single_threaded(
        train: Queries, valid: Queries, measure: Measure, seed: int, **options: Unpack[Options]
    ) -> Scorer:
        # Products of matrices this small take up to 30 times as long when two threads share them.
        with threadpool_limits(1, "blas"):
            return fit(train, valid, measure, seed, **options)

    return single_threaded


def refuse_measure(name: Method, measure: Measure) -> None:
    """Raise `BadUsage`, before anything is read, for a measure that the method cannot learn by."""
    refuse = getattr(import_module(f"ulframe.systems.letor.{METHODS[name]}"), "refuse", None)
    if refuse is not None:
        refuse(measure)


def settings(fit: Fit) -> dict[str, float]:
    """What a method sets by itself.

    >>> settings(method("ARank"))
    {'most_rounds': 300, 'patience': 100}
    """
    given = inspect.signature(fit).parameters.values()
    return {one.name: one.default for one in given if one.kind is one.KEYWORD_ONLY}
