"""The annotator protocol, loading of annotators by name, and code that they share."""

import importlib
from collections.abc import Iterable, Sequence, Sized
from typing import Protocol, cast

from tokalign.english.reading.text_reading import read_text
from tokalign.errors import InputError, ResourceError, quoted
from tokalign.types import Sentence, SentenceLike


class Annotator(Protocol):
    """Turns a text, tokens or a sentence into tokens, tags, lemmas and, if asked, a tree.

    Attributes
    ----------
    name : str
        As given to `load_annotator`; recorded in models, so that training and serving use one
        scheme of tags and relations.
    """

    @property
    def name(self) -> str: ...

    def annotate(self, sentences: Sequence[SentenceLike], *, trees: bool) -> list[Sentence]:
        """Return the sentences with tags and lemmas and, if `trees`, heads and relations.

        Parameters
        ----------
        sentences : sequence of str, sequence of str, or Sentence
            Raw text, of any number of sentences, is tokenised. Given tokens are kept. A Sentence's
            filled columns are kept, and the others computed.
        trees : bool
            Whether to parse; each sentence of a raw text gets its own root. A given tree is kept
            either way.

        InputError is raised if a sentence has no token.
        """
        ...


ANNOTATORS = {
    "native": "tokalign.english.annotate.native:NativeAnnotator",
    "nltk": "tokalign.english.annotate.nltk:NltkAnnotator",
    "spacy": "tokalign.english.annotate.spacy:SpacyAnnotator",
    "stanza": "tokalign.english.annotate.stanza:StanzaAnnotator",
}
"""The class of each annotator, imported when it is first loaded."""


def load_annotator(name: str) -> Annotator:
    """Return a new annotator by name: ``"native"`` needs nothing but this package.

    Parameters
    ----------
    name : str
        One of ANNOTATORS; ``"stanza:FOLDER"`` and ``"spacy:MODEL"`` also say which models.

    ResourceError is raised if there is no such annotator, or a package or model that it needs is
    missing.
    """
    kind, _, model = name.partition(":")
    if kind not in ANNOTATORS:
        known = ", ".join(sorted(ANNOTATORS))
        raise ResourceError(f"no annotator is called {quoted(kind)}; choose one of: {known}")
    if model and kind in ("native", "nltk"):
        raise ResourceError(f"the {kind} annotator has one model; {quoted(model)} cannot be chosen")
    module, _, attribute = ANNOTATORS[kind].partition(":")
    make = getattr(importlib.import_module(module), attribute)
    return cast(Annotator, make(model) if model else make())


def with_tokens(sentence: Sequence[str] | Sentence) -> Sentence:
    """Return a caller's tokens or sentence as a sentence; InputError if a token is empty."""
    return sentence if isinstance(sentence, Sentence) else Sentence.from_tokens(sentence)


def whole(given: Sequence[str] | Sentence) -> tuple[Sentence, list[int]]:
    """Return a caller's tokens as one sentence, and their number; see with_tokens."""
    sentence = with_tokens(given)
    return sentence, [len(sentence)]


def sentence_at(text: str, tokens: Sequence[str], spans: Iterable[tuple[int, int]]) -> Sentence:
    """Return a raw text, as it was sent, with the tokens that were found in its words.

    `spans` are their starts and ends in `tokalign.english.reading.text_reading.words_of(text)`.
    """
    reading = read_text(text)
    places = spans if reading is None else (reading.places(*span) for span in spans)
    starts, ends = zip(*places, strict=True) if tokens else ((), ())
    return Sentence(text, tuple(tokens), starts, ends)


def filled(
    sentence: Sentence,
    *,
    tags: tuple[str, ...],
    lemmas: tuple[str, ...],
    heads: tuple[int, ...] | None = None,
    relations: tuple[str, ...] | None = None,
) -> Sentence:
    """Return a sentence with those of the columns that it has not yet."""
    if sentence.heads is not None:
        heads, relations = sentence.heads, sentence.relations
    tags = tags if sentence.tags is None else sentence.tags
    lemmas = lemmas if sentence.lemmas is None else sentence.lemmas
    return sentence.replace(tags=tags, lemmas=lemmas, heads=heads, relations=relations)


def require_tokens(batch: Sequence[Sized]) -> None:
    """Raise InputError if a sentence has no token, with its index if there are several."""
    for index, sentence in enumerate(batch):
        if not len(sentence):
            which = "the sentence" if len(batch) == 1 else f"sentence {index}"
            raise InputError(f"{which} has no token; give text with at least one word")
