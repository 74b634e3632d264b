"""Rankings of people as ordered pairs: by hand, by sets, and by every completion of every order."""

from itertools import combinations, permutations
from random import Random

import polars as pl
import pytest
from scipy.stats import kendalltau

import ulframe as ul
from tests.judges import scored
from ulframe.studies.experts import PAIR_MEASURES, compare, every_pair, to_reference

# Shared: p q r s. A: p > {q r} > s, B: {p q} > r > s, and t only in A, u only in B.
A = ["p", ["q", "r"], "t", "s"]
B = [["p", "q"], "u", "r", "s"]
HOMOGENISED = {
    # A orders pq pr ps qs rs, B orders pr ps qr qs rs: four alike, none reversed; six pairs.
    "pairs.P": 4 / 5,
    "pairs.R": 4 / 5,
    "pairs.fallout": 0 / 5,
    "pairs.F": 2 * 4 / (5 + 5),
    "pairs.CG": 4 * 1 + 2 * 0.5,
    "pairs.nCG": (4 + 2 * 0.5) / (5 + 1 * 0.5),
    "pairs.agreement": 4 / 6,
    "pairs.disagreement": 0 / 6,
    "pairs.uncertain": 2 / 6,
}
AS_GIVEN = {
    # A orders these and pt qt rt ts, B these and pu qu ur us; 15 pairs of six people.
    "pairs.P": 4 / 9,
    "pairs.R": 4 / 9,
    "pairs.uncertain": 11 / 15,
    "pairs.nCG": (4 + 11 * 0.5) / (9 + 6 * 0.5),
}
COMPLETED = {"pairs.P": 6 / 6, "pairs.CG": 6.0, "pairs.uncertain": 0 / 6}
REVERSED = {
    # C: s > r > p; pr ps rs of A and C, all reversed
    "pairs.P": 0 / 3,
    "pairs.fallout": 3 / 3,
    "pairs.CG": 0.0,
    "pairs.CG(right=2,absent=1,reversed=-1)": -3.0,
    "mean(pairs.nCG)": 0.0,
    "pairs.F(beta=2)": 0.0,
}


@pytest.mark.parametrize(
    ("b", "want", "procedure"),
    [
        (B, HOMOGENISED, {}),
        (B, AS_GIVEN, {"homogenise": False}),
        (B, COMPLETED, {"complete": True}),
        (["s", "r", "p"], REVERSED, {}),
    ],
)
def test_by_hand(b, want, procedure):
    assert scored(A, b, want, **procedure) == pytest.approx(want)


def test_f_leans_to_precision_or_recall():
    # A orders xy only; B orders xy xz yz: P = 1/1, R = 1/3
    got = scored(["x", "y", "z"][:2], ["x", "y", "z"], ["pairs.P", "pairs.R"], homogenise=False)
    assert got == {"pairs.P": 1.0, "pairs.R": pytest.approx(1 / 3)}
    want = {
        "pairs.F(beta=0.5)": 1.25 * (1 / 3) / (0.25 + 1 / 3),
        "pairs.F": 2 * (1 / 3) / (1 + 1 / 3),
        "pairs.F(beta=2)": 5 * (1 / 3) / (4 + 1 / 3),
        "mean(pairs.P)": (1 + 1 / 3) / 2,
        "mean(pairs.F(beta=2))": (5 * (1 / 3) / (4 + 1 / 3) + 5 * (1 / 3) / (4 / 3 + 1)) / 2,
    }
    assert scored(["x", "y"], ["x", "y", "z"], want, homogenise=False) == pytest.approx(want)


# ---------------------------------------------------------------- many small rankings
def orders(seed, count, people="pqrst", total=False):
    """`{contest: {a: {item: position}, b: ...}}`, with ties and people missing unless total."""
    random = Random(seed)
    made = {}
    for number in range(count):
        size = len(people) if total else random.randint(1, len(people))
        made[f"{number:03}"] = {
            name: {
                item: place if total else random.randint(1, size)
                for place, item in enumerate(random.sample(people, size))
            }
            for name in "ab"
        }
    return made


