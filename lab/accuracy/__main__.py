"""``python -m lab.accuracy``."""

import sys

from bench import program
from lab import accuracy

COMMANDS = {
    "annotators": "every annotator beside the native one, and its speed",
    "contrasts": "similarity and conflicts on pairs that differ in a word or two",
    "corpus": "the project's own corpus, by genre and task",
    "crossval": "a training configuration, cross-validated",
    "crossval-neural": "the neural models on RTE2, cross-validated, nothing leaking",
    "ablation": "cross-validated without each feature group, and with each optional one",
    "duplicates": "near-duplicates found among many sentences, beside those of all pairs",
    "ground": "support of words and citations for answers, beside overlap",
    "edits": "edits as people mark them, beside programs that compare texts",
    "effort": "the neural models by the share of pairs that their encoder reads",
    "papers": "the papers' main tables, each row beside the published figure",
    "revisions": "words marked in revisions, beside programs that compare texts",
    "similar": "similarity, and what it is made of, by set of pairs that people judged",
    "sultan": "the aligner of Sultan et al. (2014) with each annotator's trees",
    "ranking": "rankings of answers, set by set, beside baselines",
    "texts": "sentences of two texts that belong together, beside baselines",
    "tasks": "paraphrase and similarity, beside baselines that align nothing",
    "unrelated": "links in pairs that are not parallel, and calibration",
    "users": "links in pairs as users write them, by kind",
}

if __name__ == "__main__":
    sys.exit(program.main("lab.accuracy", str(accuracy.__doc__), COMMANDS))
