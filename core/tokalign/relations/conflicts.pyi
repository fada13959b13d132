from tokalign.files.tables import Table

CONFLICT_INPUTS: tuple[str, ...]

class ConflictJudge:
    def __init__(self, table: Table | None = ...) -> None: ...

def shipped_judge() -> ConflictJudge: ...
