"""Scores that the framework modules share: support of an answer, and ranked documents."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from tokalign.aligner import Aligner
from tokalign.errors import InputError, quoted
from tokalign.texts.split_text import split_text

NOTHING = "nothing to support: the answer claims nothing"
_MARK = re.compile(r"\s*\[([0-9]+(?:\s*[,;]\s*[0-9]+)*)\]")


class AnswerSupport(NamedTuple):
    """How much passages support an answer.

    Attributes
    ----------
    score : float
        Mean support of the answer's sentences that claim something, in [0, 1]; NaN if none does.
    unsupported : tuple of str
        The words of the answer that no passage supports, in order.
    missing : tuple of str
        The passages that the answer cites and that are not there, as it numbers them.
    uncited : tuple of str
        The sentences that cite nothing though they claim something, where citations count.
    """

    score: float
    unsupported: tuple[str, ...]
    missing: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The reason that an evaluation gives beside the score."""
        if math.isnan(self.score):
            return NOTHING
        said = []
        if self.missing:
            marks = "".join(f"[{number}]" for number in self.missing)
            said.append(f"cites {marks}, which is not there")
        if self.uncited:
            said.append(f"without a citation: {', '.join(map(repr, self.uncited))}")
        if words := [each for each in self.unsupported if each not in self.uncited]:
            said.append(f"without support: {', '.join(map(repr, words))}")
        return "; ".join(said) or "all words have support"


def support_of(
    aligner: Aligner,
    answer: str | None,
    passages: Sequence[str] | None,
    names: tuple[str, str] = ("answer", "passages"),
) -> AnswerSupport:
    """Return how much passages support an answer: evidence, not a verdict on truth.

    `names` is how the framework calls the answer and the passages, for errors. InputError is raised
    if there is no passage, the passages are one text, or the answer has no sentence.
    """
    answer = answer or ""
    found = aligner.ground(answer, _checked(passages, names)).sentences
    if not found:
        raise InputError(f"{names[0]} has no sentence", field=names[0])
    supports = [each.support for each in found if each.support is not None]
    score = sum(supports) / len(supports) if supports else math.nan
    spans = (span for sentence in found for span in sentence.unsupported)
    return AnswerSupport(score, tuple(answer[span.start : span.end] for span in spans))


def citation_support_of(
    aligner: Aligner,
    answer: str | None,
    passages: Sequence[str] | None,
    names: tuple[str, str] = ("answer", "passages"),
) -> AnswerSupport:
    """Return an answer's citation recall: its support by the passages that it cites.

    After Gao et al. (2023, "Enabling Large Language Models to Generate Text with Citations"), with
    the support of a sentence instead of a language model's yes or no. A sentence that cites
    nothing, or a passage that is not there, counts as 0, and all of its text as unsupported; one
    that cites nothing and claims nothing, such as "Sure.", is left out. NaN if all are.

    Arguments and errors are as for `support_of`. The answer cites passages by position, from 1, as
    in ``"It rained [1, 3]."`` or ``"It rained. [1]"``.
    """
    passages = _checked(passages, names)
    text, cited = _without_marks(answer or "")
    places = {str(k): passage for k, passage in enumerate(passages, 1)}
    sentences = split_text(text)
    if not sentences:
        raise InputError(f"{names[0]} has no sentence", field=names[0])
    scores: list[float] = []
    unsupported: list[str] = []
    uncited: list[str] = []
    end = -1  # so that a mark before the first sentence belongs to it
    for sentence in sentences:
        begin, end = end, sentence.end
        numbers = {number for place, number in cited if begin < place <= end}
        if not numbers:
            if not math.isnan(support_of(aligner, sentence.text, passages, names).score):
                scores.append(0.0)
                uncited.append(sentence.text)
                unsupported.append(sentence.text)
            continue
        if numbers - places.keys():
            scores.append(0.0)
            unsupported.append(sentence.text)
            continue
        own = [passage for number, passage in places.items() if number in numbers]
        found = support_of(aligner, sentence.text, own, names)
        scores.append(1.0 if math.isnan(found.score) else found.score)
        unsupported += found.unsupported
    missing = dict.fromkeys(number for _, number in cited if number not in places)
    score = sum(scores) / len(scores) if scores else math.nan
    return AnswerSupport(score, tuple(unsupported), tuple(missing), tuple(uncited))


def ranked_documents(
    aligner: Aligner, query: str, texts: Sequence[str], top: int | None
) -> list[tuple[int, float]]:
    """Return the positions and scores of texts, the best answers to a query first.

    Texts are passages of any number of sentences; sentences that are too long are cut. At most
    `top` are returned, all for None. Scores are in [0, 1]; texts that cannot be ranked, such as
    empty ones, come last with 0. InputError is raised if the query cannot be used, or `top` is out
    of range.
    """
    if top is not None and top < 1:
        raise InputError(f"{quoted(top)} documents are wanted; wanted at least 1, or None for all")
    ranked = aligner.rank(query, texts, passages=True, truncate=True, top_k=top or 0)
    return [(each.index, each.judgement.score if each.judgement else 0.0) for each in ranked]


def _checked(passages: Sequence[str] | None, names: tuple[str, str]) -> Sequence[str]:
    """Return the passages; raise InputError if there are none, or they are one text."""
    name = names[1]
    if isinstance(passages, str):
        raise InputError(f"{name} is one text; give a list", field=name)
    if not passages:
        raise InputError(f"there are no {name}; give at least one", field=name)
    return passages


def _without_marks(answer: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the answer without marks, and each mark's offset there and the passage's number."""
    pieces: list[str] = []
    cited: list[tuple[int, str]] = []
    n_kept = end = 0
    for mark in _MARK.finditer(answer):
        pieces.append(answer[end : mark.start()])
        n_kept += mark.start() - end
        end = mark.end()
        cited += ((n_kept, number.lstrip("0") or "0") for number in re.findall("[0-9]+", mark[1]))
    return "".join([*pieces, answer[end:]]), cited
