"""A sentence while it is being annotated: the columns of Sentence, filled one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokalign.errors import InputError
from tokalign.types import Sentence, SentenceLike


class Columns:
    """The columns of a `Sentence`, to be assigned; `sentence` freezes them."""

    __slots__ = ("ends", "heads", "lemmas", "relations", "starts", "tags", "text", "tokens")

    def __init__(
        self,
        text: str,
        tokens: tuple[str, ...],
        starts: tuple[int, ...],
        ends: tuple[int, ...],
        tags: tuple[str, ...] | None = None,
        lemmas: tuple[str, ...] | None = None,
        heads: tuple[int, ...] | None = None,
        relations: tuple[str, ...] | None = None,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.starts = starts
        self.ends = ends
        self.tags = tags
        self.lemmas = lemmas
        self.heads = heads
        self.relations = relations

    def sentence(self) -> Sentence:
        """Return the columns as a sentence, unchecked."""
        return Sentence(
            self.text,
            self.tokens,
            self.starts,
            self.ends,
            self.tags,
            self.lemmas,
            self.heads,
            self.relations,
        )


Tokenizer = Callable[[str], tuple[Sequence[str], Sequence[int], Sequence[int]]]
"""Raw text to tokens and their half-open character offsets."""


def read_columns(sentence: SentenceLike, index: int, tokenize: Tokenizer) -> Columns:
    """Return the columns that a caller's sentence already has.

    Parameters
    ----------
    sentence : str, sequence of str, or Sentence
    index : int
        Position in the batch, for messages.
    tokenize : callable
        Applied to raw text.

    Raises
    ------
    InputError
        If there is no token, or a token is empty.
    """
    if isinstance(sentence, str):
        tokens, starts, ends = tokenize(sentence)
        columns = Columns(sentence, tuple(tokens), tuple(starts), tuple(ends))
    else:
        given = (
            sentence if isinstance(sentence, Sentence) else Sentence.from_tokens(tuple(sentence))
        )
        columns = Columns(
            given.text,
            given.tokens,
            given.starts,
            given.ends,
            given.tags,
            given.lemmas,
            given.heads,
            given.relations,
        )
    if not columns.tokens:
        raise InputError(f"sentence {index} has no token; give text with at least one word")
    return columns
