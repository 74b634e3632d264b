"""Where the publication's numbers contradict each other, with the arithmetic that shows it.

`published_tables.csv` holds every number that is named here; tests do the arithmetic again.
"""

from __future__ import annotations

CONTRADICTIONS = (
    "Table 17, MQ2007, all queries: 1 conflict of MAP and V1, 8 of MAP and V2. By Table 18 they "
    "find 45, 50 and 59 pairs significant, so that they decide differently on at least "
    "50 - 45 = 5 and 59 - 45 = 14.",
    "Table 7, MSLR-WEB30K, uninformative queries: 46 conflicts of nDCG and V2. By Table 8 they "
    "find 33 and 78 pairs, so that those found by one only are 33 + 78 - 2 x (those found by "
    "both), an odd number: 45 or 47, unless a pair is found by both in opposite directions.",
    "Table 16, MQ2007, uninformative queries: tau .624. Of 28 pairs without ties tau is a multiple "
    "of 1/14: 8/14 = .571, 9/14 = .643. Only with ten pairs tied under one measure and none under "
    "the other is it 14 / sqrt(28 x 18) = .624.",
    "Table 5, MQ2007: beside nDCG@30 of .5441, LMART has V1 .361 and V2 .3801. On that data set's "
    "labels, by equation 7 with the exact bounds, a system with nDCG@30 of .5419 has V1 .321 and "
    "V2 .247; with binary gain it is less still: V1 .317 and V2 .222 beside nDCG@30 of .5455.",
    "Tables 12 and 13: MAP is SP, equation 4, over its best possible value. It falls with the "
    "cutoff (ARank on MSLR-WEB30K: .5414 at 5, .4493 at 30), as average precision over all "
    "relevant documents cannot; and by equation 3, which divides by the cutoff, a perfect ranking "
    "of MQ2007 has .347 at 30, where Table 13 has up to .414.",
)
"""A sentence or two each, for readers."""
