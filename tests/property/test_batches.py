"""Batches in columns against the same pairs one by one, and threads against one."""

import copy
import dataclasses
import pickle
import random
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import decisions as reference
from reference.pair import ReferencePair
from support.decoding import ask
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.decoding.backend import AT_ONCE
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.decoder import Decoder, maximal_blocks
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.word_lists import WH_WORDS, token_weight
from tokalign.errors import InputError, ModelError, ShapeError
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import Lexicons
from tokalign.files.shipped import DATA_DIR
from tokalign.model.file import load_model
from tokalign.types import Alignment, AnnotatedPair, Link, Sentence
from tokalign.types.columns import CONFLICT, AlignmentColumns, columns_of
from tokalign.types.constraints import Constraints
from tokalign.types.options import AlignOptions, Symmetrization
from tokalign.types.relations import Conflict, ConflictKind, ConflictReason

from lab.kernels.doors import choice_inputs_of, style_number

ALIGNER = Aligner.load()
MODEL = load_model(DATA_DIR / "en.tokalign")
DECODER = Decoder(MODEL, Lexicons.for_groups(MODEL.table.groups))
LEXICONS = Lexicons.for_groups(MODEL.table.groups)
DECODER_INPUTS = Extractor(
    LEXICONS.wordnet, MODEL.table.base, LEXICONS.vectors, LEXICONS.paraphrases, LEXICONS.frequencies
)
SENTENCES = ALIGNER.annotate(
    [side for pair in sample_pairs()[:40] for side in (pair.source.tokens, pair.target.tokens)]
)
GOOD = SENTENCES[0]
BAD = [
    GOOD.replace(tags=None),
    GOOD.replace(lemmas=None),
    GOOD.replace(lemmas=("x",)),
    GOOD.replace(heads=(-1,) * len(GOOD)),
    GOOD.replace(heads=(len(GOOD),) * len(GOOD), relations=("x",) * len(GOOD)),
    Sentence("", (), (), (), (), ()),
    Sentence.from_tokens(["\udc80"], tags=["NN"], lemmas=["x"]),
]
TREES = [
    each.replace(heads=(-1, *range(len(each) - 1)), relations=("dep",) * len(each))
    for each in SENTENCES[:4]
]
sentences = st.sampled_from([*SENTENCES, *BAD, *TREES])


def asks(sentence: Sentence) -> bool:
    first, last = (*sentence.tokens, "")[0], ("", *sentence.tokens)[-1]
    begins = first.lower() in WH_WORDS and last[-1:].isalnum()
    return last != "." and ("?" in sentence.tokens[-2:] or begins)


def by_steps(pair: AnnotatedPair, options: AlignOptions) -> dict[str, object]:
    """Return what a pair gives by the posteriors and labels of its own; the slow twin.

    The longer sentence is read first, or the one whose words sort first.
    """
    source, target, *more = pair
    if (-len(source), source.tokens) <= (-len(target), target.tokens):
        found = as_it_stands(pair, options)
        return found | {"target_covered": found["covered_sides"][1]}
    found = as_it_stands(
        (target, source, *(each.turned() for each in more)),
        dataclasses.replace(options, symmetrization=options.symmetrization.turned),
    )
    links = sorted((j, i) for i, j in found["links"])
    return found | {
        "links": {(i, j): found["links"][j, i] for i, j in links},
        "target_covered": found["covered_sides"][0],
        "posteriors": found["posteriors"].T,
        "phrases": maximal_blocks(links),
    }


