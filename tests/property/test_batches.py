"""Batches in columns against the same pairs one by one, and threads against one."""

import copy
import pickle
import random
import threading
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.columns import AlignmentColumns, columns_of
from tokalign.decoding.results import AT_ONCE, Results
from tokalign.errors import InputError, ModelError, ShapeError
from tokalign.features.lexicons import Lexicons
from tokalign.model import load_model
from tokalign.options import AlignOptions, Symmetrization
from tokalign.outcomes import AnnotatedPair, attempt, unwrap
from tokalign.tables import DATA_DIR
from tokalign.types import Alignment, Link, Sentence

ALIGNER = Aligner.load()
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


def one_by_one(
    aligner: Aligner, pairs: Sequence[AnnotatedPair], options: AlignOptions
) -> list[Alignment | Exception]:
    """Return what each pair gives by its own posteriors; the twin of Results.columns."""
    results = aligner._results
    return [
        attempt(
            lambda pair: results.alignment(results.decode(pair, None, options.style), options),
            pair,
        )
        for pair in pairs
    ]


def told(outcomes: Sequence[Alignment | Exception]) -> list[object]:
    """Return outcomes such that equal ones compare equal."""
    return [
        (type(each), str(each), getattr(each, "field", None))
        if isinstance(each, Exception)
        else each
        for each in outcomes
    ]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(sentences, sentences), max_size=8),
    st.sampled_from([style["name"] for style in ALIGNER.header.styles]),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
)
def test_a_batch_is_its_pairs_one_by_one(pairs, style, min_confidence) -> None:
    options = AlignOptions(style=style, min_confidence=min_confidence)
    batch = list(ALIGNER.align_annotated(pairs, options))
    assert told(batch) == told(one_by_one(ALIGNER, pairs, options))


def test_a_batch_larger_than_what_is_decoded_at_once() -> None:
    pairs = [(SENTENCES[k % 30], SENTENCES[k % 31]) for k in range(2 * AT_ONCE + 3)]
    batch = list(ALIGNER.align_annotated(pairs, AlignOptions()))
    assert batch == one_by_one(ALIGNER, pairs, AlignOptions())
    assert len({id(each.viewed()[0]) for each in batch}) == 3


def test_pipe_and_align_give_the_same() -> None:
    pairs = [(pair.source.text, pair.target.text) for pair in sample_pairs()[:30]]
    alone = [ALIGNER.align(*pair) for pair in pairs]
    for batch_size in (1, 7, 64):
        assert list(ALIGNER.pipe(pairs, batch_size=batch_size)) == alone


@settings(max_examples=40)
@given(
    st.tuples(sentences, sentences),
    st.sampled_from([style["name"] for style in ALIGNER.header.styles]),
    st.sampled_from([0.0, 0.5, 0.9]),
    st.booleans(),
)
def test_a_pair_alone_is_what_its_batch_gives(pair, style, min_confidence, posteriors) -> None:
    options = AlignOptions(style=style, min_confidence=min_confidence)
    alone = attempt(lambda each: ALIGNER._results.one((each, None), options), pair)
    assert told([alone]) == told(list(ALIGNER.align_annotated([pair], options)))
    if isinstance(alone, Alignment):
        assert ALIGNER.align(*pair, options) == alone
        whole = ALIGNER.align(*pair, options, posteriors=posteriors, explain=True)
        assert (whole.links, whole.score) == (alone.links, alone.score)


def test_sentences_that_are_views_give_what_equal_ones_do() -> None:
    for source, target in zip(SENTENCES[::2], SENTENCES[1::2], strict=True):
        assert source.viewed() is not None
        assert ALIGNER.align(source.replace(), target.replace()) == ALIGNER.align(source, target)


def test_words_that_are_forgotten_between_batches_change_nothing() -> None:
    pairs = list(zip(SENTENCES[::2], SENTENCES[1::2], strict=True))
    before = list(ALIGNER.align_annotated(pairs, AlignOptions()))
    ALIGNER._results._decoder.forget()
    assert list(ALIGNER.align_annotated(pairs, AlignOptions())) == before


def test_weights_that_leave_no_posteriors_fail_their_pairs_alone() -> None:
    model = load_model(DATA_DIR / "en.tokalign")
    weights, transitions = model.summed()
    huge = SimpleNamespace(
        header=model.header,
        table=model.table,
        summed=lambda: (1e6 * weights, 1e6 * transitions),
    )
    results = Results(huge, Lexicons.for_groups(model.table.groups))
    alike = (GOOD, GOOD)
    columns, errors = results.columns([(alike, None)] * 2, AlignOptions())
    assert sorted(errors) == [0, 1]
    assert all("too large" in str(error) for error in errors.values())
    assert {type(error) for error in errors.values()} == {ModelError}
    assert columns.offsets.tolist() == [0, 0, 0]


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
        similarity=np.array([0.0, 0.75]),
        model="m",
        version="1",
        symmetrization=Symmetrization.JOINT,
    )
    links = (Link(0, 1, 0.25), Link(2, 0, 0.5))
    made = Alignment(
        SENTENCES[1], SENTENCES[2], links, 0.5, 0.75, "m", "1", Symmetrization.JOINT
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
    assert columns_of(made) is None
    assert columns_of(ALIGNER.align("a dog", "a dog", posteriors=True)) is None
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
        ALIGNER.align_annotated([(GOOD, BAD[0]), (BAD[2], GOOD), (GOOD, GOOD)], AlignOptions())
    )
    assert [type(each) for each in outcomes] == [InputError, ShapeError, Alignment]
    assert [each.field for each in outcomes[:2]] == ["target", "source.lemmas"]
    with pytest.raises(InputError, match="target has no tags"):
        unwrap(outcomes[0])
