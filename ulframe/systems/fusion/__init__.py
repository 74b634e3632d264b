"""Fusion: one run made of several. By scores, by ranks, by votes; learned; weights tuned."""

from ulframe.systems.fusion.fuse import fuse
from ulframe.systems.fusion.methods import METHODS, Method
from ulframe.systems.fusion.norms import NORMS, Norm, normalise
from ulframe.systems.fusion.trained import TRAINED, Trained, fuse_trained
from ulframe.systems.fusion.tuning import Tuned, tune_weights, weights_of

__all__ = [
    "METHODS",
    "NORMS",
    "TRAINED",
    "Method",
    "Norm",
    "Trained",
    "Tuned",
    "fuse",
    "fuse_trained",
    "normalise",
    "tune_weights",
    "weights_of",
]
