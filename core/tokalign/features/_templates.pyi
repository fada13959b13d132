import enum

class _Members(enum.EnumMeta):
    def __getattr__(cls, name: str) -> Template: ...

class Template(enum.IntEnum, metaclass=_Members):
    """A feature template; features/table.py describes each."""

    N_TEMPLATES = ...
