"""Accuracy of training configurations, by cross-validation."""

from __future__ import annotations

from lab.measurements.measurement import Measurement, Row, Value, some
from lab.measurements.values import (
    COLLECT,
    CROSSVAL,
    EDINBURGH,
    EN_RTE2,
    ERRORS,
    FRACTIONS,
    KINDS,
    MTREF,
    PERCENT,
    RTE2,
    SURE,
    directions,
)

UNSEEN = f"make -s build/unseen && PYTHONPATH=build/unseen {CROSSVAL}"
"""With vectors that have not seen the links of Edinburgh++."""
_ALSO = "--also DATA/edinburgh/gold.train.sure+poss.json --follow RTE2_dev_M.align.txt"
FOLDS = (
    Measurement(
        "rte2-folds.en-rte2",
        "RTE2 development, sure links, 5 folds, settings of en-rte2",
        f"{CROSSVAL} --gold {RTE2} {EN_RTE2} --output build/folds.links && "
        f"tokalign evaluate --gold {RTE2} --predictions build/folds.links --json",
        (*directions("joint t2s s2t union grow-diag-final-and"), Row("", SURE, KINDS)),
    ),
    Measurement(
        "rte2-folds.en-rte2-edinburgh",
        "RTE2 development, sure links, 5 folds, groups of en-rte2, Edinburgh++ in every fold",
        f"{CROSSVAL} --gold {RTE2} {EN_RTE2} {_ALSO}",
        directions("joint t2s"),
    ),
    Measurement(
        "rte2-folds.en-rte2-edinburgh-trees",
        "the same with the feature group dependency",
        f"{CROSSVAL} --gold {RTE2} {EN_RTE2} --with dependency {_ALSO}",
        directions("joint"),
    ),
    Measurement(
        "rte2-folds.votes",
        "RTE2 development, the majority's sure links, 5 folds, learned from three annotators",
        f"{CROSSVAL} --gold {RTE2} {EN_RTE2} --votes DATA/msr_rte2/RTE2_dev_{{A,B,C}}.align.txt",
        (Row("", {"direction": "joint"}, some(PERCENT, "f1 exact_match other")),),
    ),
    Measurement(
        "edinburgh-folds.unseen",
        "Edinburgh++ training half, sure links, 5 folds, settings of en-rte2, its vectors trained "
        "without Edinburgh++",
        f"{UNSEEN} --gold {EDINBURGH} {EN_RTE2}",
        directions("joint t2s"),
    ),
    Measurement(
        "edinburgh-folds.unseen-trees",
        "the same with the feature group dependency",
        f"{UNSEEN} --gold {EDINBURGH} {EN_RTE2} --with dependency",
        directions("joint t2s"),
    ),
    Measurement(
        "edinburgh-folds.no-vectors",
        "Edinburgh++ training half, sure links, 5 folds, settings of en-rte2 without vectors",
        f"{CROSSVAL} --gold {EDINBURGH} {EN_RTE2} --without vectors",
        directions("joint t2s"),
    ),
    Measurement(
        "edinburgh-folds.no-vectors-trees",
        "the same with the feature group dependency",
        f"{CROSSVAL} --gold {EDINBURGH} {EN_RTE2} --without vectors --with dependency",
        directions("joint t2s"),
    ),
)


def _stacked(name: str, what: str, options: str) -> Measurement:
    return Measurement(
        f"stacking.{name}",
        f"{what}, sure links, 5 folds",
        f"{CROSSVAL} {options}",
        (Row("", {"direction": "joint"}, some(PERCENT, "f1 exact_match identical other")),),
    )


STACKING = (
    _stacked(
        "rte2",
        "RTE2 development, settings of en-rte2 and what sultan links",
        f"--gold {RTE2} {EN_RTE2} --stack wordnet",
    ),
    _stacked(
        "edinburgh",
        "Edinburgh++ training half, settings of en-rte2 without vectors and what sultan links",
        f"--gold {EDINBURGH} {EN_RTE2} --without vectors --stack wordnet",
    ),
    _stacked(
        "mtref-without",
        "MTRef development, settings of en-rte2 without vectors",
        f"--gold {MTREF} {EN_RTE2} --without vectors",
    ),
    _stacked(
        "mtref",
        "MTRef development, settings of en-rte2 without vectors and what sultan links",
        f"--gold {MTREF} {EN_RTE2} --without vectors --stack wordnet",
    ),
)


