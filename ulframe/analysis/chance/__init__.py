"""Random rankings of pools, and what measures make of them."""

from ulframe.analysis.chance.mean_of_v2 import mean_of_v2

__all__ = ["mean_of_v2"]
