"""Evidence as messages: what is written is read again, moved to where its sentence stands."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.client.errors import from_status
from tokalign.codec.grounding import (
    PIECE_CHARACTERS,
    decode_grounded_sentence,
    decode_passages,
    encode_ground,
    encode_ground_head,
    encode_ground_piece,
    encode_grounded_sentence,
)
from tokalign.codec.options import RequestOptions, decode_ground_options, encode_ground_options
from tokalign.errors import InputError
from tokalign.types import FeatureContribution
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    SourceConflict,
    SourcePassage,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.options import GroundOptions, OffsetUnit
from tokalign.types.relations import ConflictKind
from tokalign.v1 import align_pb2

offsets = st.integers(0, 1 << 20)
shares = st.floats(0, 1, width=32)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


def tuples(each):
    return st.lists(each, max_size=3).map(tuple)


words = st.builds(
    GroundedWord,
    offsets,
    offsets,
    st.sampled_from(WordKind),
    shares,
    st.none() | st.integers(0, 9),
    tuples(st.tuples(offsets, offsets)),
    tuples(st.builds(FeatureContribution, names, shares, shares)),
)
sentences = st.builds(
    GroundedSentence,
    offsets,
    offsets,
    shares,
    tuples(words),
    tuples(
        st.builds(
            Citation,
            names,
            offsets,
            offsets,
            shares,
            tuples(st.builds(CitationLink, offsets, offsets, offsets, shares)),
        )
    ),
    tuples(st.builds(UnsupportedSpan, offsets, offsets, shares)),
    tuples(
        st.builds(
            SourceConflict,
            st.sampled_from(ConflictKind),
            offsets,
            offsets,
            names,
            offsets,
            offsets,
            shares,
        )
    ),
)
options = st.builds(
    RequestOptions,
    names,
    names,
    ground=st.builds(
        GroundOptions,
        candidates=st.integers(1, 1000),
        threshold=st.floats(0, 1),
        explain=st.booleans(),
        offsets=st.sampled_from(OffsetUnit),
    ),
)


@given(sentences)
def test_sentence_is_read_as_it_was_written(sentence):
    assert (
        decode_grounded_sentence(encode_grounded_sentence(sentence, sentence.start), from_status)
        == sentence
    )


@given(sentences, offsets)
def test_offsets_in_the_answer_move_and_others_stay(sentence, by):
    def moved(value):
        return replace(value, start=value.start + by, end=value.end + by)

    message = encode_grounded_sentence(sentence, sentence.start + by)
    assert decode_grounded_sentence(message, from_status) == replace(
        moved(sentence),
        words=tuple(map(moved, sentence.words)),
        unsupported=tuple(map(moved, sentence.unsupported)),
        conflicts=tuple(map(moved, sentence.conflicts)),
    )


@given(options)
def test_options_are_read_as_they_were_written(wanted):
    assert decode_ground_options(encode_ground_options(wanted)) == wanted


def test_options_that_are_not_set_are_the_defaults():
    found = decode_ground_options(align_pb2.GroundOptions(), model="m", annotator="a")
    assert found == RequestOptions("m", "a", ground=GroundOptions())
    zero = decode_ground_options(align_pb2.GroundOptions(threshold=0))
    assert zero.ground.threshold == 0


def test_unknown_numbers_are_named():
    with pytest.raises(InputError, match="offsets 9 is unknown") as caught:
        decode_ground_options(align_pb2.GroundOptions(offsets=9))
    assert caught.value.field == "options.offsets"
    word = align_pb2.GroundedWord(kind=77)
    with pytest.raises(InputError, match="kind 77 is unknown"):
        decode_grounded_sentence(align_pb2.GroundedSentence(words=[word]), from_status)


@given(names, st.lists(st.builds(SourcePassage, names, names), max_size=4), options)
def test_request_holds_answer_passages_and_options(answer, passages, wanted):
    request = encode_ground(answer, passages, wanted)
    assert (request.answer, decode_passages(request)) == (answer, passages)
    assert decode_ground_options(request.options) == wanted


def test_long_texts_are_several_messages():
    sizes = np.array([10, PIECE_CHARACTERS, 5, 2 * PIECE_CHARACTERS, 7])
    passages = [SourcePassage(str(i), "x" * size) for i, size in enumerate(sizes)]
    heads = list(encode_ground_head(passages, RequestOptions(model="m")))
    assert [len(each.passages) for each in heads] == [1, 1, 1, 1, 1]
    assert [each.options.model for each in heads] == ["m", "", "", "", ""]
    pieces = list(encode_ground_piece("y" * (2 * PIECE_CHARACTERS + 1)))
    assert [len(each.answer) for each in pieces] == [PIECE_CHARACTERS, PIECE_CHARACTERS, 1]
    assert list(encode_ground_piece("")) == []
