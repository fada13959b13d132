"""Errors become messages and exit codes in one place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tokalign.cli import main as cli
from tokalign.errors import InputError


@pytest.fixture
def run(monkeypatch):
    """Run the group with one extra subcommand, `probe`, whose body is given."""

    def run(body, args=("probe",)):
        probe = click.Command("probe", callback=body, help="Probe.")
        monkeypatch.setitem(cli.COMMANDS, "probe", __name__)
        monkeypatch.setattr(sys.modules[__name__], "command", probe, raising=False)
        return CliRunner().invoke(cli.main, list(args), prog_name="tokalign")

    return run


def test_success_exits_0(run):
    result = run(lambda: click.echo("done"))
    assert (result.exit_code, result.stdout) == (0, "done\n")


def test_own_error_exits_1_with_its_message_on_stderr(run):
    def fail():
        raise InputError("line 3: no tab")

    result = run(fail)
    assert result.exit_code == 1
    assert result.stderr == "Error: line 3: no tab\n"
    assert result.stdout == ""


def test_missing_file_exits_1_and_names_it(run, tmp_path):
    result = run(lambda: (tmp_path / "absent").read_text())
    assert result.exit_code == 1
    assert "absent: No such file or directory" in result.stderr


def test_bug_is_not_swallowed(run):
    result = run(lambda: 1 // 0)
    assert isinstance(result.exception, ZeroDivisionError)


def test_interrupt_exits_130(run):
    def interrupt():
        raise KeyboardInterrupt

    assert run(interrupt).exit_code == 130


def test_command_chooses_its_exit_code(run):
    assert run(lambda: click.get_current_context().exit(3)).exit_code == 3


@pytest.mark.parametrize("args", [["no-such-command"], ["--no-such-option"], ["-q", "-v", "probe"]])
def test_wrong_usage_exits_2(run, args):
    assert run(lambda: None, args).exit_code == 2


def test_version_is_the_packages():
    result = CliRunner().invoke(cli.main, ["--version"], prog_name="tokalign")
    assert result.exit_code == 0
    assert result.output.startswith("tokalign, version ")


def test_every_registered_command_loads_and_has_help():
    for name in cli.COMMANDS:
        command = cli.main.get_command(click.Context(cli.main), name)
        assert command is not None and command.get_short_help_str()


def test_help_loads_no_compiled_module_and_no_numpy():
    """It answers at once, and where numpy or the compiled core is broken."""
    calls = [["--version"], ["--help"], *([name, "--help"] for name in cli.COMMANDS)]
    code = (
        "import sys\n"
        "from tokalign.cli.main import main\n"
        f"for args in {calls}:\n"
        "    main(args, prog_name='tokalign', standalone_mode=False)\n"
        "    files = {name: getattr(m, '__file__', None) for name, m in sys.modules.items()}\n"
        "    own = [name for name in files if name.partition('.')[0] == 'tokalign']\n"
        "    compiled = [name for name in own if not (files[name] or '.py').endswith('.py')]\n"
        "    heavy = [*compiled, *{'numpy', 'tqdm', 'google', 'grpc'}.intersection(files)]\n"
        "    print('loaded', args, heavy)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [line for line in run.stdout.splitlines() if line.startswith("loaded ")]
    assert loaded == [f"loaded {args} []" for args in calls]


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in Linux's /proc")
def test_a_command_starts_no_threads_of_numpy():
    """They wait busily, one for each processor."""
    code = (
        "import contextlib, os\n"
        "from tokalign.__main__ import main\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main()\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    command = [sys.executable, "-c", code, "align", "Dogs bark.", "The dogs bark."]
    free = {name: value for name, value in os.environ.items() if "_NUM_THREADS" not in name}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=free)
    assert run.stdout.splitlines()[-1] == "1"


def test_help_cuts_no_description_short_and_explains_every_option():
    shown = CliRunner().invoke(cli.main, ["--help"]).stdout
    assert "..." not in shown.partition("--help  ")[2]
    assert [f"{title}:" for title in cli.SECTIONS] == [
        line for line in shown.splitlines() if line.endswith(":") and line[0] != " "
    ][1:]
    shown = CliRunner().invoke(cli.main, ["resources", "--help"]).stdout
    assert "..." not in shown.partition("Commands:")[2]
    for name in cli.COMMANDS:
        command = cli.main.get_command(click.Context(cli.main), name)
        options = [each for each in command.params if isinstance(each, click.Option)]
        unexplained = [each.name for each in options if not each.help]
        assert not unexplained, (name, unexplained)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_names_the_program(shell):
    asked = {"_TOKALIGN_COMPLETE": f"{shell}_source"}
    result = CliRunner(env=asked).invoke(cli.main, [], prog_name="tokalign")
    assert result.exit_code == 0
    assert f"_TOKALIGN_COMPLETE={shell}_complete" in result.output


def test_broken_pipe_is_silent():
    code = (
        "import sys, click\n"
        "from tokalign.cli import main as cli\n"
        "write = lambda: [print('x' * 99) for _ in range(9999)]\n"
        "command = click.Command('probe', callback=write)\n"
        "cli.COMMANDS['probe'] = '__main__'\n"
        "cli.main(['probe'], prog_name='tokalign')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert errors == ""


def test_annotations_suit_the_oldest_click():
    """Types of click are generic since 8.4; before, they must not be subscripted as code runs."""
    for path in sorted(Path(cli.__file__).parent.rglob("*.py")):
        assert not re.search(r'(?<!")\bclick\.\w+\[', path.read_text()), path
