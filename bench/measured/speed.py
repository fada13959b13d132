"""Speed, memory and endurance, of the library and of the server."""

from __future__ import annotations

from measured.accuracy import BASELINE_NAMES, RTE2
from measured.shapes import Measurement, Row, Value

_RATE = {
    "pairs_per_second": Value(("pairs_per_second",), "pairs per second", "processor time, one core")
}
_ENCODING = {
    f"batch-{size}": Value(
        ("pairs_per_second", size), "pairs per second", f"{size} at a time; processor time"
    )
    for size in ("1", "4", "16", "64", "256")
} | {"f1": Value(("f1",), "percent", "F1 of each token's likeliest partner")}
_LOADING = {
    "load": Value(("load_s",), "s", "import and loading, processor time"),
    "wall": Value(("wall_s",), "s", "import, loading and a first pair by the clock"),
    "peak": Value(("peak_mib",), "MiB", "most memory while loading"),
    "resident": Value(("resident_mib",), "MiB", "resident memory afterwards"),
    "worker": Value(("worker_mib",), "MiB", "a server's worker after load, resident"),
    "ready": Value(("ready_s",), "s", "a server with two workers, until it is ready"),
}
LARGE = "en-neural-large"
NEURAL_NAMES = ("en-neural", "en-rte2-neural", LARGE)
SPEED = (
    Measurement(
        "aligning",
        "aligning of annotated pairs, RTE2 development, joint, one core",
        "make bench-aligning",
        tuple(
            Row(name, {"model": name, "direction": "joint"}, _RATE) for name in ("en", "en-rte2")
        ),
    ),
    Measurement(
        "aligning-batches",
        "aligning of annotated pairs in batches, RTE2 development, joint, one core",
        f"python bench/aligning.py --gold {RTE2} --models {','.join(NEURAL_NAMES)} "
        "--directions joint --batches --repeats 2",
        tuple(Row(name, {"model": name, "direction": "joint"}, _RATE) for name in NEURAL_NAMES),
        environment=".venv-neural",
    ),
    Measurement(
        "encoding",
        "encoders alone, by batch size, 100 pairs of MTRef development; F1 on all 800",
        "python -m bench.encoding --gold DATA/multimwa/mtref-dev.tsv --pairs 100 --repeats 2",
        tuple(
            Row(f"{encoder}.{kind}", {"encoder": encoder, "matrices": kind}, _ENCODING)
            for encoder in ("encoder-en", "encoder-en-rte2")
            for kind in ("float32", "int8")
        ),
        environment=".venv-neural",
    ),
    Measurement(
        "encoding.encoder-en-large",
        "the large encoder alone, by batch size, 40 pairs of MTRef development; F1 on all 800",
        "python -m bench.encoding --gold DATA/multimwa/mtref-dev.tsv --encoders encoder-en-large "
        "--pairs 40 --repeats 1",
        tuple(Row(kind, {"matrices": kind}, _ENCODING) for kind in ("float32", "int8")),
        environment=".venv-neural",
    ),
    Measurement(
        "loading",
        "models with an encoder in fresh processes, and a server's workers",
        "python -m bench.loading --json",
        tuple(Row(name, {"model": name}, _LOADING) for name in ("en", "en-neural", LARGE)),
        environment=".venv-neural",
    ),
    Measurement(
        "baselines-speed",
        "systems that decide by rules, annotated pairs of RTE2 development, one core",
        f"python bench/aligning.py --gold {RTE2} --models {','.join(BASELINE_NAMES)} "
        "--directions joint --batches",
        tuple(Row(name, {"model": name}, _RATE) for name in BASELINE_NAMES),
        is_quick=True,
    ),
    Measurement(
        "annotators",
        "UD English EWT development with gold tokens; raw text of RTE2 development, one thread",
        "make bench-annotators",
        tuple(
            Row(
                name,
                {"annotator": name},
                {
                    "xpos": Value(("XPOS",), "percent", "tags right, EWT"),
                    "uas": Value(("UAS",), "percent", "heads right, EWT"),
                    "las": Value(("LAS",), "percent", "heads and relations right, EWT"),
                    "rte2_tags": Value(("RTE2 tags",), "percent", "tags as the Stanford tagger's"),
                    "tags_tokens": Value(("tokens/s, tags",), "tokens per second", "tags alone"),
                    "trees_tokens": Value(("tokens/s, trees",), "tokens per second", "with trees"),
                    "tags_pairs": Value(("pairs/s, tags",), "pairs per second", "tags alone"),
                    "trees_pairs": Value(("pairs/s, trees",), "pairs per second", "with trees"),
                    "memory": Value(("process MB",), "MB", "resident memory of the process"),
                },
            )
            for name in ("native", "stanza", "spacy")
        ),
        environment=".venv-backends",
    ),
)


