"""An output until it is complete: its file, its lock, and the record of what wrote it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tokalign.errors import InputError, quoted

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PARTIAL = ".partial"
"""Added to an output's name until all of it is written."""
RECORD = ".partial.json"
"""Added to an output's name for the record of the run that writes it."""


@dataclass(slots=True)
class PartialOutput:
    """A file that is being written under another name; no other run can write it.

    Attributes
    ----------
    wanted, left : Path
        Its name when it is complete, and its name until then.
    file : file
        Unbuffered, at its start; what an interrupted run wrote is in it if that is resumed.
    """

    wanted: Path
    left: Path
    file: IO[bytes]

    @classmethod
    def open(cls, path: Path, *, is_resumed: bool, is_restarted: bool) -> PartialOutput:
        """Return the output of a path.

        Parameters
        ----------
        path : Path
        is_resumed : bool
            Keep what an interrupted run has left.
        is_restarted : bool
            Discard it.

        Raises
        ------
        InputError
            If another run is writing it, if an interrupted one has left lines of which nothing is
            said, or if what has the name of the unfinished file is no file.
        OSError
            If it cannot be opened.
        """
        left = path.with_name(path.name + PARTIAL)
        if is_resumed and path.exists() and not left.exists():
            raise InputError(f"{path} is complete: there is no {left} to go on with")
        found = cls(path, left, _locked(path, left))
        size = os.fstat(found.file.fileno()).st_size
        if size and not (is_resumed or is_restarted):
            found.file.close()
            raise InputError(
                f"{left} holds {size} bytes that an interrupted run has written; go on with "
                "--resume, or discard them with --restart"
            )
        if not is_resumed:
            found.file.truncate()
            found._record().unlink(missing_ok=True)
        return found

    def _record(self) -> Path:
        return self.wanted.with_name(self.wanted.name + RECORD)

    def read_record(self) -> dict[str, Any]:
        """Return what the interrupted run wrote down of itself; InputError if that is not there."""
        try:
            record = json.loads(self._record().read_text("utf-8"))
        except (OSError, ValueError):
            record = None
        if not isinstance(record, dict):
            raise InputError(
                f"{self._record()}, the record of what wrote {self.left}, is missing or damaged; "
                "discard both with --restart"
            )
        return record

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Write down what this run is, and how far it is."""
        new = self._record().with_suffix(".new")
        new.unlink(missing_ok=True)
        with open(new, "x", encoding="utf-8") as file:  # noqa: PTH123  # "x" follows no link
            json.dump(record, file, ensure_ascii=False, indent=1)
        new.replace(self._record())

    def complete(self) -> None:
        """Give the file its name, once its bytes are on the disk."""
        os.fsync(self.file.fileno())
        if sys.platform == "win32":  # which renames no open file
            self.file.close()
        self.left.replace(self.wanted)
        self._record().unlink(missing_ok=True)
        self.file.close()

    def abandon(self, *, is_lost: bool) -> str:
        """Leave the file as it is, or remove it if it is empty or lost; return what is kept."""
        is_empty = os.fstat(self.file.fileno()).st_size == 0
        if is_empty or is_lost:
            self.left.unlink(missing_ok=True)
            self._record().unlink(missing_ok=True)
        self.file.close()
        if is_lost:
            return "nothing is kept, since no reader takes Parquet without its index"
        return "nothing was written" if is_empty else f"{self.left} holds what was written"


_FLAGS = os.O_RDWR | os.O_CREAT
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):  # as far as a system has them
    _FLAGS |= getattr(os, _name, 0)


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed; BlockingIOError or PermissionError if it is locked."""
    if sys.platform == "win32":
        os.lseek(descriptor, 1 << 40, os.SEEK_SET)  # behind the end: nobody reads a locked byte
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locked(path: Path, left: Path) -> IO[bytes]:
    """Return the unfinished file, which is locked as long as it is open."""
    while True:
        try:
            descriptor = os.open(left, _FLAGS, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise InputError(
                f"{left} is a symbolic link, which is not followed; remove it"
            ) from None
        file = os.fdopen(descriptor, "r+b", buffering=0)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            file.close()
            raise InputError(f"{left} is no file; remove it, or name another output")
        try:
            _lock(descriptor)
        except (BlockingIOError, PermissionError):
            file.close()
            raise InputError(
                f"another run is writing {path}; wait for it, or name another output"
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):  # no locks on this file system
                raise
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.lstat(left)):
                return file
        file.close()  # another run has just completed it


def differences(recorded: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return in words which settings of a run are not those of the record; empty if all are."""
    return "; ".join(
        f"{name} was {quoted(recorded.get(name))} and is {quoted(value)}"
        for name, value in settings.items()
        if recorded.get(name) != value
    )
