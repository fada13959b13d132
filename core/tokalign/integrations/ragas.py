"""Metrics of ragas: the support of a response by its contexts, or by those that it cites.

They ask no language model. Need the extra ``ragas``.
"""

from collections.abc import Sequence
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.integrations.framework_scores import citation_support_of, support_of

try:
    from ragas.metrics.collections.base import BaseMetric
    from ragas.metrics.result import MetricResult
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.ragas", error, "ragas") from None


class ResponseSupport(BaseMetric):
    """The mean support of a response's sentences by its retrieved contexts, in [0, 1].

    Evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.

    Parameters
    ----------
    name : str
        The metric's name in ragas.
    model : str
        A model's name or path.
    """

    _support_of = staticmethod(support_of)

    def __init__(self, name: str = "support", model: str = DEFAULT_MODEL, **more: Any) -> None:
        super().__init__(name=name, **more)
        self._aligner = Aligner.load(model)

    async def ascore(self, response: str, retrieved_contexts: Sequence[str]) -> MetricResult:
        """Return the score; its `reason` quotes the words that no context supports.

        InputError is raised if there is no context, or the response has no sentence.
        """
        names = ("response", "retrieved_contexts")
        found = self._support_of(self._aligner, response, retrieved_contexts, names)
        return MetricResult(value=found.score, reason=found.reason)


class CitationSupport(ResponseSupport):
    """The mean support of a response's sentences by those contexts that they cite themselves.

    Marks such as ``[2]`` or ``[1, 3]`` cite positions in the contexts, from 1. A sentence that
    cites nothing, or a context that is not there, counts as 0, and `reason` quotes it; one that
    claims nothing needs no citation. Otherwise it is like ResponseSupport.
    """

    _support_of = staticmethod(citation_support_of)

    def __init__(
        self, name: str = "citation_support", model: str = DEFAULT_MODEL, **more: Any
    ) -> None:
        super().__init__(name=name, model=model, **more)
