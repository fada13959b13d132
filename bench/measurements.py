"""What is measured: every figure of the documentation, the command that gives it, and where in it.

Data only; bench/figures.py runs the commands and writes docs/figures.json, from which the pages
take their figures. A command prints JSON objects, one per line, among whatever else it prints.
``DATA`` in a command stands for the folder of the corpora. Keys are the name of the measurement,
the name of the row and the name of the figure, joined with dots: ``rte2-folds.en-rte2.t2s.f1``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DIGITS = {
    "links per 100 pairs": 1,
    "percent": 1,
    "points": 1,
    "mean average precision": 3,
    "mean reciprocal rank": 3,
    "r": 3,
    "ms": 1,
}
"""Decimals of a figure by its unit; a count is kept whole, of others three significant digits."""


@dataclass(frozen=True)
class Value:
    """Where a figure stands in a command's JSON object.

    Parameters
    ----------
    path : tuple of str
        Keys from the object down to the number.
    unit : str
    times : float
        What to multiply the number by, 100 where a fraction is to be percent.
    what : str
        The quantity, as a reader would say it.
    """

    path: tuple[str, ...]
    unit: str
    what: str
    times: float = 1.0


@dataclass(frozen=True)
class Row:
    """The JSON object with these values, and what is taken from it.

    Parameters
    ----------
    name : str
        Part of the keys; may be empty.
    where : mapping of str to str
        What the object must hold; no two objects of a command may match.
    values : mapping of str to Value
        By the last part of the key.
    """

    name: str
    where: Mapping[str, object]
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Measurement:
    """A command and the rows that it gives.

    Parameters
    ----------
    name : str
        First part of the keys.
    what : str
        What was measured: data, links, model, conditions.
    command : str
        One line of shell, run from the repository's root.
    rows : tuple of Row
    is_quick : bool
        Takes seconds, and nothing that the development environment does not have.
    environment : str
        The virtual environment, where it is another one than the caller's.
    """

    name: str
    what: str
    command: str
    rows: tuple[Row, ...]
    is_quick: bool = field(default=False, kw_only=True)
    environment: str = field(default="", kw_only=True)

    def figure_keys(self) -> list[str]:
        """Return the keys of all figures that this measurement gives."""
        return [key(self, row, name) for row in self.rows for name in row.values]


def key(measurement: Measurement, row: Row, name: str) -> str:
    """Return the key of a figure in docs/figures.json."""
    return ".".join(part for part in (measurement.name, row.name, name) if part)


def _accuracy(times: float) -> dict[str, Value]:
    paths = {
        "precision": ("precision", "macro precision"),
        "recall": ("recall", "macro recall"),
        "f1": ("f1", "F1 of macro precision and recall"),
        "exact_match": ("exact_match", "pairs whose links are all right"),
        "identical": ("f1_identical", "micro F1 of links between identical words"),
        "other": ("f1_non_identical", "micro F1 of links between other words"),
    }
    return {name: Value((path,), "percent", what, times) for name, (path, what) in paths.items()}


def _some(values: Mapping[str, Value], names: str) -> dict[str, Value]:
    return {name: values[name] for name in names.split()}


def _kinds() -> dict[str, Value]:
    kinds = {
        "identical-content": ("identical, content", "identical content words"),
        "identical-function": (
            "identical, function or punctuation",
            "identical function words and marks",
        ),
        "other-content": ("non-identical, content", "other content words"),
        "other-function": (
            "non-identical, function or punctuation",
            "other function words and marks",
        ),
    }
    scores = ("precision", "recall", "f1")
    return {
        f"{name}.{score}": Value(("by_kind", path, score), "percent", f"{score}, {what}", 100)
        for name, (path, what) in kinds.items()
        for score in scores
    }


PERCENT = _accuracy(1)
FRACTIONS = _accuracy(100)
CALIBRATION = {
    "calibration_error": Value(
        ("calibration", "expected_error"), "percent", "expected calibration error", 100
    )
}
PAIRS = {"pairs": Value(("pairs",), "count", "pairs")}


def _directions(names: str) -> tuple[Row, ...]:
    """Return a row for each direction that bench/crossval.py prints; that of joint has no name."""
    return tuple(
        Row("" if name == "joint" else name, {"direction": name}, PERCENT) for name in names.split()
    )


RTE2 = "DATA/msr_rte2/RTE2_dev_M.align.txt"
EDINBURGH = "DATA/edinburgh/gold.train.sure.json"
EN_RTE2 = "--like core/tokalign/data/en-rte2.tokalign"
SCORED = {"links": "sure"}

FOLDS = (
    Measurement(
        "rte2-folds.en-rte2",
        "RTE2 development, sure links, 5 folds, settings of en-rte2",
        "make crossval ARGS='--output build/folds.links' && "
        f"tokalign evaluate --gold {RTE2} --predictions build/folds.links --json",
        (*_directions("joint t2s s2t union grow-diag-final-and"), Row("", SCORED, _kinds())),
    ),
    Measurement(
        "rte2-folds.en-rte2-edinburgh",
        "RTE2 development, sure links, 5 folds, groups of en-rte2, Edinburgh++ in every fold",
        f"python bench/crossval.py --gold {RTE2} {EN_RTE2} "
        "--also DATA/edinburgh/gold.train.sure+poss.json --follow RTE2_dev_M.align.txt",
        _directions("joint t2s"),
    ),
    Measurement(
        "rte2-folds.en-rte2-edinburgh-trees",
        "the same with the feature group dependency",
        f"python bench/crossval.py --gold {RTE2} {EN_RTE2} --with dependency "
        "--also DATA/edinburgh/gold.train.sure+poss.json --follow RTE2_dev_M.align.txt",
        _directions("joint"),
    ),
    Measurement(
        "rte2-folds.votes",
        "RTE2 development, the majority's sure links, 5 folds, learned from three annotators",
        f"python bench/crossval.py --gold {RTE2} {EN_RTE2} "
        "--votes DATA/msr_rte2/RTE2_dev_{A,B,C}.align.txt",
        (Row("", {"direction": "joint"}, _some(PERCENT, "f1 exact_match other")),),
    ),
    Measurement(
        "edinburgh-folds.unseen",
        "Edinburgh++ training half, sure links, 5 folds, settings of en-rte2, its vectors trained "
        "without Edinburgh++",
        "make crossval-edinburgh",
        _directions("joint t2s"),
    ),
    Measurement(
        "edinburgh-folds.unseen-trees",
        "the same with the feature group dependency",
        "make crossval-edinburgh ARGS='--with dependency'",
        _directions("joint t2s"),
    ),
    Measurement(
        "edinburgh-folds.no-vectors",
        "Edinburgh++ training half, sure links, 5 folds, settings of en-rte2 without vectors",
        f"python bench/crossval.py --gold {EDINBURGH} {EN_RTE2} --without vectors",
        _directions("joint t2s"),
    ),
    Measurement(
        "edinburgh-folds.no-vectors-trees",
        "the same with the feature group dependency",
        f"python bench/crossval.py --gold {EDINBURGH} {EN_RTE2} --without vectors "
        "--with dependency",
        _directions("joint t2s"),
    ),
)
_ERROR = {
    "calibration_error": Value(("expected_error",), "percent", "expected calibration error", 100),
    "calibration_error_with_unrelated": Value(
        ("expected_error_with_unrelated",),
        "percent",
        "the same, with the unlike links of unrelated pairs",
        100,
    ),
}
_RAW_ERROR = {
    "calibration_error_uncalibrated": Value(
        ("expected_error_uncalibrated",),
        "percent",
        "expected calibration error of the posteriors as they are",
        100,
    )
}
_UNLIKE = {
    "unlike": Value(("unlike",), "links per 100 pairs", "between unlike content words"),
    "confident": Value(("confident",), "links per 100 pairs", "those of confidence 0.8 and more"),
    "linked": Value(("linked",), "percent", "content words that have a link", 100),
}
STYLES = (
    Measurement(
        "styles",
        "5 folds of all corpora of en and of unrelated pairs, each corpus in its style, threshold "
        "and calibration from the other folds",
        "make styles",
        tuple(
            Row(name, {"style": name}, FRACTIONS | _ERROR | _RAW_ERROR)
            for name in ("strict", "paraphrase", "free", "edits")
        ),
    ),
    Measurement(
        "unrelated",
        "development pairs that are not parallel",
        "make unrelated > build/unrelated.log && "
        "python bench/unrelated.py --data DATA/ --models en,en-rte2",
        (
            *(
                Row(
                    ".".join(part for part in (model, style, kind) if part),
                    {"model": model, "style": style, "kind": kind},
                    _UNLIKE,
                )
                for model, styles in (
                    ("en", ("strict", "paraphrase", "free", "edits")),
                    ("en-rte2", ("",)),
                )
                for style in styles
                for kind in ("unrelated", "mined", "question", "half-related")
            ),
            *(
                Row(
                    f"en.{style}",
                    {"model": "en", "style": style, "kind": "calibration"},
                    _ERROR,
                )
                for style in ("free", "edits")
            ),
        ),
    ),
)
NESTED = (
    Measurement(
        "rte2-nested.en-neural",
        "RTE2 development, sure links, 5 folds nested, encoders of en-neural",
        "make crossval-neural",
        _directions("joint t2s"),
        environment=".venv-neural",
    ),
    Measurement(
        "rte2-nested.en-rte2-neural",
        "RTE2 development, sure links, 5 folds nested, encoders of en-rte2-neural",
        "make crossval-neural ARGS=--alone",
        _directions("joint t2s"),
        environment=".venv-neural",
    ),
    Measurement(
        "rte2-nested.en-neural-l2-20",
        "RTE2 development, sure links, 5 folds nested, encoders of en-neural, an L2 penalty of 20",
        "make crossval-neural ARGS='--l2 20'",
        _directions("joint"),
        environment=".venv-neural",
    ),
)
COUNTED = {"sure": "sure", "all": "sure+possible", "left-out": "ignore-possible"}


def _possible(data: str, gold: str, choice: str, links: str) -> Measurement:
    return Measurement(
        f"{data}-possible.{choice}.{links}",
        f"{data.upper()} development, 5 folds, groups of en-rte2, possible links in training: "
        f"{choice}, links that count: {COUNTED[links]}",
        f"python bench/crossval.py --gold {gold} {EN_RTE2} --possible {choice} "
        f"--links {COUNTED[links]}",
        (Row("", {"direction": "joint"}, _some(PERCENT, "f1 exact_match other")),),
    )


POSSIBLE = tuple(
    _possible(data, gold, choice, links)
    for data, gold, choices in (
        ("rte2", RTE2, ("ignore", "free", "half")),
        ("mtref", "DATA/multimwa/mtref-dev.tsv", ("ignore", "half")),
    )
    for choice in choices
    for links in COUNTED
    if (data, choice, links) != ("rte2", "ignore", "sure")  # that is rte2-folds.en-rte2
)


STYLE_OF = {"mtref": "free", "wiki": "edits"}


def _held_out(data: str, model: str) -> Measurement:
    style = {"style": STYLE_OF[data]} if model == "en" else {}
    is_neural = model.endswith("-neural")
    values = (
        _some(FRACTIONS, "precision recall f1 exact_match") if model == "en-rte2" else FRACTIONS
    )
    return Measurement(
        f"{data}-dev.{model}",
        f"MultiMWA {data.capitalize()} development, sure and possible links, {model}"
        + "".join(f", {each}" for each in style.values()),
        f"tokalign evaluate --gold DATA/multimwa/{data}-dev.tsv --model {model} "
        + "".join(f"--style {each} " for each in style.values())
        + "--links sure+possible --json",
        (Row("", {"model": model, **style}, values | (CALIBRATION if model == "en" else {})),),
        is_quick=not is_neural,
        environment=".venv-neural" if is_neural else "",
    )


HELD_OUT = tuple(
    _held_out(data, model) for data in ("mtref", "wiki") for model in ("en", "en-rte2", "en-neural")
)
HUMAN = (
    Measurement(
        "rte2-dev.annotator-c",
        "RTE2 development, sure links, annotator C against the majority",
        f"tokalign evaluate --gold {RTE2} --predictions DATA/msr_rte2/RTE2_dev_C.align.txt --json",
        (Row("", SCORED, FRACTIONS | _kinds()),),
        is_quick=True,
    ),
    Measurement(
        "rte2-dev.annotator-c-against-a",
        "RTE2 development, sure links, annotator C against annotator A",
        "tokalign evaluate --gold DATA/msr_rte2/RTE2_dev_A.align.txt "
        "--predictions DATA/msr_rte2/RTE2_dev_C.align.txt --json",
        (Row("", SCORED, _some(FRACTIONS, "f1 exact_match identical other")),),
        is_quick=True,
    ),
)
SAMPLE = (
    Measurement(
        "sample.en",
        "the sample in tests/data, en",
        "tokalign evaluate --gold tests/data/sample.jsonl --model en --json",
        (Row("", {"model": "en"}, PAIRS | CALIBRATION),),
        is_quick=True,
    ),
)

_OUT = "string pos position wordnet neighbour lexical names context competition vectors null"
_ADDED = "dependency distributional paraphrases"
_COLUMNS = _some(PERCENT, "f1 exact_match identical other")
_CHANGES = {
    f"{name}_change": Value((f"{value.path[0]}_change",), "points", f"change of {value.what}")
    for name, value in _COLUMNS.items()
}
ABLATION = (
    Measurement(
        "ablation",
        "RTE2 development, sure links, 5 folds, settings of en-rte2, joint",
        "make ablation",
        tuple(
            Row(name.replace(" ", "-"), {"groups": name}, _COLUMNS | _CHANGES)
            for name in (
                *(f"without {group}" for group in _OUT.split()),
                *(f"with {group}" for group in _ADDED.split()),
            )
        ),
    ),
)
_OVERLAPS = (("similarity", "similarity"), ("lemma", "lemma overlap"), ("idf", "idf overlap"))


def _task(
    task: str, what: str, systems: tuple[tuple[str, str], ...], values: Mapping[str, Value]
) -> Measurement:
    return Measurement(
        task,
        what,
        f"python -m bench.tasks {task} --data DATA/",
        tuple(Row(name, {"task": task, "system": system}, values) for name, system in systems),
        is_quick=True,
    )


_MAP, _MRR = "mean average precision", "mean reciprocal rank"
TASKS = (
    _task(
        "paraphrase",
        "MSRP development, threshold from its training pairs, en",
        _OVERLAPS,
        {
            "accuracy": Value(("accuracy",), "percent", "accuracy", 100),
            "f1": Value(("f1",), "percent", "F1", 100),
        },
    ),
    _task(
        "similarity",
        "STS 2012 without MSRvid, en",
        _OVERLAPS,
        {"pearson_r": Value(("pearson_r",), "r", "Pearson's r, weighted mean of the sets")},
    ),
    _task(
        "ranking",
        "TrecQA training and development, en",
        (("answer", "answer"), ("score", "score"), *_OVERLAPS[1:]),
        {
            "questions": Value(("items",), "count", "questions with right and wrong candidates"),
            "map": Value((_MAP.replace(" ", "_"),), _MAP, _MAP),
            "mrr": Value((_MRR.replace(" ", "_"),), _MRR, _MRR),
        },
    ),
)

_RATE = {
    "pairs_per_second": Value(("pairs_per_second",), "pairs per second", "processor time, one core")
}
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
        "aligning-batches.en-neural",
        "aligning of annotated pairs in batches, RTE2 development, joint, one core",
        f"python bench/aligning.py --gold {RTE2} --models en-neural --directions joint --batches",
        (Row("", {"model": "en-neural", "direction": "joint"}, _RATE),),
        environment=".venv-neural",
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


def _count(*path: str) -> Value:
    return Value(path, "count", ", ".join(path))


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
    Measurement(
        "chaos",
        "faults under load for ten minutes",
        "make chaos",
        (
            Row(
                "",
                {"minutes": 10},
                {
                    "answered": _count("answers", "OK"),
                    "late": _count("answers", "DEADLINE_EXCEEDED"),
                    "refused": _count("answers", "RESOURCE_EXHAUSTED"),
                    "internal": _count("answers", "INTERNAL"),
                    "killed": _count("faults", "killed"),
                    "stopped": _count("faults", "stopped"),
                    "paused": _count("faults", "paused"),
                    "starved": _count("faults", "starved"),
                    "reloads": _count("faults", "reloads"),
                    "bad_reloads": _count("faults", "bad reloads"),
                    "vanished": _count("faults", "clients vanished"),
                    "reset": _count("faults", "connections reset"),
                    "files": _count("most", "files"),
                    "own_mib": _count("most", "own_mib"),
                    "processes": _count("most", "processes"),
                    "wrong": _count("wrong"),
                },
            ),
        ),
    ),
    Measurement(
        "fuzz",
        "malformed requests",
        "make fuzz",
        (
            Row(
                "",
                {"inputs": 100_000},
                {
                    "answered": _count("calls", "OK"),
                    "invalid": _count("calls", "INVALID_ARGUMENT"),
                    "not_found": _count("calls", "NOT_FOUND"),
                    "workers_lost": _count("workers_lost"),
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


LIMIT_LENGTHS = (10, 20, 40, 80, 160, 320, 512)
LIMIT = (
    Measurement(
        "limit",
        "made pairs of 29 and 11 tokens, joint, one core, beside bench/limit.c in the same run",
        "python -m bench.limit --json",
        (
            Row(
                "reference",
                {"part": "reference"},
                {"pairs": Value(("pairs_per_s",), "pairs per second", "bench/limit.c")},
            ),
            *(
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
            ),
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
)


_CAUGHT = {
    "caught": Value(("caught",), "percent", "pairs that are at least so similar", 100),
    "equivalent": Value(("equivalent",), "percent", "judged equivalent among these", 100),
    "of_equivalent": Value(("of_equivalent",), "percent", "these among all equivalent ones", 100),
}
THRESHOLDS = (
    Measurement(
        "thresholds.en",
        "MSRP development, STS 2012 test, and random pairs, by their similarity, en",
        "python -m bench.thresholds --data DATA/",
        tuple(
            Row(
                f"{name}.{threshold}",
                {"set": name, "threshold": f"0.{threshold}"},
                _some(_CAUGHT, values),
            )
            for name, thresholds, values in (
                ("msrp", "0", "equivalent"),
                ("msrp", "56789", "caught equivalent of_equivalent"),
                ("sts", "0", "equivalent"),
                ("sts", "56789", "caught equivalent of_equivalent"),
                ("random", "5", "caught"),
            )
            for threshold in thresholds
        ),
        is_quick=True,
    ),
)

SENTENCES = (
    Measurement(
        "sentences",
        "boundaries between sentences of UD English EWT's development documents",
        "python -m bench.sentences --data DATA/",
        tuple(
            Row(
                f"{splitter}-{count}",
                {"splitter": splitter, "count": count},
                {
                    "precision": Value(("precision",), "percent", "precision", 100),
                    "recall": Value(("recall",), "percent", "recall", 100),
                    "f1": Value(("f1",), "percent", "F1", 100),
                }
                | (
                    {"boundaries": Value(("boundaries",), "count", "boundaries")}
                    if splitter == "tokalign"
                    else {}
                ),
            )
            for splitter in ("tokalign", "punkt", "marks", "capitals")
            for count in ("all", "within")
        ),
        is_quick=True,
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

MEASUREMENTS = (
    *FOLDS, *STYLES, *NESTED, *POSSIBLE, *HELD_OUT, *HUMAN, *SAMPLE, *ABLATION, *TASKS,
    *THRESHOLDS, *SENTENCES, *SPEED, *LIMIT, *SERVING, *TRANSPORT,
)  # fmt: skip
