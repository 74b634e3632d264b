"""Take the README's picture of the report: the sample's page in a headless Chromium.

Run as `python data/picture_of_report.py`; it needs the extras `pictures` and `test`, chromium and
chromedriver.
"""

import base64
import shutil
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

import ulframe as ul
from ulframe.report.findings import find
from ulframe.report.write import write_report

OUT = Path(__file__).parent / "pictures" / "report.png"
WIDTH, HEIGHT = 1440, 900
MEASURES = ["nDCG@10", "AP", "V2(DCG@10)"]


def picture(page: Path) -> bytes:
    """The first screen of a page, as PNG."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in ("headless=new", "no-sandbox", f"user-data-dir={page.parent / 'profile'}"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(page.as_uri())
        WebDriverWait(driver, 60).until(
            lambda d: d.execute_script("return document.body.dataset.ready === 'yes'")
        )
        taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    finally:
        driver.quit()
    return base64.b64decode(taken["data"])


if __name__ == "__main__":
    scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), MEASURES)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        write_report(find(scores), page)
        OUT.write_bytes(picture(page))