def as_it_stands(pair: AnnotatedPair, options: AlignOptions) -> dict[str, Any]:
    """Return what a pair gives that is read source first."""
    source, target, *more = pair
    constraints = more[0] if more else Constraints()
    names = [style["name"] for style in ALIGNER.header.styles]
    if options.style in names:
        number = names.index(options.style)
    elif asks(source) or asks(target):
        number = names.index("questions")
    else:
        weights = [each["choice"] for each in ALIGNER.header.styles]
        number = style_number(weights, choice_inputs_of(DECODER_INPUTS, source, target).tolist())
    style = ALIGNER.header.styles[number]
    s2t, t2s, labels = ask(
        DECODER,
        source,
        target,
        lambda each: (each.s2t_posterior, each.t2s_posterior, each.labels()),
        style=number,
        constraints=constraints if more else None,
    )
    unlike = np.array(
        [[one.lower() != other.lower() for other in target.tokens] for one in source.tokens]
    )
    idf = Frequencies.open_shipped().idf
    weights = [
        np.array(
            [token_weight(*row[:2], idf(row[2].lower())) for row in zip(*columns, strict=True)]
        )
        for columns in ((side.tokens, side.tags, side.lemmas) for side in (source, target))
    ]
    links = reference.links(s2t, t2s, labels, style, options, constraints, unlike)
    return {
        "style": names[number],
        "links": links,
        "covered_sides": (
            reference.score(t2s, s2t, reference.content_weights(source)),
            reference.score(s2t, t2s, reference.content_weights(target)),
        ),
        "covered": reference.share_of_both(s2t, t2s, *weights, strengths(source, target)),
        "posteriors": reference.confidences(
            s2t, t2s, style, options.symmetrization, constraints, unlike
        ),
        "phrases": maximal_blocks(links),
    }


def strengths(source: Sentence, target: Sentence) -> NDArray[np.float64]:
    pair = ReferencePair(
        source, target, LEXICONS.wordnet, LEXICONS.vectors, LEXICONS.paraphrases, has_rules=True
    )
    return np.array([[pair.V(i, j) for j in range(len(target))] for i in range(len(source))])


def check(alignment: Alignment, expected: dict[str, object]) -> None:
    links = {(link.source, link.target): link.confidence for link in alignment.links}
    assert alignment.style == expected["style"]
    assert list(links) == list(expected["links"])
    assert links == pytest.approx(expected["links"], abs=1e-6)
    assert alignment.target_covered == pytest.approx(expected["target_covered"], abs=1e-6)
    assert alignment.covered == pytest.approx(expected["covered"], abs=1e-6)
    if alignment.posteriors is not None:
        np.testing.assert_allclose(alignment.posteriors, expected["posteriors"], atol=1e-6)
    if alignment.phrases:
        blocks = [dataclasses.astuple(each)[:4] for each in alignment.phrases]
        assert tuple(blocks) == expected["phrases"]
    explained = {(each.source, each.target) for each in alignment.explanations}
    assert not explained or explained == set(links)


def told(outcomes: Sequence[Alignment | Exception]) -> list[object]:
    """Return outcomes such that equal ones compare equal."""
    return [
        (type(each), str(each), getattr(each, "field", None))
        if isinstance(each, Exception)
        else each
        for each in outcomes
    ]


@st.composite
def constrained(draw: st.DrawFn) -> tuple[Sentence, ...]:
    """A good pair, often with constraints that it can obey."""
    source, target = draw(st.sampled_from(SENTENCES[:12])), draw(st.sampled_from(SENTENCES[:12]))
    if draw(st.booleans()):
        return source, target
    i, j = draw(st.integers(0, len(source) - 1)), draw(st.integers(0, len(target) - 1))
    kinds = {
        "anchors": [(i, j)],
        "forbidden": [(k, k) for k in range(min(len(source), len(target))) if k not in (i, j)],
        "linked_target": [j],
        "unlinked_source": [k for k in range(len(source)) if k != i][:1],
    }
    chosen = draw(st.sets(st.sampled_from(sorted(kinds)), min_size=1))
    return source, target, Constraints(**{name: kinds[name] for name in chosen})


