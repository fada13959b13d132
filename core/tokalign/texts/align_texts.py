"""Align two texts: an aligner compares and aligns the sentences that the plan asks for."""

from tokalign.batches.outcomes import AlignsPairs
from tokalign.english.reading.text_reading import reading_as
from tokalign.texts.text_plan import TextPlan
from tokalign.texts.text_words import have_same_words
from tokalign.types.options import AlignOptions, Detail, Markup, OffsetUnit
from tokalign.types.sentence import positions
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock


def comparing(aligner: AlignsPairs, markup: Markup = Markup.AUTO) -> AlignOptions:
    """Return the options of comparisons: one style for all, so that gains are comparable."""
    styles = aligner.header.styles
    style = styles[0]["name"] if styles else ""
    return AlignOptions(detail=Detail.SCORES, markup=markup, style=style)


def align_texts(
    aligner: AlignsPairs,
    old_text: str,
    new_text: str,
    options: AlignOptions,
    *,
    only_changed: bool = False,
) -> TextAlignment:
    """Return the alignment of two texts; see `Aligner.align_texts`.

    With `only_changed`, blocks whose sides have the same words stay without an alignment.
    """
    with reading_as(options.markup):
        plan = TextPlan.of(old_text, new_text)
    compared = aligner.pipe(plan.pairs(), comparing(aligner, options.markup))
    planned = plan.decide([each.similarity for each in compared])
    texts = [plan.texts(old, new) if old and new else None for old, new, _ in planned]
    if only_changed:
        texts = [both and (None if have_same_words(*both) else both) for both in texts]
    alignments = aligner.pipe(filter(None, texts), options)
    return TextAlignment(
        old_text,
        new_text,
        _in_unit(old_text, plan.old, options.offsets),
        _in_unit(new_text, plan.new, options.offsets),
        tuple(
            TextBlock(*each, next(alignments) if both else None)
            for each, both in zip(planned, texts, strict=True)
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
