"""CoNLL-U: sentences with their annotation, and aligned pairs of them.

Two sentences are a pair when their comments carry the same ``# pair_id`` and ``# side = source``
or ``# side = target``; ``# links = 0-0 1p2`` on either holds the alignment, 0-based positions of
syntactic words, and must be there, if only empty. Tags come from XPOS (Penn), or from UPOS if no
word has an XPOS. Words of a multi-word token (``3-4``) keep their place in its surface form, or
share its span if they do not occur in it; empty nodes (``8.1``) are skipped. ``Span=start:end`` in
MISC gives a word's offsets in ``# text``; without it, forms and ``SpaceAfter=No`` do.

References
----------
https://universaldependencies.org/format.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tokalign.errors import InputError, quoted
from tokalign.formats.document import (
    Document,
    Format,
    Options,
    format_links,
    make_pair,
    one_line,
    parse_links,
)
from tokalign.types import GoldPair, Sentence
from tokalign.types.inputs import whole_number

_COMMENT = re.compile(r"#\s*([\w.-]+)\s*=\s?(.*)")
_SPAN = re.compile(r"(?:.*\|)?Span=(\d{1,9}):(\d{1,9})(?:\|.*)?")
_FORM, _LEMMA, _UPOS, _XPOS, _HEAD, _RELATION, _MISC = 1, 2, 3, 4, 6, 7, 9


@dataclass(slots=True)
class _Block:
    """The lines of one sentence."""

    line: int
    comments: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


def read_sentences(document: Document) -> Iterator[tuple[dict[str, str], Sentence]]:
    """Yield each sentence with its ``# key = value`` comments."""
    for block in _blocks(document):
        yield block.comments, _sentence(document, block)


def _blocks(document: Document) -> Iterator[_Block]:
    block = None
    for line, text in document.lines:
        if not text.strip():
            if block is not None and block.rows:
                yield block
                block = None
            continue
        block = block or _Block(line)
        if text.startswith("#"):
            match = _COMMENT.fullmatch(text)
            if match:
                block.comments[match[1]] = match[2]
            continue
        columns = text.split("\t")
        if len(columns) != 10:
            raise document.error(
                f"saw {len(columns)} tab-separated columns; wanted the 10 of CoNLL-U", line
            )
        block.rows.append((line, columns))
    if block is not None and block.rows:
        yield block
    elif block is not None:
        raise document.error("comments without a sentence at the end of the file", block.line)


def _sentence(document: Document, block: _Block) -> Sentence:
    words, surface = _words(document, block)
    forms = [columns[_FORM] for _, columns in words]
    try:
        sentence = Sentence.from_tokens(
            forms,
            tags=_values(words, _XPOS) or _values(words, _UPOS),
            lemmas=_values(words, _LEMMA),
            heads=_heads(document, words),
            relations=_values(words, _RELATION) if _values(words, _HEAD) else None,
        )
    except InputError as error:
        raise document.error(str(error), block.line) from error
    text = block.comments.get("text")
    if text is None:
        text = "".join(form + space for form, space, _ in surface).rstrip(" ")
    spans = _given_spans(document, words, text) or _spans(document, block, forms, surface, text)
    starts, ends = zip(*spans, strict=True)
    return sentence.replace(text=text, starts=starts, ends=ends)


def _words(
    document: Document, block: _Block
) -> tuple[list[tuple[int, list[str]]], list[tuple[str, str, int]]]:
    """Return the syntactic words, and the surface tokens as (form, space after, word count)."""
    words: list[tuple[int, list[str]]] = []
    surface: list[tuple[str, str, int]] = []
    covered = 0
    for line, columns in block.rows:
        name, form = columns[0], columns[_FORM]
        space = "" if "SpaceAfter=No" in columns[_MISC].split("|") else " "
        first, dash, last = name.partition("-")
        if "." in name:
            continue
        start, stop = whole_number(first), whole_number(last)
        if start is None or (dash and stop is None):
            raise document.error(f"word id {quoted(name)}; wanted 3, 3-4 or 3.1", line)
        if start != len(words) + 1:
            raise document.error(f"word id {quoted(name)}; wanted {len(words) + 1}", line)
        if not form:
            raise document.error(f"word {start} has an empty form", line)
        if stop is not None:
            if stop < start or covered > len(words):
                raise document.error(
                    f"multi-word token {quoted(name)} overlaps or runs backwards", line
                )
            covered = stop
            surface.append((form, space, stop - start + 1))
            continue
        words.append((line, columns))
        if covered < len(words):
            surface.append((form, space, 1))
    if covered > len(words):
        raise document.error(f"multi-word token ends at {covered} of {len(words)} words", line)
    if not words:
        raise document.error("the sentence has no words", block.line)
    return words, surface


def _values(words: Sequence[tuple[int, list[str]]], column: int) -> list[str] | None:
    """Return a column, or None if every entry is the placeholder ``_``."""
    values = [columns[column] for _, columns in words]
    return values if any(value != "_" for value in values) else None


