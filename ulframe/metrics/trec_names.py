"""trec_eval's names and lists: each means exactly what trec_eval computes, linear gain included.

`FAMILIES` stands in the order in which trec_eval prints. A family is a name that -m takes; with
what may follow it, it is one measure or several: `P.5,10` is P_5 and P_10, `utility.2,-1,0,0` is
utility_2,-1,0,0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ulframe.frames.errors import BadUsage
from ulframe.metrics import catalog as c
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import IUB, U

Make = Callable[[str], Measure]


@dataclass(frozen=True)
class Family:
    """What follows a name, and the measure that is meant.

    `each` makes a measure of one of the parameters, `whole` of all of them together; without
    either, the name stands alone; `cut` is what each is a cutoff of. `spelled` is how trec_eval
    writes a parameter behind the name, `of_queries` whether it prints the measure of single
    queries.
    """

    alone: Measure | None = None
    cut: Measure | None = None
    each: Make | None = None
    whole: Make | None = None
    default: Sequence[str] = ()
    spelled: Callable[[str], str] = str
    of_queries: bool = True


DEPTHS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
TENTHS = tuple(f"{i / 10:.2f}" for i in range(11))
FIFTHS = tuple(f"{i / 5:.2f}" for i in range(1, 11))
_ndcg = U(c.DCG(gain="linear"))


def _whole(text: str) -> str:
    """A cutoff as C reads it: the whole number at its start."""
    return text.strip().partition(".")[0]


def _two_decimals(text: str) -> str:
    try:
        return f"{float(text):.2f}"
    except ValueError:
        raise BadUsage(f"{text!r} is not a number") from None


def _at(measure: Measure, default: Sequence[str] = DEPTHS) -> Family:
    """P_5, P_10, ..."""
    return Family(
        cut=measure, each=lambda text: measure @ _number(text), default=default, spelled=_whole
    )


def _number(text: str) -> int:
    if "_" in text:  # int() would take 5_10 for 510
        raise BadUsage(f"{text!r} is not a cutoff; several are written as in P.5,10")
    return int(text)


def _gains(measure: Measure) -> Family:
    """ndcg, and ndcg.1=3,2=9 with the gains of labels 1 and 2."""

    def make(text: str) -> Measure:
        return measure(gains=text.replace("=", ":"))

    return Family(alone=measure, whole=make)


def _named(measure: Measure) -> Family:
    """rbp, and rbp.p=0.8."""

    def make(text: str) -> Measure:
        pairs = [part.partition("=") for part in text.split(",")]
        gains = ",".join(f"{name}:{value}" for name, _, value in pairs if name.isdigit())
        rest = {name: value for name, _, value in pairs if not name.isdigit()}
        return measure(**rest, **({"gains": gains} if gains else {}))

    return Family(alone=measure, whole=make)


FAMILIES: dict[str, Family] = {
    "num_q": Family(alone=c.NumQ, of_queries=False),
    "num_ret": Family(alone=c.NumRet),
    "num_rel": Family(alone=c.NumRel),
    "num_rel_ret": Family(alone=c.NumRelRet),
    "map": Family(alone=c.AP),
    "gm_map": Family(alone=c.gm_map, of_queries=False),
    "Rprec": Family(alone=c.Rprec),
    "bpref": Family(alone=c.bpref),
    "recip_rank": Family(alone=c.RR),
    "iprec_at_recall": Family(
        cut=c.IPrec,
        each=lambda text: c.IPrec @ float(text),
        default=TENTHS,
        spelled=_two_decimals,
    ),
    "P": _at(c.P),
    "recall": _at(c.R),
    "infAP": Family(alone=c.infAP),
    "gm_bpref": Family(alone=c.gm_bpref, of_queries=False),
    "Rprec_mult": Family(
        each=lambda text: c.Rprec(mult=text), default=FIFTHS, spelled=_two_decimals
    ),
    "utility": Family(alone=c.Utility, whole=lambda text: c.Utility(weights=text)),
    "11pt_avg": Family(alone=c.AvgIPrec, whole=lambda text: c.AvgIPrec(recalls=text)),
    "binG": Family(alone=c.binG),
    "G": _gains(c.G),
    "dcg": _gains(c.DCG(gain="linear")),
    "ideal_dcg": _gains(IUB(c.DCG(gain="linear"))),
    "ndcg": _gains(_ndcg),
    "ndcg_rel": _gains(c.ndcg_rel),
    "Rndcg": _gains(c.Rndcg),
    "ndcg_cut": _at(_ndcg),
    "map_cut": _at(c.AP),
    "relative_P": _at(U(c.P)),
    "success": _at(c.Success, ("1", "5", "10")),
    "set_P": Family(alone=c.SetP),
    "set_relative_P": Family(alone=U(c.SetP)),
    "set_recall": Family(alone=c.SetR),
    "set_map": Family(alone=c.SetAP),
    "set_F": Family(alone=c.SetF, whole=lambda text: c.SetF(beta=text)),
    "num_nonrel_judged_ret": Family(alone=c.NumNonrelRet),
    "yaap": Family(alone=c.yaap),
    "rbp": _named(c.rbp),
    "rbp_resid": _named(c.rbp_resid),
    "unj": _at(c.unj, ("5", "10", "20")),
}
"""What -m takes, in the order in which it is printed."""

_SET = ("num_q", "num_ret", "num_rel", "num_rel_ret")
NICKNAMES = {
    "official": (*_SET, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_SET, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(name for name in FAMILIES if name not in ("dcg", "ideal_dcg", "yaap")),
}
"""Lists of them."""


def trec_measure(name: str) -> Measure | None:
    """The measure that trec_eval prints so, or None.

    >>> str(trec_measure("iprec_at_recall_0.10"))
    'IPrec@0.1'
    """
    if name in FAMILIES:
        return FAMILIES[name].alone
    family = _family_name(name)
    if family is None:
        return None
    make = FAMILIES[family].each or FAMILIES[family].whole
    try:
        return make(name.removeprefix(f"{family}_")) if make else None
    except ValueError as error:
        if isinstance(error, BadUsage):
            raise
        return None


def _family_name(name: str) -> str | None:
    known = [family for family in FAMILIES if f"{name}_".startswith(f"{family}_")]
    return max(known, key=len, default=None)


def family_of(name: str) -> Family:
    """The family that a single name belongs to.

    >>> family_of("gm_map").of_queries
    False
    """
    family = _family_name(name)
    if family is None:
        raise BadUsage(f"trec_eval has no measure {name!r}")
    return FAMILIES[family]


def expand(text: str) -> list[str]:
    """The single names in what trec_eval's -m takes: `P.5,10`, `ndcg_cut`, `official`.

    >>> expand("P.10,5")
    ['P_5', 'P_10']
    >>> expand("utility.2,-1,0,0")
    ['utility_2,-1,0,0']
    >>> expand("nDCG@10")
    ['nDCG@10']
    """
    name, dot, given = text.partition(".")
    if name in NICKNAMES:
        return [one for family in NICKNAMES[name] for one in expand(family)]
    family = FAMILIES.get(name)
    if family is None or (family.alone and not dot):
        return [text]
    if family.each:
        return [f"{name}_{one}" for one in _in_order(family, given.split(",") if dot else ())]
    return [f"{name}_{given}"] if family.whole else [name]  # others have no parameters to heed


def _in_order(family: Family, given: Sequence[str]) -> list[str]:
    spelled = [family.spelled(one) for one in given or family.default]
    try:
        return sorted(dict.fromkeys(spelled), key=float)
    except ValueError:
        raise BadUsage(f"{', '.join(given)}: these are not all numbers") from None