def _neural(name: str, what: str, options: str, wanted: str = "joint") -> Measurement:
    return Measurement(
        name,
        f"RTE2 development, sure links, {what}",
        f"python -m lab.accuracy crossval-neural {options}".strip(),
        directions(wanted),
        environment=".venv-torch",
    )


NESTED = (
    *(
        _neural(
            f"rte2-fifth.{model}",
            f"the fifth that {model} has not seen, strict",
            f"--shipped {model}",
        )
        for model in ("en-neural", "en-neural-large")
    ),
    _neural("rte2-nested.en-neural", "5 folds nested, one corpus after another", "", "joint t2s"),
    _neural(
        "rte2-nested.en-rte2-neural",
        "5 folds nested, encoders of en-rte2-neural",
        "--alone",
        "joint t2s",
    ),
    _neural(
        "rte2-nested.en-neural-l2-20",
        "5 folds nested, one corpus after another, L2 20",
        "--l2 20",
    ),
)
COUNTED = {"sure": "sure", "all": "sure+possible", "left-out": "ignore-possible"}


def _possible(data: str, gold: str, choice: str, links: str) -> Measurement:
    return Measurement(
        f"{data}-possible.{choice}.{links}",
        f"{data.upper()} development, 5 folds, groups of en-rte2, possible links in training: "
        f"{choice}, links that count: {COUNTED[links]}",
        f"{CROSSVAL} --gold {gold} {EN_RTE2} --possible {choice} --links {COUNTED[links]}",
        (Row("", {"direction": "joint"}, some(PERCENT, "f1 exact_match other")),),
    )


POSSIBLE = tuple(
    _possible(data, gold, choice, links)
    for data, gold, choices in (
        ("rte2", RTE2, ("ignore", "free", "half")),
        ("mtref", MTREF, ("ignore", "half")),
    )
    for choice in choices
    for links in COUNTED
    if (data, choice, links) != ("rte2", "ignore", "sure")  # that is rte2-folds.en-rte2
)

_COLUMNS = some(PERCENT, "f1 exact_match identical other")
_CHANGES = {
    f"{name}_change": Value((f"{value.path[0]}_change",), "points", f"change of {value.what}")
    for name, value in _COLUMNS.items()
}
ABLATION = (
    Measurement(
        "ablation",
        "RTE2 development, sure links, 5 folds, settings of en-rte2, joint",
        f"python -m lab.accuracy ablation --gold {RTE2} {EN_RTE2} "
        "--add anchors,dependency,distributional,paraphrases --ppdb DATA/ppdb/*",
        (Row("{groups}", {}, _COLUMNS | _CHANGES),),
    ),
    Measurement(
        "feature-sets",
        "RTE2 development, sure links, 5 folds, joint, feature sets of published systems; all are "
        "those of en-rte2",
        f"python -m lab.accuracy ablation --gold {RTE2} {EN_RTE2} --sets yao2013,sharma2018",
        (Row("{groups}", {}, _COLUMNS | _CHANGES),),
    ),
)
WRONG = {
    "unlike": Value(
        ("per_100_unrelated",), "links per 100 pairs", "unlike links of unrelated pairs"
    ),
    "confident": Value(
        ("confident_per_100_unrelated",), "links per 100 pairs", "those of confidence 0.8 and more"
    ),
}
STYLES = (
    Measurement(
        "styles",
        "5 folds of all corpora of en and of unrelated pairs, each corpus in its style, or in the "
        "chosen one; thresholds, calibration and choice from the other folds",
        f"{COLLECT} && python -m lab.recipes.styles --data DATA/ --unrelated build/unrelated",
        (
            Row(
                "{style}",
                {},
                FRACTIONS | some(ERRORS, "calibration_error calibration_error_unlike") | WRONG,
            ),
        ),
    ),
)
TRAINING = (*FOLDS, *STACKING, *NESTED, *POSSIBLE, *ABLATION, *STYLES)
