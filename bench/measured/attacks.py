"""What hostile peers and faults cost the server, and what strangers cost the layer in front."""

from __future__ import annotations

from measured.shapes import Measurement, Row, Value, some

FRONT = (
    "rapid-reset made-you-reset unknown-methods pings unread-pings unread-settings settings"
    " settings-acks window-updates priorities empty-data continuations large-headers many-headers"
    " hpack-bomb hpack-missing unfinished-messages gzip-bombs gzip-giants tiny-bodies"
)
LONGER = "tiny-bodies,many-headers,hpack-bomb,rapid-reset"
STRANGERS = (
    "few-descriptors idle half-prefaces silent slow churn other-languages token-file odd-headers"
    " secrets tls-strangers"
)
CALLERS = (
    "large-pairs batch-lengths many-streams cancels deadlines health model-headers"
    " one-model-header damaged-models giant-model reloads-at-once rank-copies model-names"
    " long-columns long-words empty-items unread-streams unread-answers hangups dead-workers"
    " malformed long-names truncated unfinished-calls"
)
_VALUES = {
    "grown": Value(("grown_mib",), "count", "MiB that the server's own process grew by"),
    "envoy": Value(("front_mib",), "count", "MiB that Envoy grew by"),
    "peak": Value(("peak_mib",), "count", "MiB of the server's own process at most"),
    "worker": Value(("worker_mib",), "count", "MiB of the largest worker at most"),
    "ratio": Value(("ratio",), "times", "the caller's p99, before the attack being 1"),
    "lost": Value(("lost",), "count", "calls that the caller lost"),
}


def _row(name: str, values: str, is_front: bool = False) -> Row:
    shown = f"behind-envoy.{name}" if is_front else name
    return Row(shown, {"row": name, "front": is_front}, some(_VALUES, values))


ATTACKS = (
    Measurement(
        "attack",
        "a well-behaved caller beside an attack of 3 s, of 5 s behind Envoy, two workers, loopback",
        "python -m bench.attack --json --seconds 3 && python -m bench.attack --json --front",
        (
            *(_row(name, "grown ratio lost") for name in f"{FRONT} {STRANGERS}".split()),
            *(_row(name, "envoy ratio lost", is_front=True) for name in FRONT.split()),
            *(_row(name, "peak worker ratio lost") for name in CALLERS.split()),
        ),
    ),
    Measurement(
        "attack-30s",
        "a well-behaved caller beside an attack of 30 s, two workers, loopback, behind Envoy",
        f"python -m bench.attack --json --front --seconds 30 --only {LONGER}",
        tuple(
            Row(name, {"row": name, "front": True}, some(_VALUES, "ratio lost"))
            for name in LONGER.split(",")
        ),
    ),
)
