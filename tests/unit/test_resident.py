"""The resident process of `tokalign diff --git`: it answers as the program, and its user alone."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from tokalign.cli import resident

pytestmark = pytest.mark.skipif(
    not hasattr(socket, "SO_PEERCRED"), reason="sockets do not tell the user here"
)


@pytest.fixture
def home(monkeypatch):
    """A runtime directory with a short path; what was started in it is ended."""
    above = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(above))
    folder = above / f"tokalign-{os.getuid()}"
    yield folder
    for lock in folder.glob("*.lock"):
        os.kill(int(lock.read_text()), signal.SIGKILL)
    shutil.rmtree(above)


@pytest.fixture
def arguments(tmp_path):
    """Arguments as git gives them for a file that changed."""
    (tmp_path / "old.txt").write_text("It has 40 rooms. It is caf\xe9.\n", "utf-8")
    (tmp_path / "new.txt").write_text("It has 45 rooms. It is caf\xe9.\n", "utf-8")
    return ["a.txt", "old.txt", "0", "100644", "new.txt", "0", "100644"]


@pytest.fixture
def call(tmp_path, home):
    """Runs the program; returns its exit code, its output and what it says of trouble."""

    def run(*words):
        line = [sys.executable, "-m", "tokalign", "diff", "--git", *words]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def started(call, arguments, home):
    """The lock of a process that a first call has started."""
    assert call(*arguments)[0] == 0
    return _lock_in(home)


def _lock_in(home):
    for _ in range(1200):
        found = [each for each in home.glob("*.lock") if each.read_text().strip()]
        if found and found[0].with_suffix("").exists():
            return found[0]
        time.sleep(0.05)
    raise AssertionError("no process was started")


def _ask(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return resident.ask(["diff", "--git", *arguments])


def test_it_answers_as_the_program_does(started, call, arguments):
    alone = call("--no-resident", *arguments)
    assert b"[-40-]{+45+}" in alone[1]
    assert call(*arguments) == alone
    for words in (["--color", "always"], ["--json"], ["--format", "stat"]):
        assert call(*words, *arguments) == call("--no-resident", *words, *arguments)
    trouble = call("--no-resident", "a", "b")
    assert trouble[0] == 2 and call("a", "b") == trouble
    missing = ["a.txt", "none.txt", *arguments[2:]]
    assert call(*missing) == call("--no-resident", *missing)


def test_a_call_after_the_first_is_answered_by_it(started, arguments, tmp_path, monkeypatch):
    assert _ask(arguments, tmp_path, monkeypatch) == 0


def test_without_it_none_is_started(call, arguments, home):
    assert call("--no-resident", *arguments)[0] == 0
    assert not home.exists()


def test_two_calls_at_once_start_one(call, arguments, home):
    answers = []
    calls = [threading.Thread(target=lambda: answers.append(call(*arguments))) for _ in range(2)]
    for each in calls:
        each.start()
    for each in calls:
        each.join()
    assert answers[0] == answers[1] and answers[0][0] == 0
    _lock_in(home)
    assert len(list(home.glob("*.lock"))) == 1


def test_after_it_was_killed_the_program_answers_and_starts_another(
    started, call, arguments, tmp_path, monkeypatch
):
    killed, stale = int(started.read_text()), started.with_suffix("")
    bound = stale.stat().st_mtime_ns
    os.kill(killed, signal.SIGKILL)
    answer = call(*arguments)
    assert answer[0] == 0 and b"[-40-]{+45+}" in answer[1]
    for _ in range(1200):
        if stale.exists() and stale.stat().st_mtime_ns != bound:
            break
        time.sleep(0.05)
    assert int(started.read_text()) != killed
    assert _ask(arguments, tmp_path, monkeypatch) == 0


def test_another_version_does_not_answer(home, monkeypatch):
    home.mkdir(mode=0o700)
    versions = iter([(1, 1), (1, 2)])
    monkeypatch.setattr(resident, "_version", lambda: next(versions))
    monkeypatch.setattr(resident, "_load", lambda: None)
    begun = []
    monkeypatch.setattr(resident, "_start", begun.append)
    path = resident._address()
    server = threading.Thread(target=_serve_without_signals, args=(path, monkeypatch))
    server.start()
    while not Path(path).exists():
        time.sleep(0.01)
    assert resident.ask(["diff", "--git"]) is None
    assert begun == [path]  # another is started
    server.join()
    assert not Path(path).exists()
    (home / f"{Path(path).name}.lock").unlink()  # it names this process


def _serve_without_signals(path, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    resident.serve(path)


def test_idle_it_ends(home, monkeypatch):
    home.mkdir(mode=0o700)
    monkeypatch.setattr(resident, "_load", lambda: None)
    monkeypatch.setattr(resident, "IDLE", 0.01)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    path = resident._address()
    resident.serve(path)
    assert not Path(path).exists()
    Path(f"{path}.lock").unlink()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o777])
def test_a_folder_that_others_may_enter_is_refused(home, mode):
    home.mkdir()
    home.chmod(mode)
    assert resident._address() is None


def test_a_link_for_the_folder_is_refused(home, tmp_path):
    tmp_path.chmod(0o700)
    home.symlink_to(tmp_path)
    assert resident._address() is None


def test_a_folder_of_another_user_is_refused(home, monkeypatch):
    home.mkdir(mode=0o700)
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    home.rename(home.with_name(f"tokalign-{user + 1}"))
    assert resident._address() is None
    home.with_name(f"tokalign-{user + 1}").rename(home)


def test_a_process_of_another_user_is_refused(started, arguments, tmp_path, monkeypatch):
    monkeypatch.setattr(resident, "_is_own", lambda line: False)
    assert _ask(arguments, tmp_path, monkeypatch) is None


def test_the_user_at_the_other_end_is_asked_of_the_system(monkeypatch):
    ends = socket.socketpair()
    assert resident._is_own(ends[0])
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert not resident._is_own(ends[0])
    for each in ends:
        each.close()


@pytest.mark.parametrize(
    ("words", "is_wanted"),
    [
        (["diff", "--git", "a"], True),
        (["diff", "a", "b"], False),
        (["diff", "--git", "--no-resident", "a"], False),
        (["align", "--git"], False),
    ],
)
def test_it_is_of_git_alone(words, is_wanted):
    assert resident.is_wanted(words) is is_wanted
