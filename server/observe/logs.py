"""JSON log lines on standard error; sentences are quoted only where that is asked for.

Logging never waits for the log's reader; see lines.py.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from tokalign.server.observe.lines import LineWriter

_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class Settings(NamedTuple):
    """The level from which records are shown, and whether they may quote sentences."""

    level: int
    sentences: bool = False


class Quoting:
    """An extra of a log record that may quote sentences; `read` returns it when it is shown."""

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


class QueuedHandler(logging.Handler):
    """Formats records at once, and leaves the lines to a writer."""

    def __init__(self, formatter: JsonFormatter, writer: LineWriter | None = None) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self.writer = writer or LineWriter(self._dropped_line)

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a record's line."""
        try:
            line = self.format(record)
        except Exception as error:
            # Python's own handling would print, and wait.
            line = self._line("log record cannot be formatted", reason=type(error).__name__)
        self.writer.put(line)

    def flush(self) -> None:
        """Wait a short time for the reader. logging calls it at the end, too."""
        self.writer.flush()

    def _dropped_line(self, n_lines: int) -> str:
        return self._line("log lines dropped; their reader was stuck", lines=n_lines)

    def _line(self, event: str, **extra: object) -> str:
        entry = {"name": __name__, "levelno": logging.ERROR, "levelname": "ERROR", "msg": event}
        return self.format(logging.makeLogRecord({**entry, **extra}))


def _handler() -> QueuedHandler | None:
    for handler in logging.getLogger().handlers:
        if isinstance(handler, QueuedHandler):
            return handler
    return None


def configure(settings: Settings) -> None:
    """Send the records of this process to standard error."""
    root = logging.getLogger()
    root.handlers[:] = [QueuedHandler(JsonFormatter(sentences=settings.sentences))]
    root.setLevel(settings.level)
    # The command line has a plain handler of its own, which would print every record twice.
    tokalign = logging.getLogger("tokalign")
    tokalign.handlers.clear()
    tokalign.setLevel(logging.NOTSET)


def settings() -> Settings:
    """Return the settings of this process, for its workers."""
    handler = _handler()
    formatter = handler.formatter if handler else None
    sentences = isinstance(formatter, JsonFormatter) and formatter.sentences
    return Settings(logging.getLogger().level, sentences)


def say(text: str, level: int = logging.INFO) -> None:
    """Log an event whatever the level from which records are shown, after configure()."""
    handler = _handler()
    assert handler is not None
    handler.emit(logging.getLogger(__name__).makeRecord(__name__, level, "", 0, text, (), None))


def flush() -> None:
    """Write the queued lines within a second, where a process ends without Python's own end."""
    if (handler := _handler()) is not None:
        handler.flush()


def dropped() -> int:
    """Return how many lines found no room since the start."""
    handler = _handler()
    return handler.writer.dropped if handler else 0
