"""How lines without a header are told apart: a recogniser for each kind of text.

All look at the first lines together. Which is asked first stands in `formats`.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from ulframe.frames.first_lines import FirstLines

CONSTANTS = frozenset({"0", "Q0", "q0"})  # what TREC's second field is, as a rule
LABELS = frozenset(map(str, range(-2, 5)))  # the usual ones
LEAST_TIME = 1000  # a rating is below, a time stamp above
LETOR_LINE = re.compile(r"\S+\s+qid:\S|[-+.\de]+\s+\d+:[^\s:]+(\s|$)")
PREFLIB_LINE = re.compile(r"\d+\s*:\s*(\d+|\{[\d,\s]*\})\s*(,|$)")


def is_number(text: str) -> bool:
    """Whether a text is a number.

    >>> is_number("-1.5e3"), is_number("q1"), is_number("")
    (True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # which Python takes, but no file means


def is_letor(head: FirstLines) -> bool:
    """`label qid:N 1:value ...`, or the same without the query."""
    return bool(LETOR_LINE.match(head.first.lstrip()))


def is_preflib(head: FirstLines) -> bool:
    """An order of PrefLib, `3: 5,{1,2},4`."""
    return bool(PREFLIB_LINE.match(head.first.strip()))


def is_trec(head: FirstLines) -> bool:
    """Most lines have the fields of TREC text and its constant, or are a run's with its numbers.

    Another constant will do where the last fields are labels, among them a 0.
    """
    typical = sum(len(words) == 4 and words[1] in CONSTANTS for words in head.words)
    return 2 * typical > len(head.words) or is_trec_run(head) or _are_judged(head)


def _are_judged(head: FirstLines) -> bool:
    if head.widths != {4} or len({words[1] for words in head.words}) > 1:
        return False
    labels = {words[3] for words in head.words}
    return "0" in labels <= LABELS


def is_trec_run(head: FirstLines) -> bool:
    """Most lines are `query Q0 document rank score tag`."""
    of_runs = sum(len(words) >= 6 and is_number(words[4]) for words in head.words)
    return 2 * of_runs > len(head.words)


def is_benchmark(head: FirstLines) -> bool:
    r"""Every line has one tab, and behind it only numbers or one id.

    >>> is_benchmark(FirstLines(("films by larry david\t5828 17856", "q2\ta"), (1, 2)))
    True
    >>> is_benchmark(FirstLines(("12\tfilms by larry david",), (1,)))
    False
    """
    return head.halves is not None and all(
        left and (len(right.split()) == 1 or all(map(is_number, right.split())))
        for left, right in head.halves
    )


def is_undecided(head: FirstLines) -> bool:
    """With one tab in every line: both TREC text and a benchmark fit, or neither does."""
    if head.halves is None or is_trec(head):
        return False
    if not is_benchmark(head):
        return head.widths != {4}
    seconds = {words[1] for words in head.words} if head.widths == {4} else set()
    return len(seconds) == 1 and any(letter.isdigit() for letter in min(seconds))


def is_subtopics(head: FirstLines) -> bool:
    """`query subtopic document label`: a document stands under several second fields."""
    if head.widths != {4} or not all(words[1].isdigit() for words in head.words):
        return False
    seen = defaultdict(set)
    for query, subtopic, doc, _ in head.words:
        seen[query, doc].add(subtopic)
    return any(len(subtopics) > 1 for subtopics in seen.values())


def is_ratings(head: FirstLines) -> bool:
    """`user item rating time`: the last is above 1,000, as no label is."""
    rows = head.parted(4)
    return rows is not None and all(
        is_number(rating) and is_number(time) and float(time) > LEAST_TIME
        for _, _, rating, time in rows
    )


def is_smart_qrels(head: FirstLines) -> bool:
    """`query document 0 0`, as SMART's collections have them."""
    return head.widths == {4} and all(
        third == "0" and is_number(fourth) and not float(fourth)
        for _, _, third, fourth in head.words
    )


def is_preferences(head: FirstLines) -> bool:
    """`query judge group document value`, trec_eval's preferences."""
    if head.widths != {5}:
        return False
    tagless = all(is_number(words[3]) for words in head.words)  # a run that lacks its last field
    return not tagless and all(is_number(words[4]) for words in head.words)


def is_predictions(head: FirstLines) -> bool:
    """One number a line."""
    return head.widths == {1} and all(is_number(words[0]) for words in head.words)


def is_three_fields(head: FirstLines) -> bool:
    """`query document number`."""
    rows = head.parted(3)
    return rows is not None and all(is_number(row[2]) for row in rows)


def is_ranked(head: FirstLines) -> bool:
    """`query document rank score`: the third field is a rank wherever it can be told."""
    rows = head.parted(4)
    if rows is None or not all(is_number(row[3]) for row in rows):
        return False
    ranks = defaultdict(list)
    for query, _, rank, _ in rows:
        ranks[query].append(rank)
    *whole, last = ranks.values()
    return all(map(_are_ranks, whole if whole and head.cut else [*whole, last]))


def _are_ranks(texts: Sequence[str]) -> bool:
    if not all(text.isdigit() for text in texts):
        return False
    ranks = [int(text) for text in texts]
    rising = all(a < b for a, b in pairwise(ranks))
    return rising or sorted(ranks) in [[*range(n, n + len(ranks))] for n in (0, 1)]
