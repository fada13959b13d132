"""The files that ship with tokalign, possibly in a package of their own."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from tokalign.errors import ResourceError, quoted

T = TypeVar("T")

DATA_DIR = Path(__file__).resolve().parents[1] / "data"
DEFAULT_MODEL = "en"
VERSION = "0.1.0"
"""Of the library: asking importlib.metadata took an eighth of a process's start."""
VERSIONS = {"tokalign-data": "version.txt", "tokalign-neural-data": "neural-version.txt"}
"""Data package -> its file with the version of tokalign it is for. Only wheels have the file: in a
source checkout all data have one version."""


def check_versions(folder: Path, version: str) -> None:
    """Raise ResourceError unless a folder holds the data of this version."""
    for package, name in VERSIONS.items():
        try:
            found = (folder / name).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            if package == "tokalign-data":
                raise ResourceError(
                    f"{folder} lacks {name}: the package {package} is not installed; "
                    f"pip install '{package}=={version}'"
                ) from None
            continue
        if found != version:
            raise ResourceError(
                f"{package} is of version {quoted(found)}, and tokalign of {version}; "
                f"pip install '{package}=={version}'"
            )


@cache
def data_dir() -> Path:
    """Return the folder of the shipped files; its version is checked once per process:
    ResourceError if it is missing, or not the library's."""
    check_versions(DATA_DIR, VERSION)
    return DATA_DIR


def shipped_rows(name: str) -> list[list[str]]:
    """Return the fields of each line of a shipped file of text, but for its comments."""
    lines = (data_dir() / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("# ")]


@cache
def _tables(name: str) -> dict[str, list[tuple[str, list[str]]]]:
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for table, value, words in shipped_rows(name):
        found.setdefault(table, []).append((value, words.split()))
    return found


class WordTables:
    """Tables of words in a shipped file, which says what they hold: rows of a value and words."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def rows(self) -> dict[str, list[tuple[str, list[str]]]]:
        """The rows of each table; the file is read when they are first asked for."""
        return _tables(self._name)

    def words(self, table: str) -> tuple[str, ...]:
        """Return the words of a table."""
        return tuple(word for _, words in self.rows[table] for word in words)

    def values(self, table: str, read: Callable[[str], T]) -> dict[str, T]:
        """Return the value of each word of a table."""
        return {word: read(value) for value, words in self.rows[table] for word in words}


LISTS, VALUE_WORDS = WordTables("word-lists.tsv"), WordTables("value-words.tsv")
