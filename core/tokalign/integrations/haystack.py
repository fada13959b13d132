"""Components of Haystack: a ranker that keeps the documents that best answer a query, and an
evaluator of the support of answers by their contexts, without a language model.

Needs the extra ``haystack``.
"""

from dataclasses import replace
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError, quoted
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.integrations.framework_scores import ranked_documents, support_of

try:
    from haystack import Document, component
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.haystack", error, "haystack") from None


class _WithModel:
    """Loads the model `model` on first use."""

    model: str
    _aligner: Aligner | None = None

    def warm_up(self) -> None:
        self._loaded()

    def _loaded(self) -> Aligner:
        self._aligner = self._aligner or Aligner.load(self.model)
        return self._aligner


@component
class TokalignRanker(_WithModel):
    """Orders documents by how likely they answer a query, and keeps the best.

    Parameters
    ----------
    model : str
        A model's name or path.
    top_k : int, optional
        Number of documents to keep, at least 1; None keeps all.
    """

    def __init__(self, model: str = DEFAULT_MODEL, top_k: int | None = None) -> None:
        self.model = model
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, documents: list[Document], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Return ``{"documents": ...}``: copies of the best documents, with scores in [0, 1].

        Parameters
        ----------
        documents : list of Document
            One that cannot be ranked, such as an empty one, comes last with the score 0.
        top_k : int, optional
            Overrides the ranker's own.

        InputError is raised if the query cannot be used, a document has no text, or `top_k` is out
        of range.
        """
        texts = [document.content for document in documents]
        for document in documents:
            if document.content is None:
                raise InputError(f"document {quoted(document.id)} has no text; leave it out")
        top = self.top_k if top_k is None else top_k
        found = ranked_documents(self._loaded(), query, texts, top)
        return {"documents": [replace(documents[index], score=score) for index, score in found]}


@component
class AnswerSupportEvaluator(_WithModel):
    """The mean support of answers' sentences by their contexts, in [0, 1].

    Evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.

    Parameters
    ----------
    model : str
        A model's name or path.
    """

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self.model = model

    @component.output_types(
        score=float, individual_scores=list[float], results=list[dict[str, Any]]
    )
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> dict[str, Any]:
        """Return the mean `score` of all answers, each answer's score, and its unsupported words.

        Parameters
        ----------
        contexts : list of list of str
            The passages of each answer.

        Returns
        -------
        dict
            `results` has `score` and `unsupported`, the words that no context supports, by answer.

        InputError is raised if there are no answers, or not as many as contexts, or an answer has
        no sentence or context.
        """
        if not predicted_answers or len(contexts) != len(predicted_answers):
            raise InputError(
                f"there are {len(predicted_answers)} predicted_answers and {len(contexts)} "
                "contexts; wanted as many, at least 1"
            )
        aligner, results, scores = self._loaded(), [], []
        for k, (answer, passages) in enumerate(zip(predicted_answers, contexts, strict=True)):
            names = (f"predicted_answers[{k}]", f"contexts[{k}]")
            found = support_of(aligner, answer, passages, names=names)
            results.append({"score": found.score, "unsupported": list(found.unsupported)})
            scores.append(found.score)
        mean = sum(scores) / len(scores)
        return {"score": mean, "individual_scores": scores, "results": results}
