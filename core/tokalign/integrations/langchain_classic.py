"""An evaluator of LangChain: how much of an answer its passages support.

It asks no language model. Needs ``pip install 'tokalign[langchain-classic]'``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.integrations.answer_support import support_of
from tokalign.model.shipped import DEFAULT_MODEL

try:
    from langchain_classic.evaluation import StringEvaluator
except ImportError as error:
    raise MissingPackageError.of(
        "tokalign.integrations.langchain_classic", error, "langchain-classic"
    ) from None


class StringSupportEvaluator(StringEvaluator):
    """The mean support of a prediction's sentences by the reference, in [0, 1].

    Evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.

    Parameters
    ----------
    model : str
        A model's name or path.
    """

    requires_reference = True
    evaluation_name = "support"

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self._aligner = Aligner.load(model)

    def _evaluate_strings(
        self,
        *,
        prediction: str,
        reference: str | Sequence[str] | None = None,
        input: str | None = None,
        **_: Any,
    ) -> dict[str, Any]:
        """Return `score`, and `reasoning`, which quotes the words without support.

        Parameters
        ----------
        prediction : str
            The answer.
        reference : str or sequence of str
            The passages, or the only one.

        Raises
        ------
        InputError
            If there is no passage, or the prediction has no sentence.
        """
        passages = [reference] if isinstance(reference, str) else reference
        found = support_of(self._aligner, prediction, passages, names=("prediction", "reference"))
        return {"score": found.score, "reasoning": found.reason}
