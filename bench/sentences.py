"""The sentence splitter on the documents of UD English EWT, beside two trivial ones.

    python -m bench.sentences [--data DATA] [--part dev|train] [--errors N]

A document is its sentences joined as the file says: nothing after SpaceAfter=No, a blank line
before a new paragraph, else a space. Counted are the boundaries between two sentences of a
document, at the character after the first, in all ("all") and without those at a new paragraph,
which cost nothing ("within"). Prints one JSON object for each splitter and count.

- tokalign: tokalign.annotate.sentences
- marks: after every mark and what it closes, where white space follows
- capitals: the same where a capital follows
- punkt: NLTK's PunktSentenceTokenizer, with what it learns, unsupervised, of the training documents

The last three split at blank lines, too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tokalign.annotate.sentences import Sentences

Split = Callable[[str], list[int]]
"""Text to where its sentences end."""
FILES = {part: f"ud_ewt/en_ewt-ud-{part}.conllu" for part in ("dev", "train")}
_MARK = r"[.!?\u2026]+[\"'\u201d\u2019)\]}\u00bb]*"
MARKS = re.compile(rf"{_MARK}(?=\s)|(?<=\S)(?=\n\n)")
CAPITALS = re.compile(rf"{_MARK}(?=\s+[\"'\u201c\u2018(\[]*[A-Z])|(?<=\S)(?=\n\n)")


@dataclass(frozen=True, slots=True)
class Document:
    """A text, where its sentences end, the last left out, and which ends begin a paragraph."""

    text: str
    ends: frozenset[int]
    paragraphs: frozenset[int]


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a CoNLL-U file that marks them."""
    text, ends, paragraphs, after = "", [], [], ""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.splitlines()
        if any(line.startswith("# newdoc") for line in lines) and text:
            yield Document(text, frozenset(ends[:-1]), frozenset(paragraphs))
            text, ends, paragraphs, after = "", [], [], ""
        elif any(line.startswith("# newpar") for line in lines) and text:
            paragraphs.append(ends[-1])
            after = "\n\n"
        (sentence,) = (line for line in lines if line.startswith("# text = "))
        text += after + sentence.removeprefix("# text = ")
        ends.append(len(text))
        after = "" if _is_last_joined(lines) else " "
    yield Document(text, frozenset(ends[:-1]), frozenset(paragraphs))


def _is_last_joined(lines: list[str]) -> bool:
    """Whether no space follows a sentence: its last token, or the range that it is part of."""
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    ids = [row[0] for row in rows]
    words = [name for name in ids if name.isdecimal()]
    ranges = [name for name in ids if name.endswith(f"-{words[-1]}")]
    return "SpaceAfter=No" in rows[ids.index((ranges or words)[-1])][9]


def by_tokalign(text: str) -> list[int]:
    """Return where tokalign's sentences end."""
    return [end for _, end in Sentences(text)]


def by_marks(text: str) -> list[int]:
    """Return where marks are followed by white space, or blank lines."""
    return [found.end() for found in MARKS.finditer(text)]


def splitters(train: list[Document]) -> dict[str, Split]:
    """Return every splitter by its name."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    punkt = PunktSentenceTokenizer("\n\n".join(each.text for each in train))

    def by_punkt(text: str) -> list[int]:
        ends = []
        for paragraph in re.finditer(r"(?:(?!\n\n).)+", text, re.DOTALL):
            spans = punkt.span_tokenize(paragraph[0])
            ends += [paragraph.start() + end for _, end in spans]
        return ends

    return {
        "tokalign": by_tokalign,
        "marks": by_marks,
        "capitals": lambda text: [found.end() for found in CAPITALS.finditer(text)],
        "punkt": by_punkt,
    }


def measure(documents: list[Document], split: Split, *, within: bool) -> dict[str, float]:
    """Return the precision, recall and F1 of boundaries, micro-averaged, and how many there are."""
    right = found = wanted = 0
    for document in documents:
        passed_over = document.paragraphs if within else frozenset()
        ends = {end for end in split(document.text) if end < len(document.text)} - passed_over
        gold = document.ends - passed_over
        right += len(ends & gold)
        found += len(ends)
        wanted += len(gold)
    return {
        "boundaries": wanted,
        "precision": right / found,
        "recall": right / wanted,
        "f1": 2 * right / (found + wanted),
    }


def errors(documents: list[Document]) -> Iterator[str]:
    """Yield the splitter's mistakes: wrong boundaries as +, missed ones as -."""
    for document in documents:
        text, ends = document.text, set(by_tokalign(document.text)) - {len(document.text)}
        for end in sorted(ends ^ document.ends):
            sign = "+" if end in ends else "-"
            yield f"{sign} {text[max(0, end - 40) : end]!r} | {text[end : end + 30]!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--part", choices=sorted(FILES), default="dev")
    parser.add_argument("--errors", type=int, default=0, help="print so many mistakes, instead")
    arguments = parser.parse_args()
    documents = list(read_documents(arguments.data / FILES[arguments.part]))
    if arguments.errors:
        print(*itertools.islice(errors(documents), arguments.errors), sep="\n")
        return
    train = list(read_documents(arguments.data / FILES["train"]))
    for name, split in splitters(train).items():
        for count in ("all", "within"):
            figures = measure(documents, split, within=count == "within")
            row = {"splitter": name, "count": count, "documents": len(documents)} | figures
            print(json.dumps(row))


if __name__ == "__main__":
    main()
