"""Log lines on standard error, of JSON or for people; sentences are quoted only if asked for.

A thread writes them, so that logging never waits for the log's reader.
"""

from __future__ import annotations

import json
import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from tokalign.showing.text import in_line

MAX_LINES = 1000
FLUSH_S = 1.0
_STDERR = 2
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class Settings(NamedTuple):
    """The level from which records are shown, whether they may quote sentences, and their form."""

    level: int
    sentences: bool = False
    is_plain: bool = False


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


class PlainFormatter(JsonFormatter):
    """One line for people per record: its level, its event, and its extras as key=value."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line without control characters."""
        entry = json.loads(super().format(record))
        level, event = entry["level"], entry["event"]
        for name in ("time", "level", "logger", "event", "pid"):
            del entry[name]
        extras = "".join(f" {name}={value}" for name, value in entry.items())
        return in_line(f"{level}: {event}{extras}")


class LineWriter:
    """A bounded queue of lines, and the thread that writes them.

    The thread starts with the first line. Lines that find no room are dropped.

    Parameters
    ----------
    tell_dropped : callable taking int
        Returns the line that says how many were dropped; it is written once lines flow again.
    descriptor : int
        Where to write; it may block or not.
    max_lines : int
        Most lines that wait.

    Attributes
    ----------
    dropped : int
        Lines since the start.
    """

    def __init__(
        self,
        tell_dropped: Callable[[int], str],
        descriptor: int = _STDERR,
        max_lines: int = MAX_LINES,
    ) -> None:
        self.dropped = 0
        self._tell_dropped = tell_dropped
        self._descriptor = descriptor
        self._max_lines = max_lines
        self._lines: deque[str] = deque()
        # Its lock may be taken twice: within put() the collector may end an object that logs.
        self._changed = threading.Condition()
        self._is_writing = False
        self._is_running = False

    def put(self, line: str) -> None:
        """Queue a line, which has no line break at its end."""
        with self._changed:
            if not self._is_running:
                self._is_running = True
                # A daemon, because the process must be able to end while a write hangs.
                threading.Thread(target=self._run, name="log", daemon=True).start()
            if len(self._lines) < self._max_lines:
                self._lines.append(line)
                self._changed.notify_all()
            else:
                self.dropped += 1

    def flush(self, timeout_s: float = FLUSH_S) -> bool:
        """Wait at most `timeout_s` until all lines are written; return whether they are."""
        ends_at = time.monotonic() + timeout_s
        with self._changed:
            while self._lines or self._is_writing:
                if not self._changed.wait(ends_at - time.monotonic()):
                    return False
        return True

    def _run(self) -> None:
        told = 0
        while True:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                line = self._lines.popleft()
                self._is_writing = True
                dropped = self.dropped
            self._write(line)
            if dropped > told:
                self._write(self._tell_dropped(dropped - told))
                told = dropped

    def _write(self, line: str) -> None:
        rest = memoryview(f"{line}\n".encode(errors="backslashreplace"))
        try:
            while rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except BlockingIOError:
                    select.select([], [self._descriptor], [])
        except OSError:
            # The reader is gone.
            with self._changed:
                self.dropped += 1


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
    form = PlainFormatter if settings.is_plain else JsonFormatter
    root.handlers[:] = [QueuedHandler(form(sentences=settings.sentences))]
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
    is_plain = isinstance(formatter, PlainFormatter)
    return Settings(logging.getLogger().level, sentences, is_plain)


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
