"""From folds of feature files to runs: the folders' layouts, leaks, samples, the command."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ulframe as ul
from ulframe.cli import letor as command
from ulframe.cli.main import main
from ulframe.frames.features import scan_letor
from ulframe.systems.letor import find_folds, load, sample_queries, survey


def text(first, queries=8, documents=6, features=3):
    """LETOR text of a ranking by the first feature; its queries are numbered from `first`."""
    random = np.random.default_rng(first)
    lines = []
    for query in range(first, first + queries):
        for values in random.uniform(size=(documents, features)):
            pairs = " ".join(f"{number}:{value:.4f}" for number, value in enumerate(values, 1))
            lines.append(f"{int(values[0] * 3)} qid:{query} {pairs}\n")
    return "".join(lines)


@pytest.fixture
def parts(tmp_path):
    """LETOR's five parts."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(1, 6):
        (folder / f"S{number}.txt").write_text(text(100 * number))
    (folder / "readme.txt").write_text("Fold1 trains on S1, S2, S3")
    return folder


def fold_folder(folder, shift):
    folder.mkdir(parents=True)
    for part, first in (("train", 1), ("vali", 2), ("test", 3)):
        (folder / f"{part}.txt").write_text(text(1000 * shift + 100 * first))
    return folder


def only_fold(folder):
    (fold,) = find_folds(folder)
    return load(fold, survey([fold]))


def run(*arguments):
    return main(["letor", *map(str, arguments)])


# ------------------------------------------------------------------- layouts
def test_parts_go_round(parts):
    folds = find_folds(parts)
    names = [
        [[path.name[:2] for path in files] for files in (fold.train, fold.vali, fold.test)]
        for fold in folds
    ]
    assert [fold.name for fold in folds] == ["Fold1", "Fold2", "Fold3", "Fold4", "Fold5"]
    assert names[0] == [["S1", "S2", "S3"], ["S4"], ["S5"]]  # as the readme of MQ2008 has it
    assert names[1] == [["S2", "S3", "S4"], ["S5"], ["S1"]]
    assert names[4] == [["S5", "S1", "S2"], ["S3"], ["S4"]]


def test_folders_of_folds(tmp_path):
    for number in (1, 2, 10, *range(3, 10)):
        fold_folder(tmp_path / f"Fold{number}", number)
    folds = find_folds(tmp_path)
    assert [fold.name for fold in folds] == [f"Fold{number}" for number in range(1, 11)]
    assert [path.name for path in folds[0].files] == ["train.txt", "vali.txt", "test.txt"]


def test_files_of_one_fold_without_validation(tmp_path):
    folder = fold_folder(tmp_path / "one", 0)
    (folder / "vali.txt").unlink()
    split = only_fold(folder)
    assert (len(split.train), len(split.valid), len(split.test)) == (6, 2, 8)
    assert not set(split.train.ids["query_id"]) & set(split.valid.ids["query_id"])


def test_sparse_files_get_all_features(tmp_path):
    folder = fold_folder(tmp_path / "one", 0)
    (folder / "test.txt").write_text("1 qid:999 1:0.5 5:2\n0 qid:999 1:1\n")
    split = only_fold(folder)
    assert [part.features.shape[1] for part in (split.train, split.valid, split.test)] == [5] * 3
    assert not split.train.features[:, 3:].any()


def test_parquet_files_are_folds_too(tmp_path):
    folder = fold_folder(tmp_path / "one", 0)
    before = only_fold(folder)
    scan_letor(folder / "train.txt").sink_parquet(folder / "train.parquet")
    (folder / "train.txt").unlink()
    after = only_fold(folder)
    assert np.array_equal(before.train.features, after.train.features)


@pytest.mark.parametrize("number", [1, 3])
def test_a_missing_part_is_missed(parts, number):
    (parts / f"S{number}.txt").unlink()
    with pytest.raises(ul.BadData, match=r"S5\.txt: the numbers must be 1, 2, \.\.\., each once"):
        find_folds(parts)


