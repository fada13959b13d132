"""The MSR alignments of RTE2 (``.align.txt``) and plain GIZA++ A3 files.

Three lines per pair::

    # sentence pair 1
    A dog barked .
    NULL ({ / / }) dogs ({ 2 / / }) bark ({ 3 p1 / / }) . ({ 4 / / })

The listed words are the target; the numbers are 1-based source positions, ``p`` marks a possible
link. GIZA++ writes the same without the slashes. Words listed under NULL are unaligned.

References
----------
Brockett (2007), Aligning the RTE 2006 corpus, MSR-TR-2007-77.
"""

import re
from collections.abc import Iterable, Iterator

from tokalign.errors import quoted
from tokalign.formats.document import Document, Format, Options, join_tokens, make_pair, sentence_of
from tokalign.types import GoldPair
from tokalign.types.inputs import split_tokens

_HEADER = re.compile(r"# sentence pair \(?([^\s)]+)\)?.*", re.IGNORECASE)
_WORD = re.compile(r"[ \t]*([^ \t]+) \(\{([^/}]*)((?:/[^/}]*){2})?\}\)")
_INDEX = re.compile(r"(p?)(\d{1,9})")


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield the pairs of an MSR or A3 file; a pair's id is the number in its header."""
    for header_line, header in document.lines:
        if not header.strip():
            continue
        match = _HEADER.fullmatch(header.strip())
        if match is None:
            raise document.error(
                f"saw {quoted(header)}; wanted a header '# sentence pair N'", header_line
            )
        source_line, source_text = next(document.lines, (header_line, ""))
        target_line, target_text = next(document.lines, (source_line, ""))
        if not split_tokens(target_text):
            raise document.error(
                f"pair {quoted(match[1])} ends early; wanted a source line "
                f"and a line 'NULL ({{ ... }})'",
                target_line,
            )
        words, sure, possible = _parse_target(document, target_line, target_text)
        yield make_pair(
            document,
            target_line,
            match[1],
            sentence_of(document, source_line, split_tokens(source_text)),
            sentence_of(document, target_line, words),
            sure,
            possible,
        )


def _parse_target(
    document: Document, line: int, text: str
) -> tuple[list[str], set[tuple[int, int]], set[tuple[int, int]]]:
    words: list[str] = []
    sure: set[tuple[int, int]] = set()
    possible: set[tuple[int, int]] = set()
    position = 0
    while text[position:].strip(" \t"):
        match = _WORD.match(text, position)
        if match is None:
            raise document.error(
                f"saw {quoted(text[position:])}; wanted 'word ({{ 1 p2 / / }})'", line
            )
        position = match.end()
        word, listed, rest = match[1], match[2], match[3] or ""
        if rest.replace("/", "").strip():
            raise document.error(
                f"{quoted(word)} has links in the fields {quoted(rest)}; only the "
                "first field is read",
                line,
            )
        for item in listed.split():
            index = _INDEX.fullmatch(item)
            if index is None or index[2] == "0":
                raise document.error(
                    f"{quoted(word)} has link {quoted(item)}; wanted a number "
                    "from 1, or p and a number",
                    line,
                )
            (possible if index[1] else sure).add((int(index[2]) - 1, len(words) - 1))
        words.append(word)
    if not words or words[0] != "NULL":
        raise document.error("the target line does not start with 'NULL ({ ... })'", line)
    return (words[1:], {(i, j) for i, j in sure if j >= 0}, {(i, j) for i, j in possible if j >= 0})


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    """Yield the text of an MSR file; white space in ids is lost."""
    for pair in pairs:
        yield f"# sentence pair {'_'.join(pair.id.split()) or '-'}\n"
        yield join_tokens(pair, "source", "msr") + "\n"
        join_tokens(pair, "target", "msr")
        words = ["NULL ({ / / })"]
        for j, token in enumerate(pair.target.tokens):
            listed = [f"{i + 1} " for i, k in sorted(pair.sure) if k == j]
            listed += [f"p{i + 1} " for i, k in sorted(pair.possible) if k == j]
            words.append(f"{token} ({{ {''.join(listed)}/ / }})")
        yield " ".join(words) + " \n"


def recognise(head: list[str]) -> bool:
    """Tell whether the first line is a '# sentence pair' header."""
    return _HEADER.fullmatch(head[0].strip()) is not None


FORMAT = Format(
    "msr", "MSR RTE2 .align.txt and GIZA++ A3: three lines per pair", read, write, recognise
)
