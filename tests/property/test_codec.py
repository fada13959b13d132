"""Messages: decoding gives back what was encoded, and no field is forgotten."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import answers
from support.messages import (
    ALIGN_OPTIONS,
    JUDGEMENTS,
    REQUEST_OPTIONS,
    SERVER_INFOS,
    WORDS,
    alignments,
    sentences,
)
from tokalign.codec.alignments import decode_alignment, decode_judgement
from tokalign.codec.options import (
    RequestOptions,
    decode_options,
    decode_rank_options,
    encode_options,
    encode_rank_options,
)
from tokalign.codec.sentences import decode_input, decode_sentence, encode_input
from tokalign.codec.servers import decode_server_info, encode_server_info
from tokalign.codec.writing import AlignmentWriter, write_judgement
from tokalign.english.annotate.native import NativeAnnotator
from tokalign.errors import InputError
from tokalign.server.config import RequestLimits
from tokalign.types import Alignment, Sentence
from tokalign.types.columns import CONFLICT, AlignmentColumns
from tokalign.types.options import AlignOptions, RankBy, RankOptions, Symmetrization
from tokalign.types.relations import ConflictKind, ConflictReason
from tokalign.v1 import align_pb2

ANNOTATOR = NativeAnnotator()
WORD_LETTERS = st.characters(exclude_categories=["Cs"])


def sent(message):
    """Return a message as it arrives."""
    return type(message).FromString(message.SerializeToString())


@given(REQUEST_OPTIONS)
def test_options_survive(options):
    assert decode_options(sent(encode_options(options))) == options


def test_options_that_are_not_given_are_the_defaults():
    decoded = decode_options(align_pb2.AlignOptions(), model="en", annotator="native")
    assert decoded == RequestOptions("en", "native")


@pytest.mark.parametrize(
    ("given_options", "field"),
    [
        ({"symmetrization": 99}, "options.symmetrization"),
        ({"symmetrization": -1}, "options.symmetrization"),
        ({"offsets": 99}, "options.offsets"),
        ({"detail": 99}, "options.detail"),
        ({"detail": align_pb2.DETAIL_SCORES, "posteriors": True}, "options.detail"),
        ({"detail": align_pb2.DETAIL_SCORES, "phrases": True}, "options.detail"),
        ({"detail": align_pb2.DETAIL_SCORES, "relations": True}, "options.detail"),
        ({"detail": align_pb2.DETAIL_SCORES, "edits": True}, "options.detail"),
        ({"min_confidence": 1.5}, "options.min_confidence"),
        ({"min_confidence": float("nan")}, "options.min_confidence"),
    ],
)
def test_options_out_of_range_are_named(given_options, field):
    with pytest.raises(InputError) as caught:
        decode_options(align_pb2.AlignOptions(**given_options))
    assert caught.value.field == field


@given(sentences())
def test_sentence_survives(sentence):
    assert decode_sentence(sent(answers.sentence(sentence))) == sentence


@given(sentences() | WORDS)
def test_input_survives(sentence):
    assert decode_input(sent(encode_input(sentence))) == sentence


@given(st.lists(WORDS, min_size=1))
def test_tokens_arrive_as_a_sentence_of_them(tokens):
    assert decode_input(sent(encode_input(tokens))) == Sentence.from_tokens(tokens)


def test_rewritten_tokens_arrive_without_the_text_they_are_not_in():
    quoted = Sentence('say "no"', ("say", "``", "no", "''"), (0, 4, 5, 7), (3, 5, 7, 8))
    assert decode_input(sent(encode_input(quoted))).tokens == quoted.tokens


@given(alignments(), ALIGN_OPTIONS)
def test_alignments_are_written_as_protobuf_writes_them(alignment, options):
    message = answers.alignment(alignment, options)
    assert AlignmentWriter(options).write(alignment) == message.SerializeToString()


def rows_of(alignment: Alignment) -> list[tuple[float, ...]]:
    return [
        (
            list(ConflictKind).index(each.kind),
            list(ConflictReason).index(each.reason),
            *(each.source, each.target),
            *(*each.source_span, *each.target_span),
            each.probability,
        )
        for each in alignment.conflicts
    ]


def relation_rows(batch: list[Alignment]) -> NDArray[np.float32] | None:
    """Return the probabilities of all links, where all links have some."""
    found = [link.relation for each in batch for link in each.links]
    if None in found or not found:
        return None
    return np.array([each.probabilities for each in found if each], dtype=np.float32)


@given(st.lists(alignments(), min_size=1, max_size=4), ALIGN_OPTIONS)
def test_views_of_columns_are_written_as_protobuf_writes_them(batch, options):
    columns = AlignmentColumns(
        sources=[each.source for each in batch],
        targets=[each.target for each in batch],
        offsets=np.cumsum([0] + [len(each.links) for each in batch]),
        source=np.array([link.source for each in batch for link in each.links], np.int32),
        target=np.array([link.target for each in batch for link in each.links], np.int32),
        confidence=np.array([link.confidence for each in batch for link in each.links], float),
        score=np.array([each.score for each in batch]),
        aligned_similarity=np.array([each.similarity for each in batch]),
        target_covered=np.array([each.target_covered for each in batch]),
        covered=np.array([each.covered for each in batch]),
        agreement=np.array([each.agreement for each in batch]),
        conflict_offsets=np.cumsum([0] + [len(each.conflicts) for each in batch]),
        conflicts=np.array([row for each in batch for row in rows_of(each)], CONFLICT),
        relations=relation_rows(batch),
        model="m",
        version="1",
        symmetrization=batch[0].symmetrization,
    )
    writer = AlignmentWriter(options)
    for number in range(len(batch)):
        view = columns.alignment(number)
        message = answers.alignment(view, options)
        assert writer.write(view) == message.SerializeToString()


@given(st.lists(st.text(WORD_LETTERS, min_size=1), min_size=2, max_size=6))
def test_sentences_of_annotated_texts_are_written_as_protobuf_writes_them(texts):
    texts = [f"{text} x" for text in texts]  # a sentence has a token
    writer = AlignmentWriter(AlignOptions())
    for source, target in pairwise(ANNOTATOR.annotate(texts, trees=False)):
        assert source.viewed() is not None
        alignment = Alignment(source, target, (), 0.5, 0.25, "m", "1", Symmetrization.JOINT)
        written = writer.write(alignment)
        assert written == answers.alignment(alignment, AlignOptions()).SerializeToString()


@given(JUDGEMENTS)
def test_judgements_are_written_as_protobuf_writes_them(judgement):
    assert write_judgement(judgement) == answers.judgement(judgement).SerializeToString()


def decoded_again(alignment, options):
    """Return the message of an alignment, and what is made of it."""
    message = align_pb2.Alignment.FromString(AlignmentWriter(options).write(alignment))
    model = align_pb2.ModelRef(name=alignment.model, version=alignment.version)
    return message, decode_alignment(message, model, alignment.symmetrization)


@given(alignments())
def test_alignment_survives(alignment):
    _, decoded = decoded_again(alignment, AlignOptions())
    for each in dataclasses.fields(Alignment):
        np.testing.assert_equal(getattr(decoded, each.name), getattr(alignment, each.name))


EMPTY = Sentence("", (), (), ())


@given(alignments())
def test_links_alone_are_the_alignment_without_its_sentences(alignment):
    message, decoded = decoded_again(alignment, AlignOptions(detail="links"))
    full = answers.alignment(alignment, AlignOptions())
    full.ClearField("source")
    full.ClearField("target")
    assert message == full
    assert (decoded.links, decoded.source, decoded.target) == (alignment.links, EMPTY, EMPTY)


@given(alignments())
def test_scores_alone_are_scores(alignment):
    message, decoded = decoded_again(alignment, AlignOptions(detail="scores", explain=True))
    assert (decoded.score, decoded.similarity) == (alignment.score, alignment.similarity)
    assert decoded.agreement == alignment.agreement
    assert decoded.distance == alignment.distance
    for name in ("score", "similarity", "target_covered", "covered", "agreement"):
        message.ClearField(name)
    message.ClearField("source_truncated")
    message.ClearField("target_truncated")
    message.ClearField("distance")
    assert (decoded.cosine, decoded.encoded) == (alignment.cosine, alignment.encoded)
    message.ClearField("cosine")
    message.ClearField("encoded")
    assert message == align_pb2.Alignment()


@given(SERVER_INFOS)
def test_server_info_survives(info):
    assert decode_server_info(sent(encode_server_info(info))) == info


def test_symmetrizations_that_have_no_name_here_are_left_out():
    model = align_pb2.ModelInfo(symmetrizations=[align_pb2.SYMMETRIZATION_UNION, 99])
    (decoded,) = decode_server_info(align_pb2.ListModelsResponse(models=[model])).models
    assert decoded.symmetrizations == ("union",)


def full(kind):
    """Return a message of which every field is set, in the messages below it as well."""
    message = kind()
    for field in kind.DESCRIPTOR.fields:
        if field.message_type is not None:
            value = full(getattr(align_pb2, field.message_type.name))
        else:
            value = "x" if field.cpp_type == field.CPPTYPE_STRING else 1
            if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
                value = 0.5  # 1 is what stands for no effort that is given
            if field.name.endswith("_end"):
                value = 2  # behind its start
        slot = getattr(message, field.name)
        if hasattr(slot, "append"):
            slot.append(value)
        elif field.message_type is not None:
            slot.CopyFrom(value)
        else:
            setattr(message, field.name, value)
    return message


@pytest.mark.parametrize(
    ("kind", "recoded"),
    [
        (align_pb2.AlignOptions, lambda it: encode_options(decode_options(it))),
        (
            align_pb2.ListModelsResponse,
            lambda it: encode_server_info(decode_server_info(it)),
        ),
        (align_pb2.Sentence, lambda it: answers.sentence(decode_sentence(it))),
        (
            align_pb2.Alignment,
            lambda it: align_pb2.Alignment.FromString(
                AlignmentWriter(AlignOptions()).write(
                    decode_alignment(it, align_pb2.ModelRef(), "joint")
                )
            ),
        ),
    ],
)
def test_no_field_is_forgotten(kind, recoded):
    message = full(kind)
    assert recoded(message) == message


def test_every_limit_of_the_server_is_sent():
    names = [field.name for field in align_pb2.ServerLimits.DESCRIPTOR.fields]
    configured = [each.name for each in dataclasses.fields(RequestLimits)]
    # What a request may cost follows from the queue that it must fit in.
    assert sorted(names) == sorted([*configured, "max_cost"])


@given(JUDGEMENTS)
def test_judgements_survive(value):
    assert (
        decode_judgement(align_pb2.RankedCandidate.FromString(write_judgement(value)).judgement)
        == value
    )


@given(st.builds(RankOptions, by=st.sampled_from(RankBy), top_k=st.integers(0, 9),
                 shortlist=st.integers(0, 9), highlights=st.booleans()))  # fmt: skip
def test_options_of_a_ranking_survive(options):
    message = align_pb2.RankRequest(**encode_rank_options(options))
    assert decode_rank_options(lambda name: getattr(message, name)) == options
