"""Evaluations larger than one piece: parts of the queries, one after another or side by side.

- `part`: one part in, its scores and coverage out; `merge`: parts put together;
- `scratch`: parts on this machine, by way of a folder, which a killed job goes on from.
"""

from ulframe.engines.part import evaluate_part, merge
from ulframe.engines.scratch import Job, examine_in_scratch

__all__ = ["Job", "evaluate_part", "examine_in_scratch", "merge"]
