"""Figures of what alignments are used for: paraphrases, similarity, ranking, thresholds."""

from __future__ import annotations

from collections.abc import Mapping

from bench.measurements.measurement import Measurement, Row, Value, rows_where, some


def _task(task: str, what: str, systems: str, values: Mapping[str, Value]) -> Measurement:
    return Measurement(
        task,
        what,
        f"python -m bench.accuracy tasks --only {task}",
        rows_where("system", systems.split(), values),
        is_quick=True,
    )


_MAP, _MRR = "mean average precision", "mean reciprocal rank"
_RANKING = {
    "queries": Value(("queries",), "count", "queries with right and wrong candidates"),
    "map": Value((_MAP.replace(" ", "_"),), _MAP, _MAP),
    "mrr": Value((_MRR.replace(" ", "_"),), _MRR, _MRR),
}
_CAUGHT = {
    "caught": Value(("caught",), "percent", "pairs that are at least so similar", 100),
    "equivalent": Value(("equivalent",), "percent", "judged equivalent among these", 100),
    "of_equivalent": Value(("of_equivalent",), "percent", "these among all equivalent ones", 100),
}
_THRESHOLDS = (
    ("msrp", "0", "equivalent"),
    ("msrp", "56789", "caught equivalent of_equivalent"),
    ("sts", "0", "equivalent"),
    ("sts", "56789", "caught equivalent of_equivalent"),
    ("random", "5", "caught"),
)
TASKS = (
    _task(
        "paraphrase",
        "MSRP development, threshold from its training pairs, en",
        "similarity lemma idf",
        {
            "accuracy": Value(("accuracy",), "percent", "accuracy", 100),
            "f1": Value(("f1",), "percent", "F1", 100),
        },
    ),
    _task(
        "similarity",
        "STS 2012 without MSRvid, en",
        "similarity lemma idf",
        {"pearson_r": Value(("pearson_r",), "r", "Pearson's r, weighted mean of the sets")},
    ),
    Measurement(
        "ranking",
        "TrecQA training and development, WikiQA development, WiCE's claims, en",
        "python -m bench.accuracy ranking",
        (Row("{set}.{system}", {}, _RANKING),),
        is_quick=True,
    ),
    Measurement(
        "thresholds.en",
        "MSRP development, STS 2012 test, and random pairs, by their similarity, en",
        "python -m bench.accuracy thresholds",
        tuple(
            Row(f"{name}.{tenth}", {"set": name, "threshold": f"0.{tenth}"}, some(_CAUGHT, values))
            for name, tenths, values in _THRESHOLDS
            for tenth in tenths
        ),
        is_quick=True,
    ),
)
