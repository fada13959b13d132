"""Speed and memory of the library and of the server; these figures depend on the machine."""

from __future__ import annotations

from lab.measurements.accuracy import NEURAL, NEURAL_MODELS, RTE2
from lab.measurements.measurement import Measurement, Row, Value, rows_where, some

_SECOND = "pairs per second"
LIBRARY = (
    Measurement(
        "grounding",
        "an answer of 8 sentences in 5 passages of 10, en",
        "python -m bench.speed ground",
        (Row("", {"sentences": 8}, {"ms": Value(("ms",), "ms", "processor time")}),),
        is_quick=True,
    ),
    Measurement(
        "aligning-batches",
        "aligning of annotated pairs in batches, RTE2 development, joint, one core",
        f"python -m bench.speed aligning --gold {RTE2} --models {','.join(NEURAL_MODELS)} "
        "--ways batches --repeats 2",
        rows_where(
            "model",
            NEURAL_MODELS,
            {"pairs_per_second": Value(("pairs_per_second",), _SECOND, "processor time, one core")},
        ),
        environment=NEURAL,
    ),
    Measurement(
        "annotators",
        "UD English EWT development with gold tokens; raw text of RTE2 development, one thread",
        "python -m lab.accuracy annotators",
        (
            Row(
                "{annotator}",
                {},
                {
                    "xpos": Value(("XPOS",), "percent", "tags right, EWT"),
                    "las": Value(("LAS",), "percent", "heads and relations right, EWT"),
                    **{
                        f"{part}_tokens": Value(
                            (part, "tokens_per_second"), "tokens per second", what
                        )
                        for part, what in (("tags", "tags alone"), ("trees", "with trees"))
                    },
                },
            ),
        ),
        environment=".venv-torch",
    ),
)

_PAIRS = Value(("pairs_per_s",), _SECOND, _SECOND)
_SHARE = Value(("share",), "times", "share of limit.c, median")
_START = {"memory": Value(("resident_mib",), "MiB", "resident memory afterwards")}
LIMIT = (
    Measurement(
        "limit",
        "made pairs of 29 and 11 tokens, or pairs of corpora, one core, "
        "beside limit.c in the same run",
        "python -m bench.speed limit",
        (
            Row("{model}-{way}", {"part": "shares"}, {"pairs": _PAIRS}),
            Row("fresh-{model}-{way}", {"part": "fresh"}, {"share": _SHARE}),
            Row("repeated-{model}-{way}", {"part": "repeated"}, {"share": _SHARE}),
            Row(
                "tokens-{tokens}",
                {"part": "tokens"},
                {"en_pairs": Value(("en", "pairs_per_s"), _SECOND, "en, one core")},
            ),
            Row("start-{model}", {"part": "start"}, _START),
            Row(
                "{served}-{workers}",
                {"part": "served"},
                {
                    "server": Value(("server_us",), "us", "server's own process, per pair"),
                    "workers": Value(("workers_us",), "us", "workers, per pair"),
                },
            ),
            Row(
                "memory",
                {"part": "memory"},
                {
                    "one": Value(("one_mib",), "MiB", "a server with one worker, after load"),
                    "two": Value(("two_mib",), "MiB", "a server with two workers, after load"),
                },
            ),
        ),
    ),
    Measurement(
        "start",
        "a fresh process that loads a neural model and aligns a pair",
        "python -m bench.speed limit --only start --models en-neural,en-neural-large",
        (Row("{model}", {"part": "start"}, _START),),
        environment=NEURAL,
    ),
)

_LOAD = {
    "calls": Value(("calls_per_s",), "calls per second", "answered"),
    "pairs": Value(("pairs_per_s",), _SECOND, "answered"),
    "p50": Value(("p50_ms",), "ms", "median latency"),
    "p99": Value(("p99_ms",), "ms", "99th percentile of the latency"),
}
SERVING = (
    Measurement(
        "serving",
        "the server with two workers and the load generator on the same cores, model en, RTE2 "
        "development as text",
        f"tokalign convert --input {RTE2} --format parallel | "
        "sed 's/ ||| /\\t/; s/ ||| .*//' > build/rte2.tsv && "
        "python -m bench.serving --input build/rte2.tsv --duration 4",
        (
            *rows_where("load", ("in-flight-1", "in-flight-64"), some(_LOAD, "calls")),
            *rows_where("load", ("rate-1000",), some(_LOAD, "p50 p99")),
            *rows_where("load", ("batches",), some(_LOAD, "pairs")),
        ),
    ),
)
SPEEDS = (*LIBRARY, *LIMIT, *SERVING)
