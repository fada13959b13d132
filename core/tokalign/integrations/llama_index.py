"""A node postprocessor of LlamaIndex that keeps the nodes that answer a query best.

Needs ``pip install 'tokalign[llama-index]'``.
"""

from __future__ import annotations

from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError
from tokalign.integrations.ranking import scores_of
from tokalign.model.shipped import DEFAULT_MODEL

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
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
        How many to keep, at least 1; None keeps all.
    """

    model: str = DEFAULT_MODEL
    top_n: int | None = None
    _aligner: Any = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Load the model."""
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

        Raises
        ------
        InputError
            If there is no query, it cannot be used, or `top_n` is out of range.
        """
        if query_bundle is None:
            raise InputError("there is no query; give query_str or query_bundle")
        # Metadata are no sentences.
        texts = [each.node.get_content(metadata_mode=MetadataMode.NONE) for each in nodes]
        return [
            NodeWithScore(node=nodes[index].node, score=score)
            for index, score in scores_of(self._aligner, query_bundle.query_str, texts, self.top_n)
        ]
