"""Word pieces: BERT's uncased vocabulary, for given tokens.

Each encoder numbers the pieces from its own first row, and has its own special pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.neural.architecture import Architecture
from tokalign.neural.devices import need

MAX_PIECES = 16
"""Most pieces of a token."""
CACHED_TOKENS = 100_000
CACHED_CHARACTERS = 64
SPECIAL_PIECES = ("[UNK]", "[CLS]", "[SEP]")


@dataclass(frozen=True, slots=True)
class PieceSequence:
    """A sequence that an encoder reads."""

    ids: NDArray[np.int64]  # [n] word pieces
    n_first: int  # pieces of the first side, with the begin and the separators

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Sequence2(PieceSequence):
    """Two sides as one sequence: begin, source, separators, target, end."""

    source: NDArray[np.int64]  # [n_tokens + 1] first piece of each token, then the end of the last
    target: NDArray[np.int64]  # likewise


def numbered_pieces(vocabulary: Table) -> dict[str, int]:
    """Return the number of each word piece of a table; raise ResourceError if a piece is repeated,
    or a special one is missing."""
    pieces = vocabulary.strings("pieces")
    numbers = {piece: k for k, piece in enumerate(pieces)}
    missing = [piece for piece in SPECIAL_PIECES if piece not in numbers]
    if missing or len(numbers) < len(pieces):
        raise ResourceError(
            f"{vocabulary.path}: {len(pieces)} pieces, {len(numbers)} different, without "
            f"{missing}; wanted different ones, the special ones among them"
        )
    return numbers


class WordPieces:
    """Cuts tokens into numbered word pieces, and caches them by token.

    `vocabulary`: with the strings ``pieces``; a piece's number is its index in them plus the
    encoder's first piece. `max_sequence`: pieces of the longest sequence that the encoder reads.
    ResourceError is raised if a piece is repeated, or one of the three special ones is missing.

    Examples
    --------
    >>> from tokalign.files.tables import Table
    >>> from tokalign.neural.architecture import architecture_of
    >>> made = architecture_of(Table.open_shipped("encoder-en"))
    >>> WordPieces(Table.open_shipped(made["vocabulary"]), made).pieces("Aligners")
    (13675, 2545)
    """

    def __init__(self, vocabulary: Table, architecture: Architecture) -> None:
        tokenizers = need("tokenizers")
        numbers = numbered_pieces(vocabulary)
        self.n_pieces = len(numbers)
        self.max_sequence = architecture["n_positions"]
        self._first = architecture["first_piece"]
        self._unknown = architecture["unknown"]
        self._begin = [architecture["begin"]]
        self._ends = [architecture["end"]] * architecture["n_separators"], [architecture["end"]]
        self._tokenizer = tokenizers.Tokenizer(
            tokenizers.models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100)
        )
        self._tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        self._known = lru_cache(CACHED_TOKENS)(self._numbers)

    def pieces(self, token: str) -> tuple[int, ...]:
        """Return the pieces of a token, at least one and at most MAX_PIECES."""
        # A string longer than any real word is not worth its memory.
        return self._known(token) if len(token) <= CACHED_CHARACTERS else self._numbers(token)

    def _numbers(self, token: str) -> tuple[int, ...]:
        ids = self._tokenizer.encode(token, add_special_tokens=False).ids[:MAX_PIECES]
        return tuple(self._first + each for each in ids) or (self._unknown,)

    def sequence(self, source: Sequence[str], target: Sequence[str]) -> Sequence2:
        """Return both sides as one sequence, of any length."""
        ids, bounds = [*self._begin], []
        n_first = 0
        for tokens, ends in zip((source, target), self._ends, strict=True):
            starts = [len(ids)]
            for token in tokens:
                ids += self.pieces(token)
                starts.append(len(ids))
            bounds.append(np.array(starts, dtype=np.int64))
            ids += ends
            n_first = n_first or len(ids)
        return Sequence2(np.array(ids, dtype=np.int64), n_first, *bounds)

    def of_text(self, text: str) -> PieceSequence:
        """Return a text as one sequence: begin, as many first pieces as fit, end."""
        found = self._tokenizer.encode(text, add_special_tokens=False).ids
        inner = [self._first + each for each in found[: self.max_sequence - 2]]
        ids = np.array([*self._begin, *inner, *self._ends[1]], dtype=np.int64)
        return PieceSequence(ids, len(ids))

    def spans(
        self, source: Sequence[str], target: Sequence[str]
    ) -> tuple[list[slice], list[slice]]:
        """Return parts of both sides such that any two of them fit one sequence.

        One part each, unless the pair is longer than max_sequence.
        """
        sizes = [[len(self.pieces(token)) for token in tokens] for tokens in (source, target)]
        n_special = len(self._begin) + sum(map(len, self._ends))
        if sum(map(sum, sizes)) + n_special <= self.max_sequence:
            return [slice(0, len(source))], [slice(0, len(target))]
        room = (self.max_sequence - n_special) // 2
        return _cut(sizes[0], room), _cut(sizes[1], room)


def _cut(sizes: Sequence[int], room: int) -> list[slice]:
    """Return consecutive slices of about even size, each of at most `room` pieces."""
    n_parts = 1
    while True:
        share = sum(sizes) / n_parts
        parts: list[slice] = []
        first = used = 0
        for k, size in enumerate(sizes):
            if used and (used + size > room or used + size / 2 > share):
                parts.append(slice(first, k))
                first, used = k, 0
            used += size
        parts.append(slice(first, len(sizes)))
        if all(sum(sizes[part]) <= room for part in parts):
            return parts
        n_parts += 1
