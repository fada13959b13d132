"""The default annotator: everything in this package, nothing to download."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from tokalign.annotate._forms import Forms
from tokalign.annotate._texts import Annotate
from tokalign.annotate._tokenize import tokenize
from tokalign.annotate.columns import Columns, given_columns, require_tokens
from tokalign.annotate.lemmatize import shared_lemmatizer
from tokalign.annotate.parser import Parser
from tokalign.annotate.tagger import Tagger
from tokalign.types import Sentence, SentenceLike

_Given: TypeAlias = tuple[str, tuple[str, ...] | None]
"""A text, and its tokens where they are not to be found."""


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
    def _annotate_texts(self) -> Annotate:
        return Annotate(self.tagger, self._lemmatize)

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
        given = [None if trees else _in_words(each) for each in sentences]
        views = self._views([each for each in given if each is not None])
        begun = [
            next(views) if words is not None
            else _from_text(each) if isinstance(each, str)
            else given_columns(each)
            for each, words in zip(sentences, given, strict=True)
        ]  # fmt: skip
        require_tokens(begun)
        self._fill([each for each in begun if isinstance(each, Columns)], trees=trees)
        return [each.sentence() if isinstance(each, Columns) else each for each in begun]

    def _views(self, given: list[_Given]) -> Iterator[Sentence]:
        """Yield sentences annotated, without trees, as views of columns."""
        if given:
            with self._lock:
                columns = self._annotate_texts(
                    [text for text, _ in given], [tokens for _, tokens in given]
                )
            for index, (text, _) in enumerate(given):
                yield Sentence.of(columns, index, text=text)

    def _fill(self, columns: list[Columns], *, trees: bool) -> None:
        """Fill what is missing."""
        open_columns = [
            column for column in columns if column.tags is None or (trees and column.heads is None)
        ]
        if open_columns:
            forms = Forms([column.tokens for column in open_columns])
            self._fill_tags(open_columns, forms)
            if trees:
                self._fill_trees(open_columns, forms)
        lemmatize = self._lemmatize
        for column in columns:
            if column.lemmas is None:
                column.lemmas = tuple(map(lemmatize, column.tokens, column.tags or ()))

    def _fill_tags(self, columns: list[Columns], forms: Forms) -> None:
        if all(column.tags is not None for column in columns):
            return
        names = self.tagger.tags
        tags = [names[tag] for tag in self.tagger.tag_ids(forms).tolist()]
        for column, (start, end) in zip(columns, pairwise(forms.offsets_list()), strict=True):
            if column.tags is None:
                column.tags = tuple(tags[start:end])

    def _fill_trees(self, columns: list[Columns], forms: Forms) -> None:
        parser = self.parser
        tags = parser.tag_ids([tag for column in columns for tag in column.tags or ()])
        head_ids, label_ids = parser.parse_ids(forms, tags)
        heads = head_ids.tolist()
        names = parser.labels
        relations = [names[label] for label in label_ids.tolist()]
        for column, (start, end) in zip(columns, pairwise(forms.offsets_list()), strict=True):
            if column.heads is None:
                column.heads = tuple(heads[start:end])
                column.relations = tuple(relations[start:end])


def _in_words(sentence: SentenceLike) -> _Given | None:
    """Return a text, or the text of tokens with spaces between them and the tokens; or None.

    None is for what `given_columns` has to read: a Sentence, and tokens that are empty, begin or
    end with a space.
    """
    if isinstance(sentence, str):
        return sentence, None
    if isinstance(sentence, Sentence):
        return None
    tokens = tuple(sentence)
    text = " ".join(tokens)
    if not text or text[0] == " " or text[-1] == " " or "  " in text:
        return None
    return text, tokens


def _from_text(text: str) -> Columns:
    tokens, starts, ends = tokenize(text)
    return Columns(text, tuple(tokens), tuple(starts), tuple(ends))
