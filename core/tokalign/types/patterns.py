"""Regular expressions that are compiled at their first use.

Few of those that read English are needed for most texts, and compiling them all takes longer than
loading a model.
"""

import re
from typing import Any, cast


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return ``re.compile(text, flags)``; a bad pattern raises at its first use."""
    return cast(re.Pattern[str], _Pattern(text, flags))


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Return a method of the compiled pattern, and keep it: it is asked for only once."""
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
