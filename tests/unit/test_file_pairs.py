"""`tokalign diff` of folders, quoted texts and revisions; the hook and the action that run it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tokalign.cli import diff as cli

ROOT = Path(__file__).parents[2]
OLD = "The host must not sell it. It has 40 rooms.\n"
NEW = "The host may sell it. It has 45 rooms.\n"


@pytest.fixture
def files(tmp_path):
    """Two versions of a text."""
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text(OLD)
    new.write_text(NEW)
    return old, new


def test_folders_are_compared_file_by_file(run_command, tmp_path):
    for side, text in (("a", OLD), ("b", NEW)):
        folder = tmp_path / side / "in"
        folder.mkdir(parents=True)
        (folder / "text").write_text(text)
        (folder / "image").write_bytes(side.encode() + b"\0")
        (folder / "same").write_text("Same.")
        (folder / f"only-{side}").write_text("x")
    a, b = tmp_path / "a", tmp_path / "b"
    result = run_command("diff", "--format", "stat", a, b)
    assert result.exit_code == 1
    shown = result.stdout.splitlines()
    assert [each for each in shown if not each.startswith(" ")] == [
        f"diff -r {a}/in/image {b}/in/image",
        f"Files {a}/in/image and {b}/in/image differ: {a}/in/image: a binary file; wanted text",
        f"Only in {a}/in: only-a",
        f"Only in {b}/in: only-b",
    ]
    assert any(each.startswith(f" {a}/in/text => {b}/in/text | ") for each in shown)
    assert run_command("diff", a, a).exit_code == 0
    assert "a page shows one file" in run_command("diff", a, b, "-o", tmp_path / "x.html").stderr
    assert "Is a directory" in run_command("diff", a, b / "in" / "text").stderr


def test_two_quoted_texts_are_compared(run_command):
    result = run_command("diff", "It has 40 rooms.", "It has 45 rooms.")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- old\n+++ new\n") and "[-40-]{+45+}" in result.stdout
    assert run_command("diff", "It is old.", "It is old.").exit_code == 0


def test_output_is_a_file_whose_name_decides_on_a_page(run_command, files, tmp_path, monkeypatch):
    page, lines, opened = tmp_path / "page.html", tmp_path / "lines", []
    monkeypatch.setattr(cli.click, "launch", opened.append)
    assert run_command("diff", *files, "-o", page, "--open").output == ""
    assert page.read_text().startswith("<!doctype html>") and opened == [page.as_uri()]
    assert run_command("diff", *files, "-o", lines).output == ""
    assert lines.read_text() == run_command("diff", *files).stdout
    made = Path(run_command("diff", *files, "--open").stdout.strip())
    assert made.read_text() == page.read_text()
    shutil.rmtree(made.parent)
    assert "is none: name it .html" in run_command("diff", *files, "-o", lines, "--open").stderr


def test_a_reader_that_goes_away_does_not_make_texts_equal(files):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "tokalign", "diff", *files],
        stdout=writer, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_limit_names_the_file(run_command, files, monkeypatch):
    monkeypatch.setattr("tokalign.texts.sentence_candidates.MAX_TEXT_SENTENCES", 1)
    result = run_command("diff", *files)
    assert result.exit_code == 2
    assert f"{files[0]}: has 2 sentences that the other text lacks" in result.stderr


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository whose one commit has texts, and whose working tree has others."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    names = ("docs/a text.md", "code.py", "docs/gone.md", "docs/form.rst")
    for name in names:
        Path(name).write_text(OLD)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Old"]):
        subprocess.run([*git, *arguments], check=True)
    Path("docs/a text.md").write_text(f"# Rules\n\n{NEW}")
    Path("code.py").write_text(NEW)
    Path("docs/gone.md").unlink()
    Path("docs/form.rst").write_text(OLD.replace(". ", ".\n"))
    return folder


def test_prose_is_compared_with_a_revision(run_command, repository):
    result = run_command("diff", "--against", "HEAD", "--format", "stat")
    assert result.exit_code == 1
    shown = [each for each in result.stdout.splitlines() if "|" in each]
    assert [each.split(" |")[0] for each in shown] == [
        " docs/a text.md", " docs/form.rst", " docs/gone.md => /dev/null",
    ]  # fmt: skip
    counts = ["diff", "--against", "HEAD", "--format", "stat", "code.py"]
    assert "code.py" in run_command(*counts).stdout
    form = ["diff", "--against", "HEAD", "--only", "meaning", "docs/form.rst"]
    assert run_command(*form).output == ""
    absent = run_command("diff", "--against", "absent")
    assert absent.exit_code == 2 and "git diff ended with 128" in absent.stderr


def test_the_hook_prints_alarms_and_lets_the_commit_pass(repository):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    entry = shlex.split(hook["entry"])
    names = ["docs/a text.md", "docs/form.rst"]
    done = subprocess.run([*entry, *hook["args"], *names], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "40 → 45" in done.stdout.decode() and b"form.rst" not in done.stdout
    assert subprocess.run([*entry, *names], capture_output=True, check=False).returncode == 1


def test_the_action_annotates_lines_and_writes_a_summary(repository, tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(each for each in action["runs"]["steps"] if each.get("id") == "diff")
    summary = tmp_path / "summary"

    def run(**inputs):
        env = os.environ | {"GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(tmp_path)}
        command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
        given = {"BASE": "HEAD", "PATHS": "", "FAIL": "false"} | inputs
        assert set(step["env"]) == set(given)
        return subprocess.run(command, env=env | given, capture_output=True, text=True, check=False)

    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert "::warning file=docs/a text.md,line=3,title=number::40 → 45\n" in done.stdout
    assert "~~40~~**45**" in summary.read_text()
    assert run(FAIL="true", PATHS="docs/form.rst\n").returncode == 0
    assert run(FAIL="true").returncode == 1
    assert run(BASE="absent").returncode > 1