def _heads(document: Document, words: Sequence[tuple[int, list[str]]]) -> list[int] | None:
    if _values(words, _HEAD) is None:
        return None
    heads = []
    for line, columns in words:
        head = whole_number(columns[_HEAD])
        if head is None:
            raise document.error(
                f"head {quoted(columns[_HEAD])}; wanted a word id, or 0 for root", line
            )
        heads.append(head - 1)
    return heads


def _given_spans(
    document: Document, words: Sequence[tuple[int, list[str]]], text: str
) -> list[tuple[int, int]] | None:
    spans = []
    for line, columns in words:
        match = _SPAN.fullmatch(columns[_MISC])
        if match is None:
            return None
        start, end = int(match[1]), int(match[2])
        if not start <= end <= len(text):
            raise document.error(f"Span={start}:{end} in a text of {len(text)} characters", line)
        spans.append((start, end))
    return spans


def _spans(
    document: Document,
    block: _Block,
    forms: Sequence[str],
    surface: Sequence[tuple[str, str, int]],
    text: str,
) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position = 0
    for form, _, n_words in surface:
        start = text.find(form, position)
        if start < 0:
            raise document.error(
                f"word {quoted(form)} does not occur in '# text' after character {position}",
                block.line,
            )
        position = start + len(form)
        parts = forms[len(spans) : len(spans) + n_words]
        if "".join(parts) == form:
            for part in parts:
                spans.append((start, start + len(part)))
                start += len(part)
        else:
            spans.extend([(start, position)] * n_words)
    return spans


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield each pair after its second sentence is read."""
    waiting: dict[str, tuple[int, str, str | None, Sentence]] = {}
    for block in _blocks(document):
        name, side = block.comments.get("pair_id"), block.comments.get("side")
        if name is None or side not in ("source", "target"):
            raise document.error(
                f"saw pair_id {quoted(name)} and side {quoted(side)}; wanted comments '# pair_id = "
                "ID' and '# side = source' or '# side = target'",
                block.line,
            )
        sentence, links = _sentence(document, block), block.comments.get("links")
        if name not in waiting:
            waiting[name] = (block.line, side, links, sentence)
            continue
        first_line, first_side, first_links, first = waiting.pop(name)
        if first_side == side:
            raise document.error(
                f"pair {quoted(name)} has two {side} sentences (the first at line {first_line})",
                block.line,
            )
        source, target = (first, sentence) if first_side == "source" else (sentence, first)
        if first_links is None and links is None and options.needs_links:
            raise document.error(
                f"pair {quoted(name)} has no comment '# links = 0-0 1-2' on either side; leave it "
                "empty if no words are linked",
                block.line,
            )
        both = f"{first_links or ''} {links or ''}"
        sure, possible = parse_links(both, document, block.line, options)
        yield make_pair(document, block.line, name, source, target, sure, possible)
    for name, (line, side, _, _) in waiting.items():
        raise document.error(f"pair {quoted(name)} has a {side} sentence only", line)


def write_sentence(sentence: Sentence, comments: Iterable[tuple[str, str]] = ()) -> str:
    """Return one CoNLL-U block, with the blank line that ends it.

    Tabs and line breaks in the text become spaces, so that offsets stay true.
    """
    lines = [f"# {key} = {one_line(value)}" for key, value in comments]
    lines.append(f"# text = {one_line(sentence.text)}")
    for index, token in enumerate(sentence.tokens):
        tag = sentence.tags[index] if sentence.tags is not None else "_"
        lemma = sentence.lemmas[index] if sentence.lemmas is not None else "_"
        head = str(sentence.heads[index] + 1) if sentence.heads is not None else "_"
        relation = sentence.relations[index] if sentence.relations is not None else "_"
        span = f"Span={sentence.starts[index]}:{sentence.ends[index]}"
        columns = [str(index + 1), token, lemma, "_", tag, "_", head, relation, "_", span]
        lines.append("\t".join(one_line(column) for column in columns))
    return "\n".join(lines) + "\n\n"


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    """Yield the blocks of both sides; the links stand above the target."""
    for pair in pairs:
        name = ("pair_id", pair.id)
        links = ("links", format_links(pair, options))
        yield write_sentence(pair.source, [name, ("side", "source")])
        yield write_sentence(pair.target, [name, ("side", "target"), links])


def recognise(head: list[str]) -> bool:
    """Return whether the first line that is not a comment has CoNLL-U's ten columns."""
    rows = [line.split("\t") for line in head if not line.startswith("#")]
    if not rows:
        return all(_COMMENT.fullmatch(line) for line in head)
    return len(rows[0]) == 10 and re.fullmatch(r"\d+([-.]\d+)?", rows[0][0]) is not None


FORMAT = Format("conllu", "CoNLL-U paired by # pair_id and # side comments", read, write, recognise)
