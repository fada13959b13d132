"""A metric of Hugging Face evaluate: how much of answers their passages support.

It asks no language model. Needs ``pip install 'tokalign[evaluate]'``.
"""

from __future__ import annotations

from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.integrations.answer_support import support_of
from tokalign.model.shipped import DEFAULT_MODEL

try:
    import evaluate  # not Metric: evaluate.load takes the first metric that it finds here
    from datasets import Features, Sequence, Value
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.evaluate", error, "evaluate") from None

_INPUTS = """
Args:
    predictions: list of str, the answers.
    references: list of list of str, the passages of each answer.
    model: name or path of a model of tokalign.
Returns:
    support: mean of the scores, in [0, 1].
    scores: the mean support of the sentences of each answer, in [0, 1].
    unsupported: the words of each answer that no passage supports.
"""


class PassageSupport(evaluate.Metric):
    """The mean support of answers' sentences by their passages, in [0, 1].

    Evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.
    """

    def _info(self) -> evaluate.MetricInfo:
        """Return what the metric takes."""
        passages = Sequence(Value("string"))
        return evaluate.MetricInfo(
            description="How much of answers their passages support, without a language model.",
            citation="",
            inputs_description=_INPUTS,
            features=Features({"predictions": Value("string"), "references": passages}),
        )

    def _compute(
        self, predictions: list[str], references: list[list[str]], model: str = DEFAULT_MODEL
    ) -> dict[str, Any]:
        """Return `support`, `scores` and `unsupported`.

        Raises
        ------
        InputError
            If an answer has no sentence, or no passages.
        """
        aligner = Aligner.load(model)
        names = ("predictions", "references")
        found = [
            support_of(aligner, answer, passages, names=names)
            for answer, passages in zip(predictions, references, strict=True)
        ]
        scores = [each.score for each in found]
        unsupported = [list(each.unsupported) for each in found]
        support = sum(scores) / len(scores)
        return {"support": support, "scores": scores, "unsupported": unsupported}
