"""The page to share, opened in a browser with the network off; a report's other formats."""

import importlib
import json
import re
import shutil
from html import escape

import polars as pl
import pytest

import ulframe as ul
from ulframe.analysis import compare
from ulframe.cli.main import main
from ulframe.report.findings import find
from ulframe.report.page import page
from ulframe.report.page import payload as payloads

NASTY = "<script>document.title = 'run'</script>"
MEASURES = ["nDCG@5", "nDCG@10", "V2(SP@10)", "num_rel_ret", "gm_map"]


@pytest.fixture(scope="module")
def runs():
    """The sample's runs, one of which has a name that would be markup."""
    renamed = pl.col("run").replace({"splade": NASTY})
    return ul.sample_runs().with_columns(renamed)


@pytest.fixture(scope="module")
def scores(runs):
    return ul.evaluate(ul.sample_qrels(), runs, MEASURES).collect()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A page as the command line makes it, from a scores file with a footer."""
    folder = tmp_path_factory.mktemp("report")
    qrels, runs = folder / "qrels.parquet", folder / "runs.parquet"
    ul.sample_qrels().sink_parquet(qrels)
    ul.sample_runs().with_columns(pl.col("run").replace({"splade": NASTY})).sink_parquet(runs)
    path, out = folder / "scores.parquet", folder / "report.html"
    assert main(["eval", str(qrels), str(runs), "-m", *MEASURES, "-o", str(path)]) == 0
    more = ["--title", "Runs & <b>more</b>", "--baseline", "bm25"]
    assert main(["report", str(path), "-o", str(out), *more]) == 0
    return out


@pytest.fixture(scope="module")
def text(report):
    return report.read_text("utf-8")


# ---------------------------------------------------------------- as a file
def test_it_needs_nothing_else(text):
    markup = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", markup)
    assert "default-src 'none'" in markup
    assert len(text) < 2_000_000


def test_names_are_shown_and_not_run(text):
    markup = re.sub(r"<script.*?</script>", "", text.replace(NASTY, "RUN"), flags=re.S)
    assert NASTY not in text
    assert "RUN" not in markup
    assert "&lt;script&gt;document.title" in markup
    assert "<title>Runs &amp; &lt;b&gt;more&lt;/b&gt;</title>" in text


def test_it_says_how_the_numbers_were_made(text):
    made = text[text.index('<section id="made">') :]
    assert "qrels.parquet" in made
    assert re.search(r"[\d,]+ bytes, SHA-256 <span class=\"hash\">[0-9a-f]{64}</span>", made)
    assert f"<dt>ulframe</dt><dd>{ul.__version__}</dd>" in made
    assert "<dt>queries</dt><dd>qrels</dd>" in made


def test_it_lists_missing_and_undefined_queries(text):
    gaps = text[text.index('<section id="gaps">') : text.index('<section id="made">')]
    assert "has no ranking: it scores 0 there (2)" in gaps
    assert "q058, q141" in gaps
    assert re.search(r"Undefined: nDCG@5, nDCG@10.*?\(5\)", gaps)


def test_scores_without_a_footer_say_so(scores):
    made = page(find(scores))
    assert "These scores do not tell how they were made" in made
    assert "Which queries a run missed is not recorded" in made


def test_large_ones_are_sampled_and_say_so(scores, monkeypatch):
    monkeypatch.setattr(payloads, "CELLS", 50 * scores["run"].n_unique() * len(MEASURES))
    text = page(find(scores))
    assert "A random sample of 50 of 200 queries." in text
    data = json.loads(
        text.split('<script type="application/json" id="data">')[1].split("</script")[0]
    )
    assert len(data["queries"]) == 50
    assert data["total"] == 200


def test_one_run_is_enough(scores):
    text = page(find(scores.filter(run="bm25")))
    assert "There is one run only; nothing to compare." in text


def test_own_measures_and_no_bounds_are_enough():
    own = pl.DataFrame(
        {"run": ["a", "a", "b", "b"], "query_id": ["1", "2"] * 2, "measure": "clicks",
         "score": [1.0, 2.0, 3.0, None]}
    )  # fmt: skip
    assert "1 measures" in page(find(own)) or "clicks" in page(find(own))


def test_no_scores_are_refused(scores):
    with pytest.raises(ul.BadData, match="no rows to report"):
        find(scores.clear())


# ---------------------------------------------------------------- other formats
def unpadded(path):
    """The text of a file without what makes columns as wide as each other."""
    return re.sub(" +", " ", path.read_text("utf-8"))


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (".md", ["**Means over the queries**", "\n| cross-encoder ", "of 28 pairs"]),
        (".tex", ["% needs \\usepackage{booktabs}", "\\toprule"]),
        (".csv", ["run,set,measure,mean", "\ncross-encoder,ideal,nDCG@10,"]),
    ],
)
def test_a_report_as_text(report, ending, words):
    out = report.with_suffix(ending)
    assert main(["report", str(report.parent / "scores.parquet"), "-o", str(out)]) == 0
    text = out.read_text("utf-8")
    assert [word for word in words if word.lower() not in text.lower()] == []


def test_sets_and_pairs_of_ones_own(scores, tmp_path):
    scores.write_parquet(tmp_path / "s.parquet")
    ids = scores["query_id"].unique().sort()
    pl.DataFrame({"query_id": ids, "half": ["first"] * 100 + ["second"] * 100}).write_csv(
        tmp_path / "sets.csv"
    )
    compare(scores, test="sign").sink_parquet(tmp_path / "pairs.parquet")
    out = tmp_path / "r.md"
    given = ["--sets", str(tmp_path / "sets.csv"), "--pairs", str(tmp_path / "pairs.parquet")]
    assert main(["report", str(tmp_path / "s.parquet"), "-o", str(out), *given]) == 0
    text = unpadded(out)
    assert "| run | all | half=first | half=second |" in text
    assert "sign test, correction holm" in text


def test_a_baseline_is_marked_against(report, capsys):
    scores, out = str(report.parent / "scores.parquet"), report.with_name("marked.md")
    assert main(["report", scores, "-o", str(out), "--baseline", "bm25"]) == 0
    text = unpadded(out)
    assert "↑ significantly better, ↓ significantly worse than bm25." in text
    assert re.search(r"\| cross-encoder \| \*\*[\d.]+\*\*↑ \|", text)
    assert main(["report", scores, "-o", str(out), "--baseline", "bm"]) == 2
    assert "no run 'bm' to be the baseline; there is" in capsys.readouterr().err


def test_pairs_that_are_no_parquet_are_refused(report, tmp_path, capsys):
    (tmp_path / "pairs.parquet").write_text("set,measure\n")
    given = [str(report.parent / "scores.parquet"), "--pairs", str(tmp_path / "pairs.parquet")]
    assert main(["report", *given, "-o", str(tmp_path / "r.md")]) == 1
    assert "pairs.parquet: not parquet" in capsys.readouterr().err


def test_without_the_drawing_package_it_says_what_to_install(scores, monkeypatch):
    def gone(name):
        raise ImportError(name)

    found = find(scores)
    monkeypatch.setattr(importlib, "import_module", gone)
    with pytest.raises(ul.BadUsage, match=r"the page takes vl-convert.*'ulframe\[pictures\]'"):
        page(found)


def test_pairs_with_a_baseline_only_are_enough(scores):
    own = compare(scores.filter(measure="nDCG@5"), baseline="bm25").collect()
    text = page(find(scores, pairs=own, baseline="bm25"))
    assert "<sup>↑</sup>" in text


def data_of(text):
    """What the page's code works on."""
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_what_was_not_compared_is_said(scores):
    """Pairs of some runs by one measure only: the others are untested, not insignificant."""
    some = scores.filter(pl.col("run").is_in(["bm25", "dense", "cross-encoder"]), measure="nDCG@5")
    text = page(find(scores, pairs=compare(some, baseline="bm25").collect()))
    data = data_of(text)
    by_measure = dict(zip(data["measures"], data["pairs"], strict=True))
    told = [significant for *_, significant in by_measure["nDCG@5"]["rows"]]
    assert len(told) == 3
    assert told.count(None) == 1  # dense and cross-encoder
    assert all(pairs["rows"] == [] for name, pairs in by_measure.items() if name != "nDCG@5")
    others = sorted({*scores["run"]} - {"bm25", "dense", "cross-encoder"})
    assert f"Not compared with any: {escape(', '.join(others))}." in text


