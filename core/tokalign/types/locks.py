"""Locks that a forked child finds free, whatever other threads were doing at the fork."""

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class ForkLock:
    """A lock that its holder may take again, and that waits for no thread that a fork left behind.

    ``with lock as is_left`` tells the first holder in a child whether another thread held the lock
    at the fork. What the lock guards may be half changed then.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._is_left = False
        _LOCKS.add(self)

    def __enter__(self) -> bool:
        self._lock.acquire()
        is_left, self._is_left = self._is_left, False
        return is_left

    def __exit__(self, *exc_info: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Be free, in a child, unless the thread that forked holds the lock."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock, self._is_left = threading.RLock(), True


_LOCKS: WeakSet[ForkLock] = WeakSet()

LEFT: list[object] = []
"""What a thread left half changed, kept for good: to free it could free a part of it twice."""


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


class cached_property(functools.cached_property[T]):  # noqa: N801 (as the one it replaces)
    """That of functools; until Python 3.12 it has a lock, which is a ForkLock here."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(function)
        self.lock = ForkLock()
