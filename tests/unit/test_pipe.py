"""Batches of the aligner: order, laziness, bad pairs, options."""

import itertools
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.english.annotate import load_annotator
from tokalign.errors import InputError, LimitError
from tokalign.model.file import load_model
from tokalign.model.shipped import model_path
from tokalign.types.sentence import MAX_TOKENS

DOGS = ("The dogs barked all night.", "All night, the dog was barking.")


@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_pipe_gives_what_align_gives_in_order(aligner, gold, batch_size) -> None:
    pairs = [(pair.source.text, pair.target.text) for pair in gold]
    options = {"symmetrization": "grow-diag", "min_confidence": 0.3}
    piped = list(aligner.pipe(pairs, batch_size=batch_size, **options))
    assert piped == [aligner.align(*pair, **options) for pair in pairs]


def test_pipe_reads_only_a_batch_ahead(aligner) -> None:
    read = []

    def pairs() -> Iterator[tuple[str, str]]:
        for k in itertools.count():
            read.append(k)
            yield f"dog {k}", f"cat {k}"

    results = aligner.pipe(pairs(), batch_size=4)
    assert read == []
    assert next(results).source.tokens == ("dog", "0")
    assert read == [0, 1, 2, 3]
    assert [next(results).target.tokens[1] for _ in range(4)] == ["1", "2", "3", "4"]
    assert read == list(range(8))


def test_pipe_gives_the_errors_of_bad_pairs_and_names_their_sides(aligner) -> None:
    long = ["dog"] * (MAX_TOKENS + 1)
    pairs = [DOGS, ("dog", " "), (long, "dog"), DOGS, ("\udc80", "dog"), DOGS]
    good = aligner.align(*DOGS)
    outcomes = list(aligner.pipe(pairs, batch_size=4, errors="return"))
    assert [outcomes[k] for k in (0, 3, 5)] == [good] * 3
    assert [outcomes[k].field for k in (1, 2, 4)] == ["target", "source", "source"]
    assert [type(outcomes[k]) for k in (1, 2, 4)] == [InputError, LimitError, InputError]


def test_pipe_raises_the_first_error_after_the_pairs_before_it(aligner) -> None:
    alignments = aligner.pipe([DOGS, ("dog", "  "), DOGS])
    assert next(alignments) == aligner.align(*DOGS)
    with pytest.raises(InputError, match="no token") as caught:
        next(alignments)
    assert caught.value.field == "target"


def test_pipe_annotates_a_sentence_that_pairs_share_once(aligner, monkeypatch) -> None:
    annotate = aligner.annotator.annotate
    seen = []

    def counted(sentences, *, trees):
        seen.extend(sentences)
        return annotate(sentences, trees=trees)

    monkeypatch.setattr(aligner._engine, "annotator", SimpleNamespace(annotate=counted))
    pairs = [(candidate, DOGS[1]) for candidate in ("Dogs bark.", "It rains.", "Dogs bark.")]
    assert len(list(aligner.pipe(pairs))) == 3
    assert seen == ["Dogs bark.", DOGS[1], "It rains."]
    assert aligner.align(["Dogs", "bark"], ["Dogs", "bark"]).to_pharaoh() == "0-0 1-1"
    assert seen[3:] == [["Dogs", "bark"]]


class FussyEncoder:
    """Breaks on a batch, or on a pair, that holds a certain word."""

    def encode(self, pairs):
        if any("broken" in source.tokens for source, _ in pairs):
            raise self.error
        return ["read"] * len(pairs)  # the model reads nothing of it

    def cosines(self, sources, targets):
        return np.zeros(len(sources))


@pytest.mark.parametrize(("error", "is_returned"), [(InputError("x"), True), (OSError(), False)])
def test_a_pair_that_breaks_the_encoder_costs_the_others_nothing(error, is_returned) -> None:
    encoder = FussyEncoder()
    encoder.error = error
    aligner = Aligner(load_model(model_path("en")), load_annotator("native"), encoder=encoder)
    outcomes = aligner.pipe([DOGS, ("broken", "dog"), DOGS], errors="return")
    assert next(outcomes).links
    if is_returned:
        assert next(outcomes) is error
        assert next(outcomes).links
    else:
        with pytest.raises(OSError):
            next(outcomes)


def test_pipe_of_nothing(aligner) -> None:
    assert list(aligner.pipe([])) == []


def test_pipe_passes_options_on(aligner) -> None:
    (alignment,) = aligner.pipe([DOGS], posteriors=True, explain=True)
    assert alignment.posteriors is not None
    assert alignment.explanations


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size is 0; wanted at least 1"),
        ({"symmetrization": "up"}, "symmetrization is 'up'"),
        ({"errors": "ignore"}, "errors is 'ignore'; wanted raise or return"),
        ({"colour": 1}, "no option 'colour'"),
    ],
)
def test_pipe_refuses_bad_options(aligner, options, message) -> None:
    with pytest.raises(InputError, match=message):
        list(aligner.pipe([DOGS], **options))