def test_the_map_is_called_what_it_shows(report):
    data = data_of(report.read_text("utf-8"))
    assert dict(zip(data["measures"], data["shares"], strict=True))["V2(SP@10)"] == (
        "U(SP@10), for V2(SP@10)"
    )


def test_measures_without_a_curve_are_named(scores):
    few = scores.filter(pl.col("measure").is_in(["nDCG@5", "nDCG@10", "V2(SP@10)"]))
    assert "Not drawn, being of other cutoffs or untested: nDCG@5." in page(find(few))


def test_measures_of_several_files_come_in_natural_order(scores, tmp_path):
    for name in ("nDCG@10", "nDCG@5"):
        scores.filter(measure=name).write_parquet(tmp_path / f"{name.replace('@', '')}.parquet")
    out = tmp_path / "r.md"
    assert main(["report", str(tmp_path / "*.parquet"), "-o", str(out)]) == 0
    assert "| run | nDCG@5 | nDCG@10 |" in unpadded(out)


def test_another_ending_is_refused(report, capsys):
    assert main(["report", "no.parquet", "-o", "r.docx"]) == 2
    assert (
        "r.docx: a report's name ends in one of .html, .md, .tex, .csv" in capsys.readouterr().err
    )


# ---------------------------------------------------------------- in the browser
@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and chromedriver):
        pytest.skip("no chromium and chromedriver on this machine")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
        "disable-background-networking", "disable-component-update", "disable-sync",
        f"user-data-dir={tmp_path_factory.mktemp('chromium')}", "window-size=1400,1000",
    ):  # fmt: skip
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
    browser.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    yield browser
    browser.quit()


