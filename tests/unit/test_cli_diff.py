"""`tokalign diff`: exit codes of diff, every form of output, and git's external diff."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from tokalign.aligner import Aligner
from tokalign.cli import diff as cli
from tokalign.errors import ModelError
from tokalign.texts.diff import TextDiff

OLD = "The plant opened in 1990. It has 40 workers. They make shoes and bags.\n\nThis is over.\n"
NEW = "They make shoes and bags. The plant opened in 1990 and has 45 workers.\n\nThis is over.\n"
SCHEMA = Path(__file__).parents[2] / "docs" / "diff.schema.json"


@pytest.fixture
def files(tmp_path):
    """Two versions of a text."""
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text(OLD)
    new.write_text(NEW)
    return old, new


@pytest.fixture
def no_model(monkeypatch):
    """Loading a model fails."""

    def load(*_, **__):
        raise ModelError("a model is loaded")

    monkeypatch.setattr(Aligner, "load", load)


def test_different_texts_exit_1_and_show_what_happened_to_the_number(run_command, files):
    result = run_command("diff", *files)
    assert result.exit_code == 1
    assert "number      40 → 45" in result.stdout
    assert "[-40-]{+45+}" in result.stdout
    assert "→1]" in result.stdout and "{1→ " in result.stdout


@pytest.mark.parametrize("option", ["text", "stat", "markdown"])
def test_equal_texts_exit_0_in_silence_and_need_no_model(run_command, files, no_model, option):
    result = run_command("diff", "--format", option, files[0], files[0])
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.md", "markdown"), ("a.json", "json"), ("a.txt", "text"), ("a", "text"), (".md", "text")],
)
def test_the_name_of_the_output_chooses_the_format(run_command, files, tmp_path, name, form):
    assert run_command("diff", *files, "-o", tmp_path / name).exit_code == 1
    wanted = run_command("diff", *files, "--format", form).stdout
    assert (tmp_path / name).read_text() == wanted
    assert run_command("diff", *files, "-o", tmp_path / name, "--format", "stat").exit_code == 1
    assert (tmp_path / name).read_text() == run_command("diff", *files, "--format", "stat").stdout


@pytest.mark.parametrize(
    "options",
    [["-o", "a.html", "--format", "markdown"], ["--html", "a", "--json"],
     ["--json", "--format", "stat"]],
)  # fmt: skip
def test_one_format_at_a_time(run_command, files, options):
    result = run_command("diff", *files, *options)
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


def test_equal_texts_have_a_form_without_a_model(run_command, files, no_model):
    result = run_command("diff", "--json", files[0], files[0])
    assert result.exit_code == 0
    assert TextDiff.from_dict(json.loads(result.stdout)).is_same


def test_equal_files_are_told_before_what_aligns_is_imported(files):
    code = (
        "import sys\nfrom tokalign.cli.main import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit as end: assert end.code == 0\n"
        "print(*[name for name in sys.modules if name == 'tokalign.aligner'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "diff", files[0], files[0]],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == ""


def test_json_follows_the_schema_and_rebuilds_the_new_text(run_command, files):
    result = run_command("diff", "--json", *files)
    assert result.exit_code == 1
    value = json.loads(result.stdout)
    jsonschema.validate(value, json.loads(SCHEMA.read_text()))
    assert (value["old_name"], value["new_name"]) == tuple(map(str, files))
    assert value["summary"]["alarms"][0]["new"] == "45"
    assert TextDiff.from_dict(value).rebuild_new(OLD) == NEW


def test_every_other_form_is_written(run_command, files, tmp_path):
    assert "~~40~~**45**" in run_command("diff", "--format", "markdown", *files).stdout
    assert " => " in run_command("diff", "--format", "stat", *files).stdout
    page = tmp_path / "page.html"
    result = run_command("diff", "--html", page, *files)
    assert (result.exit_code, result.output) == (1, "")
    assert ">40 → 45</a>" in page.read_text()


def test_standard_input_is_one_of_the_files(run_command, files):
    result = run_command("diff", files[0], "-", "--format", "stat", text=NEW)
    assert result.exit_code == 1
    assert "<stdin>" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["OLD"], "saw 1 files; wanted two"),
        (["OLD", "NEW", "NEW"], "saw 3 files"),
        (["-", "-"], "standard input can be one"),
        (["OLD", "absent.txt"], "absent.txt: No such file or directory"),
        (["OLD", "."], "Is a directory"),
        (["OLD", "BINARY"], "a binary file; wanted text"),
        (["OLD", "LATIN"], "LATIN:2: byte 4 is 0xe9, which is no UTF-8 there"),
        (["OLD", "NEW", "--json", "--format", "stat"], "--json and --format stat exclude"),
        (["OLD", "NEW", "--model", "absent"], "absent"),
        (["OLD", "NEW", "--style", "absent"], "absent"),
        (["OLD", "NEW", "--html", "no/folder.html"], "there is no folder"),
        (["OLD", "NEW", "--git"], "saw 2 arguments; git gives 7"),
    ],
)
def test_trouble_exits_2(run_command, files, tmp_path, arguments, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "BINARY").write_bytes(b"a\0b")
    (tmp_path / "LATIN").write_bytes(b"x\nca\xe9\n")
    names = {"OLD": files[0], "NEW": files[1]}
    result = run_command("diff", *[names.get(each, each) for each in arguments])
    assert result.exit_code == 2
    assert message in result.stderr


def test_line_breaks_are_kept_to_the_letter(run_command, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"One.\r\nTwo.\r\n")
    new.write_bytes(b"One.\nTwo three.\n")
    value = json.loads(run_command("diff", "--json", old, new).stdout)
    assert TextDiff.from_dict(value).rebuild_new("One.\r\nTwo.\r\n") == "One.\nTwo three.\n"


@pytest.mark.parametrize(
    ("color", "variables", "is_coloured"),
    [
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {}, False),
        ("auto", {}, False),  # no terminal
    ],
)
def test_colours(run_command, files, monkeypatch, color, variables, is_coloured):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = run_command("diff", "--color", color, *files)
    assert ("\x1b[" in result.stdout) == is_coloured


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colours_unless_it_wants_none(monkeypatch, variables, is_coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.DiffFlags().is_coloured() == is_coloured


def test_items_of_lists_and_headings_are_compared_one_by_one(run_command, tmp_path):
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("# To do\n- Sweep the floor\n- Buy bread\n\n```\nx = 1\n```\n")
    new.write_text("# To do\n- Buy bread\n- Sweep the floor\n\n```\nx = 2\n```\n")
    value = json.loads(run_command("diff", "--json", old, new).stdout)
    moved = [block for block in value["blocks"] if "move" in block]
    assert len(moved) == 1 and moved[0]["kind"] == "moved"
    assert value["summary"]["alarms"][0]["old"] == "1"


@pytest.fixture
def repository(tmp_path):
    """Calls git in a repository whose one commit has a text, and whose working tree another."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    folder.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    clean |= {"PATH": tools, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*arguments, **variables):
        return subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments],
            cwd=folder, env=clean | variables, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    git("init", "-q")
    (folder / "a text.txt").write_text(OLD)
    (folder / "image.png").write_bytes(b"\x89PNG\0")
    git("add", ".")
    git("commit", "-q", "-m", "Old")
    (folder / "a text.txt").write_text(NEW)
    (folder / "image.png").write_bytes(b"\x89PNG\0\0")
    (folder / "new.txt").write_text("It is new.\n")
    git("add", "-N", "new.txt")
    return git


