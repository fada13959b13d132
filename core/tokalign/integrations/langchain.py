"""A document compressor for LangChain that keeps the documents that best answer a query.

Needs the extra ``langchain``.
"""

from collections.abc import Sequence
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.integrations.framework_scores import ranked_documents

try:
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from pydantic import ConfigDict, PrivateAttr
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.langchain", error, "langchain") from None


class TokalignCompressor(BaseDocumentCompressor):
    """Orders documents by how likely they answer a query, and keeps the best.

    Attributes
    ----------
    model : str
        A model's name or path; it is loaded when the compressor is made.
    top_n : int or None
        Number of documents to keep, at least 1; None keeps all.
    """

    model_config = ConfigDict(extra="forbid")
    model: str = DEFAULT_MODEL
    top_n: int | None = None
    _aligner: Any = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        self._aligner = Aligner.load(self.model)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Return copies of the best documents, whose metadata have a `relevance_score` in [0, 1].

        A document that cannot be ranked, such as an empty one, comes last with the score 0.

        InputError is raised if the query cannot be used, or `top_n` is out of range.
        """
        texts = [document.page_content for document in documents]
        return [
            documents[index].model_copy(
                update={"metadata": {**documents[index].metadata, "relevance_score": score}}
            )
            for index, score in ranked_documents(self._aligner, query, texts, self.top_n)
        ]
