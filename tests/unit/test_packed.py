"""Results as columns between processes: what comes back is what was sent."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest
from tokalign import Aligner, Constraints, InputError, Sentence
from tokalign.batches.packed import Receiver, Sender, SentenceTable
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


def passed(results, send=None, receive=None):
    """Return results as they come out of the other end."""
    return (receive or Receiver())(pickle.loads(pickle.dumps((send or Sender())(results))))


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
    assert passed([3, "a", None]) == [3, "a", None]


def test_a_word_is_sent_once_and_found_again():
    aligner = Aligner("en")
    send, receive = Sender(), Receiver()
    kept = []
    for pairs, new in (
        ([PAIRS[0]], ["Dogs", "bark", ".", "The", "dogs"]),
        ([PAIRS[0]], []),
        ([PAIRS[0], ("It rained.", "It rained.")], ["It", "rained"]),
    ):
        sent = list(aligner.pipe(pairs))
        message = send(sent)
        assert [token for each in message.words for token in each.tokens] == new
        kept += zip(sent, receive(pickle.loads(pickle.dumps(message))), strict=True)
    assert [each for each, _ in kept] == [other for _, other in kept]  # read after all have come


def test_words_that_were_forgotten_are_sent_again():
    aligner = Aligner("en")
    send, receive = Sender(), Receiver()
    sent = list(aligner.pipe([PAIRS[0]]))
    for results in (sent, ["an error"], sent):
        assert passed(results, send, receive) == results


def test_words_of_two_annotators_do_not_mix():
    sent = [
        alignment for model in ("en", "en-rte2") for alignment in Aligner(model).pipe([PAIRS[0]])
    ]
    send, receive = Sender(), Receiver()
    for results in (sent, sent[::-1], sent[1:], sent):
        assert passed(results, send, receive) == results


def test_threads_may_read_sentences_at_once():
    (alignment,) = passed(list(Aligner("en").pipe([PAIRS[0]])))
    columns, _ = columns_of(alignment)
    start = threading.Barrier(8)

    def read(_):
        start.wait(30)
        return columns.sources[0].tokens, columns.targets[0].tokens

    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(read, range(8)))
    assert found == {(("Dogs", "bark", "."), ("The", "dogs", "bark", "."))}
