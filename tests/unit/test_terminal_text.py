"""Nothing that a stranger wrote does anything in a terminal."""

import json

import pytest
from click.testing import CliRunner
from tokalign.cli import shared_flags
from tokalign.cli.main import main

NASTY = "a\x1b[31mb\x9b2Jc\u202ed\re"
ACTIVE = set("\x1b\x9b\u202e\r")


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.jsonl"
    pair = {"source": ["x", NASTY], "target": ["x", NASTY.upper()], "links": [[0, 0], [1, 1]]}
    path.write_text(json.dumps({"id": NASTY, **pair}) + "\n")
    return str(path)


def shown(*args, text=None):
    """Return all that a command prints."""
    run = CliRunner().invoke(main, list(args), input=text)
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    return run.stdout + run.stderr


@pytest.mark.parametrize("more", [(), ("--edits",), ("--pair", NASTY), ("--pair", f"{NASTY}!")])
def test_view_shows_ids_and_words_as_they_are_written(gold, more):
    printed = shown("view", gold, *more)
    assert "a␛[31mb<009B>2Jc<202E>d" in printed
    assert ACTIVE.isdisjoint(printed)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("align", NASTY), None),
        (("evaluate", NASTY, NASTY), None),
        ((NASTY,), None),
        (("align", "--model", NASTY), "a\tb\n"),
        (("rank", "q"), json.dumps({"id": NASTY, "candidates": NASTY}) + "\n"),
        (("align",), json.dumps({"id": NASTY, "source": NASTY, NASTY: 1}) + "\n"),
        (("align",), json.dumps({"source": "a", "target": "b", "anchors": NASTY}) + "\n"),
        (("align", "--columns", f"{NASTY},b"), "a,b\nc,d\n"),
        (("diff", NASTY, f"{NASTY}!"), None),
        (("diff", "--git", NASTY), None),
        (("info", NASTY), None),
    ],
)
def test_errors_show_names_and_values_as_they_are_written(args, text):
    printed = shown(*args, text=text)
    assert printed and ACTIVE.isdisjoint(printed), printed


def test_the_names_of_files_that_git_compares_do_nothing(tmp_path):
    (tmp_path / "a").write_text("It rained.")
    (tmp_path / "c").write_text("It snowed.")
    (tmp_path / "b").write_bytes(b"\x00\xff")
    for new in ("c", "b"):
        old, new = str(tmp_path / "a"), str(tmp_path / new)
        printed = shown("diff", "--git", NASTY, old, "0", "0", new, "0", "0")
        assert "a␛[31mb" in printed and ACTIVE.isdisjoint(printed)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_tables_are_harmless_in_a_terminal_and_whole_in_a_pipe(gold, monkeypatch, is_terminal):
    printed = []
    monkeypatch.setattr(shared_flags.click, "echo", lambda text, **_: printed.append(text))
    monkeypatch.setattr(shared_flags.sys.stdout, "isatty", lambda: is_terminal, raising=False)
    shared_flags.echo(NASTY)
    assert ACTIVE.isdisjoint(printed[0]) == is_terminal
