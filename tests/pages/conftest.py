"""A real Chromium that opens the pages of the commands from files; make test-pages installs it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from urllib.parse import urlparse

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
QUIET = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip


@pytest.fixture(scope="session")
def open_chromium(tmp_path_factory):
    """Yield what starts a driven Chromium with flags; what it complains of is in its log."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium is not installed; make test-pages does")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    opened = []

    def start(*flags):
        options = Options()
        options.binary_location = CHROMIUM
        for flag in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", *flags):
            options.add_argument(flag)
        folder = tmp_path_factory.mktemp("saved")
        options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options, Service(DRIVER))
        driver.saved = folder
        opened.append(driver)
        return driver

    yield start
    for driver in opened:
        driver.quit()


@pytest.fixture(scope="session")
def chromium(open_chromium):
    """Return a Chromium that all tests of pages share."""
    return open_chromium()


@pytest.fixture
def look(chromium):
    """Return what opens a page in a size and a scheme; SCREENSHOTS names a folder for pictures."""

    refusals = []

    def looked(page, *, width=1280, height=800, scheme="light", state="", refused=False):
        """Open a file or an address; where it is `refused` something, Chromium says so."""
        refusals.append(refused)
        chromium.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        chromium.get("about:blank")
        address = page if isinstance(page, str) else page.as_uri()
        chromium.get(f"{address}{state}")
        if folder := os.environ.get("SCREENSHOTS"):
            stem = Path(urlparse(address).path).stem or "play"
            name = f"{stem}-{width}-{scheme}{state[1:].replace('=', '-').replace('&', '-')}"
            chromium.save_screenshot(f"{folder}/{name}.png")
        return chromium

    yield looked
    said = [each["message"] for each in chromium.get_log("browser") if each["level"] == "SEVERE"]
    if any(refusals):
        said = [each for each in said if "the server responded with a status of 40" not in each]
    assert said == []
