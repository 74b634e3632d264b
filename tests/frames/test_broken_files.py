"""Files that break off, lie or never end: refused with the file, and the line if there is one."""

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from ulframe.cli.main import main
from ulframe.frames import BadData, packings, scan_qrels, scan_runs

LINES = "".join(f"{n // 100} Q0 d{n} 1 {n} t\n" for n in range(20_000))
PACKED = gzip.compress(LINES.encode())
MEGABYTE = 2**20


def flipped(data: bytes, at: int, many: int = 40) -> bytes:
    """The same with some bytes turned."""
    return data[:at] + bytes(byte ^ 0x5A for byte in data[at : at + many]) + data[at + many :]


def table(write: Callable[[pl.DataFrame, Path], object], path: Path) -> bytes:
    """The bytes of a run in a binary format."""
    rows = [("1", f"d{n}", n * 0.37 % 1) for n in range(20_000)]
    write(pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row"), path)
    return path.read_bytes()


TEXT = {
    "head.gz": (b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xff\xff\xff\xff", "head.gz: cannot be unpacked"),
    "cut.gz": (PACKED[: len(PACKED) // 2], "cut.gz: cannot be unpacked"),
    "wrong.gz": (flipped(PACKED, len(PACKED) // 2), "wrong.gz: cannot be unpacked"),
    "latin.run": (LINES.encode() + b"1 Q0 d\xfc 1 1 t\n", "latin.run, line 20001: not UTF-8 text"),
    "mac.run": (b"1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r", "mac.run: its lines end in a carriage return"),
    "long.run": (LINES.encode() + b"1 Q0 " + b"d" * MEGABYTE, "line 20001: longer than 1,048,576"),
    "zeros.gz": (gzip.compress(b"\0" * 8 * MEGABYTE), "zeros.gz: neither text in UTF-8"),
    "zeros.xz": (lzma.compress(b"\0" * 8 * MEGABYTE), "zeros.xz: cannot be unpacked .1,048,576 b"),
    "blank.gz": (
        gzip.compress(LINES.encode() + b"\n" * 8 * MEGABYTE),
        r"blank.gz, line \d+: [\d,]+ bytes of blank lines begin",
    ),
    "more.csv": (b"qid,docno,score\n1,a,1\n1,b,2,3\n", "more.csv, row 2 behind the header: more"),
    "few.csv": (b"qid,docno,score\n1,a,1\n1,b\n", "few.csv: .*doc_id='b', score=None"),
    "end.csv": (b'qid,docno,score\n1,"a\nb",1\n', "end.csv, row 1 .*a line's end in a value"),
    "quote.csv": (b'qid,docno,score\n1,"a,1\n', "quote.csv: its quotes do not match"),
    "long.csv": (b"qid,docno,score\n1," + b"d" * MEGABYTE, "long.csv, line 2: longer than"),
    "twice.jsonl": (
        b'{"qid":"1","docno":"a","score":1,"score":2}\n',
        "twice.jsonl, line 1: .*'score' stands twice in one object",
    ),
    "cut.jsonl": (
        b'{"qid":"1","docno":"a","score":1}\n{"qid":"1","docno":\n',
        "cut.jsonl, line 2: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXT)
def test_a_run_that_cannot_be_read(name, tmp_path):
    content, says = TEXT[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadData, match=says) as error:
        scan_runs(tmp_path / name).collect()
    assert str(tmp_path) in str(error.value)
    assert "truncate_ragged_lines" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("inf.txt", "1 0 a 1\n1 0 b inf\n", "inf.txt, line 2: '1 0 b inf' has no number"),
        ("inf.letor", "1 qid:1 1:1\ninf qid:1 1:1\n", "inf.letor, line 2: .* is no LETOR line"),
        ("word.letor", "1 qid:1 1:1\n1 qid:1 1:abc\n", "word.letor, line 2: .* is no LETOR line"),
    ],
)
def test_qrels_that_cannot_be_read(name, content, says, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(BadData, match=says):
        scan_qrels(tmp_path / name).collect()


@pytest.mark.parametrize(
    ("name", "write"),
    [("bad.parquet", pl.DataFrame.write_parquet), ("bad.arrow", pl.DataFrame.write_ipc)],
)
def test_of_many_runs_the_one_with_broken_pages_is_named(name, write, tmp_path, capsys):
    whole = table(write, tmp_path / name)
    (tmp_path / name).write_bytes(flipped(whole, len(whole) // 3, 400))
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("1 0 d1 1\n")
    run.write_text("1 Q0 d1 1 1 t\n")
    runs = [str(run), str(tmp_path / name), str(qrels.with_name("run.txt"))]
    assert main(["eval", str(qrels), *runs, "-m", "AP"]) == 1
    assert f"{tmp_path / name}: cannot be read: " in capsys.readouterr().err


def test_a_tag_that_is_a_columns_name_makes_no_header(tmp_path):
    for tag in ("run", "tag", "rel", "score"):
        (tmp_path / "run.tsv").write_text(f"1\tQ0\ta\t1\t2.5\t{tag}\n1\tQ0\tb\t2\t1.5\t{tag}\n")
        rows = scan_runs(tmp_path / "run.tsv").collect().rows()
        assert rows == [(tag, "1", "a", 2.5), (tag, "1", "b", 1.5)]


@pytest.mark.parametrize(
    ("name", "write", "fits"),
    [
        ("run.json", lambda text: text, 20),
        ("run.json.gz", gzip.compress, 20),
        ("run.json.xz", lzma.compress, 20),
        ("run.jsonl.xz", lzma.compress, 3),
    ],
)
def test_what_must_be_read_whole_fits_into_memory(tmp_path, monkeypatch, name, write, fits):
    """JSON takes 20 times its size as Python's objects, what only Python unpacks 3 times."""
    rows = [f'{{"query_id": "1", "doc_id": "d{n}", "score": {n}}}' for n in range(60_000)]
    text = "\n".join(rows) if "jsonl" in name else f"[{','.join(rows)}]"
    assert len(text) > 2 * MEGABYTE
    (tmp_path / name).write_bytes(write(text.encode()))
    monkeypatch.setattr(packings, "available", lambda: 20 * len(text))
    assert scan_runs(tmp_path / name).collect().height == len(rows)
    monkeypatch.setattr(packings, "available", lambda: fits * MEGABYTE)
    with pytest.raises(BadData, match=rf"{name}: .*more than 1 MiB of text.*{fits} times"):
        scan_runs(tmp_path / name).collect()
