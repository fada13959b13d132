"""tokalign: which tokens of two English sentences mean the same thing, how sure, and why.

Examples
--------
>>> import tokalign
>>> tokalign.align("Dogs bark.", "The dogs bark.").to_pharaoh()
'0-1 1-2 2-3'

`similarity` says how much two sentences agree, `similarities` compares one sentence with many, and
`near_duplicates` many with one another. `rank` orders candidates by how well they answer a
question. `split` finds the sentences of a text, `diff` the changes between two texts, and `ground`
the places where passages support an answer. These are methods of `Aligner`, too, which holds the
model that you choose; `Aligner.pipe` aligns many pairs. `tokalign.formats` reads and writes aligned
corpora, `tokalign.evaluate` scores alignments, `tokalign.model.training.train` trains models, and
`tokalign.client` asks a server.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

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
from tokalign.types import (
    Alignment,
    GoldPair,
    Highlight,
    Judgement,
    Link,
    LinkExplanation,
    PassageSentence,
    Ranked,
    Sentence,
)
from tokalign.types.chunks import ChunkedPair, ChunkLink
from tokalign.types.constraints import Constraints
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    Grounding,
    GroundOptions,
    SourceConflict,
    SourcePassage,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.links import AlignedWord
from tokalign.types.options import (
    AlignOptions,
    Direction,
    OffsetUnit,
    Priority,
    RankBy,
    Symmetrization,
)
from tokalign.types.phrases import Phrase
from tokalign.types.relations import (
    Conflict,
    ConflictKind,
    ConflictReason,
    Relation,
    RelationExplanation,
    RelationKind,
)
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.comparison.near_duplicates import Duplicates
    from tokalign.functions import (
        align,
        align_chunks,
        align_texts,
        diff,
        ground,
        ground_stream,
        near_duplicates,
        rank,
        similarities,
        similarity,
        similarity_matrix,
        split,
    )
    from tokalign.model.shipped import shipped_models
    from tokalign.texts.diff import TextDiff

    __version__: str

_FUNCTIONS = (
    "align",
    "align_chunks",
    "align_texts",
    "diff",
    "ground",
    "ground_stream",
    "near_duplicates",
    "rank",
    "similarities",
    "similarity",
    "similarity_matrix",
    "split",
)
_LAZY = {
    "Aligner": "tokalign.aligner",
    "Duplicates": "tokalign.comparison.near_duplicates",
    "TextDiff": "tokalign.texts.diff",
    "shipped_models": "tokalign.model.shipped",
    **dict.fromkeys(_FUNCTIONS, "tokalign.functions"),
}
"""Names imported on first use: their modules load the compiled core, its tables or numpy, which
clients and the command line's help do not need."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name == "__version__":
        return importlib.metadata.version("tokalign")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
    "Priority",
    "RankBy",
    "Ranked",
    "Relation",
    "RelationExplanation",
    "RelationKind",
    "ResourceError",
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
    "ground",
    "ground_stream",
    "near_duplicates",
    "rank",
    "shipped_models",
    "similarities",
    "similarity",
    "similarity_matrix",
    "split",
]
