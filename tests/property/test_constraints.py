"""Constrained decoding against all label sequences that obey."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import crf as reference
from support.decoding import ask
from tokalign import Aligner, Constraints, InputError, Symmetrization
from tokalign.decoding.decoder import DecodedPair, Decoder
from tokalign.features.feature_groups import Lexicons
from tokalign.model import load_model
from tokalign.model.shipped import model_path

WORDS = ("Dogs", "dogs", "bark", "the", "the", "cat", "3", ".")
SIDES = ("source", "target")


class Shared(NamedTuple):
    aligner: Aligner
    decoder: Decoder
    transitions: np.ndarray  # (2, 34), of the default style


@pytest.fixture(scope="module")
def shared() -> Shared:
    model = load_model(model_path("en"))
    decoder = Decoder(model, Lexicons.for_groups(model.table.groups))
    return Shared(Aligner.load(), decoder, np.asarray(model.summed()[1])[0])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[str], list[str], Constraints]:
    """Short sentences and constraints that may or may not be obeyed."""
    sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
    source, target = draw(sentence), draw(sentence)
    links = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    tokens = {
        f"{kind}_{side}": draw(st.lists(st.integers(0, len(sentence) - 1), max_size=1))
        for kind in ("linked", "unlinked")
        for side, sentence in zip(SIDES, (source, target), strict=True)
    }
    anchors = draw(st.lists(links, max_size=2))
    forbidden = [each for each in draw(st.lists(links, max_size=3)) if each not in anchors]
    for place, side in enumerate(SIDES):
        barred = {link[place] for link in anchors} | set(tokens[f"linked_{side}"])
        tokens[f"unlinked_{side}"] = [k for k in tokens[f"unlinked_{side}"] if k not in barred]
    return source, target, Constraints(anchors=anchors, forbidden=forbidden, **tokens)


def permits(constraints: Constraints, labels: tuple[int, ...], direction: int) -> bool:
    """Tell whether a label sequence of one direction obeys, said link by link."""
    links = [(t, s - 1) if direction == 0 else (s - 1, t) for t, s in enumerate(labels) if s]
    linked = (constraints.linked_source, constraints.linked_target)[direction]
    anchored = {link[direction] for link in constraints.anchors}
    return (
        not set(links) & set(constraints.forbidden)
        and not {i for i, _ in links} & set(constraints.unlinked_source)
        and not {j for _, j in links} & set(constraints.unlinked_target)
        and all(labels[t] for t in linked)
        and all(any(link[direction] == t for link in links) for t in anchored)
        and all(link in constraints.anchors for link in links if link[direction] in anchored)
    )


def all_blocks(n_source: int, n_target: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield every run of source tokens with every run of target tokens."""
    for source in itertools.combinations(range(n_source + 1), 2):
        for target in itertools.combinations(range(n_target + 1), 2):
            yield (*source, *target)


def keeps(labels: tuple[int, ...], block: tuple[int, int, int, int], direction: int) -> bool:
    """Tell whether a label sequence of one direction links a block's tokens within it."""
    own, others = (block[:2], block[2:]) if direction == 0 else (block[2:], block[:2])
    return all(labels[t] - 1 in range(*others) for t in range(*own))


class Seen(NamedTuple):
    posteriors: tuple[np.ndarray, np.ndarray]
    labels: tuple[np.ndarray, np.ndarray]
    emissions: tuple[np.ndarray, np.ndarray]  # feature by feature, without constraints
    probabilities: np.ndarray  # of all blocks


def look(decoded: DecodedPair) -> Seen:
    """Return all that there is to know of a decoded pair."""
    n_source, n_target = len(decoded.source), len(decoded.target)
    blocks = list(all_blocks(n_source, n_target)) if n_source < 9 else []
    return Seen(
        (decoded.s2t_posterior, decoded.t2s_posterior),
        decoded.labels(),
        (emissions(decoded, 0), emissions(decoded, 1)),
        np.array([decoded.block_probability(*block) for block in blocks]),
    )


def emissions(decoded: DecodedPair, direction: int) -> np.ndarray:
    """Return the scores of every label, feature by feature."""
    found = np.empty_like((decoded.s2t_posterior, decoded.t2s_posterior)[direction])
    for t, s in np.ndindex(*found.shape):
        _, values, weights = decoded.features(*((t, s - 1) if direction == 0 else (s - 1, t)))
        found[t, s] = (values.astype(float) * weights[:, direction]).sum()
    return found