def test_missing_folds_and_files_are_missed(tmp_path, parts):
    fold_folder(tmp_path / "a" / "Fold1", 1)
    fold_folder(tmp_path / "a" / "Fold3", 3)
    with pytest.raises(ul.BadData, match=r"Fold1, Fold3: the numbers must be 1, 2, \.\.\."):
        find_folds(tmp_path / "a")
    (fold_folder(tmp_path / "b" / "Fold1", 1) / "test.txt").unlink()
    with pytest.raises(ul.BadData, match="Fold1: a fold has one file for 'test' in its name, here"):
        find_folds(tmp_path / "b")
    with pytest.raises(ul.BadData, match="nowhere: no such folder"):
        find_folds(tmp_path / "nowhere")
    for number in (3, 4, 5):
        (parts / f"S{number}.txt").unlink()
    with pytest.raises(ul.BadData, match="2 parts; a fold needs 3"):
        find_folds(parts)


# --------------------------------------------------------------- what leaks
def test_a_query_in_two_parts_is_a_leak(parts):
    with (parts / "S4.txt").open("a") as file:
        file.write("1 qid:100 1:1\n")
    with pytest.raises(ul.BadData, match=r"query '100' is in Fold1's train and in Fold1's vali"):
        survey(find_folds(parts))


def test_a_query_tested_twice_is_a_leak(tmp_path):
    fold_folder(tmp_path / "Fold1", 1)
    fold_folder(tmp_path / "Fold2", 2)
    shutil.copy(tmp_path / "Fold1" / "test.txt", tmp_path / "Fold2" / "test.txt")
    with pytest.raises(ul.BadData, match=r"is in Fold1's test and in Fold2's test"):
        survey(find_folds(tmp_path))


# ------------------------------------------------------------------- samples
def test_a_sample_is_of_all_queries_and_repeats(parts):
    folds = find_folds(parts)
    known = survey(folds)
    sample = sample_queries(folds, known, 30, seed=4)
    assert sample.n_unique() == 30
    assert sample.equals(sample_queries(folds, known, 30, seed=4))
    assert not sample.equals(sample_queries(folds, known, 30, seed=5))
    split = load(folds[0], known, sample)
    inside = set(split.train.ids["query_id"]) | set(split.valid.ids["query_id"])
    assert inside | set(split.test.ids["query_id"]) == set(sample)
    with pytest.raises(ul.BadUsage, match="a sample of 41 queries: there are 40 to draw from"):
        sample_queries(folds, known, 41, seed=4)


