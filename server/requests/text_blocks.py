"""Two texts as pairs: sentences that are compared, then blocks of sentences that are aligned.

tokalign.texts plans which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypeVar

from tokalign.codec.options import RequestOptions
from tokalign.codec.writing import Joined
from tokalign.server.requests.answers import Answer, status_of, too_large
from tokalign.server.requests.cost import CostModel, answer_bytes
from tokalign.server.requests.request import Sized, Window, costed
from tokalign.server.status import OK, failure_of
from tokalign.texts.sentence_candidates import TextCandidate
from tokalign.texts.text_plan import BlockPlan, TextPlan
from tokalign.texts.text_words import have_same_words
from tokalign.types.options import AlignOptions, Detail, OffsetUnit, RankBy
from tokalign.types.sentence import places
from tokalign.types.texts import SentenceSpan
from tokalign.v1 import align_pb2

Item = TypeVar("Item")

ItemTexts: TypeAlias = Iterable[tuple[Item, tuple[str, str] | None]]
"""Things in order, each with the texts of its pair, or without."""

_PAIR = Joined(align_pb2.Pair)
_SENTENCE = Joined(align_pb2.Sentence)
_TEXTS = Joined(align_pb2.AlignTextsResponse)
_BLOCK = Joined(align_pb2.TextBlock)

# Side of a pair -> the field of a request that it is a part of.
_SIDES = {"source": "old_text", "target": "new_text"}
# Of a block: its numbers of sentences, a status, and the tags and sizes of all.
_BLOCK_BYTES = 64


def whole(items: ItemTexts[Item], options: RequestOptions, costs: CostModel) -> Window[Item]:
    """Return all items as one window.

    Raises
    ------
    LimitError
        If the answer is sure to be too large.
    """
    every = list(items)
    pairs = [_pair(*texts) for _, texts in every if texts is not None]
    return Window([item for item, _ in every], costed(options, pairs, costs))


def sized(
    items: ItemTexts[Item], options: RequestOptions, costs: CostModel
) -> Iterator[Sized[Item]]:
    """Yield items with their pairs, what these cost, and the bytes of them and their answers."""
    for item, texts in items:
        if texts is None:
            yield Sized(item, None, 0, _BLOCK_BYTES)
            continue
        pair = _pair(*texts)
        sizes = costs.sizes([pair])
        (pair_cost,) = costs.of_pairs(sizes, options)
        n_bytes = _BLOCK_BYTES + len(pair) + sum(answer_bytes(sizes, options.align))
        yield Sized(item, pair, pair_cost, n_bytes)


def _pair(old: str, new: str) -> bytes:
    return _PAIR(source=_SENTENCE(text=old), target=_SENTENCE(text=new))


def comparing(options: RequestOptions) -> RequestOptions:
    """Return the options by which sentences are compared: for their similarity alone."""
    given = options.align
    align = AlignOptions(detail=Detail.SCORES, truncate=given.truncate, markup=given.markup)
    return replace(options, align=align, rank_by=RankBy.SIMILARITY)


class Comparisons:
    """How similar the candidates of a plan are, as far as it is known.

    Attributes
    ----------
    similarities : list of float
        One per candidate so far, in [0, 1]; 0 where the comparison failed.
    """

    def __init__(self) -> None:
        self.similarities: list[float] = []
        self._failures: dict[tuple[str, int], Answer] = {}

    def add(self, candidates: Iterable[TextCandidate], answers: Iterable[Answer]) -> None:
        """Take the answers of the next candidates."""
        for candidate, answer in zip(candidates, answers, strict=True):
            self.similarities.append(answer.score if answer.code == OK else 0.0)
            if answer.code == OK:
                continue
            side = answer.field.partition(".")[0]
            if side != "target":
                for number in candidate.old:
                    self._failures.setdefault(("old", number), answer)
            if side != "source":
                for number in candidate.new:
                    self._failures.setdefault(("new", number), answer)

    def failure(self, block: BlockPlan) -> Answer | None:
        """Return why a sentence without a partner could not be compared, if that failed."""
        numbers = [("old", number) for number in block.old]
        numbers += [("new", number) for number in block.new]
        return next((self._failures[each] for each in numbers if each in self._failures), None)


def block_items(
    plan: TextPlan, blocks: Sequence[BlockPlan], *, only_changed: bool = False
) -> ItemTexts[tuple[BlockPlan, bool]]:
    """Yield blocks, whether they are aligned, and the texts of those that are: those with sentences
    of both, or only those of them whose words differ."""
    for block in blocks:
        texts = plan.texts(block.old, block.new) if block.old and block.new else None
        if texts is not None and only_changed and have_same_words(*texts):
            texts = None
        yield (block, texts is not None), texts


def heading(plan: TextPlan, unit: OffsetUnit, model: bytes) -> bytes:
    """Return the fields of an AlignTextsResponse before its blocks.

    Parameters
    ----------
    unit : OffsetUnit
        What the sentences' offsets count.
    model : bytes
        Serialised ModelRef.
    """
    return _TEXTS(
        old_sentences=_sentences(plan.old_text, plan.old, unit),
        new_sentences=_sentences(plan.new_text, plan.new, unit),
        model=model,
    )


def _sentences(text: str, spans: Sequence[SentenceSpan], unit: OffsetUnit) -> Iterator[bytes]:
    ends = places(text, (end for span in spans for end in (span.start, span.end)), unit)
    for start, end in zip(ends, ends, strict=True):
        yield align_pb2.TextSentence(start=start, end=end).SerializeToString()


class AlignedBlock(NamedTuple):
    """A block, and the answer for it.

    Attributes
    ----------
    answer : Answer or None
        None where a sentence has no partner, and could be compared.
    """

    block: BlockPlan
    answer: Answer | None


def with_answers(
    blocks: Iterable[tuple[BlockPlan, bool]],
    answers: Iterable[Answer],
    compared: Comparisons,
    limit: int,
) -> list[AlignedBlock]:
    """Return blocks with their answers.

    Parameters
    ----------
    blocks : iterable of (BlockPlan, bool)
        And whether it was aligned.
    answers : iterable of Answer
        Of the blocks that were aligned, in order.
    limit : int
        Most bytes of a block; a larger one fails.
    """
    pending = iter(answers)
    found = []
    for block, is_aligned in blocks:
        answer = next(pending) if is_aligned else None
        if not (block.old and block.new):
            answer = compared.failure(block)
        if answer is not None and len(answer.alignment) + _BLOCK_BYTES > limit:
            answer = Answer.failed(failure_of(too_large(limit)))
        if answer is not None and answer.field:
            answer = answer._replace(field=_SIDES.get(answer.field.partition(".")[0], ""))
        found.append(AlignedBlock(block, answer))
    return found


def fields_of(blocks: Iterable[AlignedBlock]) -> list[bytes]:
    """Return blocks as fields of an AlignTextsResponse."""
    return [_TEXTS(blocks=[_written(*each)]) for each in blocks]


def _written(block: BlockPlan, answer: Answer | None) -> bytes:
    """Return a serialised TextBlock."""
    head = align_pb2.TextBlock(
        old_sentences=block.old, new_sentences=block.new, moved=block.moved
    ).SerializeToString()
    if answer is None:
        return head
    if answer.code == OK:
        return head + _BLOCK(alignment=answer.alignment)
    return head + _BLOCK(status=status_of(answer))
