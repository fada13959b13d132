"""The frame of the programs: commands with options, corpora, and rows of output."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tokalign.errors import AlignError

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
DATA = Path(os.environ.get("TOKALIGN_DATA", ROOT.parent / "shared" / "data"))
RTE2 = DATA / "msr_rte2" / "RTE2_dev_M.align.txt"


def main(package: str, text: str, commands: Mapping[str, str]) -> int:
    """Run the command that the first argument names, and return the exit code.

    Parameters
    ----------
    package : str
        Has a module for each command, with `add_options(parser)` and `run(arguments)`. The module's
        docstring is the command's help. Only the chosen one is imported.
    text : str
        What the program does.
    commands : mapping of str to str
        Name to description in a line.
    """
    width = max(map(len, commands))
    listed = "\n".join(f"  {name:{width}}  {what}" for name, what in commands.items())
    parser = argparse.ArgumentParser(
        prog=f"python -m {package}",
        description=text,
        epilog=f"commands:\n{listed}\n\nCOMMAND --help lists a command's options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=commands, metavar="COMMAND")
    if not sys.argv[1:]:
        parser.print_help()
        return 2
    name = parser.parse_args(sys.argv[1:2]).command
    return run(f"{package}.{name.replace('-', '_')}", f"python -m {package} {name}", sys.argv[2:])


def run(module_name: str, name: str, options: Sequence[str]) -> int:
    """Run a command; a missing package, model or corpus ends it with a line."""
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        print(f"{name}: {error}; some programs need the packages of .venv-torch", file=sys.stderr)
        return 1
    parser = argparse.ArgumentParser(
        prog=name,
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_options(parser)
    arguments = parser.parse_args(options)
    try:
        module.run(arguments)
    except FileNotFoundError as error:
        where = "corpora are looked for in the folder that TOKALIGN_DATA names"
        print(f"{name}: {error}; {where}", file=sys.stderr)
    except ModuleNotFoundError as error:
        print(f"{name}: {error}; --help says what it needs", file=sys.stderr)
    except AlignError as error:
        print(f"{name}: {error}", file=sys.stderr)
    else:
        return 0
    return 1


def names(text: str) -> list[str]:
    """Return the names that commas separate, as the type of an option."""
    return [name for name in text.split(",") if name]


def some_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Return the type of an option that takes some of these names, separated by commas."""
    every = list(known)

    def chosen(text: str) -> list[str]:
        if unknown := set(names(text)) - set(every):
            listed = ", ".join(sorted(unknown))
            raise argparse.ArgumentTypeError(f"{listed}; wanted some of {', '.join(every)}")
        if not names(text):
            raise argparse.ArgumentTypeError(f"names nothing; wanted some of {', '.join(every)}")
        return names(text)

    return chosen


def numbers(text: str) -> list[int]:
    """Return the whole numbers that commas separate, as the type of an option."""
    return [int(name) for name in names(text)]


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of the corpora."""
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")


def print_row(*parts: Mapping[str, object]) -> None:
    """Print a row of output, made of its parts, floats with six digits."""
    text = json.dumps({name: value for part in parts for name, value in part.items()})
    short = json.loads(text, parse_float=lambda number: float(f"{float(number):.6g}"))
    print(json.dumps(short), flush=True)


def cpu_s(work: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


def machine() -> str:
    """Return the machine in a line."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
        model = models[0] if models else model
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, CPython {platform.python_version()}, load {load:.1f}"
