"""Files of lines: their reading, and the remains of an interrupted run."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pty
import random
import resource
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.cli.lines.pair_lines import read_lines
from tokalign.cli.lines.sinks import PartialOutput, _cut_to_whole_lines, open_sink
from tokalign.cli.lines.sources import LineSource
from tokalign.cli.main import main
from tokalign.formats import read_gold

PAIRS = [("A cat sat on the mat .", "The cat sat there ."), ('He said "no, never" .', "No .")]
TEXT = "".join(f"{source}\t{target}\n" for source, target in PAIRS)


@pytest.fixture
def align(small_model):
    def align(*args, text=None):
        command = ["align", "--model", str(small_model), *map(str, args)]
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return align


@pytest.fixture
def wanted(align):
    return align(text=TEXT).stdout


@pytest.fixture
def many(tmp_path, sample_dir):
    """A file of some hundreds of pairs."""
    path = tmp_path / "many.tsv"
    pairs = read_gold(sample_dir / "sample.jsonl")
    lines = [f"{pair.source.text}\t{pair.target.text}\n" for pair in pairs]
    path.write_text("".join([*lines, "no pair\n", *lines]))
    return path


def zstd_compress(data):
    return pytest.importorskip("backports.zstd", reason="pip install '.[zstd]'").compress(data)


PACKS = [gzip.compress, bz2.compress, lzma.compress, zstd_compress]
UNPACKS = [
    ("", bytes),
    (".gz", gzip.decompress),
    (".bz2", bz2.decompress),
    (".xz", lzma.decompress),
]


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("name", ["pairs.tsv", "pairs"])
def test_packed_input_is_known_by_its_content(align, wanted, tmp_path, pack, name):
    data = TEXT.encode()
    (tmp_path / name).write_bytes(pack(data[:30]) + pack(data[30:]))
    assert align("-i", tmp_path / name).stdout == wanted
    assert align(text=pack(data)).stdout == wanted


@pytest.mark.parametrize("pack", PACKS)
def test_damaged_input_is_an_error_that_names_the_file(align, tmp_path, pack):
    path = tmp_path / "pairs.gz"
    path.write_bytes(pack(TEXT.encode() * 100)[:-12])
    result = align("-i", path)
    assert result.exit_code == 1
    assert f"{path}: damaged" in result.stderr


@pytest.mark.parametrize(("suffix", "unpack"), UNPACKS)
def test_output_is_packed_by_its_name(align, wanted, tmp_path, suffix, unpack):
    path = tmp_path / f"out{suffix}"
    assert align("-o", path, text=TEXT).exit_code == 0
    assert unpack(path.read_bytes()).decode() == wanted
    assert list(tmp_path.iterdir()) == [path]


def test_zstandard_output(align, wanted, tmp_path):
    zstd = pytest.importorskip("backports.zstd", reason="pip install '.[zstd]'")
    assert align("-o", tmp_path / "out.zst", text=TEXT).exit_code == 0
    assert zstd.decompress((tmp_path / "out.zst").read_bytes()).decode() == wanted


@pytest.mark.parametrize("command", ["align", "similarity", "annotate"])
def test_input_is_not_overwritten(tmp_path, command):
    path = tmp_path / "pairs.tsv"
    path.write_text(TEXT)
    (tmp_path / "link").hardlink_to(path)
    for output in (path, tmp_path / "link"):
        result = CliRunner().invoke(main, [command, "-i", str(path), "-o", str(output)])
        assert result.exit_code == 1
        assert "is the input and the output" in result.stderr
    assert path.read_text() == TEXT


def run(small_model, *args, **kwargs):
    command = [sys.executable, "-m", "tokalign", "align", "--model", str(small_model)]
    return subprocess.run([*command, *map(str, args)], capture_output=True, text=True, **kwargs)


def test_a_full_disk_leaves_whole_lines_and_is_named(small_model, many, tmp_path):
    output = tmp_path / "out"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5001, 5001))

    args = ["-i", many, "--format", "jsonl"]
    result = run(small_model, *args, "-o", output, preexec_fn=limit)
    assert result.returncode == 1
    assert f"{output}: " in result.stderr
    assert not output.exists()
    left = (tmp_path / "out.partial").read_bytes()
    assert 0 < len(left) <= 5001
    assert left.endswith(b"\n")
    whole = run(small_model, *args).stdout
    assert whole.startswith(left.decode())


@pytest.fixture
def interrupt(align, tmp_path):
    """Runs align as if it were killed before its output gets its name: tmp_path / "out"."""

    def interrupt(*args, text=None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PartialOutput, "complete", lambda self: self.file.close())
            align(*args, "-o", tmp_path / "out", text=text)
        return (tmp_path / "out.partial").read_bytes()

    return interrupt


def test_an_interrupted_run_is_resumed_to_the_same_bytes(align, many, interrupt, tmp_path):
    whole = interrupt("-i", many, "--format", "jsonl")
    output, left = tmp_path / "out", tmp_path / "out.partial"
    draw = random.Random(7)
    for cut in [0, 1, len(whole), *(draw.randrange(len(whole)) for _ in range(6))]:
        output.unlink(missing_ok=True)
        left.write_bytes(whole[:cut])
        result = align("-i", many, "--format", "jsonl", "-o", output, "--resume")
        assert output.exists() and output.read_bytes() == whole, result.stderr
        assert not left.exists()


def test_a_first_run_may_be_told_to_resume(align, wanted, tmp_path):
    assert align("-o", tmp_path / "out", "--resume", text=TEXT).exit_code == 0
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", wanted)]


def test_a_grown_input_is_resumed(align, interrupt, tmp_path):
    interrupt(text=TEXT)
    assert align("-o", tmp_path / "out", "--resume", text=TEXT * 2).exit_code == 0
    assert (tmp_path / "out").read_text() == align(text=TEXT * 2).stdout


@pytest.mark.parametrize(
    ("args", "text", "message"),
    [
        (["--model", "lemma"], TEXT, "line 1 of what"),
        (["--min-confidence", "0.99"], TEXT, "line 1 of what"),
        (["--confidences"], TEXT, "line 1 of what"),
        ([], TEXT.replace("cat sat on", "dog sat on"), "line 1 of what"),
        ([], TEXT.partition("\n")[0], "line 2 of what"),
    ],
)
def test_a_run_is_not_resumed_with_another_input_or_option(
    align, interrupt, tmp_path, args, text, message
):
    left = interrupt(text=TEXT)
    result = align("-o", tmp_path / "out", "--resume", *args, text=text)
    assert result.exit_code == 1
    assert message in result.stderr
    assert (tmp_path / "out.partial").read_bytes() == left


def test_what_an_interrupted_run_left_is_not_emptied_without_a_word(align, interrupt, tmp_path):
    left = interrupt(text=TEXT)
    result = align("-o", tmp_path / "out", text=TEXT)
    assert result.exit_code == 1
    assert "go on with --resume, or discard them with --restart" in result.stderr
    assert (tmp_path / "out.partial").read_bytes() == left
    assert align("-o", tmp_path / "out", "--restart", text=TEXT).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert align("-o", tmp_path / "out", "--restart", "--resume", text=TEXT).exit_code == 2


def test_a_run_that_writes_nothing_leaves_nothing(align, tmp_path):
    result = align("-o", tmp_path / "out", "--style", "none", text=TEXT)
    assert "not complete; nothing was written" in result.stderr
    assert list(tmp_path.iterdir()) == []


def is_locked(path):
    return path.exists() and f":{path.stat().st_ino} " in Path("/proc/locks").read_text()


def test_two_runs_do_not_write_one_output(align, small_model, wanted, tmp_path):
    output = tmp_path / "out"
    command = [sys.executable, "-m", "tokalign", "align", "--model", small_model, "-o", output]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as first:
        while not is_locked(tmp_path / "out.partial"):
            assert first.poll() is None
        for way in ([], ["--resume"], ["--restart"]):
            result = align("-o", output, *way, text=TEXT * 2)
            assert result.exit_code == 1
            assert f"another run is writing {output}" in result.stderr
        first.communicate(TEXT.encode())
    assert output.read_text() == wanted


def test_the_unfinished_output_is_no_input_and_no_link(align, tmp_path):
    left = tmp_path / "out.partial"
    left.write_text(TEXT)
    for way in ([], ["--resume"], ["--restart"]):
        result = align("-i", left, "-o", tmp_path / "out", *way)
        assert result.exit_code == 1
        assert "out.partial is the input" in result.stderr
        assert left.read_text() == TEXT
    left.rename(tmp_path / "elsewhere")
    left.symlink_to(tmp_path / "elsewhere")
    for way in ([], ["--resume"], ["--restart"]):
        result = align("-o", tmp_path / "out", *way, text=TEXT)
        assert "out.partial is a symbolic link" in result.stderr
        assert (tmp_path / "elsewhere").read_text() == TEXT
    left.unlink()
    left.mkdir()
    assert align("-o", tmp_path / "out", text=TEXT).exit_code == 1
    left.rmdir()
    os.mkfifo(left)
    assert "out.partial is no file" in align("-o", tmp_path / "out", text=TEXT).stderr


def test_lines_do_not_wait_long_for_others(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("tokalign.cli.lines.sinks.time.monotonic", lambda: now[0])
    left = tmp_path / "out.partial"
    with open_sink(str(tmp_path / "out"), ()) as sink:
        sink.write("a\n")
        assert left.read_text() == ""
        now[0] = 1.5
        sink.write("b\n")
        assert left.read_text() == "a\nb\n"


@pytest.mark.parametrize("pack", PACKS)
def test_packed_bytes_without_line_breaks_take_little_memory(monkeypatch, pack):
    monkeypatch.setattr("tokalign.cli.lines.sources.MAX_LINE", 1 << 16)
    monkeypatch.setattr("tokalign.cli.lines.pair_lines.MAX_LINE", 1 << 16)
    data = pack(b"x" * (1 << 27) + b"\nA cat\tA cat\n")
    tracemalloc.start()
    found = list(read_lines(LineSource(io.BytesIO(data), "x"), is_tokenized=False))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 25
    assert [(each.line, bool(each.error)) for each in found] == [(1, True), (2, False)]


def test_control_characters_are_shown_on_a_terminal_only():
    command = [sys.executable, "-m", "tokalign", "align", "--tokenized", "--format", "tsv"]
    text = b"A \x1b[31mcat\tA \x1b[31mcat\n"
    piped = subprocess.run([*command, "--model", "lemma"], input=text, capture_output=True)
    assert b"\x1b[31mcat" in piped.stdout
    parent, child = pty.openpty()
    subprocess.run([*command, "--model", "lemma"], input=text, stdout=child, check=True)
    os.close(child)
    shown = os.read(parent, 1 << 16).decode()
    assert "\x1b" not in shown
    assert "␛[31mcat" in shown


def test_a_run_that_is_killed_is_resumed(small_model, many, tmp_path):
    whole = run(small_model, "-i", many, "--format", "jsonl", "--posteriors").stdout
    output, left = tmp_path / "out", tmp_path / "out.partial"
    args = ["--format", "jsonl", "--posteriors", "-o", str(output)]
    command = [sys.executable, "-m", "tokalign", "align", "--model", str(small_model), *args]
    text = many.read_bytes()
    half = text.index(b"\n", len(text) // 2) + 1
    with subprocess.Popen(command, stdin=subprocess.PIPE) as first:
        first.stdin.write(text[:half])
        first.stdin.flush()
        while not left.exists() or not left.stat().st_size:
            assert first.poll() is None
        first.kill()
    result = run(small_model, "-i", many, *args, "--resume")
    assert result.returncode == 3  # of the line that is no pair
    assert output.read_text() == whole
    assert "lines kept" in result.stderr


def test_only_the_last_kept_lines_are_made_again(align, many, interrupt, tmp_path, monkeypatch):
    whole = interrupt("-i", many, "--format", "jsonl")
    monkeypatch.setattr("tokalign.cli.lines.sinks.N_COMPARED", 2)
    lines = whole.splitlines(keepends=True)
    for changed, code in ((-3, 0), (-2, 1), (-1, 1)):
        lines[changed] = lines[changed].replace(b"0", b"1")
        (tmp_path / "out.partial").write_bytes(b"".join(lines))
        result = align("-i", many, "--format", "jsonl", "-o", tmp_path / "out", "--resume")
        assert result.exit_code == code
        lines = whole.splitlines(keepends=True)
        (tmp_path / "out").unlink(missing_ok=True)


def test_what_another_command_wrote_is_not_resumed(align, many, tmp_path):
    (tmp_path / "out.partial").write_text("0-0\n0-0 99-99\n")
    result = align("-i", many, "-o", tmp_path / "out", "--resume")
    assert result.exit_code == 1
    assert "line 1 of what" in result.stderr
    assert (tmp_path / "out.partial").read_text() == "0-0\n0-0 99-99\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--resume"], "--resume needs --output"),
        (["--resume", "-o", "out.gz"], "plain output only"),
        (["--resume", "-o", "done"], "done is complete"),
    ],
)
def test_what_cannot_be_resumed(align, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "done").write_text("")
    result = align(*args, text=TEXT)
    assert result.exit_code == 1
    assert message in result.stderr


def test_strict_leaves_no_output_that_seems_complete(align, tmp_path):
    result = align("--strict", "-o", tmp_path / "out", text=TEXT + "no pair\n")
    assert result.exit_code == 3
    assert not (tmp_path / "out").exists()
    assert "not complete" in result.stderr


def test_a_device_is_written_to_as_it_is(align):
    assert align("-o", "/dev/null", text=TEXT).exit_code == 0
    assert Path("/dev/null").is_char_device()
    result = align("-o", "/dev/full", text=TEXT)
    assert result.exit_code == 1
    assert "/dev/full: No space left on device" in result.stderr


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\nb", "a\nbb\n", "\n\n", "a\n\n\nbb"])
@pytest.mark.parametrize("n_compared", [1, 2, 100])
def test_cut_to_whole_lines(tmp_path, monkeypatch, text, n_compared):
    monkeypatch.setattr("tokalign.cli.lines.sinks.N_COMPARED", n_compared)
    (tmp_path / "lines").write_text(text)
    lines = text[: text.rfind("\n") + 1].splitlines(keepends=True)
    with (tmp_path / "lines").open("r+b", buffering=0) as file:
        assert _cut_to_whole_lines(file) == (len(lines), lines[-n_compared:])
        file.write(b"!")
    assert (tmp_path / "lines").read_text() == "".join(lines) + "!"
