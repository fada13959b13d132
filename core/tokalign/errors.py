"""Exceptions raised by tokalign.

::

    AlignError
    |-- InputError              the caller's data cannot be used
    |   |-- ShapeError          arrays or columns whose lengths disagree
    |   |-- FormatError         a file that cannot be read; knows path and line
    |   `-- LimitError          well formed, but larger than a stated limit
    |-- ModelError              a model file that cannot be used
    |   `-- ModelVersionError   written by a newer tokalign
    |-- ResourceError           a table or annotator that is missing or damaged
    |   `-- MissingPackageError a package that an extra of the installation brings
    |-- WorkerError             a worker process that died
    `-- ServerError             raised by clients; see tokalign.client.errors

Every message says what was seen, what was wanted and what to do next. The input is `quoted`, so
that a message stays short.
"""

import os
import reprlib
from typing import Self, TypeVar

_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = _brief.maxlong = 64
_brief.maxlevel = 2


def quoted(value: object) -> str:
    """Return a value as errors show it: its repr, of at most 64 characters.

    Examples
    --------
    >>> quoted("word"), len(quoted("word" * 1000))
    ("'word'", 64)
    """
    text = _brief.repr(value)
    return text if len(text) <= _brief.maxstring else f"{text[: _brief.maxstring - 3]}..."


ErrorT = TypeVar("ErrorT", bound=Exception)


class AlignError(Exception):
    """Base of every exception that tokalign raises on purpose."""


class InputError(AlignError, ValueError):
    """The caller's data cannot be used.

    Parameters
    ----------
    field : str, optional
        Path of the offending field, such as ``"source.tags"``; servers pass it on to clients.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def renewed(error: ErrorT, message: str, *, field: str | None = None) -> ErrorT:
    """Return a new error of the same type with another message, and optionally another field.

    It is not copied with the module copy, since other packages change how that copies errors.
    """
    new = type(error).__new__(type(error))
    new.__dict__.update(error.__dict__)
    new.args = (message,)
    if field is not None and isinstance(new, InputError):
        new.field = field
    new.__cause__ = error.__cause__
    return new


def located(error: Exception) -> str:
    """Return an error's message, preceded by its field unless the message names it."""
    field = error.field if isinstance(error, InputError) else ""
    message = str(error)
    is_named = message.startswith((field, field.rpartition(".")[2]))
    return message if is_named else f"{field}: {message}"


class ShapeError(InputError):
    """Arrays or columns whose shapes disagree."""


class LimitError(InputError):
    """Well-formed input that is larger than a stated limit."""


class FormatError(InputError):
    """A file that does not follow its format.

    Parameters
    ----------
    path : path-like, optional
        Shown before the message.
    line : int, optional
        1-based line number, shown before the message.
    """

    def __init__(
        self, message: str, *, path: str | os.PathLike[str] | None = None, line: int | None = None
    ) -> None:
        where = ":".join(str(part) for part in (path, line) if part is not None)
        super().__init__(f"{where}: {message}" if where else message)
        self.path = path
        self.line = line


class ModelError(AlignError):
    """A model file that is missing, damaged or inconsistent."""


class ModelVersionError(ModelError):
    """A model file written by a newer tokalign."""


class ResourceError(AlignError):
    """A lexical table, annotator or optional package that is missing or damaged."""


def how_to_install(extra: str) -> str:
    """Return what installs an extra: a clone or a wheel, since no registry has the package."""
    return f"run: pip install '.[{extra}]' in a clone, or with the wheel's name for the dot"


class MissingPackageError(ResourceError, ImportError):
    """A package that an extra of the installation brings cannot be imported."""

    @classmethod
    def of(cls, what: str, error: ImportError, extra: str) -> Self:
        """Return the error for a feature whose import failed.

        Parameters
        ----------
        what : str
            Beginning of the message.
        extra : str
            Name of the extra that brings the package.
        """
        return cls(f"{what} cannot be used ({error}); {how_to_install(extra)}")


class WorkerError(AlignError):
    """A worker process that died: on an item, or at every start."""


class ServerError(AlignError):
    """Base of the exceptions raised by tokalign.client."""
