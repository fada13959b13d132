"""The default annotator, which needs no download.

Lemmas are found by WordNet's morphy, see morphy(7WN): exception lists, then rules of detachment
checked in WordNet. Closed-class forms and proper nouns, which it does not hold, have small tables.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Self

from tokalign.english.annotate.annotated_texts import AnnotatedTexts, TextAnnotator
from tokalign.english.annotate.annotator import require_tokens
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.english.reading.text_reading import TextReading, read_text
from tokalign.errors import ResourceError
from tokalign.files.shipped import LISTS
from tokalign.files.tables import Table
from tokalign.types import Sentence, SentenceLike
from tokalign.types.locks import LEFT, ForkLock, cached_property

MAX_REMEMBERED = 100_000
REMEMBERED_CHARACTERS = 64

_DETACHMENTS = [
    (name, [word.split("/") for word in words]) for name, words in LISTS.rows["detachments"]
]
"""Parts of speech as WordNet's files name them, each with endings and what they stand for."""
_NOUN, _ADJECTIVE, _ADVERB = 0, 2, 3
_REGULAR_PLURAL = re.compile(r"[^\W\d_]{3}(?<![siu])s$")
_POS_OF_TAG = {"N": 0, "V": 1, "J": 2, "R": 3}

CLOSED = {
    tuple(form.split("/")): lemma for form, lemma in LISTS.values("closed-forms", str).items()
}
"""Lemma of a lower-case form under the first letter of its Penn tag."""


class Lemmatizer:
    """Lemmas of English words under their Penn tags, by the shipped WordNet or another one.

    Raises ResourceError if the table's lists of exceptions are missing or damaged.
    """

    def __init__(self, wordnet: WordNet | None = None) -> None:
        self._wordnet = wordnet or WordNet.open_shipped()
        self._exceptions = [
            _exceptions(self._wordnet.source, f"exceptions_{name}") for name, _ in _DETACHMENTS
        ]
        self._known = lru_cache(MAX_REMEMBERED)(self._look_up)

    def lemmatize(self, token: str, tag: str) -> str:
        """Return the lemma of a token with a Penn Treebank tag.

        It is lower-case except in proper nouns and "I". If no rule leads to a word of WordNet, it
        is the lower-case token itself, without -s if it is a plural.

        Examples
        --------
        >>> lemmatizer = Lemmatizer()
        >>> [lemmatizer.lemmatize(*word) for word in (("Geese", "NNS"), ("saw", "VBD"))]
        ['goose', 'see']
        """
        # A string longer than any real word is not worth its memory.
        is_short = len(token) + len(tag) <= REMEMBERED_CHARACTERS
        return self._known(token, tag) if is_short else self._look_up(token, tag)

    def _look_up(self, token: str, tag: str) -> str:
        lower = token.lower()
        closed = CLOSED.get((lower, tag[:1]))
        if closed is not None:
            return closed
        if tag == "NNP":
            return token
        if tag == "NNPS":
            singular = self._morphy(lower, 0)
            return singular.capitalize() if singular != lower else token
        pos = _POS_OF_TAG.get(tag[:1])
        if pos is None or tag in ("NN", "VB", "JJ", "RB", "RP"):
            return lower
        if tag in ("RBR", "RBS") and lower not in self._exceptions[_ADVERB]:
            # Compared like adjectives: "later" is "late".
            candidate = self._morphy(lower, _ADJECTIVE)
            return candidate if self._wordnet.entry(candidate, _ADVERB) >= 0 else lower
        return self._morphy(lower, pos)

    def _morphy(self, lower: str, pos: int) -> str:
        exception = self._exceptions[pos].get(lower)
        if exception is not None:
            return exception
        for suffix, ending in _DETACHMENTS[pos][1]:
            if lower.endswith(suffix) and len(lower) > len(suffix):
                candidate = lower[: -len(suffix)] + ending
                if self._wordnet.entry(candidate, pos) >= 0:
                    return candidate
        if self._wordnet.entry(lower, pos) < 0 and pos == _NOUN and _REGULAR_PLURAL.search(lower):
            return lower[:-1]
        return lower


def _exceptions(table: Table, name: str) -> dict[str, str]:
    """Return the irregular forms of a part of speech and their lemmas."""
    try:
        return dict(line.split(" ") for line in table.strings(name))
    except ValueError as error:
        raise ResourceError(
            f"{table.path}: a line of {name!r} is not two words with a space between them"
        ) from error


@cache
def shared_lemmatizer() -> Lemmatizer:
    """Return one lemmatizer for the process."""
    return Lemmatizer()


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
