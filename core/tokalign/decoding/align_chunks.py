"""`Aligner.align_chunks`: chunks of two sentences, aligned and related."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from tokalign.batches.outcomes import unwrap
from tokalign.decoding.explaining import Explaining
from tokalign.relations.chunker import find_chunks
from tokalign.relations.chunks import check_chunks, link_chunks
from tokalign.types import SentenceLike
from tokalign.types.chunks import ChunkedPair
from tokalign.types.keywords import AlignKeywords
from tokalign.types.options import AlignOptions


class Chunked(Explaining):
    """Base of what aligns pairs and the chunks of their sentences."""

    def align_chunks(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        *,
        source_chunks: Sequence[Sequence[int]] | None = None,
        target_chunks: Sequence[Sequence[int]] | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> ChunkedPair:
        """Return the alignment of two sentences' chunks: interpretable similarity.

        Each link of chunks has a relation, and a score from 0 to 5.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
        options : AlignOptions, optional
            Where no style is named, that for related pairs decides.
        source_chunks, target_chunks : sequence of sequences of int, optional
            Rising tokens of each chunk; tokens in none are left out. By default they are found.
        **changes
            Fields of AlignOptions, in place of those of `options`.

        Raises
        ------
        InputError
            If a sentence, an option or a chunk is bad, or a system decides: it knows no relations.
        LimitError
            If a sentence is too long.

        Examples
        --------
        >>> from tokalign import Aligner
        >>> pair = Aligner.load().align_chunks("He bought a dog.", "He bought an animal.")
        >>> [link.type for link in pair.links if link.is_aligned]
        ['EQUI', 'EQUI', 'SPE1']
        """
        options = AlignOptions.of(options, changes)
        if not options.style:
            options = replace(options, related=True)
        model = self.relations
        (outcome,) = self.annotate_pairs([(source, target)], truncate=options.truncate)
        pair = unwrap(outcome)
        chunks = []
        for side, sentence, given in (
            ("source", pair[0], source_chunks),
            ("target", pair[1], target_chunks),
        ):
            if given is None:
                chunks.append(find_chunks(model.boundary, sentence.tags or ()))
            else:
                chunks.append(check_chunks([tuple(each) for each in given], len(sentence), side))
        links = link_chunks(
            model, chunks[0], chunks[1], lambda units: self.unit_inputs(pair, units, options)
        )
        return ChunkedPair("", pair[0], pair[1], links)
