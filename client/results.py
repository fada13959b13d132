"""What the clients return besides tokalign.types.Alignment."""

from __future__ import annotations

from dataclasses import dataclass

from tokalign.client.errors import CallError
from tokalign.types import Alignment, Symmetrization


@dataclass(frozen=True, slots=True)
class AlignResult:
    """The answer for one pair of many: an alignment, or why there is none.

    Attributes
    ----------
    index : int
        0-based position of the pair in what was sent.
    alignment : Alignment or None
    error : CallError or None
        Present exactly when `alignment` is not.
    """

    index: int
    alignment: Alignment | None
    error: CallError | None

    def unwrap(self) -> Alignment:
        """Return the alignment, or raise the error."""
        if self.alignment is not None:
            return self.alignment
        if self.error is None:
            raise ValueError("an AlignResult needs an alignment or an error")
        raise self.error


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that a server has loaded; see the message Model in align.proto."""

    name: str
    version: str
    digest: str
    description: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    directions: tuple[Symmetrization, ...]
    uses_trees: bool
    is_default: bool


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What one request may hold: tokens and characters a sentence, pairs, bytes."""

    max_tokens: int
    max_characters: int
    max_pairs: int
    max_request_bytes: int


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server offers; of models and annotators, the default comes first."""

    version: str
    models: tuple[ModelInfo, ...]
    annotators: tuple[str, ...]
    limits: ServerLimits
