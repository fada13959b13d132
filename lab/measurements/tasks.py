"""Accuracy of what alignments are used for: similarity, ranking, edits, texts and grounding."""

from __future__ import annotations

from collections.abc import Mapping

from lab.measurements.accuracy import NEURAL, NEURAL_MODELS
from lab.measurements.measurement import Measurement, Row, Value, rows_where, some


def _task(task: str, what: str, systems: str, values: Mapping[str, Value]) -> Measurement:
    return Measurement(
        task,
        what,
        f"python -m lab.accuracy tasks --only {task}",
        rows_where("system", systems.split(), values),
        is_quick=True,
    )


_MAP, _MRR = "mean average precision", "mean reciprocal rank"
_RANKING = {
    "queries": Value(("queries",), "count", "queries with right and wrong candidates"),
    "map": Value((_MAP.replace(" ", "_"),), _MAP, _MAP),
    "mrr": Value((_MRR.replace(" ", "_"),), _MRR, _MRR),
}
_EFFORT = {
    "f1": Value(("f1",), "percent", "F1 of macro precision and recall", 100),
    "exact_match": Value(("exact_match",), "percent", "pairs whose links are all right", 100),
    "read": Value(("read",), "percent", "pairs that the encoder read", 100),
    "pairs_per_second": Value(("pairs_per_s",), "pairs per second", "processor time, one core"),
}
_DOCUMENTS = {
    "found": Value(("found",), "percent", "errors found", 100),
    "right_flagged": Value(("right_flagged",), "percent", "right words flagged", 100),
    "alarmed": Value(("alarmed",), "percent", "right answers alarmed", 100),
    "first": Value(("first",), "percent", "first citations that are right", 100),
}
_CLAIMS = {
    "found": Value(("errors_found",), "percent", "claims with an error in which it is found", 100),
    "found_at_10": Value(
        ("errors_found_at_10",), "percent", "found where 10% of the right words are flagged", 100
    ),
    "found_at_20": Value(
        ("errors_found_at_20",), "percent", "found where 20% of the right words are flagged", 100
    ),
    "right_flagged": Value(("right_flagged",), "percent", "right words flagged", 100),
    "told": Value(("told_of_conflict",), "percent", "claims in conflict that have one told", 100),
    "false": Value(("told_of_supported",), "percent", "supported claims with one told", 100),
}
_CONTRASTS = {
    "covered": Value(("covered",), "area", "area under the curve of covered"),
    "similarity": Value(("similarity",), "area", "area under the curve of similarity"),
    "told": Value(("told",), "percent", "pairs that say something else with a conflict told", 100),
    "false": Value(("false",), "percent", "pairs that say the same with a conflict told", 100),
}
_KINDS = {
    "unlike": Value(("unlike",), "percent", "kinds that are right, of links not the same", 100),
    "unlike_f1": Value(("unlike_f1",), "percent", "mean F1 of these six kinds", 100),
    "all": Value(("all",), "percent", "kinds that are right, but of the same words", 100),
}
_CHUNKS = {
    "alignment": Value(("alignment",), "percent", "F1 of alignment", 100),
    "type": Value(("type",), "percent", "F1 of type", 100),
    "score": Value(("score",), "percent", "F1 of score", 100),
    "both": Value(("type_and_score",), "percent", "F1 of type and score", 100),
    "chunks": Value(("chunks",), "percent", "F1 of chunks that are found", 100),
}
_SPANS = {"accuracy": Value(("accuracy",), "percent", "spans that are judged right", 100)}
_R = {
    name: Value((name,), "r", f"Pearson's r of {what}")
    for name, what in (
        ("similarity", "similarity"),
        ("cosine", "the encoder's cosine"),
        ("left_out", "similarity by the mix that the other sets choose"),
    )
}
_ACCURACY = {
    name: Value((name,), "percent", f"accuracy by {name}", 100) for name in ("similarity", "cosine")
}
_CORPUS = {
    "f1": Value(("f1",), "percent", "micro F1"),
}
_CORPUS_ANSWERS = {
    "answers_found": Value(
        ("answers_found",), "percent", "recall of content links of right answers", 100
    ),
    "answers_right": Value(
        ("answers_right",), "percent", "precision of content links of right answers", 100
    ),
}
_CORPUS_RANKING = {
    "above": Value(("above",), "percent", "right answers above wrong ones of a question", 100),
    "mrr": Value(("mrr",), "mean reciprocal rank", "of the best among all right answers"),
}
_DUPLICATES = {
    "sentences": Value(("sentences",), "count", "different sentences"),
    "compared": Value(("compared",), "percent", "compared of all pairs", 100),
    "similar": Value(("similar",), "count", "pairs of at least .75 among all pairs"),
    "found": Value(("found",), "percent", "found of these", 100),
    "of_judged": Value(("of_judged",), "percent", "found of equivalent pairs", 100),
}
_LINKS = {
    name: Value((name,), "percent", f"{what} of links of sentences", 100)
    for name, what in (("recall", "recall"), ("f1", "F1"))
}
_MOVED = {"recall": Value(("moved_recall",), "percent", "recall of blocks that moved", 100)}
_TEXT_SECONDS = {
    "seconds": Value(("seconds",), "seconds", "processor time of align_texts"),
    "plan": Value(("plan_seconds",), "seconds", "processor time of its plan"),
}
_WORDS = {
    "area": Value(("area",), "percent", "area under the curve of unsupported words", 100),
    "f1": Value(("f1",), "percent", "F1 of unsupported words", 100),
    "precision": Value(("precision",), "percent", "precision of flagged words", 100),
    "recall": Value(("recall",), "percent", "recall of unsupported words", 100),
    "precision_at_40": Value(
        ("precision_at_40",), "percent", "precision of flagged words at a recall of 40%", 100
    ),
    "calibration": Value(("calibration",), "percent", "expected calibration error", 100),
    "flagged_of_right": Value(
        ("flagged_of_right",), "percent", "words flagged in claims supported as a whole", 100
    ),
}
_CITED = {
    "first": Value(("first",), "percent", "claims whose first citation supports them", 100),
    "three": Value(("three",), "percent", "claims that one of three citations supports", 100),
}
TASKS = (
    _task(
        "paraphrase",
        "MSRP development, threshold from its training pairs, en",
        "similarity lemma idf",
        {
            "accuracy": Value(("accuracy",), "percent", "accuracy", 100),
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
        "python -m lab.accuracy ranking",
        (Row("{set}.{system}", {}, _RANKING),),
        is_quick=True,
    ),
    *(
        Measurement(
            f"ranking-neural.{model}",
            f"TrecQA training and development, WikiQA development, WiCE's claims, {model}",
            f"python -m lab.accuracy ranking --model {model}",
            (Row("{set}.{system}", {}, some(_RANKING, "map mrr")),),
            environment=NEURAL,
        )
        for model in ("en-neural", "en-neural-open")
    ),
    Measurement(
        "similar.en",
        "STS 2012 and SICK's training part, en",
        "python -m lab.accuracy similar",
        (Row("{set}", {"metric": "r"}, some(_R, "similarity")),),
        is_quick=True,
    ),
    *(
        Measurement(
            f"similar.{model}",
            f"STS 2012 and SICK's training part; MSRP development; {model}",
            f"python -m lab.accuracy similar --model {model}",
            (
                Row("{set}", {"metric": "r"}, _R),
                Row("{set}", {"metric": "accuracy"}, _ACCURACY),
            ),
            environment=NEURAL,
        )
        for model in NEURAL_MODELS
    ),
    *(
        Measurement(
            "corpus" + "-neural" * is_neural,
            "the test part of the project's corpus, sure links",
            f"python -m lab.accuracy corpus --part test --models {models}",
            (
                Row("{genre}.{model}", {}, _CORPUS),
                Row("{genre}.{model}", {"genre": "all"}, _CORPUS_ANSWERS),
                Row("{genre}.{model}", {}, _CORPUS_RANKING),
            ),
            is_quick=not is_neural,
            environment=NEURAL * is_neural,
        )
        for models, is_neural in (
            ("en,en-research,en-rte2,sultan,meteor,lemma", False),
            ("en-neural,en-neural-open", True),
        )
    ),
    Measurement(
        "effort-open",
        "development pairs that en and en-neural-open have not seen, each corpus in its style",
        "python -m lab.accuracy effort --models en-neural-open",
        (Row("{style}.{model}.{effort}", {}, some(_EFFORT, "f1 exact_match read")),),
        environment=NEURAL,
    ),
    Measurement(
        "effort",
        "development pairs that the neural models have not seen, each corpus in its style",
        "python -m lab.accuracy effort",
        (Row("{style}.{model}.{effort}", {}, _EFFORT),),
        environment=NEURAL,
    ),
    Measurement(
        "duplicates",
        "near-duplicates beside the similarities of all pairs, threshold .75, en",
        "python -m lab.accuracy duplicates",
        (Row("{set}", {}, _DUPLICATES),),
    ),
    Measurement(
        "edits",
        "arXivEdits training and development pairs; en, edits",
        "python -m lab.accuracy edits",
        rows_where(
            "system",
            ["tokalign", "difflib", "difflib-lower", "diff-match-patch", "redlines"],
            {
                "precision": Value(("precision",), "percent", "precision of exact edits", 100),
                "recall": Value(("recall",), "percent", "recall of exact edits", 100),
                "f1": Value(("f1",), "percent", "F1 of exact edits", 100),
                "whole": Value(("whole_pairs",), "percent", "pairs with all edits right", 100),
                "seconds": Value(("seconds",), "seconds", "processor time of all pairs"),
            },
        ),
    ),
    Measurement(
        "texts",
        "links of sentences of made texts; en",
        "python -m lab.accuracy texts",
        (
            Row("{system}.{kind}.{corpus}", {}, _LINKS),
            Row("moved.{kind}.{corpus}", {"system": "tokalign"}, _MOVED),
            Row("1000", {"texts": "asset, rewritten"}, _TEXT_SECONDS),
        ),
        is_quick=True,
    ),
    Measurement(
        "grounded",
        "40 short answers over excerpts of ten real documents, half of them with an error",
        "python -m lab.accuracy ground --part documents",
        (Row("{system}", {"part": "documents"}, _DOCUMENTS),),
        is_quick=True,
    ),
    Measurement(
        "grounded-claims",
        "claims of the development part of the project's corpus",
        "python -m lab.accuracy ground --part corpus",
        (Row("", {"part": "corpus"}, _CLAIMS),),
        is_quick=True,
    ),
    Measurement(
        "contrasts",
        "150 pairs that say the same in other words, 150 that say something else; en",
        "python -m lab.accuracy contrasts",
        (Row("{kind}", {}, _CONTRASTS),),
        is_quick=True,
    ),
    Measurement(
        "relations",
        "links of the corpus' development part; the training part of interpretable similarity",
        "python -m lab.recipes.related --data DATA/",
        (Row("{links}", {}, _KINDS), Row("{text}", {}, _CHUNKS), Row("{spans}", {}, _SPANS)),
        is_quick=True,
    ),
    Measurement(
        "relations-research",
        "the training part of interpretable similarity and SSD, 5 folds; en-research",
        "python -m lab.recipes.related --data DATA/ --research 5",
        (Row("{text}", {}, _CHUNKS), Row("{spans}", {}, _SPANS)),
    ),
    Measurement(
        "ground",
        "WiCE training and development words, 10 folds; development claims",
        "python -m lab.accuracy ground",
        (
            Row("{system}.{words}", {"part": "words"}, _WORDS),
            Row("{system}", {"part": "citations"}, _CITED),
        ),
    ),
    Measurement(
        "ground-encoder",
        "WiCE training and development words, 10 folds; development claims; MiniLM's cosines",
        "python -m lab.accuracy ground --part encoder --model en-neural",
        (Row("{words}", {"part": "words"}, _WORDS), Row("", {"part": "citations"}, _CITED)),
        environment=NEURAL,
    ),
)