@given(pairs())
def test_each_direction_is_that_of_the_sequences_that_obey(shared, case) -> None:
    source, target, constraints = case
    ((one, other),) = shared.aligner._engine.annotate_pairs([(source, target)])
    try:
        constraints.check(len(one), len(other))
    except InputError:
        with pytest.raises(InputError):
            ask(shared.decoder, one, other, look, constraints=constraints)
        return
    seen = ask(shared.decoder, one, other, look, constraints=constraints)
    blocks = list(all_blocks(len(one), len(other)))
    for direction, (posterior, states) in enumerate(zip(seen.posteriors, seen.labels, strict=True)):
        emission = seen.emissions[direction]
        weights = shared.transitions[direction]
        scores = {
            labels: reference.path_score(emission, weights, labels)
            for labels in itertools.product(range(emission.shape[1]), repeat=len(emission))
            if permits(constraints, labels, direction)
        }
        best = max(scores.values())
        assert scores[tuple(states.tolist())] == pytest.approx(best, abs=1e-3)
        total = sum(math.exp(score - best) for score in scores.values())
        shares = {labels: math.exp(score - best) / total for labels, score in scores.items()}
        expected = np.zeros_like(emission)
        for labels, share in shares.items():
            expected[np.arange(len(labels)), labels] += share
        np.testing.assert_allclose(posterior, expected, atol=1e-4)
        for block, probability in zip(blocks, seen.probabilities[:, direction], strict=True):
            within = [share for labels, share in shares.items() if keeps(labels, block, direction)]
            assert probability == pytest.approx(sum(within), abs=1e-4)


@given(pairs(), st.sampled_from(list(Symmetrization)))
def test_what_is_combined_obeys_too(shared, case, symmetrization) -> None:
    source, target, constraints = case
    ((one, other),) = shared.aligner._engine.annotate_pairs([(source, target)])
    try:
        constraints.check(len(one), len(other))
    except InputError:
        return
    outcome = next(
        shared.aligner.pipe(
            [(one, other, constraints)],
            symmetrization=symmetrization,
            posteriors=True,
            min_confidence=0.5,
        )
    )
    links = {(link.source, link.target): link.confidence for link in outcome.links}
    assert set(constraints.anchors) <= set(links)
    assert all(links[each] == 1.0 for each in constraints.anchors)
    assert not set(constraints.forbidden) & set(links)
    for side, place in (("source", 0), ("target", 1)):
        touched = {link[place] for link in links}
        assert set(getattr(constraints, f"linked_{side}")) <= touched
        assert not set(getattr(constraints, f"unlinked_{side}")) & touched
    for (i, j), confidence in links.items():
        assert outcome.posteriors[i, j] == pytest.approx(confidence, abs=1e-6)
    for i, j in constraints.forbidden:
        assert outcome.posteriors[i, j] == 0.0


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_no_constraints_change_nothing(shared, source) -> None:
    plain, constrained = shared.aligner.pipe(
        [(source, list(WORDS)), (source, list(WORDS), Constraints())]
    )
    assert plain == constrained


@pytest.mark.parametrize("n_tokens", [60, 130])
def test_long_sentences_keep_an_anchor_far_from_the_diagonal(shared, n_tokens) -> None:
    # Beyond some length the jumps are summed up by windows.
    tokens = [f"{word}{k}" for k in range(n_tokens // 2) for word in ("dog", "cat")]
    ((one, other),) = shared.aligner._engine.annotate_pairs([(tokens, tokens)])
    far = (1, len(tokens) - 1)
    seen = ask(shared.decoder, one, other, look, constraints=Constraints(anchors=[far]))
    s2t, t2s = seen.posteriors
    assert s2t[far[0], far[1] + 1] == pytest.approx(1.0) == t2s[far[1], far[0] + 1]
    np.testing.assert_allclose(s2t.sum(axis=1), 1.0)
    for direction, posterior in enumerate(seen.posteriors):
        emission = seen.emissions[direction]
        token, label = far if direction == 0 else far[::-1]
        kept = emission[token, label + 1]
        emission[token] = -np.inf
        emission[token, label + 1] = kept
        expected, _, _ = reference.forward_backward(emission, shared.transitions[direction])
        np.testing.assert_allclose(posterior, expected, atol=1e-4)
