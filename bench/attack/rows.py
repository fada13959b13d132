"""The registry of attacks, and what an attack knows and reports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

OWN_MIB = 512
"""Bound of the server's own process, the default of its configuration."""
STRANGER_MIB = 64
"""Bound of what peers without a token may add to it."""
WORKER_MIB = 512
"""Bound of each worker."""
FRONT_MIB = 128
"""Bound of what they may add to Envoy."""


@dataclass
class Attack:
    """What an attacker knows, and what it found.

    Attributes
    ----------
    address, metrics_url, admin_address : str
    pid : int
        Of the server's own process.
    request_bytes, max_pairs : int
        The server's limits.
    seconds : float
        After so long the attack is over, unless it ends itself.
    minutes : float
        Time of the faults.
    n_inputs : int
        Number of malformed requests.
    notes : dict of str to int
        What was done and seen.
    broken : list of str
        Conditions that were not met.
    """

    address: str
    metrics_url: str
    admin_address: str
    pid: int
    request_bytes: int
    max_pairs: int
    seconds: float
    minutes: float
    n_inputs: int
    notes: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def note(self, what: str, count: int = 1) -> None:
        """Count something that was done or seen."""
        self.notes[what] = self.notes.get(what, 0) + count

    def expect(self, is_met: bool, what: str) -> None:
        """Report a condition that is not met, once."""
        if not is_met and what not in self.broken:
            self.broken.append(what)


Run = Callable[[Attack], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """One family of attacks.

    Attributes
    ----------
    name : str
    passes : str
        The condition under which the row passes, in one sentence.
    run : callable
        The attack; its docstring says what it does.
    is_stranger : bool
        The server asks for tokens, and the attacker has none.
    needs_front : bool
        The condition holds behind Envoy alone, which is always started.
    ends_itself : bool
        The attack is over when it returns, and not after some seconds.
    flags : tuple of str
        Of `tokalign serve`.
    max_files : int
        Limit of the server's open files; none where 0.
    new_may_fail : bool
        Whether the caller may lose calls over new connections.
    loses_workers : bool
        Whether workers may be killed as hung.
    may_get : frozenset of str
        Codes that the caller's calls may end with where there is no Envoy.
    """

    name: str
    passes: str
    run: Run
    is_stranger: bool = False
    needs_front: bool = False
    ends_itself: bool = False
    flags: tuple[str, ...] = ()
    max_files: int = 0
    new_may_fail: bool = False
    loses_workers: bool = False
    may_get: frozenset[str] = frozenset()

    @property
    def does(self) -> str:
        """What the attacker does."""
        return (self.run.__doc__ or "").strip()


ROWS: dict[str, Row] = {}


def row(name: str, passes: str, **more: object) -> Callable[[Run], Run]:
    """Register the decorated attack."""

    def register(run: Run) -> Run:
        assert name not in ROWS, name
        ROWS[name] = Row(name, passes, run, **more)  # type: ignore[arg-type]
        return run

    return register
