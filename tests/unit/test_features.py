"""Feature rows of small pairs that can be checked by eye."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from reference import crf as reference
from support.decoding import ask, posteriors
from tokalign.crf.objective import N_TRANSITIONS
from tokalign.decoding.decoder import DecodedPair, Decoder
from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.errors import InputError, ModelError, ResourceError, ShapeError
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.features.templates import GROUP_NAMES, NEEDS
from tokalign.types import Sentence

TABLE = FeatureTable(set(GROUP_NAMES) - NEEDS.keys() - {"neural"})
EXTRACTOR = Extractor(WordNet.open_shipped(), TABLE.base)


def sentence(*words: str) -> Sentence:
    """Words as form/tag, with the form as lemma."""
    forms, tags = zip(*(word.split("/") for word in words), strict=True)
    return Sentence.from_tokens(forms, tags=tags, lemmas=[form.lower() for form in forms])


@pytest.mark.parametrize("group", NEEDS)
def test_a_group_without_its_table_is_refused(group: str) -> None:
    with pytest.raises(ResourceError, match=f"the feature group {group} needs a table"):
        Extractor(WordNet.open_shipped(), FeatureTable([group]).base)


def row(source: Sentence, target: Sentence, i: int, j: int) -> dict[str, float]:
    start, slot, value = EXTRACTOR.rows(source, target)
    cell = i * len(target) + j
    span = slice(start[cell], start[cell + 1])
    return dict(zip(map(TABLE.name, slot[span].tolist()), value[span].tolist(), strict=True))


def test_words_of_one_stem_count_as_the_same() -> None:
    features = row(sentence("nations/NNS"), sentence("nation/NN"), 0, 0)
    assert "lexical_class[stem content-content noun-noun]" in features
    assert "position_bin[<0.02 same]" in features


def test_a_gap_that_equals_an_edge_is_above_it() -> None:
    # the stem's strength 0.9 minus the stem prefix's 0.7 is 0.2, though not in float32
    features = row(sentence("nations/NNS"), sentence("nation/NN", "nationwide/JJ"), 0, 1)
    assert "lexical_class[stem-prefix content-content noun-adjective]" in features
    assert "row_gap[0.2..0.5 content-content related]" in features


def test_a_column_of_the_wrong_length_is_refused() -> None:
    good = sentence("dogs/NNS", "bark/VBP")
    tree = {"heads": (1, -1), "relations": ("nsubj", "root")}
    for column in ("tags", "lemmas", "heads", "relations"):
        bad = good.replace(**(tree | {column: ("x",)}))
        with pytest.raises(ShapeError, match=rf"target has 1 {column} for 2 tokens") as caught:
            EXTRACTOR.rows(good, bad)
        assert caught.value.field == f"target.{column}"


@pytest.mark.parametrize("head", [2, 10**6, -2])
def test_a_head_outside_the_sentence_is_refused(head: int) -> None:
    bad = sentence("dogs/NNS", "bark/VBP").replace(heads=(head, -1), relations=("nsubj", "root"))
    with pytest.raises(InputError, match=r"source has a head outside -1\.\.1"):
        EXTRACTOR.rows(bad, bad)


@pytest.mark.parametrize("column", ["heads", "relations"])
def test_half_a_tree_is_refused(column: str) -> None:
    bad = sentence("dogs/NNS").replace(**{column: (-1,)})
    with pytest.raises(InputError, match="both heads and relations, or neither"):
        EXTRACTOR.rows(bad, bad)


def test_empty_and_bare_sentences_are_refused() -> None:
    good = sentence("dogs/NNS")
    with pytest.raises(InputError, match="no tokens") as caught:
        EXTRACTOR.rows(good, Sentence.from_tokens([]))
    assert caught.value.field == "target"
    with pytest.raises(InputError, match="source has no tags; annotate it first"):
        EXTRACTOR.rows(Sentence.from_tokens(["dogs"]), good)
    with pytest.raises(InputError, match="source has no lemmas"):
        EXTRACTOR.rows(Sentence.from_tokens(["dogs"], tags=["NNS"]), good)


def test_a_decoded_pair_answers_while_it_is_held_and_says_when_it_is_not() -> None:
    one = decoder()
    kept = ask(one, sentence("dogs/NNS", "bark/VBP"), sentence("dog/NN"), lambda pair: pair)
    for question in (kept.labels, lambda: kept.features(0, 0)):
        with pytest.raises(RuntimeError, match="another pair was decoded since"):
            question()


def test_a_pair_that_fails_leaves_the_others_as_they_are() -> None:
    one = decoder()
    pair = sentence("dogs/NNS"), sentence("dog/NN")
    before = [each.tolist() for each in ask(one, *pair, lambda each: each.features(0, 0))]
    with pytest.raises(InputError, match="not valid Unicode"):
        ask(one, sentence("dogs/NNS"), sentence("a/DT", "\udc80/NN"), lambda each: None)
    after = [each.tolist() for each in ask(one, *pair, lambda each: each.features(0, 0))]
    assert after == before


def test_a_decoded_pair_is_made_by_a_batch_alone() -> None:
    with pytest.raises(TypeError, match="made by decide_batch"):
        DecodedPair()


def test_relations_are_told_apart_however_many_labels_came_before() -> None:
    words = [f"word{k}/NN" for k in range(500)]
    trees = {
        side: sentence(*words).replace(
            heads=(-1, *range(499)), relations=tuple(f"{side}{k}" for k in range(500))
        )
        for side in "abcd"
    }
    EXTRACTOR.rows(trees["a"], sentence("x/NN"))
    EXTRACTOR.rows(trees["b"], sentence("x/NN"))
    EXTRACTOR.rows(trees["c"], sentence("x/NN"))
    same, other = (
        sentence("dogs/NNS").replace(heads=(-1,), relations=(label,)) for label in ("e", "a0")
    )
    assert "head[both-roots same-relation content-content same]" in row(same, same, 0, 0)
    assert "head[both-roots same-group content-content same]" in row(same, other, 0, 0)


def decoder(scale: float = 1.0) -> Decoder:
    rng = np.random.default_rng(0)
    weights = (scale * rng.normal(size=(TABLE.n_slots, 2))).astype(np.float32)
    return decoder_of(weights, scale * rng.normal(size=(2, N_TRANSITIONS)))


def decoder_of(weights, transitions) -> Decoder:
    model = SimpleNamespace(table=TABLE, summed=lambda: (weights[None], transitions[None]))
    return Decoder(model, Lexicons.for_groups(()))


def test_decoding_equals_the_twins() -> None:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(TABLE.n_slots, 2)).astype(np.float32)
    transitions = rng.normal(size=(2, N_TRANSITIONS))
    source = sentence("The/DT", "dogs/NNS", "barked/VBD", "./.")
    target = sentence("A/DT", "dog/NN", "is/VBZ", "barking/VBG", "loudly/RB")
    n_source, n_target = len(source), len(target)
    start, slot, value = EXTRACTOR.rows(source, target)
    scores = np.array([value[a:b] @ weights[slot[a:b]] for a, b in itertools.pairwise(start)])
    cells, nulls = (
        scores[: n_source * n_target].reshape(n_source, n_target, 2),
        scores[-n_source - n_target :],
    )
    s2t = np.hstack([nulls[:n_source, :1], cells[:, :, 0]])
    t2s = np.hstack([nulls[n_source:, 1:], cells[:, :, 1].T])
    one = decoder_of(weights, transitions)
    s2t_states, t2s_states = ask(one, source, target, lambda pair: pair.labels())
    s2t_posterior, t2s_posterior = posteriors(one, source, target)
    for emission_ts, weights_of, states, posterior in (
        (s2t, transitions[0], s2t_states, s2t_posterior),
        (t2s, transitions[1], t2s_states, t2s_posterior),
    ):
        np.testing.assert_array_equal(states, reference.decode(emission_ts, weights_of)[0])
        expected = reference.forward_backward(emission_ts, weights_of)[0]
        np.testing.assert_allclose(posterior, expected, atol=1e-5)


def test_features_of_a_link_are_its_row() -> None:
    source, target = sentence("dogs/NNS", "bark/VBP"), sentence("dog/NN")
    links = [(0, 0), (1, 0), (0, -1), (1, -1), (-1, 0)]
    features = ask(decoder(), source, target, lambda pair: [pair.features(*link) for link in links])
    start, slot, value = EXTRACTOR.rows(source, target)
    for number, found in enumerate(features):
        span = slice(start[number], start[number + 1])
        np.testing.assert_array_equal(found[0], slot[span])
        np.testing.assert_array_equal(found[1], value[span])


def test_features_of_no_link_are_refused() -> None:
    pair = sentence("dogs/NNS"), sentence("dog/NN", "x/NN")
    for link in ((-1, -1), (1, 0), (0, 2), (-2, 0)):
        with pytest.raises(InputError, match="in a pair of 1 and 2 tokens"):
            ask(decoder(), *pair, lambda each, link=link: each.features(*link))


def test_weights_that_leave_no_posteriors_are_reported() -> None:
    words = [f"{word}/{tag}" for word in ("dogs", "x", "1", ",") for tag in ("NN", "VB", "DT")]
    with pytest.raises(ModelError, match="too large"):
        posteriors(decoder(scale=1e6), sentence(*words), sentence(*words[::-1]))


@pytest.mark.parametrize(
    ("weights", "transitions", "message"),
    [
        (np.zeros((5, 3)), np.zeros((2, 34)), r"weights have shape \(1, 5, 3\)"),
        (np.zeros(5), np.zeros((2, 34)), r"wanted \(n_styles, n_slots, 2\)"),
        (np.zeros((TABLE.n_slots, 2)), np.zeros((2, 33)), r"transitions have shape \(1, 2, 33\)"),
        (np.zeros((5, 2)), np.zeros((2, 34)), "weights have 5 rows"),
    ],
)
def test_weights_of_the_wrong_shape_are_refused(weights, transitions, message) -> None:
    with pytest.raises(ShapeError, match=message):
        decoder_of(weights, transitions)


def test_what_is_remembered_of_words_is_bounded_by_bytes() -> None:
    extractor = Extractor(WordNet.open_shipped(), TABLE.base)
    lexemes = extractor.lexemes
    short = Sentence.from_tokens(["a"], tags=["DT"], lemmas=["a"])
    extractor.rows(short, short)
    of_a_word = lexemes.n_bytes
    assert 1_000 < of_a_word < 4_000
    most = 0
    for number in range(200):
        words = [f"{number}-{index}" + "x" * 9_000 for index in range(8)]
        long = Sentence.from_tokens(words, tags=["NN"] * 8, lemmas=words)
        extractor.rows(long, short)
        most = max(most, lexemes.n_bytes)
    assert len(lexemes) < 8 * 200
    assert most < (128 << 20) + 8 * 300_000
    extractor.forget()
    assert lexemes.n_bytes == 0


def test_relations_are_told_apart_by_64_characters() -> None:
    extractor = Extractor(WordNet.open_shipped(), TABLE.base)

    def tree(label: str) -> Sentence:
        return Sentence.from_tokens(
            ["a", "b"],
            tags=["NN", "NN"],
            lemmas=["a", "b"],
            heads=[-1, 0],
            relations=["root", label],
        )

    def rows(source: str, target: str) -> list[float]:
        return [part.tolist() for part in extractor.rows(tree(source), tree(target))]

    assert rows("x" * 64 + "1", "x" * 64 + "2") == rows("x" * 64, "x" * 64)
    assert rows("x" * 63 + "1", "x" * 63 + "2") == rows("y", "z")
