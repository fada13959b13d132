"""The example page in a real Chromium, from another origin than the server: ranks, aligns texts."""

import functools
import html
import http.server
import re
import shutil
import subprocess
import threading
from pathlib import Path
from urllib.parse import urlencode

import pytest
from support.server_process import started

CHROMIUM = shutil.which("chromium")
PAGE = Path(__file__).parents[2] / "clients" / "browser"
QUESTION = "Who founded the bakery?"
SENTENCES = ["It rains.", "🥐 Marta founded the bakery <in> 1987.", "The bakery is closed today."]

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed; make test-clients does"
)


class Pages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def page():
    """Serve the folder of the page; yield its address, an origin of its own."""
    handler = functools.partial(Pages, directory=PAGE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def url(page):
    """Yield the URL of a server with the model that ships, which the page may call."""
    origin = ("--http-origin", page.removesuffix("/index.html"))
    with started("--workers", "1", "--http-port", "0", *origin, fake=False) as server:
        yield server.http_url


def shown(page, profile, **parameters):
    """Return the document that Chromium shows once the page's work is done."""
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", f"--user-data-dir={profile}",
        # The page's clock stands while it waits for an answer.
        "--virtual-time-budget=60000", "--dump-dom", f"{page}?{urlencode(parameters, doseq=True)}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_page_ranks_three_sentences(page, url, tmp_path):
    document = shown(page, tmp_path, server=url, question=QUESTION, sentence=SENTENCES)
    items = re.findall(r"<li>(\d\.\d\d) (.*?)</li>", document)
    texts = [html.unescape(re.sub("</?mark>", "", text)) for _, text in items]
    assert sorted(texts) == sorted(SENTENCES), document
    assert texts[0] == SENTENCES[1]
    assert float(items[0][0]) > float(items[1][0])
    # Marked by code points, after a character that JavaScript counts as two.
    assert {"founded", "bakery"} <= set(re.findall(r"<mark>(.*?)</mark>", items[0][1]))


def test_page_shows_which_sentences_belong_together(page, url, tmp_path):
    texts = {
        "old": "It rains. Marta sells 🥐 and bakes <b>. Nobody came.",
        "new": "Marta sells 🥐. She bakes <b>. It rains. Dogs bark.",
    }
    document = shown(page, tmp_path, server=url, **texts)
    items = [html.unescape(text) for text in re.findall(r"<li>(.*? → .*?)</li>", document)]
    assert items == [
        "Marta sells 🥐 and bakes <b>. → Marta sells 🥐. She bakes <b>.",
        "Nobody came. → (none)",
        "It rains. → It rains. (moved)",
        "(none) → Dogs bark.",
    ], document


def test_page_shows_what_supports_an_answer(page, url, tmp_path):
    answer = "🥐 Marta sells <b>. She opened the bakery in Rome."
    passages = ["Marta sells 🥐 and <b>.", "The bakery was opened by Marta in London."]
    document = shown(page, tmp_path, server=url, answer=answer, passage=passages)
    items = re.findall(r"<li>(.*?) ← (\d): (.*?)(?: ←.*?)?</li>", document)  # its first citation
    assert [(html.unescape(cited), number) for _, number, cited in items] == [
        (passages[0], "1"),
        (passages[1], "2"),
    ], document
    assert re.findall(r'<mark class="unsupported">(.*?)</mark>', items[1][0]) == ["Rome"]


def test_page_shows_what_the_server_complains_about(page, url, tmp_path):
    document = shown(page, tmp_path, server=url, question="", sentence=SENTENCES)
    (error,) = re.findall(r'<p id="error".*?>(.*?)</p>', document)
    assert error.startswith("400: ") and error.endswith(", query"), document
