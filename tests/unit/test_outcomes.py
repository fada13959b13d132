"""Steps over many items: order, one bad item, and nothing done twice."""

import copyreg

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign import Aligner
from tokalign.batches.outcomes import (
    annotate_each,
    annotate_pairs,
    map_batch,
    map_each,
    try_one,
    unwrap,
)
from tokalign.errors import FormatError, InputError, renewed
from tokalign.types import Sentence

FAILED = ValueError("before")


def double(value: int) -> int:
    if value < 0:
        raise InputError(f"{value} is negative")
    return 2 * value


def double_all(values: list[int]) -> list[int]:
    return [double(value) for value in values]


def told(outcomes: list) -> list:
    return [repr(outcome) for outcome in outcomes]


def test_an_outcome_gives_its_value_or_raises() -> None:
    assert unwrap(1) == 1
    with pytest.raises(ValueError, match="before"):
        unwrap(FAILED)


def test_a_failure_passes_through_and_a_new_one_takes_its_place() -> None:
    assert try_one(double, FAILED) is FAILED
    assert told(map_each(double, [1, FAILED, -1])) == told(
        [2, FAILED, InputError("-1 is negative")]
    )


@given(st.lists(st.integers(-1, 5) | st.just(FAILED)))
def test_a_batch_is_mapped_as_its_items_alone(outcomes) -> None:
    assert told(map_batch(double_all, outcomes)) == told(map_each(double, outcomes))


def test_a_batch_without_failures_is_taken_once() -> None:
    batches = []

    def step(values):
        batches.append(values)
        return values

    assert map_batch(step, [1, FAILED, 2]) == [1, FAILED, 2]
    assert batches == [[1, 2]]
    assert map_batch(step, []) == []


def test_a_step_that_gives_too_few_results_is_not_believed() -> None:
    assert map_batch(lambda values: values[:1], [1, 2]) == [1, 2]  # alone, each gets its own
    assert [type(each) for each in map_batch(lambda values: [], [1, 2])] == [IndexError] * 2


class Annotator:
    """Splits at white space; refuses "bad" with a given error."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.seen: list = []

    def __call__(self, sentences):
        self.seen.append(list(sentences))
        if "bad" in sentences:
            raise self.error
        return [
            Sentence.from_tokens(
                each.split() if isinstance(each, str) else getattr(each, "tokens", each)
            )
            for each in sentences
        ]


def test_distinct_sentences_are_annotated_once_and_tokens_are_no_text() -> None:
    annotate = Annotator(InputError("x"))
    a, b, c, d = annotate_each(annotate, ["a b", ["a b"], "a b", ("a b",)])
    assert (a.tokens, b.tokens) == (("a", "b"), ("a b",))
    assert a is c and b is d
    assert annotate.seen == [["a b", ("a b",)]]


def test_one_sentence_of_many_pairs_is_annotated_once() -> None:
    annotate, sentence = Annotator(InputError("x")), Sentence.from_tokens("ab")
    annotate_pairs(annotate, [(sentence, "a"), (sentence, "b")])
    assert annotate.seen == [[sentence, "a", "b"]]


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (InputError("x"), ["source", "target"]),
        (InputError("x", field="tags"), ["source.tags", "target.tags"]),
        (FormatError("x", path="a", line=3), ["source", "target"]),
    ],
)
def test_a_bad_sentence_is_named_by_its_side_in_each_of_its_pairs(error, fields) -> None:
    pairs = [("bad", "a"), ("a", "a"), FAILED, ("a", "bad")]
    first, good, failed, last = annotate_pairs(Annotator(error), pairs)
    assert [first.field, last.field] == fields
    assert {type(first), type(last)} == {type(error)}
    assert str(first) == str(last) == str(error)
    assert [side.tokens for side in good] == [("a",), ("a",)]
    assert failed is FAILED
    assert error.field == fields[0].partition(".")[2]


def test_an_error_that_is_not_the_sentences_is_kept_as_it_is() -> None:
    error = RuntimeError("x")
    assert annotate_pairs(Annotator(error), [("bad", "a")]) == [error]


def test_an_error_is_made_anew_whatever_the_module_copy_does(monkeypatch):
    # As tblib does where it is installed, with Dask's distributed among others.
    monkeypatch.setitem(copyreg.dispatch_table, InputError, lambda error: (lambda: error, ()))
    first = InputError("no text", field="tags")
    for _ in range(2):
        found = renewed(first, "pair 3: no text", field=f"source.{first.field}")
        assert (str(found), found.field) == ("pair 3: no text", "source.tags")
    assert (str(first), first.field) == ("no text", "tags")
    bad = [("\ud800", "a"), ("a", "\ud800"), ("\ud800", "a")]
    outcomes = Aligner("lemma").pipe(bad, errors="return")
    assert [each.field for each in outcomes] == ["source", "target", "source"]


def test_an_error_made_anew_keeps_its_kind_and_what_it_knows():
    first = FormatError("odd", path="a.txt", line=3)
    found = renewed(first, "pair 1: odd")
    assert type(found) is FormatError and (found.path, found.line) == ("a.txt", 3)


def test_an_error_of_a_sentence_is_raised_alone():
    """Its traceback named the errors of the batch and of the side besides: fifty lines."""
    with pytest.raises(InputError) as caught:
        Aligner("lemma").align("x", "")
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
