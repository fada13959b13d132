"""Batches in processes that die: nothing is lost, nobody is left behind."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from support.waiting import wait_until
from tokalign.batches.processes import after_death, map_batches
from tokalign.errors import WorkerError

DIE = "die"


def answers(died_on: Path | None = None, once: bool = False):
    """Return what upper-cases words, and dies on DIE: each time, or once only."""

    def work(words):
        for word in words:
            if word == DIE and not (once and died_on.exists()):
                with died_on.open("a") as file:
                    file.write(f"{len(words)}\n")
                os.kill(os.getpid(), signal.SIGKILL)
        return [word.upper() for word in words]

    return work


def dies_at_start():
    os.kill(os.getpid(), signal.SIGKILL)


def refuses_to_start():
    raise ValueError("no such model")


def fails_at_work():
    def work(words):
        raise ValueError(f"bad words {words}")

    return work


def test_order_is_kept():
    words = [f"w{i}" for i in range(100)]
    assert list(map_batches(answers, words, 3, 2)) == [word.upper() for word in words]


def test_no_items_start_no_process():
    assert list(map_batches(dies_at_start, [], 3, 2)) == []


def test_a_death_is_retried(tmp_path):
    words = [f"w{i}" for i in range(20)]
    words[7] = DIE
    start = partial(answers, tmp_path / "deaths", once=True)
    assert list(map_batches(start, words, 4, 2)) == [word.upper() for word in words]


def test_an_item_that_ends_its_process_costs_itself_alone(tmp_path):
    words = [f"w{i}" for i in range(20)]
    words[5] = DIE
    outcomes = list(map_batches(partial(answers, tmp_path / "deaths"), words, 8, 2))
    assert isinstance(outcomes[5], WorkerError)
    assert "exit code -9" in str(outcomes[5])
    assert outcomes[:5] + outcomes[6:] == [w.upper() for w in words[:5] + words[6:]]
    # Whole twice, then once more for each half that holds it.
    assert (tmp_path / "deaths").read_text().split() == ["8", "8", "4", "2", "1"]


def hangs(marks: Path):
    """Return what upper-cases words and hangs on DIE, of which ever more files tell."""

    def work(words):
        for number in itertools.count() if DIE in words else ():
            (marks / f"{len(words)}-{os.getpid()}-{number}").touch()
            time.sleep(0.01)
        return [word.upper() for word in words]

    return work


@pytest.fixture
def hangs_jump_the_clock(monkeypatch, tmp_path):
    """A folder whose every new file is an hour on the clock."""

    def now():
        return 3600.0 * len(list(tmp_path.iterdir()))

    monkeypatch.setattr("tokalign.batches.processes._now", now)
    return tmp_path


def test_a_process_that_hangs_is_ended_and_its_batch_halved(
    hangs_jump_the_clock,
):
    marks = hangs_jump_the_clock
    words = [f"w{i}" for i in range(12)]
    words[5] = DIE
    outcomes = list(map_batches(partial(hangs, marks), words, 4, 1))
    assert isinstance(outcomes[5], WorkerError)
    assert re.search(r"had not answered after \d+ s", str(outcomes[5]))
    assert outcomes[:5] + outcomes[6:] == [w.upper() for w in words[:5] + words[6:]]
    # Whole twice, then once more for each half that holds it.
    names = {mark.name.rpartition("-")[0] for mark in marks.iterdir()}
    assert sorted(name.split("-")[0] for name in names) == ["1", "2", "4", "4"]


def returns_words():
    return list  # of what comes, a list of words


def test_batches_and_answers_that_fill_the_pipe_do_not_wait_for_one_another():
    words = [letter * 10_000_000 for letter in "abcdef"]
    found = map_batches(returns_words, words, 1, 1)
    assert [(each[0], len(each)) for each in found] == [(word[0], len(word)) for word in words]


def test_a_batch_that_waits_is_not_blamed_for_a_death(tmp_path):
    outcomes = list(map_batches(partial(answers, tmp_path / "deaths"), [DIE, "a"], 1, 1))
    assert isinstance(outcomes[0], WorkerError)
    assert outcomes[1] == "A"


def test_processes_that_die_at_the_start_are_given_up():
    with pytest.raises(WorkerError, match="3 worker processes in a row ended before"):
        list(map_batches(dies_at_start, ["a"], 1, 2))


@pytest.mark.parametrize("start", [refuses_to_start, fails_at_work])
def test_what_start_or_work_raises_is_raised_here(start):
    with pytest.raises(ValueError, match=r"no such model|bad words"):
        list(map_batches(start, ["a", "b"], 1, 2))


def test_a_generator_that_is_closed_leaves_no_process():
    results = map_batches(own_number, ["a"] * 10, 1, 2)
    number = next(results)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def own_number():
    return lambda words: [os.getpid() for _ in words]


CHILD = """
import sys
import time
sys.path[:0] = {paths!r}
from tokalign.batches.processes import map_batches
from test_processes import own_number
if __name__ == "__main__":
    for number in map_batches(own_number, iter(lambda: "a", None), 1, 2):
        print(number, flush=True)
"""


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(CHILD.format(paths=[str(Path(__file__).parent), *sys.path]))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        numbers = set()
        while len(numbers) < 2:
            numbers.add(int(run.stdout.readline()))
        run.kill()
    wait_until(lambda: not any(map(is_running, numbers)), "workers run on")


def is_running(number: int) -> bool:
    """Return whether there is such a process that has not ended, reaped or not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Work:
    """So many items."""

    def __init__(self, n: int) -> None:
        self.n, self.deaths = n, 0

    def __len__(self) -> int:
        return self.n

    def halves(self):
        return Work(self.n // 2), Work(self.n - self.n // 2)


def test_work_is_retried_whole_then_halved_then_given_up():
    work = Work(3)
    assert after_death(work) == [work]
    first, second = after_death(work)
    assert (len(first), len(second)) == (1, 2)
    assert after_death(first) == []
    assert [len(half) for half in after_death(second)] == [1, 1]