@pytest.fixture
def opened(driver, report):
    from selenium.webdriver.support.wait import WebDriverWait

    driver.get(report.as_uri())
    WebDriverWait(driver, 60).until(
        lambda d: d.execute_script("return document.body.dataset.ready === 'yes'")
    )
    return driver


BOARD = """return [...document.querySelectorAll('#board tbody tr')].map(
    row => [...row.cells].map(cell => cell.textContent))"""


def board(browser):
    """The leaderboard as it is shown: names, then numbers by name."""
    shown = browser.execute_script(BOARD)
    plain = str.maketrans("\u2212", "-", "↑↓")
    return {name: [float(cell.translate(plain)) for cell in cells] for name, *cells in shown}


def expected(scores, ids):
    """What Polars gives for these queries."""
    summary = ul.means(scores.filter(pl.col("query_id").is_in(ids))).collect()
    wide = summary.pivot("measure", index="run", values="mean", maintain_order=True)
    return {run: list(means) for run, *means in wide.iter_rows()}


def close(values):
    """As printed, to four decimals; what is summed up in Float32 may round the other way."""
    return {run: pytest.approx(means, abs=1.01e-4, rel=1e-6) for run, means in values.items()}


def test_it_opens_without_network_and_without_a_word_in_the_console(opened):
    assert opened.get_log("browser") == []
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert len(opened.find_elements("css selector", ".chart svg.marks")) == 7


def test_a_run_named_like_code_is_shown(opened):
    assert opened.title == "Runs & <b>more</b>"
    assert NASTY in board(opened)


def test_the_leaderboard_shows_the_means(opened, scores):
    assert board(opened) == close(expected(scores, scores["query_id"].unique().to_list()))