def _load(name: str, load: str, rate: str = "calls") -> Row:
    values = {
        "calls": Value(("calls_per_s",), "calls per second", "answered"),
        "pairs": Value(("pairs_per_s",), "pairs per second", "answered"),
        "p50": Value(("latency_ms", "p50"), "ms", "median latency"),
        "p99": Value(("latency_ms", "p99"), "ms", "99th percentile of the latency"),
    }
    return Row(name, {"load": load}, values)


QUEUES = {"shipped": "as shipped", "short-queue": "queue of 200 pairs"}
SERVING = (
    Measurement(
        "serving",
        "the server with two workers and the load generator on the same cores, model en, RTE2 "
        "development as text",
        f"tokalign convert --input {RTE2} --to parallel | "
        "sed 's/ ||| /\\t/; s/ ||| .*//' > build/rte2.tsv && "
        "python bench/serving.py --input build/rte2.tsv --duration 4 --json -",
        (
            _load("in-flight-1", "align, 1 in flight"),
            _load("in-flight-8", "align, 8 in flight"),
            _load("in-flight-64", "align"),
            _load("rate-500", "align at 500/s"),
            _load("rate-1000", "align at 1000/s"),
            _load("rate-1250", "align at 1250/s"),
            _load("batches", "batch"),
            *(
                Row(
                    f"overload-{name}",
                    {"load": f"align at 3 times capacity, {queue}"},
                    {
                        "goodput": Value(("share",), "percent", "goodput of the capacity", 100),
                        "refused": Value(("refused_ms",), "ms", "median time of a refusal"),
                    },
                )
                for name, queue in QUEUES.items()
            ),
            *(
                Row(
                    f"after-{name}",
                    {"load": f"align one second later, {queue}"},
                    {"p99": Value(("latency_ms", "p99"), "ms", "at a third of the capacity")},
                )
                for name, queue in QUEUES.items()
            ),
            Row(
                "ratios",
                {"load": "ratios"},
                {
                    "align_to_echo": Value(
                        ("cpu_align_to_echo",), "times", "processor time per call, Align to echo"
                    ),
                    "calls": Value(("align_1_to_2",), "times", "calls, one worker to two"),
                    "pairs": Value(("batch_1_to_2",), "times", "batches, one worker to two"),
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


def _limit_tokens(tokens: int) -> Row:
    values = {
        f"{model}_{name}": Value((model, path), unit, f"{model}, {what}")
        for model in ("en", "en-rte2")
        for name, path, unit, what in (
            ("us", "us", "us", "processor time of a pair"),
            ("pairs", "pairs_per_s", "pairs per second", "pairs per second of one core"),
            ("cell", "per_cell", "us", "processor time by the pairs of tokens"),
            ("power", "exponent", "times", "exponent of growth from the length before"),
        )
        if tokens != LIMIT_LENGTHS[0] or name != "power"
    }
    values["reference"] = Value(("reference_us",), "us", "bench/limit.c, processor time of a pair")
    return Row(f"tokens-{tokens}", {"part": "tokens", "tokens": tokens}, values)


_SHARES = tuple(
    Row(
        f"{model}-{way}",
        {"part": "share", "system": f"{model}.{way}"},
        {
            "pairs": Value(("pairs_per_s",), "pairs per second", "pairs per second"),
            "share": Value(("share",), "times", "share of bench/limit.c, median"),
            "least": Value(("least",), "times", "share of bench/limit.c, least"),
            "most": Value(("most",), "times", "share of bench/limit.c, most"),
        },
    )
    for model in ("en", "en-rte2")
    for way in ("annotated", "raw")
)
_REFERENCE = Row(
    "reference",
    {"part": "reference"},
    {"pairs": Value(("pairs_per_s",), "pairs per second", "bench/limit.c")},
)
_REMEMBERED = Row(
    "remembered",
    {"part": "remembered", "model": "en"},
    {"share": Value(("share",), "percent", "pairs of words remembered, en", 100)},
)

LIMIT_LENGTHS = (10, 20, 40, 80, 160, 320, 512)
LIMIT = (
    Measurement(
        "limit",
        "made pairs of 29 and 11 tokens, joint, one core, beside bench/limit.c in the same run",
        "python -m bench.limit --json",
        (
            _REFERENCE,
            *_SHARES,
            _REMEMBERED,
            *map(_limit_tokens, LIMIT_LENGTHS),
            *(
                Row(
                    f"pairs-{n}",
                    {"part": "pairs", "pairs": n},
                    {"us": Value(("us",), "us", "raw text, en, processor time of a pair")},
                )
                for n in (100, 400, 1600)
            ),
            *(
                Row(
                    f"start-{model}",
                    {"part": "start", "model": model},
                    {
                        "import": Value(("import_ms",), "ms", "import, processor time"),
                        "load": Value(("load_ms",), "ms", "loading a model, processor time"),
                        "first": Value(("first_ms",), "ms", "the first pair, processor time"),
                        "wall": Value(("wall_ms",), "ms", "all of it by the clock"),
                        "memory": Value(("resident_mib",), "MiB", "resident memory afterwards"),
                    },
                )
                for model in ("en", "en-rte2")
            ),
            *(
                Row(
                    f"{load}-{workers}",
                    {"part": "served", "load": load, "workers": workers},
                    {
                        "server": Value(("server_us",), "us", "server's own process, per pair"),
                        "workers": Value(("workers_us",), "us", "workers, per pair"),
                        "ratio": Value(("ratio",), "times", f"both, to {of}"),
                    },
                )
                for load, of in (("align", "an echo"), ("batch", "the library on raw text"))
                for workers in (1, 2)
            ),
            Row(
                "memory",
                {"part": "memory"},
                {
                    "one": Value(("one_mib",), "MiB", "a server with one worker, after load"),
                    "two": Value(("two_mib",), "MiB", "a server with two workers, after load"),
                    "own": Value(("own_mib",), "MiB", "the server's own process"),
                    "worker": Value(("worker_mib",), "MiB", "a worker, resident"),
                },
            ),
        ),
    ),
    Measurement(
        "limit-rte2",
        "RTE2's development half, joint, one core, beside bench/limit.c in the same run",
        "python -m bench.limit --shares --json --input DATA/msr_rte2/RTE2_dev_M.align.txt",
        (_REFERENCE, *_SHARES, _REMEMBERED),
    ),
)


_SPENT = {"cpu": Value(("cpu_us",), "us", "processor time of the server and its workers, per call")}
TRANSPORT = (
    Measurement(
        "transport",
        "single calls and rankings in plain text and over TLS with a token, two workers, made "
        "pairs of 29 and 10 tokens, medians of turns of one run",
        "python -m bench.transport",
        tuple(
            Row(f"{load}-{transport}", {"load": load, "transport": transport}, values)
            for load in ("align-1", "align-64", "rank-50-1", "rank-50-8", "rank-1000-2")
            for transport, values in (
                ("plain", _SPENT),
                ("tls", _SPENT),
                (
                    "ratio",
                    {
                        "calls": Value(("calls_per_s",), "times", "calls, TLS to plain text"),
                        "cpu": Value(("cpu_us",), "times", "processor time, TLS to plain text"),
                    },
                ),
            )
        ),
    ),
)

CALLS = (
    Measurement(
        "calls",
        "a unary call, one worker, 64 in flight, made pairs of 29 and 10 tokens, model en, medians "
        "of five turns of one run",
        "python -m bench.calls",
        tuple(
            Row(
                part,
                {"part": part},
                {
                    "us": Value(("us",), "us", "processor time per call"),
                    "echoes": Value(("echoes",), "times", "to an echo's"),
                },
            )
            for part in (
                *("echo", "server", "parse", "annotate", "align", "serialise", "passing", "call"),
            )
        ),
    ),
)

SPEEDS = (*SPEED, *LIMIT, *SERVING, *TRANSPORT, *CALLS)
