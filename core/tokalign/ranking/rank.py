"""Rank candidates by how well they answer a question, or align with a sentence.

A candidate is a sentence, or a passage of several, whose score is that of its best sentence.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, Self

from tokalign.batches.outcomes import JudgesPairs, unwrap
from tokalign.batches.pipe import with_progress
from tokalign.english.reading.text_reading import reading_as
from tokalign.errors import InputError, renewed
from tokalign.ranking.judge import (
    added_by_list,
    repetition_of,
    shipped_weights,
    standardised,
    weighed,
)
from tokalign.ranking.passages import Passage, asked_part, decides, highlights_of, lacking
from tokalign.ranking.passages import shortlist as shortlist_of
from tokalign.types import Alignment, FeatureContribution, Pair, Sentence, SentenceLike
from tokalign.types.display import Results
from tokalign.types.inputs import check_priors, columns_of, require_many, require_sentence, text_of
from tokalign.types.options import AlignOptions, OffsetUnit, RankOptions
from tokalign.types.ranking import Highlight, Judgement, Ranked

BATCH_SIZE = 64


def rank_candidates(
    engine: JudgesPairs,
    question: SentenceLike,
    candidates: Any,
    options: AlignOptions,
    how: RankOptions,
    *,
    progress: bool = False,
) -> Results[Ranked]:
    """Return the candidates, the best answers first; see Aligner.rank."""
    truncate, markup = options.truncate, options.markup
    require_sentence(question, "question")
    given = [asked_part(question) if isinstance(question, str) else question]
    (target,) = engine.annotate(given, truncate=truncate, markup=markup)
    decisive: list[_Outcome] = []
    spans: defaultdict[int, list[Highlight]] = defaultdict(list)
    with reading_as(markup):
        texts, kept = columns_of(candidates)
        chosen = _Chosen.of(target, require_many(texts), how)
    shown = with_progress(chosen.candidates, "candidate", is_shown=progress)
    pending = _sentences(shown, how.passages)
    while batch := list(islice(pending, BATCH_SIZE)):
        pairs: list[Pair | Exception] = [
            each.source if isinstance(each.source, InputError) else (each.source, target)
            for each in batch
        ]
        annotated = engine.annotate_pairs(pairs, truncate=truncate, markup=markup)
        judged = engine.judge_annotated(annotated, options, how.by)
        for each, outcome in zip(batch, judged, strict=True):
            found = _Outcome(each, outcome if isinstance(outcome, InputError) else unwrap(outcome))
            if how.highlights:
                spans[each.candidate] += found.highlights(options.offsets)
            if each.candidate == len(decisive):
                decisive.append(found)
            elif decides(found.score, decisive[each.candidate].score):
                decisive[each.candidate] = found
    added = added_by_list(
        [each.score or 0.0 for each in decisive],
        [each.repetition() for each in decisive],
        chosen.lacks or [0.0] * len(decisive),
        chosen.priors or [None] * len(decisive),
        shipped_weights(),
    )
    ranked = [
        chosen.ranked(each.ranked(options.offsets, spans[number]), pieces, explain=options.explain)
        for number, (each, pieces) in enumerate(zip(decisive, added, strict=True))
    ]
    ranked.sort(key=lambda each: -each.judgement.score if each.judgement else 1.0)
    ranked = ranked[: how.top_k or None]
    rows = {name: [cells[each.index] for each in ranked] for name, cells in kept.items()}
    return Results(ranked, rows)


class _Chosen(NamedTuple):
    """The candidates to align."""

    candidates: Iterable[SentenceLike]
    indices: list[int] | None = None  # their positions among all candidates; None if they are all
    priors: list[float | None] | None = None  # standardised; None without any
    lacks: list[float] | None = None  # what passages lack of the question; None without any

    @classmethod
    def of(cls, question: Sentence, candidates: Iterable[SentenceLike], how: RankOptions) -> Self:
        """Return the candidates of the shortlist, or all without one."""
        if how.priors is None and not how.shortlist and not how.passages:
            return cls(candidates)
        every = list(candidates)
        own = check_priors(how.priors, len(every))
        lacks = None
        if how.passages:
            texts = [text_of(each) if isinstance(each, str) else None for each in every]
            lacks = lacking(question.text, texts)
        indices = None
        if how.shortlist:
            indices = shortlist_of(question.text, list(map(text_of, every)), how.shortlist)
            every = [every[index] for index in indices]
            own = own and [own[index] for index in indices]
            lacks = lacks and [lacks[index] for index in indices]
        return cls(every, indices, None if own is None else standardised(own), lacks)

    def ranked(
        self, found: Ranked, added: Sequence[FeatureContribution], *, explain: bool
    ) -> Ranked:
        """Return a candidate with its position among all, and the list's evidence."""
        judgement = found.judgement
        if judgement is not None:
            judgement = weighed(judgement, added, explain=explain)
        index = found.index if self.indices is None else self.indices[found.index]
        return replace(found, index=index, judgement=judgement)


class _Sentence(NamedTuple):
    """A sentence of a candidate and its place in a passage, or the candidate's error."""

    candidate: int
    source: SentenceLike | InputError
    text: str
    passage: Passage | None = None
    number: int = 0


class _Outcome(NamedTuple):
    """A sentence with its alignment and judgement, or its error."""

    sentence: _Sentence
    value: tuple[Alignment, Judgement] | InputError

    @property
    def score(self) -> float | None:
        return None if isinstance(self.value, InputError) else self.value[1].score

    def repetition(self) -> float | None:
        """Return how far a candidate of one sentence repeats the question; see repetition_of."""
        passage = self.sentence.passage
        if isinstance(self.value, InputError) or (passage and passage.n_sentences > 1):
            return None
        return repetition_of(self.value[0], self.value[1].by)

    def highlights(self, unit: OffsetUnit) -> list[Highlight]:
        if isinstance(self.value, InputError):
            return []
        passage, number = self.sentence.passage, self.sentence.number
        start = passage.sentence(number, unit).start if passage else 0
        return highlights_of(self.value[0], start)

    def ranked(self, unit: OffsetUnit, highlights: Iterable[Highlight]) -> Ranked:
        candidate, _, text, passage, number = self.sentence
        if not isinstance(self.value, InputError):
            where = passage.sentence(number, unit) if passage else None
            return Ranked(
                candidate, *self.value, sentence=where, highlights=tuple(highlights), text=text
            )
        error = self.value
        if passage is not None:
            # Equal sentences of other passages share it.
            error = renewed(error, passage.fault(number, str(error)))
        return Ranked(candidate, None, None, error, text=text)


def _sentences(candidates: Iterable[SentenceLike], passages: bool) -> Iterator[_Sentence]:
    for index, candidate in enumerate(candidates):
        if not passages or not isinstance(candidate, str):
            yield _Sentence(index, candidate, text_of(candidate))
            continue
        try:
            passage = Passage.split(candidate)
        except InputError as error:
            error.field = "source"  # the candidate is a pair's source
            yield _Sentence(index, error, candidate)
            continue
        for number, sentence in enumerate(passage.sentences()):
            yield _Sentence(index, sentence, candidate, passage, number)
