"""Can the judgements carry a comparison? What scores and winners could be, were all judged.

- `rankings`: runs beside their labels; `laws`: what of a measure decides what is extreme;
- `scoring`: the scores of fillings, which `ranges`, `pairs`, `draws` and `next_documents` choose;
- `found`: the function that calls them all, and what it gives.
"""

from ulframe.analysis.unjudged.found import Holes, holes

__all__ = ["Holes", "holes"]
