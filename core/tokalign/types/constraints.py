"""Constraints: links and tokens fixed beforehand, by people who correct alignments.

Decoding obeys constraints; its result is not patched afterwards: in each direction excluded labels
have probability 0, so the other tokens are decoded anew around the fixed ones
(tokalign.decoding.symmetrize).
"""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from tokalign.errors import InputError, quoted

LinkIndices = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Links and tokens of one pair that are fixed beforehand.

    Attributes
    ----------
    anchors : tuple of (int, int)
        Links (source, target) that must be made. Other links of their tokens are allowed.
    forbidden : tuple of (int, int)
        Links that must not be made.
    linked_source, linked_target : tuple of int
        Tokens that must have a link.
    unlinked_source, unlinked_target : tuple of int
        Tokens that must not have one.

    Any iterables are accepted; token indices count from 0.

    InputError is raised if an index is not a whole number from 0, or two constraints contradict
    each other. The field is the place, such as ``constraints.anchors[1]``.

    Examples
    --------
    >>> Constraints(anchors=[(0, 1)], unlinked_target=[1])
    Traceback (most recent call last):
    tokalign.errors.InputError: anchors[0]: anchor 0-1, but target token 1 is to have no link; \
take one of them back
    """

    anchors: tuple[LinkIndices, ...] = ()
    forbidden: tuple[LinkIndices, ...] = ()
    linked_source: tuple[int, ...] = ()
    linked_target: tuple[int, ...] = ()
    unlinked_source: tuple[int, ...] = ()
    unlinked_target: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in LINK_FIELDS:
            links = [_link(name, *each) for each in enumerate(self._listed(name))]
            object.__setattr__(self, name, tuple(links))
        for name in TOKEN_FIELDS:
            tokens = [_token(name, *each) for each in enumerate(self._listed(name))]
            object.__setattr__(self, name, tuple(tokens))
        self._check_contradictions()

    def _listed(self, name: str) -> tuple[Any, ...]:
        given = getattr(self, name)
        if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
            return tuple(given)
        wanted = "links" if name in LINK_FIELDS else "token indices"
        raise InputError(
            f"{name} is {quoted(given)}; wanted a list of {wanted}", field=f"constraints.{name}"
        )

    def _check_contradictions(self) -> None:
        forbidden = set(self.forbidden) if self.anchors else set()
        unlinked = set(self.unlinked_source), set(self.unlinked_target)
        for position, link in enumerate(self.anchors):
            anchor = f"anchor {link[0]}-{link[1]}"
            if link in forbidden:
                raise _error("anchors", position, f"{anchor} is forbidden, too; {_BACK}")
            for side, token, barred in zip(SIDES, link, unlinked, strict=True):
                if token in barred:
                    said = f"{anchor}, but {side} token {token} is to have no link; {_BACK}"
                    raise _error("anchors", position, said)
        for side, barred in zip(SIDES, unlinked, strict=True):
            name = f"linked_{side}"
            for position, token in enumerate(getattr(self, name)):
                if token in barred:
                    said = f"{side} token {token} is to have a link and to have none; {_BACK}"
                    raise _error(name, position, said)

    def __bool__(self) -> bool:
        """Return whether there are any constraints."""
        return any(getattr(self, name) for name in NAMES)

    def turned(self) -> Self:
        """Return the constraints of the pair with source and target exchanged."""
        return replace(
            self,
            anchors=tuple((j, i) for i, j in self.anchors),
            forbidden=tuple((j, i) for i, j in self.forbidden),
            linked_source=self.linked_target,
            linked_target=self.linked_source,
            unlinked_source=self.unlinked_target,
            unlinked_target=self.unlinked_source,
        )

    @classmethod
    def taken_from(cls, changes: dict[str, Any]) -> Self | None:
        """Remove the constraints from keyword arguments and return them; None without any.

        InputError is raised as of the class.
        """
        if not changes:
            return None
        given = {name: changes.pop(name) for name in NAMES if name in changes}
        return cls(**given) if given else None

    def check(self, n_source: int, n_target: int) -> None:
        """Raise InputError unless sentences of these lengths can obey.

        Fails if a link or token is out of range, or a token that must have a link has none left.
        """
        lengths = dict(zip(SIDES, (n_source, n_target), strict=True))
        for name in LINK_FIELDS:
            for position, (i, j) in enumerate(getattr(self, name)):
                if i >= n_source or j >= n_target:
                    side = "source" if i >= n_source else "target"
                    said = f"link {i}-{j}, but the {side} has {lengths[side]} tokens"
                    raise _error(name, position, said)
        for name in TOKEN_FIELDS:
            side = name.rpartition("_")[2]
            for position, token in enumerate(getattr(self, name)):
                if token >= lengths[side]:
                    raise _error(
                        name, position, f"token {token}, but the {side} has {lengths[side]} tokens"
                    )
        if self.linked_source:
            forbidden = set(self.forbidden)
            self._check_linked("source", n_target, forbidden, {*self.unlinked_target})
        if self.linked_target:
            forbidden = {(j, i) for i, j in self.forbidden}
            self._check_linked("target", n_source, forbidden, {*self.unlinked_source})

    def _check_linked(
        self, side: str, n_others: int, forbidden: set[LinkIndices], unlinked: set[int]
    ) -> None:
        name = f"linked_{side}"
        for position, token in enumerate(getattr(self, name)):
            others = (other for other in range(n_others) if other not in unlinked)
            if all((token, other) in forbidden for other in others):
                raise _error(
                    name, position, f"{side} token {token} is to have a link, and all are forbidden"
                )


SIDES = ("source", "target")
LINK_FIELDS = ("anchors", "forbidden")
TOKEN_FIELDS = tuple(each.name for each in fields(Constraints) if each.name not in LINK_FIELDS)
NAMES = LINK_FIELDS + TOKEN_FIELDS
_BACK = "take one of them back"


LARGEST = 1 << 31


def _link(name: str, position: int, value: Any) -> LinkIndices:
    try:
        source, target = value
        if type(source) is type(target) is int and 0 <= source < LARGEST > target >= 0:
            return source, target  # most are: there may be as many as the pair has cells
        return _index(source), _index(target)
    except (TypeError, ValueError):
        message = f"{quoted(value)} is no link; wanted (source, target), indices from 0"
        raise _error(name, position, message) from None


def _token(name: str, position: int, value: Any) -> int:
    try:
        return _index(value)
    except (TypeError, ValueError):
        message = f"{quoted(value)} is no token; wanted an index from 0"
        raise _error(name, position, message) from None


def _index(value: Any) -> int:
    """Return a token's index as an int; TypeError or ValueError if it is not one."""
    number = operator.index(value)
    if isinstance(value, bool) or not 0 <= number < LARGEST:
        raise ValueError("out of range")
    return number


def _error(name: str, position: int, message: str) -> InputError:
    where = f"{name}[{position}]"
    return InputError(f"{where}: {message}", field=f"constraints.{where}")
