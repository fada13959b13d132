"""Helpers that all readers and writers share: numbered lines, tokens, links, checked pairs."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tokalign.errors import FormatError, InputError, quoted
from tokalign.files.packed import read_unpacked
from tokalign.types import GoldPair, Links, Sentence
from tokalign.types.inputs import split_tokens

_WHITE_SPACE = " \t\r\n\f\v"
_WEIGHT = r"[-:](?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_LINK = re.compile(rf"(\d{{1,9}})([-p?])(\d{{1,9}})(?:{_WEIGHT}){{0,2}}")


class Document(NamedTuple):
    """Numbered lines of one input, and its name for messages.

    A line has its number from 1, and no line break. Lines are read once, lazily.
    """

    name: str
    lines: Iterator[tuple[int, str]]

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return the error to raise for a line of this document."""
        return FormatError(message, path=self.name, line=line)


class Options(NamedTuple):
    """Options for formats that leave something open.

    Attributes
    ----------
    text : tuple of Path
        Parallel text for formats that hold links only: one file with both sides on a line
        (``source ||| target`` or tab separated), or a source file and a target file.
    one_based : bool
        Token indices of Pharaoh links start at 1.
    reverse : bool
        Links are written target first.
    needs_links : bool
        Refuse a pair without a field of links; unrelated pairs need none.
    """

    text: tuple[Path, ...] = ()
    one_based: bool = False
    reverse: bool = False
    needs_links: bool = True


ReadPairs: TypeAlias = Callable[[Document, Options], Iterator[GoldPair]]
WritePairs: TypeAlias = Callable[[Iterable[GoldPair], Options], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format: how to recognise, read and write it.

    Attributes
    ----------
    description : str
        One line for ``--help``.
    read, write : callable
        ``read(document, options)`` yields pairs; ``write(pairs, options)`` yields pieces of text.
    recognise : callable
        Given the first non-empty lines of a file, returns whether it looks like this format.
    needs_text : bool
        Holds no tokens: reading needs parallel text.
    """

    name: str
    description: str
    read: ReadPairs
    write: WritePairs
    recognise: Callable[[list[str]], bool] = field(repr=False)
    needs_text: bool = False


def open_document(path: Path) -> Document:
    """Return a document of a UTF-8 file, which is read whole; only line feeds end lines.

    Files compressed by gzip, bzip2, xz or Zstandard are unpacked.

    OSError is raised if the file cannot be read; FormatError, if compressed data are damaged, or
    when a line that is not UTF-8 is reached; ResourceError, if it is compressed by Zstandard, and
    the package for that is missing.
    """
    content = read_unpacked(path)
    rows = content.split(b"\n")
    if not rows[-1]:
        rows.pop()
    return Document(str(path), decode_lines(str(path), rows))


def decode_lines(name: str, rows: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield numbered text lines without their line breaks or a leading byte order mark."""
    for number, row in enumerate(rows, 1):
        try:
            text = row.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"byte {error.start} of the line is not UTF-8; convert the file with iconv",
                path=name,
                line=number,
            ) from error
        yield number, text.rstrip("\r\n")


def make_pair(
    document: Document,
    line: int | None,
    name: str,
    source: Sentence,
    target: Sentence,
    sure: Iterable[tuple[int, int]],
    possible: Iterable[tuple[int, int]] = (),
) -> GoldPair:
    """Return a checked pair; a link that is both sure and possible is sure. FormatError if a
    side has no tokens or a link points past the end of one."""
    sure = frozenset(sure)
    possible = frozenset(possible) - sure
    for side, sentence in (("source", source), ("target", target)):
        if not len(sentence):
            raise document.error(f"pair {quoted(name)}: the {side} sentence has no tokens", line)
    for i, j in sorted(sure | possible):
        for side, index, sentence in (("source", i, source), ("target", j, target)):
            if not 0 <= index < len(sentence):
                raise document.error(
                    f"pair {quoted(name)}: link {quoted(i)}-{quoted(j)} but the {side} has "
                    f"{len(sentence)} tokens (indices 0 to {len(sentence) - 1})",
                    line,
                )
    return GoldPair(name, source, target, sure, possible)


