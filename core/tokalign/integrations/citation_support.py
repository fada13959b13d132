"""The support of an answer by the passages that it cites itself, by marks such as ``[2]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokalign.aligner import Aligner
from tokalign.documents.sentences import split_text
from tokalign.errors import InputError
from tokalign.integrations.answer_support import AnswerSupport, check_passages, support_of

_MARK = re.compile(r"\s*\[(\d+(?:\s*[,;]\s*\d+)*)\]")


def citation_support_of(
    aligner: Aligner,
    answer: str | None,
    passages: Sequence[str] | None,
    names: tuple[str, str] = ("answer", "passages"),
) -> AnswerSupport:
    """Return how much of an answer is supported by what it cites: its citation recall.

    That is of Gao et al. (2023, "Enabling Large Language Models to Generate Text with Citations"),
    with the support of a sentence in place of a language model's yes or no. A sentence that cites
    nothing counts as 0, and all of its text as unsupported.

    Parameters
    ----------
    aligner, answer, passages, names
        As of `support_of`. The answer cites passages by their place, from 1, as in
        ``"It rained [1, 3]."`` or ``"It rained. [1]"``.

    Raises
    ------
    InputError
        As `support_of` does, or if the answer cites a passage that is not there.
    """
    passages = check_passages(passages, names)
    text, cited = _without_marks(answer or "", len(passages), names)
    sentences = split_text(text)
    if not sentences:
        raise InputError(f"{names[0]} has no sentence", field=names[0])
    score, unsupported = 0.0, []
    end = -1  # so that a mark before the first sentence is of it
    for sentence in sentences:
        begin, end = end, sentence.end
        numbers = {number for place, number in cited if begin < place <= end}
        if not numbers:
            unsupported.append(sentence.text)
            continue
        found = support_of(aligner, sentence.text, [passages[k] for k in sorted(numbers)], names)
        score += found.score
        unsupported += found.unsupported
    return AnswerSupport(score / len(sentences), tuple(unsupported))


def _without_marks(
    answer: str, n_passages: int, names: tuple[str, str]
) -> tuple[str, list[tuple[int, int]]]:
    """Return the answer without marks, and of each its place there and the passage, from 0."""
    pieces: list[str] = []
    cited: list[tuple[int, int]] = []
    n_kept = end = 0
    for mark in _MARK.finditer(answer):
        pieces.append(answer[end : mark.start()])
        n_kept += mark.start() - end
        end = mark.end()
        for number in map(int, re.findall(r"\d+", mark[1])):
            if not 1 <= number <= n_passages:
                raise InputError(
                    f"{names[0]} cites [{number}], and there are {n_passages} {names[1]}",
                    field=names[0],
                )
            cited.append((n_kept, number - 1))
    return "".join([*pieces, answer[end:]]), cited
