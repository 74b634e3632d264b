"""What is known of formats and packings by a file's name alone, and outputs that are folders."""

from collections import Counter

import pytest

from ulframe.frames.atomic import appearing_folder
from ulframe.frames.endings import split_ending
from ulframe.frames.files import File
from ulframe.frames.formats import FORMATS, TABLE_ENDINGS, TABLES, is_packed
from ulframe.frames.sniff import sniff


def test_rows_are_told_apart():
    assert max(Counter(row.name for row in FORMATS).values()) == 1
    assert max(Counter(TABLE_ENDINGS).values()) == 1
    assert max(Counter(magic for row in FORMATS for magic in row.magic).values()) == 1


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bm25.run", ("bm25", ".run")),
        ("bm25.run.gz", ("bm25", ".run")),
        ("bm25.RUN.ZST", ("bm25", ".run")),
        ("runs/bm25.v2.feather", ("runs/bm25.v2", ".feather")),
        ("input.bm25", ("input.bm25", "")),
        (".run", (".run", "")),
    ],
)
def test_endings(name, parts):
    assert split_ending(name) == parts


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        *((f"t{ending}", False) for ending in (".res", ".results", ".top", ".csv", ".jsonl", "")),
        *((f"t{ending}", True) for ending in (".gz", ".csv.zst", ".parquet", ".ipc")),
    ],
)
def test_what_is_larger_in_memory(name, packed):
    assert is_packed(name) == packed


@pytest.mark.parametrize(
    ("where", "text", "name"),
    [
        ("-", b"1 0 d 1\n", "trec"),
        ("-", b"\xef\xbb\xbf\n# comment\nqid,docno,rel\n", "csv"),
        ("-", b"films by kubrick\t12 13\n", "benchmark"),
        ("-", b"run, forrest\t12\n", "benchmark"),  # though `run` is a column's name
        ("t.tsv", b"films by kubrick\t12 13\n", "benchmark"),
        ("t.tsv", b"q\t0\td\t1\n", "trec"),
        ("t.tsv", b"qid\tdocno\trel\n", "tsv"),
        ("t.csv", b"what,ever\n", "csv"),
        ("t.txt", b"1 qid:3 1:0.5\n", "letor"),
        ("t.run", b"PAR1", "parquet"),
    ],
)
def test_what_a_file_is(where, text, name):
    assert sniff(File(text, where)).name == name


def test_where_a_table_is_wanted_its_ending_is_believed():
    assert sniff(File(b"a\tb\n", "t.tsv"), among=TABLES).name == "tsv"


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "made"
    for text in ("first", "second"):
        with appearing_folder(folder) as unfinished:
            (unfinished / text).touch()
        assert [file.name for file in folder.iterdir()] == [text]

    def fail():
        with appearing_folder(folder) as unfinished:
            (unfinished / "third").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [file.name for file in tmp_path.iterdir()] == ["made"]
    assert [file.name for file in folder.iterdir()] == ["second"]
