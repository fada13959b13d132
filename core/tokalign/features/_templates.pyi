import enum

class Template(enum.IntEnum):
    """A feature template; features/table.py describes each."""

    N_TEMPLATES = ...
    def __getattr__(self, name: str) -> Template: ...
