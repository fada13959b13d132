"""`tokalign serve` as users start it, or with the fake engine, in a process of its own."""

import contextlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]

REAL = "from tokalign.cli.main import main; main()"

FAKE = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from support import fake_engine
from tokalign.cli import main
from tokalign.server import aligners
aligners.load = fake_engine.load
if __name__ == "__main__":
    main.main()
"""


class Server:
    """A running server: its process, its address and what it logged."""

    def __init__(self, process):
        self.process = process
        self.address = ""
        self.log = []

    def read_until(self, pattern):
        """Read standard error up to a line that matches, and return the match."""
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if line.startswith("{"):
                self.log.append(json.loads(line))
            if match := re.search(pattern, line):
                return match
        raise AssertionError(f"the server ended before it said {pattern!r}: {''.join(lines)}")

    @property
    def metrics_url(self):
        (entry,) = [entry for entry in self.log if entry["event"] == "metrics"]
        return f"http://127.0.0.1:{entry['port']}"

    @property
    def admin_address(self):
        (entry,) = [entry for entry in self.log if entry["event"] == "admin"]
        return f"127.0.0.1:{entry['port']}"

    def stop(self, signal_number=15):
        """Send a signal and return the exit code."""
        self.process.send_signal(signal_number)
        return self.process.wait(60)


@contextlib.contextmanager
def started(*flags, fake=True, wait=True):
    """Start a server on free ports; it is killed at the end where it still runs."""
    command = ["-c", FAKE if fake else REAL]
    arguments = ["serve", "--port", "0", "--metrics-port", "0", "--workers", "2", *flags]
    process = subprocess.Popen(
        [sys.executable, *command, *arguments], stderr=subprocess.PIPE, text=True
    )
    server = Server(process)
    try:
        if wait:
            server.address = server.read_until(r"^listening on (\S+)$")[1]
        yield server
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def wait_until(condition, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "condition not met in time"
        time.sleep(0.01)


def stat(pid):
    """Return the state and the parent of a process, or None where it is gone."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if state == "Z" else (state, int(parent))


def descendants(pid):
    """Return the pids of all living processes below one."""
    found, todo = set(), {pid}
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    parents = {child: entry[1] for child in pids if (entry := stat(child))}
    while todo:
        todo = {child for child, parent in parents.items() if parent in todo}
        found |= todo
    return found
