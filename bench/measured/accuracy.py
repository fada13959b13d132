"""How right alignments are: figures that do not depend on the machine."""

from __future__ import annotations

from collections.abc import Sequence

from measured.shapes import Measurement, Row, Value, some


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
MTREF = "DATA/multimwa/mtref-dev.tsv"
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
        (Row("", {"direction": "joint"}, some(PERCENT, "f1 exact_match other")),),
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
_NOT_PARALLEL = (
    "make unrelated > build/unrelated.log && python bench/unrelated.py --data DATA/ --models"
)


def _not_parallel(
    model: str, prefix: str = "", styles: Sequence[str] = ("strict", "paraphrase", "free", "edits")
) -> tuple[Row, ...]:
    """Return a row for each style and kind of pair that bench/unrelated.py prints for a model."""
    return tuple(
        Row(
            prefix + ".".join(part for part in (style, kind) if part),
            {"model": model, "style": style, "kind": kind},
            _UNLIKE,
        )
        for style in styles
        for kind in ("unrelated", "mined", "question", "half-related")
    )


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
        f"{_NOT_PARALLEL} en,en-rte2",
        (
            *_not_parallel("en", "en."),
            *_not_parallel("en-rte2", "en-rte2.", ("",)),
            *(
                Row(f"en.{style}", {"model": "en", "style": style, "kind": "calibration"}, _ERROR)
                for style in ("free", "edits")
            ),
        ),
    ),
    *(
        Measurement(
            f"unrelated.{model}",
            "development pairs that are not parallel",
            f"{_NOT_PARALLEL} {model}",
            _not_parallel(model),
            environment=".venv-neural",
        )
        for model in ("en-neural", "en-neural-large")
    ),
)
NESTED = (
    *(
        Measurement(
            f"rte2-fifth.{model}",
            f"RTE2 development, sure links, the fifth that {model} has not seen, strict",
            f"make crossval-neural ARGS='--shipped {model}'",
            _directions("joint"),
            environment=".venv-neural",
        )
        for model in ("en-neural", "en-neural-large")
    ),
    Measurement(
        "rte2-nested.en-neural",
        "RTE2 development, sure links, 5 folds nested, one corpus after another",
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
        "RTE2 development, sure links, 5 folds nested, one corpus after another, L2 20",
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


STYLE_OF = {"mtref": "free", "wiki": "edits"}


def _held_out(data: str, model: str) -> Measurement:
    style = {} if model == "en-rte2" else {"style": STYLE_OF[data]}
    is_neural = "-neural" in model
    values = some(FRACTIONS, "precision recall f1 exact_match") if model == "en-rte2" else FRACTIONS
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
    _held_out(data, model)
    for data in ("mtref", "wiki")
    for model in ("en", "en-rte2", "en-neural", "en-neural-large")
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
        (Row("", SCORED, some(FRACTIONS, "f1 exact_match identical other")),),
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
_COLUMNS = some(PERCENT, "f1 exact_match identical other")
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
_SETS = ("yao2013", "sharma2018", "all")
FEATURE_SETS = (
    Measurement(
        "feature-sets",
        "RTE2 development, sure links, 5 folds, joint, feature sets of published systems; all are "
        "those of en-rte2",
        f"python bench/ablation.py --gold {RTE2} {EN_RTE2} --sets yao2013,sharma2018",
        tuple(
            Row(name, {"groups": name}, _COLUMNS | (_CHANGES if name != _SETS[0] else {}))
            for name in _SETS
        ),
    ),
)
BASELINE_NAMES = ("lemma", "meteor", "ted")
BASELINES = tuple(
    Measurement(
        f"baselines-{data}",
        f"{what}, sure links, systems that decide by rules, the native annotator",
        f"for system in {' '.join(BASELINE_NAMES)}; do "
        f"tokalign evaluate --gold {gold} --model $system --json; done",
        tuple(
            Row(name, {"model": name}, some(FRACTIONS, "precision recall f1 exact_match other"))
            for name in BASELINE_NAMES
        ),
        is_quick=True,
    )
    for data, what, gold in (
        ("rte2", "RTE2 development", RTE2),
        ("edinburgh", "Edinburgh++ training half", EDINBURGH),
    )
)

ACCURACY = (
    *FOLDS, *STYLES, *NESTED, *POSSIBLE, *HELD_OUT, *HUMAN, *SAMPLE, *ABLATION,
    *FEATURE_SETS, *BASELINES,
)  # fmt: skip
