"""JSON log lines on standard error. What may quote sentences is shown only where asked for."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class Settings(NamedTuple):
    """The level from which records are shown, and whether they may quote sentences."""

    level: int
    sentences: bool = False


class Quoting:
    """An extra of a record that may quote sentences: what `read` returns, called to show it."""

    def __init__(self, read: Callable[..., object], *arguments: object) -> None:
        self._read = read
        self._arguments = arguments

    def shown(self) -> object:
        """Return the value."""
        return self._read(*self._arguments)


class JsonFormatter(logging.Formatter):
    """One JSON object per record: time, level, logger, event, pid and the record's extras."""

    def __init__(self, *, sentences: bool = False) -> None:
        super().__init__()
        self.sentences = sentences

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        entry: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            "pid": os.getpid(),
        }
        for name, value in vars(record).items():
            if isinstance(value, Quoting):
                if self.sentences:
                    entry[name] = value.shown()
            elif name not in _STANDARD:
                entry[name] = value
        if record.exc_info and record.exc_info[0]:
            entry["exception"] = record.exc_info[0].__name__
        return json.dumps(entry, default=str)


def configure(settings: Settings) -> None:
    """Send the records of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(sentences=settings.sentences))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.level)
    # The command line has a plain handler of its own, which would print every record twice.
    tokalign = logging.getLogger("tokalign")
    tokalign.handlers.clear()
    tokalign.setLevel(logging.NOTSET)


def settings() -> Settings:
    """Return what this process was configured with, for its workers."""
    root = logging.getLogger()
    formatters = [handler.formatter for handler in root.handlers]
    return Settings(
        root.level, any(isinstance(f, JsonFormatter) and f.sentences for f in formatters)
    )