@settings(max_examples=150)
@given(
    st.lists(constrained(), min_size=1, max_size=4),
    st.builds(
        AlignOptions,
        style=st.sampled_from(["", "auto", *(style["name"] for style in ALIGNER.header.styles)]),
        symmetrization=st.sampled_from(list(Symmetrization)),
        min_confidence=st.sampled_from([0.0, 0.5, 0.9]),
        posteriors=st.booleans(),
        phrases=st.booleans(),
        explain=st.booleans(),
    ),
)
def test_a_batch_is_what_each_pair_gives_step_by_step(pairs, options) -> None:
    for pair, alignment in zip(pairs, ALIGNER._engine.align_annotated(pairs, options), strict=True):
        check(alignment, by_steps(pair, options))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(sentences, sentences), max_size=8),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
)
def test_a_bad_pair_costs_the_others_of_its_batch_nothing(pairs, min_confidence) -> None:
    options = AlignOptions(min_confidence=min_confidence)
    batch = list(ALIGNER._engine.align_annotated(pairs, options))
    alone = [next(ALIGNER._engine.align_annotated([pair], options)) for pair in pairs]
    assert told(batch) == told(alone)


def test_a_batch_larger_than_what_is_decided_at_once() -> None:
    pairs = [(SENTENCES[k % 30], SENTENCES[k % 31]) for k in range(2 * AT_ONCE + 3)]
    batch = list(ALIGNER._engine.align_annotated(pairs, AlignOptions()))
    assert batch == [ALIGNER.align(*pair) for pair in pairs]
    assert len({id(each.viewed()[0]) for each in batch}) == 3


def test_pipe_and_align_give_the_same() -> None:
    pairs = [(pair.source.text, pair.target.text) for pair in sample_pairs()[:30]]
    alone = [ALIGNER.align(*pair) for pair in pairs]
    for batch_size in (1, 7, 64):
        assert list(ALIGNER.pipe(pairs, batch_size=batch_size)) == alone


def test_sentences_that_are_views_give_what_equal_ones_do() -> None:
    for source, target in zip(SENTENCES[::2], SENTENCES[1::2], strict=True):
        assert source.viewed() is not None
        assert ALIGNER.align(source.replace(), target.replace()) == ALIGNER.align(source, target)


def test_words_that_are_forgotten_between_batches_change_nothing() -> None:
    pairs = list(zip(SENTENCES[::2], SENTENCES[1::2], strict=True))
    before = list(ALIGNER._engine.align_annotated(pairs, AlignOptions()))
    ALIGNER._engine.backend._decoder.forget()
    assert list(ALIGNER._engine.align_annotated(pairs, AlignOptions())) == before


def test_weights_that_leave_no_posteriors_fail_their_pairs_alone() -> None:
    model = load_model(DATA_DIR / "en.tokalign")
    drawn = np.random.default_rng(0)
    weights, transitions = (
        1e6 * drawn.standard_normal(each.shape).astype(each.dtype) for each in model.summed()
    )
    huge = SimpleNamespace(
        header=model.header, table=model.table, summed=lambda: (weights, transitions)
    )
    backend = ModelBackend(huge, Lexicons.for_groups(model.table.groups))
    alike = (GOOD, GOOD)
    decided = backend.decide([(alike, None)] * 2, AlignOptions())
    assert sorted(decided.errors) == [0, 1]
    assert all("too large" in str(error) for error in decided.errors.values())
    assert {type(error) for error in decided.errors.values()} == {ModelError}
    assert decided.columns.offsets.tolist() == [0, 0, 0]


# ---- views -----------------------------------------------------------------------------------


