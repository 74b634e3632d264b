"""Novelty and diversity: rankings scored by the subtopics of a query that they answer."""

from ulframe.evaluation.diversity.evaluate import diversity
from ulframe.evaluation.diversity.measures import MEASURES, Diverse, Metric, parse

__all__ = ["MEASURES", "Diverse", "Metric", "diversity", "parse"]
