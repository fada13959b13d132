# ruff: noqa: I001
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

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each as itself, so that type checkers take it for public
    from tokalign.aligner import Aligner as Aligner
    from tokalign.comparison.near_duplicates import Duplicates as Duplicates
    from tokalign.errors import (
        AlignError as AlignError,
        FormatError as FormatError,
        InputError as InputError,
        LimitError as LimitError,
        MissingPackageError as MissingPackageError,
        ModelError as ModelError,
        ModelVersionError as ModelVersionError,
        ResourceError as ResourceError,
        ServerError as ServerError,
        ShapeError as ShapeError,
        WorkerError as WorkerError,
    )
    from tokalign.functions import (
        align as align,
        align_chunks as align_chunks,
        align_texts as align_texts,
        diff as diff,
        explain as explain,
        ground as ground,
        ground_stream as ground_stream,
        near_duplicates as near_duplicates,
        pipe as pipe,
        rank as rank,
        similarities as similarities,
        similarity as similarity,
        similarity_matrix as similarity_matrix,
        split as split,
    )
    from tokalign.model.shipped import shipped_models as shipped_models
    from tokalign.texts.diff import TextDiff as TextDiff
    from tokalign.types import (
        Alignment as Alignment,
        GoldPair as GoldPair,
        Link as Link,
        LinkExplanation as LinkExplanation,
        Sentence as Sentence,
    )
    from tokalign.types.constraints import Constraints as Constraints
    from tokalign.types.display import Piped as Piped, Results as Results
    from tokalign.types.edits import Change as Change, Edit as Edit, EditKind as EditKind
    from tokalign.types.grounding import (
        Citation as Citation,
        CitationLink as CitationLink,
        GroundedSentence as GroundedSentence,
        GroundedWord as GroundedWord,
        Grounding as Grounding,
        SourceConflict as SourceConflict,
        SourcePassage as SourcePassage,
        UnsupportedSpan as UnsupportedSpan,
        WordKind as WordKind,
    )
    from tokalign.types.links import AlignedWord as AlignedWord, Phrase as Phrase
    from tokalign.types.options import (
        AlignOptions as AlignOptions,
        Direction as Direction,
        GroundOptions as GroundOptions,
        OffsetUnit as OffsetUnit,
        Priority as Priority,
        RankBy as RankBy,
        Symmetrization as Symmetrization,
    )
    from tokalign.types.ranking import (
        Highlight as Highlight,
        Judgement as Judgement,
        PassageSentence as PassageSentence,
        Ranked as Ranked,
    )
    from tokalign.types.relations import (
        ChunkedPair as ChunkedPair,
        ChunkLink as ChunkLink,
        Conflict as Conflict,
        ConflictKind as ConflictKind,
        ConflictReason as ConflictReason,
        Relation as Relation,
        RelationExplanation as RelationExplanation,
        RelationKind as RelationKind,
    )
    from tokalign.types.texts import (
        SentenceSpan as SentenceSpan,
        TextAlignment as TextAlignment,
        TextBlock as TextBlock,
    )

    __version__: str

_NAMES = {
    "errors": "AlignError FormatError InputError LimitError MissingPackageError ModelError "
    "ModelVersionError ResourceError ServerError ShapeError WorkerError",
    "types.alignment": "Alignment",
    "types.constraints": "Constraints",
    "types.display": "Piped Results",
    "types.edits": "Change Edit EditKind",
    "types.fields": "LinkExplanation",
    "types.grounding": "Citation CitationLink GroundedSentence GroundedWord "
    "Grounding SourceConflict SourcePassage UnsupportedSpan WordKind",
    "types.links": "AlignedWord GoldPair Link Phrase",
    "types.options": "AlignOptions Direction GroundOptions OffsetUnit Priority RankBy "
    "Symmetrization",
    "types.ranking": "Highlight Judgement PassageSentence Ranked",
    "types.relations": "ChunkedPair ChunkLink Conflict ConflictKind ConflictReason "
    "Relation RelationExplanation RelationKind",
    "types.sentence": "Sentence",
    "types.texts": "SentenceSpan TextAlignment TextBlock",
    "aligner": "Aligner",
    "comparison.near_duplicates": "Duplicates",
    "functions": "align align_chunks align_texts diff explain ground ground_stream "
    "near_duplicates pipe rank similarities similarity similarity_matrix split",
    "model.shipped": "shipped_models",
    "texts.diff": "TextDiff",
}
"""Module -> the names that this one has from it.

Each is imported at its first use, for importing them all takes longer than aligning a pair."""

_LAZY = {name: f"tokalign.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_LAZY)


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
