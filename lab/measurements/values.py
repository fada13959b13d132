"""Figures of accuracy that several measurements share, and the corpora."""

from __future__ import annotations

from lab.measurements.measurement import Row, Value


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


def _kinds() -> dict[str, Value]:
    function = "function or punctuation"
    kinds = {
        "identical-content": ("identical, content", "identical content words"),
        "identical-function": (f"identical, {function}", "identical function words and marks"),
        "other-content": ("non-identical, content", "other content words"),
        "other-function": (f"non-identical, {function}", "other function words and marks"),
    }
    return {
        f"{name}.{score}": Value(("by_kind", path, score), "percent", f"{score}, {what}", 100)
        for name, (path, what) in kinds.items()
        for score in ("precision", "recall", "f1")
    }


PERCENT = _accuracy(1)
FRACTIONS = _accuracy(100)
KINDS = _kinds()
ERRORS = {
    f"calibration_error{suffix}": Value((f"expected_error{suffix}",), "percent", what, 100)
    for suffix, what in (
        ("", "expected calibration error"),
        ("_unlike", "expected calibration error of links of unlike words"),
        ("_with_unrelated", "the same, with the unlike links of unrelated pairs"),
    )
}
RTE2 = "DATA/msr_rte2/RTE2_dev_M.align.txt"
EDINBURGH = "DATA/edinburgh/gold.train.sure.json"
MTREF = "DATA/multimwa/mtref-dev.tsv"
EN_RTE2 = "--like core/tokalign/data/en-rte2.tokalign"
CROSSVAL = "python -m lab.accuracy crossval"
COLLECT = (
    "python -m lab.recipes.unrelated --data DATA/ --output build/unrelated > build/unrelated.log"
)
SURE = {"links": "sure"}
BASELINES = ("lemma", "meteor", "ted")
NEURAL = ".venv-neural"


def directions(names: str) -> tuple[Row, ...]:
    """Return a row for each symmetrization that crossval prints; that of joint has no name."""
    return tuple(
        Row("" if name == "joint" else name, {"direction": name}, PERCENT) for name in names.split()
    )
