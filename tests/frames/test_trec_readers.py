"""The two readers of TREC text agree on whatever is put before them."""

import pytest

from tests import fuzz, fuzz_tables
from ulframe.frames import BadData, scan_runs, trec, trec_tidy
from ulframe.frames.trec_lines import QRELS_LINE, RUN_LINE, scan_lines
from ulframe.frames.trec_tidy import is_tidy, scan_tidy

TIDY = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n"


def test_mutated_text_is_read_as_a_strict_parser_reads_it(tmp_path):
    assert list(fuzz.differing(list(fuzz.mutants(seed=15, count=1000)), tmp_path)) == []


def test_mutated_tables_are_read_as_a_strict_parser_reads_them(tmp_path):
    assert list(fuzz_tables.differing(seed=16, count=1000, folder=tmp_path)) == []


def test_many_mutants_are_tidy_and_many_are_not():
    tidy = [is_tidy(mutant.text, mutant.between) for mutant in fuzz.mutants(seed=15, count=1000)]
    assert 300 < sum(tidy) < 700


def test_the_mutants_tell_readers_apart_that_differ(tmp_path, monkeypatch):
    monkeypatch.setattr(trec, "is_tidy", lambda source, between: True)
    found = list(fuzz.differing(list(fuzz.mutants(seed=15, count=100)), tmp_path))
    assert len(found) > 10


@pytest.mark.parametrize(
    "text",
    [
        TIDY,
        TIDY.rstrip("\n"),
        TIDY.replace("t\n", "t \n"),
        TIDY.replace("t\n", "t and more\n"),
        TIDY.replace("d1", "#d'1\"ü"),
        TIDY.replace("2.5", "high"),
        TIDY.replace(" t\n", "\n"),
    ],
)
def test_text_is_tidy_where_one_blank_parts_fields(text):
    assert is_tidy(text.encode(), " ")
    assert is_tidy(text.replace(" ", "\t").encode(), "\t")


@pytest.mark.parametrize(
    "text",
    [
        b"\n" + TIDY.encode(),
        b" " + TIDY.encode(),
        b"#" + TIDY.encode(),
        b"\xef\xbb\xbf" + TIDY.encode(),
        *(TIDY.encode().replace(b"\n1", odd) for odd in (b"\n\n1", b"\n 1", b"\n#1", b"\r\n1")),
        *(TIDY.encode().replace(b" 2 ", odd) for odd in (b" 2  ", b"\t2 ", b" \v2 ", b" \f2 ")),
        *(TIDY.encode().replace(b"Q0 d2", odd) for odd in (b"Q\xff d2", b" d2", b"Q0 d\xe9")),
    ],
)
def test_text_is_untidy_where_the_reader_of_lines_would_mend_it(text, monkeypatch):
    assert not is_tidy(text, " ")
    for size in range(1, len(text)):  # wherever a piece of the text ends, and a thread's share
        monkeypatch.setattr(trec_tidy, "BLOCK", size)
        for share in (size, 2 * size + 1, len(text)):
            monkeypatch.setattr(trec_tidy, "SHARE", share)
            assert not is_tidy(text, " ")


@pytest.mark.parametrize(
    ("layout", "line"),
    [
        (RUN_LINE, "1 Q0 d2 2 1.5"),
        (RUN_LINE, "1 Q0 d2 2 1.5 "),
        (RUN_LINE, "1 Q0 d2 2 high t"),
        (RUN_LINE, "1 Q0 d2 2 nan t more"),
        (QRELS_LINE, "1 0 d2"),
        (QRELS_LINE, "1 0 d2 yes"),
        (QRELS_LINE, "1 0 d2 1 more"),
    ],
)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_both_readers_say_the_same_of_a_bad_line(layout, line, at):
    good = " ".join("1" for _ in layout.fields)
    text = "\n".join([*[good] * at, line, good]).encode()
    said = []
    for scan in (scan_tidy, scan_lines):
        with pytest.raises(BadData) as error:
            scan(text, layout, between=" ", where="-").collect()
        said.append(str(error.value))
    assert said[0] == said[1]
    assert said[0].startswith(f"-, line {at + 1}: {line!r} has ")


def test_a_bad_line_far_into_a_long_file_is_named_with_its_number():
    line = "1 Q0 d 1 2.5 t\n"
    text = line * 300_000 + "1 Q0 d 1 high t\n" + line * 300_000  # in several batches
    with pytest.raises(BadData, match=r"^-, line 300001: '1 Q0 d 1 high t' has no number"):
        scan_tidy(text.encode(), RUN_LINE, between=" ", where="-").collect()


def test_a_file_that_changes_after_it_was_opened_is_looked_at_again(tmp_path):
    path = tmp_path / "run"
    path.write_text(TIDY)
    runs = scan_runs(path)
    path.write_text(TIDY + "2 Q0 d1 1 0.5 t\n")
    assert runs.collect()["query_id"].to_list() == ["1", "1", "2"]
    path.write_text(TIDY + "2  Q0 d1 1 0.5 t\n")
    with pytest.raises(BadData, match="not the file that was opened"):
        runs.collect()
