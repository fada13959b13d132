"""Similarity of models with an encoder, which is asked when a similarity is."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.codec.alignments import decode_alignment
from tokalign.codec.writing import AlignmentWriter
from tokalign.decoding.by_model import ALIGNED, mixed_similarity
from tokalign.english.annotate import load_annotator
from tokalign.errors import InputError
from tokalign.model.file import load_model
from tokalign.model.shipped import model_path
from tokalign.ranking.judge import MOST_COSINE, shipped_weights
from tokalign.types import Sentence
from tokalign.types.options import AlignOptions, Detail, Symmetrization
from tokalign.v1 import align_pb2

PAIRS = [("Dogs bark.", "The dogs bark."), ("The drug is safe.", "The drug is not safe.")]
COSINE = 0.5


class ConstantEncoder:
    """Says nothing of tokens, and of all sentences that their cosine is the same."""

    def __init__(self, cosine: float) -> None:
        self.cosine = cosine
        self.asked: list[int] = []

    def encode(self, pairs):
        return ["read"] * len(pairs)  # the model reads nothing of it

    def cosines(self, sources, targets):
        self.asked.append(len(sources))
        assert all(isinstance(text, str) for text in [*sources, *targets])
        return np.full(len(sources), self.cosine)


@pytest.fixture(scope="module")
def model():
    return load_model(model_path("en"))


def aligner_with(model, encoder) -> Aligner:
    return Aligner(model, load_annotator("native"), encoder=encoder)


def lowered(share: float, agreement: float) -> float:
    return share * (1 - 0.25 * share**4 * (1 - agreement))


def test_it_is_the_mean_of_both_lowered_by_conflicts(model):
    for alignment in aligner_with(model, ConstantEncoder(COSINE)).pipe(PAIRS):
        share = ALIGNED * alignment.covered + (1 - ALIGNED) * COSINE
        assert alignment.similarity == pytest.approx(lowered(share, alignment.agreement))
        assert alignment.cosine == COSINE


def test_a_conflict_lowers_it(model):
    alignment = aligner_with(model, ConstantEncoder(1.0)).align(*PAIRS[1])
    assert alignment.agreement < 0.5
    assert alignment.similarity < ALIGNED * alignment.covered + (1 - ALIGNED)


def test_a_cosine_below_0_counts_as_0():
    one = np.ones(1)
    assert mixed_similarity(one, np.array([-0.4]), one) == mixed_similarity(one, 0 * one, one)


def test_it_rises_with_all_that_it_is_made_of_where_conflicts_are_weak():
    steps = np.linspace(0, 1, 21)
    for made in (
        mixed_similarity(steps, 0 * steps + 0.7, 0 * steps + 0.6),
        mixed_similarity(0 * steps + 0.7, steps, 0 * steps + 0.6),
        mixed_similarity(0 * steps + 0.7, 0 * steps + 0.9, steps),
    ):
        assert all(low <= high for low, high in pairwise(made))
        assert made.min() >= 0 and made.max() <= 1


def test_the_encoder_is_asked_once_for_a_batch_and_only_for_similarities(model):
    encoder = ConstantEncoder(COSINE)
    alignments = list(aligner_with(model, encoder).pipe(PAIRS))
    assert alignments[0].links and alignments[0].score and alignments[0].covered
    assert encoder.asked == []
    assert alignments[1].similarity and alignments[0].similarity and alignments[0].cosine
    assert encoder.asked == [2]


def test_the_numbers_of_other_figures_stay(model):
    without = Aligner(model, load_annotator("native")).align(*PAIRS[0])
    with_it = aligner_with(model, ConstantEncoder(COSINE)).align(*PAIRS[0])
    assert without.cosine is None
    for name in ("links", "score", "covered", "target_covered", "agreement"):
        assert getattr(with_it, name) == getattr(without, name)


def test_it_survives_pickling_and_the_wire(model):
    alignment = aligner_with(model, ConstantEncoder(COSINE)).align(*PAIRS[1])
    assert pickle.loads(pickle.dumps(alignment)) == alignment
    for detail in Detail:
        data = AlignmentWriter(AlignOptions(detail=detail)).write(alignment)
        message = align_pb2.Alignment.FromString(data)
        back = decode_alignment(message, align_pb2.ModelRef(), Symmetrization.JOINT)
        assert back.cosine == COSINE
        assert back.similarity == pytest.approx(alignment.similarity)


def test_a_model_without_an_encoder_has_no_vectors(model):
    with pytest.raises(InputError, match="en has no encoder; load one that has"):
        Aligner(model, load_annotator("native")).sentence_vectors(["Dogs bark."])


def test_a_sentence_of_tokens_is_compared_by_its_text(model):
    seen = []
    encoder = ConstantEncoder(COSINE)
    encoder.cosines = lambda sources, targets: seen.extend([*sources, *targets]) or np.ones(1)
    sentence = Sentence.from_tokens(["Dogs", "bark"])
    assert aligner_with(model, encoder).align(sentence, ["Cats", "purr"]).similarity > 0
    assert seen == ["Dogs bark", "Cats purr"]


def test_another_query_ranks_by_the_alignment_s_score_alone(model):
    query, candidates = "The dogs bark.", ["Dogs bark.", "It rained."]
    for each in aligner_with(model, ConstantEncoder(COSINE)).rank(query, candidates):
        assert each.judgement.score == each.alignment.score


def test_a_question_has_the_cosine_among_its_evidence_and_weights_of_its_own(model):
    question, candidates = "Who founded the bakery?", ["Marta founded the bakery.", "It rained."]

    def judged(encoder):
        aligner = aligner_with(model, encoder)
        found = aligner.rank(question, candidates, explain=True)
        return {each.index: each.judgement for each in found}

    weights = shipped_weights().regressions
    plain, low, encoded = (
        judged(None),
        judged(ConstantEncoder(0.1)),
        judged(ConstantEncoder(COSINE)),
    )
    for index, judgement in encoded.items():
        pieces = {piece.name: piece for piece in judgement.evidence}
        assert (pieces["cosine"].value, pieces["about"].value) == (COSINE, MOST_COSINE)
        of = weights["encoded-question"]
        for name, weight in zip(of.names, of.weights, strict=True):
            assert pieces[name].weight == weight
        total = sum(piece.value * piece.weight for piece in judgement.evidence)
        assert log_odds(judgement.score) == pytest.approx(total)
        more = log_odds(judgement.score) - log_odds(low[index].score)
        assert more == pytest.approx(
            (COSINE - 0.1) * pieces["cosine"].weight + (MOST_COSINE - 0.1) * pieces["about"].weight
        )
        of_plain = {piece.name: piece.weight for piece in plain[index].evidence}
        assert of_plain.keys() == {"bias", *weights["question"].names}
        assert of_plain["score"] == weights["question"].weights[0]


def log_odds(probability):
    return math.log(probability / (1 - probability))
