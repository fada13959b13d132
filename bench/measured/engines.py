"""What engines for many pairs do with the library in their workers."""

from __future__ import annotations

from collections.abc import Mapping

from measured.shapes import Measurement, Row, Value

_JOB = {
    "pairs": Value(("pairs",), "count", "pairs"),
    "rate": Value(("pairs_per_second",), "pairs per second", "all workers"),
    "each": Value(("per_worker",), "pairs per second", "a worker"),
    "growth": Value(("growth",), "times", "rate, beside one worker"),
    "memory": Value(("peak_mb",), "MB", "largest worker at its largest"),
    "right": Value(("right",), "percent", "pairs told right", 100),
}
_ESTIMATE = {
    "rate": Value(("pairs_per_second",), "pairs per second", "reckoned"),
    "minutes": Value(("minutes_per_billion",), "minutes", "a billion pairs"),
    "dollars": Value(("dollars_per_billion",), "dollars", "a billion pairs"),
    "mb": Value(("mb_per_second",), "MB per second", "read and written"),
    "network": Value(("share_of_network",), "percent", "of the network", 100),
    "batches": Value(("batches_per_second",), "batches per second", "of 1000 pairs"),
}
_OF_PIPE = {"ratio": Value(("of_pipe",), "ratio", "rate beside that of pipe")}


def _shown(values: Mapping[str, Value], *names: str) -> dict[str, Value]:
    return {name: values[name] for name in names}


_COLUMNS = ("rate", "each", "growth", "memory")
ENGINES = Measurement(
    "engines",
    "near-duplicates among made pairs, text to similarity, two cores",
    "make bench-engines",
    (
        *(
            Row(f"function-{name}", {"function": function}, _OF_PIPE)
            for name, function in (
                ("align", "align"),
                ("tokens", "align with tokens"),
                ("similarity", "similarity"),
            )
        ),
        Row("pipe-2", {"pipe": 2}, _shown(_JOB, "growth")),
        Row("ray-1", {"engine": "ray", "workers": 1}, _shown(_JOB, "pairs", "right", *_COLUMNS)),
        Row("ray-2", {"engine": "ray", "workers": 2}, _shown(_JOB, *_COLUMNS)),
        Row("spark-1", {"engine": "spark", "workers": 1}, _shown(_JOB, *_COLUMNS)),
        Row("spark-2", {"engine": "spark", "workers": 2}, _shown(_JOB, *_COLUMNS)),
        Row("ray-estimate", {"engine": "ray", "cores": 1000}, _ESTIMATE),
        Row("spark-estimate", {"engine": "spark", "cores": 1000}, _ESTIMATE),
    ),
    environment=".venv-engines",
)