def test_git_shows_its_files_by_it(repository):
    shown = repository("-c", "diff.external=tokalign diff --git --no-resident", "diff")
    assert "diff --git a/a text.txt b/a text.txt\n--- a/a text.txt\n+++ b/a text.txt\n" in shown
    assert "[-40-]{+45+}" in shown
    assert "Files a/image.png and b/image.png differ: a/image.png: a binary file" in shown
    assert "--- /dev/null\n+++ b/new.txt\n" in shown and "{+It is new.+}" in shown


def test_git_takes_it_from_the_environment(repository):
    driver = "tokalign diff --git --no-resident --format stat"
    shown = repository("diff", "--", "a text.txt", GIT_EXTERNAL_DIFF=driver)
    assert " a/a text.txt => b/a text.txt | " in shown


def test_git_shows_renamed_files_by_both_names(repository):
    repository("mv", "a text.txt", "b.txt")
    shown = repository(
        "-c", "diff.external=tokalign diff --git --no-resident", "diff", "HEAD", "-M1%"
    )
    assert "--- a/a text.txt\n+++ b/b.txt\n" in shown


def test_git_difftool_calls_it_with_two_files(repository):
    shown = repository("difftool", "-y", "-x", "tokalign diff", "--", "a text.txt")
    assert "[-40-]{+45+}" in shown


def test_json_is_a_format_with_a_flag_of_its_own(run_command, files):
    chosen, named = (
        run_command("diff", *how, *files) for how in (["--format", "json"], ["--json"])
    )
    assert chosen.exit_code == named.exit_code == 1
    assert chosen.stdout == named.stdout != run_command("diff", *files).stdout


def test_two_formats_exclude_each_other(run_command, files):
    result = run_command("diff", "--format", "stat", "--json", *files)
    assert result.exit_code == 2 and "--json and --format stat exclude each other" in result.stderr
    assert run_command("diff", "--format", "json", "--json", *files).exit_code == 1


def test_only_meaning_lists_all_alarms_and_the_paragraphs_they_are_in(run_command, tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text(
        "It rains.\n\n" + "\n\n".join(f"Box {k} holds {k + 20} pens." for k in range(15))
    )
    new.write_text(
        "It pours.\n\n" + "\n\n".join(f"Box {k} holds {k + 50} pens." for k in range(15))
    )
    shown = run_command("diff", old, new).stdout
    assert "  Also changed: 3 number (--only meaning lists them)\n" in shown
    assert "[-rains-]" in shown
    only = run_command("diff", "--only", "meaning", old, new).stdout
    assert only.count("number      ") == 15
    assert "[-34-]{+64+}" in only
    assert "rains" not in only
    assert "··· 1 paragraph not changed in meaning ···" in only and "unchanged" not in only
    assert run_command("diff", "--only", "meaning", "--json", old, new).exit_code == 2
