"""Speed and memory of the library and of the server: figures that hang on the machine."""

from __future__ import annotations

from lab.measurements.measurement import Measurement, Row, Value, rows_where, some
from lab.measurements.values import BASELINES, MTREF, NEURAL, RTE2

LARGE = "en-neural-large"
NEURAL_NAMES = ("en-neural", "en-rte2-neural", LARGE)
_RATE = {
    "pairs_per_second": Value(("pairs_per_second",), "pairs per second", "processor time, one core")
}


def _aligning(name: str, what: str, options: str, rows: tuple[Row, ...], at: str) -> Measurement:
    return Measurement(
        name,
        f"{what}, RTE2 development, joint, one core",
        f"python -m bench.speed aligning --gold {RTE2} {options}",
        rows,
        environment=at,
    )


ALIGNING = (
    _aligning(
        "aligning",
        "aligning of annotated pairs",
        "--ways annotated",
        rows_where("model", ("en", "en-rte2"), _RATE),
        "",
    ),
    _aligning(
        "aligning-batches",
        "aligning of annotated pairs in batches",
        f"--models {','.join(NEURAL_NAMES)} --ways batches --repeats 2",
        rows_where("model", NEURAL_NAMES, _RATE),
        NEURAL,
    ),
    _aligning(
        "baselines-speed",
        "systems that decide by rules, annotated pairs in batches",
        f"--models {','.join((*BASELINES, 'sultan'))} --ways batches",
        rows_where("model", (*BASELINES, "sultan"), _RATE),
        "",
    ),
)
_ENCODING = {
    f"batch-{size}": Value(
        ("pairs_per_second", size), "pairs per second", f"{size} at a time; processor time"
    )
    for size in ("1", "4", "16", "64", "256")
} | {"f1": Value(("f1",), "percent", "F1 of each token's likeliest partner")}
ENCODING = (
    Measurement(
        "encoding",
        "encoders alone, by batch size, 100 pairs of MTRef development; F1 on all 800",
        f"python -m bench.speed encoding --gold {MTREF} --pairs 100 --repeats 2",
        (Row("{encoder}.{matrices}", {}, _ENCODING),),
        environment=NEURAL,
    ),
    Measurement(
        "encoding.encoder-en-large",
        "the large encoder alone, by batch size, 40 pairs of MTRef development; F1 on all 800",
        f"python -m bench.speed encoding --gold {MTREF} --encoders encoder-en-large "
        "--pairs 40 --repeats 1",
        (Row("{matrices}", {}, _ENCODING),),
        environment=NEURAL,
    ),
)
ANNOTATORS = (
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
                    "uas": Value(("UAS",), "percent", "heads right, EWT"),
                    "las": Value(("LAS",), "percent", "heads and relations right, EWT"),
                    "rte2_tags": Value(("RTE2 tags",), "percent", "tags as the Stanford tagger's"),
                    **{
                        f"{part}_{unit}": Value(
                            (part, f"{unit}_per_second"), f"{unit} per second", what
                        )
                        for part, what in (("tags", "tags alone"), ("trees", "with trees"))
                        for unit in ("tokens", "pairs")
                    },
                    "memory": Value(("process_mib",), "MiB", "resident memory of the process"),
                },
            ),
        ),
        environment=".venv-torch",
    ),
)

_MODELS = ("en", "en-rte2")
_SHARES = (
    Row(
        "reference",
        {"part": "reference"},
        {"pairs": Value(("pairs_per_s",), "pairs per second", "limit.c")},
    ),
    Row(
        "{model}-{way}",
        {"part": "share"},
        {
            "pairs": Value(("pairs_per_s",), "pairs per second", "pairs per second"),
            "share": Value(("share",), "times", "share of limit.c, median"),
            "least": Value(("least",), "times", "share of limit.c, least"),
            "most": Value(("most",), "times", "share of limit.c, most"),
        },
    ),
)
_TOKENS = {
    f"{model}_{name}": Value((model, path), unit, f"{model}, {what}")
    for model in _MODELS
    for name, path, unit, what in (
        ("us", "us", "us", "processor time of a pair"),
        ("pairs", "pairs_per_s", "pairs per second", "pairs per second of one core"),
        ("cell", "per_cell", "us", "processor time by the pairs of tokens"),
        ("power", "exponent", "times", "exponent of growth from the length before"),
    )
} | {"reference": Value(("reference_us",), "us", "limit.c, processor time of a pair")}
_START = {
    "import": Value(("import_ms",), "ms", "import, processor time"),
    "load": Value(("load_ms",), "ms", "loading a model, processor time"),
    "first": Value(("first_ms",), "ms", "the first pair, processor time"),
    "wall": Value(("wall_ms",), "ms", "all of it by the clock"),
    "memory": Value(("resident_mib",), "MiB", "resident memory afterwards"),
}
_SERVED = {
    "server": Value(("server_us",), "us", "server's own process, per pair"),
    "workers": Value(("workers_us",), "us", "workers, per pair"),
}
_MEMORY = {
    "one": Value(("one_mib",), "MiB", "a server with one worker, after load"),
    "two": Value(("two_mib",), "MiB", "a server with two workers, after load"),
    "own": Value(("own_mib",), "MiB", "the server's own process"),
    "worker": Value(("worker_mib",), "MiB", "a worker, resident"),
}
LIMIT = (
    Measurement(
        "limit",
        "made pairs of 29 and 11 tokens, joint, one core, beside limit.c in the same run",
        "python -m bench.speed limit",
        (
            *_SHARES,
            Row("tokens-{tokens}", {"part": "tokens"}, _TOKENS),
            Row("start-{model}", {"part": "start"}, _START),
            *(
                Row(
                    "{served}-{workers}",
                    {"part": "served", "served": served},
                    _SERVED | {"ratio": Value(("ratio",), "times", f"both, to {base}")},
                )
                for served, base in (("align", "an echo"), ("batch", "the library on raw text"))
            ),
            Row("memory", {"part": "memory"}, _MEMORY),
        ),
    ),
    Measurement(
        "limit-rte2",
        "RTE2's development half, joint, one core, beside limit.c in the same run",
        f"python -m bench.speed limit --only shares --input {RTE2}",
        _SHARES,
    ),
    Measurement(
        "start",
        "a fresh process that loads a neural model and aligns a pair",
        "python -m bench.speed limit --only start --models en-neural,en-neural-large",
        (Row("{model}", {"part": "start"}, _START),),
        environment=NEURAL,
    ),
)

