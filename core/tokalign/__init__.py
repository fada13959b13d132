"""tokalign: which tokens of two English sentences mean the same thing, how sure, and why.

Examples
--------
>>> import tokalign
>>> tokalign.align("Dogs bark.", "The dogs bark.").to_pharaoh()
'0-1 1-2 2-3'

`similarity` says how much two sentences agree, `similarities` compares one sentence with many, and
`near_duplicates` many with one another. `rank` orders candidates by how well they answer a
question. `split` finds the sentences of a text, `diff` the changes between two texts, and `ground`
the places where passages support an answer; `pipe` aligns many pairs, and `explain` says why. These
are methods of `Aligner`, too, which holds the model that you choose. `tokalign.formats` reads and
writes aligned corpora, `tokalign.evaluate` scores alignments, `tokalign.model.training.train`
trains models, and `tokalign.client` asks a server.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.comparison.near_duplicates import Duplicates
    from tokalign.errors import (
        AlignError,
        FormatError,
        InputError,
        LimitError,
        MissingPackageError,
        ModelError,
        ModelVersionError,
        ResourceError,
        ServerError,
        ShapeError,
    )
    from tokalign.functions import (
        align,
        align_chunks,
        align_texts,
        diff,
        explain,
        ground,
        ground_stream,
        near_duplicates,
        pipe,
        rank,
        similarities,
        similarity,
        similarity_matrix,
        split,
    )
    from tokalign.model.shipped import shipped_models
    from tokalign.texts.diff import TextDiff
    from tokalign.types import Alignment, GoldPair, Link, LinkExplanation, Sentence
    from tokalign.types.chunks import ChunkedPair, ChunkLink
    from tokalign.types.constraints import Constraints
    from tokalign.types.display import Piped, Results
    from tokalign.types.edits import Change, Edit, EditKind
    from tokalign.types.grounding import (
        Citation,
        CitationLink,
        GroundedSentence,
        GroundedWord,
        Grounding,
        SourceConflict,
        SourcePassage,
        UnsupportedSpan,
        WordKind,
    )
    from tokalign.types.links import AlignedWord
    from tokalign.types.options import (
        AlignOptions,
        Direction,
        GroundOptions,
        OffsetUnit,
        Priority,
        RankBy,
        Symmetrization,
    )
    from tokalign.types.phrases import Phrase
    from tokalign.types.ranking import Highlight, Judgement, PassageSentence, Ranked
    from tokalign.types.relations import (
        Conflict,
        ConflictKind,
        ConflictReason,
        Relation,
        RelationExplanation,
        RelationKind,
    )
    from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

    __version__: str

_FUNCTIONS = (
    "align",
    "align_chunks",
    "align_texts",
    "diff",
    "explain",
    "ground",
    "ground_stream",
    "near_duplicates",
    "pipe",
    "rank",
    "similarities",
    "similarity",
    "similarity_matrix",
    "split",
)
_NAMES = {
    "errors": "AlignError FormatError InputError LimitError MissingPackageError ModelError "
    "ModelVersionError ResourceError ServerError ShapeError",
    "types.alignment": "Alignment",
    "types.chunks": "ChunkedPair ChunkLink",
    "types.constraints": "Constraints",
    "types.display": "Piped Results",
    "types.edits": "Change Edit EditKind",
    "types.fields": "LinkExplanation",
    "types.grounding": "Citation CitationLink GroundedSentence GroundedWord "
    "Grounding SourceConflict SourcePassage UnsupportedSpan WordKind",
    "types.links": "AlignedWord GoldPair Link",
    "types.options": "AlignOptions Direction GroundOptions OffsetUnit Priority RankBy "
    "Symmetrization",
    "types.phrases": "Phrase",
    "types.ranking": "Highlight Judgement PassageSentence Ranked",
    "types.relations": "Conflict ConflictKind ConflictReason Relation RelationExplanation "
    "RelationKind",
    "types.sentence": "Sentence",
    "types.texts": "SentenceSpan TextAlignment TextBlock",
    "aligner": "Aligner",
    "comparison.near_duplicates": "Duplicates",
    "functions": " ".join(_FUNCTIONS),
    "model.shipped": "shipped_models",
    "texts.diff": "TextDiff",
}
"""Module -> the names that this one has from it.

Each is imported at its first use, for importing them all takes longer than aligning a pair."""

_LAZY = {name: f"tokalign.{module}" for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        found = globals()[name] = getattr(importlib.import_module(_LAZY[name]), name)
        return found
    if name == "__version__":
        from tokalign.files.shipped import VERSION

        return VERSION
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "AlignError",
    "AlignOptions",
    "AlignedWord",
    "Aligner",
    "Alignment",
    "Change",
    "ChunkLink",
    "ChunkedPair",
    "Citation",
    "CitationLink",
    "Conflict",
    "ConflictKind",
    "ConflictReason",
    "Constraints",
    "Direction",
    "Duplicates",
    "Edit",
    "EditKind",
    "FormatError",
    "GoldPair",
    "GroundOptions",
    "GroundedSentence",
    "GroundedWord",
    "Grounding",
    "Highlight",
    "InputError",
    "Judgement",
    "LimitError",
    "Link",
    "LinkExplanation",
    "MissingPackageError",
    "ModelError",
    "ModelVersionError",
    "OffsetUnit",
    "PassageSentence",
    "Phrase",
    "Piped",
    "Priority",
    "RankBy",
    "Ranked",
    "Relation",
    "RelationExplanation",
    "RelationKind",
    "ResourceError",
    "Results",
    "Sentence",
    "SentenceSpan",
    "ServerError",
    "ShapeError",
    "SourceConflict",
    "SourcePassage",
    "Symmetrization",
    "TextAlignment",
    "TextBlock",
    "TextDiff",
    "UnsupportedSpan",
    "WordKind",
    "align",
    "align_chunks",
    "align_texts",
    "diff",
    "explain",
    "ground",
    "ground_stream",
    "near_duplicates",
    "pipe",
    "rank",
    "shipped_models",
    "similarities",
    "similarity",
    "similarity_matrix",
    "split",
]
