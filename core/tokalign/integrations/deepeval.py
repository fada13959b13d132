"""A metric of deepeval: how much of an answer its retrieved passages support.

It asks no language model. Needs ``pip install 'tokalign[deepeval]'``.
"""

from __future__ import annotations

from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError
from tokalign.model.shipped import DEFAULT_MODEL

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.deepeval", error, "deepeval") from None


class SupportMetric(BaseMetric):
    """The mean support of an answer's sentences by its `retrieval_context`, in [0, 1].

    Evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.
    `reason` quotes the words that no passage supports.

    Parameters
    ----------
    threshold : float
        A test case succeeds whose score is at least that.
    model : str
        A model's name or path.
    """

    def __init__(self, threshold: float = 0.5, model: str = DEFAULT_MODEL) -> None:
        self.threshold = threshold
        self.evaluation_model = model
        self.async_mode = False
        self._aligner = Aligner.load(model)

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the score of a test case.

        Raises
        ------
        InputError
            If it has no `retrieval_context`, or its `actual_output` has no sentence.
        """
        answer, passages = test_case.actual_output or "", test_case.retrieval_context
        if not passages:
            raise InputError("the test case has no retrieval_context", field="retrieval_context")
        found = self._aligner.ground(answer, list(map(str, passages))).sentences
        if not found:
            raise InputError("actual_output has no sentence", field="actual_output")
        score = sum(sentence.support for sentence in found) / len(found)
        spans = [span for sentence in found for span in sentence.unsupported]
        words = ", ".join(repr(answer[span.start : span.end]) for span in spans)
        self.score, self.success = score, score >= self.threshold
        self.reason = f"without support: {words}" if words else "all words have support"
        return score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the score of a test case."""
        return self.measure(test_case)

    @property
    def __name__(self) -> str:
        return "Support"