def test_the_table_sorts(opened):
    for column, name in enumerate(MEASURES[:3]):
        button = opened.find_elements("css selector", "#board thead button")[column + 1]
        for direction in ("descending", "ascending"):
            if name != MEASURES[0] or direction == "ascending":  # sorted by the first at the start
                button.click()
            means = [means[column] for means in board(opened).values()]
            assert means == sorted(means, reverse=direction == "descending")
            head = opened.find_elements("css selector", f"#board th[aria-sort={direction}]")
            assert [one.text for one in head] == [name]
    opened.find_elements("css selector", "#board thead button")[0].click()
    assert list(board(opened)) == sorted(board(opened))


def drag(browser, x0, y0, x1, y1):
    """Brush the map from one corner to another, given as real and expected."""
    from selenium.webdriver.common.action_chains import ActionChains

    frame = browser.find_element("css selector", "#map svg .background")
    browser.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", frame
    )
    box = browser.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        " return [box.x, box.y, box.width, box.height]",
        frame,
    )

    def at(real, expected):
        return round(box[0] + real * box[2]), round(box[1] + (1 - expected) * box[3])

    actions = ActionChains(browser, duration=20)
    actions.w3c_actions.pointer_action.move_to_location(*at(x0, y0))
    actions.w3c_actions.pointer_action.pointer_down()
    actions.w3c_actions.pointer_action.move_to_location(*at((x0 + x1) / 2, (y0 + y1) / 2))
    actions.w3c_actions.pointer_action.move_to_location(*at(x1, y1))
    actions.w3c_actions.pointer_action.pointer_up()
    actions.perform()


@pytest.mark.parametrize("corners", [(0.5, 0.05, 0.9, 0.35), (0.02, 0.02, 0.45, 0.5)])
def test_brushing_the_map_recomputes_the_leaderboard(opened, scores, corners):
    from selenium.webdriver.support.wait import WebDriverWait

    from ulframe.analysis import real_and_expected

    before = board(opened)
    drag(opened, *corners)
    WebDriverWait(opened, 10).until(lambda d: "selected" in d.find_element("id", "status").text)
    extent = json.loads(opened.find_element("id", "map").get_attribute("data-selected"))
    assert [*extent["real"], *extent["expected"]] == pytest.approx(
        [corners[0], corners[2], corners[1], corners[3]], abs=0.02
    )
    inside = [pl.col(name).is_between(*extent[name]) for name in ("real", "expected")]
    queries = real_and_expected(scores.filter(measure="nDCG@5")).filter(inside).collect()
    assert f"{len(queries)} selected of 195" in opened.find_element("id", "status").text
    assert 10 < len(queries) < 190
    assert board(opened) == close(expected(scores, queries["query_id"].to_list()))
    assert board(opened) != before
    opened.find_element("id", "clear").click()
    WebDriverWait(opened, 10).until(lambda d: "(all)" in d.find_element("id", "status").text)
    assert board(opened) == before


def test_a_query_set_is_chosen_from_the_list(opened, scores, report):
    from selenium.webdriver.support.select import Select

    Select(opened.find_element("id", "set")).select_by_visible_text("ideal (49)")
    ids = find(scores).sets.filter(set="ideal")["query_id"].to_list()
    assert len(ids) == 49
    assert board(opened) == close(expected(scores, ids))


def test_the_charts_follow_the_measure(opened):
    from selenium.webdriver.support.select import Select
    from selenium.webdriver.support.wait import WebDriverWait

    Select(opened.find_element("id", "measure")).select_by_visible_text("V2(SP@10)")
    WebDriverWait(opened, 10).until(
        lambda d: "V2(SP@10)" in d.find_element("css selector", "#heat svg").text
    )
    assert "V2(SP@10)" in opened.find_element("css selector", "#map svg").text
    assert "V2(SP@10)" in opened.find_element("css selector", "#bars svg").text
    assert opened.get_log("browser") == []


def choose(browser, **chosen):
    from selenium.webdriver.support.select import Select

    for id_, name in chosen.items():
        Select(browser.find_element("id", id_)).select_by_visible_text(name)


def said(browser, id_, words):
    """What stands there once it has these words."""
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, 10).until(
        lambda d: words in (text := d.find_element("id", id_).text) and text
    )


