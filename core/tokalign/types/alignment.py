"""Alignments: links of one pair, scores and explanations.

Indices are 0-based token positions and always ordered (source, target). In question answering
and entailment data the source is the passage or premise, the target the question or hypothesis.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tokalign.errors import MissingPackageError
from tokalign.showing.text import ShownLink, in_line, link_lines, one_line
from tokalign.types.display import Shown
from tokalign.types.fields import AlignmentFields
from tokalign.types.links import AlignedWord, words_of
from tokalign.types.objects import alignment_to_json, figures_to_json, link_columns

if TYPE_CHECKING:
    from nltk.translate import AlignedSent


class Alignment(Shown, AlignmentFields):
    """The answer for one pair.

    Attributes
    ----------
    source, target : Sentence
        With the columns the annotator filled.
    links : tuple of Link
        Sorted by (source, target).
    score : float
        How much of the target the source covers, in [0, 1]: `target_covered`, lowered by conflicts
        (tokalign.decoding.link_decision).
    similarity : float
        How similar both sentences are in meaning, in [0, 1]: `covered`, mixed with `cosine` if
        there is one, lowered by conflicts (tokalign.decoding.by_model).
    model, version : str
        Name and version of the model or published system.
    symmetrization : Symmetrization
    posteriors : float32 array, shape (n_source, n_target), or None
        Probability of every link, in [0, 1]; None unless asked for.
    explanations : tuple of LinkExplanation
        Empty unless asked for.
    phrases : tuple of Phrase
        The maximal blocks of links, sorted by start, each link in at least one; see
        tokalign.types.links. Empty unless asked for.
    source_truncated, target_truncated : bool
        Whether the sentence was truncated; see AlignOptions.truncate.
    distance : float or None
        Distance of the two sentences, at least 0, if the published system measures it.
    style : str
        Name of the model's style in use; empty without styles.
    target_covered : float
        Expected share of the target's tokens that have a partner, in [0, 1]; content words
        count fully, function words and punctuation little. Both directions must support a link, for
        every symmetrization.
    covered : float
        Expected share of tokens that have a partner, in [0, 1], weighted by rarity, partners that
        no lexicon joins counting less; the smaller of both sides' shares.
    agreement : float
        In [0, 1]: 1 without conflicts, else the product of 1 minus the probability of each.
    conflicts : tuple of Conflict
        Places where the sides contradict each other. Published systems find none.
    edits : tuple of Edit
        Edits from the source to the target. Every token is in one; they are in target order, a
        deletion after the edit that ends before it in the source. Empty unless asked for.
    cosine : float or None
        Cosine of the sentences' vectors, in [-1, 1], if the model has an encoder; computed with the
        similarity, when either is first read. None if the encoder did not read the pair, unless
        scores must be comparable; see tokalign.decoding.cascade.
    encoded : bool or None
        Whether the model's encoder read the pair (see AlignOptions.effort); None without an
        encoder.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        texts = " - ".join(repr(one_line(side.text)) for side in (self.source, self.target))
        return (
            f"<Alignment {texts}: {len(self.links)} links, score {self.score:.2f}, "
            f"similarity {self.similarity:.2f}>"
        )

    def lines(self, *, is_coloured: bool = False) -> list[str]:
        """Return the texts, links (``opened = founded (0.83)``), similarity and conflicts."""
        texts = [one_line(self.source.text), one_line(self.target.text)]
        figures = [f"similarity {self.similarity:.2f}"]
        return [*texts, *link_lines(*self._shown()), *figures, *self._conflict_lines()]

    def _conflict_lines(self) -> Iterator[str]:
        for each in self.conflicts if len(self.source) else ():
            sides = (self.source, each.source_span), (self.target, each.target_span)
            words = [in_line(" ".join(side.tokens[slice(*span)])) for side, span in sides]
            shown = " / ".join(filter(None, words))
            yield f"conflict: {each.kind}, {shown} ({each.probability:.2f})"

    def _shown(self) -> tuple[tuple[str, ...], tuple[str, ...], list[ShownLink]]:
        """Return tokens and links for `showing`; an answer may lack sentences."""
        links = self.links if len(self.source) else ()
        shown = [
            (link.source, link.target, link.confidence, link.relation.name if link.relation else "")
            for link in links
        ]
        return self.source.tokens, self.target.tokens, shown

    @property
    def source_words(self) -> tuple[AlignedWord, ...]:
        """The words of the source, each with its links."""
        return words_of(self.source, self.links, "source", self.posteriors)

    @property
    def target_words(self) -> tuple[AlignedWord, ...]:
        """The words of the target, each with its links."""
        posteriors = None if self.posteriors is None else self.posteriors.T
        return words_of(self.target, self.links, "target", posteriors)

    def to_pharaoh(self) -> str:
        """Return the links as ``"0-0 1-2"``, ordered by source, then target."""
        return " ".join(f"{link.source}-{link.target}" for link in self.links)

    def to_nltk(self) -> "AlignedSent":
        """Return NLTK's aligned sentence: `words` are the source's tokens, `mots` the target's.

        Links keep their order (source, target), as `to_pharaoh` writes them. `GoldPair.from_nltk`
        reads it back.

        MissingPackageError is raised if NLTK is not installed.
        """
        try:
            from nltk.translate import AlignedSent
            from nltk.translate import Alignment as Links
        except ImportError as error:
            raise MissingPackageError.of("Alignment.to_nltk", error, "nltk") from error
        links = Links((link.source, link.target) for link in self.links)
        return AlignedSent(list(self.source.tokens), list(self.target.tokens), links)

    def to_dict(self, *, id: str | None = None) -> dict[str, Any]:
        """Return a dictionary of plain values, the same as in the command line's JSON.

        `tokalign.formats` reads it back as gold or predictions; docs/formats.md describes it.

        Parameters
        ----------
        id : str, optional
            Name of the pair; without it, there is no "id".
        """
        value = alignment_to_json(
            id or "", self, phrases=bool(self.phrases), edits=bool(self.edits)
        )
        if id is None:
            del value["id"]
        return value

    def to_json(self, *, id: str | None = None) -> str:
        """Return `to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(id=id), ensure_ascii=False)

    def to_svg(self) -> str:
        """Return a picture of both sentences, with a curve for each link."""
        from tokalign.showing.text import pair_svg

        return pair_svg(*self._shown())

    def to_html(self) -> str:
        """Return an HTML fragment: the picture of `to_svg`, with score and similarity below.

        It has no script, loads nothing, and fits the page around it. A picture that is too wide
        scrolls.
        """
        from html import escape

        figures = f"score {self.score:.2f}, similarity {self.similarity:.2f}"
        if self.style:
            figures += f", style {self.style}"
        figures = "; ".join([figures, *self._conflict_lines()])
        return (
            # Jupyter shrinks pictures to the width of their container.
            '<figure style="margin: 0; overflow-x: auto">'
            f'<div style="width: max-content">{self.to_svg()}</div>'
            f'<figcaption style="font-size: 85%">{escape(figures)}</figcaption></figure>'
        )

    def _table(self) -> dict[str, list[Any]]:
        return link_columns(self)

    def _row(self) -> dict[str, Any]:
        row: dict[str, Any] = {"source_text": self.source.text, "target_text": self.target.text}
        row |= {"links": self.to_pharaoh(), **figures_to_json(self)}
        conflicts = ", ".join(conflict.kind for conflict in self.conflicts)
        return row | {"conflicts": conflicts}
