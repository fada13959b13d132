"""A notebook that nbconvert runs and writes as a page, and what a reader of it sees in Chromium."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nbconvert", reason="nbconvert is not installed; make test-pages does")
pytest.importorskip("ipykernel", reason="ipykernel is not installed; make test-pages does")
pytest.importorskip("selenium", reason="selenium is not installed; make test-pages does")

from selenium.webdriver.common.by import By

CELLS = (
    "import tokalign\n"
    'alignment = tokalign.align("Marta opened a <bun> bakery.", "The bakery Marta founded.")\n'
    "alignment",
    "alignment.show()",
    "print(alignment)",
    'tokalign.align("the quick brown fox jumps " * 2, "the quick brown fox jumps " * 2)',
    'tokalign.diff("It has 40 rooms.", "It has 45 rooms.")',
)
"""What a reader types: the picture by itself, by `show`, as text, one too wide, and a diff."""
OFFLINE = [
    f"--HTMLExporter.{name}_url=" for name in ("mathjax", "require_js", "jquery", "mermaid_js")
]
"""What nbconvert's own page would load from the network, and needs for none of these cells."""


def nbconvert(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a notebook that a kernel has run."""
    folder = tmp_path_factory.mktemp("notebook")
    cells = [
        {"cell_type": "code", "id": f"c{k}", "source": source, "metadata": {}, "outputs": [],
         "execution_count": None}
        for k, source in enumerate(CELLS)
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3"}
    written = folder / "pair.ipynb"
    written.write_text(
        json.dumps(
            {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        ),
        encoding="utf-8",
    )
    nbconvert("--to", "notebook", "--execute", "--inplace", written)
    return written


@pytest.fixture(scope="module")
def page(executed: Path) -> Path:
    """Return the page that nbconvert makes of the notebook."""
    nbconvert("--to", "html", *OFFLINE, executed)
    return executed.with_suffix(".html")


def test_a_notebook_keeps_the_picture_and_the_text(executed):
    cells = json.loads(executed.read_text(encoding="utf-8"))["cells"]
    (result,), (displayed,), (printed,), (wide,), (diff,) = (each["outputs"] for each in cells)
    assert ">45</ins>" in "".join(diff["data"]["text/html"])
    for shown, kind in ((result, "execute_result"), (displayed, "display_data")):
        assert shown["output_type"] == kind
        html = "".join(shown["data"]["text/html"])
        assert html.startswith("<figure") and html.count("<path") == 4
        assert "".join(shown["data"]["text/plain"]).startswith("<Alignment 'Marta opened a <bun>")
    assert "opened = founded (" in "".join(printed["text"])
    assert "".join(wide["data"]["text/html"]).count("<text") == 20


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_reader_sees_words_and_links(look, page, width, height):
    opened = look(page, width=width, height=height)
    first, shown, wide = opened.find_elements(By.CSS_SELECTOR, "figure svg")
    for picture in (first, shown):
        assert picture.rect["width"] > 200 and picture.rect["height"] > 50
        texts = picture.find_elements(By.TAG_NAME, "text")
        assert [each.text for each in texts if each.is_displayed()] == [
            "Marta", "opened", "a", "<", "bun", ">", "bakery", ".",
            "The", "bakery", "Marta", "founded", ".",
        ]  # fmt: skip
        paths = picture.find_elements(By.TAG_NAME, "path")
        assert len(paths) == 4 and all(each.rect["height"] > 10 for each in paths)
    caption = opened.find_element(By.CSS_SELECTOR, "figcaption").text
    assert caption.startswith("score 0.") and "style" in caption
    figure = wide.find_element(By.XPATH, "ancestor::figure")
    scrolls = "return arguments[0].scrollWidth > arguments[0].clientWidth"
    assert opened.execute_script(scrolls, figure) == (width < 500)
    assert opened.execute_script("return document.documentElement.scrollWidth <= innerWidth")
