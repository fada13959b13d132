"""A child that is forked while other threads use an aligner has all that it needs to answer."""

import ast
import contextlib
import importlib
import itertools
import os
import select
import signal
import threading
import traceback
import warnings
from pathlib import Path

import pytest
from tokalign import functions
from tokalign.aligner import Aligner
from tokalign.types.locks import ForkLock

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

# A child that waits for a lock waits for ever. Others need a tenth of a second.
LIMIT_S = 60.0
N_THREADS = 4
N_FORKS = 20

QUESTION = "Who sold the red car that his uncle had left him?"
SENTENCES = [f"In {1900 + k} a man of {k} years sold the car of his uncle." for k in range(40)]


def in_child(function):
    """Fork, and return what the function did in the child: "done", its error, or "hung"."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        try:
            function()
            os.write(writing, b"done")
        except BaseException:
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(writing)
    try:
        has_ended = select.select([reading], [], [], LIMIT_S)[0]
        return os.read(reading, 1 << 16).decode() or "dead" if has_ended else "hung"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


@contextlib.contextmanager
def busy(work):
    """Have threads do nothing but work."""
    is_over = threading.Event()
    begun = threading.Barrier(N_THREADS + 1)

    def run(number):
        begun.wait()
        # New words and pairs of words all the time, so that what is remembered grows.
        for k in itertools.count(number):
            if is_over.is_set():
                return
            work(f"word{k}x")

    threads = [threading.Thread(target=run, args=(k * 10**6,)) for k in range(N_THREADS)]
    for thread in threads:
        thread.start()
    begun.wait()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def uses(aligner):
    """Return what is done with an aligner, by name."""
    return {
        "rank": lambda word: aligner.rank(f"{QUESTION} {word}", [*SENTENCES, word]),
        "ground": lambda word: aligner.ground(f"A man sold the {word}.", [*SENTENCES, word]),
        "align": lambda word: list(aligner.pipe((f"{one} {word}", QUESTION) for one in SENTENCES)),
    }


@pytest.mark.parametrize("use", ["rank", "ground", "align"])
def test_a_child_of_a_busy_process_answers(use):
    aligner = Aligner()
    work = uses(aligner)[use]
    expected = str(work("car"))

    def answer():
        assert str(work("car")) == expected
        assert str(work("lorry")) != expected

    with busy(work):
        assert [in_child(answer) for _ in range(N_FORKS)] == ["done"] * N_FORKS


@pytest.mark.parametrize("name", ["sultan", "meteor"])
def test_a_child_answers_while_threads_ask_a_system(name):
    aligner = Aligner(name)
    work = uses(aligner)["rank"]
    expected = str(work("car"))

    def answer():
        assert str(work("car")) == expected

    with busy(work):
        assert [in_child(answer) for _ in range(N_FORKS)] == ["done"] * N_FORKS


def test_a_child_answers_while_threads_load(monkeypatch):
    """What is opened on first use is opened again and again here."""

    def load_anew(word):
        functions._loaded.clear()
        functions.align(word, word)

    expected = functions.align("Dogs bark.", "The dogs bark.").to_pharaoh()

    def answer():
        assert functions.align("Dogs bark.", "The dogs bark.").to_pharaoh() == expected

    with busy(load_anew):
        assert [in_child(answer) for _ in range(N_FORKS)] == ["done"] * N_FORKS


@pytest.mark.parametrize("room", ["tokalign", "tokalign.server"])
def test_no_property_has_a_lock_that_a_child_would_wait_for(room):
    """Until Python 3.12, that of functools has one, which another thread may hold at the fork."""
    (folder,) = importlib.import_module(room).__path__
    for path in Path(folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "functools":
                assert "cached_property" not in {each.name for each in node.names}, path


def test_the_thread_that_forks_keeps_its_lock():
    lock = ForkLock()

    def release():
        lock.__exit__()
        with lock as is_left:
            assert not is_left

    with lock as is_left:
        assert not is_left
        assert in_child(release) == "done"


def test_a_lock_says_once_that_its_holder_was_left():
    lock = ForkLock()
    is_held, is_over = threading.Event(), threading.Event()

    def hold():
        with lock:
            is_held.set()
            is_over.wait()

    def take():
        with lock as is_left:
            assert is_left
        with lock as is_left:
            assert not is_left

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    assert in_child(take) == "done"
    is_over.set()
    thread.join()
    with lock as is_left:
        assert not is_left
