"""The registry of attacks: what each does, what is promised, and by what it holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

OWN_MIB = 512
"""Bound of the server's own process, the default of its configuration."""
STRANGER_MIB = 64
"""What a peer without a token may add to it."""
WORKER_MIB = 512
"""Bound of each worker."""
FRONT_MIB = 128
"""What strangers may add to the layer in front, whose heap its configuration bounds by 384."""


@dataclass
class Attack:
    """What an attacker knows, and what it found.

    Attributes
    ----------
    address, metrics_url, admin_address : str
    pid : int
        Of the server's own process.
    directory : str
        Files of this trial, such as the token file.
    seconds : float
        After so long the attack is cancelled.
    token : str
        Empty where the server asks for none; a stranger does not use it.
    request_bytes, max_pairs : int
        The server's limits.
    notes : dict of str to int
        What was done and seen.
    broken : list of str
        Promises of the row that were broken.
    """

    address: str
    metrics_url: str
    admin_address: str
    pid: int
    directory: str
    seconds: float
    token: str
    request_bytes: int
    max_pairs: int
    notes: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def note(self, what: str, count: int = 1) -> None:
        """Count something that was done or seen."""
        self.notes[what] = self.notes.get(what, 0) + count

    def expect(self, is_kept: bool, what: str) -> None:
        """Note a broken promise, once."""
        if not is_kept and what not in self.broken:
            self.broken.append(what)


class Seen(NamedTuple):
    """What the trial saw of a server, for a row's own judgement.

    The log's lines since it listened, and the codes of all calls, the caller's with them.
    """

    log: list[str]
    codes: dict[str, float]
    attack: Attack


@dataclass(frozen=True)
class Row:
    """One attack.

    Attributes
    ----------
    name : str
    review : str
        Its row in the review that it comes from.
    does, by : str
        What the attacker does, and by what the promises hold.
    run : callable
        The attack; ends by itself or is cancelled.
    is_stranger : bool
        The server asks for tokens, the attacker has none; it may add STRANGER_MIB at most.
    is_short : bool
        Part of the short version.
    flags : tuple of str
        Of `tokalign serve`.
    p99_ratio : float or None
        How many times the caller's own p99 is promised at most; printed, and not judged.
    judge : callable or None
        Returns what else was broken.
    has_server : bool
        False where the attack starts and ends servers itself; then there is no caller.
    max_files : int or None
        Limit of the server's open files.
    new_may_fail : bool
        Whether the caller's calls over new connections may be lost: others hold all that the
        server lets in, which only the layer in front can tell apart.
    may_get : str
        Code that the caller's calls may end with, since an operator has asked for it.
    ends_within_s : float or None
        The attack judges something itself, so that it is not cancelled after the time of others,
        but must have ended within this one.
    is_tls : bool
        Mutual TLS in place of tokens.
    needs_front : bool
        Only grpc could bound what the row costs a server without a layer in front: there, memory
        and lost calls are printed and not judged.
    alone_may_get : str
        Code that the caller's calls may end with where there is no layer in front and only grpc
        could keep callers apart; counted as lost all the same.
    """

    name: str
    review: str
    does: str
    by: str
    run: Callable[[Attack], Awaitable[None]]
    is_stranger: bool = False
    is_short: bool = False
    flags: tuple[str, ...] = ()
    p99_ratio: float | None = None
    judge: Callable[[Seen], list[str]] | None = None
    has_server: bool = True
    max_files: int | None = None
    new_may_fail: bool = False
    may_get: str = ""
    ends_within_s: float | None = None
    is_tls: bool = False
    needs_front: bool = False
    alone_may_get: str = ""

    @property
    def goes_in_front(self) -> bool:
        """Whether the attack is one that the layer in front is to take from the server."""
        return self.is_stranger and self.p99_ratio == 2 and not (self.is_tls or self.new_may_fail)


ROWS: dict[str, Row] = {}


def row(name: str, review: str, does: str, by: str, **more: object) -> Callable:
    """Register the decorated attack."""

    def register(run: Callable[[Attack], Awaitable[None]]) -> Callable[[Attack], Awaitable[None]]:
        assert name not in ROWS, name
        ROWS[name] = Row(name, review, does, by, run, **more)  # type: ignore[arg-type]
        return run

    return register
