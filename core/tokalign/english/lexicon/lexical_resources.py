"""Lexical tables as files: shipped ones, installed ones, and the compilation of PPDB.

This is the library's only module that reads the environment: ``TOKALIGN_HOME`` names the folder of
installed tables, otherwise it is ``tokalign`` in ``XDG_DATA_HOME``, otherwise
``~/.local/share/tokalign``.

PPDB's pairs are those of Sultan et al. (2014): PPDB 1.0 XXXL, lexical, lemmatised, one pair per
line, tab between the words. NLTK distributes the same file as its corpus ``mwa_ppdb``.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import FormatError, ResourceError, quoted
from tokalign.files.shipped import DATA_DIR
from tokalign.files.tables import Table, write_table

OPTIONAL: dict[str, str] = {"ppdb": "lexical paraphrases, never shipped"}
"""Optional tables, and their contents."""
NLTK_FILE = "misc/mwa_ppdb/ppdb-1.0-xxxl-lexical.extended.synonyms.uniquepairs"
MAX_LINE = 4096
MAX_FILE = 64 << 20
"""Characters; the lexical pairs of PPDB 1.0 XXXL have 4 million."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One lexical table; the last five fields are empty if it is missing."""

    name: str
    shipped: bool  # with the package
    path: Path  # where it is, or would be installed
    present: bool
    version: str = ""
    license: str = ""
    source: str = ""
    size: int = 0  # of the file, in bytes
    digest: str = ""  # SHA-256 of its arrays, in hex


def home() -> Path:
    """Return the folder of installed tables; it need not exist."""
    if chosen := os.environ.get("TOKALIGN_HOME"):
        return Path(chosen)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "tokalign"


def list_resources() -> list[Resource]:
    """Return all tables by name: the shipped ones, then the optional ones, present or not."""
    shipped = sorted(path.name.removesuffix(".table") for path in DATA_DIR.glob("*.table"))
    return [
        *(_describe(name, DATA_DIR / f"{name}.table", shipped=True) for name in shipped),
        *(_describe(name, home() / f"{name}.table", shipped=False) for name in sorted(OPTIONAL)),
    ]


def find_resource(name: str) -> Resource:
    """Return one table by name, present or not; ResourceError if no table has this name."""
    resources = {resource.name: resource for resource in list_resources()}
    if name not in resources:
        raise ResourceError(
            f"no resource is called {quoted(name)}; choose one of: {', '.join(resources)}"
        )
    return resources[name]


def open_resource(name: str) -> Table:
    """Map a table by name; ResourceError if there is none, or it is not installed or damaged."""
    resource = find_resource(name)
    if not resource.present:
        raise ResourceError(
            f"the resource {quoted(name)} is not installed in {resource.path.parent}; "
            f"run `tokalign resources install {name} PATH`"
        )
    return Table.open(resource.path)


def install_ppdb(path: Path | None) -> Resource:
    """Compile PPDB's pairs into the user's folder and return the new resource.

    They are those of a two-column file, or without a path of NLTK's corpus ``mwa_ppdb``. A line
    with other columns is a FormatError, a missing corpus a ResourceError.
    """
    folder = home()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "ppdb.table"
    unfinished = target.with_suffix(".part")
    try:
        compile_ppdb(read_nltk_pairs() if path is None else read_pairs(path), unfinished)
        unfinished.replace(target)  # at once: processes that mapped the old table keep it
    finally:
        unfinished.unlink(missing_ok=True)
    return find_resource("ppdb")


def _describe(name: str, path: Path, *, shipped: bool) -> Resource:
    if not path.exists():
        return Resource(name=name, shipped=shipped, path=path, present=False)
    header = Table.open(path).header
    return Resource(
        name=name,
        shipped=shipped,
        path=path,
        present=True,
        version=header["version"],
        license=header["license"],
        source=header["source"],
        size=path.stat().st_size,
        digest=header["sha256"],
    )


def pack_words(words: Sequence[str]) -> dict[str, NDArray[np.generic]]:
    """Return the arrays ``words`` and ``word_start`` that `Vocabulary` reads.

    Words are distinct and in rising order (of code points, which is that of their UTF-8 bytes).
    """
    encoded = [word.encode("utf-8") for word in words]
    start = np.zeros(len(encoded) + 1, dtype=np.int32)
    np.cumsum([len(word) for word in encoded], out=start[1:])
    return {"words": np.frombuffer(b"".join(encoded), dtype=np.uint8), "word_start": start}


def pack_rows(rows: Iterable[Iterable[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the start of each row, and the sorted numbers of all rows."""
    ordered = [sorted(row) for row in rows]
    start = np.zeros(len(ordered) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in ordered], out=start[1:])
    return start, np.array([value for row in ordered for value in row], dtype=np.int32)


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from _pairs(file, path)


def read_nltk_pairs() -> Iterator[tuple[str, str]]:
    """Yield the pairs of NLTK's corpus ``mwa_ppdb``."""
    try:
        from nltk.data import find

        file = find(NLTK_FILE).open(encoding="utf-8")
    except (ImportError, LookupError) as error:
        raise ResourceError(
            "NLTK's corpus mwa_ppdb is not installed; run `pip install nltk` and "
            "`python -m nltk.downloader mwa_ppdb`, or give the path of the two-column file"
        ) from error
    with file:
        yield from _pairs(file, Path(NLTK_FILE))


def _pairs(lines: TextIO, path: Path) -> Iterator[tuple[str, str]]:
    n_characters = 0
    try:
        # Read with a bound: a file may be one endless line.
        for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE), ""), start=1):
            n_characters += len(line)
            fields = line.rstrip("\r\n").split("\t")
            if len(line) == MAX_LINE or n_characters > MAX_FILE:
                raise FormatError(
                    f"a line of {len(line)} characters and {n_characters} so far; wanted lines "
                    f"below {MAX_LINE} and at most {MAX_FILE}",
                    path=path,
                    line=number,
                )
            if len(fields) != 2 or not all(fields):
                raise FormatError(
                    f"{len(fields)} columns; wanted two words with a tab between them",
                    path=path,
                    line=number,
                )
            yield fields[0], fields[1]
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text: {error}", path=path) from error


def compile_ppdb(pairs: Iterable[tuple[str, str]], output: Path) -> None:
    """Write the table of some pairs; equal pairs give equal bytes."""
    partners: dict[str, set[str]] = defaultdict(set)
    for a, b in pairs:
        a, b = a.lower(), b.lower()
        if a != b:
            partners[a].add(b)
            partners[b].add(a)
    if not partners:
        raise ResourceError("there is no pair of different words to compile")
    words = sorted(partners)
    number = {word: k for k, word in enumerate(words)}
    start, partner = pack_rows({number[other] for other in partners[word]} for word in words)
    write_table(
        output,
        {**pack_words(words), "row_start": start, "partner": partner},
        name="ppdb",
        version="1.0-xxxl-lexical",
        license="CC-BY-3.0",
        source="PPDB 1.0 XXXL lexical, Ganitkevitch, Van Durme and Callison-Burch 2013",
        meta={"words": len(words), "pairs": len(partner) // 2},
    )
