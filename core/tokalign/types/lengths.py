"""Limits on the length of sentences and texts, and the cutting of longer sentences.

The limits of sentences are checked before tokenising and tagging, whose time and memory grow with
the text.
"""

from collections.abc import Sequence

from tokalign.errors import LimitError
from tokalign.types.sentence import Sentence, SentenceLike

MAX_TOKENS = 512
MAX_CHARACTERS = 100_000
"""Code points of a text, or of all given tokens in total."""

MAX_TEXT_SENTENCES = 20_000
"""Most sentences of a text in sentence alignment and grounding."""


def require_short(sentence: SentenceLike) -> None:
    """Raise LimitError if a sentence is too long, as far as is known before tokenising."""
    if not isinstance(sentence, str):
        if isinstance(sentence, Sentence) and sentence.viewed() is not None:
            return  # of annotated sentences
        require_few_tokens(len(sentence))
    n_characters = _n_characters(sentence)
    if n_characters > MAX_CHARACTERS:
        raise LimitError(
            f"a sentence has {n_characters} characters, more than {MAX_CHARACTERS}; split it, or "
            "ask for truncate"
        )


def require_few_tokens(n_tokens: int) -> None:
    """Raise LimitError if a sentence has too many tokens."""
    if n_tokens > MAX_TOKENS:
        raise LimitError(
            f"a sentence has {n_tokens} tokens, more than {MAX_TOKENS}; split it, or ask for "
            "truncate"
        )


def shortened(sentence: SentenceLike) -> SentenceLike:
    """Return the beginning of a sentence within both limits, as far as that is known.

    Text is cut before a word that does not fit, unless it is the first. A first token that does not
    fit stays, to be refused.
    """
    if isinstance(sentence, str):
        if len(sentence) <= MAX_CHARACTERS:
            return sentence
        start = sentence[: MAX_CHARACTERS + 1]
        words = start.split()
        is_cut_word = len(words) > 1 and not start[-1].isspace()
        return start[: -len(words[-1])] if is_cut_word else start[:MAX_CHARACTERS]
    if len(sentence) <= MAX_TOKENS and _n_characters(sentence) <= MAX_CHARACTERS:
        return sentence
    if not isinstance(sentence, Sentence):
        sentence = Sentence.from_tokens(sentence)
    return sentence.first(_n_fitting(sentence.tokens[:MAX_TOKENS]))


def is_cut(sentence: Sentence) -> bool:
    """Whether a sentence has the limit's length and its text continues after its tokens."""
    is_full = len(sentence) == MAX_TOKENS or len(sentence.text) > MAX_CHARACTERS
    return is_full and bool(sentence.text[sentence.ends[-1] :].strip())


def _n_characters(sentence: SentenceLike) -> int:
    if isinstance(sentence, str):
        return len(sentence)
    return sum(map(len, sentence.tokens if isinstance(sentence, Sentence) else sentence))


def _n_fitting(tokens: Sequence[str]) -> int:
    """Return the number of first tokens within the limit of characters, at least one."""
    left = MAX_CHARACTERS
    for number, token in enumerate(tokens):
        left -= len(token)
        if left < 0:
            return max(number, 1)
    return len(tokens)
