"""Compile PPDB's lexical paraphrases into a table, for users who have the file.

The pairs are those of Sultan et al. (2014): PPDB 1.0 XXXL, lexical, lemmatised, one pair per line,
tab between the words. NLTK distributes the same file as its corpus ``mwa_ppdb``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from tokalign.english.lexicon.packing import pack_rows, pack_words
from tokalign.errors import FormatError, ResourceError
from tokalign.files.tables import write_table

NLTK_FILE = "misc/mwa_ppdb/ppdb-1.0-xxxl-lexical.extended.synonyms.uniquepairs"
MAX_LINE = 4096
MAX_FILE = 64 << 20
"""Characters; the lexical pairs of PPDB 1.0 XXXL have 4 million."""


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a two-column file."""
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
        # Read with a bound: a file may be one line without end.
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
    """Write the table of some pairs; reproducible to the bit."""
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
