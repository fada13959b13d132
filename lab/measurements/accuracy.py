"""Accuracy of alignments: shipped models, cross-validated configurations, rules and people."""

from __future__ import annotations

from lab.measurements.measurement import Measurement, Row, Value, some


def _scores(times: float) -> dict[str, Value]:
    return {
        "f1": Value(("f1",), "percent", "F1 of macro precision and recall", times),
        "exact_match": Value(("exact_match",), "percent", "pairs whose links are all right", times),
        "other": Value(
            ("f1_non_identical",), "percent", "micro F1 of links between other words", times
        ),
    }


PERCENT = _scores(1)
FRACTIONS = _scores(100)
CONTENT_RECALL = {
    "other-content.recall": Value(
        ("by_kind", "non-identical, content", "recall"),
        "percent",
        "recall, other content words",
        100,
    )
}
CALIBRATION = {
    "calibration_error": Value(
        ("calibration", "expected_error"), "percent", "expected calibration error", 100
    )
}
NULLS = {
    "nulls": Value(("with_nulls", "nulls", "f1"), "percent", "F1 of words without a partner", 100)
}
INTERVALS = {
    f"{name}.{end}": Value(
        ("intervals", name, i), "percent", f"{end} end of the 95% interval of {name}", 100
    )
    for name in ("f1", "exact_match")
    for i, end in enumerate(("lower", "upper"))
}
BESIDE = {"p": Value(("p",), "p", "p of the difference in F1 to en-neural, by randomisation")}
RTE2 = "DATA/msr_rte2/RTE2_dev_M.align.txt"
EDINBURGH = "DATA/edinburgh/gold.train.sure.json"
EN_RTE2 = "--like core/tokalign/data/en-rte2.tokalign"
CROSSVAL = "python -m lab.accuracy crossval"
COLLECT = (
    "python -m lab.recipes.unrelated --data DATA/ --output build/unrelated > build/unrelated.log"
)
NEURAL = ".venv-neural"
NEURAL_MODELS = ("en-neural", "en-neural-large")
OPEN_NEURAL = "en-neural-open"
STYLE_OF = {"mtref": "free", "wiki": "edits"}
JOINT = (Row("", {"direction": "joint"}, PERCENT),)


def _held_out(data: str, model: str) -> Measurement:
    style = {"style": STYLE_OF[data]}
    is_neural = model in (*NEURAL_MODELS, OPEN_NEURAL)
    return Measurement(
        f"{data}-dev.{model}",
        f"MultiMWA {data.capitalize()} development, sure and possible links, {model}"
        + "".join(f", {each}" for each in style.values()),
        f"python -m tokalign evaluate --gold DATA/multimwa/{data}-dev.tsv --model {model} "
        + "".join(f"--style {each} " for each in style.values())
        + "--links sure+possible --json",
        (Row("", {"model": model, **style}, FRACTIONS | (CALIBRATION if model == "en" else {})),),
        is_quick=not is_neural,
        environment=NEURAL if is_neural else "",
    )


