"""Texts annotated in columns against the same by sentence, step by step."""

import copy
import pickle
import threading

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import sentences as splitter
from support.sample import sample_pairs
from tokalign.english.annotate import annotated_texts as texts_module
from tokalign.english.annotate.annotated_texts import AnnotatedTexts, TextAnnotator, Words
from tokalign.english.annotate.native import Lemmatizer, NativeAnnotator
from tokalign.english.annotate.tagger_and_parser import Tagger
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.english.reading.text_reading import read_text
from tokalign.errors import InputError
from tokalign.types import Sentence

TAGGER = Tagger.load()
LEMMATIZE = Lemmatizer().lemmatize
ANNOTATOR = NativeAnnotator()
TEXTS = [side.text for pair in sample_pairs()[:60] for side in (pair.source, pair.target)]
AWKWARD = [
    "“Don’t — stop…”",
    "``Stop,'' she said: 'I can't.'",
    "It cost $1,000.50 (or -LRB- 5% -RRB-).",
    "ＦＵＬＬ width Ünïcödé ﬁ ǅ İstanbul ٣٤ 漢字",
    "a\udc80b \U0001f600 \u2028 x",
    "w" * 300 + " " + "é" * 700,
    "'Twas gonna cannot d'ye",
]
SEVERAL = [
    "The cat died. It was old.",
    " A heading\n\nIt rained. \n\n\tThen it stopped… ",
    "Lines may\nbe wrapped. Most\r\nare not.",
    'He said "Stop." She didn\'t. "Why?" ``Well,\'\' he said.',
    "Thanks! :) See you. <3 Bye",
    "- **Holm** left.[4]\n- See https://a.org/x?y=1, or a@b.org. <b>Then</b> rest[^1].",
    "# 1. Rene\u0301e isn`t here\n\n[1]\n\nﬁne &amp; www.a.org",
    "1. Open it. 2. Close it.\u2029Dr. Wu can't. “No…” ‘Never!’",
]
pieces = st.one_of(
    st.sampled_from(TEXTS + AWKWARD + SEVERAL),
    st.lists(st.sampled_from(TEXTS + AWKWARD + SEVERAL), max_size=4).map(" ".join),
    st.text(max_size=40),
    st.text("ab'\"`-.,… “”‘’—()$%5 \t", max_size=30),
)


def tokens_of(words: str, addresses=()) -> list[tuple[str, int, int]]:
    """Return the tokens of words, of which addresses are never cut, with their offsets."""
    found = list(zip(*tokenize(words), strict=True))
    for first, last in addresses:
        pieces = []
        for token, start, end in found:
            if end <= first or start >= last:
                pieces.append((token, start, end))
                continue
            if start < first:
                pieces.append((words[start:first], start, first))
            if start <= first:
                pieces.append((words[first:last], first, last))
            if end > last:
                pieces.append((words[last:end], last, end))
        found = pieces
    return found


def one_by_steps(text: str, found: list[tuple[str, int, int]] | None = None) -> Sentence:
    """Return a text of one sentence annotated step by step."""
    tokens, starts, ends = zip(*found, strict=True) if found else tokenize(text)
    (tags,) = TAGGER.tag([tokens])
    lemmas = tuple(map(LEMMATIZE, tokens, tags))
    return Sentence(text, tuple(tokens), tuple(starts), tuple(ends), tags, lemmas)