def frame(made):
    rows = [
        (contest, name, item, position)
        for contest, both in made.items()
        for name, ranking in both.items()
        for item, position in ranking.items()
    ]
    return pl.LazyFrame(rows, schema=["contest", "ranking", "item", "position"], orient="row")


def table(made, measures, **procedure):
    """`{(contest, ranking): {measure: score}}`."""
    rankings = frame(made)
    found: dict = {}
    rows = compare(rankings, every_pair(rankings), measures, **procedure).collect()
    for contest, ranking, measure, score in rows.select(
        "contest", "ranking", "measure", "score"
    ).iter_rows():
        found.setdefault((contest, ranking), {})[measure] = score
    return found


def pairs(ranking, people):
    return {(x, y) for x, y in permutations(people & set(ranking), 2) if ranking[x] < ranking[y]}


def share(part, whole):
    return part / whole if whole else None


@pytest.mark.parametrize("homogenise", [True, False])
def test_as_sets_of_pairs(homogenise):
    made = orders(1, 200)
    of_pairs = [name for name in PAIR_MEASURES if name.startswith("pairs.")]
    got = table(made, of_pairs, homogenise=homogenise)
    for (contest, name), scores in got.items():
        own, reference = made[contest][name], made[contest]["b" if name == "a" else "a"]
        people = set(own) & set(reference) if homogenise else set(own) | set(reference)
        mine, theirs = pairs(own, people), pairs(reference, people)
        back = {(y, x) for x, y in theirs}
        every = len(people) * (len(people) - 1) // 2
        agree, disagree = len(mine & theirs), len(mine & back)
        uncertain = every - agree - disagree
        want = {
            "pairs.P": share(agree, len(mine)),
            "pairs.R": share(agree, len(theirs)),
            "pairs.fallout": share(disagree, len(theirs)),
            "pairs.F": share(2 * agree, len(mine) + len(theirs)),
            "pairs.CG": agree + uncertain / 2,
            "pairs.nCG": share(agree + uncertain / 2, len(theirs) + (every - len(theirs)) / 2),
            "pairs.agreement": share(agree, every),
            "pairs.disagreement": share(disagree, every),
            "pairs.uncertain": share(uncertain, every),
        }
        assert scores == pytest.approx(want), (contest, name)


def extensions(people, pairs):
    """Every total order of these people that keeps these pairs."""
    for order in permutations(sorted(people)):
        place = {item: i for i, item in enumerate(order)}
        if all(place[x] < place[y] for x, y in pairs):
            yield place


def most_alike(people, mine, theirs):
    """The most pairs that any two completions order alike."""
    return max(
        sum((x[p] < x[q]) == (y[p] < y[q]) for p, q in combinations(sorted(people), 2))
        for x in extensions(people, mine)
        for y in extensions(people, theirs)
    )


def test_maximal_similarity_is_the_best_of_all_completions():
    made = orders(2, 60, people="pqrs")
    got = table(made, ["pairs.CG", "pairs.P", "pairs.R", "pairs.fallout"], complete=True)
    for (contest, name), scores in got.items():
        own, reference = made[contest][name], made[contest]["b" if name == "a" else "a"]
        people = set(own) & set(reference)
        best = most_alike(people, pairs(own, people), pairs(reference, people))
        assert scores["pairs.CG"] == best
        if len(people) > 1:
            assert scores["pairs.R"] + scores["pairs.fallout"] == pytest.approx(1)


def test_with_people_left_out_it_is_a_bound():
    made = orders(3, 60, people="pqrs")
    rankings = frame(made)
    rows = compare(
        rankings, every_pair(rankings), "pairs.CG", homogenise=False, complete=True
    ).collect()
    kinds = set()
    for contest, name, completion, score in rows.select(
        "contest", "ranking", "completion", "score"
    ).iter_rows():
        own, reference = made[contest][name], made[contest]["b" if name == "a" else "a"]
        people = set(own) | set(reference)
        best = most_alike(people, pairs(own, people), pairs(reference, people))
        assert score >= best
        if completion == "exact":
            assert set(own) == set(reference)
            assert score == best
        kinds.add(completion)
    assert kinds == {"exact", "bound"}


