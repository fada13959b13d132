"""The score of a candidate: a logistic regression over its evidence, and its explanation.

The regressions ship with the package; `lab.recipes.question_weights` trains them. A
question without a question word asks for yes or no (a polar one) and has weights of its own.

The cosine of a model with a sentence encoder is further evidence for an answer. It parts answers to
this question from answers to others, but among the former, repetitions of the question have the
largest, so the cosine up to MOST_COSINE has a weight of its own. With it all evidence has other
weights. Claims are ranked without it.

A caller's own score of a candidate, its *prior*, adds to the log odds. It is standardised, so that
neither scale nor zero of such scores matters, and equal ones have no effect::

    z = (prior - mean) / standard deviation,  over the candidates that have a prior
    log odds of the score += weight * z

Its weight was trained with BM25's scores and with positions in a document as priors.

Most answers that say all of a polar question again confirm or deny it, while most distractors lack
a word of it; c is the share of the question that is covered, conflicts left aside::

    log odds += STATES_WEIGHT * (c - LEAST_STATED) / (ALL_STATED - LEAST_STATED),  c in that range

Where most candidates have a question's words, these part none, and one in other words is raised.
r is Dice's coefficient of both sides' stems of content words, of a candidate of one sentence::

    log odds += UNREPEATED_WEIGHT * max(0, 1 - r / MOST_REPEATED)

This holds where at least half of these candidates, and two, reach REPEATED and none of those has
the score SURE, but for those that say all of the question (WHOLE).

What a passage lacks of a question and others hold (tokalign.ranking.passages) counts, too, as its
best sentence may say less than the passage around it::

    log odds += LACKS_WEIGHT * lacking(passage)
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tokalign.english.lexicon.likeness import is_content
from tokalign.english.questions import ends_as_question, is_query
from tokalign.files.shipped import shipped_rows
from tokalign.ranking.passages import repetition
from tokalign.types import Alignment, FeatureContribution, Sentence
from tokalign.types.options import RankBy
from tokalign.types.ranking import Judgement

WEIGHTS_FILE = "question-weights.tsv"
BIAS = "bias"
"""Name of the constant piece of evidence."""
CLAIM_EVIDENCE = ("score", "similarity")
"""Evidence of a candidate for a query that is not a question; fields of Alignment."""
PRIOR = "prior"
"""Name of the evidence from the caller's own score."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A regression over evidence.

    `weights`: the probability of a right answer is sigmoid(bias + weights . evidence), in a
    balanced choice of right and wrong candidates.
    """

    names: tuple[str, ...]
    bias: float
    weights: tuple[float, ...]

    def score(self, values: Sequence[float]) -> float:
        """Return the probability that a candidate is right, in [0, 1]."""
        pairs = zip(self.weights, values, strict=True)
        return sigmoid(self.bias + sum(weight * value for weight, value in pairs))

    def explain(self, values: Sequence[float]) -> tuple[FeatureContribution, ...]:
        """Return each piece's contribution, in nats, by falling absolute size."""
        found = [FeatureContribution(BIAS, 1.0, self.bias)]
        found += map(FeatureContribution, self.names, values, self.weights)
        return by_size(found)


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """The shipped regressions."""

    # `question` and `polar`, of questions with a question word, and of polar ones: over all but the
    # last of EVIDENCE of tokalign.decoding.evidence, in their order. `encoded-question` and
    # `encoded-polar`, of models with an encoder: over COSINES as well. `claim`: over
    # CLAIM_EVIDENCE.
    regressions: Mapping[str, Regression]
    prior: float  # weight of a standardised prior, in nats for each standard deviation


def by_size(found: Sequence[FeatureContribution]) -> tuple[FeatureContribution, ...]:
    """Return contributions by falling absolute size."""
    return tuple(sorted(found, key=lambda each: -abs(each.value * each.weight)))


