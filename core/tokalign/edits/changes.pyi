from tokalign.types.edits import Change
from tokalign.types.relations import ConflictKind

MEANINGS: dict[ConflictKind, Change]
