"""Metrics of deepeval: the support of an answer by its passages, or by those that it cites.

They ask no language model. Need the extra ``deepeval``.
"""

from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.integrations.framework_scores import citation_support_of, support_of

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
        Least score of a test case that succeeds.
    model : str
        A model's name or path.
    """

    _support_of = staticmethod(support_of)

    def __init__(self, threshold: float = 0.5, model: str = DEFAULT_MODEL) -> None:
        self.threshold = threshold
        self.evaluation_model = model
        self.async_mode = False
        self._aligner = Aligner.load(model)

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the score of a test case.

        InputError is raised if it has no `retrieval_context`, or its `actual_output` has no
        sentence.
        """
        passages = list(map(str, test_case.retrieval_context or []))
        names = ("actual_output", "retrieval_context")
        found = self._support_of(self._aligner, test_case.actual_output, passages, names)
        self.score, self.success = found.score, found.score >= self.threshold
        self.reason = found.reason
        return found.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the score of a test case."""
        return self.measure(test_case)

    @property
    def __name__(self) -> str:
        return "Support"


class CitationMetric(SupportMetric):
    """The mean support of an answer's sentences by those passages that they cite themselves.

    Marks such as ``[2]`` or ``[1, 3]`` cite positions in `retrieval_context`, from 1. A sentence
    that cites nothing, or a passage that is not there, counts as 0, and `reason` quotes it; one
    that claims nothing needs no citation. Otherwise it is like SupportMetric.
    """

    _support_of = staticmethod(citation_support_of)

    @property
    def __name__(self) -> str:
        return "Citation support"
