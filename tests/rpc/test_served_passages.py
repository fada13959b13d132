"""Rankings of passages, and sentences that are cut, at the server."""

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.statuses import failure
from tokalign.errors import InputError, LimitError
from tokalign.ranking import passages
from tokalign.server.config import RequestLimits
from tokalign.server.requests import limits
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.candidates import MOST_READ, GivenCandidate, split_candidates
from tokalign.server.requests.wire import RequestFields
from tokalign.types.options import OffsetUnit
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
INVALID = Code.INVALID_ARGUMENT.value[0]


def scored(*scores):
    """Return a passage whose sentences the fake engine gives these scores."""
    return "\n\n".join(f"score:{score}" for score in scores)


def ranking_of(*candidates, **fields):
    return align_pb2.RankRequest(
        question={"text": "q"},
        candidates=[
            {"passage": each} if isinstance(each, str) else {"sentence": {"text": each[0]}}
            for each in candidates
        ],
        **fields,
    )


async def test_a_passage_is_ranked_by_its_best_sentence(serving):
    stub = await serving()
    answer = await stub.Rank(ranking_of(scored(0.2, 0.9, 0.4), ("score:0.5",), scored(0.1, 0.3)))
    assert [each.index for each in answer.ranking] == [0, 1, 2]
    best, sentence, last = answer.ranking
    assert best.sentence == align_pb2.PassageSentence(index=1, n_sentences=3, start=11, end=20)
    assert best.result.alignment.source.text == "score:0.9"
    assert not sentence.HasField("sentence")
    assert last.sentence.index == 1


async def test_of_equal_sentences_the_first_is_named(serving):
    stub = await serving()
    answer = await stub.Rank(ranking_of(scored(0.2, 0.7, 0.7)))
    assert answer.ranking[0].sentence.index == 1


async def test_a_sentence_that_fails_fails_its_passage_alone(serving):
    stub = await serving()
    bad = scored(0.2) + "\n\nfail:source.text\n\n" + scored(0.9)
    answer = await stub.Rank(ranking_of(bad, scored(0.1)))
    assert [each.index for each in answer.ranking] == [1, 0]
    status = answer.ranking[1].result.status
    assert (status.code, status.field) == (INVALID, "passage")
    assert status.message == "sentence 1 of the passage, code points 11 to 27: as told"
    assert not answer.ranking[1].HasField("sentence")


@pytest.mark.parametrize("text", ["", " \n\n "])
async def test_a_blank_passage_fails_alone(serving, text):
    stub = await serving()
    request = ranking_of(text, scored(0.1))
    if not text:  # an empty string is not on the wire, and so no passage
        request.candidates[0].sentence.SetInParent()
    answer = await stub.Rank(request)
    assert [each.index for each in answer.ranking] == [1, 0] or not text
    assert [bool(each.result.status.code) for each in answer.ranking] in (
        [False, True],
        [False] * 2,
    )


async def test_a_candidate_has_a_sentence_or_a_passage(serving):
    stub = await serving()
    request = ranking_of(scored(0.1), scored(0.2))
    request.candidates[1].sentence.text = "as well"
    answer = await stub.Rank(request)
    assert [each.index for each in answer.ranking] == [0, 1]
    status = answer.ranking[1].result.status
    assert (status.code, status.field) == (INVALID, "passage")
    assert "give one" in status.message


async def test_top_k_counts_passages(serving):
    stub = await serving()
    answer = await stub.Rank(ranking_of(scored(0.1, 0.2), scored(0.3, 0.1), top_k=1))
    assert [each.index for each in answer.ranking] == [1]


@pytest.mark.parametrize(
    ("unit", "start"),
    [("OFFSET_UNIT_CODE_POINTS", 5), ("OFFSET_UNIT_UTF8_BYTES", 9), ("OFFSET_UNIT_UTF16_UNITS", 6)],
)
async def test_offsets_of_the_sentence_are_in_the_unit_asked_for(serving, unit, start):
    stub = await serving()
    passage = f"\u00e9 \N{DOG}\n\n{scored(0.9)}"
    answer = await stub.Rank(ranking_of(passage, options={"offsets": unit}))
    found = answer.ranking[0].sentence
    assert (found.index, found.start, found.end) == (1, start, start + 9)


