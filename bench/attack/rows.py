"""The registry of attacks, and what an attack knows and reports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

OWN_MIB = 512
"""Bound of the server's own process, the default of its configuration."""
STRANGER_MIB = 64
"""Bound of what peers without a token may add to it."""
TINY_MIB = 256
"""Bound of what requests full of tiny items may add to it."""
WORKER_MIB = 512
"""Bound of each worker."""
FRONT_MIB = 128
"""Bound of what they may add to Envoy, but for rows that say otherwise."""


@dataclass(frozen=True)
class Amounts:
    """How long attacks are: seconds of most, minutes of faults, number of malformed requests."""

    seconds: float
    minutes: float
    n_inputs: int


@dataclass
class Attack:
    """A server, its limits and the amounts; then what was done, seen, and not as it should be."""

    address: str
    metrics_url: str
    admin_address: str
    pid: int
    request_bytes: int
    max_pairs: int
    amounts: Amounts
    # Of rows whose server has an HTTP port.
    http_url: str = ""
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
    """One family of attacks: the attack, and the condition under which the row passes."""

    name: str
    passes: str
    run: Run
    # The attacker has no token, where the server asks for one and Envoy is before it.
    is_stranger: bool = False
    # Envoy is before the server, which asks for no token.
    is_behind_envoy: bool = False
    # What switches off its protection: a change of Envoy's configuration, options of the server
    # that overrule its own, or else what `bare` holds under its name.
    without: Callable[[dict[str, Any]], None] | None = None
    without_flags: tuple[str, ...] = ()
    # Of what the attack may add to the server's own process, where it is not what is usual.
    adds_mib: float = 0.0
    # Of what a stranger may add to Envoy.
    front_mib: float = FRONT_MIB
    # How many times slower than before the attack the middle one of the caller's calls may be.
    slower: float = 0.0
    # The attack is over when it returns, and not after some seconds.
    ends_itself: bool = False
    # Of `tokalign serve`.
    flags: tuple[str, ...] = ()
    # Workers may be killed as hung.
    loses_workers: bool = False
    # The caller may lose calls over new connections.
    new_may_fail: bool = False
    # Codes with which its calls may end.
    may_get: frozenset[str] = frozenset()

    @property
    def does(self) -> str:
        """What the attacker does."""
        return (self.run.__doc__ or "").strip()


ROWS: dict[str, Row] = {}


def row(name: str, passes: str, **more: Any) -> Callable[[Run], Run]:
    """Register the decorated attack."""

    def register(run: Run) -> Run:
        assert name not in ROWS, name
        ROWS[name] = Row(name, passes, run, **more)
        return run

    return register
