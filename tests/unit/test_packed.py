"""Results as columns between processes: what comes back is what was sent."""

from __future__ import annotations

import pickle
from dataclasses import fields

import numpy as np
import pytest
from tokalign import Aligner, Constraints, InputError, Sentence
from tokalign.batches.packed import SentenceTable, pack, unpack
from tokalign.codec.writing import AlignmentWriter
from tokalign.types import Alignment
from tokalign.types.columns import columns_of
from tokalign.types.options import AlignOptions

TAGGED = Sentence.from_tokens(["Dogs", "bark"], tags=["NNS", "VBP"])
PAIRS = [
    ("Dogs bark.", "The dogs bark."),
    ("A man sold his car for $5. It was \N{DOG} old.", "The vehicle was bought for 6 dollars."),
    ("", "Nothing is on the left."),
    (["Dogs", "bark", "."], TAGGED),
    ("Dogs bark.", "The dogs bark.", Constraints(anchors=[(0, 0)])),
    ("no pair",),
]
EVERYTHING = {
    "posteriors": True, "explain": True, "phrases": True, "relations": True, "edits": True,
    "truncate": True, "offsets": "utf-8",
}  # fmt: skip
NAMES = [each.name for each in fields(Alignment) if each.name != "posteriors"]


@pytest.fixture(scope="module", params=["en", "en-rte2", "sultan"])
def aligner(request) -> Aligner:
    return Aligner(request.param)


def passed(results):
    """Return results as they come out of the other end."""
    return unpack(pickle.loads(pickle.dumps(pack(results))))


def both(aligner: Aligner, **options) -> list[tuple[Alignment, Alignment]]:
    """Return the outcomes of PAIRS, and what comes back of them."""
    sent = list(aligner.pipe(PAIRS, errors="return", batch_size=4, **options))
    received = passed(sent)
    assert type(received) is list and len(received) == len(PAIRS)
    kinds = [isinstance(each, InputError) for each in received]
    assert kinds == [False, False, True, False, aligner.is_system, True]
    for each, other in zip(sent, received, strict=True):
        if isinstance(each, InputError):
            assert (str(each), each.field) == (str(other), other.field)
    return [pair for pair in zip(sent, received, strict=True) if isinstance(pair[0], Alignment)]


@pytest.mark.parametrize("asked", [False, True])
def test_alignments_come_back_field_by_field(aligner, asked):
    options = EVERYTHING if asked and not aligner.is_system else {}
    for sent, received in both(aligner, **options):
        for name in NAMES:
            assert getattr(received, name) == getattr(sent, name), name
        if sent.posteriors is not None:
            np.testing.assert_array_equal(received.posteriors, sent.posteriors)
        assert [link.source_text for link in received.links] == [
            link.source_text for link in sent.links
        ]


def test_what_comes_back_are_views_of_the_columns_of_a_batch(aligner):
    received = [other for _, other in both(aligner)]
    assert columns_of(received[0])[0] is columns_of(received[1])[0]
    if not aligner.header.uses_trees:
        assert isinstance(received[0].source.viewed()[0], SentenceTable)


def test_sentences_that_come_back_can_be_aligned_and_written_again(aligner):
    for sent, received in both(aligner):
        again = aligner.align(received.source, received.target)
        assert again.links == aligner.align(sent.source, sent.target).links
        writer = AlignmentWriter(AlignOptions())
        assert writer.write(received) == writer.write(sent)


def test_results_of_other_kinds_pass_as_they_are():
    assert passed([3, (0, 0), None]) == [3, (0, 0), None]


def test_a_word_of_a_batch_is_sent_once():
    aligner = Aligner("en")
    list(aligner.pipe([("It rained.", "It rained.")]))  # whose words are known, but not sent
    (packed,) = pack(list(aligner.pipe([PAIRS[0], PAIRS[0]]))).columns
    (table,) = packed.tables
    assert sorted(table.words.tokens) == [".", "Dogs", "The", "bark", "dogs"]


def test_words_of_two_annotators_do_not_mix():
    sent = [
        alignment for model in ("en", "en-rte2") for alignment in Aligner(model).pipe([PAIRS[0]])
    ]
    for results in (sent, sent[::-1], sent[1:]):
        assert passed(results) == results
