"""The table of rooms and tests, the named steps of CI, and what CONTRIBUTING.md says of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from rooms import ROOMS, files_of
from unit.test_layering import ABOVE_ALL, ENGLISH, SERVER
from unit.test_layering import ROOMS as IMPORTS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def steps():
    """Return the names of all steps of CI."""
    return subprocess.run(
        [ROOT / ".ci" / "run", "--list"], capture_output=True, text=True, check=True
    ).stdout.split()


def test_every_test_file_belongs_to_a_room():
    files = set((ROOT / "tests").rglob("test_*.py"))
    assert files - {path for room in ROOMS for path in files_of(room)} == set()


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_row_has_a_test(room):
    for name in ROOMS[room].split():
        assert files_of(room, name), f"no test is called {name}; change its row in tests/rooms.py"


def test_every_room_of_the_plan_has_a_row():
    wanted = set(IMPORTS) | set(ABOVE_ALL) - {"__init__", "__main__"}
    assert wanted - {room.partition("/")[0] for room in ROOMS} == {"errors", "v1"}
    parts = {tuple(room.split("/")) for room in ROOMS if "/" in room}
    planned = {("english", part) for part in ENGLISH} | {("server", part) for part in SERVER}
    assert parts <= planned


def test_a_room_is_chosen_by_name():
    command = [sys.executable, "tests/rooms.py"]
    done = subprocess.run([*command, "crf"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [Path(line).name for line in done.stdout.split()] == [
        path.name for path in files_of("crf")
    ]
    done = subprocess.run([*command, "attic"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "name a room" in done.stderr and "texts" in done.stderr


def test_an_unknown_step_is_refused_before_any_is_run():
    done = subprocess.run([ROOT / ".ci" / "run", "lint", "nothing"], capture_output=True, text=True)
    assert done.returncode == 2 and "no step is called 'nothing'" in done.stderr
    assert "== lint" not in done.stdout


def test_every_step_has_commands_and_runs_on_github():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert re.findall(r"^    ([a-z-]+)\)$", script, re.MULTILINE) == steps()
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8"))[
        "jobs"
    ]
    (quick,) = (each["run"] for each in jobs["quick"]["steps"] if ".ci/run" in each.get("run", ""))
    slow = jobs["slow"]["strategy"]["matrix"]["step"]
    assert sorted([*quick.split()[1:], *slow]) == sorted(steps())


def test_hooks_and_forms_can_be_read():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [each["repo"] for each in hooks] == ["local"]
    assert all((ROOT / hook["entry"].split()[0]).is_file() for hook in hooks[0]["hooks"])
    for name in ("wrong-link", "crash", "wish"):
        form = (ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text("utf-8")
        assert {"name", "description", "body"} <= set(yaml.safe_load(form))


def test_the_page_names_steps_that_there_are():
    named = re.findall(r"`\.ci/run ([a-z ]+)`", PAGE)
    assert named and set(" ".join(named).split()) <= set(steps())
