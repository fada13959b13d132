"""Pages of other origins in a real Chromium, against a server on this machine."""

from __future__ import annotations

import functools
import http.server
import json
import threading
import urllib.request

import pytest
from support.server_process import started

pytest.importorskip("selenium", reason="selenium is not installed; make test-pages does")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PAIR = {"source": "Dogs bark.", "target": "A dog barks."}
PATHS = ("/v1/align", "/v2/rerank", "/v1/models", "/healthz", "/openapi.json", "/")
# Asks, and returns what the page may read of the answer, or the name of the error.
ASK = """
const [url, init, done] = arguments;
fetch(url, init).then(async (answer) => done([answer.type, answer.status, await answer.text()]),
                      (error) => done([error.name, 0, ""]));
"""
FORM = """
const form = document.createElement("form");
const where = { action: arguments[0], target: "sink" };
Object.assign(form, { method: "POST", enctype: "text/plain", ...where });
const field = document.createElement("input");
// A form of plain text sends NAME=VALUE, which makes JSON of these.
[field.name, field.value] = ['{"source": "a", "target": "b', '"}'];
const sink = document.createElement("iframe");
sink.name = "sink";
const done = arguments[1];
sink.addEventListener("load", () => done(null));
form.append(field);
document.body.append(sink, form);
form.submit();
"""


class Pages(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>evil</title><body>")

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def foreign():
    """Serve an empty page on another port; yield its port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture(scope="module")
def server():
    with started("--http-port", "0", fake=False) as found:
        yield found


@pytest.fixture(scope="module")
def browser(open_chromium):
    """Return a Chromium that takes every name of .test for this machine."""
    driver = open_chromium("--host-resolver-rules=MAP *.test 127.0.0.1")
    driver.set_script_timeout(60)
    return driver


def work(server):
    """Return how many requests methods of the HTTP port have been given."""
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    begun = 'grpc_server_started_total{grpc_method="v'
    return sum(float(line.split()[-1]) for line in lines if line.startswith(begun))


def asked(browser, url, **init):
    return browser.execute_async_script(ASK, url, init)


@pytest.mark.parametrize("page", ["http://evil.test:{}", "http://localhost:{}", "data:text/html,"])
def test_a_page_of_another_origin_has_no_work_done_and_reads_nothing(
    browser, server, foreign, page
):
    browser.get(page.format(foreign))
    before, url = work(server), f"{server.http_url}/v1/align"
    body = json.dumps(PAIR)
    post = functools.partial(asked, browser, url, method="POST", body=body)
    assert post(mode="no-cors")[1:] == [0, ""]
    plain = {"content-type": "text/plain"}
    assert post(mode="no-cors", headers=plain)[1:] == [0, ""]
    assert post(headers=plain) == ["TypeError", 0, ""]
    assert post(headers={"content-type": "application/json"}) == ["TypeError", 0, ""]
    for path in PATHS:
        assert asked(browser, f"{server.http_url}{path}") == ["TypeError", 0, ""]
    browser.execute_async_script(FORM, url)
    assert work(server) == before


def test_a_page_whose_name_was_made_to_lead_here_reads_nothing(browser, server):
    port = server.http_url.rpartition(":")[2]
    browser.get(f"http://evil.test:{port}/")
    assert "ORIGIN_FORBIDDEN" in browser.page_source
    before = work(server)
    for path in PATHS:
        kind, status, text = asked(browser, path)
        assert (kind, status) == ("basic", 403) and "evil.test" in text
    body = json.dumps(PAIR)
    assert asked(browser, "/v1/align", method="POST", body=body)[1] == 403
    assert work(server) == before
    browser.get(f"http://evil.test:{server.metrics_url.rpartition(':')[2]}/metrics")
    assert "grpc_server" not in browser.page_source


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_the_playground_works_by_the_names_of_the_machine(browser, server, name):
    port = server.http_url.rpartition(":")[2]
    browser.get(f"http://{name}:{port}/#a=Dogs+bark.&b=A+dog+barks.")
    WebDriverWait(browser, 60).until(lambda page: page.find_elements(By.CSS_SELECTOR, ".stage"))


def test_a_page_that_is_allowed_reads_answers(browser, foreign):
    origin = f"http://evil.test:{foreign}"
    with started("--http-port", "0", "--http-origin", origin, fake=False) as server:
        browser.get(origin)
        headers = {"content-type": "application/json", "request-timeout": "60"}
        url = f"{server.http_url}/v1/align"
        init = {"method": "POST", "body": json.dumps(PAIR), "headers": headers}
        kind, status, text = asked(browser, url, **init)
        assert (kind, status, json.loads(text)["model"]) == ("cors", 200, "en")
        browser.get(f"http://localhost:{foreign}")
        assert asked(browser, url, **init) == ["TypeError", 0, ""]


def test_a_server_behind_a_name_serves_the_playground_by_it(browser):
    with started("--http-port", "0", "--http-host", "align.test", fake=False) as server:
        port = server.http_url.rpartition(":")[2]
        browser.get(f"http://align.test:{port}/#a=Dogs+bark.&b=A+dog+barks.")
        WebDriverWait(browser, 60).until(lambda page: page.find_elements(By.CSS_SELECTOR, ".stage"))
        browser.get(f"http://evil.test:{port}/")
        assert "ORIGIN_FORBIDDEN" in browser.page_source
