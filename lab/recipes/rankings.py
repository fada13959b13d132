"""Rankings that are judged: of TrecQA, WikiQA, WiCE and the project's own corpus, with what each
candidate is ranked by."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.decoding.evidence import EVIDENCE
from tokalign.english.lexicon.likeness import is_content
from tokalign.english.questions import is_query
from tokalign.ranking.judge import CLAIM_EVIDENCE, repetition_of
from tokalign.types import AnnotatedPair, Sentence, SentenceLike
from tokalign.types.options import AlignOptions, RankBy

from lab.recipes.corpora import OWN, read_questions

K1, B = 1.2, 0.75
"""BM25's saturation and its weight of lengths, as Lucene has them."""


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """A question or claim, and its candidates, right and wrong ones.

    Attributes
    ----------
    text : SentenceLike
    candidates : list of SentenceLike, length n
    is_right : bool array, shape (n,)
    group : str
        Queries of one group are learned from, or judged, together.
    kinds : list of str, length n
        Of the own corpus: the verdict of each candidate; of those for other questions of the
        genre, OTHER and their verdict. Else empty.
    """

    text: SentenceLike
    candidates: list[SentenceLike]
    is_right: NDArray[np.bool_]
    group: str = ""
    kinds: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class QueryEvidence:
    """What is known of a query's candidates.

    Attributes
    ----------
    evidence : float array, shape (n, n_pieces)
        Of a question PIECES, of a claim CLAIM_EVIDENCE.
    scores : dict of str to float array, shape (n,)
        What candidates can be ranked by without learning: score, similarity, bm25, place; by a
        model with an encoder also cosine; and how far each repeats a question (repetition).
    is_right : bool array, shape (n,)
    group, kinds
        As in GoldQuery.
    is_polar : bool
        Whether it is a question that asks for yes or no.
    """

    evidence: NDArray[np.float64]
    scores: dict[str, NDArray[np.float64]]
    is_right: NDArray[np.bool_]
    group: str = ""
    kinds: Sequence[str] = ()
    is_polar: bool = False


def trecqa(data: Path) -> Iterator[GoldQuery]:
    """Yield the questions of TrecQA's training and development parts."""
    for part in ("train", "dev"):
        for question in list(read_questions(data / f"trecqa/{part}.xml")):
            texts: list[SentenceLike] = [tokens for tokens, _ in question.candidates]
            yield GoldQuery(
                question.tokens, texts, np.array([is_ for _, is_ in question.candidates])
            )