def as_pairs(**orders):
    rows = [(name, *pair) for name, order in orders.items() for pair in order.split()]
    return pl.DataFrame(rows, schema=["ranking", "better", "worse"], orient="row")


def test_incomparable_people():
    # a leaves x open: a > b, x > c; b is b > x > a > c
    rankings = as_pairs(a="ab xc ac", b="bx xa ac")
    wanted = to_reference(rankings, "b")
    got = compare(rankings, wanted, ["pairs.P", "pairs.R", "pairs.uncertain"]).collect()
    # a orders ab ac xc of which ac xc are b's; b orders all six; xa, bx, bc are open in a
    assert got["score"].to_list() == pytest.approx([2 / 3, 2 / 6, 3 / 6])
    assert set(got["completion"]) == {"none"}


def test_one_pair_can_agree_and_the_bound_says_two():
    rankings = as_pairs(a="ab", b="bx xa")
    got = compare(
        rankings, to_reference(rankings, "b"), "pairs.CG", homogenise=False, complete=True
    ).collect()
    assert got.select("completion", "score").row(0) == ("bound", 2.0)
    assert most_alike(set("abx"), {("a", "b")}, {("b", "x"), ("x", "a")}) == 1


def test_the_bound_of_partial_orders_is_one():
    random = Random(4)
    for _ in range(30):
        texts = {}
        for name in "ab":
            line = random.sample("pqrs", 4)
            kept = ["".join(p) for p in combinations(line, 2) if random.random() < 0.5]
            texts[name] = " ".join(kept or ["".join(line[:2])])
        rankings = as_pairs(**texts)
        row = compare(
            rankings, to_reference(rankings, "b"), "pairs.CG", homogenise=False, complete=True
        ).collect()
        mine, theirs = ({tuple(p) for p in texts[name].split()} for name in "ab")
        people = set("".join(texts.values()).replace(" ", ""))
        best = most_alike(people, mine, theirs)
        assert row["score"].item() >= best
        if row["completion"].item() == "exact":
            assert row["score"].item() == best


def test_pairs_that_make_a_ranking_with_ties_are_one():
    # p > {q r} > s by its pairs; of places, the same
    given = as_pairs(a="pq pr qs rs", b="pq qr rs")
    placed = {"a": ["p", ["q", "r"], "s"], "b": ["p", "q", "r", "s"]}
    measures = ["pairs.P", "pairs.R", "P@2", "nDCG@3"]
    for complete in (False, True):
        rows = [
            compare(x, to_reference(x, "b"), measures, complete=complete)
            .select("completion", "measure", "score")
            .collect()
            .rows()
            for x in (given, placed)
        ]
        assert rows[0] == rows[1]


# ---------------------------------------------------------------- identities
def test_identities():
    measures = ["pairs.P", "pairs.R", "pairs.CG", "pairs.nCG", "pairs.agreement", "pairs.uncertain"]
    made = orders(5, 200)
    for homogenise in (True, False):
        got = table(made, measures, homogenise=homogenise)
        for (contest, name), scores in got.items():
            back = got[contest, "b" if name == "a" else "a"]
            assert scores["pairs.P"] == back["pairs.R"]
            both = (set(made[contest]["a"]), set(made[contest]["b"]))
            n = len(both[0] & both[1] if homogenise else both[0] | both[1])
            if n < 2:
                assert scores["pairs.nCG"] is None
                continue
            share = scores["pairs.agreement"] + scores["pairs.uncertain"] / 2
            assert scores["pairs.CG"] == pytest.approx(n * (n - 1) / 2 * share)
            assert 0 <= scores["pairs.nCG"] <= 1


def test_total_orders_have_one_number():
    made = orders(6, 50, people="pqrstuv", total=True)
    for (contest, _), scores in table(made, ["pairs.P", "pairs.R", "pairs.F"]).items():
        a, b = ([made[contest][name][item] for item in "pqrstuv"] for name in "ab")
        want = (kendalltau(a, b).statistic + 1) / 2
        assert list(scores.values()) == pytest.approx([want] * 3)