def ranges_of(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text are, or that the whole text is one."""
    spans = splitter.sentences(text)
    return spans if len(spans) > 1 else [(0, len(text))]


def by_steps(text: str, *, trees: bool = False, is_read: bool = False) -> Sentence:
    """Return a text split, and its sentences annotated step by step and joined; the twin.

    If `is_read`, a raw text is read before.
    """
    reading = read_text(text) if is_read else None
    normal = text if reading is None else reading.text
    words = text if reading is None else reading.words
    starts, ends, heads = [], [], []
    columns = {"tokens": [], "tags": [], "lemmas": [], "relations": []}
    for start, end in ranges_of(normal):
        addresses = [
            (first - start, last - start)
            for first, last in (() if reading is None else reading.addresses)
            if start <= first and last <= end
        ]
        one = one_by_steps(words[start:end], tokens_of(words[start:end], addresses))
        if trees and one.tokens:
            ((tree, relations),) = ANNOTATOR.parser.parse([one.tokens], [one.tags])
            heads += [head + len(columns["tokens"]) if head >= 0 else -1 for head in tree]
            one = one.replace(relations=relations)
        for name, column in columns.items():
            column += getattr(one, name) or ()
        for at in zip(one.starts, one.ends, strict=True):
            place = (start + at[0], start + at[1])
            first, last = place if reading is None else reading.places(*place)
            starts.append(first)
            ends.append(last)
    found = {
        name: tuple(column) for name, column in columns.items() if trees or name != "relations"
    }
    return Sentence(
        text=text, starts=tuple(starts), ends=tuple(ends), heads=tuple(heads) if trees else None,
        **found,
    )  # fmt: skip


def views(annotate: TextAnnotator, texts: list[str]) -> list[Sentence]:
    found = annotate(texts)
    return [Sentence.of(found, k, text=text) for k, text in enumerate(texts)]


@settings(max_examples=150)
@given(st.lists(pieces, max_size=6))
def test_texts_of_a_batch_are_annotated_as_each_by_steps(texts) -> None:
    found = views(TextAnnotator(TAGGER, LEMMATIZE), texts)
    assert found == [by_steps(text) for text in texts]
    assert list(map(len, found)) == [len(each.tokens) for each in found]


@settings(max_examples=150)
@given(st.lists(pieces.filter(str.strip), max_size=3))
@example(SEVERAL)
def test_trees_of_texts_are_those_of_their_sentences(texts) -> None:
    found = ANNOTATOR.annotate(texts, trees=True)
    assert found == [by_steps(text, trees=True, is_read=True) for text in texts]
    for each in found:
        assert each.heads.count(-1) == len(each.viewed()[0].sentence_ranges(each.viewed()[1]))


@settings(max_examples=150)
@given(pieces.filter(str.strip))
@example("a ,, ")
def test_a_text_of_one_sentence_is_tokenised_whole(text) -> None:
    if len(splitter.sentences(text)) == 1 and read_text(text) is None:
        (found,) = ANNOTATOR.annotate([text], trees=False)
        assert found == one_by_steps(text)


@given(st.lists(pieces, max_size=4))
def test_tokens_of_sentences_are_told_apart(texts) -> None:
    found = TextAnnotator(TAGGER, LEMMATIZE)(texts)
    for index, text in enumerate(texts):
        spans = splitter.sentences(text)
        ranges = found.sentence_ranges(index)
        assert len(ranges) == max(len(spans), 1)
        starts = found.field(index, "starts")
        for (first, end), (start, stop) in zip(ranges, spans, strict=False):
            assert all(start <= at < stop for at in starts[first:end])
        assert sum(end - first for first, end in ranges) == len(starts)


def test_given_tokens_are_one_sentence() -> None:
    tokens = ["It", "died.", "It", "was", "old", ".", "So", "."]
    given = [
        tokens,
        Sentence.from_tokens(tokens),
        Sentence.from_tokens(tokens, text="It died. " * 2 + " ".join(tokens)),
    ]
    for each in ANNOTATOR.annotate(given, trees=True):
        assert each.tokens == tuple(tokens)
        assert each.heads.count(-1) == 1


@given(st.lists(pieces, max_size=6))
def test_what_was_annotated_before_changes_nothing(texts) -> None:
    annotated = ANNOTATOR.annotate([text for text in texts if tokenize(text)[0]], trees=False)
    assert annotated == [by_steps(text, is_read=True) for text in texts if tokenize(text)[0]]


tokens = st.lists(
    st.sampled_from([*" ".join(TEXTS[:20]).split(), "''", "``", "-LRB-", "don’t", "New York", "İ"])
    | st.text(min_size=1, max_size=8),
    min_size=1,
    max_size=12,
)


def by_columns(tokens: list[str]) -> Sentence:
    """Return given tokens annotated as those of a Sentence are; the twin."""
    (sentence,) = NativeAnnotator().annotate([Sentence.from_tokens(tokens)], trees=False)
    return sentence


@settings(max_examples=150)
@given(st.lists(st.one_of(tokens, pieces), max_size=6))
def test_given_tokens_and_texts_of_a_batch_are_annotated_as_each_alone(sentences) -> None:
    sentences = [each for each in sentences if not isinstance(each, str) or tokenize(each)[0]]
    found = ANNOTATOR.annotate(sentences, trees=False)
    assert found == [
        by_steps(each, is_read=True) if isinstance(each, str) else by_columns(each)
        for each in sentences
    ]


@pytest.mark.parametrize(
    "tokens", [["a", " "], [" a", "b"], ["a", " b"], ["a ", "b"], ["a b", "c  d"], [" "]]
)
def test_tokens_with_spaces_stand_where_they_are_found(tokens) -> None:
    (found,) = ANNOTATOR.annotate([tokens], trees=False)
    assert found == by_columns(tokens)
    assert found.tokens == tuple(tokens)


def test_tokens_in_words_are_views_and_an_empty_one_is_refused() -> None:
    found, other = ANNOTATOR.annotate([["Dogs", "bark"], "Dogs bark"], trees=False)
    assert found.viewed()[0] is other.viewed()[0]
    assert found == other
    for wrong in ([""], ["a", ""], ["", "a"], ["a", "", "b"]):
        with pytest.raises(InputError, match=r"token \d is empty"):
            ANNOTATOR.annotate([wrong], trees=False)


def test_every_token_of_much_text_has_its_number() -> None:
    annotate = TextAnnotator(TAGGER, LEMMATIZE)
    texts = [" ".join(f"w{n}x{k}" for k in range(50)) for n in range(60)]
    found = annotate(texts)
    assert [found.field(n, "tokens") for n in (0, 59)] == [tuple(texts[n].split()) for n in (0, 59)]
    offsets, starts, ends, numbers = found.columns()
    assert offsets.tolist() == list(range(0, 3001, 50))
    assert len(set(numbers.tolist())) == len(found.words) == 3000
    assert [texts[7][a:b] for a, b in zip(starts[350:352], ends[350:352], strict=True)] == [
        "w7x0", "w7x1",
    ]  # fmt: skip
    assert annotate(texts).columns()[3].tolist() == numbers.tolist()


def test_words_start_anew_and_sentences_keep_theirs() -> None:
    annotate = TextAnnotator(TAGGER, LEMMATIZE)
    texts = TEXTS[:20]
    first = views(annotate, texts)
    words = annotate.words
    assert 0 < words.n_bytes < texts_module.MAX_WORD_BYTES
    long = "x" * (texts_module.MAX_WORD_BYTES // 8)
    views(annotate, [long])
    assert words.n_bytes > texts_module.MAX_WORD_BYTES
    again = views(annotate, texts)
    assert annotate.words is not words
    assert again == first == [by_steps(text) for text in texts]


def test_a_view_is_used_as_what_it_equals() -> None:
    for use in (
        repr,
        hash,
        copy.deepcopy,
        lambda each: pickle.loads(pickle.dumps(each)),
        lambda each: each.replace(heads=(-1,), relations=("root",)),
        lambda each: (each.heads, each.relations, type(each.starts[0])),
    ):
        (view,) = views(TextAnnotator(TAGGER, LEMMATIZE), ["Dogs don't bark."])
        assert use(view) == use(by_steps("Dogs don't bark."))


def test_an_index_outside_is_refused() -> None:
    found = TextAnnotator(TAGGER, LEMMATIZE)(["Dogs bark."])
    for call in (
        lambda: found.field(1, "tokens"),
        lambda: found.field(-1, "tags"),
        lambda: found.n_tokens(1),
        lambda: found.sentence_ranges(1),
        lambda: found.words.tag(99),
    ):
        with pytest.raises(IndexError, match=r"-?\d+ of \d"):
            call()
    with pytest.raises(TypeError, match="made by a TextAnnotator"):
        AnnotatedTexts()
    assert Words(("NN",)).n_bytes == 0


def test_threads_that_share_an_annotator_get_what_one_gets() -> None:
    expected = [by_steps(text) for text in TEXTS]
    shared = NativeAnnotator()
    start = threading.Barrier(4)
    found: list[list[Sentence]] = []

    def work() -> None:
        start.wait(60)
        for _ in range(5):
            annotated = []
            for k in range(0, len(TEXTS), 7):
                annotated += shared.annotate(TEXTS[k : k + 7], trees=False)
            found.append(annotated)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert len(found) == 20
    assert all(each == expected for each in found)