def sigmoid(log_odds: float) -> float:
    """Return the probability of log odds, of any size."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)


COSINES = ("cosine", "about")
"""Names of the evidence from the cosine: as it is, and at most MOST_COSINE."""
MOST_COSINE: Final = 0.4
"""Chosen by folds of the corpus' questions."""


ASKS = "asks"
"""Name of the evidence that a candidate is a question itself."""
ASKS_WEIGHT: Final = -8.0
"""In nats, more than all other evidence for a question that is repeated: a question states
nothing, so it answers none. No corpus has such candidates."""
FRAGMENT = "fragment"
"""Name of the evidence that a candidate states nothing, of the same weight: where a text was cut
within a sentence, "The" is left."""
STATES = "states"
"""Name of the evidence that a candidate states, or denies, all that a polar question asks."""
STATES_WEIGHT: Final = 1.0
LEAST_STATED: Final = 0.9
ALL_STATED: Final = 0.95
"""Chosen on 49 polar questions of the corpus' training and development parts and 33 lists."""
_STATING = ("VB", "MD", "UH", "RB", "PRP")
"""Begin the tags of words that state something beside content words: "He did.", "Yes."."""


UNREPEATED = "unrepeated"
"""Name of the evidence that a candidate has other words than a question that the list repeats."""
UNREPEATED_WEIGHT: Final = 2.0
MOST_REPEATED: Final = 0.3
REPEATED: Final = 0.4
SURE: Final = 0.9
WHOLE: Final = 0.9
"""Chosen on the training and development parts of the corpus and lists of tests/data. At
REPEATED hardly a list of sentences from documents qualifies."""

LACKS = "lacks"
"""Name of the evidence that a passage lacks words of the question that others hold."""
LACKS_WEIGHT: Final = -0.4
"""Chosen on 30 questions to manual pages, READMEs and licences."""

_LEAST = 1e-9
"""Least distance of scores from 0 and 1, where log odds are infinite."""


def standardised(priors: Sequence[float | None]) -> list[float | None]:
    """Return priors with a mean of 0 and a standard deviation of 1; None stays None.

    Priors must be finite; equal ones become 0.

    Examples
    --------
    >>> standardised([8.0, None, 0.0, 8.0, 0.0])
    [1.0, None, -1.0, 1.0, -1.0]
    """
    known = [prior for prior in priors if prior is not None]
    largest = max(map(abs, known), default=0.0)
    if not largest:
        return [None if prior is None else 0.0 for prior in priors]
    scaled = [prior / largest for prior in known]  # squares of the largest numbers overflow
    mean = statistics.fmean(scaled)
    deviation = math.sqrt(statistics.fmean((each - mean) ** 2 for each in scaled))
    if deviation < _LEAST:
        return [None if prior is None else 0.0 for prior in priors]
    return [None if prior is None else (prior / largest - mean) / deviation for prior in priors]


@cache
def shipped_weights() -> AnswerWeights:
    """Return the shipped weights, read once."""
    found: dict[str, dict[str, float]] = {}
    for of, name, weight in shipped_rows(WEIGHTS_FILE):
        found.setdefault(of, {})[name] = float(weight)
    prior = found.pop("any")[PRIOR]
    regressions = {}
    for of, weights in found.items():
        bias = weights.pop(BIAS)
        regressions[of] = Regression(tuple(weights), bias, tuple(weights.values()))
    return AnswerWeights(regressions, prior)


def repetition_of(alignment: Alignment, by: RankBy) -> float | None:
    """Return how far a candidate (source) repeats a question (target), in [0, 1].

    `by`: kind of its score. None unless it is judged as an answer to a question.
    """
    if by is not RankBy.ANSWER or not is_query(alignment.target):
        return None
    return repetition(alignment.source.tokens, alignment.target.tokens)


