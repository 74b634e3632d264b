"""The index: what its frames hold, and what its folder survives."""

import json

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli import index as index_command
from ulframe.cli.main import main
from ulframe.systems import bm25
from ulframe.systems.bm25 import store

DOCUMENTS = {"2": "to be or not to be", "10": "to do", "3": ""}


@pytest.fixture
def index():
    return bm25.build_index(DOCUMENTS)


@pytest.fixture
def folder(index, tmp_path):
    bm25.write_index(index, tmp_path / "index")
    return tmp_path / "index"


def test_the_frames_of_an_index(index):
    assert bm25.postings(index).collect().rows() == [
        ("be", "2", 2), ("do", "10", 1), ("not", "2", 1), ("or", "2", 1), ("to", "10", 1),
        ("to", "2", 2),
    ]  # fmt: skip
    assert index.documents.collect().rows() == [("10", 2, 0.0), ("2", 6, 0.0), ("3", 0, 0.0)]
    frequencies = [("be", 1), ("do", 1), ("not", 1), ("or", 1), ("to", 2)]
    assert index.terms.collect().rows() == frequencies


def test_more_documents_than_a_chunk_holds():
    documents = pl.DataFrame({"doc_id": range(12_000)}).with_columns(
        text=pl.format("all n{} m{}", pl.col("doc_id") % 7, pl.col("doc_id") % 5_000)
    )
    rows = documents.select(pl.col("doc_id").cast(pl.String), term=pl.col("text").str.split(" "))
    expected = rows.explode("term").with_columns(tf=pl.lit(1, pl.UInt32)).sort("term", "doc_id")
    found = bm25.postings(bm25.build_index(documents)).collect()
    assert found.equals(expected.select("term", "doc_id", "tf"))


def test_what_is_written_is_what_is_opened(index, folder):
    opened = bm25.open_index(folder)
    for name in ("terms", "documents", "postings"):
        assert getattr(opened, name).collect().equals(getattr(index, name).collect())
    assert opened.tokens == bm25.Tokens()
    queries = {"q": "be not"}
    runs = (bm25.search(each, queries).collect() for each in (index, opened))
    assert next(runs).equals(next(runs))


def test_how_texts_are_split_is_kept_with_the_index(tmp_path):
    tokens = bm25.Tokens(pattern="[a-z]+", stop=bm25.ENGLISH)
    bm25.write_index(bm25.build_index(DOCUMENTS, tokens), tmp_path / "index")
    assert bm25.open_index(tmp_path / "index").tokens == tokens


def test_an_index_without_a_document_or_a_token(tmp_path):
    for documents in (pl.DataFrame(schema={"doc_id": pl.String, "text": pl.String}), {"1": "?"}):
        bm25.write_index(bm25.build_index(documents), tmp_path / "index")
        index = bm25.open_index(tmp_path / "index")
        assert bm25.search(index, {"q": "to be"}).collect().height == 0


def test_an_index_of_another_format_is_refused(folder):
    about = json.loads((folder / store.ABOUT).read_text())
    about |= {"format": 99, "written_by": "ulframe 9.9"}
    (folder / store.ABOUT).write_text(json.dumps(about))
    says = "of format 99, written by ulframe 9.9; format 2 is read here. Build it again"
    with pytest.raises(ul.BadData, match=says):
        bm25.open_index(folder)


@pytest.mark.parametrize("name", ["terms", "documents", "postings"])
def test_a_damaged_table_is_named(folder, tmp_path, name, capsys):
    path = folder / f"{name}.parquet"
    whole = path.read_bytes()
    (tmp_path / "queries.txt").write_text("to be\n")
    search = ["search", str(folder), str(tmp_path / "queries.txt")]
    path.write_bytes(whole[:6] + b"x" * 30 + whole[36:])
    assert main(search) == 1
    said = " ".join(capsys.readouterr().err.split())  # a long path may break the line
    assert f"{path} is damaged: the index cannot be used. Build it again." in said
    for content in (whole[:-20], b""):
        path.write_bytes(content)
        with pytest.raises(ul.BadData, match=rf"{name}\.parquet is damaged: .* Build it again"):
            bm25.open_index(folder)
    pl.DataFrame({"other": [1]}).write_parquet(path)
    with pytest.raises(ul.BadData, match=rf"{name}\.parquet is damaged"):
        bm25.open_index(folder)
    path.unlink()
    with pytest.raises(ul.BadData, match=rf"{name}\.parquet is missing"):
        bm25.open_index(folder)


@pytest.mark.parametrize(
    "text",
    ["", '{"format": 2', "[]", "{}", '{"format": 2}', '{"format": 2, "tokens": {"stop": []}}'],
)
def test_a_damaged_description_is_named(folder, text):
    (folder / store.ABOUT).write_text(text)
    with pytest.raises(ul.BadData, match=r"index\.json is damaged: .* Build it again"):
        bm25.open_index(folder)


def test_an_index_is_refused_before_it_is_made(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(index_command, "build_index", lambda *_, **__: pytest.fail("it is made"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.txt").write_text("to be\n")
    for more, says in {
        "-o docs.txt": "docs.txt: there is something here that is no index",
        "-o no/index": "there is no folder 'no' to write to",
        "-o new --stop nosuch": "--stop nosuch: no such file to read; it is `english`, or a file",
        "-o new --pattern (": "pattern='(' is no regular expression: unclosed group\n",
    }.items():
        assert main(["index", "docs.txt", *more.split()]) == 2
        assert says in capsys.readouterr().err
    assert main(["index", "index/*.parquet", "-o", "index"]) == 2
    assert "index/documents.parquet, which is read, lies in it" in capsys.readouterr().err


def test_ids_that_occur_twice_are_told_with_the_files(tmp_path, capsys):
    (tmp_path / "docs.tsv").write_text("1\ta\n1\tb\n")
    assert main(["index", str(tmp_path / "docs.tsv"), "-o", str(tmp_path / "new")]) == 1
    assert "docs.tsv: 1 document ids occur more than once: ['1']" in capsys.readouterr().err


def test_where_there_is_no_index(tmp_path):
    with pytest.raises(ul.BadData, match="no index here; make one with `ulframe index`"):
        bm25.open_index(tmp_path)


def test_an_index_replaces_an_index_and_nothing_else(index, folder, tmp_path):
    bm25.write_index(bm25.build_index({"1": "new"}), folder)
    assert bm25.open_index(folder).documents.collect().height == 1
    with pytest.raises(ul.BadUsage, match="something here that is no index; it is left alone"):
        bm25.write_index(index, tmp_path)
    with pytest.raises(ul.BadUsage, match="there is no folder"):
        bm25.write_index(index, tmp_path / "nowhere" / "index")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_index_that_fails_leaves_the_old_one(folder, index, monkeypatch):
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        bm25.write_index(bm25.build_index({"1": "new"}), folder)
    monkeypatch.undo()
    assert bm25.open_index(folder).documents.collect().height == 3
    assert [path.name for path in folder.parent.iterdir()] == ["index"]
