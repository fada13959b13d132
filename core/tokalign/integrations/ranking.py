"""Ranking of documents, shared by the rerankers of all frameworks."""

from __future__ import annotations

from collections.abc import Sequence

from tokalign.aligner import Aligner
from tokalign.errors import InputError, quoted


def scores_of(
    aligner: Aligner, query: str, texts: Sequence[str], top: int | None
) -> list[tuple[int, float]]:
    """Return the positions of texts with their scores, those that answer a query best first.

    Parameters
    ----------
    aligner : Aligner
    query : str
    texts : sequence of str
        Passages of any number of sentences; sentences that are too long are cut.
    top : int or None
        How many to return, at least 1; None for all.

    Returns
    -------
    list of (int, float)
        Scores are in [0, 1]. Texts that cannot be ranked, such as empty ones, come last with 0.

    Raises
    ------
    InputError
        If the query cannot be used, or `top` is out of range.
    """
    if top is not None and top < 1:
        raise InputError(f"{quoted(top)} documents are wanted; wanted at least 1, or None for all")
    ranked = aligner.rank(query, texts, passages=True, truncate=True, top_k=top or 0)
    return [(each.index, each.judgement.score if each.judgement else 0.0) for each in ranked]
