"""Requests cut out of bytes against the same parsed by protobuf, and counted ones."""

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import InputError
from tokalign.server.config import RequestLimits
from tokalign.server.requests import wire
from tokalign.server.requests.limits import max_sentence_bytes
from tokalign.server.requests.wire import MAX_OTHER_FIELDS, RequestFields
from tokalign.v1 import align_pb2

SENTENCES = st.builds(
    align_pb2.Sentence, text=st.text(max_size=5), tokens=st.lists(st.text(max_size=5), max_size=3)
)
OPTIONS = st.builds(align_pb2.AlignOptions, model=st.text(max_size=4), phrases=st.booleans())
PAIRS = st.builds(align_pb2.Pair, id=st.text(max_size=4), source=SENTENCES, target=SENTENCES)
CANDIDATES = st.builds(align_pb2.Candidate, id=st.text(max_size=4), sentence=SENTENCES)


def same(kind, data):
    """Compare what is cut out with what protobuf parses."""
    fields = RequestFields(kind, data, 100)
    message = kind.FromString(data)
    options = align_pb2.AlignOptions.FromString(fields.message("options"))
    assert options == message.options
    for field in kind.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name in ("pairs", "candidates"):
            messages = fields.messages(field.name)
            assert fields.ids(field.name) == [each.id for each in value]
            assert [type(value[0]).FromString(each) for each in messages] == list(value)
        elif field.name == "pair":
            assert fields.id_of(fields.message("pair")) == value.id
            assert align_pb2.Pair.FromString(fields.message("pair")) == value
        elif field.name == "question":
            assert align_pb2.Sentence.FromString(fields.message("question")) == value
        elif field.name == "chunk_id":
            assert fields.text("chunk_id") == value
        elif field.name in ("top_k", "by", "shortlist", "highlights"):
            assert fields.number(field.name) == value
        else:
            assert field.name == "options"


@given(
    st.builds(align_pb2.BatchAlignRequest, pairs=st.lists(PAIRS, max_size=4), options=OPTIONS),
    st.builds(align_pb2.BatchAlignRequest, pairs=st.lists(PAIRS, max_size=4), options=OPTIONS),
)
def test_batch_is_cut_as_it_is_parsed(first, second):
    # Joined messages merge, as protobuf has it.
    same(align_pb2.BatchAlignRequest, first.SerializeToString() + second.SerializeToString())


@given(
    st.builds(align_pb2.AlignRequest, pair=PAIRS, options=OPTIONS),
    st.builds(align_pb2.AlignRequest, pair=PAIRS, options=OPTIONS),
)
def test_single_pair_is_cut_as_it_is_parsed(first, second):
    same(align_pb2.AlignRequest, first.SerializeToString() + second.SerializeToString())


@given(
    st.builds(
        align_pb2.AlignStreamRequest,
        chunk_id=st.text(max_size=4),
        pairs=st.lists(PAIRS, max_size=4),
        options=OPTIONS,
    )
)
def test_chunk_is_cut_as_it_is_parsed(message):
    same(align_pb2.AlignStreamRequest, message.SerializeToString())


@given(
    st.builds(
        align_pb2.RankRequest,
        question=SENTENCES,
        candidates=st.lists(CANDIDATES, max_size=4),
        options=OPTIONS,
        top_k=st.integers(0, (1 << 32) - 1),
        shortlist=st.integers(0, (1 << 32) - 1),
        highlights=st.booleans(),
        by=st.sampled_from([*align_pb2.RankBy.values(), 99]),
    )
)
def test_ranking_is_cut_as_it_is_parsed(message):
    data = message.SerializeToString()
    same(align_pb2.RankRequest, data)
    candidates = RequestFields(align_pb2.RankRequest, data, 100).messages("candidates")
    for each, candidate in zip(candidates, message.candidates, strict=True):
        sentence = wire.candidate_parts(each)[0]
        assert align_pb2.Sentence.FromString(sentence) == candidate.sentence


def test_cutting_stops_after_the_first_item_too_many():
    # What comes after is not looked at, so it may be no message at all.
    data = b"\x0a\x00" * 4 + b"\xff" * 11
    assert len(RequestFields(align_pb2.BatchAlignRequest, data, 3).messages("pairs")) == 4
    with pytest.raises(InputError, match="not a valid"):
        RequestFields(align_pb2.BatchAlignRequest, data, 4)


