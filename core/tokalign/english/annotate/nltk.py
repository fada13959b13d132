"""NLTK's tokeniser, tagger and lemmatiser behind the annotator protocol: the extra ``nltk``."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tokalign.english.annotate.annotator import filled, require_tokens, sentence_at, whole
from tokalign.english.reading.text_reading import words_of
from tokalign.errors import InputError, MissingPackageError, ResourceError, quoted
from tokalign.types import Sentence, SentenceLike

_WORDNET_POS = {"N": "n", "V": "v", "M": "v", "J": "a", "R": "r"}
"""First letter of a Penn tag -> WordNet's part of speech; other words have no lemma there."""
_PENN_TAGS = {"(": "-LRB-", ")": "-RRB-"}
"""NLTK's tag -> the Penn Treebank's, where they differ."""
_QUOTES = {"``": ('"', "''"), "''": ('"',)}
"""NLTK's token for a quotation mark -> the marks in the text that it may stand for."""


class NltkAnnotator:
    """Penn tokens and tags and WordNet lemmas from NLTK; it makes no trees.

    Punkt splits a raw text into sentences; each is tokenised and tagged by itself. Nothing is
    downloaded: NLTK looks for its data in its own folders and those of ``NLTK_DATA``.

    ResourceError is raised if NLTK or one of its data packages is missing or damaged.
    """

    name = "nltk"

    def __init__(self) -> None:
        try:
            import nltk.corpus
            import nltk.stem
            import nltk.tag
            import nltk.tokenize
        except ImportError as error:
            raise MissingPackageError.of("the nltk annotator", error, "nltk") from error
        self._sentences = _loaded("punkt_tab", nltk.tokenize.PunktTokenizer)
        self._words = nltk.tokenize.NLTKWordTokenizer()
        self._tagger = _loaded("averaged_perceptron_tagger_eng", nltk.tag.PerceptronTagger)
        _loaded("wordnet", lambda: nltk.corpus.wordnet.ensure_loaded())  # whose attributes load it
        self._lemmatizer = nltk.stem.WordNetLemmatizer()

    def annotate(self, sentences: Sequence[SentenceLike], *, trees: bool) -> list[Sentence]:
        """Return the sentences with tags and lemmas.

        See `annotator.Annotator.annotate`.

        InputError is raised if a sentence has no token, or trees are asked for and a sentence has
        none.
        """
        given = [
            self._tokenize(each) if isinstance(each, str) else whole(each) for each in sentences
        ]
        require_tokens([sentence for sentence, _ in given])
        if trees and any(sentence.heads is None for sentence, _ in given):
            raise InputError(
                "the nltk annotator makes no trees, which this model or system needs; choose "
                "another annotator, such as native, or give heads and relations"
            )
        return [self._filled(*each) for each in given]

    def _tokenize(self, text: str) -> tuple[Sentence, list[int]]:
        """Return the tokens of a text, and the number of tokens of each sentence."""
        tokens: list[str] = []
        spans: list[tuple[int, int]] = []
        lengths: list[int] = []
        words = words_of(text)
        for start, end in self._sentences.span_tokenize(words):
            found = self._words.tokenize(words[start:end])
            tokens += found
            spans += _spans(found, words, start)
            lengths.append(len(found))
        return sentence_at(text, tokens, spans), lengths

    def _filled(self, sentence: Sentence, lengths: Sequence[int]) -> Sentence:
        """Return a sentence with tags and lemmas, where they are missing."""
        tags: list[str] = []
        for length in lengths if sentence.tags is None else ():
            words = sentence.tokens[len(tags) : len(tags) + length]
            tags += (_PENN_TAGS.get(tag, tag) for _, tag in self._tagger.tag(words))
        tagged = sentence.tags or tuple(tags)
        lemmas = sentence.lemmas or tuple(map(self._lemma, sentence.tokens, tagged))
        return filled(sentence, tags=tagged, lemmas=lemmas)

    def _lemma(self, token: str, tag: str) -> str:
        """Return a word's lemma, in lower case but for proper nouns and "I"."""
        if tag.startswith("NNP") or token == "I":
            return token
        word, pos = token.lower(), _WORDNET_POS.get(tag[:1])
        return str(self._lemmatizer.lemmatize(word, pos)) if pos else word


def _loaded(package: str, load: Callable[[], Any]) -> Any:
    """Return an object loaded from one of NLTK's data packages, or raise ResourceError."""
    try:
        return load()
    except LookupError as error:
        raise ResourceError(
            f"NLTK's data package {quoted(package)} is missing; run "
            f"`python -m nltk.downloader {package}`, or set NLTK_DATA to the folder that has it"
        ) from error
    except Exception as error:
        # NLTK raises a different type of exception for each kind of damage.
        raise ResourceError(
            f"NLTK's data package {quoted(package)} cannot be read: {error}; run "
            f"`python -m nltk.downloader --force {package}`"
        ) from error


def _spans(tokens: Sequence[str], text: str, position: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each token of NLTK in a text, from a position on.

    NLTK's own `span_tokenize` fails where a text mixes kinds of quotation marks.
    """
    for token in tokens:
        while text[position : position + 1].isspace():
            position += 1
        written = (token, *_QUOTES.get(token, ()))
        length = next((len(each) for each in written if text.startswith(each, position)), 0)
        if not length:
            seen = quoted(text[position : position + 20])
            raise InputError(
                f"NLTK made the token {quoted(token)} of {seen}; give tokens instead of text"
            )
        yield position, position + length
        position += length