# ------------------------------------------------------------------- command
def test_from_folds_to_scores(parts, tmp_path, capsys):
    out = tmp_path / "runs.parquet"
    assert run(parts, "-o", out, "--methods", "LNet", "L2LR", "--seed", 3) == 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 5 * 2 + 1
    assert said[0].startswith("Fold1 LNet: AP ")
    runs = pl.read_parquet(out)
    assert runs.schema == pl.Schema(
        {"run": pl.String, "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    )
    assert runs["run"].unique(maintain_order=True).to_list() == ["LNet", "L2LR"]
    assert runs.height == 2 * 5 * 8 * 6
    qrels = pl.read_parquet(tmp_path / "runs.qrels.parquet")
    assert qrels.sort("query_id", "doc_id").equals(
        pl.concat([ul.scan_qrels(parts / f"S{n}.txt").collect() for n in range(1, 6)]).sort(
            "query_id", "doc_id"
        )
    )
    means = ul.means(ul.evaluate(qrels, runs, "nDCG@5")).collect()
    assert (means["mean"] > 0.9).all()  # the labels follow a feature
    assert not (tmp_path / "runs.parquet.parts").exists()


def test_settings_are_in_the_footer(parts, tmp_path):
    out = tmp_path / "runs.parquet"
    asked = ("--methods", "ARank", "--measure", "nDCG@5", "--sample-queries", 35)
    assert run(parts, "-o", out, *asked) == 0
    made = json.loads(pl.read_parquet_metadata(out)["ulframe"])
    assert made["options"] == {"measure": "nDCG@5", "sample_queries": 35, "seed": 0}
    assert made["methods"] == {"ARank": {"most_rounds": 300, "patience": 100}}
    assert [len(file["sha256"]) for file in made["inputs"]] == [64] * 5
    assert pl.read_parquet(out)["query_id"].n_unique() == 35


def noting(done, most=99, fit=command._fit):
    """Fit as the command does, note what is done, and be interrupted after `most`."""

    def noted(job, name, split, part, footer):
        if len(done) == most:
            raise KeyboardInterrupt
        done.append(part.name)
        return fit(job, name, split, part, footer)

    return noted


def test_what_was_done_before_an_interruption_is_not_done_again(parts, tmp_path, monkeypatch):
    out, whole = tmp_path / "runs.parquet", tmp_path / "whole.parquet"
    first, then = [], []
    monkeypatch.setattr(command, "_fit", noting(first, most=3))
    assert run(parts, "-o", out, "--methods", "LNet", "ARank") == 130
    assert not out.exists()
    monkeypatch.setattr(command, "_fit", noting(then))
    assert run(parts, "-o", out, "--methods", "LNet", "ARank") == 0
    assert (len(first), len(then)) == (3, 7)
    assert not set(first) & set(then)
    monkeypatch.undo()
    assert run(parts, "-o", whole, "--methods", "LNet", "ARank") == 0
    assert pl.read_parquet(out).equals(pl.read_parquet(whole))


def test_other_settings_are_not_taken_up(parts, tmp_path, monkeypatch):
    out = tmp_path / "runs.parquet"
    done = []
    monkeypatch.setattr(shutil, "rmtree", lambda path: None)  # as if interrupted at the very end
    monkeypatch.setattr(command, "_fit", noting(done))
    for seed, fits in ((0, 5), (0, 5), (1, 10)):
        assert run(parts, "-o", out, "--methods", "LNet", "--seed", seed) == 0
        assert len(done) == fits


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-o", "runs.csv"], "-o runs.csv: the runs are a .parquet file"),
        (["-o", "no/runs.parquet"], "there is no folder 'no'"),
        (["-o", "folder.parquet"], "folder.parquet is a folder: name a file to write to"),
        (["-o", "runs.parquet", "--measure", "nDGC@5"], "did you mean nDCG"),
        (["-o", "runs.parquet", "--methods", "SVM"], "no method 'SVM'; there are RNet"),
        (["-o", "runs.parquet", "--measure", "V2(SP@5)"], "V2(SP@5) cannot be learnt for"),
        (["-o", "runs.parquet", "--sample-queries", "99"], "99 queries: there are 40"),
    ],
)
def test_bad_usage(parts, tmp_path, monkeypatch, capsys, more, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.parquet").mkdir()
    assert run(parts, *more) == 2
    assert message in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"folder.parquet", "parts"}


def test_the_input_is_not_replaced(tmp_path, capsys):
    folder = fold_folder(tmp_path / "one", 0)
    scan_letor(folder / "train.txt").sink_parquet(folder / "train.parquet")
    (folder / "train.txt").unlink()
    assert run(folder, "-o", folder / "train.parquet", "--methods", "LNet") == 2
    assert "train.parquet is read as well: write to another file" in capsys.readouterr().err


def test_what_stands_in_for_validation_is_said(tmp_path, capsys):
    folder, out = fold_folder(tmp_path / "one", 0), tmp_path / "runs.parquet"
    (folder / "vali.txt").unlink()
    assert run(folder, "-o", out, "--methods", "LNet") == 0
    says = "1 of 5 training queries, drawn with the seed"
    assert f"Fold1 has no file for 'vali': {says}, validates\n" in capsys.readouterr().err
    assert json.loads(pl.read_parquet_metadata(out)["ulframe"])["held_out"] == {"Fold1": says}


def test_files_of_query_sizes_are_among_the_inputs(tmp_path):
    folder, out = fold_folder(tmp_path / "one", 0), tmp_path / "runs.parquet"
    without = re.sub(r"qid:\d+ ", "", (folder / "test.txt").read_text())
    (folder / "test.txt").write_text(without)
    for part in ("train", "test"):  # train.txt has `qid:`, so that its sizes are not read
        (folder / f"{part}.query").write_text("6\n" * 8)
    assert run(folder, "-o", out, "--methods", "LNet") == 0
    inputs = json.loads(pl.read_parquet_metadata(out)["ulframe"])["inputs"]
    names = [Path(file["path"]).name for file in inputs]
    assert names == ["train.txt", "vali.txt", "test.txt", "test.query"]