def test_fields_are_counted_as_items_are():
    unknown = b"\x78\x00"
    other = b"\x12\x00"
    for field in (unknown, other):
        RequestFields(align_pb2.AlignRequest, field * (MAX_OTHER_FIELDS - 1), 0)
        with pytest.raises(InputError, match="more fields than"):
            RequestFields(align_pb2.AlignRequest, field * 1_000_000, 0)
    pair = b"\x0a" + bytes([100]) + unknown * 50
    with pytest.raises(InputError, match="more fields than"):
        RequestFields(align_pb2.BatchAlignRequest, pair, 9).ids("pairs")


@pytest.mark.parametrize("data", [b"\x0a\x01\xff", b"\x0a\x02\x0a\x05"])
def test_items_that_are_no_message_are_invalid(data):
    with pytest.raises(InputError, match="not a valid"):
        RequestFields(align_pb2.BatchAlignRequest, data, 9).ids("pairs")


WRONG = "@@"


def sent_wrong(message):
    """Return a serialised message in which WRONG is no UTF-8, as half a surrogate pair is not."""
    return message.SerializeToString().replace(WRONG.encode(), b"\xed\xa0")


@pytest.mark.parametrize(
    ("pair", "field"),
    [
        ({"id": "a @@"}, "id"),
        ({"source": {"text": "dogs @@"}}, "source.text"),
        ({"target": {"text": "dogs"}, "source": {"tokens": ["a", "@@"]}}, "source.tokens[1]"),
        ({"target": {"tokens": ["a"], "relations": ["@@"]}}, "target.relations[0]"),
    ],
)
def test_string_that_is_not_utf8_is_named(pair, field):
    data = sent_wrong(align_pb2.Pair(**pair))
    with pytest.raises(InputError, match="is not UTF-8: byte 0xED at") as caught:
        wire.parse(align_pb2.Pair, data)
    assert caught.value.field == field
    with pytest.raises(InputError, match="not UTF-8") as caught:
        wire.parse(align_pb2.Pair, data, "pair")
    assert caught.value.field == f"pair.{field}"


@given(PAIRS, st.binary(min_size=1, max_size=3))
def test_only_what_protobuf_refuses_is_named(pair, replacement):
    pair.source.tokens.append(WRONG)
    data = pair.SerializeToString().replace(WRONG.encode(), (replacement * 2)[:2])
    try:
        align_pb2.Pair.FromString(data)
    except DecodeError:
        with pytest.raises(InputError, match="is not UTF-8: byte"):
            wire.parse(align_pb2.Pair, data)
    else:
        wire.parse(align_pb2.Pair, data)


def test_ids_that_are_not_utf8_leave_the_other_items_alone():
    batch = align_pb2.BatchAlignRequest(pairs=[{"id": "a"}, {"id": "@@"}, {"id": "c"}])
    fields = RequestFields(align_pb2.BatchAlignRequest, sent_wrong(batch), 9)
    assert fields.ids("pairs") == ["a", "\ufffd\ufffd", "c"]
    ranking = align_pb2.RankRequest(candidates=[{"id": "\ufffd"}, {"id": "@@"}, {"id": "c"}])
    fields = RequestFields(align_pb2.RankRequest, sent_wrong(ranking), 9)
    first, wrong, last = fields.messages("candidates")
    wire.check_id(first)
    wire.check_id(last)
    with pytest.raises(InputError, match="id is not UTF-8"):
        wire.check_id(wrong)


def test_no_sentence_within_the_limits_is_longer_than_is_said():
    limits = RequestLimits(max_tokens=5, max_characters=10)
    column = ["\U0001f600" * 2] * 5
    message = align_pb2.Sentence(
        text="\U0001f600" * 10,
        tokens=column,
        tags=column,
        lemmas=column,
        relations=column,
        heads=[2**31 - 1] * 5,
        starts=[2**32 - 1] * 5,
        ends=[2**32 - 1] * 5,
    )
    assert message.ByteSize() <= max_sentence_bytes(limits)