def added_by_list(
    scores: Sequence[float],
    repetitions: Sequence[float | None],
    lacking: Sequence[float],
    priors: Sequence[float | None],
    weights: AnswerWeights,
) -> list[list[FeatureContribution]]:
    """Return the evidence of each candidate of a list that depends on the others.

    `repetitions`: see repetition_of; None for a passage of several sentences. `lacking`: see
    tokalign.ranking.passages. `priors`: standardised.

    The order of the candidates does not matter, and equal ones get the same.
    """
    repeating = [s for s, r in zip(scores, repetitions, strict=True) if r and r >= REPEATED]
    n_counted = sum(each is not None for each in repetitions)
    sure = [s for s, r in zip(scores, repetitions, strict=True) if r and REPEATED <= r < WHOLE]
    is_repeated = len(repeating) >= max(2, n_counted / 2) and max(sure, default=0.0) < SURE
    found = []
    for prior, own, lack in zip(priors, repetitions, lacking, strict=True):
        pieces = [] if prior is None else [FeatureContribution(PRIOR, prior, weights.prior)]
        if lack:
            pieces.append(FeatureContribution(LACKS, lack, LACKS_WEIGHT))
        if is_repeated and own is not None and own < MOST_REPEATED:
            share = 1 - own / MOST_REPEATED
            pieces.append(FeatureContribution(UNREPEATED, share, UNREPEATED_WEIGHT))
        found.append(pieces)
    return found


def weighed(
    judgement: Judgement, added: Sequence[FeatureContribution], *, explain: bool
) -> Judgement:
    """Return a judgement with further evidence; unchanged without any. What a passage lacks counts
    for answers alone."""
    if judgement.by is not RankBy.ANSWER:
        added = [each for each in added if each.name != LACKS]
    if not added:
        return judgement
    score = min(max(judgement.score, _LEAST), 1 - _LEAST)
    log_odds = math.log(score / (1 - score)) + sum(each.value * each.weight for each in added)
    evidence = by_size([*judgement.evidence, *added]) if explain else judgement.evidence
    return Judgement(judgement.by, sigmoid(log_odds), evidence)


def _is_fragment(candidate: Sentence) -> bool:
    tags = candidate.tags or ("",) * len(candidate)
    return not any(
        is_content(token) or tag.startswith(_STATING)
        for token, tag in zip(candidate.tokens, tags, strict=True)
    )


def judge_answer(
    alignment: Alignment, evidence: Sequence[float] | None, by: RankBy, *, explain: bool
) -> Judgement:
    """Return the score of an aligned candidate (source) as an answer to a question (target).

    `evidence`: in the order of EVIDENCE; None unless the query is judged as a question. `explain`:
    whether to return the evidence.
    """
    if by is RankBy.SIMILARITY:
        return Judgement(by, alignment.similarity)
    weights, added = shipped_weights(), []
    if evidence is not None:
        *values, is_polar = evidence
        of = "polar" if is_polar else "question"
        if alignment.cosine is not None:
            of = f"encoded-{of}"
            values += [alignment.cosine, min(alignment.cosine, MOST_COSINE)]
        regression = weights.regressions[of]
        if ends_as_question(alignment.source.text):
            added = [FeatureContribution(ASKS, 1.0, ASKS_WEIGHT)]
        elif _is_fragment(alignment.source):
            added = [FeatureContribution(FRAGMENT, 1.0, ASKS_WEIGHT)]
        elif is_polar and alignment.target_covered > LEAST_STATED:
            stated = min(alignment.target_covered, ALL_STATED) - LEAST_STATED
            share = stated / (ALL_STATED - LEAST_STATED)
            added = [FeatureContribution(STATES, share, STATES_WEIGHT)]
    elif by is RankBy.ANSWER:
        regression, values = weights.regressions["claim"], [alignment.score, alignment.similarity]
    else:
        return Judgement(RankBy.SCORE, alignment.score)
    pieces = regression.explain(values) if explain else ()
    judgement = Judgement(RankBy.ANSWER, regression.score(values), pieces)
    return weighed(judgement, added, explain=explain)