def made_and_view() -> tuple[Alignment, Alignment]:
    """Return an alignment made by its constructor, and a view that equals it, untouched."""
    columns = AlignmentColumns(
        sources=[GOOD, SENTENCES[1]],
        targets=[GOOD, SENTENCES[2]],
        offsets=np.array([0, 1, 3]),
        source=np.array([0, 0, 2], dtype=np.int32),
        target=np.array([1, 1, 0], dtype=np.int32),
        confidence=np.array([1.0, 0.25, 0.5]),
        score=np.array([0.0, 0.5]),
        aligned_similarity=np.array([0.0, 0.75]),
        target_covered=np.array([0.0, 0.5]),
        covered=np.array([0.0, 1.0]),
        agreement=np.array([1.0, 0.25]),
        conflict_offsets=np.array([0, 0, 1]),
        conflicts=np.array([(2, 7, 0, 1, 0, 2, 1, 2, 0.75)], dtype=CONFLICT),
        model="m",
        version="1",
        symmetrization=Symmetrization.JOINT,
    )
    links = (Link(0, 1, 0.25), Link(2, 0, 0.5))
    made = Alignment(
        SENTENCES[1], SENTENCES[2], links, 0.5, 0.75, "m", "1", Symmetrization.JOINT,
        target_covered=0.5, covered=1.0, agreement=0.25,
        conflicts=(
            Conflict(ConflictKind.NEGATION, 0, 1, 0.75, (0, 2), (1, 2), ConflictReason.DENIED),
        ),
    )  # fmt: skip
    return made, columns.alignment(1)


@pytest.mark.parametrize(
    "use",
    [
        repr,
        hash,
        Alignment.to_pharaoh,
        copy.copy,
        copy.deepcopy,
        lambda each: pickle.loads(pickle.dumps(each)),
        lambda each: [type(link.source) for link in each.links],
        lambda each: (type(each.score), type(each.similarity)),
    ],
)
def test_a_view_is_used_as_what_it_equals(use) -> None:
    made, view = made_and_view()
    assert use(view) == use(made)
    made, view = made_and_view()
    assert view == made
    assert view.viewed()[0].alignment(0) != made


def test_a_view_has_no_other_attributes_and_cannot_be_changed() -> None:
    for each in made_and_view():
        with pytest.raises(AttributeError, match="'Alignment' object has no attribute 'colour'"):
            _ = each.colour
        with pytest.raises(AttributeError):
            each.score = 1.0


def test_columns_are_found_where_there_are_some() -> None:
    made, view = made_and_view()
    columns, number = columns_of(view)
    assert columns.source[columns.offsets[number] :].tolist() == [0, 2]
    own, first = columns_of(made)
    assert (first, own.alignment(0)) == (0, made)
    first, second = ALIGNER.pipe([("a dog", "dogs"), ("a cat", "cats")])
    assert columns_of(first) == (columns_of(second)[0], 0)
    assert len(columns_of(second)[0]) == 2


# ---- threads ---------------------------------------------------------------------------------


def test_threads_that_share_an_aligner_get_what_one_gets() -> None:
    pairs = [(pair.source.text, pair.target.text) for pair in sample_pairs()[:24]]
    plans = [
        {},
        {"batch_size": 3},
        {"batch_size": 5, "symmetrization": "union", "explain": True},
        {"batch_size": 1, "min_confidence": 0.5},
    ]
    alone = [list(ALIGNER.pipe(pairs, **plan)) for plan in plans]
    shared = Aligner.load()
    start = threading.Barrier(len(plans))
    found: dict[int, list[list[Alignment]]] = {}

    def work(number: int) -> None:
        mine = random.Random(number).sample(range(len(pairs)), len(pairs))
        start.wait(60)
        runs = []
        for _ in range(4):
            aligned = shared.pipe([pairs[k] for k in mine], **plans[number])
            run = dict(zip(mine, aligned, strict=True))
            runs.append([run[k] for k in range(len(pairs))])
        found[number] = runs

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(plans))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert found == {number: [each] * 4 for number, each in enumerate(alone)}


def test_errors_of_a_batch_are_those_of_its_sides() -> None:
    outcomes = list(
        ALIGNER._engine.align_annotated(
            [(GOOD, BAD[0]), (BAD[2], GOOD), (GOOD, GOOD)], AlignOptions()
        )
    )
    assert [type(each) for each in outcomes] == [InputError, ShapeError, Alignment]
    assert [each.field for each in outcomes[:2]] == ["target", "source.lemmas"]
    with pytest.raises(InputError, match="target has no tags"):
        unwrap(outcomes[0])
