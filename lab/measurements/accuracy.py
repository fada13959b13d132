"""Accuracy of shipped models, of rules and of people."""

from __future__ import annotations

from lab.measurements.measurement import Measurement, Row, Value, some
from lab.measurements.values import (
    BASELINES,
    COLLECT,
    EDINBURGH,
    ERRORS,
    FRACTIONS,
    KINDS,
    NEURAL,
    PERCENT,
    RTE2,
    SURE,
)

STYLE_OF = {"mtref": "free", "wiki": "edits"}
PLAIN = ("en-rte2", "en-open")
"""Models without styles."""
CALIBRATION = {
    "calibration_error": Value(
        ("calibration", "expected_error"), "percent", "expected calibration error", 100
    )
}


def _held_out(data: str, model: str) -> Measurement:
    style = {} if model in PLAIN else {"style": STYLE_OF[data]}
    is_neural = "-neural" in model
    values = some(FRACTIONS, "precision recall f1 exact_match") if model == "en-rte2" else FRACTIONS
    return Measurement(
        f"{data}-dev.{model}",
        f"MultiMWA {data.capitalize()} development, sure and possible links, {model}"
        + "".join(f", {each}" for each in style.values()),
        f"python -m tokalign evaluate --gold DATA/multimwa/{data}-dev.tsv --model {model} "
        + "".join(f"--style {each} " for each in style.values())
        + "--links sure+possible --json",
        (Row("", {"model": model, **style}, values | (CALIBRATION if model == "en" else {})),),
        is_quick=not is_neural,
        environment=NEURAL if is_neural else "",
    )


NEURAL_MODELS = ("en-neural", "en-neural-large")
# The second pass of `free` learned from the development pairs, so they are divided into folds.
_BY_FOLDS = tuple(
    Measurement(
        f"mtref-dev.{model}",
        f"MultiMWA Mtref development, sure and possible links, {model}, free, the second pass by "
        "folds",
        f"{COLLECT} && python -m lab.recipes.refit --data DATA/ --unrelated build/unrelated "
        "--output build/second-pass.table.xz --only-judge",
        (Row("", {"model": model, "style": "free", "second_pass": "groups"}, FRACTIONS),),
        environment=NEURAL,
    )
    for model in NEURAL_MODELS
)
HELD_OUT = (
    *(
        _held_out(data, model)
        for data in STYLE_OF
        for model in ("en", *PLAIN, *NEURAL_MODELS)
        if (data, model) not in {("mtref", each) for each in NEURAL_MODELS}
    ),
    Measurement(
        "rte2-dev.en-open",
        "RTE2 development, sure links, en-open, which has not seen them",
        f"tokalign evaluate --gold {RTE2} --model en-open --json",
        (Row("", {"model": "en-open"}, FRACTIONS),),
        is_quick=True,
    ),
    *_BY_FOLDS,
)
HUMAN = (
    Measurement(
        "rte2-dev.annotator-c",
        "RTE2 development, sure links, annotator C against the majority",
        f"tokalign evaluate --gold {RTE2} --predictions DATA/msr_rte2/RTE2_dev_C.align.txt --json",
        (Row("", SURE, FRACTIONS | KINDS),),
        is_quick=True,
    ),
    Measurement(
        "rte2-dev.annotator-c-against-a",
        "RTE2 development, sure links, annotator C against annotator A",
        "tokalign evaluate --gold DATA/msr_rte2/RTE2_dev_A.align.txt "
        "--predictions DATA/msr_rte2/RTE2_dev_C.align.txt --json",
        (Row("", SURE, some(FRACTIONS, "f1 exact_match identical other")),),
        is_quick=True,
    ),
)
SAMPLE = (
    Measurement(
        "sample.en",
        "the sample in tests/data, en",
        "tokalign evaluate --gold tests/data/sample.jsonl --model en --json",
        (Row("", {"model": "en"}, {"pairs": Value(("pairs",), "count", "pairs")} | CALIBRATION),),
        is_quick=True,
    ),
)
RULES = tuple(
    Measurement(
        f"baselines-{data}",
        f"{what}, sure links, systems that decide by rules, the native annotator",
        f"for system in {' '.join(BASELINES)}; do "
        f"tokalign evaluate --gold {gold} --model $system --json; done",
        (Row("{model}", {}, some(FRACTIONS, "precision recall f1 exact_match other")),),
        is_quick=True,
    )
    for data, what, gold in (
        ("rte2", "RTE2 development", RTE2),
        ("edinburgh", "Edinburgh++ training half", EDINBURGH),
    )
)
SULTAN = (
    Measurement(
        "sultan",
        "sultan on RTE2 development, sure links",
        "python -W ignore -m lab.accuracy sultan --ppdb DATA/ppdb/*",
        (Row("{trees}-{table}", {}, some(PERCENT, "precision recall f1 exact_match other")),),
        environment=".venv-torch",
    ),
)

_UNLIKE = {
    "unlike": Value(("unlike",), "links per 100 pairs", "between unlike content words"),
    "confident": Value(("confident",), "links per 100 pairs", "those of confidence 0.8 and more"),
    "linked": Value(("linked",), "percent", "content words that have a link", 100),
}
_ERROR = some(ERRORS, "calibration_error calibration_error_with_unrelated")
_LINKED = f"{COLLECT} && python -m lab.accuracy unrelated --models"
UNRELATED = (
    Measurement(
        "unrelated",
        "development pairs that are not parallel",
        f"{_LINKED} en,en-rte2",
        (
            Row("{model}.{style}.{kind}", {}, _UNLIKE),
            Row("en.{style}", {"model": "en", "kind": "calibration"}, _ERROR),
        ),
    ),
    *(
        Measurement(
            f"unrelated.{model}",
            "development pairs that are not parallel",
            f"{_LINKED} {model}",
            (Row("{style}.{kind}", {}, _UNLIKE),),
            environment=NEURAL,
        )
        for model in ("en-neural", "en-neural-large")
    ),
)
USERS = (
    Measurement(
        "users",
        "the pairs as users write them in tests/data",
        "python -m lab.accuracy users",
        (
            Row(
                "{model}.{style}.{kind}",
                {},
                {
                    "found": Value(
                        ("found",), "percent", "links of unlike content words found", 100
                    ),
                    "right": Value(("right",), "percent", "right ones among those made", 100),
                },
            ),
            Row("{model}.{style}", {"kind": "unrelated"}, {"unlike": _UNLIKE["unlike"]}),
        ),
        is_quick=True,
    ),
)
ACCURACY = (*USERS, *HELD_OUT, *HUMAN, *SAMPLE, *RULES, *SULTAN, *UNRELATED)
