"""A metric of deepeval: how much of an answer its retrieved passages support.

It asks no language model. Needs ``pip install 'tokalign[deepeval]'``.
"""

from __future__ import annotations

from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.integrations.answer_support import support_of
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
        answer, passages = test_case.actual_output, test_case.retrieval_context
        found = support_of(
            self._aligner,
            answer,
            list(map(str, passages or [])),
            names=("actual_output", "retrieval_context"),
        )
        self.score, self.success = found.score, found.score >= self.threshold
        self.reason = found.reason
        return found.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the score of a test case."""
        return self.measure(test_case)

    @property
    def __name__(self) -> str:
        return "Support"
