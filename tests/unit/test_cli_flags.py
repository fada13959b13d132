"""Flags are declared once, as fields of options objects."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, fields
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tokalign.cli import main as cli
from tokalign.cli.flags import flag, group, takes
from tokalign.cli.info import resources
from tokalign.cli.shared_flags import AlignFlags
from tokalign.cli.train import SettingFlags
from tokalign.english.lexicon.lexical_resources import OPTIONAL
from tokalign.evaluate import ALPHAS
from tokalign.evaluate.report import MARKUP
from tokalign.model.training import POSSIBLE_CHOICES, PUBLISHED, TrainingSettings
from tokalign.types.options import AlignOptions

CLI = Path(cli.__file__).parent
PAIR = "Dogs bark.\tThe dogs bark.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A part of another options object."""

    trees: bool = flag("Parse.", "--trees/--no-trees", default=True)
    name: tuple[str, ...] = flag("Names.", multiple=True, default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """Flags of every kind."""

    batch_size: int = flag("How many.", "--batch-size", "-b", type=int, default=64)
    format: str | None = flag("What is read.", "--from")
    strict: bool = flag("Stop.", default=False)
    inner: Inner = group(Inner)
    note: str = "not a flag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """Another group of flags."""

    top_k: int = flag("Most.", type=int, default=0)


def command_of(name: str) -> click.Command:
    command = cli.main.get_command(click.Context(cli.main), name)
    assert command is not None
    return command


@pytest.fixture
def run():
    """Run a command that takes two options objects; return what it got."""

    @click.command()
    @click.argument("path")
    @takes(outer=Outer, other=Other)
    def command(path: str, outer: Outer, other: Other) -> None:
        got.append((path, outer, other))

    got: list[tuple[str, Outer, Other]] = []

    def run(*args):
        result = CliRunner().invoke(command, args)
        assert result.exit_code == 0, result.output
        return got.pop()

    return run


def test_objects_hold_what_the_flags_say(run):
    path, outer, other = run(
        "x", "-b", "7", "--from", "msr", "--strict", "--no-trees", "--name", "a", "--name", "b",
        "--top-k", "3",
    )  # fmt: skip
    assert path == "x"
    inner = Inner(trees=False, name=("a", "b"))
    assert outer == Outer(batch_size=7, format="msr", strict=True, inner=inner)
    assert other == Other(top_k=3)


def test_defaults_of_flags_are_those_of_their_fields(run):
    assert run("x") == ("x", Outer(inner=Inner()), Other())


def sections(name: str) -> dict[str, list[str]]:
    """Return the flags that help shows, by the title of their section."""
    found: dict[str, list[str]] = {}
    here: list[str] = []  # of the text above the sections
    shown = CliRunner().invoke(cli.main, [name, "--help"], catch_exceptions=False).stdout
    for line in shown.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            here = found.setdefault(line[:-1], [])
        elif line.startswith("  -"):
            here.append(next(word for word in line.split() if word.startswith("--")))
    return found


def test_help_shows_options_in_sections():
    align = sections("align")
    titles = ["Input", "Output", "Links", "Model", "Server", "Run", "Other options"]
    assert list(align) == titles
    assert {"--input", "--columns"} <= {*align["Input"]}
    assert {"--output", "--errors", "--format", "--edits"} <= {*align["Output"]}
    assert {"--style", "--related"} <= {*align["Links"]}
    assert {"--model", "--annotator", "--device"} == {*align["Model"]}
    assert {"--server", "--timeout", "--tls-ca", "--token-file"} == {*align["Server"]}
    assert align["Other options"] == ["--verbose", "--quiet", "--help"]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_flag_of_a_long_command_is_in_a_section_and_the_rest_come_last(name):
    found = sections(name)
    flags = [each for section in found.values() for each in section]
    if len(flags) > 12:
        assert list(found)[-1] == "Other options" and "Options" not in found
        assert {*found["Other options"]} <= {
            "--alpha",
            "--format",
            "--verbose",
            "--quiet",
            "--help",
        }
    assert len(flags) == len({*flags})


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_names_only_options_that_the_command_has(name):
    command = command_of(name)
    options = [each for each in command.params if isinstance(each, click.Option)]
    texts = [command.help or "", *(each.help or "" for each in options)]
    named = {each for text in texts for each in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)}
    assert named <= {name for each in options for name in each.opts} | {"--help"}


def test_library_options_of_the_command_line_have_the_names_and_defaults_of_the_library():
    options = AlignOptions()
    for each in fields(AlignFlags):
        assert each.default == getattr(options, each.name), each.name
    assert AlignFlags().options() == options


def test_settings_of_training_have_the_defaults_of_the_library():
    assert SettingFlags().settings() == TrainingSettings()


def test_choices_are_those_of_the_library():
    """They are written down, since the modules that have them load the compiled core."""

    def choices(command: click.Command, name: str) -> list[str]:
        (found,) = (each.type for each in command.params if each.name == name)
        assert isinstance(found, click.Choice)
        return list(found.choices)

    assert choices(command_of("train"), "like") == list(PUBLISHED)
    assert choices(command_of("compare"), "alpha") == list(ALPHAS)
    assert choices(command_of("compare"), "markup") == ["text", *MARKUP]
    assert choices(resources.commands["install"], "name") == sorted(OPTIONAL)
    (possible,) = (each for each in command_of("train").params if each.name == "possible")
    assert isinstance(possible, click.Option) and possible.help is not None
    assert ", ".join(POSSIBLE_CHOICES) in possible.help


def _flags(part: ast.AST) -> list[str]:
    return [
        node.value
        for node in ast.walk(part)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("-")
        and node.value.strip("-").replace("-", "").isalnum()
    ]


def _is_command(part: ast.AST) -> bool:
    return isinstance(part, ast.FunctionDef) and any(
        "command(" in ast.unparse(each) for each in part.decorator_list
    )


def test_a_flag_stands_in_one_place_of_a_command_and_what_is_beside_it():
    twice = []
    for path in sorted(CLI.rglob("*.py")):
        parts = ast.parse(path.read_text()).body
        shared = [flag for part in parts if not _is_command(part) for flag in _flags(part)]
        for own in [_flags(part) for part in parts if _is_command(part)] or [[]]:
            flags = shared + own
            twice += [f"{path.name}: {each}" for each in {*flags} if flags.count(each) > 1]
    assert twice == []


def test_commands_take_few_objects():
    wide = [
        f"{path.name}: {node.name}"
        for path in sorted(CLI.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and len(node.args.args) + len(node.args.kwonlyargs) > 7
    ]
    assert wide == []