def test_the_verdict_says_which_is_best_by_how_much_and_whether_it_is_sure(opened, scores):
    summary = ul.means(scores.filter(measure="nDCG@10")).sort("mean", descending=True).collect()
    (best, second), (high, low) = summary["run"].head(2), summary["mean"].head(2)
    choose(opened, measure="nDCG@10")
    verdict = said(opened, "verdict", "nDCG@10")
    assert verdict.startswith(
        f"{best} is best by nDCG@10: {high:.4f}, {high - low:.4f} ahead of {second}."
    )
    pairs = compare(scores.filter(measure="nDCG@10")).collect()
    pair = pairs.filter(pl.concat_list("run_a", "run_b").list.sort() == sorted([best, second]))
    assert ("That is not sure" in verdict) != pair["significant"].item()


def test_tests_of_another_set_are_not_taken_for_those_of_all(driver, scores, tmp_path):
    ideal = find(scores).sets.filter(set="ideal")
    own = compare(scores, sets=ideal).filter(set="ideal").collect()
    (tmp_path / "page.html").write_text(page(find(scores, pairs=own)), "utf-8")
    driver.get((tmp_path / "page.html").as_uri())
    assert "The tests are of the set ideal" in said(driver, "verdict", "is best by nDCG@5")
    assert driver.find_element("id", "groups").text == ""
    choose(driver, set="ideal (49)")
    assert "significant" in said(driver, "verdict", "adjusted p")


@pytest.mark.parametrize(("a", "b"), [("bm25", "dense"), ("dense", "bm25"), ("bm25", "bm25")])
def test_two_runs_are_compared_query_by_query(opened, scores, a, b):
    choose(opened, measure="nDCG@10", a=a, b=b)
    both = scores.filter(measure="nDCG@10").pivot("run", index="query_id", values="score")
    diff = both.select(diff=pl.col(a).fill_null(0) - pl.col(b).fill_null(0))["diff"]
    better, worse = (diff > 1e-9).sum(), (diff < -1e-9).sum()
    words = f"Of 200 queries, {a} is better on {better}, {b} on {worse}; {200 - better - worse} are"
    assert said(opened, "between", words)


def test_the_address_reproduces_the_view(opened, report):
    from selenium.webdriver.support.wait import WebDriverWait

    choose(opened, set="ideal (49)", measure="V2(SP@10)", a="dense", b=NASTY)
    seen = said(opened, "between", "dense is better"), board(opened)
    address = opened.current_url
    opened.get("about:blank")
    opened.get(address)
    WebDriverWait(opened, 60).until(
        lambda d: d.execute_script("return document.body.dataset.ready === 'yes'")
    )
    assert said(opened, "between", NASTY) == seen[0]
    assert board(opened) == seen[1]
    assert "V2(SP@10)" in opened.find_element("css selector", "#bars svg").text


def test_every_chart_is_had_as_pictures_and_rows(opened):
    menus = opened.execute_script(
        "return [...document.querySelectorAll('.chart')].map("
        "one => [...one.querySelectorAll('.vega-actions a')].map(link => link.textContent))"
    )
    assert menus == [["Save as SVG", "Save as PNG", "Save as CSV"]] * 7


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (360, "light"), (360, "dark")])
def test_it_fits_its_window_in_its_colours(driver, report, width, scheme):
    from selenium.webdriver.support.wait import WebDriverWait

    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", feature)
    try:
        driver.get(report.as_uri())
        WebDriverWait(driver, 60).until(
            lambda d: d.execute_script("return document.body.dataset.ready === 'yes'")
        )
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        paper, ink = driver.execute_script(
            "const style = getComputedStyle(document.body); return [style.backgroundColor,"
            " getComputedStyle(document.querySelector('#bars .role-axis-label text')).fill]"
        )
        light = sum(map(int, re.findall(r"\d+", paper)[:3])) > 3 * 128
        assert light == (scheme == "light")
        assert (sum(map(int, re.findall(r"\d+", ink)[:3])) > 3 * 128) != light
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
