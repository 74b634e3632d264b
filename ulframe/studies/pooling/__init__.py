"""Which documents to judge, and whether a smaller pool changes the conclusions.

Judging lists are made in `lists`, `front` and `learned`; `effects` tells what their first documents
do to the comparison of systems, `savings` how few would have done, `charts` shows it;
`next_to_judge` tells what to judge next, of any list, after what is judged so far.
"""

from ulframe.studies.pooling.effects import effects, reduced
from ulframe.studies.pooling.front import move_to_front
from ulframe.studies.pooling.learned import learned, rboost, rsvm
from ulframe.studies.pooling.lists import as_list, depth_n
from ulframe.studies.pooling.next_to_judge import next_to_judge
from ulframe.studies.pooling.savings import savings

__all__ = [
    "as_list",
    "depth_n",
    "effects",
    "learned",
    "move_to_front",
    "next_to_judge",
    "rboost",
    "reduced",
    "rsvm",
    "savings",
]