HELD_OUT = (
    *(_held_out("mtref", model) for model in ("en", "en-research", OPEN_NEURAL)),
    *(_held_out("wiki", model) for model in ("en", "en-research", *NEURAL_MODELS, OPEN_NEURAL)),
    # The second pass of `free` learned from these pairs, so they are divided into folds.
    *(
        Measurement(
            f"mtref-dev.{model}",
            f"MultiMWA Mtref development, sure and possible links, {model}, free, the second pass "
            "by folds",
            f"{COLLECT} && python -m lab.recipes.refit --data DATA/ --unrelated build/unrelated "
            "--output build/second-pass.table.xz --only-judge",
            (Row("", {"model": model, "style": "free", "second_pass": "groups"}, FRACTIONS),),
            environment=NEURAL,
        )
        for model in NEURAL_MODELS
    ),
    *(
        Measurement(
            f"rte2-dev.{model}",
            f"RTE2 development, sure links, {model}, strict, which has not seen them",
            f"python -m tokalign evaluate --gold {RTE2} --model {model} --style strict --json",
            (Row("", {"model": model, "style": "strict"}, FRACTIONS | more),),
            is_quick=not environment,
            environment=environment,
        )
        for model, environment, more in (("en", "", NULLS | INTERVALS), (OPEN_NEURAL, NEURAL, {}))
    ),
    Measurement(
        "rte2-dev.annotator-c",
        "RTE2 development, sure links, annotator C against the majority",
        f"tokalign evaluate --gold {RTE2} --predictions DATA/msr_rte2/RTE2_dev_C.align.txt --json",
        (Row("", {"links": "sure"}, FRACTIONS | CONTENT_RECALL | NULLS),),
        is_quick=True,
    ),
    Measurement(
        "sample.en",
        "the sample in tests/data, en",
        "tokalign evaluate --gold tests/data/sample.jsonl --model en --json",
        (Row("", {"model": "en"}, {"pairs": Value(("pairs",), "count", "pairs")} | CALIBRATION),),
        is_quick=True,
    ),
)
FOLDS = (
    Measurement(
        "rte2-folds.en-rte2",
        "RTE2 development, sure links, 5 folds, settings of en-rte2",
        f"{CROSSVAL} --gold {RTE2} {EN_RTE2} --output build/folds.links && "
        f"tokalign evaluate --gold {RTE2} --predictions build/folds.links --json",
        (*JOINT, Row("", {"links": "sure"}, CONTENT_RECALL)),
    ),
    Measurement(
        "edinburgh-folds.en-rte2",
        "Edinburgh++ training half, sure links, 5 folds, settings of en-rte2",
        f"{CROSSVAL} --gold {EDINBURGH} {EN_RTE2}",
        JOINT,
    ),
    *(
        Measurement(
            f"rte2-fifth.{model}",
            f"RTE2 development, sure links, the fifth that {model} has not seen, strict",
            f"python -m lab.accuracy crossval-neural --shipped {model}",
            JOINT,
            environment=".venv-torch",
        )
        for model in NEURAL_MODELS
    ),
    Measurement(
        "rte2-fifth.en",
        "RTE2 development, sure links, the fifth that en-neural has not seen, en, strict",
        "python -m lab.accuracy crossval-neural --shipped en --against en-neural",
        (Row("", {"direction": "joint"}, PERCENT | BESIDE),),
        environment=NEURAL,
    ),
    Measurement(
        "rte2-nested.en-rte2-neural",
        "RTE2 development, sure links, 5 folds nested, encoders of en-rte2-neural",
        "python -m lab.accuracy crossval-neural --alone",
        (Row("", {"direction": "joint"}, some(PERCENT, "f1 exact_match")),),
        environment=".venv-torch",
    ),
    Measurement(
        "ablation",
        "RTE2 development, sure links, 5 folds, settings of en-rte2, joint",
        f"python -m lab.accuracy ablation --gold {RTE2} {EN_RTE2} "
        "--add anchors,dependency,distributional,paraphrases --ppdb DATA/ppdb/*",
        (
            Row(
                "{groups}",
                {},
                {
                    f"{name}_change": Value(
                        (f"{value.path[0]}_change",), "points", f"change of {value.what}"
                    )
                    for name, value in some(PERCENT, "f1 other").items()
                },
            ),
        ),
    ),
    Measurement(
        "feature-sets",
        "RTE2 development, sure links, 5 folds, joint, feature sets of published systems; all are "
        "those of en-rte2",
        f"python -m lab.accuracy ablation --gold {RTE2} {EN_RTE2} --sets yao2013,sharma2018",
        (Row("{groups}", {}, PERCENT),),
    ),
    Measurement(
        "styles",
        "5 folds of all corpora of en-research and of unrelated pairs, each corpus in its style, "
        "or in the chosen one; thresholds, calibration and choice from the other folds",
        f"{COLLECT} && python -m lab.recipes.models --data DATA/ --judge en-research",
        (Row("{style}", {}, FRACTIONS),),
    ),
)
RULES = (
    *(
        Measurement(
            f"baselines-{data}",
            f"{what}, sure links, systems that decide by rules, the native annotator",
            "for system in lemma meteor ted; do "
            f"tokalign evaluate --gold {gold} --model $system --json; done",
            (Row("{model}", {}, FRACTIONS | more),),
            is_quick=True,
        )
        for data, what, gold, more in (
            ("rte2", "RTE2 development", RTE2, NULLS),
            ("edinburgh", "Edinburgh++ training half", EDINBURGH, {}),
        )
    ),
    Measurement(
        "sultan",
        "sultan on RTE2 development, sure links",
        "python -W ignore -m lab.accuracy sultan --ppdb DATA/ppdb/*",
        (Row("{trees}-{table}", {}, PERCENT),),
        environment=".venv-torch",
    ),
)

_UNLIKE = {
    "unlike": Value(("unlike",), "links per 100 pairs", "between unlike content words"),
    "confident": Value(("confident",), "links per 100 pairs", "those of confidence 0.8 and more"),
}
_LINKED = f"{COLLECT} && python -m lab.accuracy unrelated --models"
WITHOUT_GOLD = (
    Measurement(
        "unrelated",
        "development pairs that are not parallel",
        f"{_LINKED} en,en-rte2",
        (Row("{model}.{style}.{kind}", {}, _UNLIKE),),
    ),
    *(
        Measurement(
            f"unrelated.{model}",
            "development pairs that are not parallel",
            f"{_LINKED} {model}",
            (Row("{style}.{kind}", {}, some(_UNLIKE, "unlike")),),
            environment=NEURAL,
        )
        for model in (*NEURAL_MODELS, OPEN_NEURAL)
    ),
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
        ),
        is_quick=True,
    ),
)
ACCURACY = (*HELD_OUT, *FOLDS, *RULES, *WITHOUT_GOLD)
