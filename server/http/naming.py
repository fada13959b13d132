"""Fields of the contract, by the names that they have in JSON."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tokalign.errors import InputError
from tokalign.server.status import FailedError


@contextlib.contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Have errors name the field of the body.

    Parameters
    ----------
    names : mapping from str to str
        Pattern of how a path begins in the contract -> how it does in the body. The first that
        matches decides. Options are fields of the body itself.
    """
    try:
        yield
    except InputError as error:
        error.field = _renamed(error.field, names)
        raise
    except FailedError as error:
        failure = error.failure
        raise FailedError(replace(failure, field=_renamed(failure.field, names))) from error


def _renamed(field: str, names: Mapping[str, str]) -> str:
    for pattern, name in {r"options\.": "", **names}.items():
        if (match := re.match(pattern, field)) is not None:
            return match.expand(name) + field[match.end() :]
    return field
