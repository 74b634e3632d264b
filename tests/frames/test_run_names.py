"""What runs are called: by column, by tag, by file, and by folder where that is not enough."""

import polars as pl
import pytest

from ulframe.frames import scan_runs


def write(folder, files):
    """Write TREC text with the tags of `files`, or a csv (whose tags are a column, or none)."""
    for name, tags in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"q Q0 d{number} 0 1 {tag}\n" for number, tag in enumerate(tags or [""])]
        if path.suffix == ".csv":
            names, rows = (
                ("run,", [f"{tag},q,d,1\n" for tag in tags]) if tags else ("", ["q,d,1\n"])
            )
            rows.insert(0, f"{names}query_id,doc_id,score\n")
        path.write_text("".join(rows))


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({"a.run": ["bm25"]}, {"bm25"}),
        ({"a.run": ["bm25", "dl", "bm25"]}, {"bm25", "dl"}),
        ({"a.run": ["bm25"], "b.run": ["dl"]}, {"bm25", "dl"}),
        ({"a.run": ["bm25", "x"], "b.run": ["dl"]}, {"bm25", "x", "dl"}),
        # a shared tag: all by file
        ({"a.run": ["t"], "b.v2.txt": ["t"], "input.c": ["u"]}, {"a", "b.v2", "input.c"}),
        ({"a.run": ["t", "u", "t"], "b.run": ["t"]}, {"a:t", "a:u", "b"}),
        ({"a.run": ["t", "u"], "b.run": ["v", "u"]}, {"a:t", "a:u", "b:v", "b:u"}),
        # files of one name: by folder too, as far as it takes
        ({"x/a.run": ["t"], "y/a.run": ["t"], "y/b.run": ["t"]}, {"x/a", "y/a", "b"}),
        ({"1/x/a": ["t"], "2/x/a": ["t"], "2/y/a": ["t"]}, {"1/x/a", "2/x/a", "y/a"}),
        # tables: by file, or by their own column
        ({"a.csv": []}, {"a"}),
        ({"a.csv": [], "b.csv": []}, {"a", "b"}),
        ({"x/a.csv": [], "y/a.csv": []}, {"x/a", "y/a"}),
        ({"a.csv": ["t", "u"]}, {"t", "u"}),
        ({"a.csv": ["t"], "b.csv": ["t"]}, {"t"}),  # parts of one run
        ({"a.csv": [], "b.run": ["a"]}, {"a", "b"}),
        ({"a.csv": [], "b.run": ["t"], "c.run": ["t"]}, {"a", "b", "c"}),
    ],
)
def test_names(tmp_path, files, names):
    write(tmp_path, files)
    runs = scan_runs([tmp_path / name for name in files]).collect()
    assert set(runs["run"]) == names


def test_files_that_differ_in_their_endings_alone_are_called_by_them(tmp_path):
    write(tmp_path, {"a.run": ["t"], "a.txt": ["t"]})
    runs = scan_runs(tmp_path).collect()
    assert set(runs["run"]) == {str(tmp_path / "a.run"), str(tmp_path / "a.txt")}


def test_a_tag_that_shows_up_late_counts(tmp_path):
    write(tmp_path, {"a.run": ["t"] * 5000 + ["u"], "b.run": ["u"]})
    assert set(scan_runs(tmp_path).collect()["run"]) == {"a:t", "a:u", "b"}


def test_frames_are_named_by_their_column_or_run():
    frame = pl.DataFrame({"qid": ["q"], "docno": ["d"], "score": [1.0]})
    assert scan_runs(frame).collect()["run"].to_list() == ["run"]
    assert scan_runs(frame.with_columns(run_id=pl.lit("x"))).collect()["run"].to_list() == ["x"]


def test_runs_as_submitted_are_named_by_their_tags(shared):
    runs = scan_runs(shared / "robust03" / "runs").select("run").unique().collect()
    paths = (shared / "robust03" / "runs").iterdir()
    assert set(runs["run"]) == {path.name.split(".")[1] for path in paths}


def test_runs_with_one_tag_for_all_are_named_by_file(shared):
    runs = scan_runs(shared / "cranfield" / "runs").select("run").unique().collect()
    paths = (shared / "cranfield" / "runs").iterdir()
    assert set(runs["run"]) == {path.name.split(".")[0] for path in paths}
