"""The default annotator, which needs no download."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from tokalign.annotate.columns import require_tokens
from tokalign.annotate.lemmatize import shared_lemmatizer
from tokalign.annotate.parser import Parser
from tokalign.annotate.tagger import Tagger
from tokalign.annotate.texts import AnnotatedTexts, TextAnnotator
from tokalign.types import Sentence, SentenceLike


class NativeAnnotator:
    """Penn Treebank tokens and tags, WordNet lemmas, Universal Dependencies trees.

    The tables are mapped when they are first needed, so an annotator that never parses never
    touches the parser's table. Threads may share an annotator.
    """

    name = "native"

    def __init__(self) -> None:
        self._lock = threading.RLock()  # of the words that are remembered

    @cached_property
    def tagger(self) -> Tagger:
        """The tagger, mapped on first use."""
        return Tagger.load()

    @cached_property
    def parser(self) -> Parser:
        """The parser, mapped on first use."""
        return Parser.load()

    @cached_property
    def _lemmatize(self) -> Callable[[str, str], str]:
        return shared_lemmatizer().lemmatize

    @cached_property
    def _texts(self) -> TextAnnotator:
        return TextAnnotator(self.tagger, self._lemmatize)

    def annotate(self, sentences: Sequence[SentenceLike], *, trees: bool) -> list[Sentence]:
        """Return the sentences with tags and lemmas and, if `trees`, heads and relations.

        See `tokalign.annotate.base.Annotator.annotate`. Tags that were given are what the parser
        sees.

        Examples
        --------
        >>> sentence, = NativeAnnotator().annotate(["Dogs don't bark."], trees=True)
        >>> sentence.tokens
        ('Dogs', 'do', "n't", 'bark', '.')
        >>> sentence.heads
        (3, 3, 3, -1, 3)
        """
        given = [_Given.of(each) for each in sentences]
        if not given:
            return []
        with self._lock:
            columns = self._texts(
                [each.text for each in given],
                [each.tokens for each in given],
                [each.places for each in given],
            )
        annotated = [self._sentence(each, columns, index) for index, each in enumerate(given)]
        require_tokens(annotated)
        return self._with_trees(annotated) if trees else annotated

    def _sentence(self, given: _Given, columns: AnnotatedTexts, index: int) -> Sentence:
        """Return a sentence, a view of columns unless it brought tags or lemmas of its own."""
        own = given.own
        if own is None:
            return Sentence.of(columns, index, text=given.text)
        if own.tags is None and own.lemmas is None:
            tree = {"heads": own.heads, "relations": own.relations} if own.heads else {}
            return Sentence.of(columns, index, text=own.text, **tree)
        tags = columns.field(index, "tags") if own.tags is None else own.tags
        lemmas = own.lemmas
        if lemmas is None:
            lemmas = tuple(map(self._lemmatize, own.tokens, tags))
        return own.replace(tags=tags, lemmas=lemmas)

    def _with_trees(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return sentences with trees, those that lack one parsed."""
        bare = [each for each in sentences if each.heads is None]
        trees = iter(
            self.parser.parse([each.tokens for each in bare], [each.tags or () for each in bare])
        )
        return [
            _with_tree(each, *next(trees)) if each.heads is None else each for each in sentences
        ]


@dataclass(frozen=True, slots=True)
class _Given:
    """What a caller gave as a sentence, as texts are annotated.

    Attributes
    ----------
    text : str
        Raw, or tokens with a space between two.
    tokens : tuple of str or None
        None where they are to be found.
    places : (starts, ends) or None
        Offsets of the tokens in the caller's text, where that is another one.
    own : Sentence or None
        With the caller's text and columns.
    """

    text: str
    tokens: tuple[str, ...] | None = None
    places: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    own: Sentence | None = None

    @classmethod
    def of(cls, sentence: SentenceLike) -> Self:
        """Return what was given; InputError if a token is empty."""
        if isinstance(sentence, str):
            return cls(sentence)
        if not isinstance(sentence, Sentence):
            tokens = tuple(sentence)
            text = " ".join(tokens)
            is_plain = text and text[0] != " " != text[-1] and "  " not in text
            if is_plain or not tokens:
                return cls(text, tokens)
            sentence = Sentence.from_tokens(tokens)  # which says where such tokens stand
        text = " ".join(sentence.tokens)
        return cls(text, sentence.tokens, (sentence.starts, sentence.ends), sentence)


def _with_tree(sentence: Sentence, heads: tuple[int, ...], relations: tuple[str, ...]) -> Sentence:
    viewed = sentence.viewed()
    if viewed is None:
        return sentence.replace(heads=heads, relations=relations)
    return Sentence.of(*viewed, text=sentence.text, heads=heads, relations=relations)
