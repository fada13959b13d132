"""A ranker of Haystack that keeps the documents that answer a query best.

Needs ``pip install 'tokalign[haystack]'``.
"""

from __future__ import annotations

from dataclasses import replace

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError, quoted
from tokalign.integrations.ranking import scores_of
from tokalign.model.shipped import DEFAULT_MODEL

try:
    from haystack import Document, component
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.haystack", error, "haystack") from None


@component
class TokalignRanker:
    """Orders documents by how likely they answer a query, and keeps the best.

    Parameters
    ----------
    model : str
        A model's name or path.
    top_k : int, optional
        How many to keep, at least 1; None keeps all.
    """

    def __init__(self, model: str = DEFAULT_MODEL, top_k: int | None = None) -> None:
        self.model = model
        self.top_k = top_k
        self._aligner: Aligner | None = None

    def warm_up(self) -> None:
        """Load the model, if it is not loaded."""
        self._aligner = self._loaded()

    def _loaded(self) -> Aligner:
        return self._aligner or Aligner.load(self.model)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, documents: list[Document], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Return ``{"documents": ...}``: copies of the best documents, with scores in [0, 1].

        Parameters
        ----------
        query : str
        documents : list of Document
            One that cannot be ranked, such as an empty one, comes last with the score 0.
        top_k : int, optional
            In place of the ranker's own.

        Raises
        ------
        InputError
            If the query cannot be used, a document has no text, or `top_k` is out of range.
        """
        texts = [document.content for document in documents]
        for document in documents:
            if document.content is None:
                raise InputError(f"document {quoted(document.id)} has no text; leave it out")
        self._aligner = self._loaded()
        top = self.top_k if top_k is None else top_k
        found = scores_of(self._aligner, query, texts, top)
        return {"documents": [replace(documents[index], score=score) for index, score in found]}
