"""`Aligner.pipe`: processes, items that are no pairs, errors that name pair and side, contexts."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tokalign import Aligner, Alignment, AlignOptions, InputError, LimitError, Sentence
from tokalign.english.annotate import load_annotator
from tokalign.errors import WorkerError
from tokalign.model import load_model

DOGS = ("Dogs bark.", "The dogs bark.")
BAD = [
    (None, "pair"),
    ("Dogs bark.", "pair"),
    (("a", "b", "c"), "constraints"),
    ((None, "b"), "source"),
    (("a", 2.5), "target"),
    ((b"a", "b"), "source"),
    (("a", ["b", 3]), "target"),
    (({"text": "a"}, "b"), "source"),
    (("a", " "), "target"),
]


@pytest.mark.parametrize("n_process", [2, -1])
def test_processes_give_the_same_in_order(aligner, gold, n_process) -> None:
    pairs = [(pair.source.text, pair.target.tokens) for pair in gold]
    pairs[5] = (None, "b")
    pairs[11] = ("", "b")
    for options in ({}, {"symmetrization": "union", "explain": True, "posteriors": True}):
        plain = list(aligner.pipe(pairs, batch_size=4, errors="return", **options))
        there = list(
            aligner.pipe(pairs, batch_size=4, n_process=n_process, errors="return", **options)
        )
        assert [str(each) for each in there] == [str(each) for each in plain]
        assert [type(each) for each in there] == [type(each) for each in plain]
        assert [each.field for each in there if isinstance(each, InputError)] == [
            "source",
            "source",
        ]


class DyingAligner(Aligner):
    """Ends its process where a source says so; once only where a file is named."""

    def _outcomes(self, pairs, options):
        for source, target in pairs:
            if source == "die" or (source == "die once" and not Path(target).exists()):
                if source == "die once":
                    Path(target).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return super()._outcomes(pairs, options)


def test_a_process_that_dies_costs_at_most_the_pair_it_dies_on(small_model, tmp_path) -> None:
    aligner = DyingAligner.load(small_model)
    pairs = [DOGS] * 12
    pairs[2] = ("die once", str(tmp_path / "died"))
    pairs[7] = ("die", "b")
    outcomes = list(aligner.pipe(pairs, batch_size=4, n_process=2, errors="return"))
    assert (tmp_path / "died").exists()
    assert [isinstance(each, WorkerError) for each in outcomes] == [k == 7 for k in range(12)]
    assert {each.to_pharaoh() for k, each in enumerate(outcomes) if k not in (2, 7)} == {
        aligner.align(*DOGS).to_pharaoh()
    }
    with pytest.raises(WorkerError, match=r"^pair 1 \(from 0\): two worker processes"):
        list(aligner.pipe([DOGS, ("die", "b")], batch_size=1, n_process=2))


@pytest.mark.parametrize(("bad", "where"), BAD)
def test_an_error_names_pair_and_side(aligner, bad, where) -> None:
    pairs = [DOGS] * 7
    pairs[5] = bad
    outcomes = list(aligner.pipe(pairs, batch_size=3, errors="return"))
    assert [isinstance(each, InputError) for each in outcomes] == [k == 5 for k in range(7)]
    assert outcomes[5].field == ("" if where == "pair" else where)
    start = r"^pair 5 \(from 0\)" + ("" if where == "pair" else f", {where}") + ": "
    with pytest.raises(InputError, match=start) as caught:
        list(aligner.pipe(pairs, batch_size=3))
    assert caught.value.field == outcomes[5].field


def test_a_limit_keeps_its_class_when_it_is_named(aligner) -> None:
    with pytest.raises(LimitError, match=r"^pair 1 \(from 0\), target: a sentence has 600 tokens"):
        list(aligner.pipe([DOGS, ("a", "b " * 600)]))


@pytest.mark.parametrize("n_process", [1, 2])
def test_contexts_stay_with_their_pairs(aligner, n_process) -> None:
    pairs = [(DOGS, {"id": 1}), (("a", ""), {"id": 2}), (DOGS, {"id": 3})]
    found = list(
        aligner.pipe(pairs, batch_size=2, n_process=n_process, errors="return", as_tuples=True)
    )
    assert [context["id"] for _, context in found] == [1, 2, 3]
    assert [type(outcome) for outcome, _ in found] == [Alignment, InputError, Alignment]


@pytest.mark.parametrize("n_process", [0, -2])
def test_numbers_of_processes_that_make_no_sense(aligner, n_process) -> None:
    with pytest.raises(InputError, match="n_process is"):
        list(aligner.pipe([DOGS], n_process=n_process))


def test_an_aligner_that_does_not_pickle_says_so_before_any_process(small_model) -> None:
    aligner = Aligner(load_model(small_model), load_annotator("native"))
    with pytest.raises(TypeError, match="an Aligner pickles only if"):
        list(aligner.pipe([DOGS], n_process=2))


def test_a_model_that_is_gone_is_the_error(small_model, tmp_path) -> None:
    path = tmp_path / "gone.tokalign"
    path.write_bytes(small_model.read_bytes())
    aligner = Aligner.load(path)
    path.unlink()
    with pytest.raises(Exception, match="no model"):
        list(aligner.pipe([DOGS] * 3, n_process=2, batch_size=1))


def test_options_are_those_of_align(aligner) -> None:
    options = AlignOptions(posteriors=True)
    (there,) = aligner.pipe([DOGS], options, n_process=2)
    assert there.posteriors.tolist() == aligner.align(*DOGS, options).posteriors.tolist()
    assert isinstance(there.source, Sentence)
