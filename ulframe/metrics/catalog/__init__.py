"""The metrics, one declaration each, by what a reader looks for.

- `graded`: labels of several grades; `along_ideal`: those measured along the ideal ranking;
- `binary`: relevant or not, in ranked order; `set_based`: in any order, and counts;
- `incomplete`: where not all is judged; `pairwise`: pairs and prefixes in the right order;
- `aliases`: other names.

A name stands once, in its module: what may be written in a measure's name, and what `ulframe`
exports, is collected from these.
"""

from typing import TYPE_CHECKING

from ulframe.metrics.catalog import (
    aliases,
    along_ideal,
    binary,
    graded,
    incomplete,
    pairwise,
    set_based,
)
from ulframe.metrics.catalog.aliases import *
from ulframe.metrics.catalog.along_ideal import *
from ulframe.metrics.catalog.binary import *
from ulframe.metrics.catalog.graded import *
from ulframe.metrics.catalog.incomplete import *
from ulframe.metrics.catalog.pairwise import *
from ulframe.metrics.catalog.set_based import *
from ulframe.metrics.measure import Measure

FAMILIES = (graded, along_ideal, binary, incomplete, set_based, pairwise)

CATALOG: dict[str, Measure] = {
    name: measure
    for family in FAMILIES
    for name, measure in vars(family).items()
    if name in family.__all__
}
"""The measures, each by its name."""

ALIASES: dict[str, Measure] = {name: vars(aliases)[name] for name in aliases.__all__}
"""Other names of some."""

WORDS: dict[str, Measure] = aliases.WORDS
"""Other tools' words for some, which are no names in Python."""

if not TYPE_CHECKING:  # type checkers follow the imports, which name each export once
    __all__ = [*CATALOG, *ALIASES]