async def test_sentences_count_as_pairs(serving):
    stub = await serving(limits=RequestLimits(max_pairs=4))
    await stub.Rank(ranking_of(scored(0.1, 0.2), scored(0.3, 0.1)))
    for many in ([scored(0.1, 0.2), scored(0.3, 0.1, 0.2)], [scored(*[0.1] * 5)]):
        code, message, details = await failure(stub.Rank(ranking_of(*many)))
        assert code == Code.INVALID_ARGUMENT
        assert "more than 4 sentences; the server takes at most 4" in message
        assert details["BadRequest"].field_violations[0].field == "candidates"


async def test_passages_of_too_many_sentences_are_cut_where_asked_for(serving):
    stub = await serving(limits=RequestLimits(max_pairs=4))
    request = ranking_of(scored(0.1), scored(0.3, 0.4, 0.9), options={"truncate": True})
    assert not any(each.sentence.passage_truncated for each in (await stub.Rank(request)).ranking)
    request = ranking_of(scored(0.1, 0.2), scored(0.3, 0.4, 0.9), options={"truncate": True})
    first, second = (await stub.Rank(request)).ranking
    assert (first.index, second.index) == (1, 0)
    assert first.sentence == align_pb2.PassageSentence(
        index=1, n_sentences=3, start=11, end=20, passage_truncated=True
    )
    assert not second.sentence.passage_truncated


@pytest.mark.parametrize("place", [0, 7, 49])
async def test_sentences_are_chosen_by_the_rare_words_that_they_share(serving, place):
    stub = await serving(limits=RequestLimits(max_pairs=30))
    passages = [["score:0.2 rain"] * 50 for _ in range(10)]
    passages[7][place] = "score:0.8 bakers"
    request = ranking_of(*map("\n\n".join, passages), ("score:0.5",))
    request.options.truncate = True
    request.question.text = "Who bakes? A baker in the rain."
    answer = await stub.Rank(request)
    assert [each.index for each in answer.ranking][:2] == [7, 10]
    best = answer.ranking[0]
    assert (best.sentence.index, best.sentence.n_sentences) == (place, 50)
    assert best.sentence.passage_truncated
    assert best.result.alignment.source.text == "score:0.8 bakers"
    assert answer.n_sentences_left_out == 10 * 50 - 29
    request.top_k = 1
    assert (await stub.Rank(request)).n_sentences_left_out == 10 * 50 - 29


async def test_nothing_is_said_to_be_left_out_where_all_was_read(serving):
    stub = await serving(limits=RequestLimits(max_pairs=4))
    for options in ({}, {"truncate": True}):
        answer = await stub.Rank(ranking_of(scored(0.1, 0.2), scored(0.3, 0.1), options=options))
        assert answer.n_sentences_left_out == 0
        assert not any(each.sentence.passage_truncated for each in answer.ranking)


def test_each_passage_keeps_a_sentence_and_the_place_of_a_bad_one():
    texts = ["A b.", " ", "It rains. It pours. A dog barks.", "C d."]
    found = split_candidates(
        "A dog.", read(*({"passage": each} for each in texts)), RequestLimits(max_pairs=3),
        truncate=True,
    )  # fmt: skip
    assert found.n_left_out == 2
    ranked = found.ranked([Answer(b"", score=score) for score in (0.1, 0.2, 0.3)])
    assert [each.answer.score for each in ranked] == [0.1, 0.0, 0.2, 0.3]
    assert ranked[1].answer.code == INVALID
    assert ranked[2].passage.sentence(0, OffsetUnit.CODE_POINTS).index == 2


def read(*candidates):
    return [
        GivenCandidate.read(align_pb2.Candidate(**each).SerializeToString()) for each in candidates
    ]


@pytest.fixture
def counted(monkeypatch):
    """Count the sentences that are split off."""
    found = []

    class Counted(passages.Sentences):
        def __next__(self):
            span = super().__next__()
            found.append(span)
            return span

    monkeypatch.setattr(passages, "Sentences", Counted)
    return found


def test_a_million_sentences_are_refused_after_the_first_too_many(counted):
    limits = RequestLimits()
    with pytest.raises(LimitError, match="more than 10000 sentences"):
        split_candidates("q", read({"passage": "A b. " * 1_000_000}), limits, truncate=False)
    assert len(counted) == limits.max_pairs + 1


