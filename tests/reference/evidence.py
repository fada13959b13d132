"""Slow, obvious twin of the evidence that a candidate answers a question."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tokalign.english.lexicon.lexical_tables import Vectors
from tokalign.english.lexicon.likeness import is_content
from tokalign.english.lexicon.word_lists import Hint, hints
from tokalign.english.values import Kind
from tokalign.english.values.value import UNIT_BASES
from tokalign.ranking.answer_types import AnswerType, Expected, UnitKind
from tokalign.types import Sentence

from reference.values import Said, find_values

NAMES = ("NNP", "NNPS")
NOUNS = ("NN", "NNS", "FW", "GW", "XX", "AFX", "ADD", "LS")
VERBS = ("VB", "MD")
LISTED = (AnswerType.COLOUR, AnswerType.MATERIAL, AnswerType.OFTEN)
TIMES = ("s", "min", "h", "day", "week", "fortnight", "month", "year")
SIZES = """
    ft inch km m mi yard acre ha m2 km2 mi2 ft2 cm2 cm3 m3 l gal pint cup tbsp tsp g lb ounce stone
    t carat km/h knot m/s mph fps °C °F °
""".split()  # noqa: SIM905


def evidence(
    question: Sentence,
    candidate: Sentence,
    mean: NDArray[np.float64],
    expected: Expected,
    idf: Callable[[str], float],
    vectors: Vectors,
    *,
    score: float,
    agreement: float,
) -> dict[str, float]:
    """Return the evidence by name; `mean` has shape (n_candidate, n_question)."""
    asked = [
        j for j, token in enumerate(question.tokens)
        if is_content(token) and Hint.ASKS not in hints(token, question.tags[j])
    ] or list(range(len(question)))  # fmt: skip
    weight = {j: idf(question.lemmas[j].lower()) for j in asked}
    total = sum(weight.values())
    covered = {j: min(1.0, float(mean[:, j].sum())) for j in asked}
    best = {j: int(mean[:, j].argmax()) for j in asked}

    def share(of: dict[int, float], among: list[int]) -> float:
        whole = sum(weight[j] for j in among)
        return sum(weight[j] * of[j] for j in among) / whole if whole else 1.0

    names = [j for j in asked if question.tags[j] in (*NAMES, "CD")]
    early = {j: covered[j] * 4 / (4 + best[j]) for j in asked}
    held = {lemma.lower() for lemma in question.lemmas}
    fits = fits_of(candidate, expected)
    free = [
        k for k in range(len(candidate))
        if fits[k] > 0
        and max(mean[k, j] for j in asked) < 0.5
        and candidate.lemmas[k].lower() not in held
    ]  # fmt: skip
    near = {(k, j): covered[j] * 6 / (6 + abs(best[j] - k)) for k in free for j in asked}
    dense = {k: sum(weight[j] * near[k, j] for j in asked) / total if total else 1.0 for k in free}
    fitting = max((fits[k] * dense[k] for k in free), default=0.0)
    by_verb = [near[k, j] for k in free for j in asked if question.tags[j].startswith(("VB", "MD"))]
    typed = max((fits[k] for k in free), default=0.0)
    if expected.answer in (AnswerType.OTHER, AnswerType.WAY):
        told = sum(fits[k] for k in free)
        typed = told / (told + 1.5)
    is_value = expected.answer in (AnswerType.DATE, AnswerType.NUMBER, *LISTED)
    is_name = expected.answer in (AnswerType.PERSON, AnswerType.PLACE, AnswerType.NAME)
    return {
        "score": score,
        "agreement": agreement,
        "names": share(covered, names),
        "early": share(early, asked),
        "neighbours": neighbours(asked, weight, covered, best, share(covered, asked)),
        "topic": topic(
            [(question.tokens[j], question.lemmas[j], weight[j]) for j in asked],
            [
                (token, lemma, idf(lemma.lower()))
                for token, lemma in zip(candidate.tokens, candidate.lemmas, strict=True)
            ],
            vectors,
        ),
        "typed": typed,
        "value": fitting if is_value else 0.0,
        "name": fitting if is_name else 0.0,
        "by_verb": max(by_verb, default=0.0),
        "length": min(1.0, math.log1p(len(candidate)) / math.log1p(100)),
        "bare": (1 - typed) * share(early, asked),
        "yes_no": float(Hint.YES_NO in hints(candidate.tokens[0], candidate.tags[0])),
        "clause": float(Hint.CLAUSE in hints(candidate.tokens[0], candidate.tags[0])),
        "polar": float(expected.answer is AnswerType.ANY),
    }  # fmt: skip


def neighbours(
    asked: list[int],
    weight: dict[int, float],
    covered: dict[int, float],
    best: dict[int, int],
    without: float,
) -> float:
    kept = whole = 0.0
    for first, second in itertools.pairwise(asked):
        if second - first > 2:
            continue
        lesser = min(weight[first], weight[second])
        whole += lesser
        if covered[first] > 0.5 and covered[second] > 0.5:
            step = best[second] - best[first]
            kept += lesser if step in (1, 2) else lesser / 2 if abs(step) <= 3 else 0.0
    return kept / whole if whole else without


def topic(
    question: list[tuple[str, str, float]],
    candidate: list[tuple[str, str, float]],
    vectors: Vectors,
) -> float:
    rows = vectors.source.array("row", np.int8, (len(vectors), None))
    scales = vectors.source.array("scale", np.float32, (len(vectors),))
    sums = []
    for words in (question, candidate):
        total = np.zeros(rows.shape[1])
        for token, lemma, weight in words:
            found = max(vectors.find(token.lower()), -1)
            found = found if found >= 0 else vectors.find(lemma.lower())
            if is_content(token) and found >= 0:
                total += weight * scales[found].astype(np.float64) * rows[found]
        sums.append(total)
    lengths = [float(np.linalg.norm(total)) for total in sums]
    return float(sums[0] @ sums[1]) / math.prod(lengths) if all(lengths) else 0.0


def fits_of(sentence: Sentence, expected: Expected) -> list[float]:
    """Return how well each token fits what is expected."""
    found = [fit(sentence, k, expected.answer) for k in range(len(sentence))]
    is_value = expected.answer in (AnswerType.DATE, AnswerType.NUMBER)
    if is_value or expected.answer in (AnswerType.PLACE, AnswerType.OTHER, AnswerType.WAY):
        for value in find_values(sentence.tokens):
            if value.rank == 0:
                for k in range(value.start, value.end):
                    found[k] = value_fit(value, expected) if is_value else 0.0
    return found


def fit(sentence: Sentence, at: int, answer: AnswerType) -> float:
    columns = list(zip(sentence.tokens, sentence.tags, strict=True))
    own = hints(*columns[at])
    before = hints(*columns[at - 1]) if at else Hint(0)
    after = hints(*columns[at + 1]) if at + 1 < len(columns) else Hint(0)
    beside = [tag for _, tag in columns[max(0, at - 1) : at] + columns[at + 1 : at + 2]]
    match answer:
        case AnswerType.DATE:
            if Hint.CALENDAR in own:
                return 1.0
            is_dated = before & (Hint.BEFORE_DATE | Hint.CALENDAR) and Hint.UNIT not in after
            return 0.0 if Hint.NUMBER not in own else 1.0 if is_dated else 0.5
        case AnswerType.NUMBER:
            if Hint.NUMBER not in own:
                return 0.0
            return 0.5 if before & (Hint.CALENDAR | Hint.IN) else 1.0
        case AnswerType.PERSON:
            if Hint.NAME not in own:
                return 0.0
            return 1.0 if any(tag in NAMES for tag in beside) else 0.5
        case AnswerType.NAME:
            return 1.0 if Hint.NAME in own else 0.0
        case AnswerType.COLOUR | AnswerType.MATERIAL | AnswerType.OFTEN if Hint[answer.name] in own:
            return 1.0
        case AnswerType.COLOUR | AnswerType.OFTEN:
            return 0.0
        case AnswerType.PLACE if Hint.NAME in own:
            return 1.0 if Hint.BEFORE_PLACE in before else 0.5
    tag = columns[at][1]
    if not is_content(columns[at][0]):
        return 0.0
    if answer is AnswerType.ANY:
        return 0.5
    if Hint.CALENDAR in own:
        return 0.0
    if answer is AnswerType.PLACE:
        is_within = any(Hint.WITHIN in hints(*each) for each in columns[max(0, at - 3) : at])
        return 0.5 if tag in NOUNS and is_within else 0.0
    if answer is AnswerType.MATERIAL:
        return 0.5 if tag in NOUNS else 0.0
    if answer is AnswerType.THING:
        return 1.0 if tag in (*NOUNS, *NAMES) else 0.0
    if Hint.NUMBER in own:
        return 0.0
    if answer is AnswerType.MEANING:
        return float(tag in NOUNS and is_class(columns[:at]))
    return 1.0 if answer is AnswerType.WAY and at == 0 and tag.startswith(VERBS) else 0.5


def is_class(before: list[tuple[str, str]]) -> bool:
    parting = Hint.NUMBER | Hint.BEFORE_PLACE | Hint.BEFORE_DATE | Hint.WITHIN
    for token, tag in reversed(before):
        if tag.startswith(VERBS):
            return not is_content(token)
        if hints(token, tag) & parting:
            return False
    return True


def value_fit(value: Said, expected: Expected) -> float:
    is_wanted = value.kind in expected.kinds
    if expected.answer is AnswerType.DATE:
        if is_wanted:
            return 1.0
        return 0.5 if value.kind in (Kind.NUMBER, Kind.RANGE) else 0.25
    if is_wanted and value.kind is Kind.QUANTITY:
        unit = UNIT_BASES[value.facts["code"]]
        measure = (
            UnitKind.SIZE if unit in SIZES else UnitKind.TIME if unit in TIMES else UnitKind.OTHER
        )
        return 1.0 if measure & expected.measures else 0.5
    if is_wanted:
        return 1.0
    is_far = value.kind is Kind.DATE or Kind.MONEY in expected.kinds
    return 0.25 if is_far and not is_wanted else 0.5
