"""What hostile peers, faults and the worst messages cost the server, and strangers Envoy."""

from __future__ import annotations

from measured.shapes import Measurement, Row, Value, some

FRONT = (
    "control rapid-reset made-you-reset unknown-methods pings unread-pings unread-settings settings"
    " settings-acks window-updates priorities empty-data continuations large-headers many-headers"
    " hpack-bomb small-bombs hpack-missing unfinished-messages gzip-bombs gzip-giants tiny-bodies"
    " health-calls short-lived http1-calls"
)
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
MESSAGES = (
    "no-message empty-pairs empty-candidates empty-chunk unknown-fields zeros long-name long-text"
    " many-tokens long-columns many-constraints most-pairs most-pairs-explained most-candidates"
    " long-question list-models"
)
LARGEST = "largest largest-explained 64-explained"
_VALUES = {
    "grown": Value(("grown_mib",), "count", "MiB that the server's own process grew by"),
    "envoy": Value(("front_mib",), "count", "MiB that Envoy grew by"),
    "peak": Value(("peak_mib",), "count", "MiB of the server's own process at most"),
    "worker": Value(("worker_mib",), "count", "MiB of the largest worker at most"),
    "ratio": Value(("ratio",), "times", "the caller's p99, before the attack being 1"),
    "lost": Value(("lost",), "count", "calls that the caller lost"),
}
_OF_MESSAGES = {
    "lag": Value(("lag_ms",), "ms", "bound of the histogram's bucket of the largest lag"),
    "pairs": Value(("pairs",), "count", "pairs of 512 by 512 tokens"),
    "seconds": Value(("seconds",), "seconds", "until the answer, at most"),
}


_BESIDE = "a well-behaved caller beside an attack of {} s, two workers, loopback"


def _attack(name: str, values: str, *, is_front: bool = False, seconds: int = 3) -> Measurement:
    """Return the measurement of one row, by a command of its own."""
    parts = ["attack-30s" if seconds == 30 else "attack", *(["behind-envoy"] if is_front else [])]
    front = " --front" if is_front else ""
    longer = "" if seconds == 3 else f" --seconds {seconds}"
    return Measurement(
        ".".join([*parts, name]),
        _BESIDE.format(seconds) + (", behind Envoy" if is_front else ""),
        f"python -m bench.attack --json{front}{longer} --only {name}",
        (Row("", {"row": name, "front": is_front}, some(_VALUES, values)),),
    )


def _message(name: str, values: str) -> Row:
    return Row(name, {"message": name}, some(_OF_MESSAGES, values))


ATTACKS = (
    *(_attack(name, "grown ratio lost") for name in f"{FRONT} {STRANGERS}".split()),
    *(_attack(name, "envoy ratio lost", is_front=True, seconds=30) for name in FRONT.split()),
    *(_attack(name, "peak worker ratio lost") for name in CALLERS.split()),
    _attack("large-pairs", "ratio lost", seconds=30),
    Measurement(
        "messages",
        "one message at a time to a server with two workers on an otherwise idle machine",
        "python -m bench.messages",
        (
            *(_message(name, "lag") for name in MESSAGES.split()),
            *(_message(name, "pairs seconds lag") for name in LARGEST.split()),
        ),
    ),
)
