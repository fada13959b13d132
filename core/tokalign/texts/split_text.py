"""The sentences of a text for alignment with another one; also of a growing text."""

from tokalign.english.annotate.prepared import pieces
from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.errors import InputError, LimitError, quoted
from tokalign.types.inputs import text_bytes
from tokalign.types.sentence import MAX_TEXT_SENTENCES
from tokalign.types.texts import SentenceSpan

MOST_TOKENS = 384
"""Most tokens of a sentence, or of two joined ones: fewer than the limit of a side, since another
annotator may find more."""


def split_text(text: str) -> list[SentenceSpan]:
    """Return the sentences of a text, split as for alignment; see tokalign.split."""
    if not isinstance(text, str):
        raise InputError(f"text is {quoted(text)}; wanted text", field="text")
    return [SentenceSpan(start, end, text[start:end]) for start, end in Sentences(text)]


def sentences_of(
    text: str, name: str, most: int | None = MAX_TEXT_SENTENCES
) -> tuple[SentenceSpan, ...]:
    """Return the sentences of a text; a blank text has none.

    One of more than MOST_TOKENS is cut; its pieces count as sentences. Raises InputError, with
    `name` as its field, if it is no text or holds lone surrogates, and LimitError if there are more
    than `most`.
    """
    text_bytes(text, name)
    spans: list[SentenceSpan] = []
    for sentence in Sentences(text):
        _add_pieces(spans, text, sentence, name, most)
    return tuple(spans)


class GrowingText:
    """A growing text, whose sentences are found as soon as more text cannot change them.

    In the end they are those that `sentences_of` finds in the whole text. `name` is the field in
    errors, `text` the text so far.
    """

    def __init__(self, name: str) -> None:
        self.text = ""
        self._name = name
        self._final = Sentences("")
        self._spans: list[SentenceSpan] = []

    def add(self, piece: str) -> list[SentenceSpan]:
        """Return the sentences that the next piece of the text completes.

        Raises InputError if the piece holds lone surrogates, and LimitError if there are more than
        MAX_TEXT_SENTENCES.
        """
        text_bytes(piece, self._name)
        self.text += piece
        return self._next(is_whole=False)

    def end(self) -> list[SentenceSpan]:
        """Return the sentences that the end of the text completes; errors are as of `add`."""
        return self._next(is_whole=True)

    def _next(self, *, is_whole: bool) -> list[SentenceSpan]:
        n_before = len(self._spans)
        while True:
            sentences = Sentences(self.text, self._final)
            sentence = next(sentences, None)
            if sentence is None or (sentences.is_open and not is_whole):
                break
            self._final = sentences
            _add_pieces(self._spans, self.text, sentence, self._name, MAX_TEXT_SENTENCES)
        return self._spans[n_before:]


def _add_pieces(
    spans: list[SentenceSpan], text: str, sentence: tuple[int, int], name: str, most: int | None
) -> None:
    """Add a sentence, or the pieces of a long one, to those of a text."""
    start, end = sentence
    for first, last in pieces(text[start:end], MOST_TOKENS):
        if len(spans) == most:
            raise LimitError(
                f"{name} has more than {most} sentences; align it in parts", field=name
            )
        spans.append(SentenceSpan(start + first, start + last, text[start + first : start + last]))