def test_sentences_of_many_passages_are_refused_after_the_first_too_many(counted):
    many = read(*({"passage": "A b. " * 3_000} for _ in range(400)))
    with pytest.raises(LimitError, match="more than 10000 sentences"):
        split_candidates("q", many, RequestLimits(), truncate=False)
    assert len(counted) <= 4 * 3_000


def test_cut_passages_are_read_no_further_than_so_many_times_the_limit(counted):
    limits = RequestLimits()
    many = read(*({"passage": "A b. " * 3_000} for _ in range(400)))
    candidates = split_candidates("q", many, limits, truncate=True)
    assert len(candidates.pairs) == limits.max_pairs
    assert len(counted) <= 2 * MOST_READ * limits.max_pairs + 4 * 3_000
    assert candidates.n_left_out >= MOST_READ * limits.max_pairs - limits.max_pairs


def test_a_passage_that_is_no_text_fails_alone():
    message = align_pb2.Candidate(passage="abc").SerializeToString().replace(b"abc", b"a\xffc")
    request = b"".join(
        b"\x12" + bytes([len(each)]) + each
        for each in (message, align_pb2.Candidate(passage="A b.").SerializeToString())
    )
    found = RequestFields(align_pb2.RankRequest, request, 10).messages("candidates")
    candidates = split_candidates(
        "q", list(map(GivenCandidate.read, found)), RequestLimits(), truncate=False
    )
    assert len(candidates.pairs) == 1
    answers = [each.answer for each in candidates.ranked([Answer(b"", score=0.5)])]
    assert [answer.code for answer in answers] == [INVALID, 0]
    assert "passage is not UTF-8: byte" in answers[0].message


LIMITS = RequestLimits(max_tokens=5, max_characters=20)


def shortened(**fields):
    message = align_pb2.Sentence(**fields)
    return limits.shorten(message, LIMITS), message


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("word " * 4, "word " * 4),
        ("word " * 5, "word " * 4),
        ("a " * 9 + "longer", "a " * 9),
        ("x" * 30, "x" * 20),
        ("a" * 20 + " b", "a" * 20),
        ("a b" + " " * 30, "a b"),
        (" " * 30, ""),
        ("a" + " " * 30 + "b", "a" + " " * 19),
    ],
)
def test_text_is_cut_after_a_whole_word(text, kept):
    is_cut, message = shortened(text=text)
    assert message.text == kept
    assert is_cut == (text.strip() != kept.strip())  # white space at the end is nothing


def test_tokens_are_cut_with_their_columns():
    is_cut, message = shortened(
        tokens=list("abcdefg"), tags=["X"] * 7, lemmas=list("ABCDEFG"),
        heads=[6, 0, 1, -1, 5, 0, 0], relations=["dep"] * 7,
    )  # fmt: skip
    assert is_cut
    assert list(message.tokens) == list("abcde")
    assert [len(message.tags), len(message.lemmas), len(message.relations)] == [5, 5, 5]
    assert list(message.heads) == [-1, 0, 1, -1, -1]


def test_tokens_of_too_many_characters_are_cut():
    _, message = shortened(tokens=["abcdefgh"] * 4)
    assert list(message.tokens) == ["abcdefgh"] * 2


def test_text_beside_tokens_is_cut_after_them_or_left():
    _, message = shortened(text="a b " + "c" * 30, tokens=["a", "b"])
    assert message.text == ("a b " + "c" * 30)[:20]
    is_cut, message = shortened(text="x" * 30 + " a", tokens=["a"])
    assert not is_cut and len(message.text) == 32


def test_columns_that_do_not_fit_are_still_refused():
    _, message = shortened(tokens=list("abcdefg"), tags=["X"] * 4)
    with pytest.raises(InputError, match="4 tags for 5 tokens"):
        limits.sentence(message, side="source", limits=LIMITS)


WORDS = st.text("ab ", max_size=8)


@given(st.lists(WORDS, max_size=8).map(" ".join), st.lists(st.text("ab", min_size=1), max_size=9))
def test_what_was_cut_is_within_the_limits(text, tokens):
    for fields in ({"text": text}, {"tokens": tokens}):
        is_cut, message = shortened(**fields)
        again, _ = limits.shorten(message, LIMITS), message
        assert not again
        if is_cut and (message.text.strip() or message.tokens):
            limits.sentence(message, side="source", limits=LIMITS)