def test_where_nothing_can_be_learnt_nothing_is_left(tmp_path, capsys):
    folder = fold_folder(tmp_path / "one", 0)
    (folder / "train.txt").write_text("1 qid:1 1:1\n1 qid:1 1:2\n")
    assert run(folder, "-o", tmp_path / "runs.parquet", "--methods", "LNet") == 1
    assert "nothing can be learnt" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_feature_that_overflows_is_bad_data(tmp_path, capsys):
    folder = fold_folder(tmp_path / "one", 0)
    with (folder / "train.txt").open("a") as file:
        file.write("1 qid:1 2:1e39 3:1\n")
    command = (folder, "-o", tmp_path / "runs.parquet", "--methods", "LNet")
    assert run(*command) == 1
    says = capsys.readouterr().err
    assert "train.txt, line 49: feature '2:1e39' is infinite or beyond 1e+38" in says
    (folder / "train.txt").write_text(text(0))
    table = scan_letor(folder / "train.txt").with_columns(f2=float("-inf"))
    table.sink_parquet(folder / "train.parquet")
    (folder / "train.txt").unlink()
    assert run(*command) == 1
    assert "Fold1's train: f2 of ('0', '000006') is infinite" in capsys.readouterr().err


def test_a_label_outside_the_range_is_bad_data(parts, tmp_path, capsys):
    with (parts / "S4.txt").open("a") as file:
        file.write("-1 qid:499 1:1\n")
    assert run(parts, "-o", tmp_path / "runs.parquet", "--methods", "LNet") == 1
    assert "Fold1's vali: labels to learn from are whole numbers" in capsys.readouterr().err


def test_text_that_is_not_utf8_is_named_with_its_line(parts, tmp_path, capsys):
    with (parts / "S2.txt").open("ab") as file:
        file.write(b"1 qid:299 1:1 #docid = M\xfcller\n")
    assert run(parts, "-o", tmp_path / "runs.parquet") == 1
    assert "S2.txt, line 49: not UTF-8 text" in capsys.readouterr().err


# ----------------------------------------------------------------- real data
def test_a_sample_of_mq2008(shared, tmp_path):
    out = tmp_path / "runs.parquet"
    asked = ("--methods", "LNet", "LMART", "--sample-queries", 200, "--seed", 1)
    assert run(shared / "mq2008", "-o", out, *asked) == 0
    qrels = pl.read_parquet(tmp_path / "runs.qrels.parquet")
    scores = ul.evaluate(qrels, pl.read_parquet(out), ["AP", "RLB(AP)"])
    means = dict(ul.means(scores).select("measure", "mean").collect().iter_rows())
    assert means["AP"] > means["RLB(AP)"] + 0.1


def test_the_example_of_lightgbm(shared, tmp_path):
    out = tmp_path / "runs.parquet"
    assert run(shared / "lightgbm-lambdarank", "-o", out, "--methods", "LMART") == 0
    runs = pl.read_parquet(out)
    assert (runs.height, runs["query_id"].n_unique()) == (768, 50)


# ---------------------------------------------------- what is refused, what is left out
def test_a_measure_is_refused_before_the_training(parts, tmp_path, capsys):
    assert run(parts, "-o", tmp_path / "r.parquet", "--measure", "DCG@10") == 2
    said = capsys.readouterr().err
    assert "AdaRank needs a measure from 0 to 1, which DCG@10 is not" in said
    assert "validation" not in said


def test_lower_labels_are_left_out_on_request(parts, tmp_path, capsys):
    """Semi-supervised files have -1 for what nobody judged."""
    part = parts / "S1.txt"
    part.write_text(part.read_text() + "-1 qid:100 1:0.5 2:0.5 3:0.5\n")
    words = [parts, "-o", tmp_path / "r.parquet", "--methods", "L2LR"]
    assert run(*words) == 1
    assert "has -1; --least-label 0 leaves such out" in capsys.readouterr().err
    assert run(*words, "--least-label", 0) == 0
    labels = pl.read_parquet(tmp_path / "r.qrels.parquet")["label"]
    assert labels.min() == 0
    assert labels.len() == 5 * 8 * 6
    made = json.loads(pl.read_parquet_metadata(tmp_path / "r.parquet")["ulframe"])
    assert made["options"]["least_label"] == 0
    assert made["seeded"] == []
