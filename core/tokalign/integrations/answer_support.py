"""The support of an answer by passages: the one number that the metrics of all frameworks give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokalign.aligner import Aligner
from tokalign.errors import InputError


class AnswerSupport(NamedTuple):
    """How much passages support an answer.

    Attributes
    ----------
    score : float
        Mean support of the answer's sentences, in [0, 1].
    unsupported : tuple of str
        The words of the answer that no passage supports, in order.
    """

    score: float
    unsupported: tuple[str, ...]

    @property
    def reason(self) -> str:
        """What an evaluation says beside the score."""
        words = ", ".join(map(repr, self.unsupported))
        return f"without support: {words}" if words else "all words have support"


def support_of(
    aligner: Aligner,
    answer: str | None,
    passages: Sequence[str] | None,
    names: tuple[str, str] = ("answer", "passages"),
) -> AnswerSupport:
    """Return how much passages support an answer: evidence, and no verdict on truth.

    Parameters
    ----------
    aligner : Aligner
    answer : str or None
    passages : sequence of str or None
        In any order.
    names : (str, str)
        How the framework calls the answer and the passages, for errors.

    Raises
    ------
    InputError
        If there is no passage, the passages are one text, or the answer has no sentence.
    """
    answer = answer or ""
    found = aligner.ground(answer, check_passages(passages, names)).sentences
    if not found:
        raise InputError(f"{names[0]} has no sentence", field=names[0])
    score = sum(sentence.support for sentence in found) / len(found)
    spans = (span for sentence in found for span in sentence.unsupported)
    return AnswerSupport(score, tuple(answer[span.start : span.end] for span in spans))


def check_passages(passages: Sequence[str] | None, names: tuple[str, str]) -> Sequence[str]:
    """Return passages; raise InputError if there are none, or they are one text."""
    name = names[1]
    if isinstance(passages, str):
        raise InputError(f"{name} is one text; give a list", field=name)
    if not passages:
        raise InputError(f"there are no {name}; give at least one", field=name)
    return passages