def sentence_of(document: Document, line: int | None, tokens: Iterable[str]) -> Sentence:
    """Return a sentence with bare tokens; a bad token is reported at the line."""
    try:
        return Sentence.from_tokens(tuple(tokens))
    except InputError as error:
        raise document.error(str(error), line) from error


def make_text_pair(
    document: Document,
    line: int,
    name: str,
    sides: tuple[str, str],
    links: tuple[str, str],
    options: Options,
) -> GoldPair:
    """Return the checked pair of two texts whose tokens stand between white space; of the two
    Pharaoh strings, links of the second are possible however they are marked."""
    sure, marked = parse_links(links[0], document, line, options)
    also, possible = parse_links(links[1], document, line, options)
    one, other = (sentence_of(document, line, split_tokens(text)) for text in sides)
    return make_pair(document, line, name, one, other, sure, marked | also | possible)


def parse_links(
    text: str, document: Document, line: int | None, options: Options | None = None
) -> tuple[Links, Links]:
    """Return the sure and the possible links of a Pharaoh string, links between white space.

    ``i-j`` is sure, ``ipj`` and ``i?j`` are possible; one or two weights after the link
    (``i-j-0.8``, ``i-j:0.8`` or ``i-j-.79-.8``) are dropped. `one_based` and `reverse` of the
    options apply.
    """
    options = options or Options()
    base = int(options.one_based)
    sure: set[tuple[int, int]] = set()
    possible: set[tuple[int, int]] = set()
    for item in split_tokens(text):
        match = _LINK.fullmatch(item)
        if match is None:
            raise document.error(f"{quoted(item)} is not a link; wanted i-j (sure) or ipj", line)
        i, j = int(match[1]) - base, int(match[3]) - base
        if i < 0 or j < 0:
            raise document.error(
                f"{quoted(item)} has index 0, but indices are said to start at 1", line
            )
        if options.reverse:
            i, j = j, i
        (sure if match[2] == "-" else possible).add((i, j))
    return frozenset(sure), frozenset(possible) - frozenset(sure)


def format_links(pair: GoldPair, options: Options | None = None) -> str:
    """Return the pair's links as a Pharaoh string, ordered by source, then target."""
    options = options or Options()
    base = int(options.one_based)
    items = []
    for i, j in sorted(pair.sure | pair.possible):
        mark = "-" if (i, j) in pair.sure else "p"
        first, second = (j, i) if options.reverse else (i, j)
        items.append(f"{first + base}{mark}{second + base}")
    return " ".join(items)


def plain_links(links: Iterable[tuple[int, int]]) -> str:
    """Return links as ``"0-0 1-2"``, ordered by source, then target."""
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def join_tokens(pair: GoldPair, side: str, format_name: str, forbidden: str = "") -> str:
    """Return one side's tokens joined by spaces; FormatError if one holds white space or
    `forbidden`, so that it could not be read back."""
    sentence: Sentence = getattr(pair, side)
    for index, token in enumerate(sentence.tokens):
        if any(character in token for character in _WHITE_SPACE):
            raise FormatError(
                f"pair {quoted(pair.id)}: {side} token {index} {quoted(token)} holds white space, "
                f"which the {format_name} format cannot keep; convert to jsonl or conllu"
            )
        if forbidden and forbidden in token:
            raise FormatError(
                f"pair {quoted(pair.id)}: {side} token {index} {quoted(token)} holds "
                f"{quoted(forbidden)}, which "
                f"separates fields of the {format_name} format; convert to jsonl or conllu"
            )
    return " ".join(sentence.tokens)


def one_line(text: str) -> str:
    """Return text with tabs and line breaks replaced by spaces, so that offsets stay true."""
    return re.sub(r"[\t\r\n]", " ", text)
