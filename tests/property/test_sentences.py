"""The sentence splitter against its slow twin, on cases by hand, and on corpora."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import sentences as twin
from support.documents import boundary_scores, read_documents
from support.sample import find
from tokalign.english.annotate.sentence_splitter import Sentences

# Everything a rule looks at, so that random text is dense in the cases that matter.
PIECES = (
    *(".", "..", "...", "?", "!", "?!", "…", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "\u2028"),
    *(
        "\u2029",
        '"',
        "'",
        "”",
        "’",
        ")",
        "]",
        "}",
        "»",
        "“",
        "‘",
        "`",
        "(",
        "[",
        "<",
        "«",
        "*",
        "-",
    ),
    *("<h2>", "\u00a7 ", "Q3.", "4a.", "iv.", "Section IV. ", "Clause B. "),
    *(
        ":)",
        ";-)",
        "=D",
        "<3",
        "^_^",
        ":",
        ";",
        ",",
        "#",
        "$",
        "@",
        ">",
        "~",
        "_",
        "1",
        "12",
        "2004",
    ),
    *(
        "a",
        "I",
        "J",
        "the",
        "The",
        "He",
        "Then",
        "Mr",
        "Dr",
        "No",
        "etc",
        "Inc",
        "Jan",
        "vs",
        "U.S",
    ),
    *(
        "p.m",
        "Ph.D",
        "e.g",
        "word",
        "Word",
        "NASA",
        "x" * 30,
        "É",
        "é",
        "²",
        "٣",
        "ß",
        "İ",
        "ǅ",
        "\0",
    ),
    *("[4]", "[^1]", "[", "(1)", "¹", "<b>", "</b>", "<sup>1</sup>", "\\cite{a}", "\\item", "🎉"),
    *("# ", "## ", "- ", "* ", "• ", "> ", "1. ", "2. ", "1) ", "(a) ", "b) ", "2.1. ", "(ii) "),
    *("```", "===", "**", "| ", "<li>", "IV", "Step", "\\section{x}", "Yahoo", "is", "no", "vol"),
)


@settings(max_examples=2000)
@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
@example("a. :) :) B")
@example("a.\n\n:) b")
@example("end.The next")
@example(": 1. x")
@example("a. ((")
@example("a. ( b")
@example("<h2>3. Fees")
@example("\n\u00a7 3. Fees.\n\u00a7 4. Rooms. \u00a7 5")
def test_sentences_are_those_of_the_twin(text):
    assert list(Sentences(text)) == twin.sentences(text)


@given(st.text())
@example("a\u3031!A")  # a letter that has no case
def test_any_text_is_split_as_the_twin_does(text):
    assert list(Sentences(text)) == twin.sentences(text)


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_sentences_hold_all_of_a_text_but_the_white_space_between_them(text):
    spans = list(Sentences(text))
    assert all(start < end for start, end in spans)
    assert all(text[start:end].strip() == text[start:end] for start, end in spans)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert all(not text[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True))
    assert edges == sorted(edges)


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_a_sentence_of_a_text_is_one_by_itself(text):
    for start, end in Sentences(text):
        assert list(Sentences(text[start:end])) == [(0, end - start)]


BY_HAND = [
    ["Dr. Lind met Mr. Wu at 3 p.m. on Monday.", "They talked."],
    ["She lives in the U.S. and likes it.", "He moved to the U.S.", "The rest stayed."],
    ["J. K. Moor wrote it.", "I read it."],
    ["He said it was over.", '"It is not," she said.'],
    ['"Is it open?" he asked.', '"Yes."', "They went in."],
    ["(It was late.)", "Nobody came."],
    ["Rates rose by 3.5 percent, vs. 2.1 percent in Jan. 2003.", "Bonds fell."],
    ["See Fig. 3 and No. 7.", "Is there more?", "No.", "That is all."],
    ["Wait ... there is more.", "Is there?!", "Yes!"],
    ["Well. . .", "No."],
    ["1. Open the lid.", "2. Pour."],
    ["Thanks a lot! :)", "See you."],
    ["Acme Inc. of Ohio bought Bolt Ltd. in May.", "The price is unknown."],
    ["It cost $5.", "$3 would do."],
    ["Visit www.example.com or mail a.b@example.com.", "Bye."],
    ["“Stop!”", "‘Never.’"],
    ["The end…", "A start."],
    ["4a. Open the lid.", "Q3. Is it open?"],
    ["<h2>3. Fees</h2>"],
    ["<p>iv. Open it."],
    ["\u00a7 5. Close it.", "Section IV. Fees are due."],
]


def test_sentences_by_hand():
    found = []
    for sentences in BY_HAND:
        text = " ".join(sentences)
        found.append([text[start:end] for start, end in Sentences(text)])
    assert found == BY_HAND


@pytest.mark.parametrize("line", ["\n\n", "\r\n\r\n", "\n \t\n", "\r\r", "\u2029", "\u2028\u2028"])
def test_a_blank_line_splits_whatever_surrounds_it(line):
    assert list(Sentences(f"a heading{line}and text")) == [(0, 9), (9 + len(line), 17 + len(line))]


@pytest.mark.parametrize("line", ["\n", "\r\n", "\r", "\u2028"])
def test_a_single_line_break_is_a_space(line):
    assert list(Sentences(f"a wrapped{line}line")) == [(0, 13 + len(line))]


def test_blank_text_has_no_sentences():
    assert list(Sentences("")) == list(Sentences(" \n\n\t ")) == []


def count_steps(text):
    """Return how many characters are read to split a text."""
    sentences = Sentences(text)
    for _ in sentences:
        pass
    return sentences.n_steps


def test_the_first_sentence_is_found_without_reading_the_rest():
    sentences = Sentences("One two. " * 100_000)
    assert next(sentences) == (0, 8)
    assert sentences.n_steps < 200


@pytest.mark.parametrize(
    "piece",
    [
        "A sentence. ", ".", ". ", ".(", ". (", ".)", "(", ")", " ", "\n", "x", ":)", " :)", " :(",
        "a. :) ", ".\n", "1. ", "U.S. ", "a.b.", "x.Y", '."', '". "', "-", " -", ".-", "!", "…",
        "<a. ", "x" * 40 + ".", "Mr. ", "etc. ", ": 1. ", ":",
    ],
)  # fmt: skip
def test_splitting_reads_each_character_a_bounded_number_of_times(piece):
    few, many = piece * (2_000 // len(piece)), piece * (200_000 // len(piece))
    assert count_steps(many) <= 80 * len(many)
    assert count_steps(many) / len(many) <= 1.1 * count_steps(few) / len(few)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
def test_no_repeated_text_costs_more_than_its_length(piece):
    text = piece * (5_000 // len(piece))
    assert count_steps(text) <= 200 * len(text)


MARKS = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]}\u00bb]*(?=\s)|(?<=\S)(?=\n\n)")
"""The trivial way: after every mark and what it closes, where white space follows."""


def test_boundaries_of_web_text_are_found(request):
    path = find(request, "ud_ewt/en_ewt-ud-dev.conllu")
    documents = list(read_documents(path))
    assert len(documents) == 318
    assert sum(len(document.ends) + 1 for document in documents) == 2001
    precision, f1 = boundary_scores(documents, lambda text: {end for _, end in Sentences(text)})
    _, f1_of_marks = boundary_scores(
        documents, lambda text: {found.end() for found in MARKS.finditer(text)}
    )
    assert f1 > f1_of_marks + 0.01
    assert precision > 0.97
    for document in documents:
        assert list(Sentences(document.text)) == twin.sentences(document.text)
