"""Align two texts: an aligner compares and aligns the sentences that the plan asks for."""

from __future__ import annotations

from dataclasses import replace

from tokalign.batches.aligns import AlignsPairs
from tokalign.english.reading import reading_as
from tokalign.errors import InputError, quoted
from tokalign.texts.text_plan import TextPlan
from tokalign.types.offsets import positions
from tokalign.types.options import AlignOptions, Detail, OffsetUnit
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

COMPARING = AlignOptions(detail=Detail.SCORES)
"""Options of comparisons, the same for all alignments, so that gains are comparable."""


def align_texts(
    aligner: AlignsPairs, old_text: str, new_text: str, options: AlignOptions
) -> TextAlignment:
    """Return the alignment of two texts; see `Aligner.align_texts`."""
    for name, text in (("old_text", old_text), ("new_text", new_text)):
        if not isinstance(text, str):
            raise InputError(f"{name} is {quoted(text)}; wanted text", field=name)
    with reading_as(options.markup):
        plan = TextPlan.of(old_text, new_text)
    comparing = replace(COMPARING, markup=options.markup)
    planned = plan.decide([each.similarity for each in aligner.pipe(plan.pairs(), comparing)])
    pairs = (plan.texts(old, new) for old, new, _ in planned if old and new)
    alignments = aligner.pipe(pairs, options)
    return TextAlignment(
        old_text,
        new_text,
        _in_unit(old_text, plan.old, options.offsets),
        _in_unit(new_text, plan.new, options.offsets),
        tuple(
            TextBlock(old, new, moved, next(alignments) if old and new else None)
            for old, new, moved in planned
        ),
        aligner.header.name,
        aligner.header.version,
    )


def _in_unit(
    text: str, sentences: tuple[SentenceSpan, ...], unit: OffsetUnit
) -> tuple[SentenceSpan, ...]:
    """Return sentences with offsets converted to a unit."""
    if unit is OffsetUnit.CODE_POINTS or text.isascii():
        return sentences
    at = positions(text, unit)
    return tuple(SentenceSpan(at[each.start], at[each.end], each.text) for each in sentences)
