"""LETOR text with all its features: dense, sparse, with query sizes, missing values, broken."""

import gzip
import random

import polars as pl
import pytest

from ulframe.frames import BadData, BadUsage
from ulframe.frames.features import CHUNK, scan_letor

TEXT = """\
# made by hand
2 qid:10 1:0.5 2:-1e-3 3:7 #docid = GX-1 inc = 0.01 prob = 0.1

0 qid:10 1:0.25\t3:NULL # docid=GX-2 9:9
1 qid:9  2:nan 3:null
0 qid:10 #
"""


ASCEND = "features must ascend in a line, or `features` say how many"


def features(path, **options):
    frame = scan_letor(path, **options).collect()
    return frame.select("^f.*$").rows()


@pytest.fixture
def letor(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text(TEXT)
    return path


def test_lines_become_rows(letor):
    frame = scan_letor(letor).collect()
    assert frame.select("query_id", "doc_id", "label").rows() == [
        ("10", "GX-1", 2), ("10", "GX-2", 0), ("9", "000001", 1), ("10", "000003", 0),
    ]  # fmt: skip
    small = pl.Series([-1e-3], dtype=pl.Float32)[0]
    assert frame.select("^f.*$").rows() == [
        (0.5, small, 7.0),
        (0.25, 0.0, None),  # a feature that is not there is 0, one that is NULL is null
        (0.0, None, None),
        (0.0, 0.0, 0.0),
    ]
    kinds = {"label": pl.Int32, **dict.fromkeys(["f1", "f2", "f3"], pl.Float32)}
    assert {name: frame.schema[name] for name in kinds} == kinds


def test_more_features_may_be_asked_for_than_lines_end_with(letor):
    assert [len(row) for row in features(letor, features=5)] == [5] * 4


def test_labels_that_are_not_whole_stay(tmp_path):
    (tmp_path / "a").write_text("0.5 qid:1 1:1\n1 qid:1 1:2\n")
    assert scan_letor(tmp_path / "a").collect()["label"].to_list() == [0.5, 1.0]


def test_many_lines_against_a_plain_reader(tmp_path):
    draw = random.Random(0)
    n, width = 2 * CHUNK + 17, 6
    rows = [
        {f: draw.randrange(100) for f in range(1, width + 1) if draw.random() < 0.5}
        for _ in range(n)
    ]
    path = tmp_path / "vali.txt.gz"
    with gzip.open(path, "wt") as file:
        for i, row in enumerate(rows):
            pairs = " ".join(f"{f}:{value}" for f, value in row.items())
            file.write(f"{i % 3} qid:{i // 40} {pairs}\n")
    frame = scan_letor(path, features=width).collect()
    assert frame.select("^f.*$").rows() == [
        tuple(float(row.get(f, 0)) for f in range(1, width + 1)) for row in rows
    ]
    assert frame["query_id"].to_list() == [str(i // 40) for i in range(n)]
    assert frame["doc_id"].to_list() == [f"{i % 40 + 1:06}" for i in range(n)]
    assert frame["label"].to_list() == [i % 3 for i in range(n)]


def test_it_goes_on_as_a_plan(letor):
    plan = scan_letor(letor)
    assert plan.filter(pl.col("label") > 0).select("f1").collect()["f1"].to_list() == [0.5, 0.0]
    assert plan.head(2).collect().height == 2
    assert plan.select("doc_id").collect(engine="in-memory")["doc_id"][0] == "GX-1"


# ------------------------------------------------------------------ sizes
@pytest.mark.parametrize("name", ["rank.query", "rank.txt.query"])
def test_query_sizes_lie_beside_the_text(tmp_path, name):
    (tmp_path / "rank.txt").write_text("1 1:1\n0 1:2\n2 1:3\n")
    (tmp_path / name).write_text("2\n0\n1\n")
    frame = scan_letor(tmp_path / "rank.txt").collect()
    assert frame.select("query_id", "doc_id", "f1").rows() == [
        ("rank:1", "000001", 1.0), ("rank:1", "000002", 2.0), ("rank:3", "000001", 3.0),
    ]  # fmt: skip


def test_query_sizes_may_be_named(tmp_path):
    (tmp_path / "rank.txt").write_text("1 1:1\n0 1:2\n")
    (tmp_path / "sizes").write_text("1\n1\n")
    frame = scan_letor(tmp_path / "rank.txt", queries=tmp_path / "sizes").collect()
    assert frame["query_id"].to_list() == ["rank:1", "rank:2"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("1\n2\n", r"sizes: its sizes add up to 3, but .*rank\.txt has 2 documents"),
        ("1\nx\n", "sizes: a line is not the number of a query's documents"),
        ("3\n-1\n", "sizes: a line is not the number of a query's documents"),
    ],
)
def test_sizes_must_fit(tmp_path, sizes, message):
    (tmp_path / "rank.txt").write_text("1 1:1\n0 1:2\n")
    (tmp_path / "sizes").write_text(sizes)
    with pytest.raises(BadData, match=message):
        scan_letor(tmp_path / "rank.txt", queries=tmp_path / "sizes")


# -------------------------------------------------------------- bad input
@pytest.mark.parametrize("line", ["1 1:0.5", "x qid:1 1:0.5", "1", "nan qid:1 1:1", "inf qid:1"])
def test_a_line_without_label_or_query_is_named(tmp_path, line):
    path = tmp_path / "fold.txt"
    path.write_text(f"# made by hand\n1 qid:1 1:0.5\n{line}\n")
    with pytest.raises(BadData, match=r"fold\.txt, line 3: no LETOR line, which is `label qid:N"):
        scan_letor(path)


@pytest.mark.parametrize(
    ("feature", "wrong"),
    [
        ("x:1", "not `number:value`, from 1"),
        ("-1:1", "not `number:value`, from 1"),
        ("0.5", "not `number:value`, from 1"),
        ("2:one", "not `number:value`, from 1"),
        ("2:", "not `number:value`, from 1"),
        ("8:1", f"beyond the 7 features; {ASCEND}"),
        ("7:1", "there twice"),
        ("2:inf", "infinite or beyond 1e+38"),
        ("2:-1e39", "infinite or beyond 1e+38"),
    ],
)
def test_a_feature_that_cannot_be_read_is_named(tmp_path, feature, wrong):
    path = tmp_path / "fold.txt"
    path.write_text(f"1 qid:1 1:0.5\n\n0 qid:1 {feature} 7:1\n")
    with pytest.raises(BadData) as error:
        scan_letor(path).collect()
    assert str(error.value) == f"{path}, line 3: feature {feature!r} is {wrong}"


def test_without_queries_it_is_said_where_sizes_were_looked_for(tmp_path):
    (tmp_path / "rank.txt").write_text("1 1:1\n")
    with pytest.raises(BadData, match=r"no line has `qid:N`, .*\(rank\.query or rank\.txt\.query"):
        scan_letor(tmp_path / "rank.txt")


def test_an_empty_file_and_no_features(letor, tmp_path):
    (tmp_path / "empty").write_text("# nothing\n\n")
    with pytest.raises(BadData, match="empty: no document in it"):
        scan_letor(tmp_path / "empty")
    (tmp_path / "bare").write_text("1 qid:1\n0 qid:1 # 1:2\n")
    with pytest.raises(BadData, match="bare: no line ends with a feature"):
        scan_letor(tmp_path / "bare")
    with pytest.raises(BadUsage, match="features=0: it is from 1 to 100000"):
        scan_letor(letor, features=0)


def test_features_may_be_in_any_order_where_it_is_said_how_many(tmp_path):
    path = tmp_path / "fold.txt"
    path.write_text("0 qid:1 3:0.5 1:2 2:3\n")
    with pytest.raises(BadData, match=f"line 1: feature '3:0.5' is beyond the 2 .*; {ASCEND}"):
        scan_letor(path).collect()
    assert features(path, features=3) == [(2.0, 3.0, 0.5)]


@pytest.mark.parametrize("number", [100_001, 2_000_000_000, 10**30])
def test_a_feature_number_that_would_ask_for_all_memory_is_named(tmp_path, number):
    path = tmp_path / "fold.txt"
    path.write_text(f"1 qid:1 1:0.5\n\n0 qid:1 {number}:0.5\n")
    with pytest.raises(BadData, match=r"fold\.txt, line 3: feature \d+: at most 100000"):
        scan_letor(path)
    with pytest.raises(BadUsage, match="it is from 1 to 100000"):
        scan_letor(path, features=number)


def test_features_that_count_from_0(tmp_path):
    path = tmp_path / "fold.txt"
    path.write_text("1 qid:1 0:0.5 2:3\n0 qid:1 1:4\n")
    frame = scan_letor(path).collect()
    assert frame.columns[3:] == ["f0", "f1", "f2"]
    assert features(path) == [(0.5, 0.0, 3.0), (0.0, 4.0, 0.0)]
    assert features(path, features=4) == [(0.5, 0.0, 3.0, 0.0), (0.0, 4.0, 0.0, 0.0)]


# -------------------------------------------------------------- real data
def test_mq2008(shared):
    frame = scan_letor(shared / "mq2008" / "S1.txt.gz").collect()
    assert frame.shape == (2933, 3 + 46)
    with gzip.open(shared / "mq2008" / "S1.txt.gz", "rt") as file:
        first = next(file).split()
    values = pl.Series([float(token.partition(":")[2]) for token in first[2:48]], dtype=pl.Float32)
    assert list(frame.row(0)) == [first[1][4:], first[50], int(first[0]), *values]


def test_lightgbm_example(shared):
    folder = shared / "lightgbm-lambdarank"
    frame = scan_letor(folder / "rank.train.gz").collect()
    assert frame.shape == (3005, 3 + 300)
    assert sorted(frame["label"].unique()) == [0, 1, 2, 3, 4]
    sizes = frame.group_by("query_id", maintain_order=True).len()["len"].to_list()
    assert sizes == [int(line) for line in (folder / "rank.train.query").read_text().split()]
