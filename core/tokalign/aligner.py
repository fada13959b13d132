"""The aligner: a model, an annotator and the decoder behind one object."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate import Annotator, load_annotator
from tokalign.crf._decoder import Decoder
from tokalign.crf._joint import coverage, joint_links
from tokalign.errors import InputError, LimitError, ModelError
from tokalign.explain import explain_label
from tokalign.features.lexicons import Lexicons
from tokalign.model import Model, ModelHeader, load_model
from tokalign.symmetrize import symmetrize
from tokalign.tables import DATA_DIR
from tokalign.types import (
    DEFAULT_SYMMETRIZATION,
    Alignment,
    AlignOptions,
    Direction,
    Link,
    LinkExplanation,
    Sentence,
    SentenceLike,
    Symmetrization,
)

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded
    from tokalign.neural.encoder import Encoder

DEFAULT_MODEL = "en"
MAX_TOKENS = 512
MODEL_SUFFIX = ".tokalign"
JOINT_THRESHOLD = 0.4
"""Mean posterior from which the joint decision takes a link. Cross-validated on RTE2's development
half F1 is flat between 0.3 and 0.4 (three divisions into folds), and exact match best at 0.4."""

Pair = tuple[SentenceLike, SentenceLike]
Array = NDArray[np.float64]


def shipped_models() -> list[str]:
    """Return the names of the models in the package, the default first."""
    names = sorted(path.stem for path in DATA_DIR.glob(f"*{MODEL_SUFFIX}"))
    return sorted(names, key=lambda name: name != DEFAULT_MODEL)


def model_path(model: str | os.PathLike[str]) -> Path:
    """Return the file of a shipped model's name, or the path itself.

    Raises
    ------
    ModelError
        If it is neither a shipped name nor an existing file.
    """
    shipped = DATA_DIR / f"{model}{MODEL_SUFFIX}"
    if isinstance(model, str) and shipped.is_file():
        return shipped
    path = Path(model)
    if not path.is_file():
        raise ModelError(
            f"no model {str(model)!r}: not a file, and not one of the shipped models "
            f"{', '.join(shipped_models()) or '(none)'}"
        )
    return path


class Aligner:
    """Aligns sentence pairs. Not safe to share by threads; each can load its own.

    Parameters
    ----------
    model : Model
    annotator : Annotator
    encoder : Encoder, optional
        In place of the one that the model names.

    Attributes
    ----------
    header : ModelHeader
    annotator : Annotator

    Examples
    --------
    >>> aligner = Aligner.load()
    >>> aligner.align("Dogs bark.", "The dogs bark.").to_pharaoh()
    '0-1 1-2 2-3'
    """

    def __init__(
        self, model: Model, annotator: Annotator, *, encoder: Encoder | None = None
    ) -> None:
        self.header: ModelHeader = model.header
        self.annotator = annotator
        self._model = model
        lexicons = Lexicons.for_groups(model.table.groups)
        self._decoder = Decoder(
            lexicons.wordnet,
            model.table.base,
            model.weights,
            model.transitions,
            lexicons.vectors,
            lexicons.paraphrases,
        )
        if encoder is None and model.header.encoder:
            encoder = _open_encoder(model.header.encoder)
        self._encoder = encoder

    @classmethod
    def load(
        cls,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        *,
        annotator: str | Annotator = "native",
    ) -> Self:
        """Return an aligner with a model that ships, or one from a file. Needs no network.

        Parameters
        ----------
        model : str or path-like
            A name out of shipped_models(), or the path of a model file.
        annotator : str or Annotator
            A name known to tokalign.annotate, or an object that follows its protocol.

        Raises
        ------
        ModelError
            If the model cannot be found or read.
        ResourceError
            If a table that the model was trained with, or a package that the annotator or the
            model's encoder needs, is missing.
        """
        if isinstance(annotator, str):
            annotator = load_annotator(annotator)
        return cls(load_model(model_path(model)), annotator)

    def annotate(self, sentences: Sequence[SentenceLike]) -> list[Sentence]:
        """Return sentences with every column that the model needs.

        Raises
        ------
        InputError
            If a sentence is empty, its columns do not fit, or it holds lone surrogates.
        LimitError
            If a sentence has more than MAX_TOKENS tokens.
        """
        try:
            annotated = self.annotator.annotate(sentences, trees=self.header.uses_trees)
        except UnicodeEncodeError as error:
            raise InputError(f"a sentence is not valid Unicode: {error}") from error
        for sentence in annotated:
            if len(sentence) > MAX_TOKENS:
                raise LimitError(
                    f"a sentence has {len(sentence)} tokens, more than {MAX_TOKENS}; split it"
                )
        return annotated

    def encode(self, pairs: Sequence[tuple[Sentence, Sentence]]) -> list[Encoded | None]:
        """Return what the model's encoder says of pairs, for `align`; None for each without one.

        Encoding many pairs at once is faster, and gives the same as one by one.
        """
        if self._encoder is None:
            return [None] * len(pairs)
        return list(self._encoder.encode(pairs))

    def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        *,
        encoded: Encoded | None = None,
        **changes: Any,
    ) -> Alignment:
        """Return the alignment of one pair.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
            Raw text, tokens, or a sentence of which missing columns are filled.
        options : AlignOptions, optional
            How to align and what to return.
        encoded : pair of float32 arrays, optional
            What `encode` said of the pair; it is asked here otherwise.
        **changes
            Fields of AlignOptions, in place of those of `options`.

        Raises
        ------
        InputError
            If a sentence is empty or an option is unknown or out of range.
        LimitError
            If a sentence has more than MAX_TOKENS tokens.
        """
        options = AlignOptions.of(options, changes)
        source, target = self.annotate((source, target))
        encoded = encoded or self.encode([(source, target)])[0]
        found, directed = self._decide(source, target, encoded, options.symmetrization)
        links = [Link(*each) for each in found if each[2] >= options.min_confidence]
        explanations: tuple[LinkExplanation, ...] = ()
        if options.explain:
            explanations = tuple(
                explanation
                for link in links
                for explanation in self._explain(
                    link.source, link.target, options.symmetrization, *directed
                )
            )
        posteriors = None
        if options.posteriors:
            posteriors = _combine(*directed, options.symmetrization).astype(np.float32)
        return Alignment(
            source=source,
            target=target,
            links=tuple(links),
            score=sentence_score(coverage(*directed), target),
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
            posteriors=posteriors,
            explanations=explanations,
        )

    def _decide(
        self,
        source: Sentence,
        target: Sentence,
        encoded: Encoded | None,
        symmetrization: Symmetrization,
    ) -> tuple[list[tuple[int, int, float]], tuple[Array, Array]]:
        """Return (source, target, confidence) of the links, and both directions' posteriors."""
        if symmetrization is Symmetrization.JOINT:
            directed = self._decoder.posteriors(source, target, encoded)
            return joint_links(*directed, JOINT_THRESHOLD), directed
        s2t_states, t2s_states, s2t_posterior, t2s_posterior = self._decoder.decode(
            source, target, encoded
        )
        s2t = {(i, s - 1) for i, s in enumerate(s2t_states.tolist()) if s}
        t2s = {(s - 1, j) for j, s in enumerate(t2s_states.tolist()) if s}
        posterior = _combine(s2t_posterior, t2s_posterior, symmetrization)
        chosen = sorted(symmetrize(s2t, t2s, symmetrization))
        links = [(i, j, float(posterior[i, j])) for i, j in chosen]
        return links, (s2t_posterior, t2s_posterior)

    def pipe(
        self,
        pairs: Iterable[Pair],
        options: AlignOptions | None = None,
        *,
        batch_size: int = 64,
        **changes: Any,
    ) -> Iterator[Alignment]:
        """Yield the alignments of many pairs, in order, reading `batch_size` pairs ahead.

        Options are those of `align`; annotating and encoding in batches is faster.
        """
        if batch_size < 1:
            raise InputError(f"batch_size is {batch_size}; wanted at least 1")
        options = AlignOptions.of(options, changes)
        pending = iter(pairs)
        while batch := list(itertools.islice(pending, batch_size)):
            sentences = self.annotate([sentence for pair in batch for sentence in pair])
            annotated = list(zip(sentences[::2], sentences[1::2], strict=True))
            for (source, target), encoded in zip(annotated, self.encode(annotated), strict=True):
                yield self.align(source, target, options, encoded=encoded)

    def explain(
        self,
        source: SentenceLike,
        target: SentenceLike,
        source_index: int,
        target_index: int,
        *,
        symmetrization: Symmetrization | str = DEFAULT_SYMMETRIZATION,
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked: one explanation for each direction.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
        source_index, target_index : int
            0-based tokens; -1 on one side asks why the other side's token is unaligned.

        Raises
        ------
        InputError
            If an index is out of range, both are -1, or the one that the direction labels is.
        """
        chosen = AlignOptions.of(None, {"symmetrization": symmetrization}).symmetrization
        source, target = self.annotate((source, target))
        for name, index, sentence in (
            ("source_index", source_index, source),
            ("target_index", target_index, target),
        ):
            if not -1 <= index < len(sentence):
                raise InputError(
                    f"{name} is {index}; wanted -1 or a token of 0..{len(sentence) - 1}", field=name
                )
        if source_index < 0 and target_index < 0:
            raise InputError("both indices are -1; one must name a token", field="source_index")
        for labelling, name, index in (
            (Direction.SOURCE_TO_TARGET, "source", source_index),
            (Direction.TARGET_TO_SOURCE, "target", target_index),
        ):
            if chosen == labelling and index < 0:
                raise InputError(
                    f"{chosen} labels {name} tokens; {name}_index must name one, not be -1",
                    field=f"{name}_index",
                )
        directed = self._decoder.posteriors(source, target, *self.encode([(source, target)]))
        return tuple(self._explain(source_index, target_index, chosen, *directed))

    def _explain(
        self,
        source_index: int,
        target_index: int,
        symmetrization: Symmetrization,
        s2t_posterior: Array,
        t2s_posterior: Array,
    ) -> Iterator[LinkExplanation]:
        """Explain a link of the pair that was decoded last in each direction that took part."""
        features = self._decoder.features(source_index, target_index)
        if symmetrization is not Symmetrization.TARGET_TO_SOURCE and source_index >= 0:
            yield explain_label(
                self._model, features, s2t_posterior[source_index], source_index, target_index,
                Direction.SOURCE_TO_TARGET,
            )  # fmt: skip
        if symmetrization is not Symmetrization.SOURCE_TO_TARGET and target_index >= 0:
            yield explain_label(
                self._model, features, t2s_posterior[target_index], source_index, target_index,
                Direction.TARGET_TO_SOURCE,
            )  # fmt: skip


def _open_encoder(name: str) -> Encoder:
    from tokalign.neural.encoder import Encoder  # its packages are optional

    return Encoder.open_shipped(name)


def _combine(s2t_posterior: Array, t2s_posterior: Array, symmetrization: Symmetrization) -> Array:
    """Return posteriors of shape (n_source, n_target); the mean where both directions count."""
    s2t, t2s = s2t_posterior[:, 1:], t2s_posterior[:, 1:].T
    if symmetrization is Symmetrization.SOURCE_TO_TARGET:
        return s2t
    if symmetrization is Symmetrization.TARGET_TO_SOURCE:
        return t2s
    return (s2t + t2s) / 2


CONTENT_WEIGHT = 1.0
OTHER_WEIGHT = 0.1


def sentence_score(covered: Sequence[float], target: Sentence) -> float:
    """Return the expected share of the target's content that has a partner, in [0, 1].

    Parameters
    ----------
    covered : sequence of float, length n_target
        How far each token has a partner, in [0, 1]. The aligner gives what both directions
        support (tokalign.crf._joint.coverage): on TrecQA's development questions that ranks
        answers better than the mean or product of their posteriors.
    target : Sentence
        With tags. Nouns, names, verbs, adjectives, adverbs and numbers weigh 1, others 0.1.
    """
    total = summed = 0.0
    for tag, share in zip(target.tags or (), covered, strict=True):
        weight = CONTENT_WEIGHT if tag[:1] in "NVJRC" and tag != "CC" else OTHER_WEIGHT
        total += weight
        summed += weight * share
    return summed / total
