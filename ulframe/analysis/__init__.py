"""Which queries and which measures tell systems apart: query sets, significance, agreement."""

from ulframe.analysis.against_chance import AgainstChance, against_chance
from ulframe.analysis.agreement import (
    agreement,
    agreement_intervals,
    tau_a,
    tau_ap,
    tau_ap_a,
    tau_ap_b,
    tau_b,
    tau_missing,
    tau_w,
)
from ulframe.analysis.bayes import bayes
from ulframe.analysis.chance import mean_of_v2
from ulframe.analysis.chance_share import chance_share
from ulframe.analysis.gate import Gate, gate
from ulframe.analysis.power import (
    asl_curve,
    conflicts,
    difference_needed,
    over_cutoffs,
    pad,
    significant_pairs,
)
from ulframe.analysis.power_difference import (
    power_difference,
    powers_over_cutoffs,
    resampled_power,
)
from ulframe.analysis.queries import (
    distractive,
    easy,
    hard,
    ideal,
    informative,
    query_sets,
    real_and_expected,
    uninformative,
)
from ulframe.analysis.rbo import rbo
from ulframe.analysis.sample_size import (
    effect_detectable,
    needs_compared,
    queries_needed,
    sample_size,
)
from ulframe.analysis.significance import compare, compared, corrected, group_a
from ulframe.analysis.swaps import difference_for, split_swaps, swap_rate
from ulframe.analysis.transforms import arcsine, ranks
from ulframe.analysis.unjudged import Holes, holes
from ulframe.analysis.variance import anova, mixed_model
from ulframe.evaluation.query_sets import as_sets

__all__ = [
    "AgainstChance",
    "Gate",
    "Holes",
    "against_chance",
    "agreement",
    "agreement_intervals",
    "anova",
    "arcsine",
    "as_sets",
    "asl_curve",
    "bayes",
    "chance_share",
    "compare",
    "compared",
    "conflicts",
    "corrected",
    "difference_for",
    "difference_needed",
    "distractive",
    "easy",
    "effect_detectable",
    "gate",
    "group_a",
    "hard",
    "holes",
    "ideal",
    "informative",
    "mean_of_v2",
    "mixed_model",
    "needs_compared",
    "over_cutoffs",
    "pad",
    "power_difference",
    "powers_over_cutoffs",
    "queries_needed",
    "query_sets",
    "ranks",
    "rbo",
    "real_and_expected",
    "resampled_power",
    "sample_size",
    "significant_pairs",
    "split_swaps",
    "swap_rate",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_missing",
    "tau_w",
    "uninformative",
]
