"""Components of LlamaIndex: a node postprocessor that keeps the nodes that best answer a query, and
an evaluator of the support of a response by its contexts, without a language model.

Needs the extra ``llama-index``.
"""

from collections.abc import Sequence
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.integrations.framework_scores import ranked_documents, support_of

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
except ImportError as error:
    raise MissingPackageError.of(
        "tokalign.integrations.llama_index", error, "llama-index"
    ) from None


class TokalignPostprocessor(BaseNodePostprocessor):
    """Orders nodes by how likely they answer a query, and keeps the best.

    Attributes
    ----------
    model : str
        A model's name or path; it is loaded when the postprocessor is made.
    top_n : int or None
        Number of nodes to keep, at least 1; None keeps all.
    """

    model: str = DEFAULT_MODEL
    top_n: int | None = None
    _aligner: Any = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._aligner = Aligner.load(self.model)

    @classmethod
    def class_name(cls) -> str:
        """Return the name that LlamaIndex stores it under."""
        return "TokalignPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        """Return the best nodes with scores in [0, 1]; one that cannot be ranked has 0.

        InputError is raised if there is no query, it cannot be used, or `top_n` is out of range.
        """
        if query_bundle is None:
            raise InputError("there is no query; give query_str or query_bundle")
        # Metadata are not sentences.
        texts = [each.node.get_content(metadata_mode=MetadataMode.NONE) for each in nodes]
        return [
            NodeWithScore(node=nodes[index].node, score=score)
            for index, score in ranked_documents(
                self._aligner, query_bundle.query_str, texts, self.top_n
            )
        ]


class ResponseSupportEvaluator(BaseEvaluator):
    """The mean support of a response's sentences by its contexts, in [0, 1].

    Evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.

    Parameters
    ----------
    threshold : float
        Least score of a response that passes.
    model : str
        A model's name or path.
    """

    def __init__(self, threshold: float = 0.5, model: str = DEFAULT_MODEL) -> None:
        self.threshold = threshold
        self._aligner = Aligner.load(model)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        """Do nothing: it has no prompts."""

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_: Any,
    ) -> EvaluationResult:
        """Return the score; `feedback` quotes the words that no context supports.

        InputError is raised if there is no context, or the response has no sentence.
        """
        found = support_of(self._aligner, response, contexts, ("response", "contexts"))
        return EvaluationResult(
            query=query,
            response=response,
            contexts=contexts,
            score=found.score,
            passing=found.score >= self.threshold,
            feedback=found.reason,
        )

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_: Any,
    ) -> EvaluationResult:
        """Return what `evaluate` returns."""
        return self.evaluate(query, response, contexts)