_JOB = {
    "pairs": Value(("pairs",), "count", "pairs"),
    "rate": Value(("pairs_per_second",), "pairs per second", "all workers"),
    "each": Value(("per_worker",), "pairs per second", "a worker"),
    "growth": Value(("growth",), "times", "rate, beside one worker"),
    "memory": Value(("peak_mb",), "MB", "largest worker at its largest"),
    "right": Value(("right",), "percent", "pairs told right", 100),
}
_OF_PIPE = {"ratio": Value(("of_pipe",), "ratio", "rate beside that of pipe")}
_COLUMNS = "rate each growth memory"
ENGINES = (
    Measurement(
        "engines",
        "near-duplicates among made pairs, text to similarity, two cores",
        "python -m bench.speed scale",
        (
            Row("function-align", {"function": "align"}, _OF_PIPE),
            Row("function-tokens", {"function": "align with tokens"}, _OF_PIPE),
            Row("function-similarity", {"function": "similarity"}, _OF_PIPE),
            Row("pipe-2", {"pipe": 2}, some(_JOB, "growth")),
            Row("ray-1", {"engine": "ray", "workers": 1}, _JOB),
            Row("ray-2", {"engine": "ray", "workers": 2}, some(_JOB, _COLUMNS)),
            Row("spark-{workers}", {"engine": "spark"}, some(_JOB, _COLUMNS)),
        ),
        environment=".venv-engines",
    ),
)

_LOAD = {
    "calls": Value(("calls_per_s",), "calls per second", "answered"),
    "pairs": Value(("pairs_per_s",), "pairs per second", "answered"),
    "p50": Value(("p50_ms",), "ms", "median latency"),
    "p99": Value(("p99_ms",), "ms", "99th percentile of the latency"),
}
_LOADS = ("in-flight-1", "in-flight-8", "in-flight-64", "rate-500", "rate-1000", "rate-1250")
_QUEUES = ("shipped", "short-queue")
SERVING = (
    Measurement(
        "serving",
        "the server with two workers and the load generator on the same cores, model en, RTE2 "
        "development as text",
        f"tokalign convert --input {RTE2} --format parallel | "
        "sed 's/ ||| /\\t/; s/ ||| .*//' > build/rte2.tsv && "
        "python -m bench.serving --input build/rte2.tsv --duration 4",
        (
            *rows_where("load", (*_LOADS, "batches"), _LOAD),
            *rows_where(
                "load",
                (f"overload-{queue}" for queue in _QUEUES),
                {
                    "goodput": Value(("goodput",), "percent", "goodput of the capacity", 100),
                    "refused": Value(("refused_ms",), "ms", "median time of a refusal"),
                },
            ),
            *rows_where(
                "load",
                (f"after-{queue}" for queue in _QUEUES),
                {"p99": Value(("p99_ms",), "ms", "at a third of the capacity")},
            ),
            Row(
                "ratios",
                {"ratios": "throughput"},
                {
                    "align_to_echo": Value(
                        ("align_to_echo",), "times", "processor time per call, Align to echo"
                    ),
                    "calls": Value(("calls_1_to_2",), "times", "calls, one worker to two"),
                    "pairs": Value(("pairs_1_to_2",), "times", "batches, one worker to two"),
                },
            ),
            Row(
                "ratios",
                {"ratios": "fairness"},
                {
                    "p99": Value(
                        ("p99_with_large_batch",),
                        "times",
                        "p99 of a lone caller, with a batch of 10,000 pairs to without",
                    ),
                },
            ),
        ),
    ),
)
GROUNDING = (
    Measurement(
        "grounding",
        "an answer of 8 sentences in 5 passages of 10, en",
        "python -m bench.speed ground",
        (
            Row(
                "",
                {"sentences": 8},
                {
                    "ms": Value(("ms",), "ms", "processor time"),
                    "of_pipe": Value(("of_pipe",), "times", "processor time beside pipe's"),
                },
            ),
        ),
        is_quick=True,
    ),
)
SPEEDS = (*GROUNDING, *ALIGNING, *ENCODING, *ANNOTATORS, *LIMIT, *ENGINES, *SERVING)