def wikiqa(data: Path) -> Iterator[GoldQuery]:
    """Yield the questions of WikiQA's development part; candidates are in the document's order."""
    rows: dict[str, list[dict[str, str]]] = {}
    with (data / "wikiqa/dev.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            rows.setdefault(row["QuestionID"], []).append(row)
    for own in rows.values():
        right = np.array([row["Label"] == "1" for row in own])
        yield GoldQuery(own[0]["Question"], [row["Sentence"] for row in own], right)


def wice(data: Path) -> Iterator[GoldQuery]:
    """Yield WiCE's claims; right are sentences that are in any set of supporting sentences."""
    for line in (data / "wice/claims-dev.jsonl").read_text(encoding="utf-8").splitlines():
        claim = json.loads(line)
        supporting = {k for each in claim["supporting_sentences"] for k in each}
        kept = [(k, text) for k, text in enumerate(claim["evidence"]) if text.strip()]
        right = np.array([k in supporting for k, _ in kept])
        yield GoldQuery(claim["claim"], [text for _, text in kept], right, claim["claim"])


def corpus(part: str = "train", folder: Path = OWN) -> Iterator[GoldQuery]:
    """Yield the questions of a part of the project's own corpus.

    Candidates are the answers to all questions of the genre. Those with sentences of EWT, which are
    under another licence, are left out.
    """
    answers: dict[str, dict[tuple[str, str], list[tuple[str, str]]]] = {}
    for line in (folder / f"{part}.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        if pair["task"] == "answer":
            of_genre = answers.setdefault(pair["genre"], {})
            asked = pair["topic"], pair["source"]["text"]
            of_genre.setdefault(asked, []).append((pair["target"]["text"], pair["verdict"]))
    for genre, of_genre in answers.items():
        for asked, own in of_genre.items():
            others = [each for other in of_genre if other != asked for each in of_genre[other]]
            kinds = [verdict for _, verdict in own] + [OTHER + verdict for _, verdict in others]
            texts: list[SentenceLike] = [text for text, _ in own + others]
            right = np.array([kind == "yes" for kind in kinds])
            yield GoldQuery(asked[1], texts, right, f"{genre}/{asked[0]}", kinds)


SETS = {"trecqa": trecqa, "wikiqa": wikiqa, "wice": wice}
QUESTIONS = ("trecqa", "wikiqa")
"""Those of SETS that ask questions."""
OTHER = "other "
PIECES = EVIDENCE[:-1]
"""The evidence that has weights; the last column chooses them."""


def judged(
    queries: Iterable[GoldQuery], aligner: Aligner, *, asks: bool = True
) -> list[QueryEvidence]:
    """Return the queries that have right and wrong candidates.

    Those are left out that are ranked as claims if they ask, or else as questions.
    """
    return [
        judge(query, aligner)
        for query in queries
        if query.is_right.any()
        and not query.is_right.all()
        and is_query(aligner.annotate([query.text], truncate=True)[0]) == asks
    ]


def judge(query: GoldQuery, aligner: Aligner) -> QueryEvidence:
    """Return what is known of a query's candidates."""
    (text,) = aligner.annotate([query.text], truncate=True)
    sentences = aligner.annotate(query.candidates, truncate=True)
    pairs: list[AnnotatedPair] = [(sentence, text) for sentence in sentences]
    asks = is_query(text)
    options = AlignOptions(truncate=True)
    backend = aligner._engine.backend
    encoded = backend.encode(pairs, options, compares=True)
    found = [unwrap(each) for each in backend.align_candidates(encoded, options, RankBy.ANSWER)]
    scores = {
        name: np.array([getattr(alignment, name) for alignment, _ in found])
        for name in CLAIM_EVIDENCE
    }
    evidence = (
        np.array([row for _, row in found]) if asks else np.stack(list(scores.values()), axis=1)
    )
    if all(alignment.cosine is not None for alignment, _ in found):
        scores["cosine"] = np.array([alignment.cosine for alignment, _ in found], dtype=float)
    if asks:
        scores["repetition"] = np.array(
            [repetition_of(alignment, RankBy.ANSWER) for alignment, _ in found], dtype=float
        )
    scores["bm25"] = bm25(text, sentences)
    scores["place"] = -np.log1p(np.arange(len(sentences)))
    return QueryEvidence(
        evidence[:, : len(PIECES)],
        scores,
        query.is_right,
        query.group,
        query.kinds,
        is_polar=asks and bool(evidence[0, -1]),
    )


def bm25(query: Sentence, candidates: list[Sentence]) -> NDArray[np.float64]:
    """Return BM25's scores of candidates; documents are the candidates, terms content lemmas."""
    documents = [Counter(_terms(each)) for each in candidates]
    lengths = np.array([sum(each.values()) for each in documents])
    relative = lengths / max(lengths.mean(), 1e-9)
    total = np.zeros(len(documents))
    for term in set(_terms(query)):
        counts = np.array([each[term] for each in documents], dtype=float)
        n_with = np.count_nonzero(counts)
        idf = np.log(1 + (len(documents) - n_with + 0.5) / (n_with + 0.5))
        total += idf * counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative))
    return total


def _terms(sentence: Sentence) -> list[str]:
    words = zip(sentence.tokens, sentence.lemmas or (), strict=True)
    return [lemma.lower() for token, lemma in words if is_content(token)]
