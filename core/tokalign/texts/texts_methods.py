"""`Aligner.align_texts` and `Aligner.diff`: texts of any number of sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from tokalign.batches.piped import Piped
from tokalign.texts.aligned import align_texts
from tokalign.texts.diff.build import diff_of
from tokalign.texts.diff.form import TextDiff
from tokalign.texts.sentences import split_text
from tokalign.types.keywords import AlignKeywords
from tokalign.types.options import AlignOptions, Detail, OffsetUnit
from tokalign.types.texts import SentenceSpan, TextAlignment

if TYPE_CHECKING:
    from tokalign.model.file import ModelHeader


class AlignsTexts(Piped):
    """Base of what aligns pairs, and texts by their sentences."""

    header: ModelHeader

    @staticmethod
    def split(text: str) -> list[SentenceSpan]:
        """Return the sentences of an English text; no model decides. See `tokalign.split`.

        Parameters
        ----------
        text : str
            Of any length.

        Returns
        -------
        list of SentenceSpan
            In the order of the text, of code points; none for blank text.
        """
        return split_text(text)

    def align_texts(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> TextAlignment:
        """Return which sentences of two texts belong together, and the alignments of these.

        Time and memory grow with the length of the texts, not with its square.

        Parameters
        ----------
        old, new : str
            Raw text of any number of sentences, also of none.
        options, **changes
            As of `align`, without constraints, for the alignments of what belongs together. Offsets
            of sentences in the texts are in the unit of `options`, too. `truncate` changes nothing:
            of a sentence that is too long, pieces are aligned.

        Raises
        ------
        InputError
            If a text is none, or an option is bad. The field is ``old_text`` or ``new_text`` where
            it is the text.
        LimitError
            If a text has more than tokalign.types.lengths.MAX_TEXT_SENTENCES sentences.
        """
        options = AlignOptions.of(options, changes)
        return align_texts(self, old, new, options)

    def diff(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> TextDiff:
        """Return what changed from one text to another.

        Parameters
        ----------
        old, new : str
            Raw text of any number of sentences, also of none.
        options, **changes
            As of `align_texts`. Edits are always asked for, and offsets are code points.

        Raises
        ------
        InputError, LimitError
            As of `align_texts`.
        """
        options = AlignOptions.of(options, changes)
        options = replace(options, edits=True, offsets=OffsetUnit.CODE_POINTS, detail=Detail.FULL)
        return diff_of(align_texts(self, old, new, options))