def test_blocks_do_not_show(monkeypatch):
    """However few pairs, references and people are laid out at a time, the scores are the same."""
    from ulframe.studies.experts import blocks, counting

    made = {
        f"{c}{name}": ranking for c, both in orders(7, 6).items() for name, ranking in both.items()
    }
    rows = [(r, item, place) for r, ranking in made.items() for item, place in ranking.items()]
    rankings = pl.LazyFrame(rows, schema=["ranking", "item", "position"], orient="row")
    measures = ["pairs.P", "pairs.CG", "P@2", "nDCG"]
    whole = compare(rankings, every_pair(rankings), measures).collect()
    monkeypatch.setattr(counting, "CELLS", 1)
    monkeypatch.setattr(counting, "REFERENCES", 2)
    monkeypatch.setattr(blocks, "ROWS", 5)
    plan = compare(rankings, every_pair(rankings), measures)
    parts = plan.collect()
    assert parts.drop("score").equals(whole.drop("score"))
    assert parts["score"].to_list() == pytest.approx(whole["score"].to_list())
    assert plan.head(7).collect().height == 7
    few = plan.filter(pl.col("measure") == "P@2").select("score").collect()
    assert few.height == whole.height // len(measures)


# ---------------------------------------------------------------- what is refused, what undefined
def test_nothing_shared_is_undefined_and_so_are_pairs_of_one():
    measures = ["pairs.P", "pairs.CG", "pairs.nCG", "P@1", "nDCG"]
    assert set(scored(["x"], ["y"], measures).values()) == {None, 0.0}
    assert scored(["x"], ["x"], measures) == {
        "pairs.P": None, "pairs.CG": 0.0, "pairs.nCG": None, "P@1": 1.0, "nDCG": 1.0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ({"a": ["x", "y", "x"], "b": ["x"]}, "ranking 'a' .* ranks 'x' 2 times"),
        (as_pairs(a="xy", b="pq qr rp"), "ranking 'b' .* in a circle: p > q > r > p"),
        (as_pairs(a="xx", b="pq"), "ranking 'a' .* in a circle: x > x"),
        ({"a": ["x", "y"]}, "no contest has two rankings"),
        (
            pl.DataFrame(schema={"ranking": pl.String, "item": pl.String, "position": pl.Float64}),
            "rows",
        ),
    ],
)
def test_refused(rankings, message):
    with pytest.raises(ul.BadData, match=message):
        compare(rankings, every_pair(rankings), "pairs.P").collect()


def test_a_reference_that_is_not_there():
    rankings = {"a": ["x", "y"], "b": ["x"]}
    with pytest.raises(ul.BadData, match="contest 'contest' has no ranking 'c'; it has 'a', 'b'"):
        compare(rankings, to_reference(rankings, "c")).collect()


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("pairs.Q", "did you mean"),
        ("pairs.F(beta=0)", "a number above 0"),
        ("pairs.P(beta=1)", "no parameter beta"),
        ("mean(nDCG)", "takes a measure over pairs"),
        ([], "no measure"),
        ("RR", "does not follow"),
        ("bpref", "does not follow"),
    ],
)
def test_measures_that_there_are_not(measure, message):
    rankings = {"a": ["x", "y"], "b": ["x"]}
    with pytest.raises(ul.BadUsage, match=message):
        compare(rankings, every_pair(rankings), measure)


def test_no_ranks_for_incomparable_people():
    rankings = as_pairs(a="xy pq", b="xy yp pq")
    with pytest.raises(ul.BadData, match=r"ranking 'a' .* incomparable"):
        compare(rankings, every_pair(rankings), "P@1").collect()


@pytest.mark.parametrize(
    "name", [*PAIR_MEASURES, "pairs.F(beta=0.5)", "mean(pairs.CG(absent=0.3))"]
)
def test_names_parse_back(name):
    from ulframe.studies.experts.pair_measures import parse_pairs

    assert str(parse_pairs(name)) == name
