"""Alignments: links of one pair, scores and explanations.

Indices are 0-based token positions and always ordered (source, target). In question answering
and entailment data the source is the passage or premise, the target the question or hypothesis.
"""

from __future__ import annotations

import importlib
import json
import sys
from html import escape
from typing import TYPE_CHECKING, Any

from tokalign.errors import MissingPackageError
from tokalign.showing.pair import ShownLink, link_lines, pair_svg
from tokalign.showing.text import one_line
from tokalign.types.fields import AlignmentFields
from tokalign.types.links import AlignedWord, Link, words_of
from tokalign.types.objects import alignment_to_json, link_columns

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from nltk.translate import AlignedSent


class Alignment(AlignmentFields):
    """The answer for one pair.

    Attributes
    ----------
    source, target : Sentence
        With the columns the annotator filled.
    links : tuple of Link
        Sorted by (source, target).
    score : float
        How much of the target the source says, in [0, 1]: `target_covered`, lowered where both
        sides conflict (tokalign.decoding.link_decision).
    similarity : float
        How much both sentences say the same, in [0, 1]: `covered`, where there is a `cosine` mixed
        with it, lowered where they conflict (tokalign.decoding.by_model).
    model, version : str
        Name and version of the model, or system, that decided.
    symmetrization : Symmetrization
    posteriors : float32 array, shape (n_source, n_target), or None
        Probability of every link, in [0, 1], where asked for.
    explanations : tuple of LinkExplanation
        Empty unless asked for.
    phrases : tuple of Phrase
        The maximal blocks of links by where they start, each link in at least one; see
        tokalign.types.phrases. Empty unless asked for.
    source_truncated, target_truncated : bool
        Whether the sentence's end was cut off, as AlignOptions.truncate asks.
    distance : float or None
        Of the two sentences, at least 0, where the system that decided measures one.
    style : str
        Name of the model's style that decided; empty where there are none.
    target_covered : float
        Expected share of the target's tokens that have a partner, in [0, 1]; content words
        count fully, function words and punctuation little. Both directions must support a link,
        whichever is asked for.
    covered : float
        Expected share of tokens that have a partner, in [0, 1], weighed by how rare they are, of
        the side that has less of them.
    agreement : float
        In [0, 1]: 1 without conflicts, else the product of 1 minus the strength of each.
    conflicts : tuple of Conflict
        Where both sides say unlike things in the same place. Systems find none.
    edits : tuple of Edit
        What changed from the source to the target. Every token is part of one; they are ordered by
        target, a deletion behind the edit that ends before it in the source. Empty unless asked
        for.
    cosine : float or None
        Of the two sentences' vectors, in [-1, 1], where the model has an encoder; it is computed
        with the similarity, when you first ask for one of them. None of a pair that the encoder
        did not read, unless pairs are compared by their scores; see tokalign.decoding.cascade.
    encoded : bool or None
        Whether the model's encoder read the pair, as AlignOptions.effort asks; None where the
        model has no encoder.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        texts = " - ".join(repr(one_line(side.text)) for side in (self.source, self.target))
        return (
            f"<Alignment {texts}: {len(self.links)} links, score {self.score:.2f}, "
            f"similarity {self.similarity:.2f}>"
        )

    def __str__(self) -> str:
        """Return both texts, and a line for each link, such as ``opened = founded (0.83)``."""
        texts = [one_line(self.source.text), one_line(self.target.text)]
        return "\n".join([*texts, *link_lines(*self._shown())])

    def show(self) -> None:
        """Show the pair: as a picture in a notebook, else as the text of `str` on stdout."""
        notebook = sys.modules.get("ipykernel") and sys.modules.get("IPython")
        if notebook and notebook.get_ipython() is not None:
            notebook.display.display(self)
        else:
            print(self)  # noqa: T201  # what it is called for

    def _shown(self) -> tuple[tuple[str, ...], tuple[str, ...], list[ShownLink]]:
        """Return tokens and links as `showing` takes them; an answer may be without sentences."""
        links = self.links if len(self.source) else ()
        shown = [(link.source, link.target, link.confidence) for link in links]
        return self.source.tokens, self.target.tokens, shown

    def _repr_html_(self) -> str:
        return self.to_html()

    @property
    def source_words(self) -> tuple[AlignedWord, ...]:
        """The words of the source, each with its links."""
        links: dict[int, list[Link]] = {}
        for link in self.links:
            links.setdefault(link.source, []).append(link)
        return words_of(self.source, links, self.posteriors)

    @property
    def target_words(self) -> tuple[AlignedWord, ...]:
        """The words of the target, each with its links."""
        links: dict[int, list[Link]] = {}
        for link in self.links:
            links.setdefault(link.target, []).append(link)
        posteriors = None if self.posteriors is None else self.posteriors.T
        return words_of(self.target, links, posteriors)

    def to_pharaoh(self) -> str:
        """Return the links as ``"0-0 1-2"``, ordered by source, then target."""
        return " ".join(f"{link.source}-{link.target}" for link in self.links)

    def to_nltk(self) -> AlignedSent:
        """Return NLTK's aligned sentence: `words` are the source's tokens, `mots` the target's.

        Links keep their order (source, target), as `to_pharaoh` writes them. `GoldPair.from_nltk`
        reads it back.

        Raises
        ------
        MissingPackageError
            If NLTK is not installed.
        """
        try:
            from nltk.translate import AlignedSent
            from nltk.translate import Alignment as Links
        except ImportError as error:
            raise MissingPackageError.of("Alignment.to_nltk", error, "nltk") from error
        links = Links((link.source, link.target) for link in self.links)
        return AlignedSent(list(self.source.tokens), list(self.target.tokens), links)

    def to_dict(self, *, id: str | None = None) -> dict[str, Any]:
        """Return a dictionary of plain values, as the command line writes to a line of JSON.

        `tokalign.formats` reads it back as gold or predictions; docs/formats.md describes it.

        Parameters
        ----------
        id : str, optional
            Name of the pair; without, there is no "id".
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
        return pair_svg(*self._shown())

    def to_html(self) -> str:
        """Return a piece of a page: the picture of `to_svg`, and score and similarity below.

        It holds no script, loads nothing, and looks like the page around it. A picture scrolls
        where it is wider than its place.
        """
        figures = f"score {self.score:.2f}, similarity {self.similarity:.2f}"
        if self.style:
            figures += f", style {self.style}"
        return (
            # Jupyter shrinks pictures to the width of what they are in.
            '<figure style="margin: 0; overflow-x: auto">'
            f'<div style="width: max-content">{self.to_svg()}</div>'
            f'<figcaption style="font-size: 85%">{escape(figures)}</figcaption></figure>'
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return the links as rows of a data frame, with their words, offsets and confidence.

        Raises
        ------
        MissingPackageError
            If pandas is not installed.
        """
        return _frame_maker("pandas")(link_columns(self))

    def to_polars(self) -> pl.DataFrame:
        """Return the links as rows of a data frame of polars; see `to_pandas`.

        Raises
        ------
        MissingPackageError
            If polars is not installed.
        """
        return _frame_maker("polars")(link_columns(self))


def _frame_maker(package: str) -> Any:
    """Return the class DataFrame of a package; MissingPackageError without the package."""
    try:
        return importlib.import_module(package).DataFrame
    except ImportError:
        raise MissingPackageError(
            f"a data frame of {package} needs the package {package}; run: pip install {package}"
        ) from None
