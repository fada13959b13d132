"""The default annotator, which needs no download."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from tokalign.english.annotate.annotated_texts import AnnotatedTexts, TextAnnotator
from tokalign.english.annotate.annotator import require_tokens
from tokalign.english.annotate.lemmatize import shared_lemmatizer
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.reading.text_reading import TextReading, read_text
from tokalign.types import Sentence, SentenceLike
from tokalign.types.locks import LEFT, ForkLock, cached_property


class NativeAnnotator:
    """Penn Treebank tokens and tags, WordNet lemmas, Universal Dependencies trees.

    A raw text is split into sentences; each is tokenised, tagged and parsed by itself, and has a
    root. Given tokens are one sentence.

    Tables are mapped on first use, so an annotator that never parses never maps the parser's table.
    Threads may share an annotator.
    """

    name = "native"

    def __init__(self) -> None:
        self._lock = ForkLock()  # of the cached words

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

        See `annotator.Annotator.annotate`. The parser uses given tags.

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
        readings = [each.reading for each in given]
        with self._lock as is_left:
            if is_left:
                LEFT.append(self.__dict__.pop("_texts", None))
            columns = self._texts(
                [each.text for each in given],
                [each.tokens for each in given],
                [each.places for each in given],
                readings if any(readings) else None,
            )
        annotated = [
            self._sentence(each, sent, columns, index)
            for index, (each, sent) in enumerate(zip(given, sentences, strict=True))
        ]
        require_tokens(annotated)
        if not trees:
            return annotated
        return self._with_trees(
            annotated, [columns.sentence_ranges(index) for index in range(len(given))]
        )

    def _sentence(
        self, given: "_Given", sent: SentenceLike, columns: AnnotatedTexts, index: int
    ) -> Sentence:
        """Return a sentence: a view of columns unless the caller gave tags or lemmas."""
        own = given.own
        if own is None:
            text = sent if isinstance(sent, str) else given.text
            # Asking the columns for a tree would cost more than these two fields.
            return Sentence.of(columns, index, text=text, heads=None, relations=None)
        if own.tags is None and own.lemmas is None:
            return Sentence.of(
                columns, index, text=own.text, heads=own.heads, relations=own.relations
            )
        tags = columns.field(index, "tags") if own.tags is None else own.tags
        lemmas = own.lemmas
        if lemmas is None:
            lemmas = tuple(map(self._lemmatize, own.tokens, tags))
        return own.replace(tags=tags, lemmas=lemmas)

    def _with_trees(
        self, texts: Sequence[Sentence], ranges: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Sentence]:
        """Return texts with trees, parsing those that lack one.

        `ranges` has the tokens of each text's sentences, from the first to before the second.
        """
        bare = [
            (each.tokens, each.tags or (), parts)
            for each, parts in zip(texts, ranges, strict=True)
            if each.heads is None
        ]
        trees = iter(
            self.parser.parse(
                [tokens[a:b] for tokens, _, parts in bare for a, b in parts],
                [tags[a:b] for _, tags, parts in bare for a, b in parts],
            )
        )
        return [
            _with_tree(each, [(first, *next(trees)) for first, _ in parts])
            if each.heads is None
            else each
            for each, parts in zip(texts, ranges, strict=True)
        ]


# Frozen, it would take as long to make as to read a short text.
@dataclass(slots=True, eq=False, repr=False)
class _Given:
    """A caller's sentence, in the form that texts are annotated in."""

    text: str  # raw and in its normal form, or tokens with a space between two
    tokens: tuple[str, ...] | None = None  # None if the text is to be tokenised
    places: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """Starts and ends of the tokens in the caller's text, if that is another one."""
    own: Sentence | None = None  # the caller's, with its text and columns
    reading: TextReading | None = None  # of a raw text that is not plain

    @classmethod
    def of(cls, sentence: SentenceLike) -> Self:
        """Return the form of a caller's sentence; InputError if a token is empty."""
        if isinstance(sentence, str):
            reading = read_text(sentence)
            return cls(sentence) if reading is None else cls(reading.text, reading=reading)
        if not isinstance(sentence, Sentence):
            tokens = tuple(sentence)
            text = " ".join(tokens)
            is_plain = text and text[0] != " " != text[-1] and "  " not in text
            if is_plain or not tokens:
                return cls(text, tokens)
            sentence = Sentence.from_tokens(tokens)  # which gives the offsets of such tokens
        text = " ".join(sentence.tokens)
        return cls(text, sentence.tokens, (sentence.starts, sentence.ends), sentence)


def _with_tree(
    text: Sentence, trees: Sequence[tuple[int, tuple[int, ...], tuple[str, ...]]]
) -> Sentence:
    """Return a text with the trees of its sentences: first token, heads from there, relations."""
    heads = tuple(first + head if head >= 0 else head for first, part, _ in trees for head in part)
    relations = tuple(relation for _, _, part in trees for relation in part)
    viewed = text.viewed()
    if viewed is None:
        return text.replace(heads=heads, relations=relations)
    return Sentence.of(*viewed, text=text.text, heads=heads, relations=relations)
