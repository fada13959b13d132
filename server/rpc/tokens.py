"""Bearer tokens: who calls, what they may do and how much of it, out of a file."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import logging
import math
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tokalign.codec.servers import ErrorReason
from tokalign.errors import InputError, quoted
from tokalign.server.config import Config
from tokalign.server.quotas import BURST_S, Quota, QuotaLimits
from tokalign.server.status import UnauthenticatedError

log = logging.getLogger(__name__)

ADMIN = "admin"
"""The scope that the admin port asks for."""

_BEARER = "bearer "
_HEX_DIGITS = 64
_LOOK_S = 0.5
_KEYS = ("scope", "expires", "cost", "burst", "at-once")


class TokenLine(NamedTuple):
    """One line of the file.

    Attributes
    ----------
    name : str
        The caller's. Several tokens may have the same, as while one replaces another.
    digest : bytes
        SHA-256 of the token.
    expires_at : float
        By time.time.
    """

    name: str
    digest: bytes
    is_admin: bool
    expires_at: float
    limits: QuotaLimits


class Caller(NamedTuple):
    """Who calls.

    Attributes
    ----------
    name : str
        That of the token.
    is_admin : bool
        Whether the admin port takes its calls.
    has_expired : bool
        Whether the token is no longer good; then it only says whose call is refused.
    """

    name: str
    is_admin: bool
    quota: Quota
    has_expired: bool = False


class TokenFile:
    """Bearer tokens, kept as SHA-256 hashes in a file that is read again when it changes.

    Each line is a name, the hash in hexadecimal, and perhaps settings such as ``cost=500``; ``#``
    starts a comment. docs/operations.md lists the settings. Tokens must be long and random (32
    bytes of ``openssl rand -hex``), because a fast hash protects no others.

    If the file is emptied or deleted, no token is valid. If it has a bad line, as in the middle of
    a change, the last good tokens stay valid. Calls never read the file: look() does, which watch()
    calls in a thread of its own.

    Attributes
    ----------
    fault : str
        Why the file cannot be used as it is now; empty if it can.

    Raises
    ------
    InputError
        If the file cannot be read or holds no token, or a line is bad.
    """

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._closed = threading.Event()
        self._stamp = self._stamped()
        self._quotas: dict[str, Quota] = {}
        try:
            self._tokens = self._read()
        except OSError as error:
            raise InputError(f"cannot read the token file: {error}", field="token_file") from error
        if not self._tokens:
            raise InputError(f"{path} holds no token", field="token_file")

    def watch(self) -> None:
        """Look for changes every half second until close()."""

        def run() -> None:
            while not self._closed.wait(_LOOK_S):
                self.look()

        # A daemon, because a file system may hang.
        threading.Thread(target=run, name="tokens", daemon=True).start()

    def close(self) -> None:
        """Look no more."""
        self._closed.set()

    @property
    def quotas(self) -> Mapping[str, Quota]:
        """The quota of each caller, by name."""
        return self._quotas

    def check(self, authorization: str) -> Caller:
        """Return whose token is in an authorization header.

        Raises
        ------
        UnauthenticatedError
            If there is none, or it is not in the file.
        """
        if authorization[: len(_BEARER)].lower() != _BEARER:
            raise UnauthenticatedError(
                "no bearer token; send the metadata 'authorization: Bearer TOKEN'",
                reason=ErrorReason.TOKEN_MISSING,
            )
        digest = hashlib.sha256(authorization[len(_BEARER) :].strip().encode()).digest()
        found = None
        # Every hash is compared, so that the time tells nothing about a match.
        for token in self._tokens:
            if hmac.compare_digest(token.digest, digest):
                found = token
        if found is None:
            raise UnauthenticatedError(
                "the bearer token is unknown", reason=ErrorReason.TOKEN_UNKNOWN
            )
        has_expired = time.time() >= found.expires_at
        return Caller(found.name, found.is_admin, self._quotas[found.name], has_expired)

    def look(self) -> None:
        """Read the file again if it has changed; the log has one line for each change."""
        stamp = self._stamped()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._tokens = self._read()
            self.fault = "" if self._tokens else "it holds no token"
        except OSError as error:
            self._tokens = []
            self.fault = str(error)
        except InputError as error:
            self.fault = f"{error}; the tokens before stay"
        if self.fault:
            log.error("the token file cannot be used", extra=self._state())
        else:
            log.info("tokens reloaded", extra=self._state())

    def _state(self) -> dict[str, object]:
        return {"tokens": len(self._tokens), **({"reason": self.fault} if self.fault else {})}

    def _stamped(self) -> tuple[int, int, int] | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino, stat.st_size

    def _read(self) -> list[TokenLine]:
        """Return the tokens, whose callers have a quota then; raise OSError or InputError."""
        try:
            lines = self._path.read_text().splitlines()
        except UnicodeDecodeError as error:
            raise InputError(f"{self._path} is no text: {error}", field="token_file") from error
        tokens: list[TokenLine] = []
        limits: dict[str, QuotaLimits] = {}
        for number, line in enumerate(lines, 1):
            fields = line.partition("#")[0].split()
            if not fields:
                continue
            try:
                token = _token(fields)
                if limits.setdefault(token.name, token.limits) != token.limits:
                    raise ValueError(f"{quoted(token.name)} has another quota in a line before")
            except ValueError as error:
                raise InputError(f"{self._path}:{number}: {error}", field="token_file") from None
            tokens.append(token)
        # A caller keeps what it has used while its limits are the same. The dictionary is replaced
        # as a whole, since the event loop reads it meanwhile; names that went stay for calls that
        # have just been let in.
        kept = self._quotas
        self._quotas = kept | {
            name: Quota(name, wanted)
            for name, wanted in limits.items()
            if name not in kept or kept[name].limits != wanted
        }
        return tokens


def _token(fields: list[str]) -> TokenLine:
    """Return the token of a line's fields, or raise ValueError."""
    name, digits, *settings = [*fields, "", ""][: max(2, len(fields))]
    try:
        digest = bytes.fromhex(digits) if len(digits) == _HEX_DIGITS else b""
    except ValueError:
        digest = b""
    if not digest:
        raise ValueError("wanted a name and a SHA-256 in 64 hexadecimal digits")
    given: dict[str, str] = {}
    for setting in settings:
        key, has_value, value = setting.partition("=")
        if key not in _KEYS or not has_value or key in given:
            raise ValueError(
                f"saw {quoted(setting)}; wanted KEY=VALUE, each of {', '.join(_KEYS)} at most once"
            )
        given[key] = value
    if given.get("scope", ADMIN) != ADMIN:
        raise ValueError(f"scope is {quoted(given['scope'])}; wanted {ADMIN}, or none")
    if "burst" in given and "cost" not in given:
        raise ValueError("burst says what is saved up of cost; give cost as well")
    cost = _number(given, "cost")
    limits = QuotaLimits(cost, _number(given, "burst", cost * BURST_S), _number(given, "at-once"))
    return TokenLine(name, digest, "scope" in given, _expiry(given.get("expires")), limits)


def _number(given: Mapping[str, str], key: str, default: float = math.inf) -> float:
    if key not in given:
        return default
    try:
        number = float(given[key])
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise ValueError(f"{key} is {quoted(given[key])}; wanted a number above 0")
    return number


def _expiry(text: str | None) -> float:
    """Return the end of a day, or a moment, by time.time."""
    if text is None:
        return math.inf
    utc = datetime.UTC
    try:
        if len(text) == len("2026-01-31"):
            day = datetime.date.fromisoformat(text)
            moment = datetime.datetime.combine(day, datetime.time.max, utc)
        else:
            moment = datetime.datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=utc)
    except ValueError:
        raise ValueError(
            f"expires is {quoted(text)}; wanted a last day, as 2027-01-31, or a moment, as "
            "2027-01-31T12:00Z"
        ) from None
    return moment.timestamp()


def token_file(config: Config) -> TokenFile | None:
    """Return the file that authorization headers are checked with; None if everyone may call."""
    return None if config.token_file is None else TokenFile(config.token_file)
