"""`tokalign serve` as users start it, or with the fake engine, in a process of its own."""

import sys
import urllib.error
import urllib.request
from pathlib import Path

from bench.server_process import SERVE, running_server

TESTS = Path(__file__).parents[1]

FAKE = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from support import fake_engine
from tokalign.cli import main
from tokalign.server.workers import aligners, supervision
aligners.load = fake_engine.load
# It is as often tried to start one, in less time.
supervision.LAST_BACKOFF_S = 0.2
if __name__ == "__main__":
    main.main()
"""


def started(*flags, fake=True, wait=True):
    """Start a server with two workers on free ports; see bench.server_process."""
    command = (sys.executable, "-c", FAKE, "serve") if fake else SERVE
    return running_server("--workers", "2", *flags, command=command, wait=wait)


def get(url):
    """Return the status and the text that a metrics port answers with."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
