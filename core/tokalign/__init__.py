"""tokalign: which tokens of two English sentences mean the same thing, how sure, and why."""

from tokalign.errors import (
    AlignError,
    FormatError,
    InputError,
    LimitError,
    ModelError,
    ModelVersionError,
    ResourceError,
    ServerError,
    ShapeError,
)
from tokalign.types import Alignment, Direction, GoldPair, Link, LinkExplanation, Sentence

__all__ = [
    "AlignError",
    "Alignment",
    "Direction",
    "FormatError",
    "GoldPair",
    "InputError",
    "LimitError",
    "Link",
    "LinkExplanation",
    "ModelError",
    "ModelVersionError",
    "ResourceError",
    "Sentence",
    "ServerError",
    "ShapeError",
]
