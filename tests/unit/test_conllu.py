"""Sentences of CoNLL-U: offsets, columns, and bad rows."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tokalign.errors import FormatError
from tokalign.formats import open_document
from tokalign.formats.conllu import read_sentences
from tokalign.types import Sentence


def conllu_sentence(folder: Path, rows: str) -> Sentence:
    text = textwrap.dedent(rows).replace("|", "\t")
    path = folder / "sentence.conllu"
    path.write_text(text, encoding="utf-8", newline="")
    [(_, sentence)] = read_sentences(open_document(path))
    return sentence


def test_conllu_multiword_tokens_keep_offsets_and_empty_nodes_are_skipped(tmp_path):
    sentence = conllu_sentence(
        tmp_path,
        """\
        # text = We don't gonna go.
        1|We|we|PRON|PRP|_|5|nsubj|_|_
        2-3|don't|_|_|_|_|_|_|_|_
        2|do|do|AUX|VBP|_|5|aux|_|_
        3|n't|not|PART|RB|_|5|advmod|_|_
        3.1|left|leave|VERB|VBD|_|_|_|5:dep|_
        4-5|gonna|_|_|_|_|_|_|_|_
        4|going|go|VERB|VBG|_|5|aux|_|_
        5|to|to|PART|TO|_|0|root|_|_
        6|go|go|VERB|VB|_|5|xcomp|_|SpaceAfter=No
        7|.|.|PUNCT|.|_|5|punct|_|_
        """,
    )
    assert sentence.tokens == ("We", "do", "n't", "going", "to", "go", ".")
    assert sentence.heads == (4, 4, 4, 4, -1, 4, 4)
    assert sentence.tags == ("PRP", "VBP", "RB", "VBG", "TO", "VB", ".")
    spans = list(zip(sentence.starts, sentence.ends, strict=True))
    assert spans == [(0, 2), (3, 5), (5, 8), (9, 14), (9, 14), (15, 17), (17, 18)]


def test_conllu_without_text_is_joined_by_space_after(tmp_path):
    sentence = conllu_sentence(
        tmp_path,
        """\
        1|Go|_|VERB|_|_|_|_|_|SpaceAfter=No
        2|!|_|PUNCT|_|_|_|_|_|_
        """,
    )
    assert sentence.text == "Go!"
    assert sentence.tags == ("VERB", "PUNCT")
    assert sentence.lemmas is sentence.heads is sentence.relations is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("2|a|_|_|_|_|_|_|_|_", "word id '2'; wanted 1"),
        ("x|a|_|_|_|_|_|_|_|_", "word id 'x'"),
        ("1||_|_|_|_|_|_|_|_", "empty form"),
        ("1-2|ab|_|_|_|_|_|_|_|_\n1|a|_|_|_|_|_|_|_|_", "ends at 2 of 1"),
        ("1-0|ab|_|_|_|_|_|_|_|_\n1|a|_|_|_|_|_|_|_|_", "runs backwards"),
        ("1|a|_|_|_|_|9|dep|_|_", "head 8"),
        ("1|a|_|_|_|_|2|dep|_|_\n2|b|_|_|_|_|_|dep|_|_", "head '_'"),
        ("# text = b\n1|a|_|_|_|_|_|_|_|_", "does not occur"),
        ("# text = b\n1|a|_|_|_|_|_|_|_|Span=0:9", "Span=0:9 in a text of 1"),
        ("0.1|a|_|_|_|_|_|_|_|_", "no words"),
    ],
)
def test_bad_conllu_is_reported(tmp_path, rows, message):
    with pytest.raises(FormatError, match=message):
        conllu_sentence(tmp_path, rows)
